//! Sentences in a large home: whatever is said, the grammar ends, and what it understood survives the protocol.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use zhiju::home::parse_text;
use zhiju::language::action::Action;
use zhiju::language::grammar::{SpeakerContext, Parse, parse};
use zhiju::language::lexicon::Lexicon;
use zhiju::language::protocol::{MAX_COMMAND_CHARS, decode, encode, parse_array, print_array};
use zhiju::language::vocabulary::Vocabulary;

static VILLA: LazyLock<Vocabulary> = LazyLock::new(|| {
    let (home, _) = parse_text(include_str!("../../tests/homes/villa.json")).expect("the villa is a home");
    Vocabulary::new(Arc::new(Lexicon::built_in().expect("the built-in lexicon is whole")), Arc::new(home))
});

fuzz_target!(|sentence: &str| {
    let Parse::Orders(orders) = parse(sentence, &VILLA, &SpeakerContext::default()) else { return };
    for order in orders {
        let command = encode(&order, &VILLA);
        let unclear = matches!(order.action, Action::Unclear(_));
        assert_eq!(decode(&command, &VILLA).is_err(), unclear, "only what nobody understood is UNKNOWN: {command}");
        if command.to_string().chars().count() <= MAX_COMMAND_CHARS {
            let reading = parse_array(&print_array(std::slice::from_ref(&command)));
            assert_eq!(reading.commands, [command], "{:?}", reading.problems);
        }
    }
});

//! Sentences in a large home: whatever is said, the grammar ends, and its commands survive the protocol.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use zhiju::home::parse_text;
use zhiju::language::grammar::{Hearing, Parse, parse};
use zhiju::language::lexicon::Lexicon;
use zhiju::language::protocol::{MAX_COMMAND_CHARS, parse_array, print_array};
use zhiju::language::vocabulary::Vocabulary;

static VILLA: LazyLock<Vocabulary> = LazyLock::new(|| {
    let (home, _) = parse_text(include_str!("../../tests/homes/villa.json")).expect("the villa is a home");
    Vocabulary::new(Arc::new(Lexicon::built_in().expect("the built-in lexicon is whole")), Arc::new(home))
});

fuzz_target!(|sentence: &str| {
    let orders = match parse(sentence, &VILLA, &Hearing::default()) {
        Parse::Orders(orders) => orders,
        Parse::Fragment(order) => vec![order],
        Parse::Unsure(..) | Parse::Situation { .. } | Parse::Silent(_) => return,
    };
    for order in orders {
        if order.command.to_string().chars().count() > MAX_COMMAND_CHARS {
            continue;
        }
        let reading = parse_array(&print_array(std::slice::from_ref(&order.command)));
        assert_eq!(reading.commands, [order.command], "{:?}", reading.problems);
    }
});

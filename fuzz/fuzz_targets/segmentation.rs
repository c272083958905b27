//! Segmentation: whatever is said, in a large home, its words are no more than was said, and none of them is empty.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use zhiju::home::parse_text;
use zhiju::language::lexicon::Lexicon;
use zhiju::language::segment::{Token, heard, plain, segment};
use zhiju::language::vocabulary::Vocabulary;
use zhiju::text::normalize;

static VILLA: LazyLock<Vocabulary> = LazyLock::new(|| {
    let (home, _) = parse_text(include_str!("../../tests/homes/villa.json")).expect("the villa is a home");
    Vocabulary::new(Arc::new(Lexicon::built_in().expect("the built-in lexicon is whole")), Arc::new(home))
});

fn check(tokens: &[Token], text: &str) {
    assert!(tokens.iter().all(|token| !token.text.is_empty()));
    let said = |token: &Token| token.heard.as_ref().unwrap_or(&token.text).chars().count();
    assert!(tokens.iter().map(said).sum::<usize>() <= text.chars().count());
}

fuzz_target!(|sentence: &str| {
    let text = normalize(sentence);
    let written = plain(&text, &VILLA);
    check(&written, &text);
    check(&segment(&text, &VILLA), &text);
    if let Some(tokens) = heard(&text, &written, &VILLA) {
        check(&tokens, &text);
    }
});

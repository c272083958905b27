//! How a sentence was read, step by step, for people who look at traces.

use super::super::segment::Token;

/// Characters of the senses of one word that are shown.
const MAX_SENSES: usize = 48;

/// A step that nobody pays for unless somebody looks.
pub(super) type Note<'a> = &'a mut dyn FnMut(&str, &dyn Fn() -> String);

/// Words with what each can mean.
pub(super) fn words(tokens: &[Token]) -> String {
    let word = |t: &Token| {
        let senses: Vec<String> = t.senses.iter().map(|s| format!("{s:?}")).collect();
        let heard = t.heard.as_ref().map(|heard| format!(" heard {heard}")).unwrap_or_default();
        let senses = if senses.is_empty() { "?".to_owned() } else { shortened(&senses.join(" "), MAX_SENSES) };
        format!("{}{heard} [{senses}]", t.text)
    };
    tokens.iter().map(word).collect::<Vec<_>>().join(" ")
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

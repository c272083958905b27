//! How a sentence was read, step by step, for people who look at traces.

use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::{Parse, SpeakerContext, parse_noted};

/// Characters of a step that are shown.
const MAX_STEP: usize = 400;
/// Characters of the senses of one word that are shown.
const MAX_SENSES: usize = 48;

/// A step that nobody pays for unless somebody looks.
pub(super) type Note<'a> = &'a mut dyn FnMut(&str, &dyn Fn() -> String);

/// The steps of reading a sentence: its words and what each can mean, what was taken out and why, chunks, clauses, and
/// what it came to.
pub fn explain(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Vec<String> {
    let mut steps = Vec::new();
    let parse = parse_noted(sentence, vocabulary, speaker, &mut |stage, step| {
        steps.push(format!("{stage}: {}", shortened(&step(), MAX_STEP)));
    });
    steps.push(match &parse {
        Parse::Orders(orders) => format!("sure: {} command(s)", orders.len()),
        Parse::Unsure(orders, loose) => {
            format!("unsure: {} command(s), not explained: {}", orders.len(), loose.join(" "))
        }
        Parse::Fragment(order) => format!("half a sentence: {:?} {:?}", order.scope.include, order.target),
        Parse::Situation { situation, .. } => {
            format!("situation: {}", vocabulary.lexicon.situations[*situation].id)
        }
        Parse::Jobs(ask) => format!("about jobs: {ask:?}"),
        Parse::Rejected(rejection) => format!("no command: {rejection:?}"),
    });
    steps
}

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

fn shortened(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

//! The deterministic grammar: from a sentence to commands, or to the reason why it is none.
//!
//! It is sure only of what it can explain word by word: residue, a negation or talk about devices make it unsure, and
//! an unsure sentence moves nothing.

mod act;
mod addressee;
mod again;
mod amid;
mod anew;
mod apart;
mod aside;
mod awaited;
mod by_part;
mod caution;
mod cease;
mod channel;
mod checked;
mod chunk;
mod clause;
mod condition;
mod contrast;
mod denial;
mod drawn;
mod exclusion;
mod feature;
mod filter;
mod fitted;
mod going;
mod guard;
mod heard;
mod just_done;
mod keep;
mod lasting;
mod later;
mod leave;
mod likeness;
mod listed;
mod measured;
mod mention;
mod mixed;
mod names;
mod nominal;
mod noun;
mod only_that;
mod order;
mod others;
mod outline;
mod parsed;
mod parts;
mod played;
mod pointed;
mod portions;
mod predicate;
mod pressed;
mod quantity;
mod query;
mod reading;
mod reason;
mod recut;
mod refusal;
mod remaining;
mod respective;
mod rounds;
mod row;
mod scene;
mod sentence;
mod settled;
mod shares;
mod sides;
mod situation;
mod slot;
mod stages;
mod strength;
mod summed;
mod swing;
mod tasks;
mod tell;
#[cfg(test)]
mod tests;
mod toggled;
mod trace;
mod uncounted;
mod undone;
mod unsure;
mod whose;
mod withdrawn;
mod word;

pub use amid::{is_of_something_else, is_story, is_tale, withdraws};
pub use aside::is_of_others;
pub use awaited::{has_to_come, leaves_open, only_speaks_of};
pub use cease::{End, end as end_of, ends_nothing, far_enough, no_more};
pub use denial::{is_denial, means_another};
pub use feature::unknown_feature;
pub use guard::{names_another_topic, only_names_a_number};
pub use later::{Doing, JobAsk, SpokenOf, Which, about_told_jobs, has_time, lone_time};
pub use likeness::compares;
pub use mention::{Mention, mentions};
pub use order::listed;
pub use outline::{Outline, outline};
pub use parsed::{Parse, Rejection, SpeakerContext};
pub use played::plays_something;
pub use pointed::goes_on_by_number;
pub use query::{asks_as_a_value, asks_of_a_town};
pub use recut::points_to_a_room;
pub use refusal::{Told, told};
pub use row::how_about;
pub use sentence::explain;
pub use slot::{Role, Slot, slot};
pub use unsure::names_the_unknown;
pub use word::names_a_thing;

use sentence::parse_noted;
use stages::read;
use tell::command;

use super::action::Amount;
use super::lexicon::Sense;
use super::segment::{self, Token};
use super::vocabulary::Vocabulary;

/// Reads a sentence, as it is written and, where that leaves something open, as it may have been said.
pub fn parse(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Parse {
    let parse = parse_whole(sentence, vocabulary, speaker);
    let Parse::Orders(orders) = &parse else { return parse };
    // What nobody knows of a thing is none of the thing, however the rest is read.
    let words = words(sentence, vocabulary, speaker).unwrap_or_default();
    match unknown_feature(&words, orders, vocabulary) {
        Some(open) => Parse::Unsure(orders.clone(), vec![open]),
        None => parse,
    }
}

fn parse_whole(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Parse {
    let parse = parse_noted(sentence, vocabulary, speaker, &mut |_, _| {});
    if let Some(orders) = row::in_a_row(sentence, &parse, vocabulary, speaker) {
        return Parse::Orders(orders);
    }
    if parse == Parse::Rejected(Rejection::OtherAddressee)
        && let Some(rest) = addressee::behind_a_word_to_somebody(sentence, vocabulary)
        && let told @ Parse::Orders(_) = self::parse(&rest, vocabulary, speaker)
        && heard::is_clear(&told)
    {
        return told;
    }
    if let Parse::Orders(orders) = &parse
        && let Some(words) = words(sentence, vocabulary, speaker)
        && let Some(open) = unsure::leaves_open(&words, orders, vocabulary)
    {
        return Parse::Unsure(orders.clone(), vec![open]);
    }
    // 我走了，你在家看着孩子 is said to somebody who stays.
    if matches!(parse, Parse::Situation { .. })
        && words(sentence, vocabulary, speaker).is_some_and(|words| aside::goes_on_to_somebody(&words, vocabulary))
    {
        return Parse::Rejected(Rejection::Aside);
    }
    if !matches!(parse, Parse::Unsure(..) | Parse::Rejected(_)) {
        return parse;
    }
    let talks = matches!(parse, Parse::Rejected(Rejection::Talk | Rejection::Aside));
    let open = talks || matches!(parse, Parse::Unsure(..) | Parse::Rejected(Rejection::Chatter));
    let amid = open || matches!(parse, Parse::Rejected(Rejection::Negated | Rejection::Later));
    let amid = amid && parse != Parse::Rejected(Rejection::Aside);
    let words = words(sentence, vocabulary, speaker)
        .filter(|words| !aside::only_remarks(words, vocabulary) && !aside::is_over(words, vocabulary));
    if let Some(words) = words.filter(|_| open || amid) {
        let negated = matches!(parse, Parse::Rejected(Rejection::Negated | Rejection::Later));
        let apart = || {
            let read = || apart::clause_by_clause(&words, talks, negated, vocabulary, speaker);
            (open || negated).then(read).flatten()
        };
        let told = apart().or_else(|| amid::told_amid_talk(&words, vocabulary, speaker).filter(|_| amid));
        if let Some(told) = told {
            return told;
        }
    }
    let doubtful = matches!(parse, Parse::Unsure(..) | Parse::Rejected(Rejection::Negated));
    if doubtful && guard::is_elsewhere(&segment::plain(&vocabulary.utterance(sentence), vocabulary), &parse, vocabulary)
    {
        return Parse::Rejected(Rejection::Chatter);
    }
    parse
}

/// The words of a sentence as it is written, the assistant's name taken off. `None` when it is said to somebody else, or
/// longer than anybody commands.
pub fn words(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Token>> {
    let said = vocabulary.utterance(sentence);
    if segment::is_story(&said) {
        None
    } else {
        addressee::address(shares::as_written(&said, vocabulary, speaker.local), vocabulary, speaker).ok()
    }
}

/// The words of a sentence that begins by speaking to a person of the house, and may end by speaking to us. `None` when it is
/// said to another assistant.
pub fn words_to_anybody(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Token>> {
    words(sentence, vocabulary, speaker).or_else(|| {
        let said = vocabulary.utterance(sentence);
        let ours = !segment::is_story(&said) && !addressee::names_another(&said, speaker);
        ours.then(|| shares::as_written(&said, vocabulary, speaker.local))
            .filter(|words| !words.iter().any(|t| t.has(&Sense::OtherAssistant)))
    })
}

/// The value that stands at a position, and where it ends.
pub fn amount(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Amount, usize)> {
    predicate::amount(tokens, at, true, vocabulary).map(|(amount, _, end)| (amount, end))
}

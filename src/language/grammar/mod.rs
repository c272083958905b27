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
mod caution;
mod cease;
mod channel;
mod checked;
mod chunk;
mod clause;
mod condition;
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
mod nominal;
mod only_that;
mod order;
mod others;
mod outline;
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
mod rounds;
mod row;
mod scene;
mod settled;
mod shares;
mod sides;
mod situation;
mod slot;
mod stages;
mod strength;
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

pub use amid::{is_of_something_else, is_story, is_tale, withdraws};
pub use aside::is_of_others;
pub use awaited::{has_to_come, leaves_open, only_speaks_of};
pub use cease::{End, end as end_of, ends_nothing, far_enough, no_more};
pub use denial::{is_denial, means_another};
pub use feature::unknown_feature;
pub use guard::{names_another_topic, only_names_a_number};
pub use later::{Doing, JobAsk, SpokenOf, Which, about_told_jobs, has_time, lone_time};
pub use mention::{Mention, mentions};
pub use nominal::names_a_thing;
pub use order::listed;
pub use outline::{Outline, outline};
pub use played::plays_something;
pub use pointed::goes_on_by_number;
pub use query::{asks_as_a_value, asks_of_a_town};
pub use recut::points_to_a_room;
pub use refusal::{Told, told};
pub use row::how_about;
pub use slot::{Role, Slot, slot};
pub use trace::explain;
pub use unsure::names_the_unknown;

use stages::read;
use tell::command;

use super::action::Amount;
use super::lexicon::{PropertyId, Sense};
use super::order::{Fragment, Order};
use super::segment::{self, Token};
use super::vocabulary::Vocabulary;

/// What the grammar is told besides the sentence.
#[derive(Clone, Debug, Default)]
pub struct SpeakerContext {
    /// The room of the speaker.
    pub local: Option<usize>,
    /// Names the assistant answers to, normalised.
    pub names: Vec<String>,
    /// Names of other assistants besides those of the lexicon, normalised.
    pub others: Vec<String>,
}

/// What a sentence is.
#[derive(Clone, Debug, PartialEq)]
pub enum Parse {
    /// Commands, all of them understood.
    Orders(Vec<Order>),
    /// Commands that may be wrong, and what is doubtful; never to be carried out without more certainty.
    Unsure(Vec<Order>, Vec<String>),
    /// A name, a room or a number by itself: an answer to a question, or half a sentence.
    Fragment(Fragment),
    /// Something people say without naming what to do.
    Situation {
        /// Which, by position in the lexicon.
        situation: usize,
        /// The room it was said of; the speaker's when none was.
        room: Option<usize>,
    },
    /// About what is to be done later, not something to do.
    Jobs(JobAsk),
    /// No command.
    Rejected(Rejection),
}

/// Why a sentence is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// Addressed to somebody else.
    OtherAddressee,
    /// A report, a quotation, an opinion, a supposition.
    Talk,
    /// What is told is only spoken of.
    Aside,
    /// Told, and taken back in the same breath.
    Withdrawn,
    /// Told not to.
    Negated,
    /// For later, and not understood.
    Later,
    /// A rule for whenever something is so: not possible yet.
    Standing,
    /// Not about the home.
    Chatter,
}

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

/// Reads a sentence and notes every step.
fn parse_noted(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext, note: trace::Note) -> Parse {
    let said = vocabulary.utterance(sentence);
    if segment::is_story(&said) {
        return Parse::Rejected(Rejection::Chatter);
    }
    let tokens = match addressee::address(shares::words(&said, vocabulary, speaker.local), vocabulary, speaker) {
        Ok(tokens) => tokens,
        Err(rejection) => return Parse::Rejected(rejection),
    };
    let tokens = feature::without_pause(tokens, vocabulary);
    let tokens = pressed::how_hard(portions::each_time(tokens), vocabulary, speaker.local);
    let tokens = caution::without_echo(later::without_the_hour(tokens, vocabulary), vocabulary);
    let tokens = caution::without_purposes(tokens, vocabulary);
    // 把灯关了，她喊道: what was said before it is told of somebody.
    // What follows at once is what she says: 打开除湿，她说墙在冒水.
    let ends =
        |at: usize| tokens.get(at + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    let attributed = |at: usize| vocabulary.lexicon.attributed.contains(&tokens[at].text);
    if (0..tokens.len()).any(|at| attributed(at) && ends(at)) {
        return Parse::Rejected(Rejection::Aside);
    }
    if aside::tells_nothing(&tokens, vocabulary)
        || aside::only_remarks(&tokens, vocabulary)
        || aside::is_over(&tokens, vocabulary)
        || aside::is_for_a_crowd(&tokens, vocabulary)
    {
        return Parse::Rejected(Rejection::Aside);
    }
    let told = aside::without_blame(tokens, vocabulary).and_then(|tokens| aside::without_outcome(tokens, vocabulary));
    let Some(tokens) = told else { return Parse::Rejected(Rejection::Aside) };
    let tokens = aside::without_remarks(aside::topics(tokens, vocabulary), vocabulary);
    let tokens = query::done(tokens, vocabulary);
    if let Some(parse) = query::how_long(&tokens, vocabulary, speaker) {
        return parse;
    }
    let tokens = later::without_reminder(tokens, vocabulary);
    let written: String = tokens.iter().map(|t| t.text.as_str()).collect();
    let times = later::times(&written, &tokens, vocabulary);
    let opaque = later::without_own_names(&tokens, vocabulary);
    if let Some(ask) =
        later::about_jobs(&opaque, times.as_ref(), vocabulary).or_else(|| later::when_due(&written, vocabulary))
    {
        return Parse::Jobs(ask);
    }
    if let Some(rejection) = later::reminder(&opaque, times.is_some(), vocabulary) {
        return Parse::Rejected(rejection);
    }
    let Some(times) = times else { return heard::spoken(tokens, written, vocabulary, speaker, note) };
    later::commands(&times, vocabulary, speaker, note).unwrap_or_else(|| {
        // Nothing that was said of a time is done at once. Of talk that names a time nobody asks when.
        match heard::spoken(tokens, written, vocabulary, speaker, note) {
            rejected @ Parse::Rejected(rejection) if rejection != Rejection::Later => rejected,
            _ if later::tells(&times, vocabulary, speaker) => Parse::Rejected(Rejection::Later),
            _ => Parse::Rejected(Rejection::Talk),
        }
    })
}

/// Reads what is left of a sentence when its times are cut out.
fn untimed(text: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext, note: trace::Note) -> Parse {
    heard::spoken(shares::words(text, vocabulary, speaker.local), text.to_owned(), vocabulary, speaker, note)
}

/// The value that stands at a position, and where it ends.
pub fn amount(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Amount, usize)> {
    predicate::amount(tokens, at, true, vocabulary).map(|(amount, _, end)| (amount, end))
}

/// The property a word names by itself (`多热` asks for the temperature).
fn property_of_direction(word: &str, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let senses = vocabulary.senses(word);
    let found: Vec<_> = senses
        .iter()
        .filter_map(|s| if let Sense::Direction { property, .. } = s { Some(*property) } else { None })
        .collect();
    // 多冷 asks for what a thermometer says, and not how cold a light looks.
    let temperature = vocabulary.lexicon.property("temperature").filter(|t| found.contains(t));
    temperature.or_else(|| found.first().copied())
}

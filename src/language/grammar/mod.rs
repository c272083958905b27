//! The deterministic grammar: from a sentence to commands, or to the reason why it is none.
//!
//! It is sure only of what it can explain word by word: residue, a negation or talk about devices make it unsure, and
//! an unsure sentence moves nothing.

mod chunk;
mod clause;
mod condition;
mod denial;
mod exclusion;
mod filter;
mod guard;
mod mention;
mod nominal;
mod order;
mod outline;
mod predicate;
mod quantity;
mod query;
mod reading;
mod reason;
mod refusal;
mod slot;
#[cfg(test)]
mod tests;
mod trace;

pub use mention::{Mention, mentions};
pub use outline::{Outline, outline};
pub use refusal::{Told, told};
pub use slot::{Role, Slot, slot};
pub use trace::explain;

use super::command::{Command, Name, Type};
use super::deed::{Amount, Ask, Condition, Deed};
use super::lexicon::{PropertyId, Sense};
use super::segment::{self, Token, stutter};
use super::vocabulary::Vocabulary;
use crate::text::normalize;

/// What the grammar is told besides the sentence.
#[derive(Clone, Debug, Default)]
pub struct Hearing {
    /// The room of the speaker.
    pub local: Option<usize>,
    /// Names the assistant answers to, normalised.
    pub names: Vec<String>,
    /// Names of other assistants besides those of the lexicon, normalised.
    pub others: Vec<String>,
}

/// One command, and what the protocol cannot say about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The command.
    pub command: Command,
    /// The speaker said 所有 or 全屋: the whole home is meant and not only the speaker's room.
    pub everywhere: bool,
    /// The speaker said 都: all of what was found is meant.
    pub each: bool,
    /// `第二个`.
    pub ordinal: Option<u32>,
    /// Of what was found only these: a condition as [`Condition::write`] writes it (`亮着的灯`).
    pub only: Option<String>,
}

/// What a sentence is.
#[derive(Clone, Debug, PartialEq)]
pub enum Parse {
    /// Commands, all of them understood.
    Orders(Vec<Order>),
    /// Commands that may be wrong, and what is doubtful; never to be carried out without more certainty.
    Unsure(Vec<Order>, Vec<String>),
    /// A name, a room or a number by itself: an answer to a question, or half a sentence.
    Fragment(Order),
    /// Something people say without naming what to do.
    Situation {
        /// Which, by position in the lexicon.
        situation: usize,
        /// The room it was said of; the speaker's when none was.
        room: Option<usize>,
    },
    /// No command.
    Silent(Silence),
}

/// Why a sentence is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// Addressed to somebody else.
    OtherAddressee,
    /// A report, a quotation, an opinion, a supposition.
    Talk,
    /// Told not to.
    Negated,
    /// For later: not possible yet.
    Later,
    /// A rule for whenever something is so: not possible yet.
    Standing,
    /// Not about the home.
    Chatter,
}

/// Reads a sentence, as it is written and, where that leaves something open, as it may have been said.
pub fn parse(sentence: &str, vocabulary: &Vocabulary, hearing: &Hearing) -> Parse {
    parse_noted(sentence, vocabulary, hearing, &mut |_, _| {})
}

/// Reads a sentence and notes every step.
fn parse_noted(sentence: &str, vocabulary: &Vocabulary, hearing: &Hearing, note: trace::Note) -> Parse {
    let tokens = match guard::address(segment::plain(&normalize(sentence), vocabulary), vocabulary, hearing) {
        Ok(tokens) => tokens,
        Err(silence) => return Parse::Silent(silence),
    };
    let written: String = tokens.iter().map(|t| t.text.as_str()).collect();
    let tokens = guard::without_hesitation(stutter::once(tokens));
    let explained = !tokens.iter().any(Token::is_residue);
    let supposes = tokens.iter().any(|t| t.has(&Sense::If) || t.has(&Sense::IfClose));
    let refuses = guard::refuses_unheard(&tokens);
    let plain = read(tokens, vocabulary, hearing, note);
    if refuses && !matches!(plain, Parse::Orders(_)) {
        return Parse::Silent(Silence::Negated);
    }
    let open = match &plain {
        // Talk in plain words is talk: in 落地灯太高了 nobody says 抬高.
        Parse::Orders(_) | Parse::Situation { .. } | Parse::Silent(Silence::Chatter) => !explained,
        Parse::Fragment(_) | Parse::Unsure(..) => true,
        // A condition that was not understood, a question (有夺少灯是开着的), a time that may be a share (三分制一).
        Parse::Silent(Silence::Talk | Silence::Later) => !explained,
        Parse::Silent(_) => false,
    };
    let heard = if open {
        segment::heard(&written, vocabulary).map(stutter::once).map(guard::without_hesitation)
    } else {
        None
    };
    let heard = heard.map(|tokens| (tokens.iter().any(Token::is_residue), read(tokens, vocabulary, hearing, note)));
    let heard = heard.filter(|(_, heard)| !hangs_in_the_air(heard, vocabulary));
    // Talk is heard as a question at most, which moves nothing.
    if matches!(plain, Parse::Silent(Silence::Talk)) && !supposes {
        let asked = heard.filter(|(residue, heard)| !residue && asks(heard, vocabulary));
        return asked.map_or(plain, |(_, heard)| heard);
    }
    match heard {
        Some((_, Parse::Unsure(..) | Parse::Silent(Silence::Chatter))) | Some((true, _)) | None => plain,
        Some((false, heard)) if matches!(heard, Parse::Orders(_)) || !explained => heard,
        Some(_) if matches!(plain, Parse::Fragment(_)) => plain,
        Some((false, heard)) => heard,
    }
}

/// Whether nothing but a value by word was heard, of nothing that was named: 来个大份的 is not 来个大风的.
fn hangs_in_the_air(parse: &Parse, vocabulary: &Vocabulary) -> bool {
    let hangs = |order: &Order| {
        let (target, scope) = (&order.command.target, &order.command.scope);
        let named = target.name != Name::Any || target.kind != Type::Unknown || !scope.include.is_empty();
        let word = |deed| matches!(deed, Deed::Set { property: None, to: Amount::Word(_) });
        !named && Deed::read(&order.command.action, vocabulary).is_some_and(word)
    };
    matches!(parse, Parse::Orders(orders) if orders.iter().any(hangs))
}

/// Whether a sentence only asks.
fn asks(parse: &Parse, vocabulary: &Vocabulary) -> bool {
    let asks = |order: &Order| matches!(Deed::read(&order.command.action, vocabulary), Some(Deed::Ask(_)));
    matches!(parse, Parse::Orders(orders) if !orders.is_empty() && orders.iter().all(asks))
}

/// Reads the words of a sentence, the assistant's name taken off.
fn read(tokens: Vec<Token>, vocabulary: &Vocabulary, hearing: &Hearing, note: trace::Note) -> Parse {
    note("words", &|| trace::words(&tokens));
    if let Some(parse) = guard::whole_utterance(&tokens, vocabulary) {
        return parse;
    }
    let tokens = guard::after_reason(&tokens, vocabulary).unwrap_or(tokens);
    let tokens = reason::without_reasons(tokens, vocabulary);
    note("without reasons", &|| trace::words(&tokens));
    if let Some(parse) = guard::situation_of(&tokens, vocabulary, hearing) {
        return parse;
    }
    let tokens = match guard::markers(tokens, &vocabulary.lexicon.answers.no) {
        Ok(tokens) => tokens,
        Err(silence) => return Parse::Silent(silence),
    };
    note("without negations", &|| trace::words(&tokens));
    if let Some(parse) = condition::condition(&tokens, vocabulary, hearing) {
        note("condition", &|| format!("{parse:?}"));
        return parse;
    }
    let tokens = query::unfold(tokens, vocabulary);
    if query::is_question(&tokens) {
        note("question", &|| trace::words(&tokens));
        return query::question(&tokens, vocabulary, hearing);
    }
    command_noted(&tokens, vocabulary, hearing, note)
}

/// Reads a sentence, or a part of one, that tells to do something.
fn command(tokens: &[Token], vocabulary: &Vocabulary, hearing: &Hearing) -> Parse {
    command_noted(tokens, vocabulary, hearing, &mut |_, _| {})
}

fn command_noted(tokens: &[Token], vocabulary: &Vocabulary, hearing: &Hearing, note: trace::Note) -> Parse {
    let (tokens, denied) = denial::settled(tokens, vocabulary);
    let chunks = chunk::chunks(&tokens, vocabulary);
    note("chunks", &|| format!("{chunks:?}"));
    let (clauses, mut loose) = clause::clauses(&chunks);
    note("clauses", &|| format!("{clauses:?}"));
    let (orders, open) = order::orders(&clauses, vocabulary, hearing);
    loose.extend(open);
    loose.extend(denied);
    if guard::describes(&tokens) {
        return Parse::Silent(Silence::Talk);
    }
    let fragment = orders.is_empty() && loose.is_empty();
    match orders.len() {
        0 if fragment => clauses
            .iter()
            .find_map(|c| c.nominals.first())
            .map(|n| Parse::Fragment(order::fragment(n, vocabulary, hearing)))
            .unwrap_or(Parse::Silent(Silence::Chatter)),
        0 => Parse::Silent(Silence::Chatter),
        _ if loose.is_empty() => Parse::Orders(orders),
        // 我很开心 holds a verb by accident; only what begins by telling to do something is worth a question.
        _ if clauses.iter().all(|c| c.nominals.is_empty()) && !guard::tells(&tokens) => Parse::Silent(Silence::Chatter),
        _ => Parse::Unsure(orders, loose),
    }
}

/// Reads an ACTION (see [`Deed::read`]).
pub(super) fn read_action(action: &str, vocabulary: &Vocabulary) -> Option<Deed> {
    let text = normalize(action);
    if let Some(rest) = text.strip_prefix("查询") {
        return Ask::read(rest, vocabulary).map(Deed::Ask);
    }
    if let Some(rest) = text.strip_prefix("如果") {
        return Condition::read(rest, vocabulary).map(Deed::When);
    }
    if let Some(rest) = text.strip_prefix("或者") {
        return Condition::read(rest, vocabulary).map(Deed::OrWhen);
    }
    // 设置亮度=50%, 调低温度=2C: what is done, and how far.
    let (text, amount) = match text.split_once('=') {
        Some((deed, amount)) => (deed, Some(read_amount(&segment::segment(amount, vocabulary), vocabulary)?)),
        None => (text.as_str(), None),
    };
    let chunks = chunk::chunks(&segment::segment(text, vocabulary), vocabulary);
    let (clauses, loose) = clause::clauses(&chunks);
    let [clause] = &clauses[..] else { return None };
    let [(predicate, property)] = &clause.predicates[..] else { return None };
    if !loose.is_empty() || !clause.nominals.is_empty() {
        return None;
    }
    match (&predicate.core, amount) {
        (predicate::Core::SetOpen, Some(to)) => Some(Deed::Set { property: *property, to }),
        (predicate::Core::Step(..), Some(by)) => match predicate.deed(*property, &vocabulary.lexicon)? {
            Deed::Step { ways, .. } => Some(Deed::Step { ways, by: Some(by) }),
            other => Some(other),
        },
        (_, Some(_)) => None,
        (_, None) => predicate.deed(*property, &vocabulary.lexicon),
    }
}

/// Reads an amount that makes up all of the words.
pub(super) fn read_amount(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Amount> {
    if let [only] = tokens {
        let degrees = [(Sense::Little, Amount::Little), (Sense::Lots, Amount::Lots)];
        if let Some((_, amount)) = degrees.into_iter().find(|(sense, _)| only.has(sense)) {
            return Some(amount);
        }
    }
    let whole = predicate::amount(tokens, 0, true, vocabulary).filter(|(_, _, end)| *end == tokens.len());
    // A word that is a value only of this home, or a switch (设置摇头=打开), stays as it is.
    let word = || Some(Amount::Word(tokens.iter().map(|t| t.text.as_str()).collect())).filter(|_| !tokens.is_empty());
    whole.map(|(amount, _, _)| amount).or_else(word)
}

/// The property a word names by itself (`多热` asks for the temperature).
fn property_of_direction(word: &str, vocabulary: &Vocabulary) -> Option<PropertyId> {
    vocabulary
        .senses(word)
        .iter()
        .find_map(|s| if let Sense::Direction { property, .. } = s { Some(*property) } else { None })
}

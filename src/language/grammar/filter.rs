//! Relative clauses that say which of several are meant: `亮着的灯`, `最热的房间`, `温度超过26度的房间`.

use super::super::action::{Condition, Status};
use super::super::lexicon::{Extreme, PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, place};
use super::reading::stated;

/// Words that a relative clause may have before its 的.
const MAX_WORDS: usize = 8;

/// The condition of a relative clause at a position, and where what it describes begins.
pub(super) fn filter(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Condition, usize)> {
    let (inner, mut head) = clause(tokens, at, vocabulary)?;
    // 最亮的那盏灯
    while tokens.get(head).is_some_and(|t| t.has(&Sense::Reference) || t.has(&Sense::Measure)) {
        head += 1;
    }
    // First of all there has to be something to describe: the clause by itself would describe nothing for ever.
    tokens.get(head).filter(|t| describable(t))?;
    let condition = superlative(inner, vocabulary).or_else(|| state(inner, vocabulary))?;
    Some((condition, head))
}

/// The words before 的, and where the rest begins.
fn clause<'t>(tokens: &'t [Token], at: usize, vocabulary: &Vocabulary) -> Option<(&'t [Token], usize)> {
    for end in at..tokens.len().min(at + MAX_WORDS) {
        let token = &tokens[end];
        if token.has(&Sense::Punctuation) || token.has(&Sense::Disposal) || token.is_entity() || token.is_residue() {
            return None;
        }
        if token.has(&Sense::Of) {
            return (end > at).then(|| (&tokens[at..end], end + 1));
        }
        // 开着的 is a word of its own.
        if token.any(|s| matches!(s, Sense::State(_))) && token.text.ends_with(vocabulary.lexicon.marks.of.as_str()) {
            return Some((&tokens[at..=end], end + 1));
        }
    }
    None
}

/// What a relative clause can describe.
fn describable(token: &Token) -> bool {
    place(token).is_some()
        || is_thing(token)
        || token.has(&Sense::Everything)
        || token.has(&Sense::All)
        || token.has(&Sense::AnyRoom)
}

/// `最热`, `温度最高`, `最潮湿`: the property and the end of its range.
fn superlative(words: &[Token], vocabulary: &Vocabulary) -> Option<Condition> {
    let mut property = None;
    let mut extreme = None;
    let mut most = false;
    for word in words {
        if let Some((of, end)) = superlative_word(word, most, vocabulary) {
            property = of.or(property);
            extreme = Some(end);
        } else if word.has(&Sense::Most) {
            most = true;
        } else if let Some(named) = super::nominal::property(word) {
            property = property.or(Some(named));
        } else if !(word.has(&Sense::Filler) || word.has(&Sense::Particle) || word.has(&Sense::Is)) {
            return None;
        }
    }
    Some(Condition::Extreme { property: property?, extreme: extreme? })
}

/// The end of the range that a word means, and its property: `最热` by itself, `热` and `高` after 最.
pub(super) fn superlative_word(
    word: &Token,
    most: bool,
    vocabulary: &Vocabulary,
) -> Option<(Option<PropertyId>, Extreme)> {
    let end = |up: bool| if up { Extreme::Max } else { Extreme::Min };
    let said = word.senses.iter().find_map(|s| if let Sense::Extreme(extreme) = s { Some(*extreme) } else { None });
    let begins =
        |text: &str| text.chars().next().is_some_and(|c| vocabulary.senses(&c.to_string()).contains(&Sense::Most));
    if let Some(extreme) = said.filter(|e| *e != Extreme::Mid && begins(&word.text)) {
        return Some((super::predicate::property_of_extreme(word, vocabulary), extreme));
    }
    most.then(|| {
        word.senses.iter().find_map(|s| match s {
            Sense::Direction { property, up } => Some((Some(*property), end(*up))),
            Sense::Degree { up } => Some((None, end(*up))),
            _ => None,
        })
    })?
}

/// `亮着`, `没关`, `有人`, `温度超过26度`.
fn state(words: &[Token], vocabulary: &Vocabulary) -> Option<Condition> {
    // 打开 is a state only where it is said to last, or that it has not come to pass.
    let lasting = words.iter().any(|w| {
        w.any(|s| matches!(s, Sense::State(_) | Sense::Absent(_) | Sense::Compare(_)))
            || super::nominal::property(w).is_some()
    });
    let (condition, nominal) = stated(words, vocabulary).filter(|_| lasting)?;
    let plain = !matches!(&condition, Condition::Status { status: Status::Word(_), .. });
    (plain && nominal.is_empty()).then_some(condition)
}

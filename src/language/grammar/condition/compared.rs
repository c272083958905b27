//! Conditions that only compare: `温度超过26度就打开空调`, `二氧化碳超过1500新风开到四档`.

use super::super::super::lexicon::{Comparison, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::{Parse, Rejection, SpeakerContext, nominal, query};
use super::{acts, blank, guard, of_the_same};

/// `温度超过26度就打开空调`: a comparison and 就, without a word that opens a condition.
pub(super) fn bare(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let then = tokens.iter().position(|t| t.has(&Sense::Then) && t.has(&Sense::Filler) || t.has(&Sense::Then))?;
    let compares = |t: &Token| t.any(|s| matches!(s, Sense::Compare(_)));
    if acts(&tokens[..then]) || !tokens[..then].iter().any(compares) || !acts(&tokens[then..]) {
        return None;
    }
    // 客厅湿度低于四十，加湿器就开到最大: what stands after the pause, or behind the number, belongs to what is done.
    let pause = tokens[..then].iter().rposition(|t| t.has(&Sense::Punctuation));
    let number = tokens[..then].iter().rposition(|t| t.any(|s| matches!(s, Sense::Number(_)))).unwrap_or(then);
    let thing = (number..then).find(|at| nominal::is_thing(&tokens[*at]));
    let end = pause.or(thing).unwrap_or(then);
    let guard = guard(&tokens[..end], vocabulary)?;
    let rest: Vec<Token> = tokens[end..].iter().filter(|t| !t.has(&Sense::Then)).cloned().collect();
    let (rest, otherwise) = match rest.iter().position(|t| t.has(&Sense::Else)) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (&rest[..], None),
    };
    let mut orders = guard.guarded(rest, vocabulary, speaker)?;
    // …，不低于就关掉: the same thing.
    if let Some(part) = otherwise {
        let more = guard.opposite()?.guarded(part, vocabulary, speaker)?;
        orders.extend(of_the_same(more, &orders));
    }
    Some(Parse::Orders(orders))
}

/// `二氧化碳超过1500新风开到四档`: a comparison before what is told, and no word that makes it a condition. What is compared with nothing that is
/// known here guards all of it.
pub(super) fn unmarked(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let own = |t: &Token, what: &dyn Fn(&Sense) -> bool| t.any(what) && !t.is_entity();
    let passes = |s: &Sense| matches!(s, Sense::Compare(c) if !matches!(c, Comparison::Equal));
    let number = |t: &Token| own(t, &|s| matches!(s, Sense::Number(_)));
    // 超过 does nothing else, 过了 may only end a word, 过 may be of a time; 低 steps, 到 sets.
    let quiet = |s: &Sense| matches!(s, Sense::Compare(_) | Sense::Particle | Sense::TimeAfter);
    let compares = |t: &Token| own(t, &passes) && t.senses.iter().all(quiet);
    let measured = |at: usize| at > 0 && nominal::property(&tokens[at - 1]).is_some() || unit_at(tokens, at + 2);
    let compares = |at: usize| compares(&tokens[at]) && (!tokens[at].has(&Sense::TimeAfter) || measured(at));
    // 温度到二十六度关空调
    let reaches = |at: usize| {
        let to = own(&tokens[at], &passes) && tokens[at].has(&Sense::Link);
        to && at > 0 && nominal::property(&tokens[at - 1]).is_some()
    };
    // 有没有到二十八度 asks.
    let exists = |at: usize| at > 0 && own(&tokens[at - 1], &|s| matches!(s, Sense::Exists));
    let at = (0..tokens.len().saturating_sub(2))
        .find(|at| (compares(*at) || reaches(*at)) && number(&tokens[at + 1]) && !exists(*at))?;
    let end = at + 2 + usize::from(unit_at(tokens, at + 2));
    let (stated, then) = tokens.split_at(end);
    let refuses = |t: &Token| own(t, &|s| matches!(s, Sense::Negation));
    let switch = |s: &Sense| vocabulary.lexicon.switches(s).is_some();
    let verb = then.first().is_some_and(|t| own(t, &switch)) && then.get(1).is_some_and(nominal::is_thing);
    let begins = |t: &Token| t.has(&Sense::Punctuation) || nominal::is_thing(t) || t.has(&Sense::Disposal);
    let led = verb || !reaches(at) && then.first().is_some_and(begins);
    // 空调过了28度 tells of it; 过了28度再开风扇 is for a time that nobody knows.
    let by_itself = |tokens: &[Token]| !acts(tokens) && !tokens.iter().any(|t| t.any(Sense::is_action));
    let exceeds = compares(at) && own(&tokens[at], &|s| matches!(s, Sense::Compare(Comparison::Greater)));
    let asks = query::is_question(tokens, &vocabulary.lexicon.marks);
    if exceeds && !asks && by_itself(&tokens[..at]) && !stated.iter().any(refuses) {
        if blank(then) {
            return Some(Parse::Rejected(Rejection::Aside));
        }
        if then[0].has(&Sense::Sequence) && acts(then) {
            return Some(Parse::Rejected(Rejection::Standing));
        }
    }
    if acts(&tokens[..at]) || stated.iter().any(refuses) || !led || !acts(then) || !then.iter().any(nominal::is_thing) {
        return None;
    }
    let told = guard(stated, vocabulary).and_then(|guard| guard.guarded(then, vocabulary, speaker));
    Some(told.map_or(Parse::Rejected(Rejection::Standing), Parse::Orders))
}

/// Whether a unit stands at a place.
fn unit_at(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(_))) && !t.is_entity())
}

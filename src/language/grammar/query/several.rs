//! Several things that are asked in one breath: `温度多少湿度多少`, `客厅温度和湿度多少`.

use super::super::super::lexicon::{PropertyId, Question, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::clause::room_in_name;
use super::super::names::row_at_end;
use super::super::nominal::{Place, is_thing, place, property};
use super::super::recut::devices;
use super::super::{Parse, SpeakerContext};
use super::question;

/// Reads a question, each thing that it asks for by itself.
pub(in super::super) fn each(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Parse {
    let asked = |part: &Vec<Token>| match question(part, vocabulary, speaker) {
        Parse::Orders(orders) if orders.len() == 1 => Some(orders),
        _ => None,
    };
    let read = |parts: Vec<Vec<Token>>| parts.iter().map(asked).collect::<Option<Vec<_>>>();
    let orders =
        parts(tokens).or_else(|| things(tokens, vocabulary)).and_then(read).or_else(|| clauses(tokens).and_then(read));
    match orders {
        Some(orders) => Parse::Orders(orders.into_iter().flatten().collect()),
        None => question(tokens, vocabulary, speaker),
    }
}

/// `空调多少度 什么模式`: the clauses of which each asks for something, of the one thing that the first names.
fn clauses(tokens: &[Token]) -> Option<Vec<Vec<Token>>> {
    let asks = |s: &Sense| matches!(s, Sense::Question(Question::HowMuch | Question::HowMany | Question::Which));
    let asks = |t: &Token| t.any(asks) && !t.is_entity();
    let clauses: Vec<&[Token]> = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|c| !c.is_empty()).collect();
    let (first, rest) = clauses.split_first()?;
    let named = |clause: &[Token]| clause.iter().rposition(|t| is_thing(t) || place(t).is_some());
    let thing = first.iter().rposition(is_thing)?;
    let only_here = !rest.is_empty() && rest.iter().all(|clause| named(clause).is_none());
    (only_here && clauses.iter().all(|clause| clause.iter().any(asks))).then(|| {
        let of = &first[..=thing];
        let same = rest.iter().map(|clause| of.iter().chain(*clause).cloned().collect());
        [first.to_vec()].into_iter().chain(same).collect()
    })
}

/// `热水器和鱼缸多少度`, `客厅空调、主卧空调分别设了几度`, `灯和空调都关了吗`: what is asked of each of several things.
fn things(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Vec<Token>>> {
    let much = |t: &Token| t.has(&Sense::Question(Question::HowMuch)) && !t.is_entity();
    let end = tokens.iter().rposition(is_thing)? + 1;
    let (named, rest) = tokens.split_at(end);
    // 灯和空调都关了吗
    let so = rest.iter().any(|t| t.any(|s| matches!(s, Sense::State(_) | Sense::Verb(_))) && !t.is_entity());
    let whether = so && rest.last().is_some_and(|t| t.has(&Sense::Question(Question::YesNo)) && !t.is_entity());
    let joins = |t: &Token| t.any(|s| matches!(s, Sense::Conjunction | Sense::Punctuation)) && !t.is_entity();
    if !(whether || rest.iter().any(much)) || rest.iter().any(joins) {
        return None;
    }
    let row = row_at_end(named);
    let before = &named[..row.start];
    let mut room: Option<Token> = None;
    let of = |name: Vec<Token>| {
        // 主卧空调和风扇: what has one in that room too is meant there.
        let called = |t: &Token| room_in_name(&t.text, &devices(t, vocabulary)?, vocabulary);
        let in_name = || name.iter().find_map(called).map(|room| Token::unsaid(Sense::Room(room)));
        let own = name.iter().find(|t| place(t).is_some()).cloned().or_else(in_name);
        let shared = room.clone().filter(|room| own.is_none() && stands_in(&name, room, vocabulary));
        room = own.or(room.take());
        before.iter().chain(&shared).chain(&name).chain(rest).cloned().collect()
    };
    (row.things > 1 && !row.tight).then(|| row.names.into_iter().map(of).collect())
}

/// Whether a thing of this name stands in a room.
fn stands_in(name: &[Token], room: &Token, vocabulary: &Vocabulary) -> bool {
    let Some(Place::Room(room)) = place(room) else { return false };
    let called = name.iter().filter_map(|t| devices(t, vocabulary)).flatten();
    called.into_iter().any(|d| vocabulary.home.devices[d].room == Some(room))
}

/// The questions for one property each, with what they are all of.
fn parts(tokens: &[Token]) -> Option<Vec<Vec<Token>>> {
    let much = |t: &Token| t.has(&Sense::Question(Question::HowMuch)) && !t.is_entity();
    let measured = |t: &Token| property(t).filter(|_| !t.is_entity());
    let binds = |t: &Token| {
        let binds = |s: &Sense| matches!(s, Sense::Alternative | Sense::Compare(_) | Sense::If | Sense::Verb(_));
        t.any(binds) && !t.has(&Sense::Is) && !t.is_entity()
    };
    let last = tokens.iter().rposition(much)?;
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Punctuation | Sense::Filler));
    if tokens.iter().any(binds) || !tokens[last + 1..].iter().all(small) {
        return None;
    }
    let first = tokens.iter().position(|t| measured(t).is_some())?;
    let of = &tokens[..first];
    let clauses: Vec<&[Token]> = tokens[..=last].split_inclusive(much).collect();
    let mut parts: Vec<Vec<Token>> = Vec::new();
    for clause in &clauses {
        let named = clause.iter().any(|t| is_thing(t) || place(t).is_some());
        let asked: Vec<&Token> = clause.iter().filter(|t| measured(t).is_some()).collect();
        let joined = clause.windows(2).any(|w| w[0].has(&Sense::Conjunction) && measured(&w[1]).is_some());
        match asked[..] {
            [] => return None,
            [_] if named || clauses[0] == *clause => parts.push(clause.to_vec()),
            [_] => parts.push(of.iter().chain(*clause).cloned().collect()),
            _ if joined && clauses.len() == 1 => {
                parts.extend(asked.iter().map(|what| of.iter().chain([*what, &tokens[last]]).cloned().collect()));
            }
            _ => return None,
        }
    }
    let of = |part: &Vec<Token>| part.iter().find_map(measured);
    let mut properties: Vec<PropertyId> = parts.iter().filter_map(of).collect();
    properties.dedup();
    (properties.len() > 1 && properties.len() == parts.len()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn each_of_two_questions_is_answered() {
        for sentence in ["客厅温度多少湿度多少", "客厅温度和湿度是多少"] {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert_eq!(orders.len(), 2, "{sentence}: {orders:?}");
            assert_eq!(orders[0].scope, orders[1].scope, "{sentence}");
        }
        for sentence in ["空调多少度 什么模式", "热水器和空调多少度", "客厅灯和空调都关了吗"]
        {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert_eq!(orders.len(), 2, "{sentence}: {orders:?}");
            assert!(orders.iter().all(|order| order.action.moves_nothing()), "{sentence}: {orders:?}");
        }
    }
}

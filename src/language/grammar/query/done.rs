//! Whether what a thing works on is done (`衣服洗完了没`, `饭还要煮多久`), the thing full (`猫砂盆满了没`) or its water warm
//! (`水热不热`): the thing is asked.

use super::super::super::lexicon::{KindId, PropertyId, Question, Sense};
use super::super::super::segment::{self, Token};
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, kind, property};
use crate::home::Domain;

/// Characters that may stand between a thing and that it is full: 水, 水箱.
const FILLED: usize = 2;

/// A question of one clause, said of the thing that can answer it.
pub(in super::super) fn done(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let said = tokens.iter().rposition(|t| !t.has(&Sense::Punctuation)).map_or(0, |last| last + 1);
    if tokens[..said].iter().any(|t| t.has(&Sense::Punctuation)) {
        return tokens;
    }
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Reference | Sense::Of)) && !t.is_entity();
    let known = |t: &Token| vocabulary.lexicon.kinds.iter().any(|kind| kind.handles.contains(&t.text));
    let begin = tokens[..said].iter().position(|t| !small(t) || known(t)).unwrap_or(said);
    let text: String = tokens[begin..said].iter().map(|t| t.text.as_str()).collect();
    let thing = tokens.get(begin).filter(|t| is_thing(t));
    // 净化|开着吗 asks whether that is on.
    let cuts_a_state = |end: &[Token]| {
        let over = begin + 1;
        let length = end.first().map_or(0, |t| t.text.chars().count());
        let mut at = 0;
        tokens[over.min(said)..said].iter().any(|t| {
            let before = at;
            at += t.text.chars().count();
            before < length && length < at && t.any(|s| matches!(s, Sense::State(_)))
        })
    };
    let asked = match thing {
        Some(thing) => text.strip_prefix(&thing.text).and_then(|rest| {
            let over = finished(rest, None, vocabulary).filter(|end| !cuts_a_state(end));
            over.or_else(|| full(thing, rest, vocabulary)).map(|end| (thing.clone(), end))
        }),
        None => of_what_it_handles(&text, vocabulary).or_else(|| part_full(&tokens[begin..said], vocabulary)),
    };
    match asked {
        Some((thing, end)) => tokens[..begin].iter().cloned().chain([thing]).chain(end).collect(),
        None => tokens,
    }
}

/// The thing that works on what is asked about, and what is asked of it.
fn of_what_it_handles(text: &str, vocabulary: &Vocabulary) -> Option<(Token, Vec<Token>)> {
    let lexicon = &vocabulary.lexicon;
    let here = |kind: &KindId| vocabulary.devices.iter().any(|device| device.is(*kind));
    let rest = |kind: KindId| {
        let words = lexicon.kinds[kind].handles.iter();
        words.filter_map(|word| text.strip_prefix(word.as_str())).min_by_key(|rest| rest.len())
    };
    (0..lexicon.kinds.len()).filter(here).find_map(|kind| {
        let rest = rest(kind)?;
        let end = finished(rest, Some(kind), vocabulary)
            .or_else(|| warm(rest, kind, vocabulary))
            .or_else(|| how_long(rest, kind, vocabulary))?;
        let word = lexicon.kinds[kind].words.first()?.clone();
        Some((Token { senses: vocabulary.senses(&word), text: word, heard: None }, end))
    })
}

/// `洗完了没`: what it does, that it is done, and the question. What is named by itself may do anything.
fn finished(rest: &str, kind: Option<KindId>, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let kinds = &vocabulary.lexicon.kinds;
    let mut goes = kinds.iter().enumerate().filter(|(at, _)| kind.is_none_or(|k| k == *at)).flat_map(|(_, k)| &k.goes);
    let ends = vocabulary.lexicon.asked.done.iter();
    goes.find_map(|verb| {
        let behind = rest.strip_prefix(verb.as_str())?;
        let tail = ends.clone().filter_map(|end| behind.strip_prefix(end.as_str())).min_by_key(|tail| tail.len())?;
        let said = &rest[..rest.len() - tail.len()];
        let over = Token { text: said.to_owned(), heard: None, senses: vec![Sense::Finished] };
        Some(vec![over, whether(tail, vocabulary)?])
    })
}

/// `满了没`, `水满了吗`, `满没满`: what a thing tells of being full.
fn full(thing: &Token, rest: &str, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    let word = lexicon.asked.full.iter().find(|word| rest.contains(word.as_str()))?;
    let (between, tail) = rest.split_once(word.as_str())?;
    if between.chars().count() > FILLED {
        return None;
    }
    let tail = tail.strip_suffix(word.as_str()).unwrap_or(tail);
    let property = filled(thing, word, vocabulary)?;
    let name = Token {
        text: lexicon.properties[property].words.first()?.clone(),
        heard: None,
        senses: vec![Sense::Property(property)],
    };
    Some(vec![name, whether(tail, vocabulary)?])
}

/// `集便盒满了吗`, `水箱满没满`: of what only one thing has.
fn part_full(tokens: &[Token], vocabulary: &Vocabulary) -> Option<(Token, Vec<Token>)> {
    let (first, rest) = tokens.split_first()?;
    let own = |p: &PropertyId| vocabulary.lexicon.properties[*p].own;
    property(first).filter(own)?;
    let rest: String = rest.iter().map(|t| t.text.as_str()).collect();
    let word = vocabulary.lexicon.asked.full.iter().find(|word| rest.contains(word.as_str()))?;
    let said = rest.strip_prefix(word.as_str()).unwrap_or(&rest);
    let tail = said.strip_suffix(word.as_str()).unwrap_or(said);
    Some((first.clone(), vec![whether(tail, vocabulary)?]))
}

/// The property that tells whether one of some devices is full, by its name or by the name of one of its values.
fn filled(thing: &Token, word: &str, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let named = |at: usize| thing.any(|s| matches!(s, Sense::Devices(devices) if devices.contains(&at)));
    let of_kind = |at: usize| kind(thing).is_some_and(|kind| vocabulary.devices[at].is(kind));
    let all = (0..vocabulary.devices.len()).filter(|at| named(*at) || of_kind(*at));
    let mut told = all.flat_map(|at| vocabulary.devices[at].abilities.iter()).filter(|ability| !ability.writable);
    told.find_map(|ability| {
        let property = ability.property?;
        let of_value = match &ability.domain {
            Some(Domain::Enum(choices)) => choices.iter().any(|choice| choice.describe.contains(word)),
            _ => false,
        };
        let own = vocabulary.lexicon.properties[property].words.first().is_some_and(|name| name.contains(word));
        (own || of_value).then_some(property)
    })
}

/// `热不热`, `够热不`, `热了没`: of what heats water, how warm it is.
fn warm(rest: &str, kind: KindId, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    let property = lexicon.kinds[kind].number.filter(|p| lexicon.property("temperature") == Some(*p))?;
    let words = lexicon.asked.warm.iter().filter(|word| rest.starts_with(word.as_str()));
    let word = words.max_by_key(|word| word.len())?;
    let tail = &rest[word.len()..];
    whether(tail.strip_suffix(word.as_str()).unwrap_or(tail), vocabulary)?;
    let much = lexicon.asked.much.clone();
    let name = lexicon.properties[property].words.first()?.clone();
    Some(vec![
        Token { text: name, heard: None, senses: vec![Sense::Property(property)] },
        Token { senses: lexicon.senses(&much).to_vec(), text: much, heard: None },
    ])
}

/// `还要煮多久`: the rest of a question for how long.
fn how_long(rest: &str, kind: KindId, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    let goes = || lexicon.kinds[kind].goes.iter().any(|verb| rest.contains(verb.as_str()));
    // 还得多久洗完
    let over = |end: &str| {
        let mut verbs = lexicon.kinds[kind].goes.iter().filter_map(|verb| end.strip_prefix(verb.as_str()));
        end.is_empty() || verbs.any(|over| lexicon.asked.done.iter().any(|done| over == done))
    };
    let long =
        lexicon.how_long.asked.iter().any(|word| rest.rsplit_once(word.as_str()).is_some_and(|(_, end)| over(end)));
    let tokens = segment::plain(rest, vocabulary);
    let remains = lexicon.marks.remains.iter().any(|word| rest.starts_with(word.as_str()));
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Also | Sense::Filler)) && !t.is_entity();
    let still = remains || tokens.first().is_some_and(small);
    (long && still && goes()).then_some(tokens)
}

/// What ends a question whether something is so, as one word; particles around it say nothing.
fn whether(tail: &str, vocabulary: &Vocabulary) -> Option<Token> {
    let tokens = segment::plain(tail, vocabulary);
    let asks = |t: &Token| t.has(&Sense::Question(Question::YesNo)) && !t.is_entity();
    let small = |t: &Token| t.has(&Sense::Particle) && !t.is_entity();
    let asked = tokens.iter().any(asks) && tokens.iter().all(|t| asks(t) || small(t));
    asked.then(|| Token { text: tail.to_owned(), heard: None, senses: vec![Sense::Question(Question::YesNo)] })
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn whoever_asks_of_the_washing_asks_the_machine() {
        for sentence in ["衣服洗完了没", "衣服洗好没", "床单洗好了吗"] {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert!(orders.iter().all(|order| order.action.moves_nothing()), "{sentence}: {orders:?}");
        }
    }

    #[test]
    fn what_is_said_to_people_is_no_question_to_a_machine() {
        for sentence in ["衣服收了没", "碗放好了没"] {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }
}

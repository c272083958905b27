//! Verbs and places that are something else because of what stands beside them.

use super::super::super::lexicon::{Lexicon, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, place, property};
use super::super::word::devices;

/// `继续洗` goes on with that work; `把声音放低点` lowers what is heard and no blind; `帮我拿条毛巾` is of a towel and of no program.
pub(in super::super) fn beside(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    neighbours(&mut tokens, vocabulary);
    locked(&mut tokens, vocabulary);
    for at in 1..tokens.len() {
        going_on(&mut tokens, at, &vocabulary.lexicon);
        stepped(&mut tokens, at, vocabulary);
        counted(&mut tokens, at, vocabulary);
        turned(&mut tokens, at, &vocabulary.lexicon);
        returned(&mut tokens, at, &vocabulary.lexicon);
        still(&mut tokens, at, &vocabulary.lexicon);
        half(&mut tokens, at);
    }
    adjusted(&mut tokens, vocabulary);
    begun(&mut tokens, vocabulary);
    tokens
}

/// `洗衣机开始烘干`, `电饭煲开始煮饭`: a value of what is named, and that it begins.
fn begun(tokens: &mut Vec<Token>, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    let Some(of) = tokens.iter().find_map(|t| devices(t, vocabulary)) else { return };
    let has = |word: &str| !word.is_empty() && of.iter().all(|d| super::means(*d, word, vocabulary));
    let starts = |text: &str| {
        let start = lexicon.verb("start");
        vocabulary.senses(text).iter().any(|s| matches!(s, Sense::Verb(verb) if Some(*verb) == start))
    };
    let value = |text: &str| Token { text: text.to_owned(), heard: None, senses: vec![Sense::Value] };
    for at in (1..tokens.len()).rev().filter(|at| does(&tokens[*at], lexicon, "start")).collect::<Vec<_>>() {
        let text = tokens[at].text.clone();
        let mut ends = text.char_indices().skip(1).map(|(end, _)| end);
        if let Some(end) = ends.find(|end| starts(&text[..*end]) && has(&text[*end..])) {
            let verb = Token { text: text[..end].to_owned(), ..tokens[at].clone() };
            tokens.splice(at..=at, [verb, value(&text[end..])]);
        } else if let Some(next) = tokens.get_mut(at + 1)
            && !next.is_entity()
            && has(&next.text)
        {
            *next = value(&next.text);
        }
    }
}

/// `今天空调开26度吧`: today is now, before what is told of a thing. 今天几度 asks of the weather.
pub(in super::super) fn today(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    for at in (0..tokens.len().saturating_sub(1)).rev() {
        let today = vocabulary.lexicon.time.is_today(&tokens[at].text) && !tokens[at].is_entity();
        let begins = at == 0 || tokens[at - 1].has(&Sense::Punctuation);
        let next = &tokens[at + 1];
        if today && begins && (is_thing(next) || place(next).is_some()) {
            tokens.remove(at);
        }
    }
    tokens
}

/// `睡觉了 锁门`: what is locked without its name is a lock, and no curtain that can be closed.
fn locked(tokens: &mut Vec<Token>, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    // 给它锁上
    let points = |t: &Token| t.has(&Sense::Reference) || t.text.contains(&lexicon.marks.it);
    let named = |t: &Token| is_thing(t) || property(t).is_some() || place(t).is_some() || points(t);
    let door = lexicon.kind("door").map(|door| lexicon.kinds[door].words[0].as_str());
    let locks = |t: &Token| {
        does(t, lexicon, "lock")
            && door.is_some_and(|door| t.text.ends_with(door))
            && !t.any(|s| matches!(s, Sense::Property(_)))
    };
    let Some(at) = tokens.iter().position(locks).filter(|_| !tokens.iter().any(named)) else { return };
    if let Some(lock) = lexicon.kind("lock") {
        let text = lexicon.kinds[lock].words[0].clone();
        tokens.insert(at, Token { text, heard: None, senses: vec![Sense::Kind(lock)] });
    }
}

/// `重低音关了楼下都来敲门了`: in a home on one floor those below are people, where nothing of theirs is named.
fn neighbours(tokens: &mut [Token], vocabulary: &Vocabulary) {
    if vocabulary.room_floor.iter().any(Option::is_some) {
        return;
    }
    let of = |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::RoomSuffix)) || is_thing(t) || place(t).is_some();
    for at in 0..tokens.len() {
        let storey = tokens[at].any(|s| matches!(s, Sense::Storey { .. })) && !tokens[at].is_entity();
        if storey && tokens.get(at + 1).is_some_and(|next| !of(next)) {
            tokens[at].senses = vec![Sense::Person];
        }
    }
}

fn does(token: &Token, lexicon: &Lexicon, wanted: &str) -> bool {
    let verb = lexicon.verb(wanted);
    token.any(|s| matches!(s, Sense::Verb(v) if Some(*v) == verb)) && !token.is_entity()
}

/// `电视关小声点` turns it down, and not off.
fn turned(tokens: &mut [Token], at: usize, lexicon: &Lexicon) {
    let single = tokens[at - 1].text.chars().count() == 1;
    let down = |s: &Sense| matches!(s, Sense::Direction { .. } | Sense::Degree { .. });
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Little | Sense::Lots | Sense::Particle)) && !t.is_entity();
    let end = at + 1 + tokens[at + 1..].iter().take_while(small).count();
    let ends = tokens.get(end).is_none_or(|t| t.has(&Sense::Punctuation));
    if single && does(&tokens[at - 1], lexicon, "off") && tokens[at].any(down) && !tokens[at].is_entity() && ends {
        tokens[at - 1].senses = vec![Sense::Filler];
    }
}

/// `亮回来一点`, `开回去`: it turns back, and nothing goes home.
fn returned(tokens: &mut [Token], at: usize, lexicon: &Lexicon) {
    let turns = |s: &Sense| match s {
        Sense::Direction { .. } | Sense::Degree { .. } | Sense::Step { .. } => true,
        Sense::Verb(verb) => lexicon.verbs[*verb].switches.is_some(),
        _ => false,
    };
    let back = lexicon.marks.back.contains(&tokens[at].text) && !tokens[at].is_entity();
    if back && tokens[at - 1].any(turns) && !tokens[at - 1].is_entity() {
        tokens[at].senses = vec![Sense::Filler];
    }
}

/// `声音还是大`: it is found to be too much, and is not to become more.
fn still(tokens: &mut [Token], at: usize, lexicon: &Lexicon) {
    let how = |t: &Token| t.any(|s| matches!(s, Sense::Degree { .. } | Sense::Direction { .. })) && !t.is_entity();
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    let of = property(&tokens[at - 1]).is_some() || is_thing(&tokens[at - 1]);
    let found = tokens.get(at + 1).is_some_and(how) && tokens.get(at + 2).is_none_or(ends);
    if lexicon.marks.still.contains(&tokens[at].text) && !tokens[at].is_entity() && of && found {
        tokens[at].senses = vec![Sense::Reason];
    }
}

/// `冷气较低两度`, `空调高上两度`: dialects put a word before how something shall be, or behind it, where others put none. Only where
/// it is said how much: `湿度较高` tells how it is.
fn adjusted(tokens: &mut Vec<Token>, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    let how = |t: &Token| t.any(|s| matches!(s, Sense::Degree { .. } | Sense::Direction { .. })) && !t.is_entity();
    let shall_be = |t: &Token| how(t) || t.any(|s| matches!(s, Sense::Step { .. }));
    let counted = |t: Option<&Token>| t.is_some_and(|t| t.any(|s| matches!(s, Sense::Number(_))));
    let little = |t: Option<&Token>| t.is_some_and(|t| t.has(&Sense::Little) && !t.is_entity());
    let behind = |tokens: &[Token], at: usize| {
        lexicon.marks.by.contains(&tokens[at].text) && shall_be(&tokens[at - 1]) && counted(tokens.get(at + 1))
    };
    if let Some(at) = (1..tokens.len()).find(|at| behind(tokens, *at)) {
        tokens.remove(at);
    }
    let Some(at) = (0..tokens.len()).find(|at| lexicon.marks.adjusts.contains(&tokens[*at].text)) else { return };
    let Some(after) = tokens.get(at + 1).filter(|_| tokens[at].is_residue()) else { return };
    // 白啲 says how much by itself.
    let measured = after.text.chars().count() > 1 || counted(tokens.get(at + 2)) || little(tokens.get(at + 2));
    if counted(Some(after)) || how(after) && measured {
        tokens[at].senses = vec![Sense::SetBare, Sense::Make];
    } else if after.any(|s| matches!(s, Sense::Step { .. })) {
        tokens[at].senses = vec![Sense::Filler];
    }
    let degree = |t: &Token| t.senses.iter().find_map(|s| if let Sense::Degree { up } = s { Some(*up) } else { None });
    if tokens[at].has(&Sense::Make)
        && let Some(up) = degree(&tokens[at + 1])
    {
        tokens[at + 1].senses = vec![Sense::Step { up }];
        tokens.remove(at);
    }
}

/// `电褥子给她那半加两档`: the half that is pointed to is a side of it, and nothing is set to a half.
fn half(tokens: &mut [Token], at: usize) {
    let pointed = tokens[at - 1].has(&Sense::Reference) && !tokens[at - 1].is_entity();
    if pointed && tokens[at].any(|s| matches!(s, Sense::Fraction(_))) && tokens[at].text.chars().count() == 1 {
        tokens[at].senses = Vec::new();
    }
}

fn going_on(tokens: &mut [Token], at: usize, lexicon: &Lexicon) {
    let goes_on = does(&tokens[at - 1], lexicon, "play") && lexicon.marks.continues.contains(&tokens[at - 1].text);
    if goes_on && tokens[at].any(|s| matches!(s, Sense::Verb(_))) && !tokens[at].is_entity() {
        tokens[at - 1].senses = vec![Sense::Filler];
    }
}

/// What rises and falls by words of blinds where it is no position.
fn stepped(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let lexicon = &vocabulary.lexicon;
    let up = match (does(&tokens[at], lexicon, "lower"), does(&tokens[at], lexicon, "raise")) {
        (true, false) => false,
        (false, true) => true,
        _ => return,
    };
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Filler | Sense::Disposal | Sense::Of)) && !t.is_entity();
    let before = tokens[..at].iter().rev().find(|t| !small(t));
    // 放低到十五度 says where it ends.
    if tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Link)) {
        return;
    }
    let graded = |p: usize| Some(p) != lexicon.property("position") && !lexicon.properties[p].flag;
    if before.is_some_and(|t| !t.is_entity() && property(t).is_some_and(graded)) {
        tokens[at].senses = vec![Sense::Step { up }];
    }
}

/// So many of something that is called like a value.
fn counted(tokens: &mut [Token], at: usize, vocabulary: &Vocabulary) {
    let only = |t: &Token, sense: &Sense| t.senses == [sense.clone()];
    let measured = only(&tokens[at - 1], &Sense::Measure) && tokens[at - 1].text != vocabulary.lexicon.marks.one;
    let pointed = at > 1 && tokens[at - 2].any(|s| matches!(s, Sense::Reference | Sense::Number(_)));
    if measured && !pointed && only(&tokens[at], &Sense::Value) {
        tokens[at].senses = Vec::new();
    }
}

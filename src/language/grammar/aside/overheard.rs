//! What people say to each other, in words that could be told to a thing: `谢谢你把灯开了`, `开始写作业`, `热一下`, `都安静`.

use super::super::super::lexicon::{Lexicon, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, property};
use super::super::word::devices;

/// Whether a clause is said to people.
pub(super) fn is_overheard(clause: &[Token], lexicon: &Lexicon) -> bool {
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let asides = &lexicon.asides;
    let is = |list: &[String]| list.contains(&text);
    let named = clause.iter().any(|t| is_thing(t) || property(t).is_some());
    is_thanked(clause, &text, lexicon)
        || begins(clause, lexicon)
        || !named && (is(&asides.hushes) || is(&asides.warms))
        || is_of_a_colour(clause, lexicon)
        || is_put_aside(clause, &text, lexicon)
        || lowers_a_voice(clause, lexicon)
        || is_of_theirs(clause, lexicon)
        || is_called(clause, &text, lexicon)
}

/// `手机音量调到最大`: what is no thing of a home, and nothing of one is named.
fn is_of_theirs(clause: &[Token], lexicon: &Lexicon) -> bool {
    let theirs = |t: &Token| lexicon.asides.theirs.contains(&t.text) && !t.is_entity();
    let begins = clause.iter().position(theirs).is_some_and(|at| clause[..at].iter().all(|t| t.any(is_little)));
    begins && clause.iter().any(|t| property(t).is_some()) && !clause.iter().any(|t| is_thing(t) && !theirs(t))
}

fn is_little(sense: &Sense) -> bool {
    matches!(sense, Sense::Filler | Sense::Disposal | Sense::Particle)
}

/// `打电话给老婆让她把窗帘拉上`, `放一首关灯`: what somebody shall be told, and what is sung.
fn is_called(clause: &[Token], text: &str, lexicon: &Lexicon) -> bool {
    let asides = &lexicon.asides;
    let calls = asides.calls.iter().any(|word| text.contains(word.as_str()));
    // 小音箱放首歌 names no song.
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let acts_from = |begin: usize| {
        let begins = clause.iter().scan(0, |at, t| Some(std::mem::replace(at, *at + t.text.len())));
        begins.zip(clause).any(|(at, t)| at >= begin && acts(t))
    };
    let plays = asides.plays.iter().any(|word| text.find(word.as_str()).is_some_and(|at| acts_from(at + word.len())));
    // 老师打电话来了，电视静音
    let lets = |t: &Token| lexicon.ceases.let_it.contains(&t.text) && t.has(&Sense::Disposal);
    let told = clause.iter().position(lets).is_some_and(|at| clause[at..].iter().any(acts));
    plays || calls && told
}

/// `你小声点`, `你声音小点`: somebody is too loud.
fn lowers_a_voice(clause: &[Token], lexicon: &Lexicon) -> bool {
    let Some((first, rest)) = clause.split_first() else { return false };
    let Some(volume) = lexicon.property("volume") else { return false };
    let loud =
        |s: &Sense| matches!(s, Sense::Direction { property, .. } | Sense::Property(property) if *property == volume);
    let small = |s: &Sense| {
        let how =
            matches!(s, Sense::Degree { .. } | Sense::Little | Sense::Particle | Sense::Filler | Sense::Choice(_))
                || matches!(s, Sense::Set { .. } | Sense::Extreme(_) | Sense::Number(_) | Sense::Of | Sense::Report)
                || matches!(s, Sense::Disposal);
        how || loud(s)
    };
    let you = lexicon.addressees.contains(&first.text) && !first.is_entity();
    you && rest.iter().any(|t| t.any(loud)) && rest.iter().all(|t| t.any(small) && !is_thing(t))
}

/// `主卧的灯打开，小声点，她睡着了`: without what is said of somebody's voice, beside a word of what people do and where nothing that
/// sounds is named.
pub(in super::super) fn without_hush(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some(volume) = lexicon.property("volume") else { return tokens };
    let lower = |s: &Sense| matches!(s, Sense::Direction { property, up: false } if *property == volume);
    let small = |s: &Sense| matches!(s, Sense::Little | Sense::Particle | Sense::Filler | Sense::Punctuation);
    let hushes = |clause: &[Token]| {
        let only = clause.iter().all(|t| t.any(|s| lower(s) || small(s)) && !is_thing(t));
        only && clause.iter().any(|t| t.any(lower))
    };
    let sounds = |t: &Token| {
        devices(t, vocabulary).is_some_and(|of| of.iter().any(|d| vocabulary.devices[*d].about(volume).is_some()))
    };
    let about_people = |clause: &[Token]| {
        let who = |t: &Token| {
            (t.has(&Sense::Person) || lexicon.pronouns.contains(&t.text)) && !t.any(|s| matches!(s, Sense::Speaker))
        };
        let last = clause.iter().rfind(|t| !t.has(&Sense::Punctuation));
        let busy = last.is_some_and(|t| lexicon.marks.busy.contains(&t.text));
        (busy || clause.iter().any(who)) && !clause.iter().any(|t| t.any(Sense::is_action) || is_thing(t))
    };
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let said_to_people = !tokens.iter().any(sounds) && clauses.iter().any(|clause| about_people(clause));
    if !said_to_people || !clauses.iter().any(|clause| hushes(clause)) {
        return tokens;
    }
    clauses.into_iter().filter(|clause| !hushes(clause)).flatten().cloned().collect()
}

/// `先不说灯，把窗帘拉上`
fn is_put_aside(clause: &[Token], text: &str, lexicon: &Lexicon) -> bool {
    let told = clause.iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. })) && !t.is_entity());
    let passes = |word: &String| text.starts_with(word.as_str()) || text.ends_with(word.as_str());
    !told && clause.iter().any(is_thing) && lexicon.asides.passes.iter().any(passes)
}

/// `我走了，你在家看着孩子`: whether a clause behind the first is said to a person.
pub(in super::super) fn goes_on_to_somebody(words: &[Token], vocabulary: &Vocabulary) -> bool {
    let you = |t: &Token| vocabulary.lexicon.addressees.contains(&t.text) && !t.is_entity();
    let mut clauses = words.split(|t| t.has(&Sense::Punctuation)).skip(1);
    clauses.any(|clause| clause.first().is_some_and(you) && clause.len() > 1)
}

/// `谢谢你把灯开了`, `是你把灯关了吧`: it was done.
fn is_thanked(clause: &[Token], text: &str, lexicon: &Lexicon) -> bool {
    let over = |t: &Token| t.text.ends_with(&lexicon.marks.changed);
    let done = clause.iter().rev().find(|t| over(t) || !t.has(&Sense::Particle)).is_some_and(over);
    lexicon.asides.thanks.iter().any(|word| text.starts_with(word.as_str())) && done
}

/// `开始写作业`: what begins is what somebody does.
fn begins(clause: &[Token], lexicon: &Lexicon) -> bool {
    let Some((first, rest)) = clause.split_first() else { return false };
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler));
    let theirs = |t: &Token| t.senses.iter().all(|s| *s == Sense::Reason);
    lexicon.asides.begins.contains(&first.text) && rest.iter().any(theirs) && rest.iter().all(|t| theirs(t) || small(t))
}

/// `灯带有点红`: of a colour that somebody finds it has, nobody wants more.
fn is_of_a_colour(clause: &[Token], lexicon: &Lexicon) -> bool {
    let end = clause.iter().rposition(|t| !t.has(&Sense::Particle)).map_or(0, |last| last + 1);
    let [.., thing, how, colour] = &clause[..end] else { return false };
    let judges = lexicon.asides.judges.contains(&how.text) && how.text.chars().count() > 1;
    let value = colour.any(|s| matches!(s, Sense::Choice(_))) && !colour.is_entity();
    is_thing(thing) && judges && value && !colour.any(|s| matches!(s, Sense::Verb(_)))
}

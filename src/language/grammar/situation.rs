//! Situations: what people say without naming what to do (`热死了`, `客厅太黑了`), and utterances that are a name and no more.

use super::super::action::Action;
use super::super::lexicon::{Question, Sense};
use super::super::order::Order;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::clause::only_of_class;
use super::guard::trim;
use super::nominal::{Head, Place};
use super::{Parse, Rejection, SpeakerContext, order};

/// Utterances that mean something as a whole: situations, and names of scenes.
pub fn whole_utterance(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Parse> {
    let content = trim(tokens);
    let text: String = content.iter().map(|t| t.text.as_str()).collect();
    if text.is_empty() {
        return Some(Parse::Rejected(Rejection::Chatter));
    }
    let named = if let [only] = content { scene(&only.senses).filter(|_| !is_device(only)) } else { None };
    if let Some(order) = named.or_else(|| verb_alone(&text, vocabulary)).and_then(|s| Order::run(s, vocabulary)) {
        return Some(Parse::Orders(vec![order]));
    }
    // 你回来了, 他们出门了: what others do is no wish of whoever says so.
    let lexicon = &vocabulary.lexicon;
    let other = |t: &Token| lexicon.addressees.contains(&t.text) || lexicon.pronouns.contains(&t.text);
    if tokens.first().is_some_and(|t| other(t) && !t.has(&Sense::Speaker)) && situation(&text, vocabulary).is_some() {
        return Some(Parse::Rejected(Rejection::Talk));
    }
    let said = |tokens: &[Token]| tokens.iter().map(|t| t.text.as_str()).collect::<String>();
    let spoken: Vec<Token> = tokens.iter().filter(|t| !t.has(&Sense::Punctuation)).cloned().collect();
    let whole = situation(&text, vocabulary).or_else(|| situation(&said(&spoken), vocabulary));
    // 太暗了，我针线都穿不进: what one part says, the others only paint.
    let whole = whole.or_else(|| {
        let parts: Vec<&[Token]> = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|p| !p.is_empty()).collect();
        let whole =
            |part: &[Token]| situation(&said(trim(part)), vocabulary).or_else(|| situation(&said(part), vocabulary));
        // 教室空调坏了，热得一头汗: a picture beside a thing is told of that thing.
        let things = parts.iter().any(|part| part.iter().any(super::nominal::is_thing));
        let of = |part: &[Token]| whole(part).or_else(|| painted(trim(part), vocabulary).filter(|_| !things));
        let found = parts.iter().find_map(|part| of(part))?;
        let others = parts
            .iter()
            .all(|part| of(part) == Some(found) || (of(part).is_none() && super::act::is_comment(part, vocabulary)));
        (parts.len() > 1 && others).then_some(found)
    });
    let whole = whole.or_else(|| painted(content, vocabulary));
    whole.map(|situation| Parse::Situation { situation, room: None })
}

/// The sentence with a scene that is called like what somebody is at, or has done, as a word that nobody knows: `糯米睡觉呢` and `你回来啦`
/// run none.
pub(super) fn without_reports(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let busy = |t: Option<&Token>| t.is_some_and(|t| vocabulary.lexicon.marks.busy.contains(&t.text));
    let lexicon = &vocabulary.lexicon;
    let other = |t: &Token| {
        // 我们 and 咱们 are whoever speaks.
        let spoken_of = lexicon.pronouns.contains(&t.text) && !t.any(|s| matches!(s, Sense::Speaker | Sense::Filler));
        lexicon.addressees.contains(&t.text) || spoken_of
    };
    let over = |text: &str| {
        let last = text.chars().next_back().map(String::from).unwrap_or_default();
        last == lexicon.marks.changed || lexicon.senses(&last).contains(&Sense::Particle)
    };
    for at in 0..tokens.len() {
        let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let theirs = at > begin && other(&tokens[at - 1]) && over(&tokens[at].text);
        let acts = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. })) && !t.is_entity();
        let told = theirs || busy(tokens.get(at + 1));
        if scene(&tokens[at].senses).is_some() && told && !tokens[begin..at].iter().any(acts) {
            tokens[at].senses.clear();
        }
    }
    tokens
}

/// `外面风大，把遮阳篷收回来`: without the clause that says how it is outside, beside one that tells something.
pub(super) fn without_weather(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let outside = |t: &Token| {
        t.any(|s| matches!(s, Sense::RoomClass(class) if vocabulary.lexicon.rooms[*class].outside)) && !t.is_entity()
    };
    let told = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. }));
    let binds = |t: &Token| {
        let case = |s: &Sense| {
            matches!(s, Sense::If | Sense::IfClose | Sense::Then | Sense::Little | Sense::Question(_) | Sense::Of)
        };
        t.any(case) || is_device(t) || super::nominal::is_thing(t)
    };
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let tells = |clause: &[Token]| clause.iter().any(|t| told(t) && !t.is_entity());
    let weather = |clause: &[Token]| {
        let first = clause.iter().find(|t| !t.has(&Sense::Filler));
        first.is_some_and(outside) && !tells(clause) && !clause.iter().any(binds)
    };
    if clauses.len() < 2 || !clauses.iter().any(|clause| weather(clause)) || !clauses.iter().any(|clause| tells(clause))
    {
        return tokens;
    }
    clauses.into_iter().filter(|clause| !weather(clause)).flatten().cloned().collect()
}

fn scene(senses: &[Sense]) -> Option<usize> {
    senses.iter().find_map(|s| if let Sense::Scene(scene) = s { Some(*scene) } else { None })
}

fn is_device(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Devices(_)))
}

/// `开工` where a scene is called so: the scene, for what is to be set to work is not named.
fn verb_alone(text: &str, vocabulary: &Vocabulary) -> Option<usize> {
    let is_verb = vocabulary.lexicon.senses(text).iter().any(|s| matches!(s, Sense::Verb(_)));
    scene(vocabulary.named(text)).filter(|_| is_verb)
}

/// `热得我一身汗`: how a situation begins, and a picture of it that names nothing of the home.
fn painted(content: &[Token], vocabulary: &Vocabulary) -> Option<usize> {
    // 洗澡冻得直哆嗦: when it is so paints as well.
    let somebody = |t: &Token| vocabulary.lexicon.pronouns.contains(&t.text) || t.has(&Sense::Person);
    let leads = |t: &&Token| {
        t.any(|s| matches!(s, Sense::Reason | Sense::Filler | Sense::Sequence)) && !t.is_entity() && !somebody(t)
    };
    let content = match content.iter().take_while(leads).count() {
        led if led > 0 && led < content.len() && begins(content, vocabulary).is_none() => &content[led..],
        _ => content,
    };
    let situation = begins(content, vocabulary)?;
    // 坐不住人: whoever it is told of.
    let person = vocabulary.lexicon.kind("person");
    let tells = |t: &Token| {
        t.is_entity()
            || super::nominal::kind(t).is_some_and(|kind| Some(kind) != person)
            || super::nominal::sort(t).is_some()
            || super::nominal::place(t).is_some()
            || t.any(|s| {
                matches!(
                    s,
                    Sense::Verb(_)
                        | Sense::Set { .. }
                        | Sense::Step { .. }
                        | Sense::Past
                        | Sense::Report
                        | Sense::If
                        | Sense::IfClose
                        | Sense::Unless
                        | Sense::Then
                        | Sense::Future
                        | Sense::Negation
                ) || matches!(s, Sense::Question(question) if *question != Question::YesNo)
            })
    };
    // 黑漆漆的我害怕: who is afraid quotes nobody.
    let fears = |at: usize| {
        let quotes = vocabulary.lexicon.quotes.contains(&content[at].text);
        content[at].has(&Sense::Report) && !quotes && at > 0 && at + 1 == content.len()
    };
    let asks = content.last().is_some_and(|t| t.any(|s| matches!(s, Sense::Question(_))));
    (!asks && !content.iter().enumerate().any(|(at, t)| tells(t) && !fears(at))).then_some(situation)
}

/// The situation that begins a text and goes on.
fn begins(content: &[Token], vocabulary: &Vocabulary) -> Option<usize> {
    let text: String = content.iter().map(|t| t.text.as_str()).collect();
    // 闷死了 has come to its end: what follows without a pause is somebody else's.
    let goes_on = |rest: &str| {
        let over = rest.strip_prefix(vocabulary.lexicon.marks.changed.as_str());
        !rest.is_empty() && over.is_none_or(|rest| rest.chars().all(|c| is_particle(c, vocabulary)))
    };
    let begins = |begin: &String| text.strip_prefix(begin.as_str()).is_some_and(goes_on);
    vocabulary.lexicon.situations.iter().position(|s| s.begins.iter().any(begins))
}

/// The situation that a text is, or two texts of one situation in a row (`太黑了看不见`).
pub(super) fn situation(text: &str, vocabulary: &Vocabulary) -> Option<usize> {
    let text = stem(text, vocabulary);
    if text.is_empty() {
        return None;
    }
    let said = &vocabulary.lexicon.situation_texts;
    let twice = said.begun(text).filter_map(|(owners, rest)| {
        let again = said.whole(rest.trim_start_matches(|c: char| is_particle(c, vocabulary)));
        owners.iter().find(|owner| again.contains(owner)).copied()
    });
    let felt = felt(text, vocabulary).and_then(|felt| said.felt(felt));
    // The first of all.
    said.whole(text).first().copied().into_iter().chain(twice).chain(felt).min()
}

/// `这么闷`, `贼冷`, `冷得很`: how it feels, of what says how much so.
fn felt<'a>(text: &'a str, vocabulary: &Vocabulary) -> Option<&'a str> {
    let degrees = &vocabulary.lexicon.felt;
    let mut rest = text;
    while let Some(shorter) =
        degrees.before.iter().filter_map(|d| rest.strip_prefix(d.as_str())).min_by_key(|r| r.len())
    {
        rest = shorter;
    }
    let longest = degrees.after.iter().filter_map(|d| rest.strip_suffix(d.as_str())).min_by_key(|r| r.len());
    let core = stem(longest.unwrap_or(rest), vocabulary);
    (core.len() < text.len()).then_some(core)
}

/// A text without the particles at its end.
fn stem<'a>(text: &'a str, vocabulary: &Vocabulary) -> &'a str {
    vocabulary.lexicon.without_particles(text)
}

fn is_particle(c: char, vocabulary: &Vocabulary) -> bool {
    vocabulary.lexicon.is_particle(c)
}

/// What follows a clause that only says why: `我要炒菜了，把油烟机打开`.
pub fn after_reason(tokens: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let comma = tokens.iter().position(|t| t.has(&Sense::Punctuation)).filter(|at| *at > 0)?;
    let reason: String = tokens[..comma].iter().map(|t| t.text.as_str()).collect();
    let rest = &tokens[comma + 1..];
    // 离家模式，空调也关了: a scene by its own name is told, and is no reason.
    let scenes = &vocabulary.home.scenes;
    let by_name = |t: &Token| scene(&t.senses).is_some_and(|s| crate::text::normalize(&scenes[s].name) == t.text);
    if matches!(trim(&tokens[..comma]), [only] if by_name(only)) {
        return None;
    }
    let trimmed: String = trim(&tokens[..comma]).iter().map(|t| t.text.as_str()).collect();
    let known = situation(&reason, vocabulary).or_else(|| situation(&trimmed, vocabulary)).is_some();
    (known && !trim(rest).is_empty()).then(|| rest.to_vec())
}

/// A situation of a place or a thing: `客厅太黑了`, `电视太吵了`; of several parts one says it, and the others comment
/// (`阿爸进门直搓手，客厅太冷了`).
pub fn situation_of(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let parts: Vec<&[Token]> = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|p| !p.is_empty()).collect();
    // 这灯照得我跟鬼似的，弄一半亮度: what shall be done about it is told.
    let valued = |part: &&[Token]| {
        let number = |s: &Sense| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Extreme(_));
        let sets = |s: &Sense| matches!(s, Sense::Set { .. } | Sense::SetBare);
        part.iter().any(|t| t.any(sets)) && part.iter().any(|t| t.any(number))
    };
    if parts.iter().skip(1).any(valued) {
        return None;
    }
    if parts.len() > 1 {
        let whole = part_of(tokens, vocabulary, speaker);
        let comments = |at: usize| {
            let mut others = parts.iter().enumerate().filter(|(other, _)| *other != at);
            others
                .all(|(_, part)| super::act::is_comment(part, vocabulary) && !part.iter().any(super::nominal::is_thing))
        };
        let one = || (0..parts.len()).find_map(|at| part_of(parts[at], vocabulary, speaker).filter(|_| comments(at)));
        return whole.or_else(one);
    }
    part_of(tokens, vocabulary, speaker)
}

/// The situation of a place or a thing that a whole part of a sentence says.
fn part_of(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let content = trim(tokens);
    // 这冲凉房: no more than the room.
    let pointed =
        matches!(content, [that, of, ..] if that.has(&Sense::Reference) && super::nominal::place(of).is_some());
    let content = &content[usize::from(pointed)..];
    // 卧室灯还亮着呢: that it goes on is not that it is too much.
    let goes_on = |t: &Token| t.text.contains(&vocabulary.lexicon.marks.going);
    let still = |at: usize| content[at].has(&Sense::And) && content[at + 1..].iter().take(2).any(goes_on);
    if (0..content.len()).any(still) {
        return None;
    }
    // 电视声音太小了: where the thing ends and the situation begins, both have to be whole.
    let longest = content.len().min(4);
    let (nominal, situation) = (1..=longest).find_map(|split| {
        let (nominal, end) = super::nominal::read(&content[..split], 0, vocabulary)?;
        let rest: String =
            content[split..].iter().filter(|t| !t.has(&Sense::Punctuation)).map(|t| t.text.as_str()).collect();
        (end == split).then_some(())?;
        Some((nominal, situation(&rest, vocabulary).or_else(|| painted(trim(&content[split..]), vocabulary))?))
    })?;
    let situations = &vocabulary.lexicon.situations;
    let property = nominal.property;
    // 次卧这空气也太浑了: the air is that of the room.
    let of_room = property.is_none() || property == vocabulary.lexicon.property("air");
    match (&nominal.head, &nominal.places[..]) {
        (None | Some(Head::Reference(None)), [Place::Room(room)]) if of_room => {
            Some(Parse::Situation { situation, room: Some(*room) })
        }
        (None, [Place::Class(class, _)]) if of_room => {
            let room = Some(only_of_class(*class, vocabulary, speaker.local)?);
            Some(Parse::Situation { situation, room })
        }
        (None, [Place::Here]) if of_room => Some(Parse::Situation { situation, room: None }),
        (None, []) if property.is_some() && of_room => Some(Parse::Situation { situation, room: None }),
        (None, _) => None,
        (Some(_), _) => {
            // What would help, if it is about this kind of thing.
            let kind = order::kind_of(&nominal, vocabulary)?;
            let wish = situations[situation].wishes.iter().find(|w| w.kind == kind && w.step.is_some())?;
            let action = Action::Step { ways: wish.step.map(|(p, up)| (Some(p), up)).into_iter().collect(), by: None };
            Some(Parse::Orders(vec![order::order(&nominal, &action, vocabulary, speaker)]))
        }
    }
}

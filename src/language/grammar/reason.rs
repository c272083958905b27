//! Clauses that only say why: `太暗了，把灯打开`, `窗帘拉上吧，太阳晒进来了`, `电视开着没人看，关了吧`.

use super::super::lexicon::{Question, Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::guard::trim;
use super::nominal::{self, place};
use super::situation::situation;
use super::word;

/// Takes out the clauses that only give a reason. Of what they are about stays what the command leaves out.
pub fn without_reasons(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = without_own_plans(tokens, vocabulary);
    let clauses = clauses(&tokens, vocabulary);
    let reasons: Vec<bool> = clauses.iter().map(|c| is_reason(c, vocabulary)).collect();
    let asks = |clause: &[Token]| {
        clause.iter().any(|t| t.any(|s| matches!(s, Sense::Question(q) if *q != Question::YesNo)))
            && clause.iter().any(|t| headed(t) || nominal::property(t).is_some())
    };
    let told = clauses.iter().zip(&reasons).filter(|(_, reason)| !**reason).any(|(c, _)| tells(c) || asks(c));
    if !told || !reasons.contains(&true) {
        return tokens;
    }
    let mut kept: Vec<Token> = Vec::new();
    for (at, clause) in clauses.iter().enumerate() {
        if !reasons[at] {
            kept.extend_from_slice(clause);
            continue;
        }
        let command: &[Token] = match clauses.iter().zip(&reasons).skip(at + 1).find(|(c, r)| !**r && tells(c)) {
            Some((next, _)) => next,
            None => &kept,
        };
        // 外头下雨了吧，把客厅窗帘拉上: a name that one thing bears stands where that thing does.
        let only = |t: &Token| t.any(|s| matches!(s, Sense::Devices(devices) if devices.len() == 1));
        let placed = command.iter().any(|t| place(t).is_some() || only(t));
        let headed = command.iter().any(headed);
        let about = subject(clause, vocabulary);
        // 外面下雨了把窗帘关上: nothing of this home hangs out there.
        let outside = |s: &Sense| match s {
            Sense::RoomClass(class) => {
                vocabulary.lexicon.rooms[*class].outside && word::is_class_without_rooms(s, vocabulary)
            }
            _ => false,
        };
        let placed = placed || about.iter().any(|t| t.any(outside));
        let wanted = about.iter().filter(|t| if place(t).is_some() { !placed } else { !headed && !placed });
        kept.extend(wanted.cloned());
    }
    kept
}

/// `饮水机停一下我要洗`: what the speaker will do, behind what is told, is nothing for us to do.
fn without_own_plans(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let speaker = |t: &Token| {
        let first = t.text.chars().next().map(String::from).unwrap_or_default();
        t.has(&Sense::Filler) && t.text != first && vocabulary.senses(&first).contains(&Sense::Speaker)
    };
    let Some(at) = tokens.iter().rposition(|t| speaker(t) && !t.is_entity()) else { return tokens };
    let end = tokens[at..].iter().position(pause).map_or(tokens.len(), |pause| at + pause);
    let plan = &tokens[at + 1..end];
    let plain = |t: &Token| {
        let small = |s: &Sense| matches!(s, Sense::Verb(_) | Sense::Filler | Sense::Particle | Sense::Measure);
        !t.is_entity() && t.any(small) && !t.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_) | Sense::Property(_)))
    };
    let does = plan.iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_))));
    if tells(&tokens[..at]) && does && plan.iter().all(plain) {
        tokens.drain(at..end);
    }
    tokens
}

/// `炉灯开一下看看上色没`: what somebody wants to see is no question to us where they say what to do for it.
pub(super) fn without_looking(mut tokens: Vec<Token>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let Some(at) = tokens.iter().position(|t| t.has(&Sense::AskFor) && !t.is_entity()) else { return tokens };
    let start = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
    let end = tokens[at..].iter().position(pause).map_or(tokens.len(), |pause| at + pause);
    let (told, seen) = (&tokens[start..at], &tokens[at + 1..end]);
    let of_ours =
        |t: &Token| headed(t) || place(t).is_some() || nominal::property(t).is_some() && t.text.chars().count() > 1;
    let does = told.iter().any(|t| t.any(Sense::is_action) && !t.is_entity()) && told.iter().any(of_ours);
    let asked = told.iter().any(|t| t.any(|s| matches!(s, Sense::Question(_))));
    if does && !asked && !seen.is_empty() && !seen.iter().any(of_ours) {
        tokens.drain(at..end);
    }
    tokens
}

/// `妈妈说该睡觉了，所以把灯关掉`: what follows `所以` is what is told, if it says who does it by no name and no pronoun.
pub(super) fn therefore(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some(at) = tokens.iter().position(|t| lexicon.therefore.contains(&t.text) && !t.is_entity()) else {
        return tokens;
    };
    let rest = &tokens[at + 1..];
    let somebody = |t: &Token| lexicon.pronouns.contains(&t.text) || t.has(&Sense::Person);
    let binds = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Unless));
    let first = rest.iter().find(|t| !t.has(&Sense::Punctuation));
    // 所以灯关了 tells what came of it.
    let over = rest.last().is_some_and(|t| t.text.ends_with(&lexicon.marks.changed))
        && !rest.iter().any(|t| t.has(&Sense::Disposal));
    let free = first.is_some_and(|t| !somebody(t)) && !over && !tokens[..at].iter().any(binds);
    let report = at > 0 && first.is_some() && !free && tells(rest);
    match at > 0 && free && tells(rest) {
        true => rest.to_vec(),
        // 太热了，所以我把空调打开了
        false if report => {
            let mut told = tokens;
            told[at].senses = vec![Sense::Report];
            told
        }
        false => tokens,
    }
}

/// Cuts at punctuation, and before 把, or a verb behind 了, where what stands before it is a reason (`我要睡了把灯关掉`).
fn clauses<'a>(tokens: &'a [Token], vocabulary: &Vocabulary) -> Vec<&'a [Token]> {
    let mut clauses = Vec::new();
    for clause in tokens.split_inclusive(|t| t.has(&Sense::Punctuation)) {
        let opens = |t: &Token| t.has(&Sense::Disposal) && !t.has(&Sense::Filler);
        // 书房太热了开空调
        let after = |at: usize| {
            let changed = at > 0
                && (clause[at - 1].text.ends_with(&vocabulary.lexicon.marks.changed)
                    || clause[at - 1].has(&Sense::Particle));
            changed && clause[at].any(|s| matches!(s, Sense::Verb(_))) && !clause[at].is_entity()
        };
        let begins = (0..clause.len()).find(|at| opens(&clause[*at]) || after(*at));
        match begins.filter(|at| is_reason(&clause[..*at], vocabulary)) {
            Some(at) => clauses.extend([&clause[..at], &clause[at..]]),
            None => clauses.push(clause),
        }
    }
    clauses
}

/// A clause of which every word is known, that tells nothing to do.
fn is_reason(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let is_situation = |tokens: &[Token]| {
        let text: String = trim(tokens).iter().map(|t| t.text.as_str()).collect();
        situation(&text, vocabulary).is_some()
    };
    // 儿童房好冷啊
    let placed = clause.iter().take_while(|t| place(t).is_some() || t.has(&Sense::RoomSuffix)).count();
    if is_situation(clause) || placed > 0 && is_situation(&clause[placed..]) {
        return true;
    }
    // What is only heard explains nothing: 等我睡着了 is no 灯.
    if clause.iter().any(|t| t.heard.is_some()) {
        return false;
    }
    let reason = clause.iter().any(explains);
    // 灯还开着，关了吧
    let lasting = clause.iter().any(|t| t.any(|s| matches!(s, Sense::State(_))) && !tells(std::slice::from_ref(t)))
        && clause.iter().any(headed)
        && !clause.windows(2).any(|w| w[1].has(&Sense::Of) && place(&w[0]).is_none());
    (reason || lasting) && !tells(clause) && clause.iter().all(known)
}

/// Whether something is told to be done.
fn tells(clause: &[Token]) -> bool {
    clause.iter().any(|t| {
        let action = t.any(|s| {
            matches!(
                s,
                Sense::Verb(_)
                    | Sense::Set { .. }
                    | Sense::SetBare
                    | Sense::Step { .. }
                    | Sense::Scene(_)
                    | Sense::Number(_)
                    | Sense::Choice(_)
                    | Sense::Little
            )
        });
        action && !explains(t)
    })
}

/// A word that explains, and is nothing to do: 听歌 is both.
fn explains(token: &Token) -> bool {
    token.has(&Sense::Reason) && !token.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Scene(_)))
}

fn headed(token: &Token) -> bool {
    nominal::is_thing(token) || token.has(&Sense::Reference)
}

/// Words that a reason may have; a question, a refusal or somebody's words are none.
fn known(token: &Token) -> bool {
    explains(token)
        || token.is_entity()
        || token.any(|s| {
            matches!(
                s,
                Sense::Filler
                    | Sense::Particle
                    | Sense::Punctuation
                    | Sense::Direction { .. }
                    | Sense::Degree { .. }
                    | Sense::Property(_)
                    | Sense::Absent(_)
                    | Sense::State(_)
                    | Sense::Kind(_)
                    | Sense::Sort(_)
                    | Sense::AnyRoom
                    | Sense::Here
                    | Sense::Room(_)
                    | Sense::RoomClass(_)
                    | Sense::RoomSort(_)
                    | Sense::RoomSuffix
                    | Sense::WholeHome
                    | Sense::Person
                    | Sense::Exists
                    | Sense::Is
                    | Sense::Already
                    | Sense::Sequence
                    | Sense::Each
                    | Sense::Also
                    | Sense::Make
                    | Sense::Of
            )
        })
}

/// The words of a reason that name a place or a thing.
pub(super) fn subject<'a>(clause: &'a [Token], vocabulary: &Vocabulary) -> &'a [Token] {
    let found = (0..clause.len()).find_map(|at| {
        let (nominal, end) = nominal::read(clause, at, vocabulary)?;
        let names = nominal.head.is_some() || !nominal.places.is_empty();
        // 加湿器那个夜灯太晃眼了: what the thing has belongs to it.
        let of_it = clause.get(end).is_some_and(|t| nominal::property(t).is_some() && !t.any(Sense::is_action));
        // 这个台没意思 is of what is on, and of no thing that is pointed at.
        let channel = clause.get(end).is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(Unit::Channel))));
        let on_air = channel && matches!(nominal.head, Some(nominal::Head::Reference(..)));
        (names && !on_air).then_some(&clause[at..end + usize::from(of_it)])
    });
    found.unwrap_or_default()
}

/// `吊扇转太快了`: what it does too much of says no more than that it is too much.
pub(super) fn too_much(mut tokens: Vec<Token>) -> Vec<Token> {
    let too = |t: &Token| t.has(&Sense::Reason) && t.text.chars().count() == 1;
    let degree = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. }));
    let does =
        |t: &Token| (t.is_residue() || t.any(|s| matches!(s, Sense::Set { .. } | Sense::Verb(_)))) && !t.is_entity();
    let mut at = 1;
    while at + 2 < tokens.len() {
        let links = usize::from(tokens[at + 1].any(|s| matches!(s, Sense::Particle | Sense::Of)));
        let single = tokens[at].text.chars().count() == 1;
        let subject =
            tokens[at - 1].is_entity() || tokens[at - 1].any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)));
        let says = tokens.get(at + 1 + links).is_some_and(too) && tokens.get(at + 2 + links).is_some_and(degree);
        if subject && single && does(&tokens[at]) && says {
            tokens.drain(at..at + 1 + links);
        }
        at += 1;
    }
    tokens
}

/// `台灯太亮了暗点儿`: what is too much of something says why, where the other way is told right behind it.
pub(super) fn complained(mut tokens: Vec<Token>, changed: &str) -> Vec<Token> {
    let way = |t: &Token| {
        let way = |s: &Sense| match s {
            Sense::Direction { up, .. } | Sense::Degree { up } => Some(*up),
            _ => None,
        };
        t.senses.iter().find_map(way).filter(|_| !t.is_entity())
    };
    let too = |at: usize| tokens[at].has(&Sense::Reason) && tokens[at].text.chars().count() == 1;
    let told = |at: usize| {
        let over = tokens.get(at + 2).filter(|t| t.has(&Sense::Particle) && t.text == changed);
        let (found, next) = (way(&tokens[at + 1])?, way(tokens.get(at + 2 + usize::from(over.is_some()))?)?);
        (found != next).then_some(at..at + 2 + usize::from(over.is_some()))
    };
    if let Some(reason) = (0..tokens.len().saturating_sub(2)).filter(|at| too(*at)).find_map(told) {
        tokens.drain(reason);
    }
    tokens
}

/// `电视声音怎么这么小，开大点`: too much, where something is told about it right after.
pub(super) fn so_much(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let degree = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. })) && !t.is_entity();
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    for begin in 1..tokens.len() {
        let start = tokens[..begin].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let Some(end) = tokens[begin..].iter().position(pause).map(|length| begin + length) else { break };
        let length = (1..end - begin).find(|length| {
            let text: String = tokens[begin..begin + length].iter().map(|t| t.text.as_str()).collect();
            vocabulary.lexicon.marks.so_much.contains(&text) && degree(&tokens[begin + length])
        });
        let of_it = tokens[start..begin].iter().any(|t| nominal::is_thing(t) || nominal::property(t).is_some());
        let next = tokens[end + 1..].split(pause).next().unwrap_or_default();
        if let Some(length) = length.filter(|_| of_it && next.iter().any(acts)) {
            let text = tokens[begin..begin + length].iter().map(|t| t.text.as_str()).collect();
            tokens.splice(begin..begin + length, [Token { text, heard: None, senses: vec![Sense::Reason] }]);
            return tokens;
        }
    }
    tokens
}

/// `有这个就够了，厨房灯关掉`: that what is there is enough tells nothing of it.
pub(super) fn enough(tokens: Vec<Token>) -> Vec<Token> {
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Then | Sense::Punctuation));
    let says = |clause: &[Token]| {
        let points = |t: &Token| t.has(&Sense::Reference) && !t.is_entity();
        matches!(clause, [has, it, rest @ ..] if has.has(&Sense::Exists) && points(it) && rest.len() > 1 && rest.iter().all(small))
    };
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    if clauses.len() < 2 || !clauses.iter().any(|clause| says(clause)) {
        return tokens;
    }
    clauses.into_iter().filter(|clause| !says(clause)).flatten().cloned().collect()
}

/// `弄亮一些`: some of it is no switch. `弄暗点别太暗`: how far it shall not go says no more.
pub(super) fn some_of_it(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let way = |t: &Token| {
        t.senses.iter().find_map(|s| match s {
            Sense::Direction { property, up } => Some((*property, *up)),
            _ => None,
        })
    };
    for at in 0..tokens.len().saturating_sub(1) {
        let switches = tokens[at].any(|s| matches!(s, Sense::Verb(_))) && !tokens[at].is_entity();
        let Some((last, _)) = tokens[at].text.char_indices().next_back().filter(|(last, _)| switches && *last > 0)
        else {
            continue;
        };
        let how = vocabulary.senses(&tokens[at].text[last..]);
        let makes = vocabulary.senses(&tokens[at].text[..last]).contains(&Sense::Make);
        if makes && tokens[at + 1].has(&Sense::Little) && how.iter().any(|s| matches!(s, Sense::Direction { .. })) {
            tokens[at].senses = how;
        }
    }
    let limit = (2..tokens.len()).find(|at| {
        let too = tokens[at - 1].has(&Sense::Reason) && tokens[at - 2].has(&Sense::Negation);
        let told = || tokens[..at - 2].iter().filter_map(&way).any(|told| Some(told) == way(&tokens[*at]));
        too && way(&tokens[*at]).is_some() && told()
    });
    if let Some(at) = limit {
        tokens.drain(at - 2..=at);
    }
    tokens
}

/// `声音大了点`: what has become too much of is to be less. Of a lamp only with 点, for 灯亮了 tells that it is on.
pub(super) fn grown(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let changed = |t: &Token| t.has(&Sense::Particle) && t.text == vocabulary.lexicon.marks.changed;
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)) && !changed(t);
    let little = |t: &Token| t.has(&Sense::Little) && !t.is_entity();
    for at in 1..tokens.len().saturating_sub(1) {
        let some = usize::from(tokens.get(at + 2).is_some_and(little));
        let over = changed(&tokens[at + 1]) && tokens.get(at + 2 + some).is_none_or(ends);
        let of = nominal::property(&tokens[at - 1]).is_some();
        let thing = some > 0 && nominal::is_thing(&tokens[at - 1]);
        if !over || !(of || thing) || tokens[at].is_entity() {
            continue;
        }
        let less = tokens[at].senses.iter().find_map(|s| match s {
            Sense::Degree { up } => Some(Sense::Step { up: !up }),
            Sense::Direction { property, up } => Some(Sense::Direction { property: *property, up: !up }),
            _ => None,
        });
        let Some(less) = less else { continue };
        tokens[at].senses = vec![less];
        tokens[at + 1].senses = vec![Sense::Little];
        tokens.drain(at + 2..at + 2 + some);
        break;
    }
    tokens
}

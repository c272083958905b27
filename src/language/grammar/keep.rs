//! What stays as it is: `月亮灯留着，别的灯关掉`, `主灯别动电视关了`. Of all others it is left out; beside anything else it needs
//! nothing to be done.

use super::super::command::Quantifier;
use super::super::lexicon::Sense;
use super::super::order::Order;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::SpeakerContext;
use super::act;
use super::nominal::{self, Head, Nominal};
use super::recut::devices;

/// The sentence without what it says to leave alone; what the rest says of all others leaves that out.
pub(super) fn without_kept(tokens: Vec<Token>, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Vec<Token> {
    let keeps = |t: &Token| vocabulary.lexicon.kept.contains(&t.text) && !t.is_entity();
    let Some(at) = tokens.iter().position(keeps) else { return tokens };
    if let Some(rest) = without_other_side(&tokens, at) {
        return rest;
    }
    let (before, after) = (&tokens[..at], &tokens[at + 1..]);
    let start = before.iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
    let clause = &before[start..];
    let (what, rest) = match clause.iter().any(|t| !is_empty(t)) {
        true => (clause, after),
        // 留着月亮灯，…
        false => match after.iter().position(|t| t.has(&Sense::Punctuation)) {
            Some(pause) => after.split_at(pause),
            None => return tokens,
        },
    };
    let what: Vec<Token> = what.iter().filter(|t| !t.has(&Sense::Disposal)).cloned().collect();
    let Some((named, end)) = nominal::read(&what, 0, vocabulary) else { return tokens };
    // 落地灯和灯带留着
    let is_named = |nominal: &Nominal| nominal.head.is_some() || !nominal.places.is_empty();
    let joins = |t: &Token| t.any(|s| matches!(s, Sense::Conjunction | Sense::And)) && !t.is_entity();
    let (mut end, mut named_all) = (end, is_named(&named));
    while named_all && what.get(end).is_some_and(joins) {
        match nominal::read(&what, end + 1, vocabulary) {
            Some((next, after)) => (end, named_all) = (after, is_named(&next)),
            None => break,
        }
    }
    let names = named_all && what[end..].iter().all(is_empty);
    let rest: Vec<Token> = rest.iter().skip_while(|t| is_empty(t)).cloned().collect();
    let acts = |tokens: &[Token]| tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. })));
    let others = |t: &Token| t.any(|s| matches!(s, Sense::Other | Sense::All | Sense::Each | Sense::WholeHome));
    let earlier = &before[..start];
    if !names || acts(&what) || rest.iter().any(keeps) {
        return tokens;
    }
    // 灯都关了，客厅的不动 leaves out at the end, which clauses read by themselves.
    if !acts(&rest) || earlier.iter().any(others) && (acts(earlier) || !rest.iter().any(others)) {
        return tokens;
    }
    // 大堂的东西，音箱留着，空调关掉: only where that is.
    let says = |s: &Sense| {
        let how = matches!(s, Sense::Direction { .. } | Sense::Degree { .. } | Sense::Number(_) | Sense::Choice(_));
        how || s.is_action() || matches!(s, Sense::Negation | Sense::Not | Sense::Question(_) | Sense::State(_))
    };
    let mut kept: Vec<Token> = match earlier.iter().any(|t| t.any(says) && !t.is_entity()) {
        true => earlier.to_vec(),
        false => earlier.iter().filter(|t| nominal::place(t).is_some() || t.is_entity()).cloned().collect(),
    };
    if rest.iter().any(others) {
        kept.push(Token::unsaid(Sense::ExceptOpen));
        kept.extend(what.into_iter().filter(|t| !is_empty(t)));
        kept.push(Token::unsaid(Sense::ExceptClose));
        // 鱼缸灯留着
        kept = super::exclusion::with_what_it_has(kept);
        // 床头灯不动，其余的灯: those of the same room.
        let placed = rest.iter().chain(earlier).any(|t| nominal::place(t).is_some());
        let all = rest.iter().any(nominal::is_thing);
        if let Some(room) = room_of(&named, all, vocabulary, speaker).filter(|_| !placed) {
            kept.push(Token::unsaid(Sense::Room(room)));
        }
    }
    kept.extend(rest);
    kept
}

/// `所有空调都关了，表姐屋的留着`: what shall stay and is nothing that anybody knows here, where all of something is told. It could be any of
/// them.
pub(super) fn unknown(words: &[Token], tokens: &[Token], orders: &[Order], vocabulary: &Vocabulary) -> Option<String> {
    let keeps = |t: &Token| !t.is_entity() && (vocabulary.lexicon.kept.contains(&t.text) || t.has(&Sense::ExceptOpen));
    let all = |order: &Order| matches!(order.quantifier, Quantifier::All | Quantifier::Except);
    if tokens.iter().any(keeps) || !orders.iter().any(all) {
        return None;
    }
    let strange = |clause: &&[Token]| {
        let named = |t: &Token| nominal::is_thing(t) || nominal::place(t).is_some() || t.any(Sense::is_action);
        let whose = clause.iter().any(|t| t.any(|s| matches!(s, Sense::Of | Sense::AnyRoom)));
        clause.iter().any(keeps) && clause.iter().any(Token::is_residue) && whose && !clause.iter().any(named)
    };
    let clause = words.split(|t| t.has(&Sense::Punctuation)).find(strange)?;
    Some(clause.iter().map(|t| t.text.as_str()).collect())
}

/// `留一盏盐灯，其它灯都关`: one is as many as there are of it.
pub(super) fn the_only_one(mut tokens: Vec<Token>) -> Vec<Token> {
    let one = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if n.value == 1.0)) && !t.is_entity();
    let only = |t: &Token| t.any(|s| matches!(s, Sense::Devices(devices) if devices.len() == 1));
    let counted = |w: &[Token]| w[0].has(&Sense::ExceptOpen) && one(&w[1]) && w[2].has(&Sense::Measure) && only(&w[3]);
    if let Some(at) = tokens.windows(4).position(counted) {
        tokens.drain(at + 1..at + 3);
    }
    tokens
}

/// `风速调低别的不动`: that nothing else shall be done needs nothing to be done.
pub(super) fn without_others(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    // 落地灯开了就行，别的不要开
    let kept = |t: &Token| {
        t.has(&Sense::ExceptAfter) && (vocabulary.lexicon.kept.contains(&t.text) || t.has(&Sense::Negation))
    };
    let Some(at) = tokens.iter().position(|t| t.has(&Sense::Other) && !t.is_entity()) else { return tokens };
    let small = |t: &&Token| is_empty(t) && !t.has(&Sense::Punctuation) || t.has(&Sense::Each);
    let end = at + 1 + tokens[at + 1..].iter().take_while(small).count();
    let told = tokens[..at].iter().any(|t| t.any(Sense::is_action) && !t.is_entity());
    if told && tokens.get(end).is_some_and(kept) {
        tokens.drain(at..=end);
    }
    tokens
}

/// `摇头还是开着吧`: what a thing has shall be so after all.
pub(super) fn after_all(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let switches = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s).is_some());
    let still = |w: &[Token]| {
        w[1].has(&Sense::Correction)
            && w[1].has(&Sense::Alternative)
            && nominal::property(&w[0]).is_some()
            && switches(&w[2])
    };
    while let Some(at) = tokens.windows(3).position(still) {
        tokens.remove(at + 1);
    }
    tokens
}

/// `射灯留着调到三十`: what is set right behind it is told, and that it stays says no more.
pub(super) fn kept_so(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. }));
    let small = |t: &&Token| is_empty(t);
    let mut at = 1;
    while at + 1 < tokens.len() {
        let keeps = vocabulary.lexicon.kept.contains(&tokens[at].text) && tokens[at].has(&Sense::ExceptAfter);
        let gap = tokens[at + 1..].iter().take_while(small).count();
        // 落地灯留着，亮度调到二十
        let paused = tokens[at + 1..at + 1 + gap].iter().any(|t| t.has(&Sense::Punctuation));
        let of_it = !paused || nominal::is_thing(&tokens[at - 1]);
        let next = tokens.get(at + 1 + gap);
        let property = paused
            && next.is_some_and(|t| nominal::property(t).is_some())
            && tokens.get(at + 2 + gap).is_some_and(|t| sets(t) || t.any(|s| matches!(s, Sense::Number(_))));
        if keeps && of_it && (next.is_some_and(sets) || property) {
            tokens.drain(at..at + 1 + gap);
        }
        at += 1;
    }
    tokens
}

/// `所有灯都关了，主卧的亮着`: what is to stay the other way is left out of what is told of all.
pub(super) fn left_as_it_is(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let (verbs, going) = (&vocabulary.lexicon.verbs, &vocabulary.lexicon.marks.going);
    let way = |t: &Token| {
        let of = |s: &Sense| if let Sense::Verb(v) | Sense::State(v) = s { verbs[*v].switches } else { None };
        t.senses.iter().find_map(of).filter(|_| !t.is_entity())
    };
    let told = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_)));
    let others = |t: &Token| t.any(|s| matches!(s, Sense::All | Sense::Each | Sense::WholeHome));
    let binds = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Question(_) | Sense::Disposal));
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    for begin in 1..tokens.len() {
        if !pause(&tokens[begin - 1]) {
            continue;
        }
        let before = tokens[..begin - 1].rsplit(pause).find(|clause| clause.iter().any(told)).unwrap_or_default();
        let end = begin + tokens[begin..].iter().position(pause).unwrap_or(tokens.len() - begin);
        let said = &tokens[begin..end];
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler));
        let Some(last) = said.iter().rposition(|t| !small(t)) else { continue };
        // 开着吧 is one word.
        let stays = said[last].text.contains(going.as_str()) && last > 0;
        let opposite =
            before.iter().rfind(|t| told(t)).and_then(way).zip(way(&said[last])).is_some_and(|(a, b)| a != b);
        if stays && opposite && before.iter().any(others) && !said.iter().any(binds) && !act::tells(&said[..last]) {
            tokens[begin + last].senses = vec![Sense::ExceptAfter];
            // 开着就行
            tokens.drain(begin + last + 1..end);
            break;
        }
    }
    tokens
}

/// `浴室灯开着，水温四十度，排风扇也打开`: what is on in a row of orders about other things shall be on. Where more follows (开着呢, 开着吗,
/// 开着就好) it is told, asked or left.
pub(super) fn left_on(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let going = &vocabulary.lexicon.marks.going;
    let on = vocabulary.lexicon.verb("on");
    let is_on =
        |t: &Token| t.text.ends_with(going.as_str()) && t.any(|s| matches!(s, Sense::State(verb) if Some(*verb) == on));
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let open = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Suppose | Sense::Question(_)));
    if tokens.iter().any(open) {
        return tokens;
    }
    for at in 1..tokens.len().saturating_sub(1) {
        if !is_on(&tokens[at]) || tokens[at].is_entity() || !pause(&tokens[at + 1]) {
            continue;
        }
        let start = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let (what, rest) = (&tokens[start..at], &tokens[at + 2..]);
        let things = |tokens: &[Token]| -> Vec<usize> {
            tokens.iter().filter_map(|t| devices(t, vocabulary)).flatten().collect()
        };
        let next = rest.iter().position(pause).map_or(rest, |end| &rest[..end]);
        let (named, others) = (things(what), things(next));
        let only = what.iter().all(|t| is_empty(t) || devices(t, vocabulary).is_some() || nominal::place(t).is_some());
        let lacks = |t: &Token| {
            nominal::property(t).is_some_and(|p| named.iter().all(|d| vocabulary.devices[*d].about(p).is_none()))
        };
        // 主灯开着，其他灯关掉
        let rest_of_them = next.first().is_some_and(|t| t.has(&Sense::Other) && !t.is_entity());
        let other = match others.is_empty() {
            _ if rest_of_them => true,
            true => next.iter().any(lacks),
            false => !others.iter().any(|d| named.contains(d)),
        };
        let tells = |s: &Sense| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Number(_));
        let told = next.iter().any(|t| t.any(tells) && !t.is_entity());
        // 窗户开着，空调关了 tells why.
        let power = vocabulary.lexicon.property("power");
        let switched = |d: &usize| power.is_some_and(|p| vocabulary.devices[*d].about(p).is_some());
        if only && !named.is_empty() && named.iter().all(switched) && other && told {
            tokens[at].senses = on.map(Sense::Verb).into_iter().collect();
        }
    }
    tokens
}

/// `取暖器关了加湿器莫关哈空气干得很`: what is refused of another thing is a clause of its own.
pub(super) fn refused_apart(mut tokens: Vec<Token>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let refuses = |t: &Token| t.has(&Sense::ExceptAfter) && t.has(&Sense::Negation) && !t.is_entity();
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Then | Sense::Filler | Sense::Particle)) && !t.is_entity();
    let noun = |t: &&Token| nominal::is_thing(t) || nominal::place(t).is_some() || t.has(&Sense::Of);
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let joins =
        |t: &Token| t.any(|s| matches!(s, Sense::Conjunction | Sense::Disposal | Sense::ExceptOpen)) && !t.is_entity();
    for at in (2..tokens.len()).rev() {
        // 莫关哈 is one word, and 莫 关 two.
        let verb = usize::from(tokens[at].has(&Sense::Negation) && tokens.get(at + 1).is_some_and(acts));
        if verb == 0 && !refuses(&tokens[at]) {
            continue;
        }
        let led = tokens[..at].iter().rev().take_while(small).count();
        let named = tokens[..at - led].iter().rev().take_while(noun).count();
        let start = at - led - named;
        let told = tokens[..start].rsplit(pause).next().unwrap_or_default();
        let refused = at + 1 + verb;
        let end = refused + tokens[refused..].iter().take_while(|t| t.has(&Sense::Particle)).count();
        let more = tokens.get(end).is_some_and(|t| !pause(t));
        // 关掉电视算了电视别关: what was told is taken back.
        let same =
            tokens[start..at - led].iter().any(|t| nominal::is_thing(t) && told.iter().any(|u| u.text == t.text));
        // 打开电视别打开: of the one thing that is named.
        let other = told.iter().any(|t| nominal::is_thing(t) || t.has(&Sense::Everything)) && told.iter().any(acts);
        if same || named == 0 || !other || told.last().is_some_and(joins) || led == 0 && verb == 0 && !more {
            continue;
        }
        if more {
            tokens.insert(end, Token::unsaid(Sense::Punctuation));
        }
        tokens.insert(start, Token::unsaid(Sense::Punctuation));
    }
    tokens
}

/// `灯都关了，留着大灯`, `关灯，留一个大灯`: what stays stands behind; said as 留大灯.
pub(super) fn staying(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let opens = |text: &str| vocabulary.senses(text).contains(&Sense::ExceptOpen);
    let stays = |t: &Token| {
        let bare = t.text.strip_suffix(vocabulary.lexicon.marks.going.as_str());
        !t.is_entity() && vocabulary.lexicon.kept.contains(&t.text) && bare.is_some_and(opens)
    };
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    for at in 1..tokens.len() {
        let clause = tokens[at + 1..].split(pause).next().unwrap_or_default();
        let names = clause.iter().any(|t| nominal::is_thing(t) || nominal::place(t).is_some());
        let told = tokens[..at].iter().any(acts);
        if pause(&tokens[at - 1]) && stays(&tokens[at]) && told && names && !clause.iter().any(acts) {
            tokens[at].senses = vec![Sense::ExceptOpen];
        }
    }
    let one = |t: &Token| t.any(|s| matches!(s, Sense::Number(n) if n.value == 1.0)) && !t.is_entity();
    // 留 of 留着
    let stays = |t: &Token| {
        let going = format!("{}{}", t.text, vocabulary.lexicon.marks.going);
        t.has(&Sense::ExceptOpen) && vocabulary.lexicon.kept.contains(&going)
    };
    for at in 1..tokens.len().saturating_sub(3) {
        let told = tokens[..at].iter().any(acts) && pause(&tokens[at - 1]);
        let counted = one(&tokens[at + 1]) && tokens[at + 2].has(&Sense::Measure) && nominal::is_thing(&tokens[at + 3]);
        if told && stays(&tokens[at]) && counted {
            tokens[at].senses = vec![Sense::ExceptOpen];
            tokens.drain(at + 1..at + 3);
            break;
        }
    }
    tokens
}

/// `书房的留着 车库的也留着`: what stays as well, as what stays.
pub(super) fn stays_too(mut tokens: Vec<Token>) -> Vec<Token> {
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    let all = |t: &Token| t.any(|s| matches!(s, Sense::All | Sense::Each | Sense::WholeHome));
    let stays = |at: usize, tokens: &[Token]| {
        own(&tokens[at], &Sense::Also) && own(&tokens[at + 1], &Sense::ExceptAfter) && tokens[..at].iter().any(all)
    };
    while let Some(at) = (1..tokens.len().saturating_sub(1)).find(|at| stays(*at, &tokens)) {
        tokens.remove(at);
    }
    tokens
}

/// `院灯留着你爸还没回来`: what follows without a pause, and names nothing and tells nothing, says why.
pub(super) fn without_remark(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let keeps = |t: &Token| vocabulary.lexicon.kept.contains(&t.text) && !t.is_entity();
    let Some(at) = tokens.iter().position(keeps) else { return tokens };
    let length = tokens[at + 1..].iter().take_while(|t| !t.has(&Sense::Punctuation)).count();
    let remark = &tokens[at + 1..at + 1 + length];
    let somebody = |t: &Token| vocabulary.lexicon.pronouns.contains(&t.text) || t.has(&Sense::Person);
    let begins = remark.first().is_some_and(|t| somebody(t) || t.has(&Sense::Reason) || t.is_residue());
    let rest = || &remark[1..];
    if begins && !act::names_something(rest()) && !act::tells(rest()) {
        tokens.drain(at + 1..at + 1 + length);
    }
    tokens
}

/// `左窗帘关上右边留着`, `右窗帘开三成，左边不动`: beside what is told of one side, nothing is told of the other.
fn without_other_side(tokens: &[Token], at: usize) -> Option<Vec<Token>> {
    let side = |t: &Token| t.any(|s| matches!(s, Sense::Side { .. })) && !t.is_entity();
    let small = |t: &&Token| is_empty(t) || t.any(|s| matches!(s, Sense::Of | Sense::Measure | Sense::Reference));
    let smalls = tokens[..at].iter().rev().take_while(small).count();
    let other = (at - smalls).checked_sub(1).filter(|other| side(&tokens[*other]))?;
    let told = &tokens[..other];
    let acts = told.iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. })));
    let named = told.iter().any(|t| t.is_entity() || nominal::kind(t).is_some());
    (acts && named && tokens[at + 1..].iter().all(is_empty)).then(|| told.to_vec())
}

/// The room of what stays as it is (`all`: beside all of a kind that is named): the speaker's, if something that is called so stands there.
pub(super) fn room_of(named: &Nominal, all: bool, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<usize> {
    let home = &vocabulary.home;
    let devices: Vec<usize> = match &named.head {
        Some(Head::Named { devices, .. }) => devices.clone(),
        Some(Head::Kind(kind, _) | Head::Sort(kind, _)) => {
            (0..home.devices.len()).filter(|d| vocabulary.devices[*d].is(*kind)).collect()
        }
        _ => return None,
    };
    let mut rooms: Vec<Option<usize>> = devices.iter().map(|d| home.devices[*d].room).collect();
    rooms.dedup();
    // 玄关灯留着 其他的都关: where nothing else of its kind stands, the others are elsewhere.
    let alone = |room: Option<usize>| {
        let [only] = devices[..] else { return false };
        let kind = vocabulary.devices[only].kinds.first();
        let same = |d: &usize| *d != only && kind.is_some_and(|kind| vocabulary.devices[*d].is(*kind));
        !(0..home.devices.len()).filter(same).any(|d| home.devices[d].room == room)
    };
    rooms.retain(|room| all || *room == speaker.local || !alone(*room));
    let here = speaker.local.filter(|room| rooms.contains(&Some(*room)));
    here.or_else(|| rooms.first().copied().flatten().filter(|_| rooms.len() == 1))
}

pub(super) fn is_empty(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Punctuation | Sense::Is)) && !token.is_entity()
}

//! Exclusions: `除了主卧和书房以外的`.

use super::super::command::Quantifier;
use super::super::lexicon::{Lexicon, Sense};
use super::super::order::{Excluded, Order, Place};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::SpeakerContext;
use super::feature::devices_of;
use super::nominal::{Head, Nominal, continues, head, is_thing, kind, place, sort};

/// The word that begins what is left out.
pub(super) fn leaves_out(tokens: &[Token]) -> Option<String> {
    // 窗帘留一半: so much of it stays; 留一半给我 is of nothing.
    let thing = |t: &Token| is_thing(t) || t.has(&Sense::Reference);
    let named = tokens.iter().any(thing);
    let much =
        |at: usize| tokens.get(at + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_))));
    let opens = |at: &usize| tokens[*at].has(&Sense::ExceptOpen) && !tokens[*at].is_entity() && !(named && much(*at));
    (0..tokens.len()).find(opens).map(|at| tokens[at].text.clone())
}

/// `除了书房的百叶帘，窗帘都拉上`, `窗帘除了书房的百叶帘都拉上`: where what is left out ends, also where no word for that is said.
pub(super) fn closed(mut tokens: Vec<Token>) -> Vec<Token> {
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    // 老周的留着别动: that it stays is said once.
    tokens.dedup_by(|next, stays| own(stays, &Sense::ExceptAfter) && own(next, &Sense::ExceptAfter));
    let Some(open) = tokens.iter().position(|t| own(t, &Sense::ExceptOpen)) else { return tokens };
    if tokens.iter().any(|t| own(t, &Sense::ExceptClose)) {
        return tokens;
    }
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let begin = tokens[..open].iter().rposition(pause).map_or(0, |pause| pause + 1);
    let ahead = tokens[begin..open].iter().any(is_thing);
    let Some(length) = tokens[open + 1..].iter().position(|t| pause(t) || ahead && own(t, &Sense::Each)) else {
        return tokens;
    };
    let (end, left) = (open + 1 + length, &tokens[open + 1..open + 1 + length]);
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let rest = &tokens[end + 1..];
    let told = rest.iter().any(acts) && (ahead || rest.iter().any(is_thing));
    if !left.iter().any(is_thing) || left.iter().any(acts) || !told {
        return tokens;
    }
    let word = Token::unsaid(Sense::ExceptClose);
    match pause(&tokens[end]) {
        true => tokens[end] = word,
        false => tokens.insert(end, word),
    }
    tokens
}

/// `除了鱼缸的灯，…`: what a thing has is spared with it.
pub(super) fn with_what_it_has(mut tokens: Vec<Token>) -> Vec<Token> {
    let at = |sense: &Sense| tokens.iter().position(|t| t.has(sense) && !t.is_entity());
    let (Some(open), Some(close)) = (at(&Sense::ExceptOpen), at(&Sense::ExceptClose)) else { return tokens };
    let left = tokens.get(open..close).unwrap_or_default();
    let noun = |t: &Token| t.has(&Sense::Of) || kind(t).is_some() && !t.is_entity();
    if let Some(owner) = left.iter().rposition(Token::is_entity).filter(|at| left[at + 1..].iter().all(noun)) {
        tokens.drain(open + owner + 1..close);
    }
    tokens
}

/// Whether anything is left out of what shall be done.
pub(super) fn spares(orders: &[Order]) -> bool {
    orders.iter().any(|o| !o.scope.exclude.is_empty() || o.quantifier == Quantifier::Except)
}

/// The word for a place that nobody knows in what is left out of all of several.
pub(super) fn of_nowhere(orders: &[Order]) -> Option<String> {
    let excluded = orders.iter().flat_map(|order| &order.scope.exclude);
    excluded.into_iter().find_map(|left_out| match left_out {
        Excluded::Place(Place::Unknown(word)) => Some(word.clone()),
        _ => None,
    })
}

/// `灯全关了小宇屋台灯除外`, `客厅的除外灯都关了`: what is left out by a word behind it alone stands before all of which it is left out.
pub(super) fn led(mut tokens: Vec<Token>) -> Vec<Token> {
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let ends = |at: &usize| own(&tokens[*at], &Sense::ExceptClose) && own(&tokens[*at], &Sense::ExceptAfter);
    let Some(close) = (0..tokens.len()).find(ends) else { return tokens };
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let action = tokens[..close].iter().rposition(acts);
    let clause_of = |at: usize| tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
    // 关灯客厅除外: of what is told behind its verb.
    let object = |action: usize| {
        let behind = !tokens[clause_of(action)..action].iter().any(is_thing);
        behind.then(|| tokens[action..close].iter().position(is_thing)).flatten().unwrap_or_default()
    };
    let start = action.map_or(0, |action| action + 1 + object(action));
    let clause = clause_of(start);
    let small = |t: &&Token| pause(t) || t.has(&Sense::Particle);
    // 空调开二十六度大屋除外
    let much =
        |t: &Token| t.any(|s| matches!(s, Sense::Unit(_) | Sense::Fraction(_) | Sense::Extreme(_))) && !t.is_entity();
    let start = start + tokens[start..close].iter().rposition(much).map_or(0, |last| last + 1);
    let begin = start + tokens[start..close].iter().take_while(small).count();
    let named = |t: &Token| is_thing(t) || place(t).is_some();
    let rest = &tokens[close + 1..];
    let over = rest.iter().take_while(|t| !pause(t)).all(|t| t.has(&Sense::Particle));
    let told = if action.is_some() { over } else { rest.iter().any(acts) };
    let opened = tokens[..close].iter().any(|t| own(t, &Sense::ExceptOpen));
    if opened || !told || !tokens[begin..close].iter().any(named) || tokens[begin..close].iter().any(pause) {
        return tokens;
    }
    // 客厅的除外
    let spared = tokens.drain(begin..=close).take(close - begin);
    let mut spared: Vec<Token> = spared.collect();
    spared.truncate(spared.iter().rposition(|t| !own(t, &Sense::Of)).map_or(0, |last| last + 1));
    let wrapped = [Token::unsaid(Sense::ExceptOpen)].into_iter().chain(spared);
    tokens.splice(clause..clause, wrapped.chain([Token::unsaid(Sense::ExceptClose)]));
    tokens
}

/// Whether a clause that nobody understood says that something stays as it is, and another is told of all of several: what
/// stays could be one of them.
pub(super) fn may_spare(named: &[&[Nominal]], told: &[(Vec<Order>, Vec<String>)], lexicon: &Lexicon) -> bool {
    let several = |orders: &[Order]| orders.iter().any(|o| o.quantifier == Quantifier::All);
    // 空调都关直播间的留到: one of them, and nothing else that it could be about.
    let one = |n: &Nominal| matches!(n.head, None | Some(Head::Reference(None))) && !n.places.is_empty();
    let one_of_them = |named: &[Nominal]| !named.is_empty() && named.iter().all(one);
    let kept = |open: &[String]| open.iter().any(|word| lexicon.kept.contains(word));
    named.iter().zip(told).any(|(named, (_, open))| kept(open) || !open.is_empty() && one_of_them(named))
        && told.iter().any(|(orders, open)| open.is_empty() && several(orders))
}

/// `三个筒灯里只关筒灯2`, `空调只关小宝房的那台`: what is told of one, without all that it is one of; of which kind that is says
/// the word for them all.
pub(super) fn only_of(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let only =
        |at: usize| vocabulary.lexicon.marks.only.contains(&tokens[at].text) && tokens.get(at + 1).is_some_and(acts);
    let Some(at) = (1..tokens.len()).find(|at| only(*at)) else { return tokens };
    let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
    let topic = &tokens[begin..at];
    let length = tokens[at..].iter().take_while(|t| !t.has(&Sense::Punctuation)).count();
    let told = &tokens[at + 1..at + length];
    let all = topic.iter().rfind(|t| is_thing(t));
    let one = |t: &Token| t.has(&Sense::Reference) || t.any(|s| matches!(s, Sense::Side { .. })) || place(t).is_some();
    let open = |t: &Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::Negation | Sense::If | Sense::Report));
    let (Some(all), false) = (all, tokens[begin..at + length].iter().any(open) || topic.iter().any(acts)) else {
        return tokens;
    };
    let named = told.iter().any(is_thing);
    if !named && !told.iter().any(one) {
        return tokens;
    }
    let mut left = tokens[..begin].to_vec();
    left.extend_from_slice(told);
    if !named {
        let ends = |t: &&Token| t.any(|s| matches!(s, Sense::Particle | Sense::Of)) && !t.has(&Sense::Reference);
        let particles = told.iter().rev().take_while(ends).count();
        left.truncate(left.len() - particles);
        left.push(all.clone());
    }
    left.extend_from_slice(&tokens[at + length..]);
    left
}

/// `光把纱帘拉上`: that only that is told.
pub(super) fn without_only(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let only = |at: usize| {
        vocabulary.lexicon.marks.only.contains(&tokens[at].text)
            && tokens[at].is_residue()
            && tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Disposal) && !t.is_entity())
            && at.checked_sub(1).is_none_or(|before| tokens[before].has(&Sense::Punctuation))
    };
    if let Some(at) = (0..tokens.len()).find(|at| only(*at)) {
        tokens.remove(at);
    }
    tokens
}

/// `除了主卧和书房以外的`.
pub(super) fn exclusion(tokens: &[Token], at: usize, nominal: &mut Nominal, vocabulary: &Vocabulary) -> Option<usize> {
    if !tokens[at].has(&Sense::ExceptOpen) || nominal.head.is_some() {
        return None;
    }
    let mut end = at + 1;
    let (mut places, mut heads) = (Vec::new(), Vec::new());
    loop {
        let mut part = Nominal::default();
        let begin = end;
        // A part of an exclusion is a place, or a head with its place: 除了主卧的台灯.
        while end < tokens.len() && part.head.is_none() && !closes(&tokens[end]) {
            let next = part_step(tokens, end, &mut part, vocabulary);
            if next == end {
                break;
            }
            end = next;
        }
        // 书房那台: the place says which.
        if matches!(part.head, Some(Head::Reference(_))) {
            if part.places.is_empty() {
                return None;
            }
            part.head = None;
            end += usize::from(tokens.get(end).is_some_and(|t| t.has(&Sense::Measure)));
        }
        // 除了饭桌上那盏
        let points = |t: &Token| t.any(|s| matches!(s, Sense::RoomSuffix | Sense::Reference)) && !t.is_entity();
        if matches!(part.head, Some(Head::Named { .. })) {
            end += tokens[end..].iter().take_while(|t| points(t)).count();
        }
        match part.head.take() {
            Some(head) => heads.push((head, std::mem::take(&mut part.places))),
            None => places.append(&mut part.places),
        }
        let joined = tokens.get(end).is_some_and(|t| t.has(&Sense::Conjunction));
        if end == begin || !joined {
            break;
        }
        end += 1;
    }
    if places.is_empty() && heads.is_empty() {
        return None;
    }
    while let Some(token) = tokens.get(end).filter(|t| closes(t) || t.has(&Sense::Punctuation)) {
        // 廊灯以外的灯: all others that there are.
        nominal.all |= closes(token) && !token.text.is_empty();
        end += 1;
    }
    if tokens.get(end).is_some_and(|t| t.has(&Sense::Of)) {
        end += 1;
    }
    // 除了主卧的空调都关了: the head that is left out is also what is meant, elsewhere.
    let bare = tokens.get(end).is_none_or(|t| !continues(t, &Nominal::default()) && !t.has(&Sense::Other));
    for (head, mut at_places) in heads {
        let typed = match &head {
            Head::Kind(..) => true,
            Head::Named { text, kind: Some(kind), .. } => vocabulary.lexicon.kinds[*kind].words.contains(text),
            _ => false,
        };
        if typed && !at_places.is_empty() && (bare || nominal.head.is_none()) {
            if bare {
                nominal.head = Some(head);
            }
            nominal.except_places.append(&mut at_places);
        } else {
            nominal.except_heads.push(in_room(head, &at_places));
        }
    }
    // 除了床头灯都关了: the others.
    let each = tokens.get(end).is_some_and(|t| t.any(|s| matches!(s, Sense::Each | Sense::All)));
    nominal.other |= each && nominal.head.is_none() && places.is_empty() && nominal.except_places.is_empty();
    nominal.except_places.append(&mut places);
    Some(end)
}

/// What a nominal leaves out of what it means: `灯关了，空调不动` leaves no lamp out, and so says nothing of how many are meant.
pub(super) fn spared<'n>(nominal: &'n Nominal, vocabulary: &Vocabulary) -> Vec<&'n Head> {
    // 风扇转起来，三档，灯别动: what goes on with a thing is said of no others.
    if nominal.kept && nominal.head.is_none() && !(nominal.all || nominal.each || nominal.other) {
        return Vec::new();
    }
    let meant = nominal.head.as_ref().filter(|_| nominal.kept).and_then(|head| may_mean(head, vocabulary));
    let Some(meant) = meant else { return nominal.except_heads.iter().collect() };
    let among =
        |head: &&Head| devices_of(head, vocabulary).is_none_or(|devices| devices.iter().any(|d| meant.contains(d)));
    nominal.except_heads.iter().filter(among).collect()
}

/// The devices that a head may mean: of 灯 all lamps, though the one in the kitchen is called just that.
fn may_mean(head: &Head, vocabulary: &Vocabulary) -> Option<Vec<usize>> {
    // A group is no device.
    let named = devices_of(head, vocabulary).filter(|devices| !devices.is_empty())?;
    match head {
        Head::Named { text, kind: Some(kind), .. } if vocabulary.lexicon.kinds[*kind].words.contains(text) => {
            let of_kind = |d: &usize| named.contains(d) || vocabulary.devices[*d].is(*kind);
            Some((0..vocabulary.devices.len()).filter(of_kind).collect())
        }
        _ => Some(named),
    }
}

/// `灯关了，吊灯不动`, `灯都关了，床头灯不动`, `关灯，留床头灯`: only what is left out of all in another room says that those of the whole home
/// are meant.
pub(super) fn stays_in_room(
    nominal: &Nominal,
    spared: &[&Head],
    off: bool,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
) -> bool {
    let here = |head: &&Head| {
        let devices = devices_of(head, vocabulary).unwrap_or_default();
        devices.iter().any(|d| speaker.local.is_some() && vocabulary.home.devices[*d].room == speaker.local)
    };
    let all_others = nominal.all || off && nominal.other;
    let near = match nominal.kept {
        true => !nominal.each || spared.iter().any(here),
        // 关灯，留床头灯: those of this room. 只留床头灯，别的灯关了 are all others; but nobody lights the whole home.
        false => !all_others && !spared.is_empty() && spared.iter().all(here),
    };
    nominal.except_places.is_empty() && near
}

/// 书房的台灯: a room that was said with what is left out says which.
pub(super) fn in_room(head: Head, places: &[super::nominal::Place]) -> Head {
    match places {
        [super::nominal::Place::Room(room)] => Head::In(*room, Box::new(head)),
        _ => head,
    }
}

fn closes(token: &Token) -> bool {
    token.has(&Sense::ExceptClose)
}

fn part_step(tokens: &[Token], at: usize, part: &mut Nominal, vocabulary: &Vocabulary) -> usize {
    let token = &tokens[at];
    if let Some(place) = place(token) {
        if !part.places.is_empty() {
            return at;
        }
        part.places.push(place);
        let suffix = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::RoomSuffix) && !closes(t));
        return at + 1 + usize::from(suffix);
    }
    if token.has(&Sense::Of)
        && !part.is_empty()
        && tokens.get(at + 1).is_some_and(|t| kind(t).or_else(|| sort(t)).is_some() || t.is_entity())
    {
        return at + 1;
    }
    head(tokens, at, part, vocabulary).unwrap_or(at)
}

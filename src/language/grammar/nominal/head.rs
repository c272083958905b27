//! The head of a nominal: a named thing, a kind, or a word nobody knows.

use super::*;

/// A word that is a property and a verb at once (摇头) is the verb, unless it is talked about.
pub(in crate::language::grammar) fn starts_predicate(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let verb = tokens[at].any(|s| matches!(s, Sense::Verb(_)));
    let about =
        tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Link)));
    // 取暖和照明关掉: one of several that something is done to.
    let rest = tokens[at + 1..].iter().take_while(|t| !t.has(&Sense::Punctuation));
    let listed = property(&tokens[at]).is_some()
        && tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Conjunction))
        && tokens.get(at + 2).is_some_and(|t| property(t).is_some() || is_thing(t))
        && rest.skip(2).any(|t| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity() && property(t).is_none());
    verb && !about && !listed && !super::super::feature::after_switch(tokens, at, vocabulary)
}

/// Heads: names, kinds, references, residue before a kind.
pub(in crate::language::grammar) fn head(
    tokens: &[Token],
    at: usize,
    nominal: &mut Nominal,
    vocabulary: &Vocabulary,
) -> Option<usize> {
    let token = &tokens[at];
    let devices: Vec<usize> = token
        .senses
        .iter()
        .find_map(|s| if let Sense::Devices(devices) = s { Some(devices.clone()) } else { None })
        .unwrap_or_default();
    if token.is_entity() {
        let scene = devices.is_empty() && !token.any(|s| matches!(s, Sense::Group(_)));
        match &mut nominal.head {
            None => {
                let kind = kind(token).or_else(|| sort(token));
                nominal.head = Some(Head::Named { text: token.text.clone(), devices, kind, scene });
                return Some(at + 1);
            }
            // 那个台灯: the reference points, the name says.
            Some(Head::Reference(None)) => {
                nominal.head = Some(Head::Named { text: token.text.clone(), devices, kind: kind(token), scene });
                return Some(at + 1);
            }
            _ => {}
        }
    }
    let general = kind(token);
    if let Some(id) = general.or_else(|| sort(token)) {
        let linked = at > 0 && tokens[at - 1].any(|s| matches!(s, Sense::Of | Sense::RoomSuffix));
        match &mut nominal.head {
            None => {
                let text = token.text.clone();
                nominal.head = Some(if general.is_some() { Head::Kind(id, text) } else { Head::Sort(id, text) });
                return Some(at + 1);
            }
            // 那个灯带: the pointer only points, the word says which sort.
            Some(head @ Head::Reference(None))
                if general.is_none()
                    && vocabulary.home.devices.iter().any(|d| d.names().any(|n| n.contains(&token.text))) =>
            {
                *head = Head::Sort(id, token.text.clone());
                return Some(at + 1);
            }
            Some(Head::Reference(kind @ None)) => {
                *kind = Some(id);
                return Some(at + 1);
            }
            // 大门的锁, 小爱割草机: the name, then what it is.
            Some(Head::Named { devices, kind: same, .. })
                if (same.is_none() || linked)
                    && !devices.is_empty()
                    && devices.iter().any(|d| vocabulary.devices[*d].is(id))
                    && (linked || general.is_some()) =>
            {
                return Some(at + 1);
            }
            // 鱼缸灯 where there is a plug called 鱼缸插座: nothing here is called so.
            Some(head @ Head::Named { .. }) if !linked && is_other_thing(head, id, token, vocabulary) => {
                let Head::Named { text, .. } = head else { return None };
                *head = Head::Unknown(format!("{text}{}", token.text));
                return Some(at + 1);
            }
            // 鱼缸灯, 马桶灯 where neither has one: no lamp of the room. 电视灯都关了 names two things.
            Some(head @ (Head::Named { scene: false, .. } | Head::Kind(..) | Head::Sort(..)))
                if !linked && is_part_of_none(head, id, tokens, at, vocabulary) =>
            {
                let (Head::Named { text, .. } | Head::Kind(_, text) | Head::Sort(_, text)) = head else { return None };
                *head = Head::Unknown(format!("{text}{}", token.text));
                return Some(at + 1);
            }
            // 门的锁: of two kinds the last is meant. 浴霸的照明 is no lamp where no lamp is one of a 浴霸.
            Some(head @ (Head::Kind(..) | Head::Sort(..))) if linked => {
                if let Head::Kind(whole, text) | Head::Sort(whole, text) = head
                    && !has_part(*whole, text, id, vocabulary)
                {
                    nominal.places.push(Place::Unknown(text.clone()));
                }
                *head = Head::Kind(id, token.text.clone());
                return Some(at + 1);
            }
            _ => return None,
        }
    }
    // 那个东西 is whatever was spoken of, not everything.
    if let (Some(Head::Reference(None)), true) = (&nominal.head, token.has(&Sense::Everything)) {
        return Some(at + 1);
    }
    if let Some(end) = at_the_thing(tokens, at, nominal, vocabulary) {
        return Some(end);
    }
    // 就烤箱那个: who has named it only points to it once more.
    let nouns =
        |t: &Token| t.is_entity() || kind(t).is_some() || sort(t).is_some() || property(t).is_some() || t.is_residue();
    let ends = !tokens.get(at + 1).is_some_and(|t| nouns(t) || t.has(&Sense::Of));
    let points = vocabulary.lexicon.pointers.contains(&token.text) && token.text.chars().count() > 1;
    if matches!(nominal.head, Some(Head::Named { .. })) && points && ends && token.has(&Sense::Reference) {
        return Some(at + 1);
    }
    // 那个星空投影: one thing, that nothing here is, and not also what was spoken of.
    let pointed = matches!(nominal.head, Some(Head::Reference(None))) && at > 0;
    if pointed && token.is_residue() && tokens[at - 1].has(&Sense::Reference) {
        return unknown_head(tokens, at, nominal);
    }
    if nominal.head.is_some() {
        return None;
    }
    if token.has(&Sense::Everything) {
        nominal.head = Some(Head::Everything);
        return Some(at + 1);
    }
    if token.has(&Sense::Reference) && !token.has(&Sense::Then) {
        nominal.head = Some(Head::Reference(counted_kind(tokens, at, vocabulary)));
        return Some(at + 1);
    }
    if token.is_residue() {
        return unknown_head(tokens, at, nominal).or_else(|| strange_head(tokens, at, nominal));
    }
    None
}

/// `餐厅的手表`, at the end or in a row: what a place has and nobody here knows.
fn strange_head(tokens: &[Token], at: usize, nominal: &mut Nominal) -> Option<usize> {
    let of = at > 0 && tokens[at - 1].has(&Sense::Of) && !nominal.places.is_empty() && nominal.property.is_none();
    let ends = tokens.get(at + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Conjunction)));
    let text = &tokens[at].text;
    (of && ends && text.chars().count() > 1).then(|| {
        nominal.head = Some(Head::Strange(text.clone()));
        at + 1
    })
}

/// Residue before a kind names something that is not here: `密室的灯`, `紫外线灯`.
pub(in crate::language::grammar) fn unknown_head(tokens: &[Token], at: usize, nominal: &mut Nominal) -> Option<usize> {
    let mut end = at + 1 + tokens[at + 1..].iter().take_while(|t| t.has(&Sense::Beside)).count();
    let of = tokens.get(end).is_some_and(|t| t.has(&Sense::Of));
    end += usize::from(of);
    let head = tokens.get(end).filter(|t| kind(t).is_some() || sort(t).is_some())?;
    if of {
        nominal.places.push(Place::Unknown(tokens[at..end - 1].iter().map(|t| t.text.as_str()).collect()));
        return Some(end);
    }
    let mut name = format!("{}{}", tokens[at].text, head.text);
    end += 1;
    // 飘窗灯: all of it is the name.
    while let Some(more) = tokens.get(end).filter(|t| !t.is_entity() && (kind(t).is_some() || sort(t).is_some())) {
        name.push_str(&more.text);
        end += 1;
    }
    nominal.head = Some(Head::Unknown(name));
    Some(end)
}

/// Whether the home has a thing of one kind that belongs to one of another: it is both, or its name tells.
fn has_part(whole: KindId, text: &str, part: KindId, vocabulary: &Vocabulary) -> bool {
    vocabulary.home.devices.iter().zip(&vocabulary.devices).any(|(device, sense)| {
        sense.is(part) && (sense.is(whole) || device.names().any(|name| crate::text::normalize(name).contains(text)))
    })
}

/// Whether a word for what things have as a part (灯) stands right behind a thing that has none.
fn is_part_of_none(head: &Head, part: KindId, tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let token = &tokens[at];
    let short = kind(token) == Some(part) && token.text.chars().count() == 1 && !token.is_entity();
    let listed = tokens[at + 1..].iter().take_while(|t| !t.has(&Sense::Punctuation)).any(|t| t.has(&Sense::Each));
    let of_it = |d: &usize| {
        let device = &vocabulary.devices[*d];
        device.is(part) || device.feature_of_kind(part, &vocabulary.lexicon).is_some()
    };
    let has = match head {
        Head::Named { devices, .. } => devices.is_empty() || devices.iter().any(of_it),
        Head::Kind(whole, _) | Head::Sort(whole, _) => {
            *whole == part
                || (0..vocabulary.devices.len()).filter(|d| vocabulary.devices[*d].is(*whole)).any(|d| of_it(&d))
        }
        _ => true,
    };
    vocabulary.lexicon.kinds[part].part && short && !listed && !has
}

/// Whether a part of a name and the word after it name something else than what bears the name.
fn is_other_thing(head: &Head, kind: KindId, token: &Token, vocabulary: &Vocabulary) -> bool {
    let Head::Named { text, devices, .. } = head else { return false };
    let part = vocabulary.called_otherwise(text).next().is_some();
    let of_it = |d: &usize| {
        let device = &vocabulary.devices[*d];
        device.is(kind) || device.feature_of_kind(kind, &vocabulary.lexicon).is_some()
    };
    part && !token.is_entity() && !devices.is_empty() && !devices.iter().any(of_it)
}

/// 鞋柜里的灯: the thing that a word for a place and then one for a thing stand behind says where.
/// Nothing else is meant where nothing of that kind belongs to it: 电视旁边的灯 is neither that nor the lamps here.
fn at_the_thing(tokens: &[Token], at: usize, nominal: &mut Nominal, vocabulary: &Vocabulary) -> Option<usize> {
    let within = tokens[at..].iter().take_while(|t| is_beside(t)).count();
    let of = tokens[at + within..].iter().take_while(|t| t.any(|s| matches!(s, Sense::Of | Sense::Reference))).count();
    let end = at + within + of;
    let what = tokens.get(end).filter(|t| within > 0 && !t.is_entity() && !is_somebody(t, vocabulary))?;
    let id = kind(what).or_else(|| sort(what))?;
    let of_it = |d: usize| {
        let device = &vocabulary.devices[d];
        device.is(id) || device.feature_of_kind(id, &vocabulary.lexicon).is_some()
    };
    let (text, has) = match &nominal.head {
        Some(Head::Named { text, devices, scene: false, .. }) => (text, devices.iter().any(|d| of_it(*d))),
        Some(Head::Kind(whole, text) | Head::Sort(whole, text)) => {
            let whole = |d: &usize| vocabulary.devices[*d].is(*whole);
            (text, (0..vocabulary.devices.len()).filter(whole).any(of_it))
        }
        _ => return None,
    };
    if has {
        return Some(end - of);
    }
    // 电视柜上的灯 is what is called 电视柜灯带.
    let called = |d: &usize| {
        let names = vocabulary.home.devices[*d].names();
        vocabulary.devices[*d].is(id) && names.into_iter().any(|name| crate::text::normalize(name).contains(text))
    };
    let devices: Vec<usize> = (0..vocabulary.devices.len()).filter(called).collect();
    nominal.head = Some(if devices.is_empty() {
        let said: String = tokens[at..=end].iter().map(|t| t.text.as_str()).collect();
        Head::Unknown(format!("{text}{said}"))
    } else {
        Head::Named { text: text.clone(), devices, kind: Some(id), scene: false }
    });
    Some(end + 1)
}

/// Whether a word says where something is, of the thing before it.
fn is_beside(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::RoomSuffix | Sense::Beside)) && !token.is_entity()
}

/// 那盏 is a lamp, where no word behind it says what it is.
fn counted_kind(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<KindId> {
    let lexicon = &vocabulary.lexicon;
    let said = |t: &Token| t.is_entity() || kind(t).is_some() || sort(t).is_some() || t.is_residue();
    let counts = lexicon.marks.lamps.iter().any(|measure| tokens[at].text.ends_with(measure.as_str()));
    (counts && !tokens.get(at + 1).is_some_and(said)).then(|| lexicon.kind("light"))?
}

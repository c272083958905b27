//! The left one, the right one, both.

use super::*;
use crate::text::normalize;

/// `左边的床头灯`, `左右床头灯`: the side is a part of the name.
pub(super) fn sided(tokens: &[Token], at: usize, nominal: &mut Nominal, vocabulary: &Vocabulary) -> Option<usize> {
    let side = tokens[at].senses.iter().find(|s| matches!(s, Sense::BothSides | Sense::Side { .. }))?;
    if nominal.head.is_some() || tokens[at].is_entity() {
        return None;
    }
    let small = |t: &Token| t.has(&Sense::Of) || t.has(&Sense::Reference) || t.has(&Sense::Measure);
    let first = (at + 1..tokens.len()).find(|i| !small(&tokens[*i])).unwrap_or(tokens.len());
    // 左边的书房灯: the one on that side there.
    let room = tokens.get(first).and_then(place).filter(|room| {
        matches!(room, Place::Room(_))
            && nominal.places.is_empty()
            && tokens.get(first + 1).is_some_and(|t| kind(t).is_some())
    });
    let head = first + usize::from(room.is_some());
    nominal.places.extend(room);
    let named = tokens.get(head).filter(|t| t.is_entity() || kind(t).or_else(|| sort(t)).is_some());
    let Some(named) = named else {
        // 右边那扇也开: whatever is called after that side.
        let pointed = head > at + 1;
        nominal.head = pointed.then(|| on_side(side, None, tokens[at].text.clone(), vocabulary)).flatten();
        return nominal.head.is_some().then_some(head);
    };
    let (kind, sort) = (kind(named), sort(named));
    let called = |text: String| on_side(side, kind.or(sort), text, vocabulary);
    if *side == Sense::BothSides {
        nominal.each = true;
        nominal.head = called(format!("{}{}", tokens[at].text, named.text)).filter(|_| !named.is_entity());
        return Some(if nominal.head.is_some() { head + 1 } else { head });
    }
    // 左右床头灯 is cut as 左 and 右床头灯.
    let left = *side == Sense::Side { left: true };
    let other = vocabulary.lexicon.side_words(&Sense::Side { left: !left });
    if let Some(text) = other.iter().find_map(|word| named.text.strip_prefix(word.as_str())).filter(|_| head == at + 1)
    {
        let both =
            on_side(&Sense::BothSides, kind.or(sort), text.to_owned(), vocabulary).filter(|_| kind.or(sort).is_some());
        let devices = vocabulary
            .senses(text)
            .into_iter()
            .find_map(|s| if let Sense::Devices(devices) = s { Some(devices) } else { None });
        nominal.each = true;
        let text = text.to_owned();
        let all = Head::Named { text, devices: devices.unwrap_or_default(), kind: kind.or(sort), scene: false };
        nominal.head = Some(both.unwrap_or(all));
        return Some(head + 1);
    }
    // 右床头灯 where a device is called so.
    let device = vocabulary.lexicon.side_words(side).iter().find_map(|word| {
        let text = format!("{word}{}", named.text);
        let found = vocabulary.senses(&text);
        let devices =
            found.into_iter().find_map(|s| if let Sense::Devices(devices) = s { Some(devices) } else { None })?;
        Some(Head::Named { text, devices, kind: kind.or(sort), scene: false })
    });
    // 右边窗帘 where it is called 右帘.
    nominal.head = Some(device.or_else(|| called(format!("{}{}", tokens[at].text, named.text)))?);
    Some(head + 1)
}

/// What bears one side in its name, of a kind if one was said.
fn on_side(side: &Sense, kind: Option<KindId>, text: String, vocabulary: &Vocabulary) -> Option<Head> {
    let sides = match side {
        Sense::BothSides => vec![Sense::Side { left: true }, Sense::Side { left: false }],
        one => vec![one.clone()],
    };
    let words: Vec<&String> = sides.iter().flat_map(|side| vocabulary.lexicon.side_words(side)).collect();
    let home = vocabulary.home.devices.iter().zip(&vocabulary.devices).enumerate();
    let on_it = home.filter(|(_, (device, sense))| {
        kind.is_none_or(|kind| sense.is(kind)) && device.names().any(|n| words.iter().any(|w| n.contains(w.as_str())))
    });
    let devices: Vec<usize> = on_it.map(|(index, _)| index).collect();
    // By its name, which is understood also where nothing was said before it.
    let text = match devices[..] {
        [only] => normalize(&vocabulary.home.devices[only].name),
        _ => text,
    };
    (!devices.is_empty()).then_some(Head::Named { text, devices, kind: None, scene: false })
}

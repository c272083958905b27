//! Lengths of time that a device is told, and that are no time of the sentence.

use super::super::super::action::{Action, Amount};
use super::super::super::lexicon::{Sense, Unit};
use super::super::super::order::Order;
use super::super::super::segment::Token;
use super::super::super::time::Piece;
use super::super::super::vocabulary::Vocabulary;
use super::super::recut::devices;
use super::super::{Parse, SpeakerContext, trace};
use super::is_blank;
use super::timed::Timed;
use crate::home::Domain;

/// `空调定时两小时`, `把洗涤时间设为半小时`: how long a device's own timer runs, or whatever else it counts in time. `None` when
/// the length of time is none of a property's.
pub(super) fn length(
    timed: &Timed,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
    note: trace::Note,
) -> Option<Parse> {
    let words = &vocabulary.lexicon.time;
    let by_itself = timed.spans.first().and_then(|span| own_timer(&timed.text(0, span.start), vocabulary));
    let (before, span) = match (&by_itself, &timed.spans[..]) {
        (Some(before), [span]) => (before.clone(), span),
        (None, [span]) => (timed.text(0, span.start), span),
        (_, [timer, span]) if timer.piece == Piece::Timer => {
            let (before, between) = (timed.text(0, timer.start), timed.text(timer.end, span.start));
            // 定时时间设为两小时: the name is there already.
            let named = words.own_timer().strip_prefix(timed.text(timer.start, timer.end).as_str());
            let rest = named.and_then(|named| between.strip_prefix(named)).unwrap_or(&between);
            (format!("{before}{}{rest}", words.own_timer()), span)
        }
        _ => return None,
    };
    let Piece::For(seconds) = span.piece else { return None };
    if !is_blank(&timed.text(span.end, timed.chars.len()), vocabulary) {
        return None;
    }
    let before = of_the_thing(&before, vocabulary, speaker).unwrap_or(before);
    let tokens = super::super::shares::words(&before, vocabulary, speaker.local);
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::SetBare | Sense::Set { .. } | Sense::Step { .. }));
    let names = |t: &Token| t.any(|s| matches!(s, Sense::Property(_)));
    let last = tokens.last()?;
    let stated = if sets(last) { before.clone() } else { format!("{before}{}", words.set_to()) };
    if !tokens.iter().any(names) || !(sets(last) || names(last)) {
        return None;
    }
    // A number stands for the length, until it is known what is set to it.
    let Parse::Orders(orders) = super::super::heard::untimed(&format!("{stated}1"), vocabulary, speaker, note) else {
        return None;
    };
    let (count, unit) = match seconds {
        hours if hours % 3_600 == 0 => (hours / 3_600, Unit::Hour),
        minutes if minutes % 60 == 0 => (minutes / 60, Unit::Minute),
        seconds => (seconds, Unit::Second),
    };
    let to = Amount::Number(count as f64, Some(unit));
    let set = |order: Order| match order.action {
        Action::Set { property: property @ Some(_), to: Amount::Number(1.0, None) } => {
            Some(Order { action: Action::Set { property, to: to.clone() }, ..order })
        }
        Action::Step { ways, by: Some(Amount::Number(1.0, None)) } if ways.iter().all(|(way, _)| way.is_some()) => {
            Some(Order { action: Action::Step { ways, by: Some(to.clone()) }, ..order })
        }
        _ => None,
    };
    // 换自然风再定三小时, 浇花器打开，浇水时长十分钟: what is told before has nothing to do with the length.
    let pauses = before.contains(|c: char| !c.is_alphanumeric());
    let others = if by_itself.is_some() || pauses { orders.len().checked_sub(1)? } else { 0 };
    let told = |(at, order): (usize, Order)| if at < others { Some(order) } else { set(order) };
    orders.into_iter().enumerate().map(told).collect::<Option<Vec<Order>>>().map(Parse::Orders)
}

/// `喷灌四十分钟`, `喷灌再加十分钟`: of a thing that counts one thing in time and that is all that it is told, that.
fn of_the_thing(before: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<String> {
    let tokens = super::super::shares::words(before, vocabulary, speaker.local);
    let small = |t: &Token| {
        let small =
            |s: &Sense| matches!(s, Sense::Filler | Sense::Sequence | Sense::Also | Sense::Make | Sense::Disposal);
        t.any(small) && !t.is_entity()
    };
    let told =
        |t: &Token| t.any(|s| matches!(s, Sense::Step { .. } | Sense::Set { .. } | Sense::SetBare)) && !t.is_entity();
    let (thing, rest) = tokens.split_first()?;
    let of = devices(thing, vocabulary).filter(|of| of.len() == 1)?;
    let step = rest.iter().position(told).unwrap_or(rest.len());
    if !rest[..step].iter().all(small) || rest.len() > step + 1 {
        return None;
    }
    let lexicon = &vocabulary.lexicon;
    let timed = vocabulary.devices[of[0]].abilities.iter().filter(|a| {
        let unit = a.unit.as_deref().and_then(|unit| lexicon.seconds(unit));
        a.writable && unit.is_some() && matches!(a.domain, Some(Domain::Number { .. }))
    });
    let mut timed = timed.filter_map(|a| a.property);
    let name = timed.next().filter(|_| timed.next().is_none()).and_then(|p| lexicon.properties[p].words.first())?;
    let verb = rest.get(step).map_or("", |t| t.text.as_str());
    Some(format!("{}{name}{verb}", thing.text))
}

/// `风扇定两小时`: what stands before a length of time, with the name of the timer, where the home has one.
fn own_timer(before: &str, vocabulary: &Vocabulary) -> Option<String> {
    let words = &vocabulary.lexicon.time;
    let timer = vocabulary.lexicon.property("timer")?;
    let has = vocabulary.devices.iter().any(|device| device.about(timer).is_some_and(|ability| ability.writable));
    let ends = words.timed().iter().filter_map(|word| before.strip_suffix(word.as_str()));
    // 定五分钟 alone is said of a kettle or of nothing at all.
    let rest = ends.min_by_key(|rest| rest.len()).filter(|rest| has && !rest.is_empty())?;
    Some(format!("{rest}{}", words.own_timer()))
}

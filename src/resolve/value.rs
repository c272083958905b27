//! Values, units and ranges, as they are sent and as they are spoken.

use serde_json::{Number, Value};

use super::{Context, reply};
use crate::home::{Choice, DeviceIndex, Domain};
use crate::language::action::{Amount, unit_text};
use crate::language::lexicon::{Lexicon, PropertyId, Unit};
use crate::language::meaning::{Ability, Source, parts};

/// As many numbers as people count gears by; of wider ranges they say shares.
pub(super) const MAX_GEARS: f64 = 20.0;

pub(super) fn to_percent(to: &Amount) -> bool {
    matches!(to, Amount::Percent(_))
}

/// Whether a unit that was said is one of the property's.
pub(super) fn unit_fits(unit: Option<Unit>, ability: &Ability, lexicon: &Lexicon) -> bool {
    let Some(unit) = unit else { return true };
    let own = ability.unit.as_deref().map(|u| u.trim_start_matches('°').to_lowercase());
    let called = |own: &str, unit: Unit| lexicon.unit_words(unit).iter().any(|word| word == own);
    let about = |id: &str| ability.property.is_some_and(|p| lexicon.properties[p].id == id);
    match unit {
        Unit::Percent => own.as_deref() == Some("%"),
        // 度 is said of temperatures and of angles.
        Unit::Celsius => match own.as_deref() {
            None => about("temperature"),
            Some(own) => ["", "deg"].contains(&own) || called(own, Unit::Celsius),
        },
        Unit::Kelvin => about("color_temperature"),
        Unit::Channel => about("channel"),
        Unit::Gear => own.is_none_or(|own| called(&own, Unit::Gear)),
        Unit::Lux => about("illuminance"),
        Unit::Portion => about("portions"),
        Unit::Minute | Unit::Hour | Unit::Second => seconds(ability, lexicon).is_some(),
    }
}

/// What was said, in the property's own unit; `None` where the two do not go together.
pub(super) fn in_own_unit(said: f64, unit: Option<Unit>, ability: &Ability, lexicon: &Lexicon) -> Option<f64> {
    match unit.and_then(Unit::seconds) {
        Some(length) => Some(said * length / seconds(ability, lexicon)?),
        None => unit_fits(unit, ability, lexicon).then_some(said),
    }
}

/// Seconds of the unit that a property counts time in.
fn seconds(ability: &Ability, lexicon: &Lexicon) -> Option<f64> {
    lexicon.seconds(ability.unit.as_deref()?)
}

/// What values are called, weakest first; those beside each other are alike.
const DEGREES: [&[&str]; 5] = [&["silent"], &["low"], &["mid", "normal"], &["high"], &["turbo"]];

/// The choices of an enumeration that are degrees, weakest first: by their names, or by the numbers that are sent for them.
pub(super) fn gears(ability: &Ability, lexicon: &Lexicon) -> Vec<usize> {
    let Some(Domain::Enum(list)) = &ability.domain else { return Vec::new() };
    let numbers: Vec<f64> = list.iter().filter_map(|c| c.value.as_str()?.parse().ok()).collect();
    if numbers.len() == list.len() && numbers.is_sorted() {
        return (0..list.len()).collect();
    }
    // 冷水, 30度, 60度 of a washer: those that are numbers by name, with what is none of them as their beginning.
    let named: Vec<Option<f64>> = list.iter().map(|c| counted(&c.describe)).collect();
    if named.len() > 2 && named[1..].iter().all(Option::is_some) && named[usize::from(named[0].is_none())..].is_sorted()
    {
        return (0..list.len()).collect();
    }
    let known = |index: usize| {
        let choices = ability.choices.get(index)?;
        let is = |ids: &&[&str]| choices.iter().any(|c| ids.contains(&lexicon.choices[*c].id.as_str()));
        DEGREES.iter().position(is)
    };
    let written = |index: usize| {
        let value = list[index].value.as_str().unwrap_or_default().to_lowercase();
        [(1, "low"), (2, "mid"), (3, "high")].into_iter().find(|(_, r)| value.contains(r)).map(|(rank, _)| rank)
    };
    let mut ranked: Vec<(usize, usize)> =
        (0..list.len()).filter_map(|i| Some((known(i).or_else(|| written(i))?, i))).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, i)| i).collect()
}

/// The number that the name of a value is: 40 of `40度`. A name that says more (`1-2度`) is none.
pub(super) fn counted(name: &str) -> Option<f64> {
    let end = name.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(name.len());
    let (number, rest) = name.split_at(end);
    if rest.chars().any(|c| c.is_ascii_digit()) { None } else { number.parse().ok() }
}

/// A JSON number, whole where the property is.
pub(super) fn number(value: f64, integer: bool) -> Value {
    if integer && value.abs() < 9e15 {
        return Value::Number((value as i64).into());
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A choice in words.
pub(super) fn said(choice: &Choice, word: &str) -> String {
    match (choice.describe.is_empty(), word.is_empty()) {
        (false, _) => choice.describe.clone(),
        (true, false) => word.to_owned(),
        (true, true) => choice.value.as_str().map_or_else(|| choice.value.to_string(), str::to_owned),
    }
}

/// A value and its unit, as it is spoken.
pub fn with_unit(value: &Value, ability: &Ability, lexicon: &Lexicon) -> String {
    let share = share(value, ability);
    let unit = match (ability.unit.as_deref(), ability.counts) {
        (Some("C" | "°C" | "℃"), _) => lexicon.unit_words(Unit::Celsius).first().map_or("", String::as_str),
        (Some(other), _) => ["s", "min", "h"]
            .iter()
            .position(|own| own.eq_ignore_ascii_case(other))
            .map_or(other, |at| unit_text([Unit::Second, Unit::Minute, Unit::Hour][at], lexicon)),
        (None, Some(Unit::Percent | Unit::Gear)) if share.is_some() => "%",
        (None, None) if in_degrees(ability, lexicon) => {
            lexicon.unit_words(Unit::Celsius).first().map_or("", String::as_str)
        }
        (None, Some(Unit::Percent) | None) => "",
        (None, Some(unit)) => unit_text(unit, lexicon),
    };
    let number = value.as_f64().map_or_else(|| value.to_string(), |n| format!("{n}"));
    match share {
        Some(share) if ability.unit.is_none() && unit == "%" => format!("{share}{unit}"),
        _ => format!("{number}{unit}"),
    }
}

/// Whether a number that comes without a unit is one of degrees, by what it is of: not where a few steps are counted from the
/// first.
fn in_degrees(ability: &Ability, lexicon: &Lexicon) -> bool {
    let celsius = |property: PropertyId| lexicon.properties[property].units.iter().any(|unit| unit == "c");
    let is = |property: PropertyId| celsius(property) || lexicon.properties[property].like.is_some_and(celsius);
    let steps = matches!(ability.domain, Some(Domain::Number { min: Some(min), max: Some(max), .. })
        if (0.0..=1.0).contains(&min) && max <= MAX_GEARS);
    ability.property.or(ability.kin).is_some_and(is) && !steps
}

/// Ranges that end before it are told as they are: 音量12 of 30 is what was set.
const HUNDRED: f64 = 100.0;

/// A number as a share of a range that is too wide for gears, in percent. What is above the least is at least one.
fn share(value: &Value, ability: &Ability) -> Option<u32> {
    let Some(Domain::Number { min: Some(min), max: Some(max), .. }) = ability.domain else { return None };
    let value = value.as_f64().filter(|v| max - min > MAX_GEARS && max >= HUNDRED && (min..=max).contains(v))?;
    let share = ((value - min) / (max - min) * 100.0).round();
    Some(if value > min || min > 0.0 { share.max(1.0) as u32 } else { 0 })
}

/// Whether a bare number is a share: of a range that is told in percent and goes beyond a hundred, 50 of 0 to 255 is the half.
pub(super) fn is_share(said: f64, ability: &Ability) -> bool {
    let beyond = matches!(ability.domain, Some(Domain::Number { min: Some(_), max: Some(max), .. }) if max > HUNDRED);
    beyond && ability.unit.is_none() && ability.counts == Some(Unit::Percent) && (0.0..=HUNDRED).contains(&said)
}

/// The values of an ability, as they are spoken.
pub fn describe_range(ability: &Ability, context: &Context) -> String {
    let replies = context.replies;
    match &ability.domain {
        Some(Domain::Number { min: Some(min), max: Some(max), .. }) => {
            let [least, most] = [min, max].map(|end| {
                with_unit(&Number::from_f64(*end).map_or(Value::Null, Value::Number), ability, context.world.lexicon())
            });
            let least = least.trim_end_matches(|c: char| !c.is_ascii_digit());
            replies.say("from_to", &[("least", least), ("most", &most)])
        }
        Some(Domain::Enum(list)) => {
            list.iter().take(8).map(|c| said(c, "")).collect::<Vec<_>>().join(replies.word("comma"))
        }
        Some(Domain::Bool) => replies.word("switchable").to_owned(),
        _ => String::new(),
    }
}

/// What a device calls a property.
pub(super) fn property_name(device: DeviceIndex, ability: &Ability, property: PropertyId, context: &Context) -> String {
    let described = match ability.source {
        Source::Property(i) => Some(context.world.home().devices[device].properties[i].describe.as_str()),
        Source::Command(_) => None,
    };
    // 色温，越小越暖: the name, and not what is said of it.
    match described.and_then(|text| parts(text).next()) {
        Some(name) => reply::spoken(name),
        None => context.world.lexicon().properties[property].words[0].clone(),
    }
}

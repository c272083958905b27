//! Features of devices, on or off: by a property of that name, by those that one word stands for, or by one of several values.

use super::*;
use crate::home::Choice;

/// What tells of a feature of a device, and whether each is on. Several where one word stands for all of them (`摆风` for up and
/// down, and for left and right).
pub(in crate::resolve) fn of<'a>(
    device: DeviceIndex,
    property: PropertyId,
    context: &'a Context,
) -> Vec<(&'a Ability, bool)> {
    let properties = &context.world.lexicon().properties;
    let told = |of: PropertyId| reads(device, of, context).and_then(|a| Some((a, on(device, a, of, context)?)));
    if let Some(known) = told(property) {
        return vec![known];
    }
    let entry = &properties[property];
    if !entry.flag || has(device, property, context) {
        return Vec::new();
    }
    let covered: Vec<_> = entry.covers.iter().filter_map(|p| told(*p)).collect();
    if !covered.is_empty() {
        return covered;
    }
    // 上下摆风 of what swings in one way, or has ways to choose from.
    let wider = (0..properties.len()).filter(|p| properties[*p].covers.contains(&property));
    let way = |wider: PropertyId| {
        let ability = reads(device, wider, context)?;
        Some((ability, on(device, ability, property, context)?))
    };
    wider.filter_map(way).take(1).collect()
}

/// Whether a feature of a device is on, and what tells that; `None` where nothing does.
pub(super) fn is_on<'a>(
    device: DeviceIndex,
    property: PropertyId,
    context: &'a Context,
) -> Option<(bool, &'a Ability)> {
    let told = of(device, property, context);
    let (ability, on) = told.iter().find(|(_, on)| *on).or(told.first())?;
    Some((*on, ability))
}

/// Whether what an ability is at means that a feature is on.
fn on(device: DeviceIndex, ability: &Ability, property: PropertyId, context: &Context) -> Option<bool> {
    let now = value(device, ability, context)?;
    let lexicon = context.world.lexicon();
    let Some(Domain::Enum(list)) = ability.domain.as_ref().filter(|_| lexicon.properties[property].is_feature()) else {
        return truth(now);
    };
    let at = list.iter().position(|choice| choice.value == *now)?;
    let ends = ["fixed", "close", "stop", "pause"].map(|id| lexicon.choice(id));
    if ability.choices[at].iter().any(|meaning| ends.contains(&Some(*meaning))) {
        return Some(false);
    }
    let properties = &lexicon.properties;
    if ability.property == Some(property) || truth(now).is_some() {
        return Some(true);
    }
    // 上下, and so not 左右.
    let says = |property: PropertyId, choice: &Choice| {
        let describe = crate::text::normalize(&choice.describe);
        !describe.is_empty() && properties[property].words.iter().any(|word| word.starts_with(&describe))
    };
    let wider = properties.iter().find(|p| p.covers.contains(&property))?;
    match says(property, &list[at]) {
        true => Some(true),
        false => wider.covers.iter().any(|p| says(*p, &list[at])).then_some(false),
    }
}

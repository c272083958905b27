//! What becomes of conditions.

use serde_json::Value;

use super::Context;
use super::answer::not_so;
use super::state::{holds, number_of, plainly, reads, value};
use super::status::status_word;
use super::value::{property_name, with_unit};
use crate::home::DeviceIndex;
use crate::language::action::{Condition, Status};

/// What became of a condition: whether it holds, and what was read. `every`: of all of the devices, not of any.
pub fn condition(when: &Condition, devices: &[DeviceIndex], every: bool, context: &Context) -> Option<(bool, String)> {
    let Condition::Status { status, holds: wanted } = when else { return None };
    if let Status::Compare { property, comparison, value: bound, .. } = status {
        let all = devices.iter().filter_map(|d| {
            let ability = reads(*d, *property, context)?;
            Some((*d, ability, value(*d, ability, context).and_then(number_of)?))
        });
        let all: Vec<_> = all.collect();
        let plain = plainly(all.iter().map(|(device, ability, _)| (*device, *ability)), *property, context);
        let told = |writable: bool| {
            let told = all.iter().zip(&plain).find(|((_, ability, _), plain)| **plain && ability.writable == writable);
            told.map(|(told, _)| *told)
        };
        let (device, ability, number) = told(false).or_else(|| told(true))?;
        let name = property_name(device, ability, *property, context);
        let number_read = serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number);
        let now = with_unit(&number_read, ability, context.world.lexicon());
        let what = context.device_name(device);
        let read = context.replies.say("read", &[("what", &what), ("property", &name), ("value", &now)]);
        return Some((comparison.holds(number, *bound) == *wanted, read));
    }
    let known: Vec<(DeviceIndex, bool)> =
        devices.iter().filter_map(|d| Some((*d, holds(*d, status, context)?))).collect();
    // 没关就关了: of several it is wanted of those that are not, so that one is enough; 没开就打开 is not, where one is on.
    let lexicon = context.world.lexicon();
    let closes =
        matches!(status, Status::Verb(verb) if lexicon.verbs[*verb].safe && lexicon.verbs[*verb].opposite.is_some());
    let so = if every || !wanted && closes { known.iter().all(|(_, h)| *h) } else { known.iter().any(|(_, h)| *h) };
    let (device, _) = known.iter().find(|(_, h)| *h == so).or(known.first())?;
    let word = if so { status_word(status, context) } else { not_so(status, &[*device], context) };
    Some((so == *wanted, super::answer::about(*device, status, &word, context)))
}

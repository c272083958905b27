//! How a value is out of range.

use super::outcome::Resolver;
use super::state::sets;
use super::value::with_unit;
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Action, Amount};
use crate::language::lexicon::PropertyId;
use crate::language::order::Order;

impl Resolver<'_> {
    /// The reply for a value that a device cannot be set to: more than there is, less, between two steps, or no value of its.
    pub(super) fn beyond(&self, device: DeviceIndex, property: Option<PropertyId>, order: &Order) -> &'static str {
        let Some(ability) = property.and_then(|property| sets(device, property, self.context)) else { return "range" };
        let said = match &order.action {
            Action::Set { to: Amount::Number(number, _) | Amount::Percent(number), .. } => Some(*number),
            _ => None,
        };
        match (&ability.domain, said) {
            (Some(Domain::Enum(_)), _) => "range_choice",
            (Some(Domain::Number { max: Some(max), .. }), Some(said)) if said > *max => "range_high",
            (Some(Domain::Number { min: Some(min), .. }), Some(said)) if said < *min => "range_low",
            (Some(Domain::Number { min: Some(_), max: Some(_), .. }), Some(_)) => "range_between",
            _ => "range",
        }
    }

    /// The least and the most that a property can be set to, in words.
    pub(super) fn ends(&self, device: DeviceIndex, property: PropertyId) -> Option<[String; 2]> {
        let ability = sets(device, property, self.context)?;
        let Some(Domain::Number { min: Some(min), max: Some(max), .. }) = ability.domain else { return None };
        Some([min, max].map(|end| {
            with_unit(&serde_json::Number::from_f64(end).map_or(serde_json::Value::Null, Into::into), ability)
        }))
    }
}

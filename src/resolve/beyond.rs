//! How a value is out of range.

use super::resolver::Resolver;
use super::state::sets;
use crate::home::{DeviceIndex, Domain};
use crate::language::action::{Action, Amount};
use crate::language::lexicon::PropertyId;
use crate::language::order::Order;

impl Resolver<'_> {
    /// The reply for a value that a device cannot be set to: between two steps, none of those that have names, or beyond them.
    pub(super) fn beyond(&self, device: DeviceIndex, property: Option<PropertyId>, order: &Order) -> &'static str {
        let Some(ability) = property.and_then(|property| sets(device, property, self.context)) else { return "range" };
        let said = match &order.action {
            Action::Set { to: Amount::Number(number, _) | Amount::Percent(number), .. } => Some(*number),
            _ => None,
        };
        match (&ability.domain, said) {
            (Some(Domain::Enum(_)), _) => "range_choice",
            (Some(Domain::Number { min: Some(min), max: Some(max), .. }), Some(said))
                if (*min..=*max).contains(&said) =>
            {
                "range_between"
            }
            _ => "range",
        }
    }
}

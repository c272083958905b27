//! What can be switched of a thing that cannot be switched as a whole.

use super::resolver::Resolver;
use crate::home::{DeviceIndex, Domain};
use crate::language::action::Action;
use crate::language::lexicon::PropertyId;

/// Parts that are named.
const MAX_PARTS: usize = 5;

impl Resolver<'_> {
    /// `浴霸要分开说，有暖风、换气和照明`: the switches of one thing that is told to go on or off and has none for itself.
    pub(super) fn parts(&self, devices: &[DeviceIndex], action: &Action) -> Option<String> {
        let lexicon = self.context.world.lexicon();
        let Action::Verb(verb) = action else { return None };
        if !["on", "off"].map(|id| lexicon.verb(id)).contains(&Some(*verb)) {
            return None;
        }
        let [device] = devices else { return None };
        let abilities = self.context.world.vocabulary.devices[*device].abilities.iter();
        let switches = abilities.filter(|a| a.writable && matches!(a.domain, Some(Domain::Bool)));
        let named: Vec<PropertyId> = switches.filter_map(|a| a.property).take(MAX_PARTS).collect();
        let names: Vec<&str> = named.iter().map(|p| lexicon.properties[*p].words[0].as_str()).collect();
        (names.len() > 1).then(|| self.context.replies.list(&names))
    }
}

//! What cannot be reached is not said to be done, though the words for all of its like claim it.

use super::*;
use crate::language::order::Target;

impl Resolver<'_> {
    /// The devices that the words for several of a kind claim: all of the kind in their rooms, unless it was said which.
    pub(super) fn claimed(&self, order: &Order, devices: &[DeviceIndex]) -> Vec<DeviceIndex> {
        let world = self.context.world;
        let (home, lexicon) = (world.home(), world.lexicon());
        let Target::Type(kind) = &order.target else { return Vec::new() };
        let picked = order.filter.is_some() || order.count.is_some() || !order.scope.exclude.is_empty();
        if devices.len() < 2 || picked {
            return Vec::new();
        }
        let room = |device: DeviceIndex| home.devices[device].room;
        let rooms: Vec<Option<RoomIndex>> = devices.iter().map(|d| room(*d)).collect();
        let is_kind = |device: &DeviceIndex| {
            let mut kinds = world.vocabulary.devices[*device].kinds.iter();
            kinds.any(|k| lexicon.kinds[*k].kind == *kind && lexicon.is_primary(*k))
        };
        (0..home.devices.len()).filter(|d| rooms.contains(&room(*d)) && is_kind(d)).collect()
    }

    /// Says which of those that could do it cannot be reached.
    pub(super) fn leave_out(&mut self, claimed: &[DeviceIndex], order: &Order) {
        let world = self.context.world;
        let able = |device: &DeviceIndex| {
            let (sense, state) = (&world.vocabulary.devices[*device], &self.context.live.get(*device).values);
            let device = &world.home().devices[*device];
            Subject { device, sense, state, lexicon: world.lexicon() }.able(&order.action)
        };
        let away = claimed.iter().copied().filter(|d| !self.context.online(*d) && able(d));
        self.say_offline(&away.collect::<Vec<_>>());
    }

    /// Says that these devices cannot be reached.
    pub(super) fn say_offline(&mut self, devices: &[DeviceIndex]) {
        let names: Vec<String> = devices.iter().map(|d| self.context.device_name(*d)).collect();
        let replies = self.context.replies;
        if !names.is_empty() {
            let text = replies.say("offline_now", &[("what", &replies.few(&names))]);
            if !self.missing.contains(&text) {
                self.missing.push(text);
            }
        }
    }
}

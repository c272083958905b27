//! How often the devices of a home were asked for. It orders the choices of a question and decides nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::{DeviceIndex, Home, MAX_ALL_DEVICES};

/// How often and when something was used; what was used more often is greater, and of the same the later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uses {
    /// How often.
    pub times: u64,
    /// When last, in milliseconds since the Unix epoch.
    pub last_ms: u64,
}

/// What was used, by device id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage(BTreeMap<Arc<str>, Uses>);

impl Usage {
    /// What was counted before, and the ids for which there is no room.
    pub(super) fn of(counted: impl IntoIterator<Item = (String, Uses)>) -> (Self, Vec<Arc<str>>) {
        let mut usage = Self(counted.into_iter().map(|(id, uses)| (id.into(), uses)).collect());
        let over = usage.trim(MAX_ALL_DEVICES);
        (usage, over)
    }

    /// Counts one more use of a device.
    pub(super) fn count(&mut self, id: &str, now_ms: u64) -> Uses {
        let before = self.0.get(id).copied().unwrap_or_default();
        // A clock that was set back takes nothing of what is known.
        let uses = Uses { times: before.times.saturating_add(1), last_ms: before.last_ms.max(now_ms) };
        self.0.insert(id.into(), uses);
        uses
    }

    /// Lets go of what was not used for longest while there are more than `keep`.
    pub(super) fn trim(&mut self, keep: usize) -> Vec<Arc<str>> {
        let over = self.0.len().saturating_sub(keep);
        if over == 0 {
            return Vec::new();
        }
        let mut oldest: Vec<(u64, Arc<str>)> = self.0.iter().map(|(id, uses)| (uses.last_ms, Arc::clone(id))).collect();
        oldest.sort_unstable();
        let gone: Vec<Arc<str>> = oldest.into_iter().take(over).map(|(_, id)| id).collect();
        self.remove(&gone);
        gone
    }

    /// Lets go of devices that are not in the home.
    pub(super) fn keep_to(&mut self, home: &Home) -> Vec<Arc<str>> {
        let there: HashSet<&str> = home.devices.iter().map(|device| device.id.as_str()).collect();
        let gone: Vec<Arc<str>> = self.0.keys().filter(|id| !there.contains(&***id)).cloned().collect();
        self.remove(&gone);
        gone
    }

    fn remove(&mut self, gone: &[Arc<str>]) {
        for id in gone {
            self.0.remove(id);
        }
    }

    /// How often a device was used.
    pub fn uses(&self, id: &str) -> Uses {
        self.0.get(id).copied().unwrap_or_default()
    }

    /// The same choices with those first that were used most, of these the latest; what was used alike stays as it is.
    #[must_use]
    pub fn in_order(&self, mut choices: Vec<DeviceIndex>, home: &Home) -> Vec<DeviceIndex> {
        choices.sort_by_key(|device| Reverse(self.uses(&home.devices[*device].id)));
        choices
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn home(ids: &[&str]) -> Home {
        let device = |id: &&str| json!({"id": id, "name": "台灯", "device": {"model": "m"}});
        let model = json!({"m": {"property": {"power": {"type": "bool"}}}});
        crate::home::parse(&json!({"model": model, "devices": ids.iter().map(device).collect::<Vec<_>>()})).unwrap().0
    }

    fn used(uses: &[(&str, u64)]) -> Usage {
        let mut usage = Usage::default();
        uses.iter().for_each(|(id, at)| _ = usage.count(id, *at));
        usage
    }

    #[test]
    fn the_most_used_come_first_then_the_latest_and_the_others_stay_as_they_are() {
        let home = home(&["a", "b", "c", "d", "e"]);
        let order = |usage: &Usage| usage.in_order(vec![4, 0, 1, 2, 3], &home);
        assert_eq!(order(&Usage::default()), [4, 0, 1, 2, 3]);
        assert_eq!(order(&used(&[("d", 1)])), [3, 4, 0, 1, 2]);
        assert_eq!(order(&used(&[("b", 1), ("c", 2), ("d", 3), ("d", 4)])), [3, 2, 1, 4, 0]);
        assert_eq!(used(&[("a", 9), ("a", 5)]).uses("a"), Uses { times: 2, last_ms: 9 });
    }

    #[test]
    fn what_is_gone_is_let_go_and_of_too_many_what_was_not_used_for_longest() {
        let mut usage = used(&[("a", 3), ("b", 1), ("c", 2)]);
        assert_eq!(usage.keep_to(&home(&["a", "b", "x"])), ["c".into()]);
        assert_eq!(usage.trim(1), ["b".into()]);
        assert_eq!((usage.uses("a").times, usage.uses("b"), usage.uses("c")), (1, Uses::default(), Uses::default()));
        let many = (0..MAX_ALL_DEVICES as u64 + 2).map(|n| (format!("d{n}"), Uses { times: 1, last_ms: n }));
        let (usage, over) = Usage::of(many);
        assert_eq!((usage.0.len(), over), (MAX_ALL_DEVICES, vec!["d0".into(), "d1".into()]));
    }
}

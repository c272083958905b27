//! Orders under way, until all that was said for them is settled: what the audit trail and whoever asked are told then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::audit::{Entry, Step};
use crate::transport::Fate;

/// One device's order.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// Tells it from others: the row of its instruct.
    pub(super) number: u64,
    /// The device.
    pub(super) device: String,
    /// What the audit trail says of it, if the device is a risky one.
    pub(super) ordered: Option<Arc<Entry>>,
}

/// What became of an order.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) order: Order,
    pub(super) fate: Fate,
}

/// The orders under way.
#[derive(Debug, Default)]
pub(super) struct Watch {
    // Not held across an await.
    under_way: Mutex<UnderWay>,
}

#[derive(Debug, Default)]
struct UnderWay {
    /// The order of each row that counts for one.
    rows: HashMap<u64, u64>,
    /// The orders by number: how many of their rows are not settled, and the worst that became of the others.
    orders: HashMap<u64, (Order, usize, Fate)>,
}

impl Watch {
    /// Watches an order until these rows are settled.
    pub(super) fn begin(&self, order: &Order, rows: impl IntoIterator<Item = u64>) {
        let mut under_way = self.lock();
        let UnderWay { rows: all, orders } = &mut *under_way;
        let (_, left, _) = orders.entry(order.number).or_insert_with(|| (order.clone(), 0, Fate::Delivered));
        for row in rows {
            all.insert(row, order.number);
            *left += 1;
        }
    }

    /// The orders of which the last row is settled now.
    pub(super) fn end(&self, settled: impl IntoIterator<Item = (u64, Fate)>) -> Vec<Ended> {
        let mut under_way = self.lock();
        let UnderWay { rows, orders } = &mut *under_way;
        let mut ended = Vec::new();
        for (row, fate) in settled {
            let Some(number) = rows.remove(&row) else { continue };
            let Some((_, left, worst)) = orders.get_mut(&number) else { continue };
            *left -= 1;
            if gravity(&fate) > gravity(worst) {
                *worst = fate;
            }
            if *left == 0
                && let Some((order, _, fate)) = orders.remove(&number)
            {
                ended.push(Ended { order, fate });
            }
        }
        ended
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Of several messages the worst one's fate is the order's.
fn gravity(fate: &Fate) -> u8 {
    match fate {
        Fate::Delivered => 0,
        Fate::Unanswered => 1,
        Fate::Expired => 2,
        Fate::Refused(_) => 3,
    }
}

/// What there is to write down of orders that ended: one entry for all devices of a request that fared alike.
pub(super) fn entries(ended: &[Ended], wall_ms: u64) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for Ended { order, fate } in ended {
        let Some(ordered) = &order.ordered else { continue };
        let step = match fate {
            Fate::Delivered => Step::Moved,
            Fate::Expired => Step::Expired,
            Fate::Refused(_) => Step::Refused,
            Fate::Unanswered => Step::Unanswered,
        };
        match entries.iter_mut().find(|entry| entry.step == step && entry.rid == ordered.rid) {
            Some(entry) => entry.devices.push(order.device.clone()),
            None => entries.push(ordered.then(step, vec![order.device.clone()], wall_ms)),
        }
    }
    entries
}

/// The entry of a trail that ordered this device to move in this request.
pub(super) fn ordered(trail: &[Vec<u8>], rid: &str, device: &str) -> Option<Entry> {
    let entries = trail.iter().rev().filter_map(|row| serde_json::from_slice::<Entry>(row).ok());
    let mut ordered = entries.filter(|entry| entry.step == Step::Ordered);
    ordered.find(|entry| entry.rid == rid && entry.devices.iter().any(|id| id == device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_ends_with_its_last_message_and_as_its_worst() {
        let watch = Watch::default();
        let order = |number, device: &str| Order { number, device: device.into(), ordered: None };
        watch.begin(&order(1, "a"), [2, 3]);
        watch.begin(&order(4, "b"), [4]);
        assert!(watch.end([(1, Fate::Expired), (3, Fate::Refused("no".into()))]).is_empty());
        let ended = watch.end([(2, Fate::Delivered), (4, Fate::Unanswered), (4, Fate::Delivered)]);
        let told: Vec<_> = ended.iter().map(|ended| (ended.order.device.as_str(), &ended.fate)).collect();
        assert_eq!(told, [("a", &Fate::Refused("no".into())), ("b", &Fate::Unanswered)]);
        assert!(watch.lock().rows.is_empty() && watch.lock().orders.is_empty());
    }
}

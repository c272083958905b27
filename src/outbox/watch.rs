//! Orders that move something risky, watched until it is known what became of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::audit::{Entry, Step};
use crate::transport::Fate;

/// The watched orders, by row.
#[derive(Debug, Default)]
pub(super) struct Watch {
    // Not held across an await.
    orders: Mutex<HashMap<u64, (Arc<Entry>, String)>>,
}

impl Watch {
    /// Watches those of the rows, each with its device, that `ordered` tells of.
    pub(super) fn begin(&self, ordered: &Arc<Entry>, rows: impl IntoIterator<Item = (u64, String)>) {
        let watched = rows.into_iter().filter(|(_, device)| ordered.devices.contains(device));
        self.orders().extend(watched.map(|(row, device)| (row, (Arc::clone(ordered), device))));
    }

    /// What there is to write down now that these rows are settled: one entry for all devices of a request that fared
    /// alike.
    pub(super) fn end(&self, settled: impl IntoIterator<Item = (u64, Fate)>, wall_ms: u64) -> Vec<Entry> {
        let mut orders = self.orders();
        let mut entries: Vec<Entry> = Vec::new();
        for (row, fate) in settled {
            let Some((ordered, device)) = orders.remove(&row) else { continue };
            let step = match fate {
                Fate::Delivered => Step::Moved,
                Fate::Expired => Step::Expired,
                Fate::Refused => Step::Refused,
            };
            match entries.iter_mut().find(|entry| entry.step == step && entry.rid == ordered.rid) {
                Some(entry) => entry.devices.push(device),
                None => entries.push(ordered.then(step, vec![device], wall_ms)),
            }
        }
        entries
    }

    fn orders(&self) -> MutexGuard<'_, HashMap<u64, (Arc<Entry>, String)>> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The entry of a trail that ordered this device to move in this request.
pub(super) fn ordered(trail: &[Vec<u8>], rid: &str, device: &str) -> Option<Entry> {
    let entries = trail.iter().rev().filter_map(|row| serde_json::from_slice::<Entry>(row).ok());
    let mut ordered = entries.filter(|entry| entry.step == Step::Ordered);
    ordered.find(|entry| entry.rid == rid && entry.devices.iter().any(|id| id == device))
}

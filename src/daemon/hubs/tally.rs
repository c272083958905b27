//! How a hub is, and how that is told.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};

use crate::home::{Report, Snapshot};
use crate::hub::LeftOut;
use crate::text::displayable;

/// Entries of each list that are told; the rest is counted.
const MAX_LISTED: usize = 200;

/// Characters of a foreign text that are told.
const MAX_TEXT: usize = 200;

/// How a hub is.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Whether it can be reached; `None` before it was heard of.
    pub(super) online: Option<bool>,
    /// What it has and did not bring.
    pub(super) left_out: Vec<LeftOut>,
    /// What of it runs without a question.
    pub(super) unseen: Vec<LeftOut>,
    /// What became of what it brought.
    pub(super) report: Option<Report>,
    /// Why it cannot be reached, where that is known.
    pub(super) away: Option<String>,
    /// Why what it brought is not in force, or why it is not spoken with any more.
    pub(super) problem: Option<String>,
    /// Filters that it may not listen to.
    pub(super) refused: Vec<String>,
    /// What it said and was not read, by its own id of whose that was, and how often.
    unread: BTreeMap<String, (LeftOut, u64)>,
}

impl Tally {
    /// Counts something that was not read; tells whether nothing was before of the same.
    pub(super) fn note_unread(&mut self, mut what: LeftOut) -> bool {
        // Beyond what is listed all count as one, which has no id.
        if self.unread.len() >= MAX_LISTED && !self.unread.contains_key(&what.id) {
            (what.id, what.name) = (String::new(), String::new());
        }
        let count = self.unread.get(&what.id).map_or(0, |(_, count)| *count);
        self.unread.insert(what.id.clone(), (what, count + 1));
        count == 0
    }

    /// As it is told, with what is in the home of it.
    pub(super) fn shown(&self, name: &str, kind: &str, dropped: u64, snapshot: &Snapshot) -> Value {
        let own = |at: &usize| snapshot.source(*at) == name;
        let devices: Vec<usize> = (0..snapshot.home.devices.len()).filter(own).collect();
        let reachable = devices.iter().filter(|at| snapshot.live.online(**at)).count();
        let rooms: HashSet<usize> = devices.iter().filter_map(|at| snapshot.home.devices[*at].room).collect();
        let text = |text: &str| displayable(text, MAX_TEXT);
        let named = |l: &LeftOut| json!({"id": text(&l.id), "name": text(&l.name), "reason": text(&l.reason)});
        let left_out = self.left_out.iter().take(MAX_LISTED).map(named);
        let unseen: Vec<Value> = self.unseen.iter().take(MAX_LISTED).map(named).collect();
        let rejected = self.report.iter().flat_map(|report| &report.rejected).take(MAX_LISTED);
        let rejected = rejected.map(|r| json!({"path": text(&r.path), "reason": text(&r.reason)}));
        let unread = self.unread.values().map(|(what, count)| {
            json!({"id": text(&what.id), "name": text(&what.name), "reason": text(&what.reason), "count": count})
        });
        let (left_out, rejected): (Vec<Value>, Vec<Value>) = (left_out.collect(), rejected.collect());
        let all = self.left_out.len() + self.report.as_ref().map_or(0, |r| r.rejected.len() + r.unlisted);
        json!({
            "name": name, "kind": kind, "online": self.online == Some(true),
            "devices": devices.len(), "devices_online": reachable, "rooms": rooms.len(),
            "unlisted": all.saturating_sub(left_out.len() + rejected.len()),
            "left_out": left_out, "rejected": rejected, "unread": unread.collect::<Vec<_>>(),
            "unseen": unseen,
            "problem": self.problem.as_ref().or(self.away.as_ref()).map(|problem| text(problem)), "dropped": dropped,
            "refused": self.refused.iter().take(MAX_LISTED).map(|filter| text(filter)).collect::<Vec<_>>(),
        })
    }
}

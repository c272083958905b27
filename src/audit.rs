//! The audit trail: what was asked, ordered and moved of devices that can do harm.
//!
//! An entry says what happened and nothing more: a move is `ordered` before anything leaves the daemon, and only what came
//! of it says whether it `moved`. No entry is left out: texts that are too long are cut, lists of devices split.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::frame::{Door, Request};
use crate::store::MAX_ROW_BYTES;

/// Characters of what was said and of the reply that are kept; far more than anybody says in one breath.
const MAX_TEXT: usize = 500;

/// Bytes of an entry: a row without its number.
const MAX_ENTRY_BYTES: usize = MAX_ROW_BYTES - 8;

/// What an entry tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Somebody was asked whether it should really be.
    Asked,
    /// The order is written down and goes to the devices from here on.
    Ordered,
    /// The broker has handed the order on.
    Moved,
    /// The order grew too old before anybody had it: nothing moved.
    Expired,
    /// The order could not be written down, or the broker or the hub refused it: nothing moved.
    Refused,
    /// The order went to the hub and no answer came: nobody knows whether it moved.
    Unanswered,
    /// The device says that it is as it was ordered to be.
    Confirmed,
    /// The device did not say so in time.
    Silent,
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When, in milliseconds since the Unix epoch.
    pub ts: u64,
    /// The request.
    pub rid: String,
    /// The conversation, as whoever spoke calls it.
    pub page_id: String,
    /// The door that the request came in by.
    #[serde(default)]
    pub door: String,
    /// The satellite that spoke, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satellite: Option<String>,
    /// Who else spoke, as far as the door tells: the name of a token, an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What the entry tells of.
    pub step: Step,
    /// Whether somebody said yes to it: what only closes or locks needs none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
    /// The devices concerned, by id.
    pub devices: Vec<String>,
    /// What was said.
    pub question: String,
    /// What was answered.
    pub reply: String,
}

impl Entry {
    /// What concerns these devices of a request that is answered by `reply`.
    pub fn new(step: Step, request: &Request, reply: &str, devices: Vec<String>, ts: u64) -> Self {
        let client = Some(request.origin.client.clone()).filter(|client| !client.is_empty());
        let (satellite, client) = if request.origin.door == Door::Satellite { (client, None) } else { (None, client) };
        Self {
            ts,
            rid: request.rid.clone(),
            page_id: request.page_id.clone(),
            door: request.origin.door.as_str().to_owned(),
            satellite,
            client,
            step,
            confirmed: false,
            devices,
            question: cut(&request.question),
            reply: cut(reply),
        }
    }

    /// What became of some of its devices later.
    #[must_use]
    pub fn then(&self, step: Step, devices: Vec<String>, ts: u64) -> Self {
        Self { step, devices, ts, ..self.clone() }
    }

    /// As rows of the trail, each of which the store takes.
    pub fn rows(&self) -> Vec<Vec<u8>> {
        let mut rows = Vec::new();
        let mut rest: VecDeque<&str> = self.devices.iter().map(String::as_str).collect();
        while !rest.is_empty() {
            let mut part = self.then(self.step, Vec::new(), self.ts);
            let mut bytes = json(&part).len();
            while let Some(device) = rest.front() {
                bytes += json(device).len() + 1;
                // Whatever one device is called, with texts this short its entry fits.
                if bytes > MAX_ENTRY_BYTES && !part.devices.is_empty() {
                    break;
                }
                part.devices.extend(rest.pop_front().map(str::to_owned));
            }
            rows.push(json(&part));
        }
        rows
    }
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    // Strings and numbers have no way to fail.
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::Origin;

    fn request(question: &str) -> Request {
        let origin = Origin::satellite("kitchen");
        Request { rid: "r".into(), page_id: "p".into(), question: question.into(), origin, ..Request::default() }
    }

    fn read(rows: &[Vec<u8>]) -> Vec<Entry> {
        rows.iter().map(|row| serde_json::from_slice(row).unwrap()).collect()
    }

    #[test]
    fn an_entry_names_door_and_satellite() {
        let entry = Entry::new(Step::Asked, &request("打开大门锁"), "确认吗？", vec!["lock".into()], 7);
        assert_eq!(
            String::from_utf8(entry.rows().remove(0)).unwrap(),
            r#"{"ts":7,"rid":"r","page_id":"p","door":"satellite","satellite":"kitchen","step":"asked","devices":["lock"],"question":"打开大门锁","reply":"确认吗？"}"#
        );
    }

    #[test]
    fn an_entry_names_whose_token_was_shown() {
        let origin = Origin { door: Door::Http, client: "phone".into() };
        let entry = Entry::new(Step::Asked, &Request { origin, ..request("打开大门锁") }, "", vec!["lock".into()], 7);
        assert_eq!((entry.door.as_str(), entry.satellite, entry.client), ("http", None, Some("phone".to_owned())));
    }

    #[test]
    fn an_entry_of_the_version_before_is_read() {
        let row = r#"{"ts":1,"rid":"r","page_id":"p","step":"moved","devices":["d"],"question":"q","reply":"a"}"#;
        let [entry] = &read(&[row.into()])[..] else { panic!() };
        assert_eq!((entry.step, &entry.satellite), (Step::Moved, &None));
    }

    #[test]
    fn what_does_not_fit_is_cut_and_split_and_never_left_out() {
        let devices: Vec<String> = (0..1_000).map(|n| format!("{n}-{}", "\u{1}".repeat(124))).collect();
        let long = "\u{1}".repeat(2_000);
        let whole = Request { rid: "r".repeat(512), page_id: "\u{1}".repeat(128), ..request(&long) };
        let rows = Entry::new(Step::Ordered, &whole, &long, devices.clone(), 7).rows();
        assert!(rows.iter().all(|row| row.len() <= MAX_ENTRY_BYTES));
        let entries = read(&rows);
        assert!(entries.iter().all(|entry| entry.question.ends_with('…') && entry.reply.ends_with('…')));
        assert_eq!(entries.into_iter().flat_map(|entry| entry.devices).collect::<Vec<_>>(), devices);
    }

    proptest! {
        #[test]
        fn no_device_is_lost_and_no_row_too_large(ids in prop::collection::vec("\\PC{1,128}", 1..400), said in 0usize..4_000) {
            let long = "\u{2}".repeat(said);
            let rows = Entry::new(Step::Moved, &request(&long), &long, ids.clone(), 7).rows();
            prop_assert!(rows.iter().all(|row| row.len() <= MAX_ENTRY_BYTES));
            let told: Vec<String> = read(&rows).into_iter().flat_map(|entry| entry.devices).collect();
            prop_assert_eq!(told, ids);
        }
    }
}

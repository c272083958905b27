//! An instruct before it is written down: all the rows that it becomes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::row::{Head, Way};
use crate::frame::{Instruct, instruct_payload};
use crate::hub::route::Routed;
use crate::hub::topics::may_be_told;
use crate::hub::{Native, To, Unable};
use crate::store::MAX_ROW_BYTES;
use crate::transport::Topics;

/// Messages that one instruct may take; far more than any device needs.
const MAX_MESSAGES: usize = 64;

/// Bytes of one message: a row with room for its head.
const MAX_MESSAGE_BYTES: usize = MAX_ROW_BYTES - 4 * 1024;

/// Devices of which is remembered when they were told something.
const MAX_REMEMBERED: usize = 10_000;

/// An instruct and all that goes out for it.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) order: &'a Instruct,
    /// The instruct itself first, then what its hub is told.
    pub(super) outs: Vec<Out>,
    /// A hub is told what the device is to do.
    pub(super) routed: bool,
    /// What is wanted of the device that it never tells of.
    pub(super) untold: Vec<String>,
    /// Why its hub cannot make it true.
    pub(super) unable: Option<String>,
}

/// Something that goes out.
#[derive(Debug)]
pub(super) enum Out {
    /// The instruct on the device's topic.
    Instruct { topic: String, payload: Vec<u8>, aside: bool },
    /// A message on a topic of a hub.
    Topic { topic: String, payload: Vec<u8>, once: bool },
    /// A message for a hub's own connection.
    Hub { hub: String, message: Value, once: bool },
}

impl<'a> Draft<'a> {
    /// What goes out for an order. `doubtful`: live state says that it is so, but the device was just told something.
    pub(super) fn new(
        rid: &str,
        order: &'a Instruct,
        topic: String,
        routed: Option<Routed>,
        doubtful: bool,
        wall_ms: u64,
    ) -> Self {
        let payload = instruct_payload(rid, order, wall_ms).to_string().into_bytes();
        let mut outs = vec![Out::Instruct { topic, payload, aside: routed.is_some() }];
        let is_routed = routed.is_some();
        let (mut unable, mut untold) = (None, Vec::new());
        if let Some(Routed { hub, messages, untold: never }) = routed {
            untold = never;
            match messages.map_err(|error: Unable| error.to_string()).and_then(|messages| checked(&hub, messages)) {
                // In doubt it is said, unless saying it twice would undo it.
                Ok(natives) if order.noop && !(doubtful && natives.iter().all(|out| !out.once())) => {}
                Ok(natives) => outs.extend(natives),
                Err(why) => unable = Some(why),
            }
        }
        Self { order, outs, routed: is_routed, untold, unable }
    }

    /// The rows at the beginning by which nobody can tell what became of the device: the instruct, where a hub is told.
    pub(super) fn uncounted(&self) -> usize {
        usize::from(self.outs.len() > 1)
    }
}

impl Out {
    /// What a row says, if it can be said.
    pub(super) fn read(head: &Head, payload: &[u8], topics: &Topics) -> Option<Self> {
        Some(match &head.way {
            Way::Instruct { aside } => {
                Self::Instruct { topic: topics.instruct(&head.device)?, payload: payload.to_vec(), aside: *aside }
            }
            Way::Topic { topic, once } if may_be_told(topic) => {
                Self::Topic { topic: topic.clone(), payload: payload.to_vec(), once: *once }
            }
            Way::Topic { .. } => return None,
            Way::Hub { hub, once } => {
                Self::Hub { hub: hub.clone(), message: serde_json::from_slice(payload).ok()?, once: *once }
            }
        })
    }

    /// Which way it goes, and what is said there.
    pub(super) fn kept(&self) -> (Way, Vec<u8>) {
        match self {
            Self::Instruct { payload, aside, .. } => (Way::Instruct { aside: *aside }, payload.clone()),
            Self::Topic { topic, payload, once } => (Way::Topic { topic: topic.clone(), once: *once }, payload.clone()),
            Self::Hub { hub, message, once } => {
                (Way::Hub { hub: hub.clone(), once: *once }, message.to_string().into_bytes())
            }
        }
    }

    fn once(&self) -> bool {
        matches!(self, Self::Topic { once: true, .. } | Self::Hub { once: true, .. })
    }
}

/// What a hub is told, if all of it can be: half of it is worse than nothing.
fn checked(hub: &str, messages: Vec<Native>) -> Result<Vec<Out>, String> {
    if messages.len() > MAX_MESSAGES {
        return Err(format!("it would take {} messages", messages.len()));
    }
    let outs = messages.into_iter().map(|Native { to, once }| match to {
        To::Topic { topic, .. } if !may_be_told(&topic) => Err(format!("{topic:?} is no topic of a hub")),
        To::Topic { topic, payload } => Ok(Out::Topic { topic, payload, once }),
        To::Connection(message) => Ok(Out::Hub { hub: hub.to_owned(), message, once }),
    });
    let outs = outs.collect::<Result<Vec<Out>, String>>()?;
    let bytes = outs.iter().map(|out| out.kept().1.len()).max().unwrap_or_default();
    if bytes > MAX_MESSAGE_BYTES { Err(format!("a message of {bytes} bytes is too large")) } else { Ok(outs) }
}

/// When devices were last told something else than what live state says anyway: until they had time to say what they are
/// now, nobody knows.
#[derive(Debug, Default)]
pub(super) struct Doubt {
    // Not held across an await.
    told_ms: Mutex<HashMap<String, u64>>,
}

impl Doubt {
    /// Takes note of an order; true if its device was told something less than `for_ms` ago.
    pub(super) fn note(&self, order: &Instruct, now_ms: u64, for_ms: u64) -> bool {
        let mut told = self.told_ms.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = |at_ms: &u64| now_ms.saturating_sub(*at_ms) < for_ms;
        let doubtful = told.get(&order.id).is_some_and(recent);
        if !order.noop || doubtful {
            if told.len() >= MAX_REMEMBERED {
                told.retain(|_, at_ms| recent(at_ms));
            }
            if told.len() < MAX_REMEMBERED || doubtful {
                told.insert(order.id.clone(), now_ms);
            }
        }
        doubtful
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(id: &str, noop: bool) -> Instruct {
        Instruct { id: id.into(), state: None, command: None, summary: String::new(), noop }
    }

    fn native(topic: &str, once: bool) -> Native {
        Native { to: To::Topic { topic: topic.into(), payload: b"{}".to_vec() }, once }
    }

    fn draft(order: &Instruct, messages: Result<Vec<Native>, Unable>, doubtful: bool) -> Draft<'_> {
        let routed = Routed { hub: "z2m".into(), messages, untold: Vec::new() };
        Draft::new("r", order, "zhiju/home/instruct/d".into(), Some(routed), doubtful, 0)
    }

    #[test]
    fn a_hub_is_told_nothing_of_what_is_so_already() {
        let (on, rests) = (order("d", false), order("d", true));
        let messages = || Ok(vec![native("z2m/d/set", false)]);
        assert_eq!(draft(&on, messages(), false).outs.len(), 2);
        assert_eq!(draft(&rests, messages(), false).outs.len(), 1);
    }

    #[test]
    fn what_may_be_otherwise_by_now_is_said_unless_that_would_undo_it() {
        let rests = order("d", true);
        assert_eq!(draft(&rests, Ok(vec![native("z2m/d/set", false)]), true).outs.len(), 2);
        assert_eq!(draft(&rests, Ok(vec![native("z2m/d/toggle", true)]), true).outs.len(), 1);
        let doubt = Doubt::default();
        assert!(!doubt.note(&order("d", false), 0, 10));
        assert!(!doubt.note(&order("e", true), 5, 10));
        assert!(doubt.note(&order("d", true), 9, 10));
        assert!(doubt.note(&order("d", false), 18, 10), "it was told again");
        assert!(!doubt.note(&order("d", false), 28, 10));
    }

    #[test]
    fn a_hub_that_asks_for_our_own_topics_or_too_much_is_unable() {
        let on = order("d", false);
        let many = vec![native("a", false); MAX_MESSAGES + 1];
        let large = Native { to: To::Connection(Value::String("x".repeat(MAX_ROW_BYTES))), once: false };
        let half = vec![native("z2m/d/set", false), native("zhiju/home/request", false)];
        for bad in [many, vec![large], half, vec![native("a/#", false)]] {
            let draft = draft(&on, Ok(bad), false);
            assert!(draft.unable.is_some() && draft.outs.len() == 1, "{draft:?}");
        }
    }
}

//! Hubs: where devices come from, where their state comes from, and where instructs go besides `…/instruct/…`.
//!
//! A hub is a translation, pure and without I/O: what it hears becomes a home document with ids of its own and changes of
//! state; an instruct becomes messages of its own. Who connects, merges the documents of all hubs into the one home and
//! delivers lives in the daemon.

mod codec;
mod colour;
pub mod discovery;
pub mod home_assistant;
mod names;
pub mod route;
mod settings;
pub mod smartthings;
pub mod topics;
mod words;
pub mod zigbee2mqtt;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::frame::{Instruct, is_topic_level};
use crate::home::State;

pub use names::{named, own_id};
pub use settings::{HomeAssistantSettings, HubKind, HubSettings, MAX_HUBS, is_hub_name};
pub use words::HubWords;

/// What a hub knows, told in our words.
///
/// Ids in everything that a hub takes and gives are its own; [`device_id`] makes them those of the home.
pub trait Hub: Send + 'static {
    /// Its part of the home, as it is now.
    fn home(&self) -> Brought;

    /// What makes an instruct for one of its devices come true, in order. `device` is the hub's own id.
    ///
    /// # Errors
    /// When the device is gone, or takes no such thing.
    fn native(&self, device: &str, instruct: &Instruct) -> Result<Vec<Native>, Unable>;

    /// Whether a device ever says what one of its properties is: what never does cannot be silent about it.
    fn tells(&self, _device: &str, _property: &str) -> bool {
        true
    }
}

/// A hub that is reached over the broker that we are connected to anyway.
pub trait MqttHub: Hub {
    /// The filters to subscribe to, as they are now; asked again after each [`Change::Registry`].
    fn subscriptions(&self) -> Vec<String>;

    /// What to send as soon as we are connected and subscribed.
    fn hello(&self) -> Vec<Native>;

    /// Takes a message of a topic that it subscribed to and tells what that changes. Everything in it is hostile until
    /// checked; what cannot be read changes nothing.
    fn heard(&mut self, topic: &str, payload: &[u8], retained: bool) -> Vec<Change>;
}

/// A hub's part of the home.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Brought {
    /// A home document (`layout`, `model`, `devices`, `groups`, `scenes`); whoever merges it checks it like any other.
    pub document: Value,
    /// What it has and did not bring.
    pub left_out: Vec<LeftOut>,
    /// Scenes and scripts that run whatever their owner wrote into them: nobody tells what, so no question is asked.
    pub unseen: Vec<LeftOut>,
}

/// Something of a hub that is not in the home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The hub's own id of it.
    pub id: String,
    /// What the hub calls it: untrusted text.
    pub name: String,
    /// Why it was left out.
    pub reason: String,
}

/// What a message changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Devices, names or abilities: [`Hub::home`] has the new ones.
    Registry,
    /// What a device tells of itself.
    State {
        /// The hub's own id of the device.
        device: String,
        /// Values by the property ids of its document.
        values: State,
    },
    /// Whether a device can be reached.
    Device {
        /// The hub's own id of the device.
        device: String,
        /// Whether it can.
        online: bool,
    },
    /// Whether the hub itself can be reached.
    Hub {
        /// Whether it can.
        online: bool,
    },
    /// Why the hub cannot be reached; until it can.
    Away {
        /// The reason, in words for its owner.
        reason: String,
    },
    /// Something that it said and that is not read: what it is of, and why.
    Unread(LeftOut),
    /// Something is to be said to the hub, such as a request for state.
    Say(Native),
}

impl LeftOut {
    /// A scene or script of which nobody tells what it does.
    fn unseen(id: &str, name: &str) -> Self {
        let reason = "runs without a question: what it opens is not told".to_owned();
        Self { id: id.to_owned(), name: name.to_owned(), reason }
    }
}

impl Change {
    /// A message of more bytes than are read.
    fn too_large(id: &str, name: &str, bytes: usize, most: usize) -> Self {
        let reason = format!("a message of {bytes} bytes is more than {most}");
        Self::Unread(LeftOut { id: id.to_owned(), name: name.to_owned(), reason })
    }
}

/// One message to a hub.
#[derive(Clone, Debug, PartialEq)]
pub struct Native {
    /// Where it goes.
    pub to: To,
    /// Whether doing it twice is another thing than doing it once (a toggle, a button, a script): after a crash it is not
    /// said again.
    pub once: bool,
}

/// Where a message to a hub goes.
#[derive(Clone, Debug, PartialEq)]
pub enum To {
    /// The broker.
    Topic {
        /// The topic.
        topic: String,
        /// What is published, at QoS 1 and not retained.
        payload: Vec<u8>,
    },
    /// The hub's own connection, in the hub's own form.
    Connection(Value),
}

/// Why an instruct cannot be made true by its hub.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unable {
    /// The hub has no such device.
    #[error("the hub has no device {device}")]
    Gone {
        /// The hub's own id.
        device: String,
    },
    /// The device takes no such thing.
    #[error("{device}: {what} cannot be done")]
    Foreign {
        /// The hub's own id.
        device: String,
        /// The property or command.
        what: String,
    },
}

/// What a hub with a connection of its own speaks with the daemon by. The hub itself stands behind a lock that both hold
/// shortly: after [`Change::Registry`] the daemon asks [`Hub::home`], before a delivery [`Hub::native`].
#[derive(Debug)]
pub struct Line {
    /// What changes, in order.
    pub changes: mpsc::Sender<Change>,
    /// What is to be said, in order.
    pub deliveries: mpsc::Receiver<Delivery>,
}

/// A message for a hub's own connection.
#[derive(Debug)]
pub struct Delivery {
    /// What [`To::Connection`] holds.
    pub message: Value,
    /// After this it is not worth saying any more, by [`crate::clock::Clock::now_ms`].
    pub expires_ms: u64,
    /// Told what the hub answered. Dropped without a word: the connection broke before the answer, and nobody knows.
    pub done: oneshot::Sender<Answered>,
}

/// What a hub answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It took it.
    Taken,
    /// It did not, in its own words.
    Refused(String),
    /// It was not said: its time was over.
    Expired,
}

/// The id in the home of what `hub` calls `own`: one topic level, `{hub}:{own}`. Characters that a topic level or a reader
/// of logs cannot bear are written as `%XX` of their UTF-8 bytes, and so is `%`.
pub fn device_id(hub: &str, own: &str) -> String {
    let mut id = format!("{hub}:");
    let mut utf8 = [0; 4];
    for character in own.chars() {
        let text = character.encode_utf8(&mut utf8);
        if is_topic_level(text) && character != '%' && !character.is_whitespace() {
            id.push(character);
        } else {
            id.extend(text.bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_hubs_are_topic_levels_and_differ_where_the_hubs_ids_do() {
        let own = ["0x00158d", "light.kitchen", "a/b", "a%2Fb", "a b", "客厅/灯", "+", "#", "\u{0}", "a\nb", ""];
        let ids: Vec<String> = own.iter().map(|own| device_id("z2m", own)).collect();
        assert!(ids.iter().all(|id| is_topic_level(id)), "{ids:?}");
        let mut distinct = ids.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
        assert_eq!(device_id("z2m", "a/b"), "z2m:a%2Fb");
    }
}

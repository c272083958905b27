//! What a row of the outbox says: who it is for on its first line, what it is told on the rest.
//!
//! A row of the version before is an instruct, or one line of no known start of the machine. A native message has no `id`,
//! so that the version before, which would publish it as an instruct, drops it instead.

use serde::{Deserialize, Serialize};

/// Who a row is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    /// The request.
    pub(super) rid: String,
    /// The device, by its id in the home.
    pub(super) device: String,
    /// The start of the machine that `given_ms` counts from.
    pub(super) boot: String,
    /// When it was written down.
    pub(super) given_ms: u64,
    /// Which way it goes.
    pub(super) way: Way,
}

/// Which way a row goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    /// To the device's topic of instructs.
    Instruct {
        /// What moves the device goes another way: nobody needs to hear this.
        aside: bool,
    },
    /// To a topic of a hub.
    Topic {
        /// The topic.
        topic: String,
        /// It is not said twice.
        once: bool,
    },
    /// To a hub's own connection.
    Hub {
        /// The hub's name.
        hub: String,
        /// It is not said twice.
        once: bool,
    },
}

impl Way {
    /// Whether it must not be said again once it may have been said.
    pub(super) fn once(&self) -> bool {
        matches!(self, Self::Topic { once: true, .. } | Self::Hub { once: true, .. })
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Wire {
    rid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    #[serde(default)]
    boot: String,
    #[serde(default)]
    given_ms: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    aside: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    topic: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hub: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    once: bool,
}

impl Head {
    /// The row.
    pub(super) fn row(&self, payload: &[u8]) -> Vec<u8> {
        let Self { rid, device, boot, given_ms, way } = self.clone();
        let common = Wire { rid, boot, given_ms, ..Wire::default() };
        let wire = match way {
            Way::Instruct { aside } => Wire { id: Some(device), aside, ..common },
            Way::Topic { topic, once } => Wire { device: Some(device), topic: Some(topic), once, ..common },
            Way::Hub { hub, once } => Wire { device: Some(device), hub: Some(hub), once, ..common },
        };
        // Strings and numbers have no way to fail.
        let mut row = serde_json::to_vec(&wire).unwrap_or_default();
        row.push(b'\n');
        row.extend_from_slice(payload);
        row
    }

    /// Reads a row: its head and its payload. `None` for what is no row of this version or the one before.
    pub(super) fn read(row: &[u8]) -> Option<(Self, &[u8])> {
        let end = row.iter().position(|byte| *byte == b'\n').unwrap_or(row.len());
        let Wire { rid, id, device, boot, given_ms, aside, topic, hub, once } =
            serde_json::from_slice(&row[..end]).ok()?;
        let (device, way) = match (id, device, topic, hub) {
            (Some(id), None, None, None) => (id, Way::Instruct { aside }),
            (None, Some(device), Some(topic), None) => (device, Way::Topic { topic, once }),
            (None, Some(device), None, Some(hub)) => (device, Way::Hub { hub, once }),
            _ => return None,
        };
        Some((Self { rid, device, boot, given_ms, way }, row.get(end + 1..).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways() -> [Way; 4] {
        [
            Way::Instruct { aside: false },
            Way::Instruct { aside: true },
            Way::Topic { topic: "zigbee2mqtt/灯/set".into(), once: false },
            Way::Hub { hub: "ha".into(), once: true },
        ]
    }

    fn head(way: Way) -> Head {
        Head { rid: "r".into(), device: "ha:light.x".into(), boot: "b".into(), given_ms: 7, way }
    }

    #[test]
    fn what_is_written_is_read() {
        for way in ways() {
            let row = head(way.clone()).row(b"{\"a\":\n1}");
            assert_eq!(Head::read(&row), Some((head(way), &b"{\"a\":\n1}"[..])));
        }
    }

    #[test]
    fn a_row_of_the_version_before_is_an_instruct() {
        let (head, payload) = Head::read(b"{\"rid\":\"r\",\"id\":\"lamp\",\"boot\":\"b\",\"given_ms\":9}\n{}").unwrap();
        assert_eq!((head.device.as_str(), head.way, payload), ("lamp", Way::Instruct { aside: false }, &b"{}"[..]));
    }

    #[test]
    fn the_version_before_takes_no_native_message_for_an_instruct() {
        #[derive(Deserialize)]
        #[allow(dead_code, reason = "what matters is that it cannot be read")]
        struct Before {
            rid: String,
            id: String,
        }
        for way in ways() {
            let plain = matches!(way, Way::Instruct { .. });
            let row = head(way).row(b"{}");
            let line = row.split(|byte| *byte == b'\n').next().unwrap();
            assert_eq!(serde_json::from_slice::<Before>(line).is_ok(), plain);
        }
    }

    #[test]
    fn a_row_that_goes_two_ways_or_none_is_not_read() {
        for bad in [
            r#"{"rid":"r"}"#,
            r#"{"rid":"r","device":"d"}"#,
            r#"{"rid":"r","device":"d","topic":"t","hub":"h"}"#,
            r#"{"rid":"r","id":"d","topic":"t"}"#,
            "",
            "[]",
        ] {
            assert_eq!(Head::read(bad.as_bytes()), None, "{bad}");
        }
    }
}

//! Which hubs there are and how each is reached.

use std::path::PathBuf;

use crate::dial::TlsSettings;

/// Most hubs of one home.
pub const MAX_HUBS: usize = 16;

/// Longest name of a hub, in characters.
const MAX_NAME: usize = 32;

/// A hub of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubSettings {
    /// What the ids of its devices begin with; see [`is_hub_name`].
    pub name: String,
    /// What it is.
    pub kind: HubKind,
}

/// What a hub is, and how it is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HubKind {
    /// Home Assistant, by its WebSocket API.
    HomeAssistant(HomeAssistantSettings),
    /// Whatever announces itself by Home Assistant's MQTT discovery.
    HaDiscovery {
        /// The first levels of the announcements' topics.
        prefix: String,
        /// Whether publishers are told that Home Assistant is there: some announce nothing before.
        birth: bool,
    },
    /// Zigbee2MQTT.
    Zigbee2Mqtt {
        /// The first levels of its topics.
        base_topic: String,
    },
    /// SmartThings, by documents that something else brings.
    SmartThings {
        /// The first levels of the documents' topics.
        topic: String,
    },
}

/// How Home Assistant is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeAssistantSettings {
    /// Its address, `http://…` or `https://…`.
    pub url: String,
    /// The file with a long-lived access token in its first line.
    pub token_file: PathBuf,
    /// How TLS is spoken where the address is `https://…`.
    pub tls: TlsSettings,
    /// Whether all of it is brought, and not only what its owner exposes to Assist.
    pub everything: bool,
}

impl HubKind {
    /// As the configuration names it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::HomeAssistant(_) => "home_assistant",
            Self::HaDiscovery { .. } => "ha_discovery",
            Self::Zigbee2Mqtt { .. } => "zigbee2mqtt",
            Self::SmartThings { .. } => "smartthings",
        }
    }
}

/// Whether a hub may be called so: 1 to 32 of `a` to `z`, `0` to `9`, `_` and `-`.
pub fn is_hub_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hubs_are_plain() {
        for good in ["z2m", "a", "home-assistant_2", &"x".repeat(32)] {
            assert!(is_hub_name(good), "{good}");
        }
        for bad in ["", "Z2M", "a:b", "a/b", "..", "灯", "a b", &"x".repeat(33)] {
            assert!(!is_hub_name(bad), "{bad}");
        }
    }
}

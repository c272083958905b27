//! What Zigbee2MQTT publishes, as far as it matters here. Unknown fields are left alone, known ones of another type refuse
//! their device.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// An entry of `bridge/devices`.
#[derive(Debug, Deserialize)]
pub(super) struct Listed {
    pub(super) ieee_address: String,
    pub(super) friendly_name: String,
    #[serde(default)]
    pub(super) r#type: Option<String>,
    #[serde(default)]
    pub(super) disabled: bool,
    /// Newer versions.
    pub(super) interview_state: Option<String>,
    /// Older ones.
    pub(super) interview_completed: Option<bool>,
    pub(super) power_source: Option<String>,
    pub(super) definition: Option<Definition>,
    #[serde(default)]
    pub(super) endpoints: BTreeMap<String, Endpoint>,
}

impl Listed {
    pub(super) fn interviewed(&self) -> bool {
        match &self.interview_state {
            Some(state) => state.eq_ignore_ascii_case("successful"),
            None => self.interview_completed.unwrap_or(true),
        }
    }
}

/// What a model can do.
#[derive(Debug, Deserialize)]
pub(super) struct Definition {
    #[serde(default)]
    pub(super) description: String,
    #[serde(default)]
    pub(super) exposes: Vec<Expose>,
}

/// An endpoint of a device.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Endpoint {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
}

/// A scene that devices or groups keep.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Scene {
    pub(super) id: i64,
    #[serde(default)]
    pub(super) name: String,
}

/// One thing that a device tells or takes, or several of them that belong together.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Expose {
    pub(super) r#type: String,
    name: Option<String>,
    pub(super) property: Option<String>,
    pub(super) label: Option<String>,
    pub(super) access: u32,
    pub(super) endpoint: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) value_on: Value,
    pub(super) value_off: Value,
    pub(super) value_min: Option<f64>,
    pub(super) value_max: Option<f64>,
    pub(super) value_step: Option<f64>,
    pub(super) values: Vec<Value>,
    pub(super) features: Vec<Expose>,
}

impl Expose {
    /// Its name without what tells endpoints apart.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// Whether its state is published.
    pub(super) fn published(&self) -> bool {
        self.access & 1 != 0
    }

    /// Whether it can be set.
    pub(super) fn settable(&self) -> bool {
        self.access & 2 != 0
    }

    /// Whether its state can be asked for.
    pub(super) fn gettable(&self) -> bool {
        self.access & 4 != 0
    }

    /// Whether it is a thing of its own with features, not a value.
    pub(super) fn specific(&self) -> bool {
        matches!(self.r#type.as_str(), "light" | "switch" | "fan" | "cover" | "lock" | "climate")
    }
}

/// An entry of `bridge/groups`.
#[derive(Debug, Deserialize)]
pub(super) struct ListedGroup {
    pub(super) id: i64,
    pub(super) friendly_name: String,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) members: Vec<Member>,
}

/// A member of a group.
#[derive(Debug, Deserialize)]
pub(super) struct Member {
    pub(super) ieee_address: String,
    #[serde(default)]
    pub(super) endpoint: Value,
}

/// `bridge/state` and `…/availability`: `online`, or `{"state": "online"}`.
pub(super) fn online(payload: &[u8]) -> Option<bool> {
    #[derive(Deserialize)]
    struct State {
        state: String,
    }
    let text = std::str::from_utf8(payload).ok()?.trim();
    let state = serde_json::from_str::<State>(text).map_or_else(|_| text.trim_matches('"').to_owned(), |s| s.state);
    match state.as_str() {
        "online" => Some(true),
        "offline" => Some(false),
        _ => None,
    }
}

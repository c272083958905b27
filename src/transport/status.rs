//! What the daemon says about itself on `zhiju/{home}/status`.

use serde::Serialize;
use serde_json::Value;

/// The retained status message; with [`Presence::Offline`] also the last will.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// Whether the daemon is there.
    pub state: Presence,
    /// The program's version.
    pub version: &'static str,
    /// Devices of the home in force.
    pub devices: usize,
    /// Revision of the home in force; 0 when none was ever loaded.
    pub revision: u64,
    /// When the daemon started, in milliseconds since the Unix epoch.
    pub since: u64,
    /// The embedding model.
    pub model: ModelStatus,
    /// What the parsers did since the start; told now and then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parsers: Vec<Value>,
}

/// What became of the embedding model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelStatus {
    /// It is loaded from a folder of this name.
    Name(String),
    /// It is not, for this reason: the daemon understands words only.
    Error(String),
}

/// Whether the daemon is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// It serves.
    Online,
    /// It stopped or was lost.
    Offline,
}

impl Status {
    /// The message as JSON, saying `state`.
    pub fn payload(&self, state: Presence) -> Vec<u8> {
        // A struct of plain fields has no way to fail.
        serde_json::to_vec(&Self { state, ..self.clone() }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_is_the_contracts() {
        let status = Status {
            state: Presence::Online,
            version: "0.1.0",
            devices: 8,
            revision: 3,
            since: 17,
            model: ModelStatus::Name("mini-zh".into()),
            parsers: Vec::new(),
        };
        assert_eq!(
            String::from_utf8(status.payload(Presence::Offline)).unwrap(),
            r#"{"state":"offline","version":"0.1.0","devices":8,"revision":3,"since":17,"model":{"name":"mini-zh"}}"#
        );
    }
}

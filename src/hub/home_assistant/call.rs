//! What is asked of Home Assistant: services, each with its data.

use serde_json::{Map, Value, json};

use crate::hub::{Native, To};

/// A service of Home Assistant and what it is given.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    domain: &'static str,
    service: &'static str,
    data: Map<String, Value>,
    /// Doing it twice is another thing than doing it once.
    once: bool,
}

/// The property or command that an entity does not take so.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Foreign(pub(super) String);

impl Call {
    pub(super) fn new(domain: &'static str, service: &'static str) -> Self {
        Self { domain, service, data: Map::new(), once: false }
    }

    /// One that is another thing when it is done twice.
    pub(super) fn once(domain: &'static str, service: &'static str) -> Self {
        Self { once: true, ..Self::new(domain, service) }
    }

    /// The same with a value.
    #[must_use]
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// What is said for an entity.
    pub(super) fn native(self, entity: &str) -> Native {
        let mut message = json!({
            "domain": self.domain, "service": self.service, "target": {"entity_id": [entity]},
        });
        if !self.data.is_empty() {
            message["service_data"] = Value::Object(self.data);
        }
        Native { to: To::Connection(message), once: self.once }
    }
}

impl Foreign {
    pub(super) fn new(what: &str) -> Self {
        Self(what.to_owned())
    }
}

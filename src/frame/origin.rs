//! Where a request came in, and from whom.

/// A way into the daemon. What a request may do, whose pages it can reach and whose share of the work it uses depends on
/// it, and on nothing that the request says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Door {
    /// Within this process: the command line, an evaluation.
    #[default]
    Local,
    /// The topics `request` and `request/{client}`.
    Request,
    /// The topics `utterance/{satellite}`.
    Satellite,
    /// HTTP: one request, one answer.
    Http,
    /// The WebSocket pipe.
    Socket,
    /// Wyoming.
    Wyoming,
    /// The Model Context Protocol, over HTTP.
    Mcp,
    /// The same, over a connection that we dialled: who is at its end goes by a name of the configuration, not by a token's.
    Endpoint,
}

impl Door {
    /// As in page keys and in the audit trail.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Request => "request",
            Self::Satellite => "satellite",
            Self::Http => "http",
            Self::Socket => "socket",
            Self::Wyoming => "wyoming",
            Self::Mcp => "mcp",
            Self::Endpoint => "endpoint",
        }
    }
}

/// The door that a request came in by, and who stood there as far as the door tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The door.
    pub door: Door,
    /// The satellite's or the application's name, the name of the token that was shown or of the endpoint that was dialled, or
    /// the address that Wyoming is spoken from. Empty where the door does not tell: MQTT names no publisher, so whoever may publish on `request` is one client
    /// to us. Never holds a slash: it was one level of a topic, or cannot.
    pub client: String,
}

impl Origin {
    /// Whoever may publish on `request`.
    pub fn request() -> Self {
        Self { door: Door::Request, client: String::new() }
    }

    /// The application that has `request/{name}` to itself.
    pub fn application(name: impl Into<String>) -> Self {
        Self { door: Door::Request, client: name.into() }
    }

    /// The satellite of this name.
    pub fn satellite(name: impl Into<String>) -> Self {
        Self { door: Door::Satellite, client: name.into() }
    }

    /// The satellite's name, if it was one.
    pub fn as_satellite(&self) -> Option<&str> {
        (self.door == Door::Satellite).then_some(self.client.as_str())
    }

    /// The application's name, if it has one.
    pub fn as_application(&self) -> Option<&str> {
        (self.door == Door::Request && !self.client.is_empty()).then_some(self.client.as_str())
    }

    /// What a page is kept by: the same `page_id` of another door or client is another page.
    pub fn page_key(&self, page_id: &str) -> String {
        format!("{}/{}/{page_id}", self.door.as_str(), self.client)
    }

    /// Whose page a key is of: what all keys of the same door and client begin with.
    pub fn asker_of(page_key: &str) -> &str {
        page_key.match_indices('/').nth(1).map_or(page_key, |(end, _)| &page_key[..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_id_cannot_imitate_another_asker() {
        for page_id in ["p", "", "/", "bath/p", "/bath/p"] {
            let key = Origin::satellite("kitchen").page_key(page_id);
            assert_eq!(Origin::asker_of(&key), "satellite/kitchen");
            assert_eq!(Origin::asker_of(&Origin::request().page_key(page_id)), "request/");
        }
    }

    #[test]
    fn a_page_id_cannot_imitate_another_door_or_client() {
        let keys = [
            Origin::satellite("bath").page_key("satellite-bath"),
            Origin::satellite("kitchen").page_key("satellite-bath"),
            Origin::satellite("kitchen").page_key("bath/satellite-bath"),
            Origin::request().page_key("satellite-bath"),
            Origin::application("app").page_key("satellite-bath"),
            Origin::request().page_key("app/satellite-bath"),
            Origin::request().page_key("satellite/bath/satellite-bath"),
            Origin { door: Door::Http, client: "bath".into() }.page_key("satellite-bath"),
            Origin { door: Door::Socket, client: "bath".into() }.page_key("satellite-bath"),
            Origin { door: Door::Mcp, client: "bath".into() }.page_key("satellite-bath"),
            Origin { door: Door::Endpoint, client: "bath".into() }.page_key("satellite-bath"),
            Origin::default().page_key("satellite-bath"),
        ];
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
    }
}

//! The section `hubs`: where devices come from besides the home document, and the owner's file about them.

use std::path::PathBuf;

use reqwest::Url;

use super::raw::{Leaf, RawHub, RawHubs};
use super::validate::Check;
use crate::home::Overrides;
use crate::hub::topics::may_be_told;
use crate::hub::{HomeAssistantSettings, HubKind, HubSettings, MAX_HUBS, is_hub_name};

/// The owner's file, beside the configuration.
const OVERRIDES: &str = "overrides.yaml";

/// The kinds of hubs, and the keys that each of them has.
const KINDS: [(&str, &[&str]); 4] = [
    ("home_assistant", &["url", "token_file", "tls", "expose"]),
    ("ha_discovery", &["prefix", "birth"]),
    ("zigbee2mqtt", &["base_topic"]),
    ("smartthings", &["topic"]),
];

impl Check<'_> {
    /// The hubs in the order of their names, and the owner's file.
    pub(super) fn hubs(&mut self, raw: Leaf<RawHubs>) -> (Vec<HubSettings>, Option<PathBuf>) {
        let raw = match raw {
            Leaf::Wrong(_) => {
                self.problem("hubs", "must be a mapping from names of hubs to hubs");
                RawHubs::default()
            }
            other => self.take("hubs", other, RawHubs::default()),
        };
        let overrides = self.overrides(raw.overrides);
        if raw.hubs.len() > MAX_HUBS {
            self.problem("hubs", format!("must be at most {MAX_HUBS}"));
        }
        let mut hubs: Vec<HubSettings> = Vec::new();
        for (name, value) in raw.hubs.into_iter().take(MAX_HUBS) {
            let key = format!("hubs.{name}");
            if !is_hub_name(&name) {
                self.problem(&key, "a hub's name has 1 to 32 of a to z, 0 to 9, _ and -");
                continue;
            }
            let leaf = serde_yaml::from_value(value).unwrap_or_else(|error| Leaf::Wrong(error.to_string()));
            let raw = self.section(&key, leaf);
            let Some(kind) = self.hub(&key, raw) else { continue };
            if let Some(twin) = hubs.iter().find(|hub| hub.kind == kind) {
                self.problem(&key, format!("is the same as hubs.{}", twin.name));
            }
            hubs.push(HubSettings { name, kind });
        }
        (hubs, overrides)
    }

    /// The owner's file. One that cannot be used is no reason to serve nobody.
    fn overrides(&mut self, raw: Leaf<String>) -> Option<PathBuf> {
        let named = self.text("hubs.overrides", raw).map(|file| self.beside_file(&file));
        let path = named.or_else(|| self.folder().map(|folder| folder.join(OVERRIDES)));
        if let Some(Err(error)) = path.as_deref().map(Overrides::load) {
            self.warnings.push(format!("hubs.overrides: {error}"));
        }
        path
    }

    fn hub(&mut self, key: &str, mut raw: RawHub) -> Option<HubKind> {
        if matches!(raw.kind, Leaf::Absent) {
            self.problem(&format!("{key}.kind"), "is required");
            return None;
        }
        let before = self.problems();
        let kind = self.choice(&format!("{key}.kind"), std::mem::take(&mut raw.kind), &KINDS.map(|(kind, _)| kind));
        if self.problems() > before {
            return None;
        }
        let there = [
            ("url", !matches!(raw.url, Leaf::Absent)),
            ("token_file", !matches!(raw.token_file, Leaf::Absent)),
            ("tls", !matches!(raw.tls, Leaf::Absent)),
            ("expose", !matches!(raw.expose, Leaf::Absent)),
            ("base_topic", !matches!(raw.base_topic, Leaf::Absent)),
            ("prefix", !matches!(raw.prefix, Leaf::Absent)),
            ("birth", !matches!(raw.birth, Leaf::Absent)),
            ("topic", !matches!(raw.topic, Leaf::Absent)),
        ];
        let known = KINDS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, keys)| keys);
        for (foreign, _) in there.iter().filter(|(leaf, there)| *there && !known.contains(leaf)) {
            let text = format!("is no key of a hub of kind {kind}; known here: kind, {}", known.join(", "));
            self.problem(&format!("{key}.{foreign}"), text);
        }
        Some(match kind.as_str() {
            "home_assistant" => HubKind::HomeAssistant(self.home_assistant(key, raw)?),
            "ha_discovery" => HubKind::HaDiscovery {
                prefix: self.topic(key, "prefix", raw.prefix, "homeassistant"),
                birth: self.take(&format!("{key}.birth"), raw.birth, false),
            },
            "zigbee2mqtt" => {
                HubKind::Zigbee2Mqtt { base_topic: self.topic(key, "base_topic", raw.base_topic, "zigbee2mqtt") }
            }
            _ => HubKind::SmartThings { topic: self.topic(key, "topic", raw.topic, "smartthings") },
        })
    }

    fn home_assistant(&mut self, key: &str, raw: RawHub) -> Option<HomeAssistantSettings> {
        let RawHub { url, token_file, tls, expose, .. } = raw;
        let at = |leaf: &str| format!("{key}.{leaf}");
        let everything = self.choice(&at("expose"), expose, &["assist", "everything"]) == "everything";
        let tls = self.tls(&at("tls"), tls);
        for (leaf, value) in [("url", &url), ("token_file", &token_file)] {
            if matches!(value, Leaf::Absent) {
                self.problem(&at(leaf), "is required");
            }
        }
        let (url, file) = (self.text(&at("url"), url), self.text(&at("token_file"), token_file));
        if let Some(file) = &file {
            self.secret(&at("token_file"), file);
        }
        let (url, file) = (url?, file?);
        let host = |url: &Url| url.host_str().is_some_and(|host| !host.is_empty());
        let sound = |url: &Url| matches!(url.scheme(), "http" | "https") && host(url) && url.username().is_empty();
        if !Url::parse(&url).is_ok_and(|url| sound(&url)) {
            self.problem(&at("url"), "must be such as http://homeassistant.local:8123");
        }
        // Who writes down whom to trust believes that nobody else can listen.
        if tls.is_some() && !url.starts_with("https://") {
            self.problem(&at("tls"), format!("TLS is spoken with https:// alone: see {key}.url"));
        }
        let tls = tls.unwrap_or_default();
        Some(HomeAssistantSettings { url, token_file: self.secret_file(&file), tls, everything })
    }

    /// The first levels of a hub's topics.
    fn topic(&mut self, key: &str, leaf: &str, raw: Leaf<String>, default: &str) -> String {
        let key = format!("{key}.{leaf}");
        let topic = self.text(&key, raw).unwrap_or_else(|| default.to_owned());
        if !may_be_told(&topic) || topic.split('/').any(str::is_empty) {
            self.problem(
                &key,
                "must be the first levels of topics, without + and # or a slash at an end, not below zhiju/ or $",
            );
        }
        topic
    }
}

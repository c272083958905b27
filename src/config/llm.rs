//! The section `llm`: whom to ask, and what may leave the home.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use serde_json::{Map, Value};

use super::raw::{Leaf, RawEndpoint, RawLlm, RawLocal, RawPrice};
use super::validate::Check;
use crate::llm::http::{endpoint, proxy_address};
use crate::llm::settings::{HttpSettings, JsonMode, LlmSettings, LocalFiles, Price, Secret, Site, Step};

/// The parsers of the program itself, as `llm.order` names them.
const GRAMMAR: &str = "grammar";
const MODEL: &str = "model";
/// The language model in this process, as `llm.order` names it.
const LOCAL: &str = "local";

/// Endpoints of one configuration.
const MAX_ENDPOINTS: usize = 8;

/// Most hard sentences that are kept.
pub(super) const MAX_HARD: i64 = 10_000;

impl Check<'_> {
    /// The settings; the cascade must end before the request does.
    pub(super) fn llm(&mut self, raw: RawLlm, service_deadline: Duration) -> LlmSettings {
        let default = LlmSettings::default();
        let privacy = self.choice("llm.privacy", raw.privacy, &["home", "allow"]);
        let when = self.choice("llm.when", raw.when, &["unsure", "never"]);
        let chatter = self.choice("llm.chatter", raw.chatter, &["never", "addressed"]);
        let local = self.local(raw.local);
        let endpoints = self.endpoints(raw.endpoints, privacy == "allow");
        let order = self.take("llm.order", raw.order, vec![GRAMMAR.into(), MODEL.into()]);
        let deadline = self.milliseconds("llm.deadline_ms", raw.deadline_ms, default.deadline, 100..=60_000);
        let steps = self.order(&order, local, endpoints, privacy == "allow");
        if deadline >= service_deadline && !steps.is_empty() {
            self.problem("llm.deadline_ms", "must be shorter than service.deadline_seconds");
        }
        LlmSettings {
            steps: if when == "never" { Vec::new() } else { steps },
            similarity: order.iter().any(|name| name == MODEL),
            deadline,
            chatter: chatter == "addressed",
            cloud_per_hour: self.number("llm.cloud_per_hour", raw.cloud_per_hour, default.cloud_per_hour, 0..=100_000),
            keep_hard: self.number("llm.keep_hard", raw.keep_hard, default.keep_hard, 0..=MAX_HARD),
            fence: self.take("llm.fence", raw.fence, default.fence),
            report_every: default.report_every,
        }
    }

    /// The language models of `llm.order`, which begins with what the program is itself.
    fn order(
        &mut self,
        order: &[String],
        local: Option<LocalFiles>,
        mut endpoints: BTreeMap<String, HttpSettings>,
        may_leave: bool,
    ) -> Vec<Step> {
        let mut names = order.iter().enumerate().skip_while(|(at, name)| *at == 0 && **name == GRAMMAR).peekable();
        if order.first().is_none_or(|name| name != GRAMMAR) {
            self.problem("llm.order", "must begin with grammar");
        }
        names.next_if(|(_, name)| **name == MODEL);
        let mut local = local.map(Step::Local);
        let mut steps = Vec::new();
        for (at, name) in names {
            let key = format!("llm.order[{at}]");
            match endpoints.remove(name) {
                Some(http) if http.place == Site::Cloud && !may_leave => {
                    self.problem(
                        &key,
                        format!(
                            "{name} is in the cloud, and llm.privacy does not allow what is said to leave the home"
                        ),
                    );
                }
                Some(http) => steps.push(Step::Http(http)),
                None if name == LOCAL && local.is_some() => steps.extend(local.take()),
                None if order[..at].contains(name) => self.problem(&key, format!("{name} is there already")),
                None if [GRAMMAR, MODEL].contains(&name.as_str()) => {
                    self.problem(&key, format!("{name} comes before all language models"));
                }
                None if name == LOCAL => self.problem(&key, "local needs llm.local.model"),
                None => self.problem(&key, format!("{name} is no endpoint of llm.endpoints")),
            }
        }
        steps
    }

    fn local(&mut self, raw: Leaf<RawLocal>) -> Option<LocalFiles> {
        let raw = self.section("llm.local", raw);
        let mut file = |key: &str, leaf: Leaf<String>| -> Option<PathBuf> {
            let path = self.text(key, leaf).map(|file| self.beside_file(&file))?;
            if !path.is_file() {
                self.problem(key, format!("no such file: {}", path.display()));
            }
            Some(path)
        };
        let (model, tokenizer) = (file("llm.local.model", raw.model), file("llm.local.tokenizer", raw.tokenizer));
        if model.is_none() && tokenizer.is_some() {
            self.problem("llm.local.tokenizer", "needs llm.local.model");
        }
        model.map(|model| LocalFiles { model, tokenizer })
    }

    fn endpoints(
        &mut self,
        raw: Leaf<BTreeMap<String, Leaf<RawEndpoint>>>,
        may_leave: bool,
    ) -> BTreeMap<String, HttpSettings> {
        let raw = self.take("llm.endpoints", raw, BTreeMap::new());
        if raw.len() > MAX_ENDPOINTS {
            self.problem("llm.endpoints", format!("must be at most {MAX_ENDPOINTS}"));
        }
        let mut endpoints = BTreeMap::new();
        for (name, raw) in raw.into_iter().take(MAX_ENDPOINTS) {
            let key = format!("llm.endpoints.{name}");
            self.name(&key, &name);
            if [GRAMMAR, MODEL, LOCAL].contains(&name.as_str()) {
                self.problem(&key, "is a name of the program's own");
            }
            let raw = self.section(&key, raw);
            if let Some(endpoint) = self.endpoint(&key, &name, raw, may_leave) {
                endpoints.insert(name, endpoint);
            }
        }
        endpoints
    }

    fn endpoint(&mut self, key: &str, name: &str, raw: RawEndpoint, may_leave: bool) -> Option<HttpSettings> {
        let at = |leaf: &str| format!("{key}.{leaf}");
        let place = match self.choice(&at("place"), raw.place, &["cloud", "lan"]).as_str() {
            "lan" => Site::Lan,
            _ => Site::Cloud,
        };
        let required = |check: &mut Self, leaf: &str, value: Leaf<String>| {
            let absent = matches!(value, Leaf::Absent);
            let text = check.text(&at(leaf), value);
            if absent {
                check.problem(&at(leaf), "is required");
            }
            text
        };
        let base_url = required(self, "url", raw.url);
        let model = required(self, "model", raw.model);
        let secret_key = self.text(&at("key_file"), raw.key_file).map(|file| self.secret(&at("key_file"), &file));
        let (base_url, model) = (base_url?, model?);
        self.address(&at("url"), &base_url, place, may_leave);
        let proxy = self.text(&at("proxy"), raw.proxy);
        if let Some(proxy) = &proxy {
            self.proxy(&at("proxy"), proxy, place, may_leave);
        }
        let default = HttpSettings::new(name, place, &base_url, &model);
        let headers = self.take(&at("headers"), raw.headers, BTreeMap::new());
        let ca_file = self.text(&at("ca_file"), raw.ca_file).map(|file| self.beside_file(&file));
        if let Some(path) = ca_file.as_deref().filter(|path| !path.is_file()) {
            self.problem(&at("ca_file"), format!("no such file: {}", path.display()));
        }
        let json = match raw.json {
            Leaf::Wrong(_) => {
                self.problem(&at("json"), "must be none, object or schema");
                JsonMode::None
            }
            other => self.take(&at("json"), other, JsonMode::None),
        };
        Some(HttpSettings {
            key: secret_key.map(Secret::new),
            headers: headers.into_iter().map(|(name, value)| (name, Secret::new(value))).collect(),
            json,
            body: self.take(&at("body"), raw.body, Map::<String, Value>::new()),
            ca_file,
            proxy,
            connect_timeout: self.milliseconds(
                &at("connect_timeout_ms"),
                raw.connect_timeout_ms,
                default.connect_timeout,
                10..=60_000,
            ),
            read_timeout: self.milliseconds(
                &at("read_timeout_ms"),
                raw.read_timeout_ms,
                default.read_timeout,
                10..=60_000,
            ),
            device_names: self.take(&at("device_names"), raw.device_names, default.device_names),
            price: self.price(&at("price"), raw.price),
            ..default
        })
    }

    /// Where sentences go must be an address, and what leaves the home must not be read on the way.
    fn address(&mut self, key: &str, base_url: &str, place: Site, may_leave: bool) {
        let url = match endpoint(base_url) {
            Ok(url) => url,
            Err(error) => return self.problem(key, error.to_string().trim_start_matches("base_url: ")),
        };
        let host = Host::of(&url);
        if place == Site::Cloud && url.scheme() != "https" && !host.is_loopback() {
            self.problem(
                key,
                "must begin with https:// in the cloud; an endpoint of the home's own network says place: lan",
            );
        }
        if place == Site::Lan {
            self.at_home(key, &host, may_leave);
        }
    }

    /// What goes to an endpoint of the home must not leave it on the way there.
    fn proxy(&mut self, key: &str, proxy: &str, place: Site, may_leave: bool) {
        match proxy_address(proxy) {
            Ok(url) if place == Site::Lan => self.at_home(key, &Host::of(&url), may_leave),
            Ok(_) => {}
            Err(error) => self.problem(key, error.to_string().trim_start_matches("proxy: ")),
        }
    }

    /// Whoever is said to be at home has to look so. An address that is not one of a home's network is no home, whatever
    /// is said about it; a name may be one that only the home's own nameserver knows.
    fn at_home(&mut self, key: &str, host: &Host, may_leave: bool) {
        if host.is_home() {
            return;
        }
        let name = &host.name;
        if host.address.is_some() && !may_leave {
            self.problem(
                key,
                format!("{name} is no address of the home's own network, and llm.privacy does not allow what is said to leave the home"),
            );
        } else {
            self.warnings.push(format!("{key}: {name} is said to be in the home's own network and does not look so"));
        }
    }

    fn price(&mut self, key: &str, raw: Leaf<RawPrice>) -> Option<Price> {
        if matches!(raw, Leaf::Absent) {
            return None;
        }
        let raw = self.section(key, raw);
        let mut price = |leaf: &str, value: Leaf<f64>| {
            let key = format!("{key}.{leaf}");
            let price = self.take(&key, value, 0.0);
            if !(0.0..=1e6).contains(&price) {
                self.problem(&key, "must be between 0 and 1000000");
            }
            price
        };
        Some(Price { prompt: price("prompt", raw.prompt), completion: price("completion", raw.completion) })
    }

    /// One of a few words; the first is the default.
    pub(super) fn choice(&mut self, key: &str, leaf: Leaf<String>, choices: &[&str]) -> String {
        let given = match leaf {
            Leaf::Absent => return choices[0].to_owned(),
            Leaf::Is(text) => Some(text),
            Leaf::Wrong(_) => None,
        };
        given.filter(|text| choices.contains(&text.as_str())).unwrap_or_else(|| {
            self.problem(key, format!("must be {}", choices.join(" or ")));
            choices[0].to_owned()
        })
    }
}

/// Who is spoken to.
struct Host {
    name: String,
    /// The name, if it is an address as it stands.
    address: Option<IpAddr>,
}

impl Host {
    fn of(url: &Url) -> Self {
        let name = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        let address = name.parse().ok().map(|address: IpAddr| address.to_canonical());
        Self { name, address }
    }

    fn is_loopback(&self) -> bool {
        self.name == "localhost" || self.address.is_some_and(|address| address.is_loopback())
    }

    /// Whether it is one of a home's network: private, or a name without a public suffix.
    fn is_home(&self) -> bool {
        let ends = |end: &&str| self.name.ends_with(*end);
        match self.address {
            Some(address) if address.is_loopback() => true,
            Some(IpAddr::V4(v4)) => v4.is_private() || v4.is_link_local(),
            Some(IpAddr::V6(v6)) => v6.is_unique_local() || v6.is_unicast_link_local(),
            None => !self.name.contains('.') || [".local", ".lan", ".home.arpa", ".internal"].iter().any(ends),
        }
    }
}

#[cfg(test)]
mod tests;

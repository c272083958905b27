//! From the raw file to a [`Config`]: ranges, names, secrets, defaults.

mod check;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;
use serde_yaml::Value;
use tracing::level_filters::LevelFilter;

use super::overlay::Sources;
use super::raw::{Leaf, RawAssistant, RawConfig, RawDelivery, RawDialogue, RawLanguage, RawLog, RawModel, RawMqtt};
use super::raw::{
    RawEndpoint, RawHttp, RawHttpTls, RawHub, RawJobs, RawLearning, RawLlm, RawLocal, RawMcp, RawMetrics, RawPrice,
    RawResolve, RawService,
};
use super::raw::{RawStore, RawTime, RawTls, RawWyoming};
use super::{Assistant, Config, ConfigError, Dialogue, Environment, Log, MAX_PAGES, Problem, Resolve, Service};
use crate::job::JobSettings;
use crate::service::Learning;
use crate::zh::OwnFiles;

/// Longest name anywhere in the configuration, in characters.
const MAX_NAME: usize = 64;

/// Sentences that were not understood which are kept, and how many of them at most.
const LEARNED: usize = 1_000;
const MAX_LEARNED: i64 = 10_000;

/// Largest password file, in bytes.
const MAX_SECRET_BYTES: u64 = 4096;

/// Checks everything, and fails with all that is wrong.
pub(super) fn validate(
    raw: Leaf<RawConfig>,
    folder: Option<&Path>,
    environment: &Environment,
    sources: Sources,
) -> Result<Config, ConfigError> {
    let mut check = Check { problems: Vec::new(), warnings: Vec::new(), sources, folder, environment };
    let raw = check.take("zhiju.yaml", raw, RawConfig::default());
    check.unknown("", raw.unknown, RawConfig::KEYS);

    let home_id = check.text("home_id", raw.home_id).unwrap_or_else(|| "home".into());
    check.topic_level("home_id", &home_id);
    let mqtt = check.section("mqtt", raw.mqtt);
    let store = check.section("store", raw.store);
    let model = check.section("model", raw.model);
    let assistant = check.section("assistant", raw.assistant);
    let dialogue = check.section("dialogue", raw.dialogue);
    let resolve = check.section("resolve", raw.resolve);
    let delivery = check.section("delivery", raw.delivery);
    let service = check.section("service", raw.service);
    let language = check.section("language", raw.language);
    let llm = check.section("llm", raw.llm);
    let log = check.section("log", raw.log);
    let metrics = check.section("metrics", raw.metrics);
    let http = check.section("http", raw.http);
    let wyoming = check.section("wyoming", raw.wyoming);
    let mcp = check.section("mcp", raw.mcp);
    let (time, jobs) = (check.section("time", raw.time), check.section("jobs", raw.jobs));

    let learning = check.section("learning", raw.learning);

    let (hubs, overrides) = check.hubs(raw.hubs);

    let service = check.service(service);
    let (instruct_ttl, confirm_within) = check.delivery(delivery);
    let config = Config {
        mqtt: check.mqtt(mqtt, &home_id),
        home_id,
        store_dir: check.store(store),
        model_dir: check.model(model),
        assistant: check.assistant(assistant),
        satellites: check.satellites(raw.satellites),
        dialogue: check.dialogue(dialogue),
        resolve: check.resolve(resolve),
        instruct_ttl,
        confirm_within,
        llm: check.llm(llm, service.deadline),
        service,
        language: check.language(language),
        log: check.log(log),
        jobs: check.jobs(time, jobs),
        learning: check.learning(learning),
        metrics_listen: check.metrics(metrics),
        http: check.http(http),
        wyoming: check.wyoming(wyoming),
        mcp_endpoints: check.mcp(mcp),
        hubs,
        overrides,
        warnings: check.warnings,
    };
    if check.problems.is_empty() { Ok(config) } else { Err(ConfigError { problems: check.problems }) }
}

/// The state of one check.
pub(super) struct Check<'a> {
    problems: Vec<Problem>,
    pub(super) warnings: Vec<String>,
    sources: Sources,
    folder: Option<&'a Path>,
    environment: &'a Environment,
}

/// What [`Check::section`] needs of a section: its keys and those nobody knows.
pub(super) trait Section: Default {
    fn keys() -> &'static [&'static str];
    fn take_unknown(&mut self) -> BTreeMap<String, Value>;
}

macro_rules! sections {
    ($($name:ident),*) => {$(
        impl Section for $name {
            fn keys() -> &'static [&'static str] {
                Self::KEYS
            }
            fn take_unknown(&mut self) -> BTreeMap<String, Value> {
                std::mem::take(&mut self.unknown)
            }
        }
    )*};
}
sections!(
    RawMqtt,
    RawTls,
    RawStore,
    RawModel,
    RawAssistant,
    RawDialogue,
    RawResolve,
    RawDelivery,
    RawService,
    RawLanguage,
    RawLlm,
    RawLocal,
    RawEndpoint,
    RawPrice,
    RawLog,
    RawMetrics,
    RawHttp,
    RawHttpTls,
    RawWyoming,
    RawMcp,
    RawHub,
    RawTime,
    RawJobs,
    RawLearning
);

impl Check<'_> {
    fn learning(&mut self, raw: RawLearning) -> Option<Learning> {
        let enabled = self.take("learning.enabled", raw.enabled, false);
        let keep = self.number("learning.keep", raw.keep, LEARNED, 0..=MAX_LEARNED);
        enabled.then_some(Learning { keep })
    }

    fn store(&mut self, raw: RawStore) -> PathBuf {
        let dir = self.text("store.dir", raw.dir).map(PathBuf::from);
        let dir = dir.unwrap_or_else(|| self.environment.state_dir());
        if dir.is_file() {
            self.problem("store.dir", format!("{} is a file", dir.display()));
        }
        dir
    }

    fn model(&mut self, raw: RawModel) -> Option<PathBuf> {
        let Some(dir) = self.text("model.dir", raw.dir).map(PathBuf::from) else {
            return self.environment.default_model();
        };
        if !dir.is_dir() {
            self.problem("model.dir", format!("no such folder: {}", dir.display()));
        }
        Some(dir)
    }

    fn assistant(&mut self, raw: RawAssistant) -> Assistant {
        let default = Assistant::default();
        let names = self.take("assistant.names", raw.names, default.names);
        if names.is_empty() {
            self.problem("assistant.names", "must hold at least one name");
        }
        let others = self.take("assistant.other_assistants", raw.other_assistants, default.other_assistants);
        for (key, list) in [("assistant.names", &names), ("assistant.other_assistants", &others)] {
            for (at, name) in list.iter().enumerate() {
                self.name(&format!("{key}[{at}]"), name);
            }
        }
        if let Some(both) = others.iter().find(|other| names.contains(other)) {
            self.problem("assistant.other_assistants", format!("{both} is a name of this assistant"));
        }
        Assistant { names, other_assistants: others }
    }

    fn satellites(&mut self, raw: Leaf<BTreeMap<String, String>>) -> BTreeMap<String, String> {
        let satellites = self.take("satellites", raw, BTreeMap::new());
        for (satellite, room) in &satellites {
            let key = format!("satellites.{satellite}");
            self.topic_level(&key, satellite);
            self.name(&key, room);
        }
        satellites
    }

    fn dialogue(&mut self, raw: RawDialogue) -> Dialogue {
        let default = Dialogue::default();
        Dialogue {
            page_idle: self.seconds(
                "dialogue.page_idle_seconds",
                raw.page_idle_seconds,
                default.page_idle,
                10..=86_400,
            ),
            max_pages: self.number("dialogue.max_pages", raw.max_pages, default.max_pages, 1..=MAX_PAGES as i64),
            max_turns: self.number("dialogue.max_turns", raw.max_turns, default.max_turns, 1..=1_000),
            confirm_within: self.seconds(
                "dialogue.confirm_seconds",
                raw.confirm_seconds,
                default.confirm_within,
                5..=600,
            ),
        }
    }

    fn resolve(&mut self, raw: RawResolve) -> Resolve {
        let default = Resolve::default();
        let age = default.state_max_age;
        Resolve {
            handful: self.number("resolve.handful", raw.handful, default.handful, 1..=1_000),
            state_max_age: self.seconds("resolve.state_max_age_seconds", raw.state_max_age_seconds, age, 1..=86_400),
        }
    }

    /// How old an instruct may get, and how long its device has to confirm it.
    fn delivery(&mut self, raw: RawDelivery) -> (Duration, Duration) {
        let ttl = self.seconds("delivery.ttl_seconds", raw.ttl_seconds, Duration::from_secs(10), 1..=3_600);
        let confirm = self.seconds("delivery.confirm_seconds", raw.confirm_seconds, Duration::from_secs(3), 0..=60);
        (ttl, confirm)
    }

    fn jobs(&mut self, time: RawTime, raw: RawJobs) -> JobSettings {
        let default = JobSettings::default();
        let zone = self.text("time.zone", time.zone).map(|name| TimeZone::get(&name).map_err(|error| (name, error)));
        let zone = match zone {
            None => default.zone,
            Some(Ok(zone)) => zone,
            Some(Err((name, error))) => {
                self.problem("time.zone", format!("{name:?} is no time zone: {error}"));
                default.zone
            }
        };
        JobSettings {
            late: self.seconds("jobs.late_seconds", raw.late_seconds, default.late, 1..=3_600),
            per_page: self.number("jobs.per_page", raw.per_page, default.per_page, 1..=20_000),
            total: self.number("jobs.total", raw.total, default.total, 1..=20_000),
            zone,
        }
    }

    fn service(&mut self, raw: RawService) -> Service {
        let default = Service::default();
        Service {
            workers: self.number("service.workers", raw.workers, default.workers, 1..=64),
            queue: self.number("service.queue", raw.queue, default.queue, 1..=10_000),
            deadline: self.seconds("service.deadline_seconds", raw.deadline_seconds, default.deadline, 1..=120),
            vector_wait: Duration::from_millis(self.number(
                "service.vector_wait_ms",
                raw.vector_wait_ms,
                30,
                0..=1_000,
            )),
        }
    }

    fn language(&mut self, raw: RawLanguage) -> OwnFiles {
        let mut own = |key: &str, value, is_there: fn(&Path) -> bool, what: &str| {
            let path = self.text(key, value).map(|file| self.beside_file(&file));
            if let Some(path) = path.as_deref().filter(|path| !is_there(path)) {
                self.problem(key, format!("no such {what}: {}", path.display()));
            }
            path
        };
        OwnFiles {
            folder: own("language.folder", raw.folder, Path::is_dir, "folder"),
            lexicon: own("language.lexicon", raw.lexicon, Path::is_file, "file"),
            replies: own("language.replies", raw.replies, Path::is_file, "file"),
        }
    }

    fn log(&mut self, raw: RawLog) -> Log {
        let default = Log::default();
        let level = self.text("log.level", raw.level).unwrap_or(default.level);
        if let Err(reason) = check_filter(&level) {
            self.problem("log.level", reason);
        }
        let format = match raw.format {
            Leaf::Wrong(_) => {
                self.problem("log.format", "must be auto, journald, text or json");
                default.format
            }
            other => self.take("log.format", other, default.format),
        };
        Log { level, format, sentences: self.take("log.sentences", raw.sentences, default.sentences) }
    }

    /// Where the metrics are told. They tell when people speak at home: not to everyone, unless the owner says so.
    fn metrics(&mut self, raw: RawMetrics) -> Option<SocketAddr> {
        let remote = self.take("metrics.allow_remote", raw.allow_remote, false);
        let listen = self.text("metrics.listen", raw.listen)?;
        match listen.parse::<SocketAddr>() {
            Ok(address) if address.ip().is_loopback() || remote => return Some(address),
            Ok(_) => self.problem("metrics.listen", "is no loopback address; metrics.allow_remote: true allows it"),
            Err(_) => self.problem("metrics.listen", "must be ADDRESS:PORT, such as 127.0.0.1:9464"),
        }
        None
    }
}

/// Whether the log can be filtered like this. A word without a level is taken for a part of the program by the filter, of
/// which then everything is told, and of the rest nothing: `loud` would mean silence.
fn check_filter(filter: &str) -> Result<(), String> {
    tracing_subscriber::EnvFilter::try_new(filter).map_err(|error| error.to_string())?;
    // What is in brackets may hold commas of its own.
    let parts = filter.split(',').map(str::trim).filter(|part| !filter.contains('[') && !part.contains('='));
    for part in parts {
        if part.is_empty() || part.parse::<LevelFilter>().is_err() {
            return Err(format!(
                "{part:?} is no level: off, error, warn, info, debug, trace, or such as info,zhiju::transport=debug"
            ));
        }
    }
    Ok(())
}

//! Counters and histograms, handed to those who count. Cloning shares them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

/// Upper bounds of the buckets for the time of a request, in seconds: one utterance takes about a millisecond, one that
/// waits for a vector some more, one that asks a language model seconds.
const LATENCY: [f64; 13] = [0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 10.0];

/// Counters that somebody else keeps.
pub trait Counters: fmt::Debug + Send + Sync {
    /// Shows them to Prometheus.
    fn register(&self, registry: &mut Registry);
}

/// What is counted while the daemon serves.
#[derive(Clone, Debug)]
pub struct Metrics {
    utterances: Family<Understood, Counter>,
    failures: Family<Failure, Counter>,
    outcomes: Family<Turned, Counter>,
    unheard: Family<Unheard, Counter>,
    endpoints: Family<Endpoint, Gauge>,
    latency: Histogram,
    /// Requests that wait for a worker.
    pub waiting: Gauge,
    /// Connections to the broker that were established.
    pub connections: Counter,
    /// Instructs that grew too old before the broker had them.
    pub stale_instructs: Counter,
    /// Vectors that were not there in time.
    pub late_vectors: Counter,
    /// What others count.
    others: Option<Arc<dyn Counters>>,
}

/// What is read at the moment when somebody asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// Instructs that the broker has not acknowledged.
    pub outbox: usize,
    /// Revision of the home in force.
    pub revision: u64,
    /// Devices of the home in force.
    pub devices: usize,
    /// Whether the broker is there.
    pub connected: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Understood {
    intent: String,
    parser: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Failure {
    code: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Turned {
    result: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Unheard {
    door: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Endpoint {
    name: String,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            utterances: Family::default(),
            failures: Family::default(),
            outcomes: Family::default(),
            unheard: Family::default(),
            endpoints: Family::default(),
            latency: Histogram::new(LATENCY),
            waiting: Gauge::default(),
            connections: Counter::default(),
            stale_instructs: Counter::default(),
            late_vectors: Counter::default(),
            others: None,
        }
    }
}

impl Metrics {
    /// With what others count besides.
    pub fn with(others: impl Counters + 'static) -> Self {
        Self { others: Some(Arc::new(others)), ..Self::default() }
    }

    /// An utterance was understood by `parser` as `intent`; both are of a small fixed set.
    pub fn understood(&self, intent: &str, parser: &str) {
        self.utterances.get_or_create(&Understood { intent: intent.to_owned(), parser: parser.to_owned() }).inc();
    }

    /// A request failed with this code of the contract.
    pub fn failed(&self, code: &str) {
        self.failures.get_or_create(&Failure { code: code.to_owned() }).inc();
    }

    /// An instruct turned out so; one of a small fixed set.
    pub fn turned_out(&self, result: &str) {
        self.outcomes.get_or_create(&Turned { result: result.to_owned() }).inc();
    }

    /// Whoever asked by this door was gone before the answer; one of a small fixed set.
    pub fn unheard(&self, door: &str) {
        self.unheard.get_or_create(&Unheard { door: door.to_owned() }).inc();
    }

    /// Whether an MCP endpoint of this name is there; `None` when it is not dialled any more.
    pub fn endpoint(&self, name: &str, connected: Option<bool>) {
        let label = Endpoint { name: name.to_owned() };
        match connected {
            Some(connected) => _ = self.endpoints.get_or_create(&label).set(i64::from(connected)),
            None => _ = self.endpoints.remove(&label),
        }
    }

    /// A request was answered, so long after it arrived.
    pub fn answered(&self, after: Duration) {
        self.latency.observe(after.as_secs_f64());
    }

    /// Everything as OpenMetrics text.
    pub fn text(&self, sample: Sample) -> String {
        let gauge = |value: u64| {
            let gauge: Gauge = Gauge::default();
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
            gauge
        };
        let mut all = Registry::with_prefix("zhiju");
        all.register("build", "The program", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
        all.register("utterances", "Utterances, by intent and by who understood them", self.utterances.clone());
        all.register("failures", "Requests that failed, by error code", self.failures.clone());
        all.register("outcomes", "Instructs, by what their devices said afterwards", self.outcomes.clone());
        all.register("unheard", "Answers that nobody was left to hear, by door", self.unheard.clone());
        let endpoints = self.endpoints.clone();
        all.register("mcp_endpoint_connected", "Whether an MCP endpoint that is dialled is there, by name", endpoints);
        let latency = self.latency.clone();
        all.register_with_unit("request", "From the arrival of a request to its answer", Unit::Seconds, latency);
        all.register("requests_waiting", "Requests that wait for a worker", self.waiting.clone());
        all.register("outbox_instructs", "Instructs that the broker has not acknowledged", gauge(sample.outbox as u64));
        all.register("stale_instructs", "Instructs dropped because they were too old", self.stale_instructs.clone());
        all.register("broker_connections", "Connections to the broker", self.connections.clone());
        all.register("broker_connected", "Whether the broker is there", gauge(u64::from(sample.connected)));
        all.register("late_vectors", "Vectors that were not there in time", self.late_vectors.clone());
        all.register("registry_revision", "Revision of the home in force", gauge(sample.revision));
        all.register("registry_devices", "Devices of the home in force", gauge(sample.devices as u64));
        let resident = gauge(resident_bytes().unwrap_or_default());
        all.register_with_unit("resident_memory", "Resident memory of the process", Unit::Bytes, resident);
        if let Some(others) = &self.others {
            others.register(&mut all);
        }
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &all);
        text
    }
}

/// Resident memory of this process in bytes, as Linux tells it.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_told() {
        let metrics = Metrics::default();
        let counting = metrics.clone();
        counting.understood("instruct", "grammar");
        counting.understood("instruct", "grammar");
        counting.failed("overloaded");
        counting.turned_out("silent");
        counting.answered(Duration::from_millis(3));
        counting.stale_instructs.inc();
        let text = metrics.text(Sample { outbox: 7, revision: 3, devices: 107, connected: true });
        for line in [
            "zhiju_utterances_total{intent=\"instruct\",parser=\"grammar\"} 2",
            "zhiju_failures_total{code=\"overloaded\"} 1",
            "zhiju_outcomes_total{result=\"silent\"} 1",
            "zhiju_request_seconds_bucket{le=\"0.002\"} 0",
            "zhiju_request_seconds_bucket{le=\"0.005\"} 1",
            "zhiju_stale_instructs_total 1",
            "zhiju_outbox_instructs 7",
            "zhiju_registry_revision 3",
            "zhiju_registry_devices 107",
            "zhiju_broker_connected 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
        let resident = text.lines().find_map(|l| l.strip_prefix("zhiju_resident_memory_bytes ")).unwrap();
        assert!(resident.parse::<u64>().unwrap() > 1 << 20);
    }
}

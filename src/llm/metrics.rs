//! What each parser did: counters for the status, the log and Prometheus.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::registry::Registry;
use serde::Serialize;

use super::LlmError;
use super::settings::Price;
use crate::observe::Counters;

/// The name of the grammar among the parsers.
pub const GRAMMAR: &str = "grammar";

/// The name of understanding by similarity among the parsers.
pub const MODEL: &str = "model";

/// Upper bounds of the latency histogram, in milliseconds; whatever takes longer is in a bucket of its own.
const BOUNDS_MS: [u64; 13] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

/// How a call of a parser ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With commands, or with the certainty that it is none.
    Sure,
    /// Without.
    Unsure,
    /// The model said that it does not know.
    Unknown,
    /// The model's answer could not be read.
    Invalid,
    /// No answer came.
    Failed,
    /// It was not asked: busy, or the breaker or the budget said no.
    Skipped,
}

impl End {
    const ALL: [Self; 6] = [Self::Sure, Self::Unsure, Self::Unknown, Self::Invalid, Self::Failed, Self::Skipped];

    /// The name in counters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sure => "sure",
            Self::Unsure => "unsure",
            Self::Unknown => "unknown",
            Self::Invalid => "invalid",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// Why an answer was invalid or mended, or why none came. Closed, so that the counters are bounded.
const REASONS: [&str; 21] = [
    "not_array",
    "empty",
    "invalid",
    "mended",
    "widened",
    "condition",
    "too_many",
    "salvaged",
    "too_long",
    "cut_off",
    "no_action",
    "opposite",
    "deadline",
    "unreachable",
    "refused",
    "malformed",
    "prompt",
    "busy",
    "breaker",
    "budget",
    "other",
];

/// The counters of all parsers. Clones share them.
#[derive(Clone, Debug)]
pub struct ParserMetrics(Arc<[Parser]>);

/// The counters of one parser.
#[derive(Debug)]
pub struct Parser {
    name: String,
    price: Option<Price>,
    ends: [AtomicU64; End::ALL.len()],
    reasons: [AtomicU64; REASONS.len()],
    latency: [AtomicU64; BOUNDS_MS.len() + 1],
    latency_us: AtomicU64,
    prompt_tokens: AtomicU64,
    completion_tokens: AtomicU64,
}

/// What a parser did since the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tally {
    /// `grammar`, `model`, or a name of the configuration.
    pub parser: String,
    /// Questions asked of it.
    pub calls: u64,
    /// How they ended, without those that never did.
    pub ends: BTreeMap<&'static str, u64>,
    /// Reasons, without those that never were.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<&'static str, u64>,
    /// Upper bound in milliseconds of the faster half; `None` beyond the last bound or without calls.
    pub p50_ms: Option<u64>,
    /// The same of the faster ninety-five in a hundred.
    pub p95_ms: Option<u64>,
    /// Tokens of questions and answers.
    #[serde(skip_serializing_if = "is_zero")]
    pub tokens: u64,
    /// What they cost, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What keeps it from being asked, if anything does.
    #[serde(flatten)]
    pub hindrance: Option<Hindrance>,
}

/// What keeps a language model from being asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hindrance {
    /// It cannot be used as it is configured, for this reason: bounded and displayable.
    Unusable(String),
    /// It failed too often and is left alone for a while: the state of its circuit breaker, `open` or `half-open`.
    Breaker(&'static str),
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn add(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

fn of(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl ParserMetrics {
    /// Counters of the grammar, of similarity and of these language models.
    pub fn new<'a>(models: impl IntoIterator<Item = (&'a str, Option<Price>)>) -> Self {
        let parsers = [(GRAMMAR, None), (MODEL, None)].into_iter().chain(models);
        Self(parsers.map(|(name, price)| Parser::new(name, price)).collect())
    }

    /// The counters of a parser, if it is one.
    pub fn parser(&self, name: &str) -> Option<&Parser> {
        self.0.iter().find(|parser| parser.name == name)
    }

    /// What those parsers did that were ever asked, or would have been, and what keeps them from it by their names.
    pub fn tallies(&self, hindrance: impl Fn(&str) -> Option<Hindrance>) -> Vec<Tally> {
        let tallies = self.0.iter().map(|parser| Tally { hindrance: hindrance(&parser.name), ..parser.tally() });
        tallies.filter(|tally| !tally.ends.is_empty() || tally.hindrance.is_some()).collect()
    }
}

impl Counters for ParserMetrics {
    fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }
}

impl Default for ParserMetrics {
    fn default() -> Self {
        Self::new([])
    }
}

impl Parser {
    fn new(name: &str, price: Option<Price>) -> Self {
        Self {
            name: name.to_owned(),
            price,
            ends: Default::default(),
            reasons: Default::default(),
            latency: Default::default(),
            latency_us: AtomicU64::new(0),
            prompt_tokens: AtomicU64::new(0),
            completion_tokens: AtomicU64::new(0),
        }
    }

    /// A call has ended after `took`.
    pub fn ended(&self, end: End, took: Duration) {
        add(&self.ends[end as usize], 1);
        if end != End::Skipped {
            let bucket = BOUNDS_MS.iter().position(|bound| took <= Duration::from_millis(*bound));
            add(&self.latency[bucket.unwrap_or(BOUNDS_MS.len())], 1);
            add(&self.latency_us, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        }
    }

    /// Counts a reason by its name; a name nobody knows counts as `other`.
    pub fn because(&self, reason: &str) {
        let at = REASONS.iter().position(|known| *known == reason).unwrap_or(REASONS.len() - 1);
        add(&self.reasons[at], 1);
    }

    /// Counts tokens.
    pub fn tokens(&self, prompt: u64, completion: u64) {
        add(&self.prompt_tokens, prompt);
        add(&self.completion_tokens, completion);
    }

    fn cost(&self) -> Option<f64> {
        let price = self.price?;
        Some(
            (of(&self.prompt_tokens) as f64 * price.prompt + of(&self.completion_tokens) as f64 * price.completion)
                / 1e6,
        )
    }

    fn calls(&self) -> u64 {
        self.latency.iter().map(of).sum()
    }

    /// The bound below which a share of the calls stayed.
    fn quantile(&self, share: f64) -> Option<u64> {
        let calls = self.calls();
        let mut below = 0;
        BOUNDS_MS.iter().zip(&self.latency).find_map(|(bound, count)| {
            below += of(count);
            (calls > 0 && below as f64 >= share * calls as f64).then_some(*bound)
        })
    }

    fn tally(&self) -> Tally {
        let counted = |names: &mut dyn Iterator<Item = (&'static str, &AtomicU64)>| {
            names.map(|(name, count)| (name, of(count))).filter(|(_, count)| *count > 0).collect()
        };
        Tally {
            parser: self.name.clone(),
            calls: self.calls(),
            ends: counted(&mut End::ALL.iter().map(|end| end.name()).zip(&self.ends)),
            reasons: counted(&mut REASONS.into_iter().zip(&self.reasons)),
            p50_ms: self.quantile(0.5),
            p95_ms: self.quantile(0.95),
            tokens: of(&self.prompt_tokens).saturating_add(of(&self.completion_tokens)),
            cost: self.cost(),
            hindrance: None,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.parser, self.calls)?;
        for (name, count) in self.ends.iter().chain(&self.reasons) {
            write!(f, " {name} {count}")?;
        }
        self.p50_ms.map_or(Ok(()), |ms| write!(f, " p50 {ms} ms"))?;
        self.cost.map_or(Ok(()), |cost| write!(f, " cost {cost:.4}"))?;
        match &self.hindrance {
            None => Ok(()),
            Some(Hindrance::Unusable(_)) => f.write_str(" unusable"),
            Some(Hindrance::Breaker(state)) => write!(f, " breaker {state}"),
        }
    }
}

/// The reason counted when no answer came.
pub(super) fn reason_of(error: &LlmError) -> &'static str {
    match error {
        LlmError::Deadline { .. } => "deadline",
        LlmError::Unreachable { .. } => "unreachable",
        LlmError::Refused { .. } => "refused",
        LlmError::Malformed { .. } => "malformed",
        LlmError::TooLong { .. } => "prompt",
        LlmError::Busy { .. } => "busy",
    }
}

/// One metric with its label sets.
fn counters<'a>(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    values: impl Iterator<Item = (Vec<(&'a str, &'a str)>, f64)>,
) -> std::fmt::Result {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, value) in values.filter(|(_, value)| *value > 0.0) {
        ConstCounter::new(value).encode(metric.encode_family(&labels)?)?;
    }
    Ok(())
}

impl Collector for ParserMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> std::fmt::Result {
        let parsers = || self.0.iter();
        let ends = parsers().flat_map(|p| {
            let counts = End::ALL.iter().zip(&p.ends);
            counts.map(|(end, n)| (vec![("parser", p.name.as_str()), ("end", end.name())], of(n) as f64))
        });
        counters(&mut encoder, "parser_calls", "Questions asked of each parser and how they ended", ends)?;
        let reasons = parsers().flat_map(|p| {
            let counts = REASONS.iter().zip(&p.reasons);
            counts.map(|(reason, n)| (vec![("parser", p.name.as_str()), ("reason", *reason)], of(n) as f64))
        });
        counters(&mut encoder, "parser_reasons", "Why answers were mended, invalid or absent", reasons)?;
        let tokens = parsers().flat_map(|p| {
            [("prompt", &p.prompt_tokens), ("completion", &p.completion_tokens)]
                .map(|(kind, n)| (vec![("parser", p.name.as_str()), ("kind", kind)], of(n) as f64))
        });
        counters(&mut encoder, "parser_tokens", "Tokens of language models", tokens)?;
        let costs = parsers().filter_map(|p| Some((vec![("parser", p.name.as_str())], p.cost()?)));
        counters(&mut encoder, "parser_cost", "Cost of language models, in the currency of the prices", costs)?;
        let name = "parser_duration_seconds";
        let mut metric = encoder.encode_descriptor(name, "How long parsers take", None, MetricType::Histogram)?;
        for parser in parsers().filter(|p| p.calls() > 0) {
            let labels = [("parser", parser.name.as_str())];
            parser.encode_latency(metric.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

impl Parser {
    fn encode_latency(&self, mut encoder: MetricEncoder) -> std::fmt::Result {
        let bounds = BOUNDS_MS.iter().map(|ms| *ms as f64 / 1e3).chain([f64::MAX]);
        let buckets: Vec<(f64, u64)> = bounds.zip(self.latency.iter().map(of)).collect();
        let count = buckets.iter().map(|(_, n)| n).sum();
        encoder.encode_histogram::<NoLabelSet>(of(&self.latency_us) as f64 / 1e6, count, &buckets, None)
    }
}

//! Who is told what: frames to the asker, words to the satellite, instructs to the devices.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::PublishProperties;
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout_at};
use tracing::{error, warn};

use super::claims::Claims;
use crate::audit::{Entry, Step};
use crate::clock::Clock;
use crate::frame::{
    Door, ErrorCode, Event, Finish, Instruct, Intent, Origin, Request, Speech, finish_frame, reply_payload,
    spoken_failure, stream_frame,
};
use crate::ledger::Ledger;
use crate::observe::Metrics;
use crate::transport::{AnswerTo, Batch, Publication, Throttle, Topics};
use crate::zh::Texts;

/// How long an answer waits for room on its way to the broker when its request has no time left.
const LAST_WORD: Duration = Duration::from_secs(1);

/// What is told of a request whose instructs cannot be given.
const BROKER_AWAY: &str = "the broker is away, and with it the devices; nothing was done";

/// How who asked is answered.
#[derive(Clone, Debug)]
pub enum Asker {
    /// On the topics of the request.
    Topics {
        /// Where the asker wants the answer besides `response/{rid}`.
        answer_to: Option<AnswerTo>,
    },
    /// Through a door that stays open for as long as the request takes. The door takes what it is told at once: nothing here
    /// waits for it.
    Line(mpsc::Sender<Event>),
}

impl Default for Asker {
    fn default() -> Self {
        Self::Topics { answer_to: None }
    }
}

impl Asker {
    /// Tells whoever holds the line. One who left it has no more interest.
    fn hear(&self, event: Event) {
        if let Self::Line(line) = self {
            let _ = line.try_send(event);
        }
    }
}

/// Writes instructs down before they are given.
pub trait Deliver: Send + Sync + 'static {
    /// Writes them down and returns them ready to be published, in order. What `ordered` tells of the risky ones among them
    /// is written into the audit trail with them.
    ///
    /// # Errors
    /// When they do not fit or cannot be written: then none of them is given.
    fn accept(
        &self,
        request: &Request,
        orders: &[Instruct],
        ordered: Option<Entry>,
    ) -> impl Future<Output = Result<Batch, Refusal>> + Send;

    /// Whether any of them comes true over the broker alone.
    fn needs_broker(&self, orders: &[Instruct]) -> bool;

    /// Until when what is said now is worth saying, by [`Clock::now_ms`].
    fn expires_ms(&self) -> u64;

    /// What tells the time.
    fn clock(&self) -> &Clock;
}

/// Why instructs were not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What the request fails with.
    pub code: ErrorCode,
    /// What a person can do about it.
    pub message: String,
}

/// Tells everyone concerned.
#[derive(Debug)]
pub struct Answers<D> {
    topics: Topics,
    outbound: mpsc::Sender<Batch>,
    outbox: Arc<D>,
    metrics: Metrics,
    claims: Arc<Claims>,
    throttle: Mutex<Throttle>,
    /// Whether the broker is there, for those who hear of their request without it.
    connected: Option<watch::Receiver<bool>>,
    /// Who keeps an account of what was said and what came of it.
    ledger: Option<Arc<Ledger>>,
    /// What is said of failures.
    texts: Arc<Texts>,
}

impl<D: Deliver> Answers<D> {
    /// Answers go to `outbound`, instructs through `outbox`; failures are counted in `metrics`.
    pub fn new(topics: Topics, outbound: mpsc::Sender<Batch>, outbox: Arc<D>, metrics: Metrics) -> Self {
        let (claims, throttle) = (Arc::default(), Mutex::default());
        let texts = Arc::default();
        Self { topics, outbound, outbox, metrics, claims, throttle, connected: None, ledger: None, texts }
    }

    /// The same in the words of an owner.
    #[must_use]
    pub fn in_words(self, texts: Arc<Texts>) -> Self {
        Self { texts, ..self }
    }

    /// The same answers, which know whether the broker is there.
    #[must_use]
    pub fn knowing(self, connected: watch::Receiver<bool>) -> Self {
        Self { connected: Some(connected), ..self }
    }

    /// The same answers, of which an account is kept.
    #[must_use]
    pub fn accounted(self, ledger: Arc<Ledger>) -> Self {
        Self { ledger: Some(ledger), ..self }
    }

    /// Whether to log about `what` now; see [`Throttle::pass`].
    pub(super) fn may_log(&self, what: &'static str) -> Option<u64> {
        self.may_log_of(what, "")
    }

    fn may_log_of(&self, what: &'static str, whose: &str) -> Option<u64> {
        let mut throttle = self.throttle.lock().unwrap_or_else(PoisonError::into_inner);
        throttle.pass_of(what, whose, std::time::Instant::now())
    }

    /// The home's topics.
    pub fn topics(&self) -> &Topics {
        &self.topics
    }

    /// Whether what became of a request's instructs may be told on the topic of its rid: not of a satellite's, where
    /// somebody else had a request of that rid `within` the time that this takes.
    pub fn may_tell_outcome(&self, origin: &Origin, rid: &str, within: Duration) -> bool {
        origin.door == Door::Request || !self.claims.held_within(rid, within)
    }

    /// Which rids belong to requests under way.
    pub(super) fn claims(&self) -> &Arc<Claims> {
        &self.claims
    }

    /// What is counted.
    pub(super) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Tells of one event of a request whose time is up at `until`.
    pub(super) async fn tell(&self, asker: &Asker, request: &Request, event: Event, until: Instant) {
        let rid = &request.rid;
        match event {
            Event::Stream { .. } | Event::Candidates(_) if matches!(asker, Asker::Line(_)) => asker.hear(event),
            Event::Stream { intent, text, aloud } => {
                let mut batch = self.frames(asker, request, &stream_frame(rid, intent, &text));
                if aloud {
                    batch.extend(self.reply(request, intent, &Speech::full(&text)));
                }
                self.send(self.fresh(batch), until).await;
            }
            Event::Candidates(_) if !self.may_use_rid(request) => {}
            Event::Candidates(candidates) => {
                let topic = self.topics.candidates(&request.origin, rid);
                let batch = vec![Publication::new(topic, candidates.to_string().into_bytes())];
                self.send(self.fresh(batch), until).await;
            }
            Event::AskState { device } => match self.topics.state_get(&device) {
                Some(topic) => self.send(self.fresh(vec![Publication::new(topic, b"{}".to_vec())]), until).await,
                None => {
                    if let Some(suppressed) = self.may_log("no topic") {
                        warn!(rid, device, suppressed, "a device with such an id has no topic");
                    }
                }
            },
            Event::Finish(finish) => self.finish(asker, request, finish, None, until).await,
        }
    }

    /// Tells that a request was not served.
    pub async fn fail(&self, asker: &Asker, request: &Request, code: ErrorCode, message: String) {
        let finish = Finish::Failed { code, message };
        self.send(self.ending(asker, request, &finish), Instant::now() + LAST_WORD).await;
        self.account(request, None, &finish);
        asker.hear(Event::Finish(finish));
    }

    /// Like [`Self::fail`], for those who must not wait: without room the answer is dropped.
    pub fn try_fail(&self, asker: &Asker, request: &Request, code: ErrorCode, message: String) {
        let finish = Finish::Failed { code, message };
        // Half of the room is for what was served: however many are refused, others hear their answers.
        let room = self.outbound.capacity() * 2 > self.outbound.max_capacity();
        let batch = self.ending(asker, request, &finish);
        if !batch.is_empty() && (!room || self.outbound.try_send(batch).is_err()) {
            self.no_room(&request.rid);
        }
        // A flood of refusals is one account now and then: it does not push out what was served.
        if self.may_log_of("refused", &request.origin.page_key("")).is_some() {
            self.account(request, None, &finish);
        }
        asker.hear(Event::Finish(finish));
    }

    fn account(&self, request: &Request, found: Option<Arc<Value>>, finish: &Finish) {
        if let Some(ledger) = &self.ledger {
            ledger.record(request, found, finish);
        }
    }

    /// Instructs first, then the frame that tells of them, all in one piece: either all are on their way or none. `found` is
    /// what was told of candidates before.
    pub(super) async fn finish(
        &self,
        asker: &Asker,
        request: &Request,
        finish: Finish,
        found: Option<Arc<Value>>,
        until: Instant,
    ) {
        let rid = &request.rid;
        let finish = self.possible(asker, request, finish);
        let Ok(Ok(room)) = timeout_at(until, self.outbound.reserve()).await else {
            let message = "there is no room for it on its way to the broker; nothing was done".to_owned();
            let finish = Finish::Failed { code: ErrorCode::Timeout, message };
            self.account(request, found, &finish);
            asker.hear(Event::Finish(finish));
            return self.no_room(rid);
        };
        let (orders, ordered) = match &finish {
            Finish::Done { instructs, risky, confirmed, result, .. } if request.moves() => {
                let wall_ms = self.outbox.clock().wall_ms();
                let entry = || {
                    let entry = Entry::new(Step::Ordered, request, result, risky.clone(), wall_ms);
                    Entry { confirmed: *confirmed, ..entry }
                };
                (instructs.as_slice(), (!risky.is_empty()).then(entry))
            }
            _ => (&[][..], None),
        };
        // From here on the deadline does not count: what is written down will be given.
        let (mut batch, finish) = match self.outbox.accept(request, orders, ordered).await {
            Ok(batch) => (batch, finish),
            Err(Refusal { code, message }) => {
                if let Some(suppressed) = self.may_log("no instruct") {
                    error!(rid, message, suppressed, "no instruct was given");
                }
                (Vec::new(), Finish::Failed { code, message })
            }
        };
        batch.extend(self.ending(asker, request, &finish));
        if !batch.is_empty() {
            room.send(batch);
        }
        self.account(request, found, &finish);
        asker.hear(Event::Finish(finish));
    }

    /// What is told through the broker grows stale with the instructs while it is away. Who hears of the end without it would
    /// be told of something that does not happen: then nothing is ordered, and that is what is said.
    fn possible(&self, asker: &Asker, request: &Request, finish: Finish) -> Finish {
        let away = self.connected.as_ref().is_some_and(|connected| !*connected.borrow());
        let stuck = match &finish {
            Finish::Done { instructs, .. } => away && request.moves() && self.outbox.needs_broker(instructs),
            Finish::Failed { .. } => false,
        };
        match asker {
            Asker::Line(_) if stuck => Finish::Failed { code: ErrorCode::Timeout, message: BROKER_AWAY.to_owned() },
            _ => finish,
        }
    }

    /// The finish frame, and what the satellite says. While the broker is away they grow stale with the instructs: then
    /// nothing is said aloud any more, and the frame tells that it is too late.
    fn ending(&self, asker: &Asker, request: &Request, finish: &Finish) -> Batch {
        let rid = &request.rid;
        let frame = |finish: &Finish| finish_frame(rid, request, finish);
        let (intent, speech) = match finish {
            Finish::Done { intent, speech, .. } => (*intent, speech.clone()),
            Finish::Failed { code, .. } => {
                self.metrics.failed(code.code());
                (Intent::None, Speech::full(spoken_failure(*code, &self.texts.failures)))
            }
        };
        let mut batch = match asker {
            Asker::Topics { .. } => self.frames(asker, request, &frame(finish)),
            // A door makes frames of its own, if it has any.
            Asker::Line(_) => Batch::new(),
        };
        if matches!(finish, Finish::Done { .. }) && !batch.is_empty() {
            let message = "the broker was away for too long; what it had not taken by then was dropped".to_owned();
            let late = frame(&Finish::Failed { code: ErrorCode::Timeout, message }).to_string().into_bytes();
            let expires_ms = self.outbox.expires_ms();
            batch = batch.into_iter().map(|publication| publication.or_late(expires_ms, late.clone())).collect();
        }
        batch.extend(self.fresh(self.reply(request, intent, &speech).into_iter().collect()));
        batch
    }

    /// Messages that are worth nothing later.
    fn fresh(&self, batch: Batch) -> Batch {
        let expires_ms = self.outbox.expires_ms();
        batch.into_iter().map(|publication| publication.fresh_until(expires_ms)).collect()
    }

    /// A frame to `response/{rid}` and to where the asker wants it.
    fn frames(&self, asker: &Asker, request: &Request, frame: &Value) -> Batch {
        let Asker::Topics { answer_to } = asker else { return Batch::new() };
        let payload = frame.to_string().into_bytes();
        let own = self.topics.response(&request.origin, &request.rid);
        let may_use_rid = self.may_use_rid(request);
        let Some(AnswerTo { topic, correlation }) = answer_to.as_ref().filter(|to| may_use_rid || to.topic != own)
        else {
            return may_use_rid.then(|| Publication::new(own, payload)).into_iter().collect();
        };
        let properties =
            PublishProperties { correlation_data: correlation.clone().map(Into::into), ..PublishProperties::default() };
        let asked = Publication::new(topic.clone(), payload.clone()).with_properties(properties);
        let first = (may_use_rid && *topic != own).then(|| Publication::new(own, payload));
        first.into_iter().chain([asked]).collect()
    }

    /// Whether what is said of a request may be said on the topics of its rid: not of a satellite's, while somebody else's
    /// request of that rid is under way.
    fn may_use_rid(&self, request: &Request) -> bool {
        let may = request.origin.door == Door::Request || !self.claims.holds(&request.rid);
        if !may && let Some(suppressed) = self.may_log("rid") {
            let (rid, from) = (&request.rid, &request.origin.client);
            warn!(rid, from, suppressed, "the rid of a request under way is not a satellite's to use");
        }
        may
    }

    /// What the satellite that spoke says aloud.
    fn reply(&self, request: &Request, intent: Intent, speech: &Speech) -> Option<Publication> {
        let topic = self.topics.reply(request.origin.as_satellite()?);
        Some(Publication::new(topic, reply_payload(&request.rid, intent, speech).to_string().into_bytes()))
    }

    async fn send(&self, batch: Batch, until: Instant) {
        if !batch.is_empty() && !matches!(timeout_at(until, self.outbound.send(batch)).await, Ok(Ok(()))) {
            self.no_room("");
        }
    }

    fn no_room(&self, rid: &str) {
        if let Some(suppressed) = self.may_log("no room") {
            warn!(rid, suppressed, "no room for an answer, dropped");
        }
    }
}

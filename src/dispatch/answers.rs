//! Who is told what: frames to the asker, words to the satellite, instructs to the devices.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::PublishProperties;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tracing::{error, warn};

use crate::frame::{
    ErrorCode, Event, Finish, Intent, Request, finish_frame, reply_payload, spoken_failure, stream_frame,
};
use crate::observe::Metrics;
use crate::outbox::{Outbox, OutboxError, OutboxLog};
use crate::transport::{AnswerTo, Batch, Publication, Throttle, Topics, now_ms};

/// How long an answer waits for room on its way to the broker when its request has no time left.
const LAST_WORD: Duration = Duration::from_secs(1);

/// Who asked, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asker {
    /// The satellite, if it came as an utterance.
    pub satellite: Option<String>,
    /// Where the asker wants the answer besides `response/{rid}`.
    pub answer_to: Option<AnswerTo>,
}

/// Tells everyone concerned.
#[derive(Debug)]
pub struct Answers<L> {
    topics: Topics,
    outbound: mpsc::Sender<Batch>,
    outbox: Outbox<L>,
    metrics: Metrics,
    throttle: Mutex<Throttle>,
}

impl<L: OutboxLog> Answers<L> {
    /// Answers go to `outbound`, instructs through `outbox`; failures are counted in `metrics`.
    pub fn new(topics: Topics, outbound: mpsc::Sender<Batch>, outbox: Outbox<L>, metrics: Metrics) -> Self {
        Self { topics, outbound, outbox, metrics, throttle: Mutex::default() }
    }

    /// Whether to log about `what` now; see [`Throttle::pass`].
    pub(super) fn may_log(&self, what: &str) -> Option<u64> {
        self.throttle.lock().unwrap_or_else(PoisonError::into_inner).pass(what, std::time::Instant::now())
    }

    /// The way of instructs.
    pub fn outbox(&self) -> &Outbox<L> {
        &self.outbox
    }

    /// What is counted.
    pub(super) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Tells of one event of a request whose time is up at `until`.
    pub(super) async fn tell(&self, asker: &Asker, request: &Request, event: Event, until: Instant) {
        let rid = &request.rid;
        match event {
            Event::Stream { intent, text } => {
                let mut batch = self.frames(asker, rid, &stream_frame(rid, intent, &text));
                batch.extend(self.reply(asker, rid, intent, &text));
                self.send(self.fresh(batch), until).await;
            }
            Event::Candidates(candidates) => {
                let topic = self.topics.candidates(rid);
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
            Event::Finish(finish) => self.finish(asker, request, finish, until).await,
        }
    }

    /// Tells that a request was not served.
    pub async fn fail(&self, asker: &Asker, request: &Request, code: ErrorCode, message: String) {
        let finish = Finish::Failed { code, message };
        self.send(self.ending(asker, request, &finish), Instant::now() + LAST_WORD).await;
    }

    /// Like [`Self::fail`], for those who must not wait: without room the answer is dropped.
    pub fn try_fail(&self, asker: &Asker, request: &Request, code: ErrorCode, message: String) {
        let finish = Finish::Failed { code, message };
        if self.outbound.try_send(self.ending(asker, request, &finish)).is_err() {
            self.no_room(&request.rid);
        }
    }

    /// Instructs first, then the frame that tells of them, all in one piece: either all are on their way or none.
    async fn finish(&self, asker: &Asker, request: &Request, finish: Finish, until: Instant) {
        let rid = &request.rid;
        let Ok(Ok(room)) = timeout_at(until, self.outbound.reserve()).await else {
            return self.no_room(rid);
        };
        let orders = match &finish {
            Finish::Done { instructs, .. } if request.instruct => instructs.as_slice(),
            _ => &[],
        };
        // From here on the deadline does not count: what is written down will be given.
        let (mut batch, finish) = match self.outbox.accept(rid, orders, now_ms()).await {
            Ok(batch) => (batch, finish),
            Err(error) => {
                let code = match &error {
                    OutboxError::Full { .. } => ErrorCode::Overloaded,
                    OutboxError::Log(_) => ErrorCode::Internal,
                };
                if let Some(suppressed) = self.may_log("no instruct") {
                    error!(rid, %error, suppressed, "no instruct was given");
                }
                (Vec::new(), Finish::Failed { code, message: error.to_string() })
            }
        };
        batch.extend(self.ending(asker, request, &finish));
        room.send(batch);
    }

    /// The finish frame, and what the satellite says. While the broker is away they grow stale with the instructs: then
    /// nothing is said aloud any more, and the frame tells that it is too late.
    fn ending(&self, asker: &Asker, request: &Request, finish: &Finish) -> Batch {
        let rid = &request.rid;
        let frame = |finish: &Finish| finish_frame(rid, request, finish);
        let (intent, text) = match finish {
            Finish::Done { intent, result, .. } => (*intent, result.as_str()),
            Finish::Failed { code, .. } => {
                self.metrics.failed(code.code());
                (Intent::None, spoken_failure(*code))
            }
        };
        let mut batch = self.frames(asker, rid, &frame(finish));
        if matches!(finish, Finish::Done { .. }) {
            let message = "the broker was away for too long; what it had not taken by then was dropped".to_owned();
            let late = frame(&Finish::Failed { code: ErrorCode::Timeout, message }).to_string().into_bytes();
            let expires_ms = self.outbox.expires_ms(now_ms());
            batch = batch.into_iter().map(|publication| publication.or_late(expires_ms, late.clone())).collect();
        }
        batch.extend(self.fresh(self.reply(asker, rid, intent, text).into_iter().collect()));
        batch
    }

    /// Messages that are worth nothing later.
    fn fresh(&self, batch: Batch) -> Batch {
        let expires_ms = self.outbox.expires_ms(now_ms());
        batch.into_iter().map(|publication| publication.fresh_until(expires_ms)).collect()
    }

    /// A frame to `response/{rid}` and to where the asker wants it.
    fn frames(&self, asker: &Asker, rid: &str, frame: &Value) -> Batch {
        let payload = frame.to_string().into_bytes();
        let own = self.topics.response(rid);
        let Some(AnswerTo { topic, correlation }) = &asker.answer_to else {
            return vec![Publication::new(own, payload)];
        };
        let properties =
            PublishProperties { correlation_data: correlation.clone().map(Into::into), ..PublishProperties::default() };
        let asked = Publication::new(topic.clone(), payload.clone()).with_properties(properties);
        if *topic == own { vec![asked] } else { vec![Publication::new(own, payload), asked] }
    }

    fn reply(&self, asker: &Asker, rid: &str, intent: Intent, text: &str) -> Option<Publication> {
        let topic = self.topics.reply(asker.satellite.as_ref()?);
        Some(Publication::new(topic, reply_payload(rid, intent, text).to_string().into_bytes()))
    }

    async fn send(&self, batch: Batch, until: Instant) {
        if !matches!(timeout_at(until, self.outbound.send(batch)).await, Ok(Ok(()))) {
            self.no_room("");
        }
    }

    fn no_room(&self, rid: &str) {
        if let Some(suppressed) = self.may_log("no room") {
            warn!(rid, suppressed, "no room for an answer, dropped");
        }
    }
}

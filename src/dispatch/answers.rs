//! Who is told what: frames to the asker, words to the satellite, instructs to the devices.

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
use crate::transport::{AnswerTo, Batch, Publication, Topics, now_ms};

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
}

impl<L: OutboxLog> Answers<L> {
    /// Answers go to `outbound`, instructs through `outbox`; failures are counted in `metrics`.
    pub fn new(topics: Topics, outbound: mpsc::Sender<Batch>, outbox: Outbox<L>, metrics: Metrics) -> Self {
        Self { topics, outbound, outbox, metrics }
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
                self.send(batch, until).await;
            }
            Event::Candidates(candidates) => {
                let topic = self.topics.candidates(rid);
                self.send(vec![Publication::new(topic, candidates.to_string().into_bytes())], until).await;
            }
            Event::AskState { device } => match self.topics.state_get(&device) {
                Some(topic) => self.send(vec![Publication::new(topic, b"{}".to_vec())], until).await,
                None => warn!(rid, device, "a device with such an id has no topic"),
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
            warn!(rid = request.rid, code = code.code(), "no room for an answer, dropped");
        }
    }

    /// Instructs first, then the frame that tells of them, all in one piece: either all are on their way or none.
    async fn finish(&self, asker: &Asker, request: &Request, finish: Finish, until: Instant) {
        let rid = &request.rid;
        let Ok(Ok(room)) = timeout_at(until, self.outbound.reserve()).await else {
            warn!(rid, "no room for an answer before the deadline; nothing was done");
            return;
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
                error!(rid, %error, "no instruct was given");
                (Vec::new(), Finish::Failed { code, message: error.to_string() })
            }
        };
        batch.extend(self.ending(asker, request, &finish));
        room.send(batch);
    }

    /// The finish frame, and what the satellite says.
    fn ending(&self, asker: &Asker, request: &Request, finish: &Finish) -> Batch {
        let mut batch = self.frames(asker, &request.rid, &finish_frame(&request.rid, request, finish));
        let (intent, text) = match finish {
            Finish::Done { intent, result, .. } => (*intent, result.as_str()),
            Finish::Failed { code, .. } => {
                self.metrics.failed(code.code());
                (Intent::None, spoken_failure(*code))
            }
        };
        batch.extend(self.reply(asker, &request.rid, intent, text));
        batch
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
        match timeout_at(until, self.outbound.send(batch)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => warn!("no room for an answer, dropped"),
        }
    }
}

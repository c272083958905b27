//! Where each message from the broker goes. Nothing here waits: what has no room is answered or dropped at once.

mod recent;

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc;
use tracing::warn;

use super::home_lane::HomeLane;
use super::settings::DaemonSettings;
use crate::dispatch::{Answers, Asker, Deliver, Dispatch, Job};
use crate::door::Desk;
use crate::frame::{BadFrame, ErrorCode, Limits, Origin, Request, UNKNOWN_RID, Utterance};
use crate::job::Jobs;
use crate::transport::{AnswerTo, Inbound, Incoming, Throttle};
use recent::Recent;

/// Routes messages.
#[derive(Debug)]
pub(super) struct Router<D> {
    limits: Limits,
    dispatch: Dispatch,
    answers: Arc<Answers<D>>,
    desk: Arc<Desk>,
    lane: Arc<HomeLane>,
    jobs: Arc<Jobs>,
    response_topics: Vec<String>,
    recent: Recent,
    throttle: Throttle,
}

impl<D: Deliver> Router<D> {
    pub(super) fn new(
        settings: &DaemonSettings,
        dispatch: Dispatch,
        answers: Arc<Answers<D>>,
        desk: Arc<Desk>,
        lane: Arc<HomeLane>,
        jobs: Arc<Jobs>,
    ) -> Self {
        Self {
            limits: settings.limits,
            dispatch,
            answers,
            desk,
            lane,
            jobs,
            response_topics: settings.broker.response_topics.clone(),
            recent: Recent::default(),
            throttle: Throttle::default(),
        }
    }

    /// Routes one message.
    pub(super) fn route(&mut self, inbound: Inbound) {
        match &inbound.about {
            Incoming::Registry => self.lane.document(inbound.payload),
            Incoming::State(device) => self.lane.state(device, &inbound.payload),
            // What was said is said once: a broker that kept it tells of the past.
            Incoming::Request(_) | Incoming::Utterance(_) | Incoming::CancelJobs if inbound.retained => {
                if self.throttle.pass("retained", Instant::now()).is_some() {
                    warn!(about = ?inbound.about, "a retained request is not served");
                }
            }
            Incoming::Request(client) => {
                let origin = client.clone().map_or_else(Origin::request, Origin::application);
                self.request(origin, inbound);
            }
            Incoming::CancelJobs => super::jobs::cancel(&self.jobs, &inbound.payload),
            Incoming::Utterance(satellite) => {
                let satellite = satellite.clone();
                self.utterance(satellite, inbound);
            }
        }
    }

    /// Routes what still comes until no request waits or is being served: the broker takes what it gave us for done.
    pub(super) async fn finish(&mut self, inbound: &mut mpsc::Receiver<Inbound>) {
        loop {
            tokio::select! {
                biased;
                Some(inbound) = inbound.recv() => self.route(inbound),
                () = self.dispatch.idle() => return,
            }
        }
    }

    /// Waits until a worker ends by itself, which is a bug, and says how.
    pub(super) async fn ended(&mut self) -> String {
        self.dispatch.ended().await
    }

    /// Hands the requests over to whoever stops the daemon.
    pub(super) fn into_dispatch(self) -> Dispatch {
        self.dispatch
    }

    fn request(&mut self, origin: Origin, inbound: Inbound) {
        let Inbound { payload, answer_to, repeated, .. } = inbound;
        match Request::parse(&payload, &self.limits) {
            Ok(request) => {
                let heard = request.rid.clone();
                let request = Request { origin, ..request };
                self.submit(request, &heard, Arrival { answer_to, repeated, bytes: payload.len() });
            }
            Err(bad) => self.refuse(origin, answer_to, bad),
        }
    }

    fn utterance(&mut self, satellite: String, inbound: Inbound) {
        let Inbound { payload, answer_to, repeated, .. } = inbound;
        let utterance = match Utterance::parse(&payload, &self.limits) {
            Ok(utterance) => utterance,
            Err(bad) => return self.refuse(Origin::satellite(satellite), answer_to, bad),
        };
        // What has no rid is known by what was said.
        let heard = utterance.rid.clone().unwrap_or_else(|| format!("\0{}", utterance.text));
        let request = Request {
            rid: utterance.rid.unwrap_or_else(|| self.desk.made_up()),
            page_id: utterance.page_id.unwrap_or_else(|| format!("satellite-{satellite}")),
            local: utterance.local.or_else(|| self.desk.room_of(&satellite)),
            question: utterance.text,
            instruct: true,
            home: None,
            origin: Origin::satellite(satellite),
        };
        self.submit(request, &heard, Arrival { answer_to, repeated, bytes: payload.len() });
    }

    /// `heard` tells it from other requests of the same origin, should the broker repeat it.
    fn submit(&mut self, request: Request, heard: &str, arrival: Arrival) {
        if arrival.repeated && self.recent.knows(&request.origin, heard) {
            return;
        }
        self.recent.note(&request.origin, heard);
        let asker = self.asker(&request, arrival.answer_to);
        self.desk.take(Job::new(request, asker, arrival.bytes));
    }

    /// How a request is answered: where it asks for it, if that is somewhere it may be.
    fn asker(&mut self, request: &Request, answer_to: Option<AnswerTo>) -> Asker {
        let topics = self.answers.topics();
        let may = |to: &AnswerTo| topics.may_answer_to(&to.topic, &request.rid, &request.origin, &self.response_topics);
        let (answer_to, refused) = match answer_to {
            Some(to) if !may(&to) => (None, Some(to.topic)),
            to => (to, None),
        };
        if let Some(topic) = refused
            && let Some(suppressed) = self.throttle.pass("response topic", Instant::now())
        {
            let (rid, from) = (&request.rid, from(&request.origin));
            warn!(rid, from, topic, suppressed, "a response topic outside of mqtt.response_topics is not answered on");
        }
        Asker::Topics { answer_to }
    }

    fn refuse(&mut self, origin: Origin, answer_to: Option<AnswerTo>, bad: BadFrame) {
        let from = from(&origin);
        if let Some(suppressed) = self.throttle.pass_of("client", from, Instant::now()) {
            warn!(from, message = bad.message, suppressed, "a frame is refused");
        }
        let rid = bad.rid.unwrap_or_else(|| UNKNOWN_RID.to_owned());
        let request = Request { rid, origin, ..Request::default() };
        let asker = self.asker(&request, answer_to);
        self.answers.try_fail(&asker, &request, ErrorCode::BadFrame, bad.message);
    }
}

/// How a message came.
struct Arrival {
    answer_to: Option<AnswerTo>,
    repeated: bool,
    bytes: usize,
}

/// Whom the log names.
fn from(origin: &Origin) -> &str {
    if origin.client.is_empty() { "request" } else { &origin.client }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::watch;

    use super::super::overrides::OverridesFile;
    use super::super::status_of;
    use super::*;
    use crate::clock::Clock;
    use crate::dispatch::{DispatchLimits, Serve};
    use crate::door::Places;
    use crate::frame::Event;
    use crate::home::Registry;
    use crate::job::JobSettings;
    use crate::language::lexicon::Lexicon;
    use crate::observe::Metrics;
    use crate::outbox::Outbox;
    use crate::outbox::tests::MemoryLog;
    use crate::transport::{ModelStatus, Topics};

    const HOME: &str = r#"{"layout": ["客厅"], "model": {}, "devices": []}"#;

    /// Tells what it is asked and answers nothing.
    struct Listener(mpsc::Sender<Request>);

    impl Serve for Listener {
        async fn serve(&self, request: Request, _: mpsc::Sender<Event>) {
            let _ = self.0.send(request).await;
        }
    }

    fn router() -> (Router<Outbox<MemoryLog>>, mpsc::Receiver<Request>) {
        let registry = Arc::new(Registry::default());
        registry.replace(HOME).unwrap();
        let topics = Topics::new("home").unwrap();
        let (asked_tx, asked) = mpsc::channel(8);
        let outbound = mpsc::channel(8).0;
        let log = Arc::new(MemoryLog::default());
        let outbox = Outbox::new(log, topics.clone(), 8, Duration::from_secs(1), Clock::of_machine());
        let answers = Arc::new(Answers::new(topics, outbound, Arc::new(outbox), Metrics::default()));
        let limits = DispatchLimits { workers: 1, waiting: 8, bytes: 1_000, deadline: Duration::from_secs(60) };
        let dispatch = Dispatch::start(Arc::new(Listener(asked_tx)), Arc::clone(&answers), limits);
        let status = watch::channel(status_of(&registry, 0, ModelStatus::Error(String::new()))).0;
        let lexicon = Arc::new(Lexicon::built_in().unwrap());
        let file = Arc::new(OverridesFile::new(None, std::path::Path::new("/nowhere")));
        let lane = HomeLane::new(Arc::clone(&registry), lexicon, watch::channel(None).0, status, file);
        let places = Places::new([("box".to_owned(), "厨房".to_owned())].into(), registry);
        let intake = Arc::new(dispatch.intake(Arc::clone(&answers)));
        let desk = Arc::new(Desk::new(
            intake,
            &limits,
            Arc::new(places),
            &Clock::of_machine(),
            crate::observe::Metrics::default(),
        ));
        let jobs = Arc::new(Jobs::in_memory(Clock::of_machine(), JobSettings::default()));
        (Router::new(&DaemonSettings::default(), dispatch, answers, desk, lane, jobs), asked)
    }

    fn said(satellite: &str, payload: &str) -> Inbound {
        Inbound::new(Incoming::Utterance(satellite.into()), payload.into())
    }

    #[tokio::test]
    async fn a_satellite_stands_where_it_is_configured_or_where_its_name_says() {
        let (mut router, mut asked) = router();
        for (satellite, payload, room) in [
            ("box", "开灯", Some("厨房")),
            ("客厅", "开灯", Some("客厅")),
            ("elsewhere", "开灯", None),
            ("box", r#"{"text": "开灯", "local": "阳台"}"#, Some("阳台")),
        ] {
            router.route(said(satellite, payload));
            let request = asked.recv().await.unwrap();
            assert_eq!(request.local.as_deref(), room, "{satellite}");
            assert_eq!(request.page_id, format!("satellite-{satellite}"));
            assert!(request.instruct && request.question == "开灯");
        }
    }

    #[tokio::test]
    async fn made_up_rids_differ() {
        let (mut router, mut asked) = router();
        router.route(said("box", "一"));
        router.route(said("box", "一"));
        assert_ne!(asked.recv().await.unwrap().rid, asked.recv().await.unwrap().rid);
    }

    #[tokio::test]
    async fn what_the_broker_repeats_is_served_once() {
        let (mut router, mut asked) = router();
        let frame = |rid: &str, repeated| {
            let frame =
                format!(r#"{{"topic":"llm/smarthome","rid":"{rid}","payload":{{"page_id":"p","question":""}}}}"#);
            Inbound { repeated, ..Inbound::new(Incoming::Request(None), frame.into()) }
        };
        router.route(frame("1", false));
        router.route(frame("1", true));
        router.route(frame("2", true));
        assert_eq!(asked.recv().await.unwrap().rid, "1");
        assert_eq!(asked.recv().await.unwrap().rid, "2");
    }

    #[tokio::test]
    async fn what_has_arrived_when_the_daemon_stops_is_served() {
        let (mut router, mut asked) = router();
        let (arrived, mut inbound) = mpsc::channel(8);
        for words in ["一", "二", "三"] {
            arrived.try_send(said("box", words)).unwrap();
        }
        router.finish(&mut inbound).await;
        for words in ["一", "二", "三"] {
            assert_eq!(asked.try_recv().unwrap().question, words);
        }
    }

    #[tokio::test]
    async fn plain_words_that_the_broker_repeats_are_served_once() {
        let (mut router, mut asked) = router();
        let repeated = |satellite, words| Inbound { repeated: true, ..said(satellite, words) };
        router.route(said("box", "调高两度"));
        router.route(repeated("box", "调高两度"));
        router.route(repeated("客厅", "调高两度"));
        router.route(said("box", "调高两度"));
        let pages = [asked.recv().await.unwrap(), asked.recv().await.unwrap(), asked.recv().await.unwrap()];
        let mut pages = pages.map(|request| request.page_id);
        pages.sort();
        assert_eq!(pages, ["satellite-box", "satellite-box", "satellite-客厅"]);
        assert!(asked.try_recv().is_err());
    }
}

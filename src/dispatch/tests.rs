use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use tokio::sync::{Semaphore, watch};

use super::*;
use crate::clock::Clock;
use crate::frame::{Door, Finish, Instruct, Intent, Origin, Speech};
use crate::observe::Metrics;
use crate::outbox::Outbox;
use crate::outbox::tests::MemoryLog;
use crate::transport::{AnswerTo, Batch, Publication, Topics};

const PATIENCE: Duration = Duration::from_secs(20);

/// Does what the question says, and says when it starts.
struct Scripted {
    started: mpsc::Sender<String>,
    gates: HashMap<&'static str, Semaphore>,
    /// Whether what computes goes on.
    computes: AtomicBool,
}

impl Serve for Scripted {
    async fn serve(&self, request: Request, events: mpsc::Sender<Event>) {
        let _ = self.started.send(request.rid.clone()).await;
        match request.question.as_str() {
            "panic" => panic!("as told"),
            "silent" => return,
            "forever" => std::future::pending().await,
            "compute" => {
                let until = Instant::now() + PATIENCE;
                while self.computes.load(Ordering::SeqCst) && Instant::now() < until {
                    std::thread::yield_now();
                }
            }
            "wait" => self.gates["wait"].acquire().await.unwrap().forget(),
            "stream" => {
                let _ = events.send(Event::Stream { intent: Intent::Instruct, text: "正在".into(), aloud: true }).await;
                let _ = events.send(Event::AskState { device: "d".into() }).await;
                let _ = events.send(Event::Candidates(Arc::new(json!({"rid": request.rid})))).await;
            }
            _ => {}
        }
        let order = Instruct { id: "d".into(), state: None, command: None, summary: "开灯".into(), noop: false };
        let risky = if request.question == "risky" { vec!["d".to_owned()] } else { Vec::new() };
        let finish = Finish::Done {
            intent: Intent::Instruct,
            result: "好了".into(),
            speech: Speech::full("好了"),
            instructs: vec![order],
            risky,
            confirmed: false,
            jobs: Vec::new(),
        };
        let _ = events.send(Event::Finish(finish)).await;
    }
}

struct Bench {
    dispatch: Dispatch,
    outbound: mpsc::Receiver<Batch>,
    started: mpsc::Receiver<String>,
    service: Arc<Scripted>,
    read: Vec<Publication>,
    outbox: Arc<MemoryLog>,
}

impl Bench {
    fn new(limits: DispatchLimits, outbox_capacity: usize) -> Self {
        Self::with(MemoryLog::default(), limits, outbox_capacity)
    }

    fn with(log: MemoryLog, limits: DispatchLimits, outbox_capacity: usize) -> Self {
        Self::build(log, limits, outbox_capacity, None)
    }

    fn build(
        log: MemoryLog,
        limits: DispatchLimits,
        outbox_capacity: usize,
        connected: Option<watch::Receiver<bool>>,
    ) -> Self {
        let topics = Topics::new("home").unwrap();
        let log = Arc::new(log);
        let outbox = Outbox::new(Arc::clone(&log), topics.clone(), outbox_capacity, PATIENCE, Clock::of_machine());
        let (outbound_tx, outbound) = mpsc::channel(64);
        let mut answers = Answers::new(topics, outbound_tx, Arc::new(outbox), Metrics::default());
        if let Some(connected) = connected {
            answers = answers.knowing(connected);
        }
        let answers = Arc::new(answers);
        let (started_tx, started) = mpsc::channel(64);
        let gates = [("wait", Semaphore::new(0))].into();
        let service = Arc::new(Scripted { started: started_tx, gates, computes: AtomicBool::new(true) });
        let dispatch = Dispatch::start(Arc::clone(&service), answers, limits);
        Self { dispatch, outbound, started, service, read: Vec::new(), outbox: log }
    }

    fn submit(&self, page: &str, rid: &str, question: &str) {
        let refused = self.dispatch.submit(Job::new(asked(page, rid, question), Asker::default(), 10));
        assert!(refused.is_empty(), "{refused:?}");
    }

    async fn started(&mut self) -> String {
        tokio::time::timeout(PATIENCE, self.started.recv()).await.unwrap().unwrap()
    }

    async fn next(&mut self) -> (String, Value) {
        if self.read.is_empty() {
            self.read = tokio::time::timeout(PATIENCE, self.outbound.recv()).await.unwrap().unwrap();
        }
        let publication = self.read.remove(0);
        (publication.topic(), serde_json::from_slice(publication.payload()).unwrap())
    }

    async fn failure(&mut self) -> (String, Value) {
        let (topic, frame) = self.next().await;
        (topic, frame["payload"]["data"]["error"]["code"].clone())
    }
}

fn asked(page: &str, rid: &str, question: &str) -> Request {
    let (rid, page_id, question) = (rid.into(), page.into(), question.into());
    Request { rid, page_id, question, instruct: true, ..Request::default() }
}

fn heard(satellite: &str, page: &str, rid: &str, question: &str) -> Request {
    Request { origin: Origin::satellite(satellite), ..asked(page, rid, question) }
}

fn limits() -> DispatchLimits {
    DispatchLimits { workers: 4, waiting: 8, bytes: 1_000, deadline: PATIENCE }
}

#[tokio::test]
async fn events_go_out_in_order_and_instructs_before_the_finish() {
    let mut bench = Bench::new(limits(), 8);
    let asker = Asker::Topics { answer_to: Some(AnswerTo { topic: "app/1".into(), correlation: Some(b"c".to_vec()) }) };
    assert!(bench.dispatch.submit(Job::new(heard("kitchen", "p", "r", "stream"), asker, 10)).is_empty());
    let mut topics = Vec::new();
    for _ in 0..9 {
        topics.push(bench.next().await.0.replace("zhiju/home/", ""));
    }
    let stream = ["response/r", "app/1", "reply/kitchen", "state/d/get", "candidates/r"];
    let finish = ["instruct/d", "response/r", "app/1", "reply/kitchen"];
    assert_eq!(topics, [&stream[..], &finish[..]].concat());
}

/// All that whoever holds a line hears.
async fn told(mut line: mpsc::Receiver<Event>) -> Vec<Event> {
    let mut told = Vec::new();
    while let Some(event) = tokio::time::timeout(PATIENCE, line.recv()).await.unwrap() {
        told.push(event);
    }
    told
}

#[tokio::test]
async fn who_holds_the_line_hears_all_of_it_there_and_the_devices_on_their_topics() {
    let mut bench = Bench::new(limits(), 8);
    let (line_tx, line) = mpsc::channel(EVENTS);
    let request = Request { origin: Origin { door: Door::Http, client: "phone".into() }, ..asked("p", "r", "stream") };
    assert!(bench.dispatch.submit(Job::new(request, Asker::Line(line_tx), 10)).is_empty());
    assert_eq!(bench.next().await.0, "zhiju/home/state/d/get");
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
    let told = told(line).await;
    assert!(matches!(
        &told[..],
        [Event::Stream { .. }, Event::Candidates(_), Event::Finish(Finish::Done { instructs, .. })] if instructs.len() == 1
    ));
    assert!(bench.read.is_empty() && bench.outbound.try_recv().is_err());
}

#[tokio::test]
async fn who_left_the_line_keeps_nothing_from_being_done() {
    let mut bench = Bench::new(limits(), 8);
    let (line_tx, line) = mpsc::channel(EVENTS);
    drop(line);
    assert!(bench.dispatch.submit(Job::new(asked("p", "r", ""), Asker::Line(line_tx), 10)).is_empty());
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
    bench.dispatch.idle().await;
}

#[tokio::test]
async fn who_holds_the_line_is_not_told_of_a_success_while_the_broker_is_away() {
    let (connected_tx, connected) = watch::channel(false);
    let mut bench = Bench::build(MemoryLog::default(), limits(), 8, Some(connected));
    for (away, question) in [(true, ""), (false, "")] {
        connected_tx.send_replace(!away);
        let (line_tx, line) = mpsc::channel(EVENTS);
        assert!(bench.dispatch.submit(Job::new(asked("p", "r", question), Asker::Line(line_tx), 10)).is_empty());
        let told = told(line).await;
        let [Event::Finish(finish)] = &told[..] else { panic!("{told:?}") };
        assert_eq!(matches!(finish, Finish::Failed { code: ErrorCode::Timeout, .. }), away, "{finish:?}");
        assert_eq!(bench.outbox.rows.lock().unwrap().len(), usize::from(!away));
    }
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
}

#[tokio::test]
async fn the_same_page_is_served_in_order_and_others_meanwhile() {
    let mut bench = Bench::new(limits(), 8);
    bench.submit("a", "a1", "wait");
    assert_eq!(bench.started().await, "a1");
    bench.submit("a", "a2", "");
    bench.submit("b", "b1", "");
    assert_eq!(bench.started().await, "b1");
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
    assert_eq!(bench.next().await.0, "zhiju/home/response/b1");
    bench.service.gates["wait"].add_permits(1);
    assert_eq!(bench.started().await, "a2");
    let mut topics = Vec::new();
    for _ in 0..4 {
        topics.push(bench.next().await.0);
    }
    assert_eq!((topics[1].as_str(), topics[3].as_str()), ("zhiju/home/response/a1", "zhiju/home/response/a2"));
    bench.dispatch.idle().await;
}

#[tokio::test]
async fn pages_are_served_in_parallel() {
    let mut bench = Bench::new(limits(), 8);
    for page in ["a", "b", "c", "d"] {
        bench.submit(page, page, "wait");
    }
    let mut started = Vec::new();
    for _ in 0..4 {
        started.push(bench.started().await);
    }
    started.sort();
    assert_eq!(started, ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn what_has_no_room_is_given_back() {
    let mut bench = Bench::new(DispatchLimits { workers: 1, waiting: 2, ..limits() }, 8);
    bench.submit("a", "1", "wait");
    bench.started().await;
    bench.submit("a", "2", "");
    bench.submit("b", "3", "");
    let mut refused = bench.dispatch.submit(Job::new(asked("c", "4", ""), Asker::default(), 10));
    assert_eq!(refused.remove(0).into_parts().0.rid, "4");
}

#[tokio::test]
async fn a_flood_of_one_asker_leaves_others_served() {
    let mut bench = Bench::new(limits(), 8);
    let mut refused = Vec::new();
    for n in 0..3_000 {
        // As many pages as there are messages: pages buy nobody more.
        let flood = heard("flood", &format!("p{n}"), &format!("f{n}"), "wait");
        refused.extend(bench.dispatch.submit(Job::new(flood, Asker::default(), 10)));
    }
    for _ in 0..4 {
        assert!(bench.started().await.starts_with('f'));
    }
    for victim in ["v1", "v2"] {
        refused.extend(bench.dispatch.submit(Job::new(heard("victim", "p", victim, ""), Asker::default(), 10)));
    }
    let refused: Vec<_> = refused.into_iter().map(|job| job.into_parts().0.rid).collect();
    assert!(refused.len() > 2_900 && refused.iter().all(|rid| rid.starts_with('f')), "{refused:?}");
    // Both are served while the workers that the flood has are busy and much of it waits.
    for victim in ["v1", "v2"] {
        assert_eq!(bench.started().await, victim);
    }
    for victim in ["v1", "v2"] {
        let answers = [bench.next().await.0, bench.next().await.0, bench.next().await.0];
        assert_eq!(answers[1], format!("zhiju/home/response/{victim}"), "{answers:?}");
    }
    assert!(bench.started.try_recv().is_err(), "nothing else of the flood is begun");
}

#[tokio::test]
async fn a_satellite_is_not_heard_on_the_topics_of_somebody_elses_request() {
    let mut bench = Bench::new(limits(), 8);
    let app = Request { origin: Origin::request(), ..asked("p", "guessed", "wait") };
    assert!(bench.dispatch.submit(Job::new(app, Asker::default(), 10)).is_empty());
    bench.started().await;
    let own =
        Asker::Topics { answer_to: Some(AnswerTo { topic: "zhiju/home/response/guessed".into(), correlation: None }) };
    for (asker, question) in [(Asker::default(), "stream"), (own, "")] {
        assert!(bench.dispatch.submit(Job::new(heard("kitchen", "p", "guessed", question), asker, 10)).is_empty());
    }
    let mut topics = Vec::new();
    for _ in 0..6 {
        topics.push(bench.next().await.0.replace("zhiju/home/", ""));
    }
    let (first, second) =
        (["reply/kitchen", "state/d/get", "instruct/d", "reply/kitchen"], ["instruct/d", "reply/kitchen"]);
    assert_eq!(topics, [&first[..], &second[..]].concat());
    bench.service.gates["wait"].add_permits(1);
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
    assert_eq!(bench.next().await.0, "zhiju/home/response/guessed");
    bench.dispatch.idle().await;
    // It is over: nobody waits there any more.
    assert!(bench.dispatch.submit(Job::new(heard("kitchen", "p", "guessed", ""), Asker::default(), 10)).is_empty());
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
    assert_eq!(bench.next().await.0, "zhiju/home/response/guessed");
}

#[tokio::test]
async fn instructs_that_nobody_wants_or_of_a_home_that_came_along_are_given_to_no_device() {
    let brought = Request { home: Some("{}".into()), ..asked("p", "r", "") };
    let unwanted = Request { instruct: false, ..asked("p", "r", "") };
    // Whoever wants no instructs is told none.
    for (request, told) in [(brought, json!("d")), (unwanted, json!(null))] {
        let mut bench = Bench::new(limits(), 8);
        assert!(bench.dispatch.submit(Job::new(request, Asker::default(), 10)).is_empty());
        let (topic, frame) = bench.next().await;
        assert_eq!(topic, "zhiju/home/response/r");
        assert_eq!(frame["payload"]["data"]["active"]["instructs"][0]["id"], told);
        bench.dispatch.idle().await;
        assert!(bench.read.is_empty() && bench.outbound.try_recv().is_err());
        assert_eq!(bench.outbox.rows.lock().unwrap().len(), 0);
    }
}

#[tokio::test]
async fn a_panic_is_answered_and_survived() {
    let mut bench = Bench::new(DispatchLimits { workers: 1, ..limits() }, 8);
    bench.submit("p", "bad", "panic");
    assert_eq!(bench.failure().await, ("zhiju/home/response/bad".into(), json!("internal")));
    bench.submit("p", "silent", "silent");
    assert_eq!(bench.failure().await, ("zhiju/home/response/silent".into(), json!("internal")));
    bench.submit("p", "good", "");
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
}

#[tokio::test]
async fn a_deadline_ends_the_work_and_the_wait() {
    let deadline = Duration::from_millis(50);
    let mut bench = Bench::new(DispatchLimits { workers: 1, deadline, ..limits() }, 8);
    bench.submit("p", "first", "forever");
    bench.submit("p", "second", "forever");
    assert_eq!(bench.failure().await, ("zhiju/home/response/first".into(), json!("timeout")));
    assert_eq!(bench.failure().await, ("zhiju/home/response/second".into(), json!("timeout")));
    assert_eq!(bench.started().await, "first");
    assert!(bench.started.try_recv().is_err(), "what is late already is not begun");
}

#[tokio::test]
async fn a_full_outbox_is_overloaded_and_gives_no_instruct() {
    let mut bench = Bench::new(limits(), 0);
    bench.submit("p", "r", "");
    assert_eq!(bench.failure().await, ("zhiju/home/response/r".into(), json!("overloaded")));
}

#[tokio::test]
async fn what_cannot_be_written_into_the_audit_trail_is_not_done_and_said_so() {
    let mut bench = Bench::with(MemoryLog { no_trail: true, ..MemoryLog::default() }, limits(), 8);
    assert!(bench.dispatch.submit(Job::new(heard("kitchen", "p", "r", "risky"), Asker::default(), 10)).is_empty());
    let (topic, frame) = bench.next().await;
    let error = &frame["payload"]["data"]["error"];
    assert_eq!((topic.as_str(), &error["code"]), ("zhiju/home/response/r", &json!("internal")));
    assert!(error["message"].as_str().unwrap().contains("audit trail"), "{error}");
    assert_eq!(bench.next().await.1["text"], crate::zh::Texts::default().failures.internal.as_str());
    assert!(bench.outbox.rows.lock().unwrap().is_empty());
    // What is not risky needs no entry.
    assert!(bench.dispatch.submit(Job::new(heard("kitchen", "p", "s", ""), Asker::default(), 10)).is_empty());
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_one_asker_computes_leaves_threads_for_others() {
    let mut bench = Bench::new(limits(), 8);
    for n in 0..4 {
        let flood = heard("flood", &format!("p{n}"), &format!("f{n}"), "compute");
        assert!(bench.dispatch.submit(Job::new(flood, Asker::default(), 10)).is_empty());
    }
    assert!(bench.started().await.starts_with('f'));
    // Without turns all four threads would be taken, and none of them comes back before it is told to.
    let victim = heard("victim", "p", "v", "");
    assert!(bench.dispatch.submit(Job::new(victim, Asker::default(), 10)).is_empty());
    while bench.started().await != "v" {}
    let answers = [bench.next().await.0, bench.next().await.0];
    // Before anything can fail: the runtime waits for its threads.
    bench.service.computes.store(false, Ordering::SeqCst);
    assert_eq!(answers[1], "zhiju/home/response/v", "{answers:?}");
}

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::frame::{Finish, Instruct, Intent};
use crate::observe::Metrics;
use crate::outbox::Outbox;
use crate::outbox::tests::MemoryLog;
use crate::transport::{AnswerTo, Batch, Publication, Topics};

const PATIENCE: Duration = Duration::from_secs(20);

/// Does what the question says, and says when it starts.
struct Scripted {
    started: mpsc::Sender<String>,
    gates: HashMap<&'static str, Semaphore>,
}

impl Serve for Scripted {
    async fn serve(&self, request: Request, events: mpsc::Sender<Event>) {
        let _ = self.started.send(request.rid.clone()).await;
        match request.question.as_str() {
            "panic" => panic!("as told"),
            "silent" => return,
            "forever" => std::future::pending().await,
            "wait" => self.gates["wait"].acquire().await.unwrap().forget(),
            "stream" => {
                let _ = events.send(Event::Stream { intent: Intent::Instruct, text: "正在".into() }).await;
                let _ = events.send(Event::AskState { device: "d".into() }).await;
                let _ = events.send(Event::Candidates(json!({"rid": request.rid}))).await;
            }
            _ => {}
        }
        let order = Instruct { id: "d".into(), state: None, command: None, summary: "开灯".into(), noop: false };
        let finish = Finish::Done { intent: Intent::Instruct, result: "好了".into(), instructs: vec![order] };
        let _ = events.send(Event::Finish(finish)).await;
    }
}

struct Bench {
    dispatch: Dispatch,
    outbound: mpsc::Receiver<Batch>,
    started: mpsc::Receiver<String>,
    service: Arc<Scripted>,
    read: Vec<Publication>,
}

impl Bench {
    fn new(limits: DispatchLimits, outbox_capacity: usize) -> Self {
        let topics = Topics::new("home").unwrap();
        let outbox = Outbox::new(Arc::new(MemoryLog::default()), topics.clone(), outbox_capacity, PATIENCE);
        let (outbound_tx, outbound) = mpsc::channel(64);
        let answers = Arc::new(Answers::new(topics, outbound_tx, outbox, Metrics::default()));
        let (started_tx, started) = mpsc::channel(64);
        let gates = [("wait", Semaphore::new(0))].into();
        let service = Arc::new(Scripted { started: started_tx, gates });
        let dispatch = Dispatch::start(Arc::clone(&service), answers, limits);
        Self { dispatch, outbound, started, service, read: Vec::new() }
    }

    fn submit(&self, page: &str, rid: &str, question: &str) -> Result<(), Box<Job>> {
        self.submit_for(Asker::default(), page, rid, question)
    }

    fn submit_for(&self, asker: Asker, page: &str, rid: &str, question: &str) -> Result<(), Box<Job>> {
        let (rid, page_id, question) = (rid.into(), page.into(), question.into());
        let request = Request { rid, page_id, question, instruct: true, ..Request::default() };
        self.dispatch.submit(Job::new(request, asker, 10))
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

fn limits() -> DispatchLimits {
    DispatchLimits { workers: 4, waiting: 8, bytes: 1_000, deadline: PATIENCE }
}

#[tokio::test]
async fn events_go_out_in_order_and_instructs_before_the_finish() {
    let mut bench = Bench::new(limits(), 8);
    let asker = Asker {
        satellite: Some("kitchen".into()),
        answer_to: Some(AnswerTo { topic: "app/1".into(), correlation: Some(b"c".to_vec()) }),
    };
    bench.submit_for(asker, "p", "r", "stream").unwrap();
    let mut topics = Vec::new();
    for _ in 0..9 {
        topics.push(bench.next().await.0.replace("zhiju/home/", ""));
    }
    let stream = ["response/r", "app/1", "reply/kitchen", "state/d/get", "candidates/r"];
    let finish = ["instruct/d", "response/r", "app/1", "reply/kitchen"];
    assert_eq!(topics, [&stream[..], &finish[..]].concat());
}

#[tokio::test]
async fn the_same_page_is_served_in_order_and_others_meanwhile() {
    let mut bench = Bench::new(limits(), 8);
    bench.submit("a", "a1", "wait").unwrap();
    assert_eq!(bench.started().await, "a1");
    bench.submit("a", "a2", "").unwrap();
    bench.submit("b", "b1", "").unwrap();
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
        bench.submit(page, page, "wait").unwrap();
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
    bench.submit("a", "1", "wait").unwrap();
    bench.started().await;
    bench.submit("a", "2", "").unwrap();
    bench.submit("b", "3", "").unwrap();
    let (request, _) = bench.submit("c", "4", "").unwrap_err().into_parts();
    assert_eq!(request.rid, "4");
}

#[tokio::test]
async fn a_panic_is_answered_and_survived() {
    let mut bench = Bench::new(DispatchLimits { workers: 1, ..limits() }, 8);
    bench.submit("p", "bad", "panic").unwrap();
    assert_eq!(bench.failure().await, ("zhiju/home/response/bad".into(), json!("internal")));
    bench.submit("p", "silent", "silent").unwrap();
    assert_eq!(bench.failure().await, ("zhiju/home/response/silent".into(), json!("internal")));
    bench.submit("p", "good", "").unwrap();
    assert_eq!(bench.next().await.0, "zhiju/home/instruct/d");
}

#[tokio::test]
async fn a_deadline_ends_the_work_and_the_wait() {
    let deadline = Duration::from_millis(50);
    let mut bench = Bench::new(DispatchLimits { workers: 1, deadline, ..limits() }, 8);
    bench.submit("p", "first", "forever").unwrap();
    bench.submit("p", "second", "forever").unwrap();
    assert_eq!(bench.failure().await, ("zhiju/home/response/first".into(), json!("timeout")));
    assert_eq!(bench.failure().await, ("zhiju/home/response/second".into(), json!("timeout")));
    assert_eq!(bench.started().await, "first");
    assert!(bench.started.try_recv().is_err(), "what is late already is not begun");
}

#[tokio::test]
async fn a_full_outbox_is_overloaded_and_gives_no_instruct() {
    let mut bench = Bench::new(limits(), 0);
    bench.submit("p", "r", "").unwrap();
    assert_eq!(bench.failure().await, ("zhiju/home/response/r".into(), json!("overloaded")));
}

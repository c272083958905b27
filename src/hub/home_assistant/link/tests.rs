//! The connection, against a small server that speaks the published protocol, well or badly.

use std::path::Path;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, accept_async};

use super::*;
use crate::hub::home_assistant::Exposure;
use crate::hub::{Answered, Delivery, Hub};

/// What awaits comes sooner.
const SOON: Duration = Duration::from_secs(30);

async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(SOON, what).await.expect("it comes")
}

/// A side of the protocol that is Home Assistant's.
struct Peer {
    socket: WebSocketStream<TcpStream>,
    /// What it answers, by command.
    lamp: &'static str,
    states: u64,
}

impl Peer {
    async fn accept(listener: &TcpListener) -> Self {
        let (stream, _) = soon(listener.accept()).await.unwrap();
        Self { socket: accept_async(stream).await.unwrap(), lamp: "台灯", states: 0 }
    }

    async fn say(&mut self, message: Value) {
        self.socket.send(Message::Text(message.to_string())).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        loop {
            match soon(self.socket.next()).await.unwrap().unwrap() {
                Message::Text(text) => return serde_json::from_str(&text).unwrap(),
                _ => continue,
            }
        }
    }

    /// Greets and takes whatever token; returns it.
    async fn greet(&mut self, good: &str) -> String {
        self.say(json!({"type": "auth_required", "ha_version": "2024.3.3"})).await;
        let token = self.hear().await["access_token"].as_str().unwrap().to_owned();
        if token == good {
            self.say(json!({"type": "auth_ok", "ha_version": "2024.3.3"})).await;
        } else {
            self.say(json!({"type": "auth_invalid", "message": "Invalid access token or password"})).await;
        }
        token
    }

    /// The answer to a command, but for services.
    async fn answer(&mut self, asked: &Value) {
        let (id, command) = (asked["id"].as_u64().unwrap(), asked["type"].as_str().unwrap());
        let result = match command {
            "get_config" => json!({"state": "RUNNING"}),
            "config/area_registry/list" => json!([{"area_id": "a", "name": "客厅", "aliases": []}]),
            "config/device_registry/list" => json!([]),
            "config/entity_registry/list" => json!([{"entity_id": "light.a", "area_id": "a"}]),
            "config/entity_registry/get_entries" => {
                json!({"light.a": {"entity_id": "light.a", "area_id": "a", "aliases": [self.lamp]}})
            }
            "homeassistant/expose_entity/list" => json!({"exposed_entities": {"light.a": {"conversation": true}}}),
            "subscribe_events" | "subscribe_entities" | "unsubscribe_events" => Value::Null,
            "ping" => return self.say(json!({"id": id, "type": "pong"})).await,
            _ => {
                let error = json!({"code": "unknown_command", "message": "Unknown command."});
                return self.say(json!({"id": id, "type": "result", "success": false, "error": error})).await;
            }
        };
        self.say(json!({"id": id, "type": "result", "success": true, "result": result})).await;
        if command == "subscribe_entities" {
            self.states = id;
            assert_eq!(asked["entity_ids"], json!(["light.a"]));
            self.event(json!({"a": {"light.a": {"s": "on", "a": {"friendly_name": "灯"}}}})).await;
        }
    }

    async fn event(&mut self, event: Value) {
        self.say(json!({"id": self.states, "type": "event", "event": event})).await;
    }

    /// Answers everything until a service is called; returns that.
    async fn until_service(&mut self) -> Value {
        loop {
            let asked = self.hear().await;
            if asked["type"] == "call_service" {
                return asked;
            }
            self.answer(&asked).await;
        }
    }

    /// Answers everything until states are heard.
    async fn until_states(&mut self) {
        while self.states == 0 {
            let asked = self.hear().await;
            self.answer(&asked).await;
        }
    }
}

/// A link, and all that speaks with it.
struct Trial {
    listener: TcpListener,
    hub: Arc<Mutex<HomeAssistant>>,
    changes: mpsc::Receiver<Change>,
    deliveries: mpsc::Sender<Delivery>,
    clock: Clock,
    folder: TempDir,
    task: JoinHandle<()>,
}

impl Trial {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let token_file = folder.path().join("token");
        std::fs::write(&token_file, "good\nsecond line\n").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let settings = Settings { name: "trial".into(), url, token_file, tls: TlsSettings::default() };
        let hub = Arc::new(Mutex::new(HomeAssistant::new(Exposure::Assist)));
        let (tell, changes) = mpsc::channel(64);
        let (deliveries, queue) = mpsc::channel(64);
        let clock = Clock::of_machine();
        let line = Line { changes: tell, deliveries: queue };
        let task = tokio::spawn(run(settings, Arc::clone(&hub), line, clock.clone()));
        Self { listener, hub, changes, deliveries, clock, folder, task }
    }

    /// All changes up to one.
    async fn until(&mut self, last: &Change) -> Vec<Change> {
        let mut heard = Vec::new();
        while heard.last() != Some(last) {
            heard.push(soon(self.changes.recv()).await.unwrap());
        }
        heard
    }

    async fn deliver(&self, lives: Duration) -> oneshot::Receiver<Answered> {
        let message = json!({"domain": "light", "service": "turn_off", "target": {"entity_id": ["light.a"]}});
        let (done, answer) = oneshot::channel();
        let expires_ms = self.clock.now_ms() + u64::try_from(lives.as_millis()).unwrap();
        self.deliveries.send(Delivery { message, expires_ms, done }).await.unwrap();
        answer
    }

    fn names(&self) -> Vec<String> {
        let brought = self.hub.lock().unwrap().home();
        let (home, _) = crate::home::parse(&brought.document).unwrap();
        home.devices.iter().flat_map(|device| device.names().map(str::to_owned).collect::<Vec<_>>()).collect()
    }
}

const ONLINE: Change = Change::Hub { online: true };
const OFFLINE: Change = Change::Hub { online: false };

#[tokio::test]
async fn a_home_is_fetched_then_heard_and_told() {
    let mut trial = Trial::new().await;
    let mut peer = Peer::accept(&trial.listener).await;
    assert_eq!(peer.greet("good").await, "good");
    peer.until_states().await;
    let heard = trial.until(&ONLINE).await;
    assert_eq!(heard[0], Change::Registry);
    assert!(matches!(&heard[2], Change::State { device, .. } if device == "light.a"), "{heard:?}");
    assert_eq!(trial.names(), ["灯", "台灯"]);

    let taken = trial.deliver(SOON).await;
    let call = peer.until_service().await;
    assert_eq!(
        (&call["domain"], &call["service"], &call["target"]),
        (&json!("light"), &json!("turn_off"), &json!({"entity_id": ["light.a"]}))
    );
    peer.say(json!({"id": call["id"], "type": "result", "success": true, "result": {"context": {"id": "x"}}})).await;
    assert_eq!(soon(taken).await, Ok(Answered::Taken));

    let refused = trial.deliver(SOON).await;
    let call = peer.until_service().await;
    let error = json!({"code": "service_validation_error", "message": "no such thing"});
    peer.say(json!({"id": call["id"], "type": "result", "success": false, "error": error})).await;
    assert_eq!(soon(refused).await, Ok(Answered::Refused("service_validation_error: no such thing".into())));

    peer.event(json!({"c": {"light.a": {"+": {"s": "off"}}}})).await;
    let values = [("power".to_owned(), json!(false))].into();
    trial.until(&Change::State { device: "light.a".into(), values }).await;
}

#[tokio::test]
async fn a_new_name_is_fetched_as_soon_as_the_registry_tells_that_it_changed() {
    let mut trial = Trial::new().await;
    let mut peer = Peer::accept(&trial.listener).await;
    peer.greet("good").await;
    peer.until_states().await;
    trial.until(&ONLINE).await;
    peer.lamp = "阅读灯";
    peer.say(json!({"id": 3, "type": "event", "event": {"event_type": "entity_registry_updated"}})).await;
    let serve = async {
        loop {
            let asked = peer.hear().await;
            peer.answer(&asked).await;
        }
    };
    tokio::select! {
        () = serve => {}
        _ = trial.until(&Change::Registry) => {}
    }
    assert_eq!(trial.names(), ["灯", "阅读灯"]);
}

#[tokio::test]
async fn a_connection_that_breaks_leaves_no_answer_open_and_comes_back_by_itself() {
    let mut trial = Trial::new().await;
    let mut peer = Peer::accept(&trial.listener).await;
    peer.greet("good").await;
    peer.until_states().await;
    trial.until(&ONLINE).await;
    let lost = trial.deliver(SOON).await;
    peer.until_service().await;
    drop(peer);
    assert!(soon(lost).await.is_err(), "nobody knows what became of it");
    trial.until(&OFFLINE).await;

    // What waits is said when it is there again, unless its time was over before.
    let stale = trial.deliver(Duration::ZERO).await;
    let waits = trial.deliver(SOON).await;
    assert_eq!(soon(stale).await, Ok(Answered::Expired));
    let mut peer = Peer::accept(&trial.listener).await;
    peer.greet("good").await;
    let call = peer.until_service().await;
    peer.say(json!({"id": call["id"], "type": "result", "success": true, "result": null})).await;
    assert_eq!(soon(waits).await, Ok(Answered::Taken));
    let heard = trial.until(&ONLINE).await;
    assert!(!heard.contains(&Change::Registry), "it is the same home: {heard:?}");
}

#[tokio::test]
async fn a_refused_token_is_not_tried_again_before_there_is_another() {
    let mut trial = Trial::new().await;
    std::fs::write(trial.folder.path().join("token"), "old").unwrap();
    let mut peer = Peer::accept(&trial.listener).await;
    // It may have been read before it was replaced: then the other one is tried at once, and refused as well.
    if peer.greet("new").await == "good" {
        let mut peer = Peer::accept(&trial.listener).await;
        assert_eq!(peer.greet("new").await, "old");
    }
    trial.until(&OFFLINE).await;
    let why = soon(trial.changes.recv()).await.unwrap();
    assert!(matches!(&why, Change::Away { reason } if reason.contains("refuses this token")), "{why:?}");
    let again = timeout(Duration::from_millis(300), trial.listener.accept());
    assert!(again.await.is_err(), "it must not knock with what was refused");
    std::fs::write(trial.folder.path().join("token"), "new").unwrap();
    let mut peer = Peer::accept(&trial.listener).await;
    assert_eq!(peer.greet("new").await, "new");
    peer.until_states().await;
    trial.until(&ONLINE).await;
}

#[tokio::test]
async fn whatever_greets_us_instead_is_outlived() {
    let mut trial = Trial::new().await;
    for bad in [r#"{"type":"auth_req"#, r#"{"type":"hello"}"#, "[]"] {
        let mut peer = Peer::accept(&trial.listener).await;
        peer.socket.send(Message::Text(bad.into())).await.unwrap();
    }
    let mut peer = Peer::accept(&trial.listener).await;
    peer.greet("good").await;
    peer.until_states().await;
    trial.until(&ONLINE).await;
}

#[tokio::test]
async fn whatever_it_answers_instead_is_outlived() {
    let mut trial = Trial::new().await;
    // Half an answer in the middle, one of another form, one that never comes, and no end of one.
    for bad in 0..4 {
        let mut peer = Peer::accept(&trial.listener).await;
        peer.greet("good").await;
        let mut asked = peer.hear().await;
        while asked["type"] != "config/entity_registry/list" {
            peer.answer(&asked).await;
            asked = peer.hear().await;
        }
        let id = asked["id"].as_u64().unwrap();
        let said = match bad {
            0 => format!(r#"{{"id":{id},"type":"result","success":true,"result":[{{"entity_id":"li"#),
            1 => json!({"id": id, "type": "result", "success": true, "result": {"not": "a list"}}).to_string(),
            2 => {
                while matches!(soon(peer.socket.next()).await, Some(Ok(_))) {}
                continue;
            }
            _ => format!(r#"{{"id":{id},"type":"result","success":true,"result":[{}"#, " ".repeat(MAX_BYTES)),
        };
        // It may have hung up before the end of it.
        let _ = peer.socket.send(Message::Text(said)).await;
    }
    let mut peer = Peer::accept(&trial.listener).await;
    peer.greet("good").await;
    peer.until_states().await;
    trial.until(&ONLINE).await;
    assert!(!trial.task.is_finished());
}

#[tokio::test]
async fn a_state_that_is_too_large_is_left_out_and_the_next_one_is_heard() {
    let mut trial = Trial::new().await;
    let mut peer = Peer::accept(&trial.listener).await;
    peer.greet("good").await;
    peer.until_states().await;
    trial.until(&ONLINE).await;
    peer.event(json!({"c": {"light.a": {"+": {"s": "x".repeat(2 << 20)}}}})).await;
    let named = soon(trial.changes.recv()).await.unwrap();
    assert!(matches!(&named, Change::Unread(of) if of.id == "light.a"), "{named:?}");
    peer.event(json!({"c": {"light.a": {"+": {"s": "off"}}}})).await;
    let values = [("power".to_owned(), json!(false))].into();
    trial.until(&Change::State { device: "light.a".into(), values }).await;
}

#[tokio::test]
async fn a_service_that_is_never_answered_is_given_up_and_the_connection_is_kept() {
    let mut trial = Trial::new().await;
    let mut peer = Peer::accept(&trial.listener).await;
    peer.greet("good").await;
    peer.until_states().await;
    trial.until(&ONLINE).await;
    let never = trial.deliver(SOON).await;
    let call = peer.until_service().await;
    assert!(soon(never).await.is_err());
    // An answer that comes too late is nobody's.
    peer.say(json!({"id": call["id"], "type": "result", "success": true, "result": null})).await;
    peer.event(json!({"c": {"light.a": {"+": {"s": "off"}}}})).await;
    let values = [("power".to_owned(), json!(false))].into();
    trial.until(&Change::State { device: "light.a".into(), values }).await;
}

#[tokio::test]
async fn it_ends_with_the_daemon() {
    let Trial { listener, changes, deliveries, task, folder, .. } = Trial::new().await;
    drop((changes, deliveries));
    soon(task).await.unwrap();
    drop((listener, folder));
}

#[test]
fn the_address_is_the_one_of_the_browser() {
    let settings =
        |url: &str| Settings { name: "a".into(), url: url.into(), token_file: "t".into(), tls: TlsSettings::default() };
    let told = |url: &str| settings(url).address().ok();
    assert_eq!(told("http://ha.lan:8123").as_deref(), Some("ws://ha.lan:8123/api/websocket"));
    assert_eq!(told("https://home.example/").as_deref(), Some("wss://home.example/api/websocket"));
    assert_eq!(told("http://[::1]:8123/").as_deref(), Some("ws://[::1]:8123/api/websocket"));
    for bad in ["ha.lan:8123", "ftp://ha.lan", "http://", "", "http:///x", "https://a b"] {
        assert_eq!(told(bad), None, "{bad}");
    }
}

#[test]
fn a_token_is_the_first_line_of_a_file_of_reasonable_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let token = |path: &Path| {
        let settings =
            Settings { name: "a".into(), url: "http://a".into(), token_file: path.into(), tls: TlsSettings::default() };
        settings.token().map_err(|error| error.to_string())
    };
    assert_eq!(token(&file("a", " secret \n# comment\n")).unwrap(), "secret");
    for path in [file("empty", "\nsecret"), file("huge", &"x".repeat(20_000)), folder.path().join("missing")] {
        let error = token(&path).unwrap_err();
        assert!(error.starts_with(&format!("token_file: {}: ", path.display())), "{error}");
    }
}

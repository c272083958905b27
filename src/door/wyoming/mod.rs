//! Wyoming: the protocol of Home Assistant's voice pipeline. What is for us is `handled`; what is not is `not-handled`, so
//! that the pipeline's next agent takes it.

mod announce;
mod event;

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tracing::{debug, info, warn};

use super::{Answer, Desk};
use crate::frame::{Door, Finish, Limits, Origin, Request, clean};
use crate::listen::{ListenLimits, Peer, listen};
use crate::transport::Throttle;
use announce::Announcement;
pub use event::{BadEvent, Event};

/// From one event of a client to the end of its next; and how long it may take to read ours.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a connection lives. A pipeline opens one for each sentence.
const WHOLE: Duration = Duration::from_secs(600);

/// The languages that are understood, as pipelines call them.
const LANGUAGES: [&str; 4] = ["zh-CN", "zh", "zh-Hans", "cmn"];

/// What the listener needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WyomingSettings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Who may ask besides this machine, by address.
    pub clients: Vec<IpAddr>,
    /// Connections at once.
    pub connections: usize,
    /// Whether the network is told by mDNS where it is.
    pub announce: bool,
}

impl WyomingSettings {
    /// Whether a running listener can take over `new`: who may ask.
    pub fn can_become(&self, new: &Self) -> bool {
        Self { clients: new.clients.clone(), ..self.clone() } == *new
    }
}

/// Who may ask; whoever stays is told when it changes.
#[derive(Clone, Debug)]
pub struct Clients(Arc<watch::Sender<Vec<IpAddr>>>);

impl Clients {
    /// This machine, and these addresses.
    pub fn new(addresses: Vec<IpAddr>) -> Self {
        Self(Arc::new(watch::Sender::new(addresses)))
    }

    /// From now on these addresses. Connections of those that are gone end.
    pub fn renew(&self, addresses: Vec<IpAddr>) {
        self.0.send_if_modified(|former| {
            let differ = *former != addresses;
            *former = addresses;
            differ
        });
    }

    fn know(&self, address: IpAddr) -> bool {
        address.is_loopback() || self.0.borrow().contains(&address)
    }

    /// Waits until an address may ask no more.
    async fn gone(&self, address: IpAddr) {
        let mut renewed = self.0.subscribe();
        // It fails only without a sender, which is ours.
        while self.know(address) && renewed.changed().await.is_ok() {}
    }
}

/// Serves Wyoming to `clients` for as long as it is polled.
///
/// An address that cannot be listened on is told in the log and is no reason to leave the home alone.
pub async fn serve(settings: &WyomingSettings, clients: Clients, desk: Arc<Desk>, limits: Limits) {
    let address = settings.listen;
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => return warn!(%address, %error, "wyoming.listen: nobody can ask by Wyoming"),
    };
    info!(address = %listener.local_addr().unwrap_or(address), "Wyoming is served");
    let listening = ListenLimits {
        connections: settings.connections,
        // Nobody alone keeps the others out.
        per_address: settings.connections.div_ceil(2),
        head: PATIENCE,
        whole: WHOLE,
        pause: Duration::from_secs(1),
    };
    let announcement = settings.announce.then(|| Announcement::begin(address));
    let announcing = async {
        match &announcement {
            Some(Ok(announcement)) => announcement.watch().await,
            Some(Err(error)) => warn!(%error, "wyoming.announce: nobody is told"),
            None => {}
        }
    };
    let throttle = Mutex::new(Throttle::default());
    let serving = listen(listener, listening, |stream, peer| {
        let known = clients.know(peer.address);
        if !known {
            let mut throttle = throttle.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(suppressed) = throttle.pass_of("address", &peer.address.to_string(), Instant::now()) {
                warn!(from = %peer.address, suppressed, "not one of wyoming.clients; the connection is closed");
            }
        }
        let talk = Talk::new(Arc::clone(&desk), limits, &peer);
        let (clients, address) = (clients.clone(), peer.address);
        async move {
            if known {
                tokio::select! {
                    _ = timeout(listening.whole, talk.run(stream, peer)) => {}
                    () = clients.gone(address) => {}
                }
            }
        }
    });
    tokio::join!(serving, announcing);
}

/// One connection.
struct Talk {
    desk: Arc<Desk>,
    limits: Limits,
    origin: Origin,
    /// The page of sentences that name no conversation.
    page: String,
    /// See [`PATIENCE`].
    patience: Duration,
}

impl Talk {
    fn new(desk: Arc<Desk>, limits: Limits, peer: &Peer) -> Self {
        let (origin, page) = (Origin { door: Door::Wyoming, client: peer.address.to_string() }, desk.made_up());
        Self { desk, limits, origin, page, patience: PATIENCE }
    }

    async fn run(self, stream: TcpStream, _peer: Peer) {
        self.talk(stream).await;
    }

    async fn talk(self, stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut stream = BufStream::new(stream);
        loop {
            let event = match timeout(self.patience, Event::read(&mut stream)).await {
                Ok(Ok(Some(event))) => event,
                Ok(Ok(None) | Err(BadEvent::Broken(_))) | Err(_) => return,
                Ok(Err(bad)) => {
                    debug!(%bad, "a client of Wyoming says something else");
                    // Where the next event begins is not known any more.
                    let error = Event::new("error", json!({"text": bad.to_string(), "code": "bad_event"}));
                    return drop(say(&error, &mut stream).await);
                }
            };
            let Some(answer) = self.answer(&event).await else { continue };
            if say(&answer, &mut stream).await.is_err() {
                return;
            }
        }
    }

    /// What is said to an event; nothing to what the protocol has for others.
    async fn answer(&self, event: &Event) -> Option<Event> {
        match event.kind.as_str() {
            "describe" => Some(Event::new("info", info())),
            "ping" => Some(Event::new("pong", json!({"text": event.text("text")}))),
            "transcript" => Some(match self.request(event) {
                Ok(request) => {
                    let bytes = request.question.len();
                    told(&self.desk.answer(request, bytes).await, event)
                }
                Err(message) => Event::new("error", json!({"text": message, "code": "bad_transcript"})),
            }),
            _ => None,
        }
    }

    fn request(&self, event: &Event) -> Result<Request, String> {
        let context = event.data.get("context").unwrap_or(&Value::Null);
        let id = |key: &str| context[key].as_str().filter(|id| !id.is_empty());
        let short = |text: &str, chars: usize| text.len() <= chars || text.chars().count() <= chars;
        let question = event.text("text").ok_or("transcript: text is missing")?;
        if !short(question, self.limits.question_chars) {
            return Err(format!("transcript: longer than {} characters", self.limits.question_chars));
        }
        if ["conversation_id", "device_id", "satellite_id"]
            .iter()
            .filter_map(|key| id(key))
            .any(|id| !short(id, self.limits.id_chars))
        {
            return Err(format!("context: an id is longer than {} characters", self.limits.id_chars));
        }
        let places = ["satellite_id", "device_id"].iter().filter_map(|key| id(key));
        Ok(Request {
            rid: self.desk.made_up(),
            page_id: id("conversation_id").unwrap_or(&self.page).to_owned(),
            question: question.to_owned(),
            local: places.filter_map(|place| self.desk.room_of(place)).next(),
            instruct: true,
            home: None,
            origin: self.origin.clone(),
        })
    }
}

/// Says it to a client that reads it in time.
async fn say(event: &Event, stream: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
    timeout(PATIENCE, event.write(stream)).await?
}

/// What became of a transcript.
fn told(answer: &Answer, asked: &Event) -> Event {
    let (kind, mut data) = match &answer.finish {
        Finish::Done { speech, .. } => {
            let kind = if answer.is_ours() { "handled" } else { "not-handled" };
            (kind, json!({"text": clean(&speech.text)}))
        }
        Finish::Failed { code, message } => ("error", json!({"text": clean(message), "code": code.code()})),
    };
    if let Some(context) = asked.data.get("context") {
        data["context"] = context.clone();
    }
    Event::new(kind, data)
}

/// What there is here, for `describe`.
fn info() -> Value {
    let attribution = json!({"name": "zhiju", "url": ""});
    let version = env!("CARGO_PKG_VERSION");
    json!({
        "asr": [], "tts": [], "intent": [], "wake": [], "mic": [], "snd": [],
        "handle": [{
            "name": "zhiju", "attribution": attribution, "installed": true, "version": version,
            "description": env!("CARGO_PKG_DESCRIPTION"),
            "supports_handled_streaming": false, "supports_home_control": true,
            "models": [{
                "name": "zhiju", "attribution": attribution, "installed": true, "version": version,
                "description": env!("CARGO_PKG_DESCRIPTION"), "languages": LANGUAGES, "supports_home_control": true,
            }],
        }],
    })
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::clock::Clock;
    use crate::dispatch::{DispatchLimits, Job, Take};
    use crate::door::Places;
    use crate::home::Registry;

    /// Takes what it is given and does nothing with it.
    #[derive(Debug)]
    struct Nobody;

    impl Take for Nobody {
        fn take(&self, _: Job) {}
    }

    #[tokio::test]
    async fn an_event_that_does_not_come_to_an_end_is_not_waited_for() {
        let places = Arc::new(Places::new([].into(), Arc::new(Registry::default())));
        let within = DispatchLimits { workers: 1, waiting: 1, bytes: 1_000, deadline: PATIENCE };
        let desk = Arc::new(Desk::new(
            Arc::new(Nobody),
            &within,
            places,
            &Clock::of_machine(),
            crate::observe::Metrics::default(),
        ));
        let origin = Origin { door: Door::Wyoming, client: String::new() };
        let soon = Duration::from_millis(20);
        let talk = Talk { desk, limits: Limits::default(), origin, page: String::new(), patience: soon };
        let (mut theirs, ours) = tokio::io::duplex(1 << 20);
        theirs.write_all(b"{").await.unwrap();
        talk.talk(ours).await;
        assert_eq!(theirs.read(&mut [0]).await.unwrap(), 0);
    }

    #[test]
    fn who_is_no_client_any_more_is_told_and_this_machine_always_is_one() {
        let [here, pipeline, other] = ["127.0.0.1", "192.168.1.5", "192.168.1.6"].map(|a| a.parse::<IpAddr>().unwrap());
        let clients = Clients::new(vec![pipeline]);
        assert_eq!([here, pipeline, other].map(|address| clients.know(address)), [true, true, false]);
        let gone = [here, pipeline].map(|address| {
            let clients = clients.clone();
            Box::pin(async move { clients.gone(address).await })
        });
        let [mut here_gone, mut pipeline_gone] = gone;
        assert!(here_gone.as_mut().now_or_never().is_none() && pipeline_gone.as_mut().now_or_never().is_none());
        clients.renew(vec![other, pipeline]);
        assert!(pipeline_gone.as_mut().now_or_never().is_none(), "it is still one");
        clients.renew(vec![other]);
        assert_eq!([here, pipeline, other].map(|address| clients.know(address)), [true, false, true]);
        assert!(here_gone.as_mut().now_or_never().is_none() && pipeline_gone.as_mut().now_or_never().is_some());
    }
}

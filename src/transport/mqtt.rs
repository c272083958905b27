//! One connection to the broker, kept alive for as long as the daemon lives.
//!
//! A single task polls rumqttc and feeds it; it never waits for anyone else. What comes in goes to a bounded channel (and
//! is dropped with a word in the log when nobody takes it), what goes out comes from one.
//!
//! Every connection gets a client of its own. rumqttc 0.25 would keep unacknowledged publishes itself, but drops them when
//! the broker lost the session, keeps a packet id collision across connections (and then takes no request any more), and
//! puts requests that were merely queued among those it drops. [`super::delivery`] keeps them instead.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rumqttc::v5::mqttbytes::v5::PublishProperties;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use super::connection::{Connection, End, Ends, stopped};
use super::publication::{Fate, Publication, Row};
use super::room::Share;
use super::settings::BrokerSettings;
use super::status::Status;
use super::subscriptions::Subscriptions;
use super::topics::{Incoming, MAX_RESPONSE_TOPIC, Topics};
use crate::clock::Clock;
use crate::observe::{Beat, Metrics};

/// Messages that may wait for the daemon to look at them; one sender that is alone has half.
pub(super) const INBOUND_MESSAGES: usize = 2_048;

/// Bytes that those messages may have together, in packets of the largest size.
pub(super) const INBOUND_PACKETS: usize = 4;

/// Longest correlation data that is carried back, in bytes.
const MAX_CORRELATION: usize = 1024;

/// Batches that may wait for the broker.
const OUTBOUND_BATCHES: usize = 1_024;

/// A connection that lived this long was a good one: the next attempt comes soon.
const GOOD_CONNECTION: Duration = Duration::from_secs(10);

/// Messages that leave together, in this order.
pub type Batch = Vec<Publication>;

/// A message from the broker.
#[derive(Debug)]
pub struct Inbound {
    /// What it is about.
    pub about: Incoming,
    /// Its payload.
    pub payload: Vec<u8>,
    /// The broker kept it: it was not sent just now.
    pub retained: bool,
    /// The broker sent it before and may not know whether it arrived.
    pub repeated: bool,
    /// Where the sender wants the answer (MQTT 5). Whether it may be sent there is for whoever answers to find out.
    pub answer_to: Option<AnswerTo>,
    /// Its share of the room for waiting messages.
    pub(crate) _share: Option<Share>,
}

impl Inbound {
    /// A message that was sent just now and wants no answer elsewhere.
    pub(crate) fn new(about: Incoming, payload: Vec<u8>) -> Self {
        Self { about, payload, retained: false, repeated: false, answer_to: None, _share: None }
    }
}

/// The response topic and correlation data of MQTT 5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerTo {
    /// Where the answer goes.
    pub topic: String,
    /// What the answer carries back.
    pub correlation: Option<Vec<u8>>,
}

impl AnswerTo {
    /// What a message asks for, if it asks and that is not too long to be kept for as long as the message waits.
    pub(super) fn of(properties: PublishProperties) -> Option<Self> {
        let topic = properties.response_topic.filter(|topic| topic.len() <= MAX_RESPONSE_TOPIC)?;
        let correlation = properties.correlation_data.map(|data| data.to_vec());
        correlation.as_ref().is_none_or(|c| c.len() <= MAX_CORRELATION).then_some(Self { topic, correlation })
    }
}

/// The daemon's end of the connection.
#[derive(Debug)]
pub struct Link {
    /// Messages from the broker.
    pub inbound: mpsc::Receiver<Inbound>,
    /// Messages to the broker, in order; waits while the broker is away.
    pub outbound: mpsc::Sender<Batch>,
    /// Whether the broker is there.
    pub connected: watch::Receiver<bool>,
    /// Counts connections on which the broker lets through all that hubs listen to: then they may be spoken to.
    pub listening: watch::Receiver<u64>,
    /// When the task last got on, whether or not the broker is there.
    pub beat: Beat,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// What a link is made of.
#[derive(Debug)]
pub struct LinkSettings {
    /// Where the broker is.
    pub broker: BrokerSettings,
    /// The home's topics.
    pub topics: Topics,
    /// The client id: the same for every start, or the broker would not find the session.
    pub client_id: String,
    /// What to say about the daemon; published with every connection and every change.
    pub status: watch::Receiver<Status>,
    /// What became of the newest home document; published once with every change.
    pub report: watch::Receiver<Option<Vec<u8>>>,
    /// What hubs listen to, besides the home's topics.
    pub hubs: watch::Receiver<Arc<Subscriptions>>,
    /// What an earlier run left unacknowledged; published first.
    pub restored: Vec<Publication>,
    /// Rows that can be in the outbox at once.
    pub outbox_capacity: usize,
    /// What is counted.
    pub metrics: Metrics,
    /// Tells what is stale.
    pub clock: Clock,
}

impl Link {
    /// Starts to reach for the broker, and does so until [`Link::stop`].
    ///
    /// The receiver tells of rows whose messages the broker has, or that are stale or refused: they may go.
    pub fn start(settings: LinkSettings) -> (Self, mpsc::Receiver<(Row, Fate)>) {
        let (inbound_tx, inbound) = mpsc::channel(INBOUND_MESSAGES);
        let (outbound, outbound_rx) = mpsc::channel(OUTBOUND_BATCHES);
        // No more rows can be settled than there are, so that this channel is never full.
        let (settled_tx, settled) = mpsc::channel(settings.outbox_capacity.max(1) + settings.restored.len());
        let (connected_tx, connected) = watch::channel(false);
        let (listening_tx, listening) = watch::channel(0);
        let (stop, stop_rx) = watch::channel(false);
        let beat = Beat::default();
        let seed = u64::from(std::process::id()) ^ settings.clock.now_ms();
        let ends = Ends {
            inbound: inbound_tx,
            outbound: outbound_rx,
            settled: settled_tx,
            connected: connected_tx,
            listening: listening_tx,
        };
        let connection = Connection::new(settings, ends, beat.clone(), stop_rx.clone());
        let task = tokio::spawn(keep_alive(connection, seed, stop_rx));
        (Self { inbound, outbound, connected, listening, beat, stop, task }, settled)
    }

    /// Delivers what waits, says goodbye and disconnects, all before `until`; after that the connection is cut and the
    /// broker says goodbye for us (last will).
    pub async fn stop(self, until: tokio::time::Instant) {
        let Self { stop, mut task, .. } = self;
        stop.send_replace(true);
        if tokio::time::timeout_at(until, &mut task).await.is_err() {
            task.abort();
            let _ = task.await;
        }
    }
}

async fn keep_alive(mut connection: Connection, seed: u64, mut stop: watch::Receiver<bool>) {
    let mut attempt = 0;
    loop {
        let start = Instant::now();
        if matches!(connection.run().await, End::Stopped) {
            return;
        }
        attempt = if start.elapsed() >= GOOD_CONNECTION { 0 } else { attempt + 1 };
        let wait = crate::dial::backoff(attempt, seed);
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = stopped(&mut stop) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_an_answer_is_wanted_is_kept_only_if_it_is_short() {
        let wanted = |topic: usize, correlation: usize| PublishProperties {
            response_topic: Some("a".repeat(topic)),
            correlation_data: Some(vec![0; correlation].into()),
            ..PublishProperties::default()
        };
        assert!(AnswerTo::of(wanted(MAX_RESPONSE_TOPIC, MAX_CORRELATION)).is_some());
        assert_eq!(AnswerTo::of(wanted(MAX_RESPONSE_TOPIC + 1, 0)), None);
        assert_eq!(AnswerTo::of(wanted(1, MAX_CORRELATION + 1)), None);
        assert_eq!(AnswerTo::of(PublishProperties::default()), None);
    }

    #[tokio::test]
    async fn while_the_broker_is_away_what_is_stale_leaves_its_room_to_what_is_said_now() {
        let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let status = Status {
            state: super::super::Presence::Online,
            version: "",
            devices: 0,
            revision: 0,
            since: 0,
            model: super::super::ModelStatus::Error(String::new()),
            parsers: Vec::new(),
        };
        let clock = Clock::of_machine();
        let (_status, status) = watch::channel(status);
        let (_report, report) = watch::channel(None);
        let (_hubs, hubs) = watch::channel(Arc::default());
        let (link, mut settled) = Link::start(LinkSettings {
            broker: BrokerSettings { port: nobody.port(), ..BrokerSettings::default() },
            client_id: "away".into(),
            topics: Topics::new("home").unwrap(),
            status,
            report,
            hubs,
            restored: Vec::new(),
            outbox_capacity: 4 * OUTBOUND_BATCHES,
            metrics: Metrics::default(),
            clock: clock.clone(),
        });
        for seq in 0..3 * OUTBOUND_BATCHES as u64 {
            let row = Row { seq, permit: None };
            let instruct = Publication::new("zhiju/home/instruct/a".into(), vec![]).durable(row, clock.now_ms() + 1);
            link.outbound.send(vec![instruct]).await.unwrap();
        }
        // And their rows are free again.
        for seq in 0..OUTBOUND_BATCHES as u64 {
            let (row, fate) = settled.recv().await.unwrap();
            assert_eq!((row.seq, fate), (seq, Fate::Expired));
        }
        link.stop(tokio::time::Instant::now()).await;
    }
}

//! A scripted broker that talks nonsense: the daemon neither ends nor hammers it, and serves when sense returns.

use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::Instant;
use zhiju::clock::Clock;
use zhiju::observe::Metrics;
use zhiju::transport::{BrokerSettings, Link, LinkSettings, ModelStatus, Presence, Publication, Status, Topics};

use crate::common::{Daemon, within};

/// CONNACK: no session, success, no properties.
pub const CONNACK: &[u8] = &[0x20, 3, 0, 0, 0];

/// Flag of CONNECT: forget the session.
const CLEAN_START: u8 = 0b10;

/// Reads one packet: its first byte and its content.
pub async fn packet<S: AsyncRead + Unpin>(stream: &mut S) -> Option<(u8, Vec<u8>)> {
    let first = stream.read_u8().await.ok()?;
    let (mut len, mut shift) = (0usize, 0);
    loop {
        let byte = stream.read_u8().await.ok()?;
        len |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    let mut content = vec![0; len];
    stream.read_exact(&mut content).await.ok()?;
    Some((first, content))
}

/// Takes a connection up to its CONNECT and returns its flags.
async fn connection(listener: &TcpListener) -> (TcpStream, u8) {
    let (mut stream, _) = within("a connection", listener.accept()).await.unwrap();
    let (first, content) = within("the CONNECT", packet(&mut stream)).await.unwrap();
    assert_eq!((first, &content[..7]), (0x10, &b"\x00\x04MQTT\x05"[..]));
    (stream, content[7])
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_survived_and_the_session_forgotten() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let daemon = Daemon::start(listener.local_addr().unwrap().port(), |_| {});
    let nonsense: [&[u8]; 4] = [
        // A PUBLISH of 256 MiB.
        &[0x30, 0xff, 0xff, 0xff, 0x7f, 0, 1, b'a'],
        // A packet of no known type.
        &[0x00, 0x00],
        // An acknowledgement of nothing.
        &[0x40, 2, 0, 9],
        // A length that does not end.
        &[0x30, 0xff, 0xff, 0xff, 0xff, 0xff],
    ];
    let mut before_was_unreadable = false;
    for bytes in nonsense {
        let (mut stream, flags) = connection(&listener).await;
        assert_eq!(flags & CLEAN_START != 0, before_was_unreadable, "{bytes:?}");
        stream.write_all(&[CONNACK, bytes].concat()).await.unwrap();
        let ended = async { while packet(&mut stream).await.is_some() {} };
        within("the end of the connection", ended).await;
        before_was_unreadable = bytes[0] != 0x40;
    }
    let (mut stream, _) = connection(&listener).await;
    stream.write_all(CONNACK).await.unwrap();
    let online = async {
        while let Some((first, content)) = packet(&mut stream).await {
            if first & 0xf0 == 0x30 && content.windows(8).any(|w| w == b"\"online\"") {
                return;
            }
        }
        panic!("the connection ended");
    };
    within("the status", online).await;
    drop(stream);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_stops_reading_in_the_middle_of_a_message_is_left() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let link = impatient(BrokerSettings { port, ..BrokerSettings::default() });
    let (mut stream, _) = connection(&listener).await;
    stream.write_all(CONNACK).await.unwrap();
    say_much(&link).await;
    connection(&listener).await;
    drop(stream);
    link.stop(Instant::now()).await;
}

/// A link that soon gives up a broker that does not get on.
pub fn impatient(broker: BrokerSettings) -> Link {
    let (status, status_rx) = watch::channel(Status {
        state: Presence::Online,
        version: "0",
        devices: 0,
        revision: 0,
        since: 0,
        model: ModelStatus::Error("none".into()),
        parsers: Vec::new(),
    });
    // The last status is there to be read without its sender.
    drop(status);
    let (link, _settled) = Link::start(LinkSettings {
        // The shortest there is: it decides how soon a broker is given up.
        broker: BrokerSettings { keep_alive: Duration::from_secs(5), max_packet_bytes: 1 << 20, ..broker },
        client_id: "zhiju-home".into(),
        topics: Topics::new("home").unwrap(),
        status: status_rx,
        report: watch::channel(None).1,
        hubs: watch::channel(std::sync::Arc::default()).1,
        restored: Vec::new(),
        outbox_capacity: 1,
        metrics: Metrics::default(),
        clock: Clock::of_machine(),
    });
    link
}

/// Says more than the buffers on the way hold.
pub async fn say_much(link: &Link) {
    for n in 0..60 {
        let batch = vec![Publication::new(format!("large/{n}"), vec![b'x'; 1 << 19])];
        within("room", link.outbound.send(batch)).await.unwrap();
    }
}

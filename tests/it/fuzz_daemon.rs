//! A whole daemon under random sentences, frames, homes and states over MQTT, right and wrong ones: what must hold whatever
//! is sent. `make fuzz-daemon`.

#![allow(clippy::print_stdout, reason = "the seed and the figures are the result")]

mod book;
mod input;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rumqttc::NetworkOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, PublishProperties};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};

use crate::common::Mosquitto;
use crate::heard::{Heard, heard};
use crate::process::{Process, configure_with_model};
use crate::runner::zhiju;
use book::Book;
use input::{Input, Message};

/// Requests without an answer, at which nothing more is asked; below what the daemon takes at once.
const MOST_OPEN: usize = 40;

/// What the unit allows the daemon, in kB.
const MOST_RESIDENT: u64 = 192 << 10;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes FUZZ_DAEMON_SECONDS; see the Makefile"]
async fn whatever_is_sent_what_must_hold_holds() {
    let seconds = variable("FUZZ_DAEMON_SECONDS").unwrap_or(60);
    let by_time = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let seed = variable("FUZZ_DAEMON_SEED").unwrap_or_else(by_time);
    println!("FUZZ_DAEMON_SEED={seed}");
    // Whatever the daemon says has to come here, however much it is.
    let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
    let folder = tempfile::tempdir().unwrap();
    let yaml = format!("mqtt: {{port: {}}}\nlog: {{level: warn, format: journald}}\n", broker.port);
    let mut command = zhiju();
    command
        .env("MALLOC_ARENA_MAX", "1")
        .env("MALLOC_MMAP_THRESHOLD_", "131072")
        .args(["run", "--config"])
        .arg(configure_with_model(folder.path(), &yaml));
    let mut daemon = Process::of(command);
    let mut wire = Wire::connect(broker.port).await;
    let mut input = Input::new(seed);
    wire.send(input.first_home());
    wire.heard.until("a home", |book| book.homes > 0).await;

    let (start, mut resident, mut said) = (Instant::now(), 0, Vec::new());
    let mut ticks = tokio::time::interval(Duration::from_millis(4));
    while start.elapsed() < Duration::from_secs(seconds) {
        ticks.tick().await;
        let flood = input.is_flood();
        let room = MOST_OPEN.saturating_sub(wire.heard.book().open());
        for message in input.next(if flood { 150 } else { room.min(3) }) {
            wire.send(message);
        }
        resident = resident.max(daemon.resident_kb());
        said.extend(daemon.said());
        wire.heard.book().must_hold();
        if flood {
            wire.heard.until("the end of a flood", |book| book.open() < MOST_OPEN).await;
        }
    }
    wire.heard.until("all answers", |book| book.open() == 0).await;
    daemon.signal("TERM");
    let (status, rest) = daemon.end().await;
    said.extend(rest);
    let book = wire.heard.book();
    println!("fuzz-daemon {seconds} s: {}, resident at most {resident} kB, {} lines said", book.figures(), said.len());
    assert!(status.success());
    book.must_hold();
    assert!(book.served > 0 && book.opened > 0, "nothing was tried");
    assert!(resident <= MOST_RESIDENT, "{resident} kB");
    let bugs: Vec<_> = said.iter().filter(|line| line.contains("panic") || line.contains("bug")).collect();
    assert!(bugs.is_empty(), "{bugs:#?}");
}

/// The client that plays everybody, and hears everything.
struct Wire {
    client: AsyncClient,
    heard: Heard<Book>,
}

impl Wire {
    async fn connect(port: u16) -> Self {
        let mut options = MqttOptions::new("fuzz", "127.0.0.1", port);
        let mut network = NetworkOptions::new();
        network.set_tcp_nodelay(true);
        options.set_network_options(network);
        options.set_max_packet_size(Some(16 << 20));
        let (client, mut events) = AsyncClient::new(options, 4_000);
        client.subscribe("#", QoS::AtLeastOnce).await.unwrap();
        let (teller, mut heard) = heard::<Book>();
        tokio::spawn(async move {
            while let Ok(event) = events.poll().await {
                if let Event::Incoming(Packet::Publish(publish)) = event {
                    teller.tell(|book| book.enter(&String::from_utf8_lossy(&publish.topic), &publish.payload));
                }
            }
        });
        heard.until("the daemon", |book| book.online).await;
        Self { client, heard }
    }

    fn send(&self, message: Message) {
        let Message { topic, payload, asked, response_topic } = message;
        if let Some((rid, asked)) = asked {
            self.heard.book().ask(rid, asked);
        }
        let properties = PublishProperties { response_topic, ..PublishProperties::default() };
        let topic = format!("zhiju/home/{topic}");
        self.client.try_publish_with_properties(topic, QoS::AtLeastOnce, false, payload, properties).unwrap();
    }
}

//! A house that tells of itself by MQTT discovery: how long it takes to be spoken to, how much the daemon grows by it, and
//! what those who speak notice of all that it says.

use std::time::{Duration, Instant};

use rumqttc::v5::AsyncClient;
use rumqttc::v5::mqttbytes::QoS;
use tokio::task::JoinHandle;

use crate::announced::{Announced, announced};
use crate::common::{Client, Mosquitto, Pace, json_of};
use crate::load::Load;
use crate::process::{Process, configure};

/// Updates of state in a second of a storm.
const UPDATES: usize = 1_000;

/// A daemon in a house of so many things, who speaks to it, and how long it took and how many MiB it grew by.
struct House {
    _folder: tempfile::TempDir,
    _broker: Mosquitto,
    client: Client,
    daemon: Process,
    load: Load,
    things: Vec<Announced>,
    took: Duration,
    grew: f64,
}

impl House {
    async fn of(many: usize) -> Self {
        let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
        let folder = tempfile::tempdir().unwrap();
        let mut load = Load::connect(broker.port, "bars");
        let yaml = format!("{}hubs: {{ha: {{kind: ha_discovery}}}}\n", super::yaml(broker.port));
        // Without a model: the vectors of a new home are worked out in the background, and are no matter of hubs.
        let (daemon, _) = super::started_by(folder.path(), &configure(folder.path(), &yaml)).await;
        load.online().await;
        let before = daemon.resident_kb();
        let mut client = Client::subscribed(broker.port, "house", &["zhiju/home/hubs"], Pace::default()).await;
        let things: Vec<Announced> = (0..many).map(announced).collect();
        let began = Instant::now();
        for thing in &things {
            for (topic, payload) in
                [(&thing.topic, thing.config.to_string()), (&thing.state_topic, thing.states[0].clone())]
            {
                client.client.publish(topic.clone(), QoS::AtMostOnce, true, payload).await.unwrap();
            }
        }
        client.find("all of them", |p| json_of(p)["hubs"][0]["devices"] == many).await;
        let brought = began.elapsed();
        load.ask_this("p", &asked(&things, many - 1));
        load.until("an answer", |book| book.open() == 0).await;
        let took = began.elapsed();
        let grew = (daemon.resident_kb().saturating_sub(before)) as f64 / 1024.0;
        println!(
            "{many} things: in the home after {brought:?}, the first sentence answered after {took:?}; the daemon grew by {grew:.1} MiB"
        );
        Self { _folder: folder, _broker: broker, client, daemon, load, things, took, grew }
    }

    /// What is said while things tell `updates` states a second; the 50th and the 99th of 100 answers took so long.
    async fn answers(&mut self, updates: usize) -> [Duration; 2] {
        let seconds = super::setting("BARS_STORM_SECONDS", 30);
        // Whatever is said for the first time is not what is measured.
        for turn in 0..20 {
            self.load.ask_this("p", &asked(&self.things, turn * 7));
            self.load.until("an answer", |book| book.open() == 0).await;
        }
        self.load.book().served.clear();
        let said = self.things.iter().map(|thing| (thing.state_topic.clone(), thing.states.clone())).collect();
        let storm = rage(self.client.client.clone(), said, updates);
        for turn in 0..seconds * 20 {
            self.load.ask_this(&format!("p{}", turn % 4), &asked(&self.things, turn as usize * 7));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.load.until("all answers", |book| book.open() == 0).await;
        storm.abort();
        let mut book = self.load.book();
        assert!(book.failed.is_empty(), "{:?}", book.failed);
        [book.percentile(50), book.percentile(99)]
    }
}

/// An order for one of the things.
fn asked(things: &[Announced], n: usize) -> String {
    let thing = &things[n % things.len()];
    format!("{}{}{}", if n.is_multiple_of(2) { "打开" } else { "关闭" }, thing.room, thing.name)
}

/// So many states a second, of all things in turn.
fn rage(client: AsyncClient, said: Vec<(String, [String; 2])>, updates: usize) -> JoinHandle<()> {
    tokio::spawn(async move {
        let (mut ticks, each) = (tokio::time::interval(Duration::from_millis(10)), updates / 100);
        for turn in 0.. {
            ticks.tick().await;
            for n in turn * each..(turn + 1) * each {
                let (topic, states) = &said[n % said.len()];
                let state = states[n / said.len() % 2].clone();
                let _ = client.publish(topic.clone(), QoS::AtMostOnce, false, state).await;
            }
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn five_thousand_things_are_spoken_to_in_five_seconds_and_sixty_mebibytes() {
    let house = House::of(5_000).await;
    assert!(house.took <= Duration::from_secs(5) && house.grew <= 60.0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn a_thousand_states_a_second_keep_nobody_waiting() {
    let mut house = House::of(super::setting("BARS_STORM_THINGS", 5_000) as usize).await;
    let [calm50, calm99] = house.answers(0).await;
    let [p50, p99] = house.answers(UPDATES).await;
    println!(
        "p50 {calm50:?}, p99 {calm99:?}; in a storm of {UPDATES} states a second p50 {p50:?}, p99 {p99:?}, {} kB",
        house.daemon.resident_kb()
    );
    assert!(p99 <= Duration::from_millis(20), "{p99:?}");
}

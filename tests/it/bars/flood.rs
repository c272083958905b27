//! What others notice of one satellite that talks without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rumqttc::v5::mqttbytes::QoS;
use serde_json::json;

use crate::common::{Client, Mosquitto, Pace};
use crate::load::{Load, SENTENCES};

/// Utterances of the flood in a millisecond.
const EACH_MS: usize = 3;

/// Utterances of the other satellite.
const VICTIMS: usize = 300;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures a release binary; see the Makefile"]
async fn three_thousand_utterances_a_second_of_one_satellite_leave_others_their_time() {
    let broker = Mosquitto::with(tempfile::tempdir().unwrap(), "max_queued_messages 100000\n").await;
    let folder = tempfile::tempdir().unwrap();
    let mut load = Load::connect(broker.port, "bars");
    let daemon = super::villa_served(folder.path(), broker.port, &mut load).await;
    drop(load);
    let flood = Client::subscribed(broker.port, "flood", &["zhiju/home/reply/nobody"], Pace::default()).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let flooded = Arc::clone(&sent);
    let flooding = tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_millis(1));
        loop {
            ticks.tick().await;
            for _ in 0..EACH_MS {
                let n = flooded.load(Ordering::Relaxed);
                let said =
                    json!({"text": SENTENCES[n % SENTENCES.len()], "page_id": format!("p{n}"), "rid": format!("f{n}")});
                let sent =
                    flood.client.try_publish("zhiju/home/utterance/flood", QoS::AtMostOnce, false, said.to_string());
                flooded.fetch_add(usize::from(sent.is_ok()), Ordering::Relaxed);
            }
        }
    });
    let mut victim = Client::subscribed(broker.port, "victim", &["zhiju/home/reply/victim"], Pace::default()).await;
    let (start, mut took, mut failed) = (Instant::now(), Vec::new(), 0);
    for n in 0..VICTIMS {
        let said = json!({"text": "客厅空气怎么样", "rid": format!("v{n}")});
        let asked = Instant::now();
        victim.publish("utterance/victim", said.to_string()).await;
        // Once with the stream frame, once with the end.
        let first = victim.on("reply/victim").await;
        if first["intent"] == "answer" {
            victim.on("reply/victim").await;
            took.push(asked.elapsed());
        } else {
            failed += 1;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let rate = sent.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64();
    flooding.abort();
    took.sort_unstable();
    let at = |percent: usize| took[(took.len() * percent / 100).min(took.len() - 1)];
    println!(
        "under {rate:.0} utterances a second of another satellite: {} of {VICTIMS} served, {failed} not; p50 {:?}, p99 {:?}, {} MB",
        took.len(),
        at(50),
        at(99),
        daemon.resident_kb() / 1_000
    );
    assert_eq!(failed, 0);
    assert!(at(99) <= Duration::from_millis(50));
}

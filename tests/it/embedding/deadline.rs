//! The encoder when it is slow: nobody waits for it longer than he said, and what waits goes together.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use zhiju::embedding::{Backend, EncodeError, Encoder, Kind};

/// A backend that encodes passages at once, and queries when it is let.
pub struct Gated {
    gate: Mutex<Receiver<()>>,
    batches: Arc<Mutex<Vec<usize>>>,
}

/// The other side of the gate. Dropping it opens the gate for good.
pub struct Gate {
    open: SyncSender<()>,
    /// Sizes of the batches of queries that were begun.
    pub batches: Arc<Mutex<Vec<usize>>>,
}

impl Gate {
    /// Lets one batch of queries through.
    fn let_one_through(&self) {
        self.open.send(()).unwrap();
    }
}

impl Backend for Gated {
    fn dimensions(&self) -> usize {
        2
    }

    fn checksum(&self) -> [u8; 32] {
        [7; 32]
    }

    fn encode(&self, texts: &[(Kind, &str)]) -> Result<Vec<Vec<f32>>, EncodeError> {
        if texts.iter().any(|(kind, _)| *kind == Kind::Query) {
            self.batches.lock().unwrap().push(texts.len());
            let _ = self.gate.lock().unwrap().recv();
        }
        Ok(texts.iter().map(|_| vec![0.6, 0.8]).collect())
    }
}

/// An encoder whose queries wait at a gate.
pub fn gated() -> (Encoder, Gate) {
    let (open, gate) = sync_channel(8);
    let batches = Arc::new(Mutex::new(Vec::new()));
    let backend = Gated { gate: Mutex::new(gate), batches: Arc::clone(&batches) };
    (Encoder::start(Path::new("gated"), || Ok(backend)).unwrap(), Gate { open, batches })
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

fn at_once() -> Instant {
    Instant::now() + Duration::from_millis(5)
}

#[tokio::test]
async fn a_late_vector_is_never_waited_for() {
    let (encoder, gate) = gated();
    // The gate stays shut until this has answered, so what comes back did not wait for it.
    assert!(encoder.embed(Kind::Query, "太闷了", at_once()).await.is_none());
    assert!(encoder.embed(Kind::Query, "好热", at_once()).await.is_none());
    drop(gate);
    assert!(encoder.embed(Kind::Query, "太黑了", soon()).await.is_some());
}

#[tokio::test]
async fn what_nobody_waits_for_any_more_is_not_computed() {
    let (encoder, gate) = gated();
    for text in ["一", "二", "三"] {
        assert!(encoder.embed(Kind::Query, text, at_once()).await.is_none());
    }
    gate.let_one_through();
    gate.let_one_through();
    assert!(encoder.embed(Kind::Query, "四", soon()).await.is_some());
    assert_eq!(*gate.batches.lock().unwrap(), [1, 1], "the first was begun already, two were given up");
}

#[tokio::test]
async fn queries_that_wait_are_encoded_together() {
    let (encoder, gate) = gated();
    let encoder = Arc::new(encoder);
    let ask = |text: String| {
        let encoder = Arc::clone(&encoder);
        tokio::spawn(async move { encoder.embed(Kind::Query, &text, soon()).await })
    };
    let first = ask("零".into());
    while gate.batches.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let rest: Vec<_> = (0..11).map(|n| ask(format!("第{n}句"))).collect();
    // Each runs to where it waits for its vector.
    tokio::task::yield_now().await;
    (0..3).for_each(|_| gate.let_one_through());
    assert!(first.await.unwrap().is_some());
    for one in rest {
        assert!(one.await.unwrap().is_some());
    }
    assert_eq!(*gate.batches.lock().unwrap(), [1, 8, 3]);
}

#[tokio::test]
async fn more_queries_than_can_be_served_are_turned_away_at_once() {
    let (encoder, gate) = gated();
    let encoder = Arc::new(encoder);
    let asked: Vec<_> = (0..64)
        .map(|n| {
            let encoder = Arc::clone(&encoder);
            tokio::spawn(async move { encoder.embed(Kind::Query, &format!("第{n}句"), soon()).await })
        })
        .collect();
    tokio::task::yield_now().await;
    drop(gate);
    let mut answered = 0;
    for one in asked {
        answered += usize::from(one.await.unwrap().is_some());
    }
    assert!((32..64).contains(&answered), "{answered}");
}

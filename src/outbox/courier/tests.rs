use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::hub::Answered;

const PATIENCE: Duration = Duration::from_secs(20);

/// A hub whose connection comes and goes.
#[derive(Default)]
struct Switchboard {
    line: Mutex<Option<mpsc::Sender<Delivery>>>,
}

impl Switchboard {
    /// A new connection, that takes `room` messages before it looks at one.
    fn connect(&self, room: usize) -> mpsc::Receiver<Delivery> {
        let (sender, deliveries) = mpsc::channel(room);
        *lock(&self.line) = Some(sender);
        deliveries
    }
}

impl Lines for Switchboard {
    fn line(&self, hub: &str) -> Option<mpsc::Sender<Delivery>> {
        (hub == "ha").then(|| lock(&self.line).clone()).flatten()
    }
}

struct Bench {
    board: Arc<Switchboard>,
    courier: Courier,
    settled: mpsc::Receiver<(Row, Fate)>,
    clock: Clock,
}

impl Bench {
    fn new(clock: Clock) -> Self {
        let board = Arc::new(Switchboard::default());
        let (courier, settled) = Courier::new(Arc::clone(&board) as Arc<dyn Lines>, clock.clone(), 64);
        Self { board, courier, settled, clock }
    }

    fn by_hand() -> Self {
        Self::new(Clock::by_hand("boot", 0, 0))
    }

    fn give(&self, hub: &str, seq: u64, device: &str, once: bool, ttl_ms: u64) {
        let row = Row { seq, permit: None };
        let expires_ms = self.clock.now_ms() + ttl_ms;
        self.courier.take(hub, Letter { row, device: device.into(), message: json!(seq), once, expires_ms });
    }

    async fn settled(&mut self) -> (u64, Fate) {
        let (row, fate) = tokio::time::timeout(PATIENCE, self.settled.recv()).await.unwrap().unwrap();
        (row.seq, fate)
    }
}

async fn next(deliveries: &mut mpsc::Receiver<Delivery>) -> (u64, Delivery) {
    let delivery = tokio::time::timeout(PATIENCE, deliveries.recv()).await.unwrap().unwrap();
    (delivery.message.as_u64().unwrap(), delivery)
}

#[tokio::test]
async fn a_hub_is_told_in_order_and_of_a_device_one_after_the_other() {
    let mut bench = Bench::by_hand();
    let mut hub = bench.board.connect(8);
    for (seq, device) in [(1, "a"), (2, "a"), (3, "b"), (4, "a")] {
        bench.give("ha", seq, device, false, 1_000);
    }
    let (first, a) = next(&mut hub).await;
    let (second, b) = next(&mut hub).await;
    assert_eq!((first, second), (1, 3));
    a.done.send(Answered::Taken).unwrap();
    let (third, a) = next(&mut hub).await;
    assert_eq!((third, bench.settled().await), (2, (1, Fate::Delivered)));
    b.done.send(Answered::Refused("no".into())).unwrap();
    assert_eq!(bench.settled().await, (3, Fate::Refused("no".into())));
    a.done.send(Answered::Expired).unwrap();
    assert_eq!((bench.settled().await, next(&mut hub).await.0), ((2, Fate::Expired), 4));
}

#[tokio::test]
async fn what_a_broken_connection_did_not_answer_is_said_again_unless_it_must_not_be_said_twice() {
    let mut bench = Bench::by_hand();
    let mut hub = bench.board.connect(8);
    for (seq, once) in [(1, false), (2, true), (3, false)] {
        bench.give("ha", seq, &seq.to_string(), once, 1_000);
    }
    let told = [next(&mut hub).await, next(&mut hub).await, next(&mut hub).await];
    let mut back = bench.board.connect(8);
    drop((told, hub));
    assert_eq!(bench.settled().await, (2, Fate::Unanswered));
    for seq in [1, 3] {
        let (again, delivery) = next(&mut back).await;
        assert_eq!(again, seq);
        delivery.done.send(Answered::Taken).unwrap();
        assert_eq!(bench.settled().await, (seq, Fate::Delivered));
    }
}

#[tokio::test]
async fn what_was_not_handed_over_is_said_once_the_hub_is_back_though_it_must_not_be_said_twice() {
    let mut bench = Bench::by_hand();
    bench.give("ha", 1, "a", true, 10_000);
    let mut hub = bench.board.connect(1);
    next(&mut hub).await.1.done.send(Answered::Taken).unwrap();
    assert_eq!(bench.settled().await, (1, Fate::Delivered));
}

#[tokio::test]
async fn a_hub_that_is_away_keeps_no_other_waiting_and_is_told_nothing_late() {
    let mut bench = Bench::new(Clock::of_machine());
    bench.give("away", 1, "a", false, 50);
    bench.give("ha", 2, "b", false, 60_000);
    let mut hub = bench.board.connect(1);
    next(&mut hub).await.1.done.send(Answered::Taken).unwrap();
    let mut both = [bench.settled().await, bench.settled().await];
    both.sort_by_key(|(seq, _)| *seq);
    assert_eq!(both, [(1, Fate::Expired), (2, Fate::Delivered)]);
}

#[tokio::test]
async fn a_hub_that_never_answers_is_given_up() {
    let mut bench = Bench::by_hand();
    let mut hub = bench.board.connect(8);
    bench.give("ha", 1, "a", false, 1_000);
    bench.give("ha", 2, "a", false, 1_000);
    let (seq, unanswered) = next(&mut hub).await;
    bench.clock.advance(Duration::from_secs(1));
    bench.give("ha", 3, "b", false, 1_000);
    assert_eq!((seq, bench.settled().await), (1, (2, Fate::Expired)), "it waited behind the other for too long");
    bench.clock.advance(Duration::from_secs(40));
    bench.give("ha", 4, "b", false, 1_000);
    assert_eq!(bench.settled().await, (1, Fate::Unanswered));
    // An answer that comes after all changes nothing.
    assert!(unanswered.done.send(Answered::Taken).is_err());
}

#[tokio::test]
async fn a_courier_that_stops_waits_for_answers() {
    let mut bench = Bench::by_hand();
    let mut hub = bench.board.connect(8);
    bench.give("ha", 1, "a", false, 1_000);
    let (_, delivery) = next(&mut hub).await;
    let answering = async {
        tokio::task::yield_now().await;
        delivery.done.send(Answered::Taken).unwrap();
    };
    tokio::join!(bench.courier.stop(Instant::now() + PATIENCE), answering);
    assert_eq!(bench.settled().await, (1, Fate::Delivered));
}

/// What a hub does next.
#[derive(Clone, Debug)]
enum Next {
    Give { device: u8, once: bool },
    Answer(Option<bool>),
    Break,
}

fn next_of_all() -> impl Strategy<Value = Next> {
    prop_oneof![
        4 => (0u8..4, any::<bool>()).prop_map(|(device, once)| Next::Give { device, once }),
        3 => any::<Option<bool>>().prop_map(Next::Answer),
        1 => Just(Next::Break),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However a hub answers and breaks: each row ends once, each device hears its messages in order, and none twice that must
    /// not be said twice.
    #[test]
    fn every_message_ends_once_and_in_order(script in prop::collection::vec(next_of_all(), 1..120)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (ends, heard, once) = runtime.block_on(played(script));
        prop_assert!(ends.values().all(|times| *times == 1), "{ends:?}");
        for (device, said) in &heard {
            // Said again is the same once more; nothing older comes after something newer.
            prop_assert!(said.is_sorted(), "{device}: {said:?}");
            for seq in said.iter().filter(|seq| once.contains(seq)) {
                prop_assert_eq!(said.iter().filter(|other| *other == seq).count(), 1, "{} {:?}", seq, said);
            }
        }
    }
}

type Played = (BTreeMap<u64, usize>, BTreeMap<u64, Vec<u64>>, BTreeSet<u64>);

/// How often each row ended, what each device heard, and what must not be said twice.
async fn played(script: Vec<Next>) -> Played {
    let mut bench = Bench::by_hand();
    let mut hub = bench.board.connect(3);
    let (mut devices, mut once_only) = (Vec::new(), BTreeSet::new());
    let mut heard: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for next in script {
        match next {
            Next::Give { device, once } => {
                let seq = devices.len() as u64;
                once_only.extend(once.then_some(seq));
                devices.push(u64::from(device));
                bench.give("ha", seq, &device.to_string(), once, 1_000_000);
            }
            Next::Answer(answer) => {
                tokio::task::yield_now().await;
                if let Ok(delivery) = hub.try_recv() {
                    let seq = delivery.message.as_u64().unwrap();
                    heard.entry(devices[seq as usize]).or_default().push(seq);
                    let answer =
                        answer.map(|taken| if taken { Answered::Taken } else { Answered::Refused("no".into()) });
                    // Without an answer it is as if the connection had broken after that one.
                    if let Some(answer) = answer {
                        delivery.done.send(answer).unwrap();
                    }
                }
            }
            Next::Break => hub = bench.board.connect(3),
        }
    }
    let mut ends: BTreeMap<u64, usize> = BTreeMap::new();
    while ends.len() < devices.len() {
        tokio::select! {
            Some((row, _)) = bench.settled.recv() => *ends.entry(row.seq).or_default() += 1,
            Some(delivery) = hub.recv() => {
                let seq = delivery.message.as_u64().unwrap();
                heard.entry(devices[seq as usize]).or_default().push(seq);
                let _ = delivery.done.send(Answered::Taken);
            }
        }
    }
    while let Ok((row, _)) = bench.settled.try_recv() {
        *ends.entry(row.seq).or_default() += 1;
    }
    (ends, heard, once_only)
}

mod hubs;

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;

use serde_json::json;

use super::row::Way;
use super::*;
use crate::hub::route::Routed;
use crate::hub::{Delivery, Native, Unable};

/// An outbox that lives in memory and can be told to fail.
#[derive(Debug, Default)]
pub(crate) struct MemoryLog {
    pub(crate) rows: Mutex<BTreeMap<u64, Vec<u8>>>,
    pub(crate) full: bool,
    pub(crate) trail: Mutex<Vec<Vec<u8>>>,
    pub(crate) no_trail: bool,
}

impl OutboxLog for MemoryLog {
    type Error = io::Error;

    fn push(&self, row: &[u8]) -> io::Result<u64> {
        let mut rows = self.rows.lock().unwrap();
        let next = rows.keys().next_back().map_or(0, |last| last + 1);
        rows.insert(next, row.to_vec());
        Ok(next)
    }

    fn remove(&self, number: u64) -> io::Result<()> {
        self.rows.lock().unwrap().remove(&number);
        Ok(())
    }

    fn withdraw(&self, numbers: &[u64]) {
        self.rows.lock().unwrap().retain(|number, _| !numbers.contains(number));
    }

    fn audit(&self, row: &[u8]) -> io::Result<()> {
        if self.no_trail {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.trail.lock().unwrap().push(row.to_vec());
        Ok(())
    }

    fn audited(&self) -> io::Result<Vec<Vec<u8>>> {
        Ok(self.trail.lock().unwrap().clone())
    }

    fn settle(&self, _: &crate::store::JobRow) -> io::Result<()> {
        Ok(())
    }

    fn commit(&self) -> io::Result<()> {
        if self.full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn rows(&self) -> io::Result<Vec<(u64, Vec<u8>)>> {
        Ok(self.rows.lock().unwrap().clone().into_iter().collect())
    }
}

const NOON: u64 = 1_800_000_000_000;

fn outbox(log: MemoryLog, capacity: usize) -> Outbox<MemoryLog> {
    opened(Arc::new(log), capacity, Clock::by_hand("boot", 1_000, NOON))
}

fn opened(log: Arc<MemoryLog>, capacity: usize, clock: Clock) -> Outbox<MemoryLog> {
    Outbox::new(log, Topics::new("home").unwrap(), capacity, Duration::from_secs(10), clock)
}

/// A request of this rid.
pub(crate) fn by(rid: &str) -> Request {
    Request { rid: rid.into(), page_id: "p".into(), ..Request::default() }
}

fn topics(publications: &[Publication]) -> Vec<String> {
    publications.iter().map(Publication::topic).collect()
}

fn orders(ids: &[&str]) -> Vec<Instruct> {
    let order =
        |id: &&str| Instruct { id: id.to_string(), state: None, command: None, summary: String::new(), noop: false };
    ids.iter().map(order).collect()
}

#[tokio::test]
async fn instructs_are_written_before_they_are_handed_out() {
    let outbox = outbox(MemoryLog::default(), 8);
    let publications = outbox.accept(&by("r"), &orders(&["a", "b"]), None).await.unwrap();
    let topics: Vec<_> = publications.iter().map(Publication::topic).collect();
    assert_eq!(topics, ["zhiju/home/instruct/a", "zhiju/home/instruct/b"]);
    let rows = outbox.log.rows().unwrap();
    assert_eq!(rows.len(), 2);
    assert!(rows[0].1.ends_with(publications[0].payload()));
    let payload: serde_json::Value = serde_json::from_slice(publications[0].payload()).unwrap();
    assert_eq!((&payload["id"], &payload["ts"]), (&"a".into(), &NOON.into()));
}

#[tokio::test]
async fn settled_rows_leave_and_make_room() {
    let outbox = outbox(MemoryLog::default(), 2);
    let mut publications = outbox.accept(&by("r"), &orders(&["a", "b"]), None).await.unwrap();
    let full = outbox.accept(&by("r"), &orders(&["c"]), None).await;
    assert!(matches!(full, Err(OutboxError::Full { wanted: 1, left: 0 })));
    let (settled, receiver) = mpsc::channel(2);
    settled.try_send((publications.remove(0).row.take().unwrap(), Fate::Delivered)).unwrap();
    drop(settled);
    outbox.sweep(receiver).await;
    assert_eq!(outbox.log.rows().unwrap().len(), 1);
    outbox.accept(&by("r"), &orders(&["c"]), None).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_leaves_no_instruct_behind() {
    let outbox = outbox(MemoryLog { full: true, ..MemoryLog::default() }, 8);
    assert!(matches!(outbox.accept(&by("r"), &orders(&["a", "b"]), None).await, Err(OutboxError::Log(_))));
    assert!(outbox.log.rows().unwrap().is_empty());
    assert_eq!(outbox.room.available_permits(), 8);
}

#[tokio::test]
async fn a_restart_gives_what_is_fresh_and_drops_what_is_not() {
    let log = Arc::new(MemoryLog::default());
    let clock = Clock::by_hand("boot", 0, NOON);
    let first = opened(Arc::clone(&log), 8, clock.clone());
    first.accept(&by("old"), &orders(&["a"]), None).await.unwrap();
    clock.advance(Duration::from_secs(5));
    let given = first.accept(&by("fresh"), &orders(&["b"]), None).await.unwrap();
    log.push(b"no json").unwrap();
    log.push(br#"{"rid":"of the version before","id":"c","ts":1800000005000}"#).unwrap();
    clock.advance(Duration::from_secs(5));
    let again = opened(Arc::clone(&log), 8, clock).restore().unwrap();
    assert_eq!(topics(&again), ["zhiju/home/instruct/b"]);
    assert_eq!(again[0].payload(), given[0].payload());
    assert_eq!(log.rows().unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_promised_before_a_power_cut_is_dropped_though_the_wall_clock_stood_still() {
    let log = Arc::new(MemoryLog::default());
    let before = opened(Arc::clone(&log), 8, Clock::by_hand("before", 60_000, NOON));
    before.accept(&by("r"), &orders(&["a", "b", "c", "d"]), None).await.unwrap();
    // Half a minute without power: the wall clock goes on where it stopped, and the count is as far as it was.
    let after = opened(Arc::clone(&log), 8, Clock::by_hand("after", 60_500, NOON + 500));
    assert!(after.restore().unwrap().is_empty());
    assert!(log.rows().unwrap().is_empty());
    assert_eq!(after.waiting(), 0);
}

#[tokio::test]
async fn a_wall_clock_that_jumps_neither_keeps_nor_drops_an_instruct() {
    for wall_ms in [0, NOON - 3_600_000, NOON + 3_600_000] {
        let log = Arc::new(MemoryLog::default());
        let clock = Clock::by_hand("boot", 1_000, NOON);
        let outbox = opened(Arc::clone(&log), 8, clock.clone());
        let given = outbox.accept(&by("r"), &orders(&["a"]), None).await.unwrap();
        clock.set_wall(wall_ms);
        assert_eq!(outbox.expires_ms(), 11_000);
        drop(given);
        clock.advance(Duration::from_millis(9_999));
        assert_eq!(opened(Arc::clone(&log), 8, clock.clone()).restore().unwrap().len(), 1, "{wall_ms}");
        clock.advance(Duration::from_millis(1));
        assert!(opened(Arc::clone(&log), 8, clock.clone()).restore().unwrap().is_empty(), "{wall_ms}");
    }
}

#[tokio::test]
async fn a_device_without_a_topic_is_left_out() {
    let outbox = outbox(MemoryLog::default(), 8);
    let publications = outbox.accept(&by("r"), &orders(&["a/b", "c"]), None).await.unwrap();
    assert_eq!(publications.len(), 1);
}

/// That a lock and a lamp were told to move.
fn risky(devices: &[&str]) -> Option<Entry> {
    let request = Request { rid: "r".into(), page_id: "p".into(), ..Request::default() };
    Some(Entry::new(Step::Ordered, &request, "", devices.iter().map(ToString::to_string).collect(), 0))
}

fn trail(log: &MemoryLog) -> Vec<(Step, String)> {
    let rows = log.audited().unwrap();
    let entries = rows.iter().map(|row| serde_json::from_slice::<Entry>(row).unwrap());
    entries.map(|entry| (entry.step, entry.devices.join(" "))).collect()
}

#[tokio::test]
async fn the_trail_says_what_became_of_each_risky_order() {
    let outbox = outbox(MemoryLog::default(), 8);
    let given = orders(&["lock", "lamp", "gate", "oven"]);
    let mut publications = outbox.accept(&by("r"), &given, risky(&["lock", "gate", "oven"])).await.unwrap();
    assert_eq!(trail(&outbox.log), [(Step::Ordered, "lock gate oven".into())]);
    let (settled, receiver) = mpsc::channel(8);
    for fate in [Fate::Delivered, Fate::Delivered, Fate::Expired, Fate::Refused("no".into())] {
        settled.try_send((publications.remove(0).row.take().unwrap(), fate)).unwrap();
    }
    drop(settled);
    outbox.sweep(receiver).await;
    let ended = [(Step::Moved, "lock".into()), (Step::Expired, "gate".into()), (Step::Refused, "oven".into())];
    assert_eq!(trail(&outbox.log)[1..], ended);
}

#[tokio::test]
async fn nothing_risky_moves_without_its_entry() {
    let outbox = outbox(MemoryLog { no_trail: true, ..MemoryLog::default() }, 8);
    let refused = outbox.accept(&by("r"), &orders(&["lamp", "lock"]), risky(&["lock"])).await.unwrap_err();
    assert!(matches!(&refused, OutboxError::Audit(_)) && refused.to_string().contains("nothing was done"));
    assert!(outbox.log.rows().unwrap().is_empty());
    // What is not risky needs none.
    outbox.accept(&by("r"), &orders(&["lamp"]), None).await.unwrap();
}

#[tokio::test]
async fn what_is_refused_is_not_said_to_have_moved() {
    let full = outbox(MemoryLog::default(), 0);
    full.accept(&by("r"), &orders(&["lock"]), risky(&["lock"])).await.unwrap_err();
    assert_eq!(trail(&full.log), [(Step::Refused, "lock".into())]);
    let broken = outbox(MemoryLog { full: true, ..MemoryLog::default() }, 8);
    broken.accept(&by("r"), &orders(&["lock"]), risky(&["lock"])).await.unwrap_err();
    assert_eq!(trail(&broken.log)[1..], [(Step::Refused, "lock".into())]);
}

#[tokio::test]
async fn what_grew_too_old_while_the_daemon_was_down_did_not_move() {
    let past_its_time = Clock::by_hand("boot", 11_000, NOON + 10_000);
    // After a start of the machine nothing tells how old it is.
    let another_boot = Clock::by_hand("another", 1_500, NOON + 500);
    for clock in [past_its_time, another_boot] {
        let log = Arc::new(MemoryLog::default());
        let first = opened(Arc::clone(&log), 8, Clock::by_hand("boot", 1_000, NOON));
        first.accept(&by("r"), &orders(&["lock", "lamp"]), risky(&["lock"])).await.unwrap();
        let second = opened(Arc::clone(&log), 8, clock.clone());
        assert!(second.restore().unwrap().is_empty());
        assert_eq!(trail(&log)[1..], [(Step::Expired, "lock".into())]);
        let expired: Entry = serde_json::from_slice(&log.audited().unwrap()[1]).unwrap();
        assert_eq!(expired.ts, clock.wall_ms());
    }
}

#[tokio::test]
async fn a_risky_order_of_the_version_before_is_said_not_to_have_moved() {
    let log = Arc::new(MemoryLog::default());
    risky(&["lock"]).unwrap().rows().iter().for_each(|row| log.audit(row).unwrap());
    log.push(br#"{"rid":"r","id":"lock","ts":1800000000000}"#).unwrap();
    let clock = Clock::by_hand("boot", 1_000, NOON);
    assert!(opened(Arc::clone(&log), 8, clock).restore().unwrap().is_empty());
    assert_eq!(trail(&log)[1..], [(Step::Expired, "lock".into())]);
}

#[tokio::test]
async fn more_than_would_ever_fit_is_given_when_nothing_else_waits() {
    let outbox = outbox(MemoryLog::default(), 2);
    let one = outbox.accept(&by("r"), &orders(&["x"]), None).await.unwrap();
    let many = orders(&["a", "b", "c"]);
    assert!(matches!(outbox.accept(&by("r"), &many, None).await, Err(OutboxError::Full { wanted: 3, left: 1 })));
    drop(one);
    assert_eq!(outbox.accept(&by("r"), &many, None).await.unwrap().len(), 3);
    // None of them is left behind by a restart.
    assert_eq!(outbox.restore().unwrap().len(), 4);
}

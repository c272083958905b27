//! Each row is settled exactly once, whatever the broker does.

mod hubs;

use proptest::prelude::*;

use super::*;

const TTL: u64 = 10_000;

fn instruct(seq: u64, expires_ms: u64) -> Publication {
    Publication::new(format!("i/{seq}"), vec![]).durable(Row { seq, permit: None }, expires_ms)
}

fn connected(window: u16) -> Delivery {
    let mut delivery = Delivery::new();
    delivery.on_connected(false, window);
    delivery
}

/// Hands everything that fits to rumqttc and returns the topics.
fn pump(delivery: &mut Delivery, now_ms: u64) -> Vec<String> {
    let mut settled = Vec::new();
    let packets = std::iter::from_fn(|| delivery.next(now_ms, &mut settled));
    packets.map(|p| String::from_utf8(p.topic.to_vec()).unwrap()).collect()
}

fn acknowledge(delivery: &mut Delivery, id: u16, reason: PubAckReason) -> Option<u64> {
    match delivery.on_acknowledged(id, reason, 0) {
        Some(Settled::Delivered(row)) => Some(row.seq),
        _ => None,
    }
}

#[test]
fn a_row_is_delivered_when_its_own_packet_id_is_acknowledged() {
    let mut delivery = connected(8);
    delivery.push(instruct(1, TTL));
    delivery.push(Publication::new("plain".into(), vec![]));
    delivery.push(instruct(2, TTL));
    assert_eq!(pump(&mut delivery, 0), ["i/1", "plain", "i/2"]);
    for id in [7, 8, 9] {
        delivery.on_sent(id);
    }
    assert_eq!(acknowledge(&mut delivery, 9, PubAckReason::Success), Some(2));
    assert_eq!(acknowledge(&mut delivery, 8, PubAckReason::Success), None);
    assert_eq!(acknowledge(&mut delivery, 7, PubAckReason::Success), Some(1));
    assert_eq!(acknowledge(&mut delivery, 7, PubAckReason::Success), None);
    assert!(delivery.is_idle());
}

#[test]
fn no_more_than_the_window_is_outstanding() {
    let mut delivery = connected(2);
    for seq in 0..5 {
        delivery.push(instruct(seq, TTL));
    }
    assert_eq!(pump(&mut delivery, 0), ["i/0", "i/1"]);
    delivery.on_sent(1);
    delivery.on_acknowledged(1, PubAckReason::Success, 0);
    assert_eq!(pump(&mut delivery, 0), ["i/2"]);
}

#[test]
fn nothing_is_published_without_a_connection() {
    let mut delivery = Delivery::new();
    delivery.push(instruct(1, TTL));
    assert!(pump(&mut delivery, 0).is_empty());
    assert!(!delivery.is_hungry());
}

#[test]
fn what_was_not_acknowledged_is_published_again_in_order() {
    let mut delivery = connected(3);
    for seq in 0..4 {
        delivery.push(instruct(seq, TTL));
    }
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    delivery.on_sent(2);
    delivery.on_acknowledged(1, PubAckReason::Success, 0);
    delivery.on_lost(1);
    delivery.on_connected(true, 64);
    assert_eq!(pump(&mut delivery, 1), ["i/1", "i/2", "i/3"]);
}

#[test]
fn a_broker_that_lost_the_session_is_given_again_what_it_acknowledged_last() {
    let mut delivery = connected(3);
    for seq in 0..3 {
        delivery.push(instruct(seq, TTL));
    }
    pump(&mut delivery, 0);
    for id in 1..=3 {
        delivery.on_sent(id);
    }
    delivery.on_acknowledged(1, PubAckReason::Success, 100);
    delivery.on_acknowledged(2, PubAckReason::Success, 4_000);
    delivery.on_lost(5_000);
    delivery.on_connected(false, 64);
    assert_eq!(pump(&mut delivery, 5_000), ["i/1", "i/2"]);
}

#[test]
fn what_is_given_again_waits_for_a_listener_too() {
    let mut delivery = connected(3);
    delivery.push(instruct(0, TTL));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    assert_eq!(acknowledge(&mut delivery, 1, PubAckReason::Success), Some(0));
    delivery.on_lost(100);
    delivery.on_connected(false, 64);
    assert_eq!(pump(&mut delivery, 100), ["i/0"]);
    delivery.on_sent(1);
    delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 100);
    assert_eq!(pump(&mut delivery, 100 + UNHEARD_MS), ["i/0"]);
}

#[test]
fn stale_instructs_are_never_published() {
    let mut delivery = connected(8);
    delivery.push(instruct(1, 500));
    delivery.push(instruct(2, 501));
    let mut settled = Vec::new();
    let packet = delivery.next(500, &mut settled).unwrap();
    assert_eq!(packet.topic, "i/2");
    assert_eq!(packet.properties.unwrap().message_expiry_interval, Some(1));
    assert!(matches!(&settled[..], [Settled::Expired(p)] if p.topic() == "i/1"));
}

fn to(device: &str, seq: u64) -> Publication {
    Publication::new(device.into(), vec![]).durable(Row { seq, permit: None }, TTL)
}

#[test]
fn an_instruct_that_nobody_heard_is_given_before_a_newer_one_for_the_same_device() {
    let mut delivery = connected(8);
    delivery.push(to("lamp", 1));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 0);
    // Somebody listens by now.
    delivery.push(to("lamp", 2));
    delivery.push(to("fan", 3));
    assert_eq!(pump(&mut delivery, 1), ["fan"]);
    assert_eq!(pump(&mut delivery, UNHEARD_MS), ["lamp"]);
    delivery.on_sent(2);
    delivery.on_sent(3);
    assert_eq!(acknowledge(&mut delivery, 3, PubAckReason::Success), Some(1));
    assert_eq!(pump(&mut delivery, UNHEARD_MS), ["lamp"]);
    delivery.on_sent(4);
    assert_eq!(acknowledge(&mut delivery, 4, PubAckReason::Success), Some(2));
}

#[test]
fn what_nobody_heard_is_tried_at_once_on_the_next_connection() {
    let mut delivery = connected(8);
    delivery.push(to("lamp", 1));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 0);
    delivery.push(to("lamp", 2));
    assert!(pump(&mut delivery, 1).is_empty());
    delivery.on_lost(2);
    delivery.on_connected(true, 8);
    assert_eq!(pump(&mut delivery, 2), ["lamp"]);
    delivery.on_sent(1);
    assert_eq!(acknowledge(&mut delivery, 1, PubAckReason::Success), Some(1));
}

#[test]
fn an_answer_that_comes_too_late_is_dropped_or_says_so() {
    let mut delivery = connected(8);
    delivery.push(Publication::new("reply".into(), b"on it".to_vec()).fresh_until(500));
    delivery.push(Publication::new("finish".into(), b"done".to_vec()).or_late(500, b"not done".to_vec()));
    let mut settled = Vec::new();
    let packet = delivery.next(500, &mut settled).unwrap();
    assert_eq!((&packet.topic[..], &packet.payload[..]), (&b"finish"[..], &b"not done"[..]));
    assert!(matches!(&settled[..], [Settled::Expired(p)] if p.topic() == "reply" && !p.is_instruct()));
    delivery.push(Publication::new("finish".into(), b"done".to_vec()).or_late(500, b"not done".to_vec()));
    let packet = delivery.next(499, &mut settled).unwrap();
    assert_eq!(&packet.payload[..], b"done");
    assert!(packet.properties.is_none(), "the broker must not drop a finish frame");
}

#[test]
fn a_plain_message_that_nobody_heard_is_done() {
    let mut delivery = connected(8);
    delivery.push(Publication::new("plain".into(), vec![]));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    assert!(delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 0).is_none());
    assert_eq!(delivery.due_ms(), None);
}

#[test]
fn what_the_broker_refuses_is_not_repeated() {
    let mut delivery = connected(8);
    delivery.push(instruct(1, TTL));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    let settled = delivery.on_acknowledged(1, PubAckReason::NotAuthorized, 0);
    assert!(matches!(settled, Some(Settled::Refused(_, PubAckReason::NotAuthorized))));
    assert!(delivery.is_idle());
}

#[test]
fn a_status_is_not_repeated_on_the_next_connection() {
    let mut delivery = connected(8);
    delivery.push(Publication::new("status".into(), vec![]).of_this_connection());
    pump(&mut delivery, 0);
    delivery.on_lost(0);
    delivery.on_connected(false, 8);
    assert!(pump(&mut delivery, 0).is_empty());
}

proptest! {
    /// Whatever happens to the connection, every row ends exactly once, and only after its own acknowledgement.
    #[test]
    fn every_row_is_settled_exactly_once(script in prop::collection::vec((0u8..6, any::<bool>()), 0..400)) {
        let (mut delivery, mut settled, mut done) = (connected(5), Vec::new(), Vec::new());
        // A broker and a rumqttc of our own: what was handed over, and what has which packet id.
        let (mut handed, mut ids, mut next_id) = (VecDeque::new(), VecDeque::new(), 1u16);
        let mut pushed = 0u64;
        for (step, flag) in script.into_iter().chain(std::iter::repeat_n([(1, true), (2, true), (3, true)], 600).flatten()) {
            match step {
                0 if pushed < 64 => { delivery.push(instruct(pushed, TTL)); pushed += 1; }
                1 => while let Some(packet) = delivery.next(0, &mut settled) { handed.push_back(packet.topic) },
                2 => if let Some(topic) = handed.pop_front() {
                    delivery.on_sent(next_id);
                    ids.push_back((next_id, topic));
                    next_id = next_id % 60 + 1;
                },
                3 => if let Some((id, topic)) = ids.pop_front()
                    && let Some(Settled::Delivered(row)) = delivery.on_acknowledged(id, PubAckReason::Success, 0)
                {
                    let expected = format!("i/{}", row.seq);
                    prop_assert_eq!(expected.as_bytes(), &topic[..]);
                    done.push(row.seq);
                },
                4 => {
                    delivery.on_lost(0);
                    handed.clear();
                    ids.clear();
                    delivery.on_connected(flag, 5);
                }
                _ => {}
            }
        }
        done.sort_unstable();
        prop_assert_eq!(done, (0..pushed).collect::<Vec<_>>());
        prop_assert!(settled.is_empty());
    }

    /// Whoever listens or does not, and however often the connection breaks: no device gets an instruct after a newer one.
    #[test]
    fn each_device_gets_its_instructs_in_order(script in prop::collection::vec((0u8..6, 0u8..3), 0..400)) {
        let mut delivery = connected(4);
        let (mut handed, mut ids, mut next_id, mut now) = (0usize, VecDeque::new(), 1u16, 0u64);
        let (mut pushed, mut last, mut heard) = (0u64, HashMap::new(), 0u64);
        let drained = std::iter::repeat_n([(1, 0), (2, 0), (3, 0), (5, 2)], 400).flatten();
        for (step, flag) in script.into_iter().chain(drained) {
            match step {
                0 if pushed < 64 => {
                    delivery.push(Publication::new(format!("{flag}"), vec![]).durable(Row { seq: pushed, permit: None }, u64::MAX));
                    pushed += 1;
                }
                1 => while delivery.next(now, &mut Vec::new()).is_some() { handed += 1 },
                2 if handed > 0 => {
                    handed -= 1;
                    delivery.on_sent(next_id);
                    ids.push_back(next_id);
                    next_id = next_id % 60 + 1;
                }
                3 => if let Some(id) = ids.pop_front() {
                    let topic = delivery.in_flight[&id].topic();
                    let reason = if flag == 0 { PubAckReason::Success } else { PubAckReason::NoMatchingSubscribers };
                    if let Some(Settled::Delivered(row)) = delivery.on_acknowledged(id, reason, now) {
                        heard += 1;
                        let before = last.insert(topic, row.seq);
                        prop_assert!(before.is_none_or(|before| before < row.seq));
                    }
                },
                4 => {
                    delivery.on_lost(now);
                    (handed, ids) = (0, VecDeque::new());
                    delivery.on_connected(true, 4);
                }
                5 => now += 5_000 * u64::from(flag),
                _ => {}
            }
        }
        prop_assert_eq!(heard, pushed);
    }
}

#[test]
fn without_a_broker_what_is_stale_makes_room_and_what_is_kept_there_is_kept_once() {
    let mut delivery = Delivery::new();
    delivery.push(Publication::new("jobs".into(), b"old".to_vec()).retained());
    delivery.push(instruct(1, 500));
    delivery.push(Publication::new("finish".into(), b"done".to_vec()).or_late(500, b"late".to_vec()));
    delivery.push(Publication::new("jobs".into(), b"new".to_vec()).retained());
    let mut settled = Vec::new();
    assert!(!delivery.age(499, &mut settled), "something fresh waits");
    assert!(settled.is_empty());
    assert!(delivery.age(500, &mut settled));
    assert!(matches!(&settled[..], [Settled::Expired(p)] if p.topic() == "i/1"));
    delivery.on_connected(true, 8);
    let packets = std::iter::from_fn(|| delivery.next(600, &mut settled));
    let packets: Vec<Vec<u8>> = packets.map(|p| p.payload.to_vec()).collect();
    assert_eq!(packets, [b"late".to_vec(), b"new".to_vec()]);
}

#[test]
fn what_never_grows_stale_is_bounded_without_a_broker() {
    let mut delivery = Delivery::new();
    let mut taken = 0;
    while delivery.age(0, &mut Vec::new()) {
        delivery.push(Publication::new(format!("{taken}"), vec![]));
        taken += 1;
    }
    assert_eq!(taken, MAX_AWAY);
}

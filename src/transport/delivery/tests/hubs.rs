//! What hubs are told beside the instructs.

use super::*;

fn native(topic: &str, seq: u64, device: &str) -> Publication {
    Publication::new(topic.into(), vec![]).durable(Row { seq, permit: None }, TTL).on_lane(format!("\0{device}"))
}

#[test]
fn what_a_hub_is_told_of_a_device_is_told_in_order_whatever_the_topics() {
    let mut delivery = connected(8);
    for (topic, seq, device) in [("power", 1, "a"), ("level", 2, "a"), ("power", 3, "b")] {
        delivery.push(native(topic, seq, device));
    }
    assert_eq!(pump(&mut delivery, 0), ["power", "power"]);
    delivery.on_sent(1);
    delivery.on_sent(2);
    acknowledge(&mut delivery, 1, PubAckReason::NoMatchingSubscribers);
    assert!(pump(&mut delivery, 0).is_empty(), "the second waits for the first to be heard");
    assert_eq!(pump(&mut delivery, UNHEARD_MS), ["power"]);
    delivery.on_sent(3);
    assert_eq!(acknowledge(&mut delivery, 3, PubAckReason::Success), Some(1));
    assert_eq!(pump(&mut delivery, UNHEARD_MS), ["level"]);
}

#[test]
fn an_instruct_on_the_side_needs_no_listener() {
    let mut delivery = connected(8);
    delivery.push(instruct(1, TTL).aside(true));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    assert_eq!(acknowledge(&mut delivery, 1, PubAckReason::NoMatchingSubscribers), Some(1));
    assert!(delivery.is_idle() && delivery.due_ms().is_none());
}

#[test]
fn what_may_have_arrived_is_not_published_twice_if_it_must_not_be() {
    let mut delivery = connected(2);
    for seq in 1..=3 {
        delivery.push(native("toggle", seq, &seq.to_string()).once(true));
    }
    assert_eq!(pump(&mut delivery, 0).len(), 2);
    delivery.on_sent(1);
    let unanswered: Vec<_> = delivery.on_lost(0).into_iter().map(seq_of_unanswered).collect();
    assert_eq!(unanswered, [Some(1), Some(2)]);
    // The third was never handed over.
    delivery.on_connected(false, 2);
    assert_eq!(pump(&mut delivery, 0).len(), 1);
    delivery.on_sent(1);
    assert_eq!(acknowledge(&mut delivery, 1, PubAckReason::Success), Some(3));
    // A broker that forgot what it took is not told again, either.
    assert!(delivery.on_lost(0).is_empty());
    delivery.on_connected(false, 2);
    assert!(pump(&mut delivery, 0).is_empty());
}

#[test]
fn what_must_not_be_said_twice_is_said_again_if_nobody_heard_it() {
    let mut delivery = connected(2);
    delivery.push(native("toggle", 1, "a").once(true));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    acknowledge(&mut delivery, 1, PubAckReason::NoMatchingSubscribers);
    assert!(delivery.on_lost(0).is_empty());
    delivery.on_connected(true, 2);
    assert_eq!(pump(&mut delivery, 0), ["toggle"]);
}

fn seq_of_unanswered(settled: Settled) -> Option<u64> {
    match settled {
        Settled::Unanswered(publication) => publication.row.map(|row| row.seq),
        _ => None,
    }
}

#[test]
fn an_instruct_that_nobody_heard_is_given_again_while_it_is_fresh() {
    let mut delivery = connected(8);
    delivery.push(instruct(1, 1_000));
    pump(&mut delivery, 0);
    delivery.on_sent(1);
    assert!(delivery.on_acknowledged(1, PubAckReason::NoMatchingSubscribers, 0).is_none());
    assert!(delivery.is_idle());
    assert_eq!(delivery.due_ms(), Some(UNHEARD_MS));
    assert!(pump(&mut delivery, UNHEARD_MS - 1).is_empty());
    assert_eq!(pump(&mut delivery, UNHEARD_MS), ["i/1"]);
    delivery.on_sent(2);
    delivery.on_acknowledged(2, PubAckReason::NoMatchingSubscribers, UNHEARD_MS);
    let mut settled = Vec::new();
    assert!(delivery.next(5_000, &mut settled).is_none());
    assert!(matches!(settled[..], [Settled::Expired(_)]));
}

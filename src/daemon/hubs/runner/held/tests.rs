use super::*;

#[test]
fn a_hub_whose_devices_keep_changing_is_asked_ever_more_seldom() {
    let (mut pace, mut now) = (Pace::default(), Instant::now());
    assert_eq!(pace.earliest(now), now);
    let mut waits = Vec::new();
    for _ in 0..10 {
        pace.changed(now);
        waits.push(pace.earliest(now) - now);
        now = pace.earliest(now);
    }
    assert_eq!((waits[0], waits[1], waits[9]), (QUIET, QUIET * 2, SELDOM));
    now += SELDOM * 3;
    pace.changed(now);
    assert_eq!(pace.earliest(now) - now, QUIET, "it was quiet for long");
}

#[test]
fn what_waits_for_devices_to_come_is_bounded_and_the_newest() {
    let mut held = Held::default();
    let state = |n: usize| State::from([("p".to_owned(), serde_json::Value::from("x".repeat(n)))]);
    for _ in 0..100_000 {
        held.hold_state("a".into(), state(7), 1);
    }
    assert_eq!((held.states.len(), held.bytes), (1, weight(&state(7))));
    held.hold_state("b".into(), state(MAX_HELD_BYTES), 1);
    for id in 0..2 * MAX_HELD {
        held.hold_state(id.to_string(), state(1), 1);
        held.hold_online(id.to_string(), true);
    }
    assert_eq!((held.states.len(), held.online.len()), (MAX_HELD, MAX_HELD));
    assert!(!held.states.contains_key("b") && held.bytes <= MAX_HELD_BYTES);
}

use serde_json::json;

use super::*;
use crate::home::{Device, Registry, parse};

const WINDOW: u64 = 3_000;
const TTL: u64 = 10_000;
const SENT: u64 = 1_000;

fn registry() -> Registry {
    let home = json!({
        "layout": ["客厅"],
        "model": {"m": {"property": {
            "power": {"type": "bool"},
            "level": {"type": "uint", "min": 0, "max": 100, "unit": "%"},
        }}},
        "devices": [
            {"id": "lamp", "name": "灯", "local": "客厅", "device": {"model": "m", "state": {"power": false}}},
            {"id": "ha:lamp", "name": "吊灯", "local": "客厅", "device": {"model": "m"}},
        ],
    });
    let registry = Registry::in_memory(parse(&home).unwrap().0);
    report(&registry, "lamp", json!({"power": false, "level": 30}), 10);
    registry
}

fn report(registry: &Registry, device: &str, values: Value, now_ms: u64) {
    registry.merge_state(device, &serde_json::from_value(values).unwrap(), now_ms).unwrap();
}

fn order(number: u64, device: &str, wanted: Value) -> Given {
    let wanted = serde_json::from_value(wanted).unwrap();
    Given { number, device: device.into(), wanted, noop: false, hub: device.starts_with("ha:"), ordered: None }
}

fn follow(given: Vec<Given>) -> Follow {
    // What is called a curtain takes its time.
    let takes = |device: &Device| Duration::from_secs(if device.name.ends_with("帘") { 30 } else { 0 });
    let follow = Follow::new(Duration::from_millis(WINDOW), Duration::from_millis(TTL), Box::new(takes));
    follow.given(&asked("r"), given, SENT);
    follow
}

#[test]
fn what_moves_slowly_and_says_nothing_on_its_way_is_not_called_silent_before_its_time() {
    let home = json!({"model": {"m": {"property": {"action": {"type": "enum", "range": [{"value": "open"}, {"value": "close"}]}}}},
        "devices": [{"id": "ha:curtain", "name": "窗帘", "device": {"model": "m"}}]});
    let registry = Registry::in_memory(parse(&home).unwrap().0);
    report(&registry, "ha:curtain", json!({"action": "close"}), 10);
    for looked_before in [true, false] {
        let follow = follow_one(order(1, "ha:curtain", json!({"action": "open"})));
        if looked_before {
            follow.look(&registry.snapshot(), SENT);
        }
        follow.ended([(1, Fate::Delivered)], SENT + 1_000);
        assert_eq!(follow.look(&registry.snapshot(), SENT + 1_000), News::default());
        assert_eq!(follow.due_ms(), Some(SENT + 31_000));
        assert_eq!(follow.look(&registry.snapshot(), SENT + 30_999), News::default());
        assert_eq!(told(&follow.look(&registry.snapshot(), SENT + 31_000)), [("ha:curtain", Verdict::Silent, 31_000)]);
        // What was never said is not waited for.
        let expired = follow_one(order(1, "ha:curtain", json!({"action": "open"})));
        expired.ended([(1, Fate::Expired)], SENT + TTL);
        assert_eq!(told(&expired.look(&registry.snapshot(), SENT + TTL)), [("ha:curtain", Verdict::Silent, TTL)]);
    }
}

fn asked(rid: &str) -> Request {
    Request { rid: rid.into(), origin: Origin::satellite("kitchen"), ..Request::default() }
}

/// What is told now: device, verdict and milliseconds.
fn told(news: &News) -> Vec<(&str, Verdict, u64)> {
    news.outcomes.iter().map(|outcome| (outcome.device.as_str(), outcome.verdict, outcome.ms)).collect()
}

#[test]
fn a_device_that_says_so_has_done_it() {
    let registry = registry();
    let follow = follow(vec![order(1, "lamp", json!({"power": true, "level": 50}))]);
    follow.ended([(1, Fate::Delivered)], SENT + 5);
    assert_eq!(follow.look(&registry.snapshot(), SENT + 5), News::default());
    report(&registry, "lamp", json!({"power": true}), SENT + 100);
    assert_eq!(follow.look(&registry.snapshot(), SENT + 100), News::default(), "half of it is not it");
    report(&registry, "lamp", json!({"level": 51}), SENT + 200);
    let news = follow.look(&registry.snapshot(), SENT + 210);
    assert_eq!(told(&news), [("lamp", Verdict::Confirmed, 210)]);
    assert_eq!(
        news.outcomes[0].payload(),
        json!({"rid": "r", "id": "lamp", "result": "confirmed", "state": {"power": true, "level": 51}, "ms": 210})
    );
    assert!(news.failed.is_empty() && follow.due_ms().is_none());
}

#[test]
fn what_a_device_said_before_it_was_told_confirms_nothing() {
    let registry = registry();
    report(&registry, "lamp", json!({"power": true}), SENT - 1);
    let follow = follow(vec![order(1, "lamp", json!({"power": true}))]);
    follow.ended([(1, Fate::Delivered)], SENT);
    let news = follow.look(&registry.snapshot(), SENT + WINDOW);
    assert_eq!(told(&news), [("lamp", Verdict::Silent, WINDOW)]);
    // Said once more it counts, though it is as it was.
    let again = follow_one(order(2, "lamp", json!({"power": true})));
    again.ended([(2, Fate::Delivered)], SENT);
    report(&registry, "lamp", json!({"power": true}), SENT + 1);
    assert_eq!(told(&again.look(&registry.snapshot(), SENT + 1))[0].1, Verdict::Confirmed);
}

fn follow_one(given: Given) -> Follow {
    follow(vec![given])
}

#[test]
fn a_silent_device_is_told_of_when_its_window_closes() {
    let registry = registry();
    let follow = follow(vec![order(1, "lamp", json!({"power": true}))]);
    follow.look(&registry.snapshot(), SENT);
    // The window opens when it was told and not when it was decided.
    follow.ended([(1, Fate::Delivered)], SENT + 5_000);
    assert_eq!(follow.due_ms(), Some(SENT + 5_000 + WINDOW));
    assert_eq!(follow.look(&registry.snapshot(), SENT + 5_000 + WINDOW - 1), News::default());
    let news = follow.look(&registry.snapshot(), SENT + 5_000 + WINDOW);
    assert_eq!(told(&news), [("lamp", Verdict::Silent, 5_000 + WINDOW)]);
    let failed = &news.failed[..];
    assert!(matches!(failed, [Failed { silent, .. }] if silent == &["lamp"]), "{failed:?}");
}

#[test]
fn a_device_of_a_document_that_never_told_anything_is_not_complained_of() {
    let home = json!({
        "layout": ["客厅"],
        "model": {"m": {"property": {"power": {"type": "bool"}}}},
        "devices": [{"id": "lamp", "name": "灯", "local": "客厅", "device": {"model": "m", "state": {"power": false}}}],
    });
    let registry = Registry::in_memory(parse(&home).unwrap().0);
    let follow = follow(vec![order(1, "lamp", json!({"power": true}))]);
    follow.ended([(1, Fate::Delivered)], SENT);
    assert_eq!(follow.look(&registry.snapshot(), SENT + WINDOW), News::default());
    assert_eq!(follow.due_ms(), None);
}

#[test]
fn a_device_of_a_hub_is_held_to_it_though_it_never_told_anything() {
    let registry = registry();
    let follow = follow(vec![order(1, "ha:lamp", json!({"power": true}))]);
    follow.ended([(1, Fate::Unanswered)], SENT);
    assert_eq!(told(&follow.look(&registry.snapshot(), SENT + WINDOW)), [("ha:lamp", Verdict::Silent, WINDOW)]);
}

#[test]
fn a_command_that_its_hub_never_answered_is_told_of() {
    let registry = registry();
    let follow = follow(vec![order(1, "ha:lamp", json!({}))]);
    follow.ended([(1, Fate::Unanswered)], SENT + 7);
    let news = follow.look(&registry.snapshot(), SENT + 9);
    assert_eq!(told(&news), [("ha:lamp", Verdict::Silent, 9)]);
    assert_eq!(news.failed[0].silent, ["ha:lamp"]);
}

#[test]
fn a_command_has_no_outcome_unless_it_is_refused() {
    let registry = registry();
    let orders = vec![order(1, "lamp", json!({})), order(2, "ha:lamp", json!({}))];
    let follow = follow(orders);
    follow.ended([(1, Fate::Delivered), (2, Fate::Refused("not allowed\u{202e}".into()))], SENT + 7);
    let news = follow.look(&registry.snapshot(), SENT + 9);
    assert_eq!(told(&news), [("ha:lamp", Verdict::Rejected, 7)]);
    assert_eq!(news.outcomes[0].payload()["reason"], "not allowed");
    assert_eq!(news.failed[0].rejected, ["ha:lamp"]);
}

#[test]
fn what_was_never_told_is_silent() {
    let registry = registry();
    let expired = follow_one(order(1, "lamp", json!({"power": true})));
    expired.ended([(1, Fate::Expired)], SENT + TTL);
    assert_eq!(told(&expired.look(&registry.snapshot(), SENT + TTL)), [("lamp", Verdict::Silent, TTL)]);
    // And so is what nobody heard of again.
    let lost = follow_one(order(1, "lamp", json!({"power": true})));
    assert_eq!(lost.look(&registry.snapshot(), SENT + TTL), News::default());
    assert_eq!(told(&lost.look(&registry.snapshot(), SENT + TTL + WINDOW))[0].1, Verdict::Silent);
}

#[test]
fn what_comes_nearer_is_waited_for_and_others_are_told_of_meanwhile() {
    let registry = registry();
    report(&registry, "ha:lamp", json!({"level": 0}), 10);
    let follow = follow(vec![order(1, "ha:lamp", json!({"level": 100})), order(2, "lamp", json!({"power": true}))]);
    follow.look(&registry.snapshot(), SENT);
    follow.ended([(1, Fate::Delivered), (2, Fate::Delivered)], SENT);
    report(&registry, "ha:lamp", json!({"level": 20}), SENT + 2_000);
    assert_eq!(follow.look(&registry.snapshot(), SENT + 2_000), News::default());
    let news = follow.look(&registry.snapshot(), SENT + WINDOW);
    assert_eq!(told(&news), [("lamp", Verdict::Silent, WINDOW)]);
    assert_eq!(news.failed[0].silent, ["lamp"]);
    report(&registry, "ha:lamp", json!({"level": 60}), SENT + 4_500);
    assert_eq!(follow.look(&registry.snapshot(), SENT + 4_600), News::default());
    assert_eq!(follow.look(&registry.snapshot(), SENT + 7_500), News::default());
    let news = follow.look(&registry.snapshot(), SENT + 7_600);
    assert_eq!(told(&news), [("ha:lamp", Verdict::Silent, 7_600)], "it stopped on the way");
    assert_eq!(news.failed[0].silent, ["ha:lamp"]);
}

#[test]
fn an_order_that_a_newer_one_overtakes_is_not_complained_of() {
    let registry = registry();
    let follow = follow(vec![order(1, "lamp", json!({"power": true}))]);
    follow.ended([(1, Fate::Delivered)], SENT);
    let off = Given { noop: true, ..order(2, "lamp", json!({"power": false})) };
    follow.given(&asked("r2"), vec![off], SENT + 1);
    assert_eq!(follow.look(&registry.snapshot(), SENT + WINDOW + 1), News::default());
    assert_eq!(follow.due_ms(), None);
}

#[test]
fn what_left_the_home_is_not_complained_of() {
    let follow = follow_one(order(1, "lamp", json!({"power": true})));
    follow.ended([(1, Fate::Delivered)], SENT);
    assert_eq!(follow.look(&Snapshot::default(), SENT + WINDOW), News::default());
    assert_eq!(follow.due_ms(), None);
}

#[test]
fn a_request_is_told_of_as_a_whole() {
    let registry = registry();
    let follow = follow(vec![order(1, "lamp", json!({"power": true})), order(2, "ha:lamp", json!({"power": true}))]);
    follow.ended([(2, Fate::Refused("no".into()))], SENT);
    follow.ended([(1, Fate::Delivered)], SENT);
    let news = follow.look(&registry.snapshot(), SENT);
    assert_eq!((told(&news)[0].1, news.failed.len()), (Verdict::Rejected, 0));
    let news = follow.look(&registry.snapshot(), SENT + WINDOW);
    let [failed] = &news.failed[..] else { panic!("{news:?}") };
    assert_eq!((&failed.silent[..], &failed.rejected[..]), (&["lamp".to_owned()][..], &["ha:lamp".to_owned()][..]));
}

#[test]
fn what_is_followed_is_bounded() {
    let registry = registry();
    let many = (0..10_000).map(|n| order(n, "lamp", json!({"power": true}))).collect();
    let follow = follow(many);
    follow.ended((0..10_000).map(|n| (n, Fate::Delivered)), SENT);
    assert_eq!(follow.look(&registry.snapshot(), SENT + WINDOW).outcomes.len(), 4_096);
}

#[test]
fn what_became_of_a_risky_order_goes_into_the_trail() {
    let registry = registry();
    let entry = Arc::new(Entry::new(Step::Ordered, &asked("r"), "", vec!["lamp".into(), "x".into()], 0));
    let follow = follow(vec![Given { ordered: Some(entry), ..order(1, "lamp", json!({"power": true})) }]);
    follow.ended([(1, Fate::Delivered)], SENT);
    report(&registry, "lamp", json!({"power": true}), SENT);
    let news = follow.look(&registry.snapshot(), SENT);
    let entry = news.outcomes[0].entry(7).unwrap();
    assert_eq!((entry.step, &entry.devices[..], entry.ts), (Step::Confirmed, &["lamp".to_owned()][..], 7));
}

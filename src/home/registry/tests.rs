use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::home::{MAX_DEVICES, MAX_TEXT_CHARS, State, parse, parse_text};
use crate::store::MAX_ROW_BYTES;

fn document(did: &str, max: u32) -> String {
    json!({
        "did": did,
        "layout": ["客厅"],
        "unknown": {"kept": true},
        "model": {"m": {"property": {
            "power": {"type": "bool"},
            "level": {"type": "uint", "max": max},
            "temperature": {"type": "float", "access": "read"},
        }}},
        "devices": [
            {"id": "a", "name": "灯", "local": "客厅", "device": {"model": "m", "state": {"power": false}}},
            {"id": "b", "name": "灯", "device": {"model": "m"}},
        ],
    })
    .to_string()
}

fn state(value: Value) -> State {
    value.as_object().unwrap().iter().map(|(k, v)| (k.clone(), v.clone())).collect()
}

fn values(registry: &Registry, id: &str) -> Value {
    let snapshot = registry.snapshot();
    let (index, _) = snapshot.home.device(id).unwrap();
    json!(snapshot.live.get(index).values)
}

#[test]
fn state_merges_and_what_does_not_fit_is_named() {
    let registry = Registry::default();
    registry.replace(&document("x", 100)).unwrap();
    let patch = state(json!({"level": 7, "temperature": 21.5, "power": "on", "no\n": 1}));
    let problems = registry.merge_state("a", &patch, 5).unwrap();
    assert_eq!(
        problems,
        ["\"no\\n\": the device has no such property", "\"power\": the property does not take this value"]
    );
    assert_eq!(values(&registry, "a"), json!({"power": false, "level": 7, "temperature": 21.5}));
    let error = registry.merge_state("x\ny", &patch, 5).unwrap_err();
    assert_eq!(error.to_string(), "there is no device \"x\\ny\"");
}

#[test]
fn a_report_without_one_good_value_does_not_count_as_fresh() {
    let registry = Registry::default();
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("a", &state(json!({"level": 101})), 5).unwrap();
    assert_eq!(registry.snapshot().live.get(0).last_reported_ms(), None);
}

#[test]
fn each_property_is_as_old_as_its_own_last_report() {
    let registry = Registry::default();
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("a", &state(json!({"temperature": 20, "power": true})), 5).unwrap();
    registry.merge_state("a", &state(json!({"power": true})), 900).unwrap();
    let snapshot = registry.snapshot();
    let state = snapshot.live.get(0);
    assert_eq!((state.reported_ms("temperature"), state.reported_ms("power")), (Some(5), Some(900)));
    assert_eq!((state.reported_ms("level"), state.last_reported_ms()), (None, Some(900)));
}

#[test]
fn what_was_reported_before_another_start_of_the_machine_has_no_age() {
    let folder = tempfile::tempdir().unwrap();
    let open = |boot, now_ms| {
        let store = Arc::new(Store::open(folder.path()).unwrap().0);
        Registry::open(store, Clock::by_hand(boot, now_ms, 0)).unwrap()
    };
    let registry = open("one", 1_000);
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("a", &state(json!({"temperature": 20})), 700).unwrap();
    registry.merge_state("a", &state(json!({"power": true})), 900).unwrap();
    drop(registry);
    for (boot, now_ms, ages) in [
        ("one", 1_500, vec![("power".to_owned(), 900), ("temperature".to_owned(), 700)]),
        ("one", 800, vec![("temperature".to_owned(), 700)]),
        ("another", 5_000, vec![]),
    ] {
        let registry = open(boot, now_ms);
        assert_eq!(values(&registry, "a"), json!({"power": true, "temperature": 20}));
        assert_eq!(registry.snapshot().live.get(0).reported, ages.into_iter().collect(), "{boot} {now_ms}");
    }
}

#[test]
fn no_older_state_outlives_one_that_is_too_large_for_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let store = Arc::new(Store::open(folder.path()).unwrap().0);
        Registry::open(store, Clock::of_machine()).unwrap()
    };
    let device = |id: &str| json!({"id": id, "name": "门", "device": {"model": "m"}});
    let texts = || (0..=MAX_ROW_BYTES / MAX_TEXT_CHARS).map(|n| format!("note-{n}"));
    let mut properties: serde_json::Map<String, Value> = texts().map(|id| (id, json!({"type": "string"}))).collect();
    properties.insert("open".into(), json!({"type": "bool"}));
    let model = json!({"property": properties});
    let document = json!({"did": "x", "model": {"m": model}, "devices": [device("a"), device("b")]});
    let registry = open();
    registry.replace(&document.to_string()).unwrap();
    for id in ["a", "b"] {
        registry.merge_state(id, &state(json!({"open": false})), 5).unwrap();
    }
    let mut large = state(json!({"open": true}));
    texts().for_each(|id| drop(large.insert(id, "x".repeat(MAX_TEXT_CHARS).into())));
    registry.hear_state("a", &large, 6).unwrap();
    registry.commit().unwrap();
    assert!(registry.merge_state("b", &large, 6).is_err());
    registry.commit().unwrap();
    assert_eq!(values(&registry, "a")["open"], true);
    drop(registry);
    let registry = open();
    assert_eq!((values(&registry, "a"), values(&registry, "b")), (json!({}), json!({})), "nobody knows");
}

#[test]
fn a_home_that_is_set_aside_stays_in_the_store_until_another_one_comes() {
    let folder = tempfile::tempdir().unwrap();
    let open = |reason: Option<&str>| {
        let store = Arc::new(Store::open(folder.path()).unwrap().0);
        Registry::open_unless(store, Clock::of_machine(), reason.map(str::to_owned)).unwrap()
    };
    let registry = open(None);
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("a", &state(json!({"level": 7})), 5).unwrap();
    drop(registry);
    let registry = open(Some("it is heavy"));
    assert_eq!((registry.snapshot().revision, registry.set_aside()), (0, Some("it is heavy".to_owned())));
    assert_eq!(registry.export().unwrap(), document("x", 100));
    let error = registry.replace(&document("x", 100)).unwrap_err();
    assert_eq!(error.to_string(), "this home was set aside: it is heavy");
    drop(registry);
    assert_eq!(open(None).snapshot().revision, 1);
    let registry = open(Some("it is heavy"));
    assert_eq!(registry.replace(&document("y", 100)).unwrap().revision, 2);
    assert_eq!((values(&registry, "a"), registry.set_aside()), (json!({"power": false, "level": 7}), None));
}

#[test]
fn a_stored_document_that_this_version_does_not_take_is_set_aside_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(folder.path()).unwrap().0);
    let device = |i| json!({"id": format!("d{i}"), "name": "灯", "commands": []});
    let large = json!({"devices": (0..=MAX_DEVICES).map(device).collect::<Vec<_>>()}).to_string();
    store.save_registry(&large).unwrap();
    let registry = Registry::open(store, Clock::of_machine()).unwrap();
    assert_eq!(registry.set_aside().unwrap(), "home document: devices: 2001 entries are more than 2000");
    registry.replace(&document("x", 100)).unwrap();
    assert_eq!(registry.snapshot().revision, 2);
}

#[test]
fn a_document_that_is_no_home_leaves_the_old_one_in_force() {
    let registry = Registry::default();
    registry.replace(&document("x", 100)).unwrap();
    assert!(matches!(registry.replace("{}"), Err(RegistryError::Document(_))));
    assert_eq!((registry.snapshot().revision, registry.snapshot().home.id.as_str()), (1, "x"));
}

#[test]
fn reported_state_survives_a_replacement_as_far_as_it_fits() {
    let registry = Registry::default();
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("a", &state(json!({"level": 50, "temperature": 20})), 5).unwrap();
    registry.merge_state("b", &state(json!({"level": 3})), 6).unwrap();
    let report = registry.replace(&document("y", 10)).unwrap();
    assert_eq!((report.revision, report.devices), (2, 2));
    assert_eq!(values(&registry, "a"), json!({"power": false, "temperature": 20}));
    assert_eq!(values(&registry, "b"), json!({"level": 3}));
    assert_eq!(registry.snapshot().live.get(0).reported, [("temperature".to_owned(), 5)].into());
    assert_eq!(registry.snapshot().live.get(1).reported_ms("level"), Some(6));
}

#[test]
fn the_export_loads_as_the_same_home_with_the_state_of_now() {
    let registry = Registry::default();
    assert_eq!(registry.export(), None);
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("b", &state(json!({"level": 50})), 5).unwrap();
    let export = registry.export().unwrap();
    assert!(export.contains("kept"));
    let (mut home, report) = parse_text(&export).unwrap();
    assert_eq!((report.rejected, report.notes), (vec![], vec![]));
    assert_eq!(json!(home.devices[1].initial), json!({"level": 50}));
    home.devices[1].initial.retain(|_, _| false);
    assert_eq!(home, *registry.snapshot().home);
}

#[test]
fn the_same_document_again_is_no_new_home() {
    let registry = Registry::default();
    registry.replace(&document("x", 9)).unwrap();
    registry.merge_state("a", &state(json!({"level": 7})), 5).unwrap();
    let before = registry.snapshot();
    let report = registry.replace(&document("x", 9)).unwrap();
    assert_eq!((report.revision, report.devices), (1, 2));
    assert!(Arc::ptr_eq(&before, &registry.snapshot()));
    assert_eq!(registry.replace(&document("y", 9)).unwrap().revision, 2);
    assert_eq!(values(&registry, "a"), json!({"power": false, "level": 7}));
}

#[test]
fn a_home_in_memory_has_revision_one_and_no_document() {
    let (home, _) = parse(&serde_json::from_str(&document("x", 9)).unwrap()).unwrap();
    let registry = Registry::in_memory(home);
    assert_eq!((registry.snapshot().revision, registry.export()), (1, None));
    assert_eq!(values(&registry, "a"), json!({"power": false}));
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let registry = Registry::default();
    registry.replace(&document("x", 1_000)).unwrap();
    thread::scope(|scope| {
        for id in ["a", "b"] {
            let registry = &registry;
            scope.spawn(move || {
                for level in 0..=500 {
                    registry.merge_state(id, &state(json!({"level": level})), level).unwrap();
                }
            });
            scope.spawn(move || {
                for t in 0..=500 {
                    registry.merge_state(id, &state(json!({"temperature": t})), t).unwrap();
                }
            });
        }
        scope.spawn(|| (0..50).for_each(|i| drop(registry.replace(&document(&format!("y{i}"), 1_000)).unwrap())));
    });
    assert_eq!(values(&registry, "a"), json!({"power": false, "level": 500, "temperature": 500}));
    assert_eq!(values(&registry, "b"), json!({"level": 500, "temperature": 500}));
    assert_eq!(registry.snapshot().revision, 51);
}

#[tokio::test]
async fn a_waiter_gets_the_first_state_that_is_fresh() {
    let registry = Arc::new(Registry::default());
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("a", &state(json!({"level": 1})), 5).unwrap();
    let waiter = tokio::spawn({
        let registry = Arc::clone(&registry);
        async move { registry.reported_since("a", Some("level"), 10).await }
    });
    tokio::task::yield_now().await;
    registry.merge_state("b", &state(json!({"level": 1})), 20).unwrap();
    registry.merge_state("a", &state(json!({"level": 2})), 9).unwrap();
    tokio::task::yield_now().await;
    // What is waited for is not what else a device tells.
    registry.merge_state("a", &state(json!({"temperature": 3})), 10).unwrap();
    tokio::task::yield_now().await;
    registry.merge_state("a", &state(json!({"level": 3})), 10).unwrap();
    let state = tokio::time::timeout(Duration::from_secs(5), waiter).await.unwrap().unwrap().unwrap();
    assert_eq!((state.values["level"].clone(), state.reported_ms("level")), (json!(3), Some(10)));
    assert_eq!(registry.reported_since("nobody", None, 0).await, None);
}

#[test]
fn what_hubs_brought_is_there_after_a_start_and_one_bad_part_takes_nothing_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let open = |hubs: Option<Vec<String>>| {
        let store = Arc::new(Store::open(folder.path()).unwrap().0);
        Registry::open_as(store, Clock::of_machine(), Opening { hubs, ..Opening::default() }).unwrap()
    };
    let of = |hub: &str| {
        document("x", 100).replace("\"a\"", &format!("\"{hub}:a\"")).replace("\"b\"", &format!("\"{hub}:b\""))
    };
    let registry = open(None);
    registry.replace_hub("h", &of("h")).unwrap();
    registry.replace_hub("k", &of("k")).unwrap();
    registry.replace(&document("x", 100)).unwrap();
    registry.merge_state("h:b", &state(json!({"level": 7})), 5).unwrap();
    registry.set_hub_online("h", true);
    assert!(registry.replace_hub("h", "{}").is_err() && registry.replace_hub("h", "no json").is_err());
    let same = of("h").replace("\"power\":false", "\"power\":true");
    assert_eq!(registry.replace_hub("h", &same).unwrap().revision, 3, "the same devices in another state");
    assert_eq!(registry.snapshot().home.devices.len(), 6);
    drop(registry);
    let registry = open(Some(vec!["h".into()]));
    let snapshot = registry.snapshot();
    let ids: Vec<&str> = snapshot.home.devices.iter().map(|device| device.id.as_str()).collect();
    assert_eq!((ids, snapshot.revision), (vec!["a", "b", "h:a", "h:b"], 3));
    assert_eq!(values(&registry, "h:b"), json!({"level": 7}));
    let online: Vec<bool> = (0..4).map(|device| snapshot.live.online(device)).collect();
    assert_eq!(online, [true, true, false, false], "a hub is away until it is heard of");
    assert_eq!((snapshot.source(0), snapshot.source(3), registry.source("h:a")), ("", "h", Some("h".into())));
}

#[test]
fn what_a_device_says_of_being_there_counts_until_its_document_says_otherwise() {
    let registry = Registry::default();
    let of = |online: bool, name: &str| {
        json!({"devices": [{"id": "h:a", "name": name, "online": online, "commands": []}]}).to_string()
    };
    let online = || registry.snapshot().live.online(0);
    registry.replace_hub("h", &of(true, "灯")).unwrap();
    assert!(registry.set_online("h:a", false) && !registry.set_online("h:b", true));
    registry.replace_hub("h", &of(true, "台灯")).unwrap();
    assert!(!online(), "the document says nothing new");
    registry.replace_hub("h", &of(false, "台灯")).unwrap();
    registry.set_online("h:a", true);
    assert!(online());
    registry.replace_hub("h", &of(false, "吊灯")).unwrap();
    assert!(!online(), "the document of the other name says that it is away");
    registry.replace_hub("h", &of(true, "吊灯")).unwrap();
    assert!(online());
    registry.set_hub_online("h", false);
    registry.set_online("h:a", true);
    assert!(!online());
}

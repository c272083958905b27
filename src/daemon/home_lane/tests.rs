use super::*;
use crate::transport::ModelStatus;

const HOME: &str = r#"{"layout": ["客厅"], "model": {"m": {"property": {"power": {"type": "bool"}}}},
    "devices": [{"id": "a", "name": "灯", "local": "客厅", "device": {"model": "m"}}]}"#;

struct Bench {
    lane: Arc<HomeLane>,
    registry: Arc<Registry>,
    report: watch::Receiver<Option<Vec<u8>>>,
    status: watch::Receiver<Status>,
}

fn no_file() -> Arc<OverridesFile> {
    Arc::new(OverridesFile::new(None, std::path::Path::new("/nowhere")))
}

fn bench() -> Bench {
    let registry = Arc::new(Registry::default());
    let (report_tx, report) = watch::channel(None);
    let (status_tx, status) = watch::channel(status_of(&registry, 0, ModelStatus::Error(String::new())));
    let lexicon = Arc::new(Lexicon::built_in().unwrap());
    let lane = HomeLane::new(Arc::clone(&registry), lexicon, report_tx, status_tx, no_file());
    tokio::spawn(Arc::clone(&lane).run());
    Bench { lane, registry, report, status }
}

async fn report(bench: &mut Bench) -> Value {
    bench.report.changed().await.unwrap();
    serde_json::from_slice(bench.report.borrow().as_deref().unwrap()).unwrap()
}

#[tokio::test]
async fn a_document_is_put_in_force_and_reported() {
    let mut bench = bench();
    bench.lane.document(HOME.into());
    let report = report(&mut bench).await;
    assert_eq!(report["ok"], true);
    assert_eq!((&report["revision"], &report["devices"], &report["rooms"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(report["rejected"], json!([]));
    bench.lane.idle().await;
    assert_eq!((bench.status.borrow().devices, bench.status.borrow().revision), (1, 1));
}

#[tokio::test]
async fn a_document_that_is_no_home_is_refused_by_name() {
    let mut bench = bench();
    for bad in [&b"no json"[..], b"[]", b"\xff"] {
        bench.lane.document(bad.into());
        let report = report(&mut bench).await;
        assert_eq!((&report["ok"], &report["error"]["code"]), (&json!(false), &json!("bad_home")));
    }
    assert_eq!(bench.registry.snapshot().revision, 0);
}

#[tokio::test]
async fn a_cleared_document_does_not_clear_the_home() {
    let mut bench = bench();
    bench.lane.document(HOME.into());
    report(&mut bench).await;
    bench.lane.document(Vec::new());
    bench.lane.idle().await;
    assert_eq!(bench.registry.snapshot().home.devices.len(), 1);
}

#[tokio::test]
async fn state_that_came_with_a_document_belongs_to_its_devices() {
    let bench = bench();
    bench.lane.state("a", br#"{"power": true}"#);
    bench.lane.document(HOME.into());
    bench.lane.state("b", br#"{"power": true}"#);
    bench.lane.state("a", b"junk");
    bench.lane.idle().await;
    let snapshot = bench.registry.snapshot();
    let state = snapshot.live.get(0);
    assert_eq!(state.values["power"], true);
    assert!(state.reported_ms("power").is_some());
}

#[tokio::test]
async fn waiting_state_is_bounded() {
    let registry = Arc::new(Registry::default());
    let (status, _) = watch::channel(status_of(&registry, 0, ModelStatus::Error(String::new())));
    let lexicon = Arc::new(Lexicon::built_in().unwrap());
    let lane = HomeLane::new(registry, lexicon, watch::channel(None).0, status, no_file());
    let report = json!({"x": "y".repeat(MAX_REPORT_BYTES - 100)}).to_string();
    for device in 0..1_000 {
        lane.state(&device.to_string(), report.as_bytes());
    }
    assert!(lock(&lane.waiting).state_bytes <= MAX_STATE_BYTES);
}

use serde_json::json;

use super::*;
use crate::frame::{Door, ErrorCode, Instruct, Intent, Speech};

fn ledger(accounts: usize, bytes: usize) -> Ledger {
    Ledger::bounded(Clock::by_hand("a", 1, 1_700_000_000_000), accounts, bytes)
}

fn request(rid: &str, said: &str) -> Request {
    let origin = Origin { door: Door::Http, client: "phone".into() };
    Request { rid: rid.into(), question: said.into(), instruct: true, origin, ..Request::default() }
}

fn instruct() -> Instruct {
    Instruct { id: "灯的编号".into(), state: None, command: None, summary: "打开秘灯".into(), noop: false }
}

fn done(text: &str) -> Finish {
    Finish::Done {
        intent: Intent::Instruct,
        result: text.into(),
        speech: Speech::full(text),
        instructs: vec![instruct()],
        risky: Vec::new(),
        confirmed: false,
        jobs: Vec::new(),
    }
}

fn found(name: &str) -> Option<Arc<Value>> {
    let took = json!({"total": 1_500});
    Some(Arc::new(json!({"parser": "grammar", "hint": null, "candidates": [{"name": name}], "timing_us": took})))
}

#[test]
fn the_newest_are_kept_and_read_page_by_page() {
    let ledger = ledger(5, 1 << 20);
    assert_eq!((ledger.last(), ledger.sheet(None, 9).entries.len()), (0, 0));
    for n in 1..=8 {
        ledger.record(&request(&format!("r{n}"), "开灯"), found("灯"), &done("好"));
    }
    let seqs = |before, limit| {
        let sheet = ledger.sheet(before, limit);
        (sheet.entries.iter().map(|e| e.account.seq).collect::<Vec<_>>(), sheet.more)
    };
    assert_eq!(seqs(None, 2), (vec![8, 7], true));
    assert_eq!(seqs(Some(7), 2), (vec![6, 5], true));
    assert_eq!(seqs(Some(5), 2), (vec![4], false));
    assert_eq!(seqs(Some(1), 2), (vec![], false));
    assert!(ledger.find(3).is_none() && ledger.find(9).is_none());
    assert_eq!(ledger.find(6).unwrap().account.rid, "r6");
    assert_eq!((ledger.counts().0.sure, ledger.counts().0.latency[1], ledger.counts().1.len()), (8, 8, 5));
}

#[test]
fn bytes_are_bounded_whatever_is_said_and_found() {
    let ledger = ledger(1_000, 64 << 10);
    for n in 0..200 {
        let (said, name) = ("话".repeat(n * 7), "名".repeat(n * 200));
        ledger.record(&request(&format!("r{n}"), &said), found(&name), &done(&said));
        for _ in 0..n {
            ledger.turned_out(&request("", "").origin, &format!("r{n}"), json!({"reason": "x".repeat(99)}));
        }
        assert!(ledger.book().bytes <= 64 << 10 || ledger.book().entries.len() == 1, "{n}");
    }
    assert!(ledger.book().entries.len() < 100);
    // One that is too large by itself keeps what was said.
    let last = ledger.find(200).unwrap().account;
    assert_eq!((last.found.as_ref().unwrap()["parser"].as_str(), last.said.len()), (Some("grammar"), 199 * 7 * 3));
    assert!(last.found.as_ref().unwrap()["candidates"].is_null());
}

#[test]
fn outcomes_go_to_the_newest_account_of_their_request() {
    let ledger = ledger(10, 1 << 20);
    let mut news = ledger.listen();
    for rid in ["a", "b", "a"] {
        ledger.record(&request(rid, "开灯"), None, &done("好"));
    }
    let origin = request("", "").origin;
    ledger.turned_out(&origin, "a", json!({"result": "confirmed"}));
    ledger.turned_out(&Origin::request(), "b", json!({"result": "silent"}));
    let counts: Vec<usize> = (1..=3).map(|seq| ledger.find(seq).unwrap().outcomes.len()).collect();
    assert_eq!(counts, [0, 0, 1]);
    assert_eq!((ledger.seq_of(&origin, "a"), ledger.seq_of(&Origin::request(), "a")), (Some(3), None));
    let mut heard = 0;
    while news.try_recv().is_ok() {
        heard += 1;
    }
    assert_eq!(heard, 5);
}

#[test]
fn of_a_home_that_was_brought_no_name_is_kept() {
    let ledger = ledger(10, 1 << 20);
    let brought = Request { home: Some("{}".into()), local: Some("秘室".into()), ..request("r", "开灯") };
    ledger.record(&brought, found("秘灯"), &done("好的，打开秘灯。"));
    let account = ledger.find(1).unwrap().account;
    let text = format!("{account:?}");
    assert!(account.brought && account.dry && account.said == "开灯");
    for name in ["秘", "编号"] {
        assert!(!text.contains(name), "{text}");
    }
    assert_eq!(account.total_us(), Some(1_500));
}

#[test]
fn what_was_not_served_is_an_account_too() {
    let ledger = ledger(10, 1 << 20);
    ledger.record(&request("r", "开灯"), None, &Finish::Failed { code: ErrorCode::Timeout, message: "10 s".into() });
    assert_eq!((ledger.counts().0.failed, ledger.counts().1.len()), (1, 0));
}

#[test]
fn each_end_counts_once() {
    let ledger = ledger(10, 1 << 20);
    let ended = |intent, hint: Option<&str>| {
        let finish = Finish::Done {
            intent,
            result: String::new(),
            speech: Speech::default(),
            instructs: Vec::new(),
            risky: Vec::new(),
            confirmed: false,
            jobs: Vec::new(),
        };
        ledger.record(&request("r", "x"), Some(Arc::new(json!({"hint": hint}))), &finish);
    };
    ended(Intent::Question, Some("risky"));
    ended(Intent::Answer, None);
    ended(Intent::Answer, Some("not_found"));
    ended(Intent::None, None);
    ended(Intent::None, Some("needs_fallback"));
    let counts = ledger.counts().0;
    let counted = [counts.asked, counts.sure, counts.rejected, counts.unknown, counts.fallback, counts.failed];
    assert_eq!(counted, [1, 1, 1, 1, 1, 0]);
}

//! Names that are learned from speech, over a real broker: asked about once, written into the owner's file, whole after a
//! restart, taken back by the console; and the sentences that were not understood, as `zhiju hard` prints them.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use zhiju::service::Learning;

use crate::common::{Broker, Client, Daemon, free_port, home, request, within};
use crate::doors::clients::{get, post};
use crate::doors::http_settings;
use crate::runner::{stdout, zhiju};

/// A house that learns, in a state folder that outlives its daemon.
struct House {
    broker: Broker,
    client: Client,
    daemon: Daemon,
    http: u16,
    folder: TempDir,
    said: u32,
}

fn daemon(broker: &Broker, http: u16, folder: &Path, learning: Option<Learning>) -> Daemon {
    Daemon::start(broker.port(), |settings| {
        settings.state_dir = folder.join("state");
        settings.http = Some(http_settings(http));
        settings.service.learning = learning;
    })
}

impl House {
    async fn open(learning: Option<Learning>) -> Self {
        let broker = Broker::embedded().await;
        let mut client = Client::connect(broker.port(), "hub").await;
        let (http, folder) = (free_port().await, tempfile::tempdir().unwrap());
        let daemon = daemon(&broker, http, folder.path(), learning);
        client.status("online").await;
        client.publish("registry", home().to_string()).await;
        assert_eq!(client.on("registry/report").await["ok"], true);
        Self { broker, client, daemon, http, folder, said: 0 }
    }

    /// What comes of a sentence: its reply, and the devices that move.
    async fn say(&mut self, sentence: &str) -> (String, Vec<String>) {
        self.said += 1;
        let rid = format!("r{}", self.said);
        self.client.publish("request", request(&rid, "page", sentence).to_string()).await;
        let active = self.client.finish(&rid).await["payload"]["data"]["active"].clone();
        let moved = active["instructs"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
        (active["intent"]["result"].as_str().unwrap().to_owned(), moved.collect())
    }

    /// The same in a new process.
    async fn again(self, learning: Option<Learning>) -> Self {
        let Self { broker, mut client, daemon: before, http, folder, said } = self;
        before.stop().await;
        client.status("offline").await;
        let daemon = daemon(&broker, http, folder.path(), learning);
        client.status("online").await;
        Self { broker, client, daemon, http, folder, said }
    }

    async fn hard(&self, more: &'static [&str]) -> String {
        let store = self.folder.path().join("state");
        let run = move || stdout(&zhiju().args(["hard", "--store"]).arg(store).args(more).output().unwrap());
        within("the lines", tokio::task::spawn_blocking(run)).await.unwrap()
    }
}

const LEARNS: Option<Learning> = Some(Learning { keep: 9 });

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_was_confirmed_is_known_over_a_restart_until_it_is_taken_back() {
    let mut house = House::open(LEARNS).await;
    let lamp = ["lamp-1".to_owned()];
    assert_eq!(house.say("打开老伙计").await.1, [""; 0]);
    let (asked, moved) = house.say("打开照明灯").await;
    assert_eq!((asked.as_str(), &moved[..]), ("正在打开客厅照明灯。老伙计是客厅照明灯吗？", &lamp[..]));
    assert_eq!(house.say("是的").await, ("好的，记住了，老伙计就是客厅照明灯。".to_owned(), vec![]));
    assert_eq!(house.say("关掉老伙计").await.1, lamp);
    let mut house = house.again(LEARNS).await;
    assert_eq!(house.say("打开老伙计").await.1, lamp);
    let shown = get(house.http, "/v1/overrides", &[]).await.body;
    assert_eq!(shown["devices"], json!({"lamp-1": {"aliases": ["老伙计"]}}), "{shown}");
    assert_eq!(
        (&shown["history"][0]["what"], shown["history"][0]["who"].as_str().map(str::is_empty)),
        (&json!("lamp-1: aliases"), Some(false))
    );
    let undone = post(house.http, "/v1/overrides/undo", &[], &json!({"base": shown["revision"]})).await.body;
    assert_eq!(undone["devices"], json!({}), "{undone}");
    assert_eq!(house.say("打开老伙计").await.1, [""; 0]);
    // It was asked about before.
    assert_eq!(house.say("打开照明灯").await, ("正在打开客厅照明灯。".to_owned(), lamp.to_vec()));
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_says_no_or_something_else_is_not_asked_again() {
    let mut house = House::open(LEARNS).await;
    for (name, answer) in [("老伙计", "不是"), ("小怪兽", "关掉照明灯")] {
        for asked in [true, false] {
            house.say(&format!("打开{name}")).await;
            let reply = house.say("打开照明灯").await.0;
            assert_eq!(reply.contains(name), asked, "{reply}");
            house.say(answer).await;
        }
    }
    let mut house = house.again(LEARNS).await;
    house.say("打开老伙计").await;
    assert!(!house.say("打开照明灯").await.0.contains("老伙计"));
    // A yes to nothing is none.
    house.say("是的").await;
    assert_eq!(get(house.http, "/v1/overrides", &[]).await.body["devices"], json!({}));
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correction_is_done_and_asked_about_and_without_leave_nothing_is_asked_or_kept() {
    let mut house = House::open(None).await;
    house.say("打开老伙计").await;
    assert_eq!(house.say("我说的是照明灯").await, ("正在打开客厅照明灯。".to_owned(), vec!["lamp-1".to_owned()]));
    house.say("把大铁箱关了").await;
    let mut house = house.again(LEARNS).await;
    house.say("打开老伙计").await;
    assert!(house.say("我说的是照明灯").await.0.ends_with("老伙计是客厅照明灯吗？"));
    for _ in 0..2 {
        house.say("关掉那个大铁箱").await;
    }
    house.say("小牛，打开老伙伴").await;
    house.say("今天股票又跌了").await;
    house.daemon.stop().await;
    let house = House { daemon: Daemon::start(1, |_| {}), ..house };
    let printed = house.hard(&[]).await;
    let lines: Vec<&str> = printed.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].contains("2 关掉那个大铁箱 unsure") && lines[1].contains("老伙伴"),
        "{printed}"
    );
    let cases = house.hard(&["--json", "--clear"]).await;
    let case: Value = serde_json::from_str(cases.lines().next().unwrap()).unwrap();
    assert_eq!((&case["turns"][0]["question"], &case["local"]), (&json!("关掉那个大铁箱"), &json!("客厅")), "{case}");
    assert_eq!(house.hard(&[]).await, "");
}

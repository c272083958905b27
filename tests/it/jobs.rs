//! Jobs over a real broker: made, shown, done, taken back, and whole after `kill -9`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Broker, Client, Daemon, Pace, home, json_of, request};
use crate::process::{Process, configure};
use crate::runner::{stderr, stdout, zhiju};

async fn asked(client: &mut Client, rid: &str, question: &str) -> Value {
    client.publish("request", request(rid, "page", question).to_string()).await;
    client.finish(rid).await["payload"]["data"]["active"].clone()
}

/// Hears of the book alone.
async fn reader(port: u16) -> Client {
    Client::subscribed(port, "reader", &["zhiju/home/jobs"], Pace::default()).await
}

/// Waits until so many jobs are there, from now on: a book that was shown before the last one that was waited for
/// says nothing, however long it is.
async fn shown(reader: &mut Client, many: usize) {
    while json_of(&reader.find("a book of that length", |_| true).await).as_array().unwrap().len() != many {}
}

async fn served(client: &mut Client) {
    client.status("online").await;
    client.retain("registry", home().to_string()).await;
    client.on("registry/report").await;
}

#[tokio::test]
async fn a_job_is_made_shown_done_and_gone() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "hub").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    served(&mut client).await;
    let mut book = reader(broker.port()).await;
    let made = asked(&mut client, "r1", "两秒后打开照明灯").await;
    assert_eq!((&made["intent"]["type"], &made["instructs"]), (&json!("answer"), &json!([])), "{made}");
    assert_eq!(made["jobs"][0]["instructs"][0]["id"], "lamp-1");
    let id = made["jobs"][0]["id"].as_str().unwrap().to_owned();
    let instruct = client.on("instruct/lamp-1").await;
    assert_eq!(instruct["state"], json!({"power": true}));
    assert!(instruct["rid"].as_str().unwrap().starts_with(&format!("job-{id}-")), "{instruct}");
    shown(&mut book, 1).await;
    shown(&mut book, 0).await;
    daemon.stop().await;
}

#[tokio::test]
async fn jobs_are_listed_changed_and_taken_back_by_voice_and_by_message() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "hub").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    served(&mut client).await;
    let text = |active: &Value| active["intent"]["result"].as_str().unwrap().to_owned();
    let due = |active: &Value| active["jobs"][0]["due"].as_str().unwrap()[11..16].to_owned();
    let first = asked(&mut client, "r1", "每天早上七点打开照明灯").await;
    assert_eq!(first["jobs"][0]["repeat"], "FREQ=DAILY");
    let second = asked(&mut client, "r2", "明天晚上八点半关闭照明灯").await;
    assert_eq!(due(&second), "20:30");
    assert!(text(&asked(&mut client, "r3", "还有哪些定时").await).contains("有2个定时"));
    let read = client.on("candidates/r3").await;
    assert_eq!((&read["commands"], &read["parser"]), (&json!([]), &json!("grammar")), "it is understood: {read}");
    let changed = asked(&mut client, "r4", "改成明天晚上九点").await;
    assert_eq!(due(&changed), "21:00", "{changed}");
    assert!(text(&asked(&mut client, "r5", "还有多久").await).starts_with("还有"));
    assert!(text(&asked(&mut client, "r6", "取消刚才的定时").await).contains("取消了"));
    let mut book = reader(broker.port()).await;
    shown(&mut book, 1).await;
    let id = first["jobs"][0]["id"].as_str().unwrap();
    client.publish("jobs/cancel", json!({"id": id}).to_string()).await;
    shown(&mut book, 0).await;
    assert_eq!(text(&asked(&mut client, "r7", "还有哪些定时").await), "现在没有定时。");
    // What was just spoken of needs no name.
    asked(&mut client, "r8", "十分钟后打开照明灯").await;
    let changed = asked(&mut client, "r9", "那改成二十分钟").await;
    assert!(changed["jobs"][0]["due"].is_string(), "{changed}");
    assert!(text(&asked(&mut client, "r10", "算了").await).contains("取消了"));
    assert_eq!(text(&asked(&mut client, "r11", "还有哪些定时").await), "现在没有定时。");
    // Where nothing was, nothing is taken back.
    assert_eq!(asked(&mut client, "r12", "算了").await["intent"]["type"], "none");
    daemon.stop().await;
}

#[tokio::test]
async fn jobs_are_listed_and_taken_back_on_the_command_line() {
    let broker = Broker::embedded().await;
    let folder = tempfile::tempdir().unwrap();
    let yaml = format!("mqtt: {{port: {}}}\ntime: {{zone: Asia/Shanghai}}\n", broker.port());
    let config = configure(folder.path(), &yaml);
    let mut client = Client::connect(broker.port(), "hub").await;
    let daemon = Process::start(&config);
    served(&mut client).await;
    for (rid, question) in [("r1", "明天早上七点打开照明灯"), ("r2", "后天早上七点关闭照明灯")] {
        assert_eq!(asked(&mut client, rid, question).await["jobs"].as_array().unwrap().len(), 1);
    }
    let mut book = reader(broker.port()).await;
    shown(&mut book, 2).await;
    let jobs = |arguments: &[&str]| {
        let output = zhiju().arg("jobs").arg("--config").arg(&config).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let listed = jobs(&[]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    let id = listed.split(' ').next().unwrap().to_owned();
    jobs(&["--cancel", &id]);
    shown(&mut book, 1).await;
    drop(daemon);
    // A stopped daemon's book is changed where it lies.
    assert_eq!(jobs(&["--cancel-all"]).lines().count(), 1);
    assert_eq!(jobs(&[]), "");
}

#[tokio::test]
async fn who_asked_hears_that_a_device_is_gone() {
    let broker = Broker::embedded().await;
    let mut client = Client::connect(broker.port(), "hub").await;
    let daemon = Daemon::start(broker.port(), |_| {});
    served(&mut client).await;
    client.publish("utterance/厨房", "三秒后打开照明灯").await;
    assert!(client.on("reply/厨房").await["text"].as_str().unwrap().starts_with("好的"));
    let mut without = home();
    without["devices"].as_array_mut().unwrap().pop();
    client.retain("registry", without.to_string()).await;
    let told = client.find("the failure", |p| {
        p.topic == "zhiju/home/reply/厨房" && json_of(p)["rid"].as_str().is_some_and(|rid| rid.starts_with("job-"))
    });
    assert!(json_of(&told.await)["text"].as_str().unwrap().contains("没有做成"));
    assert_eq!(client.count(|p| p.topic.starts_with(b"zhiju/home/instruct/")), 0);
    daemon.stop().await;
}

/// Rounds of `kill -9`; more with `ZHIJU_JOBS_ROUNDS`.
fn rounds() -> u32 {
    std::env::var("ZHIJU_JOBS_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5)
}

#[tokio::test]
async fn no_job_is_lost_or_done_twice_by_kill_9() {
    let broker = Broker::embedded().await;
    let folder = tempfile::tempdir().unwrap();
    let yaml = format!(
        "mqtt: {{port: {}}}\njobs: {{per_page: 1000}}\ndelivery: {{ttl_seconds: 60}}\ntime: {{zone: Asia/Shanghai}}\n",
        broker.port()
    );
    let config = configure(folder.path(), &yaml);
    let mut client = Client::connect(broker.port(), "hub").await;
    let mut daemon = Process::start(&config);
    served(&mut client).await;
    let many = 10 * rounds() as usize;
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for n in 0..many {
        let seconds = 2 + n * 2 / 10;
        let rid = format!("m{n}");
        let made = asked(&mut client, &rid, &format!("{seconds}秒后打开照明灯")).await;
        wanted.insert(made["jobs"][0]["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned(), 0);
    }
    for round in 0..rounds() {
        // Somewhere in the middle of what is due.
        tokio::time::sleep(Duration::from_millis(700 + u64::from(round) * 137 % 600)).await;
        daemon.signal("KILL");
        drop(daemon);
        daemon = Process::start(&config);
    }
    let mut rids: BTreeMap<String, usize> = BTreeMap::new();
    while rids.len() < many {
        let instruct = client.on("instruct/lamp-1").await;
        *rids.entry(instruct["rid"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    for rid in rids.keys() {
        let id = rid.split('-').nth(1).unwrap();
        *wanted.get_mut(id).unwrap_or_else(|| panic!("{rid} was never made")) += 1;
    }
    assert!(wanted.values().all(|times| *times == 1), "{wanted:?}");
    drop(daemon);
}

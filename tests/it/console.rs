//! The console's half of the daemon: what was said, seen live, opened, given away; the owner's file changed by it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::common::within;
use crate::doors::clients::{Reply, connect, get, post};
use crate::doors::{House, SECRET, http_settings, tokens};

/// A reader of `/v1/live`.
pub struct Reader {
    stream: TcpStream,
    heard: String,
}

impl Reader {
    pub async fn open(port: u16, headers: &[(&str, &str)]) -> Self {
        let mut stream = connect(port).await;
        let mut request = format!("GET /v1/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n");
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        stream.write_all(format!("{request}\r\n").as_bytes()).await.unwrap();
        Self { stream, heard: String::new() }
    }

    /// The next event and its data; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((name, rest)) = self.heard.split_once("event: ").and_then(|(_, rest)| rest.split_once('\n'))
                && let Some((data, rest)) = rest.strip_prefix("data: ").and_then(|rest| rest.split_once("\n\n"))
            {
                let event = (name.to_owned(), serde_json::from_str(data).unwrap());
                self.heard = rest.to_owned();
                return Some(event);
            }
            let mut bytes = vec![0; 64 << 10];
            let read = within("an event", self.stream.read(&mut bytes)).await.unwrap();
            if read == 0 {
                return None;
            }
            // Chunks of the transfer stand between events and end in no event.
            self.heard.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }

    /// The data of the next event of this name. A stream that only says that it is there is not waited for.
    pub async fn on(&mut self, name: &str) -> Value {
        within(name, self.find(name)).await
    }

    /// Reads for as long as there is something, and looks at none of it.
    async fn drain(mut self) {
        let mut bytes = vec![0; 64 << 10];
        while self.stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
    }

    async fn find(&mut self, name: &str) -> Value {
        loop {
            let (event, data) = self.next().await.expect("the stream goes on");
            if event == name {
                return data;
            }
        }
    }
}

async fn opened(port: u16, seq: &Value) -> Value {
    get(port, &format!("/v1/utterances/{seq}"), &[]).await.body
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_by_mqtt_is_seen_live_opened_and_given_away() {
    let mut house = House::with(|settings| settings.confirm_within = Duration::from_secs(60)).await;
    let mut reader = Reader::open(house.http, &[]).await;
    let hello = reader.on("hello").await;
    assert_eq!(hello["seq"], 0);
    // Who never tells its state is not waited for.
    house.client.publish("state/cct-05", json!({"power": false}).to_string()).await;
    house.client.publish("utterance/客厅", json!({"text": "打开书房吸顶灯", "rid": "r1"}).to_string()).await;
    let said = reader.on("utterance").await;
    assert_eq!((&said["seq"], &said["rid"], &said["door"]), (&json!(1), &json!("r1"), &json!("satellite")));
    assert_eq!(
        (&said["said"], &said["intent"], &said["who"]),
        (&json!("打开书房吸顶灯"), &json!("instruct"), &json!("客厅"))
    );
    assert_eq!((&said["instructs"][0]["id"], &said["parser"]), (&json!("cct-05"), &json!("grammar")));
    assert_eq!((&said["candidates"][0]["id"], &said["candidates"][0]["chosen"]), (&json!("cct-05"), &json!(true)));
    assert!(said["took"]["total_us"].as_u64() > Some(0) && said["error"].is_null() && said["dry"] == false);
    house.client.on("instruct/cct-05").await;
    house.client.publish("state/cct-05", json!({"power": true}).to_string()).await;
    let outcome = reader.on("outcome").await;
    assert_eq!((&outcome["rid"], &outcome["outcome"]), (&json!("r1"), &json!("confirmed")));
    let opened = opened(house.http, &said["seq"]).await;
    assert_eq!(opened["utterance"]["outcomes"][0]["outcome"], "confirmed");
    assert!(opened["words"].as_array().unwrap().iter().any(|word| word["text"] == "书房"), "{opened}");
    assert!(opened["steps"].as_array().unwrap().len() > 2 && opened["near"] == json!([]), "{opened}");
    let trace = get(house.http, "/v1/utterances/1/trace", &[]).await;
    assert!(trace.head.contains("text/plain; charset=utf-8"), "{}", trace.head);
    for name in ["书房", "吸顶灯", "cct-05", "客厅"] {
        assert!(!trace.text.contains(name), "{name}\n{}", trace.text);
    }
    assert!(trace.text.contains("房间") && trace.text.contains("steps:"), "{}", trace.text);
    assert_eq!(get(house.http, "/v1/utterances/99", &[]).await.status, 404);
    assert_eq!(get(house.http, "/v1/utterances/x/trace", &[]).await.status, 404);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_every_door_was_asked_has_an_account_and_so_has_what_failed() {
    let house = House::open().await;
    for n in 0..5 {
        let asked = json!({"text": "打开书房吸顶灯", "instruct": n % 2 == 0});
        let reply = post(house.http, "/v1/ask", &[], &asked).await.body;
        assert_eq!(reply["seq"], n + 1);
    }
    let page = |query: &'static str| async move { get(house.http, &format!("/v1/utterances{query}"), &[]).await };
    let newest = page("?limit=2").await.body;
    assert_eq!((&newest["utterances"][0]["seq"], &newest["more"]), (&json!(5), &json!(true)));
    let rest = page("?before=4&limit=200").await.body;
    assert_eq!((rest["utterances"].as_array().unwrap().len(), &rest["more"]), (3, &json!(false)));
    assert_eq!((&rest["utterances"][0]["dry"], &rest["utterances"][1]["dry"]), (&json!(false), &json!(true)));
    for bad in ["?before=x", "?limit=-1", "?limit="] {
        assert_eq!(page(bad).await.status, 400, "{bad}");
    }
    let health = get(house.http, "/v1/health", &[]).await.body;
    assert_eq!((&health["counts"]["sure"], &health["broker"]["connected"]), (&json!(5), &json!(true)), "{health}");
    assert!(health["memory_bytes"].as_u64() > Some(1 << 20) && health["latency"]["p50_ms"].as_f64() > Some(0.0));
    assert_eq!(health["parsers"][0]["name"], "grammar");
    house.daemon.stop().await;
}

/// The villa's owner's file as the console knows it.
async fn overrides(port: u16) -> Value {
    get(port, "/v1/overrides", &[]).await.body
}

async fn edit(port: u16, base: &Value, device: &str, set: Value) -> Reply {
    post(port, "/v1/overrides", &[], &json!({"base": base, "device": device, "set": set})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alias_that_was_made_is_understood_and_can_be_taken_back() {
    let house = House::open().await;
    let ask = |text: &'static str| async move {
        post(house.http, "/v1/ask", &[], &json!({"text": text, "instruct": true})).await.body
    };
    let before = ask("打开书房吸丁登儿").await;
    assert_ne!(before["intent"], "instruct", "{before}");
    let mut reader = Reader::open(house.http, &[]).await;
    reader.on("hello").await;
    let base = overrides(house.http).await["revision"].clone();
    let made = edit(house.http, &base, "cct-05", json!({"aliases": ["小太阳公公"]})).await;
    assert_eq!(
        (made.status, &made.body["devices"]["cct-05"]),
        (200, &json!({"aliases": ["小太阳公公"]})),
        "{}",
        made.text
    );
    assert!(reader.on("home").await["revision"].as_u64() > Some(1));
    assert_eq!(ask("打开小太阳公公").await["instructs"][0]["id"], "cct-05");
    let home = get(house.http, "/v1/console/home", &[]).await.body;
    let lamp = home["devices"].as_array().unwrap().iter().find(|device| device["id"] == "cct-05").unwrap();
    assert_eq!((&lamp["changed"], &lamp["aliases"]), (&json!(["aliases"]), &json!(["小太阳公公"])), "{lamp}");
    // Somebody who knew it as it was before.
    let late = edit(house.http, &base, "cct-05", json!({"name": "别的"})).await;
    assert_eq!((late.status, &late.body["revision"]), (409, &made.body["revision"]), "{}", late.text);
    assert_eq!(late.body["error"]["code"], "conflict");
    for (device, set, status) in [
        ("nothing", json!({"name": "灯"}), 422),
        ("cct-05", json!({"risk": "none"}), 422),
        ("cct-05", json!({"nam": "x"}), 400),
    ] {
        assert_eq!(edit(house.http, &made.body["revision"], device, set).await.status, status);
    }
    let hidden = edit(house.http, &made.body["revision"], "cct-05", json!({"exposed": false})).await.body;
    let home = get(house.http, "/v1/console/home", &[]).await.body;
    let lamp = home["devices"].as_array().unwrap().iter().find(|device| device["id"] == "cct-05").unwrap();
    assert_eq!((&lamp["exposed"], &lamp["name"]), (&json!(false), &json!("吸顶灯")));
    let undo = post(house.http, "/v1/overrides/undo", &[], &json!({"base": hidden["revision"]})).await.body;
    assert_eq!(undo["revision"], made.body["revision"]);
    let undo = post(house.http, "/v1/overrides/undo", &[], &json!({"base": undo["revision"]})).await.body;
    assert_eq!((&undo["revision"], &undo["devices"], &undo["undo"]), (&base, &json!({}), &json!(false)));
    assert_ne!(ask("打开小太阳公公").await["instructs"][0]["id"], "cct-05");
    assert_eq!(undo["history"].as_array().unwrap().len(), 4);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_nearest_to_a_name_that_nothing_bears_is_told() {
    let house = House::open().await;
    let asked = post(house.http, "/v1/ask", &[], &json!({"text": "打开书房的吸顶大灯"})).await.body;
    let opened = opened(house.http, &asked["seq"]).await;
    let moved = !asked["instructs"].as_array().unwrap().is_empty();
    let near = opened["near"].as_array().unwrap();
    assert!(moved || near.iter().any(|near| near["name"] == "吸顶灯"), "{opened}");
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_takes_no_token_and_the_rest_takes_the_right_one() {
    let house = House::with(|settings| {
        let port = settings.http.as_ref().unwrap().listen.port();
        let terms = zhiju::door::http::Terms { tokens: Some(tokens()), ..Default::default() };
        settings.http = Some(zhiju::door::http::HttpSettings { terms, ..http_settings(port) });
    })
    .await;
    let page = get(house.http, "/", &[]).await;
    assert_eq!(page.status, 200);
    for header in ["default-src 'none'; script-src 'self'", "nosniff", "no-referrer", "no-cache", "etag: \""] {
        assert!(page.head.to_lowercase().contains(header), "{header}: {}", page.head);
    }
    assert!(get(house.http, "/console/app.js", &[]).await.head.contains("text/javascript"));
    assert_eq!(get(house.http, "/console/..%2f..%2fCargo.toml", &[]).await.status, 404);
    assert_eq!(get(house.http, "/", &[("Host", "evil.example")]).await.status, 403);
    let bearer = |suffix: &str| format!("Bearer {SECRET}{suffix}");
    let me = get(house.http, "/v1/me", &[("Authorization", &bearer("-3"))]).await.body;
    assert_eq!((&me["name"], &me["rights"], &me["home_id"]), (&json!("voice"), &json!(["ask"]), &json!("home")));
    let see =
        ["utterances", "utterances/1", "utterances/1/trace", "live", "console/home", "overrides", "health", "jobs"];
    for path in see {
        let path = format!("/v1/{path}");
        assert_eq!(get(house.http, &path, &[]).await.status, 401, "{path}");
        assert_eq!(get(house.http, &path, &[("Authorization", &bearer("-3"))]).await.status, 403, "{path}");
    }
    for path in ["/v1/overrides", "/v1/overrides/undo"] {
        let refused = post(house.http, path, &[("Authorization", &bearer(""))], &json!({"base": ""})).await;
        assert_eq!(refused.status, 403, "{path}");
    }
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_readers_hear_the_same_and_one_more_is_told_that_it_is_too_many() {
    let house = House::with(|settings| {
        settings.http.iter_mut().for_each(|http| http.connections = 256);
    })
    .await;
    let mut readers = Vec::new();
    for _ in 0..50 {
        let mut reader = Reader::open(house.http, &[]).await;
        reader.on("hello").await;
        readers.push(reader);
    }
    assert_eq!(get(house.http, "/v1/live", &[]).await.status, 503);
    house.client.publish("utterance/客厅", json!({"text": "打开书房吸顶灯", "rid": "r1"}).to_string()).await;
    for reader in &mut readers {
        assert_eq!(reader.on("utterance").await["rid"], "r1");
    }
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_is_slow_is_told_what_it_missed_and_keeps_nobody_waiting() {
    let house = House::open().await;
    let mut slow = Reader::open(house.http, &[]).await;
    slow.on("hello").await;
    let mut quick = Reader::open(house.http, &[]).await;
    quick.on("hello").await;
    // More than sockets and the stream hold: what is long is said until the slow one is behind.
    let said = format!("打开书房吸顶灯，{}", "嗯".repeat(150));
    let mut heard = 0;
    let talking = async {
        for _ in 0..60 {
            let mut asking = tokio::task::JoinSet::new();
            for _ in 0..16 {
                let (port, said) = (house.http, said.clone());
                asking
                    .spawn(async move { post(port, "/v1/ask", &[], &json!({"text": said, "instruct": false})).await });
            }
            while let Some(reply) = asking.join_next().await {
                assert_eq!(reply.unwrap().status, 200);
                quick.on("utterance").await;
                heard += 1;
            }
        }
    };
    within("all to be said", talking).await;
    assert_eq!(heard, 960, "the quick one misses nothing");
    let (mut seen, mut missed) = (0, 0);
    while seen + missed < 960 {
        match slow.next().await.expect("it is not cut off") {
            (name, _) if name == "utterance" => seen += 1,
            (name, data) if name == "lagged" => missed += data["missed"].as_u64().unwrap(),
            _ => {}
        }
    }
    assert_eq!(seen + missed, 960);
    let kept = get(house.http, "/v1/utterances?limit=200", &[]).await.body;
    assert_eq!(kept["utterances"][0]["seq"], 960, "what it missed can be read");
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_script_or_turn_the_line_around_go_through_as_they_are_and_are_not_given_away() {
    let mut house = House::open().await;
    let name = "<script>alert(1)</script>";
    let document = json!({
        "layout": ["客\u{202e}厅", "<b>房</b>"],
        "model": {"lamp": {"name": "lamp", "property": {"power": {"type": "bool", "range": [true, false]}}}},
        "devices": [
            {"id": "x\"><img src=x>", "name": name, "local": "<b>房</b>", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "b", "name": "小\u{202e}灯", "local": "客\u{202e}厅", "device": {"model": "lamp", "state": {"power": false}}},
        ],
    });
    house.client.publish("registry", document.to_string()).await;
    assert_eq!(house.client.on("registry/report").await["ok"], true);
    let home = get(house.http, "/v1/console/home", &[]).await;
    assert!(home.head.contains("application/json") && home.body["devices"][0]["name"] == name, "{}", home.text);
    let asked = post(house.http, "/v1/ask", &[], &json!({"text": format!("打开{name}和小\u{202e}灯\u{7}")})).await.body;
    let trace = get(house.http, &format!("/v1/utterances/{}/trace", asked["seq"]), &[]).await;
    assert!(trace.head.contains("nosniff"));
    let hidden = |c: char| c != '\n' && zhiju::text::is_invisible(c);
    assert!(!trace.text.contains("<script>") && !trace.text.chars().any(hidden), "{}", trace.text);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn state_is_told_live_and_a_flood_of_it_is_merged() {
    let house = House::open().await;
    let mut reader = Reader::open(house.http, &[]).await;
    reader.on("hello").await;
    for n in 0..500 {
        house.client.publish("state/cct-05", json!({"power": n % 2 == 0}).to_string()).await;
    }
    house.client.publish("state/cct-05", json!({"level": 77}).to_string()).await;
    let mut events = 1;
    while reader.on("state").await["state"]["level"] != 77 {
        events += 1;
    }
    assert!(events < 250, "{events} events of 501 reports");
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_are_over_are_remembered() {
    let house = House::open().await;
    let mut reader = Reader::open(house.http, &[]).await;
    reader.on("hello").await;
    let made = post(house.http, "/v1/ask", &[], &json!({"text": "明天早上七点打开书房吸顶灯"})).await.body;
    assert_eq!(made["intent"], "answer", "{made}");
    reader.on("jobs").await;
    let jobs = get(house.http, "/v1/jobs", &[]).await.body;
    assert_eq!(jobs["ended"], json!([]));
    post(house.http, "/v1/jobs/cancel", &[], &json!({"all": true})).await;
    let ended = get(house.http, "/v1/jobs", &[]).await.body["ended"].clone();
    assert_eq!((&ended[0]["id"], &ended[0]["how"]), (&jobs["jobs"][0]["id"], &json!("cancelled")), "{ended}");
    house.daemon.stop().await;
}

/// Asks so many times, one after the other, and gives the median of what it took, in microseconds.
async fn median(pipe: &mut crate::doors::clients::Pipe, rounds: usize) -> u128 {
    let mut took = Vec::new();
    for n in 0..rounds {
        let asked = Instant::now();
        pipe.ask(&format!("r{n}"), "page", if n % 2 == 0 { "打开书房吸顶灯" } else { "关掉三楼所有的空调" }).await;
        took.push(asked.elapsed().as_micros());
        // As people speak: what one utterance leaves to do is done before the next.
        tokio::time::sleep(Duration::from_millis(70)).await;
    }
    took.sort_unstable();
    took[took.len() / 2]
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures: cargo test --test it what_looking_costs -- --ignored --nocapture"]
#[allow(clippy::print_stdout, reason = "the figures are the result")]
async fn what_looking_costs() {
    let house = House::with(|settings| settings.http.iter_mut().for_each(|http| http.connections = 256)).await;
    let mut pipe = crate::doors::clients::Pipe::open(house.http, &[]).await;
    median(&mut pipe, 50).await;
    let (mut open, mut figures) = (tokio::task::JoinSet::new(), Vec::new());
    // Each twice, so that it shows what is chance.
    for readers in [0, 0, 1, 1, 50, 50] {
        while open.len() < readers {
            let mut reader = Reader::open(house.http, &[]).await;
            reader.on("hello").await;
            open.spawn(reader.drain());
        }
        figures.push((readers, median(&mut pipe, 150).await));
    }
    println!("readers and the median of an utterance, there and back, in microseconds: {figures:?}");
    house.daemon.stop().await;
}

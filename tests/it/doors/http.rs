//! HTTP: who may pass, what the routes say, and what they make of bad input.

use std::collections::BTreeSet;

use serde_json::json;

use super::clients::{Pipe, Reply, get, post, raw, send};
use super::renewed::secret;
use super::{House, SECRET, tokens};
use crate::common::{Broker, Client, free_port};
use crate::process::{Process, configure};

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_token_nothing_answers() {
    let house = House::with(|settings| settings.http.as_mut().unwrap().terms.tokens = Some(tokens())).await;
    let said = json!({"text": "打开书房吸顶灯"});
    let routes =
        [("GET", "/healthz"), ("GET", "/metrics"), ("GET", "/v1/home"), ("POST", "/v1/ask"), ("GET", "/v1/jobs")];
    let routes = routes.into_iter().chain([
        ("POST", "/api/conversation/process"),
        ("POST", "/mcp"),
        ("POST", "/v1/jobs/cancel"),
    ]);
    for (method, path) in routes {
        let line = format!("{method} {path}");
        let Reply { status, head, .. } = send(house.http, &line, &[], "{}").await;
        assert!(status == 401 && head.to_lowercase().contains("www-authenticate: bearer"), "{line}: {head}");
    }
    assert!(Pipe::at(house.http, zhiju::door::http::PIPE, &[]).await.is_err());
    let (see, ask) = (format!("Bearer {SECRET}-2"), format!("Bearer {SECRET}-3"));
    assert_eq!(post(house.http, "/v1/ask", &[("Authorization", &see)], &said).await.status, 403);
    assert_eq!(get(house.http, "/v1/home", &[("Authorization", &ask)]).await.status, 403);
    assert_eq!(get(house.http, "/v1/home", &[("Authorization", &see)]).await.body["revision"], 1);
    assert_eq!(post(house.http, "/v1/ask", &[("Authorization", &ask)], &said).await.status, 200);
    let all = serde_json::json!({"all": true});
    assert_eq!(get(house.http, "/v1/jobs", &[("Authorization", &see)]).await.body["count"], 0);
    assert_eq!(post(house.http, "/v1/jobs/cancel", &[("Authorization", &see)], &all).await.status, 403);
    assert_eq!(get(house.http, "/healthz", &[("Authorization", &ask)]).await.text, "ok\n");
    let address = format!("{}?access_token={SECRET}", zhiju::door::http::PIPE);
    assert_eq!(Pipe::at(house.http, &address, &[]).await.unwrap().ask("r", "p", "你好").await["ret"], 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_tokens_is_shut_out_and_who_has_the_right_one_is_not() {
    let house = House::with(|settings| settings.http.as_mut().unwrap().terms.tokens = Some(tokens())).await;
    let mut statuses = BTreeSet::new();
    for guess in 0..20 {
        let token = format!("Bearer {SECRET}{guess:04}");
        statuses.insert(get(house.http, "/healthz", &[("Authorization", &token)]).await.status);
    }
    assert_eq!(statuses, [401, 429].into());
    let token = format!("Bearer {SECRET}");
    assert_eq!(get(house.http, "/healthz", &[("Authorization", &token)]).await.status, 200);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_guesses_tokens_stands_in_the_log_and_what_was_guessed_does_not() {
    let (broker, folder, port) = (Broker::embedded().await, tempfile::tempdir().unwrap(), free_port().await);
    let mut client = Client::connect(broker.port(), "client").await;
    let yaml = format!("mqtt: {{port: {}}}\nhttp: {{listen: '127.0.0.1:{port}', tokens: tokens}}\n", broker.port());
    secret(&folder.path().join("tokens"), &format!("phone ask {SECRET}\n"));
    let mut daemon = Process::start(&configure(folder.path(), &yaml));
    client.status("online").await;
    let guess = format!("Bearer {SECRET}-guessed");
    assert_eq!(get(port, "/healthz", &[("Authorization", &guess)]).await.status, 401);
    let line = daemon.says("a token that is none was shown").await;
    assert!(line.contains("127.0.0.1") && !line.contains(SECRET), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_and_names_that_were_pointed_here_move_nothing() {
    let mut house = House::open().await;
    let said = json!({"text": "打开书房吸顶灯"});
    let own = format!("http://127.0.0.1:{}", house.http);
    for headers in [
        &[("Origin", "https://evil.example")][..],
        &[("Origin", "null")],
        &[("Origin", "http://127.0.0.1")],
        &[("Host", "evil.example")],
        &[("Host", "evil.example"), ("Origin", "http://evil.example")],
        &[("Host", "127.0.0.1.evil.example:80")],
        &[("X-Forwarded-For", "1.2.3.4")],
    ] {
        for path in ["/v1/ask", "/api/conversation/process", "/mcp"] {
            let Reply { status, text, .. } = post(house.http, path, headers, &said).await;
            assert_eq!(status, 403, "{path} {headers:?}: {text}");
        }
        assert!(Pipe::at(house.http, zhiju::door::http::PIPE, headers).await.is_err(), "{headers:?}");
    }
    // What a page may send without asking first: forms, and text.
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let headers = [("Content-Type", kind)];
        assert_eq!(send(house.http, "POST /v1/ask", &headers, &said.to_string()).await.status, 415);
    }
    assert_eq!(house.moved(), 0);
    assert_eq!(post(house.http, "/v1/ask", &[("Origin", &own)], &said).await.status, 200);
    house.client.on("instruct/cct-05").await;
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_bodies_are_errors_and_the_door_stays_open() {
    let mut house = House::open().await;
    let kind = [("Content-Type", "application/json; charset=utf-8")];
    let large = format!("{{\"text\": \"{}\"}}", "灯".repeat(40_000));
    let long = format!("{{\"text\": \"{}\"}}", "灯".repeat(2_001));
    let deep = "[".repeat(20_000);
    for path in ["/v1/ask", "/api/conversation/process"] {
        for (body, wanted) in [
            ("", 400),
            ("not json", 400),
            ("[]", 400),
            ("{}", 400),
            (r#"{"text": 5}"#, 400),
            (r#"{"text": "开灯", "conversation_id": 5, "page_id": 5}"#, 400),
            (deep.as_str(), 400),
            (long.as_str(), 400),
            (large.as_str(), 413),
        ] {
            let Reply { status, body: told, .. } = send(house.http, &format!("POST {path}"), &kind, body).await;
            let message = told["error"]["message"].as_str().or(told["message"].as_str());
            assert!(
                status == wanted && message.is_some(),
                "{path}: {status} for {:?}: {told}",
                &body[..body.len().min(30)]
            );
        }
    }
    assert_eq!(get(house.http, "/v1/ask", &[]).await.status, 405);
    assert_eq!(get(house.http, "/nowhere", &[]).await.status, 404);
    assert_ne!(raw(house.http, b"\x16\x03\x01\x02\x00\x01\xfc\x03\x03\r\n\r\n").await.status, 200);
    assert_eq!(house.moved(), 0);
    let Reply { status, body, .. } =
        post(house.http, "/v1/ask", &[], &json!({"text": "打开书房吸顶灯", "instruct": false})).await;
    assert_eq!((status, &body["instructs"], &body["intent"]), (200, &json!([]), &json!("instruct")));
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn home_assistants_clients_are_told_in_its_own_form() {
    let house = House::open().await;
    let process = |said: serde_json::Value| async move {
        let Reply { status, body, .. } = post(house.http, "/api/conversation/process", &[], &said).await;
        assert_eq!(status, 200);
        body
    };
    let done = process(json!({"text": "打开书房吸顶灯", "language": "zh"})).await;
    let response = &done["response"];
    assert_eq!((&response["response_type"], &response["language"]), (&json!("action_done"), &json!("zh")));
    assert_eq!(response["data"]["success"], json!([{"name": "吸顶灯", "type": "entity", "id": "cct-05"}]));
    assert!(done["conversation_id"].is_string() && done["continue_conversation"] == false);
    let asked = process(json!({"text": "打开大门锁"})).await;
    let response = &asked["response"];
    assert_eq!((&response["response_type"], &asked["continue_conversation"]), (&json!("query_answer"), &json!(true)));
    let called_off = json!({"text": "算了", "conversation_id": asked["conversation_id"]});
    assert_eq!(process(called_off).await["response"]["response_type"], "query_answer");
    let other = process(json!({"text": "今天天气怎么样"})).await;
    assert_eq!(other["response"]["response_type"], "error");
    assert_eq!(other["response"]["data"]["code"], "no_intent_match");
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_seen_and_taken_back() {
    let house = House::open().await;
    let made = post(house.http, "/v1/ask", &[], &serde_json::json!({"text": "明天早上七点打开书房吸顶灯"})).await;
    assert_eq!(made.body["intent"], "answer", "{}", made.text);
    let jobs = get(house.http, "/v1/jobs", &[]).await.body;
    assert_eq!((&jobs["count"], &jobs["jobs"][0]["repeat"]), (&1.into(), &serde_json::Value::Null), "{jobs}");
    assert_eq!(post(house.http, "/v1/jobs/cancel", &[], &serde_json::json!({})).await.status, 400);
    let gone = post(house.http, "/v1/jobs/cancel", &[], &serde_json::json!({"id": jobs["jobs"][0]["id"]})).await;
    assert_eq!(gone.body["gone"][0]["id"], jobs["jobs"][0]["id"]);
    assert_eq!(get(house.http, "/v1/jobs", &[]).await.body["count"], 0);
    house.daemon.stop().await;
}

#[test]
fn the_routes_are_those_of_the_document() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/openapi.yaml");
    let document: serde_json::Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let described: BTreeSet<String> = document["paths"].as_object().unwrap().keys().cloned().collect();
    let served: BTreeSet<String> = zhiju::door::http::paths().into_iter().collect();
    assert_eq!(described, served);
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(["get", "post"].contains(&method.as_str()), "{path}");
            assert!(operation["responses"].is_object() && operation["summary"].is_string(), "{path}");
        }
    }
}

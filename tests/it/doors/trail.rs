//! Who stands in the audit trail.

use serde_json::{Value, json};

use super::clients::{Pipe, Reply, WyomingClient, post};
use super::dial::Server;
use super::{House, SECRET, tokens};

#[tokio::test(flavor = "multi_thread")]
async fn the_trail_names_the_door_and_who_stood_there_whatever_the_door() {
    let folder = tempfile::tempdir().unwrap();
    let (server, address) = Server::at().await;
    let mut house = House::with(|settings| {
        settings.http.as_mut().unwrap().terms.tokens = Some(tokens());
        settings.state_dir = folder.path().to_owned();
        // Called like a token: another client all the same.
        settings.mcp_endpoints = vec![zhiju::door::mcp::Endpoint::new("phone", address).unwrap()];
    })
    .await;
    let bearer = format!("Bearer {SECRET}");
    let headers = [("Authorization", bearer.as_str())];
    let said = ["打开大门锁", "确认"];
    let command = |text: &str| json!({"name": "home_command", "arguments": {"text": text, "conversation": "p"}});
    let mut toy = server.dialled().await;
    toy.greet().await;

    for text in said {
        house.client.publish("utterance/客厅", json!({"text": text, "page_id": "p"}).to_string()).await;
        house.client.on("reply/客厅").await;
    }
    for text in said {
        let Reply { body, .. } = post(house.http, "/v1/ask", &headers, &json!({"text": text, "page_id": "p"})).await;
        assert!(body["intent"].is_string(), "{body}");
    }
    let mut pipe = Pipe::open(house.http, &headers).await;
    for (rid, text) in said.into_iter().enumerate() {
        pipe.ask(&rid.to_string(), "p", text).await;
    }
    for text in said {
        let context = json!({"conversation_id": "p"});
        let asked = json!({"text": text, "context": context});
        assert_eq!(WyomingClient::connect(house.wyoming).await.ask("transcript", asked).await.0, "handled");
    }
    // Asked by a token and by an endpoint of the same name: each is asked for itself.
    for text in said {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": command(text)});
        let by_token = post(house.http, "/mcp", &headers, &message).await.body["result"].clone();
        let dialled = toy.call(1, "tools/call", command(text)).await["result"].clone();
        for result in [by_token, dialled] {
            let asks = result["structuredContent"]["ask_user"].as_bool();
            assert_eq!(asks, Some(text == said[0]), "{result}");
        }
    }
    for _ in 0..6 {
        house.client.on("instruct/lock-01").await;
    }
    house.daemon.stop().await;
    let trail = zhiju::store::read_trail(folder.path()).unwrap();
    let trail: Vec<Value> = trail.iter().map(|entry| serde_json::from_slice(entry).unwrap()).collect();
    let of = |step: &str| {
        let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let entries = trail.iter().filter(|entry| entry["step"] == step);
        let mut who: Vec<_> =
            entries.map(|entry| (text(entry, "door"), text(entry, "client") + &text(entry, "satellite"))).collect();
        who.sort();
        who
    };
    let expected = [
        ("endpoint", "phone"),
        ("http", "phone"),
        ("mcp", "phone"),
        ("satellite", "客厅"),
        ("socket", "phone"),
        ("wyoming", "127.0.0.1"),
    ];
    let expected = expected.map(|(door, client)| (door.to_owned(), client.to_owned()));
    for step in ["asked", "ordered"] {
        assert_eq!(of(step), expected, "{step}: {trail:?}");
    }
}

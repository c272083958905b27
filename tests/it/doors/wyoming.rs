//! Wyoming.

use serde_json::json;
use tokio::io::{AsyncReadExt, BufStream};

use super::House;
use super::clients::{WyomingClient, connect_from};
use crate::common::within;

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_learns_that_homes_can_be_controlled_here() {
    let house = House::open().await;
    let mut client = WyomingClient::connect(house.wyoming).await;
    let (kind, info) = client.ask("describe", json!({})).await;
    assert_eq!(kind, "info");
    let program = &info["handle"][0];
    assert_eq!((&program["installed"], &program["supports_home_control"]), (&json!(true), &json!(true)));
    assert!(program["models"][0]["languages"].as_array().unwrap().contains(&json!("zh-CN")));
    assert!(info.get("satellite").is_none());
    assert_eq!(client.ask("ping", json!({"text": "x"})).await, ("pong".into(), json!({"text": "x"})));
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_for_us_is_left_to_the_next_agent() {
    let mut house = House::open().await;
    let mut client = WyomingClient::connect(house.wyoming).await;
    for (text, wanted) in [
        ("打开书房吸顶灯", "handled"),
        ("家里哪些灯开着", "handled"),
        ("先不要开空调", "handled"),
        ("今天天气怎么样", "not-handled"),
        ("小爱，开灯", "not-handled"),
        ("", "not-handled"),
    ] {
        let (kind, data) = client.ask("transcript", json!({"text": text})).await;
        assert_eq!(kind, wanted, "{text}: {data}");
    }
    house.client.on("instruct/cct-05").await;
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn both_forms_are_read_and_devices_stand_in_their_rooms() {
    let house = House::with(|settings| {
        settings.satellites = [("esp32-7".to_owned(), "书房".to_owned())].into();
    })
    .await;
    let mut client = WyomingClient::connect(house.wyoming).await;
    let data = json!({"text": "打开灯", "context": {"device_id": "esp32-7"}}).to_string();
    let event = format!("{}\n{data}", json!({"type": "transcript", "data_length": data.len(), "payload_length": null}));
    client.say(event.as_bytes()).await;
    let (kind, apart) = client.event().await.unwrap();
    assert!(kind == "handled" && apart["text"].as_str().unwrap().contains("书房"), "{apart}");
    let inline = json!({"type": "transcript", "data": {"text": "打开灯", "context": {"satellite_id": "esp32-7"}}});
    client.say(format!("{inline}\n").as_bytes()).await;
    assert_eq!(client.event().await.unwrap().1["text"], apart["text"]);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lengths_that_lie_and_what_is_no_event_end_the_connection_and_move_nothing() {
    let mut house = House::open().await;
    let long = [b"{\"type\":\"".as_slice(), &vec![b'a'; 100_000]].concat();
    for bad in [
        b"not json\n".as_slice(),
        b"{\"type\":\"transcript\",\"data_length\":4294967296}\n",
        b"{\"type\":\"transcript\",\"data_length\":-3}\n",
        b"{\"type\":\"audio-chunk\",\"payload_length\":10000000}\n",
        b"{\"type\":\"transcript\",\"data_length\":2}\n[]",
        b"\x00\xff\xfe\n",
        &long,
    ] {
        let mut client = WyomingClient::connect(house.wyoming).await;
        let _ = tokio::io::AsyncWriteExt::write_all(&mut client.stream, bad).await;
        let _ = tokio::io::AsyncWriteExt::flush(&mut client.stream).await;
        let mut rest = Vec::new();
        let _ = within("the end", client.stream.read_to_end(&mut rest)).await;
        let told = String::from_utf8_lossy(&rest);
        assert!(rest.is_empty() || told.contains("\"error\""), "{told}");
    }
    let mut client = WyomingClient::connect(house.wyoming).await;
    for bad in [json!({}), json!({"text": 5}), json!({"text": "灯".repeat(2_001)})] {
        assert_eq!(client.ask("transcript", bad).await.0, "error");
    }
    assert_eq!(client.ask("transcript", json!({"text": "家里哪些灯开着"})).await.0, "handled");
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_address_leaves_room_for_the_others() {
    let house = House::with(|settings| settings.wyoming.as_mut().unwrap().connections = 4).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut client = WyomingClient::connect(house.wyoming).await;
        assert_eq!(client.ask("ping", json!({})).await.0, "pong");
        held.push(client);
    }
    let mut one_more = WyomingClient::connect(house.wyoming).await;
    assert!(within("the end", one_more.stream.read_u8()).await.is_err(), "closed at once");
    let mut other = WyomingClient { stream: BufStream::new(connect_from(2, house.wyoming).await) };
    assert_eq!(other.ask("ping", json!({})).await.0, "pong");
    house.daemon.stop().await;
}

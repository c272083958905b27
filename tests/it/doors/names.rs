//! Names that hold script, steer a terminal or turn the line around, through every door.

use serde_json::{Value, json};
use zhiju::frame::clean;

use super::House;
use super::clients::{McpClient, Pipe, get};
use super::said::Door;
use crate::common::within;

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_are_told_through_every_door_without_what_steers_and_nothing_is_lost() {
    let mut house = House::open().await;
    let name = "台\u{202e}灯\n<b onload=x>\u{1b}[2J\u{0}\"}";
    let place = "书\u{202e}房\u{7}";
    let document = json!({
        "layout": [place, "客厅"],
        "model": {"lamp": {"describe": "灯", "property": {"power": {"type": "bool"}, "song": {"type": "string"}}}},
        "devices": [{"id": "lamp", "name": name, "local": "客厅", "device": {"model": "lamp", "state": {"power": false}}}],
    });
    house.client.publish("registry", document.to_string()).await;
    assert_eq!(house.client.on("registry/report").await["ok"], true);
    let doors = [
        Door::Mqtt,
        Door::Ask,
        Door::Conversation,
        Door::Pipe(Box::new(Pipe::open(house.http, &[]).await)),
        Door::Wyoming,
        Door::Mcp(McpClient::new(house.http)),
    ];
    for (number, mut door) in doors.into_iter().enumerate() {
        let text = door.say(&mut house, ("p", "打开客厅的灯"), number).await.text;
        assert!(text.contains("onload") && text == clean(&text), "door {number}: {text:?}");
        assert_eq!(house.client.on("instruct/lamp").await["state"], json!({"power": true}), "door {number}");
    }
    house.client.publish("state/lamp", json!({"power": true, "song": "a\u{202e}b\u{1b}"}).to_string()).await;
    let mut seen = Value::Null;
    let seeing = async {
        while seen["devices"][0]["state"]["song"].is_null() {
            seen = get(house.http, "/v1/home", &[]).await.body;
        }
    };
    within("the state to be seen", seeing).await;
    let (device, room) = (&seen["devices"][0], &seen["rooms"][0]);
    assert_eq!((&device["name"], &device["state"]["song"]), (&json!(clean(name)), &json!("ab")));
    assert_eq!(room["name"], json!(clean(place)));
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}

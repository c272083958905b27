//! Names that hold script, steer a terminal or turn the line around, through every door.

use serde_json::json;
use zhiju::frame::clean;

use super::clients::{McpClient, Pipe};
use super::{Door, House};

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_are_told_through_every_door_without_what_steers_and_nothing_is_lost() {
    let mut house = House::open().await;
    let name = "台\u{202e}灯\n<b onload=x>\u{1b}[2J\u{0}\"}";
    let document = json!({
        "layout": ["客厅"],
        "model": {"lamp": {"describe": "灯", "property": {"power": {"type": "bool"}}}},
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
        let text = door.say(&mut house, ("p", "打开客厅的灯"), number).await;
        assert!(text.contains("onload") && text == clean(&text), "door {number}: {text:?}");
        assert_eq!(house.client.on("instruct/lamp").await["state"], json!({"power": true}), "door {number}");
    }
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}

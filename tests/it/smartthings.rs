//! A SmartThings over a real broker: what somebody with its token publishes is a home that is spoken to.

use rumqttc::v5::mqttbytes::QoS;
use serde_json::{Value, json};

use crate::common::{Client, Mosquitto, Pace, json_of, request};
use crate::process::{Process, configure};

fn status(power: &str) -> Value {
    let value = |value: Value| json!({"value": value, "timestamp": "2026-11-01T09:14:39.642Z"});
    json!({"components": {"main": {
        "switch": {"switch": value(json!(power))},
        "airConditionerMode": {"airConditionerMode": value(json!("cool")), "supportedAcModes": value(json!(["cool", "heat"]))},
        "thermostatCoolingSetpoint": {"coolingSetpoint": {"value": 26, "unit": "C"}},
        "lock": {"lock": value(json!("locked"))},
    }}})
}

fn device(id: &str, label: &str, category: &str, capabilities: &[&str]) -> Value {
    let capabilities: Vec<Value> = capabilities.iter().map(|id| json!({"id": id, "version": 1})).collect();
    json!({"deviceId": id, "name": "[device]", "label": label, "locationId": "l", "roomId": "r",
        "components": [{"id": "main", "capabilities": capabilities, "categories": [{"name": category}]}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_of_smartthings_are_loaded_spoken_to_and_believed_by_their_status() {
    let (broker, folder) = (Mosquitto::start().await, tempfile::tempdir().unwrap());
    let mut client =
        Client::subscribed(broker.port, "bridge", &["zhiju/home/#", "smartthings/commands/#"], Pace::default()).await;
    let keep = |topic: &str, payload: Value| {
        client.client.try_publish(format!("smartthings/{topic}"), QoS::AtLeastOnce, true, payload.to_string()).unwrap();
    };
    let climate = ["switch", "airConditionerMode", "thermostatCoolingSetpoint"];
    let items = [device("ac", "空调", "AirConditioner", &climate), device("door", "大门锁", "SmartLock", &["lock"])];
    keep("rooms", json!({"items": [{"roomId": "r", "name": "客厅"}]}));
    keep("devices", json!({"items": items}));
    keep("status/ac", status("off"));
    keep("status/door", status("off"));
    let yaml = format!("mqtt: {{port: {}}}\nhubs: {{st: {{kind: smartthings}}}}\n", broker.port);
    let _daemon = Process::start(&configure(folder.path(), &yaml));
    let told = client.find("the hub", |told| json_of(told)["hubs"][0]["devices_online"] == 2).await;
    assert_eq!(json_of(&told)["hubs"][0]["rejected"], json!([]));

    client.publish("request", request("r1", "p1", "打开客厅空调").to_string()).await;
    let command = |told: &[u8]| serde_json::from_slice::<Value>(told).unwrap()["commands"].clone();
    let said = client.find("a command", |told| told.topic == "smartthings/commands/ac").await;
    assert_eq!(
        command(&said.payload),
        json!([{"component": "main", "capability": "switch", "command": "on", "arguments": []}])
    );
    client.client.publish("smartthings/status/ac", QoS::AtLeastOnce, true, status("on").to_string()).await.unwrap();
    assert_eq!(client.on("outcome/r1").await["result"], "confirmed");

    client.publish("request", request("r2", "p2", "客厅空调调到二十四度").to_string()).await;
    let said = client.find("a command", |told| told.topic == "smartthings/commands/ac").await;
    assert_eq!(command(&said.payload)[0]["arguments"], json!([24]));

    // What guards waits for a yes.
    client.publish("request", request("r3", "p3", "打开大门锁").to_string()).await;
    assert_eq!(client.finish("r3").await["payload"]["data"]["active"]["intent"]["type"], "question");
    client.publish("request", request("r4", "p3", "确认").to_string()).await;
    let said = client.find("a command", |told| told.topic == "smartthings/commands/door").await;
    assert_eq!(command(&said.payload)[0]["command"], "unlock");
}

//! Hubs on our broker: whatever is published on whichever topic, they live, what they bring is a home document, and it is
//! bounded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zhiju::hub::MqttHub;
use zhiju::hub::discovery::Discovery;
use zhiju::hub::smartthings::SmartThings;
use zhiju::hub::zigbee2mqtt::Zigbee2Mqtt;

fuzz_target!(|text: &str| {
    let mut hubs: [Box<dyn MqttHub>; 3] = [
        Box::new(Zigbee2Mqtt::new("z".into())),
        Box::new(Discovery::new("h".into())),
        Box::new(SmartThings::new("s".into())),
    ];
    // A line is a topic, a blank and a payload.
    for line in text.lines().take(32) {
        let (topic, payload) = line.split_once(' ').unwrap_or((line, ""));
        for hub in &mut hubs {
            hub.heard(topic, payload.as_bytes(), true);
        }
    }
    for hub in &hubs {
        zhiju::home::parse(&hub.home().document).expect("what a hub brings is a home document");
        assert!(hub.subscriptions().len() < 100_000);
    }
});

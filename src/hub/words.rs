//! What hubs' things are called here, of all hubs together: read and checked before any of them is made.

use std::sync::Arc;

use super::colour::Colours;
use super::discovery::Data as DiscoveryWords;
use super::home_assistant::Words as HomeAssistantWords;
use super::smartthings::Known as SmartThingsWords;
use super::zigbee2mqtt::Words as Zigbee2MqttWords;
use crate::zh::{COLOURS, DISCOVERY, DataError, HOME_ASSISTANT, SMARTTHINGS, Sources, ZIGBEE2MQTT};

/// The words for what hubs bring.
#[derive(Clone, Debug)]
pub struct HubWords {
    pub(super) home_assistant: Arc<HomeAssistantWords>,
    pub(super) zigbee2mqtt: Arc<Zigbee2MqttWords>,
    pub(super) discovery: Arc<DiscoveryWords>,
    pub(super) smartthings: Arc<SmartThingsWords>,
    pub(super) colours: Arc<Colours>,
}

impl HubWords {
    /// Those that ship, with what an owner lays over them.
    ///
    /// # Errors
    /// Names what is wrong in them, each with its file and its path.
    pub fn of(sources: &Sources) -> Result<Self, DataError> {
        Ok(Self {
            home_assistant: Arc::new(HomeAssistantWords::of(&sources.data(&HOME_ASSISTANT)?)?),
            zigbee2mqtt: Arc::new(sources.data(&ZIGBEE2MQTT)?.read()?),
            discovery: Arc::new(sources.data(&DISCOVERY)?.read()?),
            smartthings: Arc::new(sources.data(&SMARTTHINGS)?.read()?),
            colours: Arc::new(Colours::of(&sources.data(&COLOURS)?)?),
        })
    }
}

impl Default for HubWords {
    /// Those that ship.
    fn default() -> Self {
        Self::of(&Sources::default()).expect("a test reads the data")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_calls_what_hubs_bring_as_he_likes() {
        let own = Sources::text(&ZIGBEE2MQTT, "properties: {child_lock: 安全锁}").unwrap();
        assert_eq!(HubWords::of(&own).unwrap().zigbee2mqtt.property("child_lock").as_deref(), Some("安全锁"));
        let own = Sources::text(&HOME_ASSISTANT, "properties: {brightness: 光度}").unwrap();
        assert_eq!(HubWords::of(&own).unwrap().home_assistant.property("brightness"), "光度");
        let own = Sources::text(&COLOURS, "[{id: mint, word: 薄荷色, hue: 150, saturation: 40}]").unwrap();
        assert_eq!(HubWords::of(&own).unwrap().colours.hue("mint"), Some((150.0, 40.0)));
    }
}

//! The kinds of hubs: the one place where a hub of the configuration becomes one that runs.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::hub::discovery::Discovery;
use crate::hub::home_assistant::{self, Exposure, HomeAssistant};
use crate::hub::smartthings::SmartThings;
use crate::hub::zigbee2mqtt::Zigbee2Mqtt;
use crate::hub::{Change, Delivery, Hub, HubKind, HubSettings, HubWords, Line, MqttHub};

/// Changes of a hub with a connection of its own that may wait for the home.
const CHANGES: usize = 1_024;

/// Messages that may wait for such a connection.
const DELIVERIES: usize = 256;

/// A hub's own connection, for as long as it is polled.
pub(super) type Connection = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A hub that can be spoken with.
pub(super) enum Opened {
    /// Over the broker that we are connected to anyway.
    Mqtt(Box<dyn MqttHub>),
    /// By a connection of its own.
    Connected {
        /// What it knows.
        hub: Arc<Mutex<dyn Hub>>,
        /// Its connection, for as long as it is polled.
        run: Connection,
        /// What it tells.
        changes: mpsc::Receiver<Change>,
        /// What it is told.
        deliveries: mpsc::Sender<Delivery>,
    },
}

impl Opened {
    /// A hub whose connection is a future that speaks by a line.
    pub(super) fn connected<H: Hub, F: Future<Output = ()> + Send + 'static>(
        hub: H,
        run: impl FnOnce(Arc<Mutex<H>>, Line) -> F,
    ) -> Self {
        let hub = Arc::new(Mutex::new(hub));
        let (changes_tx, changes) = mpsc::channel(CHANGES);
        let (deliveries, deliveries_rx) = mpsc::channel(DELIVERIES);
        let run = Box::pin(run(Arc::clone(&hub), Line { changes: changes_tx, deliveries: deliveries_rx }));
        Self::Connected { hub, run, changes, deliveries }
    }
}

/// Opens a hub of the configuration.
pub(super) fn open(settings: &HubSettings, clock: &Clock, words: &HubWords) -> Opened {
    match &settings.kind {
        HubKind::HomeAssistant(own) => {
            let settings = home_assistant::Settings::of(&settings.name, own);
            let clock = clock.clone();
            let exposure = if own.everything { Exposure::Everything } else { Exposure::Assist };
            Opened::connected(HomeAssistant::new(exposure).in_words(words), |hub, line| {
                home_assistant::run(settings, hub, line, clock)
            })
        }
        HubKind::HaDiscovery { prefix, birth } => {
            let hub = Discovery::new(prefix.clone()).in_words(words);
            Opened::Mqtt(Box::new(if *birth { hub.announced() } else { hub }))
        }
        HubKind::Zigbee2Mqtt { base_topic } => {
            Opened::Mqtt(Box::new(Zigbee2Mqtt::new(base_topic.clone()).in_words(words)))
        }
        HubKind::SmartThings { topic } => Opened::Mqtt(Box::new(SmartThings::new(topic.clone()).in_words(words))),
    }
}

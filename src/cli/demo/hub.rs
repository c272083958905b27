//! The rest of the home, played over MQTT: the app, the satellites, and the hub that obeys and reports.

use std::collections::HashMap;
use std::future::pending;
use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, Publish};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::failed;
use super::script::Step;
use crate::cli::CliError;
use crate::cli::present::{Answer, words};
use crate::frame::TOPIC;

/// How long anything may take before the demonstration gives up on it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Messages that may wait between the connection and the script.
const QUEUE: usize = 1024;

/// A home document and what comes with it has to fit.
const MAX_PACKET: u32 = 4 << 20;

/// One message from the daemon: topic below `zhiju/{home}/`, payload.
type Message = (String, Value);

/// A client of the broker that plays the home.
pub(super) struct Hub {
    client: AsyncClient,
    messages: mpsc::Receiver<Message>,
    prefix: String,
    states: HashMap<String, Map<String, Value>>,
}

/// Whether everything is there: a frame that tells of an error, or one whose instructs, candidates and last words have
/// come too. `silent`: the last word is that nothing is said.
fn is_whole(answer: &Answer, silent: bool) -> bool {
    let data = answer.data();
    let told =
        data["active"]["instructs"].as_array().is_some_and(|instructs| instructs.len() == answer.instructs.len());
    !data["error"].is_null()
        || told && !answer.candidates.is_null() && (silent || answer.reply == words(&answer.finish))
}

impl Hub {
    /// Connects, and knows the state that `document` gives each device.
    pub(super) async fn connect(port: u16, home_id: &str, document: &str) -> Result<Self, CliError> {
        let mut options = MqttOptions::new("zhiju-demo-hub", "127.0.0.1", port);
        options.set_max_packet_size(Some(MAX_PACKET));
        let (client, mut events) = AsyncClient::new(options, QUEUE);
        let prefix = format!("zhiju/{home_id}/");
        let (sender, messages) = mpsc::channel(QUEUE);
        let below = prefix.clone();
        tokio::spawn(async move {
            while let Ok(event) = events.poll().await {
                let Event::Incoming(Packet::Publish(publish)) = event else { continue };
                if let Some(message) = read(&below, &publish)
                    && sender.send(message).await.is_err()
                {
                    return;
                }
            }
        });
        let subscribed = client.subscribe(format!("{prefix}#"), QoS::AtLeastOnce).await;
        subscribed.map_err(|error| failed("cannot subscribe", error))?;
        Ok(Self { client, messages, prefix, states: states_of(document) })
    }

    /// Publishes the home as the registry and waits until the daemon has it; returns the number of devices.
    pub(super) async fn register(&mut self, document: &str) -> Result<u64, CliError> {
        self.wait("the daemon's status", |topic, payload| topic == "status" && payload["state"] == "online").await?;
        self.publish("registry", true, document.to_owned()).await?;
        let report = self.wait("the registry report", |topic, _| topic == "registry/report").await?;
        Ok(report["devices"].as_u64().unwrap_or_default())
    }

    /// An app's request frame with a home of its own.
    pub(super) async fn request(&mut self, rid: &str, step: &Step, home: &Value) -> Result<Answer, CliError> {
        let payload = json!({
            "page_id": step.page, "question": step.text, "local": step.room, "instruct": true, "home": home,
        });
        let frame = json!({"topic": TOPIC, "rid": rid, "payload": payload});
        self.publish("request", false, frame.to_string()).await?;
        self.listen(rid, None).await
    }

    /// A satellite's transcript.
    pub(super) async fn utter(&mut self, rid: &str, step: &Step) -> Result<Answer, CliError> {
        let payload = json!({"text": step.text, "rid": rid, "page_id": step.page});
        self.publish(&format!("utterance/{}", step.room), false, payload.to_string()).await?;
        self.listen(rid, Some(&step.room)).await
    }

    /// Obeys and reports until the connection is lost.
    pub(super) async fn serve(&mut self) -> Result<(), CliError> {
        loop {
            let (topic, payload) = self.next("the broker", pending()).await?;
            self.obey(&topic, &payload).await?;
        }
    }

    /// Collects what comes for a request, in whatever order the broker brings it, until all is there.
    async fn listen(&mut self, rid: &str, satellite: Option<&str>) -> Result<Answer, CliError> {
        let mut answer = Answer::default();
        let (response, candidates) = (format!("response/{rid}"), format!("candidates/{rid}"));
        let reply = satellite.map(|satellite| format!("reply/{satellite}"));
        let what = format!("the whole answer to {rid}");
        let mut silent = false;
        while !is_whole(&answer, silent) {
            let (topic, payload) = self.next(&what, tokio::time::sleep(PATIENCE)).await?;
            // Only the villa is real: an app that brings its own home looks after that home's devices itself.
            if satellite.is_some() {
                self.obey(&topic, &payload).await?;
            }
            if topic == candidates {
                answer.candidates = payload;
            } else if topic.starts_with("instruct/") && payload["rid"] == rid {
                answer.instructs.push(payload);
            } else if topic == response && payload["payload"]["finish"] == true {
                answer.finish = payload;
                if reply.is_none() {
                    // Who brings a home is told what moves in it, and moves it.
                    let told = answer.finish.pointer("/payload/data/active/instructs").and_then(Value::as_array);
                    answer.instructs = told.cloned().unwrap_or_default();
                    answer.reply = words(&answer.finish).to_owned();
                }
            } else if Some(&topic) == reply.as_ref() && payload["rid"] == rid {
                answer.reply = payload["text"].as_str().unwrap_or_default().to_owned();
                silent = answer.reply.is_empty();
            }
        }
        if silent {
            answer.reply = words(&answer.finish).to_owned();
        }
        Ok(answer)
    }

    /// What a hub does: a device that is told to change reports its new state, one that is asked reports what it has.
    async fn obey(&mut self, topic: &str, payload: &Value) -> Result<(), CliError> {
        let device = if let Some(device) = topic.strip_prefix("instruct/") {
            let state = self.states.entry(device.to_owned()).or_default();
            state.extend(payload["state"].as_object().cloned().unwrap_or_default());
            device
        } else if let Some(device) = topic.strip_prefix("state/").and_then(|rest| rest.strip_suffix("/get")) {
            device
        } else {
            return Ok(());
        };
        let state = self.states.get(device).cloned().unwrap_or_default();
        self.publish(&format!("state/{device}"), true, Value::Object(state).to_string()).await
    }

    async fn publish(&self, topic: &str, retain: bool, payload: String) -> Result<(), CliError> {
        let published = self.client.publish(self.prefix.clone() + topic, QoS::AtLeastOnce, retain, payload).await;
        published.map_err(|error| failed("cannot publish", error))
    }

    /// Waits for a message of a kind.
    async fn wait(&mut self, what: &str, fits: impl Fn(&str, &Value) -> bool) -> Result<Value, CliError> {
        loop {
            let (topic, payload) = self.next(what, tokio::time::sleep(PATIENCE)).await?;
            if fits(&topic, &payload) {
                return Ok(payload);
            }
        }
    }

    async fn next(&mut self, what: &str, patience: impl Future<Output = ()>) -> Result<Message, CliError> {
        tokio::select! {
            message = self.messages.recv() => message.ok_or_else(|| failed(what, "the broker is gone")),
            () = patience => Err(failed(what, "did not come")),
        }
    }
}

fn read(prefix: &str, publish: &Publish) -> Option<Message> {
    let topic = std::str::from_utf8(&publish.topic).ok()?.strip_prefix(prefix)?;
    Some((topic.to_owned(), serde_json::from_slice(&publish.payload).ok()?))
}

/// The state that a home document gives each device.
fn states_of(document: &str) -> HashMap<String, Map<String, Value>> {
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let devices = document["devices"].as_array().into_iter().flatten();
    let states = devices.filter_map(|device| {
        let state = device.pointer("/device/state").and_then(Value::as_object)?;
        Some((device["id"].as_str()?.to_owned(), state.clone()))
    });
    states.collect()
}

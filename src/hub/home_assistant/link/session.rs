//! One connection: authentication, what is fetched and subscribed to, and what is said on it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use tracing::{debug, warn};

use super::super::registry::{Fetched, Part};
use super::wire::{Failure, broken, foreign, greeted, hear, message, send, whose};
use super::{Link, LinkError, Settings};
use crate::dial::websocket::Socket;
use crate::home::check_weight;
use crate::hub::{Answered, Change};

/// How often it is asked for a sign of life.
const PING: Duration = Duration::from_secs(20);

/// Without any sign of life for so long, the connection is given up.
const SILENCE: Duration = Duration::from_secs(50);

/// How long an answer to what we fetch may take. Tests wait for what never comes.
const ANSWER: Duration = if cfg!(test) { Duration::from_secs(2) } else { Duration::from_secs(30) };

/// How long a service may take; after that nobody knows what became of it.
const SERVICE: Duration = if cfg!(test) { Duration::from_secs(1) } else { Duration::from_secs(20) };

/// Services under way; the next is called when one of them is answered.
const WINDOW: usize = 32;

/// Whose words the values of entities have.
const LANGUAGE: &str = "zh-Hans";

/// Changes of the registries come in swarms.
const SWARM: Duration = Duration::from_millis(300);

/// Between two looks at the registries lies as much at least.
const SPACING: Duration = Duration::from_secs(2);

/// What nobody tells (the exposure of what has no entry in a registry) is looked at so often.
const ANYWAY: Duration = Duration::from_secs(600);

/// How long we wait for a Home Assistant that is still starting, and how often we look.
const STARTING: Duration = Duration::from_secs(60);
const STARTED: Duration = Duration::from_secs(1);

/// Entities whose entries are fetched at once.
const CHUNK: usize = 200;

/// Most bytes that an event may take in memory once it is read.
const MAX_WEIGHT: usize = 24 << 20;

/// Bytes of an event, but for the first one, which has all states.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// What tells that the registries changed.
const EVENTS: [&str; 6] = [
    "area_registry_updated",
    "device_registry_updated",
    "entity_registry_updated",
    "floor_registry_updated",
    "label_registry_updated",
    "homeassistant_started",
];

/// What a message that is not answered yet asked for.
enum Asked {
    Config,
    Part(Part),
    /// To hear of the registries.
    Events,
    /// To hear states.
    States,
    /// What needs no answer but gets one.
    Nothing,
    /// A service.
    Service(oneshot::Sender<Answered>),
}

/// A connection that took our token.
pub(super) struct Session {
    socket: Socket,
    pub(super) version: String,
    last_id: u64,
    asked: BTreeMap<u64, (Asked, Instant)>,
    pings: Interval,
    heard: Instant,
    since: Instant,
    /// When it is asked whether it has started.
    config_at: Option<Instant>,
    /// When the registries are fetched.
    fetch_at: Option<Instant>,
    fetched_at: Option<Instant>,
    /// What was fetched so far, while that is under way.
    fetching: Option<Fetched>,
    /// The subscription to states that is in force, and whose.
    states: Option<(u64, Option<Vec<String>>)>,
    /// The one that takes its place when its first event is there.
    next_states: Option<(u64, Option<Vec<String>>)>,
}

impl Session {
    /// Connects and presents the token.
    pub(super) async fn open(settings: &Settings, token: &str) -> Result<Self, LinkError> {
        let mut socket = settings.connect().await?;
        let greeting = hear(&mut socket).await?;
        let (kind, version) = greeted(&greeting)?;
        if kind == "auth_required" {
            send(&mut socket, &json!({"type": "auth", "access_token": token})).await?;
            let (kind, _) = greeted(&hear(&mut socket).await?)?;
            match kind.as_str() {
                "auth_ok" => {}
                "auth_invalid" => return Err(LinkError::Refused { path: settings.token_file.clone() }),
                _ => return Err(foreign("the answer to the token", kind)),
            }
        } else if kind != "auth_ok" {
            return Err(foreign("a greeting", kind));
        }
        let now = Instant::now();
        let mut pings = interval(PING);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self {
            socket,
            version,
            last_id: 0,
            asked: BTreeMap::new(),
            pings,
            heard: now,
            since: now,
            config_at: Some(now),
            fetch_at: None,
            fetched_at: None,
            fetching: None,
            states: None,
            next_states: None,
        })
    }

    /// Serves until the connection ends, and says why it did. What was not answered then is dropped.
    pub(super) async fn serve(&mut self, link: &mut Link) -> LinkError {
        let Err(error) = self.talk(link).await;
        let _ = timeout(Duration::from_millis(100), self.socket.close(None)).await;
        error
    }

    async fn talk(&mut self, link: &mut Link) -> Result<Infallible, LinkError> {
        for event in EVENTS {
            self.ask(Asked::Events, json!({"type": "subscribe_events", "event_type": event})).await?;
        }
        loop {
            self.say(link).await?;
            let overdue = self.asked.values().map(|(_, until)| *until).min();
            tokio::select! {
                message = self.socket.next() => {
                    self.heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => self.take(&text, link).await?,
                        Some(Ok(Message::Close(_))) | None => return Err(LinkError::Ended("ended the connection")),
                        Some(Ok(_)) => {}
                        Some(Err(error)) => return Err(broken(&error)),
                    }
                }
                _ = self.pings.tick() => {
                    if self.heard.elapsed() > SILENCE {
                        return Err(LinkError::Ended("fell silent"));
                    }
                    self.ask(Asked::Nothing, json!({"type": "ping"})).await?;
                }
                () = at(self.config_at) => {
                    self.config_at = None;
                    self.ask(Asked::Config, json!({"type": "get_config"})).await?;
                }
                () = at(self.fetch_at), if self.fetching.is_none() => self.fetch().await?,
                () = at(overdue) => self.give_up()?,
                heard = link.waiting.take() => heard?,
            }
        }
    }

    /// Calls the services that wait, as many as may be under way.
    async fn say(&mut self, link: &mut Link) -> Result<(), LinkError> {
        while link.online == Some(true) && self.services() < WINDOW {
            let Some(delivery) = link.waiting.next() else { break };
            let mut message = delivery.message;
            if !message.is_object() {
                let _ = delivery.done.send(Answered::Refused("is no service".into()));
                continue;
            }
            message["type"] = "call_service".into();
            self.ask(Asked::Service(delivery.done), message).await?;
        }
        Ok(())
    }

    fn services(&self) -> usize {
        self.asked.values().filter(|(asked, _)| matches!(asked, Asked::Service(_))).count()
    }

    /// Sends a message that is answered.
    async fn ask(&mut self, asked: Asked, mut message: Value) -> Result<u64, LinkError> {
        self.last_id += 1;
        message["id"] = self.last_id.into();
        let patience = if matches!(asked, Asked::Service(_)) { SERVICE } else { ANSWER };
        // It is known before it is sent: what breaks in between drops it with the rest.
        self.asked.insert(self.last_id, (asked, Instant::now() + patience));
        send(&mut self.socket, &message).await?;
        Ok(self.last_id)
    }

    /// What was not answered in time: of a service nobody knows, anything else ends the connection.
    fn give_up(&mut self) -> Result<(), LinkError> {
        let now = Instant::now();
        let late: Vec<u64> = self.asked.iter().filter(|(_, (_, until))| *until <= now).map(|(id, _)| *id).collect();
        for id in late {
            match self.asked.remove(&id) {
                Some((Asked::Service(_) | Asked::Nothing, _)) | None => {}
                Some(_) => return Err(LinkError::Ended("does not answer in time")),
            }
        }
        Ok(())
    }

    /// Begins to fetch the registries.
    async fn fetch(&mut self) -> Result<(), LinkError> {
        (self.fetch_at, self.fetching) = (None, Some(Fetched::default()));
        for part in Part::LISTS {
            self.ask(Asked::Part(part), json!({"type": part.command()})).await?;
        }
        Ok(())
    }

    /// The registries changed: they are fetched as soon as the swarm is over.
    fn changed(&mut self) {
        let now = Instant::now();
        let due = self.fetched_at.map_or(now + SWARM, |last| (now + SWARM).max(last + SPACING));
        self.fetch_at = Some(self.fetch_at.map_or(due, |at| at.min(due)));
    }

    async fn take(&mut self, text: &str, link: &mut Link) -> Result<(), LinkError> {
        let message = message(text).map_err(|error| foreign("a message", error))?;
        match (&*message.kind, message.id) {
            ("event", Some(id)) => {
                let Some(event) = message.event else { return Ok(()) };
                self.event(id, event.get(), link).await
            }
            ("result" | "pong", Some(id)) => {
                let Some((asked, _)) = self.asked.remove(&id) else { return Ok(()) };
                let result = match message.success || message.kind == "pong" {
                    true => Ok(message.result.map_or("null", |result| result.get())),
                    false => Err(message.error.unwrap_or_default()),
                };
                self.answered(asked, result, link).await
            }
            _ => Ok(()),
        }
    }

    async fn event(&mut self, id: u64, text: &str, link: &mut Link) -> Result<(), LinkError> {
        let is = |of: &Option<(u64, Option<Vec<String>>)>| of.as_ref().is_some_and(|(known, _)| *known == id);
        let whole = is(&self.next_states);
        if !whole && !is(&self.states) {
            // The first that was asked for on this connection. Of states that were given up nothing more is of interest.
            if id <= EVENTS.len() as u64 {
                self.changed();
            }
            return Ok(());
        }
        if !whole && text.len() > MAX_EVENT_BYTES {
            let whose = whose(text).unwrap_or_default();
            return Ok(link.tell(Change::too_large(&whose, "", text.len(), MAX_EVENT_BYTES)).await?);
        }
        check_weight(text, MAX_WEIGHT).map_err(|error| foreign("the states", error))?;
        let event: Value = serde_json::from_str(text).map_err(|error| foreign("the states", error))?;
        let changes = link.hub().heard(&event, whole);
        for change in changes {
            link.tell(change).await?;
        }
        if whole {
            let before = std::mem::replace(&mut self.states, self.next_states.take());
            if let Some((id, _)) = before {
                self.ask(Asked::Nothing, json!({"type": "unsubscribe_events", "subscription": id})).await?;
            }
            link.tell(Change::Hub { online: true }).await?;
        }
        Ok(())
    }

    async fn answered(
        &mut self,
        asked: Asked,
        result: Result<&str, Failure>,
        link: &mut Link,
    ) -> Result<(), LinkError> {
        match asked {
            Asked::Config => {
                let config: Value = result.ok().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
                let running = config["state"].as_str().is_none_or(|state| state == "RUNNING");
                // While it starts, much of a home is not there yet, and would be taken for gone.
                if running || self.since.elapsed() >= STARTING {
                    self.fetch_at = Some(Instant::now());
                } else {
                    self.config_at = Some(Instant::now() + STARTED);
                }
                Ok(())
            }
            Asked::Part(part) => {
                match (result, &mut self.fetching) {
                    (Ok(text), Some(fetched)) => {
                        fetched.take(part, text).map_err(|error| foreign(part.command(), error))?;
                    }
                    (Err(failure), _) if part == Part::Exposed => {
                        warn!(name = link.settings.name, reason = failure.told(), "what is exposed cannot be read");
                    }
                    // Older ones have no floors and no labels.
                    (Err(failure), _) => debug!(command = part.command(), reason = failure.told(), "is not there"),
                    (Ok(_), None) => {}
                }
                self.fetched(part, link).await
            }
            Asked::States => result.map(|_| ()).map_err(|failure| foreign("the states", failure.told())),
            Asked::Service(done) => {
                let _ = done.send(result.map_or_else(|failure| Answered::Refused(failure.told()), |_| Answered::Taken));
                Ok(())
            }
            Asked::Events | Asked::Nothing => Ok(()),
        }
    }

    /// Goes on when the last answer of a step is there: first the lists, then the entries of what they name, then states.
    async fn fetched(&mut self, part: Part, link: &mut Link) -> Result<(), LinkError> {
        if self.asked.values().any(|(asked, _)| matches!(asked, Asked::Part(_))) {
            return Ok(());
        }
        let Some(fetched) = self.fetching.take() else { return Ok(()) };
        link.hub().learn(&fetched);
        let wanted = link.hub().wanted();
        if !matches!(part, Part::Entries | Part::Translations) {
            let ids = wanted.clone().unwrap_or_else(|| link.hub().speakable());
            let known: Vec<&str> = ids.iter().filter(|id| fetched.lists(id)).map(String::as_str).collect();
            for chunk in known.chunks(CHUNK) {
                let command = Part::Entries.command();
                self.ask(Asked::Part(Part::Entries), json!({"type": command, "entity_ids": chunk})).await?;
            }
            let integrations = fetched.integrations(&known);
            if !integrations.is_empty() {
                let command = Part::Translations.command();
                let asked =
                    json!({"type": command, "language": LANGUAGE, "category": "entity", "integration": integrations});
                self.ask(Asked::Part(Part::Translations), asked).await?;
            }
            if !known.is_empty() {
                self.fetching = Some(fetched);
                return Ok(());
            }
        }
        self.fetched_at = Some(Instant::now());
        self.fetch_at = Some(self.fetch_at.unwrap_or(Instant::now() + ANYWAY));
        let same = self.states.as_ref().is_some_and(|(_, ids)| *ids == wanted);
        if same {
            let changed = link.hub().changed();
            if let Some(change) = changed {
                link.tell(change).await?;
            }
            return Ok(());
        }
        let mut message = json!({"type": "subscribe_entities"});
        match &wanted {
            // None named would mean all.
            Some(ids) if ids.is_empty() => {
                self.next_states = Some((0, wanted));
                return self.event(0, "{}", link).await;
            }
            Some(ids) => message["entity_ids"] = json!(ids),
            None => {}
        }
        let id = self.ask(Asked::States, message).await?;
        self.next_states = Some((id, wanted));
        Ok(())
    }
}

/// Waits for a time that may never come.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}

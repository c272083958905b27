//! A page: what one conversation remembers, as it is kept in the store.

use serde::{Deserialize, Serialize};

use crate::frame::Instruct;
use crate::home::{Home, Live, State};
use crate::language::command::{Command, clean_place};
use crate::language::order::{Excluded, Order, Place, Target};
use crate::language::protocol;
use crate::language::time::When;
use crate::language::vocabulary::Vocabulary;
use crate::resolve::Pending;
use crate::retrieval::Entity;

/// Devices that a page remembers as mentioned last.
pub(super) const MAX_LAST: usize = 64;

/// Devices of which a page remembers how they were.
const MAX_WAS: usize = 64;

/// How pages are written; one of another version is forgotten. 1 had no version.
const VERSION: u32 = 2;

/// What one conversation remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Page {
    /// How it is written.
    pub(super) version: u32,
    /// When it was last used, by [`crate::clock::Clock::now_ms`].
    pub used_ms: u64,
    /// What was said, oldest first.
    pub turns: Vec<Turn>,
    /// What was mentioned last.
    pub last: Vec<Mention>,
    /// What the turns just before did alike, one after the other; what the turn before did, where they did not. Nothing once that is a while
    /// ago.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub row: Vec<Mention>,
    /// The commands of the turn before.
    pub orders: Vec<OrderRecord>,
    /// How the devices were before the last thing that was done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<Was>,
    /// What the daemon asked.
    pub pending: Option<PendingRecord>,
    /// Of how many jobs the turn before spoke.
    pub jobs_told: usize,
    /// Whether the turn before was talk of people, who may answer each other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub talked: bool,
    /// What nothing came of, and may be said in other words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unheard: Option<Unheard>,
    /// Whether something is called so: what the daemon asked beside what it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub naming: Option<Naming>,
}

impl Default for Page {
    fn default() -> Self {
        let (turns, last, orders) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            version: VERSION,
            used_ms: 0,
            turns,
            last,
            row: Vec::new(),
            orders,
            was: Vec::new(),
            pending: None,
            jobs_told: 0,
            talked: false,
            unheard: None,
            naming: None,
        }
    }
}

impl Page {
    /// Reads a page that was kept; `None` when it is none, or one of another version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } = serde_json::from_slice(bytes).ok()?;
        serde_json::from_slice(bytes).ok().filter(|_| version == VERSION)
    }
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// What was said.
    pub question: String,
    /// What was answered.
    pub reply: String,
}

/// Something mentioned, by id: the home may change between two turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "lowercase")]
pub enum Mention {
    /// A device.
    Device(String),
    /// A group.
    Group(String),
    /// A scene.
    Scene(String),
}

/// How a device was before it was told something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Was {
    /// Its id.
    pub device: String,
    /// The values of the properties that it was told.
    pub state: State,
}

impl Was {
    /// How the devices of these instructs are now; `None` where nothing is told, and nothing of more than is remembered.
    pub fn keep(instructs: &[Instruct], home: &Home, live: &Live) -> Option<Vec<Self>> {
        // What was done before so many were told is not what a turn back means.
        if instructs.is_empty() || instructs.len() > MAX_WAS {
            return (!instructs.is_empty()).then(Vec::new);
        }
        let was = instructs.iter().filter_map(|instruct| {
            let device = home.devices.iter().position(|device| device.id == instruct.id)?;
            let (told, now) = (instruct.state.as_ref()?, &live.get(device).values);
            let state = told.iter().filter_map(|(id, _)| Some((id.clone(), now.get(id)?.clone()))).collect();
            Some(Self { device: instruct.id.clone(), state })
        });
        Some(was.collect())
    }
}

/// An order as it is kept. What would be missing from it, or is of another version, may be what bounds it: such a record does
/// not read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderRecord {
    /// The command of the protocol.
    pub command: String,
    /// See [`Order::everywhere`].
    pub everywhere: bool,
    /// See [`Order::each`].
    pub each: bool,
    /// See [`Order::ordinal`].
    #[serde(deserialize_with = "Option::deserialize")]
    pub ordinal: Option<u32>,
    /// See [`Order::filter`]; a condition as an ACTION has it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub only: Option<String>,
    /// See [`Order::when`]: what was said of a later time stays for later, whatever is asked meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
}

/// A question of the daemon as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingRecord {
    /// What is asked.
    pub asks: Asks,
    /// The orders that wait.
    pub orders: Vec<OrderRecord>,
    /// Devices among which the answer chooses, or which it confirms.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Rooms among which it chooses.
    #[serde(default)]
    pub rooms: Vec<String>,
    /// Until when it holds, by [`crate::clock::Clock::now_ms`].
    pub expires_ms: u64,
}

/// What the daemon can ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asks {
    /// Which device.
    Device,
    /// Which room.
    Room,
    /// What at all.
    Target,
    /// Which value.
    Value,
    /// At which hour.
    Hour,
    /// Whether really.
    Confirm,
}

impl OrderRecord {
    /// Keeps an order.
    pub fn keep(order: &Order, vocabulary: &Vocabulary) -> Self {
        let only = order.filter.as_ref().map(|filter| protocol::write_condition(filter, &vocabulary.lexicon));
        let mut command = protocol::encode(order, vocabulary);
        // Where a room and a thing are called like something else together, it is not kept: more would move than was told.
        let spares = |again: Order| leave_out_the_same(&again.scope.exclude, &order.scope.exclude, vocabulary);
        if !order.scope.exclude.is_empty() && !protocol::decode(&command, vocabulary).is_ok_and(spares) {
            command = Command::unknown();
        }
        Self {
            command: command.to_string(),
            everywhere: order.everywhere,
            each: order.each,
            ordinal: order.ordinal,
            only,
            when: order.when.clone(),
        }
    }

    /// The order; `None` when what was kept does not read any more.
    pub fn order(&self, vocabulary: &Vocabulary) -> Option<Order> {
        let command = protocol::parse_command(0, &self.command, &mut Vec::new())?;
        // What had to be mended is not what was kept.
        if command.to_string() != self.command || self.ordinal == Some(0) {
            return None;
        }
        let Self { everywhere, each, ordinal, .. } = *self;
        let filter = match &self.only {
            Some(text) => Some(protocol::read_condition(text, &vocabulary.lexicon)?),
            None => None,
        };
        let when = self.when.clone();
        Some(Order { everywhere, each, ordinal, filter, when, ..protocol::decode(&command, vocabulary).ok()? })
    }
}

/// Whether the same is left out, as far as words tell: which devices bear a name is looked up anew.
fn leave_out_the_same(one: &[Excluded], other: &[Excluded], vocabulary: &Vocabulary) -> bool {
    // A scope has no place for what separates its names.
    let word = |target: &Target| target.word(vocabulary).map(clean_place);
    let same = |(one, other): (&Excluded, &Excluded)| match (one, other) {
        (Excluded::Thing(one, here), Excluded::Thing(other, there)) => {
            here == there && (one == other || word(one) == word(other))
        }
        (one, other) => one == other,
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// Reads kept orders; none where one of them does not read any more.
pub fn orders(records: &[OrderRecord], vocabulary: &Vocabulary) -> Vec<Order> {
    records.iter().map(|record| record.order(vocabulary)).collect::<Option<_>>().unwrap_or_default()
}

impl PendingRecord {
    /// Keeps a question until `expires_ms`.
    pub fn keep(pending: &Pending, vocabulary: &Vocabulary, expires_ms: u64) -> Self {
        let home = &vocabulary.home;
        let names = |rooms: &[usize]| rooms.iter().map(|r| home.rooms[*r].name.clone()).collect();
        let ids = |devices: &[usize]| devices.iter().map(|d| home.devices[*d].id.clone()).collect();
        let (asks, orders, devices, rooms) = match pending {
            Pending::Device(orders, devices) => (Asks::Device, orders, ids(devices), Vec::new()),
            Pending::Room(orders, rooms) => (Asks::Room, orders, Vec::new(), names(rooms)),
            Pending::Target(orders) => (Asks::Target, orders, Vec::new(), Vec::new()),
            Pending::Value(orders, devices) => (Asks::Value, orders, ids(devices), Vec::new()),
            Pending::Hour(orders) => (Asks::Hour, orders, Vec::new(), Vec::new()),
            Pending::Confirm { orders, devices, .. } => (Asks::Confirm, orders, ids(devices), Vec::new()),
        };
        let orders = orders.iter().map(|order| OrderRecord::keep(order, vocabulary)).collect();
        Self { asks, orders, devices, rooms, expires_ms }
    }

    /// The rooms that are still there.
    pub fn rooms_in(&self, home: &Home) -> Vec<Place> {
        let room = |name: &String| home.rooms.iter().position(|room| room.name == *name).map(Place::Room);
        self.rooms.iter().filter_map(room).collect()
    }

    /// The devices that are still there.
    pub fn devices_in(&self, home: &Home) -> Vec<usize> {
        self.devices.iter().filter_map(|id| home.device(id).map(|(index, _)| index)).collect()
    }
}

impl Mention {
    /// Keeps what was mentioned.
    pub fn keep(entities: &[Entity], home: &Home) -> Vec<Self> {
        let keep = |entity: &Entity| match entity {
            Entity::Device(i) => Self::Device(home.devices[*i].id.clone()),
            Entity::Group(i) => Self::Group(home.groups[*i].id.clone()),
            Entity::Scene(i) => Self::Scene(home.scenes[*i].id.clone()),
        };
        entities.iter().take(MAX_LAST).map(keep).collect()
    }

    /// What is still there of what was mentioned.
    pub fn recall(mentions: &[Self], home: &Home) -> Vec<Entity> {
        let recall = |mention: &Self| match mention {
            Self::Device(id) => home.device(id).map(|(i, _)| Entity::Device(i)),
            Self::Group(id) => home.groups.iter().position(|g| g.id == *id).map(Entity::Group),
            Self::Scene(id) => home.scenes.iter().position(|s| s.id == *id).map(Entity::Scene),
        };
        mentions.iter().filter_map(recall).collect()
    }
}

/// A sentence that nothing came of, and until when it may be said in other words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unheard {
    /// What was said, the assistant's name taken off.
    pub said: String,
    /// By [`crate::clock::Clock::now_ms`].
    pub until_ms: u64,
}

/// Whether a device is called so: a question of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// The name.
    pub name: String,
    /// The id of the device.
    pub device: String,
    /// Until when a yes counts, by [`crate::clock::Clock::now_ms`].
    pub until_ms: u64,
}

#[cfg(test)]
mod tests;

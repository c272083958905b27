//! A page: what one conversation remembers, as it is kept in the store.

use serde::{Deserialize, Serialize};

use crate::home::Home;
use crate::language::command::Command;
use crate::language::grammar::Order;
use crate::language::protocol;
use crate::resolve::Pending;
use crate::retrieval::Entity;

/// Devices that a page remembers as mentioned last.
const MAX_LAST: usize = 64;

/// What one conversation remembers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Page {
    /// When it was last used, in milliseconds since the Unix epoch.
    pub used_ms: u64,
    /// What was said, oldest first.
    pub turns: Vec<Turn>,
    /// What was mentioned last.
    pub last: Vec<Mention>,
    /// The commands of the turn before.
    pub orders: Vec<OrderRecord>,
    /// What the daemon asked.
    pub pending: Option<PendingRecord>,
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

/// An order as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderRecord {
    /// The command of the protocol.
    pub command: String,
    /// See [`Order::everywhere`].
    #[serde(default)]
    pub everywhere: bool,
    /// See [`Order::each`].
    #[serde(default)]
    pub each: bool,
    /// See [`Order::ordinal`].
    #[serde(default)]
    pub ordinal: Option<u32>,
    /// See [`Order::only`].
    #[serde(default)]
    pub only: Option<String>,
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
    /// Until when it holds, in milliseconds since the Unix epoch.
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
    /// Whether really.
    Confirm,
}

impl OrderRecord {
    /// Keeps an order.
    pub fn keep(order: &Order) -> Self {
        Self {
            command: order.command.to_string(),
            everywhere: order.everywhere,
            each: order.each,
            ordinal: order.ordinal,
            only: order.only.clone(),
        }
    }

    /// The order; `None` when what was kept does not read any more.
    pub fn order(&self) -> Option<Order> {
        let command: Command = protocol::parse_command(0, &self.command, &mut Vec::new())?;
        let Self { everywhere, each, ordinal, .. } = *self;
        Some(Order { command, everywhere, each, ordinal, only: self.only.clone() })
    }
}

/// Reads kept orders.
pub fn orders(records: &[OrderRecord]) -> Vec<Order> {
    records.iter().filter_map(OrderRecord::order).collect()
}

impl PendingRecord {
    /// Keeps a question until `expires_ms`.
    pub fn keep(pending: &Pending, home: &Home, expires_ms: u64) -> Self {
        let ids = |devices: &[usize]| devices.iter().map(|d| home.devices[*d].id.clone()).collect();
        let (asks, orders, devices, rooms) = match pending {
            Pending::Device(orders, devices) => (Asks::Device, orders, ids(devices), Vec::new()),
            Pending::Room(orders, rooms) => (Asks::Room, orders, Vec::new(), rooms.clone()),
            Pending::Target(orders) => (Asks::Target, orders, Vec::new(), Vec::new()),
            Pending::Value(orders, devices) => (Asks::Value, orders, ids(devices), Vec::new()),
            Pending::Confirm { orders, devices, .. } => (Asks::Confirm, orders, ids(devices), Vec::new()),
        };
        Self { asks, orders: orders.iter().map(OrderRecord::keep).collect(), devices, rooms, expires_ms }
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

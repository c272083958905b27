//! What is gathered while orders are resolved, one after the other.

use std::collections::BTreeMap;
use std::time::Duration;

use super::plan::Act;
use super::telling::Phrase;
use super::{Context, Stale};
use crate::home::{DeviceIndex, RoomIndex, State};
use crate::language::lexicon::{PropertyId, VerbId};
use crate::language::order::Order;
use crate::retrieval::{Candidate, Entity};

/// What the daemon waits for on a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Pending {
    /// Which of these devices the orders mean.
    Device(Vec<Order>, Vec<DeviceIndex>),
    /// Which of these rooms.
    Room(Vec<Order>, Vec<RoomIndex>),
    /// What the orders are about at all.
    Target(Vec<Order>),
    /// Which value.
    Value(Vec<Order>, Vec<DeviceIndex>),
    /// At which hour.
    Hour(Vec<Order>),
    /// Whether really: these orders for these devices. `parts` says of each order what it would do, in words.
    Confirm {
        /// The orders.
        orders: Vec<Order>,
        /// The devices, all orders together.
        devices: Vec<DeviceIndex>,
        /// What a yes would do: a sentence with a place for its devices (`打开{what}`), and their names.
        parts: Vec<(String, Vec<String>)>,
    },
}

impl Pending {
    pub(super) fn confirm(order: &Order, devices: Vec<DeviceIndex>, parts: Vec<(String, Vec<String>)>) -> Self {
        Self::Confirm { orders: vec![order.clone()], devices, parts }
    }
}

/// What happens to one device.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) acts: Vec<Act>,
    pub(super) state: State,
    pub(super) phrases: Vec<Phrase>,
    /// The verb that was told first, if that came first.
    pub(super) verb: Option<VerbId>,
    /// How it was last switched by a verb: the property, its value, and how that is told.
    pub(super) switched: Option<(String, bool, Phrase)>,
}

pub(super) struct Resolver<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) plans: BTreeMap<DeviceIndex, Plan>,
    pub(super) order_of: Vec<DeviceIndex>,
    /// What is done, in words: phrase and what it is done to.
    pub(super) done: Vec<(Phrase, String)>,
    pub(super) bounds: Vec<(DeviceIndex, Option<PropertyId>)>,
    pub(super) answers: Vec<String>,
    pub(super) missing: Vec<String>,
    /// What nothing in the home is called, in words: told in one breath.
    pub(super) unfound: Vec<String>,
    /// Words that nobody understood: told in one breath.
    pub(super) unclear: Vec<String>,
    pub(super) question: Option<(String, Pending, &'static str)>,
    pub(super) candidates: Vec<Found>,
    pub(super) mentioned: Vec<Entity>,
    pub(super) stale: Vec<Stale>,
    pub(super) searched: (Duration, Duration),
    pub(super) trace: Vec<String>,
    /// The conditions before the orders that follow.
    pub(super) guard: Option<Premises>,
    /// The order before was a condition: another one goes with it.
    pub(super) guarding: bool,
    /// What to say about conditions that did not hold, if nothing else happens.
    pub(super) unmet: Vec<String>,
    /// Scenes that run.
    pub(super) scenes: Vec<String>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self {
            context,
            plans: BTreeMap::new(),
            order_of: Vec::new(),
            done: Vec::new(),
            bounds: Vec::new(),
            answers: Vec::new(),
            missing: Vec::new(),
            unfound: Vec::new(),
            unclear: Vec::new(),
            question: None,
            candidates: Vec::new(),
            mentioned: Vec::new(),
            stale: Vec::new(),
            searched: (Duration::ZERO, Duration::ZERO),
            trace: Vec::new(),
            guard: None,
            guarding: false,
            unmet: Vec::new(),
            scenes: Vec::new(),
        }
    }
}

/// Something that a command may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What, and why; of a whole set the first device.
    pub candidate: Candidate,
    /// A whole set of devices, which is told as one.
    pub set: Option<Set>,
    /// The command.
    pub command: String,
}

/// Devices that are meant together, as a group that nobody made.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Where and what, as the command writes it.
    pub id: String,
    /// The same in words.
    pub name: String,
    /// How many they are.
    pub members: usize,
}

/// What conditions in a row come to.
#[derive(Clone, Debug)]
pub(super) struct Premises {
    /// Whether they hold; `None` when what would decide cannot be read.
    pub(super) holds: Option<bool>,
    /// What is said when they do not.
    pub(super) said: Option<String>,
}

impl Premises {
    pub(super) fn and(self, holds: Option<bool>, said: Option<String>) -> Self {
        match (self.holds, holds) {
            (Some(false), _) | (None, Some(true)) => self,
            (_, Some(false)) | (Some(true), _) => Self { holds, said },
            (None, None) => self,
        }
    }

    pub(super) fn or(self, holds: Option<bool>, said: Option<String>) -> Self {
        match (self.holds, holds) {
            (Some(true), _) | (None, Some(false) | None) => self,
            (_, Some(true)) => Self { holds, said: None },
            (Some(false), Some(false)) => self,
            (Some(false), None) => Self { holds: None, said },
        }
    }
}

//! Orders that ask: conditions and questions about the state of the home.

use super::answer::What;
use super::outcome::{Pending, Resolver};
use super::scope::{self, Place};
use super::select::{Missing, Selection};
use super::{Context, answer, condition, state};
use crate::home::DeviceIndex;
use crate::language::command::{Name, Type};
use crate::language::deed::{Ask, Condition, Deed};
use crate::language::grammar::Order;
use crate::retrieval::{Candidate, Entity, Signals};

impl Resolver<'_> {
    /// Decides a condition. Several in a row have to hold all, unless one says 或者.
    pub(super) fn condition(
        &mut self,
        when: &Condition,
        or: bool,
        selection: &Selection,
        order: &Order,
        context: &Context,
    ) {
        let devices = match selection {
            Selection::Devices(devices, found) => {
                self.find(found, order);
                devices.clone()
            }
            Selection::Which(devices, found)
            | Selection::Many(devices, found)
            | Selection::Group(_, devices, found) => {
                self.find(found, order);
                devices.clone()
            }
            _ => Vec::new(),
        };
        let deed = Deed::When(when.clone());
        let devices = self.tellers(devices, &deed, context);
        if self.candidates.len() < 5 {
            self.find(&sensors(&devices), order);
        }
        self.note_stale(&devices, context);
        if let (Name::Named(_), [only]) = (&order.command.target.name, &devices[..]) {
            self.mention([Entity::Device(*only)]);
        }
        let decided = condition::condition(when, &devices, order.each, context);
        let said = match &decided {
            Some((holds, read)) => {
                self.trace.push(format!("condition {}: {read}", if *holds { "holds" } else { "does not hold" }));
                Some(context.replies.say("condition_false", &[("what", read)])).filter(|_| !holds)
            }
            None => {
                let what = order.command.action.trim_start_matches("如果").trim_start_matches("或者").to_owned();
                let what = Condition::read(&what, &context.world.vocabulary)
                    .map_or(what, |when| super::bounds::state_in_words(&when, context));
                Some(context.replies.say("condition_unknown", &[("what", &what)]))
            }
        };
        let holds = decided.map(|(holds, _)| holds);
        self.guard = match (self.guard.take().filter(|_| self.guarding), or) {
            (Some(before), true) => Some(before.or(holds, said)),
            (Some(before), false) => Some(before.and(holds, said)),
            (None, _) => Some(Guard { holds, said }),
        };
        self.guarding = true;
    }

    /// Devices that can tell what is asked, those of the speaker's room first when no room was said.
    pub(super) fn tellers(&self, devices: Vec<DeviceIndex>, deed: &Deed, context: &Context) -> Vec<DeviceIndex> {
        let telling: Vec<DeviceIndex> = devices.iter().copied().filter(|d| state::tells(*d, deed, context)).collect();
        if telling.is_empty() { devices } else { telling }
    }

    pub(super) fn note_stale(&mut self, devices: &[DeviceIndex], context: &Context) {
        if context.fresh_since_ms == 0 {
            return;
        }
        for device in devices.iter().take(16) {
            let reported = context.live.get(*device).reported_ms;
            if reported.is_none_or(|ms| ms < context.fresh_since_ms) && !self.stale.contains(device) {
                self.stale.push(*device);
            }
        }
    }

    pub(super) fn ask(&mut self, ask: &Ask, deed: &Deed, selection: Selection, order: &Order, context: &Context) {
        let devices = match selection {
            Selection::Devices(devices, found) | Selection::Which(devices, found) | Selection::Many(devices, found) => {
                self.find(&found, order);
                devices
            }
            Selection::Group(group, devices, found) => {
                self.find(&found, order);
                self.mention([Entity::Group(group)]);
                devices
            }
            Selection::WhichPlace(_) => Vec::new(),
            Selection::Scene(_) => Vec::new(),
            Selection::Missing(Missing::Reference | Missing::Target) => {
                let text = context.replies.say("nothing_last", &[]);
                self.question.get_or_insert((text, Pending::Target(vec![order.clone()]), "needs_fallback"));
                return;
            }
            Selection::Missing(missing) => {
                self.answers.push(self.missing_text(&missing, order, deed));
                return;
            }
        };
        let general = order.command.target.name == Name::Any && order.command.target.kind == Type::Unknown;
        let names =
            |words: &[String]| words.first().is_some_and(|w| order.command.target.name == Name::Named(w.clone()));
        let rooms = names(&context.world.lexicon().any_room);
        if names(&context.world.lexicon().scene_words) {
            self.answers.push(super::inventory::scenes(context));
            return;
        }
        let measured = matches!(ask, Ask::Value(_) | Ask::Most(..) | Ask::More(..));
        let listed = matches!(ask, Ask::List | Ask::Number);
        let telling =
            if (general || rooms || measured) && !listed { self.tellers(devices, deed, context) } else { devices };
        self.note_stale(&telling, context);
        let named = order.command.target.name != Name::Any || order.command.target.kind != Type::Unknown;
        if named && telling.len() <= 8 {
            self.mention(telling.iter().map(|d| Entity::Device(*d)));
        }
        if let Ask::More(property, up) = ask {
            let places: Vec<(String, Vec<DeviceIndex>)> = order
                .command
                .scope
                .include
                .iter()
                .map(|name| (name.clone(), self.standing_in(name, &telling)))
                .collect();
            self.answers.push(answer::more(*property, *up, &places, context));
            return;
        }
        let what = What {
            place: super::wording::place_words(order, context),
            word: super::wording::target_word(order, context),
            rooms: rooms || general && matches!(ask, Ask::Most(..)),
            every: order.each,
        };
        self.answers.push(answer::answer(ask, &telling, &what, context));
    }
    /// Those of the devices that stand in a place.
    fn standing_in(&self, place: &str, devices: &[DeviceIndex]) -> Vec<DeviceIndex> {
        let world = self.context.world;
        let rooms = match scope::place(place, world, self.context.local) {
            Place::Rooms(rooms) | Place::OneOf(rooms) => rooms,
            Place::Unknown => Vec::new(),
        };
        let inside = |d: &DeviceIndex| world.home().devices[*d].room.is_some_and(|r| rooms.contains(&r));
        devices.iter().copied().filter(inside).collect()
    }
}

/// What conditions in a row come to.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    /// Whether they hold; `None` when what would decide cannot be read.
    pub(super) holds: Option<bool>,
    /// What is said when they do not.
    pub(super) said: Option<String>,
}

impl Guard {
    fn and(self, holds: Option<bool>, said: Option<String>) -> Self {
        match (self.holds, holds) {
            (Some(false), _) | (None, Some(true)) => self,
            (_, Some(false)) | (Some(true), _) => Self { holds, said },
            (None, None) => self,
        }
    }

    fn or(self, holds: Option<bool>, said: Option<String>) -> Self {
        match (self.holds, holds) {
            (Some(true), _) | (None, Some(false) | None) => self,
            (_, Some(true)) => Self { holds, said: None },
            (Some(false), Some(false)) => self,
            (Some(false), None) => Self { holds: None, said },
        }
    }
}

/// Sensors as candidates: they were found by what they can tell.
fn sensors(devices: &[DeviceIndex]) -> Vec<Candidate> {
    let signals = Signals { kind: 0.82, capability: 1.0, online: 1.0, ..Signals::default() };
    devices.iter().map(|d| Candidate { entity: Entity::Device(*d), signals }).collect()
}

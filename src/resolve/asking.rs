//! Orders that ask: conditions and questions about the state of the home.

use super::answer::What;
use super::resolver::{Pending, Premises, Resolver};
use super::scope::{Area, area};
use super::selection::{Missing, Selection};
use super::{Context, answer, condition, state};
use crate::home::DeviceIndex;
use crate::language::action::{Action, Ask, Condition, Status};
use crate::language::order::{Order, Place, Target};
use crate::retrieval::{Candidate, Entity, Signals};

/// Devices of a condition that what it guards may mean by not naming any: `灯没关就关了`.
const MAX_MEANT: usize = 8;

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
        let mut missing = None;
        let devices = match selection {
            Selection::Devices(devices, found) => {
                self.find(found, order);
                devices.clone()
            }
            Selection::Missing(nothing @ (Missing::Device(..) | Missing::Room(_))) => {
                missing = Some(self.missing_text(nothing, order));
                Vec::new()
            }
            Selection::Which(devices, found)
            | Selection::Many(devices, found)
            | Selection::Group(_, devices, found) => {
                self.find(found, order);
                devices.clone()
            }
            _ => Vec::new(),
        };
        let devices = self.tellers(devices, &order.action, context);
        self.find(&sensors(&devices), order);
        self.note_stale(&devices, &order.action, context);
        // 空调要是开着就关掉: what the condition names is what is meant.
        if order.target != Target::Anything && devices.len() <= MAX_MEANT {
            self.mention(devices.iter().map(|device| Entity::Device(*device)));
        }
        // Once the hub was asked, what is still too old decides nothing.
        let unread =
            |device: &DeviceIndex| context.told.is_some() && state::stale(*device, &order.action, context).is_some();
        let read: Vec<DeviceIndex> = devices.iter().copied().filter(|d| !unread(d)).collect();
        // One reading is enough to compare with; what is said of several is known of all of them or not at all.
        let compares = matches!(when, Condition::Status { status: Status::Compare { .. }, .. });
        let old = read.len() < devices.len() && (!compares || read.is_empty());
        let decided = condition::condition(when, &read, order.each, context).filter(|_| !old);
        let said = match &decided {
            Some((holds, read)) => {
                self.trace.push(format!("condition {}: {read}", if *holds { "holds" } else { "does not hold" }));
                Some(context.replies.say("condition_false", &[("what", read)])).filter(|_| !holds)
            }
            None if missing.is_some() => missing,
            None => {
                let what = super::status::state_in_words(when, context);
                Some(context.replies.say(if old { "condition_old" } else { "condition_unknown" }, &[("what", &what)]))
            }
        };
        let holds = decided.map(|(holds, _)| holds);
        self.guard = match (self.guard.take().filter(|_| self.guarding), or) {
            (Some(before), true) => Some(before.or(holds, said)),
            (Some(before), false) => Some(before.and(holds, said)),
            (None, _) => Some(Premises { holds, said }),
        };
        self.guarding = true;
    }

    /// Devices that can tell what is asked, those of the speaker's room first when no room was said.
    pub(super) fn tellers(&self, devices: Vec<DeviceIndex>, action: &Action, context: &Context) -> Vec<DeviceIndex> {
        let telling: Vec<DeviceIndex> = devices.iter().copied().filter(|d| state::tells(*d, action, context)).collect();
        // 客厅温度 is that of the air, where anything measures it, and not that of the aquarium.
        let exact = state::about(action)
            .map(|property| telling.iter().copied().filter(|d| state::has(*d, property, context)).collect::<Vec<_>>());
        match exact.filter(|exact| !exact.is_empty()) {
            Some(exact) => exact,
            None if telling.is_empty() => devices,
            None => telling,
        }
    }

    pub(super) fn note_stale(&mut self, devices: &[DeviceIndex], action: &Action, context: &Context) {
        for stale in devices.iter().take(16).filter_map(|device| state::stale(*device, action, context)) {
            if !self.stale.contains(&stale) {
                self.stale.push(stale);
            }
        }
    }

    pub(super) fn ask(&mut self, ask: &Ask, selection: Selection, order: &Order, context: &Context) {
        let devices = match selection {
            Selection::Devices(devices, found) | Selection::Which(devices, found) | Selection::Many(devices, found) => {
                self.find_all(&devices, &found, order);
                devices
            }
            Selection::Group(group, devices, found) => {
                self.find_group(group, &found, order);
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
                self.answers.push(self.missing_text(&missing, order));
                return;
            }
        };
        let general = order.target == Target::Anything;
        let rooms = order.target == Target::Rooms;
        if order.target == Target::Scenes {
            self.answers.push(super::inventory::scenes(context));
            return;
        }
        let measured = matches!(ask, Ask::Value(_) | Ask::Most(..) | Ask::More(..));
        let listed = matches!(ask, Ask::List | Ask::Number);
        if let Ask::Range(property) = ask {
            let able: Vec<DeviceIndex> =
                devices.iter().copied().filter(|d| state::sets(*d, *property, context).is_some()).collect();
            if able.len() == 1 {
                self.mention([Entity::Device(able[0])]);
            }
            if let Some(told) = answer::ranges(*property, &able, context) {
                self.answers.push(told);
                return;
            }
        }
        let telling = if (general || rooms || measured) && !listed {
            self.tellers(devices, &order.action, context)
        } else {
            devices
        };
        self.note_stale(&telling, &order.action, context);
        if !general && telling.len() <= 8 {
            self.mention(telling.iter().map(|d| Entity::Device(*d)));
        }
        if let Ask::More(property, up) = ask {
            let vocabulary = &context.world.vocabulary;
            let places = order.scope.include.iter();
            let places: Vec<(String, Vec<DeviceIndex>)> =
                places.map(|place| (place.word(vocabulary).to_owned(), self.standing_in(place, &telling))).collect();
            self.answers.push(answer::more(*property, *up, &places, context));
            return;
        }
        // 开着的灯在客厅: which of them are meant, where they are what is asked for.
        let only = match &order.filter {
            Some(Condition::Status { status, holds: true }) if *ask == Ask::Where => {
                format!("{}{}", super::status::status_word(status, context), context.replies.word("of"))
            }
            _ => String::new(),
        };
        let what = What {
            place: super::wording::place_words(order, context),
            word: format!("{only}{}", super::wording::target_word(order, context)),
            rooms: rooms || general && matches!(ask, Ask::Most(..)),
            every: order.each,
        };
        self.answers.push(answer::answer(ask, &telling, &what, context));
    }
    /// Those of the devices that stand in a place.
    fn standing_in(&self, place: &Place, devices: &[DeviceIndex]) -> Vec<DeviceIndex> {
        let world = self.context.world;
        let rooms = match area(place, world, self.context.local) {
            Area::Rooms(rooms) | Area::OneOf(rooms) => rooms,
            Area::Unknown => Vec::new(),
        };
        let inside = |d: &DeviceIndex| world.home().devices[*d].room.is_some_and(|r| rooms.contains(&r));
        devices.iter().copied().filter(inside).collect()
    }
}

/// Sensors as candidates: they were found by what they can tell.
fn sensors(devices: &[DeviceIndex]) -> Vec<Candidate> {
    let signals = Signals { kind: 0.82, capability: 1.0, online: 1.0, ..Signals::default() };
    devices.iter().map(|d| Candidate { entity: Entity::Device(*d), signals }).collect()
}

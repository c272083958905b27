//! Selection by ability alone: nobody said which device, only what it should do.

use super::select::Picker;
use super::selection::{Missing, Selection};
use super::state;
use crate::home::DeviceIndex;
use crate::language::action::Action;
use crate::language::command::{Quantifier, Type};
use crate::language::lexicon::Effect;

impl Picker<'_> {
    /// No name and no type: whatever can do it, where the speaker is or said.
    pub(super) fn by_ability(&self) -> Selection {
        let context = self.context;
        let world = context.world;
        let switching = match &self.order.action {
            Action::Verb(verb) => {
                matches!(world.lexicon().verbs[*verb].does.first(), Some(Effect::Flag(p, _)) if world.lexicon().properties[*p].id == "power")
            }
            _ => false,
        };
        if context.asking {
            return self.asked_about();
        }
        let count = world.home().devices.len();
        let able = |d: &DeviceIndex| self.in_scope(*d) && self.able(*d) && self.mobile_or_in_scope(*d);
        let mut devices: Vec<DeviceIndex> = (0..count).filter(able).collect();
        if switching {
            // 关闭客厅所有设备: what has a power switch; never what is risky.
            let power = world.lexicon().property("power");
            devices.retain(|d| {
                let sense = &world.vocabulary.devices[*d];
                let switch = || power.is_some_and(|p| sense.about(p).is_some_and(|a| a.writable));
                // What lists commands has one that switches it, and what works in every room is none of this room's.
                let told = || !world.home().devices[*d].commands.is_empty();
                !sense.risky && !self.is_mobile(*d) && (switch() || told())
            });
            if !self.scope.is_said() && !self.order.everywhere {
                return Selection::Missing(Missing::Target);
            }
        }
        if devices.is_empty() && switching {
            return Selection::Missing(Missing::Ability(Vec::new()));
        }
        if devices.is_empty() {
            let mobile: Vec<DeviceIndex> = (0..count).filter(|d| self.is_mobile(*d) && self.able(*d)).collect();
            return match mobile[..] {
                [] => Selection::Missing(Missing::Ability(Vec::new())),
                _ => self.near_mobile(mobile),
            };
        }
        if switching {
            return self.near(devices);
        }
        // What was mentioned last comes first, if it can.
        let recent = |devices: &[DeviceIndex]| -> Vec<DeviceIndex> {
            let free = !self.scope.is_said() && !self.order.everywhere;
            context.last_devices().into_iter().filter(|d| free && devices.contains(d)).collect()
        };
        // 再大点 is said of the fan that was just set, however well lamps could do it.
        let more = recent(&devices);
        if matches!(self.order.action, Action::Step { .. }) && !more.is_empty() {
            return self.take_able(more, true);
        }
        self.keep_best(&mut devices);
        if devices.is_empty() {
            return Selection::Missing(Missing::Ability(Vec::new()));
        }
        let recent = recent(&devices);
        if !recent.is_empty() {
            return self.take_able(recent, true);
        }
        self.keep_usual(&mut devices);
        self.narrow(devices)
    }

    /// 换个台: what has channels, and not what only knows a next piece.
    fn keep_usual(&self, devices: &mut Vec<DeviceIndex>) {
        let world = self.context.world;
        let Action::Verb(verb) = self.order.action else { return };
        let verb = &world.lexicon().verbs[verb];
        let told = |d: &DeviceIndex| {
            let commands = &world.home().devices[*d].commands;
            commands.iter().any(|c| verb.ids.iter().any(|id| c.id.to_lowercase().ends_with(id.as_str())))
        };
        let counts = |d: &DeviceIndex| match verb.does.first() {
            Some(Effect::Nudge(property, _)) => {
                world.vocabulary.devices[*d].about(*property).is_some_and(|a| a.writable)
            }
            _ => false,
        };
        for best in [&told as &dyn Fn(&DeviceIndex) -> bool, &counts] {
            if devices.iter().any(best) {
                devices.retain(best);
            }
        }
    }

    /// 回去充电 is said to what can, and not to what can only stop: those that do it best, where the action is none of switching.
    fn keep_best(&self, devices: &mut Vec<DeviceIndex>) {
        let world = self.context.world;
        let Action::Verb(verb) = self.order.action else { return };
        let verb = &world.lexicon().verbs[verb];
        if verb.mobile {
            devices.retain(|d| self.is_mobile(*d));
        }
        // 别放了 is said of what plays.
        let shows = |d: &DeviceIndex| {
            let kinds = &world.vocabulary.devices[*d].kinds;
            kinds.iter().any(|k| matches!(world.lexicon().kinds[*k].kind, Type::Television | Type::NetworkAudio))
        };
        // 再下一个 is said of what was told last.
        let mentioned = self.context.last_devices().iter().any(|d| devices.contains(d));
        let plays = verb.plays && !mentioned;
        if plays && devices.iter().any(shows) {
            devices.retain(shows);
        }
        let Some(Effect::Choice(best)) = verb.does.first().filter(|_| verb.switches.is_none()) else { return };
        let can = |d: &DeviceIndex| {
            let abilities = &world.vocabulary.devices[*d].abilities;
            let told = |verb: usize| world.lexicon().verbs[verb].does.first() == Some(&Effect::Choice(*best));
            abilities.iter().any(|a| {
                a.writable && (a.choices.iter().any(|of| of.contains(best)) || plays && a.verb.is_some_and(told))
            })
        };
        if devices.iter().any(can) {
            devices.retain(can);
        }
    }

    pub(super) fn is_mobile(&self, device: DeviceIndex) -> bool {
        let world = self.context.world;
        world.vocabulary.devices[device].kinds.iter().any(|k| world.lexicon().kinds[*k].mobile)
    }

    pub(super) fn mobile_or_in_scope(&self, device: DeviceIndex) -> bool {
        self.in_scope(device)
    }

    /// A room said to a robot is where it works: the one that stands there, else the only one there is.
    pub(super) fn near_mobile(&self, robots: Vec<DeviceIndex>) -> Selection {
        let candidates = self.candidates(&robots);
        if robots.len() == 1 { Selection::Devices(robots, candidates) } else { Selection::Which(robots, candidates) }
    }

    /// Of several devices that could be meant by a property alone: those here, those whose property it usually is, those
    /// that are on.
    pub(super) fn narrow(&self, mut devices: Vec<DeviceIndex>) -> Selection {
        let context = self.context;
        let world = context.world;
        let home = world.home();
        devices.retain(|d| self.online(*d));
        if devices.is_empty() {
            return Selection::Missing(Missing::Ability(Vec::new()));
        }
        let mut elsewhere = false;
        if !self.scope.is_said() && !self.order.everywhere {
            let here: Vec<DeviceIndex> = devices
                .iter()
                .copied()
                .filter(|d| home.devices[*d].room.is_some() && home.devices[*d].room == context.local)
                .collect();
            elsewhere = context.local.is_some() && here.is_empty();
            if !here.is_empty() {
                devices = here;
            }
        }
        let property = match &self.order.action {
            Action::Set { property, .. } => *property,
            Action::Step { ways, .. } => ways.first().and_then(|w| w.0),
            _ => None,
        };
        if let Some(property) = property {
            let kinds = &world.lexicon().properties[property].kinds;
            let usual: Vec<DeviceIndex> =
                devices.iter().copied().filter(|d| kinds.iter().any(|k| world.vocabulary.devices[*d].is(*k))).collect();
            if !usual.is_empty() && !elsewhere {
                devices = usual;
            }
        }
        let collective = devices
            .iter()
            .all(|d| world.vocabulary.devices[*d].kinds.iter().any(|k| world.lexicon().kinds[*k].collective));
        let same_room = devices.iter().all(|d| home.devices[*d].room == home.devices[devices[0]].room);
        let candidates = self.candidates(&devices);
        if devices.len() == 1 || (collective && (same_room || self.scope.is_said() || self.order.everywhere)) {
            return Selection::Devices(devices, candidates);
        }
        let running: Vec<DeviceIndex> = devices.iter().copied().filter(|d| self.is_running(*d)).collect();
        // 童锁打开 in the hall is not said of the oven of another room for that it runs.
        if running.len() == 1 && !elsewhere {
            return Selection::Devices(running, candidates);
        }
        if self.order.each || self.order.everywhere {
            return Selection::Devices(devices, candidates);
        }
        Selection::Which(devices, candidates)
    }

    pub(super) fn is_running(&self, device: DeviceIndex) -> bool {
        let world = self.context.world;
        let Some(power) = world.lexicon().property("power") else { return false };
        let sense = &world.vocabulary.devices[device];
        let home = world.home();
        let live = self.context.live.get(device);
        sense.about(power).is_some_and(|a| match a.source {
            crate::language::meaning::Source::Property(i) => {
                live.values.get(&home.devices[device].properties[i].id) == Some(&serde_json::Value::Bool(true))
            }
            crate::language::meaning::Source::Command(_) => false,
        })
    }

    /// A question about a place or about everything.
    pub(super) fn asked_about(&self) -> Selection {
        let world = self.context.world;
        let mut devices: Vec<DeviceIndex> = (0..world.home().devices.len()).filter(|d| self.in_scope(*d)).collect();
        let own = self.scope.rooms.is_none() && !self.order.everywhere && self.order.quantifier != Quantifier::All;
        if own && let Some(local) = self.context.local {
            let here: Vec<DeviceIndex> =
                devices.iter().copied().filter(|d| world.home().devices[*d].room == Some(local)).collect();
            let tells = here.iter().any(|d| state::tells(*d, &self.order.action, self.context));
            if tells {
                devices = here;
            }
        }
        if devices.is_empty() {
            let rooms = self.scope.rooms.clone().unwrap_or_default();
            return Selection::Missing(Missing::Device(self.context.replies.word("device").to_owned(), rooms));
        }
        Selection::Devices(devices, Vec::new())
    }
}

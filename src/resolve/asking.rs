//! Orders that ask: conditions and questions about the state of the home.

use super::outcome::{Pending, Resolver};
use super::select::{Missing, Selection};
use super::{Context, answer};
use crate::home::DeviceIndex;
use crate::language::command::{Name, Type};
use crate::language::deed::{Ask, Condition, Deed};
use crate::language::grammar::Order;
use crate::retrieval::Entity;

impl Resolver<'_> {
    pub(super) fn condition(&mut self, when: &Condition, selection: &Selection, order: &Order, context: &Context) {
        let devices = match selection {
            Selection::Devices(devices, found) => {
                self.find(found, order);
                devices.clone()
            }
            Selection::Which(devices, _) | Selection::Many(devices, _) | Selection::Group(_, devices, _) => {
                devices.clone()
            }
            _ => Vec::new(),
        };
        let deed = Deed::When(when.clone());
        let devices = self.tellers(devices, &deed, context);
        self.note_stale(&devices, context);
        if let (Name::Named(_), [only]) = (&order.command.target.name, &devices[..]) {
            self.mention([Entity::Device(*only)]);
        }
        match answer::condition(when, &devices, context) {
            Some((true, read)) => {
                self.trace.push(format!("condition holds: {read}"));
                self.guarded = false;
            }
            Some((false, read)) => {
                self.guarded = true;
                self.answers.push(context.replies.say("condition_false", &[("what", &read)]));
            }
            None => {
                self.guarded = true;
                let what = order.command.action.trim_start_matches("如果").to_owned();
                self.answers.push(context.replies.say("condition_unknown", &[("what", &what)]));
            }
        }
    }

    /// Devices that can tell what is asked, those of the speaker's room first when no room was said.
    pub(super) fn tellers(&self, devices: Vec<DeviceIndex>, deed: &Deed, context: &Context) -> Vec<DeviceIndex> {
        let telling: Vec<DeviceIndex> = devices.iter().copied().filter(|d| answer::tells(*d, deed, context)).collect();
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
        let telling =
            if general || matches!(ask, Ask::Value(_)) { self.tellers(devices, deed, context) } else { devices };
        self.note_stale(&telling, context);
        let named = order.command.target.name != Name::Any || order.command.target.kind != Type::Unknown;
        if named && telling.len() <= 8 {
            self.mention(telling.iter().map(|d| Entity::Device(*d)));
        }
        let what = self.target_word(order);
        self.answers.push(answer::answer(ask, &telling, &what, context));
    }
}

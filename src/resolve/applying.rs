//! Orders that move: actions planned on devices, or refused.

use super::Context;
use super::errand::{Errand, errand};
use super::plan::{Act, Cannot, Subject};
use super::resolver::{Pending, Plan, Resolver};
use super::risk::{is_safe, settles};
use super::selection::{Missing, Selection};
use super::state::holds;
use super::telling::{self, Phrase, intended, phrase};
use super::value::describe_range;
use crate::home::{DeviceIndex, State};
use crate::language::action::{Action, Status};
use crate::language::lexicon::{Lexicon, PropertyId};
use crate::language::meaning::Source;
use crate::language::order::{Order, Target};

/// Whether something is on after a verb.
fn is_on_by(action: &Action, lexicon: &Lexicon) -> bool {
    matches!(action, Action::Verb(verb) if lexicon.verbs[*verb].switches == Some(true))
}

impl Resolver<'_> {
    /// Plans an action on devices, each on top of what was already decided for it.
    pub(super) fn apply(&mut self, order: &Order, devices: &[DeviceIndex], group: Option<String>) {
        let action = &order.action;
        let world = self.context.world;
        let mut risky = Vec::new();
        let mut acted = Vec::new();
        let mut refused: Option<(DeviceIndex, Cannot)> = None;
        let mut told: Vec<Phrase> = Vec::new();
        let (mut parted, mut undone) = (false, Vec::new());
        // Of several, what is off takes the value and stays off, if any of them is on.
        let some_on = devices.len() > 1 && devices.iter().any(|d| is_on(*d, self.context));
        // 灯暗一点 is about the lamps that are on.
        let lit =
            some_on && matches!(action, Action::Step { .. }) && matches!(order.target, Target::Type(_)) && !order.each;
        for device in devices {
            if lit && !is_on(*device, self.context) && !self.plans.contains_key(device) {
                continue;
            }
            let sense = &world.vocabulary.devices[*device];
            let plan = self.plans.get(device).cloned().unwrap_or_default();
            let mut now = self.context.live.get(*device).values.clone();
            now.extend(plan.state.clone());
            let subject =
                Subject { device: &world.home().devices[*device], sense, state: &now, lexicon: world.lexicon() };
            let whole = subject.plan(action);
            let parts = if whole == Err(Cannot::Ability) || matches!(action, Action::Set { .. }) {
                subject.by_parts(action)
            } else {
                Vec::new()
            };
            for part in &parts {
                self.apply(&order.clone().with(part.clone()), &[*device], None);
            }
            if !parts.is_empty() {
                parted = true;
                continue;
            }
            match whole {
                Ok(mut act) => {
                    match errand(order, *device, self.context) {
                        Errand::Plain => {}
                        Errand::Room(property, value) => {
                            act.state.insert(property, value);
                        }
                        Errand::Command(call) => {
                            act.state = State::new();
                            act.command = Some(call);
                        }
                        Errand::Several(rooms) => return self.act(order, Selection::WhichPlace(rooms)),
                        Errand::Elsewhere(room) => return self.miss(&Missing::Unreached(*device, room), order),
                        Errand::Everywhere if self.context.confirmed => {}
                        Errand::Everywhere => {
                            risky.push(*device);
                            continue;
                        }
                    }
                    let safe = || is_safe(action, &act, *device, self.context);
                    let settles = || settles(&act, *device, self.context);
                    if sense.risky && !self.context.confirmed && !safe() && !settles() {
                        risky.push(*device);
                        continue;
                    }
                    // What stands at its bound already does nothing that could be told.
                    if !act.at_bound || act.state.iter().any(|(id, value)| now.get(id) != Some(value)) {
                        told.push(phrase(action, &act, self.context));
                    }
                    if act.at_bound {
                        self.bounds.push((*device, act.property));
                    }
                    acted.push(*device);
                    undone.extend(self.plan(*device, act, action, &subject, !some_on));
                }
                Err(cannot) => refused = refused.or(Some((*device, cannot))),
            }
        }
        told.dedup();
        // What comes to another value for each of them is told as it was meant.
        let common = if told.len() > 1 { Some(intended(action, self.context)) } else { told.pop() };
        if let Some(told) = common {
            let what = group.unwrap_or_else(|| self.what(&acted, order));
            // 打开，调成高速，关掉，再打开: what is taken back in the same breath is not told. What is on in the end was first.
            let before = undone.first().filter(|_| undone.len() == acted.len());
            let at =
                before.and_then(|before| self.done.iter().position(|(phrase, of)| phrase == before && *of == what));
            let first = at.and_then(|at| {
                self.done.remove(at);
                self.done.iter().position(|(_, of)| *of == what).filter(|_| is_on_by(action, world.lexicon()))
            });
            self.done.insert(first.unwrap_or(self.done.len()), (told, what));
        }
        if !risky.is_empty() {
            let names: Vec<String> = risky.iter().map(|d| self.context.device_name(*d)).collect();
            let parts = vec![(intended(action, self.context).whole, names)];
            let text =
                self.context.replies.say("confirm", &[("what", &telling::actions(&parts, self.context.replies))]);
            self.ask_back(text, Pending::confirm(order, risky, parts), "confirm_required");
        } else if acted.is_empty()
            && !parted
            && let Some((device, cannot)) = refused
        {
            self.refuse(device, &cannot, order);
        }
    }

    /// Plans what is done to a device, and returns how that is told which it takes back.
    pub(super) fn plan(
        &mut self,
        device: DeviceIndex,
        act: Act,
        action: &Action,
        subject: &Subject,
        wake: bool,
    ) -> Option<Phrase> {
        // 窗帘拉开，一半: how far is all there is to say.
        let position = subject.lexicon.property("position");
        let moved = |plan: &Plan| plan.verb.is_some() && !plan.acts.iter().any(|act| act.property == position);
        if position.is_some() && act.property == position && self.plans.get(&device).is_some_and(moved) {
            self.plans.remove(&device);
            let what = self.context.device_name(device);
            self.done.retain(|(_, done)| *done != what);
        }
        if !self.order_of.contains(&device) {
            self.order_of.push(device);
        }
        let mut state = act.state.clone();
        if let Some(power) = wakes(&act, action, subject).filter(|_| wake) {
            state.insert(power, serde_json::Value::Bool(true));
        }
        let told = phrase(action, &act, self.context);
        let plan = self.plans.entry(device).or_default();
        // What is told twice is one command; a step is two.
        if act.command.is_some() && !matches!(action, Action::Step { .. }) && plan.acts.contains(&act) {
            return None;
        }
        plan.state.extend(state);
        if let (Action::Verb(verb), true) = (action, plan.acts.is_empty()) {
            plan.verb = Some(*verb);
        }
        let switched = act.state.iter().next().filter(|_| act.state.len() == 1 && act.command.is_none());
        let switched = switched.and_then(|(id, value)| Some((id.clone(), value.as_bool()?, told.clone())));
        let switched = switched.filter(|_| matches!(action, Action::Verb(_)));
        let before = match (&switched, &plan.switched) {
            (Some((id, now, _)), Some((known, then, before))) if id == known && now != then => Some(before.clone()),
            _ => None,
        };
        let at = before.as_ref().and_then(|before| plan.phrases.iter().position(|phrase| phrase == before));
        if let Some(at) = at {
            plan.phrases.remove(at);
        }
        let first = at.filter(|_| is_on_by(action, subject.lexicon)).map(|_| 0);
        plan.phrases.insert(first.unwrap_or(plan.phrases.len()), told);
        plan.switched = switched.or(plan.switched.take());
        plan.acts.push(act);
        before
    }

    pub(super) fn refuse(&mut self, device: DeviceIndex, cannot: &Cannot, order: &Order) {
        let context = self.context;
        let what = context.device_name(device);
        let of = |source: &Source| {
            let mut abilities = context.world.vocabulary.devices[device].abilities.iter();
            abilities.find(|ability| ability.source == *source)
        };
        let name = |property: Option<PropertyId>| match property {
            Some(property) => context.world.lexicon().properties[property].words[0].as_str(),
            None => context.replies.word("value"),
        };
        let asked = match cannot {
            Cannot::Range(source) | Cannot::Unit(source) => of(source).and_then(|ability| ability.property),
            _ => None,
        };
        let (key, property, ability) = match cannot {
            Cannot::Ability => {
                let text = self.missing_text(&Missing::Ability(vec![device]), order);
                self.missing.push(text);
                return;
            }
            Cannot::Range(source) => (self.beyond(device, asked, order), name(asked), of(source)),
            Cannot::Unit(source) => ("unit", name(asked), of(source)),
            Cannot::UnknownState => ("unknown_state", context.replies.word("state"), None),
        };
        let range = ability.map(|ability| describe_range(ability, context)).unwrap_or_default();
        // 空调开到十度: with the value in question, it is not switched on for it either. 雾量一档 before it is another thing.
        let power = context.world.lexicon().property("power");
        let of_it = [asked, power, context.world.lexicon().property("mode")];
        let apart = |act: &Act| act.property.is_some() && !of_it.contains(&act.property);
        if !self.plans.get(&device).is_some_and(|plan| plan.acts.iter().any(apart)) {
            self.plans.remove(&device);
            self.order_of.retain(|d| *d != device);
            self.done.retain(|(_, done)| *done != what);
        }
        let text = context.replies.say(key, &[("what", &what), ("property", property), ("range", &range)]);
        self.ask_back(text, Pending::Value(vec![order.clone()], vec![device]), "value_required");
    }
}

/// Whether a device is known to be on.
fn is_on(device: DeviceIndex, context: &Context) -> bool {
    let on = context.world.lexicon().verb("on").map(Status::Verb);
    on.is_some_and(|on| holds(device, &on, context) == Some(true))
}

/// A device that is off is switched on by a value that it can only show when it is on.
fn wakes(act: &Act, action: &Action, subject: &Subject) -> Option<String> {
    let lexicon = subject.lexicon;
    let power = lexicon.property("power")?;
    let ability = subject.sense.about(power).filter(|a| a.writable)?;
    let crate::language::meaning::Source::Property(index) = ability.source else { return None };
    let id = &subject.device.properties[index].id;
    if subject.state.get(id) != Some(&serde_json::Value::Bool(false))
        || act.state.contains_key(id)
        || act.state.is_empty()
    {
        return None;
    }
    // 主灯亮一点, 油烟机开大点
    let gears = ["speed", "level"].map(|id| lexicon.property(id));
    let lights = act.property.is_some_and(|p| lexicon.properties[p].floor || gears.contains(&Some(p)));
    let shows = match action {
        Action::Set { .. } => !matches!(act.state.values().next(), Some(serde_json::Value::Bool(_))),
        Action::Step { ways, .. } => lights && ways.iter().all(|w| w.1),
        _ => false,
    };
    shows.then(|| id.clone())
}

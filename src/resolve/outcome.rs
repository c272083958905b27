//! The outcome of an utterance: every command resolved in order, one instruct per device, one reply.

mod candidates;
mod finish;
mod offline;
mod scene;

use std::time::{Duration, Instant};

use super::bounds;
use super::plan::Subject;
use super::reply;
use super::resolver::{Found, Pending, Premises, Resolver, Set};
use super::risk::opens;
use super::select::select;
use super::selection::{Missing, Selection};
use super::telling::{self, Phrase};
use super::wording::describe;
use super::{Context, Stale};
use crate::frame::{Instruct, Intent};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::action::Action;
use crate::language::command::Quantifier;
use crate::language::order::Order;
use crate::language::protocol::encode;
use crate::retrieval::{Candidate, Entity, Signals};

/// What an utterance comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// What it turned out to be.
    pub intent: Intent,
    /// The reply.
    pub text: String,
    /// One instruct per device, in the order in which they were first meant.
    pub instructs: Vec<Instruct>,
    /// What was found, command by command.
    pub candidates: Vec<Found>,
    /// `multiple_close_matches`, `confirm_required`, …
    pub hint: Option<&'static str>,
    /// What was mentioned; empty leaves what was mentioned before.
    pub mentioned: Vec<Entity>,
    /// What the daemon asked.
    pub pending: Option<Pending>,
    /// What is too old to decide by.
    pub stale: Vec<Stale>,
    /// Time spent on finding devices, and on working out what each of them does or tells.
    pub searched: (Duration, Duration),
    /// All that was said was done.
    pub complete: bool,
    /// Nobody spoke to the home: nothing is said aloud.
    pub silent: bool,
    /// What is done, in words, as if nothing were so already.
    pub actions: String,
    /// What is not done, and what was asked for, in words.
    pub undone: String,
    /// What was done, said for people who look at traces.
    pub trace: Vec<String>,
}

impl Outcome {
    /// An outcome that only says something.
    pub fn say(intent: Intent, text: String) -> Self {
        Self {
            intent,
            text,
            instructs: Vec::new(),
            candidates: Vec::new(),
            hint: None,
            mentioned: Vec::new(),
            pending: None,
            stale: Vec::new(),
            searched: (Duration::ZERO, Duration::ZERO),
            complete: false,
            silent: false,
            actions: String::new(),
            undone: String::new(),
            trace: Vec::new(),
        }
    }

    /// The same, of which nothing is said aloud.
    #[must_use]
    pub fn in_silence(self) -> Self {
        Self { silent: true, hint: Some("needs_fallback"), ..self }
    }
}

/// Resolves orders against a home.
pub fn resolve(orders: &[Order], context: &Context) -> Outcome {
    let mut resolver = Resolver::new(context);
    for order in orders {
        resolver.take(order);
    }
    resolver.finish()
}

/// A yes is for what was asked about and for nothing else: of what an order means now, only those devices. `None` where a
/// scene was asked about, which is as it was.
fn confirmed(selection: Selection, asked: &[DeviceIndex]) -> Option<Selection> {
    let (devices, found) = match selection {
        Selection::Devices(devices, found)
        | Selection::Which(devices, found)
        | Selection::Many(devices, found)
        | Selection::Group(_, devices, found) => (devices, found),
        Selection::Scene(_) => return None,
        other => return Some(other),
    };
    Some(Selection::Devices(devices.into_iter().filter(|d| asked.contains(d)).collect(), found))
}

impl Resolver<'_> {
    fn take(&mut self, order: &Order) {
        let (action, asks) = (&order.action, order.action.moves_nothing());
        if !action.states() {
            self.guarding = false;
            if let Some(Premises { holds, said }) = &self.guard
                && *holds != Some(true)
            {
                let said = said.iter().filter(|said| !self.unmet.contains(said)).cloned().collect::<Vec<_>>();
                self.unmet.extend(said);
                return;
            }
        }
        if let Action::Unclear(words) = action {
            let what = crate::text::displayable(words, 24);
            if !self.unclear.contains(&what) {
                self.unclear.push(what);
            }
            return;
        }
        // 如果燃气阀开着就把它关掉: what this sentence mentioned comes before what earlier ones did.
        let mentioned = self.mentioned.clone();
        let last = if mentioned.is_empty() { self.context.last } else { &mentioned };
        let context = Context { asking: asks, last, ..*self.context };
        let featured = super::feature::of_mentioned(order, &context);
        let (order, action) = featured.as_ref().map_or((order, action), |order| (order, &order.action));
        let started = Instant::now();
        let selection = match self.chosen(order, &context) {
            Some(selection) => selection,
            None => select(order, &context),
        };
        self.searched.0 += started.elapsed();
        let command = encode(order, &self.context.world.vocabulary);
        self.trace.push(format!("{command}: {}", describe(&selection, &context)));
        let started = Instant::now();
        match action {
            Action::When(when) => self.condition(when, false, &selection, order, &context),
            Action::OrWhen(when) => self.condition(when, true, &selection, order, &context),
            Action::Ask(ask) => self.ask(ask, selection, order, &context),
            _ => self.act(order, selection),
        }
        self.searched.1 += started.elapsed();
    }

    /// The answer to our own question narrows what is meant.
    fn chosen(&self, order: &Order, context: &Context) -> Option<Selection> {
        let chosen = context.chosen?;
        if context.confirmed {
            return confirmed(select(order, context), chosen);
        }
        let world = context.world;
        let able = |d: &DeviceIndex| {
            let subject = Subject {
                device: &world.home().devices[*d],
                sense: &world.vocabulary.devices[*d],
                state: &context.live.get(*d).values,
                lexicon: world.lexicon(),
            };
            subject.able(&order.action)
        };
        let devices: Vec<DeviceIndex> = chosen.iter().copied().filter(able).collect();
        if devices.is_empty() {
            return Some(Selection::Missing(Missing::Ability(chosen.to_vec())));
        }
        let reachable: Vec<DeviceIndex> = devices.iter().copied().filter(|d| context.online(*d)).collect();
        match (context.asking, reachable.is_empty()) {
            (true, _) => Some(Selection::Devices(devices, Vec::new())),
            (false, true) => Some(Selection::Missing(Missing::Offline(devices))),
            (false, false) => Some(Selection::Devices(reachable, Vec::new())),
        }
    }

    pub(super) fn act(&mut self, order: &Order, selection: Selection) {
        match selection {
            Selection::Devices(devices, found) => {
                self.find_all(&devices, &found, order);
                self.mention(devices.iter().map(|d| Entity::Device(*d)));
                self.apply(order, &devices, None);
                self.leave_out(&self.claimed(order, &devices), order);
            }
            Selection::Group(group, devices, found) => {
                self.find_group(group, &found, order);
                self.mention([Entity::Group(group)]);
                let name = reply::spoken(&self.context.world.home().groups[group].name);
                self.apply(order, &devices, Some(name));
                self.leave_out(&self.context.world.home().groups[group].members, order);
            }
            Selection::Scene(scene) => self.scene(scene, order),
            Selection::Which(devices, found) => {
                self.find(&found, order);
                // Each is as much meant as the others: whoever is asked hears first what is used most.
                let devices = match self.context.usage {
                    Some(usage) => usage.in_order(devices, self.context.world.home()),
                    None => devices,
                };
                let text = self.which(&devices, order);
                self.ask_back(text, Pending::Device(vec![order.clone()], devices), "multiple_close_matches");
            }
            Selection::WhichPlace(rooms) => {
                let names: Vec<&str> =
                    rooms.iter().map(|r| self.context.world.home().rooms[*r].name.as_str()).collect();
                let replies = self.context.replies;
                let text = replies.say("which_place", &[("options", &replies.one_of(&names))]);
                self.ask_back(text, Pending::Room(vec![order.clone()], rooms), "multiple_close_matches");
            }
            Selection::Many(devices, found) => {
                self.find_all(&devices, &found, order);
                if self.context.confirmed {
                    self.apply(order, &devices, None);
                    self.leave_out(&self.claimed(order, &devices), order);
                    return;
                }
                let many = self.context.replies.say("so_many", &[("count", &devices.len().to_string())]);
                let text = self.context.replies.say("many", &[("doing", &self.doing(&order.action, &many))]);
                self.ask_back(text, Pending::confirm(order, devices, Vec::new()), "confirm_required");
            }
            Selection::Missing(missing) => self.miss(&missing, order),
        }
    }

    /// Keeps the first question; orders that end in the same question wait with it.
    pub(super) fn ask_back(&mut self, text: String, pending: Pending, hint: &'static str) {
        match (&mut self.question, pending) {
            (None, pending) => self.question = Some((text, pending, hint)),
            (
                Some((known, Pending::Confirm { orders, devices, parts }, _)),
                Pending::Confirm { orders: more, devices: others, parts: new },
            ) => {
                orders.extend(more);
                devices.extend(others.iter().filter(|d| !devices.contains(d)).copied().collect::<Vec<_>>());
                // One question, in which every device is named.
                let merged = !parts.is_empty() && !new.is_empty();
                for (action, names) in new {
                    match parts.iter_mut().find(|(known, _)| *known == action) {
                        Some((_, known)) => {
                            known.extend(names.into_iter().filter(|n| !known.contains(n)).collect::<Vec<_>>())
                        }
                        None => parts.push((action, names)),
                    }
                }
                if merged {
                    *known = self
                        .context
                        .replies
                        .say("confirm", &[("what", &telling::actions(parts, self.context.replies))]);
                } else if *known != text {
                    *known = format!("{known}{text}");
                }
            }
            (Some((_, Pending::Device(orders, known), _)), Pending::Device(more, devices)) if *known == devices => {
                orders.extend(more);
            }
            (Some((_, Pending::Room(orders, known), _)), Pending::Room(more, rooms)) if *known == rooms => {
                orders.extend(more);
            }
            (Some((_, Pending::Target(orders), _)), Pending::Target(more)) => orders.extend(more),
            (Some(_), _) => self.missing.push(text),
        }
    }

    pub(super) fn miss(&mut self, missing: &Missing, order: &Order) {
        let text = self.missing_text(missing, order);
        match missing {
            Missing::Device(what, rooms) if rooms.is_empty() => {
                let what = reply::spoken(what);
                if !self.unfound.contains(&what) {
                    self.unfound.push(what);
                }
            }
            Missing::Reference | Missing::Target => {
                self.ask_back(text, Pending::Target(vec![order.clone()]), "needs_fallback");
            }
            // 没有亮着的灯 is an answer.
            Missing::State(..) | Missing::Unread(_) => self.answers.push(text),
            _ if !self.missing.contains(&text) => self.missing.push(text),
            _ => {}
        }
    }
}

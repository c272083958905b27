//! What a resolver says: targets, deeds and refusals in words.

use super::Context;
use super::outcome::Resolver;
use super::reply::{self, list};
use super::select::{Missing, Selection};
use crate::frame::Instruct;
use crate::home::DeviceIndex;
use crate::language::deed::Deed;
use crate::language::order::{Order, Place, Target};
use crate::language::protocol::write_amount;

impl Resolver<'_> {
    /// What an order is about, in words.
    pub(super) fn target_word(&self, order: &Order) -> String {
        format!("{}{}", place_words(order, self.context), target_word(order, self.context))
    }

    /// What was moved, in words: the one device, or the kind and where.
    pub(super) fn what(&self, devices: &[DeviceIndex], order: &Order) -> String {
        if devices.len() > 1 && matches!(order.target, Target::Type(_)) {
            let word = self.target_word(order);
            let every = if order.everywhere && order.scope.include.is_empty() { "所有房间的" } else { "" };
            let local = match (self.context.local, order.scope.include.is_empty(), order.everywhere) {
                (Some(room), true, false)
                    if devices.iter().all(|d| self.context.world.home().devices[*d].room == Some(room)) =>
                {
                    self.context.world.home().rooms[room].name.clone()
                }
                _ => String::new(),
            };
            return format!("{local}{every}{word}");
        }
        list(&devices.iter().map(|d| self.context.device_name(*d)).collect::<Vec<_>>())
    }

    pub(super) fn action_word(&self, deed: &Deed) -> String {
        match deed {
            Deed::Verb(verb) => self.context.world.lexicon().verbs[*verb].words[0].clone(),
            _ => "调".into(),
        }
    }

    pub(super) fn phrase(&self, deed: &Deed, value: Option<&str>) -> String {
        phrase(deed, value, self.context)
    }

    pub(super) fn which(&self, devices: &[DeviceIndex], order: &Order) -> String {
        let home = self.context.world.home();
        let mut rooms: Vec<String> = devices.iter().map(|d| home.room_name(&home.devices[*d]).to_owned()).collect();
        let distinct = {
            let mut sorted = rooms.clone();
            sorted.sort();
            sorted.dedup();
            sorted.len() == devices.len() && !sorted.iter().any(String::is_empty)
        };
        let action = self.action_word(&order.action);
        let what = self.target_word(order);
        if distinct {
            if rooms.len() > 4 {
                return self.context.replies.say("which_room", &[("action", &action), ("what", &what)]);
            }
            rooms.dedup();
            let options = rooms.join("还是");
            return self
                .context
                .replies
                .say("which_rooms", &[("action", &action), ("what", &what), ("options", &options)]);
        }
        let names: Vec<String> = devices.iter().take(4).map(|d| self.context.device_name(*d)).collect();
        self.context.replies.say("which_device", &[("action", &action), ("options", &names.join("还是"))])
    }

    pub(super) fn missing_text(&self, missing: &Missing, order: &Order) -> String {
        let deed = &order.action;
        let context = self.context;
        let home = context.world.home();
        let action = self.action_word(deed);
        match missing {
            Missing::Room(room) => context.replies.say("no_room", &[("room", &reply::spoken(room))]),
            Missing::Device(what, rooms) if rooms.is_empty() => {
                context.replies.say("no_device", &[("what", &reply::spoken(what))])
            }
            Missing::Device(what, rooms) => {
                let said = &order.scope.include;
                let described = said.iter().any(|place| matches!(place, Place::Described(..)));
                let names: Vec<String> = if said.is_empty() || described {
                    rooms.iter().map(|r| home.rooms[*r].name.clone()).collect()
                } else {
                    said.iter().map(|place| place.word(&context.world.vocabulary).to_owned()).collect()
                };
                context.replies.say("no_device_in", &[("room", &list(&names)), ("what", &reply::spoken(what))])
            }
            Missing::Ability(devices) if devices.is_empty() => {
                let places = place_words(order, context);
                let what = format!("可以{}的设备", self.phrase(deed, None));
                if places.is_empty() {
                    context.replies.say("no_device", &[("what", &what)])
                } else {
                    context.replies.say("no_device_in", &[("room", &places), ("what", &what)])
                }
            }
            Missing::Ability(devices) => {
                let what = list(&devices.iter().map(|d| context.device_name(*d)).collect::<Vec<_>>());
                context.replies.say("cannot", &[("what", &what), ("action", &self.phrase(deed, None))])
            }
            Missing::Offline(devices) => {
                let what = list(&devices.iter().map(|d| context.device_name(*d)).collect::<Vec<_>>());
                context.replies.say("offline", &[("what", &what), ("action", &action)])
            }
            Missing::State(state, what) => {
                let place = place_words(order, context);
                context.replies.say("none_in_state", &[("where", &place), ("state", state), ("what", what)])
            }
            Missing::Unread(what) => context.replies.say("unread", &[("what", what)]),
            Missing::Reference => context.replies.say("nothing_last", &[]),
            Missing::Target => context.replies.say("what_target", &[("action", &action)]),
        }
    }

    pub(super) fn done_text(&self, instructs: &[Instruct]) -> String {
        let replies = self.context.replies;
        if !self.scenes.is_empty() && self.done.is_empty() {
            return replies.say("scene", &[("what", &list(&self.scenes))]);
        }
        if let ([_], true) = (instructs, instructs.iter().all(|i| i.noop)) {
            let device = self.order_of[0];
            if self.bounds.contains(&device) {
                return replies.say("at_bound", &[("what", &self.context.device_name(device))]);
            }
            if let Some(state) = self.resting_state(device) {
                return replies.say("already_on", &[("what", &self.context.device_name(device)), ("state", &state)]);
            }
        }
        let mut merged: Vec<(String, Vec<String>)> = Vec::new();
        for (phrase, what) in &self.done {
            match merged.iter_mut().find(|(p, _)| p == phrase) {
                Some((_, list)) if !list.contains(what) => list.push(what.clone()),
                Some(_) => {}
                None => merged.push((phrase.clone(), vec![what.clone()])),
            }
        }
        let said: Vec<String> = merged.iter().map(|(phrase, what)| sentence(phrase, &list(what))).collect();
        let bound = if self.bounds.is_empty() {
            String::new()
        } else {
            let names: Vec<String> = self.bounds.iter().map(|d| self.context.device_name(*d)).collect();
            replies.say("at_bound", &[("what", &list(&names))])
        };
        format!("{}{bound}", replies.say("doing", &[("what", &said.join("，"))]))
    }

    /// The state a device already is in, for 已经是关着的.
    pub(super) fn resting_state(&self, device: DeviceIndex) -> Option<String> {
        let act = self.plans.get(&device)?.acts.first()?;
        if act.value.is_some() {
            return act.value.clone();
        }
        self.context.world.lexicon().verbs[self.plans.get(&device)?.verb?].state.first().cloned()
    }
}

/// The word for what an order is about, without its place.
pub(super) fn target_word(order: &Order, context: &Context) -> String {
    match &order.target {
        Target::Reference(_) => String::new(),
        Target::Type(kind) => {
            let kind = context.world.lexicon().kinds.iter().find(|k| k.kind == *kind);
            kind.map_or_else(|| "设备".into(), |k| k.words[0].clone())
        }
        target => target.word(&context.world.vocabulary).map_or_else(|| "设备".into(), reply::spoken),
    }
}

/// The places of an order in words; rooms that were described are not said again.
pub(super) fn place_words(order: &Order, context: &Context) -> String {
    let plain = order.scope.include.iter().filter(|place| !matches!(place, Place::Described(..)));
    plain.map(|place| place.word(&context.world.vocabulary)).collect::<Vec<_>>().join("和")
}

/// `打开客厅灯`, `把客厅灯的亮度调到50%`.
fn sentence(phrase: &str, what: &str) -> String {
    match phrase.strip_prefix('@') {
        Some(value) => format!("把{what}{value}"),
        None => format!("{phrase}{what}"),
    }
}

/// A deed in words; what begins with `@` takes its object before it.
pub(super) fn phrase(deed: &Deed, value: Option<&str>, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    let name = |property: &Option<usize>| property.map_or("", |p| lexicon.properties[p].words[0].as_str());
    match deed {
        Deed::Verb(verb) => lexicon.verbs[*verb].words[0].clone(),
        Deed::Set { property, to } => {
            let value = value.map_or_else(|| write_amount(to, lexicon), str::to_owned);
            format!("{}调到{value}", name(property))
        }
        Deed::Step { ways, .. } => {
            let (property, up) = ways.first().copied().unwrap_or((None, true));
            let word = format!("调{}{}", if up { "高" } else { "低" }, name(&property));
            value.map_or(word.clone(), |v| format!("{word}到{v}"))
        }
        Deed::Ask(_) | Deed::When(_) | Deed::OrWhen(_) | Deed::Unclear(_) => String::new(),
    }
}

/// A selection in words, for the trace.
pub(super) fn describe(selection: &Selection, context: &Context) -> String {
    let home = context.world.home();
    let ids = |devices: &[DeviceIndex]| {
        let ids: Vec<&str> = devices.iter().take(8).map(|d| home.devices[*d].id.as_str()).collect();
        format!("{}{}", ids.join(" "), if devices.len() > 8 { " …" } else { "" })
    };
    match selection {
        Selection::Devices(devices, _) => format!("devices {}", ids(devices)),
        Selection::Group(group, devices, _) => format!("group {} ({})", home.groups[*group].id, ids(devices)),
        Selection::Scene(scene) => format!("scene {}", home.scenes[*scene].id),
        Selection::Which(devices, _) => format!("which of {}", ids(devices)),
        Selection::WhichPlace(rooms) => {
            format!(
                "which room of {}",
                rooms.iter().map(|r| home.rooms[*r].name.as_str()).collect::<Vec<_>>().join(" ")
            )
        }
        Selection::Many(devices, _) => format!("more than a handful: {}", ids(devices)),
        Selection::Missing(missing) => format!("nothing: {missing:?}"),
    }
}

//! What a resolver says: targets, actions and refusals in words.

use super::Context;
use super::reply;
use super::resolver::Resolver;
use super::selection::{Missing, Selection};
use super::telling::{self, Phrase, ability};
use crate::frame::Instruct;
use crate::home::DeviceIndex;
use crate::language::action::Action;
use crate::language::order::{Excluded, Order, Place, Target};

impl Resolver<'_> {
    /// What an order is about, in words.
    pub(super) fn target_word(&self, order: &Order) -> String {
        // 客厅灯, but 一楼的灯: a floor is no part of a name.
        let floor = matches!(order.scope.include.last(), Some(Place::Floor(..)));
        let of = if floor { self.context.replies.word("of") } else { "" };
        format!("{}{of}{}", place_words(order, self.context), target_word(order, self.context))
    }

    /// What was moved, in words: the one device, or the kind and where.
    pub(super) fn what(&self, devices: &[DeviceIndex], order: &Order) -> String {
        if devices.len() > 1 && matches!(order.target, Target::Type(_)) {
            let word = self.target_word(order);
            let everywhere = order.everywhere && order.scope.include.is_empty();
            let every = if everywhere { self.context.replies.word("every_room") } else { "" };
            let local = match (self.context.local, order.scope.include.is_empty(), order.everywhere) {
                (Some(room), true, false)
                    if devices.iter().all(|d| self.context.world.home().devices[*d].room == Some(room)) =>
                {
                    self.context.world.home().rooms[room].name.clone()
                }
                _ => String::new(),
            };
            return format!("{}{local}{every}{word}", self.except(order));
        }
        self.context.replies.list(&devices.iter().map(|d| self.context.device_name(*d)).collect::<Vec<_>>())
    }

    /// What is left out, in words; empty when nothing is.
    fn except(&self, order: &Order) -> String {
        let words = self.left_out(order);
        if words.is_empty() {
            return String::new();
        }
        self.context.replies.say("except", &[("what", &self.context.replies.list(&words))])
    }

    /// The words of all that is left out.
    pub(super) fn left_out(&self, order: &Order) -> Vec<String> {
        let context = self.context;
        let word = |excluded: &Excluded| match excluded {
            Excluded::Place(place) => place.word(&context.world.vocabulary).to_owned(),
            Excluded::Thing(target, room) => {
                let room = room.map_or("", |room| context.world.home().rooms[room].name.as_str());
                format!("{}{}", reply::spoken(room), thing_word(target, context))
            }
        };
        order.scope.exclude.iter().map(word).filter(|word| !word.is_empty()).collect()
    }

    /// What shall be done to something that is not known yet.
    pub(super) fn doing(&self, action: &Action, what: &str) -> String {
        telling::of(&telling::intended(action, self.context).whole, what)
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
        let replies = self.context.replies;
        if distinct {
            let thing = replies.say("which_room", &[("what", &self.target_word(order))]);
            let doing = self.doing(&order.action, &thing);
            if rooms.len() > 4 {
                return replies.say("which", &[("doing", &doing)]);
            }
            rooms.dedup();
            return replies.say("which_of", &[("doing", &doing), ("options", &replies.one_of(&rooms))]);
        }
        let names = self.apart(&devices[..devices.len().min(4)]);
        let doing = self.doing(&order.action, replies.word("which_one"));
        replies.say("which_of", &[("doing", &doing), ("options", &replies.one_of(&names))])
    }

    /// What tells devices from each other: their names, where these are the same one that only one of them bears, and where there
    /// is none, which of them it is.
    fn apart(&self, devices: &[DeviceIndex]) -> Vec<String> {
        let home = self.context.world.home();
        let names: Vec<String> = devices.iter().map(|d| self.context.device_name(*d)).collect();
        let only_of = |at: usize, alias: &&String| {
            let borne = |d: &DeviceIndex| home.devices[*d].names().any(|name| name == alias.as_str());
            devices.iter().enumerate().all(|(other, d)| other == at || !borne(d))
        };
        let apart = |(at, name): (usize, &String)| {
            if names.iter().filter(|other| *other == name).count() == 1 {
                return name.clone();
            }
            let alias = home.devices[devices[at]].aliases.iter().find(|alias| only_of(at, alias));
            let number = || self.context.replies.say("which_number", &[("number", &(at + 1).to_string())]);
            alias.map_or_else(number, |alias| reply::spoken(alias))
        };
        names.iter().enumerate().map(apart).collect()
    }

    pub(super) fn missing_text(&self, missing: &Missing, order: &Order) -> String {
        let action = &order.action;
        let context = self.context;
        let home = context.world.home();
        match missing {
            Missing::Room(room) => context.replies.say("no_room", &[("room", &reply::spoken(room))]),
            Missing::Unreached(device, room) => {
                let told = [("what", context.device_name(*device)), ("room", reply::spoken(room))];
                context.replies.say("unreached", &told.each_ref().map(|(key, word)| (*key, word.as_str())))
            }
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
                context
                    .replies
                    .say("no_device_in", &[("room", &context.replies.list(&names)), ("what", &reply::spoken(what))])
            }
            Missing::Ability(devices) if devices.is_empty() => {
                let places = place_words(order, context);
                let what = context.replies.say("able", &[("action", &ability(action, context))]);
                if places.is_empty() {
                    context.replies.say("no_device", &[("what", &what)])
                } else {
                    context.replies.say("no_device_in", &[("room", &places), ("what", &what)])
                }
            }
            Missing::Ability(devices) => {
                if let ([device], Some(parts)) = (&devices[..], self.parts(devices, action)) {
                    let what = context.device_name(*device);
                    return context.replies.say("cannot_whole", &[("what", &what), ("parts", &parts)]);
                }
                let what = context.replies.list(&devices.iter().map(|d| context.device_name(*d)).collect::<Vec<_>>());
                context.replies.say("cannot", &[("what", &what), ("action", &ability(action, context))])
            }
            Missing::Offline(devices) => {
                let what = context.replies.list(&devices.iter().map(|d| context.device_name(*d)).collect::<Vec<_>>());
                context.replies.say("offline", &[("what", &what), ("action", &ability(action, context))])
            }
            Missing::State(state, what) => {
                let place = place_words(order, context);
                context.replies.say("none_in_state", &[("where", &place), ("state", state), ("what", what)])
            }
            Missing::Unread(what) => context.replies.say("unread", &[("what", what)]),
            Missing::Reference => context.replies.say("nothing_last", &[]),
            Missing::Target => {
                let doing = self.doing(action, context.replies.word("which_thing"));
                context.replies.say("which", &[("doing", &doing)])
            }
        }
    }

    pub(super) fn done_text(&self, instructs: &[Instruct]) -> String {
        let replies = self.context.replies;
        if !self.scenes.is_empty() && self.done.is_empty() {
            return replies.say("scene", &[("what", &self.context.replies.list(&self.scenes))]);
        }
        let rests = instructs.iter().all(|i| i.noop) && self.scenes.is_empty();
        let names = |devices: &[DeviceIndex]| {
            replies.list(&devices.iter().map(|d| self.context.device_name(*d)).collect::<Vec<_>>())
        };
        if rests && self.order_of.iter().all(|device| self.bounds.iter().any(|(at, _)| at == device)) {
            return replies.say("at_bound", &[("what", &names(&self.order_of))]);
        }
        let several = instructs.len() > 1;
        let resting = |(phrase, what): (&Phrase, Vec<&str>)| {
            telling::resting(&phrase.rest, &replies.list(&what), several, replies)
        };
        let mut said: Vec<String> = match rests {
            true => self.merged().into_iter().map(resting).collect(),
            false => {
                let scenes = (!self.scenes.is_empty())
                    .then(|| replies.say("then_scene", &[("what", &replies.list(&self.scenes))]));
                let all: Vec<String> = [self.actions_text()].into_iter().chain(scenes).collect();
                vec![replies.say("doing", &[("what", &all.join(replies.word("pause")))])]
            }
        };
        // 风速已经到头了: next to what moves it is told of what.
        if let Some((_, property)) = self.bounds.first() {
            let mut what = names(&self.bounds.iter().map(|(device, _)| *device).collect::<Vec<_>>());
            if let Some(property) = property.filter(|p| self.bounds.iter().all(|(_, of)| *of == Some(*p))) {
                what = format!(
                    "{what}{}{}",
                    replies.word("of"),
                    self.context.world.lexicon().properties[property].words[0]
                );
            }
            said.push(replies.say("at_bound", &[("what", &what)]));
        }
        replies.join(&said)
    }

    /// What is done to what: of the same phrase the things together.
    fn merged(&self) -> Vec<(&Phrase, Vec<&str>)> {
        let mut merged: Vec<(&Phrase, Vec<&str>)> = Vec::new();
        for (phrase, what) in &self.done {
            match merged.iter_mut().find(|(p, _)| *p == phrase) {
                Some((_, list)) if !list.contains(&what.as_str()) => list.push(what),
                Some(_) => {}
                None => merged.push((phrase, vec![what])),
            }
        }
        merged
    }

    /// What is done, in words: `打开客厅空调，调到26度`.
    pub(super) fn actions_text(&self) -> String {
        let replies = self.context.replies;
        let merged = self.merged();
        let mut said: Vec<String> = Vec::new();
        for (at, (phrase, what)) in merged.iter().enumerate() {
            // Of what has just been named the name is not said again.
            let again = at > 0 && merged[at - 1].1 == *what;
            said.push(if again { phrase.then.clone() } else { telling::of(&phrase.whole, &replies.list(what)) });
        }
        said.join(replies.word("pause"))
    }

    /// All that happens to one thing, in one sentence.
    pub(super) fn told(&self, phrases: &[Phrase], what: &str) -> String {
        let mut phrases: Vec<&Phrase> = phrases.iter().collect();
        phrases.dedup();
        let first = phrases.first().map(|phrase| telling::of(&phrase.whole, what));
        let rest = phrases.iter().skip(1).map(|phrase| phrase.then.clone());
        first.into_iter().chain(rest).collect::<Vec<_>>().join(self.context.replies.word("pause"))
    }
}

/// The word for what an order is about, without its place.
pub(super) fn target_word(order: &Order, context: &Context) -> String {
    thing_word(&order.target, context)
}

fn thing_word(target: &Target, context: &Context) -> String {
    match target {
        Target::Reference(_) => String::new(),
        Target::Type(kind) => {
            let kind = context.world.lexicon().kinds.iter().find(|k| k.kind == *kind);
            kind.map_or_else(|| context.replies.word("device").to_owned(), |k| k.words[0].clone())
        }
        target => target
            .word(&context.world.vocabulary)
            .map_or_else(|| context.replies.word("device").to_owned(), reply::spoken),
    }
}

/// The places of an order in words; rooms that were described are not said again.
pub(super) fn place_words(order: &Order, context: &Context) -> String {
    let plain = order.scope.include.iter().filter(|place| !matches!(place, Place::Described(..)));
    plain.map(|place| place.word(&context.world.vocabulary)).collect::<Vec<_>>().join(context.replies.word("and"))
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

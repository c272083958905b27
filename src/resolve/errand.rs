//! Errands: a room said to what moves about by itself is where it works. A property whose values are rooms takes the room;
//! without one the whole home would be cleaned, and that is asked.

use serde_json::Value;

use super::Context;
use super::bounds::scope_of;
use super::plan::{Act, Subject};
use super::scope::{Area, area};
use crate::frame::CommandCall;
use crate::home::{DeviceIndex, Domain, RoomIndex};
use crate::language::action::Action;
use crate::language::lexicon::VerbId;
use crate::language::meaning::Source;
use crate::language::order::{Order, Place, Target};
use crate::language::sense::Sense;

/// Where a device is sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Errand {
    /// Nowhere in particular.
    Plain,
    /// To a room: the property and its value.
    Room(String, Value),
    /// To a room, by a command of its own.
    Command(CommandCall),
    /// To one of several rooms, and it takes one at a time.
    Several(Vec<RoomIndex>),
    /// To a room that it does not know, by name.
    Elsewhere(String),
    /// To a room, and it can only do all of the home.
    Everywhere,
}

/// Where an order sends a device.
pub(super) fn errand(order: &Order, device: DeviceIndex, context: &Context) -> Errand {
    let world = context.world;
    let lexicon = world.lexicon();
    let works = |verb: usize| ["clean", "mop", "start", "on"].contains(&lexicon.verbs[verb].id.as_str());
    let mobile = world.vocabulary.devices[device].kinds.iter().any(|k| lexicon.kinds[*k].mobile);
    if !mobile || !matches!(order.action, Action::Verb(verb) if works(verb)) || order.everywhere {
        return Errand::Plain;
    }
    let Some(rooms) = scope_of(order, context).ok().and_then(|scope| scope.rooms) else { return Errand::Plain };
    let known = rooms_of(device, context);
    match (&rooms[..], known.is_empty()) {
        ([room], false) => match known.into_iter().find(|(of, ..)| of == room) {
            Some((_, sent, value)) => match sent {
                Source::Property(at) => Errand::Room(world.home().devices[device].properties[at].id.clone(), value),
                Source::Command(at) => {
                    let id = world.home().devices[device].commands[at].id.clone();
                    Errand::Command(CommandCall { id, argument: Some(value) })
                }
            },
            None => Errand::Elsewhere(world.home().rooms[*room].name.clone()),
        },
        (_, false) => Errand::Several(rooms),
        // Whoever names the robot knows what it does.
        _ if order.target != Target::Anything => Errand::Plain,
        ([room], true) if world.home().devices[device].room == Some(*room) => Errand::Plain,
        (_, true) => Errand::Everywhere,
    }
}

/// The rooms that a device can be sent to, each by what sends it there and the value of that.
fn rooms_of(device: DeviceIndex, context: &Context) -> Vec<(RoomIndex, Source, Value)> {
    let world = context.world;
    let room = |describe: &str| match area(&Place::called(describe, &world.vocabulary), world, None) {
        Area::Rooms(rooms) if rooms.len() == 1 => Some(rooms[0]),
        _ => None,
    };
    let abilities = world.vocabulary.devices[device].abilities.iter().filter(|a| a.writable);
    let of_each = abilities.filter_map(|ability| {
        let Some(Domain::Enum(list)) = &ability.domain else { return None };
        let named = list.iter().filter_map(|c| Some((room(&c.describe)?, ability.source, c.value.clone())));
        let named: Vec<_> = named.collect();
        (named.len() > 1).then_some(named)
    });
    of_each.flatten().collect()
}

impl Subject<'_> {
    /// `全屋清扫` among the rooms that a robot can be sent to.
    pub(super) fn is_everywhere(&self, choice: usize, describe: &str) -> bool {
        let ends = describe.char_indices().map(|(at, c)| at + c.len_utf8());
        let whole = |end: usize| self.lexicon.senses(&describe[..end]).contains(&Sense::WholeHome);
        self.lexicon.choices[choice].id == "clean" && ends.into_iter().any(whole)
    }

    /// What a verb means for the device.
    pub(super) fn verb(&self, verb: VerbId) -> Option<Act> {
        self.does(verb).or_else(|| self.sets_out(verb)).or_else(|| self.called_like(verb))
    }

    /// 石头去扫地 of a robot that can be told to start and nothing else.
    fn sets_out(&self, verb: VerbId) -> Option<Act> {
        let lexicon = self.lexicon;
        let mobile = self.sense.kinds.iter().any(|kind| lexicon.kinds[*kind].mobile);
        let starts = lexicon.verb("start").filter(|_| mobile && lexicon.verb("clean") == Some(verb))?;
        self.verb(starts)
    }
}

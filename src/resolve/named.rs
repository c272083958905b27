//! Selection by name.

use super::select::Picker;
use super::selection::{Missing, Selection};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::command::{Quantifier, Type};
use crate::language::order::Target;
use crate::retrieval::{Candidate, Entity, Query, leaders, named, search};
use crate::text::normalize;

/// What a name must say of a device for it to be one of all that are meant.
const NAMED: f32 = 0.7;
/// The same for a word that covers other kinds.
const COVERED: f32 = 0.55;

impl Picker<'_> {
    /// By name.
    pub(super) fn named(&self, name: &str) -> Selection {
        if let Some(unknown) = self.scope.unknown.first() {
            return self.named_in_unknown_place(name, unknown);
        }
        let found = self.search(name, self.scope.rooms.as_deref());
        if let Some(main) = self.main_of_room(name, &found) {
            return main;
        }
        if found.is_empty() {
            if let Some(rooms) = &self.scope.rooms {
                let joined = self.room_in_name(&[name.to_owned()]);
                let everywhere = self.search(name, None);
                // A robot is called to a room where it does not stand.
                let robots: Vec<DeviceIndex> = everywhere
                    .iter()
                    .filter_map(|c| if let Entity::Device(d) = c.entity { Some(d) } else { None })
                    .filter(|d| self.is_mobile(*d))
                    .collect();
                if !robots.is_empty() {
                    return self.near_mobile(robots);
                }
                return joined.unwrap_or_else(|| Selection::Missing(Missing::Device(name.to_owned(), rooms.clone())));
            }
            return Selection::Missing(Missing::Device(name.to_owned(), Vec::new()));
        }
        self.choose(name, found)
    }

    /// What is called exactly so, where anything in scope is; else what the name may mean.
    pub(super) fn search(&self, name: &str, rooms: Option<&[RoomIndex]>) -> Vec<Candidate> {
        let world = self.context.world;
        let able = |d: DeviceIndex| self.able(d);
        let online = |d: DeviceIndex| self.online(d);
        let query = Query {
            name,
            kind: self.order.target.kind(&world.vocabulary),
            rooms,
            local: if self.order.everywhere { None } else { self.context.local },
            recent: self.context.last,
            able: &able,
            online: &online,
        };
        let bounded = |mut found: Vec<Candidate>| {
            found.retain(|c| {
                !matches!(c.entity, Entity::Device(d) if self.scope.excluded.contains(&d) || !self.described(d)
                    || self.scope.members.as_ref().is_some_and(|members| !members.contains(&d))
                    || self.is_part(name, d))
            });
            found
        };
        if let Target::Named { entities, text, .. } = &self.order.target {
            // All of what bears a name that a single one bears may be more than that one; so may a word for a kind.
            let one = entities.len() == 1 && self.is_every();
            // 两个灯泡, where two of the lamps are called so.
            let counted = self.order.count.is_some_and(|count| count as usize == entities.len());
            let general = !counted && world.lexicon().kinds.iter().any(|k| k.words.contains(text));
            let exact = if one || general { Vec::new() } else { bounded(named(world, entities, &query)) };
            if !exact.is_empty() {
                return exact;
            }
        }
        bounded(search(world, &query))
    }

    /// `洗衣机门`, `热水器灯`: whether a name is that of a device and of a part that it does not have.
    fn is_part(&self, name: &str, device: DeviceIndex) -> bool {
        let lexicon = self.context.world.lexicon();
        let lamp = lexicon.kind("light").map(|light| &lexicon.kinds[light].words[0]);
        let part = |rest: &str| {
            let rest = rest.strip_prefix(lexicon.marks.of.as_str()).unwrap_or(rest);
            lexicon.marks.parts.iter().chain(lamp).any(|word| word == rest)
        };
        let named = |known: &str| name.strip_prefix(normalize(known).as_str()).is_some_and(part);
        let device = &self.context.world.home().devices[device];
        device.names().any(named) && device.names().all(|known| known != name)
    }

    /// Whether all of what bears the name is meant, or so many of it.
    fn is_every(&self) -> bool {
        let several = matches!(self.order.quantifier, Quantifier::All | Quantifier::Except | Quantifier::Any);
        several || self.order.each || self.is_one_of_them()
    }

    /// `射灯关一个`: one of all that are called so, and not their group.
    fn is_one_of_them(&self) -> bool {
        self.order.quantifier == Quantifier::One && self.order.count == Some(1)
    }

    pub(super) fn choose(&self, name: &str, found: Vec<Candidate>) -> Selection {
        let best = leaders(&found);
        let every = self.is_every();
        if let Some(Entity::Scene(scene)) = best.first().map(|c| c.entity)
            && (best[0].signals.name >= 0.9 || best.len() == 1)
        {
            return Selection::Scene(scene);
        }
        if let Some(Entity::Group(group)) = best.first().map(|c| c.entity).filter(|_| !self.is_one_of_them()) {
            return self.members(group, name, found);
        }
        let devices_of = |list: &[Candidate]| -> Vec<DeviceIndex> {
            list.iter().filter_map(|c| if let Entity::Device(d) = c.entity { Some(d) } else { None }).collect()
        };
        // 所有床头灯: everything whose name says so, not only the best.
        let devices = if every {
            // 门窗都: what a general word covers is meant as well.
            let covers = self
                .context
                .world
                .lexicon()
                .kinds
                .iter()
                .any(|k| !k.covers.is_empty() && k.words.iter().any(|w| w == &normalize(name)));
            let bar = if covers { COVERED } else { NAMED };
            let kept: Vec<Candidate> = found.iter().filter(|c| c.signals.naming() >= bar).cloned().collect();
            // 两个床头灯都开: those of the speaker's room, where there are any and nobody said everywhere.
            let all = devices_of(&kept);
            let home = self.context.world.home();
            let here = |d: &DeviceIndex| home.devices[*d].room.is_some() && home.devices[*d].room == self.context.local;
            let local: Vec<DeviceIndex> = all.iter().copied().filter(here).collect();
            // 两个地暖: a number larger than what is here looks further.
            let enough = self.order.count.is_none_or(|n| n as usize <= local.len());
            let near = self.scope.rooms.is_none() && !self.order.everywhere && !local.is_empty() && enough;
            if near { local } else { all }
        } else {
            devices_of(best)
        };
        let reachable: Vec<DeviceIndex> = devices.iter().copied().filter(|d| self.online(*d)).collect();
        let able =
            |list: &[DeviceIndex]| -> Vec<DeviceIndex> { list.iter().copied().filter(|d| self.able(*d)).collect() };
        if able(&devices).is_empty() {
            return Selection::Missing(Missing::Ability(devices));
        }
        if reachable.is_empty() && !self.context.asking {
            return Selection::Missing(Missing::Offline(devices));
        }
        let chosen = if self.context.asking { devices.clone() } else { able(&reachable) };
        if chosen.is_empty() {
            return Selection::Missing(Missing::Offline(devices));
        }
        let general = self.context.world.lexicon().kinds.iter().any(|k| k.words.iter().any(|w| w == &normalize(name)));
        if every && general {
            return self.near(chosen);
        }
        self.quantify(chosen, found)
    }

    /// The members of a group; of those that stand in rooms, the ones that stand where was said.
    fn members(&self, group: usize, name: &str, found: Vec<Candidate>) -> Selection {
        let home = self.context.world.home();
        let all = &home.groups[group].members;
        let placed = |d: &DeviceIndex| match (&self.scope.rooms, home.devices[*d].room) {
            (Some(rooms), Some(room)) => rooms.contains(&room),
            _ => true,
        };
        let members: Vec<DeviceIndex> = all.iter().copied().filter(placed).collect();
        if members.is_empty() {
            return Selection::Missing(Missing::Device(name.to_owned(), self.scope.rooms.clone().unwrap_or_default()));
        }
        let meant = |d: &DeviceIndex| self.able(*d) && !self.scope.excluded.contains(d) && self.described(*d);
        let able: Vec<DeviceIndex> = members.iter().copied().filter(meant).collect();
        let reachable: Vec<DeviceIndex> =
            able.iter().copied().filter(|d| self.online(*d) || self.context.asking).collect();
        match (able.is_empty(), reachable.is_empty()) {
            (true, _) => Selection::Missing(Missing::Ability(members)),
            (_, true) => Selection::Missing(Missing::Offline(able)),
            _ if members.len() < all.len() => Selection::Devices(reachable, found),
            _ => Selection::Group(group, reachable, found),
        }
    }

    /// The room is part of the name of a device that stands in no room (厨房的灯 for 厨房灯).
    pub(super) fn room_in_name(&self, words: &[String]) -> Option<Selection> {
        for place in &self.order.scope.include {
            for word in words {
                let joined = format!("{}{word}", place.word(&self.context.world.vocabulary));
                let exact: Vec<DeviceIndex> = self
                    .context
                    .world
                    .names
                    .entries
                    .iter()
                    .filter(|e| e.text == normalize(&joined))
                    .filter_map(|e| if let Entity::Device(d) = e.entity { Some(d) } else { None })
                    .filter(|d| self.context.world.home().devices[*d].room.is_none())
                    .collect();
                if !exact.is_empty() {
                    return Some(self.take_able(exact, false));
                }
            }
        }
        None
    }

    /// A place that nobody told us about: only a device that stands in no known room can be there.
    pub(super) fn named_in_unknown_place(&self, name: &str, place: &str) -> Selection {
        if let Some(found) = self.room_in_name(&[name.to_owned()]) {
            return found;
        }
        let exact: Vec<DeviceIndex> = self
            .context
            .world
            .names
            .exact(&normalize(name))
            .filter_map(|e| if let Entity::Device(d) = e.entity { Some(d) } else { None })
            .filter(|d| self.context.world.home().devices[*d].room.is_none())
            .collect();
        match exact[..] {
            [_] => self.take_able(exact, false),
            _ => Selection::Missing(Missing::Room(place.to_owned())),
        }
    }

    pub(super) fn in_unknown_place(&self, kind: Type, place: &str) -> Selection {
        let words = self.words_of(kind);
        self.room_in_name(&words).unwrap_or_else(|| Selection::Missing(Missing::Room(place.to_owned())))
    }
}

//! What a sentence says itself: the measure of what any reader but the grammar may make of it.
//!
//! A language model answers with commands that read well whatever was said, and similarity always finds something. So what
//! they say is held against the sentence: it names what was named, goes where it was told to go, and spares what was refused.

mod directions;
mod refusal;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::HomeModel;
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::command::Type;
use crate::language::grammar::{self, Told};
use crate::language::lexicon::{KindId, Sense};
use crate::language::order::{Excluded, Order, Place, Target};
use crate::language::segment::{self, Token};
use crate::resolve::scope::{Area, area};
use crate::retrieval::{Entity, Query, World, leaders, search};
use crate::text::normalize;
use directions::Directions;
use refusal::Refusal;

/// What a sentence says.
#[derive(Debug)]
pub struct Evidence {
    home: Arc<HomeModel>,
    local: Option<RoomIndex>,
    /// What is told to be done, as it is written and as it may have been said.
    readings: Vec<Vec<Token>>,
    /// Names in what the grammar made of it.
    guessed: BTreeSet<String>,
    /// The rooms that were named, and the speaker's.
    rooms: BTreeSet<RoomIndex>,
    /// What it is about, clause by clause.
    subjects: Vec<Subject>,
    /// All of that together: what a clause leaves out, another one says.
    whole: Subject,
    /// What has a property that was named.
    able: BTreeSet<DeviceIndex>,
    /// What was refused or left out.
    refusals: Vec<Refusal>,
    directions: Directions,
}

/// Rooms and things that were named; `None` where none were, and any may be meant.
#[derive(Debug, Default)]
struct Subject {
    rooms: Option<BTreeSet<RoomIndex>>,
    things: Option<BTreeSet<DeviceIndex>>,
}

impl Subject {
    fn is_named(&self) -> bool {
        self.rooms.is_some() || self.things.is_some()
    }

    fn add(&mut self, other: &Self) {
        if let Some(rooms) = &other.rooms {
            self.rooms.get_or_insert_default().extend(rooms);
        }
        if let Some(things) = &other.things {
            self.things.get_or_insert_default().extend(things);
        }
    }
}

impl Evidence {
    /// Reads a sentence once more, as the measure of answers. `guess`: what the grammar made of it; `last`: what was
    /// mentioned before.
    pub fn of(
        sentence: &str,
        guess: &[Order],
        home: &Arc<HomeModel>,
        local: Option<RoomIndex>,
        last: &[Entity],
    ) -> Self {
        let world = &home.world;
        let vocabulary = &world.vocabulary;
        let text = vocabulary.utterance(sentence);
        let written = grammar::told(&segment::plain(&text, vocabulary));
        let heard =
            segment::heard(&text, &segment::plain(&text, vocabulary), vocabulary).map(|tokens| grammar::told(&tokens));
        let look = Look { world, local };
        let both = std::iter::once(&written).chain(&heard);
        let refused = both.flat_map(|told: &Told| &told.refused);
        let mut refusals: Vec<Refusal> =
            refused.map(|clause| Refusal::of(clause, look.spared(clause, last), vocabulary)).collect();
        let excluded = guess.iter().flat_map(|order| &order.scope.exclude);
        refusals.extend(excluded.map(|out| Refusal::whole(look.excluded(out))));
        let readings: Vec<Vec<Token>> =
            std::iter::once(&written).chain(&heard).map(|told| told.kept.concat()).collect();
        let scopes = || guess.iter().flat_map(|order| &order.scope.include);
        let targets = guess.iter().filter_map(|order| order.target.word(vocabulary));
        let mut rooms = BTreeSet::from_iter(local);
        for places in readings.iter().flatten().filter_map(|t| look.place(t)).chain(scopes().map(|p| look.area(p))) {
            // Of 卧室 where there are two, neither was named.
            if let Area::Rooms(named) = &places {
                rooms.extend(named);
            }
        }
        let clauses = written.kept.iter().chain(heard.iter().flat_map(|told| &told.kept));
        let mut subjects: Vec<Subject> = clauses.map(|clause| look.subject(clause)).filter(Subject::is_named).collect();
        let mut whole = Subject::default();
        subjects.iter().for_each(|subject| whole.add(subject));
        // Where the grammar found a room that no word names.
        for guessed in scopes().map(|place| rooms_of(look.area(place))) {
            if !whole.rooms.as_ref().is_some_and(|rooms| rooms.is_superset(&guessed)) {
                let subject = Subject { rooms: Some(guessed), things: None };
                whole.add(&subject);
                subjects.push(subject);
            }
        }
        // A property is believed as it is written only: in 稀里糊涂 nobody said 吸力.
        let able = written.kept.iter().flatten().flat_map(|t| look.able(t)).collect();
        let guessed = scopes().map(|place| place.word(vocabulary)).chain(targets).map(normalize).collect();
        let directions = Directions::of(&written, &look);
        Self { home: Arc::clone(home), local, readings, guessed, rooms, subjects, whole, able, refusals, directions }
    }

    /// Whether an order goes the other way than the sentence does where it speaks of the same.
    pub fn is_opposed(&self, order: &Order) -> bool {
        let look = Look { world: &self.home.world, local: self.local };
        self.directions.oppose(order, &look)
    }

    /// Whether an order goes against a direction that the lexicon gives to the words of the sentence.
    pub fn turns_against(&self, order: &Order) -> bool {
        Directions::turn_against(&self.readings, order, self.home.world.lexicon())
    }

    /// Whether the sentence names what an order names.
    pub fn names(&self, order: &Order) -> bool {
        let look = Look { world: &self.home.world, local: self.local };
        let stands = |place: &Place| match look.area(place) {
            Area::Rooms(rooms) => rooms.iter().all(|room| self.rooms.contains(room)),
            Area::OneOf(_) | Area::Unknown => false,
        };
        let vocabulary = &self.home.world.vocabulary;
        order.scope.include.iter().all(|place| self.has(place.word(vocabulary)) || stands(place))
            && order.target.word(vocabulary).is_none_or(|name| self.has(name) || self.means(name))
    }

    /// Whether a device is one of those that the sentence is about.
    pub fn is_about(&self, device: DeviceIndex) -> bool {
        let room = self.home.world.home().devices[device].room;
        let about = |subject: &Subject| {
            let rooms = subject.rooms.as_ref().or(self.whole.rooms.as_ref());
            let things = subject.things.as_ref().or(self.whole.things.as_ref());
            let stands = rooms.is_none_or(|rooms| room.is_none_or(|room| rooms.contains(&room)));
            stands && things.is_none_or(|things| things.contains(&device) || self.able.contains(&device))
        };
        self.subjects.is_empty() || self.subjects.iter().any(about) || self.calls(device)
    }

    /// Whether a word is the name of a device and of nothing else: 阁楼热得像蒸笼，卧室空调转起来 is of that one, whatever place is spoken of.
    fn calls(&self, device: DeviceIndex) -> bool {
        let only = |s: &Sense| matches!(s, Sense::Devices(devices) if devices == &[device]);
        self.readings.iter().flatten().any(|t| t.any(only) && !t.any(|s| matches!(s, Sense::Room(_))))
    }

    /// Whether a device was refused or left out.
    pub fn spares(&self, device: DeviceIndex) -> bool {
        self.refusals.iter().any(|refusal| refusal.devices.contains(&device))
    }

    /// Whether what was refused of a device, or left out, could be what an order does to it.
    pub fn forbids(&self, order: &Order, device: DeviceIndex) -> bool {
        let lexicon = self.home.world.lexicon();
        self.refusals
            .iter()
            .any(|refusal| refusal.devices.contains(&device) && !refusal.permits(&order.action, lexicon))
    }

    /// Whether a name was said: as words of the sentence from the first to the last character.
    fn has(&self, name: &str) -> bool {
        let name = normalize(name);
        self.guessed.contains(&name) || self.readings.iter().any(|tokens| occurs(tokens, &name))
    }

    /// Whether a name stands for what was said in other words: another name of the same, another word for the kind.
    fn means(&self, name: &str) -> bool {
        let kinds = self.home.world.vocabulary.senses(&normalize(name));
        let same = |s: &Sense| matches!(s, Sense::Kind(_)) && kinds.contains(s);
        if self.readings.iter().flatten().any(|t| t.any(same)) {
            return true;
        }
        let entries = &self.home.world.names.entries;
        let otherwise = |entity: &Entity| match entity {
            Entity::Device(device) => self.home.world.vocabulary.other_names(*device).any(|name| self.has(name)),
            _ => false,
        };
        let said =
            |entity: &Entity| entries.iter().any(|e| e.entity == *entity && self.has(&e.text)) || otherwise(entity);
        let found = Look { world: &self.home.world, local: self.local }.search(name);
        !found.is_empty() && found.iter().all(said)
    }
}

/// What words mean in a home.
struct Look<'a> {
    world: &'a World,
    local: Option<RoomIndex>,
}

impl Look<'_> {
    fn all(&self) -> std::ops::Range<DeviceIndex> {
        0..self.world.home().devices.len()
    }

    fn area(&self, place: &Place) -> Area {
        area(place, self.world, self.local)
    }

    /// The place that a word names.
    fn place(&self, token: &Token) -> Option<Area> {
        if token.has(&Sense::Here) {
            return Some(Area::Rooms(self.local.into_iter().collect()));
        }
        let places = token.any(|s| {
            matches!(
                s,
                Sense::Room(_)
                    | Sense::Floor(_)
                    | Sense::RoomClass(_)
                    | Sense::RoomSort(_)
                    | Sense::Storey { .. }
                    | Sense::WholeHome
                    | Sense::NoSuchPlace
            )
        });
        places.then(|| self.area(&Place::called(&token.text, &self.world.vocabulary)))
    }

    /// What a clause names.
    fn subject(&self, clause: &[Token]) -> Subject {
        let mut subject = Subject::default();
        for (at, token) in clause.iter().enumerate() {
            // 外头在烧秸秆，一楼新风切内循环: a place that is not here says where something is only if that is said behind it.
            let of = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::RoomSuffix));
            let next = || clause[at + 1..].iter().find(|t| !of(t)).is_some_and(|t| self.things(t).is_some());
            let rooms = self.place(token).map(rooms_of).filter(|rooms| !rooms.is_empty() || next());
            subject.add(&Subject { rooms, things: self.things(token) });
        }
        subject
    }

    /// The devices that a word names, by name, as a group or a scene, or by kind; `None` when it names none.
    fn things(&self, token: &Token) -> Option<BTreeSet<DeviceIndex>> {
        let home = self.world.home();
        let mut things: Option<BTreeSet<DeviceIndex>> = None;
        let mut add = |devices: &mut dyn Iterator<Item = DeviceIndex>| {
            things.get_or_insert_default().extend(devices);
        };
        for sense in &token.senses {
            match sense {
                // 阳台 is where something stands, even if a device is called so.
                Sense::Devices(_) if token.any(|s| matches!(s, Sense::Room(_))) => {}
                Sense::Devices(devices) => add(&mut devices.iter().copied()),
                Sense::Group(group) => add(&mut home.groups[*group].members.iter().copied()),
                Sense::Scene(scene) => add(&mut home.scenes[*scene].actions.iter().map(|action| action.device)),
                // 水晶灯 where one is called so is that one, and not any lamp.
                Sense::Sort(_) if token.any(|s| matches!(s, Sense::Devices(_))) => {}
                Sense::Kind(kind) | Sense::Sort(kind) => add(&mut self.of_kind(*kind)),
                Sense::Everything => add(&mut self.all()),
                _ => {}
            }
        }
        things
    }

    fn of_kind(&self, kind: KindId) -> impl Iterator<Item = DeviceIndex> {
        let covers = &self.world.lexicon().kinds[kind].covers;
        let devices = self.world.vocabulary.devices.iter().enumerate();
        devices.filter(move |(_, d)| d.is(kind) || covers.iter().any(|k| d.is(*k))).map(|(index, _)| index)
    }

    /// The devices that have the property which a word names.
    fn able(&self, token: &Token) -> Vec<DeviceIndex> {
        let property = |s: &Sense| match s {
            Sense::Property(property) | Sense::Direction { property, .. } => Some(*property),
            _ => None,
        };
        let properties: Vec<_> = token.senses.iter().filter_map(property).collect();
        let able = |d: &DeviceIndex| {
            let sense = &self.world.vocabulary.devices[*d];
            properties.iter().any(|p| sense.about(*p).is_some_and(|ability| ability.writable))
        };
        self.all().filter(able).collect()
    }

    /// What a clause says not to touch.
    fn spared(&self, clause: &[Token], last: &[Entity]) -> BTreeSet<DeviceIndex> {
        let home = self.world.home();
        let Subject { rooms, mut things } = self.subject(clause);
        if clause.iter().any(|t| t.has(&Sense::Reference)) {
            let mentioned = last.iter().flat_map(|entity| self.devices_of(*entity));
            things.get_or_insert_default().extend(mentioned);
        }
        let stands = |d: &DeviceIndex| match (&rooms, home.devices[*d].room) {
            (Some(rooms), Some(room)) => rooms.contains(&room),
            (Some(_), None) => things.is_some(),
            (None, _) => true,
        };
        match (&rooms, &things) {
            (None, None) => BTreeSet::new(),
            (_, Some(things)) => things.iter().copied().filter(stands).collect(),
            (Some(_), None) => self.all().filter(stands).collect(),
        }
    }

    /// What is left out by its name in a command.
    fn excluded(&self, excluded: &Excluded) -> BTreeSet<DeviceIndex> {
        let home = self.world.home();
        let vocabulary = &self.world.vocabulary;
        let inside = |rooms: BTreeSet<RoomIndex>| {
            move |d: &DeviceIndex| home.devices[*d].room.is_some_and(|room| rooms.contains(&room))
        };
        let devices = |name: &str| self.search(name).into_iter().flat_map(|entity| self.devices_of(entity));
        match excluded {
            Excluded::Place(place) => match rooms_of(self.area(place)) {
                rooms if rooms.is_empty() => devices(place.word(vocabulary)).collect(),
                rooms => self.all().filter(inside(rooms)).collect(),
            },
            Excluded::Thing(target, room) => {
                let named: BTreeSet<DeviceIndex> = self.targets(target).into_iter().collect();
                room.map_or(named.clone(), |room| named.into_iter().filter(inside(BTreeSet::from([room]))).collect())
            }
        }
    }

    fn devices_of(&self, entity: Entity) -> Vec<DeviceIndex> {
        let home = self.world.home();
        match entity {
            Entity::Device(device) => vec![device],
            Entity::Group(group) => home.groups[group].members.clone(),
            Entity::Scene(scene) => home.scenes[scene].actions.iter().map(|action| action.device).collect(),
        }
    }

    /// The devices that a target may be, wherever they are.
    fn targets(&self, target: &Target) -> Vec<DeviceIndex> {
        let vocabulary = &self.world.vocabulary;
        let typed = |d: &DeviceIndex, kind: Type| {
            vocabulary.devices[*d].kinds.iter().any(|k| vocabulary.lexicon.kinds[*k].kind == kind)
        };
        match target {
            Target::Type(kind) => self.all().filter(|d| typed(d, *kind)).collect(),
            target => {
                let found = target.word(vocabulary).map(|name| self.search(name)).unwrap_or_default();
                found.into_iter().flat_map(|entity| self.devices_of(entity)).collect()
            }
        }
    }

    /// What a name stands for, wherever it is.
    fn search(&self, name: &str) -> Vec<Entity> {
        let able = |_| true;
        let query =
            Query { name, kind: Type::Unknown, rooms: None, local: None, recent: &[], able: &able, online: &able };
        leaders(&search(self.world, &query)).iter().map(|candidate| candidate.entity).collect()
    }
}

fn rooms_of(area: Area) -> BTreeSet<RoomIndex> {
    match area {
        Area::Rooms(rooms) | Area::OneOf(rooms) => rooms.into_iter().collect(),
        Area::Unknown => BTreeSet::new(),
    }
}

/// Whether words in a row make up a name; 的 between them is not part of it (`厨房的灯`).
fn occurs(tokens: &[Token], name: &str) -> bool {
    let begins = |start: usize| {
        let mut rest = name;
        for token in &tokens[start..] {
            if token.is_residue() && token.text.contains(rest) {
                return true;
            }
            rest = match rest.strip_prefix(token.text.as_str()) {
                Some("") => return true,
                Some(rest) => rest,
                None if rest.len() < name.len() && token.has(&Sense::Of) => continue,
                None => return false,
            };
        }
        false
    };
    !name.is_empty() && (0..tokens.len()).any(begins)
}

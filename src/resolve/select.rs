//! Which devices a command means: scope and quantity as set algebra over the home.

use super::bounds::{Bounds, scope_of};
use super::scope;
use super::selection::{Missing, Selection};
use super::superlative::{meets, narrowed};
use super::{Context, plan::Subject};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::action::{Action, Condition};
use crate::language::command::{Quantifier, Type};
use crate::language::order::{Order, Target};
use crate::retrieval::{Candidate, Entity, Signals};
use crate::text::normalize;

/// Works out what an order means.
pub fn select(order: &Order, context: &Context) -> Selection {
    let mut scope = match scope_of(order, context) {
        Ok(scope) => scope,
        Err(selection) => return selection,
    };
    // 别的灯: all but what was spoken of; with nothing spoken of it could be any.
    let others = order.quantifier == Quantifier::Except && order.scope.exclude.is_empty();
    if others && !context.asking {
        if context.last.is_empty() {
            return Selection::Missing(Missing::Reference);
        }
        scope.excluded.extend(context.last_devices());
    }
    let picker = Picker { order, context, scope, only: order.filter.as_ref() };
    let Some(only) = &order.filter else { return picker.pick() };
    let selection = narrowed(picker.pick(), only, context);
    if !matches!(selection, Selection::Missing(Missing::Device(..) | Missing::Ability(_))) {
        return selection;
    }
    // Nothing of the kind, or only nothing in that state?
    match (Picker { only: None, ..picker }.pick(), matches!(only, Condition::Status { .. })) {
        (Selection::Missing(missing), _) => Selection::Missing(missing),
        (_, true) => {
            let word = super::wording::target_word(order, context);
            Selection::Missing(Missing::State(super::status::state_in_words(only, context), word))
        }
        (_, false) => selection,
    }
}

pub(super) struct Picker<'a> {
    pub(super) order: &'a Order,
    pub(super) context: &'a Context<'a>,
    pub(super) scope: Bounds,
    /// Of what is found only these.
    pub(super) only: Option<&'a Condition>,
}

impl Picker<'_> {
    fn pick(&self) -> Selection {
        let vocabulary = &self.context.world.vocabulary;
        match &self.order.target {
            Target::Reference(kind) => self.last(*kind),
            Target::Type(kind) => self.any(*kind),
            Target::Anything => self.any(Type::Unknown),
            // 房间: questions ask for rooms by whatever stands in them.
            Target::Rooms if self.context.asking => self.asked_about(),
            Target::Scenes if self.context.asking => Selection::Devices(vec![], vec![]),
            target => self.named(target.word(vocabulary).unwrap_or_default()),
        }
    }

    /// Whether a device is one of those that were described (`亮着的`).
    pub(super) fn described(&self, device: DeviceIndex) -> bool {
        self.only.is_none_or(|only| meets(device, only, self.context))
    }

    pub(super) fn able(&self, device: DeviceIndex) -> bool {
        let sense = &self.context.world.vocabulary.devices[device];
        self.order.action.moves_nothing() || {
            let state = &self.context.live.get(device).values;
            let device = &self.context.world.home().devices[device];
            Subject { device, sense, state, lexicon: self.context.world.lexicon() }.able(&self.order.action)
        }
    }

    pub(super) fn online(&self, device: DeviceIndex) -> bool {
        self.context.online(device)
    }

    pub(super) fn in_scope(&self, device: DeviceIndex) -> bool {
        let room = self.context.world.home().devices[device].room;
        let in_rooms = self.scope.rooms.as_ref().is_none_or(|rooms| room.is_some_and(|r| rooms.contains(&r)));
        let inside = match &self.scope.members {
            Some(members) => members.contains(&device) || (self.scope.rooms.is_some() && in_rooms),
            None => in_rooms,
        };
        inside && !self.scope.excluded.contains(&device) && self.described(device)
    }

    fn counts_as(&self, device: DeviceIndex, kind: Type) -> bool {
        let world = self.context.world;
        let lexicon = world.lexicon();
        let kinds = || world.vocabulary.devices[device].kinds.iter().filter(|k| lexicon.kinds[**k].kind == kind);
        // A dryer is a Washer to the protocol, but nobody means it by 洗衣机.
        kinds().any(|k| lexicon.is_primary(*k))
    }

    pub(super) fn candidates(&self, devices: &[DeviceIndex]) -> Vec<Candidate> {
        let signals = |device: DeviceIndex| Signals {
            kind: 0.82,
            r#type: 1.0,
            room: f32::from(u8::from(
                self.context.world.home().devices[device].room.is_some_and(|r| Some(r) == self.context.local),
            )),
            capability: f32::from(u8::from(self.able(device))),
            online: f32::from(u8::from(self.online(device))),
            ..Signals::default()
        };
        devices.iter().map(|d| Candidate { entity: Entity::Device(*d), signals: signals(*d) }).collect()
    }

    /// `@last`: what was mentioned last, if it can do it; with a place, its like there.
    fn last(&self, kind: Type) -> Selection {
        let context = self.context;
        let mut devices: Vec<DeviceIndex> = context.last_devices();
        // 让它去扫卧室: where a robot is sent is not where it stands.
        let sent = !devices.is_empty() && devices.iter().all(|d| self.is_mobile(*d)) && self.scope.unknown.is_empty();
        if !sent && (self.scope.rooms.is_some() || !self.scope.unknown.is_empty()) {
            if let Some(unknown) = self.scope.unknown.first() {
                return Selection::Missing(Missing::Room(unknown.clone()));
            }
            let kinds: Vec<usize> =
                devices.iter().filter_map(|d| context.world.vocabulary.devices[*d].kinds.first().copied()).collect();
            // 书房都关了: all that stands there.
            if kinds.is_empty() && self.order.each && self.scope.unknown.is_empty() && !self.switches_on() {
                return self.any(Type::Unknown);
            }
            // 外婆屋那盏打开
            if kind != Type::Unknown && !devices.iter().any(|d| self.counts_as(*d, kind)) {
                return self.any(kind);
            }
            if kinds.is_empty() {
                return Selection::Missing(Missing::Target);
            }
            let alike = (0..context.world.home().devices.len())
                .filter(|d| self.in_scope(*d) && kinds.iter().any(|k| context.world.vocabulary.devices[*d].is(*k)));
            // 就停这儿: those of them that stand there.
            let spoken_of: Vec<DeviceIndex> = devices.iter().copied().filter(|d| self.in_scope(*d)).collect();
            devices = match spoken_of.is_empty() || self.order.each {
                true => alike.collect(),
                false => spoken_of,
            };
            if devices.is_empty() {
                let word = context.world.lexicon().kinds[kinds[0]].words[0].clone();
                return Selection::Missing(Missing::Device(word, self.scope.rooms.clone().unwrap_or_default()));
            }
        } else {
            devices.retain(|d| !self.scope.excluded.contains(d) && self.described(*d));
        }
        if kind != Type::Unknown {
            devices.retain(|d| self.counts_as(*d, kind));
        }
        if devices.is_empty() {
            if kind == Type::Unknown {
                return Selection::Missing(Missing::Reference);
            }
            // 把她空调调低, with what stands in her room spoken of; with nothing spoken of, the only one there is, else a question.
            return self.beside_last(kind).unwrap_or_else(|| self.any(kind));
        }
        // 另外两个打开, of three that were spoken of: nobody knows which.
        if self.order.count.is_some_and(|count| (count as usize) < devices.len()) && !context.asking {
            return Selection::Missing(Missing::Reference);
        }
        self.take_able(devices, true)
    }

    /// The one of a kind in the room of what was mentioned last.
    fn beside_last(&self, kind: Type) -> Option<Selection> {
        let home = self.context.world.home();
        let rooms: Vec<_> = self.context.last_devices().iter().filter_map(|d| home.devices[*d].room).collect();
        let there = |d: &DeviceIndex| home.devices[*d].room.is_some_and(|room| rooms.contains(&room));
        let found: Vec<DeviceIndex> =
            (0..home.devices.len()).filter(|d| there(d) && self.counts_as(*d, kind) && self.described(*d)).collect();
        (found.len() == 1).then(|| self.take_able(found, true))
    }

    /// Keeps the devices that can do it and can be reached.
    pub(super) fn take_able(&self, devices: Vec<DeviceIndex>, all: bool) -> Selection {
        let able: Vec<DeviceIndex> = devices.iter().copied().filter(|d| self.able(*d)).collect();
        if able.is_empty() {
            return Selection::Missing(Missing::Ability(devices));
        }
        let reachable: Vec<DeviceIndex> = able.iter().copied().filter(|d| self.online(*d)).collect();
        if reachable.is_empty() && !self.context.asking {
            return Selection::Missing(Missing::Offline(able));
        }
        let chosen = if self.context.asking { able } else { reachable };
        let candidates = self.candidates(&chosen);
        if all { Selection::Devices(chosen, candidates) } else { self.one_of(chosen, candidates) }
    }

    /// By type, or by ability alone.
    fn any(&self, kind: Type) -> Selection {
        let world = self.context.world;
        if let Some(unknown) = self.scope.unknown.first() {
            return self.in_unknown_place(kind, unknown);
        }
        let count = world.home().devices.len();
        if kind == Type::Unknown {
            return self.by_ability();
        }
        let of_type: Vec<DeviceIndex> = (0..count).filter(|d| self.in_scope(*d) && self.counts_as(*d, kind)).collect();
        let words = self.words_of(kind);
        if of_type.is_empty() {
            return self.room_in_name(&words).unwrap_or_else(|| {
                let rooms = self.scope.rooms.clone().unwrap_or_default();
                Selection::Missing(Missing::Device(words.first().cloned().unwrap_or_default(), rooms))
            });
        }
        let able: Vec<DeviceIndex> = of_type.iter().copied().filter(|d| self.able(*d)).collect();
        if able.is_empty() {
            return Selection::Missing(Missing::Ability(of_type));
        }
        // 灯变成蓝色: of the lamps here none can, and nobody means one of another room.
        let room = |d: &DeviceIndex| world.home().devices[*d].room;
        let here = |devices: &[DeviceIndex]| devices.iter().any(|d| room(d) == self.context.local);
        let nowhere_said = self.scope.rooms.is_none() && self.context.local.is_some() && !self.order.everywhere;
        if nowhere_said && here(&of_type) && !here(&able) && !self.context.asking {
            let local: Vec<DeviceIndex> = of_type.into_iter().filter(|d| room(d) == self.context.local).collect();
            return Selection::Missing(Missing::Ability(local));
        }
        let named = self.exactly_named(&able, kind, &words);
        self.near(named)
    }

    /// Whether the action could leave something burning that nobody sees.
    fn switches_on(&self) -> bool {
        match &self.order.action {
            Action::Verb(verb) => !self.context.world.lexicon().verbs[*verb].safe,
            _ => false,
        }
    }

    pub(super) fn words_of(&self, kind: Type) -> Vec<String> {
        let kinds = self.context.world.lexicon().kinds.iter().filter(|k| k.kind == kind);
        kinds.take(1).flat_map(|k| k.words.iter().cloned()).collect()
    }

    /// 窗帘 where one device is just called 窗帘 means that one, and not every blind, unless all was said.
    fn exactly_named(&self, devices: &[DeviceIndex], kind: Type, words: &[String]) -> Vec<DeviceIndex> {
        let world = self.context.world;
        let collective = world.lexicon().kinds.iter().any(|k| k.kind == kind && k.collective);
        if collective || self.order.each || self.order.everywhere || self.context.asking {
            return devices.to_vec();
        }
        let exact = |d: &DeviceIndex| world.home().devices[*d].names().any(|n| words.contains(&normalize(n)));
        // Room by room: where no device bears the bare name, all of the kind are meant.
        let mut kept = Vec::new();
        let mut rooms: Vec<Option<RoomIndex>> = devices.iter().map(|d| world.home().devices[*d].room).collect();
        rooms.sort_unstable();
        rooms.dedup();
        for room in rooms {
            let here: Vec<DeviceIndex> =
                devices.iter().copied().filter(|d| world.home().devices[*d].room == room).collect();
            let named: Vec<DeviceIndex> = here.iter().copied().filter(exact).collect();
            kept.extend(if named.is_empty() { here } else { named });
        }
        kept.sort_unstable();
        kept
    }

    /// No room said: the room of the speaker, else the only one there is, else a question.
    pub(super) fn near(&self, mut devices: Vec<DeviceIndex>) -> Selection {
        let context = self.context;
        if self.order.everywhere && self.scope.rooms.is_none() && self.switches_on() {
            let inside = |d: &DeviceIndex| !scope::is_outside(context.world, context.world.home().devices[*d].room);
            if devices.iter().any(inside) {
                devices.retain(inside);
            }
        }
        let home = context.world.home();
        let reachable: Vec<DeviceIndex> = devices.iter().copied().filter(|d| self.online(*d)).collect();
        if reachable.is_empty() && !context.asking {
            return Selection::Missing(Missing::Offline(devices));
        }
        let devices = if context.asking { devices } else { reachable };
        let scoped = self.scope.is_said() || self.order.everywhere;
        let here: Vec<DeviceIndex> = devices
            .iter()
            .copied()
            .filter(|d| context.local.is_some() && home.devices[*d].room == context.local)
            .collect();
        let Order { quantifier, count, .. } = *self.order;
        let (pool, sure) = match () {
            () if scoped => (devices, true),
            // A number larger than what is here looks further.
            // 开着的空调都关了: all that were described, wherever they are.
            () if self.only.is_some() && self.order.each => (devices, true),
            () if !here.is_empty() && count.is_none_or(|n| n as usize <= here.len()) => (here, true),
            () if devices.len() == 1 => (devices, true),
            () if context.asking => (devices, true),
            () if count.is_some_and(|n| n as usize == devices.len()) => (devices, true),
            () if context.local.is_some() && quantifier != Quantifier::Any => {
                let candidates = self.candidates(&devices);
                return Selection::Which(devices, candidates);
            }
            () => (devices, false),
        };
        let candidates = self.candidates(&pool);
        let selection = self.quantify(pool, candidates);
        match selection {
            Selection::Devices(devices, candidates) if !sure && devices.len() > context.handful && !self.order.each => {
                Selection::Many(devices, candidates)
            }
            other => other,
        }
    }

    /// One, all, or so many.
    pub(super) fn quantify(&self, devices: Vec<DeviceIndex>, candidates: Vec<Candidate>) -> Selection {
        if let Some(n) = self.order.ordinal {
            return match devices.get(n as usize - 1) {
                Some(device) => Selection::Devices(vec![*device], candidates),
                None => Selection::Which(devices, candidates),
            };
        }
        match self.order.quantifier {
            Quantifier::All | Quantifier::Except => Selection::Devices(devices, candidates),
            Quantifier::Any if self.context.asking => Selection::Devices(devices, candidates),
            Quantifier::Any => {
                let count = self.order.count.map_or(1, |n| n as usize);
                // 打开两盏灯: those that are not on yet come first.
                let mut sorted = devices;
                sorted.sort_by_key(|d| self.changes_nothing(*d));
                sorted.truncate(count.max(1));
                Selection::Devices(sorted, candidates)
            }
            Quantifier::One => self.one_of(devices, candidates),
        }
    }

    fn changes_nothing(&self, device: DeviceIndex) -> bool {
        let live = &self.context.live.get(device).values;
        let world = self.context.world;
        let subject = Subject {
            device: &world.home().devices[device],
            sense: &world.vocabulary.devices[device],
            state: live,
            lexicon: world.lexicon(),
        };
        subject.plan(&self.order.action).is_ok_and(|act| act.state.iter().all(|(k, v)| live.get(k) == Some(v)))
    }

    pub(super) fn one_of(&self, devices: Vec<DeviceIndex>, candidates: Vec<Candidate>) -> Selection {
        let all = self.order.each || self.context.asking || devices.len() == 1;
        if all { Selection::Devices(devices, candidates) } else { Selection::Which(devices, candidates) }
    }
}

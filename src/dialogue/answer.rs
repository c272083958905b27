//! What an utterance says as the answer to a question of ours.

use super::{Asks, Meant, Nothing, PendingRecord, is_reference, page, plain};
use crate::home::{DeviceIndex, RoomIndex};
use crate::language::action::{Action, Amount};
use crate::language::command::Type;
use crate::language::grammar::{self, Parse};
use crate::language::lexicon::Sense;
use crate::language::number;
use crate::language::order::{Fragment, Order, Place, Scope, Target};
use crate::language::segment::segment;
use crate::language::time::{End, Moment, Start};
use crate::resolve::scope::{Area, area};
use crate::retrieval::{Entity, Query, World, leaders, search};
use crate::text::normalize;

/// An utterance as an answer to our question.
pub(super) struct Answer<'a> {
    pub(super) text: String,
    pub(super) parts: Vec<String>,
    pub(super) world: &'a World,
    pub(super) local: Option<RoomIndex>,
}

impl Answer<'_> {
    /// The answer; `None` when the utterance is none, and the question is dropped.
    pub(super) fn read(&self, pending: &PendingRecord, parse: &Parse, live: bool) -> Option<Meant> {
        let answers = &self.world.lexicon().answers;
        let every = |words: &[String]| !self.parts.is_empty() && self.parts.iter().all(|p| words.contains(p));
        let is = |words: &[String]| words.contains(&self.text) || every(words);
        if is(&answers.no) || self.parts.iter().any(|p| answers.no.contains(p)) {
            return Some(Meant::Nothing(Nothing::Cancelled));
        }
        if pending.asks == Asks::Confirm && is(&answers.yes) {
            if !live {
                return Some(Meant::Nothing(Nothing::Expired));
            }
            return Some(self.confirmed(pending));
        }
        if !live {
            return None;
        }
        // 好的，打开: the action once more is a yes as well.
        if pending.asks == Asks::Confirm && (self.repeats(pending, parse) || self.agrees(pending)) {
            return Some(self.confirmed(pending));
        }
        let fragment = self.fragment(parse);
        match pending.asks {
            // 关灯: 这会关闭15个设备，确认吗？ 厨房。
            Asks::Confirm => self.narrowed(pending, fragment.as_ref()),
            Asks::Device => self.device(pending, parse, fragment.as_ref()).or_else(|| self.qualified(pending)),
            Asks::Room => self.room(pending, parse, fragment.as_ref()).or_else(|| self.qualified(pending)),
            Asks::Target => {
                let fragment = fragment?;
                let mut orders = self.orders(pending);
                orders.iter_mut().for_each(|o| o.refer(&fragment));
                orders.iter().all(|o| !is_reference(&o.target)).then(|| plain(orders))
            }
            Asks::Hour => {
                let said = grammar::lone_time(&self.text, &self.world.vocabulary)?;
                let orders: Option<Vec<Order>> =
                    self.orders(pending).into_iter().map(|order| at(order, &said)).collect();
                orders.filter(|orders| !orders.is_empty()).map(plain)
            }
            Asks::Value => {
                let bare = self.number();
                let Parse::Orders(orders) = bare.as_ref().unwrap_or(parse) else { return None };
                let sets = orders.iter().all(|o| {
                    let anything = matches!(o.target, Target::Anything | Target::Type(_) | Target::Reference(_));
                    anything && matches!(o.action, Action::Set { .. })
                });
                let chosen = Some(pending.devices_in(self.world.home()));
                sets.then(|| Meant::Orders { orders: self.values(pending, orders), chosen, confirmed: false })
            }
        }
    }

    /// Yes or no to a question that moves nothing; a command is neither.
    pub(super) fn agreed(&self, parse: &Parse) -> Option<bool> {
        let answers = &self.world.lexicon().answers;
        let every = |words: &[String]| !self.parts.is_empty() && self.parts.iter().all(|part| words.contains(part));
        if matches!(parse, Parse::Orders(_)) {
            None
        } else if answers.no.contains(&self.text) || self.parts.iter().any(|part| answers.no.contains(part)) {
            Some(false)
        } else {
            (answers.yes.contains(&self.text) || every(&answers.yes)).then_some(true)
        }
    }

    fn orders(&self, pending: &PendingRecord) -> Vec<Order> {
        page::orders(&pending.orders, &self.world.vocabulary)
    }

    /// What was asked about, as it is. What was pointed at (`左边那个`) is called by its name: nothing stands before it now.
    fn confirmed(&self, pending: &PendingRecord) -> Meant {
        let (mut orders, chosen) = (self.orders(pending), pending.devices_in(self.world.home()));
        if let ([order], [device]) = (&mut orders[..], &chosen[..])
            && matches!(order.target, Target::Text(..))
        {
            let text = normalize(&self.world.home().devices[*device].name);
            order.target = Target::Named { text, entities: vec![Entity::Device(*device)], kind: None };
        }
        Meant::Orders { orders, chosen: Some(chosen), confirmed: true }
    }

    /// Whether an utterance only says again what was asked about.
    fn repeats(&self, pending: &PendingRecord, parse: &Parse) -> bool {
        let Parse::Orders(orders) = parse else { return false };
        let asked = self.orders(pending);
        let same = |o: &Order| {
            is_reference(&o.target) && o.scope == Scope::default() && asked.iter().any(|a| a.action == o.action)
        };
        !orders.is_empty() && orders.iter().all(same)
    }

    /// Whether an utterance is a yes and the action asked about in one breath: 确定打开.
    fn agrees(&self, pending: &PendingRecord) -> bool {
        let lexicon = self.world.lexicon();
        let asked = self.orders(pending);
        let action = |rest: &str| {
            lexicon.senses(rest).iter().any(|sense| match sense {
                Sense::Verb(verb) => asked.iter().all(|o| {
                    let canonical =
                        |asked: &usize| lexicon.verbs[*verb].words.contains(&lexicon.verbs[*asked].words[0]);
                    matches!(&o.action, Action::Verb(asked) if canonical(asked))
                }),
                _ => false,
            })
        };
        let yes = &lexicon.answers.yes;
        !asked.is_empty() && yes.iter().filter_map(|yes| self.text.strip_prefix(yes.as_str())).any(action)
    }

    /// A number by itself: 26, 百分之三十.
    fn number(&self) -> Option<Parse> {
        let chars: Vec<char> = self.text.chars().collect();
        let (number, _) = number::read(&chars).filter(|(_, used)| *used == chars.len())?;
        let to = if number.percent { Amount::Percent(number.value) } else { Amount::Number(number.value, None) };
        Some(Parse::Orders(vec![Order::about(Action::Set { property: None, to }, Target::Anything)]))
    }

    /// A bare number answers for the property that was asked for.
    fn values(&self, pending: &PendingRecord, said: &[Order]) -> Vec<Order> {
        let asked = self.orders(pending);
        let mut orders = said.to_vec();
        for order in &mut orders {
            // What was asked about a later time is done then.
            order.when = order.when.take().or_else(|| asked.first().and_then(|asked| asked.when.clone()));
            let Action::Set { property: None, to } = &order.action else { continue };
            match asked.first().map(|asked| &asked.action) {
                Some(Action::Set { property, .. }) => {
                    order.action = Action::Set { property: *property, to: to.clone() }
                }
                // 亮一点 of what nobody knows how bright it is: 八十 is what it shall be.
                Some(Action::Step { ways, .. }) => {
                    let property = ways.first().and_then(|way| way.0);
                    order.action = Action::Set { property, to: to.clone() };
                }
                _ => {}
            }
        }
        orders
    }

    /// Names and places by themselves, and `打开客厅的`.
    fn fragment(&self, parse: &Parse) -> Option<Fragment> {
        match parse {
            Parse::Fragment(order) => Some(order.clone()),
            Parse::Orders(orders) => match &orders[..] {
                [first, rest @ ..] if orders.iter().all(|o| is_reference(&o.target)) => {
                    // 客厅和主卧都打开
                    let mut whole = first.clone().with(());
                    for more in rest {
                        whole.scope.include.extend(more.scope.include.iter().cloned());
                    }
                    (!whole.scope.include.is_empty()).then_some(whole)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn device(&self, pending: &PendingRecord, parse: &Parse, fragment: Option<&Fragment>) -> Option<Meant> {
        let answers = &self.world.lexicon().answers;
        let devices = pending.devices_in(self.world.home());
        let is = |words: &[String]| words.contains(&self.text);
        let choose = |chosen: Vec<DeviceIndex>| {
            Some(Meant::Orders { orders: self.orders(pending), chosen: Some(chosen), confirmed: false })
        };
        if is(&answers.all) || self.all_of(parse, devices.len()) {
            return choose(devices);
        }
        if is(&answers.any) || is(&answers.first) {
            return choose(devices.into_iter().take(1).collect());
        }
        if is(&answers.last) {
            return choose(devices.into_iter().rev().take(1).collect());
        }
        if let Some(one) = self.called(&devices) {
            return choose(vec![one]);
        }
        let fragment = fragment?;
        if let Some(n) = fragment.ordinal {
            let chosen = devices.get((n as usize).checked_sub(1)?).copied()?;
            return choose(vec![chosen]);
        }
        let matching = self.matching(&devices, fragment);
        if !matching.is_empty() {
            return choose(matching);
        }
        // Another room or another name than those offered: the order again, there.
        let mut orders = self.orders(pending);
        orders.iter_mut().for_each(|o| o.refer(fragment));
        Some(plain(orders))
    }

    /// `大的那个` of televisions: the one that is called so.
    fn qualified(&self, pending: &PendingRecord) -> Option<Meant> {
        let vocabulary = &self.world.vocabulary;
        let lexicon = self.world.lexicon();
        let [order] = &self.orders(pending)[..] else { return None };
        let points =
            |text: &str| lexicon.pointers.iter().find_map(|p| text.strip_suffix(p.as_str()).map(str::to_owned));
        let said = points(&self.text).unwrap_or_else(|| self.text.clone());
        let part = said.strip_suffix(lexicon.marks.of.as_str())?;
        let of_type = |kind: Type| lexicon.kinds.iter().filter(move |k| k.kind == kind).flat_map(|k| &k.words);
        let words: Vec<&str> = match &order.target {
            Target::Type(kind) => of_type(*kind).map(String::as_str).collect(),
            target => target.word(vocabulary).into_iter().collect(),
        };
        let one =
            |s: &Sense| if let Sense::Devices(devices) = s { <[usize; 1]>::try_from(&devices[..]).ok() } else { None };
        let (text, [device]) = words.into_iter().find_map(|word| {
            let name = format!("{part}{word}");
            vocabulary.senses(&name).iter().find_map(one).map(|found| (name, found))
        })?;
        let target = Target::Named { text, entities: vec![Entity::Device(device)], kind: None };
        Some(plain(vec![Order { scope: Scope::default(), target, ..order.clone() }]))
    }

    /// `煤球的`: the one of the offered devices in whose name that stands.
    fn called(&self, devices: &[DeviceIndex]) -> Option<DeviceIndex> {
        let lexicon = self.world.lexicon();
        let words = &lexicon.time.jobs.mend;
        let said = lexicon.without_particles(&self.text);
        // 我说的右边, 是左边
        let leads = words.iter().map(String::as_str).chain([lexicon.marks.is.as_str()]);
        let said = leads.filter_map(|lead| said.strip_prefix(lead)).min_by_key(|rest| rest.len()).unwrap_or(said);
        if let Some(one) = self.on_side(said, devices) {
            return Some(one);
        }
        let part = said.strip_suffix(lexicon.marks.of.as_str()).unwrap_or(said);
        let named =
            |d: &&DeviceIndex| self.world.home().devices[**d].names().any(|name| normalize(name).contains(part));
        let mut found = devices.iter().filter(named);
        let one = found.next().filter(|_| part.chars().count() > 1 && found.next().is_none())?;
        Some(*one)
    }

    /// `右`, `左边`: the one of the offered devices that is called by that side.
    fn on_side(&self, said: &str, devices: &[DeviceIndex]) -> Option<DeviceIndex> {
        let lexicon = self.world.lexicon();
        let side = |left: bool| lexicon.side_words(&Sense::Side { left });
        let all = |left: bool| side(left).iter().any(|word| word == said);
        let words = match (all(true), all(false)) {
            (true, false) => side(true),
            (false, true) => side(false),
            _ => return None,
        };
        let short = words.iter().min_by_key(|word| word.len())?;
        let named =
            |d: &&DeviceIndex| self.world.home().devices[**d].names().any(|name| normalize(name).contains(short));
        let mut found = devices.iter().filter(named);
        found.next().filter(|_| found.next().is_none()).copied()
    }

    /// Those of the offered devices that a fragment names.
    fn matching(&self, devices: &[DeviceIndex], fragment: &Fragment) -> Vec<DeviceIndex> {
        let home = self.world.home();
        let include = &fragment.scope.include;
        let mut left = devices.to_vec();
        if !include.is_empty() {
            let rooms: Vec<RoomIndex> = include
                .iter()
                .flat_map(|place| match area(place, self.world, self.local) {
                    Area::Rooms(rooms) | Area::OneOf(rooms) => rooms,
                    Area::Unknown => Vec::new(),
                })
                .collect();
            left.retain(|d| home.devices[*d].room.is_some_and(|r| rooms.contains(&r)));
        }
        if let Some(name) = fragment.target.word(&self.world.vocabulary) {
            let able = |_| true;
            let query =
                Query { name, kind: Type::Unknown, rooms: None, local: None, recent: &[], able: &able, online: &able };
            let found = search(self.world, &query);
            let offered: Vec<_> =
                found.into_iter().filter(|c| matches!(c.entity, Entity::Device(d) if left.contains(&d))).collect();
            left = leaders(&offered)
                .iter()
                .filter_map(|c| if let Entity::Device(d) = c.entity { Some(d) } else { None })
                .collect();
        } else if let Target::Type(kind) | Target::Reference(kind) = fragment.target
            && kind != Type::Unknown
        {
            left.retain(|d| {
                self.world.vocabulary.devices[*d].kinds.iter().any(|k| self.world.lexicon().kinds[*k].kind == kind)
            });
        }
        left
    }

    /// `都关`, `三个都要`: all of those that were offered.
    fn all_of(&self, parse: &Parse, offered: usize) -> bool {
        let Parse::Orders(orders) = parse else { return false };
        let each = segment(&self.text, &self.world.vocabulary).iter().any(|t| t.has(&Sense::Each) && !t.is_entity());
        orders.iter().all(|o| {
            let counted = o.count == u32::try_from(offered).ok();
            is_reference(&o.target) && o.scope.include.is_empty() && ((o.each || each) && o.count.is_none() || counted)
        })
    }

    /// Of what would be done to many only what stands in a place.
    fn narrowed(&self, pending: &PendingRecord, fragment: Option<&Fragment>) -> Option<Meant> {
        let only_place = |f: &&Fragment| !f.scope.include.is_empty() && matches!(f.target, Target::Anything);
        let fragment = fragment.filter(only_place)?;
        let mut orders = self.orders(pending);
        orders.iter_mut().for_each(|o| o.refer(fragment));
        (pending.devices.len() > 1).then(|| plain(orders))
    }

    fn room(&self, pending: &PendingRecord, parse: &Parse, fragment: Option<&Fragment>) -> Option<Meant> {
        let answers = &self.world.lexicon().answers;
        let mut orders = self.orders(pending);
        if answers.all.contains(&self.text) || self.all_of(parse, pending.rooms.len()) {
            for order in &mut orders {
                order.scope.include = pending.rooms_in(self.world.home());
            }
            return Some(plain(orders));
        }
        let fragment = fragment?;
        let rooms = pending.rooms_in(self.world.home());
        let at: Option<&Place> = fragment.ordinal.and_then(|n| rooms.get((n as usize).checked_sub(1)?));
        // 一楼的: those of the rooms that were asked about.
        let on_floor = match &fragment.scope.include[..] {
            [floor @ (Place::Floor(..) | Place::Storey(..))] => match area(floor, self.world, self.local) {
                Area::Rooms(there) => {
                    let asked = |place: &&Place| matches!(place, Place::Room(room) if there.contains(room));
                    rooms.iter().filter(asked).cloned().collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        for order in &mut orders {
            match at {
                Some(room) => order.scope.include = vec![room.clone()],
                None => order.refer(fragment),
            }
            if !on_floor.is_empty() {
                order.scope.include.clone_from(&on_floor);
            }
        }
        (at.is_some() || !fragment.scope.include.is_empty()).then(|| plain(orders))
    }
}

/// An order at an hour that was asked for; `None` where the answer does not go with what was said before.
fn at(order: Order, said: &Start) -> Option<Order> {
    let Some(mut when) = order.when.clone() else { return Some(order) };
    let lacks = |moment: &Moment| moment.clock.is_none() && moment.part.is_none_or(|part| part.alone.is_none());
    match (&mut when.start, &mut when.end, said) {
        (Some(Start::At(moment)), _, Start::At(said)) | (_, Some(End::Until(moment)), Start::At(said))
            if lacks(moment) =>
        {
            // The later word is the more exact one.
            moment.clock = said.clock;
            moment.day = said.day.or(moment.day);
            moment.part = said.part.or(moment.part);
        }
        (start @ Some(Start::At(_)), _, Start::After(_)) => *start = Some(said.clone()),
        _ => return None,
    }
    Some(Order { when: Some(when), ..order })
}

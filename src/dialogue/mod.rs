//! Conversations: what an utterance means after what was said before.

mod again;
mod page;
mod pages;
mod row;

pub use page::{Asks, Mention, OrderRecord, Page, PendingRecord, Turn};
pub use pages::{PageLimits, Pages};

use crate::home::{DeviceIndex, RoomIndex};
use crate::language::command::Type;
use crate::language::deed::{Amount, Deed};
use crate::language::grammar::{JobAsk, Parse, Silence};
use crate::language::lexicon::Sense;
use crate::language::number;
use crate::language::order::{Fragment, Order, Place, Scope, Target};
use crate::language::segment::{Token, is_story, segment};
use crate::resolve::scope::{Area, area};
use crate::retrieval::{Candidate, Entity, Query, World, leaders, search};
use crate::text::utterance;

/// What an utterance comes to after the page was consulted.
#[derive(Clone, Debug, PartialEq)]
pub enum Meant {
    /// These orders; for these devices, if our question narrowed them; confirmed, if it was a yes.
    Orders {
        /// What to do.
        orders: Vec<Order>,
        /// Which devices, if that was the question.
        chosen: Option<Vec<DeviceIndex>>,
        /// The answer was a yes to a confirmation.
        confirmed: bool,
    },
    /// An order for something that was described, and what it may be.
    Described(Box<Order>, Vec<Candidate>),
    /// A situation, and the room it was said of.
    Situation(usize, Option<RoomIndex>),
    /// Something about what is to be done later.
    Jobs(JobAsk),
    /// Nothing to do, and why.
    Nothing(Nothing),
}

/// Why there is nothing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Nothing {
    /// No command.
    Silent(Silence),
    /// Not understood; the words that were not.
    Unsure(Vec<String>),
    /// Our question was answered by a no.
    Cancelled,
    /// A yes that came too late.
    Expired,
}

/// Reads an utterance in the light of its page.
pub fn interpret(
    sentence: &str,
    parse: Parse,
    page: &Page,
    world: &World,
    local: Option<RoomIndex>,
    now_ms: u64,
) -> Meant {
    // Nor does it answer a question or ask for anything once more: only its beginning would be read.
    if is_story(&utterance(sentence)) {
        return Meant::Nothing(Nothing::Silent(Silence::Chatter));
    }
    if let Some(pending) = &page.pending {
        let answer = Answer { text: bare(sentence, world), parts: parts(sentence, world), world, local };
        let live = now_ms <= pending.expires_ms;
        if let Some(meant) = answer.read(pending, &parse, live) {
            return meant;
        }
    }
    if let Some(meant) = again::again(sentence, &parse, page, world, local) {
        return meant;
    }
    match parse {
        Parse::Orders(orders) => plain(orders),
        Parse::Jobs(ask) => Meant::Jobs(ask),
        Parse::Situation { situation, room } => Meant::Situation(situation, room),
        Parse::Unsure(_, words) => Meant::Nothing(Nothing::Unsure(words)),
        Parse::Silent(silence) => {
            if says(&tokens(sentence, world), &Sense::Again) && !page.orders.is_empty() {
                return plain(page::orders(&page.orders, &world.vocabulary));
            }
            Meant::Nothing(Nothing::Silent(silence))
        }
        Parse::Fragment(fragment) => elsewhere(&fragment, page, world),
    }
}

fn plain(orders: Vec<Order>) -> Meant {
    Meant::Orders { orders, chosen: None, confirmed: false }
}

/// `厨房呢`: what was said before, of another place or another thing.
fn elsewhere(fragment: &Fragment, page: &Page, world: &World) -> Meant {
    let mut orders = page::orders(&page.orders, &world.vocabulary);
    let asked = orders.iter().all(|o| matches!(o.action, Deed::Ask(_)));
    // 摇滚音乐: a thing that nobody knows, and nothing to do with it.
    if matches!(fragment.target, Target::Text(..)) {
        return Meant::Nothing(Nothing::Silent(Silence::Chatter));
    }
    // Only a question is repeated on half a sentence; half a command moves nothing.
    if orders.is_empty() || !asked {
        return Meant::Nothing(Nothing::Unsure(Vec::new()));
    }
    for order in &mut orders {
        order.refer(fragment);
    }
    plain(orders)
}

fn is_reference(target: &Target) -> bool {
    matches!(target, Target::Reference(_))
}

fn tokens(sentence: &str, world: &World) -> Vec<Token> {
    segment(&utterance(sentence), &world.vocabulary)
}

fn says(tokens: &[Token], sense: &Sense) -> bool {
    tokens.iter().any(|t| t.has(sense))
}

/// The utterance without punctuation, and without what is said while thinking before it (`呃都要`).
fn bare(sentence: &str, world: &World) -> String {
    let tokens = tokens(sentence, world);
    let spoken: Vec<&Token> = tokens.iter().filter(|t| !t.has(&Sense::Punctuation)).collect();
    let thinks = |t: &&&Token| t.has(&Sense::Filler) && world.lexicon().answers.is_none_of(&t.text);
    let start = spoken.iter().take_while(thinks).count();
    let said = if start < spoken.len() { &spoken[start..] } else { &spoken[..] };
    said.iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect()
}

/// The clauses of an utterance, politeness at their ends taken off where something is left.
fn parts(sentence: &str, world: &World) -> Vec<String> {
    let tokens = tokens(sentence, world);
    let written = |t: &Token| t.heard.clone().unwrap_or_else(|| t.text.clone());
    let clauses = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|c| !c.is_empty());
    let thinks = |t: &&Token| t.has(&Sense::Filler) && world.lexicon().answers.is_none_of(&t.text);
    let content = |clause: &[Token]| clause.iter().skip_while(thinks).map(written).collect::<String>();
    clauses.map(content).filter(|part| !part.is_empty()).collect()
}

/// An utterance as an answer to our question.
struct Answer<'a> {
    text: String,
    parts: Vec<String>,
    world: &'a World,
    local: Option<RoomIndex>,
}

impl Answer<'_> {
    /// The answer; `None` when the utterance is none, and the question is dropped.
    fn read(&self, pending: &PendingRecord, parse: &Parse, live: bool) -> Option<Meant> {
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
            let chosen = Some(pending.devices_in(self.world.home()));
            return Some(Meant::Orders { orders: self.orders(pending), chosen, confirmed: true });
        }
        if !live {
            return None;
        }
        // 好的，打开: the deed once more is a yes as well.
        if pending.asks == Asks::Confirm && (self.repeats(pending, parse) || self.agrees(pending)) {
            let chosen = Some(pending.devices_in(self.world.home()));
            return Some(Meant::Orders { orders: self.orders(pending), chosen, confirmed: true });
        }
        let fragment = self.fragment(parse);
        match pending.asks {
            Asks::Confirm => None,
            Asks::Device => self.device(pending, parse, fragment.as_ref()),
            Asks::Room => self.room(pending, fragment.as_ref()),
            Asks::Target => {
                let fragment = fragment?;
                let mut orders = self.orders(pending);
                orders.iter_mut().for_each(|o| o.refer(&fragment));
                orders.iter().all(|o| !is_reference(&o.target)).then(|| plain(orders))
            }
            Asks::Value => {
                let bare = self.number();
                let Parse::Orders(orders) = bare.as_ref().unwrap_or(parse) else { return None };
                let sets = orders.iter().all(|o| {
                    let anything = matches!(o.target, Target::Anything | Target::Type(_) | Target::Reference(_));
                    anything && matches!(o.action, Deed::Set { .. })
                });
                let chosen = Some(pending.devices_in(self.world.home()));
                sets.then(|| Meant::Orders { orders: self.values(pending, orders), chosen, confirmed: false })
            }
        }
    }

    fn orders(&self, pending: &PendingRecord) -> Vec<Order> {
        page::orders(&pending.orders, &self.world.vocabulary)
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

    /// Whether an utterance is a yes and the deed asked about in one breath: 确定打开.
    fn agrees(&self, pending: &PendingRecord) -> bool {
        let lexicon = self.world.lexicon();
        let asked = self.orders(pending);
        let deed = |rest: &str| {
            lexicon.senses(rest).iter().any(|sense| match sense {
                Sense::Verb(verb) => asked.iter().all(|o| {
                    let canonical =
                        |asked: &usize| lexicon.verbs[*verb].words.contains(&lexicon.verbs[*asked].words[0]);
                    matches!(&o.action, Deed::Verb(asked) if canonical(asked))
                }),
                _ => false,
            })
        };
        let yes = &lexicon.answers.yes;
        !asked.is_empty() && yes.iter().filter_map(|yes| self.text.strip_prefix(yes.as_str())).any(deed)
    }

    /// A number by itself: 26, 百分之三十.
    fn number(&self) -> Option<Parse> {
        let chars: Vec<char> = self.text.chars().collect();
        let (number, _) = number::read(&chars).filter(|(_, used)| *used == chars.len())?;
        let to = if number.percent { Amount::Percent(number.value) } else { Amount::Number(number.value, None) };
        Some(Parse::Orders(vec![Order::about(Deed::Set { property: None, to }, Target::Anything)]))
    }

    /// A bare number answers for the property that was asked for.
    fn values(&self, pending: &PendingRecord, said: &[Order]) -> Vec<Order> {
        let asked = self.orders(pending);
        let mut orders = said.to_vec();
        for order in &mut orders {
            // What was asked about a later time is done then.
            order.when = order.when.take().or_else(|| asked.first().and_then(|asked| asked.when.clone()));
            let Deed::Set { property: None, to } = &order.action else { continue };
            match asked.first().map(|asked| &asked.action) {
                Some(Deed::Set { property, .. }) => order.action = Deed::Set { property: *property, to: to.clone() },
                Some(Deed::Step { ways, .. }) => {
                    order.action = Deed::Step { ways: ways.clone(), by: Some(to.clone()) };
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
        let every = match parse {
            Parse::Orders(orders) => orders.iter().all(|o| {
                let counted = o.count == u32::try_from(devices.len()).ok();
                is_reference(&o.target) && o.scope.include.is_empty() && (o.each || counted)
            }),
            _ => false,
        };
        if is(&answers.all) || every {
            return choose(devices);
        }
        if is(&answers.any) || is(&answers.first) {
            return choose(devices.into_iter().take(1).collect());
        }
        if is(&answers.last) {
            return choose(devices.into_iter().rev().take(1).collect());
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
            let query = Query { name, kind: Type::Unknown, rooms: None, local: None, recent: &[], able: &able };
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

    fn room(&self, pending: &PendingRecord, fragment: Option<&Fragment>) -> Option<Meant> {
        let answers = &self.world.lexicon().answers;
        let mut orders = self.orders(pending);
        if answers.all.contains(&self.text) {
            for order in &mut orders {
                order.scope.include = pending.rooms_in(self.world.home());
            }
            return Some(plain(orders));
        }
        let fragment = fragment?;
        let rooms = pending.rooms_in(self.world.home());
        let at: Option<&Place> = fragment.ordinal.and_then(|n| rooms.get((n as usize).checked_sub(1)?));
        for order in &mut orders {
            match at {
                Some(room) => order.scope.include = vec![room.clone()],
                None => order.refer(fragment),
            }
        }
        (at.is_some() || !fragment.scope.include.is_empty()).then(|| plain(orders))
    }
}

//! Conversations: what an utterance means after what was said before.

mod again;
mod answer;
mod asked;
mod behind;
mod ceased;
mod degree;
mod lately;
mod meant;
mod naming;
mod onward;
mod page;
mod pages;
mod planned;
mod refused;
mod remark;
mod replaced;
mod row;
mod same_time;
mod sibling;
mod there;
mod undo;
mod words;

pub use lately::{row, spoken_of};
pub use meant::{Meant, Nothing};
pub use naming::{may_be_called, unknown_name};
pub use page::{Asks, Mention, Naming, OrderRecord, Page, PendingRecord, Turn, Unheard, Was};
pub use pages::{PageLimits, Pages};

use answer::Answer;
use meant::plain;
use words::{bare, parts, says, tokens};

use crate::home::{DeviceIndex, RoomIndex};
use crate::language::action::{Action, Ask};
use crate::language::grammar::{self, Parse, Rejection, SpeakerContext};
use crate::language::lexicon::Sense;
use crate::language::order::{Fragment, Order, Place, Target};
use crate::language::segment::{Token, is_story};
use crate::retrieval::{Entity, World};

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
    if is_story(&world.vocabulary.utterance(sentence)) {
        return Meant::Nothing(Nothing::Rejected(Rejection::Chatter));
    }
    let spoken = || Answer { text: bare(sentence, world), parts: parts(sentence, world), world, local };
    if let Some(naming) = page.naming.as_ref().filter(|naming| now_ms <= naming.until_ms)
        && let Some(yes) = spoken().agreed(&parse)
    {
        return Meant::Called { naming: naming.clone(), yes };
    }
    if let Some(pending) = &page.pending {
        let answer = spoken();
        let live = now_ms <= pending.expires_ms;
        if let Some(meant) = answer.read(pending, &parse, live) {
            return meant;
        }
    }
    let speaker = SpeakerContext { local, ..SpeakerContext::default() };
    let read = |text: &str| grammar::parse(text, &world.vocabulary, &speaker);
    if let Some(meant) = planned::planned(sentence, &parse, page, world, read) {
        return meant;
    }
    if let Some(meant) = naming::corrected(&tokens(sentence, world), &parse, page, world, now_ms) {
        return meant;
    }
    if let Some(meant) = asked::asked(&parse, page, world) {
        return meant;
    }
    if let Some(meant) = asked::of_it(&tokens(sentence, world), &parse, page, world) {
        return meant;
    }
    if !page.was.is_empty()
        && let Some(orders) = undo::undone(&tokens(sentence, world), page, world)
    {
        let nothing = Meant::Nothing(Nothing::Rejected(Rejection::Withdrawn));
        return if orders.is_empty() { nothing } else { plain(orders) };
    }
    if let Some(meant) = behind::behind(&tokens(sentence, world), &parse, page, world) {
        return meant;
    }
    if !page.orders.is_empty()
        && let Some(meant) = onward::onward(&tokens(sentence, world), &parse, page, world, read)
    {
        return meant;
    }
    if let Some(meant) = there::there(sentence, &parse, page, world, local, read) {
        return meant;
    }
    if let Some(meant) = again::again(sentence, &parse, page, world, local) {
        return meant;
    }
    if let Some(rest) = remark::behind_remark(sentence, &parse, page, world) {
        let meant = interpret(&rest, read(&rest), page, world, local, now_ms);
        if remark::moves(&meant) {
            return meant;
        }
    }
    if let Some(meant) = corrected(sentence, world, local) {
        return meant;
    }
    match parse {
        Parse::Orders(orders) if orders.iter().all(|o| is_reference(&o.target)) && trails_off(sentence, world) => {
            Meant::Nothing(Nothing::Unsure(Vec::new()))
        }
        Parse::Orders(orders) => {
            let orders = planned::following(orders, page, world);
            plain(same_time::at_that_time(orders, &tokens(sentence, world), page, world))
        }
        Parse::Jobs(ask) => Meant::Jobs(Box::new(ask)),
        Parse::Situation { situation, room } => Meant::Situation(situation, room),
        Parse::Unsure(_, words) => {
            Meant::Nothing(Nothing::Unsure(joined(words, &world.vocabulary.utterance(sentence))))
        }
        Parse::Rejected(rejection) => {
            if says(&tokens(sentence, world), &Sense::Again) && !page.orders.is_empty() {
                return plain(page::orders(&page.orders, &world.vocabulary));
            }
            Meant::Nothing(Nothing::Rejected(rejection))
        }
        Parse::Fragment(fragment) => {
            let asks = tokens(sentence, world).last().is_some_and(|t| t.has(&Sense::Particle));
            elsewhere(&fragment, asks, page, world)
        }
    }
}

/// What a sentence means that takes back a word of its own.
fn corrected(sentence: &str, world: &World, local: Option<RoomIndex>) -> Option<Meant> {
    if !sentence.contains(&world.lexicon().marks.not) {
        return None;
    }
    let speaker = SpeakerContext { local, ..SpeakerContext::default() };
    let tokens = grammar::words(sentence, &world.vocabulary, &speaker)?;
    replaced::within(&tokens, world, |text| grammar::parse(text, &world.vocabulary, &speaker))
}

/// `月` and `亮` of 打开月亮灯 are one strange word: what stands together is said together.
fn joined(words: Vec<String>, sentence: &str) -> Vec<String> {
    words.into_iter().fold(Vec::new(), |mut joined: Vec<String>, word| {
        match joined.last_mut().filter(|last| sentence.contains(&format!("{last}{word}"))) {
            Some(last) => last.push_str(&word),
            None => joined.push(word),
        }
        joined
    })
}

/// `厨房呢`: what was said before, of another place or another thing.
fn elsewhere(fragment: &Fragment, asks: bool, page: &Page, world: &World) -> Meant {
    let mut orders = page::orders(&page.orders, &world.vocabulary);
    let asked = orders.iter().all(|o| matches!(o.action, Action::Ask(_)));
    // 摇滚音乐: a thing that nobody knows, and nothing to do with it.
    if matches!(fragment.target, Target::Text(..)) {
        return Meant::Nothing(Nothing::Rejected(Rejection::Chatter));
    }
    // 落地灯呢, behind what was done to another: how that is.
    let named = matches!(fragment.target, Target::Named { .. } | Target::Kind(..));
    if named && asks && !orders.is_empty() && !asked {
        let mut order = Order::about(Action::Ask(Ask::State), fragment.target.clone());
        order.refer(fragment);
        return plain(vec![order]);
    }
    // 主卧空调打开, 奶奶屋的呢: how what is like it there is.
    if let (Target::Anything, [Place::Room(room)], true, false, Some(told)) =
        (&fragment.target, &fragment.scope.include[..], asks, asked, orders.last())
        && let target = counterpart(&told.target, *room, world)
        && target != Target::Anything
    {
        let mut order = Order::about(Action::Ask(Ask::State), target);
        order.refer(fragment);
        return plain(vec![order]);
    }
    // Only a question is repeated on half a sentence; half a command moves nothing.
    if orders.is_empty() || !asked {
        return Meant::Nothing(Nothing::Unsure(Vec::new()));
    }
    for order in &mut orders {
        let named = matches!(order.target, Target::Named { .. });
        if let (true, Target::Anything, [Place::Room(room)]) = (named, &fragment.target, &fragment.scope.include[..]) {
            order.target = counterpart(&order.target, *room, world);
        }
        order.refer(fragment);
    }
    plain(orders)
}

/// 客厅空调几度, 那老人房呢: what there is of the same kind in another room, or whatever there can tell.
fn counterpart(target: &Target, room: RoomIndex, world: &World) -> Target {
    let vocabulary = &world.vocabulary;
    let Target::Named { entities, kind, .. } = target else { return target.clone() };
    let device = entities.iter().find_map(|e| if let Entity::Device(d) = e { Some(*d) } else { None });
    if let (Some(device), [_]) = (device, &entities[..])
        && let Some(alike) = sibling::called_alike(device, room, vocabulary)
    {
        return alike;
    }
    let kind = kind.or_else(|| vocabulary.devices.get(device?)?.kinds.first().copied());
    let there = |kind: &usize| {
        let devices = world.home().devices.iter().zip(&vocabulary.devices);
        devices.into_iter().any(|(device, sense)| device.room == Some(room) && sense.is(*kind))
    };
    kind.filter(there).map_or(Target::Anything, |kind| {
        Target::of_kind(kind, &vocabulary.lexicon.kinds[kind].words[0], &vocabulary.lexicon)
    })
}

/// `打开那个啥`: who points to something and does not find its name has not said what is meant.
fn trails_off(sentence: &str, world: &World) -> bool {
    let tokens = tokens(sentence, world);
    let ends = |t: &&Token| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    tokens.iter().rev().find(ends).is_some_and(|last| {
        let mut shorter = last.text.char_indices().skip(1).map(|(end, _)| &last.text[..end]);
        let points = |text: &str| world.vocabulary.senses(text).contains(&Sense::Reference);
        last.has(&Sense::Filler) && !last.has(&Sense::Reference) && shorter.any(points)
    })
}

fn is_reference(target: &Target) -> bool {
    matches!(target, Target::Reference(_))
}

/// The devices of which an utterance says the names, each of only one.
pub fn named(sentence: &str, world: &World) -> Vec<Entity> {
    let only = |s: &Sense| match s {
        Sense::Devices(devices) => <[DeviceIndex; 1]>::try_from(devices.as_slice()).ok().map(|[device]| device),
        _ => None,
    };
    let place = |t: &&Token| !t.any(|s| matches!(s, Sense::Room(_)));
    let words = tokens(sentence, world);
    words.iter().filter(place).filter_map(|t| t.senses.iter().find_map(only)).map(Entity::Device).collect()
}

//! The like of what was spoken of: `左射灯关了`, then `另一个也关`; `小敏的床头灯关掉`, then `建国的也一样`.

use super::{Meant, Mention, Page, page, plain, words};
use crate::home::{DeviceIndex, Entity, RoomIndex};
use crate::language::action::Action;
use crate::language::grammar::Parse;
use crate::language::lexicon::Sense;
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::language::vocabulary::Vocabulary;
use crate::retrieval::World;

/// Characters of a part of a name by which a device is told from its like.
const MAX_PART: usize = 4;

/// What an utterance tells the like of what the turn before was about; `None` where it names none, or more than one.
pub(super) fn sibling(tokens: &[Token], page: &Page, world: &World, read: impl Fn(&str) -> Parse) -> Option<Meant> {
    let last = devices(page, world);
    let first = *last.first()?;
    let mut named = Words::of(tokens)?;
    // 另一个窗帘也拉开
    let noun = tokens.get(named.end).filter(|t| !t.is_entity()).and_then(kind);
    named.end += usize::from(noun.is_some());
    let kind = noun.or_else(|| world.vocabulary.devices[first].kinds.first().copied())?;
    let like: Vec<DeviceIndex> = (0..world.home().devices.len())
        .filter(|device| !last.contains(device) && world.vocabulary.devices[*device].is(kind))
        .collect();
    let room = |device: DeviceIndex| world.home().devices[device].room;
    let near = match &named.part {
        Some(part) => like.into_iter().filter(|device| is_called(*device, part, world)).collect(),
        None => {
            let near: Vec<DeviceIndex> = like.iter().copied().filter(|d| room(*d) == room(first)).collect();
            if near.is_empty() { like } else { near }
        }
    };
    // Two bedside lamps beside the lamp of the ceiling.
    let name = |device: DeviceIndex| world.home().devices[device].name.as_str();
    let same: Vec<DeviceIndex> = near.iter().copied().filter(|d| ends_alike(name(*d), name(first))).collect();
    let meant = if same.is_empty() { near } else { same };
    // 打开筒灯和落地灯, 落地灯关了, then 另一个: that which was spoken of before.
    let other = || {
        let of_row = Mention::recall(&page.row, world.home());
        let rest = of_row.into_iter().filter(|one| !matches!(one, Entity::Device(d) if last.contains(d)));
        <[Entity; 1]>::try_from(rest.collect::<Vec<_>>()).ok().filter(|_| named.part.is_none() && noun.is_none())
    };
    let meant = match (other(), &meant[..]) {
        (Some([Entity::Device(device)]), _) => device,
        (_, [meant]) => *meant,
        _ => return None,
    };
    let device = &world.home().devices[meant];
    let target = || Target::Named { text: device.name.clone(), entities: vec![Entity::Device(meant)], kind: None };
    let rest: Vec<&Token> = tokens[..named.start].iter().chain(&tokens[named.end..]).collect();
    let repeats = |t: &&Token| {
        words::is_small(t) || t.any(|s| matches!(s, Sense::Same | Sense::Also | Sense::Each)) && !t.is_entity()
    };
    if rest.iter().all(repeats) {
        let goes_on = |t: &&Token| t.any(|s| matches!(s, Sense::Same | Sense::Also));
        let before = page::orders(&page.orders, &world.vocabulary);
        let [order] = before.try_into().ok().filter(|_| named.part.is_none() || rest.iter().any(goes_on))?;
        return Some(plain(vec![told(order, target())]));
    }
    if rest.iter().any(|t| t.is_residue() || t.is_entity()) {
        return None;
    }
    let it = &world.lexicon().marks.it;
    let written = |t: &Token| t.heard.clone().unwrap_or_else(|| t.text.clone());
    let text: String = tokens[..named.start].iter().map(written).collect::<String>()
        + it
        + &tokens[named.end..].iter().map(written).collect::<String>();
    let Parse::Orders(orders) = read(&text) else { return None };
    let [order] = <[Order; 1]>::try_from(orders).ok()?;
    let of_it = matches!(order.target, Target::Reference(_)) && order.scope.include.is_empty();
    (of_it && !matches!(order.action, Action::Unclear(_))).then(|| plain(vec![told(order, target())]))
}

fn told(mut order: Order, target: Target) -> Order {
    order.scope = Default::default();
    order.target = target;
    order
}

/// The words that say which.
struct Words {
    start: usize,
    end: usize,
    /// A part of its name; `None` for 另一个.
    part: Option<String>,
}

impl Words {
    fn of(tokens: &[Token]) -> Option<Self> {
        let small =
            |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Measure | Sense::Reference)) && !t.is_entity();
        if let Some(start) = tokens.iter().position(|t| t.has(&Sense::Another) && !t.is_entity()) {
            let end = start + 1 + tokens[start + 1..].iter().take_while(small).count();
            return Some(Self { start, end, part: None });
        }
        let start = tokens.iter().take_while(|t| words::is_small(t)).count();
        let end = start + tokens[start..].iter().position(|t| small(&t))?;
        let words = &tokens[start..end];
        let part: String = words.iter().map(|t| t.text.as_str()).collect();
        let of = tokens[end..].iter().take_while(small).count();
        let strange = words.iter().any(Token::is_residue) && !words.iter().any(Token::is_entity);
        let fits = strange && (1..=MAX_PART).contains(&part.chars().count());
        fits.then_some(Self { start, end: end + of, part: Some(part) })
    }
}

/// What was spoken of, where all of it is devices.
pub(super) fn devices(page: &Page, world: &World) -> Vec<DeviceIndex> {
    devices_of(&page.last, world)
}

/// What was mentioned, where all of it is devices.
pub(super) fn devices_of(mentions: &[Mention], world: &World) -> Vec<DeviceIndex> {
    let entities = Mention::recall(mentions, world.home());
    let device = |entity: &Entity| if let Entity::Device(device) = entity { Some(*device) } else { None };
    entities.iter().map(device).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The one thing of a room that is of a device's kind and is called like it: 阿凯挂灯 after 小林挂灯, though 阿凯灯带 is a lamp too.
pub(super) fn called_alike(device: DeviceIndex, room: RoomIndex, vocabulary: &Vocabulary) -> Option<Target> {
    let (devices, senses) = (&vocabulary.home.devices, &vocabulary.devices);
    let kind = senses[device].kinds.first()?;
    let alike = |d: &DeviceIndex| {
        *d != device && devices[*d].room == Some(room) && ends_alike(&devices[*d].name, &devices[device].name)
    };
    let mut found = (0..devices.len()).filter(|d| senses[*d].is(*kind)).filter(alike);
    let only = found.next().filter(|_| found.next().is_none())?;
    Some(Target::Named { text: devices[only].name.clone(), entities: vec![Entity::Device(only)], kind: None })
}

/// Of what stands where several things do the one whose name ends like what was told of before.
pub(super) fn of_its_like(several: &Target, told: &Target, vocabulary: &Vocabulary) -> Option<Target> {
    let devices = &vocabulary.home.devices;
    let (Target::Text(word, _) | Target::Named { text: word, .. }) = told else { return None };
    let Target::Named { entities, .. } = several else { return None };
    let room = |entity: &Entity| if let Entity::Device(d) = entity { devices[*d].room } else { None };
    let there = entities.first().and_then(room).filter(|_| entities.len() > 1)?;
    let like = |d: &usize| devices[*d].room == Some(there) && ends_alike(&devices[*d].name, word);
    let mut found = (0..devices.len()).filter(like);
    let only = found.next().filter(|_| found.next().is_none() && entities.iter().all(|e| room(e) == Some(there)))?;
    Some(Target::Named { text: devices[only].name.clone(), entities: vec![Entity::Device(only)], kind: None })
}

/// Whether two names have more than their last character in common there.
fn ends_alike(one: &str, other: &str) -> bool {
    one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b).count() > 1
}

fn is_called(device: DeviceIndex, part: &str, world: &World) -> bool {
    let device = &world.home().devices[device];
    std::iter::once(&device.name).chain(&device.aliases).any(|name| name.contains(part))
}

fn kind(token: &Token) -> Option<usize> {
    token.senses.iter().find_map(|s| if let Sense::Kind(kind) = s { Some(*kind) } else { None })
}

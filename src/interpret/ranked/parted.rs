//! A sentence read in parts, each by itself: several commands in a row, with or without a pause between them.

use super::spared::{Spared, refuses, spares};
use super::{COMMENT, Ranked, asks_it, binds, enough, left};
use crate::dialogue::{Page, interpret};
use crate::home::Entity;
use crate::interpret::Utterance;
use crate::language::action::Action;
use crate::language::grammar::{self, Parse, names_a_thing};
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::resolve::{Context, Outcome, resolve};

/// Parts of one sentence.
const MAX_PARTS: usize = 8;

/// Places where a part may begin.
const MAX_CUTS: usize = 9;

/// Ways to read the beginning of a sentence that are looked at.
const MAX_WAYS: usize = 4;

/// One way to read the words before a cut.
#[derive(Clone)]
struct Way {
    orders: Vec<Order>,
    /// The words of the thing that was named last, and what was done to it.
    thing: Vec<Token>,
    mentioned: Vec<Entity>,
    spared: Vec<Spared>,
    /// One of the parts is not the grammar's.
    guessed: bool,
}

/// What one part is.
enum Part {
    Told(Way),
    /// It stays as it is; the words of the thing, where more can be told of it.
    Refused(Spared, Vec<Token>),
    Comment,
}

impl Ranked {
    /// The orders of a sentence that falls into parts, each done in whole, in as few as there can be; `None` where that is not so,
    /// or where different orders come of as few. And whether any of them is not the grammar's.
    pub(super) fn parted(&self, words: &[Token], utterance: Utterance<'_>) -> Option<(Vec<Order>, bool)> {
        // What all others are, and what is meant instead, only the grammar can tell.
        let refused = words.iter().any(refuses);
        let of_all = |s: &Sense| matches!(s, Sense::Other | Sense::All | Sense::Each | Sense::WholeHome);
        let bound = |t: &Token| t.any(|s| binds(s) && !spares(s)) || refused && t.any(of_all);
        if words.iter().any(bound) {
            return None;
        }
        let cuts = cuts(words);
        let start =
            Way { orders: Vec::new(), thing: Vec::new(), mentioned: Vec::new(), spared: Vec::new(), guessed: false };
        // By cut: the ways to come there in the fewest parts so far.
        let mut reached: Vec<Option<Vec<Way>>> = vec![None; cuts.len()];
        reached[0] = Some(vec![start]);
        let mut front = vec![0];
        for _ in 0..MAX_PARTS {
            let mut new: Vec<(usize, Vec<Way>)> = Vec::new();
            for from in &front {
                let ways = reached[*from].clone().unwrap_or_default();
                for to in from + 1..cuts.len() {
                    if reached[to].is_some() {
                        continue;
                    }
                    let part = trim(&words[cuts[*from]..cuts[to]]);
                    let paused = |at: usize| at == 0 || at == words.len() || words[at - 1].has(&Sense::Punctuation);
                    let alone = paused(cuts[*from]) && paused(cuts[to]);
                    // 筒灯9|打开: a verb by itself is of what it stands beside.
                    if !paused(cuts[*from]) && part.iter().all(|t| t.any(|s| s.is_action() || *s == Sense::Particle)) {
                        continue;
                    }
                    let more: Vec<Way> =
                        ways.iter().filter_map(|way| self.go_on(way, part, alone, utterance)).collect();
                    if more.is_empty() {
                        continue;
                    }
                    match new.iter_mut().find(|(known, _)| *known == to) {
                        Some((_, known)) => known.extend(more),
                        None => new.push((to, more)),
                    }
                }
            }
            front.clear();
            for (to, mut ways) in new {
                ways.truncate(MAX_WAYS);
                reached[to] = Some(ways);
                front.push(to);
            }
            front.sort_unstable();
            if reached[cuts.len() - 1].is_some() || front.is_empty() {
                break;
            }
        }
        let ways = reached.pop()??;
        let guessed = ways.iter().any(|way| way.guessed);
        let spared: Vec<Spared> = ways.iter().flat_map(|way| way.spared.iter().cloned()).collect();
        let mut ways = ways.into_iter().map(|way| way.orders).filter(|orders| !orders.is_empty());
        let first = ways.next()?;
        let done = |orders: &[Order]| resolve(orders, &utterance.context);
        let outcome = done(&first);
        let spares = !spared.iter().any(|spared| spared.is_moved(&outcome, &utterance.context));
        let whole = is_whole(&outcome) && spares && !contradicts_itself(&first, &utterance.context);
        (whole && ways.all(|other| done(&other).instructs == outcome.instructs)).then_some((first, guessed))
    }

    /// A way with one more part.
    fn go_on(&self, way: &Way, part: &[Token], alone: bool, utterance: Utterance<'_>) -> Option<Way> {
        if part.is_empty() {
            return Some(way.clone());
        }
        if part.iter().any(refuses) && !(alone && part.iter().all(|t| !t.has(&Sense::Punctuation))) {
            return None;
        }
        match self.part(way, part, utterance)? {
            Part::Told(mut more) => {
                more.orders.splice(..0, way.orders.iter().cloned());
                more.spared.splice(..0, way.spared.iter().cloned());
                more.guessed |= way.guessed;
                Some(more)
            }
            Part::Refused(spared, thing) => {
                let mut same = way.clone();
                if !thing.is_empty() {
                    same.mentioned = spared.devices.iter().copied().map(Entity::Device).collect();
                    same.thing = thing;
                }
                same.spared.push(spared);
                Some(same)
            }
            Part::Comment => alone.then(|| way.clone()),
        }
    }

    /// What a part tells: of what it names, or of what was named before it.
    fn part(&self, way: &Way, part: &[Token], utterance: Utterance<'_>) -> Option<Part> {
        let named = part.iter().any(names_a_thing);
        // 开香薰机 where there is none is not said of what was named before.
        let goes_on = !named && !way.thing.is_empty() && !part.iter().any(Token::is_residue);
        let last = if goes_on { &way.mentioned } else { utterance.context.last };
        let context = Context { last, ..utterance.context };
        let told = |orders: Vec<Order>, guessed: bool| {
            let outcome = resolve(&orders, &context);
            // 护眼台灯亮度八十色温五千: what the thing before it does not have is no other lamp's.
            if goes_on && orders.iter().any(|o| sets_in_general(o, utterance)) && !way.moves(&outcome, &context) {
                return None;
            }
            let thing = if named { thing_of(part) } else { way.thing.clone() };
            let (mentioned, spared) = (outcome.mentioned.clone(), Vec::new());
            let way = is_whole(&outcome).then_some(Way { orders, thing, mentioned, spared, guessed });
            way.map(Part::Told)
        };
        let said = |thing: &[Token]| thing.iter().chain(part).map(|t| t.text.as_str()).collect::<String>();
        let read = |text: &str| {
            let parse = grammar::parse(text, &utterance.home.world.vocabulary, utterance.speaker);
            let sure = match &parse {
                Parse::Orders(orders) if orders.iter().all(|o| o.when.is_none() && !asks_it(o)) => Some(orders.clone()),
                _ => None,
            };
            let page = Page::default();
            let meant = interpret(text, parse, &page, &utterance.home.world, context.local, utterance.now_ms);
            (left(&meant, &context), sure)
        };
        if goes_on
            && let ("orders", Some(orders)) = read(&said(&way.thing))
            && let Some(part) = told(orders, false)
        {
            return Some(part);
        }
        let guessed = !part.iter().any(|t| t.has(&Sense::Punctuation));
        if part.iter().any(refuses) {
            let thing = thing_of(part);
            let spared = Spared::of(part, &thing, &way.mentioned, utterance)?;
            let thing = if spared.properties.is_empty() { Vec::new() } else { thing };
            return Some(Part::Refused(spared, thing));
        }
        match read(&said(&[])) {
            ("orders", Some(orders)) => told(orders, false),
            // Beside what shall stay as it is nothing is guessed.
            (left @ ("unsure" | "chatter"), _) if guessed && way.spared.is_empty() => {
                match self.likeliest(part, left, Utterance { context, ..utterance }) {
                    Some((orders, likely))
                        if enough(left, false).is_some_and(|least| likely >= least) && !orders.iter().any(asks_it) =>
                    {
                        told(orders, true)
                    }
                    None => Some(Part::Comment),
                    Some((_, likely)) if likely < COMMENT => Some(Part::Comment),
                    Some(_) => None,
                }
            }
            _ => None,
        }
    }
}

impl Way {
    /// Whether something is done to what it mentioned.
    fn moves(&self, outcome: &Outcome, context: &Context) -> bool {
        let home = context.world.home();
        let moved =
            |id: &str| home.device(id).is_some_and(|(device, _)| self.mentioned.contains(&Entity::Device(device)));
        outcome.instructs.iter().any(|instruct| moved(&instruct.id))
    }
}

/// Whether an order sets what things of many kinds have (色温, 音量), of nothing that it names.
fn sets_in_general(order: &Order, utterance: Utterance<'_>) -> bool {
    let properties = &utterance.home.world.lexicon().properties;
    let general = |p: usize| !properties[p].own && !properties[p].flag && properties[p].id != "portions";
    let unnamed = order.target == Target::Anything && order.scope.include.is_empty();
    unnamed && matches!(order.action, Action::Set { property: Some(property), .. } if general(property))
}

/// Where a part may begin: at the start, behind a pause, and before a word that names something or says what is done.
fn cuts(words: &[Token]) -> Vec<usize> {
    let named =
        |t: &Token| names_a_thing(t) || t.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_) | Sense::Room(_)));
    let acts = |t: &Token| t.any(Sense::is_action) && !named(t);
    // 取暖打开|换气关掉: whoever names a thing before what is done to it goes on so.
    let verb_first = words.iter().find(|t| named(t) || acts(t)).is_some_and(acts);
    let does = |at: usize| acts(&words[at]) && (verb_first || !named(&words[at - 1]));
    let begins =
        |at: usize| named(&words[at]) || does(at) || words[at].any(|s| matches!(s, Sense::Disposal | Sense::Sequence));
    let paused = |at: usize| words[at - 1].has(&Sense::Punctuation);
    // 卧室空调, 苍山房的空调: one thing.
    let of = |t: &Token| names_a_thing(t) || t.has(&Sense::Of);
    let inside = |at: usize| of(&words[at - 1]) && names_a_thing(&words[at]);
    // 它的童锁 is no part that begins with 的, or behind it.
    let linked = |at: usize| words[at].has(&Sense::Of) || words[at - 1].has(&Sense::Of);
    let may = |at: &usize| paused(*at) || begins(*at) && !inside(*at) && !linked(*at);
    let mut cuts: Vec<usize> = (1..words.len()).filter(may).collect();
    if cuts.len() > MAX_CUTS {
        cuts.retain(|at| paused(*at) || names_a_thing(&words[*at]));
    }
    if cuts.len() > MAX_CUTS {
        cuts.retain(|at| paused(*at));
    }
    cuts.truncate(MAX_CUTS);
    cuts.insert(0, 0);
    cuts.push(words.len());
    cuts
}

/// Whether all that was told is done, or is so already.
fn is_whole(outcome: &Outcome) -> bool {
    !outcome.instructs.is_empty() && outcome.undone.is_empty() && outcome.pending.is_none()
}

/// Whether one order sets what another one sets otherwise.
fn contradicts_itself(orders: &[Order], context: &Context) -> bool {
    let mut set: Vec<(String, String, serde_json::Value)> = Vec::new();
    for order in orders {
        for instruct in resolve(std::slice::from_ref(order), context).instructs {
            for (key, value) in instruct.state.into_iter().flatten() {
                if set.iter().any(|(id, k, known)| (id, k) == (&instruct.id, &key) && *known != value) {
                    return true;
                }
                set.push((instruct.id.clone(), key, value));
            }
        }
    }
    false
}

/// A part without the pauses at its ends.
fn trim(part: &[Token]) -> &[Token] {
    let says = |t: &Token| !t.has(&Sense::Punctuation);
    match (part.iter().position(says), part.iter().rposition(says)) {
        (Some(first), Some(last)) => &part[first..=last],
        _ => &[],
    }
}

/// The words that name the thing of a part.
fn thing_of(part: &[Token]) -> Vec<Token> {
    let first = part.iter().position(names_a_thing).unwrap_or_default();
    let last = part.iter().skip(first).take_while(|t| names_a_thing(t)).count();
    part[first..first + last].to_vec()
}

//! Predicates: `打开`, `调到二十六度`, `亮一点`, `制热`.

mod amount;

use super::super::action::{Action, Amount, unit_text};
use super::super::lexicon::{Effect, Extreme, Lexicon, PropertyId, Sense, Unit, VerbId};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal;
use super::word::verb;
pub(super) use amount::amount;
use amount::{HALF, amount_of_step};
pub(super) use amount::{property_of_extreme, property_of_unit};

/// A predicate as far as its own words go.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// What it does; a [`Action::Set`] whose value is still to come has none.
    pub core: Core,
    /// It also switches on (`开到26度`).
    pub opens: bool,
    /// It is complete: no object has to follow.
    pub closed: bool,
    /// It is a value without a verb.
    pub bare: bool,
}

/// The parts that a predicate can be made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Core {
    /// A plain verb.
    Verb(VerbId),
    /// A property gets a value.
    Set(Option<PropertyId>, Amount),
    /// `设置`, `为`: a property and a value are to come.
    SetOpen,
    /// A property changes.
    Step(Ways, Option<Amount>),
}

impl Predicate {
    fn new(core: Core) -> Self {
        let closed = matches!(core, Core::Set(..));
        Self { core, opens: false, closed, bare: false }
    }

    /// A verb by itself.
    pub fn plain(verb: VerbId) -> Self {
        Self::new(Core::Verb(verb))
    }

    /// The action, with the property that stands beside it.
    pub fn action(&self, property: Option<PropertyId>, lexicon: &Lexicon) -> Option<Action> {
        Some(match &self.core {
            Core::Verb(verb) => match property {
                Some(p) => Action::about(*verb, p, lexicon),
                None => Action::Verb(*verb),
            },
            Core::Set(own, to) => Action::Set { property: property.or(*own), to: to.clone() },
            Core::Step(ways, by) => {
                // 光线调暖: a direction that names its property says more than the property beside it.
                let own: Vec<_> = ways.iter().filter(|w| w.0.is_some()).copied().collect();
                let is_gear = |p: PropertyId| lexicon.properties[p].counts == Some(Unit::Gear);
                let measured =
                    |w: &(Option<PropertyId>, bool)| w.0.is_some_and(|p| !lexicon.properties[p].units.is_empty());
                let ways = match property {
                    Some(p) if own.iter().any(|w| w.0 == Some(p)) => {
                        own.into_iter().filter(|w| w.0 == Some(p)).collect()
                    }
                    // 座圈再热一档: gears are of what was named.
                    // 按摩椅的力度轻一点: what only this home has is no volume.
                    Some(p) if lexicon.properties[p].own && !lexicon.properties[p].flag => {
                        vec![(Some(p), way_of(p, ways, lexicon))]
                    }
                    // 座圈热一点 of what goes by gears
                    Some(p) if !own.is_empty() && is_gear(p) && own.iter().all(measured) => vec![(Some(p), own[0].1)],
                    Some(_) if !own.is_empty() && !matches!(by, Some(Amount::Number(_, Some(Unit::Gear)))) => own,
                    Some(p) => vec![(Some(p), ways.first().is_none_or(|w| w.1))],
                    None => ways.clone(),
                };
                Action::Step { ways, by: by.clone() }
            }
            Core::SetOpen => return None,
        })
    }
}

/// Which way a property of the home's own goes: 冷藏温度 that shall be 冷一点 goes down as warmth does, though light that is 冷 goes up.
fn way_of(property: PropertyId, ways: &[(Option<PropertyId>, bool)], lexicon: &Lexicon) -> bool {
    let entry = |p: PropertyId| &lexicon.properties[p];
    let fits = |of: PropertyId| {
        let unit = entry(of).units.iter().any(|unit| entry(property).units.contains(unit));
        let called = |word: &String| entry(property).words.iter().any(|own| own.contains(word.as_str()));
        unit || entry(of).words.iter().any(called)
    };
    let way = ways.iter().find(|way| way.0.is_some_and(fits)).or(ways.first());
    way.is_none_or(|way| way.1)
}

/// What stands before a predicate, as far as it decides what the predicate means.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context {
    /// A property was just named.
    pub property: bool,
    /// Something was named that the predicate is about.
    pub target: bool,
    /// `设置…` waits for its value.
    pub open_set: bool,
    /// A thing was just named of which a bare number means something.
    pub numbered: bool,
    /// A value was just said, and a pause.
    pub mends: bool,
    /// Nothing stands before it.
    pub first: bool,
}

/// Reads the predicate at a position and where it ends.
pub fn read(tokens: &[Token], at: usize, context: Context, vocabulary: &Vocabulary) -> Option<(Predicate, usize)> {
    let token = tokens.get(at)?;
    if let Some(found) = set(tokens, at, context, vocabulary) {
        return Some(found);
    }
    if let Some(found) = step(tokens, at, context, vocabulary) {
        return Some(found);
    }
    if let Some(verb) = verb(token) {
        return Some(verb_with_value(tokens, at, verb, context, vocabulary));
    }
    value(tokens, at, context, vocabulary)
}

/// Properties and the direction in which each changes.
pub type Ways = Vec<(Option<PropertyId>, bool)>;

/// Skips words without meaning between the parts of a predicate.
fn skip(tokens: &[Token], mut at: usize) -> usize {
    while tokens.get(at).is_some_and(|t| {
        (t.has(&Sense::Particle) || t.has(&Sense::Filler)) && !t.any(|s| matches!(s, Sense::Number(_) | Sense::Make))
    }) {
        at += 1;
    }
    at
}

/// `调到…`, `设置…为…`.
fn set(tokens: &[Token], at: usize, context: Context, vocabulary: &Vocabulary) -> Option<(Predicate, usize)> {
    let token = &tokens[at];
    let open = token.senses.iter().find_map(|s| if let Sense::Set { open } = s { Some(*open) } else { None });
    let link = token.has(&Sense::Link) && (context.property || context.open_set);
    let bare = token.has(&Sense::SetBare);
    if open.is_none() && !link && !bare {
        return None;
    }
    let after = skip(tokens, at + 1);
    // 调亮, 调高 are steps, 调到26度 is a value.
    if bare && open.is_none() && direction_at(tokens, after, true).is_some() {
        return None;
    }
    // 转强一格
    let graded = direction_at(tokens, after, true).and_then(|(_, end)| amount_of_step(tokens, end, vocabulary));
    if token.has(&Sense::Make)
        && (graded.is_some() || tokens.get(after).is_some_and(|t| graded_by_itself(t, vocabulary)))
    {
        return None;
    }
    // 切换到离家模式: with nothing to set, the scene itself is meant.
    let scene = tokens.get(after).is_some_and(|t| t.any(|s| matches!(s, Sense::Scene(_))));
    if scene && !context.target && !context.property {
        let run = vocabulary.lexicon.verb("run_scene")?;
        return Some((Predicate { core: Core::Verb(run), opens: false, closed: false, bare: false }, after));
    }
    // 换下一首: a verb that is also a value is the verb.
    let next = tokens
        .get(after)
        .filter(|t| bare && t.text.chars().count() > 2)
        .filter(|t| {
            let moves = |v: VerbId| vocabulary.lexicon.verbs[v].switches.is_none();
            t.any(|s| matches!(s, Sense::Choice(_))) || verb(t).is_some_and(moves)
        })
        .and_then(verb);
    if let Some(inner) = next {
        return Some((Predicate { core: Core::Verb(inner), opens: false, closed: true, bare: false }, after + 1));
    }
    // 窗帘留三成: what also leaves out sets nothing but shares.
    let leaves = token.has(&Sense::ExceptOpen);
    let set = amount(tokens, after, true, vocabulary);
    if let Some((amount, property, end)) = set.filter(|(to, ..)| !leaves || matches!(to, Amount::Percent(_))) {
        let mut predicate = Predicate::new(Core::Set(property, amount));
        predicate.opens = open == Some(true);
        return Some((predicate, end));
    }
    if leaves {
        return None;
    }
    if bare || link {
        return Some((Predicate::new(Core::SetOpen), at + 1));
    }
    // 调到静音, 切到下一首: the value is a verb.
    let inner = tokens.get(after).and_then(verb)?;
    Some((Predicate { core: Core::Verb(inner), opens: false, closed: true, bare: false }, after + 1))
}

/// The direction that a word (or a prefix and a word) gives: ways, and where it ends. `prefixed`: `调`, `再` stand before.
fn direction_at(tokens: &[Token], at: usize, prefixed: bool) -> Option<(Ways, usize)> {
    let token = tokens.get(at)?;
    let mut ways: Ways = Vec::new();
    for sense in &token.senses {
        match sense {
            Sense::Direction { property, up } => ways.push((Some(*property), *up)),
            Sense::Degree { up } if prefixed => ways.push((None, *up)),
            _ => {}
        }
    }
    (!ways.is_empty()).then_some((ways, at + 1))
}

/// `调高`, `亮一点`, `声音大一点`, `再暗些`.
fn step(tokens: &[Token], at: usize, context: Context, vocabulary: &Vocabulary) -> Option<(Predicate, usize)> {
    let token = &tokens[at];
    let plain = token.senses.iter().find_map(|s| if let Sense::Step { up } = s { Some(*up) } else { None });
    if let Some(up) = plain {
        let end = skip(tokens, at + 1);
        let (by, end) = amount_of_step(tokens, end, vocabulary).map_or((None, at + 1), |(by, end)| (Some(by), end));
        let closed = by.is_some();
        return Some((Predicate { core: Core::Step(vec![(None, up)], by), opens: false, closed, bare: false }, end));
    }
    let prefixed = token.has(&Sense::Make) || token.has(&Sense::SetBare) || token.has(&Sense::Little);
    if prefixed {
        let mut next = skip(tokens, at + 1);
        // 稍微再亮一点
        while tokens.get(next).is_some_and(|t| t.has(&Sense::Make) || t.has(&Sense::Little))
            && direction_at(tokens, next, true).is_none()
        {
            next = skip(tokens, next + 1);
        }
        if let Some((ways, end)) = direction_at(tokens, next, true) {
            if let Some(set) = set_by_direction(tokens, &ways, end, vocabulary) {
                return Some(set);
            }
            let after = skip(tokens, end);
            // 点暖七: of nothing that was named a bare number is no step.
            let of = context.property || context.target;
            let by = amount_of_step(tokens, after, vocabulary)
                .filter(|(by, _)| of || !matches!(by, Amount::Number(_, None)));
            let (by, end) = by.map_or((None, end), |(by, end)| (Some(by), end));
            return Some((Predicate { core: Core::Step(ways, by), opens: false, closed: true, bare: false }, end));
        }
        return None;
    }
    // 亮一点, 大声点: the direction needs 一点, 声音大: the property, to be a wish and no description.
    let (ways, end) = direction_at(tokens, at, true)?;
    if let Some(set) = set_by_direction(tokens, &ways, end, vocabulary) {
        return Some(set);
    }
    // 电暖七: a bare number after an adjective is none of its degrees.
    let measured = |by: &Amount| context.property || !matches!(by, Amount::Number(_, None));
    let (by, end) = match amount_of_step(tokens, end, vocabulary).filter(|(by, _)| measured(by)) {
        Some((by, end)) => (Some(by), end),
        // 风速高: that value where the device has it, else a step.
        // 小点声 says how much by itself.
        None if graded_by_itself(&tokens[at], vocabulary) => (Some(Amount::Little), end),
        None if context.property && ways.iter().all(|w| w.0.is_none()) => {
            (Some(Amount::Word(tokens[at].text.clone())), end)
        }
        None if context.property => (None, end),
        None => return None,
    };
    Some((Predicate { core: Core::Step(ways, by), opens: false, closed: true, bare: false }, end))
}

/// `小点声` says how much by itself.
fn graded_by_itself(token: &Token, vocabulary: &Vocabulary) -> bool {
    let directed = token.any(|s| matches!(s, Sense::Direction { .. }));
    directed
        && token.text.chars().count() > 2
        && vocabulary.lexicon.little.iter().any(|w| token.text.contains(w.as_str()))
}

/// `暗到四十`: the direction leads to a value.
fn set_by_direction(tokens: &[Token], ways: &Ways, at: usize, vocabulary: &Vocabulary) -> Option<(Predicate, usize)> {
    tokens.get(at).filter(|t| t.has(&Sense::Link))?;
    let (amount, own, end) = amount(tokens, at + 1, true, vocabulary)?;
    let property = own.or(ways.first().and_then(|w| w.0));
    Some((Predicate::new(Core::Set(property, amount)), end))
}

/// A value without a verb: `26度`, `最大`, `制热模式`.
fn value(tokens: &[Token], at: usize, context: Context, vocabulary: &Vocabulary) -> Option<(Predicate, usize)> {
    let said = context.property || context.open_set;
    let (amount, property, end) = amount(tokens, at, said, vocabulary)?;
    let unit = matches!(amount, Amount::Number(_, Some(_)) | Amount::Percent(_) | Amount::Extreme(_));
    let bare = matches!(amount, Amount::Number(_, None));
    let word = matches!(amount, Amount::Word(_) | Amount::Kelvin(..));
    let time = matches!(amount, Amount::Number(_, Some(Unit::Minute | Unit::Hour | Unit::Second)));
    // 地暖二十三: a number at the end, after the thing whose number it is.
    let closes = |t: &Token| t.has(&Sense::Punctuation) || t.has(&Sense::Particle);
    // 五十五就行
    let enough = context.mends && ends_with_fillers(tokens, end);
    let said = said || (bare && (context.numbered || context.mends) && (enough || tokens.get(end).is_none_or(closes)));
    if time || (bare && !said) || !(unit || bare || word) {
        return None;
    }
    // 降温 in the middle of a sentence that names no device is any word; alone it is a wish.
    let loose = word && !said && !context.target && property.is_none();
    let small = |t: &Token| t.has(&Sense::Punctuation) || t.has(&Sense::Particle) || t.has(&Sense::Filler);
    let alone = context.first && tokens.get(end).is_none_or(small);
    if loose && (!alone || tokens[at].text.chars().count() < 2) {
        return None;
    }
    let mut predicate = Predicate::new(Core::Set(property, amount));
    predicate.bare = true;
    Some((predicate, end))
}

/// Whether nothing but words without meaning follows in the clause.
fn ends_with_fillers(tokens: &[Token], at: usize) -> bool {
    let mut rest = tokens[at..].iter().take_while(|t| !t.has(&Sense::Punctuation));
    rest.all(|t| t.any(|s| matches!(s, Sense::Filler | Sense::Particle)))
}

/// `打开`, and `开一半`, `开26度`, `打开制冷模式`.
fn verb_with_value(
    tokens: &[Token],
    at: usize,
    verb: VerbId,
    context: Context,
    vocabulary: &Vocabulary,
) -> (Predicate, usize) {
    let plain = Predicate { core: Core::Verb(verb), opens: false, closed: false, bare: false };
    let after = skip(tokens, at + 1);
    let end = if after > at + 1 { after } else { at + 1 };
    let switches_on = vocabulary.lexicon.verbs[verb].does.first().is_some_and(|e| matches!(e, Effect::Flag(_, true)));
    let opposite_word = tokens.get(after).is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_))));
    let feature = tokens.get(after).is_some_and(|t| t.any(|s| matches!(s, Sense::Feature(_))));
    // 窗帘关一半: half closed is half open.
    let closes = vocabulary.lexicon.verb("off") == Some(verb);
    if closes
        && let Some(Sense::Fraction(HALF)) =
            tokens.get(after).and_then(|t| t.senses.iter().find(|s| matches!(s, Sense::Fraction(_))))
    {
        return (Predicate::new(Core::Set(None, Amount::Percent(50.0))), after + 1);
    }
    // 窗帘再打开一点, 再关上一点: what is named, or was spoken of, goes so far that way.
    let is = |id: &str| vocabulary.lexicon.verb(id) == Some(verb);
    let (opens, shuts) = (is("on") || is("raise"), closes || is("lower"));
    let little = tokens.get(after).filter(|t| t.has(&Sense::Little) && t.text.chars().count() > 1);
    if (opens || shuts)
        && little.is_some()
        && tokens.get(after + 1).is_none_or(|t| t.has(&Sense::Punctuation) || t.has(&Sense::Particle))
    {
        let core = Core::Step(vec![(None, opens)], Some(Amount::Little));
        return (Predicate { core, opens: false, closed: true, bare: false }, after + 1);
    }
    if !switches_on || opposite_word || feature || tokens.get(after).is_some_and(Token::is_entity) {
        return (plain, end);
    }
    let counted = nominal::read(tokens, after, vocabulary).is_some_and(|(n, _)| n.count.is_some() || n.head.is_some());
    if counted {
        return (plain, end);
    }
    // 空调打开二十六: of a thing that has one number, a number at the end is that.
    let closes = |t: &Token| t.has(&Sense::Punctuation) || t.has(&Sense::Particle);
    let its = |end: usize| (context.numbered || context.target) && tokens.get(end).is_none_or(closes);
    match amount(tokens, after, false, vocabulary) {
        None => (plain, end),
        Some((Amount::Number(_, None), _, end_of_number)) if !its(end_of_number) => (plain, end),
        Some((Amount::Number(_, Some(Unit::Minute | Unit::Hour | Unit::Second)), ..)) => (plain, end),
        Some((value, property, end)) => {
            let mut predicate = Predicate::new(Core::Set(property, value));
            predicate.opens = true;
            (predicate, end)
        }
    }
}

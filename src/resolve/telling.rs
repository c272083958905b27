//! What is done to something, in words: a sentence with a place for whatever it is done to.

use super::Context;
use super::plan::{Act, switches};
use super::reply::Replies;
use crate::language::action::{Action, Amount};
use crate::language::lexicon::{Implied, PropertyId, Unit};
use crate::language::protocol::write_amount;

/// Where the name of the thing belongs.
const WHAT: &str = "{what}";

/// What is done, as it is said of a thing by its name (`把{what}的亮度调到50%`), and of one that has just been named
/// (`亮度调到50%`).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase {
    /// With a place for the name.
    pub(super) whole: String,
    /// Without.
    pub(super) then: String,
    /// That it is so already, with a place for the name and one for whether several are.
    pub(super) rest: String,
}

impl Phrase {
    fn new(replies: &Replies, key: &str, values: &[(&str, &str)]) -> Self {
        let rest = match key {
            "switch" => "rest_switch",
            "set" | "become_of" => "rest_property",
            // 灯暗一点再亮一点
            "raise" | "lower" | "raise_bare" | "lower_bare" => "rest_step",
            _ => "rest_value",
        };
        Self {
            whole: replies.say(key, values),
            then: replies.say(&format!("then_{key}"), values),
            rest: replies.say(rest, values),
        }
    }
}

/// The sentence with a name in its place. Only the first place is one: a name may look like another.
pub(super) fn of(whole: &str, what: &str) -> String {
    whole.replacen(WHAT, what, 1)
}

/// `打开大门锁和书房门锁，打开燃气阀`: nothing that would move goes unnamed. Each part is a sentence with a place for the names.
pub(super) fn actions(parts: &[(String, Vec<String>)], replies: &Replies) -> String {
    let said = parts.iter().map(|(action, names)| of(action, &names.join(replies.word("and"))));
    said.collect::<Vec<_>>().join(replies.word("pause"))
}

/// That it is so already.
pub(super) fn resting(rest: &str, what: &str, several: bool, replies: &Replies) -> String {
    of(rest, what).replacen("{all}", if several { replies.word("all") } else { "" }, 1)
}

/// What an action does as a device has understood it.
pub(super) fn phrase(action: &Action, act: &Act, context: &Context) -> Phrase {
    let (lexicon, replies) = (context.world.lexicon(), context.replies);
    match action {
        Action::Verb(verb) => {
            let verb = &lexicon.verbs[*verb];
            let rest = match (&verb.rest, verb.state.first()) {
                (Some(rest), _) => replies.say("rest_verb", &[("rest", rest)]),
                (None, state) => replies.say("rest_state", &[("state", state.unwrap_or(&verb.words[0]))]),
            };
            Phrase { whole: verb.told.clone(), then: verb.words[0].clone(), rest }
        }
        Action::Set { property, to } => set(act.property.or(*property), to, act, context),
        Action::Step { ways, .. } => {
            let (property, up) = ways.first().copied().unwrap_or((None, true));
            let property = act.property.or(property);
            match &act.value {
                Some(value) => valued(property, act, value, has_digit(value), context),
                None => {
                    let name = property.map_or("", |p| name_of(p, act, context));
                    let key = match (up, name.is_empty()) {
                        (true, false) => "raise",
                        (false, false) => "lower",
                        (true, true) => "raise_bare",
                        (false, true) => "lower_bare",
                    };
                    Phrase::new(replies, key, &[("property", name)])
                }
            }
        }
        Action::Ask(_) | Action::When(_) | Action::OrWhen(_) | Action::Unclear(_) => {
            Phrase { whole: WHAT.to_owned(), then: String::new(), rest: WHAT.to_owned() }
        }
    }
}

/// The same of an order that nothing has been made of yet.
pub(super) fn intended(action: &Action, context: &Context) -> Phrase {
    phrase(action, &Act::default(), context)
}

/// What a property is called where it is told of: as the device calls it.
fn name_of<'a>(property: PropertyId, act: &'a Act, context: &'a Context) -> &'a str {
    let usual = context.world.lexicon().properties[property].words[0].as_str();
    // What does two things at once is called after neither.
    act.named.as_deref().filter(|_| act.property == Some(property) && act.state.len() == 1).unwrap_or(usual)
}

fn set(property: Option<PropertyId>, to: &Amount, act: &Act, context: &Context) -> Phrase {
    let (lexicon, value) = (context.world.lexicon(), act.value.as_deref());
    if let (Some(property), Amount::Word(word)) = (property, to)
        && let Some(on) = switches(word, lexicon)
        // 睡眠模式打开, of what has it as one of its modes.
        && value.is_none_or(|value| switches(value, lexicon).is_some())
    {
        let verb = lexicon.verb(if on { "on" } else { "off" }).map(|v| &lexicon.verbs[v]);
        let (action, state) = verb.map_or(("", ""), |v| (v.words[0].as_str(), v.state.first().map_or("", |s| s)));
        let property = name_of(property, act, context);
        let values = [("action", action), ("property", property), ("state", state)];
        return Phrase::new(context.replies, "switch", &values);
    }
    // A gear that was said is a gear, whatever its number counts in that home.
    let gear = matches!(to, Amount::Number(_, Some(Unit::Gear)));
    let value = value.filter(|_| !gear).map_or_else(|| spoken_amount(to, context), str::to_owned);
    let number = !matches!(to, Amount::Word(_) | Amount::Kelvin(..));
    valued(property, act, &value, number, context)
}

/// An amount as it was said.
fn spoken_amount(to: &Amount, context: &Context) -> String {
    match to {
        Amount::Number(number, Some(Unit::Celsius)) => format!("{number}{}", context.replies.word("degrees")),
        Amount::Number(number, Some(Unit::Portion)) => format!("{number}{}", context.replies.word("portions")),
        _ => write_amount(to, context.world.lexicon()),
    }
}

/// A property gets a value. Where the value says what it is (25度, 制冷), the property is not named.
fn valued(property: Option<PropertyId>, act: &Act, value: &str, number: bool, context: &Context) -> Phrase {
    let Some((id, property)) = property.map(|p| (p, &context.world.lexicon().properties[p])) else {
        return Phrase::new(context.replies, if number { "set_bare" } else { "become" }, &[("value", value)]);
    };
    let (usual, name) = (property.words[0].as_str(), name_of(id, act, context));
    if number {
        // 座圈温度调到3: a bare number does not say of what it is.
        let bare = value.chars().all(|c| c.is_ascii_digit()) && name != usual;
        let key = if property.implied.contains(&Implied::Number) && !bare { "set_bare" } else { "set" };
        return Phrase::new(context.replies, key, &[("property", name), ("value", value)]);
    }
    if property.implied.contains(&Implied::Suffixed) {
        let suffixed = if value.ends_with(usual) { value.to_owned() } else { format!("{value}{usual}") };
        return Phrase::new(context.replies, "become", &[("value", &suffixed)]);
    }
    let key = if property.implied.contains(&Implied::Word) { "become" } else { "become_of" };
    Phrase::new(context.replies, key, &[("property", name), ("value", value)])
}

/// What an action takes of a device, for one that does not have it: 打开, 调温度, 制冷.
pub(super) fn ability(action: &Action, context: &Context) -> String {
    let lexicon = context.world.lexicon();
    let adjust = |property: PropertyId| {
        context.replies.say("adjust", &[("property", lexicon.properties[property].words[0].as_str())])
    };
    match action {
        Action::Set { property: Some(property), to: Amount::Word(word) } if switches(word, lexicon).is_some() => {
            lexicon.properties[*property].words[0].clone()
        }
        Action::Set { property: Some(property), .. } => adjust(*property),
        Action::Set { property: None, to } => {
            let key = if matches!(to, Amount::Word(_) | Amount::Kelvin(..)) { "then_become" } else { "then_set_bare" };
            context.replies.say(key, &[("value", &spoken_amount(to, context))])
        }
        Action::Step { ways, .. } => ways.iter().find_map(|(p, _)| *p).map_or_else(|| adjust_any(context), adjust),
        Action::Verb(verb) => lexicon.verbs[*verb].words[0].clone(),
        Action::Ask(_) | Action::When(_) | Action::OrWhen(_) | Action::Unclear(_) => String::new(),
    }
}

fn adjust_any(context: &Context) -> String {
    context.replies.say("adjust", &[("property", "")])
}

fn has_digit(value: &str) -> bool {
    value.chars().any(|c| c.is_ascii_digit())
}

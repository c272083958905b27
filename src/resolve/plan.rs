//! Value mapping: what an action means for one device in its present state.

mod flag;
mod value;

use serde_json::Value;

use super::reply;
use super::value::{MAX_GEARS, counted, gears, in_own_unit, is_share, number, said, to_percent, unit_fits, with_unit};
use crate::frame::CommandCall;
use crate::home::{Choice, Device, Domain, State};
use crate::language::action::{Action, Amount};
use crate::language::command::Type;
use crate::language::lexicon::{Effect, Extreme, Lexicon, PropertyId, Sense, Unit, VerbId};
use crate::language::meaning::{Ability, DeviceSense, Source, parts};
use crate::language::protocol::write_amount;
use crate::language::vocabulary::spoken_value as spoken;
use crate::text::is_han;

/// How hot what heats water makes it at the most, in degrees.
const WATER_C: std::ops::RangeInclusive<f64> = 40.0..=100.0;

/// What one device does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Act {
    /// Values it gets; empty for a command.
    pub state: State,
    /// The command it runs.
    pub command: Option<CommandCall>,
    /// The property it is about, for the reply.
    pub property: Option<PropertyId>,
    /// What the device itself calls that property, where it says so.
    pub named: Option<String>,
    /// The value in words, for the reply.
    pub value: Option<String>,
    /// A step ended at the bound of the range.
    pub at_bound: bool,
}

/// Why a device does not do it.
#[derive(Clone, Debug, PartialEq)]
pub enum Cannot {
    /// It has no such ability.
    Ability,
    /// The value lies outside the range of what is set.
    Range(Source),
    /// The unit does not fit what is set (`空调调到50%`).
    Unit(Source),
    /// A relative step without a known present value.
    UnknownState,
}

/// A device to which an action is applied.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The device.
    pub device: &'a Device,
    /// What is known about it.
    pub sense: &'a DeviceSense,
    /// Its present state.
    pub state: &'a State,
    /// The language.
    pub lexicon: &'a Lexicon,
}

impl Subject<'_> {
    /// What the action means for the device.
    ///
    /// # Errors
    /// Why it means nothing.
    pub fn plan(&self, action: &Action) -> Result<Act, Cannot> {
        match action {
            Action::Verb(verb) => self.verb(*verb).ok_or(Cannot::Ability),
            Action::Set { property, to } => self.set(*property, to),
            Action::Step { ways, by } => self.step(ways, by.as_ref()),
            Action::Ask(_) | Action::When(_) | Action::OrWhen(_) | Action::Unclear(_) => Err(Cannot::Ability),
        }
    }

    /// Whether the device has the ability at all, whatever the value.
    pub fn able(&self, action: &Action) -> bool {
        !matches!(self.plan(action), Err(Cannot::Ability)) || !self.by_parts(action).is_empty()
    }

    pub(super) fn act(&self, ability: &Ability, value: Value, words: Option<String>) -> Act {
        let mut act = Act { property: ability.property, value: words, ..Act::default() };
        match ability.source {
            Source::Property(i) => {
                act.state.insert(self.device.properties[i].id.clone(), value);
                let own = parts(&self.device.properties[i].describe).next().map(reply::spoken);
                act.named = own.filter(|name| name.chars().all(is_han));
            }
            Source::Command(i) => {
                let command = &self.device.commands[i];
                let argument = command.argument.is_some().then_some(value);
                act.command = Some(CommandCall { id: command.id.clone(), argument });
            }
        }
        act
    }

    pub(super) fn writable(&self) -> impl Iterator<Item = &Ability> {
        self.sense.abilities.iter().filter(|a| a.writable)
    }

    pub(super) fn about(&self, property: PropertyId) -> Option<&Ability> {
        self.sense.about(property).filter(|a| a.writable)
    }

    /// The same for more, less and numbers: 声音 of what has a 音量 as well is what it plays, and not how loud.
    pub(super) fn counted_about(&self, property: PropertyId) -> Option<&Ability> {
        let counts = |a: &&Ability| a.property == Some(property) && matches!(a.domain, Some(Domain::Number { .. }));
        self.writable().find(counts).or_else(|| self.about(property))
    }

    pub(super) fn does(&self, verb: VerbId) -> Option<Act> {
        if let Some(lifted) = self.lifted(verb) {
            return self.verb(lifted);
        }
        let commands = || self.writable().filter(|a| a.verb.is_some());
        if let Some(ability) = commands().find(|a| a.verb == Some(verb)) {
            return Some(self.act(ability, Value::Null, None));
        }
        self.lexicon.verbs[verb].does.iter().find_map(|effect| {
            let same = |a: &&Ability| {
                a.verb.is_some_and(|v| self.lexicon.verbs[v].does.first().is_some_and(|first| first == effect))
            };
            let halts = matches!(effect, Effect::Choice(choice) if self.halts(verb, *choice));
            // Closing what opens is no way to stop it.
            let closes = ["halt", "stop"].contains(&self.lexicon.verbs[verb].id.as_str())
                && matches!(effect, Effect::Flag(_, false))
                && self.opens();
            if halts && self.opens() || closes {
                return None;
            }
            if let Some(ability) = commands().find(same) {
                return Some(self.act(ability, Value::Null, None));
            }
            match effect {
                Effect::Flag(property, value) => self.flag(*property, *value),
                Effect::Choice(choice) if self.halts(verb, *choice) => None,
                // 速冷启用 of a refrigerator opens nothing: the one value of a feature is no value of the device.
                Effect::Choice(choice) => self.writable().find_map(|ability| {
                    let Some(Domain::Enum(list)) = ability.domain.as_ref().filter(|_| !ability.is_switch()) else {
                        return None;
                    };
                    let meant = ability.choices.iter().position(|meanings| meanings.contains(choice));
                    if self.stops_only_a_part(verb, ability) {
                        return None;
                    }
                    let at = meant.or_else(|| list.iter().position(|c| self.is_everywhere(*choice, &c.describe)))?;
                    Some(self.act(ability, list[at].value.clone(), None))
                }),
                Effect::End(property, extreme) => {
                    // 百叶帘放下, of which opening and closing are two commands.
                    let ends = self.lexicon.properties[*property].id == "position"
                        && (self.about(*property).is_some() || self.is_blind());
                    let switch = self.lexicon.verb(if *extreme == Extreme::Max { "on" } else { "off" });
                    if let Some(ability) = commands().find(|a| ends && a.verb == switch) {
                        return Some(self.act(ability, Value::Null, None));
                    }
                    let ability = self.about(*property)?;
                    let value = self.extreme(ability, *extreme)?;
                    Some(self.act(ability, value, None))
                }
                Effect::Nudge(property, up) => {
                    let ability = self.about(*property)?;
                    self.step_number(ability, *up, Some(&Amount::Number(1.0, None))).ok()
                }
            }
        })
    }

    fn is_blind(&self) -> bool {
        self.sense.kinds.iter().any(|kind| self.lexicon.kinds[*kind].kind == Type::Blind)
    }

    fn set(&self, property: Option<PropertyId>, to: &Amount) -> Result<Act, Cannot> {
        if let Amount::Kelvin(kelvin, word) = to {
            return self.set_kelvin(*kelvin, word);
        }
        if let (None, Amount::Word(word)) = (property, to) {
            let by_word = self.writable().find_map(|a| Some((a, self.choice(a, word)?)));
            if let Some((ability, choice)) = by_word {
                return Ok(self.act(ability, choice.value.clone(), Some(said(choice, word))));
            }
            // 换下一个频道, of a television that has a command for it.
            let done = |a: &&Ability| a.verb.is_some_and(|v| self.lexicon.verbs[v].words.iter().any(|w| w == word));
            let doing = || self.sense.abilities.iter().find(done).map(|a| self.act(a, Value::Null, None));
            if let Some(counted) = self.counted_word(word) {
                return self.set(None, &counted);
            }
            let graded = || self.graded(word);
            return self.feature_called(word).or_else(doing).or_else(graded).ok_or(Cannot::Ability);
        }
        if let (Some(property), Amount::Word(word)) = (property, to)
            && let Some(act) = self.switched(property, word)
        {
            return Ok(act);
        }
        let ability = match property {
            Some(property) => {
                // A device with a command for each value has several abilities about the same property.
                let says = |a: &&Ability| match to {
                    Amount::Word(word) => a.property == Some(property) && self.choice(a, word).is_some(),
                    _ => false,
                };
                // 睡眠模式: any choice of that name may be called a mode.
                let mode = self.lexicon.properties[property].id == "mode";
                let called = |a: &&Ability| matches!(to, Amount::Word(word) if self.choice(a, word).is_some());
                let saying = self.writable().find(says).or_else(|| self.writable().find(|a| mode && called(a)));
                let sort = || self.sort_called(property, to);
                let about = || match to {
                    Amount::Word(_) => self.about(property),
                    _ => self.counted_about(property),
                };
                saying.or_else(sort).or_else(about).or_else(|| self.instead_of(property))
            }
            None => self.principal(to),
        };
        // 出一份粮 of what gives one portion at a time.
        if ability.is_none()
            && property.is_some_and(|p| Some(p) == self.lexicon.property("portions"))
            && matches!(to, Amount::Number(count, _) if *count == 1.0)
            && let Some(act) = self.lexicon.verb("feed").and_then(|feed| self.verb(feed))
        {
            return Ok(act);
        }
        let ability = ability.ok_or(Cannot::Ability)?;
        let value = self.value(ability, to)?;
        let words = match (&ability.domain, to) {
            (Some(Domain::Enum(list)), _) => {
                list.iter().find(|c| c.value == value).map(|c| said(c, &write_amount(to, self.lexicon)))
            }
            (_, Amount::Word(word)) => Some(word.clone()),
            _ => Some(with_unit(&value, ability, self.lexicon)),
        };
        Ok(self.act(ability, value, words))
    }

    /// A feature that has the name of a value: 睡眠 where the device knows a sleep mode by a switch of its own.
    fn feature_called(&self, word: &str) -> Option<Act> {
        let word = crate::text::normalize(word);
        let on = self.lexicon.verb("on").map(|v| self.lexicon.verbs[v].words[0].as_str())?;
        let named = |a: &&Ability| a.property.is_some_and(|p| self.lexicon.is_feature_called(p, &word));
        let ability = self.writable().find(named)?;
        let itself = || match ability.domain {
            Some(Domain::Bool) => Some(self.act(ability, Value::Bool(true), Some(on.to_owned()))),
            _ => None,
        };
        self.switched(ability.property?, on).or_else(itself)
    }

    /// What a word that switches makes of a feature; of all that one word stands for (摆风: both ways). `None` where that is
    /// decided by the ability alone.
    fn switched(&self, property: PropertyId, word: &str) -> Option<Act> {
        let entry = &self.lexicon.properties[property];
        let on = switches(word, self.lexicon);
        if on == Some(false) && entry.flag && !entry.own {
            let ability = self.writable().find(|a| a.property == Some(property));
            if ability.is_some_and(|a| matches!(a.domain, Some(Domain::Enum(_))) && self.choice(a, word).is_none()) {
                return self.flag(property, false);
            }
        }
        let ability = self.writable().find(|a| a.property == Some(property));
        if ability.is_none() && !entry.covers.is_empty() {
            return self.covered(property, on?, Some(word));
        }
        // 上下摆风 of an air conditioner whose 摆风模式 is one of several ways.
        if ability.is_none() && entry.flag && !entry.own && on == Some(true) {
            let all = self.lexicon.properties.iter().filter(|p| p.covers.contains(&property)).chain([entry]);
            let words: Vec<&str> = all.flat_map(|p| &p.words).map(String::as_str).collect();
            let called = |a: &&Ability| {
                a.property.is_some_and(|p| {
                    self.lexicon.properties[p].words.iter().any(|own| words.iter().any(|word| own.contains(word)))
                })
            };
            for ability in self.writable().filter(called) {
                let Some(Domain::Enum(list)) = &ability.domain else { continue };
                let told =
                    |c: &&Choice| !c.describe.is_empty() && entry.words.iter().any(|w| w.starts_with(&c.describe));
                if let Some(choice) = list.iter().find(told) {
                    return Some(self.act(ability, choice.value.clone(), Some(choice.describe.clone())));
                }
            }
        }
        // 打开制冷 of an air conditioner that has it as a mode, in a home where another device has it as a switch.
        if ability.is_none() && entry.own && entry.flag && on == Some(true) {
            let by_word = self.writable().find_map(|a| Some((a, self.choice(a, &entry.words[0])?)));
            return by_word.map(|(a, choice)| self.act(a, choice.value.clone(), Some(said(choice, &entry.words[0]))));
        }
        None
    }

    /// A gear and a speed are often the same thing; a gear is brightness for a lamp only.
    pub(super) fn instead_of(&self, property: PropertyId) -> Option<&Ability> {
        let id = |p: PropertyId| self.lexicon.properties[p].id.as_str();
        let usual = || {
            let kinds = &self.sense.kinds;
            kinds.is_empty() || kinds.iter().any(|k| self.lexicon.kinds[*k].number == Some(property))
        };
        let other = match id(property) {
            "brightness" | "position" | "volume" if usual() => "level",
            // 水壶水温八十: what heats water has one temperature.
            "water_temperature" if self.heats_water() => "temperature",
            _ => return self.about(also_called(property, self.lexicon)?),
        };
        self.about(self.lexicon.property(other)?)
    }

    /// Whether its temperature is that of water: no room is as hot, and no oven ends there.
    fn heats_water(&self) -> bool {
        let hottest = self.about_id("temperature").and_then(|a| match a.domain {
            Some(Domain::Number { max, .. }) => max,
            _ => None,
        });
        hottest.is_some_and(|max| WATER_C.contains(&max))
    }

    pub(super) fn about_id(&self, id: &str) -> Option<&Ability> {
        self.about(self.lexicon.property(id)?)
    }

    /// The property that a bare number means for this device.
    pub(super) fn principal(&self, to: &Amount) -> Option<&Ability> {
        if let Amount::Number(_, Some(Unit::Gear)) = to {
            let gears = ["speed", "level", "mode"];
            return gears.iter().find_map(|id| self.about(self.lexicon.property(id)?)).or_else(|| self.counted());
        }
        let of_kind = self.sense.kinds.iter().find_map(|k| {
            let number = self.lexicon.kinds[*k].number?;
            self.about(number).or_else(|| self.instead_of(number))
        });
        of_kind.or_else(|| {
            let mut numbers = self.writable().filter(|a| matches!(a.domain, Some(Domain::Number { .. })));
            let first = numbers.next()?;
            numbers.next().is_none().then_some(first)
        })
    }

    /// The one thing that the device counts in gears: 香薰机打到三档.
    fn counted(&self) -> Option<&Ability> {
        let gear = |a: &&Ability| {
            let number = matches!(a.domain, Some(Domain::Number { .. })) && a.unit.is_some();
            number && unit_fits(Some(Unit::Gear), a, self.lexicon)
        };
        let mut counted = self.writable().filter(gear);
        counted.next().filter(|_| counted.next().is_none())
    }

    /// A colour temperature by word: a number in kelvin, or a colour of that name.
    fn set_kelvin(&self, kelvin: u32, word: &str) -> Result<Act, Cannot> {
        let property = self.lexicon.property("color_temperature");
        if let Some(ability) = property.and_then(|p| self.about(p))
            && let Some(Domain::Number { min, max, .. }) = ability.domain
        {
            let value = f64::from(kelvin).clamp(min.unwrap_or(f64::MIN), max.unwrap_or(f64::MAX));
            return Ok(self.act(ability, number(value, true), Some(word.to_owned())));
        }
        let by_word = self.writable().find_map(|a| Some((a, self.choice(a, word)?)));
        let (ability, choice) = by_word.ok_or(Cannot::Ability)?;
        Ok(self.act(ability, choice.value.clone(), Some(word.to_owned())))
    }
}

/// The property that is often called by the same word.
pub(super) fn also_called(property: PropertyId, lexicon: &Lexicon) -> Option<PropertyId> {
    let other = match lexicon.properties[property].id.as_str() {
        "suction" | "level" => "speed",
        "speed" => "level",
        "mode" => "program",
        _ => return None,
    };
    lexicon.property(other)
}

/// Whether a word switches something on or off, said by the verbs that do.
pub(super) fn switches(word: &str, lexicon: &Lexicon) -> Option<bool> {
    let verb = lexicon.verbs.iter().find(|v| v.words.iter().chain(&v.state).any(|w| w == word))?;
    verb.does.iter().find_map(|e| if let Effect::Flag(_, value) = e { Some(*value) } else { None })
}

//! Relative steps: how far, from where, and where they end.

use serde_json::Value;

use super::plan::{Act, Cannot, Subject};
use super::value::{gears, number, said, unit_fits, with_unit};
use crate::home::Domain;
use crate::language::action::Amount;
use crate::language::command::Type;
use crate::language::lexicon::{PropertyId, Sense, Unit, VerbId};
use crate::language::meaning::{Ability, Source};

impl Subject<'_> {
    /// To stop what moves is not to close it.
    pub(super) fn halts(&self, verb: VerbId, choice: usize) -> bool {
        let id = |choice: usize| self.lexicon.choices[choice].id.as_str();
        let moved = |a: &Ability| {
            let verb = a.verb.map(|v| self.lexicon.verbs[v].id.as_str());
            verb.is_some_and(|verb| ["on", "raise", "lower"].contains(&verb)) && self.opens()
        };
        let moves = |a: &Ability| a.choices.iter().flatten().any(|c| ["open", "up", "down"].contains(&id(*c)));
        self.lexicon.verbs[verb].id == "off" && id(choice) == "stop" && self.writable().any(|a| moves(a) || moved(a))
    }

    /// `鱼缸关了`: among several switches, what can stop and not start is none for the whole of it.
    pub(super) fn stops_only_a_part(&self, verb: VerbId, ability: &Ability) -> bool {
        let id = |choice: usize| self.lexicon.choices[choice].id.as_str();
        let begins = |meanings: &Vec<usize>| {
            let known = |choice: &usize| !["stop", "pause", "cancel", "resume", "close"].contains(&id(*choice));
            meanings.iter().any(known)
        };
        let switches = self.writable().filter(|a| a.domain == Some(Domain::Bool)).count();
        self.lexicon.verbs[verb].id == "off"
            && switches > 1
            && self.about_id("power").is_none()
            && !ability.choices.iter().any(begins)
    }

    /// What opens and closes, and is not stopped by closing it: 车库门停一下.
    pub(super) fn opens(&self) -> bool {
        let position = self.lexicon.property("position");
        self.sense.kinds.iter().map(|kind| &self.lexicon.kinds[*kind]).any(|kind| {
            kind.kind == Type::Blind || position.is_some() && kind.number == position || kind.risky && !kind.cooks
        })
    }

    /// What is said for raising and lowering what is lifted: 百叶帘拉起来 (a curtain is drawn to); 幕布收了 (a screen is
    /// down when it is open).
    pub(super) fn lifted(&self, verb: VerbId) -> Option<VerbId> {
        let can = |id: &str| {
            let choices = self.writable().flat_map(|a| a.choices.iter().flatten());
            choices.into_iter().any(|choice| self.lexicon.choices[*choice].id == id)
        };
        let told = |id: &str| {
            let verb = self.lexicon.verb(id);
            verb.is_some() && self.writable().any(|a| a.verb == verb)
        };
        let other = || ["position", "power", "open"].iter().any(|property| self.about_id(property).is_some());
        let screen = || self.lexicon.kind("projection_screen").is_some_and(|kind| self.sense.kinds.contains(&kind));
        let lifts = || screen() && (can("up") && !can("open") || told("raise") && !told("on")) && !other();
        let instead = match self.lexicon.verbs[verb].id.as_str() {
            "draw" => "raise",
            "off" if lifts() => "raise",
            "on" if lifts() => "lower",
            _ => return None,
        };
        self.lexicon.verb(instead).filter(|_| self.device.is_lifted(&self.lexicon.lifted))
    }

    pub(super) fn step(&self, ways: &[(Option<PropertyId>, bool)], by: Option<&Amount>) -> Result<Act, Cannot> {
        let mut reason = Cannot::Ability;
        let once = matches!(by, Some(Amount::Number(n, Some(Unit::Gear))) if *n <= 1.0);
        let plain = once || matches!(by, None | Some(Amount::Little | Amount::Lots | Amount::Word(_)));
        for (property, up) in ways {
            // A command that does just that needs no state to start from.
            let command = self.sense.abilities.iter().find(|a| plain && a.step == property.map(|p| (p, *up)));
            if let Some(ability) = command.filter(|a| a.step.is_some()) {
                return Ok(self.act(ability, Value::Null, None));
            }
            let principal = || self.principal(&Amount::Little);
            let ability = match property {
                Some(p) => self.counted_about(*p).or_else(|| self.instead_of(*p)),
                None => principal(),
            };
            let Some(ability) = ability else { continue };
            match self.step_number(ability, *up, by) {
                Ok(act) => return Ok(act),
                Err(Cannot::Ability) => {}
                Err(other) => reason = other,
            }
        }
        // 晾衣架降: what goes up and down by itself.
        // 床头抬高点 is no order for a screen, and 冷藏温度低一点 none for a camera.
        let moves = |p: &PropertyId| Some(*p) == self.lexicon.property("position");
        if let (Cannot::Ability, true, [(property, up)]) = (&reason, plain, ways)
            && property.as_ref().is_none_or(moves)
        {
            let verb = self.lexicon.verb(if *up { "raise" } else { "lower" });
            let moves = |choice: &usize| ["up", "down"].contains(&self.lexicon.choices[*choice].id.as_str());
            // 高一档 is no way for a camera to turn, which looks to its sides as well.
            let all = |a: &Ability| a.choices.iter().all(|meanings| !meanings.is_empty());
            let lifts = |a: &Ability| a.choices.iter().flatten().any(moves) && (!once || all(a));
            let lifts = self.sense.abilities.iter().any(lifts);
            return verb.filter(|_| lifts).and_then(|verb| self.verb(verb)).ok_or(reason);
        }
        Err(reason)
    }

    pub(super) fn step_number(&self, ability: &Ability, up: bool, by: Option<&Amount>) -> Result<Act, Cannot> {
        if let (Some(Domain::Enum(_)), Some(Amount::Word(word)), Source::Command(_)) =
            (&ability.domain, by, ability.source)
            && let Some(choice) = self.choice(ability, word)
        {
            return Ok(self.act(ability, choice.value.clone(), Some(said(choice, word))));
        }
        let Source::Property(index) = ability.source else {
            return by.is_none().then(|| self.end_called(ability, up)).flatten().ok_or(Cannot::UnknownState);
        };
        let now = self.state.get(&self.device.properties[index].id);
        match ability.domain.as_ref().ok_or(Cannot::Ability)? {
            Domain::Number { min, max, step, integer } => {
                let now = now.and_then(Value::as_f64).ok_or(Cannot::UnknownState)?;
                let span = min.zip(*max).map(|(min, max)| max - min);
                let delta = match by {
                    Some(Amount::Word(word)) => self.part_of(word, now),
                    _ => None,
                };
                let delta = delta.map_or_else(|| self.delta(ability, span, *step, by), Ok)?;
                let aim = if up { now + delta } else { now - delta };
                let aim = if *integer { aim.round() } else { (aim * 100.0).round() / 100.0 };
                let low = match min {
                    Some(min) if *min <= 0.0 && ability.property.is_some_and(|p| self.lexicon.properties[p].floor) => {
                        min + step
                    }
                    Some(min) => *min,
                    None => f64::MIN,
                };
                let high = max.unwrap_or(f64::MAX);
                let value = aim.clamp(low.min(now), high.max(now));
                let mut act = self.act(ability, number(value, *integer), None);
                act.value = Some(with_unit(&number(value, *integer), ability, self.lexicon));
                act.at_bound = value != aim || now == value;
                Ok(act)
            }
            Domain::Enum(list) => {
                if let Some(Amount::Word(word)) = by
                    && let Some(choice) = self.choice(ability, word)
                {
                    return Ok(self.act(ability, choice.value.clone(), Some(said(choice, word))));
                }
                let gears = gears(ability, self.lexicon);
                let now = now.and_then(|v| list.iter().position(|c| &c.value == v));
                let at = now.and_then(|n| gears.iter().position(|g| *g == n));
                let last = gears.len().checked_sub(1).ok_or(Cannot::Ability)?;
                let next = match at {
                    Some(at) if up => (at + 1).min(last),
                    Some(at) => at.saturating_sub(1),
                    None if up => last,
                    None => 0,
                };
                let choice = &list[gears[next]];
                let mut act = self.act(ability, choice.value.clone(), Some(said(choice, "")));
                act.at_bound = at == Some(next);
                Ok(act)
            }
            _ => Err(Cannot::Ability),
        }
    }

    /// `水量调高` of what does not tell where it stands: the value that is called so.
    fn end_called(&self, ability: &Ability, up: bool) -> Option<Act> {
        let Some(Domain::Enum(list)) = &ability.domain else { return None };
        let called = self.lexicon.choice(if up { "high" } else { "low" })?;
        let at = ability.choices.iter().position(|meanings| meanings.contains(&called))?;
        Some(self.act(ability, list[at].value.clone(), Some(said(&list[at], ""))))
    }

    /// `减半`: a part of what it is now.
    fn part_of(&self, word: &str, now: f64) -> Option<f64> {
        let part =
            |sense: &Sense| if let Sense::Fraction(part) = sense { Some(f64::from(*part) / 1000.0) } else { None };
        self.lexicon.senses(word).iter().find_map(part).map(|part| now.abs() * part)
    }

    /// How far one step goes: a tenth of the range, at least one step; one degree for temperatures.
    pub(super) fn delta(
        &self,
        ability: &Ability,
        span: Option<f64>,
        step: f64,
        by: Option<&Amount>,
    ) -> Result<f64, Cannot> {
        let fixed = ability.property.and_then(|p| self.lexicon.properties[p].step);
        let little = fixed.unwrap_or_else(|| span.map_or(step, |s| (s / 10.0).max(step)));
        let wrong = || Cannot::Unit(ability.source);
        match by {
            None | Some(Amount::Little | Amount::Word(_)) => Ok(little),
            Some(Amount::Lots) => Ok(little * 3.0),
            Some(Amount::Number(n, Some(Unit::Gear))) => {
                // 声音关小五格: what people count off is the least that it changes by, one by one or as far as they hear it.
                let counted = span.is_some_and(|s| s <= 20.0) || (*n > 2.0 && ability.counts == Some(Unit::Percent));
                Ok(n * if counted { step } else { little })
            }
            Some(Amount::Number(n, unit)) if unit_fits(*unit, ability, self.lexicon) => Ok(*n),
            Some(Amount::Percent(p)) => match (ability.unit.as_deref(), span) {
                (Some("%"), _) => Ok(*p),
                (None, Some(span)) => Ok((p / 100.0 * span).max(step)),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

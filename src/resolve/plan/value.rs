//! What a value that was said is worth to a device.

use super::*;

impl Subject<'_> {
    /// `调到高档` of what has its gears by number.
    pub(super) fn graded(&self, word: &str) -> Option<Act> {
        let extreme = self.degree(word)?;
        let gears = self.principal(&Amount::Number(1.0, Some(Unit::Gear)))?;
        let counted = matches!(gears.domain, Some(Domain::Number { .. })) && gears.unit.is_none();
        let value = self.extreme(gears, extreme).filter(|_| counted)?;
        Some(self.act(gears, value, Some(word.to_owned())))
    }

    /// 二档, which another thing of the home has as a value by name, of what counts its gears.
    pub(in super::super) fn counted_word(&self, word: &str) -> Option<Amount> {
        let chars: Vec<char> = crate::text::normalize(word).chars().collect();
        let (number, end) = crate::language::number::read(&chars)?;
        let rest: String = chars[end..].iter().collect();
        let gear = self.lexicon.senses(&rest).contains(&Sense::Unit(Unit::Gear));
        gear.then_some(Amount::Number(number.value, Some(Unit::Gear)))
    }

    /// 风换成自然风 of a fan whose gears are numbers and whose sorts of wind stand apart, 鱼缸的灯换绿色 of one whose lamp is a switch:
    /// the one thing that has a value of that name, where what was named has none.
    pub(in super::super) fn sort_called(&self, property: PropertyId, to: &Amount) -> Option<&Ability> {
        let Amount::Word(word) = to else { return None };
        let switch = switches(word, self.lexicon).is_some();
        let unnamed = |a: &&Ability| match a.domain {
            Some(Domain::Number { .. }) => true,
            Some(Domain::Bool) => !switch,
            _ => false,
        };
        let own = self.about(property).or_else(|| self.instead_of(property));
        own.filter(unnamed).filter(|a| self.choice(a, word).is_none())?;
        let mut named = self.writable().filter(|a| self.choice(a, word).is_some());
        named.next().filter(|_| named.next().is_none())
    }

    /// The choice of an enumeration that a word means.
    pub(in super::super) fn choice<'s>(&self, ability: &'s Ability, word: &str) -> Option<&'s Choice> {
        let Some(Domain::Enum(list)) = &ability.domain else { return None };
        let word = crate::text::normalize(word);
        let stem = self
            .lexicon
            .properties
            .iter()
            .filter(|p| p.id == "mode" || p.id == "color")
            .flat_map(|p| &p.words)
            .find_map(|w| word.strip_suffix(w.as_str()))
            .filter(|s| !s.is_empty());
        let exact = |w: &str| {
            list.iter().find(|c| {
                let describe = crate::text::normalize(&c.describe);
                describe == w
                    || describe.chars().next() == w.chars().next()
                        && spoken(&describe, self.lexicon).any(|said| said == w)
                    || self.lexicon.are_alike(&describe, w)
                    || c.value.as_str().is_some_and(|v| v.eq_ignore_ascii_case(w))
            })
        };
        let meant = |w: &str| {
            let meanings: Vec<usize> = (0..self.lexicon.choices.len())
                .filter(|c| self.lexicon.choices[*c].words.iter().any(|x| x == w))
                .collect();
            let at = ability.choices.iter().position(|of| of.iter().any(|m| meanings.contains(m)))?;
            list.get(at)
        };
        exact(&word).or_else(|| meant(&word)).or_else(|| stem.and_then(|s| exact(s).or_else(|| meant(s))))
    }

    /// An amount as a value of an ability.
    pub(super) fn value(&self, ability: &Ability, to: &Amount) -> Result<Value, Cannot> {
        let out_of_range = || Cannot::Range(ability.source);
        let wrong_unit = || Cannot::Unit(ability.source);
        match ability.domain.as_ref().ok_or(Cannot::Ability)? {
            Domain::Bool => match to {
                Amount::Word(word) => switches(word, self.lexicon).map(Value::Bool).ok_or_else(wrong_unit),
                _ => Err(wrong_unit()),
            },
            Domain::Enum(list) => match to {
                Amount::Word(word) => self.choice(ability, word).map(|c| c.value.clone()).ok_or_else(out_of_range),
                Amount::Number(n, unit @ (None | Some(Unit::Gear | Unit::Channel))) => {
                    let sent = |c: &Choice| c.value.as_f64().or_else(|| c.value.as_str()?.parse().ok());
                    let is = |c: &&Choice| sent(c) == Some(*n) || counted(&c.describe) == Some(*n);
                    let spoken = list.iter().find(is);
                    let at = (unit == &Some(Unit::Gear)).then_some(*n as usize).and_then(|n| n.checked_sub(1));
                    let by_gear = || at.and_then(|at| gears(ability, self.lexicon).get(at).map(|i| &list[*i]));
                    spoken.or_else(by_gear).map(|c| c.value.clone()).ok_or_else(out_of_range)
                }
                Amount::Extreme(extreme) => self.extreme(ability, *extreme).ok_or_else(out_of_range),
                // 四十度 of a water temperature that has 冷水, 40度 and 60度.
                Amount::Number(n, _) => {
                    let called = list.iter().find(|c| counted(&c.describe) == Some(*n));
                    called.map(|c| c.value.clone()).ok_or_else(wrong_unit)
                }
                _ => Err(wrong_unit()),
            },
            Domain::Number { .. } if matches!(to, Amount::Number(n, None) if is_share(*n, ability)) => {
                let Amount::Number(n, _) = to else { return Err(out_of_range()) };
                self.value(ability, &Amount::Percent(*n))
            }
            Domain::Number { min, max, integer, step } => {
                let value = match to {
                    Amount::Number(n, unit) => {
                        let value = in_own_unit(*n, *unit, ability, self.lexicon).ok_or_else(wrong_unit)?;
                        // 20分钟 of a timer that counts half hours is none of its times.
                        let between = (value / step - (value / step).round()).abs() > 1e-6;
                        if value != *n && between {
                            return Err(out_of_range());
                        }
                        value
                    }
                    Amount::Percent(p) => match (ability.unit.as_deref(), min, max) {
                        (Some("%"), ..) => *p,
                        (Some(_), ..) => return Err(wrong_unit()),
                        (None, Some(min), Some(max)) if (0.0..=100.0).contains(p) => {
                            let raw = min + p / 100.0 * (max - min);
                            if *integer { raw.round() } else { raw }
                        }
                        (None, ..) => return Err(out_of_range()),
                    },
                    Amount::Extreme(extreme) => return self.extreme(ability, *extreme).ok_or_else(out_of_range),
                    // 座圈关了: of what goes by gears and has a 0 that is off.
                    Amount::Word(word) if self.ends_at_zero(ability) && switches(word, self.lexicon) == Some(false) => {
                        0.0
                    }
                    // 二档 is a value by name of something else.
                    Amount::Word(word) if let Some(counted) = self.counted_word(word) => {
                        return self.value(ability, &counted);
                    }
                    Amount::Word(word) => {
                        let extreme = self.degree(word).ok_or_else(out_of_range)?;
                        return self.extreme(ability, extreme).ok_or_else(out_of_range);
                    }
                    _ => return Err(out_of_range()),
                };
                let value = if *integer && to_percent(to) { value.round() } else { value };
                let fits = min.is_none_or(|m| value >= m) && max.is_none_or(|m| value <= m);
                if fits && (!integer || value.fract() == 0.0) {
                    Ok(number(value, *integer))
                } else {
                    Err(out_of_range())
                }
            }
            Domain::Text => match to {
                Amount::Word(word) => Ok(Value::String(word.clone())),
                Amount::Number(n, _) => Ok(Value::String(n.to_string())),
                _ => Err(wrong_unit()),
            },
        }
    }

    /// Whether it counts a few gears from 0.
    fn ends_at_zero(&self, ability: &Ability) -> bool {
        let floor = ability.property.is_some_and(|p| self.lexicon.properties[p].floor);
        let gears =
            matches!(ability.domain, Some(Domain::Number { min: Some(0.0), max: Some(max), .. }) if max <= MAX_GEARS);
        gears && !floor
    }

    /// 高, 中, 低 as ends of a range.
    pub(super) fn degree(&self, word: &str) -> Option<Extreme> {
        let means =
            |id: &str| self.lexicon.choice(id).is_some_and(|c| self.lexicon.choices[c].words.iter().any(|w| w == word));
        [("high", Extreme::Max), ("mid", Extreme::Mid), ("low", Extreme::Min)]
            .into_iter()
            .find_map(|(id, extreme)| means(id).then_some(extreme))
    }

    pub(super) fn extreme(&self, ability: &Ability, extreme: Extreme) -> Option<Value> {
        match ability.domain.as_ref()? {
            Domain::Number { min: Some(min), max: Some(max), step, integer } => {
                let floor = ability.property.is_some_and(|p| self.lexicon.properties[p].floor);
                let value = match extreme {
                    Extreme::Max => *max,
                    Extreme::Min if floor && *min <= 0.0 => *min + step,
                    Extreme::Min => *min,
                    Extreme::Mid => (min + max) / 2.0,
                };
                Some(number(if *integer { value.round() } else { value }, *integer))
            }
            Domain::Enum(list) => {
                // 吸力调到最大 where a value is called so.
                let called = |c: &crate::home::Choice| {
                    self.lexicon.senses(&crate::text::normalize(&c.describe)).contains(&Sense::Extreme(extreme))
                };
                if let Some(choice) = list.iter().find(|c| called(c)) {
                    return Some(choice.value.clone());
                }
                let gears = gears(ability, self.lexicon);
                let at = match extreme {
                    Extreme::Max => gears.last(),
                    Extreme::Min => gears.first(),
                    Extreme::Mid => gears.get(gears.len() / 2),
                }?;
                Some(list[*at].value.clone())
            }
            _ => None,
        }
    }
}

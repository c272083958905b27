//! How much: amounts, and the properties that they settle by themselves.

use super::*;

/// A half, in thousandths.
pub(super) const HALF: u32 = 500;

/// Degrees that are changed at once at most.
const MAX_STEP_C: f64 = 15.0;

/// The least that a colour temperature is, in kelvin.
const LEAST_KELVIN: f64 = 1_000.0;

/// What follows a step: `一点`, `20%`, `两度`, `两档`.
pub(super) fn amount_of_step(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(Amount, usize)> {
    let token = tokens.get(at)?;
    if token.has(&Sense::Link) {
        return amount_of_step(tokens, at + 1, vocabulary);
    }
    if token.has(&Sense::Little) {
        return Some((Amount::Little, at + 1));
    }
    if token.has(&Sense::Lots) {
        return Some((Amount::Lots, at + 1));
    }
    // 减半, 暗一半: of what it is now.
    if token.any(|s| matches!(s, Sense::Fraction(_)))
        && !tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Unit(Unit::Celsius)))
    {
        return Some((Amount::Word(token.text.clone()), at + 1));
    }
    match amount(tokens, at, false, vocabulary)? {
        // 热二十二度 is no step of 22 degrees.
        (Amount::Number(degrees, Some(Unit::Celsius)), ..) if degrees.abs() > MAX_STEP_C => None,
        (found @ (Amount::Number(..) | Amount::Percent(_)), _, end) => Some((found, end)),
        _ => None,
    }
}

/// Reads an amount and the property that it settles by itself. `after_set`: single adjectives count as values (调到高).
pub(in super::super) fn amount(
    tokens: &[Token],
    at: usize,
    after_set: bool,
    vocabulary: &Vocabulary,
) -> Option<(Amount, Option<PropertyId>, usize)> {
    let lexicon = &vocabulary.lexicon;
    let token = tokens.get(at)?;
    let unit_at = |at: usize| {
        tokens.get(at)?.senses.iter().find_map(|s| if let Sense::Unit(unit) = s { Some(*unit) } else { None })
    };
    for sense in &token.senses {
        if let Sense::Number(number) = sense {
            if number.percent {
                let end = at + 1 + usize::from(unit_at(at + 1) == Some(Unit::Percent));
                // 八成亮: the adjective says of what.
                let of = tokens.get(end).and_then(|t| {
                    t.senses.iter().find_map(|s| {
                        if let Sense::Direction { property, up: true } = s { Some(*property) } else { None }
                    })
                });
                return Some((Amount::Percent(number.value), of, end + usize::from(of.is_some())));
            }
            // 两个 before a noun counts things.
            let counts = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Measure))
                && tokens.get(at + 2).is_some_and(|t| nominal::kind(t).is_some() || nominal::sort(t).is_some());
            if counts {
                return None;
            }
            // 塔扇2开摇头, 开一开: what also switches on counts kelvin only where light has so many.
            let switches = tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_))));
            let counted = |unit: &Unit| *unit != Unit::Kelvin || number.value >= LEAST_KELVIN || !switches;
            return Some(match unit_at(at + 1).filter(counted) {
                Some(Unit::Percent) => (Amount::Percent(number.value), None, at + 2),
                Some(unit) => {
                    let (part, end) = part_of_unit(tokens, at + 2, unit);
                    (Amount::Number(number.value + part, Some(unit)), property_of_unit(unit, vocabulary), end)
                }
                None => (Amount::Number(number.value, None), None, at + 1),
            });
        }
        if let Sense::Fraction(thousandths) = sense {
            // 半度
            if let Some(unit @ Unit::Celsius) = unit_at(at + 1) {
                let half = f64::from(*thousandths) / 1000.0;
                return Some((Amount::Number(half, Some(unit)), property_of_unit(unit, vocabulary), at + 2));
            }
            return Some((Amount::Percent(f64::from(*thousandths) / 10.0), None, at + 1));
        }
        if let Sense::Extreme(extreme) = sense {
            return Some((Amount::Extreme(*extreme), property_of_extreme(token, vocabulary), at + 1));
        }
    }
    let named_scene = token.any(|s| matches!(s, Sense::Scene(_)));
    let single = token.text.chars().count() < 2;
    let verb = token.any(|s| matches!(s, Sense::Verb(_)));
    let valued = token.any(|s| matches!(s, Sense::Choice(_) | Sense::Value | Sense::Kelvin(_)));
    // 切到关 is nothing that people say; a single verb after 设 or 选 is cut wrong (选关灯, 玄关灯).
    let word = valued && if single { after_set && !verb } else { after_set || !verb };
    if word || (named_scene && after_set) {
        // 制热模式, 红色的: the property that follows says what the value is of.
        let property = tokens.get(at + 1).and_then(nominal::property);
        let mode =
            property.filter(|p| ["mode", "program", "color", "speed"].contains(&lexicon.properties[*p].id.as_str()));
        let end = at + 1 + usize::from(mode.is_some());
        let kelvin = token.senses.iter().find_map(|s| if let Sense::Kelvin(k) = s { Some(*k) } else { None });
        let amount = match kelvin {
            Some(kelvin) => Amount::Kelvin(kelvin, token.text.clone()),
            None => Amount::Word(token.text.clone()),
        };
        return Some((amount, mode, end));
    }
    None
}

/// What a degree is said to have beside the whole ones: `二十六度半`, `二十六度五`. The part, and where it ends.
fn part_of_unit(tokens: &[Token], at: usize, unit: Unit) -> (f64, usize) {
    let Some(token) = tokens.get(at).filter(|_| unit == Unit::Celsius) else { return (0.0, at) };
    let closes = |t: &Token| t.has(&Sense::Punctuation) || t.has(&Sense::Particle);
    if !tokens.get(at + 1).is_none_or(closes) {
        return (0.0, at);
    }
    let single = token.text.chars().count() == 1;
    token
        .senses
        .iter()
        .find_map(|sense| match sense {
            Sense::Fraction(HALF) if single => Some((0.5, at + 1)),
            Sense::Number(n) if single && !n.percent && (1.0..=9.0).contains(&n.value) => {
                Some((n.value / 10.0, at + 1))
            }
            _ => None,
        })
        .unwrap_or((0.0, at))
}

/// The property a unit settles.
pub(in super::super) fn property_of_unit(unit: Unit, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let symbol = unit_text(unit, &vocabulary.lexicon).to_lowercase();
    vocabulary.lexicon.properties.iter().position(|p| p.units.contains(&symbol))
}

/// 最亮, 最热: the superlative of a direction word settles the property; 最大风 and 最高亮度 name it.
pub(in super::super) fn property_of_extreme(token: &Token, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let named: String = token.text.chars().skip(2).collect();
    let senses = vocabulary.lexicon.senses(&named);
    let property = |s: &Sense| if let Sense::Property(property) = s { Some(*property) } else { None };
    // 最高档 is that of whatever has gears.
    let counts = senses.iter().any(|s| matches!(s, Sense::Unit(_)));
    if let Some(property) = senses.iter().find_map(property).filter(|_| !counts) {
        return Some(property);
    }
    let word: String = token.text.chars().skip(1).collect();
    // 最冷 is the lower end, as of warmth; of the colour of light 冷 is the upper one.
    let upper = token.has(&Sense::Extreme(Extreme::Max));
    let directions = vocabulary.lexicon.senses(&word).iter();
    let mut found = directions.filter_map(|s| match s {
        Sense::Direction { property, up } if *up == upper => Some(*property),
        _ => None,
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

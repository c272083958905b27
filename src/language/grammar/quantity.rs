//! Quantities: `所有`, `两盏`, `第二个`.

use super::super::lexicon::Sense;
use super::super::segment::Token;
use super::nominal::{Nominal, kind, sort};

/// What is counted without a measure word at most: 湿度六十五空调二十五度 counts no air conditioners.
const MAX_BARE: f64 = 9.0;

/// Quantifiers and counts.
pub(super) fn quantity(tokens: &[Token], at: usize, nominal: &mut Nominal) -> Option<usize> {
    let token = &tokens[at];
    if let Some(n) = token.senses.iter().find_map(|s| if let Sense::Ordinal(n) = s { Some(*n) } else { None }) {
        nominal.ordinal = Some(n);
        let measure = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Measure));
        return Some(at + 1 + usize::from(measure));
    }
    if token.has(&Sense::Both) && nominal.head.is_none() {
        nominal.count = Some(2);
        return Some(at + 1);
    }
    if let Some(number) = token.senses.iter().find_map(|s| if let Sense::Number(n) = s { Some(*n) } else { None }) {
        // 两盏灯, 两个都; not 两度 and not 两档.
        let next = tokens.get(at + 1)?;
        let measure = next.has(&Sense::Measure) && !next.any(|s| matches!(s, Sense::Unit(_)))
            || (next.has(&Sense::Measure)
                && tokens.get(at + 2).is_some_and(|t| kind(t).is_some() || sort(t).is_some()));
        // 俩灯: a number in words needs none.
        let thing = kind(next).is_some() || sort(next).is_some();
        let bare = thing
            && !next.is_entity()
            && number.value <= MAX_BARE
            && !token.text.contains(|c: char| c.is_ascii_digit());
        let whole = number.value.fract() == 0.0 && (1.0..=99.0).contains(&number.value) && !number.percent;
        if !((measure || bare) && whole && nominal.head.is_none()) {
            return None;
        }
        let mut end = at + 1 + usize::from(measure);
        if tokens.get(end).is_some_and(|t| t.has(&Sense::Each)) {
            nominal.each = true;
            end += 1;
        } else {
            nominal.count = Some(number.value as u32);
        }
        return Some(end);
    }
    if nominal.head.is_none() {
        if token.has(&Sense::All) {
            nominal.all = true;
            return Some(at + 1);
        }
        if token.has(&Sense::Other) {
            nominal.other = true;
            return Some(at + 1);
        }
        if token.has(&Sense::AnyOne) {
            nominal.any = true;
            return Some(at + 1);
        }
        // 开几盏灯: nobody said how many.
        if token.has(&Sense::Some) && tokens.get(at + 1).is_some_and(|t| kind(t).is_some() || t.has(&Sense::Measure)) {
            nominal.any = true;
            let measure = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Measure) && kind(t).is_none());
            return Some(at + 1 + usize::from(measure));
        }
    }
    None
}

//! How far a curtain is drawn: `窗帘关八成` leaves two tenths of it open; and how much of a lamp is lit: `灯亮一半就行`.

use super::super::lexicon::Sense;
use super::super::number::Number;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal;
use super::recut::devices;

/// The sentence with how far what covers is drawn said as how far it is open.
pub(super) fn drawn(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    lit_by_share(&mut tokens);
    let Some(blind) = lexicon.kind("blind") else { return tokens };
    let hangs = |t: &Token| {
        let all = |devices: Vec<usize>| !devices.is_empty() && devices.iter().all(|d| vocabulary.devices[*d].is(blind));
        nominal::kind(t) == Some(blind) || devices(t, vocabulary).is_some_and(all)
    };
    if !tokens.iter().any(hangs) {
        return tokens;
    }
    let closes = |t: &Token| {
        let off = |s: &Sense| lexicon.switches(s) == Some(false);
        t.any(off) && !t.is_entity()
    };
    for at in 1..tokens.len() {
        let share = tokens[at].senses.iter().find_map(|s| match s {
            Sense::Number(number) if number.percent => Some(number.value),
            Sense::Fraction(thousandths) => Some(f64::from(*thousandths) / 10.0),
            _ => None,
        });
        // 再关三成 is three tenths of what is left, or of all.
        let again = at > 1 && lexicon.marks.again.contains(&tokens[at - 2].text);
        let opens = tokens[at - 1].any(|s| lexicon.switches(s) == Some(true));
        if again && opens && share.is_some() {
            tokens[at].senses.clear();
        }
        let Some(share) = share.filter(|share| closes(&tokens[at - 1]) && *share <= 100.0) else { continue };
        tokens[at - 1].senses = vec![Sense::Set { open: false }];
        tokens[at].senses = match again {
            true => Vec::new(),
            false => vec![Sense::Number(Number { value: 100.0 - share, percent: true })],
        };
    }
    tokens
}

/// `灯亮一半就行`: so much of it, and not more of it.
fn lit_by_share(tokens: &mut [Token]) {
    for at in 0..tokens.len().saturating_sub(1) {
        let up = tokens[at].senses.iter().find_map(|s| match s {
            Sense::Direction { property, up: true } => Some(*property),
            _ => None,
        });
        let short = tokens[at].text.chars().count() == 1 && !tokens[at].is_entity();
        if let Some(property) = up.filter(|_| short && tokens[at + 1].any(|s| matches!(s, Sense::Fraction(_)))) {
            tokens[at].senses = vec![Sense::Property(property)];
        }
    }
}

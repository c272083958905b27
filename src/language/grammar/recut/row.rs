//! Words whose last character begins what stands behind them, and ends that are counted the other way round.

use super::super::super::lexicon::{Extreme, PropertyId, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::property;
use super::devices;

/// `风暖和照明都打开` of what has 风暖 and 照明: two that are joined, and no wish for warmth.
pub(in super::super) fn joined_by_and(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let own = |s: &Sense| match s {
        Sense::Property(p) | Sense::Feature(p) => vocabulary.lexicon.properties[*p].own,
        Sense::Devices(_) => true,
        _ => false,
    };
    for at in 1..tokens.len() {
        let Some((cut, _)) = tokens[at].text.char_indices().next_back().filter(|(cut, _)| *cut > 0) else { continue };
        let (begins, and) = tokens[at].text.split_at(cut);
        let joins = vocabulary.senses(and);
        if tokens[at].is_entity() || !joins.contains(&Sense::Conjunction) || tokens.get(at + 1).is_none() {
            continue;
        }
        let text = format!("{}{begins}", tokens[at - 1].text);
        let senses = vocabulary.senses(&text);
        if senses.iter().any(own) && !tokens[at - 1].is_entity() {
            tokens[at] = Token { text: and.to_owned(), heard: None, senses: joins };
            tokens[at - 1] = Token { text, heard: None, senses };
        }
    }
    tokens
}

/// `洗衣机洗快点` asks for its quick program, and does not begin the one that it is set to.
pub(in super::super) fn washed_fast(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some(quick) = lexicon.choice("quick") else { return tokens };
    let fast = |s: &Sense| matches!(s, Sense::Direction { property, up: true } if Some(*property) == lexicon.property("speed"));
    for at in 1..tokens.len().saturating_sub(1) {
        let washes = lexicon.marks.washes.contains(&tokens[at].text) && !tokens[at].is_entity();
        let hurries =
            tokens[at + 1].text.chars().next().is_some_and(|c| vocabulary.senses(&c.to_string()).iter().any(fast));
        let of = devices(&tokens[at - 1], vocabulary).unwrap_or_default();
        let has =
            |d: &usize| vocabulary.devices[*d].abilities.iter().any(|a| a.choices.iter().any(|of| of.contains(&quick)));
        if washes && hurries && of.iter().any(has) {
            let text = lexicon.choices[quick].words[0].clone();
            let end = at + 2 + usize::from(tokens.get(at + 2).is_some_and(|t| t.has(&Sense::Little)));
            tokens.splice(at..end, [Token { text, heard: None, senses: vec![Sense::Choice(quick)] }]);
            return tokens;
        }
    }
    tokens
}

/// `色温调到最冷` is its upper end, `主灯调到最暖` the lower one: which end it is depends on what it is said of.
pub(in super::super) fn at_its_end(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let ways = |word: &str| -> Vec<(PropertyId, bool)> {
        let way = |s: &Sense| match s {
            Sense::Direction { property, up } => Some((*property, *up)),
            _ => None,
        };
        vocabulary.senses(word).iter().filter_map(way).collect()
    };
    let Some(colour) = vocabulary.lexicon.property("color_temperature") else { return tokens };
    for at in 1..tokens.len() {
        let most = tokens[at - 1].has(&Sense::Most) && !tokens[at - 1].is_entity();
        let rest = tokens[at].text.char_indices().nth(1).map(|(cut, _)| tokens[at].text.split_at(cut));
        let whole = rest.filter(|(first, _)| vocabulary.senses(first).contains(&Sense::Most));
        let end = tokens[at].any(|s| matches!(s, Sense::Extreme(_))) && !tokens[at].is_entity();
        let word = match whole {
            Some((_, word)) if end => word.to_owned(),
            _ if most && !tokens[at].is_entity() => tokens[at].text.clone(),
            _ => continue,
        };
        let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let ways = ways(&word);
        let named = tokens[begin..at].iter().rev().filter(|t| !t.is_entity()).find_map(property);
        let of = tokens[begin..at].iter().rposition(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()));
        let shines = |of: usize| {
            let of = devices(&tokens[of], vocabulary).unwrap_or_default();
            of.iter().all(|d| vocabulary.devices[*d].about(colour).is_some_and(|a| a.writable))
        };
        let property = match (named, of) {
            (Some(property), _) => property,
            (None, Some(of)) if shines(of) => colour,
            _ => continue,
        };
        let Some((_, up)) = ways.into_iter().find(|(of, _)| *of == property && *of == colour) else { continue };
        let extreme = if up { Extreme::Max } else { Extreme::Min };
        tokens[at].senses = vec![Sense::Extreme(extreme)];
        if most && !end {
            tokens[at - 1].senses = vec![Sense::Filler];
        }
        if let (None, Some(of)) = (named, of) {
            let text = vocabulary.lexicon.properties[colour].words[0].clone();
            tokens.insert(of + 1, Token { text, heard: None, senses: vec![Sense::Property(colour)] });
            return tokens;
        }
    }
    tokens
}

/// `空调开最大的风`, `改成最小那档风`: what shall be at its end is said behind it.
pub(in super::super) fn of_its_extreme(mut tokens: Vec<Token>) -> Vec<Token> {
    let own = |t: &Token| !t.is_entity();
    for at in 1..tokens.len() {
        let set = |t: &Token| own(t) && t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Verb(_)));
        if !tokens[at].any(|s| matches!(s, Sense::Extreme(_))) || !set(&tokens[at - 1]) {
            continue;
        }
        let gear = |t: &Token| t.any(|s| matches!(s, Sense::Unit(_)));
        let links = |t: &&Token| own(t) && (t.any(|s| matches!(s, Sense::Of | Sense::Reference)) || gear(t));
        let linked = tokens[at + 1..].iter().take_while(links).count();
        let what = at + 1 + linked;
        let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
        let last = tokens.get(what + 1).is_none_or(ends);
        if last && tokens.get(what).is_some_and(|t| own(t) && property(t).is_some()) {
            let what = tokens[what].clone();
            tokens.drain(at + 1..=at + 1 + linked);
            tokens.insert(at - 1, what);
            return tokens;
        }
    }
    tokens
}

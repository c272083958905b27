//! What a sentence says not to do, and what it leaves out.

use super::super::lexicon::{Lexicon, Sense};
use super::super::segment::Token;
use super::nominal::{is_thing, place};

/// A sentence, clause by clause.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// What is told to be done; the words of each clause.
    pub kept: Vec<Vec<Token>>,
    /// What is told not to be done, and what is left out: `客厅的灯不要关`, `除了书房`.
    pub refused: Vec<Vec<Token>>,
}

/// Tells what is refused from the rest. It takes too much for refused rather than too little.
pub fn told(tokens: &[Token]) -> Told {
    let mut told = Told::default();
    for clause in tokens.split_inclusive(|t| t.has(&Sense::Punctuation)) {
        if refuses(clause, told.kept.is_empty()) {
            told.refused.push(clause.to_vec());
            continue;
        }
        match left_out(clause) {
            Some((start, end)) => {
                told.kept.push([&clause[..start], &clause[end..]].concat());
                told.refused.push(clause[start..end].to_vec());
            }
            None => told.kept.push(clause.to_vec()),
        }
    }
    told
}

/// Whether a clause tells what not to do; `first`: nothing was told before it.
pub(super) fn refuses(clause: &[Token], first: bool) -> bool {
    clause.iter().enumerate().any(|(at, t)| {
        let nothing_before = first && !clause[..at].iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_))));
        t.has(&Sense::Negation) && (nothing_before || !excludes(clause, at))
    })
}

/// `卧室不要` at the end of a clause leaves the bedroom out; it does not negate the command.
fn excludes(clause: &[Token], at: usize) -> bool {
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Punctuation));
    let after_noun = at > 0 && (!small(&clause[at - 1]) || clause[at - 1].has(&Sense::Of));
    let ends = clause[at + 1..].iter().all(|t| t.has(&Sense::Particle) || t.has(&Sense::Punctuation));
    clause[at].has(&Sense::ExceptAfter) && after_noun && ends
}

/// Where in a clause that tells something stands what it leaves out: from its start to behind its end.
fn left_out(clause: &[Token]) -> Option<(usize, usize)> {
    let acts = |t: &Token| t.has(&Sense::Disposal) || t.any(|s| matches!(s, Sense::Verb(_)));
    if let Some(open) = clause.iter().position(|t| t.has(&Sense::ExceptOpen)) {
        let ends = |t: &Token| acts(t) || t.any(|s| matches!(s, Sense::Each | Sense::All | Sense::ExceptClose));
        let length = clause[open + 1..].iter().position(ends);
        return Some((open, length.map_or(clause.len(), |length| open + 1 + length)));
    }
    let close = clause.iter().position(|t| {
        !t.is_entity() && t.any(|s| matches!(s, Sense::Negation | Sense::ExceptAfter | Sense::ExceptClose))
    })?;
    let start = clause[..close].iter().rposition(acts).map_or(0, |verb| verb + 1);
    Some((start, close + 1))
}

/// What is still told after a refusal: without the clause that told the same thing the same way before (`开灯，开窗帘，灯先不要`).
pub(super) fn taken_back(kept: Vec<Token>, refused: &[Token], lexicon: &Lexicon) -> Vec<Token> {
    let what = |words: &[Token]| -> Vec<Vec<Sense>> {
        let names = |t: &&Token| {
            let feature = t.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_) | Sense::Sort(_)));
            is_thing(t) || feature || place(t).is_some() || t.is_residue()
        };
        words.iter().filter(names).map(|t| t.senses.clone()).collect()
    };
    let told = |t: &Token| t.senses.iter().find_map(|s| lexicon.switches(s)).filter(|_| !t.is_entity());
    let held = |t: &Token| if t.has(&Sense::Negation) { lexicon.held(&t.text) } else { told(t) };
    let (spared, way) = (what(refused), refused.iter().find_map(held));
    let same = |clause: &[Token]| {
        let before = clause.iter().find_map(told);
        before.is_some() && what(clause) == spared && way.is_none_or(|way| before == Some(way))
    };
    // What is begun anew is read on its own: 窗帘打开，不是，窗帘别开.
    if !refused.iter().any(is_thing) || kept.iter().any(|t| t.any(|s| matches!(s, Sense::Correction | Sense::Future))) {
        return kept;
    }
    kept.split_inclusive(|t| t.has(&Sense::Punctuation)).filter(|clause| !same(clause)).flatten().cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::lexicon::Lexicon;
    use super::super::super::segment::plain;
    use super::super::super::vocabulary::Vocabulary;
    use super::*;
    use crate::home::parse;
    use crate::text::normalize;

    fn refused(sentence: &str) -> Vec<String> {
        let document = include_str!("../../../tests/homes/villa.json");
        let (home, _) = parse(&serde_json::from_str(document).unwrap()).unwrap();
        let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
        let told = told(&plain(&normalize(sentence), &vocabulary));
        told.refused.iter().map(|clause| clause.iter().map(|t| t.text.as_str()).collect()).collect()
    }

    #[test]
    fn what_is_refused_or_left_out_is_told_from_the_rest() {
        for (sentence, out) in [
            ("客厅的灯不要关，把卧室照明灯稀里糊涂关掉", "客厅的灯不要关,"),
            ("把卧室照明灯稀里糊涂关掉，客厅的灯不要关", "客厅的灯不要关"),
            ("灯都稀里糊涂关了，卧室不要", "卧室不要"),
            ("灯都稀里糊涂关了卧室的留着", "卧室的留着"),
            ("除了客厅，把灯稀里糊涂关掉", "除了客厅,"),
            ("除了客厅的灯都稀里糊涂关掉", "除了客厅的灯"),
            ("把客厅以外的灯稀里糊涂关掉", "客厅以外的"),
        ] {
            assert_eq!(refused(sentence), [out], "{sentence}");
        }
        assert_eq!(refused("把客厅照明灯稀里糊涂打开"), [""; 0]);
    }
}

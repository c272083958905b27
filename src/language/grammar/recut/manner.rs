//! How something shall be, before the word for what of it: `小点的声音`, `暖一点的光`.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::property;

/// The sentence with what shall be so first (`声音小点`). Light and its colour are not named by it: `暖一点的光` is of how warm light is.
pub(in super::super) fn manner(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let how = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. })) && !t.is_entity();
    let little = |t: &&Token| t.has(&Sense::Little) && !t.is_entity();
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    let color = lexicon.property("color");
    let (warm, cct) = (lexicon.property("temperature"), lexicon.property("color_temperature"));
    for at in (0..tokens.len()).rev().filter(|at| how(&tokens[*at])).collect::<Vec<_>>() {
        let few = tokens[at + 1..].iter().take_while(little).count();
        let of = at + 1 + few;
        let (Some(what), true) = (tokens.get(of + 1), tokens.get(of).is_some_and(|t| t.has(&Sense::Of))) else {
            continue;
        };
        if few == 0 || what.is_entity() || tokens.get(of + 2).is_some_and(|t| !ends(t)) {
            continue;
        }
        let light = lexicon.marks.shine.contains(&what.text) || property(what).is_some_and(|p| Some(p) == color);
        if light {
            for sense in &mut tokens[at].senses {
                if let (Sense::Direction { property, up }, Some(cct)) = (sense, cct)
                    && Some(*property) == warm
                {
                    (*property, *up) = (cct, !*up);
                }
            }
            let senses = std::mem::take(&mut tokens[at].senses);
            tokens[at].senses = senses.into_iter().fold(Vec::new(), |mut once, sense| {
                if !once.contains(&sense) {
                    once.push(sense);
                }
                once
            });
            tokens.drain(of..=of + 1);
        } else if property(what).is_some() {
            let what = tokens.remove(of + 1);
            tokens.remove(of);
            tokens.insert(at, what);
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use crate::language::action::Action;
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::{FAMILY, at_home};

    fn warmer(action: &Action) -> bool {
        let cct = FAMILY.lexicon.property("color_temperature");
        matches!(action, Action::Step { ways, .. } if *ways == [(cct, false)])
    }

    #[test]
    fn how_something_shall_be_may_stand_before_what_of_it() {
        assert_eq!(at_home("电视小点的声音"), at_home("电视声音小点"));
        let light = at_home("大灯暖一点的光");
        assert!(
            matches!(&light, Parse::Orders(orders) if matches!(&orders[..], [order] if warmer(&order.action))),
            "{light:?}"
        );
    }
}

//! From the capability that was found to an order.

use crate::embedding::documents::Capability;
use crate::embedding::index::Hit;
use crate::embedding::polarity::{Agreement, agreement};
use crate::embedding::words::Words;
use crate::home::Domain;
use crate::language::action::{Action, Amount};
use crate::language::grammar::Outline;
use crate::language::meaning::{Ability, Source};
use crate::language::order::Order;
use crate::language::protocol::write_action;
use crate::language::vocabulary::Vocabulary;

/// The ability of a hit in the index of capabilities, if it can be set.
pub fn ability<'v>(hit: &Hit, vocabulary: &'v Vocabulary) -> Option<&'v Ability> {
    let device = vocabulary.home.devices.get(hit.owner)?;
    let source = match Capability::of(device, hit.capability)? {
        Capability::Property(at) => Source::Property(at),
        Capability::Command(at) => Source::Command(at),
    };
    let abilities = &vocabulary.devices.get(hit.owner)?.abilities;
    abilities.iter().find(|ability| ability.source == source && ability.writable)
}

/// What a sentence asks of the capability; `None` when the words do not say which way. Similarity finds what
/// is meant, the direction has to be said.
pub fn action(hit: &Hit, outline: &Outline, words: &Words, vocabulary: &Vocabulary) -> Option<Action> {
    let ability = ability(hit, vocabulary)?;
    if hit.agreement == Agreement::Opposite || vocabulary.devices[hit.owner].risky && hit.agreement != Agreement::Same {
        return None;
    }
    // 别开了, 没人开过, 灯灭了: whether that is a wish is more than similarity can tell.
    let switches = !matches!(ability.domain, Some(Domain::Number { .. }));
    if switches && outline.phrase.chars().any(|c| vocabulary.lexicon.texts.phrasing.no_wish.contains(c)) {
        return None;
    }
    let said = words.meaning(&outline.phrase).directions;
    let directions = |action: &Action| words.meaning(&write_action(action, &vocabulary.lexicon)).directions;
    let fits = |action: &Action| agreement(&said, &directions(action)) == Agreement::Same;
    let actions = candidates(ability, outline, vocabulary);
    let mut fitting =
        actions.into_iter().filter(|(action, says_all)| *says_all || fits(action)).map(|(action, _)| action);
    fitting.next().filter(|_| fitting.next().is_none())
}

/// What can be done with an ability, and whether the sentence has said so in words.
fn candidates(ability: &Ability, outline: &Outline, vocabulary: &Vocabulary) -> Vec<(Action, bool)> {
    let lexicon = &vocabulary.lexicon;
    let verb = |id: &str| lexicon.verb(id).map(|v| (Action::Verb(v), false));
    if let Some(id) = ability.verb {
        return vec![(Action::Verb(id), false)];
    }
    let Some(property) = ability.property else { return Vec::new() };
    match &ability.domain {
        Some(Domain::Bool) if lexicon.properties[property].id == "power" => {
            ["on", "off"].into_iter().filter_map(verb).collect()
        }
        // A number that was said is an argument, and only the grammar reads those.
        Some(Domain::Number { .. }) if !outline.number => {
            [true, false].map(|up| (Action::Step { ways: vec![(Some(property), up)], by: None }, false)).to_vec()
        }
        Some(Domain::Enum(choices)) => {
            let said = choices.iter().filter(|choice| {
                choice.describe.chars().count() > 1 && outline.phrase.contains(choice.describe.as_str())
            });
            let set =
                |word: &str| Action::Set { property: Some(property), to: Amount::Word(crate::text::normalize(word)) };
            said.map(|choice| (set(&choice.describe), true)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether two do the same, however far.
pub fn same(guess: &Action, chosen: &Action) -> bool {
    match (guess, chosen) {
        (Action::Step { ways: guess, .. }, Action::Step { ways: chosen, .. }) => guess == chosen,
        (guess, chosen) => guess == chosen,
    }
}

/// Whether what was found says more exactly what the grammar guessed: less, and of the volume.
pub fn fits(guess: &Action, chosen: &Action) -> bool {
    let (Action::Step { ways: guess, .. }, Action::Step { ways: chosen, .. }) = (guess, chosen) else { return false };
    chosen.iter().all(|(property, up)| guess.iter().any(|(p, u)| u == up && (p.is_none() || p == property)))
}

/// The order to do that: of what was named, else of the one device of the room that was found.
pub fn order(action: &Action, hits: &[Hit], outline: &Outline, vocabulary: &Vocabulary) -> Option<Order> {
    if outline.devices.is_some() {
        return Some(outline.order.clone().with(action.clone()));
    }
    Some(Order::device(action.clone(), hits.first()?.owner, vocabulary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::lexicon::Lexicon;
    use crate::language::protocol::read_action;

    #[test]
    fn a_guess_may_be_made_more_exact_but_never_turned_around() {
        let lexicon = Lexicon::built_in().unwrap();
        let read = |action: &str| read_action(action, &lexicon).unwrap();
        let same = |a: &str, b: &str| same(&read(a), &read(b));
        let fits = |a: &str, b: &str| fits(&read(a), &read(b));
        assert!(same("调低音量=一点", "调低音量"));
        assert!(same("打开", "打开") && !same("打开", "关闭"));
        assert!(fits("调低=一点", "调低音量"));
        assert!(!fits("调高=一点", "调低音量") && !fits("打开", "关闭"));
        assert!(!fits("查询状态", "打开"));
    }
}

//! From the capability that was found to an ACTION of the protocol.

use crate::embedding::documents::Capability;
use crate::embedding::index::Hit;
use crate::embedding::polarity::{Agreement, agreement};
use crate::embedding::words::Words;
use crate::home::Domain;
use crate::language::command::{Command, Name, Quantifier, Scope, Target, Type};
use crate::language::deed::Deed;
use crate::language::grammar::{Order, Outline};
use crate::language::meaning::{Ability, Source};
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

/// The ACTION that a sentence asks of the capability; `None` when the words do not say which way. Similarity finds what
/// is meant, the direction has to be said.
pub fn action(hit: &Hit, outline: &Outline, words: &Words, vocabulary: &Vocabulary) -> Option<String> {
    let ability = ability(hit, vocabulary)?;
    if hit.agreement == Agreement::Opposite || vocabulary.devices[hit.owner].risky && hit.agreement != Agreement::Same {
        return None;
    }
    // 别开了, 没人开过, 灯灭了: whether that is a wish is more than similarity can tell.
    let switches = !matches!(ability.domain, Some(Domain::Number { .. }));
    if switches && outline.phrase.chars().any(|c| "不别没未甭勿了过着".contains(c)) {
        return None;
    }
    let said = words.meaning(&outline.phrase).directions;
    let fits = |action: &str| agreement(&said, &words.meaning(action).directions) == Agreement::Same;
    let actions = candidates(ability, outline, vocabulary);
    let mut fitting =
        actions.into_iter().filter(|(action, says_all)| *says_all || fits(action)).map(|(action, _)| action);
    let only = fitting.next().filter(|_| fitting.next().is_none())?;
    Deed::read(&only, vocabulary).is_some().then_some(only)
}

/// What can be done with an ability, and whether the sentence has said so in words.
fn candidates(ability: &Ability, outline: &Outline, vocabulary: &Vocabulary) -> Vec<(String, bool)> {
    let lexicon = &vocabulary.lexicon;
    let verb = |id: &str| lexicon.verb(id).map(|v| (Deed::Verb(v).write(lexicon), false));
    if let Some(id) = ability.verb {
        return vec![(Deed::Verb(id).write(lexicon), false)];
    }
    let Some(property) = ability.property else { return Vec::new() };
    let name = &lexicon.properties[property].words[0];
    match &ability.domain {
        Some(Domain::Bool) if lexicon.properties[property].id == "power" => {
            ["on", "off"].into_iter().filter_map(verb).collect()
        }
        // A number that was said is an argument, and only the grammar reads those.
        Some(Domain::Number { .. }) if !outline.number => [true, false]
            .map(|up| (Deed::Step { ways: vec![(Some(property), up)], by: None }.write(lexicon), false))
            .to_vec(),
        Some(Domain::Enum(choices)) => {
            let said = choices.iter().filter(|choice| {
                choice.describe.chars().count() > 1 && outline.phrase.contains(choice.describe.as_str())
            });
            said.map(|choice| (format!("设置{name}={}", choice.describe), true)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether two ACTIONs do the same, however far.
pub fn same(guess: &str, chosen: &str, vocabulary: &Vocabulary) -> bool {
    match (Deed::read(guess, vocabulary), Deed::read(chosen, vocabulary)) {
        (Some(Deed::Step { ways: guess, .. }), Some(Deed::Step { ways: chosen, .. })) => guess == chosen,
        (guess, chosen) => guess.is_some() && guess == chosen,
    }
}

/// Whether the ACTION that was found says more exactly what the grammar guessed: less, and of the volume.
pub fn fits(guess: &str, chosen: &str, vocabulary: &Vocabulary) -> bool {
    let (Some(Deed::Step { ways: guess, .. }), Some(Deed::Step { ways: chosen, .. })) =
        (Deed::read(guess, vocabulary), Deed::read(chosen, vocabulary))
    else {
        return false;
    };
    chosen.iter().all(|(property, up)| guess.iter().any(|(p, u)| u == up && (p.is_none() || p == property)))
}

/// The order to do that: of what was named, else of the one device of the room that was found.
pub fn order(action: &str, hits: &[Hit], outline: &Outline, vocabulary: &Vocabulary) -> Option<Order> {
    let mut order = outline.order.clone();
    if outline.devices.is_some() {
        order.command = Command::new(action, order.command.scope.clone(), order.command.target.clone());
        return Some(order);
    }
    let best = hits.first()?;
    let device = &vocabulary.home.devices[best.owner];
    let room = device.room.map(|room| vocabulary.home.rooms[room].name.as_str());
    let kind =
        vocabulary.devices[best.owner].kinds.first().map_or(Type::Unknown, |k| vocabulary.lexicon.kinds[*k].kind);
    let target = Target { name: Name::named(&device.name), kind, quantifier: Quantifier::One, count: None };
    order.command = Command::new(action, Scope::new(room, []), target);
    Some(order)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::home::Home;
    use crate::language::lexicon::Lexicon;

    #[test]
    fn a_guess_may_be_made_more_exact_but_never_turned_around() {
        let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(Home::default()));
        assert!(same("调低音量=一点", "调低音量", &vocabulary));
        assert!(same("打开", "打开", &vocabulary) && !same("打开", "关闭", &vocabulary));
        assert!(fits("调低=一点", "调低音量", &vocabulary));
        assert!(!fits("调高=一点", "调低音量", &vocabulary) && !fits("打开", "关闭", &vocabulary));
        assert!(!fits("查询状态", "打开", &vocabulary));
    }
}

//! What the values of an enumeration mean.

use super::super::lexicon::{self, ChoiceId, Effect, Lexicon};
use crate::home::Domain;
use crate::text::normalize;

/// What each choice of an enumeration means: by its id, by a word for it, or by a word for doing it (`开始清扫`).
pub(super) fn choices(domain: &Domain, lexicon: &Lexicon) -> Vec<Vec<ChoiceId>> {
    let Domain::Enum(list) = domain else { return Vec::new() };
    // down of what has no up is 羽绒服, or anything.
    let sent = |id: &str| list.iter().any(|c| c.value.as_str().is_some_and(|v| v.eq_ignore_ascii_case(id)));
    let one_way = sent("up") != sent("down");
    list.iter()
        .map(|choice| {
            let value = choice.value.as_str().unwrap_or_default().to_lowercase();
            let describe = normalize(&choice.describe);
            // on of what makes a robot suck harder switches nothing on; off may be 熄灭.
            let switch = ["on", "off"].contains(&value.as_str()) && list.len() > 2 && !describe.is_empty();
            let verb = lexicon.verb(&value).filter(|_| switch).map(|verb| &lexicon.verbs[verb]);
            let switches = |c: &lexicon::Choice| {
                let way = one_way && ["up", "down"].contains(&value.as_str()) && !describe.is_empty();
                let said =
                    !way && verb.is_none_or(|verb| verb.words.iter().chain(&verb.state).any(|word| *word == describe));
                said || c.words.iter().any(|word| describe.contains(word.as_str()))
            };
            let hit = |c: &lexicon::Choice| {
                (!value.is_empty() && (c.ids.contains(&value) || c.words.contains(&value)) && switches(c))
                    || (!describe.is_empty() && c.words.contains(&describe))
            };
            // 停止清扫 is said of going home as well, and names it by no word for that.
            let doing = lexicon.verbs.iter().filter(|verb| verb.words.contains(&describe));
            let done = |id: ChoiceId, c: &lexicon::Choice| {
                c.words.iter().any(|word| describe.ends_with(word.as_str()))
                    && doing.clone().any(|verb| verb.does.first() == Some(&Effect::Choice(id)))
            };
            let all = lexicon.choices.iter().enumerate();
            all.filter(|(id, c)| hit(c) || done(*id, c)).map(|(id, _)| id).collect()
        })
        .collect()
}

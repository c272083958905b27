//! What single words are in a question or a condition.

use super::*;
use crate::home::Domain;

/// Properties that are true or false.
pub(in crate::language::grammar) fn is_flag(property: PropertyId, vocabulary: &Vocabulary) -> bool {
    vocabulary.lexicon.properties[property].flag
}

/// Properties that things have besides being on or off, and that are switched by themselves.
pub(in crate::language::grammar) fn is_feature(property: PropertyId, vocabulary: &Vocabulary) -> bool {
    vocabulary.lexicon.properties[property].is_feature()
}

/// Whether what is named has a property as something that is on or off: 声音 of what beeps.
pub(in crate::language::grammar) fn is_switched(
    property: PropertyId,
    nominal: &Nominal,
    vocabulary: &Vocabulary,
) -> bool {
    let devices = super::super::feature::meant(nominal, vocabulary).unwrap_or_default();
    let about = |d: &usize| vocabulary.devices[*d].about(property).and_then(|a| a.domain.as_ref());
    // Whether a lock is locked and a valve open is said of the whole thing.
    let whole = ["power", "locked", "position"].iter().any(|id| vocabulary.lexicon.property(id) == Some(property));
    !whole && !devices.is_empty() && devices.iter().all(|d| about(d) == Some(&Domain::Bool))
}

pub(in crate::language::grammar) fn is_noun(sense: &Sense) -> bool {
    matches!(sense, Sense::Devices(_) | Sense::Group(_) | Sense::Scene(_) | Sense::Kind(_) | Sense::Sort(_))
}

/// The state a word names; verbs count in questions (关了没, 打开了吗).
pub(in crate::language::grammar) fn state_of(token: &Token) -> Option<VerbId> {
    let state = token.senses.iter().find_map(|s| if let Sense::State(v) = s { Some(*v) } else { None });
    state.or_else(|| token.senses.iter().find_map(|s| if let Sense::Verb(v) = s { Some(*v) } else { None }))
}

pub(in crate::language::grammar) fn direction(sense: &Sense) -> Option<(PropertyId, bool)> {
    if let Sense::Direction { property, up } = sense { Some((*property, *up)) } else { None }
}

/// 几度, 多热: the question word that settles the property.
pub(in crate::language::grammar) fn asked_property(token: &Token, vocabulary: &Vocabulary) -> Option<PropertyId> {
    if let Some(property) = nominal::property(token) {
        return Some(property);
    }
    let rest: String = token.text.chars().skip(1).collect();
    let last: String = token.text.chars().last().into_iter().collect();
    let unit = |word: &str| {
        vocabulary
            .senses(word)
            .contains(&Sense::Unit(Unit::Celsius))
            .then(|| vocabulary.lexicon.property("temperature"))?
    };
    // 几档: a gear is whatever the device calls it.
    if vocabulary.senses(&last).contains(&Sense::Unit(Unit::Gear)) {
        return None;
    }
    property_of_direction(&rest, vocabulary).or_else(|| unit(&last)).or_else(|| {
        // 哪个频道
        let of = |word: &str| {
            vocabulary.senses(word).iter().find_map(|s| if let Sense::Property(p) = s { Some(*p) } else { None })
        };
        let behind = rest.char_indices().map(|(at, _)| &rest[at..]);
        behind.filter(|word| *word == rest || word.chars().count() > 1).find_map(of)
    })
}

pub(in crate::language::grammar) fn is_not(token: &Token) -> bool {
    token.has(&Sense::Not) || token.has(&Sense::Negation)
}

/// `水` of `水烧到多少度`: what leads to how much is asked or compared, and is said of nothing else.
pub(in crate::language::grammar) fn leads_to_amount(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let asked =
        |t: &Token| t.any(|s| matches!(s, Sense::Question(Question::HowMuch | Question::HowMany) | Sense::Compare(_)));
    vocabulary.lexicon.through.contains(&tokens[at].text) && tokens[at + 1..].iter().any(asked)
}

/// 热水器水烧到多少度: of a thing that tells how warm its water is, the water is asked for.
pub(in crate::language::grammar) fn of_water(
    token: &Token,
    nominal: &Nominal,
    vocabulary: &Vocabulary,
) -> Option<PropertyId> {
    let property = vocabulary.lexicon.property("water_temperature")?;
    let named = vocabulary.lexicon.properties[property].words.first()?.starts_with(&token.text);
    let devices = super::super::feature::meant(nominal, vocabulary)?;
    let tells = devices.iter().any(|d| vocabulary.devices[*d].about(property).is_some());
    (named && tells).then_some(property)
}

/// Words that add nothing to a question.
pub(in crate::language::grammar) fn is_small(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::Filler
                | Sense::Particle
                | Sense::Of
                | Sense::Is
                | Sense::Already
                | Sense::AskFor
                | Sense::Polite
                | Sense::Punctuation
                | Sense::Each
                | Sense::Disposal
                | Sense::Measure
                | Sense::All
                | Sense::RoomSuffix
                | Sense::Also
                | Sense::Conjunction
                | Sense::IfClose
                | Sense::SetBare
                | Sense::Set { .. }
                | Sense::Make
        )
    })
}

/// What the one thing tells that is called like it: 温度多少, of a sensor that is called 温度. Nobody counts one thing.
pub(super) fn told_by_name(nominal: &Nominal, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let Some(Head::Named { text, devices, .. }) = &nominal.head else { return None };
    let [device] = devices[..] else { return None };
    let of = |sense: &Sense| if let Sense::Property(property) = sense { Some(*property) } else { None };
    let property = vocabulary.lexicon.senses(text).iter().find_map(of)?;
    let abilities = &vocabulary.devices[device].abilities;
    abilities.iter().any(|a| a.property == Some(property) || a.kin == Some(property)).then_some(property)
}

/// The property a word names by itself (`多热` asks for the temperature).
pub(super) fn property_of_direction(word: &str, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let senses = vocabulary.senses(word);
    let found: Vec<_> = senses
        .iter()
        .filter_map(|s| if let Sense::Direction { property, .. } = s { Some(*property) } else { None })
        .collect();
    // 多冷 asks for what a thermometer says, and not how cold a light looks.
    let temperature = vocabulary.lexicon.property("temperature").filter(|t| found.contains(t));
    temperature.or_else(|| found.first().copied())
}

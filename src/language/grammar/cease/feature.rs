//! What a thing shall not do besides what it is for: `空调别扫了`, `地暖不防冻了`. The feature ends, and not the thing; what is on its way stops.

use super::super::super::lexicon::{Effect, Lexicon, PropertyId, Sense, VerbId};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal;
use super::super::recut::devices;
use super::{goes_on, kinds};
use crate::home::{DeviceIndex, Domain};
use crate::text::normalize;

/// How what a device does ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// One of its features is switched off.
    Feature(PropertyId),
    /// What keeps it off is switched on: 防直吹.
    Against(PropertyId),
    /// It is told to end.
    Verb(VerbId),
}

impl End {
    /// What is told of the thing, as people say it.
    fn tokens(self, lexicon: &Lexicon) -> Option<Vec<Token>> {
        let switched = |feature, verb| {
            Some(vec![Token::of_property(feature, lexicon), Token::of_verb(lexicon.verb(verb)?, lexicon)])
        };
        match self {
            Self::Feature(feature) => switched(feature, "off"),
            Self::Against(feature) => switched(feature, "on"),
            Self::Verb(verb) => Some(vec![Token::of_verb(verb, lexicon)]),
        }
    }
}

/// `别响` behind a pause, of a feature of the thing that was named last: `养生壶煮花茶，别响`.
pub(super) fn of_thing_named(clause: &[Token], before: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    let named = |t: &Token| devices(t, vocabulary).is_some_and(|of| !of.is_empty());
    if clause.iter().any(named) || is_kept(clause.first()?, vocabulary) {
        return None;
    }
    let thing = before.iter().rfind(|t| named(t))?;
    let what = no_more(clause, lexicon)?;
    let ended = end(&devices(thing, vocabulary)?, &what, vocabulary)?;
    let told = ended.tokens(lexicon).filter(|_| !matches!(ended, End::Verb(_)))?;
    Some(std::iter::once(thing.clone()).chain(told).collect())
}

/// `别让洗碗机烘干了`: what one of its features does.
pub(super) fn let_no_more(thing: &Token, rest: &str, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let what = trimmed(rest, &vocabulary.lexicon);
    let ended = end(&devices(thing, vocabulary)?, what, vocabulary)?;
    ended.tokens(&vocabulary.lexicon).filter(|_| !matches!(ended, End::Verb(_)))
}

/// The clause with the feature that shall end; without what nothing of the thing does, which says nothing (`烘干机别响了`). `None` where
/// it does not say that something shall not be.
pub(super) fn of_its_feature(clause: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    // 扫地机别播报了，吵死了, without the pause.
    let reason =
        (2..clause.len()).find(|at| clause[*at].has(&Sense::Reason) && is_changed(&clause[*at - 1], vocabulary));
    let clause = &clause[..reason.unwrap_or(clause.len())];
    let at = (1..clause.len())
        .find(|at| !is_kept(&clause[*at], vocabulary) && no_more(&clause[*at..], lexicon).is_some())?;
    let what = no_more(&clause[at..], lexicon)?;
    let thing = clause[..at].iter().rfind(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()))?;
    let of_kind: Vec<usize> = thing.senses.iter().flat_map(|sense| kinds(sense, vocabulary)).collect();
    if of_kind.iter().any(|kind| lexicon.kinds[*kind].goes.contains(&what)) {
        return None;
    }
    let named = || {
        let flag = |p: &PropertyId| lexicon.properties[*p].flag;
        clause.get(at + 1).and_then(nominal::property).filter(flag).map(End::Feature)
    };
    let ended = match end(&devices(thing, vocabulary)?, &what, vocabulary).or_else(named) {
        Some(feature @ (End::Feature(_) | End::Against(_))) => feature.tokens(lexicon)?,
        // 窗帘不动了 complains, and 窗帘不用拉了 refuses what could be told.
        Some(End::Verb(verb)) if goes_on(&clause[at..], lexicon).is_some() && !is_told(&what, lexicon) => {
            vec![Token::of_verb(verb, lexicon)]
        }
        // 别响了 by itself ends whatever sounds.
        _ => {
            let known = ["off", "stop"].map(|id| lexicon.verb(id));
            let [word] = &clause[at..] else { return None };
            let ends = word.any(|s| matches!(s, Sense::Verb(verb) if known.contains(&Some(*verb))));
            let goes = of_kind.iter().any(|kind| !lexicon.kinds[*kind].goes.is_empty());
            vec![Some(Token { senses: Vec::new(), ..word.clone() }).filter(|_| ends && goes)?]
        }
    };
    Some(clause[..at].iter().cloned().chain(ended).collect())
}

/// Whether a clause says of a thing that it shall not do what it never does: `烘干机别响了`.
pub fn ends_nothing(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    of_its_feature(clause, vocabulary).is_some_and(|clause| clause.last().is_some_and(Token::is_residue))
}

fn is_changed(token: &Token, vocabulary: &Vocabulary) -> bool {
    token.text.ends_with(vocabulary.lexicon.marks.changed.as_str()) && !token.is_entity()
}

fn is_kept(token: &Token, vocabulary: &Vocabulary) -> bool {
    token.is_entity() || vocabulary.lexicon.kept.contains(&token.text)
}

/// What words say that shall not be: behind 别, or between 不 and 了.
pub fn no_more(words: &[Token], lexicon: &Lexicon) -> Option<String> {
    let text: String = words.iter().map(|t| t.text.as_str()).collect();
    let denied = || text.strip_prefix(lexicon.marks.not.as_str()).filter(|rest| rest.contains(&lexicon.marks.changed));
    let rest = goes_on(words, lexicon).or_else(|| denied().map(str::to_owned))?;
    let what = trimmed(&rest, lexicon);
    // 不用再开了
    let what = lexicon.marks.again.iter().find_map(|again| what.strip_prefix(again.as_str())).unwrap_or(what);
    (!what.is_empty()).then(|| what.to_owned())
}

/// Without what may follow it: 响 of 响了啊.
fn trimmed<'t>(what: &'t str, lexicon: &Lexicon) -> &'t str {
    what.trim_end_matches(|c: char| lexicon.ceases.ends.iter().any(|end| *end == c.to_string()))
}

/// What ends that devices do so: all of them, a feature, or where they are on their way.
pub fn end(devices: &[DeviceIndex], what: &str, vocabulary: &Vocabulary) -> Option<End> {
    let lexicon = &vocabulary.lexicon;
    let goes = |d: &DeviceIndex| {
        let mut kinds = vocabulary.devices[*d].kinds.iter();
        kinds.any(|kind| lexicon.kinds[*kind].goes.iter().any(|goes| goes == what))
    };
    let called = |d: &DeviceIndex| vocabulary.home.devices[*d].names().any(|name| name.contains(what));
    let task = |d: &DeviceIndex| vocabulary.devices[*d].kinds.iter().any(|kind| lexicon.kinds[*kind].task);
    let whole = || lexicon.verb(if devices.iter().any(task) { "stop" } else { "off" }).map(End::Verb);
    let on_its_way = |halt: &VerbId| {
        lexicon.marks.moves.iter().any(|word| word == what)
            && devices.iter().all(|d| can(*d, *halt, vocabulary) && !task(d))
    };
    if devices.is_empty() {
        return None;
    }
    if devices.iter().all(goes) {
        return whole();
    }
    let feature = feature(devices, what, vocabulary);
    // 电饭锅别保温了: one of the things that it may be doing, beside that it does none.
    let runs = || lexicon.verb("stop").filter(|_| devices.iter().all(|d| runs(*d, what, vocabulary))).map(End::Verb);
    let halt = || lexicon.verb("halt").filter(on_its_way).map(End::Verb);
    // 空调, then 不用调了: that is told of anything.
    let named = || !is_told(what, lexicon) && devices.iter().all(called);
    feature.or_else(halt).or_else(runs).or_else(|| if named() { whole() } else { None })
}

/// How devices stop that are on their way, where words say no more than that they have come far enough.
pub fn far_enough(devices: &[DeviceIndex], words: &[Token], vocabulary: &Vocabulary) -> Option<End> {
    let lexicon = &vocabulary.lexicon;
    let halt = lexicon.verb("halt")?;
    let task = |d: &DeviceIndex| vocabulary.devices[*d].kinds.iter().any(|kind| lexicon.kinds[*kind].task);
    let text: String = words.iter().map(|t| t.text.as_str()).collect();
    let bare = |text: &str| trimmed(text, lexicon).to_owned();
    let good = lexicon.asides.enough.iter().find_map(|good| bare(&text).strip_suffix(bare(good).as_str()).map(bare));
    let is = |text: &String| lexicon.ceases.far_enough.contains(text);
    let says = is(&bare(&text)) || good.is_some_and(|text| is(&text));
    (says && !devices.is_empty() && devices.iter().all(|d| !task(d) && can(*d, halt, vocabulary)))
        .then_some(End::Verb(halt))
}

/// Whether people tell things to do so, with no value (转 sets one: `转到三档`).
fn is_told(what: &str, lexicon: &Lexicon) -> bool {
    lexicon.senses(what).iter().any(|s| matches!(s, Sense::Verb(_) | Sense::SetBare | Sense::Step { .. }))
}

/// Whether a device can do something by a value or a command of its own.
fn can(device: DeviceIndex, verb: VerbId, vocabulary: &Vocabulary) -> bool {
    let does = &vocabulary.lexicon.verbs[verb].does;
    let value = |choice: &usize| does.iter().any(|effect| matches!(effect, Effect::Choice(of) if of == choice));
    let abilities = &vocabulary.devices[device].abilities;
    abilities.iter().any(|a| a.writable && (a.verb == Some(verb) || a.choices.iter().flatten().any(value)))
}

/// Whether something is one of the values of what a device does, and another is that it stops.
fn runs(device: DeviceIndex, what: &str, vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let stops = |choice: &usize| ["stop", "cancel"].contains(&lexicon.choices[*choice].id.as_str());
    vocabulary.devices[device].abilities.iter().filter(|a| a.writable).any(|a| {
        let Some(Domain::Enum(list)) = &a.domain else { return false };
        a.choices.iter().flatten().any(stops) && list.iter().any(|c| normalize(&c.describe) == what)
    })
}

/// What becomes of the feature of things that is called so, or by words with that in them; of the one that covers several.
fn feature(owners: &[DeviceIndex], what: &str, vocabulary: &Vocabulary) -> Option<End> {
    let lexicon = &vocabulary.lexicon;
    let switched = |p: &PropertyId| lexicon.properties[*p].flag && Some(*p) != lexicon.property("power");
    let abilities = owners.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter()).filter(|a| a.writable);
    let mut features: Vec<PropertyId> = abilities.filter_map(|a| a.property).filter(switched).collect();
    features.sort_unstable();
    features.dedup();
    let called = |p: &&PropertyId| lexicon.properties[**p].words.iter().any(|word| word == what);
    if let Some(exact) = features.iter().find(called) {
        return Some(End::Feature(*exact));
    }
    let said = lexicon.doings.iter().find(|group| group.iter().any(|word| word == what));
    let in_name = |p: &PropertyId| {
        let mut words = lexicon.properties[*p].words.iter();
        words.any(|word| {
            let named = |part: &String| part.chars().count() > 1 && word.contains(part.as_str());
            word.contains(what) || said.is_some_and(|group| group.iter().any(named))
        })
    };
    features.retain(in_name);
    let against = |p: &PropertyId| {
        let keeps_off = |word: &String| lexicon.ceases.against.iter().any(|off| word.contains(off.as_str()));
        lexicon.properties[*p].words.first().is_some_and(keeps_off)
    };
    // 防直吹 is no 直吹, and a device that sounds and can be left in peace stops sounding.
    if features.iter().any(|p| !against(p)) {
        features.retain(|p| !against(p));
    }
    let covers = |p: &PropertyId| features.iter().all(|one| lexicon.properties[*p].covers.contains(one));
    match features[..] {
        [] => None,
        [one] if against(&one) => Some(End::Against(one)),
        [one] => Some(End::Feature(one)),
        _ => (0..lexicon.properties.len()).find(covers).map(End::Feature),
    }
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn a_feature_that_shall_not_be_ends_and_not_the_thing() {
        let Parse::Orders(orders) = at_home("空调不扫风了") else { panic!() };
        assert_eq!(Parse::Orders(orders), at_home("空调扫风关了"));
    }

    #[test]
    fn what_a_thing_never_does_ends_nothing() {
        assert!(
            !matches!(at_home("热水器别响了"), Parse::Orders(orders) if orders.iter().any(|o| !o.action.moves_nothing()))
        );
    }
}

//! Features: what a device has besides being on or off, named beside a verb that switches it (`打开屏显`, `空调的童锁解除`).

mod behind;
mod value;

pub use behind::unknown_feature;
pub(super) use behind::without_pause;
pub(super) use value::{named_as_value, sound_switched};

use super::super::lexicon::{PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::noun::{Head, Nominal};
pub(super) use super::noun::{devices_of, meant};
use super::word::{kind, sort};
pub(super) use super::word::{owns, property};
use super::{leave, recut};

/// What stands where nobody paused.
const PAUSE: &str = ",";

/// The property that a token may name where it stands beside a verb that switches.
fn ambiguous(token: &Token) -> Option<PropertyId> {
    token.senses.iter().find_map(|s| if let Sense::Feature(property) = s { Some(*property) } else { None })
}

/// Whether a verb switches whatever is named with it.
fn switches(token: &Token, vocabulary: &Vocabulary) -> bool {
    token.any(|s| vocabulary.lexicon.switches(s).is_some())
}

/// Whether a verb that switches stands before a position, with nothing but what it is about between them.
pub(super) fn after_switch(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    tokens[..at]
        .iter()
        .rev()
        .take_while(|t| switches(t, vocabulary) || owns(t))
        .any(|t| switches(t, vocabulary) && !t.is_entity())
}

/// Whether a verb that switches follows a position, small words aside.
fn before_switch(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> bool {
    let small = |t: &&Token| {
        t.any(|s| matches!(s, Sense::Each | Sense::Also | Sense::Disposal | Sense::Filler | Sense::Particle))
            || vocabulary.lexicon.feature_suffix.contains(&t.text)
    };
    let next = tokens[at + 1..].iter().find(|t| !small(t) || switches(t, vocabulary));
    next.is_some_and(|t| switches(t, vocabulary))
}

/// Whether it is said to be more or less: `雾大一点`.
fn graded(tokens: &[Token], at: usize) -> bool {
    let next = tokens[at + 1..].iter().find(|t| !t.any(|s| matches!(s, Sense::Make | Sense::Little | Sense::Filler)));
    next.is_some_and(|t| t.any(|s| matches!(s, Sense::Degree { .. } | Sense::Step { .. } | Sense::Extreme(_))))
}

/// The feature that stands at a position, and where its name ends.
pub(super) fn feature(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<(PropertyId, usize)> {
    let token = &tokens[at];
    let beside = || after_switch(tokens, at, vocabulary) || before_switch(tokens, at, vocabulary);
    let suffixed = |t: &Token| vocabulary.lexicon.feature_suffix.contains(&t.text);
    let next_is_suffix = tokens.get(at + 1).is_some_and(suffixed);
    let property = match (property(token), ambiguous(token)) {
        (Some(property), _) => property,
        (None, Some(property)) if next_is_suffix || beside() || graded(tokens, at) => property,
        _ => return None,
    };
    let flag = vocabulary.lexicon.properties[property].flag;
    Some((property, at + 1 + usize::from(flag && next_is_suffix)))
}

/// What a token names of the thing before it: `油烟机的照明`, `加湿器那个氛围灯`. Of a lamp in a hood the hood is meant.
pub(super) fn owned(
    tokens: &[Token],
    at: usize,
    nominal: &Nominal,
    vocabulary: &Vocabulary,
) -> Option<(PropertyId, usize)> {
    // 它的换气: whatever it is, it has that.
    let its = matches!(nominal.head, Some(Head::Reference(_))) && tokens.get(at).is_some_and(|t| t.has(&Sense::Of));
    let any = || its.then(|| (0..vocabulary.devices.len()).collect());
    let owners = meant(nominal, vocabulary).or_else(any)?;
    let linked = |t: &Token| {
        t.has(&Sense::Of) || t.has(&Sense::Reference) || t.has(&Sense::RoomSuffix) || t.has(&Sense::Measure)
    };
    let skipped = tokens[at..].iter().take_while(|t| linked(t) && !t.is_entity()).count();
    let at = at + skipped;
    let token = tokens.get(at)?;
    if token.any(|s| matches!(s, Sense::Devices(_))) && skipped == 0 {
        return None;
    }
    let has = |property: PropertyId| {
        owners.iter().any(|d| vocabulary.devices[*d].about(property).is_some_and(|a| a.property == Some(property)))
    };
    let called = property(token).into_iter().chain(ambiguous(token)).find(|p| {
        let property = &vocabulary.lexicon.properties[*p];
        (property.own || property.flag) && has(*p)
    });
    let after = |kind: usize| {
        let part = |d: &usize| {
            let sense = &vocabulary.devices[*d];
            !sense.is(kind) || sense.has_no_switch(&vocabulary.lexicon)
        };
        let mut found = owners.iter().filter(|d| part(d));
        found.find_map(|d| vocabulary.devices[*d].feature_of_kind(kind, &vocabulary.lexicon))
    };
    let property = called.or_else(|| kind(token).or_else(|| sort(token)).filter(|_| !its).and_then(after))?;
    let suffix = tokens.get(at + 1).is_some_and(|t| vocabulary.lexicon.feature_suffix.contains(&t.text));
    Some((property, at + 1 + usize::from(suffix)))
}

/// `出两份粮` is `出粮两份`: how much of it stands within the name of what is counted out.
pub(super) fn counted_within(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut counted = tokens;
    let mut at = 0;
    while let Some([first, number, measure, last]) = counted.get(at..at + 4) {
        let named = format!("{}{}", first.text, last.text);
        let senses = vocabulary.senses(&named);
        let own = |s: &Sense| matches!(s, Sense::Property(p) | Sense::Feature(p) if vocabulary.lexicon.properties[*p].own && !vocabulary.lexicon.properties[*p].flag);
        let counts = number.any(|s| matches!(s, Sense::Number(_))) && measure.has(&Sense::Measure);
        if counts && !first.is_entity() && !last.is_entity() && senses.iter().any(own) {
            let senses = senses.iter().filter(|s| own(s)).cloned().collect();
            counted[at] = Token { text: named, heard: None, senses };
            counted.remove(at + 3);
        }
        at += 1;
    }
    counted
}

/// `不要左右摆风`: not to have a feature is to switch it off. A verb in the clause makes it a refusal.
pub(super) fn declined(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(off) = vocabulary.lexicon.verb("off") else { return tokens };
    let feature = |t: &Token| {
        let named = property(t).or_else(|| ambiguous(t));
        named.is_some_and(|p| {
            let property = &vocabulary.lexicon.properties[p];
            property.flag && (property.own || !property.kinds.is_empty()) && !t.any(|s| matches!(s, Sense::Verb(_)))
        })
    };
    let mut declined = tokens.clone();
    let kept = |t: &Token| vocabulary.lexicon.kept.contains(&t.text);
    // 扫风 is a verb as well.
    let swings = |t: &Token| property(t).is_some_and(|p| vocabulary.lexicon.properties[p].flag) && !t.is_entity();
    let shall_not = |t: &Token| feature(t) || swings(t);
    for (at, token) in tokens.iter().enumerate() {
        let clause = tokens[at + 1..].split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
        let before = tokens[..at].iter().rev().take_while(|t| !t.has(&Sense::Punctuation));
        let acts = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. }));
        // 别用电辅热了
        let gives = |t: &Token| t.has(&Sense::Grant);
        let rest = clause.iter().find(|t| !t.any(|s| matches!(s, Sense::Filler | Sense::Particle)) && !gives(t));
        let acts = |t: &Token| acts(t) && !gives(t);
        // 电辅热不要了
        let over = |t: &Token| t.text == vocabulary.lexicon.marks.changed;
        let ends = clause.iter().all(|t| t.any(|s| matches!(s, Sense::Filler | Sense::Particle)))
            || clause.first().is_some_and(over);
        let after = at > 0 && (feature(&tokens[at - 1]) || swings(&tokens[at - 1])) && ends;
        // 速冷不用哈: it shall not begin.
        let over_now = clause.first().is_some_and(over);
        // 不要无风感了
        let behind = at + 1 + clause.iter().take_while(|t| t.has(&Sense::Filler) && !t.is_entity()).count();
        let value = |t: &Token| t.any(|s| matches!(s, Sense::Value | Sense::Choice(_))) && !t.is_entity();
        let from = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let until = at + 1 + clause.len();
        let left = tokens[behind..until].split_first().is_some_and(|(first, rest)| {
            value(first)
                && rest.iter().all(|t| t.text == vocabulary.lexicon.marks.changed || t.has(&Sense::Particle))
                && leave::may_be_left(behind - from, &tokens[from..until], vocabulary)
        });
        let needless = after && vocabulary.lexicon.marks.needless.contains(&token.text) && !over_now;
        if token.has(&Sense::Negation)
            && !kept(token)
            && !needless
            && (after
                || left
                || rest.is_some_and(&shall_not)
                    && !clause.iter().any(|t| acts(t) && !swings(t))
                    && !before.into_iter().any(acts))
        {
            declined[at] = Token {
                text: vocabulary.lexicon.verbs[off].words[0].clone(),
                heard: None,
                senses: vec![Sense::Verb(off)],
            };
            let given = clause.iter().take_while(|t| !shall_not(t)).count();
            if !after && !left {
                declined[at + 1..at + 1 + given].iter_mut().for_each(|t| t.senses = vec![Sense::Filler]);
            }
        }
    }
    declined
}

/// `上个童锁`, `用速热`, `设成免打扰`: what gives a thing a feature switches it on. A verb in the clause says more.
pub(super) fn granted(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(on) = vocabulary.lexicon.verb("on") else { return tokens };
    let feature = |t: &Token| {
        let named = property(t).or_else(|| ambiguous(t));
        named.is_some_and(|p| {
            let property = &vocabulary.lexicon.properties[p];
            property.flag && (property.own || !property.kinds.is_empty())
        }) && !t.is_entity()
    };
    let gives = |t: &Token| t.any(|s| matches!(s, Sense::Grant | Sense::Set { .. } | Sense::SetBare));
    let mut granted = tokens.clone();
    for (at, token) in tokens.iter().enumerate() {
        if !gives(token) || token.is_entity() {
            continue;
        }
        // 烘干来一下
        let clause = tokens[at + 1..].split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
        let ends = clause.iter().all(|t| t.any(|s| matches!(s, Sense::Filler | Sense::Particle)));
        // 童锁也挂上
        let small = |t: &&Token| t.any(|s| matches!(s, Sense::Also | Sense::Each | Sense::Disposal | Sense::Filler));
        let before = tokens[..at].iter().rev().find(|t| !small(t) || feature(t));
        if token.has(&Sense::Grant) && ends && before.is_some_and(feature) {
            granted[at] = Token::of_verb(on, &vocabulary.lexicon);
            continue;
        }
        let measures = tokens[at + 1..].iter().take_while(|t| t.has(&Sense::Measure) && !t.is_entity()).count();
        let Some(what) = tokens.get(at + 1 + measures).filter(|t| feature(t)) else { continue };
        let value = what.any(|s| matches!(s, Sense::Value | Sense::Choice(_)));
        let clause = tokens[at + 1 + measures..].split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
        let acts = |t: &Token| {
            t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Number(_) | Sense::Choice(_)))
        };
        if !value && !clause[1..].iter().any(acts) {
            granted[at] = Token::of_verb(on, &vocabulary.lexicon);
            granted[at + 1..at + 1 + measures].iter_mut().for_each(|t| t.senses = vec![Sense::Filler]);
        }
    }
    granted
}

/// `烤箱锁上`, `地暖解锁`: of what has no lock but a feature that is called one (`童锁`), that feature.
pub(super) fn locked(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let [lock, unlock] = ["lock", "unlock"].map(|id| lexicon.verb(id));
    for at in 1..tokens.len() {
        let told =
            |verb| !tokens[at].is_entity() && tokens[at].any(|s| matches!(s, Sense::Verb(of) if Some(*of) == verb));
        let verb = match () {
            () if told(lock) => "on",
            () if told(unlock) => "off",
            () => continue,
        };
        let things = recut::devices(&tokens[at - 1], vocabulary).unwrap_or_default();
        let Some(feature) = lock_of(&things, vocabulary) else { continue };
        let Some(verb) = lexicon.verb(verb) else { continue };
        tokens.splice(at..=at, [Token::of_property(feature, lexicon), Token::of_verb(verb, lexicon)]);
    }
    tokens
}

/// The feature of things that is called a lock, where none of them is one.
fn lock_of(things: &[usize], vocabulary: &Vocabulary) -> Option<PropertyId> {
    let lexicon = &vocabulary.lexicon;
    let (lock, locked) = (lexicon.kind("lock")?, lexicon.property("locked"));
    let locks = |d: &usize| {
        vocabulary.devices[*d].is(lock) || locked.is_some_and(|p| vocabulary.devices[*d].about(p).is_some())
    };
    if things.iter().any(locks) {
        return None;
    }
    let abilities = things.iter().flat_map(|d| vocabulary.devices[*d].abilities.iter());
    let mut switched =
        abilities.filter(|a| a.writable).filter_map(|a| a.property).filter(|p| lexicon.properties[*p].flag);
    let word = lexicon.kinds[lock].words.first()?;
    switched.find(|p| lexicon.properties[*p].words.iter().any(|called| called.ends_with(word.as_str())))
}

/// `热水器速热，水温五十五`, `洗碗机玻璃，除菌`: in a row of values a feature that is only named is to be on. Where something is switched, it may
/// be of that (`照明，烘干，都打开`).
pub(super) fn on_in_row(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some(on) = lexicon.verb("on") else { return tokens };
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let binds = |s: &Sense| {
        use Sense::{Grant, If, Negation, Not, Past, Question, Report, Suppose};
        matches!(s, Grant | If | Negation | Not | Past | Question(_) | Report | Suppose)
            || lexicon.switches(s).is_some()
    };
    let open = |t: &Token| !t.is_entity() && (t.is_residue() || t.any(binds) && property(t).is_none());
    let value = |t: &Token| {
        let value = |s: &Sense| {
            matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Value | Sense::Extreme(_) | Sense::Fraction(_))
        };
        t.any(value) && !t.is_entity()
    };
    if tokens.iter().any(open) || !tokens.iter().any(value) {
        return tokens;
    }
    let named = |t: &Token| {
        let switched = |p: &PropertyId| {
            let property = &lexicon.properties[*p];
            property.flag && (property.own || !property.kinds.is_empty())
        };
        property(t).filter(|p| switched(p) && !t.is_entity() && !t.any(|s| matches!(s, Sense::Verb(_))))
    };
    // 制冷26度上下扫风: told in a row without a pause.
    for at in (1..tokens.len()).rev() {
        let unit = |t: &Token| t.any(|s| matches!(s, Sense::Unit(_))) && !t.is_entity();
        let last = tokens.get(at + 1).is_none_or(pause);
        if last && named(&tokens[at]).is_some() && (value(&tokens[at - 1]) || unit(&tokens[at - 1])) {
            tokens.insert(at, Token { text: PAUSE.into(), heard: None, senses: vec![Sense::Punctuation] });
        }
    }
    let mut end = tokens.len();
    while end > 0 {
        let begin = tokens[..end].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let clause = &tokens[begin..end];
        if let Some((last, of)) = clause.split_last()
            && named(last).is_some()
            && clause.len() < tokens.len()
            && of.iter().all(owns)
        {
            tokens.insert(end, Token::of_verb(on, lexicon));
        }
        end = begin.saturating_sub(1);
    }
    tokens
}

/// `摆风关了`, `摆风改成固定`: what is a verb as well is a feature where it is told right behind what it shall be.
pub(super) fn switched(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let flag = |s: &Sense| matches!(s, Sense::Property(p) | Sense::Feature(p) if lexicon.properties[*p].flag);
    let switches = |s: &Sense| lexicon.switches(s).is_some();
    for at in 1..tokens.len() {
        // 摆风全打开
        let each = tokens[at..].iter().take_while(|t| t.has(&Sense::Each) && !t.is_entity()).count();
        let Some(next) = tokens.get(at + each) else { continue };
        let feature = &tokens[at - 1];
        let verb = feature.any(|s| matches!(s, Sense::Verb(_))) && !feature.is_entity();
        let value = tokens.get(at + each + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Choice(_))));
        let sets = value && next.any(|s| matches!(s, Sense::Set { .. })) && !next.any(|s| matches!(s, Sense::Verb(_)));
        if verb && feature.any(flag) && (sets || next.any(switches)) && !next.is_entity() && !next.any(flag) {
            tokens[at - 1].senses.retain(|s| !matches!(s, Sense::Verb(_)));
        }
    }
    tokens
}

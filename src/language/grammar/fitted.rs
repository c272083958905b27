//! The lamp that a thing has of its own: `油烟机上头那个灯`, `酒柜解了童锁，再把里面的灯打开`, `加湿器太刺眼，只灭灯`, `油烟机开二档灯也打开`.

use super::super::lexicon::{KindId, PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{kind, place, property};
use super::recut::devices;

/// The sentence with that lamp as a feature of the thing, where the words say that it is no lamp of the room.
pub(super) fn lamp_of_it(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(light) = vocabulary.lexicon.kind("light") else { return tokens };
    let mut at = 1;
    while at < tokens.len() {
        let lamp = |t: &Token| t.any(|s| matches!(s, Sense::Kind(kind) | Sense::Sort(kind) if *kind == light));
        if lamp(&tokens[at]) && !tokens[at].is_entity() {
            at = fitted(&mut tokens, at, light, vocabulary);
        }
        at += 1;
    }
    tokens
}

/// `吊灯的光调暖一点`: what a lamp gives is the lamp. `擦窗的也停了`: what a thing does is named, whether it is said to be one or not.
pub(super) fn without_shine(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some(light) = lexicon.kind("light") else { return tokens };
    let lamp = |t: &Token| devices(t, vocabulary).is_some_and(|of| of.iter().any(|d| vocabulary.devices[*d].is(light)));
    let has = |t: &Token| !t.is_entity() && property(t).is_some();
    let mut at = 1;
    while at < tokens.len() {
        let of = tokens[at].has(&Sense::Of) && !tokens[at].is_entity();
        // 客厅主灯光调暖一点
        let next = tokens.get(at + 1);
        let told = next.is_some_and(|t| t.any(|s| s.is_action() || matches!(s, Sense::Disposal)));
        let own = tokens[at].is_residue() && lexicon.marks.shine.contains(&tokens[at].text);
        if own && told && lamp(&tokens[at - 1]) {
            tokens.remove(at);
            continue;
        }
        let shines = next.is_some_and(|t| t.is_residue() && lexicon.marks.shine.contains(&t.text));
        if of && shines && lamp(&tokens[at - 1]) {
            tokens.drain(at..at + 2);
        } else if of && has(&tokens[at - 1]) && next.is_some_and(|t| t.any(|s| matches!(s, Sense::Also | Sense::Each)))
        {
            tokens.remove(at);
        }
        at += 1;
    }
    tokens
}

/// Names the lamp at a position by its thing; the position where it stands then.
fn fitted(tokens: &mut Vec<Token>, at: usize, light: KindId, vocabulary: &Vocabulary) -> usize {
    let lead = tokens[..at].iter().rev().take_while(|t| leads(t)).count();
    let within = tokens[at - lead..at].iter().any(|t| t.has(&Sense::RoomSuffix));
    // 它上面的照明: of what was spoken of.
    let it = tokens[at - lead..at].iter().position(|t| t.text == vocabulary.lexicon.marks.it);
    if let Some(it) = it.map(|from| at - lead + from).filter(|_| within) {
        tokens.drain(it + 1..at);
        return it + 1;
    }
    if let Some(lamp) = in_a_row(tokens, at, light, vocabulary) {
        tokens[at].senses = vec![Sense::Property(lamp)];
        return at;
    }
    let owner = tokens[..at - lead].iter().rposition(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()));
    let Some(owner) = owner.filter(|owner| !tokens[owner + 1..at].iter().any(|t| place(t).is_some())) else {
        return at;
    };
    let before = &tokens[owner + 1..at];
    let only = |t: &Token| vocabulary.lexicon.marks.only.contains(&t.text);
    let alone = match before {
        [.., only_word, verb] => only(only_word) && verb.any(|s| matches!(s, Sense::Verb(_))),
        _ => false,
    };
    // 油烟机三档 灯也打开
    let value = |s: &Sense| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Extreme(_) | Sense::State(_));
    let told = before.iter().any(|t| t.any(|s| value(s) || s.is_action()) && !t.is_entity());
    let also = told && tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Also));
    let owners = devices(&tokens[owner], vocabulary).unwrap_or_default();
    // 空调关了，灯也关了: its display is no lamp of it.
    let lit = |p: PropertyId| {
        vocabulary.lexicon.properties[p].words.iter().any(|word| vocabulary.lexicon.kinds[light].words.contains(word))
    };
    let Some(lamp) = owners.iter().find_map(|d| lamp_of(*d, light, &tokens[at].text, vocabulary)) else { return at };
    // 油烟机二档，照明打开: by the name that it has there; 小河马关灯
    let called = vocabulary.lexicon.properties[lamp].words.contains(&tokens[at].text)
        && tokens[at].text != vocabulary.lexicon.kinds[light].words[0];
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    let begins = owner == 0 || tokens[owner - 1].has(&Sense::Punctuation);
    let ends = tokens.get(at + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    let switches = begins && ends && matches!(before, [only] if verb(only));
    // 浴霸取暖和照明关掉: in a row with another thing that it has.
    let has = |t: &Token| property(t).is_some_and(|p| vocabulary.lexicon.properties[p].own);
    let listed = matches!(before, [.., other, and] if and.has(&Sense::Conjunction) && has(other));
    // 吊扇关了，上头的照明留着: nothing else of the thing is kept for it.
    if tokens.get(at + 1).is_some_and(|t| t.has(&Sense::ExceptAfter)) {
        return at;
    }
    // 油烟机三档 灯打开: told right behind it, and not with it switched off.
    let goes_off = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s) == Some(false)) && !t.is_entity();
    let last = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    let general = kind(&tokens[at]) == Some(light);
    let behind = general
        && tokens.get(at + 1).is_some_and(verb)
        && tokens.get(at + 2).is_none_or(last)
        && told
        && !before.iter().any(goes_off);
    // 空调那个灯
    let pointed = at - lead == owner + 1 && tokens[owner + 1..at].iter().any(|t| t.has(&Sense::Reference));
    if !(within
        || alone
        || (also && !before.iter().any(goes_off) || behind) && lit(lamp)
        || called
        || switches
        || listed
        || pointed)
    {
        return at;
    }
    let named = Token { senses: vec![Sense::Property(lamp)], ..tokens[at].clone() };
    let of = tokens[owner].clone();
    let begin = if within || pointed || at - lead == owner + 1 { at - lead } else { at };
    let said = if begin == owner + 1 || switches { vec![named] } else { vec![of, named] };
    let end = begin + said.len();
    tokens.splice(begin..=at, said);
    end - 1
}

/// `吊扇灯关了`, `吊扇打开`, `阳光房灯关了`: of what has no switch of its own but one for each thing that it is, the one that it is
/// called after.
pub(super) fn by_its_name(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let switches = |t: &Token| {
        let switches = |s: &Sense| lexicon.switches(s).is_some();
        t.any(switches) && !t.is_entity()
    };
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Filler | Sense::Also | Sense::Each | Sense::Disposal));
    let ends = |t: Option<&Token>| t.is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    let mut at = 0;
    while at < tokens.len() {
        let mut behind = tokens[at + 1..].iter().filter(|t| !small(t));
        let (next, last) = (behind.next(), behind.next());
        let before = tokens[..at].iter().rev().find(|t| !small(t));
        let told = next.is_some_and(switches) && ends(last) || ends(next) && before.is_some_and(switches);
        if let Some(property) = part_called_so(&tokens, at, vocabulary).filter(|_| told) {
            let text = lexicon.properties[property].words[0].clone();
            tokens.insert(at + 1, Token { text, heard: None, senses: vec![Sense::Property(property)] });
        }
        at += 1;
    }
    tokens
}

/// What a thing that has no switch of its own has for what it is called there.
fn part_called_so(tokens: &[Token], at: usize, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let lexicon = &vocabulary.lexicon;
    let token = &tokens[at];
    let mut of = devices(token, vocabulary)?;
    let room = at.checked_sub(1).and_then(|before| {
        tokens[before].senses.iter().find_map(|s| match s {
            Sense::Room(room) => Some(*room),
            _ => None,
        })
    });
    if let Some(room) = room.filter(|_| !token.is_entity()) {
        of.retain(|d| vocabulary.home.devices[*d].room == Some(room));
    }
    let [device] = of[..] else { return None };
    let kinds = match token.is_entity() {
        true => crate::language::meaning::kinds_of_name(&token.text, lexicon),
        false => token
            .senses
            .iter()
            .filter_map(|s| match s {
                Sense::Kind(kind) | Sense::Sort(kind) => Some(*kind),
                _ => None,
            })
            .collect(),
    };
    let called = |p: &PropertyId| {
        let property = &lexicon.properties[*p];
        let named = |kind: &KindId| lexicon.kinds[*kind].words.iter().any(|word| property.words.contains(word));
        property.own && property.flag && kinds.iter().any(|kind| property.kind == Some(*kind) || named(kind))
    };
    let sense = &vocabulary.devices[device];
    // A fan that has a lamp is switched by a name of it, as a hood that has one is not.
    let itself = |kind: &KindId| sense.is(*kind);
    let mut own = sense.abilities.iter().filter(|a| a.writable).filter_map(|a| a.property);
    own.find(called).filter(|_| sense.has_no_switch(lexicon) && kinds.iter().any(itself))
}

/// `风暖和照明都打开`: beside something that one thing alone has, the lamp of that thing by the name that it has there.
fn in_a_row(tokens: &[Token], at: usize, light: KindId, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let [before @ .., other, and] = &tokens[..at] else { return None };
    let named = before.iter().any(|t| devices(t, vocabulary).is_some_and(|of| !of.is_empty()));
    if named || !and.has(&Sense::Conjunction) || other.is_entity() {
        return None;
    }
    let has = property(other).filter(|p| vocabulary.lexicon.properties[*p].own)?;
    let own = |d: &usize| vocabulary.devices[*d].abilities.iter().any(|a| a.writable && a.property == Some(has));
    let mut of = (0..vocabulary.devices.len()).filter(own);
    let device = of.next().filter(|_| of.next().is_none())?;
    let lamp = lamp_of(device, light, &tokens[at].text, vocabulary)?;
    vocabulary.lexicon.properties[lamp].words.contains(&tokens[at].text).then_some(lamp)
}

/// What a thing that is no lamp calls its lamp, if that can be switched.
fn lamp_of(device: usize, light: KindId, said: &String, vocabulary: &Vocabulary) -> Option<PropertyId> {
    let of = &vocabulary.devices[device];
    let called = |word: &String| {
        let named = vocabulary.lexicon.kinds[light].words.iter();
        named.into_iter().any(|lamp| word.ends_with(lamp.as_str()))
    };
    let switched =
        of.abilities.iter().filter(|a| a.writable && (a.domain == Some(crate::home::Domain::Bool) || a.is_switch()));
    let mut lamps = switched.filter_map(|a| a.property).filter(|p| {
        let property = &vocabulary.lexicon.properties[*p];
        property.own && property.words.iter().any(called)
    });
    // 照明 of an aquarium that has a 杀菌灯 as well.
    let exact = lamps.clone().find(|p| vocabulary.lexicon.properties[*p].words.contains(said));
    let only = || lamps.next().filter(|first| lamps.all(|lamp| lamp == *first));
    exact.or_else(only).filter(|_| !of.is(light) || of.has_no_switch(&vocabulary.lexicon))
}

/// What may stand between a thing and its lamp.
fn leads(token: &Token) -> bool {
    let small = |s: &Sense| matches!(s, Sense::RoomSuffix | Sense::Of | Sense::Reference | Sense::Measure);
    token.any(small) && !token.is_entity()
}

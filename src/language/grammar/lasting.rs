//! States that are wished for: `打氧机也给我开着`, `灯关了，热水器开着`. By itself a state tells how things are.

use super::super::lexicon::{Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;

/// `毛巾架不用热了关上`, `氛围灯不用亮，关掉`: the sentence without what shall not go on, where it is told right behind to end.
pub(super) fn ended(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let verbs = &vocabulary.lexicon.verbs;
    let ends = |t: &Token| {
        let of = |v: usize| verbs[v].switches == Some(false);
        t.any(|s| matches!(s, Sense::Verb(v) if of(*v))) && !t.any(|s| matches!(s, Sense::Negation)) && !t.is_entity()
    };
    let named = |t: &Token| {
        super::nominal::is_thing(t)
            || super::nominal::place(t).is_some()
            || super::nominal::property(t).is_some()
            || t.any(|s| matches!(s, Sense::Feature(_)))
    };
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle | Sense::Filler)) && !named(t);
    let mut at = 1;
    while at < tokens.len() {
        let before = tokens[..at].iter().rev().take_while(|t| !t.has(&Sense::Punctuation));
        let about = before.clone().any(named) && !before.into_iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_))));
        if !(about && tokens[at].has(&Sense::Negation) && !vocabulary.lexicon.kept.contains(&tokens[at].text)) {
            at += 1;
            continue;
        }
        // One word that says what goes on, and small ones.
        let goes_on = |t: &Token| {
            t.any(|s| matches!(s, Sense::State(_) | Sense::Direction { .. } | Sense::Set { .. } | Sense::Make))
                || t.is_residue() && t.text.chars().count() == 1
        };
        let lasting = tokens.get(at + 1).is_some_and(|t| goes_on(t) && !named(t) && !ends(t));
        let after = at + 1 + usize::from(lasting);
        let gap = tokens[after..].iter().take_while(|t| small(t) || t.has(&Sense::Reference) && !t.is_entity()).count();
        let verb = after + gap;
        let over =
            tokens.get(verb + 1).is_none_or(|t| small(t) || t.any(|s| matches!(s, Sense::Reference | Sense::Sequence)));
        // 地暖别给我关 has no pause and nothing that has changed.
        let changed = |t: &Token| t.has(&Sense::Punctuation) || t.text.ends_with(&vocabulary.lexicon.marks.changed);
        if tokens[at..verb].iter().any(changed) && tokens.get(verb).is_some_and(ends) && over {
            tokens.drain(at..verb);
        }
        at += 1;
    }
    tokens
}

/// Words of what shall not go on, at most.
const NUISANCE: usize = 5;

/// `浴霸别取暖了，换气打开`, `小胖莫扫了回去充电`: the sentence without what shall not go on, where it is told right behind what shall
/// be done instead; `空调别摆风了` ends the feature.
pub(super) fn stopped(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let acts = |t: &Token| {
        t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. }))
            && !t.is_entity()
    };
    let thing = |t: &Token| super::nominal::is_thing(t) || super::nominal::place(t).is_some();
    let refuses = |t: &Token| t.has(&Sense::Negation) && lexicon.marks.stop.contains(&t.text);
    let Some(at) = tokens.iter().position(refuses) else { return tokens };
    if tokens[..at].iter().any(acts) {
        return tokens;
    }
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let over = |t: &Token| t.has(&Sense::Particle) && t.text.ends_with(&lexicon.marks.changed);
    let Some(length) = tokens[at..].iter().take(NUISANCE + 2).take_while(|t| !pause(t)).position(over) else {
        return tokens;
    };
    let nuisance = &tokens[at + 1..at + length];
    if nuisance.is_empty() || nuisance.iter().any(thing) {
        return tokens;
    }
    let small =
        |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle | Sense::Filler | Sense::Sequence));
    let gap = tokens[at + length..].iter().take_while(|t| small(t) && !thing(t)).count();
    let rest = tokens[at + length + gap..].split(pause).next().unwrap_or_default();
    let value =
        |s: &Sense| matches!(s, Sense::Choice(_) | Sense::Value | Sense::Number(_) | Sense::Extreme(_) | Sense::Make);
    let begins = rest.first().is_some_and(|t| {
        acts(t) || t.any(value) || super::nominal::property(t).is_some() || vocabulary.is_offered(&t.text)
    });
    // 换气 of a heater is none of the things that the home has.
    let other = |t: &Token| thing(t) && !vocabulary.is_offered(&t.text);
    // 别闹了快睡觉: a value needs a thing that it could be of.
    let of_thing = tokens[..at].iter().any(thing) || rest.iter().any(acts);
    if begins
        && of_thing
        && !rest.iter().any(|t| other(t) || t.any(|s| matches!(s, Sense::Negation | Sense::Question(_))))
    {
        tokens.drain(at..at + length + gap);
        return tokens;
    }
    let flag = |t: &Token| super::nominal::property(t).is_some_and(|p| lexicon.properties[p].flag);
    let (Some(off), [feature]) = (lexicon.verb("off"), nuisance) else { return tokens };
    if flag(feature) && tokens.get(at + length + 1).is_none_or(small) {
        tokens[at].senses = vec![Sense::Verb(off)];
        tokens.remove(at + length);
    }
    tokens
}

/// `灯别那么亮`, `声音别太大`: what shall not be so much goes the other way a bit.
pub(super) fn less(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let refuses = |t: &Token| t.has(&Sense::Negation) && !t.is_entity() && !lexicon.kept.contains(&t.text);
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    // 莫放那么大声: how it is done says no more.
    let makes = |t: &Token| t.any(|s| matches!(s, Sense::Make | Sense::SetBare)) && !t.is_entity();
    let made = |w: &[Token]| refuses(&w[0]) && makes(&w[1]) && lexicon.so.contains(&w[2].text);
    while let Some(at) = tokens.windows(3).position(made) {
        tokens.remove(at + 1);
    }
    let brightness = lexicon.property("brightness");
    let mut at = 0;
    while at + 2 < tokens.len() {
        let other_way: Vec<Sense> = match &tokens[at + 2] {
            like if like.is_entity() => Vec::new(),
            // 别那么刺眼
            like if lexicon.asides.glares.contains(&like.text) => {
                brightness.map(|property| Sense::Direction { property, up: false }).into_iter().collect()
            }
            like => like.senses.iter().filter_map(other_way).collect(),
        };
        let so = refuses(&tokens[at]) && lexicon.so.contains(&tokens[at + 1].text);
        // 小太阳开二档，别开太大: how much was told already.
        let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Extreme(_)));
        let begin = tokens[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let names = |t: &Token| super::nominal::is_thing(t) || super::nominal::property(t).is_some();
        let of_before = !tokens[begin..at].iter().any(names) && tokens[..begin].iter().any(number);
        let valued = of_before || tokens[begin..at].iter().any(number);
        if so && !other_way.is_empty() && valued && tokens.get(at + 3).is_none_or(ends) {
            tokens.drain(at..at + 3);
            continue;
        }
        if so && !other_way.is_empty() && tokens.get(at + 3).is_none_or(ends) {
            tokens[at + 2].senses = other_way;
            tokens[at + 1].senses = vec![Sense::Little];
            tokens.swap(at + 1, at + 2);
            tokens.remove(at);
        }
        at += 1;
    }
    tokens
}

fn other_way(sense: &Sense) -> Option<Sense> {
    match sense {
        Sense::Direction { property, up } => Some(Sense::Direction { property: *property, up: !up }),
        Sense::Degree { up } => Some(Sense::Degree { up: !up }),
        _ => None,
    }
}

/// The sentence with the states that are wished for as what brings them about: those with `也` or `给我`, and those at the end
/// of a clause after one that tells something.
pub(super) fn wished(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(on) = vocabulary.lexicon.verb("on") else { return tokens };
    let lasting = |t: &Token| {
        t.has(&Sense::State(on))
            && t.text.chars().count() == 2
            && !t.any(|s| matches!(s, Sense::Verb(_)))
            && !t.is_entity()
    };
    if !tokens.iter().any(lasting) {
        return tokens;
    }
    let tokens = unwanted(tokens, on, vocabulary);
    let acts =
        |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. })) && !t.is_entity();
    let mut told = false;
    let mut wished = Vec::with_capacity(tokens.len());
    for clause in tokens.split_inclusive(|t| t.has(&Sense::Punctuation)) {
        let last = clause.iter().rposition(|t| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
        let open = |t: &Token| {
            t.any(|s| matches!(s, Sense::Question(_) | Sense::Already | Sense::If | Sense::IfClose | Sense::Not))
        };
        let names = clause.iter().any(super::nominal::is_thing);
        let for_me = clause
            .iter()
            .any(|t| t.has(&Sense::Also) || (t.has(&Sense::Disposal) && t.has(&Sense::Filler)) || gives(t, vocabulary));
        // 东屋西屋的灯都开着; with 呢 it is told of them.
        let each = last.is_some_and(|at| clause[..at].iter().any(|t| t.has(&Sense::Each)))
            && clause.last().is_some_and(|t| t.has(&Sense::Punctuation) || lasting(t));
        let begins = clause.len();
        // 浴霸换气开着: who names a feature of a thing wants it so.
        let flag = |p: usize| vocabulary.lexicon.properties[p].flag && vocabulary.lexicon.properties[p].own;
        let featured =
            clause.iter().any(|t| t.any(|s| matches!(s, Sense::Property(p) | Sense::Feature(p) if flag(*p))));
        wished.extend_from_slice(clause);
        if let Some(at) = last.filter(|at| lasting(&clause[*at]))
            && (names || featured && told)
            && (told || for_me || featured || each)
            && !clause.iter().any(|t| open(t) || acts(t))
        {
            let at = wished.len() - begins + at;
            wished[at].senses = vec![Sense::Verb(on)];
        }
        told |= clause.iter().any(acts);
    }
    wished
}

/// `空调左右摆风，落地扇关掉`: who names a feature of a thing and goes on to tell something of another wants it so.
pub(super) fn featured(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(on) = vocabulary.lexicon.verb("on") else { return tokens };
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let flag = |t: &Token| super::nominal::property(t).filter(|p| vocabulary.lexicon.properties[*p].flag);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::Filler)) && !t.is_entity();
    let mut begin = 0;
    while let Some(length) = tokens[begin..].iter().position(|t| t.has(&Sense::Punctuation)) {
        let end = begin + length;
        let rest = &tokens[end + 1..];
        let next = &rest[..rest.iter().position(|t| t.has(&Sense::Punctuation)).unwrap_or(rest.len())];
        let (clause, last) = (&tokens[begin..end], tokens[begin..end].last());
        let bare = last.is_some_and(|t| flag(t).is_some() && !t.any(|s| matches!(s, Sense::Verb(_))))
            && clause.first().is_some_and(super::nominal::is_thing)
            && clause[1..].iter().rev().skip(1).all(small);
        let another = next.first().is_some_and(super::nominal::is_thing)
            && next.iter().any(acts)
            && !next
                .iter()
                .any(|t| super::nominal::property(t).is_some() || t.has(&Sense::Each) || t.has(&Sense::Also));
        let open =
            |t: &Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::Negation | Sense::If | Sense::IfClose));
        if bare && another && !tokens.iter().any(open) {
            let word = vocabulary.lexicon.verbs[on].words.first().cloned().unwrap_or_default();
            tokens.insert(end, Token { text: word, heard: None, senses: vec![Sense::Verb(on)] });
            begin = end + 2;
        } else {
            begin = end + 1;
        }
    }
    tokens
}

/// `给我`, `都给我`: a word that begins or ends as asking for something to be done does.
fn gives(token: &Token, vocabulary: &Vocabulary) -> bool {
    let marks = &vocabulary.lexicon.marks;
    token.has(&Sense::Filler) && token.text.chars().count() > 1 && token.text.ends_with(marks.speaker.as_str())
}

/// `消毒柜甭开着了`, `屏幕别亮着`: what shall not go on ends.
fn unwanted(tokens: Vec<Token>, on: usize, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(off) = vocabulary.lexicon.verb("off") else { return tokens };
    let mut ended = tokens;
    for at in 1..ended.len() {
        let changed = ended.get(at + 1).is_some_and(|t| t.text == vocabulary.lexicon.marks.changed);
        let lasts = ended[at].has(&Sense::State(on)) && ended[at].text.chars().count() == 2;
        let over = ended[at + 1..].iter().take_while(|t| !t.has(&Sense::Punctuation)).all(|t| t.has(&Sense::Particle));
        // 别开着灯 and 先别开着 are of what is to come.
        let going = ended[at].text.ends_with(vocabulary.lexicon.marks.going.as_str())
            && ended[..at - 1].split(|t| !super::nominal::is_thing(t)).filter(|thing| !thing.is_empty()).count() == 1
            && vocabulary.lexicon.marks.refusals.contains(&ended[at - 1].text);
        if lasts && (changed || going) && over && ended[at - 1].has(&Sense::Negation) && !ended[at].is_entity() {
            ended[at].senses = vec![Sense::Verb(off)];
            ended[at - 1].senses = vec![Sense::Filler];
        }
    }
    ended
}

/// `空调开了一天了关了吧`: how long a thing has been so says why, and what follows is told of it.
pub(super) fn lasted(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let does = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::State(_))) && !t.is_entity();
    let changed = |t: &Token| t.text == marks.changed;
    let long = |from: usize| {
        let mut said = String::new();
        (from..tokens.len().min(from + MAX_PARTS)).find_map(|at| {
            said.push_str(&tokens[at].text);
            // 一天了 may be heard as one word.
            let bare = said.strip_suffix(marks.changed.as_str()).unwrap_or(&said);
            marks.lasted.iter().any(|word| *word == said || word == bare).then_some(at + 1)
        })
    };
    let counted = |from: usize| {
        let number = tokens.get(from)?.any(|s| matches!(s, Sense::Number(_)));
        let unit = tokens.get(from + 1)?.any(|s| matches!(s, Sense::Unit(Unit::Hour | Unit::Minute)));
        (number && unit).then_some(from + 2)
    };
    let found = (1..tokens.len()).find_map(|at| {
        let own = does(&tokens[at]) && tokens[at].text.chars().count() <= 2;
        let over = tokens[at].text.ends_with(&marks.changed) && tokens[at].text != marks.changed;
        let next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(changed));
        let done = over || next > at + 1;
        let end = long(next).or_else(|| counted(next).filter(|_| done)).filter(|_| own)?;
        let more = tokens.get(end).is_some_and(changed);
        (done || more || tokens[end - 1].text.ends_with(&marks.changed)).then_some((at, end + usize::from(more)))
    });
    if let Some((at, end)) = found {
        let told = tokens.get(end).is_some_and(|t| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
        let pause = Token { text: ",".into(), heard: None, senses: vec![Sense::Punctuation] };
        tokens.splice(at..end, told.then_some(pause));
    }
    tokens
}

/// Words that how long something lasted may be cut into.
const MAX_PARTS: usize = 4;

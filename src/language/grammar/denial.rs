//! `不是` before what was not meant: taken back where it was said before (`厨房灯关了，不是厨房灯，是油烟机`), and else open: whether
//! `打开客厅的灯，不是卧室的灯` corrects itself or sets a contrast is heard by its pauses, which a transcript does not have.

use super::super::segment::Token;
use super::super::sense::Sense;
use super::super::vocabulary::Vocabulary;

/// The sentence with what it denies taken back, and the words of which it cannot be told what they deny.
pub(super) fn settled(tokens: &[Token], vocabulary: &Vocabulary) -> (Vec<Token>, Vec<String>) {
    let (mut settled, mut open) = (Vec::with_capacity(tokens.len()), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let denied = tokens[at + 1..].iter().position(|t| t.has(&Sense::Punctuation)).unwrap_or(tokens.len() - at - 1);
        let phrase = &tokens[at + 1..at + 1 + denied];
        // 八十，啊不是六十五: who hesitates first corrects himself.
        let hesitates = !tokens[at].text.starts_with(&vocabulary.lexicon.marks.not);
        let again = |t: &Token| t.has(&Sense::Is) || tokens[..at].iter().any(|before| before.text == t.text);
        let corrects = hesitates && !phrase.iter().any(again);
        if at == 0 || corrects || !is_denial(&tokens[at], vocabulary) || phrase.iter().all(says_nothing) {
            settled.push(tokens[at].clone());
            at += 1;
            continue;
        }
        // 把客厅空调打开，不是客厅: where it stands is said within its name.
        let placed = |t: &Token, before: &Token| super::nominal::place(t).is_some() && before.text.starts_with(&t.text);
        let said = |t: &Token| tokens[..at].iter().any(|before| before.text == t.text || placed(t, before));
        // 打开阿强的空调，不是阿强: a part of a name that was said.
        let denied_words: String = phrase.iter().filter(|t| !says_nothing(t)).map(|t| t.text.as_str()).collect();
        let within = denied_words.chars().count() > 1
            && tokens[..at].iter().any(|t| t.is_entity() && t.text.contains(&denied_words));
        let mut rest = at + 1 + denied;
        settled.push(tokens[at].clone());
        // 风扇开一下，不是空调啊，是落地扇: what is meant is said at once.
        let instead = tokens.get(rest + 1).is_some_and(|t| t.has(&Sense::Is) && !t.has(&Sense::Correction))
            && tokens.get(rest + 2).is_some_and(|t| t.is_entity() || names_kind(t));
        if rest < tokens.len() && (within || instead || phrase.iter().all(|t| says_nothing(t) || said(t))) {
            // The pause is what makes a correction of it; 是 leads on to what is meant.
            settled.push(tokens[rest].clone());
            rest += 1;
            while tokens.get(rest).is_some_and(|t| t.has(&Sense::Is) || t.has(&Sense::Correction)) {
                rest += 1;
            }
            at = rest;
        } else {
            open.push(tokens[at].text.clone());
            at += 1;
        }
    }
    (settled, open)
}

/// `不是关客厅空调，是喊你关主卧那个空调`, `我说的是开壁灯，不是降晾衣架`: what is meant, where a clause tells what is not and another
/// what is; `香薰机不是关，是打开` names the thing with the first.
pub(super) fn meant_instead(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let clauses: Vec<&[Token]> = tokens.split(pause).filter(|clause| !clause.is_empty()).collect();
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let denies = |t: &Token| is_denial(t, vocabulary) && t.text.starts_with(&vocabulary.lexicon.marks.not);
    let leads = |t: &Token| {
        t.has(&Sense::Is)
            || t.has(&Sense::Correction)
            || t.any(|s| matches!(s, Sense::Disposal | Sense::Filler)) && !t.is_entity()
    };
    let [one, other] = clauses[..] else { return tokens };
    let denied = |clause: &[Token]| clause.iter().position(denies).filter(|at| clause[at + 1..].iter().any(acts));
    let (denied, meant, first) = match (denied(one), denied(other)) {
        (Some(at), None) if other[0].has(&Sense::Is) && !other[0].has(&Sense::Correction) => (&one[..at], other, true),
        (None, Some(0)) if one[0].has(&Sense::Correction) && one[0].text.ends_with(&vocabulary.lexicon.marks.is) => {
            (&other[..0], one, false)
        }
        _ => return tokens,
    };
    let lead = meant.iter().take_while(|t| leads(t)).count();
    let rest = &meant[lead..];
    let names = |tokens: &[Token]| tokens.iter().any(super::names_a_thing);
    let thing = first && names(denied) && !names(rest);
    if !rest.iter().any(acts) || !(denied.is_empty() || thing) {
        return tokens;
    }
    denied.iter().chain(rest).cloned().collect()
}

/// `不要绿的，我要紫色`, `灯带不要蓝的要红的`: the value that is wanted, where the words before tell which is not.
pub(super) fn value_instead(tokens: Vec<Token>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Choice(_) | Sense::Value)) && !t.is_entity();
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::Particle | Sense::Filler | Sense::Is));
    let Some(no) = tokens.iter().position(|t| t.has(&Sense::Negation) && !t.is_entity()) else { return tokens };
    let before = &tokens[..no];
    let acts = |t: &Token| (t.any(Sense::is_action) || value(t) || pause(t)) && !t.is_entity();
    let values: Vec<&Token> = tokens[no + 1..].iter().filter(|t| value(t)).collect();
    let apart = |one: &Token, other: &Token| one.text != other.text;
    let told = tokens[no + 1..].iter().all(|t| value(t) || small(t) || pause(t)) && !before.iter().any(acts);
    let leads = tokens[no + 1..].first().is_some_and(|t| value(t) || small(t));
    // 不要蓝的，红的也行 and 不要红的蓝的 leave it open; what is wanted is said to be, or stands behind a pause.
    let wanted = tokens[no + 1..].iter().skip_while(|t| !value(t)).skip(1).take_while(|t| !value(t));
    let wanted = wanted.into_iter().any(|t| pause(t) || t.has(&Sense::Filler));
    match values[..] {
        [denied, value, ref more @ ..]
            if told && leads && wanted && apart(denied, value) && more.iter().all(|again| !apart(again, value)) =>
        {
            let set = Token::unsaid(Sense::Set { open: false });
            let value = Token { senses: vec![Sense::Value], ..value.clone() };
            before.iter().cloned().chain([set, value]).collect()
        }
        _ => tokens,
    }
}

/// `八十，不对，八十太刺眼，五十`, `水温六十，别六十了，五十五`: a number that is said once more to take it back, and the one in its place alone.
pub(super) fn number_instead(mut tokens: Vec<Token>) -> Vec<Token> {
    let number = |t: &Token| !t.is_entity() && t.any(|s| matches!(s, Sense::Number(_)));
    let denies = |t: &Token| t.any(|s| matches!(s, Sense::Negation | Sense::Correction)) && !t.is_entity();
    let small = |t: &Token| {
        let small = |s: &Sense| {
            matches!(s, Sense::Reason | Sense::Particle | Sense::Filler | Sense::Punctuation | Sense::Unit(_))
        };
        t.is_residue() || t.any(small) && !t.is_entity()
    };
    let numbers: Vec<usize> = (0..tokens.len()).filter(|at| number(&tokens[*at])).collect();
    for three in numbers.windows(3) {
        let [wrong, again, right] = *three else { continue };
        let taken_back = tokens[wrong + 1..again].iter().any(denies)
            && tokens[wrong + 1..again].iter().all(|t| denies(t) || small(t))
            && tokens[wrong].senses == tokens[again].senses
            && tokens[again].senses != tokens[right].senses;
        if taken_back && tokens[again + 1..right].iter().all(small) {
            tokens.drain(wrong..right);
            return tokens;
        }
    }
    tokens
}

/// `灯关了，不是客厅的，是书房的`: what was told, of the place that is meant.
pub(super) fn place_instead(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let place = |t: &Token| super::nominal::place(t).is_some() && !t.is_entity();
    let small = |t: &Token| {
        t.any(|s| matches!(s, Sense::Of | Sense::RoomSuffix | Sense::Particle | Sense::Punctuation)) && !place(t)
    };
    let does = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let Some(no) = tokens.iter().position(|t| is_denial(t, vocabulary)) else { return tokens };
    let (told, rest) = (&tokens[..no], &tokens[no + 1..]);
    let is = |t: &Token| t.has(&Sense::Is) && !place(t);
    let places: Vec<&Token> = rest.iter().filter(|t| place(t)).collect();
    let [wrong, right] = places[..] else { return tokens };
    let leads = rest.first().is_some_and(place) && rest.iter().filter(|t| is(t)).count() == 1;
    let follows = rest.windows(2).any(|pair| is(&pair[0]) && pair[1].senses == right.senses);
    let others = told.iter().any(|t| place(t) && t.senses != wrong.senses);
    if others || !told.iter().any(does) || !leads || !follows || !rest.iter().all(|t| place(t) || small(t) || is(t)) {
        return tokens;
    }
    // 云房主灯 is called otherwise in another room.
    let within = |t: &Token| t.is_entity() && t.text.starts_with(wrong.text.as_str());
    if !told.iter().any(super::nominal::is_thing) || told.iter().any(within) {
        return tokens;
    }
    let said = told.iter().map(|t| if t.senses == wrong.senses { right } else { t });
    let first = (!told.iter().any(place)).then_some(right);
    first.into_iter().chain(said).cloned().collect()
}

/// `电扇关了，换空调`: what comes in its place is switched on.
pub(super) fn in_its_place(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(on) = vocabulary.lexicon.verb("on") else { return tokens };
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Measure)) && !t.is_entity();
    let of = |t: &Token| super::recut::devices(t, vocabulary).filter(|devices| !devices.is_empty());
    for at in 2..tokens.len() {
        let (before, clause) = (&tokens[..at - 1], tokens[at..].split(pause).next().unwrap_or_default());
        let sets = tokens[at].any(|s| matches!(s, Sense::Set { open: false })) && !tokens[at].is_entity();
        let things: Vec<Vec<usize>> = clause.iter().skip(1).filter_map(of).collect();
        let last = before.rsplit(pause).next().unwrap_or_default();
        let ended = last.iter().any(|t| t.any(|s| vocabulary.lexicon.switches(s) == Some(false)) && !t.is_entity());
        let gone: Vec<usize> = last.iter().filter_map(of).flatten().collect();
        let other = matches!(&things[..], [one] if !gone.is_empty() && one.iter().all(|device| !gone.contains(device)));
        let bare = clause.iter().skip(1).all(|t| small(t) || of(t).is_some());
        if pause(&tokens[at - 1]) && sets && ended && other && bare {
            tokens[at] = Token { text: tokens[at].text.clone(), heard: None, senses: vec![Sense::Verb(on)] };
        }
    }
    tokens
}

/// `不要大灯开台灯`: what is done to one thing, where another that is not wanted stands before it.
pub(super) fn not_that_one(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let switches = |s: &Sense| vocabulary.lexicon.switches(s).is_some();
    let of = |t: &Token| super::recut::devices(t, vocabulary).filter(|devices| !devices.is_empty());
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Punctuation)) && !t.is_entity();
    for at in 0..tokens.len().saturating_sub(3) {
        let [no, one, does, other] = &tokens[at..at + 4] else { break };
        let begins = at == 0 || tokens[at - 1].has(&Sense::Punctuation);
        let refused = begins && no.has(&Sense::Negation) && no.has(&Sense::ExceptAfter) && !no.is_entity();
        let (Some(one), Some(other)) = (of(one), of(other)) else { continue };
        let apart = one.iter().all(|device| !other.contains(device));
        if refused && apart && does.any(switches) && !does.is_entity() && tokens.get(at + 4).is_none_or(ends) {
            tokens.drain(at..at + 2);
            break;
        }
    }
    tokens
}

/// `要关的是电视`: what is done, and to what, as one order.
pub(super) fn wanted_is(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let wants = |t: &Token| lexicon.wants.iter().any(|want| t.text.ends_with(want.as_str()));
    let verb = |t: &Token| {
        let does = |s: &Sense| if let Sense::Verb(v) | Sense::State(v) = s { Some(*v) } else { None };
        t.senses.iter().find_map(does).filter(|_| !t.is_entity())
    };
    // 关的 is one word or two.
    let found = (1..tokens.len()).find_map(|at| {
        let verb = verb(&tokens[at]).filter(|_| wants(&tokens[at - 1]))?;
        let of = tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Of));
        let whole = of || tokens[at].text.ends_with(lexicon.marks.of.as_str());
        let is = at + 1 + usize::from(of);
        (whole && tokens.get(is).is_some_and(|t| t.has(&Sense::Is))).then_some((at, is, verb))
    });
    if let Some((at, is, verb)) = found {
        tokens[at].senses = vec![Sense::Verb(verb)];
        tokens.drain(at + 1..=is);
    }
    tokens
}

/// Whether words point to something else behind a pause: 吸顶灯关掉，呃，是顶上那台.
pub fn means_another(words: &[Token]) -> bool {
    let is = |pair: &[Token]| pair[0].has(&Sense::Punctuation) && pair[1].has(&Sense::Is) && !pair[1].is_entity();
    let at = words.windows(2).position(is);
    at.is_some_and(|at| words[at + 2..].iter().any(|t| t.has(&Sense::Reference) && !t.is_entity()))
}

/// Whether a correction is made of "not" and "is".
pub fn is_denial(token: &Token, vocabulary: &Vocabulary) -> bool {
    let not = |sense: &Sense| matches!(sense, Sense::Not | Sense::Negation | Sense::Correction);
    let made = |(at, _): (usize, char)| {
        let (first, last) = token.text.split_at(at);
        vocabulary.senses(first).iter().any(not) && vocabulary.senses(last).contains(&Sense::Is)
    };
    token.has(&Sense::Correction) && token.text.char_indices().skip(1).any(made)
}

fn names_kind(token: &Token) -> bool {
    super::nominal::kind(token).is_some() || super::nominal::sort(token).is_some()
}

/// Words that name nothing.
fn says_nothing(token: &Token) -> bool {
    token.any(|s| {
        matches!(
            s,
            Sense::Of
                | Sense::Particle
                | Sense::Filler
                | Sense::Measure
                | Sense::Correction
                | Sense::Is
                | Sense::Disposal
        )
    })
}

/// `温度从二十六调到二十四`, `制热改制冷`: without the value that it has so far.
pub(super) fn changed_from(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let value =
        |t: &Token| t.any(|s| matches!(s, Sense::Choice(_) | Sense::Number(_) | Sense::Value)) && !t.is_entity();
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_)));
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !t.is_entity();
    let mut at = 0;
    while at + 2 < tokens.len() {
        let led = vocabulary.lexicon.marks.from.contains(&tokens[at].text) && !tokens[at].is_entity();
        let unit = tokens[at + 2].any(|s| matches!(s, Sense::Unit(_)));
        let end = at + 2 + usize::from(unit);
        let follows = tokens.get(end).is_some_and(sets) && tokens.get(end + 1).is_some_and(value);
        if led && value(&tokens[at + 1]) && follows {
            tokens.drain(at..end);
        } else if at > 0 && tokens[at].any(|s| matches!(s, Sense::Choice(_))) && !verb(&tokens[at]) {
            // 制热改制冷
            let other = |t: &Token| t.any(|s| matches!(s, Sense::Choice(_))) && t.text != tokens[at].text;
            if sets(&tokens[at + 1]) && !sets(&tokens[at]) && other(&tokens[at + 2]) {
                tokens.remove(at);
            }
        }
        at += 1;
    }
    tokens
}

/// `不启动扫地机`, `不洗了`: what is said before a verb is that it shall not be done. 洗不洗 asks, and 不亮的 says which.
pub(super) fn not_to_be_done(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let does = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let open = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Question(_)));
    for at in 0..tokens.len().saturating_sub(1) {
        let not = tokens[at].has(&Sense::Not) && !tokens[at].is_entity() && !marks.tells_undone(&tokens[at].text);
        // 洗不洗; 抬不起来 cannot be done.
        let asks = at > 0 && (tokens[at - 1].text == tokens[at + 1].text || tokens[at - 1].is_residue());
        let which = tokens.get(at + 2).is_some_and(|t| t.has(&Sense::Of));
        if !not || !does(&tokens[at + 1]) || asks || which {
            continue;
        }
        let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let clause = tokens[begin..].split(pause).next().unwrap_or_default();
        // 让石头扫书房，等等不扫书房: what was told before is corrected.
        let told = |t: &Token| does(t) && t.text == tokens[at + 1].text;
        if tokens[..begin].iter().any(told) {
            continue;
        }
        let others = clause.iter().enumerate().any(|(other, t)| begin + other != at && open(t) && !does(t));
        if !others {
            tokens[at].senses = vec![Sense::Negation];
        }
    }
    tokens
}

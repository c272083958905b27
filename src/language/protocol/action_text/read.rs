//! How an ACTION is read.

use super::*;

/// Reads an ACTION; `None` when it means nothing.
pub fn read_action(action: &str, lexicon: &Lexicon) -> Option<Action> {
    let (text, words) = (parts(action), &lexicon.protocol);
    if let Some(rest) = text.strip_prefix(words.ask.as_str()) {
        return read_ask(rest, lexicon).map(Action::Ask);
    }
    if let Some(rest) = text.strip_prefix(words.when.as_str()) {
        return read_condition(rest, lexicon).map(Action::When);
    }
    if let Some(rest) = text.strip_prefix(words.or_when.as_str()) {
        return read_condition(rest, lexicon).map(Action::OrWhen);
    }
    // 设置亮度=50%, 调低温度=2C: what is done, and how far. What stands before the sign may hold one itself.
    let signs = text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let valued = |(head, amount): (&str, &str)| {
        let amount = || read_amount(amount, lexicon);
        if let Some(property) = set(head, lexicon) {
            return Some(Action::Set { property, to: amount()? });
        }
        Some(Action::Step { ways: steps(head, lexicon)?, by: Some(amount()?) })
    };
    if text.contains('=') { signs.rev().find_map(valued) } else { plain(&text, lexicon) }
}

/// An ACTION without an amount of its own: `打开`, `调高音量`, `打开摇头`, and what models write in one word: `调到26度`.
fn plain(text: &str, lexicon: &Lexicon) -> Option<Action> {
    if let Some(verb) =
        marked(text, lexicon.protocol.marks.verb).or(Some(text)).and_then(|word| verb_called(word, lexicon))
    {
        return Some(Action::Verb(verb));
    }
    if let Some(ways) = steps(text, lexicon) {
        return Some(Action::Step { ways, by: None });
    }
    let splits = || text.char_indices().skip(1).map(|(at, _)| text.split_at(at)).collect::<Vec<_>>().into_iter().rev();
    let valued = splits().find_map(|(head, rest)| {
        let amount = said_amount(rest, lexicon)?;
        if let Some(property) = set(head, lexicon) {
            return Some(Action::Set { property, to: amount });
        }
        steps(head, lexicon).map(|ways| Action::Step { ways, by: Some(amount) })
    });
    let of_property = || {
        splits().find_map(|(head, rest)| {
            let verb = verb_called(head, lexicon)?;
            match property_called(rest, lexicon) {
                Some(property) => Some(Action::about(verb, property, lexicon)),
                None => said_amount(rest, lexicon).map(|to| Action::Set { property: None, to }),
            }
        })
    };
    let word = || said_amount(text, lexicon).map(|to| Action::Set { property: None, to });
    valued.or_else(of_property).or_else(word)
}

/// What sets: `设置`, `调到`, and the property behind it. The outer `None` where nothing is set.
fn set(head: &str, lexicon: &Lexicon) -> Option<Option<PropertyId>> {
    let sets = |word: &str| {
        word == lexicon.protocol.set
            || lexicon.senses(word).iter().any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare))
    };
    // 调低 where the home has something that is called 低: that would be 设置低.
    if [true, false].into_iter().any(|up| lexicon.protocol.step(up) == head) {
        return None;
    }
    prefixes(head).find_map(|(word, rest)| match (sets(word), rest) {
        (false, _) => None,
        (true, "") => Some(None),
        (true, rest) => property_called(rest, lexicon).map(Some),
    })
}

/// Directions: `调高音量`, `调暖`, `调高温度或调低湿度`.
fn steps(text: &str, lexicon: &Lexicon) -> Option<Vec<(Option<PropertyId>, bool)>> {
    let words = &lexicon.protocol;
    let one = |text: &str| {
        prefixes(text).find_map(|(word, rest)| {
            let step = |s: &Sense| if let Sense::Step { up } = s { Some(*up) } else { None };
            let known = [true, false].into_iter().find(|up| words.step(*up) == word);
            let up = known.or_else(|| lexicon.senses(word).iter().find_map(step))?;
            let property = property_called(rest, lexicon);
            (rest.is_empty() || property.is_some()).then_some((property, up))
        })
    };
    if let Some(way) = one(text) {
        return Some(vec![way]);
    }
    if text.contains(words.or) {
        // A name may hold the word itself.
        let mut inside = false;
        let outside = |c: char| {
            inside = (inside || c == words.marks.property.0) && c != words.marks.property.1;
            c == words.or && !inside
        };
        return text.split(outside).map(one).collect();
    }
    let ways = |word: &str| -> Vec<(Option<PropertyId>, bool)> {
        let way = |s: &Sense| match s {
            Sense::Direction { property, up } => Some((Some(*property), *up)),
            Sense::Degree { up } => Some((None, *up)),
            _ => None,
        };
        lexicon.senses(word).iter().filter_map(way).collect()
    };
    let makes = |s: &Sense| matches!(s, Sense::Make | Sense::SetBare);
    let directed = prefixes(text).filter(|(word, _)| lexicon.senses(word).iter().any(makes));
    directed.map(|(_, rest)| ways(rest)).find(|ways| !ways.is_empty())
}

/// The beginnings of a text and what is left, the longest first.
fn prefixes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(16).collect();
    ends.into_iter().rev().map(|end| text.split_at(end))
}

/// What stands between two marks.
fn marked(text: &str, (open, close): (char, char)) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// An amount that a text says by itself: a number with its unit, an end, a value of the language.
fn said_amount(text: &str, lexicon: &Lexicon) -> Option<Amount> {
    let value = |word: &str| lexicon.senses(word).iter().any(|s| matches!(s, Sense::Choice(_)));
    read_amount(text, lexicon).filter(|amount| match amount {
        Amount::Word(word) => value(word),
        _ => true,
    })
}

/// Reads an amount; any word may be one of a home.
pub fn read_amount(text: &str, lexicon: &Lexicon) -> Option<Amount> {
    if text.is_empty() {
        return None;
    }
    if let Some(word) = marked(text, lexicon.protocol.marks.word) {
        return Some(Amount::Word(word.to_owned()));
    }
    if let Some(extreme) = lexicon.protocol.extreme_called(text) {
        return Some(Amount::Extreme(extreme));
    }
    let sense = lexicon.senses(text).iter().find_map(|sense| match sense {
        Sense::Little => Some(Amount::Little),
        Sense::Lots => Some(Amount::Lots),
        Sense::Extreme(extreme) => Some(Amount::Extreme(*extreme)),
        Sense::Fraction(thousandths) => Some(Amount::Percent(f64::from(*thousandths) / 10.0)),
        Sense::Kelvin(kelvin) => Some(Amount::Kelvin(*kelvin, text.to_owned())),
        _ => None,
    });
    if sense.is_some() {
        return sense;
    }
    let chars: Vec<char> = text.chars().collect();
    if let Some((number, used)) = number::read(&chars) {
        let rest: String = chars[used..].iter().collect();
        let unit =
            lexicon.senses(&rest).iter().find_map(|s| if let Sense::Unit(unit) = s { Some(*unit) } else { None });
        match (rest.as_str(), unit, number.percent) {
            ("", _, true) | (_, Some(Unit::Percent), _) => return Some(Amount::Percent(number.value)),
            ("", _, false) => return Some(Amount::Number(number.value, None)),
            (_, Some(unit), false) => return Some(Amount::Number(number.value, Some(unit))),
            _ => {}
        }
    }
    // 制冷模式: the property that follows says what the value is of.
    let choice = |word: &&str| lexicon.senses(word).iter().any(|s| matches!(s, Sense::Choice(_)));
    let of_mode = prefixes(text).skip(1).find(|(word, rest)| choice(word) && property_called(rest, lexicon).is_some());
    let word = of_mode.map_or(text, |(word, _)| word);
    Some(Amount::Word(word.to_owned()))
}

/// The property that a word names.
pub(super) fn property_called(word: &str, lexicon: &Lexicon) -> Option<PropertyId> {
    lexicon.property_called(marked(word, lexicon.protocol.marks.property).unwrap_or(word))
}

/// The verb that a word names.
pub(super) fn verb_called(word: &str, lexicon: &Lexicon) -> Option<VerbId> {
    lexicon.senses(word).iter().find_map(|s| if let Sense::Verb(verb) = s { Some(*verb) } else { None })
}

/// Reads what follows 查询.
fn read_ask(text: &str, lexicon: &Lexicon) -> Option<Ask> {
    let words = &lexicon.protocol;
    let ProtocolWords { state, any, which, count, .. } = &**words;
    for (what, ask) in
        [(state, Ask::Is as fn(Status) -> Ask), (any, Ask::Any), (which, Ask::Which), (count, Ask::Count)]
    {
        if let Some(state) = text.strip_prefix(what.as_str()).and_then(|rest| rest.strip_prefix('=')) {
            return read_status(state, lexicon).map(ask);
        }
    }
    if let Some((property, end)) = text.rsplit_once('=') {
        let property = property_called(property, lexicon)?;
        if end == words.list {
            return Some(Ask::Range(property));
        }
        let more = || [true, false].into_iter().find(|up| words.more(*up) == end).map(|up| Ask::More(property, up));
        return words.extreme_called(end).map(|extreme| Ask::Most(property, extreme)).or_else(more);
    }
    match text {
        "" => Some(Ask::State),
        text if text == words.state || text == words.also_state => Some(Ask::State),
        text if text == words.place || text == words.also_place => Some(Ask::Where),
        text if text == words.lacking => Some(Ask::Lacking),
        text if text == words.list => Some(Ask::List),
        text if text == words.number => Some(Ask::Number),
        _ => property_called(text, lexicon).map(Ask::Value),
    }
}

/// Reads a state word, or a comparison (`温度>26C`).
fn read_status(text: &str, lexicon: &Lexicon) -> Option<Status> {
    let words = &lexicon.protocol;
    if let Some(word) = marked(text, words.marks.word) {
        return Some(Status::Word(word.to_owned()));
    }
    if let Some((property, comparison, rest)) = comparison(text, lexicon) {
        let (value, unit) = match read_amount(rest, lexicon)? {
            Amount::Number(value, unit) => (value, unit),
            Amount::Percent(value) => (value, Some(Unit::Percent)),
            _ => return None,
        };
        return Some(Status::Compare { property, comparison, value, unit });
    }
    if let Some(property) = text.strip_prefix(words.not.as_str()).and_then(|text| property_called(text, lexicon)) {
        return Some(Status::Flag(property, false));
    }
    if let Some(property) = property_called(text, lexicon) {
        return Some(Status::Flag(property, true));
    }
    if let Some(word) = marked(text, words.marks.verb) {
        return verb_called(word, lexicon).map(Status::Verb);
    }
    let verb = lexicon.verbs.iter().position(|v| v.state.iter().chain(&v.words).any(|w| w == text));
    verb.map(Status::Verb).or_else(|| (!text.is_empty()).then(|| Status::Word(text.to_owned())))
}

/// Cuts `温度>26C` at the sign behind a property.
fn comparison<'t>(text: &'t str, lexicon: &Lexicon) -> Option<(PropertyId, Comparison, &'t str)> {
    text.char_indices().find_map(|(at, sign)| {
        let comparison = Comparison::of_sign(sign)?;
        Some((property_called(&text[..at], lexicon)?, comparison, &text[at + sign.len_utf8()..]))
    })
}

/// Reads what [`write_condition`] writes.
pub fn read_condition(text: &str, lexicon: &Lexicon) -> Option<Condition> {
    let (text, words) = (&parts(text)[..], &lexicon.protocol);
    for (sign, holds) in [('=', true), ('≠', false)] {
        if let Some(status) = text.strip_prefix(words.state.as_str()).and_then(|rest| rest.strip_prefix(sign)) {
            return Some(Condition::Status { status: read_status(status, lexicon)?, holds });
        }
    }
    let (property, _, rest) = comparison(text, lexicon)?;
    if let Some(extreme) = words.extreme_called(rest) {
        return Some(Condition::Extreme { property, extreme });
    }
    Some(Condition::Status { status: read_status(text, lexicon)?, holds: true })
}

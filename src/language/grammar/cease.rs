//! What shall not go on: `烟机不用抽了`, `屏幕别亮着`, `别让吊灯转了`. It ends, where the thing is named; by itself (`别吹了`) it may be
//! said of anything.

mod feature;
mod over;

pub use feature::{End, end, ends_nothing, far_enough, no_more};

use super::super::lexicon::{Ceases, Lexicon, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::{nominal, recut};

/// The sentence with what shall not go on as what ends it.
pub(super) fn ceased(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = over::done_no_more(tokens, vocabulary);
    let mut tokens = wanted_no_more(needed_no_more(tokens, vocabulary), vocabulary);
    let mut begin = 0;
    while begin < tokens.len() {
        let length = tokens[begin..].iter().position(|t| t.has(&Sense::Punctuation)).unwrap_or(tokens.len() - begin);
        let clause = &tokens[begin..begin + length];
        let ended = of_thing_before(clause, vocabulary)
            .or_else(|| of_thing_after(clause, vocabulary))
            .or_else(|| feature::of_its_feature(clause, vocabulary))
            .or_else(|| feature::of_thing_named(clause, &tokens[..begin], vocabulary))
            .or_else(|| let_go_on(clause, clause.len() == tokens.len(), vocabulary));
        let length = match ended {
            Some(ended) => {
                let now = ended.len();
                tokens.splice(begin..begin + length, ended);
                now
            }
            None => length,
        };
        begin += length + 1;
    }
    tokens
}

/// `烘干机防皱不用了`: a feature that nobody needs any more ends; of a thing it may be why something else is told.
fn needed_no_more(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some(off) = lexicon.verb("off") else { return tokens };
    for at in 1..tokens.len() {
        let unwanted = lexicon.marks.unwanted.contains(&tokens[at].text) && tokens[at].has(&Sense::Reason);
        let small = |t: &&Token| t.has(&Sense::Filler) && !t.is_entity();
        let feature = tokens[..at].iter().rev().find(|t| !small(t)).and_then(nominal::property);
        let ends = tokens.get(at + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
        if unwanted && ends && feature.is_some_and(|p| lexicon.properties[p].flag) {
            tokens[at].senses = vec![Sense::Verb(off)];
        }
    }
    tokens
}

/// `大灯打开，床头灯不要了`: among others that are told, what is not wanted any more ends.
fn wanted_no_more(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let Some(off) = lexicon.verb("off") else { return tokens };
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    for at in 1..tokens.len().saturating_sub(1) {
        let unwanted = lexicon.marks.unwanted.contains(&tokens[at].text) && tokens[at].has(&Sense::Negation);
        let over = tokens[at + 1].text == lexicon.marks.changed && tokens.get(at + 2).is_none_or(pause);
        let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let thing = recut::devices(&tokens[at - 1], vocabulary).unwrap_or_default();
        let power = lexicon.property("power");
        let switched = power.is_some_and(|p| thing.iter().any(|d| vocabulary.devices[*d].about(p).is_some()));
        let others = tokens[..begin].iter().chain(&tokens[at + 2..]).any(acts);
        if unwanted && over && switched && others && !tokens[begin..at].iter().any(acts) {
            tokens[at].senses = vec![Sense::Verb(off)];
        }
    }
    tokens
}

/// `扫地机先暂停一下别扫了`: what waits shall not go on, and is not ended for it.
pub(super) fn once_paused(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let verb = |t: &Token, id: &str| {
        let of = lexicon.verb(id);
        !t.is_entity() && t.any(|s| matches!(s, Sense::Verb(v) if Some(*v) == of))
    };
    let negates = |t: &Token| {
        let first: String = t.text.chars().take(1).collect();
        lexicon.senses(&first).iter().any(|s| matches!(s, Sense::Negation | Sense::Not))
    };
    if tokens.iter().any(|t| verb(t, "pause") || verb(t, "halt")) {
        for token in tokens.iter_mut().filter(|t| verb(t, "stop") && negates(t)) {
            token.senses = vec![Sense::Filler];
        }
    }
    tokens
}

/// `烟机不用抽了`
fn of_thing_before(clause: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let at = (1..clause.len()).find(|at| goes_on(&clause[*at..], &vocabulary.lexicon).is_some())?;
    let rest = goes_on(&clause[at..], &vocabulary.lexicon)?;
    let verb = ends(clause[..at].iter().rev(), &rest, vocabulary)?;
    Some(clause[..at].iter().cloned().chain([verb]).collect())
}

/// `别让吊灯转了`
fn of_thing_after(clause: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let ceases = &vocabulary.lexicon.ceases;
    let at = clause.iter().position(|t| ceases.not.contains(&t.text) && !t.is_entity())?;
    clause.get(at + 1).filter(|t| ceases.let_it.contains(&t.text) && !t.is_entity())?;
    let last =
        clause.iter().rposition(|t| nominal::is_thing(t) || is_flag(t, vocabulary)).filter(|last| *last > at + 1)?;
    let rest: String = clause[last + 1..].iter().map(|t| t.text.as_str()).collect();
    // 别让风扇摇头: the feature itself stands last.
    let thing = clause[at + 2..last].iter().any(nominal::is_thing) && !nominal::is_thing(&clause[last]);
    if let Some(property) = nominal::property(&clause[last]).filter(|_| thing && is_all(&rest, "", ceases)) {
        let off = Token::of_verb(vocabulary.lexicon.verb("off")?, &vocabulary.lexicon);
        let told = [Token::of_property(property, &vocabulary.lexicon), off];
        return Some(clause[..at].iter().chain(&clause[at + 2..last]).cloned().chain(told).collect());
    }
    let verb = ends(clause[at + 2..=last].iter().rev(), &rest, vocabulary).map(|verb| vec![verb]);
    let told = verb.or_else(|| feature::let_no_more(&clause[last], &rest, vocabulary))?;
    Some(clause[..at].iter().chain(&clause[at + 2..=last]).cloned().chain(told).collect())
}

/// `让风扇转`, `大灯亮亮`, `风扇呼呼转起来`: what a thing does all the time shall begin. Among other clauses it may be a rhyme.
fn let_go_on(clause: &[Token], alone: bool, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let lexicon = &vocabulary.lexicon;
    let ceases = &lexicon.ceases;
    let let_it = clause.first().is_some_and(|t| ceases.let_it.contains(&t.text) && !t.is_entity());
    let last = clause.iter().rposition(nominal::is_thing)?;
    let rest: String = clause[last + 1..].iter().map(|t| t.text.as_str()).collect();
    // 呼呼转起来
    if let [sound, acts @ ..] = &clause[last + 1..]
        && alone
        && lexicon.marks.sounds.contains(&sound.text)
        && acts.first().is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_))))
    {
        return Some(clause[..=last].iter().chain(acts).cloned().collect());
    }
    let kinds = clause[last].senses.iter().flat_map(|sense| kinds(sense, vocabulary));
    let goes = |kind: usize| {
        let kind = &lexicon.kinds[kind];
        let twice = |goes: &String| rest == format!("{goes}{goes}");
        !kind.task && kind.goes.iter().any(|goes| alone && twice(goes) || let_it && is_all(&rest, goes, ceases))
    };
    let on = lexicon.verb("on").filter(|_| kinds.into_iter().any(goes))?;
    Some(clause[usize::from(let_it)..=last].iter().cloned().chain([Token::of_verb(on, lexicon)]).collect())
}

/// What stands behind words that say it shall not go on.
fn goes_on(words: &[Token], lexicon: &Lexicon) -> Option<String> {
    if words[0].is_entity() {
        return None;
    }
    let text: String = words.iter().map(|t| t.text.as_str()).collect();
    lexicon.ceases.not.iter().find_map(|not| text.strip_prefix(not.as_str())).map(str::to_owned)
}

/// The verb that ends it, where the thing that is named last goes on so.
fn ends<'t>(mut before: impl Iterator<Item = &'t Token>, rest: &str, vocabulary: &Vocabulary) -> Option<Token> {
    let lexicon = &vocabulary.lexicon;
    let small = |t: &Token| {
        !t.is_entity()
            && t.any(|s| {
                matches!(
                    s,
                    Sense::Reference | Sense::Of | Sense::Measure | Sense::Filler | Sense::Particle | Sense::Each
                )
            })
    };
    let named = before.find(|t| !small(t))?;
    let part = |kind: &usize| lexicon.kinds[*kind].part;
    // 加湿器那圈灯别亮着: of which lamp is not for a word for all of a room to say.
    if !named.is_entity() && nominal::kind(named).as_ref().is_some_and(part) && before.any(nominal::is_thing) {
        return None;
    }
    let kinds: Vec<usize> = named.senses.iter().flat_map(|sense| kinds(sense, vocabulary)).collect();
    let of_kind =
        kinds.iter().find(|kind| lexicon.kinds[**kind].goes.iter().any(|goes| is_all(rest, goes, &lexicon.ceases)));
    let verb = match of_kind {
        Some(kind) if lexicon.kinds[*kind].task => lexicon.verb("stop")?,
        Some(_) => lexicon.verb("off")?,
        None if is_flag(named, vocabulary)
            && lexicon.ceases.feature.iter().any(|f| is_all(rest, f, &lexicon.ceases)) =>
        {
            lexicon.verb("off")?
        }
        None => return None,
    };
    Some(Token::of_verb(verb, lexicon))
}

/// Whether a text is that something goes on so, once or twice, and small words.
fn is_all(text: &str, goes: &str, ceases: &Ceases) -> bool {
    let Some(rest) = text.strip_prefix(goes) else { return false };
    let rest = rest.strip_prefix(goes).unwrap_or(rest);
    let mut buffer = [0; 4];
    rest.chars().all(|c| ceases.ends.iter().any(|end| end == c.encode_utf8(&mut buffer)))
}

fn kinds(sense: &Sense, vocabulary: &Vocabulary) -> Vec<usize> {
    match sense {
        Sense::Kind(kind) | Sense::Sort(kind) => vec![*kind],
        Sense::Devices(devices) => {
            devices.iter().flat_map(|device| vocabulary.devices[*device].kinds.iter().copied()).collect()
        }
        _ => Vec::new(),
    }
}

fn is_flag(token: &Token, vocabulary: &Vocabulary) -> bool {
    token.any(|s| matches!(s, Sense::Property(p) | Sense::Feature(p) if vocabulary.lexicon.properties[*p].flag))
}

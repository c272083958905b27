//! Names of what nobody here has, as one word each, however many words of the language are in them.

use super::super::lexicon::Sense;
use super::super::vocabulary::Vocabulary;
use super::Token;

/// 跑步机: what people do and the end of a device's name is the name of a device that nobody has here; so is what stands behind
/// a place as its own: 打开厨房的外套, 打开厨房的电话.
pub(super) fn joined(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let suffixes = &vocabulary.lexicon.device_suffix;
    let ends = |t: &Token| t.is_residue() && suffixes.iter().any(|suffix| t.text.starts_with(suffix.as_str()));
    // 洗鞋机: what it does is no action that is told; 开豆浆机 is one.
    let works = |s: &Sense| matches!(s, Sense::Verb(v) if vocabulary.lexicon.verbs[*v].switches.is_none() || vocabulary.lexicon.verbs[*v].id == "start");
    let does = |t: &Token| t.text.chars().count() == 1 && !t.is_entity() && t.any(works);
    let named = |t: &Token| t.is_residue() && suffixes.iter().any(|suffix| t.text.ends_with(suffix.as_str()));
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match joined.last_mut() {
            Some(last) if last.senses == [Sense::Reason] && ends(&token) || does(last) && named(&token) => {
                let text = format!("{}{}", last.text, token.text);
                *last = Token { text, heard: None, senses: Vec::new() };
            }
            _ => joined.push(token),
        }
    }
    nouns(joined)
}

/// What a place has, or what stands in a row of things, and nobody here knows, as one word: `打开厨房的外套`, `打开灯、毛巾和风扇`.
fn nouns(mut tokens: Vec<Token>) -> Vec<Token> {
    let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
    let place =
        |t: &Token| t.any(|s| matches!(s, Sense::Room(_) | Sense::RoomClass(_) | Sense::Floor(_) | Sense::Here));
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    // Words that say why, how it is counted or what is left out say nothing there, nor do characters beside a strange one: 小提琴.
    let idle = |t: &Token| {
        t.is_residue() || t.senses.iter().all(|s| matches!(s, Sense::Reason | Sense::ExceptClose | Sense::Measure))
    };
    let says = |s: &Sense| {
        matches!(
            s,
            Sense::Kind(_)
                | Sense::Sort(_)
                | Sense::Number(_)
                | Sense::Unit(_)
                | Sense::Particle
                | Sense::Little
                | Sense::Of
                | Sense::Conjunction
                | Sense::Punctuation
                | Sense::Each
                | Sense::Also
        )
    };
    let scrap = |t: &Token| idle(t) || t.text.chars().count() == 1 && !t.is_entity() && !t.any(says);
    let mut at = 1;
    while at < tokens.len() {
        let clause = tokens[..at].iter().rposition(|t| own(t, &Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let run = &tokens[at..at + tokens[at..].iter().take_while(|t| scrap(t)).count()];
        let (end, before, next) = (at + run.len(), &tokens[at - 1], tokens.get(at + run.len()));
        let joined = next.is_some_and(|t| own(t, &Sense::Conjunction));
        let ends = joined || next.is_none_or(|t| own(t, &Sense::Punctuation));
        let had = at > 1 && own(before, &Sense::Of) && place(&tokens[at - 2]);
        let listed = own(before, &Sense::Conjunction) || verb(before) && joined;
        let strange = run.iter().any(Token::is_residue) || run.iter().all(idle) && had;
        let told = tokens[clause..at].iter().any(verb);
        let leaves = tokens[clause..at].iter().any(|t| own(t, &Sense::ExceptOpen));
        if !run.is_empty() && ends && told && !leaves && strange && (had || listed) {
            let text = run.iter().map(|t| t.text.as_str()).collect();
            tokens.splice(at..end, [Token { text, heard: None, senses: Vec::new() }]);
        }
        at += 1;
    }
    tokens
}

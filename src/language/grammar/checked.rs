//! What is asked only to know whether to do something: `灯还开着吧，开着就帮我关了`, `灯关没关，没关就关了`. The question says of which thing it
//! is, and the case behind it what has to be so.

use super::super::lexicon::Lexicon;
use super::super::segment::Token;
use super::super::sense::{Question, Sense};
use super::super::vocabulary::Vocabulary;
use super::nominal::is_thing;

/// The sentence with the thing alone where it is asked how that is, and told right behind what to do in one case.
pub(super) fn whether(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let tokens = in_full(tokens);
    let clauses: Vec<&[Token]> = tokens.split(|t| t.has(&Sense::Punctuation)).collect();
    let Some((at, thing)) = (1..clauses.len()).find_map(|at| {
        let thing = if is_case(clauses[at]) { asked(clauses[at - 1], lexicon) } else { None };
        let much = || if compares(clauses[at]) { measured(clauses[at - 1]) } else { None };
        Some((at, thing.map(<[Token]>::to_vec).or_else(much)?))
    }) else {
        return tokens;
    };
    let begin: usize = clauses[..at - 1].iter().map(|clause| clause.len() + 1).sum();
    let (before, behind) = (&tokens[..begin], &tokens[begin + clauses[at - 1].len() + 1..]);
    let then = then_of(clauses[at], lexicon);
    let case_of_it = behind.iter().take(then.0).chain(&then.1).chain(behind.iter().skip(then.0));
    let behind: Vec<Token> = case_of_it.cloned().collect();
    let supposed = behind.first().is_some_and(|t| t.has(&Sense::If) && !t.has(&Sense::IfClose));
    let supposes = Token { text: lexicon.marks.supposes.clone(), heard: None, senses: vec![Sense::If] };
    let case = (!supposed).then_some(supposes);
    before.iter().cloned().chain(thing).chain(case).chain(behind).collect()
}

/// `空调还开着吧`: who supposes that something is still so asks whether it is.
pub(super) fn still(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let Some(at) = tokens.windows(2).position(|pair| {
        let goes_on = pair[0].has(&Sense::And) && pair[0].has(&Sense::Filler);
        goes_on && pair[1].text.contains(&marks.going) && pair[1].any(|s| matches!(s, Sense::State(_) | Sense::Verb(_)))
    }) else {
        return tokens;
    };
    let (state, tagged) = match tokens[at + 1].text.strip_suffix(&marks.tag) {
        Some(state) => (state.to_owned(), 0),
        None => (tokens[at + 1].text.clone(), 1),
    };
    let tag = tagged == 0 || tokens.get(at + 2).is_some_and(|t| t.text == marks.tag);
    let ends = tokens.get(at + 2 + tagged).is_none_or(|t| t.has(&Sense::Punctuation));
    let senses: Vec<Sense> =
        vocabulary.senses(&state).iter().filter(|s| matches!(s, Sense::State(_))).cloned().collect();
    if tag && ends && !senses.is_empty() {
        let asks = Token { text: marks.tag.clone(), heard: None, senses: vec![Sense::Question(Question::YesNo)] };
        tokens.splice(at + 1..at + 2 + tagged, [Token { text: state, heard: None, senses }, asks]);
    }
    tokens
}

/// `没有就开始洗`, `没充就回去`: what is not so, with the state that was asked of right before it.
fn in_full(mut tokens: Vec<Token>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let not = |t: &Token| t.has(&Sense::Not) && !t.is_entity();
    let then = |t: Option<&Token>| t.is_some_and(|t| t.any(|s| matches!(s, Sense::Then | Sense::IfClose)));
    let case = |at: &usize| pause(&tokens[at - 1]) && not(&tokens[*at]);
    let Some(at) = (1..tokens.len()).find(case) else { return tokens };
    let begin = tokens[..at - 1].iter().rposition(pause).map_or(0, |pause| pause + 1);
    let question = &tokens[begin..at - 1];
    let asks = question.iter().any(|t| t.has(&Sense::Question(Question::YesNo)) && !t.is_entity());
    let state = |t: &&Token| t.any(|s| matches!(s, Sense::State(_) | Sense::Verb(_))) && !t.is_entity();
    let Some(state) = question.iter().rfind(state).filter(|_| asks).cloned() else { return tokens };
    // 充上电没有，没充就…: the same, begun.
    let begun = |t: &Token| t.is_residue() && state.text.contains(t.text.as_str());
    if then(tokens.get(at + 1)) {
        tokens.insert(at + 1, state);
    } else if tokens.get(at + 1).is_some_and(begun) && then(tokens.get(at + 2)) {
        tokens[at + 1] = state;
    }
    tokens
}

/// `开着就…`, `没关就…`: how something is, and then what to do, of no other thing.
fn is_case(clause: &[Token]) -> bool {
    let said: Vec<&Token> = clause.iter().filter(|t| !t.has(&Sense::If) || t.has(&Sense::IfClose)).collect();
    let not = usize::from(said.first().is_some_and(|t| t.has(&Sense::Not)));
    // 没拉上就拉上: a verb that is denied says how something is.
    let is = |s: &Sense| matches!(s, Sense::State(_)) || not == 1 && matches!(s, Sense::Verb(_));
    let state = said.get(not).is_some_and(|t| t.any(is) && !t.is_entity());
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Disposal | Sense::Then | Sense::IfClose));
    let then = said.get(not + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Then | Sense::IfClose)));
    // 没关给我关了, 没开打开
    let acts = || {
        let told = said.iter().skip(not + 1).find(|t| !small(t) || t.any(|s| matches!(s, Sense::Verb(_))));
        not == 1 && told.is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity())
    };
    state && (then || acts()) && !said.iter().any(|t| is_thing(t))
}

/// Where a case ends and nothing says so, and what leads from it to what is done then: `没关，就给我关了`.
fn then_of(clause: &[Token], lexicon: &Lexicon) -> (usize, Option<Token>) {
    let leads = |t: &Token| t.any(|s| matches!(s, Sense::Then | Sense::IfClose));
    if clause.iter().any(leads) {
        return (0, None);
    }
    let not = clause.iter().position(|t| t.has(&Sense::Not)).map_or(0, |at| at + 1);
    let text = lexicon.marks.then.clone();
    (not + 1, Some(Token { text, heard: None, senses: vec![Sense::Then] }))
}

/// `大于三十就…`, `低于二十五度就…`: how much it is, and then what to do.
fn compares(clause: &[Token]) -> bool {
    let said: Vec<&Token> = clause.iter().filter(|t| !t.has(&Sense::If) || t.has(&Sense::IfClose)).collect();
    let compares = said.first().is_some_and(|t| t.any(|s| matches!(s, Sense::Compare(_))) && !t.is_entity());
    let number = said.get(1).is_some_and(|t| t.any(|s| matches!(s, Sense::Number(_))));
    let then = said.iter().take(5).any(|t| t.any(|s| matches!(s, Sense::Then | Sense::IfClose)));
    compares && number && then
}

/// What a clause asks the measure of (`电视声音多大`, `客厅多少度`), without the question.
fn measured(clause: &[Token]) -> Option<Vec<Token>> {
    let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(Question::HowMuch | Question::HowMany)));
    let at = clause.iter().position(|t| asks(t) && !t.is_entity())?;
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Is)) && !t.is_entity();
    let thing = clause[..at].iter().any(|t| !small(t));
    let only = clause[at + 1..].iter().all(small);
    (thing && only).then(|| clause[..at].iter().filter(|t| !small(t)).cloned().collect())
}

/// What a clause asks the state of, up to what it is called.
fn asked<'a>(clause: &'a [Token], lexicon: &Lexicon) -> Option<&'a [Token]> {
    let last = clause.iter().rposition(is_thing)?;
    let rest = &clause[last + 1..];
    let state = |t: &Token| t.any(|s| matches!(s, Sense::State(_) | Sense::Verb(_)));
    let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(Question::YesNo) | Sense::Exists));
    // 还开着吧
    let goes_on = rest.first().is_some_and(|t| t.has(&Sense::And));
    let only = rest
        .iter()
        .all(|t| state(t) || asks(t) || t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::And)));
    // 风扇摇头关没关: of what it has, which is not all of it.
    let part = rest.iter().any(|t| super::nominal::property(t).is_some() && !t.is_entity());
    let only = only && !part;
    // 大门锁了没: the verb is the end of the name.
    let end: String = clause[last].text.chars().last().into_iter().collect();
    let by_name = || lexicon.senses(&end).iter().any(|s| matches!(s, Sense::Verb(_)));
    (only && (goes_on || rest.iter().any(asks)) && (rest.iter().any(state) || by_name())).then_some(&clause[..=last])
}

//! Questions that say what they ask for and that it is not so: `热不热`, `开没开`, `有冇开`, `到没到五十度`.

use super::super::super::lexicon::{Comparison, Question, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal;

/// `告诉我主卧的湿度`: what somebody wants to be told, without a word that asks.
fn asked_for(mut tokens: Vec<Token>) -> Vec<Token> {
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    let end = tokens.len() - tokens.iter().rev().take_while(small).count();
    let asks = tokens.first().is_some_and(|t| t.has(&Sense::AskFor) && !t.is_entity());
    let measured = end > 1 && nominal::property(&tokens[end - 1]).is_some() && !tokens[end - 1].is_entity();
    let says = |t: &Token| {
        t.has(&Sense::AskFor)
            || t.any(|s| matches!(s, Sense::Of | Sense::Conjunction))
            || nominal::is_thing(t)
            || nominal::place(t).is_some()
            || nominal::property(t).is_some()
    };
    if asks && measured && tokens[..end].iter().all(says) {
        tokens.insert(end, Token::unsaid(Sense::Question(Question::HowMuch)));
    }
    tokens
}

/// `大门锁没锁`: the verb that asks is said with the end of the name.
fn asked_by_name(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    let named = |t: &Token| t.is_entity() || nominal::kind(t).is_some();
    let Some(last) = tokens.iter().rposition(|t| !small(t)) else { return tokens };
    let found = (0..last).filter(|at| named(&tokens[*at])).find_map(|at| {
        let end = tokens[at].text.chars().last()?;
        let rest: String = tokens[at + 1..=last].iter().map(|t| t.text.as_str()).collect();
        let verb =
            marks.undone.iter().find_map(|not| rest.strip_prefix(not.as_str())).filter(|verb| verb.starts_with(end))?;
        let senses = vocabulary.senses(verb);
        let action = senses.iter().any(|s| matches!(s, Sense::Verb(_)));
        action.then(|| (at, rest.clone(), Token { text: verb.to_owned(), heard: None, senses }))
    });
    if let Some((at, text, verb)) = found {
        let question = Token { text, heard: None, senses: vec![Sense::Question(Question::YesNo)] };
        tokens.splice(at + 1..=last, [verb, question]);
    }
    tokens
}

/// `灯关冇`: what says that something was not done asks where nothing follows that could be done.
fn asked_at_its_end(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    let last = tokens.iter().rposition(|t| !small(t)).filter(|last| *last > 0);
    if let Some(end) = last.map(|last| &mut tokens[last])
        && end.senses == [Sense::Not]
        && vocabulary.lexicon.marks.undone.contains(&end.text)
    {
        end.senses.push(Sense::Question(Question::YesNo));
    }
    tokens
}

/// `热不热`, `开没开`, `有没有人`: the same word twice is a question, and said once as far as meaning goes.
pub(in super::super) fn unfold(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = asked_for(asked_at_its_end(asked_by_name(tokens, vocabulary), vocabulary));
    let not = |t: &Token| t.has(&Sense::Not);
    let mut unfolded: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let said_again = match &tokens[at..] {
            [first, between, second, ..] if not(between) && !first.is_entity() => {
                let adjective =
                    first.any(|s| matches!(s, Sense::Direction { .. } | Sense::Verb(_) | Sense::Degree { .. }));
                adjective && second.text.starts_with(first.text.as_str())
            }
            _ => false,
        };
        // More than one character, so that it is not taken for the word that negates.
        let question = |asked: &[Token]| Token {
            text: asked.iter().map(|t| t.text.as_str()).collect(),
            heard: None,
            senses: vec![Sense::Question(Question::YesNo)],
        };
        if said_again {
            unfolded.push(tokens[at + 2].clone());
            unfolded.push(question(&tokens[at..at + 2]));
            at += 3;
            continue;
        }
        // 有冇开
        if let [has, not, _, ..] = &tokens[at..]
            && asks_of_both(has, not)
        {
            unfolded.push(question(&tokens[at..at + 2]));
            at += 2;
            continue;
        }
        // 有没有到 and 到没到 are cut as what is so and what is less than that.
        if let [so, less, ..] = &tokens[at..]
            && let Some(reached) = reached(so, less)
        {
            unfolded.push(question(&tokens[at..at + 2]));
            unfolded.push(reached);
            at += 2;
            continue;
        }
        // 有没有人 is cut as 有 and 没有人.
        if let [has, absent, ..] = &tokens[at..]
            && has.has(&Sense::Exists)
            && let Some(property) =
                absent.senses.iter().find_map(|s| if let Sense::Absent(property) = s { Some(*property) } else { None })
        {
            unfolded.push(Token {
                text: vocabulary.lexicon.properties[property].words[0].clone(),
                heard: None,
                senses: vec![Sense::Property(property)],
            });
            unfolded.push(question(&tokens[at..at + 2]));
            at += 2;
            continue;
        }
        unfolded.push(tokens[at].clone());
        at += 1;
    }
    unfolded
}

/// `有冇`: that there is, and that there is not.
fn asks_of_both(has: &Token, not: &Token) -> bool {
    let one = |t: &Token| t.text.chars().count() == 1 && !t.is_entity();
    one(has) && one(not) && has.has(&Sense::Exists) && not.has(&Sense::Not)
}

/// What `有没有到` and `到没到` ask for: as much at least as what follows.
fn reached(so: &Token, less: &Token) -> Option<Token> {
    let has = so.has(&Sense::Exists) && so.text.chars().count() == 1;
    let comes_to = less.text.ends_with(&so.text) && so.has(&Sense::Compare(Comparison::AtLeast));
    let asks = (has || comes_to) && !so.is_entity() && less.has(&Sense::Compare(Comparison::Less));
    asks.then(|| Token { senses: vec![Sense::Compare(Comparison::AtLeast)], ..less.clone() })
}

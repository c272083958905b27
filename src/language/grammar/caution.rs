//! What shall not come of it, and the rest: `别让孩子烫着，童锁锁上`, `大灯调到一百莫影响我摸牌`, `窗帘开七成就行别全拉开`. A refusal that is about
//! nothing of the home, or about more than was told, takes nothing back.

use super::super::lexicon::{Question, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_somebody, is_thing, place, property};

/// Numbers above this one are no manner of speaking (一个人, 俩).
const COUNTED: f64 = 2.0;

/// The sentence without refusals that refuse nothing of what is told.
pub(super) fn without_cautions(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let refuses = |t: &Token| t.has(&Sense::Negation) && !t.is_entity() && !lexicon.kept.contains(&t.text);
    let mut from = 0;
    while let Some(at) = tokens[from..].iter().position(refuses).map(|at| from + at) {
        // 月亮灯暗一点点 她怕黑 别全关: behind a pause it is about all that was told.
        let apart = at > 0 && pauses(&tokens[at - 1]);
        let start = if apart { 0 } else { clause_start(&tokens, at) };
        let end = clause_end(&tokens, at);
        let (before, tail, after) = (&tokens[start..at], &tokens[at + 1..end], &tokens[end..]);
        // Only of what has a value it is clear that nothing else is meant.
        let valued =
            before.iter().any(|t| t.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Little)));
        let spares = tail.len() > 1 && !tail.iter().any(|t| is_ours(t, vocabulary));
        // 灯都关了，别管大黄: of all, whatever that is may be one.
        let all = |t: &Token| t.any(|s| matches!(s, Sense::Each | Sense::All | Sense::WholeHome | Sense::Other));
        let follows = spares
            && valued
            && is_told(before)
            && !tokens[..at].iter().any(all)
            && is_other(before, &tokens[at..end], vocabulary);
        let leads = spares
            && before.iter().all(is_small)
            && !tail.iter().any(acts)
            && tail.iter().any(|t| t.is_residue() || t.has(&Sense::Reason))
            && is_told(after.split(refuses).next().unwrap_or_default())
            && !after.iter().any(all);
        if follows || leads {
            // A pause that led to it is not needed any more.
            tokens.drain(at..if leads { (end + 1).min(tokens.len()) } else { end });
            from = at;
        } else {
            from = at + 1;
        }
    }
    tokens
}

/// `电视小点声 别那么大声`: told once more by what it shall not be.
pub(super) fn without_echo(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let way = |t: &Token| {
        let of = |s: &Sense| match s {
            Sense::Degree { up } | Sense::Step { up } | Sense::Direction { up, .. } => Some(*up),
            _ => None,
        };
        t.senses.iter().find_map(of).filter(|_| !t.is_entity())
    };
    let so = |t: &Token| vocabulary.lexicon.asides.judges.contains(&t.text) || is_small(t);
    for at in 0..tokens.len() {
        if !tokens[at].has(&Sense::Negation) || tokens[at].is_entity() {
            continue;
        }
        let (begin, end) = (clause_start(&tokens, at), clause_end(&tokens, at));
        let limit = &tokens[at + 1..end];
        let only = limit.iter().all(|t| so(t) || way(t).is_some() || t.has(&Sense::Little));
        let Some(up) = limit.iter().find(|t| !so(t)).and_then(way).filter(|_| only) else { continue };
        // What it echoes is the clause before it, or the beginning of its own, or the one behind it.
        let pause = usize::from(at == begin && at > 0);
        let before = &tokens[clause_start(&tokens, at - pause)..at - pause];
        let behind = end + 1..clause_end(&tokens, end + 1);
        let steps =
            |words: &[Token]| words.iter().find_map(way) == Some(!up) && !words.iter().any(|t| t.has(&Sense::Negation));
        if steps(before) || tokens.get(behind).is_some_and(steps) {
            tokens.drain(at - pause..end);
            break;
        }
    }
    tokens
}

/// `灯关了省得晃眼`: what shall not come of it is nothing to do.
pub(super) fn without_purposes(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lest = |t: &Token| vocabulary.lexicon.lest.contains(&t.text) && !t.is_entity();
    while let Some(at) = tokens.iter().position(lest).filter(|at| tokens[..*at].iter().any(acts)) {
        let end = clause_end(&tokens, at);
        tokens.drain(at..end);
    }
    tokens
}

/// Whether something is told in full: of what is named, an action or a value.
fn is_told(words: &[Token]) -> bool {
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Fraction(_)));
    words.iter().any(|t| acts(t) || value(t)) && words.iter().any(is_thing)
}

/// Whether what is refused is something else than the value that is told: nothing that is done, what would undo it, or more of it.
fn is_other(told: &[Token], refused: &[Token], vocabulary: &Vocabulary) -> bool {
    let way = |senses: &[Sense]| senses.iter().find_map(|s| vocabulary.lexicon.switches(s));
    let held = || vocabulary.lexicon.held(&refused[0].text);
    let actions = refused[1..].iter().filter(|t| acts(t)).map(|t| way(&t.senses));
    let done = told.iter().rev().find(|t| acts(t)).and_then(|t| way(&t.senses));
    let more = || refused.iter().any(|t| t.any(|s| matches!(s, Sense::Each | Sense::All | Sense::Degree { .. })));
    actions.chain(held().map(Some)).all(|way| match (way, done) {
        (Some(way), Some(done)) => way != done || more(),
        (Some(way), None) => !way,
        (None, _) => false,
    })
}

/// Whether a word names something that a home has, or could bind what is told.
fn is_ours(token: &Token, vocabulary: &Vocabulary) -> bool {
    let somebody = is_somebody(token, vocabulary);
    let number = |s: &Sense| matches!(s, Sense::Number(n) if n.value > COUNTED);
    let asks = |s: &Sense| matches!(s, Sense::Question(q) if *q != Question::YesNo);
    !somebody && (is_thing(token) || property(token).is_some() || place(token).is_some())
        || token.any(number)
        || token.any(asks)
        || token.any(|s| {
            matches!(
                s,
                Sense::If
                    | Sense::IfClose
                    | Sense::Unless
                    | Sense::Else
                    | Sense::Standing
                    | Sense::Scene(_)
                    | Sense::ExceptOpen
                    | Sense::ExceptClose
                    | Sense::Negation
                    | Sense::Feature(_)
                    | Sense::Reference
                    | Sense::Direction { .. }
                    | Sense::Other
                    | Sense::Sequence
                    | Sense::Future
            )
        })
        || token.any(|s| matches!(s, Sense::State(_))) && !acts(token)
}

fn acts(token: &Token) -> bool {
    token.any(Sense::is_action) && !token.is_entity()
}

fn is_small(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Filler | Sense::Particle)) && !token.is_entity()
}

fn pauses(token: &Token) -> bool {
    token.has(&Sense::Punctuation)
}

/// Where the clause begins that a position is in.
fn clause_start(tokens: &[Token], at: usize) -> usize {
    tokens[..at].iter().rposition(pauses).map_or(0, |pause| pause + 1)
}

/// Where the clause ends that a position is in.
fn clause_end(tokens: &[Token], at: usize) -> usize {
    let rest = tokens.get(at..).unwrap_or_default();
    rest.iter().position(pauses).map_or(tokens.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn what_shall_not_come_of_it_takes_nothing_back() {
        for sentence in ["客厅大灯调到一百莫影响我摸牌", "别让娃烫着，热水器关了", "布帘开七成就行别全拉开"]
        {
            assert!(matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }

    #[test]
    fn what_is_told_once_more_by_what_it_shall_not_be_is_one_step() {
        let told = at_home("电视小点声");
        assert!(matches!(told, Parse::Orders(_)));
        assert_eq!(at_home("电视小点声 别那么大声"), told);
        assert_eq!(at_home("别那么大声 电视小点声"), told);
        assert_ne!(at_home("电视大点声 别那么大声"), at_home("电视大点声"));
    }

    #[test]
    fn a_refusal_of_what_is_told_stands() {
        for sentence in ["打开小米电视别打开", "别关小米电视", "别把小米电视关了，爷爷要看", "别开"]
        {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }
}

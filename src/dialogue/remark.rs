//! What goes on from the turn before behind a remark: `老太太怕吹，还是关了吧`, `白得像医院，四千就行`.

use super::{Meant, Page, tokens, words};
use crate::language::action::Action;
use crate::language::grammar::{self, Parse, Rejection};
use crate::language::lexicon::{Question, Sense};
use crate::language::segment::Token;
use crate::retrieval::World;

/// Clauses of a sentence; more are a story.
const CLAUSES: usize = 4;

/// The last clause of an utterance that by itself tells nothing, where all before it is about nothing of the home and binds
/// nothing; with a word that corrects, if one was said.
pub(super) fn behind_remark(sentence: &str, parse: &Parse, page: &Page, world: &World) -> Option<String> {
    let open = matches!(parse, Parse::Unsure(..) | Parse::Rejected(Rejection::Chatter | Rejection::Talk));
    if !open || page.last.is_empty() && page.pending.is_none() {
        return None;
    }
    let tokens = tokens(sentence, world);
    let clauses: Vec<&[Token]> = tokens.split(|t| t.has(&Sense::Punctuation)).filter(|c| !c.is_empty()).collect();
    let [remarks @ .., last] = &clauses[..] else { return None };
    if !(1..CLAUSES).contains(&remarks.len()) || !remarks.iter().all(|clause| is_talk(clause, world)) {
        return None;
    }
    let corrects = remarks.iter().flat_map(|clause| clause.iter()).find(|t| t.has(&Sense::Correction));
    // 又打开吧
    let once_more = |t: &&Token| t.has(&Sense::And);
    let led = corrects.into_iter().chain(last.iter().skip_while(once_more));
    Some(led.map(|t| t.text.as_str()).collect())
}

/// Whether all that is meant is told clearly.
pub(super) fn moves(meant: &Meant) -> bool {
    let Meant::Orders { orders, .. } = meant else { return false };
    orders.iter().all(|o| !o.action.moves_nothing() && !matches!(o.action, Action::Unclear(_)))
}

/// Whether a clause is about nothing of the home, asks nothing and binds nothing.
pub(super) fn is_talk(clause: &[Token], world: &World) -> bool {
    let asks = |s: &Sense| matches!(s, Sense::Question(question) if *question != Question::YesNo);
    let binds = |t: &Token| t.has(&Sense::Negation) || t.any(asks);
    grammar::is_of_something_else(clause, &world.vocabulary)
        && !grammar::is_story(clause, true, &world.vocabulary)
        && !clause.iter().any(|t| binds(t) || words::is_ours(t))
}

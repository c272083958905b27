//! A scene without some of what it does: `出门模式 空调别关`, `观影模式 窗帘留着`, `出门模式 除了电视`. Said as 除了空调，执行出门模式.

use super::super::lexicon::{Lexicon, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_thing, place};

/// The sentence with what is spared before the scene.
pub(super) fn without_spared(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    spared_first(&tokens, vocabulary).unwrap_or(tokens)
}

fn spared_first<'t>(tokens: &'t [Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    // 出门模式空调别关: what is spared may follow without a pause.
    let parted = |clause: &'t [Token]| {
        let end = clause.iter().position(is_scene).map_or(clause.len(), |at| at + 1);
        let end = if clause[end..].iter().all(is_small) { clause.len() } else { end };
        [&clause[..end], &clause[end..]]
    };
    let parts = tokens.split(is_pause).flat_map(parted);
    let clauses: Vec<&[Token]> = parts.filter(|clause| !clause.iter().all(is_small)).collect();
    let at = clauses.iter().position(|clause| runs(clause, &vocabulary.lexicon))?;
    let idle = |clause: &&[Token]| !clause.iter().any(|t| t.any(Sense::is_action) && !t.is_entity());
    let left = |at: usize| clauses.get(at).and_then(|clause| spared(clause, &vocabulary.lexicon));
    let opens = |clause: &[Token]| clause.iter().any(|t| t.has(&Sense::ExceptOpen));
    let first = match left(at + 1) {
        Some(_) if clauses[..at].iter().all(idle) => at + 1,
        // 除了电视，出门模式
        _ if at == 1 && opens(clauses[0]) => 0,
        _ => return None,
    };
    // 空调别关，电视也别关
    let spared: Vec<Vec<Token>> = (first..).map_while(left).collect();
    let rest = &clauses[(first + spared.len()).max(at + 1)..];
    let refuses = |t: &Token| t.any(|s| matches!(s, Sense::Negation | Sense::ExceptAfter | Sense::ExceptOpen));
    if spared.is_empty() || rest.iter().any(|clause| clause.iter().any(|t| refuses(t) && !t.is_entity())) {
        return None;
    }
    let mut said = vec![Token::unsaid(Sense::ExceptOpen)];
    said.extend(spared.join(&Token::unsaid(Sense::Conjunction)));
    said.push(Token::unsaid(Sense::ExceptClose));
    said.extend(vocabulary.lexicon.verb("run_scene").map(|run| Token::unsaid(Sense::Verb(run))));
    said.extend(clauses[at].iter().filter(|t| is_scene(t)).cloned());
    for clause in rest {
        said.push(Token::unsaid(Sense::Punctuation));
        said.extend_from_slice(clause);
    }
    Some(said)
}

/// Whether a clause runs a scene and tells nothing else.
fn runs(clause: &[Token], lexicon: &Lexicon) -> bool {
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(v) if Some(*v) == lexicon.verb("run_scene")));
    let said = |t: &Token| is_scene(t) || is_small(t) || verb(t) || t.has(&Sense::Disposal);
    clause.iter().filter(|t| is_scene(t)).count() == 1 && clause.iter().all(said)
}

/// What a clause says to leave as it is, and no more than that.
fn spared(clause: &[Token], lexicon: &Lexicon) -> Option<Vec<Token>> {
    let names = |t: &Token| is_thing(t) || place(t).is_some();
    let joins = |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::Conjunction | Sense::And | Sense::Here));
    let opens = |t: &Token| t.has(&Sense::ExceptOpen) && !t.is_entity();
    let kept =
        |t: &Token| lexicon.kept.contains(&t.text) || t.any(|s| matches!(s, Sense::ExceptAfter | Sense::Negation));
    let ends = |t: &Token| {
        !t.is_entity()
            && (kept(t)
                || is_small(t)
                || t.any(|s| matches!(s, Sense::Verb(_) | Sense::Then | Sense::Also | Sense::Each)))
    };
    let led = clause.iter().take_while(|t| is_small(t) || opens(t) || t.has(&Sense::Disposal)).count();
    let what = clause[led..].iter().take_while(|t| names(t) || joins(t)).count();
    let (lead, rest) = (&clause[..led], &clause[led + what..]);
    let what = &clause[led..led + what];
    let leaves = lead.iter().any(opens) || rest.iter().any(|t| kept(t) && !t.is_entity());
    (what.iter().any(is_thing) && leaves && rest.iter().all(ends)).then(|| what.to_vec())
}

fn is_scene(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Scene(_)))
}

fn is_small(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Sequence | Sense::Speaker)) && !token.is_entity()
}

fn is_pause(token: &Token) -> bool {
    token.has(&Sense::Punctuation)
}

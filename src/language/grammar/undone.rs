//! Actions that are named to be ended: `取消电视静音`, `把空调的静音关掉`.

use super::super::lexicon::{Question, Sense, VerbId};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::is_thing;

/// The sentence with what is to be ended as the action that undoes it: who takes the silence away does not ask for it.
pub(super) fn undone(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut read = Vec::with_capacity(tokens.len());
    let parts = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Then | Sense::Sequence));
    for clause in tokens.split_inclusive(parts) {
        let begin = read.len();
        read.extend_from_slice(clause);
        if let Some((end, action, opposite)) = ended(clause, vocabulary) {
            read[begin + action].senses = vec![Sense::Verb(opposite)];
            read[begin + end].senses = vec![Sense::Filler];
        }
    }
    read
}

/// `厕所灯没关帮我关一下`: what has not been done says why, and what shall be done about it follows.
pub(super) fn to_be_done(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let verb = |t: &Token| t.senses.iter().find_map(|s| if let Sense::Verb(v) = s { Some(*v) } else { None });
    let on = vocabulary.lexicon.verb("on");
    let verb = |t: &Token| verb(t).or_else(|| on.filter(|on| t.has(&Sense::State(*on))));
    let way = |t: &Token| verb(t).filter(|_| !t.is_entity()).and_then(|v| vocabulary.lexicon.verbs[v].switches);
    let not = |t: &Token| t.has(&Sense::Not) && marks.tells_undone(&t.text);
    let open = |t: &Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::If | Sense::IfClose)) && !not(t);
    let told = |t: &Token| t.has(&Sense::Speaker) || t.has(&Sense::Person) || t.has(&Sense::Negation);
    for at in 1..tokens.len().saturating_sub(2) {
        let (undone, rest) = (&tokens[at + 1], &tokens[at + 2..]);
        let begins =
            rest[0].any(|s| matches!(s, Sense::Punctuation | Sense::Disposal | Sense::Filler | Sense::Verb(_)));
        let again = rest.iter().any(|t| way(t).is_some() && way(t) == way(undone));
        if not(&tokens[at])
            && again
            && begins
            && tokens[..at].iter().any(is_thing)
            && !tokens[..at].iter().chain(rest).any(|t| open(t) || told(t))
        {
            // 院子里的灯怎么还没亮，快打开
            let wonders =
                |t: &&Token| t.any(|s| matches!(s, Sense::Suppose | Sense::Filler | Sense::And)) && !is_thing(t);
            let begin = at - tokens[..at].iter().rev().take_while(wonders).count();
            tokens.drain(begin..at + 2);
            return tokens;
        }
    }
    tokens
}

/// `二楼的空调谁开的关了`: nobody is asked who did what is to be undone in the same breath.
pub(super) fn whoever_did(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let way = |t: &Token| t.senses.iter().find_map(|s| vocabulary.lexicon.switches(s)).filter(|_| !t.is_entity());
    let ends = |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::Particle | Sense::Punctuation));
    let who = |t: &Token| t.has(&Sense::Question(Question::Who));
    let Some(at) = tokens.iter().position(who).filter(|at| tokens[..*at].iter().any(is_thing)) else { return tokens };
    // 开的 is a state by itself.
    let state = |t: &Token| {
        let verb = t.senses.iter().find_map(|s| if let Sense::State(v) = s { Some(*v) } else { None });
        verb.and_then(|v| vocabulary.lexicon.verbs[v].switches)
    };
    let Some(done) = tokens.get(at + 1).and_then(|t| way(t).or_else(|| state(t))) else { return tokens };
    let close = at + 2 + tokens[at + 2..].iter().take_while(|t| ends(t)).count();
    let told = close > at + 2 || way(&tokens[at + 1]).is_none();
    let undone = tokens.get(close).and_then(way).is_some_and(|undone| undone != done);
    if told && undone && !tokens[..at].iter().any(|t| t.any(|s| matches!(s, Sense::Question(_)))) {
        tokens.drain(at..close);
    }
    tokens
}

/// `忘了关燃气了 帮我关一下`, `电视忘关了 关一下`: the thing alone, where it is told right behind it.
pub(super) fn forgotten(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let forgets = |t: &Token| marks.forgets.contains(&t.text) && !t.is_entity();
    let way = |t: &Token| t.senses.iter().find_map(|s| vocabulary.lexicon.switches(s)).filter(|_| !t.is_entity());
    let Some(at) = tokens.iter().position(forgets) else { return tokens };
    let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
    let Some(end) = tokens[at..].iter().position(pause).map(|pause| at + pause) else { return tokens };
    let Some(forgotten) = tokens.get(at + 1).and_then(way) else { return tokens };
    let next = tokens[end + 1..].split(pause).next().unwrap_or_default();
    let things: Vec<Token> = tokens[begin..end].iter().filter(|t| is_thing(t)).cloned().collect();
    let told = next.iter().any(|t| way(t) == Some(forgotten)) && !next.iter().any(is_thing);
    if told && !things.is_empty() {
        tokens.splice(begin..=end, things);
    }
    tokens
}

/// Where a clause ends something, what it ends, and what undoes that.
fn ended(clause: &[Token], vocabulary: &Vocabulary) -> Option<(usize, usize, VerbId)> {
    let verbs = &vocabulary.lexicon.verbs;
    let acts = |t: &Token| {
        t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. } | Sense::SetBare))
            && !t.is_entity()
    };
    let acting: Vec<usize> = (0..clause.len()).filter(|at| acts(&clause[*at])).collect();
    let [first, second] = acting[..] else { return None };
    let open = |t: &Token| {
        t.any(|s| {
            matches!(s, Sense::Negation | Sense::Not | Sense::Question(_) | Sense::If | Sense::IfClose | Sense::And)
        })
    };
    if clause.iter().any(open) {
        return None;
    }
    let ends = |at: usize| clause[at].any(|s| vocabulary.lexicon.switches(s) == Some(false));
    // The name of a state as well as of what brings it about, and not that of a thing that is so (关掉静音的电视).
    let named = |at: usize| {
        let describes = clause.get(at + 1).is_some_and(|t| t.has(&Sense::Of));
        clause[at].senses.iter().find_map(|sense| match sense {
            Sense::Verb(v) if clause[at].has(&Sense::State(*v)) && !describes && verbs[*v].switches.is_none() => {
                verbs[*v].opposite
            }
            _ => None,
        })
    };
    // 小音箱静音客厅灯关掉: two things, and each has its own action.
    let between = clause[first + 1..second].iter().filter(|t| is_thing(t)).count();
    match (ends(first), named(second), named(first), ends(second)) {
        (true, Some(opposite), ..) if between < 2 => Some((first, second, opposite)),
        (_, _, Some(opposite), true) if between == 0 => Some((second, first, opposite)),
        _ => None,
    }
}

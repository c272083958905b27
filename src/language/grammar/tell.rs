//! What a sentence, or a part of one, tells to do.

use super::super::action::{Action, Amount, Ask};
use super::super::lexicon::Sense;
use super::super::order::Order;
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::Nominal;
use super::{
    Parse, Rejection, SpeakerContext, chunk, clause, denial, exclusion, feature, guard, leave, means_another, mixed,
    nominal, order, played, trace,
};

/// Reads a sentence, or a part of one, that tells to do something.
pub(super) fn command(tokens: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Parse {
    command_noted(tokens, vocabulary, speaker, &mut |_, _| {})
}

pub(super) fn command_noted(
    tokens: &[Token],
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
    note: trace::Note,
) -> Parse {
    let left = leave::left(tokens, vocabulary);
    let tokens = left.as_deref().unwrap_or(tokens);
    let apart = mixed::told_apart(tokens, vocabulary);
    let (tokens, denied) = denial::settled(apart.as_deref().unwrap_or(tokens), vocabulary);
    let chunks = chunk::chunks(&tokens, vocabulary);
    note("chunks", &|| format!("{chunks:?}"));
    let (mut clauses, stray) = clause::clauses(&chunks, vocabulary, speaker.local);
    clauses.iter_mut().for_each(|c| c.switch_feature_on(vocabulary));
    note("clauses", &|| format!("{clauses:?}"));
    if guard::describes(&tokens, vocabulary) || played::plays_something(&tokens, vocabulary) {
        return Parse::Rejected(Rejection::Talk);
    }
    // Each clause stands for itself: what is sure is done, and the rest is named.
    let each: Vec<(Vec<Order>, Vec<String>)> =
        clauses.iter().map(|c| order::orders(std::slice::from_ref(c), vocabulary, speaker)).collect();
    let named: Vec<&[Nominal]> = clauses.iter().map(|c| c.nominals.as_slice()).collect();
    let known = |c: &clause::Clause| c.nominals.is_empty() || c.nominals.iter().any(|n| !n.is_strange(vocabulary));
    let sure = |at: usize| each[at].1.is_empty() && !each[at].0.is_empty();
    let some = (0..clauses.len()).any(|at| sure(at) && known(&clauses[at]) && !clauses[at].nominals.is_empty());
    if some
        && !exclusion::may_spare(&named, &each, &vocabulary.lexicon)
        && !means_another(&tokens)
        && stray.is_empty()
        && denied.is_empty()
        && (0..clauses.len()).any(|at| !sure(at))
    {
        let part = |(orders, open): (Vec<Order>, Vec<String>)| match (open.is_empty(), orders.is_empty()) {
            (true, _) => orders,
            (false, _) => vec![order::unclear(&open)],
        };
        return Parse::Orders(each.into_iter().flat_map(part).collect());
    }
    let mut loose = stray;
    let (orders, open): (Vec<Vec<Order>>, Vec<Vec<String>>) = each.into_iter().unzip();
    let orders = orders.concat();
    loose.extend(open.concat());
    loose.extend(denied);
    if !some && !clauses.is_empty() && clauses.iter().all(|c| !known(c)) {
        return Parse::Rejected(Rejection::Chatter);
    }
    let fragment = orders.is_empty() && loose.is_empty();
    if let ([clause], true) = (&clauses[..], fragment)
        && let Some(property) = clause.asks_for_value(vocabulary)
    {
        let ask = clause.asks_to_do(property, vocabulary).unwrap_or(Action::Ask(Ask::Value(property)));
        return Parse::Orders(vec![order::order(&clause.nominals[0], &ask, vocabulary, speaker)]);
    }
    // Who wants something made, or handles a thing with 把, wants more than to talk of it.
    let wishes = || [Sense::Make, Sense::Disposal, Sense::Polite].iter().any(|s| tokens.iter().any(|t| t.has(s)));
    match orders.len() {
        0 if fragment => clauses
            .iter()
            .find_map(|c| c.nominals.first())
            .map(|n| Parse::Fragment(order::fragment(n, vocabulary, speaker)))
            .unwrap_or(Parse::Rejected(Rejection::Chatter)),
        0 if let Some((nominal, action)) = another_value(&tokens, vocabulary) => {
            Parse::Orders(vec![order::order(&nominal, &action, vocabulary, speaker)])
        }
        0 if !wishes() => Parse::Rejected(Rejection::Chatter),
        _ if loose.is_empty() => Parse::Orders(orders),
        // 我很开心 holds a verb by accident; only what is about something of this home is worth a question.
        _ if !clauses.iter().any(|c| about_home(c, vocabulary)) => Parse::Rejected(Rejection::Chatter),
        _ => Parse::Unsure(orders, loose),
    }
}

/// `灯带换个颜色`, `空调模式换一下`: another value is wished for, and nobody says which.
fn another_value(tokens: &[Token], vocabulary: &Vocabulary) -> Option<(Nominal, Action)> {
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !t.is_entity();
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Disposal)) && !sets(t);
    let begin = tokens.iter().position(|t| !small(t))?;
    let (mut nominal, end) = nominal::read(tokens, begin, vocabulary)?;
    let rest: Vec<&Token> = tokens[end..].iter().filter(|t| !small(t)).collect();
    let property = match rest[..] {
        [set, of] | [of, set] if sets(set) && !sets(of) => nominal::property(of)?,
        [set] if sets(set) => nominal.property?,
        _ => return None,
    };
    nominal.property = None;
    let devices = feature::meant(&nominal, vocabulary)?;
    let writable = |d: &usize| vocabulary.devices[*d].about(property).is_some_and(|ability| ability.writable);
    let entry = &vocabulary.lexicon.properties[property];
    let word = entry.words.first().filter(|_| !entry.flag && devices.iter().any(writable))?;
    Some((nominal, Action::Set { property: Some(property), to: Amount::Word(word.clone()) }))
}

/// Whether a clause names something that a home has: a device, a place, a property.
fn about_home(clause: &clause::Clause, vocabulary: &Vocabulary) -> bool {
    let property = clause.predicates.iter().any(|(_, property)| property.is_some());
    property || clause.nominals.iter().any(|n| !n.is_strange(vocabulary) && (n.head.is_some() || !n.places.is_empty()))
}

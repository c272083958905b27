//! What each of several gets: `吊灯和壁灯分别调到六十和三十`, `客厅和主卧的空调调到26和24度`.

use super::super::lexicon::Marks;
use super::super::segment::Token;
use super::super::sense::Sense;
use super::names::row_at_end;

/// The sentence with each name beside its own value. Where there are more or fewer values than names, nobody knows which is whose, nor
/// which of two is meant for one: a word is left then that nothing explains.
pub(super) fn told_apart(mut tokens: Vec<Token>, marks: &Marks) -> Vec<Token> {
    let says = |t: &Token| marks.respective.contains(&t.text) && !t.is_entity();
    let said = tokens.iter().position(says);
    let Some(values) = values(&tokens, said) else { return tokens };
    let named = said.unwrap_or(values.verb);
    let row = row_at_end(&tokens[..named]);
    let (names, parts) = (row.names.len(), values.parts.len());
    if names == parts {
        let verb = &tokens[said.map_or(values.verb, |at| at + 1)..values.first];
        let unit = values.parts.iter().find_map(|part| part.get(1)).cloned();
        let clause = |(name, part): (Vec<Token>, &Vec<Token>)| {
            let unit = unit.clone().filter(|_| part.len() == 1);
            name.into_iter().chain(verb.iter().cloned()).chain(part.iter().cloned()).chain(unit).collect::<Vec<_>>()
        };
        let clauses: Vec<Vec<Token>> = row.names.into_iter().zip(&values.parts).map(clause).collect();
        let apart = clauses.join(&Token::unsaid(Sense::Punctuation));
        tokens.splice(row.start..values.end, apart);
    } else if let Some(at) = said.or((names > 0).then_some(values.first)) {
        tokens[at].senses.clear();
    }
    tokens
}

/// Values in a row.
struct Values {
    /// Where the words before them begin, and where they themselves begin and end.
    verb: usize,
    first: usize,
    end: usize,
    /// The words of each: a number and its unit, or what is done.
    parts: Vec<Vec<Token>>,
}

/// Two or more values behind what says that each gets its own, or numbers of one sort that `和` joins behind one verb.
fn values(tokens: &[Token], said: Option<usize>) -> Option<Values> {
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let sets = |t: &Token| {
        let sets =
            |s: &Sense| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Property(_));
        t.any(sets) && !t.is_entity()
    };
    let begins = |t: &Token| {
        let does = |s: &Sense| matches!(s, Sense::Verb(_) | Sense::Choice(_) | Sense::Value);
        number(t) || said.is_some() && t.any(does) && !sets(t) && !t.is_entity()
    };
    let joins = |t: &Token| {
        let also = said.is_some() && t.has(&Sense::Punctuation);
        (t.any(|s| matches!(s, Sense::Conjunction | Sense::And)) || also) && !t.is_entity()
    };
    let from = said.map_or(0, |at| at + 1);
    let first = from + tokens[from..].iter().position(begins)?;
    let verb = tokens[..first].iter().rposition(|t| !sets(t)).map_or(0, |at| at + 1).max(from);
    if said.is_some() && verb > from || said.is_none() && verb == first {
        return None;
    }
    let (mut parts, mut at) = (Vec::new(), first);
    loop {
        let unit = number(&tokens[at]) && tokens.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(_))));
        let next = at + 1 + usize::from(unit);
        parts.push(tokens[at..next].to_vec());
        let joined = usize::from(tokens.get(next).is_some_and(joins));
        if (joined == 0 && said.is_none()) || !tokens.get(next + joined).is_some_and(begins) {
            let ends = tokens.get(next).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
            let units = parts.iter().filter_map(|part| part.get(1)).map(|unit| &unit.senses).collect::<Vec<_>>();
            // 调到26度和3档: of two properties.
            let same = units.windows(2).all(|pair| pair[0] == pair[1]);
            return (ends && same && parts.len() > 1).then_some(Values { verb, first, end: next, parts });
        }
        at = next + joined;
    }
}

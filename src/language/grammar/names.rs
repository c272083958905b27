//! Things and rooms that are named in a row: `客厅空调、主卧空调和电视`, `客厅和主卧的空调`.

use super::super::segment::Token;
use super::super::sense::Sense;
use super::nominal::{is_thing, place};

/// Names in a row.
pub(super) struct Row {
    /// Where it begins among the words.
    pub start: usize,
    /// The words of each, the room that several share with each of them.
    pub names: Vec<Vec<Token>>,
    /// How many of the words are things.
    pub things: usize,
    /// Nothing stands between two of them, or `的`: they might be one (`烤箱灯`, `电视的音响`).
    pub tight: bool,
}

/// The names that these words end with.
pub(super) fn row_at_end(tokens: &[Token]) -> Row {
    let is_name = |t: &Token| is_thing(t) || place(t).is_some();
    let joins = |t: &Token| t.any(|s| matches!(s, Sense::Conjunction | Sense::And | Sense::Punctuation));
    let start = tokens.iter().rposition(|t| !is_name(t) && !joins(t) && !t.has(&Sense::Of)).map_or(0, |at| at + 1);
    let start = tokens[start..].iter().position(is_name).map_or(tokens.len(), |at| start + at);
    let mut row = Row { start, names: Vec::new(), things: 0, tight: false };
    let mut places: Vec<Vec<Token>> = Vec::new();
    for at in start..tokens.len() {
        let token = &tokens[at];
        if is_thing(token) {
            row.things += 1;
            let before = tokens[start..at].iter().rfind(|t| !t.has(&Sense::Of));
            row.tight |= before.is_some_and(is_thing);
            match places.is_empty() {
                true => row.names.push(vec![token.clone()]),
                false => row.names.extend(places.drain(..).map(|place| [place, vec![token.clone()]].concat())),
            }
        } else if place(token).is_some() {
            let room = |t: &Token| t.any(|s| matches!(s, Sense::Room(_)));
            let within = at > start && place(&tokens[at - 1]).is_some() && !room(&tokens[at - 1]);
            match places.last_mut() {
                // 二楼主卧
                Some(whole) if within => whole.push(token.clone()),
                _ => places.push(vec![token.clone()]),
            }
        }
    }
    row.names.append(&mut places);
    row
}

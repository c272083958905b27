//! Which way a sentence goes, clause by clause.

use std::sync::Arc;

use super::{Look, Subject, rooms_of};
use crate::embedding::polarity::{Agreement, agreement};
use crate::embedding::words::{Dimension, Pole, Words};
use crate::home::RoomIndex;
use crate::language::action::Action;
use crate::language::grammar::Told;
use crate::language::lexicon::{Lexicon, PropertyId, Sense};
use crate::language::order::Order;
use crate::language::protocol::write_action;
use crate::language::segment::Token;

type Poles = Vec<(Dimension, Pole)>;

/// The directions of a sentence.
#[derive(Debug)]
pub(super) struct Directions {
    words: Arc<Words>,
    /// Clauses, each with those after it that name nothing: 打开 of 把客厅的灯弄一下，打开 is said of the lamp.
    parts: Vec<Part>,
    /// Of all that is told.
    whole: Poles,
    /// Of what is refused, which is the opposite of what its words say.
    refused: Poles,
}

#[derive(Debug, Default)]
struct Part {
    text: String,
    subject: Subject,
    poles: Poles,
}

impl Directions {
    pub(super) fn of(told: &Told, look: &Look) -> Self {
        let words = Arc::clone(&look.world.lexicon().meanings);
        let mut parts: Vec<Part> = Vec::new();
        for clause in &told.kept {
            let subject = look.subject(clause);
            match parts.last_mut() {
                Some(last) if !last.subject.is_named() || !subject.is_named() => {
                    last.text.push_str(&text(clause));
                    last.subject.add(&subject);
                }
                _ => parts.push(Part { text: text(clause), subject, poles: Poles::new() }),
            }
        }
        for part in &mut parts {
            part.poles = words.meaning(&part.text).directions;
        }
        let all =
            |clauses: &[Vec<Token>]| words.meaning(&clauses.iter().map(|c| text(c)).collect::<String>()).directions;
        let (whole, refused) = (all(&told.kept), all(&told.refused));
        Self { words, parts, whole, refused }
    }

    /// Whether an order goes the other way than what is said of the same; than the whole, where that says nothing.
    pub(super) fn oppose(&self, order: &Order, look: &Look) -> bool {
        let does = self.words.meaning(&write_action(&order.action, look.world.lexicon())).directions;
        let mut said = Poles::new();
        for layer in [&self.of_part(order, look), &self.whole, &self.refused] {
            let new: Poles =
                layer.iter().filter(|(on, _)| !said.iter().any(|(known, _)| known == on)).copied().collect();
            said.extend(new);
        }
        // Who says both ways may mean either.
        let settled: Poles = said.iter().filter(|(on, pole)| !said.contains(&(*on, -*pole))).copied().collect();
        agreement(&settled, &does) == Agreement::Opposite
    }

    /// Whether an order makes more of what the words of the lexicon say less of, or the other way about, and nothing that was said goes
    /// its way: `灯亮一点` never dims. What is found to be too much of something is another matter.
    pub(super) fn turn_against(readings: &[Vec<Token>], order: &Order, lexicon: &Lexicon) -> bool {
        let ways = match &order.action {
            Action::Step { ways, .. } => ways,
            Action::Verb(verb) => return switch_back(readings, &Sense::Verb(*verb), lexicon),
            _ => return false,
        };
        let judges = |t: &Token| lexicon.asides.judges.contains(&t.text);
        let judged =
            |before: &[Token]| before.iter().any(|t| t.has(&Sense::Reason) || lexicon.asides.judges.contains(&t.text));
        // 亮得睁不开眼 complains.
        let ends = |after: &[Token]| {
            let small =
                |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Little | Sense::Lots | Sense::Punctuation));
            after.iter().all(|t| small(t) && !lexicon.complement.contains(&t.text))
        };
        let against = |tokens: &[Token], property: PropertyId, up: bool| {
            let says = |t: &Token, up: bool| t.any(|s| *s == Sense::Direction { property, up }) && !t.is_entity();
            let goes = |at: usize| {
                let way = |s: &Sense| matches!(s, Sense::Step { up: way } | Sense::Degree { up: way } if *way == up);
                says(&tokens[at], up) || tokens[at].any(way)
            };
            // 念得忒快，慢些念: so much is wanted, whatever there is too much of.
            let graded = |at: usize| {
                tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Little))
                    && !at.checked_sub(1).is_some_and(|at| judges(&tokens[at]))
            };
            let found = |at: usize| at > 0 && judges(&tokens[at - 1]);
            let other = (0..tokens.len())
                .filter(|at| says(&tokens[*at], !up))
                .any(|at| graded(at) || !judged(&tokens[..at]) && ends(&tokens[at + 1..]));
            other && !(0..tokens.len()).any(|at| goes(at) && !found(at))
        };
        let turned = |(property, up): &(Option<PropertyId>, bool)| {
            property.is_some_and(|p| !readings.is_empty() && readings.iter().all(|tokens| against(tokens, p, *up)))
        };
        ways.iter().any(turned)
    }

    /// The directions of the clauses that speak most clearly of what an order is about.
    fn of_part(&self, order: &Order, look: &Look) -> Poles {
        let rooms: Vec<RoomIndex> = order.scope.include.iter().flat_map(|place| rooms_of(look.area(place))).collect();
        let things = look.targets(&order.target);
        let fits = |part: &Part| {
            let Subject { rooms: named, things: meant } = &part.subject;
            usize::from(named.as_ref().is_some_and(|named| rooms.iter().any(|room| named.contains(room))))
                + usize::from(meant.as_ref().is_some_and(|meant| things.iter().any(|thing| meant.contains(thing))))
        };
        let best = self.parts.iter().map(fits).max().unwrap_or(0);
        let parts = self.parts.iter().filter(|part| best > 0 && fits(part) == best);
        parts.flat_map(|part| part.poles.iter().copied()).collect()
    }
}

/// Whether all that one clause switches is switched the other way: `网子收起来吧叫菜晒晒` opens nothing.
fn switch_back(readings: &[Vec<Token>], verb: &Sense, lexicon: &Lexicon) -> bool {
    let [on, off] = ["on", "off"].map(|id| lexicon.verb(id).map(Sense::Verb));
    let (Some(on), Some(off)) = (on, off) else { return false };
    let other = if *verb == on { off.clone() } else { on.clone() };
    let says = |t: &Token, verb: &Sense| t.has(verb) && !t.is_entity();
    let open = |t: &Token| t.any(|s| matches!(s, Sense::Negation | Sense::Not | Sense::Punctuation));
    let against = |tokens: &Vec<Token>| {
        tokens.iter().any(|t| says(t, &other)) && !tokens.iter().any(|t| says(t, verb) || open(t))
    };
    [on, off].contains(verb) && !readings.is_empty() && readings.iter().all(against)
}

/// Words as they were written.
fn text(clause: &[Token]) -> String {
    clause.iter().filter(|t| !t.has(&Sense::Punctuation)).map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect()
}

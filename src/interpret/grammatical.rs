//! The reading by the grammar, the first of all: what it is sure of, nobody reads again.

use std::time::Instant;

use futures_util::future::BoxFuture;

use super::{By, Doubt, Interpretation, Interpreter, Utterance};
use crate::language::grammar::{self, Parse};
use crate::llm::metrics::{End, GRAMMAR, ParserMetrics};

/// The grammar, and where it counts what it read.
#[derive(Debug, Default)]
pub(super) struct Grammar(pub(super) ParserMetrics);

impl Grammar {
    fn counted(&self, utterance: Utterance<'_>) -> Interpretation {
        let started = Instant::now();
        let parse = parse(utterance);
        if let Some(counters) = self.0.parser(GRAMMAR) {
            counters.ended(if matches!(parse, Parse::Unsure(..)) { End::Unsure } else { End::Sure }, started.elapsed());
        }
        of(parse, utterance)
    }
}

/// What the grammar makes of an utterance.
pub(super) fn parsed(utterance: Utterance<'_>) -> Interpretation {
    of(parse(utterance), utterance)
}

fn parse(utterance: Utterance<'_>) -> Parse {
    grammar::parse(utterance.sentence, &utterance.home.world.vocabulary, utterance.speaker)
}

/// What a parse of an utterance means, and what it leaves in doubt.
fn of(parse: Parse, utterance: Utterance<'_>) -> Interpretation {
    let doubt = Doubt::of(&parse);
    let meant = utterance.in_its_light(utterance.sentence, parse);
    let doubt = doubt.filter(|doubt| doubt.stands(&meant));
    Interpretation { meant, by: By::Grammar, doubt, evidence: None, vector: 0.0 }
}

impl Interpreter for Grammar {
    fn by(&self) -> By {
        By::Grammar
    }

    fn read<'a>(
        &'a self,
        utterance: Utterance<'a>,
        _first: &'a Interpretation,
    ) -> BoxFuture<'a, Option<Interpretation>> {
        Box::pin(std::future::ready(Some(self.counted(utterance))))
    }
}

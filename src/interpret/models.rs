//! The reading of a sentence by language models, for what nobody in this process is sure of.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tracing::info;

use super::{By, Doubt, Evidence, HardSentences, HomeModel, Interpretation, Interpreter, Utterance};
use crate::dialogue::{Meant, Nothing};
use crate::frame::{Event, Intent};
use crate::language::command::{Command, Quantifier};
use crate::language::order::Order;
use crate::language::protocol::{begins_as_condition, decode};
use crate::language::vocabulary::Vocabulary;
use crate::llm::cascade::Cascade;
use crate::llm::prompt::MAX_SENTENCE;
use crate::resolve::reply::Replies;

/// Whoever speaks hears that it takes a moment when it takes longer than this.
const THINKING: Duration = Duration::from_millis(300);

/// Language models, one after the other.
#[derive(Debug)]
pub struct Models {
    /// Which ones.
    pub cascade: Arc<Cascade>,
    /// What is said while they think.
    pub replies: Arc<Replies>,
    /// What they were asked.
    pub hard: HardSentences,
}

impl Models {
    async fn ask(&self, utterance: Utterance<'_>, first: &Interpretation) -> Option<Interpretation> {
        let Utterance { rid, asker, sentence, home, speaker, last, events, .. } = utterance;
        let guess = first.doubt.as_ref().map(Doubt::guess)?;
        if sentence.chars().count() > MAX_SENTENCE {
            return None;
        }
        let vocabulary = &home.world.vocabulary;
        let evidence = Evidence::of(sentence, guess, home, speaker.local, last);
        let judge = |commands: Vec<Command>| judge(&evidence, commands, guess, vocabulary);
        let asked = {
            let mut asking = std::pin::pin!(self.cascade.ask(asker, home.prefixes(), sentence, &judge));
            match tokio::time::timeout(THINKING, &mut asking).await {
                Ok(asked) => asked,
                Err(_) => {
                    let text = self.replies.say("thinking", &[]);
                    let _ = events.send(Event::Stream { intent: Intent::Answer, text, aloud: true }).await;
                    asking.await
                }
            }
        };
        let ends: Vec<String> = asked.tries.iter().map(|t| format!("{} {}", t.step, t.end.name())).collect();
        info!(rid, ends = ends.join(", "), "language models were asked");
        self.hard.keep(sentence, &asked);
        match (&asked.answer, &first.meant) {
            (Some(answer), _) => {
                let orders = orders(&answer.commands, guess, vocabulary);
                let meant = Meant::Orders { orders, chosen: None, confirmed: false };
                Some(Interpretation::again(By::Models(answer.parser), meant, Some(evidence)))
            }
            (None, Meant::Nothing(Nothing::Unsure(words))) if asked.is_unanswered() => {
                let meant = Meant::Nothing(Nothing::Unhelped(words.clone()));
                Some(Interpretation::again(self.by(), meant, None))
            }
            (None, _) => None,
        }
    }
}

impl Interpreter for Models {
    fn by(&self) -> By {
        By::Models("")
    }

    fn prepare<'a>(&'a self, home: &'a Arc<HomeModel>) -> BoxFuture<'a, ()> {
        self.cascade.prepare(home.prefixes());
        Box::pin(std::future::ready(()))
    }

    fn read<'a>(
        &'a self,
        utterance: Utterance<'a>,
        first: &'a Interpretation,
    ) -> BoxFuture<'a, Option<Interpretation>> {
        Box::pin(self.ask(utterance, first))
    }
}

/// The commands of a language model that mean something; none where one of them does the opposite of what was said, or
/// goes without a condition that was said or begun.
fn judge(
    said: &Evidence,
    commands: Vec<Command>,
    guess: &[Order],
    vocabulary: &Vocabulary,
) -> Result<Vec<Command>, &'static str> {
    let guarded = guess.iter().any(|order| order.action.states());
    let mut meant: Vec<Command> = Vec::new();
    for command in commands {
        match decode(&command, vocabulary) {
            // What it guards must not go free.
            Err(_) if begins_as_condition(&command.action) => return Err("condition"),
            Err(_) => continue,
            // A condition guards what comes after it.
            Ok(order) if guarded && meant.is_empty() && !order.action.states() => return Err("condition"),
            Ok(order) if !order.action.moves_nothing() && said.is_opposed(&order) => return Err("opposite"),
            Ok(_) => meant.push(command),
        }
    }
    if meant.is_empty() { Err("no_action") } else { Ok(meant) }
}

/// The orders of commands; what the protocol has no slot for is known from what the grammar made of the sentence.
fn orders(commands: &[Command], guess: &[Order], vocabulary: &Vocabulary) -> Vec<Order> {
    let order = |command| {
        let order = decode(command, vocabulary).ok()?;
        let several = matches!(order.quantifier, Quantifier::All | Quantifier::Except);
        let everywhere = several && order.scope.include.is_empty() && guess.iter().any(|order| order.everywhere);
        let each = several && guess.iter().any(|order| order.each);
        Some(Order { everywhere, each, ..order })
    };
    commands.iter().filter_map(order).collect()
}

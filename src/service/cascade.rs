//! The third reading of a sentence: language models, for what neither grammar nor similarity is sure of.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tracing::info;

use super::similarity::Doubt;
use super::{Service, View};
use crate::dialogue::{Meant, Nothing};
use crate::embedding::polarity::{Agreement, agreement};
use crate::embedding::words::Words;
use crate::frame::{Event, Intent, Request};
use crate::home::{DeviceIndex, Home, Live};
use crate::language::command::{Command, Quantifier};
use crate::language::deed::Deed;
use crate::language::grammar::{Order, Silence};
use crate::language::vocabulary::Vocabulary;
use crate::llm::cascade::Cascade;
use crate::llm::metrics::End;
use crate::llm::prompt::{MAX_SENTENCE, Prefixes};
use crate::resolve::reply::{self, Replies};
use crate::resolve::{Outcome, Pending};
use crate::retrieval::{Entity, World};
use crate::text::normalize;

/// Whoever speaks hears that it takes a moment when it takes longer than this.
const THINKING: Duration = Duration::from_millis(300);

/// What language models are told of a home.
#[derive(Debug)]
pub(super) struct HomePrefixes {
    home: Arc<Home>,
    pub(super) prefixes: Prefixes,
}

/// What came of asking language models.
#[derive(Debug, Default)]
pub(super) struct Advice {
    /// The orders of the first that knew.
    pub(super) answer: Option<ModelAnswer>,
    /// Whether any was to be asked.
    pub(super) was_asked: bool,
    /// Whether none of them said anything.
    pub(super) was_in_vain: bool,
}

/// Orders of a language model.
#[derive(Debug)]
pub(super) struct ModelAnswer {
    pub(super) orders: Vec<Order>,
    /// `local` or `cloud`.
    pub(super) parser: &'static str,
}

impl Service {
    /// The same service, which asks language models what it is not sure of.
    #[must_use]
    pub fn with_models(self, cascade: Option<Arc<Cascade>>) -> Self {
        Self { cascade: cascade.filter(|cascade| !cascade.is_empty()), ..self }
    }

    /// Counts a call of a parser that began at `started`.
    pub(super) fn count(&self, parser: &str, end: End, started: Instant) {
        if let Some(counters) = self.metrics.parsers.parser(parser) {
            counters.ended(end, started.elapsed());
        }
    }

    /// Asks language models about a sentence that is a command for all the grammar knows, only that it is not sure which;
    /// about chatter only if the owner wants that and the assistant was called by name.
    pub(super) async fn by_models(
        &self,
        request: &Request,
        meant: &Meant,
        doubt: &Doubt,
        view: &View,
        events: &mpsc::Sender<Event>,
    ) -> Advice {
        let Some(cascade) = &self.cascade else { return Advice::default() };
        let sentence = request.question.as_str();
        let asks = match meant {
            Meant::Nothing(Nothing::Unsure(_)) => true,
            Meant::Nothing(Nothing::Silent(Silence::Chatter)) => {
                self.settings.ask_about_chatter && self.is_called(sentence)
            }
            _ => false,
        };
        if !asks || sentence.chars().count() > MAX_SENTENCE {
            return Advice::default();
        }
        let known = self.prefixes_of(&view.world.vocabulary.home);
        let vocabulary = &view.world.vocabulary;
        let judge = |commands: Vec<Command>| judge(sentence, commands, vocabulary);
        let mut asking = std::pin::pin!(cascade.ask(&known.prefixes, sentence, &judge));
        let asked = match tokio::time::timeout(THINKING, &mut asking).await {
            Ok(asked) => asked,
            Err(_) => {
                let text = self.language.replies.say("thinking", &[]);
                let _ = events.send(Event::Stream { intent: Intent::Answer, text }).await;
                asking.await
            }
        };
        let ends: Vec<String> = asked.tries.iter().map(|t| format!("{} {}", t.step, t.end.name())).collect();
        info!(rid = request.rid, ends = ends.join(", "), "language models were asked");
        self.keep_hard(sentence, &asked);
        let was_in_vain = asked.is_unanswered();
        let answer = asked.answer.map(|answer| ModelAnswer {
            orders: answer.commands.into_iter().map(|command| order(command, doubt.guess())).collect(),
            parser: answer.parser,
        });
        Advice { answer, was_asked: true, was_in_vain }
    }

    /// Whether a sentence begins with a name of the assistant.
    fn is_called(&self, sentence: &str) -> bool {
        let sentence = normalize(sentence);
        let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
        self.names.iter().any(|name| sentence.starts_with(name.as_str()))
    }

    pub(super) fn prefixes_of(&self, home: &Arc<Home>) -> Arc<HomePrefixes> {
        let known = self.prefixes.load_full().filter(|known| Arc::ptr_eq(&known.home, home));
        known.unwrap_or_else(|| {
            let made = Arc::new(HomePrefixes { home: Arc::clone(home), prefixes: Prefixes::of(home) });
            self.prefixes.store(Some(Arc::clone(&made)));
            made
        })
    }

    /// The same home in its present state.
    pub(super) fn by_now(&self, view: View) -> View {
        if view.inline {
            return view;
        }
        let snapshot = self.registry.snapshot();
        // A home that was replaced meanwhile has another state.
        let same = Arc::ptr_eq(&snapshot.home, &view.world.vocabulary.home);
        let live = if same { snapshot.live.clone() } else { Live::initial(view.world.home()) };
        View { live, ..view }
    }
}

/// The commands of a language model that mean something; none where they do the opposite of what was said.
fn judge(sentence: &str, commands: Vec<Command>, vocabulary: &Vocabulary) -> Result<Vec<Command>, &'static str> {
    let commands: Vec<Command> =
        commands.into_iter().filter(|command| Deed::read(&command.action, vocabulary).is_some()).collect();
    if commands.is_empty() {
        return Err("no_action");
    }
    let words = Words::chinese();
    let does: Vec<_> = commands.iter().flat_map(|command| words.meaning(&command.action).directions).collect();
    match agreement(&words.meaning(&normalize(sentence)).directions, &does) {
        Agreement::Opposite => Err("opposite"),
        Agreement::Same | Agreement::Open => Ok(commands),
    }
}

/// The order of a command; what the protocol has no slot for is known from what the grammar made of the sentence.
fn order(command: Command, guess: &[Order]) -> Order {
    let several = matches!(command.target.quantifier, Quantifier::All | Quantifier::Except);
    let everywhere = several && command.scope.include.is_empty() && guess.iter().any(|order| order.everywhere);
    let each = several && guess.iter().any(|order| order.each);
    Order { command, everywhere, each, ordinal: None, only: None }
}

/// A language model alone moves nothing risky, and no more than a handful: then it is asked first. What cannot be asked
/// about in one question is not done.
pub(super) fn restrain(
    outcome: Outcome,
    orders: &[Order],
    world: &World,
    handful: usize,
    replies: &Replies,
) -> Outcome {
    let home = world.home();
    let moved: BTreeSet<DeviceIndex> =
        outcome.instructs.iter().filter_map(|instruct| home.device(&instruct.id).map(|(index, _)| index)).collect();
    let risky = moved.iter().any(|device| world.vocabulary.devices[*device].risky);
    if !risky && moved.len() <= handful {
        return outcome;
    }
    let scene = outcome.mentioned.iter().any(|entity| matches!(entity, Entity::Scene(_)));
    let [first, rest @ ..] = orders else { return outcome };
    // A yes is bound to devices, so it can only be a yes to one thing that is done to all of them.
    let one = !scene && rest.iter().all(|order| order.command.action == first.command.action);
    let kept = |text: String, hint, pending| Outcome {
        text,
        intent: Intent::Question,
        instructs: Vec::new(),
        mentioned: Vec::new(),
        hint: Some(hint),
        pending,
        ..outcome.clone()
    };
    if !one || outcome.pending.is_some() {
        return kept(replies.say("too_much", &[]), "needs_fallback", None);
    }
    let summaries: Vec<String> = outcome.instructs.iter().map(|instruct| reply::spoken(&instruct.summary)).collect();
    let text = if moved.len() > handful {
        let count = moved.len().to_string();
        replies.say("many", &[("action", &first.command.action), ("count", &count)])
    } else {
        replies.say("confirm", &[("what", &reply::list(&summaries))])
    };
    let devices = moved.into_iter().collect();
    let pending = Pending::Confirm { orders: orders.to_vec(), devices, parts: Vec::new() };
    kept(text, "confirm_required", Some(pending))
}

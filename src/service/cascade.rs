//! The third reading of a sentence: language models, for what neither grammar nor similarity is sure of.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tracing::{info, warn};

use super::said::Said;
use super::similarity::Doubt;
use super::{Service, View};
use crate::dialogue::{Meant, Nothing};
use crate::frame::{Event, Intent, Request};
use crate::home::{DeviceIndex, Home, Live, RoomIndex};
use crate::language::command::{Command, Quantifier};
use crate::language::deed::Deed;
use crate::language::grammar::Silence;
use crate::language::order::Order;
use crate::language::protocol::{begins_as_condition, decode};
use crate::language::vocabulary::Vocabulary;
use crate::llm::cascade::Cascade;
use crate::llm::metrics::{End, ParserMetrics};
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
    /// What they are held against.
    pub(super) said: Said,
}

/// A sentence that may be asked about, and what is known around it.
pub(super) struct Asking<'a> {
    pub(super) request: &'a Request,
    pub(super) meant: &'a Meant,
    pub(super) doubt: &'a Doubt,
    pub(super) view: &'a View,
    /// The room of the speaker.
    pub(super) local: Option<RoomIndex>,
    /// What was mentioned last on the page.
    pub(super) last: &'a [Entity],
}

impl Service {
    /// The same service, which asks language models what it is not sure of.
    #[must_use]
    pub fn with_models(self, cascade: Option<Arc<Cascade>>) -> Self {
        Self { cascade: cascade.filter(|cascade| !cascade.is_empty()), ..self }
    }

    /// The same service, which counts what each parser does in `parsers`.
    #[must_use]
    pub fn with_parsers(self, parsers: ParserMetrics) -> Self {
        Self { parsers, ..self }
    }

    /// Counts a call of a parser that began at `started`.
    pub(super) fn count(&self, parser: &str, end: End, started: Instant) {
        if let Some(counters) = self.parsers.parser(parser) {
            counters.ended(end, started.elapsed());
        }
    }

    /// Asks language models about a sentence that is a command for all the grammar knows, only that it is not sure which;
    /// about chatter only if the owner wants that and the assistant was called by name.
    pub(super) async fn by_models(&self, asking: &Asking<'_>, events: &mpsc::Sender<Event>) -> Advice {
        let Asking { request, meant, doubt, view, local, last } = *asking;
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
        let said = Said::of(sentence, doubt.guess(), &view.world, local, last);
        let judge = |commands: Vec<Command>| judge(&said, commands, doubt.guess(), &view.world.vocabulary);
        let asked = {
            let mut asking = std::pin::pin!(cascade.ask(&known.prefixes, sentence, &judge));
            match tokio::time::timeout(THINKING, &mut asking).await {
                Ok(asked) => asked,
                Err(_) => {
                    let text = self.language.replies.say("thinking", &[]);
                    let _ = events.send(Event::Stream { intent: Intent::Answer, text, aloud: true }).await;
                    asking.await
                }
            }
        };
        let ends: Vec<String> = asked.tries.iter().map(|t| format!("{} {}", t.step, t.end.name())).collect();
        info!(rid = request.rid, ends = ends.join(", "), "language models were asked");
        self.keep_hard(sentence, &asked);
        let was_in_vain = asked.is_unanswered();
        let answer = asked.answer.map(|answer| ModelAnswer {
            orders: orders(&answer.commands, doubt.guess(), &view.world.vocabulary),
            parser: answer.parser,
            said,
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
        let make = || HomePrefixes { home: Arc::clone(home), prefixes: Prefixes::of(home) };
        self.prefixes.get(|known| Arc::ptr_eq(&known.home, home), make)
    }

    /// The present state of the same home; `None` when it was replaced meanwhile, and nobody knows what was meant in the
    /// new one.
    pub(super) fn by_now(&self, view: &View) -> Option<Live> {
        if view.inline {
            return Some(view.live.clone());
        }
        let snapshot = self.registry.snapshot();
        let same = Arc::ptr_eq(&snapshot.home, &view.world.vocabulary.home);
        if !same {
            warn!("the home was replaced while a language model was asked; its answer is dropped");
        }
        same.then(|| snapshot.live.clone())
    }
}

/// The commands of a language model that mean something; none where one of them does the opposite of what was said, or
/// goes without a condition that was said or begun.
fn judge(
    said: &Said,
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

/// A language model alone moves nothing that the sentence does not name, nothing risky, and no more than a handful: then
/// it is asked first. What cannot be asked about in one question is not done, nor is what was refused. `None` when there
/// is nothing to restrain.
pub(super) fn restrain(
    outcome: &Outcome,
    orders: &[Order],
    said: &Said,
    world: &World,
    handful: usize,
    replies: &Replies,
) -> Option<Outcome> {
    let home = world.home();
    let moved: BTreeSet<DeviceIndex> =
        outcome.instructs.iter().filter_map(|instruct| home.device(&instruct.id).map(|(index, _)| index)).collect();
    let [first, rest @ ..] = orders else { return None };
    let risky = moved.iter().any(|device| world.vocabulary.devices[*device].risky);
    let named = orders.iter().all(|order| said.names(order)) && moved.iter().all(|d| said.is_about(*d));
    // A yes to a question of the resolver's own would move these.
    let offered = match &outcome.pending {
        Some(Pending::Device(_, devices) | Pending::Value(_, devices) | Pending::Confirm { devices, .. }) => {
            &devices[..]
        }
        _ => &[],
    };
    let spared = moved.iter().chain(offered).any(|device| said.spares(*device));
    if !spared && (moved.is_empty() || (!risky && named && moved.len() <= handful)) {
        return None;
    }
    let scene = outcome.mentioned.iter().any(|entity| matches!(entity, Entity::Scene(_)));
    // A yes is bound to devices, so it can only be a yes to one thing that is done to all of them.
    let one = !scene && rest.iter().all(|order| order.action == first.action);
    let kept = |text: String, hint, pending| Outcome {
        text,
        intent: Intent::Question,
        instructs: Vec::new(),
        mentioned: Vec::new(),
        hint: Some(hint),
        pending,
        ..outcome.clone()
    };
    if spared {
        return Some(kept(replies.say("unsure", &[]), "needs_fallback", None));
    }
    if !one || outcome.pending.is_some() {
        return Some(kept(replies.say("too_much", &[]), "needs_fallback", None));
    }
    let summaries: Vec<String> = outcome.instructs.iter().map(|instruct| reply::spoken(&instruct.summary)).collect();
    let text = if moved.len() > handful {
        let count = moved.len().to_string();
        let doing = match &first.action {
            Deed::Verb(verb) => {
                let many = replies.say("so_many", &[("count", &count)]);
                world.lexicon().verbs[*verb].told.replacen("{what}", &many, 1)
            }
            _ => replies.say("moving", &[("count", &count)]),
        };
        replies.say("many", &[("doing", &doing)])
    } else {
        replies.say("confirm", &[("what", &replies.list(&summaries))])
    };
    let devices = moved.into_iter().collect();
    let pending = Pending::Confirm { orders: orders.to_vec(), devices, parts: Vec::new() };
    Some(kept(text, "confirm_required", Some(pending)))
}

//! An utterance, and what a reader makes of it: who says so, on which words it rests, and what it leaves in doubt.

use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::{Evidence, HomeModel};
use crate::dialogue::{self, Meant, Nothing, Page};
use crate::frame::{Event, Origin};
use crate::language::action::Action;
use crate::language::grammar::{self, Parse, Rejection, SpeakerContext};
use crate::language::order::{Order, Target};
use crate::language::time::When;
use crate::llm::metrics::{GRAMMAR, MODEL};
use crate::resolve::Context;
use crate::retrieval::Entity;
use crate::text::normalize;

/// An utterance and what is known around it.
#[derive(Clone, Copy)]
pub struct Utterance<'a> {
    /// The id of its request, for the log.
    pub rid: &'a str,
    /// Who asks, whose share it uses of what is scarce.
    pub asker: &'a Origin,
    /// What was said.
    pub sentence: &'a str,
    /// The home that it is about.
    pub home: &'a Arc<HomeModel>,
    /// Who speaks where.
    pub speaker: &'a SpeakerContext,
    /// The conversation that it belongs to.
    pub page: &'a Page,
    /// What its orders are resolved in.
    pub context: Context<'a>,
    /// What was mentioned last in that.
    pub last: &'a [Entity],
    /// Milliseconds since the start of the machine.
    pub now_ms: u64,
    /// Who hears that it takes a moment.
    pub events: &'a mpsc::Sender<Event>,
}

impl Utterance<'_> {
    /// Whether it begins with a name of the assistant.
    pub fn calls_us(&self) -> bool {
        let sentence = normalize(self.sentence);
        let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
        self.speaker.names.iter().any(|name| sentence.starts_with(name.as_str()))
    }

    /// Whether it is said to another assistant of the house.
    pub(super) fn calls_another(&self) -> bool {
        grammar::words_to_anybody(self.sentence, &self.home.world.vocabulary, self.speaker).is_none()
    }

    /// What a parse of `sentence` means in this conversation.
    pub(super) fn in_its_light(&self, sentence: &str, parse: Parse) -> Meant {
        dialogue::interpret(sentence, parse, self.page, &self.home.world, self.speaker.local, self.now_ms)
    }
}

/// Whether it takes more to do it than what was understood.
pub(super) fn is_open(order: &Order) -> bool {
    matches!(order.action, Action::Unclear(_)) || order.when.as_ref().is_some_and(When::lacks_hour)
}

/// What one of the readers makes of an utterance.
#[derive(Debug)]
pub struct Interpretation {
    /// Orders, a question, a situation, or nothing with its reason; of what is not understood, the words.
    pub meant: Meant,
    /// Who says so.
    pub by: By,
    /// What the grammar was not sure of and others may be; `None` once anybody is.
    pub doubt: Option<Doubt>,
    /// The words that it rests on and what they name, where it may go beyond them.
    pub evidence: Option<Evidence>,
    /// How similar by vectors it is to what was found; 0 without them.
    pub vector: f32,
}

impl Interpretation {
    /// Whether only a part of what was said is understood: other words besides, or a day without an hour.
    pub(super) fn is_in_part(&self) -> bool {
        match &self.meant {
            Meant::Orders { orders, confirmed: false, .. } => orders.iter().any(is_open),
            _ => false,
        }
    }

    /// Whether it tells a thing something that nobody knows by that name, which may be half a remark: 泡沫热水器, 唱歌音箱.
    pub(super) fn names_the_unfound(&self) -> bool {
        let unfound = |order: &Order| matches!(order.target, Target::Text(..));
        matches!(&self.meant, Meant::Orders { orders, confirmed: false, .. } if orders.iter().any(unfound))
    }

    /// Whether it goes against a direction that the lexicon gives to the words of the sentence.
    pub(super) fn turns_against_its_words(&self) -> bool {
        let (Meant::Orders { orders, .. }, Some(evidence)) = (&self.meant, &self.evidence) else { return false };
        orders.iter().any(|order| evidence.turns_against(order))
    }

    /// Whether several orders are understood.
    pub(super) fn is_several(&self) -> bool {
        matches!(&self.meant, Meant::Orders { orders, confirmed: false, .. } if orders.len() > 1)
    }

    /// Whether it moves a thing as a whole where something of it is told that nobody knows, or one of a row without the next.
    pub(super) fn forgets_a_part(&self, utterance: Utterance<'_>) -> bool {
        let orders = match &self.meant {
            Meant::Orders { orders, confirmed: false, .. } => &orders[..],
            Meant::Described(order, _) => std::slice::from_ref(&**order),
            _ => return false,
        };
        let vocabulary = &utterance.home.world.vocabulary;
        let words = grammar::words_to_anybody(utterance.sentence, vocabulary, utterance.speaker);
        words.is_some_and(|words| {
            grammar::unknown_feature(&words, orders, vocabulary).is_some()
                || grammar::goes_on_by_number(&words, vocabulary)
        })
    }

    /// Of nobody yet.
    pub(super) fn none() -> Self {
        Self::again(By::Grammar, Meant::Nothing(Nothing::Unsure(Vec::new())), None)
    }

    /// Of a reader after the grammar.
    pub(super) fn again(by: By, meant: Meant, evidence: Option<Evidence>) -> Self {
        Self { meant, by, doubt: None, evidence, vector: 0.0 }
    }
}

/// Who says what an utterance means, by what it costs to ask them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// The grammar.
    Grammar,
    /// The likeliest of all that the home can be told.
    Ranked,
    /// The grammar, after the learned reader took off what only comments.
    Learned,
    /// Similarity in words and vectors.
    Similarity,
    /// A language model; its `parser` once one has answered.
    Models(&'static str),
    /// The likeliest of all that the home can be told, which is asked about.
    Guessed,
}

impl By {
    /// The `parser` of the candidates.
    pub fn parser(self) -> &'static str {
        match self {
            Self::Grammar => GRAMMAR,
            Self::Ranked | Self::Learned | Self::Similarity | Self::Guessed => MODEL,
            Self::Models(parser) => parser,
        }
    }
}

/// What may be read once more: no report, no refusal, no wish for later, no word to somebody else.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The grammar is not sure; with the orders that it was not sure of.
    Unsure(Vec<Order>),
    /// The grammar is sure of every word, but a part of them points to something that nobody mentioned: it may be described.
    Pointing,
}

impl Doubt {
    /// What a parse leaves in doubt.
    pub(super) fn of(parse: &Parse) -> Option<Self> {
        let points = |order: &Order| matches!(order.target, Target::Reference(_));
        match parse {
            Parse::Unsure(orders, _) => Some(Self::Unsure(orders.clone())),
            Parse::Rejected(Rejection::Chatter) => Some(Self::Unsure(Vec::new())),
            // What was said of a later time is not looked for again: it would be done at once.
            Parse::Orders(orders) if orders.iter().any(points) && orders.iter().all(|o| o.when.is_none()) => {
                Some(Self::Pointing)
            }
            _ => None,
        }
    }

    /// Whether it stands, seeing what the page made of the sentence.
    pub(super) fn stands(&self, meant: &Meant) -> bool {
        match self {
            Self::Unsure(_) => matches!(meant, Meant::Nothing(Nothing::Unsure(_) | Nothing::Rejected(_))),
            Self::Pointing => matches!(meant, Meant::Orders { chosen: None, confirmed: false, .. }),
        }
    }

    /// The orders that the grammar was not sure of.
    pub(super) fn guess(&self) -> &[Order] {
        match self {
            Self::Unsure(orders) => orders,
            Self::Pointing => &[],
        }
    }
}

/// Somebody who reads utterances. Dropping a reading under way cancels its work.
pub trait Interpreter: Debug + Send + Sync {
    /// Who it is; the cheaper is asked first.
    fn by(&self) -> By;

    /// Gets ready for a home, where that takes a while.
    fn prepare<'a>(&'a self, _home: &'a Arc<HomeModel>) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// What an utterance means of which the grammar made `first`, if it was asked yet; `None` when this one does not know either.
    fn read<'a>(&'a self, utterance: Utterance<'a>, first: &'a Interpretation)
    -> BoxFuture<'a, Option<Interpretation>>;
}

//! The reading of a sentence by what a home can be told: the one thing that it most likely tells.

mod alone;
mod guessed;
mod parted;
mod spared;

use std::cell::OnceCell;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tracing::debug;

use super::learned::{holds, passes_over};
use super::{By, Evidence, Interpretation, Interpreter, Utterance};
use crate::dialogue::{Meant, Nothing};
use crate::frame::{Instruct, Intent};
use crate::language::action::{Action, Ask};
use crate::language::grammar::{self, Rejection};
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::language::sense::{Question, Sense};
use crate::language::vocabulary::Vocabulary;
use crate::ranker::Ranker;
use crate::resolve::{Context, Pending, resolve};

/// How likely anything may be that a clause tells, which is taken for a comment.
const COMMENT: f32 = 0.1;

/// How likely one order has to be to be looked at.
const POSSIBLE: f32 = 0.02;

/// Characters of words that nobody knows, of which there may be a whole story about a thing.
const STRANGE: usize = 6;

/// How likely anything has to be that is told amid so many: near twins of commands that tell nothing are less often taken for them.
const AMID: f32 = 0.9;

/// The learned ranker.
#[derive(Debug)]
pub struct Ranked(pub Arc<Ranker>);

/// What a whole sentence most likely tells, and how likely that is, once anybody wants to know.
type Likeliest = OnceCell<Option<(Vec<Order>, f32)>>;

impl Ranked {
    /// The one order that a sentence most likely tells; else one for each clause of which neither the grammar nor this is in doubt.
    fn told(&self, utterance: Utterance<'_>, first: &Interpretation, likeliest: &Likeliest) -> Option<Interpretation> {
        let Utterance { sentence, home, speaker, last, .. } = utterance;
        let left = left(&first.meant, &utterance.context);
        // It knows one question, and not two in a row.
        if left == "asks" && first.is_several() {
            return None;
        }
        // What it is not asked about costs nothing.
        let halts = left == "orders" && falls_short(&first.meant, &utterance.context);
        if !halts {
            enough(left, true)?;
        }
        let words = words(utterance)?;
        let strange: usize = words.iter().filter(|t| t.is_residue()).map(|t| t.text.chars().count()).sum();
        let is_enough = |orders: &[Order], likely: f32| {
            let asks = orders.iter().all(asks_it);
            let amid = if asks || strange < STRANGE { 0.0 } else { AMID };
            enough(left, asks).is_some_and(|least| likely >= least.max(amid))
        };
        let doubtful = is_doubtful(&words, &home.world.vocabulary);
        let fits = |orders: &[Order]| {
            let asks = orders.iter().all(asks_it);
            (!doubtful || asks) && !(asks && asks_of_a_stranger(&words, orders, &home.world.vocabulary))
        };
        let whole = || {
            let (orders, likely) = likeliest.get_or_init(|| self.likeliest(&words, left, utterance)).clone()?;
            (is_enough(&orders, likely) && fits(&orders)).then_some((orders, true))
        };
        let (orders, guessed) = match left {
            // What nobody knows the name of is not there, however the sentence is cut.
            "orders" if !doubtful && !words.iter().any(Token::is_residue) => self.parted(&words, utterance)?,
            // 打开厨房的镜子, beside something that is clear: nor is that.
            "part" if grammar::names_the_unknown(&words).is_some() => return None,
            "part" if !doubtful => self.parted(&words, utterance).or_else(whole)?,
            // Beside what shall stay as it is something is told.
            "negated" => self.parted(&words, utterance).or_else(whole)?,
            "unsure" | "chatter" if !doubtful => whole().or_else(|| self.parted(&words, utterance))?,
            _ => whole()?,
        };
        // What the grammar says of each part rests on the words of that.
        let evidence = guessed.then(|| Evidence::of(sentence, &[], home, speaker.local, last));
        let meant = Meant::Orders { orders, chosen: None, confirmed: false };
        let again = Interpretation::again(By::Ranked, meant, evidence);
        (halts || left == "asks" || holds(&again.meant, &first.meant)).then_some(again)
    }

    /// What words most likely tell, and how likely that is, with all that comes to the same.
    fn likeliest(&self, words: &[Token], left: &'static str, utterance: Utterance<'_>) -> Option<(Vec<Order>, f32)> {
        let context = utterance.context;
        let setting = self.0.setting(words, context, utterance.home.repertoires(), left)?;
        let mut come_to: Vec<(Vec<Instruct>, String, Vec<Order>, f32)> = Vec::new();
        for (orders, likely) in self.0.rank(&setting, POSSIBLE) {
            let outcome = resolve(&orders, &context);
            if passes_over(words, &orders, utterance) {
                continue;
            }
            let (instructs, text) = (outcome.instructs, outcome.text);
            let same =
                |known: &[Instruct], told: &str| *known == *instructs && (!instructs.is_empty() || *told == text);
            match come_to.iter_mut().find(|(known, told, ..)| same(known, told)) {
                Some((.., total)) => *total += likely,
                None => come_to.push((instructs, text, orders, likely)),
            }
        }
        let (.., orders, likely) = come_to.into_iter().max_by(|(.., one), (.., other)| one.total_cmp(other))?;
        debug!(sentence = utterance.sentence, likely, ?orders, "most likely told");
        Some((orders, likely))
    }
}

/// The words of an utterance that may tell something: none of what is told to somebody, supposed or waited for.
fn words(utterance: Utterance<'_>) -> Option<Vec<Token>> {
    let Utterance { sentence, home, speaker, .. } = utterance;
    let vocabulary = &home.world.vocabulary;
    if is_markup(sentence) {
        return None;
    }
    let words = grammar::words_to_anybody(sentence, vocabulary, speaker)?;
    if addresses_somebody(&words)
        || tells(&words)
        || depends(&words)
        || grammar::only_names_a_number(&words, vocabulary)
        || grammar::points_to_a_room(&words, vocabulary)
        || grammar::only_speaks_of(&words, vocabulary)
        || grammar::compares(&words)
        || grammar::asks_of_a_town(&words, vocabulary)
    {
        return None;
    }
    // 等上冻了再开地暖
    let waits = |part: &[Token]| {
        let text: String = part.iter().map(|t| t.text.as_str()).collect();
        let then = part.iter().position(|t| t.has(&Sense::Sequence) && !t.is_entity());
        let acts = then.is_some_and(|at| part[at..].iter().any(|t| t.any(|s| matches!(s, Sense::Verb(_)))));
        acts && home.world.lexicon().asides.says_when(&text)
    };
    let idle = |part: &[Token]| waits(part) || grammar::ends_nothing(part, vocabulary);
    let none = words.split(|t| t.has(&Sense::Punctuation)).any(idle);
    (!none).then_some(words)
}

/// Whether words leave more in doubt than what they tell.
fn is_doubtful(words: &[Token], vocabulary: &Vocabulary) -> bool {
    asks(words)
        || trails_off(words)
        || tells_a_stranger(words)
        || refuses(words)
        || grammar::leaves_open(words)
        || grammar::means_another(words)
        || grammar::plays_something(words, vocabulary)
        || grammar::asks_as_a_value(words, vocabulary)
        || grammar::names_another_topic(words, &vocabulary.lexicon)
}

/// How likely an order has to be, by how the grammar left a sentence, and less where it only asks: what is answered moves nothing;
/// `None` where nothing is likely enough. Chosen on what the weights of other homes make of the train part: ten right ones for a wrong one, at the least
/// (`docs/evaluation.md`).
fn enough(left: &str, asks: bool) -> Option<f32> {
    Some(match (left, asks) {
        ("asks", true) => 0.8,
        ("chatter" | "part" | "unsure" | "talk", true) => 0.45,
        ("chatter", _) => 0.72,
        ("part", _) => 0.7,
        ("unsure", _) => 0.82,
        ("negated" | "later" | "talk", _) => 0.95,
        _ => return None,
    })
}

/// Whether a text was written by no recogniser and nobody who speaks: `<b>打开</b>`.
fn is_markup(sentence: &str) -> bool {
    sentence.contains(['<', '>', '{', '}', '[', ']', '\\'])
}

/// Whether an order only asks.
fn asks_it(order: &Order) -> bool {
    matches!(order.action, Action::Ask(_))
}

/// Whether words speak to a person of the house: 老婆，油烟机关一下.
fn addresses_somebody(words: &[Token]) -> bool {
    let called = |t: &Token| t.has(&Sense::Person) && !t.is_entity() && !t.any(|s| matches!(s, Sense::Room(_)));
    words.iter().find(|t| !t.any(|s| matches!(s, Sense::Filler | Sense::Punctuation))).is_some_and(called)
}

/// Whether what nobody here knows is asked about, and the answer would be how warm a room is: 窑现在多少度.
fn asks_of_a_stranger(words: &[Token], orders: &[Order], vocabulary: &Vocabulary) -> bool {
    let warmth = vocabulary.lexicon.property("temperature");
    let warm = |order: &Order| matches!(&order.action, Action::Ask(Ask::Value(property)) if Some(*property) == warmth);
    let subject = words.iter().find(|t| !t.any(|s| matches!(s, Sense::Filler | Sense::Punctuation)));
    // 浩浩把他房间空调开到几度了
    let known = |t: &Token| grammar::names_a_thing(t) || t.any(|s| matches!(s, Sense::Room(_) | Sense::Here));
    let Some(subject) = subject.filter(|t| t.is_residue() && !words.iter().any(known)) else { return false };
    // 奶壶里的水 is of the 调奶壶.
    let kin = |order: &Order| match &order.target {
        Target::Named { text, .. } | Target::Kind(_, text) | Target::Sort(_, text) => {
            text.contains(|c| subject.text.contains(c))
        }
        _ => false,
    };
    orders.iter().any(|order| warm(order) && !kin(order))
}

/// Whether words ask something: 灯开不, 开不开灯, and not 水不够烫.
fn asks(words: &[Token]) -> bool {
    let last = words.iter().rposition(|t| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
    let asks = |(at, t): (usize, &Token)| {
        // 不 and 没 ask between the same words and at the end.
        let splits = || at > 0 && words.get(at + 1).is_some_and(|next| next.text == words[at - 1].text);
        t.any(|s| match s {
            Sense::Question(Question::YesNo) => !t.has(&Sense::Not) || Some(at) == last || splits(),
            Sense::Question(_) => true,
            _ => false,
        })
    };
    words.iter().enumerate().any(asks)
}

/// Whether words suppose something or tell of it.
fn tells(words: &[Token]) -> bool {
    words.iter().any(|t| t.any(|s| matches!(s, Sense::Suppose | Sense::Report)))
}

/// Whether words say on what it depends: of a thing, a number or what is done. 如果可以的话 is a manner of speaking.
fn depends(words: &[Token]) -> bool {
    let opens = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::Unless));
    let closes = |t: &Token| t.any(|s| matches!(s, Sense::IfClose | Sense::Punctuation | Sense::Then));
    let Some(at) = words.iter().position(opens) else { return false };
    let begin = words[..at].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
    let end = words[at..].iter().position(closes).map_or(words.len(), |length| at + length);
    // 鱼要是再浮头，就把氧气泵打开; 当画挂着 at the end is no condition.
    let leads = end + 1 < words.len();
    let says = |t: &Token| {
        grammar::names_a_thing(t)
            || leads && t.is_residue()
            || t.any(|s| s.is_action() || matches!(s, Sense::Property(_) | Sense::Number(_) | Sense::State(_)))
    };
    words[begin..end].iter().any(says)
}

/// Whether words refuse something that is done: 先不要开.
fn refuses(words: &[Token]) -> bool {
    words.windows(2).any(|pair| pair[0].has(&Sense::Negation) && pair[1].any(Sense::is_action))
}

/// Whether words end before they say what is set: 加湿器调成, and not 吊扇倒过来转.
fn trails_off(words: &[Token]) -> bool {
    let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
    words.last().is_some_and(|t| sets(t) && !t.any(|s| matches!(s, Sense::Verb(_))))
}

/// Whether something is done to what nobody knows, and nothing of the home is named: 打开老伙计 is not said of what was spoken of.
fn tells_a_stranger(words: &[Token]) -> bool {
    let names = |s: &Sense| {
        use Sense::{
            Choice, Devices, Direction, Extreme, Feature, Floor, Fraction, Group, Kind, Number, Property, Room,
            RoomClass, RoomSort, Scene, Sort, Value,
        };
        matches!(
            s,
            Devices(_)
                | Group(_)
                | Scene(_)
                | Kind(_)
                | Sort(_)
                | Room(_)
                | RoomClass(_)
                | RoomSort(_)
                | Floor(_)
                | Property(_)
                | Feature(_)
                | Direction { .. }
                | Value
                | Choice(_)
                | Extreme(_)
                | Number(_)
                | Fraction(_)
        )
    };
    let acts = words.iter().any(|t| t.any(Sense::is_action));
    // 打开 and 小 are values of something as well.
    let named = |t: &Token| t.any(names) && !t.any(|s| s.is_action() || matches!(s, Sense::Degree { .. }));
    acts && words.iter().any(Token::is_residue) && !words.iter().any(named)
}

/// Whether a word binds, spares or takes back what other clauses say.
fn binds(sense: &Sense) -> bool {
    use Sense::{
        Correction, Else, ExceptAfter, ExceptClose, ExceptOpen, If, IfClose, Negation, Standing, Then, Unless,
    };
    matches!(
        sense,
        If | IfClose | Then | Else | Unless | Standing | ExceptOpen | ExceptClose | ExceptAfter | Correction | Negation
    )
}

impl Interpreter for Ranked {
    fn by(&self) -> By {
        By::Ranked
    }

    fn read<'a>(
        &'a self,
        utterance: Utterance<'a>,
        first: &'a Interpretation,
    ) -> BoxFuture<'a, Option<Interpretation>> {
        let likeliest = Likeliest::new();
        let told = self.told(utterance, first, &likeliest).or_else(|| self.alone(utterance, first));
        Box::pin(std::future::ready(told.or_else(|| self.guess(utterance, first, &likeliest))))
    }
}

/// How the grammar left a sentence, as the ranker learned to know it.
pub fn left(meant: &Meant, context: &Context) -> &'static str {
    match meant {
        Meant::Orders { orders, .. } if orders.iter().any(|o| matches!(o.action, Action::Unclear(_))) => "part",
        Meant::Orders { orders, chosen: None, confirmed: false } if is_unfit(orders, context) => "unfit",
        // What could be set is no candidate.
        Meant::Orders { orders, .. } if orders.iter().any(|o| matches!(o.action, Action::Ask(Ask::Range(_)))) => {
            "choices"
        }
        Meant::Orders { orders, .. } if orders.iter().all(|o| o.action.moves_nothing()) => "asks",
        Meant::Orders { .. } => "orders",
        Meant::Described(..) => "described",
        Meant::Situation(..) => "situation",
        Meant::Jobs(_) | Meant::Instead(_) | Meant::Called { .. } => "jobs",
        Meant::Nothing(Nothing::Rejected(rejection)) => match rejection {
            Rejection::Chatter => "chatter",
            Rejection::Talk => "talk",
            Rejection::Aside => "aside",
            Rejection::Withdrawn => "withdrawn",
            Rejection::Negated => "negated",
            Rejection::OtherAddressee => "other",
            Rejection::Later | Rejection::Standing => "later",
        },
        Meant::Nothing(_) => "unsure",
    }
}

/// Whether several orders are understood, and some of them cannot be carried out.
fn falls_short(meant: &Meant, context: &Context) -> bool {
    let Meant::Orders { orders, chosen: None, confirmed: false } = meant else { return false };
    let simple = |order: &Order| order.when.is_none() && !order.action.moves_nothing();
    orders.len() > 1 && orders.iter().all(simple) && {
        let outcome = resolve(orders, context);
        !outcome.undone.is_empty() || outcome.pending.is_some()
    }
}

/// Whether orders are understood, and nothing of the home is or does what they say.
fn is_unfit(orders: &[Order], context: &Context) -> bool {
    if orders.iter().any(|order| order.action.moves_nothing() || order.when.is_some()) {
        return false;
    }
    let outcome = resolve(orders, context);
    let asked = matches!(outcome.pending, None | Some(Pending::Target(_) | Pending::Value(..)));
    outcome.instructs.is_empty() && outcome.intent == Intent::Question && asked
}

//! The reading of a sentence without what only comments on it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tracing::debug;

use super::{By, Evidence, Interpretation, Interpreter, Utterance, is_open};
use crate::dialogue::{Meant, Nothing, Page};
use crate::frame::Instruct;
use crate::home::DeviceIndex;
use crate::language::action::Action;
use crate::language::grammar::{self, Parse, Rejection};
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::reader::{CERTAIN, Reader, SURE};
use crate::resolve::resolve;
use crate::text::normalize;

/// Characters that are at least said to somebody else before we are told something.
const LED: usize = 5;

/// How likely a few words have to be that go on with what was told in the turn before.
const GOING_ON: f32 = 0.08;

/// Characters of a few words.
const SHORT: usize = 14;

/// The learned reader, and the grammar after it.
#[derive(Debug)]
pub struct Learned(pub Arc<Reader>);

impl Learned {
    /// What is left of a sentence without its comments, if the grammar is sure of all of that; silence, if nothing is told.
    fn told(&self, utterance: Utterance<'_>, first: &Interpretation) -> Option<Interpretation> {
        let Utterance { sentence, home, speaker, page, last, .. } = utterance;
        let world = &home.world;
        // Beside a remark, and in half of one, only the scorer knows enough to look for a command.
        let remarks = matches!(first.meant, Meant::Nothing(Nothing::Rejected(Rejection::Aside)));
        if !self.0.is_scored() && (remarks || first.names_the_unfound() && !first.is_in_part()) {
            return None;
        }
        let words = grammar::words_to_anybody(sentence, &world.vocabulary, speaker)?;
        // 等豆豆睡着: whatever may be left out, this says when.
        let awaits = |part: &[Token]| {
            let text: String = part.iter().map(|t| t.text.as_str()).collect();
            world.lexicon().asides.says_when(&text)
        };
        let open = grammar::leaves_open(&words)
            || grammar::compares(&words)
            || grammar::only_speaks_of(&words, &world.vocabulary);
        let mut clauses = words.split(|t| t.has(&Sense::Punctuation));
        let in_doubt: Vec<&str> = clauses.clone().filter_map(supposed).collect();
        if clauses.any(awaits) || open {
            return None;
        }
        let told = self.0.told(&words)?;
        // 打开厨房的镜子: what nobody knows is not left out of what is told.
        let unknown = grammar::names_the_unknown(&words);
        let mut come_to: Vec<(Meant, f32, String)> = Vec::new();
        for (left, likely) in told.left(&words, world.lexicon()) {
            let parse = grammar::parse(&left, &world.vocabulary, speaker);
            let sure = !matches!(parse, Parse::Unsure(..) | Parse::Rejected(_) | Parse::Jobs(_));
            let meant = utterance.in_its_light(&left, parse);
            debug!(left, likely, sure, "without comments");
            let another = matches!(&meant, Meant::Orders { orders, .. } if passes_over(&words, orders, utterance));
            let only_supposed = in_doubt.iter().any(|does| left.contains(does));
            if !sure
                || another
                || only_supposed
                || !is_clear(&meant, page)
                || unknown.is_some_and(|thing| !left.contains(thing))
            {
                continue;
            }
            match come_to.iter_mut().find(|(known, ..)| *known == meant) {
                Some((_, total, _)) => *total += likely,
                None => come_to.push((meant, likely, left)),
            }
        }
        // Who is spoken to at the beginning is most often told all of it: 桂芳啊去|把泡脚桶插上.
        let elsewhere = matches!(first.meant, Meant::Nothing(Nothing::Rejected(Rejection::OtherAddressee)));
        let enough = if elsewhere || remarks { CERTAIN } else { SURE };
        let led = |left: &str| {
            let said = normalize(sentence);
            let before = said.find(left).unwrap_or_default();
            let mut end = 0;
            let ends = words.iter().map(|t| {
                end += t.text.len();
                end
            });
            let last = ends.take_while(|end| *end <= before).count();
            // 把我那|泡脚桶插上: within what somebody else is told.
            let goes_on = words[..last].iter().rev().take(3).any(|t| t.has(&Sense::Disposal));
            said[..before].chars().count() >= LED && !goes_on
        };
        // 挂好了|升上去吧, right after 晾衣架放下来: a few words about what was just told.
        let goes_on = |meant: &Meant| {
            let short = sentence.chars().count() <= SHORT;
            let nameless = |order: &Order| order.target == Target::Anything;
            let orders = if let Meant::Orders { orders, .. } = meant { &orders[..] } else { &[] };
            short && !elsewhere && !page.orders.is_empty() && !orders.is_empty() && orders.iter().all(nameless)
        };
        let enough = |meant: &Meant| if goes_on(meant) { GOING_ON } else { enough };
        let found =
            come_to.into_iter().find(|(meant, likely, left)| *likely >= enough(meant) && (!elsewhere || led(left)));
        // What it is certain of tells which words belong to a name: 泡沫|热水器.
        let apart =
            |likely: f32| self.0.is_scored() && likely >= CERTAIN && (first.is_in_part() || first.names_the_unfound());
        let found =
            found.filter(|(meant, likely, _)| holds(meant, &first.meant) || apart(*likely)).map(|(meant, _, left)| {
                let evidence = Evidence::of(&left, &[], home, speaker.local, last);
                Interpretation::again(By::Learned, meant, Some(evidence))
            });
        // Who only talks is not asked what was meant; who calls us by name or makes a condition does not only talk.
        let unsure = matches!(first.meant, Meant::Nothing(Nothing::Unsure(_))) || first.is_in_part();
        let guarded = words.iter().any(|t| t.any(|s| matches!(s, Sense::If | Sense::Unless)));
        let silent = unsure && told.is_nothing() && !utterance.calls_us() && !guarded;
        let rejected =
            || Interpretation::again(By::Learned, Meant::Nothing(Nothing::Rejected(Rejection::Chatter)), None);
        found.or_else(|| silent.then(rejected))
    }
}

/// `明天会不会自动开窗帘`: what a clause only supposes to be done. What names a thing before it tells of it (`准备睡了主灯关掉`) tells it.
fn supposed(clause: &[Token]) -> Option<&str> {
    let at = clause.iter().position(|t| t.has(&Sense::Suppose) && !t.is_entity())?;
    let begins = |t: &&Token| t.is_entity() || t.any(|s| s.is_action() || is_named(s));
    let first = clause[at + 1..].iter().find(begins)?;
    (first.any(Sense::is_action) && !first.is_entity()).then_some(first.text.as_str())
}

/// Whether a sense is one of what orders begin with.
fn is_named(sense: &Sense) -> bool {
    use Sense::{Disposal, Kind, Property, Room, RoomClass, RoomSort, Sort};
    matches!(sense, Disposal | Kind(_) | Sort(_) | Room(_) | RoomClass(_) | RoomSort(_) | Property(_))
}

impl Interpreter for Learned {
    fn by(&self) -> By {
        By::Learned
    }

    fn read<'a>(
        &'a self,
        utterance: Utterance<'a>,
        first: &'a Interpretation,
    ) -> BoxFuture<'a, Option<Interpretation>> {
        Box::pin(std::future::ready(self.told(utterance, first)))
    }
}

/// Whether all that the grammar was sure of is among it.
pub(super) fn holds(meant: &Meant, first: &Meant) -> bool {
    let (Meant::Orders { orders: all, .. }, Meant::Orders { orders: sure, .. }) = (meant, first) else { return true };
    sure.iter().filter(|order| !is_open(order)).all(|order| all.contains(order))
}

/// Whether orders that name nothing move another thing than those that words name: 婷婷说台灯刺眼睛调暗一点.
pub(super) fn passes_over(words: &[Token], orders: &[Order], utterance: Utterance<'_>) -> bool {
    let nameless: Vec<Order> = orders.iter().filter(|order| order.target == Target::Anything).cloned().collect();
    if nameless.is_empty() {
        return false;
    }
    let devices = |s: &Sense| if let Sense::Devices(devices) = s { devices.clone() } else { Vec::new() };
    let named: Vec<DeviceIndex> = words.iter().flat_map(|t| t.senses.iter().flat_map(devices)).collect();
    let home = utterance.home.world.home();
    let another = |instruct: &Instruct| {
        let moved = home.device(&instruct.id).map(|(index, _)| index);
        moved.is_some_and(|device| !named.contains(&device))
    };
    !named.is_empty() && resolve(&nameless, &utterance.context).instructs.iter().any(another)
}

/// Orders that are understood to the end, each of something that was named here or in the turn before.
fn is_clear(meant: &Meant, page: &Page) -> bool {
    let names = |order: &Order| order.action.is_about_something() || order.target != Target::Anything;
    let clear =
        |order: &Order| !matches!(order.action, Action::Unclear(_)) && (names(order) || !page.orders.is_empty());
    match meant {
        Meant::Orders { orders, confirmed, .. } => !confirmed && orders.iter().all(clear),
        Meant::Situation(..) => true,
        Meant::Described(..) | Meant::Jobs(_) | Meant::Instead(_) | Meant::Called { .. } | Meant::Nothing(_) => false,
    }
}

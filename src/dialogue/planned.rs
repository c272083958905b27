//! What is said of jobs that were told before: `取消关电视`, `第一个不要了`; that something else is to be done then (`不是关电视 是关灯`), or at
//! once (`现在就关`).

use super::{Meant, Page, again, page, remark, tokens, words};
use crate::language::action::Action;
use crate::language::grammar::{self, Doing, JobAsk, Parse, SpokenOf};
use crate::language::lexicon::VerbId;
use crate::language::order::{Order, Target};
use crate::language::segment::segment;
use crate::language::time::{Start, When};
use crate::retrieval::World;

/// Turns that are looked at for what was told of a later time.
const MAX_TURNS: usize = 6;

/// What an utterance says of jobs; `None` where none were spoken of, or it says something else.
pub(super) fn planned(
    sentence: &str,
    parse: &Parse,
    page: &Page,
    world: &World,
    read: impl Fn(&str) -> Parse,
) -> Option<Meant> {
    let before = page::orders(&page.orders, &world.vocabulary);
    let whens: Vec<&When> = before.iter().filter_map(|order| order.when.as_ref()).collect();
    let stands = !before.is_empty() && whens.len() == before.len();
    if page.jobs_told == 0 && !stands {
        return None;
    }
    if page.jobs_told == 1
        && stands
        && let Some(orders) =
            instead(sentence, &before, world, read).or_else(|| at_once(sentence, parse, &before, world))
    {
        return Some(Meant::Instead(orders));
    }
    let delayed = matches!(whens[..], [When { start: Some(Start::After(_)), .. }, ..]);
    let repeat = whens.first().and_then(|when| when.repeat);
    let told = SpokenOf { just: page.jobs_told, delayed, repeat };
    let (ask, others) = grammar::about_told_jobs(&world.vocabulary.utterance(sentence), told, &world.vocabulary)?;
    // 我不要了 给妹妹吧, 推到九点 客户堵车了: beside talk only what names what it takes back, or takes it back in so many words.
    let lexicon = world.lexicon();
    let idle = |clause: &str| {
        let words = segment(clause, &world.vocabulary);
        let does = words.iter().any(|t| super::behind::verb(t).is_some() || lexicon.held(&t.text).is_some());
        clause.ends_with(lexicon.marks.changed.as_str()) && !does
    };
    let moved = matches!(&ask, JobAsk::Of(_, Doing::Change(_) | Doing::Shift(_)));
    let said = world.vocabulary.utterance(sentence);
    let mut clauses = said.split(|c: char| !c.is_alphanumeric()).filter(|c| !others.iter().any(|other| other == c));
    if !others.is_empty() && (moved || clauses.any(idle)) {
        return None;
    }
    let talk = |text: &String| remark::is_talk(&tokens(text, world), world);
    let of_them = match &ask {
        JobAsk::Of(which, _) => which.about.is_empty() || spoken(&which.about, page, world),
        _ => true,
    };
    (of_them && others.iter().all(talk)).then(|| Meant::Jobs(Box::new(ask)))
}

/// Whether what a word or two say was told of a later time: `关电视`, `窗帘`.
fn spoken(about: &str, page: &Page, world: &World) -> bool {
    let verbs = &world.lexicon().verbs;
    let way = |verb: VerbId| verbs[verb].switches;
    let turns = page.turns.iter().rev().take(MAX_TURNS);
    let mut texts = turns.flat_map(|turn| [world.vocabulary.utterance(&turn.question), turn.reply.clone()]);
    let words = segment(about, &world.vocabulary);
    let said = |text: &String| {
        let there = segment(text, &world.vocabulary);
        let does = |way_of: bool| there.iter().filter_map(super::behind::verb).any(|verb| way(verb) == Some(way_of));
        words.iter().all(|word| {
            let verb = super::behind::verb(word).and_then(way).filter(|_| !word.is_entity());
            words::is_small(word) || text.contains(&word.text) || verb.is_some_and(does)
        })
    };
    texts.any(|text| grammar::has_time(&text, &world.vocabulary) && said(&text))
}

/// `不是关电视 是关灯`, `改成关空调`: what is done at that time instead.
fn instead(sentence: &str, before: &[Order], world: &World, read: impl Fn(&str) -> Parse) -> Option<Vec<Order>> {
    let lexicon = world.lexicon();
    let words = &lexicon.time.jobs;
    let said = world.vocabulary.utterance(sentence);
    let clauses: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).filter(|clause| !clause.is_empty()).collect();
    let [denials @ .., last] = &clauses[..] else { return None };
    let denies = |clause: &&str| words.mend.iter().any(|word| clause.starts_with(word.as_str()));
    if !denials.iter().all(denies) {
        return None;
    }
    let changes = words.change.iter().filter(|word| word.chars().count() > 1);
    let leads = changes.map(String::as_str).chain((!denials.is_empty()).then_some(lexicon.marks.is.as_str()));
    let rest = leads.filter_map(|lead| last.strip_prefix(lead)).min_by_key(|rest| rest.len())?;
    if grammar::has_time(rest, &world.vocabulary) {
        return None;
    }
    let when = before.first()?.when.clone();
    match read(rest) {
        Parse::Orders(orders) => {
            let named = |order: &Order| !matches!(order.target, Target::Anything | Target::Reference(_));
            let free = |order: &Order| order.when.is_none() && !order.action.moves_nothing() && named(order);
            let orders_then = || orders.iter().map(|order| Order { when: when.clone(), ..order.clone() }).collect();
            orders.iter().all(free).then(orders_then)
        }
        Parse::Fragment(other) if again::names(&other) => {
            Some(again::of_another(before.to_vec(), &other, &world.vocabulary))
        }
        _ => None,
    }
}

/// `现在就关`: what was to be done later, and nothing else.
fn at_once(sentence: &str, parse: &Parse, before: &[Order], world: &World) -> Option<Vec<Order>> {
    let lexicon = world.lexicon();
    let Parse::Orders(orders) = parse else { return None };
    let said = world.vocabulary.utterance(sentence);
    let now = lexicon.marks.now.iter().any(|word| said.contains(word.as_str()));
    let way = |order: &Order| if let Action::Verb(verb) = order.action { lexicon.verbs[verb].switches } else { None };
    let points = |order: &Order| {
        matches!(order.target, Target::Anything | Target::Reference(_)) && order.scope.include.is_empty()
    };
    let same = |order: &Order| points(order) && way(order).is_some() && before.iter().all(|b| way(b) == way(order));
    let orders_now = || before.iter().map(|order| Order { when: None, ..order.clone() }).collect();
    let plain = tokens(sentence, world).iter().all(|t| super::behind::is_plain(t, world));
    (now && plain && orders.iter().all(same)).then(orders_now)
}

/// `明天六点开电饭煲`, then `六点半开热水器`: an hour behind another one of a day that was said.
pub(super) fn following(mut orders: Vec<Order>, page: &Page, world: &World) -> Vec<Order> {
    let before = page::orders(&page.orders, &world.vocabulary);
    let said = before.last().and_then(|order| order.when.clone()).filter(|_| page.jobs_told > 0);
    let Some(When { start: Some(Start::At(said)), repeat: None, .. }) = said else { return orders };
    let root = said.following.clone().map_or_else(|| said.clone(), |root| *root);
    if root.day.is_none() || root.clock.is_none() {
        return orders;
    }
    for order in &mut orders {
        if let Some(When { start: Some(Start::At(moment)), repeat: None, .. }) = &mut order.when
            && moment.is_bare()
            && moment.following.is_none()
        {
            moment.following = Some(Box::new(root.clone()));
        }
    }
    orders
}

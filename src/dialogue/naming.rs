//! Names that people use and the home does not know: which part of a sentence that was not understood is one, and what may
//! become one.

use super::Meant;
use super::again::mended;
use super::page::{Page, Unheard};
use super::words::is_small;
use crate::home::{DeviceIndex, Entity, MAX_ALIASES};
use crate::language::grammar::{self, Parse, SpeakerContext};
use crate::language::lexicon::Sense;
use crate::language::meaning::kinds_of_name;
use crate::language::order::{Fragment, Order, Scope, Target};
use crate::language::segment::Token;
use crate::retrieval::World;
use crate::text::{normalize, pinyin};

/// Characters of a sentence in which a name is looked for.
const MAX_SENTENCE: usize = 24;

/// Characters of a name that is taken from speech.
const NAME: std::ops::RangeInclusive<usize> = 2..=8;

/// Words that make up one such name at most, and how many parts of a sentence are tried.
const MAX_WORDS: usize = 4;
const MAX_TRIES: usize = 16;

impl Unheard {
    /// Keeps a sentence; `None` where none of its parts would be looked at.
    pub fn keep(sentence: &str, world: &World, speaker: &SpeakerContext, until_ms: u64) -> Option<Self> {
        let tokens = grammar::words(sentence, &world.vocabulary, speaker)?;
        let said: String = tokens.into_iter().map(|token| token.text).collect();
        (1..=MAX_SENTENCE).contains(&said.chars().count()).then_some(Self { said, until_ms })
    }
}

/// The part of a sentence that was not understood which stands for a device, if `order` is what the sentence says with the
/// device's own name in its place.
pub fn unknown_name(said: &str, order: &Order, device: DeviceIndex, world: &World) -> Option<String> {
    let own = world.home().devices.get(device)?.names().map(normalize).find(|name| world.vocabulary.is_name(name))?;
    let same_place = |scope: &Scope| scope.include.is_empty() || *scope == order.scope;
    let fits = |one: &Order| {
        let named = matches!(&one.target, Target::Named { entities, .. } if entities.contains(&Entity::Device(device)));
        // A name that is the word for its type means whatever is of that.
        (named || one.target == order.target)
            && one.action == order.action
            && one.when.is_none()
            && one.filter.is_none()
            && same_place(&one.scope)
    };
    in_other_words(said, &own, world, fits).map(|(name, _)| name)
}

/// `我说的是取暖器` after a sentence that was not understood: the sentence with that in place of what nobody knew.
pub(super) fn corrected(tokens: &[Token], parse: &Parse, page: &Page, world: &World, now_ms: u64) -> Option<Meant> {
    let unheard = page.unheard.as_ref().filter(|unheard| now_ms <= unheard.until_ms)?;
    if matches!(parse, Parse::Orders(_)) || !tokens.iter().any(|token| token.has(&Sense::Correction)) {
        return None;
    }
    let rest = mended(tokens, &world.vocabulary)?;
    let begin = rest.iter().position(|token| !is_small(token))?;
    let end = rest.iter().rposition(|token| !is_small(token))? + 1;
    let word: String = rest[begin..end].iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect();
    let parse = grammar::parse(&word, &world.vocabulary, &SpeakerContext::default());
    let Parse::Fragment(Fragment { target, .. }) = parse else { return None };
    if matches!(target, Target::Text(..) | Target::Anything | Target::Reference(_)) {
        return None;
    }
    let fits = |one: &Order| one.target == target && !one.action.moves_nothing() && one.when.is_none();
    let (_, order) = in_other_words(&unheard.said, &word, world, fits)?;
    Some(super::plain(vec![order]))
}

/// The longest part of a sentence that may be a name and with `word` in its place makes the sentence one order that `fits`;
/// and that order.
fn in_other_words(said: &str, word: &str, world: &World, fits: impl Fn(&Order) -> bool) -> Option<(String, Order)> {
    let (vocabulary, speaker) = (&world.vocabulary, SpeakerContext::default());
    let tokens = grammar::words(said, vocabulary, &speaker)?;
    let written = |tokens: &[Token]| tokens.iter().map(|token| token.text.as_str()).collect::<String>();
    let runs = (1..=MAX_WORDS).rev().flat_map(|length| tokens.windows(length).enumerate());
    let names = runs.filter_map(|(at, run)| {
        let name = written(run);
        let whole = is_strange(run, vocabulary.lexicon.answers.is_none_of(&name)) && !vocabulary.knows(&name);
        (whole && NAME.contains(&name.chars().count())).then_some((at, run.len(), name))
    });
    names.take(MAX_TRIES).find_map(|(at, length, name)| {
        // 那个大铁箱: what points to it says no more with its name.
        let before = tokens[..at].iter().rposition(|token| !token.has(&Sense::Reference)).map_or(0, |last| last + 1);
        let text = format!("{}{word}{}", written(&tokens[..before]), written(&tokens[at + length..]));
        match grammar::parse(&text, vocabulary, &speaker) {
            Parse::Orders(orders) => match <[Order; 1]>::try_from(orders) {
                Ok([order]) if fits(&order) => Some((name, order)),
                _ => None,
            },
            _ => None,
        }
    })
}

/// Whether words can be a name together: what nothing explains, and what goes with it (大, 白, 灯). Not what people make
/// of words that are all known, with one for what it is: 小灯, 红灯.
fn is_strange(run: &[Token], is_no_answer: bool) -> bool {
    let thing = |sense: &Sense| matches!(sense, Sense::Kind(_) | Sense::Sort(_));
    let may = |sense: &Sense| thing(sense) || matches!(sense, Sense::Choice(_) | Sense::Degree { .. } | Sense::Value);
    let residue = run.iter().any(Token::is_residue);
    is_no_answer
        && run.iter().all(|token| token.senses.iter().all(may))
        && (residue || !run.iter().any(|t| t.any(thing)))
}

/// Whether a device may get this name from somebody who only speaks: it is no word of the language or of the home, sounds like
/// none, and nothing risky is called by it.
pub fn may_be_called(name: &str, device: DeviceIndex, world: &World, speaker: &SpeakerContext) -> bool {
    let (vocabulary, home) = (&world.vocabulary, world.home());
    let (Some(sense), Some(known)) = (vocabulary.devices.get(device), home.devices.get(device)) else { return false };
    let written =
        NAME.contains(&name.chars().count()) && name.chars().all(char::is_alphanumeric) && normalize(name) == name;
    if !written || sense.risky || known.aliases.len() >= MAX_ALIASES {
        return false;
    }
    if speaker.names.iter().chain(&speaker.others).any(|assistant| name.contains(assistant.as_str())) {
        return false;
    }
    let Some(tokens) = grammar::words(name, vocabulary, &SpeakerContext::default()) else { return false };
    let others = |token: &Token| token.any(|s| matches!(s, Sense::Kind(k) | Sense::Sort(k) if !sense.is(*k)));
    let kinds = kinds_of_name(name, &vocabulary.lexicon);
    let free = !vocabulary.knows(name) && vocabulary.named(name).is_empty();
    free && is_strange(&tokens, vocabulary.lexicon.answers.is_none_of(name))
        && !tokens.iter().any(others)
        && kinds.iter().all(|kind| sense.is(*kind))
        && !pinyin::readings(name).iter().any(|heard| vocabulary.sounding(&pinyin::blur(heard)).next().is_some())
        && matches!(
            grammar::parse(name, vocabulary, speaker),
            Parse::Unsure(..) | Parse::Rejected(_) | Parse::Fragment(_)
        )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::super::page::Naming;
    use super::*;
    use crate::language::lexicon::Lexicon;

    fn world() -> World {
        let document = json!({
            "layout": ["客厅", "卧室"],
            "model": {
                "heater": {"describe": "取暖器", "property": {"power": {"type": "bool"}}},
                "lamp": {"describe": "台灯，用于照明", "property": {"power": {"type": "bool"}}},
                "lock": {"describe": "智能门锁", "property": {"locked": {"type": "bool"}}},
                "oven": {"describe": "烤箱", "property": {"power": {"type": "bool"}}}
            },
            "devices": [
                {"id": "heater", "name": "取暖器", "local": "客厅", "device": {"model": "heater"}},
                {"id": "lamp", "name": "台灯", "aliases": ["阿福"], "local": "卧室", "device": {"model": "lamp"}},
                {"id": "lock", "name": "大门锁", "local": "客厅", "device": {"model": "lock"}},
                {"id": "oven", "name": "烤箱", "local": "客厅", "device": {"model": "oven"}}
            ],
            "scenes": [{"id": "s", "name": "老地方", "actions": [{"id": "lamp", "state": {"power": true}}]}]
        });
        let (home, _) = crate::home::parse(&document).unwrap();
        World::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
    }

    fn order(sentence: &str, world: &World) -> Order {
        match grammar::parse(sentence, &world.vocabulary, &SpeakerContext::default()) {
            Parse::Orders(orders) => orders[0].clone(),
            other => panic!("{sentence}: {other:?}"),
        }
    }

    #[test]
    fn the_unknown_name_is_what_stands_in_the_place_of_the_known_one() {
        let world = world();
        for (refused, known, name) in [
            ("打开老伙计", "打开取暖器", Some("老伙计")),
            ("把老伙计打开", "打开取暖器", Some("老伙计")),
            ("帮我把客厅的老伙计打开吧", "打开客厅取暖器", Some("老伙计")),
            ("关掉那个大铁箱", "关掉取暖器", Some("大铁箱")),
            ("关掉小怪兽", "关掉取暖器", Some("小怪兽")),
            ("大白关一下", "关掉取暖器", Some("大白")),
            // Another action, another place, a word that is known, two things, no order at all.
            ("关掉老伙计", "打开取暖器", None),
            ("打开卧室的老伙计", "打开客厅取暖器", None),
            ("打开电视", "打开取暖器", None),
            ("打开老伙计和冰箱", "打开取暖器", None),
            ("老伙计真不错", "打开取暖器", None),
            ("打开小灯", "打开取暖器", None),
        ] {
            let found = unknown_name(refused, &order(known, &world), 0, &world);
            assert_eq!(found.as_deref(), name, "{refused} / {known}");
        }
    }

    #[test]
    fn only_a_name_that_is_free_and_harmless_becomes_one_by_voice() {
        let world = world();
        let speaker =
            SpeakerContext { names: vec!["小牛".into()], others: vec!["阿呆".into()], ..SpeakerContext::default() };
        let may = |name: &str, device| may_be_called(name, device, &world, &speaker);
        assert!(may("老伙计", 0) && may("小怪兽", 0) && may("大白", 1));
        // Nothing risky gets a name.
        assert!(!may("老伙计", 2) && !may("老伙计", 3) && !may("老伙计", 9));
        let long = "长".repeat(2_000);
        for name in [
            // Words of the language, of commands, of answers, of numbers.
            "打开",
            "全部",
            "所有",
            "是的",
            "不用",
            "空调",
            "亮度",
            "三十",
            "十分钟",
            "灯打开",
            // Of the home, and what sounds like them.
            "台灯",
            "阿福",
            "客厅",
            "老地方",
            "阿福灯",
            "阿服",
            "抬灯",
            // What something else is.
            "老门锁",
            "电视大王",
            "烤箱",
            "红灯",
            // The assistants.
            "小牛",
            "小牛灯",
            "阿呆",
            "小爱同学",
            // Hostile ones.
            "<b>",
            "老<i>",
            "a\u{7}b",
            "老\u{202e}伙",
            "老 伙计",
            "伙",
            "",
            long.as_str(),
            "老伙计老伙计老伙计",
            "{what}",
        ] {
            assert!(!may(name, 0), "{name}");
        }
    }

    #[test]
    fn a_sentence_that_was_not_understood_is_done_as_it_is_corrected() {
        let world = world();
        let unheard = Unheard { said: "关掉老伙计".into(), until_ms: 30 };
        let page = Page { unheard: Some(unheard), ..Page::default() };
        let means = |said: &str, now_ms| {
            let parse = grammar::parse(said, &world.vocabulary, &SpeakerContext::default());
            super::super::interpret(said, parse, &page, &world, None, now_ms)
        };
        for said in ["我说的是取暖器", "我是说取暖器", "不是老伙计，是取暖器"] {
            let Meant::Orders { orders, confirmed: false, .. } = means(said, 30) else { panic!("{said}") };
            assert_eq!(orders, [order("关掉取暖器", &world)], "{said}");
        }
        for (said, now_ms) in [("我说的是取暖器", 31), ("我说的是大象", 30), ("取暖器", 30), ("我说的是真话", 30)]
        {
            assert!(matches!(means(said, now_ms), Meant::Nothing(_)), "{said}");
        }
    }

    #[test]
    fn our_question_is_answered_by_yes_or_no_and_dropped_by_all_else() {
        let world = world();
        let naming = Naming { name: "老伙计".into(), device: "heater".into(), until_ms: 30 };
        let page = Page { naming: Some(naming), ..Page::default() };
        let answer = |said: &str, now_ms| {
            let parse = grammar::parse(said, &world.vocabulary, &SpeakerContext::default());
            match super::super::interpret(said, parse, &page, &world, None, now_ms) {
                Meant::Called { yes, .. } => Some(yes),
                _ => None,
            }
        };
        for (said, yes) in [("是", true), ("对", true), ("嗯，是的", true), ("不是", false), ("不，不是", false)]
        {
            assert_eq!(answer(said, 30), Some(yes), "{said}");
        }
        for said in ["打开台灯", "打开吧", "今天天气不错", "老伙计"] {
            assert_eq!(answer(said, 30), None, "{said}");
        }
        assert_eq!(answer("是", 31), None, "a yes that comes too late is none");
    }

    #[test]
    fn who_points_and_does_not_find_the_name_is_asked() {
        let world = world();
        let page = Page { last: vec![super::super::Mention::Device("lamp".into())], ..Page::default() };
        let means = |said: &str| {
            let parse = grammar::parse(said, &world.vocabulary, &SpeakerContext::default());
            super::super::interpret(said, parse, &page, &world, None, 1)
        };
        for said in ["帮我打开那个啥", "关掉那个啥吧"] {
            assert!(matches!(means(said), Meant::Nothing(super::super::Nothing::Unsure(_))), "{said}");
        }
        for said in ["那个啥，打开台灯", "关掉那个", "关掉"] {
            assert!(matches!(means(said), Meant::Orders { .. }), "{said}");
        }
    }
}

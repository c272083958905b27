//! Answers held against sentences.

use std::sync::LazyLock;

use serde_json::json;

use super::*;
use crate::dialogue::Meant;
use crate::frame::{Instruct, Intent};
use crate::interpret::{By, Interpretation, restrain};
use crate::language::grammar::{Parse, SpeakerContext, parse};
use crate::language::lexicon::Lexicon;
use crate::language::protocol::{decode, parse_command};
use crate::resolve::Outcome;
use crate::resolve::reply::Replies;

static HOME: LazyLock<Arc<HomeModel>> = LazyLock::new(|| {
    let device = |id: &str, name: &str, room: &str, model: &str| json!({"id": id, "name": name, "local": room, "device": {"model": model}});
    let mut old = device("old", "老伙计", "客厅", "plug");
    old["aliases"] = json!(["老搭档"]);
    let document = json!({
        "layout": ["客厅", "主卧", "次卧", "厨房", "阳台"],
        "model": {
            "lamp": {"describe": "调光灯", "property": {"power": {"type": "bool"}, "brightness": {"type": "uint", "min": 0, "max": 100}}},
            "plug": {"describe": "智能插座", "property": {"power": {"type": "bool"}}},
            "ac": {"describe": "空调", "property": {"power": {"type": "bool"}, "temperature": {"type": "uint", "min": 16, "max": 30}}},
            "blind": {"describe": "窗帘", "property": {"position": {"type": "uint", "min": 0, "max": 100}}},
        },
        "devices": [
            device("hall", "水晶灯", "客厅", "lamp"), device("spot", "射灯", "客厅", "lamp"), device("ac", "空调", "客厅", "ac"),
            device("bed", "左床头灯", "主卧", "lamp"), device("bed2", "右床头灯", "主卧", "lamp"), device("cool", "空调", "次卧", "ac"),
            device("cook", "台灯", "厨房", "lamp"), device("desk", "台灯", "阳台", "lamp"), device("sun", "窗帘", "阳台", "blind"), old,
        ],
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    Arc::new(HomeModel::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home)))
});

fn said_after(sentence: &str, last: &[Entity]) -> Evidence {
    let speaker = SpeakerContext { local: Some(0), ..SpeakerContext::default() };
    let guess = match parse(sentence, &HOME.world.vocabulary, &speaker) {
        Parse::Unsure(orders, _) => orders,
        Parse::Rejected(grammar::Rejection::Chatter | grammar::Rejection::Negated) => Vec::new(),
        // One clause is sure; it is the other that would be asked about.
        Parse::Orders(orders) => orders,
        other => panic!("{sentence} is never asked about: {other:?}"),
    };
    Evidence::of(sentence, &guess, &HOME, Some(0), last)
}

fn said(sentence: &str) -> Evidence {
    said_after(sentence, &[])
}

fn command(text: &str) -> Order {
    decode(&parse_command(0, text, &mut Vec::new()).unwrap(), &HOME.world.vocabulary).unwrap()
}

fn device(id: &str) -> DeviceIndex {
    HOME.world.home().device(id).unwrap().0
}

/// The devices of which something is so.
fn ids(is: impl Fn(DeviceIndex) -> bool) -> Vec<&'static str> {
    let devices = HOME.world.home().devices.iter().enumerate();
    devices.filter(|(index, _)| is(*index)).map(|(_, device)| device.id.as_str()).collect()
}

#[test]
fn a_name_is_said_by_its_words_by_another_name_and_by_its_sound() {
    for (sentence, named, others) in [
        (
            "把客厅水晶灯稀里糊涂打开",
            &["打开-客厅-水晶灯#Light#one", "打开-客厅-*#Light#all", "打开-*-@last#Unknown#one"][..],
            &[
                "打开-厨房-台灯#Light#one",
                "打开-厨房-*#Light#all",
                "打开-客厅-射灯#Light#one",
                "打开-*-老伙计#SmartPlug#one",
            ][..],
        ),
        (
            "把老搭档稀里糊涂打开",
            &["打开-*-老伙计#SmartPlug#one", "打开-客厅-老搭档#Unknown#one"],
            &["打开-厨房-台灯#Light#one"],
        ),
        ("把客厅水精灯稀里糊涂打开", &["打开-客厅-水晶灯#Light#one"], &["打开-客厅-射灯#Light#one"]),
        ("把厨房的台灯稀里糊涂打开", &["打开-厨房-台灯#Light#one"], &["打开-阳台-台灯#Light#one"]),
        ("把阳台灯稀里糊涂打开", &["打开-阳台-*#Light#all"], &["打开-阳台-台灯#Light#one"]),
        (
            "把左床头灯稀里糊涂打开",
            &["打开-*-左床头灯#Light#one"],
            &["打开-*-床头灯#Light#all", "打开-*-右床头灯#Light#one"],
        ),
        ("把主卧的灯稀里糊涂打开", &["打开-主卧-灯光#Light#all"], &["打开-次卧-*#Light#all"]),
        ("把卧室的灯稀里糊涂打开", &["打开-卧室-*#Light#all"], &["打开-主卧-*#Light#all"]),
    ] {
        let said = said(sentence);
        named.iter().for_each(|text| assert!(said.names(&command(text)), "{sentence}: {text}"));
        others.iter().for_each(|text| assert!(!said.names(&command(text)), "{sentence}: {text}"));
    }
}

#[test]
fn a_sentence_is_about_the_things_and_rooms_it_names() {
    let all = HOME.world.home().devices.len();
    for (sentence, about) in [
        ("把客厅水晶灯稀里糊涂打开", &["hall"][..]),
        ("把客厅的灯稀里糊涂打开", &["hall", "spot"]),
        ("把空调稀里糊涂打开", &["ac", "cool"]),
        // Each room with what was said of it.
        ("打开厨房的灯，把客厅空调稀里糊涂也打开", &["ac", "cook"]),
        ("打开厨房的灯，空调也稀里糊涂打开", &["cook"]),
        ("把地下室的灯稀里糊涂打开", &[]),
        ("把那盏射灯稀里糊涂打开", &["spot"]),
        ("把客厅空调稀里糊涂打开，亮度调低", &["hall", "spot", "ac"]),
    ] {
        let said = said(sentence);
        assert_eq!(ids(|device| said.is_about(device)), about, "{sentence}");
    }
    for sentence in ["它稀里糊涂打开", "稀里糊涂打开吧"] {
        let said = said(sentence);
        assert_eq!(ids(|device| said.is_about(device)).len(), all, "{sentence}");
    }
}

#[test]
fn what_is_refused_or_left_out_is_spared() {
    for (sentence, spared) in [
        ("客厅的灯不要关，把厨房台灯稀里糊涂关掉", &["hall", "spot"][..]),
        ("客厅不要动，把厨房台灯稀里糊涂关掉", &["hall", "spot", "ac", "old"]),
        ("水晶灯不要关，把厨房台灯稀里糊涂关掉", &["hall"]),
        ("把厨房台灯稀里糊涂关掉，主卧的灯不要关", &["bed", "bed2"]),
        ("灯都稀里糊涂关了，主卧的留着", &["bed", "bed2"]),
        ("除了厨房，把灯稀里糊涂关掉", &["cook"]),
        ("把厨房台灯稀里糊涂关掉", &[]),
    ] {
        let said = said(sentence);
        assert_eq!(ids(|device| said.spares(device)), spared, "{sentence}");
    }
    let said = said_after("它不要关，把厨房台灯稀里糊涂关掉", &[Entity::Device(device("spot"))]);
    assert!(said.spares(device("spot")) && !said.spares(device("cook")));
}

#[test]
fn what_ends_something_is_forbidden_only_where_an_ending_is_refused() {
    let (off, on) = (command("关闭-厨房-台灯#Light#one"), command("打开-厨房-台灯#Light#one"));
    for (sentence, ends, begins) in [
        ("厨房台灯别稀里糊涂地叫", false, true),
        ("厨房台灯别关", true, true),
        ("厨房台灯不动", true, true),
        ("厨房台灯稀里糊涂地叫", false, false),
    ] {
        let said = said(sentence);
        let forbidden = (said.forbids(&off, device("cook")), said.forbids(&on, device("cook")));
        assert_eq!(forbidden, (ends, begins), "{sentence}");
    }
    let said = said("厨房台灯色温别动");
    assert!(!said.forbids(&command("设置亮度=50%-厨房-台灯#Light#one"), device("cook")));
    assert!(said.forbids(&command("设置色温=3000K-厨房-台灯#Light#one"), device("cook")));
}

#[test]
fn a_place_that_is_not_here_says_where_something_is_only_right_before_it() {
    let cook = device("cook");
    assert!(said("院子里在烧秸秆，把厨房台灯稀里糊涂关掉").is_about(cook));
    assert!(said("客厅太吵，把厨房台灯稀里糊涂关掉").is_about(cook));
}

#[test]
fn each_command_goes_the_way_of_the_clause_that_speaks_of_the_same() {
    for (sentence, with, against) in [
        ("把客厅水晶灯稀里糊涂打开", &["打开-客厅-水晶灯#Light#one"][..], &["关闭-次卧-*#AirConditioner#all"][..]),
        (
            "打开客厅水晶灯，把次卧空调稀里糊涂关掉",
            &["打开-客厅-水晶灯#Light#one", "关闭-次卧-*#AirConditioner#all", "关闭-次卧-空调#AirConditioner#one"],
            &["关闭-客厅-水晶灯#Light#one", "打开-次卧-空调#AirConditioner#one", "打开-*-*#AirConditioner#all"],
        ),
        // One clause says both ways of the same: either may be meant.
        ("客厅水晶灯打开，不对，稀里糊涂关掉", &["关闭-客厅-水晶灯#Light#one", "打开-客厅-水晶灯#Light#one"], &[]),
        ("打开客厅水晶灯，厨房台灯也稀里糊涂", &["打开-厨房-台灯#Light#one"], &["关闭-厨房-台灯#Light#one"]),
        (
            "客厅的灯不要关，把厨房台灯稀里糊涂关掉",
            &["关闭-厨房-台灯#Light#one"],
            &["打开-客厅-*#Light#all", "打开-厨房-台灯#Light#one"],
        ),
    ] {
        let said = said(sentence);
        with.iter().for_each(|text| assert!(!said.is_opposed(&command(text)), "{sentence}: {text}"));
        against.iter().for_each(|text| assert!(said.is_opposed(&command(text)), "{sentence}: {text}"));
    }
}

/// What becomes of a reading of an order that moves this device.
fn moved(sentence: &str, by: By, id: &str) -> Option<(Option<&'static str>, bool)> {
    let orders = vec![command("关闭-厨房-台灯#Light#one")];
    let meant = Meant::Orders { orders: orders.clone(), chosen: None, confirmed: false };
    let reading = Interpretation::again(by, meant, Some(said(sentence)));
    let summary = "关闭".to_owned();
    let instruct = Instruct { id: id.into(), state: None, command: None, summary, noop: false };
    let outcome = Outcome { instructs: vec![instruct], ..Outcome::say(Intent::Instruct, String::new()) };
    let asked = restrain(&outcome, &orders, &reading, &HOME.world, 4, &Replies::built_in().unwrap())?;
    assert!(asked.instructs.is_empty(), "{sentence}: {id}");
    Some((asked.hint, asked.pending.is_some()))
}

#[test]
fn no_reader_moves_what_the_sentence_does_not_name_or_does_not_want() {
    let sentence = "客厅的灯不要关，把厨房台灯稀里糊涂关掉";
    for by in [By::Learned, By::Similarity, By::Models("local")] {
        assert_eq!(moved(sentence, by, "cook"), None, "it is what was said");
        assert_eq!(moved(sentence, by, "desk"), Some((Some("confirm_required"), true)), "another is asked about");
        assert_eq!(moved(sentence, by, "hall"), Some((Some("needs_fallback"), false)), "what is refused is not done");
    }
}

#[test]
fn what_is_switched_one_way_is_not_switched_the_other() {
    let (on, off) = (command("打开-*-窗帘#Blind#one"), command("关闭-*-窗帘#Blind#one"));
    let shut = said("窗帘合上吧嘎嘎咕咕");
    assert!(shut.turns_against(&on) && !shut.turns_against(&off));
    // Of two clauses each says its own, and what is refused says the other way.
    for both in ["窗帘合上，嘎嘎灯打开", "窗帘咕咕别打开", "窗帘咕咕嘎嘎"] {
        assert!(!said(both).turns_against(&on) && !said(both).turns_against(&off), "{both}");
    }
}

#[test]
fn a_little_of_the_other_way_is_wanted_of_what_there_is_too_much_of() {
    let (up, down) = (command("调高亮度-*-水晶灯#Light#one"), command("调低亮度-*-水晶灯#Light#one"));
    let too_bright = said("水晶灯忒亮嘎嘎咕咕暗些嘎嘎");
    assert!(too_bright.turns_against(&up) && !too_bright.turns_against(&down));
    let too_dark = said("水晶灯暗得嘎嘎咕咕");
    assert!(!too_dark.turns_against(&up));
}

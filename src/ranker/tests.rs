//! What the weights that ship make of sentences of a home that they have not seen, and what they hold for any.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::*;
use crate::home::{Live, parse};
use crate::language::grammar::{self, SpeakerContext};
use crate::language::lexicon::Lexicon;
use crate::resolve::reply::Replies;
use crate::resolve::resolve;
use crate::retrieval::World;

struct Flat {
    world: World,
    live: Live,
    repertoires: Repertoires,
    ranker: Ranker,
    replies: Replies,
}

static FLAT: LazyLock<Flat> = LazyLock::new(|| {
    let document = json!({
        "layout": ["客厅", "卫生间"],
        "model": {
            "lamp": {"describe": "灯", "property": {"power": {"type": "bool"}}},
            "purifier": {"describe": "空气净化器", "property": {
                "power": {"type": "bool"}, "lock": {"type": "bool", "describe": "童锁"},
                "mode": {"type": "enum", "describe": "模式", "range": [{"value": "auto", "describe": "自动"},
                    {"value": "sleep", "describe": "睡眠"}, {"value": "strong", "describe": "强劲"}]}}},
            "heater": {"describe": "热水器", "property": {
                "power": {"type": "bool"}, "temp": {"type": "uint", "min": 30, "max": 75, "unit": "C", "describe": "水温"}}}
        },
        "devices": [
            {"id": "lamp", "name": "台灯", "local": "客厅", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "pur", "name": "净化器", "local": "客厅", "device": {"model": "purifier",
                "state": {"power": true, "lock": false, "mode": "auto"}}},
            {"id": "wh", "name": "热水器", "local": "卫生间", "device": {"model": "heater",
                "state": {"power": true, "temp": 50}}}
        ]
    });
    let (home, report) = parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    let live = Live::initial(&home);
    let world = World::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
    let repertoires = Repertoires::of(&world.vocabulary);
    let (ranker, replies) = (Ranker::shipped().unwrap(), Replies::built_in().unwrap());
    Flat { world, live, repertoires, ranker, replies }
});

impl Flat {
    fn context(&self) -> Context<'_> {
        Context {
            world: &self.world,
            live: &self.live,
            local: Some(0),
            last: &[],
            handful: 4,
            replies: &self.replies,
            asking: false,
            fresh_since_ms: 0,
            told: None,
            chosen: None,
            confirmed: false,
            usage: None,
        }
    }

    /// What may be told, the likeliest first.
    fn ranked(&self, sentence: &str) -> Vec<(Vec<Order>, f32)> {
        let Some(words) = grammar::words(sentence, &self.world.vocabulary, &SpeakerContext::default()) else {
            return Vec::new();
        };
        let setting = self.ranker.setting(&words, self.context(), &self.repertoires, "chatter");
        setting.map(|setting| self.ranker.rank(&setting, 0.01)).unwrap_or_default()
    }

    /// What comes of the likeliest, if that is likelier than not.
    fn told(&self, sentence: &str) -> Option<(String, String)> {
        let (orders, _) = self.ranked(sentence).into_iter().find(|(_, likely)| *likely > 0.5)?;
        let outcome = resolve(&orders, &self.context());
        let instruct = outcome.instructs.first()?;
        Some((instruct.id.clone(), serde_json::to_string(&instruct.state).unwrap()))
    }
}

#[test]
fn a_feature_and_a_value_are_understood_in_words_that_no_list_holds() {
    for (sentence, device, state) in [
        ("净化器童锁弄上别让娃乱按", "pur", r#"{"lock":true}"#),
        ("热水器水温四十五就够使了", "wh", r#"{"temp":45}"#),
        ("净化器换成强劲那个呛死了", "pur", r#"{"mode":"strong"}"#),
    ] {
        assert_eq!(FLAT.told(sentence), Some((device.to_owned(), state.to_owned())), "{sentence}");
    }
}

#[test]
fn what_a_device_tells_is_asked_for_in_words_that_no_list_holds() {
    for (sentence, answer) in [
        ("热水器里头的水温烧到几成热了现在多少度", "热水器的水温是50度"),
        ("净化器这会儿用的哪个模式", "净化器的模式是自动"),
    ] {
        let told = FLAT.ranked(sentence).into_iter().find(|(_, likely)| *likely > 0.45);
        let outcome = resolve(&told.unwrap_or_else(|| panic!("{sentence}")).0, &FLAT.context());
        assert!(outcome.text.contains(answer), "{sentence}: {}", outcome.text);
        assert_eq!(outcome.instructs, [], "{sentence}");
    }
}

#[test]
fn what_helps_is_found_where_somebody_only_says_what_is_wrong() {
    let on = Some(("lamp".to_owned(), r#"{"power":true}"#.to_owned()));
    for sentence in ["黑咕隆咚的差点磕着腿", "摸着黑找不着拖鞋"] {
        assert_eq!(FLAT.told(sentence), on, "{sentence}");
    }
    for talk in ["昨天那个山洞里黑得吓死人", "我眼前一黑就晕过去了"] {
        assert_eq!(FLAT.told(talk), None, "{talk}");
    }
}

#[test]
fn what_is_true_or_false_is_told_as_on_or_off() {
    let words = grammar::words("净化器童锁", &FLAT.world.vocabulary, &SpeakerContext::default()).unwrap();
    let setting = FLAT.ranker.setting(&words, FLAT.context(), &FLAT.repertoires, "chatter").unwrap();
    let choices = Choices::of(&setting);
    let asked = choices.candidates.iter().filter(|candidate| candidate.said == Said::Asked);
    let answers: Vec<String> =
        asked.map(|candidate| resolve(&candidate.orders(&choices.things), &FLAT.context()).text).collect();
    assert!(answers.iter().any(|answer| answer.contains("净化器的童锁是关着")), "{answers:?}");
    assert!(answers.iter().any(|answer| answer.contains("净化器开着")), "{answers:?}");
}

#[test]
fn of_talk_nothing_is_likely() {
    for sentence in ["我姐家那台净化器花了三千多", "昨天热水器坏了修了半天", "你说这台灯好看不", "今天股票又跌了"]
    {
        assert_eq!(FLAT.told(sentence), None, "{sentence}");
    }
}

#[test]
fn the_weights_are_those_of_the_manifest() {
    let manifest: serde_json::Value =
        serde_json::from_str(include_str!("../../models/ranker-zh/manifest.json")).unwrap();
    let sha256: String = Sha256::digest(SHIPPED).iter().map(|byte| format!("{byte:02x}")).collect();
    let file = &manifest["files"]["weights.bin"];
    assert_eq!((file["bytes"].as_u64(), file["sha256"].as_str()), (Some(SHIPPED.len() as u64), Some(sha256.as_str())));
}

#[test]
fn damaged_weights_are_refused() {
    let mut bytes = SHIPPED.to_vec();
    bytes[100] ^= 1;
    assert_eq!(Ranker::of(&bytes).unwrap_err(), WeightsError::Checksum);
    assert!(matches!(Ranker::of(&bytes[1..]), Err(WeightsError::Size { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_weighed_to_its_end(text in "[\\PC净化器童锁台灯水温开关三五不，我]{0,120}") {
        let ranked = FLAT.ranked(&text);
        let sum: f32 = ranked.iter().map(|(_, likely)| likely).sum();
        prop_assert!(sum <= 1.001, "{sum}");
        prop_assert!(ranked.windows(2).all(|pair| pair[0].1 >= pair[1].1));
    }
}

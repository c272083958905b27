//! What things are about, and presets that have names.

use super::*;

fn home(activity: &str) -> (World, Live) {
    let choice = |value: &str, describe: &str| json!({"value": value, "describe": describe});
    let range = |values: &[(&str, &str)]| values.iter().map(|(value, word)| choice(value, word)).collect::<Value>();
    let about = [
        ("cleaning", "清扫"),
        ("paused", "暂停"),
        ("idle", "空闲"),
        ("returning", "正在回充"),
        ("docked", "充电"),
        ("error", "故障"),
    ];
    let run = [("clean", "清扫"), ("pause", "暂停"), ("stop", "停止"), ("dock", "回充")];
    let presets = [("none", "无"), ("eco", "节能"), ("away", "离家"), ("sleep", "睡眠"), ("boost", "强劲")];
    let document = json!({
        "model": {
            "robot": {"describe": "扫地机", "property": {
                "activity": {"type": "enum", "describe": "工作状态", "access": "read", "range": range(&about)},
                "run": {"type": "enum", "describe": "运行", "range": range(&run)}}},
            "ac": {"describe": "空调", "property": {"power": {"type": "bool", "describe": "电源"},
                "mode": {"type": "enum", "describe": "模式", "range": range(&[("cool", "制冷"), ("heat", "制热")])},
                "preset": {"type": "enum", "describe": "预设模式", "range": range(&presets)}}},
        },
        "devices": [
            {"id": "robot", "name": "扫地机", "local": "客厅", "device": {"model": "robot", "state": {"activity": activity,
                "run": if activity == "paused" { "pause" } else { "dock" }}}},
            {"id": "ac", "name": "空调", "local": "客厅", "device": {"model": "ac", "state": {"power": true, "preset": "eco"}}},
        ],
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    let live = Live::initial(&home);
    (World::new(Arc::clone(&LEXICON), Arc::new(home)), live)
}

fn said(sentence: &str, (world, live): &(World, Live)) -> Option<Outcome> {
    match parse(sentence, &world.vocabulary, &SpeakerContext::default()) {
        Parse::Orders(orders) => Some(resolve(&orders, &context(world, live, None, &[]))),
        _ => None,
    }
}

#[test]
fn what_a_robot_is_about_is_answered_and_not_what_it_was_told() {
    for (activity, word, paused, charging, returning, broken) in [
        ("paused", "工作状态暂停", true, false, false, false),
        ("returning", "工作状态正在回充", false, false, true, false),
        ("docked", "工作状态充电", false, true, false, false),
        ("error", "工作状态故障", false, false, false, true),
    ] {
        let home = home(activity);
        let answer = |sentence: &str| said(sentence, &home).unwrap_or_else(|| panic!("{sentence}")).text;
        let doing = answer("扫地机在干嘛");
        assert!(doing.contains(word) && !doing.contains("运行"), "{activity}: {doing}");
        for (sentence, wanted) in [
            ("扫地机暂停了吗", paused),
            ("扫地机在充电吗", charging),
            ("扫地机在回充吗", returning),
            ("扫地机出错了吗", broken),
        ] {
            let said = answer(sentence);
            assert_eq!(said.starts_with("是的"), wanted, "{activity}: {sentence} {said}");
        }
    }
}

#[test]
fn who_asks_what_is_the_matter_hears_what_the_robot_tells_and_who_complains_does_not() {
    for (activity, word) in [("paused", "工作状态暂停"), ("error", "工作状态故障")] {
        let home = home(activity);
        for sentence in ["扫地机怎么了", "扫地机怎么回事", "扫地机出了什么问题", "扫地机咋了"]
        {
            let text = said(sentence, &home).unwrap_or_else(|| panic!("{sentence}")).text;
            assert!(text.contains(word) && !(text.contains("关着") && activity == "error"), "{sentence}: {text}");
        }
        for sentence in ["你怎么了", "这是怎么了", "孩子怎么了", "空调怎么了，一点都不凉", "空调一点都不凉怎么回事"]
        {
            assert!(said(sentence, &home).is_none(), "{sentence}");
        }
    }
}

#[test]
fn a_preset_that_is_taken_away_is_none() {
    let home = home("docked");
    for sentence in ["取消预设", "空调取消预设", "取消空调的预设模式", "空调退出节能模式", "关掉空调的离家模式"]
    {
        let outcome = said(sentence, &home).unwrap_or_else(|| panic!("{sentence}"));
        assert_eq!(moved(&outcome), [("ac".to_owned(), json!({"preset": "none"}))], "{sentence}");
    }
}

#[test]
fn presets_are_set_and_asked_for_by_their_names() {
    let home = home("docked");
    for (sentence, preset) in [
        ("空调切到睡眠预设", "sleep"),
        ("空调切到离家模式", "away"),
        ("空调切到外出模式", "away"),
        ("把空调预设模式设成离家", "away"),
        ("空调调成强劲模式", "boost"),
        ("把空调预设模式设成无", "none"),
    ] {
        let outcome = said(sentence, &home).unwrap_or_else(|| panic!("{sentence}"));
        assert_eq!(moved(&outcome), [("ac".to_owned(), json!({"preset": preset}))], "{sentence}");
    }
    let asked = said("空调的预设模式是什么", &home).unwrap().text;
    assert!(asked.contains("节能"), "{asked}");
}

#[test]
fn who_says_that_he_leaves_sets_no_preset() {
    let home = home("docked");
    for sentence in ["我要外出了", "我离家了", "我外出了", "离家", "离家模式", "我要离家了"] {
        let moved = said(sentence, &home).map(|outcome| moved(&outcome)).unwrap_or_default();
        assert_eq!(moved, [], "{sentence}");
    }
}

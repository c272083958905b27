//! What is left out because it was said before, and how much of what is there.

use super::*;

/// A home of which two rooms have a thing of one sort, each named after its room, and what gives out portions.
fn rooms() -> Vocabulary {
    let power = json!({"power": {"type": "bool"}});
    let feeder = json!({"feed": {"type": "uint", "min": 1, "max": 9, "unit": "份", "describe": "出粮"}});
    let suction = json!({"type": "enum", "range": [{"value": "low", "describe": "低"}, {"value": "max", "describe": "最大"}], "describe": "吸力"});
    let robot = json!({"run": {"type": "enum", "range": ["clean", "dock"]}, "suction": suction});
    let document = json!({
        "layout": [{"name": "客厅"}, {"name": "云房"}, {"name": "山房"}],
        "model": {
            "blanket": {"name": "blanket", "describe": "电热毯", "property": power},
            "lamp": {"name": "lamp", "describe": "灯", "property": power},
            "feeder": {"name": "feeder", "describe": "喂食器", "property": feeder},
            "robot": {"name": "robot", "describe": "扫地机器人", "property": robot}
        },
        "devices": [
            {"id": "1", "name": "云房电热毯", "local": "云房", "device": {"model": "blanket", "state": {}}},
            {"id": "2", "name": "山房电热毯", "local": "山房", "device": {"model": "blanket", "state": {}}},
            {"id": "3", "name": "云房主灯", "local": "云房", "device": {"model": "lamp", "state": {}}},
            {"id": "4", "name": "山房主灯", "local": "山房", "device": {"model": "lamp", "state": {}}},
            {"id": "5", "name": "喂食器", "local": "客厅", "device": {"model": "feeder", "state": {}}},
            {"id": "6", "name": "扫地机", "local": "客厅", "device": {"model": "robot", "state": {}}}
        ]
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    Vocabulary::new(Arc::clone(&vocabulary().lexicon), Arc::new(home))
}

#[test]
fn what_is_named_after_its_room_is_called_otherwise_in_another() {
    let rooms = rooms();
    let expected = ["打开-*-云房电热毯#Unknown#one", "关闭-山房-电热毯#Unknown#one"];
    assert_eq!(said("云房电热毯打开，山房的关掉", &rooms), expected);
    assert_eq!(said("把云房主灯打开，不对，是山房", &rooms), ["打开-山房-主灯#Light#one"]);
    assert_eq!(said("把云房主灯打开，不是云房，是山房", &rooms), ["打开-山房-主灯#Light#one"]);
}

#[test]
fn a_number_behind_what_is_given_out_is_how_much_of_it() {
    let rooms = rooms();
    for sentence in ["喂食器出粮三份", "喂食器出三份粮"] {
        assert_eq!(said(sentence, &rooms), ["设置出粮份数=3portion-*-喂食器#Unknown#one"], "{sentence}");
    }
}

#[test]
fn a_value_of_what_has_no_switch_does_not_set_it_to_work() {
    assert_eq!(said("扫地机吸力开到最大", &rooms()), ["设置吸力=最大-*-扫地机#Unknown#one"]);
}

#[test]
fn what_has_not_been_done_says_why_it_shall_be() {
    assert_eq!(commands("顶灯没关帮我关一下"), commands("顶灯关一下"));
    assert_eq!(commands("顶灯没关，关一下"), commands("顶灯关一下"));
    for told in ["顶灯没关，我去关一下", "他说顶灯没关，关一下", "顶灯没关"] {
        assert!(!matches!(parse(told, vocabulary(), &speaker()), Parse::Orders(_)), "{told}");
    }
}

#[test]
fn a_part_of_what_it_is_now_is_no_share_of_the_range() {
    assert!(commands("顶灯亮度减半")[0].contains("=“半”-*-顶灯"));
    assert!(commands("顶灯亮度降低百分之二十")[0].contains("=20%-*-顶灯"));
}

#[test]
fn a_number_behind_a_mode_is_that_of_the_thing() {
    let expected = ["设置=制热-*-*#AirConditioner#all", "设置温度=26-*-*#AirConditioner#all"];
    assert_eq!(commands("空调制热二十六"), expected);
}

#[test]
fn what_is_told_and_taken_back_at_once_is_not_done() {
    for told in ["打开顶灯，算了", "打开顶灯，不用了", "打开顶灯，别开了", "把顶灯打开吧，不开"]
    {
        assert!(matches!(parse(told, vocabulary(), &speaker()), Parse::Rejected(_)), "{told}");
    }
    assert_eq!(commands("顶灯关一下，不用了"), commands("顶灯关一下"));
    assert_eq!(commands("打开顶灯，别关"), commands("打开顶灯"));
}

#[test]
fn what_shall_not_be_so_much_goes_the_other_way() {
    assert_eq!(commands("顶灯别那么亮"), commands("顶灯暗一点"));
    assert_eq!(commands("电视别太大声了"), commands("电视小声一点"));
    for told in ["顶灯不那么亮", "顶灯别关"] {
        assert!(!matches!(parse(told, vocabulary(), &speaker()), Parse::Orders(_)), "{told}");
    }
}

#[test]
fn the_room_in_the_name_of_a_thing_is_that_of_what_follows_where_nobody_knows_where_the_speaker_is() {
    let home = rooms();
    let told = |sentence: &str, local| {
        let speaker = SpeakerContext { local, ..speaker() };
        match parse(sentence, &home, &speaker) {
            Parse::Orders(orders) => orders.iter().map(|o| encode(o, &home).to_string()).collect::<Vec<_>>(),
            other => panic!("{sentence}: {other:?}"),
        }
    };
    let sentence = "云房主灯关掉，电热毯也关了";
    assert_eq!(told(sentence, None)[1], "关闭-云房-电热毯#Unknown#one");
    assert_eq!(told(sentence, Some(0))[1], "关闭-*-电热毯#Unknown#one");
}

#[test]
fn what_is_left_out_by_a_word_behind_it_is_left_out_of_all_that_is_told() {
    for (behind, before) in [
        ("灯全关了客厅除外", "除了客厅灯全关了"),
        ("客厅的除外灯都关了", "除了客厅灯都关了"),
        ("客厅除外的灯都关了", "除了客厅灯都关了"),
        ("关灯客厅除外", "除了客厅灯关了"),
        ("把灯全关了，客厅的除外吧", "除了客厅把灯全关了"),
        ("空调都调到二十六度客厅除外", "除了客厅空调都调到二十六度"),
    ] {
        assert_eq!(commands(behind), commands(before), "{behind}");
    }
}

#[test]
fn what_is_refused_of_another_thing_is_a_clause_of_its_own() {
    for refused in ["顶灯关了空调别关屋里热得很", "顶灯关了空调就别关了", "顶灯关了空调莫关哈热得很"]
    {
        assert_eq!(commands(refused), commands("顶灯关了"), "{refused}");
    }
    for back in ["顶灯打开算了顶灯别开打开空调", "顶灯和空调别关屋里热得很"] {
        assert!(!matches!(parse(back, vocabulary(), &speaker()), Parse::Orders(_)), "{back}");
    }
}

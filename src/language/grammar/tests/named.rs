//! Names and things that are said once for several, pointed at once more, or not meant as an order.

use super::*;

#[test]
fn what_is_named_and_pointed_at_in_one_breath_is_told_once() {
    for (sentence, told) in [
        ("空调给它高两度", "空调高两度"),
        ("空调再给他调低一度", "空调再调低一度"),
        ("卧室要是高于二十八度，就把他屋的灯关了", "卧室要是高于二十八度，就把卧室的灯关了"),
    ] {
        assert_eq!(commands(sentence), commands(told), "{sentence}");
    }
}

#[test]
fn rooms_that_are_counted_are_all_that_have_such_a_thing_and_no_others() {
    assert_eq!(commands("两个屋的灯都关了"), commands("全家的灯都关了"));
    assert!(!matches!(parse("三个屋的灯都关了", vocabulary(), &speaker()), Parse::Orders(_)));
}

#[test]
fn kelvin_are_counted_only_where_light_has_so_many() {
    assert_eq!(commands("灯开一开"), commands("灯打开"));
    assert!(commands("顶灯色温调到4000开")[0].contains("4000K"));
}

#[test]
fn below_nothing_is_no_value_above_it() {
    for sentence in ["空调调到负三度", "空调温度调到-3度"] {
        assert!(commands(sentence)[0].contains("零下3C"), "{sentence}: {:?}", commands(sentence));
    }
}

#[test]
fn what_somebody_wants_to_see_and_what_shall_stay_is_nothing_more_to_do() {
    for sentence in ["开下顶灯看看水开了没", "开下顶灯别的不动"] {
        assert_eq!(commands(sentence), commands("开下顶灯"), "{sentence}");
    }
}

#[test]
fn what_is_on_in_a_row_of_orders_shall_be_on_and_told_by_itself_is_so_already() {
    assert_eq!(commands("顶灯开着，空调关了"), commands("顶灯打开，空调关了"));
    for sentence in ["顶灯开着呢，空调关了", "顶灯开着，关了吧"] {
        assert!(!commands(sentence).iter().any(|c| c.starts_with("打开")), "{sentence}");
    }
}

#[test]
fn a_lamp_of_a_room_is_no_list_of_that_room_and_the_lamp() {
    let lamp = |id: &str, name: &str| json!({"id": id, "name": name, "local": "书房", "device": {"model": "lamp", "state": {}}});
    let (home, _) = crate::home::parse(&json!({
        "layout": [{"name": "书房"}, {"name": "客厅"}],
        "model": {"lamp": {"name": "lamp", "describe": "灯", "property": {"power": {"type": "bool"}}}},
        "devices": [lamp("1", "书房灯"), lamp("2", "台灯"), lamp("3", "客厅射灯"), lamp("4", "书房射灯")]
    }))
    .unwrap();
    let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
    for (sentence, told) in [("书房台灯打开", 1), ("客厅书房射灯打开", 2)] {
        let Parse::Orders(orders) = parse(sentence, &vocabulary, &SpeakerContext::default()) else {
            panic!("{sentence}")
        };
        assert_eq!(orders.len(), told, "{sentence}: {orders:?}");
    }
}

#[test]
fn one_of_several_is_for_the_speaker_to_name_and_any_is_any() {
    assert_eq!(commands("床头灯关一盏"), ["关闭-*-床头灯#Light#one#1"]);
    assert_eq!(commands("随便打开一盏灯"), ["打开-*-*#Light#any#1"]);
}

#[test]
fn what_somebody_is_about_to_do_is_nothing_for_us_to_do() {
    for (sentence, told) in [("台灯关了我要洗", "台灯关了"), ("顶灯打开我要扫地", "顶灯打开")] {
        assert_eq!(commands(sentence), commands(told), "{sentence}");
    }
}

#[test]
fn a_thing_that_is_pointed_at_is_that_thing_and_a_part_that_nobody_knows_is_not() {
    assert_eq!(commands("台灯那盏关了"), commands("台灯关了"));
    let of_part = commands("空调那个屏幕灯关了");
    assert_eq!((of_part.len(), &of_part), (1, &commands("空调的屏幕灯关了")));
    assert!(!of_part.iter().any(|command| command.contains("AirConditioner")), "{of_part:?}");
}

#[test]
fn what_shall_be_at_its_end_may_be_said_behind_it() {
    for sentence in ["空调开最大的风", "空调开最大风"] {
        assert!(
            commands(sentence).iter().any(|c| c.starts_with("设置风速=最大")),
            "{sentence}: {:?}",
            commands(sentence)
        );
    }
}

#[test]
fn what_is_left_out_ends_where_a_pause_or_all_of_them_follows() {
    let spared = commands("窗帘除了卧室的窗帘以外都拉上");
    for sentence in ["除了卧室的窗帘，窗帘都拉上", "窗帘除了卧室的窗帘都拉上"] {
        assert_eq!(commands(sentence), spared, "{sentence}");
    }
}

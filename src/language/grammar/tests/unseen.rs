//! Ways of speaking that writers used who had seen nothing of this.

use super::*;
use crate::language::action::Action;

fn home() -> Vocabulary {
    let choices = |values: &[&str]| {
        let range: Vec<_> = values.iter().map(|v| json!({"value": v, "describe": v})).collect();
        json!({"type": "enum", "range": range})
    };
    let document = json!({
        "layout": ["客厅", "书房", "浩浩屋"],
        "model": {
            "desk": {"name": "desk-lamp", "describe": "台灯", "property": {
                "power": {"type": "bool"}, "level": {"type": "uint", "min": 0, "max": 100, "unit": "%"},
                "mode": choices(&["写字", "电脑", "阅读"])}},
            "ac": {"name": "air-conditioner", "describe": "空调", "property": {
                "power": {"type": "bool"}, "temperature": {"type": "uint", "min": 16, "max": 30, "unit": "C"},
                "mode": choices(&["制冷", "除湿"]), "swing": {"type": "bool", "describe": "摆风"}}},
            "bath": {"name": "bath-heater", "describe": "浴霸", "property": {
                "power": {"type": "bool"}, "mode": choices(&["取暖", "换气"])}},
            "feeder": {"name": "feeder", "describe": "喂食器", "property": {
                "feed": {"type": "uint", "min": 1, "max": 6, "describe": "出粮份数"},
                "left": {"type": "uint", "min": 0, "max": 100, "unit": "%", "describe": "余粮", "access": "read"}}},
            "lamp": {"name": "lamp", "describe": "灯", "property": {"power": {"type": "bool"}}}
        },
        "devices": [
            {"id": "1", "name": "台灯", "local": "书房", "device": {"model": "desk"}},
            {"id": "2", "name": "空调", "local": "客厅", "device": {"model": "ac"}},
            {"id": "3", "name": "浴霸", "local": "客厅", "device": {"model": "bath"}},
            {"id": "4", "name": "喂食器", "local": "客厅", "device": {"model": "feeder"}},
            {"id": "5", "name": "桂芳床头灯", "local": "书房", "device": {"model": "lamp"}},
            {"id": "6", "name": "老于床头灯", "local": "书房", "device": {"model": "lamp"}}
        ]
    });
    let (home, _) = crate::home::parse(&document).unwrap();
    Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
}

fn told(sentence: &str, home: &Vocabulary) -> Vec<String> {
    match parse(sentence, home, &SpeakerContext { local: Some(0), ..SpeakerContext::default() }) {
        Parse::Orders(orders) => orders.iter().map(|o| encode(o, home).to_string()).collect(),
        other => panic!("{sentence}: {other:?}"),
    }
}

#[test]
fn a_value_is_said_by_a_word_that_means_something_else_elsewhere() {
    let home = home();
    for (sentence, value) in [("台灯换写字模式", "写字"), ("台灯换写字", "写字"), ("台灯切电脑模式", "电脑")]
    {
        assert!(told(sentence, &home)[0].contains(&format!("={value}-*-台灯")), "{sentence}");
    }
}

#[test]
fn what_shall_not_go_on_gives_way_to_what_shall_be_instead() {
    let home = home();
    for (sentence, plain) in [
        ("空调别制冷了，换成除湿", "空调换成除湿"),
        ("空调莫制冷了换成除湿", "空调换成除湿"),
        ("浴霸别取暖了，换气打开", "浴霸换气打开"),
        ("空调别摆风了", "空调关摆风"),
        ("空调别来回摆了", "空调关摆风"),
    ] {
        assert_eq!(told(sentence, &home), told(plain, &home), "{sentence}");
    }
    for refused in ["别开空调", "空调别制冷了", "空调别开了，太冷"] {
        assert!(!matches!(parse(refused, &home, &SpeakerContext::default()), Parse::Orders(_)), "{refused}");
    }
}

#[test]
fn portions_are_given_and_what_is_left_is_asked_for() {
    let home = home();
    let given = ["设置出粮份数=2portion-*-喂食器#Unknown#one"];
    for sentence in ["喂食器放两份", "喂食器出两份粮", "喂食器给年糕出两份粮"] {
        assert_eq!(told(sentence, &home), given, "{sentence}");
    }
    assert_eq!(told("喂食器还有多少粮", &home), told("喂食器余粮还有多少", &home));
}

#[test]
fn who_talks_of_food_or_of_a_head_feeds_and_lifts_nothing() {
    for sentence in ["来两份炸鸡", "给老师带两份早饭", "把头抬起来", "换电脑了", "留一半给我"]
    {
        let read = parse(sentence, &home(), &SpeakerContext { local: Some(1), ..SpeakerContext::default() });
        let moves =
            |o: &crate::language::order::Order| !o.action.moves_nothing() && !matches!(o.action, Action::Unclear(_));
        assert!(!matches!(&read, Parse::Orders(orders) if orders.iter().any(moves)), "{sentence}: {read:?}");
    }
}

#[test]
fn a_value_that_is_called_by_a_number_takes_no_number_from_other_things() {
    let document = json!({
        "layout": ["院子"],
        "model": {
            "level": {"name": "number", "describe": "水位", "property": {"value": {"type": "float", "min": 0, "max": 200, "describe": "数值"}}},
            "choice": {"name": "select", "describe": "档位", "property": {"mode": {"type": "enum", "range": ["1", "2", "3"], "describe": "模式"}}}
        },
        "devices": [
            {"id": "1", "name": "池塘水位", "local": "院子", "device": {"model": "level"}},
            {"id": "2", "name": "水泵", "local": "院子", "device": {"model": "choice"}}
        ]
    });
    let (home, _) = crate::home::parse(&document).unwrap();
    let home = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
    assert_eq!(told("池塘水位调到1", &home), ["设置=1-*-池塘水位#Unknown#one"]);
    assert_eq!(told("水泵模式调到2", &home), ["设置模式=2-*-水泵#Unknown#one"]);
}

#[test]
fn a_pronoun_is_whoever_was_named_and_has_such_a_thing() {
    let home = home();
    assert_eq!(told("桂芳睡着了，把她那个床头灯关了", &home), told("把桂芳床头灯关了", &home));
}

#[test]
fn a_gear_that_points_to_a_value_is_none_of_its_own() {
    let home = home();
    assert_eq!(told("浴霸打到取暖那一档", &home), told("浴霸打到取暖", &home));
    assert_eq!(told("台灯换成写字那个模式", &home), told("台灯换成写字", &home));
}

#[test]
fn whoever_begins_anew_means_the_second() {
    let home = home();
    assert_eq!(told("把书房的，呃，客厅的空调打开", &home), told("把客厅的空调打开", &home));
}

#[test]
fn what_stays_as_it_is_stays_so_whatever_is_said_of_it() {
    let read = told("全家的灯都关了，台灯留着他还没回来", &home());
    assert!(read.iter().all(|order| order.contains("台灯") && order.ends_with("#except")), "{read:?}");
}

#[test]
fn what_others_did_or_shout_is_told() {
    for sentence in
        ["空调吹得头疼，她就给关了", "隔壁喊着关灯", "大门是空调修好了他才锁的", "已经把空调降到二十度了，您接着忙"]
    {
        let read = parse(sentence, vocabulary(), &speaker());
        assert!(!matches!(read, Parse::Orders(_)), "{sentence}: {read:?}");
    }
}

#[test]
fn what_is_left_out_without_a_pause_stays_out() {
    let read = told("空调除了书房那台全家的统统关掉", &home());
    assert!(read.iter().all(|order| order.contains("!书房") && order.ends_with("#except")), "{read:?}");
}

#[test]
fn what_cannot_be_done_and_what_somebody_has_done_is_told() {
    for sentence in ["顶灯关不干净的", "我把顶灯关好了你放心吧", "我把顶灯关了"] {
        let read = parse(sentence, vocabulary(), &speaker());
        assert!(!matches!(read, Parse::Orders(_)), "{sentence}: {read:?}");
    }
}

#[test]
fn what_is_tried_in_vain_or_sung_tells_nothing() {
    for sentence in ["顶灯打不亮了", "空调升不上去了", "那句咋个唱的，关上了灯", "我等下自己去把顶灯关掉"]
    {
        let read = parse(sentence, vocabulary(), &speaker());
        assert!(!matches!(read, Parse::Orders(_)), "{sentence}: {read:?}");
    }
}

#[test]
fn whoever_is_called_by_a_part_of_a_name_is_spoken_to() {
    let home = home();
    for sentence in ["桂芳，你把台灯关了", "桂芳啊去把台灯打开"] {
        let read = parse(sentence, &home, &SpeakerContext::default());
        assert_eq!(read, Parse::Rejected(Rejection::OtherAddressee), "{sentence}");
    }
    assert!(matches!(parse("桂芳床头灯，关了", &home, &SpeakerContext::default()), Parse::Orders(_)));
}

#[test]
fn what_is_spared_of_nothing_that_was_named_widens_nothing() {
    let orders = told("空调打开，二十度，台灯别动", &home());
    let widened = |order: &&String| order.ends_with("#except") && !order.contains("#AirConditioner");
    assert_eq!(orders.iter().filter(widened).count(), 0, "{orders:?}");
}

#[test]
fn a_correction_of_what_is_strange_is_of_nothing_else() {
    for sentence in ["洗鞋机温度改成二十度，说错了，二十五度", "洗鞋机亮度改成四十，说错了，三十"]
    {
        let read = parse(sentence, vocabulary(), &speaker());
        let moves = |o: &crate::language::order::Order| {
            !matches!(o.action, Action::Unclear(_)) && o.target.word(vocabulary()).is_none()
        };
        assert!(!matches!(&read, Parse::Orders(orders) if orders.iter().any(moves)), "{sentence}: {read:?}");
    }
}

/// What is told in a room with a curtain on each side.
fn of_two_sides(sentence: &str) -> Vec<String> {
    let blind = json!({"name": "curtain", "describe": "窗帘", "property": {
        "action": {"type": "enum", "range": [{"value": "open", "describe": "打开"}, {"value": "close", "describe": "关闭"}]},
        "position": {"type": "uint", "min": 0, "max": 100, "unit": "%"}}});
    let device = |id: &str, name: &str| json!({"id": id, "name": name, "local": "书房", "device": {"model": "blind"}});
    let document = json!({
        "layout": ["书房"],
        "model": {"blind": blind, "lamp": {"name": "lamp", "describe": "灯", "property": {"power": {"type": "bool"}}}},
        "devices": [
            device("1", "左窗帘"), device("2", "右窗帘"), device("3", "纱帘"),
            {"id": "4", "name": "落地灯", "local": "书房", "device": {"model": "lamp"}},
            {"id": "5", "name": "台灯", "local": "书房", "device": {"model": "lamp"}}
        ]
    });
    let (home, _) = crate::home::parse(&document).unwrap();
    told(sentence, &Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home)))
}

#[test]
fn the_other_side_is_left_alone() {
    assert_eq!(of_two_sides("左窗帘关上右边留着"), of_two_sides("左窗帘关上"));
    assert_eq!(of_two_sides("右窗帘开三成，左边不动"), of_two_sides("右窗帘开三成"));
}

#[test]
fn both_sides_are_those_that_are_called_so() {
    let both = of_two_sides("左右窗帘都合上");
    assert!(!both.is_empty() && both.iter().all(|order| !order.contains('纱')), "{both:?}");
}

#[test]
fn how_much_stays_with_its_verb_before_a_remark() {
    assert_eq!(of_two_sides("左窗帘拉上一半太阳正照着呢"), of_two_sides("左窗帘拉上一半"));
}

#[test]
fn all_but_one_means_the_others() {
    assert_eq!(of_two_sides("除了台灯都关了"), of_two_sides("除了台灯其它的都关了"));
}

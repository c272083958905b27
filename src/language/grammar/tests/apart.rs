//! What is clear is done although somebody says beside it what nobody here understands.

use super::*;
use crate::language::action::Action;
use crate::language::order::Order;

#[test]
fn a_clause_that_is_clear_is_done_beside_one_that_nobody_understands() {
    for (sentence, told) in [
        ("炒藕片糊锅底了，顶灯关掉", "顶灯关掉"),
        ("隔壁老赵头说外头零下八度，空调调到二十六度", "空调调到二十六度"),
        ("顶灯关掉，豆豆刚眯着呢", "顶灯关掉"),
        ("顶灯关掉豆豆刚眯着呢", "顶灯关掉"),
        ("床头灯照得我眯不着 给我灭了", "床头灯熄了"),
    ] {
        assert_eq!(commands(sentence), commands(told), "{sentence}");
    }
}

#[test]
fn what_may_bind_or_take_back_is_never_left_out() {
    for sentence in ["打开顶灯，算了", "等豆豆眯着，顶灯关掉", "要是豆豆眯着了，顶灯关掉", "豆豆说，打开顶灯"]
    {
        let read = parse(sentence, vocabulary(), &speaker());
        let moves = |o: &Order| matches!(o.action, Action::Verb(_)) && o.when.is_none();
        assert!(!matches!(&read, Parse::Orders(orders) if orders.iter().any(moves)), "{sentence}: {read:?}");
    }
}

#[test]
fn a_room_that_is_called_by_a_number_is_a_room_and_a_value_is_a_value() {
    let document = json!({
        "layout": ["大厅", {"name": "101"}, {"name": "202", "aliases": ["望山房"]}],
        "model": {"lamp": {"name": "lamp", "describe": "调光灯", "property": {
            "power": {"type": "bool"}, "cct": {"type": "uint", "min": 101, "max": 6500, "unit": "K", "describe": "色温"}}}},
        "devices": [
            {"id": "1", "name": "吊灯", "local": "101", "device": {"model": "lamp"}},
            {"id": "2", "name": "吊灯", "local": "202", "device": {"model": "lamp"}}
        ]
    });
    let (home, _) = crate::home::parse(&document).unwrap();
    let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
    let read = |sentence: &str| match parse(sentence, &vocabulary, &SpeakerContext::default()) {
        Parse::Orders(orders) => orders.iter().map(|o| encode(o, &vocabulary).to_string()).collect::<Vec<_>>(),
        other => panic!("{sentence}: {other:?}"),
    };
    for sentence in ["202的吊灯打开", "给202把吊灯打开", "二零二的吊灯打开", "望山房的吊灯打开"]
    {
        assert_eq!(read(sentence), ["打开-202-吊灯#Light#one"], "{sentence}");
    }
    assert_eq!(read("幺零一的吊灯打开"), ["打开-101-吊灯#Light#one"]);
    assert_eq!(read("望山房的吊灯色温调到202K"), ["设置色温=202K-202-吊灯#Light#one"]);
}

#[test]
fn a_name_that_nobody_knows_is_not_heard_as_something_to_do() {
    assert!(!matches!(parse("豆浆机开一下", vocabulary(), &speaker()), Parse::Orders(orders)
        if orders.iter().any(|o| matches!(o.action, Action::Step { .. }))));
}

#[test]
fn a_report_beside_seven_commands_silences_itself_alone() {
    let seven = "打开顶灯，关闭空调，打开床头灯，打开客厅的灯，关闭餐厅的灯，打开阳台的灯，关闭书房的灯";
    for report in ["昨天我关了空调", "炒藕片糊锅底了"] {
        let acting = |sentence: &str| {
            let Parse::Orders(orders) = parse(sentence, vocabulary(), &speaker()) else { panic!("{sentence}") };
            orders.into_iter().filter(|o| !matches!(o.action, Action::Unclear(_))).collect::<Vec<_>>()
        };
        assert_eq!(acting(&format!("{seven}，{report}")), acting(seven), "{report}");
        assert_eq!(acting(seven).len(), 7);
    }
}

#[test]
fn fifty_clauses_are_fifty_commands() {
    let fifty = ["开灯", "关灯"].repeat(25).join("，");
    let Parse::Orders(orders) = parse(&fifty, vocabulary(), &speaker()) else { panic!("{fifty}") };
    assert_eq!(orders.len(), 50);
    let beside = format!("{fifty}，昨天我关了空调");
    let Parse::Orders(orders) = parse(&beside, vocabulary(), &speaker()) else { panic!("{beside}") };
    assert_eq!(orders.iter().filter(|o| !matches!(o.action, Action::Unclear(_))).count(), 50);
}

#[test]
fn a_question_beside_a_command_is_asked_and_leaves_it_as_it_is() {
    for sentence in ["卧室的灯开着吗，打开客厅的空调", "打开客厅的空调，卧室的灯开着吗"] {
        let Parse::Orders(orders) = parse(sentence, vocabulary(), &speaker()) else { panic!("{sentence}") };
        assert!(matches!(orders[..], [Order { action: Action::Verb(_), .. }, Order { action: Action::Ask(_), .. }]));
    }
    // Of what, is said in the question: it is not done to anything else.
    for sentence in ["卧室的灯亮吗，调暗一点", "卧室的灯开着吗，没开就打开卧室的灯"] {
        let read = parse(sentence, vocabulary(), &speaker());
        assert!(
            !matches!(&read, Parse::Orders(orders) if orders.iter().any(|o| !o.action.moves_nothing())),
            "{read:?}"
        );
    }
}

//! What is said with pauses: a place before its things, what stays beside what is told, several questions and conditions, what is
//! taken back before something else is told.

use super::*;

/// The commands of a sentence in the living room of a family.
fn told(sentence: &str) -> Vec<String> {
    match at_home(sentence) {
        Parse::Orders(orders) => orders.iter().map(|o| encode(o, &FAMILY).to_string()).collect(),
        other => panic!("{sentence}: {other:?}"),
    }
}

#[test]
fn a_place_before_a_pause_is_that_of_the_things_behind_it() {
    for (sentence, told_so) in [
        ("主卧，空调关了", "主卧的空调关了"),
        ("主卧 空调和灯关了", "主卧的空调和主卧的灯关了"),
        ("主卧好热 空调打开", "打开主卧的空调"),
        ("儿童房好冷啊 空调调高两度", "儿童房的空调调高两度"),
        ("主卧的灯 空调 窗帘都关了", "主卧的灯和主卧的空调和主卧的窗帘都关了"),
        ("客厅 主卧 还有儿童房 灯统统给我关了", "客厅的灯和主卧的灯和儿童房的灯都关了"),
    ] {
        assert_eq!(told(sentence), told(told_so), "{sentence}");
    }
    // A list of places is none of things.
    assert_eq!(told("客厅和主卧的灯关了"), ["关闭-客厅,主卧-*#Light#all"]);
}

#[test]
fn what_stays_leaves_out_only_what_was_meant_and_makes_it_no_more() {
    for sentence in ["灯关了 空调不动", "灯都关了，空调不动", "把灯关了 空调留着", "灯关了空调不要关"]
    {
        assert_eq!(told(sentence).len(), 1, "{sentence}");
        assert!(told(sentence)[0].ends_with("-*-*#Light#all"), "{sentence}: {:?}", told(sentence));
    }
    let everywhere = |sentence: &str| match at_home(sentence) {
        Parse::Orders(orders) => orders[0].everywhere,
        other => panic!("{sentence}: {other:?}"),
    };
    for (sentence, home) in [
        ("灯关了 餐厅吊灯不动", false),
        ("灯都关了 大灯不动", false),
        ("灯都关了 餐厅吊灯不动", true),
        ("灯都关了 主卧不动", true),
        ("除了餐厅吊灯 灯都关了", true),
    ] {
        assert_eq!(everywhere(sentence), home, "{sentence}");
    }
}

#[test]
fn what_is_left_out_is_of_what_was_told_before_it_where_something_else_follows() {
    for sentence in ["全屋灯都关掉，就留大灯，电视关了", "灯都关了 除了大灯 电视也关了"] {
        let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}: {:?}", at_home(sentence)) };
        let left: Vec<usize> = orders.iter().map(|o| o.scope.exclude.len()).collect();
        assert_eq!(left, [1, 0], "{sentence}");
    }
    assert!(
        matches!(at_home("家里灯全关了吧，大灯留着，电视也都关"), Parse::Orders(orders) if orders[0].scope.exclude.len() == 1)
    );
}

#[test]
fn what_is_refused_of_one_thing_is_no_matter_of_another() {
    for (sentence, told_so) in [
        ("电视别关 灯关了", "灯关了"),
        ("空调先别开，把电视关了，窗帘拉上", "把电视关了，窗帘拉上"),
        ("厨房灯一会儿还用呢不关，电视关了", "电视关了"),
        ("加湿器等会儿再说 电视关了", "电视关了"),
        ("空调送风就行 别制冷了", "空调送风"),
    ] {
        assert_eq!(told(sentence), told(told_so), "{sentence}");
    }
    let alone = at_home("等会儿再说 别制冷了");
    assert!(!matches!(alone, Parse::Orders(_)), "{alone:?}");
    // A scene runs without it.
    let Parse::Orders(scene) = at_home("回家模式 大灯别开") else { panic!() };
    assert!(matches!(&scene[..], [order] if order.scope.exclude.len() == 1), "{scene:?}");
}

#[test]
fn questions_in_a_row_are_all_answered() {
    for (sentence, each) in [
        ("空调多少度 电视音量又是多少", ["空调多少度", "电视音量是多少"]),
        ("空调开着吗？电视呢", ["空调开着吗", "电视开着吗"]),
    ] {
        let each: Vec<String> = each.into_iter().flat_map(told).collect();
        assert_eq!(told(sentence), each, "{sentence}");
    }
    assert_eq!(told("客厅几度？湿度呢？").len(), 2);
}

#[test]
fn each_condition_guards_what_is_told_with_it() {
    let each = ["电视还开着的话关掉", "加湿器开着的话也关掉"];
    let apart: Vec<String> = each.into_iter().flat_map(told).collect();
    assert_eq!(told(&each.join(" ")), apart);
    assert_eq!(told("湿度低于五十加湿器就开三档，不低于就关掉"), told("湿度低于五十加湿器就开三档，否则把加湿器关掉"));
    assert_eq!(told("超过二十六度空调就关，没超就升两度")[3], "调高=2C-*-*#AirConditioner#all");
    let orders = told("灯关了，要是过了二十六度空调就开制冷");
    assert!(orders[0].starts_with("关闭"), "what is told before it depends on no condition: {orders:?}");
}

#[test]
fn what_is_done_later_leaves_alone_what_is_done_now() {
    for sentence in ["十分钟后关灯 现在先把电视关了", "明天早上七点打开窗帘 现在关上"] {
        let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}: {:?}", at_home(sentence)) };
        let waits: Vec<bool> = orders.iter().map(|o| o.when.is_some()).collect();
        assert_eq!(waits, [true, false], "{sentence}");
    }
    for (sentence, told_so) in
        [("明早七点还要赶地铁 不熬了 主卧的灯关掉", "主卧的灯关掉"), ("换气扇打开 洗完澡关掉", "换气扇打开")]
    {
        assert_eq!(told(sentence), told(told_so), "{sentence}");
    }
}

#[test]
fn what_is_taken_back_or_done_by_somebody_is_not_told() {
    for sentence in
        ["电视关了 算了别关 灯关了", "电视打开 别开了 灯关了", "空调我来关 你把灯关了", "我关了空调 你把灯关了"]
    {
        assert_eq!(told(sentence), told("灯关了"), "{sentence}");
    }
    for sentence in ["大灯关了的", "电热毯开一宿能不能着火啊"] {
        assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn a_thing_named_before_is_what_it_means_and_a_part_of_it_nobody_knows_is_not_the_thing() {
    assert_eq!(told("电视灭了它"), told("电视熄了"));
    assert_eq!(told("电视关了 加湿器也是 空调二十六度"), told("电视关了，加湿器关了，空调二十六度"));
    assert!(!told("加湿器 水箱盖关了 电视关了").iter().any(|order| order.contains("加湿器")));
    assert_eq!(told("光把大灯关了"), told("把大灯关了"));
    assert_eq!(told("爸爸的灯打开"), ["打开-*-爸爸的灯#Light#one"]);
    assert_eq!(told("奶奶的小太阳开二档 别开太大"), told("奶奶的小太阳开二档"));
    assert_eq!(told("快点儿把灯关了"), told("把灯关了"));
    assert_eq!(told("爸爸床头灯光暗一点"), told("爸爸床头灯暗一点"));
    assert_eq!(told("空调二十六度 电视声音别太大"), told("空调二十六度，电视声音小一点"));
    assert_eq!(told("大灯关了 算了太黑 电视关了"), told("电视关了"));
}

//! What waits for something, how things are and have become, and what is taken back or left open.

use super::super::super::action::Action;
use super::*;

#[test]
fn a_condition_on_anything_is_on_one_thing_wherever_it_is_said() {
    assert_eq!(commands("如果温度超过26度就打开空调")[0], "如果温度>26C-*-*#Unknown#one");
    assert_eq!(commands("如果客厅温度超过26度就打开空调")[0], "如果温度>26C-客厅-*#Unknown#one");
}

#[test]
fn a_comparison_before_what_is_told_is_its_condition() {
    for (sentence, guard) in [
        ("温度超过30度空调打开", "如果温度>30C-*-*#Unknown#one"),
        ("客厅湿度低于40 加湿器打开", "如果湿度<40-客厅-*#Unknown#one"),
        ("温度到26度关空调", "如果温度≥26C-*-*#Unknown#one"),
    ] {
        assert_eq!(commands(sentence)[0], guard, "{sentence}");
    }
    // Nobody knows of what.
    assert_eq!(at_home("超过1500加湿器打开"), Parse::Rejected(Rejection::Standing));
    // What is set is no condition.
    assert_eq!(commands("空调调到26度关灯").len(), 2);
}

#[test]
fn what_waits_for_what_comes_about_is_not_done_at_once() {
    for sentence in
        ["困了就把灯关了", "孩子睡了就把电视关了吧", "热水器烧到五十度就关", "声音大了就关掉", "电视看完关了"]
    {
        let waits = matches!(at_home(sentence), Parse::Rejected(Rejection::Standing | Rejection::Later));
        assert!(waits, "{sentence}: {:?}", at_home(sentence));
    }
    // 太 says that it is so, and a curtain stops where it is told to go.
    assert!(matches!(at_home("太热了就开空调"), Parse::Orders(_)));
    assert_eq!(commands("窗帘开到一半就停").len(), 1);
}

#[test]
fn what_has_become_too_much_is_to_be_less() {
    for (sentence, same) in [
        ("声音大了点", "声音小一点"),
        ("声音小了", "声音大一点"),
        ("温度低了点", "温度高一点"),
        ("客厅大灯亮了点", "客厅大灯暗一点"),
    ] {
        assert_eq!(commands(sentence), commands(same), "{sentence}");
    }
    // 灯亮了 tells that it is on.
    assert_eq!(at_home("灯亮了"), Parse::Rejected(Rejection::Aside));
}

#[test]
fn how_long_a_thing_has_been_so_says_why() {
    assert_eq!(commands("空调开了一天了关了吧").last(), commands("空调，关了吧").last());
    assert_eq!(commands("电视开了好久了关掉").last(), commands("电视，关掉").last());
    assert_eq!(at_home("电视开了好久了"), Parse::Rejected(Rejection::Aside));
}

#[test]
fn what_asks_whether_or_complains_tells_nothing() {
    for sentence in ["灯关不关", "空调不制冷", "空调制冷还是制热", "空调关了谁的主意"] {
        assert!(matches!(at_home(sentence), Parse::Rejected(_)), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn half_of_the_things_and_one_of_two_are_left_open() {
    let open = |sentence: &str| match at_home(sentence) {
        Parse::Orders(orders) => orders.iter().all(|o| matches!(o.action, Action::Unclear(_))),
        _ => false,
    };
    for sentence in ["一半的灯关了", "空调或者电视关了"] {
        assert!(open(sentence), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn what_is_given_up_by_its_name_leaves_the_rest() {
    assert_eq!(commands("晾衣架放下 空调打开 算了空调不用"), commands("晾衣架放下"));
    assert_eq!(commands("电视关了 不关了 灯打开"), commands("灯打开"));
    assert!(matches!(at_home("电视打开 算了 窗帘也别拉"), Parse::Rejected(_)));
}

#[test]
fn a_value_that_a_thing_has_so_far_is_not_set() {
    for (sentence, same) in [("亮度由八十降到五十", "亮度降到五十"), ("温度从二十六调到二十四", "温度调到二十四")]
    {
        assert_eq!(commands(sentence), commands(same), "{sentence}");
    }
}

#[test]
fn what_is_kept_of_a_kind_is_never_what_is_ended() {
    for sentence in ["就留个大灯 其他的都关掉", "灯留个大灯 其他的都关掉"] {
        let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}: {:?}", at_home(sentence)) };
        assert!(orders.iter().all(|o| !o.scope.exclude.is_empty()), "{sentence}: {orders:?}");
    }
}

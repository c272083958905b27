//! What is told of all others, and what can be set.

use super::*;
use crate::language::action::{Action, Ask};

#[test]
fn what_is_spared_of_what_was_named_first_is_left_out() {
    for (sentence, told) in [
        ("灯只留卧室的，其余的全关", "除了卧室的灯，其余灯全关"),
        ("灯只留卧室的，其余屋里灯全关", "除了卧室的灯，其余灯全关"),
        ("只留顶灯，别的灯不要", "只留顶灯，别的灯关掉"),
        ("客厅灯就留顶灯，其他关掉", "除了顶灯，其他客厅灯关掉"),
    ] {
        assert_eq!(commands(sentence), commands(told), "{sentence}");
    }
}

#[test]
fn of_others_that_stay_as_they_are_nothing_is_told() {
    for sentence in ["只留顶灯，其他灯不要关", "只留顶灯，别的灯别动"] {
        assert!(!matches!(parse(sentence, vocabulary(), &speaker()), Parse::Orders(_)), "{sentence}");
    }
}

#[test]
fn what_can_be_set_is_asked_for_and_not_what_is() {
    let ask = |sentence: &str| match parse(sentence, vocabulary(), &speaker()) {
        Parse::Orders(orders) => orders.into_iter().next().map(|order| order.action),
        _ => None,
    };
    for sentence in ["空调有哪些模式", "空调最高能调到多少度", "空调能开到几度", "空调最高几度"]
    {
        assert!(matches!(ask(sentence), Some(Action::Ask(Ask::Range(_)))), "{sentence}: {:?}", ask(sentence));
    }
    for sentence in ["空调是什么模式", "能不能看看空调几度", "空调几度"] {
        assert!(matches!(ask(sentence), Some(Action::Ask(Ask::Value(_)))), "{sentence}: {:?}", ask(sentence));
    }
}

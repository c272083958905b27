//! What shall not go on ends, and how late it is says why.

use super::*;
use crate::language::action::Action;

#[test]
fn what_shall_not_go_on_ends_where_the_thing_is_named() {
    for (sentence, told) in [
        ("顶灯别亮着了", "顶灯关掉"),
        ("床头灯不许再亮", "床头灯关掉"),
        ("空调不用吹了", "空调关掉"),
        ("别让顶灯亮着了", "顶灯关掉"),
        ("空调甭吹了，床头灯打开", "空调关掉，床头灯打开"),
    ] {
        assert_eq!(commands(sentence), commands(told), "{sentence}");
    }
}

#[test]
fn what_is_not_to_be_done_yet_or_by_a_thing_that_does_something_else_ends_nothing() {
    let moves = |sentence: &str| {
        let read = parse(sentence, vocabulary(), &speaker());
        matches!(&read, Parse::Orders(orders) if orders.iter().any(|o| matches!(o.action, Action::Verb(_))))
    };
    for sentence in ["顶灯不要开", "空调先别吹", "空调别洗了", "顶灯没亮", "顶灯别亮得太晚", "别亮了"]
    {
        assert!(!moves(sentence), "{sentence}");
    }
}

#[test]
fn how_late_it_is_is_no_time_of_what_is_told() {
    assert_eq!(commands("顶灯关掉，都十点了"), commands("顶灯关掉"));
    assert_eq!(commands("都十一点半了，顶灯关掉"), commands("顶灯关掉"));
    let Parse::Orders(orders) = parse("十点顶灯关掉", vocabulary(), &speaker()) else { panic!("a time is one") };
    assert!(orders.iter().all(|order| order.when.is_some()));
}

#[test]
fn what_is_wanted_is_told_with_its_verb() {
    assert_eq!(commands("要关的是顶灯"), commands("关顶灯"));
    assert!(!matches!(parse("我关的是顶灯", vocabulary(), &speaker()), Parse::Orders(_)));
}

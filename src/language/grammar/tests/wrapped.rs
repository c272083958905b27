//! Commands with what people say around them, and questions as people put them.

use super::*;
use crate::language::action::{Action, Ask};

fn asks(sentence: &str) -> Vec<Ask> {
    let Parse::Orders(orders) = parse(sentence, vocabulary(), &speaker()) else { panic!("{sentence}") };
    orders.into_iter().filter_map(|o| if let Action::Ask(ask) = o.action { Some(ask) } else { None }).collect()
}

#[test]
fn what_a_thing_was_set_to_is_asked_for_in_many_ways() {
    let set = asks("空调的设定温度是多少");
    for sentence in ["空调设的多少度", "空调定的几度", "空调调到多少度了", "空调设定了多少度"]
    {
        assert_eq!(asks(sentence), set, "{sentence}");
    }
    assert_ne!(asks("空调现在多少度"), set);
}

#[test]
fn a_verb_that_is_the_end_of_a_name_asks() {
    assert!(matches!(asks("门锁没锁")[..], [Ask::Is(_)]));
}

#[test]
fn what_follows_a_reason_is_told_unless_somebody_did_it() {
    assert_eq!(commands("妈妈说该睡觉了，所以顶灯关掉"), commands("顶灯关掉"));
    for told in ["太热了，所以我把空调打开了", "天黑了，所以顶灯开了"] {
        assert!(matches!(parse(told, vocabulary(), &speaker()), Parse::Rejected(_)), "{told}");
    }
}

#[test]
fn what_shall_not_go_on_ends_where_that_is_told() {
    for sentence in ["顶灯不用亮了，关掉", "顶灯别亮着，关掉", "顶灯不用亮了关掉"] {
        assert_eq!(commands(sentence), commands("顶灯关掉"), "{sentence}");
    }
    for refused in ["空调别给我关", "顶灯不用关", "顶灯别关掉"] {
        assert!(matches!(parse(refused, vocabulary(), &speaker()), Parse::Rejected(_)), "{refused}");
    }
}

#[test]
fn a_warning_after_a_command_changes_nothing() {
    assert_eq!(commands("打开空调，别对着人吹"), commands("打开空调"));
}

#[test]
fn what_was_meant_instead_is_said_at_once() {
    assert_eq!(commands("床头灯开一下，不是空调啊，是顶灯"), commands("顶灯开一下"));
}

#[test]
fn a_situation_is_of_the_room_that_is_said_by_its_class_or_pointed_at() {
    for (sentence, of) in
        [("寝室冷死了", 1), ("这书房闷到透不过气", 2), ("书房这空气也太闷了", 2), ("我刚进门，书房太冷了", 2)]
    {
        let parse = parse(sentence, vocabulary(), &speaker());
        assert!(matches!(parse, Parse::Situation { room: Some(room), .. } if room == of), "{sentence}: {parse:?}");
    }
}

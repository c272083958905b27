//! Everyday sentences that moved what nobody had asked for.

use super::*;
use crate::language::order::Target;

/// What an order of a sentence is about, where it has only one.
fn only_target(sentence: &str) -> Target {
    match at_home(sentence) {
        Parse::Orders(orders) if orders.len() == 1 => orders[0].target.clone(),
        other => panic!("{sentence}: {other:?}"),
    }
}

#[test]
fn what_stands_by_a_thing_is_neither_that_thing_nor_all_of_its_kind() {
    for sentence in ["电视旁边的灯关了", "洗衣机那儿的灯关一下", "鱼缸里的灯打开"] {
        assert!(matches!(only_target(sentence), Target::Text(..)), "{sentence}");
    }
    for sentence in ["打开鞋柜里的灯", "鞋柜上面的灯打开"] {
        assert_eq!(only_target(sentence).word(&FAMILY), Some("鞋柜"), "{sentence}");
    }
}

#[test]
fn what_shall_not_be_put_out_stays() {
    for sentence in
        ["客厅大灯不关了", "客厅大灯先不关了", "照明别动", "布帘拉上 不用了 外面阴天", "晾衣架放下来 唉不用 下着雨呢"]
    {
        assert!(matches!(at_home(sentence), Parse::Rejected(_)), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn what_is_turned_down_is_not_turned_off() {
    for (sentence, same) in [("小米电视关小声点", "小米电视小声点"), ("把客厅大灯关暗一点", "把客厅大灯调暗一点")]
    {
        assert_eq!(at_home(sentence), at_home(same), "{sentence}");
    }
    assert_eq!(at_home("把音量降一降"), at_home("把音量降"));
}

#[test]
fn when_something_else_is_is_no_time_of_an_order() {
    for sentence in ["八点开会 把小米电视关了", "都十点半了还不把小米电视关了", "昨晚三点才睡 把小米电视关了"]
    {
        let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}: {:?}", at_home(sentence)) };
        assert!(orders.iter().all(|order| order.when.is_none()), "{sentence}");
    }
    // Who wants to be called then may want this then as well.
    assert_eq!(at_home("八点叫醒我 把小米电视关了"), Parse::Rejected(Rejection::Aside));
    let Parse::Orders(orders) = at_home("八点把小米电视关了") else { panic!() };
    assert!(orders[0].when.is_some());
}

#[test]
fn what_comes_first_is_waited_for() {
    for sentence in ["看完电视关灯", "客人来的时候 把灯打开", "加湿器开一会儿就关", "洗完澡关热水器"]
    {
        assert!(matches!(at_home(sentence), Parse::Rejected(_)), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn who_supposes_that_something_is_so_asks() {
    for (sentence, same) in [("小米电视还开着吧", "小米电视还开着吗"), ("小米电视还关着吧", "小米电视还关着吗")]
    {
        assert_eq!(at_home(sentence), at_home(same), "{sentence}");
    }
    let same = at_home("小米电视要是开着就帮我关了");
    assert_eq!(at_home("小米电视还开着吧 开着就帮我关了"), same);
}

#[test]
fn a_room_that_is_pointed_to_is_never_that_of_the_speaker() {
    let same = at_home("奶奶睡了 把老人房的电热毯关了");
    assert!(matches!(same, Parse::Orders(_)), "{same:?}");
    assert_eq!(at_home("奶奶睡了 把她那屋的电热毯关了"), same);
    let Parse::Orders(orders) = at_home("她那边的灯关了") else {
        panic!("{:?}", at_home("她那边的灯关了"))
    };
    assert!(orders.iter().all(|order| !order.scope.include.is_empty()), "{orders:?}");
}

#[test]
fn no_lamp_is_heard_in_what_waits() {
    assert_eq!(at_home("等着啊 小米电视关了"), at_home("小米电视关了"));
}

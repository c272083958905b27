//! Sentences that name a thing and what could be done with it, and tell nothing: how it is found to be, what it did by itself, what comes of
//! it, what has to come first, what people say to each other.

use super::*;
use crate::language::order::Order;

fn moves_nothing(sentence: &str) {
    let read = at_home(sentence);
    let moves = |orders: &[Order]| orders.iter().any(|order| !order.action.moves_nothing());
    assert!(!matches!(&read, Parse::Orders(orders) if moves(orders)), "{sentence}: {read:?}");
}

fn same(sentence: &str, told: &str) {
    assert_eq!(at_home(sentence), at_home(told), "{sentence}");
}

#[test]
fn how_a_thing_is_found_to_be_is_not_told() {
    for sentence in [
        "客厅空调挺好的",
        "客厅空调二十度太冷了",
        "24度太冷了",
        "客厅空调开到二十六还是冷",
        "客厅空调调到二十四还是热",
        "客厅大灯开到最亮还是暗",
        "客厅空调26度刚好 不用动",
        "客厅空调已经26度了",
        "空调风不大吧",
        "小米电视开大了",
    ] {
        moves_nothing(sentence);
    }
    same("客厅空调26度有点冷 再高一度", "客厅空调再高一度");
    same("把客厅空调调到26度", "客厅空调调到26度");
    assert!(matches!(at_home("客厅空调太冷了 调高两度"), Parse::Orders(_)));
}

#[test]
fn what_a_thing_did_by_itself_is_not_told() {
    for sentence in ["洗衣机停了", "洗衣机停了 快去晾衣服", "客厅大灯灭了", "布帘拉到一半卡住了"]
    {
        moves_nothing(sentence);
    }
    for sentence in ["把洗衣机停了", "洗衣机停一下", "客厅大灯灭了吧"] {
        assert!(matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn what_comes_of_it_is_why_it_shall_not_be_so() {
    for sentence in [
        "客厅大灯关了看不见",
        "客厅空调关了好热",
        "布帘拉上太黑了",
        "把客厅大灯关了我怎么写作业",
        "打开布帘一看外面下雪了",
        "客厅大灯白一点我也看不进去书",
    ] {
        moves_nothing(sentence);
    }
    for sentence in ["把客厅大灯关了太刺眼", "把客厅大灯关了我要睡了", "把布帘拉上太晒了", "把小米电视关了吵死了"]
    {
        assert!(matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn what_has_to_come_first_is_waited_for() {
    for sentence in [
        "奶奶睡了再关小米电视",
        "等洗衣机停了再关灯",
        "温度降到26度再关客厅空调",
        "等下关小米电视",
        "洗完碗你就把小米电视关了",
        "天黑了你再把客厅大灯打开",
    ] {
        assert!(matches!(at_home(sentence), Parse::Rejected(Rejection::Later)), "{sentence}: {:?}", at_home(sentence));
    }
    for sentence in ["关了小米电视再关客厅大灯", "先关小米电视再关客厅大灯", "打开客厅空调再打开客厅大灯"]
    {
        assert!(matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
    }
}

#[test]
fn what_people_say_to_each_other_is_not_told() {
    for sentence in [
        "老头子你起来把小米电视关了",
        "果果 去把小米电视关了",
        "小米电视关了行不行 老公",
        "谢谢你把小米电视关了",
        "把小米电视关了用英语怎么说",
        "课文里写的 关上窗 点亮灯",
        "先不管灯",
        "你小声点",
        "开始写作业",
    ] {
        moves_nothing(sentence);
    }
    same("先不管灯 把布帘拉上", "把布帘拉上");
    same("打扫呢客厅大灯开亮点", "客厅大灯开亮点");
}

#[test]
fn what_counts_or_belongs_to_something_else_is_no_value_and_no_device() {
    for sentence in ["小米电视换一个台", "小米电视换成七十五寸的", "洗衣机门打开", "沙发那两个灯打开", "灯再开一个"]
    {
        moves_nothing(sentence);
    }
    same("客厅空调二十 六度", "客厅空调二十六度");
    same("布帘关八成", "布帘开两成");
}

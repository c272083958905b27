//! The words of the country's regions, as a recogniser writes them.

use super::*;

#[test]
fn the_verbs_and_endings_of_a_region_tell_what_those_of_the_standard_do() {
    for (sentence, told) in [
        ("把顶灯关咖", "把顶灯关了"),
        ("顶灯熄埋佢", "顶灯关了"),
        ("顶灯闭喽", "顶灯关了"),
        ("顶灯关脱伊", "顶灯关了"),
        ("把顶灯给俺关了唻", "把顶灯关了"),
        ("顶灯整着", "顶灯打开"),
        ("空调搁到二十四度", "空调调到二十四度"),
        ("空调扳到二十四度哒", "空调调到二十四度"),
        ("空调添两度", "空调加两度"),
        ("老伙计拧暗点", "老伙计调暗点"),
        ("顶灯跟床头灯一堆儿关喽", "顶灯跟床头灯一起关了"),
    ] {
        assert_eq!(commands(sentence), commands(told), "{sentence}");
    }
}

#[test]
fn every_region_has_its_word_for_a_little() {
    for little in ["啲", "一滴子", "一眼眼", "一星星", "一捏捏", "一丝丝", "一丁点儿", "点子"] {
        assert_eq!(commands(&format!("老伙计调暗{little}")), commands("老伙计调暗一点"), "{little}");
    }
}

#[test]
fn a_word_before_how_something_shall_be_sets_it_only_where_it_is_said_how_much() {
    assert_eq!(commands("空调较高两度"), commands("空调调高两度"));
    assert_eq!(commands("空调较到二十四度"), commands("空调调到二十四度"));
    assert_eq!(commands("老伙计较暗啲"), commands("老伙计调暗点"));
    assert_eq!(commands("空调高上两度"), commands("空调高两度"));
    assert_eq!(commands("空调低多一度"), commands("空调低一度"));
    for told_of in ["客厅较暗", "湿度较高", "空调温度较低"] {
        assert!(!matches!(parse(told_of, vocabulary(), &speaker()), Parse::Orders(_)), "{told_of}");
    }
}

#[test]
fn which_room_and_whether_are_asked_in_every_region() {
    for (sentence, asked) in [
        ("看看哪屋的灯还亮着", "看看哪个屋的灯还亮着"),
        ("哪屋空调还没关嘞", "哪个屋空调还没关"),
        ("边间房仲开住灯", "哪个房间还开着灯"),
        ("顶灯关冇", "顶灯关没"),
        ("顶灯关了木有", "顶灯关了没有"),
        ("顶灯关脱了伐", "顶灯关掉了吗"),
        ("得是顶灯开着", "是不是顶灯开着"),
    ] {
        assert_eq!(commands(sentence), commands(asked), "{sentence}");
    }
}

#[test]
fn every_region_refuses_in_its_own_words() {
    for refused in ["顶灯毋关", "顶灯唔好熄", "嫑关顶灯", "白关顶灯", "莫忙关顶灯", "床头灯莫关哈"]
    {
        assert!(!matches!(parse(refused, vocabulary(), &speaker()), Parse::Orders(_)), "{refused}");
    }
}

#[test]
fn nobody_is_asked_who_did_what_is_undone_in_the_same_breath() {
    assert_eq!(commands("空调谁开的关了"), commands("空调关了"));
    assert_eq!(commands("卧室的空调谁开嘞关喽关喽"), commands("卧室的空调关了"));
}

#[test]
fn the_half_that_is_pointed_to_is_no_value() {
    let halves = |order: &crate::language::order::Order| encode(order, vocabulary()).to_string().contains("50%");
    let read = parse("空调那半加两度", vocabulary(), &speaker());
    assert!(!matches!(&read, Parse::Orders(orders) if orders.iter().any(halves)), "{read:?}");
}

//! What is meant of several, instead of another or of all but some, and what was done already.

use super::*;

fn is_refused(sentence: &str) -> bool {
    matches!(parse(sentence, vocabulary(), &speaker()), Parse::Rejected(_))
}

#[test]
fn what_is_meant_is_told_beside_what_is_not() {
    assert_eq!(commands("不是关顶灯，是让你打开空调"), commands("打开空调"));
    assert_eq!(commands("我说的是打开空调，不是关顶灯"), commands("打开空调"));
    assert_eq!(commands("空调不是关，是打开"), commands("空调打开"));
}

#[test]
fn only_one_of_all_that_was_said_first_is_meant() {
    assert_eq!(commands("客厅的灯只关顶灯"), commands("关顶灯"));
    assert_eq!(commands("空调只关卧室的那台"), commands("关卧室的那台空调"));
}

#[test]
fn what_stays_on_is_set_as_well() {
    assert_eq!(commands("顶灯留着调到三十"), commands("顶灯调到三十"));
}

#[test]
fn what_was_done_is_told_of() {
    for sentence in ["屋里够暖了空调我关了", "空调我也关的", "空调打开过了"] {
        assert!(is_refused(sentence), "{sentence}");
    }
}

#[test]
fn who_shall_not_go_on_being_so_ends() {
    assert_eq!(commands("顶灯别亮着"), commands("关闭顶灯"));
    assert!(is_refused("先别开着顶灯"));
}

#[test]
fn a_while_of_rest_is_no_time() {
    assert_eq!(commands("空调关掉，我要眯一会儿"), commands("空调关掉"));
}

#[test]
fn exclusions_are_understood_in_every_order() {
    for sentence in
        ["把客厅以外的灯都关了", "灯都关了，客厅的不要动", "灯全关了，客厅的留着", "除了客厅，其他房间的灯都关掉"]
    {
        assert_eq!(commands(sentence), ["关闭-*,!客厅-*#Light#except"], "{sentence}");
    }
    assert_eq!(commands("灯都关了，卧室的顶灯不要关"), ["关闭-*,!卧室顶灯-*#Light#except"]);
}

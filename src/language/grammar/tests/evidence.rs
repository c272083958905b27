//! What a reading leaves unexplained counts against it.

use super::*;

/// Nothing moves.
fn holds_still(sentence: &str) {
    let parse = parse(sentence, vocabulary(), &speaker());
    assert!(!matches!(parse, Parse::Orders(_)), "{sentence}: {parse:?}");
}

#[test]
fn a_compound_is_not_heard_as_a_thing_and_an_action() {
    for sentence in ["灯箱打开", "灯串打开"] {
        holds_still(sentence);
    }
}

#[test]
fn a_misheard_action_is_still_heard() {
    assert_eq!(commands("空条打开"), ["打开-*-*#AirConditioner#all"]);
}

#[test]
fn a_correction_keeps_what_nobody_knew_of_what_it_corrects() {
    holds_still("猫粮机份数改成四份，说错了，两份");
}

#[test]
fn the_lamp_of_a_thing_that_is_not_here_is_no_lamp_of_the_room() {
    for sentence in ["浴霸的照明打开", "油烟机上头那个照明打开"] {
        let commands = commands(sentence);
        assert!(commands.iter().all(|c| !c.contains("-*-*#Light") && !c.contains("@last")), "{commands:?}");
    }
}

#[test]
fn a_strange_thing_that_is_pointed_at_takes_its_value_along() {
    holds_still("蛋分，嗯，蛋分那个，调四档");
}

#[test]
fn a_complaint_says_what_its_value_is_for() {
    assert_eq!(commands("空调太热了给我拧到一档"), ["设置=1档-*-*#AirConditioner#all"]);
}

#[test]
fn what_a_story_tells_of_a_speaker_is_talk() {
    assert_eq!(rejection("麻烦把空调开大一点，她喊道"), Rejection::Aside);
}

#[test]
fn a_consequence_is_of_what_its_condition_is_about() {
    let commands = commands("空调温度超过28度就调成制冷");
    assert!(commands.last().unwrap().contains("@last"), "{commands:?}");
}

#[test]
fn of_talk_that_names_a_time_nobody_asks_when() {
    assert_eq!(rejection("楼上那家半夜还在搓麻将"), Rejection::Talk);
    assert_eq!(commands("写了一天材料眼睛疼，空调调到26度"), ["设置温度=26C-*-*#AirConditioner#all"]);
}

#[test]
fn who_did_something_is_asked_of_people() {
    assert_eq!(rejection("谁去开一下灯"), Rejection::Chatter);
}

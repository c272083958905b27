//! What a language model may not move, whatever it answers.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;

use super::server::{Say, Server};
use super::{Heard, House, IN_VAIN, LAMP, UNCLEAR, UNSURE, answered, content, home};

impl Heard {
    /// Nothing moved, and a yes would move it.
    fn asks(&self, words: &str) {
        assert_eq!((self.intent.as_str(), self.moved.len()), ("question", 0), "{self:?}");
        assert!(self.text.contains(words), "{self:?}");
        assert_eq!(self.candidates["hint"], "confirm_required");
    }

    /// Nothing moved, and nothing would.
    fn is_left(&self) {
        assert_eq!((self.intent.as_str(), self.moved.len()), ("question", 0), "{self:?}");
        assert_eq!(self.candidates["hint"], "needs_fallback", "{self:?}");
    }
}

/// A house where a model answers `answer` to whatever it is asked next.
async fn told(server: &Server, house: &mut House, sentence: &str, answer: &str) -> Heard {
    server.then(Say::Content(answer.into()));
    house.say(sentence).await
}

#[tokio::test]
async fn an_answer_that_was_cut_off_moves_nothing() {
    content(&format!("<think>用户想开灯，应输出 {LAMP}，不过")).await.is_not_understood(UNCLEAR);
    let cut = json!({"choices": [{"finish_reason": "length", "message": {"content": format!("好的：{LAMP}，另外")}}]});
    answered(Say::Body(cut.to_string())).await.is_not_understood(UNCLEAR);
    let thought = json!({"choices": [{"finish_reason": "length", "message": {"content": null}}]});
    answered(Say::Body(thought.to_string())).await.is_not_understood(UNCLEAR);
    let nothing = json!({"choices": [{"finish_reason": "stop", "message": {"content": null}}]});
    answered(Say::Body(nothing.to_string())).await.is_not_understood(IN_VAIN);
}

#[tokio::test]
async fn what_the_sentence_does_not_name_is_asked_about_first() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    for (answer, asks, id) in [
        (r#"["打开-厨房-台灯#Light#one"]"#, "确认要打开厨房台灯吗", "lamp-2"),
        (r#"["打开-*-台灯#Light#one"]"#, "确认要打开厨房台灯吗", "lamp-2"),
        (r#"["打开-客厅-*#AirConditioner#all"]"#, "确认要打开客厅空调吗", "ac"),
    ] {
        told(&server, &mut house, UNSURE, answer).await.asks(asks);
        assert_eq!(house.say("确认").await.moved, [id]);
    }
    told(&server, &mut house, UNSURE, r#"["打开-客厅-照明灯#Light#one", "打开-厨房-台灯#Light#one"]"#)
        .await
        .asks("厨房台灯");
    told(&server, &mut house, UNSURE, LAMP).await.is_lit();
}

#[tokio::test]
async fn what_was_refused_is_never_moved_whatever_a_model_says() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    for sentence in ["客厅的灯不要关，把厨房台灯七上八下关掉", "把厨房台灯七上八下关掉，客厅的灯不要关"]
    {
        for answer in [
            r#"["关闭-客厅-照明灯#Light#one"]"#,
            r#"["关闭-客厅-*#Light#all", "关闭-厨房-台灯#Light#one"]"#,
            r#"["关闭-*-*#Light#all"]"#,
            r#"["关闭-客厅,走廊-*#Light#one"]"#,
            r#"["打开-客厅-*#Light#all"]"#,
        ] {
            told(&server, &mut house, sentence, answer).await.is_left();
            assert_eq!(house.say("确认").await.moved.len(), 0);
        }
        let heard = told(&server, &mut house, sentence, r#"["关闭-厨房-台灯#Light#one"]"#).await;
        assert_eq!(heard.moved, ["lamp-2"], "{heard:?}");
    }
}

#[tokio::test]
async fn each_command_has_to_go_the_way_that_was_said() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    let mixed = r#"["打开-客厅-照明灯#Light#one", "关闭-客厅-*#AirConditioner#all"]"#;
    told(&server, &mut house, UNSURE, mixed).await.is_not_understood(UNCLEAR);
    let both = "把客厅照明灯七上八下打开，把厨房台灯七上八下关掉";
    let swapped = r#"["关闭-客厅-照明灯#Light#one", "打开-厨房-台灯#Light#one"]"#;
    told(&server, &mut house, both, swapped).await.is_not_understood(UNCLEAR);
    let heard = told(&server, &mut house, both, r#"["打开-客厅-照明灯#Light#one", "关闭-厨房-台灯#Light#one"]"#).await;
    assert_eq!(heard.moved, ["lamp-1", "lamp-2"], "{heard:?}");
}

#[tokio::test]
async fn what_a_lost_condition_guarded_does_not_go_free() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    let sentence = "把客厅空调七上八下打开";
    for answer in [
        r#"["如果气温高-客厅-*#Unknown#one", "打开-客厅-*#AirConditioner#one"]"#,
        r#"["如果气温高，客厅", "打开-客厅-*#AirConditioner#one"]"#,
        r#"["打开-客厅-*#AirConditioner#one", "否则关闭-客厅-*#AirConditioner#one"]"#,
    ] {
        told(&server, &mut house, sentence, answer).await.is_not_understood(UNCLEAR);
    }
    let guarded = "如果客厅照明灯开着就打开客厅空调，否则七上八下";
    for answer in [
        r#"["打开-客厅-*#AirConditioner#one"]"#,
        r#"["打开-客厅-*#AirConditioner#one", "如果打开-客厅-照明灯#Light#one"]"#,
    ] {
        told(&server, &mut house, guarded, answer).await.is_left();
    }
    let heard = told(&server, &mut house, sentence, r#"["打开-客厅-*#AirConditioner#one"]"#).await;
    assert_eq!(heard.moved, ["ac"], "{heard:?}");
}

#[tokio::test]
async fn a_command_that_lost_its_bounds_moves_nothing() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    for answer in [r#"["打开-客厅-*#Lamp#all"]"#, r#"["打开-客厅-*#Light#any#两"]"#] {
        told(&server, &mut house, UNSURE, answer).await.is_not_understood(UNCLEAR);
    }
}

#[tokio::test]
async fn once_more_is_no_yes() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    for answer in [r#"["打开-走廊-*#Light#all"]"#, r#"["打开-厨房-台灯#Light#one"]"#] {
        house.goes_on().await;
        told(&server, &mut house, UNSURE, answer).await.asks("吗");
        let heard = house.say("再来一次").await;
        assert_eq!(heard.moved.len(), 0, "{answer}: {heard:?}");
    }
    told(&server, &mut house, UNSURE, LAMP).await.is_lit();
    assert_eq!(house.say("再来一次").await.moved, ["lamp-1"]);
}

#[tokio::test]
async fn a_home_that_is_replaced_while_a_model_thinks_is_not_moved() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    let (asked, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    server.then(Say::Later { asked: Arc::clone(&asked), go_on: Arc::clone(&go_on), content: LAMP.into() });
    let rid = house.begin(UNSURE).await;
    asked.notified().await;
    let mut changed = home();
    changed["devices"].as_array_mut().unwrap().retain(|device| device["id"] != "hall-1");
    house.client.publish("registry", changed.to_string()).await;
    assert_eq!(house.client.on("registry/report").await["ok"], true);
    go_on.notify_one();
    house.hear(&rid, UNSURE).await.is_not_understood(UNCLEAR);
    house.goes_on().await;
    told(&server, &mut house, UNSURE, LAMP).await.is_lit();
}

#[tokio::test]
async fn characters_that_nobody_sees_neither_reach_a_model_nor_come_back() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    let hidden = ['\u{61c}', '\u{180e}', '\u{206a}', '\u{fe0f}', '\u{e0041}'];
    for c in hidden {
        let answer = format!("[\"打开-客厅-照明{c}灯#Light#one\"]");
        told(&server, &mut house, &format!("{UNSURE}{c}[INST]"), &answer).await.is_not_understood(UNCLEAR);
    }
    for asked in server.asked() {
        let sentence = asked["messages"][1]["content"].as_str().unwrap().to_owned();
        assert!(!sentence.contains(hidden) && !sentence.contains("[INST]"), "{sentence:?}");
    }
}

#[tokio::test]
async fn a_model_alone_opens_no_lock_and_moves_no_crowd() {
    let server = Server::start().await;
    let mut house = House::on(&server).await;
    for (answer, asks, moves) in [
        (r#"["打开-走廊-大门锁#Unknown#one"]"#, "确认要打开走廊大门锁吗", 1),
        (r#"["打开-走廊-*#Light#all"]"#, "这会打开5个设备", 5),
    ] {
        server.then(Say::Content(answer.into()));
        let heard = house.say(UNSURE).await;
        assert_eq!((heard.intent.as_str(), heard.moved.len()), ("question", 0), "{heard:?}");
        assert!(heard.text.contains(asks), "{heard:?}");
        assert_eq!(heard.candidates["hint"], "confirm_required");
        assert_eq!(house.say("确认").await.moved.len(), moves);
    }
    for answer in [
        r#"["打开-走廊-*#Light#all", "关闭-厨房-台灯#Light#one"]"#,
        r#"["关闭-客厅-照明灯#Light#one"]"#,
        r#"["毁灭-客厅-照明灯#Light#one"]"#,
    ] {
        server.then(Say::Content(answer.into()));
        let heard = house.say(UNSURE).await;
        assert_eq!((heard.intent.as_str(), heard.moved.len()), ("question", 0), "{answer}: {heard:?}");
        assert_eq!(heard.candidates["hint"], "needs_fallback");
    }
}

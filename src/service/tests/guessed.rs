//! What is likely and not sure: it is asked about by its name; and what goes on from the turn before.

use std::sync::Arc;

use serde_json::{Value, json};

use super::everyday::home_of;
use super::speech::told_by;
use crate::ranker::Ranker;

/// What moves after the last of some turns, and what is said to it.
async fn told(home: &str, local: &str, turns: &[&str]) -> (Value, String) {
    let ranker = Ranker::shipped().map(Arc::new).ok();
    assert!(ranker.is_some());
    let (moved, said) = told_by(ranker, &home_of(home), local, turns).await;
    (moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect(), said)
}

async fn held(cases: &[(&str, &str, &[&str], Value)]) {
    for (home, local, turns, wanted) in cases {
        let (moved, said) = told(home, local, turns).await;
        assert_eq!(&moved, wanted, "{turns:?}: {said}");
    }
}

#[tokio::test]
async fn what_is_only_likely_is_asked_about_by_name_and_a_yes_does_it() {
    let sentence = "按摩椅嗯给我整那个专门按腰的";
    let asked = told("tb-1", "客厅", &[sentence]).await;
    assert_eq!(asked, (json!({}), "你是要把客厅按摩椅调成腰部程序吗？".to_owned()));
    held(&[
        ("tb-1", "客厅", &[sentence, "嗯"], json!({"chair": {"program": "waist"}})),
        ("tb-1", "客厅", &[sentence, "不用了"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_somebody_unknown_has_is_not_guessed_to_be_anything_of_this_home() {
    for sentence in ["小明的空调打开", "小明那屋的空调打开", "小明那间空调打开"] {
        let (moved, said) = told("ta-1", "客厅", &[sentence]).await;
        assert!(moved == json!({}) && said.starts_with("没听明白"), "{sentence}: {said}");
    }
}

#[tokio::test]
async fn that_something_is_not_enough_is_no_question() {
    held(&[("ta-2", "卧室", &["水不够烫热水器加到六十五"], json!({"wh": {"target": 65}}))]).await;
}

#[tokio::test]
async fn a_room_is_called_after_its_owner_in_more_than_one_way() {
    held(&[
        ("ta-1", "客厅", &["石头那间的空调关掉"], json!({"ac-st": {"power": false}})),
        ("ta-1", "客厅", &["石头那个屋的空调关掉"], json!({"ac-st": {"power": false}})),
        (
            "tb-2",
            "客厅",
            &["全屋空调关掉，老周的留着别动"],
            json!({"ac-kt": {"power": false}, "ac-k": {"power": false}}),
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_value_that_is_called_like_a_time_is_a_value_where_it_is_set() {
    for sentence in ["灯带调成日落", "灯带换日落"] {
        let (moved, said) = told("tb-2", "客厅", &[sentence]).await;
        assert_eq!(moved["led-kt"]["effect"], "sunset", "{sentence}: {said}");
    }
    held(&[("tb-2", "客厅", &["日落的时候打开灯带"], json!({}))]).await;
}

#[tokio::test]
async fn a_step_goes_on_its_way_and_what_is_like_it_is_what_is_called_like_it() {
    held(&[
        ("tb-2", "阿凯房", &["空调整低一度", "再来一度"], json!({"ac-k": {"temperature": 22}})),
        ("tb-2", "阿凯房", &["空调高一度", "再来两度"], json!({"ac-k": {"temperature": 27}})),
        ("tb-2", "小林房", &["小林挂灯暗一点", "阿凯的也是"], json!({"bar-k": {"level": 50}})),
        ("ta-1", "阳台", &["防皱打开", "启动吧"], json!({"dry": {"run": "start"}})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_named_in_a_comment_is_what_is_told() {
    let (moved, said) = told("yb-1", "三楼婷婷房", &["台灯刺眼睛，调暗一点"]).await;
    assert_eq!(moved, json!({"ting-desk": {"level": 50}}), "{said}");
    held(&[
        ("ta-1", "书房", &["台灯太亮了暗点儿"], json!({"l-desk": {"bright": 30}})),
        ("ta-1", "石头房", &["恐龙灯我要紫色", "它太亮了暗一点"], json!({"l-dino": {"bright": 30}})),
    ])
    .await;
    held(&[("yd-1", "主人房", &["风扇转起来，三档，灯别动"], json!({"mb-fan": {"fan": true, "speed": 3}}))]).await;
}

#[tokio::test]
async fn a_quantity_is_called_without_the_word_for_what_it_measures() {
    for sentence in ["壁挂炉采暖六十", "壁挂炉采暖调到六十"] {
        let (moved, said) = told("w13-b", "灶屋", &[sentence]).await;
        assert!(moved == json!({}) && said == "确认要把灶屋壁挂炉调到60吗？", "{sentence}: {said}");
    }
}

#[tokio::test]
async fn how_loud_something_is_is_not_what_it_plays() {
    held(&[
        ("ta-2", "卧室", &["白噪音机小点声"], json!({"wn": {"volume": 15}})),
        ("ta-2", "卧室", &["白噪音机换成篝火"], json!({"wn": {"sound": "fire", "power": true}})),
        ("ta-2", "工作室", &["白噪音机打开", "小点声"], json!({"wn": {"volume": 15}})),
    ])
    .await;
}

#[tokio::test]
async fn of_what_nobody_knows_no_room_tells_how_warm_it_is() {
    for sentence in ["窑现在多少度", "窑里凉到多少度了啊"] {
        let (moved, said) = told("ta-2", "卧室", &[sentence]).await;
        assert!(moved == json!({}) && !said.contains('度'), "{sentence}: {said}");
    }
    let (_, said) = told("ta-2", "卧室", &["电窑多少度"]).await;
    assert_eq!(said, "窑房电窑的窑内温度是312度。");
}

#[tokio::test]
async fn in_which_rooms_something_is_on_and_how_long_it_takes_is_told_however_it_is_asked() {
    for (sentence, wanted) in [
        ("哪几间屋里的空调还开着", "开着的空调在客厅和石头房。"),
        ("哪几间房的空调还开着", "开着的空调在客厅和石头房。"),
        ("洗衣机还要好久才洗得完", "阳台洗衣机的剩余时间是27分钟。"),
    ] {
        let (_, said) = told("ta-1", "客厅", &[sentence]).await;
        assert_eq!(said, wanted, "{sentence}");
    }
    held(&[(
        "tb-1",
        "客厅",
        &["欣欣屋和浩浩屋的地暖各加一度"],
        json!({"fh-xx": {"target": 22}, "fh-hh": {"target": 20}}),
    )])
    .await;
}

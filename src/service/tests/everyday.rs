//! What people say all day, in homes that families named.

use serde_json::{Value, json};

use super::speech::told_by;

/// A home of the suites.
pub(super) fn home_of(home: &str) -> Value {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let file = ["homes", "corpus/homes"].map(|folder| root.join(folder).join(format!("{home}.json")));
    let file = file.into_iter().find(|file| file.exists()).unwrap();
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// What the last turn moves in a home of the suites, device by device.
async fn moves(home: &str, local: &str, turns: &[&str]) -> Value {
    let (moved, _) = told_by(None, &home_of(home), local, turns).await;
    moved.into_iter().map(|(id, state)| (id, Value::Object(state.into_iter().collect()))).collect()
}

pub(super) async fn held(cases: &[(&str, &str, &[&str], Value)]) {
    for (home, local, turns, wanted) in cases {
        assert_eq!(&moves(home, local, turns).await, wanted, "{home}: {turns:?}");
    }
}

#[tokio::test]
async fn what_was_told_just_now_ends_as_people_say_it() {
    held(&[
        ("qa", "阳台", &["晾衣架放下来", "别放了，停在这"], json!({"q-rk": {"action": "stop"}})),
        ("qa", "客厅", &["窗帘关起", "莫关了 停"], json!({"q-kc": {"action": "stop"}})),
        ("qa", "书房", &["风扇开起 摇头 三档", "不摇了"], json!({"q-sf": {"swing": false}})),
        ("pa-2", "婴儿房", &["摇篮打开", "别摇了 宝宝睡了"], json!({"e-cr": {"power": false}})),
        ("qa", "阳台", &["晾衣架降下来", "行了不要动了"], json!({"q-rk": {"action": "stop"}})),
        ("qa", "阳台", &["晾衣架降下来", "到这就行"], json!({"q-rk": {"action": "stop"}})),
        ("qa", "客厅", &["窗帘关上", "可以了 谢谢"], json!({"q-kc": {"action": "stop"}})),
        ("qa", "客厅", &["窗帘关上", "不用再关了"], json!({"q-kc": {"action": "stop"}})),
        ("qa", "客厅", &["窗帘关上", "不用关了"], json!({"q-kc": {"action": "open"}})),
        // Nothing is on its way any more.
        ("qa", "客厅", &["窗帘开一半", "可以了"], json!({})),
        ("qa", "客厅", &["扫地机去扫地", "可以了"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_has_degrees_is_turned_where_it_stands_and_nothing_else() {
    held(&[
        ("nf-1", "大卧室", &["电热毯开一档", "热一点"], json!({"t-bk": {"level": 2}})),
        ("w26-a", "姥爷屋", &["按摩椅换指压", "太疼了轻点儿"], json!({"chair": {"strength": 2}})),
        ("rb-1", "卫生间", &["浴霸开强暖", "弱一点"], json!({"bath": {"heat": "low"}})),
        ("family", "客厅", &["窗帘拉上", "大声点"], json!({"tv": {"volume": 28}})),
    ])
    .await;
}

#[tokio::test]
async fn a_feature_ends_and_not_its_thing() {
    held(&[
        ("w25-c", "客厅", &["地暖不防冻了"], json!({"floor": {"antifreeze": false}})),
        ("kc-1", "客厅", &["空调别扫了"], json!({"a-ac1": {"swing_v": false, "swing_h": false}})),
        ("family", "客厅", &["布帘别拉"], json!({})),
        ("lf-2", "阳台", &["烘干机别响了"], json!({})),
        ("w26-a", "厨房", &["烤箱锁上"], json!({"oven": {"lock": true}})),
        ("nf-1", "卫生间", &["热水器速热 水温五十五"], json!({"t-wh": {"boost": true, "temperature": 55}})),
    ])
    .await;
}

#[tokio::test]
async fn what_shall_stay_stays_and_what_nobody_knows_could_be_anything() {
    held(&[
        ("nb-2", "主卧", &["关灯 留床头灯"], json!({"b-ml": {"power": false}})),
        (
            "w22-a",
            "客厅",
            &["把所有空调关了 小宇屋的留着"],
            json!({"ac_lv": {"power": false}, "ac_mb": {"power": false}}),
        ),
        ("oa-1", "客厅", &["把所有空调关了 小宇屋的留着"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_others_are_told_have_or_do_moves_nothing() {
    held(&[
        ("w22-a", "厨房", &["小宇 去把客厅的电视关了 别看了"], json!({})),
        ("w22-a", "玄关", &["你回来了"], json!({})),
        ("rb-1", "客厅", &["三楼那家又把音箱开到最大 烦死"], json!({})),
        ("me-1", "书房", &["写完作业把台灯关了哈 早点睡"], json!({})),
        ("family", "客厅", &["等客人来了 把灯都打开"], json!({})),
        ("nf-1", "大卧室", &["电热毯三档烫得慌"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn a_scene_runs_without_what_is_spared_of_it() {
    let without = |left: &[&str]| {
        let mut scene = json!({
            "q-kd": {"power": false}, "q-fz": {"power": false}, "q-tv": {"power": false}, "q-kk": {"power": false},
            "q-sw": {"run": "start"},
        });
        left.iter().for_each(|id| drop(scene.as_object_mut().unwrap().remove(*id)));
        scene
    };
    held(&[
        ("qa", "客厅", &["出门模式 空调别关"], without(&["q-kk"])),
        ("qa", "客厅", &["出门模式 但是扫地机不要开"], without(&["q-sw"])),
        ("qa", "客厅", &["我走了 出门模式 除了电视"], without(&["q-tv"])),
        ("qa", "客厅", &["出门模式 电视和空调留着"], without(&["q-tv", "q-kk"])),
        ("qa", "客厅", &["出门模式空调别关"], without(&["q-kk"])),
        ("qa", "客厅", &["出门模式 空调别关 电视也别关"], without(&["q-tv", "q-kk"])),
        // It leaves the curtain alone anyway.
        ("qa", "客厅", &["出门模式 窗帘别动"], without(&[])),
        ("qa", "客厅", &["出门模式 算了"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_comes_in_place_of_another_thing_is_switched_on() {
    held(&[
        ("sa-1", "爷爷房", &["把这个电扇关了 换空调"], json!({"w-yf": {"power": false}, "w-ya": {"power": true}})),
        ("ra-1", "客厅", &["扫地机拖地的水量改成小"], json!({"robot": {"water": "low"}})),
    ])
    .await;
}

#[tokio::test]
async fn a_scene_that_is_called_like_what_others_do_is_not_run_for_that() {
    held(&[
        ("family", "玄关", &["你回来啦 吃饭没"], json!({})),
        ("family", "玄关", &["他们都出门了 就我一个人在家"], json!({})),
        ("family", "玄关", &["我回来啦"], json!({"shoe": {"power": true}, "led-main": {"power": true}})),
    ])
    .await;
}

#[tokio::test]
async fn rooms_are_called_after_whose_they_are_in_every_way() {
    held(&[
        ("family", "客厅", &["爸妈屋空调打开"], json!({"ac-mb": {"power": true}})),
        ("w22-a", "客厅", &["扫地机去小宇屋里头扫一下"], json!({"vac": {"action": "start", "area": "kid"}})),
        ("oa-1", "客厅", &["灯都关了 留着灯带"], json!({"w-kl": {"power": false}, "w-kf": {"power": false}})),
        ("family", "厨房", &["火开大点"], json!({})),
    ])
    .await;
}

#[tokio::test]
async fn what_is_told_beside_talk_is_not_lost_for_it() {
    held(&[
        ("ha-2", "客厅", &["声音大点 听不清他说什么"], json!({"proj": {"volume": 23}})),
        ("nd-1", "主卧", &["你没听见 把窗帘打开吧"], json!({"n-zl": {"action": "open"}})),
        (
            "rb-1",
            "卧室",
            &["客厅空调关了 卧室的打开 温度跟客厅一样"],
            json!({"lr-ac": {"power": false}, "bd-ac": {"power": true}}),
        ),
    ])
    .await;
}

#[tokio::test]
async fn a_value_is_set_and_not_the_step_that_leads_to_it() {
    held(&[
        ("oa-1", "姥爷屋", &["电视小点声 三十就行"], json!({"w-otv": {"volume": 30}})),
        ("oa-1", "姥爷屋", &["空调别太凉 二十八"], json!({"w-oac": {"temperature": 28}})),
        ("family", "客厅", &["声音小点 空调二十七"], json!({"tv": {"volume": 8}, "ac-liv": {"temperature": 27}})),
        ("w20-c", "客厅", &["电视调到五台 声音小点 三十"], json!({"tv": {"channel": 5, "volume": 30}})),
    ])
    .await;
}

#[tokio::test]
async fn what_a_value_is_like_and_what_others_say_of_it_tells_nothing() {
    held(&[
        ("nf-1", "客厅", &["净化器五档跟飞机似的"], json!({})),
        ("ra-2", "客厅", &["大夫说的 泡脚水四十度就够了"], json!({})),
        ("ra-2", "客厅", &["我正想把灯关了呢 你就来了"], json!({})),
    ])
    .await;
}

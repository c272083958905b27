//! What documents call in full and families by a part or in another wording.

use serde_json::{Value, json};

use super::speech;

/// A room with a pump, two pots, a bed, a camera, a sprinkler, a fan and what stands around them.
fn home() -> Value {
    let flag = |describe: &str| json!({"type": "bool", "range": [true, false], "describe": describe});
    let number = |describe: &str, max: u32, unit: &str| json!({"type": "uint", "min": 0, "max": max, "describe": describe, "unit": unit});
    let left = |describe: &str, unit: &str| json!({"type": "uint", "min": 0, "max": 100, "describe": describe, "unit": unit, "access": "read"});
    let choices = |describe: &str, values: &[&str]| {
        let range: Vec<Value> = values.iter().map(|v| json!({"value": v, "describe": v})).collect();
        json!({"type": "enum", "range": range, "describe": describe})
    };
    let device = |id: &str, name: &str, local: &str, state: Value| json!({"id": id, "name": name, "local": local, "device": {"model": id, "state": state}});
    json!({
        "layout": ["客厅", "卧室", "院子"],
        "model": {
            "pump": {"describe": "自吸水泵", "property": {"power": flag("电源")}},
            "pot": {"describe": "养生壶，恒温保温", "property": {"power": flag("电源"), "keep": flag("保温"), "target": number("保温温度", 100, "C")}},
            "rice": {"describe": "电饭煲", "property": {"power": flag("电源")}},
            "wok": {"describe": "炒菜锅", "property": {"power": flag("电源")}},
            "bed": {"describe": "电动床", "property": {"back": number("背部角度", 60, "°"), "leg": number("腿部角度", 45, "°")}},
            "cam": {"describe": "室外云台摄像机", "property": {"power": flag("电源"), "track": flag("移动追踪"), "ptz": choices("云台", &["左转", "右转", "上转", "下转", "停止"])}},
            "water": {"describe": "浇水器", "property": {
                "east": flag("东畦浇水"), "west": flag("西畦浇水"), "tank": left("水桶水位", "%"),
            }},
            "drip": {"describe": "滴灌", "property": {"one": flag("一路辣椒喷雾"), "two": flag("二路月季喷雾")}},
            "fan": {"describe": "落地扇", "property": {
                "power": flag("电源"), "head": flag("左右摇头"), "wind": choices("风类", &["标准风", "自然风", "睡眠风"]),
            }},
            "radio": {"describe": "收音机", "property": {"power": flag("电源"), "station": choices("电台", &["中国之声", "经典音乐广播", "戏曲广播"])}},
            "tv": {"describe": "电视", "property": {"power": flag("电源"), "source": choices("信号源", &["HDMI", "U盘"])}},
            "mirror": {"describe": "浴室镜", "property": {"light": flag("镜灯"), "defog": flag("除雾加热")}},
            "pills": {"describe": "药盒", "property": {
                "remind": flag("服药提醒"), "volume": number("提醒音量", 5, ""), "left": left("降压药余量", "粒"),
            }},
        },
        "devices": [
            device("pump", "水泵", "院子", json!({"power": false})),
            device("pot", "养生壶", "客厅", json!({"power": true, "keep": true, "target": 50})),
            device("rice", "电饭锅", "客厅", json!({"power": true})),
            device("wok", "炒菜锅", "客厅", json!({"power": true})),
            device("bed", "电动床", "卧室", json!({"back": 10, "leg": 10})),
            device("cam", "摄像头", "院子", json!({"power": true, "track": false, "ptz": "停止"})),
            device("water", "浇水器", "院子", json!({"east": false, "west": false, "tank": 68})),
            device("drip", "滴灌", "院子", json!({"one": false, "two": false})),
            device("fan", "落地扇", "客厅", json!({"power": true, "head": false, "wind": "标准风"})),
            device("radio", "收音机", "客厅", json!({"power": true, "station": "中国之声"})),
            device("tv", "电视", "客厅", json!({"power": true, "source": "HDMI"})),
            device("mirror", "浴室镜", "卧室", json!({"light": false, "defog": false})),
            device("pills", "药盒", "客厅", json!({"remind": false, "volume": 3, "left": 9})),
        ]
    })
}

async fn told(sentence: &str) -> (Value, String) {
    speech::told_at(&home(), "客厅", sentence).await
}

async fn moves(cases: &[(&str, Value)]) {
    speech::moves_at(&home(), "客厅", cases).await;
}

async fn moves_nothing(sentences: &[&str]) {
    for sentence in sentences {
        let (moved, said) = told(sentence).await;
        assert_eq!(moved, json!({}), "{sentence}: {said}");
    }
}

async fn answers(cases: &[(&str, &str)]) {
    for (sentence, wanted) in cases {
        let (moved, said) = told(sentence).await;
        assert_eq!(moved, json!({}), "{sentence}: {said}");
        assert!(said.contains(wanted), "{sentence}: {said}");
    }
}

#[tokio::test]
async fn a_thing_is_called_by_the_head_of_its_name_where_it_is_the_only_one() {
    moves(&[
        ("把泵打开", json!({"pump": {"power": true}})),
        ("泵开一下", json!({"pump": {"power": true}})),
        ("把壶关了", json!({"pot": {"power": false}})),
        ("壶儿关掉", json!({"pot": {"power": false}})),
    ])
    .await;
    // Two pots for cooking, and talk of one.
    moves_nothing(&["把锅关了", "壶里冒烟了", "壶开了", "壶打开过了吗", "这壶真好看"]).await;
}

#[tokio::test]
async fn what_closes_a_circuit_starts_what_is_in_it() {
    moves(&[("把泵合上", json!({"pump": {"power": true}})), ("水泵合上", json!({"pump": {"power": true}}))]).await;
}

#[tokio::test]
async fn a_feature_is_called_by_the_end_of_its_name() {
    moves(&[
        ("院子的追踪打开", json!({"cam": {"track": true}})),
        ("药盒那个提醒打开", json!({"pills": {"remind": true}})),
        ("把药盒的提醒打开", json!({"pills": {"remind": true}})),
        ("浴室镜把雾除了", json!({"mirror": {"defog": true}})),
        ("浴室镜除一除雾", json!({"mirror": {"defog": true}})),
        ("滴灌给月季喷喷雾", json!({"drip": {"two": true}})),
        ("落地扇摇头", json!({"fan": {"head": true}})),
    ])
    .await;
    moves_nothing(&[
        "提醒打开",
        "把追踪打开",
        "给月季喷喷雾",
        "谁把追踪打开了",
        "昨天追踪打开了",
        "别给月季喷雾",
        "月季喷了雾",
        "把快递追踪打开",
    ])
    .await;
}

#[tokio::test]
async fn a_value_is_pointed_at_by_a_part_of_its_name() {
    moves(&[
        ("落地扇换成自然的那种", json!({"fan": {"wind": "自然风"}})),
        ("收音机拨到戏曲那个台", json!({"radio": {"station": "戏曲广播"}})),
        ("收音机换成古典音乐那个台", json!({"radio": {"station": "经典音乐广播"}})),
        ("电视转到优盘", json!({"tv": {"source": "U盘"}})),
    ])
    .await;
    moves_nothing(&["我想换个大的那种", "手机换成好看的那种", "收音机换到交通那个台"]).await;
}

#[tokio::test]
async fn a_number_of_degrees_is_that_of_what_is_kept_so_warm() {
    moves(&[
        ("养生壶保温搞到六十度", json!({"pot": {"target": 60}})),
        ("保温七十度", json!({"pot": {"target": 70}})),
        ("养生壶保温关了", json!({"pot": {"keep": false}})),
    ])
    .await;
}

#[tokio::test]
async fn a_part_of_the_body_names_the_angle_that_is_called_after_it() {
    moves(&[
        ("背抬到三十度", json!({"bed": {"back": 30}})),
        ("背抬到三十度腿抬十五度", json!({"bed": {"back": 30, "leg": 15}})),
        ("床头抬到四十", json!({"bed": {"back": 40}})),
        ("把床的腿放平", json!({"bed": {"leg": 0}})),
    ])
    .await;
    // The bed is in another room.
    moves_nothing(&["腿抬高一点", "腿放平", "把腿放下来"]).await;
}

#[tokio::test]
async fn a_camera_is_turned_to_a_side() {
    moves(&[
        ("摄像头往左边扭扭", json!({"cam": {"ptz": "左转"}})),
        ("把镜头朝上抬抬", json!({"cam": {"ptz": "上转"}})),
        ("摄像头向右转一点", json!({"cam": {"ptz": "右转"}})),
    ])
    .await;
    moves_nothing(&["往左边挪挪", "前面路口向右转", "你往上抬一抬"]).await;
}

#[tokio::test]
async fn what_is_done_on_a_side_is_the_feature_of_that_side() {
    moves(&[
        ("西边那畦浇上水", json!({"water": {"west": true}})),
        ("先浇东边那畦", json!({"water": {"east": true}})),
        ("东西两畦都浇上", json!({"water": {"east": true, "west": true}})),
        ("东西两边都给浇上水", json!({"water": {"east": true, "west": true}})),
    ])
    .await;
    moves_nothing(&[
        "西边那畦浇上水了",
        "西边浇过水了",
        "西边浇着呢",
        "东边在浇水",
        "东边浇不浇水",
        "别给西边那畦浇水",
        "东边浇上水没有",
    ])
    .await;
}

#[tokio::test]
async fn how_much_there_is_of_something_is_asked_by_what_holds_it() {
    answers(&[("水桶里还剩百分之几", "68"), ("药还剩多少颗", "9")]).await;
}

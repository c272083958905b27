//! What people say to appliances, in homes that families named.

use serde_json::json;

use super::everyday::held;

#[tokio::test]
async fn a_part_of_the_name_of_what_a_thing_has_will_do_in_its_room() {
    held(&[
        ("w26-a", "卫生间", &["水压大一点"], json!({"toilet": {"pressure": 4}})),
        ("w26-a", "卫生间", &["座圈热一点"], json!({"toilet": {"seat_heat": 3}})),
        ("w26-a", "卫生间", &["马桶座圈关了"], json!({"toilet": {"seat_heat": 0}})),
        ("w26-a", "姥爷屋", &["按摩椅滚轮打开气囊关掉"], json!({"chair": {"roller": true, "air": false}})),
        // Of another room nothing is told so.
        ("w26-a", "主卧", &["滚轮关了"], json!({})),
        ("w25-c", "客厅", &["水泵小一档"], json!({"fish": {"pump": 2}})),
        ("pa-2", "主卧", &["窗户雨感打开 童锁也打开"], json!({"e-win": {"rain": true, "child": true}})),
        ("pa-2", "客厅", &["雨感打开"], json!({})),
        ("ra-2", "卫生间", &["座圈调三档"], json!({"toilet": {"seat": 3}})),
        ("w22-a", "客厅", &["扫地机水量大点"], json!({"vac": {"water": "high"}})),
    ])
    .await;
}

#[tokio::test]
async fn the_lamp_of_a_thing_is_its_lamp_and_no_lamp_of_the_room() {
    held(&[
        ("w25-c", "客厅", &["鱼缸灯打开换成红色"], json!({"fish": {"light": true, "color": "red"}})),
        ("w25-c", "客厅", &["鱼缸的灯换绿色"], json!({"fish": {"color": "green"}})),
        ("w25-c", "客厅", &["鱼缸的灯关了"], json!({"fish": {"light": false}})),
    ])
    .await;
}

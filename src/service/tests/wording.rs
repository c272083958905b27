//! How it is said what was done, and what was not.

use serde_json::json;

use super::speech::told_by;

/// What is said in a home of a few things.
async fn said(sentence: &str) -> (usize, String) {
    let number = |id: &str, min: i64, max: i64| json!({"property": {"power": {"type": "bool"}, id: {"type": "int", "min": min, "max": max}}});
    let mut conditioner = number("temperature", 16, 30);
    conditioner["describe"] = json!("空调");
    let mut lamp = number("brightness", 1, 100);
    lamp["describe"] = json!("灯");
    let home = json!({
        "layout": ["客厅", "主卧", "次卧", "客房"],
        "model": {
            "ac": conditioner,
            "lamp": lamp,
            "purifier": {"describe": "空气净化器", "property": {
                "power": {"type": "bool"},
                "mode": {"type": "enum", "range": [{"value": "high", "describe": "高速"}, {"value": "low", "describe": "低速"}]}
            }},
            "th": {"describe": "温度传感器", "property": {"temperature": {"type": "float", "unit": "C", "access": "read"}}}
        },
        "devices": [
            {"id": "ac", "name": "空调", "local": "客厅", "device": {"model": "ac", "state": {"power": false}}},
            {"id": "air", "name": "净化器", "local": "客厅", "device": {"model": "purifier", "state": {"power": false}}},
            {"id": "a1", "name": "A-1", "local": "客厅", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "t", "name": "温度", "local": "客厅", "device": {"model": "th", "state": {"temperature": 21.5}}},
            {"id": "l1", "name": "灯", "local": "主卧", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "l2", "name": "灯", "local": "次卧", "device": {"model": "lamp", "state": {"power": false}}},
            {"id": "l3", "name": "灯", "local": "客房", "device": {"model": "lamp", "state": {"power": false}}}
        ],
        "scenes": [{"id": "s", "name": "睡眠模式", "actions": [{"id": "ac", "state": {"power": false}}]}]
    });
    let (moved, said) = told_by(None, &home, "客厅", &[sentence]).await;
    (moved.len(), said)
}

#[tokio::test]
async fn it_is_said_as_people_say_it() {
    for (sentence, moved, wanted) in [
        // What is a temperature is told in degrees, whether or not the home says so.
        ("空调调到19", 1, "正在把客厅空调调到19度。"),
        ("打开净化器，睡眠模式", 2, "正在打开客厅净化器，执行睡眠模式。"),
        ("把卧室的灯打开", 0, "你说的是哪个房间呢？主卧、次卧还是客房？"),
        // What is taken back in the same breath is not told.
        ("打开净化器，调成高速模式，关掉，再打开", 1, "正在打开客厅净化器，调成高速模式。"),
        ("打开净化器，调成高速模式，关掉", 1, "正在把客厅净化器调成高速模式，关闭。"),
        // What is called like what it tells is no number of things.
        ("温度多少", 0, "客厅的温度是21.5度。"),
        ("打开A1", 1, "正在打开客厅A-1。"),
    ] {
        let (count, text) = said(sentence).await;
        assert_eq!((count, text.as_str()), (moved, wanted), "{sentence}");
    }
}

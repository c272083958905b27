//! Values that are left.

use std::sync::LazyLock;

use super::*;
use crate::language::action::Action;

/// A thermostat and an air conditioner whose presets can be left, and a purifier whose modes cannot.
static HOUSE: LazyLock<Vocabulary> = LazyLock::new(|| {
    let values = |all: &[(&str, &str)]| {
        let values: Vec<_> = all.iter().map(|(value, said)| json!({"value": value, "describe": said})).collect();
        json!({"type": "enum", "range": values})
    };
    let mut preset = values(&[("none", "无"), ("eco", "节能"), ("away", "离家")]);
    preset["describe"] = "预设".into();
    let mode = values(&[("cool", "制冷"), ("sleep", "睡眠")]);
    let device = |id: &str, name: &str| json!({"id": id, "name": name, "local": "客厅", "device": {"model": id}});
    let document = json!({
        "layout": ["客厅"],
        "model": {
            "ac": {"describe": "空调", "property": {"power": {"type": "bool"}, "mode": mode, "preset": preset}},
            "purifier": {"describe": "净化器", "property": {"power": {"type": "bool"}, "mode": values(&[("sleep", "睡眠")])}}
        },
        "devices": [device("ac", "空调"), device("purifier", "净化器")]
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
});

fn read(sentence: &str) -> Parse {
    parse(sentence, &HOUSE, &speaker())
}

#[test]
fn who_leaves_a_preset_wants_none_and_never_the_one_that_is_named() {
    for (said, plainly) in [
        ("取消预设", "预设设为无"),
        ("预设取消", "预设设为无"),
        ("关掉预设", "预设设为无"),
        ("把空调的预设取消", "空调的预设设为无"),
        ("空调取消预设", "空调预设设为无"),
        ("取消空调的预设", "空调的预设设为无"),
        ("空调退出节能模式", "空调预设设为无"),
        ("空调的节能模式关掉", "空调的预设设为无"),
        ("关掉空调的离家模式", "空调的预设设为无"),
    ] {
        let Parse::Orders(orders) = read(said) else { panic!("{said}: {:?}", read(said)) };
        assert_eq!(Parse::Orders(orders), read(plainly), "{said}");
    }
}

#[test]
fn what_cannot_be_left_or_is_only_spoken_of_is_read_as_before() {
    for said in ["不要取消预设", "预设取消了吗", "别退出节能模式"] {
        let sets = matches!(read(said), Parse::Orders(orders) if orders.iter().any(|o| matches!(o.action, Action::Set { .. })));
        assert!(!sets, "{said}: {:?}", read(said));
    }
    assert_eq!(read("关掉空调"), read("空调关掉"));
}

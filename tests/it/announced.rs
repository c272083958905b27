//! What things announce of themselves by MQTT discovery, and what they tell then: homes of any size. The benchmark `hubs`
//! uses them as well.

use serde_json::{Value, json};

const ROOMS: [&str; 12] =
    ["客厅", "主卧", "次卧", "书房", "餐厅", "厨房", "玄关", "阳台", "卫生间", "儿童房", "衣帽间", "车库"];

/// The first of the names that a sort of things has.
const LAMPS: [&str; 5] = ["吸顶灯", "落地灯", "射灯", "床头灯", "灯带"];
const SWITCHES: [&str; 4] = ["插座", "净水器", "取暖器", "投影仪"];
const COVERS: [&str; 3] = ["窗帘", "纱帘", "卷帘"];

/// One thing of many: its configuration and what it says.
pub struct Announced {
    /// Where its configuration is kept.
    pub topic: String,
    /// Its configuration.
    pub config: Value,
    /// Where it says how it is.
    pub state_topic: String,
    /// How it is, on and off or nearly so.
    pub states: [String; 2],
    /// What it is called, and where it stands.
    pub name: String,
    pub room: String,
}

/// The thing of this number.
pub fn announced(n: usize) -> Announced {
    let room =
        format!("{}{}", if (n / 12).is_multiple_of(3) { "" } else { ["一楼", "二楼"][n / 12 % 3 - 1] }, ROOMS[n % 12]);
    let brand = ["", "米家", "易来", "阿强的", "左", ""][n / 5 % 6];
    let number = n / 60;
    let called = |names: &[&str]| match number {
        0 => format!("{brand}{}", names[n / 7 % names.len()]),
        number => format!("{brand}{}{number}", names[n / 7 % names.len()]),
    };
    let base = format!("house/{n}");
    let (platform, name, own, states) = match n % 5 {
        0 => (
            "light",
            called(&LAMPS),
            json!({"schema": "json", "cmd_t": "~/set", "stat_t": "~/state", "supported_color_modes": ["color_temp"],
                "brightness_scale": 254}),
            [r#"{"state": "ON", "brightness": 200, "color_temp": 300}"#, r#"{"state": "OFF", "brightness": 3}"#],
        ),
        1 => (
            "light",
            called(&LAMPS),
            json!({"cmd_t": "~/set", "stat_t": "~/state", "stat_val_tpl": "{{ value_json.POWER }}",
                "bri_cmd_t": "~/dim", "bri_stat_t": "~/state", "bri_val_tpl": "{{ value_json.Dimmer | int }}",
                "bri_scl": 100}),
            [r#"{"POWER": "ON", "Dimmer": 80}"#, r#"{"POWER": "OFF", "Dimmer": 5}"#],
        ),
        2 => (
            "switch",
            called(&SWITCHES),
            json!({"cmd_t": "~/set", "stat_t": "~/state",
                "val_tpl": "{% if value_json.power == 1 %}ON{% else %}OFF{% endif %}"}),
            [r#"{"power": 1}"#, r#"{"power": 0}"#],
        ),
        3 => (
            "cover",
            called(&COVERS),
            json!({"cmd_t": "~/set", "pos_t": "~/state", "set_pos_t": "~/move",
                "pos_tpl": "{{ value_json.position | float | round(0) }}"}),
            [r#"{"position": 99.6}"#, r#"{"position": 0}"#],
        ),
        _ => (
            "climate",
            called(&["空调", "柜机", "新风空调"]),
            json!({"modes": ["off", "cool", "heat"], "mode_cmd_t": "~/mode", "mode_stat_t": "~/state",
                "mode_stat_tpl": "{{ value_json.mode }}", "temp_cmd_t": "~/temp", "temp_stat_t": "~/state",
                "temp_stat_tpl": "{{ value_json.target }}", "curr_temp_t": "~/state",
                "curr_temp_tpl": "{{ value_json.now | round(1) }}"}),
            [r#"{"mode": "cool", "target": 24, "now": 27.31}"#, r#"{"mode": "off", "target": 24, "now": 27.38}"#],
        ),
    };
    let mut config = json!({"~": base, "name": null, "uniq_id": format!("thing{n}"), "avty_t": "~/up",
        "dev": {"ids": [format!("dev{n}")], "name": name, "mf": "maker", "mdl": format!("M{}", n % 5), "sa": room}});
    config.as_object_mut().expect("a map").extend(own.as_object().cloned().expect("a map"));
    Announced {
        topic: format!("homeassistant/{platform}/thing{n}/config"),
        config,
        state_topic: format!("{base}/state"),
        states: states.map(str::to_owned),
        name,
        room,
    }
}

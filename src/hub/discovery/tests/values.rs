//! Values that are counted otherwise, or come in pairs.

use super::*;

#[test]
fn lamps_that_count_colours_by_coordinates_are_told_them() {
    let basic = json!({"name": "甲灯", "uniq_id": "a", "cmd_t": "a/set", "xy_cmd_t": "a/xy", "xy_stat_t": "a/xys"});
    let by_json =
        json!({"name": "乙灯", "uniq_id": "b", "schema": "json", "cmd_t": "b/set", "stat_t": "b", "sup_clrm": ["xy"]});
    let mut hub = hub(&[("light/a", basic), ("light/b", by_json)]);
    accepted(&hub);
    assert_eq!(sent(&hub, "light:a", json!({"color": "red"})), ["a/xy 0.6401,0.33"]);
    let told = sent(&hub, "light:b", json!({"color": "blue"}));
    assert_eq!(told, [r#"b/set {"color":{"x":0.15,"y":0.06},"state":"ON"}"#]);
    assert_eq!(states(&hub.heard("a/xys", b"0.17,0.70", false)), json!({"light:a": {"color": "green"}}));
    let heard = hub.heard("b", br#"{"state":"ON","color_mode":"xy","color":{"x":0.70,"y":0.298}}"#, false);
    assert_eq!(states(&heard)["light:b"]["color"], "red");
}

#[test]
fn a_climate_between_two_bounds_has_both() {
    let config = json!({"name": "客厅空调", "uniq_id": "ac", "temp_lo_cmd_t": "ac/lo", "temp_lo_stat_t": "ac/los",
        "temp_hi_cmd_t": "ac/hi", "temp_hi_stat_t": "ac", "temp_hi_stat_tpl": "{{ value_json.hi }}", "min_temp": 16});
    let mut hub = hub(&[("climate/ac", config)]);
    accepted(&hub);
    let told = sent(&hub, "climate:ac", json!({"temperature_low": 18, "temperature_high": 25}));
    assert_eq!(told, ["ac/hi 25", "ac/lo 18"]);
    assert_eq!(states(&hub.heard("ac", br#"{"hi":26}"#, false)), json!({"climate:ac": {"temperature_high": 26}}));
    assert_eq!(states(&hub.heard("ac/los", b"19", false)), json!({"climate:ac": {"temperature_low": 19}}));
}

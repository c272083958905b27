//! What each platform of MQTT discovery takes and tells, by the keys of its configuration.

use serde_json::json;

use super::super::codec::Codec;
use super::config::Config;
use super::entity::{Reader, Slot, Slots, Writer};
use super::light;
use super::words::Names;

/// What stands for what an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A thing that people name.
    Thing,
    /// A value of a thing.
    Value,
}

/// What an entity is and its properties, or why it is left out.
pub(super) fn read(config: &Config, names: &Names) -> Result<(Role, Vec<Slot>), String> {
    let mut slots = Slots::new(config, names);
    let mut role = Role::Thing;
    match config.platform.as_str() {
        "light" => light::read(&mut slots)?,
        "switch" => {
            switch(&mut slots, "command_topic", "command_template");
            if config.get("entity_category").is_some() {
                role = Role::Value;
            }
        }
        "siren" => siren(&mut slots),
        "climate" => climate(&mut slots),
        "cover" => cover(&mut slots),
        "fan" => fan(&mut slots),
        "lock" if config.get("code_format").is_some() => return Err("it wants a code".to_owned()),
        "lock" => lock(&mut slots),
        "humidifier" => humidifier(&mut slots),
        "valve" => valve(&mut slots),
        "water_heater" => water_heater(&mut slots),
        "vacuum" => vacuum(&mut slots),
        "lawn_mower" => lawn_mower(&mut slots),
        "alarm_control_panel" if config.get("code").is_some() => return Err("it wants a code".to_owned()),
        "alarm_control_panel" => alarm(&mut slots),
        "button" => press(&mut slots, "PRESS", "payload_press")?,
        "scene" => press(&mut slots, "", "payload_on")?,
        "number" | "select" | "text" | "sensor" | "binary_sensor" => {
            role = Role::Value;
            value(&mut slots)?;
        }
        other => return Err(format!("{other} is nothing to speak to")),
    }
    let slots = slots.list;
    if slots.is_empty() { Err("it tells and takes nothing".to_owned()) } else { Ok((role, slots)) }
}

fn switch(slots: &mut Slots, command: &str, template: &str) {
    let config = slots.config;
    let (on, off) = (config.text_or("payload_on", "ON"), config.text_or("payload_off", "OFF"));
    let read = slots.reader("state_topic", "value_template").map(|reader| {
        let state = |key: &str, like: &str| config.text(key).unwrap_or_else(|| like.to_owned());
        aliased(reader, [(state("state_on", &on), on.as_str()), (state("state_off", &off), off.as_str())])
    });
    let write = slots.writer(command, template);
    slots.flag("power", &on, &off, read, write);
}

/// A reader of states that are written otherwise than commands.
fn aliased<const N: usize>(mut reader: Reader, alias: [(String, &str); N]) -> Reader {
    reader.alias = alias.into_iter().map(|(state, value)| (state, value.into())).collect();
    reader
}

fn siren(slots: &mut Slots) {
    switch(slots, "command_topic", "command_template");
    // Without a template it takes JSON.
    for slot in &mut slots.list {
        if let Some(Writer::Plain { topic, template: None }) = &slot.write {
            slot.write = Some(Writer::Field { topic: topic.clone(), key: "state" });
        }
    }
}

fn climate(slots: &mut Slots) {
    let config = slots.config;
    if let Some(write) = slots.writer("power_command_topic", "power_command_template") {
        let (on, off) = (config.text_or("payload_on", "ON"), config.text_or("payload_off", "OFF"));
        let read = slots.reader("power_state_topic", "power_state_template");
        slots.flag("power", &on, &off, read, Some(write));
    }
    let modes = config.texts("modes", &["auto", "off", "cool", "heat", "dry", "fan_only"]);
    let read = slots.reader("mode_state_topic", "mode_state_template");
    let write = slots.writer("mode_command_topic", "mode_command_template");
    slots.mode(&modes, read, write);
    let bounds = [config.number("min_temp", 7.0), config.number("max_temp", 35.0), config.number("temp_step", 1.0)];
    for id in ["temperature", "temperature_low", "temperature_high"] {
        let read = slots.reader(&format!("{id}_state_topic"), &format!("{id}_state_template"));
        let write = slots.writer(&format!("{id}_command_topic"), &format!("{id}_command_template"));
        slots.number(id, bounds, degrees(config), read, write);
    }
    let bounds = [config.number("min_humidity", 30.0), config.number("max_humidity", 99.0), 1.0];
    let read = slots.reader("target_humidity_state_topic", "target_humidity_state_template");
    let write = slots.writer("target_humidity_command_topic", "target_humidity_command_template");
    slots.number("humidity", bounds, "%", read, write);
    for (id, key, default) in [
        ("fan_mode", "fan_mode", &["auto", "low", "medium", "high"][..]),
        ("swing", "swing_mode", &["on", "off"]),
        ("swing_horizontal", "swing_horizontal_mode", &["on", "off"]),
        ("preset", "preset_mode", &[]),
    ] {
        let read = slots.reader(&format!("{key}_state_topic"), &format!("{key}_state_template"));
        let read = read.or_else(|| slots.reader(&format!("{key}_state_topic"), &format!("{key}_value_template")));
        let write = slots.writer(&format!("{key}_command_topic"), &format!("{key}_command_template"));
        let mut values = config.texts(&format!("{key}s"), default);
        // Home Assistant knows how to leave a preset where there is one; nobody lists it.
        if key == "preset_mode" && !values.is_empty() {
            values.insert(0, "none".to_owned());
        }
        match values.as_slice() {
            [on, off] | [off, on] if on.eq_ignore_ascii_case("on") && off.eq_ignore_ascii_case("off") => {
                slots.flag(id, on, off, read, write);
            }
            _ => slots.choice(id, &values, read, write),
        }
    }
    measured(slots);
}

/// What climates, humidifiers and water heaters measure.
fn measured(slots: &mut Slots) {
    let read = slots.reader("current_temperature_topic", "current_temperature_template");
    slots.number("current_temperature", [0.0, 0.0, 1.0], degrees(slots.config), read, None);
    let read = slots.reader("current_humidity_topic", "current_humidity_template");
    slots.number("current_humidity", [0.0, 0.0, 1.0], "%", read, None);
}

fn degrees(config: &Config) -> &'static str {
    if config.text("temperature_unit").is_some_and(|unit| unit.contains('F')) { "°F" } else { "°C" }
}

fn cover(slots: &mut Slots) {
    let config = slots.config;
    let mut commands = Vec::new();
    if let Some(topic) = config.topic("command_topic") {
        for (id, key, default) in
            [("open", "payload_open", "OPEN"), ("close", "payload_close", "CLOSE"), ("stop", "payload_stop", "STOP")]
        {
            if !config.is_null(key) {
                commands.push((id, topic.clone(), config.text_or(key, default)));
            }
        }
    }
    let read = slots.reader("state_topic", "value_template").map(|reader| {
        let state = |key: &str| config.text_or(&format!("state_{key}"), key);
        aliased(reader, [(state("open"), "open"), (state("closed"), "close"), (state("stopped"), "stop")])
    });
    slots.commands("action", commands, read);
    let (open, closed) = (config.number("position_open", 100.0), config.number("position_closed", 0.0));
    let read = slots.reader("position_topic", "position_template");
    let write = slots.writer("set_position_topic", "set_position_template");
    position(slots, "position", [closed, open], read, write);
    let (least, most) = (config.number("tilt_min", 0.0), config.number("tilt_max", 100.0));
    let read = slots.reader("tilt_status_topic", "tilt_status_template");
    let write = slots.writer("tilt_command_topic", "tilt_command_template");
    position(slots, "tilt", [least, most], read, write);
}

/// A position between closed and open, whichever of the two is the larger number.
fn position(slots: &mut Slots, id: &str, [closed, open]: [f64; 2], read: Option<Reader>, write: Option<Writer>) {
    if closed != open {
        let domain = json!({"type": "uint", "min": 0, "max": 100, "unit": "%"});
        slots.add(id, Codec::Position { closed, open }, domain, read, write);
    }
}

fn fan(slots: &mut Slots) {
    let config = slots.config;
    switch(slots, "command_topic", "command_template");
    if let Some(Reader { template, .. }) = slots.list.first_mut().and_then(|slot| slot.read.as_mut()) {
        *template = config.text("state_value_template").or(template.take());
    }
    let read = slots.reader("percentage_state_topic", "percentage_value_template");
    let write = slots.writer("percentage_command_topic", "percentage_command_template");
    // The whole range is 100 %, and its least is one step above off.
    let (min, max) = (config.number("speed_range_min", 1.0), config.number("speed_range_max", 100.0));
    slots.percent("speed", min - 1.0, max, read, write);
    let read = slots.reader("preset_mode_state_topic", "preset_mode_value_template");
    let write = slots.writer("preset_mode_command_topic", "preset_mode_command_template");
    slots.choice("mode", &config.texts("preset_modes", &[]), read, write);
    let on = config.text_or("payload_oscillation_on", "oscillate_on");
    let off = config.text_or("payload_oscillation_off", "oscillate_off");
    let read = slots.reader("oscillation_state_topic", "oscillation_value_template");
    let write = slots.writer("oscillation_command_topic", "oscillation_command_template");
    slots.flag("oscillation", &on, &off, read, write);
    let read = slots.reader("direction_state_topic", "direction_value_template");
    let write = slots.writer("direction_command_topic", "direction_command_template");
    slots.choice("direction", &["forward".to_owned(), "reverse".to_owned()], read, write);
}

fn lock(slots: &mut Slots) {
    let config = slots.config;
    let (lock, unlock) = (config.text_or("payload_lock", "LOCK"), config.text_or("payload_unlock", "UNLOCK"));
    let read = slots.reader("state_topic", "value_template").map(|reader| {
        let state = |key: &str, default: &str| config.text_or(key, default);
        aliased(reader, [(state("state_locked", "LOCKED"), &*lock), (state("state_unlocked", "UNLOCKED"), &*unlock)])
    });
    let write = slots.writer("command_topic", "command_template");
    slots.flag("locked", &lock, &unlock, read, write);
}

fn humidifier(slots: &mut Slots) {
    let config = slots.config;
    switch(slots, "command_topic", "command_template");
    if let Some(Reader { template, .. }) = slots.list.first_mut().and_then(|slot| slot.read.as_mut()) {
        *template = config.text("state_value_template").or(template.take());
    }
    let bounds = [config.number("min_humidity", 0.0), config.number("max_humidity", 100.0), 1.0];
    let read = slots.reader("target_humidity_state_topic", "target_humidity_state_template");
    let write = slots.writer("target_humidity_command_topic", "target_humidity_command_template");
    slots.number("humidity", bounds, "%", read, write);
    let read = slots.reader("mode_state_topic", "mode_state_template");
    let write = slots.writer("mode_command_topic", "mode_command_template");
    slots.choice("mode", &config.texts("modes", &[]), read, write);
    measured(slots);
}

fn valve(slots: &mut Slots) {
    let config = slots.config;
    let Some(topic) = config.topic("command_topic") else { return };
    if config.flag("reports_position", false) {
        let (open, closed) = (config.number("position_open", 100.0), config.number("position_closed", 0.0));
        let read = slots.reader("state_topic", "value_template");
        let write = slots.writer("command_topic", "command_template");
        return position(slots, "position", [closed, open], read, write);
    }
    let mut commands = Vec::new();
    for (id, key, default) in [("open", "payload_open", "OPEN"), ("close", "payload_close", "CLOSE")] {
        if !config.is_null(key) {
            commands.push((id, topic.clone(), config.text_or(key, default)));
        }
    }
    let read = slots.reader("state_topic", "value_template").map(|reader| {
        let state = |key: &str| config.text_or(&format!("state_{key}"), key);
        aliased(reader, [(state("open"), "open"), (state("closed"), "close")])
    });
    slots.commands("action", commands, read);
}

fn water_heater(slots: &mut Slots) {
    let config = slots.config;
    if let Some(write) = slots.writer("power_command_topic", "power_command_template") {
        let (on, off) = (config.text_or("payload_on", "ON"), config.text_or("payload_off", "OFF"));
        slots.flag("power", &on, &off, None, Some(write));
    }
    let all = ["off", "eco", "electric", "gas", "heat_pump", "high_demand", "performance"];
    let read = slots.reader("mode_state_topic", "mode_state_template");
    let write = slots.writer("mode_command_topic", "mode_command_template");
    slots.mode(&config.texts("modes", &all), read, write);
    let bounds = [config.number("min_temp", 43.0), config.number("max_temp", 60.0), 1.0];
    let read = slots.reader("temperature_state_topic", "temperature_state_template");
    let write = slots.writer("temperature_command_topic", "temperature_command_template");
    slots.number("temperature", bounds, degrees(config), read, write);
    measured(slots);
}

fn vacuum(slots: &mut Slots) {
    let config = slots.config;
    let features =
        config.texts("supported_features", &["start", "stop", "return_home", "status", "battery", "clean_spot"]);
    let mut commands = Vec::new();
    if let Some(topic) = config.topic("command_topic") {
        for (id, feature, key, payload) in [
            ("clean", "start", "payload_start", "start"),
            ("pause", "pause", "payload_pause", "pause"),
            ("stop", "stop", "payload_stop", "stop"),
            ("return", "return_home", "payload_return_to_base", "return_to_base"),
            ("spot", "clean_spot", "payload_clean_spot", "clean_spot"),
            ("locate", "locate", "payload_locate", "locate"),
        ] {
            if features.iter().any(|f| f == feature) {
                commands.push((id, topic.clone(), config.text_or(key, payload)));
            }
        }
    }
    let state = |slots: &Slots, key| {
        let reader = slots.reader("state_topic", "value_template")?;
        Some(Reader { path: vec![key], ..reader })
    };
    // What it is about says more than what it was told, and is told first.
    let activity = ["cleaning", "paused", "idle", "returning", "docked", "error"].map(str::to_owned);
    slots.choice("activity", &activity, state(slots, "state"), None);
    let alias =
        [("cleaning", "clean"), ("paused", "pause"), ("idle", "stop"), ("returning", "return"), ("docked", "return")];
    let read = state(slots, "state").map(|reader| aliased(reader, alias.map(|(state, id)| (state.to_owned(), id))));
    slots.commands("run", commands, read);
    let read = state(slots, "fan_speed");
    let write = slots.writer("set_fan_speed_topic", "");
    slots.choice("fan_speed", &config.texts("fan_speed_list", &[]), read, write);
    if features.iter().any(|f| f == "battery") {
        let read = state(slots, "battery_level");
        slots.number("battery", [0.0, 100.0, 1.0], "%", read, None);
    }
}

fn lawn_mower(slots: &mut Slots) {
    let config = slots.config;
    let all = [
        ("mow", "start_mowing_command_topic", "start_mowing"),
        ("pause", "pause_command_topic", "pause"),
        ("dock", "dock_command_topic", "dock"),
    ];
    let commands = all.into_iter().filter_map(|(id, key, payload)| Some((id, config.topic(key)?, payload.to_owned())));
    let commands = commands.collect();
    let alias = [("mowing", "mow"), ("paused", "pause"), ("docked", "dock")];
    let read = slots.reader("activity_state_topic", "activity_value_template");
    let activity = ["mowing", "paused", "returning", "docked", "error"].map(str::to_owned);
    slots.choice("activity", &activity, read.clone(), None);
    let read = read.map(|reader| aliased(reader, alias.map(|(state, id)| (state.to_owned(), id))));
    slots.commands("run", commands, read);
}

fn alarm(slots: &mut Slots) {
    let config = slots.config;
    let features = config.texts("supported_features", &["arm_home", "arm_away", "arm_night"]);
    let Some(topic) = config.topic("command_topic") else { return };
    let mut commands = Vec::new();
    for id in ["arm_away", "arm_home", "arm_night", "disarm"] {
        if id == "disarm" || features.iter().any(|f| f == id) {
            commands.push((id, topic.clone(), config.text_or(&format!("payload_{id}"), &id.to_uppercase())));
        }
    }
    let alias =
        [("armed_away", "arm_away"), ("armed_home", "arm_home"), ("armed_night", "arm_night"), ("disarmed", "disarm")];
    let read = slots.reader("state_topic", "value_template");
    let read = read.map(|reader| aliased(reader, alias.map(|(state, id)| (state.to_owned(), id))));
    slots.commands("armed", commands, read);
}

/// A button or a scene: something that happens.
fn press(slots: &mut Slots, default: &str, key: &str) -> Result<(), String> {
    let config = slots.config;
    let class = config.text("device_class").unwrap_or_default();
    if ["restart", "update", "identify"].contains(&class.as_str()) || config.text("entity_category").is_some() {
        return Err("is not for people".to_owned());
    }
    let payload = config.text_or(key, default);
    let topic = config.topic("command_topic").filter(|_| !payload.is_empty() || config.get(key).is_some());
    let Some(topic) = topic else { return Err("it takes nothing".to_owned()) };
    slots.commands("run", vec![("start", topic, payload)], None);
    slots.list.iter_mut().for_each(|slot| slot.once = true);
    Ok(())
}

/// An entity that is one value.
fn value(slots: &mut Slots) -> Result<(), String> {
    let config = slots.config;
    let read = slots.reader("state_topic", "value_template");
    let write = slots.writer("command_topic", "command_template");
    let unit = config.text("unit_of_measurement").filter(|unit| unit.chars().count() <= 16).unwrap_or_default();
    match config.platform.as_str() {
        "number" => {
            let bounds = [config.number("min", 1.0), config.number("max", 100.0), config.number("step", 1.0)];
            slots.number("value", bounds, &unit, read, write);
        }
        "select" => slots.choice("value", &config.texts("options", &[]), read, write),
        // What is written on something is told; nobody dictates it word by word.
        "text" if read.is_none() => return Err("a text is not set by what is said".to_owned()),
        "text" => slots.add("value", Codec::Text, json!({"type": "string"}), read, None),
        "binary_sensor" => {
            let (on, off) = (config.text_or("payload_on", "ON"), config.text_or("payload_off", "OFF"));
            slots.flag("value", &on, &off, read, None);
        }
        _ => {
            let options = config.texts("options", &[]);
            let class = config.text("device_class").unwrap_or_default();
            if !options.is_empty() {
                slots.choice("value", &options, read, None);
            } else if !unit.is_empty() || config.get("state_class").is_some() || slots.names.class(&class).is_some() {
                slots.number("value", [0.0, 0.0, 1.0], &unit, read, None);
            } else {
                slots.add("value", Codec::Text, json!({"type": "string"}), read, None);
            }
        }
    }
    Ok(())
}

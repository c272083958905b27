//! Lights, in the three schemas that their publishers choose from.

use serde_json::json;

use super::super::codec::Codec;
use super::super::colour::Space;
use super::entity::{Reader, Slots, Writer};

/// Colour temperatures of a light that names no bounds, in mired.
const MIRED: (f64, f64) = (153.0, 500.0);

pub(super) fn read(slots: &mut Slots) -> Result<(), String> {
    match slots.config.text_or("schema", "basic").as_str() {
        "basic" => basic(slots),
        "json" => json_schema(slots),
        "template" => template(slots),
        other => return Err(format!("{other} is no schema of a light")),
    }
    Ok(())
}

fn basic(slots: &mut Slots) {
    let config = slots.config;
    let (on, off) = (config.text_or("payload_on", "ON"), config.text_or("payload_off", "OFF"));
    let template = if config.get("state_value_template").is_some() { "state_value_template" } else { "value_template" };
    let read = slots.reader("state_topic", template);
    let write = slots.writer("command_topic", "command_template");
    slots.flag("power", &on, &off, read, write);
    let read = slots.reader("brightness_state_topic", "brightness_value_template");
    let write = slots.writer("brightness_command_topic", "brightness_command_template");
    slots.percent("brightness", 0.0, config.number("brightness_scale", 255.0), read, write);
    let read = slots.reader("color_temp_state_topic", "color_temp_value_template");
    let write = slots.writer("color_temp_command_topic", "color_temp_command_template");
    white(slots, read, write);
    for (key, space) in [("hs", Space::Hue), ("rgb", Space::Rgb), ("xy", Space::Place)] {
        let write = slots.writer(&format!("{key}_command_topic"), &format!("{key}_command_template"));
        let read = slots.reader(&format!("{key}_state_topic"), &format!("{key}_value_template"));
        if write.is_some() && !slots.list.iter().any(|slot| slot.id == "color") {
            let range = slots.names.colours.range();
            slots.add("color", Codec::List(space), json!({"type": "enum", "range": range}), read, write);
        }
    }
    effects(slots, |slots| {
        let read = slots.reader("effect_state_topic", "effect_value_template");
        (read, slots.writer("effect_command_topic", "effect_command_template"))
    });
}

fn json_schema(slots: &mut Slots) {
    let config = slots.config;
    let command = config.topic("command_topic");
    let state = config.topic("state_topic");
    let read = |path: &[&'static str]| {
        let topic = state.clone()?;
        Some(Reader { topic, template: None, path: path.to_vec(), alias: Vec::new() })
    };
    let write = |key: &'static str| Some(Writer::Field { topic: command.clone()?, key });
    slots.flag("power", "ON", "OFF", read(&["state"]), write("state"));
    let modes = config.texts("supported_color_modes", &[]);
    let has = |mode: &str, old: &str| modes.iter().any(|m| m == mode) || config.flag(old, false);
    let coloured = ["hs", "rgb", "xy", "rgbw", "rgbww"].into_iter().find(|mode| has(mode, mode));
    if has("brightness", "brightness") || has("color_temp", "color_temp") || coloured.is_some() {
        let scale = config.number("brightness_scale", 255.0);
        slots.percent("brightness", 0.0, scale, read(&["brightness"]), write("brightness"));
    }
    if has("color_temp", "color_temp") {
        white(slots, read(&["color_temp"]), write("color_temp"));
    }
    if let Some(mode) = coloured {
        let space = match mode {
            "hs" => Space::Hue,
            "xy" => Space::Place,
            _ => Space::Rgb,
        };
        let domain = json!({"type": "enum", "range": slots.names.colours.range()});
        slots.add("color", Codec::Parts(space), domain, read(&["color"]), write("color"));
    }
    effects(slots, |_| (read(&["effect"]), write("effect")));
}

fn template(slots: &mut Slots) {
    let config = slots.config;
    let (Some(topic), Some(on), Some(off)) =
        (config.topic("command_topic"), config.text("command_on_template"), config.text("command_off_template"))
    else {
        return;
    };
    let write = |key: &'static str| Some(Writer::Light { topic: topic.clone(), on: on.clone(), off: off.clone(), key });
    let read = |slots: &Slots, key: &str| {
        config.get(key)?;
        slots.reader("state_topic", key)
    };
    let state = read(slots, "state_template");
    slots.flag("power", "on", "off", state, write("state"));
    if on.contains("brightness") {
        let state = read(slots, "brightness_template");
        slots.percent("brightness", 0.0, 255.0, state, write("brightness"));
    }
    if on.contains("color_temp") {
        let state = read(slots, "color_temp_template");
        white(slots, state, write("color_temp"));
    }
    if on.contains("red") && on.contains("green") && on.contains("blue") {
        let domain = json!({"type": "enum", "range": slots.names.colours.range()});
        slots.add("color", Codec::Parts(Space::Rgb), domain, None, write("color"));
    }
    effects(slots, |slots| (read(slots, "effect_template"), write("effect")));
}

/// The colour temperature, in whichever unit the light has it.
fn white(slots: &mut Slots, read: Option<Reader>, write: Option<Writer>) {
    let config = slots.config;
    let (codec, low, high) = if config.flag("color_temp_kelvin", false) {
        let (low, high) = (config.number("min_kelvin", 2000.0), config.number("max_kelvin", 6535.0));
        (Codec::Number { integer: true }, low, high)
    } else {
        let (min, max) = (config.number("min_mireds", MIRED.0), config.number("max_mireds", MIRED.1));
        if !(min >= 50.0 && min < max && max <= 1000.0) {
            return;
        }
        (Codec::Kelvin { min, max }, (1e6 / max).round(), (1e6 / min).round())
    };
    if low > 0.0 && low < high {
        let domain = json!({"type": "uint", "min": low.round() as i64, "max": high.round() as i64, "unit": "K"});
        slots.add("color_temp", codec, domain, read, write);
    }
}

fn effects(slots: &mut Slots, io: impl Fn(&Slots) -> (Option<Reader>, Option<Writer>)) {
    let effects = slots.config.texts("effect_list", &[]);
    let (read, write) = io(slots);
    let wanted = write.is_some() && (slots.config.text_or("schema", "basic") == "basic" || !effects.is_empty());
    if wanted {
        slots.choice("effect", &effects, read, write);
    }
}

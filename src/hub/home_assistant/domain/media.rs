//! What plays.

use super::super::call::{Call, Foreign};
use super::super::entity::Entity;
use super::super::portrait::{Portrait, Range};
use super::{number, percent, tell, text, yes_or_no};
use crate::home::State;

const PAUSE: u64 = 1;
const VOLUME_SET: u64 = 4;
const VOLUME_MUTE: u64 = 8;
const PREVIOUS: u64 = 16;
const NEXT: u64 = 32;
const TURN_ON: u64 = 128;
const TURN_OFF: u64 = 256;
const VOLUME_STEP: u64 = 1_024;
const SELECT_SOURCE: u64 = 2_048;
const STOP: u64 = 4_096;
const PLAY: u64 = 16_384;
const SHUFFLE: u64 = 32_768;
const SELECT_SOUND: u64 = 65_536;
const REPEAT: u64 = 262_144;

/// What can be done to what plays: feature, value and service.
const PLAYBACK: [(u64, &str, &str); 5] = [
    (PLAY, "play", "media_play"),
    (PAUSE, "pause", "media_pause"),
    (STOP, "stop", "media_stop"),
    (NEXT, "next", "media_next_track"),
    (PREVIOUS, "previous", "media_previous_track"),
];

/// What a player can do.
pub(super) fn portray(entity: &Entity, portrait: &mut Portrait) {
    if entity.has(TURN_ON | TURN_OFF) {
        portrait.flag("power");
    } else if entity.has(TURN_ON) {
        portrait.command("turn_on");
    } else if entity.has(TURN_OFF) {
        portrait.command("turn_off");
    }
    if entity.has(VOLUME_SET) {
        portrait.number("volume", Range { min: 0.0, max: 100.0, step: 1.0, unit: "%" });
    } else if entity.has(VOLUME_STEP) {
        portrait.command("volume_up");
        portrait.command("volume_down");
    }
    if entity.has(VOLUME_MUTE) {
        portrait.flag("mute");
    }
    let playback: Vec<&str> = PLAYBACK.iter().filter(|(f, ..)| entity.has(*f)).map(|(_, value, _)| *value).collect();
    portrait.choice("playback", &playback);
    if entity.has(SELECT_SOURCE) {
        portrait.choice("source", &entity.list("source_list"));
    }
    if entity.has(SELECT_SOUND) {
        portrait.choice("sound_mode", &entity.list("sound_mode_list"));
    }
    if entity.has(SHUFFLE) {
        portrait.flag("shuffle");
    }
    if entity.has(REPEAT) {
        portrait.choice("repeat", &["off", "all", "one"]);
    }
}

/// What a player tells.
pub(super) fn state(entity: &Entity, state: &mut State) {
    let known = entity.known();
    tell(state, "power", known.map(|known| !["off", "standby"].contains(&known)));
    let playback = known.and_then(|known| match known {
        "playing" | "buffering" => Some("play"),
        "paused" => Some("pause"),
        "idle" if entity.has(STOP) => Some("stop"),
        _ => None,
    });
    tell(state, "playback", playback);
    tell(state, "volume", entity.number("volume_level").map(percent));
    tell(state, "mute", entity.flag("is_volume_muted"));
    tell(state, "source", entity.text("source"));
    tell(state, "sound_mode", entity.text("sound_mode"));
    tell(state, "shuffle", entity.flag("shuffle"));
    tell(state, "repeat", entity.text("repeat"));
}

/// First that it is on, then what it plays.
pub(super) fn calls(domain: &'static str, _: &Entity, wanted: &State) -> Result<Vec<Call>, Foreign> {
    let mut calls = Vec::new();
    if let Some(power) = wanted.get("power") {
        if !yes_or_no("power", power)? {
            return Ok(vec![Call::new(domain, "turn_off")]);
        }
        calls.push(Call::new(domain, "turn_on"));
    }
    for (id, value) in wanted {
        calls.push(match id.as_str() {
            "power" => continue,
            "volume" => {
                let share = number(id, value)?.clamp(0.0, 100.0) / 100.0;
                Call::new(domain, "volume_set").with("volume_level", share)
            }
            "mute" => Call::new(domain, "volume_mute").with("is_volume_muted", yes_or_no(id, value)?),
            "playback" => {
                let said = text(id, value)?;
                let (_, value, service) =
                    PLAYBACK.iter().find(|(_, value, _)| *value == said).ok_or_else(|| Foreign::new(id))?;
                if ["next", "previous"].contains(value) {
                    Call::once(domain, service)
                } else {
                    Call::new(domain, service)
                }
            }
            "source" => Call::new(domain, "select_source").with("source", text(id, value)?),
            "sound_mode" => Call::new(domain, "select_sound_mode").with("sound_mode", text(id, value)?),
            "shuffle" => Call::new(domain, "shuffle_set").with("shuffle", yes_or_no(id, value)?),
            "repeat" => Call::new(domain, "repeat_set").with("repeat", text(id, value)?),
            other => return Err(Foreign::new(other)),
        });
    }
    Ok(calls)
}

//! The words of `zh/zigbee2mqtt.yaml`: what properties, values, parts and devices are called.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::wire::{Definition, Expose};
use crate::home::Risk;

/// The data, read once when a hub is made.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::hub) struct Words {
    properties: HashMap<String, String>,
    words: HashMap<String, String>,
    silent: HashSet<String>,
    switches: Vec<String>,
    values: HashMap<String, String>,
    endpoints: HashMap<String, String>,
    numbered: (String, String),
    kinds: Vec<Kind>,
    pub(super) nameless: String,
    pub(super) cover: String,
    pub(super) power: String,
    pub(super) locked: String,
    never: HashSet<String>,
    parts: HashSet<String>,
    rooms: Vec<String>,
}

/// What a device may be, and how that is seen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kind {
    pub(super) word: String,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    described: Vec<String>,
    #[serde(default)]
    exposes: Vec<String>,
    pub(super) risk: Option<Risk>,
}

impl Words {
    /// What a property is called, if there are words for it.
    pub(in crate::hub) fn property(&self, name: &str) -> Option<String> {
        if let Some(word) = self.properties.get(name) {
            return Some(word.clone());
        }
        let mut composed = String::new();
        for token in tokens(name).iter().filter(|token| !self.silent.contains(*token)) {
            let numbered = token.strip_prefix('l').unwrap_or(token);
            if let Some(word) = self.words.get(token) {
                composed.push_str(word);
            } else if numbered.chars().all(|c| c.is_ascii_digit()) {
                composed.push_str(numbered);
            } else if token.len() == 1 {
                composed.push_str(&token.to_uppercase());
            } else {
                return None;
            }
        }
        (!composed.is_ascii()).then_some(composed)
    }

    /// What a value is called, if there is a word for it.
    pub(in crate::hub) fn value(&self, value: &str) -> Option<&str> {
        self.values.get(&value.trim().to_lowercase()).map(String::as_str)
    }

    /// What something that is on or off is called, without what says that it is.
    pub(super) fn plain<'a>(&self, word: &'a str) -> &'a str {
        let stem = self.switches.iter().find_map(|ending| word.strip_suffix(ending.as_str()));
        stem.filter(|stem| stem.chars().count() > 1).unwrap_or(word)
    }

    /// The name of a part of a device.
    pub(super) fn part(&self, device: &str, part: &str) -> String {
        let plain = ["switch_", "button_", "l", "s", "ch"].iter().find_map(|p| part.strip_prefix(p)).unwrap_or(part);
        let number = Some(plain).filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit()));
        let Some(number) = number else {
            let word = self.endpoints.get(part).cloned().or_else(|| self.property(part));
            return format!("{device}{}", word.unwrap_or_else(|| part.to_uppercase()));
        };
        match device {
            _ if device.ends_with(|c: char| c.is_ascii_digit()) => {
                format!("{device}{}{number}{}", self.numbered.0, self.numbered.1)
            }
            _ => format!("{device}{number}"),
        }
    }

    /// Whether a part of a device is named after a side or its number, and not after what it does.
    pub(super) fn is_place(&self, part: &str) -> bool {
        self.endpoints.contains_key(part) || self.part("", part).is_ascii()
    }

    /// What a device is. `types` are those of its own exposes.
    pub(super) fn kind(&self, definition: &Definition, types: &[&str], exposes: &[&Expose]) -> Option<&Kind> {
        let description = definition.description.to_lowercase();
        self.kinds.iter().find(|kind| {
            (kind.types.is_empty() || kind.types.iter().any(|t| types.contains(&t.as_str())))
                && (kind.described.is_empty() || kind.described.iter().any(|words| description.contains(words)))
                && kind.exposes.iter().all(|name| exposes.iter().any(|e| e.name() == name))
        })
    }

    /// Whether a property is not for people.
    pub(in crate::hub) fn never(&self, name: &str) -> bool {
        self.never.contains(name)
    }

    /// Whether the parts of a composite can be set one by one.
    pub(super) fn apart(&self, name: &str) -> bool {
        self.parts.contains(name)
    }

    /// The room that a name begins with.
    pub(in crate::hub) fn room(&self, name: &str) -> Option<&str> {
        let begins = self.rooms.iter().filter(|room| name.len() > room.len() && name.starts_with(room.as_str()));
        begins.max_by_key(|room| room.len()).map(String::as_str)
    }
}

/// The words of an identifier: `auto_off` and `autoOff` alike.
fn tokens(name: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower) {
            tokens.push(String::new());
        }
        lower = c.is_lowercase() || c.is_ascii_digit();
        if let Some(last) = tokens.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_composed_of_known_words_and_of_no_others() {
        let words = crate::hub::HubWords::default().zigbee2mqtt;
        assert_eq!(words.property("child_lock").as_deref(), Some("童锁"));
        assert_eq!(words.property("min_temperature").as_deref(), Some("最低温度"));
        assert_eq!(words.property("heatingPumpMode").as_deref(), Some("制热水泵模式"));
        assert_eq!(words.property("countdown_l2").as_deref(), Some("延时时长2"));
        assert_eq!(words.property("frobnicate_mode"), None);
        assert_eq!(words.property("12"), None);
    }

    #[test]
    fn parts_are_called_by_side_or_number() {
        let words = crate::hub::HubWords::default().zigbee2mqtt;
        assert_eq!(words.part("玄关开关", "left"), "玄关开关左键");
        assert_eq!(words.part("玄关开关", "l2"), "玄关开关2");
        assert_eq!(words.part("开关1", "l2"), "开关1第2路");
        assert_eq!(words.part("开关", "x"), "开关X");
        assert_eq!(words.part("床", "led_red"), "床指示灯红色");
        assert!(words.is_place("l1") && words.is_place("left") && !words.is_place("sleep_mode"));
    }
}

//! What things of Home Assistant are called here, as data.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::zh::{Data, DataError, Problem};

/// The texts of `zh/home_assistant.yaml`.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(in crate::hub) struct Words {
    #[serde(rename = "version")]
    _version: u32,
    properties: BTreeMap<String, String>,
    commands: BTreeMap<String, String>,
    values: BTreeMap<String, BTreeMap<String, String>>,
    /// Colours by name, in the order of the file.
    pub(super) colors: serde_json::Map<String, serde_json::Value>,
    /// A colour without a name.
    pub(super) other_color: String,
    kinds: BTreeMap<String, BTreeMap<String, Kind>>,
    pub(super) cooling: Kind,
    pub(super) heating: Kind,
    sensors: BTreeMap<String, Sensor>,
    binary_sensors: BTreeMap<String, Sensor>,
    units: BTreeMap<String, String>,
    /// Behind the name of the device of a scene.
    pub(super) scene: String,
    /// The same for a script.
    pub(super) script: String,
}

/// What a thing is.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Kind {
    /// It counts as this, whatever it is called.
    pub(super) is: String,
    /// It counts as this if its name says nothing.
    pub(super) category: String,
    /// How dangerous a wrong move is.
    pub(super) risk: Option<Danger>,
}

/// How dangerous a wrong move is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Danger {
    /// Opening or starting it wants a yes.
    High,
}

/// What a sensor tells.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct Sensor {
    pub(super) id: String,
    pub(super) describe: String,
    pub(super) is: String,
    #[serde(default)]
    pub(super) inverted: bool,
}

impl Words {
    /// Those of a file. What has no class is something as well.
    pub(in crate::hub) fn of(data: &Data) -> Result<Self, DataError> {
        let words: Self = data.read()?;
        for (section, sensors) in [("sensors", &words.sensors), ("binary_sensors", &words.binary_sensors)] {
            if !sensors.contains_key("") {
                return Err(data.fault(section, Problem::Missing { what: "class", id: String::new() }));
            }
        }
        Ok(words)
    }

    /// What a property is called.
    pub(in crate::hub) fn property(&self, id: &str) -> &str {
        self.properties.get(id).map_or("", String::as_str)
    }

    /// What a command does.
    pub(super) fn command(&self, service: &str) -> &str {
        self.commands.get(service).map_or("", String::as_str)
    }

    /// What a value of a property is called: as its hub does, where there is no other word for it. Numbers and single
    /// letters are no names.
    pub(super) fn value<'a>(&'a self, property: &str, value: &'a str) -> &'a str {
        let is_name = value.chars().nth(1).is_some() && value.chars().any(char::is_alphabetic);
        self.known_value(property, value).unwrap_or(if is_name { value } else { "" })
    }

    /// What a value of a property is called here.
    pub(super) fn known_value(&self, property: &str, value: &str) -> Option<&str> {
        self.values.get(property)?.get(&value.to_lowercase()).map(String::as_str)
    }

    /// What a thing of this domain and device class is.
    pub(super) fn kind(&self, domain: &str, class: &str) -> Kind {
        let kinds = self.kinds.get(domain);
        kinds.and_then(|kinds| kinds.get(class).or_else(|| kinds.get(""))).cloned().unwrap_or_default()
    }

    /// What a sensor of this class tells.
    pub(super) fn sensor(&self, class: &str) -> &Sensor {
        entry(&self.sensors, class)
    }

    /// What a sensor of this class says yes or no to.
    pub(super) fn binary_sensor(&self, class: &str) -> &Sensor {
        entry(&self.binary_sensors, class)
    }

    /// A unit as home documents write it.
    pub(super) fn unit<'a>(&'a self, unit: &'a str) -> &'a str {
        self.units.get(unit).map_or(unit, String::as_str)
    }
}

fn entry<'a>(of: &'a BTreeMap<String, Sensor>, class: &str) -> &'a Sensor {
    of.get(class).or_else(|| of.get("")).expect("the file has an entry for what has no class, and a test reads it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_can_be_read_and_knows_what_has_no_class() {
        let words = crate::hub::HubWords::default().home_assistant;
        assert_eq!(words.property("brightness"), "亮度");
        assert_eq!(words.value("mode", "FAN_ONLY"), "送风");
        assert_eq!(words.value("mode", "of nobody"), "of nobody");
        assert_eq!(words.value("mode", "7"), "");
        assert_eq!(words.sensor("of nobody").id, "state");
        assert_eq!(words.binary_sensor("of nobody").id, "active");
        assert_eq!(words.kind("cover", "garage").risk, Some(Danger::High));
        assert_eq!(words.kind("nothing", ""), Kind::default());
    }
}

//! One change of the owner's file: what is said of one device, and the text of the file afterwards.
//!
//! The lines of the device are replaced where they stand, so that the rest of the file stays as a person wrote it. Whether
//! the text then says what it should is read off it; where it does not (a file in another form), it is written anew.

use serde_json::Value as Json;
use serde_yaml::{Mapping, Value};

use super::{DEVICES, MAX_BYTES, Overrides};
use crate::home::{MAX_ID_CHARS, MAX_LISTED};

/// The fields of a change, and what they are in the file.
const FIELDS: [&str; 5] = ["name", "aliases", "room", "exposed", "risk"];

/// What to say of one device from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// The device.
    pub device: String,
    /// The fields of the file; `None` says no more of it.
    set: Vec<(&'static str, Option<Value>)>,
}

impl Edit {
    /// Reads `{"device", "set": {"name", "aliases", "room", "exposed", "risk"}}`; null takes back what is said.
    ///
    /// # Errors
    /// What is wrong with it. Values are checked with the file as a whole.
    pub fn read(asked: &Json) -> Result<Self, String> {
        let device = asked["device"].as_str().filter(|id| !id.is_empty() && id.chars().count() <= MAX_ID_CHARS);
        let device = device.ok_or_else(|| format!("device: must be an id of 1 to {MAX_ID_CHARS} characters"))?;
        let wanted = asked["set"].as_object().filter(|set| !set.is_empty());
        let wanted = wanted.ok_or_else(|| format!("set: must have one of {}", FIELDS.join(", ")))?;
        let mut set = Vec::new();
        for (field, value) in wanted {
            let known = FIELDS.iter().find(|known| *known == field);
            let field = known.ok_or_else(|| format!("set: unknown field; known are {}", FIELDS.join(", ")))?;
            set.push(match (*field, value) {
                ("exposed", Json::Null | Json::Bool(true)) => ("hidden", None),
                ("exposed", Json::Bool(false)) => ("hidden", Some(Value::Bool(true))),
                ("exposed", _) => return Err("exposed: must be true, false or null".into()),
                (field, Json::Null) => (field, None),
                ("aliases", Json::Array(names)) => (*field, Some(texts(names)?)),
                ("aliases", _) => return Err("aliases: must be a list of names, or null".into()),
                (field, Json::String(text)) => (field, Some(Value::String(text.trim().to_owned()))),
                (field, _) => return Err(format!("{field}: must be a text or null")),
            });
        }
        Ok(Self { device: device.to_owned(), set })
    }

    /// What it changes, in a word for each field.
    pub fn what(&self) -> String {
        let fields: Vec<&str> = self.set.iter().map(|(field, _)| *field).collect();
        format!("{}: {}", self.device, fields.join(", "))
    }

    /// The text of the file with this change in it.
    ///
    /// # Errors
    /// When it cannot be read, or what is wrong with it afterwards.
    pub fn apply(&self, text: &str) -> Result<String, String> {
        Overrides::read(text)?;
        let mut tree = match serde_yaml::from_str(text).map_err(|error| error.to_string())? {
            Value::Mapping(tree) => tree,
            _ => Mapping::new(),
        };
        let mut devices = match tree.get(DEVICES) {
            Some(Value::Mapping(devices)) => devices.clone(),
            _ => Mapping::new(),
        };
        let key = Value::String(self.device.clone());
        let mut entry = match devices.get(&key) {
            Some(Value::Mapping(entry)) => entry.clone(),
            _ => Mapping::new(),
        };
        for (field, value) in &self.set {
            let field = Value::String((*field).to_owned());
            match value {
                Some(value) => _ = entry.insert(field, value.clone()),
                None => _ = entry.shift_remove(&field),
            }
        }
        let block = (!entry.is_empty()).then(|| block(&key, &entry)).transpose()?;
        match entry.is_empty() {
            true => _ = devices.shift_remove(&key),
            false => _ = devices.insert(key, Value::Mapping(entry)),
        }
        tree.insert(Value::String(DEVICES.to_owned()), Value::Mapping(devices));
        let anew = serde_yaml::to_string(&tree).map_err(|error| error.to_string())?;
        let wanted = Overrides::read(&anew)?;
        let kept = spliced(text, &self.device, block.as_deref());
        let text = kept.filter(|kept| Overrides::read(kept).as_ref() == Ok(&wanted)).unwrap_or(anew);
        match text.len() as u64 > MAX_BYTES {
            true => Err(format!("the file would be larger than {MAX_BYTES} bytes")),
            false => Ok(text),
        }
    }
}

fn texts(names: &[Json]) -> Result<Value, String> {
    // How many there may be is told with the file; this only bounds the work.
    let names = names.iter().take(MAX_LISTED).map(|name| name.as_str().map(|name| Value::String(name.trim().into())));
    names.collect::<Option<Vec<_>>>().map(Value::Sequence).ok_or_else(|| "aliases: each must be a text".into())
}

/// The lines of a device.
fn block(key: &Value, entry: &Mapping) -> Result<String, String> {
    let whole = Mapping::from_iter([(key.clone(), Value::Mapping(entry.clone()))]);
    serde_yaml::to_string(&whole).map_err(|error| error.to_string())
}

/// The text with the lines of one device replaced, where the file is written as people write it.
fn spliced(text: &str, device: &str, block: Option<&str>) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let Some(head) = lines.iter().position(|line| line.trim_end() == format!("{DEVICES}:")) else {
        // Nothing but comments.
        let rest = block.map(|block| format!("{DEVICES}:\n{}", indented(block, 2))).unwrap_or_default();
        return (!lines.iter().any(is_said)).then(|| joined(&lines) + &rest);
    };
    let body = head + 1;
    let end = (body..lines.len()).find(|at| is_said(&lines[*at]) && indent(lines[*at]) == 0).unwrap_or(lines.len());
    let depth = lines[body..end].iter().find(|line| is_said(line)).map_or(2, |line| indent(line));
    let is_key = |at: &usize| is_said(&lines[*at]) && indent(lines[*at]) == depth;
    let of_device = |line: &str| {
        let read = serde_yaml::from_str::<Mapping>(line.trim()).ok();
        read.is_some_and(|read| read.keys().next().and_then(Value::as_str) == Some(device))
    };
    let keys: Vec<usize> = (body..end).filter(is_key).collect();
    let last = |from: usize| (body..from).rev().find(|at| is_said(&lines[*at])).map_or(body, |at| at + 1);
    let (from, to) = match keys.iter().position(|at| of_device(lines[*at])) {
        // What stands before the next device is of that one.
        Some(at) => (keys[at], last(keys.get(at + 1).copied().unwrap_or(end))),
        None => (last(end), last(end)),
    };
    let remarks = lines[from..to].iter().filter(|line| line.trim_start().starts_with('#'));
    let remarks = joined(&remarks.copied().collect::<Vec<_>>());
    let block = block.map(|block| indented(block, depth)).unwrap_or_default();
    Some(joined(&lines[..from]) + &remarks + &block + &joined(&lines[to..]))
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn indented(block: &str, depth: usize) -> String {
    let pad = " ".repeat(depth);
    block.lines().map(|line| format!("{pad}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const FILE: &str = "# mine\ndevices:\n  # the lamp\n  a:\n    name: 台灯  # by the bed\n    # since May\n    room: 主卧\n\n  # the plug\n  'z2m:1': {hidden: true}\n  c:\n    aliases: [甲, 乙]\n# the end\n";

    fn edit(device: &str, set: Json) -> Edit {
        Edit::read(&json!({"device": device, "set": set})).unwrap()
    }

    #[test]
    fn what_a_person_wrote_around_it_stays() {
        let text = edit("a", json!({"name": "夜灯", "risk": "high"})).apply(FILE).unwrap();
        for line in
            ["# mine", "  # the lamp", "    # since May", "  # the plug", "  'z2m:1': {hidden: true}", "# the end"]
        {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        assert!(text.contains("    name: 夜灯\n    room: 主卧\n    risk: high\n") && !text.contains("台灯"), "{text}");
        let text = edit("c", json!({"aliases": null})).apply(&text).unwrap();
        assert!(!text.contains("c:") && text.ends_with("# the end\n"), "{text}");
        let text = edit("z2m:1", json!({"exposed": true, "name": "插座"})).apply(&text).unwrap();
        assert!(text.contains("  # the plug\n  z2m:1:\n    name: 插座\n"), "{text}");
        let text = edit("new", json!({"aliases": ["大灯"], "exposed": false})).apply(&text).unwrap();
        let said = Overrides::read(&text).unwrap();
        assert_eq!(
            (said.fields("new"), said.hides("new"), said.hides("z2m:1")),
            (vec!["aliases", "exposed"], true, false)
        );
        assert!(text.contains("# mine") && text.contains("# the end"), "{text}");
    }

    #[test]
    fn a_file_that_is_not_there_or_in_another_form_is_written() {
        for text in ["", "# only this\n", "devices:\n", "devices: {}\n", "{\"devices\": {\"b\": {\"name\": \"灯\"}}}"]
        {
            let text = edit("a", json!({"name": "灯: 一"})).apply(text).unwrap();
            assert_eq!(Overrides::read(&text).unwrap().shown()["a"], json!({"name": "灯: 一"}), "{text}");
        }
        assert!(edit("a", json!({"name": "灯"})).apply("# only this\n").unwrap().starts_with("# only this\n"));
        let flow = "{\"devices\": {\"b\": {\"name\": \"灯\"}}}";
        assert!(
            Overrides::read(&edit("a", json!({"name": "灯"})).apply(flow).unwrap()).unwrap().shown()["b"].is_object()
        );
    }

    #[test]
    fn what_the_file_may_not_say_is_refused_with_the_reason() {
        for (set, reason) in [
            (json!({"name": ""}), "a name has"),
            (json!({"name": "长".repeat(999)}), "a name has"),
            (json!({"risk": "none"}), "devices.a: unknown variant"),
            (json!({"aliases": vec!["名"; 300]}), "aliases"),
        ] {
            let refused = edit("a", set).apply(FILE).unwrap_err();
            assert!(refused.contains(reason), "{refused}");
        }
        assert!(edit("a", json!({"name": "灯"})).apply("devices: [1]").is_err());
        for bad in [
            json!({}),
            json!({"device": "a"}),
            json!({"device": "", "set": {"name": "x"}}),
            json!({"device": "a", "set": {}}),
            json!({"device": "a", "set": {"nam": "x"}}),
            json!({"device": "a", "set": {"name": 7}}),
            json!({"device": "a", "set": {"aliases": [7]}}),
            json!({"device": "a", "set": {"exposed": "no"}}),
        ] {
            assert!(Edit::read(&bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_set_is_what_is_read_and_nothing_else_changes(
            id in "[\\PC\\n\"'#:{}-]{1,12}", name in "\\PC{1,20}", alias in "[\\PC\\n\"'#:]{1,12}",
        ) {
            prop_assume!(!name.trim().is_empty() && !alias.trim().is_empty());
            prop_assume!(!["a", "c", "z2m:1"].contains(&id.as_str()));
            let text = edit(&id, json!({"name": name, "aliases": [alias]})).apply(FILE).unwrap();
            let mut said = Overrides::read(&text).unwrap().shown();
            let new = said.as_object_mut().unwrap().shift_remove(&id).unwrap();
            prop_assert_eq!(new, json!({"name": name.trim(), "aliases": [alias.trim()]}));
            prop_assert_eq!(&said, &Overrides::read(FILE).unwrap().shown());
            let back = edit(&id, json!({"name": null, "aliases": null})).apply(&text).unwrap();
            prop_assert_eq!(Overrides::read(&back).unwrap(), Overrides::read(FILE).unwrap());
        }
    }
}

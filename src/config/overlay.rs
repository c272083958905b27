//! One YAML tree out of file, variables and flags.

use std::collections::BTreeMap;
use std::path::Path;

use serde_yaml::{Mapping, Value};

use super::{ConfigError, Environment, Flags, Problem};

/// Larger files are no configuration.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Names for the settings that people set most; all others are `ZHIJU_SECTION__KEY`.
const SHORT_NAMES: [(&str, &str); 3] =
    [("ZHIJU_STORE", "store.dir"), ("ZHIJU_MODEL", "model.dir"), ("ZHIJU_LOG", "log.level")];

/// Which variable or flag set a key, by the key's path.
pub(super) type Sources = BTreeMap<String, String>;

/// Reads a configuration file.
pub(super) fn read(path: &Path) -> Result<String, ConfigError> {
    let failed = |text: String| single(&path.display().to_string(), text);
    let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > MAX_FILE_BYTES {
        return Err(failed(format!("is {size} bytes large, more than {MAX_FILE_BYTES}")));
    }
    std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))
}

/// Lays variables, then flags over the file's text.
pub(super) fn merge(text: &str, environment: &Environment, flags: &Flags) -> Result<(Value, Sources), ConfigError> {
    // A tree first, because serde_yaml refuses duplicate keys there and lets the last one win in typed maps.
    let mut tree: Value = serde_yaml::from_str(text).map_err(|error| single("zhiju.yaml", error.to_string()))?;
    if tree.is_null() {
        tree = Value::Mapping(Mapping::new());
    }
    if !tree.is_mapping() {
        return Err(single("zhiju.yaml", "must be a mapping of sections"));
    }
    let mut problems = Vec::new();
    let mut sources = Sources::new();
    let mut put = |path: &str, value: &str, source: &str| {
        if set(&mut tree, path, value) {
            sources.insert(path.to_owned(), source.to_owned());
        } else {
            problems.push(problem(path, "its section is not a mapping", source));
        }
    };
    let mut broken = Vec::new();
    for (name, value) in environment.iter() {
        let Some(rest) = name.strip_prefix("ZHIJU_") else { continue };
        if value.is_empty() || name == "ZHIJU_CONFIG" || rest.starts_with("TEST_") {
            continue;
        }
        if name == "ZHIJU_BROKER" {
            broken.extend(put_broker(value, name, &mut put));
        } else if let Some((_, path)) = SHORT_NAMES.iter().find(|(short, _)| *short == name) {
            put(path, value, name);
        } else {
            put(&rest.to_lowercase().replace("__", "."), value, name);
        }
    }
    if let Some(broker) = &flags.broker {
        broken.extend(put_broker(broker, "--broker", &mut put));
    }
    if let Some(home_id) = &flags.home_id {
        put("home_id", home_id, "--home-id");
    }
    for (dir, path, flag) in [(&flags.store, "store.dir", "--store"), (&flags.model, "model.dir", "--model")] {
        if let Some(dir) = dir {
            put(path, &dir.to_string_lossy(), flag);
        }
    }
    problems.extend(broken);
    if problems.is_empty() { Ok((tree, sources)) } else { Err(ConfigError { problems }) }
}

/// Sets host and port from `HOST:PORT`, `HOST` or `[V6]:PORT`.
fn put_broker(value: &str, source: &str, put: &mut impl FnMut(&str, &str, &str)) -> Option<Problem> {
    let (host, port) = match value.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (value, None),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() {
        return Some(problem("mqtt.host", "must be HOST or HOST:PORT", source));
    }
    put("mqtt.host", host, source);
    if let Some(port) = port {
        put("mqtt.port", port, source);
    }
    None
}

/// Puts a text at a path, making the sections on the way; `false` when something on the way is no section.
fn set(tree: &mut Value, path: &str, text: &str) -> bool {
    let mut at = tree;
    let mut keys = path.split('.').peekable();
    while let Some(key) = keys.next() {
        if at.is_null() {
            *at = Value::Mapping(Mapping::new());
        }
        let Some(section) = at.as_mapping_mut() else { return false };
        let slot = section.entry(Value::from(key)).or_insert(Value::Null);
        if keys.peek().is_none() {
            *slot = Value::from(text);
            return true;
        }
        at = slot;
    }
    false
}

fn problem(key: &str, text: impl Into<String>, source: &str) -> Problem {
    Problem { key: key.to_owned(), text: text.into(), source: Some(source.to_owned()) }
}

fn single(key: &str, text: impl Into<String>) -> ConfigError {
    ConfigError { problems: vec![Problem { key: key.to_owned(), text: text.into(), source: None }] }
}

//! What entities tell, and what they are told.

use super::super::codec::Codec;
use super::super::{Change, LeftOut};
use super::entity::{Reader, Slot, Writer};
use super::template::{Failed, MAX_TEXT};
use super::thing::{Entity, Layout};
use super::{Discovery, MAX_ENTITIES, group, text_of};
use crate::home::State;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

impl Discovery {
    /// Takes what was published on a topic that entities listen to.
    pub(super) fn told(&mut self, topic: &str, payload: &[u8]) -> Option<Vec<Change>> {
        let ids = self.listeners.get(topic)?.clone();
        if payload.len() > MAX_TEXT {
            return Some(vec![Change::too_large(topic, "", payload.len(), MAX_TEXT)]);
        }
        let text = std::str::from_utf8(payload).ok()?;
        let mut failed: BTreeMap<String, Failed> = BTreeMap::new();
        let parsed: Value = serde_json::from_str(text).unwrap_or_default();
        let mut changes: BTreeMap<String, State> = BTreeMap::new();
        let mut reachable: BTreeMap<String, bool> = BTreeMap::new();
        // Entities of one device share their things: they are worked out once.
        let mut groups: HashMap<String, HashSet<String>> = HashMap::new();
        for id in ids {
            let Some(entity) = self.entities.get_mut(&id) else { continue };
            let before = entity.availability.online();
            let templates = &self.templates;
            entity.availability.hear(topic, |sign| match &sign.template {
                Some(template) => {
                    let made = templates.of_payload(template, text, &parsed);
                    made.map_err(|reason| failed.insert(id.clone(), reason)).ok()
                }
                None => Some(text.trim().to_owned()),
            });
            if before != entity.availability.online() {
                reachable.insert(id.clone(), !before);
            }
            groups.entry(group(entity)).or_default().insert(id);
        }
        for (group, heard) in groups {
            let layout = self.layout(&group);
            let ids = self.devices.get(&group).map(Vec::as_slice).unwrap_or_default();
            let mut modes = Vec::new();
            for (thing, main) in &layout.things {
                if let Some(online) = main.and_then(|at| reachable.get(ids.get(at)?)) {
                    reachable.insert(format!(" {thing}"), *online);
                }
            }
            for (thing, property, (at, slot)) in &layout.properties {
                let Some(entity) = ids.get(*at).filter(|id| heard.contains(*id)).and_then(|id| self.entities.get(id))
                else {
                    continue;
                };
                let slot = &entity.form.slots[*slot];
                let read = slot.read.as_ref().filter(|read| entity.form.is_topic(topic, &read.topic));
                let Some(read) = read else { continue };
                let raw = match self.raw(read, &slot.codec, text, &parsed) {
                    Ok(Some(raw)) => raw,
                    Ok(None) => continue,
                    Err(reason) => {
                        failed.insert(entity.id.clone(), reason);
                        continue;
                    }
                };
                if let Codec::Mode { on, .. } = &slot.codec
                    && on.contains(&raw)
                {
                    modes.push((entity.id.clone(), raw.clone()));
                }
                if let Some(value) = slot.codec.read(&raw, &self.names.colours) {
                    changes.entry(layout.things[*thing].0.clone()).or_default().insert(property.clone(), value);
                }
            }
            self.modes.extend(modes);
            // Of what is gone it is kept as well: things announce themselves anew. But not of any number.
            if self.modes.len() > MAX_ENTITIES {
                self.modes.retain(|id, _| self.entities.contains_key(id));
            }
        }
        let reached = reachable
            .into_iter()
            .filter_map(|(thing, online)| Some(Change::Device { device: thing.strip_prefix(' ')?.to_owned(), online }));
        let states = changes.into_iter().map(|(device, values)| Change::State { device, values });
        let unread = failed.into_iter().filter_map(|(id, Failed(reason))| {
            let (name, reason) =
                (self.entities.get(&id)?.name.clone(), format!("its template is not run: {}", reason?));
            Some(Change::Unread(LeftOut { id, name, reason }))
        });
        Some(reached.chain(states).chain(unread).collect())
    }

    /// Which thing each value of a device belongs to.
    fn layout(&mut self, group: &str) -> Arc<Layout> {
        if let Some(layout) = self.layouts.get(group) {
            return Arc::clone(layout);
        }
        let layout = Arc::new(Layout::of(self.things(group).1));
        self.layouts.insert(group.to_owned(), Arc::clone(&layout));
        layout
    }

    /// What a payload says of one value, before it is put into our words.
    fn raw(&self, read: &Reader, codec: &Codec, text: &str, parsed: &Value) -> Result<Option<Value>, Failed> {
        let made;
        let (mut text, mut parsed) = (text, parsed);
        let inner;
        if let Some(template) = &read.template {
            made = self.templates.of_payload(template, text, parsed)?;
            text = &made;
            inner = if read.path.is_empty() { Value::Null } else { serde_json::from_str(text).unwrap_or_default() };
            parsed = &inner;
        }
        if !read.path.is_empty() {
            let found = read.path.iter().try_fold(parsed, |value, key| value.get(key)).filter(|v| !v.is_null());
            let alias = |said: &str| read.alias.iter().find(|(state, _)| state == said).map(|(_, value)| value.clone());
            return Ok(found.map(|found| found.as_str().and_then(alias).unwrap_or_else(|| found.clone())));
        }
        let text = text.trim();
        if text.is_empty() || text == "None" {
            return Ok(None);
        }
        Ok(match read.alias.iter().find(|(state, _)| state == text) {
            Some((_, value)) => Some(value.clone()),
            None => codec.of_text(text),
        })
    }

    /// The messages that set values of one entity, in order.
    pub(super) fn messages(&self, entity: &Entity, wanted: &[(&Slot, &Value)]) -> Option<Vec<(String, String)>> {
        let full = |topic: &str| entity.form.topic(topic);
        let mut plain: Vec<(bool, String, String)> = Vec::new();
        let mut fields: Vec<(String, Map<String, Value>)> = Vec::new();
        let mut made: Option<(&Writer, Map<String, Value>)> = None;
        for (slot, value) in wanted {
            let last = self.modes.get(&entity.id);
            let written = slot.codec.write(value, last, &self.names.colours)?;
            match slot.write.as_ref()? {
                Writer::Plain { topic, template } => {
                    let payload = match template {
                        Some(template) => self.templates.of_value(template, &written).ok()?,
                        None => text_of(&written),
                    };
                    plain.push((slot.id == "power", full(topic), payload));
                }
                Writer::Each(each) => {
                    let (_, topic, payload) = each.iter().find(|(own, ..)| own == *value)?;
                    plain.push((false, full(topic), payload.clone()));
                }
                Writer::Field { topic, key } => match fields.iter_mut().find(|(t, _)| *t == full(topic)) {
                    Some((_, message)) => drop(message.insert((*key).to_owned(), written)),
                    None => fields.push((full(topic), Map::from_iter([((*key).to_owned(), written)]))),
                },
                writer @ Writer::Light { key, .. } => {
                    let values = &mut made.get_or_insert_with(|| (writer, Map::new())).1;
                    match written {
                        Value::Object(parts) => {
                            for (part, long) in [("r", "red"), ("g", "green"), ("b", "blue")] {
                                values.extend(parts.get(part).map(|v| (long.to_owned(), v.clone())));
                            }
                        }
                        written => drop(values.insert((*key).to_owned(), written)),
                    }
                }
            }
        }
        // A light is told what it shall look like before it is told that it is on, unless it wants it otherwise.
        let first = entity.on_type == "first";
        if entity.on_type == "brightness" && plain.len() > 1 {
            plain.retain(|(power, ..)| !power);
        }
        plain.sort_by_key(|(power, ..)| *power != first);
        let mut messages: Vec<(String, String)> =
            plain.into_iter().map(|(_, topic, payload)| (topic, payload)).collect();
        for (topic, mut message) in fields {
            if entity.platform == "light" && !message.contains_key("state") {
                message.insert("state".into(), "ON".into());
            }
            messages.push((topic, Value::Object(message).to_string()));
        }
        if let Some((Writer::Light { topic, on, off, .. }, mut values)) = made {
            let source = if values.get("state").is_some_and(|state| state == "off") { off } else { on };
            values.insert("state".into(), if source == off { "off" } else { "on" }.into());
            messages.push((full(topic), self.templates.of_values(source, &values.into()).ok()?));
        }
        Some(messages)
    }
}

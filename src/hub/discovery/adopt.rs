//! What comes in and goes: entities, the devices that they belong to, and the topics that they listen to.

use std::collections::HashSet;

use super::config::Config;
use super::entity::{Slot, Writer};
use super::thing::{Availability, Entity, Owner};
use super::{Discovery, MAX_ENTITIES, MAX_ID, MAX_OF_DEVICE, MAX_WEIGHT, group, platform};

impl Discovery {
    /// Takes an entity in, or says which one it was and why it is left out.
    pub(super) fn adopt(&mut self, topic: &str, config: &Config) -> Result<(), (String, String, String)> {
        let name = config.text("name").unwrap_or_default();
        let unique = config
            .text("unique_id")
            .unwrap_or_else(|| topic.strip_prefix(&self.prefix).unwrap_or(topic).trim_matches('/').replace('/', "."));
        let id = format!("{}:{unique}", config.platform);
        let refuse = |reason: &str| (id.clone(), name.clone(), reason.to_owned());
        if id.chars().count() > MAX_ID || id.chars().any(char::is_control) {
            return Err(refuse("its id is too long or no text"));
        }
        if !config.flag("enabled_by_default", true) {
            return Err(refuse("its publisher does not enable it"));
        }
        if self.names.never(&config.object) {
            return Err(refuse("is not for people"));
        }
        if self.entities.contains_key(&id)
            && let Some((old, _)) = self.topics.iter().find(|(_, ids)| ids.contains(&id))
        {
            let old = old.clone();
            if !self.migrating.contains(&old) {
                return Err(refuse("its id is there already"));
            }
            self.remove(&id);
            self.topics.entry(old).or_default().retain(|of| *of != id);
        }
        if self.entities.len() >= MAX_ENTITIES {
            return Err(refuse("there are too many entities"));
        }
        let weight = config.weight();
        if self.weight + weight > MAX_WEIGHT {
            return Err(refuse("what all entities say of themselves is too much"));
        }
        let device = Owner::read(config);
        let group = if device.key.is_empty() { id.clone() } else { format!("device {}", device.key) };
        if self.devices.get(&group).is_some_and(|of| of.len() >= MAX_OF_DEVICE) {
            return Err(refuse("its device has too many entities"));
        }
        let (role, mut slots) = platform::read(config, &self.names).map_err(|reason| refuse(&reason))?;
        let mut refused = None;
        slots.retain_mut(|slot| self.runs(slot, &mut refused));
        if slots.is_empty() {
            return Err(refuse(&format!("its template is not run: {}", refused.unwrap_or_default())));
        }
        let availability = Availability::read(config);
        let mut listens: HashSet<&str> = availability.topics.iter().map(|sign| sign.topic.as_str()).collect();
        listens.extend(slots.iter().filter_map(|slot| slot.read.as_ref()).map(|read| read.topic.as_str()));
        for heard in listens {
            self.listeners.entry(heard.to_owned()).or_insert_with(|| Vec::with_capacity(1)).push(id.clone());
        }
        let entity = Entity {
            id: id.clone(),
            platform: config.platform.clone(),
            object: config.object.clone(),
            class: config.text("device_class"),
            role,
            form: self.forms.take(slots),
            device,
            name,
            availability,
            on_type: config.word("on_command_type", "last"),
            weight,
        };
        self.weight += weight;
        self.entities.insert(id.clone(), Box::new(entity));
        self.layouts.remove(&group);
        let of = self.devices.entry(group).or_insert_with(|| Vec::with_capacity(1));
        let at = of.binary_search(&id).unwrap_or_else(|at| at);
        of.insert(at, id.clone());
        self.topics.entry(topic.to_owned()).or_insert_with(|| Vec::with_capacity(1)).push(id);
        Ok(())
    }

    /// Whether what a property needs can be run; what it cannot be read by is taken from it.
    fn runs(&self, slot: &mut Slot, refused: &mut Option<String>) -> bool {
        let mut bad = |source: Option<&String>| {
            let reason = source.and_then(|source| self.templates.refusal(source));
            let is_bad = reason.is_some();
            if let Some(reason) = reason {
                refused.get_or_insert(reason);
            }
            is_bad
        };
        if slot.read.as_ref().is_some_and(|read| bad(read.template.as_ref())) {
            slot.read = None;
        }
        let unwritable = match &slot.write {
            Some(Writer::Plain { template, .. }) => bad(template.as_ref()),
            Some(Writer::Light { on, off, .. }) => bad(Some(on)) || bad(Some(off)),
            _ => false,
        };
        !unwritable && (slot.read.is_some() || slot.write.is_some())
    }

    /// Forgets what a configuration topic brought; tells whether there was anything.
    pub(super) fn forget(&mut self, topic: &str) -> bool {
        let left = self.left_out.remove(topic).is_some();
        let ids = self.topics.remove(topic).unwrap_or_default();
        ids.iter().for_each(|id| self.remove(id));
        left || !ids.is_empty()
    }

    pub(super) fn remove(&mut self, id: &str) {
        let Some(entity) = self.entities.remove(id) else { return };
        self.weight -= entity.weight;
        let group = group(&entity);
        self.layouts.remove(&group);
        if let Some(of) = self.devices.get_mut(&group) {
            of.retain(|other| other != id);
            if of.is_empty() {
                self.devices.remove(&group);
            }
        }
        let read = entity.form.slots.iter().filter_map(|slot| slot.read.as_ref());
        let heard = read.map(|read| entity.form.topic(&read.topic));
        for topic in heard.chain(entity.availability.topics.iter().map(|sign| sign.topic.clone())) {
            if let Some(ids) = self.listeners.get_mut(&topic) {
                ids.retain(|other| other != id);
                if ids.is_empty() {
                    self.listeners.remove(&topic);
                }
            }
        }
        self.forms.release(entity.form);
    }
}

//! What the home is made of: the home document, and what each hub brought.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::RegistryError;
use crate::home::document::{parse_part, parse_text};
use crate::home::overrides::{self, Overrides};
use crate::home::union::{self, union};
use crate::home::{Device, DocumentError, Home, Rejection, Report, State};

/// The name of the part that is the home document; hubs have names that are not empty.
pub(super) const DOCUMENT: &str = "";

/// One part.
#[derive(Debug)]
pub(super) struct Part {
    /// The text of the home document, for its export; `None` for one that did not come as text, and for hubs.
    pub(super) document: Option<String>,
    pub(super) home: Arc<Home>,
}

/// The parts, and what the owner says of them.
#[derive(Debug, Default)]
pub(super) struct Parts {
    homes: BTreeMap<String, Part>,
    overrides: Overrides,
    /// The documents of the store that are not in force, and why.
    aside: BTreeMap<String, (String, String)>,
}

/// All parts together, as the owner wants them.
#[derive(Debug, Default)]
pub(super) struct Whole {
    pub(super) home: Arc<Home>,
    /// Of each device, the position of its part.
    pub(super) parts: Arc<[u8]>,
    /// The names of the parts.
    pub(super) sources: Arc<[String]>,
}

impl Parts {
    /// Reads documents by their parts' names. What is no home, does not fit with those before, or is to be set aside for
    /// a reason, is not in force.
    pub(super) fn of(
        documents: impl Iterator<Item = (String, String)>,
        reason: Option<String>,
        overrides: Overrides,
    ) -> (Self, Whole) {
        let mut parts = Self { overrides, ..Self::default() };
        let mut whole = Whole::default();
        for (source, document) in documents {
            let read = match &reason {
                Some(reason) => Err(reason.clone()),
                None => parse(&source, &document).map_err(|error| format!("home document: {error}")).and_then(
                    |(home, _)| {
                        let text = (source == DOCUMENT).then(|| document.clone());
                        let part = Part { document: text, home: Arc::new(home) };
                        let all = parts.with(&source, &part, &mut Report::default());
                        Ok((all.map_err(|error| error.to_string())?, part))
                    },
                ),
            };
            match read {
                Ok((all, part)) => {
                    whole = all;
                    parts.put(&source, part);
                }
                Err(reason) => {
                    if source != DOCUMENT {
                        tracing::warn!(hub = source, reason, "what the hub brought before is not taken");
                    }
                    parts.aside.insert(source, (document, reason));
                }
            }
        }
        (parts, whole)
    }

    /// Begins with a home that did not come as text.
    pub(super) fn begin(&mut self, home: Home) -> Whole {
        let home = Arc::new(home);
        self.put(DOCUMENT, Part { document: None, home: Arc::clone(&home) });
        let parts = vec![0; home.devices.len()].into();
        Whole { home, parts, sources: [DOCUMENT.to_owned()].into() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.homes.is_empty()
    }

    /// Whether nothing is set aside.
    pub(super) fn is_complete(&self) -> bool {
        self.aside.is_empty()
    }

    /// The names of the hubs that brought something.
    pub(super) fn hubs(&self) -> impl Iterator<Item = &String> {
        self.homes.keys().filter(|source| *source != DOCUMENT)
    }

    /// What a part is.
    pub(super) fn home(&self, source: &str) -> Option<&Arc<Home>> {
        self.homes.get(source).map(|part| &part.home)
    }

    /// The text of the home document.
    pub(super) fn document(&self) -> Option<&str> {
        self.homes.get(DOCUMENT)?.document.as_deref()
    }

    /// The home document that is not in force.
    pub(super) fn document_aside(&self) -> Option<String> {
        self.aside.get(DOCUMENT).map(|(document, _)| document.clone())
    }

    /// Why a part is not in force.
    pub(super) fn aside(&self, source: &str) -> Option<String> {
        self.aside.get(source).map(|(_, reason)| reason.clone())
    }

    /// Refuses a document that was set aside.
    pub(super) fn refuse_aside(&self, source: &str, document: &str) -> Result<(), RegistryError> {
        match self.aside.get(source).filter(|(aside, _)| aside == document) {
            Some((_, reason)) => Err(RegistryError::SetAside { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    pub(super) fn put(&mut self, source: &str, part: Part) {
        self.aside.remove(source);
        self.homes.insert(source.to_owned(), part);
    }

    pub(super) fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    pub(super) fn set_overrides(&mut self, overrides: Overrides) {
        self.overrides = overrides;
    }

    /// All parts together with this one in its place. What it loses to others is told in `report`.
    pub(super) fn with(&self, source: &str, part: &Part, report: &mut Report) -> Result<Whole, DocumentError> {
        let mut homes: BTreeMap<&str, &Arc<Home>> =
            self.homes.iter().map(|(name, p)| (name.as_str(), &p.home)).collect();
        homes.insert(source, &part.home);
        whole(&homes, &self.overrides, Some((source, report)))
    }

    /// All parts together under these overrides.
    pub(super) fn under(&self, overrides: &Overrides) -> Result<Whole, DocumentError> {
        whole(&self.homes.iter().map(|(name, p)| (name.as_str(), &p.home)).collect(), overrides, None)
    }

    /// Takes a home of the same devices for what the hub says now, and tells what it loses to others.
    pub(super) fn tell(&mut self, hub: &str, home: Home, report: &mut Report) {
        let part = Part { document: None, home: Arc::new(home) };
        // It was a home before, and is the same one.
        if self.with(hub, &part, report).is_ok() {
            self.put(hub, part);
        }
    }

    /// What the owner says that has no device now, and which devices are hidden.
    pub(super) fn overridden(&self) -> Vec<Rejection> {
        let devices = self.homes.values().flat_map(|part| &part.home.devices);
        self.overrides.remarks(devices.map(|device| device.id.as_str()))
    }
}

/// Reads a part: what hubs bring may be larger than a document that anybody may send.
pub(super) fn parse(source: &str, document: &str) -> Result<(Home, Report), DocumentError> {
    if source == DOCUMENT { parse_text(document) } else { parse_part(document) }
}

fn whole(
    homes: &BTreeMap<&str, &Arc<Home>>,
    overrides: &Overrides,
    told: Option<(&str, &mut Report)>,
) -> Result<Whole, DocumentError> {
    let list: Vec<(&str, &Arc<Home>)> = homes.iter().map(|(name, home)| (*name, *home)).collect();
    let union = union(&list)?;
    if let Some((source, report)) = told {
        union::report(&union, source, report);
    }
    let (home, parts) = overrides::applied(overrides, union.home, union.parts)?;
    Ok(Whole { home, parts, sources: list.iter().map(|(name, _)| (*name).to_owned()).collect() })
}

/// Whether two homes describe the same, whatever state their devices are in.
pub(super) fn same(one: &Home, other: &Home) -> bool {
    let asleep = |device: &Device| Device { initial: State::new(), online: true, ..device.clone() };
    one.id == other.id
        && one.rooms == other.rooms
        && one.groups == other.groups
        && one.scenes == other.scenes
        && one.devices.len() == other.devices.len()
        && one.devices.iter().zip(&other.devices).all(|(one, other)| asleep(one) == asleep(other))
}

//! What is spoken of, as it was said, and what of the home it may mean.

use super::super::action::Condition;
use super::super::lexicon::{KindId, PropertyId};
use super::super::order::Place;
use super::super::vocabulary::Vocabulary;

/// What, as it was said.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// Devices, a group or a scene by name.
    Named {
        /// The name.
        text: String,
        /// Devices of this name.
        devices: Vec<usize>,
        /// A kind that the same word means.
        kind: Option<KindId>,
        /// Whether it is a scene.
        scene: bool,
    },
    /// A kind in general, by the word that was said; by none when it follows from something else.
    Kind(KindId, String),
    /// One sort of a kind.
    Sort(KindId, String),
    /// Whatever is there.
    Everything,
    /// Rooms in general, as questions ask for them.
    Rooms,
    /// Scenes in general.
    Scenes,
    /// What was mentioned last, perhaps of a kind.
    Reference(Option<KindId>),
    /// Something that nobody knows here.
    Unknown(String),
    /// A word that may be no thing at all: it counts as one only beside things that are known.
    Strange(String),
    /// The one of a room, where it is left out.
    In(usize, Box<Head>),
}

/// One nominal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nominal {
    /// Where.
    pub places: Vec<Place>,
    /// Where not.
    pub except_places: Vec<Place>,
    /// What not.
    pub except_heads: Vec<Head>,
    /// What it leaves out was said to stay, in a clause beside it (`空调不动`).
    pub kept: bool,
    /// What.
    pub head: Option<Head>,
    /// What about it.
    pub property: Option<PropertyId>,
    /// `所有` before the head.
    pub all: bool,
    /// `都` after it, or `两个都`.
    pub each: bool,
    /// `随便`.
    pub any: bool,
    /// `两盏`.
    pub count: Option<u32>,
    /// `第二个`.
    pub ordinal: Option<u32>,
    /// `亮着的`, `最亮的`.
    pub only: Option<Condition>,
    /// `其他的`.
    pub other: bool,
    /// `也`.
    pub also: bool,
    /// The place is where it is sent, and not where it is.
    pub errand: bool,
    /// Its place was said with its neighbour (`客厅的灯和空调`).
    pub shares_place: bool,
}

impl Nominal {
    /// Whether it says nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it names nothing but a word that nobody knows, and that does not end as names of devices do.
    pub fn is_strange(&self, vocabulary: &Vocabulary) -> bool {
        let suffix = &vocabulary.lexicon.device_suffix;
        matches!(&self.head, Some(Head::Strange(text)) if !suffix.iter().any(|s| text.ends_with(s.as_str())))
    }

    /// Whether it only counts (`随便`, `全部`).
    pub fn only_quantifies(&self) -> bool {
        let counts = Self {
            all: self.all,
            each: self.each,
            any: self.any,
            count: self.count,
            other: self.other,
            ..Self::default()
        };
        !self.is_empty() && *self == counts
    }

    /// Takes over how much another says.
    pub fn quantify(&mut self, quantity: &Self) {
        self.all |= quantity.all;
        self.each |= quantity.each;
        self.any |= quantity.any;
        self.other |= quantity.other;
        self.count = self.count.or(quantity.count);
    }

    /// Takes over what another leaves out.
    pub fn leave_out(&mut self, other: &Self) {
        self.except_places.extend(other.except_places.iter().cloned());
        self.except_heads.extend(other.except_heads.iter().cloned());
    }

    /// Whether it leaves out nothing.
    pub fn except_is_empty(&self) -> bool {
        self.except_places.is_empty() && self.except_heads.is_empty()
    }

    /// Whether it only says what is left out.
    pub fn only_excludes(&self) -> bool {
        self.head.is_none()
            && self.places.is_empty()
            && self.property.is_none()
            && !(self.except_places.is_empty() && self.except_heads.is_empty())
    }
}

/// The devices that a nominal may mean; `None` when it names no thing.
pub(super) fn meant(nominal: &Nominal, vocabulary: &Vocabulary) -> Option<Vec<usize>> {
    devices_of(nominal.head.as_ref()?, vocabulary)
}

/// The devices that a head names, by a name or a kind; nothing where it says no such thing.
pub(super) fn devices_of(head: &Head, vocabulary: &Vocabulary) -> Option<Vec<usize>> {
    match head {
        Head::Named { devices, scene: false, .. } => Some(devices.clone()),
        Head::Kind(kind, _) | Head::Sort(kind, _) => {
            Some((0..vocabulary.devices.len()).filter(|d| vocabulary.devices[*d].is(*kind)).collect())
        }
        Head::In(room, head) => {
            let devices = devices_of(head, vocabulary)?.into_iter();
            Some(devices.filter(|d| vocabulary.home.devices[*d].room == Some(*room)).collect())
        }
        _ => None,
    }
}

/// The kind of device a nominal means.
pub fn kind_of(nominal: &Nominal, vocabulary: &Vocabulary) -> Option<KindId> {
    match &nominal.head {
        Some(Head::Kind(kind, _) | Head::Sort(kind, _) | Head::Reference(Some(kind))) => Some(*kind),
        Some(Head::Named { devices, kind, .. }) => {
            kind.or_else(|| devices.first().and_then(|d| vocabulary.devices[*d].kinds.first().copied()))
        }
        _ => None,
    }
}

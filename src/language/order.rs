//! The order: what is to be done, where, and to what. Every reader of sentences produces it, and resolution takes it.

use super::action::{Action, Condition};
use super::command::{Quantifier, Type};
use super::lexicon::{KindId, Lexicon, RoomClassId, Sense};
use super::time::When;
use super::vocabulary::Vocabulary;
use crate::home::{DeviceIndex, Entity, RoomIndex};
use crate::text::normalize;

/// One thing to do. Without an action (`Order<()>`, a [`Fragment`]) it is half a sentence: what would be meant, and nothing to
/// do with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Order<A = Action> {
    /// What is to be done.
    pub action: A,
    /// Where.
    pub scope: Scope,
    /// To what.
    pub target: Target,
    /// How many of it.
    pub quantifier: Quantifier,
    /// The number that was said.
    pub count: Option<u32>,
    /// The speaker said 所有 or 全屋: the whole home is meant and not only the speaker's room.
    pub everywhere: bool,
    /// The speaker said 都: all of what was found is meant.
    pub each: bool,
    /// `第二个`.
    pub ordinal: Option<u32>,
    /// Of what was found only these (`亮着的灯`).
    pub filter: Option<Condition>,
    /// When, if not now: at the end of that, if it has one.
    pub when: Option<When>,
}

/// A name, a place or a number by itself.
pub type Fragment = Order<()>;

/// Places that are meant, and what is left out of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    /// Empty when no place was said.
    pub include: Vec<Place>,
    /// What is left out.
    pub exclude: Vec<Excluded>,
}

/// Where.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A room of this home.
    Room(RoomIndex),
    /// A floor of this home, and the word for it.
    Floor(usize, String),
    /// A class of rooms, or a room of the class by a name of its own, and the word for it.
    Class(RoomClassId, String),
    /// The speaker's room.
    Here,
    /// The whole home.
    Home,
    /// The floors above or below, and the word for them.
    Storey(bool, String),
    /// The rooms of a place of which something holds (`最热的房间`).
    Described(Condition, Box<Place>),
    /// Where the members of a group are.
    Group(usize),
    /// A place that this home does not have.
    Unknown(String),
}

/// What is left out.
#[derive(Clone, Debug, PartialEq)]
pub enum Excluded {
    /// All that is in a place.
    Place(Place),
    /// A thing; the one of a room, if that was said.
    Thing(Target, Option<RoomIndex>),
}

/// What an order is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// What is called exactly so in this home.
    Named {
        /// The name as it was said.
        text: String,
        /// What bears it.
        entities: Vec<Entity>,
        /// A kind that the same word means.
        kind: Option<KindId>,
    },
    /// Every device of a type of the protocol.
    Type(Type),
    /// A kind that has no type of its own, and the word for it.
    Kind(KindId, String),
    /// One sort of a kind, and the word for it.
    Sort(KindId, String),
    /// What was mentioned last; of this type, if one was said.
    Reference(Type),
    /// Rooms in general, as questions ask for them.
    Rooms,
    /// Scenes in general.
    Scenes,
    /// Whatever it can be done to.
    Anything,
    /// A name that nobody bears here, and the type that came with it.
    Text(String, Type),
}

impl<A> Order<A> {
    /// An order about one thing, wherever it is.
    pub fn about(action: A, target: Target) -> Self {
        Self {
            action,
            scope: Scope::default(),
            target,
            quantifier: Quantifier::One,
            count: None,
            everywhere: false,
            each: false,
            ordinal: None,
            filter: None,
            when: None,
        }
    }

    /// The same with another action.
    pub fn with<B>(self, action: B) -> Order<B> {
        let Self { scope, target, quantifier, count, everywhere, each, ordinal, filter, when, .. } = self;
        Order { action, scope, target, quantifier, count, everywhere, each, ordinal, filter, when }
    }

    /// Puts the place and the thing of a fragment into the order.
    pub fn refer(&mut self, fragment: &Fragment) {
        if fragment.scope != Scope::default() {
            self.scope = fragment.scope.clone();
        }
        if !matches!(fragment.target, Target::Anything | Target::Reference(_)) {
            self.target = fragment.target.clone();
            (self.quantifier, self.count) = (fragment.quantifier, fragment.count);
        }
        self.everywhere |= fragment.everywhere;
        self.each |= fragment.each;
        self.ordinal = fragment.ordinal.or(self.ordinal);
    }
}

impl Order {
    /// Runs a scene.
    pub fn run(scene: usize, vocabulary: &Vocabulary) -> Option<Self> {
        let verb = vocabulary.lexicon.verb("run_scene")?;
        let text = vocabulary.home.scenes[scene].name.clone();
        let target = Target::Named { text, entities: vec![Entity::Scene(scene)], kind: None };
        Some(Self::about(Action::Verb(verb), target))
    }

    /// Does something to one device.
    pub fn device(action: Action, device: DeviceIndex, vocabulary: &Vocabulary) -> Self {
        let home = &vocabulary.home;
        let mut order = Self::about(action, Target::device(device, vocabulary));
        order.scope.include.extend(home.devices[device].room.map(Place::Room));
        order
    }
}

impl Scope {
    /// These places and nothing left out.
    pub fn of(include: Vec<Place>) -> Self {
        Self { include, exclude: Vec::new() }
    }
}

impl Place {
    /// The place of a word; the home's own names come first.
    pub fn called(text: &str, vocabulary: &Vocabulary) -> Self {
        let senses = vocabulary.named(text);
        let own = senses.iter().find_map(|sense| match sense {
            Sense::Room(room) => Some(Self::Room(*room)),
            Sense::Floor(floor) => Some(Self::Floor(*floor, text.to_owned())),
            _ => None,
        });
        let group =
            || senses.iter().find_map(|s| if let Sense::Group(group) = s { Some(Self::Group(*group)) } else { None });
        own.or_else(group).unwrap_or_else(|| Self::general(text, vocabulary))
    }

    /// The place of a word as the language has it, whatever the home calls so.
    pub fn general(text: &str, vocabulary: &Vocabulary) -> Self {
        let word = normalize(text);
        let found = vocabulary.lexicon.senses(&word).iter().find_map(|sense| match sense {
            Sense::WholeHome => Some(Self::Home),
            Sense::Here => Some(Self::Here),
            Sense::Storey { up } => Some(Self::Storey(*up, text.to_owned())),
            Sense::RoomClass(class) | Sense::RoomSort(class) => Some(Self::Class(*class, text.to_owned())),
            _ => None,
        });
        let floor = || vocabulary.floor_called(&word).map(|floor| Self::Floor(floor, text.to_owned()));
        found.or_else(floor).unwrap_or_else(|| Self::Unknown(text.to_owned()))
    }

    /// The word for it; empty for the speaker's own room.
    pub fn word<'a>(&'a self, vocabulary: &'a Vocabulary) -> &'a str {
        match self {
            Self::Room(room) => &vocabulary.home.rooms[*room].name,
            Self::Group(group) => &vocabulary.home.groups[*group].name,
            Self::Home => vocabulary.lexicon.home.first().map_or("", String::as_str),
            Self::Floor(_, word) | Self::Class(_, word) | Self::Storey(_, word) | Self::Unknown(word) => word,
            Self::Described(_, among) => match &**among {
                Self::Home => vocabulary.lexicon.any_room.first().map_or("", String::as_str),
                place => place.word(vocabulary),
            },
            Self::Here => "",
        }
    }
}

impl Target {
    /// What a name stands for: what the home calls so, else a word of the language, else itself.
    pub fn called(text: &str, kind: Type, vocabulary: &Vocabulary) -> Self {
        let senses = vocabulary.named(text);
        let mut entities: Vec<Entity> = Vec::new();
        for sense in senses {
            match sense {
                Sense::Devices(devices) => entities.extend(devices.iter().map(|device| Entity::Device(*device))),
                Sense::Group(group) => entities.push(Entity::Group(*group)),
                Sense::Scene(scene) => entities.push(Entity::Scene(*scene)),
                _ => {}
            }
        }
        if entities.is_empty() {
            return Self::general(text, kind, vocabulary);
        }
        let kind = match Self::general(text, kind, vocabulary) {
            Self::Kind(kind, _) | Self::Sort(kind, _) => Some(kind),
            Self::Type(kind) => vocabulary.lexicon.kinds.iter().position(|k| k.kind == kind),
            _ => None,
        };
        Self::Named { text: text.to_owned(), entities, kind }
    }

    /// What a word means in the language, whatever the home calls so.
    pub fn general(text: &str, kind: Type, vocabulary: &Vocabulary) -> Self {
        let lexicon = &vocabulary.lexicon;
        let word = normalize(text);
        let senses = lexicon.senses(&word);
        if let Some(kind) = senses.iter().find_map(|s| if let Sense::Kind(kind) = s { Some(*kind) } else { None }) {
            return Self::of_kind(kind, text, lexicon);
        }
        if let Some(kind) = senses.iter().find_map(|s| if let Sense::Sort(kind) = s { Some(*kind) } else { None }) {
            return Self::Sort(kind, text.to_owned());
        }
        match () {
            () if lexicon.any_room.first() == Some(&word) => Self::Rooms,
            () if lexicon.scene_words.first() == Some(&word) => Self::Scenes,
            () => Self::Text(text.to_owned(), kind),
        }
    }

    /// A kind by a word: every device of its type where the word is one for the type in general.
    pub fn of_kind(kind: KindId, text: &str, lexicon: &Lexicon) -> Self {
        let entry = &lexicon.kinds[kind];
        let general = entry.kind != Type::Unknown && lexicon.is_primary(kind) && entry.words.iter().any(|w| w == text);
        if general { Self::Type(entry.kind) } else { Self::Kind(kind, text.to_owned()) }
    }

    /// One device by its name.
    pub fn device(device: DeviceIndex, vocabulary: &Vocabulary) -> Self {
        let text = vocabulary.home.devices[device].name.clone();
        Self::Named { text, entities: vec![Entity::Device(device)], kind: None }
    }

    /// Its type of the protocol.
    pub fn kind(&self, vocabulary: &Vocabulary) -> Type {
        let of_device = |device: &DeviceIndex| vocabulary.devices[*device].kinds.first().copied();
        let of_kind = |kind: KindId| vocabulary.lexicon.kinds[kind].kind;
        match self {
            Self::Named { entities, kind, .. } => {
                let device =
                    entities.iter().find_map(|e| if let Entity::Device(device) = e { Some(device) } else { None });
                kind.or_else(|| of_device(device?)).map_or(Type::Unknown, of_kind)
            }
            Self::Kind(kind, _) | Self::Sort(kind, _) => of_kind(*kind),
            Self::Type(kind) | Self::Reference(kind) | Self::Text(_, kind) => *kind,
            Self::Rooms | Self::Scenes | Self::Anything => Type::Unknown,
        }
    }

    /// The name or the word it was called by; `None` when it was called by none.
    pub fn word<'a>(&'a self, vocabulary: &'a Vocabulary) -> Option<&'a str> {
        match self {
            Self::Named { text, .. } | Self::Kind(_, text) | Self::Sort(_, text) | Self::Text(text, _) => Some(text),
            Self::Rooms => vocabulary.lexicon.any_room.first().map(String::as_str),
            Self::Scenes => vocabulary.lexicon.scene_words.first().map(String::as_str),
            Self::Type(_) | Self::Reference(_) | Self::Anything => None,
        }
    }
}

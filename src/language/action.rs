//! The action: what is to be done, asked or awaited.

use super::lexicon::{Comparison, Effect, Extreme, Lexicon, PropertyId, Unit, VerbId};

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A plain verb.
    Verb(VerbId),
    /// A property gets a value.
    Set {
        /// Which; left to the device when not said.
        property: Option<PropertyId>,
        /// Its value.
        to: Amount,
    },
    /// A property changes.
    Step {
        /// Which property in which direction; several when the word fits several (`暖`: warmer air, warmer light).
        ways: Vec<(Option<PropertyId>, bool)>,
        /// By how much; a little when not said.
        by: Option<Amount>,
    },
    /// A question about the state of the home.
    Ask(Ask),
    /// A condition that guards the commands after it; several in a row have to hold all.
    When(Condition),
    /// A condition that is enough in place of the one before it.
    OrWhen(Condition),
    /// Words that nobody understood, beside others that are understood: they are named, and nothing moves for them.
    Unclear(String),
}

/// A value as it was said.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// A number and its unit.
    Number(f64, Option<Unit>),
    /// A share of the range.
    Percent(f64),
    /// An end of the range.
    Extreme(Extreme),
    /// A colour temperature by word, in kelvin, and the word.
    Kelvin(u32, String),
    /// A value by word.
    Word(String),
    /// A little.
    Little,
    /// A lot.
    Lots,
}

/// Questions about the state of the home.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// How is it?
    State,
    /// Is it in this state?
    Is(Status),
    /// Is there any in this state?
    Any(Status),
    /// Which are in this state?
    Which(Status),
    /// How many are in this state?
    Count(Status),
    /// What is the value of this property?
    Value(PropertyId),
    /// What can this property be set to?
    Range(PropertyId),
    /// Which has the most of this property, or the least?
    Most(PropertyId, Extreme),
    /// Has the first more of this property than the second (or less)?
    More(PropertyId, bool),
    /// Where is it?
    Where,
    /// In which rooms is none?
    Lacking,
    /// Which are there?
    List,
    /// How many are there?
    Number,
}

/// A state to ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// What a verb leaves behind.
    Verb(VerbId),
    /// A property that is true, or not.
    Flag(PropertyId, bool),
    /// A value by word.
    Word(String),
    /// A value as it compares with another.
    Compare {
        /// Which value.
        property: PropertyId,
        /// How.
        comparison: Comparison,
        /// With what.
        value: f64,
        /// Its unit as said.
        unit: Option<Unit>,
    },
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A device is in a state, or is not.
    Status {
        /// The state.
        status: Status,
        /// Whether it must be.
        holds: bool,
    },
    /// It has more of a property than all others, or less. Only where one of several is meant.
    Extreme {
        /// The property.
        property: PropertyId,
        /// Which end.
        extreme: Extreme,
    },
}

impl Action {
    /// A verb with a property as its object (`打开摇头`, `关闭声音`): the property becomes true or false.
    pub fn about(verb: VerbId, property: PropertyId, lexicon: &Lexicon) -> Self {
        let switch = |on: bool| {
            let verb = lexicon.verb(if on { "on" } else { "off" }).unwrap_or(verb);
            Self::Set { property: Some(property), to: Amount::Word(lexicon.verbs[verb].words[0].clone()) }
        };
        // Only the verbs that switch can be said of a property; those that start and stop, of what is true or false.
        match (lexicon.verbs[verb].switches, lexicon.verbs[verb].does.first()) {
            (Some(on), _) if lexicon.properties[property].flag => switch(on),
            (Some(on), Some(Effect::Flag(..))) => switch(on),
            (None, Some(Effect::Flag(..))) => {
                Self::Set { property: Some(property), to: Amount::Word(lexicon.verbs[verb].words[0].clone()) }
            }
            _ => Self::Verb(verb),
        }
    }

    /// Whether it asks, or says when others hold: it moves nothing.
    pub fn moves_nothing(&self) -> bool {
        matches!(self, Self::Ask(_) | Self::Unclear(_)) || self.states()
    }

    /// Whether it says by itself what it is about: a property, or what is asked.
    pub fn is_about_something(&self) -> bool {
        match self {
            Self::Set { property, .. } => property.is_some(),
            Self::Step { ways, .. } => ways.iter().any(|(property, _)| property.is_some()),
            Self::Ask(_) | Self::When(_) | Self::OrWhen(_) => true,
            Self::Verb(_) | Self::Unclear(_) => false,
        }
    }

    /// Whether it says when others hold.
    pub fn states(&self) -> bool {
        matches!(self, Self::When(_) | Self::OrWhen(_))
    }
}

/// A unit as an ACTION writes it.
pub fn unit_text(unit: Unit, lexicon: &Lexicon) -> &str {
    match unit {
        Unit::Percent => "%",
        Unit::Celsius => "C",
        Unit::Kelvin => "K",
        Unit::Lux => "lx",
        Unit::Portion => "portion",
        Unit::Gear | Unit::Channel | Unit::Minute | Unit::Hour | Unit::Second => {
            lexicon.unit_words(unit).first().map_or("", String::as_str)
        }
    }
}

impl Status {
    /// The state that a device is in when it is not in this one.
    #[must_use]
    pub fn opposite(&self, lexicon: &Lexicon) -> Option<Self> {
        Some(match self {
            Self::Verb(verb) => Self::Verb(lexicon.verbs[*verb].opposite?),
            Self::Flag(property, value) => Self::Flag(*property, !value),
            Self::Compare { property, comparison, value, unit } => {
                Self::Compare { property: *property, comparison: comparison.opposite(), value: *value, unit: *unit }
            }
            Self::Word(_) => return None,
        })
    }
}

impl Condition {
    /// What holds when this does not; the end of a range has no opposite.
    #[must_use]
    pub fn opposite(&self) -> Option<Self> {
        match self.clone() {
            Self::Status { status: Status::Compare { property, comparison, value, unit }, holds: true } => {
                let status = Status::Compare { property, comparison: comparison.opposite(), value, unit };
                Some(Self::Status { status, holds: true })
            }
            Self::Status { status, holds } => Some(Self::Status { status, holds: !holds }),
            Self::Extreme { .. } => None,
        }
    }
}

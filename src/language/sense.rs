//! What a word can mean.

use super::lexicon::{ChoiceId, KindId, PropertyId, RoomClassId, VerbId};
use super::number::Number;

/// What a word can mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Sense {
    /// A verb.
    Verb(VerbId),
    /// "Set to": a value follows. `open` also switches on.
    Set {
        /// Whether it also switches on.
        open: bool,
    },
    /// "Set": a property may stand between it and the value.
    SetBare,
    /// The `为` of `亮度为80`.
    Link,
    /// More or less, as a verb.
    Step {
        /// More.
        up: bool,
    },
    /// More or less, as an adjective (`高`, `小`).
    Degree {
        /// More.
        up: bool,
    },
    /// A direction that names its property (`亮`).
    Direction {
        /// The property.
        property: PropertyId,
        /// More.
        up: bool,
    },
    /// A prefix such as `调` in `调亮`.
    Make,
    /// `一点`.
    Little,
    /// `很多`.
    Lots,
    /// A property.
    Property(PropertyId),
    /// What a home calls a property by a word that means something else as well: the property beside a verb that switches.
    Feature(PropertyId),
    /// A part of what a home calls a property (`水压` of 冲洗水压): nothing, until it is known of which thing it is said.
    Share(PropertyId),
    /// A property that is false.
    Absent(PropertyId),
    /// A kind of device in general.
    Kind(KindId),
    /// One sort of a kind.
    Sort(KindId),
    /// A value of an enumeration.
    Choice(ChoiceId),
    /// A colour temperature in kelvin.
    Kelvin(u32),
    /// The end of a range.
    Extreme(Extreme),
    /// The left and the right one.
    BothSides,
    /// The one on this side.
    Side {
        /// The left.
        left: bool,
    },
    /// Explains why something is told, and tells nothing (`要睡了`).
    Reason,
    /// It has come to its end (`洗完了`).
    Finished,
    /// `还是` between two.
    Alternative,
    /// `最` before a word that says of what.
    Most,
    /// Rooms in general (`房间`, `哪里`).
    AnyRoom,
    /// Scenes in general (`场景`).
    Scenes,
    /// A part of a range, in thousandths.
    Fraction(u32),
    /// A unit.
    Unit(Unit),
    /// A measure word.
    Measure,
    /// A class of rooms.
    RoomClass(RoomClassId),
    /// A room of a class with a name of its own.
    RoomSort(RoomClassId),
    /// The speaker's room.
    Here,
    /// The whole home.
    WholeHome,
    /// The floors above or below.
    Storey {
        /// Above.
        up: bool,
    },
    /// `里`, `那边` after a room.
    RoomSuffix,
    /// `旁边`, `底下` after a thing.
    Beside,
    /// Every one, before what it counts (`所有`).
    All,
    /// Every one, after what it counts (`都`).
    Each,
    /// `的`.
    Of,
    /// Both.
    Both,
    /// Whichever.
    AnyOne,
    /// A few.
    Some,
    /// Devices of whatever kind.
    Everything,
    /// The others.
    Other,
    /// What was mentioned last.
    Reference,
    /// The like of what was mentioned last.
    Another,
    /// Also.
    Also,
    /// Once more.
    Again,
    /// The same of something else (`也一样`).
    Same,
    /// `除了`.
    ExceptOpen,
    /// `以外`.
    ExceptClose,
    /// `除外`, `不要` after what is left out.
    ExceptAfter,
    /// And.
    Conjunction,
    /// Then.
    Sequence,
    /// Rather.
    Correction,
    /// If.
    If,
    /// `的话`.
    IfClose,
    /// Then (after if).
    Then,
    /// Else.
    Else,
    /// If not.
    Unless,
    /// Whenever: what follows is to be done again and again.
    Standing,
    /// A second condition that has to hold as well.
    And,
    /// A second condition that is enough.
    Or,
    /// Comparison of a condition.
    Compare(Comparison),
    /// A question word.
    Question(Question),
    /// Copula of questions.
    Is,
    /// `有`.
    Exists,
    /// `已经`.
    Already,
    /// "Please look".
    AskFor,
    /// "Can you".
    Polite,
    /// `不`, `没`: a question at the end of a sentence, else the opposite of what follows.
    Not,
    /// Not to be done.
    Negation,
    /// A time gone by.
    Past,
    /// Reported speech, opinion, memory.
    Report,
    /// Supposition, deliberation, talk about devices in general.
    Suppose,
    /// A time to come.
    Future,
    /// `后` after a duration.
    TimeAfter,
    /// Another assistant.
    OtherAssistant,
    /// A person who may be addressed.
    Person,
    /// Grammatical particle.
    Particle,
    /// `把`, `让`.
    Disposal,
    /// Carries no meaning here.
    Filler,
    /// Whoever speaks (`我`).
    Speaker,
    /// Gives a thing a feature (`上个`).
    Grant,
    /// The state a verb leaves behind (`开着`).
    State(VerbId),
    /// Comma, full stop.
    Punctuation,
    /// Devices of this home by one name.
    Devices(Vec<usize>),
    /// A group of this home.
    Group(usize),
    /// A scene of this home.
    Scene(usize),
    /// A room of this home.
    Room(usize),
    /// A floor of this home, by position in the vocabulary.
    Floor(usize),
    /// A floor or room that this home does not have.
    NoSuchPlace,
    /// A value of an enumeration in this home.
    Value,
    /// A number.
    Number(Number),
    /// The n-th.
    Ordinal(u32),
}

/// The ends and the middle of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// Largest.
    Max,
    /// Smallest.
    Min,
    /// Middle.
    Mid,
}

/// Units as they are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Per cent.
    Percent,
    /// Degrees Celsius.
    Celsius,
    /// Kelvin.
    Kelvin,
    /// A gear or step.
    Gear,
    /// A television channel.
    Channel,
    /// Lux.
    Lux,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Seconds.
    Second,
    /// What is given at once, of food.
    Portion,
}

impl Unit {
    /// Seconds of a unit of time.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Self::Second => Some(1.0),
            Self::Minute => Some(60.0),
            Self::Hour => Some(3_600.0),
            _ => None,
        }
    }
}

/// Comparisons of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// More than.
    Greater,
    /// Less than.
    Less,
    /// The same as.
    Equal,
    /// As much or more.
    AtLeast,
    /// As much or less.
    AtMost,
    /// Not the same as.
    NotEqual,
}

impl Comparison {
    /// As a condition is written.
    pub fn sign(self) -> char {
        match self {
            Self::Greater => '>',
            Self::Less => '<',
            Self::Equal => '=',
            Self::AtLeast => '≥',
            Self::AtMost => '≤',
            Self::NotEqual => '≠',
        }
    }

    /// The comparison of this sign.
    pub fn of_sign(sign: char) -> Option<Self> {
        let all = [Self::Greater, Self::Less, Self::Equal, Self::AtLeast, Self::AtMost, Self::NotEqual];
        all.into_iter().find(|c| c.sign() == sign)
    }

    /// What holds when this does not.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Greater => Self::AtMost,
            Self::AtMost => Self::Greater,
            Self::Less => Self::AtLeast,
            Self::AtLeast => Self::Less,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
        }
    }

    /// Whether it holds between two numbers.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Greater => left > right,
            Self::Less => left < right,
            Self::Equal => (left - right).abs() < f64::EPSILON,
            Self::AtLeast => left >= right,
            Self::AtMost => left <= right,
            Self::NotEqual => (left - right).abs() >= f64::EPSILON,
        }
    }
}

impl Sense {
    /// Whether it says that something is done.
    pub fn is_action(&self) -> bool {
        matches!(self, Self::Verb(_) | Self::Set { .. } | Self::SetBare | Self::Step { .. })
    }
}

/// Sorts of question words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// `吗`.
    YesNo,
    /// `几盏`.
    HowMany,
    /// `多少度`.
    HowMuch,
    /// `哪些`.
    Which,
    /// `谁`.
    Who,
    /// `在哪`.
    Where,
    /// `怎么样`.
    State,
    /// `怎么了`.
    Wrong,
}

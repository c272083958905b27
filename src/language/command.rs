//! The command: `ACTION-SCOPE-NAME#TYPE#Q[#N]` of seeds 000 and 001, as a value.

use std::fmt;

use crate::text::{COMMAS, NO_COMMA, full_width, is_invisible, normalize};

/// What cannot be understood, in the protocol's words.
pub const UNKNOWN_ACTION: &str = "UNKNOWN";

/// One atomic command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// A Chinese intent phrase: `打开`, `设置亮度=50%`. Never contains `-`.
    pub action: String,
    /// Where.
    pub scope: Scope,
    /// What.
    pub target: Target,
}

/// Rooms (or floors) included and excluded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Names of rooms or floors; empty means everywhere (`*`).
    pub include: Vec<String>,
    /// Names left out: rooms, floors, or devices.
    pub exclude: Vec<String>,
}

/// The target slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Which by name.
    pub name: Name,
    /// Which by type.
    pub kind: Type,
    /// How many.
    pub quantifier: Quantifier,
    /// An explicit number.
    pub count: Option<u32>,
}

/// How a target is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// `*`: by type only.
    Any,
    /// `@last`: what was mentioned last.
    Last,
    /// A name as it was said.
    Named(String),
}

/// The closed set of types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the protocol's own and say what they are")]
pub enum Type {
    AirConditioner,
    Blind,
    Charger,
    Fan,
    Hub,
    Light,
    NetworkAudio,
    Switch,
    Television,
    Washer,
    SmartPlug,
    #[default]
    Unknown,
}

/// The closed set of quantifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// One, the default.
    #[default]
    One,
    /// Every one.
    All,
    /// Whichever, `count` of them.
    Any,
    /// All but what the scope excludes.
    Except,
}

impl Type {
    /// Every type, in the protocol's order.
    pub const ALL: [Self; 12] = [
        Self::AirConditioner,
        Self::Blind,
        Self::Charger,
        Self::Fan,
        Self::Hub,
        Self::Light,
        Self::NetworkAudio,
        Self::Switch,
        Self::Television,
        Self::Washer,
        Self::SmartPlug,
        Self::Unknown,
    ];

    /// The name in the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AirConditioner => "AirConditioner",
            Self::Blind => "Blind",
            Self::Charger => "Charger",
            Self::Fan => "Fan",
            Self::Hub => "Hub",
            Self::Light => "Light",
            Self::NetworkAudio => "NetworkAudio",
            Self::Switch => "Switch",
            Self::Television => "Television",
            Self::Washer => "Washer",
            Self::SmartPlug => "SmartPlug",
            Self::Unknown => "Unknown",
        }
    }

    /// The type of this protocol name, case as in the protocol.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.as_str() == name)
    }
}

impl Quantifier {
    /// The name in the protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::All => "all",
            Self::Any => "any",
            Self::Except => "except",
        }
    }

    /// The quantifier of this protocol name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::One, Self::All, Self::Any, Self::Except].into_iter().find(|q| q.as_str() == name)
    }
}

impl Name {
    /// A name as it was said, with the protocol's separators replaced by spaces; a text that would read as `*` or
    /// `@last` is written in full-width characters, so that a device of such a name stays a name.
    pub fn named(text: &str) -> Self {
        let clean = clean_slot(text, &['#', '-']);
        match clean.as_str() {
            "" => Self::Named(wide(text)),
            "*" | "@last" => Self::Named(first_wide(&clean)),
            _ => Self::Named(clean),
        }
    }
}

impl Command {
    /// A command with the protocol's separators removed from the action.
    pub fn new(action: &str, scope: Scope, target: Target) -> Self {
        let action = clean_slot(action, &['-']);
        let action = if action.is_empty() { UNKNOWN_ACTION.to_owned() } else { action };
        Self { action, scope, target }
    }

    /// `UNKNOWN-*-*#Unknown#one`: the degradation of everything that cannot be understood.
    pub fn unknown() -> Self {
        let target = Target { name: Name::Any, kind: Type::Unknown, quantifier: Quantifier::One, count: None };
        Self { action: UNKNOWN_ACTION.into(), scope: Scope::default(), target }
    }

    /// Whether this is the degradation.
    pub fn is_unknown(&self) -> bool {
        self.action == UNKNOWN_ACTION
    }
}

impl Scope {
    /// A scope of these names, cleaned of the protocol's separators.
    pub fn new<'a>(include: impl IntoIterator<Item = &'a str>, exclude: impl IntoIterator<Item = &'a str>) -> Self {
        let clean = |names: &mut dyn Iterator<Item = &'a str>| -> Vec<String> {
            let bare = |name| Some(clean_slot(name, &SEPARATORS)).filter(|n| !n.is_empty());
            names.filter(|n| !n.trim().is_empty()).map(|n| bare(n).unwrap_or_else(|| wide(n))).collect()
        };
        Self { include: clean(&mut include.into_iter()), exclude: clean(&mut exclude.into_iter()) }
    }
}

/// Separators and nothing else, as a name: in full-width forms they separate nothing.
fn wide(text: &str) -> String {
    let wide = |c: char| match c {
        c if COMMAS.contains(&c) => NO_COMMA,
        c => full_width(c).unwrap_or(c),
    };
    let text: String = text.chars().filter(|c| !c.is_whitespace() && !is_invisible(*c)).map(wide).collect();
    if text.is_empty() { first_wide("*") } else { text }
}

/// A text whose first character is written in full width, so that it means nothing to the protocol.
fn first_wide(text: &str) -> String {
    text.char_indices().map(|(at, c)| full_width(c).filter(|_| at == 0).unwrap_or(c)).collect()
}

/// Characters that separate the parts of a command.
pub const SEPARATORS: [char; 6] = ['-', '#', COMMAS[0], COMMAS[1], '!', '*'];

/// The name of a place as a scope writes it.
pub fn clean_place(name: &str) -> String {
    Scope::new([name], []).include.pop().unwrap_or_default()
}

/// A name as it is found again, whatever of the separators was left of it: they mean nothing, and so does a tilde before it.
pub fn bare(name: &str) -> String {
    let bare = normalize(&clean_slot(name, &SEPARATORS));
    bare.trim_start_matches('~').to_owned()
}

/// Replaces separators and control characters by spaces, drops what cannot be seen, and trims.
fn clean_slot(text: &str, separators: &[char]) -> String {
    text.chars()
        .filter(|c| c.is_control() || !is_invisible(*c))
        .map(|c| if separators.contains(&c) || c.is_control() { ' ' } else { c })
        .collect::<String>()
        .trim()
        .into()
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.action, self.scope, self.target)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.include.is_empty() { "*" } else { "" })?;
        f.write_str(&self.include.join(","))?;
        self.exclude.iter().try_for_each(|name| write!(f, ",!{name}"))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.name {
            Name::Any => "*",
            Name::Last => "@last",
            Name::Named(name) => name,
        };
        write!(f, "{name}#{}#{}", self.kind.as_str(), self.quantifier.as_str())?;
        self.count.map_or(Ok(()), |n| write!(f, "#{n}"))
    }
}

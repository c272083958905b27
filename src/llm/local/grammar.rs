//! The grammar that a local model's answer is held to, byte by byte: a JSON array of commands of the protocol.
//!
//! ```text
//! array   = "[" command *( "," [" "] command ) "]"
//! command = DQUOTE ACTION "-" SCOPE "-" NAME "#" TYPE "#" Q DQUOTE
//! SCOPE   = item *( "," item )          item = "*" / ["!"] text
//! NAME    = "*" / "@last" / text
//! Q       = "one" / "all" / "except" / "any" [ "#" N ]
//! ```
//!
//! Text is valid UTF-8 without separators, escapes, control characters and marks that are not seen. Every length is
//! bounded, so that every way through the grammar ends; and from every position one leads on.

use crate::language::command::{Quantifier, Type};
use crate::language::protocol::MAX_COMMANDS;
use crate::text::{COMMAS, INVISIBLE_FIRST, INVISIBLE_LAST, is_invisible};

/// Characters of an ACTION.
const ACTION: u8 = 32;

/// Characters of a SCOPE, separators included.
const SCOPE: u8 = 48;

/// Characters of a NAME.
const NAME: u8 = 40;

/// Digits of N.
const DIGITS: u8 = 2;

/// What `@` must be followed by.
const LAST: &[u8] = b"last";

/// A position in the array: what was written decides what may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    place: State,
    /// Characters of the slot so far, an unfinished one included.
    length: u8,
    /// The character under way, if any.
    character: Option<Character>,
    commands: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    /// Before the quote of a command; after a comma, a space may come first.
    Open {
        space: bool,
    },
    Action,
    ScopeState(ScopeState),
    Name,
    /// After `*`, or with all of `@last`.
    NameEnd,
    /// After `@` and this much of `last`.
    Last(u8),
    Type(Word),
    Quantifier(Word),
    QuantifierEnd {
        count: bool,
    },
    Count,
    Closed,
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeState {
    /// Before an item.
    Item,
    /// After `!`.
    Excluded,
    /// In a name.
    Text,
    /// After `*`.
    Everywhere,
}

/// A word of a closed set under way: which are still possible, and how much of them is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Word {
    written: u8,
    possible: u16,
}

/// The unfinished rest of a UTF-8 character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Character {
    /// Bytes to come.
    missing: u8,
    /// The bits so far.
    bits: u32,
    /// The first character that may be written in so many bytes.
    floor: u32,
}

impl Position {
    /// Before the array.
    pub const START: Self = Self { place: State::Start, length: 0, character: None, commands: 0 };

    /// Whether the array is closed.
    pub fn is_done(self) -> bool {
        self.place == State::Done
    }

    /// The position after `bytes`; `None` when the grammar does not allow them. No bytes at all are not allowed either:
    /// nothing would come of them.
    pub fn after(self, bytes: &[u8]) -> Option<Self> {
        let (first, rest) = bytes.split_first()?;
        rest.iter().try_fold(self.step(*first)?, |position, byte| position.step(*byte))
    }

    fn step(self, byte: u8) -> Option<Self> {
        if let Some(character) = self.character {
            return Some(Self { character: character.step(byte)?, ..self });
        }
        match (self.place, byte) {
            (State::Start, b'[') => Some(self.at(State::Open { space: false })),
            (State::Open { space: true }, b' ') => Some(self.at(State::Open { space: false })),
            (State::Open { .. }, b'"') => Some(Self { commands: self.commands + 1, ..self.at(State::Action) }),
            (State::Action, b'-') if self.length > 0 => Some(self.at(State::ScopeState(ScopeState::Item))),
            (State::Action, _) => self.text(byte, ACTION),
            (State::ScopeState(scope), _) => self.scope(scope, byte),
            (State::Name, b'*') if self.length == 0 => Some(self.at(State::NameEnd)),
            (State::Name, b'@') if self.length == 0 => Some(self.at(State::Last(0))),
            (State::Name, b'#') if self.length > 0 => Some(self.at(State::Type(Word::any(&TYPES)))),
            (State::Name, _) => self.text(byte, NAME),
            (State::NameEnd, b'#') => Some(self.at(State::Type(Word::any(&TYPES)))),
            (State::Last(written), _) if byte == LAST[usize::from(written)] => {
                let written = written + 1;
                let end = usize::from(written) == LAST.len();
                Some(self.at(if end { State::NameEnd } else { State::Last(written) }))
            }
            (State::Type(word), b'#') if word.end(&TYPES).is_some() => {
                Some(self.at(State::Quantifier(Word::any(&QUANTIFIERS))))
            }
            (State::Type(word), _) => Some(self.at(State::Type(word.step(byte, &TYPES)?))),
            (State::Quantifier(word), _) => {
                let word = word.step(byte, &QUANTIFIERS)?;
                Some(self.at(match word.end(&QUANTIFIERS) {
                    Some(quantifier) => State::QuantifierEnd { count: quantifier == Quantifier::Any.as_str() },
                    None => State::Quantifier(word),
                }))
            }
            (State::QuantifierEnd { count: true }, b'#') => Some(self.at(State::Count)),
            (State::QuantifierEnd { .. }, b'"') => Some(self.at(State::Closed)),
            (State::Count, b'"') if self.length > 0 => Some(self.at(State::Closed)),
            (State::Count, b'1'..=b'9') if self.length < DIGITS => Some(self.longer()),
            (State::Count, b'0') if (1..DIGITS).contains(&self.length) => Some(self.longer()),
            (State::Closed, b',') if usize::from(self.commands) < MAX_COMMANDS => {
                Some(self.at(State::Open { space: true }))
            }
            (State::Closed, b']') => Some(self.at(State::Done)),
            _ => None,
        }
    }

    fn scope(self, scope: ScopeState, byte: u8) -> Option<Self> {
        let at = |scope| State::ScopeState(scope);
        match (scope, byte) {
            (ScopeState::Item, b'*') => Some(Self { place: at(ScopeState::Everywhere), ..self.longer() }),
            // Only where there is room for what must follow.
            (ScopeState::Item, b'!') if self.length + 1 < SCOPE => {
                Some(Self { place: at(ScopeState::Excluded), ..self.longer() })
            }
            (ScopeState::Text | ScopeState::Everywhere, b',') if self.length + 2 < SCOPE => {
                Some(Self { place: at(ScopeState::Item), ..self.longer() })
            }
            (ScopeState::Text | ScopeState::Everywhere, b'-') => Some(self.at(State::Name)),
            (ScopeState::Everywhere, _) | (_, b',' | b'*' | b'!') => None,
            // A name does not begin with a space, wherever in the slot it stands.
            (ScopeState::Item | ScopeState::Excluded, b' ') => None,
            _ => self.text(byte, SCOPE).map(|next| Self { place: at(ScopeState::Text), ..next }),
        }
    }

    /// The first byte of another character of a slot.
    fn text(self, byte: u8, limit: u8) -> Option<Self> {
        if self.length >= limit || byte == b' ' && self.length == 0 {
            return None;
        }
        let character = match byte {
            b'-' | b'#' | b'"' | b'\\' => return None,
            0x20..=0x7e => None,
            0xc2..=0xdf => Some(Character { missing: 1, bits: u32::from(byte & 0x1f), floor: 0x80 }),
            0xe0..=0xef => Some(Character { missing: 2, bits: u32::from(byte & 0x0f), floor: 0x800 }),
            0xf0..=0xf4 => Some(Character { missing: 3, bits: u32::from(byte & 0x07), floor: 0x1_0000 }),
            _ => return None,
        };
        Some(Self { character, ..self.longer() })
    }

    fn at(self, place: State) -> Self {
        Self { place, length: 0, ..self }
    }

    fn longer(self) -> Self {
        Self { length: self.length + 1, ..self }
    }
}

impl Character {
    /// The rest after `byte`; `Some(None)` when the character is complete.
    fn step(self, byte: u8) -> Option<Option<Self>> {
        if byte & 0xc0 != 0x80 {
            return None;
        }
        let missing = self.missing - 1;
        let bits = self.bits << 6 | u32::from(byte & 0x3f);
        if missing == 0 {
            return char::from_u32(bits).filter(|c| is_text(*c)).map(|_| None);
        }
        // Of every other block of 64, `is_text` allows some.
        let shift = 6 * u32::from(missing);
        let (first, last) = (bits << shift, ((bits + 1) << shift) - 1);
        let empty = (0xd800..=0xdfff).contains(&first) || is_hidden(first);
        let possible = last >= self.floor && first <= char::MAX as u32 && !empty;
        possible.then_some(Some(Self { missing, bits, ..self }))
    }
}

/// Whether a character beyond ASCII may stand in a slot. The full-width comma separates scopes, white space is trimmed
/// away by the reader, and what is invisible has no place in a name.
fn is_text(c: char) -> bool {
    !(is_invisible(c) || c.is_whitespace() || COMMAS.contains(&c))
}

/// Whether a code point begins a block in which all is invisible.
fn is_hidden(first: u32) -> bool {
    (INVISIBLE_FIRST as u32..=INVISIBLE_LAST as u32).contains(&first)
}

const TYPES: [&str; 12] = {
    let mut words = [""; 12];
    let mut i = 0;
    while i < words.len() {
        words[i] = Type::ALL[i].as_str();
        i += 1;
    }
    words
};

const QUANTIFIERS: [&str; 4] =
    [Quantifier::One.as_str(), Quantifier::All.as_str(), Quantifier::Any.as_str(), Quantifier::Except.as_str()];

impl Word {
    fn any(words: &[&str]) -> Self {
        Self { written: 0, possible: (1 << words.len()) - 1 }
    }

    fn possible(self, words: &[&'static str]) -> impl Iterator<Item = (usize, &'static str)> {
        words.iter().copied().enumerate().filter(move |(i, _)| self.possible & 1 << i != 0)
    }

    fn step(self, byte: u8, words: &[&'static str]) -> Option<Self> {
        let written = usize::from(self.written);
        let possible = self
            .possible(words)
            .filter(|(_, word)| word.as_bytes().get(written) == Some(&byte))
            .fold(0, |possible, (i, _)| possible | 1 << i);
        (possible != 0).then_some(Self { written: self.written + 1, possible })
    }

    /// The word that is complete. No word of either set begins another.
    fn end(self, words: &[&'static str]) -> Option<&'static str> {
        self.possible(words).map(|(_, word)| word).find(|word| word.len() == usize::from(self.written))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::protocol::parse_array;

    fn accepts(text: &str) -> bool {
        Position::START.after(text.as_bytes()).is_some_and(Position::is_done)
    }

    #[test]
    fn the_protocol_s_own_examples_are_allowed() {
        for text in [
            r#"["打开-卧室-顶灯#Light#one"]"#,
            r#"["打开-客厅-*#Light#all","设置亮度=50%-卧室-顶灯#Light#one"]"#,
            r#"["打开-*,!卧室,!书房-*#Light#except", "打开-*-@last#Unknown#one"]"#,
            r#"["打开-*-*#Light#any#2"]"#,
            r#"["如果温度>26C-客厅-*#Unknown#one","打开-客厅-*#AirConditioner#one"]"#,
            r#"["UNKNOWN-*-*#Unknown#one"]"#,
            r#"["打开-𠮷屋-café lamp#SmartPlug#one"]"#,
        ] {
            assert!(accepts(text), "{text}");
            assert_eq!(parse_array(text).problems, vec![], "{text}");
        }
    }

    #[test]
    fn whatever_the_reader_would_have_to_mend_is_not_allowed() {
        for text in [
            "[]",
            "[1]",
            r#"{"#,
            r#"["打开-客厅"]"#,
            r#"["-客厅-*#Light#all"]"#,
            r#"["打开--*#Light#all"]"#,
            r#"["打开-客厅-#Light#all"]"#,
            r#"["打开-客厅-*#Lamp#all"]"#,
            r#"["打开-客厅-*#Light#every"]"#,
            r#"["打开-客厅-*#Light#all#2"]"#,
            r#"["打开-客厅-*#Light#any#0"]"#,
            r#"["打开-客厅-*#Light#any#"]"#,
            r#"["打开-,-*#Light#all"]"#,
            r#"["打开-！，-*#Light#all"]"#,
            r#"["打开-客厅-@first#Light#all"]"#,
            r#"[ "打开-客厅-*#Light#all"]"#,
            r#"["打开-客厅-*#Light#all",]"#,
            r#"["打\n开-客厅-*#Light#all"]"#,
            "[\"打\u{7}开-客厅-*#Light#all\"]",
            "[\"打\u{202e}开-客厅-*#Light#all\"]",
            "[\"打\u{85}开-客厅-*#Light#all\"]",
            "[\"打开-客厅-灯\u{fe0f}#Light#one\"]",
            "[\"打开-客厅-灯\u{180e}#Light#one\"]",
            "[\"打开-客厅-灯\u{e0041}#Light#one\"]",
            "[\"\u{3000}-客厅-*#Light#all\"]",
        ] {
            assert!(!accepts(text), "{text:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_utf8_are_not_allowed() {
        let slot = Position::START.after(b"[\"").unwrap();
        for bytes in
            [&b"\x80"[..], b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80", b"\xed\xa0", b"\xf0\x80", b"\xf4\x90", b"\xf5"]
        {
            assert_eq!(slot.after(bytes), None, "{bytes:x?}");
        }
        assert!(slot.after("\u{10ffff}".as_bytes()).is_some());
        // Tags and variation selectors cannot even be begun, since nothing could end them.
        assert_eq!((slot.after(b"\xf3\xa0"), slot.after(b"\xf3\xa1").is_some()), (None, true));
    }

    #[test]
    fn a_character_that_was_begun_can_be_finished() {
        for block in 2..=(char::MAX as u32 / 64) {
            let mut characters = (block * 64..block * 64 + 64).filter_map(char::from_u32);
            let empty = (0xd800..=0xdfff).contains(&(block * 64)) || is_hidden(block * 64);
            assert_eq!(characters.any(is_text), !empty, "{:x}", block * 64);
        }
    }

    #[test]
    fn no_command_is_longer_than_the_reader_takes() {
        use crate::language::protocol::MAX_COMMAND_CHARS;
        let longest = usize::from(ACTION) + usize::from(SCOPE) + usize::from(NAME) + "--#NetworkAudio#except#99".len();
        assert!(longest <= MAX_COMMAND_CHARS);
    }

    /// An array made of bytes that the grammar allows, chosen by `choices`, which shall prefer what ends a slot.
    fn written(choices: &[u8]) -> Vec<u8> {
        let mut position = Position::START;
        let mut bytes = Vec::new();
        let mut choices = choices.iter().cycle().map(|choice| usize::from(*choice));
        while !position.is_done() {
            let allowed: Vec<u8> = (0..=u8::MAX).filter(|byte| position.step(*byte).is_some()).collect();
            let ends: Vec<u8> = allowed.iter().copied().filter(|byte| b"-#\"]".contains(byte)).collect();
            let choice = choices.next().unwrap();
            let among = if choice % 4 == 0 && !ends.is_empty() { ends } else { allowed };
            let byte = among[choice / 4 % among.len()];
            bytes.push(byte);
            position = position.step(byte).unwrap();
        }
        bytes
    }

    proptest! {
        #[test]
        fn any_way_through_the_grammar_ends_and_reads_without_problems(
            choices in proptest::collection::vec(any::<u8>(), 1..400),
        ) {
            let text = String::from_utf8(written(&choices)).unwrap();
            prop_assert_eq!(parse_array(&text).problems, vec![], "{}", text);
        }
    }
}

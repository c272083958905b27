//! Floors and rooms that are called by numbers, and numbers that count something.

use super::super::lexicon::{Lexicon, Sense};
use super::super::{number, time};
use super::{Vocabulary, spoken};
use crate::text::normalize;

impl Vocabulary {
    /// Whether a number stands at the beginning and counts what follows it, or is a time.
    pub(super) fn counts(&self, chars: &[char]) -> bool {
        let Some((_, used)) = number::read(chars) else { return false };
        let rest: String = chars[used..].iter().take(2).collect();
        let unit = |s: &Sense| matches!(s, Sense::Unit(_) | Sense::Measure);
        let ends = rest.char_indices().skip(1).map(|(end, _)| end).chain([rest.len()]);
        let measured = ends.map(|end| self.lexicon.senses(&rest[..end])).any(|senses| {
            // 开 counts quilts, and is what is done or asked far more often.
            senses.iter().any(unit) && !senses.iter().any(|s| s.is_action() || matches!(s, Sense::State(_)))
        });
        let timed = || time::read(chars, |_| false, &self.lexicon.time).first().is_some_and(|span| span.start == 0);
        rest.starts_with('%') || measured || timed()
    }

    /// The floor that a normalised word names by its number (`2楼`, `二层`).
    pub fn floor_called(&self, word: &str) -> Option<usize> {
        let chars: Vec<char> = word.chars().collect();
        let (number, used) = number::read(&chars)?;
        let rest: String = chars[used..].iter().collect();
        let suffix = self.lexicon.floor_suffix.contains(&rest);
        suffix.then(|| self.floor_of_number(number.value)).flatten()
    }

    /// The room that is called by a number and nothing else, as in guesthouses: `幺零一` for 101.
    pub fn room_of_number(&self, n: f64) -> Option<usize> {
        let called = |name: &str| spoken::is_room_number(name) && name.parse() == Ok(n);
        self.home
            .rooms
            .iter()
            .position(|room| std::iter::once(&room.name).chain(&room.aliases).any(|name| called(&normalize(name))))
    }

    /// The floor of this number: `一楼`, `1楼`, `一层` or a floor called `一`.
    pub fn floor_of_number(&self, n: f64) -> Option<usize> {
        self.floors.iter().position(|f| {
            let chars: Vec<char> = f.chars().collect();
            number::read(&chars).is_some_and(|(number, used)| {
                let rest: String = chars[used..].iter().collect();
                number.value == n && (rest.is_empty() || self.lexicon.floor_suffix.contains(&rest))
            })
        })
    }
}

/// The floor that the name of a room begins with, where nobody says on which it is: `二楼卧室`.
pub(super) fn floor_in_name(room: &str, lexicon: &Lexicon) -> Option<String> {
    let chars: Vec<char> = normalize(room).chars().collect();
    let (_, used) = number::read(&chars)?;
    let rest: String = chars[used..].iter().collect();
    let suffix = lexicon.floor_suffix.iter().find(|suffix| rest.starts_with(suffix.as_str()))?;
    let room = rest.len() > suffix.len();
    room.then(|| chars[..used].iter().chain(suffix.chars().collect::<Vec<_>>().iter()).collect())
}

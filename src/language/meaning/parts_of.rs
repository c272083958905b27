//! The like parts of a thing: the outlets of a strip, the sides of a blanket.

use super::{Ability, DeviceSense, counted};
use crate::home::Domain;
use crate::language::lexicon::{Lexicon, PropertyId};

impl DeviceSense {
    /// The like parts of which it consists, where each is switched or set by itself: the outlets of a strip, the sides of a
    /// blanket.
    pub fn parts(&self, switched: bool, lexicon: &Lexicon) -> Vec<PropertyId> {
        let fits = |a: &&Ability| a.writable && switched == (a.domain == Some(Domain::Bool) || a.is_switch());
        let mut own: Vec<PropertyId> = self.abilities.iter().filter(fits).filter_map(|a| a.property).collect();
        own.dedup();
        let word = |p: &PropertyId| lexicon.properties[*p].words.first().filter(|_| lexicon.properties[*p].own);
        let numbered = |p: &PropertyId| word(p).is_some_and(|word| counted(word).is_some());
        let sided = |p: &PropertyId| {
            let sides = lexicon.sides.iter().flatten();
            word(p).is_some_and(|word| sides.into_iter().any(|side| word.starts_with(side.as_str())))
        };
        // 电脑插孔, 打印机插孔
        let noun = |p: &PropertyId| {
            let chars: Vec<char> = word(p)?.chars().collect();
            chars.len().checked_sub(2).filter(|at| *at > 0).map(|at| chars[at..].iter().collect::<String>())
        };
        let alike =
            |p: &PropertyId| noun(p).is_some_and(|n| own.iter().filter(|q| noun(q).as_ref() == Some(&n)).count() > 1);
        let outlets: Vec<PropertyId> = own.iter().copied().filter(|p| switched && alike(p)).collect();
        let counted: Vec<PropertyId> = own.iter().copied().filter(numbered).collect();
        let sides: Vec<PropertyId> = own.iter().copied().filter(sided).collect();
        [counted, sides, outlets].into_iter().find(|parts| parts.len() > 1).unwrap_or_default()
    }
}

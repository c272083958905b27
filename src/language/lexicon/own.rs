//! What one home calls its properties, as words of the language.

use std::collections::HashSet;

use super::{Lexicon, OwnProperty, OwnWords, PropertyId, PropertyWord, Sense};
use crate::text::is_han;

/// Characters of a name that people shorten.
const LONG: usize = 4;

impl Lexicon {
    /// The language with what one home calls its properties. A word that means something else besides names the property
    /// only beside a verb that switches: [`Sense::Feature`].
    #[must_use]
    pub fn with_words(&self, own: OwnWords) -> Self {
        let mut lexicon = self.clone();
        let add = |lexicon: &mut Self, word: &str, property: PropertyId| {
            let known = !self.senses(word).is_empty();
            let sense = if known { Sense::Feature(property) } else { Sense::Property(property) };
            let senses = lexicon.senses.entry(word.to_owned()).or_default();
            if !senses.contains(&sense) {
                senses.push(sense);
            }
        };
        let words = own.properties.iter().flat_map(|own| &own.words).chain(own.also.iter().map(|(_, word)| word));
        let called: HashSet<String> = words.cloned().collect();
        for OwnProperty { words, flag, kind, short } in own.properties {
            let Some(id) = words.first().cloned() else { continue };
            let property = lexicon.properties.len();
            if let Some(short) = short {
                lexicon.senses.entry(short).or_default().push(Sense::Feature(property));
            }
            for word in words.iter().filter(|word| word.chars().count() > 1) {
                add(&mut lexicon, word, property);
                // X, X功能, X模式 are the same X; a part of a long name will do where 功能 follows it.
                for suffix in self.feature_suffix.iter().filter(|_| flag) {
                    add(&mut lexicon, &format!("{word}{suffix}"), property);
                    for part in parts(word).into_iter().filter(|part| !self.is_value(part)) {
                        // 画面模式 is no part of 画面冻结 where something else is called so.
                        let short = format!("{part}{suffix}");
                        if self.senses(&short).is_empty() && !called.contains(&short) {
                            add(&mut lexicon, &short, property);
                        }
                    }
                }
            }
            let word = PropertyWord { id, words, own: true, flag, kind, ..PropertyWord::default() };
            lexicon.called.add(property, &word);
            lexicon.properties.push(word);
        }
        for (property, word) in &own.also {
            add(&mut lexicon, word, *property);
        }
        for property in self.properties.len()..lexicon.properties.len() {
            let words = lexicon.properties[property].words.clone();
            words.iter().for_each(|word| lexicon.add_shares(property, word, &called));
        }
        for (property, word) in &own.also {
            lexicon.add_shares(*property, word, &called);
        }
        lexicon.measured()
    }

    /// Adds what people say for a long name: `水压` for 冲洗水压, `雨感` for 雨感关窗. What the words of the language cover by
    /// themselves (关窗) says something else already.
    fn add_shares(&mut self, property: PropertyId, word: &str, called: &HashSet<String>) {
        let shares = if word.chars().count() < LONG { Vec::new() } else { parts(word) };
        for share in shares {
            let sensor = |s: &Sense| matches!(s, Sense::Kind(kind) if self.kinds[*kind].sensor);
            let mine = |s: &Sense| matches!(s, Sense::Share(_));
            // 自动清理 is no 清理.
            let valued =
                word.strip_suffix(share.as_str()).is_some_and(|rest| self.marks.itself.iter().any(|w| w == rest));
            // 时长 of 浇水时长 where another thing calls something so.
            let other = |s: &Sense| matches!(s, Sense::Property(p) if *p != property) && called.contains(&share);
            let free = !valued && self.senses(&share).iter().all(|s| sensor(s) || mine(s) || other(s));
            let sense = Sense::Share(property);
            if free
                && share.chars().all(is_han)
                && !self.says_something(&share)
                && !self.senses(&share).contains(&sense)
            {
                self.senses.entry(share).or_default().push(sense);
            }
        }
    }

    /// Whether words of the language, or an ordinary one, make up a text.
    fn says_something(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        if self.ordinary.begin(&chars).any(|length| length == chars.len()) {
            return true;
        }
        let known = |word: &[char]| {
            let word: String = word.iter().collect();
            self.senses(&word).iter().any(|s| !matches!(s, Sense::Share(_)))
        };
        (1..chars.len()).any(|cut| known(&chars[..cut]) && known(&chars[cut..]))
    }
}

/// The beginning and the end of a name of three characters and more.
fn parts(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let length = chars.len();
    let cuts = (2..length).filter(|cut| length >= 3 && *cut < length);
    cuts.flat_map(|cut| [chars[..cut].iter().collect::<String>(), chars[length - cut..].iter().collect()]).collect()
}

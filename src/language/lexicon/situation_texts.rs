//! Situations by what is said of them. Every sentence may be one, and every part of it.

use std::collections::HashMap;

use super::Situation;

/// The positions of situations by their texts, without the particles at the ends of these, and by how they feel.
#[derive(Clone, Debug, Default)]
pub(in crate::language) struct SituationTexts {
    /// In their order.
    by_stem: HashMap<String, Vec<usize>>,
    /// The first of each.
    by_feeling: HashMap<String, usize>,
    /// Bytes of the longest stem.
    longest: usize,
}

impl SituationTexts {
    /// Of these situations; `stem` takes the particles off a text.
    pub(in crate::language) fn of<'a>(situations: &'a [Situation], stem: impl Fn(&'a str) -> &'a str) -> Self {
        let mut said = Self::default();
        for (at, situation) in situations.iter().enumerate() {
            for stem in situation.texts.iter().map(|text| stem(text)) {
                said.longest = said.longest.max(stem.len());
                let owners = said.by_stem.entry(stem.to_owned()).or_default();
                if owners.last() != Some(&at) {
                    owners.push(at);
                }
            }
            for feeling in &situation.feels {
                said.by_feeling.entry(feeling.clone()).or_insert(at);
            }
        }
        said
    }

    /// The situations of which this is a text.
    pub(in crate::language) fn whole(&self, stem: &str) -> &[usize] {
        self.by_stem.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The situations whose text this begins with, and what is left of it.
    pub(in crate::language) fn begun<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = (&'a [usize], &'a str)> {
        let cuts = stem.char_indices().map(|(at, _)| at).take_while(|at| *at <= self.longest);
        cuts.map(|at| (self.whole(&stem[..at]), &stem[at..])).filter(|(owners, _)| !owners.is_empty())
    }

    /// The first situation that feels so.
    pub(in crate::language) fn felt(&self, feeling: &str) -> Option<usize> {
        self.by_feeling.get(feeling).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lexicon;
    use super::*;

    #[test]
    fn a_text_is_of_all_situations_that_have_it_and_begins_with_each_that_it_goes_on_from() {
        let lexicon = Lexicon::built_in().unwrap();
        for text in lexicon.situations.iter().flat_map(|s| &s.texts).map(|text| lexicon.without_particles(text)) {
            let is = |other: &String| lexicon.without_particles(other) == text;
            let has = |(at, s): (usize, &Situation)| s.texts.iter().any(is).then_some(at);
            let wanted: Vec<usize> = lexicon.situations.iter().enumerate().filter_map(has).collect();
            assert_eq!(lexicon.situation_texts.whole(text), wanted, "{text}");
            let longer = format!("{text}灯");
            assert!(
                lexicon.situation_texts.begun(&longer).any(|(owners, rest)| owners == wanted && rest == "灯"),
                "{text}"
            );
        }
        for (at, feeling) in
            lexicon.situations.iter().enumerate().flat_map(|(at, s)| s.feels.iter().map(move |f| (at, f)))
        {
            assert!(lexicon.situation_texts.felt(feeling).is_some_and(|first| first <= at), "{feeling}");
        }
    }
}

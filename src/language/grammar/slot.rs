//! Where a sentence that sets something says a word that nobody knows: `来个柔和的`, `力度来个八成`.

use super::super::lexicon::Sense;
use super::super::segment::{Token, plain};
use super::super::vocabulary::Vocabulary;
use super::{SpeakerContext, addressee};

/// Characters of the longest word that is looked at.
const LONGEST: usize = 6;

/// What the unknown word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The value that is set.
    Value,
    /// The property that gets a number.
    Property,
}

/// A place in a sentence for a word of the home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What it stands for.
    pub role: Role,
    /// The sentence before it.
    pub before: String,
    /// What was said there.
    pub words: String,
    /// The sentence after it.
    pub after: String,
}

impl Slot {
    /// The sentence with a word of the home in the place.
    pub fn filled(&self, word: &str) -> String {
        format!("{}{word}{}", self.before, self.after)
    }

    /// The sentence with nothing in the place.
    pub fn rest(&self) -> String {
        self.filled("")
    }
}

/// The place for a word of the home, where a sentence sets something and the grammar does not know the word for it.
pub fn slot(sentence: &str, vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Slot> {
    let tokens = addressee::address(plain(&vocabulary.utterance(sentence), vocabulary), vocabulary, speaker).ok()?;
    if tokens.iter().any(|token| token.has(&Sense::Punctuation)) {
        return None;
    }
    let at = tokens.iter().position(|token| token.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)))?;
    let amount = |token: &Token| token.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Extreme(_)));
    let (role, from, to) = if tokens.get(at + 1).is_some_and(amount) {
        let bound = tokens[..at].iter().rposition(bounds).map_or(0, |before| before + 1);
        (Role::Property, bound, at)
    } else {
        let end = tokens.iter().rposition(|token| !empty(token))? + 1;
        (Role::Value, at + 1, end)
    };
    let words = tokens.get(from..to)?;
    if !words.iter().any(Token::is_residue) || words.iter().any(other) {
        return None;
    }
    let said = |tokens: &[Token]| tokens.iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect::<String>();
    let words = said(words);
    (words.chars().count() <= LONGEST).then(|| Slot {
        role,
        before: said(&tokens[..from]),
        words,
        after: if role == Role::Property { said(&tokens[to..]) } else { String::new() },
    })
}

/// What no word for a value or a property holds: 安静的地方 is some other thing.
fn other(token: &Token) -> bool {
    token.is_entity() || token.has(&Sense::Negation) || token.has(&Sense::Of)
}

/// What stands before a property and is none.
fn bounds(token: &Token) -> bool {
    token.is_entity()
        || token.any(|s| {
            matches!(
                s,
                Sense::Kind(_)
                    | Sense::Sort(_)
                    | Sense::Room(_)
                    | Sense::RoomClass(_)
                    | Sense::RoomSort(_)
                    | Sense::Of
                    | Sense::Disposal
                    | Sense::Reference
                    | Sense::Filler
            )
        })
}

/// What may follow a value without saying more.
fn empty(token: &Token) -> bool {
    token.has(&Sense::Of) || token.has(&Sense::Particle) || token.has(&Sense::Filler)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::lexicon::Lexicon;
    use super::*;

    fn found(sentence: &str) -> Option<(Role, String, String)> {
        let document = include_str!("../../../tests/homes/smartthings.json");
        let (home, _) = crate::home::parse(&serde_json::from_str(document).unwrap()).unwrap();
        let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
        slot(sentence, &vocabulary, &SpeakerContext::default()).map(|slot| (slot.role, slot.words.clone(), slot.rest()))
    }

    #[test]
    fn unknown_words_where_something_is_set_leave_a_place() {
        assert_eq!(found("给我来个稀粥"), Some((Role::Value, "稀粥".into(), "给我来个".into())));
        assert_eq!(found("大白力度来个八成"), Some((Role::Property, "力度".into(), "大白来个八成".into())));
    }

    #[test]
    fn what_is_known_leaves_none() {
        for sentence in ["温控器切到节能", "换个安静的地方", "大白亮度来个八成", "打开大白", "别来个柔和的", ""]
        {
            assert_eq!(found(sentence), None, "{sentence}");
        }
    }
}

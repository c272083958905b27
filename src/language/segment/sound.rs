//! Words by their sound: what a recogniser wrote for them is another word, or none.

use super::super::lexicon::Sense;
use super::super::number::{self, HUNDRED, SHARE_OF, TENTH};
use super::super::vocabulary::Vocabulary;
use super::{Edge, NAME, Token, WORD};
use crate::text::{is_han, pinyin};

/// What it costs that characters are others of the same sound. A word of two characters is still cheaper than two words
/// of one each.
const SAME: u32 = 5;
/// The same for a single character, of which every sound has many; residue is dearer.
const SAME_SINGLE: u32 = 13;
/// What a near sound costs more.
const NEAR: u32 = 4;
/// What a question word costs more: it makes another sentence of the one that was said (那个, 哪个).
const ASKS: u32 = 1;

/// Syllables of the longest word that is recognised by sound.
const MAX_SPOKEN: usize = 8;

/// The sound of each character.
pub(super) struct Sounds {
    /// The usual reading; empty when it has none.
    usual: Vec<String>,
    /// The same, blurred.
    blurred: Vec<String>,
}

impl Sounds {
    pub(super) fn of(chars: &[char]) -> Self {
        // A recogniser writes a character for its usual reading: 假 in 放假 is no 下.
        let usual: Vec<String> = chars
            .iter()
            .map(|c| if is_han(*c) { pinyin::syllables(*c).swap_remove(0) } else { String::new() })
            .collect();
        let blurred = usual.iter().map(|syllable| pinyin::blur(syllable)).collect();
        Self { usual, blurred }
    }

    /// The text with the `百分之` of a share written as it should be: `百奋之三十`, `三分制一`.
    pub(super) fn with_shares(&self, written: &[char]) -> Vec<char> {
        let mut chars = written.to_vec();
        let numeral = |chars: &[char], at: usize| at < chars.len() && number::read(&chars[at..]).is_some();
        for at in 1..written.len().saturating_sub(1) {
            let sounds = self.blurred[at] == "fen" && self.blurred[at + 1] == "zi";
            let hundred = self.blurred[at - 1] == "bai";
            let share = hundred || number::read(&written[at - 1..at]).is_some();
            let written_so =
                written[at] == SHARE_OF[0] || written[at + 1] == SHARE_OF[1] || (hundred && written[at - 1] == HUNDRED);
            if sounds && share && written_so && (numeral(written, at + 2) || written.get(at + 2) == Some(&HUNDRED)) {
                chars[at..at + 2].copy_from_slice(&SHARE_OF);
                if hundred {
                    chars[at - 1] = HUNDRED;
                }
            }
            if self.usual[at] == number::TEN_SOUND && number::stands_for_ten(written, at) {
                chars[at] = number::TEN;
            }
        }
        chars
    }

    /// Words that sound like the characters at a position and are written otherwise, and floors by their number.
    pub(super) fn words_at(&self, chars: &[char], at: usize, vocabulary: &Vocabulary) -> Vec<Edge> {
        let mut edges = Vec::new();
        let mut key = String::new();
        for end in at..chars.len().min(at + MAX_SPOKEN) {
            let syllable = &self.blurred[end];
            if syllable.is_empty() {
                break;
            }
            if end > at {
                key.push('\'');
            }
            key.push_str(syllable);
            for word in vocabulary.sounding(&key) {
                edges.extend(self.edge(word, chars, at, end, vocabulary));
            }
        }
        edges.extend(self.numbered(chars, at, vocabulary));
        edges
    }

    fn edge(&self, word: &str, chars: &[char], at: usize, end: usize, vocabulary: &Vocabulary) -> Option<Edge> {
        let written = &chars[at..=end];
        let particle = |c: char| vocabulary.lexicon.senses(c.encode_utf8(&mut [0; 4])).contains(&Sense::Particle);
        let last = chars.get(end + 1).is_none_or(|c| !is_han(*c) || particle(*c));
        let spoken: Vec<char> = word.chars().collect();
        let single = spoken.len() == 1;
        if spoken == written || spoken.len() != written.len() {
            return None;
        }
        if another_number(&spoken, written, vocabulary) {
            return None;
        }
        let mut near = 0;
        for (offset, (is, _)) in spoken.iter().zip(written).enumerate().filter(|(_, (is, was))| is != was) {
            near += u32::from(!pinyin::syllables(*is).contains(&self.usual[at + offset]));
        }
        let name = vocabulary.is_name(word);
        // Near sounds are believed once in a word, of two characters only beside one that is written right.
        let changed = spoken.iter().zip(written).filter(|(is, was)| is != was).count();
        if near > 1 || (near == 1 && changed > 1 && spoken.len() < 3 && !name) {
            return None;
        }
        if single && !vocabulary.lexicon.misheard.iter().any(|m| m == word) {
            return None;
        }
        let before = at.checked_sub(1).and_then(|before| chars.get(before));
        let counted = before.is_some_and(|c| vocabulary.lexicon.marks.counts.contains(*c));
        // 火开大点 begins with no 和.
        let joins = before.is_some_and(|c| is_han(*c) || c.is_ascii_alphanumeric());
        let single_meant = |s: &Sense| may_be_single(s, last, counted) && (joins || *s != Sense::Conjunction);
        let meant = |s: &Sense| if single { single_meant(s) } else { may_be_meant(s) };
        let senses: Vec<Sense> = vocabulary.senses(word).into_iter().filter(meant).collect();
        if senses.is_empty() || turns_around(&senses, written, vocabulary) {
            return None;
        }
        let sound = if single { SAME_SINGLE } else { SAME };
        let asks = if senses.iter().any(|s| matches!(s, Sense::Question(_))) { ASKS } else { 0 };
        let cost = if name { NAME } else { WORD } + sound + NEAR * near + asks;
        let heard = Some(written.iter().collect());
        Some(Edge { length: written.len(), cost, token: Token { text: word.to_owned(), heard, senses } })
    }

    /// `二漏`, `三承`: a number, and what sounds like a storey or like tenths.
    fn numbered(&self, chars: &[char], at: usize, vocabulary: &Vocabulary) -> Option<Edge> {
        let (number, used) = number::read(&chars[at..]).filter(|(n, _)| !n.percent)?;
        let said = self.usual.get(at + used).filter(|s| !s.is_empty())?;
        let text: String = chars[at..at + used].iter().collect();
        let heard: String = chars[at..=at + used].iter().collect();
        let like = |word: &str| pinyin::readings(word).contains(said);
        let (text, sense) = match vocabulary.lexicon.floor_suffix.iter().find(|s| like(s)) {
            Some(suffix) => (
                format!("{text}{suffix}"),
                vocabulary.floor_of_number(number.value).map_or(Sense::NoSuchPlace, Sense::Floor),
            ),
            None => {
                let tenths = format!("{text}{TENTH}");
                let chars: Vec<char> = tenths.chars().collect();
                let like = || pinyin::syllables(TENTH).contains(said);
                let (share, _) = number::read(&chars).filter(|(n, _)| n.percent && like())?;
                (tenths, Sense::Number(share))
            }
        };
        let token = Token { text, heard: Some(heard), senses: vec![sense] };
        Some(Edge { length: used + 1, cost: NAME + SAME_SINGLE, token })
    }
}

/// Whether a number that is written would be another, or would count something else (一档 is no 一旦): that is another command.
/// In the middle of a longer word that is written right there is none: 加十器.
fn another_number(spoken: &[char], written: &[char], vocabulary: &Vocabulary) -> bool {
    let changed = |at: &usize| spoken[*at] != written[*at];
    let numeral = |at: usize| number::read(&written[at..=at]).is_some();
    let counts = |at: usize| {
        let unit = vocabulary.lexicon.senses(written[at].encode_utf8(&mut [0; 4]));
        unit.iter().any(|s| matches!(s, Sense::Unit(_)))
    };
    let only = (0..spoken.len()).filter(changed).count() == 1;
    let last = spoken.len() - 1;
    (0..spoken.len()).filter(changed).any(|at| {
        let within = only && at > 0 && at < last && !numeral(at - 1) && !numeral(at + 1) && !counts(at + 1);
        numeral(at) && !within || at > 0 && numeral(at - 1) && counts(at)
    })
}

/// Whether what is written already says the opposite: a verb is never heard into the one that undoes it.
fn turns_around(senses: &[Sense], written: &[char], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    senses.iter().any(|sense| {
        let Sense::Verb(verb) = sense else { return false };
        let opposite = lexicon.verbs[*verb].opposite.map(Sense::Verb);
        opposite.is_some_and(|o| written.iter().any(|c| lexicon.senses(c.encode_utf8(&mut [0; 4])).contains(&o)))
    })
}

/// Senses that another word of the same sound may stand for: never the words that turn a sentence around.
fn may_be_meant(sense: &Sense) -> bool {
    !matches!(
        sense,
        Sense::Negation
            | Sense::Past
            | Sense::Report
            | Sense::Suppose
            | Sense::Future
            | Sense::TimeAfter
            | Sense::OtherAssistant
            | Sense::Person
            | Sense::Number(_)
            | Sense::Ordinal(_)
            | Sense::Punctuation
    )
}

/// A single character is meant only if the lexicon says so: a particle at the end of a clause, a measure after a number.
fn may_be_single(sense: &Sense, last: bool, counted: bool) -> bool {
    match sense {
        Sense::Particle => last,
        Sense::Measure | Sense::Unit(_) => counted,
        Sense::If | Sense::Else | Sense::Correction | Sense::Compare(_) | Sense::State(_) => false,
        _ => may_be_meant(sense),
    }
}

/// Whether a person would believe that the words were said: something is written right, and what is not is the smaller
/// part.
pub(super) fn believable(tokens: &[Token]) -> bool {
    let characters: usize = tokens.iter().map(|t| t.text.chars().filter(|c| is_han(*c)).count()).sum();
    let content = |t: &Token| {
        t.is_entity()
            || t.any(|s| {
                matches!(
                    s,
                    Sense::Kind(_)
                        | Sense::Sort(_)
                        | Sense::Room(_)
                        | Sense::Floor(_)
                        | Sense::RoomClass(_)
                        | Sense::RoomSort(_)
                        | Sense::Storey { .. }
                        | Sense::Here
                        | Sense::Reference
                        | Sense::WholeHome
                        | Sense::Property(_)
                        | Sense::Verb(_)
                        | Sense::Set { .. }
                        | Sense::Step { .. }
                        | Sense::Number(_)
                        | Sense::Question(_)
                )
            })
    };
    let written = |t: &Token| match &t.heard {
        None => t.text.chars().count(),
        Some(heard) => heard.chars().zip(t.text.chars()).filter(|(was, is)| was == is).count(),
    };
    // A single character is doubtful; of a longer word something is heard.
    let doubt: usize =
        tokens.iter().filter(|t| t.heard.is_some()).map(|t| if t.text.chars().count() > 1 { 1 } else { 2 }).sum();
    let believed = match characters {
        0..=5 => 2,
        6..=9 => 3,
        10..=15 => 4,
        _ => 6,
    };
    (1..=believed).contains(&doubt) && tokens.iter().any(|t| content(t) && (t.heard.is_none() || written(t) >= 2))
}

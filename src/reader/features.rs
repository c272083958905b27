//! What is known about each word of a sentence, as numbers: what stands there and beside it, and what the language and the
//! home say about it. Names of a home are not among it: what is learned in one home has to hold in the next.

use crate::language::segment::Token;
use crate::language::sense::Sense;

/// Sorts of features that there is room for: each is a number below.
pub const BUCKETS: usize = 1 << 18;

/// The features of a sentence.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Of each word.
    pub words: Vec<Vec<u32>>,
    /// Of the seam before each word; none before the first.
    pub seams: Vec<Vec<u32>>,
}

/// Collects features of one place.
struct FeatureHashes(Vec<u32>);

impl FeatureHashes {
    fn add(&mut self, name: u8, parts: &[&str]) {
        // FNV-1a: what is trained on one machine is read on another.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut eat = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        eat(name);
        for part in parts {
            part.bytes().for_each(&mut eat);
            eat(0);
        }
        let mixed = (hash >> 32) ^ hash;
        self.0.push((mixed % BUCKETS as u64) as u32);
    }
}

/// What the features say of a word.
struct Word<'a> {
    text: &'a str,
    classes: Vec<&'static str>,
    /// All classes in one.
    signature: String,
    first: &'a str,
    last: &'a str,
    acts: bool,
    named: bool,
    pause: bool,
    strange: bool,
}

const OUTSIDE: &str = "^";

impl<'a> Word<'a> {
    fn of(token: &'a Token) -> Self {
        let mut classes: Vec<&'static str> = token.senses.iter().map(class).collect();
        classes.sort_unstable();
        classes.dedup();
        let owned = token.any(is_of_home);
        let number = token.any(|s| matches!(s, Sense::Number(_) | Sense::Ordinal(_) | Sense::Fraction(_)));
        let strange = token.is_residue();
        if strange {
            classes.push("?");
        }
        let text = match () {
            () if owned => "@",
            () if number => "#",
            () => token.text.as_str(),
        };
        let chars = || text.char_indices();
        let first = chars().nth(1).map_or(text, |(at, _)| &text[..at]);
        let last = chars().next_back().map_or(text, |(at, _)| &text[at..]);
        Self {
            text,
            signature: classes.join("+"),
            first,
            last,
            acts: token.any(Sense::is_action),
            named: token.is_entity()
                || token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_) | Sense::Property(_))),
            pause: token.has(&Sense::Punctuation),
            strange,
            classes,
        }
    }
}

/// The features of a sentence.
pub fn features(tokens: &[Token]) -> Features {
    let words: Vec<Word> = tokens.iter().map(Word::of).collect();
    let at = |i: usize, by: isize| i.checked_add_signed(by).and_then(|i| words.get(i));
    let text = |i: usize, by: isize| at(i, by).map_or(OUTSIDE, |w| w.text);
    let signature = |i: usize, by: isize| at(i, by).map_or(OUTSIDE, |w| w.signature.as_str());
    let mut features = Features::default();
    for (i, word) in words.iter().enumerate() {
        let mut place = FeatureHashes(Vec::with_capacity(64));
        place.add(0, &[]);
        for by in [-2, -1, 0, 1, 2] {
            let name = 10 + (by + 2) as u8;
            place.add(name, &[text(i, by)]);
            place.add(name + 10, &[signature(i, by)]);
            for class in at(i, by).into_iter().flat_map(|w| &w.classes) {
                place.add(name + 20, &[class]);
            }
        }
        for by in [-2, -1, 0, 1] {
            let name = 50 + (by + 2) as u8;
            place.add(name, &[text(i, by), text(i, by + 1)]);
            place.add(name + 10, &[signature(i, by), signature(i, by + 1)]);
        }
        place.add(70, &[signature(i, -1), signature(i, 0), signature(i, 1)]);
        place.add(71, &[word.first]);
        place.add(72, &[word.last]);
        place.add(73, &[at(i, -1).map_or(OUTSIDE, |w| w.last)]);
        place.add(74, &[at(i, 1).map_or(OUTSIDE, |w| w.first)]);
        if word.strange {
            let chars: Vec<String> = word.text.chars().map(String::from).collect();
            chars.iter().for_each(|c| place.add(75, &[c]));
            chars.windows(2).for_each(|pair| place.add(76, &[&pair[0], &pair[1]]));
            place.add(77, &[&chars.len().min(5).to_string()]);
        }
        around(&mut place, &words, i);
        features.words.push(place.0);
        features.seams.push(seam(&words, i));
    }
    features
}

/// What else the clause and the sentence say.
fn around(place: &mut FeatureHashes, words: &[Word], i: usize) {
    let own = words[i].signature.as_str();
    let (before, after) = (&words[..i], &words[i + 1..]);
    let says = |words: &[Word]| match (words.iter().any(|w| w.acts), words.iter().any(|w| w.named)) {
        (true, true) => "whole",
        (true, false) => "acts",
        (false, true) => "named",
        (false, false) => "nothing",
    };
    place.add(80, &[says(before), says(after)]);
    place.add(81, &[says(before), own]);
    place.add(82, &[own, says(after)]);
    let start = before.iter().rposition(|w| w.pause).map_or(0, |at| at + 1);
    let end = after.iter().position(|w| w.pause).map_or(words.len(), |at| i + 1 + at);
    let clause = &words[start..end.max(i + 1)];
    let strange = if clause.iter().any(|w| w.strange) { "strange" } else { "known" };
    place.add(83, &[says(clause), strange]);
    place.add(84, &[says(clause), own]);
    place.add(85, &[clause[0].text]);
    place.add(86, &[clause[clause.len() - 1].text]);
    place.add(87, &[says(&words[..start]), says(clause), says(&words[end..])]);
    place.add(88, &[words[0].text]);
    place.add(89, &[words[words.len() - 1].last]);
    for word in clause {
        place.add(90, &[word.text]);
        word.classes.iter().for_each(|class| place.add(91, &[class]));
    }
    for word in words.iter().filter(|w| !w.strange) {
        place.add(92, &[word.text]);
    }
    place.add(93, &[if start == 0 { "first" } else { "later" }, if end == words.len() { "last" } else { "more" }]);
}

/// The features of the seam before a word.
fn seam(words: &[Word], i: usize) -> Vec<u32> {
    let mut place = FeatureHashes(Vec::new());
    let Some(left) = i.checked_sub(1).map(|at| &words[at]) else { return place.0 };
    let right = &words[i];
    place.add(100, &[]);
    place.add(101, &[left.text]);
    place.add(102, &[right.text]);
    place.add(103, &[left.text, right.text]);
    place.add(104, &[&left.signature]);
    place.add(105, &[&right.signature]);
    place.add(106, &[&left.signature, &right.signature]);
    place.add(107, &[left.last]);
    place.add(108, &[right.first]);
    place.add(109, &[left.last, right.first]);
    place.add(110, &[if left.pause || right.pause { "pause" } else { "none" }]);
    left.classes.iter().for_each(|class| place.add(111, &[class]));
    right.classes.iter().for_each(|class| place.add(112, &[class]));
    place.0
}

/// Words that one home has and another has not.
pub(super) fn is_of_home(sense: &Sense) -> bool {
    use Sense::{Devices, Feature, Floor, Group, Room, Scene, Share, Value};
    matches!(sense, Devices(_) | Group(_) | Scene(_) | Room(_) | Floor(_) | Value | Feature(_) | Share(_))
}

/// The sort of a sense.
pub fn class(sense: &Sense) -> &'static str {
    match sense {
        Sense::Verb(_) | Sense::Grant => "verb",
        Sense::Set { .. } | Sense::SetBare | Sense::Link => "set",
        Sense::Step { .. } => "step",
        Sense::Degree { .. } | Sense::Direction { .. } => "direction",
        Sense::Make => "make",
        Sense::Little | Sense::Lots => "little",
        Sense::Property(_) | Sense::Feature(_) | Sense::Share(_) | Sense::Absent(_) => "property",
        Sense::Kind(_) => "kind",
        Sense::Sort(_) => "sort",
        Sense::Choice(_) | Sense::Value | Sense::Kelvin(_) | Sense::Extreme(_) => "value",
        Sense::BothSides | Sense::Side { .. } => "side",
        Sense::Reason => "reason",
        Sense::Finished => "finished",
        Sense::Alternative | Sense::And | Sense::Or => "or",
        Sense::Most => "most",
        Sense::AnyRoom | Sense::Scenes => "general",
        Sense::Fraction(_) | Sense::Number(_) | Sense::Ordinal(_) => "number",
        Sense::Unit(_) => "unit",
        Sense::Measure => "measure",
        Sense::RoomClass(_) | Sense::RoomSort(_) | Sense::NoSuchPlace => "no room",
        Sense::Here | Sense::Room(_) | Sense::Floor(_) | Sense::WholeHome | Sense::Storey { .. } => "place",
        Sense::RoomSuffix | Sense::Beside => "inside",
        Sense::All | Sense::Each | Sense::Both | Sense::AnyOne | Sense::Some => "all",
        Sense::Of => "of",
        Sense::Everything | Sense::Other => "things",
        Sense::Reference => "reference",
        Sense::Also | Sense::Again | Sense::Same | Sense::Another => "also",
        Sense::ExceptOpen | Sense::ExceptClose | Sense::ExceptAfter => "except",
        Sense::Conjunction => "and",
        Sense::Sequence | Sense::Then => "then",
        Sense::Correction => "correction",
        Sense::If | Sense::IfClose | Sense::Else | Sense::Unless | Sense::Standing => "if",
        Sense::Compare(_) => "compare",
        Sense::Question(_) => "question",
        Sense::Is | Sense::Exists => "is",
        Sense::Already => "already",
        Sense::AskFor | Sense::Polite => "polite",
        Sense::Not => "not",
        Sense::Negation => "negation",
        Sense::Past => "past",
        Sense::Report | Sense::Suppose => "report",
        Sense::Future | Sense::TimeAfter => "time",
        Sense::OtherAssistant | Sense::Person => "person",
        Sense::Particle => "particle",
        Sense::Disposal => "disposal",
        Sense::Filler | Sense::Speaker => "filler",
        Sense::State(_) => "state",
        Sense::Punctuation => "pause",
        Sense::Devices(_) => "device",
        Sense::Group(_) => "group",
        Sense::Scene(_) => "scene",
    }
}

//! What is known of a candidate in its sentence, as numbers: how its thing is named and where it is, what of the sentence says
//! the property, the value and the action, and which words nothing explains. Names of things are not among it; of
//! what only a home has a name for (a property, a value) the characters are.

use super::Setting;
use super::candidates::{Candidate, Said};
use super::parts::Part;
use super::things::{Named, Stands, Thing};
use crate::home::DeviceIndex;
use crate::language::lexicon::Sense;
use crate::language::segment::Token;
use crate::reader::class;

/// Sorts of features that there is room for: each is a number below.
pub const BUCKETS: usize = 1 << 19;

/// A text as a number: FNV-1a, the same on every machine.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Collects features of one candidate.
struct Features(Vec<u32>);

impl Features {
    fn add(&mut self, name: u64, parts: &[u64]) {
        let mut mixed = (name + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for part in parts {
            mixed = (mixed ^ part).wrapping_mul(0xff51_afd7_ed55_8ccd);
            mixed ^= mixed >> 32;
        }
        self.0.push((mixed % BUCKETS as u64) as u32);
    }
}

/// What the features say of a word.
struct Word {
    /// Its text; for what a home or a number brings, only that.
    text: u64,
    /// What it can mean, in general.
    signature: u64,
    classes: Vec<u64>,
    /// Its characters, where nothing explains it.
    chars: Vec<u64>,
    /// Its characters; of what a home or a number brings, one for all.
    all: Vec<u64>,
    hollow: bool,
    pause: bool,
    /// How likely it tells something, in steps.
    tells: u64,
}

impl Word {
    fn of(token: &Token, tells: f32) -> Self {
        let mut classes: Vec<&'static str> = token.senses.iter().map(class).collect();
        classes.sort_unstable();
        classes.dedup();
        let of_home = |s: &Sense| {
            use Sense::{Devices, Feature, Floor, Group, Room, Scene, Value};
            matches!(s, Devices(_) | Group(_) | Scene(_) | Room(_) | Floor(_) | Value | Feature(_))
        };
        let text = match () {
            () if token.any(of_home) => "@",
            () if token.any(|s| matches!(s, Sense::Number(_) | Sense::Ordinal(_) | Sense::Fraction(_))) => "#",
            () => token.text.as_str(),
        };
        let mut buffer = [0; 4];
        let all: Vec<u64> = text.chars().map(|c| hash(c.encode_utf8(&mut buffer))).collect();
        let chars = if token.is_residue() { all.clone() } else { Vec::new() };
        Self {
            text: hash(text),
            signature: hash(&classes.join("+")),
            classes: classes.iter().map(|class| hash(class)).collect(),
            chars,
            all,
            hollow: token.any(|s| {
                matches!(
                    s,
                    Sense::Particle
                        | Sense::Filler
                        | Sense::Punctuation
                        | Sense::Of
                        | Sense::Disposal
                        | Sense::Speaker
                        | Sense::Polite
                        | Sense::RoomSuffix
                        | Sense::Sequence
                        | Sense::Measure
                )
            }),
            pause: token.has(&Sense::Punctuation),
            tells: step(tells),
        }
    }
}

/// A probability in steps.
fn step(p: f32) -> u64 {
    [0.02, 0.1, 0.3, 0.6, 0.85, 0.97].iter().filter(|bound| p > **bound).count() as u64
}

/// A number in steps.
fn few(n: usize) -> u64 {
    [0, 1, 2, 4, 7, 11].iter().filter(|bound| n > **bound).count() as u64
}

/// A sentence, ready for its candidates.
pub struct Sentence<'a, 's> {
    pub(super) setting: &'s Setting<'a>,
    words: Vec<Word>,
    nothing: u64,
}

impl<'a, 's> Sentence<'a, 's> {
    /// Prepares a sentence.
    pub fn of(setting: &'s Setting<'a>) -> Self {
        let words = setting.tokens.iter().zip(&setting.tells).map(|(token, tells)| Word::of(token, *tells)).collect();
        Self { setting, words, nothing: step(setting.nothing) }
    }

    /// What speaks for it that nothing is told that could be done.
    pub fn nothing(&self, things: &[Thing]) -> Vec<u32> {
        let mut all = Features(Vec::with_capacity(96));
        let left = hash(self.setting.left);
        all.add(0, &[]);
        all.add(1, &[self.nothing]);
        all.add(2, &[left]);
        all.add(3, &[left, self.nothing]);
        let words = &self.words;
        for (at, word) in words.iter().enumerate() {
            all.add(4, &[word.text]);
            all.add(5, &[word.signature]);
            word.classes.iter().for_each(|class| all.add(6, &[*class]));
            if let Some(next) = words.get(at + 1) {
                all.add(7, &[word.text, next.text]);
                all.add(8, &[word.signature, next.signature]);
            }
            word.chars.iter().for_each(|c| all.add(9, &[*c]));
            word.chars.windows(2).for_each(|pair| all.add(10, &[pair[0], pair[1]]));
        }
        let chars: Vec<u64> = words.iter().flat_map(|word| word.all.iter().copied()).collect();
        chars.windows(2).for_each(|pair| all.add(17, &[pair[0], pair[1]]));
        chars.windows(3).for_each(|three| all.add(18, &[three[0], three[1], three[2]]));
        all.add(11, &[words.first().map_or(0, |w| w.text)]);
        all.add(12, &[words.last().map_or(0, |w| w.text)]);
        all.add(13, &[few(words.len())]);
        all.add(14, &[few(words.iter().map(|w| w.chars.len()).sum())]);
        let named = things.iter().map(|t| t.named).min();
        all.add(15, &[named.map_or(9, how)]);
        all.add(16, &[named.map_or(9, how), self.nothing]);
        all.0
    }

    /// What speaks for and against a candidate.
    /// `rivals` is what [`rivals`] says of its device.
    pub fn candidate(&self, candidate: &Candidate, things: &[Thing], (better, equal): (usize, usize)) -> Vec<u32> {
        let thing = &things[candidate.thing];
        let vocabulary = &self.setting.context.world.vocabulary;
        let sense = &vocabulary.devices[candidate.device];
        let kind = sense.kinds.first().map_or(0, |kind| hash(&vocabulary.lexicon.kinds[*kind].id));
        let parts: Vec<Part> = (0..self.words.len()).map(|at| self.part(at, candidate, thing)).collect();
        let (op, about) = (candidate.op, candidate.about);
        let mut all = Features(Vec::with_capacity(160));
        let named = how(thing.named);
        let stands = match thing.stands {
            Stands::There => 0,
            Stands::Elsewhere => 1,
            Stands::Here => 2,
            Stands::Away => 3,
            Stands::Anywhere => 4,
        };
        all.add(20, &[]);
        all.add(21, &[op]);
        all.add(22, &[op, about]);
        all.add(23, &[op, about, kind]);
        all.add(24, &[named, stands]);
        all.add(25, &[named, op]);
        all.add(26, &[named, few(better)]);
        all.add(27, &[named, few(equal)]);
        all.add(28, &[named, stands, few(better), few(equal)]);
        all.add(29, &[kind, named]);
        let several = u64::from(thing.devices.len() > 1);
        all.add(19, &[several, named, few(equal)]);
        all.add(55, &[several, kind, op]);

        let has = |part: Part| parts.contains(&part);
        let property = match () {
            () if has(Part::Property) => 2,
            () => self.resembles(self.property_words(candidate), &parts),
        };
        let value = match candidate.said {
            Said::Fixed if candidate.words.is_empty() => 9,
            Said::Fixed if has(Part::Value) => 2,
            Said::Fixed => self.resembles(candidate.words.iter().map(String::as_str), &parts),
            Said::Amount(..) => 3,
            Said::Up | Said::Down => 4,
            Said::UpBy(..) | Said::DownBy(..) => 5,
            Said::Asked => 6,
            Said::Helps => 7,
        };
        let acts = u64::from(has(Part::Action)) + 2 * u64::from(has(Part::Sets)) + 4 * u64::from(has(Part::Opposite));
        // Another of its abilities is named.
        let other = self.names_other(candidate, &parts);
        all.add(30, &[property, op]);
        all.add(31, &[value, op]);
        all.add(32, &[acts, op]);
        all.add(33, &[property, value, acts]);
        all.add(34, &[property, value, acts, named]);
        all.add(35, &[property, value, acts, about]);
        all.add(36, &[other, property]);
        all.add(37, &[other, op]);
        all.add(38, &[u64::from(candidate.so), op]);
        all.add(39, &[property, named, stands]);

        self.explained(&mut all, candidate, &parts, kind);
        self.called(&mut all, candidate, &parts);
        self.open(&mut all, &parts, [property, value, acts, named], op, about);
        all.0
    }

    /// What each word says of what is done.
    fn explained(&self, all: &mut Features, candidate: &Candidate, parts: &[Part], kind: u64) {
        let (op, about) = (candidate.op, candidate.about);
        let mut least = 7;
        for (at, word) in self.words.iter().enumerate() {
            if word.pause || parts[at] == Part::Thing {
                continue;
            }
            all.add(40, &[word.text, op]);
            all.add(41, &[word.text, about]);
            all.add(42, &[word.text, op, about]);
            all.add(43, &[word.text, kind, op]);
            all.add(44, &[word.signature, op]);
            for c in &word.chars {
                all.add(45, &[*c, op]);
                all.add(46, &[*c, about]);
                all.add(47, &[*c, op, about]);
                all.add(53, &[*c, kind, op]);
            }
            for pair in word.chars.windows(2) {
                all.add(48, &[pair[0], pair[1], op]);
                all.add(49, &[pair[0], pair[1], about]);
                all.add(54, &[pair[0], pair[1], kind, op]);
            }
            if let Some(next) = self.words.get(at + 1).filter(|next| !next.pause) {
                all.add(50, &[word.text, next.text, op]);
            }
            if matches!(parts[at], Part::Value | Part::Property | Part::Action) {
                least = least.min(word.tells);
            }
        }
        all.add(51, &[least]);
        all.add(52, &[least, self.nothing]);
    }

    /// What each word says of what only the home has a name for. Names are seen as what they are made of, so that what is learned
    /// of 电辅热 holds for 辅热 as well.
    fn called(&self, all: &mut Features, candidate: &Candidate, parts: &[Part]) {
        let op = candidate.op;
        for called in candidate.called.iter() {
            all.add(56, &[called.name, op]);
            let told = self.words.iter().zip(parts).filter(|(word, part)| !word.pause && **part != Part::Thing);
            for (word, _) in told {
                all.add(57, &[word.text, called.name, op]);
                word.chars.iter().for_each(|c| all.add(58, &[*c, called.name]));
                word.chars.windows(2).for_each(|pair| all.add(59, &[pair[0], pair[1], called.name]));
                for part in &called.chars {
                    all.add(87, &[word.text, *part]);
                    word.chars.iter().for_each(|c| all.add(88, &[*c, *part]));
                }
            }
        }
    }

    /// What nothing explains.
    fn open(&self, all: &mut Features, parts: &[Part], says: [u64; 4], op: u64, about: u64) {
        let tells = |part: &Part| *part < Part::Hollow;
        let (first, last) = (parts.iter().position(tells), parts.iter().rposition(tells));
        let (mut strange, mut known, mut most, mut inside) = (0, 0, 0, 0);
        for (at, word) in self.words.iter().enumerate().filter(|(at, _)| parts[*at] == Part::Open) {
            let side = match (first, last) {
                (Some(first), _) if at < first => 0,
                (_, Some(last)) if at > last => 1,
                (Some(_), Some(_)) => 2,
                _ => 3,
            };
            inside += usize::from(side == 2);
            if word.chars.is_empty() {
                known += 1;
                all.add(60, &[word.text]);
                all.add(61, &[word.text, side]);
            } else {
                strange += word.chars.len();
                word.chars.iter().for_each(|c| all.add(62, &[*c]));
                word.chars.windows(2).for_each(|pair| all.add(63, &[pair[0], pair[1]]));
                all.add(64, &[few(word.chars.len()), side]);
            }
            all.add(65, &[word.signature, side]);
            word.classes.iter().for_each(|class| all.add(66, &[*class, side]));
            most = most.max(word.tells);
            all.add(67, &[word.tells, side, word.signature]);
            // What is left right beside what is told.
            if let Some(next) = parts.get(at + 1).filter(|part| tells(part)) {
                all.add(68, &[word.text, *next as u64]);
            }
            if let Some(before) = at.checked_sub(1).map(|before| &parts[before]).filter(|part| tells(part)) {
                all.add(69, &[word.text, *before as u64]);
            }
        }
        // What stands right before and after all that is told, and whether anything does.
        if let (Some(first), Some(last)) = (first, last) {
            let before = first.checked_sub(1).map(|at| &self.words[at]);
            let after = self.words.get(last + 1);
            let edge = |word: Option<&Word>| word.map_or(0, |word| if word.pause { 1 } else { 2 });
            all.add(80, &[edge(before), edge(after), few(inside)]);
            all.add(81, &[before.map_or(0, |word| word.all.last().copied().unwrap_or_default())]);
            all.add(82, &[after.map_or(0, |word| word.all.first().copied().unwrap_or_default())]);
            all.add(83, &[before.map_or(0, |word| word.text), edge(after)]);
            all.add(84, &[after.map_or(0, |word| word.text), edge(before)]);
            all.add(85, &[self.words[first].signature, edge(before)]);
            all.add(86, &[self.words[last].signature, edge(after)]);
        }
        let [property, value, acts, named] = says;
        all.add(70, &[few(strange), few(known)]);
        all.add(71, &[few(strange), few(inside)]);
        all.add(72, &[few(strange + known), property, value, acts]);
        all.add(73, &[few(strange), named]);
        all.add(74, &[most, few(strange)]);
        all.add(75, &[most, self.nothing]);
        all.add(76, &[self.nothing, property, value, acts]);
        all.add(77, &[few(strange + known), op]);
        all.add(78, &[few(strange + known), about, property]);
        all.add(79, &[hash(self.setting.left), few(strange), named]);
    }

    /// Whether a word says nothing by itself.
    pub(super) fn is_hollow(&self, at: usize) -> bool {
        self.words[at].hollow
    }
}

/// Of the things that are not this device, how many are named better than the thing that it may be, and how many as well.
pub fn rivals(thing: &Thing, device: DeviceIndex, things: &[Thing]) -> (usize, usize) {
    let rivals = || things.iter().filter(|t| !t.devices.contains(&device));
    let better = rivals().filter(|t| t.named < thing.named && t.named < Named::Not).count();
    (better, rivals().filter(|t| how(t.named) == how(thing.named) && t.stands == thing.stands).count())
}

/// How a thing is named, as a number.
fn how(named: Named) -> u64 {
    match named {
        Named::Exactly => 0,
        Named::BySort => 1,
        Named::ByKind => 2,
        Named::Partly(length) => 10 + u64::from(length),
        Named::Pointed => 4,
        Named::Before => 5,
        Named::Not => 6,
        Named::Around => 7,
    }
}

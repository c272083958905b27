//! Noisy twins: a sentence as a recogniser may have heard it. Seeded, so that a twin is the same wherever it is made.
//!
//! What a person would not understand any more is no measure of anything: one or two characters a sentence become
//! common characters of the same or a near sound, never a numeral, and at most two slips of the tongue are added.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pinyin::ToPinyin;
use serde::Deserialize;

use super::cases::Case;
use crate::language::number;
use crate::text::is_han;

/// The 2,000 most frequent characters of GB 2312's first level, the most frequent first.
const COMMON: &str = include_str!("common.txt");

/// Characters of a sound that a recogniser may choose: the most frequent ones.
const CHOICES: usize = 6;

/// Sentences with fewer Chinese characters say too little to be guessed from their sound.
const SHORTEST: usize = 4;

/// Sentences with more Chinese characters may lose two of them.
const LONG: usize = 10;

/// Initials that are confused.
const INITIALS: [(&str, &str); 6] = [("zh", "z"), ("ch", "c"), ("sh", "s"), ("n", "l"), ("r", "l"), ("f", "hu")];

/// Finals that are confused.
const FINALS: [(&str, &str); 5] = [("ang", "an"), ("eng", "en"), ("ing", "in"), ("iang", "ian"), ("uang", "uan")];

/// What people slip on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slips {
    /// Words that a speaker begins twice.
    stuttered: Vec<String>,
    /// What is said while thinking.
    fillers: Vec<String>,
    /// What is swallowed.
    particles: Vec<String>,
    /// Characters that are never changed and never come out: another number is another command.
    numerals: String,
    /// Marks that recognisers leave out.
    marks: String,
    /// From zero on.
    digits: [char; 10],
    /// From a thousand down.
    magnitudes: [char; 3],
    /// The particle with which another is swallowed at the end.
    disposal: String,
    /// That other.
    changed: String,
}

fn slips() -> &'static Slips {
    static SLIPS: LazyLock<Slips> =
        LazyLock::new(|| serde_yaml::from_str(include_str!("noise.yaml")).expect("the tests below read the data"));
    &SLIPS
}

/// Makes noisy twins.
pub(super) struct Noise {
    seed: u64,
    by_sound: BTreeMap<String, Vec<char>>,
}

impl Noise {
    /// Noise of a seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut by_sound = BTreeMap::<String, Vec<char>>::new();
        for c in COMMON.chars().filter(|c| is_han(*c) && !slips().numerals.contains(*c)) {
            if let Some(sound) = sound(c) {
                by_sound.entry(sound).or_default().push(c);
            }
        }
        Self { seed, by_sound }
    }

    /// The noisy twin of a case: the same home, the same expectations, other words.
    pub(super) fn twin(&self, case: &Case) -> Case {
        let mut twin = case.clone();
        for (at, turn) in twin.turns.iter_mut().enumerate() {
            let mut dice = Dice::new(self.seed, &format!("{}/{at}", case.id));
            turn.question = self.distort(&turn.question, &mut dice);
        }
        twin
    }

    fn distort(&self, text: &str, dice: &mut Dice) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        let han = chars.iter().filter(|c| is_han(**c)).count();
        let misheard = match han {
            0..SHORTEST => 0,
            SHORTEST..=LONG => 1,
            _ => 1 + dice.below(2),
        };
        for _ in 0..misheard {
            self.mishear(&mut chars, dice);
        }
        let mut text: String = chars.into_iter().collect();
        for _ in 0..dice.below(3) {
            text = match dice.below(5) {
                0 => without_particle(&text, dice),
                1 => stutter(&text, dice),
                2 => with_filler(&text, dice),
                3 => other_digits(&text),
                _ => text.chars().filter(|c| !slips().marks.contains(*c)).collect(),
            };
        }
        text
    }

    /// One character becomes another of the same or a near sound.
    fn mishear(&self, chars: &mut [char], dice: &mut Dice) {
        let start = dice.below(chars.len());
        for step in 0..chars.len() {
            let at = (start + step) % chars.len();
            let heard = chars[at];
            let Some(sound) = sound(heard).filter(|_| !slips().numerals.contains(heard)) else { continue };
            let near: Vec<String> = confused(&sound).into_iter().filter(|s| self.by_sound.contains_key(s)).collect();
            let sound = if !near.is_empty() && dice.below(3) == 0 { &near[dice.below(near.len())] } else { &sound };
            let others: Vec<char> =
                self.by_sound.get(sound).into_iter().flatten().copied().filter(|c| *c != heard).take(CHOICES).collect();
            if !others.is_empty() {
                chars[at] = others[dice.below(others.len())];
                return;
            }
        }
    }
}

/// The usual reading of a character, without its tone.
fn sound(c: char) -> Option<String> {
    c.to_pinyin().map(|reading| reading.plain().to_owned())
}

/// Readings that differ in one confusion.
fn confused(sound: &str) -> Vec<String> {
    let mut near = Vec::new();
    for (one, other) in INITIALS.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
        let rest = sound.strip_prefix(one).filter(|rest| !rest.starts_with('h') && !rest.is_empty());
        near.extend(rest.map(|rest| format!("{other}{rest}")));
    }
    for (one, other) in FINALS.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
        near.extend(sound.strip_suffix(one).map(|rest| format!("{rest}{other}")));
    }
    near
}

/// A particle is swallowed. 了 only after 把: `我打开了灯` without it is another sentence.
fn without_particle(text: &str, dice: &mut Dice) -> String {
    let particles = &slips().particles;
    let start = dice.below(particles.len());
    let swallowed = (0..particles.len())
        .map(|step| particles[(start + step) % particles.len()].as_str())
        .find(|p| text.contains(p));
    match swallowed {
        Some(particle) if particle == slips().disposal && text.ends_with(&slips().changed) => {
            text.trim_end_matches(&slips().changed).to_owned()
        }
        Some(particle) => text.replacen(particle, "", 1),
        None => text.to_owned(),
    }
}

/// A word is begun twice.
fn stutter(text: &str, dice: &mut Dice) -> String {
    let stuttered = &slips().stuttered;
    let start = dice.below(stuttered.len());
    let words = (0..stuttered.len()).map(|step| &stuttered[(start + step) % stuttered.len()]);
    let first: String = text.chars().take(1).filter(|c| is_han(*c) && !slips().numerals.contains(*c)).collect();
    let word = words.into_iter().find(|word| text.contains(word.as_str())).unwrap_or(&first);
    text.replacen(word, &format!("{word}{word}"), usize::from(!word.is_empty()))
}

/// The speaker thinks, at the beginning or after the first pause.
fn with_filler(text: &str, dice: &mut Dice) -> String {
    let fillers = &slips().fillers;
    let filler = &fillers[dice.below(fillers.len())];
    match text.find(|c| slips().marks.contains(c)).filter(|_| dice.below(2) == 0) {
        Some(at) => {
            let (before, after) = text.split_at(at);
            let mark: String = after.chars().take(1).collect();
            format!("{before}{mark}{filler}{}", &after[mark.len()..])
        }
        None => format!("{filler}{text}"),
    }
}

/// Digits in characters, characters in digits. A single numeral stays: the 一 of 一下 is none.
fn other_digits(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        let read = number::read(&chars[at..]).filter(|(n, used)| *used > 1 && n.value.fract() == 0.0 && n.value >= 0.0);
        let Some((number, used)) = read else {
            out.push(chars[at]);
            at += 1;
            continue;
        };
        let written: String = chars[at..at + used].iter().collect();
        let han = in_characters(number.value as u32);
        out.push_str(&match (written.chars().all(|c| c.is_ascii_digit()), number.percent) {
            (true, _) => han,
            (false, true) => format!("{}%", number.value),
            (false, false) => format!("{}", number.value),
        });
        at += used;
    }
    out
}

/// A number below 10,000 as it is said; larger ones digit by digit.
fn in_characters(n: u32) -> String {
    let Slips { digits, magnitudes: [thousand, hundred, ten], .. } = slips();
    let digit = |d: u32| digits[d as usize % 10];
    if n == 0 || n >= 10_000 {
        return n.to_string().chars().filter_map(|c| c.to_digit(10)).map(digit).collect();
    }
    let mut text = String::new();
    let mut gap = false;
    for (magnitude, name) in [(1000, Some(thousand)), (100, Some(hundred)), (10, Some(ten)), (1, None)] {
        let d = n / magnitude % 10;
        if d == 0 {
            gap |= !text.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            text.push(digits[0]);
        }
        if !(magnitude == 10 && d == 1 && text.is_empty()) {
            text.push(digit(d));
        }
        text.extend(name);
    }
    text
}

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, so that a case keeps its twin when others come or go.
        let hash =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Self(seed ^ hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 for 0.
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n.max(1) as u64)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(seed: u64, text: &str) -> String {
        Noise::new(seed).distort(text, &mut Dice::new(seed, "case"))
    }

    #[test]
    fn the_same_seed_hears_the_same() {
        for seed in 0..20 {
            assert_eq!(heard(seed, "把客厅的空调调到二十六度"), heard(seed, "把客厅的空调调到二十六度"));
        }
        assert!((0..20).any(|seed| heard(seed, "把客厅的空调打开") != heard(seed + 1, "把客厅的空调打开")));
    }

    #[test]
    fn most_sentences_change_and_none_beyond_recognition() {
        let text = "把客厅的空调打开吧";
        let changed = |seed: &u64| heard(*seed, text) != text;
        assert!((0..100).filter(changed).count() > 95);
        let kept = |seed: u64| text.chars().filter(|c| heard(seed, text).contains(*c)).count();
        assert!((0..100).all(|seed| kept(seed) + 3 >= text.chars().count()));
    }

    #[test]
    fn numbers_stay_the_same_numbers() {
        assert_eq!(other_digits("空调二十六度"), "空调26度");
        assert_eq!(other_digits("亮度百分之三十"), "亮度30%");
        assert_eq!(other_digits("调到105"), "调到一百零五");
        assert_eq!(other_digits("看一下3000和10"), "看一下三千和十");
    }

    #[test]
    fn near_sounds_are_one_confusion_away() {
        assert!(confused("sheng").contains(&"seng".to_owned()) && confused("sheng").contains(&"shen".to_owned()));
        assert!(confused("liang").contains(&"niang".to_owned()) && confused("liang").contains(&"lian".to_owned()));
        assert!(confused("hua").contains(&"fa".to_owned()) && confused("fang").contains(&"huang".to_owned()));
    }
}

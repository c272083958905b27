//! Cuts a sentence into words: the cheapest cover by words of the vocabulary, which is longest match seen as a whole.
//!
//! What no word covers is residue, and residue is what makes the grammar unsure. A second pass lets words stand for
//! their homophones (`空条` for `空调`), but only where the first left residue.

mod doubt;
mod owned;
mod saying;
mod sound;
mod strange;
pub(super) mod stutter;

use super::lexicon::{Lexicon, PropertyId, Sense, VerbId};
use super::number;
use super::vocabulary::Vocabulary;
use crate::home::{DeviceIndex, Home};
use crate::text::{ENUMERATION, MARKS, normalize};

/// Sentences longer than this are not commands: [`is_story`]. No work is spent on what stands behind it.
pub const MAX_CHARS: usize = 200;

/// Whether normalised text is longer than anybody commands or answers in one breath. What would be read of it is only its
/// beginning, and the end may take back what that says.
pub fn is_story(text: &str) -> bool {
    text.chars().nth(MAX_CHARS).is_some()
}

/// Cost of one word; residue must cost more than any two words that explain the same characters.
const WORD: u32 = 10;
const NAME: u32 = 9;
const RESIDUE: u32 = 34;

/// Cost of an ordinary word of so many characters: less than a word that leaves a part of it unexplained, more than two words.
const fn ordinary(length: usize) -> u32 {
    20 + 5 * length as u32
}

/// A word of the sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// As it is understood, normalised.
    pub text: String,
    /// As it was heard, if that is something else.
    pub heard: Option<String>,
    /// What it can mean; empty for residue.
    pub senses: Vec<Sense>,
}

impl Token {
    /// What people say for a verb.
    pub fn of_verb(verb: VerbId, lexicon: &Lexicon) -> Self {
        Self { text: lexicon.verbs[verb].words[0].clone(), heard: None, senses: vec![Sense::Verb(verb)] }
    }

    /// What people call a property.
    pub fn of_property(property: PropertyId, lexicon: &Lexicon) -> Self {
        let text = lexicon.properties[property].words[0].clone();
        Self { text, heard: None, senses: vec![Sense::Property(property)] }
    }

    /// What people call a device.
    pub fn of_device(device: DeviceIndex, home: &Home) -> Self {
        Self { text: normalize(&home.devices[device].name), heard: None, senses: vec![Sense::Devices(vec![device])] }
    }

    /// A word that nobody said, where a sentence is told in other words.
    pub fn unsaid(sense: Sense) -> Self {
        Self { text: String::new(), heard: None, senses: vec![sense] }
    }

    /// Whether it can mean something of this sort.
    pub fn any(&self, test: impl Fn(&Sense) -> bool) -> bool {
        self.senses.iter().any(test)
    }

    /// Whether it has exactly this sense among others.
    pub fn has(&self, sense: &Sense) -> bool {
        self.senses.contains(sense)
    }

    /// Whether no word explains it; a word for where something stands explains nothing by itself.
    pub fn is_residue(&self) -> bool {
        self.senses.is_empty() || self.senses == [Sense::Beside]
    }

    /// Whether it names something of this home.
    pub fn is_entity(&self) -> bool {
        self.any(|s| matches!(s, Sense::Devices(_) | Sense::Group(_) | Sense::Scene(_)))
    }
}

/// An edge of the lattice.
struct Edge {
    length: usize,
    cost: u32,
    token: Token,
}

/// Cuts normalised text into words; words may stand for their homophones where the text as it is written leaves residue.
/// Never longer than the text; empty for empty text.
pub fn segment(text: &str, vocabulary: &Vocabulary) -> Vec<Token> {
    let plain = plain(text, vocabulary);
    if plain.iter().any(Token::is_residue) { heard(text, &plain, vocabulary).unwrap_or(plain) } else { plain }
}

/// Cuts normalised text into words as it is written.
pub fn plain(text: &str, vocabulary: &Vocabulary) -> Vec<Token> {
    let chars: Vec<char> = text.chars().take(MAX_CHARS).collect();
    owned::named(covered(&chars, vocabulary, words_at), &chars, vocabulary, words_at)
}

/// The same, with parts of the names of what things have as words ([`Sense::Share`]).
pub fn with_shares(text: &str, vocabulary: &Vocabulary) -> Vec<Token> {
    let chars: Vec<char> = text.chars().take(MAX_CHARS).collect();
    owned::named(covered(&chars, vocabulary, all_words_at), &chars, vocabulary, all_words_at)
}

/// Which words begin at a position.
type WordsAt = fn(&[char], usize, &Vocabulary) -> Vec<Edge>;

fn covered(chars: &[char], vocabulary: &Vocabulary, words_at: WordsAt) -> Vec<Token> {
    let tokens = cover(chars, vocabulary, |at| words_at(chars, at, vocabulary));
    strange::joined(merge_residue(tokens), vocabulary)
}

/// Cuts normalised text into words as it may have been said; `plain` are those as it is written. `None` when no word stands
/// for another, more of them do than a person would believe, or they make less of what is written.
pub fn heard(text: &str, plain: &[Token], vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let written: Vec<char> = text.chars().take(MAX_CHARS).collect();
    let sounds = sound::Sounds::of(&written);
    let chars = sounds.with_shares(&written);
    let tokens = cover(&chars, vocabulary, |at| {
        let mut edges = words_at(&chars, at, vocabulary);
        edges.extend(sounds.words_at(&chars, at, vocabulary));
        edges
    });
    let believed =
        chars != written || (sound::believable(&tokens) && !doubt::doubtful(plain, &tokens, &vocabulary.lexicon));
    believed.then(|| strange::joined(merge_residue(tokens), vocabulary))
}

/// The cheapest path through the lattice, on which values that are sentences are values only where they are meant.
fn cover(chars: &[char], vocabulary: &Vocabulary, edges_at: impl Fn(usize) -> Vec<Edge>) -> Vec<Token> {
    let mut unmeant: Vec<String> = Vec::new();
    loop {
        let tokens = cheapest(chars, |at| {
            let mut edges = edges_at(at);
            edges.retain(|edge| !unmeant.contains(&edge.token.text) || edge.token.any(|sense| *sense != Sense::Value));
            edges
        });
        match saying::unnamed(&tokens, vocabulary) {
            Some(value) => unmeant.push(value.to_owned()),
            None => return tokens,
        }
    }
}

/// The cheapest path through the lattice.
fn cheapest(chars: &[char], edges_at: impl Fn(usize) -> Vec<Edge>) -> Vec<Token> {
    let n = chars.len();
    let mut best: Vec<Option<(u32, usize)>> = vec![None; n + 1];
    let mut lattice: Vec<Vec<Edge>> = Vec::with_capacity(n);
    let mut chosen: Vec<Option<(usize, usize)>> = vec![None; n + 1];
    best[0] = Some((0, 0));
    for at in 0..n {
        let edges = edges_at(at);
        if let Some((cost, words)) = best[at] {
            for (index, edge) in edges.iter().enumerate() {
                let end = at + edge.length;
                let total = (cost + edge.cost, words + 1);
                if best[end].is_none_or(|known| total < known) {
                    best[end] = Some(total);
                    chosen[end] = Some((at, index));
                }
            }
        }
        lattice.push(edges);
    }
    let mut tokens = Vec::new();
    let mut end = n;
    while let Some((start, index)) = chosen[end] {
        tokens.push(lattice[start][index].token.clone());
        end = start;
    }
    tokens.reverse();
    tokens
}

/// Words that begin at a position, parts of names aside.
fn words_at(chars: &[char], at: usize, vocabulary: &Vocabulary) -> Vec<Edge> {
    let mut edges = all_words_at(chars, at, vocabulary);
    let share = |s: &Sense| matches!(s, Sense::Share(_));
    edges.retain(|edge| edge.token.senses.is_empty() || !edge.token.senses.iter().all(share));
    edges.iter_mut().for_each(|edge| edge.token.senses.retain(|s| !share(s)));
    edges
}

/// Words, numbers, floors and punctuation that begin at a position; always at least one character of residue.
fn all_words_at(chars: &[char], at: usize, vocabulary: &Vocabulary) -> Vec<Edge> {
    let rest = &chars[at..];
    let mut edges = Vec::new();
    let mut push = |length: usize, cost: u32, senses: Vec<Sense>| {
        let text = rest[..length].iter().collect();
        edges.push(Edge { length, cost, token: Token { text, heard: None, senses } });
    };
    // 调到-3; 音量-5 may be a step.
    let sets = |from: usize| {
        let word: String = chars[from..at].iter().collect();
        vocabulary.senses(&word).iter().any(|s| matches!(s, Sense::Set { .. }))
    };
    if rest[0] == '-'
        && let Some((mut number, used)) =
            rest.get(1).filter(|c| c.is_ascii_digit()).and_then(|_| number::read(&rest[1..]))
        && (at.saturating_sub(2)..at).any(sets)
    {
        number.value = -number.value;
        push(used + 1, WORD, vec![Sense::Number(number)]);
    }
    if MARKS.contains(rest[0]) {
        let conjunction = if rest[0] == ENUMERATION { vec![Sense::Conjunction] } else { vec![Sense::Punctuation] };
        push(1, WORD, conjunction);
        return edges;
    }
    if let Some((n, used)) = number::read_ordinal(rest) {
        push(used, WORD, vec![Sense::Ordinal(n)]);
    }
    if let Some((n, used)) = number::read(rest) {
        push(used, WORD, vec![Sense::Number(n)]);
        // 202的热水器 is in that room; 调到202度 is a value.
        let digits = number::is_spelled(&rest[..used]) && !measured(&rest[used..], vocabulary);
        if let Some(room) = digits.then(|| vocabulary.room_of_number(n.value)).flatten() {
            push(used, NAME, vec![Sense::Room(room)]);
        }
        let suffix =
            vocabulary.lexicon.floor_suffix.iter().find(|s| rest[used..].iter().collect::<String>().starts_with(*s));
        // 两层帘子 are two of them, 二层 is a storey.
        if let Some(suffix) = suffix.filter(|_| !number::counts(&rest[..used])) {
            let sense = vocabulary.floor_of_number(n.value).map_or(Sense::NoSuchPlace, Sense::Floor);
            push(used + suffix.chars().count(), NAME, vec![sense]);
        }
    }
    let mut word = String::new();
    for (length, c) in rest.iter().enumerate().take(vocabulary.longest_from(rest[0])) {
        word.push(*c);
        // A Latin word ends where its letters end: the `on` in `phone` is no word.
        let inside_latin = c.is_ascii_alphabetic() && rest.get(length + 1).is_some_and(char::is_ascii_alphabetic);
        let after_latin = at > 0 && chars[at - 1].is_ascii_alphabetic() && rest[0].is_ascii_alphabetic();
        if inside_latin || after_latin || !vocabulary.knows(&word) || is_hour(&chars[..at], &word, vocabulary) {
            continue;
        }
        let cost = if vocabulary.is_name(&word) { NAME } else { WORD };
        push(length + 1, cost, vocabulary.senses(&word));
    }
    for length in vocabulary.lexicon.ordinary.begin(rest) {
        push(length, ordinary(length), Vec::new());
    }
    let latin = rest.iter().take_while(|c| c.is_ascii_alphanumeric()).count().max(1);
    push(latin, RESIDUE, Vec::new());
    if latin > 1 {
        push(1, RESIDUE, Vec::new());
    }
    edges
}

/// Whether a word begins with what makes an hour of the number before it: 七点开灯 holds no 点开.
fn is_hour(before: &[char], word: &str, vocabulary: &Vocabulary) -> bool {
    let hour = |clock: &String| word.len() > clock.len() && word.starts_with(clock.as_str());
    let tells = || vocabulary.senses(word).iter().any(|s| matches!(s, Sense::Verb(_)));
    let number = || before.last().is_some_and(|c| number::read(&[*c]).is_some());
    vocabulary.lexicon.time.hours().iter().any(hour) && number() && tells()
}

/// Whether a unit follows.
fn measured(rest: &[char], vocabulary: &Vocabulary) -> bool {
    let unit = |c: &char| vocabulary.senses(c.encode_utf8(&mut [0; 4])).iter().any(|s| matches!(s, Sense::Unit(_)));
    rest.first().is_some_and(|c| *c == '%' || c.is_ascii_alphabetic() || unit(c))
}

/// Joins neighbouring residue into one token.
fn merge_residue(tokens: Vec<Token>) -> Vec<Token> {
    let mut merged: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match merged.last_mut() {
            Some(last) if last.senses.is_empty() && token.senses.is_empty() => last.text.push_str(&token.text),
            _ => merged.push(token),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::lexicon::Lexicon;
    use super::*;
    use crate::home::{Device, Home, Room};

    fn vocabulary() -> Vocabulary {
        let device = |id: &str, name: &str, room| Device {
            id: id.into(),
            name: name.into(),
            room,
            aliases: vec![],
            tags: vec![],
            category: String::new(),
            describe: String::new(),
            properties: vec![].into(),
            commands: vec![],
            risk: None,
            online: true,
            initial: Default::default(),
        };
        let home = Home {
            rooms: vec![Room { name: "儿童房".into(), floor: Some("二楼".into()), aliases: vec![] }],
            devices: vec![device("a", "星空灯", Some(0)), device("b", "老伙计", None), device("c", "电视灯带", None)],
            ..Home::default()
        };
        Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
    }

    fn cut(text: &str) -> Vec<String> {
        segment(&crate::text::normalize(text), &vocabulary()).into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn names_of_the_home_are_words() {
        assert_eq!(cut("儿童房的星空灯"), ["儿童房", "的", "星空灯"]);
        assert_eq!(cut("打开电视灯带"), ["打开", "电视灯带"]);
        assert_eq!(cut("打开跑步机"), ["打开", "跑步机"]);
    }

    #[test]
    fn what_a_place_has_or_stands_in_a_row_is_one_word() {
        assert_eq!(cut("打开儿童房的外套"), ["打开", "儿童房", "的", "外套"]);
        assert_eq!(cut("打开星空灯、毛巾和老伙计"), ["打开", "星空灯", "、", "毛巾", "和", "老伙计"]);
        assert_eq!(cut("打开儿童房的小提琴"), ["打开", "儿童房", "的", "小提琴"]);
        assert_eq!(cut("把儿童房的调小"), ["把", "儿童房", "的", "调小"]);
    }

    #[test]
    fn numbers_floors_and_units_are_cut_apart() {
        assert_eq!(cut("空调开到二十六度"), ["空调", "开到", "二十六", "度"]);
        assert_eq!(cut("二楼的灯"), ["二楼", "的", "灯"]);
        assert_eq!(cut("亮度百分之五十"), ["亮度", "百分之五十"]);
    }

    #[test]
    fn words_of_commands_are_not_cut_out_of_ordinary_words() {
        assert_eq!(cut("当心着火"), ["当心", "着", "火"]);
        assert_eq!(cut("在脚底下转悠"), ["在", "脚", "底下", "转悠"]);
    }

    #[test]
    fn homophones_are_heard_only_where_words_fail() {
        assert_eq!(cut("打开老火计"), ["打开", "老伙计"]);
        assert_eq!(cut("打开空条"), ["打开", "空调"]);
    }

    #[test]
    fn what_no_word_explains_is_residue() {
        let tokens = segment("打开qwerty", &vocabulary());
        assert!(tokens.last().unwrap().is_residue());
        assert!(segment("", &vocabulary()).is_empty());
        assert!(segment(&"灯".repeat(10_000), &vocabulary()).len() <= MAX_CHARS);
    }
}

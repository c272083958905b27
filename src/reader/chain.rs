//! A chain of words each of which tells something to do or only comments: scores of words and of the seams between them,
//! and what follows from them for the whole.

use super::features::Features;

/// Scores of one sentence.
#[derive(Clone, Debug)]
pub struct Chain {
    /// For each word, how much it speaks for telling.
    words: Vec<f32>,
    /// For the seam before each word, how much it speaks for a comment that begins there.
    opens: Vec<f32>,
    /// The same for one that ends there.
    closes: Vec<f32>,
}

/// States: 0 comments, 1 tells.
const STATES: [usize; 2] = [0, 1];

fn log_sum(a: f32, b: f32) -> f32 {
    let most = a.max(b);
    most + ((a - most).exp() + (b - most).exp()).ln()
}

impl Chain {
    /// The scores of features by their weights: of words, of seams where a comment begins, of seams where one ends.
    pub fn new(features: &Features, weight: impl Fn(Role, u32) -> f32) -> Self {
        let sum = |role: Role, all: &Vec<u32>| all.iter().map(|feature| weight(role, *feature)).sum();
        Self {
            words: features.words.iter().map(|all| sum(Role::Word, all)).collect(),
            opens: features.seams.iter().map(|all| sum(Role::Opens, all)).collect(),
            closes: features.seams.iter().map(|all| sum(Role::Closes, all)).collect(),
        }
    }

    /// Of scores that stand ready: for each word, that it tells, and for the seam before it, that a comment begins or ends there.
    pub(super) fn of(scores: impl Iterator<Item = [f32; 3]>) -> Self {
        let mut chain = Self { words: Vec::new(), opens: Vec::new(), closes: Vec::new() };
        for [word, opens, closes] in scores {
            chain.words.push(word);
            chain.opens.push(opens);
            chain.closes.push(closes);
        }
        chain
    }

    /// Of the scores of both, those of this one with a share of 0 to 1.
    pub(super) fn mixed(&self, other: &Self, share: f32) -> Self {
        let mix = |one: &[f32], two: &[f32]| one.iter().zip(two).map(|(a, b)| share * a + (1.0 - share) * b).collect();
        Self {
            words: mix(&self.words, &other.words),
            opens: mix(&self.opens, &other.opens),
            closes: mix(&self.closes, &other.closes),
        }
    }

    fn seam(&self, at: usize, from: usize, to: usize) -> f32 {
        match (from, to) {
            (1, 0) => self.opens[at],
            (0, 1) => self.closes[at],
            _ => 0.0,
        }
    }

    fn word(&self, at: usize, state: usize) -> f32 {
        if state == 1 { self.words[at] } else { 0.0 }
    }

    /// Logarithms of the sums over all readings up to each word, and from each word on.
    fn sums(&self) -> (Vec<[f32; 2]>, Vec<[f32; 2]>) {
        let n = self.words.len();
        let (mut ahead, mut behind) = (vec![[0.0; 2]; n], vec![[0.0; 2]; n]);
        for at in 0..n {
            for to in STATES {
                let come = |from: usize| ahead[at - 1][from] + self.seam(at, from, to);
                let before = if at == 0 { 0.0 } else { log_sum(come(0), come(1)) };
                ahead[at][to] = before + self.word(at, to);
            }
        }
        for at in (0..n.saturating_sub(1)).rev() {
            for from in STATES {
                let go = |to: usize| self.seam(at + 1, from, to) + self.word(at + 1, to) + behind[at + 1][to];
                behind[at][from] = log_sum(go(0), go(1));
            }
        }
        (ahead, behind)
    }

    /// For each word, how likely it is to tell; and for the seam before it, how likely a comment begins or ends there.
    pub fn likely(&self) -> Likely {
        let (ahead, behind) = self.sums();
        let Some(last) = ahead.last() else { return Likely::default() };
        let all = log_sum(last[0], last[1]);
        let n = self.words.len();
        let tells = (0..n).map(|at| (ahead[at][1] + behind[at][1] - all).exp()).collect();
        let pass = |at: usize, from: usize, to: usize| match at {
            0 => 0.0,
            _ => (ahead[at - 1][from] + self.seam(at, from, to) + self.word(at, to) + behind[at][to] - all).exp(),
        };
        Likely {
            tells,
            opens: (0..n).map(|at| pass(at, 1, 0)).collect(),
            closes: (0..n).map(|at| pass(at, 0, 1)).collect(),
        }
    }

    /// The likeliest reading in which something is told, and nothing by the words that are `mute`. `None` when there is none.
    pub fn best(&self, mute: &[bool]) -> Option<Vec<bool>> {
        // A comment before anything is told, what is told, a comment after it.
        const TELLS: [bool; 3] = [false, true, false];
        const FROM: [&[usize]; 3] = [&[0], &[0, 1, 2], &[1, 2]];
        let n = self.words.len();
        let mut score = vec![[f32::NEG_INFINITY; 3]; n];
        let mut from = vec![[0usize; 3]; n];
        for at in 0..n {
            let may_tell = !mute.get(at).copied().unwrap_or_default();
            for to in 0..3 {
                let come =
                    |from: usize| score[at - 1][from] + self.seam(at, usize::from(TELLS[from]), usize::from(TELLS[to]));
                let before = match at {
                    0 => {
                        if to == 2 {
                            f32::NEG_INFINITY
                        } else {
                            0.0
                        }
                    }
                    _ => {
                        let best = FROM[to].iter().copied().max_by(|a, b| come(*a).total_cmp(&come(*b)));
                        from[at][to] = best.unwrap_or_default();
                        come(from[at][to])
                    }
                };
                let word =
                    if TELLS[to] && !may_tell { f32::NEG_INFINITY } else { self.word(at, usize::from(TELLS[to])) };
                score[at][to] = before + word;
            }
        }
        let last = score.last()?;
        let mut state = if last[1] > last[2] { 1 } else { 2 };
        if last[state] == f32::NEG_INFINITY {
            return None;
        }
        let mut told = vec![false; n];
        for at in (0..n).rev() {
            told[at] = TELLS[state];
            state = from[at][state];
        }
        Some(told)
    }

    /// The likeliest readings in which something is told, and nothing by the words that are `mute`, with how likely each is: the very
    /// best, and those that tell in one piece.
    pub fn likeliest(&self, mute: &[bool], most: usize) -> Vec<(Vec<bool>, f32)> {
        let n = self.words.len();
        let (ahead, _) = self.sums();
        let Some(all) = ahead.last().map(|last| log_sum(last[0], last[1])) else { return Vec::new() };
        let mut pieces: Vec<(usize, usize, f32)> = Vec::new();
        for start in 0..n {
            let mut score = if start > 0 { self.closes[start] } else { 0.0 };
            for end in start + 1..=n {
                if mute.get(end - 1).copied().unwrap_or_default() {
                    break;
                }
                score += self.words[end - 1];
                let opens = if end < n { self.opens[end] } else { 0.0 };
                pieces.push((start, end, (score + opens - all).exp()));
            }
        }
        pieces.sort_by(|a, b| b.2.total_cmp(&a.2));
        pieces.truncate(most);
        let told = |start: usize, end: usize| (0..n).map(|at| (start..end).contains(&at)).collect::<Vec<bool>>();
        let mut found: Vec<(Vec<bool>, f32)> = Vec::new();
        if let Some(best) = self.best(mute).filter(|best| best.contains(&true)) {
            let likely = self.probability(&best);
            found.push((best, likely));
        }
        for (start, end, likely) in pieces {
            let told = told(start, end);
            if found.iter().all(|(known, _)| *known != told) {
                found.push((told, likely));
            }
        }
        found
    }

    /// How likely a reading is, of all there are.
    pub fn probability(&self, told: &[bool]) -> f32 {
        let (ahead, _) = self.sums();
        let Some(last) = ahead.last() else { return 1.0 };
        let mut score = 0.0;
        for (at, tells) in told.iter().enumerate().take(self.words.len()) {
            let state = usize::from(*tells);
            score += self.word(at, state);
            if at > 0 {
                score += self.seam(at, usize::from(told[at - 1]), state);
            }
        }
        (score - log_sum(last[0], last[1])).exp()
    }
}

/// What a weight speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// That a word tells.
    Word,
    /// That a comment begins.
    Opens,
    /// That a comment ends.
    Closes,
}

/// How likely each part of a reading is.
#[derive(Clone, Debug, Default)]
pub struct Likely {
    /// That a word tells.
    pub tells: Vec<f32>,
    /// That a comment begins before it.
    pub opens: Vec<f32>,
    /// That a comment ends before it.
    pub closes: Vec<f32>,
}

#[cfg(test)]
impl Chain {
    /// Whether all scores are those of another, but for so much.
    pub(super) fn is_near(&self, other: &Self, much: f32) -> bool {
        let all = |chain: &Self| {
            [&chain.words, &chain.opens, &chain.closes].into_iter().flatten().copied().collect::<Vec<_>>()
        };
        let (one, two) = (all(self), all(other));
        one.len() == two.len() && one.iter().zip(two).all(|(a, b)| (a - b).abs() <= much * (1.0 + b.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain() -> Chain {
        Chain {
            words: vec![2.0, 1.5, -0.3, -2.0],
            opens: vec![0.0, -1.0, 0.5, -1.0],
            closes: vec![0.0, -2.0, -2.0, -2.0],
        }
    }

    fn all() -> impl Iterator<Item = Vec<bool>> {
        (0..16u32).map(|bits| (0..4).map(|at| bits & (1 << at) != 0).collect())
    }

    #[test]
    fn all_readings_together_are_certain() {
        let sum: f32 = all().map(|told| chain().probability(&told)).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }

    #[test]
    fn the_best_reading_is_the_likeliest() {
        let likeliest = all().max_by(|a, b| chain().probability(a).total_cmp(&chain().probability(b))).unwrap();
        assert_eq!(chain().best(&[]), Some(likeliest));
        assert_eq!(chain().best(&[]), Some(vec![true, true, false, false]));
    }

    #[test]
    fn mute_words_tell_nothing_and_something_is_told() {
        let mute = [true, false, true, true];
        assert_eq!(chain().best(&mute), Some(vec![false, true, false, false]));
        assert_eq!(chain().best(&[true; 4]), None);
    }

    #[test]
    fn the_likeliest_readings_are_the_best_and_those_in_one_piece() {
        let found = chain().likeliest(&[false, false, true, false], 3);
        assert_eq!(found[0].0, vec![true, true, false, false]);
        assert!(found.len() > 2 && found[1..].windows(2).all(|pair| pair[0].1 >= pair[1].1));
        for (told, likely) in &found {
            assert!(!told[2] && told.contains(&true), "{told:?}");
            assert!((chain().probability(told) - likely).abs() < 1e-4, "{told:?}");
        }
        assert_eq!(Chain { words: vec![], opens: vec![], closes: vec![] }.likeliest(&[], 3), []);
    }

    #[test]
    fn what_is_likely_of_a_word_is_the_sum_over_all_readings() {
        let likely = chain().likely();
        for at in 0..4 {
            let tells: f32 = all().filter(|told| told[at]).map(|told| chain().probability(&told)).sum();
            let opens = |told: &Vec<bool>| at > 0 && told[at - 1] && !told[at];
            let opening: f32 = all().filter(opens).map(|told| chain().probability(&told)).sum();
            assert!((tells - likely.tells[at]).abs() < 1e-4);
            assert!((opening - likely.opens[at]).abs() < 1e-4);
        }
    }

    #[test]
    fn of_nothing_nothing_is_likely() {
        let none = Chain { words: vec![], opens: vec![], closes: vec![] };
        assert!(none.best(&[]).is_none() && none.likely().tells.is_empty());
    }
}

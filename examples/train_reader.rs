//! Trains the reader (`models/recipe/reader/README.md`): `train_reader WEIGHTS TRAIN.jsonl [DEV.jsonl]`. With `VERBOSE` set it shows
//! how it reads each sentence of the latter. `train_reader --see TRAIN.jsonl` shows what the scorer sees of each sentence, for its own training.
//!
//! A line is `{"home": PATH, "choices": [[[TEXT, TELLS], …], …]}`: the sentence in pieces, each of which tells something to
//! do or only comments. Of several choices the one counts that leaves out least and leaves no strange word in.

#![allow(clippy::print_stdout, reason = "what it learns is for the eyes of who trains it")]

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;
use zhiju::home::parse;
use zhiju::language::grammar::{SpeakerContext, words_to_anybody};
use zhiju::language::lexicon::Lexicon;
use zhiju::language::segment::Token;
use zhiju::language::sense::Sense;
use zhiju::language::vocabulary::Vocabulary;
use zhiju::reader::{BUCKETS, Chain, Features, Reader, Role, classes, features, pack};

const EPOCHS: usize = 6;
const RATE: f32 = 0.15;
const DECAY: f32 = 2e-6;
/// Features that fewer sentences have say nothing of others.
const LEAST: u32 = 2;
const SEED: u64 = 20;

#[derive(Deserialize)]
struct Line {
    home: String,
    choices: Vec<Vec<(String, bool)>>,
    /// It names what the home does not have.
    #[serde(default)]
    strange: bool,
}

struct Example {
    features: Features,
    tells: Vec<bool>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [see, file] = &args[..]
        && see == "--see"
    {
        return labelled_sentences(file, &mut HashMap::new(), |tokens, tells| {
            let words: Vec<_> = tokens.iter().map(|token| (&token.text, classes(token))).collect();
            let tells: Vec<u8> = tells.into_iter().map(u8::from).collect();
            println!("{}", serde_json::json!({"words": words, "tells": tells}));
        });
    }
    let [out, train, dev @ ..] = &args[..] else { return Err("train_reader WEIGHTS TRAIN.jsonl [DEV.jsonl]".into()) };
    let mut homes = HashMap::new();
    let mut train = read(train, &mut homes)?;
    println!("{} sentences to learn from", train.len());
    let weights = learn(&mut train);
    let bytes = pack(&weights);
    fs::write(out, &bytes)?;
    let reader = Reader::of(&bytes)?;
    for file in dev {
        let mut homes = HashMap::new();
        report(file, &mut homes, &reader)?;
    }
    Ok(())
}

fn vocabulary<'a>(path: &str, homes: &'a mut HashMap<String, Vocabulary>) -> Result<&'a Vocabulary, Box<dyn Error>> {
    if !homes.contains_key(path) {
        let (home, _) = parse(&serde_json::from_str(&fs::read_to_string(path)?)?)?;
        homes.insert(path.to_owned(), Vocabulary::new(Arc::new(Lexicon::built_in()?), Arc::new(home)));
    }
    Ok(&homes[path])
}

fn read(path: &str, homes: &mut HashMap<String, Vocabulary>) -> Result<Vec<Example>, Box<dyn Error>> {
    let mut examples = Vec::new();
    labelled_sentences(path, homes, |tokens, tells| examples.push(Example { features: features(tokens), tells }))?;
    Ok(examples)
}

/// Hands over the words of each line of a file, and which of them tell; none of a line whose pieces cut words in two.
fn labelled_sentences(
    path: &str,
    homes: &mut HashMap<String, Vocabulary>,
    mut take: impl FnMut(&[Token], Vec<bool>),
) -> Result<(), Box<dyn Error>> {
    for line in fs::read_to_string(path)?.lines() {
        let line: Line = serde_json::from_str(line)?;
        let vocabulary = vocabulary(&line.home, homes)?;
        let text: String = line.choices[0].iter().map(|(text, _)| text.as_str()).collect();
        let Some(tokens) = words_to_anybody(&text, vocabulary, &SpeakerContext::default()) else { continue };
        let one = line.choices.len() == 1;
        let labels = line.choices.iter().filter_map(|pieces| labelled(&tokens, pieces));
        let strange = |tells: &Vec<bool>| tokens.iter().zip(tells).any(|(t, tells)| *tells && t.is_residue());
        // What is told as a whole and holds a strange word is one that the grammar has left out as a comment.
        let whole = |tells: &Vec<bool>| one && (line.strange || !tells.iter().all(|tells| *tells));
        let labels = labels.filter(|tells| whole(tells) || !strange(tells));
        let Some(tells) = labels.min_by_key(|tells| tells.iter().filter(|t| !**t).count()) else { continue };
        take(&tokens, tells);
    }
    Ok(())
}

/// Which words tell; `None` where a word belongs to two pieces.
fn labelled(tokens: &[Token], pieces: &[(String, bool)]) -> Option<Vec<bool>> {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let mut chars = pieces.iter().flat_map(|(text, tells)| std::iter::repeat_n(*tells, letters(text)));
    let mut tells: Vec<bool> = Vec::new();
    for token in tokens {
        if token.has(&Sense::Punctuation) {
            tells.push(tells.last().copied().unwrap_or(true));
            continue;
        }
        let own: Vec<bool> = chars.by_ref().take(letters(&token.text)).collect();
        let first = *own.first()?;
        own.iter().all(|t| *t == first).then_some(())?;
        tells.push(first);
    }
    chars.next().is_none().then_some(tells)
}

/// Weights of the three roles: stochastic gradients of the likelihood of the readings, each weight with a pace of its own.
fn learn(examples: &mut [Example]) -> [Vec<f32>; 3] {
    let mut seen = vec![0u32; BUCKETS];
    for example in examples.iter() {
        let all = example.features.words.iter().chain(&example.features.seams).flatten();
        all.for_each(|f| seen[*f as usize] += 1);
    }
    for example in examples.iter_mut() {
        let places = example.features.words.iter_mut().chain(&mut example.features.seams);
        places.for_each(|place| place.retain(|f| seen[*f as usize] >= LEAST));
    }
    let mut weights: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; BUCKETS]);
    let mut paces: [Vec<f32>; 3] = std::array::from_fn(|_| vec![1e-6; BUCKETS]);
    let mut sums: [Vec<f32>; 3] = std::array::from_fn(|_| vec![0.0; BUCKETS]);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = SEED;
    for epoch in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(at, (random >> 33) as usize % (at + 1));
        }
        let mut wrong = 0;
        for at in &order {
            let Example { features, tells } = &examples[*at];
            let chain = Chain::new(features, |role, feature| weights[role as usize][feature as usize]);
            let likely = chain.likely();
            wrong += usize::from(likely.tells.iter().zip(tells).any(|(likely, tells)| (*likely > 0.5) != *tells));
            let mut step = |role: Role, all: &[u32], gradient: f32| {
                if gradient.abs() < 1e-4 {
                    return;
                }
                let (weights, paces) = (&mut weights[role as usize], &mut paces[role as usize]);
                for feature in all {
                    let at = *feature as usize;
                    let slope = gradient - DECAY * weights[at];
                    paces[at] += slope * slope;
                    weights[at] += RATE * slope / paces[at].sqrt();
                }
            };
            for (i, tell) in tells.iter().enumerate() {
                let is = |yes: bool| f32::from(u8::from(yes));
                step(Role::Word, &features.words[i], is(*tell) - likely.tells[i]);
                if i > 0 {
                    let before = tells[i - 1];
                    step(Role::Opens, &features.seams[i], is(before && !tell) - likely.opens[i]);
                    step(Role::Closes, &features.seams[i], is(!before && *tell) - likely.closes[i]);
                }
            }
        }
        println!("epoch {epoch}: {wrong} of {} not as they are", order.len());
        if epoch * 2 >= EPOCHS {
            for (sums, weights) in sums.iter_mut().zip(&weights) {
                sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
            }
        }
    }
    let taken = (0..EPOCHS).filter(|epoch| epoch * 2 >= EPOCHS).count() as f32;
    sums.map(|sums| sums.into_iter().map(|sum| sum / taken).collect())
}

/// How many readings of other homes are right.
fn report(path: &str, homes: &mut HashMap<String, Vocabulary>, reader: &Reader) -> Result<(), Box<dyn Error>> {
    let mut right: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let verbose = std::env::var_os("VERBOSE").is_some();
    let (mut took, mut sentences) = (Duration::ZERO, 0u32);
    for line in fs::read_to_string(path)?.lines() {
        let line: Line = serde_json::from_str(line)?;
        let vocabulary = vocabulary(&line.home, homes)?;
        let text: String = line.choices[0].iter().map(|(text, _)| text.as_str()).collect();
        let Some(tokens) = words_to_anybody(&text, vocabulary, &SpeakerContext::default()) else { continue };
        let labels: Vec<Vec<bool>> = line.choices.iter().filter_map(|p| labelled(&tokens, p)).collect();
        let Some(first) = labels.first() else { continue };
        let sort = match (line.choices.len(), first.iter().all(|t| *t), first.iter().any(|t| *t)) {
            (2.., _, _) => "mended",
            (_, true, _) => "told",
            (_, _, false) => "nothing",
            _ => "both",
        };
        let started = Instant::now();
        let Some(told) = reader.told(&tokens) else { continue };
        took += started.elapsed();
        sentences += 1;
        let Some((best, likely)) = told.readings.first() else { continue };
        let as_said = if sort == "nothing" { told.nothing > *likely } else { labels.contains(best) };
        let count = right.entry(sort).or_default();
        *count = (count.0 + usize::from(as_said), count.1 + 1);
        if verbose {
            let marked: Vec<String> = tokens
                .iter()
                .zip(best)
                .map(|(t, k)| if *k { format!("[{}]", t.text) } else { t.text.clone() })
                .collect();
            println!(
                "{sort} {} {:.3} {:.3} {} {:?}",
                if as_said { "+" } else { "-" },
                likely,
                told.nothing,
                marked.join(" "),
                told.left(&tokens, &vocabulary.lexicon).first()
            );
        }
    }
    println!("{path}: {right:?}, {:?} a sentence", took / sentences.max(1));
    Ok(())
}

//! Trains the ranker (`models/recipe/ranker/README.md`): `train_ranker WEIGHTS FILE…`, files of cases as `zhiju eval` reads them. What
//! stands behind `--held` is only measured. With `FOLDS` set, every file is read by weights that have learned from the others, and what
//! would come of that is shown; no weights are written.

#![allow(clippy::print_stdout, reason = "what it learns is for the eyes of who trains it")]

mod needs;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use zhiju::dialogue::{Page, interpret};
use zhiju::frame::Intent;
use zhiju::home::{Entity, Live, Room, parse};
use zhiju::interpret::left;
use zhiju::language::grammar::{self, Parse, SpeakerContext};
use zhiju::language::lexicon::Lexicon;
use zhiju::ranker::{BUCKETS, Choices, Repertoires, Said, Setting};
use zhiju::reader::{Reader, pack};
use zhiju::resolve::reply::Replies;
use zhiju::resolve::{Context, Outcome, resolve};
use zhiju::retrieval::World;

const THREADS: usize = 2;
const EPOCHS: usize = 16;
const RATE: f32 = 0.03;
const DECAY: f32 = 1e-6;
const SEED: u64 = 21;

#[derive(Deserialize)]
struct Case {
    id: String,
    home: Value,
    local: Option<String>,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    question: String,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    intent: String,
    #[serde(default)]
    instructs: BTreeMap<String, BTreeMap<String, Value>>,
    #[serde(default)]
    commands: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    contains: Vec<String>,
}

struct Example {
    file: usize,
    id: String,
    text: String,
    left: &'static str,
    features: Vec<Vec<u32>>,
    /// Which choices are right.
    right: Vec<bool>,
    /// What each comes to.
    what: Vec<String>,
    /// What would help in a situation comes to one of these.
    helps: BTreeSet<String>,
}

struct Home {
    world: World,
    live: Live,
    repertoires: Repertoires,
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((out, files)) = args.split_first() else {
        return Err("train_ranker WEIGHTS FILE… [--held FILE…]".into());
    };
    let held_at = files.iter().position(|f| f == "--held").unwrap_or(files.len());
    let files: Vec<String> = files.iter().filter(|f| *f != "--held").cloned().collect();
    let is_marked = |e: &Example| is_marked(&files[e.file]);
    let examples = read(&files)?;
    println!("{} sentences, {} choices", examples.len(), examples.iter().map(|e| e.features.len()).sum::<usize>());
    if let Ok(folds) = std::env::var("FOLDS") {
        let folds: usize = folds.parse()?;
        let read = |fold: usize| {
            let learned: Vec<&Example> =
                examples.iter().filter(|e| (is_marked(e) || e.file % folds != fold) && e.file < held_at).collect();
            let weights = learn(&learned);
            let _ = fs::write(format!("{out}.{fold}"), pack(std::slice::from_ref(&weights)));
            let of_fold = examples.iter().filter(|e| !is_marked(e) && e.file % folds == fold && e.file < held_at);
            of_fold.map(|e| (e, likely(&weights, e))).collect::<Vec<_>>()
        };
        let mut all = Vec::new();
        std::thread::scope(|scope| {
            let halves: Vec<_> = (0..2)
                .map(|half| {
                    scope.spawn(move || (0..folds).filter(|f| f % 2 == half).flat_map(read).collect::<Vec<_>>())
                })
                .collect();
            halves.into_iter().for_each(|half| all.extend(half.join().expect("a fold ends")));
        });
        report(&all);
        return Ok(());
    }
    let learned: Vec<&Example> = examples.iter().filter(|e| e.file < held_at).collect();
    let weights = learn(&learned);
    let bytes = pack(std::slice::from_ref(&weights));
    fs::write(out, &bytes)?;
    let held: Vec<_> = examples.iter().filter(|e| e.file >= held_at).map(|e| (e, likely(&weights, e))).collect();
    report(&held);
    Ok(())
}

impl Home {
    fn of(document: &Value, lexicon: &Arc<Lexicon>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let (home, _) = parse(document)?;
        let live = Live::initial(&home);
        let world = World::new(Arc::clone(lexicon), Arc::new(home));
        let repertoires = Repertoires::of(&world.vocabulary);
        Ok(Self { world, live, repertoires })
    }

    fn read(path: &str, lexicon: &Arc<Lexicon>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Self::of(&serde_json::from_str(&fs::read_to_string(path)?)?, lexicon)
    }

    fn context<'a>(&'a self, local: Option<usize>, last: &'a [Entity], replies: &'a Replies) -> Context<'a> {
        Context {
            world: &self.world,
            live: &self.live,
            local,
            last,
            handful: 4,
            replies,
            asking: false,
            fresh_since_ms: 0,
            told: None,
            chosen: None,
            confirmed: false,
            usage: None,
        }
    }
}

/// Whether sentences of a file say what is right themselves.
fn is_marked(path: &str) -> bool {
    path.ends_with(".txt") || is_heard(path)
}

/// Whether sentences of a file are heard in homes of others.
fn is_heard(path: &str) -> bool {
    path.ends_with(".need") || path.ends_with(".say")
}

/// The home of a file of marked sentences.
fn beside(path: &str) -> String {
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let own = format!("tests/corpus/homes/{name}.json");
    if Path::new(&own).exists() { own } else { format!("tests/homes/{name}.json") }
}

/// The homes of a writer of cases.
fn homes_of(path: &str) -> Result<Vec<String>, Box<dyn Error + Send + Sync>> {
    let writer = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let Some(folder) = Path::new(path).parent().and_then(Path::parent).map(|folder| folder.join("homes")) else {
        return Ok(Vec::new());
    };
    if !path.ends_with(".jsonl") || !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut homes = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&format!("{writer}-")) {
            homes.push(entry.path().to_string_lossy().into_owned());
        }
    }
    Ok(homes)
}

/// A sentence with brackets around what is told: right is what comes of that alone, where the grammar is sure of it.
fn marked(line: &str, id: &str, file: usize, home: &Home, reader: &Reader, replies: &Replies) -> Option<Example> {
    let text: String = line.chars().filter(|c| !"[]".contains(*c)).collect();
    let told: Vec<&str> = line.split('[').skip(1).filter_map(|part| part.split(']').next()).collect();
    let told = told.join("，");
    let rooms = home.world.home().rooms.len();
    let any = zhiju::ranker::hash(&text) as usize % rooms.max(1);
    let said = |text: &str, local: usize| {
        let speaker = SpeakerContext { local: Some(local), names: vec!["小牛".into()], ..SpeakerContext::default() };
        (grammar::parse(text, &home.world.vocabulary, &speaker), speaker)
    };
    let mut wanted = String::new();
    let mut local = any;
    if !told.is_empty() {
        // Somewhere where it says all that is needed.
        let found = (0..rooms).map(|by| (any + by) % rooms).find_map(|local| {
            let (Parse::Orders(orders), _) = said(&told, local) else { return None };
            let context = home.context(Some(local), &[], replies);
            let outcome = resolve(&orders, &context);
            (orders.len() == 1 && !outcome.instructs.is_empty()).then(|| (local, what(&outcome)))
        });
        (local, wanted) = found?;
    }
    let (parse, speaker) = said(&text, local);
    let context = home.context(Some(local), &[], replies);
    let left = left(&interpret(&text, parse, &Page::default(), &home.world, Some(local), 0), &context);
    let tokens = grammar::words_to_anybody(&text, &home.world.vocabulary, &speaker)?;
    let setting = Setting::of(&tokens, context, &home.repertoires, reader, left)?;
    let choices = Choices::of(&setting);
    let all: Vec<String> = std::iter::once(String::new())
        .chain(choices.candidates.iter().map(|candidate| what(&resolve(&candidate.orders(&choices.things), &context))))
        .collect();
    let right: Vec<bool> = all.iter().map(|what| *what == wanted).collect();
    let known = right.contains(&true);
    let helps = helping(&choices, &all);
    known.then(|| Example { file, id: id.to_owned(), text, left, features: choices.features, right, what: all, helps })
}

/// Of what each choice comes to, that of what would help in a situation.
fn helping(choices: &Choices, what: &[String]) -> BTreeSet<String> {
    let all = choices.candidates.iter().zip(&what[1..]);
    all.filter(|(candidate, _)| candidate.said == Said::Helps).map(|(_, what)| what.clone()).collect()
}

/// What an outcome comes to, as a text.
fn what(outcome: &Outcome) -> String {
    let moved = outcome.instructs.iter().map(|i| (&i.id, &i.state, i.command.as_ref().map(|c| (&c.id, &c.argument))));
    match outcome.instructs.is_empty() {
        true => outcome.text.clone(),
        false => serde_json::to_string(&moved.collect::<Vec<_>>()).unwrap_or_default(),
    }
}

fn document(case: &Case, file: &str) -> Result<Value, Box<dyn Error + Send + Sync>> {
    let Some(name) = case.home.as_str() else { return Ok(case.home.clone()) };
    let folder = Path::new(file).parent().and_then(Path::parent);
    let beside = folder.map(|folder| folder.join("homes").join(format!("{name}.json")));
    let name = if name == "seed" { "seed-home" } else { name };
    let path = beside.filter(|path| path.exists()).unwrap_or_else(|| format!("tests/homes/{name}.json").into());
    Ok(serde_json::from_str(&fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?)?)
}

fn read(files: &[String]) -> Result<Vec<Example>, Box<dyn Error + Send + Sync>> {
    let lexicon = Arc::new(Lexicon::built_in()?);
    let (reader, replies) = (&Reader::shipped()?, Replies::built_in()?);
    let mut homes: Vec<String> = files.iter().filter(|path| path.ends_with(".txt")).map(|path| beside(path)).collect();
    for path in files {
        homes.extend(homes_of(path)?);
    }
    homes.sort_unstable();
    homes.dedup();
    let needs = files.iter().find(|path| path.ends_with(".need"));
    let needs = needs.map(|path| needs::Needs::read(path, &homes, &lexicon)).transpose()?;
    let read = |file: usize| -> Result<Vec<Example>, Box<dyn Error + Send + Sync>> {
        let path = &files[file];
        let mut examples = Vec::new();
        if let Some(needs) = needs.as_ref().filter(|_| is_heard(path)) {
            for (at, line) in fs::read_to_string(path)?.lines().enumerate() {
                examples.extend(needs.of(line, &format!("{path}:{}", at + 1), file, reader, &replies));
            }
            return Ok(examples);
        }
        let mut homes: HashMap<String, Home> = HashMap::new();
        if path.ends_with(".txt") {
            let home = Home::read(&beside(path), &lexicon)?;
            for (at, line) in fs::read_to_string(path)?.lines().enumerate() {
                examples.extend(marked(line, &format!("{path}:{}", at + 1), file, &home, reader, &replies));
            }
            return Ok(examples);
        }
        for line in fs::read_to_string(path)?.lines() {
            let case: Case = serde_json::from_str(line)?;
            let key = case.home.to_string();
            if !homes.contains_key(&key) {
                homes.insert(key.clone(), Home::of(&document(&case, path)?, &lexicon)?);
            }
            examples_of(&case, file, &homes[&key], reader, &replies, &mut examples);
        }
        Ok(examples)
    };
    // Every other file on a thread of its own, put back in order.
    let mut all: Vec<Vec<Example>> = std::thread::scope(|scope| {
        let part =
            |first: usize| scope.spawn(move || (first..files.len()).step_by(THREADS).map(read).collect::<Vec<_>>());
        let parts: Vec<_> = (0..THREADS).map(part).collect();
        let mut parts: Vec<_> =
            parts.into_iter().map(|part| part.join().expect("a reading does not panic").into_iter()).collect();
        (0..files.len()).filter_map(|file| parts[file % THREADS].next()).collect::<Result<_, _>>()
    })
    .map_err(|e| e.to_string())?;
    Ok(all.drain(..).flatten().collect())
}

fn examples_of(case: &Case, file: usize, home: &Home, reader: &Reader, replies: &Replies, examples: &mut Vec<Example>) {
    let world = &home.world;
    let called = |room: &Room, name: &String| room.name == *name || room.aliases.contains(name);
    let local = case.local.as_ref().and_then(|name| world.home().rooms.iter().position(|room| called(room, name)));
    let mut last: Vec<Entity> = Vec::new();
    for (at, turn) in case.turns.iter().enumerate() {
        let context = home.context(local, &last, replies);
        let speaker = SpeakerContext { local, names: vec!["小牛".into()], ..SpeakerContext::default() };
        let parse = grammar::parse(&turn.question, &world.vocabulary, &speaker);
        let left = left(&interpret(&turn.question, parse, &Page::default(), world, local, 0), &context);
        let tokens = grammar::words_to_anybody(&turn.question, &world.vocabulary, &speaker);
        // What follows on nothing that moved is understood by what came before, which is not here.
        let alone = at == 0 || !turn.expect.instructs.is_empty();
        if let Some(tokens) = tokens.filter(|tokens| !tokens.is_empty() && alone)
            && let Some(setting) = Setting::of(&tokens, context, &home.repertoires, reader, left)
        {
            let choices = Choices::of(&setting);
            if let Some((right, what)) = judge(&turn.expect, &choices, &context) {
                let (id, text) = (case.id.clone(), turn.question.clone());
                let helps = helping(&choices, &what);
                examples.push(Example { file, id, text, left, features: choices.features, right, what, helps });
            }
        }
        let moved = turn.expect.instructs.keys().chain(turn.expect.commands.keys());
        last = moved.filter_map(|id| world.home().device(id).map(|(device, _)| Entity::Device(device))).collect();
    }
}

/// Which choices are right, and what each comes to; `None` where nobody can tell from this case.
fn judge(expect: &Expect, choices: &Choices, context: &Context) -> Option<(Vec<bool>, Vec<String>)> {
    let mut right = vec![false];
    let mut what = vec![String::new()];
    for candidate in &choices.candidates {
        let outcome = resolve(&candidate.orders(&choices.things), context);
        right.push(fits(expect, &outcome));
        what.push(self::what(&outcome));
    }
    let any = right.iter().any(|right| *right);
    match expect.intent.as_str() {
        "instruct" if expect.instructs.is_empty() && expect.commands.is_empty() => None,
        "question" if !any => None,
        "answer" if !any => None,
        _ => {
            right[0] = !any;
            Some((right, what))
        }
    }
}

fn fits(expect: &Expect, outcome: &Outcome) -> bool {
    if expect.intent == "question" {
        return outcome.instructs.is_empty()
            && expect.contains.iter().all(|word| outcome.text.contains(word))
            && outcome.pending.is_some();
    }
    if expect.intent == "answer" {
        return outcome.intent == Intent::Answer
            && outcome.pending.is_none()
            && !expect.contains.is_empty()
            && expect.contains.iter().all(|word| outcome.text.contains(word));
    }
    if expect.intent != "instruct" || outcome.instructs.is_empty() {
        return false;
    }
    let mut wanted: Vec<(&str, &str)> = Vec::new();
    for (id, values) in &expect.instructs {
        wanted.extend(values.keys().map(|key| (id.as_str(), key.as_str())));
    }
    for instruct in &outcome.instructs {
        if let Some(command) = &instruct.command {
            if !expect.commands.get(&instruct.id).is_some_and(|all| all.contains(&command.id)) {
                return false;
            }
            continue;
        }
        let Some(values) = expect.instructs.get(&instruct.id) else { return false };
        for (key, value) in instruct.state.iter().flat_map(|state| state.iter()) {
            match values.get(key.as_str()) {
                Some(want) if is(want, value) => {
                    wanted.retain(|(id, k)| (*id, *k) != (instruct.id.as_str(), key.as_str()))
                }
                None if *value == Value::Bool(true) => {}
                _ => return false,
            }
        }
    }
    let commanded = expect.commands.keys().all(|id| outcome.instructs.iter().any(|i| i.id == *id));
    // Switched on besides is forgiven.
    let several: usize = expect.instructs.values().map(BTreeMap::len).sum();
    wanted
        .retain(|(id, key)| several == 1 || expect.instructs[*id][*key] != Value::Bool(true) || !key.contains("power"));
    commanded && wanted.is_empty()
}

fn is(want: &Value, value: &Value) -> bool {
    let number = |v: &Value| v.as_f64();
    if let Some(bounds) = want.as_object() {
        let Some(value) = number(value) else { return false };
        return bounds.iter().all(|(sign, bound)| match sign.as_str() {
            ">" => value > number(bound).unwrap_or(f64::MAX),
            _ => value < number(bound).unwrap_or(f64::MIN),
        });
    }
    want == value || number(want).zip(number(value)).is_some_and(|(a, b)| a == b)
}

fn softmax(weights: &[f32], example: &Example) -> Vec<f32> {
    let score = |all: &Vec<u32>| all.iter().map(|f| weights[*f as usize]).sum::<f32>();
    let scores: Vec<f32> = example.features.iter().map(score).collect();
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// What is most likely: how likely, whether it is right, what it is. Choices that come to the same count together.
fn likely(weights: &[f32], example: &Example) -> (f32, bool, String) {
    let p = softmax(weights, example);
    let mut all: HashMap<&str, (f32, bool)> = HashMap::new();
    for ((p, right), what) in p.iter().zip(&example.right).zip(&example.what) {
        let known = all.entry(what).or_insert((0.0, *right));
        known.0 += p;
    }
    let (what, (p, right)) = all.into_iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0)).expect("there is nothing at least");
    (p, right, what.to_owned())
}

/// Stochastic gradients of the likelihood of what is right, each weight with a pace of its own.
fn learn(examples: &[&Example]) -> Vec<f32> {
    let mut weights = vec![0.0f32; BUCKETS];
    let mut paces = vec![1e-6f32; BUCKETS];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut seed = SEED;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    for _ in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            order.swap(at, next() % (at + 1));
        }
        for at in &order {
            let example = examples[*at];
            let p = softmax(&weights, example);
            let right: f32 = p.iter().zip(&example.right).filter(|(_, right)| **right).map(|(p, _)| p).sum();
            for ((all, p), is_right) in example.features.iter().zip(&p).zip(&example.right) {
                let wanted = if *is_right { p / right.max(1e-9) } else { 0.0 };
                let gradient = p - wanted;
                if gradient.abs() < 1e-3 {
                    continue;
                }
                for feature in all {
                    let feature = *feature as usize;
                    paces[feature] += gradient * gradient;
                    weights[feature] -= RATE * (gradient / paces[feature].sqrt() + DECAY * weights[feature]);
                }
            }
        }
    }
    weights
}

fn report(all: &[(&Example, (f32, bool, String))]) {
    let right = |e: &Example, what: &str| e.what.iter().zip(&e.right).any(|(w, right)| *right && w == what);
    let kinds: std::collections::BTreeSet<&str> = all.iter().map(|(e, _)| e.left).collect();
    for name in std::iter::once("all").chain(kinds) {
        let of = |e: &Example| name == "all" || e.left == name;
        let part: Vec<_> = all.iter().filter(|(e, _)| of(e)).collect();
        let wanted = part.iter().filter(|(e, _)| !e.right[0]).count();
        if name == "orders" {
            for bar in [0.8, 0.9, 0.95, 0.98] {
                let silent = |nothing: bool| {
                    part.iter()
                        .filter(|(e, (p, _, what))| e.right[0] == nothing && what.is_empty() && *p >= bar)
                        .count()
                };
                println!("  nothing at {bar}: {} are nothing, {} are something", silent(true), silent(false));
            }
        }
        println!("{name}: {} sentences, {wanted} tell something", part.len());
        for bar in [0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95] {
            let told = |helps: bool| {
                let moved = || {
                    part.iter()
                        .filter(|(e, (p, _, what))| *p >= bar && !what.is_empty() && e.helps.contains(what) == helps)
                };
                let good = moved().filter(|(e, (_, _, what))| right(e, what)).count();
                (good, moved().count() - good)
            };
            let ((told, wrong), (helped, not)) = (told(false), told(true));
            println!("  at {bar}: told {told} right, {wrong} wrong; helped {helped} right, {not} wrong");
        }
    }
    if std::env::var("VERBOSE").is_ok() {
        for (e, (p, _, what)) in all {
            let mark = match (e.right[0], what.is_empty(), right(e, what)) {
                (true, true, _) => continue,
                (_, false, true) => "+",
                (_, true, _) => "-",
                _ => "!",
            };
            println!("{mark} {p:.2} {} [{}] {} {what}", e.id, e.left, e.text);
        }
    }
}

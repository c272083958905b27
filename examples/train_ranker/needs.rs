//! Needs: sentences that say what is wrong and not what to do (`models/recipe/ranker/needs`), each heard in several rooms of
//! several homes. Right is what comes of the first thing that helps there. And sayings (`models/recipe/ranker/sayings`): what families
//! say for a plain command, which stands before each.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use zhiju::dialogue::{Page, interpret};
use zhiju::interpret::left;
use zhiju::language::grammar::{self, Parse, SpeakerContext};
use zhiju::language::lexicon::Lexicon;
use zhiju::ranker::{Choices, Setting, hash};
use zhiju::reader::Reader;
use zhiju::resolve::reply::Replies;
use zhiju::resolve::{resolve, resolve_situation};

use super::{Example, Home, helping, what};

/// Rooms in which one sentence is heard.
const HEARD: usize = 3;

/// Rooms in which one is heard that asks for nothing.
const HEARD_IDLE: usize = 1;

/// Rooms that are looked at to find where something helps.
const TRIED: usize = 800;

/// Rooms in which something helps that are enough to choose from.
const ENOUGH: usize = 24;

/// A label of what only sounds like a need.
const NONE: &str = "-";

/// Homes and rooms in which something helps, and what comes of it.
type Helped = Arc<[(usize, usize, String)]>;

/// The homes in which needs are heard, and what helps.
pub struct Needs {
    homes: Vec<Home>,
    /// By label.
    helps: HashMap<String, Vec<String>>,
    /// Where it helps, and what comes of it: home, room, what. By label.
    found: Mutex<HashMap<String, Helped>>,
}

impl Needs {
    /// Of the folder of a file of needs; `homes` are the homes of the cases.
    pub fn read(path: &str, homes: &[String], lexicon: &Arc<Lexicon>) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let helps = Path::new(path).with_file_name("helps.txt");
        let lines = fs::read_to_string(&helps)?;
        let entry = |line: &str| {
            let (label, helps) = line.split_once(": ")?;
            Some((label.to_owned(), helps.split(", ").map(str::to_owned).collect()))
        };
        let helps = lines.lines().filter(|line| !line.starts_with('#')).filter_map(entry).collect();
        let homes = homes.iter().map(|home| Home::read(home, lexicon)).collect::<Result<_, _>>()?;
        Ok(Self { homes, helps, found: Mutex::default() })
    }

    /// The examples of one line.
    pub fn of(&self, line: &str, id: &str, file: usize, reader: &Reader, replies: &Replies) -> Vec<Example> {
        let Some((label, text)) = line.split_once('|') else { return Vec::new() };
        let rooms = if label == NONE { self.rooms_of_what_is_named(text) } else { self.rooms(label, replies) };
        // The same rooms each time, and others for another sentence.
        let start = hash(text) as usize;
        let heard = (0..rooms.len().min(HEARD)).map(|at| &rooms[(start + at) % rooms.len()]);
        heard
            .filter_map(|(home, room, wanted)| {
                example(text, id, file, &self.homes[*home], *room, wanted, reader, replies)
            })
            .collect()
    }

    /// Rooms in which what a label asks for can be done, of many homes.
    fn rooms(&self, label: &str, replies: &Replies) -> Helped {
        if let Some(known) = self.found.lock().expect("no thread panics").get(label) {
            return Arc::clone(known);
        }
        let kinds = self.kinds(label);
        let rooms: Vec<(usize, usize)> = (0..self.homes.len())
            .flat_map(|home| (0..self.homes[home].world.home().rooms.len()).map(move |room| (home, room)))
            .filter(|(home, room)| self.helps.contains_key(label) || self.stands(&kinds, *home, *room))
            .collect();
        let start = hash(label) as usize;
        // A prime step visits rooms of many homes.
        let tried = (0..TRIED.min(rooms.len())).map(|at| rooms[(start + at * 7_919) % rooms.len()]);
        let helps = |(home, room): (usize, usize)| {
            Some((home, room, self.helps_there(label, &self.homes[home], room, replies)?))
        };
        let found: Arc<[_]> = tried.filter_map(helps).take(ENOUGH).collect();
        self.found.lock().expect("no thread panics").insert(label.to_owned(), Arc::clone(&found));
        found
    }

    /// Rooms, of many homes, where a thing stands of which a sentence speaks; any, if it speaks of none.
    fn rooms_of_what_is_named(&self, text: &str) -> Helped {
        let kinds = self.kinds(text);
        let all = (0..self.homes.len())
            .flat_map(|home| (0..self.homes[home].world.home().rooms.len()).map(move |room| (home, room)));
        let rooms: Vec<_> = all.filter(|(home, room)| kinds.is_empty() || self.stands(&kinds, *home, *room)).collect();
        let start = hash(text) as usize;
        let some = (0..HEARD_IDLE.min(rooms.len())).map(|at| rooms[(start + at * 7_919) % rooms.len()]);
        some.map(|(home, room)| (home, room, String::new())).collect()
    }

    /// The kinds of things that a text names.
    fn kinds(&self, text: &str) -> Vec<usize> {
        let Some(home) = self.homes.first() else { return Vec::new() };
        let kinds = home.world.lexicon().kinds.iter().enumerate();
        let named =
            kinds.filter(|(_, kind)| kind.words.iter().chain(&kind.specific).any(|word| text.contains(&word[..])));
        named.map(|(at, _)| at).collect()
    }

    /// Whether a thing of any of these kinds stands in a room.
    fn stands(&self, kinds: &[usize], home: usize, room: usize) -> bool {
        let world = &self.homes[home].world;
        let mut devices = world.home().devices.iter().zip(&world.vocabulary.devices);
        devices.any(|(device, sense)| device.room == Some(room) && sense.kinds.iter().any(|kind| kinds.contains(kind)))
    }

    /// What comes of what helps in a room; `None` where nothing does.
    fn helps_there(&self, label: &str, home: &Home, room: usize, replies: &Replies) -> Option<String> {
        let context = home.context(Some(room), &[], replies);
        let here = |id: &str| home.world.home().device(id).is_some_and(|(_, device)| device.room == Some(room));
        let plain = [label.to_owned()];
        self.helps.get(label).map_or(&plain[..], Vec::as_slice).iter().find_map(|help| {
            let outcome = match help.strip_prefix('@') {
                Some(id) => {
                    let situations = &home.world.lexicon().situations;
                    let situation = situations.iter().position(|situation| situation.id == id)?;
                    resolve_situation(situation, &context).1
                }
                None => {
                    let speaker = SpeakerContext { local: Some(room), ..SpeakerContext::default() };
                    let Parse::Orders(orders) = grammar::parse(help, &home.world.vocabulary, &speaker) else {
                        return None;
                    };
                    resolve(&orders, &context)
                }
            };
            let done = outcome.complete && outcome.pending.is_none() && outcome.instructs.iter().all(|i| here(&i.id));
            done.then(|| what(&outcome))
        })
    }
}

#[allow(clippy::too_many_arguments, reason = "what is known of one sentence in one room")]
fn example(
    text: &str,
    id: &str,
    file: usize,
    home: &Home,
    room: usize,
    wanted: &str,
    reader: &Reader,
    replies: &Replies,
) -> Option<Example> {
    let speaker = SpeakerContext { local: Some(room), names: vec!["小牛".into()], ..SpeakerContext::default() };
    let context = home.context(Some(room), &[], replies);
    let parse = grammar::parse(text, &home.world.vocabulary, &speaker);
    let left = left(&interpret(text, parse, &Page::default(), &home.world, Some(room), 0), &context);
    let tokens = grammar::words_to_anybody(text, &home.world.vocabulary, &speaker)?;
    let setting = Setting::of(&tokens, context, &home.repertoires, reader, left)?;
    let choices = Choices::of(&setting);
    let come_to = |at: usize| what(&resolve(&choices.candidates[at].orders(&choices.things), &context));
    let all: Vec<String> = std::iter::once(String::new()).chain((0..choices.candidates.len()).map(come_to)).collect();
    let right: Vec<bool> = all.iter().map(|what| *what == wanted).collect();
    let known = right.contains(&true);
    let helps = helping(&choices, &all);
    let (id, text) = (id.to_owned(), text.to_owned());
    known.then_some(Example { file, id, text, left, features: choices.features, right, what: all, helps })
}

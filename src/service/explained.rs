//! What is only for looking: how a sentence is read with the home as it is now, and what is nearest to a name that nothing
//! bears. Nothing of it is computed before somebody looks.

use std::sync::Arc;

use super::Service;
use crate::home::RoomIndex;
use crate::interpret::HomeModel;
use crate::language::grammar::{self, SpeakerContext};
use crate::language::lexicon::Sense;
use crate::language::vocabulary::Vocabulary;
use crate::retrieval::World;
use crate::text::{bigram_similarity, normalize, pinyin};

/// Devices that are shown as nearest.
const MAX_NEAR: usize = 5;

/// Less like it than this is another name.
const MIN_LIKE: f32 = 0.2;

/// Names that are looked for at once.
const MAX_NAMES: usize = 8;

/// Senses of one word that are shown.
const MAX_SENSES: usize = 8;

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is understood.
    pub text: String,
    /// What it can mean; empty where nothing explains it.
    pub senses: Vec<String>,
}

/// How a sentence is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Its words.
    pub words: Vec<Word>,
    /// The steps of the grammar.
    pub steps: Vec<String>,
}

/// A device with a name like one that was looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its room; empty when it has none.
    pub room: String,
    /// How much alike the names are, from 0 to 1.
    pub score: f32,
}

impl Service {
    /// The home in force as sentences are understood in it; `None` before the first.
    /// Takes milliseconds for a large one that is new: not for the runtime's threads.
    pub fn home_model(&self) -> Option<Arc<HomeModel>> {
        let snapshot = self.registry.snapshot();
        let is = |known: &HomeModel| known.is_of(&snapshot.home);
        let make = || HomeModel::new(Arc::clone(&self.language.lexicon), Arc::clone(&snapshot.home));
        (snapshot.revision > 0).then(|| self.home.get(is, make))
    }

    /// How a sentence is read, said in this room.
    pub fn read(&self, said: &str, room: Option<&str>) -> Explanation {
        let Some(home) = self.home_model() else { return Explanation::default() };
        let world = &home.world;
        let speaker = SpeakerContext {
            local: room.and_then(|room| called(world, room)),
            names: self.names.clone(),
            others: self.others.clone(),
        };
        let vocabulary = &world.vocabulary;
        let words = grammar::words(said, vocabulary, &speaker).unwrap_or_default();
        let words = words.into_iter().map(|token| Word {
            senses: token.senses.iter().take(MAX_SENSES).map(|sense| shown(sense, vocabulary)).collect(),
            text: token.text,
        });
        Explanation { words: words.collect(), steps: grammar::explain(said, vocabulary, &speaker) }
    }

    /// The devices whose names are nearest to any of these, by spelling or by sound, the nearest first.
    pub fn near(&self, names: &[String]) -> Vec<Near> {
        let Some(model) = self.home_model() else { return Vec::new() };
        let home = model.world.home();
        let wanted: Vec<(String, String)> = names.iter().take(MAX_NAMES).map(|name| forms(name)).collect();
        let mut near = Vec::new();
        for device in &home.devices {
            let likes = device.names().map(|name| {
                let (spelled, heard) = forms(name);
                let like = |(s, h): &(String, String)| bigram_similarity(s, &spelled).max(bigram_similarity(h, &heard));
                wanted.iter().map(like).fold(0.0, f32::max)
            });
            let score = likes.fold(0.0, f32::max);
            if score >= MIN_LIKE {
                let (id, name) = (device.id.clone(), device.name.clone());
                near.push(Near { id, name, room: home.room_name(device).to_owned(), score });
            }
        }
        near.sort_by(|a, b| b.score.total_cmp(&a.score));
        near.truncate(MAX_NEAR);
        near
    }
}

/// A name as it is written and as it sounds.
fn forms(name: &str) -> (String, String) {
    let name = normalize(name);
    let heard = pinyin::readings(&name).first().map(|reading| pinyin::blur(reading)).unwrap_or_default();
    (name, heard)
}

/// The room of this name.
fn called(world: &World, name: &str) -> Option<RoomIndex> {
    let name = normalize(name);
    let is = |text: &String| normalize(text) == name;
    world.home().rooms.iter().position(|room| is(&room.name) || room.aliases.iter().any(is))
}

/// A sense in words; what stands for something of the home is told by its name.
fn shown(sense: &Sense, vocabulary: &Vocabulary) -> String {
    let (home, lexicon) = (&vocabulary.home, &vocabulary.lexicon);
    match sense {
        Sense::Devices(devices) => {
            let names: Vec<&str> = devices.iter().take(3).map(|d| home.devices[*d].name.as_str()).collect();
            format!("device {}{}", names.join(" "), if devices.len() > 3 { " …" } else { "" })
        }
        Sense::Group(group) => format!("group {}", home.groups[*group].name),
        Sense::Scene(scene) => format!("scene {}", home.scenes[*scene].name),
        Sense::Room(room) => format!("room {}", home.rooms[*room].name),
        Sense::Floor(floor) => format!("floor {}", vocabulary.floors[*floor]),
        Sense::Kind(kind) => format!("kind {}", lexicon.kinds[*kind].id),
        Sense::Sort(kind) => format!("sort {}", lexicon.kinds[*kind].id),
        Sense::Verb(verb) => format!("verb {}", lexicon.verbs[*verb].id),
        Sense::Choice(choice) => format!("choice {}", lexicon.choices[*choice].id),
        Sense::State(verb) => format!("state {}", lexicon.verbs[*verb].id),
        Sense::Property(property) => format!("property {}", lexicon.properties[*property].id),
        Sense::Direction { property, up } => {
            format!("{} {}", lexicon.properties[*property].id, if *up { "up" } else { "down" })
        }
        other => format!("{other:?}"),
    }
}

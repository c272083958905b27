//! `zhiju eval --actions`: how often the command meant by a colloquial phrase comes first, or among the first three.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::index::{Document, Index};
use super::words::Words;
use super::{EncodeError, Kind, Model};

/// What phrases and commands are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Words and the polarity guard.
    Words,
    /// Vectors alone, unguarded.
    Vectors,
    /// Words, vectors and the polarity guard: what the daemon does.
    Full,
}

/// How often the right command came first, and among the first three; shares of all phrases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// First.
    pub top1: f64,
    /// Among the first three.
    pub top3: f64,
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "top1 {:.3} top3 {:.3}", self.top1, self.top3)
    }
}

/// The result of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    /// With the commands' aliases.
    pub actions: Accuracy,
    /// With their descriptions alone.
    pub descriptions: Accuracy,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "actions {}\ndescriptions {}", self.actions, self.descriptions)
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum ActionsError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("{}:{line}: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The file has no commands or no phrases.
    #[error("{}: commands on the first line and at least one phrase below expected", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A text got no vector.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

#[derive(Deserialize)]
struct Commands {
    commands: Vec<Command>,
}

#[derive(Deserialize)]
struct Command {
    description: String,
    aliases: Vec<String>,
}

#[derive(Deserialize)]
struct Phrase {
    phrase: String,
    accept: Vec<String>,
}

/// Runs the phrases of `path` against its commands; by words if there is no model.
///
/// The first line is `{"commands": [{"description", "aliases"}]}`, each other `{"phrase", "accept": [description]}`.
///
/// # Errors
/// The file cannot be read or is not of that form, or the model fails on a text.
pub fn evaluate(path: &Path, model: Option<&Model>, mode: Mode) -> Result<Table, ActionsError> {
    let (commands, phrases) = read(path)?;
    let texts: Vec<(Kind, &str)> = phrases.iter().map(|phrase| (Kind::Query, phrase.phrase.as_str())).collect();
    let model = model.filter(|_| mode != Mode::Words);
    let queries = model.map_or_else(|| Ok(Vec::new()), |model| model.encode(&texts))?;
    let accuracy = |aliases: bool| -> Result<Accuracy, ActionsError> {
        let documents = commands.iter().enumerate().map(|(owner, command)| {
            let aliases = command.aliases.iter().filter(|_| aliases);
            Document {
                owner,
                capability: 0,
                texts: [&command.description].into_iter().chain(aliases).cloned().collect(),
            }
        });
        let index = Index::new(Words::chinese(), documents.collect());
        if let Some(model) = model {
            let texts: Vec<_> = index.texts().iter().map(|text| (Kind::Passage, text.as_str())).collect();
            index.set_vectors(model.encode(&texts)?.into_iter().map(Arc::from).collect());
        }
        let (mut first, mut among) = (0, 0);
        for (number, phrase) in phrases.iter().enumerate() {
            let query = queries.get(number).map(Vec::as_slice);
            let order: Vec<usize> = match (mode, query) {
                (Mode::Vectors, Some(query)) => index.nearest(query).into_iter().map(|(owner, ..)| owner).collect(),
                _ => index.rank(&phrase.phrase, query).into_iter().map(|hit| hit.owner).collect(),
            };
            let accepted = |owner: &usize| {
                commands.get(*owner).is_some_and(|command| phrase.accept.contains(&command.description))
            };
            first += usize::from(order.iter().take(1).any(accepted));
            among += usize::from(order.iter().take(3).any(accepted));
        }
        let share = |count: usize| count as f64 / phrases.len() as f64;
        Ok(Accuracy { top1: share(first), top3: share(among) })
    };
    Ok(Table { actions: accuracy(true)?, descriptions: accuracy(false)? })
}

fn read(path: &Path) -> Result<(Vec<Command>, Vec<Phrase>), ActionsError> {
    let text = fs::read_to_string(path).map_err(|source| ActionsError::Io { path: path.to_owned(), source })?;
    let at = |line: usize| move |source| ActionsError::Line { path: path.to_owned(), line: line + 1, source };
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let empty = || ActionsError::Empty { path: path.to_owned() };
    let (number, first) = lines.next().ok_or_else(empty)?;
    let Commands { commands } = serde_json::from_str(first).map_err(at(number))?;
    let phrases: Vec<Phrase> =
        lines.map(|(number, line)| serde_json::from_str(line).map_err(at(number))).collect::<Result<_, _>>()?;
    if commands.is_empty() || phrases.is_empty() {
        return Err(empty());
    }
    Ok((commands, phrases))
}

//! The one way in which data files of the language are read: parsed, checked for what is wrong in any file, what an owner lays
//! over it put in, and read into its type. Whatever is wrong is named with its file and its path.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_yaml::{Mapping, Value};

use super::{FILES, File, NOT_OWNED};

/// The tag of what stands in place of an entry that ships, instead of adding to it.
const REPLACE: &str = "replace";

/// Data files that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError(pub Vec<Fault>);

/// One thing that is wrong with a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file: its path, or the name of one that ships.
    pub file: String,
    /// Where in it (`kinds.light.number`); empty for the whole.
    pub path: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a data file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It cannot be read.
    #[error("{0}")]
    Read(String),
    /// It is no YAML, or has a key twice.
    #[error("{0}")]
    Yaml(String),
    /// Something else stands there than should.
    #[error("{0}")]
    Shape(String),
    /// Another version of the format.
    #[error("version {0} is not known, this program reads version 1")]
    Version(u32),
    /// It points to nothing.
    #[error("there is no {what} `{id}`")]
    Unknown {
        /// What kind of entry.
        what: &'static str,
        /// The missing id.
        id: String,
    },
    /// The program needs it, and it is not there.
    #[error("there must be a {what} `{id}`")]
    Missing {
        /// What kind of entry.
        what: &'static str,
        /// The missing id.
        id: String,
    },
    /// A word that is empty.
    #[error("the word is empty")]
    Empty,
    /// A word that stands twice in one list.
    #[error("`{0}` stands there twice")]
    Twice(String),
    /// Entries that point to each other.
    #[error("{0} leads back to itself")]
    Cycle(String),
    /// A place in a text that nothing fills in.
    #[error("there is no {{{0}}} to fill in")]
    Place(String),
    /// A tag that means nothing.
    #[error("the tag {0} means nothing, only !{REPLACE} does")]
    Tag(String),
    /// Something that must not stand there.
    #[error("{0}")]
    Refused(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}", self.problem)
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults: Vec<String> = self.0.iter().map(Fault::to_string).collect();
        f.write_str(&faults.join("; "))
    }
}

impl std::error::Error for DataError {}

/// Files that an owner lays over those that ship.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnFiles {
    /// A folder of files with the names of those that ship.
    pub folder: Option<PathBuf>,
    /// A file for the lexicon.
    pub lexicon: Option<PathBuf>,
    /// A file for the replies.
    pub replies: Option<PathBuf>,
}

/// What an owner lays over the files that ship, by their names, read and checked.
#[derive(Clone, Debug, Default)]
pub struct Sources(BTreeMap<&'static str, Vec<(String, Value)>>);

impl Sources {
    /// Reads an owner's files.
    ///
    /// # Errors
    /// When one cannot be read, or is wrong in a way that no file may be; all of them are named.
    pub fn read(own: &OwnFiles) -> Result<Self, DataError> {
        let mut faults = Vec::new();
        let mut files: Vec<(&'static str, PathBuf)> = Vec::new();
        if let Some(folder) = &own.folder {
            match in_folder(folder) {
                Ok(found) => files.extend(found),
                Err(DataError(wrong)) => faults.extend(wrong),
            }
        }
        files.extend(own.lexicon.iter().map(|path| (super::LEXICON.name, path.clone())));
        files.extend(own.replies.iter().map(|path| (super::REPLIES.name, path.clone())));
        let mut sources = Self::default();
        for (name, path) in files {
            let file = path.display().to_string();
            let text = std::fs::read_to_string(&path).map_err(|error| one(&file, "", Problem::Read(error.to_string())));
            match text.and_then(|text| checked(&file, File::is_text(name), &text)) {
                Ok(tree) => sources.0.entry(name).or_default().push((file, tree)),
                Err(DataError(wrong)) => faults.extend(wrong),
            }
        }
        if faults.is_empty() { Ok(sources) } else { Err(DataError(faults)) }
    }

    /// One text laid over one of the files.
    ///
    /// # Errors
    /// When it is wrong in a way that no file may be.
    pub fn text(file: &File, text: &str) -> Result<Self, DataError> {
        let own = format!("own {}", file.name);
        let tree = checked(&own, File::is_text(file.name), text)?;
        Ok(Self(BTreeMap::from([(file.name, vec![(own, tree)])])))
    }

    /// A file with what is laid over it.
    ///
    /// # Errors
    /// Never for a file that ships; a test reads all of them.
    pub fn data(&self, file: &File) -> Result<Data, DataError> {
        let mut data =
            Data { file: file.name.to_owned(), tree: checked(file.name, File::is_text(file.name), file.text)? };
        let own = self.0.get(file.name).into_iter().flatten();
        for (name, tree) in own.clone() {
            lay(&mut data.tree, tree.clone());
            data.file.clone_from(name);
        }
        Ok(data)
    }
}

impl File {
    /// What ships, in its type.
    ///
    /// # Errors
    /// Never for a file that ships; a test reads all of them.
    pub fn shipped<T: DeserializeOwned>(&self) -> Result<T, DataError> {
        Sources::default().data(self)?.read()
    }
}

/// A data file, with what is laid over it.
#[derive(Clone, Debug)]
pub struct Data {
    /// The file to name where something is wrong: the one that was laid over, as what ships is sound.
    file: String,
    tree: Value,
}

impl Data {
    /// The data in its type.
    ///
    /// # Errors
    /// Where something else stands than the type wants.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, DataError> {
        serde_path_to_error::deserialize(self.tree.clone()).map_err(|error| {
            let path = error.path().to_string();
            let path = if path == "." { "" } else { path.as_str() };
            self.fault(path, Problem::Shape(error.inner().to_string()))
        })
    }

    /// Something that is wrong at a path.
    pub fn fault(&self, path: &str, problem: Problem) -> DataError {
        one(&self.file, path, problem)
    }
}

/// The entries of a mapping in the order of the file.
#[derive(Debug)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key::<Value>()? {
                    entries.push((text_of(&key), map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder(std::marker::PhantomData))
    }
}

fn one(file: &str, path: &str, problem: Problem) -> DataError {
    DataError(vec![Fault { file: file.to_owned(), path: path.to_owned(), problem }])
}

/// The files of an owner's folder by the names of those that they are laid over.
fn in_folder(folder: &Path) -> Result<Vec<(&'static str, PathBuf)>, DataError> {
    let unreadable = |error: std::io::Error| one(&folder.display().to_string(), "", Problem::Read(error.to_string()));
    let (mut files, mut wrong) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let is = |file: &&File| path.file_name().is_some_and(|name| name == file.name);
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // A name with a slip in it would be a file that nobody reads.
        let refused = match (FILES.iter().find(is), NOT_OWNED.iter().any(|file| is(&file))) {
            (Some(file), false) => {
                files.push((file.name, path));
                continue;
            }
            // Of a version control, or of an editor at work.
            _ if hidden => continue,
            (Some(_), true) => "nothing can be laid over this file of the language",
            (None, _) => "no file of the language is called so",
        };
        wrong.extend(one(&path.display().to_string(), "", Problem::Refused(refused)).0);
    }
    files.sort();
    wrong.sort_by(|a, b| a.file.cmp(&b.file));
    if wrong.is_empty() { Ok(files) } else { Err(DataError(wrong)) }
}

/// A text as data, if nothing is wrong with it that is wrong in any file.
fn checked(file: &str, as_it_stands: bool, text: &str) -> Result<Value, DataError> {
    if as_it_stands {
        let empty = text.trim().is_empty();
        return if empty { Err(one(file, "", Problem::Empty)) } else { Ok(Value::String(text.to_owned())) };
    }
    let tree: Value = serde_yaml::from_str(text).map_err(|error| one(file, "", Problem::Yaml(error.to_string())))?;
    let mut faults = Vec::new();
    let tree = if tree.is_null() { Value::Mapping(Mapping::new()) } else { tree };
    look(&tree, "", false, &mut |path, problem| {
        faults.push(Fault { file: file.to_owned(), path: path.to_owned(), problem });
    });
    if faults.is_empty() { Ok(tree) } else { Err(DataError(faults)) }
}

/// Looks for words that are empty or stand twice in a list. A list `within` a list is a row: what stands in it twice counts twice.
fn look(value: &Value, path: &str, within: bool, wrong: &mut impl FnMut(&str, Problem)) {
    match value {
        Value::String(word) if word.trim().is_empty() => wrong(path, Problem::Empty),
        Value::Sequence(items) => {
            let mut seen = HashSet::new();
            for (at, item) in items.iter().enumerate() {
                match item.as_str().filter(|word| !within && !seen.insert(*word)) {
                    Some(word) => wrong(path, Problem::Twice(word.to_owned())),
                    None => look(item, &format!("{path}[{at}]"), true, wrong),
                }
            }
        }
        Value::Mapping(entries) => {
            for (key, value) in entries {
                let key = text_of(key);
                look(value, &if path.is_empty() { key } else { format!("{path}.{key}") }, false, wrong);
            }
        }
        Value::Tagged(tagged) if tagged.tag == REPLACE => look(&tagged.value, path, within, wrong),
        Value::Tagged(tagged) => wrong(path, Problem::Tag(tagged.tag.to_string())),
        _ => {}
    }
}

/// Lays an owner's data over other data: entries join entries and words lists; all else, and whatever is tagged so, replaces.
fn lay(under: &mut Value, own: Value) {
    match (under, own) {
        (Value::Mapping(under), Value::Mapping(own)) => {
            for (key, value) in own {
                match under.get_mut(&key) {
                    Some(under) => lay(under, value),
                    None => drop(under.insert(key, untagged(value))),
                }
            }
        }
        (Value::Sequence(under), Value::Sequence(own)) => {
            for item in own {
                if !under.contains(&item) {
                    under.push(item);
                }
            }
        }
        (under, own) => *under = untagged(own),
    }
}

fn untagged(value: Value) -> Value {
    match value {
        Value::Tagged(tagged) => untagged(tagged.value),
        Value::Mapping(entries) => Value::Mapping(entries.into_iter().map(|(k, v)| (k, untagged(v))).collect()),
        value => value,
    }
}

/// A key as it is written: some are numbers.
fn text_of(key: &Value) -> String {
    match key {
        Value::String(key) => key.clone(),
        other => serde_yaml::to_string(other).unwrap_or_default().trim().to_owned(),
    }
}

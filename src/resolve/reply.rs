//! What is said: short sentences filled from a file that an integrator can change.

use std::collections::BTreeMap;

use crate::text::displayable;
use crate::zh::REPLIES as BUILT_IN;

/// Characters of a name that are spoken; the rest of a hostile one is cut.
const MAX_SPOKEN: usize = 24;

/// Names in one sentence before it becomes a number.
const MAX_LISTED: usize = 4;

/// Names in one sentence that nobody asked for.
const MAX_FEW: usize = 3;

/// A file of replies that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RepliesError {
    /// Not a mapping.
    #[error("not valid: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// Entries that cannot be used, each with its key.
    #[error("{}", .0.join("; "))]
    Entries(Vec<String>),
}

/// The wording of replies.
#[derive(Clone, Debug)]
pub struct Replies {
    texts: BTreeMap<String, String>,
}

impl Replies {
    /// The wording that ships.
    ///
    /// # Errors
    /// Never for the file that ships; a test reads it.
    pub fn built_in() -> Result<Self, RepliesError> {
        Ok(Self { texts: serde_yaml::from_str(BUILT_IN)? })
    }

    /// The wording that ships, with the replies of another file in place of its own. The file may hold as few of them
    /// as it likes.
    ///
    /// # Errors
    /// When it is no mapping, or names every entry that is no text, that nobody says, or that has a place (`{what}`)
    /// which is not filled in there.
    pub fn parse(text: &str) -> Result<Self, RepliesError> {
        let mut replies = Self::built_in()?;
        let own: Option<serde_yaml::Mapping> = serde_yaml::from_str(text)?;
        let mut problems = Vec::new();
        for (key, value) in own.into_iter().flatten() {
            let key = key.as_str().map_or_else(|| format!("{key:?}"), str::to_owned);
            match (replies.texts.get(&key), value.as_str()) {
                (None, _) => problems.push(format!("`{key}`: no reply has this key")),
                (Some(_), None) => problems.push(format!("`{key}`: must be a text")),
                (Some(known), Some(own)) => match places(own).into_iter().find(|p| !places(known).contains(p)) {
                    Some(place) => problems.push(format!("`{key}`: there is no {{{place}}} to fill in")),
                    None => drop(replies.texts.insert(key, own.to_owned())),
                },
            }
        }
        if problems.is_empty() { Ok(replies) } else { Err(RepliesError::Entries(problems)) }
    }

    /// A word between others.
    pub fn word(&self, key: &str) -> &str {
        self.texts.get(key).map_or("", String::as_str)
    }

    /// Several names in one phrase: the first few, then how many there are.
    pub fn list<S: AsRef<str>>(&self, names: &[S]) -> String {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        if names.len() > MAX_LISTED {
            return self.cut(&names, MAX_LISTED - 1);
        }
        match &names[..] {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [rest @ .., last] => format!("{}{}{last}", rest.join(self.word("comma")), self.word("and")),
        }
    }

    /// The same, but never more than three names.
    pub fn few<S: AsRef<str>>(&self, names: &[S]) -> String {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        if names.len() > MAX_FEW { self.cut(&names, MAX_FEW) } else { self.list(&names) }
    }

    fn cut(&self, names: &[&str], shown: usize) -> String {
        let first = names[..shown].join(self.word("comma"));
        self.say("list_cut", &[("names", &first), ("count", &names.len().to_string())])
    }

    /// A reply with its places filled in.
    pub fn say(&self, key: &str, values: &[(&str, &str)]) -> String {
        let mut text = self.texts.get(key).cloned().unwrap_or_default();
        for (place, value) in values {
            text = text.replace(&format!("{{{place}}}"), value);
        }
        text
    }
}

/// The places of a text that are filled in.
fn places(text: &str) -> Vec<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(place, _)| place).collect()
}

/// A name as it may be spoken: no control characters, bounded.
pub fn spoken(name: &str) -> String {
    displayable(name, MAX_SPOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wording_that_ships_is_complete() {
        let replies = Replies::built_in().unwrap();
        assert!(Replies::parse(BUILT_IN).is_ok());
        assert_eq!(replies.say("doing", &[("what", "打开客厅灯")]), "正在打开客厅灯。");
    }

    #[test]
    fn a_file_replaces_the_replies_that_it_names() {
        let replies = Replies::parse("doing: 好嘞，{what}。").unwrap();
        assert_eq!(replies.say("doing", &[("what", "打开客厅灯")]), "好嘞，打开客厅灯。");
        assert_eq!(replies.say("none", &[]), Replies::built_in().unwrap().say("none", &[]));
        assert!(Replies::parse("").is_ok());
    }

    #[test]
    fn every_entry_that_cannot_be_used_is_named() {
        let error = Replies::parse("doing: 好，{device}\nnothing_like_it: 好\nnone: [好]").unwrap_err().to_string();
        for part in ["`doing`: there is no {device}", "`nothing_like_it`", "`none`: must be a text"] {
            assert!(error.contains(part), "{error}");
        }
        assert!(Replies::parse("- 好").is_err());
    }

    #[test]
    fn long_lists_become_numbers() {
        let names: Vec<String> = (1..=9).map(|i| format!("灯{i}")).collect();
        let replies = Replies::built_in().unwrap();
        assert_eq!(replies.list(&names[..2]), "灯1和灯2");
        assert_eq!(replies.list(&names), "灯1、灯2、灯3等9个");
    }
}

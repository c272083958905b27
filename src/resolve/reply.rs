//! What is said: short sentences filled from a file that an integrator can change.

use std::collections::HashMap;

use crate::text::displayable;

/// The wording that ships.
const BUILT_IN: &str = include_str!("replies.yaml");

/// Characters of a name that are spoken; the rest of a hostile one is cut.
const MAX_SPOKEN: usize = 24;

/// Names in one sentence before it becomes a number.
const MAX_LISTED: usize = 4;

/// A file of replies that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RepliesError {
    /// Not a mapping of strings.
    #[error("the replies are not valid: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// A key is missing.
    #[error("the replies have no `{0}`")]
    Missing(String),
}

/// The wording of replies.
#[derive(Clone, Debug)]
pub struct Replies {
    texts: HashMap<String, String>,
}

impl Replies {
    /// The wording that ships.
    ///
    /// # Errors
    /// Never for the file that ships; a test reads it.
    pub fn built_in() -> Result<Self, RepliesError> {
        Ok(Self { texts: serde_yaml::from_str(BUILT_IN)? })
    }

    /// Reads another wording; it must have every key of the one that ships.
    ///
    /// # Errors
    /// When it is no mapping of strings or lacks a key.
    pub fn parse(text: &str) -> Result<Self, RepliesError> {
        let texts: HashMap<String, String> = serde_yaml::from_str(text)?;
        let known = Self::built_in()?;
        match known.texts.keys().find(|k| !texts.contains_key(*k)) {
            Some(missing) => Err(RepliesError::Missing(missing.clone())),
            None => Ok(Self { texts }),
        }
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

/// A name as it may be spoken: no control characters, bounded.
pub fn spoken(name: &str) -> String {
    displayable(name, MAX_SPOKEN)
}

/// Several names in one phrase: the first few, then how many there are.
pub fn list(names: &[String]) -> String {
    if names.len() > MAX_LISTED {
        return format!("{}等{}个", names[..MAX_LISTED - 1].join("、"), names.len());
    }
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{}和{last}", rest.join("、")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wording_that_ships_is_complete() {
        let replies = Replies::built_in().unwrap();
        assert!(Replies::parse(BUILT_IN).is_ok());
        assert_eq!(replies.say("doing", &[("what", "打开客厅灯")]), "正在打开客厅灯。");
        assert!(matches!(Replies::parse("none: 好"), Err(RepliesError::Missing(_))));
    }

    #[test]
    fn long_lists_become_numbers() {
        let names: Vec<String> = (1..=9).map(|i| format!("灯{i}")).collect();
        assert_eq!(list(&names[..2]), "灯1和灯2");
        assert_eq!(list(&names), "灯1、灯2、灯3等9个");
    }
}

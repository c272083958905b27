//! What is said: short sentences filled from a file that an integrator can change.

use std::collections::BTreeMap;

use crate::text::displayable;
use crate::zh::{DataError, Problem, REPLIES, Sources};

/// Characters of a name that are spoken; the rest of a hostile one is cut.
const MAX_SPOKEN: usize = 24;

/// Names in one sentence before it becomes a number.
const MAX_LISTED: usize = 4;

/// Names in one sentence that nobody asked for.
const MAX_FEW: usize = 3;

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
    pub fn built_in() -> Result<Self, DataError> {
        Ok(Self { texts: REPLIES.shipped()? })
    }

    /// The wording that ships, with what an owner puts in its place. He may put in as little as he likes.
    ///
    /// # Errors
    /// Names every entry that is no text, that nobody says, or that has a place (`{what}`) which is not filled in there.
    pub fn of(sources: &Sources) -> Result<Self, DataError> {
        let shipped = Self::built_in()?;
        let data = sources.data(&REPLIES)?;
        let texts: BTreeMap<String, String> = data.read()?;
        let wrong = texts.iter().filter_map(|(key, text)| match shipped.texts.get(key) {
            None => Some((key, Problem::Unknown { what: "reply", id: key.clone() })),
            Some(known) => {
                let place = places(text).into_iter().find(|place| !places(known).contains(place))?;
                Some((key, Problem::Place(place.to_owned())))
            }
        });
        let faults: Vec<_> = wrong.flat_map(|(key, problem)| data.fault(key, problem).0).collect();
        if faults.is_empty() { Ok(Self { texts }) } else { Err(DataError(faults)) }
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

    /// Several sentences as one, with pauses between them.
    pub fn join(&self, sentences: &[String]) -> String {
        let end = self.word("end");
        let parts: Vec<&str> = sentences.iter().map(|sentence| sentence.trim_end_matches(end)).collect();
        format!("{}{end}", parts.join(self.word("pause")))
    }

    /// Names to choose from: `大灯、灯带还是落地灯`.
    pub fn one_of<S: AsRef<str>>(&self, names: &[S]) -> String {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        match &names[..] {
            [rest @ .., last] if !rest.is_empty() => {
                format!("{}{}{last}", rest.join(self.word("comma")), self.word("or"))
            }
            names => names.concat(),
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
    fn the_wording_that_ships_can_be_read() {
        let replies = Replies::built_in().unwrap();
        assert_eq!(replies.say("doing", &[("what", "打开客厅灯")]), "正在打开客厅灯。");
    }

    fn own(text: &str) -> Result<Replies, DataError> {
        Replies::of(&Sources::text(&REPLIES, text)?)
    }

    #[test]
    fn a_file_replaces_the_replies_that_it_names() {
        let replies = own("doing: 好嘞，{what}。").unwrap();
        assert_eq!(replies.say("doing", &[("what", "打开客厅灯")]), "好嘞，打开客厅灯。");
        assert_eq!(replies.say("none", &[]), Replies::built_in().unwrap().say("none", &[]));
        assert!(own("").is_ok());
    }

    #[test]
    fn every_entry_that_cannot_be_used_is_named() {
        let error = own("doing: 好，{device}\nnothing_like_it: 好").unwrap_err().to_string();
        for part in ["doing: there is no {device}", "nothing_like_it: there is no reply `nothing_like_it`"] {
            assert!(error.contains(part), "{error}");
        }
        let error = own("none: [好]").unwrap_err().to_string();
        assert!(error.starts_with("own replies.yaml: none: "), "{error}");
        assert!(own("- 好").is_err());
    }

    #[test]
    fn long_lists_become_numbers() {
        let names: Vec<String> = (1..=9).map(|i| format!("灯{i}")).collect();
        let replies = Replies::built_in().unwrap();
        assert_eq!(replies.list(&names[..2]), "灯1和灯2");
        assert_eq!(replies.list(&names), "灯1、灯2、灯3等9个");
    }
}

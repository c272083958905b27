//! `zhiju words`: what a speech recogniser should expect to hear in this home.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::home::StoreArgs;
use super::hubs::copies_of;
use super::{CliError, print, read_file};
use crate::home::{Home, parse_text};
use crate::service::Language;
use crate::text::displayable;

/// Characters of a hot word; a longer name is said in parts.
const MAX_CHARS: usize = 16;

/// Arguments of `words`.
#[derive(Debug, Args)]
pub(super) struct WordsArgs {
    /// Home document [default: the home in the store, also beside a running daemon]
    #[arg(long, value_name = "FILE")]
    home: Option<PathBuf>,
    /// The recogniser's form
    #[arg(long, value_enum, default_value = "plain")]
    format: Format,
    #[command(flatten)]
    place: StoreArgs,
}

/// How hot words are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// One a line
    Plain,
    /// sherpa-onnx: `WORD :SCORE`
    Sherpa,
    /// FunASR: `WORD WEIGHT`
    Funasr,
    /// Whisper: a prompt of one line, as much as it takes
    Whisper,
}

/// Characters of a prompt. Of a longer one than some 220 tokens Whisper reads the end alone, and a character is up to two of them.
const MAX_PROMPT: usize = 110;

impl Format {
    /// What is written of a word behind `text`; the home's own names weigh more than what is said everywhere.
    fn word(self, word: &str, is_name: bool, text: &str, between: &str) -> String {
        match self {
            // What is said everywhere Whisper knows.
            Self::Whisper if !is_name => String::new(),
            Self::Whisper if text.is_empty() => word.to_owned(),
            Self::Whisper if text.chars().count() + word.chars().count() < MAX_PROMPT => format!("{between}{word}"),
            Self::Whisper => String::new(),
            Self::Plain => format!("{word}\n"),
            Self::Sherpa => format!("{word} :{}\n", if is_name { "2.5" } else { "1.5" }),
            Self::Funasr => format!("{word} {}\n", if is_name { 30 } else { 15 }),
        }
    }
}

/// Prints the words.
pub(super) fn run(args: WordsArgs) -> Result<(), CliError> {
    let WordsArgs { home, format, place } = args;
    let config = place.config()?;
    let home = match home {
        Some(file) => {
            let read = parse_text(&read_file(&file)?);
            Arc::new(read.map_err(|error| CliError::Failed(format!("home: {error}")))?.0)
        }
        None => {
            let snapshot = copies_of(&config)?.snapshot();
            if snapshot.revision == 0 {
                let dir = config.store_dir.display();
                return Err(CliError::Failed(format!("{dir}: holds no home; name a document with --home")));
            }
            Arc::clone(&snapshot.home)
        }
    };
    let language = Language::load(Some(&config.language)).map_err(|error| CliError::Failed(error.to_string()))?;
    let between = language.replies.word("comma");
    print(&listed(&home, &config.assistant.names, &language.lexicon.texts.hot_words, between, format))
}

fn listed(home: &Home, assistant: &[String], phrases: &[String], between: &str, format: Format) -> String {
    let rooms = home.rooms.iter().flat_map(|room| [&room.name].into_iter().chain(&room.aliases).chain(&room.floor));
    let devices = home.devices.iter().flat_map(|device| [&device.name].into_iter().chain(&device.aliases));
    let groups = home.groups.iter().flat_map(|group| [&group.name].into_iter().chain(&group.aliases));
    let scenes = home.scenes.iter().flat_map(|scene| [&scene.name].into_iter().chain(&scene.aliases));
    let names = assistant.iter().chain(rooms).chain(devices).chain(groups).chain(scenes).map(|name| (name, true));
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for (word, is_name) in names.chain(phrases.iter().map(|phrase| (phrase, false))) {
        if let Some(word) = hot(word)
            && seen.insert(word.clone())
        {
            text.push_str(&format.word(&word, is_name, &text, between));
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A word as it is heard, if it can be: in one piece, with nothing in it that a list or a recogniser could take for its own.
fn hot(name: &str) -> Option<String> {
    let word: String = displayable(name, MAX_CHARS + 1).chars().filter(|c| c.is_alphanumeric()).collect();
    ((2..=MAX_CHARS).contains(&word.chars().count())).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_homes_names_come_first_and_once() {
        let document = r#"{"layout": ["客厅"], "model": {"m": {"property": {"power": {"type": "bool"}}}}, "devices": [
            {"id": "a", "name": "顶灯", "aliases": ["大灯", "客厅"], "local": "客厅", "device": {"model": "m"}},
            {"id": "b", "name": "灯\n:9.9 #", "local": "客厅", "device": {"model": "m"}},
            {"id": "c", "name": "顶灯", "local": "客厅", "device": {"model": "m"}}]}"#;
        let (home, _) = parse_text(document).unwrap();
        let listed =
            |format| listed(&home, &["小牛".to_owned()], &["打开".to_owned(), "顶灯".to_owned()], "、", format);
        assert_eq!(listed(Format::Plain), "小牛\n客厅\n顶灯\n大灯\n灯99\n打开\n");
        assert!(listed(Format::Sherpa).contains("顶灯 :2.5\n") && listed(Format::Sherpa).contains("打开 :1.5\n"));
        assert!(listed(Format::Funasr).contains("大灯 30\n"));
        assert_eq!(listed(Format::Whisper), "小牛、客厅、顶灯、大灯、灯99\n");
    }

    #[test]
    fn a_prompt_holds_whole_words_and_no_more_than_is_read() {
        let names: Vec<String> = (100..200).map(|n| format!("床头灯{n}")).collect();
        let prompt = listed(&Home::default(), &names, &["打开".to_owned()], "、", Format::Whisper);
        let words: Vec<&str> = prompt.trim_end().split('、').collect();
        assert!(prompt.trim_end().chars().count() <= MAX_PROMPT && words.len() == 15, "{prompt}");
        assert!(words.iter().zip(&names).all(|(word, name)| word == name), "{prompt}");
    }

    #[test]
    fn every_phrase_that_ships_can_be_heard() {
        let phrases = crate::zh::Texts::default().hot_words;
        assert!(phrases.iter().all(|phrase| hot(phrase).as_ref() == Some(phrase)));
    }
}

//! `zhiju hard`: what was said to the home and not understood, and what language models made of it; to improve the grammar.

use clap::Args;
use serde_json::json;

use super::home::{StoreArgs, open_store};
use super::style::Style;
use super::{CliError, print};
use crate::store::Refused;
use crate::text::displayable;

/// Characters of a sentence and of its words that a terminal gets.
const MAX_SHOWN: usize = 120;

/// The home that cases name; `zhiju home export` writes it.
const HOME: &str = "home";

/// Arguments of `hard`.
#[derive(Debug, Args)]
pub(super) struct HardArgs {
    /// Print the sentences as cases of `zhiju eval`, of the home that `zhiju home export` prints: what each should do is to be
    /// filled in
    #[arg(long, conflicts_with = "answers")]
    json: bool,
    /// Print what language models answered (llm.keep_hard) instead, as JSON lines
    #[arg(long)]
    answers: bool,
    /// Forget all of it once it is printed
    #[arg(long)]
    clear: bool,
    #[command(flatten)]
    place: StoreArgs,
}

/// Prints what was not understood, the most frequent first.
pub(super) fn run(args: HardArgs) -> Result<(), CliError> {
    let store = open_store(args.place)?;
    let failed = |error: crate::store::StoreError| CliError::Failed(error.to_string());
    let lines: Vec<String> = if args.answers {
        let rows = store.hard().map_err(failed)?;
        rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect()
    } else {
        let refused = store.refused().map_err(failed)?;
        let style = Style::of(&std::io::stdout());
        let shown = |(at, refused): (usize, &Refused)| if args.json { case(at, refused) } else { line(refused, style) };
        refused.iter().enumerate().map(shown).collect()
    };
    print(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    if args.clear {
        let cleared = store.clear_hard().and_then(|()| store.clear_refused()).and_then(|()| store.commit());
        return cleared.map_err(failed);
    }
    Ok(())
}

/// How often, what, why and the words that nothing explains.
fn line(refused: &Refused, style: Style) -> String {
    let when = jiff::Timestamp::from_millisecond(refused.last_ms.cast_signed()).unwrap_or_default();
    let when = when.strftime("%Y-%m-%dT%H:%MZ");
    let words: Vec<String> = refused.words.iter().map(|word| displayable(word, MAX_SHOWN)).collect();
    let sentence = style.bold(&displayable(&refused.sentence, MAX_SHOWN));
    let told = format!("{} {when} {}", displayable(&refused.reason, MAX_SHOWN), words.join(" "));
    format!("{:>5} {sentence} {}", refused.times, style.dim(told.trim_end()))
}

/// A case in which anything moves: what it is, only the owner knows.
fn case(at: usize, refused: &Refused) -> String {
    let expect = json!({"intent": "instruct", "instructs": {}});
    let turn = json!({"question": refused.sentence, "expect": expect});
    let id = format!("hard-{:04}", at + 1);
    json!({"id": id, "tag": refused.reason, "home": HOME, "local": refused.room, "turns": [turn]}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(sentence: &str) -> Refused {
        let (words, room) = (vec!["老伙计".to_owned()], Some("客厅".to_owned()));
        let (reason, sentence) = ("unsure".to_owned(), sentence.to_owned());
        Refused { sentence, reason, words, room, times: 3, first_ms: 0, last_ms: 1_700_000_000_000 }
    }

    #[test]
    fn a_sentence_becomes_a_case_that_eval_can_read() {
        let folder = tempfile::tempdir().unwrap();
        let (cases, homes) = (folder.path().join("cases"), folder.path().join("homes"));
        [&cases, &homes].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        std::fs::write(homes.join("home.json"), crate::cli::ask::EXAMPLE_HOME).unwrap();
        let file = cases.join("hard.jsonl");
        std::fs::write(&file, case(0, &refused("打开老伙计\u{7}\"<b>"))).unwrap();
        let cases = crate::cli::eval::cases::read(&file).unwrap();
        assert_eq!((cases.len(), cases[0].local.as_deref()), (1, Some("客厅")));
        assert_eq!((cases[0].id.as_str(), cases[0].turns[0].question.as_str()), ("hard-0001", "打开老伙计\u{7}\"<b>"));
    }

    #[test]
    fn what_a_terminal_gets_moves_no_cursor() {
        let line = line(&refused("打开\u{1b}[2J\u{202e}老伙计"), Style::of(&std::fs::File::open("/dev/null").unwrap()));
        assert!(line.chars().all(|c| !crate::text::is_invisible(c)), "{line:?}");
        assert!(line.contains("3 打开") && line.contains("unsure 2023-11-14T22:13Z 老伙计"), "{line}");
    }
}

//! `zhiju ask`: a conversation in this process, one page, no broker.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::present::{self, Answer, candidate_line};
use super::session::{Heard, ModelFlags, Session, language};
use super::style::Style;
use super::{CliError, local_runtime, print, read_file};
use crate::clock::Clock;
use crate::door::http::shown_account;
use crate::frame::{Request, finish_frame};
use crate::home::Home;
use crate::language::grammar::{self, SpeakerContext};
use crate::language::vocabulary::Vocabulary;
use crate::ledger::Ledger;
use crate::service::{Names, ServiceSettings, shared, written};
use crate::text::normalize;

/// The home of seed 003, for a first try.
pub(super) const EXAMPLE_HOME: &str = include_str!("../../tests/homes/seed-home.json");

/// Before each line of a conversation.
const PROMPT: &str = "> ";

/// Arguments of `ask`.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// What is said; several are the turns of one conversation [default: the lines of the standard input]
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Home document [default: a small example home]
    #[arg(long, value_name = "FILE")]
    home: Option<PathBuf>,
    /// Room the speaker is in
    #[arg(long, value_name = "ROOM")]
    local: Option<String>,
    /// Print each finish frame as one line of JSON, as is done where the output is no terminal
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelFlags,
    /// Explain on stderr how it came to that, and once more without the names of the home, to give away
    #[arg(long)]
    trace: bool,
}

/// Answers each text, or each line of the standard input, on one page.
pub(super) fn run(args: AskArgs) -> Result<(), CliError> {
    let text = args.home.as_deref().map(read_file).transpose()?;
    let document = serde_json::from_str(text.as_deref().unwrap_or(EXAMPLE_HOME));
    let document: Value = document.map_err(|error| CliError::Failed(format!("home: not JSON: {error}")))?;
    let language = language()?;
    let readers = args.model.readers(&language);
    let lexicon = Arc::clone(&language.lexicon);
    let runtime = local_runtime()?;
    let session = runtime.block_on(Session::new(&document, language, readers))?;
    let snapshot = session.snapshot();
    let vocabulary = args.trace.then(|| Vocabulary::new(lexicon, Arc::clone(&snapshot.home)));
    let stdout = std::io::stdout();
    let for_a_person = !args.json && stdout.is_terminal();
    let style = Style::of(&stdout);
    let typed = args.text.is_empty() && for_a_person && std::io::stdin().is_terminal();
    if typed {
        print(&style.dim(&greeting(&snapshot.home)))?;
    }
    let lines: Box<dyn Iterator<Item = Result<String, CliError>>> =
        if args.text.is_empty() { Box::new(typed_lines(typed)) } else { Box::new(args.text.into_iter().map(Ok)) };
    for (at, question) in lines.enumerate() {
        let question = question?;
        let request = Request {
            rid: format!("ask-{}", at + 1),
            page_id: "ask".into(),
            question: question.clone(),
            local: args.local.clone(),
            instruct: true,
            ..Request::default()
        };
        let heard = runtime.block_on(session.say(request.clone()));
        if let Some(vocabulary) = &vocabulary {
            eprint!("{}", steps(&question, vocabulary, args.local.as_deref()));
            eprint!("{}", explain(&question, &heard, Style::of(&std::io::stderr())));
            eprint!("  to share, without the names of the home:\n{}", to_share(&request, &heard, &session, vocabulary));
        }
        let frame = finish_frame(&request.rid, &request, &heard.finish);
        if for_a_person {
            let asked = present::heard("heard", args.local.as_deref(), &question, style);
            print(&(asked + &present::told(&Answer::of_frame(frame, heard.candidates), "would do", style)))?;
        } else {
            print(&format!("{frame}\n"))?;
        }
    }
    Ok(())
}

/// What is there to talk about.
fn greeting(home: &Home) -> String {
    let rooms: Vec<&str> = home.rooms.iter().map(|room| room.name.as_str()).collect();
    format!("{} devices in {}; nothing of it is real. Ctrl-D ends.\n", home.devices.len(), rooms.join(" "))
}

/// The lines of the standard input that are not empty, each after a prompt if they are typed.
fn typed_lines(typed: bool) -> impl Iterator<Item = Result<String, CliError>> {
    let mut lines = std::io::stdin().lines();
    std::iter::from_fn(move || {
        loop {
            if typed && let Err(error) = print(PROMPT) {
                return Some(Err(error));
            }
            match lines.next() {
                Some(Ok(line)) if line.trim().is_empty() => {}
                Some(line) => return Some(line.map_err(|error| CliError::Failed(format!("stdin: {error}")))),
                None if typed => return print("\n").err().map(Err),
                None => return None,
            }
        }
    })
}

/// How the grammar read a sentence.
fn steps(question: &str, vocabulary: &Vocabulary, local: Option<&str>) -> String {
    let room = |name: &str| vocabulary.home.rooms.iter().position(|r| normalize(&r.name) == normalize(name));
    let names = ServiceSettings::default().names;
    let speaker = SpeakerContext { local: local.and_then(room), names, others: Vec::new() };
    grammar::explain(question, vocabulary, &speaker).iter().map(|step| format!("  {step}\n")).collect()
}

/// The same as a text to give away.
fn to_share(request: &Request, heard: &Heard, session: &Session, vocabulary: &Vocabulary) -> String {
    let ledger = Ledger::new(Clock::of_machine());
    ledger.record(request, heard.candidates.clone().map(Arc::new), &heard.finish);
    let entries = ledger.sheet(None, 1).entries;
    let reading = session.service().read(&request.question, request.local.as_deref());
    let room = request.local.as_deref().unwrap_or_default();
    let names = Names::of(vocabulary, &[room]);
    let texts = entries.iter().map(|entry| written(&shown_account(entry, &TimeZone::system()), &reading));
    texts.map(|text| shared(&text, &names)).collect()
}

/// What was understood, found and decided, for a person.
pub(super) fn explain(question: &str, heard: &Heard, style: Style) -> String {
    let mut lines = vec![style.bold(question)];
    let Some(found) = &heard.candidates else { return lines.remove(0) + "\n" };
    let texts = |key: &str| found[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    if let Some(parser) = found["parser"].as_str() {
        let commands: Vec<String> = texts("commands").collect();
        lines.push(format!("  {} {}", style.dim(parser), style.cyan(&commands.join("  "))));
    }
    for candidate in found["candidates"].as_array().into_iter().flatten() {
        lines.push(format!("  {}", candidate_line(candidate)));
    }
    if let Some(hint) = found["hint"].as_str() {
        lines.push(format!("  hint {hint}"));
    }
    lines.extend(texts("trace").map(|step| format!("  {step}")));
    lines.push(format!("  {} µs", heard.took.as_micros()));
    lines.join("\n") + "\n"
}

//! `zhiju ask`: utterances in this process, one page, no broker.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::Value;

use super::session::{Heard, ModelFlags, Session, language};
use super::style::Style;
use super::{CliError, local_runtime, print, read_file};
use crate::frame::{Request, finish_frame};
use crate::language::grammar::{self, Hearing};
use crate::language::vocabulary::Vocabulary;
use crate::service::ServiceSettings;
use crate::text::normalize;

/// The home of seed 003, for a first try.
pub(super) const EXAMPLE_HOME: &str = include_str!("../../tests/homes/seed-home.json");

/// Arguments of `ask`.
#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// What is said; several are the turns of one conversation
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,
    /// Home document [default: a small example home]
    #[arg(long, value_name = "FILE")]
    home: Option<PathBuf>,
    /// Room the speaker is in
    #[arg(long, value_name = "ROOM")]
    local: Option<String>,
    /// Print each finish frame as one line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    model: ModelFlags,
    /// Explain on stderr how it came to that
    #[arg(long)]
    trace: bool,
}

/// Prints a finish frame for each text.
pub(super) fn run(args: AskArgs) -> Result<(), CliError> {
    let text = args.home.as_deref().map(read_file).transpose()?;
    let document = serde_json::from_str(text.as_deref().unwrap_or(EXAMPLE_HOME));
    let document: Value = document.map_err(|error| CliError::Failed(format!("home: not JSON: {error}")))?;
    let language = language()?;
    let gist = args.model.gist(&language);
    let lexicon = Arc::clone(&language.lexicon);
    local_runtime()?.block_on(async {
        let session = Session::new(&document, language, gist).await?;
        let snapshot = session.snapshot();
        let vocabulary = args.trace.then(|| Vocabulary::new(lexicon, Arc::clone(&snapshot.home)));
        for (at, question) in args.text.iter().enumerate() {
            let request = Request {
                rid: format!("ask-{}", at + 1),
                page_id: "ask".into(),
                question: question.clone(),
                local: args.local.clone(),
                instruct: true,
                home: None,
            };
            let heard = session.say(request.clone()).await;
            if let Some(vocabulary) = &vocabulary {
                eprint!("{}", steps(question, vocabulary, args.local.as_deref()));
                eprint!("{}", explain(question, &heard, Style::of(&std::io::stderr())));
            }
            let frame = finish_frame(&request.rid, &request, &heard.finish);
            print(&if args.json { format!("{frame}\n") } else { format!("{frame:#}\n") })?;
        }
        Ok(())
    })
}

/// How the grammar read a sentence.
fn steps(question: &str, vocabulary: &Vocabulary, local: Option<&str>) -> String {
    let room = |name: &str| vocabulary.home.rooms.iter().position(|r| normalize(&r.name) == normalize(name));
    let names = ServiceSettings::default().names;
    let hearing = Hearing { local: local.and_then(room), names, others: Vec::new() };
    grammar::explain(question, vocabulary, &hearing).iter().map(|step| format!("  {step}\n")).collect()
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

/// A candidate on one line: kind, id, name, room, score, signals.
pub(super) fn candidate_line(candidate: &Value) -> String {
    let text = |key: &str| candidate[key].as_str().unwrap_or_default().to_owned();
    let signals = candidate["signals"].as_object().into_iter().flatten();
    let signals: Vec<String> = signals
        .filter(|(_, value)| value.as_f64().is_some_and(|value| value != 0.0))
        .map(|(name, value)| format!("{name} {:.2}", value.as_f64().unwrap_or_default()))
        .collect();
    format!(
        "{:.2} {} {} {}{} ({})",
        candidate["score"].as_f64().unwrap_or_default(),
        text("kind"),
        text("id"),
        text("room"),
        text("name"),
        signals.join(", ")
    )
}

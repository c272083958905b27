//! `zhiju eval`: accuracy and misfires over files of cases.

mod after;
pub(super) mod cases;
mod jobs;
mod judge;
mod mentions;
mod noise;
mod report;
mod similarity;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use self::cases::Case;
use self::judge::{Verdict, judge};
use self::noise::Noise;
use super::session::{Heard, ModelFlags, Session, language};
use super::{CliError, local_runtime, print};
use crate::frame::Request;

/// Arguments of `eval`.
#[derive(Debug, Args)]
pub(super) struct EvalArgs {
    /// Files of cases, one JSON object a line
    #[arg(required_unless_present_any = ["actions", "mentions"], value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Measure similarity instead: commands and colloquial phrases
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "json", "tag", "misses", "noise"])]
    actions: Option<PathBuf>,
    /// Measure how devices that are described are found: phrases and the devices that they mean
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "actions", "json", "tag", "misses", "noise"])]
    mentions: Option<PathBuf>,
    #[command(flatten)]
    model: ModelFlags,
    /// Write every outcome to this file
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Only cases of this tag, or of those that begin with it
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Also serve every case as a recogniser may have heard it, with this seed; the misses are those
    #[arg(long, value_name = "SEED")]
    noise: Option<u64>,
    /// Show at most so many misses [default: all]
    #[arg(long, value_name = "N")]
    misses: Option<usize>,
}

/// What came of one case.
#[derive(Debug)]
struct Outcome {
    case: Case,
    /// One for each of its turns.
    turns: Vec<TurnOutcome>,
}

/// What came of one turn.
#[derive(Debug)]
struct TurnOutcome {
    heard: Heard,
    verdict: Verdict,
}

impl Outcome {
    fn passed(&self) -> bool {
        self.turns.iter().all(|turn| turn.verdict.passed())
    }

    fn misfired(&self) -> bool {
        self.turns.iter().any(|turn| !turn.verdict.misfires.is_empty())
    }
}

/// Serves every case and reports; misses are a result, not a failure.
pub(super) fn run(args: EvalArgs) -> Result<(), CliError> {
    if let Some(file) = &args.actions {
        return similarity::run(file, args.model.dir());
    }
    if let Some(file) = &args.mentions {
        return mentions::run(file, &args.model);
    }
    let mut all = Vec::new();
    for file in &args.files {
        all.extend(cases::read(file)?);
    }
    if let Some(tag) = &args.tag {
        all.retain(|case| case.tag.starts_with(tag.as_str()));
    }
    let twins = args.noise.map(|seed| {
        let noise = Noise::new(seed);
        all.iter().map(|case| noise.twin(case)).collect::<Vec<_>>()
    });
    let progress = progress_bar(all.len() + twins.as_ref().map_or(0, Vec::len));
    let (runtime, language) = (local_runtime()?, language()?);
    let readers = args.model.readers(&language);
    // Many cases share a home, and a home takes longer to get ready for than a sentence.
    let mut sessions: HashMap<String, Session> = HashMap::new();
    let mut serve_all = |cases: Vec<Case>| -> Result<Vec<Outcome>, CliError> {
        let outcomes = cases.into_iter().map(|case| {
            progress.inc(1);
            let now = case.now.as_ref();
            let known = format!("{now:?} {}", case.home);
            let session = match sessions.entry(known) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let session = runtime.block_on(Session::at(&case.home, language.clone(), readers.clone(), now));
                    new.insert(session.map_err(|error| CliError::Failed(format!("{}: {error}", case.id)))?)
                }
            };
            session.reset();
            Ok(runtime.block_on(serve(case, session)))
        });
        outcomes.collect()
    };
    let mut outcomes = serve_all(all)?;
    let mut clean = None;
    if let Some(twins) = twins {
        clean = Some(std::mem::replace(&mut outcomes, serve_all(twins)?));
    }
    progress.finish_and_clear();
    if let Some(out) = &args.json {
        let text = format!("{:#}\n", report::json(&outcomes, clean.as_deref()));
        std::fs::write(out, text).map_err(|error| CliError::Failed(format!("{}: {error}", out.display())))?;
    }
    print(&report::text(&outcomes, clean.as_deref(), args.misses.unwrap_or(usize::MAX)))
}

/// Serves the turns of a case on one page, the home keeping what they move.
async fn serve(case: Case, session: &Session) -> Outcome {
    let mut turns = Vec::with_capacity(case.turns.len());
    for (at, turn) in case.turns.iter().enumerate() {
        let before = session.snapshot();
        let request = Request {
            rid: format!("{}-{at}", case.id),
            page_id: case.id.clone(),
            question: turn.question.clone(),
            local: case.local.clone(),
            instruct: true,
            ..Request::default()
        };
        let heard = session.say(request).await;
        let mut verdict = judge(&turn.expect, &before.home, &before.live, &heard.finish);
        let now = session.snapshot();
        verdict.after(&turn.after, &now.home, &now.live);
        turns.push(TurnOutcome { heard, verdict });
    }
    Outcome { case, turns }
}

/// A bar on stderr, on a terminal only.
fn progress_bar(cases: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(cases as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed}").expect("a constant template");
    bar.enable_steady_tick(Duration::from_millis(200));
    bar.with_style(style)
}

/// The commands that were understood, as the candidates tell.
fn commands(heard: &Heard) -> Vec<&str> {
    let commands = heard.candidates.as_ref().and_then(|found| found["commands"].as_array());
    commands.into_iter().flatten().filter_map(Value::as_str).collect()
}

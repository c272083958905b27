//! The cascade: language models asked one after the other, within one deadline, until one of them knows.
//!
//! | step | what may keep it from being asked |
//! |---|---|
//! | any | as many sentences are being asked about already as there may be, or as many of whoever speaks as are left for others; its circuit breaker is open; no time is left |
//! | in the cloud | the hour's budget is spent, or whoever speaks has used as much of it as is left for others |
//!
//! What keeps a step from being asked for longer than a sentence is in the status ([`Cascade::tallies`]).
//!
//! A step gets an equal share of the time that is left for it and those after it; what it does not use, they get. Slow
//! and fast steps are not raced against each other: that would send out of the home, and pay for, sentences that the home
//! could have answered by itself a moment later.

mod open;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::{debug, warn};

use super::breaker::Breaker;
use super::budget::Budget;
use super::metrics::{End, ParserMetrics, reason_of};
use super::prompt::Prefixes;
use super::settings::Site;
use super::{Client, Completion, LlmError, Prompt};
use crate::frame::{Origin, Share, Shares};
use crate::language::command::Command;
use crate::language::protocol::{ProtocolProblem, read_answer};
use crate::text::displayable;

pub use open::Unusable;

/// Pause before an endpoint that could not be reached is tried once more.
const BREATH: Duration = Duration::from_millis(100);

/// The clients keep the deadline, and know best what they were at when it came. Nobody waits longer than this for them
/// to say so.
const SLACK: Duration = Duration::from_millis(20);

/// Pauses that endpoints ask for are kept from this length on; whoever asks for less, and again, has failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Characters of an answer in the log and among the hard sentences.
const MAX_SHOWN: usize = 1_000;

/// Decides about readable commands: which of them mean something, or why all of them are refused (a reason of
/// [`super::metrics`]).
pub type Judge<'a> = &'a (dyn Fn(Vec<Command>) -> Result<Vec<Command>, &'static str> + Sync);

/// The cascade.
#[derive(Debug)]
pub struct Cascade {
    members: Vec<Member>,
    /// Steps of the configuration that could not become members.
    unusable: Vec<Unusable>,
    deadline: Duration,
    /// Whether a code fence around an answer is taken off.
    fence: bool,
    /// One for each sentence that may be asked about at the same time.
    permits: Arc<Shares>,
    budget: Mutex<Budget>,
    metrics: ParserMetrics,
}

/// One model and what is known about it.
#[derive(Debug)]
struct Member {
    client: Box<dyn Client>,
    place: Site,
    device_names: bool,
    breaker: Mutex<Breaker>,
}

/// What came of asking.
#[derive(Debug, Default)]
pub struct Asked {
    /// The commands of the first model that knew.
    pub answer: Option<Answer>,
    /// What became of each step, in order.
    pub tries: Vec<Try>,
}

/// Commands of a language model: at least one, none of them `UNKNOWN`.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The commands.
    pub commands: Vec<Command>,
    /// The `parser` of the candidates.
    pub parser: &'static str,
}

/// What became of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    /// The name of the step.
    pub step: String,
    /// How it ended.
    pub end: End,
    /// What was wrong with its answer, or why there is none.
    pub reasons: Vec<&'static str>,
    /// Its answer as it came, bounded and displayable.
    pub raw: Option<String>,
}

impl Asked {
    /// Whether no model said anything at all.
    pub fn is_unanswered(&self) -> bool {
        self.tries.iter().all(|t| matches!(t.end, End::Failed | End::Skipped))
    }
}

impl Cascade {
    /// Lets the models get ready for a home.
    pub fn prepare(&self, prefixes: &Prefixes) {
        for member in &self.members {
            member.client.prepare(&prefixes.prompt("", member.device_names).prefix);
        }
    }

    /// Asks about a sentence until a model knows or the deadline is there. Dropping the future cancels the question.
    pub async fn ask(&self, asker: &Origin, prefixes: &Prefixes, sentence: &str, judge: Judge<'_>) -> Asked {
        let deadline = Instant::now() + self.deadline;
        let mut asked = Asked::default();
        let permit: Option<Share> = self.permits.take(asker, 1);
        for (at, member) in self.members.iter().enumerate() {
            let now = Instant::now();
            let refusal = if permit.is_none() { Some("busy") } else { self.refusal(member, asker, now, deadline) };
            if let Some(reason) = refusal {
                asked.tries.push(self.ended(member, End::Skipped, vec![reason], None, Duration::ZERO));
                continue;
            }
            let after = self.members[at + 1..].iter().filter(|member| self.may_be_asked(member, asker, now)).count();
            let until = now + deadline.saturating_duration_since(now) / u32::try_from(after + 1).unwrap_or(u32::MAX);
            let prompt = prefixes.prompt(sentence, member.device_names);
            let completion = self.complete(member, asker, &prompt, until).await;
            let (tried, commands) = self.read(member, completion, judge, now.elapsed());
            asked.tries.push(tried);
            if let Some(commands) = commands {
                asked.answer = Some(Answer { commands, parser: member.place.parser() });
                break;
            }
        }
        asked
    }

    /// Why a step is not asked now.
    fn refusal(&self, member: &Member, asker: &Origin, now: Instant, deadline: Instant) -> Option<&'static str> {
        match () {
            () if now >= deadline => Some("deadline"),
            () if lock(&member.breaker).is_shut(now) => Some("breaker"),
            () if !self.may_leave(member, asker, now) => Some("budget"),
            () if !lock(&member.breaker).admit(now) => Some("breaker"),
            () => None,
        }
    }

    /// Whether a step would be asked if its turn came now.
    fn may_be_asked(&self, member: &Member, asker: &Origin, now: Instant) -> bool {
        let spent = member.place == Site::Cloud && lock(&self.budget).is_spent(asker, now);
        !spent && !lock(&member.breaker).is_shut(now)
    }

    /// Takes what leaves the home out of the budget.
    fn may_leave(&self, member: &Member, asker: &Origin, now: Instant) -> bool {
        member.place != Site::Cloud || lock(&self.budget).take(asker, now)
    }

    /// One question, and once more where that can help and there is time.
    async fn complete(
        &self,
        member: &Member,
        asker: &Origin,
        prompt: &Prompt,
        until: Instant,
    ) -> Result<Completion, LlmError> {
        let mut again = true;
        loop {
            let late = || LlmError::Deadline { client: member.client.name().to_owned() };
            let asking = tokio::time::timeout_at((until + SLACK).into(), member.client.ask(prompt, until));
            let error = match asking.await.unwrap_or_else(|_| Err(late())) {
                Ok(completion) => {
                    lock(&member.breaker).succeeded();
                    return Ok(completion);
                }
                Err(error) => error,
            };
            let now = Instant::now();
            debug!(%error, "no answer");
            let left = until.saturating_duration_since(now);
            let pause = pause_of(&error).filter(|pause| again && pause.saturating_mul(2) < left);
            match pause {
                Some(pause) if self.may_leave(member, asker, now) => tokio::time::sleep(pause).await,
                _ => {
                    self.failed(member, &error, now);
                    return Err(error);
                }
            }
            again = false;
        }
    }

    /// Tells the breaker. Whoever is busy or is told too much is not broken.
    fn failed(&self, member: &Member, error: &LlmError, now: Instant) {
        let mut breaker = lock(&member.breaker);
        let was_shut = breaker.is_shut(now);
        match error {
            LlmError::Busy { .. } | LlmError::TooLong { .. } => breaker.undecided(now),
            LlmError::Refused { retry_after: Some(pause), .. } if *pause >= PAUSE => breaker.asked_to_wait(now, *pause),
            _ => breaker.failed(now),
        }
        if breaker.is_shut(now) && !was_shut {
            warn!(%error, "a language model is left alone for a while");
        }
    }

    /// Reads an answer, counts what it was, and returns the commands that a model is sure of.
    fn read(
        &self,
        member: &Member,
        completion: Result<Completion, LlmError>,
        judge: Judge<'_>,
        took: Duration,
    ) -> (Try, Option<Vec<Command>>) {
        let completion = match completion {
            Ok(completion) => completion,
            Err(error) => return (self.ended(member, End::Failed, vec![reason_of(&error)], None, took), None),
        };
        if let Some(counters) = self.metrics.parser(member.client.name()) {
            counters.tokens(completion.prompt_tokens, completion.completion_tokens);
        }
        let raw = displayable(&completion.text, MAX_SHOWN);
        let reading = read_answer(&completion.text, self.fence);
        debug!(model = member.client.name(), raw, problems = ?reading.problems, "an answer");
        let mut reasons = Vec::new();
        let cut_off = completion.cut_off.then_some("cut_off");
        for reason in cut_off.into_iter().chain(reading.problems.iter().map(ProtocolProblem::reason)) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        // Of a broken answer, no part is believed.
        let broken = completion.cut_off || reading.problems.iter().any(ProtocolProblem::is_fatal);
        let (end, commands) = match () {
            () if broken => (End::Invalid, None),
            () if reading.is_unknown() && reading.problems.is_empty() => (End::Unknown, None),
            () if reading.is_unknown() => (End::Invalid, None),
            () => match judge(reading.commands.into_iter().filter(|c| !c.is_unknown()).collect()) {
                Ok(commands) => (End::Sure, Some(commands)),
                Err(reason) => {
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                    (End::Invalid, None)
                }
            },
        };
        (self.ended(member, end, reasons, Some(raw), took), commands)
    }

    fn ended(&self, member: &Member, end: End, reasons: Vec<&'static str>, raw: Option<String>, took: Duration) -> Try {
        if let Some(counters) = self.metrics.parser(member.client.name()) {
            counters.ended(end, took);
            reasons.iter().for_each(|reason| counters.because(reason));
        }
        Try { step: member.client.name().to_owned(), end, reasons, raw }
    }
}

/// After which pause asking again may help; `None` when it cannot.
fn pause_of(error: &LlmError) -> Option<Duration> {
    match error {
        LlmError::Unreachable { again: true, .. } => Some(BREATH),
        LlmError::Refused { status: 429 | 503, retry_after, .. } => *retry_after,
        _ => None,
    }
}

/// A lock whose holder panicked is taken all the same: breaker and budget are whole between calls.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

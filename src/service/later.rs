//! What is said of a later time: jobs are made of it, and nothing moves before they are due.

use std::sync::Arc;

use jiff::Zoned;
use serde_json::Value;

use super::Service;
use crate::dialogue::OrderRecord;
use crate::frame::{Instruct, Intent, Request};
use crate::home::DeviceIndex;
use crate::job::{self, Asked, Job, JobError, PlannedOrder, When as JobWhen};
use crate::language::order::Order;
use crate::language::time::{Due, Point, TimeError, When, due, say, say_repeat};
use crate::resolve::{Context, Outcome, Pending, resolve};
use crate::retrieval::World;

/// What a sentence comes to of which some is for later.
pub(super) struct Planned {
    /// What is done now, and what is said of all of it.
    pub(super) outcome: Outcome,
    /// The jobs, to be put into the book.
    pub(super) drafts: Vec<Job>,
}

impl Planned {
    fn nothing(outcome: Outcome) -> Self {
        Self { outcome: Outcome { instructs: Vec::new(), ..outcome }, drafts: Vec::new() }
    }
}

/// What one group of orders comes to at its time.
struct Part {
    draft: Job,
    said: String,
}

impl Service {
    /// The time of the home; `None` before the clock was set.
    pub(super) fn home_now(&self) -> Option<Zoned> {
        job::now(self.clock(), &self.jobs.settings().zone)
    }

    /// Splits orders into what is done now and what is due later. Of what is told for later all is understood, or nothing of it
    /// is done.
    pub(super) fn plan(&self, orders: &[Order], request: &Request, context: &Context) -> Planned {
        let replies = &self.language.replies;
        let Some(now) = self.home_now() else {
            return Planned::nothing(Outcome::say(Intent::Answer, replies.say("job_no_clock", &[])));
        };
        let mut outcome: Option<Outcome> = None;
        let mut parts: Vec<Part> = Vec::new();
        let (mut undone, mut mentioned) = (String::new(), context.last.to_vec());
        for group in orders.chunk_by(|a, b| a.when == b.when) {
            let here = Context { last: &mentioned, ..*context };
            let planned = match group.first().and_then(|order| order.when.as_ref()) {
                None => {
                    let done = resolve(group, &here);
                    if done.pending.is_some() || done.instructs.is_empty() {
                        return Planned::nothing(asked(done, orders));
                    }
                    let next = done.mentioned.clone();
                    outcome = Some(done);
                    next
                }
                Some(when) => {
                    let due = match due(when, &now) {
                        Ok(due) => due,
                        // What may be done at all is seen when the hour is known.
                        Err(TimeError::NoHour) => return Planned::nothing(self.which_hour(orders)),
                        Err(error) => return Planned::nothing(self.refused(error)),
                    };
                    match self.part(group, &due, request, &here, &now) {
                        Ok((part, whole)) => {
                            undone.push_str(&whole.undone);
                            parts.push(part);
                            whole.mentioned
                        }
                        // 打开灯，十分钟后打开跑步机: what is not there at that time keeps nothing else from being done.
                        Err(refused) if outcome.is_some() && refused.pending.is_none() && refused.hint.is_none() => {
                            undone.push_str(&refused.text);
                            Vec::new()
                        }
                        Err(refused) => return Planned::nothing(asked(*refused, orders)),
                    }
                }
            };
            if !planned.is_empty() {
                mentioned = planned;
            }
        }
        let said: Vec<&str> = parts.iter().map(|part| part.said.as_str()).collect();
        let what = said.join(&replies.say("job_and", &[]));
        let (before, later) = match &outcome {
            Some(now) if said.is_empty() => (now.text.clone(), String::new()),
            Some(now) => (now.text.clone(), replies.say("job_then", &[("what", &what)])),
            None => (String::new(), replies.say("job", &[("what", &what)])),
        };
        let text = format!("{before}{later}{undone}");
        let outcome = match outcome {
            Some(now) => Outcome { text, complete: false, mentioned, stale: Vec::new(), ..now },
            None => Outcome { mentioned, ..Outcome::say(Intent::Answer, text) },
        };
        Planned { outcome, drafts: parts.into_iter().map(|part| part.draft).collect() }
    }

    /// One group of orders that are due together: the job, and what it comes to if nothing changes.
    fn part(
        &self,
        group: &[Order],
        due: &Due,
        request: &Request,
        context: &Context,
        now: &Zoned,
    ) -> Result<(Part, Outcome), Box<Outcome>> {
        let replies = &self.language.replies;
        let words = &context.world.lexicon().time;
        // What holds only then is looked at then; now it matters which devices are meant.
        let acts: Vec<Order> = group
            .iter()
            .filter(|order| !order.action.states())
            .map(|order| Order { when: None, filter: None, ..order.clone() })
            .collect();
        let live = context.live.asleep(context.world.home());
        let fresh = Context { confirmed: false, fresh_since_ms: 0, ..*context };
        let asleep = Context { live: if steps(&acts) { context.live } else { &live }, ..fresh };
        let whole = resolve(&acts, &asleep);
        self.check(&whole, context)?;
        let vocabulary = &context.world.vocabulary;
        let mut steps = Vec::new();
        let mut recent = context.last.to_vec();
        for order in group {
            let kept = Order { when: None, ..order.clone() };
            let mut devices = Vec::new();
            if !order.action.states() {
                let act = Order { filter: None, ..kept.clone() };
                let one = resolve(&[act], &Context { last: &recent, ..asleep });
                self.check(&one, context)?;
                devices = one.instructs.iter().map(|instruct| instruct.id.clone()).collect();
                devices.dedup();
                if !one.mentioned.is_empty() {
                    recent = one.mentioned;
                }
            }
            steps.push(PlannedOrder { order: OrderRecord::keep(&kept, vocabulary), devices });
        }
        let conditional = group.iter().any(|order| order.action.states());
        let summary = match conditional {
            true => replies.say("job_if", &[("what", &whole.actions)]),
            false => whole.actions.clone(),
        };
        // What ends was said to begin at another time.
        let Some(point) = due.end.as_ref().or(due.start.as_ref()) else {
            return Err(Box::new(self.refused(TimeError::NoHour)));
        };
        let when = match due.repeat {
            Some(repeat) => say_repeat(repeat, &point.at, words),
            None => say(point, now, words),
        };
        let zone_day = |point: &Point| JobWhen::of(point, self.clock());
        let draft = Job {
            id: String::new(),
            due: zone_day(point),
            repeat: due.repeat,
            summary: summary.clone(),
            steps,
            instructs: whole.instructs.iter().map(|i| Instruct { noop: false, ..i.clone() }).collect(),
            asker: Asked {
                page: request.page_key(),
                page_id: request.page_id.clone(),
                local: request.local.clone(),
                satellite: request.origin.as_satellite().map(str::to_owned),
            },
            created_ms: self.clock().wall_ms(),
        };
        Ok((Part { draft, said: format!("{when}{summary}") }, whole))
    }

    /// Whether what a job would do is certain, and nothing that a person has to allow when it happens.
    fn check(&self, outcome: &Outcome, context: &Context) -> Result<(), Box<Outcome>> {
        if let Some(Pending::Confirm { devices, .. }) = &outcome.pending {
            let risky: Vec<DeviceIndex> =
                devices.iter().filter(|d| context.world.vocabulary.devices[**d].risky).copied().collect();
            if !risky.is_empty() {
                let names: Vec<String> = risky.iter().map(|device| context.device_name(*device)).collect();
                let what = self.language.replies.list(&names);
                let text = self.language.replies.say("job_risky", &[("what", &what)]);
                return Err(Box::new(Outcome { hint: Some("risky"), ..Outcome::say(Intent::Answer, text) }));
            }
        }
        if outcome.pending.is_some() || outcome.instructs.is_empty() {
            return Err(Box::new(outcome.clone()));
        }
        Ok(())
    }

    /// Asks for the hour of what has only a day.
    fn which_hour(&self, orders: &[Order]) -> Outcome {
        let text = self.language.replies.say("job_no_hour", &[]);
        let pending = Some(Pending::Hour(orders.to_vec()));
        Outcome { pending, hint: Some("value_required"), ..Outcome::say(Intent::Question, text) }
    }

    /// Why a time cannot be kept, in words.
    pub(super) fn refused(&self, error: TimeError) -> Outcome {
        let key = match error {
            TimeError::NoHour => "job_no_hour",
            TimeError::BadClock => "job_bad_clock",
            TimeError::BadDate => "job_bad_date",
            TimeError::Past => "job_past",
            TimeError::TooFar => "job_too_far",
            TimeError::TooOften => "job_too_often",
            TimeError::BadLength => "job_bad_length",
        };
        Outcome::say(Intent::Answer, self.language.replies.say(key, &[]))
    }

    /// Puts jobs into the book, and says so or why not. Those of a request that moves nothing are only shown.
    pub(super) async fn book(&self, planned: Planned, request: &Request) -> (Outcome, Vec<Value>) {
        let Planned { outcome, drafts } = planned;
        if drafts.is_empty() {
            return (outcome, Vec::new());
        }
        if !request.moves() {
            return (outcome, drafts.iter().map(|job| self.shown(job)).collect());
        }
        let jobs = Arc::clone(&self.jobs);
        let made = tokio::task::spawn_blocking(move || jobs.add(drafts)).await;
        match made {
            Ok(Ok(made)) => (outcome, made.iter().map(|job| self.shown(job)).collect()),
            Ok(Err(error)) => (self.unmade(&error), Vec::new()),
            Err(panic) => {
                tracing::error!(%panic, "jobs were not made");
                (Outcome::say(Intent::Answer, self.language.replies.say("job_unsaved", &[])), Vec::new())
            }
        }
    }

    pub(super) fn unmade(&self, error: &JobError) -> Outcome {
        let replies = &self.language.replies;
        let text = match error {
            JobError::TooMany { limit } => replies.say("job_too_many", &[("count", &limit.to_string())]),
            JobError::NoClock => replies.say("job_no_clock", &[]),
            JobError::Store(_) | JobError::Json(_) => {
                tracing::error!(%error, "a job was not made");
                replies.say("job_unsaved", &[])
            }
        };
        Outcome::say(Intent::Answer, text)
    }

    pub(super) fn shown(&self, job: &Job) -> Value {
        job.shown(self.clock(), &self.jobs.settings().zone)
    }

    /// A job's time and what it does, in words.
    pub(super) fn told(&self, job: &Job, now: &Zoned, world: &World) -> String {
        format!("{}{}", self.told_when(job, now, world), job.summary)
    }

    pub(super) fn told_when(&self, job: &Job, now: &Zoned, world: &World) -> String {
        let words = &world.lexicon().time;
        let at = job.due_at(self.clock(), &self.jobs.settings().zone);
        match job.repeat {
            Some(repeat) => say_repeat(repeat, &at, words),
            None => say(&Point { at, delay: None }, now, words),
        }
    }
}

/// Whether what is to be done depends on how things are: a step more or less.
fn steps(orders: &[Order]) -> bool {
    orders.iter().any(|order| matches!(order.action, crate::language::action::Action::Step { .. }))
}

/// A question about some of the orders is a question about all of them: the answer does what was said, when it was said.
fn asked(outcome: Outcome, orders: &[Order]) -> Outcome {
    let all = || orders.to_vec();
    let pending = outcome.pending.and_then(|pending| match pending {
        // One answer for several times: it is asked for again as a whole.
        Pending::Value(..) if orders.iter().any(|order| order.when != orders[0].when) => None,
        pending => Some(pending),
    });
    let pending = pending.map(|pending| match pending {
        Pending::Device(_, devices) => Pending::Device(all(), devices),
        Pending::Room(_, rooms) => Pending::Room(all(), rooms),
        Pending::Target(_) => Pending::Target(all()),
        Pending::Hour(_) => Pending::Hour(all()),
        Pending::Value(orders, devices) => Pending::Value(timed(orders, &all()), devices),
        Pending::Confirm { devices, parts, .. } => Pending::Confirm { orders: all(), devices, parts },
    });
    Outcome { pending, intent: if outcome.instructs.is_empty() { outcome.intent } else { Intent::Question }, ..outcome }
}

/// The orders with the one time that was said.
fn timed(orders: Vec<Order>, said: &[Order]) -> Vec<Order> {
    let when: Option<&When> = said.first().and_then(|order| order.when.as_ref());
    orders.into_iter().map(|order| Order { when: when.cloned(), ..order }).collect()
}

//! What is said of jobs themselves: which there are, how long they take, that they are not wanted or are for another time.

use std::sync::Arc;

use jiff::Zoned;
use serde_json::Value;

use super::later::Planned;
use super::{Service, View};
use crate::dialogue::Meant;
use crate::frame::{Intent, Request};
use crate::home::RoomIndex;
use crate::job::{Job, JobError, When as JobWhen};
use crate::language::action::Action;
use crate::language::grammar::{Doing, JobAsk, Which};
use crate::language::lexicon::Sense;
use crate::language::order::Order;
use crate::language::segment::segment;
use crate::language::time::{Moment, Part, Point, Repeat, Start, TimeError, When, due, say_seconds};
use crate::resolve::{Context, Outcome, resolve};
use crate::retrieval::{Entity, World};

/// Jobs that are told in one breath.
const MAX_TOLD: usize = 5;

impl Service {
    /// What is said of later times and of jobs; `None` when nothing is.
    pub(super) async fn scheduled(
        &self,
        meant: &Meant,
        request: &Request,
        view: &View,
        local: Option<RoomIndex>,
        last: &[Entity],
    ) -> Option<(Vec<Order>, Outcome, Vec<Value>)> {
        match meant {
            Meant::Jobs(ask) => {
                let (outcome, jobs) = self.about_jobs(ask, request, view.world()).await;
                Some((Vec::new(), outcome, jobs))
            }
            Meant::Instead(orders) => {
                let context = self.context(view, local, last, 0);
                let later = orders.iter().any(|order| order.when.is_some());
                let planned = if later {
                    self.plan(orders, request, &context)
                } else {
                    Planned { outcome: resolve(orders, &context), drafts: Vec::new() }
                };
                // What cannot be done leaves what was to be done.
                if !planned.drafts.is_empty() || !planned.outcome.instructs.is_empty() {
                    self.withdraw_last(request).await;
                }
                let (outcome, jobs) = self.book(planned, request).await;
                Some((orders.clone(), outcome, jobs))
            }
            Meant::Orders { orders, chosen, confirmed } if orders.iter().any(|order| order.when.is_some()) => {
                let context = self.context(view, local, last, 0);
                let context = Context { chosen: chosen.as_deref(), confirmed: *confirmed, ..context };
                let planned = self.plan(orders, request, &context);
                let (outcome, jobs) = self.book(planned, request).await;
                Some((orders.clone(), outcome, jobs))
            }
            _ => None,
        }
    }

    /// Answers what was said of jobs.
    pub(super) async fn about_jobs(&self, ask: &JobAsk, request: &Request, world: &World) -> (Outcome, Vec<Value>) {
        let answer =
            |key: &str, values: &[(&str, &str)]| Outcome::say(Intent::Answer, self.language.replies.say(key, values));
        let Some(now) = self.home_now() else { return (answer("job_no_clock", &[]), Vec::new()) };
        let pending = if request.moves() { self.jobs.pending() } else { Vec::new() };
        if pending.is_empty() {
            return (answer("jobs_none", &[]), Vec::new());
        }
        let last = self.last_of(request, &pending);
        let list = |jobs: &[Job]| {
            let told: Vec<String> = jobs.iter().take(MAX_TOLD).map(|job| self.told(job, &now, world)).collect();
            told.join(&self.language.replies.say("job_and", &[]))
        };
        let told = |jobs: &[Job]| {
            let values = [("count", jobs.len().to_string()), ("what", list(jobs))];
            let said = answer("jobs_are", &values.each_ref().map(|(key, value)| (*key, value.as_str())));
            (said, jobs.iter().take(MAX_TOLD).map(|job| self.shown(job)).collect())
        };
        let (which, doing) = match ask.clone() {
            JobAsk::List => return told(&pending),
            JobAsk::Of(which, doing) => (which, doing),
            JobAsk::Due { left, .. } => (Which::default(), if left { Doing::Left } else { Doing::Tell }),
        };
        // 电视几点关
        let moves = |job: &Job| match ask {
            JobAsk::Due { devices, .. } => job.instructs.iter().any(|instruct| devices.contains(&instruct.id)),
            _ => true,
        };
        let meant = |(at, job): (usize, &Job)| {
            moves(job)
                && which.at.as_ref().is_none_or(|at| self.is_at(job, at, &now))
                && which.number.is_none_or(|number| number == at + 1)
                && is_about(job, &which.about, world)
        };
        let named: Vec<Job> =
            pending.iter().enumerate().filter(|found| meant(*found)).map(|(_, job)| job.clone()).collect();
        let described = which.at.is_some() || which.number.is_some() || !which.about.is_empty();
        let wanted: Vec<Job> = match (&named[..], last) {
            ([], _) => return (answer("job_not_found", &[]), Vec::new()),
            (_, _) if which.all => named,
            ([one], _) => vec![one.clone()],
            (_, Some(last)) if which.last && !described => vec![last.clone()],
            (several, None) if which.last && !described && doing == Doing::Left => vec![several[0].clone()],
            (several, _) if doing == Doing::Cancel => {
                let (count, what) = (several.len().to_string(), list(several));
                return (answer("jobs_which", &[("count", &count), ("what", &what)]), Vec::new());
            }
            // 改成八点 of several: the last of them is the one that was spoken of.
            (several, _) if doing != Doing::Tell => newest(several).cloned().into_iter().collect(),
            (several, _) => several.to_vec(),
        };
        match doing {
            Doing::Tell => told(&wanted),
            Doing::Left => {
                let job = &wanted[0];
                let due = job.due_at(self.clock(), &self.jobs.settings().zone);
                let left = (due.timestamp().as_second() - now.timestamp().as_second()).max(1).unsigned_abs();
                // Nobody counts seconds of hours.
                let left = if left > 600 { left.next_multiple_of(60) } else { left };
                let span = say_seconds(left, &world.lexicon().time);
                (answer("job_left", &[("span", &span), ("what", &job.summary)]), vec![self.shown(job)])
            }
            Doing::Cancel => {
                let ids: Vec<String> = wanted.into_iter().map(|job| job.id).collect();
                let jobs = Arc::clone(&self.jobs);
                match tokio::task::spawn_blocking(move || jobs.cancel(&ids)).await {
                    Ok(Ok(gone)) if gone.is_empty() => (answer("job_not_found", &[]), Vec::new()),
                    Ok(Ok(gone)) => (answer("jobs_gone", &[("what", &list(&gone))]), Vec::new()),
                    Ok(Err(error)) => (self.unmade(&error), Vec::new()),
                    Err(_) => (answer("job_unsaved", &[]), Vec::new()),
                }
            }
            Doing::Change(_) | Doing::Shift(_) => {
                let job = &wanted[0];
                let old = job.due_at(self.clock(), &self.jobs.settings().zone);
                let (point, repeat) = match moved(&doing, &old, job.repeat, &now) {
                    Ok(Some(moved)) => moved,
                    Ok(None) => return (answer("job_not_found", &[]), Vec::new()),
                    Err(error) => return (self.refused(error), Vec::new()),
                };
                let changed = Job { due: JobWhen::of(&point, self.clock()), repeat, ..job.clone() };
                let (jobs, written) = (Arc::clone(&self.jobs), changed.clone());
                match tokio::task::spawn_blocking(move || jobs.replace(&written)).await {
                    Ok(Ok(true)) => {
                        let what = self.told(&changed, &now, world);
                        (answer("job_changed", &[("what", &what)]), vec![self.shown(&changed)])
                    }
                    Ok(Ok(false)) => (answer("job_not_found", &[]), Vec::new()),
                    Ok(Err(error)) => (self.unmade(&error), Vec::new()),
                    Err(_) => (self.unmade(&JobError::NoClock), Vec::new()),
                }
            }
        }
    }

    /// The last job that this page made.
    fn last_of<'j>(&self, request: &Request, pending: &'j [Job]) -> Option<&'j Job> {
        let page = request.page_key();
        newest(pending.iter().filter(|job| job.asker.page == page))
    }

    /// Takes the last job of this page out of the book: something else is done in its place.
    async fn withdraw_last(&self, request: &Request) {
        let pending = if request.moves() { self.jobs.pending() } else { Vec::new() };
        let Some(id) = self.last_of(request, &pending).map(|job| job.id.clone()) else { return };
        let jobs = Arc::clone(&self.jobs);
        if !matches!(tokio::task::spawn_blocking(move || jobs.cancel(&[id])).await, Ok(Ok(_))) {
            tracing::error!("a job that was replaced was not taken out of the book");
        }
    }

    /// Whether a job is due at a time that was said: the same hour and minute, and the same day if one was said.
    fn is_at(&self, job: &Job, when: &When, now: &Zoned) -> bool {
        let at = job.due_at(self.clock(), &self.jobs.settings().zone);
        let said =
            due(&When { repeat: None, end: None, start: when.start.clone() }, now).ok().and_then(|due| due.start);
        said.is_some_and(|said| {
            let (bare, same_day) = match &when.start {
                Some(Start::At(moment)) => (moment.is_bare(), moment.day.is_none()),
                _ => (false, false),
            };
            let hours = |at: &Zoned| if bare { at.hour() % 12 } else { at.hour() };
            (same_day || said.at.date() == at.date())
                && hours(&said.at) == hours(&at)
                && said.at.minute() == at.minute()
        })
    }
}

/// The job that was made last.
fn newest<'j>(jobs: impl IntoIterator<Item = &'j Job>) -> Option<&'j Job> {
    jobs.into_iter().max_by_key(|job| (job.created_ms, job.id.len(), job.id.as_str()))
}

/// Whether a job is of what was said of it: `电视`, `关电视`.
fn is_about(job: &Job, about: &str, world: &World) -> bool {
    if about.is_empty() || job.summary.contains(about) {
        return true;
    }
    let lexicon = world.lexicon();
    let way = |verb: usize| lexicon.verbs[verb].switches;
    let verb = |s: &Sense| if let Sense::Verb(verb) = s { way(*verb) } else { None };
    let orders: Vec<Order> = job.steps.iter().filter_map(|step| step.order.order(&world.vocabulary)).collect();
    let does = |to: bool| orders.iter().any(|o| matches!(o.action, Action::Verb(verb) if way(verb) == Some(to)));
    let devices = job.steps.iter().flat_map(|step| &step.devices);
    let devices: Vec<usize> = devices.filter_map(|id| Some(world.home().device(id)?.0)).collect();
    let of = |sense: &Sense| match sense {
        Sense::Devices(named) => devices.iter().any(|device| named.contains(device)),
        Sense::Kind(kind) | Sense::Sort(kind) => devices.iter().any(|d| world.vocabulary.devices[*d].is(*kind)),
        Sense::Room(room) => devices.iter().any(|device| world.home().devices[*device].room == Some(*room)),
        _ => false,
    };
    segment(about, &world.vocabulary).iter().all(|word| {
        let switched = word.senses.iter().find_map(verb).filter(|_| !word.is_entity());
        job.summary.contains(&word.text) || switched.is_some_and(does) || word.any(of)
    })
}

/// When a job is due that was due at another time, and how often; `None` where nothing says when. Of an hour without its day and its part
/// of the day those are the ones of before: `明早七点` changed to `八点` is tomorrow at eight in the morning; of a day alone the hour is.
fn moved(
    ask: &Doing,
    old: &Zoned,
    repeat: Option<Repeat>,
    now: &Zoned,
) -> Result<Option<(Point, Option<Repeat>)>, TimeError> {
    let when = match ask {
        Doing::Change(when) => when.as_ref(),
        Doing::Shift(seconds) => {
            let at = old.checked_add(jiff::SignedDuration::from_secs(*seconds)).ok().filter(|at| at > now);
            return Ok(at.map(|at| (Point { at, delay: None }, repeat)));
        }
        _ => return Ok(None),
    };
    let daily = repeat.filter(|repeat| repeat.is_daily() && when.start.is_some());
    let repeat = when.repeat.or(daily);
    let mut when = When { repeat, ..when.clone() };
    let clock = (old.hour().unsigned_abs().into(), old.minute().unsigned_abs().into());
    match &mut when.start {
        // 每天晚上九点 changed to 九点半: the evening stays.
        Some(Start::At(moment)) if repeat.is_some() && moment.is_bare() => {
            let minutes = |clock: (u32, u32)| i64::from(clock.0 * 60 + clock.1);
            let near = moment.clock.into_iter().flat_map(|(hour, minute)| {
                let noon = if hour < 12 { 12 } else { 0 };
                [(hour, minute), (hour + noon, minute)]
            });
            moment.clock = near.min_by_key(|near| (minutes(*near) - minutes(clock)).abs());
            moment.part = moment.clock.map(|(hour, _)| Part { from: hour, to: hour + 1, alone: None });
        }
        // 是明天, 改成工作日
        Some(Start::At(moment)) if moment.clock.is_none() && moment.part.is_none() => {
            moment.clock = Some(clock);
            moment.part = Some(Part { from: clock.0, to: clock.0 + 1, alone: None });
        }
        None if repeat.is_some_and(Repeat::is_daily) => {
            let part = Some(Part { from: clock.0, to: clock.0 + 1, alone: None });
            when.start = Some(Start::At(Moment { clock: Some(clock), part, ..Moment::default() }));
        }
        _ => {}
    }
    let when = &when;
    if let (Some(Start::At(moment)), None) = (&when.start, repeat)
        && let (true, Some((hour, minute))) = (moment.is_bare(), moment.clock)
    {
        let noon = if hour < 12 { 12 } else { 0 };
        let hours = [hour, hour + noon].into_iter().filter(|hour| *hour < 24);
        let at = |hour: u32| old.with().hour(hour as i8).minute(minute as i8).second(0).build().ok();
        let near = hours.filter_map(at).filter(|at| at > now);
        let apart = |at: &Zoned| (at.timestamp().as_second() - old.timestamp().as_second()).abs();
        if let Some(at) = near.min_by_key(apart) {
            return Ok(Some((Point { at, delay: None }, repeat)));
        }
    }
    let due = due(when, now)?;
    Ok(due.start.map(|point| (point, due.repeat)))
}

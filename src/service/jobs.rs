//! What is said of jobs themselves: which there are, how long they take, that they are not wanted or are for another time.

use std::sync::Arc;

use jiff::Zoned;
use serde_json::Value;

use super::{Service, View};
use crate::dialogue::Meant;
use crate::frame::{Intent, Request};
use crate::home::RoomIndex;
use crate::job::{Job, JobError, When as JobWhen};
use crate::language::grammar::JobAsk;
use crate::language::order::Order;
use crate::language::time::{Point, Repeat, Start, TimeError, When, due, say_seconds};
use crate::resolve::{Context, Outcome};
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
            Meant::Orders { orders, chosen, confirmed } if orders.iter().any(|order| order.when.is_some()) => {
                let context = self.context(view.world(), &view.live, local, last, 0);
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
        let page = request.page_key();
        let of_page = pending.iter().filter(|job| job.asker.page == page);
        let last = of_page.max_by_key(|job| (job.created_ms, job.id.len(), job.id.clone()));
        let list = |jobs: &[Job]| {
            let told: Vec<String> = jobs.iter().take(MAX_TOLD).map(|job| self.told(job, &now, world)).collect();
            told.join(&self.language.replies.say("job_and", &[]))
        };
        let of = |devices: &[String]| -> Vec<Job> {
            let moves = |job: &&Job| job.instructs.iter().any(|instruct| devices.contains(&instruct.id));
            pending.iter().filter(moves).cloned().collect()
        };
        let about = if let JobAsk::Of { devices, .. } = ask { of(devices) } else { Vec::new() };
        match ask {
            JobAsk::Of { .. } if about.is_empty() => (answer("job_not_found", &[]), Vec::new()),
            JobAsk::List | JobAsk::Of { left: false, .. } => {
                let told = if about.is_empty() { &pending } else { &about };
                let values = [("count", told.len().to_string()), ("what", list(told))];
                let said = answer("jobs_are", &values.each_ref().map(|(key, value)| (*key, value.as_str())));
                (said, told.iter().take(MAX_TOLD).map(|job| self.shown(job)).collect())
            }
            JobAsk::Left | JobAsk::Of { left: true, .. } => {
                let job = about.first().or(last).unwrap_or(&pending[0]);
                let due = job.due_at(self.clock(), &self.jobs.settings().zone);
                let left = (due.timestamp().as_second() - now.timestamp().as_second()).max(1).unsigned_abs();
                // Nobody counts seconds of hours.
                let left = if left > 600 { left.next_multiple_of(60) } else { left };
                let span = say_seconds(left, &world.lexicon().time);
                (answer("job_left", &[("span", &span), ("what", &job.summary)]), vec![self.shown(job)])
            }
            JobAsk::Cancel { all, last: latest, at, about } => {
                let meant = |job: &Job| {
                    let then = at.as_ref().is_none_or(|at| self.is_at(job, at, &now));
                    then && (about.is_empty() || job.summary.contains(about.as_str()))
                };
                let named: Vec<Job> = pending.iter().filter(|job| meant(job)).cloned().collect();
                let described = at.is_some() || !about.is_empty();
                let wanted: Vec<Job> = match (&named[..], last) {
                    ([], _) => return (answer("job_not_found", &[]), Vec::new()),
                    (_, _) if *all => named,
                    ([one], _) => vec![one.clone()],
                    (_, Some(last)) if *latest && !described => vec![last.clone()],
                    (several, _) => {
                        let (count, what) = (several.len().to_string(), list(several));
                        return (answer("jobs_which", &[("count", &count), ("what", &what)]), Vec::new());
                    }
                };
                let ids: Vec<String> = wanted.into_iter().map(|job| job.id).collect();
                let jobs = Arc::clone(&self.jobs);
                match tokio::task::spawn_blocking(move || jobs.cancel(&ids)).await {
                    Ok(Ok(gone)) if gone.is_empty() => (answer("job_not_found", &[]), Vec::new()),
                    Ok(Ok(gone)) => (answer("jobs_gone", &[("what", &list(&gone))]), Vec::new()),
                    Ok(Err(error)) => (self.unmade(&error), Vec::new()),
                    Err(_) => (answer("job_unsaved", &[]), Vec::new()),
                }
            }
            JobAsk::Change(_) | JobAsk::Shift(_) => {
                let Some(last) = last else { return (answer("job_not_found", &[]), Vec::new()) };
                let old = last.due_at(self.clock(), &self.jobs.settings().zone);
                let (point, repeat) = match moved(ask, &old, last.repeat, &now) {
                    Ok(Some(moved)) => moved,
                    Ok(None) => return (answer("job_not_found", &[]), Vec::new()),
                    Err(error) => return (self.refused(error), Vec::new()),
                };
                let changed = Job { due: JobWhen::of(&point, self.clock()), repeat, ..last.clone() };
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

/// When a job is due that was due at another time, and how often; `None` where nothing says when. Of an hour without its day and its part
/// of the day those are the ones of before: `明早七点` changed to `八点` is tomorrow at eight in the morning.
fn moved(
    ask: &JobAsk,
    old: &Zoned,
    repeat: Option<Repeat>,
    now: &Zoned,
) -> Result<Option<(Point, Option<Repeat>)>, TimeError> {
    let when = match ask {
        JobAsk::Change(when) => when,
        JobAsk::Shift(seconds) => {
            let at = old.checked_add(jiff::SignedDuration::from_secs(*seconds)).ok().filter(|at| at > now);
            return Ok(at.map(|at| (Point { at, delay: None }, repeat)));
        }
        _ => return Ok(None),
    };
    let daily = repeat.filter(|repeat| repeat.is_daily() && when.start.is_some());
    let repeat = when.repeat.or(daily);
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
    let due = due(&When { repeat, ..when.clone() }, now)?;
    Ok(due.start.map(|point| (point, due.repeat)))
}

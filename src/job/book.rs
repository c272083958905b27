//! The book of all jobs: in memory for whoever asks, in the store for the next start.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use serde_json::Value;
use tokio::sync::watch;
use tracing::warn;

use super::{End, Ended, Job, JobError, JobSettings, When, now};
use crate::clock::Clock;
use crate::frame::Origin;
use crate::store::{JobRow, Store};

/// How often a wall clock that may be set is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// A clock that is not set is not looked at without a pause.
const LOOK_AT_LEAST: Duration = Duration::from_millis(2);

/// Jobs that are over of which something is known.
const MAX_ENDED: usize = 100;

/// A job whose time has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Fire {
    /// The job.
    pub job: Job,
    /// It is too late for it, or nobody knows how late it is: it is told of and not done.
    pub missed: bool,
    /// What becomes of its row.
    pub settle: JobRow,
}

/// The book of all jobs.
#[derive(Debug)]
pub struct Jobs {
    /// Those whose time has come wait nowhere until they are settled.
    book: Mutex<Book>,
    store: Option<Arc<Store>>,
    clock: Clock,
    settings: JobSettings,
    changed: watch::Sender<u64>,
    /// Those that are over, the newest last.
    ended: Mutex<VecDeque<Ended>>,
}

#[derive(Debug, Default)]
struct Book {
    jobs: BTreeMap<String, Job>,
    /// What waits, by the time of the wall and by the count since the start of the machine.
    walls: BTreeSet<(i64, String)>,
    counts: BTreeSet<(u64, String)>,
    /// How many there are of a page.
    pages: HashMap<String, usize>,
    next: u64,
}

/// Where a job waits.
enum Deadline {
    Wall(i64),
    Count(u64),
}

impl Book {
    fn waits(&self, job: &Job, zone: &TimeZone, clock: &Clock) -> bool {
        match place(job, zone, clock) {
            Deadline::Wall(at) => self.walls.contains(&(at, job.id.clone())),
            Deadline::Count(at) => self.counts.contains(&(at, job.id.clone())),
        }
    }

    fn insert(&mut self, job: Job, zone: &TimeZone, clock: &Clock) {
        self.remove(&job.id, zone, clock);
        self.wait(&job, zone, clock);
        *self.pages.entry(job.asker.page.clone()).or_default() += 1;
        self.jobs.insert(job.id.clone(), job);
    }

    /// How many there are of an asker, in whatever conversation.
    fn of_asker(&self, asker: &str) -> usize {
        self.pages.iter().filter(|(page, _)| Origin::asker_of(page) == asker).map(|(_, count)| count).sum()
    }

    fn wait(&mut self, job: &Job, zone: &TimeZone, clock: &Clock) {
        match place(job, zone, clock) {
            Deadline::Wall(at) => self.walls.insert((at, job.id.clone())),
            Deadline::Count(at) => self.counts.insert((at, job.id.clone())),
        };
    }

    fn remove(&mut self, id: &str, zone: &TimeZone, clock: &Clock) -> Option<Job> {
        let job = self.jobs.remove(id)?;
        match place(&job, zone, clock) {
            Deadline::Wall(at) => self.walls.remove(&(at, job.id.clone())),
            Deadline::Count(at) => self.counts.remove(&(at, job.id.clone())),
        };
        if let Some(count) = self.pages.get_mut(&job.asker.page) {
            *count -= 1;
            if *count == 0 {
                self.pages.remove(&job.asker.page);
            }
        }
        Some(job)
    }
}

fn place(job: &Job, zone: &TimeZone, clock: &Clock) -> Deadline {
    match &job.due {
        When::Count { boot, count_ms, .. } if boot == clock.boot() => Deadline::Count(*count_ms),
        due => Deadline::Wall(due.wall_ms(clock, zone)),
    }
}

impl Jobs {
    /// An empty book that is kept nowhere.
    pub fn in_memory(clock: Clock, settings: JobSettings) -> Self {
        Self {
            book: Mutex::default(),
            store: None,
            clock,
            settings,
            changed: watch::channel(0).0,
            ended: Mutex::default(),
        }
    }

    /// The book of a store. Jobs whose instructs stand in the outbox already, under one of `given`, were done before the
    /// last end of the process: they are settled now. Waits for the disk.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(
        store: Arc<Store>,
        clock: Clock,
        settings: JobSettings,
        given: &HashSet<String>,
    ) -> Result<Self, JobError> {
        let jobs = Self { store: Some(Arc::clone(&store)), ..Self::in_memory(clock, settings) };
        let mut book = Book::default();
        for (id, bytes) in store.jobs()? {
            let number = id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u64>().unwrap_or(0);
            book.next = book.next.max(number + 1);
            let Ok(job) = serde_json::from_slice::<Job>(&bytes) else {
                warn!(id, "a job of another version cannot be read and is dropped");
                store.remove_job(&id)?;
                continue;
            };
            if !given.contains(&job.rid()) {
                book.insert(job, &jobs.settings.zone, &jobs.clock);
                continue;
            }
            let next = job.next(&jobs.clock, &jobs.settings.zone);
            store.settle_job(&jobs.settle(&job.id, next.as_ref())?)?;
            next.into_iter().for_each(|next| book.insert(next, &jobs.settings.zone, &jobs.clock));
        }
        store.commit()?;
        *jobs.book() = book;
        Ok(jobs)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Takes note that a job came to an end; the last hundred of this run are kept.
    pub fn note(&self, job: &Job, how: End) {
        let ended = Ended { id: job.id.clone(), summary: job.summary.clone(), wall_ms: self.clock.wall_ms(), how };
        let mut all = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == MAX_ENDED {
            all.pop_front();
        }
        all.push_back(ended);
        drop(all);
        self.tell();
    }

    /// The jobs that came to an end in this run, the newest first.
    pub fn ended(&self) -> Vec<Ended> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }

    /// Told whenever the jobs are others.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Bounds, and the zone.
    pub fn settings(&self) -> &JobSettings {
        &self.settings
    }

    /// What tells the time.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Puts jobs into the book, all of them or none, gives each its id, and makes them safe. Waits for the disk.
    ///
    /// # Errors
    /// When there are too many, the clock is not set, or the disk refuses.
    pub fn add(&self, mut drafts: Vec<Job>) -> Result<Vec<Job>, JobError> {
        now(&self.clock, &self.settings.zone).ok_or(JobError::NoClock)?;
        let mut book = self.book();
        let of_page = |page: &str| book.pages.get(page).copied().unwrap_or(0);
        let JobSettings { per_page, total, .. } = self.settings;
        if book.jobs.len() + drafts.len() > total {
            return Err(JobError::TooMany { limit: total });
        }
        // Whoever asks for jobs in one conversation after the other leaves as many to others as there are of theirs.
        if let Some(first) = drafts.first() {
            let of_asker = book.of_asker(Origin::asker_of(&first.asker.page));
            if of_asker + drafts.len() > total - book.jobs.len() {
                return Err(JobError::TooMany { limit: of_asker });
            }
        }
        if drafts.first().is_some_and(|first| of_page(&first.asker.page) + drafts.len() > per_page) {
            return Err(JobError::TooMany { limit: per_page });
        }
        for job in &mut drafts {
            job.id = format!("j{}", book.next);
            book.next += 1;
        }
        if let Some(store) = &self.store {
            let written = drafts.iter().try_for_each(|job| Ok(store.put_job(&job.id, &serde_json::to_vec(job)?)?));
            if let Err(error) = written.and_then(|()| Ok(store.commit()?)) {
                drafts.iter().for_each(|job| store.withdraw_job(&job.id));
                return Err(error);
            }
        }
        drafts.iter().for_each(|job| book.insert(job.clone(), &self.settings.zone, &self.clock));
        drop(book);
        self.tell();
        Ok(drafts)
    }

    /// Takes jobs out of the book, except those that are being done. Waits for the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn cancel(&self, ids: &[String]) -> Result<Vec<Job>, JobError> {
        let mut book = self.book();
        let waits =
            |id: &&String| book.jobs.get(*id).is_some_and(|job| book.waits(job, &self.settings.zone, &self.clock));
        let there: Vec<String> = ids.iter().filter(waits).cloned().collect();
        if let Some(store) = &self.store {
            there.iter().try_for_each(|id| store.remove_job(id))?;
            store.commit()?;
        }
        let gone: Vec<Job> = there.iter().filter_map(|id| book.remove(id, &self.settings.zone, &self.clock)).collect();
        drop(book);
        gone.iter().for_each(|job| self.note(job, End::Cancelled));
        self.tell();
        Ok(gone)
    }

    /// Puts a job in the place of the one of its id, as [`Jobs::add`] does. Waits for the disk.
    ///
    /// # Errors
    /// When it is gone or being done already, or the disk refuses.
    pub fn replace(&self, job: &Job) -> Result<bool, JobError> {
        let mut book = self.book();
        if !book.jobs.get(&job.id).is_some_and(|known| book.waits(known, &self.settings.zone, &self.clock)) {
            return Ok(false);
        }
        if let Some(store) = &self.store {
            store.put_job(&job.id, &serde_json::to_vec(job)?)?;
            store.commit()?;
        }
        book.insert(job.clone(), &self.settings.zone, &self.clock);
        drop(book);
        self.tell();
        Ok(true)
    }

    /// All jobs, the soonest first.
    pub fn pending(&self) -> Vec<Job> {
        let mut jobs: Vec<Job> = self.book().jobs.values().cloned().collect();
        jobs.sort_by_cached_key(|job| (job.due.wall_ms(&self.clock, &self.settings.zone), job.id.clone()));
        jobs
    }

    /// The jobs that `{"id"}` or `{"all": true}` names; `None` when it is neither.
    pub fn named(&self, asked: &Value) -> Option<Vec<String>> {
        match asked {
            asked if asked["all"] == true => Some(self.pending().into_iter().map(|job| job.id).collect()),
            asked => asked["id"].as_str().map(|id| vec![id.to_owned()]),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.book().jobs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Jobs whose time has come, the earliest first; each is given once until it is settled. None before the clock is set.
    pub fn take_due(&self) -> Vec<Fire> {
        let zone = &self.settings.zone;
        if now(&self.clock, zone).is_none() {
            return Vec::new();
        }
        let wall_ms = i64::try_from(self.clock.wall_ms()).unwrap_or(i64::MAX);
        let late_ms = i64::try_from(self.settings.late.as_millis()).unwrap_or(i64::MAX);
        let mut book = self.book();
        let mut ids: Vec<String> = Vec::new();
        while let Some((_, id)) = book.walls.first().filter(|(at, _)| *at <= wall_ms).cloned() {
            book.walls.pop_first();
            ids.push(id);
        }
        let count_ms = self.clock.now_ms();
        while let Some((_, id)) = book.counts.first().filter(|(at, _)| *at <= count_ms).cloned() {
            book.counts.pop_first();
            ids.push(id);
        }
        let mut due: Vec<(i64, Job)> = ids
            .iter()
            .filter_map(|id| book.jobs.get(id))
            .map(|job| (job.due.wall_ms(&self.clock, zone), job.clone()))
            .collect();
        due.sort_by_key(|(due_ms, _)| *due_ms);
        drop(book);
        let fire = |(due_ms, job): (i64, Job)| {
            let next = job.next(&self.clock, zone);
            let settle = self.settle(&job.id, next.as_ref()).ok()?;
            let missed = wall_ms.saturating_sub(due_ms) > late_ms || job.lost_count(&self.clock);
            Some(Fire { missed, settle, job })
        };
        due.into_iter().filter_map(fire).collect()
    }

    fn settle(&self, id: &str, next: Option<&Job>) -> Result<JobRow, JobError> {
        let row = next.map(serde_json::to_vec).transpose()?;
        Ok(JobRow { id: id.to_owned(), row })
    }

    /// Takes note of what became of a job that was due; its row was written with whatever it did.
    pub fn settled(&self, settle: &JobRow) {
        let mut book = self.book();
        match settle.row.as_deref().map(serde_json::from_slice::<Job>) {
            Some(Ok(next)) => book.insert(next, &self.settings.zone, &self.clock),
            _ => drop(book.remove(&settle.id, &self.settings.zone, &self.clock)),
        }
        drop(book);
        self.tell();
    }

    /// Writes down that a job is over that did nothing. Waits for the disk.
    ///
    /// # Errors
    /// When the disk refuses: then it stays due.
    pub fn drop_due(&self, settle: &JobRow) -> Result<(), JobError> {
        if let Some(store) = &self.store {
            store.settle_job(settle)?;
            store.commit()?;
        }
        self.settled(settle);
        Ok(())
    }

    /// Gives a job back that could not be done: it stays due.
    pub fn give_back(&self, id: &str) {
        let mut book = self.book();
        if let Some(job) = book.jobs.get(id).cloned() {
            book.wait(&job, &self.settings.zone, &self.clock);
        }
    }

    /// How long nothing is due, as far as the clock tells; a clock that somebody sets is looked at again in time.
    /// `None` when there is nothing to wait for.
    pub fn rest(&self) -> Option<Duration> {
        let book = self.book();
        let wall_ms = i64::try_from(self.clock.wall_ms()).unwrap_or(i64::MAX);
        let by_wall = book.walls.first().map(|(at, _)| at.saturating_sub(wall_ms).max(0).unsigned_abs());
        let by_count = book.counts.first().map(|(at, _)| at.saturating_sub(self.clock.now_ms()));
        let left = by_wall.into_iter().chain(by_count).min()?;
        Some(Duration::from_millis(left).clamp(LOOK_AT_LEAST, LOOK_EVERY))
    }
}

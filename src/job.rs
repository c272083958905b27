//! What is to be done later: jobs, when they are due, and the book in which they stand.
//!
//! A clock time is kept as the wall shows it and follows the zone; a delay is kept as a count since the start of the
//! machine as well and follows that for as long as the machine runs. Nothing is due before the clock was set.

mod book;
mod settings;
#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use book::{Fire, Jobs};
pub use settings::{JobError, JobSettings};

use crate::clock::Clock;
use crate::dialogue::OrderRecord;
use crate::frame::{Door, Instruct, Origin};
use crate::language::time::{Point, Repeat};

/// The copy of the book in the state folder, for readers beside the daemon.
const COPY: &str = "jobs.json";

/// Before this the clock of a machine was not set: 2024.
pub const CLOCK_IS_SET_MS: u64 = 1_704_067_200_000;

/// Something to be done later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Its name, made by the book.
    pub id: String,
    /// When.
    pub due: When,
    /// How often again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Repeat>,
    /// What, in words.
    pub summary: String,
    /// What, as it was understood.
    pub steps: Vec<PlannedOrder>,
    /// What it came to when it was made.
    pub instructs: Vec<Instruct>,
    /// Who asked for it.
    pub asker: Asked,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created_ms: u64,
}

/// An order and the devices that it meant when it was given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedOrder {
    /// The order.
    pub order: OrderRecord,
    /// The devices, by id.
    pub devices: Vec<String>,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// It was done.
    Done,
    /// It was too late for it.
    Missed,
    /// It could not be done, or not all of it.
    Failed,
    /// It was taken back.
    Cancelled,
}

/// A job that is over; one that is repeated ends each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its name.
    pub id: String,
    /// What, in words.
    pub summary: String,
    /// When it ended, in milliseconds since the Unix epoch.
    pub wall_ms: u64,
    /// How.
    pub how: End,
}

/// Who asked for a job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// The page, by its key.
    pub page: String,
    /// The page as whoever spoke calls it.
    pub page_id: String,
    /// The room it was said in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<String>,
    /// The satellite that spoke, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub satellite: Option<String>,
}

impl Asked {
    /// Where what becomes of the job is told.
    pub fn origin(&self) -> Origin {
        match &self.satellite {
            Some(name) => Origin::satellite(name.clone()),
            None => Origin { door: Door::Local, client: String::new() },
        }
    }
}

/// When something is due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// At this time of the wall (`2026-11-23T07:00:00`), in whatever zone the home is then.
    Wall(DateTimeText),
    /// At this count since the start of the machine; after another start, by the wall, if that can be right.
    Count {
        /// The start of the machine.
        boot: String,
        /// Milliseconds since then.
        count_ms: u64,
        /// The same by the wall, in milliseconds since the Unix epoch.
        wall_ms: i64,
    },
}

/// A civil time as text.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateTimeText(pub DateTime);

impl TryFrom<String> for DateTimeText {
    type Error = jiff::Error;

    fn try_from(text: String) -> Result<Self, jiff::Error> {
        text.parse().map(Self)
    }
}

impl From<DateTimeText> for String {
    fn from(text: DateTimeText) -> Self {
        text.0.to_string()
    }
}

/// The time of a clock in a zone; `None` before the clock was set.
pub fn now(clock: &Clock, zone: &TimeZone) -> Option<Zoned> {
    let wall_ms = clock.wall_ms();
    let at = Timestamp::from_millisecond(i64::try_from(wall_ms).ok()?).ok()?;
    (wall_ms >= CLOCK_IS_SET_MS).then(|| at.to_zoned(zone.clone()))
}

impl When {
    /// When a point in time is.
    pub fn of(point: &Point, clock: &Clock) -> Self {
        match point.delay {
            Some(seconds) => Self::Count {
                boot: clock.boot().to_owned(),
                count_ms: clock.now_ms().saturating_add(seconds.saturating_mul(1_000)),
                wall_ms: point.at.timestamp().as_millisecond(),
            },
            None => Self::Wall(DateTimeText(point.at.datetime())),
        }
    }

    /// When that is by the wall, in milliseconds since the Unix epoch, as the clock stands now.
    pub fn wall_ms(&self, clock: &Clock, zone: &TimeZone) -> i64 {
        match self {
            Self::Wall(DateTimeText(civil)) => {
                civil.to_zoned(zone.clone()).map_or(i64::MAX, |at| at.timestamp().as_millisecond())
            }
            Self::Count { boot, count_ms, .. } if boot == clock.boot() => {
                let left = i128::from(*count_ms) - i128::from(clock.now_ms());
                i64::try_from(i128::from(clock.wall_ms()) + left).unwrap_or(i64::MAX)
            }
            Self::Count { wall_ms, .. } => *wall_ms,
        }
    }
}

impl Job {
    /// When it is due, by the wall.
    pub fn due_at(&self, clock: &Clock, zone: &TimeZone) -> Zoned {
        let ms = self.due.wall_ms(clock, zone);
        Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX).to_zoned(zone.clone())
    }

    /// The request that it becomes when it is due; the same for the same job and time, so that a consumer can tell.
    pub fn rid(&self) -> String {
        let due = match &self.due {
            When::Wall(DateTimeText(civil)) => civil.strftime("%Y%m%dT%H%M%S").to_string(),
            When::Count { count_ms, .. } => count_ms.to_string(),
        };
        format!("job-{}-{due}", self.id)
    }

    /// Whether nobody knows when its count is over: it began before this start of the machine, and the wall clock, which has
    /// to do instead, says that the machine was started before it was told. It stood still meanwhile, or was set back.
    fn lost_count(&self, clock: &Clock) -> bool {
        let of_before = matches!(&self.due, When::Count { boot, .. } if boot != clock.boot());
        of_before && clock.wall_ms().saturating_sub(clock.now_ms()) < self.created_ms
    }

    /// Whether something has to be looked at before it is known what it does.
    pub fn depends(&self) -> bool {
        // A condition moves no device of its own.
        self.steps.iter().any(|step| step.order.only.is_some() || step.devices.is_empty())
    }

    /// As frames and the topic `jobs` show it.
    pub fn shown(&self, clock: &Clock, zone: &TimeZone) -> Value {
        let due = self.due_at(clock, zone).round(jiff::Unit::Second).unwrap_or_else(|_| self.due_at(clock, zone));
        json!({
            "id": self.id,
            "due": due.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            "repeat": self.repeat.map(|repeat| repeat.to_string()),
            "summary": self.summary,
            "instructs": self.instructs,
        })
    }

    /// The same job at its next time after `now`; `None` when it is not repeated.
    pub fn next(&self, clock: &Clock, zone: &TimeZone) -> Option<Self> {
        let repeat = self.repeat?;
        let at = self.due_at(clock, zone);
        let now = now(clock, zone).filter(|now| *now > at).unwrap_or_else(|| at.clone());
        let next = repeat.next(&at, &now)?;
        let due = match (&self.due, repeat.is_daily()) {
            (When::Count { boot, count_ms, .. }, false) if boot == clock.boot() => {
                let later = next.timestamp().as_millisecond() - at.timestamp().as_millisecond();
                let count_ms = count_ms.checked_add(u64::try_from(later).ok()?)?;
                When::Count { boot: boot.clone(), count_ms, wall_ms: next.timestamp().as_millisecond() }
            }
            (When::Count { .. }, false) => {
                let wall_ms = next.timestamp().as_millisecond();
                let left = u64::try_from(wall_ms - i64::try_from(clock.wall_ms()).ok()?).unwrap_or(0);
                let count_ms = clock.now_ms().saturating_add(left);
                When::Count { boot: clock.boot().to_owned(), count_ms, wall_ms }
            }
            _ => When::Wall(DateTimeText(next.datetime())),
        };
        Some(Self { due, ..self.clone() })
    }
}

/// Writes the copy of the book. Waits for the disk.
///
/// # Errors
/// When the disk refuses.
pub fn write_copy(dir: &Path, jobs: &[Value]) -> io::Result<()> {
    let draft = dir.join(format!("{COPY}.draft"));
    std::fs::write(&draft, json!(jobs).to_string())?;
    std::fs::rename(draft, dir.join(COPY))
}

/// The copy of the book; empty where there is none.
///
/// # Errors
/// When it cannot be read.
pub fn read_copy(dir: &Path) -> io::Result<Vec<Value>> {
    match std::fs::read(dir.join(COPY)) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

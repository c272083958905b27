//! How often something is done again, as a rule of RFC 5545.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::{ToSpan, Zoned};
use serde::{Deserialize, Serialize};

/// The days of the week as RFC 5545 writes them, from Monday.
const DAYS: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/// Months that are looked through for a day that they all may lack.
const MONTHS: i32 = 12;

/// How often something is done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Repeat {
    /// Every so many seconds, of whole minutes.
    Every(u64),
    /// Every so many days.
    Days(u32),
    /// On these days of the week: the lowest bit is Monday.
    Week(u8),
    /// On this day of every month that has it.
    Month(i8),
}

/// A rule that is none of those that are kept here.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no rule for repeating that is known")]
pub struct BadRule(String);

impl Repeat {
    /// Monday to Friday.
    pub const WORKDAYS: Self = Self::Week(0b001_1111);
    /// Saturday and Sunday.
    pub const WEEKEND: Self = Self::Week(0b110_0000);

    /// Whether it goes by days; else by lengths of time.
    pub fn is_daily(self) -> bool {
        !matches!(self, Self::Every(_))
    }

    /// Whether it falls on the day of `at`; of rules that count days any day may be the first.
    pub fn falls_on(self, at: DateTime) -> bool {
        match self {
            Self::Every(_) | Self::Days(_) => true,
            Self::Week(days) => days >> at.date().weekday().to_monday_zero_offset() & 1 == 1,
            Self::Month(day) => at.date().day() == day,
        }
    }

    /// The first time after `now` in the series that `at` belongs to. `None` when there is none that can be reckoned.
    ///
    /// Days keep the hour of the wall, whatever the clocks do; lengths of time pass as they are.
    pub fn next(self, at: &Zoned, now: &Zoned) -> Option<Zoned> {
        let later = |civil: DateTime| civil.to_zoned(at.time_zone().clone()).ok();
        match self {
            Self::Every(seconds) => {
                let step = i64::try_from(seconds).ok().filter(|step| *step > 0)?;
                let passed = now.timestamp().as_second().checked_sub(at.timestamp().as_second())?;
                let steps = if passed < 0 { 1 } else { passed.checked_div(step)?.checked_add(1)? };
                at.checked_add(steps.checked_mul(step)?.seconds()).ok()
            }
            Self::Days(step) => {
                let step = i64::from(step.max(1));
                let gone = now.date().since(at.date()).ok()?.get_days();
                let mut steps = (i64::from(gone) / step).max(1);
                loop {
                    let next = later(at.datetime().checked_add(steps.checked_mul(step)?.days()).ok()?)?;
                    if next > *now && next > *at {
                        return Some(next);
                    }
                    steps += 1;
                }
            }
            Self::Week(_) => {
                let from = at.date().max(now.date());
                let days = (0..=8).filter_map(|n| from.checked_add(n.days()).ok());
                let mut times = days.map(|date| date.to_datetime(at.time())).filter(|civil| self.falls_on(*civil));
                times.find_map(|civil| later(civil).filter(|next| next > now && next > at))
            }
            Self::Month(day) => {
                let from = at.date().max(now.date()).first_of_month();
                let months = (0..=MONTHS).filter_map(|n| from.checked_add(n.months()).ok());
                let mut times = months
                    .filter(|first| day >= 1 && day <= first.days_in_month())
                    .filter_map(|first| first.with().day(day).build().ok())
                    .map(|date| date.to_datetime(at.time()));
                times.find_map(|civil| later(civil).filter(|next| next > now && next > at))
            }
        }
    }
}

impl fmt::Display for Repeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Every(seconds) if seconds % 3600 == 0 => write!(f, "FREQ=HOURLY;INTERVAL={}", seconds / 3600),
            Self::Every(seconds) => write!(f, "FREQ=MINUTELY;INTERVAL={}", seconds / 60),
            Self::Days(1) => f.write_str("FREQ=DAILY"),
            Self::Days(days) => write!(f, "FREQ=DAILY;INTERVAL={days}"),
            Self::Week(days) => {
                let named: Vec<&str> = (0..7).filter(|at| days >> at & 1 == 1).map(|at| DAYS[at]).collect();
                write!(f, "FREQ=WEEKLY;BYDAY={}", named.join(","))
            }
            Self::Month(day) => write!(f, "FREQ=MONTHLY;BYMONTHDAY={day}"),
        }
    }
}

impl FromStr for Repeat {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let bad = || BadRule(text.chars().take(80).collect());
        let (freq, rest) = text.split_once(';').unwrap_or((text, ""));
        let value = |key: &str| rest.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
        let interval = || match value("INTERVAL") {
            Some(count) => count.parse::<u32>().ok().filter(|count| *count > 0),
            None => rest.is_empty().then_some(1),
        };
        let read = match freq.strip_prefix("FREQ=") {
            Some("MINUTELY") => interval().map(|count| Self::Every(u64::from(count) * 60)),
            Some("HOURLY") => interval().map(|count| Self::Every(u64::from(count) * 3600)),
            Some("DAILY") => interval().map(Self::Days),
            Some("WEEKLY") => value("BYDAY")
                .and_then(|days| {
                    days.split(',')
                        .try_fold(0u8, |sum, day| Some(sum | 1 << DAYS.iter().position(|known| *known == day)?))
                })
                .map(Self::Week),
            Some("MONTHLY") => value("BYMONTHDAY")
                .and_then(|day| day.parse().ok())
                .filter(|day| (1..=31).contains(day))
                .map(Self::Month),
            _ => None,
        };
        read.ok_or_else(bad)
    }
}

impl TryFrom<String> for Repeat {
    type Error = BadRule;

    fn try_from(text: String) -> Result<Self, BadRule> {
        text.parse()
    }
}

impl From<Repeat> for String {
    fn from(repeat: Repeat) -> Self {
        repeat.to_string()
    }
}

//! When a time that was said is, seen from now.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::{ToSpan, Zoned};

use super::{Day, End, Moment, Part, Repeat, Start, When};

/// How far ahead anything may be: a year and a day.
pub const MAX_AHEAD_S: u64 = 367 * 86_400;
/// The shortest interval at which anything is done again.
pub const MIN_INTERVAL_S: u64 = 60;
/// The longest that anything may go on before it is undone: a week.
const MAX_FOR_S: u64 = 7 * 86_400;

/// When something is due.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    /// When it begins; `None` for now.
    pub start: Option<Point>,
    /// How often again.
    pub repeat: Option<Repeat>,
    /// When it is undone.
    pub end: Option<Point>,
}

/// A point in time.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// On the wall.
    pub at: Zoned,
    /// The seconds from now that were said, if it was said so.
    pub delay: Option<u64>,
}

/// Why a time cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// A day or a part of it, and no hour.
    #[error("no hour was said")]
    NoHour,
    /// No clock shows it.
    #[error("no clock shows that")]
    BadClock,
    /// No calendar has it.
    #[error("no calendar has that day")]
    BadDate,
    /// It has passed.
    #[error("that has passed")]
    Past,
    /// Too far ahead.
    #[error("that is too far ahead")]
    TooFar,
    /// Too often.
    #[error("that is too often")]
    TooOften,
    /// It would end before it begins, or go on for too long.
    #[error("that is too long, or no time at all")]
    BadLength,
}

/// When `when` is, seen from `now` and in its zone.
///
/// # Errors
/// When it cannot be told or may not be kept; the caller does nothing then.
pub fn due(when: &When, now: &Zoned) -> Result<Due, TimeError> {
    let start = match (&when.start, when.repeat) {
        (None, None) => None,
        (None, Some(Repeat::Every(seconds))) => Some(after(now, interval(seconds)?)?),
        (None, Some(_)) => return Err(TimeError::NoHour),
        (Some(Start::After(seconds)), None) => Some(after(now, *seconds)?),
        (Some(Start::After(_)), Some(_)) => return Err(TimeError::BadClock),
        (Some(Start::At(moment)), repeat) => Some(Point { at: at(moment, repeat, now)?, delay: None }),
    };
    if let Some(Repeat::Every(seconds)) = when.repeat {
        interval(seconds)?;
    }
    let begins = start.as_ref().map_or(now, |point| &point.at);
    let end = match &when.end {
        None => None,
        Some(End::For(seconds)) if (1..=MAX_FOR_S).contains(seconds) => {
            let delay = start.as_ref().map_or(Some(0), |point| point.delay).and_then(|d| d.checked_add(*seconds));
            Some(Point { at: after(begins, *seconds)?.at, delay })
        }
        Some(End::For(_)) => return Err(TimeError::BadLength),
        Some(End::Until(moment)) => {
            let at = until(moment, begins)?;
            let long = at.timestamp().as_second() - begins.timestamp().as_second();
            if !(1..=MAX_FOR_S as i64).contains(&long) {
                return Err(TimeError::BadLength);
            }
            Some(Point { at, delay: None })
        }
    };
    let last = end.as_ref().or(start.as_ref()).map_or(now, |point| &point.at);
    if last.timestamp().as_second() - now.timestamp().as_second() > MAX_AHEAD_S as i64 {
        return Err(TimeError::TooFar);
    }
    Ok(Due { start, repeat: when.repeat, end })
}

fn interval(seconds: u64) -> Result<u64, TimeError> {
    match seconds {
        s if s < MIN_INTERVAL_S => Err(TimeError::TooOften),
        s if s > MAX_AHEAD_S => Err(TimeError::TooFar),
        s => Ok(s),
    }
}

fn after(now: &Zoned, seconds: u64) -> Result<Point, TimeError> {
    match seconds {
        0 => return Err(TimeError::BadLength),
        s if s > MAX_AHEAD_S => return Err(TimeError::TooFar),
        _ => {}
    }
    let at = i64::try_from(seconds).ok().and_then(|s| now.checked_add(s.seconds()).ok()).ok_or(TimeError::TooFar)?;
    Some(Point { at, delay: Some(seconds) }).ok_or(TimeError::TooFar)
}

/// An end that names no day is the next such time after the beginning.
fn until(moment: &Moment, begins: &Zoned) -> Result<Zoned, TimeError> {
    at(&Moment { following: None, ..moment.clone() }, None, begins)
}

/// When a time of the day is.
fn at(moment: &Moment, repeat: Option<Repeat>, now: &Zoned) -> Result<Zoned, TimeError> {
    if let (Some(before), true) = (&moment.following, moment.is_bare()) {
        let before = at(before, repeat, now)?;
        let bare = Moment { following: None, ..moment.clone() };
        return next(&bare, &before, |_| true);
    }
    let today = now.date();
    match (moment.day, repeat) {
        (_, Some(repeat)) if repeat.is_daily() => {
            if let Repeat::Month(day) = repeat
                && !(1..=31).contains(&day)
            {
                return Err(TimeError::BadDate);
            }
            let hours = fixed(moment)?;
            // 每周五凌晨 says which night; 每周五晚上一点 would be a Saturday.
            if hours.0 >= 24 && !matches!(repeat, Repeat::Days(_)) {
                return Err(TimeError::BadClock);
            }
            let days = (0..=400).filter_map(|n| today.checked_add(n.days()).ok());
            let mut times = days
                .filter(|d| repeat.falls_on(d.to_datetime(Default::default())))
                .filter_map(|d| on(d, hours, now).ok());
            times.find(|time| time > now).ok_or(TimeError::BadDate)
        }
        (None, _) => next(moment, now, |_| true),
        (Some(Day::In(0)), _) if moment.part.is_none() => {
            next(moment, now, |time| time.date() == today).map_err(|error| match error {
                TimeError::TooFar => TimeError::Past,
                other => other,
            })
        }
        (Some(Day::In(days)), _) => {
            let day = today.checked_add(i64::from(days).days()).map_err(|_| TimeError::TooFar)?;
            to_come(on(day, fixed(moment)?, now)?, now)
        }
        (Some(Day::Weekday(day, week)), _) => {
            let day = Weekday::from_monday_one_offset(day).map_err(|_| TimeError::BadDate)?;
            let monday = back(today, i64::from(today.weekday().to_monday_zero_offset()))?;
            let in_week = i64::from(day.to_monday_zero_offset());
            match week {
                Some(week) => {
                    let date = forth(monday, in_week + 7 * i64::from(week))?;
                    to_come(on(date, fixed(moment)?, now)?, now)
                }
                None => {
                    let hours = fixed(moment)?;
                    let this = forth(monday, in_week)?;
                    first([this, forth(this, 7)?], hours, now)
                }
            }
        }
        (Some(Day::Weekend(next)), _) => {
            let hours = fixed(moment)?;
            let monday = back(today, i64::from(today.weekday().to_monday_zero_offset()))?;
            let days: &[i64] = if next { &[12] } else { &[5, 6, 12] };
            let dates = days.iter().map(|n| forth(monday, *n)).collect::<Result<Vec<_>, _>>()?;
            first(dates, hours, now)
        }
        (Some(Day::Date(Some(month), day)), _) => {
            let hours = fixed(moment)?;
            let dates: Vec<Date> = (0..=1).filter_map(|n| Date::new(today.year() + n, month, day).ok()).collect();
            if dates.is_empty() {
                return Err(TimeError::BadDate);
            }
            first(dates, hours, now)
        }
        (Some(Day::Date(None, day)), _) => {
            let hours = fixed(moment)?;
            let month = today.first_of_month();
            let months = (0..=12).filter_map(|n| month.checked_add(n.months()).ok());
            let dates: Vec<Date> = months.filter_map(|m| Date::new(m.year(), m.month(), day).ok()).collect();
            if dates.is_empty() {
                return Err(TimeError::BadDate);
            }
            first(dates, hours, now)
        }
        (Some(Day::NextMonth(day)), _) => {
            let month = today.first_of_month().checked_add(1.months()).map_err(|_| TimeError::TooFar)?;
            let date = Date::new(month.year(), month.month(), day).map_err(|_| TimeError::BadDate)?;
            on(date, fixed(moment)?, now)
        }
    }
}

fn forth(date: Date, days: i64) -> Result<Date, TimeError> {
    date.checked_add(days.days()).map_err(|_| TimeError::TooFar)
}

fn back(date: Date, days: i64) -> Result<Date, TimeError> {
    forth(date, -days)
}

/// The first of these days on which the hour is still to come.
fn first(dates: impl IntoIterator<Item = Date>, hours: (u32, u32), now: &Zoned) -> Result<Zoned, TimeError> {
    let times = dates.into_iter().filter_map(|date| on(date, hours, now).ok());
    times.filter(|time| time > now).min().ok_or(TimeError::Past)
}

fn to_come(time: Zoned, now: &Zoned) -> Result<Zoned, TimeError> {
    if time > *now { Ok(time) } else { Err(TimeError::Past) }
}

/// An hour of a day; hours from 24 on are those of the day after.
fn on(date: Date, (hour, minute): (u32, u32), now: &Zoned) -> Result<Zoned, TimeError> {
    let date = forth(date, i64::from(hour / 24))?;
    let part = |n: u32| i8::try_from(n).map_err(|_| TimeError::BadClock);
    let civil: DateTime = date.at(part(hour % 24)?, part(minute)?, 0, 0);
    civil.to_zoned(now.time_zone().clone()).map_err(|_| TimeError::BadDate)
}

/// The next time after `now` at which a clock shows what was said.
fn next(moment: &Moment, now: &Zoned, allowed: impl Fn(&Zoned) -> bool) -> Result<Zoned, TimeError> {
    let hours = shown(moment)?;
    let days: Vec<Date> = (-1..=2).filter_map(|n| forth(now.date(), n).ok()).collect();
    let times = days.iter().flat_map(|day| hours.iter().filter_map(|hours| on(*day, *hours, now).ok()));
    times.filter(|time| time > now && allowed(time)).min().ok_or(TimeError::TooFar)
}

/// The one hour of a day that was said.
fn fixed(moment: &Moment) -> Result<(u32, u32), TimeError> {
    let hours = shown(moment)?;
    let afternoon = |hours: &[(u32, u32)]| hours.len() == 2 && (1..=4).contains(&hours[0].0);
    // 十二点 of a day is its noon.
    let noon = hours.len() == 2 && hours[0].0 == 0;
    Ok(if afternoon(&hours) || noon { hours[1] } else { hours[0] })
}

/// The hours of a day that may be meant, the earliest first.
fn shown(moment: &Moment) -> Result<Vec<(u32, u32)>, TimeError> {
    let (hour, minute) = match (moment.clock, moment.part) {
        (Some(clock), _) => clock,
        (None, Some(Part { alone: Some(hour), .. })) => return Ok(vec![(hour, 0)]),
        (None, _) => return Err(TimeError::NoHour),
    };
    if hour > 24 || minute > 59 || (hour == 24 && minute > 0) {
        return Err(TimeError::BadClock);
    }
    match moment.part {
        None if hour == 12 => Ok(vec![(0, minute), (12, minute)]),
        None if (1..12).contains(&hour) => Ok(vec![(hour, minute), (hour + 12, minute)]),
        None => Ok(vec![(hour, minute)]),
        Some(part) => {
            // 晚上八点, 晚上二十点, 晚上一点: whichever of them lies in the part.
            let all = if hour == 0 || hour > 12 {
                vec![hour, hour + 24]
            } else {
                (0..=2).map(|n| hour % 12 + 12 * n).collect()
            };
            let fits: Vec<(u32, u32)> =
                all.into_iter().filter(|h| (part.from..part.to).contains(h)).map(|h| (h, minute)).collect();
            if fits.is_empty() { Err(TimeError::BadClock) } else { Ok(fits[..1].to_vec()) }
        }
    }
}

//! Times said back, in the words of the language data.

use jiff::Zoned;
use jiff::civil::Date;

use super::words::TimeWords;
use super::{Point, Repeat};
use crate::language::number::han;

/// A point in time as it is said at `now`: a length of time if it was said so, else the day, its part and the hour.
pub fn say(point: &Point, now: &Zoned, words: &TimeWords) -> String {
    match point.delay {
        Some(seconds) => filled(words, "after", &[("span", &say_seconds(seconds, words))]),
        None => {
            let at = point.at.with_time_zone(now.time_zone().clone());
            format!("{}{}", day(at.date(), now.date(), words), hour(&at, words))
        }
    }
}

/// How often, and at which hour: `每周五晚上八点`.
pub fn say_repeat(repeat: Repeat, at: &Zoned, words: &TimeWords) -> String {
    let first = |list: &[String]| list.first().cloned().unwrap_or_default();
    let named = |days: u8| -> String {
        (0..7).filter(|at| days >> at & 1 == 1).map(|at| words.weekdays[at].as_str()).collect()
    };
    let day = match repeat {
        Repeat::Every(seconds) => return filled(words, "every", &[("span", &say_seconds(seconds, words))]),
        Repeat::Days(1) => first(&words.daily),
        Repeat::Days(days) => filled(words, "days", &[("count", &number(u64::from(days) - 1, false, words))]),
        Repeat::WORKDAYS => format!("{}{}", first(&words.every), first(&words.workdays)),
        Repeat::WEEKEND => format!("{}{}", first(&words.every), first(&words.weekend)),
        Repeat::Week(days) => filled(words, "weekly", &[("days", &named(days))]),
        Repeat::Month(day) => filled(words, "monthly", &[("day", &number(day.unsigned_abs().into(), false, words))]),
    };
    format!("{day}{}", hour(at, words))
}

/// A length of time: `半小时`, `一小时二十分钟`.
pub fn say_seconds(seconds: u64, words: &TimeWords) -> String {
    let unit =
        |id: &str| words.units.get(id).and_then(|unit| unit.words.first().map(|word| (unit.seconds, word.as_str())));
    if let Some((hour, word)) = unit("hour").filter(|(hour, _)| seconds * 2 == *hour) {
        let _ = hour;
        return format!("{}{word}", words.half.first().map_or("", String::as_str));
    }
    let mut left = seconds;
    let mut said = String::new();
    for (size, word) in ["day", "hour", "minute", "second"].iter().filter_map(|id| unit(id)) {
        let count = left / size;
        left %= size;
        if count > 0 {
            said.push_str(&number(count, true, words));
            said.push_str(word);
        }
    }
    said
}

/// The day, seen from another.
fn day(day: Date, today: Date, words: &TimeWords) -> String {
    let away = day.since(today).map_or(i64::MAX, |span| i64::from(span.get_days()));
    if let Some(word) = words.days_said.iter().find(|word| words.days.get(*word).is_some_and(|n| i64::from(*n) == away))
    {
        return word.clone();
    }
    let weeks = |date: Date| date.iso_week_date().first_of_week().map(|week| week.date()).ok();
    let (this, that) = (weeks(today), weeks(day));
    let first = |list: &[String]| list.first().cloned().unwrap_or_default();
    let weekday = words.weekdays[usize::from(day.weekday().to_monday_zero_offset().unsigned_abs())].clone();
    let apart = this.zip(that).and_then(|(this, that)| that.since(this).ok()).map(|span| span.get_days());
    match apart {
        Some(0) => format!("{}{}{weekday}", words.this_week, first(&words.weekday)),
        Some(7) => format!("{}{}{weekday}", words.next_week, first(&words.weekday)),
        _ => {
            let (month, date) = (day.month().unsigned_abs().into(), day.day().unsigned_abs().into());
            filled(words, "date", &[("month", &number(month, false, words)), ("day", &number(date, false, words))])
        }
    }
}

/// The part of the day and the hour.
fn hour(at: &Zoned, words: &TimeWords) -> String {
    let part = words.said_in.range(..=at.hour()).next_back().and_then(|(_, part)| words.parts.get(part));
    let part = part.and_then(|part| part.words.first()).map_or("", String::as_str);
    let hour = match at.hour() {
        0 => number(0, false, words),
        13.. => number(u64::from(at.hour().unsigned_abs()) - 12, true, words),
        hour => number(hour.unsigned_abs().into(), true, words),
    };
    let zero = words.clock.zero.first().map_or("", String::as_str);
    let minute = match at.minute() {
        0 => String::new(),
        30 => words.clock.half.first().cloned().unwrap_or_default(),
        minute => {
            let said = number(minute.unsigned_abs().into(), false, words);
            let said = if minute < 10 { format!("{zero}{said}") } else { said };
            filled(words, "minutes", &[("minute", &said)])
        }
    };
    format!("{part}{}", filled(words, "clock", &[("hour", &hour), ("minute", &minute)]))
}

/// A number; two of something that is counted has a word of its own.
fn number(n: u64, counted: bool, words: &TimeWords) -> String {
    match n {
        0 => words.clock.zero.first().cloned().unwrap_or_default(),
        2 if counted => words.two.clone(),
        _ => usize::try_from(n).ok().and_then(han).unwrap_or_else(|| n.to_string()),
    }
}

fn filled(words: &TimeWords, key: &str, values: &[(&str, &str)]) -> String {
    let mut text = words.spoken.get(key).cloned().unwrap_or_default();
    for (name, value) in values {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    text
}

//! Finds times in a text, character by character: words for things are cut elsewhere, and a time may begin within one
//! (`开到十点`).

mod clock;

use super::words::TimeWords;
use super::{Day, Moment, Part, Repeat};
use crate::language::number;

/// A time in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Its first character.
    pub start: usize,
    /// The one after its last.
    pub end: usize,
    /// What it says.
    pub piece: Piece,
    /// A bare hour (`两点`), which may be a number of something else.
    pub weak: bool,
}

/// What a time in a text says.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// `十分钟后`; `further`: counted from what was said before (`再过十分钟`).
    After {
        /// Seconds.
        seconds: u64,
        /// From what was said before.
        further: bool,
    },
    /// `半小时`: how long something goes on.
    For(u64),
    /// `每隔两小时`.
    Every(u64),
    /// `明早五点`, `每周五晚上八点`.
    At(Moment, Option<Repeat>),
    /// `到十点`: until then, if something goes on; else then.
    To(Moment),
    /// `八点到十点`.
    Between(Moment, Option<Repeat>, Moment),
    /// `十点之前`, `五分钟内`: nothing that can be kept.
    Deadline,
    /// A wish for a timer, which says nothing by itself.
    Timer,
}

/// The times in a text, in their order. Where `taken` says so, no time begins: a name stands there.
pub fn read(chars: &[char], taken: impl Fn(usize) -> bool, words: &TimeWords) -> Vec<Span> {
    let reader = Reader { chars, words };
    let mut spans = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let found = if taken(at) { None } else { reader.span(at) };
        match found {
            Some(span) => {
                at = span.end;
                spans.push(span);
            }
            None => at += 1,
        }
    }
    spans
}

struct Reader<'a> {
    chars: &'a [char],
    words: &'a TimeWords,
}

impl Reader<'_> {
    /// The longest of some words at a position: how many characters it has.
    fn word(&self, at: usize, words: &[String]) -> Option<usize> {
        words.iter().filter_map(|word| self.is(at, word)).max()
    }

    fn is(&self, at: usize, word: &str) -> Option<usize> {
        let mut rest = self.chars.get(at..)?.iter();
        let same = |c: char| rest.next() == Some(&c);
        (!word.is_empty() && word.chars().all(same)).then(|| word.chars().count())
    }

    fn skip(&self, at: usize, words: &[String]) -> usize {
        at + self.word(at, words).unwrap_or(0)
    }

    /// The time that begins here.
    fn span(&self, start: usize) -> Option<Span> {
        let (piece, end, weak) = self.piece(start)?;
        let end = self.trailed(end, &piece);
        if let Some(more) = self.word(end, &self.words.deadline)
            && !matches!(piece, Piece::After { .. } | Piece::Timer)
        {
            return Some(Span { start, end: end + more, piece: Piece::Deadline, weak });
        }
        Some(Span { start, end, piece, weak })
    }

    /// `八点的时候`, `八点准时`.
    fn trailed(&self, end: usize, piece: &Piece) -> usize {
        let vague = matches!(piece, Piece::For(_) | Piece::Timer);
        if vague { end } else { self.skip(end, &self.words.trailing) }
    }

    fn piece(&self, at: usize) -> Option<(Piece, usize, bool)> {
        if let Some(used) = self.word(at, &self.words.timer) {
            return Some((Piece::Timer, at + used, false));
        }
        if let Some(used) = self.word(at, &self.words.soon) {
            return Some((Piece::At(Moment::default(), None), at + used, false));
        }
        self.every(at).or_else(|| self.delay(at)).or_else(|| self.between(at)).or_else(|| self.to(at)).or_else(|| {
            let (seconds, end) = self.length(at)?;
            // 三天没见太阳了 tells of three days.
            let before =
                |word: &String| at >= word.chars().count() && self.is(at - word.chars().count(), word).is_some();
            let told = self.word(end, &self.words.told).is_some() || self.words.whole.iter().any(before);
            (!told).then_some((Piece::For(seconds), end, false))
        })
    }

    /// `每隔两小时`, `每两个小时`, `每小时`, `每隔一天早上七点`.
    fn every(&self, at: usize) -> Option<(Piece, usize, bool)> {
        let used = self.word(at, &self.words.interval)?;
        let from = at + used;
        let (seconds, end) = self.length(from).or_else(|| self.unit(from))?;
        let day = self.words.units.get("day").map_or(0, |unit| unit.seconds);
        // 每天 and 每周 are days of the calendar; 隔一天 is every other one.
        if day > 0 && seconds % day == 0 {
            let bare = self.length(from).is_none();
            if bare {
                return None;
            }
            let skipping =
                self.chars[at..from].iter().collect::<String>() != self.words.interval[self.words.interval.len() - 1];
            let step = u32::try_from(seconds / day).ok()? + u32::from(skipping);
            let (mut moment, end) = self.clock_part(end).unwrap_or((Moment::default(), end));
            moment.day = None;
            return Some((Piece::At(moment, Some(Repeat::Days(step))), self.skip(end, &self.words.once), false));
        }
        Some((Piece::Every(seconds), self.skip(end, &self.words.once), false))
    }

    /// `十分钟后`, `过半小时`, `再过五分钟`, `十分钟以后再`.
    fn delay(&self, at: usize) -> Option<(Piece, usize, bool)> {
        let further = self.word(at, &self.words.further).is_some();
        let from = self.skip(at, &self.words.before);
        let (seconds, end) = self.length(from)?;
        let after = self.word(end, &self.words.after);
        let then = || self.word(end, &self.words.then);
        let marked = from > at || after.is_some() || then().is_some();
        marked.then(|| (Piece::After { seconds, further }, end + after.unwrap_or(0), false))
    }

    /// `八点到十点`, `从八点到十点`, `明早五点`.
    fn between(&self, at: usize) -> Option<(Piece, usize, bool)> {
        let from = self.skip(at, &self.words.from);
        let (begins, repeat, end, weak) = self.moment(from)?;
        let to = self.word(end, &self.words.range).and_then(|used| self.moment(end + used));
        if let (Some((ends, None, end, _)), true) = (to, begins.clock.is_some()) {
            return Some((Piece::Between(begins, repeat, ends), end, false));
        }
        Some((Piece::At(begins, repeat), end, weak && from == at))
    }

    /// `到十点`, `等到八点`.
    fn to(&self, at: usize) -> Option<(Piece, usize, bool)> {
        let used = self.word(at, &self.words.until).max(self.word(at, &self.words.at))?;
        let (moment, repeat, end, _) = self.moment(at + used)?;
        let until = self.word(at, &self.words.until) == Some(used) && repeat.is_none();
        Some((if until { Piece::To(moment) } else { Piece::At(moment, repeat) }, end, false))
    }

    /// A length of time in seconds: `半小时`, `一个半小时`, `1小时20分钟`, `90秒`.
    fn length(&self, at: usize) -> Option<(u64, usize)> {
        let mut total = 0.0;
        let mut end = at;
        let mut last = f64::INFINITY;
        while let Some((value, unit, next)) = self.quantity(end, end > at) {
            if unit >= last {
                break;
            }
            (total, last, end) = (total + value * unit, unit, next);
            // 两小时半
            let half = self.word(end, &self.words.half).filter(|_| value.fract() == 0.0);
            if let Some(used) = half
                .filter(|used| self.unit(end + used).is_none() && self.word(end + used, &self.words.count).is_none())
            {
                return Some(((total + unit / 2.0) as u64, end + used));
            }
        }
        (end > at && total >= 0.0).then_some((total.round() as u64, end))
    }

    /// One number and its unit in seconds.
    fn quantity(&self, at: usize, more: bool) -> Option<(f64, f64, usize)> {
        if let Some(used) = self.word(at, &self.words.half) {
            let (seconds, end) = self.unit(at + used).or_else(|| self.unit(self.skip(at + used, &self.words.count)))?;
            return Some((0.5, seconds as f64, end));
        }
        let rest = self.chars.get(at..)?;
        let (number, used) = number::read(rest).filter(|(number, _)| !number.percent && number.value >= 0.0)?;
        let mut value = number.value;
        let mut end = at + used;
        // 一个半小时
        if let Some(count) = self.word(end, &self.words.count)
            && let Some(half) = self.word(end + count, &self.words.half)
        {
            value += 0.5;
            end += count + half;
        }
        if let Some((seconds, end)) = self.unit(end) {
            return Some((value, seconds as f64, end));
        }
        let minute = self.word(end, &self.words.short_minute).filter(|_| more)?;
        Some((value, 60.0, end + minute))
    }

    fn unit(&self, at: usize) -> Option<(u64, usize)> {
        let units = self.words.units.values();
        let found = units.filter_map(|unit| Some((self.word(at, &unit.words)?, unit.seconds)));
        found.max().map(|(used, seconds)| (seconds, at + used))
    }

    /// A day, a part of it, an hour: whatever of them stands here, and whether it is a bare hour.
    fn moment(&self, at: usize) -> Option<(Moment, Option<Repeat>, usize, bool)> {
        let (mut moment, mut repeat, mut end) = (Moment::default(), None, at);
        if let Some((day, part, used)) = self.day_part(at) {
            (moment.day, moment.part, end) = (day.map(Day::In), Some(part), used);
            repeat = day.is_none().then_some(Repeat::Days(1));
        } else if let Some((every, used)) = self.repeated(at) {
            (repeat, end) = (Some(every), used);
        } else if let Some((day, used)) = self.day(at) {
            (moment.day, end) = (Some(day), used);
        }
        let dated = end > at;
        let from = end;
        let from = if dated { self.of(from) } else { from };
        if let Some((rest, used)) = self.clock_part(from) {
            let part = moment.part;
            if rest.part.is_some() && part.is_some() && rest.clock.is_none() {
                return dated.then_some((moment, repeat, end, false));
            }
            moment.part = rest.part.or(part);
            moment.clock = rest.clock;
            end = used;
        }
        // 夜里凉 tells of the night.
        let part_alone = moment.clock.is_none() && moment.day.is_none();
        let unmarked = moment.clock.is_some_and(|(hour, _)| (1..=12).contains(&hour)) && self.is_plain(end);
        let weak = repeat.is_none() && (part_alone || moment.is_bare() && unmarked);
        (end > at).then_some((moment, repeat, end, weak))
    }

    /// Whether what ends here is an hour and nothing more: no minutes, no 钟.
    fn is_plain(&self, end: usize) -> bool {
        let hours = &self.words.clock.hour;
        let ends_with = |word: &String| {
            let length = word.chars().count();
            end >= length && self.is(end - length, word).is_some()
        };
        hours.iter().any(|word| word.chars().count() == 1 && ends_with(word))
    }

    /// 的 between a day and an hour.
    fn of(&self, at: usize) -> usize {
        let comma = self.word(at, &self.words.list).map(|used| at + used);
        comma.filter(|next| self.clock_part(*next).is_some_and(|(m, _)| m.clock.is_some())).unwrap_or(at)
    }

    /// `今晚`, `每晚`.
    fn day_part(&self, at: usize) -> Option<(Option<u32>, Part, usize)> {
        let found = self.words.day_parts.iter().filter_map(|(word, day)| Some((self.is(at, word)?, day)));
        let (used, day) = found.max_by_key(|(used, _)| *used)?;
        // 今晚上八点
        let extra = self.words.parts[&day.part].words.iter().filter_map(|word| self.is(at + used - 1, word)).max();
        Some((day.day, self.words.parts[&day.part].part(), at + used + extra.map_or(0, |more| more.saturating_sub(1))))
    }

    /// `每天`, `每周一三五`, `周一到周五`, `工作日`, `每月一号`.
    fn repeated(&self, at: usize) -> Option<(Repeat, usize)> {
        let every = self.word(at, &self.words.every).map(|used| at + used);
        let from = every.unwrap_or(at);
        let set = |days: &[String], repeat| self.word(from, days).map(|used| (repeat, from + used));
        if let Some(found) = set(&self.words.workdays, Repeat::WORKDAYS) {
            return Some(found);
        }
        if let Some(found) = set(&self.words.weekend, Repeat::WEEKEND).filter(|_| every.is_some()) {
            return Some(found);
        }
        if let Some(used) = self.word(at, &self.words.daily) {
            return Some((Repeat::Days(1), at + used));
        }
        if let Some(used) = self.word(at, &self.words.monthly) {
            let (day, end) = self.month_day(at + used)?;
            return Some((Repeat::Month(i8::try_from(day).unwrap_or(i8::MAX)), end));
        }
        let (days, end, many) = self.weekdays(from)?;
        (every.is_some() || many).then_some((Repeat::Week(days), end))
    }

    /// `周一三五`, `周一到周五`, `周六和周日`: the days, and whether there are several.
    fn weekdays(&self, at: usize) -> Option<(u8, usize, bool)> {
        let prefix = self.word(at, &self.words.weekday)?;
        let (first, mut end) = self.weekday(at + prefix)?;
        let mut days = 1u8 << first;
        loop {
            let named = |from: usize| {
                let from = from + self.word(from, &self.words.weekday)?;
                self.weekday(from)
            };
            let range = self.word(end, &self.words.range).map(|used| end + used);
            if let Some((last, next)) = range.and_then(|from| named(from).or_else(|| self.weekday(from)))
                && days.count_ones() == 1
                && last > first
                && !self.counts(next)
            {
                days = (first..=last).fold(0, |sum, day| sum | 1 << day);
                end = next;
                continue;
            }
            let listed = self.word(end, &self.words.list).map(|used| end + used);
            let after_list = named(end).or_else(|| {
                listed
                    .and_then(|from| named(from).or_else(|| self.weekday(from).filter(|(_, next)| !self.counts(*next))))
            });
            // 周一三五; the number before 点 is an hour.
            let next = after_list.or_else(|| self.weekday(end).filter(|(_, next)| !self.counts(*next)));
            match next {
                Some((day, next)) => (days, end) = (days | 1 << day, next),
                None => break,
            }
        }
        Some((days, end, days.count_ones() > 1))
    }

    /// Whether an hour or a unit follows, so that what stood before it is a number.
    fn counts(&self, at: usize) -> bool {
        let clock = &self.words.clock;
        let number = self
            .chars
            .get(at..)
            .and_then(number::read_whole)
            .is_some_and(|(_, used)| self.word(at + used, &clock.hour).is_some());
        self.word(at, &clock.hour).or(self.word(at, &clock.colon)).is_some()
            || self.unit(at).is_some()
            || number && self.weekday(at).is_none()
    }

    /// A day of the week after its prefix, from 0 for Monday.
    fn weekday(&self, at: usize) -> Option<(u8, usize)> {
        let named = (0u8..).zip(&self.words.weekdays).find_map(|(day, word)| Some((day, at + self.is(at, word)?)));
        let digit = || {
            let (day, used) = number::read_whole(self.chars.get(at..)?)?;
            (used == 1 && (1..=7).contains(&day)).then_some((day as u8 - 1, at + 1))
        };
        named.or_else(|| Some((6, at + self.word(at, &self.words.sunday)?))).or_else(digit)
    }

    /// `明天`, `下周三`, `周末`, `三月五号`, `五号`.
    fn day(&self, at: usize) -> Option<(Day, usize)> {
        let days = self.words.days.iter().filter_map(|(word, day)| Some((self.is(at, word)?, *day)));
        if let Some((used, day)) = days.max() {
            return Some((Day::In(day), at + used));
        }
        let this = self.word(at, &self.words.this).map(|used| (at + used, 0u8));
        let next = self.word(at, &self.words.next).map(|used| (at + used, 1u8));
        let (from, week) = this.or(next).map_or((at, None), |(from, week)| (from, Some(week)));
        if let Some(used) = self.word(from, &self.words.weekend) {
            return Some((Day::Weekend(week == Some(1)), from + used));
        }
        if let Some(prefix) = self.word(from, &self.words.weekday)
            && let Some((day, end)) = self.weekday(from + prefix)
        {
            return Some((Day::Weekday(day as i8 + 1, week), end));
        }
        if week == Some(1)
            && let Some(used) = self.word(from, &self.words.month)
            && let Some((day, end)) = self.month_day(from + used)
        {
            return Some((Day::NextMonth(i8::try_from(day).unwrap_or(i8::MAX)), end));
        }
        if week.is_some() {
            return None;
        }
        let (number, used) = number::read_whole(self.chars.get(at..)?)?;
        let month =
            self.words.month.iter().filter(|word| word.chars().count() == 1).find_map(|word| self.is(at + used, word));
        if let Some(used_month) = month {
            let (day, end) = self.month_day(at + used + used_month)?;
            let fit = |n: u32| i8::try_from(n).unwrap_or(i8::MAX);
            return Some((Day::Date(Some(fit(number)), fit(day)), end));
        }
        let (day, end) = self.month_day(at)?;
        // 三号 may be the third of something; 三号早上 and 三号八点 are days.
        self.clock_part(end)?;
        Some((Day::Date(None, i8::try_from(day).unwrap_or(i8::MAX)), end))
    }
}

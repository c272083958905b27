//! Days of the month, hours and minutes: `五号`, `晚上八点半`, `差一刻九点`.

use super::*;

impl Reader<'_> {
    /// `五号`.
    pub(super) fn month_day(&self, at: usize) -> Option<(u32, usize)> {
        let (day, used) = number::read_whole(self.chars.get(at..)?)?;
        Some((day, at + used + self.word(at + used, &self.words.month_day)?))
    }

    /// A part of the day and an hour, or one of them.
    pub(super) fn clock_part(&self, at: usize) -> Option<(Moment, usize)> {
        let parts = self.words.parts.values().flat_map(|part| part.words.iter().map(move |word| (part, word)));
        let found = parts.filter_map(|(part, word)| Some((self.is(at, word)?, part)));
        let part = found.max_by_key(|(used, _)| *used);
        let (mut moment, mut end) = (Moment::default(), at);
        if let Some((used, part)) = part {
            (moment.part, end) = (Some(part.part()), at + used);
        }
        if let Some((clock, next)) = self.clock(end, moment.part.is_some()) {
            (moment.clock, end) = (Some(clock), next);
        } else if part.is_some_and(|(used, _)| used == 1) {
            // 早 and 晚 by themselves are too short to be a time.
            return None;
        }
        (end > at).then_some((moment, end))
    }

    /// `八点`, `八点半`, `8:30`, `差一刻九点`, `二十点十五分`.
    pub(super) fn clock(&self, at: usize, in_part: bool) -> Option<((u32, u32), usize)> {
        let words = &self.words.clock;
        if let Some(used) = self.word(at, &words.short_of) {
            let (minutes, end) = self.minutes(at + used)?;
            let ((hour, 0), end) = self.clock(end, in_part)? else { return None };
            return Some((before(hour, minutes), end));
        }
        let (hour, used) = number::read_whole(self.chars.get(at..)?)?;
        let end = at + used;
        if let Some(colon) = self.word(end, &words.colon) {
            let (minute, digits) = number::read_whole(self.chars.get(end + colon..)?)?;
            return (digits == 2).then_some(((hour, minute), end + colon + digits));
        }
        let mark = self.word(end, &words.hour)?;
        let by_hour = self.chars[end..end + mark].iter().collect::<String>() != words.hour[words.hour.len() - 1];
        let end = end + mark;
        if let Some(used) = self.word(end, &words.half) {
            return Some(((hour, 30), end + used));
        }
        // 八点差五分
        if let Some(used) = self.word(end, &words.short_of)
            && let Some((minutes, end)) = self.minutes(end + used)
        {
            return Some((before(hour, minutes), end));
        }
        let from = self.skip(end, &words.past);
        if let Some((minute, end)) = self.minutes(from) {
            return Some(((hour, minute), end));
        }
        // 八点十五, 八点零五, not 二十点五.
        let zero = self.word(end, &words.zero);
        if let Some((minute, used)) = number::read_whole(self.chars.get(end..)?) {
            let next = end + used;
            if self.unit(next).is_some() || self.word(next, &self.words.count).is_some() {
                return by_hour.then_some(((hour, 0), end));
            }
            return (used > 1 && (minute >= 10 || zero.is_some()) || minute == 10).then_some(((hour, minute), next));
        }
        // 时 by itself is a word of many others.
        (by_hour || in_part).then(|| ((hour, 0), self.skip(end, &words.sharp)))
    }

    /// `一刻`, `五分`.
    pub(super) fn minutes(&self, at: usize) -> Option<(u32, usize)> {
        let words = &self.words.clock;
        let quarter = words.quarters.iter().find_map(|(word, minutes)| Some((*minutes, at + self.is(at, word)?)));
        quarter.or_else(|| {
            let (minute, used) = number::read_whole(self.chars.get(at..)?)?;
            Some((minute, at + used + self.word(at + used, &words.minute)?))
        })
    }
}

/// So many minutes before an hour.
fn before(hour: u32, minutes: u32) -> (u32, u32) {
    match 60u32.checked_sub(minutes) {
        Some(minute @ 1..60) => (if hour == 0 { 23 } else { hour - 1 }, minute),
        // No clock shows it.
        _ => (hour, 99),
    }
}

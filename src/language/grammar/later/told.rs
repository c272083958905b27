//! What is said of the jobs that were just told, without calling them so: `取消吧`, `第二个不要了`, `把电视的改成十一点`, `不对 一小时`.

use super::super::super::number;
use super::super::super::time::{self, Day, Moment, Piece, Repeat, Span, Start, When};
use super::super::super::vocabulary::Vocabulary;
use super::about::without;
use super::ask::{Doing, JobAsk, SpokenOf, Which};

/// One clause.
enum Said {
    /// That something else is meant, or nothing.
    Small,
    Does(Which, Doing),
    Time(When),
    Other(String),
}

/// What a sentence says of jobs that were told before; with the clauses that say nothing of them.
pub fn about_told_jobs(sentence: &str, told: SpokenOf, vocabulary: &Vocabulary) -> Option<(JobAsk, Vec<String>)> {
    let mut reads = Reads { told, vocabulary, mended: false };
    let clauses = sentence.split(|c: char| !c.is_alphanumeric()).filter(|clause| !clause.is_empty());
    let said: Vec<Said> = clauses.map(|clause| reads.clause(clause)).collect();
    let (mut does, mut when, mut others) = (Vec::new(), None, Vec::new());
    for said in said {
        match said {
            Said::Small => {}
            Said::Does(which, doing) => does.push((which, doing)),
            Said::Time(time) => when = Some(time),
            Said::Other(text) => others.push(text),
        }
    }
    // 算了，不关了
    does.dedup();
    let last = Which { last: true, ..Which::default() };
    let ask = match (<[(Which, Doing); 1]>::try_from(does), when) {
        (Ok([(which, doing)]), None) if told.just > 0 || which.is_said() => JobAsk::Of(which, doing),
        (Err(none), Some(when)) if none.is_empty() && reads.mended && told.just == 1 => {
            JobAsk::Of(last, Doing::Change(Box::new(when)))
        }
        _ => return None,
    };
    Some((ask, others))
}

/// Whether a text names a time.
pub fn has_time(text: &str, vocabulary: &Vocabulary) -> bool {
    let chars: Vec<char> = text.chars().collect();
    !time::read(&chars, |_| false, &vocabulary.lexicon.time).is_empty()
}

struct Reads<'v> {
    told: SpokenOf,
    vocabulary: &'v Vocabulary,
    /// Whether it was said that another time is meant.
    mended: bool,
}

impl Reads<'_> {
    fn clause(&mut self, text: &str) -> Said {
        let words = &self.vocabulary.lexicon.time.jobs;
        let chars: Vec<char> = text.chars().collect();
        let mut spans = time::read(&chars, |_| false, &self.vocabulary.lexicon.time);
        spans.retain(|span| span.piece != Piece::Timer);
        let inside = |at: usize| spans.iter().any(|span| (span.start..span.end).contains(&at));
        let body: String = chars.iter().enumerate().filter(|(at, _)| !inside(*at)).map(|(_, c)| *c).collect();
        let (number, body) = self.numbered(&body);
        let bare = |text: &str| self.bare(text);
        let which = |all: bool, about: String, at: Option<When>| {
            let whole = words.whole.contains(&about);
            let about = if whole { String::new() } else { about };
            let last = about.is_empty() && number.is_none() && self.told.just == 1;
            Which { all: all || whole, last, at, number, about }
        };
        let all = words.all.iter().any(|word| body.contains(word.as_str()));
        let rest = if all { without(&body, &words.all) } else { body.clone() };
        // 取消第二个, 七点那个不要了
        if let Some(word) = longest(&words.cancel, &rest) {
            let at = match &spans[..] {
                [] => None,
                [span] => match self.when(span) {
                    Some(when) => Some(when),
                    None => return Said::Other(text.to_owned()),
                },
                _ => return Said::Other(text.to_owned()),
            };
            // 算了取消吧, 还是取消
            let about = self.of_which(bare(&rest.replacen(word, "", 1)));
            return Said::Does(which(all, about, at), Doing::Cancel);
        }
        if let Some(asked) = self.asked(&rest, spans.is_empty()) {
            let (about, doing) = asked;
            return Said::Does(which(all, about, None), doing);
        }
        if let Some(about) = self.dropped(&rest) {
            return match &spans[..] {
                [] => Said::Does(which(all, about, None), Doing::Cancel),
                [span] => match (&span.piece, self.told.repeat) {
                    // 周末不用, of what is done every day.
                    (Piece::At(Moment { day: Some(Day::Weekend(false)), clock: None, .. }, _), Some(repeat))
                        if repeat == Repeat::Week(0b111_1111) || repeat == Repeat::Days(1) =>
                    {
                        let when = When { repeat: Some(Repeat::WORKDAYS), ..When::default() };
                        Said::Does(which(all, about, None), Doing::Change(Box::new(when)))
                    }
                    (Piece::At(moment, None), None) if moment.clock.is_none() => {
                        Said::Does(which(all, about, None), Doing::Cancel)
                    }
                    _ => Said::Other(text.to_owned()),
                },
                _ => Said::Other(text.to_owned()),
            };
        }
        self.timed(text, &body, number, &spans)
    }

    /// `再加半小时`, `第一个改成十一点`, `是明天`
    fn timed(&mut self, text: &str, body: &str, number: Option<usize>, spans: &[Span]) -> Said {
        let words = &self.vocabulary.lexicon.time.jobs;
        let other = || Said::Other(text.to_owned());
        let which = |about: String| {
            let last = about.is_empty() && number.is_none();
            Which { last, number, about, ..Which::default() }
        };
        let mends: Vec<String> = words.mend.iter().chain(&words.change).cloned().collect();
        let mended = mends.iter().any(|word| body.contains(word.as_str()));
        let [span] = spans else {
            // 不 三十分钟
            self.mended |= mended || text == self.vocabulary.lexicon.marks.denies;
            let nothing = spans.is_empty() && number.is_none() && self.bare(&without(body, &mends)).is_empty();
            let nothing = nothing || text == self.vocabulary.lexicon.marks.denies;
            return if nothing { Said::Small } else { other() };
        };
        let by = match span.piece {
            Piece::For(seconds) | Piece::After { seconds, .. } => i64::try_from(seconds).ok(),
            _ => None,
        };
        if let Some(by) = by {
            let shifts = |list: &[String]| {
                let word = longest(list, body)?;
                let rest = without(&body.replacen(word, "", 1), &mends);
                Some(self.bare(&rest)).filter(|rest| rest.is_empty() || number.is_none())
            };
            let shift = match (shifts(&words.later), shifts(&words.earlier)) {
                (Some(about), None) => Some((about, by)),
                (None, Some(about)) => Some((about, -by)),
                _ => None,
            };
            if let Some((about, by)) = shift {
                return Said::Does(which(about), Doing::Shift(by));
            }
        }
        let Some(when) = self.when(span) else { return other() };
        let about = self.bare(&without(body, &mends));
        if about.is_empty() && number.is_none() {
            // 一个小时吧: behind a length of time another one.
            let is = body.contains(self.vocabulary.lexicon.marks.is.as_str());
            let another = matches!(span.piece, Piece::For(_)) && self.told.delayed && body.chars().count() < 2;
            let day = !matches!(&when.start, Some(Start::At(moment)) if moment.clock.is_none());
            self.mended |= mended || is && !day || another;
            return Said::Time(when);
        }
        // 还是 and the like say nothing of which.
        let changes = longest(&words.change, body).is_some_and(|word| word.chars().count() > 1);
        if changes { Said::Does(which(about), Doing::Change(Box::new(when))) } else { other() }
    }

    /// `第二个`: which of the list, and the rest.
    fn numbered(&self, text: &str) -> (Option<usize>, String) {
        let marks = &self.vocabulary.lexicon.marks;
        let Some((before, behind)) = text.split_once(marks.ordinal.as_str()) else { return (None, text.to_owned()) };
        let chars: Vec<char> = behind.chars().collect();
        let Some((read, used)) = number::read(&chars) else { return (None, text.to_owned()) };
        let rest: String = chars[used..].iter().collect();
        let rest = rest.strip_prefix(marks.one.as_str()).unwrap_or(&rest);
        (Some(read.value as usize).filter(|number| *number > 0), format!("{before}{rest}"))
    }

    /// A text without all that says nothing of which.
    fn bare(&self, text: &str) -> String {
        let words = &self.vocabulary.lexicon.time.jobs;
        without(&without(&without(text, &words.last), &words.nouns), &words.small)
    }

    /// What is left of a text says of which, unless it only gives up or mends: `还是` of 还是算了.
    fn of_which(&self, text: String) -> String {
        let words = &self.vocabulary.lexicon.time.jobs;
        let idle = words.drop.iter().chain(&words.mend).any(|word| self.bare(word) == text);
        if idle { String::new() } else { text }
    }

    /// `还有多久关`, `电视几点关来着`: what is asked, and of what.
    fn asked(&self, text: &str, untimed: bool) -> Option<(String, Doing)> {
        let words = &self.vocabulary.lexicon.asked;
        if !untimed {
            return None;
        }
        if let Some(word) = longest(&words.left, text) {
            return Some((self.bare(&text.replacen(word, "", 1)), Doing::Left));
        }
        let word = longest(&words.due, text)?;
        let rest = self.bare(&text.replacen(word, "", 1));
        // 现在几点了 asks for the hour.
        (!rest.is_empty()).then(|| (without(&rest, &self.vocabulary.lexicon.time.jobs.set), Doing::Tell))
    }

    /// `别关了`, `算了电视不关`: of what it is said.
    fn dropped(&self, text: &str) -> Option<String> {
        let words = &self.vocabulary.lexicon.time.jobs;
        let given_up = longest(&words.drop, text).filter(|word| text.len() > word.len() && text.starts_with(*word));
        let texts = [given_up.and_then(|word| text.strip_prefix(word)), Some(text)];
        texts.into_iter().flatten().find_map(|text| {
            let rest = without(text, &words.small);
            let drops = words.drop.iter().map(|word| without(word, &words.small)).filter(|word| !word.is_empty());
            let about =
                drops.filter_map(|word| rest.strip_suffix(word.as_str()).map(str::to_owned)).min_by_key(String::len);
            // 还是算了
            about.map(|about| self.of_which(without(&about, &words.last)))
        })
    }

    /// The time of a span, as it stands for a job.
    fn when(&self, span: &Span) -> Option<When> {
        let at = |moment: &Moment, repeat| When { start: Some(Start::At(moment.clone())), repeat, end: None };
        match &span.piece {
            Piece::After { seconds, .. } => Some(When { start: Some(Start::After(*seconds)), ..When::default() }),
            Piece::For(seconds) if self.told.delayed => {
                Some(When { start: Some(Start::After(*seconds)), ..When::default() })
            }
            Piece::At(moment, repeat) if *moment == Moment::default() => {
                repeat.map(|repeat| When { repeat: Some(repeat), ..When::default() })
            }
            Piece::At(moment, repeat) => Some(at(moment, *repeat)),
            Piece::To(moment) => Some(at(moment, None)),
            _ => None,
        }
    }
}

pub(super) fn longest<'w>(words: &'w [String], text: &str) -> Option<&'w str> {
    let found = words.iter().filter(|word| text.contains(word.as_str()));
    found.max_by_key(|word| word.chars().count()).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::grammar::tests::FAMILY;

    fn ask(sentence: &str, just: usize) -> Option<JobAsk> {
        let told = SpokenOf { just, delayed: true, repeat: None };
        about_told_jobs(sentence, told, &FAMILY).map(|(ask, _)| ask)
    }

    #[test]
    fn jobs_that_were_told_are_taken_back_and_put_off_by_what_is_said_of_them() {
        assert_eq!(
            ask("第二个不要了", 3),
            Some(JobAsk::Of(Which { number: Some(2), ..Which::default() }, Doing::Cancel))
        );
        assert_eq!(
            ask("再加半小时", 1),
            Some(JobAsk::Of(Which { last: true, ..Which::default() }, Doing::Shift(1_800)))
        );
        assert!(
            matches!(ask("取消关电视", 2), Some(JobAsk::Of(Which { about, .. }, Doing::Cancel)) if about == "关电视")
        );
        for sentence in ["算了取消吧", "还是算了，取消吧", "还是取消吧"] {
            let last = Which { last: true, ..Which::default() };
            assert_eq!(ask(sentence, 1), Some(JobAsk::Of(last, Doing::Cancel)), "{sentence}");
        }
        assert!(matches!(ask("不对 一小时", 1), Some(JobAsk::Of(Which { last: true, .. }, Doing::Change(_)))));
    }

    #[test]
    fn what_says_nothing_of_them_is_left_alone() {
        for sentence in ["现在几点了", "空调二十六度", "客厅灯关了"] {
            assert_eq!(ask(sentence, 1), None, "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_said_is_read(sentence in "[第两二十半一个点小时分钟取消改成不要了定时 ,0-9a-z]{0,24}", just in 0usize..4) {
            let _ = ask(&sentence, just);
        }
    }
}

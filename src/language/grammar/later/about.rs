//! What is said of jobs themselves: `还有哪些定时`, `改成八点`, `取消刚才的定时`.

use super::super::super::time::{Piece, Start, When};
use super::super::super::vocabulary::Vocabulary;
use super::ask::{Doing, JobAsk, Which};
use super::timed::Timed;

/// What a sentence says of jobs themselves; `None` when it says something else.
pub(in crate::language::grammar) fn about_jobs(
    written: &str,
    timed: Option<&Timed>,
    vocabulary: &Vocabulary,
) -> Option<JobAsk> {
    let words = &vocabulary.lexicon.time.jobs;
    // 我定了啥
    let asked = without(written, &words.small);
    if timed.is_none() && words.asks.iter().any(|word| without(word, &words.small) == asked) {
        return Some(JobAsk::List);
    }
    let pieces = timed.map_or(&[][..], |timed| &timed.spans);
    let mut text: String = match timed {
        Some(timed) => {
            let kept = timed.spans.iter().filter(|span| span.piece != Piece::Timer);
            let inside = |at: usize| kept.clone().any(|span| (span.start..span.end).contains(&at));
            written.chars().enumerate().filter(|(at, _)| !inside(*at)).map(|(_, c)| c).collect()
        }
        None => written.to_owned(),
    };
    let shifted = |list: &[String]| list.iter().any(|word| text.contains(word.as_str()));
    let shift = match (shifted(&words.later), shifted(&words.earlier)) {
        (true, false) => 1,
        (false, true) => -1,
        _ => 0,
    };
    let mut take = |list: &[String], whole: bool| {
        let found =
            list.iter().filter(|word| text.contains(word.as_str())).max_by_key(|word| word.chars().count()).cloned();
        if let Some(word) = &found
            && whole
        {
            text = text.replacen(word.as_str(), "", 1);
        }
        found.is_some()
    };
    let left = take(&vocabulary.lexicon.asked.left, true);
    let noun = take(&words.nouns, true);
    let cancels = noun && take(&words.cancel, true);
    let changes = !cancels && take(&words.change, true);
    let all = take(&words.all, true);
    let lists = noun && take(&words.list, true);
    let last = take(&words.last, true);
    if !(cancels || changes || lists || left) {
        return None;
    }
    let rest = without(&text, &words.small);
    let when = pieces.iter().find_map(|span| match &span.piece {
        Piece::After { seconds, .. } => Some(When { start: Some(Start::After(*seconds)), ..When::default() }),
        Piece::At(moment, repeat) => Some(When { start: Some(Start::At(moment.clone())), repeat: *repeat, end: None }),
        Piece::To(moment) => Some(When { start: Some(Start::At(moment.clone())), ..When::default() }),
        // 改成二十分钟: so long from now.
        Piece::For(seconds) if changes => Some(When { start: Some(Start::After(*seconds)), ..When::default() }),
        _ => None,
    });
    // 推迟半小时
    let by = pieces.iter().find_map(|span| match span.piece {
        Piece::For(seconds) | Piece::After { seconds, .. } => i64::try_from(seconds).ok(),
        _ => None,
    });
    let of_last = |doing: Doing| JobAsk::Of(Which { last: true, ..Which::default() }, doing);
    if let (Some(by), true, true) = (by, shift != 0 && changes, rest.is_empty()) {
        return Some(of_last(Doing::Shift(shift * by)));
    }
    match when {
        at if cancels => Some(JobAsk::Of(Which { all, last, at, number: None, about: rest }, Doing::Cancel)),
        Some(when) if changes && rest.is_empty() => Some(of_last(Doing::Change(Box::new(when)))),
        None if lists && rest.is_empty() => Some(JobAsk::List),
        None if left && rest.is_empty() => Some(of_last(Doing::Left)),
        _ => None,
    }
}

/// A text without these words, the longest first.
pub(super) fn without(text: &str, words: &[String]) -> String {
    let mut words: Vec<&String> = words.iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    let rest = words.into_iter().fold(text.to_owned(), |text, word| text.replace(word.as_str(), ""));
    rest.trim().to_owned()
}

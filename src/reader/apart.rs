//! What may be left out of a sentence because it only comments. The reader may think so of anything; of what binds, spares, takes
//! back, asks about or tells of what is told, it is not believed.

use super::Trust;
use super::remark::{Remark, acts, closes, names, pauses};
use crate::language::lexicon::{Lexicon, Unit};
use crate::language::segment::Token;
use crate::language::sense::Sense;

/// Parts of a sentence that are left out at most: around a command, and between two.
const PARTS: usize = 3;

/// What is left of a sentence when its comments are taken out; `None` where nothing is left, nothing is to be left out, or
/// something that may not be.
///
/// `trust`: how far the reading is believed.
pub(super) fn apart(tokens: &[Token], told: &[bool], trust: Trust, lexicon: &Lexicon) -> Option<String> {
    let (trusted, full) = (trust >= Trust::Much, trust == Trust::Full);
    let told = &with_subject(tokens, ended(tokens, told));
    let runs = runs(told);
    let left_out = runs.iter().filter(|(_, _, tells)| !tells);
    if runs.len() < 2 || left_out.clone().count() > PARTS + usize::from(full) {
        return None;
    }
    let kept: Vec<&Token> = tokens.iter().zip(told).filter(|(_, tells)| **tells).map(|(token, _)| token).collect();
    let apart = |(start, end, _): &(usize, usize, bool)| {
        let remark = Remark::of(tokens, *start, *end, trusted, lexicon);
        if full { remark.is_not_of_it(&kept) } else { remark.is_apart(&kept) }
    };
    if !left_out.clone().all(apart) {
        return None;
    }
    let mut left = String::new();
    for (start, end, _) in runs.iter().filter(|(_, _, tells)| *tells) {
        if !full && !is_whole(tokens, *start, *end, trusted, lexicon) {
            return None;
        }
        if !left.is_empty() {
            left.push(',');
        }
        tokens[*start..*end].iter().for_each(|token| left.push_str(&token.text));
    }
    (!left.is_empty()).then_some(left)
}

/// What is told without what ends a comment right before it: `车我停|好了|把卷闸门放下来`.
fn ended(tokens: &[Token], told: &[bool]) -> Vec<bool> {
    let mut told = told.to_vec();
    let ends =
        |t: &Token| t.any(|s| matches!(s, Sense::Finished | Sense::Particle | Sense::Sequence)) && !t.is_entity();
    for at in 1..told.len() {
        let over = tokens[at].text.chars().count() > 1 || tokens[at].has(&Sense::Particle);
        if told[at] && !told[at - 1] && !tokens[at - 1].has(&Sense::Punctuation) && ends(&tokens[at]) && over {
            told[at] = false;
        }
    }
    told
}

/// `除湿机|嗡嗡的|把它关了`, `净化器|吵死个人|换成睡眠模式`: the one thing that a comment begins with is told of, where nothing else is named.
fn with_subject(tokens: &[Token], mut told: Vec<bool>) -> Vec<bool> {
    let named: Vec<usize> = (0..tokens.len()).filter(|at| is_thing(&tokens[*at])).collect();
    let [only] = named[..] else { return told };
    let starts = tokens[..only].iter().all(|t| t.any(|s| matches!(s, Sense::Filler | Sense::Here | Sense::Room(_))));
    if starts && told.iter().skip(only).any(|tells| *tells) {
        told[..=only].fill(true);
    }
    told
}

/// Whether a word names a device or a kind of them.
fn is_thing(token: &Token) -> bool {
    token.is_entity() || token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)))
}

/// Where words of the same sort begin and end.
fn runs(told: &[bool]) -> Vec<(usize, usize, bool)> {
    let mut runs: Vec<(usize, usize, bool)> = Vec::new();
    for (at, tells) in told.iter().enumerate() {
        match runs.last_mut() {
            Some((_, end, last)) if last == tells => *end = at + 1,
            _ => runs.push((at, at + 1, *tells)),
        }
    }
    runs
}

/// Whether what is told can stand by itself, where a comment goes before or after it without a pause.
fn is_whole(tokens: &[Token], start: usize, end: usize, trusted: bool, lexicon: &Lexicon) -> bool {
    let part = &tokens[start..end];
    let (first, last) = (&part[0], &part[part.len() - 1]);
    let goes_on = tokens.get(end).is_some_and(|next| !pauses(next)) && !pauses(last);
    let led = start.checked_sub(1).is_some_and(|before| !pauses(&tokens[before])) && !pauses(first);
    // 豆豆|把音乐停了: who did it stands before the verb. 车停好了|把门关上: what is over does not say who.
    let remark = tokens[..start].rsplit(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    let somebody = |t: &Token| lexicon.pronouns.contains(&t.text) || t.has(&Sense::Person);
    let over = remark.last().is_some_and(|t| closes(t) || t.has(&Sense::Of));
    if !trusted && led && !over && (acts(first) || first.has(&Sense::Disposal)) {
        return false;
    }
    // 她把灯串|换成紫色: he or she is told of, unless what is said of them is over.
    let other = |t: &Token| somebody(t) && !t.any(|s| matches!(s, Sense::Speaker | Sense::Filler));
    if led && !over && first.has(&Sense::Disposal) && !first.has(&Sense::Filler) && remark.iter().any(other) {
        return false;
    }
    // 机器人|扫|描雷达: half a word.
    if !trusted && goes_on && acts(last) && last.text.chars().count() == 1 {
        return false;
    }
    // 这把打完就|下播|了兄弟们: a scene is a word like any other.
    if !trusted && (goes_on || led) && part.iter().any(|t| t.any(|s| matches!(s, Sense::Scene(_)))) {
        return false;
    }
    // 豆豆眯着|再关灯 waits for that.
    let waits = |t: &Token| t.any(|s| matches!(s, Sense::Sequence | Sense::Then));
    let before = start.checked_sub(1).map(|before| &tokens[before]).filter(|t| !t.has(&Sense::Punctuation));
    if before.is_some_and(|before| waits(first) || waits(before)) {
        return false;
    }
    // 面要醒|二十分钟，厨房灯打开: how long that takes.
    let time = |t: &Token| t.any(|s| matches!(s, Sense::Unit(Unit::Minute | Unit::Hour | Unit::Second)));
    let number = first.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_)));
    if led && number && part.get(1).is_some_and(time) {
        return false;
    }
    // 太阳正晃着|电视，客厅窗帘合上: what a comment ends in without a pause belongs to it.
    let object = part.iter().take_while(|t| !pauses(t)).all(names) && part.iter().any(pauses);
    if led && object {
        return false;
    }
    // 色温4000的灯|打在木饰面上发灰: the comment speaks of what was named.
    let named_last = names(last) || last.any(|s| matches!(s, Sense::Room(_) | Sense::Of));
    !(goes_on && named_last) || part.iter().any(acts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::tests::words;

    /// What is left of the sentence when the part in brackets is told.
    fn left(marked: &str) -> Option<String> {
        left_if(marked, Trust::Little)
    }

    /// The same, if the reading is believed so far.
    fn left_if(marked: &str, trust: Trust) -> Option<String> {
        let (before, rest) = marked.split_once('[').unwrap();
        let (told, after) = rest.split_once(']').unwrap();
        let tokens = words(&format!("{before}{told}{after}"));
        let (start, end) = (before.chars().count(), before.chars().count() + told.chars().count());
        let mut at = 0;
        let tells = tokens.iter().map(|token| {
            let begin = at;
            at += token.text.chars().count();
            begin >= start && begin < end
        });
        apart(&tokens, &tells.collect::<Vec<_>>(), trust, &Lexicon::built_in().unwrap())
    }

    #[test]
    fn what_is_all_but_certain_may_name_a_day_refuse_or_ask_something_else() {
        for (marked, told) in [
            ("[台灯关掉]睡吧明天还赶集", "台灯关掉"),
            ("[台灯关掉]谁做的韭菜盒子啊", "台灯关掉"),
            ("[台灯关掉]别老冲着我脑门哼", "台灯关掉"),
            ("袜子三天了还是潮的[台灯关掉]", "台灯关掉"),
        ] {
            assert_eq!(left_if(marked, Trust::Much).as_deref(), Some(told), "{marked}");
            assert_eq!(left(marked), None, "{marked}");
        }
    }

    #[test]
    fn however_certain_it_seems_a_time_a_refusal_or_somebody_s_words_bind() {
        for marked in [
            "八点半把[台灯关掉]",
            "哼哼哼哼哼八点[台灯关掉]",
            "[台灯关掉]十点",
            "[台灯关掉]别关台灯",
            "哼那管家说，[台灯关掉]",
            "除夕[晚上八点把台灯关掉]",
        ] {
            assert_eq!(left_if(marked, Trust::Much), None, "{marked}");
            assert_eq!(left_if(marked, Trust::Full), None, "{marked}");
        }
        for marked in ["如果豆豆睡着了，[把灯关掉]", "[台灯关掉]划得来吗", "[台灯关掉]，怎么还亮着"]
        {
            assert_eq!(left_if(marked, Trust::Full), None, "{marked}");
        }
    }

    #[test]
    fn what_knows_more_than_the_words_suggest_is_believed() {
        let marked = "[台灯关掉]就这么着吧";
        assert_eq!((left_if(marked, Trust::Full).as_deref(), left_if(marked, Trust::Much)), (Some("台灯关掉"), None));
    }

    #[test]
    fn a_comment_before_or_after_a_command_is_left_out() {
        assert_eq!(left("[客厅窗帘合上]吧对面能看见").as_deref(), Some("客厅窗帘合上"));
        assert_eq!(left("豆豆饿得直哼哼[空调打开]").as_deref(), Some("空调打开"));
    }

    #[test]
    fn nothing_is_left_of_a_sentence_that_is_told_as_a_whole() {
        assert_eq!(left("[打开空调]"), None);
    }

    #[test]
    fn a_condition_is_no_comment() {
        assert_eq!(left("如果豆豆睡着了，[把灯关掉]"), None);
    }

    #[test]
    fn another_command_is_no_comment() {
        assert_eq!(left("[客厅灯打开]，电视关掉哼哼"), None);
    }

    #[test]
    fn who_does_it_is_no_comment() {
        assert_eq!(left("豆豆在学校[把灯关掉]"), None);
        assert_eq!(left("昨儿豆豆忘了嘛哼[打开空调]"), None);
    }

    #[test]
    fn what_takes_a_command_back_is_no_comment() {
        assert_eq!(left("[打开空调]，不开了哼哼"), None);
        assert_eq!(left("[打开空调]，还是哼哼"), None);
    }

    #[test]
    fn what_stands_before_a_thing_may_say_which() {
        assert_eq!(left("哼哼的[空调打开]"), None);
        assert_eq!(left("哼哼柜[空调打开]"), None);
        assert_eq!(left("哼哼灯五到[空调打开]"), None);
    }

    #[test]
    fn within_a_command_nothing_is_left_out_without_pauses() {
        let tokens = words("空调再哼哼哼哼哼高一度");
        let told: Vec<bool> = tokens.iter().map(|token| !token.is_residue()).collect();
        assert_eq!(apart(&tokens, &told, Trust::Little, &Lexicon::built_in().unwrap()), None);
    }

    #[test]
    fn another_number_is_no_comment() {
        assert_eq!(left("[空调二十二度]，哼哼二十四好了"), None);
    }
}

//! What may be left out of a sentence because it only comments. The reader may think so of anything; of what binds, spares,
//! asks or names what is told, it is not believed.

use crate::language::segment::Token;
use crate::language::sense::{Question, Sense};

/// Parts of a sentence that are left out at most: around a command, and between two.
const PARTS: usize = 3;

/// Characters of the shortest clause that is told from a name without a pause behind it.
const CLAUSE: usize = 5;

/// Numbers above this one are no manner of speaking (一屋子, 俩).
const COUNTED: f64 = 2.0;

/// What is left of a sentence when its comments are taken out; `None` where nothing is left, nothing is to be left out, or
/// something that may not be.
pub(super) fn apart(tokens: &[Token], told: &[bool]) -> Option<String> {
    let runs = runs(told);
    let left_out = runs.iter().filter(|(_, _, tells)| !tells);
    if runs.len() < 2 || left_out.clone().count() > PARTS {
        return None;
    }
    let kept: Vec<&Token> = tokens.iter().zip(told).filter(|(_, tells)| **tells).map(|(token, _)| token).collect();
    if !left_out.clone().all(|(start, end, _)| is_apart(tokens, *start, *end, &kept)) {
        return None;
    }
    let mut left = String::new();
    for (start, end, _) in runs.iter().filter(|(_, _, tells)| *tells) {
        if !is_whole(tokens, *start, *end) {
            return None;
        }
        if !left.is_empty() {
            left.push(',');
        }
        tokens[*start..*end].iter().for_each(|token| left.push_str(&token.text));
    }
    (!left.is_empty()).then_some(left)
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

/// Whether a part of a sentence can stand apart from the rest of it.
fn is_apart(tokens: &[Token], start: usize, end: usize, told: &[&Token]) -> bool {
    let part = &tokens[start..end];
    if (0..part.len()).any(|at| binds(part, at, told)) {
        return false;
    }
    let (acts, names) = (part.iter().any(acts), part.iter().any(names));
    if acts && names {
        return false;
    }
    if is_object(tokens, start, part) {
        return false;
    }
    // 空调二十六度|静音风: a value right behind what is told.
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Value | Sense::Choice(_))) && t.text.chars().count() > 1;
    if start > 0 && !pauses(&tokens[start - 1]) && value(&part[0]) {
        return false;
    }
    let (first, last) = (&part[0], &part[part.len() - 1]);
    let after_pause = start.checked_sub(1).is_none_or(|before| pauses(&tokens[before])) || pauses(first);
    let Some(next) = tokens.get(end).filter(|next| !pauses(next) && !pauses(last)) else {
        // 空调再|给他|高一度: within a command nothing is apart but between two pauses.
        return end == tokens.len() || after_pause;
    };
    // 新|灯, 猫的|空调, 雪茄柜|照明, 筒灯5到|筒灯8: what stands right before a thing may say which, and before a verb, who did it.
    let letters: usize = part.iter().map(|t| t.text.chars().count()).sum();
    let leads = |t: &Token| {
        t.any(|s| matches!(s, Sense::Of | Sense::Conjunction | Sense::Also | Sense::Other | Sense::Person))
            || t.any(|s| matches!(s, Sense::RoomClass(_) | Sense::NoSuchPlace))
            || t.text.chars().count() == 1 && next.has(&Sense::Disposal)
    };
    // 补光|灯, 看护器对讲|音量: what nobody knows before a short word for a thing, or before what is set of it, is a part of its name.
    let compound = last.is_residue() && names_part(next);
    after_pause && letters >= CLAUSE && !names && !leads(last) && !compound && !next.has(&Sense::Of)
}

/// Whether a part is what the verb right before it is about, by a name that nobody knows: 关掉|小怪兽. What a comment says is
/// longer or has words, and one character may go with the verb (取消|掉).
fn is_object(tokens: &[Token], start: usize, part: &[Token]) -> bool {
    let verb = start.checked_sub(1).is_some_and(|before| acts(&tokens[before]) && !pauses(&tokens[before]));
    let part: Vec<&Token> = part.iter().take_while(|token| !pauses(token)).collect();
    let letters: usize = part.iter().map(|token| token.text.chars().count()).sum();
    let of_name = |token: &&Token| token.senses.iter().all(|s| matches!(s, Sense::Choice(_) | Sense::Degree { .. }));
    verb && (2..CLAUSE).contains(&letters) && part.iter().all(of_name) && part.iter().any(|token| token.is_residue())
}

/// Whether what is told can stand by itself, where a comment goes before or after it without a pause.
fn is_whole(tokens: &[Token], start: usize, end: usize) -> bool {
    let part = &tokens[start..end];
    let (first, last) = (&part[0], &part[part.len() - 1]);
    let goes_on = tokens.get(end).is_some_and(|next| !pauses(next)) && !pauses(last);
    let led = start.checked_sub(1).is_some_and(|before| !pauses(&tokens[before])) && !pauses(first);
    // 昨儿忘了|关排烟机, 阿弟|把灯关了: what stands before the verb says who, and whether.
    if led && (acts(first) || first.has(&Sense::Disposal)) {
        return false;
    }
    // 机器人|扫|描雷达: half a word.
    if goes_on && acts(last) && last.text.chars().count() == 1 {
        return false;
    }
    // 这把打完就|下播|了兄弟们: a scene is a word like any other.
    if (goes_on || led) && part.iter().any(|t| t.any(|s| matches!(s, Sense::Scene(_)))) {
        return false;
    }
    // 豆豆眯着|再关灯 waits for that.
    let waits = |t: &Token| t.any(|s| matches!(s, Sense::Sequence | Sense::Then));
    let before = start.checked_sub(1).map(|before| &tokens[before]).filter(|t| !t.has(&Sense::Punctuation));
    if before.is_some_and(|before| waits(first) || waits(before)) {
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

fn pauses(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Punctuation | Sense::Particle))
}

/// Whether a word of a part binds other words, takes back what is told, or is asked.
fn binds(part: &[Token], at: usize, told: &[&Token]) -> bool {
    let (token, next) = (&part[at], part.get(at + 1));
    if token.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Reason)) && !token.has(&Sense::Disposal) {
        return false;
    }
    let first = at == 0 || pauses(&part[at - 1]);
    // 不飞了 and 还是冷 only tell; 不，二十 and 还是二十吧 take back.
    let alone = next.is_none_or(pauses) || token.text.chars().count() > 1;
    if token.has(&Sense::Correction) && first && alone {
        return true;
    }
    // 别开 refuses; 不看了 says why the television goes off, unless it says no to the very deed.
    let same = |deed: &Token| told.iter().any(|t| acts(t) && t.text.chars().any(|c| deed.text.contains(c)));
    let negated = || same(token) || next.is_some_and(|next| acts(next) || names(next));
    let denied = || next.is_some_and(|next| acts(next) && same(next));
    if token.has(&Sense::Negation) && negated() || token.has(&Sense::Not) && denied() {
        return true;
    }
    // 客厅的不要 leaves out.
    if token.has(&Sense::ExceptAfter) && part[..at].iter().any(|t| names(t) || t.any(|s| matches!(s, Sense::Room(_)))) {
        return true;
    }
    token.any(|s| {
        matches!(
            s,
            Sense::If
                | Sense::Unless
                | Sense::Standing
                | Sense::Else
                | Sense::ExceptOpen
                | Sense::ExceptClose
                | Sense::Question(Question::YesNo)
                | Sense::Scene(_)
                | Sense::OtherAssistant
                | Sense::Unit(_)
        ) || matches!(s, Sense::Number(number) if number.value > COUNTED)
    })
}

fn acts(token: &Token) -> bool {
    token.any(Sense::is_deed)
}

/// Whether a word is one that names end in: one character for a kind, or what a thing has.
fn names_part(token: &Token) -> bool {
    let short = token.text.chars().count() == 1 && token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)));
    !token.is_entity() && (short || token.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_))))
}

fn names(token: &Token) -> bool {
    token.is_entity()
        || token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_) | Sense::Property(_) | Sense::Feature(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::tests::words;

    /// What is left of the sentence when the part in brackets is told.
    fn left(marked: &str) -> Option<String> {
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
        apart(&tokens, &tells.collect::<Vec<_>>())
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
        assert_eq!(apart(&tokens, &told), None);
    }

    #[test]
    fn another_number_is_no_comment() {
        assert_eq!(left("[空调二十二度]，哼哼二十四好了"), None);
    }
}

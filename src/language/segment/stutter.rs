//! Stutter: `把把灯关了`, `打打开`, `空调空调`.

use super::Token;
use crate::language::lexicon::Sense;

/// The words without those that were only begun or said twice.
pub fn once(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        // 灯亮亮: what it shall do, as children say it.
        if let Some(last) = kept.last_mut().filter(|last| last.text == token.text && glows(last)) {
            last.text.push_str(&token.text);
            continue;
        }
        while kept.last().is_some_and(|last| begins(last, &token)) {
            kept.pop();
        }
        // 投，投影仪: begun, and after a pause said in full.
        if let [.., begun, pause] = &kept[..]
            && pause.has(&Sense::Punctuation)
            && begun.is_residue()
            && !token.is_residue()
            && token.text.len() > begun.text.len()
            && token.text.starts_with(begun.text.as_str())
        {
            kept.truncate(kept.len() - 2);
        }
        // 降，降一度; 主卧空调，呃，空调关了: said once more after a pause.
        let paused = kept.iter().rev().take_while(|t| !t.is_entity() && t.any(hesitates)).count();
        let before = kept.len() - paused;
        if paused > 0 && is_verb_begun_again(&kept[..before], &token) {
            kept.truncate(before - 1);
        } else if paused > 0 && is_name_again(&kept[..before], &token) {
            kept.truncate(before);
            continue;
        }
        // 降一降: a little, and once.
        if let [.., does, one] = &kept[..]
            && does.text == token.text
            && does.text.chars().count() == 1
            && does.any(Sense::is_action)
            && one.any(|s| matches!(s, Sense::Number(n) if n.value == 1.0))
        {
            kept.pop();
            continue;
        }
        kept.push(token);
    }
    kept
}

fn hesitates(sense: &Sense) -> bool {
    matches!(sense, Sense::Punctuation | Sense::Filler)
}

/// Whether the last of these words, which a pause follows, is a verb of one character, which says nothing by itself, and the same comes
/// again.
fn is_verb_begun_again(words: &[Token], again: &Token) -> bool {
    let verb = |word: &Token| word.text.chars().count() == 1 && word.any(Sense::is_action);
    words.last().is_some_and(|word| verb(word) && word.text == again.text)
}

/// Whether the last of these words, which a pause follows, is a thing of which nothing is told yet, and its name comes again, or the end
/// of it.
fn is_name_again(words: &[Token], again: &Token) -> bool {
    let thing = |t: &Token| t.any(|s| matches!(s, Sense::Devices(_)));
    let Some((word, before)) = words.split_last() else { return false };
    let told = before.last().is_some_and(|t| t.any(Sense::is_action) && !t.is_entity());
    !told
        && thing(word)
        && (thing(again) || again.any(|s| matches!(s, Sense::Kind(_))))
        && word.text.ends_with(&again.text)
}

/// Whether a word of one character says how a thing is as well as that it is on (`亮`).
fn glows(word: &Token) -> bool {
    let how = word.any(|s| matches!(s, Sense::Direction { .. })) && word.any(|s| matches!(s, Sense::State(_)));
    how && word.text.chars().count() == 1 && !word.is_entity()
}

/// Whether a word is the one that follows, or its beginning.
fn begins(word: &Token, next: &Token) -> bool {
    let counts = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Ordinal(_) | Sense::Punctuation));
    if counts(word) || counts(next) || next.is_residue() {
        return false;
    }
    if word.text == next.text {
        return true;
    }
    let Some(first) = next.text.chars().next() else { return false };
    if !word.text.chars().all(|c| c == first) || next.text.chars().count() < 2 {
        return false;
    }
    // 开 开关: a verb and what it is about; 关 关掉: one verb, begun twice; nobody washes washing machines.
    let verbs =
        |t: &Token| -> Vec<Sense> { t.senses.iter().filter(|s| matches!(s, Sense::Verb(_))).cloned().collect() };
    let acts = verbs(word);
    let sets = word.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Step { .. }));
    let switches = word.any(|s| matches!(s, Sense::State(_)));
    match () {
        () if acts.is_empty() => !sets || !next.is_entity(),
        () => acts == verbs(next) || !switches,
    }
}

//! What is begun once more: `把电视，呃，把故事机关了`, `把灯 就那个大灯 关了`.

use super::super::lexicon::{Lexicon, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::{self, is_thing};
use super::recut;
use super::withdrawn::hesitates;

/// The sentence with what is meant alone.
pub(super) fn begun(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    told_which(begun_anew(tokens, &vocabulary.lexicon), vocabulary)
}

/// `把电视，呃，把故事机关了`: without what was begun and not said to the end.
fn begun_anew(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let handles = |t: &Token| t.has(&Sense::Disposal) && !t.has(&Sense::Filler) && !t.is_entity();
    let idle = |t: &&Token| t.has(&Sense::Punctuation) || hesitates(t, lexicon);
    for at in 2..tokens.len().saturating_sub(1) {
        if !handles(&tokens[at]) || !is_thing(&tokens[at + 1]) {
            continue;
        }
        let gap = tokens[..at].iter().rev().take_while(idle).count();
        let Some(thing) = (at - gap).checked_sub(1).filter(|thing| *thing > 0 && is_thing(&tokens[*thing])) else {
            continue;
        };
        // 帮我把 is one word.
        if tokens[thing - 1].text.ends_with(tokens[at].text.as_str()) {
            tokens.drain(thing - 1..at);
            break;
        }
    }
    tokens
}

/// `把灯 就那个大灯 关了`: which one, said behind a pause.
fn told_which(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let small = |t: &&Token| {
        t.any(|s| matches!(s, Sense::Then | Sense::Filler | Sense::Reference | Sense::Is | Sense::Measure))
            && !t.is_entity()
    };
    let of = |t: &Token| recut::devices(t, vocabulary).unwrap_or_default();
    for at in 0..tokens.len().saturating_sub(4) {
        let general = nominal::kind(&tokens[at + 1]).filter(|_| !tokens[at + 1].is_entity());
        let begun = tokens[at].has(&Sense::Disposal) && tokens[at + 2].has(&Sense::Punctuation);
        let Some(kind) = general.filter(|_| begun && !tokens[at].has(&Sense::Filler)) else { continue };
        let which = at + 3 + tokens[at + 3..].iter().take_while(small).count();
        let Some(devices) = tokens.get(which).map(of).filter(|devices| !devices.is_empty()) else { continue };
        let one = nominal::kind(&tokens[which]).is_none() || tokens[which].is_entity();
        let pause = usize::from(tokens.get(which + 1).is_some_and(|t| t.has(&Sense::Punctuation)));
        let acts = tokens.get(which + 1 + pause).is_some_and(|t| t.any(|s| matches!(s, Sense::Verb(_))));
        if one && acts && devices.iter().all(|d| vocabulary.devices[*d].is(kind)) {
            tokens.drain(which + 1..which + 1 + pause);
            tokens.drain(at + 1..which);
            break;
        }
    }
    tokens
}

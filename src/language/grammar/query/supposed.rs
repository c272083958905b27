//! What is said to be so by whoever wants to know whether it is: `空调是二十四度吧`, `客厅的灯都亮着吧`.

use super::super::super::lexicon::{Lexicon, Question, Sense};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, property};

/// The sentence with its tag asking, where what is tagged says how something is: by 是 (`灯带是红色的吧`), by what goes on
/// (`扫地机在扫地吧`, `餐厅吊灯亮着吧`) or by what has come about (`晾衣架放下来了吧`).
pub(in super::super) fn supposed(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut tokens = asked_ahead(with_its_tag(tokens, vocabulary), &vocabulary.lexicon);
    let lexicon = &vocabulary.lexicon;
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let Some(last) = tokens.iter().rposition(|t| !pause(t)) else { return tokens };
    let begin = tokens[..last].iter().rposition(pause).map_or(0, |pause| pause + 1);
    let told = tokens[..begin].iter().any(|t| t.any(Sense::is_action) && !t.is_entity());
    let tag = tokens[last].text == lexicon.marks.tag && !tokens[last].is_entity();
    if tag && !told && supposes(&tokens[begin..last], lexicon) {
        let asks = lexicon.marks.whether.clone();
        tokens[last] = Token { text: asks, heard: None, senses: vec![Sense::Question(Question::YesNo)] };
        equated(&mut tokens, begin, last, lexicon);
    }
    tokens
}

/// `厨房灯阿关了`, `空调可开着`: a small word right before how a thing is asks in the dialects of the lower Yangtze.
fn asked_ahead(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let asks = |t: &Token| t.is_residue() && lexicon.marks.asks_ahead.contains(&t.text);
    let state = |t: &Token| !t.is_entity() && t.any(|s| matches!(s, Sense::Verb(_) | Sense::State(_)));
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Punctuation));
    let at = (1..tokens.len().saturating_sub(1)).find(|at| {
        let rest = &tokens[at + 1..];
        asks(&tokens[*at]) && is_thing(&tokens[at - 1]) && state(&rest[0]) && rest[1..].iter().all(small)
    });
    if let Some(at) = at {
        tokens.remove(at);
        let whether = lexicon.marks.whether.clone();
        let asks = Token { text: whether, heard: None, senses: vec![Sense::Question(Question::YesNo)] };
        tokens.insert(at + 1, asks);
    }
    tokens
}

/// `应该是二十六度`, `五十五度了`: as what it is.
fn equated(tokens: &mut Vec<Token>, begin: usize, last: usize, lexicon: &Lexicon) {
    let text = lexicon.marks.is.clone();
    let is = Token { senses: lexicon.senses(&text).to_vec(), text, heard: None };
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let said = |t: &Token| t.any(|s| matches!(s, Sense::Is | Sense::Correction)) && t.text.ends_with(&is.text);
    if let Some(at) = (begin..last).find(|at| said(&tokens[*at])) {
        tokens[at] = is;
    } else if tokens[last - 1].text == lexicon.marks.changed
        && let Some(at) = (begin..last).find(|at| number(&tokens[*at]))
    {
        tokens.remove(last - 1);
        tokens.insert(at, is);
    }
}

/// `浴霸没开着吧`: the tag by itself where it is said with a state that is denied; without that it is a wish (`灯开着吧`).
fn with_its_tag(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let marks = &vocabulary.lexicon.marks;
    let Some(last) = tokens.iter().rposition(|t| !t.has(&Sense::Punctuation)) else { return tokens };
    let denied = last > 0 && tokens[last - 1].has(&Sense::Not) && !tokens[last - 1].is_entity();
    // 空调不是制热吧
    let begin = tokens[..last].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
    let not_so = |t: &Token| {
        t.has(&Sense::Correction) && t.text.starts_with(&marks.denies) && t.text.ends_with(&marks.is) && !t.is_entity()
    };
    if let Some(at) = (begin + 1..last).find(|at| not_so(&tokens[*at])).filter(|_| tokens[last].text == marks.tag) {
        tokens[at].senses = vec![Sense::Not, Sense::Is];
    }
    let state = tokens[last].text.strip_suffix(&marks.tag).filter(|text| text.ends_with(&marks.going));
    if let Some(state) = state.filter(|_| denied && !tokens[last].is_entity()).map(str::to_owned) {
        let senses: Vec<Sense> = vocabulary.senses(&state).to_vec();
        if senses.iter().any(|s| matches!(s, Sense::State(_))) {
            let tag = Token { text: marks.tag.clone(), heard: None, senses: vec![Sense::Particle] };
            tokens.splice(last..=last, [Token { text: state, heard: None, senses }, tag]);
        }
    }
    tokens
}

/// Whether a clause says how the thing or the property that it begins with is. What is handled (`把灯开着吧`), refused or wished
/// for (`灯就开着吧`, `还是开着吧`) is told.
fn supposes(clause: &[Token], lexicon: &Lexicon) -> bool {
    let wishes = |t: &Token| {
        let told = |s: &Sense| {
            matches!(
                s,
                Sense::Disposal | Sense::Then | Sense::Alternative | Sense::If | Sense::Negation | Sense::Question(_)
            )
        };
        t.any(told) && !t.has(&Sense::Not) && !t.is_entity()
    };
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Of)) && !t.is_entity();
    let Some(thing) = clause.iter().position(|t| is_thing(t) || property(t).is_some()) else { return false };
    let said = clause.iter().rposition(|t| !small(t)).map_or(0, |last| last + 1);
    if said <= thing + 1 || clause.iter().any(|t| wishes(t) || t.is_residue()) {
        return false;
    }
    let rest = &clause[thing + 1..said];
    let of_state = |s: &Sense| {
        matches!(
            s,
            Sense::State(_) | Sense::Verb(_) | Sense::Choice(_) | Sense::Value | Sense::Number(_) | Sense::Fraction(_)
        )
    };
    let state = |t: &Token| t.any(of_state);
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let marks = &lexicon.marks;
    // 应该是二十六度吧
    let is = |t: &Token| {
        let equates = t.has(&Sense::Correction) && t.text.ends_with(&marks.is) && !t.text.starts_with(&marks.denies);
        (t.has(&Sense::Is) || equates) && !t.is_entity()
    };
    // 热水器五十五度了吧: so much it has become.
    let over = clause[said..].iter().any(|t| t.text == marks.changed);
    let measured = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Unit(_) | Sense::Property(_)));
    if over && rest.iter().all(measured) && rest.iter().any(state) {
        return true;
    }
    let equated = rest.iter().position(|t| is(t) && t.text.ends_with(&marks.is));
    if equated.is_some_and(|at| rest[at + 1..].iter().any(state) && !rest[..at].iter().any(acts)) {
        return true;
    }
    let Some((last, before)) = rest.split_last() else { return false };
    let at_it = before.last().is_some_and(|t| is(t) && !t.text.ends_with(&marks.is)) && state(last);
    // 亮着, 在清扫
    let first: String = last.text.chars().take(1).collect();
    let at = first != marks.is && lexicon.senses(&first).contains(&Sense::Is);
    let goes_on = last.any(|s| matches!(s, Sense::State(_))) && (last.text.ends_with(&marks.going) || at);
    let changed = clause[said..].iter().any(|t| t.text.ends_with(&marks.changed));
    let arrived = lexicon.asked.arrived.iter().any(|word| last.text.ends_with(word.as_str()));
    let came_about = acts(last) && changed && (arrived || before.iter().any(|t| t.has(&Sense::Already)));
    at_it || goes_on || came_about
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn a_guess_asks_and_moves_nothing() {
        for sentence in ["空调是在制热吧", "热水器五十五度了吧", "洗衣机没在洗吧", "客厅灯阿关了", "空调可开着"]
        {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert!(orders.iter().all(|order| order.action.moves_nothing()), "{sentence}: {orders:?}");
        }
    }

    #[test]
    fn what_is_told_politely_is_told() {
        for sentence in ["空调开着吧", "客厅灯关了吧"] {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert!(!orders.iter().any(|order| order.action.moves_nothing()), "{sentence}: {orders:?}");
        }
    }
}

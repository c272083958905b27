//! What people do with what is theirs, beside what is told: `关灯，把被子盖好`, `电影开始了，灯带关了`; what several people are
//! shown or asked.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, place, property};

/// The sentence without clauses that are of nothing but what people have, where another one tells something of the home.
pub(in super::super) fn without_belongings(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let told = |clause: &[Token]| {
        clause.iter().any(|t| t.any(Sense::is_action) && !t.is_entity()) && clause.iter().any(of_home)
    };
    let theirs: Vec<bool> = clauses.iter().map(|clause| is_theirs(clause, vocabulary)).collect();
    if !theirs.contains(&true) || !clauses.iter().zip(&theirs).any(|(clause, theirs)| !theirs && told(clause)) {
        return tokens;
    }
    let kept = clauses.into_iter().zip(theirs).filter(|(_, theirs)| !theirs);
    kept.flat_map(|(clause, _)| clause).cloned().collect()
}

fn of_home(token: &Token) -> bool {
    is_thing(token) || place(token).is_some() || property(token).is_some()
}

/// Whether a clause names something that people have and nothing of the home, and binds nothing that is told beside it.
fn is_theirs(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let asides = &vocabulary.lexicon.asides;
    let theirs = |t: &Token| !t.is_entity() && asides.belongings.contains(&t.text);
    let binds = |s: &Sense| {
        matches!(
            s,
            Sense::If
                | Sense::IfClose
                | Sense::Standing
                | Sense::Negation
                | Sense::Not
                | Sense::Correction
                | Sense::Finished
                | Sense::Future
                | Sense::Past
                | Sense::Report
                | Sense::Suppose
                | Sense::Question(_)
                | Sense::Number(_)
        )
    };
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let over = vocabulary.lexicon.marks.over.iter().any(|over| text.contains(over.as_str()));
    clause.iter().any(theirs)
        && !clause.iter().any(|t| of_home(t) || t.any(binds) && !t.is_entity())
        && !over
        && !asides.says_when(&text)
}

/// `把灯打开给你们看看`, `你们那边热不热`: what is for several others or where they are is not said to one assistant.
pub(in super::super) fn is_for_a_crowd(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let crowd = |t: &Token| t.is_residue() && vocabulary.lexicon.asides.crowd.iter().any(|of| t.text.starts_with(of));
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    (0..tokens.len()).filter(|at| crowd(&tokens[*at])).any(|at| {
        let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        // 我给你们包饺子去 is what the speaker does.
        let given = match &tokens[begin..at] {
            [before @ .., to] => to.has(&Sense::Disposal) && !before.last().is_some_and(|t| t.has(&Sense::Speaker)),
            [] => false,
        };
        let shown = given && tokens[begin..at].iter().any(is_thing);
        let word = |t: &Token| t.has(&Sense::RoomSuffix) && t.text.chars().count() > 1;
        shown || tokens.get(at + 1).is_some_and(word)
    })
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn what_people_do_with_their_own_things_is_not_complained_of() {
        for sentence in ["关灯 把被子盖好", "空调关了 眼睛闭上", "电影开始了 把灯关了", "灯打开 手机放下"]
        {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert_eq!(orders.len(), 1, "{sentence}: {orders:?}");
        }
    }

    #[test]
    fn what_others_are_shown_or_asked_is_not_told_us() {
        for sentence in ["把灯打开给你们看看", "空调开的二十六度 你们那边热不热"] {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }

    #[test]
    fn a_thing_that_the_home_could_have_is_missed_aloud() {
        let Parse::Orders(orders) = at_home("关灯 把除湿机打开") else { panic!() };
        assert_eq!(orders.len(), 2, "{orders:?}");
    }
}

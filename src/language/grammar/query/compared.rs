//! Whether a value is so much: `空调是不是二十四度`, `空调开到二十三了吗`, `湿度有没有五十`.

use super::super::super::lexicon::{Comparison, Question, Sense};
use super::super::super::segment::Token;

/// The words of a question with what compares before its one number, where it asks whether that is so. `有` asks for as much at
/// least.
pub(in super::super) fn compared(mut tokens: Vec<Token>) -> Vec<Token> {
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let asks = |t: &Token| t.has(&Sense::Question(Question::YesNo)) && !t.is_entity();
    let mut numbers = (0..tokens.len()).filter(|at| number(&tokens[*at]));
    let (Some(at), None) = (numbers.next(), numbers.next()) else { return tokens };
    // 空调可以开到二十四度吗 asks what it can do.
    let more = |t: &Token| t.any(|s| matches!(s, Sense::Polite | Sense::Punctuation));
    if at == 0
        || tokens.iter().any(more)
        || !tokens.iter().any(asks)
        || tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Compare(_))))
    {
        return tokens;
    }
    let before = &tokens[at - 1];
    let sets = before.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare));
    let is = sets || before.has(&Sense::Is) || asks(before) && !before.has(&Sense::Not);
    if before.is_entity() || !is && !before.has(&Sense::Exists) {
        return tokens;
    }
    let by = if before.has(&Sense::Exists) && !sets { Comparison::AtLeast } else { Comparison::Equal };
    let compares = Token { text: before.text.clone(), heard: None, senses: vec![Sense::Compare(by)] };
    // What asks stays, what sets told nothing.
    let begin = if asks(before) { at } else { at - 1 };
    tokens.splice(begin..at, [compares]);
    tokens
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn who_asks_whether_it_has_come_to_so_much_sets_nothing() {
        for sentence in ["热水器有没有到五十度", "空调到没到二十六度", "空调温度有没有到26"]
        {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert!(orders.iter().all(|order| order.action.moves_nothing()), "{sentence}: {orders:?}");
        }
    }

    #[test]
    fn the_end_of_a_cantonese_question_asks() {
        for sentence in ["客厅灯熄咗未", "空调开紧未", "空调开未", "客厅灯有冇开"] {
            let Parse::Orders(orders) = at_home(sentence) else { panic!("{sentence}") };
            assert!(orders.iter().all(|order| order.action.moves_nothing()), "{sentence}: {orders:?}");
        }
    }
}

//! What a home's document calls in full, and people by a part or in another wording: 泵 for the 水泵, 跟踪 for 恒星跟踪, `自然的那种`
//! for 自然风, `往左扭扭` for 左转. The words become the names of the document where exactly one thing can be meant; else they stay
//! as they were said.

mod amounts;
mod features;
mod made;
mod said;
mod sided;
mod things;
mod turned;
mod values;

use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use crate::home::RoomIndex;

/// The words with what is named by a part as the document names it.
pub(super) fn in_full(tokens: Vec<Token>, vocabulary: &Vocabulary, local: Option<RoomIndex>) -> Vec<Token> {
    let tokens = things::in_a_circuit(things::by_their_heads(tokens, vocabulary), vocabulary);
    let tokens = turned::to_a_side(tokens, vocabulary, local);
    let tokens = sided::done_there(tokens, vocabulary, local);
    let tokens = made::by_its_program(tokens, vocabulary, local);
    let tokens = values::pointed_at(tokens, vocabulary, local);
    let tokens = amounts::set_by_its_name(amounts::of_a_body(tokens, vocabulary, local), vocabulary, local);
    let tokens = features::by_their_cores(tokens, vocabulary, local);
    amounts::asked_of_what_holds_it(tokens, vocabulary)
}

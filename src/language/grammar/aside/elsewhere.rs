//! What others have: `孩子他姑家那个热水器调到六十度`, `人家酒吧的灯都是紫色的`. Nothing here is told to do so.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_somebody, is_thing};

/// Whether a clause is about a thing in a place that is not of this home.
pub fn is_of_others(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let Some(thing) = clause.iter().position(|t| is_thing(t) && !is_somebody(t, vocabulary)) else { return false };
    let lexicon = &vocabulary.lexicon;
    let asides = &lexicon.asides;
    let lead = &clause[..thing];
    // 帮对门把灯开开; 把 leads to the thing.
    let told = |t: &Token| t.has(&Sense::Disposal) && !t.has(&Sense::Measure) && !t.is_entity();
    let here = |word: &str| {
        let called =
            |room: &crate::home::Room| room.name.contains(word) || room.aliases.iter().any(|a| a.contains(word));
        vocabulary.home.rooms.iter().any(called)
    };
    let strange = |t: &Token| t.is_residue() && t.text != lexicon.marks.household;
    let over = |t: &Token| strange(t) || t.text.ends_with(&lexicon.marks.changed);
    // 隔壁敲墙了，音箱小声点 says why: such a place and the thing stand together.
    let mut near = String::new();
    for token in lead.iter().rev() {
        near.insert_str(0, &token.text);
        if over(token) {
            break;
        }
    }
    // 隔壁房间 is of this home.
    let room = |word: &str| {
        let mut behind = near.split(word).skip(1);
        behind.any(|rest| lexicon.marks.rooms_of.iter().any(|room| rest.starts_with(room.as_str())))
    };
    let elsewhere = || asides.elsewhere.iter().any(|word| near.contains(word.as_str()) && !here(word) && !room(word));
    // 咱家那台
    let ours = |whose: &str| {
        let speaks = |s: &Sense| matches!(s, Sense::Speaker | Sense::Filler);
        lexicon.marks.speaker.contains(whose) || lexicon.senses(whose).iter().any(speaks)
    };
    // 他姑家, 表姐家
    let household = |at: usize| {
        let t = &lead[at];
        // 米家空气净化器 is a brand.
        let links =
            |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::RoomSuffix | Sense::Measure));
        let linked = lead.get(at + 1).is_some_and(links);
        let whose = t.text.strip_suffix(lexicon.marks.household.as_str()).filter(|_| t.is_residue());
        let before = at.checked_sub(1).map(|before| &lead[before]);
        match whose {
            // 李姐家马桶
            Some("") => before.is_some_and(|t| t.has(&Sense::Person) && !t.is_entity() && !here(&t.text)),
            Some(whose) => linked && !ours(whose) && !here(whose),
            None => false,
        }
    };
    !lead.iter().any(told) && (elsewhere() || (0..lead.len()).any(household))
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn what_others_have_is_told_nothing() {
        for sentence in ["人家楼上的空调开到二十五度", "他姑家那个热水器调到六十度 把娃烫了", "李姐家空调二十度"]
        {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
        }
    }
}

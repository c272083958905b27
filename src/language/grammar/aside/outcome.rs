//! What came of something that was so: `电热毯三档烫得慌`, `洗衣机羊毛洗缩水了`; and who or what it is so with: `空调开到二十二度的人`.

use super::super::super::lexicon::Sense;
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_somebody, is_thing, property};
use super::Clause;
use super::elsewhere::is_of_others;

/// The sentence with the thing alone where what came of something is told of it. `None` where nothing else is told.
pub(in super::super) fn without_outcome(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Option<Vec<Token>> {
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let bare = |clause: &[Token]| clause.iter().take_while(|t| !t.has(&Sense::Punctuation)).count();
    let told: Vec<bool> = clauses.iter().map(|clause| is_told(&clause[..bare(clause)], vocabulary)).collect();
    let others: Vec<bool> = clauses.iter().map(|clause| is_of_others(&clause[..bare(clause)], vocabulary)).collect();
    if !told.contains(&true) && !others.contains(&true) {
        return Some(tokens);
    }
    let mut left = Vec::with_capacity(tokens.len());
    let mut theirs = false;
    for (at, clause) in clauses.iter().copied().enumerate() {
        // 隔壁开着音箱，声音开到最大: that is theirs as well.
        theirs = others[at] || theirs && !clause.iter().any(is_thing);
        if others[at] && clause.iter().any(|t| t.has(&Sense::Report)) {
            return None;
        }
        // 隔壁把空调关了，咱家的也关了
        let also = |clause: &&[Token]| clause.iter().any(|t| t.has(&Sense::Also) && !t.is_entity());
        if theirs && !clauses.get(at + 1).is_some_and(also) {
            continue;
        }
        let thing = clause.iter().position(is_thing).filter(|_| told[at] || theirs);
        left.extend_from_slice(thing.map_or(clause, |thing| &clause[..=thing]));
        left.extend(thing.and(clause.last()).filter(|t| t.has(&Sense::Punctuation)).cloned());
    }
    let acts = |t: &Token| t.any(|s| s.is_action() || matches!(s, Sense::Number(_))) && !t.is_entity();
    left.iter().any(acts).then_some(left)
}

/// Whether a clause tells of a thing what came of a value, in one breath, or describes something by it.
fn is_told(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let own = |t: &Token, test: fn(&Sense) -> bool| t.any(test) && !t.is_entity();
    // 打开 and 小 are values as well, and do something.
    let does = |t: &Token| own(t, |s| s.is_action() || matches!(s, Sense::State(_) | Sense::Degree { .. }));
    let value = |t: &Token| {
        own(t, |s| matches!(s, Sense::Number(_) | Sense::Value | Sense::Choice(_) | Sense::Extreme(_))) && !does(t)
    };
    let told_of = is_so(clause, vocabulary);
    let Some(thing) = clause.iter().position(is_thing) else { return false };
    let Some(first) = clause[thing + 1..].iter().position(value).map(|at| thing + 1 + at) else { return told_of };
    let part = |t: &Token| value(t) || property(t).is_some() || own(t, |s| matches!(s, Sense::Unit(_)));
    let end = first + clause[first..].iter().take_while(|t| part(t)).count();
    let (lead, tail) = (&clause[thing + 1..first], &clause[end..]);
    let told = |s: &Sense| {
        matches!(
            s,
            Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Disposal | Sense::Grant
        )
    };
    let sets = clause[..thing].iter().chain(lead).any(|t| !t.is_entity() && t.any(told));
    let sets_or = |s: &Sense| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Negation);
    let switched = |t: &Token| t.any(|s| lexicon.switches(s).is_some() || sets_or(s)) && !t.is_entity();
    let strange = tail.iter().any(Token::is_residue) && !tail.iter().any(switched);
    let changed = |t: &Token| t.text.ends_with(&lexicon.marks.changed) && !own(t, |s| matches!(s, Sense::Verb(_)));
    let over = tail.iter().any(changed);
    let so = tail.windows(2).any(|pair| lexicon.marks.results.contains(&pair[0].text) && pair[1].is_residue());
    // 五档跟飞机似的, 三档有点冷
    let counted = own(&clause[first], |s| matches!(s, Sense::Number(_)));
    let like =
        counted && tail.last().is_some_and(|t| lexicon.marks.likens.iter().any(|like| t.text.ends_with(like.as_str())));
    let degree = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. }));
    let judged = tail.len() > 1 && lexicon.asides.judges.contains(&tail[0].text) && degree(&tail[1]);
    let came = !sets && (strange && (over || so || like) || judged);
    // 空调开到最低的是你吧
    let described = tail.first().is_some_and(|t| t.has(&Sense::Of))
        && tail.get(1).is_some_and(|t| {
            is_somebody(t, vocabulary)
                || own(t, |s| matches!(s, Sense::Person | Sense::Is | Sense::Here | Sense::AnyRoom))
        });
    // 灯带全是紫色的; 是紫色的吧 asks.
    let is = lead.last().is_some_and(|t| own(t, |s| matches!(s, Sense::Is)));
    let equated = is && matches!(tail, [of] if of.has(&Sense::Of));
    came || sets && described || equated || told_of
}

/// `空调开着呢二十六度`: how it is, as it is told to somebody.
fn is_so(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let marks = &vocabulary.lexicon.marks;
    let state = |t: &Token| t.any(|s| matches!(s, Sense::State(_))) && t.text.ends_with(&marks.going) && !t.is_entity();
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let so = |w: &[Token]| state(&w[0]) && marks.busy.contains(&w[1].text) && number(&w[2]);
    clause.windows(3).any(so)
}

/// Characters of whom a remark behind an order is about.
const SUBJECT: usize = 4;

impl Clause<'_> {
    /// `油汀降到二十度冯爹爹又骂人`: what stands behind a number says of somebody or something what it does all the same. What has come to be
    /// so (`娃都睡了`) says why.
    pub(super) fn does_so_all_the_same(&self, behind: &str, vocabulary: &Vocabulary) -> bool {
        let amount = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_))) && !t.is_entity();
        let led = |word: &&String| behind.find(word.as_str()).is_some_and(|at| behind[..at].chars().count() <= SUBJECT);
        let before = self.text.len() - behind.len();
        let told = &self.tokens[..self.word_at(before)];
        // 地暖升两度脚底还是冰的 says why.
        let steps =
            |t: &Token| t.any(|s| matches!(s, Sense::Step { .. } | Sense::Direction { .. } | Sense::Degree { .. }));
        let set = told.iter().any(amount) && !told.iter().any(|t| steps(t) && !t.is_entity());
        set && !behind.ends_with(vocabulary.lexicon.marks.changed.as_str())
            && vocabulary.lexicon.asides.nonetheless.iter().any(|word| led(&word))
    }
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::Parse;
    use crate::language::grammar::tests::at_home;

    #[test]
    fn what_came_of_a_value_and_who_likes_it_tell_nothing() {
        for sentence in ["热水器四十五度烫着娃了", "空调开到十八度的人都不怕冷", "空调调到最低的是你吧"]
        {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
        }
    }

    #[test]
    fn what_somebody_does_all_the_same_and_what_was_so_back_then_tell_nothing() {
        for sentence in [
            "空调开到二十度婆婆又骂人",
            "空调打到二十度他都嫌热",
            "空调调到三十度那会儿我还在上学",
            "空调二十度大姐还是说热",
        ] {
            assert!(!matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
        }
    }

    #[test]
    fn a_value_with_a_reason_is_told() {
        for sentence in
            ["空调调到二十六度 太冷了", "空调二十六度", "空调升两度脚底还是冰的", "空调调到二十六度娃都睡了"]
        {
            assert!(matches!(at_home(sentence), Parse::Orders(_)), "{sentence}");
        }
    }
}

//! One clause that tells something by itself, among others that are nothing to the home:
//! `喂二姐啊，我刚进屋，你等会儿，空调打到二十三，你接着说`.

use super::{Likeliest, Ranked, falls_short, is_markup};
use crate::dialogue::{Meant, Nothing};
use crate::interpret::grammatical::parsed;
use crate::interpret::{By, Interpretation, Utterance};
use crate::language::grammar::{self, Rejection};
use crate::language::lexicon::Lexicon;
use crate::language::order::{Order, Target};
use crate::language::segment::Token;
use crate::language::sense::{Question, Sense};
use crate::resolve::resolve;

/// Clauses of a sentence; more are a story.
const CLAUSES: usize = 12;

/// Clauses of a sentence that names nothing of the home.
const FEW: usize = 3;

impl Ranked {
    /// What the one clause tells that names a thing of the home, or the one of a few that name none, where no other binds it or takes it
    /// back.
    pub(super) fn alone(&self, utterance: Utterance<'_>, first: &Interpretation) -> Option<Interpretation> {
        let world = &utterance.home.world;
        let short = falls_short(&first.meant, &utterance.context);
        let open = matches!(first.meant, Meant::Nothing(_)) || first.is_in_part() || short;
        if !open || is_markup(utterance.sentence) {
            return None;
        }
        let words = grammar::words_to_anybody(utterance.sentence, &world.vocabulary, utterance.speaker)?;
        let clauses: Vec<Clause> = words
            .split(|t| t.has(&Sense::Punctuation))
            .filter(|words| !words.is_empty())
            .map(|words| Clause { words, lexicon: world.lexicon() })
            .collect();
        if !(2..=CLAUSES).contains(&clauses.len()) {
            return None;
        }
        let ours: Vec<usize> = (0..clauses.len()).filter(|at| clauses[*at].names_ours()).collect();
        let told = match ours[..] {
            [at] => self.among(&clauses, at, utterance, first),
            [] if clauses.len() <= FEW => {
                let mut told = (0..clauses.len()).filter_map(|at| self.among(&clauses, at, utterance, first));
                told.next().filter(|_| told.next().is_none())
            }
            _ => None,
        };
        // 灯串打开，喷泉也打开: what moves is known, and that there is no fountain is told as well.
        let moved = |meant: &Meant| match meant {
            Meant::Orders { orders, .. } => resolve(orders, &utterance.context).instructs,
            _ => Vec::new(),
        };
        told.filter(|told| !short || moved(&told.meant) != moved(&first.meant))
    }

    /// What a clause tells, where none of the others binds it or takes it back.
    fn among(
        &self,
        clauses: &[Clause],
        at: usize,
        utterance: Utterance<'_>,
        first: &Interpretation,
    ) -> Option<Interpretation> {
        let (before, after) = (&clauses[..at], &clauses[at + 1..]);
        let called = matches!(first.meant, Meant::Nothing(Nothing::Rejected(Rejection::OtherAddressee)));
        let (clause, beside) = (&clauses[at], || before.iter().chain(after));
        let led = before.iter().any(Clause::conditions)
            || before.last().is_some_and(|clause| clause.quotes() || clause.refuses() || clause.is_past())
            || called && !before.iter().skip(1).any(Clause::is_strange);
        if led || after.iter().any(Clause::takes_back) || after.first().is_some_and(Clause::binds_what_was_told) {
            return None;
        }
        // 空调都关了，除了表姐屋的: what is left out is part of it.
        if beside().any(|other| other.has(|s| *s == Sense::ExceptOpen)) {
            return None;
        }
        // 隔壁又开着音箱，声音开到最大
        let vocabulary = &utterance.home.world.vocabulary;
        if beside().any(|other| grammar::is_of_others(other.words, vocabulary)) {
            return None;
        }
        // 他半夜起来，把灯关了: who does it may stand before the pause.
        if clause.begins_with_what_is_done()
            && before.last().is_some_and(|other| !other.is_finished() || other.supposes())
        {
            return None;
        }
        // 开会别玩手机，灯光晃眼: whoever does not say what to do may tell it to anybody.
        if !clause.acts() && beside().any(|other| other.has(|s| s.is_action() || *s == Sense::Negation)) {
            return None;
        }
        // 奶奶说她那个还要看，重新打开吧: which one, another clause may say.
        let another = |other: &Clause| other.names_somebody() || other.words.iter().any(grammar::names_a_thing);
        let which = !clause.names_ours() && beside().any(another);
        // 再把灯关了
        if !before.is_empty() && clause.waits() {
            return None;
        }
        self.told_by(clause, utterance).filter(|told| !(which && points(&told.meant)))
    }

    /// What a clause tells by itself of what it names.
    fn told_by(&self, clause: &Clause, utterance: Utterance<'_>) -> Option<Interpretation> {
        if clause.is_told_by_somebody() || clause.conditions() {
            return None;
        }
        let text = clause.text();
        let utterance = Utterance { sentence: &text, ..utterance };
        let first = parsed(utterance);
        let Meant::Orders { orders, chosen: None, confirmed: false } = &first.meant else {
            return self.told(utterance, &first, &Likeliest::new());
        };
        let does = |o: &Order| o.when.is_none() && !o.action.moves_nothing() && o.target != Target::Anything;
        if !orders.iter().all(does) {
            return self.told(utterance, &first, &Likeliest::new());
        }
        let outcome = resolve(orders, &utterance.context);
        let whole = !outcome.instructs.is_empty() && outcome.undone.is_empty() && outcome.pending.is_none();
        whole.then(|| Interpretation::again(By::Ranked, first.meant, None))
    }
}

/// Whether orders are about something that they do not name.
fn points(meant: &Meant) -> bool {
    let points = |order: &Order| matches!(order.target, Target::Reference(_));
    matches!(meant, Meant::Orders { orders, .. } if orders.iter().any(points))
}

/// Words between two pauses.
struct Clause<'a> {
    words: &'a [Token],
    lexicon: &'a Lexicon,
}

impl Clause<'_> {
    fn text(&self) -> String {
        self.words.iter().map(|t| t.text.as_str()).collect()
    }

    fn letters(&self, counts: impl Fn(&Token) -> bool) -> usize {
        self.words.iter().filter(|t| counts(t)).map(|t| t.text.chars().count()).sum()
    }

    fn has(&self, sense: impl Fn(&Sense) -> bool) -> bool {
        self.words.iter().any(|t| !t.is_entity() && t.any(&sense))
    }

    fn is_strange(&self) -> bool {
        self.words.iter().any(Token::is_residue)
    }

    /// Whether it names a thing of the home, or says that one stays as it is. One character among words that nobody knows names none.
    fn names_ours(&self) -> bool {
        let strange = self.letters(Token::is_residue) * 3 >= self.letters(|_| true);
        let thing = |t: &Token| {
            let named = t.is_entity() || t.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)));
            named && (t.text.chars().count() > 1 || !strange)
        };
        let kept = |t: &Token| self.lexicon.kept.contains(&t.text);
        let value = |s: &Sense| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Choice(_) | Sense::Value);
        let all = |s: &Sense| matches!(s, Sense::Scene(_) | Sense::Everything);
        self.words.iter().any(|t| thing(t) || kept(t) || t.any(all)) || self.has(value) && !self.is_strange()
    }

    /// Whether it says what is done before any thing that it is done to, or 把 leads to that.
    fn begins_with_what_is_done(&self) -> bool {
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle)) && !t.has(&Sense::Disposal);
        let leads = |t: &Token| t.has(&Sense::Disposal) || !t.is_entity() && t.any(Sense::is_action);
        self.words.iter().find(|t| !small(t)).is_some_and(leads)
    }

    /// Whether nobody is told of in it, and it is over: its last word ends a statement, or all of it is small talk.
    fn is_finished(&self) -> bool {
        let ends = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Finished | Sense::Reason));
        !self.names_somebody() && (!self.is_strange() || self.words.last().is_some_and(ends))
    }

    fn names_somebody(&self) -> bool {
        let pronoun = |t: &Token| self.lexicon.pronouns.contains(&t.text) && !t.has(&Sense::Speaker);
        self.words.iter().any(|t| !t.is_entity() && (t.has(&Sense::Person) || pronoun(t)))
    }

    /// Whether it goes on from what came before (`再把灯关了`).
    fn waits(&self) -> bool {
        self.words.first().is_some_and(|t| !t.is_entity() && t.any(|s| matches!(s, Sense::Sequence | Sense::Then)))
    }

    /// Whether it says who said or did so.
    fn is_told_by_somebody(&self) -> bool {
        self.words.iter().any(|t| self.lexicon.quotes.contains(&t.text))
    }

    /// Whether something is done or set in it. What only is so (`灯光晃眼`) may be told to anybody.
    fn acts(&self) -> bool {
        let acts = |s: &Sense| s.is_action() || matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Disposal);
        self.words.iter().any(|t| !t.has(&Sense::Reason) && t.any(acts))
    }

    /// Whether it says what has to be so first.
    fn conditions(&self) -> bool {
        self.lexicon.asides.says_when(&self.text()) && (self.is_strange() || self.names_somebody())
            || grammar::has_to_come(self.words, self.lexicon)
            || self.has(|s| matches!(s, Sense::If | Sense::Unless))
    }

    fn supposes(&self) -> bool {
        self.has(|s| matches!(s, Sense::Suppose | Sense::Report))
    }

    /// Whether it says whose words follow.
    fn quotes(&self) -> bool {
        let last = self.words.iter().rfind(|t| !t.any(|s| matches!(s, Sense::Particle | Sense::Of)));
        // 你没听见 gives no words.
        let not = || self.words.iter().any(|t| t.has(&Sense::Not) && !t.is_entity());
        // 谁喊你，把窗帘拉开的
        let who = self.has(|s| matches!(s, Sense::Question(Question::Who))) && self.has(|s| *s == Sense::Disposal);
        who || last.is_some_and(|t| self.lexicon.quotes.contains(&t.text) || t.has(&Sense::Report) && !not())
            || grammar::is_tale(&self.text(), self.lexicon)
    }

    /// Whether it only refuses what is named next (`别 空调开着`).
    fn refuses(&self) -> bool {
        let small = |s: &Sense| s.is_action() || matches!(s, Sense::Negation | Sense::Filler | Sense::Particle);
        self.has(|s| *s == Sense::Negation) && self.words.iter().all(|t| t.any(small))
    }

    /// Whether it tells what was: what stands right behind it may have been so as well.
    fn is_past(&self) -> bool {
        self.has(|s| *s == Sense::Past)
    }

    /// Whether it takes back what was told before it, or tells more of it.
    fn takes_back(&self) -> bool {
        let acts = self.has(|s| s.is_action() || *s == Sense::Negation);
        let ours = self.names_somebody() || self.words.iter().any(grammar::names_a_thing);
        let told = acts && (!self.is_strange() || ours);
        let attributed = self.words.iter().any(|t| self.lexicon.attributed.contains(&t.text));
        grammar::withdraws(self.words, self.lexicon) || told || attributed
    }

    /// Whether it says when what was told right before it holds, or asks whether it may.
    fn binds_what_was_told(&self) -> bool {
        let small =
            |s: &Sense| matches!(s, Sense::Question(_) | Sense::Particle | Sense::Filler | Sense::Not | Sense::Polite);
        let asks = self.has(|s| matches!(s, Sense::Question(_))) && self.words.iter().all(|t| t.any(small));
        let first = self.words.first();
        first.is_some_and(|t| !t.is_entity() && t.any(|s| matches!(s, Sense::If | Sense::Unless | Sense::Else))) || asks
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::language::grammar::SpeakerContext;
    use crate::language::vocabulary::Vocabulary;

    fn is(sentence: &str, so: impl Fn(&Clause) -> bool) -> bool {
        let document = include_str!("../../../tests/homes/family.json");
        let (home, _) = crate::home::parse(&serde_json::from_str(document).unwrap()).unwrap();
        let vocabulary = Vocabulary::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home));
        let words = grammar::words(sentence, &vocabulary, &SpeakerContext::default()).unwrap();
        so(&Clause { words: &words, lexicon: &vocabulary.lexicon })
    }

    #[test]
    fn a_clause_is_ours_where_it_names_a_thing_a_value_or_what_stays() {
        for sentence in ["小米电视静音", "音量四十", "空调留着"] {
            assert!(is(sentence, |clause| clause.names_ours()), "{sentence}");
        }
        for sentence in ["快递放门口就行", "路上堵不堵", "豆瓣酱在哪个柜子里"] {
            assert!(!is(sentence, |clause| clause.names_ours()), "{sentence}");
        }
    }

    #[test]
    fn what_corrects_gives_up_or_tells_more_takes_back() {
        for sentence in ["不对", "算了", "别关", "是顶上那台", "再打开"] {
            assert!(is(sentence, |clause| clause.takes_back()), "{sentence}");
        }
        for sentence in ["行您接着讲", "把书翻到三十页", "路上堵不堵"] {
            assert!(!is(sentence, |clause| clause.takes_back()), "{sentence}");
        }
    }

    #[test]
    fn what_has_to_be_so_first_is_a_condition_and_a_pause_is_none() {
        assert!(is("等豆豆睡着", |clause| clause.conditions()) && is("要是下雨", |clause| clause.conditions()));
        assert!(!is("等一下", |clause| clause.conditions()));
    }
}

//! One thing that is told amid talk: `豆角先焯水，藕莫切太小了，油烟机开到三档，蒜苗香得很`. It says by itself what is done to what, and
//! what stands around it is about nothing of this home.

use super::super::action::Action;
use super::super::lexicon::Lexicon;
use super::super::order::Order;
use super::super::segment::Token;
use super::super::sense::{Question, Sense};
use super::super::vocabulary::Vocabulary;
use super::nominal::{is_somebody, is_thing, kind, place};
use super::{Parse, SpeakerContext, act, apart, guard, order, parse_noted};

/// Clauses of a sentence; more are a story.
const CLAUSES: usize = 8;

/// What one clause tells, where all others only talk of something else.
pub(super) fn told_amid_talk(words: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Parse> {
    let clauses: Vec<&[Token]> = words.split(|t| t.has(&Sense::Punctuation)).filter(|c| !c.is_empty()).collect();
    if !(2..=CLAUSES).contains(&clauses.len()) {
        return None;
    }
    let mut ours = (0..clauses.len()).filter(|at| !is_of_something_else(clauses[*at], vocabulary));
    let at = ours.next().filter(|_| ours.next().is_none())?;
    let waits = at > 0 && clauses[at].first().is_some_and(|t| t.any(|s| matches!(s, Sense::Sequence | Sense::Then)));
    let others = || clauses.iter().enumerate().filter(|(other, _)| *other != at);
    let strange = others().any(|(_, clause)| clause.iter().any(Token::is_residue));
    let apart = others().all(|(other, clause)| {
        (other < at || !takes_back(clause, vocabulary))
            && (other.abs_diff(at) > 1 || !is_story(clause, other < at, vocabulary))
    });
    if waits || !strange || !apart {
        return None;
    }
    orders(clauses[at], vocabulary, speaker).map(Parse::Orders)
}

/// What a clause tells by itself, of a thing that it names.
fn orders(clause: &[Token], vocabulary: &Vocabulary, speaker: &SpeakerContext) -> Option<Vec<Order>> {
    let thing = |t: &Token| t.is_entity() || kind(t).is_some() && !is_somebody(t, vocabulary);
    // 灯光晃眼 is what may be done about it, and is told of as well.
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity() && !t.has(&Sense::Reason);
    if !clause.iter().any(thing) || !clause.iter().any(acts) || guard::is_own_action(clause, &vocabulary.lexicon) {
        return None;
    }
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let Parse::Orders(orders) = parse_noted(&text, vocabulary, speaker, &mut |_, _| {}) else { return None };
    let does = |o: &Order| {
        o.when.is_none()
            && !o.action.moves_nothing()
            && !matches!(o.action, Action::Unclear(_))
            && order::names_thing(o)
    };
    orders.iter().all(does).then_some(orders)
}

/// Whether a clause is about nothing of this home, and binds nothing.
pub fn is_of_something_else(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let ours = |t: &Token| {
        let thing = is_thing(t) && !is_somebody(t, vocabulary);
        thing || place(t).is_some() || t.any(|s| matches!(s, Sense::Scene(_) | Sense::Everything))
    };
    let binds = |s: &Sense| apart::conditions(s) || matches!(s, Sense::ExceptAfter | Sense::Suppose);
    // 关了吧, 别关: of what was told.
    let switches = |s: &Sense| lexicon.switches(s).is_some();
    let held = |t: &Token| t.has(&Sense::Negation) && lexicon.held(&t.text).is_some();
    let switched = |t: &Token| !t.is_entity() && (t.any(switches) || held(t));
    !lexicon.asides.says_when(&text) && !clause.iter().any(|t| ours(t) || switched(t) || t.any(binds) && !t.is_entity())
}

/// Whether a clause may take back what was told before it.
fn takes_back(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    // 里头那加热丝也给我使上: more is told, and of what is not understood.
    let acts = |t: &Token| t.any(Sense::is_action) || t.has(&Sense::Disposal);
    withdraws(clause, &vocabulary.lexicon) || clause.iter().any(|t| acts(t) && !t.is_entity())
}

/// Whether a clause corrects what was told before it, gives it up, or says that it was none.
pub fn withdraws(clause: &[Token], lexicon: &Lexicon) -> bool {
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let said = lexicon.asides.taken_back.iter().any(|word| text.contains(word.as_str()));
    let begins = lexicon.asides.gives_up.iter().any(|word| text.starts_with(word.as_str()));
    let turns = |t: &Token| t.has(&Sense::Correction) || t.has(&Sense::Is);
    let first = clause.iter().find(|t| turns(t) || !lexicon.marks.hesitates.contains(&t.text));
    said || begins || first.is_some_and(turns) || lexicon.answers.no.contains(&text)
}

/// Whether a text is about a work, or about what is written, sung or tried in vain.
pub fn is_tale(text: &str, lexicon: &Lexicon) -> bool {
    let asides = &lexicon.asides;
    let tells = [&asides.quoted, &asides.sung, &asides.told_of, &lexicon.topics];
    tells.iter().any(|words| words.iter().any(|word| text.contains(word.as_str())))
}

/// Whether a clause makes somebody's words, a song or a time to come of what stands beside it.
pub fn is_story(clause: &[Token], before: bool, vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let feels = |t: &Token| before && lexicon.marks.feels.contains(&t.text);
    let says =
        |t: &Token| lexicon.quotes.contains(&t.text) || t.has(&Sense::Report) && !feels(t) || t.has(&Sense::Future);
    let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(q) if *q != Question::YesNo));
    is_tale(&text, lexicon)
        || clause.iter().any(|t| !t.is_entity() && (says(t) || !before && asks(t) && act::tells(clause)))
}

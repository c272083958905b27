//! When something is going to happen: `电视几点关`, `还有多久关灯`.

use super::super::super::lexicon::Sense;
use super::super::super::segment::{self, Token};
use super::super::super::vocabulary::Vocabulary;
use super::super::{feature, nominal};
use super::JobAsk;
use super::told::longest;

/// What is asked of jobs of a thing by when it is switched, drawn or locked; `None` where a sentence asks no such thing, or says
/// more.
pub(in super::super) fn when_due(written: &str, vocabulary: &Vocabulary) -> Option<JobAsk> {
    let words = &vocabulary.lexicon.asked;
    let left = longest(&words.left, written);
    let (before, after) = written.split_once(left.or_else(|| longest(&words.due, written))?)?;
    let [before, after] = [before, after].map(|text| segment::plain(text, vocabulary));
    let tokens: Vec<&Token> = before.iter().chain(&after).collect();
    let small = |t: &Token| {
        let idle = |s: &Sense| {
            matches!(
                s,
                Sense::Filler
                    | Sense::Particle
                    | Sense::Of
                    | Sense::Future
                    | Sense::AskFor
                    | Sense::Is
                    | Sense::Disposal
            )
        };
        t.any(idle) || nominal::place(t).is_some()
    };
    let verb = |t: &Token| {
        let turns = |s: &Sense| matches!(s, Sense::Verb(v) if vocabulary.lexicon.verbs[*v].opposite.is_some());
        t.any(turns) && !t.is_entity()
    };
    let (mut things, mut verbs) = (Vec::new(), 0);
    for token in tokens {
        match token {
            t if nominal::is_thing(t) => things.push(t.clone()),
            t if verb(t) => verbs += 1,
            t if small(t) => {}
            _ => return None,
        }
    }
    let [thing] = &things[..] else { return None };
    let (nominal, _) = nominal::read(std::slice::from_ref(thing), 0, vocabulary)?;
    let devices = feature::meant(&nominal, vocabulary).filter(|devices| verbs == 1 && !devices.is_empty())?;
    let devices = devices.into_iter().map(|d| vocabulary.home.devices[d].id.clone()).collect();
    Some(JobAsk::Due { devices, left: left.is_some() })
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::tests::at_home;
    use crate::language::grammar::{JobAsk, Parse};

    #[test]
    fn when_something_happens_is_asked_and_not_told() {
        for (sentence, left) in [("电视几点关", false), ("还有多久关洗衣机", true)] {
            let Parse::Jobs(JobAsk::Due { devices, left: asked }) = at_home(sentence) else { panic!("{sentence}") };
            assert_eq!((devices.len(), asked), (1, left), "{sentence}");
        }
    }

    #[test]
    fn what_is_told_besides_is_no_question_of_it() {
        for sentence in ["几点了", "电视几点开始演球赛"] {
            assert!(!matches!(at_home(sentence), Parse::Jobs(_)), "{sentence}");
        }
    }
}

//! What is told and taken back in the same breath.

use super::super::lexicon::{Lexicon, Question, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::anew;
use super::nominal::{self, is_somebody, is_thing, place, property};
use super::recut;

/// `打开空调，算了`, `打开空调，别开了`, `关灯……算了，她还在写`: what was told is taken back at once, and nothing is told after it. `空调关了，不用了`
/// says why, and `开灯，别关` the same once more.
pub fn is_taken_back(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let switches = |senses: &[Sense]| senses.iter().find_map(|s| lexicon.switches(s));
    let changes = |t: &Token| {
        t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Degree { .. }))
    };
    let acts = |t: &Token| changes(t) || t.any(|s| matches!(s, Sense::Verb(_)));
    let runs = |t: &Token| t.any(|s| matches!(s, Sense::Scene(_)));
    let action = |t: &Token| match t.is_entity() {
        true => runs(t).then_some(true),
        false => switches(&t.senses).or(acts(t).then_some(true)),
    };
    // Nobody uses a curtain: 窗帘拉上，不用了 takes it back.
    let blind = lexicon.kind("blind");
    let named = |t: &Token| recut::devices(t, vocabulary).unwrap_or_default();
    let is_blind = |t: &Token| {
        let devices = named(t);
        let hangs = |d: &usize| blind.is_some_and(|kind| vocabulary.devices[*d].is(kind));
        nominal::kind(t).is_some_and(|kind| Some(kind) == blind) || !devices.is_empty() && devices.iter().all(hangs)
    };
    let covers = |clause: &[Token]| clause.iter().any(is_blind);
    let clauses = breaths(tokens, lexicon);
    let tells = |clause: &[Token]| {
        let value = |s: &Sense| {
            let asks = matches!(s, Sense::Question(q) if *q != Question::YesNo);
            asks || matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Scene(_))
        };
        // 唉不用，下着雨呢: what ends as statements do says why.
        let states = clause.last().is_some_and(|t| t.has(&Sense::Particle));
        let thing = |t: &Token| {
            is_thing(t) && !is_somebody(t, vocabulary) && !(states && property(t).is_some() && !t.is_entity())
        };
        // 外面阴天: how it is there.
        let there = |t: &Token| place(t).is_some() && !clause.iter().any(Token::is_residue);
        clause.iter().any(|t| thing(t) || there(t) || action(t).is_some() || t.any(|s| value(s) || s.is_action()))
    };
    let refused = |clause: &[Token], told: &Token, way: bool, covers: bool| {
        let words = |all: bool| {
            let said = clause.iter().filter(|t| all || !t.has(&Sense::Particle));
            said.map(|t| t.text.as_str()).collect::<String>()
        };
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler));
        // 别开, 不关: a refusal that holds its verb.
        let refuses = |t: &Token| t.any(|s| matches!(s, Sense::Negation | Sense::ExceptAfter));
        let held = clause.iter().filter(|t| refuses(t)).find_map(|t| lexicon.held(&t.text));
        let first = |t: &Token| small(t) || refuses(t) || t.has(&Sense::Sequence);
        if let Some(refused) = held.filter(|_| clause.iter().all(first)) {
            return refused == way;
        }
        if said_again(clause, &told.text, lexicon) {
            return true;
        }
        // 呃算了我老公还在看
        let said = clause.iter().position(|t| !hesitates(t, lexicon)).map_or(clause, |start| &clause[start..]);
        let text: String = said.iter().map(|t| t.text.as_str()).collect();
        let gives_up = lexicon.asides.gives_up.iter().filter(|word| text.starts_with(word.as_str()));
        let given_up = gives_up.max_by_key(|word| word.len()).is_some_and(|word| {
            let mut length = 0;
            let rest = said.iter().skip_while(|t| {
                length += t.text.len();
                length <= word.len()
            });
            let rest: Vec<&Token> = rest.collect();
            // 算了算了不煮
            let again = |t: &Token| lexicon.asides.gives_up.contains(&t.text);
            let all: Vec<&Token> = rest.iter().copied().filter(|t| !small(t) && !again(t)).collect();
            if matches!(all[..], [no, _] if no.has(&Sense::Not) || no.has(&Sense::Negation)) {
                return true;
            }
            // 算了26度嘛 sets another value; 算了我扫两下就完事 is about whoever speaks.
            let own = rest.first().is_some_and(|t| t.has(&Sense::Speaker));
            let value = |t: &Token| !own && t.any(|s| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Value));
            !rest.iter().any(|t| action(t).is_some() || t.is_entity() || t.any(Sense::is_action) || value(t))
        });
        let no = lexicon.answers.no.iter().any(|no| *no == text || *no == words(true) || *no == words(false));
        // 不用了 is why something is switched off.
        (given_up || no) && (way || covers || said.first().is_none_or(|t| !t.has(&Sense::Reason)))
    };
    (1..clauses.len()).any(|at| {
        let before = clauses[..at].iter().rev().flat_map(|clause| clause.iter().rev());
        let told = clauses[..at].iter().rev().find(|clause| clause.iter().any(|t| action(t).is_some()));
        let covers = told.is_some_and(|clause| covers(clause));
        let mut acted = before.filter_map(|t| action(t).map(|way| (t, way)));
        acted.next().is_some_and(|(told, way)| refused(clauses[at], told, way, covers))
            && !clauses[at + 1..].iter().any(|clause| tells(clause) && !only_refuses(clause))
    })
}

/// `去扫地，算了别扫了`, `放下来，算了不放了`: a refusal of the very verb that was said.
fn said_again(clause: &[Token], told: &str, lexicon: &Lexicon) -> bool {
    let small =
        |t: &&Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Sequence)) && !t.is_entity();
    let text: String = clause.iter().filter(|t| !small(t)).map(|t| t.text.as_str()).collect();
    let marks = &lexicon.marks;
    let refusals = marks.stop.iter().chain(&marks.needless).chain([&marks.denies]);
    let verb = refusals.filter_map(|no| text.strip_prefix(no.as_str())).min_by_key(|verb| verb.len());
    let verb = verb.map(|verb| verb.strip_suffix(marks.changed.as_str()).unwrap_or(verb));
    verb.is_some_and(|verb| !verb.is_empty() && told.contains(verb))
}

/// The sentence without what is given up of it by its name or for a case, each refusal one word.
pub(super) fn in_its_breath(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let tokens = anew::begun(tokens, vocabulary);
    without_given_up(without_idle_case(refused(tokens, lexicon), lexicon), lexicon)
}

/// `算了不关了静音就行`, `不关了，灯打开`: a refusal as one word, and what is told behind it apart.
fn refused(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
    let gives_up = |t: &Token| lexicon.asides.gives_up.contains(&t.text);
    let mut at = 0;
    while at + 1 < tokens.len() {
        let not = tokens[at].any(|s| matches!(s, Sense::Not | Sense::Negation)) && !tokens[at].is_entity();
        let says_no = tokens[at].text.ends_with(&lexicon.marks.denies);
        let verb = &tokens[at + 1];
        let switches = verb.any(|s| lexicon.switches(s).is_some());
        let over = verb.text.ends_with(&lexicon.marks.changed);
        // 先不关了
        let lead = |t: &&Token| !t.has(&Sense::Sequence) || t.is_entity();
        let before = tokens[..at].iter().rev().find(lead);
        let ends = tokens.get(at + 2).is_none_or(small);
        // 灯不关了 stays as it is; 灯不开了 may be what ends it.
        let off = verb.any(|s| lexicon.switches(s) == Some(false));
        let (led, alone) = (before.is_some_and(gives_up), (off || before.is_none_or(pause)) && ends);
        // 算了别关了
        let denies = not && (says_no || led && tokens[at].has(&Sense::Negation));
        if denies && switches && over && !verb.is_entity() && (led || alone) {
            let text = format!("{}{}", tokens[at].text, verb.text);
            let word = Token { text, heard: None, senses: vec![Sense::Negation] };
            let more = tokens.get(at + 2).is_some_and(|t| !small(t));
            let pause = Token { text: ",".into(), heard: None, senses: vec![Sense::Punctuation] };
            tokens.splice(at..at + 2, std::iter::once(word).chain(more.then_some(pause)));
        }
        at += 1;
    }
    tokens
}

/// `开着就关了，没开就算了`: without the case in which nothing is wanted.
fn without_idle_case(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let idle = |clause: &[Token]| {
        let said: Vec<&Token> =
            clause.iter().filter(|t| !t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle))).collect();
        let [first, .., then, last] = said[..] else { return false };
        let supposes = first.any(|s| matches!(s, Sense::Not | Sense::State(_) | Sense::If));
        supposes && then.has(&Sense::Then) && lexicon.asides.gives_up.contains(&last.text)
    };
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    if clauses.len() < 2 || !clauses.iter().any(|clause| idle(clause)) {
        return tokens;
    }
    clauses.into_iter().filter(|clause| !idle(clause)).flatten().cloned().collect()
}

/// `幕布也别放`: nothing is told beside what is given up.
fn only_refuses(clause: &[Token]) -> bool {
    let refuses = |t: &Token| t.has(&Sense::Negation) && !t.is_entity();
    let at = clause.iter().position(refuses);
    let acts = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { open: false } | Sense::Step { .. }));
    at.is_some_and(|at| !clause[..at].iter().any(|t| acts(t) && !t.is_entity()))
}

/// `照明打开，算了照明不用`: without what is told of a thing that is given up by its name, and without that.
fn without_given_up(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let mut starts = vec![0];
    starts.extend((0..tokens.len()).filter(|at| tokens[*at].has(&Sense::Punctuation)).map(|at| at + 1));
    let clause = |n: usize| &tokens[starts[n]..starts.get(n + 1).map_or(tokens.len(), |next| next - 1)];
    let given_up = |clause: &[Token]| {
        let text: String = clause.iter().map(|t| t.text.as_str()).collect();
        lexicon.asides.gives_up.iter().any(|word| text.starts_with(word.as_str())) && only_refuses(clause)
    };
    let names = |t: &&Token| is_thing(t) || property(t).is_some();
    for n in (1..starts.len()).rev() {
        let Some(named) = clause(n).iter().find(names).filter(|_| given_up(clause(n))) else { continue };
        let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
        let of_it =
            |c: &[Token]| c.iter().any(acts) && c.iter().rev().find(names).is_some_and(|t| t.text == named.text);
        let Some(told) = (0..n).rev().find(|before| of_it(clause(*before))) else { continue };
        let end = |n: usize| starts.get(n + 1).copied().unwrap_or(tokens.len());
        let (first, last) = (starts[told]..end(told), starts[n]..end(n));
        tokens.drain(last);
        tokens.drain(first);
        break;
    }
    tokens
}

/// `电热毯开三档，别开了，把灯关了`: without what was taken back before something else is told.
pub(super) fn without_taken_back(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler));
    // Which way is refused; either, by who only gives up.
    let held = |clause: &[Token]| {
        let refused = clause.iter().filter(|t| t.has(&Sense::Negation)).find_map(|t| lexicon.held(&t.text));
        // 哦不用了
        let said = clause.iter().skip_while(|t| hesitates(t, lexicon));
        let text: String = said.map(|t| t.text.as_str()).collect();
        let given_up = lexicon.asides.gives_up.iter().any(|word| text.starts_with(word.as_str()));
        let over = clause.last().is_some_and(|t| t.has(&Sense::Particle) || t.text.ends_with(&lexicon.marks.changed));
        // 算了太刺眼
        let tells = |t: &Token| {
            !t.is_entity()
                && t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Number(_) | Sense::Correction))
                || is_thing(t)
        };
        if given_up && refused.is_none() && !clause.iter().any(tells) {
            return Some(None);
        }
        let refused = refused.filter(|_| over || given_up);
        refused.filter(|_| clause.iter().all(|t| small(t) || t.has(&Sense::Negation))).map(Some)
    };
    let way = |clause: &[Token]| {
        let switched = |t: &Token| t.senses.iter().find_map(|s| lexicon.switches(s));
        let sets = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare | Sense::Step { .. }));
        clause.iter().rev().filter(|t| !t.is_entity()).find_map(|t| switched(t).or(sets(t).then_some(true)))
    };
    let mut starts = vec![0];
    starts.extend((0..tokens.len()).filter(|at| pause(&tokens[*at])).map(|at| at + 1));
    let clause = |n: usize| &tokens[starts[n]..starts.get(n + 1).map_or(tokens.len(), |next| next - 1)];
    for n in 1..starts.len().saturating_sub(1) {
        let Some(refused) = held(clause(n)) else { continue };
        let goes_on = clause(n + 1).iter().any(|t| t.has(&Sense::Also)) || !clause(n + 1).iter().any(is_thing);
        if goes_on && refused.is_none() {
            continue;
        }
        let told = (0..n).rev().find(|before| way(clause(*before)).is_some());
        if let Some(told) = told.filter(|told| refused.is_none() || way(clause(*told)) == refused) {
            tokens.drain(starts[told]..starts[n + 1]);
            break;
        }
    }
    tokens
}

/// `电视关了，不用，静音就行`: what is enough, in place of what was told.
pub(super) fn enough(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let text = |clause: &[Token]| clause.iter().map(|t| t.text.as_str()).collect::<String>();
    let mut starts = vec![0];
    starts.extend((0..tokens.len()).filter(|at| pause(&tokens[*at])).map(|at| at + 1));
    let clause = |n: usize| &tokens[starts[n]..starts.get(n + 1).map_or(tokens.len(), |next| next - 1)];
    for n in 1..starts.len().saturating_sub(1) {
        let no = clause(n).iter().any(|t| t.any(|s| matches!(s, Sense::Negation | Sense::Not)));
        let no = no && lexicon.answers.no.contains(&text(clause(n)));
        let last = text(clause(n + 1));
        let enough = lexicon.asides.enough.iter().any(|word| last.ends_with(word.as_str()));
        if no && enough && clause(n - 1).iter().any(acts) && clause(n + 1).iter().any(acts) {
            let own = clause(n + 1).iter().any(is_thing);
            let things: Vec<Token> = clause(n - 1).iter().filter(|t| is_thing(t) && !own).cloned().collect();
            tokens.splice(starts[n - 1]..starts[n + 1], things);
            break;
        }
    }
    tokens
}

/// `电视小点声，别关`: that it shall not be switched off says no more. `开灯，算了开台灯`: in place of what was told.
pub(super) fn instead(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler));
    let switches = |t: &Token| t.any(|s| lexicon.switches(s).is_some()) && !t.is_entity();
    let more = |t: &Token| {
        t.any(|s| matches!(s, Sense::Step { .. } | Sense::Direction { .. } | Sense::Degree { .. })) && !t.is_entity()
    };
    let mut starts = vec![0];
    starts.extend((0..tokens.len()).filter(|at| pause(&tokens[*at])).map(|at| at + 1));
    let end = |n: usize| starts.get(n + 1).map_or(tokens.len(), |next| next - 1);
    for n in 1..starts.len() {
        let (before, clause) = (&tokens[starts[n - 1]..end(n - 1)], &tokens[starts[n]..end(n)]);
        let off = clause.iter().any(|t| t.has(&Sense::Negation) && lexicon.held(&t.text) == Some(false));
        let only = clause.iter().all(|t| small(t) || t.has(&Sense::Negation));
        if off && only && before.iter().any(more) && !before.iter().any(switches) {
            tokens.drain(starts[n] - 1..end(n));
            return tokens;
        }
        let given_up = clause.first().is_some_and(|t| lexicon.asides.gives_up.contains(&t.text) && !t.is_entity());
        let other = clause.iter().any(is_thing) && clause[1..].iter().any(switches);
        if given_up && other && before.iter().any(switches) {
            tokens.drain(starts[n - 1]..=starts[n]);
            return tokens;
        }
    }
    tokens
}

/// `热水器打开，洗完澡关掉`: what is to be done when something is over is not done at once, and nobody here knows when that is.
pub(super) fn when_over(mut tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Sequence | Sense::Then));
    let over = |t: &Token| {
        let held = lexicon.marks.over.iter().any(|over| t.text.find(over.as_str()).is_some_and(|at| at > 0));
        held && !t.is_entity() && !t.text.ends_with(&lexicon.marks.changed) && !t.any(|s| matches!(s, Sense::Sequence))
    };
    let acts = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && !t.is_entity();
    for begin in 1..tokens.len().saturating_sub(1) {
        if !pause(&tokens[begin - 1]) || !over(&tokens[begin]) || !tokens[..begin].iter().any(acts) {
            continue;
        }
        let length = tokens[begin + 1..].iter().take_while(|t| small(t)).count();
        let Some(verb) = Some(begin + 1 + length).filter(|at| tokens.get(*at).is_some_and(acts)) else { continue };
        let last = tokens[verb + 1..].iter().all(|t| t.any(|s| matches!(s, Sense::Particle | Sense::Punctuation)));
        if last {
            let said: String = tokens[begin..=verb].iter().map(|t| t.text.as_str()).collect();
            tokens.splice(begin..=verb, [Token { text: said, heard: None, senses: Vec::new() }]);
            break;
        }
    }
    tokens
}

/// A sentence cut at pauses and at what is said while thinking.
fn breaths<'a>(tokens: &'a [Token], lexicon: &Lexicon) -> Vec<&'a [Token]> {
    let clauses = tokens.split(|t| t.has(&Sense::Punctuation));
    clauses.flat_map(|clause| clause.split(|t| hesitates(t, lexicon))).collect()
}

pub(super) fn hesitates(token: &Token, lexicon: &Lexicon) -> bool {
    let thinks = lexicon.marks.hesitates.contains(&token.text) || lexicon.interjections.contains(&token.text);
    thinks && !token.is_entity() && !lexicon.asides.gives_up.contains(&token.text)
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::tests::at_home;
    use crate::language::grammar::{Parse, Rejection};

    #[test]
    fn what_is_taken_back_moves_nothing_whatever_is_said_behind_it() {
        for sentence in [
            "客厅大灯打开，算了",
            "窗帘拉上，算了别拉了",
            "窗帘拉上 不用拉了",
            "扫地机去扫地 算了别扫了",
            "电视声音调大 算了不调了",
            "客厅大灯关……算了算了，奶奶还在穿针",
            "把小米电视关了，呃别，他还没看完",
            "客厅大灯调暗点哎不用了我瞧清楚了",
            "把小米电视关——算了我老公还在看",
            "客厅大灯打开 嗐算了别开了 天还早着呢",
            "把小米电视关了 哦莫关莫关 他还没看完",
            "客厅大灯打开 甭开了 我瞧得见",
        ] {
            assert_eq!(at_home(sentence), Parse::Rejected(Rejection::Withdrawn), "{sentence}");
        }
    }

    #[test]
    fn what_was_never_told_moves_nothing() {
        for sentence in ["我没有叫你关小米电视", "没有让你打开客厅空调", "没喊你关客厅大灯"]
        {
            assert_eq!(at_home(sentence), Parse::Rejected(Rejection::Negated), "{sentence}");
        }
    }

    #[test]
    fn what_is_told_after_that_is_told() {
        for sentence in ["打开客厅空调，算了还是打开加湿器", "客厅空调关了，不用了", "客厅空调调到25度，算了26度吧"]
        {
            assert!(matches!(at_home(sentence), Parse::Orders(_)), "{sentence}: {:?}", at_home(sentence));
        }
    }
}

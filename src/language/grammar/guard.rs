//! What is decided before a sentence is parsed: whether anything is told at all.

use super::super::lexicon::{Lexicon, Marks, Sense, Unit};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::refusal::{refuses, taken_back};
pub(super) use super::word::trim;
use super::{Parse, Rejection};

/// Takes out clauses that are told not to be done.
///
/// # Errors
/// When the sentence reports, supposes, talks about devices, is for later, or only says what not to do.
pub fn markers(tokens: Vec<Token>, lexicon: &Lexicon) -> Result<Vec<Token>, Rejection> {
    let tokens = super::query::forgotten(tokens, lexicon);
    let no = &lexicon.answers.no;
    let marks = |sense: &Sense| tokens.iter().any(|t| !t.is_entity() && t.has(sense));
    let talk = tokens.iter().any(|t| {
        let finished = t.has(&Sense::Finished) && !super::query::is_question(&tokens, &lexicon.marks);
        !t.is_entity()
            && !t.any(useful)
            && (t.has(&Sense::Past) || t.has(&Sense::Report) || t.has(&Sense::Suppose) || finished)
    });
    // 让弟弟把灯关了: somebody else shall do it.
    let delegated = tokens.windows(2).any(|pair| {
        let told = pair[0].has(&Sense::Disposal) && !pair[0].has(&Sense::Filler);
        told && pair[1].has(&Sense::Person) && !pair[1].is_entity()
    });
    // 叫豆豆关灯: by whatever name.
    let named = tokens.windows(3).any(|three| {
        let somebody = three[1].is_residue() && three[1].text.chars().count() > 1;
        lets(&three[0], lexicon) && somebody && three[2].any(|s| matches!(s, Sense::Verb(_))) && !three[2].is_entity()
    });
    // 大灯让豆豆关掉了: it was done by whoever that is.
    let done_by = tokens.windows(3).any(|three| {
        let by = three[1].has(&Sense::Disposal) && !three[1].any(|s| matches!(s, Sense::Filler | Sense::Measure));
        by && (three[0].is_entity() || super::nominal::kind(&three[0]).is_some()) && three[2].is_residue()
    });
    // 你那边大点声: whoever is there.
    let elsewhere = tokens.windows(2).any(|pair| {
        lexicon.addressees.contains(&pair[0].text) && pair[1].has(&Sense::RoomSuffix) && !pair[1].is_entity()
    });
    let mut clauses = tokens.split(|t| t.has(&Sense::Punctuation));
    let own = clauses.clone().any(|clause| is_own_action(clause, lexicon));
    if clauses.any(|clause| super::aside::tells_how_it_is(clause, lexicon)) {
        return Err(Rejection::Aside);
    }
    if talk || delegated || named || done_by || elsewhere || own {
        return Err(Rejection::Talk);
    }
    if later(&tokens) {
        // 到点叫我 is for somebody else.
        let ours = tokens
            .iter()
            .any(|t| super::nominal::is_thing(t) || t.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_))));
        return Err(if ours { Rejection::Later } else { Rejection::Talk });
    }
    // 关空调，哦不用了: the last clause takes everything back.
    let last = tokens.split(|t| t.has(&Sense::Punctuation)).rfind(|c| !c.is_empty()).unwrap_or_default();
    let words: String = last.iter().filter(|t| !t.has(&Sense::Particle)).map(|t| t.text.as_str()).collect();
    let spoken: String = last.iter().map(|t| t.text.as_str()).collect();
    // 开窗帘，灯先不要: only of that.
    let named = last.first().is_some_and(super::nominal::is_thing);
    let led = || no.contains(&strip_first(&spoken)) && !named;
    let cancelled = last.len() < tokens.len() && (no.contains(&words) || no.contains(&spoken) || led());
    if !marks(&Sense::Negation) && !cancelled {
        return Ok(tokens);
    }
    let mut kept: Vec<Token> = Vec::new();
    let every = |tokens: &[Token]| tokens.iter().any(|t| t.has(&Sense::Each) || t.has(&Sense::All));
    for clause in tokens.split_inclusive(|t| t.has(&Sense::Punctuation)) {
        // 开灯，开窗帘，灯别开
        let told = kept.len();
        if clause.iter().any(|t| t.has(&Sense::Negation) && !t.is_entity()) {
            kept = taken_back(kept, clause, lexicon);
        }
        if kept.len() < told {
            continue;
        }
        if !refuses(clause, kept.is_empty()) {
            kept.extend_from_slice(clause);
        } else if clause.iter().any(Token::is_residue) {
            // What shall be spared is not understood: nothing is done to more than what has a name of its own.
            let named = kept.iter().any(Token::is_entity) && !every(&kept);
            if !named || kept.iter().any(|t| !t.is_entity() && super::nominal::kind(t).is_some()) {
                return Err(Rejection::Negated);
            }
        } else if let Some(spared) = spared(clause).filter(|_| every(&kept)) {
            // 灯都关了，客厅的不要关掉: of all, these are left out.
            kept.extend(spared);
        }
    }
    // 关掉电视，算了还是别关了: taken back.
    let taken_back = tokens
        .split(|t| t.has(&Sense::Punctuation))
        .any(|c| c.iter().any(|t| t.has(&Sense::Negation)) && c.iter().any(|t| t.has(&Sense::Correction)));
    let tells = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::Step { .. }));
    // 空调都26度，大金别动; 空调除湿，儿童房的不开
    let thing = |t: &Token| super::nominal::is_thing(t);
    let counted = |w: &[Token]| {
        w[0].any(|s| matches!(s, Sense::Number(_))) && w[1].any(|s| matches!(s, Sense::Unit(_))) && !w[0].is_entity()
    };
    let value = |w: &[Token]| thing(&w[0]) && w[1].any(|s| matches!(s, Sense::Choice(_))) && !w[1].is_entity();
    let valued = kept.windows(2).any(|w| counted(w) || value(w)) && kept.iter().any(thing);
    let says_something = !taken_back && !cancelled && (valued || kept.iter().any(tells));
    if says_something { Ok(kept) } else { Err(Rejection::Negated) }
}

/// `我把煤气关好了`, `他把灯关了`, `她就给关了`: what was done by whoever that is.
pub(super) fn is_own_action(clause: &[Token], lexicon: &Lexicon) -> bool {
    let handles = |t: &Token| t.has(&Sense::Disposal) && !t.has(&Sense::Filler);
    let speaker = |t: &Token| t.has(&Sense::Speaker);
    let somebody = |t: &Token| speaker(t) || lexicon.pronouns.contains(&t.text);
    // 她就给关了; 我就给 could be asked for.
    let then =
        |t: &Token| t.any(|s| matches!(s, Sense::Then | Sense::Filler | Sense::Also | Sense::Each | Sense::Sequence));
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let did = |at: usize| {
        let rest = &clause[at + 1..];
        let led = rest.iter().take_while(|t| then(t) && !acts(t) && !t.is_entity()).count();
        !speaker(&clause[at]) && led > 0 && rest.get(led).is_some_and(acts)
    };
    let begins =
        (0..clause.len()).find(|at| somebody(&clause[*at]) && (clause.get(at + 1).is_some_and(handles) || did(*at)));
    // 叫他把灯关了 tells somebody to.
    let begins = begins.filter(|at| !at.checked_sub(1).is_some_and(|before| clause[before].has(&Sense::Disposal)));
    // 我开过一回
    let before = |t: &Token| lexicon.marks.done.contains(&t.text) && t.text != lexicon.marks.changed;
    if clause.windows(3).any(|three| somebody(&three[0]) && acts(&three[1]) && before(&three[2])) {
        return true;
    }
    begins.is_some_and(|at| clause[at + 1..].iter().any(|t| t.text.ends_with(&lexicon.marks.changed)))
        || (1..clause.len()).any(|at| super::aside::is_told_of(clause, at, lexicon))
}

/// `把望海的，呃，海棠的地暖打开`: whoever hesitates between two that are of the same form means the second.
fn begun_anew(mut tokens: Vec<Token>, marks: &Marks) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let hesitates = |t: &Token| marks.hesitates.contains(&t.text) && !t.is_entity();
    let Some(at) = (2..tokens.len()).find(|at| hesitates(&tokens[*at])) else { return tokens };
    let led = tokens[..at].iter().rev().take_while(|t| pause(t)).count();
    let follows = tokens[at + 1..].iter().take_while(|t| pause(t)).count();
    let (end, begin) = (at - led, at + 1 + follows);
    let of = |at: usize| tokens.get(at).is_some_and(|t| t.has(&Sense::Of));
    let whose = |at: usize| {
        tokens.get(at).is_some_and(|t| super::nominal::place(t).is_some() || t.is_entity() || t.is_residue())
    };
    if led > 0 && end >= 2 && of(end - 1) && whose(end - 2) && whose(begin) && of(begin + 1) {
        tokens.drain(end - 2..begin);
    }
    tokens
}

/// 那个 before a place, before 把 and before a verb with its object is said while thinking.
pub fn without_hesitation(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let marks = &lexicon.marks;
    let mut tokens = begun_anew(tokens, marks);
    let mut at = 0;
    while at + 1 < tokens.len() {
        let starts = at == 0 || tokens[at - 1].any(|s| matches!(s, Sense::Punctuation | Sense::Filler));
        let points = tokens[at].has(&Sense::Reference) && tokens[at].text.ends_with(&marks.one);
        let next = &tokens[at + 1];
        let object = || tokens.get(at + 2).is_some_and(|t| super::nominal::kind(t).is_some() || t.is_entity());
        let thinks = next.has(&Sense::Disposal)
            || super::nominal::place(next).is_some()
            || next.has(&Sense::WholeHome)
            || (next.any(|s| matches!(s, Sense::Verb(_))) && object());
        // 那就把灯关了: no more than "then"; 她就给关了 says who.
        let somebody = lexicon.pronouns.contains(&tokens[at].text);
        let then = tokens[at].has(&Sense::Reference) && !somebody && next.has(&Sense::Then) && tokens.len() > at + 2;
        // 灯带你给调到三成: it is given to nobody.
        let acts = |t: &Token| {
            t.any(|s| matches!(s, Sense::Set { .. } | Sense::Step { .. } | Sense::Verb(_))) && !t.is_entity()
        };
        let gives = at > 0 && tokens[at].has(&Sense::Disposal) && tokens[at].has(&Sense::Filler) && acts(next);
        // 那个，温度高一点
        let alone = points && next.has(&Sense::Punctuation) && tokens.len() > at + 2;
        // 那开空调, 那把灯关了
        let so = starts && !somebody && tokens[at].has(&Sense::Reference) && tokens[at].text.chars().count() == 1;
        let acts_on = || next.any(|s| matches!(s, Sense::Verb(_))) && object() || next.has(&Sense::Disposal);
        let so = so && !next.is_entity() && acts_on();
        // 都关了，不，左边那个留着
        let all = |t: &Token| t.any(|s| matches!(s, Sense::Each | Sense::All | Sense::Both));
        let takes_back = at > 0
            && tokens[..at].iter().any(all)
            && tokens[at - 1].has(&Sense::Punctuation)
            && tokens[at].has(&Sense::Correction)
            && next.has(&Sense::Punctuation)
            && tokens[at + 2..].iter().take_while(|t| !t.has(&Sense::Punctuation)).any(|t| t.has(&Sense::ExceptAfter));
        if gives || takes_back || so || starts && (then || (points && thinks) || alone) {
            tokens.remove(at);
        } else {
            at += 1;
        }
    }
    tokens
}

/// `快点儿开开`, `快点儿要迟到了`: whoever says more behind it is in a hurry, and asks for no more speed.
pub(super) fn without_hurry(mut tokens: Vec<Token>) -> Vec<Token> {
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let quick = |t: &Token| t.has(&Sense::Filler) && t.any(|s| matches!(s, Sense::Direction { .. })) && !t.is_entity();
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler));
    let hurried = |at: &usize| {
        let begin = tokens[..*at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let rest = tokens[at + 2..].iter().take_while(|t| !pause(t));
        quick(&tokens[*at])
            && tokens[at + 1].has(&Sense::Little)
            && !tokens[begin..*at].iter().any(|t| super::nominal::is_thing(t) || super::nominal::property(t).is_some())
            && rest.into_iter().any(|t| !small(t))
    };
    if let Some(at) = (0..tokens.len().saturating_sub(1)).find(hurried) {
        tokens.drain(at..at + 2);
    }
    tokens
}

/// A negation and a word that was not heard: 不绪要, 别饶.
pub fn refuses_unheard(tokens: &[Token], marks: &Marks) -> bool {
    let negates = |t: &Token| marks.refusals.contains(&t.text);
    // 看不见 is no refusal: the verb stands before it.
    let verb = |at: usize| at.checked_sub(1).is_some_and(|before| tokens[before].is_residue());
    tokens.windows(2).enumerate().any(|(at, pair)| negates(&pair[0]) && pair[1].is_residue() && !verb(at))
}

/// A text without its first character (an interjection).
fn strip_first(text: &str) -> String {
    text.chars().skip(1).collect()
}

/// Senses that make a marking word part of a command after all.
fn useful(sense: &Sense) -> bool {
    matches!(
        sense,
        Sense::Correction | Sense::Reference | Sense::Filler | Sense::Verb(_) | Sense::Question(_) | Sense::Kind(_)
    )
}

/// What a clause says not to do something to, as what is left out: a place and perhaps what stands there.
fn spared(clause: &[Token]) -> Option<Vec<Token>> {
    let at = clause.iter().position(|t| t.has(&Sense::Negation))?;
    let nominal = clause[..at].iter().filter(|t| !t.has(&Sense::Filler) && !t.has(&Sense::Disposal));
    let mut words: Vec<Token> = nominal.cloned().collect();
    let first = words.first()?;
    if super::nominal::place(first).is_none() && !first.is_entity() {
        return None;
    }
    words.push(Token { senses: vec![Sense::ExceptAfter], ..clause[at].clone() });
    words.extend(clause.last().filter(|t| t.has(&Sense::Punctuation)).cloned());
    Some(words)
}

/// Wishes that range over the future: a time word, or a duration and 后.
pub(super) fn later(tokens: &[Token]) -> bool {
    let time = |t: &Token| t.any(|s| matches!(s, Sense::Unit(Unit::Minute | Unit::Hour | Unit::Second)));
    let future = tokens.iter().enumerate().any(|(at, t)| {
        let after_number = at > 0 && tokens[at - 1].any(|s| matches!(s, Sense::Number(_)));
        let clock = t.any(|s| matches!(s, Sense::Little | Sense::Conjunction | Sense::IfClose | Sense::Unit(_)));
        let closes_condition = t.has(&Sense::IfClose);
        t.has(&Sense::Future)
            && !t.is_entity()
            && !closes_condition
            && (!clock || (after_number && is_clock(tokens, at)))
    });
    let duration = tokens.iter().enumerate().any(|(at, t)| {
        time(t) && at > 0 && tokens[at - 1].any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Some))
    });
    future || duration
}

/// 七点 is a time unless a decimal or a degree follows; 亮一点 is none.
fn is_clock(tokens: &[Token], at: usize) -> bool {
    let number = tokens[at - 1].senses.iter().find_map(|s| if let Sense::Number(n) = s { Some(n.value) } else { None });
    let before = at >= 2 && tokens[at - 2].any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. }));
    number.is_some_and(|n| n > 1.0 && n <= 24.0) && !before
}

/// Whether a sentence that was not understood names nothing of the home: a refusal of something unknown, or a word of
/// another subject.
pub fn is_elsewhere(tokens: &[Token], parse: &Parse, vocabulary: &Vocabulary) -> bool {
    let ours = |t: &Token| {
        super::nominal::is_thing(t)
            || super::nominal::place(t).is_some()
            || t.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_) | Sense::Scene(_)))
    };
    let unknown = match parse {
        Parse::Rejected(_) => tokens.iter().any(Token::is_residue),
        _ => names_another_topic(tokens, &vocabulary.lexicon),
    };
    // 你们声音小点
    let crowd = |t: &Token| t.is_residue() && vocabulary.lexicon.asides.crowd.iter().any(|of| t.text.starts_with(of));
    let talk = || tokens.iter().any(crowd) || speaks_of_business(tokens, &vocabulary.lexicon);
    unknown && !tokens.iter().any(ours) || matches!(parse, Parse::Unsure(..)) && talk()
}

/// `台灯的链接`, `把文件打开`: what work is about, by itself or of a thing.
fn speaks_of_business(tokens: &[Token], lexicon: &Lexicon) -> bool {
    let business = |t: &Token| t.is_residue() && lexicon.asides.business.iter().any(|word| t.text.ends_with(word));
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Measure)) && !t.is_entity();
    tokens.iter().enumerate().any(|(at, t)| {
        let of = tokens[..at].iter().rev().find(|t| !small(t));
        let theirs =
            tokens[at + 1..].iter().find(|t| !small(t)).filter(|_| of.is_none_or(|t| !t.has(&Sense::Disposal)));
        let named = |t: Option<&Token>| t.is_some_and(|t| super::nominal::is_thing(t) || t.has(&Sense::Disposal));
        business(t) && (named(of) || named(theirs) || at == 0)
    })
}

/// Whether an unknown word holds what other people and services are asked about: 舒缓的老歌曲.
pub fn names_another_topic(tokens: &[Token], lexicon: &Lexicon) -> bool {
    tokens.iter().any(|t| t.is_residue() && lexicon.topics.iter().any(|topic| t.text.contains(topic)))
}

/// A sentence that says how things are: `灯打开了`, `我打开了灯`, `空调开着`.
pub fn describes(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let marks = &vocabulary.lexicon.marks;
    let done = |t: &Token| {
        marks.done.contains(&t.text) || (t.has(&Sense::Particle) && t.text.ends_with(marks.changed.as_str()))
    };
    let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_)));
    let disposal = tokens.iter().any(|t| t.has(&Sense::Disposal) && !t.has(&Sense::Filler));
    let somebody = |t: &Token| vocabulary.lexicon.pronouns.contains(&t.text) || t.has(&Sense::Person);
    // 给他打开吧: for whom it is done does nothing.
    let for_whom = |at: usize| at > 0 && tokens[at - 1].has(&Sense::Disposal);
    let subject = (0..tokens.len()).find(|at| somebody(&tokens[*at]) && !for_whom(*at));
    let subject_did = subject.is_some_and(|s| {
        let after = &tokens[s + 1..];
        let small = |t: &Token| t.has(&Sense::Sequence) || t.has(&Sense::Filler) || t.has(&Sense::Particle);
        let acts = after.iter().take(3).position(verb).is_some_and(|act| after[..act].iter().all(small));
        acts && after.iter().any(done) && !disposal
    });
    // 灯已经关了, 已经降到四十度了
    let already = tokens.iter().position(|t| t.has(&Sense::Already));
    let set = |t: &Token| t.any(|s| matches!(s, Sense::Set { .. } | Sense::SetBare)) && !t.is_entity();
    if already.is_some_and(|at| tokens[at..].iter().any(|t| verb(t) || set(t))) {
        return true;
    }
    // 灯换了暖光: it is done, where nobody is told to do it.
    let changed = |pair: &[Token]| set(&pair[0]) && pair[1].has(&Sense::Particle) && pair[1].text == marks.changed;
    let value = |t: &Token| {
        t.any(|s| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Value | Sense::Direction { .. }))
    };
    let done_to = tokens.windows(2).position(changed).is_some_and(|at| {
        let named = tokens[..at].iter().any(super::nominal::is_thing);
        named && tokens.get(at + 2).is_some_and(value)
    });
    if done_to && !disposal {
        return true;
    }
    // 现在声音小: how it is by now, and not 现在声音小点.
    let of_now = |clause: &[Token]| match trim(clause) {
        [rest @ .., what, how] => {
            let bare = how.any(|s| matches!(s, Sense::Degree { .. })) && !how.any(|s| matches!(s, Sense::Step { .. }));
            let now = clause.first().is_some_and(|t| marks.now.contains(&t.text) && !t.is_entity());
            now && bare && super::nominal::property(what).is_some() && !rest.iter().any(|t| t.has(&Sense::Disposal))
        }
        _ => false,
    };
    if of_now(tokens) {
        return true;
    }
    // 空调开得很大: how it is done tells of it.
    let complement = |pair: &[Token]| verb(&pair[0]) && vocabulary.lexicon.complement.contains(&pair[1].text);
    if tokens.windows(2).any(complement) {
        return true;
    }
    // 门没锁好
    let undone = |pair: &[Token]| pair[0].has(&Sense::Not) && marks.tells_undone(&pair[0].text) && verb(&pair[1]);
    if tokens.windows(2).any(undone) {
        return true;
    }
    // 洗不干净: what cannot be done.
    let cannot = |three: &[Token]| verb(&three[0]) && three[1].has(&Sense::Not) && three[2].is_residue();
    if tokens.windows(3).any(cannot) {
        return true;
    }
    let state = tokens.iter().any(|t| {
        t.any(|s| matches!(s, Sense::State(_)))
            && !verb(t)
            && !t.is_entity()
            && !t.any(|s| matches!(s, Sense::Direction { .. }))
    });
    let acts = tokens
        .iter()
        .any(|t| verb(t) || t.any(|s| matches!(s, Sense::Set { .. } | Sense::Step { .. } | Sense::SetBare)));
    subject_did || (state && !acts && !disposal)
}

/// Whether a word has somebody do what follows (`叫`, `让`); 给我 does it for whoever speaks.
fn lets(token: &Token, lexicon: &Lexicon) -> bool {
    let helps = lexicon.marks.helps.iter().any(|word| token.text.starts_with(word.as_str()));
    lexicon.ceases.let_it.contains(&token.text) && !helps
}

/// Whether words only name what is a number: 亮度. What is on or off is wanted by whoever names it.
pub fn only_names_a_number(words: &[Token], vocabulary: &Vocabulary) -> bool {
    let number = |s: &Sense| matches!(s, Sense::Property(p) if !vocabulary.lexicon.properties[*p].flag);
    let small = |s: &Sense| matches!(s, Sense::Filler | Sense::Particle | Sense::Punctuation);
    words.iter().all(|t| t.any(|s| number(s) || small(s)) && !t.any(Sense::is_action) && !t.has(&Sense::Value))
}

//! What is found of things as they are, in words that could tell to make them so: `24度太冷了`, `扫地机扫地真干净`, `洗衣机停了`,
//! `把灯关了我怎么写作业`.

use super::super::super::lexicon::{Asides, Lexicon, Question, Sense, Unit};
use super::super::super::segment::Token;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, kind, property};
use super::super::recut::devices;
use super::overheard::is_overheard;
use super::state::says_how_it_is;

/// Whether all that a sentence tells is only found of something.
pub(in super::super) fn only_remarks(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let mut acting = clauses(tokens).filter(|clause| acts(clause)).peekable();
    let all = acting.peek().is_some() && acting.all(|clause| is_remark(clause, vocabulary));
    let said: String = tokens.iter().map(|t| t.text.as_str()).collect();
    all || is_shared(tokens, &vocabulary.lexicon)
        || is_left_so(tokens, &vocabulary.lexicon)
        || goes_out(tokens, vocabulary)
        || vocabulary.lexicon.asides.hushes.contains(&said)
}

/// `你先睡，我关灯`: who does what is settled among people.
fn is_shared(tokens: &[Token], lexicon: &Lexicon) -> bool {
    let you = |clause: &[Token]| clause.first().is_some_and(|t| lexicon.addressees.contains(&t.text) && !t.is_entity());
    let mine = |clause: &[Token]| {
        let [me, does, ..] = clause else { return false };
        me.has(&Sense::Speaker)
            && (does.any(|s| matches!(s, Sense::Verb(_))) || does.has(&Sense::Disposal))
            && !does.is_entity()
    };
    let told = |clause: &&[Token]| clause.iter().any(is_told);
    clauses(tokens).any(you) && clauses(tokens).any(mine) && clauses(tokens).filter(told).all(mine)
}

/// `26度刚好，不用动`
fn is_left_so(tokens: &[Token], lexicon: &Lexicon) -> bool {
    let last = clauses(tokens).last().unwrap_or_default();
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler));
    let stays =
        last.iter().any(|t| t.has(&Sense::ExceptAfter)) && last.iter().all(|t| small(t) || t.has(&Sense::ExceptAfter));
    let said: String = tokens.iter().map(|t| t.text.as_str()).collect();
    let content = lexicon.asides.contents.iter().any(|word| said.contains(word.as_str()));
    let number = tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity());
    stays && content && number && !tokens.iter().any(is_told)
}

/// `灯灭了`, `洗衣机停了，快去晾衣服`: what it did by itself, where nothing else is told but to somebody who stands by.
fn goes_out(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let mut said = clauses(tokens);
    let Some(first) = said.next() else { return false };
    let words = |tokens: &[Token]| tokens.iter().map(|t| t.text.as_str()).collect::<String>();
    // 洗衣机停了你看看
    let you = |t: &Token| lexicon.addressees.contains(&t.text) && !t.is_entity();
    let end = first.iter().position(you).unwrap_or(first.len());
    let (told, behind) = first.split_at(end);
    let named =
        |t: &Token| is_thing(t) || t.any(|s| matches!(s, Sense::Room(_) | Sense::Property(_) | Sense::Feature(_)));
    let verb = told.iter().position(is_told).unwrap_or(told.len());
    let stops = lexicon.asides.stops.iter().any(|word| words(&told[verb..]) == *word);
    let alone = verb > 0 && told[..verb].iter().all(named);
    let stands_by = |clause: &[Token]| {
        // 快去晾衣服
        let goes = |t: &Token| you(t) || t.any(|s| matches!(s, Sense::Speaker | Sense::Disposal));
        let begins = clause.iter().take(2).any(goes);
        begins && !clause.iter().any(|t| t.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_))))
    };
    stops && alone && !behind.iter().any(is_told) && said.all(stands_by)
}

/// The sentence without what is only found of something, beside what is told.
pub(in super::super) fn without_remarks(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    if !clauses(&tokens).any(|clause| is_remark(clause, vocabulary)) {
        return tokens;
    }
    let parts = tokens.split_inclusive(|t| t.has(&Sense::Punctuation));
    let told = |clause: &&[Token]| acts(clause) && !is_remark(clause, vocabulary);
    let named = clauses(&tokens).filter(told).any(|clause| clause.iter().any(is_thing));
    let kept = |part: &[Token]| -> Vec<Token> {
        let clause = part.split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
        match is_remark(clause, vocabulary) {
            // 空调26度有点冷，再高一度: of what that is.
            true if !named => topic(clause, vocabulary),
            true => Vec::new(),
            false => part.to_vec(),
        }
    };
    parts.flat_map(kept).collect()
}

/// What a remark is about: the thing, or what is measured in its unit.
fn topic(clause: &[Token], vocabulary: &Vocabulary) -> Vec<Token> {
    let named = |t: &&Token| is_thing(t) || property(t).is_some() && !t.any(|s| matches!(s, Sense::Unit(_)));
    let of: Vec<Token> = clause.iter().filter(named).cloned().collect();
    let degrees = clause.iter().any(|t| t.has(&Sense::Unit(Unit::Celsius)));
    match vocabulary.lexicon.property("temperature").filter(|_| degrees && of.is_empty()) {
        Some(temperature) => {
            let text = vocabulary.lexicon.properties[temperature].words[0].clone();
            vec![Token { text, heard: None, senses: vec![Sense::Property(temperature)] }]
        }
        None => of,
    }
}

/// `26度有点冷调高两度`, `电视声音大了，关小点`, `灯谁开的，关了`: what is found, or asked, before what is told of the same thing in its breath or in the
/// next one, as what it is about.
pub(in super::super) fn topics(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    let pause = |t: &Token| t.has(&Sense::Punctuation);
    let binds = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Then | Sense::Standing));
    if tokens.iter().any(|t| binds(t) && !t.is_entity()) {
        return tokens;
    }
    // 26度有点冷调高两度
    for at in 2..tokens.len() {
        let begin = tokens[..at].iter().rposition(pause).map_or(0, |pause| pause + 1);
        let judged = begin + 1 < at && is_told(&tokens[at]) && is_judged(&tokens[begin..at], lexicon);
        if judged {
            let of = topic(&tokens[begin..at], vocabulary);
            tokens.splice(begin..at, of);
            return tokens;
        }
    }
    let mut starts = vec![0];
    starts.extend((0..tokens.len()).filter(|at| pause(&tokens[*at])).map(|at| at + 1));
    for n in 0..starts.len().saturating_sub(1) {
        let next_end = starts.get(n + 2).map_or(tokens.len(), |next| next - 1);
        let (clause, next) = (&tokens[starts[n]..starts[n + 1] - 1], &tokens[starts[n + 1]..next_end]);
        let of_it = acts(next) && !next.iter().any(|t| is_thing(t) || property(t).is_some());
        if of_it && (is_too_much(clause, lexicon) || asks_who(clause)) {
            let of = topic(clause, vocabulary);
            tokens.splice(starts[n]..starts[n + 1], of);
            return tokens;
        }
    }
    tokens
}

/// `声音大了`, `空调吹得我头疼`
fn is_too_much(clause: &[Token], lexicon: &Lexicon) -> bool {
    let more = |t: &Token| t.any(|s| matches!(s, Sense::Degree { .. } | Sense::Direction { .. })) && !t.is_entity();
    let of = |t: &Token| is_thing(t) || property(t).is_some();
    let grown = matches!(clause, [.., what, how, over] if of(what) && more(how) && over.text == lexicon.marks.changed);
    let complement = |t: &Token| lexicon.complement.contains(&t.text) && !t.is_entity();
    let painted = clause.iter().position(complement).is_some_and(|at| {
        clause[..at].iter().filter(|t| is_thing(t)).count() == 1
            && clause[at + 1..].iter().any(|t| t.is_residue() || t.has(&Sense::Reason))
    });
    grown || painted && !clause.iter().any(|t| t.any(|s| matches!(s, Sense::Set { .. } | Sense::Disposal)))
}

/// `灯谁开的`
fn asks_who(clause: &[Token]) -> bool {
    let who = |t: &Token| t.any(|s| matches!(s, Sense::Question(Question::Who))) && !t.is_entity();
    let refuses = |t: &Token| t.any(|s| matches!(s, Sense::Negation | Sense::Not | Sense::Each));
    clause.iter().any(who) && clause.iter().any(is_thing) && !clause.iter().any(refuses)
}

fn clauses(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.split(|t| t.has(&Sense::Punctuation)).filter(|clause| !clause.is_empty())
}

fn acts(clause: &[Token]) -> bool {
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Fraction(_)));
    let more = |t: &Token| t.any(|s| matches!(s, Sense::Direction { .. } | Sense::Degree { .. }));
    clause.iter().any(|t| !t.is_entity() && (value(t) || more(t) || t.any(Sense::is_action)))
}

fn is_remark(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let asks = clause.iter().any(|t| t.any(|s| matches!(s, Sense::Question(_) | Sense::If | Sense::IfClose)));
    // 不 asks as well.
    says_how_it_is(clause, lexicon)
        || !asks
            && (is_judged(clause, lexicon)
                || is_content(clause, lexicon)
                || happens(clause, lexicon)
                || is_overheard(clause, lexicon)
                || is_there(clause, lexicon)
                || is_protested(clause, &lexicon.asides)
                || comes_of_it(clause, vocabulary))
}

/// `24度太冷了`, `扫地真干净`, `开到最亮还是暗`: how something is found to be that is so.
fn is_judged(clause: &[Token], lexicon: &Lexicon) -> bool {
    let judges = |t: &Token| {
        let begins = |word: &String| t.text.starts_with(word.as_str());
        lexicon.asides.judges.iter().any(begins) && !t.is_entity() && !is_told(t)
    };
    let how = |t: &Token| {
        t.is_residue()
            || t.any(|s| {
                matches!(s, Sense::Direction { .. } | Sense::Degree { .. } | Sense::Reason | Sense::Feature(_))
            })
    };
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Of));
    let found = |at: usize| {
        let rest = &clause[at..];
        // 好了 ends; 好吵 finds.
        let word = lexicon.asides.judges.contains(&rest[0].text);
        let says = if word { rest[1..].iter().any(how) } else { how(&rest[0]) };
        says && rest[1..].iter().all(|t| how(t) || small(t))
    };
    let refused = |at: usize| clause[at - 1].any(|s| matches!(s, Sense::Negation | Sense::Not));
    let judged = (1..clause.len()).find(|at| judges(&clause[*at]) && found(*at) && !refused(*at));
    let Some(at) = judged else { return false };
    let before = &clause[..at];
    let own = |t: &Token, what: &dyn Fn(&Sense) -> bool| t.any(what) && !t.is_entity();
    let value = |s: &Sense| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Choice(_) | Sense::Extreme(_));
    let does = |s: &Sense| matches!(s, Sense::Verb(v) if lexicon.verbs[*v].switches.is_none());
    let switches = |s: &Sense| lexicon.switches(s).is_some();
    let more = |s: &Sense| {
        let step = matches!(s, Sense::Step { .. } | Sense::Direction { .. } | Sense::Degree { .. });
        step || matches!(s, Sense::Disposal | Sense::Little | Sense::Polite)
    };
    // 开20度 is a value.
    let valued = |at: usize| before.get(at + 1).is_some_and(|t| t.any(|s| matches!(s, Sense::Number(_))));
    let told = |at: usize| {
        let value = own(&before[at], &value);
        own(&before[at], &more) && !value || own(&before[at], &switches) && !valued(at)
    };
    // What is found is found of what stands right before it.
    let link = |t: &&Token| {
        let of = t.any(|s| matches!(s, Sense::Unit(_) | Sense::Property(_) | Sense::Of | Sense::Speaker));
        of || t.text == lexicon.marks.changed || lexicon.addressees.contains(&t.text)
    };
    let found = before.iter().rev().find(|t| !link(t) || own(t, &value));
    let is_value = |t: &Token| !is_thing(t) && (own(t, &value) && !own(t, &switches) || own(t, &does));
    found.is_some_and(is_value) && !(0..before.len()).any(told)
}

/// `26度刚好不用动`, `已经26度了`: it shall stay as it is.
fn is_content(clause: &[Token], lexicon: &Lexicon) -> bool {
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let told = clause.iter().any(is_told);
    let number = clause.iter().any(|t| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity());
    let stays = clause.last().is_some_and(|t| t.any(|s| matches!(s, Sense::ExceptAfter | Sense::Negation)));
    let content = stays && lexicon.asides.contents.iter().any(|word| text.contains(word.as_str()));
    let over = clause.last().is_some_and(|t| t.text == lexicon.marks.changed);
    // 空调都三十度了
    let named = || clause.iter().any(|t| is_thing(t) || property(t).is_some());
    let counts = |t: &Token| t.any(|s| matches!(s, Sense::Number(_))) && !t.is_entity();
    let links = |t: &&Token| t.has(&Sense::Link);
    let counted = |at: usize| {
        let next = at + 1 + clause[at + 1..].iter().take_while(links).count();
        clause[at].has(&Sense::Each) && clause.get(next).is_some_and(counts)
    };
    let each = || named() && (0..clause.len()).any(counted);
    let already = over && (clause.iter().any(|t| t.has(&Sense::Already)) || each());
    number && !told && (content || already)
}

/// `有地热呢`: that there is another thing is why.
fn is_there(clause: &[Token], lexicon: &Lexicon) -> bool {
    let [first, rest @ ..] = clause else { return false };
    let last = rest.last().is_some_and(|t| t.has(&Sense::Particle) && lexicon.marks.busy.contains(&t.text));
    first.has(&Sense::Exists) && last && rest.iter().any(is_thing) && !rest.iter().any(is_told)
}

/// `洗衣机停了`, `灯都灭了`: what it did by itself. With 把 somebody is told to do it.
fn happens(clause: &[Token], lexicon: &Lexicon) -> bool {
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let led = clause.first().is_some_and(|t| is_thing(t) || t.any(|s| matches!(s, Sense::Room(_) | Sense::Also)));
    let asks = |s: &Sense| matches!(s, Sense::Disposal | Sense::Polite | Sense::Sequence);
    let told = clause.iter().any(|t| t.any(asks) && !t.is_entity());
    led && !told && lexicon.asides.happens.iter().any(|word| text.ends_with(word.as_str()))
}

/// `把灯关了我怎么写作业`: whoever asks so does not want it.
fn is_protested(clause: &[Token], asides: &Asides) -> bool {
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Choice(_)));
    let told = clause.iter().position(|t| t.any(Sense::is_action) && !t.is_entity());
    let Some(at) = told.or_else(|| clause.iter().position(value)) else { return false };
    let rest: String = clause[at + 1..].iter().map(|t| t.text.as_str()).collect();
    asides.protests.iter().any(|word| rest.contains(word.as_str()))
}

/// `灯关了太黑`, `窗帘拉开太晒`: what has come of it.
fn comes_of_it(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let way = |t: &Token| t.senses.iter().find_map(|s| lexicon.switches(s)).filter(|_| !t.is_entity());
    let Some((at, on)) = clause.iter().enumerate().find_map(|(at, t)| way(t).map(|on| (at, on))) else { return false };
    let of = |id: &str| {
        let named = lexicon.kind(id);
        let is = |t: &Token| {
            let hangs = |d: &usize| named.is_some_and(|kind| vocabulary.devices[*d].is(kind));
            kind(t).is_some_and(|kind| Some(kind) == named)
                || devices(t, vocabulary).is_some_and(|d| d.iter().any(hangs))
        };
        clause.iter().any(is)
    };
    let rest = &clause[at + 1..];
    let asides = &lexicon.asides;
    let comes = match (on, of("light") || of("blind")) {
        (true, true) => &asides.glares,
        (false, true) => &asides.darkens,
        (false, false) if of("air_conditioner") || of("fan") => &asides.stuffs,
        _ => return false,
    };
    // 开灯太刺眼: behind the thing as well.
    let text: String = rest.iter().filter(|t| !is_thing(t)).map(|t| t.text.as_str()).collect();
    // 灯关一下太亮看不清
    let glares = |list: &[String]| list.iter().any(|word| text.contains(word.as_str()));
    if !on && glares(&asides.glares) || rest.iter().any(|t| t.has(&Sense::Little)) {
        return false;
    }
    // 把灯关了吧看不见了 begs.
    let begs = rest.first().is_some_and(|t| t.text == lexicon.marks.tag) || rest.iter().any(is_told);
    let named = clause.iter().filter(|t| property(t).is_some() && !is_thing(t)).count();
    !begs && named == 0 && comes.iter().any(|word| text.contains(word.as_str()))
}

fn is_told(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. }))
        && !token.is_entity()
}

//! How late it is, as a reason, and times of what other people do: no times of what is told.

use super::super::super::lexicon::Sense;
use super::super::super::segment::{self, Token};
use super::super::super::time::{self, Piece, Span};
use super::super::super::vocabulary::Vocabulary;
use super::super::act;
use super::timed::{is_reminder, pause};

/// No hour of the day is said in more characters: `今天晚上十一点五十九分`.
const HOUR_CHARS: usize = 16;

/// The sentence without what says how late it is or when something else is: `台灯关了，都十点了`, `都十点了还不关灯`, `八点开会，台灯打开`.
pub(in super::super) fn without_the_hour(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let tokens = without_how_late(late_at_last(tokens, vocabulary), vocabulary);
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    let bare = |clause: &[Token]| clause.iter().filter(|t| !t.has(&Sense::Punctuation)).cloned().collect::<Vec<_>>();
    let told = clauses.iter().any(|clause| act::tells(clause));
    // 我妈七点到，你现在先把空调打开
    let now = |t: &Token| vocabulary.lexicon.marks.now.iter().any(|word| t.text.contains(word.as_str()));
    let first = |t: &Token| vocabulary.lexicon.marks.first.contains(&t.text) && !t.is_entity();
    let hurried = |clause: &[Token]| clause.iter().any(now) || clause.first().is_some_and(first);
    let at_once = clauses.iter().any(|clause| act::tells(clause) && hurried(clause));
    let idle = |clause: &[Token]| {
        let clause = bare(clause);
        let event = told && tells_of_an_event(&clause, vocabulary);
        is_late(&clause, vocabulary) || event || at_once && is_of_others(&clause, vocabulary)
    };
    if clauses.len() < 2 || !clauses.iter().any(|clause| idle(clause)) {
        return tokens;
    }
    clauses.into_iter().filter(|clause| !idle(clause)).flatten().cloned().collect()
}

/// `九点半了`, `都十点了`
fn is_late(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let [first, .., last] = clause else { return false };
    // 现在都八点了, 刚过九点, 七点多了
    let said: String = clause.iter().map(|t| t.text.as_str()).collect();
    let mut words: Vec<&String> = vocabulary.lexicon.asides.lately.iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let lead = words.iter().find(|word| said.starts_with(word.as_str()));
    let rest = lead.map_or(said.as_str(), |word| &said[word.len()..]);
    let more =
        words.iter().find_map(|word| rest.starts_with(word.as_str()).then(|| &rest[word.len()..])).unwrap_or(rest);
    let over = vocabulary.lexicon.marks.changed.as_str();
    let bare = more.strip_suffix(over).unwrap_or(more);
    let bare = words.iter().find_map(|word| bare.strip_suffix(word.as_str())).unwrap_or(bare);
    let changed = more != bare || lead.is_some();
    if changed && is_hour_text(bare, vocabulary) {
        return true;
    }
    let hour = |from: usize| &clause[from..clause.len() - 1];
    let begins = first.any(|s| matches!(s, Sense::Each | Sense::Already));
    let late = begins && is_hour(hour(1), vocabulary) || is_hour(hour(0), vocabulary);
    last.text == vocabulary.lexicon.marks.changed && late
}

/// Whether words are one hour of the day and nothing else.
fn is_hour(words: &[Token], vocabulary: &Vocabulary) -> bool {
    is_hour_text(&words.iter().map(|t| t.text.as_str()).collect::<String>(), vocabulary)
}

fn is_hour_text(text: &str, vocabulary: &Vocabulary) -> bool {
    let chars: Vec<char> = text.chars().take(HOUR_CHARS + 1).collect();
    if chars.len() > HOUR_CHARS {
        return false;
    }
    let spans = time::read(&chars, |_| false, &vocabulary.lexicon.time);
    matches!(&spans[..], [Span { start: 0, end, piece: Piece::At(moment, None), .. }] if *end == chars.len() && moment.clock.is_some())
}

/// `都十点了还不关灯`: what stands before what is told, in the same breath.
fn without_how_late(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let changed = &vocabulary.lexicon.marks.changed;
    let mut begin = 0;
    while begin < tokens.len() {
        let clause = &tokens[begin..];
        let length = clause.iter().position(|t| t.has(&Sense::Punctuation)).unwrap_or(clause.len());
        let clause = &clause[..length];
        let after = clause.iter().position(|t| t.text == *changed).filter(|at| is_late(&clause[..=*at], vocabulary));
        if let Some(at) = after.filter(|at| *at + 1 < length) {
            tokens.drain(begin..=begin + at);
            continue;
        }
        begin += length + 1;
    }
    tokens
}

/// `灯关了吧都十一点了`: what stands behind what is told, in the same breath, and says that it is late.
fn late_at_last(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let mut end = tokens.len();
    loop {
        let begin = tokens[..end].iter().rposition(|t| t.has(&Sense::Punctuation)).map_or(0, |pause| pause + 1);
        let says = |at: &usize| {
            let lead = vocabulary.lexicon.asides.lately.contains(&tokens[*at].text) && !tokens[*at].is_entity();
            lead && act::tells(&tokens[begin..*at]) && is_late(&tokens[*at..end], vocabulary)
        };
        if let Some(at) = (begin + 1..end).find(says) {
            tokens.drain(at..end);
        }
        if begin == 0 {
            return tokens;
        }
        end = begin - 1;
    }
}

/// `八点开会`, `半小时后客人来`: when something else is, once. Every day it would be when to do what is told, and on another day it may be
/// (`明早七点起床，窗帘拉开`), unless it is why (`明天六点要起床`); who wants to be called is not only told of.
fn tells_of_an_event(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let chars: Vec<char> = text.chars().collect();
    let spans = time::read(&chars, |_| false, &vocabulary.lexicon.time);
    let [Span { start, end, piece, .. }] = &spans[..] else { return false };
    let words = |part: &[char]| segment::plain(&part.iter().collect::<String>(), vocabulary);
    let begins = |sense: &Sense| clause.first().is_some_and(|t| t.has(sense));
    // 我明早五点出车
    let (past, mine) = (begins(&Sense::Past), begins(&Sense::Speaker));
    let led = past
        || words(&chars[..*start]).iter().all(|t| t.any(|s| matches!(s, Sense::Past | Sense::Filler | Sense::Speaker)));
    let once =
        matches!(piece, Piece::At(moment, None) if moment.clock.is_some()) || matches!(piece, Piece::After { .. });
    let rest = words(&chars[*end..]);
    let another_day = matches!(piece, Piece::At(moment, _) if moment.day.is_some());
    let must = rest.first().is_some_and(|t| t.has(&Sense::Filler) || vocabulary.lexicon.modals.contains(&t.text));
    let explains = |t: &Token| t.is_residue() && t.text.chars().count() > 1 || t.has(&Sense::Reason);
    let binds = |t: &Token| {
        t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Question(_) | Sense::Then | Sense::Negation))
    };
    led && once
        && (past || mine || must || !another_day)
        && !is_reminder(&text, vocabulary)
        && rest.iter().any(explains)
        && !rest.iter().any(binds)
        && !act::tells(&rest)
        && !act::names_something(&rest)
        && !vocabulary.lexicon.asides.says_when(&text)
}

/// `我妈七点到`, `三点的会`: a clause with a time that names nothing of the home and tells to do nothing with it.
fn is_of_others(clause: &[Token], vocabulary: &Vocabulary) -> bool {
    let text: String = clause.iter().map(|t| t.text.as_str()).collect();
    let chars: Vec<char> = text.chars().collect();
    let [Span { start, end, .. }] = &time::read(&chars, |_| false, &vocabulary.lexicon.time)[..] else { return false };
    let rest: String = chars[..*start].iter().chain(&chars[*end..]).collect();
    let rest = segment::plain(&rest, vocabulary);
    let tells = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    // 先开到20度，半小时后26度
    let value = rest.iter().any(|t| t.any(|s| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Value)))
        && !rest.iter().any(Token::is_residue);
    !rest.is_empty() && !value && !rest.iter().any(tells) && !act::names_something(&rest)
}

/// `你五点就要出车还刷手机，床头灯关了`, `面膜要敷十五分钟，镜前灯打开`: whether a time stands in a clause that tells of something else, beside
/// others: how long that takes, or when somebody does it.
pub(super) fn of_its_own(chars: &[char], span: &Span, vocabulary: &Vocabulary) -> bool {
    let (before, after) = (pause(&chars[..span.start], true), pause(&chars[span.end..], false));
    if before.len() + (span.end - span.start) + after.len() == chars.len() {
        return false;
    }
    let words = |part: &[char]| segment::plain(&part.iter().collect::<String>(), vocabulary);
    let told_until = span.start - before.len();
    let (before, after) = (words(before), words(after));
    let binds = |t: &Token| t.any(|s| matches!(s, Sense::If | Sense::IfClose | Sense::Question(_)));
    let rest = [before.as_slice(), &after].concat();
    let of_others = rest.iter().any(Token::is_residue)
        && !rest.iter().any(binds)
        && !act::tells(&rest)
        && !act::names_something(&rest);
    if !of_others {
        return false;
    }
    let lexicon = &vocabulary.lexicon;
    let somebody = |t: &Token| {
        t.has(&Sense::Person) || [&lexicon.addressees, &lexicon.pronouns].iter().any(|list| list.contains(&t.text))
    };
    // 电视小点声，我明早五点出车: behind what is told it says why.
    let told = || act::tells(&words(&chars[..told_until]));
    let mine = || before.first().is_some_and(|t| t.has(&Sense::Speaker)) && told();
    // 明早七点还要赶地铁
    // 三点过才收摊
    let past: &[Token] = if after.first().is_some_and(|t| t.has(&Sense::TimeAfter)) { &after[1..] } else { &after };
    let plans = past.first().is_some_and(|t| lexicon.modals.iter().any(|modal| t.text.starts_with(modal.as_str())));
    // 屏显关了吧，半夜照得我睡不着
    let behind = || matches!(&span.piece, Piece::At(moment, None) if moment.clock.is_none()) && told();
    // 明早七点的火车; 有一桌订了六点半
    let over = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Of | Sense::Finished));
    let dated = after.first().is_some_and(|t| t.has(&Sense::Of)) && after.iter().any(Token::is_residue);
    let arranged = after.is_empty() && before.iter().any(Token::is_residue) && before.iter().any(over);
    let theirs = plans || dated || arranged || before.iter().any(|t| somebody(t) && !t.has(&Sense::Speaker));
    theirs || matches!(span.piece, Piece::For(_)) || mine() || behind()
}

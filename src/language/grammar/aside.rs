//! Sentences that hold an action and tell nobody to do it: whoever speaks does it (`我去把电视关了`), it is told of (`灯开了也没用`),
//! not cared for (`懒得开灯`), taken back (`把灯关了，开玩笑的`), quoted (`歌里唱着关了灯`), or one of two that are weighed.
//!
//! This is seen in the whole sentence, before anything of it is left out as a comment: what is left would be a command.

mod belongings;
mod blame;
mod elsewhere;
mod outcome;
mod overheard;
mod remark;
mod state;

pub(super) use belongings::{is_for_a_crowd, without_belongings};
pub(super) use blame::without_blame;
pub use elsewhere::is_of_others;
pub(super) use outcome::without_outcome;
pub(super) use overheard::{goes_on_to_somebody, without_hush};
pub(super) use remark::{only_remarks, topics, without_remarks};
pub(super) use state::tells_how_it_is;

use super::super::lexicon::{Asides, Lexicon, Question, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::is_thing;

/// Whether all the actions of a sentence are only spoken of.
pub(super) fn tells_nothing(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let asides = &vocabulary.lexicon.asides;
    if state::tells_that_it_is(tokens, vocabulary) {
        return true;
    }
    let clauses: Vec<Clause> = tokens.split(|t| t.has(&Sense::Punctuation)).map(Clause::new).collect();
    let Some(first) = clauses.iter().position(|c| c.last_action().is_some()) else { return false };
    // 听不清他说什么 gives no words of his.
    let asks = |c: &Clause| c.tokens.iter().any(|t| t.any(|s| matches!(s, Sense::Question(Question::Which))));
    if clauses[first + 1..].iter().any(|c| c.finds(&asides.taken_back).next().is_some() && !asks(c)) {
        return true;
    }
    // 后面那句咋唱的，关上了灯
    let recited = |c: &Clause| c.finds(&asides.sung).next().is_some() || c.is_recited(asides);
    if clauses[..first].iter().any(recited) {
        return true;
    }
    let aside = |clause: &Clause| {
        clause.is_done_by_somebody(vocabulary)
            || clause.is_unwilling(asides)
            || clause.is_quoted(asides)
            || clause.is_told_of(vocabulary)
            || clause.weighs(vocabulary)
            || clause.wonders()
            || clause.cannot(asides)
    };
    let mut acting = clauses.iter().filter(|c| c.last_action().is_some());
    acting.all(aside)
}

/// Whether what is done in a sentence is told of, and not told to be done, by how its clauses stand together.
pub(super) fn is_over(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let asides = &vocabulary.lexicon.asides;
    let clauses: Vec<Clause> = tokens.split(|t| t.has(&Sense::Punctuation)).map(Clause::new).collect();
    let acts = |clause: &Clause| clause.last_action().is_some();
    // 奶奶从来不，打开小太阳: a pause within what is told of.
    let leads_on = |clause: &Clause| asides.leads_on.iter().any(|word| clause.text.ends_with(word.as_str()));
    let verb_first = |clause: &Clause| clause.begins_action(0) && !clause.tokens.first().is_some_and(is_thing);
    let paused = clauses.windows(2).any(|pair| leads_on(&pair[0]) && !acts(&pair[0]) && verb_first(&pair[1]));
    // 空调调到二十六度，结果感冒了
    let turns_out = |clause: &Clause| asides.turns_out.iter().any(|word| clause.text.starts_with(word.as_str()));
    let behind = clauses.iter().rposition(acts).and_then(|last| clauses.get(last + 1));
    // 电视是他打开的
    let mut told = clauses.iter().filter(|clause| clause.tokens.iter().any(is_done)).peekable();
    let by_somebody = told.peek().is_some() && told.all(|clause| clause.says_who_did_it(&vocabulary.lexicon.marks.of));
    // 台灯的事先停一停
    let matter = |clause: &Clause| {
        // 净化器的事件响应 is no matter of it.
        let matter = asides.matters.iter().any(|word| clause.finds_word(word, vocabulary));
        matter && acts(clause) && clause.tokens.iter().any(is_thing)
    };
    paused || behind.is_some_and(turns_out) || by_somebody || clauses.iter().any(matter)
}

/// `空调我来关，你把灯关了`: without what somebody else does or did, beside what is told.
pub(super) fn without_theirs(tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let lexicon = &vocabulary.lexicon;
    // 我关了空调
    let did = |clause: &[Token]| {
        let verb = |t: &Token| t.any(|s| matches!(s, Sense::Verb(_))) && t.text.ends_with(&lexicon.marks.changed);
        let does = |pair: &[Token]| pair[0].has(&Sense::Speaker) && verb(&pair[1]) && !pair[1].is_entity();
        clause.windows(2).any(does) && clause.last().is_some_and(|t| !verb(t) && !t.has(&Sense::Particle))
    };
    let clauses: Vec<&[Token]> = tokens.split_inclusive(|t| t.has(&Sense::Punctuation)).collect();
    // Whether it acts, and whose doing that is.
    let read = |tokens: &[Token]| {
        let clause = Clause::new(tokens);
        (clause.last_action().is_some(), did(tokens) || clause.is_done_by_somebody(vocabulary))
    };
    let read: Vec<(bool, bool)> = clauses.iter().map(|clause| read(clause)).collect();
    if !read.contains(&(true, false)) || !read.contains(&(true, true)) {
        return tokens;
    }
    let told = clauses.into_iter().zip(read).filter(|(_, read)| *read != (true, true));
    told.flat_map(|(clause, _)| clause).cloned().collect()
}

/// A part of a sentence between two pauses.
struct Clause<'a> {
    tokens: &'a [Token],
    text: String,
    /// Where each word begins, in bytes, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> Clause<'a> {
    fn new(tokens: &'a [Token]) -> Self {
        let (mut text, mut starts) = (String::new(), vec![0]);
        for token in tokens {
            text.push_str(&token.text);
            starts.push(text.len());
        }
        Self { tokens, text, starts }
    }

    /// Whether the text has a word that does not reach into a name of what a thing has.
    fn finds_word(&self, word: &str, vocabulary: &Vocabulary) -> bool {
        let within = |at: &usize| self.starts.partition_point(|start| start < at).checked_sub(1);
        let feature =
            |at: usize| within(&at).is_some_and(|index| super::word::is_own_name(self.tokens, index, vocabulary));
        self.text.match_indices(word).any(|(at, _)| !feature(at + word.len()))
    }

    /// `电视是他打开的`, `空调是关着的`: of a thing that it begins with, and no question.
    fn says_who_did_it(&self, of: &str) -> bool {
        let is = |t: &Token| t.any(|s| matches!(s, Sense::Is | Sense::Correction)) && !t.is_entity();
        let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(_) | Sense::Alternative));
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle));
        let thing = self.tokens.iter().position(|t| !small(t)).filter(|at| super::names_a_thing(&self.tokens[*at]));
        let is = thing.and_then(|thing| (thing..self.tokens.len()).find(|at| is(&self.tokens[*at])));
        let is = is.filter(|at| self.tokens[..*at].iter().any(is_thing));
        is.is_some_and(|at| self.tokens[at..].iter().any(is_done))
            && self.text.ends_with(of)
            && !self.tokens.iter().any(asks)
    }

    /// `电热毯开一宿能不能着火`: what may come of it is asked, and nothing is told.
    fn wonders(&self) -> bool {
        let strange = |t: &Token| t.is_residue() && t.heard.is_none();
        let asks = |at: usize| self.tokens[at].has(&Sense::Polite) && self.tokens[at].text.chars().count() > 1;
        let wonders = |at: usize| {
            let (before, after) = (&self.tokens[..at], &self.tokens[at + 1..]);
            before.iter().any(is_action)
                && after.iter().any(strange)
                && !after.iter().any(|t| is_action(t) || t.has(&Sense::Disposal))
        };
        // 空调关了谁的主意
        let who = |t: &Token| t.any(|s| matches!(s, Sense::Question(Question::Who))) && !t.is_entity();
        let blames = |at: usize| {
            let (before, after) = (&self.tokens[..at], &self.tokens[at + 1..]);
            who(&self.tokens[at]) && before.iter().any(is_action) && !after.iter().any(is_action)
        };
        (1..self.tokens.len()).any(|at| asks(at) && wonders(at) || blames(at))
    }

    /// Where words of a list stand, names of the home apart: where they begin and end, in bytes.
    fn finds<'w>(&'w self, words: &'w [String]) -> impl Iterator<Item = (usize, usize)> + 'w {
        // 提示音 is a word of its own, and 老陈 may be anybody.
        let named = |start: usize, end: usize| {
            (0..self.tokens.len()).any(|at| {
                let (from, to) = (self.starts[at], self.starts[at + 1]);
                let token = &self.tokens[at];
                let breaks = (from < start || end < to) && !token.is_residue();
                from < end && start < to && (is_thing(token) || breaks)
            })
        };
        let of = |word: &'w String| self.text.match_indices(word.as_str()).map(|(at, found)| (at, at + found.len()));
        words.iter().flat_map(of).filter(move |(start, end)| !named(*start, *end))
    }

    /// The first word that begins at a byte or behind it.
    fn word_at(&self, byte: usize) -> usize {
        self.starts.iter().position(|start| *start >= byte).unwrap_or(self.tokens.len()).min(self.tokens.len())
    }

    /// The first word that says what to do, or a value to set.
    fn first_action(&self) -> Option<usize> {
        let value = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Choice(_)));
        self.tokens.iter().position(|t| is_action(t) || (value(t) && !t.is_entity()))
    }

    /// Whether a word that says how a thing shall be is told with a little of it: `黄一点`.
    fn is_graded(&self, at: usize) -> bool {
        let how = self.tokens[at].any(|s| matches!(s, Sense::Direction { .. })) && !self.tokens[at].is_entity();
        how && self.tokens.get(at + 1).is_some_and(|t| t.has(&Sense::Little))
    }

    /// The last word that says what to do.
    fn last_action(&self) -> Option<usize> {
        // 不高兴 holds a way to step and is none.
        let refused = |at: usize| at > 0 && self.tokens[at - 1].any(|s| matches!(s, Sense::Not | Sense::Negation));
        (0..self.tokens.len()).rev().find(|at| (is_action(&self.tokens[*at]) || self.is_graded(*at)) && !refused(*at))
    }

    /// Whether a word that says what to do stands at a position, or what it is done to with 把.
    fn begins_action(&self, at: usize) -> bool {
        let leads = |t: &Token| is_action(t) || is_thing(t) || (t.has(&Sense::Disposal) && !t.has(&Sense::Filler));
        self.tokens.get(at).is_some_and(leads) && self.tokens[at..].iter().any(is_action)
    }

    /// `我去把电视关了`, `电视我来关`, `窗帘拉上我来`: whoever speaks, or somebody else, does it.
    fn is_done_by_somebody(&self, vocabulary: &Vocabulary) -> bool {
        let asides = &vocabulary.lexicon.asides;
        let somebody = |t: &Token| vocabulary.lexicon.pronouns.contains(&t.text) && !t.is_entity();
        (0..self.tokens.len()).filter(|at| somebody(&self.tokens[*at])).any(|at| {
            let mut rest = &self.text[self.starts[at + 1]..];
            while let Some(after) =
                asides.hurry.iter().filter_map(|word| rest.strip_prefix(word.as_str())).min_by_key(|s| s.len())
            {
                rest = after;
            }
            asides.goes.iter().filter_map(|word| rest.strip_prefix(word.as_str())).any(|rest| {
                let next = self.word_at(self.text.len() - rest.len());
                let over = self.tokens[next..].first().is_none_or(|t| t.has(&Sense::Particle));
                self.begins_action(next) || (over && self.last_action().is_some())
            })
        })
    }

    /// `晾衣架升不上去了`: what is tried in vain. 关不关 asks.
    fn cannot(&self, asides: &Asides) -> bool {
        (0..self.tokens.len()).filter(|at| is_action(&self.tokens[*at])).any(|at| {
            let rest = &self.text[self.starts[at + 1]..];
            let again = |word: &str| self.tokens[at].text.chars().last() == word.chars().nth(1);
            asides.cannot.iter().any(|word| rest.starts_with(word.as_str()) && !again(word))
        })
    }

    /// `懒得开灯`, `犯不着把空调打开`
    fn is_unwilling(&self, asides: &Asides) -> bool {
        self.finds(&asides.unwilling).any(|(_, end)| self.begins_action(self.word_at(end)))
    }

    /// `手机提示空调已打开`, `歌里唱着关了灯`
    fn is_quoted(&self, asides: &Asides) -> bool {
        self.finds(&asides.quoted).any(|(_, end)| self.tokens[self.word_at(end)..].iter().any(is_action))
    }

    /// `课文里写的`, `导演在花絮里吼`: what follows is somebody's words.
    fn is_recited(&self, asides: &Asides) -> bool {
        let says = |rest: &str| asides.recites.iter().any(|word| rest.contains(word.as_str()));
        self.finds(&asides.works).any(|(_, end)| says(&self.text[end..]))
    }

    /// `灯打开失败了`, `空调开了也不凉`, `电视声音大了邻居就来敲门`: what follows the action says something of it.
    fn is_told_of(&self, vocabulary: &Vocabulary) -> bool {
        let asides = &vocabulary.lexicon.asides;
        let (Some(first), Some(action)) = (self.first_action(), self.last_action()) else { return false };
        let after = |(start, _): (usize, usize)| start >= self.starts[first + 1];
        // 打开除湿，她说墙在冒水: what follows at once is what she says.
        let says = |(start, end): (usize, usize)| {
            let quotes = vocabulary.lexicon.quotes.iter().any(|word| *word == self.text[start..end]);
            after((start, end)) && (!quotes || end == self.text.len())
        };
        if self.finds(&asides.told_of).any(after) || self.finds(&asides.taken_back).any(says) {
            return true;
        }
        // 酒柜我早就调到十二度了
        let already = self.tokens.iter().position(|t| t.has(&Sense::Already));
        let somebody = |t: &Token| vocabulary.lexicon.pronouns.contains(&t.text);
        if already.is_some_and(|at| self.tokens[at..].iter().any(is_action) && self.tokens[..at].iter().any(somebody)) {
            return true;
        }
        let amount = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Unit(_)));
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Little));
        let ended = |t: &Token| (amount(t) || small(t)) && !asides.therefore.contains(&t.text);
        let rest = &self.tokens[action + 1..];
        let begins = rest.iter().position(|t| !ended(t)).unwrap_or(rest.len());
        let rest = &rest[begins..];
        let Some(first) = rest.first() else { return false };
        let lexicon = &vocabulary.lexicon;
        let somebody = lexicon.pronouns.contains(&first.text) || first.has(&Sense::Person);
        // 空调先开好他就到家了 says why; 把大门锁了他就不高兴 says what comes of it.
        let changed =
            self.tokens[..action + 1 + begins].last().is_some_and(|t| t.text.ends_with(&lexicon.marks.changed));
        let wants = somebody && (first.has(&Sense::Speaker) || !changed);
        let behind = &self.text[self.starts[action + 1 + begins]..];
        if asides.back_then.iter().any(|word| behind.strip_prefix(word.as_str()).is_some_and(|rest| !rest.is_empty()))
            || self.does_so_all_the_same(behind, vocabulary)
        {
            return true;
        }
        let from = self.starts[action + 1 + begins + usize::from(somebody)];
        let rest = &self.text[from..];
        let fine = |rest: &str| rest.is_empty() || asides.fine.iter().any(|word| rest.starts_with(word.as_str()));
        let leads = asides.therefore.iter().filter_map(|word| rest.strip_prefix(word.as_str())).any(|rest| !fine(rest));
        leads && !wants && self.tokens[self.word_at(from)..].iter().any(|t| t.is_residue() || t.any(is_comment))
    }

    /// `开二十六度省电还是二十七度省电`: which of two, and nobody has said.
    fn weighs(&self, vocabulary: &Vocabulary) -> bool {
        let value = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Choice(_) | Sense::Value));
        let tag = |t: &Token| t.text == vocabulary.lexicon.marks.tag;
        let which = self.tokens.iter().position(|t| t.has(&Sense::Alternative));
        which.is_some_and(|at| {
            self.tokens[..at].iter().any(value) && self.tokens[at..].iter().any(value) && !self.tokens.iter().any(tag)
        })
    }
}

/// Whether a word says what is done, or how that leaves a thing.
fn is_done(token: &Token) -> bool {
    !token.is_entity() && token.any(|s| s.is_action() || matches!(s, Sense::State(_)))
}

fn is_action(token: &Token) -> bool {
    !token.is_entity()
        && token.any(|s| {
            matches!(s, Sense::Verb(_) | Sense::Set { .. } | Sense::SetBare | Sense::Step { .. } | Sense::Degree { .. })
        })
}

fn is_comment(sense: &Sense) -> bool {
    matches!(sense, Sense::Reason | Sense::Suppose | Sense::Report | Sense::Not | Sense::Finished)
}

/// `柜机我关了`, `童锁我锁起的`, `浴霸换气打开过了`: whether the action at a position is told of as something that was done.
pub(super) fn is_told_of(clause: &[Token], at: usize, lexicon: &Lexicon) -> bool {
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let (before, after) = (&clause[..at], &clause[at + 1..]);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Particle | Sense::Filler | Sense::Of));
    if !acts(&clause[at]) || !after.iter().all(small) || !before.iter().any(super::names_a_thing) {
        return false;
    }
    let led = before.iter().rev().take_while(|t| t.any(|s| matches!(s, Sense::Also | Sense::Each | Sense::Already)));
    let mine = before.iter().rev().nth(led.count()).is_some_and(|t| t.has(&Sense::Speaker));
    let ends = |mark: &str| clause[at].text.ends_with(mark) || after.iter().any(|t| t.text == mark);
    let undergone =
        lexicon.marks.done.iter().any(|done| {
            *done != lexicon.marks.changed && after.first().is_some_and(|t| t.text.starts_with(done.as_str()))
        });
    mine && (ends(&lexicon.marks.changed) || ends(&lexicon.marks.of)) || undergone
}

#[cfg(test)]
mod tests {
    use crate::language::grammar::tests::at_home;
    use crate::language::grammar::{Parse, Rejection};

    #[test]
    fn what_is_over_is_told_to_nobody() {
        for sentence in ["小米电视是他打开的", "空调是关着的", "空调不是我开的", "空调调到二十六度 结果感冒了"]
        {
            assert_eq!(at_home(sentence), Parse::Rejected(Rejection::Aside), "{sentence}");
        }
        assert!(matches!(at_home("空调是开着的吗"), Parse::Orders(_)));
    }

    #[test]
    fn what_somebody_does_is_told_to_nobody() {
        for sentence in ["我去把小米电视关了", "小米电视我来关", "我马上就去开洗衣机"] {
            assert_eq!(at_home(sentence), Parse::Rejected(Rejection::Aside), "{sentence}");
        }
        assert!(matches!(at_home("我去做饭了，把小米电视关了"), Parse::Orders(_)));
    }

    #[test]
    fn what_is_said_of_an_action_is_no_action() {
        for sentence in [
            "客厅大灯打开也没用",
            "客厅大灯调到一半就卡住了",
            "客厅空调调到二十六度失败了",
            "小米电视关了他就不高兴",
            "懒得开客厅大灯",
        ] {
            assert_eq!(at_home(sentence), Parse::Rejected(Rejection::Aside), "{sentence}");
        }
        assert!(matches!(at_home("客厅大灯打开就行"), Parse::Orders(_)));
    }

    #[test]
    fn what_is_taken_back_or_sung_moves_nothing() {
        for sentence in ["把小米电视关了，开玩笑的", "把小米电视关了吧，他说", "歌词里唱着关了灯"]
        {
            assert_eq!(at_home(sentence), Parse::Rejected(Rejection::Aside), "{sentence}");
        }
    }

    #[test]
    fn which_of_two_values_is_no_value() {
        let asked = at_home("客厅空调开二十六度省电还是二十七度省电");
        assert!(!matches!(asked, Parse::Orders(_)), "{asked:?}");
    }
}

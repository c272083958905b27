//! A part of a sentence that is to be left out: whether it binds, spares, takes back, asks about or tells of what is told, or belongs
//! to it.

use crate::language::lexicon::{Lexicon, Unit};
use crate::language::segment::Token;
use crate::language::sense::{Question, Sense};

/// Characters of the shortest clause that is told from a name without a pause behind it.
const CLAUSE: usize = 5;

/// Characters that say enough beside a time or a question word to be about something else.
const SAID: usize = 3;

/// Words right behind what is told in which it may still be asked about.
const ASKED: usize = 4;

/// Numbers above this one are no manner of speaking (一屋子, 俩).
const COUNTED: f64 = 2.0;

/// A part of a sentence that is to be left out.
pub(super) struct Remark<'a> {
    tokens: &'a [Token],
    start: usize,
    part: &'a [Token],
    /// What is told before it, without a pause between them.
    before: Option<&'a Token>,
    /// What is told after it, without a pause between them.
    after: Option<&'a Token>,
    trusted: bool,
    lexicon: &'a Lexicon,
}

impl<'a> Remark<'a> {
    pub(super) fn of(tokens: &'a [Token], start: usize, end: usize, trusted: bool, lexicon: &'a Lexicon) -> Self {
        let part = &tokens[start..end];
        // 扫得一塌糊涂 goes on.
        let begins = !pauses(&part[0]) || part[0].has(&Sense::Of);
        let before = start.checked_sub(1).map(|at| &tokens[at]).filter(|t| !pauses(t) && begins);
        let after = tokens.get(end).filter(|t| !pauses(t) && !part.last().is_some_and(pauses));
        Self { tokens, start, part, before, after, trusted, lexicon }
    }

    /// Whether it can stand apart from the rest of the sentence.
    pub(super) fn is_apart(&self, told: &[&Token]) -> bool {
        let part = self.part;
        let (acting, named) = (part.iter().any(acts), part.iter().any(names));
        !((0..part.len()).any(|at| self.binds(at, told))
            || !self.trusted && acting && named
            || is_object(self.tokens, self.start, part)
            || self.times()
            || self.tells_of_it()
            || self.leads_to_it()
            || self.announces_it())
    }

    /// Whether it says when what is told shall be done: a time right beside that, or one of which nothing else is said. Of 坐了四个钟头绿皮车
    /// something is.
    fn times(&self) -> bool {
        let part = self.part;
        let time = |at: usize| {
            let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_) | Sense::Fraction(_) | Sense::Some));
            let unit = |s: &Sense| matches!(s, Sense::Unit(Unit::Minute | Unit::Hour | Unit::Second));
            part[at].has(&Sense::Future) && !part[at].is_entity()
                || part[at].any(unit)
                || number(&part[at]) && part.get(at + 1).is_some_and(|t| t.any(unit) || t.has(&Sense::Future))
        };
        if !(0..part.len()).any(time) {
            return false;
        }
        let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Punctuation));
        let said = |part: std::ops::Range<usize>| -> usize {
            part.filter(|at| !time(*at) && !small(&self.part[*at])).map(|at| self.part[at].text.chars().count()).sum()
        };
        // 卧室灯灭了|明天还赶集: of this day something else is said.
        let clause = part.iter().position(pauses).unwrap_or(part.len());
        let behind = self.before.is_some() && (0..part.len().min(2)).any(time);
        let beside = behind && !(self.trusted && said(0..clause) >= SAID)
            || self.after.is_some() && (part.len().saturating_sub(2)..part.len()).any(time);
        beside || said(0..part.len()) < if self.trusted { SAID } else { CLAUSE }
    }

    /// Whether it says something of what is told right before it: `窗帘拉到一半|就卡住了`, `新风关了|屋里会闷吗`.
    fn tells_of_it(&self) -> bool {
        let Some(before) = self.before else { return false };
        let first = &self.part[0];
        // 空调二十六度|静音风: a value right behind what is told.
        let value = first.any(|s| matches!(s, Sense::Value | Sense::Choice(_))) && first.text.chars().count() > 1;
        let says = first.any(|s| matches!(s, Sense::Then | Sense::Also | Sense::Is | Sense::Of | Sense::Alternative));
        let text: String = self.part.iter().take(ASKED).map(|t| t.text.as_str()).collect();
        let asides = &self.lexicon.asides;
        let goes_on = |words: &[String]| words.iter().any(|word| text.starts_with(word.as_str()));
        // 三|D模式: what is counted.
        let letter = first.text.starts_with(|c: char| c.is_ascii_alphabetic());
        let more = if self.trusted { names(first) && first.text.chars().count() == 1 } else { names(first) };
        let counted =
            before.any(|s| matches!(s, Sense::Number(_))) && (first.is_residue() && (letter || !self.trusted) || more);
        // 电饭锅煮粥|太稀: where no action is told, how it turns out is told of.
        let idle = first.has(&Sense::Reason) && !self.tokens[..self.start].iter().any(acts);
        value
            || counted
            || idle
            || first.text.chars().count() <= 2 && says
            || goes_on(&self.lexicon.modals)
            || goes_on(&asides.therefore)
            || self.asks_of_it()
            || self.after.is_some() && !closes(before) && !self.trusted
    }

    /// Whether it wonders about what is told right before it: `风扇停了，|怎么还在转`.
    fn wonders(&self) -> bool {
        self.start > 0 && self.part.iter().take(ASKED).any(|t| t.has(&Sense::Suppose))
    }

    /// Whether it is a day that nobody knows, right before the time that goes with it: `除夕|晚上八点`.
    fn names_a_day(&self) -> bool {
        let last = &self.part[self.part.len() - 1];
        let clause = self.part.rsplit(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
        let short = clause.iter().map(|t| t.text.chars().count()).sum::<usize>() < CLAUSE && !closes(last);
        short && last.is_residue() && self.after.is_some_and(|next| next.has(&Sense::Future))
    }

    /// Whether it asks about what is told right before it: `地暖调到三十|划得来吗`.
    fn asks_of_it(&self) -> bool {
        let open = |t: &Token| t.any(|s| matches!(s, Sense::Question(q) if *q != Question::YesNo));
        // 除臭打开|谁吃的韭菜盒子: a question with its own words is about something else.
        let clause = self.part.split(pauses).next().unwrap_or_default();
        let own: usize = clause.iter().filter(|t| !open(t)).map(|t| t.text.chars().count()).sum();
        let apart = self.trusted && own >= SAID && !clause.iter().any(|t| acts(t) || names(t));
        let asks = |t: &Token| open(t) && !apart || t.has(&Sense::Question(Question::YesNo)) && !t.has(&Sense::Not);
        self.part.iter().take(if self.trusted { ASKED } else { self.part.len() }).any(asks)
    }

    /// Whether it can stand apart, whatever its words suggest besides, where whoever says so knows more than they do: it binds nothing,
    /// asks nothing about what is told, and says neither when that shall be done nor whose words it is.
    pub(super) fn is_not_of_it(&self, told: &[&Token]) -> bool {
        !((0..self.part.len()).any(|at| self.binds(at, told))
            || self.wonders()
            || self.start > 0 && self.asks_of_it()
            || self.times()
            || self.names_a_day()
            || self.announces_it())
    }

    /// Whether it says whose words follow: `剧里那管家说，|请把窗帘拉上`.
    fn announces_it(&self) -> bool {
        let last = self.part.iter().rfind(|t| !pauses(t));
        let follows = self.start + self.part.len() < self.tokens.len();
        follows && last.is_some_and(|t| self.lexicon.quotes.contains(&t.text))
    }

    /// Whether it belongs to what is told right behind it: `猫的|空调`, `补光|灯`, `筒灯5到|筒灯8`, `阿弟|把灯关了`.
    fn leads_to_it(&self) -> bool {
        let Some(next) = self.after else { return false };
        let last = &self.part[self.part.len() - 1];
        let clause = self.part.rsplit(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
        let letters: usize = clause.iter().map(|t| t.text.chars().count()).sum();
        let action = acts(next) || next.has(&Sense::Disposal);
        let somebody = |t: &Token| self.lexicon.pronouns.contains(&t.text) || t.has(&Sense::Person);
        // 袜子三天了还是潮的|客厅空调开除湿: a sentence of its own ends so as well.
        let owned = last.has(&Sense::Of)
            && !(self.trusted && letters > CLAUSE && (next.is_entity() || next.any(|s| matches!(s, Sense::Room(_)))));
        let leads = owned && !action
            || last.any(|s| matches!(s, Sense::Conjunction | Sense::Also | Sense::Other | Sense::Person))
            || last.any(|s| matches!(s, Sense::RoomClass(_) | Sense::NoSuchPlace))
            || last.text.chars().count() == 1 && next.has(&Sense::Disposal) && !closes(last)
            || somebody(last);
        // What nobody knows before a short word for a thing, or before what is set of it, is a part of its name.
        let compound = last.is_residue() && names_part(next) || names(last) && !action;
        // 阿爷讲了一句|灯关了吧: whose words they are.
        let quotes = |t: &Token| {
            let told = t.any(|s| matches!(s, Sense::Report | Sense::Past)) && !t.any(|s| matches!(s, Sense::Reason));
            told || self.lexicon.quotes.contains(&t.text)
        };
        let counted = |t: &Token| t.any(|s| matches!(s, Sense::Number(number) if number.value > COUNTED));
        let numbered = !closes(last) && self.part.iter().rev().take(2).any(counted);
        let short = letters < CLAUSE && !closes(last);
        let close = short || clause.iter().any(quotes);
        leads
            || self.names_a_day()
            || compound
            || numbered
            || next.has(&Sense::Of)
            || short && names(next)
            || close && !self.trusted
    }

    /// Whether one of its words binds others, takes back what is told, or spares something.
    fn binds(&self, at: usize, told: &[&Token]) -> bool {
        let (part, token, next) = (self.part, &self.part[at], self.part.get(at + 1));
        // 院灯留着: what stays as it is.
        if self.lexicon.kept.contains(&token.text) && part.iter().any(names) {
            return true;
        }
        if token.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Reason)) && !token.has(&Sense::Disposal) {
            return false;
        }
        let first = at == 0 || pauses(&part[at - 1]);
        // 不飞了 and 还是冷 only tell; 不，二十 and 还是二十吧 take back. What comes first has nothing to take back.
        let alone = next.is_none_or(pauses) || token.text.chars().count() > 1;
        if token.has(&Sense::Correction) && first && alone && self.start > 0 {
            return true;
        }
        // 别开 refuses; 不看了 says why the television goes off, unless it says no to the very action.
        let same = |action: &Token| told.iter().any(|t| acts(t) && t.text.chars().any(|c| action.text.contains(c)));
        let negated = || same(token) || next.is_some_and(|next| acts(next) || names(next));
        let much =
            |s: &Sense| matches!(s, Sense::Degree { .. } | Sense::Direction { .. } | Sense::Choice(_) | Sense::Value);
        // 左右摆风|别老冲着我脑门吹: all but certain, and no word of it is of the home.
        let goes_on = self.before.is_some() && !part[..at].iter().any(pauses) && token.has(&Sense::Negation);
        let follows = goes_on && !self.trusted;
        let so = || follows || part[at + 1..].iter().take_while(|t| !pauses(t)).any(|t| t.any(much));
        let denied = || next.is_some_and(|next| acts(next) && same(next));
        // 呃别，他还没看完: a refusal by itself is of what is told.
        let bare = token.has(&Sense::Negation) && next.is_none_or(pauses);
        if bare || token.has(&Sense::Negation) && (negated() || so()) || token.has(&Sense::Not) && denied() {
            return true;
        }
        // 客厅的不要 leaves out.
        let room = |t: &Token| t.any(|s| matches!(s, Sense::Room(_)));
        if token.has(&Sense::ExceptAfter) && part[..at].iter().any(|t| names(t) || room(t)) {
            return true;
        }
        let counted = |t: &Token| t.any(|s| matches!(s, Sense::Number(number) if number.value > COUNTED));
        // 二十四好了 is another value behind what is told; 搬了八箱 before it is none.
        let valued = counted(token) && (self.start > 0 || next.is_some_and(|t| t.any(|s| matches!(s, Sense::Unit(_)))));
        valued && !self.trusted
            || token.any(|s| {
                matches!(
                    s,
                    Sense::If
                        | Sense::Unless
                        | Sense::ExceptOpen
                        | Sense::ExceptClose
                        | Sense::OtherAssistant
                )
                || matches!(s, Sense::Standing) && !self.trusted
                // 不然我老是悬起的: nothing would be done.
                || matches!(s, Sense::Else) && part.iter().any(acts)
            })
    }
}

/// Whether a word ends a statement.
pub(super) fn closes(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Particle | Sense::Finished | Sense::Reason))
}

/// Whether a part is what the verb right before it is about, by a name that nobody knows: 关掉|小怪兽. What a comment says is
/// longer or has words, and one character may go with the verb (取消|掉).
fn is_object(tokens: &[Token], start: usize, part: &[Token]) -> bool {
    let verb = start.checked_sub(1).is_some_and(|before| acts(&tokens[before]) && !pauses(&tokens[before]));
    let part: Vec<&Token> = part.iter().take_while(|token| !pauses(token)).collect();
    let letters: usize = part.iter().map(|token| token.text.chars().count()).sum();
    let of_name = |token: &&Token| token.senses.iter().all(|s| matches!(s, Sense::Choice(_) | Sense::Degree { .. }));
    verb && (2..CLAUSE).contains(&letters) && part.iter().all(of_name) && part.iter().any(|token| token.is_residue())
}

pub(super) fn pauses(token: &Token) -> bool {
    token.any(|s| matches!(s, Sense::Punctuation | Sense::Particle))
}

pub(super) fn acts(token: &Token) -> bool {
    token.any(Sense::is_action)
}

/// Whether a word is one that names end in: one character for a kind, or what a thing has.
fn names_part(token: &Token) -> bool {
    let short = token.text.chars().count() == 1 && token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_)));
    !token.is_entity() && (short || token.any(|s| matches!(s, Sense::Property(_) | Sense::Feature(_))))
}

pub(super) fn names(token: &Token) -> bool {
    token.is_entity()
        || token.any(|s| matches!(s, Sense::Kind(_) | Sense::Sort(_) | Sense::Property(_) | Sense::Feature(_)))
}

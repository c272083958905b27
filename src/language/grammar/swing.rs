//! Which way the wind swings, in whatever order it is said: `空调扫左右`, `扫风打开 左右的`, `上下左右都摆起来`, `上下也扫`.

use super::super::lexicon::{PropertyId, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::nominal::property;

/// The words with the way and what swings as the one property that they name together.
pub(super) fn which_way(mut tokens: Vec<Token>, vocabulary: &Vocabulary) -> Vec<Token> {
    let Some(swing) = Swing::of(vocabulary) else { return tokens };
    let mut at = 0;
    while at < tokens.len() {
        swing.told_before(&mut tokens, at);
        swing.told_behind(&mut tokens, at);
        at += 1;
    }
    // 风上下扫
    let wind = vocabulary.lexicon.property("speed");
    for at in (1..tokens.len()).rev() {
        let way = property(&tokens[at]).is_some_and(|p| p == swing.vertical || p == swing.horizontal);
        if way && wind.is_some() && property(&tokens[at - 1]) == wind && !tokens[at - 1].is_entity() {
            tokens.remove(at - 1);
        }
    }
    tokens
}

struct Swing<'v> {
    vocabulary: &'v Vocabulary,
    both: PropertyId,
    vertical: PropertyId,
    horizontal: PropertyId,
}

impl<'v> Swing<'v> {
    fn of(vocabulary: &'v Vocabulary) -> Option<Self> {
        let lexicon = &vocabulary.lexicon;
        let (both, vertical) = (lexicon.property("swing"), lexicon.property("swing_vertical"));
        let horizontal = lexicon.property("swing_horizontal");
        Some(Self { vocabulary, both: both?, vertical: vertical?, horizontal: horizontal? })
    }

    /// `上下左右都摆`, `左右也扫`: the way first, and small words between.
    fn told_before(&self, tokens: &mut Vec<Token>, at: usize) {
        let Some((way, end)) = self.way(tokens, at) else { return };
        let small = |t: &&Token| t.any(|s| matches!(s, Sense::Also | Sense::Each)) && !t.is_entity();
        let between: Vec<Token> = tokens[end..].iter().take_while(small).cloned().collect();
        let verb = end + between.len();
        if !tokens.get(verb).is_some_and(|t| self.sweeps(t) || self.swings(t)) {
            return;
        }
        let also = between.into_iter().find(|t| t.has(&Sense::Also));
        let last = tokens.get(verb + 1).is_none_or(|t| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)));
        let on = self.vocabulary.lexicon.verb("on").filter(|_| last);
        let on = on.map(|on| Token::of_verb(on, &self.vocabulary.lexicon));
        tokens.splice(at..=verb, std::iter::once(self.named(way)).chain(also).chain(on));
    }

    /// `扫左右`, `扫风上下`, and with a pause `扫风打开 左右的`; what is spared is the other one (`扫风关了 左右的别动`).
    fn told_behind(&self, tokens: &mut Vec<Token>, at: usize) {
        let pause = |t: &Token| t.has(&Sense::Punctuation);
        let named = property(&tokens[at]).filter(|p| *p == self.vertical || *p == self.horizontal);
        let swings = self.swings(&tokens[at]);
        if !(swings || named.is_some() || self.sweeps(&tokens[at])) {
            return;
        }
        if let Some((way, end)) = self.way(tokens, at + 1).filter(|_| named.is_none()) {
            let swung = tokens.get(end).filter(|t| self.swings(t)).map_or(end, |_| end + 1);
            // 扫上下, and nothing before it
            let begins = at == 0 || pause(&tokens[at - 1]);
            let ends = tokens.get(swung).is_none_or(|t| pause(t) || t.has(&Sense::Particle));
            let on = self.vocabulary.lexicon.verb("on").filter(|_| begins && ends);
            let on = on.map(|on| Token::of_verb(on, &self.vocabulary.lexicon));
            tokens.splice(at..swung, std::iter::once(self.named(way)).chain(on));
            return;
        }
        let end = tokens[at..].iter().position(pause).map(|end| at + end);
        let Some(end) = end.filter(|_| swings || named.is_some()) else { return };
        let Some((way, mut last)) = self.way(tokens, end + 1) else { return };
        let points = |t: &Token| t.any(|s| matches!(s, Sense::Of | Sense::Reference | Sense::Particle));
        last += tokens[last..].iter().take_while(|t| points(t)).count();
        let spared = tokens.get(last).is_some_and(|t| t.has(&Sense::ExceptAfter));
        let last = last + usize::from(spared);
        if tokens.get(last).is_some_and(|t| !pause(t)) {
            return;
        }
        let told = match (spared, way) {
            (false, way) => way,
            (true, way) if way == self.vertical => self.horizontal,
            (true, way) if way == self.horizontal => self.vertical,
            _ => return,
        };
        if named.is_none_or(|named| spared && named == told) {
            tokens.drain(end..last);
            tokens[at] = self.named(told);
        }
    }

    /// The way that is said at a position, and where that ends.
    fn way(&self, tokens: &[Token], at: usize) -> Option<(PropertyId, usize)> {
        let marks = &self.vocabulary.lexicon.marks;
        let one = |at: usize| {
            let ways = [(self.vertical, &marks.vertical), (self.horizontal, &marks.horizontal)];
            ways.into_iter().find_map(|(way, word)| {
                let joined =
                    |length: usize| -> String { tokens[at..at + length].iter().map(|t| t.text.as_str()).collect() };
                let fits = |length: &usize| at + length <= tokens.len() && joined(*length) == **word;
                (1..=2).find(fits).map(|length| (way, at + length))
            })
        };
        let (way, end) = one(at)?;
        Some(match one(end) {
            Some((other, end)) if other != way => (self.both, end),
            _ => (way, end),
        })
    }

    /// 扫, 摆: no more than that beside a way.
    fn sweeps(&self, token: &Token) -> bool {
        self.vocabulary.lexicon.marks.sweeps.contains(&token.text) && !token.is_entity()
    }

    fn swings(&self, token: &Token) -> bool {
        property(token) == Some(self.both) && !token.is_entity()
    }

    fn named(&self, way: PropertyId) -> Token {
        Token::of_property(way, &self.vocabulary.lexicon)
    }
}

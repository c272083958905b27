//! A sentence cut into commands, each with its time.

use super::super::super::lexicon::{Sense, Unit};
use super::super::super::segment::{self, Token};
use super::super::super::time::{End, Moment, Piece, Repeat, Start};
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal;
use super::timed::{Timed, is_action};

/// One command and its time.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub text: String,
    pub start: Option<Start>,
    pub repeat: Option<Repeat>,
    pub end: Option<End>,
}

impl Part {
    pub fn is_timed(&self) -> bool {
        self.start.is_some() || self.repeat.is_some() || self.end.is_some()
    }
}

/// Cuts a sentence into commands, each with its time. `None` when a time cannot be kept, or belongs to no command.
pub(super) fn parts(timed: &Timed, vocabulary: &Vocabulary) -> Option<Vec<Part>> {
    let mut texts = carried(timed.texts(), vocabulary);
    let at_once = told_at_once(&mut texts, vocabulary);
    let acts = |text: &str| acts(text, vocabulary);
    // 开灯八点关灯九点: each time follows its command.
    let trailing = acts(&texts[0]) && texts.last().is_some_and(|text| is_blank(text, vocabulary));
    let mut parts: Vec<Part> = Vec::new();
    let mut part = Part { text: texts[0].clone(), ..Part::default() };
    let mut timer = false;
    for (span, text) in timed.spans.iter().zip(&texts[1..]) {
        let told = acts(&part.text) || sets(&part.text, text, vocabulary);
        // 空调20度，半小时后26度
        let other_value = || part.text.ends_with(|c: char| !c.is_alphanumeric()) && is_value(text, vocabulary);
        let follows = !trailing && told && (acts(text) || other_value());
        let lone_timer = std::mem::replace(&mut timer, span.piece == Piece::Timer && is_blank(text, vocabulary));
        let close = |part: &mut Part, parts: &mut Vec<Part>| parts.push(std::mem::take(part));
        match &span.piece {
            Piece::Deadline => return None,
            Piece::Timer => {}
            Piece::After { seconds, further } => {
                let before = part.start.clone().or_else(|| parts.last().and_then(|p| p.start.clone()));
                if part.start.is_some() || part.repeat.is_some() || follows {
                    close(&mut part, &mut parts);
                }
                let more = match before {
                    Some(Start::After(before)) if *further => before,
                    // 七点开，再过十分钟…: ten minutes after seven, which nothing here can hold.
                    Some(Start::At(_)) if *further => return None,
                    _ => 0,
                };
                part.start = Some(Start::After(seconds.checked_add(more)?));
            }
            // 空调二十六度定时一个小时: so long, where nothing is told that would end it.
            Piece::For(seconds) if lone_timer && is_blank(text, vocabulary) && lasts(&part.text, vocabulary) => {
                if part.end.replace(End::For(*seconds)).is_some() {
                    return None;
                }
            }
            // 定时半小时关: so long from now.
            Piece::For(seconds) if lone_timer => {
                if part.start.is_some() || part.repeat.is_some() {
                    return None;
                }
                part.start = Some(Start::After(*seconds));
            }
            Piece::For(seconds) => {
                if let Some(before) = own_clause(&part.text, vocabulary).filter(|_| !part.is_timed()) {
                    let text = part.text.split_off(before);
                    close(&mut part, &mut parts);
                    part.text = text;
                }
                if part.end.is_some() {
                    return None;
                }
                part.end = Some(End::For(*seconds));
                if follows {
                    close(&mut part, &mut parts);
                }
            }
            Piece::Every(seconds) => {
                if part.start.is_some() || part.repeat.is_some() || follows {
                    close(&mut part, &mut parts);
                }
                part.repeat = Some(Repeat::Every(*seconds));
            }
            Piece::To(moment) if acts(&part.text) && !follows && part.end.is_none() => {
                part.end = Some(End::Until(moment.clone()));
            }
            Piece::To(moment) => begin(&mut part, &mut parts, moment, None, follows)?,
            Piece::At(moment, repeat) => begin(&mut part, &mut parts, moment, *repeat, follows)?,
            Piece::Between(from, repeat, to) => {
                begin(&mut part, &mut parts, from, *repeat, follows)?;
                if part.end.replace(End::Until(to.clone())).is_some() {
                    return None;
                }
            }
        }
        // 半小时空调: what follows a length of time belongs to what came before it, unless it acts by itself.
        if part.is_timed() && acts(&part.text) && acts(text) {
            close(&mut part, &mut parts);
        }
        part.text.push_str(going_on(text, vocabulary));
    }
    parts.push(part);
    parts.iter_mut().for_each(|part| part.text = without_once(part, vocabulary));
    // What has no time of its own stands before all that have one, or there is a time that belongs to nothing.
    let whole = parts.iter().skip(1).all(Part::is_timed) && parts.iter().any(Part::is_timed);
    parts.retain(|part| part.is_timed() || !is_blank(&part.text, vocabulary));
    // 十点关灯，现在把声音调到10 is of what it names, and of nothing that waits.
    if let Some(text) = at_once {
        let words = segment::plain(&text, vocabulary);
        let own = words.iter().any(|t| nominal::property(t).is_some()) && !words.iter().any(nominal::is_thing);
        parts.insert(if own { 0 } else { parts.len() }, Part { text, ..Part::default() });
    }
    whole.then_some(parts)
}

/// 八点自动关灯: what only goes on with the time before it says nothing of its own.
fn going_on<'a>(text: &'a str, vocabulary: &Vocabulary) -> &'a str {
    let rests = vocabulary.lexicon.time.then().iter().filter_map(|word| text.strip_prefix(word.as_str()));
    let mut acting = rests.filter(|rest| segment::plain(rest, vocabulary).first().is_some_and(is_action));
    acting.next().unwrap_or(text)
}

/// Gives a part a time of the day: its own if it has none yet, else another part begins.
fn begin(part: &mut Part, parts: &mut Vec<Part>, moment: &Moment, repeat: Option<Repeat>, follows: bool) -> Option<()> {
    // 明天把灯八点打开: the day and the hour of one time.
    if let (Some(Start::At(known)), false) = (&mut part.start, follows)
        && (repeat.is_none() || part.repeat.is_none())
        && known.join(moment)
    {
        part.repeat = part.repeat.or(repeat);
        return Some(());
    }
    let before = part.start.clone().or_else(|| parts.last().and_then(|p| p.start.clone()));
    let repeated = part.repeat.or_else(|| parts.last().and_then(|p| p.repeat));
    if part.start.is_some() || part.repeat.is_some() || follows {
        parts.push(std::mem::take(part));
    }
    let mut moment = moment.clone();
    let mut repeat = repeat;
    // 明天七点开，八点关; 每天早上七点开，晚上十点关: what the later one leaves out.
    if let (Some(Start::At(before)), None, None) = (before, moment.day, repeat) {
        repeat = repeated;
        if moment.is_bare() {
            moment.following = Some(Box::new(before));
        } else if before.clock.is_some() {
            moment.day = before.day;
        }
    }
    (part.start, part.repeat) = (Some(Start::At(moment)), repeat);
    Some(())
}

/// 每隔两小时开一次灯: how often was said already.
fn without_once(part: &Part, vocabulary: &Vocabulary) -> String {
    let Some(_) = part.repeat else { return part.text.clone() };
    let once = vocabulary.lexicon.time.once();
    once.iter().fold(part.text.clone(), |text, word| text.replace(word.as_str(), ""))
}

/// Whether a text tells to do something.
fn acts(text: &str, vocabulary: &Vocabulary) -> bool {
    segment::plain(text, vocabulary).iter().any(is_action)
}

/// Whether what a text tells goes on: it sets or switches on.
fn lasts(text: &str, vocabulary: &Vocabulary) -> bool {
    let words = segment::plain(text, vocabulary);
    let off = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s) == Some(false));
    let tells = words.iter().any(is_action) || sets(text, "", vocabulary);
    tells && words.iter().any(nominal::is_thing) && !words.iter().any(off)
}

/// Whether a text says nothing.
pub(super) fn is_blank(text: &str, vocabulary: &Vocabulary) -> bool {
    segment::plain(text, vocabulary).iter().all(|t| {
        !t.is_entity()
            && t.any(|s| {
                matches!(
                    s,
                    Sense::Punctuation | Sense::Filler | Sense::Particle | Sense::Of | Sense::Sequence | Sense::Then
                )
            })
    })
}

/// `大灯关了，落地灯十点关`: what stands before a time behind a pause, and tells nothing by itself, is what is told then.
fn carried(mut texts: Vec<String>, vocabulary: &Vocabulary) -> Vec<String> {
    let pauses = |c: char| !c.is_alphanumeric();
    for at in 0..texts.len().saturating_sub(1) {
        let text = &texts[at];
        let Some(pause) = text.trim_end_matches(pauses).rfind(pauses) else { continue };
        let (before, topic) = text.split_at(pause);
        let topic = topic.trim_start_matches(pauses).to_owned();
        let words = segment::plain(&topic, vocabulary);
        let Some(next) = (at + 1..texts.len()).find(|next| !is_blank(&texts[*next], vocabulary)) else { continue };
        let first = texts[next].split(pauses).next().unwrap_or_default();
        let alone = !words.iter().any(is_action) && words.iter().any(nominal::is_thing);
        let named = segment::plain(first, vocabulary).iter().any(nominal::is_thing);
        if alone && !named && acts(before, vocabulary) && acts(first, vocabulary) {
            texts[at] = before.to_owned();
            texts[next] = format!("{topic}{}", texts[next]);
        }
    }
    texts
}

/// `灯十分钟后关，投影现在打开`: what is told to be done at once, taken out of what waits.
fn told_at_once(texts: &mut [String], vocabulary: &Vocabulary) -> Option<String> {
    let pauses = |c: char| !c.is_alphanumeric();
    let last = texts.last_mut()?;
    let (waits, now) = last.split_at(last.find(pauses)?);
    let now = now.trim_start_matches(pauses).to_owned();
    let at_once = vocabulary.lexicon.marks.now.iter().any(|word| now.contains(word.as_str()));
    if !at_once || !acts(waits, vocabulary) || !acts(&now, vocabulary) {
        return None;
    }
    *last = waits.to_owned();
    Some(now)
}

/// `空调26度半小时后关`: a value with its unit is told as well, unless what follows only switches that on.
fn sets(text: &str, next: &str, vocabulary: &Vocabulary) -> bool {
    let words = segment::plain(text, vocabulary);
    // 取暖器三档, 空调制热
    let value = |t: &Token| t.any(|s| matches!(s, Sense::Choice(_) | Sense::Value)) && !t.is_entity() && !is_action(t);
    let valued = words.windows(2).any(is_measured) || words.iter().any(value);
    let on = |t: &Token| t.any(|s| vocabulary.lexicon.switches(s) == Some(true));
    let lit = segment::plain(next, vocabulary).iter().find(|t| is_action(t)).is_some_and(on);
    valued && words.iter().any(nominal::is_thing) && !lit
}

/// `把热水器关了，换气扇开`: where the last clause begins, if it and what stands before it each tell a thing what to do.
fn own_clause(text: &str, vocabulary: &Vocabulary) -> Option<usize> {
    let at = text.rfind(|c: char| !c.is_alphanumeric())?;
    let tells = |text: &str| {
        let words = segment::plain(text, vocabulary);
        words.iter().any(is_action) && words.iter().any(nominal::is_thing)
    };
    (tells(&text[..at]) && tells(&text[at..])).then_some(at)
}

/// `26度`: whether a text begins with a number and its unit, and names nothing.
fn is_value(text: &str, vocabulary: &Vocabulary) -> bool {
    let words = segment::plain(text, vocabulary);
    words.get(..2).is_some_and(is_measured) && !words.iter().any(nominal::is_thing)
}

/// Whether two words are a number and the unit of what is set.
fn is_measured(pair: &[Token]) -> bool {
    let unit = |t: &Token| t.any(|s| matches!(s, Sense::Unit(Unit::Celsius | Unit::Percent | Unit::Gear)));
    let number = |t: &Token| t.any(|s| matches!(s, Sense::Number(_)));
    matches!(pair, [value, of] if number(value) && unit(of))
}

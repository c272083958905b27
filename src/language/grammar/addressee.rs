//! Who is spoken to.

use super::super::lexicon::{Marks, Sense};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::{Rejection, SpeakerContext, recut};
use crate::home::{Device, DeviceIndex};
use crate::text::normalize;

/// Characters of a name by which somebody is called.
const CALLED: usize = 3;

/// Takes the assistant's name off the beginning.
///
/// # Errors
/// When somebody else is spoken to.
pub fn address(
    mut tokens: Vec<Token>,
    vocabulary: &Vocabulary,
    speaker: &SpeakerContext,
) -> Result<Vec<Token>, Rejection> {
    let text: String = tokens.iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect();
    if let Some(rest) = strip_name(&text, &speaker.names, &vocabulary.lexicon.marks) {
        // What follows the name is cut again: the name may have swallowed a character of the next word.
        tokens = super::super::segment::plain(rest, vocabulary);
        return Ok(tokens);
    }
    if let Some(rest) = name_after_address(&tokens, &speaker.names, &vocabulary.lexicon.marks) {
        return Ok(super::super::segment::plain(&rest, vocabulary));
    }
    let start = tokens.iter().position(|t| !t.has(&Sense::Filler) && !t.has(&Sense::Punctuation)).unwrap_or(0);
    let Some(first) = tokens.get(start) else { return Ok(tokens) };
    let on_behalf = tokens[..start].iter().any(|t| t.has(&Sense::Disposal));
    if !on_behalf && is_called(&tokens[start..], vocabulary) {
        return Err(Rejection::OtherAddressee);
    }
    if first.is_entity() {
        // 小宝你把门关上: a part of a name is somebody's name.
        // 老于，你…, 桂芳啊去…: called, and then spoken to.
        let part = vocabulary.called_otherwise(&first.text).next().is_some();
        let calls = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle));
        let called = tokens[start + 1..].iter().take_while(|t| calls(t)).count();
        let spoken_to = tokens.get(start + 1 + called).is_some_and(|t| {
            let goes = called > 0 && vocabulary.lexicon.asides.goes.contains(&t.text);
            vocabulary.lexicon.addressees.contains(&t.text) || goes
        });
        return if part && spoken_to { Err(Rejection::OtherAddressee) } else { Ok(tokens) };
    }
    if let Some(device) = own_speaker(&tokens[start..], vocabulary) {
        tokens[start] = Token::of_device(device, &vocabulary.home);
        return Ok(tokens);
    }
    if first.has(&Sense::OtherAssistant) || names_another(&text, speaker) {
        return Err(Rejection::OtherAddressee);
    }
    // 老头子你起来把灯关了: called by a name that is nobody's here.
    let you = |at: usize| tokens.get(at).is_some_and(|t| vocabulary.lexicon.addressees.contains(&t.text));
    let mine = tokens[..start].iter().any(|t| t.has(&Sense::Speaker));
    // 老头子 is cut into words.
    let word = |t: &&Token| t.is_residue() || t.has(&Sense::RoomSuffix) && !t.is_entity();
    let name = tokens[start..].iter().take_while(word);
    let (words, chars) = name.fold((0, 0), |(words, chars), t| (words + 1, chars + t.text.chars().count()));
    let called = !mine && first.is_residue() && (2..=CALLED).contains(&chars);
    // 大爷您放那儿就成 tells to do nothing with a thing of the home.
    let tells = |from: usize| {
        let breath = tokens[from..].iter().take_while(|t| !t.has(&Sense::Punctuation));
        let named = breath.clone().any(super::names_a_thing);
        named && breath.skip(1).any(|t| t.any(Sense::is_action) && !t.is_entity())
    };
    // 果果，去把电视关了
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)) && !t.is_entity();
    let behind = start + words.max(1);
    let next = behind + tokens[behind..].iter().take_while(|t| small(t)).count();
    let sent = tokens.get(next).is_some_and(|t| {
        let goes = vocabulary.lexicon.asides.goes.contains(&t.text) && t.has(&Sense::Disposal);
        goes && tokens.get(next + 1).is_some_and(|t| t.has(&Sense::Disposal))
    });
    if called && (sent || you(next) && tells(next)) || is_told_elsewhere(&tokens, vocabulary) {
        return Err(Rejection::OtherAddressee);
    }
    // 给客人开门 is not said to the guest.
    if first.has(&Sense::Person) && !on_behalf && tokens.len() > start + 1 {
        // 妈妈，… and 老婆帮我… speak to a person; 宝宝房 and 妈妈房间 are places and were cut as such.
        let next = &tokens[start + 1];
        // 奶奶要看秦腔 tells of her.
        let wants = vocabulary.lexicon.wants.contains(&next.text);
        // 闺女啊，去把电视关了
        let hailed = next.has(&Sense::Particle) && sent;
        let addressed = hailed
            || next.has(&Sense::Punctuation)
            || (next.has(&Sense::Filler) && !wants)
            || next.has(&Sense::Disposal)
            || next.has(&Sense::Negation)
            || next.any(|s| matches!(s, Sense::Verb(_)));
        // 姑姑我够不着你替我把风扇打开
        let you = |t: &Token| vocabulary.lexicon.addressees.contains(&t.text);
        let asked = next.has(&Sense::Speaker) && tokens[start + 2..].iter().any(you);
        if addressed || asked {
            return Err(Rejection::OtherAddressee);
        }
    }
    Ok(tokens)
}

/// `小爱音量调小`: the one device that is called after another assistant, of which something is said that it has.
fn own_speaker(tokens: &[Token], vocabulary: &Vocabulary) -> Option<DeviceIndex> {
    let [called, what, ..] = tokens else { return None };
    let property = super::nominal::property(what).filter(|_| called.has(&Sense::OtherAssistant))?;
    let named = |device: &Device| device.names().any(|name| normalize(name).starts_with(called.text.as_str()));
    let mut devices = vocabulary.home.devices.iter().enumerate().filter(|(_, device)| named(device));
    let (device, _) = devices.next().filter(|_| devices.next().is_none())?;
    vocabulary.devices[device].about(property).is_some().then_some(device)
}

/// `小宇，把空调关了`, `糯米把电视关了`: told to somebody after whom something of the home is called, who has a pet name, or who is of the
/// house.
fn is_called(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let ends =
        |t: &Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle | Sense::Disposal)) && !t.is_entity();
    let name = &tokens[..tokens.iter().take_while(|t| !ends(t)).count()];
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)) && !t.has(&Sense::Disposal);
    let pauses = tokens[name.len()..].iter().take_while(small).count();
    let rest = &tokens[name.len() + pauses..];
    // 妞妞，快把灯关了
    let hurries =
        |t: &&Token| t.has(&Sense::Filler) && t.any(|s| matches!(s, Sense::Direction { .. })) && !t.is_entity();
    let rest = if pauses > 0 { &rest[rest.iter().take_while(hurries).count()..] } else { rest };
    // 孙子喊奶奶关灯 tells of it.
    let handles = |t: &Token| t.has(&Sense::Disposal) && (pauses > 0 || t.has(&Sense::Measure));
    let told = rest.first().is_some_and(|t| handles(t) || pauses > 0 && lexicon.addressees.contains(&t.text));
    let breath = rest.split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    let asks = |t: &Token| t.any(|s| matches!(s, Sense::Question(_))) && !t.is_entity();
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    if !told || !breath.iter().skip(1).any(acts) || breath.iter().any(asks) {
        return false;
    }
    let text: String = name.iter().map(|t| t.text.as_str()).collect();
    let short = (2..=CALLED).contains(&text.chars().count());
    let owns = || recut::rooms_of(&text, vocabulary).next().is_some();
    // 大宝啊，把灯关了
    let hailed = tokens.get(name.len()).is_some_and(|t| t.has(&Sense::Particle));
    // 大宝，把电视关了: what is told is of another thing than that which is called after him.
    let other = || {
        pauses > 0
            && breath.iter().any(super::nominal::is_thing)
            && !name.iter().any(|t| super::nominal::sort(t).is_some())
    };
    let part = || (hailed || other()) && vocabulary.called_otherwise(&text).next().is_some();
    let mut chars = text.chars();
    // 小虎, 妞妞
    let twice = text.chars().count() == 2 && text.chars().next() == text.chars().nth(1);
    let pet = pauses > 0
        && (twice || chars.next().is_some_and(|c| lexicon.marks.nicknames.iter().any(|nick| nick.starts_with(c))))
        && !name.iter().any(super::names_a_thing)
        && !vocabulary.knows(&text);
    // 孩子他爸
    let of_house = pauses > 0
        && name.len() > 1
        && name.last().is_some_and(|t| t.has(&Sense::Person))
        && name
            .iter()
            .all(|t| t.any(|s| matches!(s, Sense::Person | Sense::Reference | Sense::Reason)) && !t.is_entity());
    of_house || short && (part() || !vocabulary.is_name(&text) && (pet || owns()))
}

/// Whether the end of a sentence says that it was told to somebody: `小虎把吸尘机关了再回来，听见没`, `空调关了行不行，老公`.
pub(super) fn is_told_elsewhere(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let text: String = tokens.iter().map(|t| t.text.as_str()).collect();
    let heard = lexicon.marks.hears.iter().any(|word| text.ends_with(word.as_str()));
    let name = |t: &Token| t.is_residue() && (2..=CALLED).contains(&t.text.chars().count());
    let somebody = tokens.iter().find(|t| !t.has(&Sense::Filler)).is_some_and(|t| t.has(&Sense::Person) || name(t));
    // 小虎 is cut into words.
    let called = |pair: &[Token]| {
        let rest = pair[1].is_residue() || pair[1].has(&Sense::Filler);
        lexicon.marks.nicknames.contains(&pair[0].text) && rest && pair[1].text.chars().count() == 1
    };
    let somebody = somebody || tokens.get(..2).is_some_and(called);
    heard && somebody || asks_somebody(tokens, &lexicon.addressees)
}

/// `空调关了行不行，老公`: whether it is all right is asked of somebody.
fn asks_somebody(tokens: &[Token], addressees: &[String]) -> bool {
    let small = |t: &&Token| t.any(|s| matches!(s, Sense::Punctuation | Sense::Particle)) && !t.is_entity();
    let mut said = tokens.iter().rev().filter(|t| !small(t));
    let somebody = said.next().is_some_and(|t| t.has(&Sense::Person) && !t.is_entity());
    // 电视机静音你会弄吗外公
    let last = tokens.rsplit(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    let you = last.iter().skip(1).any(|t| addressees.contains(&t.text) && !t.is_entity());
    somebody && (you || said.next().is_some_and(|t| t.has(&Sense::Polite) && t.text.chars().count() > 2))
}

/// `妈你这汤咸了，油烟机自清洁来一遍`: what is said behind a statement to somebody of the house, unless it goes on to speak to them.
pub fn behind_a_word_to_somebody(sentence: &str, vocabulary: &Vocabulary) -> Option<String> {
    let tokens = super::super::segment::plain(&vocabulary.utterance(sentence), vocabulary);
    let small = |t: &Token| t.any(|s| matches!(s, Sense::Filler | Sense::Particle | Sense::Person)) && !t.is_entity();
    let first = tokens.iter().find(|t| !t.any(|s| matches!(s, Sense::Filler | Sense::Punctuation)))?;
    let pause = tokens.iter().position(|t| t.has(&Sense::Punctuation))?;
    let rest = &tokens[pause + 1..];
    let spoken_to = rest.iter().any(|t| vocabulary.lexicon.addressees.contains(&t.text));
    // 老头子你把台灯关了，窗帘也拉上: both are told to him.
    let also = |t: &Token| t.has(&Sense::Also) && !t.is_entity();
    let acts = |t: &Token| t.any(Sense::is_action) && !t.is_entity();
    let told = tokens[..pause].iter().any(acts) && rest.iter().any(also);
    let states = first.has(&Sense::Person) && !first.is_entity() && !tokens[..pause].iter().all(small);
    (states && !spoken_to && !told).then(|| rest.iter().map(|t| t.text.as_str()).collect())
}

/// Whether another assistant of the house is called.
pub fn names_another(said: &str, speaker: &SpeakerContext) -> bool {
    speaker.others.iter().any(|other| said.starts_with(other.as_str()))
}

/// The name after words that address: `亲爱的小牛`, `喂，小牛`.
fn name_after_address(tokens: &[Token], names: &[String], marks: &Marks) -> Option<String> {
    let address =
        |t: &Token| t.has(&Sense::Person) || t.has(&Sense::Filler) || t.has(&Sense::Of) || t.has(&Sense::Punctuation);
    let start = tokens.iter().position(|t| !address(t)).filter(|start| *start > 0)?;
    let rest: String = tokens[start..].iter().map(|t| t.heard.as_deref().unwrap_or(&t.text)).collect();
    strip_name(&rest, names, marks).map(str::to_owned)
}

fn strip_name<'a>(text: &'a str, names: &[String], marks: &Marks) -> Option<&'a str> {
    let punctuation = |c: char| !c.is_alphanumeric();
    let called = |c: char| marks.calls.iter().any(|call| call.contains(c));
    let text = text.trim_start_matches(|c| punctuation(c) || called(c));
    let mut rest = names.iter().filter(|n| !n.is_empty()).find_map(|n| text.strip_prefix(n.as_str()))?;
    // 小牛小牛
    while let Some(again) = names.iter().find_map(|n| rest.trim_start_matches(punctuation).strip_prefix(n.as_str())) {
        rest = again;
    }
    Some(rest.trim_start_matches(punctuation))
}

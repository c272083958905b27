//! Songs and the like that are to be played: what is called so is nothing of this home, whatever the words of its name mean.

use super::super::lexicon::{Effect, Sense};
use super::super::meaning::{Ability, Source};
use super::super::segment::Token;
use super::super::vocabulary::Vocabulary;
use super::guard::trim;
use super::nominal;
use super::recut::devices;
use crate::home::DeviceIndex;

/// `播放` and a title: what is played is no device, scene or value of this home, so that somebody else is asked for it.
pub fn plays_something(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let play = vocabulary.lexicon.verb("play");
    let plays = |t: &Token| t.any(|s| matches!(s, Sense::Verb(v) if Some(*v) == play)) && !t.is_entity();
    if is_described(tokens, vocabulary) {
        return true;
    }
    let Some(at) = tokens.iter().position(plays) else { return false };
    let pauses = tokens[at + 1..].iter().take_while(|t| t.has(&Sense::Punctuation)).count();
    let rest = tokens[at + 1 + pauses..].split(|t| t.has(&Sense::Punctuation)).next().unwrap_or_default();
    let ours = |t: &Token| {
        nominal::is_thing(t)
            || t.any(|s| matches!(s, Sense::Reference | Sense::Verb(_) | Sense::Set { .. } | Sense::Property(_)))
    };
    let (first, last) = (trim(rest).first(), rest.last());
    let title = first.is_some_and(|t| !ours(t) && nominal::place(t).is_none())
        || (first.is_some() && last.is_some_and(Token::is_residue))
        || pauses == 0 && is_title(&tokens[at], trim(rest), vocabulary);
    title && !first.is_some_and(|t| t.any(|s| matches!(s, Sense::Sequence | Sense::Conjunction | Sense::Each)))
}

/// `播放打开窗帘`, `播放儿童房`: right behind the word for it something else that is done, or a place or a thing that plays nothing.
fn is_title(plays: &Token, rest: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let Some(play) = lexicon.verb("play").filter(|play| lexicon.verbs[*play].words.first() == Some(&plays.text)) else {
        return false;
    };
    let Some((first, more)) = rest.split_first() else { return false };
    let of_home = |s: &Sense| matches!(s, Sense::Value | Sense::Scene(_) | Sense::Group(_));
    if first.any(of_home) {
        return false;
    }
    let verb = |s: &Sense| matches!(s, Sense::Verb(verb) if lexicon.verbs[*verb].switches.is_some());
    if first.any(verb) && !first.is_entity() {
        return !more.is_empty();
    }
    let does = |ability: &Ability| {
        let told = |effect: &Effect| match effect {
            Effect::Flag(property, _) => ability.property == Some(*property),
            Effect::Choice(choice) => ability.choices.iter().any(|of| of.contains(choice)),
            _ => false,
        };
        matches!(ability.source, Source::Command(_)) || ability.writable && lexicon.verbs[play].does.iter().any(told)
    };
    let playing = |d: DeviceIndex| vocabulary.devices[d].abilities.iter().any(does);
    let room = first.senses.iter().find_map(|s| if let Sense::Room(room) = s { Some(*room) } else { None });
    let of_room = |room: usize| {
        (0..vocabulary.devices.len()).filter(|d| vocabulary.home.devices[*d].room == Some(room)).collect::<Vec<_>>()
    };
    let named = devices(first, vocabulary).or_else(|| room.map(of_room));
    more.is_empty() && named.is_some_and(|devices| !devices.into_iter().any(playing))
}

/// `唱首歌声音大一点的`: what is said behind a song describes it.
fn is_described(tokens: &[Token], vocabulary: &Vocabulary) -> bool {
    let lexicon = &vocabulary.lexicon;
    let play = lexicon.verb("play");
    let song = |t: &Token| play.is_some_and(|play| lexicon.verbs[play].words[1..].contains(&t.text)) && !t.is_entity();
    let ends = tokens.last().is_some_and(|t| t.text == lexicon.marks.of && !t.is_entity());
    let whole = !tokens.iter().any(|t| t.has(&Sense::Punctuation));
    ends && whole && tokens.first().is_some_and(song)
}

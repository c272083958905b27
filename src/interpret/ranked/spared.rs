//! What a part of a sentence leaves as it is: `空调温度不动，摆风关了`, `窗帘就这样吧，灯帮我关一下`.

use crate::home::{DeviceIndex, Entity};
use crate::interpret::Utterance;
use crate::language::grammar::{self, Parse};
use crate::language::lexicon::PropertyId;
use crate::language::meaning::Source;
use crate::language::segment::Token;
use crate::language::sense::Sense;
use crate::resolve::{Context, Outcome, resolve};

/// What stays as it is.
#[derive(Clone, Debug)]
pub(super) struct Spared {
    pub devices: Vec<DeviceIndex>,
    /// Only these of them; empty for all.
    pub properties: Vec<PropertyId>,
}

impl Spared {
    /// What a part leaves as it is: the thing that it names with these words, or what was mentioned before. `None` where nobody knows.
    pub fn of(part: &[Token], thing: &[Token], mentioned: &[Entity], utterance: Utterance<'_>) -> Option<Self> {
        let lexicon = utterance.home.world.lexicon();
        if part.iter().any(Token::is_residue) {
            return None;
        }
        let devices = |last: &[Entity]| Context { last, ..utterance.context }.last_devices();
        let devices = match thing {
            [] => devices(mentioned),
            _ => {
                let off = &lexicon.verbs[lexicon.verb("off")?].words[0];
                let text: String = thing.iter().map(|t| t.text.as_str()).chain([off.as_str()]).collect();
                let parse = grammar::parse(&text, &utterance.home.world.vocabulary, utterance.speaker);
                let Parse::Orders(orders) = parse else { return None };
                devices(&resolve(&orders, &utterance.context).mentioned)
            }
        };
        let named = part.iter().flat_map(|t| &t.senses).filter_map(|sense| match sense {
            Sense::Property(p) | Sense::Feature(p) | Sense::Direction { property: p, .. } => Some(*p),
            _ => None,
        });
        let mut properties: Vec<PropertyId> = named.collect();
        // 不用关, 先不停: it stays on, and may be told otherwise.
        let switches = |t: &Token| {
            let verbs = lexicon.verbs.iter().filter(|verb| verb.switches.is_some());
            verbs.flat_map(|verb| &verb.words).any(|word| t.text.contains(word.as_str()))
        };
        if properties.is_empty() && part.iter().any(|t| !t.is_entity() && switches(t)) {
            properties.extend(lexicon.property("power"));
        }
        (!devices.is_empty()).then_some(Self { devices, properties })
    }

    /// Whether an outcome moves it.
    pub fn is_moved(&self, outcome: &Outcome, context: &Context) -> bool {
        let world = context.world;
        outcome.instructs.iter().any(|instruct| {
            let Some((at, device)) = world.home().device(&instruct.id) else { return false };
            let moved = |source: Source| match source {
                Source::Property(property) => {
                    instruct.state.iter().flatten().any(|(key, _)| *key == device.properties[property].id)
                }
                Source::Command(command) => {
                    instruct.command.as_ref().is_some_and(|c| c.id == device.commands[command].id)
                }
            };
            let abilities = world.vocabulary.devices[at].abilities.iter();
            let touched = |p: &PropertyId| abilities.clone().any(|a| a.property == Some(*p) && moved(a.source));
            self.devices.contains(&at) && (self.properties.is_empty() || self.properties.iter().any(touched))
        })
    }
}

/// Whether a sense says that something is not done, or stays as it is.
pub(super) fn spares(sense: &Sense) -> bool {
    matches!(sense, Sense::Negation | Sense::ExceptAfter)
}

/// Whether a word says so.
pub(super) fn refuses(word: &Token) -> bool {
    !word.is_entity() && word.any(spares)
}

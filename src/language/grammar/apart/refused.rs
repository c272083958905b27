//! What a clause says not to do, beside others that tell something: `电视别关`, `空调温度不用动`, `灯带别整蓝的了`, `餐厅灯等会儿再说`.

use super::super::super::action::Action;
use super::super::super::lexicon::PropertyId;
use super::super::super::order::Order;
use super::super::super::segment::Token;
use super::super::super::sense::Sense;
use super::super::super::vocabulary::Vocabulary;
use super::super::nominal::{is_thing, place, property};
use super::super::order::names_thing;
use super::super::recut::{devices, offers};
use super::{asks, conditions};

/// What shall not happen: nothing to things, or not this of them.
pub(super) struct Refused {
    devices: Vec<usize>,
    properties: Vec<PropertyId>,
    values: Vec<String>,
}

impl Refused {
    /// What a clause refuses, where it does no more than that.
    pub(super) fn of(clause: &[Token], vocabulary: &Vocabulary) -> Option<Self> {
        let lexicon = &vocabulary.lexicon;
        let own = |t: &Token, sense: &Sense| t.has(sense) && !t.is_entity();
        let stays = |t: &Token| lexicon.kept.contains(&t.text) && !t.is_entity();
        let text: String = clause.iter().map(|t| t.text.as_str()).collect();
        let postponed = lexicon.marks.postpones.iter().any(|word| text.ends_with(word.as_str()));
        let at = clause.iter().position(|t| own(t, &Sense::Negation) || stays(t));
        let at = at.or(postponed.then_some(clause.len()))?;
        let wide = |s: &Sense| {
            let all = matches!(s, Sense::Other | Sense::All | Sense::Everything);
            let said = matches!(s, Sense::Report) && !postponed;
            conditions(s) || all || said || matches!(s, Sense::Correction | Sense::Question(_))
        };
        // 厨房灯一会儿还用呢不关
        let does = |s: &Sense| matches!(s, Sense::Verb(_) | Sense::Step { .. } | Sense::SetBare | Sense::Number(_));
        let told = clause[..at].iter().any(|t| t.any(does) && !t.is_entity());
        if told && !postponed || clause.iter().any(|t| t.heard.is_some() || !t.is_entity() && t.any(wide)) {
            return None;
        }
        let word = |t: &&Token| !t.is_entity() && !is_thing(t);
        let value = |t: &&Token| {
            t.any(|s| matches!(s, Sense::Choice(_) | Sense::Value)) && !t.any(|s| matches!(s, Sense::Verb(_)))
        };
        // 客厅的留着我看温度: why is no more of it.
        let kept = at < clause.len() && stays(&clause[at]);
        let said = if kept { &clause[..at] } else { clause };
        let refused = Self {
            devices: things(clause, vocabulary),
            properties: clause[..at].iter().filter(word).filter_map(property).collect(),
            values: said.iter().filter(word).filter(value).map(|t| t.text.clone()).collect(),
        };
        let elsewhere = refused.devices.is_empty() && clause.iter().any(|t| place(t).is_some());
        if elsewhere {
            return None;
        }
        (refused.is_narrow() || !refused.devices.is_empty()).then_some(refused)
    }

    /// Whether only some of what could be done to a thing is refused.
    pub(super) fn is_narrow(&self) -> bool {
        !self.properties.is_empty() || !self.values.is_empty()
    }

    /// Whether orders, and the clauses that tell them, do nothing of it. What is told of all could be.
    pub(super) fn leaves_room_for(&self, orders: &[Order], told: &[&[Token]], vocabulary: &Vocabulary) -> bool {
        let words = || told.iter().copied().flatten();
        if self.is_narrow() {
            let about = |o: &Order| match &o.action {
                Action::Set { property, .. } => property.is_some_and(|p| self.properties.contains(&p)),
                Action::Step { ways, .. } => ways.iter().any(|(p, _)| p.is_some_and(|p| self.properties.contains(&p))),
                _ => false,
            };
            // 别制冷了 is said of what can do that: 切太小了 of nothing here.
            let of_it = |d: &usize| {
                let has = |p: &PropertyId| vocabulary.devices[*d].about(*p).is_some();
                self.properties.iter().all(has) && self.values.iter().all(|value| offers(*d, value, vocabulary))
            };
            let said_of = || told.iter().flat_map(|clause| things(clause, vocabulary)).any(|d| of_it(&d));
            let ours = !self.devices.is_empty() || said_of();
            return ours && !orders.iter().any(about) && !words().any(|t| self.values.contains(&t.text));
        }
        let wide = |t: &Token| {
            !t.is_entity() && t.any(|s| matches!(s, Sense::Other | Sense::All | Sense::Everything | Sense::WholeHome))
        };
        let touched = |clause: &[Token]| things(clause, vocabulary).iter().any(|d| self.devices.contains(d));
        orders.iter().all(|o| names_thing(o) || asks(o))
            && !words().any(wide)
            && !told.iter().any(|clause| touched(clause))
    }
}

/// The devices that the words of a clause name, by themselves or as a group or a scene; in the rooms that it names, if it names any.
pub(super) fn things(clause: &[Token], vocabulary: &Vocabulary) -> Vec<usize> {
    let home = &vocabulary.home;
    let of = |sense: &Sense| match sense {
        Sense::Group(group) => home.groups[*group].members.clone(),
        Sense::Scene(scene) => home.scenes[*scene].actions.iter().map(|action| action.device).collect(),
        _ => Vec::new(),
    };
    let named = clause.iter().filter_map(|t| devices(t, vocabulary)).flatten();
    let mut things: Vec<usize> = named.chain(clause.iter().flat_map(|t| &t.senses).flat_map(of)).collect();
    // 客卫的灯
    let places: Vec<&Token> = clause.iter().filter(|t| place(t).is_some() && !t.is_entity()).collect();
    let room = |t: &&Token| t.senses.iter().find_map(|s| if let Sense::Room(room) = s { Some(*room) } else { None });
    let rooms: Vec<usize> = places.iter().filter_map(room).collect();
    if !places.is_empty() && rooms.len() == places.len() {
        things.retain(|device| home.devices[*device].room.is_none_or(|room| rooms.contains(&room)));
    }
    things
}

//! What a verb does where nothing of the thing is called by its effect.

use super::*;

impl Subject<'_> {
    /// What makes a property true or false: a flag, one of two commands that switch it, or the one thing that the device does.
    pub(super) fn flag(&self, property: PropertyId, value: bool) -> Option<Act> {
        let is_flag = |a: &&Ability| a.domain == Some(Domain::Bool);
        if let Some(ability) = self.about(property).filter(is_flag) {
            return Some(self.act(ability, Value::Bool(value), None));
        }
        let switches = |a: &&Ability| match &a.domain {
            Some(Domain::Enum(list)) => {
                a.property == Some(property) && matches!(&list[..], [one] if one.value == value)
            }
            _ => false,
        };
        if let Some(ability) = self.writable().find(switches) {
            return Some(self.act(ability, Value::Bool(value), None));
        }
        // 摆风关了 of what is set to one of several ways.
        if !value
            && let Some(fixed) = self.lexicon.choice("fixed")
            && let Some(ability) = self.writable().find(|a| a.property == Some(property))
            && let Some(Domain::Enum(list)) = &ability.domain
            && let Some(at) = ability.choices.iter().position(|meanings| meanings.contains(&fixed))
        {
            return Some(self.act(ability, list[at].value.clone(), Some(said(&list[at], ""))));
        }
        // 摇头 of what has a 左右摇头.
        if self.writable().all(|a| a.property != Some(property))
            && let Some(act) = self.covered(property, value, None)
        {
            return Some(act);
        }
        // 打开浇花器, which can be told to water and nothing else.
        let itself = self.lexicon.property("power") == Some(property);
        let mut all = self.writable();
        let only = all.next().filter(|_| itself && all.next().is_none()).filter(is_flag)?;
        self.is_called_after(only).then(|| self.act(only, Value::Bool(value), None))
    }

    /// What one word stands for (摆风: both ways), all of it at once.
    pub(super) fn covered(&self, property: PropertyId, value: bool, word: Option<&str>) -> Option<Act> {
        let covered = |p: &PropertyId| self.writable().find(|a| a.property == Some(*p));
        let all = self.lexicon.properties[property].covers.iter().filter_map(covered);
        let flags = all.filter(|a| a.domain == Some(Domain::Bool));
        let mut acts = flags.map(|a| self.act(a, Value::Bool(value), word.map(str::to_owned)));
        let mut act = acts.next()?;
        acts.for_each(|more| act.state.extend(more.state));
        act.property = Some(property);
        Some(act)
    }

    /// Whether the device has its name from what it does: 浇花器 and 浇水.
    fn is_called_after(&self, ability: &Ability) -> bool {
        let own = ability.property.map(|p| &self.lexicon.properties[p]).filter(|p| p.own);
        own.is_some_and(|p| p.words.iter().any(|w| w.chars().any(|c| self.device.name.contains(c))))
    }

    /// What is done by a verb that the home calls something by: `冲马桶` of a 冲水, `空调静音` of a mode, `地暖打开` of what knows off and
    /// heating.
    pub(in super::super) fn called_like(&self, verb: VerbId) -> Option<Act> {
        let entry = &self.lexicon.verbs[verb];
        match entry.id.as_str() {
            "mute" => self.writable().find_map(|ability| {
                let choice = self.choice(ability, &entry.words[0])?;
                Some(self.act(ability, choice.value.clone(), Some(said(choice, ""))))
            }),
            "on" => self.heated(),
            "feed" | "flush" => self.named_by(verb),
            _ => None,
        }
    }

    /// Whether a verb is done only by what the home calls so.
    pub fn is_called_like(&self, verb: VerbId) -> bool {
        self.does(verb).is_none() && self.called_like(verb).is_some()
    }

    /// The one way to heat of what has no switch, and can be off.
    fn heated(&self) -> Option<Act> {
        let choice = |id: &str| self.lexicon.choice(id);
        let (heat, cool, off) = (choice("heat")?, choice("cool")?, choice("close")?);
        if self.about_id("power").is_some() {
            return None;
        }
        self.writable().find_map(|ability| {
            let has = |choice: usize| ability.choices.iter().position(|meanings| meanings.contains(&choice));
            let Some(Domain::Enum(list)) = &ability.domain else { return None };
            let at = has(heat).filter(|_| has(cool).is_none() && has(off).is_some())?;
            Some(self.act(ability, list[at].value.clone(), None))
        })
    }

    /// What is called as the verb is: a switch of it, or the value that is no end of it.
    fn named_by(&self, verb: VerbId) -> Option<Act> {
        let verb = &self.lexicon.verbs[verb];
        let says = |text: &str| {
            let text = crate::text::normalize(text);
            verb.words.iter().chain(&verb.describes).any(|word| *word == text)
        };
        let ends = |meanings: &Vec<usize>| {
            meanings
                .iter()
                .any(|c| ["stop", "close", "pause", "cancel"].contains(&self.lexicon.choices[*c].id.as_str()))
        };
        self.writable().find_map(|ability| {
            let Source::Property(at) = ability.source else { return None };
            if !says(&self.device.properties[at].describe) {
                return None;
            }
            match &ability.domain {
                Some(Domain::Bool) => Some(self.act(ability, Value::Bool(true), None)),
                Some(Domain::Enum(list)) => {
                    let named = list.iter().position(|c| says(&c.describe));
                    let first = || ability.choices.iter().position(|meanings| !ends(meanings));
                    let at = named.or_else(first)?;
                    Some(self.act(ability, list[at].value.clone(), None))
                }
                _ => None,
            }
        })
    }
}

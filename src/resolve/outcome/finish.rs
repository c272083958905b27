//! What was gathered becomes one outcome: one instruct a device, one reply.

use super::super::state::is_part_way;
use super::*;

impl Resolver<'_> {
    pub(in crate::resolve) fn finish(mut self) -> Outcome {
        let instructs = self.instructs();
        let instructs_empty = instructs.is_empty();
        if !self.unfound.is_empty() {
            let what = self.context.replies.list(&self.unfound);
            self.missing.insert(0, self.context.replies.say("no_device", &[("what", &what)]));
        }
        if !self.unclear.is_empty() {
            // What has no words is not named beside what has.
            let named: Vec<&String> = self.unclear.iter().filter(|what| !what.is_empty()).collect();
            let what = self.context.replies.list(&named);
            let key = if named.is_empty() { "unsure" } else { "unsure_about" };
            self.missing.push(self.context.replies.say(key, &[("what", &what)]));
        }
        // Of 如果…否则… one half happens; that the other does not is nothing to tell.
        if instructs.is_empty() && self.answers.is_empty() && self.question.is_none() && self.missing.is_empty() {
            self.answers.extend(self.unmet.first().cloned());
        }
        let replies = self.context.replies;
        let mut text = String::new();
        if !instructs.is_empty() {
            text = self.done_text(&instructs);
        }
        let actions = self.actions_text();
        let undone: String = self.answers.iter().chain(&self.missing).map(String::as_str).collect();
        text.push_str(&undone);
        let complete = self.answers.is_empty() && self.missing.is_empty() && self.bounds.is_empty();
        let mut pending = None;
        let mut hint = None;
        if let Some((question, wanted, why)) = self.question.take() {
            text.push_str(&question);
            pending = Some(wanted);
            hint = Some(why);
        }
        let intent = match () {
            () if !instructs.is_empty() => Intent::Instruct,
            () if pending.is_some() => Intent::Question,
            () if !self.answers.is_empty() => Intent::Answer,
            () if !self.missing.is_empty() => Intent::Question,
            () => Intent::None,
        };
        if text.is_empty() {
            text = replies.say("none", &[]);
        }
        Outcome {
            intent,
            text,
            instructs,
            candidates: self.candidates,
            hint,
            mentioned: self.mentioned,
            pending,
            stale: self.stale,
            searched: self.searched,
            complete: complete && !instructs_empty,
            silent: false,
            actions,
            undone,
            trace: self.trace,
        }
    }

    pub(super) fn instructs(&self) -> Vec<Instruct> {
        let world = self.context.world;
        let mut instructs = Vec::new();
        for device in &self.order_of {
            let Some(plan) = self.plans.get(device) else { continue };
            let live = &self.context.live.get(*device).values;
            let summary = self.told(&plan.phrases, &self.context.device_name(*device));
            let id = world.home().devices[*device].id.clone();
            if !plan.state.is_empty() {
                // 关窗帘 of one that was told to close, and then to stand half way.
                let switches = plan.verb.is_some_and(|verb| world.lexicon().verbs[verb].switches.is_some());
                let part_way = switches && is_part_way(*device, self.context);
                let noop = !part_way && plan.state.iter().all(|(k, v)| live.get(k) == Some(v));
                let (state, summary) = (Some(plan.state.clone()), summary.clone());
                instructs.push(Instruct { id: id.clone(), state, command: None, summary, noop });
            }
            for act in &plan.acts {
                if let Some(command) = &act.command {
                    let (command, summary) = (Some(command.clone()), summary.clone());
                    instructs.push(Instruct { id: id.clone(), state: None, command, summary, noop: false });
                }
            }
        }
        instructs
    }
}

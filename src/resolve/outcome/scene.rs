//! A scene that is run.

use super::*;

impl Resolver<'_> {
    pub(super) fn scene(&mut self, scene: usize, order: &Order) {
        let world = self.context.world;
        let home = world.home();
        let scene_ref = &home.scenes[scene];
        let name = reply::spoken(&scene_ref.name);
        // What a scene did is not undone by doing it once more.
        if let Action::Verb(verb) = order.action
            && world.lexicon().verbs[verb].switches == Some(false)
        {
            let action = &world.lexicon().verbs[verb].words[0];
            self.missing.push(self.context.replies.say("cannot", &[("what", &name), ("action", action)]));
            return;
        }
        let spared = bounds::scope_of(order, self.context).map(|scope| scope.excluded).unwrap_or_default();
        let actions: Vec<_> = scene_ref.actions.iter().filter(|a| !spared.contains(&a.device)).collect();
        let risky: Vec<DeviceIndex> = actions
            .iter()
            .filter(|a| world.vocabulary.devices[a.device].risky && opens(a.device, &a.state, self.context))
            .filter(|a| self.context.online(a.device))
            .map(|a| a.device)
            .collect();
        if !risky.is_empty() && !self.context.confirmed {
            let names: Vec<String> = risky.iter().map(|d| self.context.device_name(*d)).collect();
            let text = self
                .context
                .replies
                .say("confirm_scene", &[("scene", &name), ("what", &names.join(self.context.replies.word("and")))]);
            self.ask_back(text, Pending::confirm(order, risky, Vec::new()), "confirm_required");
            return;
        }
        let signals = Signals { name: 1.0, capability: 1.0, online: 1.0, ..Signals::default() };
        self.find(&[Candidate { entity: Entity::Scene(scene), signals }], order);
        self.mention([Entity::Scene(scene)]);
        let whole = self.context.replies.say("scene_part", &[("scene", &name)]);
        let part = Phrase { whole, then: name.clone(), rest: String::new() };
        let away = actions.iter().map(|a| a.device).filter(|d| !self.context.online(*d));
        self.say_offline(&away.collect::<Vec<_>>());
        let reachable = actions.iter().filter(|a| self.context.online(a.device));
        for action in reachable {
            if !self.order_of.contains(&action.device) {
                self.order_of.push(action.device);
            }
            let plan = self.plans.entry(action.device).or_default();
            plan.state.extend(action.state.clone());
            plan.phrases.push(part.clone());
        }
        if actions.iter().any(|a| self.context.online(a.device)) {
            let left = self.context.replies.list(&self.left_out(order));
            let spares = self.context.replies.say("scene_spares", &[("scene", &name), ("what", &left)]);
            self.scenes.push(if left.is_empty() { name } else { spares });
        }
    }
}

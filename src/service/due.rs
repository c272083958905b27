//! What is due is done.

use tokio::sync::mpsc;

use super::Service;
use super::fresh::Refreshed;
use crate::frame::{Event, Instruct};
use crate::home::DeviceIndex;
use crate::job::Job;
use crate::language::order::Order;
use crate::resolve::{Context, resolve};
use crate::retrieval::Entity;

/// What a job came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried {
    /// What moves.
    pub instructs: Vec<Instruct>,
    /// The risky ones among these devices.
    pub risky: Vec<String>,
    /// What went wrong, in words.
    pub trouble: Option<String>,
}

impl Service {
    /// What a job that is due does in the home as it is now. What it depends on is asked for, where it is not known to be
    /// fresh, by the events that are sent.
    pub async fn carry_out(&self, job: &Job, events: &mpsc::Sender<Event>) -> Carried {
        let snapshot = self.registry.snapshot();
        let failed = |key: &str, what: &str| Carried {
            instructs: Vec::new(),
            risky: Vec::new(),
            trouble: Some(self.language.replies.say(key, &[("what", what)])),
        };
        if snapshot.revision == 0 {
            return failed("job_missed", &job.summary);
        }
        let view = self.registered_view(&snapshot).await;
        let world = view.world();
        let home = world.home();
        let read = job.steps.iter().map(|step| Some((step.order.order(&world.vocabulary)?, &step.devices)));
        let Some(steps) = read.collect::<Option<Vec<(Order, &Vec<String>)>>>() else {
            return failed("job_missed", &job.summary);
        };
        let local = job.asker.local.as_deref().and_then(|name| home.rooms.iter().position(|room| room.name == name));
        let context = Context { handful: usize::MAX, ..self.context(&view, local, &[], 0) };
        let gone = steps.iter().flat_map(|(_, ids)| ids.iter()).any(|id| home.device(id).is_none());
        let index = |id: &String| home.device(id).map(|(index, _)| index);
        let open = steps.iter().any(|(order, _)| order.action.states() || order.filter.is_some());
        let mut instructs: Vec<Instruct> = Vec::new();
        let mut trouble = gone.then(|| self.language.replies.say("no_device", &[("what", &job.summary)]));
        if open {
            // What it depends on is looked at now; what moves is among what was meant.
            let last: Vec<Entity> =
                steps.iter().flat_map(|(_, ids)| ids.iter().filter_map(index)).map(Entity::Device).collect();
            let orders: Vec<Order> = steps.iter().map(|(order, _)| order.clone()).collect();
            let now_ms = self.clock().now_ms();
            let context = Context { last: &last, ..context };
            let fresh_since_ms = self.fresh_since(false, now_ms);
            let context = Context { fresh_since_ms, ..context };
            let mut outcome = resolve(&orders, &context);
            if !outcome.stale.is_empty() {
                let Refreshed { live, told } = self.refresh(world, &outcome, events, now_ms, true).await;
                outcome = resolve(&orders, &Context { live: &live, told: Some(&told), ..context });
                let undecided = !outcome.stale.is_empty() && outcome.instructs.is_empty();
                trouble = trouble.or_else(|| undecided.then(|| outcome.text.clone()));
            }
            let meant = |id: &String| steps.iter().any(|(_, ids)| ids.contains(id));
            instructs.extend(outcome.instructs.iter().filter(|instruct| meant(&instruct.id)).cloned());
            trouble = trouble.or_else(|| outcome.pending.is_some().then(|| outcome.text.clone()));
        } else {
            for (order, ids) in &steps {
                let chosen: Vec<DeviceIndex> = ids.iter().filter_map(index).collect();
                if chosen.is_empty() {
                    continue;
                }
                let away: Vec<DeviceIndex> = chosen.iter().filter(|d| !snapshot.live.online(**d)).copied().collect();
                let chosen: Vec<DeviceIndex> = chosen.into_iter().filter(|d| !away.contains(d)).collect();
                if !away.is_empty() {
                    let names: Vec<String> = away.iter().map(|d| context.device_name(*d)).collect();
                    let what = self.language.replies.list(&names);
                    let values = [("what", what.as_str()), ("action", job.summary.as_str())];
                    trouble = trouble.or_else(|| Some(self.language.replies.say("offline", &values)));
                }
                if chosen.is_empty() {
                    continue;
                }
                let outcome = resolve(std::slice::from_ref(order), &Context { chosen: Some(&chosen), ..context });
                let whole = outcome.pending.is_none() && !outcome.instructs.is_empty();
                trouble = trouble.or_else(|| (!whole).then(|| outcome.text.clone()));
                instructs.extend(outcome.instructs);
            }
        }
        let risky = |id: &&str| home.device(id).is_some_and(|(device, _)| world.vocabulary.devices[device].risky);
        let risky = instructs.iter().map(|i| i.id.as_str()).filter(risky).map(str::to_owned).collect();
        Carried { instructs, risky, trouble }
    }

    /// What is said of a job that could not be done.
    pub fn job_failed(&self, why: &str) -> String {
        self.language.replies.say("job_failed", &[("why", why)])
    }

    /// What is said of a job whose time was missed.
    pub fn job_missed(&self, job: &Job) -> String {
        self.language.replies.say("job_missed", &[("what", &job.summary)])
    }
}

//! Whether the jobs that were made are those that a case wants.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::cases::same;
use super::judge::Verdict;

impl Verdict {
    /// Exactly these jobs are made. One that nobody wants, or at another time, is a misfire to come.
    pub(super) fn jobs(&mut self, wanted: &[Value], made: &[Value]) {
        let mut left: Vec<&Value> = made.iter().collect();
        for job in wanted {
            match left.iter().position(|made| is_job(job, made)) {
                Some(at) => drop(left.remove(at)),
                None => self.misses.push(format!("no job {job}")),
            }
        }
        for job in left {
            self.misses.push(format!("a job for {}, {}: {}", job["due"], job["repeat"], job["summary"]));
            let devices = job["instructs"].as_array().into_iter().flatten();
            self.misfires.extend(devices.filter_map(|instruct| Some(instruct["id"].as_str()?.to_owned())));
        }
    }
}

/// Whether a job is the one that is wanted: `due` as far as it is written, the parts of the rule in any order, and the
/// values of each device.
fn is_job(wanted: &Value, made: &Value) -> bool {
    let text = |job: &Value, key: &str| job[key].as_str().unwrap_or_default().to_owned();
    let rule = |job: &Value| -> BTreeSet<String> {
        let parts = text(job, "repeat").split([';', ',']).map(str::to_owned).collect::<BTreeSet<_>>();
        parts.into_iter().filter(|part| !part.is_empty() && part != "INTERVAL=1").collect()
    };
    let mut states: BTreeMap<String, BTreeMap<String, &Value>> = BTreeMap::new();
    for instruct in made["instructs"].as_array().into_iter().flatten() {
        let state = instruct["state"].as_object().into_iter().flatten();
        states
            .entry(text(instruct, "id"))
            .or_default()
            .extend(state.map(|(property, value)| (property.clone(), value)));
    }
    let Some(devices) = wanted["instructs"].as_object() else { return false };
    let fits = |(device, state): (&String, &Value)| {
        let has = |(property, value): (&String, &Value)| {
            states.get(device).and_then(|made| made.get(property)).is_some_and(|made| same(value, made))
        };
        state.as_object().is_some_and(|state| state.iter().all(has))
    };
    text(made, "due").starts_with(&text(wanted, "due"))
        && rule(made) == rule(wanted)
        && devices.len() == states.len()
        && devices.iter().all(fits)
}

//! What a home is after a turn: not what it was told, but what came of it.

use super::cases::States;
use super::judge::Verdict;
use crate::home::{Home, Live};

impl Verdict {
    /// Every value is in the home's state once its devices have reported what they were told.
    pub(super) fn after(&mut self, wanted: &States, home: &Home, live: &Live) {
        for (device, state) in wanted {
            let Some((index, _)) = home.device(device) else {
                self.misses.push(format!("the home has no device {device}"));
                continue;
            };
            for (property, wanted) in state {
                match live.get(index).values.get(property) {
                    Some(value) if wanted.fits(value) => {}
                    Some(value) => self.misses.push(format!("{device}: {property} is {value} afterwards")),
                    None => self.misses.push(format!("{device}: {property} is unknown afterwards")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cli::eval::cases::Wanted;

    fn misses(wanted: Value) -> Vec<String> {
        let property = json!({"power": {"type": "bool"}, "level": {"type": "uint", "min": 1, "max": 100}});
        let document = json!({
            "model": {"m": {"name": "light", "describe": "灯", "property": property}},
            "devices": [{"id": "lamp", "name": "lamp", "device": {"model": "m", "state": {"level": 10}}}],
        });
        let (home, _) = crate::home::parse(&document).unwrap();
        let state =
            |state: &Value| state.as_object().unwrap().clone().into_iter().map(|(p, v)| (p, Wanted::Is(v))).collect();
        let wanted =
            wanted.as_object().unwrap().iter().map(|(device, wanted)| (device.clone(), state(wanted))).collect();
        let mut verdict = Verdict::default();
        verdict.after(&wanted, &home, &Live::initial(&home));
        verdict.misses
    }

    #[test]
    fn what_a_home_is_afterwards_is_compared_by_value() {
        assert_eq!(misses(json!({"lamp": {"level": 10.0}})), [""; 0]);
        assert_eq!(misses(json!({"lamp": {"level": 20}})), ["lamp: level is 10 afterwards"]);
        assert_eq!(misses(json!({"lamp": {"power": true}})), ["lamp: power is unknown afterwards"]);
        assert_eq!(misses(json!({"fan": {"power": true}})), ["the home has no device fan"]);
    }
}

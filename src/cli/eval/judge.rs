//! Whether an outcome is what a case expects, and whether a device moved that it does not name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::cases::{Expect, States, Wanted, same};
use crate::frame::{Finish, Instruct, Intent};
use crate::home::{Home, Live};
use crate::text::ASKS;

/// The properties that switch a device on, and the ends of the commands that do.
const SWITCHES: [&str; 4] = ["power", "switch", "on", "enable"];
const SWITCH_COMMAND: &str = "switch-on";

/// What a turn came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why it is not what was expected; empty for a pass.
    pub misses: Vec<String>,
    /// Devices that moved although the turn does not name them.
    pub misfires: BTreeSet<String>,
    /// Something was spoken although nobody spoke to the home.
    pub spoken: bool,
    /// A question came back where the turn says all that is needed.
    pub asked: bool,
    /// It passed because nothing was expected of the reply.
    pub unchecked: bool,
}

impl Verdict {
    /// Whether all is as expected.
    pub fn passed(&self) -> bool {
        self.misses.is_empty()
    }
}

/// Judges one turn. `live` is the home's state before it.
pub fn judge(expect: &Expect, home: &Home, live: &Live, finish: &Finish) -> Verdict {
    let (intent, reply, spoken, instructs, made) = match finish {
        Finish::Done { intent, result, speech, instructs, jobs, .. } => {
            (*intent, result.as_str(), !speech.text.is_empty(), instructs.as_slice(), jobs.as_slice())
        }
        Finish::Failed { code, message } => {
            return Verdict { misses: vec![format!("failed: {}: {message}", code.code())], ..Verdict::default() };
        }
    };
    let moves = Moves::of(instructs);
    let mut verdict = Verdict { asked: asks_needlessly(expect, intent, reply), ..Verdict::default() };
    match expect {
        Expect::Instruct { exact, instructs, commands, jobs } => {
            verdict.intent(Intent::Instruct, intent);
            verdict.jobs(jobs, made);
            if instructs.is_empty() && commands.is_empty() {
                if moves.is_empty() {
                    verdict.misses.push("no instruct".into());
                }
                return verdict;
            }
            verdict.expected(instructs, commands, &moves);
            if *exact {
                verdict.nothing_else(instructs, commands, &moves, home, live);
            }
        }
        Expect::Scene(scene) => {
            verdict.intent(Intent::Instruct, intent);
            let Some(actions) = scene_actions(home, scene) else {
                verdict.misses.push(format!("the home has no scene {scene}"));
                return verdict;
            };
            verdict.expected(&actions, &BTreeMap::new(), &moves);
            verdict.nothing_else(&actions, &BTreeMap::new(), &moves, home, live);
        }
        Expect::Reply { intent: wanted, contains, lacks, jobs } => {
            verdict.intent(*wanted, intent);
            let missing = contains.iter().filter(|word| !reply.contains(word.as_str()));
            verdict.misses.extend(missing.map(|word| format!("the reply lacks {word}")));
            let wrong = lacks.iter().filter(|word| reply.contains(word.as_str()));
            verdict.misses.extend(wrong.map(|word| format!("the reply holds {word}")));
            if !jobs.is_empty() {
                verdict.jobs(jobs, made);
            }
            verdict.unchecked = contains.is_empty() && lacks.is_empty() && jobs.is_empty();
            verdict.nothing_else(&BTreeMap::new(), &BTreeMap::new(), &moves, home, live);
        }
        Expect::NotOurs => {
            verdict.spoken = spoken;
            verdict.jobs(&[], made);
            verdict.nothing_else(&BTreeMap::new(), &BTreeMap::new(), &moves, home, live);
        }
        Expect::Nothing => {
            verdict.nothing_else(&BTreeMap::new(), &BTreeMap::new(), &moves, home, live);
        }
        Expect::NothingEver => {
            verdict.jobs(&[], made);
            verdict.nothing_else(&BTreeMap::new(), &BTreeMap::new(), &moves, home, live);
        }
    }
    verdict
}

/// Whether something is asked where the turn says all that is needed. A question beside what is done counts as well, unless
/// the case leaves open what else may come of it.
fn asks_needlessly(expect: &Expect, intent: Intent, reply: &str) -> bool {
    let beside = || intent == Intent::Instruct && reply.contains(ASKS);
    match expect {
        Expect::Instruct { exact: true, .. } | Expect::Scene(_) => intent == Intent::Question || beside(),
        Expect::Instruct { .. } | Expect::Reply { intent: Intent::Answer, .. } => intent == Intent::Question,
        _ => false,
    }
}

/// Values and commands by device, over all instructs of a turn.
#[derive(Default)]
struct Moves<'a> {
    states: BTreeMap<&'a str, BTreeMap<&'a str, &'a Value>>,
    commands: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Moves<'a> {
    fn of(instructs: &'a [Instruct]) -> Self {
        let mut moves = Self::default();
        for instruct in instructs {
            if let Some(state) = &instruct.state {
                let values = state.iter().map(|(property, value)| (property.as_str(), value));
                moves.states.entry(&instruct.id).or_default().extend(values);
            }
            if let Some(command) = &instruct.command {
                moves.commands.entry(&instruct.id).or_default().push(&command.id);
            }
        }
        moves
    }

    fn is_empty(&self) -> bool {
        self.states.is_empty() && self.commands.is_empty()
    }
}

type Commands = BTreeMap<String, Vec<String>>;

impl Verdict {
    fn intent(&mut self, wanted: Intent, got: Intent) {
        if wanted != got {
            self.misses.push(format!("{got:?} instead of {wanted:?}").to_lowercase());
        }
    }

    /// Everything that is wanted is there.
    fn expected(&mut self, states: &States, commands: &Commands, moves: &Moves<'_>) {
        for (device, state) in states {
            for (property, wanted) in state {
                match moves.states.get(device.as_str()).and_then(|state| state.get(property.as_str())) {
                    None => self.misses.push(format!("{device}: {property} is not set")),
                    Some(value) if !wanted.fits(value) => self.misses.push(format!("{device}: {property} is {value}")),
                    Some(_) => {}
                }
            }
        }
        for (device, wanted) in commands {
            for command in wanted {
                if !moves.commands.get(device.as_str()).is_some_and(|got| got.contains(&command.as_str())) {
                    self.misses.push(format!("{device}: no command {command}"));
                }
            }
        }
    }

    /// Nothing changes that is not wanted. Forgiven: what repeats the present state, and switching on a device that is
    /// set anyway.
    fn nothing_else(&mut self, states: &States, commands: &Commands, moves: &Moves<'_>, home: &Home, live: &Live) {
        let present = |device: &str, property: &str| {
            let (index, _) = home.device(device)?;
            live.get(index).values.get(property)
        };
        for (device, state) in &moves.states {
            let named = states.get(*device);
            for (property, value) in state {
                let wanted = named.is_some_and(|named| named.contains_key(*property));
                let repeats = present(device, property).is_some_and(|present| same(present, value));
                let switches_on = named.is_some() && SWITCHES.contains(property) && **value == Value::Bool(true);
                if !wanted && !repeats && !switches_on {
                    self.unwanted(device, &format!("{property} became {value}"), named.is_some());
                }
            }
        }
        for (device, got) in &moves.commands {
            let named = commands.get(*device);
            for command in got {
                // What a device is set to can be seen of it once it is on.
                if named.is_some_and(|n| !n.is_empty()) && command.ends_with(SWITCH_COMMAND) {
                    continue;
                }
                if !named.is_some_and(|named| named.iter().any(|wanted| wanted == command)) {
                    self.unwanted(device, &format!("got command {command}"), named.is_some());
                }
            }
        }
    }

    fn unwanted(&mut self, device: &str, what: &str, named: bool) {
        self.misses.push(format!("{device}: {what}"));
        if !named {
            self.misfires.insert(device.to_owned());
        }
    }
}

fn scene_actions(home: &Home, id: &str) -> Option<States> {
    let scene = home.scenes.iter().find(|scene| scene.id == id)?;
    let actions = scene.actions.iter().map(|action| {
        let state = action.state.iter().map(|(property, value)| (property.clone(), Wanted::Is(value.clone())));
        (home.devices[action.device].id.clone(), state.collect())
    });
    Some(actions.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::frame::{CommandCall, ErrorCode, Speech};
    use crate::home::State;

    fn state(value: Value) -> State {
        serde_json::from_value(value).unwrap()
    }

    fn home() -> Home {
        let property = json!({"power": {"type": "bool"}, "level": {"type": "uint", "min": 1, "max": 100}});
        let device = |id: &str, state: Value| json!({"id": id, "name": id, "device": {"model": "m", "state": state}});
        let document = json!({
            "model": {"m": {"name": "light", "describe": "灯", "property": property}},
            "devices": [
                device("lamp", json!({"power": false, "level": 10})),
                device("fan", json!({"power": true, "level": 1})),
            ],
            "scenes": [{"id": "night", "name": "晚安", "actions": [{"id": "fan", "state": {"power": false}}]}],
        });
        let (home, report) = crate::home::parse(&document).unwrap();
        assert_eq!(report.rejected, []);
        home
    }

    fn instruct(id: &str, set: Value) -> Instruct {
        Instruct { id: id.into(), state: Some(state(set)), command: None, summary: String::new(), noop: false }
    }

    fn outcome(expect: Expect, intent: Intent, instructs: Vec<Instruct>) -> (bool, usize) {
        let verdict = verdict(&expect, intent, instructs, "好的，台灯");
        (verdict.passed(), verdict.misfires.len())
    }

    fn verdict(expect: &Expect, intent: Intent, instructs: Vec<Instruct>, reply: &str) -> Verdict {
        let home = home();
        let result: String = reply.into();
        let finish = Finish::Done {
            intent,
            speech: Speech::full(&result),
            result,
            instructs,
            risky: Vec::new(),
            confirmed: false,
            jobs: Vec::new(),
        };
        judge(expect, &home, &Live::initial(&home), &finish)
    }

    fn wants(exact: bool, set: Value) -> Expect {
        let instructs: BTreeMap<String, BTreeMap<String, Value>> = serde_json::from_value(set).unwrap();
        let wanted = |state: BTreeMap<String, Value>| state.into_iter().map(|(p, v)| (p, Wanted::Is(v))).collect();
        let instructs = instructs.into_iter().map(|(device, state)| (device, wanted(state))).collect();
        Expect::Instruct { exact, instructs, commands: BTreeMap::new(), jobs: Vec::new() }
    }

    #[test]
    fn exactly_what_is_wanted_passes() {
        let lamp = || wants(true, json!({"lamp": {"level": 20}}));
        assert_eq!(outcome(lamp(), Intent::Instruct, vec![instruct("lamp", json!({"level": 20}))]), (true, 0));
        assert_eq!(outcome(lamp(), Intent::Instruct, vec![instruct("lamp", json!({"level": 21}))]), (false, 0));
        assert_eq!(outcome(lamp(), Intent::Answer, vec![instruct("lamp", json!({"level": 20}))]), (false, 0));
        assert_eq!(outcome(lamp(), Intent::Instruct, vec![]), (false, 0));
    }

    #[test]
    fn repeating_the_present_state_and_switching_on_what_is_set_are_forgiven() {
        let lamp = || wants(true, json!({"lamp": {"level": 20}}));
        let set = |extra| vec![instruct("lamp", json!({"level": 20, "power": true})), extra];
        assert_eq!(outcome(lamp(), Intent::Instruct, set(instruct("fan", json!({"power": true})))), (true, 0));
        assert_eq!(outcome(lamp(), Intent::Instruct, set(instruct("fan", json!({"level": 2})))), (false, 1));
        assert_eq!(outcome(lamp(), Intent::Instruct, set(instruct("lamp", json!({"color": "red"})))), (false, 0));
    }

    #[test]
    fn a_superset_may_hold_more_and_an_empty_wish_takes_anything() {
        let more = || vec![instruct("lamp", json!({"power": true})), instruct("fan", json!({"power": false}))];
        assert_eq!(outcome(wants(false, json!({"lamp": {"power": true}})), Intent::Instruct, more()), (true, 0));
        assert_eq!(outcome(wants(false, json!({})), Intent::Instruct, more()), (true, 0));
        assert_eq!(outcome(wants(false, json!({})), Intent::Instruct, vec![]), (false, 0));
    }

    #[test]
    fn a_scene_is_its_actions() {
        let scene = || Expect::Scene("night".into());
        assert_eq!(outcome(scene(), Intent::Instruct, vec![instruct("fan", json!({"power": false}))]), (true, 0));
        let other = vec![instruct("fan", json!({"power": false})), instruct("lamp", json!({"power": true}))];
        assert_eq!(outcome(scene(), Intent::Instruct, other), (false, 1));
        assert_eq!(outcome(Expect::Scene("day".into()), Intent::Instruct, vec![]), (false, 0));
    }

    #[test]
    fn commands_are_compared_by_id() {
        let expect = || Expect::Instruct {
            exact: true,
            instructs: BTreeMap::new(),
            commands: BTreeMap::from([("fan".to_owned(), vec!["main-switch-on".to_owned()])]),
            jobs: Vec::new(),
        };
        let call = |device: &str, command: &str| Instruct {
            command: Some(CommandCall { id: command.into(), argument: None }),
            state: None,
            ..instruct(device, json!({}))
        };
        assert_eq!(outcome(expect(), Intent::Instruct, vec![call("fan", "main-switch-on")]), (true, 0));
        assert_eq!(outcome(expect(), Intent::Instruct, vec![call("fan", "main-switch-off")]), (false, 0));
        let two = vec![call("fan", "main-switch-on"), call("lamp", "main-switch-on")];
        assert_eq!(outcome(expect(), Intent::Instruct, two), (false, 1));
    }

    #[test]
    fn replies_hold_their_words_and_nothing_moves() {
        let reply = |word: &str| Expect::Reply {
            intent: Intent::Answer,
            contains: vec![word.into()],
            lacks: vec!["冰箱".into()],
            jobs: vec![],
        };
        assert_eq!(outcome(reply("台灯"), Intent::Answer, vec![]), (true, 0));
        assert_eq!(outcome(reply("台灯"), Intent::Question, vec![]), (false, 0));
        assert_eq!(outcome(reply("风扇"), Intent::Answer, vec![]), (false, 0));
        let moved = || vec![instruct("fan", json!({"power": false}))];
        assert_eq!(outcome(reply("台灯"), Intent::Answer, moved()), (false, 1));
        assert_eq!(outcome(Expect::Nothing, Intent::None, moved()), (false, 1));
        assert_eq!(outcome(Expect::Nothing, Intent::Question, vec![]), (true, 0));
    }

    #[test]
    fn a_question_beside_what_is_done_is_needless_and_no_miss() {
        let lamp = || vec![instruct("lamp", json!({"level": 20}))];
        let asked = |expect: &Expect, intent, reply: &str| {
            let verdict = verdict(expect, intent, lamp(), reply);
            (verdict.passed(), verdict.asked)
        };
        let exact = wants(true, json!({"lamp": {"level": 20}}));
        assert_eq!(asked(&exact, Intent::Instruct, "正在调亮台灯。"), (true, false));
        assert_eq!(asked(&exact, Intent::Instruct, "正在调亮台灯。你要把哪一个调到50%呢？"), (true, true));
        assert_eq!(asked(&exact, Intent::Question, "哪一个呢？"), (false, true));
        let more = wants(false, json!({"lamp": {"level": 20}}));
        assert_eq!(asked(&more, Intent::Instruct, "正在调亮台灯。门锁也打开吗？"), (true, false));
        assert_eq!(asked(&Expect::Nothing, Intent::Question, "哪一个呢？"), (false, false));
    }

    #[test]
    fn a_failed_request_never_passes() {
        let home = home();
        let finish = Finish::Failed { code: ErrorCode::Timeout, message: "late".into() };
        assert!(!judge(&Expect::Nothing, &home, &Live::initial(&home), &finish).passed());
    }
}

//! A Home Assistant that is killed in the middle of commands: each is taken or reported, none comes late, and none is run twice
//! that must not be.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rumqttc::v5::mqttbytes::v5::Publish;
use serde_json::json;
use tokio::time::sleep;

use super::{Rest, Trial, kill, settings, start};
use crate::common::{json_of, within};

/// After this nothing may come any more (`delivery.ttl_seconds`), and what Home Assistant itself takes for it.
const TTL_MS: u64 = 10_000 + 1_000;

fn now_ms() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// When the script ran, each time: it writes that down itself.
fn runs() -> Vec<u64> {
    let file = PathBuf::from(std::env::var("ZHIJU_HA_RUNS").unwrap());
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// When the water was set to what it is.
async fn set_ms(rest: &Rest) -> u64 {
    let template = json!({"template": "{{ (as_timestamp(states.input_number.pond.last_changed) * 1000) | int }}"});
    rest.ask("POST", "/api/template", &template.to_string()).await.unwrap().as_u64().unwrap()
}

/// What is asked of the script, and when; where the process was killed, nobody knows whether it ran.
#[derive(Default)]
struct Scripted {
    /// Those of which nobody knows, since the last that ran for sure.
    doubtful: Vec<u64>,
    /// Runs until then.
    before: usize,
    wrong: Vec<String>,
}

impl Scripted {
    /// One ran for sure: all runs since the last such one are accounted for, each in its time.
    fn ran(&mut self, given_ms: u64) {
        let all = runs();
        let (new, mut given) = (&all[self.before..], std::mem::take(&mut self.doubtful));
        given.push(given_ms);
        if new.is_empty() || new.len() > given.len() {
            self.wrong.push(format!("{} runs of {} orders", new.len(), given.len()));
        }
        // The last order ran; of those before it, none may have run after its time.
        let late = |run: &&u64| !given.iter().any(|given| (*given..=given + TTL_MS).contains(*run));
        self.wrong.extend(new.iter().filter(late).map(|run| format!("a run at {run} of orders at {given:?}")));
        self.before = all.len();
    }
}

/// What was taken was done, and of the rest it is known that nobody knows: nothing is silently lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a real Home Assistant; see deploy/tests/home_assistant.sh"]
async fn four_hundred_commands_while_it_is_killed_are_each_taken_or_reported_and_never_late_or_twice() {
    let kills = std::env::var("ZHIJU_HA_KILLS").map_or(20, |kills| kills.parse().unwrap());
    let (settings, rest) = settings();
    let mut trial = Trial::start(&settings).await;
    let (mut confirmed, mut reported, mut undone, mut wrong) = (0, 0, 0, Vec::new());
    let mut scripted = Scripted { before: runs().len(), ..Scripted::default() };
    let (mut ran, mut killed_so_far) = (0, 0);
    for at in 0..400_u32 {
        let killed = kills > 0 && at % (400 / kills) == 5;
        killed_so_far += u32::from(killed);
        // Every second one is killed in the middle of a script.
        let script = at % 10 == 3 || (killed && killed_so_far.is_multiple_of(2));
        // Never what it is already: nothing would be told.
        let value = at % 199 + 1;
        let given_ms = now_ms();
        let said = if script { "执行计数流程".to_owned() } else { format!("池塘水位调到{value}") };
        let rid = trial.ask(&said, "院子", "pond").await;
        // In the middle of one: it is on its way when the process ends.
        if killed {
            kill();
            trial.until_online(false).await;
            start();
            trial.until_online(true).await;
        }
        let (reply, _, told) = trial.answer(&rid).await;
        if told == 0 {
            // It was gone when it was asked about, and the reply said so.
            reported += 1;
            continue;
        }
        if script {
            if killed {
                scripted.doubtful.push(given_ms);
                reported += 1;
                continue;
            }
            let before = scripted.before;
            let running = async {
                // Nothing tells when it runs; those of which nobody knows came before it, or never.
                while runs().last().is_none_or(|run| *run < given_ms) || runs().len() == before {
                    sleep(Duration::from_millis(20)).await;
                }
            };
            within("the script", running).await;
            scripted.ran(given_ms);
            ran += 1;
            continue;
        }
        let outcome = trial.client.on(&format!("outcome/trial/{rid}")).await;
        let state = rest.state("input_number.pond").await["state"].clone();
        match outcome["result"].as_str() {
            Some("confirmed") if state == format!("{value}.0") => {
                let late_ms = set_ms(&rest).await.saturating_sub(given_ms);
                if late_ms > TTL_MS {
                    wrong.push(format!("{value}: {late_ms} ms late"));
                }
                confirmed += 1;
            }
            Some("silent" | "rejected") => reported += 1,
            // It was done and told before the end; what a power cut brings back is older.
            Some("confirmed") if killed && outcome["state"]["value"] == value => undone += 1,
            _ => wrong.push(format!("{value}: {state} {outcome} {reply}")),
        }
    }
    println!(
        "{kills} kills: {confirmed} confirmed, {ran} scripts ran once each, {reported} reported, {undone} confirmed before and undone by the end"
    );
    wrong.append(&mut scripted.wrong);
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(confirmed + ran + reported + undone == 400 && reported + undone <= kills, "{reported} {undone}");
    let of_the_pond = |publish: &Publish| {
        publish.topic.starts_with(b"zhiju/home/outcome/") && json_of(publish)["id"] == "home:input_number.pond"
    };
    assert_eq!(trial.client.count(of_the_pond), 0, "one for each");
}

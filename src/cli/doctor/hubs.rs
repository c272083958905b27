//! Hubs: whether each is spoken with, what was left out and why, and names that nobody can tell apart.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Finding;
use crate::cli::hubs::{alike_line, copies_of};
use crate::config::Config;
use crate::home::{Home, Overrides, alike};
use crate::hub::home_assistant::{Settings, reach};
use crate::hub::{HubKind, HubSettings};
use crate::language::lexicon::Lexicon;
use crate::language::vocabulary::taken_names;
use crate::service::Language;
use crate::store::read_hubs;
use crate::text::displayable;

const HUB: &str = "hub";
const NAMES: &str = "names";
const OVERRIDES: &str = "overrides";

const LEFT_OUT: &str = "left out";

/// Findings of one sort, and names in one of them; `zhiju hubs` tells all.
const MAX_FINDINGS: usize = 20;
const MAX_TOLD: usize = 3;

/// Looks at what a daemon left of its hubs. Those that it does not speak with are dialled, as far as that can be done.
pub(super) async fn check(config: &Config) -> Vec<Finding> {
    let told = read_hubs(&config.store_dir).ok().flatten().unwrap_or_default();
    let hubs = told["hubs"].as_array().map_or(&[][..], Vec::as_slice);
    let mut findings: Vec<Finding> = Vec::new();
    for hub in &config.hubs {
        let known = hubs.iter().find(|known| known["name"] == hub.name.as_str());
        findings.push(known.map_or_else(
            || Finding::remark(HUB, format!("{}: no daemon has told of it yet", hub.name), "start the daemon"),
            |known| one(&hub.name, known),
        ));
        findings.extend(known.into_iter().flat_map(|known| left_out(&hub.name, known)));
        if known.is_none_or(|known| known["online"] != true) {
            findings.extend(dialled(hub).await);
        }
    }
    if let Some(Err(error)) = config.overrides.as_deref().map(Overrides::load) {
        let advice = "correct the file; what it said before counts";
        findings.push(Finding::bad(OVERRIDES, displayable(&error.to_string(), 400), advice));
    }
    if let Ok(registry) = copies_of(config) {
        let home = &registry.snapshot().home;
        let found = alike(home);
        let advice = "call them otherwise, in their hub or in the owner's file";
        let told = found.iter().take(MAX_FINDINGS);
        findings.extend(told.map(|found| Finding::remark(NAMES, alike_line(found, home), advice)));
        if found.len() > MAX_FINDINGS {
            let text = format!("{} more that nobody can tell apart", found.len() - MAX_FINDINGS);
            findings.push(Finding::remark(NAMES, text, "`zhiju hubs` lists all"));
        }
        if let Ok(language) = Language::load(Some(&config.language)) {
            findings.extend(words_as_names(home, &language.lexicon));
        }
    }
    findings
}

/// Whether a hub with a connection of its own takes us now.
async fn dialled(hub: &HubSettings) -> Option<Finding> {
    let HubKind::HomeAssistant(own) = &hub.kind else { return None };
    let name = &hub.name;
    Some(match reach(&Settings::of(name, own)).await {
        Ok(version) => Finding::good(HUB, format!("{name}: Home Assistant {} takes us", displayable(&version, 32))),
        Err(error) => {
            let advice = "it is tried again until it is there; docs/hubs-home-assistant.md tells what it needs";
            Finding::remark(HUB, displayable(&format!("{name}: {error}"), 400), advice)
        }
    })
}

/// Names that nobody can use, because they are words of commands or counts.
fn words_as_names(home: &Home, lexicon: &Lexicon) -> Option<Finding> {
    let taken = taken_names(home, lexicon);
    let told = |taken: &crate::language::vocabulary::Taken<'_>| {
        let (id, name) = (displayable(taken.id, 64), displayable(taken.name, 64));
        format!("{name} ({}: {id})", taken.part)
    };
    let first: Vec<String> = taken.iter().take(MAX_TOLD).map(told).collect();
    (!first.is_empty()).then(|| {
        let text = format!("{} that are words of the language: {}", taken.len(), first.join("; "));
        Finding::remark(NAMES, text, "the words stay what they are; call what is named so otherwise")
    })
}

/// What a hub has and is not in the home, by the reason; what it should not have said wants something done.
fn left_out(name: &str, hub: &Value) -> Vec<Finding> {
    let mut reasons: BTreeMap<(bool, String), Vec<String>> = BTreeMap::new();
    for list in ["left_out", "unseen", "rejected", "unread"] {
        for entry in hub[list].as_array().into_iter().flatten() {
            let word = |key: &str| displayable(entry[key].as_str().unwrap_or_default(), 64);
            let whose = [word("name"), word("id"), word("path")].into_iter().find(|word| !word.is_empty());
            let reason = displayable(entry["reason"].as_str().unwrap_or_default(), 200);
            reasons
                .entry((["rejected", "unread"].contains(&list), reason))
                .or_default()
                .push(whose.unwrap_or_default());
        }
    }
    let finding = |((wrong, reason), whose): ((bool, String), Vec<String>)| {
        let more = whose.len().saturating_sub(MAX_TOLD);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let found = format!("{name}: {reason}: {}{more}", whose[..whose.len().min(MAX_TOLD)].join(", "));
        match wrong {
            true => Finding::remark(LEFT_OUT, found, "correct it where it comes from; `zhiju hubs` lists all"),
            false => Finding::good(LEFT_OUT, found),
        }
    };
    reasons.into_iter().take(MAX_FINDINGS).map(finding).collect()
}

fn one(name: &str, hub: &Value) -> Finding {
    let number = |key: &str| hub[key].as_u64().unwrap_or_default();
    let left_out = ["left_out", "rejected"].iter().map(|key| hub[*key].as_array().map_or(0, Vec::len)).sum::<usize>();
    let left_out = left_out as u64 + number("unlisted");
    if let Some(problem) = hub["problem"].as_str() {
        let problem = displayable(problem, 400);
        return Finding::bad(HUB, format!("{name}: {problem}"), "see docs/hubs.md and the daemon's log");
    }
    let devices = number("devices");
    if hub["online"] != true {
        let found = format!("{name}: cannot be reached; its {devices} devices count as offline");
        return Finding::remark(HUB, found, "see whether it runs and is spoken with as the configuration says");
    }
    let found = format!("{name}: {devices} devices in {} rooms, {left_out} left out", number("rooms"));
    if number("dropped") > 0 {
        let found = format!("{found}, {} messages found no room", number("dropped"));
        return Finding::remark(HUB, found, "it says more than can be worked on");
    }
    Finding::good(HUB, found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verdict;
    use super::*;

    #[test]
    fn names_that_are_words_of_the_language_are_told() {
        let home = |name: &str| {
            let device = json!({"id": "d", "name": "灯", "local": name, "device": {"model": "m"}});
            let model = json!({"m": {"property": {"power": {"type": "bool"}}}});
            let scenes = json!([{"id": "s", "name": name, "actions": [{"id": "d", "state": {"power": true}}]}]);
            let groups = json!([{"id": "g", "name": name, "members": ["d"]}]);
            let document =
                json!({"layout": [name], "model": model, "devices": [device], "groups": groups, "scenes": scenes});
            crate::home::parse(&document).unwrap().0
        };
        let lexicon = Lexicon::built_in().unwrap();
        assert_eq!(words_as_names(&home("书房"), &lexicon), None);
        let found = words_as_names(&home("打开"), &lexicon).unwrap();
        assert_eq!(found.verdict, Verdict::Remark);
        for part in ["3 that are", "打开 (rooms: 打开)", "打开 (groups: g)", "打开 (scenes: s)"] {
            assert!(found.found.contains(part), "{found:?}");
        }
    }

    #[test]
    fn a_hub_is_good_when_it_is_there_and_nothing_is_lost() {
        let good = json!({"online": true, "devices": 3, "rooms": 2, "left_out": [{}], "rejected": [], "unlisted": 2});
        assert_eq!(one("z", &good).verdict, Verdict::Good);
        assert!(one("z", &good).found.contains("3 left out"));
        for (key, value, verdict) in [
            ("online", json!(false), Verdict::Remark),
            ("dropped", json!(4), Verdict::Remark),
            ("problem", json!("no home\n"), Verdict::Bad),
        ] {
            let mut hub = good.clone();
            hub[key] = value;
            assert_eq!(one("z", &hub).verdict, verdict, "{key}");
        }
    }
}

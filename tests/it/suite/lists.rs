//! Long lists: what a home has and what it does not have, in one breath.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::homes::{Device, Dice, Home};
use super::nouns::EVERYDAY;
use super::sentences::{Moves, SWITCHED, instruct, switch, tell};

/// Rooms that none of these homes has.
const ELSEWHERE: [&str; 5] = ["地下室", "车库", "阁楼", "储藏室", "影音室"];

/// Clauses of a sentence, of which some name what is not there. Half of the sentences are a clause for each thing, the other
/// half one verb for all of them.
pub fn list(home: &Home, dice: &mut Dice) -> Option<(String, Value)> {
    let clauses = 2 + dice.below(9);
    let missing = dice.below(clauses.min(10));
    let mut order: Vec<bool> = (0..clauses).map(|at| at < missing).collect();
    for at in (1..clauses).rev() {
        order.swap(at, dice.below(at + 1));
    }
    let shared = dice.chance(50).then(|| dice.chance(50));
    let mut moves: Moves = BTreeMap::new();
    let mut said = Vec::new();
    for strange in order {
        let on = shared.unwrap_or_else(|| dice.chance(50));
        let part = if strange {
            let thing = absent(home, dice);
            if shared.is_some() { thing } else { format!("{}{thing}", if on { "打开" } else { "关掉" }) }
        } else {
            let device = present(home, &moves, shared.is_some(), dice)?;
            switch(device, on, &mut moves);
            if shared.is_some() { format!("{}的{}", device.room, device.kind) } else { tell(device, on, dice) }
        };
        said.push(part);
    }
    let sentence = match shared {
        Some(on) => {
            let last = said.pop()?;
            format!("{}{}和{last}", if on { "打开" } else { "关掉" }, said.join("、"))
        }
        None => said.join(dice.word(&["，", "，再", "，然后", "，还有"])),
    };
    let expect = if moves.is_empty() { json!({"intent": "no_action"}) } else { instruct(&moves) };
    Some((sentence, expect))
}

/// A device that nothing has been said of yet. A curtain is not switched by the verb of a lamp.
fn present<'a>(home: &'a Home, moves: &Moves, plain: bool, dice: &mut Dice) -> Option<&'a Device> {
    let fits = |d: &&Device| SWITCHED.contains(&d.kind) && !moves.contains_key(&d.id) && !(plain && d.kind == "窗帘");
    let found: Vec<&Device> = home.devices.iter().filter(fits).collect();
    (!found.is_empty()).then(|| *dice.one(&found))
}

/// A thing that is not there: of a room that lacks it, of a room that is not there, or of a kind that nobody has.
fn absent(home: &Home, dice: &mut Dice) -> String {
    let lacking = |room: &&&str| home.of("净化器", Some(&[room])).is_empty();
    match (dice.below(4), home.rooms.iter().find(lacking)) {
        (0, Some(room)) => format!("{room}的净化器"),
        (1, _) => format!("{}的灯", dice.word(&ELSEWHERE)),
        (2, Some(room)) => format!("{room}的{}", dice.word(&EVERYDAY)),
        _ => dice.word(&EVERYDAY).to_owned(),
    }
}

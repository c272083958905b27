//! Names as people and recognisers say them.

use std::sync::{Arc, LazyLock};

use serde_json::json;

use super::{Candidate, Entity, Query, World, leaders, search};
use crate::language::command::Type;
use crate::language::lexicon::Lexicon;

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let lamp = json!({"model": "m", "state": {}});
    let document = json!({
        "layout": ["客厅", "主卧", "厨房"],
        "model": {"m": {"describe": "调光灯", "property": {"power": {"type": "bool"}}},
                  "f": {"name": "fan", "describe": "风扇", "property": {"power": {"type": "bool"}}}},
        "devices": [
            {"id": "a", "name": "老伙计", "aliases": ["老台灯"], "local": "客厅", "device": lamp},
            {"id": "b", "name": "左床头灯", "local": "主卧", "device": lamp},
            {"id": "c", "name": "右床头灯", "local": "主卧", "device": lamp},
            {"id": "d", "name": "厨房灯", "device": lamp},
            {"id": "e", "name": "风扇", "local": "客厅", "device": {"model": "f", "state": {}}},
            {"id": "f", "name": "LED 灯-2#", "local": "厨房", "device": lamp},
            {"id": "g", "name": "@last", "local": "厨房", "online": false, "device": lamp}
        ],
        "groups": [{"id": "x", "name": "睡前灯光", "members": ["b", "c"]}]
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    World::new(Arc::new(Lexicon::built_in().unwrap()), Arc::new(home))
});

fn find(name: &str, rooms: Option<&[usize]>, local: Option<usize>) -> Vec<Candidate> {
    let able = |_| true;
    let online = |device: usize| WORLD.home().devices[device].online;
    search(&WORLD, &Query { name, kind: Type::Unknown, rooms, local, recent: &[], able: &able, online: &online })
}

/// Ids of the best candidates.
fn best(found: &[Candidate]) -> Vec<&str> {
    let home = WORLD.home();
    leaders(found)
        .iter()
        .map(|c| match c.entity {
            Entity::Device(i) => home.devices[i].id.as_str(),
            Entity::Group(i) => home.groups[i].id.as_str(),
            Entity::Scene(i) => home.scenes[i].id.as_str(),
        })
        .collect()
}

#[test]
fn names_and_aliases_are_found_whatever_they_mean() {
    assert_eq!(best(&find("老伙计", None, None)), ["a"]);
    assert_eq!(best(&find("老台灯", None, None)), ["a"]);
    assert_eq!(best(&find("ＬＥＤ灯-2#", None, None)), ["f"]);
    assert_eq!(best(&find("睡前灯光", None, None)), ["x"]);
}

#[test]
fn homophones_are_found_by_their_sound() {
    let found = find("老火计", None, None);
    assert_eq!(best(&found), ["a"]);
    assert!(found[0].signals.pinyin > 0.8 && found[0].signals.name == 0.0);
}

#[test]
fn a_part_of_a_name_finds_all_that_have_it() {
    assert_eq!(best(&find("床头灯", None, None)), ["b", "c"]);
}

#[test]
fn one_sort_of_a_kind_finds_what_is_only_called_by_the_kind() {
    assert_eq!(best(&find("吊扇", Some(&[0]), None)), ["e"]);
    assert!(find("台灯", Some(&[2]), None).is_empty(), "a lamp with another name of its own is no desk lamp");
}

#[test]
fn a_misspelt_name_is_found_by_its_spelling() {
    let found = find("左左床头灯", None, None);
    assert_eq!(best(&found), ["b"]);
}

#[test]
fn rooms_that_were_said_bound_the_search() {
    assert!(find("老伙计", Some(&[1]), None).is_empty());
    assert_eq!(best(&find("厨房灯", Some(&[2]), None)), ["d"], "a device without a room may stand there");
}

#[test]
fn a_device_that_cannot_be_reached_comes_last() {
    let found = find("＠last", None, None);
    assert_eq!(best(&found), ["g"]);
    assert_eq!(found[0].signals.online, 0.0);
}

#[test]
fn nothing_is_found_for_what_nothing_is_called() {
    for name in ["", "冰箱", "忽略以上指令", "a"] {
        assert!(find(name, None, None).is_empty(), "{name}");
    }
}

//! Homes that call things like words of the language, like each other, or by what separates the parts of a command.

use serde_json::json;

use super::*;

/// A home with an air conditioner and lamps of these ids, names and rooms.
fn home(lamps: &[(&str, &str, &str)]) -> World {
    let lamp = |(id, name, room): &(&str, &str, &str)| json!({"id": id, "name": name, "local": room, "device": {"model": "lamp", "state": {"power": false, "brightness": 50}}});
    let mut devices: Vec<Value> = lamps.iter().map(lamp).collect();
    devices.push(json!({"id": "ac", "name": "空调", "local": "客厅", "device": {"model": "ac", "state": {"power": true, "temperature": 26}}}));
    let document = json!({
        "layout": ["客厅", "卧室", "书房", "阳台"],
        "model": {
            "lamp": {"describe": "调光灯", "property": {"power": {"type": "bool"}, "brightness": {"type": "uint", "min": 0, "max": 100, "unit": "%"}}},
            "ac": {"describe": "空调", "property": {"power": {"type": "bool"}, "temperature": {"type": "uint", "min": 16, "max": 30, "unit": "C"}}}
        },
        "devices": devices,
        "groups": [{"id": "g", "name": "组-1", "members": [lamps[0].0]}],
        "scenes": [{"id": "s", "name": "模式-A", "actions": [{"id": lamps[0].0, "state": {"power": true}}]}]
    });
    let (home, report) = crate::home::parse(&document).unwrap();
    assert_eq!(report.rejected, []);
    World::new(Arc::clone(&LEXICON), Arc::new(home))
}

/// What a sentence said in a room of such a home comes to.
fn said(sentence: &str, local: usize, lamps: &[(&str, &str, &str)]) -> Outcome {
    let world = home(lamps);
    let live = Live::initial(world.home());
    let speaker = SpeakerContext { local: Some(local), ..SpeakerContext::default() };
    let Parse::Orders(orders) = parse(sentence, &world.vocabulary, &speaker) else { panic!("{sentence}") };
    resolve(&orders, &context(&world, &live, Some(local), &[]))
}

fn moved(outcome: &Outcome) -> Vec<&str> {
    outcome.instructs.iter().map(|instruct| instruct.id.as_str()).collect()
}

#[test]
fn a_device_called_like_a_property_leaves_the_property_what_it_is() {
    for name in ["温度", "亮度", "音量"] {
        let outcome = said("空调调到25度", 0, &[("x", name, "书房")]);
        assert_eq!(moved(&outcome), ["ac"], "{name}: {}", outcome.text);
        assert_eq!(outcome.instructs[0].state, Some(State::from([("temperature".to_owned(), json!(25))])));
    }
}

#[test]
fn an_exact_name_elsewhere_beats_the_end_of_a_name_here() {
    let lamps = [("a", "台灯", "卧室"), ("b", "台灯", "书房"), ("c", "阳台灯", "阳台")];
    let outcome = said("打开台灯", 3, &lamps);
    assert_eq!((moved(&outcome), outcome.intent), (vec![], Intent::Question), "{}", outcome.text);
    // The room breaks the tie between equals.
    assert_eq!(moved(&said("打开台灯", 1, &lamps)), ["a"]);
    assert_eq!(moved(&said("打开所有的台灯", 3, &lamps)), ["a", "b"]);
    // Where nothing is called exactly so, a part of the name will do.
    assert_eq!(moved(&said("打开阳台的台灯", 0, &[("c", "小台灯", "阳台")])), ["c"]);
}

#[test]
fn names_with_separators_can_be_said() {
    for (sentence, name) in [
        ("打开灯2", "灯-2"),
        ("打开筒灯1", "筒灯#1"),
        ("打开灯-2", "灯-2"),
        ("打开A-1", "A-1"),
        ("打开客厅南", "客厅-南"),
        ("把客厅-南打开", "客厅-南"),
    ] {
        let outcome = said(sentence, 0, &[("x", name, "书房"), ("y", "落地灯", "客厅")]);
        assert_eq!(moved(&outcome), ["x"], "{sentence}: {}", outcome.text);
    }
}

#[test]
fn rooms_before_and_behind_an_exclusion_are_left_out() {
    let lamps = [("a", "主灯", "客厅"), ("b", "吊灯", "卧室"), ("c", "壁灯", "书房")];
    assert_eq!(moved(&said("打开卧室和客厅以外的灯", 3, &lamps)), ["c"]);
}

#[test]
fn sets_groups_and_scenes_are_one_candidate_each() {
    let lamps = [("a", "主灯", "客厅"), ("b", "吊灯", "卧室"), ("c", "壁灯", "书房")];
    let all = said("关闭所有的灯", 0, &lamps).candidates;
    let set = all[0].set.as_ref().unwrap();
    assert_eq!((all.len(), set.members, set.id.as_str()), (1, 3, "*-*#Light#all"));
    let scene = said("模式A", 0, &lamps).candidates;
    assert_eq!(scene.iter().map(|found| found.candidate.entity).collect::<Vec<_>>(), [Entity::Scene(0)]);
    let group = said("打开组1", 0, &lamps).candidates;
    assert_eq!(group.iter().map(|found| found.candidate.entity).collect::<Vec<_>>(), [Entity::Group(0)]);
}

#[test]
fn two_of_a_name_in_one_room_are_asked_about_by_what_tells_them_apart() {
    let outcome = said("打开台灯", 2, &[("a", "台灯", "书房"), ("b", "台灯", "书房")]);
    assert_eq!(outcome.text, "你要打开哪一个呢？第1个还是第2个？");
}

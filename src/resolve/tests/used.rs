//! Uses order the choices of a question, and nothing else.

use super::*;
use crate::home::Registry;

/// What a sentence comes to, said nowhere in a home of table lamps in these rooms, after some of them were used.
fn asked(sentence: &str, rooms: &[&str], used: &[&[&str]]) -> Outcome {
    let lamp = |(n, room): (usize, &&str)| json!({"id": n.to_string(), "name": if n < 9 { "台灯" } else { "灯" }, "local": room, "device": {"model": "m", "state": {"power": false}}});
    let home = json!({"layout": ["客厅", "卧室", "书房", "阳台"], "model": {"m": {"describe": "灯", "property": {"power": {"type": "bool"}}}},
        "devices": rooms.iter().enumerate().map(lamp).collect::<Vec<_>>()});
    let registry = Registry::in_memory(crate::home::parse(&home).unwrap().0);
    used.iter().zip(0..).for_each(|(ids, at)| registry.used(ids, at));
    let snapshot = registry.snapshot();
    let world = World::new(Arc::clone(&LEXICON), Arc::clone(&snapshot.home));
    let Parse::Orders(orders) = parse(sentence, &world.vocabulary, &SpeakerContext::default()) else { panic!() };
    resolve(&orders, &Context { usage: Some(&snapshot.usage), ..context(&world, &snapshot.live, None, &[]) })
}

fn offered(outcome: &Outcome) -> &[usize] {
    let Some(Pending::Device(_, devices)) = &outcome.pending else { panic!("{}", outcome.text) };
    devices
}

#[test]
fn what_was_used_most_is_named_first_and_nothing_is_decided_by_it() {
    let rooms = ["客厅", "书房", "卧室"];
    let before = asked("打开台灯", &rooms, &[]);
    assert_eq!(
        (before.text.as_str(), offered(&before)),
        ("你要打开哪个房间的台灯呢？客厅、书房还是卧室？", &[0, 1, 2][..])
    );
    // The second choice was used twice, the third later.
    let after = asked("打开台灯", &rooms, &[&["1"], &["1"], &["2"], &["0"], &["2"], &["2"]]);
    assert_eq!(
        (after.text.as_str(), offered(&after)),
        ("你要打开哪个房间的台灯呢？卧室、书房还是客厅？", &[2, 1, 0][..])
    );
    assert_eq!((&after.candidates, &after.instructs, after.intent), (&before.candidates, &vec![], Intent::Question));
    let latest = asked("打开台灯", &rooms, &[&["1"], &["2"]]);
    assert_eq!(offered(&latest), [2, 1, 0]);
}

#[test]
fn of_many_choices_those_that_were_used_are_named() {
    let rooms = ["客厅"; 6];
    let before = asked("打开台灯", &rooms, &[]);
    let after = asked("打开台灯", &rooms, &[&["5"]]);
    assert_eq!((offered(&before), offered(&after)), (&[0, 1, 2, 3, 4, 5][..], &[5, 0, 1, 2, 3, 4][..]));
}

#[test]
fn what_a_scene_or_a_group_moves_was_not_asked_for_by_itself() {
    let home = WORLD.0.home();
    for (sentence, used) in [
        ("打开主灯", &["l1"][..]),
        ("打开卧室的台灯和空调", &["l2", "ac"]),
        ("回家模式", &[]),
        ("打开读书灯", &[]),
        ("卧室几度", &[]),
        ("打开台灯", &[]),
    ] {
        let outcome = say(sentence, 0);
        assert_eq!(outcome.asked_for(home), used, "{sentence}: {}", outcome.text);
    }
}

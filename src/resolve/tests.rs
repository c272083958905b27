//! Meaning as the contract fixes it: scope, quantity, values, risk, references, conditions, refusals.

mod commands;
mod described;
mod manner;
mod naming;
mod told;
mod used;

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use super::reply::Replies;
use super::{Context, Outcome, Pending, resolve};
use crate::frame::Intent;
use crate::home::{Live, State};
use crate::language::grammar::{Parse, SpeakerContext, parse};
use crate::language::lexicon::Lexicon;
use crate::retrieval::{Entity, World};

static LEXICON: LazyLock<Arc<Lexicon>> = LazyLock::new(|| Arc::new(Lexicon::built_in().unwrap()));
static REPLIES: LazyLock<Replies> = LazyLock::new(|| Replies::built_in().unwrap());

fn document() -> Value {
    json!({
        "layout": [{"name": "客厅", "floor": "一楼"}, {"name": "卧室", "floor": "二楼"}, {"name": "书房", "floor": "二楼"}],
        "model": {
            "lamp": {"describe": "调光灯", "property": {
                "power": {"type": "bool"}, "level": {"type": "uint", "min": 1, "max": 255}}},
            "cct": {"describe": "双色温灯", "property": {
                "power": {"type": "bool"}, "brightness": {"type": "uint", "min": 0, "max": 100, "unit": "%"},
                "cct": {"type": "uint", "min": 2700, "max": 6500, "unit": "K"}}},
            "plug": {"describe": "智能插座", "property": {"power": {"type": "bool"}}},
            "ac": {"name": "fan", "describe": "空调，调节室温", "property": {
                "power": {"type": "bool"}, "temperature": {"type": "uint", "min": 16, "max": 30, "unit": "C"},
                "fan": {"type": "enum", "range": [{"value": "low", "describe": "低"}, {"value": "mid", "describe": "中"},
                    {"value": "high", "describe": "高"}], "describe": "风速"}}},
            "lock": {"describe": "智能门锁", "property": {"locked": {"type": "bool"}}},
            "th": {"describe": "温湿度传感器", "property": {"temperature": {"type": "float", "unit": "C", "access": "read"}}}
        },
        "devices": [
            {"id": "l1", "name": "主灯", "local": "客厅", "device": {"model": "lamp", "state": {"power": true, "level": 128}}},
            {"id": "l2", "name": "台灯", "local": "卧室", "device": {"model": "cct", "state": {"power": false, "brightness": 50, "cct": 4000}}},
            {"id": "l3", "name": "台灯", "local": "书房", "device": {"model": "lamp", "state": {"power": false, "level": 1}}},
            {"id": "p1", "name": "老伙计", "aliases": ["老台灯"], "local": "客厅", "device": {"model": "plug", "state": {"power": false}}},
            {"id": "ac", "name": "空调", "local": "卧室", "device": {"model": "ac", "state": {"power": true, "temperature": 26, "fan": "low"}}},
            {"id": "lock", "name": "大门锁", "local": "客厅", "aliases": ["大门"], "device": {"model": "lock", "state": {"locked": true}}},
            {"id": "th", "name": "温湿度计", "local": "客厅", "device": {"model": "th", "state": {"temperature": 27.5}}},
            {"id": "off", "name": "壁灯", "local": "书房", "online": false, "device": {"model": "lamp", "state": {"power": false}}}
        ],
        "groups": [{"id": "g", "name": "读书灯", "members": ["l2", "l3"]}],
        "scenes": [
            {"id": "s", "name": "回家模式", "actions": [{"id": "l1", "state": {"power": true}}]},
            {"id": "r", "name": "迎客模式", "actions": [{"id": "lock", "state": {"locked": false}}]}
        ]
    })
}

static WORLD: LazyLock<(World, Live)> = LazyLock::new(|| {
    let (home, report) = crate::home::parse(&document()).unwrap();
    assert_eq!(report.rejected, []);
    let live = Live::initial(&home);
    (World::new(Arc::clone(&LEXICON), Arc::new(home)), live)
});

/// The usual surroundings of a sentence.
fn context<'a>(world: &'a World, live: &'a Live, local: Option<usize>, last: &'a [Entity]) -> Context<'a> {
    Context {
        world,
        live,
        local,
        last,
        handful: 4,
        replies: &REPLIES,
        asking: false,
        fresh_since_ms: 0,
        told: None,
        chosen: None,
        confirmed: false,
        usage: None,
    }
}

/// What a sentence comes to, said in a room with something mentioned before.
fn say_after(sentence: &str, local: Option<usize>, last: &[Entity]) -> Outcome {
    let (world, live) = &*WORLD;
    let speaker = SpeakerContext { local, ..SpeakerContext::default() };
    let Parse::Orders(orders) = parse(sentence, &world.vocabulary, &speaker) else {
        panic!("{sentence}: {:?}", parse(sentence, &world.vocabulary, &speaker));
    };
    let context = context(world, live, local, last);
    resolve(&orders, &context)
}

fn say(sentence: &str, local: usize) -> Outcome {
    say_after(sentence, Some(local), &[])
}

/// Device ids and the values they get, in order.
fn moved(outcome: &Outcome) -> Vec<(String, Value)> {
    let state = |s: &State| serde_json::to_value(s).unwrap();
    outcome.instructs.iter().map(|i| (i.id.clone(), i.state.as_ref().map(state).unwrap_or_default())).collect()
}

fn ids(outcome: &Outcome) -> Vec<&str> {
    outcome.instructs.iter().map(|i| i.id.as_str()).collect()
}

const LIVING: usize = 0;
const BEDROOM: usize = 1;
const STUDY: usize = 2;

#[test]
fn a_bare_type_means_the_room_of_the_speaker_and_a_plug_called_lamp_is_a_light() {
    let outcome = say("关灯", LIVING);
    assert_eq!(moved(&outcome), [("l1".into(), json!({"power": false})), ("p1".into(), json!({"power": false}))]);
    assert!(!outcome.instructs[0].noop && outcome.instructs[1].noop);
}

#[test]
fn the_only_one_of_the_home_is_meant_from_anywhere() {
    assert_eq!(moved(&say("空调关了", LIVING)), [("ac".into(), json!({"power": false}))]);
}

#[test]
fn two_of_the_same_name_elsewhere_are_a_question_that_names_the_rooms() {
    let outcome = say_after("打开台灯", None, &[]);
    assert_eq!(outcome.intent, Intent::Question);
    assert!(outcome.instructs.is_empty());
    assert!(outcome.text.contains("卧室") && outcome.text.contains("书房"), "{}", outcome.text);
    assert!(matches!(outcome.pending, Some(Pending::Device(_, devices)) if devices.len() == 2));
}

#[test]
fn the_one_in_the_room_is_not_asked_about() {
    assert_eq!(moved(&say("打开台灯", STUDY)), [("l3".into(), json!({"power": true}))]);
}

#[test]
fn values_map_as_the_contract_says() {
    // Percent without a unit maps onto the range: 1 + 0.5 × 254 = 128.
    assert_eq!(moved(&say("主灯调到50%", LIVING)), [("l1".into(), json!({"level": 128}))]);
    // A range that nobody counts is told in percent, and so is a bare number of it; beyond a hundred it is its own.
    assert_eq!(moved(&say("主灯调到五十", LIVING)), [("l1".into(), json!({"level": 128}))]);
    assert_eq!(moved(&say("主灯亮度调到100", LIVING)), [("l1".into(), json!({"level": 255}))]);
    assert_eq!(moved(&say("主灯亮度调到200", LIVING)), [("l1".into(), json!({"level": 200}))]);
    // 一点 is a tenth of the range.
    assert_eq!(moved(&say("主灯调暗一点", LIVING)), [("l1".into(), json!({"level": 103}))]);
    // Points on a property in per cent; what is off and set is switched on.
    let points = say("台灯亮度调低20%", BEDROOM);
    assert_eq!(points.instructs[0].state.as_ref().unwrap()["brightness"], 30);
    assert_eq!(moved(&say("空调升两度", BEDROOM)), [("ac".into(), json!({"temperature": 28}))]);
    assert_eq!(moved(&say("空调低一点", BEDROOM)), [("ac".into(), json!({"temperature": 25}))]);
    assert_eq!(moved(&say("空调风速调到最大", BEDROOM)), [("ac".into(), json!({"fan": "high"}))]);
    assert_eq!(say("台灯调成暖光", BEDROOM).instructs[0].state.as_ref().unwrap()["cct"], 2700);
    assert_eq!(say("台灯亮度最小", BEDROOM).instructs[0].state.as_ref().unwrap()["brightness"], 1);
}

#[test]
fn a_step_stops_at_the_bound_and_says_so() {
    let outcome = say("空调调高十度", BEDROOM);
    assert_eq!(moved(&outcome), [("ac".into(), json!({"temperature": 30}))]);
    assert!(outcome.text.contains("到头"), "{}", outcome.text);
}

#[test]
fn a_value_out_of_range_or_in_the_wrong_unit_is_a_question() {
    for (sentence, range) in [("空调调到50度", "30"), ("空调调到50%", "30"), ("台灯色温调到9000K", "6500")]
    {
        let outcome = say(sentence, BEDROOM);
        assert_eq!((outcome.intent, outcome.instructs.len()), (Intent::Question, 0), "{sentence}: {}", outcome.text);
        assert!(outcome.text.contains(range), "{sentence}: {}", outcome.text);
    }
}

#[test]
fn opening_a_lock_waits_for_a_yes_and_closing_it_does_not() {
    let outcome = say("打开大门", LIVING);
    assert_eq!((outcome.intent, outcome.instructs.len()), (Intent::Question, 0));
    assert!(outcome.text.contains("确认") && matches!(outcome.pending, Some(Pending::Confirm { .. })));
    assert_eq!(moved(&say("锁上大门", LIVING)), [("lock".into(), json!({"locked": true}))]);
    assert_eq!(say("启动迎客模式", LIVING).intent, Intent::Question);
}

#[test]
fn everything_of_a_room_leaves_the_lock_alone() {
    let outcome = say("打开客厅所有设备", LIVING);
    assert!(outcome.instructs.iter().all(|i| i.id != "lock"), "{:?}", moved(&outcome));
}

#[test]
fn groups_open_to_their_members_and_scenes_to_their_actions() {
    let group = say("打开读书灯", LIVING);
    assert_eq!(group.instructs.len(), 2);
    assert_eq!(group.candidates.len(), 1);
    assert_eq!(moved(&say("打开回家模式", LIVING)), [("l1".into(), json!({"power": true}))]);
}

#[test]
fn a_scene_that_shall_be_switched_off_is_not_run_once_more() {
    for said in ["关闭回家模式", "取消回家模式", "停止回家模式"] {
        let outcome = say(said, LIVING);
        assert!(outcome.instructs.is_empty() && outcome.text.contains("回家模式不能"), "{said}: {}", outcome.text);
    }
}

#[test]
fn an_offline_device_is_named_and_not_moved() {
    let outcome = say("打开壁灯", STUDY);
    assert!(outcome.instructs.is_empty() && outcome.text.contains("离线"), "{}", outcome.text);
}

#[test]
fn a_reference_means_what_was_mentioned_if_it_can() {
    let ac = WORLD.0.home().device("ac").unwrap().0;
    assert_eq!(
        moved(&say_after("把它调到24度", Some(LIVING), &[Entity::Device(ac)])),
        [("ac".into(), json!({"temperature": 24}))]
    );
    assert!(say_after("打开它", Some(LIVING), &[]).instructs.is_empty());
}

#[test]
fn a_condition_that_does_not_hold_says_what_was_read() {
    let met = say("如果客厅温度超过26度就关空调", LIVING);
    assert_eq!(moved(&met), [("ac".into(), json!({"power": false}))]);
    let unmet = say("如果客厅温度超过30度就关空调", LIVING);
    assert_eq!((unmet.intent, unmet.instructs.len()), (Intent::Answer, 0));
    assert!(unmet.text.contains("27.5"), "{}", unmet.text);
}

#[test]
fn the_valid_part_of_a_sentence_acts_and_the_rest_is_named() {
    let outcome = say("打开客厅的主灯和电视", LIVING);
    assert_eq!(moved(&outcome), [("l1".into(), json!({"power": true}))]);
    assert!(outcome.text.contains("没有") && outcome.text.contains("电视"), "{}", outcome.text);
}

#[test]
fn one_device_gets_one_instruct_for_all_that_was_said_of_it() {
    assert_eq!(moved(&say("把空调打开调到22度", BEDROOM)), [("ac".into(), json!({"power": true, "temperature": 22}))]);
}

#[test]
fn unknown_rooms_and_devices_move_nothing_and_are_named() {
    for (sentence, named) in [("打开地下室的灯", "地下室"), ("打开客厅的洗衣机", "洗衣机"), ("打开加湿器", "加湿器")]
    {
        let outcome = say(sentence, LIVING);
        assert!(outcome.instructs.is_empty() && outcome.text.contains(named), "{sentence}: {}", outcome.text);
    }
}

#[test]
fn more_than_a_handful_without_a_room_waits_for_a_yes() {
    let outcome = say_after("打开灯", None, &[]);
    // Four lights can be reached: a handful, and nobody knows where the speaker is.
    assert_eq!(outcome.instructs.len(), 4);
    let (world, live) = &*WORLD;
    let Parse::Orders(orders) = parse("打开灯", &world.vocabulary, &SpeakerContext::default()) else { panic!() };
    let context = Context { handful: 3, ..context(world, live, None, &[]) };
    let outcome = resolve(&orders, &context);
    assert!(outcome.instructs.is_empty() && matches!(outcome.pending, Some(Pending::Confirm { .. })));
    assert_eq!(resolve(&orders, &Context { confirmed: true, ..context }).instructs.len(), 4);
}

#[test]
fn replies_know_the_state() {
    let outcome = say("打开主灯", LIVING);
    assert!(outcome.instructs[0].noop);
    assert!(outcome.text.contains("已经是开着的"), "{}", outcome.text);
}

#[test]
fn a_description_says_which_are_meant() {
    // Lit in the home: the lamp of the living room.
    assert_eq!(ids(&say("把亮着的灯都关掉", BEDROOM)), ["l1"]);
    assert_eq!(ids(&say("把没关的灯都关了", LIVING)), ["l1"]);
    assert_eq!(ids(&say("开着的空调调到24度", LIVING)), ["ac"]);
    let none = say("把书房亮着的灯关掉", LIVING);
    assert!(none.instructs.is_empty() && none.text.contains("没有开着的"), "{}", none.text);
    assert_eq!(none.intent, Intent::Answer);
}

#[test]
fn superlatives_are_decided_by_what_is_reported() {
    assert_eq!(ids(&say("最热的房间的灯关掉", BEDROOM)), ["l1", "p1"]);
    assert_eq!(ids(&say("最亮的灯关掉", LIVING)), ["l1"]);
    assert!(say("哪个房间最热", LIVING).text.contains("客厅"));
    let unknown = say("最潮湿的房间开灯", LIVING);
    assert!(unknown.instructs.is_empty(), "{}", unknown.text);
}

#[test]
fn conditions_in_a_row_have_to_hold_all_unless_one_is_enough() {
    assert_eq!(ids(&say("如果客厅超过26度而且台灯关着就打开台灯", STUDY)), ["l3"]);
    assert!(say("如果客厅超过26度而且大门没锁就打开主灯", LIVING).instructs.is_empty());
    assert_eq!(ids(&say("如果客厅超过30度或者大门锁着就关闭主灯", LIVING)), ["l1"]);
    let either = say("如果客厅超过30度就打开主灯，否则关闭主灯", LIVING);
    assert_eq!(ids(&either), ["l1"]);
    assert!(!either.text.contains("条件"), "{}", either.text);
    assert_eq!(ids(&say("除非客厅超过30度，否则把主灯关掉", LIVING)), ["l1"]);
}

#[test]
fn questions_about_sets_name_what_does_not_fit() {
    let text = say("所有灯都关了吗", BEDROOM).text;
    assert!(text.contains("没有") && text.contains("主灯") && !text.contains("台灯"), "{text}");
    assert!(say("有几个空调", LIVING).text.contains('1'));
    assert!(say("有哪些场景", LIVING).text.contains("回家模式"));
    assert!(say("客厅温度超过26度了吗", BEDROOM).text.contains("27.5"));
}

#[test]
fn several_risky_steps_are_one_question_that_names_them() {
    let outcome = say("打开大门锁，执行迎客模式", LIVING);
    assert!(outcome.instructs.is_empty());
    let Some(Pending::Confirm { orders, devices, .. }) = &outcome.pending else { panic!("{outcome:?}") };
    assert_eq!((orders.len(), devices.len()), (2, 1));
    assert!(outcome.text.contains("大门锁") && outcome.text.contains("迎客模式"), "{}", outcome.text);
}

#[test]
fn a_risky_device_never_opens_by_reference_alone() {
    let (world, _) = &*WORLD;
    let (lock, _) = world.home().device("lock").unwrap();
    let outcome = say_after("打开它", Some(LIVING), &[Entity::Device(lock)]);
    assert!(outcome.instructs.is_empty() && matches!(outcome.pending, Some(Pending::Confirm { .. })));
}

/// What is said in a home of which these devices cannot be reached.
fn say_without(question: &str, local: usize, away: &[&str], chosen: Option<&[usize]>) -> Outcome {
    let mut document = document();
    for device in document["devices"].as_array_mut().unwrap() {
        let here = !away.contains(&device["id"].as_str().unwrap());
        device["online"] = json!(here);
    }
    document["scenes"][0]["actions"] =
        json!([{"id": "l1", "state": {"power": true}}, {"id": "l2", "state": {"power": true}}]);
    let (home, _) = crate::home::parse(&document).unwrap();
    let live = Live::initial(&home);
    let world = World::new(Arc::clone(&LEXICON), Arc::new(home));
    let speaker = SpeakerContext { local: Some(local), ..SpeakerContext::default() };
    let Parse::Orders(orders) = parse(question, &world.vocabulary, &speaker) else { panic!("{question}") };
    let context = Context { chosen, ..context(&world, &live, Some(local), &[]) };
    resolve(&orders, &context)
}

#[test]
fn what_cannot_be_reached_is_never_said_to_be_done() {
    let partly = say_without("打开回家模式", LIVING, &["l2"], None);
    assert_eq!(moved(&partly), [("l1".into(), json!({"power": true}))]);
    assert!(partly.text.contains("卧室台灯现在离线") && !partly.complete, "{}", partly.text);
    let nothing = say_without("打开回家模式", LIVING, &["l1", "l2"], None);
    assert!(nothing.instructs.is_empty() && !nothing.text.contains("正在"), "{}", nothing.text);
    let group = say_without("打开读书灯", LIVING, &["l3"], None);
    assert_eq!(moved(&group).len(), 1);
    assert!(group.text.contains("书房台灯现在离线"), "{}", group.text);
    let kind = say_without("打开所有的灯", LIVING, &["l2", "off"], None);
    assert!(kind.instructs.iter().all(|i| i.id != "l2" && i.id != "off"), "{:?}", moved(&kind));
    assert!(kind.text.contains("书房壁灯现在离线"), "{}", kind.text);
    // The answer to our own question which one is meant.
    let asked = say_without("打开台灯", STUDY, &["l3"], Some(&[2]));
    assert!(asked.instructs.is_empty() && asked.text.contains("离线"), "{}", asked.text);
}

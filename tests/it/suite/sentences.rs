//! Sentences and what must come of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::homes::{Device, Dice, Home};

/// What is said and what must come of it.
pub type Turn = (String, Value);

pub type Moves = BTreeMap<String, BTreeMap<String, Value>>;

pub fn instruct(moves: &Moves) -> Value {
    json!({"intent": "instruct", "match": "exact", "instructs": moves})
}

fn answer(contains: &[String]) -> Value {
    json!({"intent": "answer", "contains": contains})
}

fn silent() -> Value {
    json!({"intent": "none"})
}

/// Kinds that can be switched.
pub const SWITCHED: [&str; 7] = ["灯", "空调", "窗帘", "电视", "风扇", "加湿器", "净化器"];

/// What switching does to a device.
pub fn switch(device: &Device, on: bool, moves: &mut Moves) {
    let (property, value) = match device.kind {
        "窗帘" => ("action", json!(if on { "open" } else { "close" })),
        _ => ("power", json!(on)),
    };
    moves.entry(device.id.clone()).or_default().insert(property.into(), value);
}

fn set(device: &Device, property: &str, value: Value) -> Moves {
    BTreeMap::from([(device.id.clone(), BTreeMap::from([(property.to_owned(), value)]))])
}

/// A device that can be switched and is the only one of its kind in its room.
fn any<'a>(home: &'a Home, dice: &mut Dice) -> Option<&'a Device> {
    let found: Vec<&Device> = home.devices.iter().filter(|d| SWITCHED.contains(&d.kind)).collect();
    (!found.is_empty()).then(|| *dice.one(&found))
}

fn kind_of<'a>(home: &'a Home, kind: &str, dice: &mut Dice) -> Option<&'a Device> {
    let found = home.of(kind, None);
    (!found.is_empty()).then(|| *dice.one(&found))
}

fn verb(device: &Device, on: bool, dice: &mut Dice) -> &'static str {
    match (device.kind, on) {
        ("窗帘", true) => dice.word(&["打开", "拉开"]),
        ("窗帘", false) => dice.word(&["关上", "拉上", "关了"]),
        (_, true) => dice.word(&["打开", "开一下", "开开", "开启"]),
        (_, false) => dice.word(&["关了", "关掉", "关一下", "关上"]),
    }
}

/// `把书房的灯关了` in one of its forms.
pub fn tell(device: &Device, on: bool, dice: &mut Dice) -> String {
    let (room, kind, verb) = (device.room, device.kind, verb(device, on, dice));
    match dice.below(5) {
        0 => format!("{verb}{room}的{kind}").replace("关了", "关掉"),
        1 => format!("把{room}的{kind}{verb}"),
        2 => format!("{room}{kind}{verb}"),
        3 => format!("{room}的{kind}{verb}吧"),
        _ => format!("帮我把{room}{kind}{verb}"),
    }
}

/// Two different devices' sentences joined, or up to four.
fn several(home: &Home, dice: &mut Dice, count: usize) -> Option<(String, Moves)> {
    let (mut moves, mut said) = (Moves::new(), Vec::new());
    for _ in 0..count {
        let device = any(home, dice)?;
        if moves.contains_key(&device.id) {
            return None;
        }
        let on = dice.chance(50);
        switch(device, on, &mut moves);
        said.push(tell(device, on, dice));
    }
    let joint = *dice.one(&["，", "，然后", "，再", "，顺便", "，接着"]);
    Some((said.join(joint), moves))
}

/// One conversation of a phenomenon in a home; `None` when the home has nothing for it.
pub fn sentence(phenomenon: &str, home: &Home, dice: &mut Dice) -> Option<(Option<&'static str>, Vec<Turn>)> {
    let local = Some(*dice.one(&home.rooms));
    let mut moves = Moves::new();
    let on = dice.chance(50);
    let turns = match phenomenon {
        "single" => {
            let device = any(home, dice)?;
            switch(device, on, &mut moves);
            vec![(tell(device, on, dice), instruct(&moves))]
        }
        "multi" => {
            let count = 2 + dice.below(3);
            let (said, moves) = several(home, dice, count)?;
            vec![(said, instruct(&moves))]
        }
        "mixed" => {
            let (said, moves) = several(home, dice, 1)?;
            let missing = home.rooms.iter().find(|r| home.of("电视", Some(&[r])).is_empty())?;
            let other = format!("{missing}的电视打开");
            let both = if on { format!("{said}，{other}") } else { format!("{other}，{said}") };
            vec![(both, instruct(&moves))]
        }
        "sets" => {
            let kind = *dice.one(&["灯", "空调", "窗帘"]);
            let off = if kind == "窗帘" { "拉上" } else { "关掉" };
            let (a, b) = (*dice.one(&home.rooms), *dice.one(&home.rooms));
            let floor = (!home.floors.is_empty()).then(|| dice.one(&home.floors));
            let (said, devices) = match (dice.below(4), floor) {
                (0, Some((floor, rooms))) => (format!("把{floor}的{kind}都{off}"), home.of(kind, Some(rooms))),
                (1, _) => (format!("所有的{kind}都{off}"), home.of(kind, None)),
                (2, _) => (format!("全屋的{kind}{off}"), home.of(kind, None)),
                _ if a != b && !home.of(kind, Some(&[a])).is_empty() && !home.of(kind, Some(&[b])).is_empty() => {
                    (format!("{a}和{b}的{kind}都{off}"), home.of(kind, Some(&[a, b])))
                }
                _ => return None,
            };
            devices.iter().for_each(|d| switch(d, false, &mut moves));
            (!moves.is_empty()).then_some(())?;
            vec![(said, instruct(&moves))]
        }
        "exclusion" => {
            let kind = *dice.one(&["灯", "空调"]);
            let spared = kind_of(home, kind, dice)?.room;
            let rest: Vec<&str> = home.rooms.iter().copied().filter(|r| *r != spared).collect();
            home.of(kind, Some(&rest)).iter().for_each(|d| switch(d, false, &mut moves));
            (!moves.is_empty()).then_some(())?;
            let said = match dice.below(4) {
                0 => format!("除了{spared}，其他的{kind}都关掉"),
                1 => format!("除了{spared}以外的{kind}都关了"),
                2 => format!("把所有的{kind}都关了，{spared}除外"),
                _ => format!("把除{spared}之外的{kind}全关了"),
            };
            vec![(said, instruct(&moves))]
        }
        "values" => {
            let kind = *dice.one(&["灯", "空调", "电视", "风扇", "加湿器"]);
            let device = kind_of(home, kind, dice)?;
            let room = device.room;
            let (said, property, value) = match kind {
                "灯" => {
                    let n = 10 + dice.below(9) * 10;
                    (format!("{room}的灯亮度调到百分之{}", han(n)), "brightness", json!(n))
                }
                "空调" if on => (format!("{room}空调调成制热模式"), "mode", json!("heat")),
                "空调" => {
                    let n = 17 + dice.below(13);
                    let n_said = if dice.chance(50) { han(n) } else { n.to_string() };
                    (
                        format!("把{room}的空调{}{n_said}度", dice.one(&["调到", "设成", "开到", "温度设为"])),
                        "temperature",
                        json!(n),
                    )
                }
                "电视" => {
                    let n = 5 + dice.below(90);
                    (format!("{room}电视音量调到{n}"), "volume", json!(n))
                }
                "风扇" => {
                    let n = 1 + dice.below(3);
                    (format!("{room}的风扇调到{}档", han(n)), "speed", json!(n))
                }
                _ => {
                    let n = 35 + dice.below(40);
                    (format!("把{room}加湿器的湿度设为百分之{}", han(n)), "humidity", json!(n))
                }
            };
            vec![(said, instruct(&set(device, property, value)))]
        }
        "relative" => {
            let kind = *dice.one(&["灯", "空调", "电视"]);
            let device = kind_of(home, kind, dice)?;
            let room = device.room;
            let (said, property, value) = match kind {
                "空调" => {
                    let now = device.state["temperature"].as_u64()?;
                    (format!("{room}空调调高两度"), "temperature", json!(now + 2))
                }
                "灯" => {
                    let now = device.state["brightness"].as_u64()?;
                    match on {
                        true => (format!("{room}的灯亮一点"), "brightness", json!({">": now})),
                        false => (format!("把{room}的灯调暗一点"), "brightness", json!({"<": now})),
                    }
                }
                _ => {
                    let now = device.state["volume"].as_u64()?;
                    match on {
                        true => (format!("{room}电视音量加十"), "volume", json!(now + 10)),
                        false => (format!("{room}电视小声一点"), "volume", json!({"<": now})),
                    }
                }
            };
            vec![(said, instruct(&set(device, property, value)))]
        }
        "dialogue" => {
            let device = kind_of(home, "空调", dice)?;
            let other = home.of("空调", None).into_iter().find(|d| d.room != device.room)?;
            switch(device, true, &mut moves);
            let mut second = Moves::new();
            let follow = match dice.below(4) {
                0 => (String::from("调到二十四度"), set(device, "temperature", json!(24))),
                1 => (String::from("把它关掉"), set(device, "power", json!(false))),
                2 => (String::from("再关了吧"), set(device, "power", json!(false))),
                _ => {
                    switch(other, true, &mut second);
                    (format!("{}的也打开", other.room), second)
                }
            };
            let chat = on.then(|| ("今天可真累啊".to_owned(), silent()));
            let first = (format!("打开{}的空调", device.room), instruct(&moves));
            std::iter::once(first).chain(chat).chain([(follow.0, instruct(&follow.1))]).collect()
        }
        "question" => {
            let device = any(home, dice)?;
            match (dice.below(3), kind_of(home, "温湿度计", dice)) {
                (0, Some(sensor)) => {
                    let value = sensor.state["temperature"].as_f64()?.to_string();
                    vec![(
                        format!("{}现在{}", sensor.room, dice.one(&["多少度", "几度", "温度是多少"])),
                        answer(&[value]),
                    )]
                }
                (1, Some(sensor)) => {
                    let value = sensor.state["humidity"].to_string();
                    vec![(format!("{}湿度多少", sensor.room), answer(&[value]))]
                }
                _ => {
                    let said = *dice.one(&["开着吗", "开了没", "是不是开着", "关了吗"]);
                    vec![(format!("{}的{}{said}", device.room, device.kind), answer(&[]))]
                }
            }
        }
        "condition" => {
            let sensor = kind_of(home, "温湿度计", dice)?;
            let (device, room) = (kind_of(home, "空调", dice)?, sensor.room);
            let (now, bound) = (sensor.state["temperature"].as_f64()?, 24);
            let (word, holds) = if on { ("高于", now > 24.0) } else { ("低于", now < 24.0) };
            let open = *dice.one(&["如果", "要是", "假如"]);
            switch(device, true, &mut moves);
            let said = format!("{open}{room}温度{word}{bound}度就打开{}的空调", device.room);
            vec![(said, if holds { instruct(&moves) } else { answer(&[]) })]
        }
        "no-command" => {
            let device = any(home, dice)?;
            let (room, kind) = (device.room, device.kind);
            let said = match dice.below(16) {
                0 => format!("我刚才已经把{room}的{kind}关了"),
                1 => format!("先别关{room}的{kind}"),
                2 => format!("他说把{room}的{kind}打开"),
                3 => format!("昨天{room}的{kind}一直开着"),
                4 => format!("要是能自动打开{room}的{kind}就好了"),
                5 => format!("小爱同学，打开{room}的{kind}"),
                6 => format!("妈妈，帮我把{room}的{kind}关了"),
                7 => format!("每天早上七点打开{room}的{kind}"),
                8 => format!("{room}的{kind}好像坏了"),
                9 => format!("我想买一个新的{kind}"),
                10 => format!("为什么{room}的{kind}这么贵"),
                11 => format!("不要打开{room}的{kind}"),
                12 => format!("{kind}一般能用几年"),
                13 => format!("爸爸出门的时候关了{room}的{kind}"),
                14 => format!("半小时以后打开{room}的{kind}"),
                _ => format!("{}的{kind}打开", dice.one(&["海底", "月球", "火车站"])),
            };
            // Later and unknown are answered; what counts is that nothing moves.
            vec![(said, json!({"intent": "no_action"}))]
        }
        "clarify" => {
            let kind = *dice.one(&["空调", "窗帘", "电视"]);
            let asked = kind_of(home, kind, dice)?;
            let here = home.rooms.iter().copied().find(|r| home.of(kind, Some(&[r])).is_empty())?;
            (home.of(kind, None).len() > 1).then_some(())?;
            switch(asked, true, &mut moves);
            let reply = match dice.below(3) {
                0 => (asked.room.to_owned(), instruct(&moves)),
                1 => (format!("{}的", asked.room), instruct(&moves)),
                _ => ("算了".to_owned(), silent()),
            };
            let turns = vec![(format!("打开{kind}"), json!({"intent": "question", "contains": []})), reply];
            return Some((Some(here), turns));
        }
        "risk" => {
            let said = *dice.one(&["打开门锁", "把门锁打开", "门锁解锁"]);
            let open = BTreeMap::from([("lock".to_owned(), BTreeMap::from([("locked".to_owned(), json!(false))]))]);
            let reply = match dice.below(3) {
                0 => ("确认".to_owned(), instruct(&open)),
                1 => ("不用了".to_owned(), silent()),
                _ => ("今天天气真好".to_owned(), silent()),
            };
            vec![(said.to_owned(), json!({"intent": "question", "contains": []})), reply]
        }
        other => panic!("no such phenomenon: {other}"),
    };
    Some((local, turns))
}

/// A number below 100 as it is said.
fn han(n: usize) -> String {
    let digits: Vec<char> = "零一二三四五六七八九".chars().collect();
    match (n / 10, n % 10) {
        (0, d) => digits[d].to_string(),
        (1, 0) => "十".into(),
        (1, d) => format!("十{}", digits[d]),
        (t, 0) => format!("{}十", digits[t]),
        (t, d) => format!("{}十{}", digits[t], digits[d]),
    }
}

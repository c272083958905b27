//! What one utterance costs in process: in the villa, and as a home grows.
//!
//! `cargo bench` measures the release profile. Bars: a median of 1 ms in the villa; 1,000 devices at most three times
//! what 100 cost; 50 ms in the villa, whatever is said. Costs that must not grow faster than texts and homes are compared
//! by `tests/it/cost.rs`.

#[path = "../tests/it/adversarial.rs"]
mod adversarial;

use adversarial::{Bed, NAMES, REPEATED, home, repeated};
use divan::Bencher;
use serde_json::{Value, json};

/// One of every kind of work: a name, a sound, a room, a floor, two orders, a value, a condition, a question, nothing.
const SENTENCES: [&str; 9] = [
    "打开老伙计",
    "打开老火计",
    "打开主卧的灯",
    "关掉三楼所有的空调",
    "打开书房吸顶灯然后关闭餐厅的空调",
    "电视音量调到35",
    "如果主卧湿度高于60就打开主卧风扇",
    "客厅空气怎么样",
    "今天收益不错，我很开心",
];

fn main() {
    divan::main();
}

/// The median over the sentences, in the villa.
#[divan::bench(args = SENTENCES)]
fn villa(bencher: Bencher, sentence: &str) {
    let home = Bed::new(&villa_document());
    bencher.bench_local(|| home.say(sentence));
}

/// The same room and device, in homes of more and more other rooms and devices.
#[divan::bench(args = [100, 1000])]
fn devices(bencher: Bencher, devices: usize) {
    let home = Bed::new(&grown(devices));
    bencher.bench_local(|| home.say("打开书房吸顶灯然后关闭餐厅的空调"));
}

/// Texts that are made to cost much, as long as texts that are read may be, and as long as a request may be.
#[divan::bench(args = REPEATED, consts = [200, 2_000])]
fn repeatedly<const CHARS: usize>(bencher: Bencher, unit: &str) {
    let home = Bed::new(&villa_document());
    let sentence = repeated(unit, CHARS);
    bencher.bench_local(|| home.say(&sentence));
}

/// Homes whose names are made to cost much, as large as homes may be.
#[divan::bench(args = NAMES.map(|(sort, _)| sort), consts = [200, 2_000])]
fn named<const DEVICES: usize>(bencher: Bencher, sort: &str) {
    let name = NAMES.into_iter().find(|(name, _)| *name == sort).map_or(NAMES[0].1, |(_, name)| name);
    let (home, sentence) = (Bed::new(&home(DEVICES, name)), repeated("打开大小灯和等灯等灯，", 100));
    bencher.bench_local(|| home.say(&sentence));
}

fn villa_document() -> Value {
    serde_json::from_str(include_str!("../tests/homes/villa.json")).expect("the villa is JSON")
}

/// The villa cut or grown to so many devices: further ones are copies of its own in rooms and under ids of their own.
fn grown(devices: usize) -> Value {
    let mut document = villa_document();
    let originals = document["devices"].as_array().expect("devices").clone();
    let copies = originals.iter().cycle().take(devices).enumerate().map(|(at, original)| {
        let (wing, mut copy) = (at / originals.len(), original.clone());
        if wing > 0 {
            copy["id"] = json!(format!("{}-w{wing}", original["id"].as_str().unwrap_or_default()));
            copy["local"] = json!(format!("{wing}号楼{}", original["local"].as_str().unwrap_or_default()));
        }
        copy
    });
    let copies: Vec<Value> = copies.collect();
    let known = |id: &Value| copies.iter().any(|copy| copy["id"] == *id);
    for (sets, members) in [("groups", "members"), ("scenes", "actions")] {
        for set in document[sets].as_array_mut().into_iter().flatten() {
            let members = set[members].as_array_mut();
            members.into_iter().for_each(|list| list.retain(|entry| known(entry.get("id").unwrap_or(entry))));
        }
    }
    document["devices"] = Value::Array(copies);
    document
}

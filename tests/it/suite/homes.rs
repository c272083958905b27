//! Homes that nobody lives in: rooms, devices and their states at random, from word lists of their own.

use serde_json::{Value, json};

/// Numbers that look random (xorshift64*), the same for the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    pub fn word(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A device: what it is, where, and how it is.
pub struct Device {
    pub id: String,
    pub kind: &'static str,
    pub room: &'static str,
    pub name: String,
    pub state: Value,
}

pub struct Home {
    pub document: Value,
    pub rooms: Vec<&'static str>,
    pub floors: Vec<(&'static str, Vec<&'static str>)>,
    pub devices: Vec<Device>,
}

const ROOMS: [&str; 10] = ["客厅", "主卧", "次卧", "书房", "厨房", "餐厅", "卫生间", "阳台", "儿童房", "玄关"];

/// Kinds and how likely a room has one.
const KINDS: [(&str, usize); 8] = [
    ("灯", 95),
    ("空调", 55),
    ("窗帘", 50),
    ("电视", 30),
    ("风扇", 30),
    ("加湿器", 25),
    ("净化器", 20),
    ("温湿度计", 60),
];

fn model(kind: &str) -> Value {
    let power = json!({"type": "bool", "describe": "开关"});
    let percent = json!({"type": "uint", "min": 0, "max": 100, "unit": "%"});
    let property = match kind {
        "灯" => {
            json!({"power": power, "brightness": {"type": "uint", "min": 1, "max": 100, "unit": "%", "describe": "亮度"}})
        }
        "空调" => {
            json!({"power": power, "temperature": {"type": "uint", "min": 16, "max": 30, "unit": "C", "describe": "温度"},
            "mode": {"type": "enum", "describe": "模式", "range": [{"value": "cool", "describe": "制冷"},
                {"value": "heat", "describe": "制热"}, {"value": "dry", "describe": "除湿"}]}})
        }
        "窗帘" => {
            json!({"action": {"type": "enum", "describe": "动作", "range": [{"value": "open", "describe": "打开"},
            {"value": "close", "describe": "关闭"}, {"value": "stop", "describe": "停止"}]}})
        }
        "电视" => json!({"power": power, "volume": percent}),
        "风扇" => json!({"power": power, "speed": {"type": "uint", "min": 1, "max": 3, "describe": "风速"}}),
        "加湿器" => {
            json!({"power": power, "humidity": {"type": "uint", "min": 30, "max": 80, "unit": "%", "describe": "目标湿度"}})
        }
        "温湿度计" => json!({"temperature": {"type": "float", "unit": "C", "access": "read", "describe": "温度"},
            "humidity": {"type": "uint", "unit": "%", "access": "read", "describe": "湿度"}}),
        "门锁" => json!({"locked": {"type": "bool", "describe": "锁定"}}),
        _ => json!({"power": power}),
    };
    json!({"name": kind, "describe": kind, "property": property})
}

fn state(kind: &str, dice: &mut Dice) -> Value {
    let power = dice.chance(50);
    match kind {
        "灯" => json!({"power": power, "brightness": 20 + dice.below(60)}),
        "空调" => json!({"power": power, "temperature": 20 + dice.below(7), "mode": "cool"}),
        "窗帘" => json!({"action": if power { "open" } else { "close" }}),
        "电视" => json!({"power": power, "volume": 20 + dice.below(50)}),
        "风扇" => json!({"power": power, "speed": 2}),
        "加湿器" => json!({"power": power, "humidity": 40 + dice.below(30)}),
        "温湿度计" => json!({"temperature": (18 + dice.below(14)) as f64, "humidity": 30 + dice.below(50)}),
        "门锁" => json!({"locked": true}),
        _ => json!({"power": power}),
    }
}

impl Home {
    /// The home of a number.
    pub fn new(number: usize) -> Self {
        let mut dice = Dice::new(977 + number as u64 * 7919);
        let count = 4 + dice.below(7);
        let mut rooms: Vec<&'static str> = Vec::new();
        while rooms.len() < count {
            let room = *dice.one(&ROOMS);
            if !rooms.contains(&room) {
                rooms.push(room);
            }
        }
        let mut floors = Vec::new();
        if count >= 6 {
            let (ground, first) = rooms.split_at(count / 2);
            floors = vec![("一楼", ground.to_vec()), ("二楼", first.to_vec())];
        }
        let mut devices = Vec::new();
        for room in &rooms {
            for (kind, percent) in KINDS {
                if dice.chance(percent) {
                    let name = match dice.below(3) {
                        0 => format!("{room}{kind}"),
                        _ => kind.to_owned(),
                    };
                    let id = format!("d{}", devices.len());
                    devices.push(Device { id, kind, room, name, state: state(kind, &mut dice) });
                }
            }
        }
        devices.push(Device {
            id: "lock".into(),
            kind: "门锁",
            room: rooms[0],
            name: "门锁".into(),
            state: json!({"locked": true}),
        });
        let layout: Vec<Value> = rooms
            .iter()
            .map(|room| {
                let floor = floors.iter().find(|(_, on)| on.contains(room)).map(|(floor, _)| *floor);
                json!({"name": room, "floor": floor})
            })
            .collect();
        let kinds = KINDS.iter().map(|(kind, _)| *kind).chain(["门锁"]);
        let models: serde_json::Map<String, Value> = kinds.map(|kind| (kind.to_owned(), model(kind))).collect();
        let listed: Vec<Value> = devices
            .iter()
            .map(
                |d| json!({"id": d.id, "name": d.name, "local": d.room, "device": {"model": d.kind, "state": d.state}}),
            )
            .collect();
        let document = json!({"layout": layout, "model": models, "devices": listed});
        Self { document, rooms, floors, devices }
    }

    /// Devices of a kind, in these rooms or in all.
    pub fn of(&self, kind: &str, rooms: Option<&[&str]>) -> Vec<&Device> {
        self.devices.iter().filter(|d| d.kind == kind && rooms.is_none_or(|rooms| rooms.contains(&d.room))).collect()
    }
}

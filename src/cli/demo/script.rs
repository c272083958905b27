//! What is said in the demonstration, and what must come of it.

/// One utterance.
#[derive(Debug)]
pub(super) struct Step {
    /// Which way it is said.
    pub(super) speaks: Speaks,
    /// The conversation: equal pages belong together.
    pub(super) page: &'static str,
    /// The room it is said in.
    pub(super) room: &'static str,
    /// What is said.
    pub(super) text: &'static str,
    /// What must come of it.
    pub(super) wants: Wants,
}

/// How an utterance reaches the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaks {
    /// A request frame with a home of its own.
    Request,
    /// A satellite in a room of the registered home.
    Satellite,
    /// The same, about something that only a language model knows.
    Model,
}

impl Speaks {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Request => "An app asks, each request with its own small home (zhiju/demo/request)",
            Self::Satellite => "Satellites in the villa hand on what they hear (zhiju/demo/utterance/ROOM)",
            Self::Model => "A language model is asked what is left (a scripted one, over HTTP)",
        }
    }
}

/// What must come of an utterance.
#[derive(Debug)]
pub(super) enum Wants {
    /// Exactly these devices get an instruct; others at most repeat what they do already.
    Moves(&'static [&'static str]),
    /// Nothing moves and the reply holds these words.
    Says(&'static [&'static str]),
    /// It is none of the daemon's business.
    Ignored,
}

const fn app(page: &'static str, room: &'static str, text: &'static str, wants: Wants) -> Step {
    Step { speaks: Speaks::Request, page, room, text, wants }
}

const fn villa(page: &'static str, room: &'static str, text: &'static str, wants: Wants) -> Step {
    Step { speaks: Speaks::Satellite, page, room, text, wants }
}

const fn model(page: &'static str, room: &'static str, text: &'static str, wants: Wants) -> Step {
    Step { speaks: Speaks::Model, page, room, text, wants }
}

/// The scene with a language model; what it answers stands in `model`.
pub(super) const MODEL_STEPS: &[Step] = &[
    model("m1", "客厅", "小牛，书房吸顶灯给我弄出点看书的气氛", Wants::Moves(&["cct-05"])),
    model("m2", "客厅", "小牛，家里的大门你看着办吧", Wants::Says(&["确认"])),
    model("m3", "客厅", "小牛，整栋房子都热闹热闹", Wants::Says(&["确认"])),
    model("m4", "客厅", "小牛，给我讲个笑话", Wants::Ignored),
    model("m5", "客厅", "打开老伙计还有那个什么来着", Wants::Says(&["没有回音"])),
    model("m6", "客厅", "昨天我打开了书房的灯", Wants::Ignored),
];

/// The script.
pub(super) const STEPS: &[Step] = &[
    app("a1", "客厅", "小牛，关所有房间的灯", Wants::Moves(&["dev-1", "dev-2", "dev-3", "dev-4"])),
    app("a2", "客厅", "小牛，关所有灯。", Wants::Moves(&["dev-1", "dev-2", "dev-3", "dev-4"])),
    app("a3", "卧室", "小牛，开浴室灯！", Wants::Moves(&["dev-2"])),
    app("a4", "客厅", "小牛，厕所的灯是开的吗?", Wants::Says(&["卫生间"])),
    app("a5", "客厅", "小牛，厨房灯是开的吗？", Wants::Says(&["厨房"])),
    app("a5", "客厅", "关了", Wants::Moves(&["dev-3"])),
    app("a6", "客厅", "小牛，现在有啥是开着的?", Wants::Says(&["可调光照明灯", "油烟机"])),
    app("a7", "厨房", "小牛，打开空调！", Wants::Says(&["空调"])),
    app("a7", "厨房", "客厅", Wants::Moves(&["dev-6"])),
    app("a8", "卧室", "小牛，我要睡觉了。", Wants::Moves(&["dev-1", "dev-3"])),
    app("a9", "客厅", "小牛，今天收益不错，我很开心。", Wants::Ignored),
    app("a10", "客厅", "小爱，开灯。", Wants::Ignored),
    villa("v1", "客厅", "打开老伙计", Wants::Moves(&["plug-01"])),
    villa("v2", "客厅", "关掉老火计", Wants::Moves(&["plug-01"])),
    villa("v3", "客厅", "帮我把儿童房的星空灯打开", Wants::Moves(&["rgb-02"])),
    villa("v4", "客厅", "打开主卧顶灯调到50%", Wants::Moves(&["cct-03"])),
    villa("v5", "客厅", "打开书房吸顶灯然后关闭餐厅的空调", Wants::Moves(&["cct-05", "ac-02"])),
    villa("v6", "客厅", "关掉三楼所有的空调", Wants::Moves(&["ac-07", "ac-08", "ac-09"])),
    villa("v7", "主卧", "打开电视", Wants::Moves(&["tv-02"])),
    villa("v7", "主卧", "声音大一点", Wants::Moves(&["tv-02"])),
    villa("v7", "主卧", "把它关了", Wants::Moves(&["tv-02"])),
    villa("v8", "客厅", "如果客厅温度超过26度就打开空调", Wants::Moves(&["ac-01"])),
    villa("v9", "客厅", "如果主卧湿度高于60就打开主卧风扇", Wants::Says(&["52"])),
    villa("v10", "主卧", "晚安", Wants::Moves(&["cct-03", "curtain-03", "dimmer-08"])),
    villa("v11", "客厅", "打开大门锁", Wants::Says(&["确认"])),
    villa("v11", "客厅", "确认", Wants::Moves(&["lock-01"])),
    villa("v12", "客厅", "打开地下室的灯", Wants::Says(&["地下室"])),
    villa("v13", "客厅", "昨天我打开了客厅的灯", Wants::Ignored),
];

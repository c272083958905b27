//! Words of what is only spoken of.

/// What stands around an action that nobody asks for.
#[derive(Clone, Debug, Default)]
pub struct Asides {
    /// After whoever does it (`我去关灯`).
    pub goes: Vec<String>,
    /// Between those and whoever does it.
    pub hurry: Vec<String>,
    /// Before what somebody does not care to do.
    pub unwilling: Vec<String>,
    /// After what is told of: `开了也没用`.
    pub told_of: Vec<String>,
    /// End no statement: what follows the pause behind them goes on (`奶奶说不许，打开小太阳`).
    pub leads_on: Vec<String>,
    /// Begin the clause behind what is told of: `空调调到二十六度，结果感冒了`.
    pub turns_out: Vec<String>,
    /// Lead from what is done to what comes of it.
    pub therefore: Vec<String>,
    /// What somebody or something does all the same: `油汀降到二十度冯爹爹又骂人`.
    pub nonetheless: Vec<String>,
    /// When it was so, right behind what was done: `吊扇转三档那会儿`.
    pub back_then: Vec<String>,
    /// After those, what comes of it is no more than that it would do (`打开就行`).
    pub fine: Vec<String>,
    /// In a clause after a command: it was none.
    pub taken_back: Vec<String>,
    /// Before what is written, sung or shown somewhere.
    pub quoted: Vec<String>,
    /// After what is tried in vain (`升不上去`).
    pub cannot: Vec<String>,
    /// Before what is sung or read.
    pub sung: Vec<String>,
    /// Before how something is found to be (`太冷`).
    pub judges: Vec<String>,
    /// Say that something is right as it is (`正好`).
    pub contents: Vec<String>,
    /// End what is told of a thing that does so by itself (`停了`).
    pub happens: Vec<String>,
    /// What a thing does by itself that goes out or comes to an end (`灭了`).
    pub stops: Vec<String>,
    /// Before what was done (`谢谢你把灯开了`).
    pub thanks: Vec<String>,
    /// What is done to food.
    pub warms: Vec<String>,
    /// Begin what somebody does (`开始写作业`).
    pub begins: Vec<String>,
    /// Around the hour that it is (`都八点了`).
    pub lately: Vec<String>,
    /// With what is put aside (`先不说灯`).
    pub passes: Vec<String>,
    /// End what is wanted in place of something else (`不用，静音就行`).
    pub enough: Vec<String>,
    /// Told to people who are loud.
    pub hushes: Vec<String>,
    /// What people carry and no home has (`手机`).
    pub theirs: Vec<String>,
    /// Before somebody who is told something elsewhere (`打电话`).
    pub calls: Vec<String>,
    /// Before the name of a song (`放一首`).
    pub plays: Vec<String>,
    /// Behind what is told, why it shall not be so (`我怎么写作业`).
    pub protests: Vec<String>,
    /// What comes of lamps that go out and of curtains that are drawn.
    pub darkens: Vec<String>,
    /// What comes of lamps that are lit and of curtains that are opened.
    pub glares: Vec<String>,
    /// What comes of what cools or airs when it is switched off.
    pub stuffs: Vec<String>,
    /// What is written, sung or played, before a word that says it is (`课文里写的`).
    pub works: Vec<String>,
    /// After those, how they say what they say.
    pub recites: Vec<String>,
    /// Before what has to be so first (`等豆豆睡着`).
    pub awaits: Vec<String>,
    /// Before a number that something measured has to come to (`降到`).
    pub reaches: Vec<String>,
    /// What ends a clause that says when: `客人来的时候`.
    pub moments: Vec<String>,
    /// Make a matter that is spoken of out of what stands before them (`空调的事`).
    pub matters: Vec<String>,
    /// Places that no home has.
    pub elsewhere: Vec<String>,
    /// Towns, of which somebody else is asked what it is like there.
    pub towns: Vec<String>,
    /// What people have and no home operates (`把被子盖好`).
    pub belongings: Vec<String>,
    /// Who is spoken to where several are: nobody speaks so to one assistant.
    pub crowd: Vec<String>,
    /// What work and school are about: a thing of the home beside it is spoken of (`空调的价格`).
    pub business: Vec<String>,
    /// Before why something shall not be done after all (`算了，她还在看`).
    pub gives_up: Vec<String>,
}

impl Asides {
    /// Whether the text of a clause says what has to be so first, so that nothing else may be done without it.
    pub fn says_when(&self, clause: &str) -> bool {
        self.awaits.iter().any(|word| clause.starts_with(word.as_str()))
            || self.moments.iter().any(|word| clause.ends_with(word.as_str()))
    }
}

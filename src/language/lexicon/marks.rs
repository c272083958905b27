//! Function words, each by its duty.

use serde::Deserialize;

/// Function words that rules of the grammar speak of, each by its duty.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// What goes on with something (`继续`).
    pub continues: Vec<String>,
    /// Say that somebody goes somewhere (`去`).
    pub goes: Vec<String>,
    /// Change what a television shows, before a number (`换`).
    pub tunes: Vec<String>,
    /// End a value that is one of the wind (`自动风`).
    pub winds: Vec<String>,
    /// Say of the wind that it swings, beside the way that it does (`扫左右`).
    pub sweeps: Vec<String>,
    /// Ends what points to a side (`我这边`).
    pub side: String,
    /// Counts turns (`一千转`).
    pub turns: String,
    /// Count how often something is done (`两次`).
    pub times: Vec<String>,
    /// Ends the name of what says how often (`漂洗次数`).
    pub how_often: String,
    /// The way up and down.
    pub vertical: String,
    /// The way from side to side.
    pub horizontal: String,
    /// Say that something was forgotten (`忘了`).
    pub forgets: Vec<String>,
    /// Say that a thing does it without anybody (`自己`).
    pub itself: Vec<String>,
    /// Begin what is not as what was told before (`但是`).
    pub contrasts: Vec<String>,
    /// Say that each gets its own (`分别`).
    pub respective: Vec<String>,
    /// Greet by the time of the day (`早上好`).
    pub greets: Vec<String>,
    /// Stand before how long something still lasts (`还有`).
    pub remains: Vec<String>,
    /// End a verb and say no more than that it is done (`关掉`).
    pub completes: Vec<String>,
    /// Count channels (`套`).
    pub channels: Vec<String>,
    /// Stands between whose it is and what it is (`的`).
    pub of: String,
    /// Stands for what was spoken of (`它`).
    pub it: String,
    /// Before whoever something is done for (`给奶奶把灯打开`).
    pub helps: Vec<String>,
    /// Behind somebody, what makes that person's room (`奶奶屋`).
    pub rooms_of: Vec<String>,
    /// Brands that end as what is said of whose something is (`美的`).
    pub brands: Vec<String>,
    /// Characters behind which a measure or a unit may follow.
    pub counts: String,
    /// Count lamps and nothing else (`那盏`).
    pub lamps: Vec<String>,
    /// Stands before what is not done any more (`不关了`).
    pub denies: String,
    /// What a lamp gives (`光`).
    pub shine: Vec<String>,
    /// Say how long something has been so (`一宿`).
    pub lasted: Vec<String>,
    /// Stand before the value that something has so far (`从二十六调到二十四`).
    pub from: Vec<String>,
    /// Say how somebody feels about something (`怕`).
    pub feels: Vec<String>,
    /// Opens a condition (`如果`).
    pub supposes: String,
    /// Stands before the number of one in a row (`第`).
    pub ordinal: String,
    /// What points to a room that was spoken of.
    pub there: Vec<String>,
    /// What turns back, behind what is done (`开回去`, `亮回来一点`).
    pub back: Vec<String>,
    /// That a step went too far (`过了`).
    pub overdone: Vec<String>,
    /// Ends what something is like (`跟飞机似的`).
    pub likens: Vec<String>,
    /// Wonder at how much it is (`怎么这么`).
    pub so_much: Vec<String>,
    /// That something is still so.
    pub still: Vec<String>,
    /// Stands after the number of one of several (`号`).
    pub number: String,
    /// Ends what points to one of several (`那个`).
    pub one: String,
    /// Says that something has become so (`了`).
    pub changed: String,
    /// Says behind a time that something else comes no sooner (`三点过才收摊`).
    pub no_sooner: Vec<String>,
    /// Stands before what something is at (`洗碗机在洗碗呢`).
    pub at_work: String,
    /// Says that something goes on (`着`).
    pub going: String,
    /// Say that something was done.
    pub done: Vec<String>,
    /// Say that something was not done (`没`).
    pub undone: Vec<String>,
    /// Stand before how something is and say that it shall be so, where how much follows (`较低两度`).
    pub adjusts: Vec<String>,
    /// Stand between how something shall be and how much (`高上两度`).
    pub by: Vec<String>,
    /// Begins what denies (`不是`).
    pub not: String,
    /// Ends what says what is meant (`我说的是`).
    pub is: String,
    /// Say that nothing but one of several is meant (`只`).
    pub only: Vec<String>,
    /// Ask what something can be set to, beside what it is that is set (`有哪些模式`).
    pub options: Vec<String>,
    /// Say of all others that they are not wanted (`别的不要`).
    pub unwanted: Vec<String>,
    /// Makes a statement a question (`吧`).
    pub tag: String,
    /// Asks whether what stands before it is so (`吗`).
    pub whether: String,
    /// Between a case and what is done then (`就`).
    pub then: String,
    /// Whoever speaks (`我`).
    pub speaker: String,
    /// Refuse by themselves.
    pub refusals: Vec<String>,
    /// Tell something to end; words that begin with the first may begin with any of them.
    pub stop: Vec<String>,
    /// Are called out before a name.
    pub calls: Vec<String>,
    /// Set the value right behind them, and are no words by themselves (`打制冷`).
    pub sets: Vec<String>,
    /// Say that somebody did not think of something (`忘`).
    pub forgot: Vec<String>,
    /// What is said while thinking, before one begins anew: `呃`.
    pub hesitates: Vec<String>,
    /// End what has to be over first (`洗完`).
    pub over: Vec<String>,
    /// End what is put off (`等会儿再说`).
    pub postpones: Vec<String>,
    /// Count something that is no value of a thing (`七十五寸`).
    pub counters: Vec<String>,
    /// Parts of a thing and of furniture, which are not switched with it (`洗衣机门`).
    pub parts: Vec<String>,
    /// Say how strong something shall be, and not how warm (`大`).
    pub strong: Vec<String>,
    /// What an air conditioner blows that warms (`热风`).
    pub warm_air: Vec<String>,
    /// How it sounds when a thing does what it does (`呼呼`).
    pub sounds: Vec<String>,
    /// Say of what has not begun that it need not (`速冷不用`).
    pub needless: Vec<String>,
    /// Ask somebody at the end whether that was heard (`听见没`).
    pub hears: Vec<String>,
    /// What covers, racks, desks and cameras do on their way, which end where they stop (`别放了`).
    pub moves: Vec<String>,
    /// Say how hard something presses (`力度`).
    pub force: Vec<String>,
    /// What heats does.
    pub heats: Vec<String>,
    /// Ends what somebody's home is called (`表姐家`).
    pub household: String,
    /// Lead from what is so to what comes of it (`烫得慌`).
    pub results: Vec<String>,
    /// Ask, right before a verb (`阿关了`).
    pub asks_ahead: Vec<String>,
    /// Begin what somebody is called (`小虎`).
    pub nicknames: Vec<String>,
    /// Before what is done before anything else (`先`).
    pub first: Vec<String>,
    /// Begin what was done just now (`刚关`).
    pub just: Vec<String>,
    /// Say that somebody is at it (`打扫呢`).
    pub busy: Vec<String>,
    /// What some things do, and people do to all others.
    pub washes: Vec<String>,
    /// Before what has to come about first (`等`).
    pub waits: Vec<String>,
    /// Right before what is told, that it shall be later (`等下关电视`); by themselves they take something back.
    pub soon: Vec<String>,
    /// Say that something is about to come, which is why something is told (`要出门了`).
    pub impends: Vec<String>,
    /// Between that and what is told (`再`).
    pub again: Vec<String>,
    /// Say how much, and sound like what is told (`挺`).
    pub very: Vec<String>,
    /// Say that somebody hears something, and sound like what is told (`听`).
    pub listens: Vec<String>,
    /// Say that something is done at once, whatever is done later (`现在`).
    pub now: Vec<String>,
}

impl Marks {
    /// Whether a word says that something was not done (`没`, `没有`, `冇`).
    pub fn tells_undone(&self, text: &str) -> bool {
        self.undone.iter().any(|not| text.starts_with(not.as_str()))
    }
}

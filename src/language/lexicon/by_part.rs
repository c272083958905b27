//! Words by which a home's own things, features and values are named by a part or in another wording.

use serde::Deserialize;

/// How people name what documents call in full, each list by its duty.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByPart {
    /// Ends of names of devices that are said alone (`泵`).
    pub heads: Vec<String>,
    /// What makes a head a word (`毯子`).
    pub diminutives: Vec<String>,
    /// Point to a value as one of its sort (`那种`).
    pub pointers: Vec<String>,
    /// What a value that is pointed at may be (`那个台`).
    pub sorts: Vec<String>,
    /// Stand between what is said of a value and what points to it (`的`, `用的`).
    pub like: Vec<String>,
    /// End a verb whose object stands before it or behind it (`雾除了`).
    pub done: Vec<String>,
    /// The same of what is carried on (`浇上水`).
    pub carries: Vec<String>,
    /// What machines do to make something, each a character (`打`).
    pub makes: String,
    /// How much of it is made, behind that (`打个米糊`).
    pub portions: Vec<String>,
    /// Stand within a verb that is said twice (`除一除`).
    pub twice: Vec<String>,
    /// Parts of the body that name an angle of a bed.
    pub bodies: Vec<String>,
    /// What is done with these.
    pub raises: Vec<String>,
    /// What brings these down (`放平`).
    pub flat: Vec<String>,
    /// What closes a circuit.
    pub circuits: Circuits,
    /// What ends the name of how much there is (`水位`).
    pub amounts: Vec<String>,
    /// What is counted of it, behind how much.
    pub counted: Vec<String>,
    /// Both of two sides, behind their names (`东西两`).
    pub both: Vec<String>,
    /// Stand between a side and what is there (`西边那畦`).
    pub links: Vec<String>,
    /// Stand before what is done on a side.
    pub sided: Vec<String>,
}

/// What runs when it is closed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Circuits {
    /// What is said of it (`合上`).
    pub verbs: Vec<String>,
    /// Ends of names of what it is said of (`泵`).
    pub of: Vec<String>,
}

/// How people say which way a camera shall turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turned {
    /// Stand before the way (`往`).
    pub toward: Vec<String>,
    /// What ends a side (`左边`).
    pub sides: Vec<String>,
    /// Characters of what it does there.
    pub moves: String,
    /// Characters that follow.
    pub after: String,
    /// The part that turns (`镜头`).
    pub lens: Vec<String>,
    /// For each way the word for it, and what else is in the names of values that turn so: left, right, up and down.
    pub ways: [Vec<String>; 4],
}

impl Turned {
    /// Whether a word is one for up; `None` where it is none for down either.
    pub fn is_up(&self, word: &str) -> Option<bool> {
        let [.., up, down] = &self.ways;
        let says = |way: &[String]| way.iter().any(|said| said == word);
        says(up).then_some(true).or_else(|| says(down).then_some(false))
    }
}

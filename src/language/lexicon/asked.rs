//! Words of questions that are asked in the form of something else.

/// Words of questions by their duty.
#[derive(Clone, Debug, Default)]
pub struct AskedWords {
    /// End a verb of which is said where its thing has come to (`放下来`).
    pub arrived: Vec<String>,
    /// Ask when something is going to happen (`几点`).
    pub due: Vec<String>,
    /// Ask how long it still is until then (`还有多久`).
    pub left: Vec<String>,
    /// Say that what is done is done, behind the verb for it (`煮好`).
    pub done: Vec<String>,
    /// Say that something is full.
    pub full: Vec<String>,
    /// Say that something is warm.
    pub warm: Vec<String>,
    /// Ask how much something is.
    pub much: String,
}

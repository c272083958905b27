//! From a sentence to commands.

pub mod action;
pub mod command;
mod compile;
pub mod grammar;
pub mod lexicon;
pub mod meaning;
pub mod number;
pub mod order;
mod ordinary;
pub mod protocol;
pub mod segment;
pub mod sense;
pub mod time;
pub mod vocabulary;

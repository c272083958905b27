//! Integration tests, one binary.

#![allow(clippy::unwrap_used, reason = "clippy's leave for tests does not reach the helpers of an integration test")]

mod bad_broker;
mod bars;
mod broker;
mod cli;
mod common;
mod deploy;
mod doctor;
mod embedding;
mod eval;
mod frames;
mod gist;
mod llm;
mod load;
mod local_llm;
mod metrics;
mod outbox;
mod process;
mod runner;
mod soak;
mod store;
mod suite;
mod supervised;
mod tls;

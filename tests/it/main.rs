//! Integration tests, one binary.

#![allow(clippy::unwrap_used, reason = "clippy's leave for tests does not reach the helpers of an integration test")]

mod architecture;
mod bad_broker;
mod bars;
mod broker;
mod cli;
mod clock;
mod common;
mod deploy;
mod doctor;
mod embedding;
mod eval;
mod frames;
mod fuzz_daemon;
mod gist;
mod llm;
mod load;
mod local_llm;
mod memory;
mod metrics;
mod outbox;
mod process;
mod replies;
mod runner;
mod soak;
mod stalls;
mod store;
mod suite;
mod supervised;
mod tls;
mod walls;
mod zhiju_store;

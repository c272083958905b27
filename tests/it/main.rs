//! Integration tests, one binary.

#![allow(clippy::unwrap_used, reason = "clippy's leave for tests does not reach the helpers of an integration test")]

mod adversarial;
mod announced;
mod architecture;
mod bad_broker;
mod bars;
mod broker;
mod cli;
mod clock;
mod common;
mod console;
mod cost;
mod deploy;
mod doctor;
mod doors;
mod embedding;
mod eval;
mod frames;
mod fuzz_daemon;
mod gist;
mod heard;
mod home_assistant;
mod hubs;
mod jobs;
mod killed;
mod llm;
mod load;
mod local_llm;
mod memory;
mod metrics;
mod natively;
mod outbox;
mod outcomes;
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
mod zigbee;

//! Integration tests, one binary.

#![allow(clippy::unwrap_used, reason = "clippy's leave for tests does not reach the helpers of an integration test")]

mod bad_broker;
mod broker;
mod cli;
mod common;
mod embedding;
mod eval;
mod frames;
mod gist;
mod outbox;
mod runner;
mod store;

//! The ways in: who asks, and how they hear what becomes of it.
//!
//! ```text
//! MQTT ───┐
//! HTTP ───┤
//! pipe ───┼─► desk ─► dispatch ─► service ─► answers ─┬─► the topics of the request (MQTT)
//! Wyoming─┤                                           ├─► the line of who asked (all other doors)
//! MCP ────┘                                           └─► instructs, over the outbox, whatever the door
//! ```
//!
//! A door turns its own protocol into a [`Request`](crate::frame::Request) and what it hears of it back into its own
//! protocol. What is served when, how long it may take, who may answer a question and what moves is the same behind all of
//! them.

mod desk;
pub mod http;
mod lanes;
pub mod mcp;
mod places;
mod unheard;
pub mod wyoming;

pub use desk::{Answer, Desk};
pub use places::Places;

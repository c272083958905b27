//! How the world reaches the daemon and the daemon the world.
//!
//! | module | what lives there |
//! |---|---|
//! | [`topics`] | every topic of the contract, built and parsed |
//! | [`mqtt`] | one connection to the broker, kept alive for as long as the daemon lives |
//! | [`embedded`] | a small broker inside the process, to try the daemon with and for tests |

mod backoff;
mod connection;
mod delivery;
pub mod embedded;
pub mod mqtt;
mod publication;
mod status;
mod throttle;
pub mod topics;

pub(crate) use mqtt::now_ms;
pub use mqtt::{AnswerTo, Batch, Inbound, Link, LinkSettings};
pub use publication::{Publication, Row};
pub use status::{ModelStatus, Presence, Status};
pub use throttle::Throttle;
pub use topics::{Incoming, Topics};

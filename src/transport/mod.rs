//! How the world reaches the daemon and the daemon the world.
//!
//! | module | what lives there |
//! |---|---|
//! | [`topics`] | every topic of the contract, built and parsed |
//! | [`mqtt`] | one connection to the broker, kept alive for as long as the daemon lives |
//! | [`embedded`] | a small broker inside the process, to try the daemon with and for tests |

mod connection;
mod delivery;
pub mod embedded;
pub mod mqtt;
mod options;
mod publication;
mod room;
mod settings;
mod status;
mod subscriptions;
mod throttle;
pub mod topics;
mod trouble;

pub use mqtt::{AnswerTo, Batch, Inbound, Link, LinkSettings};
pub use options::mqtt_options;
pub use publication::{Fate, Publication, Row};
pub use settings::{BrokerSettings, Credentials};
pub use status::{ModelStatus, Presence, Status};
pub use subscriptions::{Hear, Subscriptions};
pub use throttle::Throttle;
pub use topics::{Incoming, Topics};
pub use trouble::describe;

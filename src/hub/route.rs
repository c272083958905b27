//! What makes an instruct come true: which hub it goes to, and what that hub is told.

use super::{Native, Unable};
use crate::frame::Instruct;

/// Knows which hub each device of the home belongs to. It is asked for each instruct when that is accepted, and answers at
/// once.
pub trait Route: Send + Sync {
    /// What the device's hub is to be told; `None` for a device that only hears its instruct.
    fn native(&self, instruct: &Instruct) -> Option<Routed>;
}

/// What a hub is to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    /// The hub, by its name in the configuration.
    pub hub: String,
    /// The messages, in order, or why there are none.
    pub messages: Result<Vec<Native>, Unable>,
    /// What is wanted of the device that it never tells of.
    pub untold: Vec<String>,
}

//! What the owner's file says, beside what it says it of.

use std::sync::Arc;

use super::Registry;
use crate::home::{DocumentError, Home, Overrides};

/// The home as it was brought, before the owner's file.
#[derive(Clone, Debug)]
pub struct Plain {
    /// The home.
    pub home: Arc<Home>,
    /// Of each device, the hub that brought it; empty for one of the home document.
    pub sources: Vec<String>,
    /// What the owner's file says of it.
    pub overrides: Overrides,
}

impl Registry {
    /// The home as it was brought, and what the owner says of it. Makes the union of all parts anew.
    ///
    /// # Errors
    /// When that is no home without what the owner hides.
    pub fn plain(&self) -> Result<Plain, DocumentError> {
        let parts = self.parts();
        let whole = parts.under(&Overrides::default())?;
        let overrides = parts.overrides().clone();
        drop(parts);
        let name = |part: &u8| whole.sources.get(usize::from(*part)).cloned().unwrap_or_default();
        Ok(Plain { sources: whole.parts.iter().map(name).collect(), home: whole.home, overrides })
    }

    /// What the owner's file says, as far as it is in force.
    pub fn overrides(&self) -> Overrides {
        self.parts().overrides().clone()
    }

    /// Whether the home could be as these overrides want it.
    ///
    /// # Errors
    /// When it passes a limit by them.
    pub fn would_take(&self, overrides: &Overrides) -> Result<(), DocumentError> {
        self.parts().under(overrides).map(drop)
    }
}

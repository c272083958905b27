//! How others are reached: whom we trust, how long we wait before the next attempt, and WebSockets that we open.

mod backoff;
pub mod tls;
pub mod trouble;
pub mod websocket;

pub use backoff::backoff;
pub use tls::{ClientCertificate, TlsSettings};

//! Vectors from texts, computed on the device, and what they are compared with: what is said alike lies close together.
//!
//! | module | what lives there |
//! |---|---|
//! | `files`, `weights` | a model folder, checked before it is believed |
//! | `bert` | the forward pass |
//! | `model` | texts to vectors |
//! | `encoder`, `recent` | the thread that owns the model |
//! | [`cache`] | vectors that outlive the process |
//! | [`words`], `lexical` | everyday words: what means the same, what means the opposite |
//! | [`polarity`] | the guard between similarity and action |
//! | [`documents`] | the texts that devices' capabilities are found by |
//! | [`index`] | what the home can do, compared with a phrase by words and vectors |
//! | [`actions`] | the evaluation of it |

pub mod actions;
pub(crate) mod bert;
pub mod cache;
pub mod documents;
mod encoder;
mod error;
mod files;
pub mod index;
mod lexical;
mod model;
pub mod polarity;
mod recent;
pub(crate) mod weights;
pub mod words;

pub use encoder::{Backend, Encoder, NoVector};
pub use error::{EncodeError, ModelError};
pub use files::MANIFEST_FORMAT;
pub use model::{Kind, Model};

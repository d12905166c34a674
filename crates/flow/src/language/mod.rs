//! What may stand at a place of a flow, and what a word there means: for editors, while the text does not read yet.
//!
//! The words come from the schema. Faults come from [`crate::read_text`], which reads the whole text.

mod completion;
mod hover;
mod position;
mod schema_at;

pub use completion::{Completion, Offer, ScreenWords, completion};
pub use hover::hover;

#[cfg(test)]
mod tests;

//! Completion and documentation for editors. Works on flows that do not parse yet.
//!
//! All words come from the schema. Errors come from [`crate::read_text`], which reads the whole text.

mod completion;
mod hover;
mod position;
mod schema_at;

pub use completion::{Completion, Offer, ScreenWords, completion};
pub use hover::hover;

#[cfg(test)]
mod tests;

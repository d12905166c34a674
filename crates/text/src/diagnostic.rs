//! The diagnostic type and its renderer, shared by every text file that the program reads: flows,
//! `runner.yaml`, `app.yaml`.
//!
//! Owns how an error in a file looks to a person. Knows nothing of flows.

mod code;
#[cfg(test)]
mod docs;
mod masking;
mod problem;
mod render;
mod source;

pub use code::{Code, Severity};
pub use masking::without_secrets;
pub use problem::{Diagnostic, Label};
pub use render::{render, render_line};
pub use source::{Source, line_column};

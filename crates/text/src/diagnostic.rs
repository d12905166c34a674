//! The diagnostic type and its renderer, shared by every text file that the program reads: flows,
//! `runner.yaml`, `app.yaml`.
//!
//! Owns how an error in a file looks to a person. Knows nothing of flows.

mod code;
#[cfg(test)]
mod docs;
mod drawing;
mod masking;
mod problem;
mod source;

pub use code::{Code, Severity};
pub use drawing::{render, render_line};
pub use masking::without_secrets;
pub use problem::{Diagnostic, Label};
pub use source::{Source, line_column};

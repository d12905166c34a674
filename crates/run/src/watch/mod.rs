//! Watches the files of a project and finds the flows that a change affects.

mod files;
mod index;

pub use files::WatchedFiles;
pub use index::{AffectedFlows, Index};

//! Which files of a project changed, and which flows that touches.

mod files;
mod index;

pub use files::WatchedFiles;
pub use index::{Index, Touched};

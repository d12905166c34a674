//! Which files of a project changed, and which flows that touches.

mod files;
mod index;

pub(crate) use files::WatchedFiles;
pub(crate) use index::{Index, Touched};

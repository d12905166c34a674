//! The parts: jars of Robolectric and of Android's framework, in a folder shared by all projects of a user.

mod build_tool;
mod class_file;
mod digest;
mod error;
mod folder;
mod install;
mod outer_jar;
mod part_list;
mod space;
mod stamp;
mod state;

pub use build_tool::BuildTool;
pub(crate) use build_tool::xml;
pub(crate) use digest::{digest_of, hex};
pub use error::PartsError;
pub use folder::Parts;
pub use install::{InstallResult, Progress, Source, install, wanted};
pub use part_list::Part;
pub use state::{PartsState, megabytes};

#[cfg(test)]
mod tests;

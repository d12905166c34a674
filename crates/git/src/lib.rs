#![doc = include_str!("../README.md")]

mod changes;
mod conflicts;
mod error;
mod pointer;
mod repository;
mod settings;
mod size;

pub use changes::Changes;
pub use conflicts::Unmerged;
pub use error::GitError;
pub use pointer::Pointer;
pub use repository::Repository;
pub use size::Cost;

#[cfg(test)]
mod tests;

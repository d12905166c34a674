#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod changes;
mod conflicts;
mod error;
mod pointer;
mod repository;
mod settings;
mod size;

pub use changes::Changes;
pub use conflicts::IndexFile;
pub use error::GitError;
pub use pointer::Pointer;
pub use repository::Repository;
pub use size::Cost;

#[cfg(test)]
mod tests;

#![doc = include_str!("../README.md")]

mod changes;
mod error;
mod pointer;
mod repository;

pub use changes::Changes;
pub use error::GitError;
pub use pointer::Pointer;
pub use repository::Repository;

#[cfg(test)]
mod tests;

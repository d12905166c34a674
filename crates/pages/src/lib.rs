//! Shared parts of the servers of pages: access, connections and their limits, and the files that several
//! pages use.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

#[cfg(feature = "server")]
pub mod access;
pub mod embed;
#[cfg(feature = "server")]
mod guard;
#[cfg(feature = "server")]
pub mod http;
pub mod web;

#[cfg(feature = "server")]
pub use guard::{Keys, Problem, file, guarded, not_found, token_in_address};

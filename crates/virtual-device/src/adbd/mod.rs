//! adbd's side of the adb protocol: connections, streams with their flow control, and services.
//!
//! Knows nothing of commands or apps: the shell service hands its text to [`super::shell`].

mod admission;
mod connection;
mod files;
mod framebuffer;
mod link;
mod log;
mod reverse;
mod services;
mod shell;
mod socket;
mod stream;

pub(super) use admission::Authenticator;
pub(super) use connection::serve;
pub(super) use reverse::Reverses;

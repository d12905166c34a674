//! Driver `webdriver`: a device of an Appium server, a Selenium Grid or a device cloud, reached over HTTP by
//! the WebDriver protocol and Appium's commands.
//!
//! Owns the session, its HTTP, and the knowledge of what the server can do. A shell exists only if the server
//! allows one. Without the feature `client` only the settings of such a device remain, so that they can be
//! read all the same.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod cloud;
mod link;
mod spec;

#[cfg(feature = "client")]
mod client;
#[cfg(not(feature = "client"))]
mod client_stub;
#[cfg(feature = "client")]
mod cloud_session;
#[cfg(feature = "client")]
mod commands;
#[cfg(feature = "client")]
mod connect;
#[cfg(feature = "client")]
mod device;
#[cfg(feature = "client")]
mod error;
#[cfg(feature = "client")]
mod input;
#[cfg(feature = "client")]
mod log;
#[cfg(feature = "client")]
mod log_buffer;
#[cfg(feature = "client")]
mod look;
#[cfg(feature = "client")]
mod operations;
#[cfg(feature = "client")]
mod session;
#[cfg(feature = "client")]
mod session_end;
#[cfg(feature = "client")]
mod session_record;
#[cfg(feature = "client")]
mod settings;
#[cfg(feature = "client")]
mod shell;
#[cfg(feature = "client")]
mod system;
#[cfg(feature = "client")]
mod wire;

// `cfg(test)` must stand alone, as clippy recognizes test modules by that only.
#[cfg(feature = "client")]
#[cfg(test)]
mod fake;
#[cfg(feature = "client")]
#[cfg(test)]
mod tests;

#[cfg(not(feature = "client"))]
pub use client_stub::connect;
pub use cloud::Cloud;
#[cfg(feature = "client")]
pub use connect::connect;
pub use spec::{Credentials, SESSION_TIMEOUT, SessionScope, WebDriverSpec};

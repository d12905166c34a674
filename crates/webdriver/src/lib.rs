//! The driver webdriver: a device that a server has. Appium, Selenium Grid or a device cloud is asked over HTTP, by the
//! protocol WebDriver and Appium's commands.
//!
//! Owns the session, its HTTP, and what the server can and cannot. A shell is there only where the server allows one.
//! Without the feature `client` there is only what somebody says of such a device: settings are read all the same.

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

#[cfg(not(feature = "client"))]
mod absent;
#[cfg(feature = "client")]
mod client;
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
mod farewell;
#[cfg(feature = "client")]
mod input;
#[cfg(feature = "client")]
mod log;
#[cfg(feature = "client")]
mod look;
#[cfg(feature = "client")]
mod session;
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

// `cfg(test)` stands alone: clippy knows tests by that only.
#[cfg(feature = "client")]
#[cfg(test)]
mod fake;
#[cfg(feature = "client")]
#[cfg(test)]
mod tests;

#[cfg(not(feature = "client"))]
pub use absent::connect;
pub use cloud::Cloud;
#[cfg(feature = "client")]
pub use connect::connect;
pub use spec::{Credentials, SESSION_TIMEOUT, SessionScope, WebDriverSpec};

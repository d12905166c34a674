//! The driver webdriver: a device that a server has. Appium, Selenium Grid or a device cloud is asked over HTTP, by the
//! protocol WebDriver and Appium's commands.
//!
//! Owns the session, its HTTP, and what the server can and cannot. A shell is there only where the server allows one.

pub mod cloud;

mod spec;

#[cfg(not(feature = "webdriver"))]
mod absent;
#[cfg(feature = "webdriver")]
mod client;
#[cfg(feature = "webdriver")]
mod cloud_session;
#[cfg(feature = "webdriver")]
mod commands;
#[cfg(feature = "webdriver")]
mod connect;
#[cfg(feature = "webdriver")]
mod device;
#[cfg(feature = "webdriver")]
mod error;
#[cfg(feature = "webdriver")]
mod farewell;
#[cfg(feature = "webdriver")]
mod input;
#[cfg(feature = "webdriver")]
mod log;
#[cfg(feature = "webdriver")]
mod look;
#[cfg(feature = "webdriver")]
mod session;
#[cfg(feature = "webdriver")]
mod settings;
#[cfg(feature = "webdriver")]
mod shell;
#[cfg(feature = "webdriver")]
mod system;
#[cfg(feature = "webdriver")]
mod wire;

#[cfg(feature = "webdriver")]
#[cfg(test)]
mod fake;
#[cfg(feature = "webdriver")]
#[cfg(test)]
mod tests;

#[cfg(not(feature = "webdriver"))]
pub use absent::connect;
#[cfg(feature = "webdriver")]
pub use connect::connect;
pub use spec::{Credentials, SESSION_TIMEOUT, SessionScope, WebDriverSpec};

//! Apps whose own code runs on the virtual device: requests to the process of an app, and its answers.
//!
//! The phone stays a plain value without I/O. Its requests to a host wait in its outbox as [`HostRequest`]s.
//! The device takes the outbox, calls the host while the phone is not locked, and gives the answers to the
//! phone (`exchange`). Processes are started through [`AppHosts`], which the crate `runner-app-host`
//! implements.

mod exchange;
mod gesture;
mod protocol;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;

use crate::ApkManifest;

pub(crate) use exchange::{HostOutcome, Hosts};
pub(crate) use gesture::FingerPath;
pub use protocol::{
    Bars, HostAnswer, HostConfig, HostEvent, HostExtra, HostFrame, HostIme, HostIntent,
    HostRefusal, HostReply, HostRequest, HostState, HostWindow, HostWindowKind, Insets, NodeAction,
    Pointer, PointerAction, PointerEvent, RefusalKind, TextMode,
};
pub use tree::{HostNode, HostRange};

/// An app that runs in a host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostedApp {
    /// Path of the APK, as the person named it.
    pub apk: Utf8PathBuf,
    pub manifest: Arc<ApkManifest>,
}

/// Reason why a host gives no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HostFailure {
    /// The app's main thread has not answered in time.
    #[error("the app has not answered for {} s", limit.as_secs())]
    NotResponding {
        /// Time that it had.
        limit: Duration,
        /// The calls of its main thread, innermost first.
        stack: Vec<String>,
    },
    /// The host cannot be started, or has ended. The app is not at fault.
    #[error("{0}")]
    Broken(String),
}

/// A process in which one app runs.
pub trait AppHost: Send {
    /// Sends a request and waits for the answer, at most for the limit of the request.
    ///
    /// # Errors
    /// [`HostFailure`]. After `NotResponding` and `Broken` the process is of no use and is dropped.
    fn call(&mut self, request: &HostRequest) -> Result<HostReply, HostFailure>;
}

/// Starts hosts for the apps that a person has named.
pub trait AppHosts: Send + Sync {
    /// Starts a process for an app, which has not begun yet. Dropping it ends it. Blocks until it is ready, which may
    /// take a minute, and longer if its code must be translated first.
    ///
    /// # Errors
    /// [`HostFailure::Broken`] with the missing part.
    fn start(&self, app: &HostedApp) -> Result<Box<dyn AppHost>, HostFailure>;

    /// Removes the data that an app has stored. Without any it does nothing. A running process is not ended.
    ///
    /// # Errors
    /// Returns an error if its folder cannot be removed.
    fn clear(&self, package: &str) -> Result<(), HostFailure>;
}

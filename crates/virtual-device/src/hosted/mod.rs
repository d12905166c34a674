//! Real apps on the virtual device: what the device asks of the process in which one runs, and what such a process answers.
//!
//! The phone stays a plain value without I/O. What it wants of a host waits in its outbox as a [`HostRequest`]. The device
//! takes the outbox, asks the host while nobody holds the phone, and gives the answer to the phone (`exchange`).
//! Who starts such processes is behind [`AppHosts`]; the crate `runner-app-host` does.

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
    Bars, HostAnswer, HostConfig, HostEvent, HostExtra, HostFrame, HostIme, HostIntent, HostNode,
    HostRange, HostRefusal, HostReply, HostRequest, HostState, HostWindow, HostWindowKind, Insets,
    NodeAction, Pointer, PointerAction, PointerEvent, RefusalKind, TextMode,
};

/// An app that runs in a host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostedApp {
    /// The APK as the person named it.
    pub apk: Utf8PathBuf,
    /// Its manifest.
    pub manifest: Arc<ApkManifest>,
}

/// Why a host gives no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HostFailure {
    /// The app's main thread has not answered in time. What it was doing, a line a call.
    #[error("the app has not answered for {} s", limit.as_secs())]
    NotResponding {
        /// How long it had.
        limit: Duration,
        /// The calls of its main thread, innermost first.
        stack: Vec<String>,
    },
    /// The host cannot be started, or has ended. It is no fault of the app.
    #[error("{0}")]
    Broken(String),
}

/// A process in which one app runs.
pub trait AppHost: Send {
    /// Asks, and waits for the answer, which comes within the limit of the request.
    ///
    /// # Errors
    /// [`HostFailure`]; after `NotResponding` and `Broken` the process is of no use and is dropped.
    fn call(&mut self, request: &HostRequest) -> Result<HostReply, HostFailure>;
}

/// Starts hosts for the apps that a person has named.
pub trait AppHosts: Send + Sync {
    /// A process for an app, which has not begun yet. Dropping it ends it.
    ///
    /// # Errors
    /// [`HostFailure::Broken`] with what is missing.
    fn start(&self, app: &HostedApp) -> Result<Box<dyn AppHost>, HostFailure>;

    /// Removes what an app has stored.
    ///
    /// # Errors
    /// Where its folder cannot be removed.
    fn clear(&self, package: &str) -> Result<(), HostFailure>;
}

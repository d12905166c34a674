//! A device behind a WebDriver server: its session, and the requests that count as its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::task::AbortOnDropHandle;

use crate::client::Request;
use crate::cloud_session::CloudSession;
use crate::commands::Commands;
use crate::error::WebDriverError;
use crate::log_buffer::LogBuffer;
use crate::session::{Session, SharedSession};
use crate::shell::ShellAccess;
use runner_device::source::FrontCache;
use runner_device::{Clock, Counters, DeviceError, DeviceInfo, FrontElements};

pub(crate) struct WebDriverDevice {
    pub(crate) session: SharedSession,
    pub(crate) info: DeviceInfo,
    pub(crate) shell: ShellAccess,
    pub(crate) front: FrontCache,
    pub(crate) front_elements: FrontElements,
    pub(crate) log: Mutex<LogBuffer>,
    pub(crate) cloud_session: CloudSession,
    pub(crate) label: String,
    pub(crate) commands: Commands,
    pub(crate) counters: Counters,
    pub(crate) clock: Clock,
    _ping: AbortOnDropHandle<()>,
}

impl WebDriverDevice {
    /// Creates the device of a session. Starts a task that keeps the session alive until the device is dropped, so it
    /// must be called in a Tokio runtime.
    pub(crate) fn new(
        session: SharedSession,
        label: &str,
        info: DeviceInfo,
        commands: Commands,
        shell: ShellAccess,
        lent: CloudSession,
    ) -> Self {
        let ping = tokio::spawn(Session::keep(Arc::downgrade(&session)));
        Self {
            session,
            clock: info.clock(),
            info,
            shell,
            front: FrontCache::default(),
            front_elements: FrontElements::default(),
            log: Mutex::default(),
            cloud_session: lent,
            label: label.to_owned(),
            commands,
            counters: Counters::default(),
            _ping: AbortOnDropHandle::new(ping),
        }
    }

    /// Sends a request, counts it as a round trip and as use of the session, and returns the answer's
    /// `value`.
    pub(crate) async fn send<T: DeserializeOwned + Send + 'static>(
        &self,
        request: Request,
    ) -> Result<T, WebDriverError> {
        self.counters.round_trip();
        self.session.touch();
        let answer = self.session.client.send(request).await;
        self.session.touch();
        answer
    }

    /// Same as [`Self::send`], with errors as the device's: for requests where the app cannot be at fault.
    pub(crate) async fn query<T: DeserializeOwned + Send + 'static>(
        &self,
        request: Request,
    ) -> Result<T, DeviceError> {
        self.send(request).await.map_err(|error| self.error(error))
    }

    /// Runs one of Appium's `mobile:` commands, with `name` without that prefix. `doing` describes the action
    /// for errors, such as `launch com.example`.
    ///
    /// # Errors
    ///
    /// Returns [`DeviceError::Unsupported`] if the server does not have the command, [`DeviceError::Command`]
    /// if it reports another error, and those of a lost or silent server.
    pub(crate) async fn mobile<T: DeserializeOwned + Send + 'static>(
        &self,
        doing: &str,
        name: &str,
        arguments: Value,
        limit: Duration,
    ) -> Result<T, DeviceError> {
        self.check_command(doing, name)?;
        let request = self.session.mobile(name, &arguments, limit);
        self.send(request)
            .await
            .map_err(|error| self.refused(doing, name, error))
    }

    /// Returns true if the server has, or may have, the command.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.commands.may_have(name)
    }

    /// Checks that the server may have the command.
    ///
    /// # Errors
    ///
    /// Returns [`DeviceError::Unsupported`] if the server lists its commands and this is none of them.
    pub(crate) fn check_command(&self, doing: &str, name: &str) -> Result<(), DeviceError> {
        if self.has(name) {
            return Ok(());
        }
        Err(lacking(doing, name))
    }

    /// Classifies the error of a command: a missing command is [`DeviceError::Unsupported`], any other refusal of
    /// the server [`DeviceError::Command`] with its message. An error that ends the session, silence and an answer
    /// of another form are those of [`Self::error`].
    pub(crate) fn refused(&self, doing: &str, name: &str, error: WebDriverError) -> DeviceError {
        match error {
            error if error.is_end() => self.error(error),
            WebDriverError::ServerError { error, message } => {
                let words = format!("{error} {message}");
                if words.contains("unknown method") || words.contains("Unknown mobile command") {
                    return lacking(doing, name);
                }
                DeviceError::Command {
                    command: doing.to_owned(),
                    exit_code: None,
                    output: message,
                }
            }
            error => self.error(error),
        }
    }

    pub(crate) fn error(&self, error: WebDriverError) -> DeviceError {
        error.into_device_error(&self.label)
    }
}

/// Returns [`DeviceError::Unsupported`] for a command that the server does not have.
fn lacking(doing: &str, name: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: doing.to_owned(),
        missing: format!(
            "its server has no `mobile: {name}`; a newer `appium-uiautomator2-driver` may have it"
        ),
    }
}

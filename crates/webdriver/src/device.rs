//! Implements [`Device`] over a WebDriver session.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::client::Request;
use crate::cloud_session::CloudSession;
use crate::commands::Commands;
use crate::error::WebDriverError;
use crate::log::LogBuffer;
use crate::session::{Session, SharedSession};
use crate::shell::{self, ShellAccess};
use crate::{input, look};
use runner_device::FrontElements;
use runner_device::remote::{FlowResult, RemoteSession};
use runner_device::source::FrontCache;
use runner_device::{
    Clock, Counters, Device, DeviceError, DeviceInfo, Input, LineStream, LookOptions, Picture,
    PictureOptions, Script, ServerSystem, ShellOutput, adb, in_time,
};
use runner_screen::Screen;

/// Pause before a look or a screenshot is tried again. Chosen: several tries fit into a second.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);
/// Time limit for any answer at all, asked after a look ran out of time. Chosen: `/status` needs no device,
/// so a healthy server answers at once.
const SIGN_OF_LIFE_LIMIT: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 2000 });
/// Limit for a screenshot, in bytes of Base64. Chosen: several times a PNG of a 4K display.
const MAX_PICTURE_BYTES: u64 = 64 << 20;
/// Fixed part of a transfer's time limit, and the slowest rate that counts as alive. Chosen: slow uplinks
/// pass, a stalled one is noticed.
const TRANSFER_LIMIT: Duration = Duration::from_secs(30);
const MIN_BYTES_PER_SECOND: u64 = 64 * 1024;
/// Upper limit for a transfer's time, whatever its size. Chosen: longer would look like a hang.
const MAX_TRANSFER_TIME: Duration = Duration::from_mins(15);
/// Allowance for the JSON around a file's Base64, in bytes.
const ENVELOPE_BYTES: u64 = 4096;

/// A device behind a WebDriver server.
pub(crate) struct WebDriverDevice {
    pub(crate) session: SharedSession,
    pub(crate) info: DeviceInfo,
    pub(crate) shell: ShellAccess,
    pub(crate) front: FrontCache,
    pub(crate) front_elements: FrontElements,
    pub(crate) log: Mutex<LogBuffer>,
    cloud_session: CloudSession,
    label: String,
    pub(crate) commands: Commands,
    counters: Counters,
    pub(crate) clock: Clock,
    _ping: AbortOnDropHandle<()>,
}

impl WebDriverDevice {
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
    fn check_command(&self, doing: &str, name: &str) -> Result<(), DeviceError> {
        if self.has(name) {
            return Ok(());
        }
        Err(lacking(doing, name))
    }

    /// Classifies the error of a command: a lost server, a missing command ([`DeviceError::Unsupported`]), or
    /// else a fault of the app ([`DeviceError::Command`]) with the server's message.
    fn refused(&self, doing: &str, name: &str, error: WebDriverError) -> DeviceError {
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

    /// Checks that the server answers at all, whatever it says. It asks `/status` and not the session, whose
    /// commands queue behind each other.
    ///
    /// # Errors
    ///
    /// Returns [`DeviceError::Lost`] if it is silent or cannot be reached.
    async fn server_answers(&self) -> Result<(), DeviceError> {
        let status = Request::get("/status", SIGN_OF_LIFE_LIMIT).called("GET status");
        match self.session.client.send::<Value>(status).await {
            Err(error @ (WebDriverError::Silent { .. } | WebDriverError::Unreachable { .. })) => {
                Err(DeviceError::Lost {
                    serial: self.label.clone(),
                    cause: error.to_string(),
                })
            }
            _ => Ok(()),
        }
    }

    async fn picture_once(&self, limit: Duration) -> Result<Picture, DeviceError> {
        let request = Request::get(self.session.path("/screenshot"), limit)
            .at_most(MAX_PICTURE_BYTES)
            .called("GET screenshot");
        self.counters.mark_read_only();
        let encoded: String = match self.send(request).await {
            Err(WebDriverError::ServerError { message, .. }) => {
                return Err(DeviceError::NoPicture(message));
            }
            answer => answer.map_err(|error| self.error(error))?,
        };
        let png =
            decode_base64(&encoded).map_err(|error| DeviceError::NoPicture(error.to_string()))?;
        adb::read_png(&png)
    }
}

/// Error: the server sent invalid Base64.
#[derive(Debug, thiserror::Error)]
#[error("the server's Base64 does not read: {0}")]
pub(crate) struct Base64Error(#[from] base64::DecodeError);

/// Decodes Base64 as servers write it, with padding; white space is ignored, as some insert line breaks.
pub(crate) fn decode_base64(encoded: &str) -> Result<Vec<u8>, Base64Error> {
    let plain: String = encoded
        .chars()
        .filter(|character| !character.is_ascii_whitespace())
        .collect();
    Ok(STANDARD.decode(plain)?)
}

fn lacking(doing: &str, name: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: doing.to_owned(),
        missing: format!(
            "its server has no `mobile: {name}`; a newer `appium-uiautomator2-driver` may have it"
        ),
    }
}

fn transfer_limit(bytes: u64) -> Duration {
    (TRANSFER_LIMIT + Duration::from_secs(bytes / MIN_BYTES_PER_SECOND)).min(MAX_TRANSFER_TIME)
}

#[async_trait::async_trait]
impl Device for WebDriverDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }

    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError> {
        self.shell
            .needed_for(|| format!("run `{}`", script.label()))?;
        self.counters.round_trip();
        self.session.touch();
        let output = shell::run(&self.session, script, limit).await;
        self.session.touch();
        output.map_err(|error| self.refused(script.label(), "shell", error))
    }

    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        Err(DeviceError::Unsupported {
            what: format!("stream what `{}` prints", script.label()),
            missing: "a WebDriver server answers only once a command has ended".to_owned(),
        })
    }

    async fn look(&self, options: LookOptions) -> Result<Screen, DeviceError> {
        let looking = look::look(self, options);
        match in_time(
            options.limit,
            SIGN_OF_LIFE_LIMIT,
            looking,
            self.server_answers(),
        )
        .await
        {
            Ok(looked) => looked,
            Err(sign) => sign.and_then(|()| {
                Err(DeviceError::Timeout {
                    what: "GET source".to_owned(),
                    limit: options.limit,
                })
            }),
        }
    }

    async fn picture(&self, options: PictureOptions) -> Result<Picture, DeviceError> {
        let deadline = Instant::now() + options.limit;
        let mut attempt = 1;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let picture = self.picture_once(left).await;
            let may_go_well = matches!(&picture, Err(DeviceError::NoPicture(_)));
            let time_left = Instant::now() + PAUSE < deadline;
            if !may_go_well || attempt >= options.attempts || !time_left {
                return picture;
            }
            tokio::time::sleep(PAUSE).await;
            attempt += 1;
        }
    }

    async fn input(&self, inputs: &[Input], limit: Duration) -> Result<(), DeviceError> {
        input::send(self, inputs, limit).await
    }

    async fn push(&self, data: &[u8], remote: &str, _mode: u32) -> Result<(), DeviceError> {
        let arguments = json!({ "remotePath": remote, "payload": STANDARD.encode(data) });
        let limit = transfer_limit(data.len() as u64);
        let doing = format!("push {remote}");
        let _: Value = self.mobile(&doing, "pushFile", arguments, limit).await?;
        Ok(())
    }

    async fn pull(&self, remote: &str, max: u64) -> Result<Vec<u8>, DeviceError> {
        let doing = format!("pull {remote}");
        self.check_command(&doing, "pullFile")?;
        let arguments = json!({ "remotePath": remote });
        let limit = transfer_limit(max);
        let request = self
            .session
            .mobile("pullFile", &arguments, limit)
            .at_most(max.saturating_mul(4) / 3 + ENVELOPE_BYTES);
        let encoded: String = self
            .send(request)
            .await
            .map_err(|error| self.refused(&doing, "pullFile", error))?;
        decode_base64(&encoded).map_err(|error| DeviceError::Command {
            command: doing,
            exit_code: None,
            output: error.to_string(),
        })
    }

    fn holds_modifiers(&self) -> bool {
        self.has("pressKey")
    }

    fn sets_text(&self) -> bool {
        self.has("replaceElementValue")
    }

    async fn set_text(&self, text: &str, limit: Duration) -> Result<bool, DeviceError> {
        input::set_text(self, text, limit).await
    }

    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        let request = Request::get(self.session.path("/orientation"), limit);
        match self.send::<Value>(request.called("GET orientation")).await {
            // Any answer shows that the server is alive.
            Err(error @ WebDriverError::ServerError { .. }) if !error.is_end() => Ok(()),
            answer => answer.map(drop).map_err(|error| self.error(error)),
        }
    }

    fn when_silent(&self) -> &'static str {
        "see whether its server runs, and whether that still has the device"
    }

    fn system(&self) -> Option<&dyn ServerSystem> {
        Some(self)
    }

    fn session(&self) -> Option<RemoteSession> {
        Some(self.cloud_session.session.clone())
    }

    async fn begin_flow(&self, name: &str, attempt: u32) -> Result<(), DeviceError> {
        self.cloud_session.begin(self, name, attempt).await;
        Ok(())
    }

    async fn end_flow(&self, result: &FlowResult) {
        self.cloud_session.end(self, result).await;
    }

    fn take_notes(&self) -> Vec<String> {
        self.cloud_session.take_notes()
    }
}

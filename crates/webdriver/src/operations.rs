//! Implements [`Device`] over a WebDriver session.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::Request;
use crate::device::WebDriverDevice;
use crate::error::WebDriverError;
use crate::look::PAUSE;
use crate::wire::decode_base64;
use crate::{input, look, shell};
use runner_device::remote::{FlowResult, RemoteSession};
use runner_device::{
    Clock, Counters, Device, DeviceError, DeviceInfo, Input, LineStream, LookOptions, Picture,
    PictureOptions, Script, ServerSystem, ShellOutput, adb, in_time,
};
use runner_screen::Screen;

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

impl WebDriverDevice {
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

    /// Takes one screenshot. The error is `NoPicture` if the server reports an error after which the session goes
    /// on, and if its text is no PNG in Base64.
    async fn picture_once(&self, limit: Duration) -> Result<Picture, DeviceError> {
        let request = Request::get(self.session.path("/screenshot"), limit)
            .at_most(MAX_PICTURE_BYTES)
            .called("GET screenshot");
        self.counters.mark_read_only();
        let encoded: String = match self.send(request).await {
            Err(error) if error.is_end() => return Err(self.error(error)),
            Err(WebDriverError::ServerError { message, .. }) => {
                return Err(DeviceError::NoPicture(message));
            }
            answer => answer.map_err(|error| self.error(error))?,
        };
        let png =
            decode_base64(&encoded).map_err(|error| DeviceError::NoPicture(error.to_string()))?;
        adb::read_png(&png)
    }

    /// Sends a report to the cloud, and waits 10 s at most; without a request it does nothing. A failure becomes a
    /// note, except that of a session that is gone: the next step reports it.
    async fn tell_cloud(&self, request: Option<Request>) {
        let Some(request) = request else { return };
        if let Err(error) = self.send::<Value>(request).await
            && !error.is_end()
        {
            self.cloud_session.note_failure(&error);
        }
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

    /// Runs the script on the device; an error if the server allows no shell. The session counts as used before and
    /// after. An exit code other than 0 is no error.
    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError> {
        self.shell
            .needed_for(|| format!("run `{}`", script.label()))?;
        self.counters.round_trip();
        self.session.touch();
        let output = shell::run(&self.session, script, limit).await;
        self.session.touch();
        output.map_err(|error| self.refused(script.label(), "shell", error))
    }

    /// Fails always, as a WebDriver server has no streams.
    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        Err(DeviceError::Unsupported {
            what: format!("stream what `{}` prints", script.label()),
            missing: "a WebDriver server answers only once a command has ended".to_owned(),
        })
    }

    /// Looks at the screen. Shortly before the limit the server is asked for a sign of life. If the look is not done
    /// at the limit, the error is a timeout, or [`DeviceError::Lost`] if no sign comes; a late sign is waited for.
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

    /// Takes a screenshot, again after a pause if there was none, up to `attempts` times and within the limit.
    /// Other errors end it at once.
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

    /// Writes a file on the device, over an earlier one. `_mode` is ignored: the server chooses the mode.
    async fn push(&self, data: &[u8], remote: &str, _mode: u32) -> Result<(), DeviceError> {
        let arguments = json!({ "remotePath": remote, "payload": STANDARD.encode(data) });
        let limit = transfer_limit(data.len() as u64);
        let doing = format!("push {remote}");
        let _: Value = self.mobile(&doing, "pushFile", arguments, limit).await?;
        Ok(())
    }

    /// Reads a file of the device. One of more than `max` bytes is an error. The time limit is that of a file of `max`
    /// bytes, 15 minutes at most.
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
        let refused = |output: String| DeviceError::Command {
            command: doing.clone(),
            exit_code: None,
            output,
        };
        let bytes = decode_base64(&encoded).map_err(|error| refused(error.to_string()))?;
        // The limit of the answer allows for more than the file.
        if bytes.len() as u64 > max {
            return Err(refused(format!(
                "it is larger than the {max} bytes allowed"
            )));
        }
        Ok(bytes)
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

    /// Succeeds if the server answers, even with an error, unless the session is over.
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
        let request = self.cloud_session.begin(&self.session, name, attempt);
        self.tell_cloud(request).await;
        Ok(())
    }

    async fn end_flow(&self, result: &FlowResult) {
        let request = self.cloud_session.end(&self.session, result);
        self.tell_cloud(request).await;
    }

    fn take_notes(&self) -> Vec<String> {
        self.cloud_session.take_notes()
    }
}

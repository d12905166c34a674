//! Implementation of [`Device`] over adb: its questions, inputs, looks and files.

use std::time::Duration;

use runner_adb::client::ClientError;
use tokio::time::Instant;

use super::super::touchscreen::{self, Touchscreen};
use super::super::{dump, gestures, log, screencap, shell, sync};
use super::{AdbDevice, check};
use crate::message::shorten;
use crate::{
    ByteStream, Clock, Counters, Device, DeviceError, DeviceInfo, Input, LineStream, LookOptions,
    Picture, PictureOptions, Script, ShellOutput,
};
use runner_screen::Screen;

/// Limit for a streaming command to start. Chosen: as for a greeting.
const OPEN_LIMIT: Duration = Duration::from_secs(10);

/// Limit of a transfer besides the time for its bytes. Chosen: opening the service on a loaded device.
const TRANSFER_LIMIT: Duration = Duration::from_secs(20);

/// Slowest transfer rate to allow for. Chosen: below that of a bad Wi-Fi.
const MIN_BYTES_PER_SECOND: u64 = 256 * 1024;

/// Limit of every transfer. Chosen: the largest APKs need minutes over Wi-Fi.
const MAX_TRANSFER_TIME: Duration = Duration::from_mins(15);

#[async_trait::async_trait]
impl Device for AdbDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn looks_at_rest(&self) -> bool {
        true
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }

    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError> {
        self.run(script, limit).await
    }

    /// Runs each question as a command of its own, all at the same time: the device's shell need not fork, nor the
    /// outputs be told apart. Counts as one round trip. `limit` bounds all of them together; after it the error is
    /// [`DeviceError::Timeout`], or [`DeviceError::Lost`] if the device answers nothing. A question that is too long or
    /// has a NUL character is [`DeviceError::Command`], and none is sent. The call counts as reading only, so the
    /// questions must change nothing.
    async fn ask(
        &self,
        questions: &[&str],
        label: &str,
        limit: Duration,
    ) -> Result<Vec<ShellOutput>, DeviceError> {
        for question in questions {
            check(&Script::raw(*question, label))?;
        }
        self.counters.mark_read_only();
        self.counters.round_trip();
        let asking = shell::ask(&self.transport, &self.features, &self.clock, questions);
        self.bounded_with_probe(label, limit, asking).await
    }

    /// Starts a command that only reads. Its start is bounded by [`OPEN_LIMIT`], its output by nothing. A script
    /// that is too long or has a NUL character is [`DeviceError::Command`], a slow start [`DeviceError::Timeout`].
    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        check(script)?;
        // Streaming commands only read: the log, a video, a server's output.
        self.counters.mark_read_only();
        self.counters.round_trip();
        let serial = self.transport.serial();
        tracing::debug!(target: "adb", serial, script = ?script.label(), "read line by line");
        let lines = shell::lines(&self.transport, &self.features, script, OPEN_LIMIT).await?;
        Ok(Box::new(lines))
    }

    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        self.probe(limit).await
    }

    async fn look(&self, options: LookOptions) -> Result<Screen, DeviceError> {
        dump::look(self, options).await
    }

    /// Takes a screenshot. Tries again, after a pause, only if the device gave no picture. The limit bounds all
    /// attempts together; the error is that of the last.
    async fn picture(&self, options: PictureOptions) -> Result<Picture, DeviceError> {
        let deadline = Instant::now() + options.limit;
        let mut attempt = 1;
        loop {
            let result = self.picture_once(deadline, options.limit).await;
            let time_left = Instant::now() + dump::PAUSE < deadline;
            // Only an answer of the device may differ the next time; a timeout has used up the limit.
            let may_go_well = matches!(&result, Err(DeviceError::NoPicture(_)));
            if !may_go_well || attempt >= options.attempts || !time_left {
                return result;
            }
            tokio::time::sleep(dump::PAUSE).await;
            attempt += 1;
        }
    }

    /// Sends inputs in as few scripts as possible, none for no inputs. Each script may take `limit` and the time
    /// that its inputs need. The first failure ends it; earlier scripts have taken effect. An input that the device
    /// cannot do fails before any is sent.
    async fn input(&self, inputs: &[Input], limit: Duration) -> Result<(), DeviceError> {
        if inputs.is_empty() {
            return Ok(());
        }
        let touchscreen = self.touchscreen_for(inputs).await?;
        for batch in gestures::scripts(inputs, self.sdk(), touchscreen)? {
            let output = self.run(&batch.script, limit + batch.needs).await?;
            gestures::check(&batch.script, &output)?;
        }
        Ok(())
    }

    /// Writes a file in one round trip. Its limit grows with the length of `data`; see [`transfer_limit`]. After it
    /// the error is [`DeviceError::Timeout`], and a part may have arrived.
    async fn push(&self, data: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError> {
        self.counters.round_trip();
        let limit = transfer_limit(data.len() as u64);
        let work = sync::push(&self.transport, &self.features, data, remote, mode);
        let begun = std::time::Instant::now();
        let pushed = bounded("push", limit, work).await;
        log::log_transfer(self.transport.serial(), "push", remote, begun, &pushed);
        pushed
    }

    /// Reads a file in one round trip. Its limit is that of a file of `max` bytes; see [`transfer_limit`]. A larger
    /// file is [`DeviceError::Command`].
    async fn pull(&self, remote: &str, max: u64) -> Result<Vec<u8>, DeviceError> {
        self.counters.round_trip();
        let work = sync::pull(&self.transport, &self.features, remote, max);
        let begun = std::time::Instant::now();
        // The size is unknown, so the limit is that of the largest allowed file.
        let pulled = bounded("pull", transfer_limit(max), work).await;
        log::log_transfer(self.transport.serial(), "pull", remote, begun, &pulled);
        pulled
    }

    fn uia2_installed(&self) -> bool {
        self.uia2_installed
    }

    /// Opens a stream to a service of the device, without a limit. Nobody listening there is
    /// [`DeviceError::NotListening`].
    async fn open(&self, service: &str) -> Result<Box<dyn ByteStream>, DeviceError> {
        match self.transport.open(service).await {
            Ok(stream) => Ok(Box::new(stream)),
            // A server answers `FAIL closed`, adbd closes the stream: in both cases the device is alive.
            Err(ClientError::NoService(_)) => Err(DeviceError::NotListening {
                service: service.to_owned(),
            }),
            Err(error) => Err(error.into()),
        }
    }
}

/// Bounds `work`; after `limit` it returns [`DeviceError::Timeout`] with `what`. Dropping the work at the
/// limit closes its stream, which stops the command on the device.
async fn bounded<T>(
    what: &str,
    limit: Duration,
    work: impl Future<Output = Result<T, DeviceError>>,
) -> Result<T, DeviceError> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
        Err(DeviceError::Timeout {
            what: format!("`{what}`"),
            limit,
        })
    })
}

/// Returns the limit for a transfer: [`TRANSFER_LIMIT`] and the time at [`MIN_BYTES_PER_SECOND`], but no more
/// than [`MAX_TRANSFER_TIME`].
fn transfer_limit(bytes: u64) -> Duration {
    (TRANSFER_LIMIT + Duration::from_secs(bytes / MIN_BYTES_PER_SECOND)).min(MAX_TRANSFER_TIME)
}

impl AdbDevice {
    /// Returns the touchscreen if one of `inputs` needs it, else `None`. Looks for it once a session; a
    /// failed search is repeated by the next call.
    ///
    /// # Errors
    /// Returns [`DeviceError::Unsupported`] if there is none, or it tells fewer fingers apart than an input
    /// moves.
    async fn touchscreen_for(&self, inputs: &[Input]) -> Result<Option<&Touchscreen>, DeviceError> {
        let sdk = self.sdk();
        // Not earlier: the two questions cost time, and most flows move one finger.
        if !inputs
            .iter()
            .any(|input| gestures::needs_touchscreen(input, sdk))
        {
            return Ok(None);
        }
        let found = self.touchscreen.get_or_try_init(|| touchscreen::find(self));
        let touchscreen = found.await?;
        let most = |input: &Input| match input {
            Input::Fingers { paths, .. } => paths.len(),
            _ => 0,
        };
        let wanted = inputs.iter().map(most).max().unwrap_or(0);
        if wanted > touchscreen.fingers() {
            return Err(touchscreen::missing(&format!(
                "its touchscreen tells {} fingers apart, not {wanted}",
                touchscreen.fingers()
            )));
        }
        Ok(Some(touchscreen))
    }

    /// Takes one screenshot as PNG. If the device gives no picture, takes it in the raw format, which the device
    /// makes by other code.
    ///
    /// # Errors
    /// Returns the error of the PNG if both fail, unless the device is unreachable then. A timeout of the PNG is
    /// returned at once, and names `limit`, that of all attempts.
    async fn picture_once(
        &self,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Picture, DeviceError> {
        let left = || deadline.saturating_duration_since(Instant::now());
        let parsed = self.screencap(" -p", left()).await;
        let first = match parsed.and_then(|bytes| screencap::read_png(&bytes)) {
            Err(DeviceError::NoPicture(why)) => DeviceError::NoPicture(why),
            Err(DeviceError::Timeout { what, .. }) => {
                return Err(DeviceError::Timeout { what, limit });
            }
            picture => return picture,
        };
        match self.screencap("", left()).await {
            Ok(raw) => screencap::read_raw(&raw).or(Err(first)),
            // A lost device is reported as such, not as one without a picture.
            Err(error) if error.is_unreachable() => Err(error),
            // The first error says more, as the raw format is only the fall-back.
            Err(_) => Err(first),
        }
    }

    /// Runs `screencap` and returns its output as it is, complete or not. Empty output beside an error message is
    /// [`DeviceError::NoPicture`]; the exit code is not checked.
    async fn screencap(&self, arguments: &str, limit: Duration) -> Result<Vec<u8>, DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        let script = Script::raw(format!("screencap{arguments}"), "screencap");
        let request = log::Request::new(self.transport.serial(), &script);
        let run = shell::run_binary(&self.transport, &self.features, &self.clock, &script);
        let answer = self.bounded_with_probe(script.label(), limit, run).await;
        request.log_result(&answer);
        let output = answer?;
        if output.stdout.is_empty() && !output.stderr.is_empty() {
            return Err(DeviceError::NoPicture(shorten(&output.message())));
        }
        Ok(output.stdout)
    }
}

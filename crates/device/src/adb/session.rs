//! Session with one device: [`Device`] over adb.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use runner_adb::client::{ClientError, Features, Transport};
use tokio::time::Instant;

use super::super::command::shorten;
use super::super::front_elements::FrontElements;
use super::super::{
    ByteStream, Clock, Counters, Device, DeviceError, DeviceInfo, Feature, Input, LineStream,
    LookOptions, Picture, PictureOptions, Script, ShellOutput, in_time,
};
use super::touchscreen::{self, Touchscreen};
use super::{dump, gestures, info, log, screencap, shell, sync};
use runner_screen::{Display, Screen};
use runner_text::units::RoundedDuration;

/// Limit of the session's first questions. Chosen: a loaded emulator takes several seconds for them.
const INFO_LIMIT: Duration = Duration::from_secs(20);
/// Limit for a streaming command to start. Chosen: as for a greeting.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// Limit for a device to answer anything at all, after a command ran out of time. Chosen: a device that is
/// alive runs `true` in a fraction of it.
const PROBE_LIMIT: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 3000 });
/// Longest script in bytes that every connection carries: the server's request ends at 65535, and a word of
/// the device's shell at 128 KiB.
const MAX_SCRIPT_BYTES: usize = 60_000;
/// Limit of a transfer besides the time for its bytes. Chosen: opening the service on a loaded device.
const TRANSFER_LIMIT: Duration = Duration::from_secs(20);
/// Slowest transfer rate to allow for. Chosen: below that of a bad Wi-Fi.
const MIN_BYTES_PER_SECOND: u64 = 256 * 1024;
/// Limit of every transfer. Chosen: the largest APKs need minutes over Wi-Fi.
const MAX_TRANSFER_TIME: Duration = Duration::from_mins(15);

/// Looks in a row that fell back to one window, after which a device that never listed windows is not asked
/// for them again. Chosen: one may be an accident.
const MAX_MISSING_WINDOWS: u32 = 2;

/// Result of a look for the list of windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowList {
    /// The dump lists windows.
    Shown,
    /// The device's `uiautomator` does not know `--windows`.
    Unknown,
    /// The dump of all windows failed, that of one window succeeded.
    Missing,
}

/// Device behind adb.
pub(super) struct AdbDevice {
    transport: Transport,
    features: Features,
    info: DeviceInfo,
    uia2_installed: bool,
    counters: Counters,
    clock: Clock,
    /// Set once a dump of this session listed windows.
    lists_windows: AtomicBool,
    /// Looks in a row that fell back to one window, while no dump of this session listed any.
    missing_windows: AtomicU32,
    front_elements: FrontElements,
    touchscreen: tokio::sync::OnceCell<Touchscreen>,
}

impl AdbDevice {
    /// Opens a session: asks for the features and the description of the device. Questions without an answer
    /// are asked again, and stay open after that.
    ///
    /// # Errors
    /// Fails if the device does not answer the first questions within [`INFO_LIMIT`], or is lost.
    pub(super) async fn connect(transport: Transport) -> Result<Self, DeviceError> {
        let features = transport.features().await?;
        // The host's clock until the device is known.
        let host = Clock::host();
        let counters = Counters::default();
        let ask = || {
            counters.round_trip();
            shell::ask(&transport, &features, &host, &info::QUESTIONS)
        };
        // A device that does not answer the first questions cannot be used.
        let answers = tokio::time::timeout(INFO_LIMIT, ask())
            .await
            .unwrap_or_else(|_| Err(no_answer(&transport, INFO_LIMIT)))?;
        let info = info::read(transport.serial(), &answers);
        let mut info = info::ask_again(info, ask, DeviceError::is_unreachable).await?;
        // Without `shell_v2`'s frames no answer can carry the device's time.
        if !features.has("shell_v2") {
            info.features.remove(Feature::VirtualClock);
        }
        let clock = info.clock();
        tracing::info!(
            target: "adb",
            serial = transport.serial(),
            features = ?features,
            model = %info.model,
            release = %info.release,
            sdk = %info.sdk,
            "connected"
        );
        Ok(Self {
            transport,
            features,
            info,
            uia2_installed: info::uia2_installed(&answers),
            counters,
            clock,
            lists_windows: AtomicBool::new(false),
            missing_windows: AtomicU32::new(0),
            front_elements: FrontElements::default(),
            touchscreen: tokio::sync::OnceCell::new(),
        })
    }

    /// Runs a script, counts it as a round trip, logs it and bounds its time. An exit code other than 0 is no
    /// error.
    ///
    /// # Errors
    /// Returns [`DeviceError::Timeout`] after `limit`, or [`DeviceError::Lost`] if the device then no longer
    /// answers. Refuses a script that is too long or has a NUL character.
    pub(super) async fn run(
        &self,
        script: &Script,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        check(script)?;
        self.counters.round_trip();
        let request = log::Request::new(self.transport.serial(), script);
        let run = shell::run(&self.transport, &self.features, &self.clock, script);
        let answer = self.bounded_with_probe(script.label(), limit, run).await;
        request.log_result(&answer);
        answer
    }

    /// Bounds `work`, and distinguishes a lost device from a slow command. It asks the device before the
    /// limit is up, so that finding out takes no longer than the limit.
    ///
    /// # Errors
    /// Returns [`DeviceError::Timeout`] if the limit passes and the device answers the question; else the
    /// question's error.
    async fn bounded_with_probe<T>(
        &self,
        what: &str,
        limit: Duration,
        work: impl Future<Output = Result<T, DeviceError>>,
    ) -> Result<T, DeviceError> {
        let sign = self.probe(PROBE_LIMIT);
        match in_time(limit, PROBE_LIMIT, work, sign).await {
            Ok(answer) => answer,
            Err(sign) => sign.and_then(|()| {
                Err(DeviceError::Timeout {
                    what: format!("`{what}`"),
                    limit,
                })
            }),
        }
    }

    /// Fails if the device does not run `true` within `limit`. The exit code does not matter.
    async fn probe(&self, limit: Duration) -> Result<(), DeviceError> {
        let nothing = Script::command(["true"]);
        let run = shell::run(&self.transport, &self.features, &self.clock, &nothing);
        tokio::time::timeout(limit, run)
            .await
            .unwrap_or_else(|_| Err(no_answer(&self.transport, limit)))
            .map(drop)
    }

    pub(super) fn count_dump(&self) {
        self.counters.dump();
    }

    /// Returns the display of `wm size`, unrotated; empty if it is not known.
    pub(super) fn physical_display(&self) -> Display {
        self.info.display.value().copied().unwrap_or_default()
    }

    /// API level; 0 if it is not known, so that only those commands are used that every release has.
    fn sdk(&self) -> u32 {
        self.info.sdk.value().copied().unwrap_or_default()
    }

    /// Returns false once `uiautomator dump --windows` has failed too often.
    pub(super) fn may_ask_all_windows(&self) -> bool {
        self.missing_windows.load(Ordering::Relaxed) < MAX_MISSING_WINDOWS
    }

    /// Counts looks without a list of windows in a row, see [`Self::may_ask_all_windows`]. A device that once
    /// showed the list is never counted again. [`WindowList::Unknown`], a tool that lacks the option, counts
    /// as the highest number at once.
    pub(super) fn note_windows(&self, list: WindowList) {
        let missing = self.missing_windows.load(Ordering::Relaxed);
        let missing = match list {
            WindowList::Shown => {
                self.lists_windows.store(true, Ordering::Relaxed);
                0
            }
            WindowList::Unknown => MAX_MISSING_WINDOWS,
            WindowList::Missing if self.lists_windows.load(Ordering::Relaxed) => return,
            WindowList::Missing => missing.saturating_add(1),
        };
        self.missing_windows.store(missing, Ordering::Relaxed);
    }

    /// Record of the apps that had elements while in front.
    pub(super) fn front_elements(&self) -> &FrontElements {
        &self.front_elements
    }

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

    /// Takes one screenshot as PNG. If the device gives no picture, takes it in the raw format, which the
    /// device makes by other code.
    ///
    /// # Errors
    /// Returns the error of the PNG if both fail, unless the device is unreachable then. A timeout is
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

/// Refuses scripts that cannot arrive whole: with a NUL character, or of more than [`MAX_SCRIPT_BYTES`].
fn check(script: &Script) -> Result<(), DeviceError> {
    let refused = |output: String| DeviceError::Command {
        command: script.label().to_owned(),
        exit_code: None,
        output,
    };
    // adbd takes the command as a C string, so the device would run only the part before NUL.
    if script.text().contains('\0') {
        return Err(refused(
            "it holds a NUL character, which no command can carry; leave it out".to_owned(),
        ));
    }
    if script.text().len() > MAX_SCRIPT_BYTES {
        return Err(refused(format!(
            "it is {} bytes long, more than the {MAX_SCRIPT_BYTES} that a device takes at once; send it in smaller parts",
            script.text().len()
        )));
    }
    Ok(())
}

/// Builds the error of a device that answered nothing within `limit`.
fn no_answer(transport: &Transport, limit: Duration) -> DeviceError {
    DeviceError::Lost {
        serial: transport.serial().to_owned(),
        cause: format!(
            "it answered nothing within {}; unlock it, plug it in again or run `adb reconnect`",
            RoundedDuration(limit)
        ),
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

fn transfer_limit(bytes: u64) -> Duration {
    (TRANSFER_LIMIT + Duration::from_secs(bytes / MIN_BYTES_PER_SECOND)).min(MAX_TRANSFER_TIME)
}

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

    /// Runs each question as a command of its own, all at the same time: the device's shell need not fork,
    /// nor the outputs be told apart. Counts as one round trip. `limit` bounds all of them together.
    async fn ask(
        &self,
        questions: &[&str],
        label: &str,
        limit: Duration,
    ) -> Result<Vec<ShellOutput>, DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        let asking = shell::ask(&self.transport, &self.features, &self.clock, questions);
        self.bounded_with_probe(label, limit, asking).await
    }

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

    async fn push(&self, data: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError> {
        self.counters.round_trip();
        let limit = transfer_limit(data.len() as u64);
        let work = sync::push(&self.transport, &self.features, data, remote, mode);
        let begun = std::time::Instant::now();
        let pushed = bounded("push", limit, work).await;
        log::log_transfer(self.transport.serial(), "push", remote, begun, &pushed);
        pushed
    }

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

#[cfg(test)]
mod tests;

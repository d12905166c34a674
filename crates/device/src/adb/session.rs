//! The session with one device: [`Device`] over adb.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use runner_adb::client::{ClientError, Features, Transport};
use tokio::time::Instant;

use super::super::front_elements::FrontElements;
use super::super::{
    ByteStream, Clock, Counters, Device, DeviceError, DeviceInfo, Feature, Input, LineStream,
    LookOptions, Picture, PictureOptions, Script, ShellOutput, in_time,
};
use super::touchscreen::{self, Touchscreen};
use super::{dump, gestures, info, log, screencap, shell, sync};
use runner_screen::{Display, Screen};
use runner_text::units::RoundedDuration;

/// How long the first questions may take.
const INFO_LIMIT: Duration = Duration::from_secs(20);
/// How long a command that streams may take to start.
const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// How long a device has to answer anything at all, once a command has run out of time.
const SIGN_OF_LIFE_LIMIT: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 3000 });
/// Longest script that every way to a device carries: the server's request and a word of the device's shell have ends.
const MAX_SCRIPT: usize = 60_000;
/// How long a transfer may take beside its bytes.
const TRANSFER_LIMIT: Duration = Duration::from_secs(20);
/// The slowest transfer that is still alive.
const SLOWEST_BYTES_PER_SECOND: u64 = 256 * 1024;
/// No transfer takes longer.
const LONGEST_TRANSFER: Duration = Duration::from_mins(15);

/// After so many looks in a row that fell back to one window, a device that never listed windows is not asked again.
const MAX_MISSING_WINDOWS: u32 = 2;

/// What a look said of the device's windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowList {
    /// It lists them.
    Shown,
    /// The device does not know of lists of windows.
    Unknown,
    /// Only the dump of one window came.
    Missing,
}

/// A device behind adb.
pub(super) struct AdbDevice {
    transport: Transport,
    features: Features,
    info: DeviceInfo,
    uia2_installed: bool,
    counters: Counters,
    clock: Clock,
    /// A dump of this session had windows.
    lists_windows: AtomicBool,
    /// Looks in a row that fell back to one window, of a device that has listed none.
    missing_windows: AtomicU32,
    front_elements: FrontElements,
    touchscreen: tokio::sync::OnceCell<Touchscreen>,
}

impl AdbDevice {
    /// Asks what the device can do and what it is.
    pub(super) async fn connect(transport: Transport) -> Result<Self, DeviceError> {
        let features = transport.features().await?;
        // Until the device is known.
        let host = Clock::host();
        let counters = Counters::default();
        let ask = || {
            counters.round_trip();
            shell::ask(&transport, &features, &host, &info::QUESTIONS)
        };
        // A device that does not answer its first question is not a device to work with.
        let answers = tokio::time::timeout(INFO_LIMIT, ask())
            .await
            .unwrap_or_else(|_| Err(silent(&transport, INFO_LIMIT)))?;
        let info = info::read(transport.serial(), &answers);
        let mut info = info::ask_again(info, ask, DeviceError::is_unreachable).await?;
        // Without frames no answer can report a time beside what a command prints.
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

    /// Runs a script, counted and bounded.
    pub(super) async fn run(
        &self,
        script: &Script,
        limit: Duration,
    ) -> Result<ShellOutput, DeviceError> {
        check(script)?;
        self.counters.round_trip();
        let request = log::Request::of(self.transport.serial(), script);
        let run = shell::run(&self.transport, &self.features, &self.clock, script);
        let answer = self.answered(script.label(), limit, run).await;
        request.ended(&answer);
        answer
    }

    /// Bounds `work`, and distinguishes a device that is gone from a command that merely takes long. The device is
    /// asked before the limit is up, so that finding out costs no more than the limit.
    async fn answered<T>(
        &self,
        what: &str,
        limit: Duration,
        work: impl Future<Output = Result<T, DeviceError>>,
    ) -> Result<T, DeviceError> {
        let sign = self.sign_of_life(SIGN_OF_LIFE_LIMIT);
        match in_time(limit, SIGN_OF_LIFE_LIMIT, work, sign).await {
            Ok(answer) => answer,
            Err(sign) => sign.and_then(|()| {
                Err(DeviceError::Timeout {
                    what: format!("`{what}`"),
                    limit,
                })
            }),
        }
    }

    /// Whether it answers at all within `limit`.
    async fn sign_of_life(&self, limit: Duration) -> Result<(), DeviceError> {
        let nothing = Script::command(["true"]);
        let run = shell::run(&self.transport, &self.features, &self.clock, &nothing);
        tokio::time::timeout(limit, run)
            .await
            .unwrap_or_else(|_| Err(silent(&self.transport, limit)))
            .map(drop)
    }

    pub(super) fn count_dump(&self) {
        self.counters.dump();
    }

    /// The display of `wm size`, unrotated; empty where it is not known.
    pub(super) fn physical_display(&self) -> Display {
        self.info.display.value().copied().unwrap_or_default()
    }

    /// The API level. Where it is not known, the ways to touch are those that every release has.
    fn sdk(&self) -> u32 {
        self.info.sdk.value().copied().unwrap_or_default()
    }

    /// Whether `uiautomator dump --windows` may give windows here.
    pub(super) fn may_ask_all_windows(&self) -> bool {
        self.missing_windows.load(Ordering::Relaxed) < MAX_MISSING_WINDOWS
    }

    /// Notes what came of a look. A device that never lists windows is not asked for long.
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

    /// Which apps in front had elements.
    pub(super) fn front_elements(&self) -> &FrontElements {
        &self.front_elements
    }

    /// The touchscreen, where `inputs` need one; looked for once.
    async fn touchscreen_for(&self, inputs: &[Input]) -> Result<Option<&Touchscreen>, DeviceError> {
        let sdk = self.sdk();
        // Only now: the two questions cost a phone time, and most flows move one finger.
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

    /// One screenshot as PNG, else in the raw format, which takes another way through the device.
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
            // A device that is gone is reported as such, not as one without a picture.
            Err(error) if error.is_unreachable() => Err(error),
            // The first error says more: the raw format is the less usual way.
            Err(_) => Err(first),
        }
    }

    async fn screencap(&self, arguments: &str, limit: Duration) -> Result<Vec<u8>, DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        let script = Script::raw(format!("screencap{arguments}"), "screencap");
        let request = log::Request::of(self.transport.serial(), &script);
        let run = shell::run_binary(&self.transport, &self.features, &self.clock, &script);
        let answer = self.answered(script.label(), limit, run).await;
        request.ended(&answer);
        let output = answer?;
        if output.stdout.is_empty() && !output.stderr.is_empty() {
            return Err(DeviceError::NoPicture(output.message()));
        }
        Ok(output.stdout)
    }
}

/// Refuses what cannot arrive whole.
fn check(script: &Script) -> Result<(), DeviceError> {
    let refused = |output: String| DeviceError::Command {
        command: script.label().to_owned(),
        exit_code: None,
        output,
    };
    // adbd takes the command as a C string: the device would run its beginning only.
    if script.text().contains('\0') {
        return Err(refused(
            "it holds a NUL character, which no command can carry; leave it out".to_owned(),
        ));
    }
    if script.text().len() > MAX_SCRIPT {
        return Err(refused(format!(
            "it is {} bytes long, more than the {MAX_SCRIPT} that a device takes at once; send it in smaller parts",
            script.text().len()
        )));
    }
    Ok(())
}

/// The error for a device that does not answer.
fn silent(transport: &Transport, limit: Duration) -> DeviceError {
    DeviceError::Lost {
        serial: transport.serial().to_owned(),
        cause: format!(
            "it answered nothing within {}; unlock it, plug it in again or run `adb reconnect`",
            RoundedDuration(limit)
        ),
    }
}

/// Bounds `work`. Dropping it at the limit closes its stream, which stops it on the device.
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
    (TRANSFER_LIMIT + Duration::from_secs(bytes / SLOWEST_BYTES_PER_SECOND)).min(LONGEST_TRANSFER)
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

    /// Each is a command of its own, all under way at the same time: no shell of the device has to fork, or to keep what
    /// they print apart.
    async fn ask(
        &self,
        questions: &[&str],
        label: &str,
        limit: Duration,
    ) -> Result<Vec<ShellOutput>, DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        let asking = shell::ask(&self.transport, &self.features, &self.clock, questions);
        self.answered(label, limit, asking).await
    }

    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        check(script)?;
        // What goes on only reads: a log, a film, what a server says.
        self.counters.mark_read_only();
        self.counters.round_trip();
        let serial = self.transport.serial();
        tracing::debug!(target: "adb", serial, script = ?script.label(), "read line by line");
        let lines = shell::lines(&self.transport, &self.features, script, OPEN_LIMIT).await?;
        Ok(Box::new(lines))
    }

    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        // It changes nothing.
        self.counters.mark_read_only();
        self.counters.round_trip();
        self.sign_of_life(limit).await
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
            // Only what the device said may go otherwise the next time; a timeout has used up the limit.
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
        log::moved(self.transport.serial(), "push", remote, begun, &pushed);
        pushed
    }

    async fn pull(&self, remote: &str, max: u64) -> Result<Vec<u8>, DeviceError> {
        self.counters.round_trip();
        let work = sync::pull(&self.transport, &self.features, remote, max);
        let begun = std::time::Instant::now();
        // The size is not known yet, so the limit is that of the largest file which the caller takes.
        let pulled = bounded("pull", transfer_limit(max), work).await;
        log::moved(self.transport.serial(), "pull", remote, begun, &pulled);
        pulled
    }

    fn uia2_installed(&self) -> bool {
        self.uia2_installed
    }

    async fn open(&self, service: &str) -> Result<Box<dyn ByteStream>, DeviceError> {
        match self.transport.open(service).await {
            Ok(stream) => Ok(Box::new(stream)),
            // A server says `FAIL closed`, adbd closes the stream: either way the device is there.
            Err(ClientError::NoService(_)) => Err(DeviceError::NotListening {
                service: service.to_owned(),
            }),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests;

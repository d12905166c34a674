//! Session with one device over adb: its connection, its shell, and what it told when it began.

mod device;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use runner_adb::client::{Features, Transport};

use super::super::front_elements::FrontElements;
use super::super::{
    Clock, Counters, DeviceError, DeviceInfo, Feature, Script, ShellOutput, in_time,
};
use super::touchscreen::Touchscreen;
use super::{info, log, shell};
use runner_screen::Display;
use runner_text::units::RoundedDuration;

/// Limit of the session's first questions. Chosen: a loaded emulator takes several seconds for them.
const INFO_LIMIT: Duration = Duration::from_secs(20);
/// Limit for a device to answer anything at all, after a command ran out of time. Chosen: a device that is
/// alive runs `true` in a fraction of it.
const PROBE_LIMIT: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 3000 });
/// Longest script in bytes that every connection carries: the server's request ends at 65535, and a word of
/// the device's shell at 128 KiB.
const MAX_SCRIPT_BYTES: usize = 60_000;

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
    /// Opens a session: asks for the features and the description of the device. Questions without an answer are
    /// asked again, and stay open after that. Without `shell_v2` the session has no virtual clock.
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
    /// answers. Returns [`DeviceError::Command`] for a script that is too long or has a NUL character, which is
    /// not sent.
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

    /// Bounds `work`, and distinguishes a lost device from a slow command. Runs `true` on the device shortly before
    /// the limit is up, so that finding out takes no longer than the limit.
    ///
    /// # Errors
    /// Returns the error of `work`, [`DeviceError::Timeout`] if the limit passes and the device ran `true`, or else
    /// the error of that.
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

    /// Fails if the device does not run `true` within `limit`. The exit code does not matter. No answer is
    /// [`DeviceError::Lost`].
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

    /// Returns the display of `wm size`, unrotated; all zero if it is not known.
    pub(super) fn physical_display(&self) -> Display {
        self.info.display.value().copied().unwrap_or_default()
    }

    /// API level; 0 if it is not known. Most commands of newer releases are then not used.
    fn sdk(&self) -> u32 {
        self.info.sdk.value().copied().unwrap_or_default()
    }

    /// Returns false once `uiautomator dump --windows` has failed too often.
    pub(super) fn may_ask_all_windows(&self) -> bool {
        self.missing_windows.load(Ordering::Relaxed) < MAX_MISSING_WINDOWS
    }

    /// Counts looks without a list of windows in a row, see [`Self::may_ask_all_windows`]. Once the device showed
    /// the list, [`WindowList::Missing`] is not counted. [`WindowList::Unknown`], a tool that lacks the option,
    /// counts as the highest number at once.
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
}

/// Refuses scripts that cannot arrive whole with [`DeviceError::Command`]: with a NUL character, or of more than
/// [`MAX_SCRIPT_BYTES`].
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

/// Builds the error of a lost device, which answered nothing within `limit`.
fn no_answer(transport: &Transport, limit: Duration) -> DeviceError {
    DeviceError::Lost {
        serial: transport.serial().to_owned(),
        cause: format!(
            "it answered nothing within {}; unlock it, plug it in again or run `adb reconnect`",
            RoundedDuration(limit)
        ),
    }
}

#[cfg(test)]
mod tests;

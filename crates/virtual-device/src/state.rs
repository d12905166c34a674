//! State of one device, shared by its connections and commands.

mod app_hosts;
mod jobs;
mod recordings;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::adbd::{Authenticator, Reverses};
use super::answers::Answers;
use super::app_host::{HostedApp, Hosts};
use super::apps::WALL_CLOCK;
use super::automation::AutomationServers;
use super::background::Background;
use super::faults::Faults;
use super::instrumentation::Automation;
use super::log::Log;
use super::ports::Ports;
use super::quirks::Quirks;
use super::screen_recording::ScreenRecording;
use super::screenshot::Screenshot;
use super::storage::Storage;
use super::system::System;
use super::touch_panel::TouchPanel;
use runner_screen::Display;

use super::{
    Fault, Frame, KeyPress, Phone, PhoneOptions, Quirk, VirtualDeviceError, VirtualDeviceOptions,
    WindowDump,
};

/// Time after which a text shows with the quirk `slow-text`: a field of Compose took 200 ms in Android 15's
/// framework on a JVM (2026-11-27).
const SLOW_TEXT_TIME: Duration = Duration::from_millis(200);

/// Window and activity that `dumpsys` reports in front, instead of the phone's.
#[derive(Debug, Clone)]
pub struct ReportedFront {
    /// Title of the focused window, such as `com.example/.Main` or `Application Not Responding: com.example`,
    /// or empty.
    pub focus: String,
    /// The resumed activity, such as `com.example/.Main`, or empty.
    pub resumed: String,
}

pub struct DeviceState {
    /// Value of `ro.serialno`.
    pub(crate) serial: String,
    /// Commands take the real time of a phone.
    pub(crate) realistic: bool,
    pub(crate) quirks: Quirks,
    pub(crate) storage: Storage,
    pub(crate) faults: Faults,
    /// Counts of commands, and commands that answer wrongly.
    pub(crate) answers: Answers,
    /// The keys that hosts may show.
    pub(crate) authenticator: Authenticator,
    pub(crate) ports: Ports,
    /// Addresses that are forwarded to hosts.
    pub(crate) reverses: Reverses,
    /// Services of apps that run without a screen.
    pub(crate) background: Background,
    pub(crate) automation: Automation,
    /// Built-in servers of testing tools. Without them the device starts none.
    pub(crate) servers: Option<AutomationServers>,
    /// Cancelled when the device ends.
    pub(crate) stop: CancellationToken,
    phone: Mutex<Box<dyn Phone>>,
    /// Processes of real apps. The lock is held while one works; the phone's is not.
    hosts: Option<Mutex<Hosts>>,
    /// Apps whose own code runs in app hosts.
    named_apks: Vec<HostedApp>,
    /// Dump to write instead of the phone's.
    dump: Mutex<Option<String>>,
    reported_front: Mutex<Option<ReportedFront>>,
    /// Cache of the last PNG.
    pub(super) screenshot: Screenshot,
    system: Mutex<System>,
    log: Mutex<Log>,
    /// Number of the log's lines, for those who follow it.
    log_watch: watch::Sender<u64>,
    clock: Mutex<Clock>,
    jobs: Mutex<Jobs>,
    display: Display,
    panel: Mutex<TouchPanel>,
    /// Running recordings.
    recordings: Mutex<Vec<Weak<ScreenRecording>>>,
    /// The last frame that recordings saw, while there are any.
    recorded_frame: Mutex<Option<Arc<Frame>>>,
    /// Real time of the device's start.
    started: Instant,
    /// Runs of each command by its first word, and of each route of a server by its name.
    served: Mutex<BTreeMap<String, u64>>,
}

/// Virtual time on top of real time.
#[derive(Debug)]
struct Clock {
    skipped: Duration,
    /// Real time at which the phone's time was last advanced.
    last: Instant,
}

/// Running commands by process id.
#[derive(Debug, Default)]
struct Jobs {
    next: u32,
    running: BTreeMap<u32, Job>,
}

/// A running command that takes time.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// Its first word.
    pub(crate) name: String,
    /// Ends it as `SIGINT` does.
    pub(crate) interrupt: CancellationToken,
}

impl std::fmt::Debug for DeviceState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceState")
            .field("serial", &self.serial)
            .field("realistic", &self.realistic)
            .field("storage", &self.storage)
            .finish_non_exhaustive()
    }
}

/// Returns the value of `ro.runner.offers`: features that phones lack, separated by commas. A realistic
/// device has the fewest. `features.rs` of the crate `runner-device` reads their names.
fn offered(realistic: bool, hosted: bool) -> &'static str {
    if realistic {
        "a2ui"
    } else if hosted {
        // A real app reacts to a touch in part some frames later, and logs it then.
        "virtual-clock,clipboard,labels,locale,places,a2ui"
    } else {
        "virtual-clock,immediate-log,clipboard,labels,locale,places,a2ui"
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A command that panics poisons its locks; the device continues.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DeviceState {
    /// Makes a device that no client can reach yet.
    ///
    /// # Errors
    /// Returns an error if its storage or an app cannot be used.
    pub fn new(options: &VirtualDeviceOptions) -> Result<Self, VirtualDeviceError> {
        let folder = options.storage.as_deref();
        let storage = Storage::new(folder.map(camino::Utf8Path::as_std_path)).map_err(|cause| {
            VirtualDeviceError::Storage {
                path: folder.map_or_else(|| "a temporary folder".to_owned(), ToString::to_string),
                cause,
            }
        })?;
        let phone = (options.phone)(&PhoneOptions {
            apps: options.apps.clone(),
            hosted: options.hosted.clone(),
            display: options.display,
            schema_check: options.schema_check,
            quirks: options.quirks.clone(),
        })?;
        let quirks = Quirks::new(&options.quirks);
        let mut system = System::new(&options.serial, options.display.density);
        if !options.hosted.is_empty() {
            system.set_hosted();
        }
        system.properties.insert(
            "ro.runner.offers".to_owned(),
            offered(quirks.has(Quirk::RealTime), !options.hosted.is_empty()).to_owned(),
        );
        let locale = phone.locale();
        if !locale.is_empty() {
            system
                .properties
                .insert("persist.sys.locale".to_owned(), locale);
        }
        let state = Self {
            serial: options.serial.clone(),
            realistic: quirks.has(Quirk::RealTime),
            quirks,
            storage,
            faults: Faults::new(&options.faults),
            answers: Answers::default(),
            authenticator: Authenticator::new(options.demand.clone()),
            ports: Ports::default(),
            reverses: Reverses::default(),
            background: Background::default(),
            automation: Automation::default(),
            servers: options.servers,
            stop: CancellationToken::new(),
            phone: Mutex::new(phone),
            named_apks: options.hosted.clone(),
            hosts: options
                .hosts
                .as_ref()
                .map(|source| Mutex::new(Hosts::new(Arc::clone(source)))),
            dump: Mutex::default(),
            reported_front: Mutex::default(),
            screenshot: Screenshot::default(),
            system: Mutex::new(system),
            log: Mutex::default(),
            log_watch: watch::Sender::new(0),
            clock: Mutex::new(Clock {
                skipped: Duration::ZERO,
                last: Instant::now(),
            }),
            jobs: Mutex::new(Jobs {
                // Lower ones are the system's and the apps'.
                next: 4000,
                running: BTreeMap::new(),
            }),
            display: options.display,
            panel: Mutex::default(),
            recordings: Mutex::default(),
            recorded_frame: Mutex::default(),
            started: Instant::now(),
            served: Mutex::default(),
        };
        state.collect_log();
        Ok(state)
    }

    /// Counts a run of a command, or an answered request, under its name.
    pub fn serves(&self, command: &str) {
        *lock(&self.served).entry(command.to_owned()).or_default() += 1;
    }

    /// Returns how many times each command was run.
    pub fn served(&self) -> BTreeMap<String, u64> {
        lock(&self.served).clone()
    }

    /// Makes dumps show this from now on.
    pub(crate) fn show_dump(&self, xml: &str) {
        *lock(&self.dump) = Some(xml.to_owned());
    }

    /// Makes the window manager report this in front from now on.
    pub(crate) fn report_front(&self, front: ReportedFront) {
        *lock(&self.reported_front) = Some(front);
    }

    /// Returns the window and activity to report instead of the phone's.
    pub(crate) fn reported_front(&self) -> Option<ReportedFront> {
        lock(&self.reported_front).clone()
    }

    /// Returns the dump to write instead of the phone's, or `None`.
    pub(crate) fn replaced_dump(&self) -> Option<String> {
        lock(&self.dump).clone()
    }

    /// Makes dumps show the current screen for 200 ms with [`Quirk::SlowText`], or in one dump with
    /// [`Quirk::LateText`], because a text is typed now. Without such a quirk it does nothing.
    pub fn show_text_late(&self) {
        let until = if self.quirks.has(Quirk::SlowText) {
            Some(self.elapsed() + SLOW_TEXT_TIME)
        } else if self.quirks.has(Quirk::LateText) {
            None
        } else {
            return;
        };
        let windows = self.phone().windows();
        self.quirks.hold_windows(windows, until);
    }

    /// Puts a text into the focused field at once, as a keyboard does. Without such a field the text is lost.
    pub(crate) fn commit_text(&self, text: &str) {
        self.show_text_late();
        self.phone().commit_text(text);
    }

    /// Returns the windows for a dump, which may be those before a text that shows late.
    pub fn displayed_windows(&self) -> Vec<WindowDump> {
        let held = self.quirks.held_windows(self.elapsed());
        held.unwrap_or_else(|| self.phone().windows())
    }

    /// Applies a setting. A rotation is ignored with [`Quirk::FixedOrientation`]. The phone is only told; the
    /// setting is not stored in the system's tables.
    pub fn set(&self, setting: super::Setting) {
        let is_fixed = matches!(setting, super::Setting::Rotation(_))
            && self.quirks.has(Quirk::FixedOrientation);
        if !is_fixed {
            self.phone().set(setting);
        }
    }

    /// Locks the phone. The lock must be short, and never held over a wait.
    pub fn phone(&self) -> MutexGuard<'_, Box<dyn Phone>> {
        lock(&self.phone)
    }

    /// Locks properties and settings.
    pub(crate) fn system(&self) -> MutexGuard<'_, System> {
        lock(&self.system)
    }

    /// Returns a property, or an empty text.
    pub fn property(&self, name: &str) -> String {
        self.system()
            .properties
            .get(name)
            .cloned()
            .unwrap_or_default()
    }

    /// Locks the log.
    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    /// Returns a receiver that is notified when the log grows.
    pub(crate) fn log_changes(&self) -> watch::Receiver<u64> {
        self.log_watch.subscribe()
    }

    /// Returns the device's clock in UTC: the host's clock plus the virtual time. With app hosts it is a fixed
    /// date, which they share, plus [`Self::elapsed`].
    pub(crate) fn now(&self) -> DateTime<Utc> {
        if self.has_hosts() {
            let elapsed = TimeDelta::from_std(self.elapsed()).unwrap_or_default();
            return DateTime::from_timestamp_millis(WALL_CLOCK).unwrap_or_default() + elapsed;
        }
        let skipped = TimeDelta::from_std(lock(&self.clock).skipped).unwrap_or_default();
        Utc::now() + skipped
    }

    /// Returns the time since the start: virtual time only, or on a realistic device the real time.
    pub fn elapsed(&self) -> Duration {
        if self.realistic {
            self.started.elapsed()
        } else {
            lock(&self.clock).skipped
        }
    }

    /// Locks the touchscreen.
    pub(crate) fn panel(&self) -> MutexGuard<'_, TouchPanel> {
        lock(&self.panel)
    }

    /// Returns the display before overrides of size and density.
    pub(crate) fn options_display(&self) -> Display {
        self.display
    }

    /// Advances the phone's clock by `time`. On a realistic device `time` is ignored, and the clock advances
    /// by the real time since the last call.
    pub fn pass(&self, time: Duration) {
        let time = {
            let mut clock = lock(&self.clock);
            if self.realistic {
                let now = Instant::now();
                let real = now - clock.last;
                clock.last = now;
                real
            } else {
                clock.skipped += time;
                time
            }
        };
        if !time.is_zero() {
            self.phone().advance(time);
        }
    }

    /// Collects what a command has changed: answers of app hosts, frames of recordings, and log lines of apps
    /// and the system, with the time of this call.
    pub fn collect_log(&self) {
        self.exchange();
        self.record_changes();
        let lines = self.phone().take_log();
        if lines.is_empty() {
            return;
        }
        let at = self.now();
        let mut log = self.log();
        for line in lines {
            log.push(at, line);
        }
        self.log_watch.send_replace(log.next_number());
    }

    /// Adds a line with the present time to the log.
    pub fn log_line(&self, priority: char, tag: &str, message: &str, pid: u32) {
        let at = self.now();
        let mut log = self.log();
        log.push(at, (priority, tag.to_owned(), message.to_owned(), pid));
        self.log_watch.send_replace(log.next_number());
    }

    /// Presses a key. POWER, WAKEUP and SLEEP turn the screen on or off and do no more. Other keys go to the
    /// phone, or are dropped if the screen is off.
    pub fn press(&self, key: &KeyPress) {
        let awake = {
            let mut system = self.system();
            match key.name.as_str() {
                "POWER" => system.awake = !system.awake,
                "WAKEUP" => system.awake = true,
                "SLEEP" | "SOFT_SLEEP" => system.awake = false,
                _ => {}
            }
            system.awake
        };
        let is_power = ["POWER", "WAKEUP", "SLEEP", "SOFT_SLEEP"].contains(&key.name.as_str());
        if awake && !is_power {
            self.phone().key(key);
        }
    }

    /// Ends a package's screens, process, services and instrumentation.
    pub(crate) fn end_package(&self, package: &str) {
        self.phone().force_stop(package);
        self.background.end(package);
        self.automation.end(package);
    }

    /// Updates the keyboards after packages were installed or removed, and forgets what the system stored for those
    /// that are gone.
    pub(crate) fn settle_packages(&self) {
        let packages = self.phone().packages();
        self.system().settle_packages(&packages);
    }

    /// Fills the storage if the fault occurs at this write, and frees it otherwise.
    pub(crate) fn take_storage_fault(&self) {
        self.storage.set_full(self.faults.shows(Fault::StorageFull));
    }
}

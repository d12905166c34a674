//! What all connections and commands of one device share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::adbd::{Authenticator, Reverses};
use super::answers::Answers;
use super::apps::WALL_CLOCK;
use super::automation::AutomationServers;
use super::background::Background;
use super::faults::Faults;
use super::hosted::{HostOutcome, HostedApp, Hosts};
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
    Fault, Frame, HostCall, HostDemand, KeyPress, Phone, PhoneOptions, Quirk, VirtualDeviceError,
    VirtualDeviceOptions, WindowDump,
};

/// The property that says what was wrong with the process of a real app, where that was not the app.
const HOST_FAULT: &str = "runner.host.fault";
/// The time after which a text shows with the quirk `slow-text`: a field of Compose took 200 ms in Android 15's framework on a
/// JVM (2026-11-27).
const SLOW_TEXT_TIME: Duration = Duration::from_millis(200);

/// What `dumpsys` reports in front, whatever the phone shows.
#[derive(Debug, Clone)]
pub struct ReportedFront {
    /// Title of the window with the focus: `com.example/.Main`, `Application Not Responding: com.example`, empty for none.
    pub focus: String,
    /// The activity that is resumed, `com.example/.Main`; empty for none.
    pub resumed: String,
}

/// One virtual device.
pub struct DeviceState {
    /// `ro.serialno`.
    pub(crate) serial: String,
    /// Commands take real time.
    pub(crate) realistic: bool,
    /// What it does as some phones do.
    pub(crate) quirks: Quirks,
    /// Files.
    pub(crate) storage: Storage,
    /// What goes wrong.
    pub(crate) faults: Faults,
    /// Which commands were run, and which answer wrongly.
    pub(crate) answers: Answers,
    /// Who is let in.
    pub(crate) doorkeeper: Authenticator,
    /// What listens.
    pub(crate) ports: Ports,
    /// What leads to hosts.
    pub(crate) reverses: Reverses,
    /// Services that run.
    pub(crate) background: Background,
    /// Who automates.
    pub(crate) automation: Automation,
    /// What it can start to automate.
    pub(crate) servers: Option<AutomationServers>,
    /// Ends everything.
    pub(crate) stop: CancellationToken,
    phone: Mutex<Box<dyn Phone>>,
    /// The processes of real apps. It is held while one works, and the phone is not.
    hosts: Option<Mutex<Hosts>>,
    /// Apps whose own code runs.
    named_apks: Vec<HostedApp>,
    /// What dumps hold instead of what the phone shows.
    dump: Mutex<Option<String>>,
    reported_front: Mutex<Option<ReportedFront>>,
    /// The screen as a file.
    pub(super) screenshot: Screenshot,
    system: Mutex<System>,
    log: Mutex<Log>,
    /// Counts the log's lines, for those who follow it.
    log_watch: watch::Sender<u64>,
    clock: Mutex<Clock>,
    jobs: Mutex<Jobs>,
    display: Display,
    panel: Mutex<TouchPanel>,
    /// Recordings that go on.
    films: Mutex<Vec<Weak<ScreenRecording>>>,
    /// What recordings saw last, while there are any.
    filmed: Mutex<Option<Arc<Frame>>>,
    /// Dumps that were asked for.
    started: Instant,
    /// How often each command was run.
    served: Mutex<BTreeMap<String, u64>>,
}

/// Virtual time on top of real time.
#[derive(Debug)]
struct Clock {
    skipped: Duration,
    /// When the phone last heard of time, in real time.
    last: Instant,
}

/// Commands that go on, by process id.
#[derive(Debug, Default)]
struct Jobs {
    next: u32,
    running: BTreeMap<u32, Job>,
}

/// A command that goes on.
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

/// `ro.runner.offers`: features that phones lack. Their names are read by the crate of the device, `features.rs`.
fn offered(realistic: bool, hosted: bool) -> &'static str {
    if realistic {
        "a2ui"
    } else if hosted {
        // A real app does a part of what a touch asks for some frames later, and logs it then.
        "virtual-clock,clipboard,labels,locale,places,a2ui"
    } else {
        "virtual-clock,immediate-log,clipboard,labels,locale,places,a2ui"
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A command that panics poisons its locks; the device goes on.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DeviceState {
    /// A device that nobody reaches yet.
    ///
    /// # Errors
    /// Where its storage or an app cannot be had.
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
            system.be_hosted();
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
            doorkeeper: Authenticator::new(options.demand.clone()),
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
            films: Mutex::default(),
            filmed: Mutex::default(),
            started: Instant::now(),
            served: Mutex::default(),
        };
        state.collect_log();
        Ok(state)
    }

    /// A command that the device has is run.
    pub fn serves(&self, command: &str) {
        *lock(&self.served).entry(command.to_owned()).or_default() += 1;
    }

    /// How often each command was run.
    pub fn served(&self) -> BTreeMap<String, u64> {
        lock(&self.served).clone()
    }

    /// Dumps hold this from now on.
    pub(crate) fn show_dump(&self, xml: &str) {
        *lock(&self.dump) = Some(xml.to_owned());
    }

    /// The window manager reports this in front from now on.
    pub(crate) fn report_front(&self, front: ReportedFront) {
        *lock(&self.reported_front) = Some(front);
    }

    /// What is reported in front instead of what the phone shows.
    pub(crate) fn reported_front(&self) -> Option<ReportedFront> {
        lock(&self.reported_front).clone()
    }

    /// What dumps hold instead of what the phone shows.
    pub(crate) fn replaced_dump(&self) -> Option<String> {
        lock(&self.dump).clone()
    }

    /// Has looks show the screen before a text that is typed now, where a quirk shows texts late.
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

    /// Puts a text into the field with the focus, as a keyboard does.
    pub(crate) fn commit_text(&self, text: &str) {
        self.show_text_late();
        self.phone().commit_text(text);
    }

    /// Returns the windows that a look shows, which may be those before a text that shows late.
    pub fn displayed_windows(&self) -> Vec<WindowDump> {
        let held = self.quirks.held_windows(self.elapsed());
        held.unwrap_or_else(|| self.phone().windows())
    }

    /// Takes a setting over, as far as the quirks let it.
    pub(crate) fn set(&self, setting: super::Setting) {
        let is_fixed = matches!(setting, super::Setting::Rotation(_))
            && self.quirks.has(Quirk::FixedOrientation);
        if !is_fixed {
            self.phone().set(setting);
        }
    }

    /// The phone. Held shortly, never over a wait.
    pub fn phone(&self) -> MutexGuard<'_, Box<dyn Phone>> {
        lock(&self.phone)
    }

    /// Properties and settings.
    pub(crate) fn system(&self) -> MutexGuard<'_, System> {
        lock(&self.system)
    }

    /// A property, empty where there is none.
    pub fn property(&self, name: &str) -> String {
        self.system()
            .properties
            .get(name)
            .cloned()
            .unwrap_or_default()
    }

    /// The log.
    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    /// Notifies when the log grows.
    pub(crate) fn log_changes(&self) -> watch::Receiver<u64> {
        self.log_watch.subscribe()
    }

    /// The device's clock: the host's, and the virtual time that passed. Where real apps run, it begins at a fixed date, which
    /// is theirs too.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        if self.has_hosts() {
            let elapsed = TimeDelta::from_std(self.elapsed()).unwrap_or_default();
            return DateTime::from_timestamp_millis(WALL_CLOCK).unwrap_or_default() + elapsed;
        }
        let skipped = TimeDelta::from_std(lock(&self.clock).skipped).unwrap_or_default();
        Utc::now() + skipped
    }

    /// Time since the start, virtual time included.
    pub fn elapsed(&self) -> Duration {
        if self.realistic {
            self.started.elapsed()
        } else {
            lock(&self.clock).skipped
        }
    }

    /// The touchscreen.
    pub(crate) fn panel(&self) -> MutexGuard<'_, TouchPanel> {
        lock(&self.panel)
    }

    /// The display as it was made, without overrides.
    pub(crate) fn options_display(&self) -> Display {
        self.display
    }

    /// Lets virtual time pass for the phone. A realistic device's time is the host's, and passes by itself.
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

    /// The APK that a person has named for a package, whose code runs.
    pub(crate) fn named_apk(&self, package: &str) -> Option<Utf8PathBuf> {
        let named = self.named_apks.iter();
        named
            .filter(|app| app.manifest.package == package)
            .map(|app| app.apk.clone())
            .next()
    }

    /// What is wrong with the process of a real app, or with what was asked for it; no fault of the app.
    pub(crate) fn report_host_fault(&self, fault: &str) {
        let mut system = self.system();
        system
            .properties
            .insert(HOST_FAULT.to_owned(), fault.to_owned());
    }

    /// Whether real apps run on it: its commands may then wait for their processes.
    pub(crate) fn has_hosts(&self) -> bool {
        self.hosts.is_some()
    }

    /// Asks hosts what the phone wants of them, and gives it their answers. Each command ends with it; one calls it where it
    /// needs the answers before. It may block for as long as an app takes to answer.
    pub fn exchange(&self) {
        let Some(hosts) = &self.hosts else {
            return;
        };
        // A command that wants nothing does not wait for an app that is at work for another one.
        let demand = self.phone().wants_hosts();
        let free = match demand {
            HostDemand::Nothing => return,
            HostDemand::Upkeep => hosts.try_lock().ok(),
            HostDemand::Answers => Some(lock(hosts)),
        };
        let Some(mut hosts) = free else {
            return;
        };
        hosts.exchange(
            || self.take_host_calls(),
            |outcome| self.take_outcome(outcome),
        );
    }

    fn take_host_calls(&self) -> Vec<HostCall> {
        let calls = self.phone().take_host_calls();
        if calls.iter().any(|call| matches!(call, HostCall::Begin(_))) {
            self.system().properties.remove(HOST_FAULT);
        }
        calls
    }

    fn take_outcome(&self, outcome: HostOutcome) {
        let HostOutcome {
            package,
            request,
            reply,
        } = outcome;
        let moved = self.phone().answer_host(&package, request.as_ref(), reply);
        let fault = self.phone().take_host_fault();
        if let Some(fault) = fault {
            self.report_host_fault(&fault);
        }
        if !moved.is_zero() && !self.realistic {
            lock(&self.clock).skipped += moved;
        }
    }

    /// Lets the app in front come to rest, and says whether a host has it. It moves the device's time.
    pub(crate) fn rest(&self, limit: Duration) -> bool {
        self.exchange();
        let asked = self.phone().want_rest(limit);
        if asked {
            self.exchange();
        }
        asked
    }

    /// Has the phone's picture drawn as the screen is now.
    pub(crate) fn draw_hosts(&self) {
        if self.has_hosts() {
            self.exchange();
            self.phone().want_pictures();
            self.exchange();
        }
    }

    /// Begins a recording with the screen as it is.
    pub(crate) fn begin_film(&self) -> Arc<ScreenRecording> {
        let film = Arc::new(ScreenRecording::default());
        lock(&self.films).push(Arc::downgrade(&film));
        self.film_changes();
        film
    }

    /// Ends a recording: its video.
    pub(crate) fn end_film(&self, film: &Arc<ScreenRecording>) -> Option<Vec<u8>> {
        self.film_changes();
        lock(&self.films).retain(|other| !std::ptr::eq(other.as_ptr(), Arc::as_ptr(film)));
        film.finish(self.film_time())
    }

    /// Gives the recordings that go on the screen as it is now.
    fn film_changes(&self) {
        let films: Vec<Arc<ScreenRecording>> = {
            let mut films = lock(&self.films);
            // A command whose peer has hung up is dropped, and its recording with it.
            films.retain(|film| film.strong_count() > 0);
            films.iter().filter_map(Weak::upgrade).collect()
        };
        if films.is_empty() {
            lock(&self.filmed).take();
            return;
        }
        self.draw_hosts();
        let picture = self.phone().draw();
        // Drawn once for all commands that change nothing.
        *lock(&self.filmed) = Some(Arc::clone(&picture));
        let at = self.film_time();
        for film in films {
            film.take(&picture, at);
        }
    }

    /// Real time since the start: whoever recorded knows by it which frame shows what he did.
    fn film_time(&self) -> Duration {
        self.started.elapsed()
    }

    /// Takes what a command has changed: what apps and the system have logged, and what recordings see.
    pub fn collect_log(&self) {
        self.exchange();
        self.film_changes();
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

    /// Adds a line of the system's own to the log.
    pub fn log_line(&self, priority: char, tag: &str, message: &str, pid: u32) {
        let at = self.now();
        let mut log = self.log();
        log.push(at, (priority, tag.to_owned(), message.to_owned(), pid));
        self.log_watch.send_replace(log.next_number());
    }

    /// A key goes down and up: one that turns the screen on or off, or one for the phone while the screen is on.
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

    /// A package's processes end, and with them what it shows and does.
    pub(crate) fn end_package(&self, package: &str) {
        self.phone().force_stop(package);
        self.background.end(package);
        self.automation.end(package);
    }

    /// Packages came or went.
    pub(crate) fn settle_packages(&self) {
        let packages = self.phone().packages();
        self.system().settle_packages(&packages);
    }

    /// A process id for what is not a command.
    pub(crate) fn next_pid(&self) -> u32 {
        let mut jobs = lock(&self.jobs);
        jobs.next += 1;
        jobs.next
    }

    /// A command that goes on gets a process id.
    pub(crate) fn begin_job(&self, name: &str) -> (u32, CancellationToken) {
        let id = self.next_pid();
        (id, self.begin_job_as(id, name))
    }

    /// A command that goes on takes the place of a process.
    pub(crate) fn begin_job_as(&self, id: u32, name: &str) -> CancellationToken {
        let interrupt = self.stop.child_token();
        let job = Job {
            name: name.to_owned(),
            interrupt: interrupt.clone(),
        };
        lock(&self.jobs).running.insert(id, job);
        interrupt
    }

    /// A command that went on has ended.
    pub(crate) fn end_job(&self, id: u32) {
        lock(&self.jobs).running.remove(&id);
    }

    /// Commands that go on.
    pub(crate) fn jobs(&self) -> Vec<(u32, Job)> {
        let jobs = lock(&self.jobs);
        jobs.running
            .iter()
            .map(|(id, job)| (*id, job.clone()))
            .collect()
    }

    /// Fills or frees the storage as the fault says, before something is written.
    pub(crate) fn take_storage_fault(&self) {
        self.storage.set_full(self.faults.shows(Fault::StorageFull));
    }
}

//! The trait [`Device`], its implementations, and functions over every device.
//!
//! [`adb`] implements the trait, [`uia2`] wraps it with another way to read the screen and to touch, and the
//! crate `runner-webdriver` implements it by a server that controls the device. Apps, settings, logs and
//! files are functions over `&dyn Device`: they use its shell, or its [`ServerSystem`]. Every call has a
//! limit, and stops on the device what it began when it is dropped.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod adb;
pub mod app_host;
pub mod app_version;
pub mod apps;
pub mod clipboard;
pub mod crash;
pub mod doctor;
#[cfg(any(test, feature = "testing"))]
pub mod fake;
pub mod files;
pub mod fling;
pub mod keyboard;
pub mod logs;
pub mod media;
pub mod nearby_devices;
pub mod permissions;
pub mod record;
pub mod remote;
pub mod settings;
pub mod source;
pub mod system;
pub mod text;
pub mod trial;
pub mod uia2;

mod clock;
mod command;
mod direction;
mod driver;
mod error;
mod features;
mod front_elements;
mod input;
mod keys;
mod kind;
mod limit;
mod reading;
mod sections;
mod server_system;
mod windows;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub use clock::{Clock, ClockTime, Elapsed};
pub use command::shorten;
pub use direction::Direction;
pub use driver::{DriverChoice, DriverKind};
pub use error::{DeviceError, DumpFailure};
pub use features::{Feature, Features};
pub use front_elements::FrontElements;
pub use input::{FingerPath, Gesture, INPUT_LIMIT, Input, Key, KeyError};
pub use kind::{KindNames, VirtualMark};
pub use limit::{in_time, in_time_by};
pub use reading::{NoAnswer, Reading};
pub use runner_adb::{Script, ShellOutput, quote};
pub use sections::Sections;
pub use server_system::{Ability, Panel, ServerApp, ServerSystem};

pub use runner_picture::Picture;

use runner_screen::{Display, Screen};

/// Name of the built-in virtual device.
pub const VIRTUAL: &str = "virtual";

/// What a device says of itself, asked once a session in one round trip; what it does not answer is asked again.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct DeviceInfo {
    /// Serial by which adb knows it; `virtual` for the built-in one.
    pub serial: String,
    /// `ro.product.model`.
    pub model: Reading<String>,
    /// `ro.product.manufacturer`.
    pub manufacturer: String,
    /// `ro.build.version.release`.
    pub release: Reading<String>,
    /// `ro.build.version.sdk`.
    pub sdk: Reading<u32>,
    /// Physical display with `Override size:` and density applied, unrotated.
    pub display: Reading<Display>,
    /// Locale tag such as `en-US`.
    pub locale: Reading<String>,
    /// Night mode on.
    pub dark: Reading<bool>,
    /// Font scale in percent; 100 is normal.
    pub font_scale_percent: Reading<u32>,
    /// Whether it is an emulator (`ro.kernel.qemu`, `ro.boot.qemu`).
    pub emulator: bool,
    /// Whether it is this program's virtual device (`ro.runner.virtual`).
    #[schemars(with = "bool")]
    pub virtual_device: VirtualMark,
    /// Features beyond those of phones (`ro.runner.offers`). They are not part of saved descriptions.
    #[serde(skip)]
    #[schemars(skip)]
    pub features: Features,
    /// How it is looked at and touched, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverKind>,
}

impl DeviceInfo {
    /// Returns the questions that the device did not answer: first model, release and language, then API
    /// level and font scale, then display and dark theme. Empty if all were answered; a reported lack of a
    /// value is an answer.
    pub fn open_questions(&self) -> Vec<&NoAnswer> {
        fn open<T>(reading: &Reading<T>) -> Option<&NoAnswer> {
            match reading {
                Reading::NotAnswered(question) => Some(question),
                Reading::Said(_) | Reading::SaidNone => None,
            }
        }
        let Self {
            serial: _,
            model,
            manufacturer: _,
            release,
            sdk,
            display,
            locale,
            dark,
            font_scale_percent,
            emulator: _,
            virtual_device: _,
            features: _,
            driver: _,
        } = self;
        let texts = [model, release, locale].map(open);
        let numbers = [sdk, font_scale_percent].map(open);
        let others = [open(display), open(dark)];
        texts
            .into_iter()
            .chain(numbers)
            .chain(others)
            .flatten()
            .collect()
    }
}

/// Options of a look at the screen.
#[derive(Debug, Clone, Copy)]
pub struct LookOptions {
    /// Limit of the whole look, with its fall-backs.
    pub limit: Duration,
    /// Attempts if a look fails; at least 1.
    pub attempts: usize,
    /// Also asks for what a dump lacks: the activity in front, the bars, the present size of the display.
    /// That costs a phone up to a tenth of the dump's time.
    pub surroundings: bool,
}

impl LookOptions {
    /// Returns options with this limit, the default number of attempts ([`ATTEMPTS`]), and the question for
    /// the surroundings (windows, app in front, keyboard).
    pub fn within(limit: Duration) -> Self {
        Self {
            limit,
            attempts: ATTEMPTS,
            surroundings: true,
        }
    }
}

/// Options of a screenshot.
#[derive(Debug, Clone, Copy)]
pub struct PictureOptions {
    /// Limit of the whole screenshot, with its fall-backs.
    pub limit: Duration,
    /// Attempts if a screenshot fails; at least 1.
    pub attempts: usize,
}

impl PictureOptions {
    /// Uses the default number of attempts.
    pub fn within(limit: Duration) -> Self {
        Self {
            limit,
            attempts: ATTEMPTS,
        }
    }
}

/// Attempts of a look or a screenshot. Chosen: faults of the moment, such as a window that is just closing,
/// rarely last longer; more attempts only delay the error.
pub const ATTEMPTS: usize = 4;

/// Counters of a session's calls; printed with `-v`, and written into events.
#[derive(Debug, Default)]
pub struct Counters {
    round_trips: AtomicU64,
    dumps: AtomicU64,
    reused: AtomicU64,
    asides: AtomicU64,
}

/// A reading of [`Counters`].
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct Cost {
    /// Commands sent to the device; questions that are sent at the same time are one.
    pub round_trips: u64,
    /// Screen dumps among them.
    pub dumps: u64,
    /// Looks that were used again instead of a dump.
    #[serde(default, skip_serializing_if = "is_none")]
    pub reused: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Counters {
    /// Counts a command.
    pub fn round_trip(&self) {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a dump; the command itself is counted by [`Self::round_trip`].
    pub fn dump(&self) {
        self.dumps.fetch_add(1, Ordering::Relaxed);
    }

    /// Marks one of the counted commands as one that changes nothing on the screen: a screenshot, a log, a
    /// question beside a look.
    pub fn mark_read_only(&self) {
        self.asides.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of commands that may have changed the screen: all but dumps and those marked as
    /// read-only.
    pub fn changing(&self) -> u64 {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let looks = read(&self.dumps) + read(&self.asides);
        read(&self.round_trips).saturating_sub(looks)
    }

    /// Counts a look that was used again instead of a dump.
    pub fn reuse(&self) {
        self.reused.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the present counts.
    pub fn read(&self) -> Cost {
        Cost {
            round_trips: self.round_trips.load(Ordering::Relaxed),
            dumps: self.dumps.load(Ordering::Relaxed),
            reused: self.reused.load(Ordering::Relaxed),
        }
    }
}

impl std::ops::Sub for Cost {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            round_trips: self.round_trips.saturating_sub(earlier.round_trips),
            dumps: self.dumps.saturating_sub(earlier.dumps),
            reused: self.reused.saturating_sub(earlier.reused),
        }
    }
}

/// Output of a running command, line by line: `logcat`, `screenrecord`. Dropping it stops the command.
#[async_trait::async_trait]
pub trait LineStream: Send {
    /// Waits for the next line, without its end; `None` once the command ended.
    async fn next_line(&mut self) -> Result<Option<String>, DeviceError>;
}

/// Byte stream to a service of a device. Dropping it closes it.
pub trait ByteStream: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin {}

impl<T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin> ByteStream for T {}

/// First API level whose `input keycombination` reports the held modifiers with each key (Android 13).
const HELD_KEYS_SDK: u32 = 33;

/// Element with the input focus, as a driver reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FocusedElement {
    /// Text of the field; if it is empty, its hint.
    pub text: String,
    /// Set if the field hides what is typed.
    pub is_password: bool,
    /// Class such as `android.widget.EditText`.
    pub class: String,
    /// Bounds in pixels of the display.
    pub bounds: runner_screen::Rect,
}

/// Device whose screen can be read and which can be acted on.
#[async_trait::async_trait]
pub trait Device: Send + Sync {
    /// Returns the description that the device gave when the session began.
    fn info(&self) -> &DeviceInfo;

    fn counters(&self) -> &Counters;

    /// Returns true if a look waits until nothing moves, as `uiautomator dump` does.
    fn looks_at_rest(&self) -> bool {
        false
    }

    /// Returns the clock by which limits on this device count.
    fn clock(&self) -> Clock {
        Clock::host()
    }

    /// Runs a script in the device's shell: one round trip, however many commands it holds.
    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError>;

    /// Runs several commands that change nothing, and returns their answers in order, in one round trip. A
    /// missing answer is empty; exit codes are not checked.
    ///
    /// The default joins them into one script, for connections on which each command costs a round trip. Each
    /// answer then has the standard error and the exit code of the whole script.
    async fn ask(
        &self,
        questions: &[&str],
        label: &str,
        limit: Duration,
    ) -> Result<Vec<ShellOutput>, DeviceError> {
        self.counters().mark_read_only();
        let sections = Sections::from_questions(questions);
        let output = self.shell(&sections.script(label), limit).await?;
        Ok(sections.answers_in(&output, questions.len()))
    }

    /// Starts a command whose output is read line by line.
    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError>;

    /// Reads the screen with its windows, the app in front and the display.
    async fn look(&self, options: LookOptions) -> Result<Screen, DeviceError>;

    /// Takes one screenshot in full size, turned as the display is. An incomplete one is taken again.
    async fn picture(&self, options: PictureOptions) -> Result<Picture, DeviceError>;

    /// Sends inputs in order, in one round trip; a long text takes several. `limit` is for each round trip,
    /// beyond the time that the inputs themselves take.
    async fn input(&self, inputs: &[Input], limit: Duration) -> Result<(), DeviceError>;

    /// Sends a file to the device, with Unix permission bits `mode`.
    async fn push(&self, data: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError>;

    /// Fetches a file; fails if it has more than `max` bytes.
    async fn pull(&self, remote: &str, max: u64) -> Result<Vec<u8>, DeviceError>;

    /// Opens a service of the device, such as `tcp:6790`. Sets no limit of time. The default has no services.
    ///
    /// # Errors
    /// Returns [`DeviceError::NotListening`] if nothing on the device accepts it.
    async fn open(&self, service: &str) -> Result<Box<dyn ByteStream>, DeviceError> {
        Err(DeviceError::NotListening {
            service: service.to_owned(),
        })
    }

    /// Returns true if the uia2 driver's server was installed when the session began.
    fn uia2_installed(&self) -> bool {
        false
    }

    /// Returns true if a key can be pressed with CTRL held so that an app sees both. `input keycombination`
    /// does not report the held key before API level 33; an unknown release is tried.
    fn holds_modifiers(&self) -> bool {
        let sdk = self.info().sdk.value();
        sdk.is_none_or(|sdk| *sdk >= HELD_KEYS_SDK)
    }

    /// Returns the element with the input focus; `None` if the driver cannot report it without a look.
    async fn focused_element(
        &self,
        _limit: Duration,
    ) -> Result<Option<FocusedElement>, DeviceError> {
        Ok(None)
    }

    /// Returns true if [`Device::set_text`] may work now.
    fn sets_text(&self) -> bool {
        false
    }

    /// Replaces the text of the field with the focus, without keys. Returns false if it cannot be done this
    /// way, and nothing was sent.
    async fn set_text(&self, _text: &str, _limit: Duration) -> Result<bool, DeviceError> {
        Ok(false)
    }

    /// Returns the session on the server that lends the device; `None` without such a server.
    fn session(&self) -> Option<remote::RemoteSession> {
        None
    }

    /// Announces an attempt at the flow of this name, before any other call for it. Earlier failures may be
    /// retried, and a server that lends the device may be notified or asked for a session. The name's secrets
    /// are masked; attempts count from 1.
    ///
    /// # Errors
    /// Returns a [`DeviceError`] if the flow cannot have the device.
    async fn begin_flow(&self, _name: &str, _attempt: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// Announces the result of the attempt that began last. Failures become notes.
    async fn end_flow(&self, _result: &remote::FlowResult) {}

    /// Checks that the device answers, by a command without effect.
    ///
    /// # Errors
    /// Returns the error of the missing answer. A device that answers that it cannot run the command counts
    /// as alive.
    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        let nothing = Script::command(["true"]);
        self.shell(&nothing, limit).await.map(drop)
    }

    /// Instruction to the person for a device that answers nothing any more.
    fn when_silent(&self) -> &'static str {
        "plug it in again or restart it"
    }

    /// Returns the server whose commands replace the device's shell; `None` without such a server.
    fn system(&self) -> Option<&dyn ServerSystem> {
        None
    }

    /// Takes the notes for people about how the device was used since the last call, a sentence each.
    fn take_notes(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;

//! The seam to a device: the trait [`Device`], its primitives, and what is built from them for every device.
//!
//! [`adb`] implements the trait, and [`uia2`] around it with another way to look and touch; the crate `runner-webdriver` by a
//! server that has the device. Apps, settings, logs and files are functions over `&dyn Device`: they use its shell, or what
//! [`ServerSystem`] has instead. Every call has a limit and stops what it began when dropped.

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
pub mod nearby;
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
mod in_time;
mod input;
mod keys;
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
pub use in_time::{in_time, in_time_by};
pub use input::{FingerPath, Gesture, INPUT_LIMIT, Input, Key, KeyError};
pub use reading::{NotAnswered, Reading};
pub use runner_adb::{Script, ShellOutput, quote};
pub use sections::Sections;
pub use server_system::{Ability, Panel, ServerApp, ServerSystem};

pub use runner_picture::Picture;

use runner_screen::{Display, Screen};

/// The name of the built-in virtual device.
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
    pub virtual_device: bool,
    /// What it offers beside what phones do (`ro.runner.offers`). Nothing that is saved has it.
    #[serde(skip)]
    #[schemars(skip)]
    pub features: Features,
    /// How it is looked at and touched, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverKind>,
}

impl DeviceInfo {
    /// The questions that it did not answer.
    pub fn open_questions(&self) -> Vec<&NotAnswered> {
        fn open<T>(reading: &Reading<T>) -> Option<&NotAnswered> {
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

/// How a look at the screen is taken.
#[derive(Debug, Clone, Copy)]
pub struct LookOptions {
    /// Longest time for the whole look, with its fall-backs.
    pub limit: Duration,
    /// How often a look that fails is tried, from 1.
    pub attempts: usize,
    /// Ask for what a dump lacks: the activity in front, the bars, the display's size as it is now. It costs a phone as
    /// much as a tenth of the dump.
    pub surroundings: bool,
}

impl LookOptions {
    /// With what surrounds the windows, tried as often as is usual.
    pub fn within(limit: Duration) -> Self {
        Self {
            limit,
            attempts: ATTEMPTS,
            surroundings: true,
        }
    }
}

/// How a screenshot is taken.
#[derive(Debug, Clone, Copy)]
pub struct PictureOptions {
    /// Longest time for the whole screenshot, with its fall-backs.
    pub limit: Duration,
    /// How often one that fails is tried, from 1.
    pub attempts: usize,
}

impl PictureOptions {
    /// Tried as often as is usual.
    pub fn within(limit: Duration) -> Self {
        Self {
            limit,
            attempts: ATTEMPTS,
        }
    }
}

/// How often a look or a screenshot is tried: what fails for a moment goes well then.
pub const ATTEMPTS: usize = 4;

/// What a session has cost so far; printed with `-v`, written into events.
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
    /// One more command was sent.
    pub fn round_trip(&self) {
        self.round_trips.fetch_add(1, Ordering::Relaxed);
    }

    /// One of the commands was a dump.
    pub fn dump(&self) {
        self.dumps.fetch_add(1, Ordering::Relaxed);
    }

    /// One of the commands changes nothing on the screen: a screenshot, a log, a question beside a look.
    pub fn mark_read_only(&self) {
        self.asides.fetch_add(1, Ordering::Relaxed);
    }

    /// Commands but those that only look: each may have changed the screen.
    pub fn changing(&self) -> u64 {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let looks = read(&self.dumps) + read(&self.asides);
        read(&self.round_trips).saturating_sub(looks)
    }

    /// A look was used again.
    pub fn reuse(&self) {
        self.reused.fetch_add(1, Ordering::Relaxed);
    }

    /// The cost so far.
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

/// Output of a command that goes on, line by line: `logcat`, `screenrecord`. Dropping it stops the command.
#[async_trait::async_trait]
pub trait LineStream: Send {
    /// The next line without its end; `None` when the command ended.
    async fn next_line(&mut self) -> Result<Option<String>, DeviceError>;
}

/// A stream of bytes to a service of a device. Dropping it closes it.
pub trait ByteStream: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin {}

impl<T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin> ByteStream for T {}

/// First release whose `input keycombination` gives a key the meta state of those held before it.
const HELD_KEYS_SDK: u32 = 33;

/// The element with the input focus, as a driver reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FocusedElement {
    /// Its text; of an empty field its hint.
    pub text: String,
    /// Whether it hides what is typed.
    pub is_password: bool,
    /// Its class, such as `android.widget.EditText`.
    pub class: String,
    /// Where it is, in pixels of the display.
    pub bounds: runner_screen::Rect,
}

/// A device that can be looked at and acted on.
#[async_trait::async_trait]
pub trait Device: Send + Sync {
    /// What it says of itself.
    fn info(&self) -> &DeviceInfo;

    /// What has been asked of it.
    fn counters(&self) -> &Counters;

    /// Returns true if a look waits until nothing moves, as `uiautomator dump` does.
    fn looks_at_rest(&self) -> bool {
        false
    }

    /// The clock that limits on it count.
    fn clock(&self) -> Clock {
        Clock::host()
    }

    /// Runs a script in the device's shell: one round trip, however many commands it holds.
    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError>;

    /// Asks several questions, each a command of this program's own that changes nothing, and returns their answers in order:
    /// one round trip.
    ///
    /// Here they stand in one script: a way that carries one command after another would have a round trip for each.
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

    /// Starts a command whose lines are read as they come.
    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError>;

    /// One dump of the screen with its windows, foreground and display.
    async fn look(&self, options: LookOptions) -> Result<Screen, DeviceError>;

    /// One screenshot, undecorated, full size, upright as the display is. What is not whole is taken again.
    async fn picture(&self, options: PictureOptions) -> Result<Picture, DeviceError>;

    /// Sends inputs in order: in one round trip, but a long text in several. `limit` is for each, beside the time that the
    /// inputs need by themselves.
    async fn input(&self, inputs: &[Input], limit: Duration) -> Result<(), DeviceError>;

    /// Sends a file to the device, with Unix permission bits `mode`.
    async fn push(&self, data: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError>;

    /// Fetches a file of at most `max` bytes.
    async fn pull(&self, remote: &str, max: u64) -> Result<Vec<u8>, DeviceError>;

    /// Opens a service of the device, such as `tcp:6790`. The caller bounds the time.
    ///
    /// # Errors
    /// [`DeviceError::NotListening`] where nothing of the device takes it.
    async fn open(&self, service: &str) -> Result<Box<dyn ByteStream>, DeviceError> {
        Err(DeviceError::NotListening {
            service: service.to_owned(),
        })
    }

    /// Whether the server of the driver uia2 was installed when the session began.
    fn uia2_installed(&self) -> bool {
        false
    }

    /// Whether a key can be pressed with CTRL held, so that an app sees both. `input keycombination` says nothing of
    /// the held key before SDK 33; a release that is not known is tried.
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

    /// Whether [`Device::set_text`] may do it now.
    fn sets_text(&self) -> bool {
        false
    }

    /// Puts `text` into the field with the focus, instead of what is in it, without keys. `false`: it cannot be done this
    /// way, and nothing was sent.
    async fn set_text(&self, _text: &str, _limit: Duration) -> Result<bool, DeviceError> {
        Ok(false)
    }

    /// The session on the server that lends the device; none where nobody does.
    fn session(&self) -> Option<remote::RemoteSession> {
        None
    }

    /// An attempt at a flow of this name begins, before anything else is asked for it: what failed in an earlier one
    /// may be tried anew, a server that lends the device may be notified or asked for a session. The name's secrets are
    /// masked; attempts count from 1.
    ///
    /// # Errors
    /// [`DeviceError`] where the flow cannot have the device.
    async fn begin_flow(&self, _name: &str, _attempt: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The attempt that began last ended so, and nothing more is asked for it. What goes wrong here is a note.
    async fn end_flow(&self, _result: &remote::FlowResult) {}

    /// Whether it is there and answers, asked with something that does nothing.
    ///
    /// # Errors
    /// Why it does not answer, and none where it answered that it cannot.
    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        let nothing = Script::command(["true"]);
        self.shell(&nothing, limit).await.map(drop)
    }

    /// What a person does about it when it answers nothing any more.
    fn when_silent(&self) -> &'static str {
        "plug it in again or restart it"
    }

    /// What it does by a server's commands instead of its shell, where there is such a server.
    fn system(&self) -> Option<&dyn ServerSystem> {
        None
    }

    /// What people should know of how the device was used since the last call, a sentence each.
    fn take_notes(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;

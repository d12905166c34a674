//! The driver uia2: a device is looked at and touched through Appium's UiAutomator2 server on it, without Appium.
//!
//! Owns the server's life, its HTTP, and what it is asked. Shell, files and logs go the way they always go; so do looks
//! and inputs once the server has failed, until the next flow begins.

pub mod actions;
mod apks;
mod error;
mod focus;
mod http;
pub mod keys;
mod look;
mod owner;
mod server;
mod slot;
mod text;
mod wire;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

pub use apks::{
    ApkPlaces, Apks, ApksError, InstalledServer, NPM_PACKAGE, install, installed, remove,
};

use super::{
    ByteStream, Clock, Counters, Device, DeviceError, DeviceInfo, DriverChoice, DriverKind,
    FocusedElement, Input, LineStream, LookOptions, Picture, PictureOptions, Script, ShellOutput,
};
use error::{Failed, Uia2Error};
use http::{Answer, Request};
use owner::Owner;
use runner_screen::Screen;
use server::Server;
use slot::{ServerGuard, Slot};

/// Port of the server on the device.
const PORT: u16 = 6790;
/// Package of the server.
pub const SERVER: &str = "io.appium.uiautomator2.server";
/// Package of the instrumentation that runs it.
pub const TEST: &str = "io.appium.uiautomator2.server.test";
/// How long a look waits for a server that starts.
const START_LIMIT: Duration = Duration::from_secs(10);
/// How long it may take where nothing else is wanted: its first start after an installation is slow.
const PATIENT_START_LIMIT: Duration = Duration::from_secs(40);
/// Longest part of a look's limit that the server gets; the rest is for `uiautomator dump`.
const MOST_OF_A_LOOK: Duration = Duration::from_secs(10);
/// What the server says to a session that it does not have.
const NO_SESSION: &str = "invalid session id";
/// A look that has less is the last of a wait.
const SHORT_LOOK: Duration = Duration::from_secs(4);
/// So many short looks in a row without an answer mean that the server hangs.
const MOST_SILENCES: u32 = 2;
/// Most keys that are pressed one request each; more go to one process on the device.
const MOST_KEYS: usize = 10;

/// Whether bytes are a whole answer of the server; for fuzzing their reader.
#[doc(hidden)]
pub fn is_answer(bytes: &[u8]) -> bool {
    http::is_answer(bytes)
}

/// What the server is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Flows: it runs from the beginning to the end.
    Throughout,
    /// Calls of an agent: it goes after so long without one, and comes back with the next.
    NowAndThen(Duration),
    /// One look: only where it runs already.
    WhereItRuns,
}

/// `device` as `choice` and `wanted` say. It starts beside what comes next; nothing is installed.
///
/// # Errors
/// Where uia2 was asked for by name: why it cannot be had.
pub async fn driven(
    device: Arc<dyn Device>,
    choice: DriverChoice,
    wanted: Use,
    places: &ApkPlaces,
) -> Result<Arc<dyn Device>, DeviceError> {
    let cannot = |error: Uia2Error| DeviceError::Driver {
        driver: DriverKind::Uia2,
        cause: error.to_string(),
    };
    match (choice, wanted) {
        (DriverChoice::Stock, _) => Ok(device),
        (_, Use::WhereItRuns) if device.uia2_installed() => Ok(borrowed(device).await),
        (_, Use::WhereItRuns) => Ok(device),
        (DriverChoice::Auto, _) if !device.uia2_installed() => Ok(device),
        (DriverChoice::Auto, _) => Ok(Arc::new(Uia2Device::starting(device, wanted))),
        (DriverChoice::Uia2, _) => {
            apks::ensure(device.as_ref(), places)
                .await
                .map_err(cannot)?;
            let driven = Uia2Device::started(device, wanted).await.map_err(cannot)?;
            Ok(Arc::new(driven))
        }
    }
}

/// With somebody's running server to look through, if there is one: `uiautomator dump` would take its slot.
async fn borrowed(device: Arc<dyn Device>) -> Arc<dyn Device> {
    match Server::borrow(&device, &Owner::this()).await {
        Some(server) => Arc::new(Uia2Device::new(device, Slot::of(server), Use::WhereItRuns)),
        None => device,
    }
}

/// A device that is looked at and touched through the server, as long as that works.
struct Uia2Device {
    inner: Arc<dyn Device>,
    info: DeviceInfo,
    slot: Arc<Slot>,
    _idler: Option<AbortOnDropHandle<()>>,
}

impl Uia2Device {
    fn new(inner: Arc<dyn Device>, slot: Slot, wanted: Use) -> Self {
        let slot = Arc::new(slot);
        let info = DeviceInfo {
            driver: Some(DriverKind::Uia2),
            ..inner.info().clone()
        };
        let idler = match wanted {
            Use::NowAndThen(after) => {
                let idling = Arc::clone(&slot).let_go(Arc::clone(&inner), after);
                Some(AbortOnDropHandle::new(tokio::spawn(idling)))
            }
            Use::Throughout | Use::WhereItRuns => None,
        };
        Self {
            inner,
            info,
            slot,
            _idler: idler,
        }
    }

    /// The server starts beside whatever comes next.
    fn starting(inner: Arc<dyn Device>, wanted: Use) -> Self {
        let device = Self::new(inner, Slot::empty(), wanted);
        device.slot.start_in_background(&device.inner);
        device
    }

    /// The server has started.
    async fn started(inner: Arc<dyn Device>, wanted: Use) -> Result<Self, Uia2Error> {
        let server = Server::start(&inner, &Owner::this(), PATIENT_START_LIMIT).await?;
        Ok(Self::new(inner, Slot::of(server), wanted))
    }

    /// The server where it runs and is ours to touch with.
    async fn ours(&self) -> Option<ServerGuard<'_>> {
        let guard = self.slot.running().await?;
        guard.server().is_ours().then_some(guard)
    }
}

/// What to send, and how: through the server, or as always. Nothing where no input is for the server.
fn plan(session: &wire::SessionPath, inputs: &[Input]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = inputs;
    while let Some(first) = rest.first() {
        let keys = rest.iter().take_while(|input| is_short_key(input)).count();
        let take = keys.max(1);
        let (these, after) = rest.split_at(take);
        rest = after;
        let part = if (1..=MOST_KEYS).contains(&keys) {
            these
                .iter()
                .map(|input| request(session, input))
                .collect::<Option<Vec<_>>>()
        } else {
            request(session, first).map(|request| vec![request])
        };
        let needs = these.iter().map(Input::needs).sum();
        match (part, parts.last_mut()) {
            (Some(requests), _) => parts.push(Part::Server { requests, needs }),
            (None, Some(Part::Inner(inputs))) => inputs.extend_from_slice(these),
            (None, _) => parts.push(Part::Inner(these.to_vec())),
        }
    }
    parts
}

/// Inputs that go out together.
enum Part {
    /// As requests, in one round trip.
    Server {
        requests: Vec<Request>,
        needs: Duration,
    },
    /// As always: what the server has no request for.
    Inner(Vec<Input>),
}

/// Whether the server did all of it; counts what it did.
fn all_done(answers: &[Answer], done: &mut usize) -> Result<(), Failed> {
    for answer in answers {
        match wire::done(answer) {
            Ok(()) => *done += 1,
            Err(error) => {
                // Another client has begun a session of its own: what is of ours is not even tried.
                let sent =
                    !matches!(&error, Uia2Error::ServerError { error, .. } if error == NO_SESSION);
                return Err(Failed { error, sent });
            }
        }
    }
    Ok(())
}

fn is_short_key(input: &Input) -> bool {
    matches!(input, Input::Key { long: false, .. })
}

/// The request for one input; `None` where the server has none.
fn request(session: &wire::SessionPath, input: &Input) -> Option<Request> {
    match input {
        Input::Key { key, long } => Some(session.key(keys::code(key)?, 0, *long)),
        Input::Combination(keys) => {
            let (code, meta) = keys::combination(keys)?;
            Some(session.key(code, meta, false))
        }
        input => actions::of(input).map(|sources| session.actions(sources)),
    }
}

#[async_trait::async_trait]
impl Device for Uia2Device {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counters(&self) -> &Counters {
        self.inner.counters()
    }

    fn clock(&self) -> Clock {
        self.inner.clock()
    }

    async fn shell(&self, script: &Script, limit: Duration) -> Result<ShellOutput, DeviceError> {
        self.inner.shell(script, limit).await
    }

    async fn ask(
        &self,
        questions: &[&str],
        label: &str,
        limit: Duration,
    ) -> Result<Vec<ShellOutput>, DeviceError> {
        self.inner.ask(questions, label, limit).await
    }

    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        self.inner.lines(script).await
    }

    async fn look(&self, options: LookOptions) -> Result<Screen, DeviceError> {
        let begun = Instant::now();
        let left = || LookOptions {
            limit: options.limit.saturating_sub(begun.elapsed()),
            ..options
        };
        let timeout = START_LIMIT.min(options.limit / 2);
        let Some(guard) = self.slot.server(&self.inner, timeout).await else {
            return self.inner.look(left()).await;
        };
        let is_short = left().limit < SHORT_LOOK;
        let part = LookOptions {
            limit: if is_short {
                left().limit
            } else {
                (left().limit / 2).min(MOST_OF_A_LOOK)
            },
            ..options
        };
        let looked = guard.server().look(self.inner.as_ref(), part).await;
        match looked {
            Ok(screen) => {
                guard.answered();
                return Ok(screen);
            }
            // The screen has nothing to show: a dump would say the same.
            Err(Uia2Error::Device(error @ DeviceError::NoDump { .. })) => return Err(error),
            // What is short is cut off on a server that is well too: it is looked again.
            Err(Uia2Error::Silent { .. }) if is_short && guard.silent() < MOST_SILENCES => {
                return Err(DeviceError::Timeout {
                    what: "a look through the driver uia2".to_owned(),
                    limit: options.limit,
                });
            }
            Err(error) => guard.fall(error, &self.inner).await,
        }
        self.inner.look(left()).await
    }

    async fn picture(&self, options: PictureOptions) -> Result<Picture, DeviceError> {
        self.inner.picture(options).await
    }

    async fn input(&self, inputs: &[Input], limit: Duration) -> Result<(), DeviceError> {
        let Some(guard) = self.ours().await else {
            return self.inner.input(inputs, limit).await;
        };
        let mut done = 0;
        for part in plan(&guard.server().session, inputs) {
            let failed = match part {
                Part::Inner(inputs) => {
                    self.inner.input(&inputs, limit).await?;
                    done += inputs.len();
                    continue;
                }
                Part::Server { requests, needs } => {
                    let answers = guard
                        .server()
                        .client
                        .exchange(&requests, limit + needs)
                        .await;
                    match answers.and_then(|answers| all_done(&answers, &mut done)) {
                        Ok(()) => continue,
                        Err(failed) => failed,
                    }
                }
            };
            return match failed {
                // The server did nothing of it, so nothing can be done twice.
                Failed { error, sent: false } => {
                    guard.fall(error, &self.inner).await;
                    self.inner.input(&inputs[done..], limit).await
                }
                Failed {
                    error: error @ Uia2Error::ServerError { .. },
                    ..
                } => Err(text::refused(&error)),
                Failed { error, .. } => {
                    let error = guard.server().blame(error);
                    let lost = text::unknown("an input", &error);
                    guard.fall(error, &self.inner).await;
                    Err(lost)
                }
            };
        }
        Ok(())
    }

    async fn push(&self, data: &[u8], remote: &str, mode: u32) -> Result<(), DeviceError> {
        self.inner.push(data, remote, mode).await
    }

    async fn pull(&self, remote: &str, max: u64) -> Result<Vec<u8>, DeviceError> {
        self.inner.pull(remote, max).await
    }

    async fn open(&self, service: &str) -> Result<Box<dyn ByteStream>, DeviceError> {
        self.inner.open(service).await
    }

    fn uia2_installed(&self) -> bool {
        self.inner.uia2_installed()
    }

    fn holds_modifiers(&self) -> bool {
        // Its server presses a key with a meta state on every release.
        self.slot.may_run() || self.inner.holds_modifiers()
    }

    async fn focused_element(
        &self,
        limit: Duration,
    ) -> Result<Option<FocusedElement>, DeviceError> {
        let Some(guard) = self.ours().await else {
            return Ok(None);
        };
        // After `None` the caller takes a look, and that reports a server that fails.
        Ok(focus::ask(guard.server(), self.inner.as_ref(), limit)
            .await
            .ok()
            .flatten())
    }

    fn sets_text(&self) -> bool {
        self.slot.may_run()
    }

    async fn set_text(&self, text: &str, limit: Duration) -> Result<bool, DeviceError> {
        let Some(guard) = self.ours().await else {
            return Ok(false);
        };
        match text::set(guard.server(), text, limit).await {
            Ok(done) => Ok(done),
            Err(Failed { error, sent }) => {
                let error = guard.server().blame(error);
                let lost = text::unknown("a text", &error);
                guard.fall(error, &self.inner).await;
                if sent { Err(lost) } else { Ok(false) }
            }
        }
    }

    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        self.inner.alive(limit).await
    }

    async fn begin_flow(&self, _name: &str, _attempt: u32) -> Result<(), DeviceError> {
        if self.slot.try_again() {
            self.slot.start_in_background(&self.inner);
        }
        Ok(())
    }

    fn take_notes(&self) -> Vec<String> {
        self.slot.take_notes()
    }
}

//! The driver uia2: reads and touches the screen through Appium's UiAutomator2 server on the device, without
//! Appium.
//!
//! Owns the start and end of the server, its HTTP and its requests. Shell, files and logs use the wrapped
//! device; so do looks and inputs once the server has failed, until the next flow begins.

pub mod actions;
mod apks;
mod error;
mod focus;
mod http;
pub mod keys;
mod look;
mod names;
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
pub use names::{SERVER, TEST};

use super::{
    ByteStream, Clock, Counters, Device, DeviceError, DeviceInfo, DriverChoice, DriverKind,
    FocusedElement, Input, LineStream, LookOptions, Picture, PictureOptions, Script, ShellOutput,
};
use error::{RequestError, Uia2Error};
use http::{Answer, Request};
use owner::Owner;
use runner_screen::Screen;
use server::Server;
use slot::{START_LIMIT, ServerGuard, Slot};

/// Limit of a start that nothing else can replace. Chosen: the first start after an installation compiles the
/// server.
const PATIENT_START_LIMIT: Duration = Duration::from_secs(40);
/// Largest part of a look's limit for the server; the rest is for `uiautomator dump`. Chosen: a server that
/// has not answered by then hangs.
const MAX_SERVER_TIME: Duration = Duration::from_secs(10);
/// Error code of the server for an unknown session.
const NO_SESSION: &str = "invalid session id";
/// Limit below which a look is the last one of a wait, and its silence says little about the server.
const SHORT_LOOK: Duration = Duration::from_secs(4);
/// Short looks in a row without an answer after which the server counts as hanging. Chosen: one may be due to
/// its short limit.
const MAX_SILENT_LOOKS: u32 = 2;
/// Keys to send as one request each; more go to one process on the device. Chosen: a request takes longer
/// than a key of a running process.
const MAX_KEY_REQUESTS: usize = 10;

/// Returns true if the bytes are one complete answer of the server; for fuzzing the parser.
#[doc(hidden)]
pub fn is_answer(bytes: &[u8]) -> bool {
    http::is_answer(bytes)
}

/// Purpose of the server, which decides on its lifetime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Flows: the server runs from the beginning to the end.
    Throughout,
    /// Calls of an agent: the server is stopped after this time without a call, and started by the next one.
    NowAndThen(Duration),
    /// One look: uses the server only if it runs already.
    WhereItRuns,
}

/// Wraps `device` in the driver that `choice` asks for. [`DriverChoice::Stock`] returns it as it is. With
/// [`Use::WhereItRuns`] a server that runs is borrowed, and nothing is installed or started. Otherwise
/// [`DriverChoice::Auto`] starts the server in the background if it is installed, and [`DriverChoice::Uia2`]
/// installs it if need be and starts it first.
///
/// # Errors
/// Fails if uia2 was asked for by name and cannot be installed or started.
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
        (_, Use::WhereItRuns) if device.uia2_installed() => Ok(with_borrowed_server(device).await),
        (_, Use::WhereItRuns) => Ok(device),
        (DriverChoice::Auto, _) if !device.uia2_installed() => Ok(device),
        (DriverChoice::Auto, _) => Ok(Arc::new(Uia2Device::with_background_start(device, wanted))),
        (DriverChoice::Uia2, _) => {
            apks::ensure(device.as_ref(), places)
                .await
                .map_err(cannot)?;
            let driven = Uia2Device::with_started_server(device, wanted)
                .await
                .map_err(cannot)?;
            Ok(Arc::new(driven))
        }
    }
}

/// Wraps the device so that it looks through another client's running server, if there is one, as
/// `uiautomator dump` would take the slot from it.
async fn with_borrowed_server(device: Arc<dyn Device>) -> Arc<dyn Device> {
    match Server::borrow(&device, &Owner::current()).await {
        Some(server) => Arc::new(Uia2Device::new(
            device,
            Slot::with_server(server),
            Use::WhereItRuns,
        )),
        None => device,
    }
}

/// Device whose screen is read and touched through the server, as long as the server works.
struct Uia2Device {
    inner: Arc<dyn Device>,
    info: DeviceInfo,
    slot: Arc<Slot>,
    _idler: Option<AbortOnDropHandle<()>>,
}

impl Uia2Device {
    /// Wraps a device. With [`Use::NowAndThen`] a background task ends the server when it is idle. Starts no
    /// server.
    fn new(inner: Arc<dyn Device>, slot: Slot, wanted: Use) -> Self {
        let slot = Arc::new(slot);
        let info = DeviceInfo {
            driver: Some(DriverKind::Uia2),
            ..inner.info().clone()
        };
        let idler = match wanted {
            Use::NowAndThen(after) => {
                let idling = Arc::clone(&slot).end_when_idle(Arc::clone(&inner), after);
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

    /// Creates the device and starts the server in the background.
    fn with_background_start(inner: Arc<dyn Device>, wanted: Use) -> Self {
        let device = Self::new(inner, Slot::empty(), wanted);
        device.slot.start_in_background(&device.inner);
        device
    }

    /// Starts the server, waits for it, and creates the device.
    async fn with_started_server(inner: Arc<dyn Device>, wanted: Use) -> Result<Self, Uia2Error> {
        let server = Server::start(&inner, &Owner::current(), PATIENT_START_LIMIT).await?;
        Ok(Self::new(inner, Slot::with_server(server), wanted))
    }

    /// Returns the server if it runs and belongs to this process, so that it may be used for input.
    async fn owned_server(&self) -> Option<ServerGuard<'_>> {
        let guard = self.slot.running().await?;
        guard.server().is_ours().then_some(guard)
    }
}

/// Splits inputs, in their order, into batches for the server and for the wrapped device. Up to
/// [`MAX_KEY_REQUESTS`] key presses in a row are one batch for the server; more go to the wrapped device.
fn plan(session: &wire::SessionPath, inputs: &[Input]) -> Vec<InputBatch> {
    let mut batches: Vec<InputBatch> = Vec::new();
    let mut rest = inputs;
    while let Some(first) = rest.first() {
        let keys = rest.iter().take_while(|input| is_short_key(input)).count();
        let take = keys.max(1);
        let (these, after) = rest.split_at(take);
        rest = after;
        let requests = match keys {
            0 => request(session, first).map(|request| vec![request]),
            1..=MAX_KEY_REQUESTS => these
                .iter()
                .map(|input| request(session, input))
                .collect::<Option<Vec<_>>>(),
            // The wrapped device presses all of them with one process.
            _ => None,
        };
        let needs = these.iter().map(Input::needs).sum();
        match (requests, batches.last_mut()) {
            (Some(requests), _) => batches.push(InputBatch::Server { requests, needs }),
            (None, Some(InputBatch::Inner(inputs))) => inputs.extend_from_slice(these),
            (None, _) => batches.push(InputBatch::Inner(these.to_vec())),
        }
    }
    batches
}

/// Inputs that are sent together.
enum InputBatch {
    /// Requests to the server, in one round trip.
    Server {
        requests: Vec<Request>,
        needs: Duration,
    },
    /// Inputs for the wrapped device, which the server has no request for.
    Inner(Vec<Input>),
}

/// Counts good answers in `done`, and fails at the first that is an error. That error counts as not sent if the
/// server has lost the session, as it has done nothing then.
fn check_answers(answers: &[Answer], done: &mut usize) -> Result<(), RequestError> {
    for answer in answers {
        match wire::check(answer) {
            Ok(()) => *done += 1,
            Err(error) => {
                // The session is another client's now, so the server did not even try the rest.
                let sent =
                    !matches!(&error, Uia2Error::ServerError { error, .. } if error == NO_SESSION);
                return Err(RequestError { error, sent });
            }
        }
    }
    Ok(())
}

fn is_short_key(input: &Input) -> bool {
    matches!(input, Input::Key { long: false, .. })
}

/// Returns the request for one input; `None` if the server has none.
fn request(session: &wire::SessionPath, input: &Input) -> Option<Request> {
    match input {
        Input::Key { key, long } => Some(session.key(keys::code(key)?, 0, *long)),
        Input::Combination(keys) => {
            let (code, meta) = keys::combination(keys)?;
            Some(session.key(code, meta, false))
        }
        input => actions::from_input(input).map(|sources| session.actions(sources)),
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

    /// Looks through the server, and through Android's own dump if the server does not run or fails. A failing
    /// server is disabled until the flow ends. A short look in which it is only late is a timeout, until
    /// [`MAX_SILENT_LOOKS`] in a row were. A screen without elements is an error at once, as the dump would
    /// find the same.
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
                (left().limit / 2).min(MAX_SERVER_TIME)
            },
            ..options
        };
        let looked = guard.server().look(self.inner.as_ref(), part).await;
        match looked {
            Ok(screen) => {
                guard.note_answer();
                return Ok(screen);
            }
            // A screen without elements; a dump would find the same.
            Err(Uia2Error::Device(error @ DeviceError::NoDump { .. })) => return Err(error),
            // A working server may miss a short limit too, so the caller looks again.
            Err(Uia2Error::AnswerTimeout { .. })
                if is_short && guard.count_silence() < MAX_SILENT_LOOKS =>
            {
                return Err(DeviceError::Timeout {
                    what: "a look through the driver uia2".to_owned(),
                    limit: options.limit,
                });
            }
            Err(error) => guard.disable(error, &self.inner).await,
        }
        self.inner.look(left()).await
    }

    async fn picture(&self, options: PictureOptions) -> Result<Picture, DeviceError> {
        self.inner.picture(options).await
    }

    /// Sends inputs through the server, and those it cannot do through the wrapped device. If the server fails
    /// before it did an input, the rest is sent the other way; if nobody knows whether it did, that is an error.
    async fn input(&self, inputs: &[Input], limit: Duration) -> Result<(), DeviceError> {
        let Some(guard) = self.owned_server().await else {
            return self.inner.input(inputs, limit).await;
        };
        let mut done = 0;
        for batch in plan(&guard.server().session, inputs) {
            let failed = match batch {
                InputBatch::Inner(inputs) => {
                    self.inner.input(&inputs, limit).await?;
                    done += inputs.len();
                    continue;
                }
                InputBatch::Server { requests, needs } => {
                    let answers = guard
                        .server()
                        .client
                        .exchange(&requests, limit + needs)
                        .await;
                    match answers.and_then(|answers| check_answers(&answers, &mut done)) {
                        Ok(()) => continue,
                        Err(failed) => failed,
                    }
                }
            };
            return match failed {
                // The server did none of these, so they can be sent another way.
                RequestError { error, sent: false } => {
                    guard.disable(error, &self.inner).await;
                    self.inner.input(&inputs[done..], limit).await
                }
                RequestError {
                    error: error @ Uia2Error::ServerError { .. },
                    ..
                } => Err(text::refused(&error)),
                RequestError { error, .. } => {
                    let error = guard.server().find_cause(error);
                    let lost = text::unknown("an input", &error);
                    guard.disable(error, &self.inner).await;
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
        // The server presses keys with a meta state on every release.
        self.slot.may_run() || self.inner.holds_modifiers()
    }

    /// Asks the server of this program for the element with the focus. `None` without one, and if the server fails.
    async fn focused_element(
        &self,
        limit: Duration,
    ) -> Result<Option<FocusedElement>, DeviceError> {
        let Some(guard) = self.owned_server().await else {
            return Ok(None);
        };
        // After `None` the caller takes a look, which reports a failing server.
        Ok(focus::ask(guard.server(), self.inner.as_ref(), limit)
            .await
            .ok()
            .flatten())
    }

    fn sets_text(&self) -> bool {
        self.slot.may_run()
    }

    /// Sets the text of the focused field through the server of this program. False if nothing was set, so that
    /// keys may be used. An error if nobody knows whether it arrived.
    async fn set_text(&self, text: &str, limit: Duration) -> Result<bool, DeviceError> {
        let Some(guard) = self.owned_server().await else {
            return Ok(false);
        };
        match text::set(guard.server(), text, limit).await {
            Ok(done) => Ok(done),
            Err(RequestError { error, sent }) => {
                let error = guard.server().find_cause(error);
                let lost = text::unknown("a text", &error);
                guard.disable(error, &self.inner).await;
                if sent { Err(lost) } else { Ok(false) }
            }
        }
    }

    async fn alive(&self, limit: Duration) -> Result<(), DeviceError> {
        self.inner.alive(limit).await
    }

    /// Starts the server again in the background if it failed in an earlier flow, but not too often. Does not wait
    /// for it.
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

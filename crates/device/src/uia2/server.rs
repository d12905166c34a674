//! Server on the device: its start, its session and its end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::error::{RequestError, Uia2Error};
use super::http::{Client, Request};
use super::names::{SERVER, TEST};
use super::owner::{Holder, Owner};
use super::wire::{self, SessionPath};
use crate::front_elements::FrontElements;
use crate::source::FrontCache;
use crate::{Device, DeviceError, LineStream, LookOptions, Script};
use runner_text::secret::Excerpt;

/// Limit for a running server to list its sessions. Chosen: it answers from memory; one that hangs must not
/// delay a start.
const PROBE_LIMIT: Duration = Duration::from_secs(3);
/// Limit for stopping both packages. Chosen: two short commands.
const STOP_LIMIT: Duration = Duration::from_secs(5);
/// Limit for ending a session. Chosen: the server ends with it, perhaps before it answers.
const FAREWELL_LIMIT: Duration = Duration::from_secs(1);
/// First and longest pause between two questions whether the server answers. Chosen: little beside a start of
/// seconds.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));
/// Bytes of the instrumentation's output to store. Chosen: its errors have some lines.
const MAX_OUTPUT: usize = 4000;

/// Server with a session.
pub(super) struct Server {
    pub(super) client: Client,
    pub(super) session: SessionPath,
    pub(super) front: FrontCache,
    pub(super) front_elements: FrontElements,
    /// Instrumentation of the server; `None` for another client's session, which is used for looks only.
    lifetime: Option<ServerLifetime>,
}

/// Running instrumentation. Dropping it ends the server: the device's shell gets SIGHUP, and its trap stops
/// the packages.
struct ServerLifetime {
    output: Arc<Mutex<String>>,
    ended: CancellationToken,
    _reader: AbortOnDropHandle<()>,
}

impl ServerLifetime {
    /// Starts the instrumentation and reads its output in the background. Returns before the server answers.
    async fn begin(device: &dyn Device) -> Result<Self, Uia2Error> {
        let lines = device.lines(&instrument()).await?;
        let parsed = Arc::new(Mutex::new(String::new()));
        let ended = CancellationToken::new();
        let reader = tokio::spawn(read(lines, Arc::clone(&parsed), ended.clone()));
        Ok(Self {
            output: parsed,
            ended,
            _reader: AbortOnDropHandle::new(reader),
        })
    }

    /// Builds the [`Uia2Error::Ended`] of the instrumentation, with what its output says. `what` is `ended` or
    /// `did not start`.
    fn end(&self, what: &'static str) -> Uia2Error {
        let parsed = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        Uia2Error::Ended {
            what,
            output: explain(&parsed),
        }
    }
}

/// Builds the script that runs the instrumentation, and stops both packages when its stream is closed for
/// whatever reason.
fn instrument() -> Script {
    let script = format!(
        "trap 'am force-stop {SERVER}; am force-stop {TEST}' EXIT HUP TERM; am instrument -w -e disableAnalytics true {TEST}/androidx.test.runner.AndroidJUnitRunner & wait $!"
    );
    Script::raw(script, "am instrument")
}

/// Collects the output until it ends, at most [`MAX_OUTPUT`] bytes, and then cancels `ended`.
async fn read(
    mut lines: Box<dyn LineStream>,
    parsed: Arc<Mutex<String>>,
    ended: CancellationToken,
) {
    while let Ok(Some(line)) = lines.next_line().await {
        let mut response = parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if response.len() + line.len() < MAX_OUTPUT {
            response.push_str(&line);
            response.push('\n');
        }
    }
    ended.cancel();
}

/// Returns advice for a known message of `am instrument`; else its first line that names an error, an exception, a
/// crash or a failure, marked to be cut after 300 characters. Empty if there is no such line.
fn explain(message: &str) -> String {
    if message.contains("already registered") {
        return "another automation client (uiautomator2, Maestro, an accessibility test) holds the device's only slot; stop it".to_owned();
    }
    if message.contains("Unable to find instrumentation") {
        return "its test package is not installed; run `runner driver install uia2`".to_owned();
    }
    let signs = [
        "Error",
        "Exception",
        "shortMsg=",
        "Process crashed",
        "FAILED",
    ];
    let telling = message
        .lines()
        .find(|line| signs.iter().any(|sign| line.contains(sign)));
    Excerpt::new(telling.unwrap_or("").trim(), 300).to_string()
}

/// State of the server's port before a start.
pub(super) enum PortState {
    Nothing,
    /// Session of this holder.
    Session(Holder, SessionPath),
    /// Server without a session, or one that hangs, as a crash leaves it.
    Leftover,
}

/// Asks for the sessions of the server on the port, for at most three seconds. A refused connection means
/// that there is no server. A server that does not answer, or has no session with a usable id, is
/// [`PortState::Leftover`]. Of several sessions the first counts.
///
/// # Errors
/// Returns a [`Uia2Error`] for all other failures, such as an answer that is not this server's.
pub(super) async fn probe(client: &Client, owner: &Owner) -> Result<PortState, Uia2Error> {
    let answers = client
        .exchange(&[Request::get("/sessions")], PROBE_LIMIT)
        .await;
    let answer = match answers {
        Ok(answers) => answers
            .into_iter()
            .next()
            .ok_or(Uia2Error::ConnectionClosed)?,
        Err(RequestError { error, .. }) => {
            return match error {
                Uia2Error::Refused => Ok(PortState::Nothing),
                Uia2Error::AnswerTimeout { .. } | Uia2Error::ConnectionClosed => {
                    Ok(PortState::Leftover)
                }
                error => Err(error),
            };
        }
    };
    let sessions = wire::sessions(&answer)?;
    let Some(session) = sessions.first().map(wire::session) else {
        return Ok(PortState::Leftover);
    };
    let path = session.id.as_deref().and_then(SessionPath::new);
    Ok(match path {
        Some(path) => PortState::Session(owner.find_holder(&session.capabilities), path),
        None => PortState::Leftover,
    })
}

impl Server {
    /// Starts the server and takes a first look, which proves that it works. All of it takes at most `limit`.
    ///
    /// # Errors
    /// Returns [`Uia2Error::InUse`] if another client or a runner that is alive has a session, which is left
    /// alone, and [`Uia2Error::StartTimeout`] after `limit`.
    pub(super) async fn start(
        device: &Arc<dyn Device>,
        owner: &Owner,
        limit: Duration,
    ) -> Result<Self, Uia2Error> {
        let deadline = Instant::now() + limit;
        let starting = Self::start_when_free(device, owner, deadline, limit);
        let started = tokio::time::timeout_at(deadline, starting).await;
        started.unwrap_or(Err(Uia2Error::StartTimeout { limit }))
    }

    /// Starts the server if nobody uses it: leftovers are stopped first, and another holder is
    /// [`Uia2Error::InUse`]. One that ends at once without a word is started once more.
    async fn start_when_free(
        device: &Arc<dyn Device>,
        owner: &Owner,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Self, Uia2Error> {
        let client = Client::new(Arc::clone(device));
        match probe(&client, owner).await? {
            PortState::Nothing => {}
            PortState::Session(Holder::Nobody, _) | PortState::Leftover => {
                force_stop(device.as_ref()).await?;
            }
            PortState::Session(holder, _) => {
                return Err(Uia2Error::InUse {
                    holder: holder.name(),
                });
            }
        }
        match Self::start_once(device, owner, deadline, limit).await {
            // The trap of a server that has just ended may have stopped this one too.
            Err(Uia2Error::Ended {
                output: message, ..
            }) if message.is_empty() => Self::start_once(device, owner, deadline, limit).await,
            started => started,
        }
    }

    /// Starts the server, begins a session with its settings, and looks once before the deadline, as a server may
    /// answer all else without its slot. A screen without elements is good enough. An instrumentation that ends
    /// meanwhile is [`Uia2Error::Ended`].
    async fn start_once(
        device: &Arc<dyn Device>,
        owner: &Owner,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Self, Uia2Error> {
        let life = ServerLifetime::begin(device.as_ref()).await?;
        let client = Client::new(Arc::clone(device));
        let ready = async {
            wait_until_it_answers(&client).await?;
            let answers = client.exchange(&[wire::begin_session(owner)], limit).await;
            let answers = answers.map_err(|failed| failed.error)?;
            let session = wire::parse_session(answers.first().ok_or(Uia2Error::ConnectionClosed)?)?;
            let answers = client.exchange(&[session.settings()], limit).await;
            let answers = answers.map_err(|failed| failed.error)?;
            wire::check(answers.first().ok_or(Uia2Error::ConnectionClosed)?)?;
            Ok::<_, Uia2Error>(session)
        };
        let session = tokio::select! {
            session = ready => session?,
            () = life.ended.cancelled() => return Err(life.end("did not start")),
        };
        let server = Self {
            client,
            session,
            front: FrontCache::default(),
            front_elements: FrontElements::default(),
            lifetime: Some(life),
        };
        // A server that lost its slot still answers all requests but looks.
        let left = deadline.saturating_duration_since(Instant::now());
        let options = LookOptions {
            surroundings: false,
            ..LookOptions::within(left)
        };
        match server.look(device.as_ref(), options).await {
            Ok(_) | Err(Uia2Error::Device(DeviceError::NoDump { .. })) => Ok(server),
            Err(error) => Err(error),
        }
    }

    /// Uses the session of another client, or of another runner that is alive, for looks. `None` if there is
    /// none, if its owner is this process or has ended, or if the port cannot be asked. A borrowed server is
    /// not stopped by [`Self::stop`].
    pub(super) async fn borrow(device: &Arc<dyn Device>, owner: &Owner) -> Option<Self> {
        let client = Client::new(Arc::clone(device));
        match probe(&client, owner).await {
            Ok(PortState::Session(Holder::Runner(_) | Holder::Other, session)) => Some(Self {
                client,
                session,
                front: FrontCache::default(),
                front_elements: FrontElements::default(),
                lifetime: None,
            }),
            _ => None,
        }
    }

    /// Returns true if this process started the server, so that it takes inputs.
    pub(super) fn is_ours(&self) -> bool {
        self.lifetime.is_some()
    }

    /// Replaces `error` by the end of the instrumentation, if it has ended.
    pub(super) fn find_cause(&self, error: Uia2Error) -> Uia2Error {
        match &self.lifetime {
            Some(life) if life.ended.is_cancelled() => life.end("ended"),
            _ => error,
        }
    }

    /// Ends the session and stops both packages, so that Android's own commands get the slot back. Errors are
    /// ignored. Does nothing to a borrowed server, which belongs to another client.
    pub(super) async fn stop(self, device: &dyn Device) {
        let Some(life) = self.lifetime else {
            return;
        };
        let _ = self
            .client
            .exchange(&[self.session.end()], FAREWELL_LIMIT)
            .await;
        drop(life);
        // A lost device has no server either, so errors are ignored.
        let _ = force_stop(device).await;
    }
}

/// Asks for the server's status with growing pauses until it answers anything, without a limit. Errors other than a
/// port that does not answer yet end it.
async fn wait_until_it_answers(client: &Client) -> Result<(), Uia2Error> {
    let (mut pause, longest) = PAUSES;
    loop {
        let answers = client
            .exchange(&[Request::get("/status")], PROBE_LIMIT)
            .await;
        match answers {
            Ok(_) => return Ok(()),
            Err(RequestError { error, .. }) => match error {
                // Through adb a port may accept a connection before a process listens.
                Uia2Error::Refused
                | Uia2Error::ConnectionClosed
                | Uia2Error::AnswerTimeout { .. } => {}
                error => return Err(error),
            },
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Stops the packages of the server and of its test, within five seconds. The exit code is not checked.
///
/// # Errors
/// Fails only if the shell cannot be reached.
pub(super) async fn force_stop(device: &dyn Device) -> Result<(), DeviceError> {
    let script = Script::raw(
        format!("am force-stop {SERVER}; am force-stop {TEST}"),
        "am force-stop",
    );
    device.shell(&script, STOP_LIMIT).await.map(drop)
}

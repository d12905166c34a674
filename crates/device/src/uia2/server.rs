//! The server on the device: starting it, its session, and its end.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::error::{Failed, Uia2Error};
use super::http::{Client, Request};
use super::owner::{Holder, Owner};
use super::wire::{self, SessionPath};
use super::{SERVER, TEST};
use crate::front_elements::FrontElements;
use crate::source::FrontCache;
use crate::{Device, DeviceError, LineStream, LookOptions, Script};
use runner_screen::Screen;
use runner_text::secret::Excerpt;

/// How long a server that is there may take to say whose it is.
const PROBE_LIMIT: Duration = Duration::from_secs(3);
/// How long ending the packages may take.
const STOP_LIMIT: Duration = Duration::from_secs(5);
/// How long a session's end may take: the server ends with it, perhaps before it answers.
const FAREWELL_LIMIT: Duration = Duration::from_secs(1);
/// Between two questions whether it is there yet: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));
/// Most that is kept of what the instrumentation prints.
const MAX_OUTPUT: usize = 4000;

/// A server with a session.
pub(super) struct Server {
    pub(super) client: Client,
    pub(super) session: SessionPath,
    pub(super) front: FrontCache,
    pub(super) front_elements: FrontElements,
    /// What keeps it running; `None` where the session is somebody else's, and is only looked through.
    lifetime: Option<ServerLifetime>,
}

/// The instrumentation. Dropping it ends the server: the shell on the device hangs up, and its trap stops the packages.
struct ServerLifetime {
    output: Arc<Mutex<String>>,
    ended: CancellationToken,
    _reader: AbortOnDropHandle<()>,
}

impl ServerLifetime {
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

    fn end(&self, what: &'static str) -> Uia2Error {
        let parsed = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        Uia2Error::Ended {
            what,
            output: explained(&parsed),
        }
    }
}

/// Runs the instrumentation until its stream is closed, however that comes about.
fn instrument() -> Script {
    let script = format!(
        "trap 'am force-stop {SERVER}; am force-stop {TEST}' EXIT HUP TERM; am instrument -w -e disableAnalytics true {TEST}/androidx.test.runner.AndroidJUnitRunner & wait $!"
    );
    Script::raw(script, "am instrument")
}

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

/// The most informative line of what `am instrument` printed.
fn explained(message: &str) -> String {
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

/// What a port says before anything was started.
pub(super) enum Found {
    /// Nothing answers.
    Nothing,
    /// Somebody's session.
    Session(Holder, SessionPath),
    /// A server without a session, or one that hangs: what a crash left behind.
    Remains,
}

/// Whose the server is that answers, if one does.
pub(super) async fn probe(client: &Client, owner: &Owner) -> Result<Found, Uia2Error> {
    let answers = client
        .exchange(&[Request::get("/sessions")], PROBE_LIMIT)
        .await;
    let answer = match answers {
        Ok(answers) => answers.into_iter().next().ok_or(Uia2Error::Cut)?,
        Err(Failed { error, .. }) => {
            return match error {
                Uia2Error::Refused => Ok(Found::Nothing),
                Uia2Error::Silent { .. } | Uia2Error::Cut => Ok(Found::Remains),
                error => Err(error),
            };
        }
    };
    let sessions = wire::sessions(&answer)?;
    let Some(session) = sessions.first().map(wire::session) else {
        return Ok(Found::Remains);
    };
    let path = session.id.as_deref().and_then(SessionPath::new);
    Ok(match path {
        Some(path) => Found::Session(owner.judge(&session.capabilities), path),
        None => Found::Remains,
    })
}

impl Server {
    /// Starts the server and looks through it: only then it is alive. Refuses where it is somebody else's.
    pub(super) async fn start(
        device: &Arc<dyn Device>,
        owner: &Owner,
        limit: Duration,
    ) -> Result<Self, Uia2Error> {
        let deadline = Instant::now() + limit;
        let starting = Self::start_when_free(device, owner, deadline, limit);
        let started = tokio::time::timeout_at(deadline, starting).await;
        started.unwrap_or(Err(Uia2Error::Slow { limit }))
    }

    async fn start_when_free(
        device: &Arc<dyn Device>,
        owner: &Owner,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Self, Uia2Error> {
        let client = Client::new(Arc::clone(device));
        match probe(&client, owner).await? {
            Found::Nothing => {}
            Found::Session(Holder::Nobody, _) | Found::Remains => {
                force_stop(device.as_ref()).await?;
            }
            Found::Session(holder, _) => {
                return Err(Uia2Error::InUse {
                    holder: holder.name(),
                });
            }
        }
        match Self::start_once(device, owner, deadline, limit).await {
            // The trap of a server that ended a moment ago may have stopped this one too.
            Err(Uia2Error::Ended {
                output: message, ..
            }) if message.is_empty() => Self::start_once(device, owner, deadline, limit).await,
            started => started,
        }
    }

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
            let answers = client.exchange(&[wire::begin(owner)], limit).await;
            let answers = answers.map_err(|failed| failed.error)?;
            let session = wire::begun(answers.first().ok_or(Uia2Error::Cut)?)?;
            let answers = client.exchange(&[session.settings()], limit).await;
            let answers = answers.map_err(|failed| failed.error)?;
            wire::done(answers.first().ok_or(Uia2Error::Cut)?)?;
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
        // A server that lost its slot still answers everything but looks.
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

    /// Somebody's session, to look through and for nothing else; `None` where there is none.
    pub(super) async fn borrow(device: &Arc<dyn Device>, owner: &Owner) -> Option<Self> {
        let client = Client::new(Arc::clone(device));
        match probe(&client, owner).await {
            Ok(Found::Session(Holder::Runner(_) | Holder::Other, session)) => Some(Self {
                client,
                session,
                front: FrontCache::default(),
                front_elements: FrontElements::default(),
                lifetime: None,
            }),
            _ => None,
        }
    }

    /// Whether it is ours, and takes inputs.
    pub(super) fn is_ours(&self) -> bool {
        self.lifetime.is_some()
    }

    /// The screen as it is now.
    pub(super) async fn look(
        &self,
        device: &dyn Device,
        options: LookOptions,
    ) -> Result<Screen, Uia2Error> {
        super::look::look(self, device, options).await
    }

    /// Why it is gone, where the instrumentation ended; else `error`.
    pub(super) fn blame(&self, error: Uia2Error) -> Uia2Error {
        match &self.lifetime {
            Some(life) if life.ended.is_cancelled() => life.end("ended"),
            _ => error,
        }
    }

    /// Ends it, so that Android's own commands have the slot again.
    pub(super) async fn stop(self, device: &dyn Device) {
        let Some(life) = self.lifetime else {
            return;
        };
        let _ = self
            .client
            .exchange(&[self.session.end()], FAREWELL_LIMIT)
            .await;
        drop(life);
        // A device that is gone has no server either.
        let _ = force_stop(device).await;
    }
}

async fn wait_until_it_answers(client: &Client) -> Result<(), Uia2Error> {
    let (mut pause, longest) = PAUSES;
    loop {
        let answers = client
            .exchange(&[Request::get("/status")], PROBE_LIMIT)
            .await;
        match answers {
            Ok(_) => return Ok(()),
            Err(Failed { error, .. }) => match error {
                // Through adb a port may take a connection before anybody answers there.
                Uia2Error::Refused | Uia2Error::Cut | Uia2Error::Silent { .. } => {}
                error => return Err(error),
            },
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Ends both packages.
pub(super) async fn force_stop(device: &dyn Device) -> Result<(), DeviceError> {
    let script = Script::raw(
        format!("am force-stop {SERVER}; am force-stop {TEST}"),
        "am force-stop",
    );
    device.shell(&script, STOP_LIMIT).await.map(drop)
}

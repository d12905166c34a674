//! An answer of a host: what was asked for, the app's state, what happened since; or why not.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Event, Frame, Node, Pixels, State, WindowInfo};
use crate::process::HostError;

/// What a host answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What was asked for.
    pub ok: Value,
    /// How the app stands.
    pub state: State,
    /// What happened since the last answer, in order.
    pub events: Vec<Event>,
    /// Bytes, such as the pixels of `draw`.
    pub payload: Vec<u8>,
}

/// Why a host did not do what was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind of reason it is.
    pub kind: ErrorKind,
    /// The reason.
    pub message: String,
    /// Java's stack, where there is one.
    pub trace: String,
    /// How the app stands.
    pub state: State,
    /// What happened since the last answer, in order.
    pub events: Vec<Event>,
}

/// Kinds of reasons why a host does not do what is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// There is no such activity.
    Unresolved,
    /// There is no such window or node any more.
    Stale,
    /// The view does not take the action.
    Refused,
    /// Robolectric or the host cannot do it; the message names what.
    Unsupported,
    /// The app has crashed: nothing runs any more.
    Crashed,
    /// A fault of the host, not of the app.
    #[default]
    #[serde(other)]
    Internal,
}

#[derive(Deserialize)]
struct Header {
    id: u64,
    #[serde(default)]
    ok: Value,
    error: Option<ErrorPart>,
    #[serde(default)]
    state: State,
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ErrorPart {
    kind: ErrorKind,
    message: String,
    trace: String,
}

impl Answer {
    /// Whose answer a frame is, and what it says.
    ///
    /// # Errors
    /// [`HostError::Protocol`].
    pub(super) fn read(frame: Frame) -> Result<(u64, Result<Self, HostError>), HostError> {
        let header: Header = serde_json::from_slice(&frame.header)
            .map_err(|error| HostError::Protocol(format!("an answer does not read: {error}")))?;
        let Header {
            id,
            ok,
            error,
            state,
            events,
        } = header;
        let replied = match error {
            None => Ok(Self {
                ok,
                state,
                events,
                payload: frame.payload,
            }),
            Some(error) => Err(HostError::Failed(Box::new(Failure {
                kind: error.kind,
                message: error.message,
                trace: error.trace,
                state,
                events,
            }))),
        };
        Ok((id, replied))
    }

    /// A field of what was asked for; its default where the host left it out.
    ///
    /// # Errors
    /// [`HostError::Protocol`].
    pub fn take<T: DeserializeOwned + Default>(&mut self, field: &str) -> Result<T, HostError> {
        let Some(value) = self.ok.get_mut(field).map(Value::take) else {
            return Ok(T::default());
        };
        serde_json::from_value(value)
            .map_err(|error| HostError::Protocol(format!("`{field}` does not read: {error}")))
    }

    /// The windows of `look`, back to front.
    ///
    /// # Errors
    /// [`HostError::Protocol`].
    pub fn windows(&mut self) -> Result<Vec<WindowInfo>, HostError> {
        self.take("windows")
    }

    /// Where the pixels of `draw` stand in the payload.
    ///
    /// # Errors
    /// [`HostError::Protocol`], also where the payload has not as many.
    pub fn pixels(&mut self) -> Result<Vec<Pixels>, HostError> {
        let pixels: Vec<Pixels> = self.take("windows")?;
        match pixels.iter().find(|one| one.of(&self.payload).is_none()) {
            Some(short) => Err(HostError::Protocol(format!(
                "window {} has fewer pixels than it says",
                short.id
            ))),
            None => Ok(pixels),
        }
    }
}

impl Node {
    /// The node and all below it.
    pub fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }
}

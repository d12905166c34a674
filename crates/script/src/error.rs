//! Errors of scripts.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    pub fault: ScriptFault,
    /// Explanation and advice for the script's author.
    pub message: String,
    /// Position in a script file. `None` for a `${…}`: the caller knows the file and line of the command.
    pub place: Option<ScriptPlace>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptFault {
    /// The script threw an exception, or is not valid JavaScript.
    Thrown,
    /// The script did not end within its own time.
    Timeout,
    /// The flow's time was over before the script began or soon after. The script is not to blame.
    FlowTimeout,
    /// The script used too much memory, or made a text that is too long.
    TooLarge,
    /// The run was stopped. The script is not to blame.
    Stopped,
    /// The program was built without JavaScript.
    Unsupported,
    /// There is no engine: an earlier script still blocks it, or there is too little memory for one.
    Lost,
}

/// Position in a script file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptPlace {
    /// Path as the flow writes it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl ScriptError {
    /// Creates an error without a place.
    pub(super) fn new(fault: ScriptFault, message: impl Into<String>) -> Self {
        Self {
            fault,
            message: message.into(),
            place: None,
        }
    }
}

impl fmt::Display for ScriptError {
    /// Writes the message, after `file:line:column: ` if the place is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl fmt::Display for ScriptPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

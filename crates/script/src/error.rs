//! Why a script came to nothing.

use std::fmt;

/// A script that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// What kind of failure.
    pub fault: ScriptFault,
    /// What went wrong, and what to do.
    pub message: String,
    /// Where in a script file. Nothing for a `${…}`: whoever runs the command knows its file and line.
    pub place: Option<ScriptPlace>,
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptFault {
    /// The script threw, or cannot be read as JavaScript.
    Thrown,
    /// It did not end within its time.
    Timeout,
    /// The flow's time was up before it, or soon after it began: nothing is wrong with the script.
    FlowTimeout,
    /// It took more memory than a script may, or made a text that is too long.
    TooLarge,
    /// The run is to end: nothing is wrong with the script.
    Stopped,
    /// The program was built without JavaScript.
    Unsupported,
    /// There is no engine: a script before does not let it go, or there is too little memory for one.
    Lost,
}

/// A place in a script file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptPlace {
    /// The file, as the flow names it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl ScriptError {
    pub(super) fn new(fault: ScriptFault, message: impl Into<String>) -> Self {
        Self {
            fault,
            message: message.into(),
            place: None,
        }
    }
}

impl fmt::Display for ScriptError {
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

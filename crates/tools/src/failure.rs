//! Failures of steps and tools: whose fault, and what people need to know of it.

use serde_json::Value;

use runner_picture::PictureError;

use super::{Advice, ErrorCode, Reader, SelectorPatch, WaitTime, Words};
use runner_device::crash::{AppCrash, CrashKind};
use runner_device::{DeviceError, KeyError};
use runner_text::secret::{Excerpt, Scrubber};

/// Limit for a crash's reason in a message, in characters. Chosen: a reason is one line; the rest is in the
/// log.
const MAX_REASON_CHARS: usize = 300;

/// Whose fault a failure is.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The app is not as the flow says: JUnit `failure`, exit code 1.
    Assertion,
    /// A limit of the flow ran out.
    Timeout,
    /// A snapshot differs, is new, or is unstable.
    Snapshot,
    /// The flow asks for what cannot be: a bad value at run time. Exit code 1.
    Usage,
    /// The device cannot do it.
    Unsupported,
    /// The flow needs what no device of the run has. Exit code 2.
    Unfit,
    /// An exception that nobody caught ended the app's process.
    Crash,
    /// A signal in native code ended the app's process.
    NativeCrash,
    /// The app does not respond (ANR).
    Anr,
    /// The device or the way to it failed: JUnit `error`, exit code 3.
    Infrastructure,
}

impl FailureKind {
    /// Returns true for crashes and for apps that do not respond.
    pub fn is_crash(self) -> bool {
        matches!(self, Self::Crash | Self::NativeCrash | Self::Anr)
    }
}

/// What the log tells of an app that crashed or hangs.
#[derive(
    Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Crash {
    /// Name of the process: the package, or `PACKAGE:NAME`.
    pub process: String,
    /// Its id, where the log tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The exception, the signal, or what the app does not answer to.
    pub reason: String,
    /// Its calls, innermost first; 100 lines at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<String>,
}

/// An edit of a failed step, which a person may choose.
#[derive(Debug, Clone, PartialEq)]
pub enum Fix {
    /// Another selector.
    Selector {
        /// The failed selector, as YAML on one line.
        was: String,
        /// The new selector.
        write: String,
        /// Description of the element it finds, and of the mismatch.
        miss: String,
    },
    /// Another value of a key of the step.
    Value {
        key: &'static str,
        /// The value that the device shows, as a flow writes it.
        write: Value,
    },
}

impl Fix {
    /// Returns the text that the edit would write: the selector, or the value as JSON without its key.
    fn written(&self) -> String {
        match self {
            Self::Selector { write, .. } => write.clone(),
            Self::Value { write, .. } => write.to_string(),
        }
    }

    /// Returns true if the edit would write a secret into a flow, by the text that it would write.
    pub fn has_secret(&self, scrubber: &Scrubber) -> bool {
        let written = self.written();
        scrubber.scrub_outside(&written) != written
    }
}

impl std::fmt::Display for Fix {
    /// Writes the fix for a person: the near miss and the selector to write, or the key and the value to write.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Selector { write, miss, .. } => write!(f, "{miss}; write {write}"),
            Self::Value { key, write } => {
                write!(
                    f,
                    "write {key}: {}",
                    runner_text::flow_text::with_expressions(write)
                )
            }
        }
    }
}

/// Why a step failed, for every report: built once, rendered by each.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Failure {
    /// Whose fault.
    pub kind: FailureKind,
    /// What went wrong, in one line.
    #[schemars(with = "String")]
    pub message: Words,
    /// What was expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// How long the step waited in vain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<WaitTime>,
    /// Further lines: nearest misses, matching elements with the selector that picks each, what to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub details: Vec<Words>,
    /// What to do, before [`Self::advise`] makes details of it.
    #[serde(skip)]
    pub advice: Vec<Advice>,
    /// Edits of the step that would have found or expected what is there.
    #[serde(skip)]
    pub fixes: Vec<Fix>,
    /// The near miss that the step surely misspells, as told in the details.
    #[serde(skip)]
    pub typo: Option<Box<str>>,
    /// What the log tells of the app, where it crashed or hangs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<Box<Crash>>,
    /// What to write instead of the step's selector, where that matches nothing and it is known which element it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Box<SelectorPatch>>,
    /// It came from asking the device, not from this computer's files.
    #[serde(skip)]
    pub is_of_device: bool,
    /// A script of Maestro's threw it, or took too much: a fault of the flow, which no try and no `optional` is for.
    #[serde(skip)]
    pub is_of_script: bool,
    /// Nothing on the screen matches its selector: another app may be in front than was thought.
    #[serde(skip)]
    pub is_of_missing: bool,
    /// The activity in front of the screen on which a flow failed: `PACKAGE/.ACTIVITY`. Only a flow's failure has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_front: Option<Box<str>>,
    /// The code that an MCP dialect puts into the structured result, such as -32602.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i32>")]
    pub code: Option<ErrorCode>,
}

impl Failure {
    /// Creates a failure of this kind with the message alone.
    pub fn new(kind: FailureKind, message: impl Into<Words>) -> Self {
        Self {
            kind,
            message: message.into(),
            expected: None,
            actual: None,
            waited: None,
            details: Vec::new(),
            advice: Vec::new(),
            fixes: Vec::new(),
            typo: None,
            crash: None,
            patch: None,
            is_of_device: false,
            is_of_script: false,
            is_of_missing: false,
            in_front: None,
            code: None,
        }
    }

    /// Builds a fault of the device, of the kind `Infrastructure` and marked as the device's.
    pub fn device(message: impl Into<Words>) -> Self {
        Self {
            is_of_device: true,
            ..Self::new(FailureKind::Infrastructure, message)
        }
    }

    /// Builds the failure for an app that crashed or does not respond; its kind follows the crash's. The message is one
    /// line with the reason, marked to be cut after 300 characters. The whole reason and stack are kept beside it.
    pub fn crash(crash: AppCrash) -> Self {
        let (kind, what) = match crash.kind {
            CrashKind::Exception => (FailureKind::Crash, "crashed"),
            CrashKind::Native => (FailureKind::NativeCrash, "crashed in native code"),
            CrashKind::NotResponding => (FailureKind::Anr, "does not respond"),
        };
        let reason = Excerpt::new(&crash.reason, MAX_REASON_CHARS);
        let message = if crash.reason.is_empty() {
            format!("{} {what}", crash.process)
        } else {
            format!("{} {what}: {reason}", crash.process)
        };
        let failure = Self::new(kind, message);
        Self {
            crash: Some(Box::new(Crash {
                process: crash.process,
                pid: crash.pid,
                reason: crash.reason,
                stack: crash.stack,
            })),
            ..failure
        }
    }

    /// Returns true for differences from a golden, or a missing one. They would differ again in a retry; only
    /// unstable screens may not.
    pub fn is_about_a_golden(&self) -> bool {
        self.kind == FailureKind::Snapshot
    }

    /// Builds the failure of an invalid value.
    pub fn usage(message: impl Into<Words>) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// Builds the failure of something that this device or program cannot do; the message says what is
    /// missing.
    pub fn unsupported(message: impl Into<Words>) -> Self {
        Self::new(FailureKind::Unsupported, message)
    }

    /// Builds the failure of the program's own files, such as an artifact that cannot be written.
    pub fn infrastructure(message: impl Into<Words>) -> Self {
        Self::new(FailureKind::Infrastructure, message)
    }

    /// Adds detail lines.
    #[must_use]
    pub fn with_details<T: Into<Words>>(mut self, details: impl IntoIterator<Item = T>) -> Self {
        self.details.extend(details.into_iter().map(Into::into));
        self
    }

    /// Adds advice, which becomes a detail once it is known who reads it.
    #[must_use]
    pub fn with_advice(mut self, advice: impl IntoIterator<Item = Advice>) -> Self {
        self.advice.extend(advice);
        self
    }

    /// Writes the advice into the details in the language of its reader, and removes it, so that a later reader
    /// adds nothing. What that language cannot say is left out.
    #[must_use]
    pub fn advise(mut self, reader: &dyn Reader) -> Self {
        let advice = std::mem::take(&mut self.advice);
        for advice in advice {
            let lines = advice.lines(reader);
            if advice.is_typo() && self.typo.is_none() {
                self.typo = lines.first().map(|line| line.as_str().into());
            }
            self.details.extend(lines.into_iter().map(Words::from));
        }
        self
    }

    /// Replaces the message and adds the old one at the start of the details, as `cause: …`. Nothing changes if both
    /// are equal. Kind, advice and fixes stay.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Words>) -> Self {
        let message = message.into();
        if message != self.message {
            let cause = Words::format("cause: {}", &[&self.message]);
            self.details.insert(0, cause);
            self.message = message;
        }
        self
    }

    /// Sets the expected and the actual value, which outputs show below the message.
    #[must_use]
    pub fn comparing(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.actual = Some(actual.into());
        self
    }

    /// Builds the failure of an assertion.
    pub fn assertion(message: impl Into<Words>) -> Self {
        Self::new(FailureKind::Assertion, message)
    }
}

impl From<DeviceError> for Failure {
    /// Converts a fault of the device or its connection to `Infrastructure`, an ability that it lacks to `Unsupported`,
    /// and all else to a failed assertion. The message stays.
    fn from(error: DeviceError) -> Self {
        let message = error.to_string();
        match &error {
            error if error.is_infrastructure() => Self::device(message),
            DeviceError::Unsupported { .. } => Self::new(FailureKind::Unsupported, message),
            _ => Self::assertion(message),
        }
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<PictureError> for Failure {
    fn from(error: PictureError) -> Self {
        DeviceError::from(error).into()
    }
}

/// Builds the failure of an invalid argument, with the code `INVALID_PARAMS`.
pub(super) fn invalid(message: impl Into<Words>) -> Failure {
    Failure {
        code: Some(ErrorCode::INVALID_PARAMS),
        ..Failure::usage(message)
    }
}

//! Results of steps and tools: outcome, verdict and failure.

use camino::Utf8PathBuf;
use serde_json::Value;

use runner_picture::PictureError;

use super::{ErrorCode, Resource, SelectorPatch, WaitTime, Words};
use runner_device::crash::{AppCrash, CrashKind};
use runner_device::{DeviceError, KeyError};
use runner_engine::{EngineError, Miss};
use runner_screen::{AbsenceProof, Rect};
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
    /// Returns the text that the edit would write.
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
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Selector { miss, .. } => f.write_str(miss),
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

/// Builds edits of the selector `was`, one for each nearest miss, in the same order.
fn fixes(was: &str, misses: &[Miss]) -> Vec<Fix> {
    let fix = |miss: &Miss| Fix::Selector {
        was: was.to_owned(),
        write: miss.write.clone(),
        miss: miss.to_string(),
    };
    misses.iter().map(fix).collect()
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
    /// Edits of the step that would have found or expected what is there.
    #[serde(skip)]
    pub fixes: Vec<Fix>,
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
    /// The activity in front of the screen on which a flow failed: `PACKAGE/.ACTIVITY`. Only a flow's failure has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_front: Option<Box<str>>,
    /// The code that an MCP dialect puts into the structured result, such as -32602.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i32>")]
    pub code: Option<ErrorCode>,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<Words>) -> Self {
        Self {
            kind,
            message: message.into(),
            expected: None,
            actual: None,
            waited: None,
            details: Vec::new(),
            fixes: Vec::new(),
            crash: None,
            patch: None,
            is_of_device: false,
            is_of_script: false,
            in_front: None,
            code: None,
        }
    }

    /// Builds a fault of the device, of the kind `Infrastructure`.
    pub fn device(message: impl Into<Words>) -> Self {
        Self {
            is_of_device: true,
            ..Self::new(FailureKind::Infrastructure, message)
        }
    }

    /// Builds the failure for an app that crashed or does not respond. The message is one line with the
    /// reason, cut to 300 characters. The whole reason and stack are kept beside it.
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

    /// Replaces the message and adds the old one at the start of the details, as `cause: …`. Nothing changes
    /// if both are equal.
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

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let message = words(&error);
        match error {
            EngineError::Device(error) => error.into(),
            EngineError::NotFound {
                unseen,
                misses,
                hints,
                screen,
                selector,
            } => {
                let mut failure = Self::assertion(message);
                failure.fixes = fixes(&selector, &misses);
                let nothing_near = misses.is_empty() && unseen.is_empty();
                let failure = failure.with_details(unseen);
                let failure = if nothing_near {
                    failure.with_details(screen.map(|screen| describe_screen(&screen)))
                } else {
                    failure
                        .with_details(misses.into_iter().map(|miss| format!("near miss: {miss}")))
                };
                failure.with_details(hints)
            }
            EngineError::PartialScreen { why, .. } if why.is_infrastructure() => {
                Self::new(FailureKind::Infrastructure, message)
            }
            EngineError::Several { candidates, .. }
            | EngineError::StillThere { candidates, .. } => {
                Self::assertion(message).with_details(candidates)
            }
            EngineError::Disabled { element, .. } => Self::assertion(message).with_details([
                format!("it is {element}"),
                "do first what enables it; `force: true` acts on it as it is".to_owned(),
            ]),
            EngineError::Covered { element, .. } => Self::assertion(message).with_details([
                format!("it is {element}"),
                "do first what uncovers it; `force: true` touches its middle as it is".to_owned(),
            ]),
            EngineError::NotShown { scrolls, .. } => Self::assertion(message).with_details([
                format!("scrolls: {scrolls}"),
                "a side at the edge of a container may be cut; scroll that container with `in` and `direction`"
                    .to_owned(),
            ]),
            EngineError::NotScrolledTo {
                unseen,
                misses,
                element,
                scrolls,
                ended,
                others,
                ..
            } => Self {
                fixes: fixes(&element, &misses),
                ..Self::assertion(message)
            }
            .with_details([format!(
                "scrolls: {scrolls}; {}",
                if ended {
                    "nothing moves any more"
                } else {
                    "that is the limit"
                }
            )])
            .with_details(others.into_iter().map(|other| {
                format!("{other} scrolls too and was not searched; `in` names the container to scroll")
            }))
            .with_details(unseen)
            .with_details(misses.into_iter().map(|miss| format!("near miss: {miss}"))),
            EngineError::NotTyped {
                expected, actual, ..
            } => Self {
                expected,
                actual,
                ..Self::assertion(message)
            },
            EngineError::NoCaret { .. } => Self::new(FailureKind::Unsupported, message),
            EngineError::NotIdle { .. }
            | EngineError::LookCutOff { .. }
            | EngineError::NotRead { .. } => Self::new(FailureKind::Timeout, message),
            _ => Self::assertion(message),
        }
    }
}

/// Converts an error's message. Words of the program may be shown to anyone; a selector, element or id in it
/// is marked as a value, which may be a secret. A message whose parts are not known counts as a value.
fn words(error: &EngineError) -> Words {
    let text = error.to_string();
    match error {
        EngineError::NotFound { selector, .. }
        | EngineError::Several { selector, .. }
        | EngineError::StillThere { selector, .. }
        | EngineError::Disabled { selector, .. }
        | EngineError::Covered { selector, .. } => Words::around(selector, text),
        EngineError::Hidden { element }
        | EngineError::NotEditable { element }
        | EngineError::NoCaret { element }
        | EngineError::NotTyped { element, .. }
        | EngineError::NotScrolledTo { element, .. }
        | EngineError::NotShown { element, .. }
        | EngineError::NoScrollable { element } => Words::around(element, text),
        EngineError::UnknownId { id } => Words::around(id, text),
        EngineError::NoFocus
        | EngineError::LookCutOff { .. }
        | EngineError::NotRead { .. }
        | EngineError::NotIdle { .. } => Words::around("", text),
        _ => text.into(),
    }
}

/// Describes the screen in one line: the app and activity in front, if known, and the number of elements.
fn describe_screen(screen: &runner_screen::Screen) -> String {
    match screen.foreground() {
        Some((package, activity)) => {
            format!(
                "in front is {package}/{activity}, {} elements",
                screen.len()
            )
        }
        None => format!("{} elements on the screen", screen.len()),
    }
}

/// Result of a tool when it is used as a step.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one per call, so its size does not matter"
)]
pub enum Verdict {
    Passed,
    /// The step failed although the tool answered (`found: false`, `AMBIGUOUS`, …).
    Failed(Failure),
}

/// Text of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerText {
    /// A text of its own.
    Words(Words),
    /// The answer's value as JSON.
    Value,
}

impl<T: Into<Words>> From<T> for AnswerText {
    fn from(words: T) -> Self {
        Self::Words(words.into())
    }
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Text for MCP clients; verbatim where a reference quotes it.
    pub text: AnswerText,
    /// Result for `as`: `${total.text}`. If it is null, `as` keeps the text.
    pub value: Value,
    /// Result as a step.
    pub verdict: Verdict,
    /// Pictures as encoded bytes with their media types.
    pub images: Vec<(String, Vec<u8>)>,
    /// Files of the call that a client may read.
    pub links: Vec<Resource>,
    /// Touched area, for reports.
    pub bounds: Option<Rect>,
    /// Text of a password field, which no output may show from now on.
    pub hidden: Option<String>,
    /// Sentences of the program within the value, whose words are not masked.
    pub sentences: Vec<Words>,
    /// File that the call wrote on this computer.
    pub file: Option<Utf8PathBuf>,
    /// Notes for people on a call that passed.
    pub notes: Vec<Words>,
}

impl Outcome {
    /// Builds a passed outcome with a text and no value.
    pub fn text(text: impl Into<Words>) -> Self {
        Self {
            text: AnswerText::Words(text.into()),
            value: Value::Null,
            verdict: Verdict::Passed,
            images: Vec::new(),
            links: Vec::new(),
            bounds: None,
            hidden: None,
            sentences: Vec::new(),
            file: None,
            notes: Vec::new(),
        }
    }

    /// Returns the text of the answer; if that is the result itself, as JSON.
    pub fn words(&self) -> Words {
        match &self.text {
            AnswerText::Words(words) => words.clone(),
            AnswerText::Value => self.value.to_string().into(),
        }
    }

    /// Builds a passed outcome for something that is absent. The proof of absence is required as an argument.
    pub fn absent(_: AbsenceProof, text: impl Into<Words>) -> Self {
        Self::text(text)
    }

    /// Sets the written file. Its path also becomes `path`, the first key of the result, if that is an object
    /// or null.
    #[must_use]
    pub fn wrote(mut self, file: Utf8PathBuf) -> Self {
        if self.value.is_null() {
            self.value = Value::Object(serde_json::Map::new());
        }
        if let Some(map) = self.value.as_object_mut() {
            map.shift_insert(0, "path".to_owned(), file.as_str().into());
        }
        self.file = Some(file);
        self
    }

    /// Sets a text that no output may show: it is masked wherever it occurs. `None` removes it.
    #[must_use]
    pub fn hiding(mut self, text: Option<&str>) -> Self {
        self.hidden = text.map(str::to_owned);
        self
    }

    /// Adds a sentence of this program that is contained in the value. Of its text only the inserted values
    /// are masked.
    #[must_use]
    pub fn saying(mut self, words: Words) -> Self {
        self.sentences.push(words);
        self
    }

    /// Adds a note for people, also behind the text, after `; `. `None` changes nothing.
    #[must_use]
    pub fn noting(mut self, note: Option<String>) -> Self {
        if let Some(note) = note {
            self.text = Words::format("{}; {}", &[&self.words(), &note]).into();
            self.notes.push(note.into());
        }
        self
    }

    /// Makes the call fail as a step, although it answered. Text and value stay.
    #[must_use]
    pub fn failed(mut self, failure: Failure) -> Self {
        self.verdict = Verdict::Failed(failure);
        self
    }

    /// Sets the touched area.
    #[must_use]
    pub fn at(mut self, bounds: Rect) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// Builds a passed outcome with a value, whose text is that value as JSON.
    pub fn json(value: Value) -> Self {
        Self {
            text: AnswerText::Value,
            value,
            ..Self::text("")
        }
    }

    /// Builds a passed outcome with a text and a result.
    pub fn value(text: impl Into<Words>, value: Value) -> Self {
        Self {
            value,
            ..Self::text(text)
        }
    }
}

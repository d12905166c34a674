//! Reads, watches and writes the flow's file. The file on disk is what counts. A flow without a name is kept
//! in memory until it is saved.

use std::io::ErrorKind;
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::{StudioError, line_ends};
use runner_agent::flow_files;
use runner_base::files::{hash, write_durable, write_new};
use runner_config::Config;
use runner_flow::Flow;
use runner_run::MaestroLint;
use runner_text::diagnostic::{Diagnostic, Severity, line_column};
use runner_text::input_file::{InputProblem, read_regular};

/// Bytes of a flow. Chosen: thousands of steps; the page's editor would be slow with more.
pub(super) const MAX_FLOW_BYTES: u64 = 1 << 20;

/// Looks that must find the same content before it counts: another program may be writing the file. Chosen:
/// the least that shows a change.
const MIN_EQUAL_LOOKS: u32 = 2;

/// Looks that must find the file empty before that counts: most programs empty a file first, and on a busy
/// disk the text may come a second later. Chosen: with two looks a second, that is 3 seconds.
const MIN_EMPTY_LOOKS: u32 = 6;

/// Text of a new flow.
const EMPTY: &str = "name: New flow\nsteps: []\n";

/// File of the page's flow.
#[derive(Debug)]
pub struct FlowFile {
    config: Config,
    state: Mutex<Draft>,
    /// Held from reading the file until it is written: of two saves based on one version, the first wins.
    saving: Mutex<()>,
}

#[derive(Debug, Default)]
struct Draft {
    /// Absolute path. `None` until it is saved.
    path: Option<Utf8PathBuf>,
    /// Text of a flow without a file.
    text: String,
    /// Content that pages received last.
    published: Content,
    /// True if the file existed, so that a missing file is an error, not an empty flow.
    is_file: bool,
    /// Version or error found by the last look, and the number of looks that found it.
    observed: Option<(String, u32)>,
    /// True if a page received a conflict or an error, so that the content must be sent again.
    is_due: bool,
}

/// Text of a flow and its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Content {
    /// Text for pages: each line ends with `\n`.
    pub(super) text: String,
    /// Hash of the file's bytes.
    pub(super) version: String,
    /// Text as it is in the file.
    #[serde(skip)]
    file: String,
}

impl Content {
    /// Creates the content of a file from its text, which may have any line ends and a byte order mark: with its
    /// own line ends, with those of the page, and with a version, its hash.
    fn new(file: String) -> Self {
        Self {
            text: line_ends::normalize(&file),
            version: hash(file.as_bytes()),
            file,
        }
    }
}

#[derive(Debug)]
pub(super) enum SaveResult {
    Saved(Content),
    /// Another program wrote the file. Holds its content.
    Conflict(Content),
}

impl FlowFile {
    /// Opens the flow at `path`, relative to `folder`. The file need not exist; then the flow is a new one. Without
    /// `path` the flow has no file yet. Writes nothing.
    ///
    /// # Errors
    /// Returns an error if it is no name of a flow, leads out of the project, or cannot be read.
    pub fn open(
        config: &Config,
        folder: &Utf8Path,
        path: Option<&Utf8Path>,
    ) -> Result<Self, StudioError> {
        let file = Self {
            config: config.clone(),
            state: Mutex::new(Draft {
                text: EMPTY.to_owned(),
                published: Content::new(EMPTY.to_owned()),
                ..Draft::default()
            }),
            saving: Mutex::default(),
        };
        if let Some(path) = path {
            let full = folder.join(path);
            let below = full.strip_prefix(&config.root).map_err(|_| {
                StudioError::File(format!(
                    "{path} is not below {}; open a flow of this project",
                    config.root
                ))
            })?;
            file.state().path = Some(file.check_name(below)?);
            let content = file.read()?;
            file.state().published = content;
        }
        Ok(file)
    }

    /// Returns the full path of a flow's file below the root, which need not exist. An error if it leads out of the
    /// project or is no name of a flow. Links are followed for that.
    fn check_name(&self, path: &Utf8Path) -> Result<Utf8PathBuf, StudioError> {
        let full = runner_tools::paths::below(&self.config.root, path.as_str())?;
        if !flow_files::is_flow_name(&full) {
            return Err(StudioError::File(format!(
                "`{path}` is not the name of a flow; flows end in `.yaml`, and `runner.yaml` and `app.yaml` are none"
            )));
        }
        Ok(full)
    }

    /// Reads the current content from disk. A flow without a file has the text that pages saved last; a file that
    /// never existed has that of a new flow.
    ///
    /// # Errors
    /// Returns an error if the file is no UTF-8 text, is too large, or was there and is gone.
    pub(super) fn read(&self) -> Result<Content, StudioError> {
        let (path, text, is_file) = {
            let state = self.state();
            (state.path.clone(), state.text.clone(), state.is_file)
        };
        let Some(path) = path else {
            return Ok(Content::new(text));
        };
        let bytes = match read_file(&path) {
            Err(StudioError::Io(error)) if error.kind() == ErrorKind::NotFound => {
                if is_file {
                    return Err(StudioError::Gone(self.display_path(&path)));
                }
                return Ok(Content::new(EMPTY.to_owned()));
            }
            bytes => bytes?,
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| StudioError::File(format!("{path} is not text in UTF-8")))?;
        self.state().is_file = true;
        Ok(Content::new(text))
    }

    /// Writes a page's text that was based on `version`, or to a new file if `name` is given, where the version does
    /// not count. If the file's content is neither that version nor the text, nothing is written, and the result is a
    /// conflict with the content. A file that is gone is written again, if pages know `version`. Line ends of unchanged
    /// lines stay; what was written counts as what pages have, but no page is told. Errors are those of [`Self::write`]
    /// and [`Self::save_as`].
    pub(super) fn save(
        &self,
        text: String,
        version: &str,
        name: Option<&str>,
    ) -> Result<SaveResult, StudioError> {
        let _alone = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let content = if let Some(name) = name {
            self.save_as(text, name)?
        } else {
            let now = match self.read() {
                // The file is gone, so only what pages know could be overwritten.
                Err(StudioError::Gone(_)) => self.state().published.clone(),
                now => now?,
            };
            if now.version != version && now.text != text {
                self.state().is_due = true;
                return Ok(SaveResult::Conflict(now));
            }
            self.write(line_ends::written_over(&now.file, &text))?
        };
        let mut state = self.state();
        state.published = content.clone();
        state.observed = None;
        state.is_due = false;
        Ok(SaveResult::Saved(content))
    }

    /// Saves the text as a new file, with which the page continues. A name without an extension gets `.yaml`. Line ends
    /// stay as they are; missing folders are created. An error if the text is too long, the name is none of a flow, or
    /// the file exists.
    fn save_as(&self, text: String, name: &str) -> Result<Content, StudioError> {
        let content = Content::new(check_length(text)?);
        let path = flow_files::to_write_in(&self.config, name)?;
        match write_new(&path, content.file.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let display = self.display_path(&path);
                return Err(StudioError::File(format!(
                    "{display} exists; take another name, or open it: `runner studio {display}`"
                )));
            }
            written => written?,
        }
        let mut state = self.state();
        state.path = Some(path);
        state.is_file = true;
        Ok(content)
    }

    /// Saves the text into the file; without a file it is only kept in memory. The text is written with its line ends
    /// unchanged, and replaces the file in one step. An error if it is too long, or the path now leads out of the
    /// project.
    fn write(&self, text: String) -> Result<Content, StudioError> {
        let content = Content::new(check_length(text)?);
        let path = self.state().path.clone();
        if let Some(path) = path {
            // A symbolic link may have been put in its place.
            let below = path.strip_prefix(&self.config.root).unwrap_or(&path);
            write_durable(&self.check_name(below)?, content.file.as_bytes())?;
            self.state().is_file = true;
        } else {
            self.state().text.clone_from(&content.file);
        }
        Ok(content)
    }

    /// Reads the file, and returns the content if it differs from what pages have, once `MIN_EQUAL_LOOKS` calls in
    /// a row found the same; an empty file needs `MIN_EMPTY_LOOKS`. Returns it only once, and counts it as what
    /// pages have. After a conflict or an error it is returned even if it is the same.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, at each call from the second equal one on.
    pub(super) fn changed_content(&self) -> Result<Option<Content>, StudioError> {
        let now = self.read();
        let current = match &now {
            Ok(now) => now.version.clone(),
            Err(error) => error.to_string(),
        };
        let needed = match &now {
            Ok(now) if now.text.trim().is_empty() => MIN_EMPTY_LOOKS,
            _ => MIN_EQUAL_LOOKS,
        };
        let mut state = self.state();
        let looks = match &state.observed {
            Some((last, looks)) if *last == current => looks.saturating_add(1),
            _ => 1,
        };
        let is_settled = looks >= needed;
        state.observed = Some((current, looks));
        let now = match now {
            Ok(now) if now.version == state.published.version && !state.is_due => return Ok(None),
            _ if !is_settled => return Ok(None),
            Ok(now) => now,
            Err(error) => {
                state.is_due = true;
                return Err(error);
            }
        };
        state.is_due = false;
        state.published = now.clone();
        Ok(Some(now))
    }

    /// Returns the content for a new page, and the error if the file cannot be read. If the file is empty, gone or
    /// unreadable, returns the content that pages received last: another program may be writing it. Does not count
    /// as sent to pages.
    pub(super) fn to_show(&self) -> (Content, Option<StudioError>) {
        match self.read() {
            Ok(now) if !now.text.trim().is_empty() => (now, None),
            Ok(_) => (self.state().published.clone(), None),
            Err(error) => (self.state().published.clone(), Some(error)),
        }
    }

    /// Returns the path relative to the root. `None` for a flow that has no file name yet.
    pub(super) fn path(&self) -> Option<String> {
        let state = self.state();
        let path = state.path.as_ref()?;
        Some(self.display_path(path))
    }

    fn display_path(&self, path: &Utf8Path) -> String {
        flow_files::display_below(&self.config.root, path)
    }

    /// Returns the flow's path relative to the root, or the one that a new flow would have: `untitled.yaml` in the
    /// first folder of flows, else at the root.
    pub(super) fn assumed(&self) -> Utf8PathBuf {
        let folders = flow_files::folders(&self.config).into_iter();
        let untitled = || folders.map(|folder| folder.join("untitled.yaml")).next();
        let path = self.path().map(Utf8PathBuf::from);
        path.or_else(untitled)
            .unwrap_or_else(|| "untitled.yaml".into())
    }

    /// Parses a text as if it were this flow's file, with the diagnostics. The flow is `None` if the text has errors.
    /// An error only for a text longer than [`MAX_FLOW_BYTES`].
    pub(super) fn flow(&self, text: &str) -> Result<(Option<Flow>, Vec<Diagnostic>), StudioError> {
        Ok(flow_files::read_text(&self.config, &self.assumed(), text)?)
    }

    fn state(&self) -> MutexGuard<'_, Draft> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the file's bytes. Returns an error for one longer than [`MAX_FLOW_BYTES`] and for anything but a regular
/// file; a missing one is `NotFound`.
fn read_file(path: &Utf8Path) -> Result<Vec<u8>, StudioError> {
    read_regular(path, MAX_FLOW_BYTES).map_err(|error| match error.problem {
        // One that is not there yet is a new flow.
        InputProblem::Missing => std::io::Error::from(std::io::ErrorKind::NotFound).into(),
        InputProblem::Io(error) => error.into(),
        problem => StudioError::File(format!("{path} {problem}")),
    })
}

/// Returns the text unchanged, or an error if it is longer than [`MAX_FLOW_BYTES`].
fn check_length(text: String) -> Result<String, StudioError> {
    if text.len() as u64 > MAX_FLOW_BYTES {
        return Err(StudioError::File(format!(
            "a flow holds {MAX_FLOW_BYTES} bytes at most"
        )));
    }
    Ok(text)
}

/// Faults of a text, and the lines of its steps.
#[derive(Serialize)]
pub(super) struct LintAnswer {
    reads: bool,
    is_new: bool,
    found: Vec<Fault>,
    steps: Vec<StepLines>,
    maestro: bool,
}

/// Error or warning in a text.
#[derive(Serialize)]
struct Fault {
    /// Line from 1; 0 if it is in another file.
    line: usize,
    column: usize,
    file: Utf8PathBuf,
    is_error: bool,
    message: String,
    help: Option<String>,
}

/// Lines of a step.
#[derive(Serialize)]
struct StepLines {
    line: usize,
    end: usize,
    title: String,
}

/// Checks a text, with the flow's path, and if it has no errors adds the warnings that `judge` returns. The answer has
/// at most 100 faults, in the order of the checks; those of sub-flows have line 0. The untouched text of a new flow has
/// no faults. An error only for a text longer than [`MAX_FLOW_BYTES`].
pub(super) fn lint(
    file: &FlowFile,
    text: &str,
    judge: impl FnOnce(Flow) -> Vec<Diagnostic>,
) -> Result<LintAnswer, StudioError> {
    // A new flow has nothing to complain about yet.
    let is_new = text == EMPTY;
    let (flow, mut found) = file.flow(text)?;
    found.extend(MaestroLint::check(&file.config, &flow));
    if is_new {
        found.clear();
    } else if let Some(flow) = &flow
        && found.iter().all(|fault| fault.severity != Severity::Error)
    {
        found.extend(judge(flow.clone()));
    }
    let here = file.assumed();
    let described = |found: &Diagnostic| {
        let (line, column) = found.line_column();
        // A fault in a sub-flow has no place in this text.
        let is_here = found.source.path == here;
        Fault {
            line: if is_here { line } else { 0 },
            column,
            file: found.source.path.clone(),
            is_error: found.severity == Severity::Error,
            message: found.message.clone(),
            help: found.help.clone(),
        }
    };
    Ok(LintAnswer {
        reads: flow.is_some(),
        is_new,
        found: found.iter().take(100).map(described).collect(),
        steps: flow.as_ref().map(steps).unwrap_or_default(),
        maestro: flow.as_ref().is_some_and(|flow| flow.maestro().is_some()),
    })
}

/// Returns the steps under `steps` in their order, with their first and last lines, without setup, teardown and
/// steps within steps. Lines count from 1.
fn steps(flow: &Flow) -> Vec<StepLines> {
    let line = |offset: usize| line_column(&flow.source.text, offset).0;
    let text = &flow.source.text;
    let step = |step: &runner_flow::Step| {
        let end = text
            .get(step.span.clone())
            .map_or(0, |text| text.trim_end().len());
        StepLines {
            line: line(step.span.start),
            end: line(step.span.start + end),
            title: step.title.clone(),
        }
    };
    flow.steps.iter().map(step).collect()
}

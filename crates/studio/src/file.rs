//! The flow that is written: the file on disk is the truth. A flow without a name is kept here until it is saved.

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

/// Bytes of a flow.
pub(super) const LARGEST: u64 = 1 << 20;

/// Looks that must find the same before it counts: another program may be writing it.
const SETTLED: u32 = 2;

/// Looks that must find it empty: most programs empty a file first, and on a busy disk the text may come a second later.
const SETTLED_EMPTY: u32 = 6;

/// What an empty flow begins with.
const EMPTY: &str = "name: New flow\nsteps: []\n";

/// The flow's file.
#[derive(Debug)]
pub struct FlowFile {
    config: Config,
    state: Mutex<Draft>,
    /// Held from looking at the file until it is written: of two saves from one version the first wins.
    saving: Mutex<()>,
}

#[derive(Debug, Default)]
struct Draft {
    /// Absolute; none until it is saved.
    path: Option<Utf8PathBuf>,
    /// The text of a flow without a file.
    text: String,
    /// What pages know of it.
    published: Content,
    /// There was such a file: that there is none now is not an empty flow.
    is_file: bool,
    /// What the last look saw, by version or by error, and how many looks saw it.
    observed: Option<(String, u32)>,
    /// A page received something else, a conflict or an error: the content is sent again.
    is_due: bool,
}

/// A text and its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Content {
    /// As pages have it: each line ends with `\n`.
    pub(super) text: String,
    /// Of the file's bytes.
    pub(super) version: String,
    /// As the file has it.
    #[serde(skip)]
    file: String,
}

impl Content {
    fn of(file: String) -> Self {
        Self {
            text: line_ends::normalize(&file),
            version: hash(file.as_bytes()),
            file,
        }
    }
}

/// What saving came to.
#[derive(Debug)]
pub(super) enum SaveResult {
    Saved(Content),
    /// Somebody else wrote the file: this is in it.
    Conflict(Content),
}

impl FlowFile {
    /// The flow at `path`, seen from `folder`; it need not exist.
    ///
    /// # Errors
    /// It is not the name of a flow, or leads out of the project.
    pub fn open(
        config: &Config,
        folder: &Utf8Path,
        path: Option<&Utf8Path>,
    ) -> Result<Self, StudioError> {
        let file = Self {
            config: config.clone(),
            state: Mutex::new(Draft {
                text: EMPTY.to_owned(),
                published: Content::of(EMPTY.to_owned()),
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
            file.state().path = Some(file.checked(below)?);
            let content = file.read()?;
            file.state().published = content;
        }
        Ok(file)
    }

    fn checked(&self, path: &Utf8Path) -> Result<Utf8PathBuf, StudioError> {
        let full = runner_tools::paths::below(&self.config.root, path.as_str())?;
        if !flow_files::is_flow_name(&full) {
            return Err(StudioError::File(format!(
                "`{path}` is not the name of a flow; flows end in `.yaml`, and `runner.yaml` and `app.yaml` are none"
            )));
        }
        Ok(full)
    }

    /// What is in it now.
    ///
    /// # Errors
    /// It is not a flow, or was there and is gone.
    pub(super) fn read(&self) -> Result<Content, StudioError> {
        let (path, text, is_file) = {
            let state = self.state();
            (state.path.clone(), state.text.clone(), state.is_file)
        };
        let Some(path) = path else {
            return Ok(Content::of(text));
        };
        let bytes = match read_file(&path) {
            Err(StudioError::Io(error)) if error.kind() == ErrorKind::NotFound => {
                if is_file {
                    return Err(StudioError::Gone(self.display_path(&path)));
                }
                return Ok(Content::of(EMPTY.to_owned()));
            }
            bytes => bytes?,
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| StudioError::File(format!("{path} is not text in UTF-8")))?;
        self.state().is_file = true;
        Ok(Content::of(text))
    }

    /// Writes a text that was made from `version`, under a new name where one is given.
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
                // Nothing could be overwritten but what pages know.
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

    fn save_as(&self, text: String, name: &str) -> Result<Content, StudioError> {
        let content = Content::of(fitting(text)?);
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

    fn write(&self, text: String) -> Result<Content, StudioError> {
        let content = Content::of(fitting(text)?);
        let path = self.state().path.clone();
        if let Some(path) = path {
            // A link may lead elsewhere by now.
            let below = path.strip_prefix(&self.config.root).unwrap_or(&path);
            write_durable(&self.checked(below)?, content.file.as_bytes())?;
            self.state().is_file = true;
        } else {
            self.state().text.clone_from(&content.file);
        }
        Ok(content)
    }

    /// Its content, where pages do not have it yet, once enough looks found the same.
    ///
    /// # Errors
    /// Why it cannot be read, at each look from the second on.
    pub(super) fn changed_content(&self) -> Result<Option<Content>, StudioError> {
        let now = self.read();
        let current = match &now {
            Ok(now) => now.version.clone(),
            Err(error) => error.to_string(),
        };
        let needed = match &now {
            Ok(now) if now.text.trim().is_empty() => SETTLED_EMPTY,
            _ => SETTLED,
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

    /// What a new page is to show: the content; what pages received last where it is empty, gone or cannot be read, for
    /// another program may be writing it. And why it cannot be read.
    pub(super) fn to_show(&self) -> (Content, Option<StudioError>) {
        match self.read() {
            Ok(now) if !now.text.trim().is_empty() => (now, None),
            Ok(_) => (self.state().published.clone(), None),
            Err(error) => (self.state().published.clone(), Some(error)),
        }
    }

    /// Its path below the root; `None` until it is saved.
    pub(super) fn path(&self) -> Option<String> {
        let state = self.state();
        let path = state.path.as_ref()?;
        Some(self.display_path(path))
    }

    fn display_path(&self, path: &Utf8Path) -> String {
        flow_files::display_below(&self.config.root, path)
    }

    /// Where it stands, or would.
    pub(super) fn assumed(&self) -> Utf8PathBuf {
        let folders = flow_files::folders(&self.config).into_iter();
        let untitled = || folders.map(|folder| folder.join("untitled.yaml")).next();
        let path = self.path().map(Utf8PathBuf::from);
        path.or_else(untitled)
            .unwrap_or_else(|| "untitled.yaml".into())
    }

    /// Reads a text as this flow.
    pub(super) fn flow(&self, text: &str) -> Result<(Option<Flow>, Vec<Diagnostic>), StudioError> {
        Ok(flow_files::read_text(&self.config, &self.assumed(), text)?)
    }

    fn state(&self) -> MutexGuard<'_, Draft> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file's bytes, where they are not too many.
fn read_file(path: &Utf8Path) -> Result<Vec<u8>, StudioError> {
    read_regular(path, LARGEST).map_err(|error| match error.problem {
        // One that is not there yet is a new flow.
        InputProblem::Missing => std::io::Error::from(std::io::ErrorKind::NotFound).into(),
        InputProblem::Io(error) => error.into(),
        problem => StudioError::File(format!("{path} {problem}")),
    })
}

/// The text, where it is not too long for a flow.
fn fitting(text: String) -> Result<String, StudioError> {
    if text.len() as u64 > LARGEST {
        return Err(StudioError::File(format!(
            "a flow holds {LARGEST} bytes at most"
        )));
    }
    Ok(text)
}

/// What is wrong with a text, and where its steps stand.
#[derive(Serialize)]
pub(super) struct LintAnswer {
    reads: bool,
    is_new: bool,
    found: Vec<Fault>,
    steps: Vec<StepLines>,
    maestro: bool,
}

/// Something that is wrong.
#[derive(Serialize)]
struct Fault {
    /// 0 where it is in another file.
    line: usize,
    column: usize,
    file: Utf8PathBuf,
    is_error: bool,
    message: String,
    help: Option<String>,
}

/// The lines of a step.
#[derive(Serialize)]
struct StepLines {
    line: usize,
    end: usize,
    title: String,
}

/// Returns the faults of a text. `doubts` judges a flow without faults.
pub(super) fn lint(
    file: &FlowFile,
    text: &str,
    doubts: impl FnOnce(Flow) -> Vec<Diagnostic>,
) -> Result<LintAnswer, StudioError> {
    // Nobody did anything wrong yet.
    let is_new = text == EMPTY;
    let (flow, mut found) = file.flow(text)?;
    found.extend(MaestroLint::of(&file.config, &flow));
    if is_new {
        found.clear();
    } else if let Some(flow) = &flow
        && found.iter().all(|fault| fault.severity != Severity::Error)
    {
        found.extend(doubts(flow.clone()));
    }
    let here = file.assumed();
    let described = |found: &Diagnostic| {
        let (line, column) = found.line_column();
        // A fault of a sub-flow has no place in this text.
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

/// The steps of the flow itself, with their lines.
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

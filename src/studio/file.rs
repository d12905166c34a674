//! The flow that is written: the file on disk is the truth. A flow without a name is kept here until it is saved.

use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use super::StudioError;
use crate::agent::flow_files;
use crate::config::Config;
use crate::diagnostic::{Diagnostic, Severity, line_column};
use crate::files::{hash, write_atomic};
use crate::flow::{self, Flow};

/// Bytes of a flow.
pub(super) const LARGEST: u64 = 1 << 20;

/// What an empty flow begins with.
const EMPTY: &str = "name: New flow\nsteps: []\n";

/// The flow's file.
#[derive(Debug)]
pub struct FlowFile {
    config: Config,
    state: Mutex<Draft>,
}

#[derive(Debug, Default)]
struct Draft {
    /// Absolute; none until it is saved.
    path: Option<Utf8PathBuf>,
    /// The text of a flow without a file.
    text: String,
    /// What the file was when it was last told.
    told: String,
}

/// A text and what tells it from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) text: String,
    pub(super) version: String,
}

impl Content {
    fn of(text: String) -> Self {
        let version = hash(text.as_bytes());
        Self { text, version }
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
    /// It is no name of a flow, or leads out of the project.
    pub fn open(
        config: &Config,
        folder: &Utf8Path,
        path: Option<&Utf8Path>,
    ) -> Result<Self, StudioError> {
        let file = Self {
            config: config.clone(),
            state: Mutex::new(Draft {
                text: EMPTY.to_owned(),
                ..Draft::default()
            }),
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
            file.read()?;
        }
        Ok(file)
    }

    fn checked(&self, path: &Utf8Path) -> Result<Utf8PathBuf, StudioError> {
        let full = crate::tools::paths::below(&self.config.root, path.as_str())?;
        if !flow_files::is_flow_name(&full) {
            return Err(StudioError::File(format!(
                "`{path}` is no name of a flow; flows end in `.yaml`, and `runner.yaml` and `app.yaml` are none"
            )));
        }
        Ok(full)
    }

    /// What is in it now.
    pub(super) fn read(&self) -> Result<Content, StudioError> {
        let (path, text) = {
            let state = self.state();
            (state.path.clone(), state.text.clone())
        };
        let Some(path) = path else {
            return Ok(Content::of(text));
        };
        match fs_err::metadata(&path) {
            Ok(about) if about.len() > LARGEST => {
                return Err(StudioError::File(format!(
                    "{path} is larger than {LARGEST} bytes"
                )));
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Content::of(EMPTY.to_owned()));
            }
            Err(error) => return Err(error.into()),
        }
        let bytes = fs_err::read(&path)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| StudioError::File(format!("{path} is no text in UTF-8")))?;
        Ok(Content::of(text))
    }

    /// Writes a text that was made from `version`, under a new name where one is given.
    pub(super) fn save(
        &self,
        text: String,
        version: &str,
        name: Option<&str>,
    ) -> Result<SaveResult, StudioError> {
        if text.len() as u64 > LARGEST {
            return Err(StudioError::File(format!(
                "a flow holds {LARGEST} bytes at most"
            )));
        }
        if let Some(name) = name {
            let path = flow_files::to_write_in(&self.config, name)?;
            if path.exists() {
                let shown = flow_files::shown_below(&self.config.root, &path);
                return Err(StudioError::File(format!(
                    "{shown} exists; take another name, or open it: `runner studio {shown}`"
                )));
            }
            write_atomic(&path, text.as_bytes())?;
            self.state().path = Some(path);
        } else {
            let now = self.read()?;
            if now.version != version {
                return Ok(SaveResult::Conflict(now));
            }
            let mut state = self.state();
            if let Some(path) = &state.path {
                write_atomic(path, text.as_bytes())?;
            } else {
                state.text.clone_from(&text);
            }
        }
        let content = Content::of(text);
        self.state().told.clone_from(&content.version);
        Ok(SaveResult::Saved(content))
    }

    /// What is in it, where that was not told yet.
    pub(super) fn news(&self) -> Result<Option<Content>, StudioError> {
        let now = self.read()?;
        let told = std::mem::replace(&mut self.state().told, now.version.clone());
        Ok((told != now.version && !told.is_empty()).then_some(now))
    }

    /// Its path below the root; `None` until it is saved.
    pub(super) fn path(&self) -> Option<String> {
        let state = self.state();
        let path = state.path.as_ref()?;
        Some(flow_files::shown_below(&self.config.root, path))
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

/// What is wrong with a text, and where its steps stand.
pub(super) fn lint(file: &FlowFile, text: &str) -> Result<Value, StudioError> {
    let (flow, found) = file.flow(text)?;
    let here = file.assumed();
    let described = |found: &Diagnostic| {
        let (line, column) = found.line_column();
        // A fault of a sub-flow has no place in this text.
        let is_here = found.source.path == here;
        json!({
            "line": if is_here { line } else { 0 }, "column": column,
            "file": found.source.path,
            "is_error": found.severity == Severity::Error,
            "message": found.message, "help": found.help,
        })
    };
    let steps = flow.as_ref().map(steps).unwrap_or_default();
    Ok(json!({
        "reads": flow.is_some(),
        "found": found.iter().take(100).map(described).collect::<Vec<_>>(),
        "steps": steps,
        "maestro": flow.as_ref().is_some_and(|flow| flow.maestro().is_some()),
    }))
}

/// The steps of the flow itself, with their lines.
fn steps(flow: &Flow) -> Vec<Value> {
    let line = |offset: usize| line_column(&flow.source.text, offset).0;
    let text = &flow.source.text;
    let step = |step: &flow::Step| {
        let end = text
            .get(step.span.clone())
            .map_or(0, |text| text.trim_end().len());
        json!({ "line": line(step.span.start), "end": line(step.span.start + end), "title": step.title })
    };
    flow.steps.iter().map(step).collect()
}

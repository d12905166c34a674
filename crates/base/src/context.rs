//! The process's environment and terminal, read once at the start. Nothing else reads `std::env`.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;

use camino::Utf8PathBuf;

/// Snapshot of the process's environment: folder, terminals, variables.
#[derive(Debug, Clone)]
pub struct Context {
    /// Absolute path of the working folder.
    pub working_folder: Utf8PathBuf,
    pub stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
    pub stdin_is_terminal: bool,
    /// Columns of the terminal; 100 if standard output is none.
    pub width: usize,
    variables: BTreeMap<String, String>,
}

#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// The folder was removed or may not be read.
    #[error("the working folder cannot be read: {0}")]
    WorkingFolder(#[from] std::io::Error),
    #[error("the working folder's path is not valid Unicode: {0}")]
    NotUnicode(String),
}

impl Context {
    /// Reads working folder, variables and terminals of this process. Variables whose name or value is not Unicode
    /// are left out. The width is that of standard output's terminal, or 100 without one.
    ///
    /// # Errors
    /// Returns a [`ContextError`] if the working folder cannot be used.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the environment"
    )]
    pub fn from_process() -> Result<Self, ContextError> {
        let working_folder = Utf8PathBuf::from_path_buf(std::env::current_dir()?)
            .map_err(|path| ContextError::NotUnicode(path.display().to_string()))?;
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Ok(Self {
            working_folder,
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
            width: console::Term::stdout()
                .size_checked()
                .map_or(100, |(_, columns)| usize::from(columns)),
            variables,
        })
    }

    /// Creates a context for tests, in which nothing is a terminal and the width is 100 columns. Only
    /// `variables` are set.
    pub fn fixed(working_folder: Utf8PathBuf, variables: BTreeMap<String, String>) -> Self {
        Self {
            working_folder,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            stdin_is_terminal: false,
            width: 100,
            variables,
        }
    }

    /// Returns a variable; `None` if it is not set or empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns all variables, empty ones too, for `${os.NAME}`.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// Returns a copy with these variables added; they replace those of the same name.
    #[must_use]
    pub fn with_variables(&self, variables: &BTreeMap<String, String>) -> Self {
        let mut changed = self.clone();
        changed.variables.extend(variables.clone());
        changed
    }

    /// Returns true if the variable `CI` is set to anything but `false` or `0`; an empty one counts as not
    /// set.
    pub fn is_ci(&self) -> bool {
        self.variable("CI")
            .is_some_and(|value| !matches!(value, "false" | "0"))
    }

    /// Decides on colours for an output. `NO_COLOR` forbids them, then `CLICOLOR_FORCE` demands them unless
    /// it is `0`; else the output must be a terminal (`terminal`) and `TERM` not `dumb`. Empty variables do
    /// not count.
    pub fn color(&self, terminal: bool) -> bool {
        if self.variable("NO_COLOR").is_some() {
            return false;
        }
        if self
            .variable("CLICOLOR_FORCE")
            .is_some_and(|value| value != "0")
        {
            return true;
        }
        terminal && self.variable("TERM") != Some("dumb")
    }
}

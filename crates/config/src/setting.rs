//! Value of a setting with its origin.

use camino::Utf8PathBuf;

/// Source of a setting's value, in ascending priority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built-in value.
    Default,
    /// Line of `runner.yaml`.
    File {
        /// Path as messages show it.
        path: Utf8PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// Environment variable with this name.
    Environment(&'static str),
    /// Option of the command line.
    CommandLine,
}

impl std::fmt::Display for Origin {
    /// Writes `default`, `PATH:LINE`, the name of the variable, or `command line`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Environment(name) => f.write_str(name),
            Self::CommandLine => f.write_str("command line"),
        }
    }
}

impl Origin {
    /// Returns the name of what to change if the value cannot be used: the option as given in `option`, the
    /// variable, or the key of `runner.yaml`, also for a default.
    pub fn name_of(&self, option: &'static str, key: &str) -> String {
        match self {
            Self::Environment(name) => (*name).to_owned(),
            Self::CommandLine => option.to_owned(),
            Self::Default | Self::File { .. } => format!("`{key}` of runner.yaml"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// Creates a setting with a built-in value.
    pub fn default(value: T) -> Self {
        Self {
            value,
            origin: Origin::Default,
        }
    }

    /// Returns the value of a source with higher priority if there is one, or else `self`.
    #[must_use]
    pub fn or_higher(self, higher: Option<(T, Origin)>) -> Self {
        match higher {
            Some((value, origin)) => Self { value, origin },
            None => self,
        }
    }
}

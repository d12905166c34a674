//! A value and where it came from.

use camino::Utf8PathBuf;

/// Where a setting came from, lowest first: a later one wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// A line of `runner.yaml`.
    File {
        /// The file as it is shown.
        path: Utf8PathBuf,
        /// From 1.
        line: usize,
    },
    /// An environment variable.
    Environment(&'static str),
    /// An argument.
    CommandLine,
}

impl std::fmt::Display for Origin {
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
    /// The name to change where a value cannot be used: the option, the variable, or the key of `runner.yaml`.
    pub fn name_of(&self, option: &'static str, key: &str) -> String {
        match self {
            Self::Environment(name) => (*name).to_owned(),
            Self::CommandLine => option.to_owned(),
            Self::Default | Self::File { .. } => format!("`{key}` of runner.yaml"),
        }
    }
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// A built-in value.
    pub fn default(value: T) -> Self {
        Self {
            value,
            origin: Origin::Default,
        }
    }

    /// `value` from `origin` where there is one, else this.
    #[must_use]
    pub fn or_higher(self, higher: Option<(T, Origin)>) -> Self {
        match higher {
            Some((value, origin)) => Self { value, origin },
            None => self,
        }
    }
}

//! Exit codes of the program. Scripts rely on them; `docs/guide/ci.md` documents them.

/// Result of a command as the process's exit code. When several apply, the highest wins ([`Ord`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum ExitCode {
    /// All passed. Flaky, skipped and optional failures count as passed.
    #[default]
    Passed = 0,
    /// A flow failed, or the command could not do its work; `docs/guide/ci.md` lists the cases.
    Failed = 1,
    /// Wrong usage, no flow found, or a flow that cannot be parsed.
    Usage = 2,
    /// No device was found, or it was lost.
    NoDevice = 3,
    Interrupted = 130,
}

impl ExitCode {
    /// Returns the variant of a number, as stored in a saved run; `None` for an unknown number.
    pub fn from_code(code: u8) -> Option<Self> {
        [
            Self::Passed,
            Self::Failed,
            Self::Usage,
            Self::NoDevice,
            Self::Interrupted,
        ]
        .into_iter()
        .find(|known| *known as u8 == code)
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

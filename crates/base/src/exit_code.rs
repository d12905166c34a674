//! The exit codes of the program. Scripts count on them; they are documented in `docs/ci.md`.

/// How a command ended. When several apply, the highest wins ([`Ord`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum ExitCode {
    /// Everything passed. Flaky, skipped and optional failures count as passed.
    #[default]
    Passed = 0,
    /// A flow failed, or what was asked for could not be done; `docs/ci.md` lists all.
    Failed = 1,
    /// Wrong usage, no flow found, or a flow that does not read.
    Usage = 2,
    /// No device, or the device was lost.
    NoDevice = 3,
    /// Interrupted by the user.
    Interrupted = 130,
}

impl ExitCode {
    /// The one of this number, as a saved run has it.
    pub fn of(code: u8) -> Option<Self> {
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

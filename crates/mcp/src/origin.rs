//! Origin of a tool: a dialect, or this project.

/// Origin of a tool, as far as its result depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Tool of a dialect, whose texts follow that dialect's reference.
    Dialect {
        /// True if the result is always a list.
        lists: bool,
    },
    /// Agent or lean tool, whose texts are this project's.
    Agent,
}

impl Origin {
    /// Returns the keys whose values are words and paths of this program's own, which are not masked. A
    /// dialect has none: its values may come from the device.
    pub fn own_keys(self) -> &'static [&'static str] {
        match self {
            Self::Dialect { .. } => &[],
            Self::Agent => &[
                "kind", "status", "severity", "state", "path", "uri", "file", "device", "at",
            ],
        }
    }
}

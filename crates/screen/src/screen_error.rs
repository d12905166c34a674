//! Errors of parsing a dump.

/// Error of parsing a dump.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScreenError {
    /// The bytes hold no hierarchy.
    #[error("the dump holds no <hierarchy>; it begins with {begins}")]
    NotADump {
        /// First characters in quotes, to recognise what came instead.
        begins: String,
    },
    /// The dump ends before `</hierarchy>`.
    #[error("the dump is cut off after {bytes} bytes; take it again")]
    Truncated {
        /// Number of bytes received.
        bytes: usize,
    },
    /// A root belongs to a window that the device did not list: the window came or went meanwhile.
    #[error("the window {id} came or went while the screen was read; look again")]
    UnknownWindow { id: i32 },
    /// The roots do not name their windows.
    #[error("the source names no windows (`window-id`); it needs a newer server")]
    NoWindowIds,
    /// No window has a node. The app may show much in a moment, so nothing can be said about the screen.
    #[error("no window has content yet; the app may still be starting, or the screen may be off")]
    Empty,
    /// The dump is deeper or larger than any real screen.
    #[error("the dump has more than {limit} {what}")]
    TooLarge {
        /// Counted things: `nodes`, `levels` or `bytes`.
        what: &'static str,
        /// Largest number allowed.
        limit: usize,
    },
}

//! App in front, as the device reports it.

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Front {
    /// The device was not asked, or did not answer.
    #[default]
    Unknown,
    /// The device has no way to report it, as on a farm whose server refuses the question.
    Unavailable,
    /// Package whose window has the focus.
    Focused(String),
    /// Package whose activity is resumed while no activity's window has the focus. The notification shade or
    /// a dialog of the system may have it.
    Resumed(String),
}

impl Front {
    /// Returns the focused or resumed package; `None` if the device did not or cannot report one.
    pub fn package(&self) -> Option<&str> {
        match self {
            Self::Unknown | Self::Unavailable => None,
            Self::Focused(package) | Self::Resumed(package) => Some(package),
        }
    }
}

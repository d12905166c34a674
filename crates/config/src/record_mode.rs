//! Modes for traces and videos.

use serde::Deserialize;

/// Attempts of which a trace or a video is made and kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordMode {
    /// None.
    #[default]
    Off,
    /// Every attempt.
    On,
    /// The second attempt of a flow only, which is its first retry.
    OnFirstRetry,
    /// Every attempt, but kept only if it did not pass.
    RetainOnFailure,
}

impl RecordMode {
    /// All modes, in the order of the help.
    pub const ALL: [Self; 4] = [
        Self::On,
        Self::OnFirstRetry,
        Self::RetainOnFailure,
        Self::Off,
    ];

    /// Returns the name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::OnFirstRetry => "on-first-retry",
            Self::RetainOnFailure => "retain-on-failure",
        }
    }

    /// Finds a mode by its name as [`Self::name`] writes it, case included.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Returns true if this attempt of a flow, counted from 1, is recorded: none with `Off`, the second with
    /// `OnFirstRetry`, else each. With `RetainOnFailure` the caller deletes the recordings of passed ones.
    pub fn records(self, attempt: u32) -> bool {
        match self {
            Self::Off => false,
            Self::On | Self::RetainOnFailure => true,
            Self::OnFirstRetry => attempt == 2,
        }
    }

    /// Returns true if the recording of a finished attempt is kept: always, except that of a passed one with
    /// `RetainOnFailure`.
    pub fn keeps(self, passed: bool) -> bool {
        self != Self::RetainOnFailure || !passed
    }
}

#[cfg(test)]
mod tests {
    use super::RecordMode::{self, Off, On, OnFirstRetry, RetainOnFailure};

    #[test]
    fn a_mode_says_what_is_made_and_what_is_kept() {
        // Records the first attempt, records the second, keeps a passed one, keeps a failed one.
        for (mode, expected) in [
            (Off, [false, false, true, true]),
            (On, [true, true, true, true]),
            (OnFirstRetry, [false, true, true, true]),
            (RetainOnFailure, [true, true, false, true]),
        ] {
            let is = [
                mode.records(1),
                mode.records(2),
                mode.keeps(true),
                mode.keeps(false),
            ];
            assert_eq!(is, expected, "{mode:?}");
            assert_eq!(RecordMode::named(mode.name()), Some(mode));
            let written = serde_json::Value::from(mode.name());
            assert_eq!(serde_json::from_value::<RecordMode>(written).unwrap(), mode);
        }
        assert_eq!(RecordMode::named("always"), None);
    }
}

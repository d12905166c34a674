//! When a trace or a video is made, and when it is kept.

use serde::Deserialize;

/// When a trace or a video is made, and when it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordMode {
    /// Never: it costs nothing.
    #[default]
    Off,
    /// Of every attempt.
    On,
    /// Only of the second attempt at a flow, the first that repeats it.
    OnFirstRetry,
    /// Of every attempt, but kept only of those that did not pass.
    RetainOnFailure,
}

impl RecordMode {
    /// All modes.
    pub const ALL: [Self; 4] = [
        Self::On,
        Self::OnFirstRetry,
        Self::RetainOnFailure,
        Self::Off,
    ];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::OnFirstRetry => "on-first-retry",
            Self::RetainOnFailure => "retain-on-failure",
        }
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether it is made of an attempt, counted from 1.
    pub fn records(self, attempt: u32) -> bool {
        match self {
            Self::Off => false,
            Self::On | Self::RetainOnFailure => true,
            Self::OnFirstRetry => attempt == 2,
        }
    }

    /// Whether what was made is kept of an attempt that passed or not.
    pub fn keeps(self, passed: bool) -> bool {
        self != Self::RetainOnFailure || !passed
    }
}

#[cfg(test)]
mod tests {
    use super::RecordMode::{self, Off, On, OnFirstRetry, RetainOnFailure};

    #[test]
    fn a_mode_says_what_is_made_and_what_is_kept() {
        // First and second attempt, kept of one that passed, kept of one that failed.
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

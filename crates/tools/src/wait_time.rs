//! Time that a step waited without success, by the device's clock.

use std::time::Duration;

use runner_engine::Session;
use runner_text::units::RoundedDuration;

/// How long a step waited in vain before it failed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct WaitTime {
    /// Milliseconds of the device's time.
    pub ms: u64,
    /// The device has a virtual clock: on the wall it took less.
    #[serde(
        default,
        rename = "virtual",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub is_virtual: bool,
}

impl WaitTime {
    /// Removes and returns the session's last wait, in milliseconds, if that ended without success. `None`
    /// also for one shorter than a millisecond. A second call returns `None`.
    pub fn take(session: &Session) -> Option<Self> {
        let ms = session.take_wait()?.as_millis() as u64;
        Some(Self {
            ms,
            is_virtual: session.clock().is_virtual(),
        })
        .filter(|waited| waited.ms > 0)
    }
}

impl std::fmt::Display for WaitTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let time = RoundedDuration(Duration::from_millis(self.ms));
        let clock = if self.is_virtual { ", virtual" } else { "" };
        write!(f, "{time}{clock}")
    }
}

#[cfg(test)]
mod tests {
    use super::WaitTime;

    #[test]
    fn it_names_the_clock_only_where_that_is_virtual() {
        for (ms, is_virtual, words) in [(2000, true, "2s, virtual"), (10_040, false, "10s")] {
            assert_eq!(WaitTime { ms, is_virtual }.to_string(), words);
        }
    }
}

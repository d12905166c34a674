//! Options of looks and screenshots.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub struct LookOptions {
    /// Limit of the whole look, with its fall-backs.
    pub limit: Duration,
    /// Attempts in all; at least 1.
    pub attempts: usize,
    /// Also asks for what a dump lacks: the activity in front, the bars, the present size of the display.
    /// That costs a phone up to a tenth of the dump's time.
    pub surroundings: bool,
}

impl LookOptions {
    /// Returns options with this limit, the default number of attempts ([`ATTEMPTS`]), and the question for
    /// the surroundings (windows, app in front, keyboard).
    pub fn within(limit: Duration) -> Self {
        Self {
            limit,
            attempts: ATTEMPTS,
            surroundings: true,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct PictureOptions {
    /// Limit of the whole screenshot, with its fall-backs.
    pub limit: Duration,
    /// Attempts in all; at least 1.
    pub attempts: usize,
}

impl PictureOptions {
    /// Returns options with this limit and the default number of attempts ([`ATTEMPTS`]).
    pub fn within(limit: Duration) -> Self {
        Self {
            limit,
            attempts: ATTEMPTS,
        }
    }
}

/// Attempts of a look or a screenshot. Chosen: faults of the moment, such as a window that is just closing,
/// rarely last longer; more attempts only delay the error.
pub const ATTEMPTS: usize = 4;

//! Content that moved and is otherwise unchanged.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows_diff;
use runner_screen::Rect;

/// Content that moved and did not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MovedContent {
    /// The golden's rows from this one on: their y, in pixels.
    pub below: i32,
    /// By so many pixels to the right and down.
    pub by: (i32, i32),
    /// So many rows; 0 where only the pixels tell.
    pub rows: usize,
    /// Where it is now, pixel for pixel as it was, in pixels of the new picture; empty where pixels do not tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub areas: Vec<Rect>,
}

impl std::fmt::Display for MovedContent {
    /// Writes one line such as `3 rows below y=120 moved by 0,+24`. Without rows it is `the picture below …`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.rows {
            0 => "the picture".to_owned(),
            1 => "1 row".to_owned(),
            rows => format!("{rows} rows"),
        };
        let by = rows_diff::delta(self.by.0.into(), self.by.1.into());
        write!(f, "{what} below y={} moved by {by}", self.below)
    }
}

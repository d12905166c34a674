//! Effect of `takeScreenshot` in Maestro's flows.

use serde::Deserialize;

/// Effect of `takeScreenshot` in Maestro flows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreenshotUse {
    /// Saves an artifact.
    #[default]
    Artifacts,
    /// Takes a snapshot that is compared with its golden.
    Goldens,
}

//! The session.

use std::sync::Arc;
use std::time::Duration;

use crate::device::{Device, DeviceError, Picture};
use crate::screen::{NodeIndex, Screen, Selector};

/// A session on one device. All input goes through it, one at a time; every look is remembered.
pub struct Session {
    device: Arc<dyn Device>,
}

/// What cannot be done on the screen as it is.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No element matched in time.
    #[error("no element matches {selector}")]
    NotFound {
        /// The selector as YAML on one line.
        selector: String,
        /// The last screen that was looked at.
        screen: Option<Arc<Screen>>,
        /// Nearest misses, each a line with the edit to make.
        misses: Vec<String>,
    },
    /// Several elements matched.
    #[error("{count} elements match {selector}")]
    Several {
        /// The selector as YAML on one line.
        selector: String,
        /// How many.
        count: usize,
        /// Each element with the selector that picks it.
        candidates: Vec<String>,
    },
}

/// A screen and its picture, taken together while nothing moved.
#[derive(Debug, Clone)]
pub struct Capture {
    /// The rows.
    pub screen: Arc<Screen>,
    /// The picture; `None` where only rows were asked for.
    pub picture: Option<Picture>,
}

/// How a capture is taken.
#[derive(Debug, Clone, Copy)]
pub struct CaptureOptions {
    /// Longest time until two looks in a row are equal.
    pub limit: Duration,
    /// Whether to take the picture too.
    pub picture: bool,
}

impl Session {
    /// A session on `device`.
    pub fn new(device: Arc<dyn Device>) -> Self {
        Self { device }
    }

    /// The device, for what needs no element.
    pub fn device(&self) -> &dyn Device {
        self.device.as_ref()
    }

    /// A fresh look.
    pub async fn look(&self) -> Result<Arc<Screen>, EngineError> {
        todo!()
    }

    /// The last look, if there was one since the session began.
    pub fn last_screen(&self) -> Option<Arc<Screen>> {
        todo!()
    }

    /// Waits until just one element matches; looks again until `timeout` is up.
    pub async fn find(
        &self,
        selector: &Selector,
        timeout: Duration,
    ) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        let _ = (selector, timeout);
        todo!()
    }

    /// Tested once on a fresh look, without waiting: whether anything matches.
    pub async fn is_visible(&self, selector: &Selector) -> Result<bool, EngineError> {
        let _ = selector;
        todo!()
    }

    /// One screen and its picture now, without waiting for anything.
    pub async fn capture(&self, options: CaptureOptions) -> Result<Capture, EngineError> {
        let _ = options;
        todo!()
    }
}

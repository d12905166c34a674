//! A session on a device: caches, serialised input, waiting, stable capture, element resolution.
//!
//! What flows and agents do, said in elements instead of pixels. Uses [`crate::screen`] and [`crate::device`] only.

mod session;

pub use session::{Capture, CaptureOptions, EngineError, Session};

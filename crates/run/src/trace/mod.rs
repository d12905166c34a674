//! The trace of an attempt: what it saw and did, step by step, so that it can be walked through afterwards; and its video.
//!
//! Rows come from looks that steps take anyway. A screenshot is taken where the rows changed, before the next input.

mod files;
mod log;
mod model;
mod recorder;
mod video;
mod watch;

pub use files::packed_screen;
pub use model::{Trace, TraceAct, TraceFrame, VideoPiece};
pub(super) use recorder::TraceRecorder;
pub(super) use video::VideoRecorder;
pub use watch::TraceWatch;

/// Folder of a trace, below that of its attempt.
const FOLDER: &str = "trace";

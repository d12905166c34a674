//! Trace of an attempt: what it saw and did, step by step, to be walked through afterwards; and its video.
//!
//! Rows come from looks that steps take anyway. A screenshot is taken if the rows changed, before the next
//! input.

mod files;
mod log;
mod recorder;
mod video;
mod watch;

pub use files::packed_screen;
pub(super) use recorder::TraceRecorder;
pub(super) use video::VideoRecorder;
pub use watch::TraceWatch;

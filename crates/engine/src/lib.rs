//! Sessions on a device: serialized input, waiting, stable captures, finding elements, caches.
//!
//! Offers what flows and agents do, in terms of elements instead of pixels. Uses only [`runner_screen`] and
//! [`runner_device`]. Steps and tools are in the crates above, which call it.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod act;
mod arrival;
mod blind_typing;
mod capture;
mod changes;
mod dialogs;
mod drag;
pub mod elements;
mod error;
mod extensions;
mod field;
mod fresh_look;
mod hint;
mod history;
mod late_effects;
mod observer;
mod read_back;
mod retrace;
mod scroll;
mod scroll_once;
mod scroll_to_id;
mod scroller;
mod scrolling;
mod selector_seek;
mod session;
mod settle;
pub mod short_ids;
mod shown_part;
mod step_clock;
mod storage;
mod taken_text;
mod text;
mod wait;
mod wait_budget;

#[cfg(test)]
mod framework_tests;
#[cfg(test)]
mod tests;

pub use act::{
    Readiness, Starts, TouchArea, TouchedElement, click_target, is_disabled, long_click_target,
};
pub use capture::{Capture, CaptureOptions, StableCapture};
pub use dialogs::{DialogAnswer, DialogFiring, DialogRule, MAX_DIALOG_ANSWERS};
pub use drag::{DragAreas, DragSource};
pub use error::EngineError;
pub use extensions::Extensions;
pub use field::focused_text;
pub use fresh_look::LookPolicy;
pub use hint::{
    Choice, Choices, DISABLED, MatchedElement, Matches, Miss, MissingElement, NamedElement,
    Scroller, SearchGaps,
};
pub use history::same_rows;
pub use observer::Observer;
pub use runner_device::Direction;
pub use scroll::{ScrollOptions, ScrollTo, drag};
pub use scroll_once::ScrollEffect;
pub use scrolling::{Course, Look, Seek, SeekOutcome, SeekState, Turn, seek};
pub use session::{InputGuard, Session};
pub use step_clock::{DeviceRequest, MIN_REQUEST_LIMIT, RESTLESS_LOOK_LIMIT, UnfinishedRequest};
pub use storage::StorageLocation;
pub use text::{Focus, Insertion, TypedField, Typing};
pub use wait::{CheckedElement, ElementCount, IdleResult, WaitResult, describe};

//! A session on a device: caches, serialised input, waiting, stable capture, element resolution.
//!
//! What flows and agents do, said in elements instead of pixels. Uses [`runner_screen`] and [`runner_device`] only.
//! It knows no step and no tool: those are the crates above, which call it.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod act;
mod arrival;
mod blind;
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
mod session;
mod settle;
pub mod short_ids;
mod step_clock;
mod storage;
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
pub use dialogs::{DialogAnswer, DialogFiring, DialogRule, MOST_ANSWERS};
pub use drag::{DragAreas, DragSource};
pub use error::EngineError;
pub use extensions::Extensions;
pub use field::focused_text;
pub use fresh_look::LookPolicy;
pub use hint::Miss;
pub use history::same_rows;
pub use observer::Observer;
pub use runner_device::Direction;
pub use scroll::{ScrollOptions, ScrollTo, drag};
pub use scroll_once::ScrollEffect;
pub use scrolling::{Course, Look, Seek, SeekOutcome, SeekState, Turn, seek};
pub use session::{InputGuard, Session};
pub use step_clock::{CutOff, DeviceRequest, LEAST, RESTLESS};
pub use storage::StorageLocation;
pub use text::{Focus, Insertion, TypedField, Typing};
pub use wait::{CheckedElement, ElementCount, Idle, WaitResult, describe};

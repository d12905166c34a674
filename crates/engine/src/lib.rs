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
mod click_target;
mod container_scroll;
mod describe;
mod dialogs;
mod drag;
pub mod elements;
mod error;
mod expected_content;
mod extensions;
mod field;
mod field_keys;
mod field_lines;
mod fresh_look;
mod hide_keyboard;
mod hint;
mod history;
mod identity;
mod late_effects;
mod missing_element;
mod other_elements;
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
mod toast_watch;
mod typing;
mod wait;
mod wait_budget;

#[cfg(test)]
mod framework_tests;
#[cfg(test)]
mod tests;

pub use act::{Readiness, Starts, TouchArea, TouchedElement, is_disabled, uncovered_point};
pub use capture::{Capture, CaptureOptions, StableCapture};
pub use click_target::{click_target, long_click_target};
pub use container_scroll::ScrollOptions;
pub use describe::describe;
pub use dialogs::{DialogAnswer, DialogFiring, DialogRule, MAX_DIALOG_ANSWERS};
pub use drag::{DragAreas, DragSource};
pub use error::EngineError;
pub use extensions::Extensions;
pub use field::focused_text;
pub use fresh_look::LookPolicy;
pub use hint::DISABLED;
pub use history::same_rows;
pub use missing_element::{
    Choice, ChoiceUse, Choices, FieldChoices, MatchedElement, Matches, Miss, MissingElement,
    NamedElement, Scroller, SearchGaps,
};
pub use other_elements::{able_elements, texts_beside};
pub use runner_device::Direction;
pub use scroll::{ScrollTo, drag, free_part};
pub use scroll_once::ScrollEffect;
pub use scroller::clicked;
pub use scrolling::{Course, Look, Seek, SeekOutcome, SeekState, Turn, seek};
pub use session::{InputGuard, Observer, Session};
pub use step_clock::{DeviceRequest, MIN_REQUEST_LIMIT, RESTLESS_LOOK_LIMIT, UnfinishedRequest};
pub use storage::StorageLocation;
pub use typing::{Focus, Insertion, TypedField, Typing};
pub use wait::{CheckedElement, ElementCount, IdleResult, WaitResult};

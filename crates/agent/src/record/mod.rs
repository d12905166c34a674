//! Records the calls of agents and people, and writes them as a flow.
//!
//! Each call becomes an [`act`] at once: [`table`] says of which kind, and [`translate`] names what it
//! pointed at by a selector on the screen at that time. [`script`] merges acts that belong together;
//! [`finish`] writes the flow.

mod act;
mod arrival;
mod assertion;
mod call_record;
mod compare;
mod emit;
mod ending;
mod fields;
mod file;
mod finish;
mod gesture;
mod gesture_place;
mod landmark;
mod launcher;
mod locate;
mod masked_words;
mod observed_screens;
mod own_step;
mod recorder;
mod script;
mod scrolling;
mod secrets;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod tool;
mod touch;
mod touch_call;
mod translate;
mod words;

use serde_json::Value;

use runner_screen::{Point, Screen, Selector};

pub use assertion::Assertion;
pub use call_record::CallRecord;
pub use compare::differences;
pub use finish::{RecordedFlow, RecordedSteps};
pub use recorder::{Recorder, RecordingStatus};
pub(crate) use secrets::GivenSecret;
pub use tool::Record;

/// Returns the selector that a recording takes for a touch at a point. `None` if the place itself matters.
pub fn touched(screen: &Screen, at: Point, long: bool) -> Option<Selector> {
    locate::touch_selector(locate::touched(screen, at)?, long)
}

/// Returns the step that a recording writes for a gesture, with its value. `None` if it stays the tool's own
/// step.
pub fn gesture(screen: &Screen, tool: &str, args: &Value) -> Option<(&'static str, Value)> {
    gesture::step(
        &gesture::act(tool, args, screen)?,
        &secrets::Secrets::default(),
    )
}

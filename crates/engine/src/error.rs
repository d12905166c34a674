//! What cannot be done on the screen as it is.

use std::sync::Arc;
use std::time::Duration;

use super::hint::Miss;
use runner_device::DeviceError;
use runner_screen::selector::MissingAnchor;
use runner_screen::{PartialScreen, Screen};
use runner_text::units::RoundedDuration;

/// What cannot be done on the screen as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
        /// What matches and is not on the screen, one line each.
        unseen: Vec<String>,
        /// Nearest misses, each a line with the edit to make.
        misses: Vec<Miss>,
        /// What else may help, a line each: whether the screen scrolls, what can be clicked or read where nothing is near.
        hints: Vec<String>,
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
    /// An element that should be gone is still there.
    #[error("{selector} is still on the screen after {}", RoundedDuration(*.waited))]
    StillThere {
        /// The selector as YAML on one line.
        selector: String,
        /// How long it was waited for.
        waited: Duration,
        /// What matches, one line each.
        candidates: Vec<String>,
    },
    /// Nothing matches, but neither does what the selector goes by, so that this says nothing.
    #[error("{}", no_anchor(selector, missing))]
    NoAnchor {
        /// The selector as YAML on one line.
        selector: String,
        /// What is not there.
        missing: MissingAnchor,
    },
    /// No look was whole, so that none can say that something is not there.
    #[error("nothing can be said of {subject}: {why}")]
    PartialScreen {
        /// The selector as YAML on one line, or what else was to be judged.
        subject: String,
        /// What the last look lacks.
        why: PartialScreen,
    },
    /// Nothing matches because a rule of `on_dialog` took away the dialog that did.
    #[error(
        "{selector} was on the screen: the step before answered a dialog with it by the rule `when: {when}` of `on_dialog`"
    )]
    DialogAnswered {
        /// The selector as YAML on one line.
        selector: String,
        /// The rule's selector.
        when: String,
    },
    /// The element matched, but no part of it is on the display.
    #[error("{element} has no part on the display that could be touched; scroll to it first")]
    Hidden {
        /// The element, or the selector that found it.
        element: String,
    },
    /// The one element that matched stayed disabled.
    #[error("{selector} is there, but disabled for {}", RoundedDuration(*.waited))]
    Disabled {
        /// The selector as YAML on one line.
        selector: String,
        /// The element.
        element: String,
        /// How long it was seen to be so.
        waited: Duration,
    },
    /// The one element that matched stayed below something that takes touches.
    #[error("{selector} is covered by {by} for {}", RoundedDuration(*.waited))]
    Covered {
        /// The selector as YAML on one line.
        selector: String,
        /// The element.
        element: String,
        /// What lies above it.
        by: String,
        /// How long it was seen to be so.
        waited: Duration,
    },
    /// An id that no look of this session has shown, or whose element is gone.
    #[error("no element with the id {id} on the screen; take the id from a fresh look")]
    UnknownId {
        /// The id as it was given.
        id: String,
    },
    /// The element with this short id was shown once and is gone.
    #[error("{id} was {called}, which is not on the screen now; look again (`runner_look`)")]
    Gone {
        /// The id as it was given.
        id: String,
        /// What it was: `Button "Save"`.
        called: String,
    },
    /// Nothing that takes text has the focus.
    #[error("no text field has the focus; name the field, or click it first")]
    NoFocus,
    /// The element does not take text.
    #[error("{element} did not take the focus as a text field; it may not be editable")]
    NotEditable {
        /// The element.
        element: String,
    },
    /// A text of several lines, in which this release cannot move the caret to an end.
    #[error(
        "the caret cannot be put into {element}: its text may have several lines, and this release cannot hold CTRL while it presses a key; empty the field and type the whole text (`type: {{ clear: true, … }}`)"
    )]
    NoCaret {
        /// The field.
        element: String,
    },
    /// Text did not arrive as it should. Expected and actual are left out of a field that must not be shown.
    #[error("the text did not arrive whole in {element}")]
    NotTyped {
        /// The field.
        element: String,
        /// What should be in the field.
        expected: Option<String>,
        /// What is in it.
        actual: Option<String>,
    },
    /// Scrolling ended without the element.
    #[error("{element} was not found by scrolling {direction}")]
    NotScrolledTo {
        /// The selector or id.
        element: String,
        /// Which way.
        direction: &'static str,
        /// How often the content was moved.
        scrolls: u32,
        /// Whether the end was reached; else the limit.
        ended: bool,
        /// What matches and is not on the screen, one line each.
        unseen: Vec<String>,
        /// Nearest misses on the last screen.
        misses: Vec<Miss>,
    },
    /// There is nothing that scrolls.
    #[error("{element} is inside nothing that scrolls")]
    NoScrollable {
        /// The selector or id.
        element: String,
    },
    /// A look was cut off by the step's limit, after others that went well.
    #[error("the screen could not be read again within {}", RoundedDuration(*.limit))]
    LookCutOff {
        /// How long the look had.
        limit: Duration,
    },
    /// The first look of a step was cut off before a device could report that the screen never stands still.
    #[error(
        "the screen could not be read within {}: either it never stands still (a video, a spinner), or the dump hangs; with `timeout: 12s` the step lasts long enough to tell which",
        RoundedDuration(*.limit)
    )]
    NotRead {
        /// How long the look had.
        limit: Duration,
    },
    /// The screen kept changing.
    #[error(
        "the screen did not come to rest within {} (last similarity {similarity} %)",
        RoundedDuration(*.waited)
    )]
    NotIdle {
        /// How long it was waited for.
        waited: Duration,
        /// Similarity of the last two snapshots, percent.
        similarity: u8,
    },
}

/// The words of [`EngineError::NoAnchor`].
fn no_anchor(selector: &str, missing: &MissingAnchor) -> String {
    let anchor = &missing.anchor;
    match &missing.alternative {
        None => format!(
            "nothing matches `{anchor}`, so nothing can be said of {selector}; correct it, or leave it out"
        ),
        Some(alternative) => format!(
            "nothing matches `{anchor}`, so nothing can be said of the alternative {alternative} of {selector}; correct it, or give each alternative a step of its own with `when`"
        ),
    }
}

impl EngineError {
    /// Whether there is no way to the device.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Device(error) if error.is_unreachable())
    }
}

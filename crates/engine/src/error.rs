//! Errors of actions on the screen.

use std::time::Duration;

use super::missing_element::{FieldChoices, Matches, Miss, MissingElement, SearchGaps};
use runner_device::DeviceError;
use runner_screen::PartialScreen;
use runner_screen::selector::MissingAnchor;
use runner_text::units::RoundedDuration;

/// Reason why an action on the screen failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("no element matches {}", .0.selector)]
    NotFound(Box<MissingElement>),
    #[error("{count} elements match {selector}")]
    Several {
        /// Selector as YAML on one line.
        selector: String,
        count: usize,
        candidates: Matches,
    },
    /// An element that should be gone, or the keyboard, is still there.
    #[error("{selector} is still on the screen after {}", RoundedDuration(*.waited))]
    StillThere {
        /// Selector as YAML on one line.
        selector: String,
        waited: Duration,
        candidates: Matches,
    },
    /// The back key that should hide the keyboard has closed the window below it.
    #[error(
        "{before} is not in front any more: BACK was pressed to hide the keyboard, which had gone by itself; {after} is in front"
    )]
    LeftScreen {
        /// Title of the window that had the keyboard.
        before: String,
        /// Title of the window in front now.
        after: String,
    },
    /// Nothing matches, but the anchor that the selector refers to is missing too, so its absence proves
    /// nothing.
    #[error("{}", no_anchor(selector, missing))]
    NoAnchor {
        /// Selector as YAML on one line.
        selector: String,
        missing: MissingAnchor,
    },
    /// The last look was incomplete, so it proves no absence and cannot be compared.
    #[error("nothing can be said of {subject}: {why}")]
    PartialScreen {
        /// Selector as YAML on one line, or another subject of the verdict.
        subject: String,
        /// Missing part of the last look.
        why: PartialScreen,
    },
    /// Nothing matches, but a rule of `on_dialog` closed a dialog with a match, in this step or the last one that
    /// looked.
    #[error(
        "{selector} was on the screen: the step before answered a dialog with it by the rule `when: {when}` of `on_dialog`"
    )]
    DialogAnswered {
        /// Selector as YAML on one line.
        selector: String,
        /// Selector of the rule.
        when: String,
    },
    /// A dialog is left that a rule of `on_dialog` answered as often as it may in one step.
    #[error("the dialog of the rule `when: {when}` of `on_dialog` would take the input")]
    DialogStays {
        /// Selector of the rule.
        when: String,
    },
    /// A dialog of a rule of `on_dialog` is left, and what was looked for is below it, or may be hidden by it.
    #[error(
        "nothing can be said to be missing: the dialog of the rule `when: {when}` of `on_dialog` hides the screen"
    )]
    DialogHides {
        /// Selector of the rule.
        when: String,
    },
    #[error("{element} has no part on the display that could be touched; scroll to it first")]
    Hidden {
        /// Description of the element, or its selector.
        element: String,
    },
    /// The only match stayed disabled.
    #[error("{selector} is there, but disabled{}", LookSpan(*.waited))]
    Disabled {
        /// Selector as YAML on one line.
        selector: String,
        /// Description of the element.
        element: String,
        /// Time for which the element was seen disabled; zero if it was seen once.
        waited: Duration,
    },
    /// The only match stayed below something that takes touches.
    #[error("{selector} is covered by {by}{}", LookSpan(*.waited))]
    Covered {
        /// Selector as YAML on one line.
        selector: String,
        /// Description of the element.
        element: String,
        /// Description of the covering element.
        by: String,
        /// Time for which the element was seen covered; zero if it was seen once.
        waited: Duration,
    },
    /// None of the session's stored looks has shown the id, or its element is gone.
    #[error("no element with the id {id} on the screen; take the id from a fresh look")]
    UnknownId {
        /// Short id or node id, as the caller gave it.
        id: String,
    },
    /// The id was valid once, but its element is gone, or cannot be told from another.
    #[error("{id} was {called}, which {}; look again (`runner_look`)", absence(*.has_double))]
    Gone {
        id: String,
        /// Description of the element, such as `Button "Save"`.
        called: String,
        /// True if others on the screen look the same.
        has_double: bool,
    },
    /// Nothing that takes text has the focus.
    #[error("no text field has the focus; name the field, or click it first")]
    NoFocus {
        /// Fields of the screen; `None` if they were not looked for.
        instead: Option<Box<FieldChoices>>,
    },
    #[error("{element} did not take the focus as a text field; it may not be editable")]
    NotEditable {
        /// Description of the element.
        element: String,
        /// Fields of its screen; `None` if they were not looked for.
        instead: Option<Box<FieldChoices>>,
    },
    /// The text may have several lines, and this release of Android cannot move the caret to its ends.
    #[error(
        "the caret cannot be put into {element}: its text may have several lines, and this release cannot hold CTRL while it presses a key"
    )]
    NoCaret {
        /// Description of the field.
        element: String,
    },
    /// The field does not hold the typed text. Both texts are left out for fields that must not be shown.
    #[error("the text did not arrive whole in {element}")]
    NotTyped {
        /// Description of the field.
        element: String,
        expected: Option<String>,
        actual: Option<String>,
        /// Content that the field had before, behind which the text was typed.
        before: Option<String>,
        /// True if the field is empty, so that the app may have taken the text, or no key arrived.
        may_be_taken: bool,
    },
    /// Scrolling ended without the element.
    #[error("{element} was not found by scrolling {direction}")]
    NotScrolledTo {
        /// Selector or id.
        element: String,
        direction: &'static str,
        scrolls: u32,
        /// True if the end of the content was reached; in a search by id, if the search turned. False if the limit was
        /// reached, or no drag could be made.
        ended: bool,
        unsearched: Box<SearchGaps>,
        /// Descriptions of matches outside the screen, one line each.
        unseen: Vec<String>,
        /// Nearest misses on the last screen.
        misses: Vec<Miss>,
    },
    /// Scrolling ended with less of the element on the screen than was requested.
    #[error("{element} is shown only in part: {shown}")]
    NotShown {
        /// Selector as YAML on one line.
        element: String,
        /// Part that is shown, in words.
        shown: String,
        scrolls: u32,
    },
    /// The element was to go to the middle, and no drag moved anything in a container that scrolls.
    #[error("{element} was not moved to the middle: nothing moved when it was scrolled")]
    NotMoved {
        /// Selector as YAML on one line.
        element: String,
        /// Number of scrolls, not counting those that proved that nothing moves.
        scrolls: u32,
    },
    /// No container scrolls.
    #[error("{element} is inside nothing that scrolls")]
    NoScrollable {
        /// Selector or id.
        element: String,
    },
    /// A look was cut off by the step's limit, after others that succeeded.
    #[error("the screen could not be read again within {}", RoundedDuration(*.limit))]
    LookCutOff {
        /// Time that the look had.
        limit: Duration,
    },
    /// The first look of a step was cut off before the device could report that the screen never stands
    /// still.
    #[error(
        "the screen could not be read within {}: either it never stands still (a video, a spinner), or the dump hangs",
        RoundedDuration(*.limit)
    )]
    NotRead {
        /// Time that the look had.
        limit: Duration,
    },
    #[error(
        "the screen did not come to rest within {} (last similarity {similarity} %)",
        RoundedDuration(*.waited)
    )]
    NotIdle {
        waited: Duration,
        /// Similarity of the last two screens, percent; 0 or 1 if no two were compared.
        similarity: u8,
    },
}

/// Formats the message of [`EngineError::NoAnchor`]. If the missing anchor belongs to one alternative of
/// several, the message names that alternative and advises one step for each.
fn no_anchor(selector: &str, missing: &MissingAnchor) -> String {
    let anchor = &missing.anchor;
    match &missing.alternative {
        None => format!(
            "nothing matches `{anchor}`, so nothing can be said of {selector}; correct it, or leave it out"
        ),
        Some(alternative) => format!(
            "nothing matches `{anchor}`, so nothing can be said of the alternative {alternative} of {selector}; correct it, or give each alternative a step of its own"
        ),
    }
}

/// Says of an element of an earlier look that it is not there, or that it may be another.
fn absence(has_double: bool) -> &'static str {
    if has_double {
        "cannot be told from what looks the same on the screen now"
    } else {
        "is not on the screen now"
    }
}

impl EngineError {
    /// Returns true if the device cannot be reached.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Device(error) if error.is_unreachable())
    }
}

/// Time between the first and the last of several looks, for a message: ` for 9s`. Nothing if there was one look.
struct LookSpan(Duration);

impl std::fmt::Display for LookSpan {
    /// Writes ` for 9s`, with the space in front; nothing for less than a millisecond.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.as_millis() == 0 {
            return Ok(());
        }
        write!(f, " for {}", RoundedDuration(self.0))
    }
}

//! Dialogs that hide the app. The project's rules for them are tried when a wait finds nothing, or only something that
//! such a dialog covers, and before gestures that look for no element.

mod calls;

use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::EngineError;
use runner_device::Key;
use runner_screen::{Node, NodeIndex, Screen, Selector};

/// Limit for answered dialogs in one step, failed answers included. Chosen: two dialogs may come in a row; one that
/// comes back more often comes back forever.
pub const MAX_DIALOG_ANSWERS: usize = 3;

/// A rule of `on_dialog`.
#[derive(Debug, Clone, PartialEq)]
pub struct DialogRule {
    /// Selector of an element of the dialog.
    pub when: Selector,
    /// Package that the dialog must belong to; any if `None`.
    pub app: Option<String>,
    pub answer: DialogAnswer,
    /// Byte offset of the rule in `runner.yaml`.
    pub place: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DialogAnswer {
    /// Taps the first match, preferably in the dialog's window. Does not wait for it.
    Click(Box<Selector>),
    Press(Key),
}

impl Display for DialogAnswer {
    /// Writes `click: SELECTOR` or `press: KEY`.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Click(selector) => write!(f, "click: {selector}"),
            Self::Press(key) => write!(f, "press: {}", key.name()),
        }
    }
}

/// A rule that found its dialog.
#[derive(Debug)]
pub struct DialogFiring {
    pub rule: DialogRule,
    /// Reason why the dialog could not be answered.
    pub error: Option<EngineError>,
}

/// Finds elements whose absence a wait asserts.
pub(super) type ElementFinder<'a> = &'a (dyn Fn(&Screen) -> Vec<NodeIndex> + Send + Sync);

/// Policy of a wait for dialogs.
#[derive(Clone, Copy)]
pub(super) enum DialogUse<'a> {
    /// Answers every dialog that a rule finds, after a look that does not satisfy the wait.
    Answer,
    /// Answers dialogs before a look is judged, as what they hide would count as absent. Spares those whose
    /// window has one of these elements: closing it would make the asserted absence true.
    Spare(ElementFinder<'a>),
}

/// A dialog that was answered by a rule.
#[derive(Debug)]
struct AnsweredDialog {
    when: String,
    screen: Arc<Screen>,
    /// An element of the dialog.
    hit: NodeIndex,
}

/// Dialogs answered in the current step and in the last step before it that looked at the screen, and those that
/// count for another try.
#[derive(Debug, Default)]
struct AnsweredDialogs {
    now: Vec<AnsweredDialog>,
    before: Vec<AnsweredDialog>,
    /// Dialogs that counted for steps that failed, since a step passed.
    tried: Vec<AnsweredDialog>,
    /// Dialogs that counted for a try that failed. They count for the next try until something acts.
    held: Vec<AnsweredDialog>,
    /// Number of looks of the session, new and used again, when that earlier step ended.
    looks: u64,
}

/// Rules of a session, and their dialogs in the current step.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    rules: Arc<[DialogRule]>,
    fired: Mutex<Vec<DialogFiring>>,
    answered: Mutex<AnsweredDialogs>,
}

impl Dialogs {
    fn fired(&self) -> MutexGuard<'_, Vec<DialogFiring>> {
        self.fired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answered(&self) -> MutexGuard<'_, AnsweredDialogs> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns each rule with each element on the screen that its `when` matches, in the order of the rules and then of
    /// [`Selector::find`]. A rule with an app takes only elements whose package, or whose window's package, is that
    /// app. The answers are not looked for.
    fn hits<'a>(&'a self, screen: &'a Screen) -> impl Iterator<Item = (&'a DialogRule, Node<'a>)> {
        self.rules.iter().flat_map(move |rule| {
            let found = rule.when.find(screen).into_iter();
            found
                .map(|index| screen.node(index))
                .filter(|node| {
                    let app = rule.app.as_deref();
                    app.is_none_or(|app| node.package() == app || node.window().package == app)
                })
                .map(move |node| (rule, node))
        })
    }

    /// Removes the elements that have a rule's dialog in a window above theirs. The others keep their order.
    pub(super) fn uncovered(&self, screen: &Screen, mut nodes: Vec<NodeIndex>) -> Vec<NodeIndex> {
        if !nodes.is_empty()
            && let Some(top) = self.hits(screen).map(|(_, hit)| hit.window().layer).max()
        {
            nodes.retain(|node| screen.node(*node).window().layer >= top);
        }
        nodes
    }
}

/// Returns true if one of `nodes` is in the same window as `hit`.
fn shares_window(screen: &Screen, hit: Node<'_>, nodes: &[NodeIndex]) -> bool {
    nodes
        .iter()
        .any(|node| std::ptr::eq(screen.node(*node).window(), hit.window()))
}

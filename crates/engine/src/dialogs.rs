//! Dialogs that hide the app: what a project says of them, looked at where a wait finds nothing, or only what such a dialog
//! covers.

use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::act::click_target;
use super::{EngineError, Session};
use runner_device::{Input, Key};
use runner_screen::selector::Purpose;
use runner_screen::{Node, NodeIndex, Screen, Selector};

/// How often dialogs are answered in a step. One that comes back more often comes back for ever.
pub const MOST_ANSWERS: usize = 3;
/// How long a dialog may take to go.
const SETTLE: Duration = Duration::from_millis(500);

/// What to do with a dialog.
#[derive(Debug, Clone, PartialEq)]
pub struct DialogRule {
    /// What of the dialog is on the screen.
    pub when: Selector,
    /// Whose dialog it is, as a package; of any where there is none.
    pub app: Option<String>,
    /// What to do then.
    pub answer: DialogAnswer,
    /// Where the rule stands in `runner.yaml`, in bytes.
    pub place: usize,
}

/// How a dialog is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum DialogAnswer {
    /// By a touch of this element.
    Click(Box<Selector>),
    /// By a key.
    Press(Key),
}

impl Display for DialogAnswer {
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
    /// The rule.
    pub rule: DialogRule,
    /// Why the dialog could not be answered, where it could not.
    pub error: Option<EngineError>,
}

/// The search for what a wait denies.
pub(super) type Denied<'a> = &'a (dyn Fn(&Screen) -> Vec<NodeIndex> + Send + Sync);

/// Which dialogs a wait answers.
#[derive(Clone, Copy)]
pub(super) enum DialogUse<'a> {
    /// Every one that a rule finds.
    Answer,
    /// None in whose window something of this is: an answer would take away what the wait denies.
    Spare(Denied<'a>),
    /// None.
    Leave,
}

/// A dialog that a rule took away.
#[derive(Debug)]
struct AnsweredDialog {
    when: String,
    screen: Arc<Screen>,
    /// An element of the dialog.
    hit: NodeIndex,
}

/// The dialogs that were answered in the step that runs and in the last one before that looked at the screen.
#[derive(Debug, Default)]
struct AnsweredDialogs {
    now: Vec<AnsweredDialog>,
    before: Vec<AnsweredDialog>,
    /// Looks of the session when the last such step ended.
    looks: u64,
}

/// The rules of a session, and what came of them in the step that runs.
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

    /// What is on the screen of a rule's dialogs.
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

    /// Whether a dialog of a rule lies over an element.
    pub(super) fn cover(&self, screen: &Screen, index: NodeIndex) -> bool {
        let layer = screen.node(index).window().layer;
        self.hits(screen).any(|(_, hit)| hit.window().layer > layer)
    }
}

/// Whether one of `nodes` is in the window of `hit`.
fn shares_window(screen: &Screen, hit: Node<'_>, nodes: &[NodeIndex]) -> bool {
    nodes
        .iter()
        .any(|node| std::ptr::eq(screen.node(*node).window(), hit.window()))
}

impl Session {
    /// With rules for dialogs that hide the app.
    #[must_use]
    pub fn with_dialogs(mut self, rules: Arc<[DialogRule]>) -> Self {
        self.dialogs = Dialogs {
            rules,
            ..Dialogs::default()
        };
        self
    }

    /// Notes that a step has ended, and returns the rules whose dialogs the step before it answered. A step that did not
    /// look at the screen is none.
    pub fn end_step_of_dialogs(&self) -> Vec<String> {
        let looks = self.device().counters().read().dumps;
        let mut answered = self.dialogs.answered();
        let whens = answered.before.iter().map(|dialog| dialog.when.clone());
        let before = whens.collect();
        if looks != answered.looks {
            answered.looks = looks;
            answered.before = std::mem::take(&mut answered.now);
        }
        before
    }

    /// Refuses the verdict that `selector` matches nothing, where a rule took away a dialog with a match of `denied`, in
    /// this step or the one before.
    ///
    /// # Errors
    /// [`EngineError::DialogAnswered`].
    pub fn check_answered_dialogs(
        &self,
        selector: &dyn Display,
        denied: impl Fn(&Screen) -> Vec<NodeIndex>,
    ) -> Result<(), EngineError> {
        let answered = self.dialogs.answered();
        let mut dialogs = answered.before.iter().chain(&answered.now);
        let removed = dialogs.find(|dialog| {
            let hit = dialog.screen.node(dialog.hit);
            shares_window(&dialog.screen, hit, &denied(&dialog.screen))
        });
        removed.map_or(Ok(()), |dialog| {
            Err(EngineError::DialogAnswered {
                selector: selector.to_string(),
                when: dialog.when.clone(),
            })
        })
    }

    /// The rules that found their dialog since this was last asked.
    pub fn take_dialogs(&self) -> Vec<DialogFiring> {
        std::mem::take(&mut *self.dialogs.fired())
    }

    /// Answers the dialog of the first rule that finds one, unless that was done often enough. Says whether a look may now
    /// show something else.
    pub(super) async fn answer_dialog(&self, screen: &Arc<Screen>, dialogs: DialogUse<'_>) -> bool {
        if self.dialogs.fired().len() >= MOST_ANSWERS {
            return false;
        }
        let denied = match dialogs {
            DialogUse::Answer => Vec::new(),
            DialogUse::Spare(denied) => denied(screen),
            DialogUse::Leave => return false,
        };
        let mut hits = self.dialogs.hits(screen);
        let hit = hits.find(|(_, hit)| !shares_window(screen, *hit, &denied));
        let Some((rule, hit)) = hit else {
            return false;
        };
        let error = self.answer(rule, hit, screen).await.err();
        tracing::debug!(target: "engine", when = %rule.when, answered = error.is_none(), "dialog");
        if error.is_none() {
            self.dialogs.answered().now.push(AnsweredDialog {
                when: rule.when.to_string(),
                screen: Arc::clone(screen),
                hit: hit.index(),
            });
        }
        let rule = rule.clone();
        self.dialogs.fired().push(DialogFiring { rule, error });
        // A device that cannot pause fails the look that follows.
        let _ = self.pause(SETTLE).await;
        true
    }

    async fn answer(
        &self,
        rule: &DialogRule,
        hit: Node<'_>,
        screen: &Screen,
    ) -> Result<(), EngineError> {
        let input = match &rule.answer {
            DialogAnswer::Press(key) => Input::Key {
                key: key.clone(),
                long: false,
            },
            DialogAnswer::Click(selector) => {
                let found = selector.find(screen);
                let nodes = || found.iter().map(|index| screen.node(*index));
                let window = hit.window().id;
                // The app behind it may have a button of that name too.
                let node = nodes()
                    .find(|node| node.window().id == window)
                    .or_else(|| nodes().next());
                let place = node.and_then(|node| node.touch_place(click_target(node)));
                let place =
                    place.ok_or_else(|| super::hint::not_found(selector, None, Purpose::Action))?;
                Input::Tap(place.point())
            }
        };
        // Whoever waits may hold the turn, and nobody else touches a device amid a step.
        self.send_inputs(&[input]).await
    }
}

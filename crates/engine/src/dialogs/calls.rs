//! Calls of a session that answer dialogs.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use super::{
    AnsweredDialog, DialogAnswer, DialogFiring, DialogRule, DialogUse, Dialogs, MAX_DIALOG_ANSWERS,
    shares_window,
};
use crate::click_target::click_target;
use crate::field::focused_fields;
use crate::scroll_once::readable;
use crate::{EngineError, Session};
use runner_device::Input;
use runner_screen::selector::Purpose;
use runner_screen::{Node, NodeIndex, Screen};

/// Time for a dialog to disappear. Chosen: longer than a closing animation.
const SETTLE: Duration = Duration::from_millis(500);

impl Session {
    /// Sets the rules for dialogs that hide the app, and forgets dialogs answered so far. Rules are tried in
    /// this order.
    #[must_use]
    pub fn with_dialogs(mut self, rules: Arc<[DialogRule]>) -> Self {
        self.dialogs = Dialogs {
            rules,
            ..Dialogs::default()
        };
        self
    }

    /// Ends a step, and returns the `when` of each dialog that the step before it answered, in the order of the
    /// answers. Empty if it answered none. A step that did not look at the screen does not count, so the next one gets
    /// the same answer. One that used the last look again did look: flows do not know which looks are new. What counted
    /// for a step that did not pass is kept for [`Session::try_dialogs_again`].
    pub fn end_step_of_dialogs(&self, passed: bool) -> Vec<String> {
        let cost = self.device().counters().read();
        let looks = cost.dumps + cost.reused;
        let mut answered = self.dialogs.answered();
        let whens = answered.before.iter().map(|dialog| dialog.when.clone());
        let before = whens.collect();
        if looks != answered.looks {
            answered.looks = looks;
            let now = std::mem::take(&mut answered.now);
            let older = std::mem::replace(&mut answered.before, now);
            if passed {
                answered.tried.clear();
            } else {
                answered.tried.extend(older);
            }
        }
        before
    }

    /// Begins another try after one that failed: the dialogs that counted for the failed one count for it too, until
    /// [`Session::end_tries_of_dialogs`].
    pub fn try_dialogs_again(&self) {
        let mut answered = self.dialogs.answered();
        let answered = &mut *answered;
        answered.held.append(&mut answered.tried);
        answered.held.append(&mut answered.before);
    }

    /// Forgets the dialogs that count only for another try, after something acted.
    pub fn end_tries_of_dialogs(&self) {
        let mut answered = self.dialogs.answered();
        answered.tried.clear();
        answered.held.clear();
    }

    /// Forgets the dialogs that earlier steps answered, after the current one left the screen that they were on.
    pub fn forget_answered_dialogs(&self) {
        self.end_tries_of_dialogs();
        self.dialogs.answered().before.clear();
    }

    /// Refuses the verdict that `selector` matches nothing if a rule closed a dialog with a match of `denied`
    /// in the window, in this step or the last one before it that looked, or before an earlier try of this one. Such a
    /// dialog may be the only reason for the absence. Judges by the screens before the answers, without a look.
    ///
    /// # Errors
    ///
    /// [`EngineError::DialogAnswered`] for the earliest such dialog.
    pub fn check_answered_dialogs(
        &self,
        selector: &dyn Display,
        denied: impl Fn(&Screen) -> Vec<NodeIndex>,
    ) -> Result<(), EngineError> {
        let answered = self.dialogs.answered();
        let earlier = answered.held.iter().chain(&answered.before);
        let mut dialogs = earlier.chain(&answered.now);
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

    /// Looks, without a wait, and finds elements on that look. Elements below a dialog that a rule is going to answer do
    /// not count. If none counts, answers the dialog of a rule and looks again. Returns the last look with the elements
    /// that count, in the order of `find`; empty if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`Session::look`] and [`Session::open_elements`].
    pub async fn look_for<F: IntoIterator<Item = NodeIndex>>(
        &self,
        find: impl Fn(&Screen) -> F,
    ) -> Result<(Arc<Screen>, Vec<NodeIndex>), EngineError> {
        loop {
            let screen = self.look().await?;
            let found = find(&screen);
            if let Some(open) = self.open_elements(&screen, found).await? {
                return Ok((screen, open));
            }
        }
    }

    /// Returns the elements found on a look that are not below a dialog which a rule is going to answer, in the same
    /// order. If there is none, answers the dialog of a rule: then the result is `None`, as only a new look tells what is
    /// on the screen. Empty if there is neither an element nor a dialog.
    ///
    /// # Errors
    ///
    /// [`EngineError::DialogHides`] if there is none and a dialog is left after [`MAX_DIALOG_ANSWERS`]. So an element
    /// below it is not touched, and one that it may hide does not count as missing.
    pub async fn open_elements(
        &self,
        screen: &Arc<Screen>,
        found: impl IntoIterator<Item = NodeIndex>,
    ) -> Result<Option<Vec<NodeIndex>>, EngineError> {
        let open = self.dialogs.uncovered(screen, found.into_iter().collect());
        if open.is_empty() {
            if self.answer_dialog(screen, DialogUse::Answer).await {
                return Ok(None);
            }
            self.check_no_dialog(screen)?;
        }
        Ok(Some(open))
    }

    /// Answers the dialogs that rules find, for a gesture that looks for no element, and looks again after each. The
    /// first look is the last one if nothing was done since and nothing moves on it. Returns the last look; `None` if
    /// the screen cannot be read, as with a video. Without rules it only looks.
    ///
    /// # Errors
    ///
    /// [`EngineError::DialogStays`] if a dialog is left after [`MAX_DIALOG_ANSWERS`], and an unreachable device.
    pub async fn look_past_dialogs(&self) -> Result<Option<Arc<Screen>>, EngineError> {
        self.look_past(DialogUse::Answer).await
    }

    /// Same as [`Session::look_past_dialogs`]. [`DialogUse`] may exempt some dialogs, which are no error either.
    async fn look_past(&self, dialogs: DialogUse<'_>) -> Result<Option<Arc<Screen>>, EngineError> {
        loop {
            let Some(screen) = readable(self.rested_or_new_look().await)? else {
                return Ok(None);
            };
            if !self.answer_dialog(&screen, dialogs).await {
                let left = self.dialog_to_answer(&screen, dialogs);
                return match left.map(|(rule, _)| rule.when.to_string()) {
                    Some(when) => Err(EngineError::DialogStays { when }),
                    None => Ok(Some(screen)),
                };
            }
        }
    }

    /// Same as [`Session::look_past_dialogs`]. Without rules it does not look, and returns `None`. A screen that cannot
    /// be read is no error.
    ///
    /// # Errors
    ///
    /// Those of [`Session::look_past_dialogs`].
    pub async fn answer_dialogs(&self) -> Result<Option<Arc<Screen>>, EngineError> {
        if self.has_dialog_rules() {
            self.look_past_dialogs().await
        } else {
            Ok(None)
        }
    }

    /// Answers the dialogs that rules find, for text that goes to what has the focus. A dialog in whose window a field
    /// has the focus is left: the text is meant for it. Without rules it does not look. A screen that cannot be read
    /// is no error.
    ///
    /// # Errors
    ///
    /// Those of [`Session::look_past_dialogs`].
    pub async fn answer_dialogs_before_text(&self) -> Result<(), EngineError> {
        if self.has_dialog_rules() {
            self.look_past(DialogUse::Spare(&focused_fields)).await?;
        }
        Ok(())
    }

    /// Takes the input lock and sends touches at places of the display, where they hit whatever is there. Dialogs
    /// that rules find are answered before.
    ///
    /// # Errors
    ///
    /// Those of [`Session::look_past_dialogs`], and of the inputs.
    pub async fn touch_display(&self, inputs: &[Input]) -> Result<(), EngineError> {
        self.answer_dialogs().await?;
        self.input(inputs).await
    }

    /// Returns true if the project has rules for dialogs.
    pub fn has_dialog_rules(&self) -> bool {
        !self.dialogs.rules.is_empty()
    }

    /// Returns true if an element is below a dialog that a rule is going to answer.
    pub fn is_below_dialog(&self, screen: &Screen, element: NodeIndex) -> bool {
        self.dialogs.uncovered(screen, vec![element]).is_empty()
    }

    /// Removes and returns the rules that found their dialog since the last call.
    pub fn take_dialogs(&self) -> Vec<DialogFiring> {
        std::mem::take(&mut *self.dialogs.fired())
    }

    /// Returns the first rule that finds a dialog, with its element. [`DialogUse`] may exempt some dialogs.
    fn dialog_to_answer<'a>(
        &'a self,
        screen: &'a Screen,
        dialogs: DialogUse<'_>,
    ) -> Option<(&'a DialogRule, Node<'a>)> {
        if !self.has_dialog_rules() {
            return None;
        }
        let spared = match dialogs {
            DialogUse::Answer => Vec::new(),
            DialogUse::Spare(denied) => denied(screen),
        };
        let mut hits = self.dialogs.hits(screen);
        hits.find(|(_, hit)| !shares_window(screen, *hit, &spared))
    }

    /// Returns the `when` of the rule whose dialog forbids a verdict on this look: what is missing may be behind
    /// it. `None` if nothing forbids it.
    pub(crate) fn hiding_dialog(&self, screen: &Screen, dialogs: DialogUse<'_>) -> Option<String> {
        if matches!(dialogs, DialogUse::Answer) {
            return None;
        }
        let (rule, _) = self.dialog_to_answer(screen, dialogs)?;
        Some(rule.when.to_string())
    }

    /// Refuses the verdict that a look shows no match of a selector while it shows a dialog of a rule.
    ///
    /// # Errors
    ///
    /// [`EngineError::DialogHides`] with the first such rule.
    pub fn check_no_dialog(&self, screen: &Screen) -> Result<(), EngineError> {
        let left = self.dialog_to_answer(screen, DialogUse::Answer);
        left.map_or(Ok(()), |(rule, _)| {
            let when = rule.when.to_string();
            Err(EngineError::DialogHides { when })
        })
    }

    /// Answers the first dialog found by a rule, and then pauses half a second. After [`MAX_DIALOG_ANSWERS`] since the
    /// last [`Session::take_dialogs`], failed answers included, it answers none. [`DialogUse`] may exempt some of
    /// them. Returns true if a rule was tried, even without success: a new look may show something else. The error
    /// of an answer is only in [`Session::take_dialogs`].
    pub(crate) async fn answer_dialog(&self, screen: &Arc<Screen>, dialogs: DialogUse<'_>) -> bool {
        if self.dialogs.fired().len() >= MAX_DIALOG_ANSWERS {
            return false;
        }
        let Some((rule, hit)) = self.dialog_to_answer(screen, dialogs) else {
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

    /// Sends the answer of a rule: its key, or a tap on its element, preferably in the dialog's own window. Takes no
    /// input lock, and does not look whether the dialog goes away. [`EngineError::NotFound`] if the element is not on
    /// the screen or has no part that can be touched; a covered one is tapped.
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
                    place.ok_or_else(|| EngineError::not_found(selector, None, Purpose::Action))?;
                Input::Tap(place.point())
            }
        };
        // Sent without the input lock: the waiting call may hold it, and no other call acts during a step.
        self.send_inputs(&[input]).await
    }
}

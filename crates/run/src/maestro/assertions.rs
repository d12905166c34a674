//! Runs assertions, waits that a flow asks for, and conditions.

use std::time::Duration;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::find::{Search, not_found};
use super::gone::{RemainingMatches, absence_result, matching_nodes};
use runner_engine::{EngineError, LookPolicy};
use runner_flow::maestro::{self, Condition, Platform, RawText};
use runner_screen::Screen;
use runner_screen::maestro::MaestroSelector;
use runner_screen::selector::{AbsenceError, Purpose};
use runner_tools::Failure;

impl Interpreter<'_, '_> {
    /// Runs `assertVisible`, or `visible` of `extendedWaitUntil` with its own time. Without `limit` it has 17 s or the
    /// step timeout, also if optional. The time counts from the last command that may have changed the screen. The last
    /// look suffices. Returns the first match; a failure with near misses if there is none.
    pub(super) async fn assert_visible(
        &mut self,
        raw: &maestro::RawSelector,
        limit: Option<Duration>,
    ) -> Result<StepResult, FailedTry> {
        let selector = self.selector(raw).await?;
        let limit = limit.unwrap_or_else(|| self.usual_limit());
        let limit = self.state().left_of(limit);
        match self.search(&selector, limit, LookPolicy::LastToo).await? {
            Search::Found(found) => Ok(found.result()),
            Search::Missing { screen } => {
                Err(not_found(&selector, screen.as_deref(), Purpose::Assertion).into())
            }
        }
    }

    /// Runs `assertNotVisible`, or `notVisible` of `extendedWaitUntil` with its own time; without `limit` it has 17 s
    /// or the step timeout. The time counts from the last command that may have changed the screen, and the element
    /// must be missing for 500 ms. Fails if something still matches, an anchor of the selector is missing, or the
    /// screen is incomplete. An absence that comes from a dialog answered by a rule is a failure too.
    pub(super) async fn assert_not_visible(
        &mut self,
        raw: &maestro::RawSelector,
        limit: Option<Duration>,
    ) -> Result<StepResult, FailedTry> {
        let selector = self.selector(raw).await?;
        let limit = limit.unwrap_or_else(|| self.usual_limit());
        let limit = self.state().left_of(limit);
        match self.wait_gone(&selector, limit, true).await? {
            Ok(absent) => {
                self.context
                    .session
                    .check_answered_dialogs(&selector, |screen| matching_nodes(&selector, screen))
                    .map_err(Failure::from)?;
                let screen = self.context.session.last_screen();
                self.note_typo(&selector, screen.as_deref());
                Ok(absence_result(absent))
            }
            Err(still) => Err(still.failure(&selector).into()),
        }
    }

    /// Runs `extendedWaitUntil`: first `visible`, then `not_visible`, each with the same limit of `timeout`
    /// milliseconds. Without `timeout` each has 17 s or the step timeout. Without both selectors it passes at once. The
    /// result is that of `visible`.
    pub(super) async fn extended_wait(
        &mut self,
        visible: Option<&maestro::RawSelector>,
        not_visible: Option<&maestro::RawSelector>,
        timeout: Option<&RawText>,
    ) -> Result<StepResult, FailedTry> {
        let limit = self.time(timeout).await?;
        let mut result = StepResult::default();
        if let Some(visible) = visible {
            result = self.assert_visible(visible, limit).await?;
        }
        if let Some(not_visible) = not_visible {
            self.assert_not_visible(not_visible, limit).await?;
        }
        Ok(result)
    }

    /// Returns true if all parts of a condition hold; an empty one does. Checked in this order until one does not hold:
    /// platform, script, `visible`, `notVisible`. The last two wait up to 7 s each, counted from the last
    /// command that may have changed the screen. That something is missing needs a complete screen; otherwise it is a
    /// failure. With `notes` it notes selectors that match nothing and surely misspell an element.
    pub(super) async fn condition(
        &mut self,
        condition: &Condition,
        notes: bool,
    ) -> Result<bool, FailedTry> {
        if condition
            .platform
            .is_some_and(|platform| platform != Platform::Android)
        {
            return Ok(false);
        }
        if let Some(script) = &condition.script {
            let text = self.words(script).await?;
            if !runner_script::is_true(&text) {
                return Ok(false);
            }
        }
        if let Some(raw) = &condition.visible {
            let selector = self.selector(raw).await?;
            let limit = self.lookup_time(true);
            let search = self.search(&selector, limit, LookPolicy::LastToo).await?;
            if let Search::Missing { screen } = search {
                if let Some(screen) = screen.as_deref() {
                    let session = self.context.session;
                    session.check_no_dialog(screen).map_err(Failure::from)?;
                }
                // A verdict that something is missing needs a complete dump.
                if let Some(why) = screen.as_deref().and_then(|screen| screen.as_whole().err()) {
                    return Err(Failure::from(EngineError::PartialScreen {
                        subject: selector.to_string(),
                        why,
                    })
                    .into());
                }
                self.note_typo(&selector, screen.as_deref().filter(|_| notes));
                return Ok(false);
            }
        }
        if let Some(raw) = &condition.not_visible {
            let selector = self.selector(raw).await?;
            let limit = self.lookup_time(true);
            match self.wait_gone(&selector, limit, false).await? {
                Ok(_) => {
                    let screen = self.context.session.last_screen().filter(|_| notes);
                    self.note_typo(&selector, screen.as_deref());
                }
                Err(RemainingMatches {
                    why: Some(why @ AbsenceError::Partial(_)),
                    screen,
                }) => {
                    let why = Some(why);
                    return Err(RemainingMatches { screen, why }.failure(&selector).into());
                }
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Notes the element that a selector which matches nothing surely misspells, with what to write.
    fn note_typo(&mut self, selector: &MaestroSelector, screen: Option<&Screen>) {
        if let Some(typo) = not_found(selector, screen, Purpose::Assertion).typo {
            self.attempt
                .note_once(format!("nothing matches {selector}; {typo}"));
        }
    }

    /// Runs `assertTrue`: fails with the text as written and the value that its scripts come to, unless that counts as
    /// true: it is not blank, `false`, `undefined`, `null` or zero.
    pub(super) async fn assert_true(&mut self, raw: &RawText) -> Result<StepResult, FailedTry> {
        let text = self.words(raw).await?;
        if runner_script::is_true(&text) {
            return Ok(StepResult::default());
        }
        let failure = Failure::assertion(format!("`{}` does not hold", raw.text));
        Err(failure.comparing("something true", text).into())
    }
}

//! Conditions of steps, and notes of selectors that match nothing because they are surely misspelt.
//!
//! Such a selector fails no step: the step is skipped, and a test that does nothing passes.

use super::Attempt;
use runner_engine::EngineError;
use runner_event::StepStatus;
use runner_flow::{Condition, ElementCondition, Step};
use runner_screen::selector::Purpose;
use runner_tools::{Advice, Failure, FlowReader, Words};

impl Attempt<'_> {
    /// Tests a condition without a wait, except for visibility with a `timeout`: that waits so long. Visibility
    /// without one waits only until a look can decide. False is no failure; an expression without a boolean, a screen
    /// on which nothing can be decided and a device that does not answer are.
    pub(super) async fn holds(&self, condition: &Condition) -> Result<bool, Failure> {
        match condition {
            Condition::Expression(expression) => self.stack.condition(expression).await,
            Condition::Visible(selector) => self.is_visible(selector, true).await,
            Condition::NotVisible(selector) => self.is_visible(selector, false).await,
        }
    }

    /// Tests the condition of a step like [`Self::holds`], and notes a selector in it that misspells an element.
    pub(super) async fn decides(
        &mut self,
        condition: &Condition,
        step: &Step,
    ) -> Result<bool, Failure> {
        let holds = self.holds(condition).await?;
        if let Some(typo) = self.typo(condition, holds).await {
            let title = self.title(step);
            self.note_once(format!("{title}: nothing matches its condition; {typo}"));
        }
        Ok(holds)
    }

    /// Returns the element that the condition's selector surely misspells, with what to write.
    async fn typo(&self, condition: &Condition, holds: bool) -> Option<Box<str>> {
        let missing = self.missing(condition, holds).await?;
        missing.advise(&FlowReader).typo
    }

    /// Returns the elements that the condition's selector may have meant, with what to write, a line each. They tell
    /// of a failure: a note would be too much, as they need not be misspelt.
    pub(super) async fn near_misses(&self, condition: &Condition, holds: bool) -> Vec<Words> {
        let Some(mut missing) = self.missing(condition, holds).await else {
            return Vec::new();
        };
        missing
            .advice
            .retain(|advice| matches!(advice, Advice::NearMiss(_)));
        missing.details.clear();
        missing.advise(&FlowReader).details
    }

    /// Returns the failure to find what the condition's selector names. Judges by the last look, and only if the
    /// selector matches nothing on it, as `holds` says. `None` for an expression.
    async fn missing(&self, condition: &Condition, holds: bool) -> Option<Failure> {
        let missing = match condition {
            Condition::Visible(missing) if !holds => missing,
            Condition::NotVisible(missing) if holds => missing,
            _ => return None,
        };
        let selector = self.stack.selector(&missing.selector).await.ok()?;
        let screen = self.context.session.last_screen()?;
        if !selector.find(&screen).is_empty() {
            return None;
        }
        let error = EngineError::not_found(&selector, Some(screen), Purpose::Assertion);
        Some(Failure::from(error))
    }

    /// Notes the element that an optional step surely misspells, if it failed for that. Other failures of optional
    /// steps are what the flow expects.
    pub(super) fn note_skipped(
        &mut self,
        status: StepStatus,
        title: &str,
        failure: Option<&Failure>,
    ) {
        let typo = failure.and_then(|failure| failure.typo.as_deref());
        if let Some(typo) = typo.filter(|_| status == StepStatus::Warned) {
            self.note_once(format!("{title}: optional, and it matches nothing; {typo}"));
        }
    }

    /// Sends a note, if this attempt has not sent the same: steps may be repeated.
    pub(crate) fn note_once(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.context.reporter.info(note.clone());
            self.notes.insert(note);
        }
    }

    /// Returns true if the element's visibility is `wanted`. With a timeout it waits for that as long, and then
    /// returns false; else it waits only until a look can decide, at most the usual timeout; a fresh last look may do.
    /// If no look can decide, because the screen is incomplete or has a dialog of `on_dialog`, it is a failure.
    async fn is_visible(&self, what: &ElementCondition, wanted: bool) -> Result<bool, Failure> {
        let selector = self.stack.selector(&what.selector).await?;
        let session = self.context.session;
        let Some(limit) = what.timeout else {
            let usual = self.context.usual_timeout();
            session.begin_step(usual);
            return Ok(session.is_visible(&selector, wanted, usual).await?);
        };
        session.begin_step(limit.0);
        Ok(session.becomes_visible(&selector, wanted, limit.0).await?)
    }
}

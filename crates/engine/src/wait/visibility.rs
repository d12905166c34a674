//! Waits for the presence or the absence of elements.

use std::time::Duration;

use crate::dialogs::DialogUse;
use crate::hint::describe_matches;
use crate::{EngineError, LookPolicy, Session};
use runner_screen::selector::AbsenceError;
use runner_screen::{AbsenceProof, PartialScreen, Screen, SearchResult, Selector};

impl Session {
    /// Waits until a complete screen has no match, while all anchors that the selector refers to are present, and
    /// no dialog stands that a rule answers. Dialogs with a match stay unanswered. When time is up, the error
    /// names the last reason: matches that are still there, an incomplete screen, a dialog, or a missing anchor.
    /// An absence after a dialog was answered by a rule may be an error too.
    pub async fn wait_gone(
        &self,
        selector: &Selector,
        timeout: Duration,
        looks: LookPolicy,
    ) -> Result<AbsenceProof, EngineError> {
        let mut why = None;
        let denied = |screen: &Screen| selector.find(screen);
        let waited = self
            .wait_denied(looks, timeout, &denied, |screen| {
                let judged = selector.prove_absence_on(screen?);
                why = judged.as_ref().err().cloned();
                judged.ok()
            })
            .await?;
        if let Some(absent) = waited.found {
            self.check_answered_dialogs(selector, denied)?;
            return Ok(absent);
        }
        let why = why.unwrap_or(AbsenceError::Present(Vec::new()));
        Err(not_absent(
            selector,
            why,
            waited.screen.as_deref(),
            waited.elapsed,
        ))
    }

    /// Tests once, and returns true if the selector matches (`wanted`) or nothing matches (not `wanted`). Uses the last
    /// look if it is fresh and satisfies, else the first look within `limit` that can decide: absence needs a complete
    /// screen, and none with a dialog that a rule answers, unless that has a match. A missing anchor counts as absence.
    /// If no look can decide, the error is [`EngineError::PartialScreen`] or [`EngineError::DialogHides`].
    pub async fn is_visible(
        &self,
        selector: &Selector,
        wanted: bool,
        limit: Duration,
    ) -> Result<bool, EngineError> {
        let denied = |screen: &Screen| selector.find(screen);
        let dialogs = DialogUse::Spare(&denied);
        let seen = |screen: &Screen| Ok(selector.search(screen)? == SearchResult::Found);
        if self.fresh_look().is_some_and(|last| {
            self.hiding_dialog(&last, dialogs).is_none() && seen(&last) == Ok(wanted)
        }) {
            self.device().counters().reuse();
            return Ok(true);
        }
        let mut partial: Option<PartialScreen> = None;
        let tested = self
            .wait_with(LookPolicy::New, limit, dialogs, |screen| {
                let seen = seen(screen?);
                partial = seen.as_ref().err().cloned();
                Some(seen.ok()? == wanted)
            })
            .await?;
        match (tested.found, partial) {
            (None, Some(why)) => Err(partial_screen(selector, why)),
            (found, _) => Ok(found.unwrap_or_default()),
        }
    }

    /// Waits for a match (`wanted`) or its absence (not `wanted`), and returns true if it came in time, false if not.
    /// The last look may prove a match, but not absence. Absence needs a complete screen; a missing anchor counts as
    /// absence. No look decides while a dialog stands that a rule answers, unless the dialog has a match; then it stays
    /// unanswered. If the last look could not decide, the error is [`EngineError::PartialScreen`] or
    /// [`EngineError::DialogHides`].
    pub async fn becomes_visible(
        &self,
        selector: &Selector,
        wanted: bool,
        limit: Duration,
    ) -> Result<bool, EngineError> {
        let denied = |screen: &Screen| selector.find(screen);
        let looks = if wanted {
            LookPolicy::LastToo
        } else {
            LookPolicy::New
        };
        let mut partial: Option<PartialScreen> = None;
        let waited = self
            .wait_with(looks, limit, DialogUse::Spare(&denied), |screen| {
                let presence = selector.search(screen?);
                partial = presence.as_ref().err().cloned();
                ((presence.ok()? == SearchResult::Found) == wanted).then_some(())
            })
            .await?;
        match (waited.found, partial) {
            (None, Some(why)) => Err(partial_screen(selector, why)),
            (found, _) => Ok(found.is_some()),
        }
    }
}

/// Builds the error for absence that cannot be proved: an incomplete screen, a missing anchor, or the matches
/// that are still there after `waited`. Without a screen, matches are not described.
pub(super) fn not_absent(
    selector: &Selector,
    why: AbsenceError,
    screen: Option<&Screen>,
    waited: Duration,
) -> EngineError {
    match why {
        AbsenceError::Partial(why) => partial_screen(selector, why),
        AbsenceError::MissingAnchor(missing) => EngineError::NoAnchor {
            selector: selector.to_string(),
            missing,
        },
        AbsenceError::Present(nodes) => EngineError::StillThere {
            selector: selector.to_string(),
            waited,
            candidates: screen
                .map(|screen| describe_matches(screen, &nodes))
                .unwrap_or_default(),
        },
    }
}

/// Builds the error that an incomplete screen proves nothing of the selector.
fn partial_screen(selector: &Selector, why: PartialScreen) -> EngineError {
    EngineError::PartialScreen {
        subject: selector.to_string(),
        why,
    }
}

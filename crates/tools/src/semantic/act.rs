//! Tools that touch an element (C1, C3).

use std::time::Duration;

use super::element::{ElementArgs, FoundElement, again, done, failed, find, tap, unsupported};
use super::kind::Action;
use crate::arguments::Arguments;
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::Session;
use runner_screen::Node;

/// Time limit for a touch to show an effect. Chosen: slow apps react within a second or two.
pub(super) const EFFECT_LIMIT: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub struct Click;

impl Tool for Click {
    const NAME: &'static str = "semantic.click";
    const SUMMARY: &'static str = "Clicks an element.";
    const HELP: &'static str =
        "Ids such as `Button-3` count what is on the screen now: list again after it changed.";
    const WRITING: StepSyntax = StepSyntax::Scalar("element_id");
    type Args = ElementArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id").map(drop)
    }

    /// Taps the middle of the element's visible part, or beside what covers it. An element that is disabled or not
    /// clickable itself is a failure; for one that is enabled the failure names the first one around or in it that is
    /// clickable, if any. Hides the keyboard if the element is not found while one is shown. Does not check what the
    /// tap did.
    async fn call(session: &Session, args: ElementArgs, _: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let found = find(session, &id).await?;
        let node = found.node();
        let flags = node.flags();
        if !flags.enabled || !flags.clickable {
            return Err(unsupported(&id, Action::Click, node));
        }
        tap(session, &id, node, node).await?;
        Ok(done(&id, Words::format("Clicked {}", &[&id])).at(node.bounds()))
    }
}

#[derive(Debug)]
pub struct Focus;

impl Tool for Focus {
    const NAME: &'static str = "semantic.focus";
    const SUMMARY: &'static str = "Gives an input field the focus.";
    const WRITING: StepSyntax = StepSyntax::Scalar("element_id");
    const EFFECT: Effect = Effect::Sets;
    type Args = ElementArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id").map(drop)
    }

    /// Taps the field, or the only one in the element, and waits until it has the focus, at most 3 s and the step's
    /// timeout; a field that does not take it is a failure. A field that has the focus already is not touched.
    async fn call(session: &Session, args: ElementArgs, call: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let found = find(session, &id).await?;
        let Some(field) = field(found.node()) else {
            return Err(unsupported(&id, Action::Focus, found.node()));
        };
        let outcome = done(&id, Words::format("Focused {}", &[&id])).at(field.bounds());
        if field.flags().focused {
            return Ok(outcome);
        }
        tap(session, &id, field, field).await?;
        let field = FoundElement {
            index: field.index(),
            screen: std::sync::Arc::clone(&found.screen),
        };
        let waited = session
            .wait_until(EFFECT_LIMIT.min(call.timeout), |screen| {
                let index = again(session, &id, &field, screen)?;
                screen.node(index).flags().focused.then_some(())
            })
            .await?;
        match waited.found {
            Some(()) => Ok(outcome),
            None => Err(failed(Words::format(
                "Element '{}' did not take the focus",
                &[&id],
            ))),
        }
    }
}

/// Returns the field that takes text: the element itself, or the only one in it. `None` if it holds none or
/// several, if it scrolls and is no field itself, or if the field is disabled.
pub(super) fn field(node: Node<'_>) -> Option<Node<'_>> {
    let field = if node.is_editable() {
        node
    } else {
        let mut inside = node.descendants().filter(|inner| inner.is_editable());
        match (inside.next(), inside.next()) {
            // In a list, the only visible field is one of many.
            (Some(field), None) if !node.flags().scrollable => field,
            _ => return None,
        }
    };
    field.flags().enabled.then_some(field)
}

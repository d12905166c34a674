//! Tool for switches and check boxes (C5).

use std::sync::Arc;

use serde_json::json;

use super::act::EFFECT_LIMIT;
use super::element::{ElementArgs, FoundElement, again, failed, find, tap, unsupported};
use super::kind::{Action, ElementKind};
use crate::arguments::Arguments;
use crate::{Call, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::{Session, click_target};
use runner_screen::Node;

#[derive(Debug)]
pub struct Toggle;

impl Tool for Toggle {
    const NAME: &'static str = "semantic.toggle";
    const SUMMARY: &'static str = "Turns a switch or check box over.";
    const HELP: &'static str = "`new_value` is its state afterwards, read back from the screen.";
    const WRITING: StepSyntax = StepSyntax::Scalar("element_id");
    type Args = ElementArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id").map(drop)
    }

    /// Touches the switch, or the only one in the element, and waits until it has changed, at most 3 s. Returns its new
    /// state as `new_value`. A switch that does not change is a failure.
    async fn call(session: &Session, args: ElementArgs, call: &Call) -> Result<Outcome, Failure> {
        let id = args.element_id;
        let found = find(session, &id).await?;
        let Some(switch) = switch(found.node()) else {
            return Err(unsupported(&id, Action::Toggle, found.node()));
        };
        let before = switch.flags().checked;
        tap(session, &id, switch, click_target(switch)).await?;
        let old = FoundElement {
            index: switch.index(),
            screen: Arc::clone(&found.screen),
        };
        let waited = session
            .wait_until(EFFECT_LIMIT.min(call.timeout), |screen| {
                let index = again(session, &id, &old, screen)?;
                let now = self::switch(screen.node(index))?.flags().checked;
                (now != before).then_some(now)
            })
            .await?;
        let Some(now) = waited.found else {
            let state = if before { "on" } else { "off" };
            return Err(failed(Words::format(
                "Element '{}' did not change when it was touched; it was {}",
                &[&id, &state],
            )));
        };
        Ok(Outcome::json(json!({
            "success": true,
            "element_id": id,
            "new_value": now,
            "message": format!("Toggled {id}"),
        }))
        .at(switch.bounds()))
    }
}

/// Returns the switch to toggle: the element itself, or the only one in it, as in a row of settings. Disabled
/// ones do not count. `None` also if several are inside, or if the element scrolls or is a group of choices.
fn switch(node: Node<'_>) -> Option<Node<'_>> {
    let turns = |node: Node<'_>| {
        let kind = ElementKind::from_node(node);
        Action::for_node(node, kind).contains(&Action::Toggle)
            || (kind == ElementKind::Switch && node.flags().checkable && node.flags().enabled)
    };
    if turns(node) {
        return Some(node);
    }
    // In a list, the only visible switch is one of many.
    if ElementKind::from_node(node) == ElementKind::Choices || node.flags().scrollable {
        return None;
    }
    let mut inside = node.descendants().filter(|inner| turns(*inner));
    match (inside.next(), inside.next()) {
        (Some(switch), None) => Some(switch),
        _ => None,
    }
}

//! Tool that selects one value of several (C6): tabs, radio groups, groups of check boxes, drop-downs,
//! pickers.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::act::EFFECT_LIMIT;
use super::element::{FoundElement, again, done, failed, find, tap, unsupported};
use super::kind::{Action, ElementKind};
use super::model::{self, Model};
use super::selection::{Selection, best};
use super::{dropdown, picker};
use crate::arguments::{Arguments, Complaint};
use crate::{Call, Effect, Failure, Outcome, StepSyntax, Tool, Words};
use runner_engine::Session;
use runner_screen::{Node, NodeIndex};

/// Arguments of `select`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectArgs {
    /// Id of the selector, from `list_actionable` or `ui://elements`.
    #[schemars(length(min = 1))]
    pub element_id: String,
    /// Value to select: what the option says, in any letter case, or its id.
    #[schemars(length(min = 1))]
    pub value: String,
}

#[derive(Debug)]
pub struct Select;

impl Tool for Select {
    const NAME: &'static str = "semantic.select";
    const SUMMARY: &'static str =
        "Selects a value in tabs, a radio group, a picker or a drop-down.";
    const HELP: &'static str = "An answer without an error means that the value is selected now, read back from the screen.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const EFFECT: Effect = Effect::Sets;
    type Args = SelectArgs;

    /// Requires an element and a value that is not blank.
    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("element_id")?;
        if args.required_text("value")?.trim().is_empty() {
            return Err(args.complaint("value", &Complaint::Empty));
        }
        Ok(())
    }

    /// Selects a value in an element of options, and waits until it shows as selected, at most 3 s. White space at the
    /// value's ends does not count. A value that is selected already is no failure. An element without options, an
    /// unknown option and one that does not become selected are failures.
    async fn call(session: &Session, args: SelectArgs, call: &Call) -> Result<Outcome, Failure> {
        let selecting = Selection {
            session,
            id: &args.element_id,
            value: args.value.trim(),
            limit: EFFECT_LIMIT.min(call.timeout),
            timeout: call.timeout,
        };
        let found = find(session, &args.element_id).await?;
        let node = found.node();
        let kind = ElementKind::from_node(node);
        if !Action::for_node(node, kind).contains(&Action::Select) {
            return Err(unsupported(&args.element_id, Action::Select, node));
        }
        match kind {
            ElementKind::Dropdown => dropdown::select(&selecting, &found).await?,
            ElementKind::Picker => picker::select(&selecting, &found).await?,
            _ => among_options(&selecting, &found).await?,
        }
        let message = Words::format("Selected '{}' in {}", &[&args.value, &args.element_id]);
        Ok(done(&args.element_id, message).at(node.bounds()))
    }
}

/// Selects among options that are all on the screen: tabs, radio buttons, check boxes. Does nothing if the
/// option is chosen already. After the touch, waits until it shows as chosen, unless the app never says which
/// tab is chosen.
///
/// # Errors
///
/// If there is no such option, it is disabled, or it does not show as chosen in time.
async fn among_options(selecting: &Selection<'_>, found: &FoundElement) -> Result<(), Failure> {
    let node = found.node();
    let option = option(selecting, node)?;
    let flags = option.flags();
    if model::is_chosen(option) {
        return Ok(());
    }
    if !flags.enabled {
        return Err(failed(Words::format(
            "Option '{}' of element '{}' is disabled",
            &[&selecting.value, &selecting.id],
        )));
    }
    // Not every app says which of its tabs is shown.
    let tells = model::options(node).into_iter().any(|option| {
        let is_radio = ElementKind::from_node(option) == ElementKind::Radio;
        model::is_chosen(option) || option.flags().checkable || is_radio
    });
    tap(selecting.session, selecting.id, option, option).await?;
    if !tells {
        return Ok(());
    }
    let option = FoundElement {
        screen: Arc::clone(&found.screen),
        index: option.index(),
    };
    let waited = selecting
        .session
        .wait_until(selecting.limit, |screen| {
            let option = selecting
                .session
                .find_again(&option.screen, option.index, screen)
                .map(|index| screen.node(index))
                .or_else(|| {
                    let group = again(selecting.session, selecting.id, found, screen)?;
                    self::option(selecting, screen.node(group)).ok()
                })?;
            model::is_chosen(option).then_some(())
        })
        .await?;
    waited.found.ok_or_else(|| selecting.not_applied())
}

/// Finds the option for the value: by its label, else by its semantic id. The failure lists all labels.
fn option<'a>(selecting: &Selection<'_>, node: Node<'a>) -> Result<Node<'a>, Failure> {
    let options = model::options(node);
    let labels: Vec<String> = options
        .iter()
        .map(|option| model::label(*option, ElementKind::Tab))
        .collect();
    let by_id = |wanted: &str| {
        let index: NodeIndex = Model::new(node.screen()).find(wanted)?.node;
        options
            .iter()
            .copied()
            .find(|option| option.index() == index)
    };
    best(selecting.value, &labels)
        .and_then(|place| options.get(place).copied())
        .or_else(|| by_id(selecting.value))
        .ok_or_else(|| selecting.no_option(&labels))
}

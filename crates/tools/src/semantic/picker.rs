//! Selects a value of a picker, the wheel for a number or a word: types it if there is a field, else steps to
//! it.

use std::sync::Arc;

use super::element::{FoundElement, again, tap};
use super::kind::ElementKind;
use super::model;
use super::selection::{Selection, is_same_in_any_case};
use crate::Failure;
use runner_engine::{Focus, Typing};
use runner_screen::Node;

/// Limit for steps of a picker: days of two months, minutes of an hour.
const MAX_STEPS: usize = 62;

/// Selects the value in a picker: types it if it has a field, else steps to it. A value that is shown already is not
/// touched. Letter case does not count. Fails if the picker does not show the value in the end.
pub(super) async fn select(selecting: &Selection<'_>, found: &FoundElement) -> Result<(), Failure> {
    let node = found.node();
    if is_same_in_any_case(&display_value(node), selecting.value) {
        return Ok(());
    }
    match node.descendants().find(|inner| inner.is_editable()) {
        Some(field) => type_value(selecting, found, field).await,
        None => step_to_value(selecting, found).await,
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Up,
    Down,
}

fn display_value(node: Node<'_>) -> String {
    model::value(node, ElementKind::Picker).unwrap_or_default()
}

/// Types the value into the picker's field in place of its content, presses ENTER, and waits until the picker shows it,
/// ignoring case. Fails if it does not in time; the typed text then stays.
async fn type_value(
    selecting: &Selection<'_>,
    found: &FoundElement,
    field: Node<'_>,
) -> Result<(), Failure> {
    let session = selecting.session;
    let typing = Typing {
        clear: true,
        ..Typing::default()
    };
    let focus = Focus::At(&found.screen, field.index());
    session
        .type_text(focus, selecting.value, typing, selecting.timeout)
        .await?;
    // The picker reads its field only after the input is finished.
    session.press("ENTER").await?;
    let waited = session
        .wait_until(selecting.limit, |screen| {
            let index = again(session, selecting.id, found, screen)?;
            let now = display_value(screen.node(index));
            is_same_in_any_case(&now, selecting.value).then_some(())
        })
        .await?;
    waited.found.ok_or_else(|| selecting.not_applied())
}

/// Presses the picker's buttons until it shows the value, ignoring case. Steps down if both are numbers
/// and the wanted one is less; otherwise up. Fails with the values seen if one repeats, a button or the
/// picker is gone, or after 62 steps. The picker then stays where it is.
async fn step_to_value(selecting: &Selection<'_>, found: &FoundElement) -> Result<(), Failure> {
    let session = selecting.session;
    let mut screen = Arc::clone(&found.screen);
    let mut index = found.index;
    let mut observed: Vec<String> = Vec::new();
    for _ in 0..MAX_STEPS {
        let picker = screen.node(index);
        let now = display_value(picker);
        if is_same_in_any_case(&now, selecting.value) {
            return Ok(());
        }
        // The wheel has come round, or swings between two values.
        if observed.contains(&now) {
            break;
        }
        let step = match (now.parse::<i64>(), selecting.value.parse::<i64>()) {
            (Ok(now), Ok(wanted)) if wanted < now => Step::Down,
            _ => Step::Up,
        };
        observed.push(now);
        let Some(button) = button(picker, step) else {
            break;
        };
        tap(session, selecting.id, button, button).await?;
        let next = session.look().await?;
        let Some(place) = again(session, selecting.id, found, &next) else {
            break;
        };
        index = place;
        screen = next;
    }
    Err(selecting.no_option(&observed))
}

/// Finds the clickable button for a step: by its id, which is the same in every language, else by a
/// description that begins with `increase` or `decrease`.
fn button(picker: Node<'_>, step: Step) -> Option<Node<'_>> {
    let (id, verb) = match step {
        Step::Up => ("increment", "increase"),
        Step::Down => ("decrement", "decrease"),
    };
    let clickable = || picker.descendants().filter(|inner| inner.flags().clickable);
    clickable()
        .find(|inner| inner.resource_id().ends_with(&format!("id/{id}")))
        .or_else(|| clickable().find(|inner| inner.desc().to_lowercase().starts_with(verb)))
}

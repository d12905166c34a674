//! Applies the results of actions and of the worker threads to the state.

use std::sync::Arc;

use super::editor::EditorError;
use super::state::{CaseState, Popup, State, UndoEntry};
use crate::{Case, MaskResult, Queue, RejectResult, ReviewError, UndoResult};
use runner_snapshot::{AcceptResult, GoldenKey, KeyNames, SnapshotError};

/// Result of an action or of a worker thread.
#[derive(Debug)]
pub enum Outcome {
    Queue(Result<Queue, ReviewError>),
    Case(GoldenKey, Result<Arc<Case>, ReviewError>),
    Accepted(Result<AcceptResult, ReviewError>),
    Rejected(Result<RejectResult, ReviewError>),
    Undone(Result<UndoResult, ReviewError>),
    Masked(Result<MaskResult, ReviewError>),
    /// Result of the editor, as a message.
    Edited(Result<String, EditorError>),
}

/// Applies a result to the state, with a message for the person; an error is shown and changes little else. A case
/// that is not selected any more is ignored; one that cannot be read shows why in its place. If the selected case
/// changed, an error says so and the choice of a mask is closed, as it was about the earlier version.
pub fn apply(state: &mut State, outcome: Outcome) {
    match outcome {
        Outcome::Queue(Ok(queue)) => take_queue(state, queue),
        Outcome::Case(key, case) if state.selected.as_ref() == Some(&key) => match case {
            Ok(case) => {
                if state.has_displayed_other(&case) {
                    state.show_error(another(&state.names.name(&key)));
                    // Its choices are rows of the earlier version.
                    state
                        .popup
                        .take_if(|popup| matches!(popup, Popup::Mask { .. }));
                }
                state.show(case);
            }
            Err(error) => state.case = CaseState::Failed(error.to_string()),
        },
        Outcome::Case(..) => {}
        Outcome::Accepted(Ok(done)) => {
            let (removed, accepted) = done
                .accepted
                .into_iter()
                .partition(|key| state.is_obsolete(key));
            decided(state, &[("accepted", accepted), ("removed", removed)]);
            refused(state, "accepted", &done.refused);
        }
        Outcome::Rejected(Ok(done)) => {
            let (stored, rejected) = done
                .rejected
                .into_iter()
                .partition(|key| state.is_obsolete(key));
            decided(state, &[("rejected", rejected), ("kept", stored)]);
            refused(state, "rejected", &done.refused);
        }
        Outcome::Undone(Ok(UndoResult {
            mask: Some(mask), ..
        })) => {
            state
                .history
                .pop_if(|last| matches!(last, UndoEntry::Masked));
            state.show_message(format!(
                "took {} out of {} again",
                mask.mask, mask.place.file
            ));
        }
        Outcome::Undone(Ok(back)) => undone(state, back.keys),
        Outcome::Masked(Ok(written)) => {
            state.history.push(UndoEntry::Masked);
            state.show_message(format!(
                "masked {} at {}:{}; run the flow again",
                written.mask, written.place.file, written.place.line
            ));
        }
        Outcome::Edited(Ok(text)) => state.show_message(text),
        Outcome::Undone(Err(error)) => {
            // Undo of a mask is tried only once.
            state
                .history
                .pop_if(|last| matches!(last, UndoEntry::Masked));
            state.show_error(error.to_string());
        }
        Outcome::Queue(Err(error))
        | Outcome::Accepted(Err(error))
        | Outcome::Rejected(Err(error))
        | Outcome::Masked(Err(error)) => state.show_error(error.to_string()),
        Outcome::Edited(Err(error)) => state.show_error(error.to_string()),
    }
}

/// Replaces the queue. The first queue selects its first item. Later the selection stays on its golden, or moves to the
/// next open one from its place on, with an error that the earlier one does not wait any more. A golden whose decision
/// was taken back is selected as soon as the queue has it.
fn take_queue(state: &mut State, queue: Queue) {
    let at = state.position();
    let is_first = state.queue.is_none();
    state.names = KeyNames::new(queue.items().map(|item| &item.key));
    state.queue = Some(queue);
    let waits = |state: &State, key: &GoldenKey| state.items().any(|item| item.key == *key);
    if let Some(awaited) = state.next_selection.take_if(|key| {
        state
            .queue
            .as_ref()
            .is_some_and(|queue| queue.items().any(|item| item.key == *key))
    }) {
        state.select(Some(awaited));
        return;
    }
    match state.selected.clone() {
        Some(key) if waits(state, &key) => {}
        _ if is_first => state.select_at(0),
        gone => {
            if let Some(key) = gone {
                let name = state.names.name(&key);
                state.show_error(format!(
                    "{name} does not wait any more: somebody decided, or a run passed"
                ));
            }
            state.select_next_open(at.unwrap_or(0));
        }
    }
}

/// Returns the message for a golden of which a run proposed another version meanwhile.
fn another(name: &str) -> String {
    format!("look again: a run proposed another {name} since")
}

/// Shows why the first snapshot was refused, and counts the others. If the selected one is outdated, it is hidden
/// until its new version is read. Does nothing for none.
fn refused(state: &mut State, verb: &str, refused: &[(GoldenKey, SnapshotError)]) {
    let Some((key, error)) = refused.first() else {
        return;
    };
    let others = match refused.len() {
        1 => String::new(),
        count => format!(" (and {} others)", count - 1),
    };
    // An outdated version is hidden until the new one is read.
    let is_old = |(key, error): &(GoldenKey, SnapshotError)| {
        matches!(error, SnapshotError::LookAgain(_)) && state.selected.as_ref() == Some(key)
    };
    if refused.iter().any(is_old) {
        state.case = CaseState::Waiting;
    }
    state.show_error(match error {
        SnapshotError::LookAgain(_) => format!("{}{others}", another(&state.names.name(key))),
        error => format!("not {verb}{others}: {error}"),
    });
}

/// Reports decisions, each with its verb, counts them, removes them from the queue, and selects the next open item if
/// the selected one is gone. A decision ends the choice of a whole group. Does nothing without keys.
fn decided(state: &mut State, done: &[(&str, Vec<GoldenKey>)]) {
    let keys: Vec<GoldenKey> = done.iter().flat_map(|(_, keys)| keys).cloned().collect();
    if keys.is_empty() {
        return;
    }
    state.decided += keys.len();
    state.history.push(UndoEntry::Decided);
    let words = done
        .iter()
        .filter_map(|(verb, keys)| match keys.as_slice() {
            [] => None,
            [one] => Some(format!("{verb} {}", state.names.name(one))),
            several => Some(format!("{verb} {}", several.len())),
        });
    let words: Vec<String> = words.collect();
    let it = if keys.len() == 1 { "it" } else { "all" };
    state.show_message(format!("{}; u takes {it} back", words.join(", ")));
    state.whole_group = false;
    let first = state.items().position(|item| keys.contains(&item.key));
    for key in &keys {
        state.skipped.remove(key);
    }
    if let Some(queue) = &mut state.queue {
        for group in &mut queue.groups {
            group.items.retain(|item| !keys.contains(&item.key));
        }
        queue.groups.retain(|group| !group.items.is_empty());
    }
    if state.item().is_none() {
        state.select_next_open(first.unwrap_or(0));
    }
}

/// Shows what was taken back, or that there was nothing, and counts it as undecided again. The first of it is
/// selected once it is in a queue that is read later.
fn undone(state: &mut State, keys: Vec<GoldenKey>) {
    if matches!(state.history.last(), Some(UndoEntry::Decided)) {
        state.history.pop();
    }
    state.decided = state.decided.saturating_sub(keys.len());
    match keys.as_slice() {
        [] => state.show_message("there is nothing to take back"),
        [one] => {
            let name = state.names.name(one);
            state.show_message(format!("taken back: {name} waits again"));
        }
        [first, ..] => {
            let name = state.names.name(first);
            let number = keys.len();
            state.show_message(format!(
                "taken back: {number} wait again, {name} and others"
            ));
        }
    }
    state.next_selection = keys.into_iter().next();
}

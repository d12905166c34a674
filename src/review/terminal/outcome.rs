//! What came of actions, and what the folder holds now, told to the state.

use std::sync::Arc;

use super::state::{CaseState, Done, State};
use crate::review::{Case, MaskWritten, Queue};
use crate::snapshot::{Accepted, GoldenKey};

/// Something that came to be.
#[derive(Debug)]
pub enum Outcome {
    /// What waits now, or why that cannot be told.
    Queue(Result<Queue, String>),
    /// A case was read, or not.
    Case(GoldenKey, Result<Arc<Case>, String>),
    /// Of an accept.
    Accepted(Result<Accepted, String>),
    /// Of a reject.
    Rejected(Result<Vec<GoldenKey>, String>),
    /// Of an undo: what waits again.
    Undone(Result<Vec<GoldenKey>, String>),
    /// Of a mask.
    Masked(Result<MaskWritten, String>),
    /// Of the editor.
    Edited(Result<String, String>),
}

/// Takes what came to be.
pub fn apply(state: &mut State, outcome: Outcome) {
    match outcome {
        Outcome::Queue(Ok(queue)) => take_queue(state, queue),
        Outcome::Case(key, case) if state.selected.as_ref() == Some(&key) => match case {
            Ok(case) => state.show(case),
            Err(error) => state.case = CaseState::Failed(error),
        },
        Outcome::Case(..) => {}
        Outcome::Accepted(Ok(accepted)) => {
            decided(state, "accepted", &accepted.accepted);
            if let Some((key, error)) = accepted.refused.first() {
                let others = match accepted.refused.len() {
                    1 => String::new(),
                    count => format!(" (and {} others)", count - 1),
                };
                state.complain(format!("{key} was not accepted: {error}{others}"));
            }
        }
        Outcome::Rejected(Ok(keys)) => decided(state, "rejected", &keys),
        Outcome::Undone(Ok(keys)) => undone(state, keys),
        Outcome::Masked(Ok(written)) => state.say(format!(
            "masked {} at {}:{}; run the flow again",
            written.mask, written.place.file, written.place.line
        )),
        Outcome::Edited(Ok(text)) => state.say(text),
        Outcome::Queue(Err(error))
        | Outcome::Accepted(Err(error))
        | Outcome::Rejected(Err(error))
        | Outcome::Undone(Err(error))
        | Outcome::Masked(Err(error))
        | Outcome::Edited(Err(error)) => state.complain(error),
    }
}

/// The selection stays on its golden; where that went away, on what stands in its place.
fn take_queue(state: &mut State, queue: Queue) {
    let at = state.position();
    let is_first = state.queue.is_none();
    state.queue = Some(queue);
    let waits = |state: &State, key: &GoldenKey| state.items().any(|item| item.key == *key);
    if let Some(awaited) = state.awaited.take_if(|key| {
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
        _ => state.select_next_open(at.unwrap_or(0)),
    }
}

fn decided(state: &mut State, verb: &str, keys: &[GoldenKey]) {
    if keys.is_empty() {
        return;
    }
    state.done += keys.len();
    state.history.push(Done::Decided);
    state.say(match keys {
        [one] => format!("{verb} {}", one.shared()),
        several => format!("{verb} {}", several.len()),
    });
    state.whole_group = false;
    let first = state.items().position(|item| keys.contains(&item.key));
    for key in keys {
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

fn undone(state: &mut State, keys: Vec<GoldenKey>) {
    if matches!(state.history.last(), Some(Done::Decided)) {
        state.history.pop();
    }
    state.done = state.done.saturating_sub(keys.len());
    match keys.as_slice() {
        [] => state.say("there is nothing to take back"),
        [one] => state.say(format!("taken back: {} waits again", one.shared())),
        [first, ..] => state.say(format!(
            "taken back: {} wait again, {} and others",
            keys.len(),
            first.shared()
        )),
    }
    state.awaited = keys.into_iter().next();
}

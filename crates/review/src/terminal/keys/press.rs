//! Handles keys, also those of an open popup.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::Action;
use super::look_around::{look_around, next_mode};
use super::mask_choices::mask_choices;
use crate::terminal::state::{Popup, State, UndoEntry};
use runner_snapshot::{GoldenKey, MASK_LIMIT_PERCENT};

/// Does what the key means, or returns it as an action. Ctrl with C or D leaves, with L redraws and with Z suspends, in
/// a popup too; any other key with Ctrl or Alt is ignored. A popup gets all other keys. Without one, every key, also an
/// unknown one, first clears the last message.
pub(super) fn on_key(state: &mut State, key: KeyEvent) -> Option<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    // In raw mode these keys send no signals.
    if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
        return Some(Action::Leave);
    }
    if control && key.code == KeyCode::Char('l') {
        return Some(Action::Redraw);
    }
    if control && key.code == KeyCode::Char('z') {
        return Some(Action::Suspend);
    }
    // A letter with Alt or Ctrl is no command.
    if control || key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    if state.popup.is_some() {
        return in_popup(state, key.code);
    }
    state.message = None;
    match key.code {
        KeyCode::Char('a') => decide(state, Action::Accept),
        KeyCode::Char('r') => decide(state, Action::Reject),
        KeyCode::Char('s') => skip(state, state.decision_keys()),
        KeyCode::Char('A') => ask(state, true),
        KeyCode::Char('R') => ask(state, false),
        KeyCode::Char('S') => skip(state, state.undecided()),
        KeyCode::Char('u') => undo(state),
        KeyCode::Char('g') => whole_group(state),
        KeyCode::Char('m') => ask_mask(state),
        KeyCode::Char('e') => edit(state),
        KeyCode::Char('v') => {
            next_mode(state);
            None
        }
        KeyCode::Char('?') => {
            state.popup = Some(Popup::Help);
            None
        }
        KeyCode::Char('q') => Some(Action::Leave),
        KeyCode::Esc => {
            if state.whole_group {
                state.whole_group = false;
            } else {
                state.show_message("q leaves, ? shows the keys");
            }
            None
        }
        code => {
            look_around(state, code);
            None
        }
    }
}

/// Handles a key in the open popup. `y` of a question and Enter of a mask close it and return the action. `n`, `q` and
/// Esc close it, with a message that nothing was done unless it is the help. Other keys move through the masks, around
/// both ends, or do nothing; the popup stays open.
pub(super) fn in_popup(state: &mut State, code: KeyCode) -> Option<Action> {
    match (state.popup.take()?, code) {
        (Popup::Help, KeyCode::Char('q' | '?') | KeyCode::Esc | KeyCode::Enter) => None,
        (Popup::Help, _) => {
            state.popup = Some(Popup::Help);
            None
        }
        (Popup::Confirm { accept, keys, .. }, KeyCode::Char('y')) => Some(if accept {
            Action::Accept(keys)
        } else {
            Action::Reject(keys)
        }),
        (Popup::Confirm { .. }, KeyCode::Char('n' | 'q') | KeyCode::Esc) => {
            state.show_message("nothing was decided");
            None
        }
        (Popup::Mask { .. }, KeyCode::Char('q') | KeyCode::Esc) => {
            state.show_message("no mask was written");
            None
        }
        (Popup::Mask { choices, at }, KeyCode::Enter) => {
            let key = state.selected.clone()?;
            let target = choices.get(at)?.1.clone();
            Some(Action::Mask(key, target))
        }
        (Popup::Mask { choices, at }, code) => {
            let last = choices.len().saturating_sub(1);
            let at = match code {
                KeyCode::Down | KeyCode::Tab | KeyCode::Char('j' | 'm') => {
                    if at == last {
                        0
                    } else {
                        at + 1
                    }
                }
                KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => {
                    at.checked_sub(1).unwrap_or(last)
                }
                KeyCode::Home => 0,
                KeyCode::End => last,
                _ => at,
            };
            state.popup = Some(Popup::Mask { choices, at });
            None
        }
        (popup, _) => {
            state.popup = Some(popup);
            None
        }
    }
}

/// Returns the action for the keys that a decision is about; decides nothing itself. Returns `None`, with a message, if
/// nothing waits, or if the selected case is not read yet or cannot be.
fn decide(state: &mut State, action: fn(Vec<GoldenKey>) -> Action) -> Option<Action> {
    let keys = state.decision_keys();
    if keys.is_empty() {
        state.show_message("nothing waits");
        return None;
    }
    if state.case().is_none() {
        state.show_error("it is not shown yet; press again when it is");
        return None;
    }
    Some(action(keys))
}

/// Opens the popup that asks about all undecided snapshots, or shows a message that there are none. Always returns
/// `None`: the answer gives the action.
fn ask(state: &mut State, accept: bool) -> Option<Action> {
    let keys = state.undecided();
    if keys.is_empty() {
        state.show_message("nothing is left to decide");
        return None;
    }
    let removed = if accept { state.removed_by(&keys) } else { 0 };
    state.popup = Some(Popup::Confirm {
        accept,
        keys,
        removed,
    });
    None
}

/// Skips the snapshots, shows a message and selects the next open one behind the last of them. Ends the choice of a
/// whole group; snapshots skipped before are not counted again, and if all were, there is nothing new to undo. Without
/// keys it only shows a message. Always returns `None`.
fn skip(state: &mut State, keys: Vec<GoldenKey>) -> Option<Action> {
    let Some(last) = keys.last() else {
        state.show_message("nothing is left to skip");
        return None;
    };
    let after = state
        .items()
        .position(|item| item.key == *last)
        .map_or(0, |at| at + 1);
    let new: Vec<GoldenKey> = keys
        .into_iter()
        .filter(|key| state.skipped.insert(key.clone()))
        .collect();
    let text = match new.as_slice() {
        [] => "skipped already".to_owned(),
        [one] => format!("skipped {}", state.names.name(one)),
        several => format!("skipped {}", several.len()),
    };
    if !new.is_empty() {
        state.history.push(UndoEntry::Skipped(new));
    }
    state.whole_group = false;
    if state.undecided().is_empty() {
        state.show_message(format!(
            "{text}; all others are decided or skipped, q leaves"
        ));
    } else {
        state.show_message(text);
    }
    state.select_next_open(after);
    None
}

/// Takes back the last step if it was a skip, selects its first snapshot that still waits, and returns `None`.
/// Otherwise changes nothing and returns the action that takes back a decision, even if there was none.
fn undo(state: &mut State) -> Option<Action> {
    let Some(UndoEntry::Skipped(keys)) = state.history.last() else {
        return Some(Action::Undo);
    };
    let keys = keys.clone();
    state.history.pop();
    for key in &keys {
        state.skipped.remove(key);
    }
    state.show_message(match keys.as_slice() {
        [one] => format!("{} is not skipped any more", state.names.name(one)),
        several => format!("{} are not skipped any more", several.len()),
    });
    let there = keys
        .into_iter()
        .find(|key| state.items().any(|item| item.key == *key));
    if there.is_some() {
        state.select(there);
    }
    None
}

/// Switches between the whole group and only the item, and scrolls to the top; shows a message if nothing waits.
/// Always returns `None`.
fn whole_group(state: &mut State) -> Option<Action> {
    let count = state.group().map_or(0, |group| group.items.len());
    if count == 0 {
        state.show_message("nothing waits");
        return None;
    }
    state.whole_group = !state.whole_group;
    // The list of the group's changes is at the top.
    state.scroll = 0;
    None
}

/// Returns the action that opens the flow of the selected item. `None`, with an error shown, if no flow names the
/// snapshot or nothing is selected.
fn edit(state: &mut State) -> Option<Action> {
    let place = state.item().and_then(|item| item.place.clone());
    if place.is_none() {
        state.show_error("no flow names this snapshot");
    }
    place.map(Action::Edit)
}

/// Opens the popup that offers masks for the change, or shows an error if there is none small enough. Always returns
/// `None`.
fn ask_mask(state: &mut State) -> Option<Action> {
    let choices = mask_choices(state);
    if choices.is_empty() {
        state.show_error(format!(
            "there is nothing to mask here that covers at most {MASK_LIMIT_PERCENT} % of the screen: look at a change (Tab) or click on one"
        ));
        return None;
    }
    state.popup = Some(Popup::Mask { choices, at: 0 });
    None
}

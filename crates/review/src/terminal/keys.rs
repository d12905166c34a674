//! Handles keys and the mouse. It only changes the state, so that tables of events can test it.

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::layout::holds;
use super::state::{Focus, Mode, Popup, QueueLine, State, UndoEntry};
use super::{buttons, panels};
use crate::{FlowPlace, MaskTarget};
use runner_screen::{Point, Rect};
use runner_snapshot::{GoldenKey, MASK_LIMIT_PERCENT};

/// Action to execute outside of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Accept(Vec<GoldenKey>),
    Reject(Vec<GoldenKey>),
    Undo,
    Mask(GoldenKey, MaskTarget),
    Edit(FlowPlace),
    Redraw,
    /// Suspend the program, as the shell's Ctrl-Z does.
    Suspend,
    Leave,
}

/// Applies an event of the terminal to the state. Returns the action that it asks for, which the caller executes, or
/// `None`. A new size is stored and gives [`Action::Redraw`]. The release of a key is ignored, and pasted text is
/// refused with a message, as it would be taken for keys.
pub fn update(state: &mut State, event: &Event) -> Option<Action> {
    match event {
        // Some terminals also report the release of a key, which would count twice.
        Event::Key(key) if key.kind != KeyEventKind::Release => on_key(state, *key),
        Event::Mouse(mouse) => on_mouse(state, *mouse),
        Event::Resize(width, height) => {
            state.size = (*width, *height);
            Some(Action::Redraw)
        }
        // Pasted letters would be taken for keys that decide.
        Event::Paste(_) => {
            state.show_error("pasted text decides nothing");
            None
        }
        _ => None,
    }
}

/// Does what the key means, or returns it as an action. Ctrl with C or D leaves, with L redraws and with Z suspends, in
/// a popup too; any other key with Ctrl or Alt is ignored. A popup gets all other keys. Without one, every key, also an
/// unknown one, first clears the last message.
fn on_key(state: &mut State, key: KeyEvent) -> Option<Action> {
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
        KeyCode::Char('v') => next_mode(state),
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

/// Handles the keys that only move the selection or the focus, or scroll. A page is one row less than is visible.
/// Home and End go to the first and last item. Other keys do nothing.
fn look_around(state: &mut State, code: KeyCode) {
    let page = state
        .areas()
        .map_or(1, |areas| usize::from(areas.rows.height).max(2) - 1);
    match code {
        KeyCode::Down | KeyCode::Char('j') => move_by(state, 1),
        KeyCode::Up | KeyCode::Char('k') => move_by(state, -1),
        KeyCode::Home => state.select_at(0),
        KeyCode::End => state.select_at(usize::MAX),
        KeyCode::PageDown => scroll(state, page as isize),
        KeyCode::PageUp => scroll(state, -(page as isize)),
        KeyCode::Tab => next_place(state, true),
        KeyCode::BackTab => next_place(state, false),
        KeyCode::Right => next_side(state, true),
        KeyCode::Left => next_side(state, false),
        _ => {}
    }
}

/// Handles a key in the open popup. `y` of a question and Enter of a mask close it and return the action. `n`, `q` and
/// Esc close it, with a message that nothing was done unless it is the help. Other keys move through the masks, around
/// both ends, or do nothing; the popup stays open.
fn in_popup(state: &mut State, code: KeyCode) -> Option<Action> {
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
/// whole group; snapshots skipped before are not counted again. Without keys it only shows a message. Always returns
/// `None`.
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
        [one] => format!("skipped {}", state.names.name(one)),
        several => format!("skipped {}", several.len()),
    };
    state.history.push(UndoEntry::Skipped(new));
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

/// Returns the elements that a mask may cover, with their names: those at the centre of the focused change, the focused
/// row first and then the smallest first, and last the focused rectangle itself. Windows and rows that are masked
/// already are left out; if no row is left, the focused row is offered all the same, unless it is a window. Elements
/// too large for a mask are never offered. Empty if the case is not shown yet or the whole picture has the focus.
fn mask_choices(state: &State) -> Vec<(String, MaskTarget)> {
    let Some(case) = state.case() else {
        return Vec::new();
    };
    let actual = |at: usize| case.diff.lines.get(at)?.actual.as_ref();
    let chosen_row = match state.focus {
        Focus::Row(at) => actual(at),
        Focus::Place(_) | Focus::FullPicture => None,
    };
    let change = panels::change(case, state.focus);
    let mut under: Vec<_> = case
        .diff
        .lines
        .iter()
        .filter_map(|line| line.actual.as_ref())
        .filter(|(_, row)| !row.is_window() && !row.is_masked())
        .filter(|(_, row)| {
            let center = change.map(|change| change.center());
            row.bounds
                .zip(center)
                .is_some_and(|(bounds, center)| bounds.contains(center))
        })
        .collect();
    under.sort_by_key(|(number, row)| {
        let is_chosen = chosen_row.is_some_and(|(chosen, _)| chosen == number);
        let area = row.bounds.map_or(u64::MAX, |bounds| bounds.area());
        (!is_chosen, area, std::cmp::Reverse(*number))
    });
    if under.is_empty() {
        under.extend(chosen_row.filter(|(_, row)| !row.is_window()));
    }
    // Masks that the next run would refuse are left out.
    let covered = case.diff.covered();
    let fits = |area: &Rect| covered.percent_with(*area) <= MASK_LIMIT_PERCENT;
    let rows = under
        .into_iter()
        .filter(|(_, row)| row.bounds.as_ref().is_none_or(fits))
        .map(|(number, row)| (row.name(*number), MaskTarget::Row(*number)));
    let area = change.filter(fits);
    let area = area.map(|change| (format!("the rectangle {change}"), MaskTarget::Area(change)));
    rows.chain(area).collect()
}

/// Shows the next mode, after the last the first, and scrolls to the top. Always returns `None`.
fn next_mode(state: &mut State) -> Option<Action> {
    state.mode = match state.mode {
        Mode::Side => Mode::Large,
        Mode::Large => Mode::Text,
        Mode::Text => Mode::Side,
    };
    state.scroll = 0;
    None
}

fn move_by(state: &mut State, by: isize) {
    let at = state.position().unwrap_or(0);
    state.select_at(at.saturating_add_signed(by));
}

fn scroll(state: &mut State, by: isize) {
    let height = state.areas().map_or(1, |areas| areas.rows.height);
    let last = state.pane().len().saturating_sub(usize::from(height));
    state.scroll = state.scroll.min(last).saturating_add_signed(by).min(last);
}

/// Moves the focus to the next change, and after the last one to the whole picture; backwards in the other
/// direction. A focused row counts as the whole picture. Does nothing if no case is shown.
fn next_place(state: &mut State, forward: bool) {
    let Some(places) = state.case().map(|case| case.diff.places.len()) else {
        return;
    };
    let at = match state.focus {
        Focus::Place(at) => at,
        Focus::FullPicture | Focus::Row(_) => places,
    };
    let next = match (forward, at) {
        (true, at) if at >= places => 0,
        (true, at) => at + 1,
        (false, 0) => places,
        (false, at) => at - 1,
    };
    state.focus = if next < places {
        Focus::Place(next)
    } else {
        Focus::FullPicture
    };
}

/// Chooses the next or previous side of those there are, around the ends. The choice shows when only one picture is
/// shown. Does nothing if the present side is none of them, as without a case.
fn next_side(state: &mut State, forward: bool) {
    let sides = state.sides();
    let Some(at) = sides.iter().position(|side| *side == state.side) else {
        return;
    };
    let next = if forward {
        at + 1
    } else {
        at + sides.len() - 1
    };
    state.side = sides[next % sides.len()];
}

/// Handles a click of the left button and the wheel; ignores other events. Returns the action of the button that was
/// clicked, if any.
fn on_mouse(state: &mut State, mouse: MouseEvent) -> Option<Action> {
    let (column, row) = (mouse.column, mouse.row);
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) => click(state, column, row),
        MouseEventKind::ScrollDown => {
            wheel(state, column, row, true);
            None
        }
        MouseEventKind::ScrollUp => {
            wheel(state, column, row, false);
            None
        }
        _ => None,
    }
}

/// Moves by one turn of the wheel: in the popup of masks through them, otherwise by an item in the queue, by a change
/// over the pictures, and by three lines elsewhere. Any other popup, and a screen that is too small, ignores it.
fn wheel(state: &mut State, column: u16, row: u16, down: bool) {
    let Some(areas) = state.areas() else { return };
    if let Some(Popup::Mask { .. }) = state.popup {
        let code = if down { KeyCode::Down } else { KeyCode::Up };
        in_popup(state, code);
    } else if state.popup.is_some() {
    } else if holds(areas.queue, column, row) {
        move_by(state, if down { 1 } else { -1 });
    } else if holds(areas.pictures, column, row) {
        next_place(state, down);
    } else {
        scroll(state, if down { 3 } else { -3 });
    }
}

/// Handles a click: a button is pressed like its key, also in a popup; an item or group is selected, and a change or
/// row focused. Of several changes there, the smallest counts; one within 8 pixels is hit too. Clicks elsewhere, and
/// beside the buttons of a popup, do nothing.
fn click(state: &mut State, column: u16, row: u16) -> Option<Action> {
    let areas = state.areas()?;
    // Valid with a popup too: the line then has the popup's keys.
    if holds(areas.keys, column, row) {
        let code = buttons::at(state, column - areas.keys.x)?;
        return on_key(state, KeyEvent::from(code));
    }
    if state.popup.is_some() {
        return None;
    }
    if holds(areas.queue, column, row) {
        let height = usize::from(areas.queue.height);
        let at = state.queue_top(height) + usize::from(row - areas.queue.y);
        let key = match state.queue_lines().get(at)? {
            QueueLine::Item(item) => item.key.clone(),
            QueueLine::Group(group) => group.items.first()?.key.clone(),
        };
        state.select(Some(key));
    } else if holds(areas.pictures, column, row) {
        let (x, y) = panels::pixel_at(state, column, row)?;
        let point = Point { x, y };
        let places = &state.case()?.diff.places;
        // Changes of a few pixels are hard to hit, so their surroundings count.
        let near = |bounds: &Rect| {
            Rect::new(
                bounds.left - 8,
                bounds.top - 8,
                bounds.right + 8,
                bounds.bottom + 8,
            )
        };
        let hit = places
            .iter()
            .enumerate()
            .filter(|(_, place)| near(&place.bounds).contains(point))
            .min_by_key(|(_, place)| place.bounds.area())
            .map(|(at, _)| at)?;
        state.focus = Focus::Place(hit);
    } else if holds(areas.rows, column, row) {
        let pane = state.pane();
        let last = pane.len().saturating_sub(usize::from(areas.rows.height));
        let line = pane.get(state.scroll.min(last) + usize::from(row - areas.rows.y))?;
        state.focus = Focus::Row(line.row?);
    }
    None
}

#[cfg(test)]
mod tests;

//! Handles the mouse.

use ratatui::crossterm::event::{KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};

use super::action::Action;
use super::look_around::{move_by, next_place, scroll};
use super::press::{in_popup, on_key};
use crate::terminal::layout::holds;
use crate::terminal::state::{Focus, Popup, QueueLine, State};
use crate::terminal::{buttons, panels};
use runner_screen::{Point, Rect};

/// Handles a click of the left button and the wheel; ignores other events. Returns the action of the button that was
/// clicked, if any.
pub(super) fn on_mouse(state: &mut State, mouse: MouseEvent) -> Option<Action> {
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
        // Changes of a few pixels are hard to hit, so their surroundings count. Those of an imported table may reach
        // to the ends of `i32`.
        let near = |bounds: &Rect| {
            Rect::new(
                bounds.left.saturating_sub(8),
                bounds.top.saturating_sub(8),
                bounds.right.saturating_add(8),
                bounds.bottom.saturating_add(8),
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

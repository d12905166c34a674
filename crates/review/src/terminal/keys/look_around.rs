//! Moves the selection and the focus, scrolls, and changes the mode: what decides nothing.

use ratatui::crossterm::event::KeyCode;

use crate::terminal::state::{Focus, Mode, State};

/// Handles the keys that only move the selection or the focus, or scroll. A page is one row less than is visible.
/// Home and End go to the first and last item. Other keys do nothing.
pub(super) fn look_around(state: &mut State, code: KeyCode) {
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

/// Shows the next mode, after the last the first, and scrolls to the top.
pub(super) fn next_mode(state: &mut State) {
    state.mode = match state.mode {
        Mode::Side => Mode::Large,
        Mode::Large => Mode::Text,
        Mode::Text => Mode::Side,
    };
    state.scroll = 0;
}

pub(super) fn move_by(state: &mut State, by: isize) {
    let at = state.position().unwrap_or(0);
    state.select_at(at.saturating_add_signed(by));
}

pub(super) fn scroll(state: &mut State, by: isize) {
    let height = state.areas().map_or(1, |areas| areas.rows.height);
    let last = state.pane().len().saturating_sub(usize::from(height));
    state.scroll = state.scroll.min(last).saturating_add_signed(by).min(last);
}

/// Moves the focus to the next change, and after the last one to the whole picture; backwards in the other
/// direction. A focused row counts as the whole picture. Does nothing if no case is shown.
pub(super) fn next_place(state: &mut State, forward: bool) {
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

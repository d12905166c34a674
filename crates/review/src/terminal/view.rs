//! Draws the state into a buffer of cells. Pictures of the terminal's own protocols are left blank here;
//! `app` adds them.

mod case;
mod paint;
mod popup;
mod queue;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::text::{Line, Span};

use self::paint::{Paint, put};
use super::buttons;
use super::state::{Popup, State};
use super::text::{cut, width};

/// Draws the whole screen, with the open popup above it. If the screen is too small, only asks the person to make it
/// larger. Pictures by escape sequences are not drawn here. The state stays as it is.
pub fn view(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let Some(areas) = state
        .areas()
        .filter(|areas| areas.keys.bottom() <= area.bottom())
    else {
        put(
            buffer,
            area,
            Line::raw(cut("make it larger", area.width.into())),
        );
        return;
    };
    let paint = Paint(state.display.colours);
    title(state, paint, buffer, areas.title);
    queue::draw(state, paint, buffer, areas.queue);
    if areas.queue.right() < areas.head.x {
        for row in areas.queue.rows() {
            put(
                buffer,
                Rect::new(row.right(), row.y, 1, 1),
                Line::styled("│", paint.dim()),
            );
        }
    }
    case::draw(state, paint, buffer, &areas);
    message(state, paint, buffer, areas.message);
    keys(state, paint, buffer, areas.keys);
    match &state.popup {
        Some(Popup::Help) => popup::help(state, paint, buffer),
        Some(Popup::Mask { choices, at }) => popup::mask(state, paint, buffer, choices, *at),
        Some(Popup::Confirm { .. }) | None => {}
    }
}

/// Draws the title, and at its right how many of all snapshots are decided and skipped, or that they are being read.
/// In too little room the right part covers the title.
fn title(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect) {
    let waiting = state.waiting();
    let all = state.decided + waiting;
    // Somebody else may have decided about others.
    let skipped = match waiting - state.undecided().len() {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let right = if state.queue.is_none() {
        "reading the snapshots…".to_owned()
    } else {
        format!("{}/{all} done{skipped}", state.decided)
    };
    put(buffer, area, Line::styled("runner review", paint.bold()));
    let length = (width(&right) as u16).min(area.width);
    let place = Rect::new(area.right() - length, area.y, length, 1);
    put(buffer, place, Line::raw(right));
}

/// Draws the first that there is of these, in one line: the question before a decision, the note that a whole group is
/// chosen, the last message, what has the focus. So a message is not seen while a whole group is chosen. Draws nothing
/// if there is none of them.
fn message(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect) {
    let cells = usize::from(area.width);
    let line = if let Some(Popup::Confirm {
        accept,
        keys,
        removed,
    }) = &state.popup
    {
        let verb = if *accept { "accept" } else { "reject" };
        let removed = match removed {
            0 => String::new(),
            1 => " (1 obsolete golden is removed)".to_owned(),
            count => format!(" ({count} obsolete goldens are removed)"),
        };
        let text = format!("{verb} the remaining {}{removed}? y/n", keys.len());
        Line::styled(cut(&text, cells), paint.bold())
    } else if state.whole_group {
        let count = state.group().map_or(0, |group| group.items.len());
        let text = format!(
            "GROUP: the next a, r or s is for all {count} of this group; g or Esc leaves it"
        );
        Line::styled(cut(&text, cells), paint.chosen())
    } else if let Some(message) = &state.message {
        let text = super::text::sanitize(&message.text);
        if message.is_error {
            let style = paint.colour(Color::Red).add_modifier(Modifier::BOLD);
            Line::styled(cut(&format!("! {text}"), cells), style)
        } else {
            Line::raw(cut(&text, cells))
        }
    } else if let Some(text) = case::looked_at(state) {
        Line::styled(cut(&super::text::sanitize(&text), cells), paint.dim())
    } else {
        return;
    };
    put(buffer, area, line);
}

/// Draws the buttons for the open popup, or for the queue, in the line of keys; those beyond its end are cut off.
fn keys(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect) {
    for button in buttons::buttons(state) {
        let place = Rect::new(
            area.x + button.column,
            area.y,
            area.width.saturating_sub(button.column),
            1,
        );
        let line = Line::from(vec![
            Span::styled(button.key, paint.chosen()),
            Span::raw(" "),
            Span::raw(button.label),
        ]);
        put(buffer, place, line);
    }
}

#[cfg(test)]
mod tests;

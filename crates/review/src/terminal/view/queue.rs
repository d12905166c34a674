//! Draws the queue: groups with kind and count, items with a mark if they are skipped.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::paint::{Paint, put};
use crate::terminal::state::{QueueLine, State};
use crate::terminal::text::{cut, cut_middle, sanitize, width};
use crate::{Group, Item};

/// Draws the part of the queue that fits, around the selected item, or that nothing waits. Draws nothing before the
/// queue is read.
pub(super) fn draw(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect) {
    let lines = state.queue_lines();
    if lines.is_empty() {
        let text = if state.queue.is_some() {
            "nothing waits"
        } else {
            ""
        };
        put(buffer, area, Line::styled(text, paint.dim()));
        return;
    }
    let top = state.queue_top(area.height.into());
    for (line, row) in lines.iter().skip(top).zip(area.rows()) {
        match line {
            QueueLine::Group(group) => head(state, paint, buffer, row, group),
            QueueLine::Item(item) => entry(state, paint, buffer, row, item),
        }
    }
}

/// Draws the line of a group with kind, count and title, cut at its end; it is marked if the whole group is chosen. A
/// title that only repeats the kind is left out.
fn head(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect, group: &Group) {
    let kind = group.cause.kind.as_str();
    let title = sanitize(&group.cause.title);
    let title = if title == kind { String::new() } else { title };
    let badge = format!("{kind} {}", group.items.len());
    let is_whole = state.whole_group
        && state
            .group()
            .is_some_and(|chosen| chosen.cause == group.cause);
    let style = if is_whole {
        paint.chosen()
    } else {
        paint.bold()
    };
    let room = usize::from(area.width).saturating_sub(width(&badge) + 1);
    let line = Line::from(vec![
        Span::styled(badge, style.patch(paint.kind(group.cause.kind))),
        Span::raw(" "),
        Span::styled(cut(&title, room), paint.dim()),
    ]);
    put(buffer, area, line);
}

/// Draws the line of a snapshot with its short name, and marks for selected and skipped. A long name is cut in its
/// middle, a short one padded, so that the line fills the area.
fn entry(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect, item: &Item) {
    let is_selected = state.selected.as_ref() == Some(&item.key);
    let mark = match (is_selected, state.skipped.contains(&item.key)) {
        (true, true) => "›s",
        (true, false) => "› ",
        (false, true) => " s",
        (false, false) => "  ",
    };
    let name = state.names.name(&item.key);
    let room = usize::from(area.width).saturating_sub(2);
    let text = format!("{mark}{:<room$}", cut_middle(&sanitize(&name), room));
    let style = if is_selected {
        paint.chosen()
    } else {
        Style::new()
    };
    put(buffer, area, Line::styled(text, style));
}

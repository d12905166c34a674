//! Draws the selected case: its head, its pictures, its rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget as _, Wrap};

use super::paint::{Paint, put};
use crate::Case;
use crate::terminal::fit;
use crate::terminal::graphics::{Images, blocks};
use crate::terminal::layout::Areas;
use crate::terminal::panels::{self, Panel, panels};
use crate::terminal::rows::{LineKind, PaneLine};
use crate::terminal::state::{CaseState, Focus, PictureSide, State};

use crate::terminal::text::{cut, cut_middle, sanitize, width};
use runner_snapshot::ChangeKind;

/// Draws the selected case: kind, key, reason and flow, then pictures and rows, or that it is being read, or why it
/// cannot be. Without a selected item it draws that nothing waits.
pub(super) fn draw(state: &State, paint: Paint, buffer: &mut Buffer, areas: &Areas) {
    let Some(item) = state.item() else {
        empty(state, paint, buffer, areas);
        return;
    };
    let cells = usize::from(areas.head.width);
    let place = item.place.as_ref().map_or(String::new(), |place| {
        format!("{}:{}", place.file, place.line)
    });
    let badge = format!("{} ", item.kind.as_str());
    let key_room = cells.saturating_sub(width(&badge));
    let key = Line::from(vec![
        Span::styled(badge, paint.kind(item.kind).add_modifier(Modifier::BOLD)),
        Span::styled(
            cut_middle(&sanitize(&item.key.to_string()), key_room),
            paint.bold(),
        ),
    ]);
    put(buffer, areas.head, key);
    if areas.head.height > 1 {
        let second = Rect::new(areas.head.x, areas.head.y + 1, areas.head.width, 1);
        let title = state.group().map_or("", |group| group.cause.title.as_str());
        let title = if title == item.kind.as_str() {
            ""
        } else {
            title
        };
        let text = title_and_place(&sanitize(title), &sanitize(&place), cells);
        put(buffer, second, Line::styled(text, paint.dim()));
    }
    match &state.case {
        CaseState::Waiting => {
            put(
                buffer,
                areas.pictures.union(areas.rows),
                Line::styled("reading…", paint.dim()),
            );
        }
        CaseState::Failed(error) => broken(paint, buffer, areas, error),
        CaseState::Ready(case) => {
            if let Some(error) = &case.item.error {
                broken(paint, buffer, areas, error);
                return;
            }
            pictures(state, paint, buffer, case);
            rows(state, paint, buffer, areas.rows);
        }
    }
}

/// Formats the reason at the left and the flow's line at the right, padded to `cells` cells, also if both are empty.
/// The place gets at most half of them, cut in its middle. The reason gets the rest but two cells, which stay free
/// without a place too; its end is cut.
fn title_and_place(title: &str, place: &str, cells: usize) -> String {
    let place = cut_middle(place, cells / 2);
    let room = cells.saturating_sub(width(&place) + 2);
    let title = cut(title, room);
    let space = cells.saturating_sub(width(&title) + width(&place));
    format!("{title}{}{place}", " ".repeat(space))
}

/// Draws the error, made harmless and wrapped, in place of pictures and rows.
fn broken(paint: Paint, buffer: &mut Buffer, areas: &Areas, error: &str) {
    let area = areas.pictures.union(areas.rows);
    let style = paint.colour(Color::Red);
    let text = format!("! {}", sanitize(error));
    Paragraph::new(Line::styled(text, style))
        .wrap(Wrap { trim: true })
        .render(area.intersection(*buffer.area()), buffer);
}

/// Draws that nothing waits, with the number of decisions, in place of the case. Draws nothing before the queue is
/// read.
fn empty(state: &State, paint: Paint, buffer: &mut Buffer, areas: &Areas) {
    if state.queue.is_none() {
        return;
    }
    let area = areas.head.union(areas.pictures).union(areas.rows);
    let what = match state.decided {
        0 => "Nothing waits for review.".to_owned(),
        done => format!("All done: {done} decided, nothing waits for review."),
    };
    let text = vec![
        Line::styled(what, paint.bold()),
        Line::raw("u takes the last decision back, q leaves."),
        Line::raw("What a run finds from now on comes up here."),
    ];
    Paragraph::new(text)
        .wrap(Wrap { trim: true })
        .render(area.intersection(*buffer.area()), buffer);
}

/// Draws the captions, and the pictures too if they are made of blocks; others are drawn by the terminal later. Draws
/// nothing without room or pictures.
fn pictures(state: &State, paint: Paint, buffer: &mut Buffer, case: &Case) {
    for panel in panels(state) {
        let caption = cut(caption(case, &panel), panel.caption.width.into());
        let line = Line::styled(caption, paint.bold());
        put(buffer, panel.caption, line);
        if state.display.images == Images::Blocks
            && let Some(picture) = panels::picture(case, panel.side)
            && let Some(scaled) = fit::scaled(picture, panel.part, panel.size, panel.outline)
        {
            blocks::draw(buffer, panel.cells, &scaled, state.display.colours);
        }
    }
}

/// Names the side of the panel, such as `golden`. A selector's sides are `last green` and `failed`, and an actual
/// picture without a golden is `new`.
fn caption(case: &Case, panel: &Panel) -> &'static str {
    match panel.side {
        PictureSide::Golden if case.item.kind == ChangeKind::Selector => "last green",
        PictureSide::Actual if case.item.kind == ChangeKind::Selector => "failed",
        PictureSide::Golden => "golden",
        PictureSide::Actual if case.diff.golden.is_none() => "new",
        PictureSide::Actual => "actual",
        PictureSide::Difference => "difference",
    }
}

/// Describes the part of the case that has the focus: a row, a change or the whole picture. `None` if no case
/// is shown, the focus is outdated, or nothing changed in the picture.
pub(super) fn looked_at(state: &State) -> Option<String> {
    let diff = &state.case()?.diff;
    let places = diff.places.len();
    Some(match state.focus {
        Focus::Row(at) => {
            let line = diff.lines.get(at)?;
            let (number, row) = line.actual.as_ref().or(line.golden.as_ref())?;
            format!("row {number}: {}", row.name(*number))
        }
        Focus::FullPicture if places == 0 => return None,
        Focus::FullPicture => {
            format!("the whole picture; Tab goes through what changed, {places} in all")
        }
        Focus::Place(at) => {
            let place = diff.places.get(at)?;
            let name = place.name.as_deref().unwrap_or("no element");
            format!("change {} of {places}: {name}, {} px", at + 1, place.pixels)
        }
    })
}

/// Draws the rows from the scroll position on, but not beyond the last full page, and arrows if there are more above
/// or below. Without rows it draws that there are none.
fn rows(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect) {
    let pane = state.pane();
    if pane.is_empty() {
        let text = "no rows";
        put(
            buffer,
            area,
            Line::styled(cut(text, area.width.into()), paint.dim()),
        );
        return;
    }
    let last = pane.len().saturating_sub(area.height.into());
    let top = state.scroll.min(last);
    for (line, row) in pane.iter().skip(top).zip(area.rows()) {
        pane_line(state, paint, buffer, row, line);
    }
    // Arrows in the last column show that there is more.
    for (there, y, sign) in [(top > 0, area.y, "▲"), (top < last, area.bottom() - 1, "▼")] {
        if there && area.width > 1 {
            put(
                buffer,
                Rect::new(area.right() - 1, y, 1, 1),
                Line::styled(sign, paint.dim()),
            );
        }
    }
}

/// Draws a line of the rows after its mark, in the style of its kind, cut at its end; the focused row is marked.
fn pane_line(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect, line: &PaneLine) {
    let style = match line.kind {
        LineKind::Note => paint.bold(),
        LineKind::Same | LineKind::Gap => paint.dim(),
        LineKind::Added => paint.colour(Color::Green),
        LineKind::Removed => paint.colour(Color::Red),
        LineKind::Changed => paint.colour(Color::Magenta),
    };
    let is_focus =
        matches!((state.focus, line.row), (Focus::Row(focus), Some(row)) if focus == row);
    let style = if is_focus {
        style.patch(paint.chosen())
    } else {
        style
    };
    let text = format!("{} {}", line.mark(), line.text);
    put(
        buffer,
        area,
        Line::styled(cut(&text, area.width.into()), style),
    );
}

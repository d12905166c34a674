//! The case: what it is, its pictures, its rows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget as _, Wrap};

use super::{Paint, put};
use crate::review::Case;
use crate::review::terminal::fit;
use crate::review::terminal::graphics::{Images, blocks};
use crate::review::terminal::layout::Areas;
use crate::review::terminal::panels::{self, Panel, panels};
use crate::review::terminal::rows::{LineKind, PaneLine};
use crate::review::terminal::state::{CaseState, Focus, Mode, Side, State};
use crate::review::terminal::text::{cut, cut_middle, plain, width};
use crate::snapshot::ChangeKind;

pub(super) fn draw(state: &State, paint: Paint, buffer: &mut Buffer, areas: &Areas) {
    let Some(item) = state.item() else {
        empty(state, paint, buffer, areas.head);
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
            cut_middle(&plain(&item.key.to_string()), key_room),
            paint.bold(),
        ),
    ]);
    put(buffer, areas.head, key);
    if areas.head.height > 1 {
        let second = Rect::new(areas.head.x, areas.head.y + 1, areas.head.width, 1);
        let title = state.group().map_or("", |group| group.cause.title.as_str());
        let text = match (title == item.kind.as_str(), place.is_empty()) {
            (true, _) => place,
            (false, true) => title.to_owned(),
            (false, false) => format!("{title}  {place}"),
        };
        put(
            buffer,
            second,
            Line::styled(cut(&plain(&text), cells), paint.dim()),
        );
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

fn broken(paint: Paint, buffer: &mut Buffer, areas: &Areas, error: &str) {
    let area = areas.pictures.union(areas.rows);
    let style = paint.colour(Color::Red);
    let text = format!("! {}", plain(error));
    Paragraph::new(Line::styled(text, style))
        .wrap(Wrap { trim: true })
        .render(area.intersection(*buffer.area()), buffer);
}

fn empty(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect) {
    if state.queue.is_some() {
        let text = "Nothing waits for review. u takes the last decision back, q leaves.";
        put(
            buffer,
            area,
            Line::styled(cut(text, area.width.into()), paint.bold()),
        );
    }
}

fn pictures(state: &State, paint: Paint, buffer: &mut Buffer, case: &Case) {
    for panel in panels(state) {
        let caption = caption(state, case, &panel);
        let line = Line::styled(cut(&caption, panel.caption.width.into()), paint.bold());
        put(buffer, panel.caption, line);
        if state.display.images == Images::Blocks
            && let Some(picture) = panels::picture(case, panel.side)
            && let Some(scaled) = fit::scaled(picture, panel.part, panel.size, panel.outline)
        {
            blocks::draw(buffer, panel.cells, &scaled, state.display.colours);
        }
    }
}

fn caption(state: &State, case: &Case, panel: &Panel) -> String {
    let name = match panel.side {
        Side::Golden => "golden",
        Side::Actual if case.diff.golden.is_none() => "new",
        Side::Actual => "actual",
        Side::Difference => "difference",
    };
    let is_first = state.sides().first() == Some(&panel.side) || state.mode == Mode::Large;
    let what = match state.focus {
        _ if !is_first => String::new(),
        Focus::Whole => String::new(),
        Focus::Row(_) => "row".to_owned(),
        Focus::Place(at) => {
            let place = &case.diff.places[at];
            let pixels = match &place.name {
                Some(name) => format!("{}: {} px", plain(name), place.pixels),
                None => format!("{} px", place.pixels),
            };
            format!("{}/{} {pixels}", at + 1, case.diff.places.len())
        }
    };
    if what.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {what}")
    }
}

fn rows(state: &State, paint: Paint, buffer: &mut Buffer, area: Rect) {
    let pane = state.pane();
    if pane.is_empty() {
        let text = if state
            .item()
            .is_some_and(|item| item.kind == ChangeKind::Obsolete)
        {
            "no flow names this golden any more: accept removes it, reject keeps it"
        } else {
            "no rows"
        };
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
    // Where something is left out, the last cell says in which direction.
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
    let text = format!("{} {}", line.kind.mark(), line.text);
    put(
        buffer,
        area,
        Line::styled(cut(&text, area.width.into()), style),
    );
}

//! Draws popups over the rest: the list of keys, and the choice of a mask.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Widget as _};

use super::paint::{Paint, put};
use crate::MaskTarget;
use crate::terminal::layout::centered;
use crate::terminal::state::State;
use crate::terminal::text::{cut, sanitize};

const HELP: [&str; 18] = [
    "a r s      accept, reject, skip this one",
    "A R S      all that are left; A and R ask first",
    "g          the next a, r or s is for the whole group",
    "u          take the last decision back",
    "Tab        next change; after the last all of it",
    "v          beside each other, one large, all rows",
    "left right golden, actual, difference when large",
    "up down    other snapshots; also k and j",
    "PgUp PgDn  scroll the rows; Home, End: first, last",
    "m          mask this element in the flow",
    "e          open the flow's line in $VISUAL, $EDITOR",
    "q, Ctrl-Z  leave, pause; the rest waits on",
    "Esc        closes this; it never rejects",
    "mouse      choose, scroll, press the keys below",
    "",
    "rows: + added  - removed  ~ changed  = remark",
    "pictures: red changed, yellow smoothed edge,",
    "  blue only moved, purple stripes not compared",
];

pub(super) fn help(state: &State, paint: Paint, buffer: &mut Buffer) {
    let lines = HELP.iter().map(|line| (*line).to_owned()).collect();
    framed(state, paint, buffer, " keys ", lines, None);
}

pub(super) fn mask(
    state: &State,
    paint: Paint,
    buffer: &mut Buffer,
    choices: &[(String, MaskTarget)],
    at: usize,
) {
    let lines = choices.iter().map(|(name, _)| sanitize(name)).collect();
    let title = " mask in the flow: not compared from now on ";
    framed(state, paint, buffer, title, lines, Some(at));
}

/// Draws a frame with the lines, in the middle of the screen and above the line of keys, over what is there. Long
/// lines are cut. If there are too many, they are scrolled so that the chosen one, which is marked, is visible;
/// without a chosen one the last are cut off.
fn framed(
    state: &State,
    paint: Paint,
    buffer: &mut Buffer,
    title: &str,
    lines: Vec<String>,
    chosen: Option<usize>,
) {
    let area = centered(state.size, (56, lines.len() as u16 + 2));
    // The line of keys stays visible.
    let area = Rect::new(
        area.x,
        area.y,
        area.width,
        area.height.min(state.size.1.saturating_sub(area.y + 1)),
    )
    .intersection(*buffer.area());
    Clear.render(area, buffer);
    let block = Block::bordered().title(title);
    let inner = block.inner(area);
    block.render(area, buffer);
    let height = usize::from(inner.height);
    let top = chosen.map_or(0, |at| (at + 1).saturating_sub(height));
    for ((at, line), row) in lines.iter().enumerate().skip(top).zip(inner.rows()) {
        let text = cut(line, inner.width.into());
        let line = if chosen == Some(at) {
            Line::styled(format!("{text:<0$}", inner.width.into()), paint.chosen())
        } else {
            Line::raw(text)
        };
        put(buffer, row, line);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_legend_names_each_colour_of_the_difference() {
        let legend = super::HELP.join("\n");
        for colour in ["red", "yellow", "blue", "purple"] {
            assert!(legend.contains(colour), "{colour}");
        }
        assert!(super::HELP.iter().all(|line| line.len() <= 54));
    }
}

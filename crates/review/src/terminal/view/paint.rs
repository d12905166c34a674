//! Styles of the review, and the drawing of one line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use crate::terminal::graphics::Colours;
use runner_snapshot::ChangeKind;

/// Styles, limited to the terminal's colours.
#[derive(Clone, Copy)]
pub(super) struct Paint(pub Colours);

impl Paint {
    /// Returns a style with the colour, or none in a terminal without colours.
    pub fn colour(self, colour: Color) -> Style {
        match self.0 {
            Colours::None => Style::new(),
            _ => Style::new().fg(colour),
        }
    }

    /// Returns the style of less important text: dark grey, or dimmed without colours.
    pub fn dim(self) -> Style {
        match self.0 {
            Colours::None => Style::new().add_modifier(Modifier::DIM),
            _ => Style::new().fg(Color::DarkGray),
        }
    }

    #[expect(
        clippy::unused_self,
        reason = "a method like the other styles, which depend on the colours"
    )]
    pub fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    #[expect(
        clippy::unused_self,
        reason = "a method like the other styles, which depend on the colours"
    )]
    pub fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Returns the colour of a kind of change as a style, or no style without colours; several kinds share a colour.
    pub fn kind(self, kind: ChangeKind) -> Style {
        self.colour(match kind {
            ChangeKind::New => Color::Green,
            ChangeKind::Obsolete | ChangeKind::Size | ChangeKind::Replaced => Color::Red,
            // No yellow or blue: one is hard to read on a light background, the other on a dark one.
            ChangeKind::Masks | ChangeKind::Layout | ChangeKind::Text => Color::Magenta,
            ChangeKind::Pixels | ChangeKind::Selector => Color::Cyan,
        })
    }
}

/// Draws a line at the corner of `area`, cut at its right edge. Lower lines of the area stay. Draws nothing outside
/// of the buffer.
pub(super) fn put(buffer: &mut Buffer, area: Rect, line: Line<'_>) {
    let area = area.intersection(*buffer.area());
    if !area.is_empty() {
        buffer.set_line(area.x, area.y, &line, area.width);
    }
}

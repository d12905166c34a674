//! The caret of a text field: the place that a tap chooses, the ends of a visual line, blinking.

use std::time::Duration;

use super::VirtualPhone;
use crate::Quirk;
use crate::apps::ui::{Fonts, LayoutNode, Line, Look, TextLook};
use runner_screen::{Point, Rect};

/// Half a period of the blinking caret (AOSP, `Editor.BLINK`).
const BLINK: Duration = Duration::from_millis(500);

/// Blinking of the caret in the focused field. Without [`Quirk::BlinkingCaret`] it is always on.
#[derive(Default)]
pub(super) struct Blink {
    /// Time of the last change of the text or the caret.
    since: Duration,
    pub is_off: bool,
}

/// Lines of a field's text as they are drawn.
struct DrawnText {
    lines: Vec<Line>,
    rect: Rect,
    look: TextLook,
    /// Size of the font, in pixels.
    size: f32,
}

impl DrawnText {
    /// Returns the line nearest to a point, with its number from 0: the first above the text, the last below.
    /// Returns `None` without lines.
    fn line_near(&self, at: Point) -> Option<(usize, &Line)> {
        let down = (at.y - self.rect.top).max(0) as f32 / Fonts::line_height(self.size);
        let index = (down as usize).min(self.lines.len().saturating_sub(1));
        Some((index, self.lines.get(index)?))
    }

    /// Returns the distance of a point from the start of the lines, in pixels.
    fn across(&self, at: Point) -> f32 {
        (at.x - self.rect.left) as f32
    }
}

impl VirtualPhone {
    /// Shows the caret and restarts its blinking, because it moved or the text changed. The caller redraws.
    pub(super) fn show_caret(&mut self) {
        self.blink = Blink {
            since: self.clock.now(),
            is_off: false,
        };
    }

    /// Turns the caret on or off by the time, if [`Quirk::BlinkingCaret`] is set. By default it is steady: a
    /// picture would else depend on when it is taken. Only a change that is visible counts as a change of the
    /// screen.
    pub(super) fn blink_caret(&mut self) {
        if !self.has(Quirk::BlinkingCaret) {
            return;
        }
        let time = self.clock.now().saturating_sub(self.blink.since);
        let is_off = time.as_millis() / BLINK.as_millis() % 2 == 1;
        let front = self.tasks.front();
        let has_caret = front.is_some_and(|(_, screen)| screen.view.focus.is_some());
        if std::mem::replace(&mut self.blink.is_off, is_off) != is_off && has_caret {
            self.changed();
        }
    }

    /// Returns the first and the last place of the caret in its visual line, in characters from the start of the
    /// text. For a field that is empty or not drawn, these are 0 and `end`.
    ///
    /// As on Android, the last place of a line that another follows is before its last character, a space or a line
    /// feed.
    pub(super) fn line_around(&self, key: &str, caret: usize, end: usize) -> (usize, usize) {
        let Some(text) = self
            .scene()
            .placed_field(key)
            .and_then(|it| self.drawn_text(it))
        else {
            return (0, end);
        };
        let next = text.lines.iter().position(|line| line.start > caret);
        let first = text.lines[..next.unwrap_or(text.lines.len())].last();
        let last = next
            .and_then(|next| text.lines.get(next))
            .map(|line| line.start - 1);
        (first.map_or(0, |line| line.start), last.unwrap_or(end))
    }

    /// Returns the place of the caret `by` lines below its own, or above if negative. `column` is the place whose
    /// distance from the left edge the new one has, as nearly as it can. Returns `None` beyond the first and the
    /// last line, and for a field that is empty or not drawn.
    pub(super) fn adjacent_line(
        &self,
        key: &str,
        (caret, column): (usize, usize),
        by: isize,
    ) -> Option<usize> {
        let text = self.drawn_text(self.scene().placed_field(key)?)?;
        let line_at = |place: usize| text.lines.iter().rposition(|line| line.start <= place);
        let other = line_at(caret)?.checked_add_signed(by)?;
        let (line, next) = (text.lines.get(line_at(column)?)?, text.lines.get(other)?);
        let before: String = line.text.chars().take(column - line.start).collect();
        let fonts = &self.drawing.fonts;
        let across = fonts.width(&before, text.size, text.look.weight);
        Some(self.caret_in_line(&text, next, other, across))
    }

    /// Returns true if a point is to the right of its line's text, or the field is empty or not drawn. A double tap
    /// there selects no word.
    pub(super) fn is_right_of_text(&self, key: &str, at: Point) -> bool {
        let field = self.scene().placed_field(key);
        let Some(text) = field.and_then(|field| self.drawn_text(field)) else {
            return true;
        };
        let Some((_, line)) = text.line_near(at) else {
            return true;
        };
        let width = self
            .drawing
            .fonts
            .width(&line.text, text.size, text.look.weight);
        text.across(at) > width
    }

    /// Returns the place of the caret nearest to a point, in characters, or `None` if the field is empty or not
    /// drawn. A point above or below the text counts for its first or last line.
    pub(super) fn caret_near(&self, key: &str, at: Point) -> Option<usize> {
        let text = self.drawn_text(self.scene().placed_field(key)?)?;
        let (index, line) = text.line_near(at)?;
        Some(self.caret_in_line(&text, line, index, text.across(at)))
    }

    /// Returns the place in a line nearest to a distance from its start, in pixels. `index` is the line's number. A
    /// distance beyond the text gives the last place of the line, which is before its last character if another
    /// line follows.
    fn caret_in_line(&self, text: &DrawnText, line: &Line, index: usize, across: f32) -> usize {
        let mut x = 0.0;
        for (count, letter) in line.text.chars().enumerate() {
            let mut buffer = [0; 4];
            let letter = letter.encode_utf8(&mut buffer);
            let wide = self
                .drawing
                .fonts
                .width(letter, text.size, text.look.weight);
            if across < x + wide / 2.0 {
                return line.start + count;
            }
            x += wide;
        }
        // Behind a line that another follows, the caret stays in it.
        let next = text.lines.get(index + 1).map(|next| next.start - 1);
        next.unwrap_or(line.start + line.text.chars().count())
    }

    /// Returns the text of a field in lines as they are drawn, also those out of sight. A field of one line has one
    /// line, however wide. Returns `None` for an empty field and for other elements.
    fn drawn_text(&self, field: &LayoutNode) -> Option<DrawnText> {
        let of_field = field.element.field.as_ref()?;
        let child = field.children.last()?;
        let Look::Text(look) = &child.element.look else {
            return None;
        };
        // An empty field without focus shows its label instead.
        if of_field.text.is_empty() {
            return None;
        }
        let size = self.settings.metrics().letters(look.size);
        let width = if of_field.multiline {
            child.rect.width() as f32
        } else {
            // One line, however long it is.
            f32::INFINITY
        };
        let lines = self
            .drawing
            .fonts
            .lines(&look.text, size, look.weight, width, None);
        Some(DrawnText {
            lines,
            rect: child.rect,
            look: look.clone(),
            size,
        })
    }
}

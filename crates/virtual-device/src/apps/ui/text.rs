//! Text in the one bundled font with its two weights: measuring, breaking into lines, outlines.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ab_glyph::{Font, FontRef, GlyphId, OutlineCurve};
use tiny_skia::PathBuilder;

use super::element::Weight;

/// Height of a line, as a factor of the font size.
const LINE: f32 = 1.34;
/// Distance from a line's top to its baseline, as a factor of the font size.
const BASELINE: f32 = 1.04;

/// A glyph and its advance, in units of the em.
type Glyph = (GlyphId, f32);
/// Glyphs of one weight: those of ASCII by code, others by character.
#[derive(Default)]
struct Letters {
    ascii: Vec<Option<Glyph>>,
    others: BTreeMap<char, Glyph>,
}

/// The bundled font in its two weights. It is cheap to make, and caches each glyph that it has looked up.
pub(crate) struct Fonts {
    regular: Option<FontRef<'static>>,
    bold: Option<FontRef<'static>>,
    letters: [RefCell<Letters>; 2],
}

/// A line of text with its width in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub text: String,
    pub width: f32,
    /// Index of its first character in the whole text.
    pub start: usize,
}

impl Fonts {
    /// Reads the fonts of the program. In a font that cannot be read no text is drawn, and each letter counts as half
    /// an em wide.
    pub fn new() -> Self {
        Self {
            regular: FontRef::try_from_slice(notosans::REGULAR_TTF).ok(),
            bold: FontRef::try_from_slice(notosans::BOLD_TTF).ok(),
            letters: Default::default(),
        }
    }

    /// Returns the font of a weight, or `None` if it did not read.
    fn font(&self, weight: Weight) -> Option<&FontRef<'static>> {
        match weight {
            Weight::Regular => self.regular.as_ref(),
            Weight::Bold => self.bold.as_ref(),
        }
    }

    /// Returns a glyph and its advance for a size of 1, looked up once for each weight.
    fn glyph(&self, weight: Weight, letter: char) -> Glyph {
        let mut letters = self.letters[usize::from(weight == Weight::Bold)].borrow_mut();
        if letter.is_ascii() {
            letters.ascii.resize(128, None);
            if let Some(slot) = letters.ascii.get_mut(letter as usize) {
                return *slot.get_or_insert_with(|| self.look_up(weight, letter));
            }
        }
        *letters
            .others
            .entry(letter)
            .or_insert_with(|| self.look_up(weight, letter))
    }

    /// Looks up a glyph. Without a font every letter is half as wide as high; a character that the font lacks is the
    /// font's mark for that.
    fn look_up(&self, weight: Weight, letter: char) -> Glyph {
        let Some(font) = self.font(weight) else {
            return (GlyphId(0), 0.5);
        };
        let id = font.glyph_id(letter);
        let em = font.units_per_em().unwrap_or(1000.0);
        (id, font.h_advance_unscaled(id) / em)
    }

    /// Returns the width of a text in one line, in pixels, without kerning.
    pub fn width(&self, text: &str, size: f32, weight: Weight) -> f32 {
        text.chars()
            .map(|letter| self.glyph(weight, letter).1 * size)
            .sum()
    }

    /// Returns the height of a line, in whole pixels, for a font size in pixels.
    pub fn line_height(size: f32) -> f32 {
        (size * LINE).ceil()
    }

    /// Breaks a text into lines of at most `width` pixels, at spaces, or inside a word that is too wide. Each line
    /// feed begins a line too. Beyond `max_lines` the rest is cut, and the last line ends in an ellipsis. An empty
    /// text is one empty line.
    pub fn lines(
        &self,
        text: &str,
        size: f32,
        weight: Weight,
        width: f32,
        max_lines: Option<usize>,
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut start = 0;
        for paragraph in text.split('\n') {
            self.paragraph(paragraph, size, weight, width, start, &mut lines);
            start += paragraph.chars().count() + 1;
        }
        if let Some(max) = max_lines
            && lines.len() > max
        {
            lines.truncate(max);
            if let Some(last) = lines.last_mut() {
                self.shorten(last, size, weight, width);
            }
        }
        lines
    }

    /// Adds the lines of a paragraph, one at least. Blanks at a line's end stay in it and may reach beyond the
    /// width.
    fn paragraph(
        &self,
        text: &str,
        size: f32,
        weight: Weight,
        width: f32,
        start: usize,
        lines: &mut Vec<Line>,
    ) {
        let mut line = Line {
            text: String::new(),
            width: 0.0,
            start,
        };
        let mut at = start;
        for word in text.split_inclusive(' ') {
            let word_width = self.width(word.trim_end_matches(' '), size, weight);
            if line.width + word_width > width + 0.5 && !line.text.is_empty() {
                lines.push(std::mem::replace(
                    &mut line,
                    Line {
                        text: String::new(),
                        width: 0.0,
                        start: at,
                    },
                ));
            }
            for letter in word.chars() {
                let advance = self.glyph(weight, letter).1 * size;
                if letter != ' ' && line.width + advance > width + 0.5 && !line.text.is_empty() {
                    lines.push(std::mem::replace(
                        &mut line,
                        Line {
                            text: String::new(),
                            width: 0.0,
                            start: at,
                        },
                    ));
                }
                line.text.push(letter);
                line.width += advance;
                at += 1;
            }
        }
        lines.push(line);
    }

    /// Cuts letters off a line's end until an ellipsis fits, and adds it, also to a line that fits. If not even the
    /// ellipsis fits, it stands alone.
    fn shorten(&self, line: &mut Line, size: f32, weight: Weight, width: f32) {
        let ellipsis = self.glyph(weight, '…').1 * size;
        let mut stored = line.text.trim_end().to_owned();
        while !stored.is_empty() && self.width(&stored, size, weight) + ellipsis > width {
            stored.pop();
        }
        line.text = format!("{}…", stored.trim_end());
        line.width = self.width(&line.text, size, weight);
    }

    /// Adds a line's outlines to a path; `left` and `top` are the line's corner, and `size` the font's, in
    /// pixels. Without a font it adds nothing.
    pub fn outline(
        &self,
        path: &mut PathBuilder,
        text: &str,
        size: f32,
        weight: Weight,
        left: f32,
        top: f32,
    ) {
        let Some(font) = self.font(weight) else {
            return;
        };
        let scale = size / font.units_per_em().unwrap_or(1000.0);
        let baseline = top + size * BASELINE;
        let mut x = left;
        for letter in text.chars() {
            let (id, advance) = self.glyph(weight, letter);
            if let Some(outline) = font.outline(id) {
                push_curves(path, &outline.curves, x, baseline, scale);
            }
            x += advance * size;
        }
    }
}

/// Adds the curves of a glyph to a path, each contour closed.
fn push_curves(path: &mut PathBuilder, curves: &[OutlineCurve], x: f32, baseline: f32, scale: f32) {
    let place = |point: ab_glyph::Point| (point.x.mul_add(scale, x), baseline - point.y * scale);
    let mut last: Option<(f32, f32)> = None;
    for curve in curves {
        let begin = match curve {
            OutlineCurve::Line(a, _)
            | OutlineCurve::Quad(a, _, _)
            | OutlineCurve::Cubic(a, _, _, _) => place(*a),
        };
        // The curves of all contours come in one list: a jump begins the next.
        if last != Some(begin) {
            if last.is_some() {
                path.close();
            }
            path.move_to(begin.0, begin.1);
        }
        let end = match curve {
            OutlineCurve::Line(_, b) => {
                let b = place(*b);
                path.line_to(b.0, b.1);
                b
            }
            OutlineCurve::Quad(_, c, b) => {
                let (c, b) = (place(*c), place(*b));
                path.quad_to(c.0, c.1, b.0, b.1);
                b
            }
            OutlineCurve::Cubic(_, c, d, b) => {
                let (c, d, b) = (place(*c), place(*d), place(*b));
                path.cubic_to(c.0, c.1, d.0, d.1, b.0, b.1);
                b
            }
        };
        last = Some(end);
    }
    if last.is_some() {
        path.close();
    }
}

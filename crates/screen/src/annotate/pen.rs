//! What boxes and labels are drawn with. Everything drawn is a rectangle, a pill or a small letter, so that coverage is
//! worked out per pixel and no path is ever filled; letters are rasterised once per place inside a pixel.

use std::collections::HashMap;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::RgbaImage;

const RED: [u8; 3] = [255, 0, 0];
const WHITE: [u8; 3] = [255, 255, 255];
/// Below this nothing can be seen, and dashes would be without number.
const THINNEST: f32 = 0.05;
/// A letter's place inside a pixel is kept in such parts of it.
const PARTS: f32 = 4.0;

/// A rectangle in pixels, with fractions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// Pen and letters for one picture.
pub(super) struct Pen {
    /// Half the width of a line.
    half: f32,
    dash: f32,
    gap: f32,
    pill_alpha: f32,
    padding: f32,
    letters: f32,
    writer: Option<Writer>,
}

impl Pen {
    /// `unit` is what one pixel of a picture of the reference width has become.
    pub(super) fn new(unit: f32) -> Self {
        let unit = unit.max(THINNEST);
        Self {
            half: unit,
            dash: 6.0 * unit,
            gap: 3.0 * unit,
            pill_alpha: 180.0 / 255.0,
            padding: 2.0 * unit,
            letters: 10.0 * unit,
            writer: Writer::new(10.0 * unit),
        }
    }

    /// A dashed outline; its dashes run clockwise from the upper left corner.
    pub(super) fn draw_box(&self, area: Area, picture: &mut RgbaImage) {
        let (width, height) = (area.right - area.left, area.bottom - area.top);
        let mut behind = 0.0;
        for (side, length) in [width, height, width, height].into_iter().enumerate() {
            self.draw_side(area, side, (behind, length), picture);
            behind += length;
        }
    }

    /// One side of a box: upper, right, lower, left. Dashes that go around the corner fill it.
    fn draw_side(&self, area: Area, side: usize, (behind, length): (f32, f32), to: &mut RgbaImage) {
        let period = self.dash + self.gap;
        let mut start = (behind / period).floor() * period - behind;
        while start < length {
            let end = start + self.dash;
            if end > 0.0 {
                let from = start.max(0.0);
                let until = if end > length {
                    length + self.half
                } else {
                    end
                };
                fill(to, self.along(area, side, from, until), RED);
            }
            start += period;
        }
    }

    fn along(&self, area: Area, side: usize, from: f32, until: f32) -> Area {
        let Area {
            left,
            top,
            right,
            bottom,
        } = area;
        let half = self.half;
        let (left, right, top, bottom) = match side {
            0 => (left + from, left + until, top - half, top + half),
            1 => (right - half, right + half, top + from, top + until),
            2 => (right - until, right - from, bottom - half, bottom + half),
            _ => (left - half, left + half, bottom - until, bottom - from),
        };
        Area {
            left,
            top,
            right,
            bottom,
        }
    }

    /// A pill that stands on the box's upper left corner, or hangs from the picture's upper edge.
    pub(super) fn draw_label(&mut self, label: &str, area: Area, picture: &mut RgbaImage) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        let width = writer.width(label) + 2.0 * self.padding;
        let height = self.letters + 2.0 * self.padding;
        let (left, top) = (area.left, (area.top - height).max(0.0));
        let pill = Area {
            left,
            top,
            right: left + width,
            bottom: top + height,
        };
        self.write_label(label, pill, picture);
    }

    /// Width and height of a label.
    pub(super) fn label_size(&self, label: &str) -> (f32, f32) {
        let letters = self
            .writer
            .as_ref()
            .map_or(0.0, |writer| writer.width(label));
        let around = 2.0 * self.padding;
        (letters + around, self.letters + around)
    }

    /// A label that fills this place.
    pub(super) fn write_label(&mut self, label: &str, pill: Area, picture: &mut RgbaImage) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        fill_pill(picture, pill, self.padding, self.pill_alpha);
        // Labels are digits and letters without descenders: their middle is half a digit above the line.
        let baseline = pill.top + f32::midpoint(pill.bottom - pill.top, writer.digit_height);
        writer.write(label, (pill.left + self.padding, baseline), picture);
    }

    /// How far a label stands from what it names.
    pub(super) fn gap(&self) -> f32 {
        2.0 * self.half
    }
}

/// The pixels that `from..until` touches, inside a picture of this size.
fn touched(from: f32, until: f32, size: u32) -> std::ops::Range<u32> {
    let first = from.floor().clamp(0.0, size as f32);
    let last = until.ceil().clamp(0.0, size as f32);
    first as u32..last as u32
}

/// How much of the pixel `at` lies in `from..until`.
fn overlap(at: u32, from: f32, until: f32) -> f32 {
    let at = at as f32;
    (until.min(at + 1.0) - from.max(at)).clamp(0.0, 1.0)
}

fn fill(picture: &mut RgbaImage, area: Area, color: [u8; 3]) {
    let columns = touched(area.left, area.right, picture.width());
    for y in touched(area.top, area.bottom, picture.height()) {
        let down = overlap(y, area.top, area.bottom);
        for x in columns.clone() {
            let covered = down * overlap(x, area.left, area.right);
            blend(picture.get_pixel_mut(x, y), color, weight(covered));
        }
    }
}

/// Fills a rectangle with round corners.
fn fill_pill(picture: &mut RgbaImage, area: Area, radius: f32, alpha: f32) {
    let (width, height) = (area.right - area.left, area.bottom - area.top);
    let radius = radius.min(width / 2.0).min(height / 2.0);
    let columns = touched(area.left, area.right, picture.width());
    for y in touched(area.top, area.bottom, picture.height()) {
        let down = overlap(y, area.top, area.bottom);
        let above = beyond(y, area.top + radius, area.bottom - radius);
        for x in columns.clone() {
            let beside = beyond(x, area.left + radius, area.right - radius);
            let covered = if above > 0.0 && beside > 0.0 {
                (radius - beside.hypot(above) + 0.5).clamp(0.0, 1.0)
            } else {
                down * overlap(x, area.left, area.right)
            };
            blend(picture.get_pixel_mut(x, y), RED, weight(covered * alpha));
        }
    }
}

/// How far the pixel's middle lies outside of `from..until`.
fn beyond(at: u32, from: f32, until: f32) -> f32 {
    let middle = at as f32 + 0.5;
    (from - middle).max(middle - until).max(0.0)
}

/// A share from 0 to 1 in 256 parts.
fn weight(share: f32) -> u32 {
    (share * 256.0 + 0.5) as u32
}

/// Lays a colour over a pixel. In whole numbers: this is what drawing spends its time on.
fn blend(pixel: &mut image::Rgba<u8>, color: [u8; 3], weight: u32) {
    for (channel, color) in pixel.0.iter_mut().zip(color) {
        let mixed = u32::from(*channel) * (256 - weight) + u32::from(color) * weight;
        *channel = ((mixed + 128) >> 8) as u8;
    }
}

/// Writes short labels in one size.
struct Writer {
    font: FontRef<'static>,
    scale: PxScale,
    /// Height of the digit 0, in pixels.
    digit_height: f32,
    letters: HashMap<GlyphPosition, Letter>,
}

/// A letter, and the part of a pixel it begins in.
type GlyphPosition = (char, u8, u8);

/// How much of each pixel a letter covers, row by row, in 256 parts.
struct Letter {
    /// From the letter's whole pixel to the first pixel covered.
    corner: (i32, i32),
    width: u32,
    coverage: Vec<u32>,
}

impl Writer {
    fn new(size: f32) -> Option<Self> {
        let font = FontRef::try_from_slice(notosans::BOLD_TTF).ok()?;
        // The scale at which an em is `size` pixels.
        let em = font.units_per_em().unwrap_or(1000.0);
        let scale = PxScale::from(size * font.height_unscaled() / em);
        let digit = font.glyph_id('0').with_scale(scale);
        let digit_height = font
            .outline_glyph(digit)
            .map_or(size, |digit| digit.px_bounds().height());
        Some(Self {
            font,
            scale,
            digit_height,
            letters: HashMap::new(),
        })
    }

    fn advance(&self, letter: char) -> f32 {
        let scaled = self.font.as_scaled(self.scale);
        scaled.h_advance(self.font.glyph_id(letter))
    }

    fn width(&self, text: &str) -> f32 {
        text.chars().map(|letter| self.advance(letter)).sum()
    }

    /// Writes from `start`, the left end of the line that the letters stand on.
    fn write(&mut self, text: &str, (mut x, y): (f32, f32), picture: &mut RgbaImage) {
        for letter in text.chars() {
            let ((column, part_x), (row, part_y)) = (parted(x), parted(y));
            x += self.advance(letter);
            let (font, scale) = (&self.font, self.scale);
            let drawn = self
                .letters
                .entry((letter, part_x, part_y))
                .or_insert_with(|| rasterised(font, scale, (letter, part_x, part_y)));
            drawn.put(column, row, picture);
        }
    }
}

/// The whole pixel and the nearest part of it.
fn parted(at: f32) -> (i32, u8) {
    let parts = (at * PARTS).round();
    let whole = (parts / PARTS).floor();
    (whole as i32, (parts - whole * PARTS) as u8)
}

fn rasterised(
    font: &FontRef<'_>,
    scale: PxScale,
    (letter, part_x, part_y): (char, u8, u8),
) -> Letter {
    let place = point(f32::from(part_x) / PARTS, f32::from(part_y) / PARTS);
    let glyph = font.glyph_id(letter).with_scale_and_position(scale, place);
    let Some(outline) = font.outline_glyph(glyph) else {
        return Letter {
            corner: (0, 0),
            width: 1,
            coverage: Vec::new(),
        };
    };
    let bounds = outline.px_bounds();
    let (width, height) = (bounds.width() as u32, bounds.height() as u32);
    let mut coverage = vec![0; width as usize * height as usize];
    outline.draw(|x, y, covered| {
        if let Some(pixel) = coverage.get_mut(y as usize * width as usize + x as usize) {
            *pixel = weight(covered.clamp(0.0, 1.0));
        }
    });
    Letter {
        corner: (bounds.min.x as i32, bounds.min.y as i32),
        width: width.max(1),
        coverage,
    }
}

impl Letter {
    fn put(&self, column: i32, row: i32, picture: &mut RgbaImage) {
        let (left, top) = (column + self.corner.0, row + self.corner.1);
        let rows = self.coverage.chunks(self.width as usize);
        for (y, line) in (top..).zip(rows) {
            for (x, covered) in (left..).zip(line) {
                let inside = |at: i32, size: u32| u32::try_from(at).ok().filter(|at| *at < size);
                if let (Some(x), Some(y)) =
                    (inside(x, picture.width()), inside(y, picture.height()))
                    && *covered > 0
                {
                    blend(picture.get_pixel_mut(x, y), WHITE, *covered);
                }
            }
        }
    }
}

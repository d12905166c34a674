//! Draws boxes and labels. Everything drawn is a rectangle, a pill or a small letter, so coverage is computed
//! for each pixel and no path is ever filled. Letters are rasterised once for each position within a pixel.

use std::collections::HashMap;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::RgbaImage;

const RED: [u8; 3] = [255, 0, 0];
const WHITE: [u8; 3] = [255, 255, 255];
/// Smallest unit of a pen in pixels. A thinner line could not be seen, and the number of dashes would have no
/// limit.
const MIN_UNIT: f32 = 0.05;
/// Number of positions within a pixel at which a letter is cached, in each direction. Chosen: with quarters
/// no step is visible.
const PIXEL_PARTS: f32 = 4.0;

/// Rectangle in fractions of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// Line and letter sizes for one picture.
pub(super) struct Pen {
    /// Half of the line width.
    half: f32,
    dash: f32,
    gap: f32,
    pill_alpha: f32,
    padding: f32,
    letters: f32,
    writer: Option<Writer>,
}

impl Pen {
    /// Creates a pen. `unit` is the length in this picture of one pixel of a picture of the reference width.
    pub(super) fn new(unit: f32) -> Self {
        let unit = unit.max(MIN_UNIT);
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

    /// Draws a dashed outline in red. The dashes run clockwise from the upper left corner.
    pub(super) fn draw_box(&self, area: Area, picture: &mut RgbaImage) {
        let (width, height) = (area.right - area.left, area.bottom - area.top);
        let mut behind = 0.0;
        for (side, length) in [width, height, width, height].into_iter().enumerate() {
            self.draw_side(area, side, (behind, length), picture);
            behind += length;
        }
    }

    /// Draws one side of a box: 0 upper, 1 right, 2 lower, 3 left. `behind` is the length of the sides before
    /// it, so that dashes continue around the corners.
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

    /// Returns the area of a dash on a side, from and until a distance along it, clockwise.
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

    /// Draws a label with its lower left corner on the upper left corner of the box, or at the picture's
    /// upper edge where there is no room above. A label may reach beyond the right edge. Without a font
    /// nothing is drawn.
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

    /// Returns width and height of a label in pixels, with the space around its letters.
    pub(super) fn label_size(&self, label: &str) -> (f32, f32) {
        let letters = self
            .writer
            .as_ref()
            .map_or(0.0, |writer| writer.width(label));
        let around = 2.0 * self.padding;
        (letters + around, self.letters + around)
    }

    /// Draws a label that fills `pill`. Its letters begin at the left, and nothing is cut. Without a font
    /// nothing is drawn.
    pub(super) fn write_label(&mut self, label: &str, pill: Area, picture: &mut RgbaImage) {
        let Some(writer) = &mut self.writer else {
            return;
        };
        fill_pill(picture, pill, self.padding, self.pill_alpha);
        // Labels are digits and letters without descenders: their middle is half a digit above the line.
        let baseline = pill.top + f32::midpoint(pill.bottom - pill.top, writer.digit_height);
        writer.write(label, (pill.left + self.padding, baseline), picture);
    }

    /// Returns the distance between a label and its box.
    pub(super) fn gap(&self) -> f32 {
        2.0 * self.half
    }
}

/// Returns the pixels that `from..until` touches, within a picture of this size.
fn pixel_range(from: f32, until: f32, size: u32) -> std::ops::Range<u32> {
    let first = from.floor().clamp(0.0, size as f32);
    let last = until.ceil().clamp(0.0, size as f32);
    first as u32..last as u32
}

/// Returns the part of pixel `at` that lies in `from..until`, 0 to 1.
fn overlap(at: u32, from: f32, until: f32) -> f32 {
    let at = at as f32;
    (until.min(at + 1.0) - from.max(at)).clamp(0.0, 1.0)
}

/// Fills an area, pixels at its edges in part. Parts outside of the picture are left out.
fn fill(picture: &mut RgbaImage, area: Area, color: [u8; 3]) {
    let columns = pixel_range(area.left, area.right, picture.width());
    for y in pixel_range(area.top, area.bottom, picture.height()) {
        let down = overlap(y, area.top, area.bottom);
        for x in columns.clone() {
            let covered = down * overlap(x, area.left, area.right);
            blend(picture.get_pixel_mut(x, y), color, weight(covered));
        }
    }
}

/// Fills a rectangle with rounded corners in red. `alpha` is the opacity, 0 to 1. Parts outside of the
/// picture are left out.
fn fill_pill(picture: &mut RgbaImage, area: Area, radius: f32, alpha: f32) {
    let (width, height) = (area.right - area.left, area.bottom - area.top);
    let radius = radius.min(width / 2.0).min(height / 2.0);
    let columns = pixel_range(area.left, area.right, picture.width());
    for y in pixel_range(area.top, area.bottom, picture.height()) {
        let down = overlap(y, area.top, area.bottom);
        let above = distance_outside(y, area.top + radius, area.bottom - radius);
        for x in columns.clone() {
            let beside = distance_outside(x, area.left + radius, area.right - radius);
            let covered = if above > 0.0 && beside > 0.0 {
                (radius - beside.hypot(above) + 0.5).clamp(0.0, 1.0)
            } else {
                down * overlap(x, area.left, area.right)
            };
            blend(picture.get_pixel_mut(x, y), RED, weight(covered * alpha));
        }
    }
}

/// Returns the distance from the centre of pixel `at` to `from..until`, 0 inside.
fn distance_outside(at: u32, from: f32, until: f32) -> f32 {
    let middle = at as f32 + 0.5;
    (from - middle).max(middle - until).max(0.0)
}

/// Converts a share from 0 to 1 to a number of 256ths.
fn weight(share: f32) -> u32 {
    (share * 256.0 + 0.5) as u32
}

/// Blends a colour over a pixel; `weight` is in 256ths. It uses whole numbers, since most of the drawing's
/// time is spent here.
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

/// Letter with its horizontal and vertical position within a pixel, in [`PIXEL_PARTS`].
type GlyphPosition = (char, u8, u8);

/// Coverage of each pixel by a letter, row by row, in 256ths.
struct Letter {
    /// Offset from the pixel of the letter's origin to the first covered pixel.
    corner: (i32, i32),
    width: u32,
    coverage: Vec<u32>,
}

impl Writer {
    /// Makes a writer of bold letters of `size` pixels. Returns `None` if the font cannot be read.
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

    /// Writes a text in white whose baseline begins at the given point, to the right on one line. Letters
    /// outside of the picture are cut.
    fn write(&mut self, text: &str, (mut x, y): (f32, f32), picture: &mut RgbaImage) {
        for letter in text.chars() {
            let ((column, part_x), (row, part_y)) = (split_pixel(x), split_pixel(y));
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

/// Splits a coordinate into the whole pixel and the nearest of its [`PIXEL_PARTS`].
fn split_pixel(at: f32) -> (i32, u8) {
    let parts = (at * PIXEL_PARTS).round();
    let whole = (parts / PIXEL_PARTS).floor();
    (whole as i32, (parts - whole * PIXEL_PARTS) as u8)
}

/// Draws a letter at a fraction of a pixel, as coverage of pixels. One without an outline is empty.
fn rasterised(
    font: &FontRef<'_>,
    scale: PxScale,
    (letter, part_x, part_y): (char, u8, u8),
) -> Letter {
    let place = point(
        f32::from(part_x) / PIXEL_PARTS,
        f32::from(part_y) / PIXEL_PARTS,
    );
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
    /// Draws the letter in white at a pixel. Parts outside of the picture are left out.
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

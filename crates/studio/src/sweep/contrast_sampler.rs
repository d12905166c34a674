//! Estimates from a picture how well a text stands out, and whether it is cut off. The picture knows no text:
//! the most frequent colour of its area counts as background, other colours as text.

use image::RgbaImage;

use runner_screen::Rect;

/// Pixels sampled in one area, roughly. Chosen: enough for small letters, and quick on a full screen.
const MAX_SAMPLES: u64 = 60_000;

/// Share of the area that the background needs. With less there is a picture or a gradient behind the text.
/// Chosen: letters cover less than half of their area.
const MIN_BACKGROUND_SHARE: f64 = 0.5;

/// Contrast to the background below which a pixel is no text: noise, or a shade. Chosen: barely visible; with
/// much more, faint text would not be found.
const MIN_CONTRAST: f64 = 1.2;

/// Rank of the pixel whose contrast counts, among those of the text by contrast. Weaker pixels are the smooth
/// edges of letters. Chosen: with the strongest pixel, a single wrong one would decide.
const CORE_RANK: f64 = 0.95;

/// Pixels that a text has at least. Chosen: the dot of an `i` is smaller, a letter larger.
const MIN_FOREGROUND: usize = 12;

/// Share of an edge that letters cross. With more it is a line or another background, with less the end of a
/// letter.
const CROSSED_SHARE: std::ops::RangeInclusive<f64> = 0.04..=0.4;

/// Share of a row or column above which it is a line, such as an underline. Chosen: no row of letters is that
/// dense.
const MIN_LINE_SHARE: f64 = 0.8;

/// Text in an area of a picture.
pub(super) struct ContrastSampler<'a> {
    pixels: &'a RgbaImage,
    area: Rect,
    background: [u8; 3],
    /// Contrast of the text with its background, as WCAG 2.1 defines it.
    pub(super) contrast: f64,
}

impl<'a> ContrastSampler<'a> {
    /// Samples the part of an area, given in pixels of the picture, that is within the picture, at most about
    /// [`MAX_SAMPLES`] pixels. Returns `None` if no text is visible there: no uniform background, or fewer than
    /// [`MIN_FOREGROUND`] samples of text. Also `None` for an area outside the picture.
    pub(super) fn new(pixels: &'a RgbaImage, area: Rect) -> Option<Self> {
        let whole = Rect::new(0, 0, pixels.width() as i32, pixels.height() as i32);
        let area = area.intersection(&whole)?;
        let every = (area.area() / MAX_SAMPLES).isqrt().max(1) as usize;
        let mut observed: Vec<[u8; 3]> = Vec::new();
        for y in (area.top..area.bottom).step_by(every) {
            for x in (area.left..area.right).step_by(every) {
                observed.push(colour(pixels, x, y));
            }
        }
        let background = most_frequent(&observed)?;
        let of_background = observed
            .iter()
            .filter(|one| is_near(**one, background))
            .count();
        if (of_background as f64) < MIN_BACKGROUND_SHARE * observed.len() as f64 {
            return None;
        }
        let ratios = observed.iter().map(|one| contrast(*one, background));
        let mut ink: Vec<f64> = ratios.filter(|ratio| *ratio > MIN_CONTRAST).collect();
        if ink.len() < MIN_FOREGROUND {
            return None;
        }
        ink.sort_by(f64::total_cmp);
        let core = ((ink.len() - 1) as f64 * CORE_RANK) as usize;
        Some(Self {
            pixels,
            area,
            background,
            contrast: ink[core],
        })
    }

    /// Returns the edge of the area, as far as it is within the picture, that letters cross, `right` or `bottom`;
    /// `right` if both. Left and top do not count, as letters may begin there, nor do lines along an edge. `None`
    /// if no letter is cut.
    pub(super) fn crossed_edge(&self) -> Option<&'static str> {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let row = |y| share((left..right).map(|x| self.is_foreground(x, y)));
        let column = |x| share((top..bottom).map(|y| self.is_foreground(x, y)));
        // A stroke from one edge to the other is a line by design.
        let row_of_letters = |y| {
            share((left..right).map(|x| self.is_foreground(x, y) && column(x) < MIN_LINE_SHARE))
        };
        let column_of_letters =
            |x| share((top..bottom).map(|y| self.is_foreground(x, y) && row(y) < MIN_LINE_SHARE));
        // A cut letter continues inside. What is at the edge only is a line or a shade.
        let edges = [
            (
                "right",
                column_of_letters(right - 1),
                column_of_letters(right - 2),
            ),
            (
                "bottom",
                row_of_letters(bottom - 1),
                row_of_letters(bottom - 2),
            ),
        ];
        edges
            .into_iter()
            .find(|(_, edge, beside)| {
                CROSSED_SHARE.contains(edge) && CROSSED_SHARE.contains(beside)
            })
            .map(|(name, ..)| name)
    }

    /// Returns the height of the highest line of text, in pixels: rows in a row that have a pixel of text. Lines
    /// without a gap between them count as one. Returns 0 if no pixel stands out.
    pub(super) fn line_height(&self) -> u32 {
        let Rect {
            left,
            top,
            right,
            bottom,
        } = self.area;
        let (mut highest, mut now) = (0, 0);
        for y in top..bottom {
            now = if (left..right).any(|x| self.is_foreground(x, y)) {
                now + 1
            } else {
                0
            };
            highest = highest.max(now);
        }
        highest
    }

    /// Returns true if the pixel lies in the area and its contrast with the background is above 1.5. A place
    /// outside is false.
    fn is_foreground(&self, x: i32, y: i32) -> bool {
        let inside = self.area.left <= x && x < self.area.right;
        inside
            && self.area.top <= y
            && y < self.area.bottom
            && contrast(colour(self.pixels, x, y), self.background) > 1.5
    }
}

/// Returns the part that is true, from 0 to 1; 0 if there is nothing.
fn share(all: impl Iterator<Item = bool>) -> f64 {
    let (mut ink, mut count) = (0_u32, 0_u32);
    for is_ink in all {
        count += 1;
        ink += u32::from(is_ink);
    }
    f64::from(ink) / f64::from(count.max(1))
}

fn colour(pixels: &RgbaImage, x: i32, y: i32) -> [u8; 3] {
    let [red, green, blue, _] = pixels.get_pixel(x as u32, y as u32).0;
    [red, green, blue]
}

/// Returns the most frequent colour, of equally frequent ones the highest by red, green, blue; `None` if there is
/// none.
fn most_frequent(observed: &[[u8; 3]]) -> Option<[u8; 3]> {
    let mut counts = std::collections::HashMap::new();
    for one in observed {
        *counts.entry(*one).or_insert(0_usize) += 1;
    }
    let most = counts.into_iter().max_by_key(|(one, count)| (*count, *one));
    most.map(|(one, _)| one)
}

fn is_near(one: [u8; 3], other: [u8; 3]) -> bool {
    let pairs = one.into_iter().zip(other);
    pairs.into_iter().all(|(a, b)| a.abs_diff(b) <= 12)
}

/// Returns the contrast ratio of WCAG 2.1, from 1 to 21.
pub(super) fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (a, b) = (luminance(one), luminance(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Returns the relative luminance of WCAG 2.1, from 0 for black to 1 for white.
fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|channel| {
        let part = f64::from(channel) / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(ink: [u8; 3], area: Rect) -> RgbaImage {
        let white = image::Rgba([255, 255, 255, 255]);
        let mut pixels = RgbaImage::from_pixel(100, 40, white);
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                let [red, green, blue] = ink;
                pixels.put_pixel(x as u32, y as u32, image::Rgba([red, green, blue, 255]));
            }
        }
        pixels
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        for (one, other, ratio) in [
            ([0, 0, 0], [255, 255, 255], 21.0),
            ([255, 255, 255], [255, 255, 255], 1.0),
            // Known from the examples of WCAG's own tools: the first grey that passes on white, and one that does not.
            ([118, 118, 118], [255, 255, 255], 4.54),
            ([119, 119, 119], [255, 255, 255], 4.48),
        ] {
            let found = contrast(one, other);
            assert!((found - ratio).abs() < 0.01, "{found} instead of {ratio}");
        }
    }

    #[test]
    fn letters_stand_on_a_background() {
        let whole = Rect::new(0, 0, 100, 40);
        let letters = Rect::new(20, 10, 50, 30);
        let grey = drawn([170, 170, 170], letters);
        let ink = ContrastSampler::new(&grey, whole).unwrap();
        assert!((ink.contrast - 2.32).abs() < 0.01, "{}", ink.contrast);
        assert_eq!(ink.line_height(), 20);
        assert_eq!(ink.crossed_edge(), None);
        assert!(
            ContrastSampler::new(&drawn([255, 255, 255], letters), whole).is_none(),
            "nothing there"
        );
        assert!(
            ContrastSampler::new(&grey, Rect::new(200, 0, 300, 9)).is_none(),
            "elsewhere"
        );
    }

    #[test]
    fn cut_letters_cross_an_edge_and_lines_do_not() {
        let whole = Rect::new(0, 0, 100, 40);
        for (letters, edge) in [
            (Rect::new(60, 10, 100, 22), Some("right")),
            (Rect::new(20, 20, 50, 40), Some("bottom")),
            (Rect::new(10, 10, 90, 30), None),
            (Rect::new(0, 10, 60, 22), None),
            // An underline, and a bar at the side.
            (Rect::new(0, 36, 100, 40), None),
            (Rect::new(96, 0, 100, 40), None),
        ] {
            let pixels = drawn([0, 0, 0], letters);
            let ink = ContrastSampler::new(&pixels, whole).unwrap();
            assert_eq!(ink.crossed_edge(), edge, "{letters:?}");
        }
    }
}

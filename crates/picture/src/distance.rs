//! Measures how different two pixels look, and detects pixels that differ only by the anti-aliasing of an
//! edge.
//!
//! The distance is measured in YIQ (Kotsarenko, Ramos: "Measuring perceived color difference using YIQ NTSC
//! transmission color space", 2010). The test for anti-aliasing is that of pixelmatch (Vyšniauskas, 2009).

use std::ops::Range;

/// Largest possible [`distance`]: that of black and white. The value follows from the formula of the 2010
/// paper, and is pixelmatch's.
const MAX_DISTANCE: f32 = 35215.0;

/// Largest distance at which two colours count as the same: 0.1 of the maximum, squared because distances are
/// squares. 0.1 is the default threshold of pixelmatch.
pub(super) const VISIBLE: f32 = MAX_DISTANCE * 0.1 * 0.1;

/// Largest distance that counts as noise. A greater one is too regular to be noise where it forms a line. It
/// is 0.02 of the maximum, squared. Chosen: with half of it noise of a few levels would count, with twice of
/// it a faint divider would be missed.
pub(super) const FAINT: f32 = MAX_DISTANCE * 0.02 * 0.02;

/// Pixels of one picture: RGBA, row by row.
#[derive(Clone, Copy)]
pub(super) struct Pixels<'a> {
    pub width: u32,
    pub height: u32,
    pub data: &'a [[u8; 4]],
}

impl<'a> Pixels<'a> {
    /// Returns a view of the image's pixels; nothing is copied.
    pub(super) fn from_image(image: &'a image::RgbaImage) -> Self {
        Self {
            width: image.width(),
            height: image.height(),
            data: image.as_raw().as_chunks().0,
        }
    }

    /// Returns the pixels of row `y` in these columns. Panics outside of the picture.
    pub(super) fn span(&self, y: u32, columns: &Range<u32>) -> &'a [[u8; 4]] {
        let row = y as usize * self.width as usize;
        &self.data[row + columns.start as usize..row + columns.end as usize]
    }

    pub(super) fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.data[y as usize * self.width as usize + x as usize]
    }
}

/// Blends the colour over white, since transparent pixels are compared as if drawn on a white page.
#[inline]
fn over_white(pixel: [u8; 4]) -> [f32; 3] {
    let [red, green, blue, alpha] = pixel;
    if alpha == 255 {
        return [f32::from(red), f32::from(green), f32::from(blue)];
    }
    let alpha = f32::from(alpha) / 255.0;
    [red, green, blue].map(|channel| 255.0 + (f32::from(channel) - 255.0) * alpha)
}

/// Returns the squared perceived distance of two pixels, from 0 to 35215.
#[inline]
pub(super) fn distance(a: [u8; 4], b: [u8; 4]) -> f32 {
    let (a, b) = (over_white(a), over_white(b));
    distance_of_channels([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}

/// Returns true if the eye cannot tell the two colours apart. Transparent ones are seen on white.
pub fn looks_alike(a: [u8; 4], b: [u8; 4]) -> bool {
    a == b || distance(a, b) <= VISIBLE
}

/// Returns the squared distance, in YIQ, of a difference of colours.
#[inline]
fn distance_of_channels([red, green, blue]: [f32; 3]) -> f32 {
    let luma = red * 0.298_895_3 + green * 0.586_622_5 + blue * 0.114_482_23;
    let in_phase = red * 0.595_978 - green * 0.274_171_6 - blue * 0.321_801_9;
    let quadrature = red * 0.211_470_17 - green * 0.522_617_1 + blue * 0.311_146_94;
    0.5053 * luma * luma + 0.299 * in_phase * in_phase + 0.1957 * quadrature * quadrature
}

/// Writes the [`distance`] of each pair of pixels to `distances`, replacing its contents. Both slices should
/// have the same length; the rest of a longer one is ignored. Opaque pixels take a path that the compiler
/// vectorizes.
pub(super) fn write_distances(one: &[[u8; 4]], other: &[[u8; 4]], distances: &mut Vec<f32>) {
    let is_opaque =
        |pixels: &[[u8; 4]]| pixels.iter().fold(255, |all, pixel| all & pixel[3]) == 255;
    let pairs = one.iter().zip(other);
    distances.clear();
    if is_opaque(one) && is_opaque(other) {
        distances.extend(pairs.map(|(a, b)| {
            let difference = |at: usize| f32::from(i16::from(a[at]) - i16::from(b[at]));
            distance_of_channels([difference(0), difference(1), difference(2)])
        }));
    } else {
        distances.extend(pairs.map(|(a, b)| distance(*a, *b)));
    }
}

#[inline]
fn brightness(pixel: [u8; 4]) -> f32 {
    let [red, green, blue] = over_white(pixel);
    red * 0.298_895_3 + green * 0.586_622_5 + blue * 0.114_482_23
}

/// Largest change of a pixel by other anti-aliasing, as a part of the contrast around it. Chosen: an edge that
/// moves by a whole pixel changes some pixels by all of it.
const MAX_SMOOTHING: f32 = 0.6;

/// The same limit where strokes lie so close that there is no even area beside the edge. Chosen: an edge that
/// moves by a quarter of a pixel, the smallest step by which texts are moved, changes a pixel by about this part.
const MAX_SMOOTHING_AMONG_STROKES: f32 = 0.35;

/// Returns true if a visible difference at this pixel is only the anti-aliasing of an edge. `change` is its
/// [`distance`]; more than [`MAX_SMOOTHING`] of the contrast around it never is. Up to [`MAX_SMOOTHING_AMONG_STROKES`]
/// it is enough that the pixel lies between its neighbours in one of the pictures. A larger one must also smooth the
/// edge of an even area there.
pub(super) fn is_smoothing(
    golden: Pixels<'_>,
    actual: Pixels<'_>,
    (x, y): (u32, u32),
    change: f32,
) -> bool {
    // Distances are squares. No contrast is greater than black on white, and most changes of a text exceed
    // this limit.
    if change > MAX_SMOOTHING * MAX_SMOOTHING * MAX_DISTANCE {
        return false;
    }
    let (before, after) = (Neighbours::new(golden, x, y), Neighbours::new(actual, x, y));
    let contrast = before.contrast(golden).max(after.contrast(actual));
    if change > MAX_SMOOTHING * MAX_SMOOTHING * contrast {
        return false;
    }
    let is_small = change <= MAX_SMOOTHING_AMONG_STROKES * MAX_SMOOTHING_AMONG_STROKES * contrast;
    (is_small && (before.lies_between() || after.lies_between()))
        || before.smooths_beside(golden, actual)
        || after.smooths_beside(actual, golden)
}

/// Brightness of a pixel and of its up to eight neighbours.
struct Neighbours {
    here: f32,
    /// Brightness and place of the darkest of them all.
    darkest: (f32, (u32, u32)),
    brightest: (f32, (u32, u32)),
    /// Number of neighbours of the same brightness; the border of the picture counts as one.
    equal: u32,
}

impl Neighbours {
    /// Measures the brightness of the pixel and its up to 8 neighbours. The pixel itself can be the darkest or
    /// brightest; of equal ones the first stays. At the edge of the image, the missing neighbours count as one of equal
    /// brightness.
    fn new(image: Pixels<'_>, x: u32, y: u32) -> Self {
        let here = brightness(image.at(x, y));
        let mut around = Self {
            here,
            darkest: (here, (x, y)),
            brightest: (here, (x, y)),
            // Starts at -1, because the loop also counts the pixel itself.
            equal: u32::from(at_edge(image, x, y)).wrapping_sub(1),
        };
        let columns = x.saturating_sub(1)..(x + 2).min(image.width);
        for row in y.saturating_sub(1)..(y + 2).min(image.height) {
            for (column, pixel) in columns.clone().zip(image.span(row, &columns)) {
                let there = brightness(*pixel);
                if there < around.darkest.0 {
                    around.darkest = (there, (column, row));
                } else if there > around.brightest.0 {
                    around.brightest = (there, (column, row));
                }
                around.equal = around
                    .equal
                    .wrapping_add(u32::from(there.total_cmp(&here).is_eq()));
            }
        }
        around
    }

    /// Returns the [`distance`] of the darkest and the brightest pixel.
    fn contrast(&self, image: Pixels<'_>) -> f32 {
        let at = |(_, (x, y)): (f32, (u32, u32))| image.at(x, y);
        distance(at(self.darkest), at(self.brightest))
    }

    /// Returns true if there is a darker and a brighter neighbour, and at most two are equal.
    fn lies_between(&self) -> bool {
        self.equal <= 2 && self.darkest.0 < self.here && self.brightest.0 > self.here
    }

    /// Returns true if the darkest or the brightest neighbour lies in an even area in both pictures. Then the
    /// pixel belongs to the anti-aliased edge of that area.
    fn smooths_beside(&self, image: Pixels<'_>, other: Pixels<'_>) -> bool {
        self.lies_between()
            && [self.darkest.1, self.brightest.1]
                .into_iter()
                .any(|(x, y)| is_in_even_area(image, x, y) && is_in_even_area(other, x, y))
    }
}

/// Returns true if a line through the pixel along (1, 0) or (0, 1) runs on an edge that both pictures have:
/// its two sides differ visibly, the pixel lies between them, and all three stayed much as they were. A pixel
/// at the picture's border is on none.
pub(super) fn is_edge(
    golden: Pixels<'_>,
    actual: Pixels<'_>,
    (x, y): (u32, u32),
    along: (u32, u32),
) -> bool {
    let (across_x, across_y) = (along.1, along.0);
    if x < across_x || y < across_y || x + across_x >= golden.width || y + across_y >= golden.height
    {
        return false;
    }
    // One side, the other, and the pixel between them.
    let across = |image: Pixels<'_>| {
        let one = image.at(x - across_x, y - across_y);
        let other = image.at(x + across_x, y + across_y);
        let [one_light, other_light, here] = [one, other, image.at(x, y)].map(brightness);
        let range = one_light.min(other_light)..=one_light.max(other_light);
        let is_edge = distance(one, other) > VISIBLE && range.contains(&here);
        is_edge.then_some([one_light, other_light, here])
    };
    let (Some(before), Some(after)) = (across(golden), across(actual)) else {
        return false;
    };
    let contrast = |[one, other, _]: [f32; 3]| (one - other).abs();
    let max = MAX_SMOOTHING_AMONG_STROKES * contrast(before).min(contrast(after));
    before
        .iter()
        .zip(after)
        .all(|(before, after)| (before - after).abs() <= max)
}

/// Returns true if at least three neighbours have exactly the colour of the pixel, or two at the picture's
/// border.
fn is_in_even_area(image: Pixels<'_>, x: u32, y: u32) -> bool {
    let here = image.at(x, y);
    let columns = x.saturating_sub(1)..(x + 2).min(image.width);
    let equal: usize = (y.saturating_sub(1)..(y + 2).min(image.height))
        .map(|row| image.span(row, &columns))
        .map(|pixels| pixels.iter().filter(|pixel| **pixel == here).count())
        .sum();
    // The pixel itself is counted too.
    equal + usize::from(at_edge(image, x, y)) > 3
}

fn at_edge(image: Pixels<'_>, x: u32, y: u32) -> bool {
    x == 0 || y == 0 || x + 1 == image.width || y + 1 == image.height
}

/// Returns the range from the first to the last pixel that differs, or `None` where all are equal. Pixels
/// that only one side has do not count.
pub(super) fn differing(one: &[[u8; 4]], other: &[[u8; 4]]) -> Option<Range<u32>> {
    if one == other {
        return None;
    }
    let pixels = || one.iter().zip(other);
    let first = pixels().position(|(a, b)| a != b)?;
    let last = pixels().rposition(|(a, b)| a != b)?;
    Some(first as u32..last as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let white = [255; 4];
        assert!((distance([0, 0, 0, 255], white) - 32_857.0).abs() < 100.0);
        assert!(distance([224, 224, 224, 255], white) > VISIBLE);
        assert!(distance([250, 250, 250, 255], white) < VISIBLE);
        assert!(distance([245, 245, 245, 255], white) > FAINT);
        assert!(distance([253, 253, 253, 255], white) < FAINT);
        assert!(
            distance([7, 8, 9, 0], white) < 0.001,
            "transparent over white is white"
        );
        assert!(
            (distance([9, 80, 3, 255], [4, 1, 77, 255])
                - distance([4, 1, 77, 255], [9, 80, 3, 255]))
            .abs()
                < 0.01
        );
    }
}

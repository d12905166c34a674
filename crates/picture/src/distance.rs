//! How far two pixels are apart for the eye, and whether a pixel is only the smoothing of an edge.
//!
//! The distance is measured in YIQ (Kotsarenko, Ramos: "Measuring perceived color difference using YIQ NTSC transmission
//! color space", 2010); the test for smoothing is that of pixelmatch (Vyšniauskas, 2009).

/// Greatest possible [`distance`], of black and white.
const GREATEST: f32 = 35215.0;

/// Up to here two colours count as the same (0.1 of the greatest, squared).
pub(super) const VISIBLE: f32 = GREATEST * 0.1 * 0.1;

/// From here on a difference is too regular to be noise where it forms a line (0.02 of the greatest, squared).
pub(super) const FAINT: f32 = GREATEST * 0.02 * 0.02;

/// Pixels of one picture: RGBA, row by row.
#[derive(Clone, Copy)]
pub(super) struct Pixels<'a> {
    pub width: u32,
    pub height: u32,
    pub data: &'a [[u8; 4]],
}

impl<'a> Pixels<'a> {
    pub(super) fn of(image: &'a image::RgbaImage) -> Self {
        Self {
            width: image.width(),
            height: image.height(),
            data: image.as_raw().as_chunks().0,
        }
    }

    /// A row's pixels between two columns.
    pub(super) fn span(&self, y: u32, columns: &std::ops::Range<u32>) -> &'a [[u8; 4]] {
        let row = y as usize * self.width as usize;
        &self.data[row + columns.start as usize..row + columns.end as usize]
    }

    pub(super) fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.data[y as usize * self.width as usize + x as usize]
    }
}

/// Colour over white, as differences are seen.
#[inline]
fn over_white(pixel: [u8; 4]) -> [f32; 3] {
    let [red, green, blue, alpha] = pixel;
    if alpha == 255 {
        return [f32::from(red), f32::from(green), f32::from(blue)];
    }
    let alpha = f32::from(alpha) / 255.0;
    [red, green, blue].map(|channel| 255.0 + (f32::from(channel) - 255.0) * alpha)
}

/// Squared distance of two pixels, from 0 to 35215.
#[inline]
pub(super) fn distance(a: [u8; 4], b: [u8; 4]) -> f32 {
    let (a, b) = (over_white(a), over_white(b));
    of_difference([a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}

/// Whether the eye takes them for the same.
pub fn looks_alike(a: [u8; 4], b: [u8; 4]) -> bool {
    a == b || distance(a, b) <= VISIBLE
}

#[inline]
fn of_difference([red, green, blue]: [f32; 3]) -> f32 {
    let luma = red * 0.298_895_3 + green * 0.586_622_5 + blue * 0.114_482_23;
    let in_phase = red * 0.595_978 - green * 0.274_171_6 - blue * 0.321_801_9;
    let quadrature = red * 0.211_470_17 - green * 0.522_617_1 + blue * 0.311_146_94;
    0.5053 * luma * luma + 0.299 * in_phase * in_phase + 0.1957 * quadrature * quadrature
}

/// The [`distance`] of each pair of pixels. Opaque pixels are quick, several at a time.
pub(super) fn distances_of(one: &[[u8; 4]], other: &[[u8; 4]], distances: &mut Vec<f32>) {
    let is_opaque =
        |pixels: &[[u8; 4]]| pixels.iter().fold(255, |all, pixel| all & pixel[3]) == 255;
    let pairs = one.iter().zip(other);
    distances.clear();
    if is_opaque(one) && is_opaque(other) {
        distances.extend(pairs.map(|(a, b)| {
            let difference = |at: usize| f32::from(i16::from(a[at]) - i16::from(b[at]));
            of_difference([difference(0), difference(1), difference(2)])
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

/// Smoothing that comes out otherwise changes a pixel by up to this part of the contrast around it; an edge that moves by
/// a whole pixel changes some by all of it.
const SMOOTHED: f32 = 0.6;

/// Where strokes lie so close that there is no even area beside the edge, by up to this part. So much does an edge that
/// moves by a quarter of a pixel, the least by which texts are moved.
const SMOOTHED_AMONG_STROKES: f32 = 0.35;

/// Whether a visible difference of the pixel, this [`distance`], is nothing but the smoothing of an edge.
pub(super) fn is_smoothing(
    golden: Pixels<'_>,
    actual: Pixels<'_>,
    (x, y): (u32, u32),
    change: f32,
) -> bool {
    // Distances are squares. No contrast is greater than that of black and white, and most changes of a text exceed this.
    if change > SMOOTHED * SMOOTHED * GREATEST {
        return false;
    }
    let (before, after) = (Neighbours::of(golden, x, y), Neighbours::of(actual, x, y));
    let contrast = before.contrast(golden).max(after.contrast(actual));
    if change > SMOOTHED * SMOOTHED * contrast {
        return false;
    }
    let is_small = change <= SMOOTHED_AMONG_STROKES * SMOOTHED_AMONG_STROKES * contrast;
    (is_small && (before.lies_between() || after.lies_between()))
        || before.smooths_beside(golden, actual)
        || after.smooths_beside(actual, golden)
}

/// A pixel and its neighbours.
struct Neighbours {
    here: f32,
    /// The darkest and the brightest of them all, with their places.
    darkest: (f32, (u32, u32)),
    brightest: (f32, (u32, u32)),
    /// How many neighbours are as bright; the border of the picture counts as one.
    equal: u32,
}

impl Neighbours {
    fn of(image: Pixels<'_>, x: u32, y: u32) -> Self {
        let here = brightness(image.at(x, y));
        let mut around = Self {
            here,
            darkest: (here, (x, y)),
            brightest: (here, (x, y)),
            // The pixel itself, which the loop meets too, is not counted.
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

    /// The [`distance`] of the darkest and the brightest.
    fn contrast(&self, image: Pixels<'_>) -> f32 {
        let at = |(_, (x, y)): (f32, (u32, u32))| image.at(x, y);
        distance(at(self.darkest), at(self.brightest))
    }

    /// Whether there is a darker and a brighter neighbour.
    fn lies_between(&self) -> bool {
        self.equal <= 2 && self.darkest.0 < self.here && self.brightest.0 > self.here
    }

    /// Whether one of these two at least lies in an even area in both pictures.
    fn smooths_beside(&self, image: Pixels<'_>, other: Pixels<'_>) -> bool {
        self.lies_between()
            && [self.darkest.1, self.brightest.1]
                .into_iter()
                .any(|(x, y)| lies_even(image, x, y) && lies_even(other, x, y))
    }
}

/// Whether a line through the pixel, along (1, 0) or (0, 1), runs on an edge that both pictures have: what lies on its two
/// sides differs visibly, the pixel is between them, and all three stayed much as they were.
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
    let most = SMOOTHED_AMONG_STROKES * contrast(before).min(contrast(after));
    before
        .iter()
        .zip(after)
        .all(|(before, after)| (before - after).abs() <= most)
}

/// Whether at least three neighbours are the same as the pixel.
fn lies_even(image: Pixels<'_>, x: u32, y: u32) -> bool {
    let here = image.at(x, y);
    let columns = x.saturating_sub(1)..(x + 2).min(image.width);
    let equal: usize = (y.saturating_sub(1)..(y + 2).min(image.height))
        .map(|row| image.span(row, &columns))
        .map(|pixels| pixels.iter().filter(|pixel| **pixel == here).count())
        .sum();
    // The pixel itself is among them.
    equal + usize::from(at_edge(image, x, y)) > 3
}

fn at_edge(image: Pixels<'_>, x: u32, y: u32) -> bool {
    x == 0 || y == 0 || x + 1 == image.width || y + 1 == image.height
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

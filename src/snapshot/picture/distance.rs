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
    pub data: &'a [u8],
}

impl<'a> Pixels<'a> {
    pub(super) fn of(image: &'a image::RgbaImage) -> Self {
        Self {
            width: image.width(),
            height: image.height(),
            data: image.as_raw(),
        }
    }

    /// A row's bytes between two columns.
    pub(super) fn span(&self, y: u32, columns: &std::ops::Range<u32>) -> &'a [u8] {
        let row = y as usize * self.width as usize;
        &self.data[(row + columns.start as usize) * 4..(row + columns.end as usize) * 4]
    }

    pub(super) fn at(&self, x: u32, y: u32) -> [u8; 4] {
        let at = (y as usize * self.width as usize + x as usize) * 4;
        [
            self.data[at],
            self.data[at + 1],
            self.data[at + 2],
            self.data[at + 3],
        ]
    }
}

/// Colour over white, as differences are seen.
fn over_white(pixel: [u8; 4]) -> [f32; 3] {
    let [red, green, blue, alpha] = pixel;
    if alpha == 255 {
        return [f32::from(red), f32::from(green), f32::from(blue)];
    }
    let alpha = f32::from(alpha) / 255.0;
    [red, green, blue].map(|channel| 255.0 + (f32::from(channel) - 255.0) * alpha)
}

/// Squared distance of two pixels, from 0 to 35215.
pub(super) fn distance(a: [u8; 4], b: [u8; 4]) -> f32 {
    if a == b {
        return 0.0;
    }
    let (a, b) = (over_white(a), over_white(b));
    let (red, green, blue) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    let luma = red * 0.298_895_3 + green * 0.586_622_5 + blue * 0.114_482_23;
    let in_phase = red * 0.595_978 - green * 0.274_171_6 - blue * 0.321_801_9;
    let quadrature = red * 0.211_470_17 - green * 0.522_617_1 + blue * 0.311_146_94;
    0.5053 * luma * luma + 0.299 * in_phase * in_phase + 0.1957 * quadrature * quadrature
}

fn brightness(pixel: [u8; 4]) -> f32 {
    let [red, green, blue] = over_white(pixel);
    red * 0.298_895_3 + green * 0.586_622_5 + blue * 0.114_482_23
}

/// Whether the pixel smooths an edge of `image`: between a darker and a brighter neighbour, at least one of which lies in
/// an even area in both pictures.
pub(super) fn is_smoothing(image: Pixels<'_>, other: Pixels<'_>, x: u32, y: u32) -> bool {
    let here = brightness(image.at(x, y));
    let (mut equal, mut darkest, mut brightest) = (
        u32::from(at_edge(image, x, y)),
        (0.0, (0, 0)),
        (0.0, (0, 0)),
    );
    for (nx, ny) in neighbours(image, x, y) {
        let delta = brightness(image.at(nx, ny)) - here;
        if delta == 0.0 {
            equal += 1;
            if equal > 2 {
                return false;
            }
        } else if delta < darkest.0 {
            darkest = (delta, (nx, ny));
        } else if delta > brightest.0 {
            brightest = (delta, (nx, ny));
        }
    }
    if darkest.0 == 0.0 || brightest.0 == 0.0 {
        return false;
    }
    [darkest.1, brightest.1]
        .into_iter()
        .any(|(x, y)| lies_even(image, x, y) && lies_even(other, x, y))
}

/// Whether at least three neighbours are the same as the pixel.
fn lies_even(image: Pixels<'_>, x: u32, y: u32) -> bool {
    let here = image.at(x, y);
    let equal = neighbours(image, x, y)
        .filter(|&(x, y)| image.at(x, y) == here)
        .count();
    equal + usize::from(at_edge(image, x, y)) > 2
}

fn at_edge(image: Pixels<'_>, x: u32, y: u32) -> bool {
    x == 0 || y == 0 || x + 1 == image.width || y + 1 == image.height
}

fn neighbours(image: Pixels<'_>, x: u32, y: u32) -> impl Iterator<Item = (u32, u32)> {
    let columns = x.saturating_sub(1)..(x + 2).min(image.width);
    let rows = y.saturating_sub(1)..(y + 2).min(image.height);
    rows.flat_map(move |ny| columns.clone().map(move |nx| (nx, ny)))
        .filter(move |&at| at != (x, y))
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

//! Draws pictures for people: the difference of two screenshots, and the masked areas.

use image::{Rgba, RgbaImage};

use super::distance::{Pixels, VISIBLE, distance, is_smoothing};
use super::mask::PixelMask;
use crate::Rect;

const CHANGED: Rgba<u8> = Rgba([255, 0, 0, 255]);
const SMOOTHED: Rgba<u8> = Rgba([255, 196, 0, 255]);
const MOVED: Rgba<u8> = Rgba([40, 110, 255, 255]);
const STRIPES: [Rgba<u8>; 2] = [Rgba([120, 80, 200, 255]), Rgba([200, 180, 240, 255])];

/// Draws the difference of two pictures. Changed pixels are red, anti-aliased edges yellow, masks striped, and all else
/// is the new picture in a faint grey: pale for a light screen, dark for a dark one.
///
/// Inside of `moved` every difference is blue, since the content stood elsewhere before. Inside of `changed`
/// (rectangles of clusters) every other difference is red, however faint. Pictures of different sizes are compared as
/// far as both reach, without masks and `moved`; the rest, up to the larger width and height, is red.
pub fn difference(
    golden: &RgbaImage,
    actual: &RgbaImage,
    mask: &PixelMask,
    changed: &[Rect],
    moved: &[Rect],
) -> RgbaImage {
    let stayed = PixelMask::new(actual.width(), actual.height(), moved);
    let size = (
        golden.width().max(actual.width()),
        golden.height().max(actual.height()),
    );
    let same_size = golden.dimensions() == actual.dimensions();
    let (before, after) = (Pixels::from_image(golden), Pixels::from_image(actual));
    let faint = if is_dark(actual) { dim } else { pale };
    RgbaImage::from_fn(size.0, size.1, |x, y| {
        let (Some(old), Some(new)) = (
            golden.get_pixel_checked(x, y),
            actual.get_pixel_checked(x, y),
        ) else {
            return CHANGED;
        };
        if same_size && !mask.is_open(x, y) {
            return stripe(x, y);
        }
        if old == new {
            return faint(*new);
        }
        if same_size && !stayed.is_open(x, y) {
            return MOVED;
        }
        let change = distance(old.0, new.0);
        if change > VISIBLE {
            let smoothing = same_size && is_smoothing(before, after, (x, y), change);
            return if smoothing && !inside(changed, x, y) {
                SMOOTHED
            } else {
                CHANGED
            };
        }
        if inside(changed, x, y) {
            CHANGED
        } else {
            faint(*new)
        }
    })
}

/// Returns true if the pixel lies in any of the rectangles.
fn inside(rects: &[Rect], x: u32, y: u32) -> bool {
    let point = crate::Point {
        x: x as i32,
        y: y as i32,
    };
    rects.iter().any(|rect| rect.contains(point))
}

/// Number of pixels, about, that are sampled to detect a dark screen. Chosen: a grid of 64 × 64 sees every
/// bar and card.
const SAMPLES: usize = 4096;

/// Returns true if more than half of a sample of the picture is dark. A pale grey would glare there.
fn is_dark(picture: &RgbaImage) -> bool {
    let every = (picture.as_raw().len() / 4 / SAMPLES).max(1);
    let samples = picture.pixels().step_by(every);
    let (dark, all) = samples.fold((0, 0), |(dark, all), pixel| {
        (dark + usize::from(grey(*pixel) < 96), all + 1)
    });
    dark * 2 > all
}

fn grey(pixel: Rgba<u8>) -> u32 {
    let [red, green, blue, _] = pixel.0.map(u32::from);
    (red * 299 + green * 587 + blue * 114) / 1000
}

fn dim(pixel: Rgba<u8>) -> Rgba<u8> {
    let dim = (grey(pixel) * 2 / 5) as u8;
    Rgba([dim, dim, dim, 255])
}

fn pale(pixel: Rgba<u8>) -> Rgba<u8> {
    let grey = grey(pixel);
    let pale = (255 - (255 - grey) / 4) as u8;
    Rgba([pale, pale, pale, 255])
}

fn stripe(x: u32, y: u32) -> Rgba<u8> {
    STRIPES[((x + y) / 12 % 2) as usize]
}

/// Returns a copy of `image` with stripes where the mask leaves pixels out. Outside of the mask's picture all
/// is striped.
pub fn paint_masks(image: &RgbaImage, mask: &PixelMask) -> RgbaImage {
    let mut painted = image.clone();
    for (x, y, pixel) in painted.enumerate_pixels_mut() {
        if !mask.is_open(x, y) {
            *pixel = stripe(x, y);
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    // The difference of a dark screen was once a bright slab.
    #[test]
    fn what_stayed_of_a_dark_screen_stays_dark() {
        let golden = RgbaImage::from_fn(40, 40, |x, y| {
            let light = x == 3 && y == 3;
            Rgba(if light { [255; 4] } else { [24, 26, 31, 255] })
        });
        let mut actual = golden.clone();
        actual.put_pixel(20, 20, Rgba([255; 4]));
        let mask = PixelMask::new(40, 40, &[]);
        let drawn = difference(&golden, &actual, &mask, &[Rect::new(20, 20, 21, 21)], &[]);
        assert!(
            drawn.get_pixel(0, 0).0[0] < 40,
            "{:?}",
            drawn.get_pixel(0, 0)
        );
        let letter = drawn.get_pixel(3, 3).0[0];
        assert!(
            (80..160).contains(&letter),
            "faint, and to be seen: {letter}"
        );
        assert_eq!(*drawn.get_pixel(20, 20), CHANGED);
    }

    #[test]
    fn each_kind_of_pixel_has_its_colour() {
        let golden = RgbaImage::from_pixel(40, 4, Rgba([255; 4]));
        let mut actual = golden.clone();
        for x in [1, 11, 21] {
            actual.put_pixel(x, 1, Rgba([0, 0, 0, 255]));
        }
        let mask = PixelMask::new(40, 4, &[Rect::new(20, 0, 30, 4)]);
        let drawn = difference(
            &golden,
            &actual,
            &mask,
            &[Rect::new(1, 1, 2, 2)],
            &[Rect::new(10, 0, 20, 4)],
        );
        assert_eq!(*drawn.get_pixel(1, 1), CHANGED);
        assert_eq!(*drawn.get_pixel(11, 1), MOVED);
        assert!(STRIPES.contains(drawn.get_pixel(21, 1)), "masked");
        for x in [0, 12, 35] {
            assert_eq!(*drawn.get_pixel(x, 1), pale(Rgba([255; 4])));
        }
    }
}

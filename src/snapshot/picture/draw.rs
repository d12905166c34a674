//! Pictures for people: the difference, and where masks lie.

use image::{Rgba, RgbaImage};

use super::distance::{Pixels, VISIBLE, distance, is_smoothing};
use super::mask::PixelMask;
use crate::screen::Rect;

const CHANGED: Rgba<u8> = Rgba([255, 0, 0, 255]);
const SMOOTHED: Rgba<u8> = Rgba([255, 196, 0, 255]);
const STRIPES: [Rgba<u8>; 2] = [Rgba([120, 80, 200, 255]), Rgba([200, 180, 240, 255])];

/// The new picture, pale and grey, with changed pixels red, smoothed edges yellow and masks striped. `changed` are
/// rectangles (of clusters) inside which every visible difference is red, however faint. Pictures of different size are
/// compared as far as both reach, the rest is red.
pub fn difference(
    golden: &RgbaImage,
    actual: &RgbaImage,
    mask: &PixelMask,
    changed: &[Rect],
) -> RgbaImage {
    let size = (
        golden.width().max(actual.width()),
        golden.height().max(actual.height()),
    );
    let same_size = golden.dimensions() == actual.dimensions();
    let (before, after) = (Pixels::of(golden), Pixels::of(actual));
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
            return pale(*new);
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
            pale(*new)
        }
    })
}

fn inside(rects: &[Rect], x: u32, y: u32) -> bool {
    let point = crate::screen::Point {
        x: x as i32,
        y: y as i32,
    };
    rects.iter().any(|rect| rect.contains(point))
}

fn pale(pixel: Rgba<u8>) -> Rgba<u8> {
    let [red, green, blue, _] = pixel.0.map(u32::from);
    let grey = (red * 299 + green * 587 + blue * 114) / 1000;
    let pale = (255 - (255 - grey) / 4) as u8;
    Rgba([pale, pale, pale, 255])
}

fn stripe(x: u32, y: u32) -> Rgba<u8> {
    STRIPES[((x + y) / 12 % 2) as usize]
}

/// `image` with striped masks.
pub fn paint_masks(image: &RgbaImage, mask: &PixelMask) -> RgbaImage {
    let mut painted = image.clone();
    for (x, y, pixel) in painted.enumerate_pixels_mut() {
        if !mask.is_open(x, y) {
            *pixel = stripe(x, y);
        }
    }
    painted
}

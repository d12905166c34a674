//! Pictures for people: the difference, and where masks lie.

use image::{Rgba, RgbaImage};

use super::distance::{Pixels, VISIBLE, distance, is_smoothing};
use super::mask::PixelMask;
use crate::screen::Rect;

const CHANGED: Rgba<u8> = Rgba([255, 0, 0, 255]);
const SMOOTHED: Rgba<u8> = Rgba([255, 196, 0, 255]);
const MOVED: Rgba<u8> = Rgba([40, 110, 255, 255]);
const STRIPES: [Rgba<u8>; 2] = [Rgba([120, 80, 200, 255]), Rgba([200, 180, 240, 255])];

/// The new picture, pale and grey, with changed pixels red, smoothed edges yellow and masks striped. `changed` are
/// rectangles (of clusters) inside which every visible difference is red, however faint; inside of `moved` what differs is
/// blue, for it stood elsewhere before. Pictures of different size are compared as far as both reach, the rest is red.
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
        if same_size && !stayed.is_open(x, y) {
            return MOVED;
        }
        if distance(old.0, new.0) > VISIBLE {
            let smoothing = same_size && is_smoothing(before, after, x, y);
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

#[cfg(test)]
mod tests {
    use super::*;

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

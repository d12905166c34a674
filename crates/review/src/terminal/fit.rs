//! Chooses the part of a picture that is shown, and scales it to its place.

use image::{Rgba, RgbaImage};
use runner_picture::{Sampling, resized};

use runner_screen::Rect;

/// Pixels of context around a change. Chosen: less hides what is beside it; more makes the change small.
const MIN_MARGIN_PIXELS: i64 = 24;
/// Pixels of the smallest part. Chosen: a smaller one does not show where on the screen it is.
const MIN_PART_PIXELS: i64 = 120;
/// Factor by which a pixel is enlarged at most. Chosen: larger squares show nothing more.
const MAX_ZOOM: u32 = 8;
const OUTLINE: Rgba<u8> = Rgba([230, 0, 200, 255]);

/// Returns the part of a picture of size `whole` to show around `change` in a place of `room` pixels: the change,
/// some context, and as much more as the place's aspect ratio allows. It lies within the picture, even if the change
/// does not, and is at least `MIN_PART_PIXELS` in both directions, unless the picture is smaller.
pub fn part_around(change: Rect, whole: (u32, u32), room: (u32, u32)) -> Rect {
    // Bounds may come from an imported table and reach to the ends of `i32`.
    let (change_width, change_height) = (i64::from(change.width()), i64::from(change.height()));
    let margin = (change_width.max(change_height) / 8).max(MIN_MARGIN_PIXELS);
    let (width, height) = (
        (change_width + 2 * margin).max(MIN_PART_PIXELS),
        (change_height + 2 * margin).max(MIN_PART_PIXELS),
    );
    // Extended to the place's aspect ratio.
    let (room_width, room_height) = (i64::from(room.0.max(1)), i64::from(room.1.max(1)));
    let wider = height.saturating_mul(room_width) / room_height;
    let higher = width.saturating_mul(room_height) / room_width;
    let span = |near: i32, far: i32, length: i64, all: u32| {
        let all = i64::from(all.min(i32::MAX as u32));
        let length = length.clamp(1, all.max(1));
        let center = i64::midpoint(i64::from(near), i64::from(far));
        let start = (center - length / 2).clamp(0, (all - length).max(0));
        (start as i32, (start + length) as i32)
    };
    let (left, right) = span(change.left, change.right, width.max(wider), whole.0);
    let (top, bottom) = span(change.top, change.bottom, height.max(higher), whole.1);
    Rect::new(left, top, right, bottom)
}

/// Returns the size in pixels that a part gets in a place of `room` pixels: the largest whole multiple that fits, at
/// most `MAX_ZOOM`; if the part is too large, shrunk in proportion to fit. Never 0, even without room.
pub fn size(part: (u32, u32), room: (u32, u32)) -> (u32, u32) {
    let (width, height) = (part.0.max(1), part.1.max(1));
    let zoom = (room.0 / width).min(room.1 / height).min(MAX_ZOOM);
    if zoom >= 1 {
        return (width * zoom, height * zoom);
    }
    let (width, height) = (u64::from(width), u64::from(height));
    let (room_width, room_height) = (u64::from(room.0), u64::from(room.1));
    let (width, height) = if width * room_height > height * room_width {
        (room_width, height * room_width / width)
    } else {
        (width * room_height / height, room_height)
    };
    ((width as u32).max(1), (height as u32).max(1))
}

/// Returns `part` of a picture scaled to `size` pixels, with an outline around a change if there is one. `outline` is
/// in pixels of the whole picture. The part is cut to the picture first. Enlarged pixels stay sharp, shrunk ones are
/// smoothed. `None` if the part is outside of the picture or nothing can be scaled.
pub fn scaled(
    picture: &RgbaImage,
    part: Rect,
    size: (u32, u32),
    outline: Option<Rect>,
) -> Option<RgbaImage> {
    let whole = Rect::new(0, 0, picture.width() as i32, picture.height() as i32);
    let part = part.intersection(&whole)?;
    let enlarges = size.0 >= part.width() && size.1 >= part.height();
    // Enlarged pixels stay sharp: smoothing would blur the very change.
    let sampling = if enlarges {
        Sampling::Nearest
    } else {
        Sampling::Smooth
    };
    let mut scaled = resized(picture, part, size, sampling)?;
    if let Some(outline) = outline {
        draw_outline(&mut scaled, part, outline);
    }
    Some(scaled)
}

/// Draws a line just outside of `change` into `scaled`, so that it covers no pixel of the change. `change` is in
/// pixels of the whole picture, of which `scaled` shows `part`. Sides outside of the part are not drawn.
fn draw_outline(scaled: &mut RgbaImage, part: Rect, change: Rect) {
    let (width, height) = (i64::from(scaled.width()), i64::from(scaled.height()));
    // Bounds may reach to the ends of `i32`, so they are subtracted as longer numbers.
    let scale = |at: i32, start: i32, all: i64, length: u32| {
        (i64::from(at) - i64::from(start)) * all / i64::from(length.max(1))
    };
    let x = |x: i32| scale(x, part.left, width, part.width());
    let y = |y: i32| scale(y, part.top, height, part.height());
    let (left, right) = (x(change.left) - 2, x(change.right) + 1);
    let (top, bottom) = (y(change.top) - 2, y(change.bottom) + 1);
    let mut dot = |x: i64, y: i64| {
        if (0..width).contains(&x) && (0..height).contains(&y) {
            scaled.put_pixel(x as u32, y as u32, OUTLINE);
        }
    };
    for x in left.max(0)..=right.min(width) {
        dot(x, top);
        dot(x, bottom);
    }
    for y in top.max(0)..=bottom.min(height) {
        dot(left, y);
        dot(right, y);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_change_is_in_the_part_and_the_part_in_the_picture(
            left in 0..1000_i32, top in 0..2000_i32, width in 1..500_i32, height in 1..500_i32,
            room in (1..2000_u32, 1..2000_u32),
        ) {
            let whole = Rect::new(0, 0, 1080, 2400);
            let change = Rect::new(left, top, left + width, top + height).intersection(&whole);
            let Some(change) = change else { return Ok(()) };
            let part = part_around(change, (1080, 2400), room);
            prop_assert!(whole.encloses(&part) && part.encloses(&change), "{} {}", part, change);
            let size = size((part.width(), part.height()), room);
            prop_assert!(size.0 <= room.0 && size.1 <= room.1, "{:?} {:?}", size, room);
        }
    }

    #[test]
    fn bounds_at_the_ends_of_numbers_have_a_part_too() {
        let all = Rect::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX);
        for change in [
            all,
            Rect::new(i32::MAX - 1, i32::MAX - 1, i32::MAX, i32::MAX),
            Rect::new(i32::MIN, i32::MIN, i32::MIN + 1, i32::MIN + 1),
        ] {
            let part = part_around(change, (1080, 2400), (u32::MAX, 1));
            assert!(
                Rect::new(0, 0, 1080, 2400).encloses(&part),
                "{change}: {part}"
            );
        }
    }

    #[test]
    fn small_parts_grow_by_whole_numbers_and_keep_their_pixels() {
        assert_eq!(size((10, 20), (35, 100)), (30, 60));
        assert_eq!(size((1080, 2400), (300, 300)), (135, 300));
        let mut picture = RgbaImage::from_pixel(4, 4, Rgba([0, 0, 0, 255]));
        picture.put_pixel(1, 1, Rgba([255, 0, 0, 255]));
        let displayed = scaled(&picture, Rect::new(0, 0, 2, 2), (4, 4), None).unwrap();
        let red = |x, y| displayed.get_pixel(x, y).0[0] == 255;
        assert!(red(2, 2) && red(3, 3) && !red(1, 1) && !red(2, 1));
    }

    #[test]
    fn the_outline_covers_nothing_of_the_change() {
        let picture = RgbaImage::from_pixel(20, 20, Rgba([9, 9, 9, 255]));
        let change = Rect::new(5, 5, 8, 8);
        let displayed = scaled(&picture, Rect::new(0, 0, 20, 20), (40, 40), Some(change)).unwrap();
        for (x, y, pixel) in displayed.enumerate_pixels() {
            let inside = (10..16).contains(&x) && (10..16).contains(&y);
            assert!(!(inside && *pixel == OUTLINE), "{x},{y}");
        }
        assert!(displayed.pixels().any(|pixel| *pixel == OUTLINE));
        // Bounds of an imported table: none of their sides is in the part.
        let part = Rect::new(5, 5, 20, 20);
        let all = Rect::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX);
        let displayed = scaled(&picture, part, (30, 30), Some(all)).unwrap();
        assert!(displayed.pixels().all(|pixel| *pixel != OUTLINE));
    }
}

//! Finds upright strips that only one of two pictures has, as a blinking caret leaves them.

use std::ops::Range;

use image::RgbaImage;

use super::distance::{FAINT, Pixels, VISIBLE, distance};
use super::mask::PixelMask;
use crate::Rect;

/// Smallest ratio of height to width. Chosen: the caret of a small text is higher than this, a letter is not.
const MIN_HEIGHT_RATIO: u32 = 3;

/// Number of strips at most: one in each picture, for a caret that stands elsewhere.
const MAX_STRIPS: usize = 2;

/// Returns the strips that hold all differences inside `area`, from left to right: one, or one of each picture.
/// Each is at most `max_width` wide, at least three times as high as wide, and drawn in one colour by one of the
/// pictures. Differences that are masked or too faint do not count. Returns nothing where more differs there,
/// something of another shape, or nothing, and for pictures of different sizes.
pub fn upright_strips(
    golden: &RgbaImage,
    actual: &RgbaImage,
    mask: &PixelMask,
    area: Rect,
    max_width: u32,
) -> Vec<Rect> {
    let whole = Rect::new(0, 0, golden.width() as i32, golden.height() as i32);
    let Some(area) = area
        .intersection(&whole)
        .filter(|_| golden.dimensions() == actual.dimensions())
    else {
        return Vec::new();
    };
    let pair = [Pixels::from_image(golden), Pixels::from_image(actual)];
    let strips = differing_columns(pair, mask, area);
    let shown_by: Vec<Option<usize>> = strips
        .iter()
        .map(|strip| {
            let is_upright =
                strip.width() <= max_width && strip.height() >= MIN_HEIGHT_RATIO * strip.width();
            is_upright.then(|| holder(pair, *strip)).flatten()
        })
        .collect();
    match shown_by.as_slice() {
        [Some(_)] | [Some(0), Some(1)] | [Some(1), Some(0)] => strips,
        _ => Vec::new(),
    }
}

/// Returns a rectangle for each run of neighbouring columns that differ in `area`, from left to right, and
/// stops at one more than [`MAX_STRIPS`].
fn differing_columns(pair: [Pixels<'_>; 2], mask: &PixelMask, area: Rect) -> Vec<Rect> {
    let (rows, columns) = sides(area);
    let mut strips: Vec<Rect> = Vec::new();
    for x in columns {
        let differs = |y: &u32| {
            let [before, after] = pair.map(|picture| picture.at(x, *y));
            before != after && distance(before, after) > FAINT && mask.is_open(x, *y)
        };
        let Some(first) = rows.clone().find(differs) else {
            continue;
        };
        let last = rows.clone().rfind(differs).unwrap_or(first);
        let column = Rect::new(x as i32, first as i32, x as i32 + 1, last as i32 + 1);
        match strips.last_mut() {
            Some(strip) if strip.right == column.left => *strip = strip.union(&column),
            _ => strips.push(column),
        }
        if strips.len() > MAX_STRIPS {
            break;
        }
    }
    strips
}

/// Returns the index of the picture that shows the strip, 0 for the golden and 1 for the new one, or `None`
/// where neither does. A picture shows it if one of its columns has one colour from top to bottom and stands
/// out from the column beside it, where the other picture shows its ground.
fn holder(pair: [Pixels<'_>; 2], strip: Rect) -> Option<usize> {
    let (rows, columns) = sides(strip);
    let beside = columns.start.checked_sub(1).unwrap_or(columns.end);
    if beside >= pair[0].width {
        return None;
    }
    let is_even = |picture: Pixels<'_>, x: u32| {
        let top = picture.at(x, rows.start);
        rows.clone().all(|y| picture.at(x, y) == top)
    };
    let stands_out = |picture: Pixels<'_>, x: u32| {
        let stands_out = |y: &u32| distance(picture.at(x, *y), picture.at(beside, *y)) > VISIBLE;
        rows.clone().filter(stands_out).count() * 2 > rows.len()
    };
    let differs = |x: u32, y: u32| distance(pair[0].at(x, y), pair[1].at(x, y)) > VISIBLE;
    let whole = columns.filter(|x| rows.clone().all(|y| differs(*x, y)));
    let mut whole = whole.map(|x| {
        [(0, 1), (1, 0)].into_iter().find(|(with, without)| {
            let (with, without) = (pair[*with], pair[*without]);
            is_even(with, x) && stands_out(with, x) && !stands_out(without, x)
        })
    });
    whole.find_map(|found| Some(found?.0))
}

/// Returns the rows and the columns of the rectangle, whose sides must not be negative.
fn sides(rect: Rect) -> (Range<u32>, Range<u32>) {
    (
        rect.top as u32..rect.bottom as u32,
        rect.left as u32..rect.right as u32,
    )
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;

    const FIELD: Rect = Rect {
        left: 10,
        top: 10,
        right: 90,
        bottom: 40,
    };

    fn painted(blocks: &[([u32; 4], u8)]) -> RgbaImage {
        let mut image = RgbaImage::from_pixel(100, 60, Rgba([255; 4]));
        for ([left, top, right, bottom], level) in blocks {
            for y in *top..*bottom {
                for x in *left..*right {
                    image.put_pixel(x, y, Rgba([*level, *level, *level, 255]));
                }
            }
        }
        image
    }

    #[test]
    fn a_strip_of_one_picture_or_one_of_each_is_found_and_nothing_else() {
        let caret = |x: u32| ([x, 14, x + 3, 36], 30);
        let none: &[([u32; 4], u8)] = &[];
        let cases = [
            ("nothing", none, none, 0),
            ("gone", &[caret(20)], none, 1),
            ("elsewhere", &[caret(20)], &[caret(50)], 2),
            ("at the field's left edge", none, &[caret(10)], 1),
            ("a second one", &[caret(20)], &[caret(20), caret(50)], 1),
            ("two came", none, &[caret(20), caret(50)], 0),
            ("three", &[caret(20)], &[caret(50), caret(70)], 0),
            ("too wide", none, &[([20, 14, 25, 36], 30)], 0),
            ("low", none, &[([20, 14, 23, 20], 30)], 0),
            (
                "of two colours",
                none,
                &[([20, 14, 23, 24], 30), ([20, 24, 23, 36], 90)],
                0,
            ),
            (
                "with a gap",
                none,
                &[([20, 14, 23, 24], 30), ([20, 26, 23, 36], 30)],
                0,
            ),
            ("and a speck", none, &[caret(20), ([60, 20, 61, 21], 0)], 0),
            ("outside", none, &[([4, 14, 7, 36], 30)], 0),
            (
                "a caret of another colour",
                &[caret(20)],
                &[([20, 14, 23, 36], 120)],
                0,
            ),
            (
                "another shade of a caret",
                &[caret(20)],
                &[([20, 14, 23, 36], 40)],
                0,
            ),
        ];
        for (name, before, after, strips) in cases {
            let (golden, actual) = (painted(before), painted(after));
            let mask = PixelMask::new(100, 60, &[]);
            let found = upright_strips(&golden, &actual, &mask, FIELD, 4);
            assert_eq!(found.len(), strips, "{name}: {found:?}");
            let turned = upright_strips(&actual, &golden, &mask, FIELD, 4);
            assert_eq!(found, turned, "{name}");
        }
    }
}

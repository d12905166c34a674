//! Finds elements that moved in any direction, such as a card of a carousel or a centred title. The rows of
//! the snapshot say from where to where.
//!
//! Nothing is searched for. All pixels of an element must be what they were. The pixels that it covers now
//! must either be found elsewhere too or be the plain ground around, so that a lost element is not reported
//! as moved.

use image::RgbaImage;

use super::Shift;
use super::distance::Pixels;
use crate::Rect;

/// Number of elements that are examined at most; the largest ones are. Chosen: their pixels are read in
/// several rounds.
const MAX_BLOCKS: usize = 64;
/// Number of pixels of an element that must differ from its corner, since an empty one looks the same
/// anywhere. Chosen: a small letter has more.
const MIN_DRAWN_PIXELS: usize = 16;

/// Number of rounds over elements that rely on one another. Chosen: chains of moved cards are short; if the
/// rounds do not suffice, nothing is reported as moved.
const MAX_ROUNDS: usize = 8;

/// Place of an element before and now. Both should have the same size; others are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Place in the golden.
    pub from: Rect,
    /// Place in the new picture.
    pub to: Rect,
}

impl Block {
    /// Returns how far the block moved to the right and down; negative to the left and up.
    fn by(&self) -> (i32, i32) {
        let by = |to: i32, from: i32| to.saturating_sub(from);
        (
            by(self.to.left, self.from.left),
            by(self.to.top, self.from.top),
        )
    }
}

/// Returns the elements that only moved and hide nothing, grouped by distance, in order of the largest element. An
/// element inside of a larger one that moved by the same distance is not listed. Elements that overlap `left_out` or
/// reach out of the picture, resized or plain ones, and all but the 64 largest are ignored. Returns nothing for
/// pictures of different sizes, or if the elements do not settle in eight rounds.
pub fn moved_blocks(
    golden: &RgbaImage,
    actual: &RgbaImage,
    left_out: &[Rect],
    blocks: &[Block],
) -> Vec<Shift> {
    if golden.dimensions() != actual.dimensions() {
        return Vec::new();
    }
    let (golden, actual) = (Pixels::from_image(golden), Pixels::from_image(actual));
    let mut moved = unchanged(golden, actual, left_out, blocks);
    // A dropped block frees no place any more, and another block may have relied on that.
    let mut is_settled = false;
    for _ in 0..MAX_ROUNDS {
        let sources: Vec<Rect> = moved.iter().map(|block| block.from).collect();
        moved.retain(|block| hides_nothing(golden, block.to, &sources));
        is_settled = moved.len() == sources.len();
        if is_settled {
            break;
        }
    }
    if !is_settled {
        return Vec::new();
    }
    let mut shifts: Vec<Shift> = Vec::new();
    for block in moved {
        match shifts.iter_mut().find(|shift| shift.by == block.by()) {
            Some(shift) => shift.areas.push(block.to),
            None => shifts.push(Shift {
                by: block.by(),
                areas: vec![block.to],
            }),
        }
    }
    shifts
}

/// Returns the outermost elements whose pixels are exactly what they were, the largest first, of at most [`MAX_BLOCKS`]
/// that are examined. Resized and nearly plain ones are ignored, and those that reach out of the picture or overlap
/// `left_out`.
fn unchanged(
    golden: Pixels<'_>,
    actual: Pixels<'_>,
    left_out: &[Rect],
    blocks: &[Block],
) -> Vec<Block> {
    let picture = Rect::new(0, 0, golden.width as i32, golden.height as i32);
    let is_open = |place: &Rect| {
        picture.encloses(place)
            && left_out
                .iter()
                .all(|hidden| hidden.intersection(place).is_none())
    };
    let mut largest: Vec<&Block> = blocks
        .iter()
        .filter(|block| {
            (block.from.width(), block.from.height()) == (block.to.width(), block.to.height())
        })
        .filter(|block| !block.to.is_empty() && is_open(&block.from) && is_open(&block.to))
        .collect();
    largest.sort_by_key(|block| {
        (
            std::cmp::Reverse(block.to.area()),
            block.to.top,
            block.to.left,
        )
    });
    let mut moved: Vec<Block> = Vec::new();
    for block in largest.into_iter().take(MAX_BLOCKS) {
        let is_inside = moved
            .iter()
            .any(|outer| outer.by() == block.by() && outer.to.encloses(&block.to));
        if !is_inside && is_same(golden, actual, block) && is_drawn(actual, block.to) {
            moved.push(*block);
        }
    }
    moved
}

/// Returns true if the golden has the same pixels at the block's old place as the new picture at its new one. Both
/// places must lie in the pictures.
fn is_same(golden: Pixels<'_>, actual: Pixels<'_>, block: &Block) -> bool {
    (0..block.to.height()).all(|row| {
        let before = golden.span(block.from.top as u32 + row, &columns(&block.from));
        before == actual.span(block.to.top as u32 + row, &columns(&block.to))
    })
}

/// Returns true if at least `MIN_DRAWN_PIXELS` pixels of the place differ from its top left corner.
fn is_drawn(picture: Pixels<'_>, place: Rect) -> bool {
    let corner = picture.at(place.left as u32, place.top as u32);
    pixels(&place)
        .filter(|(x, y)| picture.at(*x, *y) != corner)
        .nth(MIN_DRAWN_PIXELS - 1)
        .is_some()
}

/// Returns true if moving content to `place` hides nothing. `sources` are the old places of all moved content,
/// and what they cover is moved elsewhere. The other pixels of the golden at `place` must be of one colour,
/// which at least half of the uncovered pixels around `place` have too. True if there are no other pixels.
fn hides_nothing(golden: Pixels<'_>, place: Rect, sources: &[Rect]) -> bool {
    let moved: Vec<&Rect> = sources
        .iter()
        .filter(|source| source.intersection(&ring(place)).is_some())
        .collect();
    let stays = |(x, y): &(u32, u32)| {
        let point = crate::Point {
            x: *x as i32,
            y: *y as i32,
        };
        !moved.iter().any(|source| source.contains(point))
    };
    let mut covered = pixels(&place).filter(stays).map(|(x, y)| golden.at(x, y));
    let Some(ground) = covered.next() else {
        return true;
    };
    if covered.any(|pixel| pixel != ground) {
        return false;
    }
    let outer = Rect::new(0, 0, golden.width as i32, golden.height as i32);
    let Some(around) = ring(place).intersection(&outer) else {
        return false;
    };
    let is_around = |(x, y): &(u32, u32)| {
        let point = crate::Point {
            x: *x as i32,
            y: *y as i32,
        };
        !place.contains(point)
    };
    let (mut all, mut similar) = (0, 0);
    for (x, y) in edge(&around).filter(is_around).filter(stays) {
        all += 1;
        similar += usize::from(golden.at(x, y) == ground);
    }
    similar > 0 && similar * 2 >= all
}

/// Returns `place` grown by one pixel on each side. It may reach out of the picture.
fn ring(place: Rect) -> Rect {
    Rect::new(
        place.left - 1,
        place.top - 1,
        place.right + 1,
        place.bottom + 1,
    )
}

fn columns(place: &Rect) -> std::ops::Range<u32> {
    place.left as u32..place.right as u32
}

fn pixels(place: &Rect) -> impl Iterator<Item = (u32, u32)> + use<> {
    let columns = columns(place);
    (place.top as u32..place.bottom as u32).flat_map(move |y| columns.clone().map(move |x| (x, y)))
}

/// Iterates over the outermost pixels of a place, each once.
fn edge(place: &Rect) -> impl Iterator<Item = (u32, u32)> + use<> {
    let place = *place;
    pixels(&place).filter(move |(x, y)| {
        let (x, y) = (*x as i32, *y as i32);
        x == place.left || x + 1 == place.right || y == place.top || y + 1 == place.bottom
    })
}

#[cfg(test)]
mod tests {
    use image::Rgba;
    use proptest::prelude::*;

    use super::*;

    const WHITE: Rgba<u8> = Rgba([255; 4]);

    /// Draws a pattern that no other `kind` has, of the size of `place`.
    fn draw(picture: &mut RgbaImage, place: Rect, kind: u8) {
        for (x, y) in pixels(&place) {
            let (dx, dy) = (x - place.left as u32, y - place.top as u32);
            picture.put_pixel(x, y, Rgba([kind, (dx * 5) as u8, (dy * 3) as u8, 255]));
        }
    }

    fn blank() -> RgbaImage {
        RgbaImage::from_pixel(200, 100, WHITE)
    }

    fn place(left: i32, top: i32) -> Rect {
        Rect::new(left, top, left + 30, top + 20)
    }

    /// Returns a picture of cards, each with its left edge and its kind.
    fn cards(cards: &[(i32, u8)]) -> RgbaImage {
        let mut picture = blank();
        for (left, kind) in cards {
            draw(&mut picture, place(*left, 40), *kind);
        }
        picture
    }

    fn block(from: i32, to: i32) -> Block {
        Block {
            from: place(from, 40),
            to: place(to, 40),
        }
    }

    #[test]
    fn what_moved_aside_on_plain_ground_is_told() {
        let found = moved_blocks(
            &cards(&[(20, 1)]),
            &cards(&[(44, 1)]),
            &[],
            &[block(20, 44)],
        );
        let expected = Shift {
            by: (24, 0),
            areas: vec![place(44, 40)],
        };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn cards_that_take_each_others_place_are_told_with_what_is_in_them() {
        let golden = cards(&[(20, 1), (60, 2), (100, 3)]);
        let actual = cards(&[(60, 1), (100, 2), (140, 3)]);
        let inner = |left| Rect::new(left + 5, 45, left + 15, 55);
        let blocks = [
            block(20, 60),
            block(60, 100),
            block(100, 140),
            Block {
                from: inner(20),
                to: inner(60),
            },
        ];
        let found = moved_blocks(&golden, &actual, &[], &blocks);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].by, found[0].areas.len()), ((40, 0), 3));
    }

    #[test]
    fn nothing_is_told_of_what_changed_or_covers_what_went() {
        let golden = cards(&[(20, 1)]);
        let mut changed = cards(&[(44, 1)]);
        changed.put_pixel(50, 50, Rgba([9; 4]));
        assert_eq!(moved_blocks(&golden, &changed, &[], &[block(20, 44)]), []);
        // The second card is gone, and the first lies there now.
        let two = cards(&[(20, 1), (60, 2)]);
        assert_eq!(
            moved_blocks(&two, &cards(&[(60, 1)]), &[], &[block(20, 60)]),
            []
        );
        // So is one of a single colour.
        let mut plain = golden.clone();
        for (x, y) in pixels(&place(60, 40)) {
            plain.put_pixel(x, y, Rgba([200, 0, 0, 255]));
        }
        assert_eq!(
            moved_blocks(&plain, &cards(&[(60, 1)]), &[], &[block(20, 60)]),
            []
        );
        // If the second cannot have moved, the content that the first covers is lost.
        let last = cards(&[(60, 1), (100, 3)]);
        assert_eq!(
            moved_blocks(&two, &last, &[], &[block(20, 60), block(60, 100)]),
            []
        );
    }

    #[test]
    fn nothing_is_told_of_what_is_empty_hidden_or_outside() {
        let (golden, actual) = (cards(&[(20, 1)]), cards(&[(44, 1)]));
        assert_eq!(moved_blocks(&blank(), &blank(), &[], &[block(20, 44)]), []);
        for hidden in [place(0, 40), place(70, 50)] {
            assert_eq!(
                moved_blocks(&golden, &actual, &[hidden], &[block(20, 44)]),
                []
            );
        }
        for bad in [
            block(20, 190),
            block(-20, 44),
            Block {
                from: place(20, 40),
                to: Rect::new(44, 40, 44, 60),
            },
            Block {
                from: place(20, 40),
                to: Rect::new(44, 40, 70, 60),
            },
            Block {
                from: Rect::new(i32::MIN, 0, i32::MAX, 9),
                to: Rect::new(i32::MIN, 0, i32::MAX, 9),
            },
        ] {
            assert_eq!(moved_blocks(&golden, &actual, &[], &[bad]), []);
        }
        assert_eq!(
            moved_blocks(&golden, &RgbaImage::new(9, 9), &[], &[block(20, 44)]),
            []
        );
    }

    proptest! {
        #[test]
        fn what_is_told_is_the_golden_moved_and_hides_no_card(
            before in prop::collection::vec(0..6_i32, 1..5),
            after in prop::collection::vec(0..6_i32, 1..5),
            noise in prop::collection::vec((0..200_u32, 0..100_u32), 0..3),
        ) {
            let side = |slots: &[i32]| {
                let all: Vec<(i32, u8)> = (1..).zip(slots).map(|(kind, slot)| (slot * 33, kind)).collect();
                cards(&all)
            };
            let (golden, mut actual) = (side(&before), side(&after));
            for (x, y) in noise {
                actual.put_pixel(x, y, Rgba([9, 9, 9, 255]));
            }
            let blocks: Vec<Block> = before.iter().zip(&after).filter(|(a, b)| a != b)
                .map(|(a, b)| block(a * 33, b * 33)).collect();
            let found = moved_blocks(&golden, &actual, &[], &blocks);
            let areas: Vec<Rect> = found.iter().flat_map(|shift| shift.areas.clone()).collect();
            for shift in &found {
                for area in &shift.areas {
                    for (x, y) in pixels(area) {
                        let from = (x as i32 - shift.by.0) as u32;
                        prop_assert_eq!(actual.get_pixel(x, y), golden.get_pixel(from, y));
                    }
                    let is_card = golden.get_pixel(area.left as u32, 40) != &WHITE;
                    let survives = found.iter().any(|shift| shift.areas.iter().any(|to| to.left - shift.by.0 == area.left));
                    prop_assert!(!is_card || survives, "{areas:?}");
                }
            }
        }
    }
}

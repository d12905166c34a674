//! Finds content that only moved up or down, as below an inserted banner or in a scrolled list.
//!
//! The changed part is cut into vertical strips, so that a scroll bar or a floating button spoils only its
//! own strip. In each strip the rows of pixels of both pictures are hashed. A row that is unique in the
//! golden and is found elsewhere votes for a shift. Only content that equals the golden pixel for pixel is
//! reported as moved.

use std::collections::HashMap;
use std::ops::Range;

use image::RgbaImage;
use xxhash_rust::xxh3::xxh3_64;

use super::distance::Pixels;
use super::mask::PixelMask;
use crate::Rect;

/// Number of strips at most. Chosen: each takes time, and a list is rarely divided in more.
const MAX_STRIPS: u32 = 8;
/// Smallest width of a strip in pixels. Chosen: in a narrower one most rows look alike.
const MIN_STRIP_WIDTH: u32 = 24;
/// Number of rows in all strips that must vote for a shift. Chosen: a line of text is higher than this.
const MIN_VOTES: usize = 8;
/// Largest number of different shifts in one picture. Chosen: more are rather chance than moves.
const MAX_SHIFTS: usize = 4;
/// Smallest number of rows in a run that differ from what stood there. Chosen: fewer rows may be equal by
/// chance.
const MIN_RUN_ROWS: usize = 4;
/// Number of areas above which no move is reported. Chosen: nobody can review that many.
const MAX_AREAS: usize = 200;

/// Content of the golden that stands elsewhere in the new picture, pixel for pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    /// Distance in pixels to the right and down; negative to the left and up.
    pub by: (i32, i32),
    /// Places of the content in the new picture.
    pub areas: Vec<Rect>,
}

/// Finds the content that moved up or down in the columns of `within`, in all rows of the picture: at most four
/// distances, the one with the largest area first. Areas are places in the new picture; unchanged rows may lie in them,
/// but none that reaches under a mask. Returns nothing for pictures of different sizes, or with more than 200 areas.
/// The mask must be of the pictures' size.
pub fn shifts(
    golden: &RgbaImage,
    actual: &RgbaImage,
    mask: &PixelMask,
    within: Rect,
) -> Vec<Shift> {
    let picture = Rect::new(0, 0, actual.width() as i32, actual.height() as i32);
    let Some(within) = within.intersection(&picture) else {
        return Vec::new();
    };
    if golden.dimensions() != actual.dimensions() {
        return Vec::new();
    }
    let (golden, actual) = (Pixels::from_image(golden), Pixels::from_image(actual));
    let strips: Vec<Strip> = columns(&within)
        .map(|columns| Strip::new(golden, actual, mask, columns))
        .collect();
    let candidates = candidates(&strips);
    let mut found: Vec<Shift> = Vec::new();
    for strip in strips.iter().filter(|_| !candidates.is_empty()) {
        for (by, rows) in strip.runs(&candidates) {
            let area = Rect::new(
                strip.columns.start as i32,
                rows.start as i32,
                strip.columns.end as i32,
                rows.end as i32,
            );
            match found.iter_mut().find(|shift| shift.by == (0, by)) {
                Some(shift) => join(&mut shift.areas, area),
                None => found.push(Shift {
                    by: (0, by),
                    areas: vec![area],
                }),
            }
        }
    }
    if found.iter().map(|shift| shift.areas.len()).sum::<usize>() > MAX_AREAS {
        return Vec::new();
    }
    let size = |shift: &Shift| shift.areas.iter().map(Rect::area).sum::<u64>();
    found.sort_by_key(|shift| (std::cmp::Reverse(size(shift)), shift.by));
    found
}

/// Adds an area. It is joined with one that ends at its left side and has the same rows.
fn join(areas: &mut Vec<Rect>, area: Rect) {
    let beside = areas.iter_mut().find(|known| {
        known.right == area.left && (known.top, known.bottom) == (area.top, area.bottom)
    });
    match beside {
        Some(known) => known.right = area.right,
        None => areas.push(area),
    }
}

fn columns(within: &Rect) -> impl Iterator<Item = Range<u32>> {
    let (left, width) = (within.left as u32, within.width());
    let strips = (width / MIN_STRIP_WIDTH).clamp(1, MAX_STRIPS);
    (0..strips).map(move |strip| left + width * strip / strips..left + width * (strip + 1) / strips)
}

/// Returns at most [`MAX_SHIFTS`] distances by which content may have moved, the one with most votes first; a
/// positive one is down. Only rows that the golden has once vote, and fewer than [`MIN_VOTES`] do not count.
fn candidates(strips: &[Strip]) -> Vec<i32> {
    let mut votes: HashMap<i32, usize> = HashMap::new();
    for strip in strips {
        let unique = strip.unique_in_golden();
        for y in (0..strip.rows()).filter(|y| strip.differs(*y)) {
            let from = strip.actual[y].and_then(|hash| unique.get(&hash).copied().flatten());
            if let Some(from) = from.filter(|from| *from != y) {
                *votes.entry(y as i32 - from as i32).or_default() += 1;
            }
        }
    }
    let mut votes: Vec<(i32, usize)> = votes.into_iter().filter(|(_, n)| *n >= MIN_VOTES).collect();
    // Of equal votes the shorter distance wins, so that the order is always the same.
    votes.sort_by_key(|(by, number)| (std::cmp::Reverse(*number), by.abs(), *by));
    votes.truncate(MAX_SHIFTS);
    votes.into_iter().map(|(by, _)| by).collect()
}

/// Hashes of the rows of pixels in some columns; `None` where a mask reaches into the row.
struct Strip {
    columns: Range<u32>,
    golden: Vec<Option<u64>>,
    actual: Vec<Option<u64>>,
}

impl Strip {
    /// Hashes each row of the columns in both pictures. A row that a mask touches in these columns has no hash.
    fn new(golden: Pixels<'_>, actual: Pixels<'_>, mask: &PixelMask, columns: Range<u32>) -> Self {
        let mut strip = Self {
            golden: vec![None; golden.height as usize],
            actual: vec![None; golden.height as usize],
            columns,
        };
        for (y, spans) in mask.spans() {
            let columns = &strip.columns;
            let is_open =
                |span: &Range<u32>| span.start <= columns.start && columns.end <= span.end;
            if spans.iter().any(is_open) {
                strip.golden[y as usize] = Some(xxh3_64(golden.span(y, columns).as_flattened()));
                strip.actual[y as usize] = Some(xxh3_64(actual.span(y, columns).as_flattened()));
            }
        }
        strip
    }

    fn rows(&self) -> usize {
        self.golden.len()
    }

    fn differs(&self, y: usize) -> bool {
        self.golden[y] != self.actual[y]
    }

    /// Maps the hash of a row to its place in the golden, or to `None` if several rows have it. Rows under a
    /// mask are left out.
    fn unique_in_golden(&self) -> HashMap<u64, Option<usize>> {
        let mut unique = HashMap::new();
        for (y, hash) in self.golden.iter().enumerate() {
            if let Some(hash) = hash {
                unique
                    .entry(*hash)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(y));
            }
        }
        unique
    }

    /// Returns true if row `y` equals the golden's row that lies `by` rows above it.
    fn came_from(&self, y: usize, by: i32) -> bool {
        let from = y.checked_add_signed(-(by as isize));
        self.actual[y].is_some()
            && from.and_then(|from| self.golden.get(from)) == Some(&self.actual[y])
    }

    /// Returns for each row the distance by which it moved, the first candidate that explains it. A row that follows an
    /// explained one prefers the same distance. Rows that do not differ, or that no candidate explains, have none.
    fn explain(&self, candidates: &[i32]) -> Vec<Option<i32>> {
        let mut by: Vec<Option<i32>> = vec![None; self.rows()];
        for y in (0..self.rows()).filter(|y| self.differs(*y)) {
            // Blank rows fit any shift, so they follow the row above.
            let above = y.checked_sub(1).and_then(|above| by[above]);
            by[y] = above
                .into_iter()
                .chain(candidates.iter().copied())
                .find(|by| self.came_from(y, *by));
        }
        by
    }

    /// Drops the explanation of each row that would hide a loss: at its place the golden has a row that is neither
    /// found elsewhere nor moved out of sight.
    fn drop_hidden_losses(&self, by: &mut [Option<i32>]) {
        let (Some(first), Some(last)) = (
            by.iter().position(Option::is_some),
            by.iter().rposition(Option::is_some),
        ) else {
            return;
        };
        let mut used: Vec<i32> = by.iter().copied().flatten().collect();
        used.sort_unstable();
        used.dedup();
        for y in first..=last {
            let survives = used.iter().any(|by| {
                let to = y.checked_add_signed(*by as isize);
                match to.filter(|to| (first..=last).contains(to)) {
                    Some(to) => self.actual[to] == self.golden[y],
                    None => true,
                }
            });
            if !survives {
                by[y] = None;
            }
        }
    }

    /// Returns the runs of rows that moved by the same distance, from top to bottom. Unchanged rows may lie
    /// between them. Runs with fewer than [`MIN_RUN_ROWS`] moved rows are left out.
    fn runs(&self, candidates: &[i32]) -> Vec<(i32, Range<usize>)> {
        let mut by = self.explain(candidates);
        self.drop_hidden_losses(&mut by);
        let mut runs: Vec<(i32, Range<usize>, usize)> = Vec::new();
        let mut is_open = false;
        for y in 0..self.rows() {
            match by[y] {
                Some(by) => match runs.last_mut().filter(|run| is_open && run.0 == by) {
                    Some((_, rows, moved)) => {
                        rows.end = y + 1;
                        *moved += 1;
                    }
                    None => {
                        runs.push((by, y..y + 1, 1));
                        is_open = true;
                    }
                },
                None => is_open &= !self.differs(y) && self.actual[y].is_some(),
            }
        }
        runs.into_iter()
            .filter(|(.., moved)| *moved >= MIN_RUN_ROWS)
            .map(|(by, rows, _)| (by, rows))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use image::Rgba;
    use proptest::prelude::*;

    use super::*;
    use crate::compare;

    const WIDTH: u32 = 64;
    const HEIGHT: u32 = 200;

    /// Page on which all rows are different, except blank ones.
    fn page() -> RgbaImage {
        RgbaImage::from_fn(WIDTH, HEIGHT, |x, y| {
            if y % 20 < 6 {
                Rgba([255; 4])
            } else {
                Rgba([(y * 7 % 251) as u8, (x * 3 + y) as u8, (y / 3) as u8, 255])
            }
        })
    }

    /// Returns `page` with the rows from `top` to `bottom` moved down by `by`, and `fill` on the rows that
    /// nothing was moved to.
    fn moved(page: &RgbaImage, top: u32, bottom: u32, by: i32, fill: Rgba<u8>) -> RgbaImage {
        RgbaImage::from_fn(WIDTH, HEIGHT, |x, y| {
            if !(top..bottom).contains(&y) {
                return *page.get_pixel(x, y);
            }
            match y.checked_add_signed(-by) {
                Some(from) if (top..bottom).contains(&from) => *page.get_pixel(x, from),
                _ => fill,
            }
        })
    }

    fn all() -> Rect {
        Rect::new(0, 0, WIDTH as i32, HEIGHT as i32)
    }

    fn found(golden: &RgbaImage, actual: &RgbaImage, masked: &[Rect]) -> Vec<Shift> {
        shifts(
            golden,
            actual,
            &PixelMask::new(WIDTH, HEIGHT, masked),
            all(),
        )
    }

    /// Returns the clusters that remain when the moved areas are masked.
    fn remaining(golden: &RgbaImage, actual: &RgbaImage, found: &[Shift]) -> Vec<Rect> {
        let areas: Vec<Rect> = found.iter().flat_map(|shift| shift.areas.clone()).collect();
        let mask = PixelMask::new(WIDTH, HEIGHT, &areas);
        let clusters = compare(golden, actual, &mask).clusters;
        clusters.into_iter().map(|cluster| cluster.bounds).collect()
    }

    #[test]
    fn below_an_inserted_banner_all_moved() {
        let (golden, red) = (page(), Rgba([255, 0, 0, 255]));
        let actual = moved(&golden, 50, 200, 30, red);
        let found = found(&golden, &actual, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].by, (0, 30));
        assert_eq!(
            remaining(&golden, &actual, &found),
            [Rect::new(0, 50, WIDTH as i32, 80)],
            "the banner is what changed: {found:?}"
        );
    }

    #[test]
    fn a_scrolled_list_between_bars_that_stay() {
        let (golden, blue) = (page(), Rgba([0, 0, 255, 255]));
        let actual = moved(&golden, 40, 160, -25, blue);
        let found = found(&golden, &actual, &[]);
        assert_eq!(
            found.iter().map(|shift| shift.by).collect::<Vec<_>>(),
            [(0, -25)]
        );
        assert_eq!(
            remaining(&golden, &actual, &found),
            [Rect::new(0, 135, WIDTH as i32, 160)]
        );
    }

    #[test]
    fn what_changed_in_moved_content_is_told_apart() {
        let golden = page();
        let mut actual = moved(&golden, 50, 200, 30, Rgba([255, 0, 0, 255]));
        for x in 4..12 {
            for y in 130..136 {
                actual.put_pixel(x, y, Rgba([0, 255, 0, 255]));
            }
        }
        let found = found(&golden, &actual, &[]);
        let rest = remaining(&golden, &actual, &found);
        let change = Rect::new(4, 130, 12, 136);
        assert!(
            rest.iter().any(|place| place.encloses(&change)),
            "{found:?} {rest:?}"
        );
        assert!(
            rest.iter()
                .all(|place| place.left < 32 || place.bottom <= 80),
            "the other strip moved whole: {rest:?}"
        );
    }

    #[test]
    fn a_block_that_vanished_from_moved_content_is_no_move() {
        let white = Rgba([255; 4]);
        let mut golden = page();
        for y in 100..140 {
            for x in 0..WIDTH {
                golden.put_pixel(x, y, white);
            }
        }
        let mut with_block = golden.clone();
        for y in 110..116 {
            for x in 0..WIDTH {
                with_block.put_pixel(x, y, Rgba([9, 9, 9, 255]));
            }
        }
        // All moves by 12, and the block is gone on the way.
        let actual = moved(&golden, 40, 200, 12, white);
        let found = found(&with_block, &actual, &[]);
        let rest = remaining(&with_block, &actual, &found);
        assert!(
            rest.iter()
                .any(|place| place.top <= 110 && place.bottom >= 116),
            "{found:?} {rest:?}"
        );
    }

    #[test]
    fn nothing_moved_where_something_changed() {
        let golden = page();
        let mut actual = golden.clone();
        for x in 0..WIDTH {
            for y in 60..90 {
                actual.put_pixel(x, y, Rgba([y as u8, 0, x as u8, 255]));
            }
        }
        assert_eq!(found(&golden, &actual, &[]), []);
        assert_eq!(found(&golden, &golden, &[]), []);
        let other = RgbaImage::new(WIDTH, HEIGHT - 1);
        assert_eq!(found(&golden, &other, &[]), []);
        assert_eq!(found(&golden, &actual, &[all()]), []);
    }

    proptest! {
        #[test]
        fn what_is_told_as_moved_is_the_golden_moved(
            top in 0..150_u32, height in 20..150_u32, by in -60..60_i32,
            noise in prop::collection::vec((0..WIDTH, 0..HEIGHT), 0..6),
            (mask_top, mask_height) in (0..180_i32, 0..20_i32),
        ) {
            let golden = page();
            let mut actual = moved(&golden, top, (top + height).min(HEIGHT), by, Rgba([1, 2, 3, 255]));
            for (x, y) in noise {
                actual.put_pixel(x, y, Rgba([200, 0, 200, 255]));
            }
            let mask = Rect::new(0, mask_top, 30, mask_top + mask_height);
            for shift in found(&golden, &actual, &[mask]) {
                for area in &shift.areas {
                    for y in area.top..area.bottom {
                        for x in area.left..area.right {
                            let now = actual.get_pixel(x as u32, y as u32);
                            let before = golden.get_pixel(x as u32, y as u32);
                            let from = (y - shift.by.1).try_into().ok()
                                .and_then(|from| golden.get_pixel_checked(x as u32, from));
                            prop_assert!(now == before || Some(now) == from, "{x},{y} by {:?}", shift.by);
                        }
                    }
                }
            }
        }
    }
}

//! Both pictures, and what became of each of their rows.

use std::collections::HashMap;

use image::RgbaImage;

use super::super::colours::{Colour, Colours};
use super::super::picture::{Cluster, PixelMask};
use super::super::row::Row;
use super::super::row_map::{MAX_ROWS, RowMap};
use super::super::rows_diff::{Change, RowChange, align};
use runner_screen::Rect;

/// Width in pixels around the bounds of a row that its shadow may reach. Chosen: common elevations stay
/// within it on a dense screen.
const MAX_SHADOW: i32 = 16;

/// Number of places above which one rectangle around all of them is used. Chosen: it bounds the time.
const MAX_PLACES: usize = 500;

/// Number of distances that are examined, the most frequent ones. Chosen: it bounds the time.
const MAX_MOVES: usize = 16;

/// Comparison of a row on the screen with the golden's rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowFate {
    /// The golden does not have the row.
    Added,
    /// The row has the same words and size, and is moved by `by`, perhaps by nothing.
    Moved { golden: u16, by: (i32, i32) },
    /// The row has other words or another size, so only its colours are compared.
    Changed {
        golden: u16,
        /// Movement of its upper left and of its lower right corner.
        by: [(i32, i32); 2],
    },
    /// The row is not compared.
    Masked,
}

/// Both pictures, and the history of each row on them.
pub(crate) struct PicturePair<'a> {
    pub(super) golden: &'a RgbaImage,
    pub(super) actual: &'a RgbaImage,
    pub(super) before: RowMap,
    pub(super) after: RowMap,
    pub(super) fates: Vec<RowFate>,
    /// Distances by which rows moved, the most frequent first.
    pub(super) moves: Vec<(i32, i32)>,
    /// True for each of the golden's rows that moved.
    pub(super) moved: Vec<bool>,
    /// Places of all rows that were added, removed, moved or changed, with their shadows.
    changed_places: Vec<Rect>,
}

impl<'a> PicturePair<'a> {
    /// Compares the rows of two pictures of the same size. `changes` are the changes of the rows; only those
    /// of the order are used, since the alignment finds the others itself. Rows that it cannot pair count as
    /// added or removed.
    pub(crate) fn new(
        pictures: (&'a RgbaImage, &'a RgbaImage),
        golden: &[Row],
        actual: &[Row],
        changes: &[RowChange],
    ) -> Self {
        let (old, new) = pictures;
        let mut fates = vec![RowFate::Added; actual.len()];
        let mut gone: Vec<bool> = vec![true; golden.len()];
        // The alignment leaves rows that changed their order without a partner; their changes name it.
        let order = changes
            .iter()
            .filter(|change| matches!(change.change, Change::Order(..)))
            .map(|change| (change.golden, change.actual));
        for (before, after) in align(golden, actual).into_iter().chain(order) {
            let pair = before.zip(after);
            if let Some((before, after)) = pair
                && let (Some(row), Some(now)) = (golden.get(before), actual.get(after))
                && let Ok(number) = u16::try_from(before)
            {
                fates[after] = fate(number, row, now);
                gone[before] = false;
            }
        }
        let mut sides = Self {
            golden: old,
            actual: new,
            before: RowMap::new(golden, old.dimensions()),
            after: RowMap::new(actual, new.dimensions()),
            fates,
            moves: Vec::new(),
            moved: vec![false; golden.len()],
            changed_places: Vec::new(),
        };
        sides.collect_changes(golden, &gone, actual);
        sides
    }

    /// Collects the distances by which rows moved, those of most rows first and [`MAX_MOVES`] at most, and the
    /// places of rows that changed in any way, widened by a shadow.
    fn collect_changes(&mut self, golden: &[Row], gone: &[bool], actual: &[Row]) {
        let mut moves: HashMap<(i32, i32), usize> = HashMap::new();
        let went = golden.iter().zip(gone).filter(|(_, is_gone)| **is_gone);
        let mut changed_places: Vec<Rect> = went.filter_map(|(row, _)| row.bounds).collect();
        for (fate, now) in self.fates.iter().zip(actual) {
            let was = match fate {
                RowFate::Moved { by: (0, 0), .. } | RowFate::Masked => continue,
                RowFate::Moved { golden, by } => {
                    *moves.entry(*by).or_default() += 1;
                    self.moved[usize::from(*golden)] = true;
                    Some(*golden)
                }
                RowFate::Changed { golden, .. } => Some(*golden),
                RowFate::Added => None,
            };
            let was = was.and_then(|was| golden.get(usize::from(was))?.bounds);
            changed_places.extend(was.into_iter().chain(now.bounds));
        }
        let mut moves: Vec<_> = moves.into_iter().collect();
        moves.sort_by_key(|(by, rows)| (std::cmp::Reverse(*rows), *by));
        moves.truncate(MAX_MOVES);
        self.moves = moves.into_iter().map(|(by, _)| by).collect();
        self.changed_places = changed_places
            .into_iter()
            .map(|rect| grow(rect, MAX_SHADOW))
            .collect();
    }

    /// Returns the look of a row on the screen, as a part of its identity: its colours if it has words or if other rows
    /// lie in it, else a hash of its pixels. Returns an empty text if the row has no place on the picture.
    pub(crate) fn look(&self, actual: usize, has_words: bool) -> String {
        let Ok(owner) = u16::try_from(actual) else {
            return String::new();
        };
        let Some(place) = self.after.bounds(owner) else {
            return String::new();
        };
        if has_words || self.after.is_ground(owner) {
            return Colours::from_row(self.actual, &self.after, owner).look();
        }
        crate::picture::crop(self.actual, place)
            .map_or_else(String::new, |part| crate::golden::hash(part.as_raw()))
    }

    /// Returns the new colours of a row with other words or another size, whose drawing is not compared
    /// otherwise. Pixels that `mask` leaves out do not count. Added, masked and unchanged rows have none.
    pub(crate) fn other_colours(&self, actual: usize, mask: &PixelMask) -> Vec<Colour> {
        let (Ok(owner), Some(RowFate::Changed { golden, .. })) =
            (u16::try_from(actual), self.fates.get(actual))
        else {
            return Vec::new();
        };
        let open = |x, y| mask.is_open(x, y);
        let before = Colours::from_row_where(self.golden, &self.before, *golden, open);
        Colours::from_row_where(self.actual, &self.after, owner, open).new_since(&before)
    }

    /// Returns the places of the added rows among the first `MAX_ROWS`. Their pixels are new, so they do not tell what
    /// was beside a place before.
    pub(crate) fn added_places(&self) -> impl Iterator<Item = Rect> + '_ {
        let is_added = |fate: &RowFate| matches!(fate, RowFate::Added);
        let rows = (0..).zip(self.fates.iter().take(MAX_ROWS));
        rows.filter(move |(_, fate)| is_added(fate))
            .filter_map(|(at, _)| self.after.bounds(at))
    }

    /// Returns true if any row is on both sides and moved without another change.
    pub(crate) fn have_moved(&self) -> bool {
        !self.moves.is_empty()
    }

    /// Returns true if the rows do not contradict that `area` moved by this distance. An added row denies it, and so
    /// does a row that moved by another distance, unless it holds the area before and after. A row counts if the common
    /// part is at least half of the smaller of both. Grounds, changed and masked rows deny nothing.
    pub(crate) fn allow_move(&self, by: (i32, i32), area: &Rect) -> bool {
        let from = shift_rect(*area, (by.0.saturating_neg(), by.1.saturating_neg()));
        let denies = |(at, fate): (u16, &RowFate)| {
            let Some(place) = self.after.bounds(at).filter(|_| !self.after.is_ground(at)) else {
                return false;
            };
            let common = place.intersection(area).map_or(0, |common| common.area());
            // A row that only touches the area says nothing.
            if common == 0 || common * 2 < place.area().min(area.area()) {
                return false;
            }
            match fate {
                RowFate::Added => true,
                RowFate::Moved { by: own, .. } => {
                    *own != by && !(place.encloses(area) && place.encloses(&from))
                }
                RowFate::Changed { .. } | RowFate::Masked => false,
            }
        };
        !(0..).zip(self.fates.iter().take(MAX_ROWS)).any(denies)
    }

    /// Calls `act` once for each pixel of the places that lies on the picture, line by line. Its last argument is true
    /// if the pixel lies in or beside a row that came, went, moved or changed. Of more than [`MAX_PLACES`] places, the
    /// rectangle around all is taken.
    pub(super) fn each_pixel(&self, places: &[Cluster], mut act: impl FnMut(i32, i32, bool)) {
        let (width, height) = self.actual.dimensions();
        let whole = Rect::new(0, 0, width as i32, height as i32);
        let mut places: Vec<Rect> = places
            .iter()
            .filter_map(|place| place.bounds.intersection(&whole))
            .collect();
        if places.len() > MAX_PLACES {
            let around = places.into_iter().reduce(|one, other| one.union(&other));
            places = around.into_iter().collect();
        }
        for y in whole.top..whole.bottom {
            let here = places
                .iter()
                .filter(|place| (place.top..place.bottom).contains(&y));
            let mut columns: Vec<(i32, i32)> =
                here.map(|place| (place.left, place.right)).collect();
            if columns.is_empty() {
                continue;
            }
            columns.sort_unstable();
            let near = self.beside_changes(y);
            // Places may overlap, and `act` must be called once for each pixel.
            let mut done = 0;
            for (left, right) in columns {
                for x in left.max(done)..right {
                    act(x, y, near[x as usize]);
                }
                done = done.max(right);
            }
        }
    }

    /// Returns for each pixel of line `y` true if it lies in or beside a row that was added, removed, moved
    /// or changed, up to the width of a shadow.
    fn beside_changes(&self, y: i32) -> Vec<bool> {
        let width = self.actual.width() as i32;
        let mut near = vec![false; width as usize];
        for place in &self.changed_places {
            if (place.top..place.bottom).contains(&y) {
                let (left, right) = (place.left.clamp(0, width), place.right.clamp(0, width));
                near[left as usize..right.max(left) as usize].fill(true);
            }
        }
        near
    }

    pub(super) fn was(&self, x: i32, y: i32) -> Option<Colour> {
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        Some(self.golden.get_pixel_checked(x, y)?.0)
    }
}

/// Compares a row of the golden with its partner: moved if size, text and hint are the same, also by nothing, else
/// changed. A row that is masked on either side is not compared; one without bounds on either side counts as added.
fn fate(golden: u16, before: &Row, after: &Row) -> RowFate {
    if before.is_masked() || after.is_masked() {
        return RowFate::Masked;
    }
    let (Some(was), Some(is)) = (before.bounds, after.bounds) else {
        return RowFate::Added;
    };
    let by = (
        is.left.saturating_sub(was.left),
        is.top.saturating_sub(was.top),
    );
    let same_size = (was.width(), was.height()) == (is.width(), is.height());
    if same_size && before.text == after.text && before.hint == after.hint {
        return RowFate::Moved { golden, by };
    }
    let end_by = (
        is.right.saturating_sub(was.right),
        is.bottom.saturating_sub(was.bottom),
    );
    RowFate::Changed {
        golden,
        by: [by, end_by],
    }
}

/// Moves a rectangle, limited at the ends of the numbers.
fn shift_rect(rect: Rect, (x, y): (i32, i32)) -> Rect {
    Rect::new(
        rect.left.saturating_add(x),
        rect.top.saturating_add(y),
        rect.right.saturating_add(x),
        rect.bottom.saturating_add(y),
    )
}

/// Widens a rectangle on all sides.
fn grow(rect: Rect, by: i32) -> Rect {
    Rect::new(
        rect.left.saturating_sub(by),
        rect.top.saturating_sub(by),
        rect.right.saturating_add(by),
        rect.bottom.saturating_add(by),
    )
}

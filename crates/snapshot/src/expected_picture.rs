//! Computes the picture that the golden would be if its rows had only moved to their present places. All
//! differences from it are changes that no row shows.

use std::collections::HashMap;

use image::{Rgba, RgbaImage};

use super::colours::{Colour, Colours};
use super::picture::{Cluster, PixelMask, Shift, looks_alike};
use super::row::Row;
use super::row_map::{MAX_ROWS, NONE, RowMap};
use super::rows_diff::{Change, RowChange, align};
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
enum RowFate {
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
pub(super) struct PicturePair<'a> {
    golden: &'a RgbaImage,
    actual: &'a RgbaImage,
    before: RowMap,
    after: RowMap,
    fates: Vec<RowFate>,
    /// Distances by which rows moved, the most frequent first.
    moves: Vec<(i32, i32)>,
    /// True for each of the golden's rows that moved.
    moved: Vec<bool>,
    /// Places of all rows that were added, removed, moved or changed, with their shadows.
    changed_places: Vec<Rect>,
}

/// Expected picture; `has_moved` is true if content moved in it that no row shows.
pub(super) struct ExpectedPicture {
    pub picture: RgbaImage,
    pub has_moved: bool,
}

impl<'a> PicturePair<'a> {
    /// Compares the rows of two pictures of the same size. `changes` are the changes of the rows; only those
    /// of the order are used, since the alignment finds the others itself. Rows that it cannot pair count as
    /// added or removed.
    pub(super) fn new(
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
    pub(super) fn look(&self, actual: usize, has_words: bool) -> String {
        let Ok(owner) = u16::try_from(actual) else {
            return String::new();
        };
        let Some(place) = self.after.bounds(owner) else {
            return String::new();
        };
        if has_words || self.after.is_ground(owner) {
            return Colours::from_row(self.actual, &self.after, owner).look();
        }
        super::picture::crop(self.actual, place)
            .map_or_else(String::new, |part| super::golden::hash(part.as_raw()))
    }

    /// Returns the new colours of a row with other words or another size, whose drawing is not compared
    /// otherwise. Pixels that `mask` leaves out do not count. Added, masked and unchanged rows have none.
    pub(super) fn other_colours(&self, actual: usize, mask: &PixelMask) -> Vec<Colour> {
        let (Ok(owner), Some(RowFate::Changed { golden, .. })) =
            (u16::try_from(actual), self.fates.get(actual))
        else {
            return Vec::new();
        };
        let open = |x, y| mask.is_open(x, y);
        let before = Colours::from_row_where(self.golden, &self.before, *golden, open);
        Colours::from_row_where(self.actual, &self.after, owner, open).new_since(&before)
    }

    /// Computes the expected picture: the new one, with the pixels put back that no change of the rows
    /// explains. `places` are the places where the pictures differ, and only they are examined. `shifts` is
    /// content that is drawn elsewhere now.
    pub(super) fn expected(&self, places: &[Cluster], shifts: &[Shift]) -> ExpectedPicture {
        let mut painter = Painter::new(self, shifts);
        let mut picture = self.actual.clone();
        self.each_pixel(places, |x, y, is_near| {
            if let Some(pixel) = painter.pixel(x, y, is_near) {
                picture.put_pixel(x as u32, y as u32, Rgba(pixel));
            }
        });
        ExpectedPicture {
            picture,
            has_moved: painter.has_moved,
        }
    }

    /// Returns the golden with the pixels of the new picture wherever the two differ only because rows moved.
    /// Only `places` are examined.
    pub(super) fn golden_but_for_moves(&self, places: &[Cluster]) -> RgbaImage {
        let mut painter = Painter::new(self, &[]);
        let mut picture = self.golden.clone();
        self.each_pixel(places, |x, y, is_near| {
            if painter.is_move(x, y, is_near) {
                let (x, y) = (x as u32, y as u32);
                picture.put_pixel(x, y, *self.actual.get_pixel(x, y));
            }
        });
        picture
    }

    /// Returns the places of the added rows among the first `MAX_ROWS`. Their pixels are new, so they do not tell what
    /// was beside a place before.
    pub(super) fn added_places(&self) -> impl Iterator<Item = Rect> + '_ {
        let is_added = |fate: &RowFate| matches!(fate, RowFate::Added);
        let rows = (0..).zip(self.fates.iter().take(MAX_ROWS));
        rows.filter(move |(_, fate)| is_added(fate))
            .filter_map(|(at, _)| self.after.bounds(at))
    }

    /// Returns true if any row is on both sides and moved without another change.
    pub(super) fn have_moved(&self) -> bool {
        !self.moves.is_empty()
    }

    /// Returns true if the rows do not contradict that `area` moved by this distance. An added row denies it, and so
    /// does a row that moved by another distance, unless it holds the area before and after. A row counts if the common
    /// part is at least half of the smaller of both. Grounds, changed and masked rows deny nothing.
    pub(super) fn allow_move(&self, by: (i32, i32), area: &Rect) -> bool {
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
    fn each_pixel(&self, places: &[Cluster], mut act: impl FnMut(i32, i32, bool)) {
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

    fn was(&self, x: i32, y: i32) -> Option<Colour> {
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

struct Painter<'a> {
    sides: &'a PicturePair<'a>,
    shifts: &'a [Shift],
    /// Colours of each of the golden's rows where no other row lies on it.
    grounds: Vec<Option<Vec<Colour>>>,
    /// Colour changes of each row that has other words now.
    recoloured: HashMap<u16, Vec<(Colour, Colour)>>,
    has_moved: bool,
}

impl<'a> Painter<'a> {
    /// Creates a painter; colours are computed once they are needed.
    fn new(sides: &'a PicturePair<'a>, shifts: &'a [Shift]) -> Self {
        Self {
            sides,
            shifts,
            // The last one is for pixels outside of all rows.
            grounds: vec![None; sides.before.len() + 1],
            recoloured: HashMap::new(),
            has_moved: false,
        }
    }

    /// Returns true if rows that moved explain this pixel: it was elsewhere before, or is the ground or
    /// shadow that a moved row uncovered. Pixels of added, changed and masked rows are none.
    fn is_move(&mut self, x: i32, y: i32, is_near: bool) -> bool {
        let sides = self.sides;
        let now = sides.actual.get_pixel(x as u32, y as u32).0;
        let owner = sides.after.at(x, y);
        let (before, by) = match sides.fates.get(usize::from(owner)) {
            Some(RowFate::Moved { golden, by }) => (*golden, *by),
            Some(_) => return false,
            // Pixels outside of all rows are the ground of the screen, which stays.
            None => (NONE, (0, 0)),
        };
        let (from_x, from_y) = (x.saturating_sub(by.0), y.saturating_sub(by.1));
        let Some(was) = sides.was(from_x, from_y) else {
            return false;
        };
        let there = sides.before.at(from_x, from_y);
        if there != before {
            let went_on = sides
                .moved
                .get(usize::from(there))
                .is_some_and(|moved| *moved);
            let grounds = self.ground(before);
            return went_on && grounds.iter().any(|ground| looks_alike(*ground, now));
        }
        let is_ground = sides.before.is_ground(before);
        if was == now || is_ground && looks_alike(was, now) {
            return by != (0, 0);
        }
        is_ground
            && ((is_near && self.is_ground_or_shade(before, now))
                || (before == NONE && self.moved_with_rows(x, y, now)))
    }

    /// Returns the colour that a pixel should have if nothing but the rows changed. Returns `None` if that is
    /// the present one, or if the row was added or is masked. Sets `has_moved` if content inside a row was
    /// drawn elsewhere before.
    fn pixel(&mut self, x: i32, y: i32, is_near: bool) -> Option<Colour> {
        let sides = self.sides;
        let now = sides.actual.get_pixel(x as u32, y as u32).0;
        let owner = sides.after.at(x, y);
        let (before, by) = match sides.fates.get(usize::from(owner)) {
            Some(RowFate::Added | RowFate::Masked) => return None,
            Some(RowFate::Changed { golden, by }) => {
                // A row at the edge of the screen is cut off, and shows what it did before.
                let is_same = |by: &(i32, i32)| {
                    let from = (x.saturating_sub(by.0), y.saturating_sub(by.1));
                    let was = sides.was(from.0, from.1);
                    was.is_some_and(|was| looks_alike(was, now))
                        && sides.before.at(from.0, from.1) == *golden
                };
                if by.iter().any(is_same) {
                    return None;
                }
                return self.before_recolouring(*golden, owner, now);
            }
            Some(RowFate::Moved { golden, by }) => (*golden, *by),
            None => (NONE, (0, 0)),
        };
        let (from_x, from_y) = (x.saturating_sub(by.0), y.saturating_sub(by.1));
        let was = sides.was(from_x, from_y)?;
        if sides.before.at(from_x, from_y) != before {
            // A row lay here and does not any more.
            let grounds = self.ground(before);
            let is_ground = grounds.iter().any(|ground| looks_alike(*ground, now));
            return grounds.first().copied().filter(|_| !is_ground);
        }
        if looks_alike(was, now) {
            // Faint differences are kept for the comparison, since a line of them is a change. But the ground
            // is shaded around rows that move.
            let is_ground = sides.before.is_ground(before);
            let is_shaded = is_ground && (is_near || !sides.moves.is_empty());
            return Some(was).filter(|was| *was != now && !is_shaded);
        }
        if sides.before.is_ground(before) {
            if is_near && self.is_ground_or_shade(before, now) {
                return None;
            }
            if before == NONE && self.moved_with_rows(x, y, now) {
                return None;
            }
        }
        if self.was_drawn_elsewhere((x, y), before, now) {
            self.has_moved = true;
            return None;
        }
        Some(was)
    }

    /// Returns the frequent colours of the golden's row, or outside of all rows those of the screen, computed
    /// once.
    fn ground(&mut self, golden: u16) -> &[Colour] {
        let sides = self.sides;
        let at = usize::from(golden).min(sides.before.len());
        self.grounds[at].get_or_insert_with(|| {
            let colours = Colours::from_row(sides.golden, &sides.before, golden);
            colours.main().collect()
        })
    }

    fn is_ground_or_shade(&mut self, golden: u16, now: Colour) -> bool {
        let grounds = self.ground(golden);
        let is_shade = grounds.first().is_some_and(|ground| is_shade(*ground, now));
        is_shade || grounds.iter().any(|ground| looks_alike(*ground, now))
    }

    /// Returns true if the pixel was outside of all rows before and looks like the one at a distance by which
    /// rows moved. A card that is not a row itself moves with the rows in it.
    fn moved_with_rows(&self, x: i32, y: i32, now: Colour) -> bool {
        let sides = self.sides;
        sides.moves.iter().any(|by| {
            let (x, y) = (x.saturating_sub(by.0), y.saturating_sub(by.1));
            sides.before.at(x, y) == NONE
                && sides.was(x, y).is_some_and(|was| looks_alike(was, now))
        })
    }

    /// Returns true if the row drew this colour elsewhere in itself before, by one of the known shifts, as in
    /// a scrolled list that is one row.
    fn was_drawn_elsewhere(&self, (x, y): (i32, i32), before: u16, now: Colour) -> bool {
        let sides = self.sides;
        let point = runner_screen::Point { x, y };
        self.shifts.iter().any(|shift| {
            let (x, y) = (x.saturating_sub(shift.by.0), y.saturating_sub(shift.by.1));
            shift.areas.iter().any(|area| area.contains(point))
                && sides.before.at(x, y) == before
                && sides.was(x, y).is_some_and(|was| looks_alike(was, now))
        })
    }

    /// Returns the golden's colour in place of this one, if the row was recoloured so; `None` otherwise.
    fn before_recolouring(&mut self, golden: u16, owner: u16, now: Colour) -> Option<Colour> {
        let sides = self.sides;
        let changed = self.recoloured.entry(owner).or_insert_with(|| {
            let before = Colours::from_row(sides.golden, &sides.before, golden);
            before.changed(&Colours::from_row(sides.actual, &sides.after, owner))
        });
        let found = changed.iter().find(|(_, new)| looks_alike(*new, now));
        found.map(|(old, _)| *old)
    }
}

/// Returns true if the colour is the ground under a shadow: at most as bright, at least half as bright, and
/// darker by the same share in each channel, within 12. The ground itself counts.
fn is_shade(ground: Colour, now: Colour) -> bool {
    let sum = |colour: Colour| colour[..3].iter().map(|part| i32::from(*part)).sum::<i32>();
    let (all, shaded) = (sum(ground).max(1), sum(now));
    // A shadow takes at most half of the light, and as much of each colour.
    shaded <= all
        && shaded * 2 >= all
        && ground[..3]
            .iter()
            .zip(&now[..3])
            .all(|(ground, now)| (i32::from(*ground) * shaded / all - i32::from(*now)).abs() <= 12)
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

#[cfg(test)]
mod tests;

//! The picture that a golden would be if its rows had only moved to where they are now. What differs from it is a
//! change that no row shows.

use std::collections::HashMap;

use image::{Rgba, RgbaImage};

use super::colours::{Colour, Colours};
use super::picture::{Cluster, PixelMask, Shift, looks_alike};
use super::row::Row;
use super::row_map::{MOST_ROWS, NONE, RowMap};
use super::rows_diff::{Change, RowChange, align};
use runner_screen::Rect;

/// Shadows reach so far over the bounds.
const NEAR: i32 = 16;

/// More places than this are looked at as one.
const MOST_PLACES: usize = 500;

/// Of more moves than this the most frequent are looked for.
const MOST_MOVES: usize = 16;

/// What became of a golden's row.
#[derive(Debug, Clone, Copy)]
enum RowFate {
    /// It was not there.
    Came,
    /// It says the same in the same size, moved by so much.
    Stayed { golden: u16, by: (i32, i32) },
    /// It says something else, or has another size: only its colours are compared.
    Became {
        golden: u16,
        /// How far its upper left corner moved, and its lower right one.
        by: [(i32, i32); 2],
    },
    /// It is not compared.
    Masked,
}

/// Both pictures and what became of the rows on them.
pub(super) struct PicturePair<'a> {
    golden: &'a RgbaImage,
    actual: &'a RgbaImage,
    before: RowMap,
    after: RowMap,
    fates: Vec<RowFate>,
    /// By how far rows moved, most frequent first.
    moves: Vec<(i32, i32)>,
    /// Which of the golden's rows moved.
    moved: Vec<bool>,
    /// What came, went, moved or became another, with its shadow.
    stirred: Vec<Rect>,
}

/// The picture, and whether anything in it moved that no row shows.
pub(super) struct ExpectedPicture {
    pub picture: RgbaImage,
    pub has_moved: bool,
}

impl<'a> PicturePair<'a> {
    /// Both pictures have the same size. `changes` are those of the rows.
    pub(super) fn of(
        pictures: (&'a RgbaImage, &'a RgbaImage),
        golden: &[Row],
        actual: &[Row],
        changes: &[RowChange],
    ) -> Self {
        let (old, new) = pictures;
        let mut fates = vec![RowFate::Came; actual.len()];
        let mut gone: Vec<bool> = vec![true; golden.len()];
        // The alignment leaves these rows without a partner; their changes name it.
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
            before: RowMap::of(golden, old.dimensions()),
            after: RowMap::of(actual, new.dimensions()),
            fates,
            moves: Vec::new(),
            moved: vec![false; golden.len()],
            stirred: Vec::new(),
        };
        sides.stir(golden, &gone, actual);
        sides
    }

    fn stir(&mut self, golden: &[Row], gone: &[bool], actual: &[Row]) {
        let mut moves: HashMap<(i32, i32), usize> = HashMap::new();
        let went = golden.iter().zip(gone).filter(|(_, is_gone)| **is_gone);
        let mut stirred: Vec<Rect> = went.filter_map(|(row, _)| row.bounds).collect();
        for (fate, now) in self.fates.iter().zip(actual) {
            let was = match fate {
                RowFate::Stayed { by: (0, 0), .. } | RowFate::Masked => continue,
                RowFate::Stayed { golden, by } => {
                    *moves.entry(*by).or_default() += 1;
                    self.moved[usize::from(*golden)] = true;
                    Some(*golden)
                }
                RowFate::Became { golden, .. } => Some(*golden),
                RowFate::Came => None,
            };
            let was = was.and_then(|was| golden.get(usize::from(was))?.bounds);
            stirred.extend(was.into_iter().chain(now.bounds));
        }
        let mut moves: Vec<_> = moves.into_iter().collect();
        moves.sort_by_key(|(by, rows)| (std::cmp::Reverse(*rows), *by));
        moves.truncate(MOST_MOVES);
        self.moves = moves.into_iter().map(|(by, _)| by).collect();
        self.stirred = stirred.into_iter().map(|rect| grown(rect, NEAR)).collect();
    }

    /// Look of a row that was not there: its colours where it has words, else its pixels.
    pub(super) fn look(&self, actual: usize, has_words: bool) -> String {
        let Ok(owner) = u16::try_from(actual) else {
            return String::new();
        };
        let Some(place) = self.after.bounds(owner) else {
            return String::new();
        };
        if has_words || self.after.is_ground(owner) {
            return Colours::of(self.actual, &self.after, owner).look();
        }
        super::picture::crop(self.actual, place)
            .map_or_else(String::new, |part| super::golden::hash(part.as_raw()))
    }

    /// Colours that the row now shows and did not, where it says something else or has another size: what is drawn in it is
    /// compared in no other way. Nothing of other rows.
    pub(super) fn other_colours(&self, actual: usize, mask: &PixelMask) -> Vec<Colour> {
        let (Ok(owner), Some(RowFate::Became { golden, .. })) =
            (u16::try_from(actual), self.fates.get(actual))
        else {
            return Vec::new();
        };
        let open = |x, y| mask.is_open(x, y);
        let before = Colours::of_open(self.golden, &self.before, *golden, open);
        Colours::of_open(self.actual, &self.after, owner, open).new_since(&before)
    }

    /// `places` are where the pictures differ; `shifts` what is drawn elsewhere now.
    pub(super) fn expected(&self, places: &[Cluster], shifts: &[Shift]) -> ExpectedPicture {
        let mut painter = Painter::of(self, shifts);
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

    /// The golden, but for what differs only because rows moved: that is as it is now.
    pub(super) fn golden_but_for_moves(&self, places: &[Cluster]) -> RgbaImage {
        let mut painter = Painter::of(self, &[]);
        let mut picture = self.golden.clone();
        self.each_pixel(places, |x, y, is_near| {
            if painter.is_move(x, y, is_near) {
                let (x, y) = (x as u32, y as u32);
                picture.put_pixel(x, y, *self.actual.get_pixel(x, y));
            }
        });
        picture
    }

    /// Places of rows that were not there: there, what is beside something says nothing of it.
    pub(super) fn came(&self) -> impl Iterator<Item = Rect> + '_ {
        let came = |fate: &RowFate| matches!(fate, RowFate::Came);
        let rows = (0..).zip(self.fates.iter().take(MOST_ROWS));
        rows.filter(move |(_, fate)| came(fate))
            .filter_map(|(at, _)| self.after.bounds(at))
    }

    /// Whether any row stands elsewhere.
    pub(super) fn have_moved(&self) -> bool {
        !self.moves.is_empty()
    }

    /// Whether what the rows there say does not deny that `area` moved by so much.
    pub(super) fn allow_move(&self, by: (i32, i32), area: &Rect) -> bool {
        let from = moved(*area, (by.0.saturating_neg(), by.1.saturating_neg()));
        let denies = |(at, fate): (u16, &RowFate)| {
            let Some(place) = self.after.bounds(at).filter(|_| !self.after.is_ground(at)) else {
                return false;
            };
            let common = place.intersection(area).map_or(0, |common| common.area());
            // What only touches it says nothing.
            if common == 0 || common * 2 < place.area().min(area.area()) {
                return false;
            }
            match fate {
                RowFate::Came => true,
                RowFate::Stayed { by: own, .. } => {
                    *own != by && !(place.encloses(area) && place.encloses(&from))
                }
                RowFate::Became { .. } | RowFate::Masked => false,
            }
        };
        !(0..).zip(self.fates.iter().take(MOST_ROWS)).any(denies)
    }

    /// Calls `act` for each pixel of the places, with whether it lies beside what was stirred.
    fn each_pixel(&self, places: &[Cluster], mut act: impl FnMut(i32, i32, bool)) {
        let (width, height) = self.actual.dimensions();
        let whole = Rect::new(0, 0, width as i32, height as i32);
        let mut places: Vec<Rect> = places
            .iter()
            .filter_map(|place| place.bounds.intersection(&whole))
            .collect();
        if places.len() > MOST_PLACES {
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
            let near = self.near(y);
            // Places may overlap, and `act` is to meet each pixel once.
            let mut done = 0;
            for (left, right) in columns {
                for x in left.max(done)..right {
                    act(x, y, near[x as usize]);
                }
                done = done.max(right);
            }
        }
    }

    /// Which pixels of a line lie beside what was stirred.
    fn near(&self, y: i32) -> Vec<bool> {
        let width = self.actual.width() as i32;
        let mut near = vec![false; width as usize];
        for place in &self.stirred {
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

fn fate(golden: u16, before: &Row, after: &Row) -> RowFate {
    if before.is_masked() || after.is_masked() {
        return RowFate::Masked;
    }
    let (Some(was), Some(is)) = (before.bounds, after.bounds) else {
        return RowFate::Came;
    };
    let by = (
        is.left.saturating_sub(was.left),
        is.top.saturating_sub(was.top),
    );
    let same_size = (was.width(), was.height()) == (is.width(), is.height());
    if same_size && before.text == after.text && before.hint == after.hint {
        return RowFate::Stayed { golden, by };
    }
    let end_by = (
        is.right.saturating_sub(was.right),
        is.bottom.saturating_sub(was.bottom),
    );
    RowFate::Became {
        golden,
        by: [by, end_by],
    }
}

struct Painter<'a> {
    sides: &'a PicturePair<'a>,
    shifts: &'a [Shift],
    /// Colours of the golden's rows where nothing lies on them.
    grounds: Vec<Option<Vec<Colour>>>,
    /// Which colour became which, of rows that say something else.
    recoloured: HashMap<u16, Vec<(Colour, Colour)>>,
    has_moved: bool,
}

impl<'a> Painter<'a> {
    fn of(sides: &'a PicturePair<'a>, shifts: &'a [Shift]) -> Self {
        Self {
            sides,
            shifts,
            // The last one is that of no row.
            grounds: vec![None; sides.before.len() + 1],
            recoloured: HashMap::new(),
            has_moved: false,
        }
    }

    /// Whether what is here stood elsewhere, or is the ground that something uncovered which moved.
    fn is_move(&mut self, x: i32, y: i32, is_near: bool) -> bool {
        let sides = self.sides;
        let now = sides.actual.get_pixel(x as u32, y as u32).0;
        let owner = sides.after.at(x, y);
        let (before, by) = match sides.fates.get(usize::from(owner)) {
            Some(RowFate::Stayed { golden, by }) => (*golden, *by),
            Some(_) => return false,
            // What belongs to no row is the ground of the screen, which stays where it is.
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

    /// What would be here; `None` where that is what is here.
    fn pixel(&mut self, x: i32, y: i32, is_near: bool) -> Option<Colour> {
        let sides = self.sides;
        let now = sides.actual.get_pixel(x as u32, y as u32).0;
        let owner = sides.after.at(x, y);
        let (before, by) = match sides.fates.get(usize::from(owner)) {
            Some(RowFate::Came | RowFate::Masked) => return None,
            Some(RowFate::Became { golden, by }) => {
                // At the edge of the screen a row is cut off, and shows what it did.
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
            Some(RowFate::Stayed { golden, by }) => (*golden, *by),
            None => (NONE, (0, 0)),
        };
        let (from_x, from_y) = (x.saturating_sub(by.0), y.saturating_sub(by.1));
        let was = sides.was(from_x, from_y)?;
        if sides.before.at(from_x, from_y) != before {
            // Something lay here that does not any more.
            let grounds = self.ground(before);
            let is_ground = grounds.iter().any(|ground| looks_alike(*ground, now));
            return grounds.first().copied().filter(|_| !is_ground);
        }
        if looks_alike(was, now) {
            // The comparison judges what is faint, for a line of it is a change; but the ground is shaded around what moves.
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

    fn ground(&mut self, golden: u16) -> &[Colour] {
        let sides = self.sides;
        let at = usize::from(golden).min(sides.before.len());
        self.grounds[at].get_or_insert_with(|| {
            let colours = Colours::of(sides.golden, &sides.before, golden);
            colours.main().collect()
        })
    }

    fn is_ground_or_shade(&mut self, golden: u16, now: Colour) -> bool {
        let grounds = self.ground(golden);
        let is_shade = grounds.first().is_some_and(|ground| is_shade(*ground, now));
        is_shade || grounds.iter().any(|ground| looks_alike(*ground, now))
    }

    /// A card that is not a row of its own moves with the rows in it.
    fn moved_with_rows(&self, x: i32, y: i32, now: Colour) -> bool {
        let sides = self.sides;
        sides.moves.iter().any(|by| {
            let (x, y) = (x.saturating_sub(by.0), y.saturating_sub(by.1));
            sides.before.at(x, y) == NONE
                && sides.was(x, y).is_some_and(|was| looks_alike(was, now))
        })
    }

    /// What a row draws in itself may move in it: a list that is one row was scrolled.
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

    fn before_recolouring(&mut self, golden: u16, owner: u16, now: Colour) -> Option<Colour> {
        let sides = self.sides;
        let changed = self.recoloured.entry(owner).or_insert_with(|| {
            let before = Colours::of(sides.golden, &sides.before, golden);
            before.changed(&Colours::of(sides.actual, &sides.after, owner))
        });
        let found = changed.iter().find(|(_, new)| looks_alike(*new, now));
        found.map(|(old, _)| *old)
    }
}

/// Whether a shadow lies on the ground.
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

fn moved(rect: Rect, (x, y): (i32, i32)) -> Rect {
    Rect::new(
        rect.left.saturating_add(x),
        rect.top.saturating_add(y),
        rect.right.saturating_add(x),
        rect.bottom.saturating_add(y),
    )
}

fn grown(rect: Rect, by: i32) -> Rect {
    Rect::new(
        rect.left.saturating_sub(by),
        rect.top.saturating_sub(by),
        rect.right.saturating_add(by),
        rect.bottom.saturating_add(by),
    )
}

#[cfg(test)]
mod tests;

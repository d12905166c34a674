//! Colours of single pixels: those that moved rows explain, and those that should be there.

use std::collections::HashMap;

use super::super::colours::{Colour, Colours};
use super::super::picture::{Shift, looks_alike};
use super::super::row_map::NONE;
use super::picture_pair::{PicturePair, RowFate};

pub(super) struct Painter<'a> {
    sides: &'a PicturePair<'a>,
    shifts: &'a [Shift],
    /// Colours of each of the golden's rows where no other row lies on it.
    grounds: Vec<Option<Vec<Colour>>>,
    /// Colour changes of each row that has other words now.
    recoloured: HashMap<u16, Vec<(Colour, Colour)>>,
    pub(super) has_moved: bool,
}

impl<'a> Painter<'a> {
    /// Creates a painter; colours are computed once they are needed.
    pub(super) fn new(sides: &'a PicturePair<'a>, shifts: &'a [Shift]) -> Self {
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
    pub(super) fn is_move(&mut self, x: i32, y: i32, is_near: bool) -> bool {
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
    pub(super) fn pixel(&mut self, x: i32, y: i32, is_near: bool) -> Option<Colour> {
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

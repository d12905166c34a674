//! Finds the row that a pixel belongs to: the smallest one at that place.

use std::cell::OnceCell;

use super::row::Row;
use runner_screen::Rect;

/// Number of rows that are considered. Chosen: more than any screen has, and their numbers fit into 16 bits.
pub(super) const MAX_ROWS: usize = 4000;

/// Owner of pixels that belong to no row.
pub(super) const NONE: u16 = u16::MAX;

/// Rows of one side on a picture.
pub(super) struct RowMap {
    width: i32,
    /// Rows with bounds, the largest first: later ones cover it.
    rows: Vec<(u16, Rect)>,
    /// Bounds of each row, in order.
    places: Vec<Option<Rect>>,
    /// True for each row that holds others.
    holders: Vec<bool>,
    /// Owners of each line of pixels, computed when needed.
    lines: Vec<OnceCell<Box<[u16]>>>,
}

impl RowMap {
    /// Maps pixels to the first [`MAX_ROWS`] rows: the smallest row at a pixel owns it, of equally large ones the last.
    /// Rows without size own none. A row that encloses another with other bounds is a ground. Owners are computed line
    /// by line when they are asked for.
    pub(super) fn new(rows: &[Row], (width, height): (u32, u32)) -> Self {
        let bounds = |row: &Row| row.bounds.filter(|bounds| !bounds.is_empty());
        let mut found: Vec<(u16, Rect)> = (0..)
            .zip(rows.iter().take(MAX_ROWS))
            .filter_map(|(at, row)| Some((at, bounds(row)?)))
            .collect();
        found.sort_by_key(|(_, bounds)| std::cmp::Reverse(bounds.area()));
        let mut holders = vec![false; rows.len().min(MAX_ROWS)];
        for (at, outer) in &found {
            holders[usize::from(*at)] = found
                .iter()
                // Two rows with equal bounds hold each other; that alone makes neither a ground.
                .any(|(_, inner)| inner != outer && outer.encloses(inner));
        }
        let mut places = vec![None; holders.len()];
        for (at, place) in &found {
            places[usize::from(*at)] = Some(*place);
        }
        Self {
            places,
            width: i32::try_from(width).unwrap_or(i32::MAX),
            rows: found,
            holders,
            lines: vec![OnceCell::new(); height as usize],
        }
    }

    /// Returns true if other rows lie in this one, or if it is [`NONE`].
    pub(super) fn is_ground(&self, owner: u16) -> bool {
        self.holders.get(usize::from(owner)).is_none_or(|is| *is)
    }

    /// Returns the owners of a line of pixels; empty outside of the picture.
    pub(super) fn line(&self, y: i32) -> &[u16] {
        let line = usize::try_from(y).ok().and_then(|at| self.lines.get(at));
        line.map_or(&[], |line| line.get_or_init(|| self.owners(y)))
    }

    /// Computes the owner of each pixel of a line; [`NONE`] for those of no row.
    fn owners(&self, y: i32) -> Box<[u16]> {
        let mut line = vec![NONE; self.width as usize];
        for (at, bounds) in &self.rows {
            if (bounds.top..bounds.bottom).contains(&y) {
                let left = bounds.left.clamp(0, self.width) as usize;
                let right = bounds.right.clamp(0, self.width) as usize;
                line[left..right.max(left)].fill(*at);
            }
        }
        line.into()
    }

    /// Returns the owner of a pixel; [`NONE`] outside of the picture.
    pub(super) fn at(&self, x: i32, y: i32) -> u16 {
        let owner = usize::try_from(x).ok().and_then(|x| self.line(y).get(x));
        owner.copied().unwrap_or(NONE)
    }

    /// Returns the number of rows, [`MAX_ROWS`] at most.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the bounds of a row; `None` for one without bounds and beyond [`MAX_ROWS`].
    pub(super) fn bounds(&self, owner: u16) -> Option<Rect> {
        self.places.get(usize::from(owner)).copied().flatten()
    }
}

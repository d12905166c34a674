//! Judging the pixels that are not equal, one by one and then in lines.

use std::ops::Range;

use super::clusters::Grid;
use super::compare::{Comparison, differing};
use super::distance::{FAINT, Pixels, VISIBLE, distance, is_edge, is_smoothing};

/// So many pixels in a straight line, each excused as smoothing or as faint, are no noise: a divider came or went, a
/// background changed its shade.
const LINE: u32 = 24;

/// Along an edge that is in both pictures the line must be so long: the stem of a large letter is smoothed evenly from
/// its foot to its top. The edges of bars and cards are longer.
const EDGE_LINE: u32 = 128;

/// What became of a pixel that is not equal.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Judged {
    Same,
    Changed,
    Smoothed,
    Faint,
    /// Differs by less than could ever matter.
    Noise,
}

impl Judged {
    fn is_excused(self) -> bool {
        matches!(self, Self::Smoothed | Self::Faint)
    }
}

/// Judges spans of two pictures of the same size, then concludes.
pub(super) struct Judge<'a> {
    golden: Pixels<'a>,
    actual: Pixels<'a>,
    judged: Vec<Judged>,
    /// Rows and columns that hold a pixel which is not equal.
    rows: Range<u32>,
    columns: Range<u32>,
    /// How many pixels are excused as smoothing or faint.
    excused: u32,
}

impl<'a> Judge<'a> {
    pub(super) fn new(golden: Pixels<'a>, actual: Pixels<'a>) -> Self {
        Self {
            golden,
            actual,
            judged: vec![Judged::Same; golden.width as usize * golden.height as usize],
            rows: 0..0,
            columns: 0..0,
            excused: 0,
        }
    }

    fn at(&mut self, x: u32, y: u32) -> &mut Judged {
        &mut self.judged[y as usize * self.golden.width as usize + x as usize]
    }

    pub(super) fn span(&mut self, y: u32, span: &Range<u32>) {
        let Some(part) = differing(self.golden.span(y, span), self.actual.span(y, span)) else {
            return;
        };
        let part = span.start + part.start..span.start + part.end;
        widen(&mut self.rows, &(y..y + 1));
        widen(&mut self.columns, &part);
        let pixels = self
            .golden
            .span(y, &part)
            .iter()
            .zip(self.actual.span(y, &part));
        for (x, (before, after)) in part.clone().zip(pixels) {
            if before == after {
                continue;
            }
            let distance = distance(*before, *after);
            let judged = if distance <= FAINT {
                Judged::Noise
            } else if distance <= VISIBLE {
                Judged::Faint
            } else if is_smoothing(self.golden, self.actual, (x, y), distance) {
                Judged::Smoothed
            } else {
                Judged::Changed
            };
            self.excused += u32::from(judged.is_excused());
            *self.at(x, y) = judged;
        }
    }

    /// Straight lines of excused pixels are changes after all.
    fn accuse_lines(&mut self) {
        if self.excused < LINE {
            return;
        }
        let (rows, columns) = (self.rows.clone(), self.columns.clone());
        let mut accused = Vec::new();
        // The line that ends here, downwards for each column.
        let mut down = vec![Line::default(); columns.len()];
        for y in rows {
            let mut across = Line::default();
            for (x, down) in columns.clone().zip(&mut down) {
                if !self.at(x, y).is_excused() {
                    (across, *down) = (Line::default(), Line::default());
                    continue;
                }
                let is_edge = |x, y, along| is_edge(self.golden, self.actual, (x, y), along);
                let new = across.grow(|back| is_edge(x - back, y, (1, 0)));
                accused.extend((0..new).map(|back| (x - back, y)));
                let new = down.grow(|back| is_edge(x, y - back, (0, 1)));
                accused.extend((0..new).map(|back| (x, y - back)));
            }
        }
        for (x, y) in accused {
            *self.at(x, y) = Judged::Changed;
        }
    }

    pub(super) fn conclude(mut self, result: &mut Comparison) {
        self.accuse_lines();
        let mut grid = Grid::new(self.golden.width, self.golden.height);
        let columns = self.columns.start as usize..self.columns.end as usize;
        for y in self.rows.clone() {
            let begin = y as usize * self.golden.width as usize;
            let row = &self.judged[begin..][columns.clone()];
            for (x, judged) in self.columns.clone().zip(row) {
                match *judged {
                    Judged::Same => {}
                    Judged::Changed => {
                        result.changed += 1;
                        grid.add(x, y);
                    }
                    Judged::Smoothed => result.smoothed += 1,
                    Judged::Faint | Judged::Noise => result.faint += 1,
                }
            }
        }
        result.clusters = grid.clusters();
    }
}

/// Excused pixels beside each other.
#[derive(Clone, Copy, Default)]
struct Line {
    length: u32,
    /// How many of them lie on no edge.
    plain: u32,
    accused: bool,
}

impl Line {
    /// Takes one pixel more. Gives how many pixels, counted back from it, this adds to the changed ones. `is_edge` tells
    /// of the pixel so many places back; it is not asked in short lines, which most are.
    fn grow(&mut self, is_edge: impl Fn(u32) -> bool) -> u32 {
        self.length += 1;
        if self.accused {
            return 1;
        }
        let unseen = match self.length {
            LINE => LINE,
            length => u32::from(length > LINE),
        };
        self.plain += (0..unseen).filter(|back| !is_edge(*back)).count() as u32;
        self.accused = self.plain >= LINE || self.length >= EDGE_LINE;
        if self.accused { self.length } else { 0 }
    }
}

fn widen(range: &mut Range<u32>, by: &Range<u32>) {
    *range = if range.start >= range.end {
        by.clone()
    } else {
        range.start.min(by.start)..range.end.max(by.end)
    };
}

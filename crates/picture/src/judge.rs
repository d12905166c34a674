//! Judging the pixels that are not equal, one by one and then in lines.

use std::ops::Range;

use super::clusters::Grid;
use super::compare::{Comparison, differing};
use super::distance::{FAINT, Pixels, VISIBLE, distances_of, is_edge, is_smoothing};
use super::recoloured::{MIN_DIFFERING, SQUARE, in_squares, is_recoloured};

/// So many pixels in a straight line, each excused as smoothing or as faint, are not noise: a divider came or went, a
/// background changed its shade.
const LINE: u32 = 24;

/// Along an edge that is in both pictures the line must be so long: the stem of a large letter is smoothed evenly from
/// its foot to its top. The edges of bars and cards are longer.
const EDGE_LINE: u32 = 128;

/// So many pixels are worth a second thread.
const MANY: u32 = 10_000;

/// What became of a pixel that is not equal.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum PixelClass {
    Same,
    Changed,
    Smoothed,
    Faint,
    /// Differs by less than could ever matter.
    Noise,
}

impl PixelClass {
    fn is_excused(self) -> bool {
        matches!(self, Self::Smoothed | Self::Faint)
    }
}

/// Judges rows of two pictures of the same size, one band from the top to the bottom, then concludes.
pub(super) struct PixelClassifier<'a> {
    golden: Pixels<'a>,
    actual: Pixels<'a>,
    /// The rows of the pictures that are judged.
    band: Range<u32>,
    /// One for each pixel of the band; empty while all are equal.
    judged: Vec<PixelClass>,
    /// Rows and columns that hold a pixel which is not equal.
    rows: Range<u32>,
    columns: Range<u32>,
    /// How many pixels are not equal.
    differing: u32,
    /// How many pixels are excused as smoothing or faint.
    excused: u32,
    /// Of the row that is judged.
    distances: Vec<f32>,
}

impl<'a> PixelClassifier<'a> {
    pub(super) fn new(golden: Pixels<'a>, actual: Pixels<'a>, band: Range<u32>) -> Self {
        Self {
            golden,
            actual,
            band,
            judged: Vec::new(),
            rows: 0..0,
            columns: 0..0,
            differing: 0,
            excused: 0,
            distances: Vec::new(),
        }
    }

    fn at(&mut self, x: u32, y: u32) -> &mut PixelClass {
        let row = (y - self.band.start) as usize;
        &mut self.judged[row * self.golden.width as usize + x as usize]
    }

    /// Makes room for the pixels of the band.
    fn fill(&mut self) {
        let pixels = self.band.len() * self.golden.width as usize;
        self.judged.resize(pixels, PixelClass::Same);
    }

    /// With the band below this one.
    #[must_use]
    pub(super) fn join(mut self, mut below: Self) -> Self {
        let all_equal = self.judged.is_empty() && below.judged.is_empty();
        if !all_equal {
            self.fill();
            below.fill();
            self.judged.append(&mut below.judged);
        }
        self.band.end = below.band.end;
        widen(&mut self.rows, &below.rows);
        widen(&mut self.columns, &below.columns);
        self.differing += below.differing;
        self.excused += below.excused;
        self
    }

    pub(super) fn span(&mut self, y: u32, span: &Range<u32>) {
        let Some(part) = differing(self.golden.span(y, span), self.actual.span(y, span)) else {
            return;
        };
        self.fill();
        let part = span.start + part.start..span.start + part.end;
        widen(&mut self.rows, &(y..y + 1));
        widen(&mut self.columns, &part);
        let (before, after) = (self.golden.span(y, &part), self.actual.span(y, &part));
        // Taken out while `self` is read; its memory serves the next row.
        let mut distances = std::mem::take(&mut self.distances);
        distances_of(before, after, &mut distances);
        for (at, x) in part.clone().enumerate() {
            if before[at] == after[at] {
                continue;
            }
            let distance = distances[at];
            let judged = if distance <= FAINT {
                PixelClass::Noise
            } else if distance <= VISIBLE {
                PixelClass::Faint
            } else if is_smoothing(self.golden, self.actual, (x, y), distance) {
                PixelClass::Smoothed
            } else {
                PixelClass::Changed
            };
            self.differing += 1;
            self.excused += u32::from(judged.is_excused());
            *self.at(x, y) = judged;
        }
        self.distances = distances;
    }

    /// Straight lines of excused pixels are changes after all.
    fn accuse_lines(&mut self) {
        if self.excused < LINE {
            return;
        }
        let (across, down) = if self.excused < MANY {
            (self.lines_across(), self.lines_down())
        } else {
            at_once(|| self.lines_across(), || self.lines_down())
        };
        for (x, y) in across.into_iter().chain(down) {
            *self.at(x, y) = PixelClass::Changed;
        }
    }

    /// Squares of excused pixels that show another colour are changes after all.
    fn accuse_colours(&mut self) {
        if self.differing < MIN_DIFFERING {
            return;
        }
        let middle = self.rows.start + (self.rows.len() / 2) as u32;
        let middle = (middle / SQUARE * SQUARE).max(self.rows.start);
        let (upper, lower) = (self.rows.start..middle, middle..self.rows.end);
        let recoloured = if self.differing < MANY {
            self.recoloured(&self.rows)
        } else {
            let (mut found, below) =
                at_once(|| self.recoloured(&upper), || self.recoloured(&lower));
            found.extend(below);
            found
        };
        for (columns, rows) in recoloured {
            for y in rows {
                for x in columns.clone() {
                    let judged = self.at(x, y);
                    if *judged != PixelClass::Same {
                        *judged = PixelClass::Changed;
                    }
                }
            }
        }
    }

    /// The squares of these rows that show another colour: their columns and rows.
    fn recoloured(&self, rows: &Range<u32>) -> Vec<(Range<u32>, Range<u32>)> {
        let mut found = Vec::new();
        for rows in in_squares(rows) {
            for columns in in_squares(&self.columns) {
                let differing = |y: u32| {
                    let pixels = self.pixels(y, &columns).iter();
                    pixels.filter(|judged| **judged != PixelClass::Same).count()
                };
                let differing: usize = rows.clone().map(differing).sum();
                let is_compared = |x, y| self.pixels(y, &(x..x + 1)) != [PixelClass::Same];
                if differing >= MIN_DIFFERING as usize
                    && is_recoloured(self.golden, self.actual, (&columns, &rows), is_compared)
                {
                    found.push((columns, rows.clone()));
                }
            }
        }
        found
    }

    /// The judged pixels of a row between two columns.
    fn pixels(&self, y: u32, columns: &Range<u32>) -> &[PixelClass] {
        let begin = (y - self.band.start) as usize * self.golden.width as usize;
        &self.judged[begin..][columns.start as usize..columns.end as usize]
    }

    /// The judged pixels of a row, between the columns that hold any.
    fn row(&self, y: u32) -> &[PixelClass] {
        self.pixels(y, &self.columns)
    }

    /// Places of all lines to the right.
    fn lines_across(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for y in self.rows.clone() {
            let mut x = self.columns.start;
            for run in self
                .row(y)
                .chunk_by(|one, other| one.is_excused() == other.is_excused())
            {
                let line = x..x + run.len() as u32;
                x = line.end;
                let is_edge = |x| is_edge(self.golden, self.actual, (x, y), (1, 0));
                if run[0].is_excused() && is_line(&line, is_edge) {
                    found.extend(line.map(|x| (x, y)));
                }
            }
        }
        found
    }

    /// Places of all lines downwards.
    fn lines_down(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let mut end_line = |x, line: Range<u32>| {
            let is_edge = |y| is_edge(self.golden, self.actual, (x, y), (0, 1));
            if is_line(&line, is_edge) {
                found.extend(line.map(|y| (x, y)));
            }
        };
        // How long the line is that ends here, for each column.
        let mut lengths = vec![0; self.columns.len()];
        for y in self.rows.clone() {
            for (column, (length, judged)) in lengths.iter_mut().zip(self.row(y)).enumerate() {
                if judged.is_excused() {
                    *length += 1;
                    continue;
                }
                if *length >= LINE {
                    end_line(self.columns.start + column as u32, y - *length..y);
                }
                *length = 0;
            }
        }
        let end = self.rows.end;
        for (x, length) in self.columns.clone().zip(lengths) {
            end_line(x, end - length..end);
        }
        found
    }

    pub(super) fn conclude(mut self, result: &mut Comparison) {
        self.accuse_lines();
        self.accuse_colours();
        let mut grid = Grid::new(self.golden.width, self.golden.height);
        for y in self.rows.clone() {
            for (x, judged) in self.columns.clone().zip(self.row(y)) {
                match *judged {
                    PixelClass::Same => {}
                    PixelClass::Changed => {
                        result.changed += 1;
                        grid.add(x, y);
                    }
                    PixelClass::Smoothed => result.smoothed += 1,
                    PixelClass::Faint | PixelClass::Noise => result.faint += 1,
                }
            }
        }
        result.clusters = grid.clusters();
    }
}

/// Both results, each by a thread of its own.
pub(super) fn at_once<A, B: Send>(
    here: impl FnOnce() -> A,
    there: impl Fn() -> B + Sync,
) -> (A, B) {
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, &there);
        let here = here();
        // A thread that could not start leaves its work to this one.
        let other = match other.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(other)) => other,
            _ => there(),
        };
        (here, other)
    })
}

/// Whether excused pixels beside each other are a line. `is_edge` is not asked of short ones, which most are.
fn is_line(line: &Range<u32>, is_edge: impl Fn(u32) -> bool) -> bool {
    let length = line.len() as u32;
    let plain = || line.clone().filter(|at| !is_edge(*at)).count() as u32;
    length >= EDGE_LINE || (length >= LINE && plain() >= LINE)
}

fn widen(range: &mut Range<u32>, by: &Range<u32>) {
    let is_empty = |range: &Range<u32>| range.start >= range.end;
    *range = if is_empty(by) {
        range.clone()
    } else if is_empty(range) {
        by.clone()
    } else {
        range.start.min(by.start)..range.end.max(by.end)
    };
}

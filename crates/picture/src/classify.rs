//! Classifies the pixels that are not equal: first each by itself, then in lines and in squares.

use std::ops::Range;

use super::clusters::Grid;
use super::comparison::Comparison;
use super::distance::{FAINT, Pixels, VISIBLE, differing, is_edge, is_smoothing, write_distances};
use super::recolour::{MIN_DIFFERING, SQUARE, in_squares, is_recoloured};

/// Length in pixels from which a straight line of differences counts as a change, even if each pixel is
/// excused as anti-aliasing or as faint. A divider that came or went and a background of another shade form
/// such lines. Chosen: with half of it the stems of small letters would count, with twice of it a short
/// divider would pass.
const MIN_LINE: u32 = 24;

/// The same length along an edge that both pictures have. Chosen: the stem of a large letter is anti-aliased
/// evenly from its foot to its top; the edges of bars and cards are longer.
const MIN_EDGE_LINE: u32 = 128;

/// Number of pixels to look at again from which a second thread is worth its start. Chosen.
const MIN_PIXELS_FOR_THREADS: u32 = 10_000;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum PixelClass {
    Same,
    Changed,
    Smoothed,
    Faint,
    /// Differs by so little that it never counts, not even in a line.
    Noise,
}

impl PixelClass {
    fn is_excused(self) -> bool {
        matches!(self, Self::Smoothed | Self::Faint)
    }
}

/// Classifier for the rows of two pictures of the same size. It reads one band from top to bottom, and then
/// draws the conclusions that need the whole band.
pub(super) struct PixelClassifier<'a> {
    golden: Pixels<'a>,
    actual: Pixels<'a>,
    /// Rows of the pictures that are classified.
    band: Range<u32>,
    /// Class of each pixel of the band; empty while all pixels are equal.
    classes: Vec<PixelClass>,
    /// Rows that hold pixels which are not equal.
    rows: Range<u32>,
    columns: Range<u32>,
    /// Number of pixels that are not equal.
    differing: u32,
    /// Number of pixels that are excused as anti-aliased or faint.
    excused: u32,
    /// Buffer for the distances of one row.
    distances: Vec<f32>,
}

impl<'a> PixelClassifier<'a> {
    /// Creates a classifier for a band of rows, which has read nothing yet.
    pub(super) fn new(golden: Pixels<'a>, actual: Pixels<'a>, band: Range<u32>) -> Self {
        Self {
            golden,
            actual,
            band,
            classes: Vec::new(),
            rows: 0..0,
            columns: 0..0,
            differing: 0,
            excused: 0,
            distances: Vec::new(),
        }
    }

    fn at(&mut self, x: u32, y: u32) -> &mut PixelClass {
        let row = (y - self.band.start) as usize;
        &mut self.classes[row * self.golden.width as usize + x as usize]
    }

    /// Makes room for the pixels of the band.
    fn fill(&mut self) {
        let pixels = self.band.len() * self.golden.width as usize;
        self.classes.resize(pixels, PixelClass::Same);
    }

    /// Appends the results of the band right below this one, and returns both as one band. Both must be of the same
    /// pictures.
    #[must_use]
    pub(super) fn join(mut self, mut below: Self) -> Self {
        let all_equal = self.classes.is_empty() && below.classes.is_empty();
        if !all_equal {
            self.fill();
            below.fill();
            self.classes.append(&mut below.classes);
        }
        self.band.end = below.band.end;
        widen(&mut self.rows, &below.rows);
        widen(&mut self.columns, &below.columns);
        self.differing += below.differing;
        self.excused += below.excused;
        self
    }

    /// Classifies the pixels of a span of row `y` and counts those that differ. A span without a difference
    /// allocates nothing.
    pub(super) fn span(&mut self, y: u32, span: &Range<u32>) {
        let Some(part) = differing(self.golden.span(y, span), self.actual.span(y, span)) else {
            return;
        };
        self.fill();
        let part = span.start + part.start..span.start + part.end;
        widen(&mut self.rows, &(y..y + 1));
        widen(&mut self.columns, &part);
        let (before, after) = (self.golden.span(y, &part), self.actual.span(y, &part));
        // Taken out, because `self` is borrowed in the loop; the memory is reused for the next row.
        let mut distances = std::mem::take(&mut self.distances);
        write_distances(before, after, &mut distances);
        for (at, x) in part.clone().enumerate() {
            if before[at] == after[at] {
                continue;
            }
            let distance = distances[at];
            let class = if distance <= FAINT {
                PixelClass::Noise
            } else if distance <= VISIBLE {
                PixelClass::Faint
            } else if is_smoothing(self.golden, self.actual, (x, y), distance) {
                PixelClass::Smoothed
            } else {
                PixelClass::Changed
            };
            self.differing += 1;
            self.excused += u32::from(class.is_excused());
            *self.at(x, y) = class;
        }
        self.distances = distances;
    }

    /// Reclassifies straight lines of excused pixels as changed: those of [`MIN_LINE`] pixels or more, across or down.
    /// Any other pixel interrupts a line, noise too. Lines on an edge that both pictures have must be longer.
    fn reclassify_lines(&mut self) {
        if self.excused < MIN_LINE {
            return;
        }
        let (across, down) = if self.excused < MIN_PIXELS_FOR_THREADS {
            (self.lines_across(), self.lines_down())
        } else {
            run_both(|| self.lines_across(), || self.lines_down())
        };
        for (x, y) in across.into_iter().chain(down) {
            *self.at(x, y) = PixelClass::Changed;
        }
    }

    /// Reclassifies squares that show another colour: all of their pixels that differ, excused ones too,
    /// become changed. Two threads share many pixels.
    fn reclassify_colours(&mut self) {
        if self.differing < MIN_DIFFERING {
            return;
        }
        let middle = self.rows.start + (self.rows.len() / 2) as u32;
        let middle = (middle / SQUARE * SQUARE).max(self.rows.start);
        let (upper, lower) = (self.rows.start..middle, middle..self.rows.end);
        let recoloured = if self.differing < MIN_PIXELS_FOR_THREADS {
            self.recoloured(&self.rows)
        } else {
            let (mut found, below) =
                run_both(|| self.recoloured(&upper), || self.recoloured(&lower));
            found.extend(below);
            found
        };
        for (columns, rows) in recoloured {
            for y in rows {
                for x in columns.clone() {
                    let class = self.at(x, y);
                    if *class != PixelClass::Same {
                        *class = PixelClass::Changed;
                    }
                }
            }
        }
    }

    /// Returns the columns and rows of the squares that show another colour, within these rows. A square with
    /// fewer than [`MIN_DIFFERING`] differing pixels does not count.
    fn recoloured(&self, rows: &Range<u32>) -> Vec<(Range<u32>, Range<u32>)> {
        let mut found = Vec::new();
        for rows in in_squares(rows) {
            for columns in in_squares(&self.columns) {
                let differing = |y: u32| {
                    let pixels = self.pixels(y, &columns).iter();
                    pixels.filter(|class| **class != PixelClass::Same).count()
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

    /// Returns the classes of a row's pixels in these columns.
    fn pixels(&self, y: u32, columns: &Range<u32>) -> &[PixelClass] {
        let begin = (y - self.band.start) as usize * self.golden.width as usize;
        &self.classes[begin..][columns.start as usize..columns.end as usize]
    }

    /// Returns the classes of a row's pixels, within the columns that hold differences.
    fn row(&self, y: u32) -> &[PixelClass] {
        self.pixels(y, &self.columns)
    }

    /// Returns the pixels of all horizontal lines of excused pixels that are long enough.
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

    /// Returns the pixels of all vertical lines of excused pixels that are long enough.
    fn lines_down(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let mut end_line = |x, line: Range<u32>| {
            let is_edge = |y| is_edge(self.golden, self.actual, (x, y), (0, 1));
            if is_line(&line, is_edge) {
                found.extend(line.map(|y| (x, y)));
            }
        };
        // Length of the line that ends here, for each column.
        let mut lengths = vec![0; self.columns.len()];
        for y in self.rows.clone() {
            for (column, (length, class)) in lengths.iter_mut().zip(self.row(y)).enumerate() {
                if class.is_excused() {
                    *length += 1;
                    continue;
                }
                if *length >= MIN_LINE {
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

    /// Judges lines and colours again, adds the numbers of the classes to the result, and sets its clusters, those
    /// of the changed pixels. Noise counts as faint.
    pub(super) fn conclude(mut self, result: &mut Comparison) {
        self.reclassify_lines();
        self.reclassify_colours();
        let mut grid = Grid::new(self.golden.width, self.golden.height);
        for y in self.rows.clone() {
            for (x, class) in self.columns.clone().zip(self.row(y)) {
                match *class {
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

/// Runs both functions at the same time, `there` on a thread of its own, and returns both results. If the
/// thread cannot start or panics, `there` runs again on this thread.
pub(super) fn run_both<A, B: Send>(
    here: impl FnOnce() -> A,
    there: impl Fn() -> B + Sync,
) -> (A, B) {
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, &there);
        let here = here();
        // If the thread could not start or panicked, this one does its work.
        let other = match other.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(other)) => other,
            _ => there(),
        };
        (here, other)
    })
}

/// Returns true if a run of excused pixels counts as a line: from [`MIN_EDGE_LINE`] pixels on, or from
/// [`MIN_LINE`] on if that many are on no edge. `is_edge` is not called for short runs, which most are.
fn is_line(line: &Range<u32>, is_edge: impl Fn(u32) -> bool) -> bool {
    let length = line.len() as u32;
    let plain = || line.clone().filter(|at| !is_edge(*at)).count() as u32;
    length >= MIN_EDGE_LINE || (length >= MIN_LINE && plain() >= MIN_LINE)
}

/// Extends the range so that it holds `by`. An empty `by` changes nothing; an empty range becomes `by`.
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

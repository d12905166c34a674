//! Comparing two pictures of the same size.

use std::cmp::Ordering;
use std::ops::Range;

use image::RgbaImage;

use super::clusters::{Cluster, Grid};
use super::distance::{FAINT, Pixels, VISIBLE, distance, is_smoothing};
use super::mask::PixelMask;
use crate::screen::Rect;

/// So many pixels in a straight line, each excused as smoothing or as faint, are no noise: a divider came or went, an
/// edge moved, a background changed its shade.
const LINE: u32 = 24;

/// Distance of the samples that decide whether a screen was replaced, in pixels.
const SAMPLE: usize = 16;

/// What comparing two pictures came to, before any tolerance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Pixels that changed.
    pub changed: u64,
    /// Pixels that differ by smoothing alone; they do not count.
    pub smoothed: u64,
    /// Pixels that differ less than the eye sees; they do not count.
    pub faint: u64,
    /// Pixels that were compared: all but the masked ones.
    pub compared: u64,
    /// Changed pixels by place, largest cluster first; one around all of them where the screen was replaced.
    pub clusters: Vec<Cluster>,
    /// Mostly another screen: nothing but the count was looked at.
    pub replaced: bool,
}

impl Comparison {
    /// Pixels of the largest cluster.
    pub fn largest(&self) -> u64 {
        self.clusters.first().map_or(0, |cluster| cluster.pixels)
    }

    /// Pixels of all other clusters together.
    pub fn specks(&self) -> u64 {
        self.changed - self.largest()
    }
}

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

/// Compares the open pixels of two pictures of the same size (a caller's duty; else all counts as replaced).
pub fn compare(golden: &RgbaImage, actual: &RgbaImage, mask: &PixelMask) -> Comparison {
    let mut result = Comparison {
        compared: mask.open_pixels(),
        ..Comparison::default()
    };
    if golden.dimensions() != actual.dimensions() {
        result.replaced = true;
        return result;
    }
    let (golden, actual) = (Pixels::of(golden), Pixels::of(actual));
    if is_replaced(golden, actual, mask) {
        count_replaced(golden, actual, mask, &mut result);
        return result;
    }
    let mut judge: Option<Judge<'_>> = None;
    for (y, spans) in mask.spans() {
        for span in spans {
            if golden.span(y, span) != actual.span(y, span) {
                judge
                    .get_or_insert_with(|| Judge::new(golden, actual))
                    .span(y, span);
            }
        }
    }
    if let Some(judge) = judge {
        judge.conclude(&mut result);
    }
    result
}

/// A place where the open pixels of two pictures differ at all, as a rectangle around all such places.
pub fn first_difference(one: &RgbaImage, other: &RgbaImage, mask: &PixelMask) -> Option<Rect> {
    if one.dimensions() != other.dimensions() {
        return Some(Rect::new(0, 0, other.width() as i32, other.height() as i32));
    }
    let (one, other) = (Pixels::of(one), Pixels::of(other));
    let mut around: Option<Rect> = None;
    for (y, spans) in mask.spans() {
        for span in spans {
            if let Some(part) = differing(one.span(y, span), other.span(y, span)) {
                let (left, right) = (span.start + part.start, span.start + part.end);
                let row = Rect::new(left as i32, y as i32, right as i32, y as i32 + 1);
                around = Some(around.map_or(row, |around| around.union(&row)));
            }
        }
    }
    around
}

/// From the first to behind the last pixel that differs.
fn differing(one: &[u8], other: &[u8]) -> Option<Range<u32>> {
    if one == other {
        return None;
    }
    let pixels = || one.chunks_exact(4).zip(other.chunks_exact(4));
    let first = pixels().position(|(a, b)| a != b)?;
    let last = pixels().rposition(|(a, b)| a != b)?;
    Some(first as u32..last as u32 + 1)
}

fn is_replaced(golden: Pixels<'_>, actual: Pixels<'_>, mask: &PixelMask) -> bool {
    let (mut sampled, mut changed) = (0, 0);
    for (y, spans) in mask.spans().step_by(SAMPLE) {
        for span in spans {
            for x in span.clone().step_by(SAMPLE) {
                sampled += 1;
                changed += usize::from(distance(golden.at(x, y), actual.at(x, y)) > VISIBLE);
            }
        }
    }
    // Few samples say nothing of a small picture; that one is cheap to look at in full.
    sampled > 100 && changed * 2 > sampled
}

fn count_replaced(
    golden: Pixels<'_>,
    actual: Pixels<'_>,
    mask: &PixelMask,
    result: &mut Comparison,
) {
    let mut around: Option<Rect> = None;
    for (y, spans) in mask.spans() {
        for span in spans {
            let (one, other) = (golden.span(y, span), actual.span(y, span));
            let Some(part) = differing(one, other) else {
                continue;
            };
            let changed = one
                .chunks_exact(4)
                .zip(other.chunks_exact(4))
                .filter(|(a, b)| {
                    distance([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]) > VISIBLE
                })
                .count() as u64;
            if changed > 0 {
                result.changed += changed;
                let (left, right) = (span.start + part.start, span.start + part.end);
                let row = Rect::new(left as i32, y as i32, right as i32, y as i32 + 1);
                around = Some(around.map_or(row, |around| around.union(&row)));
            }
        }
    }
    result.replaced = true;
    result.clusters = around
        .map(|bounds| Cluster {
            bounds,
            pixels: result.changed,
        })
        .into_iter()
        .collect();
}

struct Judge<'a> {
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
    fn new(golden: Pixels<'a>, actual: Pixels<'a>) -> Self {
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

    fn span(&mut self, y: u32, span: &Range<u32>) {
        let Some(part) = differing(self.golden.span(y, span), self.actual.span(y, span)) else {
            return;
        };
        let part = span.start + part.start..span.start + part.end;
        widen(&mut self.rows, &(y..y + 1));
        widen(&mut self.columns, &part);
        for x in part {
            let (before, after) = (self.golden.at(x, y), self.actual.at(x, y));
            if before == after {
                continue;
            }
            let distance = distance(before, after);
            let judged = if distance <= FAINT {
                Judged::Noise
            } else if distance <= VISIBLE {
                Judged::Faint
            } else if is_smoothing(self.golden, self.actual, x, y)
                || is_smoothing(self.actual, self.golden, x, y)
            {
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
        // Length of the run that ends here, downwards for each column.
        let mut down = vec![0; columns.len()];
        for y in rows {
            let mut across = 0;
            for (x, down) in columns.clone().zip(&mut down) {
                if self.at(x, y).is_excused() {
                    (across, *down) = (across + 1, *down + 1);
                    accused.extend((0..newly_in_line(across)).map(|back| (x - back, y)));
                    accused.extend((0..newly_in_line(*down)).map(|back| (x, y - back)));
                } else {
                    (across, *down) = (0, 0);
                }
            }
        }
        for (x, y) in accused {
            *self.at(x, y) = Judged::Changed;
        }
    }

    fn conclude(mut self, result: &mut Comparison) {
        self.accuse_lines();
        let mut grid = Grid::new(self.golden.width, self.golden.height);
        for y in self.rows.clone() {
            for x in self.columns.clone() {
                match *self.at(x, y) {
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

/// How many pixels, counted back from here, a run of this length adds to a line.
fn newly_in_line(run: u32) -> u32 {
    match run.cmp(&LINE) {
        Ordering::Less => 0,
        Ordering::Equal => LINE,
        Ordering::Greater => 1,
    }
}

fn widen(range: &mut Range<u32>, by: &Range<u32>) {
    *range = if range.start >= range.end {
        by.clone()
    } else {
        range.start.min(by.start)..range.end.max(by.end)
    };
}

#[cfg(test)]
mod tests;

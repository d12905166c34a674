//! Comparing two pictures of the same size.

use std::ops::Range;

use image::RgbaImage;

use super::clusters::Cluster;
use super::distance::{Pixels, VISIBLE, distance};
use super::judge::{PixelClassifier, at_once};
use super::mask::PixelMask;
use crate::Rect;

/// Distance of the samples that decide whether a screen was replaced, in pixels.
const SAMPLE: usize = 16;

/// A picture of so many pixels is worth a second thread.
const LARGE: usize = 1 << 18;

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
    judge(golden, actual, mask).conclude(&mut result);
    result
}

/// Judges all open pixels, the upper and the lower half of a large picture at once.
fn judge<'a>(golden: Pixels<'a>, actual: Pixels<'a>, mask: &PixelMask) -> PixelClassifier<'a> {
    let band = |rows: Range<u32>| {
        let mut judge = PixelClassifier::new(golden, actual, rows.clone());
        let spans = mask.spans().skip(rows.start as usize).take(rows.len());
        for (y, spans) in spans {
            for span in spans {
                judge.span(y, span);
            }
        }
        judge
    };
    let (middle, height) = (golden.height / 2, golden.height);
    if golden.data.len() < LARGE {
        return band(0..height);
    }
    let (upper, lower) = at_once(|| band(0..middle), || band(middle..height));
    upper.join(lower)
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
pub(super) fn differing(one: &[[u8; 4]], other: &[[u8; 4]]) -> Option<Range<u32>> {
    if one == other {
        return None;
    }
    let pixels = || one.iter().zip(other);
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
                .iter()
                .zip(other)
                .filter(|(a, b)| distance(**a, **b) > VISIBLE)
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

#[cfg(test)]
mod law;
#[cfg(test)]
mod tests;

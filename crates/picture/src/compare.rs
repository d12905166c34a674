//! Compares two pictures of the same size.

use std::ops::Range;

use image::RgbaImage;

use super::classify::{PixelClassifier, run_both};
use super::clusters::Cluster;
use super::comparison::Comparison;
use super::distance::{Pixels, VISIBLE, differing, distance};
use super::mask::PixelMask;
use crate::Rect;

/// Distance in pixels between the samples that decide whether a screen was replaced. Chosen: a phone's screen
/// has about ten thousand samples then, a small window still some hundred.
const SAMPLE_STEP: usize = 16;

/// Number of pixels (a quarter of a million) from which two threads compare a picture. Chosen: a thread's
/// start is not worth it for a small picture.
const MIN_PIXELS_FOR_THREADS: usize = 1 << 18;

/// Compares the unmasked pixels of two pictures. If more than half of a sample differs visibly, the pictures count as
/// replaced: pixels are counted without classifying them, in one cluster. A picture with 100 samples or fewer never
/// counts so, one of another size always, with no changed pixel counted. The mask must be of the pictures' size:
/// another one panics or leaves rows out.
pub fn compare(golden: &RgbaImage, actual: &RgbaImage, mask: &PixelMask) -> Comparison {
    let mut result = Comparison {
        compared: mask.open_pixels(),
        ..Comparison::default()
    };
    if golden.dimensions() != actual.dimensions() {
        result.replaced = true;
        return result;
    }
    let (golden, actual) = (Pixels::from_image(golden), Pixels::from_image(actual));
    if is_replaced(golden, actual, mask) {
        count_replaced(golden, actual, mask, &mut result);
        return result;
    }
    classify(golden, actual, mask).conclude(&mut result);
    result
}

/// Classifies all unmasked pixels. Two threads share a large picture: one takes the upper half, the other the
/// lower.
fn classify<'a>(golden: Pixels<'a>, actual: Pixels<'a>, mask: &PixelMask) -> PixelClassifier<'a> {
    let band = |rows: Range<u32>| {
        let mut classifier = PixelClassifier::new(golden, actual, rows.clone());
        let spans = mask.spans().skip(rows.start as usize).take(rows.len());
        for (y, spans) in spans {
            for span in spans {
                classifier.span(y, span);
            }
        }
        classifier
    };
    let (middle, height) = (golden.height / 2, golden.height);
    if golden.data.len() < MIN_PIXELS_FOR_THREADS {
        return band(0..height);
    }
    let (upper, lower) = run_both(|| band(0..middle), || band(middle..height));
    upper.join(lower)
}

/// Returns the smallest rectangle around all unmasked pixels that differ at all, even if nobody can see it, or
/// `None` where the pictures are equal there. With different sizes it returns the whole of `other`. The mask must
/// be of the pictures' size.
pub fn first_difference(one: &RgbaImage, other: &RgbaImage, mask: &PixelMask) -> Option<Rect> {
    if one.dimensions() != other.dimensions() {
        return Some(Rect::new(0, 0, other.width() as i32, other.height() as i32));
    }
    let (one, other) = (Pixels::from_image(one), Pixels::from_image(other));
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

/// Returns true if more than half of the sampled pixels differ visibly. False for 100 samples or fewer.
fn is_replaced(golden: Pixels<'_>, actual: Pixels<'_>, mask: &PixelMask) -> bool {
    let (mut sampled, mut changed) = (0, 0);
    for (y, spans) in mask.spans().step_by(SAMPLE_STEP) {
        for span in spans {
            for x in span.clone().step_by(SAMPLE_STEP) {
                sampled += 1;
                changed += usize::from(distance(golden.at(x, y), actual.at(x, y)) > VISIBLE);
            }
        }
    }
    // Few samples say nothing about a small picture, which is quickly compared in full.
    sampled > 100 && changed * 2 > sampled
}

/// Counts all pixels that differ visibly and sets `replaced`. The one cluster reaches around all differences in the
/// rows with such pixels; there is none without any.
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

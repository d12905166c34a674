//! Stores which pixels of a picture are compared: all but those under a masked rectangle, as spans of columns
//! for each row.

use std::ops::Range;

use crate::Rect;

/// Rows of pixels with the same spans.
#[derive(Debug, Clone)]
struct Band {
    rows: Range<u32>,
    /// Columns that are compared, in order, not touching.
    open: Vec<Range<u32>>,
}

/// Set of the unmasked pixels of a picture.
#[derive(Debug, Clone)]
pub struct PixelMask {
    bands: Vec<Band>,
    open: u64,
}

impl PixelMask {
    /// Opens all pixels of a picture of this size but those in `masked`. Rectangles may overlap, and empty ones and
    /// parts outside of the picture are ignored.
    pub fn new(width: u32, height: u32, masked: &[Rect]) -> Self {
        let picture = Rect::new(0, 0, width as i32, height as i32);
        let masked: Vec<Rect> = masked
            .iter()
            .filter_map(|rect| rect.intersection(&picture))
            .collect();
        let mut edges: Vec<i32> = masked
            .iter()
            .flat_map(|rect| [rect.top, rect.bottom])
            .collect();
        edges.extend([0, height as i32]);
        edges.sort_unstable();
        edges.dedup();
        let bands: Vec<Band> = edges
            .windows(2)
            .map(|edge| {
                let covering = masked
                    .iter()
                    .filter(|rect| rect.top <= edge[0] && rect.bottom >= edge[1]);
                Band {
                    rows: edge[0] as u32..edge[1] as u32,
                    open: open_spans(
                        width,
                        covering.map(|rect| rect.left as u32..rect.right as u32),
                    ),
                }
            })
            .collect();
        let open = bands
            .iter()
            .map(|band| u64::from(band.rows.end - band.rows.start) * span_sum(&band.open))
            .sum();
        Self { bands, open }
    }

    /// Returns the number of pixels that are compared.
    pub fn open_pixels(&self) -> u64 {
        self.open
    }

    /// Returns the number of pixels in `area` that are compared. Parts of the area outside of the picture do
    /// not count.
    pub fn open_pixels_in(&self, area: Rect) -> u64 {
        let side = |from: i32, to: i32| from.max(0) as u32..to.max(0) as u32;
        let (rows, columns) = (side(area.top, area.bottom), side(area.left, area.right));
        let common = |one: &Range<u32>, other: &Range<u32>| {
            let end = one.end.min(other.end);
            u64::from(end.saturating_sub(one.start.max(other.start)))
        };
        let first = self
            .bands
            .partition_point(|band| band.rows.end <= rows.start);
        self.bands[first..]
            .iter()
            .take_while(|band| band.rows.start < rows.end)
            .map(|band| {
                let spans = band.open.iter().map(|span| common(span, &columns));
                common(&band.rows, &rows) * spans.sum::<u64>()
            })
            .sum()
    }

    /// Iterates over all rows from the top, each with the spans of columns that are compared.
    pub fn spans(&self) -> impl Iterator<Item = (u32, &[Range<u32>])> {
        self.bands
            .iter()
            .flat_map(|band| band.rows.clone().map(|row| (row, band.open.as_slice())))
    }

    /// Returns true if the pixel is compared; false outside of the picture.
    pub fn is_open(&self, x: u32, y: u32) -> bool {
        let band = self.bands.partition_point(|band| band.rows.end <= y);
        self.bands
            .get(band)
            .is_some_and(|band| band.open.iter().any(|span| span.contains(&x)))
    }
}

/// Returns the number of pixels in the spans.
fn span_sum(spans: &[Range<u32>]) -> u64 {
    spans
        .iter()
        .map(|span| u64::from(span.end - span.start))
        .sum()
}

/// Returns the spans of a row that are not masked. The masked ones may overlap, in any order. The result is in
/// order, without empty spans.
fn open_spans(width: u32, masked: impl Iterator<Item = Range<u32>>) -> Vec<Range<u32>> {
    let mut masked: Vec<Range<u32>> = masked.collect();
    masked.sort_unstable_by_key(|span| span.start);
    let mut open = Vec::new();
    let mut at = 0;
    for span in masked {
        if span.start > at {
            open.push(at..span.start);
        }
        at = at.max(span.end);
    }
    if at < width {
        open.push(at..width);
    }
    open
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_pixel_is_open_where_no_rectangle_lies(
            rects in prop::collection::vec((-3..12_i32, -3..12_i32, -3..12_i32, -3..12_i32), 0..5)
        ) {
            let rects: Vec<Rect> = rects.into_iter().map(|(l, t, r, b)| Rect::new(l, t, r, b)).collect();
            let mask = PixelMask::new(9, 7, &rects);
            let mut open = 0;
            for (y, spans) in mask.spans() {
                for x in 0..9 {
                    let is_open = !rects.iter().any(|rect| rect.contains(crate::Point { x: x as i32, y: y as i32 }));
                    prop_assert_eq!(spans.iter().any(|span| span.contains(&x)), is_open);
                    prop_assert_eq!(mask.is_open(x, y), is_open);
                    open += u64::from(is_open);
                }
            }
            prop_assert_eq!(mask.spans().count(), 7);
            prop_assert_eq!(mask.open_pixels(), open);
            let (area, rest) = rects.split_first().map_or((Rect::default(), &rects[..]), |(area, rest)| (*area, rest));
            let rest = PixelMask::new(9, 7, rest);
            prop_assert_eq!(rest.open_pixels() - rest.open_pixels_in(area), open);
        }
    }
}

//! Nodes of a screen by the rows of pixels that they cross. [`crate::selector`] fills it.

use std::collections::HashMap;

use runner_picture::Rect;

use super::node_data::NodeIndex;

/// Height of a band in pixels. Chosen: a row of a list at a usual density is one to three bands high.
const BAND_HEIGHT: i32 = 64;
/// Number of bands that a node is listed in; a higher one is a candidate for every row. Chosen: a phone's screen
/// has some 40 bands, and bounds from a device may be of any height.
const MAX_BANDS: i32 = 64;

/// Nodes by the bands of pixels that they cross.
#[derive(Debug, Default)]
pub(super) struct RowIndex {
    bands: HashMap<i32, Vec<NodeIndex>>,
    /// Nodes that cross too many bands to be listed in each.
    high: Vec<NodeIndex>,
}

impl RowIndex {
    /// Lists nodes by their bounds. Those without size have no place and are left out.
    pub(super) fn new(nodes: impl Iterator<Item = (NodeIndex, Rect)>) -> Self {
        let mut index = Self::default();
        for (node, bounds) in nodes.filter(|(_, bounds)| !bounds.is_empty()) {
            match bands(bounds) {
                Some(bands) => {
                    for band in bands {
                        index.bands.entry(band).or_default().push(node);
                    }
                }
                None => index.high.push(node),
            }
        }
        index
    }

    /// Returns the nodes that may share a row of pixels with the bounds, in document order, among them some that
    /// do not. Returns `None` if the bounds are too high for the index, or have no size.
    pub(super) fn candidates(&self, bounds: Rect) -> Option<Vec<NodeIndex>> {
        if bounds.is_empty() {
            return None;
        }
        let listed = bands(bounds)?.filter_map(|band| self.bands.get(&band));
        let mut nodes: Vec<_> = listed.flatten().chain(&self.high).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        Some(nodes)
    }
}

/// Returns the bands that the bounds cross, or `None` if they are more than [`MAX_BANDS`].
fn bands(bounds: Rect) -> Option<std::ops::RangeInclusive<i32>> {
    let first = bounds.top.div_euclid(BAND_HEIGHT);
    let last = bounds.bottom.saturating_sub(1).div_euclid(BAND_HEIGHT);
    (last - first < MAX_BANDS).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges around bands, far beyond a display, and at the limits of the type.
    const EDGES: [i32; 13] = [
        i32::MIN,
        -9000,
        -65,
        -64,
        -1,
        0,
        1,
        63,
        64,
        65,
        4096,
        9000,
        i32::MAX,
    ];

    fn heights() -> impl Iterator<Item = Rect> {
        let pairs = EDGES
            .into_iter()
            .flat_map(|top| EDGES.map(|end| (top, end)));
        pairs.map(|(top, bottom)| Rect {
            left: 0,
            top,
            right: 10,
            bottom,
        })
    }

    #[test]
    fn each_node_that_shares_a_row_is_a_candidate() {
        let nodes: Vec<_> = (0..).map(NodeIndex).zip(heights()).collect();
        let index = RowIndex::new(nodes.iter().copied());
        for wanted in heights() {
            let Some(candidates) = index.candidates(wanted) else {
                continue;
            };
            assert!(candidates.is_sorted_by(|one, next| one < next));
            for (node, bounds) in &nodes {
                let shares =
                    !bounds.is_empty() && bounds.top < wanted.bottom && wanted.top < bounds.bottom;
                let is_candidate = candidates.contains(node);
                assert!(is_candidate || !shares, "{bounds:?} beside {wanted:?}");
            }
        }
    }

    #[test]
    fn rows_far_away_are_no_candidates() {
        let row = |at: i32| Rect {
            left: 0,
            top: at * 200,
            right: 10,
            bottom: at * 200 + 100,
        };
        let index = RowIndex::new((0..).map(NodeIndex).zip((0..100).map(row)));
        assert_eq!(index.candidates(row(7)), Some(vec![NodeIndex(7)]));
    }
}

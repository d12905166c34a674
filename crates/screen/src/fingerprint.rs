//! Measures how similar two screens are. Waiting for an idle screen compares these histograms.
//!
//! This module owns the histogram's definition and knows nothing about time.

use super::id::JavaHash;
use super::{Node, Screen};

/// Number of counters in a fingerprint. Chosen: a screen has some hundred nodes, so few of them share a counter.
const SLOTS: usize = 256;

/// Histogram of the hashes of a screen's nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint([u32; SLOTS]);

impl Fingerprint {
    /// Counts all nodes of all windows, also those off the screen.
    pub fn from_screen(screen: &Screen) -> Self {
        let mut slots = [0; SLOTS];
        for node in screen.nodes() {
            slots[slot(node)] += 1;
        }
        Self(slots)
    }

    /// Returns the similarity in whole percent, rounded down: 100 for the same as far as the histogram shows, 0 for
    /// nothing in common and as many nodes. Where one screen has far fewer, nothing in common is up to 50. Two screens
    /// without nodes are the same. The order of the nodes and of the two screens does not count.
    pub fn similarity(&self, other: &Self) -> u8 {
        let sum = |slots: &[u32; SLOTS]| slots.iter().map(|count| u64::from(*count)).sum::<u64>();
        let larger = sum(&self.0).max(sum(&other.0));
        if larger == 0 {
            return 100;
        }
        let pairs = self.0.iter().zip(&other.0);
        let differences: u64 = pairs.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        // 100 - differences * 100 / (2 * larger), truncated: the quotient is rounded up before it is taken off.
        let lost = (differences * 100).div_ceil(2 * larger);
        100_u8.saturating_sub(u8::try_from(lost).unwrap_or(100))
    }
}

/// Returns the slot of a node by its class, text, bounds and number of children. The description and id do not
/// count.
fn slot(node: Node<'_>) -> usize {
    let fold = |hash: i32, part: i32| hash.wrapping_mul(31).wrapping_add(part);
    let bounds = node.bounds();
    let edges = [bounds.top, bounds.right, bounds.bottom];
    let place = edges.into_iter().fold(bounds.left, fold);
    let parts = [
        JavaHash::compute(node.class()),
        JavaHash::compute(node.text()),
        place,
        node.child_count().cast_signed(),
    ];
    let hash = parts.into_iter().fold(17, fold);
    (hash & 0x7fff_ffff) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DisplayContext;

    fn screen(nodes: &str) -> Screen {
        let dump = format!("<hierarchy>{nodes}</hierarchy>");
        Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
    }

    fn button(text: &str) -> String {
        format!("<node text='{text}' class='android.widget.Button' bounds='[50,800][270,1000]'/>")
    }

    #[test]
    fn the_button_has_the_contracts_slot() {
        let screen = screen(&button("7"));
        assert_eq!(slot(screen.nodes().next().unwrap()), 163);
    }

    #[test]
    fn likeness_has_the_contracts_values() {
        let many = |changed: usize| {
            let nodes: String = (0..300)
                .map(|place| button(if place < changed { "x" } else { "7" }))
                .collect();
            Fingerprint::from_screen(&screen(&nodes))
        };
        let empty = Fingerprint([0; SLOTS]);
        let cases = [
            (many(0), many(0), 100),
            (many(0), many(1), 99),
            (many(0), many(3), 99),
            (many(0), many(150), 50),
            (many(0), many(300), 0),
            (empty.clone(), empty.clone(), 100),
            (empty, many(0), 50),
        ];
        for (a, b, expected) in cases {
            assert_eq!(a.similarity(&b), expected);
            assert_eq!(b.similarity(&a), expected);
        }
    }
}

//! Pairwise cover: every value of one axis meets every value of each other axis at least once.

use std::collections::BTreeSet;

/// Value of an axis: the indices of both.
type Value = (usize, usize);

/// Pairs of values, and which of them are covered.
#[derive(Debug)]
pub struct Pairs {
    axes: Vec<usize>,
    seen: BTreeSet<(Value, Value)>,
    cells: usize,
}

fn pairs(cell: &[usize]) -> impl Iterator<Item = (Value, Value)> {
    (0..cell.len()).flat_map(move |first| {
        (first + 1..cell.len()).map(move |second| ((first, cell[first]), (second, cell[second])))
    })
}

impl Pairs {
    /// Starts with nothing covered. `axes` has the number of values of each axis.
    pub fn new(axes: &[usize]) -> Self {
        Self {
            axes: axes.to_vec(),
            seen: BTreeSet::new(),
            cells: 0,
        }
    }

    /// Returns the number of pairs that a cell would newly cover.
    pub fn gain(&self, cell: &[usize]) -> usize {
        pairs(cell).filter(|pair| !self.seen.contains(pair)).count()
    }

    /// Marks a cell's pairs as covered.
    pub fn take(&mut self, cell: &[usize]) {
        assert!(
            cell.iter()
                .zip(&self.axes)
                .all(|(value, axis)| value < axis)
        );
        self.cells += 1;
        self.seen.extend(pairs(cell));
    }

    /// Returns the cell that covers most among `tries` random ones, with the first axes given.
    pub fn draw(&self, rng: &mut fastrand::Rng, given: &[usize], tries: usize) -> Vec<usize> {
        let drawn = (0..tries).map(|_| {
            let rest = self.axes[given.len()..].iter();
            let rest = rest.map(|axis| rng.usize(..*axis));
            given.iter().copied().chain(rest).collect::<Vec<_>>()
        });
        drawn.max_by_key(|cell| self.gain(cell)).unwrap_or_default()
    }

    /// Formats how many pairs are covered.
    pub fn told(&self) -> String {
        let all = (0..self.axes.len())
            .flat_map(|first| (first + 1..self.axes.len()).map(move |second| (first, second)));
        let all: usize = all
            .map(|(first, second)| self.axes[first] * self.axes[second])
            .sum();
        format!(
            "{} cells, {} of {all} pairs of values",
            self.cells,
            self.seen.len()
        )
    }
}

//! Pairwise cover: every value of one axis meets every value of each other axis at least once.

use std::collections::BTreeSet;

/// A value of an axis, by their places.
type Value = (usize, usize);

/// The pairs of values that cells have covered.
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
    /// Begins with nothing covered. `axes` is how many values each axis has.
    pub fn new(axes: &[usize]) -> Self {
        Self {
            axes: axes.to_vec(),
            seen: BTreeSet::new(),
            cells: 0,
        }
    }

    /// The number of pairs that a cell would cover anew.
    pub fn gain(&self, cell: &[usize]) -> usize {
        pairs(cell).filter(|pair| !self.seen.contains(pair)).count()
    }

    /// Covers a cell's pairs.
    pub fn take(&mut self, cell: &[usize]) {
        assert!(
            cell.iter()
                .zip(&self.axes)
                .all(|(value, axis)| value < axis)
        );
        self.cells += 1;
        self.seen.extend(pairs(cell));
    }

    /// The cell that covers most, among so many that are drawn at random with the first axes given.
    pub fn draw(&self, rng: &mut fastrand::Rng, given: &[usize], tries: usize) -> Vec<usize> {
        let drawn = (0..tries).map(|_| {
            let rest = self.axes[given.len()..].iter();
            let rest = rest.map(|axis| rng.usize(..*axis));
            given.iter().copied().chain(rest).collect::<Vec<_>>()
        });
        drawn.max_by_key(|cell| self.gain(cell)).unwrap_or_default()
    }

    /// How much is covered, in words.
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

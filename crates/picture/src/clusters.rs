//! Groups changed pixels into clusters. Pixels that lie closer than a few pixels belong to one cluster.

use crate::Rect;

/// Side of a grid cell in pixels. Changed pixels in the same cell or in neighbouring cells form one cluster,
/// so a gap of up to 4 pixels never separates them. Chosen: with half of it the letters of a word become
/// clusters of their own, with twice of it neighbouring rows of a list become one.
const CELL: u32 = 4;

/// Group of changed pixels that lie together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Smallest rectangle around the changed pixels.
    pub bounds: Rect,
    /// Number of changed pixels in the cluster; unchanged pixels inside `bounds` do not count.
    pub pixels: u64,
}

/// Grid of cells that collects changed pixels one by one and then joins neighbouring cells into clusters.
#[derive(Debug)]
pub(super) struct Grid {
    columns: usize,
    /// Cluster of each cell, as an index into `found`; `u32::MAX` where no pixel changed.
    cells: Vec<u32>,
    found: Vec<Cluster>,
}

impl Grid {
    /// Creates an empty grid for a picture of this size in pixels.
    pub(super) fn new(width: u32, height: u32) -> Self {
        let columns = width.div_ceil(CELL) as usize;
        let rows = height.div_ceil(CELL) as usize;
        Self {
            columns,
            cells: vec![u32::MAX; columns * rows],
            found: Vec::new(),
        }
    }

    /// Adds a pixel to the cluster of its cell. Panics outside the grid.
    pub(super) fn add(&mut self, x: u32, y: u32) {
        let cell = (y / CELL) as usize * self.columns + (x / CELL) as usize;
        let pixel = Cluster {
            bounds: Rect::new(x as i32, y as i32, x as i32 + 1, y as i32 + 1),
            pixels: 1,
        };
        if self.cells[cell] == u32::MAX {
            self.cells[cell] = self.found.len() as u32;
            self.found.push(pixel);
        } else {
            merge(&mut self.found[self.cells[cell] as usize], &pixel);
        }
    }

    /// Joins touching cells, also over corners, and returns the clusters: the one with the most pixels first, then
    /// from top to bottom and left to right. Without pixels there are none.
    pub(super) fn clusters(mut self) -> Vec<Cluster> {
        let mut leader: Vec<u32> = (0..self.found.len() as u32).collect();
        for cell in 0..self.cells.len() {
            if self.cells[cell] == u32::MAX {
                continue;
            }
            for neighbour in self.later_neighbours(cell) {
                if self.cells[neighbour] != u32::MAX {
                    let one = root(&mut leader, self.cells[cell]);
                    let other = root(&mut leader, self.cells[neighbour]);
                    leader[one.max(other) as usize] = one.min(other);
                }
            }
        }
        // In reverse order, because a leader has the lowest number of its cluster.
        for at in (0..leader.len()).rev() {
            let to = root(&mut leader, at as u32) as usize;
            if to != at {
                let from = self.found[at].clone();
                merge(&mut self.found[to], &from);
                self.found[at].pixels = 0;
            }
        }
        self.found.retain(|cluster| cluster.pixels > 0);
        self.found.sort_by_key(|cluster| {
            (
                std::cmp::Reverse(cluster.pixels),
                cluster.bounds.top,
                cluster.bounds.left,
            )
        });
        self.found
    }

    /// Returns the neighbours of a cell that come after it in reading order: the one to the right and the
    /// three below.
    fn later_neighbours(&self, cell: usize) -> impl Iterator<Item = usize> + use<> {
        let (column, columns, all) = (cell % self.columns, self.columns, self.cells.len());
        let has_right = column + 1 < columns;
        [
            has_right.then_some(cell + 1),
            (column > 0).then(|| cell + columns - 1),
            Some(cell + columns),
            has_right.then_some(cell + columns + 1),
        ]
        .into_iter()
        .flatten()
        .filter(move |cell| *cell < all)
    }
}

fn merge(into: &mut Cluster, other: &Cluster) {
    into.bounds = into.bounds.union(&other.bounds);
    into.pixels += other.pixels;
}

/// Returns the leader of the set, and shortens the path to it on the way.
fn root(leader: &mut [u32], mut at: u32) -> u32 {
    while leader[at as usize] != at {
        let up = leader[leader[at as usize] as usize];
        leader[at as usize] = up;
        at = up;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn near_pixels_are_one_cluster_far_ones_are_not() {
        let mut grid = Grid::new(100, 100);
        for (x, y) in [(0, 0), (5, 5), (6, 5), (99, 99), (50, 50), (54, 46)] {
            grid.add(x, y);
        }
        let clusters: Vec<_> = grid
            .clusters()
            .iter()
            .map(|c| (c.pixels, c.bounds.to_string()))
            .collect();
        assert_eq!(
            clusters,
            [
                (3, "0,0,7,6".to_owned()),
                (2, "50,46,55,51".to_owned()),
                (1, "99,99,100,100".to_owned())
            ]
        );
    }

    proptest! {
        #[test]
        fn no_pixel_is_lost(pixels in prop::collection::hash_set((0..50_u32, 0..50_u32), 0..200)) {
            let mut grid = Grid::new(50, 50);
            for (x, y) in &pixels {
                grid.add(*x, *y);
            }
            let clusters = grid.clusters();
            prop_assert_eq!(clusters.iter().map(|cluster| cluster.pixels).sum::<u64>(), pixels.len() as u64);
            for (x, y) in pixels {
                let point = crate::Point { x: x as i32, y: y as i32 };
                prop_assert!(clusters.iter().any(|cluster| cluster.bounds.contains(point)));
            }
        }
    }
}

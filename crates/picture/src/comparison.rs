//! Result of comparing two pictures.

use super::clusters::Cluster;

/// Result of comparing two pictures, before any tolerance is applied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Number of pixels that changed visibly.
    pub changed: u64,
    /// Number of pixels that differ only by anti-aliasing; they do not count as changed.
    pub smoothed: u64,
    /// Number of pixels that differ less than the eye sees; they do not count as changed.
    pub faint: u64,
    /// Number of pixels that were compared: all but the masked ones.
    pub compared: u64,
    /// Clusters of the changed pixels, the largest first. A replaced screen has one cluster around all of
    /// them.
    pub clusters: Vec<Cluster>,
    /// True if most of the screen differs, or the sizes do. Then anti-aliasing and faint differences were not
    /// looked for.
    pub replaced: bool,
}

impl Comparison {
    /// Returns the number of pixels in the largest cluster, 0 if nothing changed.
    pub fn largest(&self) -> u64 {
        self.clusters.first().map_or(0, |cluster| cluster.pixels)
    }

    /// Returns the number of changed pixels outside the largest cluster.
    pub fn specks(&self) -> u64 {
        self.changed - self.largest()
    }
}

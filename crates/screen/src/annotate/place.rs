//! Places labels so that they cover nothing that a person wants to read: beside their box where the picture
//! is plain, and never on each other.

use image::RgbaImage;

use super::pen::Area;

/// Largest difference of neighbouring pixels (0–255, in one channel) that is no edge of a letter, an icon or
/// a line. Chosen: grounds with gradients stay below it, pale texts above.
const EDGE_THRESHOLD: u8 = 24;
/// Cost of a label on another label, in edges. It is larger than the number of edges that any picture has.
const OVERLAP_COST: f64 = 1e9;

/// Index of the edges in a picture, and the labels that are placed already.
pub(super) struct Places {
    /// Number of edges above and left of each corner (a summed-area table). It has one column and one row
    /// more than the picture.
    sums: Vec<u32>,
    width: usize,
    height: usize,
    occupied: Vec<Area>,
}

impl Places {
    /// Counts the edges of a picture, where a pixel differs from the one to the left or above, for every area. No
    /// label is placed yet.
    pub(super) fn new(picture: &RgbaImage) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let mut sums = vec![0; (width + 1) * (height + 1)];
        let raw = picture.as_raw();
        let at = |x: usize, y: usize| &raw[(y * width + x) * 4..][..3];
        for y in 0..height {
            let mut row = 0;
            for x in 0..width {
                let here = at(x, y);
                let differs = |other: &[u8]| {
                    here.iter()
                        .zip(other)
                        .any(|(a, b)| a.abs_diff(*b) > EDGE_THRESHOLD)
                };
                let edge = (x > 0 && differs(at(x - 1, y))) || (y > 0 && differs(at(x, y - 1)));
                row += u32::from(edge);
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row;
            }
        }
        Self {
            sums,
            width,
            height,
            occupied: Vec::new(),
        }
    }

    /// Chooses the best place for a label of this size beside or inside `area`, and reserves it: the one that
    /// covers the fewest edges of the picture, and an earlier label only if all places do. Of equal ones the first
    /// in the order of preference is taken. The place is moved into the picture.
    pub(super) fn take(&mut self, area: Area, (wide, high): (f32, f32), gap: f32) -> Area {
        let (far_left, far_top) = (area.right - wide, area.bottom - high);
        let (above, below) = (area.top - high - gap, area.bottom + gap);
        let (before, after) = (area.left - wide - gap, area.right + gap);
        let middle = f32::midpoint(area.top, area.bottom) - high / 2.0;
        // Places outside first, then corners inside, where words are rarely on the right.
        let places = [
            (area.left, above),
            (far_left, above),
            (far_left, area.top + gap),
            (far_left - gap, middle),
            (area.left, below),
            (far_left, below),
            (after, middle),
            (before, middle),
            (far_left - gap, far_top - gap),
            (area.left + gap, far_top - gap),
            (area.left + gap, area.top + gap),
        ];
        let inside = |(left, top): (f32, f32)| {
            let left = left.min(self.width as f32 - wide).max(0.0);
            let top = top.min(self.height as f32 - high).max(0.0);
            Area {
                left,
                top,
                right: left + wide,
                bottom: top + high,
            }
        };
        let mut best = inside(places[0]);
        let mut least = f64::INFINITY;
        for place in places {
            let place = inside(place);
            let cost = self.cost(place);
            // Of equal places the first is taken, since they are in the order of preference.
            if cost < least {
                (best, least) = (place, cost);
            }
        }
        self.occupied.push(best);
        best
    }

    /// Returns the cost of a place: its edges, and [`OVERLAP_COST`] more if it lies on another label.
    fn cost(&self, area: Area) -> f64 {
        let on_another = self.occupied.iter().any(|other| {
            area.left < other.right
                && other.left < area.right
                && area.top < other.bottom
                && other.top < area.bottom
        });
        f64::from(self.edges(area)) + if on_another { OVERLAP_COST } else { 0.0 }
    }

    /// Counts the edges in an area, as far as it is in the picture.
    fn edges(&self, area: Area) -> u32 {
        let x = |edge: f32| (edge.max(0.0) as usize).min(self.width);
        let y = |edge: f32| (edge.max(0.0) as usize).min(self.height);
        let (left, right) = (x(area.left.floor()), x(area.right.ceil()));
        let (top, bottom) = (y(area.top.floor()), y(area.bottom.ceil()));
        let sum = |x: usize, y: usize| self.sums[y * (self.width + 1) + x];
        (sum(right, bottom) + sum(left, top)).saturating_sub(sum(left, bottom) + sum(right, top))
    }
}

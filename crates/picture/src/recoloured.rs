//! Telling a new colour from smoothing.
//!
//! A new colour moves all pixels the same way, each by as much as it has of that colour: one straight line leads from the old
//! levels to the new ones. Smoothing moves the two sides of a stroke opposite ways, and other gamma moves most what lies
//! halfway between ground and ink: no straight line does that.

use std::ops::Range;

use super::distance::Pixels;

/// Side of the squares that are looked at, in pixels: about a letter of a small text.
pub(super) const SQUARE: u32 = 16;

/// What lies so near beside a square is looked at too, so that no edge is in it without both its sides.
const MARGIN: u32 = 2;

/// Fewer differing pixels in a square are not many.
pub(super) const MIN_DIFFERING: u32 = 24;

/// Noise moves levels by up to this much, the stronger ones weighing more.
const MAX_NOISE: f64 = 3.0;

/// The least part of the movement that goes the same way.
const SAME_WAY: f64 = 0.8;

/// The least part of the movement that a straight line explains.
const EXPLAINED: f64 = 0.85;

/// Sums over the pixels of a square, of one channel. In whole numbers: both ways round they come to exactly the same. The
/// largest, of 400 pixels, is 400 × 510².
#[derive(Debug, Clone, Copy, Default)]
struct Channel {
    pixels: i32,
    differing: u32,
    /// Of the movements: the new level less the old one.
    moved: i32,
    distances: i32,
    squares: i32,
    /// The squares, each with the sign of its movement.
    signed_squares: i32,
    /// Of the old and the new level together.
    levels: i32,
    level_squares: i32,
    /// Of movement times level.
    products: i32,
}

impl Channel {
    fn add(&mut self, before: u8, after: u8) {
        let (before, after) = (i32::from(before), i32::from(after));
        let (moved, level) = (after - before, after + before);
        self.pixels += 1;
        self.differing += u32::from(moved != 0);
        self.moved += moved;
        self.distances += moved.abs();
        self.squares += moved * moved;
        self.signed_squares += moved * moved.abs();
        self.levels += level;
        self.level_squares += level * level;
        self.products += moved * level;
    }

    fn is_recoloured(&self) -> bool {
        let squares = f64::from(self.squares);
        self.differing >= MIN_DIFFERING
            && squares > MAX_NOISE * f64::from(self.distances)
            && f64::from(self.signed_squares.abs()) >= SAME_WAY * squares
            && self.unexplained() <= (1.0 - EXPLAINED) * squares
    }

    /// The squared movement that is left beside the best straight line.
    fn unexplained(&self) -> f64 {
        let pixels = f64::from(self.pixels);
        let (moved, level) = (
            f64::from(self.moved) / pixels,
            f64::from(self.levels) / pixels,
        );
        let spread = f64::from(self.level_squares) - pixels * level * level;
        let common = f64::from(self.products) - pixels * moved * level;
        let by_slope = if spread > 0.0 {
            common * common / spread
        } else {
            0.0
        };
        f64::from(self.squares) - pixels * moved * moved - by_slope
    }
}

/// Whether the part of the pictures shows another colour in one channel. Pixels that differ and are not compared, as those
/// under a mask, do not count.
pub(super) fn is_recoloured(
    golden: Pixels<'_>,
    actual: Pixels<'_>,
    (columns, rows): (&Range<u32>, &Range<u32>),
    is_compared: impl Fn(u32, u32) -> bool,
) -> bool {
    let columns = grown(columns, golden.width);
    let mut channels = [Channel::default(); 3];
    for y in grown(rows, golden.height) {
        let pairs = golden.span(y, &columns).iter();
        let pairs = pairs.zip(actual.span(y, &columns));
        for (x, (before, after)) in columns.clone().zip(pairs) {
            if before == after || is_compared(x, y) {
                for (at, channel) in channels.iter_mut().enumerate() {
                    channel.add(before[at], after[at]);
                }
            }
        }
    }
    channels.iter().any(Channel::is_recoloured)
}

fn grown(side: &Range<u32>, size: u32) -> Range<u32> {
    side.start.saturating_sub(MARGIN)..(side.end + MARGIN).min(size)
}

/// The squares' sides that hold a range, cut at the same places whatever the range.
pub(super) fn in_squares(range: &Range<u32>) -> impl Iterator<Item = Range<u32>> + use<> {
    let (start, end) = (range.start, range.end);
    (start / SQUARE..end.div_ceil(SQUARE))
        .map(move |at| (at * SQUARE).max(start)..((at + 1) * SQUARE).min(end))
}

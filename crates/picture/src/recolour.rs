//! Tells a new colour from anti-aliasing.
//!
//! A new colour moves all pixels the same way, each by as much as it has of that colour: one straight line
//! leads from the old levels to the new ones. Anti-aliasing moves the two sides of a stroke opposite ways,
//! and another gamma moves most what lies halfway between ground and text: no straight line does that.

use std::ops::Range;

use super::distance::Pixels;

/// Side of the examined squares in pixels. Chosen: about a letter of a small text.
pub(super) const SQUARE: u32 = 16;

/// Width in pixels of the margin around a square that is examined too. Chosen so that no edge is in it
/// without both its sides.
const MARGIN: u32 = 2;

/// Number of differing pixels from which a square is examined. Chosen: a tenth of a square; the line fitted
/// to fewer says little.
pub(super) const MIN_DIFFERING: u32 = 24;

/// Largest change of a level by noise; stronger changes weigh more. Chosen: the generated pairs in
/// `compare/law` have noise of 3 levels.
const MAX_NOISE: f64 = 3.0;

/// Smallest part of all movement that must go the same way. Chosen: a new colour moves nearly all pixels one
/// way, anti-aliasing half of them.
const MIN_SAME_WAY: f64 = 0.8;

/// Smallest part of all movement that a straight line must explain. Chosen: noise takes some of it, and other
/// gamma leaves more unexplained.
const MIN_EXPLAINED: f64 = 0.85;

/// Sums over one channel of the pixels of a square. Whole numbers make the result the same whichever picture
/// comes first. The largest sum, of 400 pixels, is 400 × 510².
#[derive(Debug, Clone, Copy, Default)]
struct Channel {
    pixels: i32,
    differing: u32,
    /// Sum of the movements: the new level less the old one.
    moved: i32,
    distances: i32,
    squares: i32,
    /// Sum of the squared movements, each with the sign of its movement.
    signed_squares: i32,
    /// Sum of the old and the new levels.
    levels: i32,
    level_squares: i32,
    /// Sum of movement times level.
    products: i32,
}

impl Channel {
    /// Adds the change of one channel of one pixel; a channel that did not change counts too.
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

    /// Returns true if at least [`MIN_DIFFERING`] pixels changed, by more than noise, mostly in one direction, and
    /// mostly as a straight line explains.
    fn is_recoloured(&self) -> bool {
        let squares = f64::from(self.squares);
        self.differing >= MIN_DIFFERING
            && squares > MAX_NOISE * f64::from(self.distances)
            && f64::from(self.signed_squares.abs()) >= MIN_SAME_WAY * squares
            && self.unexplained() <= (1.0 - MIN_EXPLAINED) * squares
    }

    /// Returns the squared movement that the best straight line does not explain.
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

/// Returns true if this part of the pictures shows another colour in one channel, by a change that is alike in most
/// of its pixels: in one direction, and more than noise. A margin around the part counts too. Differing pixels that
/// are not compared, such as masked ones, do not count.
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

/// Cuts a range of pixels at the borders of the squares. The borders are at the same places whatever the
/// range.
pub(super) fn in_squares(range: &Range<u32>) -> impl Iterator<Item = Range<u32>> + use<> {
    let (start, end) = (range.start, range.end);
    (start / SQUARE..end.div_ceil(SQUARE))
        .map(move |at| (at * SQUARE).max(start)..((at + 1) * SQUARE).min(end))
}

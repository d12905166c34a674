//! Finds the main colours of a row: its ground, its text, and others that are frequent.

use std::collections::HashMap;

use image::RgbaImage;

use super::picture::looks_alike;
use super::row_map::RowMap;
use runner_screen::Rect;

/// Opaque RGBA colour.
pub(super) type Colour = [u8; 4];

/// Number of pixels of a row, about, that are sampled. Chosen: exact enough for shares, and quick for a large
/// row.
const SAMPLES: u64 = 40_000;

/// Number of pixels from which a colour counts; fewer are the anti-aliasing of an edge. Chosen.
const MIN_PIXELS: u32 = 3;

/// Number of colours that a ground has at most. Chosen: gradients have more, which are close to each other.
const MAX_GROUND_COLOURS: usize = 8;

/// A colour belongs to the ground if at least one in this many pixels has it. Chosen: letters have less of
/// any shade.
const GROUND_SHARE: u32 = 50;

/// A mix of ground and text colour is more than anti-aliasing if at least one in this many pixels has it.
/// Chosen.
const MIXED_SHARE: u32 = 10;

/// Largest deviation of a channel of a mix, in levels. Chosen: rounding and gamma stay below it.
const MAX_DEVIATION: f32 = 12.0;

/// A colour is still there if at least one in this many of its pixels kept it. Chosen.
const REMAINING_SHARE: u32 = 4;

/// Colours of the pixels that belong to a row, the most frequent first.
#[derive(Debug, Clone, Default)]
pub(super) struct Colours {
    counts: Vec<(Colour, u32)>,
    all: u32,
}

impl Colours {
    /// Counts the colours of row `owner`, or of the pixels outside of all rows, where no other row lies on
    /// it.
    pub(super) fn from_row(image: &RgbaImage, owners: &RowMap, owner: u16) -> Self {
        Self::from_row_where(image, owners, owner, |_, _| true)
    }

    /// Counts the colours as [`Self::from_row`] does, but only of the pixels for which `open` returns true.
    /// Of a large row it samples about [`SAMPLES`] pixels on a grid. A row outside of the picture has no
    /// colours.
    pub(super) fn from_row_where(
        image: &RgbaImage,
        owners: &RowMap,
        owner: u16,
        open: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let whole = Rect::new(0, 0, image.width() as i32, image.height() as i32);
        let place = owners.bounds(owner).unwrap_or(whole);
        let Some(place) = place.intersection(&whole) else {
            return Self::default();
        };
        let step = (place.area() / SAMPLES).isqrt().max(1) as usize;
        let mut counts: HashMap<Colour, u32> = HashMap::new();
        let mut all = 0;
        for y in (place.top..place.bottom).step_by(step) {
            let line = owners.line(y);
            for x in (place.left..place.right).step_by(step) {
                if line[x as usize] == owner && open(x as u32, y as u32) {
                    let colour = image.get_pixel(x as u32, y as u32).0;
                    *counts.entry(colour).or_default() += 1;
                    all += 1;
                }
            }
        }
        let mut counts: Vec<(Colour, u32)> = counts.into_iter().collect();
        // Ties are sorted by colour: a map has no order, and the order is part of a cause's id.
        counts.sort_by_key(|(colour, count)| (std::cmp::Reverse(*count), *colour));
        Self { counts, all }
    }

    /// Returns the most frequent colour; `None` if no pixel was counted.
    pub(super) fn ground(&self) -> Option<Colour> {
        self.counts.first().map(|(colour, _)| *colour)
    }

    /// Returns the ink, the colour of text: the most frequent colour of at least [`MIN_PIXELS`] counted
    /// pixels that differs visibly from the ground. Returns `None` if there is none.
    fn ink(&self) -> Option<Colour> {
        let ground = self.ground()?;
        self.counts
            .iter()
            .find(|(colour, count)| *count >= MIN_PIXELS && !looks_alike(*colour, ground))
            .map(|(colour, _)| *colour)
    }

    /// Iterates over the frequent colours, the most frequent first: those of at least one counted pixel in
    /// [`GROUND_SHARE`], at most [`MAX_GROUND_COLOURS`].
    pub(super) fn main(&self) -> impl Iterator<Item = Colour> + '_ {
        let many = |(_, count): &&(Colour, u32)| count * GROUND_SHARE >= self.all;
        self.counts
            .iter()
            .take_while(many)
            .take(MAX_GROUND_COLOURS)
            .map(|(colour, _)| *colour)
    }

    /// Counts the sampled pixels whose colour looks like the wanted one.
    fn count(&self, wanted: Colour) -> u32 {
        let similar = self
            .counts
            .iter()
            .filter(|(colour, _)| looks_alike(*colour, wanted));
        similar.map(|(_, count)| count).sum()
    }

    /// Returns the changes of the ground (the most frequent colour) and of the text colour, each as old and new. A
    /// colour that only one side has is no change, nor one that looks alike. A colour did not change either if the new
    /// one was there before, or the old one still is, in at least a quarter as many pixels.
    pub(super) fn changed(&self, after: &Self) -> Vec<(Colour, Colour)> {
        let is_there = |colours: &Self, old: Colour, new: Colour| {
            colours.count(new) * REMAINING_SHARE >= colours.count(old)
        };
        [(self.ground(), after.ground()), (self.ink(), after.ink())]
            .into_iter()
            .filter_map(|(before, now)| Some((before?, now?)))
            .filter(|(before, now)| {
                !looks_alike(*before, *now)
                    && !is_there(self, *before, *now)
                    && !is_there(after, *now, *before)
            })
            .collect()
    }

    /// Returns the frequent colours that `before` did not have, in order of their values. Those that replaced
    /// an old colour are left out, and so is the text colour of a row that had no text before. Rare colours
    /// between ground and text colour are left out as anti-aliased edges.
    pub(super) fn new_since(&self, before: &Self) -> Vec<Colour> {
        let reported = before.changed(self);
        let first_ink = self.ink().filter(|_| before.ink().is_none());
        let known = |colour: &Colour| {
            let ink = first_ink.into_iter();
            let mut known = reported.iter().map(|(_, new)| *new).chain(ink);
            known.any(|known| looks_alike(known, *colour))
        };
        let mut new: Vec<Colour> = self
            .main()
            .filter(|colour| {
                let count = self.count(*colour);
                before.count(*colour) < MIN_PIXELS
                    && count >= MIN_PIXELS
                    && (count * MIXED_SHARE >= self.all || !self.is_mixed(*colour))
            })
            .filter(|colour| !known(colour))
            .collect();
        new.sort_unstable();
        new
    }

    /// Returns true if a colour lies on the way from ground to text colour, as at the anti-aliased edge of a
    /// letter. The ground itself counts, the text colour does not. Without a text colour it is false.
    fn is_mixed(&self, colour: Colour) -> bool {
        let (Some(ground), Some(ink)) = (self.ground(), self.ink()) else {
            return false;
        };
        let way = |to: Colour| {
            let by = |at: usize| f32::from(to[at]) - f32::from(ground[at]);
            [by(0), by(1), by(2)]
        };
        let (whole, part) = (way(ink), way(colour));
        let dot = |other: [f32; 3]| -> f32 { whole.iter().zip(other).map(|(a, b)| a * b).sum() };
        let share = dot(part) / dot(whole).max(1.0);
        (0.0..1.0).contains(&share)
            && whole
                .iter()
                .zip(part)
                .all(|(whole, part)| (whole * share - part).abs() <= MAX_DEVIATION)
    }

    /// Formats ground and text colour, to tell the same words in other colours apart.
    pub(super) fn look(&self) -> String {
        format!("{:?} {:?}", self.ground(), self.ink())
    }
}

//! The colours of a row: its ground, what is written on it, and what else there is much of.

use std::collections::HashMap;

use image::RgbaImage;

use super::picture::looks_alike;
use super::row_map::RowMap;
use runner_screen::Rect;

/// Opaque.
pub(super) type Colour = [u8; 4];

/// About so many pixels of a row are looked at.
const SAMPLES: u64 = 40_000;

/// Fewer pixels of a colour than this are the smoothing of an edge.
const FEW: u32 = 3;

/// So many colours a ground has at most.
const MOST: usize = 8;

/// A colour that has one in so many pixels belongs to a ground.
const SHARE: u32 = 50;

/// A mix of ground and ink is more than the smoothing of an edge where it has one in so many pixels.
const MIXED_SHARE: u32 = 10;

/// A channel of a mix is off by so much.
const ROUNDING: f32 = 12.0;

/// A colour is still there where it has one in so many of the pixels it had.
const STILL_THERE: u32 = 4;

/// The colours of the pixels that belong to a row, the most frequent first.
#[derive(Debug, Clone, Default)]
pub(super) struct Colours {
    counts: Vec<(Colour, u32)>,
    all: u32,
}

impl Colours {
    /// Of the row `owner`, or of what belongs to no row, as far as nothing lies on it.
    pub(super) fn of(image: &RgbaImage, owners: &RowMap, owner: u16) -> Self {
        Self::of_open(image, owners, owner, |_, _| true)
    }

    /// The same of the pixels that are `open`.
    pub(super) fn of_open(
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
        // The colour breaks ties: a map has no order, and what comes first here distinguishes causes.
        counts.sort_by_key(|(colour, count)| (std::cmp::Reverse(*count), *colour));
        Self { counts, all }
    }

    /// What there is most of.
    pub(super) fn ground(&self) -> Option<Colour> {
        self.counts.first().map(|(colour, _)| *colour)
    }

    /// What there is most of beside the ground.
    fn ink(&self) -> Option<Colour> {
        let ground = self.ground()?;
        self.counts
            .iter()
            .find(|(colour, count)| *count >= FEW && !looks_alike(*colour, ground))
            .map(|(colour, _)| *colour)
    }

    /// The colours there are many pixels of.
    pub(super) fn main(&self) -> impl Iterator<Item = Colour> + '_ {
        let many = |(_, count): &&(Colour, u32)| count * SHARE >= self.all;
        self.counts
            .iter()
            .take_while(many)
            .take(MOST)
            .map(|(colour, _)| *colour)
    }

    fn count(&self, wanted: Colour) -> u32 {
        let similar = self
            .counts
            .iter()
            .filter(|(colour, _)| looks_alike(*colour, wanted));
        similar.map(|(_, count)| count).sum()
    }

    /// Which colour of these became which of `after`: the ground, and what is written on it. Nothing of one that is still
    /// there: an edge is smoothed in many shades.
    pub(super) fn changed(&self, after: &Self) -> Vec<(Colour, Colour)> {
        let is_there = |colours: &Self, old: Colour, new: Colour| {
            colours.count(new) * STILL_THERE >= colours.count(old)
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

    /// The colours that there are many pixels of here, and none in `before` nor one that became it. Words where there were
    /// none have an ink of their own.
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
                before.count(*colour) < FEW
                    && count >= FEW
                    && (count * MIXED_SHARE >= self.all || !self.is_mixed(*colour))
            })
            .filter(|colour| !known(colour))
            .collect();
        new.sort_unstable();
        new
    }

    /// Whether a colour is between ground and ink, as at the smoothed edge of a letter.
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
                .all(|(whole, part)| (whole * share - part).abs() <= ROUNDING)
    }

    /// Ground and ink, to distinguish the same words in other colours.
    pub(super) fn look(&self) -> String {
        format!("{:?} {:?}", self.ground(), self.ink())
    }
}

//! Reduces the colours of a picture, so that its file is small. It cuts the range of the colours into boxes,
//! long and full ones first, and shows each box in its most frequent colour (a median cut).

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use image::RgbaImage;

type Colour = [u8; 4];

/// Range of similar colours that become one.
struct ColourBox {
    /// Range of the box in the list of colours.
    places: Range<usize>,
    /// Channel in which the colours lie farthest apart.
    channel: usize,
    length: u8,
    pixels: u64,
}

impl ColourBox {
    /// Creates a box of these colours, with its longest channel. An empty box has length 0.
    fn new(places: Range<usize>, colours: &[(Colour, u32)]) -> Self {
        let length = |channel: usize| {
            let levels = || {
                colours[places.clone()]
                    .iter()
                    .map(|(colour, _)| colour[channel])
            };
            levels().max().unwrap_or(0) - levels().min().unwrap_or(0)
        };
        let channel = (0..4).max_by_key(|channel| length(*channel)).unwrap_or(0);
        Self {
            length: length(channel),
            pixels: colours[places.clone()]
                .iter()
                .map(|(_, count)| u64::from(*count))
                .sum(),
            channel,
            places,
        }
    }

    /// Returns an estimate of the error if all pixels of the box get one colour: its squared length times its
    /// pixels.
    fn weight(&self) -> u64 {
        u64::from(self.length) * u64::from(self.length) * self.pixels
    }

    /// Cuts the box at the middle of its longest channel, and returns both parts. It sorts the colours of the
    /// box.
    fn cut(self, colours: &mut [(Colour, u32)]) -> [Self; 2] {
        let inside = &mut colours[self.places.clone()];
        inside.sort_by_key(|(colour, _)| colour[self.channel]);
        let least = inside.first().map_or(0, |(colour, _)| colour[self.channel]);
        let middle = least + self.length / 2;
        let first = inside.partition_point(|(colour, _)| colour[self.channel] <= middle);
        let Range { start, end } = self.places;
        [start..start + first, start + first..end].map(|places| Self::new(places, colours))
    }
}

/// Reduces the picture to at most `max` of its own colours; 0 counts as 1. Alpha counts as a part of a colour. A
/// picture that has no more colours is not changed.
#[must_use]
pub fn quantize(mut picture: RgbaImage, max: usize) -> RgbaImage {
    let replaced = replacements(picture.as_raw().as_chunks().0, max.max(1));
    let (pixels, _) = picture.as_chunks_mut();
    // Neighbouring pixels often have the same colour, so each run is looked up once.
    for run in pixels.chunk_by_mut(|one, other| one == other) {
        if let Some(colour) = replaced.get(&run[0]) {
            run.fill(*colour);
        }
    }
    picture
}

/// Maps each colour to the most frequent one of its box, of equal ones to the higher. Makes fewer boxes than `max`
/// if none can be cut any more.
fn replacements(pixels: &[Colour], max: usize) -> HashMap<Colour, Colour> {
    let mut counts: BTreeMap<Colour, u32> = BTreeMap::new();
    for run in pixels.chunk_by(|one, other| one == other) {
        *counts.entry(run[0]).or_default() += run.len() as u32;
    }
    let mut colours: Vec<(Colour, u32)> = counts.into_iter().collect();
    let mut boxes = vec![ColourBox::new(0..colours.len(), &colours)];
    while boxes.len() < max {
        let worst = (0..boxes.len()).max_by_key(|at| boxes[*at].weight());
        let Some(worst) = worst.filter(|at| boxes[*at].weight() > 0) else {
            break;
        };
        let halves = boxes.swap_remove(worst).cut(&mut colours);
        boxes.extend(halves);
    }
    let mut replaced = HashMap::new();
    for colour_box in boxes {
        let inside = &colours[colour_box.places];
        if let Some((shown, _)) = inside
            .iter()
            .max_by_key(|(colour, count)| (*count, *colour))
        {
            replaced.extend(inside.iter().map(|(colour, _)| (*colour, *shown)));
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use image::Rgba;

    use super::*;

    #[test]
    fn colours_are_few_near_the_old_ones_and_flat_ones_stay() {
        let mut gradient =
            RgbaImage::from_fn(256, 64, |x, y| Rgba([x as u8, (y * 4) as u8, 90, 255]));
        for (x, _, pixel) in gradient.enumerate_pixels_mut().filter(|(_, y, _)| *y < 20) {
            *pixel = if x < 40 {
                Rgba([255, 0, 0, 255])
            } else {
                Rgba([250; 4])
            };
        }
        let few = quantize(gradient.clone(), 32);
        let colours: HashSet<[u8; 4]> = few.pixels().map(|pixel| pixel.0).collect();
        assert!((16..=32).contains(&colours.len()), "{}", colours.len());
        for (before, after) in gradient.pixels().zip(few.pixels()) {
            let far = (0..4).map(|at| before.0[at].abs_diff(after.0[at])).max();
            assert!(far <= Some(64), "{before:?} {after:?}");
        }
        assert_eq!(few.get_pixel(0, 0).0, [255, 0, 0, 255]);
        assert_eq!(few.get_pixel(200, 0).0, [250; 4]);
        assert_eq!(quantize(few.clone(), 32), few);
        assert_eq!(quantize(RgbaImage::new(0, 0), 32), RgbaImage::new(0, 0));
    }
}

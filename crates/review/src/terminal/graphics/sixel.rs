//! Encodes pictures as sixel: bands of six lines, a colour at a time, from a palette of at most 256.

use std::fmt::Write as _;

use image::RgbaImage;

/// Colours of the palette. Chosen: terminals with sixel have at least this many registers.
const MAX_COLOURS: usize = 256;
/// Buckets in which similar colours are counted, with five bits a channel. Chosen: finer shades are not
/// visible in 256 colours, and cost memory.
const BUCKETS: usize = 1 << 15;

/// Returns the escape sequence that shows `picture` at the cursor, with at most `MAX_COLOURS` colours. Pixels of less
/// than half opacity leave what is there. The picture is not scaled.
pub fn show(picture: &RgbaImage) -> Vec<u8> {
    let palette = Palette::from_picture(picture);
    let (width, height) = picture.dimensions();
    let mut out = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for (at, [red, green, blue]) in palette.colours.iter().enumerate() {
        // Sixel has colours in percent.
        let percent = |value: u8| (u32::from(value) * 100 + 127) / 255;
        let _ = write!(
            out,
            "#{at};2;{};{};{}",
            percent(*red),
            percent(*green),
            percent(*blue)
        );
    }
    let width = width as usize;
    let mut bits = vec![0_u8; palette.colours.len() * width];
    let mut used = vec![false; palette.colours.len()];
    for band in 0..height.div_ceil(6) {
        for (line, y) in (band * 6..(band * 6 + 6).min(height)).enumerate() {
            for x in 0..width {
                if let Some(colour) = palette.colour(picture.get_pixel(x as u32, y).0) {
                    bits[colour * width + x] |= 1 << line;
                    used[colour] = true;
                }
            }
        }
        let mut first = true;
        for colour in 0..used.len() {
            if !std::mem::take(&mut used[colour]) {
                continue;
            }
            if !first {
                out.push('$');
            }
            first = false;
            let _ = write!(out, "#{colour}");
            let row = &mut bits[colour * width..(colour + 1) * width];
            push_runs(&mut out, row);
            row.fill(0);
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    out.into_bytes()
}

/// Appends the sixels of one colour in a band, run-length encoded, without the empty ones at the end. `row` has one
/// byte for each column: a bit for each of its six pixels, the lowest for the top. An empty row adds nothing.
fn push_runs(out: &mut String, row: &[u8]) {
    let end = row
        .iter()
        .rposition(|bits| *bits != 0)
        .map_or(0, |at| at + 1);
    for run in row[..end].chunk_by(|one, other| one == other) {
        let sixel = char::from(b'?' + run[0]);
        // A count is shorter only from here on.
        if run.len() > 3 {
            let _ = write!(out, "!{}{sixel}", run.len());
        } else {
            out.extend(std::iter::repeat_n(sixel, run.len()));
        }
    }
}

/// Palette, with the colour of each bucket.
struct Palette {
    colours: Vec<[u8; 3]>,
    bucket_colours: Vec<u16>,
}

#[derive(Clone, Copy, Default)]
struct Bucket {
    count: u64,
    sum: [u64; 3],
}

impl Palette {
    /// Chooses a palette of at most `MAX_COLOURS` for the visible pixels, each colour the average of its group.
    /// Without visible pixels it is empty.
    fn from_picture(picture: &RgbaImage) -> Self {
        let mut buckets = vec![Bucket::default(); BUCKETS];
        for pixel in picture.pixels().filter(|pixel| is_visible(pixel.0)) {
            let bucket = &mut buckets[bucket(pixel.0)];
            bucket.count += 1;
            for (sum, value) in bucket.sum.iter_mut().zip(pixel.0) {
                *sum += u64::from(value);
            }
        }
        let there: Vec<usize> = (0..BUCKETS).filter(|at| buckets[*at].count > 0).collect();
        let mut colours = Vec::new();
        let mut bucket_colours = vec![0; BUCKETS];
        for group in median_cut(there, &buckets) {
            let mut all = Bucket::default();
            for at in &group {
                bucket_colours[*at] = colours.len() as u16;
                all.count += buckets[*at].count;
                for (sum, part) in all.sum.iter_mut().zip(buckets[*at].sum) {
                    *sum += part;
                }
            }
            colours.push(all.sum.map(|sum| (sum / all.count.max(1)) as u8));
        }
        Self {
            colours,
            bucket_colours,
        }
    }

    fn colour(&self, pixel: [u8; 4]) -> Option<usize> {
        is_visible(pixel).then(|| usize::from(self.bucket_colours[bucket(pixel)]))
    }
}

fn is_visible(pixel: [u8; 4]) -> bool {
    pixel[3] >= 128
}

fn bucket([red, green, blue, _]: [u8; 4]) -> usize {
    usize::from(red >> 3) << 10 | usize::from(green >> 3) << 5 | usize::from(blue >> 3)
}

fn channels(bucket: usize) -> [usize; 3] {
    [bucket >> 10, bucket >> 5 & 31, bucket & 31]
}

/// Divides the buckets into at most `MAX_COLOURS` groups for the palette, each with at least one. The group with the
/// widest range, weighted by the square root of its pixels, is cut in its middle until there are enough. There are
/// fewer if no group has two different colours left. Empty for no buckets.
fn median_cut(there: Vec<usize>, buckets: &[Bucket]) -> Vec<Vec<usize>> {
    if there.is_empty() {
        return Vec::new();
    }
    let mut groups = vec![there];
    while groups.len() < MAX_COLOURS {
        let widest = groups
            .iter()
            .enumerate()
            .map(|(at, group)| (at, longest_side(group)))
            .filter(|(_, (_, length))| *length > 0)
            .max_by_key(|(at, (_, length))| {
                let pixels: u64 = groups[*at].iter().map(|at| buckets[*at].count).sum();
                // The square root, so that a large background does not take the shades of an icon.
                *length as u64 * pixels.isqrt()
            });
        let Some((at, (channel, _))) = widest else {
            break;
        };
        let mut group = groups.swap_remove(at);
        group.sort_by_key(|bucket| channels(*bucket)[channel]);
        let all: u64 = group.iter().map(|at| buckets[*at].count).sum();
        let mut observed = 0;
        let middle = group
            .iter()
            .position(|at| {
                observed += buckets[*at].count;
                observed * 2 >= all
            })
            .unwrap_or(0);
        let upper = group.split_off((middle + 1).clamp(1, group.len() - 1));
        groups.extend([group, upper]);
    }
    groups
}

/// Returns the channel in which a group has the widest range, red 0, green 1 or blue 2, and that range; of equal ones
/// the last. The range is 0 for an empty group or one colour.
fn longest_side(group: &[usize]) -> (usize, usize) {
    (0..3)
        .map(|channel| {
            let values = || group.iter().map(|bucket| channels(*bucket)[channel]);
            let span = values().max().unwrap_or(0) - values().min().unwrap_or(0);
            (channel, span)
        })
        .max_by_key(|(_, span)| *span)
        .unwrap_or((0, 0))
}

#[cfg(test)]
mod tests;

//! Measures the comparison of a full-size picture with its golden; the names say where decoding is included.

use divan::{Bencher, black_box};
use image::{Rgba, RgbaImage};
use runner::device::Picture;
use runner::snapshot::picture::{Compression, PixelMask, compare, encode, first_difference};

const WIDTH: u32 = 1080;
const HEIGHT: u32 = 2400;

fn main() {
    divan::main();
}

/// Draws cards with lines of little marks, as a list of texts has.
fn golden() -> RgbaImage {
    RgbaImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let is_gap = y % 160 < 8;
        let is_mark = (y / 12) % 3 == 0 && (x * 7 + y * 3) % 11 < 4 && x % 500 > 60;
        match (is_gap, is_mark) {
            (true, _) => Rgba([224, 224, 230, 255]),
            (_, true) => Rgba([33, 33, 40, 255]),
            _ => Rgba([255, 255, 255, 255]),
        }
    })
}

/// Returns the golden with about 1 % of its pixels changed in one block of 160 × 162.
fn one_percent() -> RgbaImage {
    let mut image = golden();
    for y in 1000..1162 {
        for x in 400..560 {
            image.put_pixel(x, y, Rgba([200, 30, 60, 255]));
        }
    }
    image
}

fn all_changed() -> RgbaImage {
    RgbaImage::from_fn(WIDTH, HEIGHT, |x, y| {
        Rgba([(x % 90) as u8, (y % 90) as u8, 20, 255])
    })
}

fn whole() -> PixelMask {
    PixelMask::new(WIDTH, HEIGHT, &[])
}

#[divan::bench]
fn equal_pixels(bencher: Bencher) {
    let (one, other, mask) = (golden(), golden(), whole());
    bencher.bench(|| compare(black_box(&one), black_box(&other), &mask));
}

#[divan::bench]
fn equal_bytes(bencher: Bencher) {
    let one = encode(&golden(), Compression::Small).unwrap_or_default();
    let other = one.clone();
    bencher.bench(|| black_box(&one) == black_box(&other));
}

#[divan::bench]
fn one_percent_changed(bencher: Bencher) {
    let (one, other, mask) = (golden(), one_percent(), whole());
    bencher.bench(|| compare(black_box(&one), black_box(&other), &mask));
}

#[divan::bench]
fn one_percent_changed_with_both_decodes(bencher: Bencher) {
    let encoded = |image: &RgbaImage| encode(image, Compression::Small).unwrap_or_default();
    let (one, other, mask) = (encoded(&golden()), encoded(&one_percent()), whole());
    bencher.bench(|| {
        let pictures = [&one, &other].map(|png| Picture::from_png(png.as_slice()));
        let [one, other] = Picture::pixels_of_both(&pictures[0], &pictures[1]);
        let (one, other) = (one.ok()?, other.ok()?);
        Some(compare(&one, &other, &mask))
    });
}

#[divan::bench]
fn all_changed_is_replaced(bencher: Bencher) {
    let (one, other, mask) = (golden(), all_changed(), whole());
    bencher.bench(|| compare(black_box(&one), black_box(&other), &mask));
}

#[divan::bench]
fn standing_still(bencher: Bencher) {
    let (one, other, mask) = (golden(), golden(), whole());
    bencher.bench(|| first_difference(black_box(&one), black_box(&other), &mask));
}

#[divan::bench(args = [Compression::Fast, Compression::Small])]
fn encoding(bencher: Bencher, compression: Compression) {
    let image = golden();
    bencher.bench(|| encode(black_box(&image), compression));
}

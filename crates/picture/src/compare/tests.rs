use image::Rgba;
use proptest::prelude::*;

use super::*;

const WHITE: Rgba<u8> = Rgba([255, 255, 255, 255]);
const BODY: Rgba<u8> = Rgba([204, 204, 204, 255]);
const BLACK: Rgba<u8> = Rgba([0, 0, 0, 255]);

fn grey(level: u8) -> Rgba<u8> {
    Rgba([level, level, level, 255])
}

fn white() -> RgbaImage {
    RgbaImage::from_pixel(200, 160, WHITE)
}

fn fill(image: &mut RgbaImage, rect: [u32; 4], colour: Rgba<u8>) {
    for y in rect[1]..rect[3] {
        for x in rect[0]..rect[2] {
            image.put_pixel(x, y, colour);
        }
    }
}

fn with(paint: impl FnOnce(&mut RgbaImage)) -> RgbaImage {
    let mut image = white();
    paint(&mut image);
    image
}

fn check(golden: &RgbaImage, actual: &RgbaImage, masked: &[Rect]) -> Comparison {
    compare(
        golden,
        actual,
        &PixelMask::new(golden.width(), golden.height(), masked),
    )
}

/// A disc with smoothed edge; its centre is at x + shift/100.
fn disc(shift: i32) -> RgbaImage {
    with(|image| {
        let (cx, cy, radius) = (80.0 + shift as f32 / 100.0, 80.0, 40.0_f32);
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            let distance = (x as f32 - cx).hypot(y as f32 - cy);
            let cover = (radius - distance + 0.5).clamp(0.0, 1.0);
            *pixel = grey((255.0 - 255.0 * cover) as u8);
        }
    })
}

/// Header white, body grey, and a divider of `colour` between them.
fn header(colour: Option<Rgba<u8>>) -> RgbaImage {
    with(|image| {
        fill(image, [0, 80, 200, 160], BODY);
        if let Some(colour) = colour {
            fill(image, [0, 80, 200, 81], colour);
        }
    })
}

/// A letter's stem, as high as a heading's, with these levels at its left and right edges.
fn stem(left: u8, right: u8) -> RgbaImage {
    with(|image| {
        fill(image, [50, 20, 58, 120], BLACK);
        fill(image, [49, 20, 50, 120], grey(left));
        fill(image, [58, 20, 59, 120], grey(right));
    })
}

#[test]
fn what_a_person_sees_fails() {
    let plain = white();
    let cases: Vec<(&str, RgbaImage, RgbaImage)> = vec![
        (
            "one black pixel",
            plain.clone(),
            with(|i| fill(i, [50, 50, 51, 51], BLACK)),
        ),
        (
            "a pixel in the corner",
            plain.clone(),
            with(|i| fill(i, [199, 159, 200, 160], BLACK)),
        ),
        (
            "a divider one pixel high",
            plain.clone(),
            with(|i| fill(i, [0, 80, 200, 81], grey(224))),
        ),
        (
            "a faint divider",
            plain.clone(),
            with(|i| fill(i, [10, 80, 190, 81], grey(240))),
        ),
        (
            "a faint divider, upright",
            plain.clone(),
            with(|i| fill(i, [100, 10, 101, 150], grey(240))),
        ),
        (
            "a divider between two shades",
            header(None),
            header(Some(grey(228))),
        ),
        (
            "a divider between two shades gone",
            header(Some(grey(228))),
            header(None),
        ),
        (
            "a faint shade on a card",
            plain.clone(),
            with(|i| fill(i, [20, 20, 120, 60], grey(245))),
        ),
        (
            "a vanished button",
            with(|i| fill(i, [50, 50, 90, 70], Rgba([0, 90, 200, 255]))),
            plain.clone(),
        ),
        (
            "another colour of the same brightness",
            with(|i| fill(i, [9, 9, 40, 40], Rgba([200, 60, 60, 255]))),
            with(|i| fill(i, [9, 9, 40, 40], Rgba([30, 147, 60, 255]))),
        ),
        (
            "a dot of 3 × 3",
            plain.clone(),
            with(|i| fill(i, [70, 70, 73, 73], grey(90))),
        ),
        ("a disc moved by one pixel", disc(0), disc(100)),
        (
            "a button moved by one pixel",
            with(|i| fill(i, [50, 50, 90, 70], BLACK)),
            with(|i| fill(i, [50, 51, 90, 71], BLACK)),
        ),
    ];
    for (what, golden, actual) in cases {
        for (one, other) in [(&golden, &actual), (&actual, &golden)] {
            let result = check(one, other, &[]);
            assert!(result.changed > 0, "{what}: {result:?}");
            assert_eq!(
                result.changed,
                result
                    .clusters
                    .iter()
                    .map(|cluster| cluster.pixels)
                    .sum::<u64>()
            );
        }
    }
}

#[test]
fn what_no_person_sees_passes() {
    let plain = white();
    let noisy = with(|image| {
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            *pixel = grey(255 - ((x * 7 + y * 13) % 3) as u8);
        }
    });
    let cases: Vec<(&str, RgbaImage, RgbaImage)> = vec![
        ("the same", plain.clone(), plain.clone()),
        ("dithering by two levels", plain.clone(), noisy),
        (
            "a disc's edge smoothed a little differently",
            disc(0),
            disc(20),
        ),
        (
            "a stem smoothed a little differently",
            stem(100, 140),
            stem(60, 180),
        ),
        (
            "a few faint specks",
            plain.clone(),
            with(|i| fill(i, [50, 50, 54, 54], grey(248))),
        ),
        (
            "transparent white",
            plain.clone(),
            RgbaImage::from_pixel(200, 160, Rgba([255, 255, 255, 0])),
        ),
    ];
    for (what, golden, actual) in cases {
        for (one, other) in [(&golden, &actual), (&actual, &golden)] {
            let result = check(one, other, &[]);
            assert_eq!(result.changed, 0, "{what}: {result:?}");
            assert_eq!(result.clusters, [], "{what}");
        }
    }
    assert!(
        check(&disc(0), &disc(20), &[]).smoothed > 0,
        "the disc was a case of smoothing"
    );
}

#[test]
fn counts_are_exact_and_clusters_are_apart() {
    let actual = with(|image| {
        fill(image, [10, 10, 30, 20], BLACK);
        fill(image, [100, 100, 105, 104], BLACK);
        fill(image, [150, 20, 151, 21], BLACK);
    });
    let result = check(&white(), &actual, &[]);
    let clusters: Vec<_> = result
        .clusters
        .iter()
        .map(|c| (c.bounds.to_string(), c.pixels))
        .collect();
    assert_eq!(
        clusters,
        [
            ("10,10,30,20".to_owned(), 200),
            ("100,100,105,104".to_owned(), 20),
            ("150,20,151,21".to_owned(), 1)
        ]
    );
    assert_eq!(
        (result.changed, result.largest(), result.specks()),
        (221, 200, 21)
    );
    assert_eq!(result.compared, 200 * 160);
}

/// Large pictures are judged in two halves.
#[test]
fn what_crosses_the_middle_of_a_large_picture_is_one() {
    let large = || RgbaImage::from_pixel(640, 600, WHITE);
    for (rect, colour, pixels) in [
        // A faint line, in each half too short to be one.
        ([320, 285, 321, 315], grey(245), 30),
        ([10, 290, 20, 310], BLACK, 200),
        ([0, 10, 40, 20], BLACK, 400),
        ([600, 580, 640, 600], BLACK, 800),
    ] {
        let mut actual = large();
        fill(&mut actual, rect, colour);
        let found = check(&large(), &actual, &[]);
        assert_eq!(
            (found.changed, found.largest()),
            (pixels, pixels),
            "{rect:?}"
        );
        assert_eq!((found.faint, found.smoothed), (0, 0), "{rect:?}");
    }
    let mut both = large();
    fill(&mut both, [0, 10, 40, 20], BLACK);
    fill(&mut both, [600, 580, 640, 600], BLACK);
    let found = check(&large(), &both, &[]);
    let counts: Vec<u64> = found
        .clusters
        .iter()
        .map(|cluster| cluster.pixels)
        .collect();
    assert_eq!(counts, [800, 400]);
}

#[test]
fn masked_pixels_do_not_count() {
    let actual = with(|image| fill(image, [10, 10, 30, 20], BLACK));
    assert_eq!(
        check(&white(), &actual, &[Rect::new(10, 10, 30, 20)]).changed,
        0
    );
    assert_eq!(
        check(&white(), &actual, &[Rect::new(10, 10, 30, 19)]).changed,
        20
    );
    assert_eq!(
        check(&white(), &actual, &[Rect::new(-5, -5, 500, 500)]).compared,
        0
    );
}

#[test]
fn another_screen_is_replaced_and_counted_exactly() {
    let dark = RgbaImage::from_pixel(400, 400, BLACK);
    let light = RgbaImage::from_pixel(400, 400, WHITE);
    let result = check(&light, &dark, &[Rect::new(0, 0, 400, 10)]);
    assert!(result.replaced);
    assert_eq!(result.changed, 400 * 390);
    assert_eq!(result.clusters.len(), 1);
    assert_eq!(result.clusters[0].bounds, Rect::new(0, 10, 400, 400));
}

#[test]
fn the_stability_test_sees_a_single_level() {
    let mask = PixelMask::new(200, 160, &[Rect::new(0, 0, 200, 10)]);
    let other = with(|image| {
        image.put_pixel(3, 3, BLACK);
        image.put_pixel(7, 90, grey(254));
    });
    assert_eq!(
        first_difference(&white(), &other, &mask),
        Some(Rect::new(7, 90, 8, 91))
    );
    assert_eq!(first_difference(&white(), &white(), &mask), None);
}

proptest! {
    #[test]
    fn a_visible_block_anywhere_is_found_whole(x in 0..190_u32, y in 0..150_u32, w in 3..10_u32, h in 3..10_u32, level in 0..200_u8) {
        let actual = with(|image| fill(image, [x, y, x + w, y + h], grey(level)));
        let result = check(&white(), &actual, &[]);
        prop_assert_eq!(result.changed, u64::from(w * h));
        prop_assert_eq!(result.clusters.len(), 1);
        prop_assert_eq!(result.clusters[0].bounds, Rect::new(x as i32, y as i32, (x + w) as i32, (y + h) as i32));
    }

    #[test]
    fn one_visible_pixel_on_an_even_ground_is_found(
        ground in any::<[u8; 3]>(), pixel in any::<[u8; 3]>(), x in 0..40_u32, y in 0..30_u32
    ) {
        let opaque = |[red, green, blue]: [u8; 3]| Rgba([red, green, blue, 255]);
        let golden = RgbaImage::from_pixel(40, 30, opaque(ground));
        let mut actual = golden.clone();
        actual.put_pixel(x, y, opaque(pixel));
        let is_visible = distance(opaque(ground).0, opaque(pixel).0) > VISIBLE;
        prop_assert_eq!(check(&golden, &actual, &[]).changed, u64::from(is_visible));
    }

    #[test]
    fn both_ways_are_judged_alike_and_nothing_under_a_mask_counts(
        levels in prop::collection::vec(0..6_usize, 2 * 30 * 40), masked in (0..40_i32, 0..30_i32, 0..40_i32, 0..30_i32)
    ) {
        // Few levels, so that there are edges, faint differences and even areas.
        let level = |at: usize| grey([0, 70, 90, 240, 246, 255][levels[at]]);
        let golden = RgbaImage::from_fn(40, 30, |x, y| level((y * 40 + x) as usize));
        let mask = Rect::new(masked.0, masked.1, masked.0 + masked.2, masked.1 + masked.3);
        let (mut actual, mut hidden) = (golden.clone(), golden.clone());
        for (x, y, pixel) in actual.enumerate_pixels_mut() {
            if (x / 7 + y / 5) % 2 == 0 {
                *pixel = level((1200 + y * 40 + x) as usize);
            }
            if mask.contains(crate::Point { x: x as i32, y: y as i32 }) {
                hidden.put_pixel(x, y, *pixel);
            }
        }
        prop_assert_eq!(check(&golden, &actual, &[mask]), check(&actual, &golden, &[mask]));
        let unchanged = check(&golden, &hidden, &[mask]);
        prop_assert_eq!((unchanged.changed, unchanged.smoothed, unchanged.faint), (0, 0, 0));
        prop_assert_eq!(first_difference(&golden, &hidden, &PixelMask::new(40, 30, &[mask])), None);
    }
}

//! Tests of the words about changed pixels.

use image::Rgba;

use super::*;

/// Compares a white picture with one that has a black square.
fn square() -> PictureCheck {
    let white = RgbaImage::from_pixel(60, 60, Rgba([255; 4]));
    let mut drawn = white.clone();
    for (x, y) in (10..30).flat_map(|x| (10..30).map(move |y| (x, y))) {
        drawn.put_pixel(x, y, Rgba([0, 0, 0, 255]));
    }
    PictureCheck::new(
        Arc::new(Frame::from(white)),
        Arc::new(Frame::from(drawn)),
        &[],
        &CaretAreas::default(),
        Tolerance::default(),
    )
}

#[test]
fn pixels_that_moved_rows_explain_are_told_as_moved() {
    let mut check = square();
    let Comparison {
        changed, compared, ..
    } = check.comparison;
    assert!(changed > 0);
    // No area moved as a whole.
    check.moved = Vec::new();
    check.remaining = None;
    assert_eq!(
        check.in_short(),
        format!("{changed} of {compared} px change, in 1 place")
    );
    check.remaining = Some(Comparison::default());
    assert_eq!(
        check.in_short(),
        format!("{changed} of {compared} px differ because content moved; nothing else changed")
    );
    assert!(
        check
            .counts()
            .contains(&format!("{changed} px more because content moved")),
        "{}",
        check.counts()
    );
}

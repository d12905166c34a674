//! Tests of what is reported as moved, and of what remains where rows moved.

use image::{Rgba, RgbaImage};

use crate::fixture::{Element, HEIGHT, WIDTH, key, store, subject};
use crate::picture::{Compression, encode};
use crate::{Check, Options, Subject, UpdateMode, check};
use runner_device::Picture;

/// Returns a row of a list; each kind is drawn with its own lines.
fn item(id: &'static str, top: i32) -> Element<'static> {
    ("TextView", id, id, [10, top, 90, top + 20])
}

/// Returns a white screen with a row of a kind at each place.
fn observed(rows: &[(&'static str, u8, i32)]) -> Subject {
    let elements: Vec<Element<'static>> = rows.iter().map(|(id, _, top)| item(id, *top)).collect();
    let mut image = RgbaImage::from_pixel(WIDTH, HEIGHT, Rgba([255; 4]));
    for (_, kind, top) in rows {
        for y in 2..18 {
            for x in 12..80 {
                let pixel = Rgba([kind * 60, (y * 12) as u8, (x * 2) as u8, 255]);
                image.put_pixel(x, *top as u32 + y, pixel);
            }
        }
    }
    Subject {
        picture: Some(Picture::from_png(
            encode(&image, Compression::Fast).unwrap(),
        )),
        ..subject(&elements)
    }
}

fn check_change(before: &Subject, after: &Subject) -> Check {
    let (_guard, store, _root) = store();
    let golden = store.load(&key("home")).unwrap();
    let first = check(before, &golden, &Options::default()).unwrap();
    store.apply(UpdateMode::All, &golden, &first).unwrap();
    let golden = store.load(&key("home")).unwrap();
    check(after, &golden, &Options::default()).unwrap()
}

/// An added row that looks like a later one did not move there.
#[test]
fn a_row_that_came_is_no_move_of_another() {
    let found = check_change(
        &observed(&[("a", 0, 40), ("b", 1, 60), ("c", 2, 80)]),
        &observed(&[("new", 2, 40), ("a", 0, 60), ("b", 1, 80), ("c", 2, 100)]),
    );
    let by: Vec<(i32, i32)> = found.moved.iter().map(|moved| moved.by).collect();
    assert_eq!(by, [(0, 20)], "{:?}", found.moved);
    let areas = found.areas.unwrap();
    let names: Vec<Option<&str>> = areas
        .places
        .iter()
        .map(|place| place.name.as_deref())
        .collect();
    assert_eq!(names, [Some("TextView#new")], "{:?}", areas.places);
}

/// If rows only moved, nothing else is reported, and the counts are those of the places.
#[test]
fn of_rows_that_only_moved_nothing_is_left() {
    let found = check_change(
        &observed(&[("a", 0, 40), ("b", 1, 60), ("c", 2, 90)]),
        &observed(&[("a", 0, 40), ("b", 1, 65), ("c", 2, 95)]),
    );
    assert_eq!(found.areas.unwrap().places, []);
    let counts = found
        .changes
        .iter()
        .find(|line| line.starts_with("picture:"))
        .unwrap();
    assert!(counts.contains("largest change 0 px"), "{counts}");
    assert!(counts.contains("px more because content moved"), "{counts}");
}

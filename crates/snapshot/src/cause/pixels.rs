//! Changes of the picture that no row shows. Changed colours are grouped by colour, since a theme changes
//! many elements. Other changes are grouped by element.

use std::collections::HashMap;

use image::{Rgba, RgbaImage};

use super::part::ChangePart;
use crate::expected_picture::PicturePair;
use crate::golden::hash;
use crate::options::Tolerance;
use crate::picture::{Comparison, PixelMask, compare, crop};
use crate::picture_check::{MAX_CLUSTERS, PictureCheck};
use crate::row::Row;
use crate::rows_diff::RowChange;
use crate::subject::row_of_place;
use runner_screen::Rect;

/// Number of times that the rest of a picture is searched for changed colours. Chosen: a theme has few
/// colours that lie over one another.
const MAX_ROUNDS: usize = 4;

/// Number of elements that are told apart. Chosen: nobody looks at more one by one.
const MAX_ELEMENTS: usize = 100;

/// Number of pixels, about, whose colours are counted. Chosen: exact enough for shares, and quick for a large
/// screen.
const SAMPLES: u64 = 40_000;

/// Largest deviation of a channel of an anti-aliased edge, in levels. Chosen: rounding and gamma stay below
/// it.
const MAX_DEVIATION: f32 = 12.0;

type Rgb = [u8; 3];

/// Returns all changes that no row shows, sorted by their text, with "content moved" last. If nothing else changed
/// (`has_others`) and nothing moved, there is at least one: the golden itself is compared if no pixel is left
/// unexplained. Returns none if `picture` has no pixels.
pub(super) fn parts(
    picture: &PictureCheck,
    sides: &PicturePair<'_>,
    rows: [&[Row]; 2],
    has_others: bool,
) -> Vec<ChangePart> {
    let Some([golden, actual]) = picture.pixels.as_ref() else {
        return Vec::new();
    };
    let expected = sides.expected(&picture.comparison.clusters, &picture.moved);
    let is_strict = !(has_others || expected.has_moved);
    let known = known(sides, actual, picture.left_out());
    let masks = [&picture.mask, &known];
    let mut parts = picture_parts(expected.picture, actual, masks, rows, is_strict);
    if expected.has_moved {
        parts.push(ChangePart::uncounted("content moved"));
    }
    // Pictures that differ must have at least one change.
    if is_strict && parts.is_empty() {
        parts = picture_parts(RgbaImage::clone(golden), actual, masks, rows, true);
    }
    parts
}

/// Returns the changed colours of rows that have other words or another size now, one change for each row,
/// sorted by text. The colours themselves are only in its identity.
pub(super) fn other_colours(
    picture: &PictureCheck,
    sides: &PicturePair<'_>,
    actual: &[Row],
) -> Vec<ChangePart> {
    let rows = actual.iter().enumerate().filter_map(|(at, row)| {
        let new = sides.other_colours(at, &picture.mask);
        let display = format!("other colours: {}", row.label());
        (!new.is_empty())
            .then(|| ChangePart::with_identity(display.clone(), &[&display, &format!("{new:?}")]))
    });
    sort_by_text(rows.collect())
}

/// Returns the changes between pictures of different sizes, inside the upper left area that both have. Differences
/// within the default tolerance do not count. Returns none if `picture` has no pixels.
pub(super) fn other_size_parts(
    picture: &PictureCheck,
    rows: [&[Row]; 2],
    changes: &[RowChange],
) -> Vec<ChangePart> {
    let Some([golden, actual]) = picture.pixels.as_ref() else {
        return Vec::new();
    };
    let both = Rect::new(
        0,
        0,
        golden.width().min(actual.width()) as i32,
        golden.height().min(actual.height()) as i32,
    );
    let (Some(golden), Some(actual)) = (crop(golden, both), crop(actual, both)) else {
        return Vec::new();
    };
    let mask = PixelMask::new(actual.width(), actual.height(), picture.left_out());
    let found = compare(&golden, &actual, &mask);
    let sides = PicturePair::new((&golden, &actual), rows[0], rows[1], changes);
    let expected = sides.expected(&found.clusters, &[]);
    let known = known(&sides, &actual, picture.left_out());
    picture_parts(expected.picture, &actual, [&mask, &known], rows, false)
}

/// Returns the mask that leaves out `left_out` and the places of the added rows.
fn known(sides: &PicturePair<'_>, actual: &RgbaImage, left_out: &[Rect]) -> PixelMask {
    let unknown: Vec<Rect> = left_out
        .iter()
        .copied()
        .chain(sides.added_places())
        .collect();
    PixelMask::new(actual.width(), actual.height(), &unknown)
}

/// Reports changed colours and removes them from the picture, in up to [`MAX_ROUNDS`] rounds, until the rest is
/// something else. The rest is reported as other pixels, one change for each element; all changes are sorted by their
/// text. In `known`, the surroundings of a place tell whether something was added or removed there. `is_strict` also
/// reports differences within the default tolerance, which allows none at present.
fn picture_parts(
    mut expected: RgbaImage,
    actual: &RgbaImage,
    [mask, known]: [&PixelMask; 2],
    rows: [&[Row]; 2],
    is_strict: bool,
) -> Vec<ChangePart> {
    let mut parts = Vec::new();
    let mut found = compare(&expected, actual, mask);
    let mut elements = elements(&found, rows);
    if !is_strict && is_tolerated(&found) {
        return parts;
    }
    for _ in 0..MAX_ROUNDS {
        let reported = parts.len();
        for Element { places, .. } in &elements {
            if let Some((before, after)) = recoloured([&expected, actual], known, places) {
                let hex = |[red, green, blue]: Rgb| format!("#{red:02X}{green:02X}{blue:02X}");
                parts.push(ChangePart::uncounted(format!(
                    "colour {} → {}",
                    hex(before),
                    hex(after)
                )));
                take_out(&mut expected, actual, places, (before, after));
            }
        }
        if parts.len() == reported {
            break;
        }
        found = compare(&expected, actual, mask);
        if is_tolerated(&found) {
            return sort_by_text(parts);
        }
        elements = self::elements(&found, rows);
    }
    parts.extend(elements.into_iter().map(|element| {
        let display = match &element.name {
            Some(name) => format!("other pixels: {name}"),
            None => "other pixels".to_owned(),
        };
        let pixels = pixels([&expected, actual], &element);
        ChangePart::with_identity(display.clone(), &[&display, &pixels])
    }));
    sort_by_text(parts)
}

/// Sorts changes by text, so that colours come first. Their size on this screen does not matter.
fn sort_by_text(mut parts: Vec<ChangePart>) -> Vec<ChangePart> {
    parts.sort_by(|one, other| one.display.cmp(&other.display));
    parts
}

fn is_tolerated(found: &Comparison) -> bool {
    let Tolerance { cluster, specks } = Tolerance::default();
    found.largest() <= cluster && found.specks() <= specks
}

/// Changed places of one element.
struct Element {
    /// Name of the element for people; `None` for places outside of all elements.
    name: Option<String>,
    /// Upper left corner, to which the hashes of the places are relative.
    corner: (i32, i32),
    places: Vec<Rect>,
}

/// Groups the places by the smallest element around each, told apart by name and corner; it must hold at least half of
/// the place. Places without one form a group without name. All places after the first [`MAX_CLUSTERS`] belong to that
/// group, and all once there are [`MAX_ELEMENTS`] groups.
fn elements(found: &Comparison, [golden, actual]: [&[Row]; 2]) -> Vec<Element> {
    let mut elements: Vec<Element> = Vec::new();
    for (at, cluster) in found.clusters.iter().enumerate() {
        let place = cluster.bounds;
        let rows = actual.iter().chain(golden).enumerate();
        let holds_most = |bounds: &Rect| {
            let inside = bounds.intersection(&place);
            inside.is_some_and(|inside| inside.area() * 2 >= place.area())
        };
        // Nobody reviews a thousand elements one by one.
        let is_looked_for = at < MAX_CLUSTERS && elements.len() < MAX_ELEMENTS;
        let row = is_looked_for.then(|| row_of_place(place, &rows)).flatten();
        let row = row.and_then(|(_, row)| Some((row, row.bounds?)));
        let row = row.filter(|(_, bounds)| holds_most(bounds));
        let (name, corner) = match row {
            Some((row, bounds)) => (Some(row.label()), (bounds.left, bounds.top)),
            None => (None, (0, 0)),
        };
        let known = elements
            .iter_mut()
            // Rows of a list have the same name; their corners distinguish them.
            .find(|element| element.name == name && element.corner == corner);
        match known {
            Some(element) => element.places.push(place),
            None => elements.push(Element {
                name,
                corner,
                places: vec![place],
            }),
        }
    }
    elements
}

/// Returns a hash of the pixels of the element's places on both sides. Positions are relative to the
/// element's corner, so the same change elsewhere has the same hash.
fn pixels(pictures: [&RgbaImage; 2], element: &Element) -> String {
    let mut places = element.places.clone();
    places.sort_unstable_by_key(|place| (place.top, place.left, place.bottom, place.right));
    let corner = element.corner;
    let each = places.iter().flat_map(|place| {
        pictures.map(|picture| {
            let part = crop(picture, *place);
            let part = part.map_or_else(String::new, |part| hash(part.as_raw()));
            // Relative to the element's corner, so that the same icon that changed elsewhere on another
            // screen is the same
            // change.
            let at = (
                place.left.saturating_sub(corner.0),
                place.top.saturating_sub(corner.1),
            );
            format!("{at:?} {}x{} {part}", place.width(), place.height())
        })
    });
    hash(each.collect::<Vec<_>>().join("\n").as_bytes())
}

/// Returns the most frequent colour change, old and new, if it explains at least half of the changed pixels; a
/// pixel that went a part of the way, as at an anti-aliased edge, counts too. Large places are sampled.
/// Returns `None` if it explains fewer, if no pixel changed, or if something was added or removed: then one of
/// the colours is that of the surroundings, which are read only where `mask` is open.
fn recoloured(pictures: [&RgbaImage; 2], mask: &PixelMask, places: &[Rect]) -> Option<(Rgb, Rgb)> {
    let changed = changed_colours(pictures, places);
    let (&(before, after), _) = changed
        .iter()
        // Ties are broken by the colours: a map has no order, and the id of a cause must be the same in every
        // run.
        .max_by_key(|(colours, count)| (**count, **colours))?;
    let all: u32 = changed.values().sum();
    let mixed = changed
        .iter()
        .filter(|((old, new), _)| is_mixed((before, after), *old, *new));
    let explained: u32 = mixed.map(|(_, count)| count).sum();
    let is_all = explained * 2 >= all && !is_surroundings(pictures, mask, places, (before, after));
    is_all.then_some((before, after))
}

/// Copies the pixels from `actual` to `expected` that the reported colour change explains, also in part as at
/// an anti-aliased edge. Only pixels inside of `places` are copied.
fn take_out(expected: &mut RgbaImage, actual: &RgbaImage, places: &[Rect], reported: (Rgb, Rgb)) {
    let places = covering(actual, places);
    for (x, y) in places.into_iter().flat_map(|place| pixels_of(place, 1)) {
        let now = *actual.get_pixel(x, y);
        let [old, new] = [*expected.get_pixel(x, y), now].map(|Rgba([r, g, b, _])| [r, g, b]);
        if is_mixed(reported, old, new) {
            expected.put_pixel(x, y, now);
        }
    }
}

/// Returns the parts of the places that lie inside of the picture. If their areas together are more than
/// twice the rectangle around them, it returns that rectangle alone.
fn covering(picture: &RgbaImage, places: &[Rect]) -> Vec<Rect> {
    let whole = Rect::new(0, 0, picture.width() as i32, picture.height() as i32);
    let inside: Vec<Rect> = places
        .iter()
        .filter_map(|place| place.intersection(&whole))
        .collect();
    let around = inside
        .iter()
        .copied()
        .reduce(|one, other| one.union(&other));
    let sum: u64 = inside.iter().map(Rect::area).sum();
    match around {
        Some(around) if sum > around.area() * 2 => vec![around],
        _ => inside,
    }
}

/// Iterates over every `step`th pixel of a place in both directions.
fn pixels_of(place: Rect, step: usize) -> impl Iterator<Item = (u32, u32)> {
    let columns = move || (place.left..place.right).step_by(step);
    let lines = (place.top..place.bottom).step_by(step);
    lines.flat_map(move |y| columns().map(move |x| (x as u32, y as u32)))
}

/// Counts the changed pixels by old and new colour, without alpha. Of large places it samples about
/// [`SAMPLES`] pixels on a grid.
fn changed_colours([before, after]: [&RgbaImage; 2], places: &[Rect]) -> HashMap<(Rgb, Rgb), u32> {
    let mut counts: HashMap<(Rgb, Rgb), u32> = HashMap::new();
    let places = covering(after, places);
    let all: u64 = places.iter().map(Rect::area).sum();
    // The step applies to both directions, hence the root.
    let step = (all / SAMPLES).isqrt().max(1) as usize;
    for (x, y) in places.into_iter().flat_map(|place| pixels_of(place, step)) {
        let [old, new] = [before, after].map(|picture| {
            let Rgba([red, green, blue, _]) = *picture.get_pixel(x, y);
            [red, green, blue]
        });
        if old != new {
            *counts.entry((old, new)).or_default() += 1;
        }
    }
    counts
}

/// Returns true if a pixel changed from `old` to `new` by a part of the way from `before` to `after`, as an
/// anti-aliased edge does. A change of the whole way must also begin at `before`. Each colour channel may
/// deviate by [`MAX_DEVIATION`].
fn is_mixed((before, after): (Rgb, Rgb), old: Rgb, new: Rgb) -> bool {
    let way = |from: Rgb, to: Rgb| {
        let by = |at: usize| f32::from(to[at]) - f32::from(from[at]);
        [by(0), by(1), by(2)]
    };
    let (whole, part) = (way(before, after), way(old, new));
    let dot =
        |one: [f32; 3], other: [f32; 3]| -> f32 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
    let share = dot(whole, part) / dot(whole, whole).max(1.0);
    // Pixels that had the colour itself go all of the way; mixed ones go a part of it.
    let own = if share > 0.9 {
        way(before, old)
            .iter()
            .all(|by| by.abs() <= 2.0 * MAX_DEVIATION)
    } else {
        true
    };
    own && (0.0..=1.05).contains(&share)
        && whole
            .iter()
            .zip(part)
            .all(|(whole, part)| (whole * share - part).abs() <= MAX_DEVIATION)
}

/// Returns true if the colour is that of the surroundings: a pixel beside the largest place is exactly
/// `before` in the golden or exactly `after` now. It looks at five pixels outside of the place, and only at
/// those that the mask leaves open.
fn is_surroundings(
    [golden, actual]: [&RgbaImage; 2],
    mask: &PixelMask,
    places: &[Rect],
    (before, after): (Rgb, Rgb),
) -> bool {
    let Some(around) = places.iter().max_by_key(|place| place.area()) else {
        return false;
    };
    let middle = around.center();
    let beside = [
        (around.left - 1, middle.y),
        (around.right, middle.y),
        (middle.x, around.top - 1),
        (middle.x, around.bottom),
        (around.left - 1, around.top - 1),
    ];
    let is_open = |(x, y): &&(i32, i32)| {
        let place = u32::try_from(*x).ok().zip(u32::try_from(*y).ok());
        place.is_some_and(|(x, y)| mask.is_open(x, y))
    };
    beside.iter().filter(is_open).any(|(x, y)| {
        colour(golden, *x, *y) == Some(before) || colour(actual, *x, *y) == Some(after)
    })
}

fn colour(image: &RgbaImage, x: i32, y: i32) -> Option<Rgb> {
    let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
    let [red, green, blue, _] = image.get_pixel_checked(x, y)?.0;
    Some([red, green, blue])
}

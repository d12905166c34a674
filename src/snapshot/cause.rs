//! Why a golden is up for review: one kind, and an id that goldens share which changed for the same reason.

use std::collections::HashMap;

use image::RgbaImage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GoldenKey;
use super::difference::{Difference, Proposed, Tables};
use super::golden::{Golden, hash};
use super::picture::Cluster;
use super::picture_check::{PictureCheck, PictureVerdict};
use super::row::{Row, quoted};
use super::rows_diff::{Change, RowChange};
use super::subject::row_of_place;
use crate::screen::Rect;

/// More rows than this that moved apart are not named.
const FEW_MOVED: usize = 3;

/// A changed pixel this near to a changed row is part of that change: shadows reach over the bounds.
const NEAR: i32 = 16;

/// So many changed places are looked at.
const MOST_CLUSTERS: usize = 500;

/// About so many pixels of a place are looked at for its colours.
const SAMPLES: u64 = 40_000;

/// What kind of change it is; the first that applies.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// There is no golden yet, or none of this class.
    New,
    /// The step's masks changed.
    Masks,
    /// The picture has another size.
    Size,
    /// Mostly another screen.
    Replaced,
    /// Rows came, went or moved.
    Layout,
    /// Texts or states changed.
    Text,
    /// Only pixels changed.
    Pixels,
    /// No flow names this golden any more.
    Obsolete,
}

impl ChangeKind {
    /// As files and pages have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Masks => "masks",
            Self::Size => "size",
            Self::Replaced => "replaced",
            Self::Layout => "layout",
            Self::Text => "text",
            Self::Pixels => "pixels",
            Self::Obsolete => "obsolete",
        }
    }
}

/// Why a golden is up for review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The kind.
    pub kind: ChangeKind,
    /// The same for goldens that changed in the same way: 16 hex digits.
    pub id: String,
    /// In a few words, for people: the first of [`Cause::changes`], and how many more there are.
    pub title: String,
    /// All that changed, each in a few words, most weighty first; what follows from another change is left out. Goldens
    /// that share a cause share all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl Cause {
    /// A cause that is told apart by `parts`, in whatever order; the first of them is the title.
    pub fn new(kind: ChangeKind, parts: &[String]) -> Self {
        let title = match parts {
            [] => kind.as_str().to_owned(),
            [only] => only.clone(),
            [first, others @ ..] => format!("{first}, and {} more", others.len()),
        };
        let mut cause = Self::told_apart(kind, title, parts);
        if !parts.is_empty() {
            cause.changes = parts.to_vec();
        }
        cause
    }

    fn told_apart(kind: ChangeKind, title: String, parts: &[String]) -> Self {
        let mut parts = parts.to_vec();
        parts.sort_unstable();
        let text = format!("{}\n{}", kind.as_str(), parts.join("\n"));
        Self {
            kind,
            id: hash(text.as_bytes()),
            changes: vec![title.clone()],
            title,
        }
    }

    /// Of a golden that no flow names: one cause for each flow that is gone.
    pub fn obsolete(key: &GoldenKey) -> Self {
        let title = format!("no flow takes the goldens of {} any more", key.flow());
        Self::new(ChangeKind::Obsolete, &[title])
    }
}

/// Why a golden is up for review. New goldens of a flow are one cause, and so are missing pictures of a class.
pub(super) fn of(
    found: &Difference,
    golden: &Golden,
    tables: &Tables,
    proposed: Proposed<'_>,
) -> Cause {
    if tables.shared.is_none() {
        let title = format!("new in {}", golden.key.flow());
        return Cause::new(ChangeKind::New, &[title]);
    }
    if found.masks {
        let hashes = [tables.masks(), proposed.metadata.get("masks")];
        let hashes: Vec<String> = hashes.into_iter().flatten().cloned().collect();
        let title = "the masks changed".to_owned();
        return Cause::told_apart(ChangeKind::Masks, title, &hashes);
    }
    let picture = found.picture.as_ref().filter(|picture| !picture.passed());
    let sides = Sides {
        golden: tables.class_rows(),
        actual: proposed.rows,
    };
    match picture.map(|picture| (picture.verdict, picture)) {
        Some((PictureVerdict::OtherSize, picture)) => other_size(found, picture, tables, &sides),
        Some((PictureVerdict::Replaced, picture)) => replaced(found, picture, &sides),
        _ if found.differs() => changed(found, picture, tables, &sides),
        _ => {
            let class = golden.key.class();
            let class = class.map_or("this device", |class| class.as_str());
            Cause::new(ChangeKind::New, &[format!("no picture of {class} yet")])
        }
    }
}

/// Rows with bounds, of the golden's class and of what was seen.
struct Sides<'a> {
    golden: &'a [Row],
    actual: &'a [Row],
}

impl Sides<'_> {
    /// Where the row of a change was and is.
    fn bounds(&self, change: &RowChange) -> impl Iterator<Item = Rect> {
        let of = |rows: &[Row], at: Option<usize>| rows.get(at?)?.bounds;
        let places = [
            of(self.golden, change.golden),
            of(self.actual, change.actual),
        ];
        places.into_iter().flatten()
    }

    /// A change of a class row, called without its number.
    fn label(&self, change: &RowChange) -> String {
        let row = match (change.actual, change.golden) {
            (Some(at), _) => self.actual.get(at),
            (None, Some(at)) => self.golden.get(at),
            (None, None) => None,
        };
        row.map_or_else(|| change.name.clone(), Row::label)
    }
}

fn other_size(
    found: &Difference,
    picture: &PictureCheck,
    tables: &Tables,
    sides: &Sides<'_>,
) -> Cause {
    let mut parts = row_parts(found, tables, sides);
    if parts.is_empty() {
        parts.push(format!("the picture is {}", picture.sizes()));
    }
    Cause::new(ChangeKind::Size, &parts)
}

/// Another screen is told by what it shows: the same error in many flows is one cause.
fn replaced(found: &Difference, picture: &PictureCheck, sides: &Sides<'_>) -> Cause {
    if found.rows.is_empty() {
        let clusters: Vec<Rect> = bounds_of(&picture.changes().clusters);
        let part = recoloured(picture, &clusters).unwrap_or_else(|| "another picture".to_owned());
        return Cause::new(ChangeKind::Replaced, &[part]);
    }
    let shown = sides.actual.iter().find(|row| {
        !row.is_window() && !row.is_masked() && (!row.text.is_empty() || !row.desc.is_empty())
    });
    let title = shown.map_or_else(
        || "another screen".to_owned(),
        |row| {
            let text = if row.text.is_empty() {
                &row.desc
            } else {
                &row.text
            };
            format!("another screen: {}", quoted(text))
        },
    );
    let parts: Vec<String> = sides
        .actual
        .iter()
        .map(|row| format!("{}\t{}\t{}", row.label(), row.text, row.desc))
        .collect();
    Cause::told_apart(ChangeKind::Replaced, title, &parts)
}

/// Some changes on the same screen. What follows from another change is left out.
fn changed(
    found: &Difference,
    picture: Option<&PictureCheck>,
    tables: &Tables,
    sides: &Sides<'_>,
) -> Cause {
    let mut parts = row_parts(found, tables, sides);
    let came_or_went = |change: &RowChange| {
        matches!(
            change.change,
            Change::Added | Change::Removed | Change::Order(..)
        )
    };
    let kind = if found.rows.iter().any(came_or_went) {
        ChangeKind::Layout
    } else if !parts.is_empty() {
        ChangeKind::Text
    } else if !found.bounds.is_empty() {
        ChangeKind::Layout
    } else {
        ChangeKind::Pixels
    };
    if !found.rows.iter().any(moves_others) {
        push_new(&mut parts, bounds_parts(found, sides));
    }
    if let Some(picture) = picture {
        let own = pixel_parts(found, picture, sides);
        // Content that moved without a row that says so was scrolled, or is drawn.
        let only_moved = parts.is_empty() && own.is_empty() && !picture.moved.is_empty();
        push_new(&mut parts, own);
        if only_moved {
            parts.push("content moved".to_owned());
        }
    }
    Cause::new(kind, &parts)
}

fn push_new(parts: &mut Vec<String>, more: Vec<String>) {
    for part in more {
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
}

/// Changes of the rows, most weighty first, each once.
fn row_parts(found: &Difference, tables: &Tables, sides: &Sides<'_>) -> Vec<String> {
    let sides = Sides {
        golden: tables.shared_rows(),
        actual: sides.actual,
    };
    let mut parts = Vec::new();
    for change in &found.rows {
        let name = sides.label(change);
        let part = match &change.change {
            Change::Order(..) => format!("{name}: another place in the order"),
            _ => RowChange {
                name,
                ..change.clone()
            }
            .to_string(),
        };
        push_new(&mut parts, vec![part]);
    }
    parts
}

/// Whether a change of this kind moves what stands around the row.
fn moves_others(change: &RowChange) -> bool {
    !matches!(change.change, Change::Flags(..) | Change::Id(..))
}

/// Changes of bounds without the numbers, which differ from class to class: the innermost rows whose size changed; else
/// the outermost rows that moved.
fn bounds_parts(found: &Difference, sides: &Sides<'_>) -> Vec<String> {
    let of = |wanted: fn(&Change) -> bool| -> Vec<(&RowChange, Rect)> {
        let changes = found.bounds.iter().filter(|change| wanted(&change.change));
        changes
            .filter_map(|change| Some((change, sides.bounds(change).next()?)))
            .collect()
    };
    let sized = of(|change| matches!(change, Change::Bounds(..)));
    let moved = of(|change| matches!(change, Change::Moved(..)));
    let innermost = |(at, (_, bounds)): (usize, &(&RowChange, Rect))| {
        let holds = |(other, (_, inner)): (usize, &(&RowChange, Rect))| {
            other != at && bounds.encloses(inner) && (bounds != inner || other > at)
        };
        !sized.iter().enumerate().any(holds)
    };
    let mut parts = Vec::new();
    for (at, sized_row) in sized.iter().enumerate() {
        if innermost((at, sized_row)) {
            let part = format!("{}: another size", sides.label(sized_row.0));
            push_new(&mut parts, vec![part]);
        }
    }
    // A list that became longer because of what moved in it says less than what moved.
    let only_around = !moved.is_empty()
        && sized
            .iter()
            .all(|(_, outer)| moved.iter().any(|(_, inner)| outer.encloses(inner)));
    if only_around {
        parts.clear();
    }
    if parts.is_empty() {
        parts = moved_parts(&moved, sides);
    }
    if parts.is_empty() {
        parts = found
            .bounds
            .iter()
            .map(|change| {
                let name = sides.label(change);
                RowChange {
                    name,
                    ..change.clone()
                }
                .to_string()
            })
            .collect();
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn moved_parts(moved: &[(&RowChange, Rect)], sides: &Sides<'_>) -> Vec<String> {
    let outermost = moved.iter().filter(|(change, bounds)| {
        !moved.iter().any(|(other, around)| {
            other.change == change.change && around != bounds && around.encloses(bounds)
        })
    });
    let outermost: Vec<&RowChange> = outermost.map(|(change, _)| *change).collect();
    let mut parts = Vec::new();
    for change in &outermost {
        let Change::Moved(x, y) = change.change else {
            continue;
        };
        let to = match (x.signum(), y.signum()) {
            (_, 1) => "down",
            (_, -1) => "up",
            (1, _) => "right",
            _ => "left",
        };
        let part = if outermost.len() > FEW_MOVED {
            format!("rows moved {to}")
        } else {
            format!("{}: moved {to}", sides.label(change))
        };
        push_new(&mut parts, vec![part]);
    }
    parts
}

/// Changed places of the picture that no changed row explains: what was painted in another colour by the colours, for a
/// theme changes many elements; else by the element.
fn pixel_parts(found: &Difference, picture: &PictureCheck, sides: &Sides<'_>) -> Vec<String> {
    let changed: Vec<Rect> = found
        .rows
        .iter()
        .chain(&found.bounds)
        .flat_map(|change| sides.bounds(change))
        .map(|bounds| grown(bounds, NEAR))
        .collect();
    let mut places: Vec<(Option<String>, Vec<Rect>)> = Vec::new();
    for cluster in picture.changes().clusters.iter().take(MOST_CLUSTERS) {
        let place = cluster.bounds;
        if changed
            .iter()
            .any(|bounds| bounds.intersection(&place).is_some())
        {
            continue;
        }
        let rows = sides.actual.iter().chain(sides.golden).enumerate();
        let name = row_of_place(place, &rows).map(|(_, row)| row.label());
        match places.iter_mut().find(|(known, _)| *known == name) {
            Some((_, clusters)) => clusters.push(place),
            None => places.push((name, vec![place])),
        }
    }
    let mut parts = Vec::new();
    for (name, clusters) in places {
        let part = recoloured(picture, &clusters).unwrap_or_else(|| match name {
            Some(name) => format!("{name}: other pixels"),
            None => "other pixels".to_owned(),
        });
        push_new(&mut parts, vec![part]);
    }
    parts
}

fn bounds_of(clusters: &[Cluster]) -> Vec<Rect> {
    clusters.iter().map(|cluster| cluster.bounds).collect()
}

fn grown(rect: Rect, by: i32) -> Rect {
    Rect::new(
        rect.left.saturating_sub(by),
        rect.top.saturating_sub(by),
        rect.right.saturating_add(by),
        rect.bottom.saturating_add(by),
    )
}

/// `colour #3F6DB5 → #B53F3F` where most of what changed in these places changed from one colour to another. Not where
/// something came or went: then one of the colours is that of the surroundings.
fn recoloured(picture: &PictureCheck, places: &[Rect]) -> Option<String> {
    let [golden, actual] = picture.pixels.as_ref()?;
    let mut counts: HashMap<([u8; 3], [u8; 3]), u32> = HashMap::new();
    let mut all = 0;
    for place in places {
        // Enough pixels to know, the same ones in every run.
        let step = (place.area() / SAMPLES).isqrt().max(1) as usize;
        for y in (place.top..place.bottom).step_by(step) {
            for x in (place.left..place.right).step_by(step) {
                let (Some(before), Some(after)) = (colour(golden, x, y), colour(actual, x, y))
                else {
                    continue;
                };
                if before != after {
                    all += 1;
                    *counts.entry((before, after)).or_default() += 1;
                }
            }
        }
    }
    let (&(before, after), &most) = counts
        .iter()
        .max_by_key(|(colours, count)| (**count, **colours))?;
    if most * 2 < all {
        return None;
    }
    let around = places.iter().max_by_key(|place| place.area())?;
    let middle = around.center();
    let beside = [
        (around.left - 1, middle.y),
        (around.right, middle.y),
        (middle.x, around.top - 1),
        (middle.x, around.bottom),
        (around.left - 1, around.top - 1),
    ];
    let is_surroundings = beside.iter().any(|(x, y)| {
        colour(golden, *x, *y) == Some(before) || colour(actual, *x, *y) == Some(after)
    });
    let hex = |[red, green, blue]: [u8; 3]| format!("#{red:02X}{green:02X}{blue:02X}");
    (!is_surroundings).then(|| format!("colour {} → {}", hex(before), hex(after)))
}

fn colour(image: &RgbaImage, x: i32, y: i32) -> Option<[u8; 3]> {
    let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
    let [red, green, blue, _] = image.get_pixel_checked(x, y)?.0;
    Some([red, green, blue])
}

#[cfg(test)]
mod tests;

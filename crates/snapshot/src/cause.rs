//! The cause of a pending golden: a kind, and an id that is the same for goldens that changed in the same
//! way.

mod bounds;
mod part;
mod pixels;
mod rows;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::part::ChangePart;
use super::difference::{Difference, GoldenProposal, Tables};
use super::golden::{Golden, hash};
use super::picture::paint_masks;
use super::picture_check::{PictureCheck, PictureVerdict};
use super::row::{Row, quoted};
use super::rows_diff::{Change, RowChange};
use super::{GoldenKey, expected_picture};
use runner_screen::Rect;

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
    /// No golden: a selector of a flow matches nothing any more, and another value of it does. Only a review says so, no
    /// file and no event.
    #[serde(skip)]
    Selector,
}

impl ChangeKind {
    /// Returns the name in files and pages, in lower case, such as `layout`.
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
            Self::Selector => "selector",
        }
    }
}

/// Why a golden is up for review.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The kind.
    pub kind: ChangeKind,
    /// The same for goldens that changed in the same way: 16 hex digits.
    pub id: String,
    /// In a few words, for people: the first of [`Cause::changes`], and how many more there are.
    pub title: String,
    /// All that changed, each in a few words, most weighty first; what follows from another change is left out. Goldens
    /// that share a cause share all of them. Of very many the first are listed, and the last line counts the rest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// So many changes are counted by the last line of [`Cause::changes`]; 0 where all are listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Cause {
    /// Creates a cause that `parts` identify, in any order. The first of them is the title; without parts it
    /// is the name of the kind.
    pub fn new(kind: ChangeKind, parts: &[String]) -> Self {
        part::cause(kind, parts.iter().map(ChangePart::uncounted).collect(), &[])
    }

    /// Returns the number of changes, including those that are only counted.
    pub fn count(&self) -> usize {
        match self.more {
            0 => self.changes.len(),
            more => self.changes.len().saturating_add(more).saturating_sub(1),
        }
    }

    /// Returns the cause of a golden that does not exist yet for any class: one for each flow.
    pub fn first_golden(key: &GoldenKey) -> Self {
        Self::new(ChangeKind::New, &[format!("new in {}", key.flow())])
    }

    /// Returns the cause of a golden that no flow names any more: one for each flow.
    pub fn obsolete(key: &GoldenKey) -> Self {
        let title = format!("no flow takes the goldens of {} any more", key.flow());
        Self::new(ChangeKind::Obsolete, &[title])
    }
}

/// Returns the cause of a change. Without shared rows the golden is new, and its cause names the flow: the
/// new goldens of a flow share one cause. Else the first that applies decides: other masks, another picture
/// size, a replaced screen, any other difference. If nothing differs, the picture of the render class is
/// missing, which is one cause for each class.
pub(super) fn find_cause(
    found: &Difference,
    golden: &Golden,
    tables: &Tables,
    proposed: GoldenProposal<'_>,
) -> Cause {
    if tables.shared.is_none() {
        return Cause::first_golden(&golden.key);
    }
    let picture = found.picture.as_ref().filter(|picture| !picture.passed());
    let sides = SnapshotPair::new(found, picture, tables, proposed);
    if found.masks {
        let hashes = [tables.masks(), proposed.metadata.get("masks")];
        let hashes: Vec<String> = hashes.into_iter().flatten().cloned().collect();
        let mut parts = vec![ChangePart::uncounted("the masks changed")];
        // No change may hide behind the masks, so all others are listed too.
        parts.extend(changes(found, picture, &sides));
        return part::cause(ChangeKind::Masks, parts, &hashes);
    }
    match picture.map(|picture| (picture.verdict, picture)) {
        Some((PictureVerdict::OtherSize, picture)) => other_size(found, picture, &sides),
        Some((PictureVerdict::Replaced, picture)) => replaced(found, picture, &sides),
        _ if found.differs() => {
            let kind = kind_of(found);
            part::cause(kind, changes(found, picture, &sides), &[])
        }
        _ => {
            let class = golden.key.class();
            let class = class.map_or("this device", |class| class.as_str());
            let title = if golden.rows.is_some() {
                format!("the picture of {class} is gone")
            } else {
                format!("no picture of {class} yet")
            };
            Cause::new(ChangeKind::New, &[title])
        }
    }
}

/// Rows of the golden and of the screen, and both pictures if they have the same size and differ.
struct SnapshotPair<'a> {
    /// Rows that all devices share.
    shared: &'a [Row],
    /// Rows of the golden's class, with bounds.
    class: &'a [Row],
    actual: &'a [Row],
    pictures: Option<expected_picture::PicturePair<'a>>,
}

impl<'a> SnapshotPair<'a> {
    fn new(
        found: &Difference,
        picture: Option<&'a PictureCheck>,
        tables: &'a Tables,
        proposed: GoldenProposal<'a>,
    ) -> Self {
        let pixels = picture.and_then(|picture| picture.pixels.as_ref());
        let pixels = pixels.filter(|[golden, actual]| golden.dimensions() == actual.dimensions());
        Self {
            shared: tables.shared_rows(),
            class: tables.class_rows(),
            actual: proposed.rows,
            pictures: pixels.map(|[golden, actual]| {
                let class = tables.class_rows();
                // Without bounds of the golden's rows no row can explain a pixel.
                let rows = if class.is_empty() { &[] } else { proposed.rows };
                expected_picture::PicturePair::new((&**golden, &**actual), class, rows, &found.rows)
            }),
        }
    }

    /// Returns the rows of both sides for a change of the shared rows.
    fn rows(&self, change: &RowChange) -> (Option<&'a Row>, Option<&'a Row>) {
        (
            change.golden.and_then(|at| self.shared.get(at)),
            change.actual.and_then(|at| self.actual.get(at)),
        )
    }

    /// Returns the bounds of a changed row in the golden of the class and on the screen; `None` for a side
    /// that does not have the row or its bounds.
    fn places(&self, change: &RowChange) -> (Option<Rect>, Option<Rect>) {
        let of = |rows: &[Row], at: Option<usize>| rows.get(at?)?.bounds;
        (
            of(self.class, change.golden),
            of(self.actual, change.actual),
        )
    }

    /// Returns the name of a changed row, without its number: that on the screen, else that in the shared
    /// golden, else the name in `change`.
    fn label(&self, change: &RowChange) -> String {
        let row = match (change.actual, change.golden) {
            (Some(at), _) => self.actual.get(at),
            (None, Some(at)) => self.shared.get(at),
            (None, None) => None,
        };
        row.map_or_else(|| change.name.clone(), Row::label)
    }

    fn has_words(&self, change: &RowChange) -> bool {
        let row = change.actual.and_then(|at| self.actual.get(at));
        row.is_some_and(|row| !row.text.is_empty() || !row.hint.is_empty())
    }

    /// Returns a text that tells the row from others with the same words: its colours or pixels. It is empty
    /// where there are no pictures to compare.
    fn look(&self, change: &RowChange) -> String {
        let pictures = self.pictures.as_ref().zip(change.actual);
        pictures.map_or_else(String::new, |(pictures, at)| {
            pictures.look(at, self.has_words(change))
        })
    }
}

fn kind_of(found: &Difference) -> ChangeKind {
    let came_or_went = |change: &RowChange| {
        matches!(
            change.change,
            Change::Added | Change::Removed | Change::Order(..)
        )
    };
    if found.rows.iter().any(came_or_went) {
        ChangeKind::Layout
    } else if !found.rows.is_empty() {
        ChangeKind::Text
    } else if !found.bounds.is_empty() {
        ChangeKind::Layout
    } else {
        ChangeKind::Pixels
    }
}

/// Returns all changes of a screen that is still the same one, the most important first: rows, then bounds,
/// then pixels and colours. Bounds and pixels that other changes explain are left out. Without a failed
/// `picture` there are only rows and bounds.
fn changes(
    found: &Difference,
    picture: Option<&PictureCheck>,
    sides: &SnapshotPair<'_>,
) -> Vec<ChangePart> {
    let mut parts = rows::parts(&found.rows, sides);
    parts.extend(bounds::parts(&found.rows, &found.bounds, sides));
    let Some(picture) = picture else { return parts };
    let rows = [sides.class, sides.actual];
    let has_others = !parts.is_empty();
    match &sides.pictures {
        Some(pictures) => {
            parts.extend(pixels::parts(picture, pictures, rows, has_others));
            parts.extend(pixels::other_colours(picture, pictures, sides.actual));
        }
        None => parts.extend(pixels::other_size_parts(picture, rows, &found.rows)),
    }
    parts
}

fn other_size(found: &Difference, picture: &PictureCheck, sides: &SnapshotPair<'_>) -> Cause {
    let size = format!("the picture is {}", picture.sizes());
    let mut parts = changes(found, Some(picture), sides);
    parts.insert(0, ChangePart::uncounted(size));
    part::cause(ChangeKind::Size, parts, &[])
}

/// Returns the cause of a replaced screen. The title quotes the first text or description on the new screen.
/// All of its rows and pixels identify it, so the same error in many flows is one cause. If no row changed,
/// the changes of the picture are listed instead.
fn replaced(found: &Difference, picture: &PictureCheck, sides: &SnapshotPair<'_>) -> Cause {
    if found.rows.is_empty() {
        let mut parts = changes(found, Some(picture), sides);
        if parts.is_empty() {
            parts.push(ChangePart::uncounted("another picture"));
        }
        return part::cause(ChangeKind::Replaced, parts, &[]);
    }
    let displayed = sides.actual.iter().find(|row| {
        !row.is_window() && !row.is_masked() && (!row.text.is_empty() || !row.desc.is_empty())
    });
    let title = displayed.map_or_else(
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
    // A group is accepted at once, so only the same screen, row by row and pixel by pixel, may share the
    // cause.
    let mut exact: Vec<String> = sides
        .actual
        .iter()
        .map(|row| format!("{}\t{}\t{}", row.label(), row.text, row.desc))
        .collect();
    exact.sort_unstable();
    let observed = picture.pixels.as_ref().map(|[_, actual]| {
        let open = paint_masks(actual, &picture.mask);
        hash(open.as_raw())
    });
    exact.extend(observed);
    part::cause(
        ChangeKind::Replaced,
        vec![ChangePart::uncounted(title)],
        &exact,
    )
}

#[cfg(test)]
mod tests;

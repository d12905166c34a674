//! The cause of a pending golden: a kind, and an id that is the same for goldens that changed in the same
//! way.

mod bounds;
mod part;
mod pixels;
mod rows;
mod snapshot_pair;
mod value;

use self::part::ChangePart;
use self::snapshot_pair::SnapshotPair;
pub use self::value::{Cause, ChangeKind};
use super::difference::{Difference, GoldenProposal, Tables};
use super::golden::{Golden, hash};
use super::name::GoldenKey;
use super::picture::paint_masks;
use super::picture_check::{PictureCheck, PictureVerdict};
use super::row::quoted;
use super::rows_diff::{Change, RowChange};

impl Cause {
    /// Creates a cause that `kind` and `parts` identify, in any order of the parts. The title is the first part, with
    /// the number of the others; without parts it is the name of the kind. Equal parts count once.
    pub fn new(kind: ChangeKind, parts: &[String]) -> Self {
        part::cause(kind, parts.iter().map(ChangePart::uncounted).collect(), &[])
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

/// Returns the cause of a change. Without shared rows the golden is new, and its cause names the flow: the new goldens
/// of a flow share one cause. Else the first that applies decides: other masks, another picture size, a picture of
/// which most is another one, any other difference. If nothing differs, the picture of the render class is missing or
/// gone, which is of kind `New`, and one cause for each class.
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

/// Returns the kind of a change that is neither of masks, of size nor a replaced screen: of the layout if rows came,
/// went or changed their order; then of the text if any shared cell changed, a flag or an id too; then of the layout
/// for bounds and visibility, else of the pixels.
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

/// Returns the changes, the most important first: rows, then bounds, then pixels and colours. Bounds and pixels that
/// other changes explain are left out. Without a failed `picture` there are only rows and bounds.
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

/// Returns the cause of a picture of another size, with all other changes behind the size.
fn other_size(found: &Difference, picture: &PictureCheck, sides: &SnapshotPair<'_>) -> Cause {
    let size = format!("the picture is {}", picture.sizes());
    let mut parts = changes(found, Some(picture), sides);
    parts.insert(0, ChangePart::uncounted(size));
    part::cause(ChangeKind::Size, parts, &[])
}

/// Returns the cause of a picture of which most is another one. If rows changed, they are not listed: the title is
/// `another screen`, with the first text or description on the new screen that is not masked. Names, texts and
/// descriptions of all rows and the unmasked pixels identify it, so the same error in many flows is one cause. If no
/// row changed, the changes of the picture, or `another picture`, are its title and identity.
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

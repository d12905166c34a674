//! Why a golden is up for review: one kind, and an id that goldens share which changed for the same reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GoldenKey;
use super::difference::{Difference, Proposed, Tables};
use super::golden::{Golden, hash};
use super::picture_check::PictureVerdict;
use super::rows_diff::{Change, RowChange};

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
    /// In a few words, for people: `TextView#greeting: text "A" → "B"`.
    pub title: String,
}

impl Cause {
    /// A cause that is told apart by `parts`.
    pub fn new(kind: ChangeKind, parts: &[String]) -> Self {
        let text = format!("{}\n{}", kind.as_str(), parts.join("\n"));
        Self {
            kind,
            id: hash(text.as_bytes()),
            title: parts
                .first()
                .map_or(kind.as_str(), String::as_str)
                .to_owned(),
        }
    }

    /// Of a golden that no flow names: one cause for each flow that is gone.
    pub fn obsolete(key: &GoldenKey) -> Self {
        Self::new(
            ChangeKind::Obsolete,
            &[format!(
                "no flow takes the goldens of {} any more",
                key.flow()
            )],
        )
    }
}

/// Why a golden is up for review.
pub(super) fn of(
    found: &Difference,
    golden: &Golden,
    tables: &Tables,
    proposed: Proposed<'_>,
) -> Cause {
    let _ = proposed;
    if tables.shared.is_none() {
        return Cause::new(ChangeKind::New, &[format!("new in {}", golden.key.flow())]);
    }
    if found.masks {
        return Cause::new(ChangeKind::Masks, &["the masks changed".to_owned()]);
    }
    if !found.differs() {
        let class = golden.key.class();
        let class = class.map_or("this device", |class| class.as_str());
        return Cause::new(ChangeKind::New, &[format!("no picture of {class} yet")]);
    }
    let is_layout = |change: &RowChange| {
        matches!(
            change.change,
            Change::Added | Change::Removed | Change::Order(..)
        )
    };
    let picture = found.picture.as_ref();
    let is = |verdict| picture.is_some_and(|picture| picture.verdict == verdict);
    let kind = if is(PictureVerdict::OtherSize) {
        ChangeKind::Size
    } else if is(PictureVerdict::Replaced) {
        ChangeKind::Replaced
    } else if found.rows.iter().any(is_layout)
        || (found.rows.is_empty() && !found.bounds.is_empty())
    {
        ChangeKind::Layout
    } else if found.rows.is_empty() {
        ChangeKind::Pixels
    } else {
        ChangeKind::Text
    };
    let parts: Vec<String> = found.rows.iter().map(ToString::to_string).collect();
    Cause::new(kind, &parts)
}

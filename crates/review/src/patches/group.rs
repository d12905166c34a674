//! Patches of one cause as an item of the review: its key, its digests and its cause in words.

use runner_base::files::hash;
use runner_mend::{FileEdit, GroupedStep, StepKind, rejection};
use runner_snapshot::{Cause, ChangeKind, Digest, GoldenKey, Sides};

use crate::{FlowPlace, Item};

/// First part of the key of a patch group. No flow has goldens in a folder of this name.
pub const SELECTORS: &str = ".selectors";
/// Chosen: characters of a value in a key, which is part of a file name and of an address.
const MAX_NAMED: usize = 40;

/// Patches of one cause, which are accepted or rejected together.
#[derive(Debug)]
pub struct PatchGroup {
    /// Key that identifies the group, as a golden's does.
    pub key: GoldenKey,
    /// Edits of the group.
    pub group: runner_mend::Group,
    /// Digests of the files as they are, and as they would be.
    pub sides: Sides,
}

impl PatchGroup {
    /// Creates the group with a key from its property, old value and a hash of the change; `None` if that is no valid
    /// key. The same change gives the same key. Computes the edits in memory; a group that cannot be written is
    /// created too.
    pub(super) fn new(group: runner_mend::Group) -> Option<Self> {
        let cause = [&group.property, &group.from, &group.to].map(|part| hash(part.as_bytes()));
        let id = hash(cause.join(" ").as_bytes());
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '-'
            }
        };
        let from: String = group.from.chars().map(plain).collect();
        let from = from.get(..MAX_NAMED).unwrap_or(&from);
        let name = format!("{}-{from}-{}", group.property_name(), id.get(..6)?);
        let key = format!("{SELECTORS}/{name}").parse().ok()?;
        Some(Self {
            sides: sides(&group),
            key,
            group,
        })
    }

    /// Converts the group to an item of the review. Its place is the first step that it edits. If its edits are not
    /// possible, the item has the reason as its error. Nothing is written.
    pub(crate) fn item(&self) -> Item {
        let first = self.group.steps.first();
        let place = first.map(|step| FlowPlace {
            file: step.source.path.clone(),
            line: step.line,
            column: step.column,
        });
        Item {
            key: self.key.clone(),
            kind: ChangeKind::Selector,
            place,
            error: self.group.edit().err().map(|error| error.to_string()),
            version: self.version(),
        }
    }

    /// Returns a text that changes if the group would write something else or its files are others: the digests of
    /// both sides.
    pub(crate) fn version(&self) -> String {
        let golden = self.sides.golden.as_ref();
        format!(
            "{}{}",
            golden.map_or("", Digest::as_str),
            self.sides.actual.as_str()
        )
    }

    /// Returns the keys under which its rejection is remembered, one for each patch.
    pub(crate) fn rejections(&self) -> Vec<String> {
        let patches = self.group.patches.iter();
        patches
            .map(|patch| rejection(&patch.evidence, &patch.change))
            .collect()
    }

    /// Returns the cause, with all edits as its changes: the title again, the element that it most likely is now with
    /// the reasons, and then each edited step. The id depends only on the group's key. Control characters become
    /// spaces.
    pub fn cause(&self) -> Cause {
        let title = plain(&self.group.to_string());
        let mut changes = vec![title.clone()];
        if let Some(patch) = self.group.patches.first() {
            let change = &patch.change;
            let why = change.reasons.join("; ");
            changes.push(plain(&format!(
                "most likely it is {} now: {why}",
                change.element
            )));
        }
        changes.extend(self.group.steps.iter().map(|step| plain(&in_words(step))));
        Cause {
            kind: ChangeKind::Selector,
            id: hash(self.key.to_string().as_bytes()),
            title,
            changes,
            more: 0,
        }
    }
}

/// Describes a step of the group in one line: that it failed, was not reached or would never fail, its place and its
/// title.
fn in_words(step: &GroupedStep) -> String {
    let place = format!(
        "{}:{}:{}: {}",
        step.source.path, step.line, step.column, step.title
    );
    match step.kind {
        StepKind::Failed => format!("failed: {place}"),
        StepKind::NotReached => format!("not reached: {place}"),
        StepKind::Silent => format!("would never fail with the old value: {place}"),
    }
}

/// Replaces control characters. An app chooses the names of its elements, which must not move a terminal's
/// cursor.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Returns the digests of the files that the group edits, as they were read and as they would be. If its edits are
/// not possible, both are digests of no files.
fn sides(group: &runner_mend::Group) -> Sides {
    let files = group.edit().unwrap_or_default();
    let digest = |text: fn(&FileEdit) -> &str| {
        let files = files.iter();
        Digest::from_parts(files.map(|file| (file.source.path.as_str(), text(file).as_bytes())))
    };
    Sides {
        golden: Some(digest(|file| &file.source.text)),
        actual: digest(|file| &file.text),
    }
}

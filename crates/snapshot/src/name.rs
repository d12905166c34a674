//! Names, render classes and keys of goldens, and their files: `NAME[@VARIANT][~CLASS].EXT`.

mod file_kind;
mod render_class;
mod snapshot_name;

use std::fmt;
use std::str::FromStr;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::SnapshotError;
pub use file_kind::FileKind;
pub use render_class::RenderClass;
pub(super) use render_class::check_variant;
pub use snapshot_name::SnapshotName;
use snapshot_name::{MAX_NAME_CHARS, check_name};

/// Longest name of a file or folder, in bytes: `NAME_MAX` of ext4, APFS and NTFS.
const MAX_FILE_NAME_BYTES: usize = 255;

/// Longest name of a golden with its variant and class, in bytes. The longest name of a file that is made from
/// it is `+STEM.annotated.new.png.new.png`, see [`super::disk::staged`].
const MAX_STEM_BYTES: usize = MAX_FILE_NAME_BYTES - "+.annotated.new.png.new.png".len();

/// Key of a golden: `flow/path/name[@VARIANT][~CLASS]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoldenKey {
    flow: Utf8PathBuf,
    name: SnapshotName,
    variant: Option<String>,
    class: Option<RenderClass>,
}

impl GoldenKey {
    /// Creates the key of golden `name` in the flow at `flow` (its path below the root, without extension). Fails
    /// with [`SnapshotError::Name`] if the flow's path leads out of the root, if the variant is no file name, or if a
    /// folder of the flow or a file of the golden would have too long a name. Nothing is checked for existence.
    pub fn new(
        flow: &Utf8Path,
        name: &SnapshotName,
        variant: Option<&str>,
        class: Option<&RenderClass>,
    ) -> Result<Self, SnapshotError> {
        check_below("flow", flow)?;
        if let Some(variant) = variant {
            check_variant(variant)?;
        }
        let key = Self {
            flow: flow.to_owned(),
            name: name.clone(),
            variant: variant.map(str::to_owned),
            class: class.cloned(),
        };
        // The file system's own error would come in the middle of a run, and would not say what to shorten.
        let mut folders = key.flow.components();
        if folders.any(|part| part.as_str().len() > MAX_FILE_NAME_BYTES) {
            return Err(SnapshotError::Name {
                what: "flow",
                given: key.flow.into_string(),
                why: "a folder of its goldens would have a name of more than 255 bytes; shorten the flow's name, or the label of the step that runs it",
            });
        }
        if key.stem().len() > MAX_STEM_BYTES {
            return Err(SnapshotError::Name {
                what: "golden",
                given: key.stem(),
                why: "its files would have names of more than 255 bytes; shorten the snapshot's name, its variant, or the device's `render_class`",
            });
        }
        Ok(key)
    }

    /// Returns the path of the flow without extension.
    pub fn flow(&self) -> &Utf8Path {
        &self.flow
    }

    pub fn name(&self) -> &SnapshotName {
        &self.name
    }

    pub fn variant(&self) -> Option<&str> {
        self.variant.as_deref()
    }

    /// Returns the render class, `None` for the files that all devices share.
    pub fn class(&self) -> Option<&RenderClass> {
        self.class.as_ref()
    }

    /// Returns the key without class, for the files that all devices share. The variant stays.
    #[must_use]
    pub fn shared(&self) -> Self {
        Self {
            class: None,
            ..self.clone()
        }
    }

    /// Returns the key with this class, in place of its own or added to a key without class.
    #[must_use]
    pub fn with_class(&self, class: &RenderClass) -> Self {
        Self {
            class: Some(class.clone()),
            ..self.clone()
        }
    }

    /// Returns the key without variant, which is looked up if the variant has no golden of its own. The class stays.
    #[must_use]
    pub fn without_variant(&self) -> Self {
        Self {
            variant: None,
            ..self.clone()
        }
    }

    /// Returns the path of the key's file, below the folder of goldens. [`FileKind::Shared`] has the path of the rows
    /// of the key without class; only if a class proposes it as pending does it have one of its own.
    pub fn file(&self, kind: FileKind, pending: bool) -> Utf8PathBuf {
        if kind == FileKind::Shared && !(pending && self.class.is_some()) {
            return self.shared().file(FileKind::Rows, pending);
        }
        self.flow
            .join(format!("{}{}", self.stem(), kind.ending(pending)))
    }

    /// Returns the name of the golden's files without ending: `name@VARIANT~CLASS`, with the parts that it has.
    fn stem(&self) -> String {
        let mut stem = self.name.0.clone();
        if let Some(variant) = &self.variant {
            stem.push('@');
            stem.push_str(variant);
        }
        if let Some(class) = &self.class {
            stem.push('~');
            stem.push_str(class.as_str());
        }
        stem
    }

    /// Parses a path below the folder of goldens into key, kind, and true if pending. Returns `None` for any
    /// other name, also for a picture without class; the file need not exist. Shared rows without class are returned as
    /// rows of a key without class.
    pub fn from_file(path: &Utf8Path) -> Option<(Self, FileKind, bool)> {
        let file = path.file_name()?;
        let (stem, kind, pending) = FileKind::ALL.iter().find_map(|(kind, pending)| {
            let stem = file.strip_suffix(kind.ending(*pending))?;
            // Classes have no dot, and without a class this is a golden named `home.shared`.
            let is_own = *kind != FileKind::Shared || stem.contains('~');
            (is_own && !stem.is_empty()).then_some((stem, *kind, *pending))
        })?;
        let key: Self = path.parent()?.join(stem).as_str().parse().ok()?;
        // All devices share rows only.
        let is_golden = key.class.is_some() || kind == FileKind::Rows;
        is_golden.then_some((key, kind, pending))
    }
}

impl fmt::Display for GoldenKey {
    /// Writes the text that [`GoldenKey::from_str`] parses: `flow/path/name[@VARIANT][~CLASS]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for component in self.flow.components() {
            write!(f, "{component}/")?;
        }
        f.write_str(&self.stem())
    }
}

impl FromStr for GoldenKey {
    type Err = SnapshotError;

    /// Parses `flow/path/name[@VARIANT][~CLASS]`; the flow may be empty. Digits and dots at the end of the name do
    /// not count for its length. Any other text is [`SnapshotError::Name`], also one that leads out of the root.
    fn from_str(text: &str) -> Result<Self, SnapshotError> {
        let path = Utf8Path::new(text);
        let fail = |why| SnapshotError::Name {
            what: "key",
            given: text.to_owned(),
            why,
        };
        let stem = path
            .file_name()
            .ok_or_else(|| fail("a key is `flow/path/name[@VARIANT][~CLASS]`"))?;
        let (stem, class) = match stem.split_once('~') {
            Some((stem, class)) => (stem, Some(RenderClass::try_from(class.to_owned())?)),
            None => (stem, None),
        };
        let (name, variant) = match stem.split_once('@') {
            Some((name, variant)) => (name, Some(variant)),
            None => (stem, None),
        };
        // `each` adds a number for each `repeat` around to a name that may already have the full length.
        let written = name.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
        if name.is_empty() || written.len() > MAX_NAME_CHARS {
            return Err(fail("a name has 1 to 64 characters"));
        }
        check_name(name).map_err(fail)?;
        let flow = path.parent().unwrap_or(Utf8Path::new(""));
        Self::new(
            flow,
            &SnapshotName(name.to_owned()),
            variant,
            class.as_ref(),
        )
    }
}

/// Checks that a path stays below the folder it is joined to: no root, no drive, no `..`, no `.` at the beginning, no
/// `\`, `:` or NUL. The empty path passes. Links are not followed. `what` names the path in the error.
pub(super) fn check_below(what: &'static str, path: &Utf8Path) -> Result<(), SnapshotError> {
    let is_below = path
        .components()
        .all(|part| matches!(part, Utf8Component::Normal(_)))
        && !path.as_str().contains(['\\', ':', '\0']);
    if is_below {
        Ok(())
    } else {
        Err(SnapshotError::Name {
            what,
            given: path.to_string(),
            why: "it must be a path below the root, without `..`, `\\` and `:`",
        })
    }
}

#[cfg(test)]
mod tests;

//! List of the parts, pinned by version, size and checksum.

use std::sync::LazyLock;

/// Tab-separated table of group, artifact, version, kind, file, size and SHA-256 of each part.
const PINNED: &str = include_str!("pinned.tsv");

/// A part: a jar of Robolectric or of its dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Maven's group.
    pub group: &'static str,
    /// Maven's artifact.
    pub artifact: &'static str,
    pub version: &'static str,
    /// `jar`, or `aar` if the part is its `classes.jar`.
    pub kind: &'static str,
    /// Name of the installed file.
    pub file: &'static str,
    /// Size of the installed file in bytes.
    pub size: u64,
    /// SHA-256 of the installed file, in hexadecimal digits.
    pub sha256: &'static str,
}

static PARTS: LazyLock<Vec<Part>> =
    LazyLock::new(|| PINNED.lines().filter_map(Part::read).collect());

impl Part {
    /// Returns the pinned parts, in the order of their table.
    pub fn all() -> &'static [Self] {
        &PARTS
    }

    /// Parses a line of the table. `None` unless it has exactly seven fields and a number as its size.
    fn read(line: &'static str) -> Option<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [group, artifact, version, kind, file, size, sha256] = fields[..] else {
            return None;
        };
        Some(Self {
            group,
            artifact,
            version,
            kind,
            file,
            size: size.parse().ok()?,
            sha256,
        })
    }

    /// Returns the name of its file in a Maven repository.
    pub fn artifact_file(&self) -> String {
        format!("{}-{}.{}", self.artifact, self.version, self.kind)
    }

    /// Returns the path of its folder in a Maven repository, such as `org/example/name/1.0`.
    pub fn repository_folder(&self) -> String {
        let group = self.group.replace('.', "/");
        format!("{group}/{}/{}", self.artifact, self.version)
    }
}

/// Formats the name of the first file and the number of others: `a.jar and 3 more`, or `a.jar` alone. Without parts it
/// is `nothing`.
pub(super) fn describe_missing(parts: &[&Part]) -> String {
    match parts {
        [] => "nothing".to_owned(),
        [only] => only.file.to_owned(),
        [first, others @ ..] => format!("{} and {} more", first.file, others.len()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_is_a_part_whose_file_no_other_has() {
        assert_eq!(Part::all().len(), PINNED.lines().count());
        let files: BTreeSet<&str> = Part::all().iter().map(|part| part.file).collect();
        assert_eq!(files.len(), Part::all().len());
        for part in Part::all() {
            assert!(part.sha256.len() == 64 && part.size > 0, "{}", part.file);
            assert!(matches!(part.kind, "jar" | "aar"), "{}", part.file);
            assert!(!part.file.contains(['/', '\\']), "{}", part.file);
        }
        assert!(
            Part::all()
                .iter()
                .any(|part| part.artifact == "android-all-instrumented")
        );
    }
}

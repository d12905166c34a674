//! Which parts there are: pinned by version, size and checksum.

use std::sync::LazyLock;

/// Group, artifact, version, kind, file, size and SHA-256 of each part, separated by tabs.
const PINNED: &str = include_str!("pinned.tsv");

/// A part: a jar that Robolectric consists of, or that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Maven's group.
    pub group: &'static str,
    /// Maven's artifact.
    pub artifact: &'static str,
    /// Its version.
    pub version: &'static str,
    /// `jar`, or `aar` whose `classes.jar` is the part.
    pub kind: &'static str,
    /// The name of its file here.
    pub file: &'static str,
    /// Bytes of that file.
    pub size: u64,
    /// SHA-256 of that file, in hexadecimal digits.
    pub sha256: &'static str,
}

static PARTS: LazyLock<Vec<Part>> =
    LazyLock::new(|| PINNED.lines().filter_map(Part::read).collect());

impl Part {
    /// All parts.
    pub fn all() -> &'static [Self] {
        &PARTS
    }

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

    /// The name of its file in a repository.
    pub fn artifact_file(&self) -> String {
        format!("{}-{}.{}", self.artifact, self.version, self.kind)
    }

    /// Its folder below a repository of Maven.
    pub fn repository_folder(&self) -> String {
        let group = self.group.replace('.', "/");
        format!("{group}/{}/{}", self.artifact, self.version)
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

//! Names of goldens within their flow, and what they may hold.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SnapshotError;

/// Longest name of a golden, in characters. Chosen: a longer name does not fit
/// into a line of a report.
pub(super) const MAX_NAME_CHARS: usize = 64;

/// A golden's name within its flow: `[A-Za-z0-9._-]{1,64}`.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct SnapshotName(#[schemars(regex(pattern = r"^[A-Za-z0-9._-]{1,64}$"))] pub(super) String);

impl SnapshotName {
    /// Creates a name after checking it: 1 to 64 characters, which are letters A-Z a-z, digits, `.`, `_` and `-`, at
    /// least one of them no dot. Names that end in `.new` or `.annotated`, and those of Windows devices such as `nul`
    /// and `nul.a`, are refused in any letter case, with [`SnapshotError::Name`]. The name is kept as it is.
    pub fn new(name: &str) -> Result<Self, SnapshotError> {
        let fail = |why| SnapshotError::Name {
            what: "snapshot name",
            given: name.to_owned(),
            why,
        };
        if name.is_empty() || name.len() > MAX_NAME_CHARS {
            return Err(fail("a name has 1 to 64 characters"));
        }
        check_name(name).map_err(fail)?;
        Ok(Self(name.to_owned()))
    }

    /// Returns the name of the `turn`-th golden (from 1) inside `repeat` with `each: true`: `row.3`. Its
    /// length is not checked.
    #[must_use]
    pub fn nth(&self, turn: u32) -> Self {
        Self(format!("{}.{turn}", self.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SnapshotName {
    type Error = SnapshotError;

    fn try_from(name: String) -> Result<Self, SnapshotError> {
        Self::new(&name)
    }
}

impl From<SnapshotName> for String {
    fn from(name: SnapshotName) -> Self {
        name.0
    }
}

impl fmt::Display for SnapshotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks the rules of [`SnapshotName::new`], except the length. The error says why in words for people.
pub(super) fn check_name(name: &str) -> Result<(), &'static str> {
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    {
        return Err("only letters A-Z a-z, digits, `.`, `_` and `-` are allowed");
    }
    if name.bytes().all(|byte| byte == b'.') {
        return Err("it needs a letter or a digit");
    }
    let lower = name.to_ascii_lowercase();
    if matches!(lower.rsplit_once('.'), Some((_, "new" | "annotated"))) {
        return Err("endings `.new` and `.annotated` are kept for pending and annotated files");
    }
    if is_reserved(&lower) {
        return Err("Windows keeps this name for a device");
    }
    Ok(())
}

/// Returns true if Windows would open a device instead of a file of this name, also with an extension: `con`, `prn`,
/// `aux`, `nul`, and `com` or `lpt` with one digit. `lower` is in lower case.
fn is_reserved(lower: &str) -> bool {
    // Windows also takes `nul.tsv` for the device.
    let stem = lower.split('.').next().unwrap_or_default();
    matches!(stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.as_bytes()[3].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be_files_are_refused() {
        for good in ["home", "a", "Home.1", "a_b-c", ".hidden", &"x".repeat(64)] {
            assert!(SnapshotName::new(good).is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "a b",
            "ä",
            "a~b",
            "a@b",
            "x.new",
            "x.ANNOTATED",
            "nul",
            "Con.1",
            "com1",
            "a\\b",
            "${x}",
            &long,
        ] {
            assert!(SnapshotName::new(bad).is_err(), "{bad}");
        }
    }
}

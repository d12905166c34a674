//! Features of adb that one end of a connection knows.

use std::collections::BTreeSet;

/// Names of adb features, such as `shell_v2`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features(BTreeSet<String>);

impl Features {
    /// Parses a list with commas. Empty names are left out, so an empty text has no features. White space is
    /// dropped at the ends of the list only.
    pub fn parse(list: &str) -> Self {
        Self(
            list.trim()
                .split(',')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

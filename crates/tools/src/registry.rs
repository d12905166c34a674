//! Table of all tools.

use std::sync::OnceLock;

use super::entry::Entry;
use super::{android, everyday, mobile_agent, scenario, semantic};

/// Returns all tools of all catalogues in the order of the docs. A new tool is one line in its catalogue's
/// list.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        [
            everyday::entries(),
            android::entries(),
            mobile_agent::entries(),
            semantic::entries(),
            scenario::entries(),
        ]
        .concat()
    })
}

/// Finds a tool by its name in flows, with the catalogue's prefix. Aliases do not count.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().iter().find(|entry| entry.name == name)
}

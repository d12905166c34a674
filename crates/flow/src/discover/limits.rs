//! Limits of the search for flows.

/// Number of files and folders in one walk. Chosen: a larger folder is not one of flows, and a walk through a
/// whole disk would take minutes.
pub(crate) const MAX_ENTRIES: usize = 200_000;

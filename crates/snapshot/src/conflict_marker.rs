//! Markers that git writes into a file that it could not merge.

/// Returns true if the line is where git begins the two sides of a conflict (`<<<<<<< `). The other markers
/// do not count. A row has tabs, so it is never taken for one.
pub fn is_conflict_marker(line: &str) -> bool {
    line.starts_with("<<<<<<< ") && !line.contains('\t')
}

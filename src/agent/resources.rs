//! The project's resources: flows, the last run's report, the flow language's documentation.

use super::Desk;
use crate::tools::{Reading, Resource};

/// The resources, as they are listed.
pub fn resources(desk: &Desk) -> Vec<Resource> {
    let _ = desk;
    Vec::new()
}

/// Reads one of them.
pub async fn read(desk: &Desk, uri: &str) -> Reading {
    let _ = (desk, uri);
    Ok(None)
}

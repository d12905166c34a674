//! Checks an app of the virtual device: with the device's own checks, and against its schema with the reader
//! of flows.

use camino::Utf8Path;

use crate::diagnostic::Diagnostic;
use crate::flow::document;
use crate::virtual_device;

/// Returns the diagnostics of the app in `folder`. Messages name its files below `displayed`.
pub(super) fn check_app(folder: &Utf8Path, displayed: &Utf8Path) -> Vec<Diagnostic> {
    virtual_device::check_app(folder, displayed, document::problems)
}

#[cfg(test)]
mod tests;

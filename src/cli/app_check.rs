//! What is wrong with an app of the virtual device: its own checks, and its schema by the reader of flows.

use camino::Utf8Path;

use crate::diagnostic::Diagnostic;
use crate::flow::document;
use crate::virtual_device;

/// What is wrong with the app in `folder`, whose files are shown below `displayed`.
pub(super) fn check_app(folder: &Utf8Path, displayed: &Utf8Path) -> Vec<Diagnostic> {
    virtual_device::check_app(folder, displayed, document::problems)
}

#[cfg(test)]
mod tests;

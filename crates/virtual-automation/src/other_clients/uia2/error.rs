//! Kinds of errors that the server's own routes lack.

use crate::uia2::error::ErrorKind;

impl ErrorKind {
    pub(super) const INVALID_SELECTOR: Self =
        Self::new(400, "invalid selector", "InvalidSelectorException");
    pub(super) const NO_SUCH_ALERT: Self = Self::new(404, "no such alert", "NoAlertOpenException");
    pub(super) const UNABLE_TO_CAPTURE: Self =
        Self::new(500, "unable to capture screen", "TakeScreenshotException");
}

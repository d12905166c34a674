//! The browser, a system app.

use crate::apps::app::{App, AppError};

pub(crate) const BROWSER: &str = "com.android.browser";
pub(crate) const BROWSER_ACTIVITY: &str = ".Main";

/// Loads the app from files that are part of this program. Fails if they are malformed.
pub(crate) fn browser() -> Result<App, AppError> {
    App::built_in(
        include_str!("browser/app.yaml"),
        include_str!("browser/main.yaml"),
    )
}

/// Returns true if a link's scheme is `http` or `https`, in any case.
pub(crate) fn is_web(uri: &str) -> bool {
    let scheme = uri.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    })
}

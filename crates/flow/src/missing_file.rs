//! Advises on a path in a flow that names no file.

use camino::Utf8Path;

use crate::files::near_path;
use runner_tools::file_in_other_form;

/// Returns advice on the path `written` of a missing file, which would lie at `absolute`: the same name in another
/// Unicode form, or else a similar one. `None` if neither is there.
pub(crate) fn meant_file(written: &str, absolute: &Utf8Path) -> Option<String> {
    let near = || near_path(written, absolute).map(|near| format!("did you mean `{near}`?"));
    file_in_other_form(absolute).or_else(near)
}

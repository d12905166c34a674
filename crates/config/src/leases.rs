//! Folder of the leases on devices. It belongs to the user, and all processes of the user find it.

use camino::{Utf8Path, Utf8PathBuf};

use runner_base::context::Context;

/// Returns the folder for leases, which is not created: `$XDG_RUNTIME_DIR/runner/leases` if that variable names an
/// existing folder by an absolute path. Else it is `runner-USER/leases` below the folder for temporary files, which is
/// `TMPDIR`, `TEMP`, `TMP` or `/tmp`.
pub(super) fn folder(context: &Context) -> Utf8PathBuf {
    let own = context.variable("XDG_RUNTIME_DIR").map(Utf8PathBuf::from);
    if let Some(own) = own.filter(|folder| folder.is_absolute() && folder.is_dir()) {
        return own.join("runner/leases");
    }
    let temporary = ["TMPDIR", "TEMP", "TMP"]
        .into_iter()
        .find_map(|name| context.variable(name));
    // All processes must find the same name, and cron and containers do not set variables such as USER.
    Utf8Path::new(temporary.unwrap_or("/tmp"))
        .join(format!("runner-{}", user(context)))
        .join("leases")
}

/// Returns the number of the user who owns this process, or else the home folder; `user` if neither is known.
#[cfg(unix)]
fn user(context: &Context) -> String {
    use std::os::unix::fs::MetadataExt as _;

    let home = context.variable("HOME");
    let owned = ["/proc/self"].into_iter().chain(home);
    let uid = owned
        .into_iter()
        .find_map(|path| Some(fs_err::metadata(path).ok()?.uid()));
    uid.map_or_else(|| "user".to_owned(), |uid| uid.to_string())
}

/// Returns the user's name, or `user` if it is not known.
#[cfg(not(unix))]
fn user(context: &Context) -> String {
    context.variable("USERNAME").unwrap_or("user").to_owned()
}

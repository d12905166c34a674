//! Checks paths in arguments: they are relative, and never lead out of their folder.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::Failure;
use runner_text::secret::Scrubber;

/// Joins `path`, which must be relative, to `folder`. It need not exist, but no link in its existing part may lead out
/// of the folder.
///
/// # Errors
///
/// A failure of usage if it is absolute, contains `..` or NUL, names no file, or a link leads out.
pub fn below(folder: &Utf8Path, path: &str) -> Result<Utf8PathBuf, Failure> {
    let refused = |why: &str| {
        Failure::usage(format!(
            "the path `{path}` {why}; write a path below {folder}"
        ))
    };
    let relative = Utf8Path::new(path);
    let mut clean = Utf8PathBuf::new();
    for component in relative.components() {
        match component {
            Utf8Component::Normal(part) => clean.push(part),
            Utf8Component::CurDir => {}
            _ => return Err(refused("leaves its folder")),
        }
    }
    if clean.as_str().is_empty() || path.contains('\0') {
        return Err(refused("names no file"));
    }
    let full = folder.join(&clean);
    let existing = full.ancestors().find(|part| part.exists());
    if let Some(existing) = existing.filter(|part| part.starts_with(folder))
        // Both are resolved: the folder itself may lie behind a link.
        && let (Ok(real), Ok(root)) = (existing.canonicalize_utf8(), folder.canonicalize_utf8())
        && !real.starts_with(&root)
    {
        return Err(refused("leads out of its folder by a link"));
    }
    Ok(full)
}

/// Refuses a file that would be named by a secret: `path` contains one, or has a part that would be masked without its
/// extensions. Reports and results do not mask paths. Reads and writes nothing.
///
/// # Errors
///
/// A failure of usage, which does not tell the path.
pub fn refuse_secret(path: &Utf8Path, scrubber: &Scrubber) -> Result<(), Failure> {
    let mut parts = path.components().map(|part| part.as_str());
    // A secret with a `/` is in no part.
    let holds_secret = !scrubber.find(path.as_str()).is_empty()
        || parts.any(|part| {
            let stem = part.split('.').next().unwrap_or(part);
            !scrubber.find(part).is_empty() || scrubber.scrub(stem) != stem
        });
    if holds_secret {
        return Err(Failure::usage(
            "the name of the file holds a secret; give the file another name",
        ));
    }
    Ok(())
}

/// Writes a file atomically on a blocking thread, creating its folders. If a file of that name is there, as
/// from an earlier step, the new one is `NAME-2`, and so on. Returns its path. An error is one of
/// infrastructure.
pub(super) async fn write(path: Utf8PathBuf, bytes: Vec<u8>) -> Result<Utf8PathBuf, Failure> {
    let displayed = path.clone();
    let writing = move || runner_base::files::write_beside(&path, &bytes);
    let result = tokio::task::spawn_blocking(writing).await;
    match result {
        Ok(Ok(path)) => Ok(path),
        Ok(Err(error)) => Err(Failure::infrastructure(format!(
            "{displayed} cannot be written: {error}"
        ))),
        Err(error) => Err(Failure::infrastructure(format!(
            "{displayed} cannot be written: {error}"
        ))),
    }
}

/// Checks an artifact's name: ASCII letters, digits, `.`, `_`, `-`, at most 64, not starting with a dot. Returns it
/// unchanged; another is a failure of usage.
pub(super) fn artifact_name(name: &str) -> Result<&str, Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.bytes().all(plain) {
        return Err(Failure::usage(format!(
            "`{name}` is not a name for a file; use letters, digits, `.`, `_` and `-`, at most 64"
        )));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        for good in ["a.txt", "./a/b.txt", "a/./b"] {
            assert!(below(folder, good).unwrap().starts_with(folder), "{good}");
        }
        for bad in ["", ".", "..", "../a", "a/../../b", "/etc/passwd", "a\0b"] {
            assert!(below(folder, bad).is_err(), "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let outside = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.join("link")).unwrap();
        assert!(below(folder, "link/file").is_err());
    }

    #[test]
    fn artifact_names() {
        for good in ["home", "home-2.png", "A_b"] {
            assert!(artifact_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".hidden", "a/b", "a b", "ü", &"x".repeat(65)] {
            assert!(artifact_name(bad).is_err(), "{bad}");
        }
    }
}

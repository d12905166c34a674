//! Storage locations of the device, and the check that a path does not leave its location.

use std::time::Duration;

use super::error::FileError;
use super::file_stat::{FileStat, STAT, read_stat};
use crate::sections::Sections;
use crate::{Device, quote};
use runner_text::secret::from_outside;

/// Limit of a command on files. Chosen: a long list on a slow card takes tens of seconds.
pub(super) const LIMIT: Duration = Duration::from_mins(1);

/// Storage location: a folder of the device to which paths are relative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    root: String,
}

impl Location {
    /// Creates a location at an absolute path of the device, such as `/sdcard/Download`. Slashes at its end
    /// are removed. The device is not asked.
    ///
    /// # Errors
    /// Returns [`FileError::Outside`] for a relative path, for `/` itself, for a part that is empty, `.` or
    /// `..`, and for a NUL character.
    pub fn new(root: &str) -> Result<Self, FileError> {
        let trimmed = root.trim_end_matches('/');
        let good = root.starts_with('/')
            && !root.contains('\0')
            && !trimmed.is_empty()
            && trimmed
                .split('/')
                .skip(1)
                .all(|part| !matches!(part, "" | "." | ".."));
        if good {
            Ok(Self {
                root: trimmed.to_owned(),
            })
        } else {
            Err(FileError::Outside {
                path: root.to_owned(),
            })
        }
    }

    /// Absolute path on the device, without a slash at its end.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Joins `relative` to the location without asking the device; empty and `.` are the location itself, and
    /// such parts are left out.
    ///
    /// # Errors
    /// Returns [`FileError::Outside`] for an absolute path, a part `..`, and a NUL character or a line end.
    pub fn path(&self, relative: &str) -> Result<String, FileError> {
        let outside = || FileError::Outside {
            path: relative.to_owned(),
        };
        // `stat`'s output is split into lines, in which a name with a line end could pose as another file.
        if relative.starts_with('/') || relative.contains(['\0', '\n', '\r']) {
            return Err(outside());
        }
        let mut path = self.root.clone();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(outside()),
                part => {
                    path.push('/');
                    path.push_str(part);
                }
            }
        }
        Ok(path)
    }

    /// Checks the path on the device, and returns it joined, with the links left in it, and its status; the status
    /// is `None` if nothing is there but its folder exists. Links to folders are followed.
    ///
    /// # Errors
    /// Returns [`FileError::Outside`] if a link leads out of the location, or if the path is itself a link and not
    /// one to a folder. Returns [`FileError::NotFound`] if its folder, or the location, does not exist.
    pub(super) async fn resolve(
        &self,
        device: &dyn Device,
        relative: &str,
    ) -> Result<(String, Option<FileStat>), FileError> {
        let path = self.path(relative)?;
        let word = quote(&path);
        let sections = Sections::new()
            .ask(&format!("cd {} 2>/dev/null && pwd -P", quote(&self.root)))
            .ask(&format!(
                // A file to be written may not exist yet; its folder then shows where it will be.
                "{{ cd {word} 2>/dev/null || cd {} 2>/dev/null; }} && pwd -P",
                quote(parent(&path))
            ))
            .ask(&format!("[ -L {word} ] && [ ! -d {word} ] && echo link"))
            .ask(&format!("stat -L -c '{STAT}' {word} 2>/dev/null"));
        let output = device.shell(&sections.script("stat"), LIMIT).await?;
        let parts: Vec<String> = sections
            .split(&output.stdout)
            .into_iter()
            // Only line ends are trimmed, as a name may end with a space.
            .map(|part| from_outside(part).trim_end_matches(['\r', '\n']).to_owned())
            .collect();
        let part = |index: usize| parts.get(index).map_or("", String::as_str);
        // A link to a file is refused wherever it leads; links to folders were resolved.
        if part(2) == "link" {
            return Err(FileError::Outside {
                path: relative.to_owned(),
            });
        }
        if !is_within(part(0), part(1)) {
            // A missing folder, or location, cannot be resolved, and cannot lead outside either.
            return if (part(0).is_empty() || part(1).is_empty()) && part(3).is_empty() {
                Err(FileError::NotFound {
                    path: relative.to_owned(),
                })
            } else {
                Err(FileError::Outside {
                    path: relative.to_owned(),
                })
            };
        }
        Ok((path, part(3).lines().find_map(read_stat)))
    }

    /// Checks that the existing folders on the way to `relative` do not lead out of the location. Goes into
    /// them from the location on, as far as they exist. A missing location is no error.
    ///
    /// # Errors
    /// Returns [`FileError::Outside`] if the deepest one is outside, by a link.
    pub(super) async fn check_new_folders(
        &self,
        device: &dyn Device,
        relative: &str,
    ) -> Result<(), FileError> {
        let path = self.path(relative)?;
        let way = parent(&path).strip_prefix(&self.root).unwrap_or_default();
        let steps: String = way
            .split('/')
            .filter(|part| !part.is_empty())
            .map(|part| format!(" && cd {}", quote(&format!("./{part}"))))
            .collect();
        let root = quote(&self.root);
        let sections = Sections::new()
            .ask(&format!("cd {root} 2>/dev/null && pwd -P"))
            .ask(&format!(
                "cd {root} 2>/dev/null && {{ {{ true{steps}; }} 2>/dev/null; pwd -P; }}"
            ));
        let [root, deepest] = sections.answers(device, "pwd", LIMIT).await?;
        let lines = ['\r', '\n'];
        let (root, deepest) = (
            root.trim_end_matches(lines),
            deepest.trim_end_matches(lines),
        );
        // In a missing location nothing can lead outside.
        if root.is_empty() || is_within(root, deepest) {
            Ok(())
        } else {
            Err(FileError::Outside {
                path: relative.to_owned(),
            })
        }
    }

    /// Resolves a path in the location, asking the device, to its full path and state. A path at which nothing is
    /// gives [`FileError::NotFound`].
    pub(super) async fn existing(
        &self,
        device: &dyn Device,
        relative: &str,
    ) -> Result<(String, FileStat), FileError> {
        match self.resolve(device, relative).await? {
            (path, Some(stat)) => Ok((path, stat)),
            (_, None) => Err(FileError::NotFound {
                path: relative.to_owned(),
            }),
        }
    }

    /// Resolves a path as [`Self::existing`] does. A folder is [`FileError::IsFolder`].
    pub(super) async fn file(
        &self,
        device: &dyn Device,
        relative: &str,
    ) -> Result<(String, FileStat), FileError> {
        let (path, stat) = self.existing(device, relative).await?;
        if stat.is_folder {
            return Err(FileError::IsFolder {
                path: relative.to_owned(),
            });
        }
        Ok((path, stat))
    }
}

/// Returns the path's folder; `/` for a path directly in it, and for one without a slash.
pub(super) fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((parent, _)) => parent,
    }
}

/// Returns true if a resolved path is the resolved root or below it. False if the root is no absolute path,
/// as that of a missing location.
fn is_within(root: &str, path: &str) -> bool {
    // If the location does not exist, both are empty, and nothing is within it.
    root.starts_with('/')
        && path
            // `/sdcard/Download2` begins with `/sdcard/Download` and is not within it.
            .strip_prefix(root)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_written_path_leaves_its_location() {
        let location = Location::new("/sdcard/Download/").unwrap();
        for (relative, path) in [
            ("", "/sdcard/Download"),
            (".", "/sdcard/Download"),
            ("a//b/./c.txt", "/sdcard/Download/a/b/c.txt"),
            ("...", "/sdcard/Download/..."),
        ] {
            assert_eq!(location.path(relative).unwrap(), path);
        }
        for bad in ["/etc/hosts", "..", "a/../../b", "a/..", "x\0y", "x\ny"] {
            assert!(
                matches!(location.path(bad), Err(FileError::Outside { .. })),
                "{bad}"
            );
        }
        for bad in ["sdcard", "/", "", "/a/../b", "/a//b"] {
            assert!(Location::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_resolved_path_leaves_its_location() {
        assert!(is_within("/storage/emulated/0", "/storage/emulated/0"));
        assert!(is_within("/storage/emulated/0", "/storage/emulated/0/a"));
        assert!(!is_within("/storage/emulated/0", "/storage/emulated/01"));
        assert!(!is_within("/storage/emulated/0", "/data"));
        assert!(!is_within("", "/data"));
    }

    proptest::proptest! {
        #[test]
        fn a_path_is_below_its_root_or_refused(relative in "[a./\\\\ ]{0,20}") {
            let location = Location::new("/sdcard").unwrap();
            if let Ok(path) = location.path(&relative) {
                proptest::prop_assert!(is_within("/sdcard", &path));
                proptest::prop_assert!(!path.split('/').any(|part| part == ".."));
            }
        }
    }
}

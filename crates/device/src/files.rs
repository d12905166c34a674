//! Files below a storage location of the device, and nothing outside it.
//!
//! A path is checked twice: as it is written (no `..`, no absolute path), and as the device resolves it, so
//! that a link cannot lead out of the location.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{QUICK, succeed};
use super::sections::Sections;
use super::{Device, DeviceError, Script, quote};
use runner_text::input_file::read_regular;
use runner_text::secret::from_outside;

/// Limit of a command on files. Chosen: a long list on a slow card takes tens of seconds.
const LIMIT: Duration = Duration::from_mins(1);
/// Limit of the files that are pushed with a folder. Chosen: no app has as many; a wrong path such as `/`
/// must not be sent.
const MAX_TREE_FILES: usize = 10_000;

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path leaves its location, or is not a valid path.
    #[error(
        "the path '{path}' leaves its storage location; write it relative to the location, without `..`"
    )]
    Outside { path: String },
    #[error("'{path}' does not exist")]
    NotFound { path: String },
    /// The path is a folder, and a file is needed.
    #[error("'{path}' is a folder")]
    IsFolder { path: String },
    /// The path is a file, and a folder is needed.
    #[error("'{path}' is not a folder")]
    NotFolder { path: String },
    /// The file is larger than the caller allows.
    #[error("'{path}' has {size} bytes, more than the {limit} allowed")]
    TooLarge {
        path: String,
        /// Size in bytes.
        size: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// The file system below the location cannot append.
    #[error("'{path}' cannot be appended to")]
    NoAppend { path: String },
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// Storage location: a folder of the device to which paths are relative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    root: String,
}

/// Status of a file or folder on the device, links followed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FileStat {
    /// Last part of the path.
    pub name: String,
    pub is_folder: bool,
    /// Size in bytes; 0 for a folder.
    pub size: u64,
    /// Time of the last change, in seconds since 1970.
    pub modified: i64,
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
    /// one to a folder. Returns [`FileError::NotFound`] if its folder does not exist.
    async fn resolve(
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
            // A missing folder cannot be resolved, and cannot lead outside either.
            return if part(1).is_empty() && part(3).is_empty() {
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
    async fn check_new_folders(
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
    async fn existing(
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
    async fn file(
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

/// Returns the status of an existing file or folder.
///
/// # Errors
/// Returns [`FileError::NotFound`] if nothing is there, and [`FileError::Outside`] if the path leaves the location.
pub async fn stat(
    device: &dyn Device,
    location: &Location,
    path: &str,
) -> Result<FileStat, FileError> {
    Ok(location.existing(device, path).await?.1)
}

/// Lists a folder, without its subfolders' content: folders first, then by name. Hidden entries are listed;
/// links that lead nowhere are left out.
///
/// # Errors
/// Returns [`FileError::NotFolder`] for a file, [`FileError::NotFound`] if nothing is there, and
/// [`FileError::Outside`] if the path leaves the location.
pub async fn list(
    device: &dyn Device,
    location: &Location,
    path: &str,
) -> Result<Vec<FileStat>, FileError> {
    let (folder, stat) = location.existing(device, path).await?;
    if !stat.is_folder {
        return Err(FileError::NotFolder {
            path: path.to_owned(),
        });
    }
    // A pattern without matches stays as it is, and `stat` complains about it; that is no error.
    let script = Script::raw(
        format!(
            "cd {} && stat -L -c '{STAT}' -- * .[!.]* ..?* 2>/dev/null; true",
            quote(&folder)
        ),
        "list files",
    );
    let text = succeed(device, &script, LIMIT).await?;
    let mut entries: Vec<FileStat> = text.lines().filter_map(read_stat).collect();
    entries.sort_by(|a, b| {
        b.is_folder
            .cmp(&a.is_folder)
            .then_with(|| a.name.cmp(&b.name))
    });
    Ok(entries)
}

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// Returns [`FileError::TooLarge`] for a larger file, of which nothing is read. Returns
/// [`FileError::IsFolder`], [`FileError::NotFound`] or [`FileError::Outside`] for a path that is no file of
/// the location.
pub async fn read(
    device: &dyn Device,
    location: &Location,
    path: &str,
    limit: u64,
) -> Result<Vec<u8>, FileError> {
    let (remote, stat) = location.file(device, path).await?;
    if stat.size > limit {
        return Err(FileError::TooLarge {
            path: path.to_owned(),
            size: stat.size,
            limit,
        });
    }
    Ok(device.pull(&remote, limit).await?)
}

/// Creates or replaces a file in one step: it is sent under another name beside it and then renamed. Creates
/// missing folders. The file gets mode 644. A failure leaves the old file as it was and the new folders there; the
/// temporary file is removed if the device still answers.
///
/// # Errors
/// Returns [`FileError::IsFolder`] if a folder is there, and [`FileError::Outside`] if the path leaves the
/// location.
pub async fn write(
    device: &dyn Device,
    location: &Location,
    path: &str,
    data: &[u8],
) -> Result<(), FileError> {
    let remote = match location.resolve(device, path).await {
        Ok((_, Some(stat))) if stat.is_folder => {
            return Err(FileError::IsFolder {
                path: path.to_owned(),
            });
        }
        Ok((remote, _)) => remote,
        // Creating folders follows links, so the path is checked before it, and again before the file is
        // written.
        Err(FileError::NotFound { .. }) => {
            let remote = location.path(path)?;
            location.check_new_folders(device, path).await?;
            let folder = Script::command(["mkdir", "-p", parent(&remote)]);
            succeed(device, &folder, LIMIT).await?;
            location.resolve(device, path).await?.0
        }
        Err(error) => return Err(error),
    };
    let temporary = format!(
        "{}/.runner-{:012x}.tmp",
        parent(&remote),
        fastrand::u64(..1 << 48)
    );
    send_temporary(device, data, &temporary).await?;
    let rename = Script::raw(
        format!(
            "mv -f {0} {1} || {{ rm -f {0}; false; }}",
            quote(&temporary),
            quote(&remote)
        ),
        "mv",
    );
    succeed(device, &rename, LIMIT).await?;
    Ok(())
}

/// Sends a file (mode 644) that the caller soon removes. If the transfer fails, the part that was sent is
/// removed, and the error is that of the transfer.
pub(super) async fn send_temporary(
    device: &dyn Device,
    data: &[u8],
    remote: &str,
) -> Result<(), DeviceError> {
    let sent = device.push(data, remote, 0o644).await;
    if sent.is_err() {
        // The part that was sent is useless; the transfer's error is the one to report.
        let clean_up = Script::command(["rm", "-f", remote]);
        let _ = device.shell(&clean_up, QUICK).await;
    }
    sent
}

/// Appends bytes to an existing file. They are first sent to a temporary file, so a failed transfer changes
/// nothing. A failure of the appending itself may leave a part.
///
/// # Errors
/// Returns [`FileError::NotFound`] if there is no file, [`FileError::IsFolder`] for a folder,
/// [`FileError::Outside`] if the path leaves the location, and [`FileError::NoAppend`] if the place does not
/// support it.
pub async fn append(
    device: &dyn Device,
    location: &Location,
    path: &str,
    data: &[u8],
) -> Result<(), FileError> {
    let (remote, _) = location.file(device, path).await?;
    let temporary = format!(
        "/data/local/tmp/runner-{:012x}.part",
        fastrand::u64(..1 << 48)
    );
    send_temporary(device, data, &temporary).await?;
    // The removal must not replace the exit code of the append.
    let script = Script::raw(
        format!(
            "cat {0} >> {1}; code=$?; rm -f {0}; (exit $code)",
            quote(&temporary),
            quote(&remote)
        ),
        "append",
    );
    match succeed(device, &script, LIMIT).await {
        Ok(_) => Ok(()),
        Err(DeviceError::Command { output, .. }) if is_not_supported(&output) => {
            Err(FileError::NoAppend {
                path: path.to_owned(),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns true if an output has the message of `EOPNOTSUPP` or `ENOSYS`.
fn is_not_supported(output: &str) -> bool {
    ["Operation not supported", "Function not implemented"]
        .iter()
        .any(|words| output.contains(words))
}

/// Deletes one file; never a folder.
///
/// # Errors
/// Returns [`FileError::NotFound`] if nothing is there, [`FileError::IsFolder`] for a folder, and
/// [`FileError::Outside`] if the path leaves the location.
pub async fn delete(device: &dyn Device, location: &Location, path: &str) -> Result<(), FileError> {
    let (remote, _) = location.file(device, path).await?;
    let script = Script::command(["rm", "--", &remote]);
    succeed(device, &script, LIMIT).await?;
    Ok(())
}

/// Returns the free bytes at a location; `None` if the device does not report them, such as for a location
/// that does not exist.
pub async fn free_bytes(
    device: &dyn Device,
    location: &Location,
) -> Result<Option<u64>, FileError> {
    let script = Script::command(["df", "-k", location.root()]);
    let output = device.shell(&script, QUICK).await?;
    Ok(read_free(&output.text()))
}

#[derive(Debug, thiserror::Error)]
enum TreeError {
    #[error(transparent)]
    Walk(#[from] walkdir::Error),
    #[error(transparent)]
    Outside(#[from] std::path::StripPrefixError),
    #[error("{} is not a Unicode name", .0.display())]
    Name(PathBuf),
    #[error("more than {MAX_TREE_FILES} files")]
    TooMany,
}

/// Sends the files of a folder and of its subfolders to the folder `remote`, which is created. Links and
/// empty folders are left out. All files get mode 644. A failure leaves the files that were already sent.
///
/// # Errors
/// Fails before anything is sent if the folder cannot be read, has more than 10,000 files, or a name is no
/// Unicode.
pub(super) async fn push_tree(
    device: &dyn Device,
    folder: &Path,
    remote: &str,
) -> Result<(), DeviceError> {
    let root = folder.to_owned();
    let failed = |cause: &dyn std::fmt::Display| DeviceError::Command {
        command: format!("read {}", folder.display()),
        exit_code: None,
        output: cause.to_string(),
    };
    let files = tokio::task::spawn_blocking(move || tree(&root))
        .await
        .map_err(|cause| failed(&cause))?
        .map_err(|cause| failed(&cause))?;
    let made = Script::command(["mkdir", "-p", remote]);
    succeed(device, &made, LIMIT).await?;
    for (local, relative) in files {
        let data = read_local(&local).await.map_err(|cause| failed(&cause))?;
        device
            .push(&data, &format!("{remote}/{relative}"), 0o644)
            .await?;
    }
    Ok(())
}

/// Largest file of this computer to send, in bytes. Chosen: the file is read into memory; large APKs have
/// some hundred MB.
const MAX_SENT_BYTES: u64 = 1024 * 1024 * 1024;

/// Reads a regular file of this computer to send it to a device.
///
/// # Errors
/// Returns an error if it is no regular file, has more than 1 GiB or cannot be read.
pub async fn read_local(path: &Path) -> std::io::Result<Vec<u8>> {
    let path = path.to_owned();
    let reading = tokio::task::spawn_blocking(move || read_regular(path, MAX_SENT_BYTES));
    Ok(reading.await.map_err(std::io::Error::other)??)
}

/// Lists the files below `root`, sorted by name, each with its path relative to it, with slashes. Folders and
/// links are left out.
///
/// # Errors
/// Fails if a folder cannot be read, if a name is no Unicode, or for more than [`MAX_TREE_FILES`] files.
fn tree(root: &Path) -> Result<Vec<(PathBuf, String)>, TreeError> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let relative = entry.path().strip_prefix(root)?;
        let parts: Option<Vec<&str>> = relative.iter().map(|part| part.to_str()).collect();
        let parts = parts.ok_or_else(|| TreeError::Name(relative.to_owned()))?;
        files.push((entry.path().to_owned(), parts.join("/")));
        if files.len() > MAX_TREE_FILES {
            return Err(TreeError::TooMany);
        }
    }
    Ok(files)
}

/// Format of `stat` for [`read_stat`]. The name is last, as it may hold anything but a line end.
const STAT: &str = "%F|%s|%Y|%n";

/// Parses a line `KIND|SIZE|MODIFIED|PATH`. A folder's size is 0, and the name is the path's last part. `None` for
/// another form.
fn read_stat(line: &str) -> Option<FileStat> {
    let mut parts = line.trim_end_matches('\r').splitn(4, '|');
    let kind = parts.next()?;
    let size: u64 = parts.next()?.parse().ok()?;
    let modified = parts.next()?.parse().ok()?;
    let path = parts.next()?;
    let is_folder = kind == "directory";
    Some(FileStat {
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        is_folder,
        size: if is_folder { 0 } else { size },
        modified,
    })
}

/// Parses the column `Available` (`Avail…` or `Free`) in the last line of `df -k` into bytes. `None` without
/// such a column or a number in it.
fn read_free(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    let column = lines
        .next()?
        .split_whitespace()
        .position(|name| name.starts_with("Avail") || name == "Free")?;
    let blocks: u64 = lines.last()?.split_whitespace().nth(column)?.parse().ok()?;
    Some(blocks * 1024)
}

/// Returns the path's folder; `/` for a path directly in it, and for one without a slash.
fn parent(path: &str) -> &str {
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
mod tests;

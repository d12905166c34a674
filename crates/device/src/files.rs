//! Files below a storage location of the device, and nothing outside it.
//!
//! A path is checked twice: as it is written (no `..`, no absolute path), and as the device resolves it, so
//! that a link cannot lead out of the location.

mod error;
mod file_stat;
mod local;
mod location;

use super::command::{QUICK, succeed};
use super::{Device, DeviceError, Script, quote};
pub use error::FileError;
pub use file_stat::FileStat;
use file_stat::{STAT, read_stat};
pub(super) use local::push_tree;
pub use local::read_local;
pub use location::Location;
use location::{LIMIT, parent};

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
/// Returns [`FileError::IsFolder`] if a folder is there or the path is the location itself, and
/// [`FileError::Outside`] if the path leaves the location.
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
            if remote == location.root() {
                return Err(FileError::IsFolder {
                    path: path.to_owned(),
                });
            }
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

/// Sends a file (mode 644) that the caller soon removes.
///
/// # Errors
/// Returns the error of the transfer; the part that was sent is removed, if the device still answers.
pub async fn send_temporary(
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

#[cfg(test)]
mod tests;

//! Files of this computer, read to be sent to the device: one, or all of a folder.

use std::path::{Path, PathBuf};

use super::location::LIMIT;
use crate::command::succeed;
use crate::{Device, DeviceError, Script};
use runner_text::input_file::read_regular;

/// Limit of the files that are pushed with a folder. Chosen: no app has as many; a wrong path such as `/`
/// must not be sent.
const MAX_TREE_FILES: usize = 10_000;

/// Largest file of this computer to send, in bytes. Chosen: the file is read into memory; large APKs have
/// some hundred MB.
const MAX_SENT_BYTES: u64 = 1024 * 1024 * 1024;

/// Sends the files of a folder and of its subfolders to the folder `remote`, which is created. Links and
/// empty folders are left out. All files get mode 644. A failure leaves the files that were already sent.
///
/// # Errors
/// Fails before anything is sent if the folder cannot be read, has more than 10,000 files, or a name is no
/// Unicode.
pub(crate) async fn push_tree(
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

//! The device's files, in a folder on the host that no path leaves.
//!
//! Device paths are resolved as texts, `.` and `..` included. Each name is encoded so that it is one plain
//! name on any host. Symbolic links in the folder are never followed.

mod error;
pub(crate) mod installed_apks;
mod names;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fs_err as fs;
use runner_text::input_file::read_regular;
use runner_text::temporary_folder::TemporaryFolder;

use names::{device_name, host_name};

pub(crate) use error::StorageError;

/// Target of `/sdcard` and its other names.
const SHARED: &str = "/storage/emulated/0";
/// Other names of [`SHARED`].
const SHARED_ALIASES: [&str; 4] = [
    "/sdcard",
    "/mnt/sdcard",
    "/storage/self/primary",
    "/storage/emulated/legacy",
];
/// Folders below which the shell user may write. They cannot be removed themselves.
const WRITABLE: [&str; 2] = [SHARED, "/data/local/tmp"];
/// Folders of a new device.
const FOLDERS: [&str; 11] = [
    "/data/app",
    "/data/local/tmp",
    "/storage/emulated/0/Alarms",
    "/storage/emulated/0/Android",
    "/storage/emulated/0/DCIM",
    "/storage/emulated/0/Download",
    "/storage/emulated/0/Movies",
    "/storage/emulated/0/Music",
    "/storage/emulated/0/Pictures",
    "/system/bin",
    "/proc",
];
/// Longest path in bytes: Linux's `PATH_MAX`.
const MAX_PATH_BYTES: usize = 4096;
/// Largest file, in bytes. Chosen: a script that doubles a file would fill the host's disk.
pub(crate) const MAX_FILE: u64 = 512 * 1024 * 1024;

/// The folder with the device's files.
#[derive(Debug)]
pub(crate) struct Storage {
    root: PathBuf,
    full: AtomicBool,
    /// Number of installations of each package.
    installs: Mutex<BTreeMap<String, u32>>,
    _temporary: Option<TemporaryFolder>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Unix mode with its type bits.
    pub(crate) mode: u32,
    /// Size in bytes.
    pub(crate) size: u64,
    /// Seconds since 1970.
    pub(crate) modified: i64,
}

impl Stat {
    pub(crate) fn is_folder(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }

    /// Returns true for a regular file, not for a folder or a device.
    pub(crate) fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

type Result<T, E = StorageError> = std::result::Result<T, E>;

impl Storage {
    /// Makes a storage in `folder`, or in a temporary one that is removed with it. The folder is made if it
    /// is missing; what it contains stays.
    pub(crate) fn new(folder: Option<&Path>) -> io::Result<Self> {
        let (root, temporary) = if let Some(folder) = folder {
            fs::create_dir_all(folder)?;
            (fs::canonicalize(folder)?, None)
        } else {
            let temporary = TemporaryFolder::new()?;
            (fs::canonicalize(temporary.path())?, Some(temporary))
        };
        let storage = Self {
            root,
            full: AtomicBool::new(false),
            installs: Mutex::default(),
            _temporary: temporary,
        };
        for path in FOLDERS {
            fs::create_dir_all(storage.host(path).map_err(io::Error::other)?)?;
        }
        Ok(storage)
    }

    /// Makes all writes fail, or succeed again.
    pub(crate) fn set_full(&self, full: bool) {
        self.full.store(full, Ordering::Relaxed);
    }

    /// Returns the absolute form of `path` in the folder `cwd`, without `.`, `..`, slashes at the end, and
    /// aliases of shared storage. A `..` at the root is dropped. Nothing is read.
    pub(crate) fn absolute(cwd: &str, path: &str) -> String {
        let joined = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("{cwd}/{path}")
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in joined.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                name => parts.push(name),
            }
        }
        let plain = format!("/{}", parts.join("/"));
        for alias in SHARED_ALIASES {
            if let Some(rest) = plain.strip_prefix(alias)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                return format!("{SHARED}{rest}");
            }
        }
        plain
    }

    /// Returns the host's path of a device path, which need not exist. A relative one counts from `/`, and `..`
    /// cannot leave the root. Fails with `TooLong` for a long path or a part over 255 bytes, and with `Denied` if
    /// any part is a symbolic link on the host.
    pub(crate) fn host(&self, path: &str) -> Result<PathBuf> {
        if path.len() > MAX_PATH_BYTES {
            return Err(StorageError::TooLong);
        }
        let mut host = self.root.clone();
        for part in Self::absolute("/", path)
            .split('/')
            .filter(|part| !part.is_empty())
        {
            if part.len() > 255 {
                return Err(StorageError::TooLong);
            }
            host.push(host_name(part));
            if host.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
                return Err(StorageError::Denied);
            }
        }
        Ok(host)
    }

    /// Returns the host's path of a device path that the shell may write, which need not exist: below one of the
    /// [`WRITABLE`] folders, but not such a folder itself. Resolves `..` and other names of shared storage first.
    /// Other paths are [`StorageError::ReadOnly`] in the root and in the system's folders, else
    /// [`StorageError::Denied`]. Fails where [`Self::host`] does too.
    fn writable(&self, path: &str) -> Result<PathBuf> {
        let plain = Self::absolute("/", path);
        let allowed = WRITABLE.iter().any(|folder| {
            plain
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        });
        if !allowed {
            // On phones the root and the system's folders are read-only, and all else belongs to other users.
            let system = ["/system", "/vendor", "/product"];
            let read_only = plain.rsplit_once('/').is_some_and(|(parent, _)| {
                parent.is_empty() || system.iter().any(|folder| parent.starts_with(folder))
            });
            return Err(if read_only {
                StorageError::ReadOnly
            } else {
                StorageError::Denied
            });
        }
        self.host(&plain)
    }

    /// Returns true if all writes fail.
    pub(crate) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Fails if the storage was set to be full.
    fn check_space(&self) -> Result<()> {
        if self.is_full() {
            Err(StorageError::Full)
        } else {
            Ok(())
        }
    }

    /// Returns the metadata of a file or folder. Modes and a folder's size are made up; a time that is not known
    /// is 0.
    pub(crate) fn stat(&self, path: &str) -> Result<Stat> {
        let meta = fs::symlink_metadata(self.host(path)?)?;
        let modified = meta
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or(0, |time| time.as_secs() as i64);
        Ok(if meta.is_dir() {
            Stat {
                mode: 0o040_771,
                size: 3452,
                modified,
            }
        } else {
            Stat {
                mode: 0o100_660,
                size: meta.len(),
                modified,
            }
        })
    }

    /// Reads a whole file. Fails for folders, links, and files above [`MAX_FILE`].
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>> {
        if self.stat(path)?.is_folder() {
            return Err(StorageError::IsFolder);
        }
        Ok(read_regular(self.host(path)?, MAX_FILE).map_err(io::Error::from)?)
    }

    /// Opens a file for writing, at its end if `append`, else emptied. Makes it if it is missing, but no
    /// folder. Fails where the shell may not write, for folders, without its parent, and for a new file in a
    /// full storage.
    #[expect(
        clippy::disallowed_methods,
        reason = "a file of the virtual device, in a folder of its own"
    )]
    pub(crate) fn create(&self, path: &str, append: bool) -> Result<std::fs::File> {
        let host = self.writable(path)?;
        match self.stat(path) {
            Ok(stat) if stat.is_folder() => return Err(StorageError::IsFolder),
            Err(StorageError::Missing) => {
                let parent = host.parent().ok_or(StorageError::Missing)?;
                if !parent.is_dir() {
                    return Err(if parent.exists() {
                        StorageError::NotFolder
                    } else {
                        StorageError::Missing
                    });
                }
                self.check_space()?;
            }
            _ => {}
        }
        let mut options = std::fs::OpenOptions::new();
        options.create(true).write(true);
        if append {
            options.append(true);
        } else {
            options.truncate(true);
        }
        Ok(options.open(host)?)
    }

    /// Writes to an open file. Fails with `Full`, before any byte is written, in a full storage or if the file
    /// would exceed [`MAX_FILE`].
    pub(crate) fn write_open(&self, file: &mut std::fs::File, data: &[u8]) -> Result<()> {
        self.check_space()?;
        if file.metadata()?.len().saturating_add(data.len() as u64) > MAX_FILE {
            return Err(StorageError::Full);
        }
        Ok(io::Write::write_all(file, data)?)
    }

    pub(crate) fn write(&self, path: &str, data: &[u8]) -> Result<()> {
        let mut file = self.create(path, false)?;
        self.write_open(&mut file, data)
    }

    /// Returns the device's names of what is in a folder, sorted, without symbolic links. Fails for a file and for a
    /// missing folder.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<String>> {
        if !self.stat(path)?.is_folder() {
            return Err(StorageError::NotFolder);
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(self.host(path)?)? {
            let entry = entry?;
            if entry.file_type()?.is_symlink() {
                continue;
            }
            names.push(device_name(&entry.file_name().to_string_lossy()));
        }
        names.sort();
        Ok(names)
    }

    /// Makes a folder, with its missing parents if `parents`. An existing folder is an error without `parents`; an
    /// existing file always. Fails where the shell may not write, and in a full storage.
    pub(crate) fn make_folder(&self, path: &str, parents: bool) -> Result<()> {
        if let Ok(stat) = self.stat(path) {
            return if parents && stat.is_folder() {
                Ok(())
            } else {
                Err(StorageError::Exists)
            };
        }
        let host = self.writable(path)?;
        self.check_space()?;
        if parents {
            fs::create_dir_all(host)?;
        } else {
            fs::create_dir(host)?;
        }
        Ok(())
    }

    /// Removes a file, or a folder that is empty or, if `with_content`, with all its contents. A full storage does
    /// not matter. Fails if it does not exist or the shell may not write there.
    pub(crate) fn remove(&self, path: &str, with_content: bool) -> Result<()> {
        let stat = self.stat(path)?;
        let host = self.writable(path)?;
        if !stat.is_folder() {
            fs::remove_file(host)?;
        } else if with_content {
            fs::remove_dir_all(host)?;
        } else {
            fs::remove_dir(host)?;
        }
        Ok(())
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.stat(from)?;
        Ok(fs::rename(self.writable(from)?, self.writable(to)?)?)
    }

    /// Makes an empty file if it is missing, and sets its time of change: `seconds` since 1970, or the host's
    /// present. Contents stay. Fails for folders, and where [`Self::create`] does.
    pub(crate) fn touch(&self, path: &str, seconds: Option<u32>) -> Result<()> {
        // Appending keeps the contents of an existing file.
        let file = self.create(path, true)?;
        let time = match seconds {
            Some(seconds) => {
                std::time::UNIX_EPOCH + std::time::Duration::from_secs(u64::from(seconds))
            }
            None => std::time::SystemTime::now(),
        };
        Ok(file.set_modified(time)?)
    }
}

#[cfg(test)]
mod tests;

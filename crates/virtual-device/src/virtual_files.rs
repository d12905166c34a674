//! Files that are in no storage: devices, files of the kernel, and the system's build properties.

use crate::state::DeviceState;
use crate::storage::{Stat, StorageError};

/// A file that drops all bytes written to it and is empty.
pub(crate) const NULL: &str = "/dev/null";

/// Kind of a made-up path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VirtualFile {
    Folder,
    Null,
    Tcp,
    Tcp6,
    Unix,
    BuildProperties,
}

/// All made-up paths. Folders above them that are in the storage are not listed.
const PATHS: [(&str, VirtualFile); 7] = [
    ("/dev", VirtualFile::Folder),
    (NULL, VirtualFile::Null),
    ("/proc/net", VirtualFile::Folder),
    ("/proc/net/tcp", VirtualFile::Tcp),
    ("/proc/net/tcp6", VirtualFile::Tcp6),
    ("/proc/net/unix", VirtualFile::Unix),
    ("/system/build.prop", VirtualFile::BuildProperties),
];

fn find(path: &str) -> Option<VirtualFile> {
    let path = crate::storage::Storage::absolute("/", path);
    let found = PATHS.iter().find(|(known, _)| *known == path);
    found.map(|(_, what)| *what)
}

/// Returns true if a path is made up.
pub(crate) fn is_virtual(path: &str) -> bool {
    find(path).is_some()
}

/// Returns true if a path drops all bytes written to it.
pub(crate) fn is_null(path: &str) -> bool {
    find(path) == Some(VirtualFile::Null)
}

impl DeviceState {
    /// Returns the metadata of a path, in the storage or made up. Made-up files were modified just now, and
    /// only build properties have a size.
    pub(crate) fn stat(&self, path: &str) -> Result<Stat, StorageError> {
        let Some(what) = find(path) else {
            return self.storage.stat(path);
        };
        let mode = match what {
            VirtualFile::Folder => 0o040_755,
            VirtualFile::Null => 0o020_666,
            VirtualFile::Tcp | VirtualFile::Tcp6 | VirtualFile::Unix => 0o100_444,
            VirtualFile::BuildProperties => 0o100_644,
        };
        let size = match what {
            VirtualFile::BuildProperties => self.content(what).len() as u64,
            _ => 0,
        };
        let modified = self.now().timestamp();
        Ok(Stat {
            mode,
            size,
            modified,
        })
    }

    /// Reads a file, in the storage or made up. Fails for a folder.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, StorageError> {
        match find(path) {
            None => self.storage.read(path),
            Some(VirtualFile::Folder) => Err(StorageError::IsFolder),
            Some(what) => Ok(self.content(what).into_bytes()),
        }
    }

    /// Writes a file in the storage. [`NULL`] drops the bytes. Made-up files and folders are refused.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), StorageError> {
        match find(path) {
            None => self.storage.write(path, bytes),
            Some(VirtualFile::Null) => Ok(()),
            Some(VirtualFile::Folder) => Err(StorageError::IsFolder),
            Some(_) => Err(StorageError::Denied),
        }
    }

    /// Returns the names in a folder, sorted, each once, with made-up ones. Fails for a file and for a missing folder.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<String>, StorageError> {
        let folder = crate::storage::Storage::absolute("/", path);
        let mut names = match find(&folder) {
            Some(VirtualFile::Folder) => Vec::new(),
            Some(_) => return Err(StorageError::NotFolder),
            None => self.storage.list(&folder)?,
        };
        let above = folder.trim_end_matches('/');
        names.extend(PATHS.iter().filter_map(|(path, _)| {
            let (parent, name) = path.rsplit_once('/')?;
            (parent == above).then(|| name.to_owned())
        }));
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Returns the content of a made-up file: empty for folders and `/dev/null`; of properties only those of the
    /// build and the product.
    fn content(&self, what: VirtualFile) -> String {
        match what {
            VirtualFile::Folder | VirtualFile::Null => String::new(),
            VirtualFile::Tcp => self.ports.proc_tcp(),
            VirtualFile::Tcp6 => crate::ports::PROC_TCP6.to_owned(),
            VirtualFile::Unix => self.ports.proc_unix(),
            VirtualFile::BuildProperties => {
                let system = self.system();
                let built = system.properties.iter();
                let built = built.filter(|(name, _)| {
                    name.starts_with("ro.build.") || name.starts_with("ro.product.")
                });
                built
                    .map(|(name, value)| format!("{name}={value}\n"))
                    .collect()
            }
        }
    }
}

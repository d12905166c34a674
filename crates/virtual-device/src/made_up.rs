//! Files that are in no storage: devices, what the kernel tells, and what the system was built with.

use crate::state::DeviceState;
use crate::storage::{Stat, StorageError};

/// Takes every byte and has none.
pub(crate) const NULL: &str = "/dev/null";

/// What a made-up path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MadeUp {
    Folder,
    Null,
    Tcp,
    Tcp6,
    Unix,
    BuildProperties,
}

/// Every made-up path. A folder of the storage that is above one is not here.
const PATHS: [(&str, MadeUp); 7] = [
    ("/dev", MadeUp::Folder),
    (NULL, MadeUp::Null),
    ("/proc/net", MadeUp::Folder),
    ("/proc/net/tcp", MadeUp::Tcp),
    ("/proc/net/tcp6", MadeUp::Tcp6),
    ("/proc/net/unix", MadeUp::Unix),
    ("/system/build.prop", MadeUp::BuildProperties),
];

fn find(path: &str) -> Option<MadeUp> {
    let path = crate::storage::Storage::absolute("/", path);
    let found = PATHS.iter().find(|(known, _)| *known == path);
    found.map(|(_, what)| *what)
}

/// Whether a path is no file of the storage.
pub(crate) fn is_made_up(path: &str) -> bool {
    find(path).is_some()
}

/// Whether what is written to a path goes nowhere.
pub(crate) fn is_null(path: &str) -> bool {
    find(path) == Some(MadeUp::Null)
}

impl DeviceState {
    /// What a path is: of the storage, or made up.
    pub(crate) fn stat(&self, path: &str) -> Result<Stat, StorageError> {
        let Some(what) = find(path) else {
            return self.storage.stat(path);
        };
        let mode = match what {
            MadeUp::Folder => 0o040_755,
            MadeUp::Null => 0o020_666,
            MadeUp::Tcp | MadeUp::Tcp6 | MadeUp::Unix => 0o100_444,
            MadeUp::BuildProperties => 0o100_644,
        };
        let size = match what {
            MadeUp::BuildProperties => self.content(what).len() as u64,
            _ => 0,
        };
        let modified = self.now().timestamp();
        Ok(Stat {
            mode,
            size,
            modified,
        })
    }

    /// A file's bytes.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, StorageError> {
        match find(path) {
            None => self.storage.read(path),
            Some(MadeUp::Folder) => Err(StorageError::IsFolder),
            Some(what) => Ok(self.content(what).into_bytes()),
        }
    }

    /// Writes a file, or to what takes every byte.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), StorageError> {
        match find(path) {
            None => self.storage.write(path, bytes),
            Some(MadeUp::Null) => Ok(()),
            Some(MadeUp::Folder) => Err(StorageError::IsFolder),
            Some(_) => Err(StorageError::Denied),
        }
    }

    /// The names in a folder, sorted.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<String>, StorageError> {
        let folder = crate::storage::Storage::absolute("/", path);
        let mut names = match find(&folder) {
            Some(MadeUp::Folder) => Vec::new(),
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

    fn content(&self, what: MadeUp) -> String {
        match what {
            MadeUp::Folder | MadeUp::Null => String::new(),
            MadeUp::Tcp => self.ports.proc_tcp(),
            MadeUp::Tcp6 => crate::ports::PROC_TCP6.to_owned(),
            MadeUp::Unix => self.ports.proc_unix(),
            MadeUp::BuildProperties => {
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

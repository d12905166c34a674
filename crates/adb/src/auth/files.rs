//! Reads the key files of a host as adb does: those of `ADB_VENDOR_KEYS`, and the host's own `adbkey`, which
//! it makes if it is missing.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use runner_text::input_file::{InputProblem, read_text};

use super::{KeyError, PrivateKey, PublicKey};

/// Limit of a key file. Chosen: an `adbkey` has 1.7 KB, and a wrong path must not fill memory.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// Limit of keys to try. Chosen: each costs a round trip with the device, and some teams share a folder of
/// keys.
const MAX_KEYS: usize = 32;
/// File extension of the keys in a folder, as adb has it (`ADB_VENDOR_KEYS`).
const KEY_SUFFIX: &str = ".adb_key";

/// Paths of a host's keys. Nothing is read until a device asks for a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostKeys {
    /// Files of `ADB_VENDOR_KEYS`, and folders whose `.adb_key` files are read.
    pub shared: Vec<PathBuf>,
    /// The host's own key, made if it is missing; `None` if the home folder is unknown.
    pub own: Option<PathBuf>,
    /// Name of the host in its public key, such as `ada@desk`; the device shows it to its owner.
    pub name: String,
}

/// Keys that [`HostKeys::load`] could read.
#[derive(Debug)]
pub struct Keyring {
    /// All readable keys in the order in which they are tried, the host's own last unless it is a shared one too.
    pub keys: Vec<Arc<PrivateKey>>,
    /// The host's own key, whose public half a device's owner is asked to allow.
    pub own: Result<Arc<PrivateKey>, KeyError>,
    /// Errors of the files of [`HostKeys::shared`] that could not be read.
    pub problems: Vec<KeyError>,
}

impl HostKeys {
    /// Reads all keys, and makes the host's own if it is missing. Blocks: it reads files, and making a key may take
    /// a second. Shared keys that cannot be read are left out and named in `problems`; a failure of the own key is
    /// in `own`. Equal keys count once, and at most 32 are kept, the own key among them.
    pub fn load(&self) -> Keyring {
        let mut shared: Vec<Arc<PrivateKey>> = Vec::new();
        let mut problems = Vec::new();
        for path in self.shared.iter().flat_map(|path| files_at(path)) {
            match read(&path) {
                Ok(key) => shared.push(Arc::new(key)),
                Err(problem) => problems.push(problem),
            }
        }
        let own = self.own_key().map(Arc::new);
        let keys = in_order(shared, own.as_ref().ok(), |one, other| {
            one.public() == other.public()
        });
        Keyring {
            keys,
            own,
            problems,
        }
    }

    /// Reads the public halves of all keys that exist, the shared ones first; makes none. Keys that cannot be read
    /// are left out. Blocks. A key in two files is there twice.
    pub fn public(&self) -> Vec<PublicKey> {
        let own = self.own.iter().filter(|path| path.is_file()).cloned();
        let shared = self.shared.iter().flat_map(|path| files_at(path));
        let keys = shared.chain(own).filter_map(|path| read(&path).ok());
        keys.map(|key| key.public().clone()).collect()
    }

    /// Reads the host's own key, or makes it if the file does not exist. A file that is damaged or cannot be read is an
    /// error and stays. An unknown home folder is an error too.
    fn own_key(&self) -> Result<PrivateKey, KeyError> {
        let path = self.own.as_deref().ok_or(KeyError::Homeless)?;
        match path.try_exists() {
            Ok(true) => read(path),
            Ok(false) => make(path, &self.name),
            Err(cause) => Err(unreadable(path, &cause)),
        }
    }
}

/// Returns the first different shared keys and last the host's own key, at most [`MAX_KEYS`]. An own key that is among
/// the shared ones stays in their order. However many are shared, the own key is in: it is the one that a device's
/// owner is asked to allow.
fn in_order<K: Clone>(shared: Vec<K>, own: Option<&K>, is_same: impl Fn(&K, &K) -> bool) -> Vec<K> {
    let mut keys: Vec<K> = Vec::new();
    for key in shared {
        if keys.len() + 1 < MAX_KEYS && !keys.iter().any(|known| is_same(known, &key)) {
            keys.push(key);
        }
    }
    if let Some(own) = own
        && !keys.iter().any(|known| is_same(known, own))
    {
        keys.push(own.clone());
    }
    keys
}

/// Returns the `.adb_key` files of a folder, sorted by name, not those of its subfolders. If `path` is no
/// readable folder, returns `path` itself, whether it exists or not.
fn files_at(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else {
        return vec![path.to_owned()];
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(KEY_SUFFIX))
        .collect();
    files.sort();
    files
}

/// Reads a key in PEM. A file that is no text or holds another kind of key is damaged.
fn read(path: &Path) -> Result<PrivateKey, KeyError> {
    let text = read_text(path, MAX_FILE_BYTES).map_err(|error| match error.problem {
        // A file that is not UTF-8 holds no PEM.
        InputProblem::NotText(_) => KeyError::Damaged {
            path: path.to_owned(),
        },
        problem => unreadable(path, &problem),
    })?;
    PrivateKey::from_pem(&text).map_err(|_| KeyError::Damaged {
        path: path.to_owned(),
    })
}

fn unreadable(path: &Path, cause: &dyn std::fmt::Display) -> KeyError {
    KeyError::Unreadable {
        path: path.to_owned(),
        cause: cause.to_string(),
    }
}

/// Makes a key at `path`, and its public half in `PATH.pub` with `name`. Makes missing folders; an old `PATH.pub`
/// is replaced. If another program made a key at the same time, reads that one.
///
/// # Errors
/// Returns [`KeyError::NotMade`] if the key or one of the files cannot be made, and the errors of [`read`].
fn make(path: &Path, name: &str) -> Result<PrivateKey, KeyError> {
    let not_made = |cause: String| KeyError::NotMade {
        path: path.to_owned(),
        cause,
    };
    let key = PrivateKey::generate().map_err(|error| not_made(error.to_string()))?;
    match write_new(path, &key, name) {
        Ok(()) => {
            tracing::info!(target: "adb", path = %path.display(), "made a key");
            Ok(key)
        }
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => read(path),
        Err(cause) => Err(not_made(cause.to_string())),
    }
}

/// Writes a new key, readable by its owner alone, and its public half beside it. Makes the folder. Fails if the
/// file exists by now.
#[expect(
    clippy::disallowed_methods,
    reason = "the host's own key, which this program has just made"
)]
fn write_new(path: &Path, key: &PrivateKey, name: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // The file is private to its owner from the start, and gets its name once it is complete.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    key.write_pem(&mut file)?;
    file.flush()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    let mut public = path.as_os_str().to_owned();
    public.push(".pub");
    std::fs::write(public, key.public().line(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(folder: &Path) -> HostKeys {
        HostKeys {
            shared: Vec::new(),
            own: Some(folder.join(".android/adbkey")),
            name: "ada@desk".to_owned(),
        }
    }

    #[test]
    fn the_own_key_is_tried_however_many_are_shared() {
        let shared = || (0..100).chain(0..100).collect::<Vec<_>>();
        let keys = in_order(shared(), Some(&1000), |one, other| one == other);
        assert_eq!(keys.len(), MAX_KEYS);
        assert_eq!(keys.last(), Some(&1000));
        assert_eq!(
            in_order(vec![1, 1, 2], Some(&2), |one, other| one == other),
            [1, 2]
        );
    }

    #[test]
    fn a_missing_key_is_made_once_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let host = keys(folder.path());
        let made = host.load();
        let own = made.own.unwrap();
        assert_eq!(made.keys.len(), 1);
        let path = folder.path().join(".android/adbkey");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let line = std::fs::read_to_string(folder.path().join(".android/adbkey.pub")).unwrap();
        assert_eq!(line, own.public().line("ada@desk"));
        let again = host.load().own.unwrap();
        assert_eq!(again.public(), own.public());
    }

    #[test]
    fn shared_keys_come_first_and_bad_ones_are_told_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("keys");
        std::fs::create_dir(&shared).unwrap();
        let lab = shared.join("lab.adb_key");
        let other = make(&lab, "lab").unwrap();
        std::fs::write(shared.join("bad.adb_key"), "-----BEGIN x").unwrap();
        std::fs::write(shared.join("readme"), "no key").unwrap();
        let host = HostKeys {
            shared: vec![shared, folder.path().join("nowhere"), lab],
            ..keys(folder.path())
        };
        let ring = host.load();
        let public: Vec<_> = ring.keys.iter().map(|key| key.public()).collect();
        let own = ring.own.as_ref().unwrap();
        assert_eq!(public, [other.public(), own.public()]);
        let problems: Vec<String> = ring.problems.iter().map(ToString::to_string).collect();
        assert!(
            problems[0].contains("bad.adb_key is damaged"),
            "{problems:?}"
        );
        assert!(
            problems[1].contains("nowhere cannot be read"),
            "{problems:?}"
        );
    }

    #[test]
    fn a_damaged_key_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let host = keys(folder.path());
        let path = folder.path().join(".android/adbkey");
        std::fs::create_dir(folder.path().join(".android")).unwrap();
        for damage in [&b"half a ke"[..], &[0xff; 10]] {
            std::fs::write(&path, damage).unwrap();
            let refused = host.load().own.unwrap_err();
            assert!(matches!(refused, KeyError::Damaged { .. }), "{refused}");
            assert_eq!(std::fs::read(&path).unwrap(), damage);
        }
        let homeless = HostKeys::default().load().own.unwrap_err();
        assert!(homeless.to_string().contains("HOME"), "{homeless}");
    }
}

//! One run at a time on a device: a lock on a file that all processes of this user on this computer see. The system frees
//! it when its holder ends, however that ends.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::devices::{Address, Target};
use runner_device::adb::AdbServer;
use runner_text::input_file::{MAX_TEXT, read_text};

/// Longest note of a holder that is read.
const LONGEST_NOTE: u64 = 4096;
/// Longest name of a lease's file.
const LONGEST_NAME: usize = 160;

/// Where leases are, and who takes them.
#[derive(Debug, Clone)]
pub struct Leases {
    folder: Utf8PathBuf,
    /// Host and port of the adb server, as part of a device's name.
    server: String,
    holder: Holder,
}

/// Who holds a lease, for whoever comes second.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process.
    pub pid: u32,
    /// Computer.
    pub host: String,
    /// What it does: `runner test`.
    pub program: String,
    /// RFC 3339 with offset.
    pub since: String,
}

/// `runner test, process 4711 on build-3 since 2026-01-02T03:04:05+01:00`.
impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pid,
            host,
            program,
            since,
        } = self;
        write!(f, "{program}, process {pid} on {host} since {since}")
    }
}

/// A device that nobody else uses as long as this lives.
#[derive(Debug)]
#[must_use]
pub struct Lease {
    // The lock is the file's.
    _file: Option<File>,
}

/// Why there is no lease.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Somebody else has it.
    #[error("{}", .0.as_ref().map_or_else(|| "another process".to_owned(), ToString::to_string))]
    InUse(Option<Holder>),
    /// It cannot be asked for.
    #[error("{folder}: {source}")]
    Io {
        /// The folder of leases.
        folder: Utf8PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}

impl Lease {
    /// Of what needs none.
    pub fn none() -> Self {
        Self { _file: None }
    }
}

impl Leases {
    /// Leases in `folder` on devices of `server`, for `program`.
    pub fn new(folder: &Utf8Path, server: &AdbServer, program: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            server: format!("{}_{}", server_name(&server.host), server.port),
            holder: Holder {
                pid: std::process::id(),
                host: host_name(),
                program: program.to_owned(),
                since: String::new(),
            },
        }
    }

    /// Who takes them.
    pub fn holder(&self) -> Holder {
        let since = chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, false);
        Holder {
            since,
            ..self.holder.clone()
        }
    }

    /// Takes a device for this process. The built-in virtual device is nobody else's anyway.
    ///
    /// # Errors
    /// [`LeaseError`].
    pub fn take(&self, target: &Target) -> Result<Lease, LeaseError> {
        let Some(name) = self.name(&target.address) else {
            return Ok(Lease::none());
        };
        let fail = |source| LeaseError::Io {
            folder: self.folder.clone(),
            source,
        };
        make_own_folder(&self.folder).map_err(fail)?;
        let path = self.folder.join(file_name(&name));
        let mut file = open(&path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LeaseError::InUse(note(&mut file))),
            Err(TryLockError::Error(source)) => return Err(fail(source)),
        }
        write_note(&mut file, &self.holder()).map_err(fail)?;
        Ok(Lease { _file: Some(file) })
    }

    /// What a device is called among all that this computer reaches.
    fn name(&self, address: &Address) -> Option<String> {
        match address {
            // A server gives a device to one session at a time.
            Address::Virtual | Address::WebDriver { .. } => None,
            // The same way to it, whether an adb server goes it or this program.
            Address::Direct(address) => Some(place_name(address)),
            Address::Serial(serial) if super::devices::is_address(serial) => {
                Some(place_name(serial))
            }
            Address::Serial(serial) => Some(format!("{}-{serial}", self.server)),
            Address::Usb(serial) => Some(format!("usb-{serial}")),
        }
    }
}

/// A device by its host and port.
fn place_name(address: &str) -> String {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    format!("tcp-{}:{port}", server_name(&host.to_ascii_lowercase()))
}

/// All names of this computer are one.
fn server_name(host: &str) -> &str {
    match host {
        "127.0.0.1" | "::1" | "[::1]" => "localhost",
        other => other,
    }
}

/// A name as a file name; where that changes it, a hash distinguishes it from others.
fn file_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '-' | '_' => c,
            _ => '_',
        })
        .take(LONGEST_NAME)
        .collect();
    if plain == name {
        return plain;
    }
    let hash = runner_base::files::hash(name.as_bytes());
    format!("{plain}-{}", hash.get(..8).unwrap_or(&hash))
}

/// Makes the folder, and makes sure that nobody else could have put something there.
#[cfg(unix)]
fn make_own_folder(folder: &Utf8Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)?;
    for folder in folder.ancestors().take(2) {
        let about = fs_err::symlink_metadata(folder)?;
        // What others may write in is not one's own. The owner is this user where files can be made in it.
        if !about.is_dir() || about.mode() & 0o022 != 0 {
            return Err(std::io::Error::other(
                "this folder is not this user's alone",
            ));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_own_folder(folder: &Utf8Path) -> std::io::Result<()> {
    fs_err::create_dir_all(folder)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a lease is a file of this program's own"
)]
fn open(path: &Utf8Path) -> std::io::Result<File> {
    if path.is_symlink() {
        return Err(std::io::Error::other("it is a link"));
    }
    let file = fs_err::OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)?;
    Ok(file.into_parts().0)
}

/// What the holder wrote; nothing where it cannot be read, as on systems that lock reading too.
fn note(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.take(LONGEST_NOTE).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write_note(file: &mut File, holder: &Holder) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    serde_json::to_writer(&mut *file, holder)?;
    file.flush()
}

/// This computer's name, according to its files.
fn host_name() -> String {
    let message = ["/proc/sys/kernel/hostname", "/etc/hostname"]
        .into_iter()
        .find_map(|path| read_text(path, MAX_TEXT).ok());
    let name = message.unwrap_or_default().trim().to_owned();
    if name.is_empty() {
        "this computer".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::testing::target;

    fn server() -> AdbServer {
        AdbServer {
            host: "127.0.0.1".to_owned(),
            port: 5037,
            program: None,
        }
    }

    #[test]
    fn the_second_is_told_who_has_it_until_that_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().join("a/leases");
        let first = Leases::new(&folder, &server(), "runner test");
        let second = Leases::new(&folder, &server(), "runner mcp");
        let phone = target("R58", Address::Serial("R58".into()));
        let held = first.take(&phone).unwrap();
        let reported = second.take(&phone).unwrap_err().to_string();
        let process = format!("runner test, process {} on ", std::process::id());
        assert!(reported.starts_with(&process), "{reported}");
        // Another device, and another label of the same.
        let other = second.take(&target("a", Address::Serial("R59".into())));
        drop(other.unwrap());
        let renamed = target("b", Address::Serial("R58".into()));
        assert!(matches!(
            second.take(&renamed),
            Err(LeaseError::InUse(Some(_)))
        ));
        drop(held);
        drop(second.take(&phone).unwrap());
    }

    #[test]
    fn attack_a_device_has_one_name_whichever_way_it_is_reached() {
        let leases = Leases::new(Utf8Path::new("x"), &server(), "runner test");
        let mut localhost = server();
        localhost.host = "localhost".to_owned();
        let same = Leases::new(Utf8Path::new("x"), &localhost, "runner test");
        let name = |leases: &Leases, address| leases.name(&address);
        let serial = |serial: &str| Address::Serial(serial.to_owned());
        assert_eq!(name(&leases, serial("R58")), name(&same, serial("R58")));
        let straight = Address::Direct("10.0.0.7:5555".to_owned());
        assert_eq!(
            name(&leases, straight),
            name(&leases, serial("10.0.0.7:5555"))
        );
        let here = |host: &str| name(&leases, Address::Direct(format!("{host}:5555")));
        assert_eq!(here("127.0.0.1"), here("localhost"));
        assert_eq!(here("[::1]"), here("LOCALHOST"));
        assert_ne!(here("127.0.0.1"), here("127.0.0.2"));
        assert_eq!(name(&leases, Address::Virtual), None);
        assert_ne!(file_name("a:b"), file_name("a_b"));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_write_in_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap().join("leases");
        fs_err::create_dir(&folder).unwrap();
        let open = std::fs::Permissions::from_mode(0o777);
        fs_err::set_permissions(&folder, open).unwrap();
        let leases = Leases::new(&folder, &server(), "runner test");
        let phone = target("R58", Address::Serial("R58".into()));
        assert!(matches!(leases.take(&phone), Err(LeaseError::Io { .. })));
    }
}

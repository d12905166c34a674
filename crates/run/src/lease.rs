//! Leases that keep two runs off one device: a lock on a file that all processes of this user on this
//! computer see. The system releases it when its process ends, however that ends.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::devices::{Address, Target};
use runner_device::adb::AdbServer;
use runner_text::input_file::{MAX_TEXT, read_text};

/// Chosen: far above the JSON of a [`Holder`].
const MAX_NOTE_BYTES: u64 = 4096;
/// Chosen: with its suffix it stays below the 255 bytes that common file systems allow.
const MAX_FILE_NAME_BYTES: usize = 160;

/// Takes leases in one folder for one program.
#[derive(Debug, Clone)]
pub struct Leases {
    folder: Utf8PathBuf,
    /// Host and port of the adb server, as part of a device's name.
    server: String,
    holder: Holder,
}

/// Process that holds a lease, for the message to those who wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    /// Subcommand, such as `runner test`.
    pub program: String,
    /// Time in RFC 3339 with offset.
    pub since: String,
}

/// Formats as `runner test, process 4711 on build-3 since 2026-01-02T03:04:05+01:00`.
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

/// Exclusive use of a device until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Lease {
    // The lock ends when the file is closed.
    _file: Option<File>,
}

#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another process has the lease, or an earlier call of this one. `None` if the holder's note cannot be read.
    #[error("{}", .0.as_ref().map_or_else(|| "another process".to_owned(), ToString::to_string))]
    InUse(Option<Holder>),
    /// The folder or the lease file cannot be created, opened or locked, or other users may write to the folder.
    #[error("{folder}: {source}")]
    Io {
        folder: Utf8PathBuf,
        source: std::io::Error,
    },
}

impl Lease {
    /// Returns a lease for a device that needs none.
    pub fn none() -> Self {
        Self { _file: None }
    }
}

impl Leases {
    /// Creates leases in `folder` for devices of `server`. `program` is the holder's subcommand, for
    /// messages. Neither creates the folder nor takes a lease.
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

    /// Returns this process as the holder, with the current time.
    pub fn holder(&self) -> Holder {
        let since = chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, false);
        Holder {
            since,
            ..self.holder.clone()
        }
    }

    /// Takes a device for this process, at once or not at all, and writes the holder's note into the lease's file.
    /// Released when the result is dropped; the file stays. The built-in virtual device, which no other process can
    /// reach, and WebDriver devices, which servers lend, need no lease.
    ///
    /// # Errors
    /// [`LeaseError::InUse`] if another process or an earlier call of this one has it, with the holder if its note can
    /// be read. [`LeaseError::Io`] if the file cannot be made, or if other users may write to the folder.
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

    /// Returns the lease's name of a device: the same for an address through an adb server and directly. A
    /// serial number counts per server, and on USB by itself. `None` if it needs no lease.
    fn name(&self, address: &Address) -> Option<String> {
        match address {
            // A server gives a device to one session at a time.
            Address::Virtual | Address::WebDriver { .. } => None,
            // The name is the same whether an adb server connects to the address or this program.
            Address::Direct(address) => Some(place_name(address)),
            Address::Serial(serial) if super::devices::is_address(serial) => {
                Some(place_name(serial))
            }
            Address::Serial(serial) => Some(format!("{}-{serial}", self.server)),
            Address::Usb(serial) => Some(format!("usb-{serial}")),
        }
    }
}

/// Returns the name of a device at a host and port.
fn place_name(address: &str) -> String {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    format!("tcp-{}:{port}", server_name(&host.to_ascii_lowercase()))
}

/// Maps the loopback addresses to `localhost`. Any other name stays, also this computer's own.
fn server_name(host: &str) -> &str {
    match host {
        "127.0.0.1" | "::1" | "[::1]" => "localhost",
        other => other,
    }
}

/// Converts a name to a file name: other characters than ASCII letters, digits, `.`, `-` and `_` become `_`, and it is
/// cut to 160 bytes. If that changes it, a hash of eight digits is added, so that it stays distinct from others.
fn file_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '-' | '_' => c,
            _ => '_',
        })
        .take(MAX_FILE_NAME_BYTES)
        .collect();
    if plain == name {
        return plain;
    }
    let hash = runner_base::files::hash(name.as_bytes());
    format!("{plain}-{}", hash.get(..8).unwrap_or(&hash))
}

/// Creates the folder for this user alone, with missing folders above, and checks that others can write neither to it
/// nor to the folder above: another user could have put a file there. Links are refused.
#[cfg(unix)]
fn make_own_folder(folder: &Utf8Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)?;
    for folder in folder.ancestors().take(2) {
        let about = fs_err::symlink_metadata(folder)?;
        // Refuse a folder that others may write to. If files can be created in it, its owner is this user.
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

/// Opens the lease's file for reading and writing, and creates it if missing. Its text stays. A link is refused.
#[expect(
    clippy::disallowed_methods,
    reason = "the allowed functions write whole files; a lease needs an open file to lock"
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

/// Reads the holder's note. None if it cannot be read, as on systems that lock reading too.
fn note(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.take(MAX_NOTE_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Replaces the file's text with the holder as JSON.
fn write_note(file: &mut File, holder: &Holder) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    serde_json::to_writer(&mut *file, holder)?;
    file.flush()
}

/// Returns this computer's name from the system's files, or `this computer`.
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

//! Kinds of things that may stand where a file is named.

use std::any::Any;
use std::fs::File;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::common::Ran;

/// Size of a file larger than any of its kind. It is sparse.
const TOO_LARGE: u64 = 8 * 1024 * 1024 * 1024;

/// Exit code if the virtual device cannot be started, as with an app that it cannot run.
const DEVICE_FAULT: i32 = 3;

/// Kind of thing at a file's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Missing,
    Folder,
    Fifo,
    Zero,
    Dangling,
    Outside,
    Socket,
    TooLarge,
    NotText,
    Empty,
    Unreadable,
}

impl Kind {
    /// Iterates over the kinds that can be made here: root can read everything.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = [
            Self::Missing,
            Self::Folder,
            Self::Fifo,
            Self::Zero,
            Self::Dangling,
            Self::Outside,
            Self::Socket,
            Self::TooLarge,
            Self::NotText,
            Self::Empty,
            Self::Unreadable,
        ];
        let is_root = File::open("/etc/shadow").is_ok();
        kinds
            .into_iter()
            .filter(move |kind| *kind != Self::Unreadable || !is_root)
    }

    /// Puts a thing of this kind at `path`. It lasts as long as the returned value.
    pub fn put(self, path: &Path) -> Option<Box<dyn Any + Send>> {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.symlink_metadata().is_ok() {
            std::fs::remove_file(path).unwrap();
        }
        match self {
            Self::Missing => {}
            Self::Folder => std::fs::create_dir(path).unwrap(),
            Self::Fifo => {
                let made = Command::new("mkfifo").arg(path).status().unwrap();
                assert!(made.success());
            }
            Self::Zero => symlink("/dev/zero", path).unwrap(),
            Self::Dangling => symlink("nowhere-at-all", path).unwrap(),
            Self::Outside => {
                let outside = tempfile::NamedTempFile::new().unwrap();
                symlink(outside.path(), path).unwrap();
                return Some(Box::new(outside));
            }
            Self::Socket => {
                // The path of a socket has at most 108 bytes.
                let folder = tempfile::tempdir().unwrap();
                let made = folder.path().join("s");
                let socket = UnixListener::bind(&made).unwrap();
                std::fs::rename(made, path).unwrap();
                return Some(Box::new(socket));
            }
            Self::TooLarge => File::create(path).unwrap().set_len(TOO_LARGE).unwrap(),
            Self::NotText => std::fs::write(path, b"a: \xff\xfe\n").unwrap(),
            Self::Empty => std::fs::write(path, "").unwrap(),
            Self::Unreadable => {
                std::fs::write(path, "a").unwrap();
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
            }
        }
        None
    }

    /// Returns texts of which the message must hold one.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Folder => &["folder", "directory"],
            Self::Fifo => &["FIFO"],
            Self::Zero => &[
                "device",
                "larger",
                "at most",
                "by a link",
                "out of the",
                "outside the",
            ],
            Self::Dangling => &["link that leads nowhere", "link leads nowhere"],
            Self::Outside => &[
                "link",
                "out of the",
                "outside the",
                "empty",
                "archive",
                "APK",
                "begin",
                "not",
                "no ",
            ],
            Self::Socket => &["socket"],
            Self::TooLarge => &["larger", "too large", "at most"],
            Self::Unreadable => &["ermission"],
            // The format's own words.
            Self::Missing | Self::NotText | Self::Empty => &[""],
        }
    }

    /// Returns true if the message must name the file: the file itself is wrong, not its content.
    fn has_place(self) -> bool {
        !matches!(self, Self::NotText | Self::Empty | Self::Outside)
    }

    /// Returns the reason why the program's reaction is wrong, or `None` if it is right.
    pub fn wrong_words(self, ran: &Ran, name: &str, fine: &[Self]) -> Option<String> {
        if ran.code == 0 && fine.contains(&self) {
            return None;
        }
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let why = if fine.contains(&self) && ![0, 1, 2].contains(&ran.code) {
            "another exit code"
        } else if !fine.contains(&self) && ![1, 2, DEVICE_FAULT].contains(&ran.code) {
            "it is taken"
        } else if !said.contains(name) && !fine.contains(&self) && self.has_place() {
            "the file is not named"
        } else if !fine.contains(&self) && !self.words().iter().any(|words| said.contains(words)) {
            "it does not say what is there"
        } else {
            return None;
        };
        Some(format!("{why}: exit code {}\n{said}", ran.code))
    }
}

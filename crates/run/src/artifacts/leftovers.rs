//! Folders that earlier runs left for a case among the artifacts.

use std::collections::HashSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

/// Facts that tell the folders that earlier runs left for a case from those of this run.
#[derive(Debug, Clone)]
pub(super) struct Leftovers {
    /// Folder around all turns of the case, below the artifacts.
    pub(super) case: Utf8PathBuf,
    /// Folder of the attempts of this turn, below the artifacts.
    pub(super) attempts: Utf8PathBuf,
    pub(super) attempt: u32,
    pub(super) turn: Option<u32>,
    /// Name of the device in paths, and those of all devices of the run.
    pub(super) device: String,
    pub(super) run_devices: Arc<[String]>,
    pub(super) used: Arc<HashSet<Utf8PathBuf>>,
}

impl Leftovers {
    /// Returns the folders of attempts, below `base`, that this run cannot have yet: at the first attempt the later ones
    /// on this device; at that of the first turn those of turns that the run has not, and with turns those of none.
    pub(super) fn find(&self, base: &Utf8Path) -> Vec<Utf8PathBuf> {
        if self.attempt != 1 {
            return Vec::new();
        }
        let own = std::slice::from_ref(&self.device);
        let later = names_in(base, &self.attempts).into_iter();
        let later = later.filter(|name| is_attempt_on(name, own));
        let later = later.map(|name| self.attempts.join(name));
        let later = later.filter(|folder| !self.used.contains(folder));
        let mut found: Vec<Utf8PathBuf> = later.map(|folder| base.join(folder)).collect();
        if self.turn.is_none_or(|turn| turn == 1) {
            found.extend(self.find_turns(base));
        }
        found
    }

    fn find_turns(&self, base: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut found = Vec::new();
        for name in names_in(base, &self.case) {
            let folder = self.case.join(&name);
            if self.used.contains(&folder) {
                continue;
            }
            if self.turn.is_some() && self.is_attempt(&name) {
                found.push(base.join(folder));
            } else if name.strip_prefix("turn-").is_some_and(is_number) {
                let attempts = names_in(base, &folder);
                let attempts = attempts.iter().filter(|name| self.is_attempt(name));
                found.extend(attempts.map(|name| base.join(&folder).join(name)));
            }
        }
        found
    }

    fn is_attempt(&self, name: &str) -> bool {
        is_attempt_on(name, &self.run_devices)
            || is_attempt_on(name, std::slice::from_ref(&self.device))
    }
}

/// Returns the names of the entries of `folder`, which is below `base`. None if it cannot be read, or if it or a
/// folder around it is a link: a run never put one there, so what it leads to is a person's.
fn names_in(base: &Utf8Path, folder: &Utf8Path) -> Vec<String> {
    let folder = base.join(folder);
    if no_folder(base, &folder).is_some() {
        return Vec::new();
    }
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_owned()).collect()
}

/// Removes a folder below `base` with all that it holds. A missing one is no error. A file, a link and what lies
/// below a link are no run's: they stay, and are an error.
pub(super) fn remove_folder(base: &Utf8Path, folder: &Utf8Path) -> std::io::Result<()> {
    if let Some(foreign) = no_folder(base, folder) {
        return Err(std::io::Error::other(format!(
            "{foreign} is a link or a file, and stays"
        )));
    }
    match fs_err::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the first part of the path, below `base`, that exists and is no folder, as a link is none. `base` itself
/// may be a link: a person names it.
fn no_folder(base: &Utf8Path, folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut path = base.to_owned();
    for part in folder.strip_prefix(base).unwrap_or(folder) {
        path.push(part);
        // Links are not followed.
        let kind = path.symlink_metadata().ok()?;
        if !kind.is_dir() {
            return Some(path);
        }
    }
    None
}

/// Returns true for the name of an attempt's folder on one of the devices, such as `virtual-2`.
pub(super) fn is_attempt_on(name: &str, devices: &[String]) -> bool {
    let number = |device: &String| name.strip_prefix(device.as_str())?.strip_prefix('-');
    let mut numbers = devices.iter().filter_map(number);
    numbers.any(is_number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

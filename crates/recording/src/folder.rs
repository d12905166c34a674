//! Folders and names of recordings: one folder a run, below `recordings` in the history's folder.
//!
//! A file name begins with a hash of its flow and case, so that the recordings of one flow are found without
//! opening others.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use camino::{Utf8Path, Utf8PathBuf};

use runner_base::files;
use runner_event::{CaseId, FlowId};
use runner_history::{RECORDINGS_FOLDER, RUN_ID_SEPARATOR};

/// Suffix of a finished recording.
pub const EXTENSION: &str = "recording.gz";
/// Suffix of a recording that is being written, or whose run was killed.
const PART: &str = "part";
/// Part of the name of a finished recording whose attempt passed.
const PASSED: &str = "passed";
/// Chosen: runs that are kept.
const MAX_RUNS: usize = 100;
/// Chosen: age at which a run is removed. A month of runs is enough to compare with.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);
/// Chosen: bytes of all runs together, and of one, so that the history does not fill a disk.
pub const MAX_RUN_BYTES: u64 = 1 << 30;
/// Chosen: folders that are searched below one that a person names, which may be any.
const MAX_FOLDERS: usize = 10_000;
/// Chosen: digits of the hash of a flow's name. A collision does no harm, as a reader also compares the name
/// in the file.
const HASH_DIGITS: usize = 16;

/// Folder of a run's recordings.
#[derive(Debug, Clone)]
pub struct RunFolder(Utf8PathBuf);

impl RunFolder {
    /// Returns the folder of a run that begins now. It is created with its first file.
    pub fn new(history: &Utf8Path, run_id: &str) -> Self {
        let time = chrono::Utc::now().format("%Y%m%dT%H%M%S%3fZ");
        let id: String = run_id.chars().filter(char::is_ascii_alphanumeric).collect();
        Self(history.join(RECORDINGS_FOLDER).join(format!("{time}-{id}")))
    }

    /// Returns the path of an attempt's file while it is written. Creates nothing. The name is made from case,
    /// device, turn and number of the attempt, so that each attempt has its own.
    pub fn part(&self, id: &FlowId) -> Utf8PathBuf {
        // A device's label may be a path or an address.
        let mut device = files::hash(id.device.as_bytes());
        device.truncate(HASH_DIGITS / 2);
        let repeat = id.repeat.unwrap_or_default();
        let stem = stem(&id.case_id());
        self.0
            .join(format!("{stem}-{device}-{repeat}-{}.{PART}", id.attempt))
    }
}

/// Renames a complete file to its final name, which says if the attempt passed, and returns the new path. Replaces a
/// file that has the name already.
///
/// # Errors
/// The file cannot be renamed.
pub fn finish(part: &Utf8Path, passed: bool) -> std::io::Result<Utf8PathBuf> {
    let status = if passed { PASSED } else { "failed" };
    let path = part.with_extension(format!("{status}.{EXTENSION}"));
    fs_err::rename(part, &path)?;
    Ok(path)
}

/// Returns the beginning of the file names of a case: 16 hex digits of a hash. All turns of `--repeat-each` share it.
fn stem(case: &CaseId) -> String {
    let case = CaseId {
        repeat: None,
        ..case.clone()
    };
    let mut hash = files::hash(case.to_string().as_bytes());
    hash.truncate(HASH_DIGITS);
    hash
}

/// Returns the paths of recordings of a case, newest run first; those of one run by name. With `passed`, only of
/// attempts that passed, else of all. Files that are still written are left out. The files are not opened, so another
/// case with the same hash may be among them. Empty if the history cannot be read.
pub fn find(history: &Utf8Path, case: &CaseId, passed: bool) -> impl Iterator<Item = Utf8PathBuf> {
    let (stem, mut runs) = (stem(case), runs(history));
    runs.reverse();
    let ending = if passed {
        format!("{PASSED}.{EXTENSION}")
    } else {
        EXTENSION.to_owned()
    };
    runs.into_iter().flat_map(move |run| {
        let mut files: Vec<Utf8PathBuf> = entries(&run)
            .filter(|path| {
                let name = path.file_name().unwrap_or_default();
                name.starts_with(&stem) && name.ends_with(&ending)
            })
            .collect();
        files.sort_unstable();
        files
    })
}

/// Recordings of attempts that passed in the runs before one. Each folder is listed once in a run: listing them
/// for each flow took more time than the flows from some thousand on (measured on 2026-11-30).
#[derive(Debug)]
pub struct EarlierRecordings {
    /// Folders that are not listed yet, oldest first.
    unread: Vec<Utf8PathBuf>,
    /// Paths in the newest run that has the case, by name.
    by_stem: HashMap<String, Vec<Utf8PathBuf>>,
}

impl EarlierRecordings {
    /// Returns the recordings of all runs in the history but `run`. Only the names of the runs are read here.
    pub fn new(history: &Utf8Path, run: &RunFolder) -> Self {
        let mut unread = runs(history);
        unread.retain(|folder| *folder != run.0);
        Self {
            unread,
            by_stem: HashMap::new(),
        }
    }

    /// Returns the recordings of a case in the newest run that has any that passed, by name. They are empty if
    /// no run has. Lists folders, newest first, until one has the case. The files are not opened, and a file of
    /// another case whose hash is the same may be among them.
    pub fn find(&mut self, case: &CaseId) -> &[Utf8PathBuf] {
        let stem = stem(case);
        while !self.by_stem.contains_key(&stem) {
            let Some(run) = self.unread.pop() else {
                return &[];
            };
            self.read(&run);
        }
        &self.by_stem[&stem]
    }

    /// Adds the recordings of a run of cases that no newer run has.
    fn read(&mut self, run: &Utf8Path) {
        let ending = format!(".{PASSED}.{EXTENSION}");
        let mut of_run: HashMap<String, Vec<Utf8PathBuf>> = HashMap::new();
        for path in entries(run).filter(|path| path.as_str().ends_with(&ending)) {
            if let Some(stem) = path.file_name().and_then(|name| name.get(..HASH_DIGITS)) {
                of_run.entry(stem.to_owned()).or_default().push(path);
            }
        }
        for (stem, mut paths) in of_run {
            paths.sort_unstable();
            self.by_stem.entry(stem).or_insert(paths);
        }
    }
}

/// Returns the paths of recordings of all cases of a run, sorted, without those that are still written; of a merged
/// run, those of the runs that it was made of. A run's own id must be all letters and digits, as others are left out of
/// the folder's name. A run that does not exist has none.
pub fn run_files(history: &Utf8Path, run_id: &str) -> Vec<Utf8PathBuf> {
    let is_of_run = |folder: &Utf8PathBuf| {
        let name = folder.file_name().unwrap_or_default();
        let id = name.split_once('-').map(|(_, id)| id);
        id.is_some_and(|id| run_id.split(RUN_ID_SEPARATOR).any(|of_run| of_run == id))
    };
    let folders = runs(history).into_iter().filter(is_of_run);
    let mut files: Vec<Utf8PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.retain(|path| path.as_str().ends_with(EXTENSION));
    files.sort_unstable();
    files
}

/// Returns the paths of recordings of a case in a folder that a person names and those below it, last path first, of
/// passed and failed attempts. A path that is no folder is returned alone, without a check that it exists or is a
/// recording. Links to folders are not followed, and at most 10,000 folders are searched. Empty if none is found.
pub fn find_below(path: &Utf8Path, case: &CaseId) -> Vec<Utf8PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let (stem, mut found, mut folders) = (stem(case), Vec::new(), vec![path.to_owned()]);
    // The person may name any folder, so the search is limited.
    for _ in 0..MAX_FOLDERS {
        let Some(folder) = folders.pop() else {
            break;
        };
        for path in entries(&folder) {
            let is_link = path.symlink_metadata().is_ok_and(|it| it.is_symlink());
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() && !is_link {
                folders.push(path);
            } else if name.starts_with(&stem) && name.ends_with(EXTENSION) {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    found.reverse();
    found
}

/// Returns the folders of runs, oldest first.
fn runs(history: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut runs: Vec<Utf8PathBuf> = entries(&history.join(RECORDINGS_FOLDER)).collect();
    runs.sort_unstable();
    runs
}

fn entries(folder: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> + use<> {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    entries.map(camino::Utf8DirEntry::into_path)
}

/// Removes the folders of the oldest runs until there are at most 100, none is older than 30 days and all together
/// have at most 1 GiB. Runs count by the time in their names, their age by the last change of the folder. It does not
/// ask if a run is still going on: that one stays only because it is new. Errors are ignored.
pub fn prune(history: &Utf8Path) {
    let now = SystemTime::now();
    let mut bytes = 0;
    for (place, run) in runs(history).into_iter().rev().enumerate() {
        bytes += size(&run);
        let began = run.metadata().and_then(|data| data.modified());
        let is_old = began.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > MAX_AGE));
        if place >= MAX_RUNS || is_old || bytes > MAX_RUN_BYTES {
            // Another run may have removed it at the same time.
            let _ = fs_err::remove_dir_all(&run);
        }
    }
}

fn size(run: &Utf8Path) -> u64 {
    let sizes = entries(run).filter_map(|path| Some(path.symlink_metadata().ok()?.len()));
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(history: &Utf8Path, run: &str, flow: &str, passed: bool) -> Utf8PathBuf {
        let id = CaseId::from(Utf8Path::new(flow)).attempt("emulator-5554", 1);
        let part = RunFolder::new(history, run).part(&id);
        fs_err::create_dir_all(part.parent().unwrap()).unwrap();
        fs_err::write(&part, "x").unwrap();
        // Folder names begin with the time.
        std::thread::sleep(Duration::from_millis(2));
        finish(&part, passed).unwrap()
    }

    #[test]
    fn recordings_of_a_flow_are_found_newest_first() {
        let folder = tempfile::tempdir().unwrap();
        let history = Utf8Path::from_path(folder.path()).unwrap();
        let first = record(history, "1", "flows/a.yaml", true);
        let failed = record(history, "2", "flows/a.yaml", false);
        record(history, "2", "flows/b.yaml", true);
        let case = CaseId::from(Utf8Path::new("flows/a.yaml"));
        let found = |passed| find(history, &case, passed).collect::<Vec<_>>();
        assert_eq!(found(false), [failed, first.clone()]);
        assert_eq!(found(true), [first]);
    }

    #[test]
    fn earlier_recordings_are_of_the_newest_other_run_that_passed() {
        let folder = tempfile::tempdir().unwrap();
        let history = Utf8Path::from_path(folder.path()).unwrap();
        let oldest = record(history, "1", "flows/b.yaml", true);
        record(history, "2", "flows/a.yaml", true);
        let newest = record(history, "3", "flows/a.yaml", true);
        record(history, "4", "flows/a.yaml", false);
        let own = record(history, "5", "flows/a.yaml", true);
        let run = RunFolder(own.parent().unwrap().to_owned());
        let mut earlier = EarlierRecordings::new(history, &run);
        let mut find = |flow| earlier.find(&CaseId::from(Utf8Path::new(flow))).to_vec();
        assert_eq!(find("flows/a.yaml"), std::slice::from_ref(&newest));
        assert_eq!(find("flows/b.yaml"), [oldest]);
        assert!(find("flows/c.yaml").is_empty());
        assert_eq!(find("flows/a.yaml"), [newest], "it is found again");
    }

    #[test]
    fn a_merged_run_has_the_recordings_of_its_runs() {
        let folder = tempfile::tempdir().unwrap();
        let history = Utf8Path::from_path(folder.path()).unwrap();
        let first = record(history, "1", "flows/a.yaml", false);
        let second = record(history, "2", "flows/a.yaml", true);
        record(history, "12", "flows/a.yaml", true);
        assert_eq!(run_files(history, "1+2"), [first.clone(), second]);
        assert_eq!(run_files(history, "1"), [first]);
        assert!(run_files(history, "3").is_empty());
    }

    #[test]
    fn a_run_lists_each_folder_once() {
        let folder = tempfile::tempdir().unwrap();
        let history = Utf8Path::from_path(folder.path()).unwrap();
        let path = record(history, "1", "flows/a.yaml", true);
        let run = RunFolder::new(history, "2");
        let mut earlier = EarlierRecordings::new(history, &run);
        earlier.find(&CaseId::from(Utf8Path::new("flows/a.yaml")));
        fs_err::remove_dir_all(path.parent().unwrap()).unwrap();
        let found = earlier.find(&CaseId::from(Utf8Path::new("flows/a.yaml")));
        assert_eq!(found, [path], "the folder was not listed again");
    }

    #[test]
    fn only_so_many_runs_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let history = Utf8Path::from_path(folder.path()).unwrap();
        for run in 0..MAX_RUNS + 3 {
            let name = format!("2026{run:04}T000000000Z-aa");
            fs_err::create_dir_all(history.join(RECORDINGS_FOLDER).join(name)).unwrap();
        }
        prune(history);
        let left = runs(history);
        assert_eq!(left.len(), MAX_RUNS);
        assert!(left[0].as_str().contains("20260003T"));
    }
}

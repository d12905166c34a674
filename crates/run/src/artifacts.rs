//! Folders for the files that a run leaves, one an attempt:
//! `<artifacts>/<flow>[/<case>][/turn-<n>]/<device>-<attempt>/…`.

mod leftovers;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use self::leftovers::{Leftovers, is_attempt_on, remove_folder};
use crate::plan::{Plan, PlannedCase};
use runner_base::files::{hash, normal_parts, unused, write_atomic, write_beside};
use runner_base::output_file::{OutputError, claim_folder};
use runner_event::{Artifact, ArtifactKind, CaseId, FlowId};
use runner_text::input_file::{MAX_SENT, read_regular};
use runner_text::secret::Scrubber;
use runner_tools::{Failure, paths};

/// Marker file that says a folder was written by a run, so that the next run may empty it.
const MARK: &str = ".runner-artifacts";

/// Folder of the goldens that a run proposes but may not write itself, as in CI. It has one folder a device.
pub const PROPOSED_GOLDENS: &str = "proposed-goldens";

/// Assigns a folder name to each case and device of a run. A name is plain, such as `flows/login`; a hash is
/// added only where two would share a folder, or where one would lie in a folder that another empties.
#[derive(Debug, Default)]
pub struct ArtifactNames {
    cases: HashMap<CaseId, Utf8PathBuf>,
    devices: HashMap<String, String>,
    /// Names of all devices of the run.
    run_devices: Arc<[String]>,
    /// Folders of all cases of the run, and the folders around them.
    used: Arc<HashSet<Utf8PathBuf>>,
}

impl ArtifactNames {
    /// Assigns names to all cases and all device labels of a run. Only names that would collide get a hash: labels
    /// that differ only in replaced characters, except one without such characters, cases with the same plain path,
    /// and cases whose folder holds one that looks like another case's attempt. Creates no folders.
    pub fn new(cases: &[CaseId], labels: &[&str]) -> Self {
        let mut plain_devices: HashMap<String, usize> = HashMap::new();
        for label in labels {
            *plain_devices.entry(plain_device(label)).or_default() += 1;
        }
        let devices = labels.iter().filter_map(|label| {
            let plain = plain_device(label);
            let is_taken = plain != **label && plain_devices.get(&plain) > Some(&1);
            is_taken.then(|| ((*label).to_owned(), with_hash(&plain, label)))
        });
        let devices: HashMap<String, String> = devices.collect();

        let mut plain_cases: HashMap<Utf8PathBuf, usize> = HashMap::new();
        for case in cases {
            *plain_cases.entry(plain_case(case)).or_default() += 1;
        }
        let attempts: Vec<String> = labels
            .iter()
            .map(|label| devices.get(*label).cloned())
            .zip(labels)
            .map(|(name, label)| name.unwrap_or_else(|| plain_device(label)))
            .collect();
        let is_attempt = |name: &str| is_attempt_on(name, &attempts);
        // `shop.yaml` on `virtual` empties `shop/virtual-1`, where `shop/virtual-1.yaml` would keep its own.
        let holders: HashSet<&Utf8Path> = plain_cases
            .keys()
            .flat_map(|case| case.ancestors())
            .filter(|folder| folder.file_name().is_some_and(is_attempt))
            .filter_map(Utf8Path::parent)
            .collect();
        let named = cases.iter().filter_map(|case| {
            let plain = plain_case(case);
            let is_taken = plain_cases.get(&plain) > Some(&1) || holders.contains(plain.as_path());
            is_taken.then(|| (case.clone(), hashed_case(case)))
        });
        let mut names = Self {
            cases: named.collect(),
            devices,
            run_devices: attempts.into(),
            used: Arc::default(),
        };
        let folders = cases.iter().map(|case| names.case(case));
        let used = folders.flat_map(|folder| {
            folder
                .ancestors()
                .map(Utf8Path::to_owned)
                .collect::<Vec<_>>()
        });
        names.used = Arc::new(used.collect());
        names
    }

    /// Returns the folder of a case below the artifacts: its assigned name, or for any other case the plain one.
    fn case(&self, id: &CaseId) -> Utf8PathBuf {
        let name = self.cases.get(id);
        name.cloned().unwrap_or_else(|| plain_case(id))
    }

    /// Returns the name of a device in paths: its assigned one, or for any other label the plain one.
    fn device(&self, label: &str) -> String {
        let name = self.devices.get(label);
        name.cloned().unwrap_or_else(|| plain_device(label))
    }
}

/// Returns the path of a case's folder without a hash: the flow's path without its extension, then the case's
/// name, then `turn-N` for a repetition. `..` of a flow outside the root is left out, so that its files stay
/// inside the artifact folder.
fn plain_case(id: &CaseId) -> Utf8PathBuf {
    let mut plain = normal_parts(&id.flow.with_extension(""));
    if let Some(case) = &id.case {
        plain.push(case.as_str());
    }
    if let Some(turn) = id.repeat {
        plain.push(format!("turn-{turn}"));
    }
    plain
}

/// Returns the path of a case's folder if the plain one would collide: with a hash of the case.
fn hashed_case(id: &CaseId) -> Utf8PathBuf {
    with_hash(plain_case(id).as_str(), &id.to_string()).into()
}

/// Returns the folder around all turns of a case, or the case's own if it has none.
fn without_turn(id: &CaseId) -> Utf8PathBuf {
    plain_case(&CaseId {
        repeat: None,
        ..id.clone()
    })
}

/// Replaces each character of a label but ASCII letters, digits and `-` by `_`, such as the colon of
/// `10.0.0.7:5555`. Different labels may get the same result.
fn plain_device(label: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    label.chars().map(plain).collect()
}

fn with_hash(plain: &str, whole: &str) -> String {
    let hash = hash(whole.as_bytes());
    format!("{plain}-{}", hash.get(..8).unwrap_or(&hash))
}

#[derive(Debug, thiserror::Error)]
pub enum ArtifactsError {
    /// The folder of a flow has files, and no run has marked the artifact folder as its own.
    #[error(
        "{folder} is not empty, and a run replaces what is there; give {option} another path, or move its files"
    )]
    Foreign {
        /// The flow's folder that is not empty.
        folder: Utf8PathBuf,
        /// Option or key that names the artifact folder.
        option: String,
    },
    /// The artifact folder cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Claims the artifact folder `base` for a plan and marks it. `option` is the option or key that named it,
/// for errors.
///
/// A run empties the folders of its own flows. In a folder without the mark those must be empty already.
///
/// # Errors
/// [`ArtifactsError`].
pub fn claim_artifacts(base: &Utf8Path, plan: &Plan, option: &str) -> Result<(), ArtifactsError> {
    claim(base, plan.cases.iter().map(PlannedCase::id), option)
}

/// Returns true if `file` lies below `base` in a folder of a case of the plan, or of its turns, which a run empties.
/// Compares the paths as they are written.
pub fn is_emptied(base: &Utf8Path, plan: &Plan, file: &Utf8Path) -> bool {
    let mut cases = plan.cases.iter().map(PlannedCase::id);
    cases.any(|case| lies_in_case(base, &case, file))
}

fn lies_in_case(base: &Utf8Path, case: &CaseId, file: &Utf8Path) -> bool {
    let mut folders = emptied_folders(case).into_iter();
    folders.any(|folder| file.starts_with(base.join(folder)))
}

/// Returns the folders below the artifacts that a run of a case may empty. Which of them it takes depends on the other
/// cases and on the devices.
fn emptied_folders(case: &CaseId) -> [Utf8PathBuf; 2] {
    [without_turn(case), hashed_case(case)]
}

/// Claims `base` as a folder for artifacts, which it creates, and leaves a mark file in it. A folder that already has
/// the mark is taken as it is. Otherwise fails, without a mark, if a folder that one of the cases may empty holds
/// anything: files of somebody else would be removed. Removes nothing itself. `option` names the setting for errors.
fn claim(
    base: &Utf8Path,
    cases: impl IntoIterator<Item = CaseId>,
    option: &str,
) -> Result<(), ArtifactsError> {
    claim_folder(base, option)?;
    let mark = base.join(MARK);
    if mark.is_file() {
        return Ok(());
    }
    for folder in cases.into_iter().flat_map(|case| emptied_folders(&case)) {
        let folder = base.join(folder);
        let mut entries = folder.read_dir_utf8().into_iter().flatten();
        if entries.next().is_some() {
            return Err(ArtifactsError::Foreign {
                folder,
                option: option.to_owned(),
            });
        }
    }
    write_atomic(&mark, b"").map_err(|source| {
        let path = base.to_owned();
        let option = option.to_owned();
        ArtifactsError::Output(OutputError::Unwritable {
            path,
            option,
            source,
        })
    })
}

/// Folder of one attempt. It is created when the first file is written.
#[derive(Debug, Clone)]
pub struct ArtifactFolder {
    base: Utf8PathBuf,
    folder: Utf8PathBuf,
    proposed: Utf8PathBuf,
    scrubber: Scrubber,
    leftovers: Leftovers,
}

impl ArtifactFolder {
    /// Returns the folder of attempt `id` below `base`: CASE/DEVICE-ATTEMPT. Neither creates nor empties it.
    pub fn new(base: &Utf8Path, names: &ArtifactNames, id: &FlowId, scrubber: Scrubber) -> Self {
        let (case, device) = (names.case(&id.case_id()), names.device(&id.device));
        let folder = base.join(&case).join(format!("{device}-{}", id.attempt));
        let leftovers = Leftovers {
            case: without_turn(&id.case_id()),
            attempts: case,
            attempt: id.attempt,
            turn: id.repeat,
            device: device.clone(),
            run_devices: Arc::clone(&names.run_devices),
            used: Arc::clone(&names.used),
        };
        Self {
            base: base.to_owned(),
            folder,
            proposed: base.join(PROPOSED_GOLDENS).join(device),
            scrubber,
            leftovers,
        }
    }

    /// Path of the folder, for tools that write files themselves.
    pub fn path(&self) -> &Utf8Path {
        &self.folder
    }

    /// Removes the folder of this attempt with all that an earlier run left in it. The first attempt of a case also
    /// removes the later ones on its device, and those of turns that the run has not, on all of the run's devices. A
    /// missing folder is no error. Proposed goldens and attempts of this run stay, and so do links with what they
    /// lead to, and files in place of a folder.
    ///
    /// # Errors
    /// The first of the file system's, and a link or a file that stays. What else is to go is removed all the same.
    pub fn clean(&self) -> std::io::Result<()> {
        let mut cleaned = Ok(());
        for folder in self.leftovers.find(&self.base) {
            cleaned = cleaned.and(remove_folder(&self.base, &folder));
            // The turn's own folder, if nothing of another device is in it.
            if let Some(turn) = folder.parent() {
                let _ = fs_err::remove_dir(turn);
            }
        }
        cleaned.and(remove_folder(&self.base, &self.folder))
    }

    /// Writes bytes, as they are, to the file `name`, and creates the folder. If the attempt has a file of that name,
    /// as from a step that ran before, the new one is `NAME-2`, and so on: events name the old one. The artifact has
    /// the new path.
    ///
    /// # Errors
    /// The file system's.
    pub fn write(&self, kind: ArtifactKind, name: &str, bytes: &[u8]) -> std::io::Result<Artifact> {
        fs_err::create_dir_all(&self.folder)?;
        let path = write_beside(&self.folder.join(name), bytes)?;
        Ok(self.describe(kind, &path, bytes))
    }

    /// Returns `base`, or `base-2`, `base-3` and so on: the first for which no file with `extension` exists in this
    /// folder. Only that extension is looked for. The name has no extension, and `/` on every system. Creates
    /// nothing.
    pub fn unused_name(&self, base: &str, extension: &str) -> String {
        let path = unused(&self.folder.join(format!("{base}.{extension}")));
        let name = path.strip_prefix(&self.folder).unwrap_or(&path);
        // Links of reports have `/` on every system.
        let name = name.as_str().replace('\\', "/");
        let suffix = format!(".{extension}");
        name.strip_suffix(&suffix).unwrap_or(base).to_owned()
    }

    /// Writes text to a file, with its secrets masked. The name is chosen as for [`Self::write`].
    ///
    /// # Errors
    /// The file system's.
    pub fn write_text(
        &self,
        kind: ArtifactKind,
        name: &str,
        text: &str,
    ) -> std::io::Result<Artifact> {
        self.write(kind, name, self.scrubber.scrub_outside(text).as_bytes())
    }

    /// Writes a proposed golden of this device, and replaces one that is there. `below` is its path below the folder
    /// of goldens.
    ///
    /// # Errors
    /// The file system's.
    pub fn write_proposal(&self, below: &Utf8Path, bytes: &[u8]) -> std::io::Result<Artifact> {
        let path = self.proposed.join(normal_parts(below));
        write_atomic(&path, bytes)?;
        Ok(self.describe(ArtifactKind::Proposal, &path, bytes))
    }

    /// Removes a proposed golden of an earlier attempt or run, if there is one.
    ///
    /// # Errors
    /// The file system's.
    pub fn remove_proposal(&self, below: &Utf8Path) -> std::io::Result<()> {
        match fs_err::remove_file(self.proposed.join(normal_parts(below))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Refuses a file that would be named by a secret. Parts of the path above this folder do not count. Reads and
    /// writes nothing.
    ///
    /// # Errors
    /// A failure of usage, which does not tell the path.
    pub fn refuse_secret_name(&self, path: &Utf8Path) -> Result<(), Failure> {
        let below = path.strip_prefix(&self.folder).unwrap_or(path);
        paths::refuse_secret(below, &self.scrubber)
    }

    /// Reads a file that a tool wrote into the folder, and returns its artifact; the file stays as it is. Its
    /// extension (`png`, `jpg`, `tsv`, `mp4`, `log`, in lower case) says its kind; any other is a plain file. Fails
    /// if it cannot be read, is no regular file or is larger than `MAX_SENT`.
    pub fn register_artifact(&self, path: &Utf8Path) -> std::io::Result<Artifact> {
        let kind = match path.extension() {
            Some("png" | "jpg") => ArtifactKind::Screenshot,
            Some("tsv") => ArtifactKind::Tsv,
            Some("mp4") => ArtifactKind::Video,
            Some("log") => ArtifactKind::Log,
            _ => ArtifactKind::File,
        };
        let bytes = read_regular(path, MAX_SENT)?;
        Ok(self.describe(kind, path, &bytes))
    }

    /// Describes a file with the hash of `bytes` and its path below the run's folder, with `/` as separator; a path
    /// outside stays. Reads and writes nothing.
    fn describe(&self, kind: ArtifactKind, path: &Utf8Path, bytes: &[u8]) -> Artifact {
        let below = path.strip_prefix(&self.base).unwrap_or(path);
        Artifact {
            kind,
            // The same on every system, as reports are made from the stream elsewhere too.
            path: Utf8PathBuf::from(below.as_str().replace('\\', "/")),
            hash: hash(bytes),
        }
    }
}

#[cfg(test)]
mod tests;

//! Files that a merge left for a person: the index, and the commits whose files they are.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{GitError, Pointer, Repository};
use runner_text::input_file::read_regular;

/// A file of the index: its one object, or, where git waits for a decision, that of each side which has the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexFile {
    /// Below the top of the working tree, `/` as separator.
    pub path: Utf8PathBuf,
    /// Where git does not wait.
    pub merged: Option<String>,
    /// Of the branch one is on; while rebasing, of the one that is rebased onto.
    pub ours: Option<String>,
    /// Of the other one.
    pub theirs: Option<String>,
}

/// Commits that git is bringing in, under the names that it gives them: by a merge, a cherry-pick or a rebase, a revert.
const INCOMING: [&str; 4] = ["MERGE_HEAD", "CHERRY_PICK_HEAD", REBASED, "REVERT_HEAD^"];

const REBASED: &str = "REBASE_HEAD";

impl Repository {
    /// The index's files below `folder`, in order.
    ///
    /// # Errors
    /// Where git cannot be asked.
    pub fn index(&self, folder: &Utf8Path) -> Result<Vec<IndexFile>, GitError> {
        let listed = self.text([
            "--literal-pathspecs",
            "ls-files",
            "--stage",
            "--full-name",
            "-z",
            "--",
            folder.as_str(),
        ])?;
        let mut found: BTreeMap<&str, IndexFile> = BTreeMap::new();
        // MODE OBJECT STAGE, a tab, and the name.
        for line in listed.split('\0') {
            let Some((what, path)) = line.split_once('\t') else {
                continue;
            };
            let mut words = what.split(' ').skip(1);
            let (Some(object), Some(stage)) = (words.next(), words.next()) else {
                continue;
            };
            let file = found.entry(path).or_insert_with(|| IndexFile {
                path: path.into(),
                ..IndexFile::default()
            });
            let side = match stage {
                "0" => &mut file.merged,
                "2" => &mut file.ours,
                "3" => &mut file.theirs,
                _ => continue,
            };
            *side = Some(object.to_owned());
        }
        Ok(found.into_values().collect())
    }

    /// The commit that git is bringing in, and git's name of it; `None` where there is none, as while a stash is applied.
    ///
    /// # Errors
    /// Where git cannot be asked.
    pub fn incoming(&self) -> Result<Option<(&'static str, String)>, GitError> {
        for name in INCOMING {
            // Git leaves this name where it was when a rebase has ended.
            if name == REBASED && !self.is_rebasing()? {
                continue;
            }
            let commit = self.answer(["rev-parse", "--verify", "--quiet", name])?;
            if let Some(commit) = commit {
                return Ok(Some((name, commit)));
            }
        }
        Ok(None)
    }

    fn is_rebasing(&self) -> Result<bool, GitError> {
        let folders = self.text([
            "rev-parse",
            "--path-format=absolute",
            "--git-path",
            "rebase-merge",
            "--git-path",
            "rebase-apply",
        ])?;
        Ok(folders.lines().any(|folder| Utf8Path::new(folder).exists()))
    }

    /// Returns the command that downloads the large files of both sides. `git lfs pull` gets those of `HEAD` alone.
    ///
    /// # Errors
    /// Where git cannot be asked.
    pub fn download_both_sides(&self) -> Result<String, GitError> {
        let remotes = self.text(["remote"])?;
        let mut remotes = remotes.lines();
        let first = remotes.clone().next();
        let remote = remotes.find(|name| *name == "origin").or(first);
        Ok(match (remote, self.incoming()?) {
            (Some(remote), Some((name, _))) => format!("git lfs fetch {remote} HEAD {name}"),
            _ => "git lfs fetch --all".to_owned(),
        })
    }

    /// The objects of a commit's files below `folder`, by their paths below the top.
    ///
    /// # Errors
    /// Where there is no such commit, or git cannot be asked.
    pub fn objects(
        &self,
        commit: &str,
        folder: &Utf8Path,
    ) -> Result<BTreeMap<Utf8PathBuf, String>, GitError> {
        let listed = self.text([
            "--literal-pathspecs",
            "ls-tree",
            "-r",
            "-z",
            "--full-tree",
            commit,
            "--",
            folder.as_str(),
        ])?;
        // MODE TYPE OBJECT, a tab, and the name.
        let files = listed.split('\0').filter_map(|line| line.split_once('\t'));
        let file = |(what, path): (&str, &str)| {
            let object = what.split(' ').nth(2)?;
            Some((path.into(), object.to_owned()))
        };
        Ok(files.filter_map(file).collect())
    }

    /// An object's bytes as they are in the working tree at `path`: with its line ends, and those of Git LFS downloaded
    /// where they are there.
    ///
    /// # Errors
    /// Where the object is not in this clone.
    pub fn content(&self, object: &str, path: &Utf8Path) -> Result<Vec<u8>, GitError> {
        let path = format!("--path={path}");
        self.bytes(["cat-file", "--filters", &path, object])
    }
}

/// No golden is larger.
const LARGEST: u64 = 256 * 1024 * 1024;

impl Repository {
    /// What a pointer stands for, where Git LFS has downloaded it into this clone.
    ///
    /// # Errors
    /// Where git cannot be asked, or the file cannot be read.
    pub fn large_file(&self, pointer: &Pointer) -> Result<Option<Vec<u8>>, GitError> {
        let folder = self.text(["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
        let digest = &pointer.digest;
        let path = Utf8Path::new(folder.trim_end_matches(['\r', '\n']))
            .join("lfs/objects")
            .join(&digest[..2])
            .join(&digest[2..4])
            .join(digest);
        match std::fs::metadata(&path) {
            Ok(known) if known.len() == pointer.size && known.len() <= LARGEST => Ok(Some(
                read_regular(&path, LARGEST).map_err(std::io::Error::from)?,
            )),
            _ => Ok(None),
        }
    }
}

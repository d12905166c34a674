//! Reads files of the index and their conflicts, the commit that a merge brings in, and the contents of
//! objects.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{GitError, Pointer, Repository};
use runner_text::input_file::read_regular;

/// A file of the index. It has one object if it is merged, else one for each side that has the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexFile {
    /// Path relative to the top of the working tree, with `/`.
    pub path: Utf8PathBuf,
    /// Object of a file without a conflict.
    pub merged: Option<String>,
    /// Object of the current branch; during a rebase, of the branch that is rebased onto.
    pub ours: Option<String>,
    /// Object of the other side.
    pub theirs: Option<String>,
}

/// Names of commits that git is bringing in: by a merge, a cherry-pick, a rebase or a revert.
const INCOMING: [&str; 4] = ["MERGE_HEAD", "CHERRY_PICK_HEAD", REBASED, "REVERT_HEAD^"];

const REBASED: &str = "REBASE_HEAD";

impl Repository {
    /// Lists the files of the index below `folder`, sorted by path, with their objects. A file with a
    /// conflict has ours and theirs, as far as they exist, instead of the merged one; the common ancestor is
    /// left out. `folder` is relative to the top and is no pattern.
    ///
    /// # Errors
    /// Returns an error if git fails.
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
            let Some((details, path)) = line.split_once('\t') else {
                continue;
            };
            let mut words = details.split(' ').skip(1);
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

    /// Returns the commit that git is bringing in by a merge, a cherry-pick, a rebase or a revert: its name,
    /// such as `MERGE_HEAD`, and its hash. The first of these that exists counts. Returns `None` if there is
    /// none, as while a stash is applied.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub fn incoming(&self) -> Result<Option<(&'static str, String)>, GitError> {
        for name in INCOMING {
            // Git keeps this name after a rebase has ended.
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

    /// Returns true if a rebase, or applying patches with `git am`, has begun and not ended.
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

    /// Returns the command that downloads the large files of both sides: `git lfs pull` gets only those of
    /// HEAD. It is not run. The remote is `origin`, else the first. Without a remote or an incoming commit
    /// the command fetches all files.
    ///
    /// # Errors
    /// Returns an error if git fails.
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

    /// Lists the files of a commit below `folder`: their paths relative to the top, with their objects. A
    /// folder that the commit does not have gives none. `folder` is no pattern.
    ///
    /// # Errors
    /// Returns an error if there is no such commit.
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
        let file = |(details, path): (&str, &str)| {
            let object = details.split(' ').nth(2)?;
            Some((path.into(), object.to_owned()))
        };
        Ok(files.filter_map(file).collect())
    }

    /// Returns the content of an object as a checkout would write it to `path`: with that path's line ends, and with
    /// the large file in place of a pointer if Git LFS has it in this clone. Runs the filters that git's settings name
    /// for the path. Downloads no large file.
    ///
    /// # Errors
    /// Returns an error if the object is not in this clone.
    pub fn content(&self, object: &str, path: &Utf8Path) -> Result<Vec<u8>, GitError> {
        let path = format!("--path={path}");
        self.bytes(["cat-file", "--filters", &path, object])
    }
}

/// Bytes of a large file that is read. Chosen: no golden comes near it; it keeps a wrong pointer from filling
/// the memory.
const MAX_LARGE_FILE_BYTES: u64 = 256 * 1024 * 1024;

impl Repository {
    /// Returns the file that a pointer stands for. Returns `None` if Git LFS has not downloaded it into this
    /// clone, if the file there has another size, or if it is larger than 256 MiB. The digest of its content
    /// is not checked.
    ///
    /// # Errors
    /// Returns an error if git fails or the file cannot be read.
    pub fn large_file(&self, pointer: &Pointer) -> Result<Option<Vec<u8>>, GitError> {
        let folder = self.text(["rev-parse", "--path-format=absolute", "--git-common-dir"])?;
        let digest = &pointer.digest;
        let path = Utf8Path::new(folder.trim_end_matches(['\r', '\n']))
            .join("lfs/objects")
            .join(&digest[..2])
            .join(&digest[2..4])
            .join(digest);
        match std::fs::metadata(&path) {
            Ok(known) if known.len() == pointer.size && known.len() <= MAX_LARGE_FILE_BYTES => Ok(
                Some(read_regular(&path, MAX_LARGE_FILE_BYTES).map_err(std::io::Error::from)?),
            ),
            _ => Ok(None),
        }
    }
}

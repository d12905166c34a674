//! Files that a merge left for a person, as the index has them.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::{GitError, Pointer, Repository};
use runner_text::input_file::read_regular;

/// A file of which git waits for a decision: the object of each side, none where that side has no such file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unmerged {
    /// Below the top of the working tree, `/` as separator.
    pub path: Utf8PathBuf,
    /// Of the branch one is on; while rebasing, of the one that is rebased onto.
    pub ours: Option<String>,
    /// Of the other one.
    pub theirs: Option<String>,
}

impl Repository {
    /// The files below `folder` that are not merged yet, in order.
    ///
    /// # Errors
    /// Where git cannot be asked.
    pub fn unmerged(&self, folder: &Utf8Path) -> Result<Vec<Unmerged>, GitError> {
        let listed = self.text([
            "--literal-pathspecs",
            "ls-files",
            "--unmerged",
            "--full-name",
            "-z",
            "--",
            folder.as_str(),
        ])?;
        let mut found: BTreeMap<&str, Unmerged> = BTreeMap::new();
        // MODE OBJECT STAGE, a tab, and the name.
        for line in listed.split('\0') {
            let Some((what, path)) = line.split_once('\t') else {
                continue;
            };
            let mut words = what.split(' ').skip(1);
            let (Some(object), Some(stage)) = (words.next(), words.next()) else {
                continue;
            };
            let file = found.entry(path).or_insert_with(|| Unmerged {
                path: path.into(),
                ..Unmerged::default()
            });
            match stage {
                "2" => file.ours = Some(object.to_owned()),
                "3" => file.theirs = Some(object.to_owned()),
                _ => {}
            }
        }
        Ok(found.into_values().collect())
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

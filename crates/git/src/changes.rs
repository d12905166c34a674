//! Which files differ from another commit.

use std::collections::BTreeSet;
use std::io::Read as _;

use camino::Utf8PathBuf;

use super::{GitError, Repository};
use runner_text::input_file::open_regular;

/// What differs between the working tree and another commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The commit that was compared with, in full.
    pub base: String,
    /// Below the top of the working tree, `/` as separator. A file that was moved is there under both names; files that git
    /// neither knows nor ignores are there too.
    /// In a name that is not UTF-8 stands U+FFFD for what is not.
    pub files: BTreeSet<Utf8PathBuf>,
    /// Files that git was told not to look at, with `git update-index --assume-unchanged` or `--skip-worktree`. Those that a
    /// sparse checkout leaves out are not among them.
    pub not_looked_at: BTreeSet<Utf8PathBuf>,
}

/// Files named in one command, at most: the system limits how long a command is.
const FILES_A_COMMAND: usize = 200;

/// `ignore` in `.gitmodules` or in the settings would hide one that changed.
const EVERY_SUBMODULE: &str = "--ignore-submodules=none";

impl Repository {
    /// The lines of `files` that differ from the commit `base`, as they were and as they are; of a file that git does not
    /// know, all. None where there are more than `most` bytes of them.
    ///
    /// # Errors
    /// As of any command.
    pub fn changed_lines(
        &self,
        base: &str,
        files: &[Utf8PathBuf],
        most: usize,
    ) -> Result<Option<String>, GitError> {
        let mut lines = String::new();
        for some in files.chunks(FILES_A_COMMAND) {
            let options = [
                "diff",
                "--unified=0",
                "--no-color",
                "--no-renames",
                "--no-ext-diff",
                "--no-textconv",
                "--submodule=short",
                EVERY_SUBMODULE,
                base,
                "--",
            ];
            // Literal: a file's name may hold what is a pattern elsewhere.
            let paths = some.iter().map(|file| format!(":(top,literal){file}"));
            let arguments = options.into_iter().map(str::to_owned).chain(paths);
            let difference = match self.bytes(arguments) {
                Err(GitError::TooLong(_)) => return Ok(None),
                difference => difference?,
            };
            for line in String::from_utf8_lossy(&difference).lines() {
                if let Some(line) = line.strip_prefix(['+', '-']) {
                    lines.push_str(line);
                    lines.push('\n');
                }
            }
            if lines.len() > most {
                return Ok(None);
            }
        }
        for file in self.unknown_among(files)? {
            // A file that cannot be read, such as a link that leads nowhere, has no lines.
            let Ok(open) = open_regular(self.top().join(file), u64::MAX) else {
                continue;
            };
            let mut bytes = Vec::new();
            let left = most.saturating_sub(lines.len()) as u64;
            if open.take(left + 1).read_to_end(&mut bytes).is_ok() {
                lines.push_str(&String::from_utf8_lossy(&bytes));
                lines.push('\n');
            }
            if lines.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(lines))
    }

    fn unknown_among(&self, files: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, GitError> {
        let unknown = self.untracked()?;
        let wanted = files.iter().filter(|file| unknown.contains(*file));
        Ok(wanted.cloned().collect())
    }

    /// Files that git neither knows nor ignores.
    fn untracked(&self) -> Result<BTreeSet<Utf8PathBuf>, GitError> {
        let names = self.bytes([
            "ls-files",
            "-z",
            "--others",
            "--exclude-standard",
            "--full-name",
        ])?;
        Ok(paths(&names).collect())
    }

    fn not_looked_at(&self) -> Result<BTreeSet<Utf8PathBuf>, GitError> {
        // `h` and other small letters are assumed to be unchanged, `S` is skipped: git-ls-files(1), `-v`.
        let names = self.bytes(["ls-files", "-z", "-v", "--full-name", ":/"])?;
        let names = paths(&names);
        let told = names.filter_map(|name| {
            let (tag, name) = name.as_str().split_once(' ')?;
            let is_told = tag.starts_with(|tag: char| tag == 'S' || tag.is_ascii_lowercase());
            is_told.then(|| Utf8PathBuf::from(name))
        });
        Ok(told.filter(|name| self.top().join(name).exists()).collect())
    }

    /// What differs between the working tree and the last commit that HEAD and `reference` share.
    ///
    /// # Errors
    /// [`GitError::NoCommit`], [`GitError::Shallow`], [`GitError::Unrelated`].
    pub fn changes_since(&self, reference: &str) -> Result<Changes, GitError> {
        let base = self.merge_base(reference)?;
        // No command compares the tree with all that is not ignored.
        let mut files = self.untracked()?;
        // Without the detection of renames both names count.
        let known = self.bytes([
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            EVERY_SUBMODULE,
            &base,
            "--",
        ])?;
        files.extend(paths(&known));
        let not_looked_at = self.not_looked_at()?;
        Ok(Changes {
            base,
            files,
            not_looked_at,
        })
    }

    fn merge_base(&self, reference: &str) -> Result<String, GitError> {
        let commit = format!("{reference}^{{commit}}");
        let known = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ];
        let Some(commit) = self.answer(known)? else {
            return Err(GitError::NoCommit(reference.to_owned()));
        };
        match self.answer(["merge-base", "HEAD", &commit])? {
            Some(base) => Ok(base),
            None if self.is_shallow()? => Err(GitError::Shallow(reference.to_owned())),
            None => Err(GitError::Unrelated(reference.to_owned())),
        }
    }
}

/// Names that git ended with NUL.
fn paths(names: &[u8]) -> impl Iterator<Item = Utf8PathBuf> {
    let names = names
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    names.map(|name| Utf8PathBuf::from(String::from_utf8_lossy(name).into_owned()))
}

//! Finds the files and lines that differ between the working tree and another commit.

use std::collections::BTreeSet;
use std::io::Read as _;

use camino::Utf8PathBuf;

use super::{GitError, Repository};
use runner_text::input_file::open_regular;

/// Files of the working tree that differ from another commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Full hash of the commit that the working tree was compared with.
    pub base: String,
    /// Paths relative to the top of the working tree, with `/`. A moved file stands under both names.
    /// Untracked files that are not ignored are in it too. U+FFFD replaces what is not UTF-8 in a name.
    pub files: BTreeSet<Utf8PathBuf>,
    /// Files whose changes git does not see, because of `git update-index --assume-unchanged` or
    /// `--skip-worktree`. Those that a sparse checkout left out are not in it.
    pub not_looked_at: BTreeSet<Utf8PathBuf>,
}

/// Paths in one command. Chosen: 200 long paths stay below the 32,767 characters that Windows allows a
/// command line to hold; fewer would only start git more often.
const MAX_FILES_PER_COMMAND: usize = 200;

/// Overrides `ignore` in `.gitmodules` and in the settings, which would hide a submodule that changed.
const ALL_SUBMODULES: &str = "--ignore-submodules=none";

impl Repository {
    /// Returns the lines of `files` that differ from the commit `base`: the old and the new ones, without context and
    /// without `+` and `-`; of an untracked file all lines. `files` are relative to the top; one that did not change,
    /// or that is untracked and cannot be read, has no lines. Tracked files come first, in the order of git. Returns
    /// `None` if the lines have more than `max_bytes` bytes, or git writes more than 256 MiB.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub fn changed_lines(
        &self,
        base: &str,
        files: &[Utf8PathBuf],
        max_bytes: usize,
    ) -> Result<Option<String>, GitError> {
        let mut lines = String::new();
        for chunk in files.chunks(MAX_FILES_PER_COMMAND) {
            let options = [
                "diff",
                "--unified=0",
                "--no-color",
                "--no-renames",
                "--no-ext-diff",
                "--no-textconv",
                "--submodule=short",
                ALL_SUBMODULES,
                base,
                "--",
            ];
            // Literal: a file's name may hold what is a pattern elsewhere.
            let paths = chunk.iter().map(|file| format!(":(top,literal){file}"));
            let arguments = options.into_iter().map(str::to_owned).chain(paths);
            let difference = match self.bytes(arguments) {
                Err(GitError::TooLong(_)) => return Ok(None),
                difference => difference?,
            };
            // A file's header begins with `+` and `-` too. It lies between `diff --git` and the first hunk.
            let mut is_header = true;
            for line in String::from_utf8_lossy(&difference).lines() {
                if line.starts_with("@@ ") {
                    is_header = false;
                } else if line.starts_with("diff --git ") {
                    is_header = true;
                } else if let Some(line) = line.strip_prefix(['+', '-'])
                    && !is_header
                {
                    lines.push_str(line);
                    lines.push('\n');
                }
            }
            if lines.len() > max_bytes {
                return Ok(None);
            }
        }
        for file in self.untracked_among(files)? {
            // A file that cannot be read, such as a link that leads nowhere, has no lines.
            let Ok(open) = open_regular(self.top().join(file), u64::MAX) else {
                continue;
            };
            let mut bytes = Vec::new();
            let left = max_bytes.saturating_sub(lines.len()) as u64;
            if open.take(left + 1).read_to_end(&mut bytes).is_ok() {
                lines.push_str(&String::from_utf8_lossy(&bytes));
                lines.push('\n');
            }
            if lines.len() > max_bytes {
                return Ok(None);
            }
        }
        Ok(Some(lines))
    }

    fn untracked_among(&self, files: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, GitError> {
        let unknown = self.untracked()?;
        let wanted = files.iter().filter(|file| unknown.contains(*file));
        Ok(wanted.cloned().collect())
    }

    /// Lists the files of the whole working tree that are neither tracked nor ignored, relative to its top.
    /// Files of a new folder are listed one by one; another repository is one path with a `/` at its end.
    /// U+FFFD replaces what is not UTF-8. The errors are those of [`Self::bytes`].
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

    /// Returns the files in the working tree that git was told not to look at, by `assume-unchanged` or
    /// `skip-worktree`. Files that are not there are left out.
    fn not_looked_at(&self) -> Result<BTreeSet<Utf8PathBuf>, GitError> {
        // `h` and other small letters are assumed to be unchanged, `S` is skipped: git-ls-files(1), `-v`.
        let names = self.bytes(["ls-files", "-z", "-v", "--full-name", ":/"])?;
        let names = paths(&names);
        let hidden = names.filter_map(|name| {
            let (tag, name) = name.as_str().split_once(' ')?;
            let is_hidden = tag.starts_with(|tag: char| tag == 'S' || tag.is_ascii_lowercase());
            is_hidden.then(|| Utf8PathBuf::from(name))
        });
        Ok(hidden
            .filter(|name| self.top().join(name).exists())
            .collect())
    }

    /// Compares the working tree with the last common ancestor of HEAD and `reference`, so that later commits
    /// of `reference` do not count. Untracked files and those that are not committed count as changed,
    /// ignored ones do not. A moved file is listed under both names.
    ///
    /// # Errors
    /// [`GitError::NoCommit`] if `reference` is unknown; [`GitError::Shallow`] or [`GitError::Unrelated`] if
    /// there is no common ancestor.
    pub fn changes_since(&self, reference: &str) -> Result<Changes, GitError> {
        let base = self.merge_base(reference)?;
        // No single command lists both changed and untracked files.
        let mut files = self.untracked()?;
        // Without detection of renames, a moved file is listed under both names.
        let known = self.bytes([
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            ALL_SUBMODULES,
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

    /// Returns the commit where HEAD and `reference` diverged. The error tells an unknown reference, a shallow
    /// clone and unrelated histories apart.
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

/// Splits the output of a command with `-z` into paths. Bytes that are not UTF-8 become U+FFFD.
fn paths(names: &[u8]) -> impl Iterator<Item = Utf8PathBuf> {
    let names = names
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty());
    names.map(|name| Utf8PathBuf::from(String::from_utf8_lossy(name).into_owned()))
}

//! Which files differ from another commit.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;

use super::{GitError, Repository};

/// What differs between the working tree and another commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The commit that was compared with, in full.
    pub base: String,
    /// Below the top of the working tree, `/` as separator. A file that was moved is there under both names; files that git
    /// neither knows nor ignores are there too.
    pub files: BTreeSet<Utf8PathBuf>,
}

impl Repository {
    /// What differs between the working tree and the last commit that HEAD and `reference` share.
    ///
    /// # Errors
    /// [`GitError::NoCommit`], [`GitError::Shallow`], [`GitError::Unrelated`].
    pub fn changes_since(&self, reference: &str) -> Result<Changes, GitError> {
        let base = self.merge_base(reference)?;
        let mut files = BTreeSet::new();
        // No command compares the tree with all that is not ignored. Without the detection of renames both names count.
        for arguments in [
            &[
                "diff",
                "--name-only",
                "-z",
                "--no-renames",
                "--no-ext-diff",
                &base,
                "--",
            ][..],
            &[
                "ls-files",
                "-z",
                "--others",
                "--exclude-standard",
                "--full-name",
            ],
        ] {
            let names = self.text(arguments)?;
            let names = names.split('\0').filter(|name| !name.is_empty());
            files.extend(names.map(Utf8PathBuf::from));
        }
        Ok(Changes { base, files })
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
        if !self.succeeds(known)? {
            return Err(GitError::NoCommit(reference.to_owned()));
        }
        let commit = self.text(known)?;
        let arguments = ["merge-base", "HEAD", commit.trim()];
        if !self.succeeds(arguments)? {
            let shallow = self.text(["rev-parse", "--is-shallow-repository"])?;
            return Err(match shallow.trim() {
                "true" => GitError::Shallow(reference.to_owned()),
                _ => GitError::Unrelated(reference.to_owned()),
            });
        }
        Ok(self.text(arguments)?.trim().to_owned())
    }
}

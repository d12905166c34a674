//! Settings of a clone, attributes of its files and the commands that git has.

use super::{GitError, Repository};

impl Repository {
    /// Removes a section of the settings of this clone. Does nothing if there is no such section, or if git refuses to
    /// remove it.
    ///
    /// # Errors
    /// Returns an error if git cannot be run.
    pub fn forget(&self, section: &str) -> Result<(), GitError> {
        self.succeeds(["config", "--local", "--remove-section", section])
            .map(drop)
    }

    /// Returns the value of a setting from any of git's files of settings, or `None` if it is not set.
    ///
    /// # Errors
    /// Returns an error if git cannot be run.
    pub fn setting(&self, key: &str) -> Result<Option<String>, GitError> {
        self.answer(["config", "--get", key])
    }

    /// Returns the value of an attribute of `.gitattributes` for a path: `set`, `unset`, `unspecified` or the
    /// attribute's own value. The file need not exist.
    ///
    /// # Errors
    /// Returns an error if git cannot be run.
    pub fn attribute(&self, name: &str, path: &str) -> Result<String, GitError> {
        let answer = self.text(["check-attr", "-z", name, "--", path])?;
        Ok(answer
            .split('\0')
            .nth(2)
            .unwrap_or("unspecified")
            .to_owned())
    }

    /// Returns true if git has a command, such as `lfs`: runs `git NAME version`.
    ///
    /// # Errors
    /// Returns an error if git cannot be run.
    pub fn has_command(&self, name: &str) -> Result<bool, GitError> {
        self.succeeds([name, "version"])
    }
}

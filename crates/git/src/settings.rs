//! Settings of a clone, and attributes of its files.

use super::{GitError, Repository};

impl Repository {
    /// Removes a section of this clone's own settings, where it is there.
    ///
    /// # Errors
    /// Where git cannot be started.
    pub fn forget(&self, section: &str) -> Result<(), GitError> {
        self.succeeds(["config", "--local", "--remove-section", section])
            .map(drop)
    }

    /// A setting, wherever it was made; `None` where it is not.
    ///
    /// # Errors
    /// Where git cannot be asked.
    pub fn setting(&self, key: &str) -> Result<Option<String>, GitError> {
        self.answer(["config", "--get", key])
    }

    /// The value of an attribute of a file, which need not be there: `set`, `unset`, `unspecified`, or another one.
    ///
    /// # Errors
    /// Where git cannot be asked.
    pub fn attribute(&self, name: &str, path: &str) -> Result<String, GitError> {
        let answer = self.text(["check-attr", "-z", name, "--", path])?;
        Ok(answer
            .split('\0')
            .nth(2)
            .unwrap_or("unspecified")
            .to_owned())
    }

    /// Whether git knows a command, such as `lfs`.
    ///
    /// # Errors
    /// Where git cannot be started.
    pub fn has_command(&self, name: &str) -> Result<bool, GitError> {
        self.succeeds([name, "version"])
    }
}

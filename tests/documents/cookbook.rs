//! Runs the flows of docs/guide/cookbook.md unchanged, all in one run, on the virtual device.

use std::collections::BTreeMap;

use clap::Parser as _;
use serde_json::Value;

use super::{blocks, page, runner_commands};
use crate::common::Project;
use crate::http_step::{reply, server};

/// Flows that fail on purpose.
const DO_NOT_PASS: [(&str, &str); 2] = [
    ("flows/crash.yaml", "failed"),
    ("flows/quarantine.yaml", "quarantined"),
];

/// Makes a project with the files of the page. Each names itself in its first line; the table is named above
/// it.
fn project(page: &str) -> (Project, Vec<String>) {
    let project = Project::empty();
    project.copy("examples/demo");
    project.copy("examples/cookbook");
    let mut names = Vec::new();
    for block in blocks(page, "yaml") {
        let first = block.lines().next().unwrap_or_default();
        let name = first
            .strip_prefix("# ")
            .unwrap_or_else(|| panic!("a block does not name its file: {first}"));
        project.write(name, &block);
        names.push(name.to_owned());
    }
    for table in blocks(page, "csv") {
        project.write("flows/people.csv", &table);
    }
    (project, names)
}

/// Starts a back end that is healthy and makes gift codes. Returns its address.
fn back_end() -> String {
    let address = server(|request| {
        if request.starts_with("POST /codes ") {
            return reply("201 Created", "", "{\"code\":\"GIFT-7\"}");
        }
        reply("200 OK", "", "well")
    });
    format!("SHOP_API=http://{address}")
}

/// Returns the status of each flow by its path, for several cases the worst.
fn outcomes(events: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).expect("an event");
        if event["event"] != "flow_finished" || event["last"] == false {
            continue;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let status = text(&event["status"]);
        let before = found
            .entry(text(&event["id"]["flow"]))
            .or_insert_with(|| "passed".to_owned());
        if status != "passed" {
            *before = status;
        }
    }
    found
}

#[test]
fn every_flow_of_the_cookbook_does_what_the_page_says() {
    let page = page("docs/guide/cookbook.md");
    let (project, names) = project(&page);
    project.run(&["lint"]).expect(0).says("no errors");

    let api = back_end();
    let first = [
        "test",
        "--update",
        "new",
        "--json",
        "run.ndjson",
        "-e",
        &api,
    ];
    project
        .run(&first)
        .expect(1)
        .says("com.example.shop crashed: java.lang.IllegalStateException: no card")
        .says("1 failed in quarantine");

    let outcomes = outcomes(&project.read("run.ndjson"));
    for name in names {
        if name == "runner.yaml" || name.contains("/_") {
            continue;
        }
        let expected = DO_NOT_PASS.iter().find(|(flow, _)| *flow == name);
        let expected = expected.map_or("passed", |(_, status)| *status);
        let status = outcomes.get(&name).map_or("did not run", String::as_str);
        assert_eq!(status, expected, "{name}");
    }

    // The goldens hold, although the masked counter is another each time.
    project
        .run(&[
            "test",
            "flows/mask.yaml",
            "flows/looks.yaml",
            "--repeat-each",
            "2",
        ])
        .expect(0);
    project
        .run(&["test", "--grep", "› nobody$"])
        .expect(0)
        .says("1 passed");
}

#[test]
fn the_cookbook_has_25_tasks_and_each_has_a_flow() {
    let page = page("docs/guide/cookbook.md");
    let tasks: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert!(tasks.len() >= 25, "{} tasks", tasks.len());
    for task in tasks {
        let title = task.lines().next().unwrap_or_default();
        let has = |text: &str| task.contains(text);
        assert!(has("```yaml\n# flows/"), "{title} has no flow");
        assert!(
            has("If it fails:") || has("This flow fails"),
            "{title} does not say what happens when it fails"
        );
    }
}

#[test]
fn the_commands_of_the_new_pages_are_understood() {
    for name in [
        "docs/guide/cookbook.md",
        "docs/guide/why-did-it-fail.md",
        "docs/guide/other-tools.md",
        "docs/guide/frameworks.md",
    ] {
        for command in runner_commands(&page(name)) {
            let parsed = runner::cli::Arguments::try_parse_from(command.split_whitespace());
            assert!(parsed.is_ok(), "{name}: {command}: {:?}", parsed.err());
        }
    }
}

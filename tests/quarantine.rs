//! Quarantine: its messages, its end, its limits, and proposals for it.

use serde_json::Value;

use crate::common::Project;

const FAILS: &str = "steps: [ launch, { assert visible: Nonsense, timeout: 100ms } ]\n";
const PASSES: &str = "steps: [ launch ]\n";

fn shaky(quarantine: &str) -> Project {
    let project = Project::with_demo_app();
    project.flow("shaky", &format!("quarantine: {quarantine}\n{FAILS}"));
    project
}

#[test]
fn the_reason_the_ticket_and_the_last_day_are_in_all_reports() {
    let project = shaky("{ because: no card is at hand, until: 2999-12-31, issue: PAY-12 }");
    project
        .run(&["test", "--junit", "junit.xml", "--html", "html", "--json", "events.ndjson"])
        .expect(0)
        .says("failed in quarantine")
        .says("in quarantine: no card is at hand (PAY-12), until 2999-12-31; its failure does not fail the run")
        .never_says("its quarantine ends");
    let junit = project.well_formed("junit.xml");
    for property in [
        r#"<property name="quarantine" value="no card is at hand"/>"#,
        r#"<property name="quarantine.until" value="2999-12-31"/>"#,
        r#"<property name="quarantine.issue" value="PAY-12"/>"#,
    ] {
        assert!(junit.contains(property), "{junit}");
    }
    let events = project.read("events.ndjson");
    let ended = events.lines().find(|line| line.contains("flow_finished"));
    let ended: Value = serde_json::from_str(ended.unwrap()).unwrap();
    let expected = serde_json::json!({
        "because": "no card is at hand", "until": "2999-12-31", "issue": "PAY-12",
    });
    assert_eq!(ended["quarantine"], expected);
    let html = project.files("html");
    let told = html.iter().any(|file| {
        file.ends_with(".js")
            && project
                .read(&format!("html/{file}"))
                .contains("(PAY-12), until 2999-12-31")
    });
    assert!(told, "{html:?}");
}

#[test]
fn past_its_last_day_a_flow_counts_again() {
    shaky("{ because: no card is at hand, until: 2020-02-29 }")
        .run(&["test"])
        .expect(1)
        .says("its quarantine ended on 2020-02-29")
        .says("1 failed");
    let project = shaky("{ because: was mended, until: 2020-02-29 }");
    project.flow(
        "shaky",
        &format!("quarantine: {{ because: was mended, until: 2020-02-29 }}\n{PASSES}"),
    );
    project.run(&["test"]).expect(0).never_says("quarantine");
    let soon = chrono::Local::now().date_naive() + chrono::Days::new(3);
    shaky(&format!("{{ because: no card, until: {soon} }}"))
        .run(&["test"])
        .expect(0)
        .says("its quarantine ends in ");
}

#[test]
fn a_quarantine_that_cannot_be_is_told_with_its_place() {
    let project = Project::empty();
    for (quarantine, says) in [
        (
            "{ because: x, until: 2026-02-30 }",
            "error[malformed]: `2026-02-30` is not a day of the calendar; write it as 2026-12-31\n --> flows/a.yaml:1:34",
        ),
        ("{ because: x, until: soon }", "flows/a.yaml:1:34"),
        ("{ until: 2026-12-31 }", "`because` is missing"),
        (
            "{ because: x, untill: 2026-12-31 }",
            "`untill` is not known here",
        ),
        ("{ because: '' }", "flows/a.yaml:1:24"),
        ("off", "flows/a.yaml:1:13"),
        ("[ later ]", "flows/a.yaml:1:13"),
    ] {
        project.write(
            "flows/a.yaml",
            &format!("quarantine: {quarantine}\nsteps: [ back ]\n"),
        );
        project.run(&["lint"]).expect(2).says(says);
    }
    for quarantine in [
        "true",
        "false",
        "ticket 7",
        "{ because: x }",
        "{ because: x, until: '2026-12-31' }",
    ] {
        project.write(
            "flows/a.yaml",
            &format!("quarantine: {quarantine}\nsteps: [ back ]\n"),
        );
        project.run(&["lint"]).expect(0);
    }
}

#[test]
fn more_flows_in_quarantine_than_the_limit_fail_the_run() {
    let project = shaky("ticket 7");
    project.flow("good", PASSES);
    // One that has ended is not in quarantine.
    project.flow(
        "ended",
        &format!("quarantine: {{ because: x, until: 2020-01-01 }}\n{PASSES}"),
    );
    let limit = |limit: &str| {
        project.write(
            "runner.yaml",
            &format!("devices: [virtual]\napps: [apps/demo]\nquarantine_limit: {limit}\n"),
        );
    };
    for (most, code) in [("5%", 1), ("33%", 1), ("34%", 0), ("0", 1), ("1", 0)] {
        limit(most);
        let ran = project.run(&["test"]).expect(code);
        if code == 1 {
            ran.says(&format!(
                "1 of 3 flows is in quarantine, more than `quarantine_limit: {most}` allows"
            ));
        }
    }
    limit("5%");
    // All flows of the project count, whichever run.
    project
        .run(&["test", "--grep", "good"])
        .expect(1)
        .says("1 of 3 flows");
    // Who names flows means these.
    project.run(&["test", "flows/shaky.yaml"]).expect(0);
    let mut command = project.command(&["test"]);
    let ran = command
        .env("RUNNER_QUARANTINE_LIMIT", "2")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    for wrong in ["5.5%", "101%", "-1", "some"] {
        limit(wrong);
        project.run(&["lint"]).expect(2).says("runner.yaml:3:19");
    }
}

/// Writes a history in which each flow ended so, oldest first.
fn history(project: &Project, flows: &[(&str, &str)]) {
    let runs = flows
        .iter()
        .map(|(_, signs)| signs.len())
        .max()
        .unwrap_or(0);
    for run in 0..runs {
        let mut lines = vec![format!(
            r#"{{"run":{{"version":1,"id":"{run:016x}","started":"2026-01-{:02}T03:04:05+00:00","program":"0.1.0"}}}}"#,
            run + 1
        )];
        for (flow, signs) in flows {
            let outcome = match signs.as_bytes().get(run) {
                Some(b'.') => "passed",
                Some(b'~') => "flaky",
                Some(_) => "failed",
                None => continue,
            };
            lines.push(format!(
                r#"{{"flow":{{"of":{{"flow":"flows/{flow}.yaml","device":"virtual"}},"outcome":"{outcome}","ms":1}}}}"#
            ));
        }
        lines.push(r#"{"end":{"ms":1,"exit_code":0}}"#.to_owned());
        let name = format!(
            ".runner/history/202601{:02}T030405000Z-{run:016x}.ndjson",
            run + 1
        );
        project.write(&name, &(lines.join("\n") + "\n"));
    }
}

#[test]
fn what_flips_is_proposed_and_so_is_the_end_for_what_passes() {
    let project = Project::with_demo_app();
    for flow in ["flips", "worse", "steady", "broken"] {
        project.flow(flow, PASSES);
    }
    project.flow(
        "mended",
        &format!("env:\n  quarantine: none\nquarantine: ticket 7\n{PASSES}"),
    );
    project.flow("known", &format!("quarantine: ticket 8\n{PASSES}"));
    history(
        &project,
        &[
            ("flips", "..........x.x."),
            ("worse", "x.x.x.x.x.x.x."),
            ("steady", ".............."),
            // One fault that stays is none of a flow.
            ("broken", "...........xxx"),
            ("mended", "xxxx.........."),
            ("known", "x.x.x.x.x.x.x."),
            ("gone", "x.x.x.x.x.x.x."),
        ],
    );
    let ran = project.run(&["history", "--suggest"]).expect(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{}", ran.stdout);
    assert_eq!(
        lines[0],
        "# flows/worse.yaml: 9 flips in its last 10 results. For its header:"
    );
    assert_eq!(
        lines[2],
        "# flows/flips.yaml: 4 flips in its last 10 results. For its header:"
    );
    assert_eq!(
        lines[4],
        "# flows/mended.yaml: passed 10 times in a row. Take `quarantine` out of its header (line 4)."
    );
    // What is proposed is a header that reads.
    project.flow("worse", &format!("{}\n{PASSES}", lines[1]));
    project.run(&["lint"]).expect(0);
    let json = project
        .run(&["history", "--suggest", "--format", "json"])
        .expect(0);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["add"][0]["flow"], "flows/flips.yaml");
    assert_eq!(json["add"].as_array().unwrap().len(), 1);
    assert_eq!(
        json["remove"][0],
        serde_json::json!({ "flow": "flows/mended.yaml", "passes": 10, "line": 4 })
    );
    project
        .run(&["history", "--suggest", "--flips", "5", "--passes", "11"])
        .expect(0)
        .says("nothing to suggest: no flow flipped 5 times in its last 10 results");
    project
        .run(&["history", "--suggest", "steady"])
        .expect(0)
        .says("nothing to suggest");
    project.run(&["history", "--flips", "5"]).expect(2);
}

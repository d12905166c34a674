//! The program with a Selenium Grid of two nodes, Appium behind each, adb, and a virtual device.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;

use super::grid::{Farm, farm};
use super::{LONG, Running, SHORT, demo, has_passed, http, project};

/// Returns an entry of `devices:` for the Grid.
fn device(farm: &Farm, more: &str) -> String {
    format!(
        "  - {{ webdriver: \"{}\", label: lent{more} }}\n",
        farm.url()
    )
}

/// Returns a report without times and the names of its device, driver and session.
fn without_timestamp(report: &str) -> String {
    let own = [
        r#"\btime(?:stamp)?="[^"]*""#,
        r#"\s*<property name="session\.[^>]*>"#,
        r#"(<property name="(?:device\.driver|device\.serial|runner\.run_id|round_trips|dumps|reused)" value=")[^"]*"#,
        r"\d+(?:\.\d+)?(?:ms|s)\b",
        r" · (?:\d+|the last) (?:round trips?|dumps?|looks? again)",
        r#"uuid="[^"]*""#,
    ];
    own.iter().fold(report.to_owned(), |text, pattern| {
        let pattern = regex::Regex::new(pattern).expect("a pattern");
        pattern.replace_all(&text, "$1").into_owned()
    })
}

/// Returns the values of a property in a JUnit report.
fn properties(report: &str, name: &str) -> BTreeSet<String> {
    let pattern = format!(r#"name="{}" value="([^"]*)""#, regex::escape(name));
    let pattern = regex::Regex::new(&pattern).expect("a pattern");
    let values = pattern
        .captures_iter(report)
        .map(|found| found[1].to_owned());
    values.collect()
}

/// Asserts that all sessions are closed but those that the Grid lost with a node or its hub, which nobody
/// else can close. It waits, as the hub hears of a session's end from its node a moment later.
#[track_caller]
fn all_closed(farm: &Farm, lost: &[String]) {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let left = [farm.sessions(), farm.appium_sessions()].concat();
        if left.iter().all(|session| lost.contains(session)) {
            return;
        }
        assert!(Instant::now() < end, "{left:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn the_demo_passes_through_a_grid_with_the_same_goldens() {
    let Some(farm) = farm() else { return };
    let mut reports = Vec::new();
    let near = format!(
        "  - {{ serial: \"{}\", label: lent, driver: stock }}\n",
        farm.lenders[0].serial
    );
    for (devices, driver) in [(near, "stock"), (device(&farm, ""), "webdriver")] {
        let project = demo(&devices);
        let report = "report.xml";
        let ran = project.run(&["test", "-v", "--junit", report, "--update", "none"]);
        ran.expect(0)
            .says("5 passed")
            .says(&format!("driver {driver}"));
        reports.push(project.read(report));
    }
    assert_eq!(
        without_timestamp(&reports[0]),
        without_timestamp(&reports[1])
    );
    assert!(properties(&reports[0], "session.id").is_empty());
    let sessions = properties(&reports[1], "session.id");
    assert_eq!(sessions.len(), 1, "{sessions:?}");
    let id = sessions.first().expect("one");
    let page = format!("{}/ui/#/session/{id}", farm.url());
    assert_eq!(
        properties(&reports[1], "session.dashboard"),
        BTreeSet::from([page])
    );
    all_closed(&farm, &[]);
}

#[test]
fn two_sessions_are_two_devices_of_one_run() {
    let Some(farm) = farm() else { return };
    let project = project(&device(&farm, ", sessions: 2"));
    project.flow("a", SHORT).flow("b", SHORT);
    project
        .run(&["test", "-v", "--junit", "report.xml"])
        .expect(0)
        .says("4 passed")
        .says("session of lent-1: ")
        .says("session of lent-2: ");
    let report = project.read("report.xml");
    assert_eq!(properties(&report, "session.id").len(), 2);
    assert_eq!(properties(&report, "device.label").len(), 2);
    assert_eq!(
        properties(&report, "device.serial"),
        farm.lenders
            .iter()
            .map(|lender| lender.serial.clone())
            .collect()
    );
    all_closed(&farm, &[]);
}

/// The Grid asks for a session of its own for each flow where that is wanted.
#[test]
fn a_session_may_be_one_flows_alone() {
    let Some(farm) = farm() else { return };
    let project = project(&device(&farm, ", session: flow"));
    project.flow("a", SHORT).flow("b", SHORT);
    project
        .run(&["test", "--junit", "report.xml"])
        .expect(0)
        .says("2 passed");
    assert_eq!(
        properties(&project.read("report.xml"), "session.id").len(),
        2
    );
    all_closed(&farm, &[]);
}

#[test]
fn a_node_that_dies_is_no_failure_of_the_app() {
    let Some(mut farm) = farm() else { return };
    let project = project(&device(&farm, ""));
    project.flow("a", LONG).flow("b", SHORT);
    let run = Running::start(&project, &["test", "--json", "events.ndjson"]);
    super::until("the first look", || {
        has_passed(&project, "events.ndjson", "find: Username")
    });
    let lost = farm.until_sessions(1);
    let left_behind = farm.appium_sessions();
    let node = farm.node_of(&lost[0]);
    farm.kill_node(node);
    // The other node takes the second flow.
    run.end()
        .expect(3)
        .says("1 passed")
        .says("1 error")
        .says("lent");
    farm.start_again();
    farm.wait_until_ready();
    all_closed(&farm, &left_behind);
}

#[test]
fn a_grid_that_restarts_is_no_failure_of_the_app() {
    let Some(mut farm) = farm() else { return };
    let project = project(&device(&farm, ""));
    project.flow("a", LONG);
    let run = Running::start(&project, &["test", "--json", "events.ndjson"]);
    super::until("the first look", || {
        has_passed(&project, "events.ndjson", "find: Username")
    });
    let left_behind = farm.appium_sessions();
    farm.kill_hub();
    farm.start_again();
    farm.wait_until_ready();
    run.end().expect(3).says("1 error");
    all_closed(&farm, &left_behind);
}

#[test]
fn no_free_slot_is_waited_for_and_given_up() {
    let Some(farm) = farm() else { return };
    let request = json!({ "capabilities": { "firstMatch": [{}], "alwaysMatch": { "platformName": "Android" } } });
    for _ in 0..2 {
        let begun = http::send(
            farm.port,
            "POST",
            "/session",
            request.to_string().as_bytes(),
        );
        assert_eq!(begun.expect("an answer").status(), 200);
    }
    let busy = farm.until_sessions(2);
    let short = project(&device(&farm, ", session_timeout: 8s"));
    short.flow("a", SHORT);
    short
        .run(&["test"])
        .expect(3)
        .says("waiting for a session")
        .says("no session came free within 8s");
    // One that is given back in time is taken.
    let long = project(&device(&farm, ", session_timeout: 2m"));
    long.flow("a", SHORT);
    let run = Running::start(&long, &["test"]);
    super::until("a wish in the queue", || {
        let queue = http::get(farm.port, "/se/grid/newsessionqueue/queue").ok()?;
        (!queue["value"].as_array()?.is_empty()).then_some(())
    });
    for session in &busy {
        http::delete(farm.port, &format!("/session/{session}"));
    }
    run.end().expect(0).says("1 passed");
    farm.until_sessions(0);
}

#[test]
fn an_interrupted_run_leaves_no_session() {
    let Some(farm) = farm() else { return };
    let project = project(&device(&farm, ", sessions: 2"));
    project.flow("a", LONG);
    let run = Running::start(&project, &["test", "--json", "events.ndjson"]);
    super::until("the first look", || {
        has_passed(&project, "events.ndjson", "find: Username")
    });
    run.interrupt();
    run.end().expect(130);
    all_closed(&farm, &[]);
}

#[test]
fn somebody_elses_delete_is_no_failure_of_the_app() {
    let Some(farm) = farm() else { return };
    let project = project(&device(&farm, ""));
    project.flow("a", LONG).flow("b", SHORT);
    let run = Running::start(&project, &["test", "--json", "events.ndjson"]);
    super::until("the first look", || {
        has_passed(&project, "events.ndjson", "find: Username")
    });
    let sessions = farm.until_sessions(1);
    http::delete(farm.port, &format!("/session/{}", sessions[0]));
    run.end().expect(3).says("1 passed").says("1 error");
    all_closed(&farm, &[]);
}

//! Catalogue D in its dialect.

mod act;
mod faults;
mod files;
mod flows;
mod look;
mod scrolling;

use crate::common::Project;
use crate::common::mcp::Client;
use crate::mcp::server::http_client::{HttpClient, HttpServer};
use serde_json::{Value, json};

const APP: &str = "com.example.notes";

/// Starts a server of the dialect. Its device shows the home screen.
fn server() -> (Project, Client) {
    let project = Project::with_demo_app();
    let client = Client::start(&project, &["--dialect", "scenario"]);
    (project, client)
}

/// Starts a server and a scenario; the sign-in screen is shown.
fn started() -> (Project, Client) {
    let (project, mut client) = server();
    says(
        &mut client,
        "startTestingScenario",
        json!({ "appPackage": APP }),
        "OK: launched com.example.notes (foreground confirmed)",
    );
    (project, client)
}

/// Starts a server with the list of notes on its screen.
fn signed_in() -> (Project, Client) {
    let (project, mut client) = started();
    for (field, text) in [("username", "ada"), ("password", "lovelace")] {
        answer_text(
            &mut client,
            "inputText",
            json!({ "fieldSelector": field, "text": text, "selectorType": "resource-id" }),
        );
    }
    answer_text(
        &mut client,
        "tap",
        json!({ "text": "sign_in", "selectorType": "resource-id" }),
    );
    visible(&mut client, "Welcome, Ada");
    (project, client)
}

/// Calls a tool and returns its text. Asserts that it is no error of the protocol.
#[track_caller]
fn answer_text(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.call(tool, arguments);
    assert!(!answer.is_error, "{tool}: {}", answer.text);
    answer.text
}

/// Asserts the tool's whole answer.
#[track_caller]
fn says(client: &mut Client, tool: &str, arguments: Value, text: &str) {
    assert_eq!(
        answer_text(client, tool, arguments.clone()),
        text,
        "{arguments}"
    );
}

/// Asserts the beginning of the tool's answer, and returns it all.
#[track_caller]
fn begins(client: &mut Client, tool: &str, arguments: Value, start: &str) -> String {
    let text = answer_text(client, tool, arguments);
    assert!(text.starts_with(start), "{tool}: {text}");
    text
}

#[track_caller]
fn visible(client: &mut Client, text: &str) {
    begins(
        client,
        "verifyElementVisible",
        json!({ "text": text }),
        "VISIBLE: ",
    );
}

#[track_caller]
fn gone(client: &mut Client, text: &str) {
    begins(
        client,
        "verifyElementNotVisible",
        json!({ "text": text }),
        "OK: ",
    );
}

/// Returns the matches of a text.
#[track_caller]
fn found(client: &mut Client, text: &str) -> Vec<Value> {
    let answer = client.call("findUiElementsByText", json!({ "text": text }));
    answer.text_json().as_array().cloned().expect("a list")
}

#[test]
fn the_catalogue_is_whole() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "scenario", "--no-agent-tools"]);
    assert_eq!(client.tools().len(), 23);
}

/// T14 of 2026-11-26: the statuses that document 004 gives each tool. A description is all that a model knows of one.
#[test]
fn each_description_names_the_statuses_that_a_model_looks_for() {
    let table = [
        ("startTestingScenario", &["OK", "ERROR"][..]),
        ("launchAppByPackage", &["OK", "ERROR"]),
        ("getScreenSize", &["OK", "ERROR"]),
        ("tap", &["TAPPED: (x,y)", "NOT_FOUND", "AMBIGUOUS", "ERROR"]),
        ("tapByCoordinates", &["TAPPED: (x,y)", "ERROR"]),
        ("inputText", &["OK", "NOT_FOUND", "ERROR"]),
        ("goBack", &["OK: pressed back", "ERROR"]),
        ("hideKeyboard", &["OK", "ERROR"]),
        ("swipeUp", &["OK", "ERROR"]),
        ("swipeDown", &["OK", "ERROR"]),
        ("scrollVertically", &["OK", "ERROR"]),
        ("scrollHorizontally", &["OK", "ERROR"]),
        ("verifyElementVisible", &["VISIBLE", "NOT_VISIBLE", "ERROR"]),
        ("verifyElementNotVisible", &["OK", "NOT_VISIBLE", "ERROR"]),
        ("wait", &["OK", "ERROR"]),
    ];
    let (_project, mut client) = server();
    let listed = client.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools");
    for (name, statuses) in table {
        let tool = tools.iter().find(|tool| tool["name"] == name).expect(name);
        let description = tool["description"].as_str().expect("a description");
        for status in statuses {
            assert!(
                description.contains(status),
                "{name}: {status}: {description}"
            );
        }
        let types = &tool["inputSchema"]["properties"]["selectorType"];
        if !types.is_null() {
            let all = json!(["text", "content-desc", "resource-id", "any"]);
            assert_eq!(
                (&types["enum"], &types["default"]),
                (&all, &json!("any")),
                "{name}"
            );
        }
    }
}

#[test]
fn d01_start_testing_scenario_starts_an_app_anew_once() {
    let (_project, mut client) = server();
    // What is in the app before is lost: it is ended first.
    says(
        &mut client,
        "launchAppByPackage",
        json!({ "packageName": APP }),
        "OK: launched com.example.notes",
    );
    answer_text(
        &mut client,
        "inputText",
        json!({ "fieldSelector": "Username", "text": "grace" }),
    );
    visible(&mut client, "grace");
    let start = json!({ "appPackage": APP });
    says(
        &mut client,
        "startTestingScenario",
        start.clone(),
        "OK: launched com.example.notes (foreground confirmed)",
    );
    visible(&mut client, "Welcome to Notes");
    gone(&mut client, "grace");
    answer_text(
        &mut client,
        "inputText",
        json!({ "fieldSelector": "Username", "text": "ada" }),
    );
    says(
        &mut client,
        "startTestingScenario",
        start,
        "ERROR: startTestingScenario was already called this run — DO NOT call it again. The app is already launched. Proceed directly to Step 1 of the scenario.",
    );
    visible(&mut client, "ada");
}

#[test]
fn d01_start_testing_scenario_says_what_is_wrong() {
    let (_project, mut client) = server();
    for (arguments, text) in [
        (json!({}), "ERROR: appPackage is required"),
        (json!({ "appPackage": "" }), "ERROR: appPackage is required"),
        (
            json!({ "appPackage": null }),
            "ERROR: appPackage is required",
        ),
        (
            json!({ "appPackage": 7 }),
            "ERROR: appPackage must be text, got 7",
        ),
        (
            json!({ "appPackage": "a; reboot" }),
            "ERROR: appPackage must be a package such as com.example.notes, got 'a; reboot'",
        ),
    ] {
        says(&mut client, "startTestingScenario", arguments, text);
    }
    let text = begins(
        &mut client,
        "startTestingScenario",
        json!({ "appPackage": "com.example.nothing" }),
        "ERROR: launch failed: ",
    );
    assert!(text.contains("not installed"), "{text}");
    // A start that failed is none.
    begins(
        &mut client,
        "startTestingScenario",
        json!({ "appPackage": APP }),
        "OK: launched",
    );
}

#[test]
fn d02_launch_app_by_package_switches_apps() {
    let project = Project::with_demo_app();
    for file in project.files("apps/demo") {
        let text = project.read(&format!("apps/demo/{file}"));
        project.write(&format!("apps/second/{file}"), &text);
    }
    project.replace("apps/second/app.yaml", APP, "com.example.second");
    project.replace("runner.yaml", "[apps/demo]", "[apps/demo, apps/second]");
    let mut client = Client::start(&project, &["--dialect", "scenario"]);
    answer_text(
        &mut client,
        "startTestingScenario",
        json!({ "appPackage": APP }),
    );
    answer_text(
        &mut client,
        "inputText",
        json!({ "fieldSelector": "Username", "text": "ada" }),
    );
    says(
        &mut client,
        "launchAppByPackage",
        json!({ "packageName": "com.example.second" }),
        "OK: launched com.example.second",
    );
    gone(&mut client, "ada");
    visible(&mut client, "second:id/username");
    says(
        &mut client,
        "launchAppByPackage",
        json!({ "packageName": APP }),
        "OK: launched com.example.notes",
    );
    // It goes on where it was.
    visible(&mut client, "ada");
    says(
        &mut client,
        "launchAppByPackage",
        json!({}),
        "ERROR: packageName is required",
    );
    begins(
        &mut client,
        "launchAppByPackage",
        json!({ "packageName": "com.example.nothing" }),
        "ERROR: launch failed: ",
    );
    visible(&mut client, "ada");
}

// R3
#[test]
fn a_run_is_a_clients_session() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &["--dialect", "scenario"], 1);
    let start = json!({ "appPackage": APP });
    let reported = |answer: &Value| answer["result"]["content"][0]["text"].to_string();
    let mut first = HttpClient::join(server.address());
    let mut second = HttpClient::join(server.address());
    for client in [&mut first, &mut second] {
        let started = reported(&client.call("startTestingScenario", start.clone()));
        assert!(started.contains("OK: launched"), "{started}");
        let again = reported(&client.call("startTestingScenario", start.clone()));
        assert!(again.contains("already called this run"), "{again}");
    }
    first.call("initializeTestScenarioReport", json!({ "goal": "mine" }));
    let theirs = reported(&second.call("generateTestScenarioReport", json!({})));
    assert!(theirs.contains("ERROR"), "{theirs}");
    let mine = reported(&first.call("generateTestScenarioReport", json!({})));
    assert!(mine.contains("mine"), "{mine}");
    // The session goes on, and so does its run.
    let again = reported(&first.call("startTestingScenario", start));
    assert!(again.contains("already called this run"), "{again}");
}

// R3
#[test]
fn without_a_session_a_run_ends_with_its_report() {
    let (_project, mut client) = started();
    let start = json!({ "appPackage": APP });
    let starts = |client: &mut Client, text: &str| {
        begins(client, "startTestingScenario", start.clone(), text);
    };
    starts(&mut client, "ERROR: ");
    answer_text(
        &mut client,
        "initializeTestScenarioReport",
        json!({ "goal": "one" }),
    );
    starts(&mut client, "OK: ");
    starts(&mut client, "ERROR: ");
    let report = answer_text(&mut client, "generateTestScenarioReport", json!({}));
    assert!(report.contains("one"), "{report}");
    // It can be read again until the next begins.
    let again = answer_text(&mut client, "generateTestScenarioReport", json!({}));
    assert!(again.contains("one"), "{again}");
    starts(&mut client, "OK: ");
    begins(
        &mut client,
        "generateTestScenarioReport",
        json!({}),
        "ERROR: ",
    );
}

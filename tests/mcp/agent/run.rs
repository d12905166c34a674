//! Runs of flows by agents: results, waiting, cancellation.

use super::{pictures, project, read, refused, shows, size};
use crate::common::mcp::Client;
use serde_json::{Value, json};

/// Flow that fails at a wrong name.
const FAILS: &str = "app: com.example.notes
steps:
  - run: _open.yaml
  - click: Sign inn
  - click: never reached
";

#[test]
fn a_flow_that_passes_gives_its_steps_and_leaves_the_device_to_the_other_tools() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let answer = client.call("runner_run_flow", json!({ "path": "flows/sign-in.yaml" }));
    assert!(!answer.is_error, "{}", answer.text);
    assert!(
        answer.text.contains("  ok    click: { id: sign_in }  "),
        "{}",
        answer.text
    );
    assert!(
        answer.text.contains("PASS  flows/sign-in.yaml"),
        "{}",
        answer.text
    );
    let value = answer.json();
    assert_eq!(value["passed"], true);
    let flow = &value["flows"][0];
    assert_eq!(
        (&flow["status"], &flow["name"], &flow["device"]),
        (&json!("passed"), &json!("Sign in"), &json!("virtual"))
    );
    let step = &flow["steps"][4];
    assert_eq!(step["title"], "click: { id: sign_in }");
    assert_eq!(step["status"], "passed");
    assert_eq!(step["at"], "flows/sign-in.yaml:11:5");
    assert!(step["round_trips"].as_u64() >= Some(1), "{step}");
    assert!(pictures(&answer).is_empty());
    shows(&mut client, "Welcome, Ada");

    // Env goes before the flow's own; what is secret of it is not said.
    let env = json!({ "path": "flows/sign-in.yaml", "env": { "PASSWORD": "babbage-7" } });
    let answer = client.call("runner_run_flow", env);
    assert_eq!(answer.json()["passed"], false, "{}", answer.text);
    assert!(
        !answer.result.to_string().contains("babbage-7"),
        "{}",
        answer.result
    );
    assert!(!project.path("snapshots").exists());
}

#[test]
fn a_flow_that_fails_says_where_and_why_and_shows_the_screen() {
    let project = project();
    let mut client = Client::start(&project, &["--dialect", "semantic"]);
    let answer = client.call(
        "runner_run_flow",
        json!({ "path": "flows/try.yaml", "text": FAILS }),
    );
    assert!(
        !answer.is_error,
        "a failed flow is an answer: {}",
        answer.text
    );
    for part in [
        "  ok    run: _open.yaml",
        "  FAIL  click: Sign inn",
        "error: no element matches Sign inn\n     --> flows/try.yaml:4:5\n",
        "near miss: Button \"Sign in\"",
        "the screen at the failure:\n",
        " Button \"Sign in\" id=sign_in",
        ".runner/artifacts/flows/try/virtual-1/failure.annotated.png",
    ] {
        assert!(answer.text.contains(part), "{part:?}: {}", answer.text);
    }
    assert!(!answer.text.contains("never reached"), "{}", answer.text);
    for noise in ["StatusBar", "note:", "LinearLayout"] {
        assert!(!answer.text.contains(noise), "{noise}: {}", answer.text);
    }
    let value = answer.json();
    let failure = &value["flows"][0]["failure"];
    assert_eq!(
        (&failure["file"], &failure["line"], &failure["kind"]),
        (&json!("flows/try.yaml"), &json!(4), &json!("assertion"))
    );
    let artifacts = value["flows"][0]["artifacts"].as_array().expect("files");
    for artifact in artifacts {
        let path = artifact["path"].as_str().expect("a path");
        assert!(project.path(path).is_file(), "{path}");
    }
    let pictures = pictures(&answer);
    assert_eq!(pictures.len(), 1);
    assert_eq!(size(&pictures[0]), (315, 700));
    assert!(
        !project.path("flows/try.yaml").exists(),
        "it is not written"
    );

    let report: Value =
        serde_json::from_str(&read(&mut client, "runner://report/last")).expect("JSON");
    assert_eq!(report["source"], "this server");
    assert_eq!(report["flows"], value["flows"]);
}

/// T11 of 2026-11-26: an id in an answer is one that tools take, whatever failed.
#[test]
fn a_failure_names_elements_by_ids_that_tools_take() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    for (steps, has_ids) in [
        ("  - click: Sign inn\n", true),
        ("  - assert visible: Nowhere\n    timeout: 10ms\n", true),
        (
            "  - type: { into: { id: username }, text: ada }\n  - assert: { id: username, text: bob }\n    timeout: 10ms\n",
            true,
        ),
        (
            "  - press: HOME\n  - click: Sign in\n    timeout: 10ms\n",
            true,
        ),
        (
            "  - click: Sign inn\n    timeout: 10ms\nteardown:\n  - press: HOME\n",
            false,
        ),
    ] {
        let text = format!("app: com.example.notes\nsteps:\n  - run: _open.yaml\n{steps}");
        let answer = client.call(
            "runner_run_flow",
            json!({ "path": "flows/try.yaml", "text": text }),
        );
        let (_, screen) = answer
            .text
            .split_once("the screen at the failure:\n")
            .expect(steps);
        let numbered = |line: &&str| {
            let digits = line
                .split('\t')
                .next()
                .and_then(|cell| cell.strip_prefix('n'));
            digits.is_some_and(|digits| digits.parse::<u32>().is_ok())
        };
        assert_eq!(screen.lines().find(numbered), None, "{steps}{screen}");
        let ids: Vec<&str> = screen
            .lines()
            .filter_map(|line| line.split(' ').next())
            .filter(|id| id.starts_with("@e"))
            .collect();
        assert_eq!(!ids.is_empty(), has_ids, "{steps}{screen}");
        assert_eq!(pictures(&answer).len(), 1, "{steps}");
        if has_ids {
            let details = client.call("android_get_element_details", json!({ "ids": ids }));
            assert!(!details.text.contains("not_found"), "{}", details.text);
        }
    }
}

#[test]
fn the_answer_of_a_long_run_is_not_as_long() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    // The same server takes Maestro's text too.
    let text = "appId: com.example.notes\n---\n- launchApp\n- assertVisible: welcome to .*\n- tapOn: Nowhere\n";
    let answer = client.call("runner_run_flow", json!({ "text": text }));
    assert_eq!(answer.json()["passed"], false, "{}", answer.text);
    assert!(
        answer.text.contains("no element matches \"Nowhere\""),
        "{}",
        answer.text
    );
    let text = ENDLESS.replace("10000", "220");
    let answer = client.call("runner_run_flow", json!({ "text": text }));
    assert_eq!(answer.json()["passed"], true, "{}", answer.text);
    let lines = answer.text.lines().count();
    assert!(lines < 210, "{lines} lines");
    assert!(answer.text.contains(" lines left out\n"), "{}", answer.text);
    let flow = &answer.json()["flows"][0];
    assert_eq!(
        flow["steps_left_out"], 23,
        "220 repeated steps and 3 others, of which 200 are told"
    );
    let steps = flow["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 200);
    assert_eq!(steps[0]["title"], "launch: { clear: true }");
    assert_eq!(steps[199]["step"], json!(["teardown", 0]));
}

#[test]
fn what_does_not_read_is_not_run() {
    let project = project();
    project.flow("bad", "steps:\n  - clik: here\n");
    let mut client = Client::start(&project, &[]);
    for arguments in [
        json!({ "path": "flows/bad.yaml" }),
        json!({ "text": "steps:\n  - clik: here\n" }),
    ] {
        refused(
            &mut client,
            "runner_run_flow",
            arguments.clone(),
            "not run: 1 error\n",
        );
        refused(
            &mut client,
            "runner_run_flow",
            arguments,
            "did you mean `click`?",
        );
    }
    for (arguments, part) in [
        (
            json!({}),
            "name a flow with `path`, or give its YAML as `text`",
        ),
        (
            json!({ "path": "flows/nothing.yaml" }),
            "there is no such file or folder; `flows` has `bad.yaml`, `sign-in.yaml`; runner_list_flows names the flows",
        ),
        (json!({ "path": "/etc/passwd" }), "leaves its folder"),
        (json!({ "path": "flows/../../x.yaml" }), "leaves its folder"),
        (
            json!({ "path": "flows/sign-in.yaml", "update": "all" }),
            "Parameter 'update' must be one of 'pending', 'none', got: 'all'",
        ),
    ] {
        refused(&mut client, "runner_run_flow", arguments, part);
    }
}

/// Flow that looks again and again, longer than any test. Its end is seen on the screen.
const ENDLESS: &str = "app: com.example.notes
steps:
  - launch: { clear: true }
  - repeat:
      times: 10000
      steps: [ assert visible: Welcome to Notes ]
teardown:
  - type: { into: { id: username }, text: torn down }
";

/// Begins a run, and waits until its first step is done.
#[track_caller]
fn begin_run(client: &mut Client, text: &str) -> u64 {
    let run = client.begin(
        "tools/call",
        json!({
            "name": "runner_run_flow",
            "arguments": { "text": text },
            "_meta": { "progressToken": "run" },
        }),
    );
    let value = client.next();
    assert_eq!(value["method"], "notifications/progress", "{value}");
    run
}

#[test]
fn a_cancelled_run_ends_in_order_before_others_get_the_device() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let run = begin_run(&mut client, ENDLESS);
    client.notify("notifications/cancelled", json!({ "requestId": run }));
    shows(&mut client, "torn down");
    let report: Value =
        serde_json::from_str(&read(&mut client, "runner://report/last")).expect("JSON");
    assert_eq!(report["flows"][0]["status"], "interrupted", "{report}");
}

#[test]
fn calls_wait_until_a_run_has_ended() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let text = ENDLESS.replace("10000", "40");
    let run = begin_run(&mut client, &text);
    let look = json!({ "name": "android_get_screen_state", "arguments": {} });
    let call = client.begin("tools/call", look);
    // What uses no device does not wait.
    let list = client.begin(
        "tools/call",
        json!({ "name": "runner_list_flows", "arguments": {} }),
    );
    let (_, before) = client.finish(list);
    assert!(
        before
            .iter()
            .all(|message| message["method"] == "notifications/progress"),
        "{before:?}"
    );
    let (answer, before) = client.finish(call);
    // Its answer may come a moment later: which of two answers is written first nobody promises.
    let has_ended = |message: &Value| {
        let progress = &message["params"];
        message["id"] == run || progress["progress"] == progress["total"]
    };
    assert!(before.iter().any(has_ended), "{before:?}");
    let screen = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(screen.contains("torn down"), "{screen}");
}

// A1
#[test]
fn no_expression_ends_the_server() {
    let project = project();
    project.flow(
        "bomb",
        "steps:\n  - set: { A: \"${'a'|indent(100000000000)}\" }\n",
    );
    project.flow("good", "steps:\n  - set: { A: \"${1 + 1}\" }\n");
    let mut client = Client::start(&project, &[]);
    let answer = client.call("runner_run_flow", json!({ "path": "flows/bomb.yaml" }));
    assert_eq!(answer.json()["passed"], false);
    let answer = client.call("runner_run_flow", json!({ "path": "flows/good.yaml" }));
    assert_eq!(answer.json()["passed"], true);
}

//! Snapshots by agents: taken, reviewed, accepted or not.

use super::{pictures, project, refused, size};
use crate::common::mcp::Client;
use serde_json::json;

const CLASS: &str = "virtual1-34-1080x2400-420-en-light";

#[test]
#[expect(clippy::too_many_lines, reason = "one session, told in order")]
fn a_snapshot_is_new_then_the_same_then_different() {
    let project = project();
    let mut client = Client::start(&project, &["--allow-accept"]);
    client.call("runner_run_flow", json!({ "path": "flows/_open.yaml" }));
    let key = format!("sign-in/home~{CLASS}");
    let home = json!({ "name": "home", "flow": "flows/sign-in.yaml" });

    let kept_nothing = json!({ "name": "home", "flow": "flows/sign-in.yaml", "update": "none" });
    let answer = client.call("runner_take_snapshot", kept_nothing);
    assert_eq!(answer.json()["state"], "new");
    assert!(!project.path("snapshots").exists(), "{}", answer.text);

    let new = client.call("runner_take_snapshot", home.clone());
    assert!(
        new.text.starts_with(&format!("{key} is new\n")),
        "{}",
        new.text
    );
    assert_eq!(new.json()["key"], key);
    assert_eq!(size(&pictures(&new)[0]), (315, 700));
    assert_eq!(
        project.files("snapshots"),
        [
            "sign-in/home.new.tsv".to_owned(),
            format!("sign-in/home~{CLASS}.annotated.new.png"),
            format!("sign-in/home~{CLASS}.new.png"),
            format!("sign-in/home~{CLASS}.new.tsv"),
        ]
    );
    let pending = client.call("runner_list_pending", json!({}));
    assert_eq!(pending.text, format!("{key}  new: new in sign-in"));
    assert_eq!(pending.json()["pending"][0]["cause"]["kind"], "new");
    let diff = client.call("runner_diff_snapshot", json!({ "key": key }));
    assert!(
        diff.text.contains("is new; it would hold\n"),
        "{}",
        diff.text
    );
    assert!(
        diff.text.contains("- Button#sign_in: added\n"),
        "{}",
        diff.text
    );

    let accepted = client.call(
        "runner_accept_snapshot",
        json!({ "keys": ["sign-in/home"] }),
    );
    // U1: what was accepted is listed by its reasons.
    let message = format!("accepted  {key}\n1 snapshot, new:\n    new in sign-in");
    assert_eq!(accepted.text, message);
    assert!(project.path("snapshots/sign-in/home.tsv").is_file());
    assert_eq!(
        client.call("runner_list_pending", json!({})).text,
        "nothing to review"
    );

    let same = client.call("runner_take_snapshot", home.clone());
    assert_eq!(
        same.text.lines().next(),
        Some(&*format!("{key} is the same as its golden"))
    );
    assert_eq!(same.json()["state"], "same");
    assert!(pictures(&same).is_empty());

    client.call(
        "runner_run_flow",
        json!({ "text": "app: com.example.notes\nsteps:\n  - type: { into: { id: username }, text: ada }\n  - hide_keyboard\n" }),
    );
    let other = client.call("runner_take_snapshot", home.clone());
    assert_eq!(other.json()["state"], "differs", "{}", other.text);
    assert!(
        other
            .text
            .contains("- EditText#username: text \"\" → \"ada\""),
        "{}",
        other.text
    );
    assert_eq!(size(&pictures(&other)[0]), (315, 700));
    let diff = client.call("runner_diff_snapshot", json!({ "key": "sign-in/home" }));
    assert!(
        diff.text.starts_with(&format!("{key} would change\n")),
        "{}",
        diff.text
    );
    assert!(
        diff.text
            .contains("- EditText#username: text \"\" → \"ada\""),
        "{}",
        diff.text
    );
    assert!(diff.text.contains(" px change, in "), "{}", diff.text);
    assert!(
        diff.text.contains("\ncause: text: \"ada\" added"),
        "{}",
        diff.text
    );
    assert_eq!(diff.json()["cause"]["kind"], "text", "{}", diff.text);
    assert!(
        diff.text.ends_with("golden, new, difference"),
        "{}",
        diff.text
    );
    assert_eq!(size(&pictures(&diff)[0]), (3 * 315 + 2 * 8, 700));

    // What is masked does not differ, but the golden was taken without the mask.
    let masked =
        json!({ "name": "home", "flow": "flows/sign-in.yaml", "mask": [{ "id": "username" }] });
    let answer = client.call("runner_take_snapshot", masked);
    assert_eq!(answer.json()["state"], "mask_changed", "{}", answer.text);
}

#[test]
fn a_snapshot_of_a_flow_compares_with_the_golden_of_its_step() {
    let project = project();
    project.flow(
        "open",
        "steps:\n  - launch: { clear: true }\n  - snapshot: { name: home, of: { id: hint } }\n",
    );
    project
        .run(&["test", "flows/open.yaml", "--update"])
        .expect(0);
    let mut client = Client::start(&project, &[]);
    client.call("runner_run_flow", json!({ "path": "flows/_open.yaml" }));
    let arguments = json!({ "name": "home", "flow": "flows/open.yaml", "of": { "id": "hint" } });
    let answer = client.call("runner_take_snapshot", arguments);
    assert_eq!(answer.json()["state"], "same", "{}", answer.text);

    for (arguments, part) in [
        (json!({ "name": "no good" }), "no good"),
        (json!({ "name": "x", "flow": "../x" }), "leaves its folder"),
        (
            json!({ "name": "x", "mask": [{ "rect": [1, 2, 3] }] }),
            "runner_take_snapshot",
        ),
        (
            json!({ "name": "x", "of": { "id": "nothing" } }),
            "`of: { id: nothing }` finds no element",
        ),
        (
            json!({ "name": "x", "app": "com.example.other" }),
            "no window of com.example.other",
        ),
    ] {
        refused(&mut client, "runner_take_snapshot", arguments, part);
    }
    refused(
        &mut client,
        "runner_diff_snapshot",
        json!({ "key": "open/home" }),
        "no pending golden matches \"open/home\"; there are: none",
    );
}

#[test]
fn snapshots_of_a_flow_wait_for_review_and_are_not_accepted_unasked() {
    let project = project();
    project.flow(
        "open",
        "steps:\n  - launch: { clear: true }\n  - snapshot: home\n",
    );
    let mut client = Client::start(&project, &[]);
    let none = json!({ "path": "flows/open.yaml", "update": "none" });
    assert_eq!(client.call("runner_run_flow", none).json()["passed"], false);
    assert!(!project.path("snapshots").exists());
    let answer = client.call("runner_run_flow", json!({ "path": "flows/open.yaml" }));
    let snapshot = &answer.json()["flows"][0]["snapshots"][0];
    assert_eq!(snapshot["verdict"], "new", "{}", answer.text);
    assert_eq!(pictures(&answer).len(), 1);
    let key = format!("open/home~{CLASS}");
    refused(
        &mut client,
        "runner_accept_snapshot",
        json!({ "keys": [key] }),
        &format!(
            "this server may not accept snapshots: a person runs `runner accept {key}`, or starts the server with --allow-accept"
        ),
    );
    refused(
        &mut client,
        "runner_accept_snapshot",
        json!({ "keys": ["open/*", key] }),
        &format!("a person runs `runner accept \"open/*\" {key}`"),
    );
    refused(
        &mut client,
        "runner_accept_snapshot",
        json!({ "keys": [] }),
        "`keys` is empty",
    );
    assert!(!project.path("snapshots/open/home.tsv").exists());
    // The command it names does it.
    project.run(&["accept", &key]).expect(0);
    let again = client.call("runner_run_flow", json!({ "path": "flows/open.yaml" }));
    assert_eq!(again.json()["passed"], true, "{}", again.text);
}

#[test]
fn a_snapshot_needs_no_more_than_a_name_and_a_new_one_is_told_in_short() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let list = client.request("tools/list", json!({}));
    let tool = list["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|tool| tool["name"] == "runner_take_snapshot")
        .expect("the tool");
    assert_eq!(tool["inputSchema"]["required"], json!(["name"]), "{tool}");
    client.call("runner_run_flow", json!({ "path": "flows/sign-in.yaml" }));
    client.call("runner_take_snapshot", json!({ "name": "inbox" }));
    let diff = client.call("runner_diff_snapshot", json!({ "key": "agent/inbox" }));
    let rows = diff
        .text
        .lines()
        .filter(|line| line.starts_with("- "))
        .count();
    assert_eq!(rows, 21, "{}", diff.text);
    assert!(diff.text.contains(" more, all added\n"), "{}", diff.text);
    let all = diff.json()["rows"].as_array().map_or(0, Vec::len);
    assert!(all > 40, "{all}");
}

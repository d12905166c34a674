//! The tools for agents: lint, run, snapshots; resources and prompts.

use crate::common::Project;
use crate::common::mcp::{Answer, Client};
use base64::Engine as _;
use serde_json::{Value, json};

const CLASS: &str = "virtual1-34-1080x2400-420-en-light";

/// A project with a flow that signs in, and a sub-flow.
fn project() -> Project {
    let project = Project::with_demo_app();
    project.flow(
        "sign-in",
        "name: Sign in
tags: [smoke]
env: { PASSWORD: lovelace, USER: ada }
secrets: [PASSWORD]
steps:
  - launch: { clear: true }
  - type: { into: { id: username }, text: \"${USER}\" }
  - type: { into: { id: password }, text: \"${PASSWORD}\", secret: true }
  - hide_keyboard
  - click: { id: sign_in }
  - assert visible: \"Welcome, *\"
",
    );
    project.write(
        "flows/_open.yaml",
        "app: com.example.notes\nsteps:\n  - launch: { clear: true }\n",
    );
    project
}

/// A flow that stops at a wrong name.
const FAILS: &str = "app: com.example.notes
steps:
  - run: _open.yaml
  - click: Sign inn
  - click: never reached
";

/// The pictures of an answer.
fn pictures(answer: &Answer) -> Vec<Vec<u8>> {
    let items = answer.result["content"].as_array().into_iter().flatten();
    items
        .filter(|item| item["type"] == "image")
        .map(|item| {
            assert_eq!(item["mimeType"], "image/jpeg");
            let data = item["data"].as_str().expect("data");
            let bytes = base64::engine::general_purpose::STANDARD.decode(data);
            bytes.expect("base64")
        })
        .collect()
}

/// Width and height of a JPEG, from its frame header.
fn size(bytes: &[u8]) -> (u16, u16) {
    assert!(bytes.starts_with(&[0xFF, 0xD8]), "a JPEG");
    let number = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let mut at = 2;
    while !matches!(bytes[at + 1], 0xC0..=0xC2) {
        at += 2 + usize::from(number(at + 2));
    }
    (number(at + 7), number(at + 5))
}

/// The text of a resource.
#[track_caller]
fn read(client: &mut Client, uri: &str) -> String {
    let result = client.request("resources/read", json!({ "uri": uri }));
    let text = result["contents"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

/// An error of a tool.
#[track_caller]
fn refused(client: &mut Client, tool: &str, arguments: Value, part: &str) {
    let answer = client.call(tool, arguments);
    assert!(
        answer.is_error && answer.text.contains(part),
        "{part:?} is not what {tool} says: {}",
        answer.text
    );
}

#[track_caller]
fn shows(client: &mut Client, text: &str) {
    let screen = client.call("android_get_screen_state", json!({}));
    assert!(screen.text.contains(text), "{}", screen.text);
}

#[test]
fn flows_are_listed_with_what_does_not_read() {
    let project = project();
    project.flow("bad", "steps:\n  - clik: here\n");
    let mut client = Client::start(&project, &[]);
    let answer = client.call("runner_list_flows", json!({}));
    assert_eq!(
        answer.text,
        "flows/sign-in.yaml  Sign in  app com.example.notes  [smoke]\n\
         flows/bad.yaml  does not read: 1 error; runner_lint_flow says which\n\
         flows/_open.yaml  sub-flow, for `run:`"
    );
    let value = answer.json();
    assert_eq!(value["flows"][0]["steps"], 6);
    assert_eq!(value["unreadable"][0]["path"], "flows/bad.yaml");
    assert_eq!(value["sub_flows"], json!(["flows/_open.yaml"]));
    let tagged = client.call("runner_list_flows", json!({ "tag": "other" }));
    assert_eq!(tagged.json()["flows"], json!([]));

    let empty = Project::with_demo_app();
    let mut client = Client::start(&empty, &[]);
    let answer = client.call("runner_list_flows", json!({}));
    assert_eq!(
        answer.text,
        "there are no flows yet; write one with runner_save_flow"
    );
}

#[test]
fn lint_gives_every_error_its_place_marker_and_help() {
    let project = project();
    project.flow("bad", "steps:\n  - clik: here\n");
    let mut client = Client::start(&project, &[]);
    let good = client.call("runner_lint_flow", json!({ "path": "flows/sign-in.yaml" }));
    assert_eq!(good.text, "1 flow: no errors");
    assert_eq!(good.json()["ok"], true);

    let text = "steps:\n  - clik: Sign in\n  - press: { }\n";
    let bad = client.call("runner_lint_flow", json!({ "text": text }));
    assert!(!bad.is_error, "errors are the answer: {}", bad.text);
    for part in [
        "error[unknown-step]: there is no step `clik`\n --> flows/untitled.yaml:2:5\n",
        "2 |   - clik: Sign in\n  |     ^^^^\n",
        "= help: did you mean `click`?",
        "1 flow: 2 errors",
    ] {
        assert!(bad.text.contains(part), "{part:?}: {}", bad.text);
    }
    let value = bad.json();
    assert_eq!(
        (&value["ok"], &value["errors"]),
        (&json!(false), &json!(2)),
        "{value}"
    );
    assert_eq!(
        value["diagnostics"][0],
        json!({
            "file": "flows/untitled.yaml", "line": 2, "column": 5, "severity": "error",
            "code": "unknown-step", "message": "there is no step `clik`",
            "source": "  - clik: Sign in", "help": "did you mean `click`?",
        })
    );
    let all = client.call("runner_lint_flow", json!({}));
    assert!(all.text.contains("flows/bad.yaml:3:5"), "{}", all.text);
    assert!(all.text.ends_with("2 flows: 1 error"), "{}", all.text);

    let assumed = json!({ "path": "flows/sub/x.yaml", "text": "steps: [ run: nowhere.yaml ]\n" });
    let answer = client.call("runner_lint_flow", assumed);
    assert!(
        answer.text.contains("flows/sub/x.yaml:1:15"),
        "{}",
        answer.text
    );
    refused(
        &mut client,
        "runner_lint_flow",
        json!({ "path": "../else.yaml" }),
        "the path `../else.yaml` leaves its folder",
    );
    refused(
        &mut client,
        "runner_lint_flow",
        json!({ "path": "flows/nothing.yaml" }),
        "there is no such file or folder",
    );
    refused(
        &mut client,
        "runner_lint_flow",
        json!({ "file": "x" }),
        "unknown field `file`",
    );
}

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
        "\tButton\tSign in\t-\tsign_in\t-\t",
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

#[test]
fn the_answer_of_a_long_run_is_not_as_long() {
    let project = project();
    let mut client = Client::start(&project, &[]);
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
            "there is no such file or folder",
        ),
        (json!({ "path": "/etc/passwd" }), "leaves its folder"),
        (json!({ "path": "flows/../../x.yaml" }), "leaves its folder"),
        (
            json!({ "path": "flows/sign-in.yaml", "update": "all" }),
            "unknown variant `all`",
        ),
    ] {
        refused(&mut client, "runner_run_flow", arguments, part);
    }
}

#[test]
fn a_flow_is_saved_only_where_flows_belong_and_only_without_errors() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let text = "# kept as written\napp: com.example.notes\nsteps:\n  - launch\n";
    let save = |path: &str, text: &str| json!({ "path": path, "text": text });
    let answer = client.call("runner_save_flow", save("flows/deep/open.yaml", text));
    assert_eq!(answer.text, "saved flows/deep/open.yaml");
    assert_eq!(project.read("flows/deep/open.yaml"), text);

    refused(
        &mut client,
        "runner_save_flow",
        save("flows/deep/open.yaml", "steps: [ back ]\n"),
        "flows/deep/open.yaml is there already; choose another path, or say `overwrite: true`",
    );
    assert_eq!(project.read("flows/deep/open.yaml"), text);
    let mut over = save("flows/deep/open.yaml", "steps: [ back ]\n");
    over["overwrite"] = true.into();
    let answer = client.call("runner_save_flow", over);
    assert_eq!(answer.json()["replaced"], true, "{}", answer.text);
    assert_eq!(project.read("flows/deep/open.yaml"), "steps: [ back ]\n");

    let before = project.files("");
    for (path, text, part) in [
        (
            "flows/bad.yaml",
            "steps:\n  - clik: x\n",
            "not saved: flows/bad.yaml has 1 error\n",
        ),
        (
            "flows/bad.yaml",
            "steps:\n  - clik: x\n",
            "flows/bad.yaml:2:5",
        ),
        (
            "other/x.yaml",
            text,
            "outside of the folders of flows; write a path below flows",
        ),
        ("flows/../x.yaml", text, "leaves its folder"),
        ("../x.yaml", text, "leaves its folder"),
        ("/tmp/x.yaml", text, "leaves its folder"),
        ("flows", text, "outside of the folders of flows"),
        ("flows/x.sh", text, "is no name of a flow"),
        ("flows/runner.yaml", text, "is no name of a flow"),
        ("runner.yaml", text, "outside of the folders of flows"),
        ("", text, "names no file"),
    ] {
        refused(&mut client, "runner_save_flow", save(path, text), part);
    }
    assert_eq!(project.files(""), before);
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_flows() {
    let project = project();
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("x.yaml"), "steps: [ back ]\n").expect("a file");
    std::os::unix::fs::symlink(outside.path(), project.path("flows/link")).expect("a link");
    let mut client = Client::start(&project, &[]);
    let arguments = json!({ "path": "flows/link/y.yaml", "text": "steps: [ back ]\n" });
    refused(&mut client, "runner_save_flow", arguments, "by a link");
    refused(
        &mut client,
        "runner_run_flow",
        json!({ "path": "flows/link/x.yaml" }),
        "by a link",
    );
    let uri = "runner://flows/flows/link/x.yaml";
    let answer = client.ask("resources/read", json!({ "uri": uri }));
    assert!(answer.get("error").is_some(), "{answer}");
}

#[test]
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
    assert_eq!(pending.text, key);
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
    assert_eq!(accepted.text, format!("accepted  {key}"));
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
fn resources_hold_flows_documents_and_the_schema() {
    let project = project();
    project.write("secret.yaml", "steps: [ back ]\n");
    let mut client = Client::start(&project, &["--dialect", "scenario"]);
    let index: Value = serde_json::from_str(&read(&mut client, "runner://flows")).expect("JSON");
    let uri = index["flows"][0]["uri"].as_str().expect("a URI");
    let text = project.read("flows/sign-in.yaml");
    for uri in [
        uri,
        "runner://flows/sign-in.yaml",
        "runner://flows/flows%2Fsign-in.yaml",
    ] {
        assert_eq!(read(&mut client, uri), text, "{uri}");
    }
    for (uri, part) in [
        ("runner://flows/secret.yaml", "there is no flow"),
        ("runner://flows/../secret.yaml", "leaves its folder"),
        ("runner://flows/flows/../secret.yaml", "leaves its folder"),
        ("runner://flows/%2e%2e/secret.yaml", "leaves its folder"),
        ("runner://flows/%2Fetc%2Fpasswd", "leaves its folder"),
        ("runner://flows/runner.yaml", "there is no flow"),
        ("runner://docs/nothing", "no resource"),
    ] {
        let answer = client.ask("resources/read", json!({ "uri": uri }));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{uri}: {answer}");
    }
    assert!(read(&mut client, "runner://docs/flows").starts_with("# Flows"));
    assert!(read(&mut client, "runner://docs/steps").contains("hide_keyboard"));
    let selectors = read(&mut client, "runner://docs/selectors");
    assert!(selectors.starts_with("## Which element"), "{selectors}");
    assert!(!selectors.contains("## Assertions"), "{selectors}");
    let schema: Value =
        serde_json::from_str(&read(&mut client, "runner://schema/flow")).expect("JSON");
    assert!(schema["properties"]["steps"].is_object(), "{schema}");
    let templates = client.request("resources/templates/list", json!({}));
    let template = &templates["resourceTemplates"][0];
    assert_eq!(template["uriTemplate"], "runner://flows/{path}");
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let list = client.request("prompts/list", json!({}));
    let names: Vec<&str> = list["prompts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|prompt| prompt["name"].as_str())
        .collect();
    assert_eq!(
        names,
        ["write_flow", "fix_flow", "explore_app", "review_snapshots"]
    );
    let arguments = json!({ "path": "flows/sign-in.yaml" });
    let prompt = client.request(
        "prompts/get",
        json!({ "name": "fix_flow", "arguments": arguments }),
    );
    let text = prompt["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text");
    assert!(
        text.starts_with("Mend the flow flows/sign-in.yaml.\n"),
        "{text}"
    );
    let missing = client.ask("prompts/get", json!({ "name": "write_flow" }));
    let message = missing["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("needs the argument `goal`"), "{missing}");
}

#[test]
fn what_the_project_calls_secret_is_said_by_no_tool() {
    let project = project();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nsecrets: [TOKEN]\nenv: { TOKEN: hush-hush-9 }\n",
    );
    let text = "steps:\n  - clik: hush-hush-9\n";
    project.flow("leak", "steps:\n  - launch\n  - click: hush-hush-9\n");
    let mut client = Client::start(&project, &[]);
    for (tool, arguments) in [
        ("runner_lint_flow", json!({ "text": text })),
        ("runner_run_flow", json!({ "text": text })),
        (
            "runner_save_flow",
            json!({ "path": "flows/x.yaml", "text": text }),
        ),
        ("runner_run_flow", json!({ "path": "flows/leak.yaml" })),
    ] {
        let answer = client.call(tool, arguments);
        let said = answer.result.to_string();
        assert!(!said.contains("hush-hush-9"), "{tool}: {said}");
        assert!(said.contains("***"), "{tool}: {said}");
    }
    assert!(!read(&mut client, "runner://report/last").contains("hush-hush-9"));
    assert!(!read(&mut client, "runner://flows/leak.yaml").contains("hush-hush-9"));
}

/// Longer than any test: it looks again and again. Its end is seen on the screen.
const ENDLESS: &str = "app: com.example.notes
steps:
  - launch: { clear: true }
  - repeat:
      times: 10000
      steps: [ assert visible: Welcome to Notes ]
teardown:
  - type: { into: { id: username }, text: torn down }
";

/// Begins a run and waits until its first step is done.
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
    let told = client.next();
    assert_eq!(told["method"], "notifications/progress", "{told}");
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
    assert!(
        before.iter().any(|message| message["id"] == run),
        "the run was answered first: {before:?}"
    );
    let screen = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(screen.contains("torn down"), "{screen}");
}

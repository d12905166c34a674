//! Checks that the recorded calls of an agent become a flow that passes.

mod dialects;

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use crate::common::mcp::Client;
use crate::common::{Project, Ran};

/// Returns the id of the first row of the screen's TSV that holds the text.
#[track_caller]
fn id_of(client: &mut Client, text: &str) -> String {
    row(client, text).0
}

/// Returns id and centre of the first row that holds the text.
#[track_caller]
fn row(client: &mut Client, text: &str) -> (String, (i64, i64)) {
    let screen = client.call("android_get_screen_state", json!({})).text;
    let row = screen
        .lines()
        .find(|line| line.starts_with("node_") && line.contains(text))
        .unwrap_or_else(|| panic!("no {text:?} in\n{screen}"));
    let cells: Vec<&str> = row.split('\t').collect();
    let sides: Vec<i64> = cells[5]
        .split(',')
        .map(|side| side.parse().expect("a number"))
        .collect();
    let middle = |from: usize, to: usize| i64::midpoint(sides[from], sides[to]);
    let centre = (middle(0, 2), middle(1, 3));
    (cells[0].to_owned(), centre)
}

#[track_caller]
fn does(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.call(tool, arguments);
    assert!(!answer.is_error, "{tool}: {}", answer.text);
    answer.text
}

#[track_caller]
fn click(client: &mut Client, text: &str) {
    let id = id_of(client, text);
    does(client, "android_click_element", json!({ "element_id": id }));
}

#[track_caller]
fn types(client: &mut Client, field: &str, text: &str) {
    let id = id_of(client, field);
    does(
        client,
        "android_type_append_text",
        json!({ "element_id": id, "text": text }),
    );
}

#[track_caller]
fn taps(client: &mut Client, text: &str) {
    let (x, y) = row(client, text).1;
    does(client, "android_tap", json!({ "x": x, "y": y }));
}

/// Signs in and opens a note that must be scrolled to, by element ids.
fn signs_in_and_reads(client: &mut Client) {
    does(
        client,
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    click(client, "id/username");
    types(client, "id/username", "a");
    types(client, "id/username", "da");
    types(client, "id/password", "lovelace");
    click(client, "id/sign_in");
    does(
        client,
        "android_wait_for_element",
        json!({ "by": "text", "value": "welcome, ada", "timeout": 5000 }),
    );
    for _ in 0..2 {
        does(client, "android_scroll", json!({ "direction": "down" }));
    }
    // The first note of the list is cut: its title is above the edge.
    taps(client, "Tea blends");
    does(client, "android_wait_for_idle", json!({ "timeout": 3000 }));
    taps(client, "Copy");
    does(client, "android_press_back", json!({}));
}

fn test_with_password(project: &Project, flow: &str) -> Ran {
    let mut command = project.command(&["test", "-v", flow]);
    command.env("NOTES_PASSWORD", "lovelace");
    command.output().map(Ran::from).expect("the program starts")
}

#[test]
fn a_recorded_session_is_a_flow_that_passes() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    does(&mut client, "runner_record", json!({ "action": "start" }));
    signs_in_and_reads(&mut client);
    let text = does(
        &mut client,
        "runner_record",
        json!({ "action": "stop", "name": "Read a note", "path": "read.yaml" }),
    );
    let flow = project.read("flows/read.yaml");
    assert!(text.ends_with(&flow), "{text}");
    assert!(text.contains("Written to flows/read.yaml, "), "{text}");
    println!("{flow}");
    insta::assert_snapshot!("recorded", flow);
    project.run(&["lint"]).expect(0).says("no errors");
    test_with_password(&project, "flows/read.yaml").expect(0);
}

#[test]
fn a_changed_app_fails_the_flow_with_the_step_and_the_nearest_miss() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    does(&mut client, "runner_record", json!({ "action": "start" }));
    signs_in_and_reads(&mut client);
    does(
        &mut client,
        "runner_record",
        json!({ "action": "stop", "path": "read" }),
    );
    project.replace(
        "apps/demo/sign-in.yaml",
        "hint, username,",
        "hint, user_name,",
    );
    project.replace("apps/demo/sign-in.yaml", "id: username,", "id: user_name,");
    test_with_password(&project, "flows/read.yaml")
        .expect(1)
        .says("type: { into: { id: username }, text: ada }")
        .says("near miss")
        .says("user_name");
}

#[test]
fn a_session_by_coordinates_is_recorded_by_what_was_hit() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    does(
        &mut client,
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    does(&mut client, "runner_record", json!({ "action": "start" }));
    taps(&mut client, "id/username");
    types(&mut client, "id/username", "ada");
    taps(&mut client, "id/password");
    types(&mut client, "id/password", "lovelace");
    taps(&mut client, "id/sign_in");
    // Without a look of the agent's own between them.
    let (x, y) = row(&mut client, "Groceries").1;
    does(&mut client, "android_tap", json!({ "x": x, "y": y }));
    does(&mut client, "android_tap", json!({ "x": 175, "y": 2337 }));
    does(&mut client, "android_tap", json!({ "x": x, "y": y }));
    // Between the note's parts there is nothing that takes a touch.
    does(&mut client, "android_tap", json!({ "x": 540, "y": 2200 }));
    let flow = does(&mut client, "runner_record", json!({ "action": "stop" }));
    println!("{flow}");
    for line in [
        "  - launch: { stop: false }\n",
        "  - type: { into: { id: username }, text: ada }\n",
        "  - click: { id: sign_in }\n",
        "  - click: Groceries\n  - wait_for: Note\n  - back\n  - click: Groceries\n",
        "  - tap: { x: 540, y: 2200 }\n",
    ] {
        assert!(flow.contains(line), "no {line:?} in\n{flow}");
    }
    assert!(
        !flow.contains("lovelace") && !flow.contains("node_"),
        "{flow}"
    );
    project.write("flows/by-place.yaml", &flow);
    project.run(&["lint"]).expect(0);
    test_with_password(&project, "flows/by-place.yaml").expect(0);
}

#[test]
fn record_writes_the_whole_session_while_it_lasts() {
    let project = Project::with_demo_app();
    let older = "# Recorded by `runner mcp --record`, which writes it anew.\nan older recording\n";
    project.write("flows/all.yaml", older);
    let mut client = Client::start(&project, &["--record", "flows/all.yaml"]);
    client.call("android_get_screen_state", json!({}));
    assert_eq!(project.read("flows/all.yaml"), older);
    does(
        &mut client,
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    assert!(
        project
            .read("flows/all.yaml")
            .contains("- launch: { clear: true }\n")
    );
    types(&mut client, "id/username", "ada");
    types(&mut client, "id/password", "lovelace");
    click(&mut client, "id/sign_in");
    client.call("android_get_screen_state", json!({}));
    // The server is killed, as a crash would.
    drop(client);
    let flow = project.read("flows/all.yaml");
    assert!(flow.contains("  - click: { id: sign_in }\n"), "{flow}");
    assert!(flow.contains("  - assert visible: "), "{flow}");
    assert!(!flow.contains("lovelace"), "{flow}");
    test_with_password(&project, "flows/all.yaml").expect(0);
}

#[test]
fn a_recording_inside_a_recorded_session_is_its_own() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--record", "flows/all.yaml"]);
    does(
        &mut client,
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    types(&mut client, "id/username", "a");
    does(&mut client, "runner_record", json!({ "action": "start" }));
    types(&mut client, "id/username", "da");
    let flow = does(
        &mut client,
        "runner_record",
        json!({ "action": "stop", "assert_end": false }),
    );
    assert!(
        flow.contains("  - type: { into: { id: username }, text: da }\n"),
        "{flow}"
    );
    assert!(!flow.contains("assert"), "{flow}");
    let all = project.read("flows/all.yaml");
    assert!(
        all.contains("text: a }") && all.contains("text: da }"),
        "{all}"
    );
}

#[test]
fn a_recording_begins_and_ends_when_it_is_told_to() {
    let project = Project::with_demo_app();
    project.write("flows/there.yaml", "steps: [ back ]\n");
    let mut client = Client::start(&project, &[]);
    let mut record = |arguments: Value| client.call("runner_record", arguments);
    let refused = |answer: crate::common::mcp::Answer, says: &str| {
        assert!(
            answer.is_error && answer.text.contains(says),
            "{}",
            answer.text
        );
    };
    let nothing = "nothing is being recorded; begin with `action: start`";
    refused(record(json!({ "action": "stop" })), nothing);
    refused(record(json!({ "action": "discard" })), nothing);
    refused(record(json!({ "action": "pause" })), "pause");
    refused(
        record(json!({ "action": "start", "path": "x.yaml" })),
        "`path` is for `action: stop`",
    );
    let answer = record(json!({ "action": "status" }));
    assert_eq!(answer.json()["recording"], false, "{}", answer.text);

    record(json!({ "action": "start", "name": "Back" }));
    refused(
        record(json!({ "action": "start" })),
        "a recording is under way (0 steps)",
    );
    refused(record(json!({ "action": "stop" })), "nothing was done");
    does(&mut client, "android_press_home", json!({}));
    // A call that fails did nothing that a flow repeats.
    client.call("android_open_app", json!({ "package_id": "no.such.app" }));
    client.call("android_get_screen_state", json!({}));
    let mut record = |arguments: Value| client.call("runner_record", arguments);
    let answer = record(json!({ "action": "status" }));
    assert_eq!(answer.json()["steps"], 1, "{}", answer.text);
    assert_eq!(answer.json()["name"], "Back");
    for path in ["../out.yaml", "/tmp/out.yaml", "a/../../out.yaml", ""] {
        refused(record(json!({ "action": "stop", "path": path })), "path");
    }
    refused(
        record(json!({ "action": "stop", "path": "flows/there.yaml" })),
        "flows/there.yaml is there already",
    );
    assert_eq!(project.read("flows/there.yaml"), "steps: [ back ]\n");
    let answer = record(json!({ "action": "stop", "path": "there", "overwrite": true }));
    assert!(!answer.is_error, "{}", answer.text);
    assert!(project.read("flows/there.yaml").contains("name: Back\n"));

    record(json!({ "action": "start" }));
    let answer = record(json!({ "action": "discard" }));
    assert_eq!(answer.text, "The recording was forgotten.");
    refused(record(json!({ "action": "discard" })), nothing);
}

#[test]
fn a_snapshot_amid_a_recording_is_a_step_of_it() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    client.call("runner_record", json!({ "action": "start" }));
    let opens = json!({ "package_id": "com.example.notes" });
    does(&mut client, "android_open_app", opens);
    let taken = does(
        &mut client,
        "runner_take_snapshot",
        json!({ "name": "home" }),
    );
    assert!(taken.contains("it is a step of the recording"), "{taken}");
    let ends = json!({ "action": "stop", "path": "flows/signed-in.yaml" });
    does(&mut client, "runner_record", ends);
    drop(client);
    let flow = project.read("flows/signed-in.yaml");
    assert!(flow.contains("name: Signed in\n"), "{flow}");
    assert!(flow.ends_with("  - snapshot: home\n"), "{flow}");
    // The golden is the flow's own, made when it first runs.
    project.run(&["pending"]).expect(0);
    project.run(&["test", "--update", "new"]).expect(0);
    assert!(project.path("snapshots/signed-in/home.tsv").exists());
}

// U14: what was recorded as `rec/x.yaml` is run, read and replaced as `rec/x.yaml`.
#[test]
fn u14_all_tools_name_a_flow_alike() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    does(&mut client, "runner_record", json!({ "action": "start" }));
    does(&mut client, "android_press_home", json!({}));
    let stop = json!({ "action": "stop", "path": "rec/x.yaml", "assert_end": false });
    let answer = client.call("runner_record", stop);
    assert_eq!(answer.json()["path"], "flows/rec/x.yaml", "{}", answer.text);
    for path in ["rec/x.yaml", "flows/rec/x.yaml", "rec", "rec/*.yaml"] {
        let answer = client.call("runner_lint_flow", json!({ "path": path }));
        assert_eq!(answer.json()["flows"], 1, "{path}: {}", answer.text);
    }
    let answer = client.call("runner_run_flow", json!({ "path": "rec/x.yaml" }));
    assert_eq!(answer.json()["passed"], true, "{}", answer.text);
    let save = |path: &str| json!({ "path": path, "text": "steps: [ back ]\n" });
    let answer = client.call("runner_save_flow", save("rec/x.yaml"));
    assert!(
        answer.text.contains("flows/rec/x.yaml is there already"),
        "{}",
        answer.text
    );
    let answer = client.call("runner_save_flow", save("rec/y"));
    assert_eq!(answer.json()["path"], "flows/rec/y.yaml", "{}", answer.text);
    assert_eq!(project.read("flows/rec/y.yaml"), "steps: [ back ]\n");
    // What stands beside the flows is still found from the root.
    project.write("smoke/z.yaml", "steps: [ back ]\n");
    let answer = client.call("runner_lint_flow", json!({ "path": "smoke/z.yaml" }));
    assert_eq!(answer.json()["flows"], 1, "{}", answer.text);
}

/// Calls tools of a server that ends because its client is gone. Returns its standard error. `once_it_serves`
/// runs before the first call.
fn calls_and_leaves(
    project: &Project,
    arguments: &[&str],
    once_it_serves: impl FnOnce(),
    calls: &[(&str, Value)],
) -> String {
    let mut command = project.command(&[&["mcp"], arguments].concat());
    let piped = std::process::Stdio::piped;
    command.stdin(piped()).stdout(piped()).stderr(piped());
    let mut server = command.spawn().expect("runner starts");
    let mut input = server.stdin.take().expect("its input");
    let mut output = BufReader::new(server.stdout.take().expect("its output"));
    let mut send = |message: Value| writeln!(input, "{message}").expect("it reads");
    let mut answer = || {
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        assert!(!line.contains("\"isError\":true"), "{line}");
    };
    send(json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    }));
    answer();
    once_it_serves();
    send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized", "params": {} }));
    for (place, (tool, arguments)) in calls.iter().enumerate() {
        send(json!({
            "jsonrpc": "2.0", "id": place + 1, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments },
        }));
        answer();
    }
    drop(input);
    let ended = server.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&ended.stderr).into_owned()
}

#[test]
fn when_the_client_is_gone_the_file_ends_with_what_is_shown() {
    let project = Project::with_demo_app();
    let opens = (
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    let says = calls_and_leaves(&project, &["--record", "flows/all.yaml"], || (), &[opens]);
    assert_eq!(says, "");
    let flow = project.read("flows/all.yaml");
    assert!(flow.contains("  - launch: { clear: true }\n"), "{flow}");
    assert!(flow.contains("  - assert visible: "), "{flow}");
    project.run(&["test", "flows/all.yaml"]).expect(0);
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_anything_is_served() {
    let project = Project::with_demo_app();
    project.write("taken", "a file");
    project
        .run(&["mcp", "--record", "taken/all.yaml"])
        .expect(2)
        .says("taken/all.yaml cannot be written");
}

/// The folder was there when the server began, and is gone when the flow is written.
#[test]
fn a_file_that_can_no_longer_be_written_is_told() {
    let project = Project::with_demo_app();
    let folder = project.path("taken");
    std::fs::create_dir(&folder).expect("a folder");
    let opens = (
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    let replaces_folder = || {
        std::fs::remove_dir_all(&folder).expect("it is removed");
        std::fs::write(&folder, "a file").expect("it is written");
    };
    let arguments = &["--record", "taken/all.yaml"];
    let says = calls_and_leaves(&project, arguments, replaces_folder, &[opens]);
    assert!(says.contains("taken/all.yaml cannot be written"), "{says}");
}

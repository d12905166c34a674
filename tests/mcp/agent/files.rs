//! Resources that a failed run links to, what a client may read of them, and the completion of arguments.

use base64::Engine as _;
use serde_json::{Value, json};

use super::project;
use crate::common::mcp::Client;

const FAILS: &str = "steps:\n  - launch\n  - click: Sign inn\n    timeout: 100ms\n";

fn links(result: &Value) -> Vec<Value> {
    let items = result["content"].as_array().into_iter().flatten();
    items
        .filter(|item| item["type"] == "resource_link")
        .cloned()
        .collect()
}

#[test]
fn a_failed_run_links_to_its_files() {
    let project = project();
    project.flow("a b/fails", FAILS);
    let mut client = Client::start(&project, &[]);
    let answer = client.call("runner_run_flow", json!({ "path": "flows/a b/fails.yaml" }));
    let linked = links(&answer.result);
    let names: Vec<&str> = linked
        .iter()
        .filter_map(|link| link["name"].as_str())
        .collect();
    for name in [
        "failure.png",
        "failure.annotated.png",
        "failure.tsv",
        "last-report",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    for link in &linked {
        let read = client.request("resources/read", json!({ "uri": link["uri"] }));
        let contents = &read["contents"][0];
        assert_eq!(contents["mimeType"], link["mimeType"], "{link}");
        assert_eq!(contents["uri"], link["uri"]);
        if link["mimeType"] == "image/png" {
            let blob = contents["blob"].as_str().expect("a picture");
            let bytes = base64::engine::general_purpose::STANDARD.decode(blob);
            assert!(bytes.expect("base64").starts_with(b"\x89PNG"));
        } else {
            assert!(
                contents["text"]
                    .as_str()
                    .is_some_and(|text| text.len() > 100),
                "{contents}"
            );
        }
    }
    // One that passes has nothing to look into.
    let passed = client.call("runner_run_flow", json!({ "path": "flows/sign-in.yaml" }));
    assert!(links(&passed.result).is_empty());
    // Links came with a later revision.
    let mut client = Client::silent(&project, &[]);
    client.initialize("2024-11-05");
    let answer = client.call("runner_run_flow", json!({ "path": "flows/a b/fails.yaml" }));
    assert!(links(&answer.result).is_empty() && answer.text.contains("Sign inn"));
}

#[cfg(unix)]
#[test]
fn no_file_is_read_but_pictures_and_texts_of_runs() {
    let project = project();
    let mut command = project.command(&["mcp"]);
    command.env("CLOUD_API_KEY", "babbage-7");
    let mut client = Client::from_command(command);
    client.initialize("2025-11-25");
    let artifacts = ".runner/artifacts";
    project.write(&format!("{artifacts}/a.txt"), "it is babbage-7, no more");
    project.write(&format!("{artifacts}/key.pem"), "private");
    project.write("outside.txt", "outside");
    std::fs::write(
        project.path(&format!("{artifacts}/large.txt")),
        vec![b'a'; 9 << 20],
    )
    .expect("written");
    let linked = [
        ("out.txt", "outside.txt"),
        ("folder", ""),
        ("passwd.txt", "/etc/passwd"),
    ];
    for (link, to) in linked {
        let to = project.path(to);
        std::os::unix::fs::symlink(to, project.path(&format!("{artifacts}/{link}")))
            .expect("a link");
    }
    let read = client.request(
        "resources/read",
        json!({ "uri": "runner://artifacts/a.txt" }),
    );
    assert_eq!(read["contents"][0]["text"], "it is ***, no more");
    for (path, why) in [
        ("out.txt", "leads out of its folder by a link"),
        ("passwd.txt", "leads out of its folder by a link"),
        ("folder/outside.txt", "leads out of its folder by a link"),
        ("../../outside.txt", "leaves its folder"),
        ("%2e%2e/%2e%2e/outside.txt", "leaves its folder"),
        ("%2Fetc%2Fhosts.txt", "leaves its folder"),
        ("key.pem", "only files that end in html"),
        ("large.txt", "is larger than 8 MiB"),
        ("nothing.txt", "no resource"),
        ("a.txt%00", "names no file"),
        ("", "names no file"),
    ] {
        let uri = format!("runner://artifacts/{path}");
        let answer = client.ask("resources/read", json!({ "uri": uri }));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(why), "{path}: {answer}");
    }
}

#[track_caller]
fn completed(client: &mut Client, reference: Value, name: &str, value: &str) -> Value {
    let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
    client.request("completion/complete", params)["completion"].clone()
}

#[test]
fn paths_apps_and_keys_are_completed() {
    let project = project();
    let mut client = Client::silent(&project, &[]);
    let started = client.initialize("2025-11-25");
    assert!(
        started["capabilities"]["completions"].is_object(),
        "{started}"
    );
    let flow = json!({ "type": "ref/resource", "uri": "runner://flows/{path}" });
    let prompt = |name: &str| json!({ "type": "ref/prompt", "name": name });
    let sign_in = json!({ "values": ["flows/sign-in.yaml"], "total": 1, "hasMore": false });
    assert_eq!(
        completed(&mut client, flow.clone(), "path", "SIGN"),
        sign_in
    );
    assert_eq!(
        completed(&mut client, prompt("fix_flow"), "path", "flows/s"),
        sign_in
    );
    let all = completed(&mut client, flow.clone(), "path", "");
    assert_eq!(
        all["values"],
        json!(["flows/_open.yaml", "flows/sign-in.yaml"])
    );
    let app = completed(&mut client, prompt("explore_app"), "app", "com.");
    assert_eq!(app["values"], json!(["com.example.notes"]));
    client.call(
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    client.call(
        "runner_take_snapshot",
        json!({ "name": "home", "flow": "flows/sign-in.yaml" }),
    );
    let keys = completed(&mut client, prompt("review_snapshots"), "key", "home");
    let key = keys["values"][0].as_str().unwrap_or_default().to_owned();
    assert!(key.starts_with("sign-in/home~"), "{keys}");
    for (reference, name) in [
        (prompt("nothing"), "path"),
        (prompt("write_flow"), "goal"),
        (prompt("fix_flow"), "nothing"),
        (
            json!({ "type": "ref/resource", "uri": "runner://nothing/{path}" }),
            "path",
        ),
    ] {
        assert_eq!(
            completed(&mut client, reference, name, "")["values"],
            json!([])
        );
    }

    for number in 0..150 {
        project.write(&format!("flows/many/{number:03}.yaml"), "steps: [ back ]\n");
    }
    project.write(
        "flows/many/000.yaml",
        "app: com.example.${os.FLAVOR}\nsteps: [ back ]\n",
    );
    let app = completed(&mut client, prompt("explore_app"), "app", "com.");
    assert_eq!(app["values"], json!(["com.example.notes"]));
    let many = completed(&mut client, flow, "path", "many/");
    assert_eq!(many["values"].as_array().map(Vec::len), Some(100));
    assert_eq!(
        (&many["total"], &many["hasMore"]),
        (&json!(150), &json!(true))
    );
    let params = json!({ "name": "review_snapshots", "arguments": { "key": key } });
    let text = client.request("prompts/get", params).to_string();
    let part = format!("For {key}: runner_diff_snapshot");
    assert!(text.contains(&part), "{text}");
}

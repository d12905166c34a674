//! Secrets that a server knows, in the files that its later runs write.

use std::io::Read as _;

use serde_json::{Value, json};

use super::servers::NOTES;
use crate::common::Project;
use crate::common::mcp::Client;

const SECRET: &str = "Qvxhunter-long";

/// Returns the text of each file of the project; packed ones are unpacked.
fn files(project: &Project) -> Vec<(String, String)> {
    let names = project.files(".").into_iter();
    let names = names.filter(|name| !name.ends_with(".png"));
    names
        .map(|name| {
            let mut bytes = std::fs::read(project.path(&name)).unwrap_or_default();
            if name.ends_with(".gz") {
                let mut text = Vec::new();
                let mut reader = flate2::read::GzDecoder::new(&bytes[..]);
                reader.read_to_end(&mut text).expect("it unpacks");
                bytes = text;
            }
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

fn type_into(field: &str, is_secret: bool) -> Value {
    json!({ "type": { "into": { "id": field }, "text": SECRET, "secret": is_secret } })
}

/// Tries each way in which a call types a secret, each file of a run that a screen gets into, and two runs.
#[test]
fn s2_what_was_typed_by_calls_gets_into_no_file_of_later_runs() {
    let form = json!({ "launch": { "app": NOTES, "activity": ".Form" } });
    let sign_in = json!({ "launch": { "app": NOTES } });
    for steps in [
        json!([
            sign_in,
            type_into("password", false),
            type_into("username", false)
        ]),
        json!([form, type_into("title", true)]),
    ] {
        let project = Project::with_demo_app();
        let settings = project.read("runner.yaml");
        project.write("runner.yaml", &format!("{settings}trace: on\n"));
        let mut client = Client::start(&project, &["--allow-accept"]);
        let typed = client.call("runner_do", json!({ "steps": steps, "look": false }));
        assert!(!typed.is_error, "{}", typed.text);
        let failing =
            "steps:\n  - screenshot: here\n  - assert visible: Nowhere\n    timeout: 100ms\n";
        let flow = json!({ "text": format!("app: {NOTES}\n{failing}") });
        for round in 0..2 {
            let name = json!({ "name": format!("shot{round}"), "app": NOTES });
            let taken = client.call("runner_take_snapshot", name);
            assert!(!taken.is_error, "{}", taken.text);
            let ran = client.call("runner_run_flow", flow.clone());
            assert!(!ran.is_error, "{}", ran.text);
        }
        let accepted = client.call("runner_accept_snapshot", json!({ "keys": ["agent/*"] }));
        assert!(!accepted.is_error, "{}", accepted.text);
        client.end_input();
        client.wait();
        let files = files(&project);
        for kind in ["shot0.tsv", "failure.tsv", ".xml.gz"] {
            let mut of_kind = files.iter().filter(|(name, _)| name.ends_with(kind));
            assert!(of_kind.any(|(_, text)| text.contains("***")), "{kind}");
        }
        for (name, text) in files {
            assert!(!text.contains(SECRET), "{name}: {text}");
        }
    }
}

/// Tries each way in which a flow makes a text of a variable, and both ways in which a server has the variable.
#[test]
fn s2_what_a_flow_computes_from_a_variable_named_like_a_secret_is_masked() {
    let project = Project::with_demo_app();
    let value = "Tk-9911-zebra-lamp";
    let backwards: String = value.chars().rev().collect();
    for is_argument in [false, true] {
        let mut command = project.command(&["mcp"]);
        if !is_argument {
            command.env("APP_TOKEN", value);
        }
        let mut client = Client::from_command(command);
        client.initialize("2025-11-25");
        for (expression, computed) in [
            ("os.APP_TOKEN | reverse", backwards.as_str()),
            ("os.APP_TOKEN | replace('-', '')", "Tk9911zebralamp"),
            ("os.APP_TOKEN | split('-') | last", "lamp"),
            ("os.APP_TOKEN[3:14]", "9911-zebra-"),
            ("os.APP_TOKEN | upper", "TK-9911-ZEBRA-LAMP"),
            ("os['APP_TOKEN']", value),
        ] {
            let text = json!(format!("${{{expression}}}"));
            let flow = format!(
                "app: {NOTES}\nsteps:\n  - launch: {{ activity: .Form }}\n  - type: {{ into: {{ id: title }}, text: {text} }}\n  - assert visible: Nowhere\n    timeout: 100ms\n"
            );
            let mut args = json!({ "text": flow });
            if is_argument {
                args["env"] = json!({ "APP_TOKEN": value });
            }
            for (tool, args) in [
                ("runner_run_flow", args),
                ("runner_look", json!({})),
                ("android_get_device_logs", json!({})),
            ] {
                let answer = client.call(tool, args).result.to_string();
                assert!(!answer.contains(computed), "{tool}, {expression}: {answer}");
            }
            let look = client.call("runner_look", json!({})).text;
            assert!(look.contains("***"), "{expression}: {look}");
        }
    }
}

/// Tries each call that names a file or a folder. Answers mask no paths, so none may be named by a secret.
#[test]
fn no_file_of_a_server_is_named_by_a_secret() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    let form = json!({ "launch": { "app": NOTES, "activity": ".Form" } });
    let steps = json!([form, type_into("title", true)]);
    let typed = client.call("runner_do", json!({ "steps": steps }));
    assert!(!typed.is_error, "{}", typed.text);
    let flow = "name: a\nsteps: [ home ]\n";
    for (tool, args) in [
        ("runner_do", json!({ "steps": [{ "screenshot": SECRET }] })),
        (
            "runner_do",
            json!({ "steps": [{ "screenshot": { "name": format!("x-{SECRET}") } }] }),
        ),
        ("runner_take_snapshot", json!({ "name": SECRET })),
        (
            "runner_take_snapshot",
            json!({ "name": "a", "flow": SECRET }),
        ),
        (
            "runner_save_flow",
            json!({ "path": format!("{SECRET}.yaml"), "text": flow }),
        ),
        (
            "runner_save_flow",
            json!({ "path": format!("{SECRET}/a.yaml"), "text": flow }),
        ),
        ("runner_record", json!({ "action": "start" })),
        ("runner_do", json!({ "steps": ["back"] })),
        (
            "runner_record",
            json!({ "action": "stop", "path": format!("a-{SECRET}") }),
        ),
    ] {
        let answer = client.call(tool, args.clone());
        let names_it = args.to_string().contains(SECRET);
        let is_refused = answer.text.contains("the name of the file holds a secret");
        assert_eq!(is_refused, names_it, "{tool} {args}: {}", answer.text);
    }
    let files = project.files(".");
    let named: Vec<_> = files.iter().filter(|it| it.contains(SECRET)).collect();
    assert!(named.is_empty(), "{named:?}");
}

//! Secrets in what clients and pages receive, and in flows that are recorded meanwhile.

use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::Client;

pub(super) const NOTES: &str = "com.example.notes";
/// Tool that opens the app with its argument, and tool that types with the argument for the field.
pub(super) type Typist = (&'static str, [&'static str; 2], [&'static str; 2]);
pub(super) const TYPISTS: [Typist; 4] = [
    (
        "android",
        ["android_open_app", "package_id"],
        ["android_type_append_text", "element_id"],
    ),
    (
        "mobile-agent",
        ["launch_app", "package_name"],
        ["type_text", "control_id"],
    ),
    ("semantic", ["runner_look", ""], ["type_text", "element_id"]),
    (
        "scenario",
        ["startTestingScenario", "appPackage"],
        ["inputText", "fieldSelector"],
    ),
];

/// Makes a project with the demo app, in which these are declared secret.
pub(super) fn project(secrets: &[&str]) -> Project {
    let project = Project::with_demo_app();
    let names: Vec<String> = (0..secrets.len()).map(|n| format!("S{n}")).collect();
    let env: Vec<String> = names
        .iter()
        .zip(secrets)
        .map(|(name, value)| format!("{name}: {}", json!(value)))
        .collect();
    let settings = project.read("runner.yaml");
    let more = format!(
        "env: {{ {} }}\nsecrets: [{}]\n",
        env.join(", "),
        names.join(", ")
    );
    project.write("runner.yaml", &format!("{settings}{more}"));
    project
}

/// Returns the arguments that type a text into a field of the form.
pub(super) fn typing(client: &mut Client, typist: &Typist, field: &str, text: &str) -> Value {
    let (dialect, _, [_, key]) = typist;
    let mut args = json!({ "text": text });
    args[*key] = match *dialect {
        "android" => {
            let by = json!({ "by": "resource_id", "value": field });
            let found = client.call("android_find_elements", by).json();
            found["elements"][0]["id"].clone()
        }
        "mobile-agent" => {
            let list = client.call("get_app_window_controls_target_info", json!({}));
            let list = list.text_json();
            let is_it = |item: &&Value| {
                item["name"]
                    .as_str()
                    .is_some_and(|it| it.to_lowercase() == field)
            };
            let item = list.as_array().into_iter().flatten().find(is_it);
            let item = item.unwrap_or_else(|| panic!("no {field}: {list}")).clone();
            args["control_name"] = item["name"].clone();
            item["id"].clone()
        }
        "scenario" => format!("id/{field}").into(),
        _ => field.into(),
    };
    args
}

/// Opens the app.
pub(super) fn opened(project: &Project, typist: &Typist, more: &[&str]) -> Client {
    let (dialect, [open, package], _) = typist;
    let mut client = Client::start(project, &[&["--dialect", dialect], more].concat());
    if *dialect == "semantic" {
        let look = client.call(open, json!({})).text;
        let icon = look
            .lines()
            .find(|line| line.contains("\"Notes\""))
            .expect("an icon");
        let id = icon.split(' ').next().unwrap_or_default();
        client.call("click", json!({ "element_id": id }));
    } else {
        let mut args = json!({});
        args[*package] = NOTES.into();
        client.call(open, args);
    }
    client
}

/// Returns the results of the calls, without the parts that differ each time.
fn answers(typist: &Typist, secrets: &[&str], password: &str) -> Vec<String> {
    let project = project(secrets);
    let mut client = opened(&project, typist, &[]);
    let mut reported = Vec::new();
    let (dialect, _, [tool, key]) = typist;
    let args = typing(&mut client, typist, "password", password);
    reported.push(client.call(tool, args).result);
    let mut gone = json!({ "text": "gone", "control_name": "gone" });
    gone[*key] = "absent".into();
    if *dialect != "mobile-agent" {
        gone.as_object_mut().map(|gone| gone.remove("control_name"));
    }
    reported.push(client.call(tool, gone).result);
    let calls: &[(&str, Value)] = match *dialect {
        "android" => &[
            ("android_tap", json!({ "x": 500, "y": 1234 })),
            (
                "android_long_press",
                json!({ "x": 500, "y": 1234, "duration": 1001 }),
            ),
            ("android_tap", json!({ "x": -5, "y": 1 })),
            ("android_press_key", json!({ "key": "SPACE" })),
            (
                "android_find_elements",
                json!({ "by": "resource_id", "value": "username" }),
            ),
        ],
        "mobile-agent" => &[
            ("press_key", json!({ "key_code": "KEYCODE_SPACE" })),
            ("wait", json!({ "seconds": 0.01 })),
        ],
        "semantic" => &[
            ("click", json!({ "element_id": "username" })),
            ("toggle", json!({ "element_id": "username" })),
            ("list_actionable", json!({})),
        ],
        _ => &[
            ("swipeUp", json!({})),
            ("getScreenSize", json!({})),
            (
                "verifyElementVisible",
                json!({ "text": "Welcome to Notes" }),
            ),
        ],
    };
    for (tool, args) in calls {
        reported.push(client.call(tool, args.clone()).result);
    }
    reported
        .into_iter()
        .map(|result| result.to_string())
        .collect()
}

#[test]
fn s1_over_mcp_no_key_no_number_and_no_word_of_the_program_is_masked() {
    for typist in &TYPISTS {
        for (secrets, password) in [
            (&[][..], "element"),
            (&[], "Typed"),
            (
                &["success", "element_id", "bounds", "content", "elements"],
                "found",
            ),
            (&["1234", "1080", "1920", "1001"], "1234"),
        ] {
            let plain = answers(typist, &[], &"q".repeat(password.len()));
            let masked = answers(typist, secrets, password);
            assert_eq!(plain, masked, "{}: {secrets:?} {password}", typist.0);
        }
    }
}

/// Tries each way in which a flow learns a secret, and each later answer that could tell it.
#[test]
fn a_server_goes_on_masking_what_a_run_knew() {
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml");
    project.write("runner.yaml", &format!("{settings}secrets: [ GIVEN ]\n"));
    let mut command = project.command(&["mcp"]);
    command.env("LOGIN_OF_BEN", "Qvxhunter-long.3");
    let mut client = Client::from_command(command);
    client.initialize("2025-11-25");
    let value = "Qvxhunter-long.3";
    for (head, text, more) in [
        (
            "secrets: [ PW ]\nenv: { PW: Qvxhunter-long.3 }\n",
            "${PW}",
            "",
        ),
        ("secrets: [ LOGIN_OF_BEN ]\n", "${os.LOGIN_OF_BEN}", ""),
        (
            "secrets: [ PW ]\neach: [ { PW: Qvxhunter-long.3 } ]\n",
            "${PW}",
            "",
        ),
        ("", "Qvxhunter-long.3", ", secret: true"),
        ("", "${GIVEN}", ""),
    ] {
        // Another value for each, so that no row masks for the next.
        let own = format!("{value}{}", head.len() + text.len());
        let flow = format!(
            "app: com.example.notes\n{head}steps:\n  - launch: {{ activity: .Form }}\n  - type: {{ into: {{ id: title }}, text: \"{text}\"{more} }}\n"
        );
        let mut args = json!({ "text": flow.replace(value, &own) });
        let own = if text.contains("LOGIN") {
            value
        } else {
            own.as_str()
        };
        if text.contains("GIVEN") {
            args["env"] = json!({ "GIVEN": own });
        }
        let ran = client.call("runner_run_flow", args);
        assert!(!ran.is_error, "{}", ran.text);
        for (tool, args) in [
            ("runner_look", json!({})),
            ("android_get_screen_state", json!({})),
            ("android_get_device_logs", json!({})),
            ("runner_do", json!({ "steps": [{ "click": "absent" }] })),
        ] {
            let answer = client.call(tool, args).result.to_string();
            assert!(
                !answer.contains("Qvxhunter"),
                "{tool} after {head}{text}: {answer}"
            );
        }
    }
}

#[test]
fn over_mcp_what_is_left_of_a_typed_secret_is_masked() {
    for erased in [
        json!([{ "erase": { "on": { "id": "title" }, "characters": 3 } }]),
        json!([{ "erase": { "on": { "id": "title" }, "characters": 9 } }, { "type": { "into": { "id": "title" }, "text": "zz" } }]),
        json!([{ "press": { "key": "DEL", "times": 3 } }]),
        json!([{ "press": "MOVE_HOME" }, { "press": "FORWARD_DEL" }]),
    ] {
        for is_declared in [true, false] {
            let declared: &[&str] = if is_declared {
                &["Qvxhunter-long"]
            } else {
                &[]
            };
            let project = project(declared);
            let mut client = Client::start(&project, &[]);
            let typing = json!({ "type": { "into": { "id": "title" }, "text": "Qvxhunter-long", "secret": !is_declared } });
            let launch = json!({ "launch": { "app": NOTES, "activity": ".Form" } });
            let typed = client.call("runner_do", json!({ "steps": [launch, typing] }));
            assert!(!typed.is_error, "{}", typed.text);
            let edited = client.call("runner_do", json!({ "steps": erased }));
            assert!(!edited.is_error, "{}", edited.text);
            let mut answers = vec![edited.result.to_string()];
            for tool in [
                "runner_look",
                "android_get_screen_state",
                "android_get_device_logs",
            ] {
                answers.push(client.call(tool, json!({})).result.to_string());
            }
            for answer in answers {
                assert!(!answer.contains("vxhu"), "{erased}: {answer}");
            }
        }
    }
}

#[test]
fn s1_over_mcp_what_the_device_says_is_masked_whatever_word_it_is() {
    for typist in &TYPISTS {
        let project = project(&["success", "4711"]);
        let mut client = opened(&project, typist, &[]);
        let (dialect, _, [tool, _]) = typist;
        let args = typing(&mut client, typist, "password", "element");
        client.call(tool, args);
        let args = typing(
            &mut client,
            typist,
            "username",
            "planted success 4711 element",
        );
        client.call(tool, args);
        let (look, args) = match *dialect {
            "android" => ("android_get_screen_state", json!({})),
            "mobile-agent" => ("get_app_window_controls_target_info", json!({})),
            "semantic" => ("runner_look", json!({})),
            _ => ("runner_look", json!({})),
        };
        for (look, args) in [(look, args), ("runner_look", json!({}))] {
            let display = client.call(look, args).result.to_string();
            let masked = display.contains("planted *** *** ***");
            assert!(masked, "{dialect} {look}: {display}");
        }
    }
}

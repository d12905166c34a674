//! `runner studio`: layout of the page, enabled buttons, and messages about obstacles.

use crate::adb_server::Served;
use crate::common::Project;
use crate::common::browser;
use crate::common::pages::PageServer;

fn studio(project: &Project, more: &[&str]) -> PageServer {
    let arguments = [&["studio", "--no-open"], more].concat();
    PageServer::started(project.command(&arguments), project, "Studio")
}

const FLOW: &str = "name: Greets\napp: com.example.notes\nsteps:\n  - launch: { clear: true }\n  - assert visible: Welcome to Notes\n";

#[test]
fn the_phone_keeps_its_size_and_one_part_is_seen_on_a_narrow_page() {
    let project = Project::with_demo_app();
    project.write("flows/greets.yaml", FLOW);
    let server = studio(&project, &["flows/greets.yaml"]);
    browser::run("studio_layout.mjs", &[&server.address]);
}

#[test]
fn nothing_can_be_run_before_there_is_a_step_and_an_app_is_launched_from_the_list() {
    let project = Project::with_demo_app();
    let server = studio(&project, &[]);
    browser::run("studio_empty.mjs", &[&server.address, "Notes"]);
}

#[test]
fn gestures_are_done_recorded_and_replayed() {
    browser::run("ruler_numbers.mjs", &[]);
    let project = Project::with_demo_app();
    // A slider's value is not among its rows.
    project.replace(
        "apps/demo/settings.yaml",
        "children: [theme, text_size, accents] }",
        "children: [theme, text_size, said, accents] }\n      - { id: said, component: Text, text: { call: formatString, args: { value: \"size ${/settings/text_size}\" } } }",
    );
    project.write(
        "flows/sizes.yaml",
        "name: Sizes\napp: com.example.notes\nsteps:\n  - launch: { clear: true, activity: .Settings }\n  - click: Look\n  - wait_for: size 16\n",
    );
    let server = studio(&project, &["flows/sizes.yaml"]);
    browser::run("studio_gestures.mjs", &[&server.address]);
}

#[test]
fn a_device_with_one_finger_refuses_two_and_says_what_has_them() {
    let project = Project::with_demo_app();
    let settings = "devices: [virtual]\napps: [apps/demo]\nquirks: [closed-touchscreen]\n";
    project.write("runner.yaml", settings);
    let server = studio(&project, &[]);
    let fingers = "[[500,900,0],[500,600,100]],[[500,1100,0],[500,1400,100]]";
    let what = format!(r#"{{"act":"two_fingers","paths":[{fingers}]}}"#);
    let wish = format!(r#"{{"wish":{{"what":{what},"seq":null}},"block":null}}"#);
    let (status, answer) = server.own("POST /act", &wish);
    assert_eq!(status, 409, "{answer}");
    assert!(answer.contains("the driver `uia2` can"), "{answer}");
}

#[test]
fn what_hinders_dims_the_phone_and_says_what_to_do() {
    let project = Project::with_demo_app();
    project.write("flows/greets.yaml", FLOW);
    let lent = Served::start(&project, &[]);
    let device = ["--device", lent.address.as_str(), "flows/greets.yaml"];
    let server = studio(&project, &device);
    let (device, program) = (lent.id().to_string(), server.running.0.id().to_string());
    browser::run("studio_states.mjs", &[&server.address, &device, &program]);
}

#[test]
fn a_locked_device_and_one_that_does_not_answer_are_told() {
    for (fault, state) in [("locked", "locked"), ("hung-screenshot", "slow")] {
        let project = Project::with_demo_app();
        let lent = Served::start(&project, &["--fault", fault]);
        let server = studio(&project, &["--device", &lent.address]);
        let told = server
            .messages()
            .wait_for(&format!("\"state\":\"{state}\""));
        assert!(told.contains("\"message\":\"The "), "{told}");
    }
}

/// The address alone opens it, for clients that send no header; no other page does.
#[test]
fn the_token_in_the_address_lets_an_agent_in() {
    let project = Project::with_demo_app();
    let server = studio(&project, &[]);
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let own = ("Host", server.host());
    let json = ("Content-Type", "application/json");
    let accept = ("Accept", "application/json, text/event-stream");
    let line = format!("POST /mcp?token={}", server.token());
    let (status, answer) = server.ask(&line, &[own, json, accept], list);
    assert_ne!(status, 401, "{answer}");
    let other = ("Origin", "http://evil.example");
    assert_eq!(server.ask(&line, &[own, json, accept, other], list).0, 403);
    assert_eq!(
        server
            .ask("POST /mcp?token=0000", &[own, json, accept], list)
            .0,
        401
    );
    // The page's own requests are not let in so.
    let line = format!("POST /stop?token={}", server.token());
    assert_eq!(server.ask(&line, &[own, json], "{}").0, 401);
}

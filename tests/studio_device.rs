//! `runner studio`: the device and its log, several devices, agents beside the page, and the lease of the
//! device.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::adb_server::Served;
use crate::common::browser::{self, Running};
use crate::common::pages::PageServer;
use crate::common::{Project, needs};

const APP: &str = "com.example.notes";

/// APK of an app that comes with Appium.
const APK: &str = "target/clients/appium/node_modules/appium-uiautomator2-driver/node_modules/io.appium.settings/apks/settings_apk-debug.apk";

fn studio(project: &Project, more: &[&str]) -> PageServer {
    let arguments = [&["studio", "--no-open"], more].concat();
    PageServer::started(project.command(&arguments), project, "Studio")
}

#[test]
fn the_device_is_set_from_the_page_and_each_change_is_a_step() {
    let project = Project::with_demo_app();
    let server = studio(&project, &[]);
    project.write("none.apk", "not an archive");
    let none = project.path("none.apk");
    let none = none.to_str().expect("a path");
    let mut arguments = vec![server.address.as_str(), APP, none];
    let apk = needs::root().join(APK);
    if apk.exists() {
        arguments.push(apk.to_str().expect("a path"));
    }
    browser::run("studio_device.mjs", &arguments);
}

#[test]
fn two_devices_are_shown_and_acted_on() {
    let project = Project::with_demo_app();
    let devices = ["--device", "virtual", "--device", "virtual"];
    let server = studio(&project, &devices);
    browser::run("studio_devices.mjs", &[&server.address, APP]);
}

#[test]
fn an_agent_works_beside_the_page_until_a_person_takes_over() {
    let Some(python) = needs::client_program("venv/bin/python") else {
        return;
    };
    let project = Project::with_demo_app();
    let server = studio(&project, &[]);
    let program = python.get_program().to_str().expect("a path").to_owned();
    let script = needs::root().join("tests/browser/studio_agent.py");
    let script = script.to_str().expect("a path");
    browser::run(
        "studio_agents.mjs",
        &[&server.address, APP, &program, script],
    );
}

#[test]
fn agents_need_the_token_and_no_page_of_another_site_is_one() {
    let project = Project::with_demo_app();
    let server = studio(&project, &[]);
    let host = server.host().to_owned();
    let bearer = format!("Bearer {}", server.token());
    let (own, token) = (("Host", host.as_str()), ("Authorization", bearer.as_str()));
    let json = ("Content-Type", "application/json");
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    for (wanted, headers) in [
        (401, vec![own, json]),
        (401, vec![own, json, ("Authorization", "Bearer 0000")]),
        (403, vec![("Host", "evil.example"), token, json]),
        (
            403,
            vec![own, token, json, ("Origin", "http://evil.example")],
        ),
    ] {
        let (status, answer) = server.ask("POST /mcp", &headers, list);
        assert_eq!(status, wanted, "{headers:?}\n{answer}");
    }
    for (wanted, line, body) in [
        (409, "POST /devices/choose", r#"{"place":7}"#),
        (409, "POST /devices/look", r#"{"place":7}"#),
        (404, "GET /devices/7/1", ""),
        (
            409,
            "POST /log/assert",
            r#"{"wish":{"n":7,"app":null},"block":null}"#,
        ),
        (422, "POST /device/state", r#"{"path":"x"}"#),
        (
            422,
            "POST /act",
            r#"{"wish":{"what":{"act":"device","control":{"install":{"path":"x"}}},"seq":null},"block":null}"#,
        ),
        (409, "PUT /device/app?name=a.apk", "no archive"),
    ] {
        let (status, answer) = server.own(line, body);
        assert_eq!(status, wanted, "{line}\n{answer}");
    }
    let other = [own, ("Origin", "http://evil.example")];
    assert_eq!(
        server.ask("PUT /device/app?name=a.apk", &other, "PK").0,
        403
    );
}

/// Checks that the studio restores what was changed on the page when it ends.
#[cfg(unix)]
#[test]
fn the_device_is_as_it_was_when_the_studio_ends() {
    let project = Project::with_demo_app();
    let lent = Served::start(&project, &[]);
    let is_dark = |server: &PageServer| {
        let (status, state) = server.own("POST /device/state", r#"{"app":null}"#);
        assert_eq!(status, 200, "{state}");
        let (_, state) = state.split_once("\r\n\r\n").expect("a body");
        let state: serde_json::Value = serde_json::from_str(state).expect("JSON");
        state["settings"]["dark"]["value"].clone()
    };
    let mut server = studio(&project, &["--device", &lent.address]);
    assert_eq!(is_dark(&server), false);
    let dark = r#"{"wish":{"what":{"act":"device","control":{"dark":{"on":true}}},"seq":null},"block":null}"#;
    let (status, answer) = server.own("POST /act", dark);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(is_dark(&server), true);
    let id = rustix::process::Pid::from_child(&server.running.0);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a signal");
    let ended = server.running.0.wait().expect("its end");
    assert!(ended.success(), "{ended}");
    let server = studio(&project, &["--device", &lent.address]);
    assert_eq!(is_dark(&server), false);
}

#[test]
fn the_page_says_who_holds_the_device_and_takes_it_when_that_ends() {
    let project = Project::with_demo_app();
    project.flow(
        "long",
        "steps:\n  - launch\n  - repeat: { times: 10000, steps: [ find: Username ] }\n",
    );
    project.flow("short", "steps: [ launch ]\n");
    let lent = Served::start(&project, &[]);
    let device = ["--device", lent.address.as_str()];
    let mut first = project
        .command(&[&["test", "flows/long.yaml", "--json", "-"], &device[..]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut events = BufReader::new(first.stdout.take().expect("its output"));
    let first = Running(first);
    let mut event = String::new();
    while !event.contains("step_finished") {
        event.clear();
        assert!(events.read_line(&mut event).expect("an event") > 0);
    }
    let server = studio(&project, &device);
    let mut message = server.messages();
    let held = message.wait_for("is in use: runner test, process ");
    assert!(
        held.contains(&format!("process {} on ", first.0.id())),
        "{held}"
    );
    drop(first);
    message.wait_for("\"state\":\"ready\"");
    // The other way round: the page is open.
    let run = [
        &["test", "flows/short.yaml", "--device-wait", "0s"],
        &device[..],
    ]
    .concat();
    let process = format!("runner studio, process {} on ", server.running.0.id());
    project.run(&run).expect(3).says(&process);
}

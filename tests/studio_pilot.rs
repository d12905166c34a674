//! Control of a run from the studio's page, in a real browser.

use crate::adb_server::Served;
use crate::common::Project;
use crate::common::browser;
use crate::common::pages::PageServer;

#[test]
fn a_run_is_paused_mended_and_goes_on() {
    let project = Project::with_demo_app();
    let flow = "flows/mend.yaml";
    project.write(
        flow,
        "# Signs in.\nname: Mends\napp: com.example.notes\nsteps:\n  - launch\n  - assert visible: Welcome to notes   # greets\n    timeout: 1s\n  - type: { into: { id: username }, text: ada }\n  - assert visible: ada\n",
    );
    let command = project.command(&["studio", "--no-open", flow]);
    let server = PageServer::started(command, &project, "Studio");
    let file = project.path(flow);
    let file = file.to_str().expect("a path");
    browser::run("studio_pilot.mjs", &[&server.address, file]);
}

#[test]
fn a_device_that_is_lost_at_a_pause_ends_the_run_and_says_so() {
    let project = Project::with_demo_app();
    let flow = "flows/lost.yaml";
    project.write(flow, "steps:\n  - assert: { that: \"${1 == 2}\" }\n");
    let lent = Served::start(&project, &[]);
    let arguments = ["studio", "--no-open", "--device", &lent.address, flow];
    let server = PageServer::started(project.command(&arguments), &project, "Studio");
    let mut message = server.messages();
    let (status, answer) = server.own("POST /run", r#"{"part":"all"}"#);
    assert_eq!(status, 200, "{answer}");
    message.wait_for("\"why\":\"failure\"");
    drop(lent);
    message.wait_for("the device was lost while the run was paused");
    message.wait_for("\"what\":\"end\"");
}

/// Ctrl-C at a pause: teardown runs before the program ends.
#[cfg(unix)]
#[test]
fn the_end_of_the_program_at_a_pause_ends_the_flow_in_order() {
    let project = Project::with_demo_app();
    let flow = "flows/paused.yaml";
    project.write(
        flow,
        "steps:\n  - assert: { that: \"${1 == 2}\" }\nteardown:\n  - screenshot: torn-down\n",
    );
    let command = project.command(&["studio", "--no-open", flow]);
    let mut server = PageServer::started(command, &project, "Studio");
    let mut message = server.messages();
    let (status, answer) = server.own("POST /run", r#"{"part":"all"}"#);
    assert_eq!(status, 200, "{answer}");
    message.wait_for("\"why\":\"failure\"");
    let id = rustix::process::Pid::from_child(&server.running.0);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a signal");
    let ended = server.running.0.wait().expect("its end");
    assert!(ended.success(), "{ended}");
    let torn_down = walkdir::WalkDir::new(project.path("."))
        .into_iter()
        .flatten()
        .any(|file| file.file_name().to_string_lossy().contains("torn-down"));
    assert!(torn_down, "teardown did not run");
}

//! `runner doctor --try`: does once on a device what flows need, and reports faults with advice.

use camino::Utf8PathBuf;
use runner::virtual_device::{Quirk, VirtualDevice, VirtualDeviceOptions};

use crate::common::{Project, Ran};

/// Starts a device with the demo app in front, and runs the command on it.
async fn tried(quirks: Vec<Quirk>) -> (VirtualDevice, Ran) {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
    let device = VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![apps],
        quirks,
        ..VirtualDeviceOptions::default()
    })
    .await
    .expect("a virtual device");
    let address = device.address().to_string();
    let run = async |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.args(["--device", &address]);
        let output = tokio::process::Command::from(command).output().await;
        Ran::from(output.expect("the program starts"))
    };
    run(&["test"]).await.expect(0);
    let ran = run(&["doctor", "--try", "--type-into", "username"]).await;
    // What it did is put back: the app is in front again.
    run(&["inspect"]).await.expect(0).says("Zürich äöü");
    (device, ran)
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_flows_need_is_tried_and_put_back() {
    let (device, ran) = tried(Vec::new()).await;
    let ran = ran.expect(0);
    for (title, detail) in [
        ("look ", "nodes in"),
        ("screenshot ", "KiB"),
        ("app in front ", "com.example.notes/.SignIn"),
        ("HOME and back ", "then com.example.notes again"),
        ("rotation ", "0°, 1080×2400"),
        ("clipboard ", "its text was put back"),
        ("log ", "lines of errors"),
        ("video of 1 s ", "KiB"),
        ("grant permissions ", "the shell may"),
        ("text of any script ", "Zürich äöü"),
    ] {
        let line = ran.stdout.lines().find(|line| line.contains(title));
        let line = line.unwrap_or_else(|| panic!("no {title}: {}", ran.stdout));
        assert!(line.starts_with("ok "), "{line}");
        assert!(line.contains(" ms  ") && line.contains(detail), "{line}");
    }
    assert!(device.served("screenrecord") > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_phone_does_unlike_others_is_named_with_what_to_do() {
    let (_device, ran) = tried(vec![Quirk::NoLog, Quirk::LateWindows]).await;
    ran.expect(3)
        .says("the device's log cannot be read")
        .says("developer options");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_is_typed_into_only_where_one_is_named() {
    let project = Project::with_demo_app();
    let ran = project.run(&["doctor", "--type-into", "username"]);
    ran.expect(2).says("--try");
    let ran = project.run(&["doctor", "--try"]).expect(0);
    assert!(
        !ran.stdout.contains("text of any script   "),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_field_that_is_not_there_is_no_lack_of_the_device() {
    let project = Project::with_demo_app();
    let ran = project.run(&["doctor", "--try", "--type-into", "nowhere"]);
    ran.expect(3).says("no element matches nowhere");
}

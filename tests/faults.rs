//! What a device does wrong, end to end: each fault is lived through or told, with the right exit code, within its limit.

mod common;

use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use common::{Project, Ran};
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};

const FLOW: &str = "app: com.example.notes
step_timeout: 2s
steps:
  - launch
  - assert visible: Welcome to Notes
  - type: { into: { id: username }, text: ada }
  - assert: { id: username, text: ada }
";
/// Longest time for one run of the program on a machine that does much else. Only a hang takes longer.
const LONGEST: Duration = Duration::from_mins(2);

struct Fixture {
    project: Project,
    device: VirtualDevice,
}

impl Fixture {
    async fn start() -> Self {
        let project = Project::with_demo_app();
        project.write("flows/one.yaml", FLOW);
        let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
        let device = VirtualDevice::start(VirtualDeviceOptions {
            apps: vec![apps],
            ..VirtualDeviceOptions::default()
        })
        .await
        .expect("a virtual device");
        Self { project, device }
    }

    /// Runs the program on the device with a fault.
    async fn run(&self, fault: &str, arguments: &[&str]) -> Ran {
        self.device.clear_faults();
        self.device.inject(fault.parse::<FaultSpec>().expect(fault));
        let address = self.device.address().to_string();
        let mut command = self.project.command(arguments);
        command.args(["--device", &address]);
        let running = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .output();
        let begun = Instant::now();
        let output = tokio::time::timeout(LONGEST, running)
            .await
            .unwrap_or_else(|_| panic!("{fault}: hangs"))
            .expect("the program starts");
        assert!(begun.elapsed() < LONGEST);
        let ran = Ran::from(output);
        assert!(!ran.stderr.contains("panicked"), "{fault}: {}", ran.stderr);
        ran
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_lives_through_a_fault_or_says_what_it_was() {
    let fixture = Fixture::start().await;
    for (fault, code, says) in [
        ("could-not-get-idle", 0, "1 passed"),
        ("null-root:2", 0, "1 passed"),
        ("truncated-dump:2", 0, "1 passed"),
        ("missing-dump:2", 0, "1 passed"),
        ("several-displays", 0, "1 passed"),
        ("slow-command=100ms", 0, "1 passed"),
        ("bad-screenshot", 0, "1 passed"),
        ("null-root", 1, "no window has content yet"),
        ("truncated-dump", 1, "cut off after"),
        ("missing-dump", 1, "wrote no file"),
        ("storage-full", 1, "storage is full"),
        ("slot-taken", 1, "another automation client"),
        ("process-killed", 1, "another automation client"),
        ("lost-input", 1, "the text did not arrive whole"),
        ("dead-app", 1, "com.android.launcher/.Home"),
        ("dropped-connection", 3, "was lost"),
        // Amid the steps: what is asked before them may get no answer.
        ("dropped-connection=5:1", 3, "was lost"),
        ("dropped-output", 3, "was lost"),
        ("offline", 3, "did not greet within"),
        ("unauthorized", 3, "is unauthorized"),
        ("hung-command", 3, "answered nothing"),
    ] {
        let ran = fixture.run(fault, &["test", "flows/one.yaml"]).await;
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{fault}: {told}");
        assert!(told.contains(says), "{fault}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn inspect_tells_a_fault() {
    let fixture = Fixture::start().await;
    for (fault, arguments, code, says) in [
        ("null-root", &["inspect"][..], 1, "no window has content"),
        ("slot-taken", &["inspect"], 1, "another automation client"),
        (
            "bad-screenshot",
            &["inspect", "--screenshot", "a.png"],
            1,
            "screenshot",
        ),
        ("unauthorized", &["inspect"], 3, "adb connect"),
        ("dropped-output", &["inspect"], 3, "was lost"),
    ] {
        let ran = fixture.run(fault, arguments).await;
        assert_eq!(ran.code, code, "{fault}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(says), "{fault}: {}", ran.stderr);
    }
}

/// A device that goes away in mid-flow is the device's fault; the app's failure is the app's.
#[tokio::test(flavor = "multi_thread")]
async fn junit_tells_a_lost_device_from_a_failure() {
    let fixture = Fixture::start().await;
    for (fault, tag) in [
        ("dropped-connection=4", "<error"),
        ("lost-input", "<failure"),
    ] {
        fixture
            .run(fault, &["test", "flows/one.yaml", "--junit", "out.xml"])
            .await;
        let xml = fixture.project.read("out.xml");
        assert!(xml.contains(tag), "{fault}: {xml}");
    }
}

/// U12: what is wrong with a device is said once, with the number of flows; they keep their names.
#[tokio::test(flavor = "multi_thread")]
async fn an_offline_device_is_told_once() {
    let fixture = Fixture::start().await;
    for name in ["a", "b", "c"] {
        let flow = format!("name: Order {name}\nsteps: [ launch ]\n");
        fixture.project.flow(name, &flow);
    }
    let arguments = &[
        "test",
        "flows/a.yaml",
        "flows/b.yaml",
        "flows/c.yaml",
        "--junit",
        "out.xml",
    ];
    let ran = fixture.run("unauthorized", arguments).await.expect(3);
    let told = ran.stdout.matches("is unauthorized").count();
    assert_eq!(told, 1, "{}", ran.stdout);
    let ran = ran.says("3 flows could not be run");
    let xml = fixture.project.read("out.xml");
    for name in ["Order a", "Order b", "Order c"] {
        assert!(ran.stdout.contains(name), "{}", ran.stdout);
        assert!(xml.contains(&format!("name=\"{name}\"")), "{xml}");
    }
}

//! Faults of a device, end to end: each is survived or reported, with the right exit code, within its limit.

use std::time::{Duration, Instant};

use crate::common::needs::long;
use crate::common::{Project, Ran, at_once};
use camino::Utf8PathBuf;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};

const FLOW: &str = "app: com.example.notes
step_timeout: 2s
steps:
  - launch
  - assert visible: Welcome to Notes
  - type: { into: { id: username }, text: ada }
  - assert: { id: username, text: ada }
";
/// Limit for a run of the program on a loaded machine. Chosen: only a hang takes longer.
const MAX_RUN_TIME: Duration = Duration::from_mins(2);

struct Fixture {
    project: Project,
    device: VirtualDevice,
    /// Home folder for keys of adb.
    home: tempfile::TempDir,
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
        let home = tempfile::tempdir().expect("a folder");
        Self {
            project,
            device,
            home,
        }
    }

    /// Returns the number of dumps that the device served.
    fn dumps(&self) -> u64 {
        self.device.served("uiautomator")
    }

    /// Runs the program on the device with a fault.
    async fn run(&self, fault: &str, arguments: &[&str]) -> Ran {
        self.device.clear_faults();
        if !fault.is_empty() {
            self.device.inject(fault.parse::<FaultSpec>().expect(fault));
        }
        let address = self.device.address().to_string();
        let mut command = self.project.command(arguments);
        command
            .args(["--device", &address])
            .env("HOME", self.home.path())
            .env("RUNNER_ALLOW_TIMEOUT", "1s");
        let running = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .output();
        let begun = Instant::now();
        let output = tokio::time::timeout(MAX_RUN_TIME, running)
            .await
            .unwrap_or_else(|_| panic!("{fault}: hangs"))
            .expect("the program starts");
        assert!(begun.elapsed() < MAX_RUN_TIME);
        let ran = Ran::from(output);
        assert!(!ran.stderr.contains("panicked"), "{fault}: {}", ran.stderr);
        ran
    }

    /// Runs the program on the device, which gets a fault after `dumps` dumps.
    async fn run_hit(&self, fault: &str, dumps: u64, arguments: &[&str]) -> Ran {
        let spec: FaultSpec = fault.parse().expect(fault);
        let begun = self.dumps();
        let hitting = async {
            while self.dumps() < begun + dumps {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            self.device.inject(spec);
        };
        let running = self.run("", arguments);
        tokio::pin!(running);
        tokio::select! {
            biased;
            ran = &mut running => ran,
            () = hitting => running.await,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_lives_through_a_fault_or_says_what_it_was() {
    let cases = [
        ("could-not-get-idle", 0, "1 passed"),
        ("null-root:2", 0, "1 passed"),
        ("truncated-dump:2", 0, "1 passed"),
        ("missing-dump:2", 0, "1 passed"),
        ("several-displays", 0, "1 passed"),
        ("slow-command=100ms", 0, "1 passed"),
        ("bad-screenshot", 0, "1 passed"),
        // What outlasts its tries is the device's fault, and the device is named.
        ("null-root", 3, "no window has content yet"),
        ("truncated-dump", 3, "cut off after"),
        ("missing-dump", 3, "wrote no file"),
        ("storage-full", 3, "storage is full"),
        ("slot-taken", 3, "another automation client"),
        ("process-killed", 3, "another automation client"),
        // In two seconds a dump that hangs looks like a screen that never stands still.
        ("hung-dump", 1, "could not be read within"),
        ("hung-input", 3, "which still answers"),
        ("refused-input", 3, "`input` failed on the device"),
        ("lost-input", 1, "the text did not arrive whole"),
        (
            "dead-app",
            1,
            "com.example.notes crashed: java.lang.RuntimeException",
        ),
        ("dropped-connection", 3, "was lost"),
        // Amid the steps: what is asked before them may get no answer.
        ("dropped-connection=5:1", 3, "was lost"),
        ("dropped-output", 3, "was lost"),
        ("offline", 3, "did not greet within"),
        ("unauthorized", 3, "is unauthorized"),
        ("hung-command", 3, "answered nothing"),
        ("locked", 3, "is locked: unlock it by hand"),
    ];
    at_once(cases, |(fault, code, says)| async move {
        let fixture = Fixture::start().await;
        let ran = fixture.run(fault, &["test", "flows/one.yaml"]).await;
        let message = format!("{}{}", ran.stdout, ran.stderr);
        // Several are asked at once at the start. Without the log the flow goes on, and says what it cannot detect.
        if fault.ends_with(":1") && message.contains("the device gives no log") {
            return;
        }
        assert_eq!(ran.code, code, "{fault}: {message}");
        assert!(message.contains(says), "{fault}: {message}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_sleeps_is_woken_before_a_run_and_named_amid_one() {
    let fixture = Fixture::start().await;
    fixture.project.flow(
        "sleeps",
        "step_timeout: 2s\nsteps: [ press: SLEEP, assert visible: Welcome ]\n",
    );
    let ran = fixture.run("", &["test", "flows/sleeps.yaml"]).await;
    ran.expect(3).says("its screen is off");
    let ran = fixture.run("", &["doctor"]).await;
    ran.says("screen on");
    let ran = fixture.run("", &["test", "flows/one.yaml"]).await;
    ran.expect(0).says("it was woken");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_the_app_forbids_is_named_before_it_becomes_a_golden() {
    let fixture = Fixture::start().await;
    fixture
        .project
        .flow("a", "steps: [ launch, snapshot: home ]\n");
    for (fault, is_black) in [("secure-window", true), ("", false)] {
        let ran = fixture.run(fault, &["test", "flows/a.yaml"]).await;
        let message = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(message.contains("forbids pictures"), is_black, "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn inspect_tells_a_fault() {
    let fixture = Fixture::start().await;
    for (fault, arguments, code, says) in [
        ("null-root", &["inspect"][..], 3, "no window has content"),
        ("slot-taken", &["inspect"], 3, "another automation client"),
        (
            "truncated-screenshot",
            &["inspect", "--screenshot", "a.png"],
            3,
            "screenshot",
        ),
        ("unauthorized", &["inspect"], 3, "nobody allowed"),
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
        ("truncated-dump", "<error"),
        ("refused-input", "<error"),
        ("lost-input", "<failure"),
        ("dead-app", "<failure"),
    ] {
        fixture
            .run(fault, &["test", "flows/one.yaml", "--junit", "out.xml"])
            .await;
        let xml = fixture.project.read("out.xml");
        assert!(xml.contains(tag), "{fault}: {xml}");
    }
}

/// A screenshot is taken again as a dump is.
#[tokio::test(flavor = "multi_thread")]
async fn a_screenshot_that_is_not_whole_is_taken_again() {
    let fixture = Fixture::start().await;
    let flow = "steps: [ launch, screenshot: home ]\n";
    fixture.project.flow("picture", flow);
    for (fault, code, says) in [
        ("truncated-screenshot:5", 0, "1 passed"),
        ("bad-screenshot", 3, "no screenshot"),
        ("truncated-screenshot", 3, "cut off after"),
        ("hung-screenshot", 3, "`screencap` took longer than"),
    ] {
        let arguments = &["test", "flows/picture.yaml"];
        fixture.run(fault, arguments).await.expect(code).says(says);
    }
}

/// Rows alone would pass. A password field is painted over before a picture is compared, so it is read earlier there.
#[tokio::test(flavor = "multi_thread")]
async fn attack_a_screenshot_that_does_not_read_passes_nowhere() {
    let fixture = Fixture::start().await;
    let project = &fixture.project;
    project.flow("password", "steps: [ launch, snapshot: home ]\n");
    project.flow(
        "plain",
        "steps: [ { launch: { activity: .Settings } }, snapshot: settings ]\n",
    );
    for flow in ["flows/password.yaml", "flows/plain.yaml"] {
        let new = ["test", flow, "--update", "new"];
        fixture.run("", &new).await.expect(0);
        fixture
            .run("damaged-screenshot", &["test", flow])
            .await
            .expect(3)
            .says("the screenshot cannot be read");
    }
}

/// A device that answers all the same is worth another try, teardown and evidence.
#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_answers_keeps_tries_teardown_and_evidence() {
    let fixture = Fixture::start().await;
    let project = &fixture.project;
    let click = "click: { id: username }";
    for (name, text) in [
        (
            "retry",
            format!("steps:\n  - launch\n  - {click}\n    retry: 1\n"),
        ),
        (
            "retry-control",
            format!("steps:\n  - launch\n  - retry: {{ times: 1, steps: [ {click} ] }}\n"),
        ),
        (
            "optional",
            format!("steps:\n  - launch\n  - {click}\n    optional: true\n"),
        ),
        (
            "retries",
            format!("retries: 1\nsteps:\n  - launch\n  - {click}\n"),
        ),
    ] {
        project.flow(name, &text);
        let path = format!("flows/{name}.yaml");
        let ran = fixture.run("refused-input:1", &["test", &path]).await;
        ran.expect(0);
    }
    project.flow(
        "all",
        &format!("steps:\n  - launch\n  - {click}\nteardown: [ stop ]\n"),
    );
    let ran = fixture
        .run("refused-input", &["test", "flows/all.yaml"])
        .await;
    ran.expect(3)
        .says("ok    teardown: stop")
        .says(&fixture.device.address().to_string());
    let stored = project.files(".runner/artifacts/flows/all");
    for name in ["failure.png", "failure.tsv"] {
        let is_kept = stored.iter().any(|file| file.ends_with(name));
        assert!(is_kept, "{name} in {stored:?}");
    }
}

/// Checks that unmet expectations of a flow are the app's failures, never faults of the device.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_app_does_not_do_stays_a_failure() {
    let fixture = Fixture::start().await;
    for (name, steps) in [
        ("package", "launch: { app: com.example.none }"),
        ("activity", "launch: { activity: .None }"),
        ("element", "click: Nothing like it"),
        ("key", "press: \"${flow.name}\""),
        (
            "permission",
            "grant: { permission: com.example.permission.NONE }",
        ),
    ] {
        let flow = format!("step_timeout: 1s\nsteps:\n  - launch\n  - {steps}\n");
        fixture.project.flow(name, &flow);
        let path = format!("flows/{name}.yaml");
        fixture.run("", &["test", &path]).await.expect(1);
    }
}

/// A screen that never stands still is the app's, also where the step ends before the device says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_restless_screen_is_a_failure_of_the_app() {
    let fixture = Fixture::start().await;
    for (fault, header, code, says) in [
        (
            "could-not-get-idle=11s",
            "step_timeout: 3s",
            1,
            "either it never stands still",
        ),
        (
            "could-not-get-idle=11s",
            "step_timeout: 1m\ntimeout: 8s",
            1,
            "may never stand still",
        ),
        // Where there is time left, the compressed dump is tried.
        ("could-not-get-idle=4s", "step_timeout: 8s", 0, "1 passed"),
    ] {
        let steps = "steps:\n  - launch\n  - click: { id: username }\n";
        fixture.project.flow("a", &format!("{header}\n{steps}"));
        let arguments = &["test", "flows/a.yaml"];
        fixture.run(fault, arguments).await.expect(code).says(says);
    }
}

/// A wait for rest also reports that no look came through.
#[tokio::test(flavor = "multi_thread")]
async fn a_wait_for_rest_tells_a_fault_of_the_device() {
    let fixture = Fixture::start().await;
    // A dump that could not get idle took ten seconds.
    let flow = "step_timeout: 15s\nsteps: [ launch, wait_for_idle ]\n";
    fixture.project.flow("a", flow);
    for (fault, code, says) in [
        ("null-root", 3, "no window has content yet"),
        ("truncated-dump", 3, "cut off after"),
        ("missing-dump", 3, "wrote no file"),
        ("could-not-get-idle:1", 0, "1 passed"),
    ] {
        let arguments = &["test", "flows/a.yaml"];
        fixture.run(fault, arguments).await.expect(code).says(says);
    }
}

/// Returns the milliseconds and the status of the last attempt.
fn ended(project: &Project) -> (u64, String) {
    let events = project.read("events.ndjson");
    let line = events
        .lines()
        .rfind(|line| line.contains("\"flow_finished\""))
        .expect("a flow that ended");
    let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
    (
        event["duration_ms"].as_u64().expect("a time"),
        event["status"].as_str().expect("a status").to_owned(),
    )
}

/// Exit code and status of a flow that failed by the app, and of one that failed by the device.
const APP: (i32, &str) = (1, "failed");
const DEVICE: (i32, &str) = (3, "error");

/// The smallest limit wins. Far over a second is allowed here: other tests run meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn what_hangs_costs_no_more_than_the_smallest_limit() {
    let cases = [
        // A step's limit, then three seconds for a look that shows the failure.
        ("hung-dump", "step_timeout: 4s\ntimeout: 2m", APP, 15_000),
        (
            "hung-dump",
            "step_timeout: 12s\ntimeout: 2m",
            DEVICE,
            23_000,
        ),
        (
            "hung-input",
            "step_timeout: 4s\ntimeout: 2m",
            DEVICE,
            15_000,
        ),
        ("hung-dump", "step_timeout: 1m\ntimeout: 6s", APP, 13_000),
        (
            "hung-input",
            "step_timeout: 1m\ntimeout: 6s",
            DEVICE,
            13_000,
        ),
        (
            "hung-command",
            "step_timeout: 1m\ntimeout: 6s",
            DEVICE,
            13_000,
        ),
    ];
    at_once(
        cases,
        |(fault, header, (code, status), longest)| async move {
            let fixture = Fixture::start().await;
            let steps = "steps:\n  - launch\n  - find: Username\n  - click: { id: username }\n";
            fixture.project.flow("a", &format!("{header}\n{steps}"));
            let arguments = &["test", "flows/a.yaml", "--json", "events.ndjson"];
            let ran = if fault == "hung-command" {
                // From the first command on there would be no flow.
                fixture.run_hit(fault, 1, arguments).await
            } else {
                fixture.run(fault, arguments).await
            };
            ran.expect(code);
            let (took, ended) = ended(&fixture.project);
            assert_eq!(ended, status, "{fault}, {header}");
            assert!(took < longest, "{fault}, {header}: {took} ms");
        },
    )
    .await;
}

/// However short a limit is, it is reported and nothing panics. 200 moments are tried where the limits are kept.
#[tokio::test(flavor = "multi_thread")]
async fn v13_a_limit_of_a_few_milliseconds_is_told() {
    let fixture = Fixture::start().await;
    for limit in 1..=5 {
        let flow = format!(
            "timeout: {limit}ms\nteardown_timeout: {limit}ms\nsteps: [ launch, {{ group: [ back ], timeout: {limit}ms }} ]\nteardown: [ back ]\n"
        );
        fixture.project.flow(&format!("short/{limit}"), &flow);
    }
    let arguments = &["test", "flows/short", "--repeat-each", "4"];
    let ran = fixture.run("", arguments).await.expect(1);
    ran.says("the flow took longer than its timeout of 1ms");
    fixture.project.write(
        "flows/one.yaml",
        &FLOW.replace("step_timeout: 2s", "timeout: 0s"),
    );
    let linted = fixture.project.run(&["lint", "flows/one.yaml"]);
    linted.expect(2).says("leaves no time for any step");
    let mut command = fixture.project.command(&["test", "flows/short"]);
    let ran = Ran::from(command.env("RUNNER_TIMEOUT", "0s").output().unwrap());
    ran.expect(2).says("RUNNER_TIMEOUT=0s");
}

/// A look that is cut off after others went well is not the device's fault.
#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_is_cut_off_after_a_good_one_is_no_fault_of_the_device() {
    let fixture = Fixture::start().await;
    let flow = "step_timeout: 30s\nsteps:\n  - launch\n  - wait_for: Never\n    timeout: 20s\n";
    fixture.project.flow("a", flow);
    let ran = fixture.run_hit("hung-dump", 2, &["test", "flows/a.yaml"]);
    ran.await.expect(1).says("no element matches Never");
}

/// Teardown has a limit of its own.
#[tokio::test(flavor = "multi_thread")]
async fn teardown_has_a_limit_of_its_own() {
    let fixture = Fixture::start().await;
    let endless = "repeat: { times: 10000, steps: [ find: Username ] }";
    let flow = format!("teardown_timeout: 2s\nsteps: [ launch ]\nteardown:\n  - {endless}\n");
    fixture.project.flow("a", &flow);
    let arguments = &["test", "flows/a.yaml", "--json", "events.ndjson"];
    let ran = fixture.run("", arguments).await;
    ran.expect(1)
        .says("teardown took longer than its timeout of 2s");
    assert_eq!(ended(&fixture.project).1, "error");
    fixture
        .project
        .replace("flows/a.yaml", "teardown_timeout: 2s\n", "");
    let mut settings = fixture.project.read("runner.yaml");
    settings.push_str("teardown_timeout: 1s\n");
    fixture.project.write("runner.yaml", &settings);
    let ran = fixture.run("", arguments).await;
    ran.expect(1)
        .says("teardown took longer than its timeout of 1s");
}

/// Checks that hanging screenshots of a failed step in teardown take no time from the steps after it.
#[tokio::test(flavor = "multi_thread")]
async fn every_step_of_teardown_is_tried_though_screenshots_hang() {
    let fixture = Fixture::start().await;
    fixture.project.flow(
        "a",
        "step_timeout: 500ms
teardown_timeout: 3s
steps: [ launch ]
teardown: [ click: Never, click: Never, stop ]
",
    );
    let arguments = &["test", "flows/a.yaml"];
    let ran = fixture.run("hung-screenshot", arguments).await;
    ran.expect(1).says("ok    teardown: stop");
}

/// Checks that a device's problem is printed once with the number of flows, which keep their names.
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
    let reported = ran.stdout.matches("is unauthorized").count();
    assert_eq!(reported, 1, "{}", ran.stdout);
    ran.says("3 flows could not be run: ");
    let xml = fixture.project.read("out.xml");
    for name in ["Order a", "Order b", "Order c"] {
        assert!(xml.contains(&format!("name=\"{name}\"")), "{xml}");
    }
}

/// Assertions without an act between them cost one dump, one after an act costs its own.
#[tokio::test(flavor = "multi_thread")]
async fn assertions_in_a_row_cost_one_dump() {
    let fixture = Fixture::start().await;
    let dumps = async |steps: &str| {
        let flow = format!("steps:\n  - launch\n{steps}");
        fixture.project.flow("a", &flow);
        let before = fixture.dumps();
        let ran = fixture
            .run("", &["test", "-v", "flows/a.yaml"])
            .await
            .expect(0);
        (fixture.dumps() - before, ran)
    };
    let first = "  - assert visible: Welcome to Notes\n";
    let more = "  - assert visible: { id: username }
  - assert not visible: Inbox
  - assert: { id: sign_in, enabled: false }
  - assert log: { regex: \".*\", any_app: true }
  - assert visible: Username
";
    let (one, _) = dumps(first).await;
    let (five, ran) = dumps(&format!("{first}{more}")).await;
    assert_eq!((one, five), (1, 1), "{}", ran.stdout);
    let again = ran.stdout.matches("the last look again").count();
    // Each of the four that look reports it, and the flow all of them together.
    assert!(again >= 4, "{}", ran.stdout);
    for between in ["press: VOLUME_UP", "wait_for_idle", "click: Username"] {
        let (three, ran) = dumps(&format!("{first}  - {between}\n{first}")).await;
        assert!(three > 1, "{between}: {}", ran.stdout);
    }
    // What is there is there; what is to change gets a look of its own.
    for (step, expected) in [
        ("find: Username", 1),
        ("wait_for: Username", 1),
        ("scroll_to: Username", 1),
        ("click: Username", 1),
        ("assert visible: Username\n    timeout: 5s", 1),
        ("assert not visible: Inbox\n    timeout: 5s", 2),
        ("assert: { text: Username, count: 1 }\n    timeout: 5s", 2),
        ("wait_for: { text: Inbox, gone: true }", 2),
        // A further try or round sees what has changed by then.
        (
            "retry: { times: 2, steps: [ { find: Username }, { assert: { that: \"${1 == 2}\" } } ] }\n    optional: true",
            3,
        ),
        ("repeat: { times: 3, steps: [ { find: Username } ] }", 3),
    ] {
        let (looks, ran) = dumps(&format!("{first}  - {step}\n")).await;
        assert_eq!(looks, expected, "{step}: {}", ran.stdout);
    }
}

/// Whenever a fault begins, it is reported for what it is: the device's is never a failure, the app's never an error.
#[tokio::test(flavor = "multi_thread")]
async fn a_fault_at_any_moment_is_told_for_what_it_is() {
    let fixture = Fixture::start().await;
    fixture.project.flow(
        "a",
        "step_timeout: 2s
timeout: 30s
setup:
  - launch
  - record: start
steps:
  - screenshot: first
  - type: { into: { id: username }, text: ada }
  - assert: { id: username, text: ada }
  - snapshot: home
  - retry: { times: 1, steps: [ click: { id: password } ] }
teardown:
  - press: HOME
  - screenshot: last
  - stop
",
    );
    let begun = fixture.dumps();
    let arguments = ["test", "flows/a.yaml", "--update", "all"];
    fixture.run("", &arguments).await.expect(0);
    let all = fixture.dumps() - begun;
    for (fault, code) in [
        ("truncated-dump", 3),
        ("null-root", 3),
        ("slot-taken", 3),
        ("truncated-screenshot", 3),
        ("refused-input", 3),
        ("dropped-output", 3),
        ("dropped-connection:1", 3),
        ("lost-input", 1),
        ("dead-app", 1),
    ] {
        for moment in (0..all).step_by(long(7, 1)) {
            let ran = fixture.run_hit(fault, moment, &arguments).await;
            let message = format!("{}{}", ran.stdout, ran.stderr);
            // One that goes on from the beginning is met for sure, and no later one need be.
            let may_pass = moment > 0 || fault.contains(':');
            let is_right = ran.code == code || (may_pass && ran.code == 0);
            assert!(is_right, "{fault} after {moment}: {} {message}", ran.code);
        }
    }
}

/// A demo run whose n-th command is harmed, for all n: it passes, or the device is named. It never fails for the app.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_harmed_is_never_the_apps_failure() {
    let fixture = Fixture::start().await;
    fixture.project.flow(
        "a",
        // Long enough to tell a dump that hangs from a screen that never stands still.
        "step_timeout: 13s
timeout: 3m
setup: [ launch: { clear: true } ]
steps:
  - assert visible: Welcome to Notes
  - type: { into: { id: username }, text: ada }
  - assert: { id: username, text: ada }
  - snapshot: home
  - click: { id: password }
  - assert log: { regex: \".*\", any_app: true }
teardown: [ stop ]
",
    );
    let arguments = ["test", "flows/a.yaml", "--update", "all"];
    let begun = fixture.device.host_commands();
    fixture.run("", &arguments).await.expect(0);
    let all = fixture.device.host_commands() - begun;
    assert!((10..400).contains(&all), "{all}");
    for harm in ["command-killed", "noise", "hung-command", "dropped-output"] {
        for number in (1..=all).step_by(long(9, 1)) {
            let fault = format!("{harm}:1@{number}");
            let ran = fixture.run(&fault, &arguments).await;
            assert!(
                matches!(ran.code, 0 | 3),
                "{fault} of {all}: {} {}{}",
                ran.code,
                ran.stdout,
                ran.stderr
            );
        }
    }
}

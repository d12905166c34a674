//! Flows spread over several devices: each runs once, whatever devices do meanwhile, and runs keep off each
//! other's devices.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use runner::device::Script;
use runner::device::adb::connect_direct;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};
use serde_json::Value;

use crate::adb_server::{Served, Server};
use crate::common::{Project, Ran};

/// Limit for a run. Chosen: only a hang takes longer.
const MAX_RUN_TIME: Duration = Duration::from_mins(3);

const SHORT: &str = "steps: [ launch, assert visible: Welcome to Notes ]\n";

/// Makes a project with `flows` flows, each like `flow`.
fn project(flows: usize, flow: &str) -> Project {
    let project = Project::with_demo_app();
    project.write("runner.yaml", "apps: [apps/demo]\n");
    for number in 1..=flows {
        project.flow(&format!("f{number:02}"), flow);
    }
    project
}

/// Returns a flow that goes on for a while.
fn long(rounds: u32) -> String {
    format!(
        "steps:\n  - launch\n  - repeat: {{ times: {rounds}, steps: [ find: Username ] }}\nteardown: [ stop ]\n"
    )
}

/// Devices, each at its own address.
struct Devices(Vec<Option<VirtualDevice>>);

impl Devices {
    async fn start(number: usize) -> Self {
        let mut devices = Vec::new();
        for _ in 0..number {
            devices.push(Some(Self::one(0).await));
        }
        Self(devices)
    }

    async fn one(port: u16) -> VirtualDevice {
        Self::one_of(port, false).await
    }

    async fn one_of(port: u16, realistic: bool) -> VirtualDevice {
        let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
        let options = || VirtualDeviceOptions {
            apps: vec![apps.clone()],
            port,
            quirks: if realistic {
                vec![runner::virtual_device::Quirk::RealTime]
            } else {
                Vec::new()
            },
            ..VirtualDeviceOptions::default()
        };
        // A port that was just let go may be taken for a moment.
        let end = Instant::now() + MAX_RUN_TIME;
        loop {
            match VirtualDevice::start(options()).await {
                Ok(device) => return device,
                Err(error) => assert!(Instant::now() < end, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn addresses(&self) -> Vec<String> {
        let there = self.0.iter().flatten();
        there.map(|device| device.address().to_string()).collect()
    }

    /// Returns `arguments` with `--device ADDRESS` for each device.
    fn named(&self, arguments: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect();
        for address in self.addresses() {
            all.extend(["--device".to_owned(), address]);
        }
        all
    }

    /// Stops the device at an address, and returns its port.
    fn end(&mut self, address: &str) -> u16 {
        let is_it = |device: &Option<VirtualDevice>| {
            device
                .as_ref()
                .is_some_and(|device| device.address().to_string() == address)
        };
        let at = self.0.iter().position(is_it).expect("a device of the run");
        self.0[at].take().expect("it is there").port()
    }
}

/// A run under way, whose events are read as they come.
struct Running {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    events: Vec<Value>,
}

impl Running {
    /// Starts `runner test ARGUMENTS --json -`.
    fn start(project: &Project, arguments: &[String]) -> Self {
        Self::start_with(project, arguments, &[])
    }

    /// Starts the run with environment variables.
    fn start_with(project: &Project, arguments: &[String], variables: &[(&str, &str)]) -> Self {
        let mut all = vec!["test", "--json", "-"];
        all.extend(arguments.iter().map(String::as_str));
        let mut child = project
            .command(&all)
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("its output"));
        Self {
            child,
            lines,
            events: Vec::new(),
        }
    }

    /// Returns the next event of a kind; `None` if the run ended.
    fn next(&mut self, kind: &str) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            // A killed run leaves half a line.
            let Ok(event) = serde_json::from_str::<Value>(&line) else {
                return None;
            };
            self.events.push(event.clone());
            if event["event"] == kind {
                return Some(event);
            }
        }
    }

    /// Waits until a flow is amid its steps, and returns its device.
    fn amid_a_flow(&mut self) -> String {
        let step = self.next("step_finished").expect("a step");
        step["id"]["device"].as_str().expect("a label").to_owned()
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits for the end, and returns the events and the result.
    fn end(mut self) -> (Vec<Value>, Ran) {
        while self.next("nothing has this name").is_some() {}
        let output = self.child.wait_with_output().expect("its end");
        let ran = Ran::from(output);
        (self.events, ran)
    }
}

/// Last result of each flow: status, device, number of the attempt, message.
type Endings = BTreeMap<String, (String, String, u64, String)>;

/// Returns each flow's last attempt. Fails if a flow ended twice.
fn endings(events: &[Value]) -> Endings {
    let mut endings = Endings::new();
    let finished = events
        .iter()
        .filter(|event| event["event"] == "flow_finished");
    for event in finished.filter(|event| event["last"] == true) {
        let id = &event["id"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let ending = (
            text(&event["status"]),
            text(&id["device"]),
            id["attempt"].as_u64().expect("a number"),
            text(&event["failure"]["message"]),
        );
        let flow = text(&id["flow"]);
        assert!(
            endings.insert(flow.clone(), ending).is_none(),
            "{flow} ended twice"
        );
    }
    endings
}

fn given_back(events: &[Value]) -> usize {
    let is = |event: &&Value| event["event"] == "flow_finished" && event["last"] == false;
    events.iter().filter(is).count()
}

#[test]
fn eight_built_in_devices_run_each_of_25_flows_once() {
    let project = project(25, SHORT);
    let mut arguments = vec![
        "test", "--spread", "--json", "e.ndjson", "--junit", "j.xml", "--html", "h",
    ];
    arguments.extend(["--device", "virtual"].repeat(8));
    let ran = project.run(&arguments).expect(0);
    ran.says("25 flows spread over 8 devices").says("25 passed");
    let events: Vec<Value> = project
        .read("e.ndjson")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ended = endings(&events);
    assert_eq!(ended.len(), 25);
    let mut devices: Vec<&str> = ended.values().map(|ending| ending.1.as_str()).collect();
    devices.sort_unstable();
    devices.dedup();
    assert!(devices.len() > 1, "one device did it all");
    // In the plan a flow has no device, and the suite is the folder.
    let plan = events
        .iter()
        .find(|event| event["event"] == "plan")
        .unwrap();
    assert_eq!(plan["flows"][0]["device"], "");
    assert_eq!(plan["devices"].as_array().unwrap().len(), 8);
    let junit = project.well_formed("j.xml");
    assert_eq!(junit.matches("<testcase").count(), 25);
    assert_eq!(junit.matches("<testsuite ").count(), 1);
    assert!(junit.contains("<testsuite name=\"flows\""), "{junit}");
    assert!(
        junit.contains("name=\"device\" value=\"virtual-2\""),
        "{junit}"
    );
    // The saved stream makes the same report again.
    let again = ["report", "e.ndjson", "--junit", "again.xml"];
    project.run(&again).expect(0).says("25 passed");
    let again = project.well_formed("again.xml");
    assert_eq!(again.matches("<testsuite ").count(), 1);
}

#[test]
fn without_spread_every_flow_runs_on_every_device() {
    let project = project(2, SHORT);
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\nspread: true\ndevices: [ { serial: virtual, label: a }, { serial: virtual, label: b } ]\n",
    );
    project.run(&["test"]).expect(0).says("2 passed");
    let ran = project.run(&["test", "--spread=false"]).expect(0);
    ran.says("4 passed").says("flows/f01.yaml [b]");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_whose_device_dies_runs_on_another() {
    let project = project(25, &long(3));
    let mut devices = Devices::start(8).await;
    let mut run = Running::start(&project, &devices.named(&["--spread"]));
    let dead = run.amid_a_flow();
    devices.end(&dead);
    let (events, ran) = run.end();
    let ran = ran.expect(0);
    let ended = endings(&events);
    assert_eq!(ended.len(), 25);
    assert!(
        ended.values().all(|ending| ending.0 == "passed"),
        "{ended:?}"
    );
    // It may have ended its flow in that moment.
    assert!(given_back(&events) <= 1, "{}", ran.stderr);
    let lost = events
        .iter()
        .filter(|event| event["event"] == "device_lost");
    for event in lost {
        assert_eq!(event["label"].as_str(), Some(dead.as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_all_devices_die_every_flow_is_accounted_for() {
    let project = project(25, &long(10_000));
    let mut devices = Devices::start(8).await;
    let mut run = Running::start(
        &project,
        &devices.named(&["--spread", "--device-wait", "1s", "--junit", "j.xml"]),
    );
    run.amid_a_flow();
    for address in devices.addresses() {
        devices.end(&address);
    }
    let (events, ran) = run.end();
    let ran = ran.expect(3);
    let ended = endings(&events);
    assert_eq!(ended.len(), 25, "{}", ran.stderr);
    assert!(
        ended.values().all(|ending| ending.0 == "error"),
        "{ended:?}"
    );
    assert_eq!(project.well_formed("j.xml").matches("<error").count(), 25);
    // What all of them share is reported once, with their number.
    assert!(
        ran.stderr.contains("flows could not be run: "),
        "{}",
        ran.stderr
    );
    // A flow that was under way says which device it lost.
    let begun = ended.values().filter(|ending| ending.2 == 2);
    for ending in begun {
        assert!(ending.3.contains("was lost under this flow"), "{ending:?}");
    }
}

/// Runs a command in the device's shell, and returns its output.
async fn shell(address: &str, command: &str) -> String {
    let device = connect_direct(address, "test").await.expect("a device");
    let script = Script::raw(command, "test");
    let output = device.shell(&script, Duration::from_secs(10)).await;
    output.expect("an answer").text().into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_comes_back_takes_work_again() {
    let project = project(3, &long(20));
    let mut devices = Devices::start(1).await;
    let scale = "settings put global animator_duration_scale 0.5";
    shell(&devices.addresses()[0], scale).await;
    let mut run = Running::start(&project, &devices.named(&["--spread"]));
    let address = run.amid_a_flow();
    let port = devices.end(&address);
    run.next("device_lost").expect("it is told");
    let back = Devices::one(port).await;
    let (events, ran) = run.end();
    ran.expect(0).says("BACK ").says("3 passed");
    // The run found it with its own setting, and puts back what was there before the run.
    let scale = shell(&address, "settings get global animator_duration_scale").await;
    assert_eq!(scale.trim(), "0.5");
    assert_eq!(endings(&events).len(), 3);
    assert_eq!(given_back(&events), 1);
    assert!(back.served("uiautomator") > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_lost_amid_its_setup_gets_its_animations_back() {
    let project = project(1, SHORT);
    project.write(
        "runner.yaml",
        "apps: [apps/demo]\non_device:\n  setup:\n    - repeat: { times: 500, steps: [ press: HOME ] }\n",
    );
    let mut devices = Devices::start(1).await;
    let address = devices.addresses()[0].clone();
    shell(&address, "settings put global animator_duration_scale 0.5").await;
    let scale = "settings get global animator_duration_scale";
    let mut run = Running::start(&project, &devices.named(&["--spread"]));
    let began = Instant::now();
    while shell(&address, scale).await.trim() == "0.5" {
        assert!(began.elapsed() < MAX_RUN_TIME, "animations stay on");
    }
    let port = devices.end(&address);
    run.next("device_lost").expect("it is told");
    let _back = Devices::one(port).await;
    let (_, ran) = run.end();
    ran.says("BACK ").says("1 passed");
    assert_eq!(shell(&address, scale).await.trim(), "0.5");
}

// One of two devices loses its connection after a few commands, each time.
#[tokio::test(flavor = "multi_thread")]
async fn a_device_lost_by_every_flow_in_turn_keeps_none_from_passing() {
    let project = project(8, &long(20));
    let devices = Devices::start(2).await;
    let bad = devices.0[0].as_ref().unwrap();
    bad.inject("dropped-connection=9".parse::<FaultSpec>().unwrap());
    let run = Running::start(&project, &devices.named(&["--spread"]));
    let (events, ran) = run.end();
    ran.expect(0);
    let ended = endings(&events);
    assert_eq!(ended.len(), 8);
    let good = &devices.addresses()[1];
    assert!(ended.values().all(|ending| ending.1 == *good), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flow_that_loses_two_devices_is_an_error_that_names_both() {
    let project = project(1, &long(10_000));
    let mut devices = Devices::start(2).await;
    let mut run = Running::start(&project, &devices.named(&["--spread"]));
    let first = run.amid_a_flow();
    devices.end(&first);
    let second = loop {
        let device = run.amid_a_flow();
        if device != first {
            break device;
        }
    };
    devices.end(&second);
    let (events, ran) = run.end();
    ran.expect(3);
    let ending = &endings(&events)["flows/f01.yaml"];
    assert_eq!((ending.0.as_str(), ending.2), ("error", 2));
    assert!(
        ending.3.contains(&first) && ending.3.contains(&second),
        "{ending:?}"
    );
}

const TWO: &str = "apps: [apps/demo]
devices:
  - { serial: virtual, label: phone }
  - { serial: virtual, label: tablet, tags: [tablet, lab] }
";

#[test]
fn flows_run_on_what_they_need() {
    let project = project(2, SHORT);
    project.write("runner.yaml", TWO);
    project.flow(
        "t",
        &format!("needs: {{ tags: [tablet], sdk: \">=33\", size: \"<600\" }}\n{SHORT}"),
    );
    for _ in 0..3 {
        let ran = project.run(&["test", "--spread", "-v"]).expect(0);
        ran.says("3 passed").says("flows/t.yaml [tablet]");
    }
    // Where flows run on every device, they are left out on those that do not fit.
    let ran = project.run(&["test"]).expect(0);
    ran.says("5 passed, 1 skipped")
        .says("it needs tags tablet; sdk >=33; size <600, and device 'phone' has no tags");
}

#[test]
fn what_no_device_can_fit_is_told_before_anything_runs() {
    let project = project(2, SHORT);
    project.write("runner.yaml", TWO);
    for (needs, says) in [
        ("{ tags: [watch] }", "device 'tablet' has tags tablet, lab"),
        (
            "{ sdk: \">=99\" }",
            "device 'phone' has no tags; sdk 34; size 411",
        ),
        (
            "{ tags: [lab], size: \">=600\" }",
            "device 'tablet' has tags tablet, lab; sdk 34; size 411",
        ),
    ] {
        project.flow("z", &format!("needs: {needs}\n{SHORT}"));
        for spread in ["--spread", "--spread=false"] {
            let arguments = ["test", spread, "--json", "e.ndjson"];
            let ran = project.run(&arguments).expect(2);
            let ran = ran
                .says("flows/z.yaml:2:8")
                .says(says)
                .says("no device of the run has that");
            assert!(!ran.stdout.contains("PASS"), "{}", ran.stdout);
            assert!(!project.read("e.ndjson").contains("flow_started"));
            let ran = project.run(&["test", spread, "--allow-unfit"]).expect(0);
            ran.says("no device of the run has that").says("skipped");
        }
    }
}

#[test]
fn needs_that_do_not_read_are_told_with_their_place() {
    let project = project(1, SHORT);
    for (needs, place, says) in [
        ("{ sdk: new }", "2:15", "`new` is not a range of numbers"),
        ("{ tag: [a] }", "2:10", "`tag` is not known here"),
        ("tablet", "2:8", "a map is expected here"),
        ("{ tags: tablet }", "2:16", "a list is expected here"),
    ] {
        project.flow("f01", &format!("needs: {needs}\n{SHORT}"));
        let ran = project.run(&["lint"]).expect(2);
        ran.says(&format!("flows/f01.yaml:{place}")).says(says);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_puts_every_device_back() {
    let project = project(6, &long(10_000));
    let devices = Devices::start(3).await;
    let before = scales(&devices).await;
    let mut run = Running::start(&project, &devices.named(&["--spread"]));
    let mut amid = std::collections::BTreeSet::new();
    while amid.len() < 3 {
        amid.insert(run.amid_a_flow());
    }
    run.signal("-INT");
    let (events, ran) = run.end();
    ran.expect(130).says("interrupted");
    let ended = endings(&events);
    assert_eq!(ended.len(), 6);
    assert!(
        ended.values().all(|ending| ending.0 == "interrupted"),
        "{ended:?}"
    );
    let torn_down =
        |event: &&Value| event["event"] == "step_finished" && event["step"][0] == "teardown";
    assert_eq!(events.iter().filter(torn_down).count(), 3);
    assert_eq!(scales(&devices).await, before);
}

/// Returns the settings that runs change on each device while they last.
async fn scales(devices: &Devices) -> Vec<String> {
    let mut scales = Vec::new();
    for address in devices.addresses() {
        let device = connect_direct(&address, "x").await.expect("a device");
        let requested = Script::command(["settings", "get", "global", "window_animation_scale"]);
        let reported = device
            .shell(&requested, Duration::from_secs(30))
            .await
            .expect("an answer");
        scales.push(reported.text().into_owned());
    }
    scales
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_interruption_ends_at_once() {
    let project = project(
        4,
        "steps: [ launch, find: Username ]\nteardown:\n  - repeat: { times: 10000, steps: [ find: Username ] }\n",
    );
    let devices = Devices::start(2).await;
    let mut run = Running::start(&project, &devices.named(&["--spread"]));
    run.amid_a_flow();
    run.signal("-INT");
    let steps = |run: &mut Running| loop {
        let step = run.next("step_finished").expect("a step of teardown");
        if step["step"][0] == "teardown" {
            break;
        }
    };
    steps(&mut run);
    run.signal("-INT");
    let (_, ran) = run.end();
    assert_eq!(ran.code, 130);
}

// --- leases

/// Starts a run, and waits until it holds the device and is amid its flow.
fn holding(project: &Project, devices: &Devices) -> Running {
    let mut run = Running::start(project, &devices.named(&["flows/f01.yaml"]));
    run.amid_a_flow();
    run
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_waits_for_the_device_and_says_who_has_it() {
    let project = project(2, &long(10_000));
    project.flow("f02", SHORT);
    let devices = Devices::start(1).await;
    let first = holding(&project, &devices);
    let process = format!("is in use: runner test, process {} on ", first.child.id());
    let arguments = devices.named(&["test", "flows/f02.yaml", "--device-wait", "1s"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ran = project.run(&arguments).expect(3);
    let ran = ran.says(&process).says("it was waited for 1s");
    assert!(!ran.stdout.contains("PASS"), "{}", ran.stdout);
    // It waits as long as its settings say, and goes on when the first is done.
    let mut second = Running::start(&project, &devices.named(&["flows/f02.yaml"]));
    let json = second.next("log").expect("a note");
    assert!(
        json["message"].as_str().unwrap().contains(&process),
        "{json}"
    );
    first.signal("-INT");
    first.end().1.expect(130);
    let (events, ran) = second.end();
    ran.expect(0);
    assert_eq!(endings(&events)["flows/f02.yaml"].0, "passed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spread_run_takes_another_device_than_the_one_in_use() {
    let project = project(3, &long(10_000));
    let mut devices = Devices::start(1).await;
    let first = holding(&project, &devices);
    let acquired = devices.addresses().remove(0);
    devices.0.push(Some(Devices::one(0).await));
    for name in ["f02", "f03"] {
        project.flow(name, SHORT);
    }
    let second = Running::start(
        &project,
        &devices.named(&["--spread", "flows/f02.yaml", "flows/f03.yaml"]),
    );
    let (events, ran) = second.end();
    ran.expect(0);
    let ended = endings(&events);
    assert!(
        ended.values().all(|ending| ending.1 != acquired),
        "{ended:?}"
    );
    first.signal("-KILL");
    drop(first.end());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_dies_with_its_holder() {
    let project = project(2, &long(10_000));
    project.flow("f02", SHORT);
    let devices = Devices::start(1).await;
    let first = holding(&project, &devices);
    first.signal("-KILL");
    drop(first.end());
    let arguments = devices.named(&["test", "flows/f02.yaml", "--device-wait", "0s"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    project.run(&arguments).expect(0).says("1 passed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_on_the_device_keeps_other_computers_off() {
    let project = project(2, &long(10_000));
    project.flow("f02", SHORT);
    // With a clock like others: on a virtual one, three minutes of work are over at once, and then a note is void.
    let device = Devices::one_of(0, true).await;
    // This computer, by a name that does not say so.
    let address = format!("127.1:{}", device.port());
    // Leases in a folder of its own are those of another computer.
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [here, there] = folders.each_ref().map(|folder| folder.path().to_str());
    let arguments = ["flows/f01.yaml", "--device", &address].map(str::to_owned);
    let variables = [("XDG_RUNTIME_DIR", here.unwrap())];
    let mut first = Running::start_with(&project, &arguments, &variables);
    first.amid_a_flow();
    let second = || {
        let arguments = ["test", "flows/f02.yaml", "--device", &address];
        let mut command = project.command(&arguments);
        let command = command.args(["--device-wait", "1s"]);
        let output = command.env("XDG_RUNTIME_DIR", there.unwrap()).output();
        Ran::from(output.expect("the program starts"))
    };
    let process = format!("is in use: runner test, process {} on ", first.child.id());
    second().expect(3).says(&process);
    first.signal("-INT");
    first.end().1.expect(130);
    second().expect(0).says("1 passed");
}

// --- through a real adb server

#[test]
fn a_spread_run_takes_all_devices_of_an_adb_server() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let project = project(12, SHORT);
    let server = Server::new();
    let devices: Vec<Served> = (0..4).map(|_| Served::start(&project, &[])).collect();
    for device in &devices {
        server.connect(device);
    }
    let ran = server.run(&project, &["test", "--spread", "--json", "e.ndjson"]);
    ran.expect(0)
        .says("12 flows spread over 4 devices")
        .says("12 passed");
    let events: Vec<Value> = project
        .read("e.ndjson")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(endings(&events).len(), 12);
    let ready = |event: &&Value| event["event"] == "device";
    assert_eq!(events.iter().filter(ready).count(), 4);
    // One that is named twice is one device.
    let twice = [
        "test",
        "--device",
        &devices[0].address,
        "--device",
        &devices[0].address,
    ];
    server
        .run(&project, &twice)
        .expect(3)
        .says("is named twice");
}

#[test]
fn two_runs_on_a_device_of_an_adb_server_keep_off_each_other() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let project = project(2, &long(10_000));
    project.flow("f02", SHORT);
    let server = Server::new();
    let (device, other) = (Served::start(&project, &[]), Served::start(&project, &[]));
    server.connect(&device);
    let port = [("ANDROID_ADB_SERVER_PORT", server.port.as_str())];
    let one = ["flows/f01.yaml".to_owned()];
    let mut first = Running::start_with(&project, &one, &port);
    assert_eq!(first.amid_a_flow(), device.address);
    let arguments = ["test", "flows/f02.yaml", "--device-wait", "500ms"];
    let ran = server.run(&project, &arguments).expect(3);
    ran.says("is in use: runner test, process ");
    server.connect(&other);
    let ran = server
        .run(&project, &["test", "flows/f02.yaml", "--spread", "-v"])
        .expect(0);
    ran.says(&format!("flows/f02.yaml [{}]", other.address));
    first.signal("-INT");
    first.end().1.expect(130);
}

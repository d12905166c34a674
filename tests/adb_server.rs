//! Flows on the virtual device through a real adb server and straight over the wire, and a device that dies
//! during a flow.
//!
//! Needs the `adb` program: a machine without it prints so, and in CI fails. Each test has a server of its
//! own port.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::common::needs::long;
use crate::common::{Project, Ran};

/// `runner virtual` in its own process.
pub struct Served {
    process: Child,
    pub address: String,
}

impl Served {
    pub fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut all = vec!["virtual"];
        if !arguments.contains(&"--port") {
            all.extend(["--port", "0"]);
        }
        all.extend(arguments);
        Self::spawn(project.command(&all))
    }

    /// Starts the device by a given command.
    pub fn spawn(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .split("--device ")
            .nth(1)
            .and_then(|rest| rest.split('`').next());
        let address = address
            .unwrap_or_else(|| panic!("no address in {line:?}"))
            .to_owned();
        Self { process, address }
    }

    /// Returns the id of the process, to end it from outside.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    fn end(&mut self) {
        // It may have ended by itself; there is no more to be done then.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}

/// An adb server for one test.
pub struct Server {
    pub port: String,
}

impl Server {
    pub fn new() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        Self {
            port: free.local_addr().unwrap().port().to_string(),
        }
    }

    pub fn adb(&self, arguments: &[&str]) -> String {
        let output = Command::new("adb")
            .args(["-P", &self.port])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| {
                panic!("this test needs the program `adb` (Android platform-tools): {error}")
            });
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn connect(&self, device: &Served) {
        let message = self.adb(&["connect", &device.address]);
        assert!(message.contains("connected to"), "{message}");
        self.adb(&["-s", &device.address, "wait-for-device"]);
    }

    pub fn run(&self, project: &Project, arguments: &[&str]) -> Ran {
        let mut command = project.command(arguments);
        command.env("ANDROID_ADB_SERVER_PORT", &self.port);
        Ran::from(command.output().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("adb")
            .args(["-P", &self.port, "kill-server"])
            .output();
    }
}

/// Returns the project's own flows and goldens, without a device in its settings.
fn demo() -> Project {
    let project = Project::with_demo_app();
    for folder in ["flows", "snapshots"] {
        project.copy(folder);
    }
    project.write("runner.yaml", "apps: [apps/demo]\n");
    project
}

#[test]
fn the_demo_flows_pass_through_an_adb_server() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let project = demo();
    let device = Served::start(&project, &[]);
    let server = Server::new();
    server.connect(&device);
    // The only device is taken; all flows find their goldens there.
    server
        .run(&project, &["test"])
        .expect(0)
        .says("5 passed")
        .says(&device.address);
    project.copy("examples/maestro");
    server
        .run(&project, &["test", "examples/maestro"])
        .expect(0)
        .says("30 passed");
    server
        .run(&project, &["devices", "--no-wireless"])
        .expect(0)
        .says(&device.address);
    let second = Served::start(&project, &[]);
    server.connect(&second);
    let ran = server
        .run(&project, &["test"])
        .expect(3)
        .says("2 devices are connected");
    ran.says(&device.address)
        .says(&second.address)
        .says("--device SERIAL");
    let one = ["test", "flows/sign-in.yaml", "--device", &second.address];
    server
        .run(&project, &[&one[..], &["--json", "-"]].concat())
        .expect(0)
        .says("\"app_version\":{\"name\":\"1.4.2\",\"code\":1}");
    let mut named = project.command(&["test", "flows/dialog.yaml"]);
    named
        .env("ANDROID_ADB_SERVER_PORT", &server.port)
        .env("ANDROID_SERIAL", &device.address);
    Ran::from(named.output().unwrap()).expect(0);
    server
        .run(&project, &["test", "--device", "R58M123"])
        .expect(3)
        .says("'R58M123' is not connected");
}

/// Waits wait, commands cost what a phone's cost, and nothing is offered that phones lack.
#[test]
fn flows_pass_in_real_time_through_an_adb_server() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let project = demo();
    let device = Served::start(&project, &["--realistic"]);
    let server = Server::new();
    server.connect(&device);
    let (flows, passed) = long(("flows/sign-in.yaml", "1 passed"), ("flows", "5 passed"));
    let ran = server.run(&project, &["test", flows, "--update", "none"]);
    ran.expect(0).says(passed);
}

/// Returns a command with a port where no adb server listens, and without an `adb` that could start one.
fn without_server(project: &Project, arguments: &[&str]) -> Command {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    let mut command = project.command(arguments);
    command
        .env("PATH", "")
        .env_remove("HOME")
        .env("ANDROID_ADB_SERVER_PORT", port);
    command
}

#[test]
fn a_device_is_reached_straight_by_its_address() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let project = demo();
    let device = Served::start(&project, &[]);
    let arguments = [
        "test",
        "flows/sign-in.yaml",
        "flows/form.yaml",
        "--device",
        &device.address,
    ];
    let ran = Ran::from(without_server(&project, &arguments).output().unwrap());
    ran.expect(0).says("2 passed").says(&device.address);
}

/// Runs several flows of which the first goes on until `timeout`, and calls `harm` during it.
fn harmed(timeout: &str, others: &[&str], harm: impl FnOnce(&mut Served)) -> (Project, Ran) {
    let project = demo();
    project.write(
        "flows/_long.yaml",
        "steps:\n  - repeat: { times: 10000, steps: [ find: Username ] }\n",
    );
    project.flow(
        "a",
        &format!(
            "timeout: {timeout}\nsteps:\n  - launch\n  - run: _long.yaml\nteardown: [ stop ]\n"
        ),
    );
    let mut device = Served::start(&project, &[]);
    let mut arguments = vec!["test", "flows/a.yaml"];
    arguments.extend(others);
    arguments.extend([
        "--device",
        &device.address,
        "--json",
        "-",
        "--junit",
        "junit.xml",
    ]);
    let mut runner = without_server(&project, &arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(runner.stdout.take().unwrap());
    let mut stdout = String::new();
    while !stdout.contains("find: Username") {
        assert_ne!(
            lines.read_line(&mut stdout).unwrap(),
            0,
            "it ended early:\n{stdout}"
        );
    }
    harm(&mut device);
    std::io::Read::read_to_string(&mut lines, &mut stdout).unwrap();
    let rest = runner.wait_with_output().unwrap();
    let ran = Ran {
        code: rest.status.code().unwrap_or(-1),
        stdout,
        stderr: String::from_utf8_lossy(&rest.stderr).into_owned(),
    };
    (project, ran)
}

#[test]
fn a_device_that_dies_amid_a_flow_is_3_and_an_error_of_the_report() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let (project, ran) = harmed(
        "5m",
        &["flows/sign-in.yaml", "--device-wait", "1s"],
        Served::end,
    );
    let ran = ran.expect(3).says("was lost").says("2 errors");
    assert!(
        ran.stdout
            .lines()
            .last()
            .unwrap()
            .contains("\"exit_code\":3"),
        "{}",
        ran.stdout
    );
    let junit = project.well_formed("junit.xml");
    assert_eq!(junit.matches("<error").count(), 2, "{junit}");
    assert!(!junit.contains("<failure"), "{junit}");
    assert!(junit.contains("infrastructure"), "{junit}");
}

/// A device that neither answers nor goes away.
#[cfg(unix)]
#[test]
fn a_device_that_hangs_is_3_too() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let (project, ran) = harmed("5s", &[], |device| {
        let id = device.process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-STOP", &id])
                .status()
                .unwrap()
                .success()
        );
    });
    ran.expect(3).says("does not answer");
    let junit = project.well_formed("junit.xml");
    assert_eq!(junit.matches("<error").count(), 1, "{junit}");
}

//! Unchanged clients drive the virtual device: Appium with its uiautomator2 driver, and the Python package
//! `uiautomator2`, both through Debian's adb server.
//!
//! The clients are installed by `.ci/run`; where one is missing, the test says so, and in CI fails.

use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::adb_server::Served;
use crate::common::{Project, Ran, needs};
use crate::documents::beside::appium_script;

/// Limit for Appium's start. Chosen: it needs seconds, and more on a slow machine.
const START: Duration = Duration::from_mins(1);

/// Device of `runner virtual`, with an adb server for this test.
pub struct Stand {
    // Ended when dropped.
    _device: Served,
    pub serial: String,
    pub adb_port: String,
    // Dropped last: Appium writes into it.
    project: Project,
}

impl Stand {
    pub fn new() -> Self {
        let project = Project::with_demo_app();
        let device = Served::start(&project, &["--app", "apps/demo"]);
        let serial = device.address.clone();
        let stand = Self {
            _device: device,
            serial,
            adb_port: free_port(),
            project,
        };
        let message = stand.adb(&["connect", &stand.serial]);
        assert!(message.starts_with("connected"), "{message}");
        stand
    }

    fn adb(&self, arguments: &[&str]) -> String {
        let output = Command::new("adb")
            .args(["-P", &self.adb_port])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("adb runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn shell(&self, script: &str) -> String {
        self.adb(&["-s", &self.serial, "shell", script])
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        self.adb(&["kill-server"]);
    }
}

fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener
        .local_addr()
        .expect("its number")
        .port()
        .to_string()
}

/// Returns the path of a client's file.
fn client(below: &str) -> PathBuf {
    needs::root().join("target/clients").join(below)
}

/// An Appium server; ended when dropped.
pub struct Appium {
    process: Child,
    pub url: String,
    log: PathBuf,
}

impl Appium {
    pub fn start(stand: &Stand, options: &[&str]) -> Option<Self> {
        let mut command = needs::client_program("appium/node_modules/.bin/appium")?;
        let sdk = stand.project.path("sdk");
        std::fs::create_dir_all(sdk.join("platform-tools")).expect("a folder");
        let adb = program("adb")?;
        #[cfg(unix)]
        match std::os::unix::fs::symlink(adb, sdk.join("platform-tools/adb")) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            linked => linked.expect("a link"),
        }
        #[cfg(not(unix))]
        drop(adb);
        let port = free_port();
        let log = stand.project.path("appium.log");
        let url = format!("http://127.0.0.1:{port}");
        let file = std::fs::File::create(&log).expect("a log");
        let process = command
            .args(["server", "--address", "127.0.0.1", "--port", &port])
            .args(["--log-no-colors", "--use-drivers", "uiautomator2"])
            .args(options)
            .env("APPIUM_HOME", client("appium"))
            .env("ANDROID_HOME", &sdk)
            .env("TMPDIR", stand.project.path("."))
            .env("NO_PROXY", "127.0.0.1")
            .current_dir(stand.project.path("."))
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("a handle"))
            .stderr(file)
            .spawn()
            .expect("Appium starts");
        let appium = Self { process, url, log };
        let began = Instant::now();
        while std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
            assert!(began.elapsed() < START, "{}", appium.tail());
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(appium)
    }

    /// Returns the end of its log, for the message of a failure.
    pub fn tail(&self) -> String {
        let mut text = String::new();
        if let Ok(mut file) = std::fs::File::open(&self.log) {
            let _ = file.read_to_string(&mut text);
        }
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(60)..].join("\n")
    }
}

impl Drop for Appium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn program(name: &str) -> Option<PathBuf> {
    if !needs::program(name) {
        return None;
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// Runs a script of `tests/appium/` with a client's Python. `reported` adds to the message of a failure.
#[track_caller]
fn drive(
    mut python: Command,
    stand: &Stand,
    script: &str,
    arguments: &[&str],
    reported: impl Fn() -> String,
) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/appium");
    let output = python
        .arg(folder.join(script))
        .args(arguments)
        .env("ANDROID_ADB_SERVER_PORT", &stand.adb_port)
        .env("NO_PROXY", "127.0.0.1")
        .env("HOME", stand.project.path("."))
        .stdin(Stdio::null())
        .output()
        .expect("python starts");
    let ran = Ran::from(output);
    assert!(
        ran.code == 0 && ran.stdout.ends_with("ended: passed\n"),
        "{}\n{}\n{}",
        ran.stdout,
        ran.stderr,
        reported()
    );
}

/// One Appium for all that is asked of it: it is slow to start.
#[test]
fn appium_drives_the_demo_app() {
    let Some(python) = needs::client_program("appium-python/bin/python") else {
        return;
    };
    if !needs::program("adb") {
        return;
    }
    let stand = Stand::new();
    let Some(appium) = Appium::start(&stand, &[]) else {
        return;
    };
    let apk = client(
        "appium/node_modules/appium-uiautomator2-driver/node_modules/io.appium.settings/apks/settings_apk-debug.apk",
    );
    let apk = apk.to_string_lossy().into_owned();
    let arguments = [&appium.url, &stand.serial, &stand.adb_port, &apk];
    drive(
        python,
        &stand,
        "drive_demo.py",
        &arguments.map(String::as_str),
        || appium.tail(),
    );
    the_page_keeps_its_word(&stand, &appium);
    // What a session began is over.
    let left = stand.shell("pidof io.appium.uiautomator2.server; cat /proc/net/tcp | grep -c 1A86");
    assert_eq!(left.trim(), "0");
}

/// Runs the test that docs/guide/other-tools.md shows for Appium.
fn the_page_keeps_its_word(stand: &Stand, appium: &Appium) {
    let Some(python) = needs::client_program("appium-python/bin/python") else {
        return;
    };
    let script = appium_script(&appium.url, &stand.serial, &stand.adb_port);
    stand.project.write("beside.py", &script);
    let path = stand.project.path("beside.py");
    let path = path.to_string_lossy().into_owned();
    drive(python, stand, &path, &[], || appium.tail());
}

#[test]
fn uiautomator2_of_pypi_drives_the_demo_app() {
    let Some(python) = needs::client_program("uiautomator2/bin/python") else {
        return;
    };
    if !needs::program("adb") {
        return;
    }
    let stand = Stand::new();
    drive(python, &stand, "drive_u2.py", &[&stand.serial], String::new);
}

/// Checks that a server outlives its command, as on phones: `adb shell am instrument` is killed, its server
/// still says that it is ready, and cannot look.
fn a_server_outlives_its_command(stand: &Stand, port: &str) {
    let mut command = Command::new("adb")
        .args([
            "-P",
            &stand.adb_port,
            "-s",
            &stand.serial,
            "shell",
            "am",
            "instrument",
            "-w",
        ])
        .arg("io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("adb runs");
    let status =
        until(|| Some(http(port, "GET /status", "")).filter(|text| text.contains("ready")));
    assert!(status.contains("200 OK"), "{status}");
    let session = http(
        port,
        "POST /session",
        r#"{"capabilities":{"firstMatch":[{}],"alwaysMatch":{}}}"#,
    );
    let id = session
        .split(r#""sessionId":""#)
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or_else(|| panic!("no session in {session}"));
    let look = format!("GET /session/{id}/source");
    assert!(http(port, &look, "").contains("hierarchy"));
    let acquired = stand.shell("uiautomator dump 2>&1");
    assert!(acquired.contains("already registered"), "{acquired}");
    command.kill().expect("adb is killed");
    let _ = command.wait();
    let gone = until(|| Some(http(port, &look, "")).filter(|text| !text.contains("200 OK")));
    assert!(gone.contains("UiAutomation not connected!"), "{gone}");
    assert!(http(port, "GET /status", "").contains("200 OK"));
    assert!(stand.shell("uiautomator dump 2>&1").contains("dumped to"));
    stand.shell("am force-stop io.appium.uiautomator2.server");
    assert_eq!(http(port, "GET /status", ""), "");
}

/// Sends one HTTP request, and returns the raw answer. Empty if nobody answers.
fn http(port: &str, request: &str, body: &str) -> String {
    let mut answer = Vec::new();
    if let Ok(mut stream) = std::net::TcpStream::connect(format!("127.0.0.1:{port}")) {
        let length = body.len();
        let head = format!(
            "{request} HTTP/1.1\r\nHost: device\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let _ = std::io::Write::write_all(&mut stream, head.as_bytes());
        let _ = stream.read_to_end(&mut answer);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Calls `ask` until it returns something.
#[track_caller]
fn until<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(began.elapsed() < START, "it does not come to that");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The APKs that Appium brings are read as what they are.
#[test]
fn adb_installs_the_packages_of_appium() {
    let apks = client(
        "appium/node_modules/appium-uiautomator2-driver/node_modules/appium-uiautomator2-server/apks",
    );
    if needs::client_program("appium/node_modules/.bin/appium").is_none() || !needs::program("adb")
    {
        return;
    }
    let stand = Stand::new();
    let mut packages: Vec<String> = std::fs::read_dir(apks)
        .expect("the packages")
        .map(|entry| entry.expect("a file").path().to_string_lossy().into_owned())
        .filter(|path| path.ends_with(".apk"))
        .collect();
    packages.sort();
    for path in &packages {
        let message = stand.adb(&["-s", &stand.serial, "install", "-r", path]);
        assert!(message.contains("Success"), "{path}: {message}");
    }
    assert_eq!(
        stand.shell("pm list instrumentation").trim(),
        "instrumentation:io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner (target=io.appium.uiautomator2.server)"
    );
    let about = stand.shell("dumpsys package io.appium.uiautomator2.server");
    assert!(
        about.contains("versionCode=") && !about.contains("versionCode=0 "),
        "{about}"
    );
    // A port that nothing listens on is refused, and one that something listens on is forwarded.
    let port = stand.adb(&["-s", &stand.serial, "forward", "tcp:0", "tcp:6790"]);
    let connect = || std::net::TcpStream::connect(format!("127.0.0.1:{}", port.trim()));
    let mut refused = connect().expect("adb's server listens");
    assert_eq!(refused.read(&mut [0; 1]).expect("it hangs up"), 0);
    a_server_outlives_its_command(&stand, port.trim());
    let text = stand.adb(&[
        "-s",
        &stand.serial,
        "uninstall",
        "io.appium.uiautomator2.server",
    ]);
    assert!(text.contains("Success"), "{text}");
}

//! Devices that ask for a key: this program and a real adb client with a virtual device that wants one.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use runner::device::adb::HostKeys;
use runner::virtual_device::{KeyDemand, VirtualDevice, VirtualDeviceOptions};
use runner_adb::auth::PublicKey;

use crate::adb_server::Served;
use crate::common::mcp::Client;
use crate::common::{Project, Ran};

const FLOW: &str = "app: com.example.notes
steps:
  - launch
  - assert visible: Welcome to Notes
";
/// Limit for adb's own pace. Chosen: only a hang takes longer.
const MAX_WAIT: Duration = Duration::from_mins(1);
/// Message that tells a person to allow the key on the phone.
const QUESTION: &str = "asks whether this computer may debug it: unlock its screen and allow it";

/// A project, and a home folder for keys.
struct Fixture {
    project: Project,
    home: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let project = Project::with_demo_app();
        project.write("flows/one.yaml", FLOW);
        Self {
            project,
            home: tempfile::tempdir().unwrap(),
        }
    }

    fn key_file(&self) -> PathBuf {
        self.home.path().join(".android/adbkey")
    }

    /// Returns the key of this home; makes one if there is none.
    fn key(&self) -> PublicKey {
        key_at(&self.key_file())
    }

    fn command(&self, device: &str, arguments: &[&str]) -> Command {
        let mut command = self.project.command(arguments);
        command
            .args(["--device", device])
            .env("HOME", self.home.path())
            // No server is to be found or started.
            .env("PATH", "/nowhere")
            .env("ANDROID_ADB_SERVER_PORT", "1")
            .env("RUNNER_ALLOW_TIMEOUT", "1s");
        command
    }

    fn run(&self, device: &str, arguments: &[&str]) -> Ran {
        self.ran(self.command(device, arguments))
    }

    /// Runs a command, and asserts that its output does not hold the key.
    fn ran(&self, mut command: Command) -> Ran {
        let ran = Ran::from(command.output().unwrap());
        self.holds_no_key(&format!("{}{}", ran.stdout, ran.stderr));
        ran
    }

    fn holds_no_key(&self, text: &str) {
        let public = self.key_file().with_extension("pub");
        for file in [self.key_file(), public] {
            let key = std::fs::read_to_string(file).unwrap_or_default();
            for word in key.split_whitespace().filter(|word| word.len() > 30) {
                assert!(!text.contains(word), "{text}");
            }
        }
    }
}

fn key_at(path: &Path) -> PublicKey {
    let keys = HostKeys {
        shared: Vec::new(),
        own: Some(path.to_owned()),
        name: "test@test".to_owned(),
    };
    keys.load().own.unwrap().public().clone()
}

async fn device(demand: KeyDemand) -> (VirtualDevice, String) {
    let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
    let device = VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![apps],
        demand: Some(demand),
        ..VirtualDeviceOptions::default()
    })
    .await
    .unwrap();
    let address = device.address().to_string();
    (device, address)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_knows_the_key_is_used_and_asks_nobody() {
    let fixture = Fixture::new();
    for tls in [false, true] {
        let (_device, address) = device(KeyDemand {
            known: vec![fixture.key()],
            tls,
            ..KeyDemand::default()
        })
        .await;
        let run = [
            "test",
            "flows/one.yaml",
            "--log",
            "run.log",
            "--json",
            "run.jsonl",
        ];
        let mut command = fixture.command(&address, &run);
        command.env("RUNNER_LOG", "trace");
        let ran = fixture.ran(command).expect(0);
        assert!(!ran.stdout.contains(QUESTION), "{}", ran.stdout);
        // Nothing of adb is installed, and nothing is wrong.
        let doctor = fixture.run(&address, &["doctor"]).expect(0);
        doctor.says(&format!("reached: direct {address}"));
        for file in ["run.log", "run.jsonl"] {
            fixture.holds_no_key(&fixture.project.read(file));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_key_is_made_and_allowed_once() {
    let fixture = Fixture::new();
    let (_device, address) = device(KeyDemand {
        allow_after: Some(Duration::from_millis(1)),
        ..KeyDemand::default()
    })
    .await;
    let first = fixture.run(&address, &["inspect"]).expect(0);
    assert!(first.stderr.contains(QUESTION), "{}", first.stderr);
    let line = std::fs::read_to_string(fixture.key_file().with_extension("pub")).unwrap();
    assert_eq!(PublicKey::parse(&line).unwrap(), fixture.key());
    // The device knows it now.
    let second = fixture.run(&address, &["inspect"]).expect(0);
    assert!(!second.stderr.contains(QUESTION), "{}", second.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_let_in_is_told_why_and_what_to_do() {
    let fixture = Fixture::new();
    fixture.key();
    let (_device, address) = device(KeyDemand::default()).await;
    let ran = fixture.run(&address, &["inspect"]).expect(3);
    for message in [
        QUESTION,
        "is unauthorized",
        "nobody allowed this computer on it within 1s",
    ] {
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
    fixture.project.write("flows/two.yaml", FLOW);
    let ran = fixture.run(&address, &["test"]).expect(3);
    // Once in a run, not before each flow.
    assert_eq!(ran.stdout.matches(QUESTION).count(), 1, "{}", ran.stdout);
    for text in [QUESTION, "nobody allowed this computer on it within 1s"] {
        assert!(ran.stdout.contains(text), "{}", ran.stdout);
    }
    // Nobody sits beside a device in CI.
    let mut command = fixture.command(&address, &["doctor"]);
    command.env_remove("RUNNER_ALLOW_TIMEOUT").env("CI", "true");
    let ran = fixture.ran(command).expect(3);
    assert!(ran.stdout.contains("within 3s"), "{}", ran.stdout);

    let (_device, address) = device(KeyDemand {
        tls: true,
        ..KeyDemand::default()
    })
    .await;
    let ran = fixture.run(&address, &["inspect"]).expect(3);
    for output in ["is not paired", "adb pair"] {
        assert!(ran.stderr.contains(output), "{}", ran.stderr);
    }

    std::fs::write(fixture.key_file(), "half a ke").unwrap();
    let ran = fixture.run(&address, &["inspect"]).expect(3);
    assert!(ran.stderr.contains("adbkey is damaged"), "{}", ran.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_a_lab_are_tried_before_the_own_one() {
    let fixture = Fixture::new();
    let lab = fixture.home.path().join("lab");
    let known = vec![key_at(&lab.join("rack.adb_key"))];
    std::fs::write(lab.join("bad.adb_key"), "noise").unwrap();
    for tls in [false, true] {
        let (_device, address) = device(KeyDemand {
            known: known.clone(),
            tls,
            ..KeyDemand::default()
        })
        .await;
        let mut command = fixture.command(&address, &["inspect"]);
        command.env("ADB_VENDOR_KEYS", &lab);
        fixture.ran(command).expect(0);
        fixture.run(&address, &["inspect"]).expect(3);
    }
}

#[test]
fn runner_device_asks_for_the_keys_that_it_is_given() {
    let fixture = Fixture::new();
    fixture.key();
    let known = fixture.key_file().with_extension("pub");
    let known = known.to_str().unwrap();
    for arguments in [
        &["--require-key", known][..],
        &["--tls", "--require-key", known],
    ] {
        let served = Served::start(&fixture.project, arguments);
        fixture.run(&served.address, &["inspect"]).expect(0);
    }
    // The private half is not a key that a device knows, and is not repeated.
    let private = fixture.key_file();
    let ran = fixture.ran(fixture.project.command(&[
        "virtual",
        "--port",
        "0",
        "--require-key",
        private.to_str().unwrap(),
    ]));
    ran.expect(2).says("no public key of adb");
}

/// A real adb with its own home folder.
struct Adb {
    program: OsString,
    home: tempfile::TempDir,
    port: String,
}

impl Adb {
    fn new(program: &OsStr) -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        Self {
            program: program.to_owned(),
            home: tempfile::tempdir().unwrap(),
            port: free.local_addr().unwrap().port().to_string(),
        }
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.program)
            .args(["-P", &self.port])
            .args(arguments)
            .env("HOME", self.home.path())
            .env("ADB_VENDOR_KEYS", self.home.path().join("lab"))
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until `adb devices` lists the device as `state`.
    async fn becomes(&self, address: &str, state: &str) {
        let wanted = format!("{address}\t{state}");
        let begun = Instant::now();
        loop {
            self.run(&["connect", address]);
            let listed = self.run(&["devices"]);
            if listed.contains(&wanted) {
                return;
            }
            assert!(begun.elapsed() < MAX_WAIT, "{wanted}: {listed}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_adb_is_let_in_with_its_key_only_and_takes_keys_made_here() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let adb = Adb::new("adb".as_ref());
    // Made here, in the place where adb looks for its own.
    let made = key_at(&adb.home.path().join(".android/adbkey"));
    let (_known, address) = device(KeyDemand {
        known: vec![made],
        ..KeyDemand::default()
    })
    .await;
    adb.becomes(&address, "device").await;
    let message = adb.run(&["-s", &address, "shell", "echo let in"]);
    assert_eq!(message, "let in\n");

    let (_stranger, address) = device(KeyDemand::default()).await;
    adb.becomes(&address, "unauthorized").await;

    let (_asked, address) = device(KeyDemand {
        allow_after: Some(Duration::from_millis(1)),
        ..KeyDemand::default()
    })
    .await;
    adb.becomes(&address, "device").await;
}

/// Debian's adb is older than TLS: it says that such a device is offline.
#[tokio::test(flavor = "multi_thread")]
async fn a_newer_adb_is_let_in_over_tls_with_a_paired_key_only() {
    let newer = crate::common::needs::client_program("adb/adbutils/binaries/adb");
    let Some(newer) = newer else {
        return;
    };
    let adb = Adb::new(newer.get_program());
    let own = key_at(&adb.home.path().join(".android/adbkey"));
    let lab = key_at(&adb.home.path().join("lab/rack.adb_key"));
    // It shows the key that the device says it knows.
    for known in [own, lab] {
        let (_device, address) = device(KeyDemand {
            known: vec![known],
            tls: true,
            ..KeyDemand::default()
        })
        .await;
        adb.becomes(&address, "device").await;
        let message = adb.run(&["-s", &address, "shell", "echo let in"]);
        assert_eq!(message, "let in\n");
    }
    let (_device, address) = device(KeyDemand {
        tls: true,
        ..KeyDemand::default()
    })
    .await;
    let text = adb.run(&["connect", &address]);
    assert!(text.contains("failed to connect"), "{text}");
}

/// T3 of 2026-11-26: clients of the TypeScript SDK give up after 60 s. It takes as long as clients wait.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_told_in_time_what_a_phone_waits_for() {
    if !crate::common::needs::long(false, true) {
        return;
    }
    let fixture = Fixture::new();
    let (_device, address) = device(KeyDemand {
        allow_after: Some(Duration::from_secs(50)),
        ..KeyDemand::default()
    })
    .await;
    let mut command = fixture.command(&address, &["mcp"]);
    command.env_remove("RUNNER_ALLOW_TIMEOUT").env_remove("CI");
    let mut client = Client::from_command(command);
    client.initialize("2025-11-25");
    let begun = Instant::now();
    let first = client.call("runner_look", serde_json::json!({}));
    assert!(begun.elapsed() < Duration::from_secs(45));
    assert!(first.is_error && first.text.contains(QUESTION), "{first:?}");
    assert!(
        first.text.contains("again with the same arguments"),
        "{first:?}"
    );
    let again = client.call("runner_look", serde_json::json!({}));
    assert!(!again.is_error, "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_a_real_adb_is_used() {
    if !crate::common::needs::program("adb") {
        return;
    }
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.home.path().join(".android")).unwrap();
    let file = fixture.key_file();
    let made = Command::new("adb")
        .arg("keygen")
        .arg(&file)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let line = std::fs::read_to_string(file.with_extension("pub")).unwrap();
    // What adb says of its key is what is read from the key itself, word for word.
    let name = line.trim_end().split_once(' ').unwrap().1;
    assert_eq!(fixture.key().line(name), line.trim_end());
    for tls in [false, true] {
        let (_device, address) = device(KeyDemand {
            known: vec![PublicKey::parse(&line).unwrap()],
            tls,
            ..KeyDemand::default()
        })
        .await;
        fixture.run(&address, &["inspect"]).expect(0);
    }
}

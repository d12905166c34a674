//! The virtual device's adb protocol, checked with a real adb client and server.
//!
//! Needs the `adb` program: a machine without it prints so, and in CI fails. Each test has a server of its
//! own port.

use runner_testing as needs;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use runner::device::{KindNames, LookOptions, PictureOptions};
use runner::virtual_device::{Fault, FaultSpec, VirtualDevice, VirtualDeviceOptions};

/// A device, an adb server and the connection between them.
pub struct Adb {
    pub port: u16,
    pub serial: String,
    device: VirtualDevice,
}

impl Adb {
    pub async fn connect() -> Self {
        let adb = Self::serve().await;
        let connected = adb.host(&["connect", &adb.serial]).await;
        assert!(
            text(&connected.stdout).contains("connected to"),
            "{connected:?}"
        );
        adb.host(&["-s", &adb.serial, "wait-for-device"]).await;
        adb
    }

    async fn serve() -> Self {
        let apps = vec![Utf8PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/examples/demo"
        ))];
        let device = VirtualDevice::start(VirtualDeviceOptions {
            apps,
            ..VirtualDeviceOptions::default()
        })
        .await
        .unwrap();
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let serial = format!("127.0.0.1:{}", device.port());
        Self {
            port,
            serial,
            device,
        }
    }

    /// Disconnects the device and connects it again.
    pub async fn reconnect(&self) {
        self.host(&["disconnect", &self.serial]).await;
        self.host(&["connect", &self.serial]).await;
        self.host(&["-s", &self.serial, "wait-for-device"]).await;
    }

    /// Runs `adb` with a time limit, and fails the test with the command if it hangs.
    pub async fn host(&self, args: &[&str]) -> Output {
        let mut command = Command::new("adb");
        command
            .args(["-P", &self.port.to_string()])
            .args(args)
            .stdin(Stdio::null());
        let display = format!("{command:?}");
        let child = tokio::task::spawn_blocking(move || command.output());
        tokio::time::timeout(Duration::from_mins(1), child)
            .await
            .unwrap_or_else(|_| panic!("{display} hangs"))
            .unwrap()
            .unwrap_or_else(|error| {
                panic!("this test needs the program `adb` (Android platform-tools): {error}")
            })
    }

    pub async fn run(&self, args: &[&str]) -> Output {
        let mut all = vec!["-s", &self.serial];
        all.extend(args);
        self.host(&all).await
    }

    pub async fn shell(&self, script: &str) -> Output {
        self.run(&["shell", script]).await
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        let _ = Command::new("adb")
            .args(["-P", &self.port.to_string(), "kill-server"])
            .output();
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_have_their_streams_and_exit_codes() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let ran = adb.shell("echo out; echo err >&2; exit 7").await;
    assert_eq!(
        (text(&ran.stdout), text(&ran.stderr), ran.status.code()),
        ("out\n".to_owned(), "err\n".to_owned(), Some(7))
    );
    let ran = adb.shell("nope").await;
    assert_eq!(
        text(&ran.stderr),
        "/system/bin/sh: nope: inaccessible or not found\n"
    );
    assert_eq!(ran.status.code(), Some(127));
    let listed = adb.host(&["devices", "-l"]).await;
    assert!(
        text(&listed.stdout).contains("model:virtual1"),
        "{listed:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_screen_is_read_and_touched() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let package = text(&adb.shell("pm list packages -3").await.stdout);
    let package = package.trim().trim_start_matches("package:").to_owned();
    let started = adb
        .shell(&format!(
            "monkey -p {package} -c android.intent.category.LAUNCHER 1"
        ))
        .await;
    assert!(
        text(&started.stdout).contains("Events injected: 1"),
        "{started:?}"
    );
    let dump = "uiautomator dump /sdcard/d.xml && cat /sdcard/d.xml";
    let before = text(&adb.shell(dump).await.stdout);
    assert!(
        before.starts_with("UI hierchary dumped to: /sdcard/d.xml\n<?xml"),
        "{before}"
    );
    assert!(before.contains(&format!("package=\"{package}\"")));
    assert!(before.trim_end().ends_with("</hierarchy>"));
    let picture = adb.run(&["exec-out", "screencap", "-p"]).await.stdout;
    let picture = image::load_from_memory(&picture).unwrap();
    assert_eq!((picture.width(), picture.height()), (1080, 2400));
    // A tap into the middle of the first field gives it the focus.
    let field = before
        .split("<node")
        .find(|node| node.contains("android.widget.EditText"))
        .unwrap();
    let numbers: Vec<i32> = field
        .split("bounds=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    let [left, top, right, bottom] = numbers[..] else {
        panic!("{field}");
    };
    let (x, y) = (
        i32::midpoint(left, right).to_string(),
        i32::midpoint(top, bottom).to_string(),
    );
    adb.run(&["shell", "input", "tap", &x, &y]).await;
    adb.run(&["shell", "input", "text", "from%sadb"]).await;
    let after = text(&adb.shell(dump).await.stdout);
    assert!(after.contains("text=\"from adb\""), "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_both_ways_unchanged() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let folder = tempfile::tempdir().unwrap();
    let sent = folder.path().join("sent.bin");
    // More than a packet, not a multiple of a chunk, every byte value.
    let data: Vec<u8> = (0..3_000_001u32)
        .map(|i| (i.wrapping_mul(7919) >> 3) as u8)
        .collect();
    std::fs::write(&sent, &data).unwrap();
    let pushed = adb
        .run(&["push", arg(&sent), "/sdcard/Download/x.bin"])
        .await;
    assert!(pushed.status.success(), "{pushed:?}");
    let back = folder.path().join("back.bin");
    let pulled = adb
        .run(&["pull", "/sdcard/Download/x.bin", arg(&back)])
        .await;
    assert!(pulled.status.success(), "{pulled:?}");
    assert!(std::fs::read(&back).unwrap() == data);
    let out = adb
        .run(&["exec-out", "cat", "/sdcard/Download/x.bin"])
        .await;
    assert!(out.stdout == data);
    // A folder with folders in it.
    let tree = folder.path().join("tree");
    std::fs::create_dir_all(tree.join("a/b")).unwrap();
    std::fs::write(tree.join("a/b/leaf"), "leaf").unwrap();
    adb.run(&["push", arg(&tree), "/data/local/tmp/"]).await;
    let got = folder.path().join("got");
    let pulled = adb.run(&["pull", "/data/local/tmp/tree", arg(&got)]).await;
    assert!(pulled.status.success(), "{pulled:?}");
    assert_eq!(
        std::fs::read_to_string(got.join("a/b/leaf")).unwrap(),
        "leaf"
    );
    let missing = adb.run(&["pull", "/sdcard/none", arg(&back)]).await;
    assert!(!missing.status.success());
    let refused = adb.run(&["push", arg(&sent), "/system/x"]).await;
    assert!(!refused.status.success());
    assert!(
        text(&refused.stderr).contains("Read-only file system")
            || text(&refused.stdout).contains("Read-only file system"),
        "{refused:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_run_beside_each_other() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    let mut log = Command::new("adb")
        .args(["-P", &adb.port.to_string(), "-s", &adb.serial])
        .args(["logcat", "-v", "raw", "Marker:V", "*:S"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = log.stdout.take().unwrap();
    let current = tokio::task::spawn_blocking(move || {
        use std::io::BufRead as _;
        std::io::BufReader::new(out)
            .lines()
            .map_while(Result::ok)
            .find(|line| line == "follow me")
    });
    let several = futures_join(&adb).await;
    assert_eq!(several, ["0\n", "1\n", "2\n", "3\n"]);
    adb.shell("log -t Marker 'follow me'").await;
    let observed = tokio::time::timeout(Duration::from_secs(30), current).await;
    log.kill().unwrap();
    log.wait().unwrap();
    assert_eq!(observed.unwrap().unwrap().as_deref(), Some("follow me"));
}

async fn futures_join(adb: &Adb) -> [String; 4] {
    let one = |n: &'static str| async move {
        text(&adb.shell(&format!("sleep 1; echo {n}")).await.stdout)
    };
    let (a, b, c, d) = tokio::join!(one("0"), one("1"), one("2"), one("3"));
    [a, b, c, d]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_connection_is_seen_and_comes_back() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::connect().await;
    adb.device
        .inject(FaultSpec::once(Fault::DroppedConnection(0)));
    let ran = adb.shell("echo lost").await;
    // What adb's exit code is then differs by its version.
    assert_eq!(text(&ran.stdout), "");
    // The server notices in its own time; then the device can be had again.
    let start = Instant::now();
    loop {
        adb.host(&["disconnect", &adb.serial]).await;
        adb.host(&["connect", &adb.serial]).await;
        if text(&adb.shell("echo back").await.stdout) == "back\n" {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "the device does not come back"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn this_programs_driver_reads_and_types_without_a_server() {
    if !needs::program("adb") {
        return;
    }
    let device = VirtualDevice::start(VirtualDeviceOptions {
        apps: vec![Utf8PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/examples/demo"
        ))],
        ..VirtualDeviceOptions::default()
    })
    .await
    .unwrap();
    let address = device.address().to_string();
    let driver = runner::device::adb::connect_direct(&address, "virtual")
        .await
        .unwrap();
    assert_eq!(driver.info().kind_name(KindNames::PLAIN), "virtual");
    assert_eq!(driver.info().sdk.value(), Some(&34));
    let limit = Duration::from_secs(30);
    driver.look(LookOptions::within(limit)).await.unwrap();
    let picture = driver.picture(PictureOptions::within(limit)).await.unwrap();
    assert_eq!(picture.pixels().unwrap().dimensions(), (1080, 2400));
    let data: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    driver.push(&data, "/sdcard/d.bin", 0o644).await.unwrap();
    assert!(driver.pull("/sdcard/d.bin", 1 << 20).await.unwrap() == data);
    device.inject(FaultSpec::always(Fault::NullRoot));
    let look = driver.look(LookOptions::within(limit)).await;
    assert!(look.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unauthorized_device_is_listed_as_such() {
    if !needs::program("adb") {
        return;
    }
    let adb = Adb::serve().await;
    adb.device.inject(FaultSpec::always(Fault::Unauthorized));
    adb.host(&["connect", &adb.serial]).await;
    let start = Instant::now();
    loop {
        let listed = text(&adb.host(&["devices"]).await.stdout);
        if listed.contains(&format!("{}\tunauthorized", adb.serial)) {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{listed}");
    }
}

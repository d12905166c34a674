//! Tests of APKs, and of the servers that run where they are installed.

use std::time::Duration;

use std::pin::Pin;

use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::apk::tests::{apk, manifest, zipped};
use crate::automation::{AutomationServer, AutomationServers};
use crate::ports::Address;

const SERVER: &str = "io.appium.uiautomator2.server";
const SERVER_TEST: &str = "io.appium.uiautomator2.server.test";
const RUNNER: &str = "io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner";

/// Servers that accept connections and never answer.
pub(super) const SERVERS: AutomationServers = AutomationServers {
    uia2: start,
    u2: Some(start),
};

fn start(device: Arc<DeviceState>) -> Arc<dyn AutomationServer> {
    Arc::new(SilentServer(device.child_token()))
}

struct SilentServer(CancellationToken);

impl AutomationServer for SilentServer {
    fn serve(self: Arc<Self>, _: DuplexStream) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async {})
    }

    fn ended(&self) -> CancellationToken {
        self.0.clone()
    }
}

impl Device {
    async fn install(&self, flags: &str, apk: &[u8]) -> String {
        let script = format!("cmd package install {flags} -S {}", apk.len());
        self.run_with(&script, apk).await.out
    }

    /// Returns a device with Appium's two packages, as far as their manifests go.
    async fn with_appium() -> Self {
        let device = Self::new();
        let server = apk(SERVER, 278, "10.6.6", None);
        let test = apk(SERVER_TEST, 0, "", Some(SERVER));
        let both = tokio::join!(device.install("-r", &server), device.install("-r", &test));
        assert_eq!(both, ("Success\n".to_owned(), "Success\n".to_owned()));
        device
    }

    fn listens(&self) -> bool {
        self.0.ports.connect(&Address::Tcp(6790)).is_some()
    }

    async fn until(&self, wanted: impl Fn(&Self) -> bool) {
        for _ in 0..2000 {
            if wanted(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("it does not come to that");
    }
}

#[tokio::test]
async fn a_streamed_apk_is_a_package() {
    let device = Device::new();
    let first = apk("org.example.app", 7, "1.2", Some("com.example.stub"));
    assert_eq!(device.install("-r -g", &first).await, "Success\n");
    for (script, out) in [
        (
            "pm list packages --show-versioncode org.example",
            "package:org.example.app versionCode:7\n",
        ),
        (
            "pm path org.example.app",
            "package:/data/app/~~runner1==/org.example.app-1/base.apk\n",
        ),
        (
            "pm list instrumentation",
            "instrumentation:org.example.app/androidx.test.runner.AndroidJUnitRunner (target=com.example.stub)\n",
        ),
        ("pm list instrumentation org.other", ""),
        (
            "dumpsys package org.example.app | grep -E 'versionCode|versionName'",
            "    versionCode=7 minSdk=26 targetSdk=33\n    versionName=1.2\n",
        ),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
    let size = device
        .run("wc -c < $(pm path org.example.app | cut -d: -f2)")
        .await;
    assert_eq!(size.out.trim(), first.len().to_string());
    assert_eq!(
        device.run("pm uninstall org.example.app").await.out,
        "Success\n"
    );
    let gone = device.run("pm path org.example.app; ls /data/app").await;
    assert!(!gone.out.contains("org.example.app"), "{gone:?}");
    for (script, out) in [
        (
            "pm uninstall org.example.app",
            "Failure [DELETE_FAILED_INTERNAL_ERROR]\n",
        ),
        (
            "pm uninstall --user all org.example.app",
            "Failure [DELETE_FAILED_INTERNAL_ERROR]\n",
        ),
        (
            "pm uninstall --user 0 org.example.app",
            "Failure [not installed for 0]\n",
        ),
        ("pm uninstall", "Error: package name not specified\n"),
    ] {
        let ran = device.run(script).await;
        assert_eq!((ran.out.as_str(), ran.code), (out, 1), "{script}");
    }
}

#[tokio::test]
async fn android_refuses_what_it_cannot_install() {
    let device = Device::new();
    let version = |code| apk("org.example.app", code, "1", None);
    assert_eq!(device.install("", &version(2)).await, "Success\n");
    let message = device.install("-r", &version(1)).await;
    assert_eq!(
        message,
        "Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code 1 is older than current 2]\n"
    );
    assert_eq!(device.install("-r -d", &version(1)).await, "Success\n");
    let text = device.install("-R", &version(1)).await;
    assert!(
        text.starts_with("Failure [INSTALL_FAILED_ALREADY_EXISTS"),
        "{text}"
    );
    for (bytes, failure) in [
        (
            b"PK\x03\x04 damaged".to_vec(),
            "INSTALL_PARSE_FAILED_NOT_APK: Failed to parse /data/app/vmdl",
        ),
        (
            zipped(b"<manifest/>"),
            "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION: Failed to parse",
        ),
        (
            apk("..", 1, "1", None),
            "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: Failed to parse",
        ),
    ] {
        let reported = device.install("-r", &bytes).await;
        assert!(
            reported.starts_with(&format!("Failure [{failure}")),
            "{reported}"
        );
    }
    // A part of a package, and more than was announced.
    let whole = version(3);
    let script = format!("cmd package install -r -S {}", whole.len());
    let part = device.run_with(&script, &whole[..whole.len() / 2]).await;
    assert!(
        part.out
            .starts_with("Failure [INSTALL_PARSE_FAILED_NOT_APK"),
        "{part:?}"
    );
    let more = [whole, b"more".to_vec()].concat();
    assert_eq!(device.run_with(&script, &more).await.out, "Success\n");
    assert_eq!(device.install("-S x", b"").await, "");
    let ran = device.run("pm install -S 99999999999").await;
    assert_eq!(ran.out, "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]\n");
    let left = device.run("ls /data/app").await.out;
    assert!(
        !left.contains("vmdl"),
        "nothing is left of what failed: {left}"
    );
}

#[tokio::test]
async fn an_apk_on_the_device_is_installed_too() {
    let device = Device::new();
    device
        .0
        .storage
        .write(
            "/data/local/tmp/a.apk",
            &zipped(&manifest("org.example.app", 1, "1", None, false)),
        )
        .unwrap();
    let ran = device.run("pm install -r /data/local/tmp/a.apk").await;
    assert_eq!((ran.out.as_str(), ran.code), ("Success\n", 0));
}

#[tokio::test]
async fn instrumentation_runs_where_both_packages_are() {
    let device = Device::new();
    let ran = device.run(&format!("am instrument -w {RUNNER}")).await;
    assert!(
        ran.out.contains("Error=Unable to find instrumentation info for: ComponentInfo{io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner}"),
        "{ran:?}"
    );
    assert!(ran.err.contains("INSTRUMENTATION_FAILED"), "{ran:?}");
    let test = apk(SERVER_TEST, 0, "", Some(SERVER));
    device.install("", &test).await;
    let ran = device.run(&format!("am instrument -w {RUNNER}")).await;
    assert!(
        ran.out
            .contains("Unable to find instrumentation target package"),
        "{ran:?}"
    );
    // Code of other packages is not run.
    let other = apk("org.other", 1, "1", Some("com.example.stub"));
    device.install("", &other).await;
    let ran = device
        .run("am instrument -w org.other/androidx.test.runner.AndroidJUnitRunner")
        .await;
    assert!(ran.out.contains("runs no code of org.other"), "{ran:?}");
}

#[tokio::test]
async fn a_server_ends_when_it_is_stopped() {
    let device = Device::with_appium().await;
    for package in [SERVER, SERVER_TEST] {
        let script = format!("am instrument -w -e disableAnalytics true {RUNNER}");
        let stopping = async {
            device.until(Device::listens).await;
            let ran = device
                .run("uiautomator dump; pidof io.appium.uiautomator2.server")
                .await;
            assert!(ran.err.contains("already registered"), "{ran:?}");
            assert!(!ran.out.is_empty(), "{ran:?}");
            device.run(&format!("am force-stop {package}")).await;
            assert!(!device.listens());
            assert_eq!(device.run("uiautomator dump").await.err, "");
        };
        let (ran, ()) = tokio::join!(device.run(&script), stopping);
        assert!(
            ran.out
                .ends_with("shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n"),
            "{ran:?}"
        );
    }
}

#[tokio::test]
async fn a_second_instrumentation_takes_over() {
    let device = Device::with_appium().await;
    let pid = || device.0.automation.process().map(|(pid, _)| pid);
    let first = async { device.run(&format!("am instrument -w {RUNNER}")).await };
    let begin = tokio::sync::Notify::new();
    let second = async {
        begin.notified().await;
        device.run(&format!("am instrument -w -r {RUNNER}")).await
    };
    let stopping = async {
        device.until(Device::listens).await;
        let before = pid();
        begin.notify_one();
        device
            .until(|device| {
                pid() != before && device.listens() && device.0.automation.is_acquired()
            })
            .await;
        device.run(&format!("am force-stop {SERVER}")).await;
    };
    let (first, second, ()) = tokio::join!(first, second, stopping);
    assert!(first.out.contains("Process crashed"), "{first:?}");
    assert!(
        second.out.contains("INSTRUMENTATION_STATUS_CODE: 1"),
        "{second:?}"
    );
    assert!(!device.listens() && !device.0.automation.is_acquired());
}

#[tokio::test]
async fn a_server_outlives_its_command_without_the_slot() {
    let device = Device::with_appium().await;
    {
        let script = format!("am instrument -w {RUNNER}");
        let running = device.run(&script);
        tokio::select! {
            ran = running => panic!("{ran:?}"),
            () = device.until(Device::listens) => {}
        }
    }
    device
        .until(|device| !device.0.automation.is_acquired())
        .await;
    assert!(device.listens());
    assert_eq!(device.run("uiautomator dump").await.err, "");
    // With a trap nothing is left.
    {
        let script = format!(
            "trap 'am force-stop {SERVER}; am force-stop {SERVER_TEST}' EXIT HUP TERM; am instrument -w {RUNNER} & wait $!"
        );
        let running = device.run(&script);
        tokio::select! {
            ran = running => panic!("{ran:?}"),
            () = device.until(|device| device.0.automation.is_acquired() && device.listens()) => {}
        }
    }
    device
        .until(|device| !device.listens() && !device.0.automation.is_acquired())
        .await;
}

#[tokio::test]
async fn the_server_of_uiautomator2_lives_with_its_command() {
    let device = Device::new();
    let port = |device: &Device| device.0.ports.connect(&Address::Tcp(9008)).is_some();
    let script = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";
    let ran = device.run(script).await;
    assert_eq!(ran.code, 134, "{ran:?}");
    device
        .0
        .storage
        .write("/data/local/tmp/u2.jar", b"PK")
        .unwrap();
    {
        let running = device.run(script);
        tokio::select! {
            ran = running => panic!("{ran:?}"),
            () = device.until(|device| device.0.automation.is_acquired() && port(device)) => {}
        }
    }
    device.until(|device| !port(device)).await;
    assert!(!device.0.automation.is_acquired());
}

#[tokio::test]
async fn a_build_without_the_server_of_uiautomator2_says_so() {
    let options = VirtualDeviceOptions {
        servers: Some(AutomationServers {
            u2: None,
            ..SERVERS
        }),
        ..VirtualDeviceOptions::new(stub::factory())
    };
    let device = Device(Arc::new(DeviceState::new(&options).unwrap()));
    device
        .0
        .storage
        .write("/data/local/tmp/u2.jar", b"PK")
        .unwrap();
    let script = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";
    let ran = device.run(script).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("--features other-clients"), "{ran:?}");
    assert!(!device.0.automation.is_acquired());
}

#[tokio::test]
async fn a_keyboard_of_an_apk_takes_its_text() {
    let device = Device::new();
    // The manifest's keyboard is `org.other.Ime`; Appium's has its own name.
    assert_eq!(
        device
            .install("", &apk("org.example.app", 1, "1", None))
            .await,
        "Success\n"
    );
    for (script, out) in [
        (
            "ime list -a -s | tail -n 1",
            "org.example.app/org.other.Ime\n",
        ),
        ("ime set org.example.app/org.other.Ime", ""),
        (
            "ime enable org.example.app/org.other.Ime; ime set org.example.app/org.other.Ime; settings get secure default_input_method",
            "Input method org.example.app/org.other.Ime: now enabled for user #0\nInput method org.example.app/org.other.Ime selected for user #0\norg.example.app/org.other.Ime\n",
        ),
        (
            "pm uninstall org.example.app; ime list -a -s | wc -l; settings get secure default_input_method",
            "Success\n2\ncom.android.inputmethod.latin/.LatinIME\n",
        ),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

#[tokio::test]
async fn what_packages_may_do_is_kept_until_they_go() {
    let device = Device::with_appium().await;
    for (script, out) in [
        (
            "appops set io.appium.uiautomator2.server android:mock_location allow; appops get io.appium.uiautomator2.server",
            "MOCK_LOCATION: allow\n",
        ),
        ("appops set org.none X allow", ""),
        (
            "dumpsys deviceidle whitelist +io.appium.uiautomator2.server; dumpsys deviceidle whitelist +org.none ; dumpsys deviceidle whitelist",
            "Added: io.appium.uiautomator2.server\nUnknown package: org.none\nuser,io.appium.uiautomator2.server,10100\n",
        ),
        (
            "cmd notification allow_listener io.appium.uiautomator2.server/.NLService; settings get secure enabled_notification_listeners",
            "io.appium.uiautomator2.server/.NLService\n",
        ),
        (
            "pm uninstall io.appium.uiautomator2.server; dumpsys deviceidle whitelist",
            "Success\n",
        ),
        (
            "am start-service -n io.appium.uiautomator2.server.test/org.other.Ime; dumpsys activity services io.appium.uiautomator2.server.test | grep -c ServiceRecord; am force-stop io.appium.uiautomator2.server.test; dumpsys activity services io.appium.uiautomator2.server.test | tail -n 1",
            "Starting service: Intent { cmp=io.appium.uiautomator2.server.test/org.other.Ime }\n1\n  (nothing)\n",
        ),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

#[tokio::test]
async fn a_screen_that_is_off_takes_no_input() {
    let device = Device::new();
    for (script, out) in [
        (
            "input keyevent 26; dumpsys power | grep -c Wakefulness=Asleep; dumpsys window | grep -c SCREEN_STATE_OFF",
            "1\n1\n",
        ),
        (
            "logcat -c; input keyevent 4; input tap 1 1; logcat -d -v raw",
            "--------- beginning of main\n",
        ),
        (
            "input keyevent 224; dumpsys power | grep -c Wakefulness=Awake; dumpsys window | grep -c mScreenOnFully=true; locksettings get-disabled",
            "1\n1\ntrue\n",
        ),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

#[tokio::test]
async fn radios_are_settings() {
    let device = Device::new();
    for (script, out) in [
        (
            "cmd -w wifi set-wifi-enabled disabled; cmd wifi status; settings get global wifi_on",
            "Wifi is disabled\n0\n",
        ),
        (
            "cmd phone data disable; settings get global mobile_data",
            "0\n",
        ),
        (
            "cmd bluetooth_manager enable; settings get global bluetooth_on",
            "1\n",
        ),
        ("cmd -w settings get global bluetooth_on", "1\n"),
        ("cmd wifi fly", ""),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

#[tokio::test]
async fn files_have_checksums() {
    let device = Device::new();
    for (script, out) in [
        (
            "printf abc > /sdcard/x; toybox md5sum /sdcard/x",
            "900150983cd24fb0d6963f7d28e17f72  /sdcard/x\n",
        ),
        (
            "printf abc | md5sum",
            "900150983cd24fb0d6963f7d28e17f72  -\n",
        ),
        (
            "printf abc | md5sum - /sdcard/x",
            "900150983cd24fb0d6963f7d28e17f72  -\n900150983cd24fb0d6963f7d28e17f72  /sdcard/x\n",
        ),
        (
            "printf other | md5sum /sdcard/x",
            "900150983cd24fb0d6963f7d28e17f72  /sdcard/x\n",
        ),
        ("toybox md5sum /sdcard/none", ""),
        ("printf 'one two\\nthree\\n' | head -c5", "one t"),
        ("printf 'one two\\nthree\\n' | tail -c4", "ree\n"),
        ("printf 'a-b1c' | tr -d a-z", "-1"),
        (
            "cat /proc/net/unix | head -n 1",
            "Num       RefCount Protocol Flags    Type St Inode Path\n",
        ),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

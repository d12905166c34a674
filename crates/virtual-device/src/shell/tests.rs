//! Tests of the shell with a stub phone, and of the output of commands.

mod packages;
mod peers;
mod phone;
mod syntax;
mod windows;

use std::sync::Arc;

use tokio::sync::mpsc;

use super::{run, stdin};
use crate::state::DeviceState;
use crate::{FaultSpec, VirtualDeviceOptions, stub};

/// Both outputs of a script, and its exit code.
#[derive(Debug, PartialEq, Eq)]
struct ScriptOutput {
    out: String,
    err: String,
    code: i32,
}

struct Device(Arc<DeviceState>);

impl Device {
    fn new() -> Self {
        let options = VirtualDeviceOptions {
            servers: Some(packages::SERVERS),
            ..VirtualDeviceOptions::new(stub::factory())
        };
        Self(Arc::new(DeviceState::new(&options).unwrap()))
    }

    fn with_fault(fault: &str) -> Self {
        let device = Self::new();
        device.0.faults.inject(fault.parse::<FaultSpec>().unwrap());
        device
    }

    async fn run_with(&self, script: &str, input: &[u8]) -> ScriptOutput {
        let (feed, source) = stdin();
        feed.push(input.to_vec()).await;
        drop(feed);
        let (sender, mut output) = mpsc::channel(1024);
        let code = run(Arc::clone(&self.0), script, source, sender).await;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        while let Ok(chunk) = output.try_recv() {
            if chunk.error { &mut err } else { &mut out }.extend(chunk.bytes);
        }
        ScriptOutput {
            out: String::from_utf8_lossy(&out).into_owned(),
            err: String::from_utf8_lossy(&err).into_owned(),
            code,
        }
    }

    async fn run(&self, script: &str) -> ScriptOutput {
        self.run_with(script, b"").await
    }
}

#[tokio::test]
async fn values_of_flags_are_neither_patterns_nor_files() {
    let device = Device::new();
    device
        .run("printf 'one\\ntwo\\nthree\\n' > /sdcard/n")
        .await;
    for (script, out) in [
        ("grep -A 3 two /sdcard/n", "two\n"),
        ("grep -C3 two /sdcard/n", "two\n"),
        ("grep -e one -e three /sdcard/n", "one\nthree\n"),
        ("grep -ne two /sdcard/n", "2:two\n"),
        ("grep -m1 -E 'o|t' /sdcard/n", "one\n"),
        ("grep -vE -e 'a|b' -e 'th|tw' /sdcard/n", "one\n"),
        ("grep --color=never two /sdcard/n", "two\n"),
        ("echo ' -m' | grep -o -- -m", "-m\n"),
        ("basename /a/b.txt .txt", "b\n"),
        ("basename /a/.txt .txt", ".txt\n"),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

#[tokio::test]
async fn files_are_kept() {
    let device = Device::new();
    for (script, out, code) in [
        (
            "echo one > /sdcard/a.txt; echo two >> /sdcard/a.txt; cat /sdcard/a.txt",
            "one\ntwo\n",
            0,
        ),
        ("cat /storage/emulated/0/a.txt | head -1", "one\n", 0),
        (
            "ls /sdcard/*.txt /data/local/tmp/*.none 2>&1",
            "/sdcard/a.txt\nls: /data/local/tmp/*.none: No such file or directory\n",
            1,
        ),
        (
            "mkdir -p /sdcard/x/y && mv /sdcard/a.txt /sdcard/x/y && ls -R /sdcard/x",
            "/sdcard/x:\ny\n\n/sdcard/x/y:\na.txt\n",
            0,
        ),
        (
            "cp /sdcard/x/y/a.txt /sdcard/b && wc -c < /sdcard/b",
            "8\n",
            0,
        ),
        ("stat -c '%s %F' /sdcard/b", "8 regular file\n", 0),
        ("rm /sdcard/x 2>&1", "rm: /sdcard/x: Is a directory\n", 1),
        (
            "rm -rf /sdcard/x /sdcard/none; [ -d /sdcard/x ] || echo gone",
            "gone\n",
            0,
        ),
        ("base64 /sdcard/b | base64 -d", "one\ntwo\n", 0),
        ("find /sdcard -name 'b*' -type f", "/sdcard/b\n", 0),
        (
            "grep -n tw /sdcard/b; grep -c 'o' /sdcard/b; grep -q none /sdcard/b",
            "2:two\n2\n",
            1,
        ),
        (
            "cat /sdcard/none 2>&1",
            "cat: /sdcard/none: No such file or directory\n",
            1,
        ),
        (
            "cat /../../../etc/passwd 2>&1",
            "cat: /../../../etc/passwd: No such file or directory\n",
            1,
        ),
    ] {
        let ran = device.run(script).await;
        assert_eq!((ran.out.as_str(), ran.code), (out, code), "{script}");
    }
}

#[tokio::test]
async fn a_dump_is_printed_as_android_does() {
    let device = Device::new();
    let ran = device
        .run("uiautomator dump && cat /sdcard/window_dump.xml")
        .await;
    assert!(
        ran.out
            .starts_with("UI hierchary dumped to: /sdcard/window_dump.xml\n<?xml"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("</hierarchy>"));
    let ran = device.run("uiautomator dump /dev/tty").await;
    assert!(
        ran.out
            .ends_with("</hierarchy>UI hierchary dumped to: /dev/tty\n")
    );
    let ran = device
        .run("uiautomator dump --windows /sdcard/w.xml; cat /sdcard/w.xml")
        .await;
    assert!(ran.out.ends_with("</displays>"), "{}", ran.out);
}

#[tokio::test]
async fn dumps_fail_as_android_fails() {
    for (fault, out, err, code) in [
        (
            "could-not-get-idle:1",
            "",
            "ERROR: could not get idle state.\n",
            0,
        ),
        (
            "null-root:1",
            "",
            "ERROR: null root node returned by UiTestAutomationBridge.\n",
            0,
        ),
        (
            "missing-dump:1",
            "UI hierchary dumped to: /sdcard/d.xml\n",
            "",
            0,
        ),
        ("process-killed:1", "Killed \n", "", 137),
    ] {
        let device = Device::with_fault(fault);
        let ran = device.run("uiautomator dump /sdcard/d.xml").await;
        assert_eq!(
            (ran.out.as_str(), ran.err.as_str(), ran.code),
            (out, err, code),
            "{fault}"
        );
        assert_eq!(device.run("cat /sdcard/d.xml").await.code, 1, "{fault}");
        let again = device
            .run("uiautomator dump /sdcard/d.xml && tail -c 12 /sdcard/d.xml")
            .await;
        assert!(again.out.ends_with("</hierarchy>"), "{fault}: {again:?}");
    }
    let device = Device::with_fault("truncated-dump:1");
    let ran = device
        .run("uiautomator dump /sdcard/d.xml >/dev/null; cat /sdcard/d.xml")
        .await;
    assert!(ran.out.starts_with("<?xml") && !ran.out.contains("</hierarchy>"));
    let device = Device::with_fault("slot-taken:1");
    assert!(
        device
            .run("uiautomator dump")
            .await
            .err
            .contains("already registered!")
    );
    let device = Device::with_fault("could-not-get-idle:1");
    assert_eq!(device.run("uiautomator dump --compressed").await.err, "");
}

#[tokio::test]
async fn faults_of_storage_screen_and_input_show() {
    let device = Device::with_fault("storage-full:1");
    let ran = device.run("mkdir /sdcard/d").await;
    assert_eq!(ran.err, "mkdir: '/sdcard/d': No space left on device\n");
    assert_eq!(device.run("mkdir /sdcard/d").await.code, 0);
    let device = Device::with_fault("bad-screenshot:1");
    assert!(!device.run("screencap -p").await.out.contains("PNG"));
    assert!(device.run("screencap -p").await.out.contains("PNG"));
    let device = Device::with_fault("lost-input:1");
    assert_eq!(
        device
            .run("input tap 1 2; logcat -d -v raw Touch:* '*:S'")
            .await
            .out,
        "--------- beginning of main\n"
    );
    let device = Device::with_fault("dead-app:1");
    let ran = device.run("input tap 1 2; logcat -d -v brief AndroidRuntime:E '*:S' | grep -c FATAL; pidof com.example.stub").await;
    assert_eq!((ran.out.as_str(), ran.code), ("1\n", 1));
    let device = Device::with_fault("several-displays");
    assert!(
        device
            .run("screencap -p > /dev/null")
            .await
            .err
            .starts_with("[Warning] Multiple displays")
    );
    assert!(
        device
            .run("dumpsys window displays | grep -c mDisplayId=")
            .await
            .out
            .starts_with('2')
    );
}

#[tokio::test]
async fn input_reaches_the_phone() {
    let device = Device::new();
    for (command, tag, message) in [
        ("input tap 5 7", "Touch", "5,7 5,7 10ms"),
        (
            "input touchscreen -d 0 swipe 0 0 100 50 200",
            "Touch",
            "0,0 100,50 200ms",
        ),
        ("input keyevent 66", "Key", "ENTER"),
        (
            "input keyevent --longpress KEYCODE_BACK",
            "Key",
            "BACK long",
        ),
        (
            "input keyevent --doubletap 24 25",
            "Key",
            "VOLUME_UP\nVOLUME_UP",
        ),
        ("input keycombination 113 50", "Key", "CTRL V"),
        (
            "input motionevent DOWN 1 2; input motionevent MOVE 3 4; sleep 1; input motionevent UP 3 4",
            "Touch",
            "1,2 3,4 1032ms",
        ),
        (
            "cmd statusbar expand-notifications",
            "StatusBar",
            "notifications",
        ),
    ] {
        let script = format!("logcat -c; {command} && logcat -d -v raw {tag}:D '*:S'");
        let ran = device.run(&script).await;
        assert_eq!(
            ran.out,
            format!("--------- beginning of main\n{message}\n"),
            "{command}"
        );
    }
}

#[tokio::test]
async fn text_is_typed_whole_or_not_at_all() {
    let device = Device::new();
    let field = |xml: &str| {
        xml.split("text=\"")
            .nth(2)
            .and_then(|rest| rest.split('"').next())
            .unwrap_or_default()
            .to_owned()
    };
    device.run("input text a%sb").await;
    let ran = device.run("input text 'cdé'").await;
    assert!(ran.err.contains("NullPointerException"), "{ran:?}");
    assert_ne!(ran.code, 0);
    let dump = "uiautomator dump /dev/tty";
    assert_eq!(field(&device.run(dump).await.out), "a b");
    // The keyboard takes broadcasts only once it is chosen.
    let send = "am broadcast -a ADB_INPUT_B64 --es msg w6k=";
    assert!(
        device
            .run(send)
            .await
            .out
            .ends_with("Broadcast completed: result=0\n")
    );
    assert_eq!(field(&device.run(dump).await.out), "a b");
    device.run("ime set com.android.adbkeyboard/.AdbIME").await;
    device.run(send).await;
    assert_eq!(field(&device.run(dump).await.out), "a bé");
    device.run("am broadcast -a ADB_CLEAR_TEXT").await;
    assert_eq!(field(&device.run(dump).await.out), "");
}

#[tokio::test]
async fn commands_print_what_android_prints() {
    let device = Device::new();
    let mut report = String::new();
    for script in [
        "id -u; whoami",
        "getprop ro.product.model; getprop ro.build.version.sdk; getprop ro.runner.virtual; getprop none",
        "setprop ro.x 1",
        "setprop persist.sys.locale de-DE; getprop persist.sys.locale",
        "settings get global window_animation_scale; settings put global x 5; settings get global x; settings delete global x; settings get global x",
        "wm size; wm density; wm size 720x1280; wm size; wm size reset",
        "pm list packages -3; pm path com.example.stub; pm path none",
        "pm list packages -f stub",
        "pm clear none; pm grant com.example.stub android.permission.CAMERA",
        "cmd package resolve-activity --brief com.example.stub; cmd package resolve-activity --brief none",
        "am start -W -n com.example.stub/.Main --es key 'a value'",
        "am start -n none/.Main",
        "am start -a android.intent.action.VIEW -d stub://open/deep/link",
        "monkey -p none -c android.intent.category.LAUNCHER 1",
        "ime list -s; ime set none/.None",
        "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'",
        "dumpsys activity activities | grep -E 'topResumed|mResumed'",
        "dumpsys input_method | grep mInputShown",
        "cmd clipboard get; cmd runner clipboard set 'a b'; cmd runner clipboard get",
        "cmd uimode night yes; cmd uimode night",
        "cmd connectivity airplane-mode enable; settings get global airplane_mode_on",
        "cmd runner a2ui '{}'",
        "pidof com.example.stub; ps -A | grep stub",
        "input text; input nonsense 2>&1 | head -1",
        "kill 99999",
        "dumpsys none; cmd none",
    ] {
        let ScriptOutput { out, err, code } = device.run(script).await;
        report.push_str(&format!("$ {script}\n{out}{err}[{code}]\n"));
    }
    insta::assert_snapshot!(report);
}

#[tokio::test]
async fn apps_are_installed_from_their_folder() {
    let device = Device::new();
    let ran = device.run("pm install /sdcard/none").await;
    assert_ne!(ran.code, 0);
    let ran = device
        .run("mkdir /data/local/tmp/app; pm install -r /data/local/tmp/app")
        .await;
    assert_eq!(
        ran.out,
        "Failure [INSTALL_PARSE_FAILED_NOT_APK: app.yaml: not there]\n"
    );
    let ran = device
        .run("touch /data/local/tmp/app/app.yaml; pm install -r -g /data/local/tmp/app")
        .await;
    assert_eq!((ran.out.as_str(), ran.code), ("Success\n", 0));
    let ran = device.run("pm install /data/local/tmp/app/app.yaml").await;
    assert!(ran.out.starts_with("Failure [INSTALL_PARSE_FAILED_NOT_APK"));
}

#[tokio::test]
async fn a_recording_ends_when_interrupted_and_is_a_video() {
    let device = Device::new();
    let ran = device.run("screenrecord /sdcard/v.mp4 & kill -2 $!; wait; head -c 12 /sdcard/v.mp4 | tail -c 8; grep -c moov /sdcard/v.mp4").await;
    assert_eq!(ran.out, "ftypisom1\n", "{ran:?}");
}

#[tokio::test]
async fn logs_are_filtered() {
    let device = Device::new();
    device
        .run("logcat -c; log -t A -p e one; log -t B two; log -t A three")
        .await;
    for (script, out) in [
        (
            "logcat -d -v tag A:V '*:S'",
            "E/A       : one\nI/A       : three\n",
        ),
        ("logcat -d -v tag '*:E'", "E/A       : one\n"),
        ("logcat -t 1 -v raw", "three\n"),
        ("logcat -d -s -v raw B", "two\n"),
        ("logcat -d -v raw -e 't[wh]'", "two\nthree\n"),
        ("logcat -d -v raw -T \"$(date +'%m-%d %H:%M:%S.%N')\"", ""),
    ] {
        let ran = device.run(script).await;
        assert_eq!(
            ran.out,
            format!("--------- beginning of main\n{out}"),
            "{script}"
        );
    }
}

//! Tests of the shell with a stub phone: syntax, and the output of commands.

use std::sync::Arc;

use tokio::sync::mpsc;

mod packages;
mod peers;
mod phone;
mod windows;

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
async fn scripts_mean_what_posix_says() {
    let device = Device::new();
    for (script, out) in [
        ("echo a  b", "a b\n"),
        ("echo 'a  b' \"c  d\" e\\ \\ f", "a  b c  d e  f\n"),
        (r#"echo "a\"b\$c\\d\e""#, "a\"b$c\\d\\e\n"),
        ("echo 'it'\\''s'", "it's\n"),
        ("echo ''", "\n"),
        ("echo a; echo b", "a\nb\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("! false && echo not", "not\n"),
        ("false; echo $?", "1\n"),
        ("x=5; echo $x ${x}y \"$x\" '$x'", "5 5y 5 $x\n"),
        ("x='a b'; printf '[%s]' $x \"$x\"", "[a][b][a b]"),
        ("x=; printf '[%s]' $x \"$x\"", "[]"),
        (
            "echo ${none:-default} ${#HOME} ${none}end",
            "default 1 end\n",
        ),
        (
            "p=/a/b.txt; echo ${p##*/} ${p%.*} ${p#*/}",
            "b.txt /a/b a/b.txt\n",
        ),
        ("echo $(echo a; echo b) `echo c`", "a b c\n"),
        ("echo \"$(printf 'a\\n\\n')\"end", "aend\n"),
        ("echo $((1 + 2 * 3)) $((10 / 3))", "7 3\n"),
        (
            "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
            "0\n1\n2\n",
        ),
        (
            "for x in a 'b c' d; do echo \"<$x>\"; done",
            "<a>\n<b c>\n<d>\n",
        ),
        (
            "for x in 1 2 3; do [ $x = 2 ] && continue; echo $x; done",
            "1\n3\n",
        ),
        (
            "if [ -e /sdcard ]; then echo there; else echo gone; fi",
            "there\n",
        ),
        ("if false; then echo a; elif true; then echo b; fi", "b\n"),
        (
            "case abc in x) echo x;; a*) echo a;; *) echo other;; esac",
            "a\n",
        ),
        ("(x=1; echo $x); echo \"[$x]\"", "1\n[]\n"),
        ("{ echo a; echo b; } | wc -l", "2\n"),
        (
            "f() { echo \"$1-$#\"; return 3; }; f a b; echo $?",
            "a-2\n3\n",
        ),
        (
            "am() { echo mine; }; am; command am x 2>/dev/null || echo theirs",
            "mine\ntheirs\n",
        ),
        (
            "echo() { command echo \"<$1>\"; }; echo a; exec echo b",
            "<a>\nb\n",
        ),
        (
            "f() { :; }; command -v cd f if echo wm /system/bin/pm; echo $?",
            "cd\nf\nif\necho\n/system/bin/wm\n/system/bin/pm\n0\n",
        ),
        (
            "command -v nope || echo none; which wm /system/bin/pm",
            "none\n/system/bin/wm\n/system/bin/pm\n",
        ),
        ("echo a # comment", "a\n"),
        ("echo a#b", "a#b\n"),
        ("echo a\\\n b", "a b\n"),
        ("echo hi | cat | tr h H", "Hi\n"),
        ("cat <<E\nx $HOME\nE\necho after", "x /\nafter\n"),
        ("cat <<'E'\nx $HOME\nE", "x $HOME\n"),
        ("echo x >/dev/null; echo y 2>&1", "y\n"),
        ("nope 2>/dev/null; echo $?", "127\n"),
        (
            "nope 2>&1 | cat",
            "/system/bin/sh: nope: inaccessible or not found\n",
        ),
        ("exit 3; echo no", ""),
        ("x=$(false); echo $?; x=1; echo $?", "1\n0\n"),
        ("A=1 sh -c 'echo $A'; echo \"[$A]\"", "1\n[]\n"),
        ("echo '*' \"*\" \\*", "* * *\n"),
        ("eval 'echo a b'", "a b\n"),
        (
            "printf 'a b\\nc\\n' | while read x y; do echo \"$y-$x\"; done",
            "b-a\n-c\n",
        ),
        ("echo $!; sleep 1 & [ -n \"$!\" ] && echo job", "\njob\n"),
        ("echo '%s'; echo a%sb", "%s\na%sb\n"),
        ("set -- a b; echo $# $2 \"$@\"", "2 b a b\n"),
        (
            "cd /sdcard && pwd && cd .. && pwd",
            "/storage/emulated/0\n/storage/emulated\n",
        ),
    ] {
        assert_eq!(device.run(script).await.out, out, "{script}");
    }
}

#[tokio::test]
async fn what_leaves_a_command_early_leaves_it_as_posix_says() {
    let device = Device::new();
    for (script, out, code) in [
        ("! exit 3", "", 3),
        ("f() { ! return 3; }; f; echo $?", "3\n", 0),
        (
            "for x in a b; do while break; do echo no; done; echo $x; done",
            "a\nb\n",
            0,
        ),
        (
            "i=0; while i=$((i+1)); [ $i -lt 3 ] && continue; [ $i -lt 5 ]; do echo $i; done",
            "3\n4\n",
            0,
        ),
    ] {
        let ran = device.run(script).await;
        assert_eq!((ran.out.as_str(), ran.code), (out, code), "{script}");
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
async fn wrong_scripts_are_told() {
    let device = Device::new();
    for (script, err) in [
        ("echo 'a", "no closing quote"),
        ("then", "syntax error: unexpected 'then'"),
        ("echo a; | cat", "syntax error: unexpected '|'"),
        ("if true; then", "syntax error: unexpected end of file"),
        ("( echo", "syntax error: unexpected end of file"),
        ("echo )", "syntax error: unexpected ')'"),
        ("echo $((1/0))", "zero divisor"),
        ("nope", "nope: inaccessible or not found"),
        (
            "cat < /sdcard/none",
            "can't open /sdcard/none: No such file or directory",
        ),
        (
            "echo x > /none",
            "can't create /none: Read-only file system",
        ),
    ] {
        let ran = device.run(script).await;
        assert_eq!(ran.err, format!("/system/bin/sh: {err}\n"), "{script}");
        assert_ne!(ran.code, 0, "{script}");
    }
    // Backticks add no level of nesting.
    let inner = "$(".repeat(40);
    let in_backticks = format!(
        "{inner}`{inner}echo{closed}`{closed}",
        closed = ")".repeat(40)
    );
    assert_eq!(
        device.run(&in_backticks).await.err,
        "/system/bin/sh: syntax error: nested too deeply\n"
    );
    let deep = "(".repeat(5000);
    assert_eq!(
        device.run(&deep).await.err,
        "/system/bin/sh: syntax error: nested too deeply\n"
    );
}

// A text with spaces or many lines is a chain of hundreds of commands.
#[tokio::test]
async fn a_chain_of_commands_may_be_long() {
    let device = Device::new();
    let chain = vec!["true"; 3000].join(" && ");
    for (script, out) in [
        (format!("{chain} && echo end"), "end\n"),
        (format!("{chain} && false || echo else"), "else\n"),
        (format!("false && {chain} || echo else"), "else\n"),
        (format!("true || {chain} && echo end"), "end\n"),
    ] {
        assert_eq!(device.run(&script).await.out, out);
    }
    let nested = "eval 'eval \"f() { f; }; f\"'; echo after";
    let ran = device.run(nested).await;
    assert!(ran.err.contains("does not nest commands deeper"), "{ran:?}");
}

// Traps of a script whose connection is lost.
#[tokio::test]
async fn traps_run_at_the_end_and_when_the_peer_hangs_up() {
    let device = Device::new();
    let ran = device.run("trap 'echo bye' EXIT; echo hi; (exit 3)").await;
    assert_eq!((ran.out.as_str(), ran.code), ("hi\nbye\n", 3));
    assert_eq!(device.run("trap 'echo bye' 0; trap - 0").await.out, "");
    let script = "touch /sdcard/left; trap 'rm -f /sdcard/left' HUP; echo ready; cat";
    let (feed, source) = stdin();
    let (sender, mut output) = mpsc::channel(16);
    let running = tokio::spawn(run_owned(Arc::clone(&device.0), script, source, sender));
    assert_eq!(output.recv().await.unwrap().bytes, b"ready\n");
    running.abort();
    drop(feed);
    let gone = async {
        while device.0.storage.stat("/sdcard/left").is_ok() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), gone)
        .await
        .expect("the trap did not run");
}

async fn run_owned(
    device: Arc<DeviceState>,
    script: &'static str,
    source: super::streams::Source,
    sender: mpsc::Sender<super::Output>,
) -> i32 {
    run(device, script, source, sender).await
}

// Texts that double in a loop are limited.
#[tokio::test]
async fn words_and_variables_have_an_end() {
    let device = Device::new();
    for script in [
        "x=aaaaaaaaaa; while true; do x=$x$x || break; done",
        "x=aaaaaaaaaa; while true; do x=\"$x$x\" || break; done",
        "while true; do export x=a$x$x || break; done",
        "i=0; while true; do i=$((i+1)); eval \"x$i=1\" || break; done",
        "seq 1 50000 > /sdcard/n; x=$(cat /sdcard/n); : $x$x$x$x$x$x$x$x$x$x $x$x$x$x",
    ] {
        let ran = device.run(script).await;
        let reported = ran.err.contains("out of memory") || ran.err.contains("too long");
        assert!(
            reported && ran.err.len() < 500,
            "{script}: {} {}",
            ran.code,
            ran.err
        );
    }
    let ran = device
        .run("f() { sleep 9 & f; }; f; sleep 1; echo done")
        .await;
    assert!(ran.err.len() < 20_000, "{}", ran.err.len());
}

#[tokio::test]
async fn nothing_hangs() {
    let device = Device::new();
    assert_eq!(device.run("while true; do :; done").await.code, 124);
    assert_ne!(device.run("f() { f; }; f").await.code, 0);
    assert_eq!(device.run("sleep 86400; echo late").await.out, "late\n");
    assert_eq!(device.run_with("cat", b"typed").await.out, "typed");
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

proptest::proptest! {
    #[test]
    fn quoted_text_is_one_word_unchanged(text in "[^\0]{0,40}") {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let script = format!("printf %s {}", runner_adb::quote(&text));
        let ran = runtime.block_on(async { Device::new().run(&script).await });
        proptest::prop_assert_eq!(ran.out, text);
    }

    #[test]
    fn any_text_is_read_without_panic(text in "[a-z'\"\\\\$`(){};&|<>#! \n=*\\[\\]0-9]{0,60}") {
        let _ = super::parse::parse(&text);
    }
}

#[tokio::test]
async fn standard_input_that_is_named_twice_is_read_once() {
    let device = Device::new();
    let ran = tokio::time::timeout(
        std::time::Duration::from_secs(10),
        device.run_with("cat - -; echo end", b"once\n"),
    );
    assert_eq!(ran.await.unwrap().out, "once\nend\n");
}

#[tokio::test]
async fn a_pattern_that_multiplies_what_it_finds_is_refused() {
    let device = Device::new();
    let folders = (0..30).map(|number| format!("/sdcard/many/f{number}"));
    let folders: Vec<String> = folders.collect();
    let script = format!(
        "mkdir -p {}; echo /sdcard/many/*{} | wc -c",
        folders.join(" "),
        "/../*".repeat(20)
    );
    let ran = tokio::time::timeout(std::time::Duration::from_mins(1), device.run(&script));
    assert!(!ran.await.unwrap().err.is_empty());
}

//! Device of an unchanged Appium, which has the virtual device through Debian's adb server: the same flows,
//! goldens and screens as without it, once with a shell that the server allows and once without.
//!
//! Appium is installed by `.ci/run`; where it is missing, the test says so, and in CI fails.

use serde_json::json;

use crate::appium::{Appium, Stand};
use crate::common::mcp::Client;
use crate::common::{Project, Ran, needs};
use crate::drivers::without_timestamp;

/// Key that nobody may see; the server takes any.
const KEY: &str = "k3y-of-the-cloud";

/// Capabilities' credentials, from the environment.
const CREDENTIALS: &str = "user: '${os.CLOUD_USER}', key: '${os.CLOUD_KEY}'";

/// Makes the project's own demo on one device, which is called `phone`.
fn demo(device: &str) -> Project {
    let project = Project::empty();
    for folder in ["flows", "snapshots"] {
        project.copy(folder);
    }
    let settings = format!("flows: flows\nallow_shell: true\ndevices: [ {device} ]\n");
    project.write("runner.yaml", &settings);
    project
}

/// Makes the demo on a device of this Appium, with credentials from the environment, or with the settings
/// `more`.
fn through(stand: &Stand, appium: &Appium, more: &str) -> Project {
    demo(&format!(
        "{{ webdriver: '{}', label: phone, {more}, capabilities: {{ udid: '{}', adbPort: {}, suppressKillServer: true }} }}",
        appium.url, stand.serial, stand.adb_port
    ))
}

fn run(project: &Project, arguments: &[&str]) -> Ran {
    let output = project
        .command(arguments)
        .env("CLOUD_USER", "ada")
        .env("CLOUD_KEY", KEY)
        .env("NO_PROXY", "127.0.0.1")
        .output();
    Ran::from(output.expect("the program starts")).never_says(KEY)
}

/// Returns what is compared of a run: the passed flows, and its report without the names of its driver and
/// times.
fn report(project: &Project) -> String {
    let ran = run(
        project,
        &[
            "test",
            "-v",
            "--junit",
            "junit.xml",
            "--update",
            "none",
            "--log",
            "run.log",
        ],
    );
    ran.expect(0).says("5 passed");
    assert!(!project.read("run.log").contains(KEY));
    let report = project.read("junit.xml");
    assert!(!report.contains(KEY));
    // A server knows the device by another name; without a shell it reports a version's number only.
    let own = r#"(<property name="(?:device\.serial|app\.[a-z.]+)" value=")[^"]*"#;
    let own = regex::Regex::new(own).expect("a pattern");
    let report = without_timestamp(&report);
    let report = own.replace_all(&report, "$1");
    // Only a server's device has a session.
    let is_of_session = |line: &&str| line.contains(r#"<property name="session."#);
    let lines = report.lines().filter(|line| !is_of_session(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Asserts that no session is open: each would have a server on the device.
fn nothing_is_left(stand: &Stand) {
    let left = stand.shell("pidof io.appium.uiautomator2.server; cat /proc/net/tcp | grep -c 1A86");
    assert_eq!(left.trim(), "0");
}

/// Returns the number of sessions that a run began and ended, from its log.
fn sessions(log: &str) -> (usize, usize) {
    (
        log.matches("session begun").count(),
        log.matches("session ended").count(),
    )
}

#[test]
fn a_device_of_appium_is_a_device() {
    if needs::client_program("appium/node_modules/.bin/appium").is_none() || !needs::program("adb")
    {
        return;
    }
    let stand = Stand::new();
    let stock = demo(&format!("{{ serial: '{}', label: phone }}", stand.serial));
    let expected = report(&stock);
    let screen = |project: &Project, format: &str| {
        let ran = run(
            project,
            &["inspect", "--format", format, "--profile", "golden"],
        );
        ran.expect(0).stdout
    };
    for has_shell in [true, false] {
        let options: &[&str] = if has_shell {
            &["--allow-insecure=uiautomator2:adb_shell"]
        } else {
            &[]
        };
        let Some(appium) = Appium::start(&stand, options) else {
            return;
        };
        let project = through(&stand, &appium, CREDENTIALS);
        stand.shell("pm clear com.example.notes; am start -W -n com.example.notes/.SignIn");
        let displayed = ["tsv", "json"].map(|format| screen(&stock, format));
        let observed = ["tsv", "json"].map(|format| screen(&project, format));
        assert_eq!(observed, displayed);
        assert_eq!(report(&project), expected, "{}", appium.tail());
        assert!(
            project
                .read("junit.xml")
                .contains(r#"name="device.driver" value="webdriver""#)
        );
        assert_eq!(sessions(&project.read("run.log")), (1, 1));
        doctor(&project, has_shell);
        steps(&project, has_shell);
        if has_shell {
            a_session_a_flow(&through(&stand, &appium, "session: flow"));
            an_agent_uses_it(&through(&stand, &appium, "sessions: 1"));
        }
        nothing_is_left(&stand);
    }
}

fn doctor(project: &Project, has_shell: bool) {
    let ran = run(project, &["doctor", "--device", "phone"]).expect(0);
    let ran = ran
        .says("phone, reached: webdriver http://127.0.0.1:")
        .says("the server can: looks; keys; text of any script;")
        .never_says("adb server");
    if has_shell {
        ran.never_says("cannot");
    } else {
        ran.says("the server cannot: a shell, the font size, the language")
            .says("--allow-insecure uiautomator2:adb_shell");
    }
}

/// Runs steps that need no shell, and checks that those that need one say so if there is none.
fn steps(project: &Project, has_shell: bool) {
    project.write(
        "more/all.yaml",
        r#"app: com.example.notes
steps:
  - launch: { clear: true }
  - type: { into: { id: username }, text: "a~B é 東京 🙂" }
  - assert: { id: username, text: "a~B é 東京 🙂" }
  - erase: { id: username }
  - type: { into: { id: username }, text: Ada Love, keys: true }
  - assert: { id: username, text: Ada Love }
  - set_clipboard: { text: héllo }
  - get_clipboard
  - record: start
  - set_device: { dark: true }
  - rotate: landscape
  - rotate: portrait
  - open_notifications
  - back
  - home
  - launch: { activity: .Inbox }
  - drag: { from: { on: { id: notes }, at: { x: 50%, y: 80% } }, to: { x: 50%, y: 30% }, hold: 700ms }
  - assert not visible: Groceries
  - two_fingers: { on: { id: notes }, turn: 90 }
  - launch: { activity: .SignIn, extras: { who: "Ada $(id)", n: 3 } }
  - pinch: { center_x: 500, center_y: 900, scale: 2 }
  - press: VOLUME_UP
  - long_click: { id: username }
  - double_click: { id: username }
  - record: { action: stop, name: film }
  - grant: POST_NOTIFICATIONS
  - push: { from: runner.yaml, to: /sdcard/Download/x.yaml }
  - pull: { from: /sdcard/Download/x.yaml, to: back.yaml }
  - set_device: { location: false, airplane: true }
  - open_link: "nowhere://x"
    optional: true
"#,
    );
    project.write(
        "more/shell.yaml",
        "app: com.example.notes\nsteps:\n  - launch\n  - set_device: { font_scale: 1.3 }\n  - set_device: { locale: de-DE }\n  - shell: [ls, /sdcard]\n  - list_files: { location_id: downloads }\n  - press: F5\n",
    );
    let ran = run(
        project,
        &["test", "-v", "more/all.yaml", "--artifacts", "artifacts"],
    );
    ran.expect(0)
        .says("1 passed")
        .says("takes the link nowhere://x");
    let film = std::fs::read(project.path("artifacts/more/all/phone-1/film.mp4"));
    assert!(film.is_ok_and(|film| film.starts_with(b"\0\0\0")));
    let text = project.read("more/shell.yaml");
    if has_shell {
        run(project, &["test", "more/shell.yaml"]).expect(0);
        return;
    }
    for (step, says) in [
        ("font_scale", "this device cannot change its font size"),
        ("locale", "this device cannot change its language"),
        ("shell", "this device cannot run `ls /sdcard`"),
        ("list_files", "this device cannot run `stat`"),
        ("press", "this device cannot press F5"),
    ] {
        // Each alone: the first that fails ends the flow.
        let only: String = text
            .lines()
            .filter(|line| {
                !line.starts_with("  - ") || line.contains(step) || line.contains("launch")
            })
            .map(|line| format!("{line}\n"))
            .collect();
        project.write("more/shell.yaml", &only);
        run(project, &["test", "more/shell.yaml"])
            .expect(1)
            .says(says)
            .says("--allow-insecure uiautomator2:adb_shell");
    }
}

fn a_session_a_flow(project: &Project) {
    let arguments = [
        "test",
        "flows/dialog.yaml",
        "flows/sign-in.yaml",
        "--log",
        "flow.log",
    ];
    run(project, &arguments).expect(0);
    assert_eq!(sessions(&project.read("flow.log")), (2, 2));
}

fn an_agent_uses_it(project: &Project) {
    let mut client = Client::start(project, &["--device", "phone"]);
    let observed = client.call("runner_look", json!({}));
    assert!(!observed.is_error, "{}", observed.text);
    client.end_input();
    client.wait();
}

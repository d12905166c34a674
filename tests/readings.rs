//! Law of readings: each query that a run sends to its device fails, is empty, late, doubled or cut, in turn.
//! The run then ends as without that fault, or reports a fault of the device.

use std::path::Path;
use std::time::Duration;

use camino::Utf8PathBuf;
use runner::device::Script;
use runner::screen::Display;
use runner::virtual_device::{VirtualDevice, VirtualDeviceOptions, WrongAnswer, WrongCommand};

use crate::common::needs::long;
use crate::common::{Project, Ran, at_once};

const FLOW: &str = "app: com.example.notes
needs: { sdk: '>=30', size: '>=300' }
matrix: { dark: [yes] }
step_timeout: 5s
steps:
  - launch
  - assert: { that: \"${device.sdk >= 30 and device.width == 360 and device.locale != ''}\" }
  - set_device: { font_scale: 1.3 }
  - snapshot: home
";

/// Beginnings of commands that act. Their faults are covered by another law.
const ACTS: [&str; 26] = [
    "am force-stop",
    "am start",
    "appops set",
    "chmod",
    "cmd uimode night yes",
    "cmd uimode night no",
    "exit",
    "input",
    "kill",
    "log -t",
    "logcat -c",
    "mkdir",
    "mv",
    "pm clear",
    "pm grant",
    "rm",
    "settings delete",
    "settings put",
    "sleep",
    "svc",
    "trap",
    "true",
    "wait",
    "wm dismiss-keyguard",
    "echo",
    "grep",
];

/// Ways in which an answer can be wrong.
const WAYS: [WrongAnswer; 5] = [
    WrongAnswer::Failed,
    WrongAnswer::Empty,
    WrongAnswer::Cut,
    WrongAnswer::Doubled,
    WrongAnswer::Late(Duration::from_millis(1500)),
];

struct Fixture {
    project: Project,
    device: VirtualDevice,
    home: tempfile::TempDir,
}

impl Fixture {
    /// Starts a device with a small display, and makes a project with one flow.
    async fn start() -> Self {
        let project = Project::with_demo_app();
        project.write("flows/one.yaml", FLOW);
        let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
        let options = VirtualDeviceOptions {
            apps: vec![apps],
            // Small: what is compared is not what is tested here.
            display: Display {
                width: 360,
                height: 640,
                density: 160,
                rotation: 0,
            },
            ..VirtualDeviceOptions::default()
        };
        let device = VirtualDevice::start(options)
            .await
            .expect("a virtual device");
        let home = tempfile::tempdir().expect("a folder");
        Self {
            project,
            device,
            home,
        }
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        let address = self.device.address().to_string();
        let mut command = self.project.command(arguments);
        command
            .args(["--device", &address])
            .env("HOME", self.home.path())
            .env("CI", "1")
            .env("RUNNER_ALLOW_TIMEOUT", "1s");
        let running = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .output();
        let output = tokio::time::timeout(Duration::from_mins(3), running).await;
        Ran::from(output.expect("it ends").expect("the program starts"))
    }

    /// Starts a device and a project whose golden has another picture than the screen: those of the folder, or one made
    /// now and painted over.
    async fn with_golden(golden: Option<&Path>) -> Self {
        let fixture = Self::start().await;
        match golden {
            Some(folder) => copy(folder, &fixture.project.path("snapshots")),
            None => {
                let ran = fixture.run(&["test", "--update", "new"]).await;
                assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
                for name in fixture.project.files("snapshots") {
                    if name.ends_with(".png") {
                        paint(&fixture.project.path(&format!("snapshots/{name}")));
                    }
                }
            }
        }
        fixture
    }

    /// Returns the settings of the device that tests change.
    async fn state(&self) -> String {
        let address = self.device.address().to_string();
        let device = runner::device::adb::connect_direct(&address, "state")
            .await
            .expect("the device");
        let script = Script::raw(
            "cmd uimode night; settings get system font_scale; settings list global | grep animat",
            "state",
        );
        let output = device
            .shell(&script, Duration::from_secs(20))
            .await
            .expect("an answer");
        // A scale that is put back is the same number, not the same text.
        output.text().replace("1.0", "1")
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from)
        .into_iter()
        .filter_map(Result::ok)
    {
        let target = to.join(entry.path().strip_prefix(from).expect("below"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).expect("a folder");
        } else {
            std::fs::copy(entry.path(), target).expect("a file");
        }
    }
}

/// Replaces a picture by another one of the same size.
fn paint(path: &Path) {
    let mut pixels = image::open(path).expect("a picture").into_rgba8();
    for pixel in pixels.pixels_mut() {
        *pixel = image::Rgba([pixel[0] / 2, 255 - pixel[1], 90, 255]);
    }
    pixels.save(path).expect("a picture");
}

/// Returns true if a command only reads from the device. The crash watch's commands count as acts: they are
/// logged, not read.
fn is_query(words: &str) -> bool {
    !ACTS.iter().any(|act| words.starts_with(act))
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_read_nothing_known() {
    let honest = Fixture::with_golden(None).await;
    let goldens = honest.project.path("snapshots");
    let before = honest.state().await;
    let files = honest.project.files("snapshots");
    let known = honest.device.commands();
    let ran = honest.run(&["test", "--update", "new"]).await;
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(honest.state().await, before);
    let queries: Vec<String> = honest
        .device
        .commands()
        .into_iter()
        .filter(|(words, count)| is_query(words) && known.get(words) != Some(count))
        .map(|(words, _)| words)
        .collect();
    let all = long(false, true);
    let mut cells = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        for (way, answer) in WAYS.iter().enumerate() {
            for times in [Some(1), None] {
                // Each query with one way, by turns for good and once.
                let turn = number % 10;
                let chosen = way == turn % 5 && times.is_none() == (turn < 3 || turn == 8);
                if all || chosen {
                    cells.push((query.clone(), *answer, times));
                }
            }
        }
    }
    println!("{} queries, {} cells", queries.len(), cells.len());
    println!("{}", queries.join("\n"));
    let (goldens, before, files) = (&goldens, &before, &files);
    let wrong = at_once(cells, |(words, answer, times)| {
        let (goldens, before, files) = (goldens.clone(), before.clone(), files.clone());
        async move {
            let fixture = Fixture::with_golden(Some(&goldens)).await;
            let cell = format!("{words}: {answer:?} {times:?}");
            fixture.device.spoil(WrongCommand {
                words,
                answer,
                times,
            });
            let begun = std::time::Instant::now();
            let ran = fixture.run(&["test", "--update", "new"]).await;
            println!("{cell}: exit {} after {:?}", ran.code, begun.elapsed());
            fixture.device.heal();
            let mut wrong = Vec::new();
            if !matches!(ran.code, 1 | 3) {
                wrong.push(format!("exit {}", ran.code));
            }
            if ran.code == 1 && !ran.stdout.contains("home") {
                wrong.push(format!("another failure: {}", ran.stdout));
            }
            let now = fixture.project.files("snapshots");
            if now != files {
                wrong.push(format!("goldens {now:?}"));
            }
            let state = fixture.state().await;
            if state != before {
                wrong.push(format!("left as {state:?}, was {before:?}"));
            }
            (!wrong.is_empty())
                .then(|| format!("{cell}: {}\n{}{}", wrong.join("; "), ran.stdout, ran.stderr))
        }
    })
    .await;
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(
        wrong.is_empty(),
        "{} cells:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Checks that steps that need the missing answer end with exit code 3 and its message, and that all others
/// run.
#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_does_not_answer_stays_usable() {
    let fixture = Fixture::start().await;
    let flow = |name: &str, text: &str| {
        let text = format!("app: com.example.notes\n{text}");
        fixture.project.write(&format!("flows/{name}.yaml"), &text);
    };
    flow(
        "plain",
        "steps: [ launch, assert visible: Welcome to Notes ]\n",
    );
    flow("picture", "steps: [ launch, snapshot: home ]\n");
    flow("needs", "needs: { size: '>=300' }\nsteps: [ launch ]\n");
    flow(
        "width",
        "steps:\n  - launch\n  - assert: { that: '${device.width > 0}' }\n",
    );
    flow(
        "hidden",
        "steps:\n  - launch\n  - assert: { that: '${device.density is defined}' }\n",
    );
    fixture.device.spoil(WrongCommand {
        words: "wm size".to_owned(),
        answer: WrongAnswer::Empty,
        times: None,
    });
    for (arguments, code) in [
        (&["inspect"][..], 0),
        (&["test", "flows/plain.yaml"], 0),
        (&["test", "flows/picture.yaml", "--update", "new"], 3),
        (&["test", "flows/needs.yaml"], 3),
        (&["test", "flows/width.yaml"], 3),
        (&["test", "flows/hidden.yaml"], 3),
    ] {
        let ran = fixture.run(arguments).await;
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{arguments:?}: {said}");
        let is_told = said.contains("`wm size` printed nothing");
        assert_eq!(is_told, code == 3, "{arguments:?}: {said}");
    }
    assert_eq!(fixture.project.files("snapshots"), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn u9_a_device_that_is_starting_is_not_the_apps_failure() {
    let fixture = Fixture::start().await;
    fixture.project.write(
        "flows/one.yaml",
        "app: com.example.notes\nsteps: [ launch ]\n",
    );
    let address = fixture.device.address().to_string();
    let device = runner::device::adb::connect_direct(&address, "boot")
        .await
        .expect("the device");
    for (value, code) in [("0", 3), ("1", 0)] {
        let script = Script::command(["setprop", "sys.boot_completed", value]);
        device
            .shell(&script, Duration::from_secs(20))
            .await
            .expect("an answer");
        let ran = fixture.run(&["test"]).await;
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{said}");
        assert_eq!(said.contains("is starting: wait"), code == 3, "{said}");
    }
}

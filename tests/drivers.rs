//! Drivers on the virtual device: the same flows, goldens and screens through each, and what happens where one fails.
//!
//! The packages of the UiAutomator2 server are those that `.ci/run` gets; where they are missing, the tests say so.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runner::device::uia2::{ApkPlaces, Use, driven, install};
use runner::device::{Device, DriverChoice, LookOptions, Script, adb};
use runner::screen::{Profile, Screen};
use runner::virtual_automation::SERVERS;
use runner::virtual_device::{VirtualDevice, VirtualDeviceOptions};

use crate::adb_server::Served;
use crate::common::{Project, needs};

const LIMIT: Duration = Duration::from_secs(30);

/// The folder of the server's APKs.
pub fn apks() -> Option<PathBuf> {
    needs::client_program("appium/node_modules/.bin/appium")?;
    let folder = "target/clients/appium/node_modules/appium-uiautomator2-driver/node_modules/appium-uiautomator2-server/apks";
    Some(needs::root().join(folder).canonicalize().expect("APKs"))
}

/// Returns the project's own demo, with the folder of APKs in its settings.
fn demo(apks: &std::path::Path) -> Project {
    let project = Project::empty();
    for folder in ["flows", "snapshots", "examples/demo"] {
        project.copy(folder);
    }
    let settings = format!(
        "flows: flows\nallow_shell: true\nuia2: {}\n",
        apks.display()
    );
    project.write("runner.yaml", &settings);
    project
}

/// Returns a report without its times and the names of its device and driver.
pub fn without_timestamp(report: &str) -> String {
    let own = [
        r#"\btime(?:stamp)?="[^"]*""#,
        r#"(<property name="(?:device.driver|runner.run_id|round_trips|dumps|reused)" value=")[^"]*"#,
        r"\d+(?:\.\d+)?(?:ms|s)\b",
        r" · (?:\d+|the last) (?:round trips?|dumps?|looks? again)",
        r#"uuid="[^"]*""#,
    ];
    own.iter().fold(report.to_owned(), |text, pattern| {
        let pattern = regex::Regex::new(pattern).expect("a pattern");
        pattern.replace_all(&text, "$1").into_owned()
    })
}

#[test]
fn the_demo_passes_through_every_driver_with_the_same_goldens() {
    let Some(apks) = apks() else { return };
    let project = demo(&apks);
    let device = Served::start(&project, &["--app", "examples/demo"]);
    let mut reports = Vec::new();
    for driver in ["stock", "uia2", "auto"] {
        let report = format!("{driver}.xml");
        let arguments = ["--driver", driver, "--junit", &report, "--update", "none"];
        let device = ["test", "-v", "--device", &device.address];
        let used = if driver == "stock" { "stock" } else { "uia2" };
        project
            .run(&[&device[..], &arguments[..]].concat())
            .expect(0)
            .says("5 passed")
            .says(&format!("driver {used}"))
            .never_says("goes on with the driver stock");
        let report = project.read(&report);
        assert!(
            report.contains(&format!(
                "<property name=\"device.driver\" value=\"{used}\"/>"
            )),
            "{report}"
        );
        reports.push(without_timestamp(&report));
    }
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0], reports[2]);
}

/// Checks that a driver that cannot be had leads to the exit code of a missing device, and to advice.
#[test]
fn a_driver_that_cannot_be_had_is_no_failure_of_the_app() {
    let project = Project::empty();
    for folder in ["flows", "examples/demo"] {
        project.copy(folder);
    }
    project.write("runner.yaml", "apps: [examples/demo]\n");
    let home = project.path("home");
    let arguments = ["test", "flows/dialog.yaml", "--device", "virtual"];
    let run = |driver: &str| {
        let output = project
            .command(&[&arguments[..], &["--driver", driver]].concat())
            .env("HOME", &home)
            .output();
        crate::common::Ran::from(output.expect("the program starts"))
    };
    run("uia2").expect(3).says("runner driver install uia2");
    project.write("runner.yaml", "apps: [examples/demo]\nuia2: nowhere\n");
    run("uia2").expect(3).says("nowhere").says("has no APKs");
    run("teleport")
        .expect(2)
        .says("[possible values: auto, stock, uia2]");
}

#[test]
fn a_server_that_is_killed_costs_a_warning() {
    let Some(apks) = apks() else { return };
    let project = demo(&apks);
    let device = Served::start(&project, &["--app", "examples/demo"]);
    project.write(
        "killed/flow.yaml",
        "app: com.example.notes\nsteps:\n  - launch: { clear: true }\n  - wait_for: { id: username }\n  - shell: [am, force-stop, io.appium.uiautomator2.server]\n  - type: { into: { id: username }, text: ada }\n  - assert: { id: username, text: ada }\n",
    );
    let report = "out/report.ndjson";
    project
        .run(&[
            "test",
            "killed/flow.yaml",
            "--device",
            &device.address,
            "--driver",
            "uia2",
            "--json",
            report,
        ])
        .expect(0)
        .says("1 passed")
        .says("driver uia2: ")
        .says("; this flow goes on with the driver stock");
    assert!(project.read(report).contains("\"driver\":\"uia2\""));
}

#[test]
fn drivers_are_installed_listed_and_removed() {
    let Some(apks) = apks() else { return };
    let project = demo(&apks);
    let device = Served::start(&project, &["--app", "examples/demo"]);
    let run = |arguments: &[&str]| {
        let device = ["--device", &device.address];
        project.run(&[&["driver"], arguments, &device[..]].concat())
    };
    run(&["list"]).expect(0).says("does not have it");
    run(&["install", "uia2"]).expect(0).says("has them now");
    run(&["install", "uia2"]).expect(0).says("has them already");
    run(&["list"]).expect(0).says("has 1");
    project
        .run(&["doctor", "--device", &device.address])
        .says("driver: stock now; uia2 is installed");
    run(&["remove", "uia2"]).expect(0).says("has it no more");
    run(&["remove", "uia2"]).expect(0).says("had none");
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(work)
}

async fn look(device: &dyn Device) -> Screen {
    device
        .look(LookOptions::within(LIMIT))
        .await
        .expect("a screen")
}

/// One screen, whatever the driver: everything that a screen holds.
#[test]
fn a_screen_is_the_same_through_every_driver() {
    let Some(folder) = apks() else { return };
    let folder = camino::Utf8PathBuf::from_path_buf(folder).expect("a path of text");
    block_on(async {
        let options = VirtualDeviceOptions {
            apps: vec![concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo").into()],
            servers: Some(SERVERS),
            ..VirtualDeviceOptions::default()
        };
        let served = VirtualDevice::start(options).await.expect("a device");
        let address = served.address().to_string();
        let connect = async || adb::connect_direct(&address, "virtual").await.expect("it");
        let stock = connect().await;
        let places = ApkPlaces {
            configured: Some(folder),
            ..ApkPlaces::default()
        };
        let apks = places.find().expect("APKs");
        install(stock.as_ref(), &apks).await.expect("installed");
        for script in SCREENS {
            let script = Script::raw(script, "sh");
            stock.shell(&script, LIMIT).await.expect("an answer");
            let uia2 = driven(
                Arc::clone(&stock),
                DriverChoice::Uia2,
                Use::Throughout,
                &places,
            );
            let uia2 = uia2.await.expect("the server");
            let through = look(uia2.as_ref()).await;
            assert_eq!(uia2.take_notes(), Vec::<String>::new());
            drop(uia2);
            let without = until_free(stock.as_ref()).await;
            assert_same(&through, &without, script.text());
        }
    });
}

/// Shell commands that lead from each screen to the next.
const SCREENS: [&str; 6] = [
    "input keyevent HOME",
    "monkey -p com.example.notes -c android.intent.category.LAUNCHER 1",
    "input tap 540 700",
    "input keyevent BACK; cmd statusbar expand-notifications",
    "cmd statusbar collapse; settings put system accelerometer_rotation 0; settings put system user_rotation 1",
    "settings put system user_rotation 0",
];

/// Waits for the end of the uia2 server, which nobody else does, and reads the screen.
async fn until_free(device: &dyn Device) -> Screen {
    let gone = Script::raw(
        "while pidof io.appium.uiautomator2.server >/dev/null; do sleep 0.1; done",
        "pidof",
    );
    device.shell(&gone, LIMIT).await.expect("an answer");
    look(device).await
}

fn assert_same(uia2: &Screen, stock: &Screen, screen: &str) {
    for profile in [Profile::Golden, Profile::Reference] {
        assert_eq!(uia2.tsv(profile), stock.tsv(profile), "{screen}");
    }
    assert_eq!(uia2.windows(), stock.windows(), "{screen}");
    assert_eq!(uia2.display(), stock.display(), "{screen}");
    assert_eq!(uia2.foreground(), stock.foreground(), "{screen}");
    assert_eq!(uia2.keyboard_shown(), stock.keyboard_shown(), "{screen}");
    assert_eq!(uia2.bars(), stock.bars(), "{screen}");
    assert_eq!(uia2.is_degraded(), stock.is_degraded(), "{screen}");
}

/// A touch on content that still moves stops it and is no click (finding J3): whatever was swiped, however fast, and by
/// whichever driver, the row that is clicked is the one that hears of it.
/// A field of Compose shows a text some time after it was typed: the text stands in it once, and an assertion waits for it.
#[test]
fn a_text_that_shows_later_is_typed_once() {
    let Some(apks) = apks() else { return };
    let project = demo(&apks);
    project.write(
        "late.yaml",
        "app: com.example.notes
steps:
  - launch: { clear: true }
  - type: { into: { id: username }, text: anna }
  - assert: { id: username, text: anna }
  - type: { into: { id: username }, text: ' maria' }
  - type: { into: { id: username }, text: ' anna' }
  - assert: { id: username, text: anna maria anna }
  - type: { into: { id: username }, text: anna, clear: true }
  - type: { into: { id: password }, text: lovelace }
  - erase: { id: username, characters: 2 }
  - assert: { id: username, text: an }
  - press: tab
  - find: { id: username }
    as: user
  - assert: { that: \"${user.text == 'an'}\" }
",
    );
    project.write(
        "maestro.yaml",
        "appId: com.example.notes
---
- launchApp: { clearState: true }
- tapOn: { id: username }
- inputText: anna
- inputText: ' maria'
- assertVisible: { id: username, text: anna maria }
- eraseText: 6
- inputText: x
- assertVisible: { id: username, text: annax }
",
    );
    for quirk in ["slow-text", "late-text"] {
        let device = Served::start(&project, &["--app", "examples/demo", "--quirk", quirk]);
        for driver in ["stock", "uia2"] {
            let device = ["--device", &device.address, "--driver", driver];
            project
                .run(&[&["test", "late.yaml", "maestro.yaml", "-v"], &device[..]].concat())
                .expect(0)
                .says("2 passed")
                .says(&format!("driver {driver}"));
        }
    }
}

#[test]
fn a_click_after_a_swipe_reaches_what_it_is_meant_for() {
    use std::fmt::Write as _;
    let Some(apks) = apks() else { return };
    let project = demo(&apks);
    project.copy("tests/android/twin");
    let mut steps = String::new();
    for (index, (way, ms)) in [
        ("{ x: 50%, y: 20% }", 60),
        ("{ x: 50%, y: 20% }", 300),
        ("{ x: 50%, y: 20% }", 1000),
        ("{ x: 50%, y: 60% }", 120),
        ("{ x: 50%, y: 60% }", 400),
        ("{ x: 50%, y: 75% }", 2500),
    ]
    .into_iter()
    .enumerate()
    {
        let from = "{ x: 50%, y: 80% }";
        let swipe = format!("{{ on: {{ id: list }}, from: {from}, to: {way}, duration: {ms}ms }}");
        let row = if index % 2 == 0 { 2 } else { 3 };
        let _ = write!(
            steps,
            "  - launch: {{ activity: .Rows, clear: true }}\n  - swipe_across: {swipe}\n  \
             - click: {{ text: 'Row *', index: {row} }}\n    as: row\n  \
             - assert visible: {{ id: log, text: \"${{row.text | replace('Row ', '')}}\" }}\n"
        );
    }
    project.write(
        "flings.yaml",
        &format!("app: com.example.judge\nsteps:\n{steps}"),
    );
    let device = Served::start(&project, &["--app", "tests/android/twin"]);
    for driver in ["stock", "uia2"] {
        project
            .run(&[
                "test",
                "flings.yaml",
                "-v",
                "--device",
                &device.address,
                "--driver",
                driver,
            ])
            .expect(0)
            .says("1 passed")
            .says(&format!("driver {driver}"));
    }
}

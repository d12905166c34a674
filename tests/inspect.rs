//! `runner inspect`: a saved dump and the screen of a device, as rows, as JSON and as pictures.

use crate::common::{Project, Ran};

/// One window, as newer devices dump all windows; the ids of its nodes are the design's check values.
const CALCULATOR: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><displays><display id="0"><window index="0"
 title="Calculator" bounds="[0,0][1080,2400]" active="true" focused="true" id="42" layer="0" type="1"><hierarchy rotation="0"><node
 index="0" text="a title" resource-id="" class="android.widget.FrameLayout" package="com.android.calculator2" content-desc=""
 enabled="true" bounds="[0,0][1080,2400]"><node index="0" text="7" resource-id="com.android.calculator2:id/digit_7"
 class="android.widget.Button" package="com.android.calculator2" content-desc="" clickable="true" enabled="true"
 bounds="[50,800][270,1000]"/></node></hierarchy></window></display></displays>
UI hierchary dumped to: /sdcard/window_dump.xml
"#;

#[test]
fn a_saved_dump_is_printed_with_ids_that_stay() {
    let project = Project::empty();
    project.write("dump.xml", CALCULATOR);
    let ran = project.run(&["inspect", "--dump", "dump.xml"]).expect(0);
    let rows: Vec<&str> = ran.stdout.lines().rev().take(4).collect();
    assert_eq!(
        rows,
        [
            "node_322967b8_w42\tButton\t7\t-\tcom.android.calculator2:id/digit_7\t50,800,270,1000\ton,clk,ena",
            "node_ddda1cc1_w42\tFrameLayout\ta title\t-\t-\t0,0,1080,2400\ton,ena",
            "id\tclass\ttext\tdesc\tres_id\tbounds\tflags",
            "--- window:42 type:APPLICATION pkg:com.android.calculator2 title:Calculator layer:0 focused:true ---",
        ]
    );
    assert!(ran.stdout.ends_with('\n'));
    let arguments = ["inspect", "--dump", "dump.xml", "--profile", "golden"];
    let golden = project.run(&arguments).expect(0);
    let last = golden.stdout.lines().last().expect("a row");
    assert!(last.starts_with("n2\tButton\t7\t"), "{last}");
}

/// Checks that a pipe, read by a program, gets the app's characters unchanged.
#[test]
fn t3_a_pipe_gets_the_rows_as_they_are() {
    let project = Project::empty();
    let odd = "a\u{85}b\u{9b}c\u{202e}d\u{fffe}e\\u{9b}";
    project.write("dump.xml", &CALCULATOR.replace("a title", odd));
    let arguments = ["inspect", "--dump", "dump.xml", "--format", "tsv"];
    let ran = project.run(&arguments).expect(0);
    assert!(
        ran.stdout.contains(&format!("\tFrameLayout\t{odd}\t-")),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("note:"), "{}", ran.stdout);
}

#[test]
fn people_read_short_ids_and_a_selector_for_each_element() {
    let project = Project::empty();
    project.write("dump.xml", CALCULATOR);
    let arguments = ["inspect", "--dump", "dump.xml", "--format", "list"];
    let ran = project.run(&arguments).expect(0);
    let rows: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        rows,
        [
            "@e1  FrameLayout \"a title\"  a title",
            "@e2  Button \"7\"             { id: digit_7 }",
        ]
    );
}

#[test]
fn a_dump_that_does_not_read_is_explained() {
    let project = Project::empty();
    project.write("none.xml", "ERROR: could not get idle state.\n");
    project.write("cut.xml", &CALCULATOR[..500]);
    let bad = |name| project.run(&["inspect", "--dump", name]).expect(1);
    bad("none.xml").says("could not get idle state");
    bad("cut.xml").says("cut off");
    let absent = project.run(&["inspect", "--dump", "absent.xml"]);
    absent.expect(2).says("absent.xml is not there");
}

/// Subcommands with `--app` for the device, in the order of the alphabet.
const APP_TAKING: [&str; 6] = ["doctor", "inspect", "mcp", "studio", "test", "virtual"];

#[test]
fn an_app_that_is_missing_is_wrong_usage_and_no_fault_of_the_device() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    for app in ["demo.apk", "nowhere"] {
        for subcommand in APP_TAKING {
            let ran = project.run(&[subcommand, "--app", app]).expect(2);
            ran.says(&format!("`--app`: {app} is not there; "))
                .never_says("doctor");
        }
    }
    project.write("demo.apk", "");
    project.write("build/out", "");
    for subcommand in APP_TAKING {
        let classes = ["build", "lib.jar"].join(if cfg!(windows) { ";" } else { ":" });
        let line = [
            subcommand,
            "--app",
            "demo.apk",
            "--classes",
            classes.as_str(),
        ];
        project
            .run(&line)
            .expect(2)
            .says("`--classes`: lib.jar is not there; build it first");
    }
}

/// Checks that no subcommand with `--app` is left out above. `init` has one of its own, which reads the APK at once.
#[test]
fn each_subcommand_with_an_app_is_tried() {
    let project = Project::empty();
    let help = project.run(&["--help"]).expect(0).stdout;
    let (commands, _) = help.split_once("\nOptions:").expect("options");
    let commands = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let names = commands.filter_map(|line| line.split_whitespace().next());
    let takes_app = |name: &&str| {
        let help = project.run(&[*name, "--help"]).expect(0).stdout;
        help.contains("--app <") && *name != "init"
    };
    let mut found: Vec<&str> = names.filter(takes_app).collect();
    found.sort_unstable();
    assert_eq!(found, APP_TAKING);
}

#[test]
fn a_device_s_screen_is_printed_and_drawn() {
    let project = Project::with_demo_app();
    let arguments = [
        "inspect",
        "--format",
        "json",
        "--screenshot",
        "plain.png",
        "--annotated",
        "boxes.jpg",
    ];
    let ran = project.run(&arguments).expect(0);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(json["screen"]["width"], 1080);
    assert_eq!(json["screen"]["density"], 420);
    let plain = std::fs::read(project.path("plain.png")).expect("a picture");
    let plain = image::load_from_memory(&plain).expect("a PNG");
    assert_eq!((plain.width(), plain.height()), (1080, 2400));
    let boxes = std::fs::read(project.path("boxes.jpg")).expect("a picture");
    assert_eq!(boxes[..3], [0xFF, 0xD8, 0xFF], "a JPEG");
    assert_eq!(jpeg_size(&boxes), Some((1080, 2400)));
}

/// Returns width and height from a JPEG's frame header.
fn jpeg_size(bytes: &[u8]) -> Option<(u16, u16)> {
    let at = bytes.windows(2).position(|mark| mark == [0xFF, 0xC0])?;
    let word = |from: usize| {
        Some(u16::from_be_bytes([
            *bytes.get(from)?,
            *bytes.get(from + 1)?,
        ]))
    };
    Some((word(at + 7)?, word(at + 5)?))
}

/// The label of the app is on the home screen.
#[test]
fn a_secret_of_the_project_is_on_no_screen_that_is_printed() {
    let project = Project::with_demo_app();
    for (env, variable) in [("env: { WORD: Notes }\n", None), ("", Some("Notes"))] {
        let settings = "devices: [virtual]\napps: [apps/demo]\nsecrets: [WORD]\n";
        project.write("runner.yaml", &format!("{settings}{env}"));
        for format in ["list", "tsv", "json"] {
            for profile in ["reference", "golden"] {
                let line = ["inspect", "--format", format, "--profile", profile];
                let mut command = project.command(&line);
                command.envs(variable.map(|value| ("WORD", value)));
                let ran = Ran::from(command.output().unwrap()).expect(0);
                assert!(ran.stdout.contains("***"), "{line:?}: {}", ran.stdout);
                ran.never_says("Notes");
            }
        }
    }
}

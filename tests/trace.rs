//! `--trace` and `--video`: their content, the attempts that they keep, their cost on the device, and what
//! they never hold.

use std::io::Read as _;

use serde_json::Value;

use crate::common::{Project, browser};
use runner::screen::{DisplayContext, Screen};

const SIGN_IN: &str = "setup: [ { launch: { clear: true } } ]
steps:
  - type: { into: { id: username }, text: ada }
  - type: { into: { id: password }, text: lovelace, secret: true }
  - click: { id: sign_in }
  - wait_for: 'Welcome, *'
  - scroll_to: Tea blends
  - click: Tea blends
  - back
";

fn project() -> Project {
    let project = Project::with_demo_app();
    project.flow("sign-in", SIGN_IN);
    project
}

fn events(project: &Project, stream: &str) -> Vec<Value> {
    let text = project.read(stream);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn events_named<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    events.iter().filter(move |event| event["event"] == name)
}

/// Returns the files of traces and videos among the artifacts.
fn recorded(project: &Project) -> Vec<String> {
    let files = project.files(".runner/artifacts");
    let is_recorded = |file: &String| file.contains("/trace/") || file.contains("/video-");
    files.into_iter().filter(is_recorded).collect()
}

fn unpacked(project: &Project, artifact: &Value) -> String {
    let path = format!(".runner/artifacts/{}", artifact["path"].as_str().unwrap());
    let packed = std::fs::read(project.path(&path)).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn a_trace_tells_each_screen_and_each_act() {
    let project = project();
    let arguments = ["test", "--trace", "--video", "--json", "run.ndjson"];
    let ran = project.command(&[&arguments[..], &["--log", "run.log"]].concat());
    let ran = crate::common::Ran::from({ ran }.output().unwrap()).expect(0);
    ran.never_says("the trace").never_says("the video");
    let events = events(&project, "run.ndjson");
    let [trace] = events_named(&events, "trace").collect::<Vec<_>>()[..] else {
        panic!("one trace: {events:#?}");
    };
    let frames = trace["trace"]["frames"].as_array().unwrap();
    assert!(frames.len() >= 5, "{frames:#?}");
    let times: Vec<u64> = frames
        .iter()
        .map(|f| f["at_ms"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    for frame in frames {
        let dump = unpacked(&project, &frame["screen"]);
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
        assert!(screen.len() > 3, "{dump}");
        assert_eq!(frame["screen"]["kind"], "screen");
        assert_eq!(frame["size"], serde_json::json!([1080, 2400]));
    }
    let last = unpacked(&project, &frames[frames.len() - 1]["screen"]);
    assert!(last.contains("Tea blends"), "what `back` left: {last}");
    // Every screen that an act met or left has one screenshot, and no more were taken.
    let pictures: Vec<&Value> = frames.iter().filter(|f| !f["picture"].is_null()).collect();
    assert!(pictures.len() * 2 > frames.len(), "{frames:#?}");
    let log = project.read("run.log");
    let acquired = log
        .lines()
        .filter(|line| line.contains("engine: screenshot"));
    assert!(acquired.count() <= frames.len(), "{log}");
    for frame in pictures {
        let path = format!(
            ".runner/artifacts/{}",
            frame["picture"]["path"].as_str().unwrap()
        );
        let jpeg = std::fs::read(project.path(&path)).unwrap();
        assert!(jpeg.starts_with(&[0xff, 0xd8]) && jpeg.len() < 100_000);
    }
    let acts = trace["trace"]["acts"].as_array().unwrap();
    let touches = acts.iter().filter(|act| !act["touches"].is_null());
    assert!(touches.count() >= 2, "{acts:#?}");
    let video = events_named(&events, "video").next().expect("a video");
    assert_eq!(video["pieces"].as_array().unwrap().len(), 1);
    // It comes before the end of its attempt.
    let names: Vec<&str> = events.iter().filter_map(|e| e["event"].as_str()).collect();
    assert!(
        names.ends_with(&["trace", "video", "flow_finished", "finish"]),
        "{names:?}"
    );
}

#[test]
fn without_a_trace_nothing_more_is_asked_and_nothing_is_kept() {
    let project = project();
    let requests = |arguments: &[&str]| {
        let arguments = [
            &["test", "--json", "run.ndjson", "--log", "run.log"],
            arguments,
        ]
        .concat();
        let mut command = project.command(&arguments);
        command.env("RUNNER_LOG", "trace");
        crate::common::Ran::from(command.output().unwrap()).expect(0);
        let log = project.read("run.log");
        ["screencap", "screenrecord"].map(|tool| log.contains(tool))
    };
    assert_eq!(requests(&[]), [false; 2]);
    let events = events(&project, "run.ndjson");
    assert_eq!(
        events_named(&events, "trace").count() + events_named(&events, "video").count(),
        0
    );
    assert_eq!(recorded(&project), [""; 0]);
    assert_eq!(requests(&["--trace=on", "--video=on"]), [true; 2]);
    // The command line beats the environment, which beats the file.
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\ntrace: on\nvideo: on\n",
    );
    assert_eq!(requests(&[]), [true; 2]);
    assert_eq!(requests(&["--trace=off", "--video=off"]), [false; 2]);
    assert_eq!(recorded(&project), [""; 0]);
}

#[test]
fn a_mode_says_of_which_attempts_a_trace_is_kept() {
    let project = Project::with_demo_app();
    project.flow("passes", "steps: [ launch, { find: Username } ]\n");
    project.flow(
        "flaky",
        "retries: 1\nsteps:\n  - launch\n  - find: Username\n  - assert: { that: \"${flow.attempt == 2}\" }\n",
    );
    for (mode, stored) in [
        ("retain-on-failure", &["flaky/virtual-1"][..]),
        ("on-first-retry", &["flaky/virtual-2"]),
        (
            "on",
            &["flaky/virtual-1", "flaky/virtual-2", "passes/virtual-1"],
        ),
    ] {
        let (trace, video) = (format!("--trace={mode}"), format!("--video={mode}"));
        project
            .run(&["test", &trace, &video, "--json", "run.ndjson"])
            .expect(0);
        let mut folders: Vec<String> = recorded(&project)
            .iter()
            .filter_map(|file| {
                file.strip_prefix("flows/")?.split('/').collect::<Vec<_>>()[..2]
                    .join("/")
                    .into()
            })
            .collect();
        folders.dedup();
        assert_eq!(folders, stored, "{mode}");
        let events = events(&project, "run.ndjson");
        assert_eq!(
            events_named(&events, "trace").count(),
            stored.len(),
            "{mode}"
        );
        assert_eq!(
            events_named(&events, "video").count(),
            stored.len(),
            "{mode}"
        );
    }
}

#[test]
fn no_file_of_a_trace_holds_a_secret() {
    let project = Project::with_demo_app();
    project.flow(
        "sign-in",
        "secrets: [WHO]\nenv: { WHO: grace-in-secret }\nsetup: [ { launch: { clear: true } } ]\nsteps:\n  - type: { into: { id: username }, text: \"${WHO}\" }\n  - type: { into: { id: password }, text: lovelace }\n  - click: { id: sign_in }\n  - assert visible: Wrong password\n",
    );
    project
        .run(&["test", "--trace", "--html", "out", "--json", "run.ndjson"])
        .expect(0);
    let events = events(&project, "run.ndjson");
    let trace = events_named(&events, "trace").next().expect("a trace");
    let mut masked = false;
    for frame in trace["trace"]["frames"].as_array().unwrap() {
        let dump = unpacked(&project, &frame["screen"]);
        assert!(
            !dump.contains("grace-in-secret") && !dump.contains("lovelace"),
            "{dump}"
        );
        masked |= dump.contains("***");
    }
    assert!(masked, "the name is shown, masked");
    for file in project.files("out/data") {
        let text = project.read(&format!("out/data/{file}"));
        // The flow itself says what it types without `secret: true`.
        let (_, trace) = text.split_once("\"trace\":{").expect("a trace");
        let (trace, _) = trace.split_once("\"sources\":").expect("its end");
        assert!(!trace.contains("grace-in-secret") && !trace.contains("lovelace"));
    }
}

#[test]
fn a_disk_that_takes_no_more_ends_the_trace_and_not_the_flow() {
    let project = project();
    // Nothing can be written below a file. A folder that is named is tried before anything runs; the usual one is not.
    project.write(".runner/artifacts", "");
    let ran = project.run(&["test", "--trace", "--video"]);
    let ran = ran
        .expect(0)
        .says("the trace ends here")
        .says("the video ends here");
    let message = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        message.matches("the trace ends here").count(),
        1,
        "{message}"
    );
}

#[test]
fn v14_a_step_is_shown_with_the_screens_of_its_number() {
    browser::run("walk_numbers.mjs", &[]);
    let project = project();
    let steps =
        "steps: [ launch, { click: Password }, { assert visible: Nothing, timeout: 100ms } ]\n";
    project.flow("fails", steps);
    let arguments = [
        "test",
        "flows/fails.yaml",
        "--trace",
        "--json",
        "run.ndjson",
    ];
    project.run(&arguments).expect(1);
    let events = events(&project, "run.ndjson");
    let trace = events_named(&events, "trace").next().unwrap()["trace"].clone();
    let begun = events_named(&events, "step_started").count();
    let observed = trace["seen"].as_array().unwrap();
    assert_eq!(observed.len(), begun, "{trace}");
    // The screen of the failing step is one that it saw itself, or one that was still shown.
    let place = observed[2].as_u64().unwrap() as usize;
    assert!(
        trace["frames"][place]["step"].as_u64() <= Some(2),
        "{trace}"
    );
    let last_act = trace["acts"].as_array().unwrap().last().unwrap();
    assert!(last_act["frame"].as_u64() < observed[2].as_u64(), "{trace}");
}

#[test]
fn reports_of_several_runs_walk_through_their_flows() {
    let project = project();
    project.flow(
        "fails",
        "steps: [ launch, { assert visible: Nothing, timeout: 100ms } ]\n",
    );
    for (name, flow, code) in [("a", "sign-in", 0), ("b", "fails", 1)] {
        let (stream, artifacts) = (
            format!("runs/{name}/events.ndjson"),
            format!("runs/{name}/artifacts"),
        );
        let flow = format!("flows/{flow}.yaml");
        let arguments = [
            "test",
            &flow,
            "--trace",
            "--video",
            "--json",
            &stream,
            "--artifacts",
            &artifacts,
        ];
        project.run(&arguments).expect(code);
    }
    // As on the machine that merges what others left.
    std::fs::rename(project.path("runs"), project.path("moved")).unwrap();
    project
        .run(&["report", "moved", "--html", "out", "--archive", "all.zip"])
        .expect(1);
    let data: Vec<String> = project.files("out/data");
    assert_eq!(data.len(), 2);
    for file in data {
        let script = project.read(&format!("out/data/{file}"));
        assert!(script.contains("\"trace\":{") && script.contains("\"video\":["));
        assert!(
            !script.contains("no longer in the artifacts folder"),
            "{script}"
        );
    }
    let archive = std::fs::File::open(project.path("all.zip")).unwrap();
    let archive = zip::ZipArchive::new(archive).unwrap();
    let names: Vec<String> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    let screens = names.iter().filter(|name| name.ends_with(".xml.gz"));
    assert!(screens.count() > 5, "{names:?}");
    let index = browser::file_url(&project.path("out/index.html"));
    browser::run("walk.mjs", &[&index]);
}

/// The virtual device counts a second for the look that a trace takes behind the last step.
#[test]
fn the_last_look_of_a_trace_takes_none_of_the_flows_time() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "timeout: 2s\nsteps: [ launch, { scenario.wait: 1000 } ]\n",
    );
    for trace in ["--trace=off", "--trace=on"] {
        project.run(&["test", trace]).expect(0);
    }
}

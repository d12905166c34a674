//! Tests of a report's folder: its data, hostile texts, hostile artifacts.

use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::view::EntryStatus;
use super::*;
use crate::testing::{any_event, cloud_device, every_ending, one_flow};
use runner_event::{Artifact, ArtifactKind};

struct TestReport {
    _guard: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl TestReport {
    fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(guard.path()).unwrap().to_owned();
        Self {
            _guard: guard,
            root,
        }
    }

    fn write(events: &[Event]) -> Self {
        let written = Self::new();
        let mut results = Results::default();
        for event in events {
            results.add(event);
        }
        write(&results, &written.report()).unwrap();
        written
    }

    fn report(&self) -> Utf8PathBuf {
        self.root.join("report")
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.report().join(name)).unwrap()
    }

    fn summary(&self) -> Value {
        let index = self.read("index.html");
        let (_, data) = index.split_once("id=\"summary\">").unwrap();
        serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
    }

    /// Returns the data in the script of a flow.
    fn detail(&self, flow: &str) -> Value {
        let summary = self.summary();
        let flows = summary["flows"].as_array().unwrap();
        let entry = flows.iter().find(|entry| entry["flow"] == flow).unwrap();
        let script = self.read(entry["data"].as_str().unwrap());
        let (_, data) = script.split_once("], ").unwrap();
        serde_json::from_str(data.trim_end().strip_suffix(");").unwrap()).unwrap()
    }
}

#[test]
fn the_summary_of_a_run_that_ends_in_every_way() {
    let written = TestReport::write(&every_ending());
    insta::assert_snapshot!(serde_json::to_string_pretty(&written.summary()).unwrap());
}

#[test]
fn what_went_wrong_is_told_once_with_its_details_and_the_wait() {
    let summary = TestReport::write(&every_ending()).summary();
    let problems = summary["problems"].as_array().unwrap();
    let status = |flow: &Value| summary["flows"][flow.as_u64().unwrap() as usize]["status"].clone();
    for problem in problems {
        let flows = problem["flows"].as_array().unwrap();
        assert_ne!(
            flows.is_empty(),
            problem["unreadable"].is_null(),
            "{problem}"
        );
        for flow in flows {
            assert_eq!(status(flow), problem["status"], "{problem}");
        }
    }
    let one = &TestReport::write(&one_flow()).summary()["problems"][0];
    assert_eq!(one["waited"], "2s, virtual");
    assert!(
        one["details"].to_string().contains("nearest misses"),
        "{one}"
    );
}

#[test]
fn the_data_of_a_flow() {
    let written = TestReport::write(&one_flow());
    let detail = written.detail("flows/login.yaml");
    insta::assert_snapshot!(serde_json::to_string_pretty(&detail).unwrap());
}

/// Reads JSON into a type and writes it again.
fn read_again<T: serde::Serialize + serde::de::DeserializeOwned>(data: &Value) -> Value {
    let read: T = serde_json::from_value(data.clone()).unwrap();
    serde_json::to_value(read).unwrap()
}

#[test]
fn the_data_of_a_report_is_read_as_it_was_written() {
    for events in [every_ending(), one_flow(), cloud_device()] {
        let written = TestReport::write(&events);
        let summary = written.summary();
        assert_eq!(read_again::<Summary>(&summary), summary);
        for flow in summary["flows"].as_array().unwrap() {
            if !flow["data"].is_null() {
                let detail = page_reader::script(&written.read(flow["data"].as_str().unwrap()));
                assert_eq!(read_again::<Detail>(&detail), detail);
            }
        }
    }
}

#[test]
fn a_report_of_another_version_is_read_as_far_as_it_is_known() {
    let summary =
        json!({ "flows": [{ "flow": "a.yaml", "status": "dizzy", "mood": [1] }], "moon": {} });
    let summary: Summary = serde_json::from_value(summary).unwrap();
    assert_eq!(
        (&*summary.flows[0].flow, summary.flows[0].status),
        ("a.yaml".into(), EntryStatus::Unknown)
    );
    let step = json!({ "title": "click: OK", "phase": "teardown", "weight": 3 });
    let detail = json!({ "attempts": [{ "steps": [step], "trace": { "frames": [{ "at": 5, "size": [1, 2] }] } }] });
    let detail: Detail = serde_json::from_value(detail).unwrap();
    assert_eq!(detail.attempts[0].steps[0].title, "click: OK");
    assert_eq!(
        detail.attempts[0].trace.as_ref().unwrap().frames[0].size,
        [1, 2]
    );
}

#[test]
fn an_attempt_names_the_session_of_its_device() {
    let written = TestReport::write(&cloud_device());
    let session = |flow: &str| written.detail(flow)["attempts"][0]["session"].clone();
    let page = "https://cloud.example/s/1";
    assert_eq!(
        session("flows/a.yaml"),
        json!({ "id": "s-1", "dashboard": page })
    );
    assert_eq!(session("flows/b.yaml"), json!({ "id": "s-2" }));
    assert!(
        TestReport::write(&one_flow()).detail("flows/login.yaml")["attempts"][0]["session"]
            .is_null()
    );
}

#[test]
fn a_line_that_a_later_run_read_otherwise_is_told_as_it_was() {
    let mut events = one_flow();
    let kind = EventKind::Source {
        file: "flows/login.yaml".into(),
        text: "\n\n\n\n  - click: Later\n  - click: Rate me\n".into(),
    };
    events.insert(
        1,
        Event {
            seq: 0,
            t_ms: 0,
            kind,
        },
    );
    let detail = TestReport::write(&events).detail("flows/login.yaml");
    let steps = detail["attempts"][0]["steps"].as_array().unwrap();
    let text_of = |title: &str| &steps.iter().find(|step| step["title"] == title).unwrap()["text"];
    assert_eq!(text_of("click: Later"), &Value::Null);
    assert_eq!(text_of("click: Rate us"), "  - click: Rate us");
}

#[test]
fn the_subscriber_writes_the_same_as_the_saved_stream() {
    let again = TestReport::write(&every_ending());
    let live = TestReport::new();
    let mut html = Html::create(live.report()).unwrap();
    for event in every_ending() {
        html.on(&event).unwrap();
    }
    assert_eq!(live.read("index.html"), again.read("index.html"));
    assert_eq!(
        live.read("report-files.txt"),
        again.read("report-files.txt")
    );
}

#[test]
fn a_killed_run_leaves_a_report_of_what_ended() {
    let written = TestReport::new();
    let mut html = Html::create(written.report()).unwrap();
    for event in every_ending().iter().take(20) {
        html.on(event).unwrap();
        html.schedule.skip_pause();
    }
    html.idle().unwrap();
    drop(html);
    let summary = written.summary();
    assert_eq!(summary["exit_code"], Value::Null);
    let statuses: Vec<&str> = summary["flows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flow| flow["status"].as_str().unwrap())
        .collect();
    assert!(
        statuses.contains(&"passed") && statuses.contains(&"not_run"),
        "{statuses:?}"
    );
}

/// Builds a run in `root` whose only flow has these artifacts.
fn run_with(root: &Utf8Path, artifacts: Vec<Artifact>) -> Results {
    let mut results = Results::default();
    for mut event in one_flow() {
        match &mut event.kind {
            EventKind::Start { artifacts, .. } => *artifacts = root.join("artifacts"),
            EventKind::FlowFinished {
                artifacts: files, ..
            } => files.clone_from(&artifacts),
            _ => {}
        }
        results.add(&event);
    }
    results
}

fn artifact(path: &str, bytes: &[u8]) -> Artifact {
    Artifact {
        kind: ArtifactKind::Tsv,
        path: path.into(),
        hash: runner_base::files::hash(bytes),
    }
}

#[test]
fn artifacts_are_taken_from_below_their_folder_and_no_other() {
    let written = TestReport::new();
    let root = &written.root;
    std::fs::create_dir_all(root.join("artifacts/a")).unwrap();
    std::fs::write(root.join("secret.tsv"), "secret").unwrap();
    std::fs::write(root.join("artifacts/a/good.tsv"), "good").unwrap();
    std::fs::write(root.join("artifacts/a/other.tsv"), "of a later run").unwrap();
    std::fs::write(root.join("artifacts/a/page.html"), "<script>").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.join("secret.tsv"), root.join("artifacts/a/link.tsv")).unwrap();
    let secret = root.join("secret.tsv");
    let cases = [
        ("a/good.tsv", "good", ""),
        ("../secret.tsv", "secret", "leads out"),
        ("a/../../secret.tsv", "secret", "leads out"),
        (secret.as_str(), "secret", "leads out"),
        ("", "", "leads out"),
        ("a/gone.tsv", "", "no longer"),
        ("a/other.tsv", "of this run", "not the one of this run"),
        ("a", "", "not a file"),
        ("a/page.html", "<script>", ""),
        #[cfg(unix)]
        ("a/link.tsv", "secret", "leads out"),
    ];
    let artifacts = cases.map(|(path, text, _)| artifact(path, text.as_bytes()));
    write(&run_with(root, artifacts.to_vec()), &written.report()).unwrap();
    let detail = written.detail("flows/login.yaml");
    let stored = detail["attempts"][0]["files"].as_array().unwrap();
    assert_eq!(stored.len(), cases.len());
    for (file, (path, text, why)) in stored.iter().zip(cases) {
        let missing = file["missing"].as_str().unwrap_or_default();
        assert!(missing.contains(why), "{path}: {missing}");
        assert_eq!(missing.is_empty(), why.is_empty(), "{path}: {missing}");
        if why.is_empty() {
            assert_eq!(written.read(file["href"].as_str().unwrap()), text);
        }
    }
    let html = stored
        .iter()
        .find(|file| file["path"] == "a/page.html")
        .unwrap();
    assert!(html["href"].as_str().unwrap().ends_with(".bin"), "{html}");
    let names = written.read("report-files.txt");
    assert_eq!(names.matches("files/").count(), 2, "{names}");
}

#[test]
fn a_picture_brings_its_size() {
    let written = TestReport::new();
    let mut png = Vec::new();
    image::RgbImage::new(3, 7)
        .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
        .unwrap();
    std::fs::create_dir_all(written.root.join("artifacts")).unwrap();
    std::fs::write(written.root.join("artifacts/a.png"), &png).unwrap();
    let mut picture = artifact("a.png", &png);
    picture.kind = ArtifactKind::Screenshot;
    write(&run_with(&written.root, vec![picture]), &written.report()).unwrap();
    let detail = written.detail("flows/login.yaml");
    assert_eq!(
        detail["attempts"][0]["files"][0]["size"],
        serde_json::json!([3, 7])
    );
    assert_eq!(
        written.summary()["flows"][0]["picture"],
        detail["attempts"][0]["files"][0]["href"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// No text ends a script, and the data reads back as it was.
    #[test]
    fn hostile_texts_stay_data(
        events in proptest::collection::vec(
            any_event(prop_oneof![
                "\\PC{0,12}",
                Just("</script><script>alert(1)</script>".to_owned()),
                Just("<!--<script>".to_owned()),
                Just("{{summary}}{{plain}}".to_owned()),
                Just("\u{2028}\u{2029}\u{202e}\0../..".to_owned()),
            ]),
            0..24,
        )
    ) {
        let written = TestReport::write(&events);
        let index = written.read("index.html");
        prop_assert_eq!(index.matches("<script").count(), 6);
        prop_assert_eq!(index.matches("</script").count(), 6);
        let summary = written.summary();
        prop_assert_eq!(&read_again::<Summary>(&summary), &summary);
        for flow in summary["flows"].as_array().unwrap() {
            if let Some(data) = flow["data"].as_str() {
                let script = written.read(data);
                prop_assert_eq!(script.lines().count(), 1);
                let ends_something = script.contains(['<', '\u{2028}', '\u{2029}']);
                prop_assert!(!ends_something, "{}", script);
                let detail = page_reader::script(&script);
                prop_assert_eq!(read_again::<Detail>(&detail), detail);
            }
        }
    }
}

//! Tests of saved runs: complete, cut off, damaged, or malicious.

use std::fmt::Write as _;

use camino::{Utf8Path, Utf8PathBuf};

use super::{SavedRun, is_saved_run};
use crate::timeline::Timeline;
use runner_report::testing::every_ending;

fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let guard = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(guard.path().canonicalize().unwrap()).unwrap();
    (guard, root)
}

fn stream() -> String {
    let mut text = String::new();
    for event in every_ending() {
        let _ = writeln!(text, "{}", serde_json::to_string(&event).unwrap());
    }
    text
}

fn opened(path: &Utf8Path, root: &Utf8Path) -> Result<SavedRun, String> {
    SavedRun::open(path, "a run", root).map_err(|error| error.to_string())
}

#[test]
fn a_damaged_stream_is_shown_as_far_as_it_reads() {
    let (_guard, root) = folder();
    let path = root.join("a.ndjson");
    let text = stream();
    fs_err::write(&path, &text).unwrap();
    let whole = opened(&path, &root).unwrap();
    assert_eq!(whole.notes, Vec::<String>::new());
    assert!(whole.source.summary().flows.len() > 3);
    // A line in the middle is no event.
    let middle = text.len() / 2;
    let middle = middle + text[middle..].find('\n').unwrap() + 1;
    let damaged = format!("{}{{\"odd\":\n{}", &text[..middle], &text[middle..]);
    fs_err::write(&path, damaged).unwrap();
    let part = opened(&path, &root).unwrap();
    assert!(part.notes[0].contains("damaged"), "{:?}", part.notes);
    fs_err::write(&path, "{}\n").unwrap();
    assert!(opened(&path, &root).is_err());
    fs_err::write(&path, [0xff, 0xfe, b'\n']).unwrap();
    assert!(opened(&path, &root).is_err());
}

#[test]
fn what_a_report_names_outside_of_its_folder_is_not_read() {
    let (_guard, root) = folder();
    let report = root.join("report");
    fs_err::create_dir(&report).unwrap();
    fs_err::write(
        root.join("secret.js"),
        "Report.take([], {\"attempts\":[]});",
    )
    .unwrap();
    fs_err::write(report.join("report-files.txt"), "").unwrap();
    let index = |data: &str| {
        let text = format!(
            "<script type=\"application/json\" id=\"summary\">{{\"flows\":[{{\"data\":\"{data}\"}}]}}</script>"
        );
        fs_err::write(report.join("index.html"), text).unwrap();
        opened(&report, &root).unwrap().source
    };
    for name in ["../secret.js", root.join("secret.js").as_str(), "none.js"] {
        assert!(index(name).detail(0).is_err(), "{name}");
    }
    fs_err::write(report.join("own.js"), "alert(1)").unwrap();
    assert!(index("own.js").detail(0).is_err(), "it is not run");
    fs_err::copy(root.join("secret.js"), report.join("own.js")).unwrap();
    assert!(index("own.js").detail(0).is_ok());
    assert!(index("own.js").detail(1).is_err());
    fs_err::write(report.join("index.html"), "no data").unwrap();
    assert!(opened(&report, &root).is_err());
}

#[test]
fn an_archive_is_unpacked_only_as_long_as_it_is_shown() {
    use std::io::Write as _;
    let (_guard, root) = folder();
    let path = root.join("a.zip");
    let mut zip = zip::ZipWriter::new(fs_err::File::create(&path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("deep/events.ndjson", options).unwrap();
    zip.write_all(stream().as_bytes()).unwrap();
    zip.finish().unwrap();
    let run = opened(&path, &root).unwrap();
    let folder = run.folder.as_ref().unwrap().path().to_owned();
    assert!(folder.join("archive/deep/events.ndjson").is_file());
    drop(run);
    assert!(!folder.exists());
    fs_err::write(&path, "no archive").unwrap();
    assert!(opened(&path, &root).is_err());
    let left = fs_err::read_dir(root.join(".runner/studio")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn a_run_of_many_steps_is_bounded() {
    use runner_event::EventKind;
    let timeline = Timeline::default();
    timeline.begin(None);
    let events = every_ending();
    let steps: Vec<_> = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::StepStarted { .. }))
        .collect();
    for event in &events {
        timeline.add(event);
    }
    for _ in 0..20_000 / steps.len() {
        for event in &steps {
            timeline.add(event);
        }
    }
    assert!(timeline.stored_steps() <= 5000);
}

#[test]
fn a_flow_is_no_saved_run() {
    let (_guard, root) = folder();
    for (name, is) in [("a.yaml", false), ("a.ndjson", true), ("a.zip", true)] {
        assert_eq!(is_saved_run(&root.join(name)), is, "{name}");
    }
    assert!(is_saved_run(&root));
}

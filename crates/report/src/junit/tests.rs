use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use quick_junit::TestCaseStatus;

use super::*;
use crate::read_stream;
use crate::records::InvalidFlow;
use crate::testing::{cloud_device, every_ending, one_flow};
use runner_base::output_file::{Form, OutputFile};

/// Schema of the strict form.
const STRICT_SCHEMA: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/fixtures/junit-strict.xsd"
);

const STRICT: JunitOptions = JunitOptions {
    suite_name: None,
    strict: true,
    attachments_from: None,
};

fn xml(events: &[Event], options: &JunitOptions) -> String {
    let mut results = Results::default();
    for event in events {
        results.add(event);
    }
    junit_xml(&results, options).unwrap()
}

fn xmllint(arguments: &[&str], xml: &str) {
    if !runner_testing::program("xmllint") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.xml");
    fs_err::write(&file, xml).unwrap();
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet"])
        .args(arguments)
        .arg(&file)
        .output()
        .unwrap();
    let parsed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{parsed}\n{xml}");
}

/// Creates the output for a path.
fn output(path: &Utf8Path) -> OutputFile {
    OutputFile::new(Utf8Path::new("."), path, Form::Junit, "--x").unwrap()
}

#[test]
fn every_ending_is_told() {
    insta::assert_snapshot!(xml(&every_ending(), &JunitOptions::default()));
}

#[test]
fn one_flow_tells_its_steps() {
    insta::assert_snapshot!(xml(&one_flow(), &JunitOptions::default()));
}

#[test]
fn a_case_names_the_session_it_ended_in() {
    let sessions = |options: &JunitOptions| {
        let xml = xml(&cloud_device(), options);
        let lines = xml.lines().map(str::trim);
        let lines = lines.filter(|line| line.contains("\"session."));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        sessions(&JunitOptions::default()),
        [
            r#"<property name="session.id" value="s-1"/>"#,
            r#"<property name="session.dashboard" value="https://cloud.example/s/1"/>"#,
            r#"<property name="session.id" value="s-2"/>"#,
        ]
    );
    assert!(sessions(&STRICT).is_empty());
}

#[test]
fn strict_report_of_every_ending() {
    insta::assert_snapshot!(xml(&every_ending(), &STRICT));
}

#[test]
fn strict_reports_validate() {
    for events in [every_ending(), one_flow()] {
        // The file is valid after every event, as a kill may come at any time.
        for end in [2, 5, 9, 14, events.len()] {
            let part = &events[..end.min(events.len())];
            xmllint(&["--schema", STRICT_SCHEMA], &xml(part, &STRICT));
        }
    }
}

#[test]
fn rich_reports_are_well_formed_though_apps_say_anything() {
    for events in [every_ending(), one_flow()] {
        let text = xml(&events, &JunitOptions::default());
        xmllint(&[], &text);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\0']));
        quick_junit::Report::deserialize_from_str(&text).unwrap();
    }
}

#[test]
fn flows_in_a_folder_called_run_stay_beside_the_failures_of_the_run() {
    let mut results = Results::default();
    results.unreadable.push(InvalidFlow {
        flow: "run/login.yaml".into(),
        message: "no steps".into(),
        at: None,
    });
    let failure = RunFailure::new(RunFailureKind::Parts, "a part is missing");
    results.because.push(failure);
    let xml = junit_xml(&results, &JunitOptions::default()).unwrap();
    for told in ["run.login", "a part is missing"] {
        assert!(xml.contains(told), "{told}: {xml}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_makes_valid_xml(texts in proptest::collection::vec(proptest::prelude::any::<String>(), 4)) {
        let mut events = one_flow();
        for event in &mut events {
            match &mut event.kind {
                EventKind::FlowStarted { name, .. } => name.clone_from(&texts[0]),
                EventKind::StepFinished { title, at, .. } => {
                    title.clone_from(&texts[1]);
                    at.text.clone_from(&texts[2]);
                }
                EventKind::FlowFinished { failure: Some(failure), .. } => {
                    failure.message = texts[2].clone().into();
                    failure.actual = Some(texts[3].clone());
                }
                EventKind::Log { message, .. } => message.clone_from(&texts[3]),
                _ => {}
            }
        }
        for options in [STRICT, JunitOptions::default()] {
            let text = xml(&events, &options);
            let report = quick_junit::Report::deserialize_from_str(&text);
            proptest::prop_assert!(report.is_ok(), "{report:?}\n{text}");
            let forbidden = |c: char| (c < ' ' && !"\n\t\r".contains(c)) || matches!(c, '\u{fffe}' | '\u{ffff}');
            proptest::prop_assert!(!text.contains(forbidden));
        }
    }
}

/// Returns the counts of the suites: tests, failures, errors, skipped.
fn counts(text: &str) -> [usize; 4] {
    let report = quick_junit::Report::deserialize_from_str(text).unwrap();
    let mut counts = [0; 4];
    for suite in &report.test_suites {
        let of_suite = [suite.tests, suite.failures, suite.errors, suite.skipped];
        for (sum, count) in counts.iter_mut().zip(of_suite) {
            *sum += count;
        }
    }
    counts
}

#[test]
fn a_killed_run_leaves_a_valid_file_that_names_what_did_not_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("out/junit.xml")).unwrap();
    let events = every_ending();
    let mut ended = 0;
    let mut unreadable = 0;
    let mut junit = Junit::new(output(&path), JunitOptions::default());
    junit.schedule = RewriteSchedule::immediate();
    for event in &events {
        junit.on(event).unwrap();
        match &event.kind {
            EventKind::FlowFinished { last: true, .. } => ended += 1,
            EventKind::Unreadable { .. } => unreadable += 1,
            EventKind::Finish { .. } => break,
            _ => {}
        }
        if event.seq == 0 {
            assert!(!path.exists(), "there is nothing to tell before the plan");
            continue;
        }
        // A kill here would leave this file.
        let text = fs_err::read_to_string(&path).unwrap();
        let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
        let cases = report
            .test_suites
            .iter()
            .flat_map(|suite| &suite.test_cases);
        let open = cases.filter(|case| {
            matches!(&case.status, TestCaseStatus::NonSuccess { message: Some(message), .. }
                if message.contains("the run was interrupted"))
        });
        assert_eq!(report.tests, 8 + unreadable);
        if !text.contains("--fail-fast") {
            assert_eq!(open.count(), 8 - ended);
        }
    }
    drop(junit);
    let names: Vec<_> = fs_err::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file stays");
}

#[test]
fn the_file_is_not_made_anew_after_every_flow() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("junit.xml")).unwrap();
    let events = every_ending();
    let mut junit = Junit::new(output(&path), JunitOptions::default());
    junit.schedule = RewriteSchedule::new(Duration::from_hours(1), MAX_TIME_SHARE);
    let (finish, before) = events.split_last().unwrap();
    let [start, plan, rest @ ..] = before else {
        panic!("the story has a beginning");
    };
    junit.on(start).unwrap();
    junit.on(plan).unwrap();
    let at_first = fs_err::read_to_string(&path).unwrap();
    for event in rest {
        junit.on(event).unwrap();
        junit.idle().unwrap();
        assert_eq!(fs_err::read_to_string(&path).unwrap(), at_first);
    }
    // Without events for a while, it writes flows that ended.
    junit.schedule.skip_pause();
    junit.idle().unwrap();
    assert_ne!(fs_err::read_to_string(&path).unwrap(), at_first);
    junit.on(finish).unwrap();
    assert_eq!(
        fs_err::read_to_string(&path).unwrap(),
        xml(&events, &JunitOptions::default())
    );
}

#[test]
fn counts_agree_with_the_totals_of_the_run() {
    let events = every_ending();
    let Some(EventKind::Finish { totals, .. }) = events.last().map(|event| &event.kind) else {
        panic!("the story has an end");
    };
    let [tests, failures, errors, skipped] = counts(&xml(&events, &STRICT));
    assert_eq!(failures, totals.failed as usize);
    assert_eq!(errors, (totals.errors + totals.interrupted) as usize);
    assert_eq!(skipped, totals.skipped as usize);
    assert_eq!(
        tests - failures - errors - skipped,
        (totals.passed + totals.flaky) as usize
    );
}

#[test]
fn a_saved_stream_makes_the_same_report() {
    let events = every_ending();
    let mut saved = Vec::new();
    for event in &events {
        serde_json::to_writer(&mut saved, event).unwrap();
        saved.push(b'\n');
    }
    let read: Vec<Event> = read_stream(saved.as_slice()).map(Result::unwrap).collect();
    for options in [STRICT, JunitOptions::default()] {
        assert_eq!(xml(&read, &options), xml(&events, &options));
    }
}

#[test]
fn the_file_of_a_live_run_is_what_its_results_make() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("junit.xml")).unwrap();
    for events in [every_ending(), one_flow()] {
        for options in [STRICT, JunitOptions::default()] {
            let mut junit = Junit::new(output(&path), options.clone());
            for event in &events {
                junit.on(event).unwrap();
            }
            assert_eq!(
                fs_err::read_to_string(&path).unwrap(),
                xml(&events, &options)
            );
        }
    }
}

#[test]
fn attachments_are_absolute_or_below_a_folder() {
    let events = one_flow();
    let absolute = xml(&events, &STRICT);
    assert!(
        absolute.contains(
            "\n[[ATTACHMENT|/work/app/.runner/artifacts/flows/login.yaml/virtual/1/screen.png]]\n"
        ),
        "{absolute}"
    );
    let options = JunitOptions {
        attachments_from: Some("/work/app".into()),
        ..STRICT
    };
    let relative = xml(&events, &options);
    assert!(
        relative
            .contains("\n[[ATTACHMENT|.runner/artifacts/flows/login.yaml/virtual/1/screen.png]]\n"),
        "{relative}"
    );
}

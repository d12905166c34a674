use super::*;
use crate::testing::{SharedBuffer, any_event, every_ending};
use crate::{Summary, closing};
use runner_event::{FlowStatus, SnapshotVerdict, StepStatus};
use runner_snapshot::{Cause, ChangeKind};
use runner_tools::FailureKind;

fn render(events: &[Event], workspace: &str, summary: Option<Utf8PathBuf>) -> String {
    let out = SharedBuffer::default();
    let mut github = GitHub::new(Some(workspace.into()), summary).annotating(Box::new(out.clone()));
    for event in events {
        github.on(event).unwrap();
    }
    out.text()
}

fn summary(events: &[Event], room: usize) -> String {
    let mut results = Results::default();
    for event in events {
        results.add(event);
    }
    markdown(&results, None, room)
}

#[test]
fn the_summary_names_the_report_that_the_job_keeps() {
    let mut results = Results::default();
    for event in &every_ending() {
        results.add(event);
    }
    let mut report = ReportLink {
        name: "report_a.html".to_owned(),
        artifacts: Some("https://github.example/o/r/actions/runs/7#artifacts".to_owned()),
    };
    let text = markdown(&results, Some(&report), 1 << 20);
    let line = text.lines().last().unwrap();
    assert_eq!(
        line,
        "The report with pictures is report\\_a.html among the [artifacts of this run](https://github.example/o/r/actions/runs/7#artifacts)."
    );
    report.artifacts = None;
    let text = markdown(&results, Some(&report), 1 << 20);
    assert!(
        text.ends_with("among the artifacts of this run.\n"),
        "{text}"
    );
}

#[test]
fn every_ending_is_annotated_at_its_line() {
    let text = render(&every_ending(), "/work", None);
    let lines: Vec<&str> = text.lines().collect();
    let token = lines[0].strip_prefix("::stop-commands::").unwrap();
    assert_eq!(lines[1], format!("::{token}::"), "{text}");
    insta::assert_snapshot!(lines[2..].join("\n"));
}

#[test]
fn the_summary_tells_what_failed_and_what_to_run() {
    insta::assert_snapshot!(summary(&every_ending(), 1 << 20));
}

/// Builds a run of `count` flows that fail as `fail` says.
fn failing(count: usize, fail: impl Fn(usize, &mut EventKind)) -> Vec<Event> {
    let whole = every_ending();
    let mut events: Vec<Event> = whole
        .iter()
        .filter(|event| {
            matches!(
                event.kind,
                EventKind::Start { .. } | EventKind::Device { .. }
            )
        })
        .cloned()
        .collect();
    let end = whole.iter().find(|event| {
        matches!(
            &event.kind,
            EventKind::FlowFinished {
                status: FlowStatus::Failed,
                failed_at: Some(_),
                ..
            }
        )
    });
    for index in 0..count {
        let mut event = end.unwrap().clone();
        if let EventKind::FlowFinished { id, last, .. } = &mut event.kind {
            id.flow = format!("flows/{index}.yaml").into();
            *last = true;
        }
        fail(index, &mut event.kind);
        events.push(event);
    }
    let closing = closing(&events);
    events.extend(closing);
    events
}

#[test]
fn no_more_than_github_shows_and_the_rest_is_counted() {
    let events = failing(25, |index, kind| {
        if let EventKind::FlowFinished {
            failure: Some(failure),
            ..
        } = kind
        {
            failure.message = format!("{index} is wrong: 100 %, really\nsecond").into();
        }
    });
    let text = render(&events, "/work/app", None);
    let errors: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("::error"))
        .collect();
    assert_eq!(errors.len(), 10, "{text}");
    assert!(
        errors[0].contains("title=0 is wrong%3A 100 %25%2C really::"),
        "{text}"
    );
    assert!(errors[0].contains("%0Asecond"), "{text}");
    assert!(errors[9].contains("16 flows more"), "{text}");
}

#[test]
fn what_changed_in_the_same_way_is_one_annotation() {
    let cause = Cause::new(
        ChangeKind::Text,
        &["TextView#greeting: text \"A\" → \"B\"".into()],
    );
    let mut events = failing(3, |_, kind| {
        if let EventKind::FlowFinished {
            failure: Some(failure),
            ..
        } = kind
        {
            failure.kind = FailureKind::Snapshot;
        }
    });
    let snapshots: Vec<Event> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::FlowFinished { id, .. } => Some(Event {
                kind: EventKind::Snapshot {
                    id: id.clone(),
                    step: runner_flow::StepPath::default(),
                    result: runner_event::SnapshotResult {
                        key: "a/home".into(),
                        verdict: SnapshotVerdict::Differs,
                        changes: Vec::new(),
                        cause: Some(cause.clone()),
                        areas: None,
                        pending: Vec::new(),
                    },
                },
                ..event.clone()
            }),
            _ => None,
        })
        .collect();
    events.splice(2..2, snapshots);
    let text = render(&events, "/work/app", None);
    assert_eq!(text.matches("::error").count(), 1, "{text}");
    assert!(
        text.contains("title=3 flows%3A TextView#greeting"),
        "{text}"
    );
    assert!(text.contains("also: flows/1.yaml"), "{text}");
    assert!(summary(&events, 1 << 20).contains("runner review --from"));
}

#[test]
fn a_summary_keeps_within_its_room_and_is_added_to_what_is_there() {
    let events = failing(2000, |index, kind| {
        if let EventKind::FlowFinished {
            failure: Some(failure),
            ..
        } = kind
        {
            failure.message = format!("{index} {}", "x".repeat(900)).into();
        }
    });
    let text = summary(&events, 50_000);
    assert!(
        text.len() <= 50_000 && text.contains("left out"),
        "{}",
        text.len()
    );
    assert_eq!(summary(&events, 10), "");

    let folder = tempfile::tempdir().unwrap();
    let file = Utf8PathBuf::from_path_buf(folder.path().join("summary.md")).unwrap();
    fs_err::write(&file, "before\n").unwrap();
    render(&every_ending(), "/work", Some(file.clone()));
    assert!(
        fs_err::read_to_string(&file)
            .unwrap()
            .starts_with("before\n### ")
    );
    // Annotations are written even if the summary cannot be.
    let text = render(
        &every_ending(),
        "/work",
        Some(folder.path().join("no/such").try_into().unwrap()),
    );
    assert!(text.contains("::warning::no step summary"), "{text}");
}

proptest::proptest! {
    #[test]
    fn no_text_makes_a_command_or_a_row_of_its_own(
        events in proptest::collection::vec(any_event("(::error|[|\\r\\n<%,a])?(::x::|\\PC)?"), 0..12)
    ) {
        let mut events = events;
        events.retain(|event| !matches!(event.kind, EventKind::Start { .. } | EventKind::Finish { .. }));
        for event in &mut events {
            if let EventKind::FlowFinished { status, last, .. } = &mut event.kind {
                (*status, *last) = (FlowStatus::Failed, true);
            }
            if let EventKind::StepFinished { status, .. } = &mut event.kind {
                *status = StepStatus::Failed;
            }
        }
        let mut whole = every_ending()[..1].to_vec();
        whole.extend(events);
        let closing = closing(&whole);
        whole.extend(closing);
        let mut counted = Summary::new();
        for event in &whole {
            counted.add(event);
        }
        let text = render(&whole, "/work", None);
        for line in text.lines().skip(2) {
            proptest::prop_assert!(line.starts_with("::error ") || line.starts_with("::warning "), "{line:?}");
        }
        let rows = summary(&whole, 1 << 20);
        for line in rows.lines().filter(|line| line.starts_with('|')) {
            let bars = line.replace("\\|", "").matches('|').count();
            proptest::prop_assert_eq!(bars, 4, "{:?}", line);
            proptest::prop_assert!(!line.contains("<a"));
        }
    }
}

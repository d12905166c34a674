use camino::Utf8Path;

use super::*;
use crate::testing::every_ending;
use runner_history::{Details, History, RunState};

fn recorded(events: &[Event]) -> (tempfile::TempDir, History) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let mut file = HistoryFile::new(path.to_owned());
    for event in events {
        file.on(event).unwrap();
    }
    assert!(file.warning_cell().take().is_none());
    drop(file);
    let history = History::read_with(path, Details::StepsOf("flows/flaky.yaml"), 200);
    assert!(history.warnings.is_empty(), "{:?}", history.warnings);
    (folder, history)
}

#[test]
fn every_ending_is_in_the_history() {
    let (_folder, history) = recorded(&every_ending());
    let [run] = &history.runs[..] else {
        panic!("one run")
    };
    assert_eq!((run.state, run.id.as_str()), (RunState::Complete, "run-1"));
    let outcomes: Vec<(&str, &str)> = run
        .flows
        .iter()
        .map(|flow| (flow.id.flow.as_str(), flow.outcome.as_str()))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("flows/bad.yaml", "error"),
            ("flows/pass.yaml", "passed"),
            ("flows/pass.yaml", "passed"),
            ("flows/flaky.yaml", "flaky"),
            ("flows/shop/pay.yaml", "failed"),
            ("flows/setup.yaml", "error"),
            ("flows/lost.yaml", "error"),
            ("flows/skip.yaml", "skipped"),
            ("flows/never.yaml", "interrupted"),
        ]
    );
    let unreadable = run.flows[0].failure.as_ref().unwrap();
    assert_eq!(unreadable.at.as_deref(), Some("flows/bad.yaml:3"));
    let flaky = &run.flows[3];
    assert_eq!((flaky.attempts, flaky.ms), (2, 1240));
    let why = flaky.failure.as_ref().unwrap();
    assert_eq!(why.step.as_deref(), Some("click: Sign in"));
    assert_eq!(why.at.as_deref(), Some("flows/flaky.yaml:4"));
    assert_eq!(run.steps[&3].len(), 1, "of the attempt that counts");
}

#[test]
fn a_kill_anywhere_leaves_what_ended() {
    let events = every_ending();
    for end in 1..events.len() {
        let (_folder, history) = recorded(&events[..end]);
        let [run] = &history.runs[..] else {
            panic!("one run after {end} events")
        };
        let unreadable = run
            .flows
            .iter()
            .filter(|flow| flow.id.device.is_none())
            .count();
        let ended = run.flows.len() - unreadable;
        let planned = if end > 1 { 8 } else { 0 };
        if run.state == RunState::Killed {
            assert_eq!(
                run.never_ended().len(),
                planned - ended,
                "after {end} events"
            );
        }
    }
}

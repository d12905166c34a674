//! Tests of the store: files that are written, read, damaged and pruned.

use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;

use super::*;

mod newest;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).unwrap().join("history")
    }

    fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn read(&self) -> History {
        History::read(&self.path())
    }

    /// Begins a run at the given minute.
    fn begin(&self, minute: usize) -> Writer {
        let started = format!(
            "2026-01-{:02}T03:{:02}:00+02:00",
            1 + minute / 60,
            minute % 60
        );
        let id = format!("{minute:016x}");
        Writer::begin(&self.path(), &id, &started, "0.1.0").unwrap()
    }

    /// Writes a complete run with these flows.
    fn run(&self, minute: usize, flows: &[(&str, Outcome, u64)]) {
        let mut writer = self.begin(minute);
        let planned: Vec<ResultId> = flows.iter().map(|(flow, ..)| case(flow)).collect();
        writer.planned(&planned).unwrap();
        for (flow, outcome, ms) in flows {
            writer
                .flow(result(flow, *outcome, *ms), steps(), None)
                .unwrap();
        }
        writer.finish(12, 0, false).unwrap();
    }
}

fn case(flow: &str) -> ResultId {
    ResultId {
        flow: format!("flows/{flow}.yaml"),
        case: None,
        repeat: 1,
        device: Some("virtual".into()),
    }
}

fn result(flow: &str, outcome: Outcome, ms: u64) -> FlowResult {
    let failure = (!outcome.is_passed()).then(|| FailureNote {
        step: Some("click: Save".into()),
        at: Some(format!("flows/{flow}.yaml:4")),
        message: "no element has the text \"Save\"".into(),
    });
    FlowResult {
        id: case(flow),
        outcome,
        ms,
        attempts: 1,
        quarantined: false,
        failure,
    }
}

fn steps() -> Vec<StepResult> {
    ["launch", "click: Save"]
        .map(|title| StepResult {
            title: title.into(),
            ms: 100,
            outcome: StepOutcome::Passed,
        })
        .to_vec()
}

fn messages(history: &History) -> Vec<String> {
    let warnings = history.warnings.iter();
    warnings
        .map(|warning| {
            let text = warning.to_string();
            text.rsplit_once('/')
                .map_or(text.clone(), |(_, end)| end.to_owned())
        })
        .collect()
}

#[test]
fn what_is_written_is_read_in_order_of_time() {
    let folder = Folder::new();
    folder.run(2, &[("a", Outcome::Failed, 20)]);
    folder.run(1, &[("a", Outcome::Passed, 10), ("b", Outcome::Flaky, 30)]);
    let history = folder.read();
    assert!(history.warnings.is_empty(), "{:?}", history.warnings);
    let [first, second] = &history.runs[..] else {
        panic!("{:?}", history.runs)
    };
    assert_eq!(
        (first.state, second.state),
        (RunState::Complete, RunState::Complete)
    );
    assert_eq!(second.flows, [result("a", Outcome::Failed, 20)]);
    assert_eq!(first.flows.len(), 2);
    assert!(first.steps.is_empty(), "nobody asked");
    let with_steps = History::read_with(&folder.path(), Details::StepsOf("flows/b.yaml"), MAX_RUNS);
    assert_eq!(with_steps.runs[0].steps[&1], steps());
    assert_eq!(with_steps.runs[0].steps.len(), 1);
    let size = std::fs::metadata(folder.path().join(&folder.files()[0]))
        .unwrap()
        .len();
    assert!(size < 600, "two flows take {size} bytes");
}

#[test]
fn nothing_is_no_history_and_no_warning() {
    let folder = Folder::new();
    assert!(folder.read().runs.is_empty() && folder.read().warnings.is_empty());
    assert_eq!(Durations::read(&folder.path()).0, Durations::default());
}

#[test]
fn only_the_newest_runs_stay_and_files_of_others_always() {
    let folder = Folder::new();
    folder.run(0, &[("a", Outcome::Passed, 1)]);
    fs_err::write(folder.path().join("notes.txt"), "mine").unwrap();
    fs_err::write(folder.path().join(".gitignore"), "*").unwrap();
    let going_on = folder.begin(1);
    for minute in 2..MAX_RUNS + 3 {
        folder.run(minute, &[("a", Outcome::Passed, 1)]);
    }
    let files = folder.files();
    assert_eq!(
        files.len(),
        MAX_RUNS + 3,
        "those, the one that goes on, and two others"
    );
    assert!(files.contains(&"notes.txt".to_owned()) && files.contains(&".gitignore".to_owned()));
    assert_eq!(
        files.iter().filter(|name| name.ends_with(".part")).count(),
        1
    );
    let history = folder.read();
    assert_eq!(history.runs.len(), MAX_RUNS);
    assert_eq!(
        messages(&history),
        ["notes.txt: not a history file; ignored"]
    );
    drop(going_on);
}

#[test]
fn of_a_killed_run_what_ended_is_there_and_the_rest_never_ended() {
    let folder = Folder::new();
    let mut writer = folder.begin(1);
    writer.planned(&[case("a"), case("b"), case("c")]).unwrap();
    writer
        .flow(result("a", Outcome::Passed, 5), steps(), None)
        .unwrap();
    let going_on = folder.read();
    assert_eq!(going_on.runs[0].state, RunState::Running);
    assert!(going_on.runs[0].never_ended().is_empty());
    assert_eq!(LastFailed::from_history(&going_on).count(), 0);
    // A kill releases the lock and may cut off the last line.
    drop(writer);
    let path = folder.path().join(&folder.files()[0]);
    let whole = fs_err::read(&path).unwrap();
    for cut in [0, 1, 30] {
        fs_err::write(&path, &whole[..whole.len() - cut]).unwrap();
        let killed = folder.read();
        assert!(killed.warnings.is_empty(), "{:?}", killed.warnings);
        assert_eq!(killed.runs[0].state, RunState::Killed);
        let open: Vec<_> = killed.runs[0].never_ended().into_iter().cloned().collect();
        assert_eq!(open, [case("b"), case("c")]);
        let failed = LastFailed::from_history(&killed);
        assert!(failed.has("flows/b.yaml", None) && !failed.has("flows/a.yaml", None));
        assert_eq!(failed.count(), 2);
    }
}

#[test]
fn damaged_newer_and_foreign_files_are_warned_of_by_name() {
    let folder = Folder::new();
    for minute in 1..=4 {
        folder.run(
            minute,
            &[("a", Outcome::Passed, 10), ("b", Outcome::Failed, 20)],
        );
    }
    let files = folder.files();
    let change = |at: usize, change: &dyn Fn(String) -> String| {
        let path = folder.path().join(&files[at]);
        let text = fs_err::read_to_string(&path).unwrap();
        fs_err::write(&path, change(text)).unwrap();
    };
    change(0, &|text| {
        text.replace("\"outcome\":\"passed\"", "\"outcome\":\"pass")
    });
    change(1, &|text| {
        text.replace("\"version\":1,", "\"version\":9,\"colour\":true,")
    });
    change(2, &|_| "PK\u{3}\u{4}\n\0\0\0".to_owned());
    let history = folder.read();
    assert_eq!(
        messages(&history),
        [
            format!("{}: not a history file; ignored", files[2]),
            format!(
                "{}: it has format 9, this program reads up to 1; it is passed over",
                files[1]
            ),
            format!("{}: line 3 is damaged and is left out", files[0]),
        ]
    );
    let flows: Vec<usize> = history.runs.iter().map(|run| run.flows.len()).collect();
    assert_eq!(flows, [1, 2], "what reads counts");
    // Cannot be listed, as its parent is a file.
    let below = folder.path().join(&files[3]).join("x");
    assert_eq!(History::read(&below).warnings.len(), 1);
}

#[test]
fn a_file_may_be_named_and_hold_many_runs() {
    let folder = Folder::new();
    folder.run(1, &[("a", Outcome::Passed, 10)]);
    folder.run(2, &[("a", Outcome::Passed, 30)]);
    let files = folder.files();
    let joined = files.iter().rev().chain(&files);
    let joined: String = joined
        .map(|name| fs_err::read_to_string(folder.path().join(name)).unwrap())
        .collect();
    let path = folder.path().join("all.ndjson");
    fs_err::write(&path, joined).unwrap();
    let history = History::read(&path);
    assert!(history.warnings.is_empty());
    assert_eq!(history.runs.len(), 2, "each once");
    assert!(history.runs[0].started < history.runs[1].started);
    assert_eq!(history.runs[0].flows[0].ms, 10);
}

#[test]
fn durations_are_the_median_of_the_last_passed_runs() {
    let folder = Folder::new();
    folder.run(0, &[("a", Outcome::Passed, 99_000)]);
    for minute in 1..=9 {
        folder.run(
            minute,
            &[
                ("a", Outcome::Passed, 1000 * u64::try_from(minute).unwrap()),
                ("b", Outcome::Failed, 7),
            ],
        );
    }
    folder.run(20, &[("c", Outcome::Flaky, 40)]);
    let (durations, warnings) = Durations::read(&folder.path());
    assert!(warnings.is_empty());
    let of = |flow: &str| durations.get(flow, None).map(|it| it.as_millis());
    assert_eq!(of("flows/a.yaml"), Some(5000), "of the newest nine");
    assert_eq!((of("flows/b.yaml"), of("flows/c.yaml")), (None, Some(40)));
    assert_eq!(durations.get("flows/a.yaml", Some("de")), None);
    assert_eq!(durations.typical().map(|it| it.as_millis()), Some(40));
}

#[test]
fn what_failed_last_is_known_for_each_flow_by_its_own_last_run() {
    let folder = Folder::new();
    folder.run(
        1,
        &[
            ("a", Outcome::Failed, 1),
            ("b", Outcome::Error, 1),
            ("c", Outcome::Passed, 1),
        ],
    );
    folder.run(2, &[("a", Outcome::Passed, 1)]);
    folder.run(
        3,
        &[("d", Outcome::Interrupted, 1), ("e", Outcome::Skipped, 1)],
    );
    let failed = LastFailed::from_history(&folder.read());
    let names = ["a", "b", "c", "d", "e", "new"];
    let failed = names.map(|name| failed.has(&format!("flows/{name}.yaml"), None));
    assert_eq!(failed, [false, true, false, true, false, false]);
}

#[test]
fn flaky_flows_failed_a_run_that_they_fail() {
    let folder = Folder::new();
    for (minute, fail_on_flaky) in [(1, true), (2, false)] {
        let mut writer = folder.begin(minute);
        writer
            .flow(result("a", Outcome::Flaky, 1), Vec::new(), None)
            .unwrap();
        writer.finish(1, 0, fail_on_flaky).unwrap();
        let failed = LastFailed::from_history(&folder.read());
        assert_eq!(failed.has("flows/a.yaml", None), fail_on_flaky);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_a_warning() {
    let folder = Folder::new();
    fs_err::create_dir_all(folder.path().parent().unwrap()).unwrap();
    fs_err::write(folder.path(), "a file").unwrap();
    let error = Writer::begin(&folder.path(), "1", "2026-01-01T00:00:00Z", "0").unwrap_err();
    assert!(
        matches!(error.problem, HistoryProblem::Unwritable(_)),
        "{error}"
    );
}

const FLOWS: [&str; 3] = ["a", "b", "c"];

type AnyRun = (
    bool,
    bool,
    Vec<(&'static str, Option<&'static str>, Outcome)>,
);

/// Drawn run: whether it is spread, whether flaky flows fail it, and its results (flow, device, outcome).
fn any_run() -> impl Strategy<Value = AnyRun> {
    let outcome = prop_oneof![
        3 => Just(Outcome::Passed),
        2 => Just(Outcome::Skipped),
        1 => Just(Outcome::Flaky),
        2 => Just(Outcome::Failed),
        1 => Just(Outcome::Error),
        1 => Just(Outcome::Interrupted),
    ];
    let device = prop_oneof![Just(Some("left")), Just(Some("right")), Just(None)];
    let result = (proptest::sample::select(&FLOWS[..]), device, outcome);
    let results = proptest::collection::vec(result, 0..5);
    (any::<bool>(), any::<bool>(), results)
}

proptest! {
    #[test]
    fn no_bytes_are_too_bad(noise in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..400) {
        let folder = Folder::new();
        folder.run(1, &[("a", Outcome::Passed, 10), ("b", Outcome::Failed, 20)]);
        let path = folder.path().join(&folder.files()[0]);
        let mut bytes = fs_err::read(&path).unwrap();
        let at = at.min(bytes.len());
        bytes.splice(at..at, noise.iter().copied());
        fs_err::write(&path, &bytes).unwrap();
        let history = folder.read();
        prop_assert!(history.runs.len() <= 201);
        prop_assert!(history.runs.iter().map(|run| run.flows.len()).sum::<usize>() <= 2);
    }

    #[test]
    fn what_failed_has_failed_until_it_passes(drawn in proptest::collection::vec(any_run(), 1..6)) {
        let history = |skips: bool| {
            let mut history = History::default();
            for (number, (is_spread, fails_on_flaky, results)) in drawn.iter().enumerate() {
                let flows = results.iter().filter(|(.., outcome)| skips || *outcome != Outcome::Skipped);
                let flows = flows.map(|(flow, device, outcome)| {
                    let mut flow = result(flow, *outcome, 1);
                    flow.id.device = device.map(ToOwned::to_owned);
                    flow
                });
                history.runs.push(PastRun {
                    id: number.to_string(),
                    started: chrono::DateTime::default(),
                    state: RunState::Complete,
                    flows: flows.collect(),
                    steps: std::collections::HashMap::new(),
                    met: std::collections::HashMap::new(),
                    is_spread: *is_spread,
                    fails_on_flaky: *fails_on_flaky,
                    planned: Vec::new(),
                });
            }
            history
        };
        let failed = LastFailed::from_history(&history(true));
        let without_skips = LastFailed::from_history(&history(false));
        for flow in FLOWS {
            let path = format!("flows/{flow}.yaml");
            // A run that skipped a flow says nothing about it.
            prop_assert_eq!(failed.has(&path, None), without_skips.has(&path, None));
            let ran = |wanted: &dyn Fn(Outcome, bool) -> bool| {
                drawn.iter().any(|(_, flaky, results)| {
                    results.iter().any(|(it, _, outcome)| *it == flow && wanted(*outcome, *flaky))
                })
            };
            prop_assert_eq!(failed.knows(&path, None), ran(&|_, _| true));
            let is_red = |outcome: Outcome, flaky: bool| match outcome {
                Outcome::Passed | Outcome::Skipped => false,
                Outcome::Flaky => flaky,
                _ => true,
            };
            if !ran(&is_red) {
                prop_assert!(!failed.has(&path, None));
            }
            if ran(&is_red) && !ran(&|outcome, _| outcome.is_passed()) {
                prop_assert!(failed.has(&path, None), "it never passed");
            }
        }
    }
}

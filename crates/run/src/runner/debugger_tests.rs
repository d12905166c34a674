//! Tests of runs with a debugger, on a scripted device.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tokio_util::sync::CancellationToken;

use super::Run;
use crate::devices::Target;
use crate::{
    DebugChoice, Debugger, DebuggerFuture, Decision, Filter, NamedValue, Options, Pause, Plan,
    ResumeError, StepPlace, resumable, same_before,
};
use runner_base::context::Context;
use runner_config::{Config, Overrides};
use runner_device::Device;
use runner_device::fake::Fake;
use runner_event::{EventKind, FlowStatus};
use runner_flow::Flow;
use runner_tools::Failure;

/// Action at a pause.
type PauseAction = Box<dyn FnOnce(&Pause) -> Decision + Send>;

/// Debugger that pauses before steps with these titles and after failures, and then does what the script
/// says.
struct Script {
    before: Vec<&'static str>,
    after: bool,
    takes: Duration,
    script: Mutex<VecDeque<PauseAction>>,
    pauses: Mutex<Vec<String>>,
    /// Values with which the flow ended.
    last: Mutex<Vec<NamedValue>>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}

impl Script {
    fn new(before: &[&'static str], script: Vec<PauseAction>) -> Self {
        Self {
            before: before.to_vec(),
            after: true,
            takes: Duration::ZERO,
            script: Mutex::new(script.into()),
            pauses: Mutex::default(),
            last: Mutex::default(),
        }
    }

    fn pauses(&self) -> Vec<String> {
        self.pauses.lock().unwrap().clone()
    }
}

impl Debugger for Script {
    fn pauses_before(&self, place: &StepPlace) -> bool {
        self.before.contains(&place.title.as_str())
    }

    fn pauses_after(&self, _: &StepPlace, _: &Failure) -> bool {
        self.after
    }

    fn decide(&self, pause: Pause) -> DebuggerFuture<'_, Decision> {
        Box::pin(async move {
            let why = if pause.failure.is_some() {
                "after"
            } else {
                "before"
            };
            let message = format!("{why} {}", pause.place.path);
            self.pauses.lock().unwrap().push(message);
            tokio::time::sleep(self.takes).await;
            let next = self.script.lock().unwrap().pop_front();
            next.expect("nothing is left to decide")(&pause)
        })
    }

    fn ends(&self, values: Vec<NamedValue>) -> DebuggerFuture<'_, ()> {
        Box::pin(async move {
            *self.last.lock().unwrap() = values;
            self.pauses.lock().unwrap().push("ends".to_owned());
        })
    }
}

fn choose(choice: DebugChoice) -> PauseAction {
    Box::new(move |_| Decision::new(choice))
}

/// Returns the action that continues in the flow of this text.
fn edit(text: &'static str) -> PauseAction {
    Box::new(move |pause| {
        let new = read(text);
        resumable(&pause.flow, &new, &pause.place.path).expect("it can go on");
        Decision {
            flow: Some(Arc::new(new)),
            ..Decision::new(DebugChoice::Go)
        }
    })
}

fn read(text: &str) -> Flow {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let plan = project(&root, text).1;
    Flow::clone(&plan.cases[0].flow)
}

fn project(root: &Utf8Path, text: &str) -> (Config, Plan) {
    fs_err::create_dir_all(root.join("flows")).unwrap();
    fs_err::write(root.join("flows/a.yaml"), text).unwrap();
    let sub = "env: { GREETING: hello }\noutputs: [SAID]\nsteps:\n  - set: { INNER: inside }\n  - assert: { that: \"${INNER == WANTED}\" }\n  - set: { SAID: \"${GREETING} ${INNER}\" }\n";
    fs_err::write(root.join("flows/_sub.yaml"), sub).unwrap();
    let context = Context::fixed(root.to_owned(), BTreeMap::new());
    let config = Config::resolve(&context, &Overrides::default()).unwrap();
    let plan = Plan::read(&config, &Filter::default()).unwrap();
    (config, plan)
}

/// Runs a flow, and returns the events of the run.
async fn events(text: &str, debugger: &Arc<Script>) -> Vec<EventKind> {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let (mut config, plan) = project(&root, text);
    assert!(plan.unreadable.is_empty(), "{:?}", plan.unreadable);
    config.spread.value = false;
    let context = Context::fixed(root, BTreeMap::new());
    let (sink, events) = std::sync::mpsc::channel();
    let options = Options {
        max_failures: Some(1),
        debugger: Some(Arc::<Script>::clone(debugger)),
        ..Options::default()
    };
    let cancel = CancellationToken::new();
    let run = Run::begin(config, &context, plan, options, sink, cancel);
    let target = Target::missing();
    run.emit_plan(std::slice::from_ref(&target));
    let device: Arc<dyn Device> = Fake::showing([""]);
    run.on_open_device(&target, &device).await;
    run.finish();
    drop(run);
    events.into_iter().map(|event| event.kind).collect()
}

/// Runs a flow. Returns its ended steps (`PATH STATUS`) and its status.
async fn run(text: &str, debugger: &Arc<Script>) -> (Vec<String>, FlowStatus) {
    let mut steps = Vec::new();
    let mut ended = None;
    for event in events(text, debugger).await {
        match event {
            EventKind::StepFinished { step, status, .. } => {
                steps.push(format!("{step} {}", format!("{status:?}").to_lowercase()));
            }
            EventKind::FlowFinished { status, .. } => ended = Some(status),
            _ => {}
        }
    }
    (steps, ended.expect("the flow ended"))
}

const FAILS: &str = "steps:
  - set: { A: one }
  - assert: { that: \"${A == 'two'}\" }
  - set: { B: \"${A}\" }
teardown:
  - set: { T: torn }
";

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_failed_is_tried_again_skipped_or_ends_the_flow() {
    let again = vec![choose(DebugChoice::Go), choose(DebugChoice::Skip)];
    let debugger = Arc::new(Script::new(&[], again));
    let (steps, status) = run(FAILS, &debugger).await;
    assert_eq!(
        steps,
        [
            "0 passed",
            "1 failed",
            "1 failed",
            "2 passed",
            "teardown.0 passed"
        ]
    );
    assert_eq!(status, FlowStatus::Passed);
    assert_eq!(debugger.pauses(), ["after 1", "after 1", "ends"]);

    let debugger = Arc::new(Script::new(&[], vec![choose(DebugChoice::Stop)]));
    let (steps, status) = run(FAILS, &debugger).await;
    assert_eq!(steps, ["0 passed", "1 failed", "teardown.0 passed"]);
    assert_eq!(status, FlowStatus::Failed);

    let text = FAILS.replace(
        "teardown:",
        "on_failure:\n  - set: { F: failed }\nteardown:",
    );
    let debugger = Arc::new(Script::new(&[], vec![choose(DebugChoice::Stop)]));
    let (steps, status) = run(&text, &debugger).await;
    assert_eq!(steps, ["0 passed", "1 failed", "teardown.0 passed"]);
    assert_eq!(status, FlowStatus::Failed);

    // Neither a step around it nor the runner tries it again; teardown keeps its own rules.
    let text = "retries: 2
steps:
  - group:
      - assert: { that: \"${1 == 2}\" }
teardown:
  - assert: { that: \"${1 == 2}\" }
    optional: true
";
    let debugger = Arc::new(Script::new(&[], vec![choose(DebugChoice::Stop)]));
    let (steps, status) = run(text, &debugger).await;
    let expected = ["0.group.0 failed", "0 failed", "teardown.0 warned"];
    assert_eq!(steps, expected);
    assert_eq!(status, FlowStatus::Failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn before_a_step_it_pauses_once_and_stop_is_no_failure() {
    let text =
        "steps:\n  - set: { A: one }\n  - set: { B: two }\nteardown:\n  - set: { T: torn }\n";
    let title = "set: B";
    let flow = read(text);
    let titles: Vec<&str> = flow.steps.iter().map(|step| step.title.as_str()).collect();
    let before: &'static str = Box::leak(titles[1].to_owned().into_boxed_str());
    assert!(before.contains('B'), "{title} is written {titles:?}");
    let debugger = Arc::new(Script::new(&[before], vec![choose(DebugChoice::Go)]));
    let (steps, status) = run(text, &debugger).await;
    assert_eq!(steps, ["0 passed", "1 passed", "teardown.0 passed"]);
    assert_eq!(status, FlowStatus::Passed);

    let debugger = Arc::new(Script::new(&[before], vec![choose(DebugChoice::Skip)]));
    assert_eq!(
        run(text, &debugger).await.0,
        ["0 passed", "teardown.0 passed"]
    );

    let debugger = Arc::new(Script::new(&[before], vec![choose(DebugChoice::Stop)]));
    let (steps, status) = run(text, &debugger).await;
    assert_eq!(steps, ["0 passed", "teardown.0 passed"]);
    assert_eq!(status, FlowStatus::Interrupted);
}

/// A person who ends a flow of several cases ends them all.
#[tokio::test(flavor = "multi_thread")]
async fn no_case_begins_once_one_was_ended_by_hand() {
    let text = "each:
  - { A: one }
  - { A: two }
steps:
  - set: { B: two }
";
    let flow = read(text);
    let before: &'static str = Box::leak(flow.steps[0].title.clone().into_boxed_str());
    let debugger = Arc::new(Script::new(&[before], vec![choose(DebugChoice::Stop)]));
    let events = events(text, &debugger).await;
    assert_eq!(debugger.pauses(), ["before 0", "ends"]);
    let reasons = events.into_iter().filter_map(|event| match event {
        EventKind::FlowFinished { failure, .. } => failure,
        _ => None,
    });
    let reasons: Vec<String> = reasons.map(|it| it.message.to_string()).collect();
    assert_eq!(reasons, ["not run: the run was ended in the debugger"]);
}

/// Values at a pause and at the end of the flow. A secret is masked before a long value is cut.
#[tokio::test(flavor = "multi_thread")]
async fn values_are_told_at_a_pause_and_at_the_end() {
    let reported = |values: &[NamedValue]| -> Vec<String> {
        let line = |it: &NamedValue| format!("{}={}", it.name, it.value);
        values.iter().map(line).collect()
    };
    let text = "env: { WHO: ada, LONG: \"xxxxxxxxxx\" }
steps:
  - set: { A: one, N: \"${1 + 1}\", WHO: \"${WHO} lovelace\" }
  - assert: { that: \"${A == 'two'}\" }
  - set: { A: three, LONG: \"${LONG * 100}\" }
";
    let at_pause: PauseAction = Box::new(move |pause| {
        let expected = ["LONG=xxxxxxxxxx", "A=one", "N=2", "WHO=ada lovelace"];
        assert_eq!(reported(&pause.values), expected);
        Decision::new(DebugChoice::Skip)
    });
    let debugger = Arc::new(Script::new(&[], vec![at_pause]));
    let (steps, status) = run(text, &debugger).await;
    assert_eq!(status, FlowStatus::Passed, "{steps:?}");
    let last = reported(&debugger.last.lock().unwrap());
    assert_eq!(last[..3], ["A=three", "N=2", "WHO=ada lovelace"]);
    let long = last[3].strip_prefix("LONG=").expect("the last");
    assert!(long.len() < 1000 && long.ends_with('…'), "{long}");
}

/// A pause counts neither for the flow's limit nor for a group's or an expression's.
#[tokio::test(flavor = "multi_thread")]
async fn limits_stand_while_it_is_paused() {
    let text = "timeout: 2s
steps:
  - group:
      - set: { A: one }
      - assert: { that: \"${A == 'two'}\" }
      - set: { A: \"${A}${A}\" }
    timeout: 2s
  - set: { B: \"${A}\" }
";
    let mut debugger = Script::new(&[], vec![choose(DebugChoice::Skip)]);
    debugger.takes = Duration::from_millis(2300);
    let debugger = Arc::new(debugger);
    let (steps, status) = run(text, &debugger).await;
    assert_eq!(status, FlowStatus::Passed, "{steps:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_flow_goes_on_where_it_was_with_all_names() {
    let edited = "steps:
  # A comment may come, and spacing.
  - set: {A:   one}
  - assert: { that: \"${A == 'one'}\" }
  - assert: { that: \"${A + 'x' == 'onex'}\" }
teardown:
  - set: { T: other }
  - set: { U: more }
";
    let debugger = Arc::new(Script::new(&[], vec![edit(edited)]));
    let (steps, status) = run(FAILS, &debugger).await;
    assert_eq!(
        steps,
        [
            "0 passed",
            "1 failed",
            "1 passed",
            "2 passed",
            "teardown.0 passed",
            "teardown.1 passed"
        ]
    );
    assert_eq!(status, FlowStatus::Passed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_an_edit_brings_is_told_nowhere() {
    let edited = "steps:
  - set: { A: one }
  - { type: { text: hunter-of-nine, secret: true, into: Nowhere }, timeout: 10ms }
teardown:
  - set: { T: torn }
";
    let script = vec![edit(edited), choose(DebugChoice::Stop)];
    let debugger = Arc::new(Script::new(&[], script));
    let events = events(FAILS, &debugger).await;
    let told = serde_json::to_string(&events).unwrap();
    assert!(told.contains("Nowhere"), "{told}");
    assert!(!told.contains("hunter"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_goes_on_inside_group_if_and_run_with_their_scope() {
    let inside = "steps:
  - set: { A: one }
  - group:
      - if: \"${A == 'one'}\"
        then:
          - set: { B: two }
          - assert: { that: \"${B == 'three'}\" }
          - set: { C: \"${A}${B}\" }
  - assert: { that: \"${C == 'onetwo'}\" }
";
    let mended = "steps:
  - set: { A: one }
  - group:
      - if: \"${A == 'one'}\"
        then:
          - set: { B: two }
          - assert: { that: \"${B == 'two'}\" }
          - set: { C: \"${A}${B}\" }
  - assert: { that: \"${C == 'onetwo'}\" }
";
    let debugger = Arc::new(Script::new(&[], vec![edit(mended)]));
    let (steps, status) = run(inside, &debugger).await;
    assert_eq!(status, FlowStatus::Passed, "{steps:?}");
    assert_eq!(debugger.pauses(), ["after 1.group.0.then.1", "ends"]);

    // The sub-flow's names, and what it gives back, are the caller's and its own as before.
    let caller = "steps:
  - run: { flow: _sub.yaml, env: { WANTED: other } }
  - assert: { that: \"${SAID == 'hello inside'}\" }
";
    let debugger = Arc::new(Script::new(&[], vec![choose(DebugChoice::Skip)]));
    let (steps, status) = run(caller, &debugger).await;
    assert_eq!(status, FlowStatus::Passed, "{steps:?}");
    assert_eq!(debugger.pauses(), ["after 0.run.1", "ends"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_step_lets_the_next_one_run() {
    let shorter = "steps:\n  - set: { A: one }\n  - set: { B: \"${A}\" }\n";
    let debugger = Arc::new(Script::new(&[], vec![edit(shorter)]));
    let (steps, status) = run(FAILS, &debugger).await;
    assert_eq!(steps, ["0 passed", "1 failed", "1 passed"]);
    assert_eq!(status, FlowStatus::Passed);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_tried_again_by_itself_pauses_only_where_it_fails_the_flow() {
    let text = "steps:
  - retry:
      steps:
        - assert: { that: \"${1 == 2}\" }
      times: 1
  - assert: { that: \"${1 == 2}\" }
    optional: true
";
    let debugger = Arc::new(Script::new(&[], vec![choose(DebugChoice::Skip)]));
    let (steps, _) = run(text, &debugger).await;
    assert_eq!(debugger.pauses(), ["after 0", "ends"], "{steps:?}");
}

#[test]
fn what_ran_already_must_be_the_same() {
    let path = |value| serde_json::from_value::<runner_flow::StepPath>(value).unwrap();
    let old = read(FAILS);
    let other = FAILS.replace("A: one", "A: uno");
    let changed = |text: &str, at| resumable(&old, &read(text), &path(at));
    assert_eq!(
        changed(&other, serde_json::json!([1])),
        Err(ResumeError::Changed { line: 2 })
    );
    assert_eq!(changed(&other, serde_json::json!([0])), Ok(()));
    assert_eq!(
        changed(&format!("env: {{ X: y }}\n{FAILS}"), serde_json::json!([1])),
        Err(ResumeError::Header)
    );
    assert_eq!(
        changed(
            &format!("# new\nname: Other\n{FAILS}"),
            serde_json::json!([1])
        ),
        Ok(())
    );
    assert_eq!(
        changed("steps:\n  - back\n", serde_json::json!([1])),
        Err(ResumeError::Changed { line: 2 })
    );
    // An anchor makes no step alone: then its text counts.
    let aliased = "steps:
  - set: { A: &word one }
  - set: { B: *word }
  - assert: { that: \"${1 == 2}\" }
";
    let other = aliased.replace("{ B:", "{ C:");
    let at = path(serde_json::json!([2]));
    assert_eq!(
        resumable(&read(aliased), &read(&other), &at),
        Err(ResumeError::Changed { line: 3 })
    );
    // A part of a flow is found again only where nothing before it changed.
    let shorter = aliased.replace("  - set: { B: *word }\n", "");
    let (whole, shorter) = (read(aliased), read(&shorter));
    assert_eq!(
        same_before(&whole, &shorter, 2),
        Err(ResumeError::Before { line: 3 })
    );
    assert_eq!(same_before(&whole, &shorter, 1), Ok(()));
    let rounds = read("steps:\n  - repeat:\n      times: 2\n      steps: [ back, home ]\n");
    assert_eq!(
        resumable(
            &rounds,
            &rounds,
            &path(serde_json::json!([0, "repeat", 1, 1]))
        ),
        Err(ResumeError::Repeated("repeat"))
    );
    let group = "steps:\n  - group: [ back, home ]\n";
    let around = read(group);
    let inner = path(serde_json::json!([0, "group", 1]));
    assert_eq!(
        resumable(
            &around,
            &read("steps:\n  - group: [ home, home ]\n"),
            &inner
        ),
        Err(ResumeError::Changed { line: 2 })
    );
    assert_eq!(
        resumable(
            &around,
            &read("steps:\n  - group: [ back, back, back ]\n"),
            &inner
        ),
        Ok(())
    );
    assert_eq!(
        resumable(&around, &read("steps:\n  - home\n"), &inner),
        Err(ResumeError::Changed { line: 2 })
    );
}

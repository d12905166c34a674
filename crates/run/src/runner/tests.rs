//! Tests of runs on a scripted device, and of one whose worker panics.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use camino::Utf8PathBuf;
use tokio_util::sync::CancellationToken;

use super::Run;
use super::pool::{NextAction, Pool};
use super::work_item::ItemNext;
use crate::devices::Target;
use crate::{Filter, Options, Plan};
use runner_base::context::Context;
use runner_base::exit_code::ExitCode;
use runner_config::{Config, Overrides};
use runner_device::Device;
use runner_device::fake::Fake;
use runner_event::{EventKind, FlowStatus};
use runner_tools::{Failure, FailureKind};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_worker_that_panics_leaves_undone_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    fs_err::create_dir(root.join("flows")).unwrap();
    for name in ["a", "b", "c"] {
        let path = root.join(format!("flows/{name}.yaml"));
        fs_err::write(path, "steps: [ { set: { A: b } } ]\n").unwrap();
    }
    let context = Context::fixed(root, BTreeMap::new());
    let config = Config::resolve(&context, &Overrides::default()).unwrap();
    let plan = Plan::read(&config, &Filter::default()).unwrap();
    let (sink, events) = std::sync::mpsc::channel();
    let cancel = CancellationToken::new();
    let run = Run::begin(config, &context, plan, Options::default(), sink, cancel);

    let pool = Arc::new(Pool::new(run.items(1), vec![Target::missing()]));
    let (worker, work) = (Arc::clone(&run), Arc::clone(&pool));
    let task = tokio::spawn(async move {
        let NextAction::Work(done, _) = work.next_action(0) else {
            panic!("nothing to do");
        };
        let nothing = Failure::new(FailureKind::Usage, "it is done");
        worker.finish_unstarted(&done, "none", FlowStatus::Skipped, nothing, None);
        work.put(0, *done, ItemNext::Over);
        let NextAction::Work(begun, _) = work.next_action(0) else {
            panic!("nothing more to do");
        };
        begun.attempts.fetch_add(1, Ordering::Relaxed);
        panic!("no number is divisible by 0");
    });
    run.end_panicked(&pool, 0, &task.await.unwrap_err());
    assert_eq!(run.finish(), ExitCode::NoDevice);
    drop(run);

    let finished = events.into_iter().filter_map(|event| match event.kind {
        EventKind::FlowFinished {
            id,
            status,
            failure,
            ..
        } => Some((id.flow, id.attempt, status, failure?.message)),
        _ => None,
    });
    let finished: Vec<_> = finished.collect();
    let reported: Vec<_> = finished
        .iter()
        .map(|(flow, attempt, status, _)| (flow.as_str(), *attempt, *status))
        .collect();
    assert_eq!(
        reported,
        [
            ("flows/a.yaml", 1, FlowStatus::Skipped),
            ("flows/b.yaml", 2, FlowStatus::Error),
            ("flows/c.yaml", 1, FlowStatus::Error),
        ]
    );
    assert!(finished[1].3.contains("divisible by 0"), "{finished:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skip_that_needs_what_the_device_did_not_report_is_the_devices_fault() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    fs_err::create_dir(root.join("flows")).unwrap();
    let text =
        "skip: { if: \"${device.width < 99}\", because: small }\nsteps: [ { set: { A: b } } ]\n";
    fs_err::write(root.join("flows/a.yaml"), text).unwrap();
    let context = Context::fixed(root, BTreeMap::new());
    let mut config = Config::resolve(&context, &Overrides::default()).unwrap();
    config.spread.value = false;
    let plan = Plan::read(&config, &Filter::default()).unwrap();
    let (sink, events) = std::sync::mpsc::channel();
    let cancel = CancellationToken::new();
    let run = Run::begin(config, &context, plan, Options::default(), sink, cancel);
    let target = Target::missing();
    run.emit_plan(std::slice::from_ref(&target));
    let device: Arc<dyn Device> = Fake::showing([""]).without_size();
    run.on_open_device(&target, &device).await;
    run.finish();
    drop(run);
    let failures = events.into_iter().filter_map(|event| match event.kind {
        EventKind::FlowFinished {
            status, failure, ..
        } => Some((status, failure?)),
        _ => None,
    });
    let failures: Vec<_> = failures.collect();
    let [(status, failure)] = failures.as_slice() else {
        panic!("{failures:?}");
    };
    assert_eq!(*status, FlowStatus::Error);
    assert_eq!(failure.kind, FailureKind::Infrastructure);
    assert!(failure.message.contains("skip: "), "{failure:?}");
}

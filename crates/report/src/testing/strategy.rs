//! Draws runs with any flows and results, in the order in which `run` sends events.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::{RunScript, artifact, id, not_found};
use runner_event::{ArtifactKind, Event, EventKind, FlowStatus, StepStatus};
use runner_tools::{Failure, FailureKind};

/// Drawn flow on a device.
#[derive(Debug, Clone)]
struct AnyFlow {
    device: &'static str,
    earlier: usize,
    end: FlowStatus,
    /// Depth of each step, and its list: `setup`, `teardown`, or empty for the flow's own steps.
    steps: Vec<(usize, &'static str)>,
    message: String,
    has_picture: bool,
}

fn any_flow() -> impl Strategy<Value = AnyFlow> {
    let end = prop_oneof![
        Just(FlowStatus::Passed),
        Just(FlowStatus::Flaky),
        Just(FlowStatus::Failed),
        Just(FlowStatus::Error),
        Just(FlowStatus::Skipped),
        Just(FlowStatus::Interrupted),
        Just(FlowStatus::Quarantined),
    ];
    let step = (
        0..3_usize,
        prop_oneof![Just("setup"), Just(""), Just(""), Just("teardown")],
    );
    (
        prop_oneof![Just("virtual"), Just("R5CT")],
        0..3_usize,
        end,
        proptest::collection::vec(step, 0..6),
        "[a-z<&\"é]{1,12}",
        any::<bool>(),
    )
        .prop_map(
            |(device, earlier, end, steps, message, has_picture)| AnyFlow {
                device,
                // Only failed flows are tried again.
                earlier: match end {
                    FlowStatus::Flaky => earlier.max(1),
                    FlowStatus::Skipped => 0,
                    _ => earlier,
                },
                end,
                steps,
                message,
                has_picture,
            },
        )
}

/// Draws a run of 1 to 7 flows. One in four is cut off, as by a kill, but never before its plan.
pub(crate) fn any_run() -> impl Strategy<Value = Vec<Event>> {
    let flows = proptest::collection::vec(any_flow(), 1..8);
    (
        flows,
        any::<bool>(),
        0..4_usize,
        any::<prop::sample::Index>(),
    )
        .prop_map(|(flows, has_unreadable, cut, at)| {
            let mut events = run_of(&flows, has_unreadable);
            if cut == 0 {
                // The plan always stays: without it there is nothing to report.
                events.truncate(4 + at.index(events.len() - 4));
            }
            events
        })
}

fn run_of(flows: &[AnyFlow], has_unreadable: bool) -> Vec<Event> {
    let name = |at: usize| format!("folder{}/flow{at}.yaml", at % 2);
    let plan = flows.iter().enumerate();
    let plan = plan.map(|(at, flow)| id(&name(at), flow.device, 1));
    let mut script = RunScript::begin(plan.collect());
    if has_unreadable {
        script.push(EventKind::Unreadable {
            flow: "flows/bad.yaml".into(),
            message: "error: unknown step `clik`".into(),
            at: None,
        });
    }
    for (at, flow) in flows.iter().enumerate() {
        for attempt in 1..=flow.earlier + 1 {
            let is_last = attempt > flow.earlier;
            let number = u32::try_from(attempt).unwrap();
            run_attempt(
                &mut script,
                &id(&name(at), flow.device, number),
                flow,
                is_last,
            );
        }
    }
    script.finish()
}

fn run_attempt(script: &mut RunScript, id: &runner_event::FlowId, flow: &AnyFlow, is_last: bool) {
    let status = if is_last {
        flow.end
    } else {
        FlowStatus::Failed
    };
    let failure = match status {
        FlowStatus::Passed | FlowStatus::Flaky | FlowStatus::Interrupted => None,
        FlowStatus::Skipped => Some(Failure::new(FailureKind::Usage, flow.message.clone())),
        _ => Some(Failure {
            message: flow.message.clone().into(),
            ..not_found()
        }),
    };
    if status != FlowStatus::Interrupted || flow.has_picture {
        script.flow(id, "A flow", &["smoke"]);
        // Path of the enclosing steps, which began before.
        let mut path: Vec<Value> = Vec::new();
        for (number, (depth, list)) in flow.steps.iter().enumerate() {
            let is_inside = *depth > 0 && !path.is_empty() && path.len() / 2 < *depth + 1;
            if is_inside {
                path.extend([json!("group"), json!(number)]);
            } else {
                let list = (!list.is_empty()).then(|| json!(list));
                path = list.into_iter().chain([json!(number)]).collect();
            }
            script.start_step(id, &json!(path), "click: OK");
            script.end_step(id, &json!(path), "click: OK", StepStatus::Passed, None);
        }
    }
    let pictures = flow.has_picture.then(|| {
        artifact(
            ArtifactKind::Screenshot,
            &format!("{}/{}/{}/screen.png", id.flow, id.device, id.attempt),
        )
    });
    script.end(id, status, is_last, failure, Vec::from_iter(pictures));
}

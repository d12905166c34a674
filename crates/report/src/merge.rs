//! Merges the event streams of several runs into one: the shards of a run, and later runs of the flows that
//! failed. docs/guide/ci.md documents the rules.
//!
//! Runs are ordered by their start. A flow that ran on the same device in several runs is one result, whose
//! attempts follow one another. So the last run decides, and a pass after an earlier failure is flaky.

mod attempts;
mod devices;
mod opening;
mod run;
mod stream;

use runner_event::{Event, EventKind, ResultKeys};

use attempts::Attempts;
use devices::name_devices;
use opening::{plan, start};
use run::{Run, place_runs, remove_duplicates};
use stream::MergedStream;

/// Merges the streams of several runs into one, with event numbers from 0, on one time line without the pauses between
/// runs. Streams that do not begin with `start` are ignored, and of two streams of one run the longer counts. A single
/// run that is left stays as it is, its numbers too; without any the result is empty. The last run of a flow decides,
/// a pass after an earlier failure is flaky, and labels that two devices share are changed. There is a `finish` event
/// only if all runs ended, or if each flow ended uninterrupted in one of them; missing shards are not noticed.
pub fn merge(streams: Vec<Vec<Event>>) -> Vec<Event> {
    let mut runs: Vec<Run> = streams.into_iter().filter_map(Run::from_events).collect();
    remove_duplicates(&mut runs);
    if runs.len() < 2 {
        return runs.pop().map(|run| run.events).unwrap_or_default();
    }
    // Runs without a start time come last: they are placed after the others.
    runs.sort_by_key(|run| (run.began_ms.is_none(), run.began_ms));
    name_devices(&mut runs);
    let fails_on_flaky = runs.iter().any(Run::fails_on_flaky);
    let duration_ms = place_runs(&mut runs);
    let mut keys = ResultKeys::default();
    for event in runs.iter().flat_map(|run| &run.events) {
        if let EventKind::Plan { flows, .. } = &event.kind {
            keys.plan(flows);
        }
    }
    let attempts = Attempts::new(&runs, &keys);
    let mut out = MergedStream::default();
    out.fails_on_flaky = fails_on_flaky;
    out.push(0, start(&runs));
    out.push(0, plan(&runs, &keys));
    out.keys = keys;
    for (index, run) in runs.iter().enumerate() {
        let later = &runs[index + 1..];
        let mut state = attempts.before(index);
        for event in &run.events {
            out.add(index, run, later, event, &mut state);
        }
    }
    let ended = attempts.have_all_ended(&out.events, &out.keys);
    if ended {
        // A run was stopped, but a later one executed the rest.
        out.events
            .retain(|event| !matches!(event.kind, EventKind::Stopping { .. }));
    }
    if ended || runs.iter().all(Run::is_finished) {
        let failures = runs.iter().flat_map(Run::failures).cloned().collect();
        out.finish(duration_ms, fails_on_flaky, failures);
    }
    // Numbers the events of the merged stream anew.
    for (seq, event) in (0..).zip(&mut out.events) {
        event.seq = seq;
    }
    out.events
}

#[cfg(test)]
mod tests;

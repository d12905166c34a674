//! Merges the event streams of several runs into one: the shards of a run, and later runs of the flows that
//! failed. docs/guide/ci.md documents the rules.
//!
//! Runs are ordered by their start. A flow that ran on the same device in several runs is one result, whose
//! attempts follow one another. So the last run decides, and a pass after an earlier failure is flaky.

use std::collections::{BTreeMap, HashMap, HashSet};

use camino::Utf8PathBuf;
use chrono::DateTime;
use indexmap::IndexMap;

use runner_base::exit_code::ExitCode;
use runner_device::DeviceInfo;
use runner_event::{
    Event, EventKind, FlowId, FlowStatus, Host, ResultKey, ResultKeys, RunFailure, RunFailureKind,
    Summary,
};
use runner_tools::FailureKind;

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
    let ended = attempts.have_all_ended(&out);
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

/// A run with its position in the merged stream.
struct Run {
    id: String,
    /// Start in milliseconds since 1970. `None` if the stream does not hold a valid time.
    began_ms: Option<i64>,
    /// Milliseconds to add to the times of its events.
    shift_ms: u64,
    events: Vec<Event>,
}

impl Run {
    /// Creates a run from the events of one stream; `None` if they do not begin with a start. Without a valid start
    /// time, `began_ms` is `None`.
    fn from_events(events: Vec<Event>) -> Option<Self> {
        let EventKind::Start {
            run_id, started, ..
        } = &events.first()?.kind
        else {
            return None;
        };
        let began = DateTime::parse_from_rfc3339(started).ok();
        Some(Self {
            id: run_id.clone(),
            began_ms: began.map(|began| began.timestamp_millis()),
            shift_ms: 0,
            events,
        })
    }

    /// Returns the latest time of any event, in milliseconds since the run began, or the duration of the end if that
    /// is more. 0 without events.
    fn duration_ms(&self) -> u64 {
        let times = self.events.iter().map(|event| match event.kind {
            EventKind::Finish { duration_ms, .. } => duration_ms,
            _ => event.t_ms,
        });
        times.max().unwrap_or(0)
    }

    fn is_finished(&self) -> bool {
        let finish = |event: &Event| matches!(event.kind, EventKind::Finish { .. });
        self.events.last().is_some_and(finish)
    }

    /// Returns the failures that are of no flow. Empty if the last event is not the run's end.
    fn failures(&self) -> &[RunFailure] {
        match self.events.last().map(|last| &last.kind) {
            Some(EventKind::Finish { because, .. }) => because,
            _ => &[],
        }
    }

    /// Returns true if flaky flows fail this run. Streams of earlier versions do not hold that: if the run
    /// recorded no failures, the exit code tells. It must be that of failed flows although no flow failed
    /// otherwise. Returns false for a run without an end.
    fn fails_on_flaky(&self) -> bool {
        let failures = self.failures();
        if !failures.is_empty() {
            let is_flaky = |failure: &RunFailure| failure.kind == RunFailureKind::Flaky;
            return failures.iter().any(is_flaky);
        }
        let Some(EventKind::Finish { exit_code, .. }) = self.events.last().map(|last| &last.kind)
        else {
            return false;
        };
        // The stream does not say with which options the run was started.
        let mut summary = Summary::new();
        for event in &self.events {
            summary.add(event);
        }
        summary.exit_code(false) == ExitCode::Passed && *exit_code == ExitCode::Failed as u8
    }

    /// Returns true if the run planned `flow` or could not read it.
    fn knows(&self, flow: &Utf8PathBuf) -> bool {
        self.events.iter().any(|event| match &event.kind {
            EventKind::Plan { flows, .. } => flows.iter().any(|id| id.flow == *flow),
            EventKind::Unreadable { flow: refused, .. } => refused == flow,
            _ => false,
        })
    }
}

/// Removes duplicates, which have the same run id, and keeps the stream with the most events of each; the first of
/// equally long ones. The runs stay in the order in which their ids first came.
fn remove_duplicates(runs: &mut Vec<Run>) {
    let mut stored: IndexMap<String, Run> = IndexMap::new();
    for run in runs.drain(..) {
        match stored.get_mut(&run.id) {
            Some(known) if known.events.len() >= run.events.len() => {}
            Some(known) => *known = run,
            None => {
                stored.insert(run.id.clone(), run);
            }
        }
    }
    runs.extend(stored.into_values());
}

/// Makes labels unique over all runs: another device with the same label, as on another machine, gets the first free
/// number, such as `virtual (2)`. Labels of devices that were never ready stay. The same device keeps its label. All
/// events of the run are changed to the new label.
fn name_devices(runs: &mut [Run]) {
    let mut known: HashMap<String, DeviceInfo> = HashMap::new();
    for run in runs {
        let mut names: HashMap<String, String> = HashMap::new();
        for event in &run.events {
            let EventKind::Device { label, info } = &event.kind else {
                continue;
            };
            let name = std::iter::once(label.clone())
                .chain((2..).map(|number| format!("{label} ({number})")))
                .find(|name| {
                    known
                        .get(name)
                        .is_none_or(|known| is_same_device(known, info))
                });
            let name = name.unwrap_or_else(|| label.clone());
            known.insert(name.clone(), (**info).clone());
            names.insert(label.clone(), name);
        }
        names.retain(|label, name| label != name);
        if names.is_empty() {
            continue;
        }
        for event in &mut run.events {
            for label in labels(&mut event.kind) {
                if let Some(name) = names.get(label) {
                    label.clone_from(name);
                }
            }
        }
    }
}

/// Returns true if two descriptions have the same serial, manufacturer, model, Android version, language, size and
/// density. Theme, font size and rotation may change while a device runs, so they do not count.
fn is_same_device(one: &DeviceInfo, other: &DeviceInfo) -> bool {
    let size = |info: &DeviceInfo| {
        let display = info.display.value().copied().unwrap_or_default();
        let (a, b) = (display.width, display.height);
        (a.min(b), a.max(b), display.density)
    };
    (&one.serial, &one.model, &one.manufacturer, &one.release)
        == (
            &other.serial,
            &other.model,
            &other.manufacturer,
            &other.release,
        )
        && (&one.sdk, &one.locale, size(one)) == (&other.sdk, &other.locale, size(other))
}

/// Returns all device labels of an event, to be changed in place. A label may occur more than once; most events of
/// a whole run have none.
fn labels(kind: &mut EventKind) -> Vec<&mut String> {
    match kind {
        EventKind::Plan { flows, devices, .. } => {
            let of_flows = flows.iter_mut().map(|id| &mut id.device);
            of_flows.chain(devices).collect()
        }
        EventKind::Device { label, .. } | EventKind::DeviceLost { label, .. } => vec![label],
        kind => identity(kind)
            .into_iter()
            .map(|id| &mut id.device)
            .collect(),
    }
}

/// Returns the attempt that an event belongs to, or `None` for events of no flow. `plan` names flows but
/// belongs to none.
fn identity(kind: &mut EventKind) -> Option<&mut FlowId> {
    match kind {
        EventKind::FlowStarted { id, .. }
        | EventKind::Session { id, .. }
        | EventKind::StepStarted { id, .. }
        | EventKind::StepFinished { id, .. }
        | EventKind::Snapshot { id, .. }
        | EventKind::Trace { id, .. }
        | EventKind::Video { id, .. }
        | EventKind::Dialog { id, .. }
        | EventKind::FlowFinished { id, .. } => Some(id),
        EventKind::Log { id, .. } => id.as_mut(),
        _ => None,
    }
}

/// Sets the shifts, in milliseconds, so that runs lie on one time line, without the pauses between them. Runs must be
/// in the order of their start; runs that overlapped still do. A run without a start time begins when all before it
/// have ended. Returns the duration of all, 0 without runs.
fn place_runs(runs: &mut [Run]) -> u64 {
    let mut first = None;
    let mut end: u64 = 0;
    let mut left_out: u64 = 0;
    for run in runs {
        // A run without a start time follows the one before.
        let since = match (first, run.began_ms) {
            (None, Some(began)) => {
                first = Some(began);
                0
            }
            (Some(first), Some(began)) => u64::try_from(began.saturating_sub(first)).unwrap_or(0),
            (_, None) => end.saturating_add(left_out),
        };
        let at = since.saturating_sub(left_out);
        left_out += at.saturating_sub(end);
        run.shift_ms = at.min(end);
        end = end.max(run.shift_ms.saturating_add(run.duration_ms()));
    }
    end
}

/// Runs that executed each flow.
struct Attempts {
    /// Runs that count for each result, with the number of its last attempt there.
    runs: IndexMap<ResultKey, Vec<(usize, u32)>>,
}

/// Position of one run among those of each flow.
#[derive(Default)]
struct RunState {
    /// Number of attempts in earlier runs for each result, and true if a later run executed it too.
    offsets: HashMap<ResultKey, (u32, bool)>,
}

impl Attempts {
    /// Finds in which runs each flow began, with its highest attempt in each. A flow that began in no run belongs to
    /// the last run that gave it an end; one that was only planned is there, but belongs to none.
    fn new(runs: &[Run], keys: &ResultKeys) -> Self {
        let mut began: IndexMap<ResultKey, Vec<(usize, u32)>> = IndexMap::new();
        let mut reported: IndexMap<ResultKey, Vec<(usize, u32)>> = IndexMap::new();
        for (index, run) in runs.iter().enumerate() {
            for event in &run.events {
                let (to, id) = match &event.kind {
                    EventKind::FlowStarted { id, .. } => (&mut began, id),
                    EventKind::FlowFinished { id, .. } => (&mut reported, id),
                    _ => continue,
                };
                let entries = to.entry(keys.result_key(id)).or_default();
                match entries.last_mut() {
                    Some((of, last)) if *of == index => *last = (*last).max(id.attempt),
                    _ => entries.push((index, id.attempt)),
                }
            }
            for event in &run.events {
                if let EventKind::Plan { flows, .. } = &event.kind {
                    for id in flows {
                        reported.entry(keys.result_key(id)).or_default();
                    }
                }
            }
        }
        // A flow counts as run if any run executed it. If none did, the last run has the reason.
        for (key, entries) in reported {
            let last = entries.last().copied();
            began
                .entry(key)
                .or_insert_with(|| last.into_iter().collect());
        }
        Self { runs: began }
    }

    /// Returns, for each flow that counts in the run at `index`, how many attempts earlier runs had of it, and true
    /// if a later run has it too. Flows that do not count there are missing.
    fn before(&self, index: usize) -> RunState {
        let mut state = RunState::default();
        for (key, entries) in &self.runs {
            if let Some(at) = entries.iter().position(|(run, _)| *run == index) {
                let earlier = entries[..at].iter().map(|(_, last)| *last);
                let before = earlier.fold(0, u32::saturating_add);
                state
                    .offsets
                    .insert(key.clone(), (before, at + 1 < entries.len()));
            }
        }
        state
    }

    /// Returns true if each flow that any run planned or ran has a last attempt in the merged stream that was not
    /// interrupted. True without flows.
    fn have_all_ended(&self, merged: &MergedStream) -> bool {
        let ended: HashSet<ResultKey> = merged
            .events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::FlowFinished {
                    id,
                    last: true,
                    status,
                    ..
                } if *status != FlowStatus::Interrupted => Some(merged.keys.result_key(id)),
                _ => None,
            })
            .collect();
        self.runs.keys().all(|key| ended.contains(key))
    }
}

/// Builds the merged `start` event: that of the first run, its time and folders too, with the ids of all runs joined
/// by `+`, without the shard, and with only those facts about the host that all runs have in common. The host is left
/// out if a run does not name it. `runs` must not be empty.
fn start(runs: &[Run]) -> EventKind {
    let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
    let mut first = runs[0].events[0].kind.clone();
    let hosts: Option<Vec<&Host>> = runs
        .iter()
        .map(|run| match &run.events[0].kind {
            EventKind::Start { host, .. } => host.as_ref(),
            _ => None,
        })
        .collect();
    if let EventKind::Start {
        run_id,
        host,
        shard,
        ..
    } = &mut first
    {
        // Together, the shards are the whole run; `parts` checks that none is missing.
        *shard = None;
        *run_id = ids.join("+");
        *host = hosts.and_then(|hosts| shared_host(&hosts));
    }
    first
}

/// Describes the hosts of all runs as one. Different systems and architectures are sorted and joined by commas; the
/// CI stays only if it is that of all, a fact only if all have it. `None` without hosts.
fn shared_host(hosts: &[&Host]) -> Option<Host> {
    let distinct = |of: fn(&Host) -> &str| {
        let mut values: Vec<&str> = hosts.iter().map(|host| of(host)).collect();
        values.sort_unstable();
        values.dedup();
        values.join(", ")
    };
    let first = hosts.first()?;
    let ci = first.ci.clone();
    let shared = |fact: &&(String, String)| hosts.iter().all(|host| host.facts.contains(fact));
    Some(Host {
        os: distinct(|host| &host.os),
        arch: distinct(|host| &host.arch),
        ci: ci.filter(|_| hosts.iter().all(|host| host.ci == first.ci)),
        facts: first.facts.iter().filter(shared).cloned().collect(),
    })
}

/// Merges all plans into one, each flow and device once, in the order of their first mention. A flow that one run
/// planned for any device has no device. Of two names or properties for one flow, the later run's count.
fn plan(runs: &[Run], keys: &ResultKeys) -> EventKind {
    let mut devices: Vec<String> = Vec::new();
    let mut flows: Vec<FlowId> = Vec::new();
    let mut names = BTreeMap::new();
    let mut properties = BTreeMap::new();
    let mut known = HashSet::new();
    for event in runs.iter().flat_map(|run| &run.events) {
        if let EventKind::Plan {
            flows: planned,
            names: reported,
            properties: of_headers,
            devices: shared,
        } = &event.kind
        {
            names.extend(reported.clone());
            properties.extend(of_headers.clone());
            for id in planned {
                // A flow planned for any device in one run is one result in all runs.
                let key = keys.result_key(id);
                if known.insert(key.clone()) {
                    let device = key.device;
                    flows.push(FlowId {
                        device,
                        ..id.clone()
                    });
                }
            }
            for label in shared {
                if !devices.contains(label) {
                    devices.push(label.clone());
                }
            }
        }
    }
    EventKind::Plan {
        flows,
        devices,
        names,
        properties,
    }
}

fn describe(kind: &str, value: &impl std::fmt::Debug) -> String {
    format!("{kind} {value:?}")
}

#[derive(Default)]
struct MergedStream {
    events: Vec<Event>,
    keys: ResultKeys,
    /// Events already added that need to be there once only.
    reported: HashSet<String>,
    failed: HashSet<ResultKey>,
}

impl MergedStream {
    fn push(&mut self, t_ms: u64, kind: EventKind) {
        self.events.push(Event { seq: 0, t_ms, kind });
    }

    fn is_new(&mut self, kind: &str, value: &impl std::fmt::Debug) -> bool {
        self.reported.insert(describe(kind, value))
    }

    /// Adds an event of a run, with its time and attempt shifted and its end adapted by [`Self::end_flow`]. Leaves
    /// out `start`, `plan` and `finish`, repeats of sources, devices and messages of no flow, flows that count in
    /// another run only, and an unreadable flow that a later run knows. A device that was lost may be reported again.
    fn add(&mut self, index: usize, run: &Run, later: &[Run], event: &Event, state: &mut RunState) {
        let mut kind = event.kind.clone();
        let wanted = match &kind {
            EventKind::Start { .. } | EventKind::Plan { .. } | EventKind::Finish { .. } => false,
            EventKind::Source { file, text } => self.is_new("source", &(file, text)),
            EventKind::Device { label, .. } => self.is_new("device", label),
            EventKind::DeviceLost { label, .. } => {
                // The device is reported again when it is back.
                self.reported.remove(&describe("device", label));
                true
            }
            // A later run may have read the flow after it was mended.
            EventKind::Unreadable { flow, .. } => !later.iter().any(|run| run.knows(flow)),
            EventKind::Log {
                id: None, message, ..
            } => self.is_new("log", message),
            EventKind::Stopping { because } => self.is_new("stopping", &(index, because)),
            _ => true,
        };
        if !wanted {
            return;
        }
        if let Some(id) = identity(&mut kind) {
            let Some((before, _)) = state.offsets.get(&self.keys.result_key(id)) else {
                return;
            };
            id.attempt = id.attempt.saturating_add(*before);
        }
        self.end_flow(&mut kind, state);
        self.push(run.shift_ms.saturating_add(event.t_ms), kind);
    }

    /// Changes a `flow_finished` event so that only the last attempt of the last run is the last, and a pass after a
    /// failure in any run is flaky; remembers failures for that. A failure of the infrastructure after which another
    /// device took the flow over is no failure. Leaves other events alone.
    fn end_flow(&mut self, kind: &mut EventKind, state: &RunState) {
        let EventKind::FlowFinished {
            id,
            status,
            last,
            failure,
            ..
        } = kind
        else {
            return;
        };
        let key = self.keys.result_key(id);
        let cause = failure.as_ref().map(|failure| failure.kind);
        // Another device took the flow over, so the loss of this one is no failure of the flow.
        let was_given_back = !*last && cause == Some(FailureKind::Infrastructure);
        *last &= !state.offsets.get(&key).is_some_and(|(_, later)| *later);
        match status {
            FlowStatus::Failed | FlowStatus::Error if !was_given_back => {
                self.failed.insert(key);
            }
            FlowStatus::Passed if self.failed.contains(&key) => *status = FlowStatus::Flaky,
            _ => {}
        }
    }

    /// Appends the `finish` event with totals and exit code of all events so far. Failures of single runs stay, each
    /// once, except for flaky flows and interrupts, which are judged anew; any failure makes the exit code at least
    /// `Failed`.
    fn finish(&mut self, duration_ms: u64, fails_on_flaky: bool, failures: Vec<RunFailure>) {
        let mut summary = Summary::new();
        for event in &self.events {
            summary.add(event);
        }
        // Flaky flows and interrupts are judged again over all runs; the other failures are of no flow.
        let mut because = summary.run_failures(fails_on_flaky);
        for failure in failures {
            let is_judged = matches!(
                failure.kind,
                RunFailureKind::Flaky | RunFailureKind::Interrupted
            );
            if !is_judged && !because.contains(&failure) {
                because.push(failure);
            }
        }
        let mut code = summary.exit_code(fails_on_flaky);
        if !because.is_empty() {
            code = code.max(ExitCode::Failed);
        }
        let kind = EventKind::Finish {
            totals: summary.totals(),
            duration_ms,
            exit_code: code as u8,
            because,
        };
        self.push(duration_ms, kind);
    }
}

#[cfg(test)]
mod tests;

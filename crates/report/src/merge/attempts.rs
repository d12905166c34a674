//! Attempts at flows: to which an event belongs, and in which runs each flow had some.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use runner_event::{Event, EventKind, FlowId, FlowStatus, ResultKey, ResultKeys};

use super::run::Run;

/// Returns the attempt that an event belongs to, or `None` for events of no flow. `plan` names flows but
/// belongs to none.
pub(super) fn identity(kind: &mut EventKind) -> Option<&mut FlowId> {
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

/// Runs that executed each flow.
pub(super) struct Attempts {
    /// Runs that count for each result, with the number of its last attempt there.
    runs: IndexMap<ResultKey, Vec<(usize, u32)>>,
}

/// Position of one run among those of each flow.
#[derive(Default)]
pub(super) struct RunState {
    /// Number of attempts in earlier runs for each result, and true if a later run executed it too.
    pub(super) offsets: HashMap<ResultKey, (u32, bool)>,
}

impl Attempts {
    /// Finds in which runs each flow began, with its highest attempt in each. A flow that began in no run belongs to
    /// the last run that gave it an end; one that was only planned is there, but belongs to none.
    pub(super) fn new(runs: &[Run], keys: &ResultKeys) -> Self {
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
    pub(super) fn before(&self, index: usize) -> RunState {
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

    /// Returns true if each flow that any run planned or ran has a last attempt among `events` that was not
    /// interrupted. True without flows.
    pub(super) fn have_all_ended(&self, events: &[Event], keys: &ResultKeys) -> bool {
        let ended: HashSet<ResultKey> = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::FlowFinished {
                    id,
                    last: true,
                    status,
                    ..
                } if *status != FlowStatus::Interrupted => Some(keys.result_key(id)),
                _ => None,
            })
            .collect();
        self.runs.keys().all(|key| ended.contains(key))
    }
}

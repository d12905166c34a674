//! First two events of a merged stream: its start and its plan.

use std::collections::{BTreeMap, HashSet};

use runner_event::{EventKind, FlowId, Host, ResultKeys};
use runner_history::RUN_ID_SEPARATOR;

use super::run::Run;

/// Builds the merged `start` event: that of the first run, its time and folders too, with the ids of all runs joined
/// by `+`, without the shard, and with only those facts about the host that all runs have in common. The host is left
/// out if a run does not name it. `runs` must not be empty.
pub(super) fn start(runs: &[Run]) -> EventKind {
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
        *run_id = ids.join(RUN_ID_SEPARATOR);
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
pub(super) fn plan(runs: &[Run], keys: &ResultKeys) -> EventKind {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hosts_are_no_host() {
        assert!(shared_host(&[]).is_none());
    }
}

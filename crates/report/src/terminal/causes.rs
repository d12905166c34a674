//! Snapshots of several flows that changed for the same reason: said once at the end, for a person decides once.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::Terminal;
use crate::results::Results;
use runner_snapshot::{Cause, ChangeKind};
use runner_text::harmless;

/// Maximum number of reasons that are shown.
const MOST: usize = 10;

/// A reason and whom it concerns.
struct Shared<'a> {
    cause: &'a Cause,
    snapshots: usize,
    flows: BTreeSet<&'a camino::Utf8Path>,
}

impl Terminal {
    /// A line for each reason that several flows share, the most frequent first.
    pub(super) fn shared_causes(&self) -> Vec<String> {
        let shared = shared(&self.results);
        let more = shared.len().saturating_sub(MOST);
        let mut lines: Vec<String> = shared
            .into_iter()
            .take(MOST)
            .map(|shared| {
                let what = match shared.cause.kind {
                    ChangeKind::New => "are new",
                    _ => "changed",
                };
                format!(
                    "  {} snapshots in {} flows {what} for the same reason: {}",
                    shared.snapshots,
                    shared.flows.len(),
                    harmless::line(&shared.cause.title)
                )
            })
            .collect();
        if more > 0 {
            lines.push(format!("  and {more} more such reasons"));
        }
        lines
    }
}

fn shared(results: &Results) -> Vec<Shared<'_>> {
    let mut all: IndexMap<&str, Shared<'_>> = IndexMap::new();
    for (key, record) in &results.flows {
        let Some((attempt, _)) = record.outcome() else {
            continue;
        };
        for cause in attempt.open_snapshots().filter_map(|it| it.cause.as_ref()) {
            let shared = all.entry(&cause.id).or_insert_with(|| Shared {
                cause,
                snapshots: 0,
                flows: BTreeSet::new(),
            });
            shared.snapshots += 1;
            shared.flows.insert(&key.id.flow);
        }
    }
    let mut shared: Vec<Shared<'_>> = all
        .into_values()
        .filter(|shared| shared.flows.len() > 1)
        .collect();
    shared.sort_by_key(|shared| std::cmp::Reverse(shared.snapshots));
    shared
}
